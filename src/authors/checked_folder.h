// checked_folder -- a folder of .cl files as the check of kernels reads it: whatever is wrong with one becomes a
// finding.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "authors/finding.h"
#include "loader/c_outline.h"
#include "loader/kernel_index.h"

namespace openclPort {

enum class Severity { warning, error };
using FindingSink = std::function<void(const std::string& path, std::size_t line, const std::string& finding,
                                       const char* kind, Severity severity)>;

struct CheckedFile {
  LibraryFile file;  // `tags` is empty where the head is damaged
  std::string path;
  bool sound;        // the head could be read
  COutline outline;  // of what a compiler of OpenCL C reads

  std::size_t line_of(const std::string& tag) const;  // 1 where the file has no such tag
};

struct CheckedFolder {
  std::string dir, name;
  bool kernels;                    // else a library
  std::vector<CheckedFile> files;  // in byte order

  bool sound() const;  // every head could be read
};

bool holds_parts(const std::string& folder_name);    // "<x>_family", of which kernels are made
bool holds_kernels(const std::string& folder_name);  // "src", "<x>_src", "<x>_family"

// Reads a folder and reports what is wrong with its files one by one: damaged heads, bytes that are not ASCII, names
// that are provided and not there, what no GPU has.
CheckedFolder read_checked_folder(const std::string& dir, const FindingSink& found);

// The same for a file that stands alone.
CheckedFile read_checked_file(const std::string& path, const std::string& stem, const FindingSink& found);

// A message "path:12: what" apart: the line, or 1, and the words behind it.
std::pair<std::size_t, std::string> located_message(const std::string& message, const std::string& path);

}  // namespace openclPort
