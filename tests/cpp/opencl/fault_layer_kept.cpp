// fault_layer_kept -- what is kept has a reference more than the core knows of, and is never released.
#include "fault_layer_kept.h"

#include <algorithm>

#include "fault_layer_call.h"

extern "C" {
cl_int CL_API_CALL clRetainContext(cl_context context);
cl_int CL_API_CALL clRetainProgram(cl_program program);
cl_int CL_API_CALL clReleaseProgram(cl_program program);
}

namespace fault_layer {

namespace {

// The driver's, of which nobody counts.
void hold(cl_context context) {
  static const auto real = next(&::clRetainContext, "clRetainContext");
  real(context);
}
void hold(cl_program program) {
  static const auto real = next(&::clRetainProgram, "clRetainProgram");
  real(program);
}

}  // namespace

KeptBuilds& KeptBuilds::get() {
  static KeptBuilds* const kept = new KeptBuilds;
  return *kept;
}

void KeptBuilds::keep_from_now_on(bool keep) {
  const std::lock_guard<std::mutex> lock(mutex_);
  keeps_ = keep;
}

cl_context KeptBuilds::context(cl_uint count, const cl_device_id* devices) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = keeps_ && count == 1 ? contexts_.find(devices[0]) : contexts_.end();
  if (found == contexts_.end()) return nullptr;
  hold(found->second);
  return found->second;
}

void KeptBuilds::keep(cl_uint count, const cl_device_id* devices, cl_context context) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!keeps_ || count != 1 || context == nullptr) return;
  if (contexts_.emplace(devices[0], context).second) hold(context);
}

cl_program KeptBuilds::program(cl_context context, const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = keeps_ ? programs_.find({context, text}) : programs_.end();
  if (found == programs_.end() || !found->second.built) return nullptr;
  hold(found->second.handle);
  return found->second.handle;
}

void KeptBuilds::keep(cl_context context, const std::string& text, cl_program program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!keeps_ || program == nullptr) return;
  Program& known = programs_[{context, text}];
  if (known.handle != nullptr) return;  // it is being built, or its build failed
  hold(program);
  known = {program, false, ""};
}

bool KeptBuilds::is_built(cl_program program, const std::string& how) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!keeps_) return false;
  for (const auto& entry : programs_)
    if (entry.second.handle == program && entry.second.built) return entry.second.how == how;
  return false;
}

void KeptBuilds::built(cl_program program, const std::string& how) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& entry : programs_)
    if (entry.second.handle == program) entry.second = {program, true, how};
}

void KeptBuilds::failed(cl_program program) {
  static const auto real = next(&::clReleaseProgram, "clReleaseProgram");
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto entry = programs_.begin(); entry != programs_.end(); ++entry) {
    if (entry->second.handle != program || entry->second.built) continue;
    programs_.erase(entry);
    real(program);
    return;
  }
}

KeptBuilds::Link KeptBuilds::link_of(cl_uint count, const cl_program* programs, const char* options) const {
  Link link{{}, options == nullptr ? "" : options};
  for (cl_uint k = 0; k < count; ++k) {
    const bool kept = std::any_of(programs_.begin(), programs_.end(), [&](const auto& entry) {
      return entry.second.handle == programs[k] && entry.second.built;
    });
    if (!kept) return Link();
    link.first.push_back(programs[k]);
  }
  return link;
}

cl_program KeptBuilds::linked(cl_uint count, const cl_program* programs, const char* options) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = keeps_ ? links_.find(link_of(count, programs, options)) : links_.end();
  if (found == links_.end()) return nullptr;
  hold(found->second);
  return found->second;
}

void KeptBuilds::keep(cl_uint count, const cl_program* programs, const char* options, cl_program linked) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!keeps_ || linked == nullptr) return;
  Link link = link_of(count, programs, options);
  if (!link.first.empty() && links_.emplace(std::move(link), linked).second) hold(linked);
}

void keep_builds(bool keep) { KeptBuilds::get().keep_from_now_on(keep); }

}  // namespace fault_layer
