// kernels -- a program's kernels that no launch has, kept for the next one: drivers take longer to make one, and to
// tell its limits, than to set its arguments.
#ifndef NMATHOPENCL_KERNELS_H
#define NMATHOPENCL_KERNELS_H

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/process_mutex.h"
#include "device/launch.h"
#include "opencl/OpenCL_helper.h"

namespace openclPort {

// A kernel and its limits, which all of this name on one device share.
struct Kernel {
  KernelHandle handle;
  std::shared_ptr<const KernelInfo> info;
};

// Thread-safe.
class KernelPool {
 public:
  Kernel take(const std::string& name);  // without a handle where none is idle, without limits before the first one
  void give_back(const std::string& name, Kernel kernel) noexcept;  // its limits alone where it has no handle

 private:
  static constexpr std::size_t kMostIdle = 16;  // of one name: what the lanes of two or three long calls have

  ProcessMutex mutex_;
  struct Known {
    std::shared_ptr<const KernelInfo> info;
    std::vector<KernelHandle> idle;
  };
  std::map<std::string, Known> known_;
};

}  // namespace openclPort

#endif
