// launch -- what all runners share: kernel arguments, the size of work-groups, transfers.
#ifndef NMATHOPENCL_LAUNCH_H
#define NMATHOPENCL_LAUNCH_H

#include "opencl/session.h"

namespace openclPort {

// A one-dimensional range for `items` work-items: whole groups, of one size per device and kernel. (A size that varied
// with the number of items would make PoCL compile the kernel anew for each.)
struct LaunchShape {
  std::size_t group;
  std::size_t global;
};
// Groups of a device that is no GPU have at most `cpu_group` work-items.
LaunchShape launch_shape(const KernelInfo& kernel, const DeviceInfo& device, std::size_t items,
                         std::size_t cpu_group = 64);

void set_kernel_argument(cl_kernel kernel, unsigned index, const void* value, std::size_t bytes,
                         const std::string& kernel_name, const DeviceInfo& device);

// Throws unless the kernel takes exactly `given` arguments.
void check_argument_count(const KernelInfo& kernel, std::size_t given, const std::string& kernel_name,
                          const DeviceInfo& device);

double event_seconds(const EventHandle& event);  // from start to end, of a finished command

// Makes results that the device wrote into a host_buffer visible to the host.
void collect_shared(QueueLease& queue, cl_mem buffer, std::size_t bytes, const DeviceInfo& device);

}  // namespace openclPort

#endif
