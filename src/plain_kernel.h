// plain_kernel -- runs a user's kernel in the plain shape for R: columns of n doubles or ints, then out and len.
#ifndef NMATHOPENCL_PLAIN_KERNEL_H
#define NMATHOPENCL_PLAIN_KERNEL_H

#include <Rcpp.h>

#include <functional>

#include "opencl_kernel_runners.h"
#include "r_boundary.h"

// `make_call` is called only if there is something to compute, so that nothing is built for nothing.
inline Rcpp::List run_plain_kernel(const std::function<openclPort::KernelCall()>& make_call, const Rcpp::List& columns,
                                   int n, openclPort::RunReport& report) {
  openclPort::Stopwatch watch;
  Rcpp::NumericVector out(n);
  if (n > 0) {
    openclPort::KernelCall call = make_call();
    for (R_xlen_t k = 0; k < columns.size(); ++k) {
      SEXP column = columns[k];
      const std::string label = "columns[[" + std::to_string(k + 1) + "]]";
      if (TYPEOF(column) == REALSXP)
        call.input(label, REAL(column), Rf_xlength(column));
      else
        call.input(label, INTEGER(column), Rf_xlength(column));
    }
    call.output("out", out.begin(), n).value("len", n).items(n).run();
  }
  report.total = watch.lap();
  return Rcpp::List::create(Rcpp::Named("value") = out, Rcpp::Named("warnings") = Rcpp::CharacterVector(),
                            Rcpp::Named("report") = report_to_list(report));
}

#endif
