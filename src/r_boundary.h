// r_boundary -- what the Rcpp wrappers share: core errors as data, interrupts, run reports.
#ifndef NMATHOPENCL_R_BOUNDARY_H
#define NMATHOPENCL_R_BOUNDARY_H

#include <Rcpp.h>

#include <atomic>

#include "OpenCL_helper.h"
#include "elementwise.h"
#include "nmath_error.h"

// True once the user has asked to stop. R's own check jumps; this one returns.
bool interrupt_pending();

// Watches over one call: asks R for interrupts, but not at every chunk, and tells `progress`, an R function of (done,
// total) or NULL, how far a long call is. What goes wrong in `progress` stops nothing.
class CallMonitor {
 public:
  CallMonitor(SEXP progress, std::size_t total) : progress_(progress), total_(total) {}
  void finished(std::size_t count) { done_ += count; }  // from any thread
  bool poll();                                          // from R's thread; true: stop

 private:
  SEXP progress_;  // kept alive by the caller
  std::size_t total_;
  std::atomic<std::size_t> done_{0};
  openclPort::Stopwatch watch_;
  double elapsed_ = 0.0, asked_ = 0.0;
};

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
