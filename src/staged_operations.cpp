// staged_operations -- which nodes C++ computes between launches, and how: found once for a plan.
#include <cmath>
#include <set>

#include "device/device_selection.h"
#include "expression/graph.h"
#include "staged_numbers.h"
#include "staged_plan.h"

bool has_value(const openclPort::expression::Graph& graph, int id) {
  using staged::Op;
  const openclPort::expression::Node& node = graph.at(id);
  static const std::set<Op> moved = {Op::constant, Op::input, Op::slice,       Op::gather,
                                     Op::concat,   Op::bare,  Op::materialize, Op::column};
  static const std::set<Op> computed = {
      Op::count,     Op::as_double,  Op::plus,          Op::negative,    Op::absolute,   Op::log,       Op::negation,
      Op::is_na,     Op::select,     Op::position,      Op::segments,    Op::cut,        Op::each,      Op::spread,
      Op::part_sums, Op::cumsum,     Op::fill,          Op::patch,       Op::add,        Op::subtract,  Op::multiply,
      Op::divide,    Op::power,      Op::both,          Op::either,      Op::equal,      Op::unequal,   Op::less,
      Op::greater,   Op::less_equal, Op::greater_equal, Op::pmin,        Op::pmax,       Op::exclusive, Op::atan2,
      Op::log_base,  Op::is_nan,     Op::is_finite,     Op::is_infinite, Op::as_logical, Op::as_integer};
  if (moved.count(node.op) > 0) return true;
  if (node.type == openclPort::expression::Type::integer && (node.op == Op::power || node.op == Op::library))
    return false;
  if (node.op == Op::reduce)
    // Sums of integers that are doubles are R's.
    return (node.second == 0 || node.type == openclPort::expression::Type::integer) && staged::has_reduced(node.name);
  if (node.op == Op::row_reduce)
    return node.name == "sum" || node.name == "prod" || node.name == "min" || node.name == "max";
  if (node.op == Op::elementary) return staged::elementary_named(node.name) != nullptr;
  if (node.op == Op::library) return openclPort::has_kernel_spec(node.name);
  return computed.count(node.op) > 0;
}

namespace {

double same(double x) { return x; }

// What an operation of one number does; null: it is none.
double (*function_of(const openclPort::expression::Node& node))(double) {
  using staged::Op;
  switch (node.op) {
    case Op::as_double:
    case Op::materialize:
    case Op::plus:
    case Op::bare:
      return same;
    case Op::negative:
      return [](double x) { return -x; };
    case Op::absolute:
      return [](double x) { return std::fabs(x); };
    case Op::log:
      return staged::natural_log;
    case Op::elementary:
      return staged::elementary_named(node.name);
    default:
      return nullptr;
  }
}

StagedOperation operation_of(const openclPort::expression::Graph& graph, int id) {
  using staged::Op;
  const openclPort::expression::Node& node = graph.at(id);
  StagedOperation made;
  made.op = node.op;
  made.id = id;
  made.whole = graph.type(id) == openclPort::expression::Type::integer;
  made.computed = node.op != Op::input && node.op != Op::constant && node.op != Op::count;
  made.function = function_of(node);
  if (made.function == nullptr && node.op != Op::select && !staged::is_of_two(node.op)) return made;
  made.first = node.args.at(0);
  if (made.function != nullptr) return made;
  made.second = node.args.at(1);
  if (node.op == Op::select) made.third = node.args.at(2);
  return made;
}

}  // namespace

void find_operations(StagedPlan& plan) {
  for (StagedStep& step : plan.steps)
    for (const int id : step.order)
      if (plan.is_slope[static_cast<std::size_t>(id)] == 0) step.operations.push_back(operation_of(plan.graph(), id));
}
