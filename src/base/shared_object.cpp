// shared_object -- compiled code: its bytes from a private folder into this process.
#include "base/shared_object.h"

#include <atomic>
#include <cerrno>
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

std::string TemporaryFolder::file(const std::string& name) const { return path_ + "/" + name; }

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
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
