// point_sums -- what R gets of a reduction's sums at many points: a number for each point or, by groups, for each group
// at each point, and the same of its slopes.
#pragma once

#include <vector>

#include "engine/fused_points.h"
#include "r_door.h"

class PointSums {
 public:
  // Gives the call places for its sums, which it is to leave there. `wide`: by slope, whether it is many numbers;
  // `mean`: whether sums are divided by how many elements there are.
  PointSums(openclPort::PointsCall& call, const openclPort::FusedSpec& spec, const std::vector<int>& wide, bool mean);
  PointSums(const PointSums&) = delete;
  PointSums& operator=(const PointSums&) = delete;

  SEXP value() const { return value_; }
  SEXP gradient() const { return gradient_; }  // NULL where there is no slope

 private:
  struct Number {
    std::size_t output, place;  // which of an output's numbers
  };

  SEXP make_gradient() const;
  void take(std::size_t first, std::size_t last);
  void add_blocks(const double* from, std::size_t width, double* to);

  const openclPort::PointsCall& call_;
  const openclPort::FusedSpec& spec_;
  const openclPort::Grouping* const grouping_;
  const bool mean_;
  const std::size_t groups_;
  std::vector<Number> numbers_;              // value, then slopes
  std::vector<std::vector<double>> values_;  // by output
  const r::Keep value_, gradient_;
};
