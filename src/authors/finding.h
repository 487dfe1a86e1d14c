// finding -- one finding of the check of kernels.
#pragma once

#include <cstddef>
#include <string>

namespace openclPort {

struct KernelFinding {
  std::string file;     // counts from the folder that was checked
  std::size_t line;     // from 1
  std::string finding;  // in words
  // "header", "missing", "unused", "duplicate", "cycle", "stale", "clash", "text" or "gpu"
  std::string kind;
  bool is_error;  // a program fails to build or to run by it, or a loader refuses the file
};

}  // namespace openclPort
