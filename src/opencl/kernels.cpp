// kernels -- gives kernels to launches, and takes them back.
#include "opencl/kernels.h"

#include <utility>

namespace openclPort {

Kernel KernelPool::take(const std::string& name) {
  const std::lock_guard<ProcessMutex> lock(mutex_);
  const auto found = known_.find(name);
  Kernel kernel;
  if (found == known_.end()) return kernel;
  kernel.facts = found->second.facts;
  std::vector<KernelHandle>& idle = found->second.idle;
  if (idle.empty()) return kernel;
  kernel.handle = std::move(idle.back());
  idle.pop_back();
  return kernel;
}

void KernelPool::give_back(const std::string& name, Kernel kernel) noexcept {
  if (opencl_forked()) return;
  try {
    const std::lock_guard<ProcessMutex> lock(mutex_);
    Known& known = known_[name];
    if (known.facts == nullptr) known.facts = std::move(kernel.facts);
    if (kernel.handle && known.idle.size() < kMostIdle) known.idle.push_back(std::move(kernel.handle));
  } catch (...) {  // not kept, then: its handle releases it
  }
}

}  // namespace openclPort
