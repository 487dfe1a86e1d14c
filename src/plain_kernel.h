// plain_kernel -- runs a user's kernel in the plain shape for R: columns of n doubles or ints, then out and len.
#ifndef NMATHOPENCL_PLAIN_KERNEL_H
#define NMATHOPENCL_PLAIN_KERNEL_H

#include <functional>

#include "opencl_kernel_runners.h"
#include "r_boundary.h"
#include "vector_columns.h"

// `columns` is a list of vectors. `make_call` is called only if there is something to compute, so that nothing is built
// for nothing.
inline SEXP run_plain_kernel(const std::function<openclPort::KernelCall()>& make_call, SEXP columns, int n,
                             openclPort::RunReport& report) {
  using openclPort::Column;
  openclPort::Stopwatch watch;
  const std::vector<Column> inputs = columns_of(columns, R_NilValue);
  const r::Keep out(r::enter([&] { return Rf_allocVector(REALSXP, n); }));
  if (n > 0) {
    openclPort::KernelCall call = make_call();
    std::fill_n(REAL(out), n, 0.0);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::string label = "columns[[" + std::to_string(k + 1) + "]]";
      if (inputs[k].type == Column::Type::f64)
        call.input(label, static_cast<const double*>(inputs[k].data), inputs[k].length);
      else
        call.input(label, static_cast<const int*>(inputs[k].data), inputs[k].length);
    }
    call.output("out", REAL(out), static_cast<std::size_t>(n)).value("len", n).items(static_cast<std::size_t>(n)).run();
  }
  report.total = watch.lap();
  const std::vector<std::string> warnings;
  return r::enter([&] { return r::List(3).add("value", out).add("warnings", warnings).add("report", report).done(); });
}

#endif
