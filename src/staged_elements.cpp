// staged_elements -- the last launch of a call from a plan, where the function gives elements; see staged_call.h.
#include <algorithm>

#include "resident_object.h"
#include "result_memory.h"
#include "staged_call.h"

using openclPort::RunReport;

namespace {

constexpr std::size_t kMostBack = 65536;  // numbers that come from a device and go there again

void add_report(const RunReport& before, RunReport& report) {
  report.chunks += before.chunks;
  report.cache_hits += before.cache_hits;
  report.compute += before.compute;
  report.total += before.total;
}

}  // namespace

SEXP StagedCall::column_for_r(int input) {
  const std::size_t at = static_cast<std::size_t>(input);
  if (is_given(input)) {
    SEXP const x = given(input);
    return resident_object::is(x) ? resident_object::field(x, resident_object::handle) : x;
  }
  const StagedNumbers& from = found_[at];
  if (from.count < plan_.sizes[at] || (!on_host() && from.count > kMostBack)) return R_NilValue;
  SEXP const made = new_result(plan_.whole[at] != 0 ? INTSXP : REALSXP, static_cast<R_xlen_t>(from.count));
  for (std::size_t i = 0; i < from.count; ++i) {
    if (plan_.whole[at] != 0)
      INTEGER(made)[i] = as_whole(from.data[i]);
    else
      REAL(made)[i] = from.data[i];
  }
  return made;
}

SEXP StagedCall::elements(SEXP progress, bool keep, RunReport& report) {
  if (!fetch()) return R_NilValue;
  const StagedStep& step = *plan_.result;
  std::vector<double> scalars;
  for (const int input : step.scalars) {
    std::vector<double> value;
    if (!value_of(input, value) || value.size() != 1) return R_NilValue;
    scalars.push_back(value[0]);
  }
  scalars.insert(scalars.end(), step.lengths.begin(), step.lengths.end());
  const r::Keep columns(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(step.columns.size())); }));
  for (std::size_t k = 0; k < step.columns.size(); ++k) {
    SEXP const column = column_for_r(step.columns[k]);
    if (column == R_NilValue) return R_NilValue;
    SET_VECTOR_ELT(columns, static_cast<R_xlen_t>(k), column);
  }
  for (int k = 1; k <= plan_.n_given; ++k)  // data that were given when the function was made leave no results there
    keep = keep ||
           (resident_object::is(given(k)) && resident_object::field(given(k), resident_object::origin) == R_NilValue);
  if (keep && plan_.dim != R_NilValue) return R_NilValue;
  const std::vector<std::string> device = {device_->info().index == 0 ? std::string("host")
                                                                      : std::to_string(device_->info().index)};
  const RunReport before = report;
  const FusedRequest request = {step.handle, columns, scalars, step.n, nullptr, device, 0, progress, keep};
  const openclPort::FusedSpec& spec = fused_kernel_of(step.handle).spec();
  return run_prepared(request, [&](SEXP values, const std::vector<int>& flags, const RunReport& done) -> SEXP {
    if (spec.tells(flags.data())) return R_NilValue;
    report = done;
    add_report(before, report);
    SEXP const value = VECTOR_ELT(values, 0);
    if (!keep && plan_.dim == R_NilValue) return value;
    return r::enter([&] {
      if (keep) return resident_object::of_doubles(value, step.n);
      Rf_setAttrib(value, R_DimSymbol, plan_.dim);
      return value;
    });
  });
}
