// parse -- an expression as text, by R's grammar.
#include <algorithm>
#include <climits>
#include <limits>
#include <map>

#include "base/nmath_error.h"
#include "expression/syntax.h"
#include "expression/syntax_names.h"
#include "expression/tokens.h"

namespace openclPort {
namespace expression {

namespace {

constexpr int kMostLevels = 2000;  // of expressions within each other

// How tightly operators bind, the loosest first.
enum Tightness {
  kEqualAssign = 1,
  kAssign,
  kRightAssign,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kSum,
  kProduct,
  kSpecial,
  kSign,
  kPower
};

struct Operator {
  int tightness = 0;  // 0: none
  bool right = false;
};

Operator operator_of(const std::string& sign) {
  static const std::map<std::string, Operator> known = {
      {"=", {kEqualAssign, true}}, {"<-", {kAssign, true}},  {"->", {kRightAssign, false}}, {"|", {kOr, false}},
      {"||", {kOr, false}},        {"&", {kAnd, false}},     {"&&", {kAnd, false}},         {"==", {kCompare, false}},
      {"!=", {kCompare, false}},   {"<", {kCompare, false}}, {">", {kCompare, false}},      {"<=", {kCompare, false}},
      {">=", {kCompare, false}},   {"+", {kSum, false}},     {"-", {kSum, false}},          {"*", {kProduct, false}},
      {"/", {kProduct, false}},    {"^", {kPower, true}}};
  if (sign[0] == '%') return {kSpecial, false};
  const auto found = known.find(sign);
  return found == known.end() ? Operator{} : found->second;
}

using Made = std::shared_ptr<Syntax>;

class Parser {
 public:
  Parser(const std::string& text, bool of_rule) : text_(text), of_rule_(of_rule), tokens_(tokens_of(text)) {}

  SyntaxPtr whole() {
    skip_lines();
    const SyntaxPtr made = expression(kEqualAssign);
    finish();
    number(made);
    return made;
  }

  std::shared_ptr<const Function> whole_function() {
    skip_lines();
    if (!is_name("function") && !is_sign("\\")) fail("`function(` is expected, and not " + shown(peek()));
    next();
    const auto made = std::make_shared<Function>();
    formals(*made);
    skip_lines();
    made->body = expression(kEqualAssign);
    finish();
    for (const SyntaxPtr& one : made->defaults)
      if (one != nullptr) number(one);
    number(made->body);
    return made;
  }

 private:
  // ---- tokens ----

  // Within parentheses the end of a line is a space.
  const Token& peek() {
    if (!open_.empty() && open_.back() == '(') skip_lines();
    return tokens_[at_];
  }
  const Token& next() {
    const Token& token = peek();
    if (token.kind != Token::Kind::end) ++at_;
    return token;
  }
  void skip_lines() {
    while (tokens_[at_].kind == Token::Kind::line) ++at_;
  }
  bool is_sign(const char* sign) {
    const Token& token = peek();
    return token.kind == Token::Kind::sign && token.text == sign;
  }
  bool is_name(const char* name) {
    const Token& token = peek();
    return token.kind == Token::Kind::name && !token.quoted && token.text == name;
  }
  void expect(const char* sign) {
    if (!is_sign(sign)) fail(std::string("`") + sign + "` is expected, and not " + shown(peek()));
    next();
  }
  [[noreturn]] void fail(const std::string& message) { fail_at(peek(), message); }
  [[noreturn]] void fail_at(const Token& token, const std::string& message) {
    syntax_error(text_, token.from, message);
  }

  static std::string shown(const Token& token) {
    if (token.kind == Token::Kind::end) return "its end";
    if (token.kind == Token::Kind::line) return "the end of the line";
    if (token.kind == Token::Kind::text) return "a text";
    return '`' + token.text + '`';
  }

  // ---- what a name that is called stands for ----

  Called resolved(const Token& token, const std::string& package) {
    const std::string& name = token.text;
    if (!package.empty() && package != "stats" && package != "base" && package != "nmathopencl")
      fail_at(token,
              "`" + package + "::" + name + "()` is a function of another package, which an expression cannot call");
    Called called = called_by(name, of_rule_);
    if (called.name.empty())
      fail_at(token, "`" + name + "` is not supported: an expression has no such function or operator");
    return called;
  }

  Made call(const Token& head, std::vector<SyntaxPtr> args, const std::string& package = "") {
    const Made made = std::make_shared<Syntax>();
    made->kind = Syntax::Kind::call;
    made->called = resolved(head, package);
    made->name = head.text;
    made->args = std::move(args);
    return made;
  }

  // In the order in which they begin.
  void number(const SyntaxPtr& root) {
    if (of_rule_) return;
    std::vector<const Syntax*> left = {root.get()};
    while (!left.empty()) {
      const Syntax* const part = left.back();
      left.pop_back();
      if (part->kind != Syntax::Kind::call) continue;
      const_cast<Syntax*>(part)->number = ++calls_;  // made here, and nobody else's yet
      for (std::size_t k = part->args.size(); k > 0; --k) left.push_back(part->args[k - 1].get());
    }
  }

  // ---- the grammar ----

  SyntaxPtr expression(int loosest) {
    if (++level_ > kMostLevels)
      fail("expressions are nested more than " + std::to_string(kMostLevels) +
           " deep: give parts of it names, x <- ...");
    SyntaxPtr left = operand();
    for (;;) {
      const Token& sign = peek();
      if (sign.kind != Token::Kind::sign) break;
      for (const char* const other : {":", "~", "?", "|>", "<<-", "->>", ":="})
        if (sign.text == other) fail("`" + sign.text + "` is not supported: an expression has no such operator");
      const Operator found = operator_of(sign.text);
      if (found.tightness == 0 || found.tightness < loosest) break;
      next();
      skip_lines();
      SyntaxPtr right = expression(found.right ? found.tightness : found.tightness + 1);
      if (found.tightness == kCompare && peek().kind == Token::Kind::sign &&
          operator_of(peek().text).tightness == kCompare)
        fail("comparisons do not follow each other: write a < b & b < c");
      if (sign.text == "->") {
        Token arrow = sign;
        arrow.text = "<-";
        left = call(arrow, {right, left});
      } else {
        left = call(sign, {left, right});
      }
    }
    --level_;
    return left;
  }

  // A number, a name, a call, something in brackets or behind a sign.
  SyntaxPtr operand() {
    const Token& token = peek();
    if (token.kind == Token::Kind::sign) {
      if (token.text == "-" || token.text == "+" || token.text == "!") {
        next();
        skip_lines();
        return call(token, {expression(token.text == "!" ? kNot : kSign)});
      }
      if (token.text == "(") return called_no_further(parenthesis());
      if (token.text == "{") return called_no_further(curly());
      fail("a number, a name or a call is expected, and not " + shown(token));
    }
    if (token.kind == Token::Kind::number) {
      next();
      return called_no_further(constant(token.constant));
    }
    if (token.kind == Token::Kind::text) fail("a text is no number: an expression has numbers, TRUE, FALSE and NA");
    if (token.kind != Token::Kind::name) fail("the expression is not complete: " + shown(token) + " comes too early");
    if (!token.quoted && is_reserved_word(token.text)) return reserved(token);
    return name_or_call();
  }

  SyntaxPtr parenthesis() {
    const Token& head = next();
    open_.push_back('(');
    const SyntaxPtr inner = expression(kEqualAssign);
    expect_close(")");
    return call(head, {inner});
  }

  // The bracket is read as what it closes, so that lines after it are not skipped.
  void expect_close(const char* sign) {
    if (!is_sign(sign)) fail(std::string("`") + sign + "` is expected, and not " + shown(peek()));
    ++at_;
    open_.pop_back();
  }

  SyntaxPtr curly() {
    const Token& head = next();
    open_.push_back('{');
    std::vector<SyntaxPtr> parts;
    for (;;) {
      while (peek().kind == Token::Kind::line || is_sign(";")) next();
      if (is_sign("}")) break;
      parts.push_back(expression(kEqualAssign));
      if (peek().kind != Token::Kind::line && !is_sign(";") && !is_sign("}"))
        fail("`}`, `;` or the end of the line is expected, and not " + shown(peek()));
    }
    expect_close("}");
    return call(head, std::move(parts));
  }

  SyntaxPtr reserved(const Token& token) {
    static const std::map<std::string, Constant> constants = {
        {"TRUE", whole_constant(Type::logical, 1)},
        {"FALSE", whole_constant(Type::logical, 0)},
        {"NA", whole_constant(Type::logical, INT_MIN)},
        {"NA_integer_", whole_constant(Type::integer, INT_MIN)},
        {"NA_real_", real_constant(na_real())},
        {"Inf", real_constant(std::numeric_limits<double>::infinity())},
        {"NaN", real_constant(std::numeric_limits<double>::quiet_NaN())}};
    const auto known = constants.find(token.text);
    if (known != constants.end()) {
      next();
      return called_no_further(constant(known->second));
    }
    if (token.text == "if") return condition();
    if (token.text == "function") fail("functions are made outside of an expression, and called by name");
    if (token.text == "for" || token.text == "while" || token.text == "repeat" || token.text == "break" ||
        token.text == "next")
      fail("`" + token.text + "` is not supported: an expression has no loops");
    fail(shown(token) + " is not expected here");
  }

  SyntaxPtr condition() {
    const Token& head = next();
    if (!is_sign("(")) fail("`(` is expected after `if`, and not " + shown(peek()));
    next();
    open_.push_back('(');
    std::vector<SyntaxPtr> parts = {expression(kAssign)};
    expect_close(")");
    skip_lines();
    parts.push_back(expression(kEqualAssign));
    const std::size_t after = at_;
    if (!open_.empty()) skip_lines();  // outside of brackets a line ends it
    if (is_name("else")) {
      next();
      skip_lines();
      parts.push_back(expression(kEqualAssign));
    } else {
      at_ = after;
    }
    return call(head, std::move(parts));
  }

  SyntaxPtr name_or_call() {
    const Token* head = &next();
    std::string package, written = head->text;
    if (is_sign("::") || is_sign(":::")) {
      package = head->text;
      written += next().text;
      head = &peek();
      if (head->kind != Token::Kind::name) fail("a function's name is expected after `::`");
      next();
      written += head->text;
      if (!is_sign("(")) fail("`" + written + "` is not called: an expression has no variables of packages");
    }
    if (is_sign("(")) {
      std::vector<SyntaxPtr> args;
      std::vector<std::string> names;
      arguments(head->text, args, names);
      const Made made = call(*head, std::move(args), package);
      made->name = written;
      if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); }))
        made->names = std::move(names);
      return called_no_further(made);
    }
    if (head->text == "..." || (head->text.size() > 2 && head->text.compare(0, 2, "..") == 0 && !head->quoted &&
                                head->text.find_first_not_of("0123456789", 2) == std::string::npos))
      fail_at(*head, "`" + head->text + "` is not supported: name the arguments");
    const Made made = std::make_shared<Syntax>();
    made->kind = Syntax::Kind::symbol;
    made->name = head->text;
    return called_no_further(made);
  }

  void arguments(const std::string& function, std::vector<SyntaxPtr>& args, std::vector<std::string>& names) {
    next();
    open_.push_back('(');
    while (!is_sign(")")) {
      if (is_sign(",")) fail("an argument is empty");
      const Token& first = peek();
      std::string name;
      if (first.kind == Token::Kind::name || first.kind == Token::Kind::text) {
        const std::size_t before = at_;
        next();
        if (is_sign("=") && (first.quoted || !is_reserved_word(first.text))) {
          next();
          name = first.text;
          if (is_sign(",") || is_sign(")")) fail("the argument `" + name + "` is empty");
        } else {
          at_ = before;
        }
      }
      if (peek().kind == Token::Kind::text && function == ".c_text" && args.empty()) {
        const Made made = std::make_shared<Syntax>();
        made->kind = Syntax::Kind::text;
        made->name = next().text;
        args.push_back(made);
      } else {
        args.push_back(expression(kAssign));
      }
      names.push_back(name);
      if (is_sign(")")) break;
      expect(",");
      if (is_sign(")")) fail("an argument is empty");
    }
    expect_close(")");
  }

  void formals(Function& made) {
    if (!is_sign("(")) fail("`(` is expected, and not " + shown(peek()));
    next();
    open_.push_back('(');
    while (!is_sign(")")) {
      const Token& name = next();
      if (name.kind != Token::Kind::name || (!name.quoted && is_reserved_word(name.text)))
        fail_at(name, "an argument's name is expected, and not " + shown(name));
      if (name.text == "...") fail_at(name, "`...` is not supported: name the arguments");
      if (std::find(made.formals.begin(), made.formals.end(), name.text) != made.formals.end())
        fail_at(name, "the argument `" + name.text + "` is there already");
      made.formals.push_back(name.text);
      made.defaults.push_back(nullptr);
      if (is_sign("=")) {
        next();
        made.defaults.back() = expression(kAssign);
      }
      if (is_sign(")")) break;
      expect(",");
      if (is_sign(")")) fail("an argument's name is expected, and not `)`");
    }
    expect_close(")");
  }

  static SyntaxPtr constant(const Constant& value) {
    const Made made = std::make_shared<Syntax>();
    made->constant = value;
    return made;
  }

  // A function is called by its name, and nothing is indexed.
  SyntaxPtr called_no_further(const SyntaxPtr& made) {
    if (is_sign("("))
      fail("a function is called by its name. Give it one, name <- opencl_function(function(x) ...), and call name(x)");
    if (is_sign("[") || is_sign("$") || is_sign("@"))
      fail(shown(peek()) + " is not supported: an expression computes with whole vectors");
    return made;
  }

  void finish() {
    while (peek().kind == Token::Kind::line || is_sign(";")) next();
    if (peek().kind == Token::Kind::end) return;
    if (at_ > 0 && (tokens_[at_ - 1].kind == Token::Kind::line || tokens_[at_ - 1].text == ";"))
      fail("a second expression begins: several stand in {}");
    fail(shown(peek()) + " is not expected here");
  }

  const std::string& text_;
  const bool of_rule_;
  const std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<char> open_;  // brackets around
  int level_ = 0, calls_ = 0;
};

}  // namespace

SyntaxPtr parse(const std::string& text) { return Parser(text, false).whole(); }

SyntaxPtr parse_rule(const std::string& text) { return Parser(text, true).whole(); }

std::shared_ptr<const Function> parse_function(const std::string& text) { return Parser(text, false).whole_function(); }

}  // namespace expression
}  // namespace openclPort
