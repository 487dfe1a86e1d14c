// nmath_library -- nmath as a library to be compiled once and linked: its program, and the header that declares it.
//
// The program is built with NMATH_OBJECT defined, which gives its functions external names (OPENCL.cl). The header goes
// in front of a kernel that is compiled by itself: the layers, and a prototype or macro for what the files @provide.
// Reads files only; works without OpenCL and without R.
#pragma once

#include <string>
#include <vector>

#include "loader/kernel_loader.h"

namespace openclPort {

// `functions`: names that files of nmath provide, or stems of files; none means all of nmath. What they need comes
// along. Throws NmathError for a name that nmath does not have.
std::string nmath_library_program(const std::vector<std::string>& functions = {});
std::string nmath_library_header(const std::vector<std::string>& functions = {});

// A program of what a user wrote. A text that brings the layers itself comes back as it is, behind a line directive
// where it has none, so that compilers speak of kUserText and its lines. Where its tags say what it needs of nmath
// (@depends_nmath, @all_depends_nmath), or where, without such tags, it calls what nmath provides and it does not
// define, the layers and those files come before it. What OpenCL C itself has is not looked for.
extern const char kUserText[];  // "your program"
std::string user_program(const std::string& text);
// The same with the layers, whether or not the text calls anything of nmath.
std::string layered_program(const std::string& text);

// The files of nmath with the functions that a text calls and does not define, and all that these need, in load order.
std::vector<SourcePart> called_nmath_parts(const std::string& text);

// The text behind a line directive that names it, unless it has directives of its own.
std::string marked_user_text(const std::string& text);

// For the log of a build that failed: which files provide the functions that it found undeclared, and which functions
// of nmath have names like theirs, or R's names; "" for none. Where a compiler does not say whether a name is that of a
// function, it is one if `text`, the program, calls it.
std::string missing_function_hint(const std::string& log, const std::string& text = "");

// Prototypes of the functions that a .cl file provides with arguments of plain types, and its one-line macros for them.
std::string kernel_file_declarations(const std::string& text, const std::string& file);

}  // namespace openclPort
