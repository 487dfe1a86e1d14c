// r_boundary -- what the wrappers share: core errors as data, interrupts, options, run reports.
#include "r_boundary.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "base/work_threads.h"
#include "device/devices.h"
#include "device/resident.h"
#include "engine/opencl_kernel_runners.h"

// Symbols are made in R's own time, each once: R has nothing to do then that could end in a jump.
static SEXP option_value(const char* name) {
  static std::vector<std::pair<std::string, SEXP>> known;  // R's thread alone
  const auto found = std::find_if(known.begin(), known.end(), [name](const auto& one) { return one.first == name; });
  if (found != known.end()) return Rf_GetOption1(found->second);
  known.emplace_back(name, r::enter([&] { return Rf_install(name); }));
  return Rf_GetOption1(known.back().second);
}

namespace {
constexpr double kPollSeconds = 0.05;  // often enough for a bar and a user who waits
constexpr int kThreadsUnderCheck = 2;

// R's own rule for _R_CHECK_LIMIT_CORES_, as in package parallel. Not every check of CRAN sets it: unless it says
// "false", any check is limited.
bool cores_are_limited() {
  const std::string text = openclPort::lower(openclPort::environment("_R_CHECK_LIMIT_CORES_"));
  return text.empty() ? !openclPort::environment("_R_CHECK_PACKAGE_NAME_").empty() : text != "false";
}

// An option as a count; 0: it is not set.
int count_option(const char* name) {
  const r::Keep option(option_value(name));
  if (option == R_NilValue) return 0;
  const bool number = (TYPEOF(option) == REALSXP || TYPEOF(option) == INTSXP) && !Rf_inherits(option, "factor") &&
                      Rf_xlength(option) == 1;
  const double count = number ? Rf_asReal(option) : 0;
  if (!(count >= 1 && count <= INT_MAX && count == std::trunc(count)))
    throw openclPort::NmathError("options(" + std::string(name) + " = ) must be one whole number from 1 on", "options",
                                 "", "Use e.g. options(" + std::string(name) + " = 2), or NULL for the default.");
  return static_cast<int>(count);
}

int checked_threads(int threads) {
  return (threads == 0 || threads > kThreadsUnderCheck) && cores_are_limited() ? kThreadsUnderCheck : threads;
}

// Where `progress` is the frame of an R function, what call_progress() gives there, which the frame keeps.
SEXP made_progress(SEXP progress, SEXP space) {
  if (TYPEOF(progress) != ENVSXP) return progress;
  SEXP const name = PROTECT(Rf_mkString("opencl_function")), show = PROTECT(Rf_ScalarLogical(TRUE));
  SEXP const call = PROTECT(Rf_lang4(Rf_install("call_progress"), name, progress, show));
  SEXP const made = PROTECT(Rf_eval(call, space));
  Rf_defineVar(Rf_install("progress"), made, progress);
  UNPROTECT(4);
  return made;
}

// Done so far, of how many, and since when; what goes wrong in it is caught, but for R's time limits.
SEXP progress_call(SEXP progress, double done, double total, double seconds) {
  SEXP const numbers = PROTECT(Rf_list3(R_NilValue, R_NilValue, R_NilValue));
  SETCAR(numbers, Rf_ScalarReal(done));
  SETCADR(numbers, Rf_ScalarReal(total));
  SETCADDR(numbers, Rf_ScalarReal(seconds));
  SEXP const reported = PROTECT(Rf_lcons(progress, numbers));
  SEXP const call = Rf_lang2(Rf_install("progress_step"), reported);
  UNPROTECT(2);
  return call;
}
}  // namespace

// Makes R's note of jumps while there is nothing yet that one could pass.
// [[Rcpp::init]]
void open_door(DllInfo* dll) {
  (void)dll;
  r::door::token();
}

bool CallMonitor::poll() {
  static Clock::time_point asked;  // by any call: many short ones are stopped like a long one
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  if (r::jump_waits()) return true;
  const Clock::time_point now = Clock::now();
  if (seconds(now - asked) < kPollSeconds) return false;
  const double total = static_cast<double>(total_);
  const double done = std::min(static_cast<double>(done_.load()), total);  // some may be computed twice
  const bool goes_on = r::attempt([&] {
    R_CheckUserInterrupt();
    if (progress_ != R_NilValue) {
      SEXP const name = PROTECT(Rf_mkString("nmathopencl"));
      SEXP const space = PROTECT(R_FindNamespace(name));
      progress_ = made_progress(progress_, space);
      SEXP const call = PROTECT(progress_call(progress_, done, total, seconds(now - began_)));
      Rf_eval(call, space);
      UNPROTECT(3);
    }
    return R_NilValue;
  });
  asked = Clock::now();  // what R did is no reason to ask again at once
  return !goes_on;
}

namespace {
// Tells that programs are compiled, once a wait for them has taken two seconds. Waits that follow each other are one.
class CompilingNotice {
  using Clock = std::chrono::steady_clock;

 public:
  void wait() {
    const Clock::time_point now = Clock::now();
    if (now - asked_ > std::chrono::seconds(1)) {
      began_ = now;
      told_ = false;
    }
    asked_ = now;
    if (told_ || now - began_ < std::chrono::seconds(2)) return;
    told_ = true;
    r::attempt([] {
      SEXP const name = PROTECT(Rf_mkString("nmathopencl"));
      SEXP const space = PROTECT(R_FindNamespace(name));
      SEXP const call = PROTECT(Rf_lang1(Rf_install("tell_compiling")));
      Rf_eval(call, space);
      UNPROTECT(3);
      return R_NilValue;
    });
    asked_ = Clock::now();
  }

 private:
  Clock::time_point began_, asked_;
  bool told_ = false;
};
}  // namespace

// Waits of the core that know of no call ask here.
// [[Rcpp::init]]
void interrupts_connect_to_r(DllInfo* dll) {
  (void)dll;
  openclPort::set_user_interrupt([] {
    static CallMonitor monitor(R_NilValue, 0);
    static CompilingNotice notice;
    if (InterruptibleCall::depth() == 0) return false;
    if (!r::jump_waits()) notice.wait();
    return monitor.poll();
  });
}

void apply_thread_option() { openclPort::set_host_threads(checked_threads(count_option("nmathopencl.threads"))); }

void apply_program_option() {
  const int programs = count_option("nmathopencl.programs");
  openclPort::keep_user_programs(programs > 0 ? programs : openclPort::kDefaultUserPrograms);
}

double bytes_option(const char* name, double least, double unset) {
  const r::Keep option(option_value(name));
  if (option == R_NilValue) return unset;
  const bool number = (TYPEOF(option) == REALSXP || TYPEOF(option) == INTSXP) && Rf_xlength(option) == 1;
  const double bytes = number ? Rf_asReal(option) : NA_REAL;
  if (!(bytes >= least))
    throw openclPort::NmathError("options(" + std::string(name) + " = ) must be a number of bytes, or not set",
                                 "options");
  return bytes;
}

void apply_memory_option() { openclPort::set_resident_limit(bytes_option("nmathopencl.memory", 1, 0)); }

namespace openclPort {

// What a data frame is made of: R/elementwise.R makes it.
static SEXP device_ranges_value(const std::vector<DeviceRangeReport>& ranges) {
  const auto elements = [](const DeviceRangeReport& one) { return static_cast<double>(one.elements); };
  r::List list(4);
  list.add("device", r::column(ranges, &DeviceRangeReport::device));
  list.add("index", r::column(ranges, &DeviceRangeReport::index)).add("elements", r::column(ranges, elements));
  return list.add("seconds", r::column(ranges, &DeviceRangeReport::seconds)).done();
}

SEXP value(const RunReport& report) {
  take_runner_report();  // what a runner did before this call is no longer the last
  const bool shared = !report.device_ranges.empty();
  r::List list(shared ? 15 : 14);
  list.add("function", report.function).add("device", report.device).add("device_type", report.device_type);
  list.add("arithmetic", report.arithmetic).add("elements", static_cast<double>(report.elements));
  list.add("chunks", static_cast<double>(report.chunks)).add("threads", report.threads).add("built", report.built);
  list.add("cache_hits", report.cache_hits).add("disk_hits", report.disk_hits).add("build", report.build);
  list.add("transfer", report.transfer).add("compute", report.compute).add("total", report.total);
  if (shared) list.add("shares", device_ranges_value(report.device_ranges));
  return list.done();
}

SEXP value(const NmathError& error) {
  r::List list(6);
  list.add("message", error.what()).add("step", error.step()).add("status", error.status()).add("hint", error.hint());
  return list.add("device", error.device()).add("build_log", error.build_log()).done();
}

}  // namespace openclPort

SEXP result_list(SEXP value, const std::vector<std::string>& warnings, const openclPort::RunReport& report) {
  return r::enter(
      [&] { return r::List(3).add("value", value).add("warnings", warnings).add("report", report).done(); });
}
