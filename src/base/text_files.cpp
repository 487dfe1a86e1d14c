// text_files -- whole text files, in and out.
#include "base/text_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/nmath_error.h"
#include "base/text.h"

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <process.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

// <filesystem> is left out on purpose: it is missing from the C++ libraries of older macOS and Windows tool chains.

namespace openclPort {

namespace {

bool is_link(const std::string& path) {
#ifdef _WIN32
  const DWORD found = GetFileAttributesA(path.c_str());
  return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
#else
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
#endif
}

// "" where there is nothing. On Windows a link stays what it is, so that it leads out of every folder.
std::string real_path(const std::string& path) {
#ifdef _WIN32
  char full[32768];
  const DWORD length = is_link(path) ? 0 : GetFullPathNameA(path.c_str(), sizeof full, full, nullptr);
  return length == 0 || length >= sizeof full ? std::string() : std::string(full, length);
#else
  char* const resolved = realpath(path.c_str(), nullptr);
  const std::string result = resolved == nullptr ? std::string() : resolved;
  std::free(resolved);
  return result;
#endif
}

std::string draft_of(const std::string& path) {
  static std::atomic<unsigned> count{0};
#ifdef _WIN32
  const long process = _getpid();
#else
  const long process = getpid();
#endif
  return path + "." + std::to_string(process) + "-" + std::to_string(++count) + ".tmp";
}

bool put_in_place(const std::string& draft, const std::string& path) {
#ifdef _WIN32
  return MoveFileExA(draft.c_str(), path.c_str(), MOVEFILE_REPLACE_EXISTING) != 0;
#else
  struct stat info;
  if (lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && chmod(draft.c_str(), info.st_mode & 07777) != 0)
    return false;
  return std::rename(draft.c_str(), path.c_str()) == 0;
#endif
}

}  // namespace

bool is_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool is_directory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string read_text_file(const std::string& path) {
  if (!is_file(path)) throw NmathError("File not found: " + path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  // Streaming an empty file sets failbit on `text`, which is no error.
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (!in.is_open() || in.bad() || text.fail()) throw NmathError("File cannot be read: " + path);
  std::string result = without_byte_order_marks(text.str());
  const std::size_t zero = result.find('\0');
  if (zero != std::string::npos) {
    const auto line = 1 + std::count(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
    throw NmathError(path + ":" + std::to_string(line) + ": not a text file, it holds a zero byte");
  }
  return result;
}

std::string read_file_of_folder(const std::string& folder, const std::string& path) {
  if (is_link(path)) {
    const std::string inside = real_path(folder) + "/", target = real_path(path);
    if (target.compare(0, inside.size(), inside) != 0)
      throw NmathError("'" + path + "' is a link that leads out of its folder", "", "",
                       "put the file itself there, or name the folder that it is in");
  }
  return read_text_file(path);
}

void write_text_file(const std::string& path, const std::string& text) {
  const std::string draft = draft_of(path);
  std::ofstream out(draft, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out && !is_directory(path) && put_in_place(draft, path)) return;
  std::remove(draft.c_str());
  throw NmathError("File cannot be written: " + path);
}

std::string link_target(const std::string& path) {
  const std::string target = is_link(path) ? real_path(path) : std::string();
  return target.empty() ? path : target;
}

}  // namespace openclPort
