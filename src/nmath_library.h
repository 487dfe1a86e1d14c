// nmath_library -- nmath as a library to be compiled once and linked: its program, and the header that declares it.
//
// The program is built with NMATH_OBJECT defined, which gives its functions external names (OPENCL.cl). The header goes
// in front of a kernel that is compiled by itself: the layers, and a prototype or macro for what the files @provide.
// Reads files only; works without OpenCL and without R.
#ifndef NMATHOPENCL_NMATH_LIBRARY_H
#define NMATHOPENCL_NMATH_LIBRARY_H

#include <string>
#include <vector>

namespace openclPort {

// `functions`: names that files of nmath provide, or stems of files; none means all of nmath. What they need comes
// along. Throws NmathError for a name that nmath does not have.
std::string nmath_library_program(const std::vector<std::string>& functions = {});
std::string nmath_library_header(const std::vector<std::string>& functions = {});

// Prototypes of the functions that a .cl file provides with arguments of plain types, and its one-line macros for them.
std::string kernel_file_declarations(const std::string& text, const std::string& file);

}  // namespace openclPort

#endif
