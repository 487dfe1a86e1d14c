// session -- one per device and process: context, queues, buffers kept for reuse, programs built so far.
//
// Made at first use, shared by every call on the device, dropped by drop_sessions(); a call under way keeps its session
// alive until it ends. Thread-safe: a call leases a queue and buffers of its own and gives them back at its end.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/process_mutex.h"
#include "device/device_info.h"
#include "device/program_store.h"
#include "device/unfinished.h"
#include "opencl/OpenCL_helper.h"
#include "opencl/opencl_image.h"
#include "opencl/staging.h"

namespace openclPort {

class Session;
struct RunReport;

std::shared_ptr<Session> session_for(const DeviceInfo& device);
bool has_session(const DeviceInfo& device);
void drop_session(const DeviceInfo& device);
// A kernel on the device was left running. Until it has ended session_for() waits for it, as long as it is being
// compiled and a moment more, and then refuses the device; what it holds goes once it has ended.
void give_up_device(const DeviceInfo& device, Unfinished work);
// The kernel that the device is refused for now; "" where there is none.
std::string given_up_for(const DeviceInfo& device);
// What was left running holds what it has for ever, and the device is tried in spite of it. True: there was something.
bool forget_unfinished(const DeviceInfo& device);
void drop_sessions();  // does nothing in a forked child: what is there belongs to the parent

// Idle buffers by size. Allocation is slow on GPUs and a call on one element needs several.
class BufferPool {
 public:
  explicit BufferPool(std::size_t most) : most_(most) {}        // bytes that may lie idle
  BufferHandle take(std::size_t bytes, std::size_t& capacity);  // empty if none fits
  void give_back(BufferHandle buffer, std::size_t capacity) noexcept;
  void clear() noexcept;

 private:
  ProcessMutex mutex_;
  std::multimap<std::size_t, BufferHandle> idle_;
  std::size_t idle_bytes_ = 0;
  const std::size_t most_;
};

// A buffer of a session: from the pool, to which it returns, or over host memory that the caller keeps alive.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(BufferHandle buffer, std::size_t capacity, BufferPool* pool)
      : buffer_(std::move(buffer)), capacity_(capacity), pool_(pool) {}
  DeviceBuffer(DeviceBuffer&&) noexcept = default;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer() { give_back(); }

  cl_mem get() const noexcept { return buffer_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(buffer_); }

 private:
  void give_back() noexcept;

  BufferHandle buffer_;
  std::size_t capacity_ = 0;
  BufferPool* pool_ = nullptr;
};

// An in-order queue for one call. Whatever way the call ends, the queue is finished before it is given back, and so
// before buffers and host memory declared ahead of the lease go away.
class QueueLease {
 public:
  QueueLease(Session& session, QueueHandle queue, bool timed)
      : session_(&session), queue_(std::move(queue)), timed_(timed) {}
  QueueLease(QueueLease&&) noexcept = default;
  QueueLease& operator=(QueueLease&&) = delete;
  ~QueueLease();

  cl_command_queue get() const noexcept { return queue_.get(); }
  cl_command_queue use() noexcept {  // for a command
    idle_ = false;
    return queue_.get();
  }
  void finish();

 private:
  Session* session_;
  QueueHandle queue_;
  bool timed_;
  bool idle_ = false;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(const DeviceInfo& device);

  const DeviceInfo& device() const noexcept { return where_->device; }
  const std::shared_ptr<const DeviceContext>& where() const noexcept { return where_; }

  // The executable of a source image of this session: built, or read from the disk cache, at the first call in the
  // process and found at later ones, see set_user_programs(). Concurrent callers of one text wait for one build. A
  // failed build throws in all of them and is tried again next time. One that is left by an interrupt goes on, and the
  // next call waits for it.
  SharedImage program(const OpenCLImage& source, RunReport* report);
  SharedImage program(const std::string& text, const std::string& options, RunReport* report);
  // The same for a text of the library that `key` stands for in this process: `text()` is called only if `key` is new,
  // and the program is kept as long as the session is.
  SharedImage program(const std::string& key, const std::function<std::string()>& text, const std::string& options,
                      RunReport* report);

  QueueLease queue(bool timed = true);  // timed: its events tell when they began and ended
  DeviceBuffer buffer(std::size_t bytes);
  DeviceBuffer part(cl_mem whole, std::size_t first, std::size_t bytes);
  DeviceBuffer host_buffer(void* data, std::size_t bytes, cl_mem_flags access);
  Staging staging(std::size_t bytes, cl_command_queue queue);  // page-locked host memory; `queue` maps it

  // A queue failed: the device was lost or a kernel went astray. Drivers then refuse the whole context, so the next
  // call on the device gets a new session.
  bool lost() const noexcept { return lost_.load(); }
  // The same, and after a failure elsewhere (a build, a kernel, an allocation) the device is asked.
  bool usable();

  // Programs of the package come with declarations of what they call (builtin_declarations.h) until one does not build
  // so.
  bool declares_builtins() const noexcept { return declares_builtins_.load(); }
  void leave_builtins_to_driver() noexcept { declares_builtins_ = false; }

 private:
  friend class QueueLease;
  struct Kept {
    std::shared_future<SharedImage> image;
    std::shared_ptr<std::atomic<bool>> left;  // an interrupt ended the wait for it
    std::uint64_t used = 0;                   // when, in uses of programs
    bool own = false;                         // the library's
  };
  static SharedImage awaited(const std::shared_future<SharedImage>& build,
                             const std::shared_ptr<std::atomic<bool>>& left);
  SharedImage built_once(SharedImage source, bool own, RunReport* report);
  void drop_oldest_program();
  cl_int create_buffer(cl_mem_flags flags, std::size_t bytes, void* data, BufferHandle& buffer) const;

  std::shared_ptr<const DeviceContext> where_;
  BufferPool pool_;
  StagingPool staging_;
  std::atomic<bool> lost_{false};
  std::atomic<bool> declares_builtins_;
  std::atomic<unsigned long> failures_seen_{opencl_failures()};
  ProcessMutex mutex_;                              // guards what follows
  std::vector<QueueHandle> idle_queues_[2];         // untimed, timed
  std::unordered_map<std::string, Kept> programs_;  // by ImageSource::key()
  std::uint64_t uses_ = 0;
  std::unordered_map<std::string, SharedImage> keyed_;
};

}  // namespace openclPort
