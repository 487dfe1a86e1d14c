// r_boundary -- what the Rcpp wrappers share: core errors as data, interrupts, run reports.
#include "r_boundary.h"

#include <cctype>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <string>

#include "opencl_kernel_runners.h"
#include "work_threads.h"

namespace {
void check_interrupt(void*) { R_CheckUserInterrupt(); }

constexpr double kPollSeconds = 0.05;  // often enough for a bar and a user who waits
constexpr int kThreadsUnderCheck = 2;

// R's own rule for _R_CHECK_LIMIT_CORES_, as in package parallel.
bool cores_are_limited() {
  const char* value = std::getenv("_R_CHECK_LIMIT_CORES_");
  std::string text = value == nullptr ? "" : value;
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return !text.empty() && text != "false";
}

// The option as a number of threads; 0: it is not set.
int thread_option() {
  SEXP option = Rf_GetOption1(Rf_install("nmathopencl.threads"));
  if (option == R_NilValue) return 0;
  const bool number = (TYPEOF(option) == REALSXP || TYPEOF(option) == INTSXP) && !Rf_inherits(option, "factor") &&
                      Rf_xlength(option) == 1;
  const double threads = number ? Rf_asReal(option) : 0;
  if (!(threads >= 1 && threads <= INT_MAX && threads == std::trunc(threads)))
    throw openclPort::NmathError("options(nmathopencl.threads = ) must be one whole number from 1 on", "options", "",
                                 "Use e.g. options(nmathopencl.threads = 2), or NULL for a thread per core.");
  return static_cast<int>(threads);
}

int checked_threads(int threads) {
  return cores_are_limited() && (threads == 0 || threads > kThreadsUnderCheck) ? kThreadsUnderCheck : threads;
}
}  // namespace

bool CallMonitor::poll() {
  elapsed_ += watch_.lap();
  if (elapsed_ - asked_ < kPollSeconds) return false;
  asked_ = elapsed_;
  if (progress_ != R_NilValue) {
    const Rcpp::Shield<SEXP> call(Rf_lang4(progress_, Rf_ScalarReal(static_cast<double>(done_.load())),
                                           Rf_ScalarReal(static_cast<double>(total_)), Rf_ScalarReal(elapsed_)));
    int failed = 0;
    R_tryEvalSilent(call, R_GlobalEnv, &failed);
  }
  return interrupt_pending();
}

bool interrupt_pending() { return R_ToplevelExec(check_interrupt, nullptr) == FALSE; }

void apply_thread_option() { openclPort::set_host_threads(checked_threads(thread_option())); }

Rcpp::List report_to_list(const openclPort::RunReport& report) {
  openclPort::take_runner_report();  // what a runner did before this call is no longer the last
  return Rcpp::List::create(
      Rcpp::Named("function") = report.function, Rcpp::Named("device") = report.device,
      Rcpp::Named("device_type") = report.device_type, Rcpp::Named("elements") = static_cast<double>(report.elements),
      Rcpp::Named("chunks") = static_cast<double>(report.chunks), Rcpp::Named("threads") = report.threads,
      Rcpp::Named("built") = report.built, Rcpp::Named("cache_hits") = report.cache_hits,
      Rcpp::Named("disk_hits") = report.disk_hits,
      Rcpp::Named("build") = report.build, Rcpp::Named("transfer") = report.transfer,
      Rcpp::Named("compute") = report.compute, Rcpp::Named("total") = report.total);
}

Rcpp::List error_to_list(const openclPort::NmathError& error) {
  return Rcpp::List::create(Rcpp::Named("message") = error.what(), Rcpp::Named("step") = error.step(),
                            Rcpp::Named("status") = error.status(), Rcpp::Named("hint") = error.hint(),
                            Rcpp::Named("device") = error.device(), Rcpp::Named("build_log") = error.build_log());
}
