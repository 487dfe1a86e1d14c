// gpu_rules -- finds what a C text uses and no GPU has: OpenCL C 1.2, section 6.9, and the C library.
//
// Recursion is not looked for here, as it may run through several files. Text in, plain data out; reentrant.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "loader/c_tokens.h"

namespace openclPort {

using RuleSink = std::function<void(std::size_t line, const std::string& finding)>;

// The words that a compiler of OpenCL C reads: without the sides of conditions that ask for __OPENCL_VERSION__ or
// __OPENCL_C_VERSION__ and mean another compiler. Other conditions have both sides.
std::vector<CToken> opencl_side(const std::vector<CToken>& tokens);

void find_gpu_limits(const std::vector<CToken>& tokens, const RuleSink& found);

bool is_host_function(const std::string& name);  // of C's library or R's, and not of OpenCL C

}  // namespace openclPort
