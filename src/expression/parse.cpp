// parse -- an expression as text, by R's grammar.
#include <algorithm>

#include "expression/syntax.h"
#include "expression/syntax_names.h"
#include "expression/tokens.h"

namespace openclPort::expression {

namespace {

constexpr int kMostLevels = 1000;  // of expressions within each other

using Made = std::shared_ptr<Syntax>;

class Parser {
 public:
  Parser(const std::string& text, bool of_rule) : text_(text), of_rule_(of_rule), tokens_(tokens_of(text)) {}

  SyntaxPtr whole() {
    skip_lines();
    const SyntaxPtr made = expression(Operator::equal_assign);
    finish();
    number(made);
    return made;
  }

  std::shared_ptr<const Function> whole_function() {
    skip_lines();
    if (!is_name("function") && !is_sign("\\")) fail_wanting("`function(`");
    next();
    const auto made = std::make_shared<Function>();
    formals(*made);
    skip_lines();
    made->body = expression(Operator::equal_assign);
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
    if (!is_sign(sign)) fail_wanting_sign(sign);
    ++at_;
  }
  void open(const char* sign) {
    expect(sign);
    open_.push_back(sign[0]);
  }
  // The lines after a bracket count as they do around it.
  void close(const char* sign) {
    expect(sign);
    open_.pop_back();
  }
  // (Texts are made here, and not where they are used: what is read in levels is to have small frames.)
  [[noreturn]] void fail_at(const Token& token, const std::string& message) {
    syntax_error(text_, token.from, message);
  }
  [[noreturn]] void fail(const char* message) { fail_at(peek(), message); }
  [[noreturn]] void fail_too_deep() {
    fail_at(peek(), "expressions are nested more than " + std::to_string(kMostLevels) +
                        " deep: give parts of it names, x <- ...");
  }
  [[noreturn]] void fail_with(const Token& token, const char* message) { fail_at(token, shown(token) + message); }
  [[noreturn]] void fail_wanting(const char* what) {
    fail_at(peek(), what + (" is expected, and not " + shown(peek())));
  }
  [[noreturn]] void fail_wanting_sign(const std::string& sign) { fail_wanting(('`' + sign + '`').c_str()); }

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
    if (called.name.empty()) fail_with(token, " is not supported: an expression has no such function or operator");
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

  Made infix_call(const Token& sign, const SyntaxPtr& left, const SyntaxPtr& right) {
    if (sign.text != "->") return call(sign, {left, right});
    Token arrow = sign;
    arrow.text = "<-";
    return call(arrow, {right, left});
  }
  Made prefix_call(const Token& sign, const SyntaxPtr& right) { return call(sign, {right}); }

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
    if (++level_ > kMostLevels) fail_too_deep();
    SyntaxPtr left = operand();
    for (;;) {
      const Token& sign = peek();
      if (sign.kind != Token::Kind::sign) break;
      for (const char* const other : {":", "~", "?", "|>", "<<-", "->>", ":="})
        if (sign.text == other) fail_with(sign, " is not supported: an expression has no such operator");
      const Operator found = operator_of(sign.text);
      if (found.tightness == Operator::none || found.tightness < loosest) break;
      next();
      skip_lines();
      SyntaxPtr right = expression(found.right ? found.tightness : found.tightness + 1);
      if (found.tightness == Operator::compare && peek().kind == Token::Kind::sign &&
          operator_of(peek().text).tightness == Operator::compare)
        fail("comparisons do not follow each other: write a < b & b < c");
      left = infix_call(sign, left, right);
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
        return prefix_call(token, expression(token.text == "!" ? Operator::negation : Operator::sign));
      }
      if (token.text == "(") return called_no_further(parenthesis());
      if (token.text == "{") return called_no_further(curly());
      fail_wanting("a number, a name or a call");
    }
    if (token.kind == Token::Kind::number) {
      next();
      return called_no_further(constant(token.constant));
    }
    if (token.kind == Token::Kind::text) fail("a text is not a number: an expression has numbers, TRUE, FALSE and NA");
    if (token.kind != Token::Kind::name) fail_wanting("a number, a name or a call");
    if (!token.quoted && is_reserved_word(token.text)) return reserved(token);
    return name_or_call();
  }

  SyntaxPtr parenthesis() {
    const Token& head = peek();
    open("(");
    const SyntaxPtr inner = expression(Operator::equal_assign);
    close(")");
    return prefix_call(head, inner);
  }

  SyntaxPtr curly() {
    const Token& head = peek();
    open("{");
    std::vector<SyntaxPtr> parts;
    for (;;) {
      while (peek().kind == Token::Kind::line || is_sign(";")) next();
      if (is_sign("}")) break;
      parts.push_back(expression(Operator::equal_assign));
      if (peek().kind != Token::Kind::line && !is_sign(";") && !is_sign("}"))
        fail_wanting("`}`, `;` or the end of the line");
    }
    close("}");
    return call(head, std::move(parts));
  }

  SyntaxPtr reserved(const Token& token) {
    if (const Constant* const known = constant_named(token.text)) {
      next();
      return called_no_further(constant(*known));
    }
    if (token.text == "if") return condition();
    if (token.text == "function") fail("functions are made outside of an expression, and called by name");
    if (token.text == "for" || token.text == "while" || token.text == "repeat" || token.text == "break" ||
        token.text == "next")
      fail_with(token, " is not supported: an expression has no loops");
    if (token.text == "in" || token.text == "else") fail_with(token, " is not expected here");
    fail_with(token, " is not a number: an expression has numbers, TRUE, FALSE and NA");
  }

  SyntaxPtr condition() {
    const Token& head = next();
    open("(");
    std::vector<SyntaxPtr> parts;
    parts.reserve(3);
    parts.push_back(expression(Operator::assign));
    close(")");
    skip_lines();
    parts.push_back(expression(Operator::equal_assign));
    const std::size_t after = at_;
    if (!open_.empty()) skip_lines();  // outside of brackets a line ends it
    if (is_name("else")) {
      next();
      skip_lines();
      parts.push_back(expression(Operator::equal_assign));
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
      if (!is_sign("(")) fail_with(*head, " is not called: an expression has no variables of packages");
    }
    if (is_sign("(")) {
      std::vector<SyntaxPtr> args;
      std::vector<std::string> names;
      arguments(head->text, args, names);
      const Made made = call(*head, std::move(args), package);
      made->name = written;
      made->qualified = !package.empty();
      if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); }))
        made->names = std::move(names);
      return called_no_further(made);
    }
    if (is_dots(head->text)) fail_with(*head, " is not supported: name the arguments");
    const Made made = std::make_shared<Syntax>();
    made->kind = Syntax::Kind::symbol;
    made->name = head->text;
    return called_no_further(made);
  }

  void arguments(const std::string& function, std::vector<SyntaxPtr>& args, std::vector<std::string>& names) {
    open("(");
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
          if (is_sign(",") || is_sign(")")) fail_with(first, " is an argument without a value");
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
        args.push_back(expression(Operator::assign));
      }
      names.push_back(name);
      if (is_sign(")")) break;
      expect(",");
      if (is_sign(")")) fail("an argument is empty");
    }
    close(")");
  }

  void formals(Function& made) {
    open("(");
    while (!is_sign(")")) {
      const Token& name = next();
      if (name.kind != Token::Kind::name || (!name.quoted && is_reserved_word(name.text)))
        fail_with(name, " is not the name of an argument");
      if (name.text == "...") fail_with(name, " is not supported: name the arguments");
      if (std::find(made.formals.begin(), made.formals.end(), name.text) != made.formals.end())
        fail_with(name, " is there already");
      made.formals.push_back(name.text);
      made.defaults.push_back(nullptr);
      if (is_sign("=")) {
        next();
        made.defaults.back() = expression(Operator::assign);
      }
      if (is_sign(")")) break;
      expect(",");
      if (is_sign(")")) fail_wanting("an argument's name");
    }
    close(")");
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
      fail_with(peek(), " is not supported: an expression computes with whole vectors");
    return made;
  }

  void finish() {
    while (peek().kind == Token::Kind::line || is_sign(";")) next();
    if (peek().kind == Token::Kind::end) return;
    if (at_ > 0 && (tokens_[at_ - 1].kind == Token::Kind::line || tokens_[at_ - 1].text == ";"))
      fail("a second expression begins: several stand in {}");
    fail_with(peek(), " is not expected here");
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

}  // namespace openclPort::expression
