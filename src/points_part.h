// points_part -- some points of a call of a function in stages: each launch is one for all of them
// (engine/fused_points.h), and the values between launches are computed point by point.
#pragma once

#include <string>
#include <vector>

#include "engine/fused_points.h"
#include "point_numbers.h"
#include "staged_plan.h"

// A call at `all` points, as run_staged_points() takes it.
struct PointsOfPlan {
  StagedPlan& plan;
  StagedPlan* general;  // the same with other kernels, or null
  SEXP inputs, parts;
  std::size_t all;
  openclPort::SharedDevice device;
};

// By input, whether nothing but sums by codes has its elements: they are resident on the device.
std::vector<char> resident_elements(const PointsOfPlan& call);

// Points [first, first + count) of a call.
class PointsPart {
 public:
  enum class Done { yes, too_short, no };  // too_short: for a kernel; no: the call is none for these kernels

  PointsPart(const PointsOfPlan& call, const std::vector<char>& stays, std::size_t first, std::size_t count);

  Done compute(openclPort::RunReport& report, const openclPort::CallHooks& hooks);

  // Writes values, and gradients and Hessians number by number, of all points of the call; null: there are none.
  // `slopes`: the numbers of each slope. NA of points of which R says more, where something is missing: true of those.
  void write(double* value, double* gradient, double* hessian, const std::vector<std::size_t>& slopes);
  bool flagged(std::size_t p) const { return flagged_[p] != 0; }

 private:
  std::size_t size_of(int input) const;
  SEXP part_of(int input) const;
  bool value_of(std::size_t p, int input, std::vector<double>& value) const;
  bool numbers_of_input(int input, std::vector<double>& numbers) const;
  bool compute_numbers(const StagedStep& step);
  void compute_step(const StagedStep& step);
  // Number `j` of a node at a point; its numbers are recycled, and NA where there are none.
  double number_of(int node, std::size_t p, std::size_t j) const;
  Done launch_step(std::size_t s, openclPort::RunReport& report, const openclPort::CallHooks& hooks);
  bool find_columns(const StagedStep& step, openclPort::PointsCall& call) const;
  // A point whose values are known: of what is the same at all points.
  std::size_t known_point() const;
  // Numbers between launches that are the same at all points, not protected; NULL: there are none.
  SEXP same_numbers(int input) const;
  const openclPort::Buffer* numbers_of(const std::vector<int>& over, openclPort::PointsCall& call,
                                       std::vector<double>& made);
  void keep_elements(const StagedStep& step, const openclPort::FusedSpec& spec, openclPort::PointsCall& call);
  void write_slope(std::size_t k, std::size_t size, double* to);
  void write_curve(const StagedCurve& curve, std::size_t first, std::size_t size, std::size_t numbers, double* to);
  void take_in(const StagedOutput& output, std::vector<double>& from, std::size_t width);

  const PointsOfPlan& call_;
  StagedPlan& plan_;
  const std::vector<char>& stays_;
  const std::size_t first_, count_;
  std::vector<char> flagged_;  // points that R computes
  bool all_numbers_ = true;  // each value between launches up to now is one number: `numbers_` has them, else `known_`
  PointNumbers numbers_;
  std::vector<StagedValues> known_;
  std::vector<std::vector<double>> computed_;  // by input, point by point
};
