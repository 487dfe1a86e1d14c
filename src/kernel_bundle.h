// kernel_bundle -- the kernels of one program text on one device, in a state: source, object or executable.
//
// A bundle never changes: compile(), build() and link() give new ones. Copies share the program, which stays valid when
// its session is dropped. Thread-safe. Programs that are to be built once per process come from Session::program().
#ifndef NMATHOPENCL_KERNEL_BUNDLE_H
#define NMATHOPENCL_KERNEL_BUNDLE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "OpenCL_helper.h"
#include "opencl_device.h"

namespace openclPort {

struct DeviceContext;

enum class BundleState { source, object, executable };

// Limits of one kernel on the bundle's device.
struct KernelInfo {
  std::size_t work_group_size = 0;            // most work-items of one group
  std::size_t preferred_multiple = 0;         // of work-items per group
  std::uint64_t private_mem = 0;              // bytes per work-item
  std::uint64_t local_mem = 0;                // bytes per group
  std::size_t required_group[3] = {0, 0, 0};  // by the kernel's reqd_work_group_size attribute; 0: none
  unsigned arguments = 0;
};

class KernelBundle {
 public:
  static KernelBundle from_source(const DeviceInfo& device, const std::string& text, const std::string& options = "");
  static KernelBundle from_source(std::shared_ptr<const DeviceContext> where, const std::string& text,
                                  const std::string& options);

  KernelBundle compile() const;  // source -> object
  KernelBundle build() const;    // source -> executable
  // Objects of one device context -> executable. Throws if the list is empty or mixes contexts or states.
  static KernelBundle link(const std::vector<KernelBundle>& objects, const std::string& options = "");

  BundleState state() const;
  const DeviceInfo& device() const;
  const std::string& options() const;
  std::string build_log() const;  // warnings of the step that led to this state; "" for source

  // Of executables only; others throw.
  std::vector<std::string> kernel_names() const;
  bool has_kernel(const std::string& name) const;
  KernelInfo kernel_info(const std::string& name) const;  // an unknown name throws and lists the names there
#ifdef USE_OPENCL
  KernelHandle create_kernel(const std::string& name) const;  // one per call: arguments are the kernel's state
  const std::shared_ptr<const DeviceContext>& where() const;
#endif

 private:
  struct Image;
  explicit KernelBundle(std::shared_ptr<const Image> image) : image_(std::move(image)) {}
  void require(BundleState state, const char* step) const;

  std::shared_ptr<const Image> image_;
};

#ifdef USE_OPENCL
KernelInfo read_kernel_info(cl_kernel kernel, const DeviceInfo& device);
#endif

}  // namespace openclPort

#endif
