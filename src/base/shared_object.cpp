// shared_object -- compiled code: its bytes from a private folder into this process.
#include "base/shared_object.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/nmath_error.h"
#include "base/private_folder.h"
#include "base/sha256.h"
#include "base/text.h"

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <direct.h>
#include <windows.h>
#ifndef LOAD_LIBRARY_SEARCH_SYSTEM32
#define LOAD_LIBRARY_SEARCH_SYSTEM32 0x00000800
#endif
#else
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#endif

namespace openclPort {

namespace {

constexpr const char* kStep = "load";

#ifdef _WIN32
constexpr const char* kObjectEnd = ".dll";
bool make_private(const std::string& path) { return _mkdir(path.c_str()) == 0; }
void remove_folder(const std::string& path) { _rmdir(path.c_str()); }
#else
constexpr const char* kObjectEnd = ".so";
bool make_private(const std::string& path) { return mkdir(path.c_str(), S_IRWXU) == 0; }
void remove_folder(const std::string& path) { rmdir(path.c_str()); }
#endif

std::string usual_parent() {
#ifdef _WIN32
  for (const char* name : {"TMPDIR", "TEMP", "TMP"})
#else
  for (const char* name : {"TMPDIR"})
#endif
    if (!environment(name).empty()) return environment(name);
  return "/tmp";
}

// The bytes that are left on the disk of a folder; a large number where the system does not tell.
std::uint64_t free_bytes(const std::string& folder) {
#ifdef _WIN32
  ULARGE_INTEGER bytes;
  if (GetDiskFreeSpaceExA(folder.c_str(), &bytes, nullptr, nullptr) != 0) return bytes.QuadPart;
#else
  struct statvfs info;
  if (statvfs(folder.c_str(), &info) == 0) return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
#endif
  return UINT64_MAX;
}

// Whether the bytes of an ELF file end before its sections or segments do. The system's loader maps such a file, and
// the process ends when it reads what is not there.
bool is_cut_short(const std::string& bytes) {
  struct Header {
    unsigned char ident[16];
    std::uint16_t type, machine;
    std::uint32_t version;
    std::uint64_t entry, segments, sections;
    std::uint32_t flags;
    std::uint16_t size, segment_size, segment_count, section_size, section_count, names;
  } header;
  if (bytes.compare(0, 5, "\177ELF\2") != 0) return false;  // none of 64 bits
  if (bytes.size() < sizeof header) return true;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::uint64_t size = bytes.size();
  const auto beyond = [size](std::uint64_t start, std::uint64_t length) {
    return start > size || length > size - start;
  };
  if (beyond(header.sections, std::uint64_t{header.section_size} * header.section_count)) return true;
  if (beyond(header.segments, std::uint64_t{header.segment_size} * header.segment_count)) return true;
  for (unsigned k = 0; k < header.segment_count; ++k) {
    constexpr std::size_t kOffset = 8, kBytes = 32;  // of a segment's row
    const std::size_t row = header.segments + std::size_t{k} * header.segment_size;
    std::uint64_t start = 0, length = 0;
    if (beyond(row, kBytes + sizeof length)) return true;
    std::memcpy(&start, bytes.data() + row + kOffset, sizeof start);
    std::memcpy(&length, bytes.data() + row + kBytes, sizeof length);
    if (beyond(start, length)) return true;
  }
  return false;
}

std::string fresh_name() {
  static std::atomic<unsigned> count{0};
  return "nmath-" + sha256_hex(random_bytes(16) + std::to_string(++count)).substr(0, 20);
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& parent) {
  const std::string above = parent.empty() ? usual_parent() : parent;
  for (int attempt = 0; attempt < 8; ++attempt) {
    path_ = above + "/" + fresh_name();
    if (make_private(path_)) return;
    if (errno != EEXIST) break;
  }
  throw NmathError("no temporary folder can be made in '" + above + "': " + std::strerror(errno), kStep, "",
                   "Name another one by the environment variable TMPDIR, before R starts.");
}

TemporaryFolder::~TemporaryFolder() {
  PrivateFolder folder(path_, false);
  if (folder.state() == FolderState::open)
    for (const std::string& name : folder.names())
      if (name != "." && name != "..") folder.remove(name);
  remove_folder(path_);
}

std::string TemporaryFolder::lack_of_room() const {
  constexpr std::uint64_t kRoom = 1 << 20, kThousand = 1000;  // a compiler's files take more
  const std::uint64_t left = free_bytes(path_);
  if (left >= kRoom) return "";
  return std::to_string(left / kThousand) + " kB are left for temporary files in '" +
         path_.substr(0, path_.rfind('/')) + "'";
}

std::string TemporaryFolder::file(const std::string& name) const { return path_ + "/" + name; }

std::string read_bytes(const std::string& path, std::size_t limit) {
  std::ifstream in(path, std::ios::binary);
  if (limit != std::string::npos) {
    std::string bytes(limit, '\0');
    in.read(&bytes[0], static_cast<std::streamsize>(limit));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return bytes;
  }
  std::ostringstream bytes;
  if (in.peek() != std::ifstream::traits_type::eof()) bytes << in.rdbuf();
  return bytes.str();
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw NmathError("'" + path + "' cannot be written, or the disk is full", kStep);
}

std::string loading_problem(const std::string& library) {
#ifdef _WIN32
  const HMODULE handle = LoadLibraryExA(library.c_str(), nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (handle == nullptr) return library + " cannot be opened (Windows error " + std::to_string(GetLastError()) + ")";
#else
  // One that is loaded already has no problem, and the others stay: not every driver survives to be unloaded.
  if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD) != nullptr) return "";
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    const char* const reported = dlerror();
    return reported != nullptr ? reported : library + " cannot be opened";
  }
#endif
  return "";
}

SharedObject::SharedObject(const std::string& bytes, const std::string& parent)
    : folder_(std::make_unique<TemporaryFolder>(parent)) {
  if (is_cut_short(bytes)) throw NmathError("compiled code cannot be loaded: its end is missing", kStep);
  const std::string path = folder_->file(fresh_name() + kObjectEnd);
  write_bytes(path, bytes);
#ifdef _WIN32
  handle_ = static_cast<void*>(LoadLibraryA(path.c_str()));
  const std::string problem = handle_ == nullptr ? "error " + std::to_string(GetLastError()) : "";
#else
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const reported = handle_ == nullptr ? dlerror() : nullptr;
  const std::string problem = reported == nullptr ? "" : reported;
  folder_.reset();
#endif
  if (handle_ == nullptr)
    throw NmathError("compiled code cannot be loaded: " + problem, kStep, "",
                     "Where the folder of temporary files does not allow programs, name another one by the environment "
                     "variable TMPDIR, before R starts.");
}

SharedObject::~SharedObject() {
#ifdef _WIN32
  FreeLibrary(static_cast<HMODULE>(handle_));
#else
  dlclose(handle_);
#endif
}

void* SharedObject::symbol(const char* name) const {
#ifdef _WIN32
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
#else
  return dlsym(handle_, name);
#endif
}

}  // namespace openclPort
