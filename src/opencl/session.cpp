// session -- sessions, their program cache, queue and buffer reuse.
#include "opencl/session.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/apart.h"
#include "base/interrupted.h"
#include "base/report.h"
#include "base/stopwatch.h"
#include "device/devices.h"
#include "opencl/builtin_declarations.h"

namespace openclPort {

namespace {

// Device memory kept for reuse between calls: what a large card takes long to give anew is a small part of it.
constexpr std::size_t kLeastIdleLimit = std::size_t{256} << 20, kIdleShare = 32;
constexpr std::size_t kMaxIdleQueues = 32;  // of each kind: one for each lane of an elementwise call, and more

// How long a kernel that was left when it was compiled may run before its device is refused.
constexpr double kBusySeconds = 2;

// A kernel that was left running, and since when it has been seen to run.
struct Left {
  Unfinished work;
  bool running = false;
  std::chrono::steady_clock::time_point since;
  std::shared_ptr<UnderWay> counted;
};

// Never destroyed: at process exit the drivers may be gone before static objects are.
struct SessionTable {
  ProcessMutex mutex;
  std::map<void*, std::shared_ptr<Session>> sessions;  // by device
  std::map<void*, std::vector<Left>> left;             // what still runs on a device
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
      pool_(std::max(kLeastIdleLimit, static_cast<std::size_t>(device.global_mem) / kIdleShare)),
      declares_builtins_(takes_builtin_declarations(device)) {}

SharedImage Session::program(const std::string& text, const std::string& options, RunReport* report) {
  const ImageSource source{std::make_shared<const std::string>(text), options};
  return built_once(opencl_source_image(where_, source), false, report);
}

SharedImage Session::program(const OpenCLImage& source, RunReport* report) {
  if (source.where() != where_)
    throw NmathError("the bundle was made before its device was reset, or for another device", "program", "",
                     "Make it again.", source.device().name);
  return built_once(opencl_source_image(where_, source.source()), false, report);
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

// What the driver makes of a program whose build may be under way; nothing where it failed after an interrupt, which
// may be why it failed.
SharedImage Session::awaited(const std::shared_future<SharedImage>& build,
                             const std::shared_ptr<std::atomic<bool>>& left) {
  const bool was_left = left->load();
  try {
    return await(build);
  } catch (const Interrupted&) {
    *left = true;
    throw;
  } catch (const NmathError&) {
    if (was_left) return nullptr;
    throw;
  }
}

// The build refers to the session and the image by ownership: its caller may leave it.
SharedImage Session::built_once(SharedImage source, bool own, RunReport* report) {
  const std::string key = source->source().key();
  const auto promise = std::make_shared<std::promise<SharedImage>>();
  const std::shared_future<SharedImage> future = promise->get_future().share();
  const auto left = std::make_shared<std::atomic<bool>>(false);
  for (;;) {
    Kept known;
    {
      std::lock_guard<ProcessMutex> lock(mutex_);
      const auto found = programs_.find(key);
      if (found == programs_.end()) {
        programs_.emplace(key, Kept{future, left, ++uses_, own});
        if (!own) drop_oldest_program();
        break;
      }
      found->second.used = ++uses_;
      found->second.own = found->second.own || own;
      known = found->second;
    }
    if (SharedImage image = awaited(known.image, known.left)) {
      if (report != nullptr) ++report->cache_hits;
      return image;
    }
  }
  Stopwatch watch;
  const auto forget = [self = shared_from_this(), key, promise](const std::exception_ptr& why) {
    {
      std::lock_guard<ProcessMutex> lock(self->mutex_);
      self->programs_.erase(key);
    }
    promise->set_exception(why);
  };
  try {
    start_apart([source, forget, promise] {
      try {
        promise->set_value(source->build());
      } catch (...) {
        forget(std::current_exception());
      }
    });
  } catch (...) {  // it has not begun: where programs are kept is asked of the user's session, which may be interrupted
    forget(std::make_exception_ptr(NmathError("the build was interrupted", "program", "", "", device().name)));
    throw;
  }
  SharedImage image = awaited(future, left);
  if (report == nullptr) return image;
  if (image->from_disk()) {
    ++report->cache_hits;
    ++report->disk_hits;
  } else {
    ++report->built;
  }
  report->build += watch.lap();
  return image;
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
  SharedImage image = built_once(opencl_source_image(where_, source), true, report);
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

namespace {

enum class Busy { no, compiles, runs };

// How it is with what was left on the device; what has ended comes to `ended`, to be let go without the lock.
Busy look_at_left(SessionTable& known, void* device, std::vector<Left>& ended, std::string& kernel) {
  const auto found = known.left.find(device);
  if (found == known.left.end()) return Busy::no;
  Busy busy = Busy::no;
  std::vector<Left> still;
  const auto now = std::chrono::steady_clock::now();
  for (Left& left : found->second) {
    if (left.work.ended()) {
      ended.push_back(std::move(left));
      continue;
    }
    if (!left.running && left.work.begun()) {
      left.running = true;
      left.since = now;
    }
    const bool long_ago = left.running && std::chrono::duration<double>(now - left.since).count() > kBusySeconds;
    if (long_ago) kernel = left.work.kernel;
    busy = std::max(busy, long_ago ? Busy::runs : Busy::compiles);
    still.push_back(std::move(left));
  }
  found->second = std::move(still);
  if (found->second.empty()) {
    known.left.erase(found);
    note_device_change();
  }
  return busy;
}

[[noreturn]] void refuse_device(const DeviceInfo& device, const std::string& kernel) {
  throw NmathError("the device is busy: kernel '" + kernel + "' was interrupted and did not end", "session_for", "",
                   "It is used again once the kernel has ended; other devices go on.", device.name);
}

// Waits, if need be, until the device is there for a call.
void await_device(const DeviceInfo& device) {
  SessionTable& known = table();
  for (;;) {
    std::vector<Left> ended;
    std::string kernel;
    Busy busy = Busy::no;
    {
      std::lock_guard<ProcessMutex> lock(known.mutex);
      busy = look_at_left(known, device.device, ended, kernel);
    }
    if (busy == Busy::no) return;
    if (busy == Busy::runs) refuse_device(device, kernel);
    if (user_interrupts()) throw Interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

std::shared_ptr<Session> session_for(const DeviceInfo& device) {
  enter_opencl("session_for");
  await_device(device);
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
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

void give_up_device(const DeviceInfo& device, Unfinished work) {
  Left left{std::move(work), false, std::chrono::steady_clock::time_point(), nullptr};
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  if (left.work.begun()) {  // it had its time
    left.running = true;
    note_device_change();
  }
  left.counted = std::make_shared<UnderWay>();
  note_left_behind();
  known.left[device.device].push_back(std::move(left));
}

std::string given_up_for(const DeviceInfo& device) {
  std::vector<Left> ended;  // goes after the lock
  std::string kernel;
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  return look_at_left(known, device.device, ended, kernel) == Busy::runs ? kernel : std::string();
}

bool forget_unfinished(const DeviceInfo& device) {
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  const auto found = known.left.find(device.device);
  if (found == known.left.end()) return false;
  new std::vector<Left>(std::move(found->second));  // outlives everything: the kernels use what it holds
  known.left.erase(found);
  const auto session = known.sessions.find(device.device);
  if (session != known.sessions.end()) {
    new std::shared_ptr<Session>(std::move(session->second));
    known.sessions.erase(session);
  }
  return true;
}

void drop_sessions() {
  if (opencl_forked()) return;
  let_go_of_devices();
  std::map<void*, std::shared_ptr<Session>> dropped;
  SessionTable& known = table();
  std::lock_guard<ProcessMutex> lock(known.mutex);
  dropped.swap(known.sessions);
}

}  // namespace openclPort
