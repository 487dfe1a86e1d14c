// c_outline -- what a C text defines, declares and uses, from its words; no compiler.
//
// Both sides of a condition count, macros are not expanded. Text in, plain data out; reentrant.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "loader/c_tokens.h"

namespace openclPort {

struct CDefinition {
  enum class Kind { function, macro, call_macro, object, type };  // call_macro: one with parameters
  std::string name;
  Kind kind;
  std::size_t line;
  bool if_undefined;  // a macro behind an #ifndef of its own name
  std::string body;   // of a macro: its words, with a blank between each two
};

// A name as it is used: the lines of its first mention and of its first call, 0 where there is none.
struct CUse {
  std::size_t line = 0, call = 0;
};

struct COutline {
  std::vector<CDefinition> definitions;          // in the order of the text
  std::map<std::string, std::size_t> undefined;  // macros that an #undef ends, and its last line
  std::set<std::string> declared;                // functions that the text has prototypes of
  std::set<std::string> local;                   // parameters and variables of its functions
  std::set<std::string> expanded;                // words in arguments of macros that stand outside of functions
  // Of what is defined here too; what stands in a macro counts where the macro is used, with the line of the macro.
  std::map<std::string, CUse> uses;
  std::map<std::string, std::set<std::string>> calls;  // what a function or macro defined here calls

  const CDefinition* find(const std::string& name) const;  // the first one; nullptr where there is none
};

COutline c_outline(const std::vector<CToken>& tokens);
inline COutline c_outline(const std::string& text) { return c_outline(c_tokens(text)); }

bool is_c_keyword(const std::string& word);  // of C99 and OpenCL C, the names of scalar types among them

}  // namespace openclPort
