// words -- the tokens of a C text that is to be translated.
#include "pair/words.h"

#include "base/nmath_error.h"
#include "base/text.h"

namespace openclPort::pair {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The longest sign that begins here.
std::size_t sign_length(std::string_view text) {
  const auto at = [text](std::size_t k) { return k < text.size() ? text[k] : '\0'; };
  const auto is_one_of = [](char c, std::string_view all) { return all.find(c) != std::string_view::npos; };
  const char first = at(0), second = at(1);
  if (first == second && (first == '<' || first == '>')) return at(2) == '=' ? 3 : 2;
  if (first == '.') return second == '.' && at(2) == '.' ? 3 : 1;
  if (first == second && is_one_of(first, "+-&|#=")) return 2;
  if (second == '=' && is_one_of(first, "<>!+-*/%&|^")) return 2;
  return first == '-' && second == '>' ? 2 : 1;
}

}  // namespace

std::string place(const Word& word) {
  return (word.file == nullptr ? std::string("program") : *word.file) + ":" + std::to_string(word.line);
}

void fail(const Word& word, const std::string& message) {
  throw NmathError(place(word) + ": " + message, "translation to pairs of floats");
}

void Words::set_line(int line, const std::string* file) {
  line_ = line;
  if (file != nullptr) file_ = file;
}

void Words::skip_comment() {
  spaced_ = true;
  if (at(1) == '/') {
    while (at_ < text_.size() && at() != '\n') {
      if (at() == '\\' && at(1) == '\n') ++line_, ++at_;
      ++at_;
    }
    return;
  }
  for (at_ += 2; at_ < text_.size() && !(at() == '*' && at(1) == '/'); ++at_) line_ += at() == '\n';
  at_ += 2;
}

void Words::skip_blanks(bool over_lines) {
  for (;;) {
    const char c = at();
    if (c == '\n') {
      if (!over_lines) return;
      ++line_;
      ++at_;
      first_ = true;
    } else if (c == '\\' && at(1) == '\n') {
      ++line_;
      at_ += 2;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      spaced_ = true;
      ++at_;
    } else if (c == '/' && (at(1) == '/' || at(1) == '*')) {
      skip_comment();
    } else {
      return;
    }
  }
}

Word Words::word_here() {
  Word word;
  word.spaced = spaced_ || first_;
  word.first = first_;
  word.line = line_;
  word.file = file_;
  spaced_ = first_ = false;
  if (at_ >= text_.size()) return word;
  const std::size_t begin = at_;
  const char c = at();
  if (is_digit(c) || (c == '.' && is_digit(at(1)))) {
    word.kind = WordKind::number;
    while (is_word(at()) || at() == '.' ||
           ((at() == '+' || at() == '-') && std::string_view("eEpP").find(text_[at_ - 1]) != std::string_view::npos))
      ++at_;
  } else if (is_word(c)) {
    word.kind = WordKind::name;
    while (is_word(at())) ++at_;
  } else if (c == '"' || c == '\'') {
    word.kind = WordKind::text;
    for (++at_; at_ < text_.size() && at() != c && at() != '\n'; ++at_)
      if (at() == '\\') ++at_;
    ++at_;
  } else {
    word.kind = WordKind::sign;
    at_ += sign_length(std::string_view(text_).substr(at_, 3));
  }
  word.text = std::string_view(text_).substr(begin, at_ - begin);
  return word;
}

Word Words::next() {
  skip_blanks(true);
  return word_here();
}

std::vector<Word> Words::rest_of_line() {
  std::vector<Word> found;
  for (;;) {
    skip_blanks(false);
    if (at_ >= text_.size() || at() == '\n') return found;
    found.push_back(word_here());
  }
}

std::string_view Words::rest_as_text() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && at() != '\n') ++at_;
  return std::string_view(text_).substr(begin, at_ - begin);
}

bool Words::skip_to_directive() {
  for (;;) {
    skip_blanks(true);
    if (at_ >= text_.size()) return false;
    if (first_ && at() == '#') {
      ++at_;
      first_ = false;
      return true;
    }
    while (at_ < text_.size() && at() != '\n' && !(at() == '/' && (at(1) == '*' || at(1) == '/'))) ++at_;
    first_ = false;
  }
}

}  // namespace openclPort::pair
