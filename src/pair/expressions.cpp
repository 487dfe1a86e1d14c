// expressions -- C expressions, with their types and the values of constants.
#include <cmath>

#include "pair/builtins.h"
#include "pair/translator.h"

namespace openclPort::pair {

namespace {

constexpr int kLinks =
    2000;  // operators of one kind behind one another: each takes a piece of the stack when it is written

// How closely a binary operator binds, from 1 (||) to 10 (*); 0 for all else.
int level_of(const Word& word) {
  if (word.kind != WordKind::sign || word.text.size() > 2) return 0;
  const char first = word.text[0], second = word.text.size() == 2 ? word.text[1] : '\0';
  switch (first) {
    case '|':
      return second == '|' ? 1 : second == '\0' ? 3 : 0;
    case '&':
      return second == '&' ? 2 : second == '\0' ? 5 : 0;
    case '^':
      return second == '\0' ? 4 : 0;
    case '=':
    case '!':
      return second == '=' ? 6 : 0;
    case '<':
    case '>':
      return second == first ? 8 : second == '=' || second == '\0' ? 7 : 0;
    case '+':
    case '-':
      return second == '\0' ? 9 : 0;
    case '*':
    case '/':
    case '%':
      return second == '\0' ? 10 : 0;
    default:
      return 0;
  }
}

// The operator of a compound assignment; "" for '=' and all else that is none.
std::string_view compound_operator(const Word& word) {
  static const char* const kSigns[] = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  if (word.kind != WordKind::sign || word.text.size() < 2 || word.text.back() != '=') return std::string_view();
  for (const char* sign : kSigns)
    if (word.text == sign) return word.text.substr(0, word.text.size() - 1);
  return std::string_view();
}

bool is_comparison(std::string_view op) {
  return op == "<" || op == ">" || op == "<=" || op == ">=" || op == "==" || op == "!=";
}

}  // namespace

Node* Translator::node(NodeKind kind, const Word& word, const Type* type) {
  nodes_.emplace_back();
  Node* made = &nodes_.back();
  made->kind = kind;
  made->word = word;
  made->type = type;
  return made;
}

Node* Translator::expression() {
  Node* value = assignment();
  for (int links = 0; here().is(","); ++links) {
    const Word word = take();
    if (links > kLinks) fail(word, "too many parts of one expression");
    Node* both = node(NodeKind::comma, word, nullptr);
    both->a = value;
    both->b = assignment();
    both->type = both->b->type;
    value = both;
  }
  return value;
}

Node* Translator::assignment() {
  const Nested nested(*this);
  Node* target = choice();
  const std::string_view op = compound_operator(here());
  if (op.empty() && !here().is("=")) return target;
  Node* made = node(NodeKind::assign, take(), target->type);
  made->op = op;
  made->a = target;
  made->b = as_float(assignment(), target);
  return made;
}

Node* Translator::choice() {
  const Nested nested(*this);
  Node* which = binary(1);
  if (!here().is("?")) return which;
  Node* made = node(NodeKind::choice, take(), nullptr);
  made->a = which;
  made->b = expression();
  expect(":");
  made->c = as_float(assignment(), made->b);
  made->b = as_float(made->b, made->c);
  made->type = is_arithmetic(made->b->type) && is_arithmetic(made->c->type)
                   ? types_.common(made->b->type, made->c->type)
                   : Types::decayed(made->b->type, types_);
  if (made->type->kind == TypeKind::pointer && made->type->of->kind == TypeKind::none &&
      made->c->type->kind == TypeKind::pointer)
    made->type = made->c->type;
  return made;
}

// Operators that bind at least as closely as `least`.
Node* Translator::binary(int least) {
  Node* value = unary();
  int links = 0;
  for (int level = level_of(here()); level >= least; level = level_of(here())) {
    if (++links > kLinks) fail(here(), "too many parts of one expression");
    Node* made = node(NodeKind::binary, take(), nullptr);
    made->a = value;
    made->b = as_float(binary(level + 1), value);
    made->a = as_float(value, made->b);
    made->type = type_of_binary(made);
    fold_binary(made);
    value = made;
  }
  return value;
}

// In single precision a number that is known is a float next to one.
Node* Translator::as_float(Node* value, const Node* next_to) {
  if (!dialect_.single || !value->constant || !is_number(value->type) || next_to->type->kind != TypeKind::single)
    return value;
  Node* made = node(NodeKind::literal, value->word, types_.single());
  const float nearest = nearest_float(value->value);
  made->constant = true;
  made->value = static_cast<double>(nearest);
  made->written = std::signbit(nearest) ? "(" + float_literal(nearest) + ")" : float_literal(nearest);
  return made;
}

const Type* Translator::type_of_binary(const Node* made) {
  const std::string_view op = made->word.text;
  const Type *a = Types::decayed(made->a->type, types_), *b = Types::decayed(made->b->type, types_);
  if (is_comparison(op) || op == "&&" || op == "||") return types_.integer(4, true);
  if (is_number(a) || is_number(b)) {
    if (!is_arithmetic(a) || !is_arithmetic(b))
      fail(made->word,
           "'" + std::string(op) + "' of " + type_name(a) + " and " + type_name(b) + " cannot be translated");
    if (op != "+" && op != "-" && op != "*" && op != "/") fail(made->word, "'" + std::string(op) + "' of a double");
    return types_.number();
  }
  if (op == "<<" || op == ">>") return types_.promoted(a);
  if (a->kind == TypeKind::pointer && b->kind == TypeKind::pointer) return types_.integer(8, true);
  return a->kind == TypeKind::pointer ? a : b->kind == TypeKind::pointer ? b : types_.common(a, b);
}

void Translator::fold_unary(Node* made) const {
  const Node* a = made->a;
  if (!a->constant || made->word.text.size() != 1) return;
  const char op = made->word.text[0];
  if (op != '-' && op != '+') return;
  if (is_integer(made->type) && op == '-' && !made->type->is_signed) return;
  made->constant = true;
  made->value = op == '-' ? -a->value : a->value;
}

void Translator::fold_binary(Node* made) const {
  if (!made->a->constant || !made->b->constant || made->word.text.size() != 1 || is_comparison(made->word.text)) return;
  const double x = made->a->value, y = made->b->value;
  const bool whole = is_integer(made->type);
  double value = 0;
  switch (made->word.text[0]) {
    case '+':
      value = x + y;
      break;
    case '-':
      value = x - y;
      break;
    case '*':
      value = x * y;
      break;
    case '/':
      if (whole && y == 0) return;
      value = whole ? std::trunc(x / y) : x / y;
      break;
    default:
      return;
  }
  if (whole &&
      (!made->type->is_signed || std::fabs(value) >= (made->type->bytes == 8 ? 9007199254740992.0 : 2147483648.0)))
    return;
  made->constant = is_arithmetic(made->type);
  made->value = made->type->kind == TypeKind::single ? static_cast<double>(static_cast<float>(value)) : value;
}

Node* Translator::unary() {
  const Nested nested(*this);
  const Word& word = here();
  if (word.kind == WordKind::sign) {
    if (word.is("(") && begins_type(1)) return cast();
    static const char* const kSigns[] = {"-", "+", "!", "~", "*", "&", "++", "--"};
    for (const char* sign : kSigns) {
      if (!word.is(sign)) continue;
      Node* made = node(NodeKind::unary, take(), nullptr);
      made->a = unary();
      const Type* a = made->a->type;
      const std::string_view op = made->word.text;
      if (op == "!") {
        made->type = types_.integer(4, true);
      } else if (op == "*") {
        a = Types::decayed(a, types_);
        if (a->kind != TypeKind::pointer) fail(made->word, "'*' of what is no pointer: " + type_name(a));
        made->type = a->of;
      } else if (op == "&") {
        made->type = types_.pointer_to(a);
      } else {
        if (op == "~" && is_number(a)) fail(made->word, "'~' of a double");
        made->type = op.size() == 2 ? a : types_.promoted(a);
        fold_unary(made);
      }
      return made;
    }
  }
  if (word.is("sizeof")) return size_of(take());
  return postfix();
}

Node* Translator::size_of(const Word& word) {
  Node* made = node(NodeKind::size_of, word, types_.integer(8, false));
  if (here().is("(") && begins_type(1)) {
    expect("(");
    type_name_here(made->written);
    expect(")");
  } else {
    made->a = unary();
  }
  return made;
}

Node* Translator::cast_of(const Word& word, const Type* type, std::string written, Node* value) {
  // What points to doubles may not point to the bits of something else, nor the other way round; memory that is used
  // for other things goes by void *.
  const Type* from = Types::decayed(value->type, types_);
  if (type->kind == TypeKind::pointer && from->kind == TypeKind::pointer && type->of->kind != TypeKind::none &&
      from->of->kind != TypeKind::none && holds_number(type->of) != holds_number(from->of))
    fail(word, type_name(from) + " where " + type_name(type) +
                   " is expected: as_ulong() and as_double() give the bits of a double");
  Node* made = node(NodeKind::cast, word, type);
  made->written = std::move(written);
  made->a = value;
  if (value->constant && is_arithmetic(type)) {
    const double cut = is_integer(type) ? std::trunc(value->value) : value->value;
    if (!is_integer(type) || (std::fabs(cut) < 2147483648.0 && type->bytes >= 4 && (type->is_signed || cut >= 0))) {
      made->constant = true;
      made->value = type->kind == TypeKind::single ? static_cast<double>(static_cast<float>(cut)) : cut;
    }
  }
  return made;
}

Node* Translator::cast() {
  const Word word = take();
  std::string written;
  const Type* type = type_name_here(written);
  expect(")");
  if (here().is("{")) fail(word, "a compound literal cannot be translated");
  return cast_of(word, type, written, unary());
}

Node* Translator::parenthesis() {
  if (here(1).is("{")) fail(here(1), "a statement in an expression cannot be translated");
  Node* made = node(NodeKind::paren, take(), nullptr);
  made->a = expression();
  expect(")");
  made->type = made->a->type;
  made->constant = made->a->constant;
  made->value = made->a->value;
  return made;
}

Node* Translator::postfix() {
  Node* value = primary();
  for (int links = 0;; ++links) {
    const Word word = here();
    if (links > kLinks) fail(word, "too many parts of one expression");
    if (word.kind != WordKind::sign) return value;
    if (word.is("[")) {
      Node* made = node(NodeKind::index, take(), nullptr);
      made->a = value;
      made->b = expression();
      expect("]");
      const Type* of = Types::decayed(value->type, types_);
      if (of->kind != TypeKind::pointer) fail(word, "'[' behind what is no pointer: " + type_name(of));
      if (!is_integer(made->b->type)) fail(word, "an index that is no integer");
      made->type = of->of;
      value = made;
    } else if (word.is("(")) {
      value = call(value, word);
    } else if (word.is(".") || word.is("->")) {
      value = member(value, take());
    } else if (word.is("++") || word.is("--")) {
      Node* made = node(NodeKind::postfix, take(), value->type);
      made->a = value;
      value = made;
    } else {
      return value;
    }
  }
}

Node* Translator::member(Node* of, const Word& op) {
  Node* made = node(NodeKind::member, op, nullptr);
  const Word name = take();
  made->a = of;
  made->written = std::string(name.text);
  const Type* type = of->type;
  if (op.is("->")) {
    type = Types::decayed(type, types_);
    if (type->kind != TypeKind::pointer) fail(op, "'->' behind what is no pointer");
    type = type->of;
  }
  if (is_number(type) && (name.is("hi") || name.is("lo"))) made->type = types_.single();
  if (type->kind == TypeKind::other) made->type = types_.other();
  for (const Type::Member& known : type->members)
    if (known.name == name.text) made->type = known.type;
  if (made->type == nullptr) fail(name, "no member '" + made->written + "' in " + type_name(type));
  return made;
}

Node* Translator::primary() {
  if (here().is("(")) return parenthesis();
  if (here().kind == WordKind::end) unexpected();
  const Word word = take();
  if (word.kind == WordKind::number) return literal(word);
  if (word.kind == WordKind::text) {
    Node* made = node(NodeKind::text, word,
                      word.text[0] == '"' ? types_.pointer_to(types_.integer(1, true)) : types_.integer(4, true));
    made->written = std::string(word.text);
    while (here().kind == WordKind::text) made->written += " " + std::string(take().text);
    return made;
  }
  if (word.is_name()) return name(word);
  --at_;
  unexpected();
}

Node* Translator::name(const Word& word) {
  Node* made = node(NodeKind::name, word, nullptr);
  const Symbol* symbol = scopes_.find(word.text);
  bool single = false;
  if (symbol != nullptr) {
    if (symbol->is_type) fail(word, "the type '" + std::string(word.text) + "' where a value is expected");
    made->type = symbol->type;
  } else if (named_number(word.text, &made->value, &single)) {
    made->type = single ? types_.single() : types_.number();
    made->constant = true;
  } else if (word.is("CLK_LOCAL_MEM_FENCE") || word.is("CLK_GLOBAL_MEM_FENCE") || word.is("INT_MAX") ||
             word.is("INT_MIN") || word.is("CHAR_BIT")) {
    made->type = types_.integer(4, true);
  } else if (word.is("UINT_MAX")) {
    made->type = types_.integer(4, false);
  } else if (word.is("LONG_MAX") || word.is("LONG_MIN") || word.is("ULONG_MAX")) {
    made->type = types_.integer(8, !word.is("ULONG_MAX"));
  } else if (!here().is("(")) {
    fail(word, "'" + std::string(word.text) + "' is not known");
  }
  return made;
}

long Translator::constant_length(const Node* value) const {
  return value->constant && value->value >= 0 && value->value < 1e9 ? static_cast<long>(value->value) : -1;
}

}  // namespace openclPort::pair
