// point_numbers -- values between launches at many points, where each is one number: a node's are computed for all
// points together.
#pragma once

#include <functional>
#include <vector>

#include "staged_plan.h"

class PointNumbers {
 public:
  // All points' numbers of an input: false where it has none, or more than one at a point.
  using Input = std::function<bool(int input, std::vector<double>& numbers)>;

  PointNumbers(const StagedPlan& plan, std::size_t count) : plan_(plan), count_(count) {}

  // The nodes of a step. `flagged`: by point, whether R computes it, as compute_values() says. False, and nothing is
  // computed: some node is no number.
  bool compute(const StagedStep& step, const Input& input, std::vector<char>& flagged);

  // A node's numbers, by point: none of what was not computed.
  const std::vector<double>& of(int node) const { return numbers_[static_cast<std::size_t>(node)]; }
  // What a point has, by node.
  StagedValues at(std::size_t p) const;

 private:
  bool is_there(int node) const { return of(node).size() == count_; }
  bool takes_numbers(const StagedStep& step, const Input& input);
  void compute(const StagedOperation& one, std::vector<char>& flagged);
  bool is_missing_before(const StagedOperation& one, std::size_t p) const;

  const StagedPlan& plan_;
  const std::size_t count_;
  StagedValues numbers_;  // by node, point by point
};
