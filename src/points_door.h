// points_door -- shared by calls at many points: R's columns on one device, numbers of points, results for R.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/report.h"
#include "device/resident.h"
#include "engine/fused.h"
#include "r_door.h"

// Columns of R's memory, and of one device, which is then the call's. Null: there are several.
openclPort::SharedDevice columns_of_points(SEXP columns, openclPort::FusedCall& call,
                                           std::vector<std::shared_ptr<openclPort::Resident>>& kept,
                                           const std::vector<std::string>& asked);

// The same where the device is known: false where a column lies on another one. What stays lives as long as `columns`.
bool columns_on_device(SEXP columns, openclPort::FusedCall& call, const openclPort::SharedDevice& device);

double number_of_point(SEXP x, R_xlen_t i);

// Of a call at many points, kept meanwhile; NULL where there is no gradient, or no Hessian.
struct PointsValues {
  SEXP value, gradient = R_NilValue, hessian = R_NilValue;
};

// What a call at many points gives R. Outside r::enter(). `flagged`: points, from 1, of which there is more to be said.
using PointsDone = std::function<SEXP(const PointsValues& values, const std::vector<int>& flagged,
                                      const openclPort::RunReport& report)>;

// list(value, gradient, hessian, flagged, report); not protected.
SEXP points_for_r(const PointsValues& values, const std::vector<int>& flagged, const openclPort::RunReport& report);

// A reduction of doubles: `columns`, `scalars`, `lengths`, `n` say which inputs, and measures of them, the kernel
// takes; `over` which inputs a point's numbers are; `wide`: by slope, whether it is many numbers; `mean`: whether sums
// are divided by n.
struct FusedPoints {
  SEXP handle;
  std::vector<int> columns, scalars, lengths, over, wide;
  int n = 0;
  bool mean = false;
};

// A call at many points. `inputs`: those of the first point; `parts`: by input NULL, or a vector or an array whose
// first dimension counts points; `groups`: NULL, or what fused_groups_cpp() has made, for the sums of each group.
struct PointsCallOfR {
  SEXP inputs, parts;
  double count;
  SEXP groups;
  const std::vector<std::string>& device;
  SEXP progress;
};
// NULL, and nothing has run, where the call is too short for the kernel, FALSE where it is none for one device at once.
SEXP run_fused_points(const FusedPoints& plan, const PointsCallOfR& call, const PointsDone& done);
// `plans` of a function in stages: with its usual kernels, and, where there is a second one, with general ones, for
// launches that are too short for the others.
SEXP run_staged_points(SEXP plans, const PointsCallOfR& call, const PointsDone& done);
// By a plan of R's, see points_plan() in R/expression_points_plan.R.
SEXP run_points_plan(SEXP plan, const PointsCallOfR& call, const PointsDone& done);
