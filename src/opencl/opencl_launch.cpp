// opencl_launch -- limits of a kernel, its arguments and the size of its groups.
#include "opencl/opencl_launch.h"

#include <algorithm>

#include "opencl/opencl_image.h"

namespace openclPort {

namespace {

template <typename T>
T group_value(cl_kernel kernel, const DeviceInfo& device, cl_kernel_work_group_info param) {
  T value{};
  check_cl(
      clGetKernelWorkGroupInfo(kernel, static_cast<cl_device_id>(device.device), param, sizeof value, &value, nullptr),
      "clGetKernelWorkGroupInfo", device.name);
  return value;
}

KernelInfo read_kernel_info(cl_kernel kernel, const DeviceInfo& device) {
  KernelInfo info;
  info.work_group_size = group_value<std::size_t>(kernel, device, CL_KERNEL_WORK_GROUP_SIZE);
  info.preferred_multiple = group_value<std::size_t>(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  info.private_mem = group_value<cl_ulong>(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE);
  info.local_mem = group_value<cl_ulong>(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE);
  struct Size3 {
    std::size_t size[3];
  };
  const Size3 required = group_value<Size3>(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  std::copy(required.size, required.size + 3, info.required_group);
  cl_uint arguments = 0;
  check_cl(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr), "clGetKernelInfo",
           device.name);
  info.arguments = arguments;
  return info;
}

}  // namespace

OpenCLLaunch::OpenCLLaunch(const std::string& name, Kernel kernel, std::shared_ptr<KernelPool> pool,
                           std::shared_ptr<const DeviceContext> where)
    : name_(name), pool_(std::move(pool)), where_(std::move(where)), kernel_(std::move(kernel)) {
  if (kernel_.facts == nullptr) {
    auto facts = std::make_shared<KernelFacts>();
    facts->limits = read_kernel_info(kernel_.handle.get(), where_->device);
    kernel_.facts = std::move(facts);
  }
  kept_ = info().arguments <= kWatched;
}

OpenCLLaunch::~OpenCLLaunch() {
  if (!kept_) kernel_.handle.reset();
  pool_->give_back(name_, std::move(kernel_));
}

cl_kernel OpenCLLaunch::get() const {
  const unsigned arguments = info().arguments;
  const std::uint64_t all = arguments < kWatched ? (std::uint64_t{1} << arguments) - 1 : ~std::uint64_t{0};
  if (arguments <= kWatched && (set_ & all) != all)
    check_cl(CL_INVALID_KERNEL_ARGS, "clEnqueueNDRangeKernel", where_->device.name,
             ("starting kernel '" + name_ + "'").c_str());
  return kernel_.handle.get();
}

// Groups are of one size per device and kernel: a size that varied with the number of items would make PoCL compile
// the kernel anew for each. A group is computed by one core of a CPU: those of costly functions are small.
void OpenCLLaunch::items(std::size_t count, Cost cost) {
  static constexpr std::size_t cpu_groups[] = {64, 64, 8, 1};
  std::size_t group = info().required_group[0];
  if (group == 0) {
    const std::size_t suits = where_->device.type == "gpu" ? 256 : cpu_groups[static_cast<int>(cost)];
    group = std::min(suits, std::max<std::size_t>(info().work_group_size, 1));
    const std::size_t multiple = std::max<std::size_t>(info().preferred_multiple, 1);
    if (group > multiple) group -= group % multiple;
  }
  range_ = range_of({(count + group - 1) / group * group}, {group});
}

// PoCL compiles a kernel for the size of its groups, and once more where a dimension has many work-items (its devices'
// grid_width_specialization_limit).
constexpr std::size_t kWideRange = 65535;

static bool is_wide(const Range& range) {
  return *std::max_element(range.global.begin(), range.global.end()) >= kWideRange;
}

std::uint64_t OpenCLLaunch::kind_of_range() const {
  std::uint64_t kind = 1;
  for (const std::size_t size : range_.group) kind = kind << 20 | std::min<std::size_t>(size, (1u << 20) - 1);
  return kind << 1 | (is_wide(range_) ? 1u : 0u);
}

// Compilers of GPUs have done all when a program is built. A group that is left to the driver is not known here.
bool OpenCLLaunch::compiled() const {
  if (where_->device.type != "cpu" || !where_->device.host_memory || range_.group[0] == 0) return true;
  return kernel_.facts->run.has(kind_of_range());
}

void OpenCLLaunch::note_compiled() { kernel_.facts->run.add(kind_of_range()); }

Range OpenCLLaunch::least_like() const {
  Range range = range_;
  for (std::size_t d = 0; d < range.global.size(); ++d) range.global[d] = std::max<std::size_t>(range.group[d], 1);
  if (is_wide(range_)) range.global[0] *= (kWideRange + range.global[0]) / range.global[0];
  return range;
}

void OpenCLLaunch::set_argument(unsigned index, const void* value, std::size_t bytes) {
  const cl_int status = clSetKernelArg(kernel_.handle.get(), index, bytes, value);
  if (status != CL_SUCCESS) {
    kept_ = false;
    check_cl(status, "clSetKernelArg", where_->device.name,
             ("setting argument " + std::to_string(index + 1) + " of kernel '" + name_ + "'").c_str());
  }
  if (index < kWatched) set_ |= std::uint64_t{1} << index;
}

}  // namespace openclPort
