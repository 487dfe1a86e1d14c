// buffers -- device memory of a session, and idle buffers for reuse.
#include <algorithm>

#include "opencl/session.h"

namespace openclPort {

namespace {

constexpr std::size_t kSmallestBuffer = 256;

// Few sizes, so that buffers are found again: powers of two up to 1 MiB, then whole MiB.
std::size_t rounded_size(std::size_t bytes) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  if (bytes > mebibyte) return (bytes + mebibyte - 1) / mebibyte * mebibyte;
  std::size_t size = kSmallestBuffer;
  while (size < bytes) size *= 2;
  return size;
}

bool out_of_memory(cl_int status) {
  return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES;
}

}  // namespace

BufferHandle BufferPool::take(std::size_t bytes, std::size_t& capacity) {
  std::lock_guard<ProcessMutex> lock(mutex_);
  const auto found = idle_.lower_bound(bytes);
  if (found == idle_.end() || found->first / 2 > bytes) return BufferHandle();
  capacity = found->first;
  BufferHandle buffer = std::move(found->second);
  idle_.erase(found);
  idle_bytes_ -= capacity;
  return buffer;
}

void BufferPool::give_back(BufferHandle buffer, std::size_t capacity) noexcept {
  if (capacity > most_) return;
  try {
    std::lock_guard<ProcessMutex> lock(mutex_);
    while (!idle_.empty() && idle_bytes_ + capacity > most_) {
      const auto largest = std::prev(idle_.end());
      idle_bytes_ -= largest->first;
      idle_.erase(largest);
    }
    idle_.emplace(capacity, std::move(buffer));
    idle_bytes_ += capacity;
  } catch (...) {  // not kept, then: its handle releases it
  }
}

void BufferPool::clear() noexcept {
  std::lock_guard<ProcessMutex> lock(mutex_);
  idle_.clear();
  idle_bytes_ = 0;
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this != &other) {
    give_back();
    buffer_ = std::move(other.buffer_);
    capacity_ = other.capacity_;
    pool_ = other.pool_;
  }
  return *this;
}

void DeviceBuffer::give_back() noexcept {
  if (buffer_ && pool_ != nullptr && !opencl_forked()) pool_->give_back(std::move(buffer_), capacity_);
  buffer_.reset();
}

cl_int Session::create_buffer(cl_mem_flags flags, std::size_t bytes, void* data, BufferHandle& buffer) const {
  cl_int status = CL_SUCCESS;
  buffer = BufferHandle(clCreateBuffer(where_->context.get(), flags, bytes, data, &status));
  return status;
}

DeviceBuffer Session::buffer(std::size_t bytes) {
  std::size_t capacity = std::max(bytes, std::min<std::size_t>(rounded_size(bytes), device().max_alloc));
  BufferHandle buffer = pool_.take(capacity, capacity);
  if (!buffer) {
    cl_int status = create_buffer(CL_MEM_READ_WRITE, capacity, nullptr, buffer);
    if (out_of_memory(status)) {  // what lies idle may be just what is missing
      pool_.clear();
      status = create_buffer(CL_MEM_READ_WRITE, capacity, nullptr, buffer);
    }
    check_cl(status, "clCreateBuffer", device().name, ("allocating " + std::to_string(bytes) + " bytes").c_str());
  }
  return DeviceBuffer(std::move(buffer), capacity, &pool_);
}

DeviceBuffer Session::part(cl_mem whole, std::size_t first, std::size_t bytes) {
  const cl_buffer_region region = {first, bytes};
  cl_int status = CL_SUCCESS;
  BufferHandle buffer(clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
  check_cl(status, "clCreateSubBuffer", device().name, "taking a part of a buffer");
  return DeviceBuffer(std::move(buffer), bytes, nullptr);
}

DeviceBuffer Session::host_buffer(void* data, std::size_t bytes, cl_mem_flags access) {
  BufferHandle buffer;
  const cl_int status = create_buffer(access | CL_MEM_USE_HOST_PTR, bytes, data, buffer);
  check_cl(status, "clCreateBuffer", device().name, "giving the device access to host memory");
  return DeviceBuffer(std::move(buffer), bytes, nullptr);
}

}  // namespace openclPort
