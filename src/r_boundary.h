// r_boundary -- what the wrappers share: core errors as data, interrupts, options, run reports.
#pragma once

#include <atomic>
#include <chrono>
#include <new>

#include "base/nmath_error.h"
#include "base/report.h"
#include "r_door.h"

// Watches over one call: lets R look for interrupts and time limits, some 20 times a second of all calls, and tells
// `progress`, an R function of (done, total, seconds) or NULL, how far a long call is; or the frame of an R function,
// for which call_progress() makes one when it is first needed. An error in `progress` stops nothing.
class CallMonitor {
  using Clock = std::chrono::steady_clock;

 public:
  CallMonitor(SEXP progress, std::size_t total) : progress_(progress), total_(total) {}
  void finished(std::size_t count) { done_ += count; }  // from any thread
  bool poll();                                          // from R's thread; true: stop, a jump of R waits

 private:
  SEXP progress_;  // kept alive by the caller
  std::size_t total_;
  std::atomic<std::size_t> done_{0};
  const Clock::time_point began_ = Clock::now();
};

// What ties a call to its monitor. Stops at once if R has something waiting.
inline openclPort::CallHooks hooks_of(CallMonitor& monitor) {
  openclPort::CallHooks hooks;
  hooks.interrupted = [&monitor] { return monitor.poll(); };
  hooks.finished = [&monitor](std::size_t begin, std::size_t end) { monitor.finished(end - begin); };
  openclPort::stop_if(hooks.interrupted);
  return hooks;
}
// And `scan` looks through its results.
template <typename Scan>
openclPort::CallHooks hooks_of(CallMonitor& monitor, Scan& scan) {
  openclPort::CallHooks hooks = hooks_of(monitor);
  hooks.arrived = [&scan](std::size_t begin, std::size_t end, double* results) { scan.chunk(begin, end, results); };
  return hooks;
}

// Takes over options(nmathopencl.threads =), the bound on the host device's threads; at most 2 under R CMD check.
// Throws NmathError unless the option is one whole number from 1 on, or not set.
void apply_thread_option();

// The same for options(nmathopencl.programs =), how many programs of users' texts are kept built.
void apply_program_option();

// The same for options(nmathopencl.memory =), bytes of a device that vectors which stay there may take.
void apply_memory_option();

// An option that is a number of bytes, `least` or more, or not set. Throws NmathError unless it is.
double bytes_option(const char* name, double least, double unset);

namespace openclPort {  // what a list in r::enter() takes
SEXP value(const RunReport& report);
SEXP value(const NmathError& error);
}  // namespace openclPort

// list(value, warnings, report): what a call that computes gives.
SEXP result_list(SEXP value, const std::vector<std::string>& warnings, const openclPort::RunReport& report);

// While one of these lives the core may ask whether R's user interrupts (base/interrupted.h): what lies between it and
// R lets Interrupted pass, and R takes over at its end.
class InterruptibleCall {
 public:
  InterruptibleCall() { ++depth(); }
  ~InterruptibleCall() { --depth(); }
  InterruptibleCall(const InterruptibleCall&) = delete;
  InterruptibleCall& operator=(const InterruptibleCall&) = delete;
  static int& depth() {
    static int calls = 0;  // R's thread alone
    return calls;
  }
};

// Runs `body`, which gives an R object that is not protected. A failure of the core comes back as list(error =
// list(message, step, ...)); where the call was interrupted, R takes over.
template <typename Body>
SEXP guard_core(const Body& body) {
  const InterruptibleCall interruptible;
  const auto as_list = [](const openclPort::NmathError& error) {
    if (r::jump_waits()) r::resume();
    return r::enter([&] { return r::List(1).add("error", error).done(); });
  };
  try {
    SEXP const result = body();
    if (r::jump_waits()) r::resume();
    return result;
  } catch (const openclPort::NmathError& error) {
    return as_list(error);
  } catch (const std::bad_alloc&) {
    return as_list(
        openclPort::NmathError("out of memory", "", "", "use shorter vectors or free memory" NMATHOPENCL_SEE_LIMITS));
  } catch (const openclPort::Interrupted&) {
    r::resume();
  }
}

// Runs `body`, whose failures are its caller's, where devices are looked for: drivers compile there, too. Where the
// call was interrupted, R takes over.
template <typename Body>
auto interruptible(const Body& body) {
  const InterruptibleCall listens;
  try {
    auto found = body();
    if (r::jump_waits()) r::resume();
    return found;
  } catch (const openclPort::NmathError&) {
    if (r::jump_waits()) r::resume();
    throw;
  } catch (const openclPort::Interrupted&) {
    r::resume();
  }
}
