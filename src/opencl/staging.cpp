// staging -- page-locked host memory and the pool that keeps it.
#include "opencl/staging.h"

#include "opencl/opencl_image.h"

namespace openclPort {

namespace {
constexpr std::size_t kMaxIdleBytes = std::size_t{160} << 20;  // page-locked memory kept between calls
}

PinnedMemory::PinnedMemory(const DeviceContext& where, cl_command_queue queue, std::size_t bytes) : bytes_(bytes) {
  cl_int status = CL_SUCCESS;
  buffer_ = BufferHandle(
      clCreateBuffer(where.context.get(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &status));
  check_cl(status, "clCreateBuffer", where.device.name, "allocating page-locked memory");
  check_cl(clRetainCommandQueue(queue), "clRetainCommandQueue", where.device.name);
  queue_ = QueueHandle(queue);
  data_ = clEnqueueMapBuffer(queue, buffer_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr,
                             &status);
  check_cl(status, "clEnqueueMapBuffer", where.device.name, "mapping page-locked memory");
}

PinnedMemory::~PinnedMemory() {
  if (data_ == nullptr || !queue_ || opencl_forked()) return;
  if (clEnqueueUnmapMemObject(queue_.get(), buffer_.get(), data_, 0, nullptr, nullptr) == CL_SUCCESS)
    clFinish(queue_.get());  // whether or not it succeeds, the buffer goes
}

std::unique_ptr<PinnedMemory> StagingPool::take(std::size_t bytes) {
  std::lock_guard<ProcessMutex> lock(mutex_);
  for (auto it = idle_.begin(); it != idle_.end(); ++it) {
    if ((*it)->size() < bytes) continue;
    std::unique_ptr<PinnedMemory> found = std::move(*it);
    idle_.erase(it);
    idle_bytes_ -= found->size();
    return found;
  }
  return nullptr;
}

void StagingPool::give_back(std::unique_ptr<PinnedMemory> memory) noexcept {
  try {
    std::lock_guard<ProcessMutex> lock(mutex_);
    const std::size_t bytes = memory->size();
    if (idle_bytes_ + bytes > kMaxIdleBytes) return;  // not kept
    idle_.push_back(std::move(memory));
    idle_bytes_ += bytes;
  } catch (...) {  // not kept, then
  }
}

void StagingPool::clear() noexcept {
  std::vector<std::unique_ptr<PinnedMemory>> dropped;
  std::lock_guard<ProcessMutex> lock(mutex_);
  dropped.swap(idle_);
  idle_bytes_ = 0;
}

Staging::~Staging() {
  if (memory_ != nullptr && pool_ != nullptr) pool_->give_back(std::move(memory_));
}

}  // namespace openclPort
