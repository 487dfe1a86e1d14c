// r_boundary -- what the Rcpp wrappers share: core errors as data, interrupts, run reports.
#include "r_boundary.h"

#include <cstdlib>
#include <string>

#include "work_threads.h"

namespace {
void check_interrupt(void*) { R_CheckUserInterrupt(); }

constexpr double kPollSeconds = 0.05;  // often enough for a bar and a user who waits
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

void apply_thread_option() {
  SEXP option = Rf_GetOption1(Rf_install("nmathopencl.threads"));
  int threads = Rf_isNumeric(option) && Rf_xlength(option) == 1 ? Rf_asInteger(option) : 0;
  if (threads == NA_INTEGER || threads < 0) threads = 0;
  const char* limit = std::getenv("_R_CHECK_LIMIT_CORES_");
  if (limit && *limit && std::string(limit) != "false" && (threads == 0 || threads > 2)) threads = 2;
  openclPort::set_host_threads(threads);
}

Rcpp::List report_to_list(const openclPort::RunReport& report) {
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
