// private_folder -- a folder in which only this user can have put anything, and the files in it: POSIX.
#ifndef _WIN32

#include "base/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace openclPort {

namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

class Descriptor {
 public:
  explicit Descriptor(int handle) : handle_(handle) {}
  ~Descriptor() {
    if (handle_ >= 0) close(handle_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  explicit operator bool() const { return handle_ >= 0; }
  int get() const { return handle_; }

 private:
  int handle_;
};

bool make_folder(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) return S_ISDIR(info.st_mode);
  const std::size_t slash = path.find_last_of('/');
  if (slash != std::string::npos && slash > 0 && !make_folder(path.substr(0, slash))) return false;
  return mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST;
}

bool is_own(const struct stat& info, mode_t forbidden) {
  return S_ISREG(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & forbidden) == 0;
}

bool write_all(int handle, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(handle, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

std::string read_all(int handle, std::size_t bytes) {
  std::string text(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = read(handle, &text[done], bytes - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  text.resize(done);
  return text;
}

}  // namespace

PrivateFolder::PrivateFolder(const std::string& path, bool make) : path_(path) {
  if (make && !make_folder(path)) {
    problem_ = "the folder cannot be made";
    return;
  }
  handle_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat info;
  if (handle_ < 0 || fstat(handle_, &info) != 0) {
    state_ = errno == ENOENT ? FolderState::missing : FolderState::failed;
    problem_ = std::string("the folder cannot be opened: ") + std::strerror(errno);
  } else if (info.st_uid != geteuid()) {
    state_ = FolderState::unsafe;
    problem_ = "the folder belongs to another user";
  } else if ((info.st_mode & kOthersWrite) != 0) {
    state_ = FolderState::unsafe;
    problem_ = "others can write to the folder (chmod go-w mends that)";
  } else {
    state_ = FolderState::open;
  }
}

PrivateFolder::~PrivateFolder() {
  if (handle_ >= 0) close(handle_);
}

std::vector<std::string> PrivateFolder::names() const {
  std::vector<std::string> names;
  const int copy = openat(handle_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return names;
  DIR* const opened = fdopendir(copy);
  if (opened == nullptr) {
    close(copy);
    return names;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opened, closedir);
  while (const dirent* entry = readdir(listing.get())) names.emplace_back(entry->d_name);
  return names;
}

std::optional<PrivateFolder::File> PrivateFolder::file(const std::string& name) const {
  struct stat info;
  if (fstatat(handle_, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !is_own(info, kOthersWrite))
    return std::nullopt;
  return File{name, static_cast<std::uint64_t>(info.st_size), info.st_mtime};
}

std::optional<std::string> PrivateFolder::read(const std::string& name, std::uint64_t limit) const {
  // (Without O_NONBLOCK opening a pipe would wait for its writer.)
  const Descriptor opened(openat(handle_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (!opened || fstat(opened.get(), &info) != 0 || !is_own(info, kOthersWrite)) return std::nullopt;
  if (info.st_size <= 0 || static_cast<std::uint64_t>(info.st_size) > limit) return std::nullopt;
  return read_all(opened.get(), static_cast<std::size_t>(info.st_size));
}

bool PrivateFolder::write_new(const std::string& name, std::initializer_list<const std::string*> pieces) const {
  const int handle =
      openat(handle_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (handle < 0) return false;
  bool good = std::all_of(pieces.begin(), pieces.end(),
                          [handle](const std::string* piece) { return write_all(handle, *piece); });
  good = close(handle) == 0 && good;
  if (!good) remove(name);
  return good;
}

bool PrivateFolder::replace(const std::string& from, const std::string& to) const {
  return renameat(handle_, from.c_str(), handle_, to.c_str()) == 0;
}

bool PrivateFolder::remove(const std::string& name) const { return unlinkat(handle_, name.c_str(), 0) == 0; }

void PrivateFolder::touch(const std::string& name) const {
  utimensat(handle_, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

std::string random_bytes(std::size_t count) {
  const Descriptor source(open("/dev/urandom", O_RDONLY | O_CLOEXEC));
  return source ? read_all(source.get(), count) : std::string();
}

}  // namespace openclPort

#endif  // !_WIN32
