// points_door -- what calls at many points share: R's columns on one device, numbers of points, what R gets.
#ifndef NMATHOPENCL_POINTS_DOOR_H
#define NMATHOPENCL_POINTS_DOOR_H

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

// As fused_points_cpp() takes them.
struct FusedPoints {
  SEXP handle, inputs;
  const std::vector<int>&columns, &scalars, &lengths;
  SEXP parts;
  double count;
  int n;
  const std::vector<int>& wide;
  bool mean;
  SEXP groups;  // what fused_groups_cpp() has made, or NULL
  const std::vector<std::string>& device;
  SEXP progress;
};
SEXP run_fused_points(const FusedPoints& request, const PointsDone& done);

// As staged_points_cpp() takes them.
struct StagedPoints {
  SEXP plans, inputs, parts, over;
  double count;
  const std::vector<std::string>& device;
  SEXP progress;
};
SEXP run_staged_points(const StagedPoints& request, const PointsDone& done);

#endif
