// tag_lines -- the one writer of the `// @tag: value` lines that open a .cl file.
//
// Text in, text out: no files, no globals, every function is reentrant.
#pragma once

#include <string>
#include <vector>

#include "loader/kernel_tags.h"

namespace openclPort {

// A derived tag as it has to stand in a file; without a value the file must not have it.
struct DerivedTag {
  std::string name;
  std::string value;
};

// `text` with the lines of these tags replaced. They stand together, in the order given, after tag `anchor` if the
// file has it, else after its last other tag, else at the top. Line ends become LF. Throws NmathError on a bad head.
std::string replace_tags(const std::string& text, const std::string& file, const std::vector<DerivedTag>& derived,
                         const std::string& anchor = "");

// `text` with each of these tags where it stands already, else behind the one before it in `derived`, else after the
// last tag. Line ends become LF. Throws NmathError on a bad head.
std::string set_tags(const std::string& text, const std::string& file, const std::vector<DerivedTag>& derived);

}  // namespace openclPort
