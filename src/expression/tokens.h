// tokens -- the numbers, names and signs of a text in R's syntax.
#pragma once

#include <string>
#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

struct Token {
  enum class Kind { number, text, name, sign, line, end };
  Kind kind = Kind::end;
  std::string text;      // of a name without backquotes; of a text without quotes; of a sign as it is: "+", "<-", "("
  bool quoted = false;   // of a name: backquoted
  Constant constant;     // of a number
  std::size_t from = 0;  // byte of the text where it begins
};

// Ends with an `end`. Throws NmathError.
std::vector<Token> tokens_of(const std::string& text);

[[noreturn]] void syntax_error(const std::string& text, std::size_t at, const std::string& message);

}  // namespace openclPort::expression
