// process_mutex -- a lock over what lives as long as the process: kept programs, found devices, chosen settings; and
// which process that is.
//
// A child that is forked while another thread of its parent holds a lock inherits the lock held, and nobody who would
// release it. So a fork waits until all of these are free, holds them while the process is copied, and releases them on
// both sides: what they guard is whole in the child. Locks over one call's data need none of this; they are std::mutex.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace openclPort {

// For std::lock_guard. A fork waits a second at most: a lock that another thread holds for longer is held in the child,
// too. One that the forking thread holds itself (a driver may fork to build a program) it goes on to hold on both
// sides. Without effect on a fork under Windows, which has none, and macOS, whose system does not forget a library's
// part in forks when the library is unloaded.
class ProcessMutex {
 public:
  ProcessMutex();
  ~ProcessMutex();
  ProcessMutex(const ProcessMutex&) = delete;
  ProcessMutex& operator=(const ProcessMutex&) = delete;

  void lock() {
    mutex_.lock();
    owner_ = std::this_thread::get_id();
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    owner_ = std::this_thread::get_id();
    return true;
  }
  void unlock() {
    owner_ = std::thread::id();
    mutex_.unlock();
  }
  bool held_by_this_thread() const { return owner_.load() == std::this_thread::get_id(); }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{std::thread::id()};
};

// This process' number, which the system is asked for once: each question is a switch into its kernel and back. 1 under
// Windows, where a process cannot be forked.
long process_id() noexcept;

}  // namespace openclPort
