// r_boundary -- what the Rcpp wrappers share: core errors as data, interrupts, run reports.
#ifndef NMATHOPENCL_R_BOUNDARY_H
#define NMATHOPENCL_R_BOUNDARY_H

#include <Rcpp.h>

#include "elementwise.h"
#include "nmath_error.h"

// True once the user has asked to stop. R's own check jumps; this one returns.
bool interrupt_pending();

// Takes over options(nmathopencl.threads =), the bound on the host device's threads; at most 2 under R CMD check. Throws
// NmathError unless the option is one whole number from 1 on, or not set.
void apply_thread_option();

Rcpp::List report_to_list(const openclPort::RunReport& report);
Rcpp::List error_to_list(const openclPort::NmathError& error);

// Runs `body`; a failure of the core comes back as list(error = list(message, step, ...)).
template <typename Body>
Rcpp::List guard_core(Body body) {
  try {
    return body();
  } catch (const openclPort::NmathError& error) {
    return Rcpp::List::create(Rcpp::Named("error") = error_to_list(error));
  } catch (const std::bad_alloc&) {
    const openclPort::NmathError error("out of memory", "", "", "use shorter vectors or free memory");
    return Rcpp::List::create(Rcpp::Named("error") = error_to_list(error));
  }
}

#endif
