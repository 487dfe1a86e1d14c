// fused_call -- one call of a kernel of an expression, whoever asks for it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/report.h"
#include "engine/fused.h"
#include "r_door.h"

// A kernel behind a handle, not protected. `types`: of its outputs, as handles::TypeCode has them.
SEXP prepare_fused(openclPort::FusedSpec spec, const std::vector<int>& types);
openclPort::FusedKernel& fused_kernel_of(SEXP handle);

// What fused_groups_cpp() has made.
std::shared_ptr<const openclPort::Grouping> grouping_behind(SEXP handle);

// As fused_run_cpp() takes them.
struct FusedRequest {
  SEXP handle, columns;
  const std::vector<double>& scalars;
  double n;
  const openclPort::Grouping* groups;  // nullptr: there are none
  const std::vector<std::string>& device;
  double chunk_size;
  SEXP progress;
  bool keep;
  // Of a reduction to doubles: where the results go, by output; they are then no vectors of R.
  std::vector<std::vector<double>>* numbers = nullptr;
};

// What the call gives of its values, a list that is kept meanwhile, empty where they are numbers. Outside r::enter().
using FusedDone = std::function<SEXP(SEXP values, const std::vector<int>& flags, const openclPort::RunReport& report)>;

// NULL where the call is too short for the kernel: openclPort::fused_too_short()
SEXP run_prepared(const FusedRequest& request, const FusedDone& done);

// list(values, flags, report)
SEXP fused_values(SEXP values, const std::vector<int>& flags, const openclPort::RunReport& report);
