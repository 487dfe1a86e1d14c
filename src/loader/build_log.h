// build_log -- makes compiler logs of program strings readable: names of real files, the first error.
#pragma once

#include <cstddef>
#include <string>

namespace openclPort {

// Replaces lines of the program string ("<kernel>:1234:5:" in NVIDIA's logs, "input.cl:1234:5:" in Oclgrind's) by what
// the `#line` directives of `text` say about them ("nmath/dgamma.cl:17:5:"). Other compilers follow the directives
// themselves, and their logs come back as they are.
std::string name_source_lines(const std::string& log, const std::string& text);

// "nmath/dgamma.cl:17" for a line of the program string, counted from 1; "" before its first `#line`.
std::string source_line(const std::string& text, std::size_t line);

// The first line that tells an error; compilers put warnings and "In file included" before it.
std::string first_error(const std::string& log);

}  // namespace openclPort
