// literals -- numbers, as a text has them and as its translation does.
#include <cerrno>
#include <cfloat>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "pair/translator.h"

namespace openclPort::pair {

namespace {

// Whether a pair of floats is not next to it: 0 or infinite, or without its last bits.
bool is_out_of_range(double value) {
  return value != 0 && std::isfinite(value) && (std::isinf(nearest_float(value)) || std::fabs(value) < FLT_MIN);
}

// The number that a text begins with, whatever the locale's decimal point is, and how much of the text it is.
double real_value(const std::string& text, std::size_t* length) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  *length = static_cast<std::size_t>(end - text.c_str());
  if (*length >= text.size() || text[*length] != '.') return value;
  const char* const point = std::localeconv()->decimal_point;
  std::string local = text;
  local.replace(*length, 1, point);
  value = std::strtod(local.c_str(), &end);
  *length = static_cast<std::size_t>(end - local.c_str()) - std::strlen(point) + 1;
  return value;
}

// 1.5 2^k, which is added to a double to round it.
bool rounds_by_addition(double value) {
  int exponent = 0;
  return std::fabs(std::frexp(value, &exponent)) == 0.75 && exponent >= 41 && exponent <= 64;
}

}  // namespace

// The nearest float; what lies beyond the floats is infinite.
float nearest_float(double value) {
  // The first double that rounds to 2^128
  const double beyond = std::ldexp(33554431.0, 103);
  if (std::fabs(value) >= beyond)
    return static_cast<float>(std::copysign(std::numeric_limits<double>::infinity(), value));
  return static_cast<float>(value);
}

float low_part(double value) {
  const float high = nearest_float(value);
  return std::isfinite(high) ? static_cast<float>(value - high) : 0.0F;
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::fabs(std::frexp(value, &exponent)) == 0.5 && std::fabs(value) > 1e-30 && std::fabs(value) < 1e30;
}

std::string float_literal(float value) {
  // NVIDIA's INFINITY and NAN are calls, which no table may have.
  if (std::isnan(value)) return "(0.0f / 0.0f)";
  if (std::isinf(value)) return value < 0 ? "(-1.0f / 0.0f)" : "(1.0f / 0.0f)";
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  std::string literal;
  bool real = false;
  for (const char* c = text; *c != '\0'; ++c) {  // a locale's point may be another one, of more than one byte
    if ((*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e')
      literal += *c;
    else if (!real)
      literal += '.';
    real = real || *c == 'e' || (literal.back() == '.');
  }
  return literal + (real ? "f" : ".0f");
}

void check_range(const Node* node) {
  if (!is_out_of_range(node->value)) return;
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", node->value);
  fail(node->word, std::string("the number ") + text + " is beyond the range of pairs of floats");
}

std::string pair_parts(double value) {
  return float_literal(nearest_float(value)) + ", " + float_literal(low_part(value));
}
std::string pair_literal(double value) {
  return is_power_of_two(value) || low_part(value) == 0.0F
             ? "pair_of_float(" + float_literal(nearest_float(value)) + ")"
             : "pair_of(" + pair_parts(value) + ")";
}

Node* Translator::literal(const Word& word) {
  const std::string text(word.text);
  const bool hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
  const bool real = text.find_first_of(hex ? ".pP" : ".eE") != std::string::npos;
  Node* made = node(NodeKind::literal, word, nullptr);
  made->written = text;
  made->constant = true;
  char* end = nullptr;
  if (real) {
    std::size_t length = 0;
    made->value = real_value(text, &length);
    const std::string suffix = text.substr(length);
    if (suffix == "f" || suffix == "F") {
      made->type = types_.single();
      made->value = static_cast<double>(static_cast<float>(made->value));
    } else if (suffix.empty()) {
      if (rounds_by_addition(made->value))
        fail(word, "adding " + text + " rounds doubles, but not pairs of floats: rint() rounds both");
      made->kind = NodeKind::number;
      made->type = types_.number();
    } else {
      fail(word, "the number " + text + " cannot be translated");
    }
    return made;
  }
  errno = 0;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 0);
  const std::string suffix(end);
  if (errno != 0 || suffix.find_first_not_of("uUlL") != std::string::npos)
    fail(word, "the number " + text + " cannot be translated");
  const bool decimal = text[0] != '0', is_unsigned = suffix.find_first_of("uU") != std::string::npos;
  const bool is_long = suffix.find_first_of("lL") != std::string::npos;
  const auto fits = [&](unsigned long long most) { return value <= most; };
  if (!is_long && !is_unsigned && fits(0x7fffffffULL))
    made->type = types_.integer(4, true);
  else if (!is_long && (is_unsigned || !decimal) && fits(0xffffffffULL))
    made->type = types_.integer(4, false);
  else
    made->type = types_.integer(8, !is_unsigned && fits(0x7fffffffffffffffULL));
  made->value = static_cast<double>(value);
  return made;
}

}  // namespace openclPort::pair
