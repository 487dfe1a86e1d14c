// point_numbers -- see point_numbers.h
#include "point_numbers.h"

#include <algorithm>
#include <cmath>

#include "expression/graph.h"
#include "staged_numbers.h"

using openclPort::expression::Node;
using openclPort::expression::Op;

StagedValues PointNumbers::at(std::size_t p) const {
  StagedValues made(numbers_.size());
  for (std::size_t id = 0; id < numbers_.size(); ++id)
    if (!numbers_[id].empty()) made[id].assign(1, numbers_[id][p]);
  return made;
}

// Inputs and constants are taken on the way: they are what they are in any order.
bool PointNumbers::takes_numbers(const StagedStep& step, const Input& input) {
  std::vector<char> computed(numbers_.size(), 0);
  const auto known = [&](int id) { return is_there(id) || computed[static_cast<std::size_t>(id)] != 0; };
  for (const StagedOperation& one : step.operations) {
    const Node& node = plan_.graph().at(one.id);
    std::vector<double>& numbers = numbers_[static_cast<std::size_t>(one.id)];
    if (one.op == Op::constant) {
      numbers.assign(count_, openclPort::expression::as_real(node.constant));
    } else if (one.op == Op::input) {
      if (!input(node.first, numbers)) return false;
    } else if (one.first == 0 || !known(one.first) ||
               (one.function == nullptr && (one.second == 0 || !known(one.second))) ||
               (one.third != 0 && !known(one.third))) {
      return false;
    }
    computed[static_cast<std::size_t>(one.id)] = 1;
  }
  return true;
}

void PointNumbers::compute(const StagedOperation& one, std::vector<char>& flagged) {
  if (one.first == 0) return;
  std::vector<double>& made = numbers_[static_cast<std::size_t>(one.id)];
  made.resize(count_);
  const std::vector<double>& a = of(one.first);
  if (one.function != nullptr) {
    std::transform(a.begin(), a.end(), made.begin(), one.function);
    return;
  }
  const std::vector<double>& b = of(one.second);
  const bool is_extreme = one.op == Op::pmin || one.op == Op::pmax;
  for (std::size_t p = 0; p < count_; ++p) {
    if (one.third != 0) {
      made[p] = staged::is_missing(a[p]) ? NA_REAL : a[p] != 0 ? b[p] : of(one.third)[p];
    } else {
      made[p] = staged::of_two(one.op, a[p], b[p]);
      if (is_extreme && (staged::is_missing(a[p]) || staged::is_missing(b[p]))) flagged[p] = 1;
    }
  }
}

// Whether the result's missing number was one before the operation, which does not warn then.
bool PointNumbers::is_missing_before(const StagedOperation& one, std::size_t p) const {
  if (staged::moves_numbers(one.op)) return true;
  const std::vector<int>& args = plan_.graph().at(one.id).args;
  return staged::computes_each(one.op) &&
         std::any_of(args.begin(), args.end(), [&](int id) { return staged::is_missing(of(id)[p]); });
}

bool PointNumbers::compute(const StagedStep& step, const Input& input, std::vector<char>& flagged) {
  numbers_.resize(static_cast<std::size_t>(plan_.graph().size()) + 1);
  if (!takes_numbers(step, input)) return false;
  for (const StagedOperation& one : step.operations) {
    compute(one, flagged);
    const std::vector<double>& made = of(one.id);
    for (std::size_t p = 0; p < count_; ++p) {
      if (one.whole && std::fabs(made[p]) > staged::kMostCode) flagged[p] = 1;
      if (plan_.warns && one.computed && staged::is_missing(made[p]) && !is_missing_before(one, p)) flagged[p] = 1;
    }
  }
  return true;
}
