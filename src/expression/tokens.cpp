// tokens -- a text cut into numbers, names and signs, as R cuts it.
#include "expression/tokens.h"

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

#include "base/nmath_error.h"

namespace openclPort::expression {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A decimal number, rounded to the nearest double, whatever the locale is.
double decimal_value(const std::string& digits) {
  std::istringstream in(digits);
  in.imbue(std::locale::classic());
  double value = 0;
  in >> value;
  return value >= DBL_MAX && in.fail() ? std::numeric_limits<double>::infinity() : value;
}

class Cutter {
 public:
  explicit Cutter(const std::string& text) : text_(text) {}

  std::vector<Token> cut() {
    while (at_ < text_.size()) one();
    add(Token::Kind::end, "", text_.size());
    return std::move(tokens_);
  }

 private:
  char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Token& add(Token::Kind kind, const std::string& text, std::size_t from) {
    Token token;
    token.kind = kind;
    token.text = text;
    token.from = from;
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }

  void one() {
    const char c = here();
    if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
      ++at_;
    } else if (c == '\n') {
      add(Token::Kind::line, "\n", at_++);
    } else if (c == '#') {
      while (at_ < text_.size() && here() != '\n') ++at_;
    } else if (is_digit(c) || (c == '.' && is_digit(here(1)))) {
      number();
    } else if (is_letter(c) || c == '.') {
      const std::size_t from = at_;
      while (is_letter(here()) || is_digit(here()) || here() == '.' || here() == '_') ++at_;
      add(Token::Kind::name, text_.substr(from, at_ - from), from);
    } else if (c == '"' || c == '\'' || c == '`') {
      quoted(c);
    } else {
      sign();
    }
  }

  void number() {
    const std::size_t from = at_;
    double value;
    if (here() == '0' && (here(1) == 'x' || here(1) == 'X')) {
      value = hexadecimal();
    } else {
      while (is_digit(here())) ++at_;
      if (here() == '.') ++at_;
      while (is_digit(here())) ++at_;
      if (here() == 'e' || here() == 'E') exponent(from);
      value = decimal_value(text_.substr(from, at_ - from));
    }
    Token& token = add(Token::Kind::number, "", from);
    token.constant = real_constant(value);
    if (here() == 'i') syntax_error(text_, from, "an expression has no complex numbers");
    if (here() == 'L') {
      ++at_;
      // A fraction, and what no integer can be, stays a double.
      if (value <= INT_MAX && value == std::floor(value))
        token.constant = whole_constant(Type::integer, static_cast<int>(value));
    }
    token.text = text_.substr(from, at_ - from);
  }

  void exponent(std::size_t from) {
    ++at_;
    if (here() == '+' || here() == '-') ++at_;
    if (!is_digit(here())) syntax_error(text_, from, "a number's exponent has no digits");
    while (is_digit(here())) ++at_;
  }

  double hexadecimal() {
    const std::size_t from = at_;
    at_ += 2;
    double value = 0;
    int shift = 0;
    bool any = false;
    for (; hex_value(here()) >= 0; ++at_, any = true) value = value * 16 + hex_value(here());
    if (here() == '.') {
      ++at_;
      for (; hex_value(here()) >= 0; ++at_, any = true, shift -= 4) value = value * 16 + hex_value(here());
    }
    if (!any) syntax_error(text_, from, "a hexadecimal number has no digits");
    if (here() == 'p' || here() == 'P') {
      const std::size_t sign = at_ + 1;
      exponent(from);
      const bool minus = text_[sign] == '-';
      int power = 0;
      for (std::size_t k = is_digit(text_[sign]) ? sign : sign + 1; k < at_; ++k)
        power = std::min(power * 10 + (text_[k] - '0'), 100000);
      shift += minus ? -power : power;
    }
    return std::ldexp(value, shift);
  }

  void quoted(char quote) {
    const std::size_t from = at_++;
    std::string inner;
    for (; here() != quote; ++at_) {
      if (at_ >= text_.size())
        syntax_error(text_, from, quote == '`' ? "a name in backquotes does not end" : "a text does not end");
      if (here() == '\0') syntax_error(text_, at_, "a text has a character that is none");
      if (here() != '\\') {
        inner += here();
        continue;
      }
      ++at_;
      static const std::string escapes = "ntr\\\"'`", meant = "\n\t\r\\\"'`";
      const std::size_t which = here() == '\0' ? std::string::npos : escapes.find(here());
      if (which == std::string::npos) syntax_error(text_, at_ - 1, "a text has an escape that is not supported");
      inner += meant[which];
    }
    ++at_;
    if (quote == '`' && inner.empty()) syntax_error(text_, from, "a name in backquotes is empty");
    add(quote == '`' ? Token::Kind::name : Token::Kind::text, inner, from).quoted = true;
  }

  void sign() {
    const std::size_t from = at_;
    if (here() == '%') {
      const std::size_t end = text_.find_first_of("%\n", from + 1);
      if (end == std::string::npos || text_[end] == '\n') syntax_error(text_, from, "an operator %...% does not end");
      at_ = end + 1;
      add(Token::Kind::sign, text_.substr(from, at_ - from), from);
      return;
    }
    for (const char* const known : {"<<-", "->>", ":::", "<-", "->", "<=", ">=", "==", "!=", "&&",
                                    "||",  "|>",  "::",  ":=", "**", "<",  ">",  "=",  "!",  "&",
                                    "|",   "+",   "-",   "*",  "/",  "^",  ":",  "~",  "?",  "$",
                                    "@",   "(",   ")",   "{",  "}",  "[",  "]",  ",",  ";",  "\\"}) {
      const std::string one = known;
      if (text_.compare(from, one.size(), one) != 0) continue;
      at_ += one.size();
      add(Token::Kind::sign, one == "**" ? "^" : one, from);
      return;
    }
    syntax_error(text_, from, "a character that R's syntax does not have");
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(const std::string& text) { return Cutter(text).cut(); }

void syntax_error(const std::string& text, std::size_t at, const std::string& message) {
  const std::string before = text.substr(0, at);
  const std::size_t line = before.rfind('\n') == std::string::npos ? 0 : before.rfind('\n') + 1;
  // Characters, of which later bytes in UTF-8 are none.
  const auto column = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line), before.end(),
                                        [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  std::string place = "column " + std::to_string(column);
  if (text.find('\n') != std::string::npos)
    place = "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ", " + place;
  throw NmathError("an expression cannot be read at " + place + ": " + message);
}

}  // namespace openclPort::expression
