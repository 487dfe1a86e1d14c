// translate_linear -- chol(), solve(), det() and their like, of matrices of up to eight rows, element by element.
//
// Where R would stop, as solve() of a singular matrix does, a site of the rule "stops" tells of it: R says its reason
// as an error (site_warner() in R/expression_result.R).
#include <algorithm>
#include <limits>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/match_call.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr double kMostRows = 8;

// The elements of a matrix, or of several columns of numbers; each is a node.
struct Numbers2 {
  std::size_t rows = 0, columns = 0;
  std::vector<int> all;
  int& at(std::size_t i, std::size_t j) { return all[j * rows + i]; }
};

class Linear {
 public:
  Linear(Translator& t, const Syntax& call) : graph_(t.graph), call_(call) {}

  int of_two(Op op, int a, int b) const { return arithmetic_node(graph_, op, a, b); }
  int constant(double value) const { return constant_node(graph_, value); }
  bool is_zero(int id) const {
    const Node& node = graph_.at(id);
    return node.op == Op::constant && as_real(node.constant) == 0.0;
  }
  int minus_product(int from, int a, int b) const {
    if (is_zero(a) || is_zero(b)) return from;
    const int product = of_two(Op::multiply, a, b);
    return is_zero(from) ? sign_node(graph_, Op::negative, product) : of_two(Op::subtract, from, product);
  }
  int quotient(int a, int b) const { return is_zero(a) ? a : of_two(Op::divide, a, b); }
  int is_none(int id) const { return plain_node(graph_, Op::equal, Type::logical, {id, constant(0.0)}); }
  // Below a greatest element of 0 all are 0, and so is the quotient.
  int quotient_of_pivot(int a, int pivot) const {
    const int none = is_none(pivot);
    return choose(none, constant(0.0), quotient(a, choose(none, constant(1.0), pivot)));
  }
  // The determinant of the rows and columns from `j` on, whose column `j` is 0, and so is its value. It has slopes in
  // that column, which no product of pivots has: of up to three rows they come of the sum of products, of more they are
  // infinite.
  int of_no_pivot(Numbers2& a, std::size_t j) const {
    const std::size_t n = a.rows - j;
    const auto minor = [&](std::size_t row, std::size_t other, std::size_t first) {  // of two columns
      return of_two(Op::subtract, of_two(Op::multiply, a.at(row, first), a.at(other, first + 1)),
                    of_two(Op::multiply, a.at(other, first), a.at(row, first + 1)));
    };
    if (n == 2) return minor(j, j + 1, j);
    if (n == 3) {
      const auto part = [&](std::size_t row, std::size_t one, std::size_t two) {
        return of_two(Op::multiply, a.at(row, j), minor(one, two, j + 1));
      };
      return of_two(Op::add, part(j, j + 1, j + 2), of_two(Op::subtract, part(j + 2, j, j + 1), part(j + 1, j, j + 2)));
    }
    int sum = 0;
    for (std::size_t i = j; i < a.rows; ++i) {
      const int root = elementary_node(graph_, "sqrt", choose(is_none(a.at(i, j)), a.at(i, j), constant(1.0)));
      sum = sum == 0 ? root : of_two(Op::add, sum, root);
    }
    return sum;
  }
  int choose(int test, int yes, int no) const {  // of any length, by one test
    return yes == no ? yes : plain_node(graph_, Op::select, Type::real, {test, yes, no});
  }

  // A square matrix, or a number.
  Numbers2 square(int id, const char* other) const {
    const Sides sides = sides_of(graph_, id);
    const double rows = sides.matrix ? sides.rows : 1;
    if (sides.matrix ? sides.rows != sides.columns : graph_.length(id) != 1)
      throw NmathError(quoted_text(call_) + ": '" + other + "' must be a square matrix");
    if (rows > kMostRows)
      refuse_limit(
          call_,
          "of what the body computes, or has a gradient in, matrices have up to 8 rows. Make a larger one before "
          "each call, and give it, or what comes of it, as an argument that is not in `gradient`");
    Numbers2 made;
    made.rows = made.columns = static_cast<std::size_t>(rows);
    made.all = elements_of(graph_, as_double(graph_, bare_node(graph_, id)));
    return made;
  }

  // The number itself, and R's error where it is 0.
  int unless_zero(int id, const std::string& reason) const {
    const int none = of_two(Op::divide, constant(0.0), id);
    stop_where_nan(none, reason);
    return of_two(Op::add, id, none);
  }
  void stop_where_nan(int node, const std::string& reason) const { add_stop(graph_, node, call_.number, reason); }
  int positive_root(int id, std::size_t order) const {
    const std::string reason = "the leading minor of order " + std::to_string(order) + " is not positive";
    Node node{Op::elementary, Type::real, 1, {unless_zero(id, reason)}};
    node.name = "sqrt";
    const int root = graph_.add(std::move(node));
    stop_where_nan(root, reason);
    return root;
  }

  // The upper triangle: t(C) %*% C is the matrix, of which the upper triangle is read. With `pivots`, which get what
  // roots are taken of, nothing stops: the root of what is not positive is 1.
  Numbers2 cholesky(Numbers2 a, std::vector<int>* pivots = nullptr) const {
    const std::size_t n = a.rows;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        int value = a.at(i, j);
        for (std::size_t k = 0; k < i; ++k) value = minus_product(value, a.at(k, i), a.at(k, j));
        a.at(i, j) = quotient(value, a.at(i, i));
      }
      int value = a.at(j, j);
      for (std::size_t k = 0; k < j; ++k) value = minus_product(value, a.at(k, j), a.at(k, j));
      if (pivots == nullptr) {
        a.at(j, j) = positive_root(value, j + 1);
      } else {
        pivots->push_back(value);
        a.at(j, j) = elementary_node(graph_, "sqrt", choose(is_positive(value), value, constant(1.0)));
      }
      for (std::size_t i = j + 1; i < n; ++i) a.at(i, j) = constant(0.0);
    }
    return a;
  }

  // TRUE or FALSE: whether R has a factor.
  int has_factor(const Numbers2& a) const {
    std::vector<int> pivots;
    cholesky(a, &pivots);
    int all = 0;
    for (const int one : pivots) all = both(all, is_positive(one));
    graph_.exact = true;
    return all;
  }

  // x of T x = b, where T is a triangle of a matrix, or what t() makes of it.
  Numbers2 triangle_solved(Numbers2 t, Numbers2 b, bool upper, bool transposed) const {
    const std::size_t n = t.rows;
    const bool from_end = upper != transposed;
    for (std::size_t i = 0; i < n; ++i)
      t.at(i, i) = unless_zero(t.at(i, i), "singular matrix. First zero in diagonal [" + std::to_string(i + 1) + "]");
    for (std::size_t step = 0; step < n; ++step) {
      const std::size_t i = from_end ? n - 1 - step : step;
      for (std::size_t c = 0; c < b.columns; ++c) {
        int value = b.at(i, c);
        for (std::size_t done = 0; done < step; ++done) {
          const std::size_t k = from_end ? n - 1 - done : done;
          value = minus_product(value, transposed ? t.at(k, i) : t.at(i, k), b.at(k, c));
        }
        b.at(i, c) = quotient(value, t.at(i, i));
      }
    }
    return b;
  }

  // Gaussian elimination with the greatest pivot of each column. `b`: what is done to it as well. The sign of the
  // determinant is that of the product of the pivots, or the other: `sign`. `remaining`: of a matrix that may be
  // singular; what its determinant is times where a pivot is 0.
  void eliminate(Numbers2& a, Numbers2& b, int& sign, std::vector<int>* remaining = nullptr) const {
    const std::size_t n = a.rows;
    sign = constant(1.0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j + 1; i < n; ++i) {
        if (is_zero(a.at(i, j))) continue;
        const int greater =
            plain_node(graph_, Op::greater, Type::logical, {absolute(a.at(i, j)), absolute(a.at(j, j))});
        const auto swap = [&](int& first, int& second) {
          const int before = first;
          first = choose(greater, second, before);
          second = choose(greater, before, second);
        };
        for (std::size_t c = j; c < n; ++c) swap(a.at(j, c), a.at(i, c));
        for (std::size_t c = 0; c < b.columns; ++c) swap(b.at(j, c), b.at(i, c));
        sign = choose(greater, sign_node(graph_, Op::negative, sign), sign);
      }
      if (remaining != nullptr)
        remaining->push_back(of_two(Op::multiply, sign, j + 1 < n ? of_no_pivot(a, j) : a.at(j, j)));
      for (std::size_t i = j + 1; i < n; ++i) {
        if (is_zero(a.at(i, j))) continue;
        const int ratio =
            remaining != nullptr ? quotient_of_pivot(a.at(i, j), a.at(j, j)) : quotient(a.at(i, j), a.at(j, j));
        for (std::size_t c = j + 1; c < n; ++c) a.at(i, c) = minus_product(a.at(i, c), ratio, a.at(j, c));
        for (std::size_t c = 0; c < b.columns; ++c) b.at(i, c) = minus_product(b.at(i, c), ratio, b.at(j, c));
        a.at(i, j) = constant(0.0);
      }
    }
  }

  Numbers2 solved(Numbers2 a, Numbers2 b) const {
    int sign = 0;
    const int least = least_pivot(a);
    eliminate(a, b, sign);
    for (std::size_t j = 0; j < a.rows; ++j) {
      const int vanishes = is_less(absolute(a.at(j, j)), least);
      const int none = of_two(Op::divide, constant(0.0), choose(vanishes, constant(0.0), a.at(j, j)));
      stop_where_nan(none, "system is computationally singular");
      a.at(j, j) = of_two(Op::add, a.at(j, j), none);
    }
    return upper_solved(a, b);
  }

  // TRUE or FALSE: whether R has an inverse, by the reciprocal condition number of the 1-norm, as R asks.
  int has_inverse(const Numbers2& a) const {
    Numbers2 eliminated = a, turned = unit(a.rows);
    int sign = 0, all = 0;
    eliminate(eliminated, turned, sign);
    for (std::size_t j = 0; j < a.rows; ++j) all = both(all, negated(is_none(eliminated.at(j, j))));
    for (const int one : a.all) all = both(all, plain_node(graph_, Op::is_finite, Type::logical, {one}));
    const int condition = of_two(Op::multiply, norm(a), norm(upper_solved(eliminated, turned)));
    const int least = of_two(Op::multiply, condition, constant(std::numeric_limits<double>::epsilon()));
    graph_.exact = true;
    return both(both(all, is_known(condition)), negated(is_less(constant(1.0), least)));
  }

  Numbers2 unit(std::size_t n) const {
    Numbers2 made;
    made.rows = made.columns = n;
    for (std::size_t k = 0; k < n * n; ++k) made.all.push_back(constant(k % (n + 1) == 0 ? 1.0 : 0.0));
    return made;
  }

  // chol2inv(): the inverse of t(C) %*% C.
  Numbers2 inverse_of_root(const Numbers2& c) const {
    Numbers2 half = triangle_solved(c, unit(c.rows), true, false), made = half;
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.rows; ++j) {
        int sum = 0;
        for (std::size_t k = std::max(i, j); k < c.rows; ++k) {
          const int part = of_two(Op::multiply, half.at(i, k), half.at(j, k));
          sum = sum == 0 ? part : of_two(Op::add, sum, part);
        }
        made.at(i, j) = sum;
      }
    return made;
  }

  int absolute(int id) const { return plain_node(graph_, Op::absolute, Type::real, {id}); }

  int matrix(const Numbers2& numbers, const std::string& names) const {
    graph_.exact = true;
    const int all = numbers.all.size() == 1 ? numbers.all[0] : concat_node(graph_, numbers.all);
    return with_named_sides(graph_, all, static_cast<double>(numbers.rows), static_cast<double>(numbers.columns),
                            names);
  }

  // The right side of an equation: a vector, a matrix of few numbers, or one of so few rows and any number of columns,
  // each row of which is a vector.
  Numbers2 right_side(int id, std::size_t rows, bool& as_rows) const {
    const Sides sides = sides_of(graph_, id);
    const double length = graph_.length(id);
    if ((sides.matrix ? sides.rows : length) != static_cast<double>(rows))
      throw NmathError(quoted_text(call_) + ": the right side has to have " + std::to_string(rows) +
                       (rows == 1 ? " row" : " rows"));
    Numbers2 made;
    made.rows = rows;
    const double columns = sides.matrix ? sides.columns : 1;
    as_rows = columns > kMostRows;
    const int x = as_double(graph_, bare_node(graph_, id));
    if (!as_rows) {
      made.columns = static_cast<std::size_t>(columns);
      made.all = elements_of(graph_, x);
      return made;
    }
    made.columns = 1;
    graph_.exact = true;
    const int whole = in_memory(graph_, x), steps = counted_from_zero(graph_, columns);
    const int before = of_two(Op::multiply, steps, constant(static_cast<double>(rows)));
    for (std::size_t i = 0; i < rows; ++i)
      made.all.push_back(
          gathered_node(graph_, whole, of_two(Op::add, before, constant(static_cast<double>(i) + 1)), call_));
    return made;
  }

  // What a right side has become, as R has it.
  int result(const Numbers2& numbers, int right, bool as_rows, const std::string& names, int left) const {
    const Sides sides = sides_of(graph_, right);
    if (as_rows) {
      const int turned = matrix_of_columns(graph_, numbers.all, sides.columns);
      return transposed(graph_, turned, call_);
    }
    if (sides.matrix) return matrix(numbers, names.empty() ? names : names + names_word("columns", right, 2));
    const int all = numbers.all.size() == 1 ? numbers.all[0] : concat_node(graph_, numbers.all);
    return names.empty() ? all : with_names(graph_, all, names_word("names", left, 2));
  }

 private:
  int negated(int test) const { return plain_node(graph_, Op::negation, Type::logical, {test}); }
  int both(int one, int other) const {  // `one`: 0 where there is none
    return one == 0 ? other : plain_node(graph_, Op::both, Type::logical, {one, other});
  }
  int is_less(int a, int b) const { return plain_node(graph_, Op::less, Type::logical, {a, b}); }
  int is_known(int id) const { return negated(plain_node(graph_, Op::is_na, Type::logical, {id})); }
  int is_positive(int id) const { return both(is_known(id), is_less(constant(0.0), id)); }

  // The greatest sum of a column's sizes.
  int norm(Numbers2 a) const {
    int greatest = 0;
    for (std::size_t j = 0; j < a.columns; ++j) {
      int sum = 0;
      for (std::size_t i = 0; i < a.rows; ++i)
        sum = sum == 0 ? absolute(a.at(i, j)) : of_two(Op::add, sum, absolute(a.at(i, j)));
      greatest = greatest == 0 ? sum : plain_node(graph_, Op::pmax, Type::real, {greatest, sum});
    }
    return greatest;
  }

  // Pivots below it are those of a singular matrix.
  int least_pivot(const Numbers2& a) const {
    int greatest = 0;
    for (const int one : a.all) {
      if (is_zero(one)) continue;
      greatest = greatest == 0 ? absolute(one) : plain_node(graph_, Op::pmax, Type::real, {greatest, absolute(one)});
    }
    if (greatest == 0) greatest = constant(1.0);
    return of_two(Op::multiply, greatest, constant(std::numeric_limits<double>::epsilon()));
  }

  // Of a triangle whose pivots are known not to be 0.
  Numbers2 upper_solved(Numbers2& a, Numbers2 b) const {
    for (std::size_t i = a.rows; i-- > 0;)
      for (std::size_t c = 0; c < b.columns; ++c) {
        int value = b.at(i, c);
        for (std::size_t k = i + 1; k < a.rows; ++k) value = minus_product(value, a.at(i, k), b.at(k, c));
        b.at(i, c) = quotient(value, a.at(i, i));
      }
    return b;
  }

  Graph& graph_;
  const Syntax& call_;
};

bool flag_of(Translator& t, const Matched& given, const char* name, bool standard, Scope& scope) {
  const Syntax* const flag = given.find(name);
  if (flag == nullptr) return standard;
  const Decided known = decide(t, *flag, scope);
  return known.length == 1 && !is_missing(known.value[0]) && as_real(known.value[0]) != 0;
}

int translate_solve(Translator& t, const Syntax& call, Scope& scope) {
  const Linear linear(t, call);
  const Matched given = match_named_call({"a", "b"}, call);
  const int a = translate_given(t, given.find("a"), scope);
  const Numbers2 left = linear.square(a, "a");
  const std::string rows = names_word("rows", a, 2);
  if (given.find("b") == nullptr)
    return linear.matrix(linear.solved(left, linear.unit(left.rows)), rows + names_word("columns", a, 1));
  const int b = translate_given(t, given.find("b"), scope);
  bool as_rows = false;
  const Numbers2 right = linear.right_side(b, left.rows, as_rows);
  return linear.result(linear.solved(left, right), b, as_rows, rows, a);
}

int translate_triangle(Translator& t, const Syntax& call, Scope& scope) {
  const Linear linear(t, call);
  const bool back = call.called.name == "backsolve";
  const Matched given = match_named_call({back ? "r" : "l", "x", "k", "upper.tri", "transpose"}, call);
  if (given.find("k") != nullptr) refuse_limit(call, "the argument `k` is not part of the language");
  const int a = translate_given(t, given.find(back ? "r" : "l"), scope);
  const int b = translate_given(t, given.find("x"), scope);
  const Numbers2 left = linear.square(a, back ? "r" : "l");
  bool as_rows = false;
  const Numbers2 right = linear.right_side(b, left.rows, as_rows);
  const bool upper = flag_of(t, given, "upper.tri", back, scope), turned = flag_of(t, given, "transpose", false, scope);
  return linear.result(linear.triangle_solved(left, right, upper, turned), b, as_rows, "", a);
}

// det(), and the logarithm of its size.
int translate_determinant(Translator& t, const Syntax& call, Scope& scope) {
  const Linear linear(t, call);
  const int x = translate_operand(t, call, scope);
  if (!sides_of(t.graph, x).matrix) throw NmathError(quoted_text(call) + ": it takes a matrix");
  Numbers2 a = linear.square(x, "a"), none;
  int value = 0;
  std::vector<int> remaining;
  linear.eliminate(a, none, value, &remaining);
  const bool log = call.called.name != "det";
  if (log) value = 0;
  for (std::size_t j = 0; j < a.rows; ++j) {
    int factor = a.at(j, j);
    if (log) factor = plain_node(t.graph, Op::log, Type::real, {linear.absolute(factor)});
    value = value == 0 ? factor : linear.of_two(log ? Op::add : Op::multiply, value, factor);
  }
  for (std::size_t j = a.rows; !log && j-- > 1;) {  // from the last but one pivot to the first
    int other = remaining[j - 1];
    for (std::size_t k = 0; k + 1 < j; ++k) other = linear.of_two(Op::multiply, other, a.at(k, k));
    value = linear.choose(linear.is_none(a.at(j - 1, j - 1)), other, value);
  }
  t.graph.exact = true;
  return value;
}

}  // namespace

bool is_linear_call(const std::string& name) {
  return name == "chol" || name == "chol2inv" || name == "solve" || name == "det" || name == ".log_det" ||
         name == ".has_factor" || name == ".has_inverse" || name == "backsolve" || name == "forwardsolve";
}

int translate_linear(Translator& t, const Syntax& call, Scope& scope) {
  const std::string& name = call.called.name;
  if (name == "solve") return translate_solve(t, call, scope);
  if (name == "backsolve" || name == "forwardsolve") return translate_triangle(t, call, scope);
  if (name == "det" || name == ".log_det") return translate_determinant(t, call, scope);
  const Linear linear(t, call);
  const int x = translate_operand(t, call, scope);
  const Numbers2 a = linear.square(x, "a");
  if (name == ".has_factor") return linear.has_factor(a);
  if (name == ".has_inverse") return linear.has_inverse(a);
  if (name == "chol2inv") return linear.matrix(linear.inverse_of_root(a), "");
  return linear.matrix(linear.cholesky(a), names_word("rows", x, 1) + names_word("columns", x, 2));
}

}  // namespace openclPort::expression
