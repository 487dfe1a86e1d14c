// write_expression -- expressions of doubles as calls of the functions of inst/cl/pair.
#include <cmath>

#include "pair/expression.h"

namespace openclPort::pair {

namespace {

bool is_float_constant(const Node* node) {
  return node->constant && std::isfinite(node->value) && low_part(node->value) == 0.0F &&
         std::isfinite(nearest_float(node->value));
}

// Without side effects: it may be written twice.
bool is_pure(const Node* node) {
  switch (node->kind) {
    case NodeKind::name:
    case NodeKind::literal:
    case NodeKind::number:
      return true;
    case NodeKind::paren:
    case NodeKind::member:
    case NodeKind::cast:
      return is_pure(node->a);
    case NodeKind::index:
    case NodeKind::binary:
      return is_pure(node->a) && is_pure(node->b);
    case NodeKind::unary:
      return node->word.text.size() == 1 && is_pure(node->a);
    default:
      return false;
  }
}

const char* number_operator(std::string_view op) {
  static const struct {
    const char *sign, *name;
  } kNames[] = {{"+", "pair_add"}, {"-", "pair_sub"}, {"*", "pair_mul"}, {"/", "pair_div"}, {"<", "pair_lt"},
                {">", "pair_gt"},  {"<=", "pair_le"}, {">=", "pair_ge"}, {"==", "pair_eq"}, {"!=", "pair_ne"}};
  for (const auto& known : kNames)
    if (op == known.sign) return known.name;
  return nullptr;
}

const char* to_number(const Type* type) {
  if (type->kind == TypeKind::single) return "pair_of_float(";
  if (type->bytes < 4) return "pair_of_int(";
  return type->bytes == 8  ? (type->is_signed ? "pair_of_long(" : "pair_of_ulong(")
         : type->is_signed ? "pair_of_int("
                           : "pair_of_uint(";
}

// With the cast that a narrow integer takes.
const char* from_number(const Type* type) {
  if (type->truth) return "pair_true(";
  switch (type->bytes) {
    case 1:
      return type->is_signed ? "(char)pair_to_int(" : "(uchar)pair_to_int(";
    case 2:
      return type->is_signed ? "(short)pair_to_int(" : "(ushort)pair_to_int(";
    case 4:
      return type->is_signed ? "pair_to_int(" : "pair_to_uint(";
    default:
      return type->is_signed ? "pair_to_long(" : "pair_to_ulong(";
  }
}

}  // namespace

void ExpressionWriter::write_as(const Type* wanted, const Node* node, std::string& out) {
  const Type* type = node->type;
  if (is_number(wanted)) {
    if (node->constant) {
      check_range(node);
      out += pair_literal(node->value);
    } else if (is_number(type)) {
      write(node, out);
    } else if (is_arithmetic(type)) {
      out += to_number(type);
      write(node, out);
      out += ')';
    } else {
      fail(node->word, type_name(type) + " where a double is expected");
    }
  } else if (is_number(type)) {
    if (wanted->kind == TypeKind::none || wanted->kind == TypeKind::other) return write(node, out);
    if (wanted->kind == TypeKind::single && node->constant) {
      check_range(node);
      out += float_literal(nearest_float(node->value));
      return;
    }
    if (wanted->kind == TypeKind::single) {
      out += "pair_to_float(";
    } else if (is_integer(wanted)) {
      out += from_number(wanted);
    } else {
      fail(node->word, "a double where " + type_name(wanted) + " is expected");
    }
    write(node, out);
    out += ')';
  } else {
    write(node, out);
  }
}

void ExpressionWriter::write_condition(const Node* node, std::string& out) {
  if (!is_number(node->type)) return write(node, out);
  out += "pair_true(";
  write(node, out);
  out += ')';
}

void ExpressionWriter::write(const Node* node, std::string& out, bool unused) {
  if (node->constant && is_number(node->type)) {
    check_range(node);
    out += pair_literal(node->value);
    return;
  }
  switch (node->kind) {
    case NodeKind::name:
      out += node->word.text;
      break;
    case NodeKind::literal:
    case NodeKind::text:
      out += node->written;
      break;
    case NodeKind::number:
      check_range(node);
      out += pair_literal(node->value);
      break;
    case NodeKind::unary:
      write_unary(node, out, unused);
      break;
    case NodeKind::postfix:
      write_step(node, out, unused);
      break;
    case NodeKind::binary:
      write_binary(node, out, unused);
      break;
    case NodeKind::assign:
      write_assign(node, out);
      break;
    case NodeKind::choice:
      write_condition(node->a, out);
      out += " ? ";
      write_as(node->type, node->b, out);
      out += " : ";
      write_as(node->type, node->c, out);
      break;
    case NodeKind::comma:
      write(node->a, out, true);
      out += ", ";
      write(node->b, out, unused);
      break;
    case NodeKind::call:
      write_call(node, out);
      break;
    case NodeKind::index:
      write(node->a, out);
      out += '[';
      write(node->b, out);
      out += ']';
      break;
    case NodeKind::member:
      write(node->a, out);
      out += node->word.text;
      out += node->written;
      break;
    case NodeKind::cast:
      write_cast(node, out);
      break;
    case NodeKind::size_of:
      out += "sizeof(";
      if (node->a == nullptr)
        out += node->written;
      else
        write(node->a, out);
      out += ')';
      break;
    case NodeKind::paren:
      out += '(';
      write(node->a, out, unused);
      out += ')';
      break;
    default:
      fail(node->word, "an expression that cannot be translated");
  }
}

void ExpressionWriter::write_unary(const Node* node, std::string& out, bool unused) {
  const std::string_view op = node->word.text;
  if (op.size() == 2) return write_step(node, out, unused);
  if (is_number(node->type) && op == "-") {
    out += "pair_neg(";
    write(node->a, out);
    out += ')';
    return;
  }
  if (is_number(node->type) && op == "+") return write(node->a, out);
  out += op;
  if (op == "!") return write_condition(node->a, out);
  const Node* a = node->a;
  if (a->kind == NodeKind::unary && !a->word.text.empty() && a->word.text[0] == op[0]) out += ' ';  // - -x
  write(a, out);
}

// ++ and --, before or behind
void ExpressionWriter::write_step(const Node* node, std::string& out, bool unused) {
  if (!is_number(node->type)) {
    if (node->kind == NodeKind::unary) out += node->word.text;
    write(node->a, out);
    if (node->kind == NodeKind::postfix) out += node->word.text;
    return;
  }
  if (node->kind == NodeKind::postfix && !unused)
    fail(node->word, "the value of a double before '" + std::string(node->word.text) + "' cannot be translated");
  if (!is_pure(node->a))
    fail(node->word, "'" + std::string(node->word.text) + "' of a place that is computed with side effects");
  out += '(';
  write(node->a, out);
  out += " = pair_add_float(";
  write(node->a, out);
  out += node->word.is("++") ? ", 1.0f))" : ", -1.0f))";
}

void ExpressionWriter::write_binary(const Node* node, std::string& out, bool) {
  const std::string_view op = node->word.text;
  const bool logical = op == "&&" || op == "||";
  if (!logical && (is_number(node->a->type) || is_number(node->b->type))) return write_number_operator(node, out);
  if (logical)
    write_condition(node->a, out);
  else
    write(node->a, out);
  out += ' ';
  out += op;
  out += ' ';
  if (logical)
    write_condition(node->b, out);
  else
    write(node->b, out);
}

void ExpressionWriter::write_float_operand(const Node* node, std::string& out) {
  if (node->constant) {
    check_range(node);
    out += float_literal(nearest_float(node->value));
  } else {
    write(node, out);
  }
}

// Operands that are floats, constants above all, have shorter operations.
void ExpressionWriter::write_number_operator(const Node* node, std::string& out) {
  const std::string_view op = node->word.text;
  const Node *a = node->a, *b = node->b;
  const auto is_float = [](const Node* x) {
    return is_float_constant(x) || (!x->constant && x->type->kind == TypeKind::single);
  };
  if ((op == "+" || op == "*") && is_float(a) && !is_float(b)) std::swap(a, b);
  const auto written = [&](const char* name, const Node* x, const std::string& last) {
    out += name;
    write_as(types_.number(), x, out);
    out += ", ";
    out += last;
    out += ')';
  };
  if (b->constant && (op == "*" || op == "/") && is_power_of_two(b->value)) {
    const double power = op == "*" ? b->value : 1 / b->value;
    return written("pair_scaled(", a, float_literal(static_cast<float>(power)));
  }
  if (is_float(b) && (op == "+" || op == "*" || (op == "-" && b->constant))) {
    std::string last;
    if (op == "-") {
      check_range(b);
      last = float_literal(-nearest_float(b->value));
    } else {
      write_float_operand(b, last);
    }
    return written(op == "*" ? "pair_mul_float(" : "pair_add_float(", a, last);
  }
  const char* name = number_operator(op);
  if (name == nullptr) fail(node->word, "'" + std::string(op) + "' of a double");
  const bool compares = node->type->kind == TypeKind::integer;
  const auto operand = [&](const Node* x) {
    if (compares && x->constant)  // beyond the range all pairs are on one side of it
      out += pair_literal(x->value);
    else
      write_as(types_.number(), x, out);
  };
  out += name;
  out += '(';
  operand(a);
  out += ", ";
  operand(b);
  out += ')';
}

void ExpressionWriter::write_assign(const Node* node, std::string& out) {
  write(node->a, out);
  if (node->op.empty() || !(is_number(node->a->type) || is_number(node->b->type))) {
    out += ' ';
    out += node->word.text;
    out += ' ';
    if (node->op.empty())
      write_as(node->a->type, node->b, out);
    else
      write(node->b, out);
    return;
  }
  if (!is_pure(node->a))
    fail(node->word, "'" + std::string(node->word.text) + "' to a place that is computed with side effects");
  Node value;
  value.kind = NodeKind::binary;
  value.word = node->word;
  value.word.text = node->op;
  value.type = types_.number();
  value.a = node->a;
  value.b = node->b;
  out += " = ";
  write_as(node->a->type, &value, out);
}

void ExpressionWriter::write_call(const Node* node, std::string& out) {
  const Type* type = node->a->type;
  if (type != nullptr && type->kind == TypeKind::pointer) type = type->of;
  if (node->written.empty())
    write(node->a, out);
  else
    out += node->written;
  out += '(';
  for (std::size_t k = 0; k < node->arguments.size(); ++k) {
    const Node* argument = node->arguments[k];
    if (k > 0) out += ", ";
    if (type != nullptr && k < type->parameters.size())
      write_as(type->parameters[k], argument, out);
    else if (!node->written.empty() && node->op[k] == 'd')
      write_as(types_.number(), argument, out);
    else if (!node->written.empty() && node->op[k] == 'i')
      write_as(types_.integer(4, true), argument, out);
    else
      write(argument, out);
  }
  out += ')';
}

void ExpressionWriter::write_cast(const Node* node, std::string& out) {
  if (is_number(node->type)) {
    if (!is_number(node->a->type)) return write_as(node->type, node->a, out);
    return write(node->a, out);
  }
  if (is_number(node->a->type)) {
    if (node->type->kind == TypeKind::none) out += "(void)";
    return write_as(node->type, node->a, out);
  }
  out += '(' + node->written + ')';
  write(node->a, out);
}

}  // namespace openclPort::pair
