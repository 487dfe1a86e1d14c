// syntax_names -- names as R's syntax has them.
#include "expression/syntax_names.h"

#include <climits>
#include <limits>
#include <map>

#include "expression/tables.h"

namespace openclPort::expression {

Called called_by(const std::string& name, bool of_rule) {
  static const std::string tail = "_opencl";
  Called called;
  const FunctionRow* row = of_rule ? rule_function_row(name) : nullptr;
  if (row == nullptr && language_row(name) != nullptr) {
    called.name = name;
    return called;
  }
  if (row == nullptr) row = function_of_r(name);
  if (row == nullptr && name.size() > tail.size() && name.compare(name.size() - tail.size(), tail.size(), tail) == 0)
    row = function_of_r(name.substr(0, name.size() - tail.size()));
  if (row == nullptr) return called;
  called.kind = Called::Kind::library;
  called.name = row->name;
  return called;
}

bool is_plain_name(const std::string& name) {
  if (name == "...") return true;
  if (name.empty() || is_reserved_word(name)) return false;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!letter(name[0]) && name[0] != '.') return false;
  if (name[0] == '.' && name.size() > 1 && digit(name[1])) return false;
  for (const char c : name)
    if (!letter(c) && !digit(c) && c != '.' && c != '_') return false;
  return true;
}

bool is_reserved_word(const std::string& name) {
  for (const char* const one :
       {"NULL", "NA", "TRUE", "FALSE", "Inf", "NaN", "NA_integer_", "NA_real_", "NA_character_", "NA_complex_",
        "function", "while", "repeat", "for", "if", "in", "else", "next", "break"})
    if (name == one) return true;
  return false;
}

bool is_dots(const std::string& name) {
  if (name.compare(0, 2, "..") != 0) return false;
  return name == "..." || (name.size() > 2 && name.find_first_not_of("0123456789", 2) == std::string::npos);
}

bool is_primitive(const std::string& name) {
  for (const char* const one :
       {"return",     "abs",        "log",        "is.na", "is.nan", "is.finite", "is.infinite", "as.double",
        "as.numeric", "as.integer", "as.logical", "sign",  "trunc",  "round",     "signif",      "length",
        "sqrt",       "exp",        "log2",       "log10", "sin",    "cos",       "tan",         "asin",
        "acos",       "atan",       "sinh",       "cosh",  "tanh",   "asinh",     "acosh",       "atanh",
        "floor",      "ceiling",    "cospi",      "sinpi", "tanpi",  "log1p",     "expm1",       "digamma",
        "trigamma",   "gamma",      "lgamma"})
    if (name == one) return true;
  return false;
}

Operator operator_of(const std::string& sign) {
  static const std::map<std::string, Operator> known = {
      {"=", {Operator::equal_assign, true}},   {"<-", {Operator::assign, true}},
      {"->", {Operator::right_assign, false}}, {"|", {Operator::either, false}},
      {"||", {Operator::either, false}},       {"&", {Operator::both, false}},
      {"&&", {Operator::both, false}},         {"==", {Operator::compare, false}},
      {"!=", {Operator::compare, false}},      {"<", {Operator::compare, false}},
      {">", {Operator::compare, false}},       {"<=", {Operator::compare, false}},
      {">=", {Operator::compare, false}},      {"+", {Operator::sum, false}},
      {"-", {Operator::sum, false}},           {"*", {Operator::product, false}},
      {"/", {Operator::product, false}},       {"^", {Operator::power, true}}};
  if (sign[0] == '%') return {Operator::special, false};
  const auto found = known.find(sign);
  return found == known.end() ? Operator{} : found->second;
}

const Constant* constant_named(const std::string& word) {
  static const std::map<std::string, Constant> known = {
      {"TRUE", whole_constant(Type::logical, 1)},
      {"FALSE", whole_constant(Type::logical, 0)},
      {"NA", whole_constant(Type::logical, INT_MIN)},
      {"NA_integer_", whole_constant(Type::integer, INT_MIN)},
      {"NA_real_", real_constant(na_real())},
      {"Inf", real_constant(std::numeric_limits<double>::infinity())},
      {"NaN", real_constant(std::numeric_limits<double>::quiet_NaN())}};
  const auto found = known.find(word);
  return found == known.end() ? nullptr : &found->second;
}

}  // namespace openclPort::expression
