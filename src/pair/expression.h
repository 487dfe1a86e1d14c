// expression -- C expressions with the type of each part, as they are parsed.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "pair/types.h"
#include "pair/words.h"

namespace openclPort::pair {

enum class NodeKind {
  name,
  literal,   // integer or float, as written
  number,    // a double
  text,      // strings, one after the other
  unary,     // op a
  postfix,   // a op
  binary,    // a op b
  assign,    // a op b
  choice,    // a ? b : c
  comma,     // a , b
  call,      // a(arguments)
  index,     // a[b]
  member,    // a op name
  cast,      // (type) a
  compound,  // (type) { ... }, or (type)(a, b) of a vector: `written` as it is
  size_of,   // sizeof a, sizeof(type)
  paren      // (a)
};

struct Node {
  NodeKind kind;
  const Type* type = nullptr;
  Word word;              // where it stands; a name, literal or operator
  std::string_view op;    // of an assignment, without its '='
  std::string written;    // a type's name, or literal, as it goes to the output
  bool constant = false;  // of a number or an integer whose value is known
  double value = 0;
  Node *a = nullptr, *b = nullptr, *c = nullptr;
  std::vector<Node*> arguments;
};

// Without the parentheses around it.
inline const Node* inner(const Node* node) {
  while (node->kind == NodeKind::paren) node = node->a;
  return node;
}

// The nearest float, infinite beyond them, and what it lacks. Powers of two that are well inside scale a pair exactly.
float nearest_float(double value);
float low_part(double value);
bool is_power_of_two(double value);

// What the translated text calls a double's value.
std::string pair_literal(double value);  // "pair_of(1.0f, 0.0f)"
std::string pair_parts(double value);    // "1.0f, 0.0f"
std::string float_literal(float value);
// An error where a number is beyond the pairs. Library sources say by NMATH_RANGE what it is there.
void check_range(const Node* node);

class ExpressionWriter {
 public:
  explicit ExpressionWriter(Types& types) : types_(types) {}

  // Appends the expression; as `wanted`, where its type is to be converted to that. `unused`: nobody reads its value.
  void write(const Node* node, std::string& out, bool unused = false);
  void write_as(const Type* wanted, const Node* node, std::string& out);
  void write_condition(const Node* node, std::string& out);

 private:
  void write_unary(const Node* node, std::string& out, bool unused);
  void write_step(const Node* node, std::string& out, bool unused);
  void write_binary(const Node* node, std::string& out, bool unused);
  void write_number_operator(const Node* node, std::string& out);
  void write_assign(const Node* node, std::string& out);
  void write_call(const Node* node, std::string& out);
  void write_cast(const Node* node, std::string& out);
  void write_float_operand(const Node* node, std::string& out);

  Types& types_;
};

}  // namespace openclPort::pair
