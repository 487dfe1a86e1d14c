// memory_limit -- how much memory this process may have, and how much is free now.
#pragma once

#include <cstddef>
#include <string>

namespace openclPort {

// Bytes: the least of the machine's memory, the limits of the control groups that the process belongs to (containers,
// jobs of a batch system) and its limit of address space; 0 where it is not known (systems other than Linux). `root` is
// put before the names of the files that are asked.
std::size_t memory_limit(const std::string& root = "");

// Bytes that may be had without swapping: the least of what the system says is available and what the control groups
// leave, pages of files that can be dropped among it. The largest number where it is not known.
std::size_t memory_available(const std::string& root = "");

}  // namespace openclPort
