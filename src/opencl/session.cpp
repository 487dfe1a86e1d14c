// session -- sessions, their program cache, queue and buffer reuse.
#include "opencl/session.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/report.h"
#include "base/stopwatch.h"
#include "device/devices.h"

namespace openclPort {

namespace {

// Device memory kept for reuse between calls: what a large card takes long to give anew is a small part of it.
constexpr std::size_t kLeastIdleLimit = std::size_t{256} << 20, kIdleShare = 32;
constexpr std::size_t kMaxIdleQueues = 32;  // of each kind: one for each lane of an elementwise call, and more

// Never destroyed: at process exit the drivers may be gone before static objects are.
struct SessionTable {
  ProcessMutex mutex;
  std::map<void*, std::shared_ptr<Session>> sessions;  // by device
  std::set<void*> given_up;                            // devices that a kernel keeps for ever
};

SessionTable& table() {
  static SessionTable* const instance = new SessionTable;
  return *instance;
}

ContextHandle create_context(const DeviceInfo& device) {
  cl_platform_id platform = static_cast<cl_platform_id>(device.platform);
  cl_device_id id = static_cast<cl_device_id>(device.device);
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform),
                                              0};
  cl_int status = CL_SUCCESS;
  ContextHandle context(clCreateContext(properties, 1, &id, nullptr, nullptr, &status));
  if (status != CL_SUCCESS) throw opencl_make_context_error(status, platform, id);
  return context;
}

}  // namespace

QueueLease::~QueueLease() {
  if (!queue_ || opencl_forked()) return;
  if (!idle_ && clFinish(queue_.get()) != CL_SUCCESS) {  // a queue that failed is not used again
    session_->lost_ = true;
    return;
  }
  try {
    std::lock_guard<ProcessMutex> lock(session_->mutex_);
    std::vector<QueueHandle>& idle = session_->idle_queues_[timed_];
    if (idle.size() < kMaxIdleQueues) idle.push_back(std::move(queue_));
  } catch (...) {  // not kept, then
  }
}

void QueueLease::finish() {
  const cl_int status = clFinish(queue_.get());
  if (status != CL_SUCCESS) session_->lost_ = true;
  check_cl(status, "clFinish", session_->device().name, "running a kernel");
  idle_ = true;
}

Session::Session(const DeviceInfo& device)
    : where_(std::make_shared<const DeviceContext>(DeviceContext{device, create_context(device)})),
      pool_(std::max(kLeastIdleLimit, static_cast<std::size_t>(device.global_mem) / kIdleShare)) {}

SharedImage Session::program(const std::string& text, const std::string& options, RunReport* report) {
  const ImageSource source{std::make_shared<const std::string>(text), options};
  return built_once(*opencl_source_image(where_, source), false, report);
}

SharedImage Session::program(const OpenCLImage& source, RunReport* report) {
  if (source.where() != where_)
    throw NmathError("the bundle was made before its device was reset, or for another device", "program", "",
                     "Make it again.", source.device().name);
  return built_once(source, false, report);
}

// Of users' programs beyond the limit, the one that was not used for longest. One that is being built has just been
// asked for. Called with the lock held.
void Session::drop_oldest_program() {
  std::size_t users = 0;
  auto oldest = programs_.end();
  for (auto entry = programs_.begin(); entry != programs_.end(); ++entry) {
    if (entry->second.own) continue;
    ++users;
    const bool built = entry->second.image.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    if (built && (oldest == programs_.end() || entry->second.used < oldest->second.used)) oldest = entry;
  }
  if (users > user_programs() && oldest != programs_.end()) programs_.erase(oldest);
}

SharedImage Session::built_once(const ProgramImage& source, bool own, RunReport* report) {
  const std::string key = source.source().key();
  std::promise<SharedImage> promise;
  std::shared_future<SharedImage> known;
  {
    std::lock_guard<ProcessMutex> lock(mutex_);
    const auto found = programs_.find(key);
    if (found != programs_.end()) {
      known = found->second.image;
      found->second.used = ++uses_;
      found->second.own = found->second.own || own;
    } else {
      programs_.emplace(key, Kept{promise.get_future().share(), ++uses_, own});
      if (!own) drop_oldest_program();
    }
  }
  if (known.valid()) {
    SharedImage image = known.get();
    if (report != nullptr) ++report->cache_hits;
    return image;
  }
  try {
    Stopwatch watch;
    SharedImage image = source.build();
    if (report != nullptr) {
      if (image->from_disk()) {
        ++report->cache_hits;
        ++report->disk_hits;
      } else {
        ++report->built;
      }
      report->build += watch.lap();
    }
    promise.set_value(image);
    return image;
  } catch (...) {
    {
      std::lock_guard<ProcessMutex> lock(mutex_);
      programs_.erase(key);
    }
    promise.set_exception(std::current_exception());
    throw;
  }
}

SharedImage Session::program(const std::string& key, const std::function<std::string()>& text,
                             const std::string& options, RunReport* report) {
  const std::string full_key = options + '\0' + key;
  {
    std::lock_guard<ProcessMutex> lock(mutex_);
    const auto found = keyed_.find(full_key);
    if (found != keyed_.end()) {
      if (report != nullptr) ++report->cache_hits;
      return found->second;
    }
  }
  const ImageSource source{std::make_shared<const std::string>(text()), options};
  SharedImage image = built_once(*opencl_source_image(where_, source), true, report);
  std::lock_guard<ProcessMutex> lock(mutex_);
  keyed_.emplace(full_key, image);
  return image;
}

QueueLease Session::queue(bool timed) {
  {
    std::lock_guard<ProcessMutex> lock(mutex_);
    std::vector<QueueHandle>& idle = idle_queues_[timed];
    if (!idle.empty()) {
      QueueHandle queue = std::move(idle.back());
      idle.pop_back();
      return QueueLease(*this, std::move(queue), timed);
    }
  }
  cl_int status = CL_SUCCESS;
  QueueHandle queue(clCreateCommandQueue(where_->context.get(), static_cast<cl_device_id>(device().device),
                                         timed ? CL_QUEUE_PROFILING_ENABLE : 0, &status));
  check_cl(status, "clCreateCommandQueue", device().name);
  return QueueLease(*this, std::move(queue), timed);
}

bool Session::usable() {
  const unsigned long failures = opencl_failures();
  if (lost() || failures == failures_seen_.load()) return !lost();
  try {
    const double value = 0.0;
    DeviceBuffer probe = buffer(sizeof value);
    QueueLease lease = queue();
    check_cl(clEnqueueWriteBuffer(lease.get(), probe.get(), CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr),
             "clEnqueueWriteBuffer", device().name);
    failures_seen_ = failures;
  } catch (const NmathError&) {
    lost_ = true;
  }
  return !lost();
}

Staging Session::staging(std::size_t bytes, cl_command_queue queue) {
  std::unique_ptr<PinnedMemory> memory = staging_.take(bytes);
  if (memory == nullptr) {
    try {
      memory = std::make_unique<PinnedMemory>(*where_, queue, bytes);
    } catch (const NmathError&) {  // what lies idle may be just what is missing
      staging_.clear();
      memory = std::make_unique<PinnedMemory>(*where_, queue, bytes);
    }
  }
  return Staging(std::move(memory), &staging_);
}

std::shared_ptr<Session> session_for(const DeviceInfo& device) {
  enter_opencl("session_for");
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  if (known.given_up.count(device.device) > 0)
    throw NmathError("the device is not used any more in this session of R: a kernel on it did not end", "session_for",
                     "", "Restart R to use it again; other devices go on.", device.name);
  std::shared_ptr<Session>& session = known.sessions[device.device];
  if (session == nullptr || !session->usable()) session = std::make_shared<Session>(device);
  return session;
}

bool has_session(const DeviceInfo& device) {
  if (opencl_forked()) return false;
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  const auto found = known.sessions.find(device.device);
  return found != known.sessions.end() && found->second != nullptr;
}

void drop_session(const DeviceInfo& device) {
  if (opencl_forked()) return;
  std::shared_ptr<Session> dropped;  // released after the lock is
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  const auto found = known.sessions.find(device.device);
  if (found == known.sessions.end()) return;
  dropped = std::move(found->second);
  known.sessions.erase(found);
}

void give_up_device(const DeviceInfo& device) {
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  known.given_up.insert(device.device);
  note_device_change();
  const auto found = known.sessions.find(device.device);
  if (found == known.sessions.end()) return;
  new std::shared_ptr<Session>(std::move(found->second));  // outlives everything: the kernel is in its context
  known.sessions.erase(found);
}

bool is_given_up(const DeviceInfo& device) {
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  return known.given_up.count(device.device) > 0;
}

void drop_sessions() {
  if (opencl_forked()) return;
  std::map<void*, std::shared_ptr<Session>> dropped;
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  dropped.swap(known.sessions);
}

}  // namespace openclPort
