// process_mutex -- a lock over what lives as long as the process: kept programs, found devices, chosen settings; and
// which process that is.
//
// A child that is forked while another thread of its parent holds a lock inherits the lock held, and nobody who would
// release it. So a fork waits until all of these are free, holds them while the process is copied, and releases them on
// both sides: what they guard is whole in the child. Locks over one call's data need none of this; they are std::mutex.
#ifndef NMATHOPENCL_PROCESS_MUTEX_H
#define NMATHOPENCL_PROCESS_MUTEX_H

#include <mutex>

namespace openclPort {

// For std::lock_guard. A fork waits a second at most: a lock that is held for longer is held in the child, too. Without
// effect on a fork under Windows, which has none, and macOS, whose system does not forget a library's part in forks
// when the library is unloaded.
class ProcessMutex {
 public:
  ProcessMutex();
  ~ProcessMutex();
  ProcessMutex(const ProcessMutex&) = delete;
  ProcessMutex& operator=(const ProcessMutex&) = delete;

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// This process' number, which the system is asked for once: each question is a switch into its kernel and back. 1 under
// Windows, where a process cannot be forked.
long process_id() noexcept;

}  // namespace openclPort

#endif
