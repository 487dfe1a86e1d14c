// syntax_names -- what names are in R's syntax, and what they stand for where they are called.
#pragma once

#include <string>

#include "expression/syntax.h"

namespace openclPort::expression {

bool is_reserved_word(const std::string& name);  // "if", "NA"
bool is_plain_name(const std::string& name);     // that needs no backquotes
bool is_dots(const std::string& name);           // "...", "..1"
bool is_primitive(const std::string& name);      // a function in whose arguments R writes an `if` on one line

struct Operator {
  // How tightly operators bind, the loosest first.
  enum Tightness {
    none,
    equal_assign,
    assign,
    right_assign,
    either,
    both,
    negation,
    compare,
    sum,
    product,
    special,
    sign,
    power
  };
  Tightness tightness = none;
  bool right = false;  // a ^ b ^ c is a ^ (b ^ c)
};
Operator operator_of(const std::string& sign);

const Constant* constant_named(const std::string& word);  // "TRUE", "Inf"; nullptr where it is none

// By the tables, of rules with the functions that only rules call; without a name where there is no such function.
Called called_by(const std::string& name, bool of_rule);

}  // namespace openclPort::expression
