// launch -- one launch: a kernel with its arguments, range, groups and local memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cost.h"
#include "device/buffer.h"

namespace openclPort {

// Limits of one kernel on its device.
struct KernelInfo {
  std::size_t work_group_size = 0;            // most work-items of one group
  std::size_t preferred_multiple = 0;         // of work-items per group
  std::uint64_t private_mem = 0;              // bytes per work-item
  std::uint64_t local_mem = 0;                // bytes per group
  std::size_t required_group[3] = {0, 0, 0};  // by the kernel's reqd_work_group_size attribute; 0: none
  unsigned arguments = 0;
};

// One to three dimensions; a group of size 0 is left to the driver.
struct Range {
  int dimensions = 0;
  std::array<std::size_t, 3> global{{1, 1, 1}}, group{{0, 0, 0}};
};

Range range_of(const std::vector<std::size_t>& global, const std::vector<std::size_t>& group = {});

// Belongs to one thread. Arguments stay as they are set from one run to the next; buffers must outlive the runs.
class Launch {
 public:
  virtual ~Launch() = default;

  virtual const std::string& kernel() const = 0;
  virtual const KernelInfo& info() const = 0;

  virtual void set_value(unsigned index, const void* value, std::size_t bytes) = 0;
  virtual void set_buffer(unsigned index, const Buffer& buffer) = 0;
  virtual void set_local(unsigned index, std::size_t bytes) = 0;  // local memory
  template <typename T>
  void set(unsigned index, const T& value) {
    set_value(index, &value, sizeof value);
  }

  // At least `count` work-items in whole groups of a size that suits device, kernel and cost.
  virtual void items(std::size_t count, Cost cost = Cost::cheap) = 0;
  void range(const Range& range) { range_ = range; }
  const Range& range() const { return range_; }

  // False where the driver is known to compile the kernel at its first run of a range like this one, and none is known
  // to have been: see first_run.h.
  virtual bool compiled() const { return true; }
  virtual void note_compiled() {}
  virtual Range least_like() const { return range_; }  // the smallest range that is compiled as this one

  // Throws unless the kernel takes exactly `given` arguments.
  void check_arguments(std::size_t given, const std::string& device) const;

 protected:
  Range range_;
};

}  // namespace openclPort
