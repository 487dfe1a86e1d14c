// c_tokens -- the words of a C text: identifiers, numbers and single signs, without comments and strings.
#include "loader/c_tokens.h"

#include <cctype>

#include "base/text.h"

namespace openclPort {

namespace {

class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) {}

  std::vector<CToken> tokens() {
    while (at_ < text_.size()) step();
    return std::move(found_);
  }

  std::size_t open_comment() const { return open_comment_; }

 private:
  char next(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void step() {
    const char c = next();
    if (c == '\n') {
      ++line_;
      directive_ = 0;
      ++at_;
    } else if (c == '\\' && next(1) == '\n') {  // the line goes on
      ++line_;
      at_ += 2;
    } else if (c == '/' && next(1) == '/') {
      skip_line();
    } else if (c == '/' && next(1) == '*') {
      skip_comment();
    } else if (c == '"' || c == '\'') {
      skip_string(c);
    } else if (is_word(c)) {
      const std::size_t begin = at_;
      add(word(), begin);
    } else if (c == '#') {
      const std::size_t begin = at_++;
      directive_ = line_;
      while (next() == ' ' || next() == '\t') ++at_;
      add("#" + word(), begin);
    } else {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) add(std::string(1, c), at_);
      ++at_;
    }
  }

  void add(const std::string& text, std::size_t begin) {
    found_.push_back({text, directive_ > 0 ? directive_ : line_, begin});
  }

  std::string word() {
    const std::size_t begin = at_;
    while (is_word(next())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // A line comment goes on behind a backslash, as every line does.
  void skip_line() {
    for (; at_ < text_.size() && next() != '\n'; ++at_)
      if (next() == '\\' && next(1) == '\n') ++line_, ++at_;
  }

  void skip_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string::npos) open_comment_ = line_;
    const std::size_t stop = end == std::string::npos ? text_.size() : end + 2;
    for (; at_ < stop; ++at_) line_ += next() == '\n';
  }

  void skip_string(char quote) {
    for (++at_; at_ < text_.size() && next() != quote && next() != '\n'; ++at_)
      if (next() == '\\' && next(1) != '\n') ++at_;
    if (next() == quote) ++at_;
  }

  const std::string& text_;
  std::size_t at_ = 0, line_ = 1, directive_ = 0, open_comment_ = 0;
  std::vector<CToken> found_;
};

bool starts_name(const std::string& text) { return !text.empty() && is_letter(text[0]); }

// The sign behind the parenthesis that closes the one at `open`.
std::string after_parenthesis(const std::vector<CToken>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < tokens.size(); ++k) {
    depth += tokens[k].text == "(" ? 1 : tokens[k].text == ")" ? -1 : 0;
    if (depth == 0) return k + 1 < tokens.size() ? tokens[k + 1].text : std::string();
  }
  return std::string();
}

}  // namespace

std::vector<CToken> c_tokens(const std::string& text) { return Scanner(text).tokens(); }

std::size_t unclosed_comment(const std::string& text) {
  if (text.find("/*") == std::string::npos) return 0;
  Scanner scanner(text);
  scanner.tokens();
  return scanner.open_comment();
}

std::set<std::string> called_names(const std::string& text) {
  const std::vector<CToken> tokens = c_tokens(text);
  std::set<std::string> called, own;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string& name = tokens[i].text;
    if (name == "#define" || name == "#undef") own.insert(tokens[i + 1].text);
    if (!starts_name(name) || tokens[i + 1].text != "(") continue;
    // A definition: at the beginning of the text's own functions a body follows the list of parameters.
    (after_parenthesis(tokens, i + 1) == "{" && i > 0 &&
             (starts_name(tokens[i - 1].text) || tokens[i - 1].text == "*" || tokens[i - 1].text == ")")
         ? own
         : called)
        .insert(name);
  }
  static const char* const kWords[] = {"if", "for", "while", "switch", "return", "sizeof", "do", "else", "defined"};
  for (const char* word : kWords) own.insert(word);
  for (const std::string& name : own) called.erase(name);
  return called;
}

}  // namespace openclPort
