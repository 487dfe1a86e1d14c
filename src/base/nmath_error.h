// nmath_error -- the one exception type of the core: what failed, where, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace openclPort {

// The R boundary turns it into a condition of class `nmathopencl_error` with these fields.
class NmathError : public std::runtime_error {
 public:
  explicit NmathError(const std::string& message, std::string step = "", std::string status = "", std::string hint = "",
                      std::string device = "", std::string build_log = "")
      : std::runtime_error(compose(message, step, status, hint, device, build_log)),
        step_(std::move(step)),
        status_(std::move(status)),
        hint_(std::move(hint)),
        device_(std::move(device)),
        build_log_(std::move(build_log)) {}

  const std::string& step() const noexcept { return step_; }            // e.g. "clBuildProgram"
  const std::string& status() const noexcept { return status_; }        // e.g. "CL_BUILD_PROGRAM_FAILURE"
  const std::string& hint() const noexcept { return hint_; }            // what the user can do
  const std::string& device() const noexcept { return device_; }        // name of the device
  const std::string& build_log() const noexcept { return build_log_; }  // compiler output, if any

 private:
  static std::string compose(const std::string& message, const std::string& step, const std::string& status,
                             const std::string& hint, const std::string& device, const std::string& log) {
    std::string text = message;
    if (!step.empty() || !status.empty())
      text += " [" + step + (step.empty() || status.empty() ? "" : ": ") + status + "]";
    if (!device.empty()) text += " on device '" + device + "'";
    if (!hint.empty()) text += "\nHint: " + hint;
    if (!log.empty()) text += "\nBuild log:\n" + log;
    return text;
  }

  std::string step_, status_, hint_, device_, build_log_;
};

// The end of a message, or of a hint, that tells of a limit of the package: the page that lists them.
#define NMATHOPENCL_SEE_LIMITS " (see ?nmathopencl_limits)"

// What the package does not do, where R would: no fault of the caller's.
class LimitError : public NmathError {
 public:
  explicit LimitError(const std::string& message, std::string step = "")
      : NmathError(message + NMATHOPENCL_SEE_LIMITS, std::move(step)) {}
};

}  // namespace openclPort
