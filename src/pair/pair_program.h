// pair_program -- a program for a device without doubles: each of its doubles becomes a pair of floats.
//
// Reentrant. What cannot be translated is an NmathError that begins with file and line. The functions of
// pairs (inst/cl/pair) are part of the result.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace openclPort {

// Macros that the compiler of the translated text predefines, or that the caller defines for the program.
using PairDefinitions = std::vector<std::pair<std::string, std::string>>;

// With the macro NMATH_SINGLE among `definitions` for single precision (nmath_value in OPENCL.cl).
// `program` begins with OPENCL.cl; `library` is the text of the files of inst/cl/pair, as pair_library() gives it.
std::string pair_program(const std::string& program, const PairDefinitions& definitions, const std::string& library);

// The files of inst/cl/pair, and those of inst/cl/single, which count in single precision. Reads files.
std::string pair_library();

// What a compiler of OpenCL C defines, and what the host device's texts have (HOST.cl): for `definitions`.
PairDefinitions pair_definitions_of_opencl();
PairDefinitions pair_definitions_of_host();

}  // namespace openclPort
