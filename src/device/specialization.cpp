// specialization -- constants that a program text leaves open and a bundle fills in before it is built.
#include "device/specialization.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "base/nmath_error.h"
#include "base/text.h"

namespace openclPort {

namespace {

std::string hexadecimal(std::uint64_t number) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[number & 15]);
  while ((number >>= 4) != 0);
  return digits;
}

// Not by printf: its point depends on the locale. The significand is a whole number, so that none is needed.
std::string double_literal(double value) {
  if (std::isnan(value)) return "NAN";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "INFINITY";
  int exponent = 0;
  std::uint64_t digits = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(value), &exponent), 53));
  exponent = digits == 0 ? 0 : exponent - 53;
  for (; digits != 0 && (digits & 1) == 0; digits >>= 1) ++exponent;
  return sign + "0x" + hexadecimal(digits) + "p" + std::to_string(exponent);
}

// The smallest number has no literal of its own: a minus stands before one that is out of range.
template <typename T>
std::string integer_literal(T value, const char* suffix) {
  if (value == std::numeric_limits<T>::min()) return "(" + std::to_string(value + 1) + suffix + "-1)";
  return std::to_string(value) + suffix;
}

struct Literal {
  std::string operator()(bool value) const { return value ? "1" : "0"; }
  std::string operator()(std::int32_t value) const { return integer_literal(value, ""); }
  std::string operator()(std::int64_t value) const { return integer_literal(value, "L"); }
  std::string operator()(double value) const { return double_literal(value); }
};

}  // namespace

void check_specialization_name(const std::string& name) {
  bool good = !name.empty() && is_letter(name[0]) && name != "defined" && name.compare(0, 2, "__") != 0;
  for (const char c : name) good = good && is_word(c);
  if (!good)
    throw NmathError("'" + name + "' cannot name a specialization constant", "set_specialization_constant", "",
                     "Use letters, digits and _, with no digit and no double underscore in front.");
}

void check_compiler_options(const std::string& options) {
  std::istringstream words(options);
  std::string open;
  for (std::string word; words >> word;) {
    if (!open.empty() && word[0] == '-') break;
    open = word == "-D" || word == "-U" || word == "-I" ? word : std::string();
  }
  if (!open.empty())
    throw NmathError("`options`: " + open + " has no name behind it", "options", "", "write " + open + " NAME");
}

std::string specialization_literal(const SpecializationValue& value) { return std::visit(Literal(), value); }

std::string with_specialization_options(const std::string& options, const SpecializationConstants& constants) {
  std::string all = options;
  for (const auto& constant : constants)
    all += (all.empty() ? "-D" : " -D") + constant.first + "=" + specialization_literal(constant.second);
  return all;
}

bool mentions_identifier(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace openclPort
