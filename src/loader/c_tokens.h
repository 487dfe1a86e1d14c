// c_tokens -- the words of a C text: identifiers, numbers and single signs, without comments and strings.
//
// Good enough to find what a text defines and calls; no compiler. Reentrant.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace openclPort {

struct CToken {
  std::string text;  // a directive's word comes with its sign: "#define"
  std::size_t line;  // from 1; that of the directive's begin for lines that it goes on in
  std::size_t at;    // where it begins in the text
};

std::vector<CToken> c_tokens(const std::string& text);

// The line that a comment without an end begins in; 0 if there is none.
std::size_t unclosed_comment(const std::string& text);

// Names that stand before a parenthesis and that the text does not define itself, as function or macro.
std::set<std::string> called_names(const std::string& text);

}  // namespace openclPort
