// points_door -- what calls at many points share: R's columns on one device, numbers of points, what R gets.
#ifndef NMATHOPENCL_POINTS_DOOR_H
#define NMATHOPENCL_POINTS_DOOR_H

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

double number_of_point(SEXP x, R_xlen_t i);

// list(value, gradient, flagged, report); not protected.
SEXP points_for_r(SEXP value, SEXP gradient, const std::vector<int>& flagged, const openclPort::RunReport& report);

#endif
