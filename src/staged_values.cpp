// staged_values -- what no kernel computes of a function in stages: sums of what launches left, parts of small vectors,
// as R has them.
#include <algorithm>
#include <cmath>

#include "base/columns.h"
#include "device/device_selection.h"
#include "engine/elementwise.h"
#include "expression/graph.h"
#include "rules/missing_values.h"
#include "staged_numbers.h"
#include "staged_plan.h"

namespace staged {

using openclPort::expression::Graph;
using openclPort::expression::Node;

class Values {
 public:
  using Input = std::function<bool(int, Numbers&)>;
  Values(const Graph& graph, const Input& input, StagedValues& known) : graph_(graph), input_(input), known_(known) {}

  bool compute(const StagedOperation& one) {
    Numbers& made = known_[static_cast<std::size_t>(one.id)];
    double number = 0;
    if (of_numbers(one, number)) {
      made.assign(1, number);
    } else {
      made.clear();
      if (!of_node(graph_.at(one.id), made)) return false;
    }
    return !one.whole || std::none_of(made.begin(), made.end(), [](double x) { return std::fabs(x) > kMostCode; });
  }  // R warns of other integers

 private:
  const Numbers& numbers(int id) const { return known_[static_cast<std::size_t>(id)]; }

  // Most operations are of numbers, and so are thousands of them fast. False of others.
  bool of_numbers(const StagedOperation& one, double& made) const {
    if (one.first == 0 || numbers(one.first).size() != 1) return false;
    const double a = numbers(one.first)[0];
    if (one.function != nullptr) {
      made = one.function(a);
      return true;
    }
    if (one.second == 0 || numbers(one.second).size() != 1) return false;
    const double b = numbers(one.second)[0];
    if (one.third != 0) {
      if (numbers(one.third).size() != 1) return false;
      made = is_missing(a) ? NA_REAL : a != 0 ? b : numbers(one.third)[0];
      return true;
    }
    if ((one.op == Op::pmin || one.op == Op::pmax) && (is_missing(a) || is_missing(b))) return false;
    made = of_two(one.op, a, b);
    return true;
  }

  const Numbers& arg(const Node& node, std::size_t k) const { return known_[static_cast<std::size_t>(node.args[k])]; }

  static std::size_t length_of(const Node& node) { return static_cast<std::size_t>(node.length); }

  bool of_node(const Node& node, Numbers& made) const {
    switch (node.op) {
      case Op::constant:
        made = {openclPort::expression::as_real(node.constant)};
        return true;
      case Op::count:
        made = {graph_.length(node.args[0])};
        return true;
      case Op::input:
        return of_input(node.first, made);
      case Op::column:
        return of_column(node, made);
      case Op::row_reduce:
        return of_rows(node, made);
      case Op::part_sums:
        return of_columns(node, made);
      case Op::as_integer:
        map_to(made, arg(node, 0), [](double x) { return std::trunc(x); });
        return !any_missing(made);
      case Op::as_logical:
        map_to(made, arg(node, 0), [](double x) { return is_missing(x) ? NA_REAL : double(x != 0); });
        return true;
      case Op::as_double:
      case Op::materialize:
      case Op::plus:
      case Op::bare:
        made = arg(node, 0);
        return true;
      case Op::negative:
        map_to(made, arg(node, 0), [](double x) { return -x; });
        return true;
      case Op::absolute:
        map_to(made, arg(node, 0), [](double x) { return std::fabs(x); });
        return true;
      case Op::log:
        map_to(made, arg(node, 0), natural_log);
        return true;
      case Op::elementary:
        map_to(made, arg(node, 0), elementary_named(node.name));
        return true;
      case Op::negation:
        map_to(made, arg(node, 0), [](double x) { return is_missing(x) ? NA_REAL : double(x == 0); });
        return true;
      case Op::is_na:
        map_to(made, arg(node, 0), [](double x) { return double(is_missing(x)); });
        return true;
      case Op::is_nan:
        map_to(made, arg(node, 0), [](double x) { return double(std::isnan(x) && R_IsNA(x) == 0); });
        return true;
      case Op::is_finite:
        map_to(made, arg(node, 0), [](double x) { return double(std::isfinite(x)); });
        return true;
      case Op::is_infinite:
        map_to(made, arg(node, 0), [](double x) { return double(std::isinf(x)); });
        return true;
      case Op::library:
        return of_library(node, made);
      case Op::select:
        return selected(node, made);
      case Op::position:
        for (std::size_t i = 0; i < length_of(node); ++i) made.push_back(static_cast<double>(i));
        return true;
      case Op::reduce:
        return of_reduction(node, made);
      case Op::segments:
        return added_by_codes(node, made);
      case Op::cut:
        made.assign(arg(node, 0).begin(), arg(node, 0).begin() + std::min(arg(node, 0).size(), arg(node, 1).size()));
        return arg(node, 0).size() >= arg(node, 1).size();
      case Op::each:
        if (arg(node, 0).empty()) return false;
        for (std::size_t i = 0; i < length_of(node); ++i)
          made.push_back(arg(node, 0)[i * arg(node, 0).size() / length_of(node)]);
        return true;
      case Op::slice:
      case Op::spread:
      case Op::gather:
      case Op::concat:
      case Op::cumsum:
      case Op::fill:
      case Op::patch:
        return of_parts(node, made);
      default:
        return of_pair(node, made);
    }
  }

  // One that no step computes is what its definition is.
  bool of_input(int k, Numbers& made) const {
    if (input_(k, made)) return true;
    const int definition = graph_.input(k).definition;
    if (definition == 0 || known_[static_cast<std::size_t>(definition)].empty()) return false;
    made = known_[static_cast<std::size_t>(definition)];
    return true;
  }

  bool of_reduction(const Node& node, Numbers& made) const {
    if (arg(node, 0).empty()) return false;
    if (!node.flag) return reduced_number(node.name, arg(node, 0), made);
    Numbers there;
    for (const double one : arg(node, 0))
      if (!is_missing(one)) there.push_back(one);
    return reduced_number(node.name, there, made);
  }

  static bool reduced_number(const std::string& op, const Numbers& x, Numbers& made) {
    if ((op == "min" || op == "max") && (x.empty() || any_missing(x))) return false;  // R warns, or says which of them
    made = {reduced(op, x)};
    return true;
  }

  // As R's rowSums() adds; other reductions go from column to column.
  bool of_rows(const Node& node, Numbers& made) const {
    const Numbers& x = arg(node, 0);
    const std::size_t rows = length_of(node);
    if (rows == 0 || x.empty() || x.size() % rows != 0) return false;
    if (node.name != "sum") {
      if (node.name != "prod" && any_missing(x)) return false;
      const Op op = node.name == "prod" ? Op::multiply : node.name == "min" ? Op::pmin : Op::pmax;
      made.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(rows));
      for (std::size_t k = rows; k < x.size(); ++k) made[k % rows] = of_two(op, made[k % rows], x[k]);
      return true;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      long double sum = 0.0L;
      for (std::size_t k = i; k < x.size(); k += rows) sum += static_cast<long double>(x[k]);
      made.push_back(static_cast<double>(sum));
    }
    return true;
  }

  // As R's colSums() adds, each column in parts.
  bool of_columns(const Node& node, Numbers& made) const {
    const Numbers& x = arg(node, 0);
    const std::size_t columns = static_cast<std::size_t>(node.first), parts = length_of(node) / columns;
    if (x.empty() || parts == 0 || x.size() % columns != 0) return false;
    const std::size_t rows = x.size() / columns, part = (rows - 1) / parts + 1;
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t k = 0; k < parts; ++k) {
        long double sum = 0.0L;
        for (std::size_t i = k * part; i < std::min((k + 1) * part, rows); ++i)
          sum += static_cast<long double>(x[j * rows + i]);
        made.push_back(static_cast<double>(sum));
      }
    return true;
  }

  bool of_column(const Node& node, Numbers& made) const {
    Numbers all;
    if (!input_(node.first, all)) return false;
    const std::size_t rows = length_of(node), begin = rows * static_cast<std::size_t>(node.second - 1);
    if (begin + rows > all.size()) return false;
    made.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                all.begin() + static_cast<std::ptrdiff_t>(begin + rows));
    return true;
  }

  bool of_pair(const Node& node, Numbers& made) const {
    const Numbers &a = arg(node, 0), &b = arg(node, 1);
    if (a.empty() || b.empty()) return false;
    if ((node.op == Op::pmin || node.op == Op::pmax) && (any_missing(a) || any_missing(b))) return false;
    made.resize(std::max(a.size(), b.size()));
    const Recycled of_a(a), of_b(b);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = of_two(node.op, of_a.at(i), of_b.at(i));
    return true;
  }

  bool selected(const Node& node, Numbers& made) const {
    const Numbers &test = arg(node, 0), &yes = arg(node, 1), &no = arg(node, 2);
    if (test.empty() || yes.empty() || no.empty()) return false;
    const bool as_test = node.length == graph_.length(node.args[0]);  // else rules choose element by element
    made.resize(as_test ? test.size() : std::max({test.size(), yes.size(), no.size()}));
    const Recycled of_test(test), of_yes(yes), of_no(no);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const double asked = of_test.at(i);
      made[i] = is_missing(asked) ? NA_REAL : asked != 0 ? of_yes.at(i) : of_no.at(i);
    }
    return true;
  }

  bool of_parts(const Node& node, Numbers& made) const {
    if (node.op == Op::concat) {
      for (std::size_t k = 0; k < node.args.size(); ++k)
        made.insert(made.end(), arg(node, k).begin(), arg(node, k).end());
      return true;
    }
    const Numbers& x = arg(node, 0);
    if (node.op == Op::fill) {
      if (x.empty()) return false;
      made.resize(length_of(node));
      const Recycled of_x(x);
      for (std::size_t i = 0; i < made.size(); ++i) made[i] = of_x.at(i);
    } else if (node.op == Op::patch) {
      made = x;
      if (static_cast<std::size_t>(node.first) > x.size() || arg(node, 1).size() != 1) return false;
      made[static_cast<std::size_t>(node.first) - 1] = arg(node, 1)[0];
    } else if (node.op == Op::cumsum) {
      long double sum = 0.0L;
      for (const double one : x) made.push_back(static_cast<double>(sum += static_cast<long double>(one)));
    } else if (node.op == Op::gather) {
      return gathered(x, arg(node, 1), made);
    } else {
      return placed(node, x, made);
    }
    return true;
  }

  // As R's rowsum() adds, element by element.
  bool added_by_codes(const Node& node, Numbers& made) const {
    const Numbers &x = arg(node, 0), &codes = arg(node, 1);
    made.assign(length_of(node), 0.0);
    if (x.empty()) return codes.empty();
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] < 1) return false;
      if (!is_missing(codes[i]) && codes[i] < static_cast<double>(made.size()) + 1)
        made[static_cast<std::size_t>(codes[i]) - 1] += x[i % x.size()];
    }
    return true;
  }

  static bool gathered(const Numbers& x, const Numbers& codes, Numbers& made) {
    made.reserve(codes.size());
    for (const double code : codes) {
      if (code < 1) return false;
      const bool there = !is_missing(code) && code < static_cast<double>(x.size()) + 1;
      made.push_back(there ? x[static_cast<std::size_t>(code) - 1] : NA_REAL);
    }
    return true;
  }

  static bool placed(const Node& node, const Numbers& x, Numbers& made) {
    const bool slice = node.op == Op::slice;
    const std::size_t length = slice ? x.size() : length_of(node);
    const std::size_t count = slice ? length_of(node) : static_cast<std::size_t>(std::stod(node.name));
    if (!slice && x.empty()) return false;
    made.assign(slice ? count : length, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      const double place =
          node.first + (node.flag ? static_cast<double>(length) : 0.0) + node.second * static_cast<double>(i);
      if (!(place >= 1 && place <= static_cast<double>(length))) return false;
      const std::size_t at = static_cast<std::size_t>(place) - 1;
      if (slice)
        made[i] = x[at];
      else
        made[at] = x[i % x.size()];
    }
    return true;
  }

  // On the host device, as R's own evaluation of an expression has it. What is to be warned of is R's.
  bool of_library(const Node& node, Numbers& made) const {
    const openclPort::KernelSpec& spec = openclPort::find_kernel_spec(node.name);
    const std::size_t real = static_cast<std::size_t>(spec.n_real);
    if (node.args.size() < real) return false;
    std::vector<openclPort::Column> columns;
    std::vector<int> flags;
    std::size_t n = 0;
    for (std::size_t k = 0; k < real; ++k) {
      const Numbers& x = arg(node, k);
      if (x.empty()) return false;
      n = std::max(n, x.size());
      columns.push_back({x.data(), x.size(), openclPort::Column::Type::f64});
    }
    for (std::size_t k = real; k < node.args.size(); ++k) {
      const Numbers& x = arg(node, k);
      if (x.size() != 1 || is_missing(x[0])) return false;
      flags.push_back(x[0] != 0);
    }
    for (int& flag : flags) columns.push_back({&flag, 1, openclPort::Column::Type::i32});
    made.resize(n);
    openclPort::RunReport report;
    openclPort::ResultScan scan(spec, columns);
    openclPort::CallHooks hooks;
    hooks.arrived = [&scan](std::size_t begin, std::size_t end, double* results) { scan.chunk(begin, end, results); };
    openclPort::run_elementwise("host", spec, columns, n, made.data(), report, hooks);
    return scan.warnings().empty();
  }

  const Graph& graph_;
  const Input& input_;
  StagedValues& known_;
};

// Whether R says nothing of what is missing in `made`: an operation that moves values or does arithmetic of numbers
// only has it from its arguments, where it is missing in the same element.
bool is_missing_before(const Graph& graph, const StagedOperation& one, const StagedValues& known) {
  if (moves_numbers(one.op)) return true;
  if (!computes_each(one.op)) return false;
  const Numbers& made = known[static_cast<std::size_t>(one.id)];
  const std::vector<int>& args = graph.at(one.id).args;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!is_missing(made[i])) continue;
    const auto is_source = [&](int id) {
      const Numbers& from = known[static_cast<std::size_t>(id)];
      return from.size() == 1 ? is_missing(from[0]) : from.size() == made.size() && is_missing(from[i]);
    };
    if (std::none_of(args.begin(), args.end(), is_source)) return false;
  }
  return true;
}

}  // namespace staged

bool compute_values(const StagedPlan& plan, const StagedStep& step,
                    const std::function<bool(int input, std::vector<double>& value)>& input, StagedValues& known) {
  known.resize(static_cast<std::size_t>(plan.graph().size()) + 1);
  staged::Values values(plan.graph(), input, known);
  for (const StagedOperation& one : step.operations) {
    if (!values.compute(one)) return false;
    const std::vector<double>& made = known[static_cast<std::size_t>(one.id)];
    if (plan.warns && one.computed && std::any_of(made.begin(), made.end(), staged::is_missing) &&
        !staged::is_missing_before(plan.graph(), one, known))
      return false;
  }
  return true;
}
