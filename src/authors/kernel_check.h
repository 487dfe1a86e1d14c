// kernel_check -- checks a folder of .cl files, or a tree of such folders.
//
// Reads files only. What is wrong with one file does not keep the others from being checked.
#pragma once

#include <string>
#include <vector>

#include "authors/finding.h"

namespace openclPort {

// In the order of files and lines. A folder named src, or whose name ends in _src or _family, holds kernels, each for
// itself; any other is a library. A kernel's @depends_<lib> means the folder <x>_<lib> beside <x>_src, else <lib>
// beside it, else nmathopencl's. Throws NmathError for a folder that is not there.
std::vector<KernelFinding> check_kernel_library(const std::string& dir);

}  // namespace openclPort
