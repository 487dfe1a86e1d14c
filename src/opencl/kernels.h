// kernels -- a program's kernels that no launch has, kept for the next one: drivers take longer to make one, and to
// tell its limits, than to set its arguments.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/process_mutex.h"
#include "device/launch.h"
#include "opencl/OpenCL_helper.h"

namespace openclPort {

// Ranges that a kernel has run, as far as drivers compile it for each of them. Thread-safe.
class RunRanges {
 public:
  bool has(std::uint64_t kind) const {
    for (const auto& seen : seen_) {
      const std::uint64_t one = seen.load(std::memory_order_relaxed);
      if (one == kind) return true;
      if (one == 0) return false;
    }
    return true;  // so many kinds that one more is not worth a run
  }
  void add(std::uint64_t kind) {
    for (auto& seen : seen_) {
      std::uint64_t one = 0;
      if (seen.compare_exchange_strong(one, kind) || one == kind) return;
    }
  }

 private:
  std::array<std::atomic<std::uint64_t>, 8> seen_{};  // 0: none yet
};

// What all kernels of one name on one device share.
struct KernelFacts {
  KernelInfo limits;
  mutable RunRanges run;
};

struct Kernel {
  KernelHandle handle;
  std::shared_ptr<const KernelFacts> facts;
};

// Thread-safe.
class KernelPool {
 public:
  Kernel take(const std::string& name);  // without a handle where none is idle, without facts before the first one
  void give_back(const std::string& name, Kernel kernel) noexcept;  // its facts alone where it has no handle

 private:
  static constexpr std::size_t kMostIdle = 16;  // of one name: what the lanes of two or three long calls have

  ProcessMutex mutex_;
  struct Known {
    std::shared_ptr<const KernelFacts> facts;
    std::vector<KernelHandle> idle;
  };
  std::map<std::string, Known> known_;
};

}  // namespace openclPort
