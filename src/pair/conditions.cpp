// conditions -- what an #if asks: whole numbers.
#include <cstdlib>

#include "pair/preprocess.h"

namespace openclPort::pair {

namespace {

class Condition {
 public:
  Condition(const std::vector<Word>& words, const Word& directive) : words_(words), directive_(directive) {}

  bool holds() {
    const long long value = choice();
    if (at_ != words_.size()) fail(directive_, "the condition cannot be read: " + std::string(words_[at_].text));
    return value != 0;
  }

 private:
  bool take(const char* sign) {
    if (at_ >= words_.size() || !words_[at_].is(sign)) return false;
    ++at_;
    return true;
  }

  long long choice() {
    const long long which = level(0);
    if (!take("?")) return which;
    const long long yes = choice();
    if (!take(":")) fail(directive_, "the condition lacks a ':'");
    const long long no = choice();
    return which != 0 ? yes : no;
  }

  // Binary operators, those that bind least first.
  long long level(std::size_t depth) {
    static const std::vector<std::vector<const char*>> kLevels = {
        {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    if (depth == kLevels.size()) return unary();
    long long value = level(depth + 1);
    for (;;) {
      const char* found = nullptr;
      for (const char* sign : kLevels[depth])
        if (found == nullptr && take(sign)) found = sign;
      if (found == nullptr) return value;
      value = result(found, value, level(depth + 1));
    }
  }

  long long result(const std::string& sign, long long a, long long b) const {
    if ((sign == "/" || sign == "%") && b == 0) fail(directive_, "the condition divides by 0");
    switch (sign[0]) {
      case '|':
        return sign == "||" ? (a != 0 || b != 0) : (a | b);
      case '&':
        return sign == "&&" ? (a != 0 && b != 0) : (a & b);
      case '^':
        return a ^ b;
      case '=':
        return a == b;
      case '!':
        return a != b;
      case '<':
        return sign == "<" ? a < b : sign == "<=" ? a <= b : a << b;
      case '>':
        return sign == ">" ? a > b : sign == ">=" ? a >= b : a >> b;
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        return a / b;
      default:
        return a % b;
    }
  }

  long long unary() {
    if (at_ > 10000) fail(directive_, "the condition has more than 10000 words");
    if (take("!")) return unary() == 0;
    if (take("-")) return -unary();
    if (take("+")) return unary();
    if (take("~")) return ~unary();
    if (take("(")) {
      if (++depth_ > 100) fail(directive_, "the condition has more than 100 parentheses in one another");
      const long long value = choice();
      --depth_;
      if (!take(")")) fail(directive_, "the condition lacks a ')'");
      return value;
    }
    if (at_ >= words_.size()) fail(directive_, "the condition ends early");
    const Word& word = words_[at_++];
    if (word.kind == WordKind::number)
      return static_cast<long long>(std::strtoull(std::string(word.text).c_str(), nullptr, 0));
    if (word.is_name()) {
      if (take("(")) fail(directive_, "the condition calls " + std::string(word.text) + "(), which is no macro");
      return 0;
    }
    fail(directive_, "the condition cannot be read: " + std::string(word.text));
  }

  const std::vector<Word>& words_;
  const Word& directive_;
  std::size_t at_ = 0;
  int depth_ = 0;  // parentheses that are open
};

}  // namespace

bool condition_holds(const std::vector<Word>& words, const Word& directive) {
  return Condition(words, directive).holds();
}

}  // namespace openclPort::pair
