// words -- the tokens of a C text that is to be translated: views into it, each with its file and line.
//
// Reentrant. A Words and the tokens that it gives end with the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace openclPort::pair {

enum class WordKind {
  name,
  number,
  text,  // a string or a character, with its quotes
  sign,
  line,  // a directive that goes to the translation as it is
  end
};

struct Word {
  std::string_view text;
  WordKind kind = WordKind::end;
  bool spaced = false;  // white space or a comment stands before it
  bool first = false;   // of its line
  bool fixed = false;   // the name of a macro that is not expanded here
  int line = 0;
  const std::string* file = nullptr;

  bool is(std::string_view sign) const {
    return text.size() == sign.size() && text[0] == sign[0] && text == sign && kind != WordKind::text;
  }
  template <std::size_t N>
  bool is(const char (&sign)[N]) const {  // whose length is known without looking
    return text.size() == N - 1 && text[0] == sign[0] && is(std::string_view(sign, N - 1));
  }
  bool is_name() const { return kind == WordKind::name; }
};

// "file:line"
std::string place(const Word& word);

// Throws an NmathError that begins with the place.
[[noreturn]] void fail(const Word& word, const std::string& message);

class Words {
 public:
  Words(const std::string& text, const std::string* file) : text_(text), file_(file) {}

  Word next();                       // kind end at the end of the text
  std::vector<Word> rest_of_line();  // of a directive, with the lines that it goes on in
  std::string_view rest_as_text();   // the same without looking into it
  bool skip_to_directive();          // to behind the next '#' that begins a line; false where there is none
  void set_line(int line, const std::string* file);  // of the line to come

 private:
  char at(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_blanks(bool over_lines);
  void skip_comment();
  Word word_here();

  const std::string& text_;
  const std::string* file_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool first_ = true, spaced_ = false;
};

}  // namespace openclPort::pair
