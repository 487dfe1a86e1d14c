// operations -- R's arithmetic, comparisons and elementary functions as C.
#include <cmath>
#include <cstdlib>

#include "expression/lines.h"
#include "expression/node_text.h"
#include "expression/point_levels.h"
#include "expression/sign.h"
#include "expression/tables.h"

namespace openclPort::expression {

namespace {

bool is_real_arg(const NodeUse& use) { return use.w.graph.type(use.arg_id(1)) == Type::real; }
const char* missing_question(bool real) { return real ? "isnan(%1)" : "%1 == NMATH_NA_INT"; }

// No constant is asked whether it is missing (some compilers warn of such a question), but one that is.
bool is_asked(const NodeUse& use, int k) {
  const Node& arg = use.w.graph.at(use.arg_id(k));
  return arg.op != Op::constant || is_missing(arg.constant);
}

// "TESTS ? OTHERWISE : " of the two arguments that may be missing.
std::string unless_missing(const NodeUse& use, const std::string& a, const std::string& b, const char* question,
                           const std::string& otherwise) {
  std::vector<std::string> tests;
  if (is_asked(use, 1)) add_once(tests, filled(question, {a}));
  if (is_asked(use, 2)) add_once(tests, filled(question, {b}));
  if (tests.empty()) return "";
  return tests[0] + (tests.size() > 1 ? " || " + tests[1] : "") + " ? " + otherwise + " : ";
}

std::string integer_arithmetic(const NodeUse& use, const std::string& a, const std::string& b) {
  if (use.node.op == Op::modulo) return "expr_int_mod(" + a + ", " + b + ')';
  if (use.node.op == Op::quotient) return "expr_int_div(" + a + ", " + b + ')';
  const char* const call = use.node.op == Op::add ? "expr_add" : use.node.op == Op::subtract ? "expr_sub" : "expr_mul";
  emit(use.w, use.at, "int over_" + use.name + " = 0;");
  return call + ('(' + a) + ", " + b + ", &over_" + use.name + ')';
}

// By the same number for all elements: its reciprocal is computed once.
void write_quotient(const NodeUse& use, const std::string& a, const std::string& b) {
  Writer& w = use.w;
  const std::string per = "per_" + std::to_string(use.arg_id(2));
  {
    const AtLevel level(w, varies(w, use.arg_id(2)));
    if (w.known.emplace(per, "").second) emit(w, w.scalar, "const nmath_value " + per + " = 1.0 / " + b + ';');
  }
  const std::string quotient = "NMATH_QUOTIENT(" + a + ", " + b + ", " + per + ')';
  const std::string shown = w.request.as_gpu ? canonical_text(use.node, quotient) : quotient;
  emit(w, use.at, "const nmath_value " + use.name + " = " + shown + ';');
  emit(w, use.at, "needs_general |= isnan(" + use.name + ") != 0;");  // where it is none the quotient may be NaN
}

}  // namespace

std::string input_text(const NodeUse& use) {
  Writer& w = use.w;
  if (w.request.recursion != nullptr) return local_text(use);
  if (use.node.length == 1) return 's' + std::to_string(number_in(w.scalars, use.node.first));
  const bool full = use.at.name == "e" && use.node.length == w.n;
  const std::string k = std::to_string(use_column(w, use.node.first, full ? Role::full : Role::whole));
  return 'c' + k + '[' + (full ? '@' + k + '@' : use.at.name) + ']';  // a later use may need the column whole
}

// Of a matrix with as many rows as there are elements, each element reads its row; of another one any row may be read.
std::string column_text(const NodeUse& use) {
  Writer& w = use.w;
  const bool full = use.at.name == "e" && use.node.length == w.n;
  const std::string k = std::to_string(use_column(w, use.node.first, full ? Role::matrix : Role::whole));
  const std::string j = std::to_string(use.node.second - 1);
  if (full) return 'c' + k + "[@" + k + "@ + " + j + " * @rows" + k + "@]";
  const std::string start = 'c' + k + '[' + use.at.name;
  if (!(use.node.length > 1)) return start + " + " + j + ']';
  const std::string rows = std::to_string(length_number(w, use.node.length));
  return start + " + (expr_index)" + j + " * (expr_index)len_" + rows + ']';
}

// How far a slice begins behind a vector's first element, or its end: an argument where the graph holds for these
// lengths alone, as slices of each round of a loop, y[1:k], have one text.
std::string place_shift(const NodeUse& use, int shift) {
  Writer& w = use.w;
  if (shift == 0) return std::string();
  const double by = std::fabs(static_cast<double>(shift));
  const bool given = w.graph.exact && w.request.recursion == nullptr;
  return (shift < 0 ? " - " : " + ") +
         (given ? "len_" + std::to_string(length_number(w, by)) : std::to_string(std::abs(shift)));
}

// An element of a vector that lies in memory, whose place depends on the element's number alone.
std::string slice_text(const NodeUse& use) {
  Writer& w = use.w;
  const Node& x = w.graph.at(use.arg_id(1));
  const std::string column = std::to_string(use_column(w, x.first, Role::whole));
  std::string place = "(nmath_i64)" + use.at.name;
  if (use.node.second < 0) place = "-" + place;
  if (use.node.flag) place += " + len_" + std::to_string(length_number(w, x.length));
  place += place_shift(use, use.node.first - 1);
  return 'c' + column + '[' + place + ']';
}

// An element of a vector that lies in memory, by its number; where that is no place in it, a missing value.
std::string gather_text(const NodeUse& use) {
  Writer& w = use.w;
  const Node& x = w.graph.at(use.arg_id(1));
  const bool real = w.graph.type(use.arg_id(2)) == Type::real;
  const std::string code = use.arg(2), place = "at_" + use.name;
  const std::string length = x.length == 1 ? "1" : "len_" + std::to_string(length_number(w, x.length));
  emit(w, use.at,
       "const nmath_i64 " + place + " = " + (real ? "expr_place_of_double(" : "expr_place_of_int(") + code + ", " +
           length + ");");
  const std::string element = x.length == 1
                                  ? 's' + std::to_string(number_in(w.scalars, x.first))
                                  : 'c' + std::to_string(use_column(w, x.first, Role::whole)) + '[' + place + ']';
  return place + " < 0 ? " + (use.node.type == Type::real ? "NMATH_NA_REAL" : "NMATH_NA_INT") + " : " + element;
}

// Elements that stand for several in a row.
std::string each_text(const NodeUse& use) {
  Writer& w = use.w;
  const Node& x = w.graph.at(use.arg_id(1));
  const int times = length_number(w, use.node.length / x.length);
  return filled("c%1[(expr_index)%2 / (expr_index)len_%3]", {use_column(w, x.first, Role::whole), use.at.name, times});
}

// A row of a matrix that lies in memory column by column. Sums carry what rounding takes, as R's longer numbers do.
void write_row_reduction(const NodeUse& use) {
  Writer& w = use.w;
  const Node& x = w.graph.at(use.arg_id(1));
  const std::string &name = use.name, &op = use.node.name;
  const int column = use_column(w, x.first, Role::whole);
  const int rows = length_number(w, use.node.length), all = length_number(w, x.length);
  const std::string first = filled("c%1[%2]", {column, use.at.name});
  const std::string start = op == "sum" ? "0.0" : op == "prod" ? "1.0" : first;
  emit(w, use.at, filled("double %1 = %2, rest_%1 = 0.0; int na_of_%1 = 0;", {name, start}));
  std::string step;
  if (op == "sum")
    step = filled("const double t = %1 + x; rest_%1 += fabs(%1) >= fabs(x) ? (%1 - t) + x : (x - t) + %1; %1 = t;",
                  {name});
  else if (op == "prod")
    step = filled("%1 *= x;", {name});
  else
    step = filled("%1 = isnan(%1) ? %1 : isnan(x) || x %2 %1 ? x : %1;", {name, op == "min" ? "<" : ">"});
  emit(w, use.at,
       filled("for (nmath_i64 k = %1; k < len_%2; k += len_%3) { const double x = c%4[k]; na_of_%5 |= expr_is_na(x); "
              "%6 }",
              {use.at.name, all, rows, column, name, step}));
  if (op == "sum") emit(w, use.at, filled("if (isfinite(%1)) %1 += rest_%1;", {name}));
}

// Sums of parts of columns, each of elements that follow each other.
void write_part_sums(const NodeUse& use) {
  Writer& w = use.w;
  const Node& x = w.graph.at(use.arg_id(1));
  const std::string& name = use.name;
  const int columns = length_number(w, use.node.first), sums = length_number(w, use.node.length),
            all = length_number(w, x.length), column = use_column(w, x.first, Role::whole);
  emit(w, use.at, filled("expr_sum sum_%1 = {0.0, 0.0}; int na_of_%1 = 0;", {name}));
  emit(w, use.at,
       filled("const nmath_i64 rows_%1 = len_%2 / len_%3, parts_%1 = len_%4 / len_%3, part_%1 = (rows_%1 - 1) / "
              "parts_%1 + 1;",
              {name, all, columns, sums}));
  emit(w, use.at,
       filled(
           "const nmath_i64 from_%1 = (nmath_i64)%2 / parts_%1 * rows_%1, row_%1 = (nmath_i64)%2 % parts_%1 * part_%1;",
           {name, use.at.name}));
  emit(w, use.at,
       filled("for (nmath_i64 k = row_%1; k < rows_%1 && k < row_%1 + part_%1; ++k) { const nmath_value x = "
              "c%2[from_%1 + k]; "
              "na_of_%1 |= expr_is_na(x); sum_%1 = expr_sum_add(sum_%1, x); }",
              {name, column}));
  emit(w, use.at, filled("const nmath_value %1 = expr_sum_value(sum_%1);", {name}));
}

// x^c for a constant c that no power need be computed for, with R's rules: a zero and an infinity count as unsigned.
// Empty for another c.
std::string plain_power_text(const std::string& x, double c) {
  if (c == 0.0) return "1.0";
  if (c == 1.0) return x + " + 0.0";
  if (c == 2.0) return x + " * " + x;
  if (c == 0.5) return "sqrt(" + x + ") + 0.0";
  if (c == -0.5) return "1.0 / (sqrt(" + x + ") + 0.0)";
  if (c == -2.0) return "(1.0 / " + x + ") * (1.0 / " + x + ')';
  if (c == -1.0) return x + " == 0.0 ? ML_POSINF : 1.0 / " + x + " + 0.0";
  return "";
}

std::optional<std::string> arithmetic_text(const NodeUse& use) {
  Writer& w = use.w;
  const Op op = use.node.op;
  const std::string a = use.arg(1), b = use.arg(2);
  if (use.node.type == Type::integer) return integer_arithmetic(use, a, b);
  const Node& right = w.graph.at(use.arg_id(2));
  if (op == Op::power) {
    const auto folded = w.folded.find(use.arg_id(2));
    const bool constant = right.op == Op::constant || folded != w.folded.end();
    const double exponent = !constant ? 0.0 : as_real(folded != w.folded.end() ? folded->second : right.constant);
    const std::string plain = constant ? plain_power_text(a, exponent) : "";
    if (!plain.empty()) return plain;
    note_function(w, "R_pow", use.at);
    if (exponent >= 3.0 && exponent <= 16.0 && exponent == std::floor(exponent))
      return "libR_pow_whole(" + a + ", " + std::to_string(static_cast<int>(exponent)) + ')';
    return "R_pow(" + a + ", " + b + ')';
  }
  if (op == Op::divide && w.assume_no_nan && holds(w.types, Type::real) && !use.at.scalar() && right.length == 1) {
    write_quotient(use, a, b);
    return std::nullopt;
  }
  if (op == Op::modulo) return "expr_mod(" + a + ", " + b + ')';
  if (op == Op::quotient) return "expr_div(" + a + ", " + b + ')';
  return a + ' ' + op_name(op) + ' ' + b;
}

std::string comparison_text(const NodeUse& use) {
  const std::string a = use.arg(1), b = use.arg(2);
  const std::string compared = a + ' ' + op_name(use.node.op) + ' ' + b;
  const auto settled = [&](int k) { return !is_asked(use, k) || is_reported(use.w, use.arg_id(k)); };
  if (settled(1) && settled(2)) return compared;  // where a NaN is told of, whatever comes of the question will do
  return unless_missing(use, a, b, missing_question(is_real_arg(use)), "NMATH_NA_INT") + compared;
}

std::string extreme_text(const NodeUse& use) {
  const bool real = use.node.type == Type::real;
  const char* const question = missing_question(real);
  // Of two constants the second one is written first.
  const bool first = use.node.flag || is_asked(use, 1) || is_asked(use, 2);
  std::string a = first ? use.arg(1) : "";
  const std::string b = use.arg(2);
  if (!first) a = use.arg(1);
  std::string missing;
  if (use.node.flag)
    missing = filled(question, {a}) + " ? " + b + " : " + filled(question, {b}) + " ? " + a + " : ";
  else
    missing = unless_missing(use, a, b, question, real ? a + " + " + b : "NMATH_NA_INT");
  return missing + b + (use.node.op == Op::pmin ? " < " : " > ") + a + " ? " + b + " : " + a;
}

// R has the bases 2 and 10 exactly.
std::string log_base_text(const NodeUse& use) {
  const Node& base = use.w.graph.at(use.arg_id(2));
  if (base.op == Op::constant && as_real(base.constant) == 2.0) return "log2(" + use.arg(1) + ')';
  if (base.op == Op::constant && as_real(base.constant) == 10.0) return "log10(" + use.arg(1) + ')';
  const std::string b = use.arg(2), x = use.arg(1);
  return b + " == 2.0 ? log2(" + x + ") : " + b + " == 10.0 ? log10(" + x + ") : log(" + x + ") / log(" + b + ')';
}

std::string elementary_text(const NodeUse& use) {
  if (!use.at.scalar() && is_exp_to_unit(use.w.graph, use.node)) {
    add_once(use.w.files, std::string("log1p_unit"));
    return "exp_to_unit(" + use.arg(1) + ')';
  }
  return filled(language_row(use.node.name)->at("text"), {use.arg(1)});
}

}  // namespace openclPort::expression
