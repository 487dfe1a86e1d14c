// program_image -- the program of one text on one device context: compiled, linked, built, or taken from the disk
// cache.
//
// Images are immutable and shared; the OpenCL program goes with the last of them. Thread-safe.
#ifndef NMATHOPENCL_PROGRAM_IMAGE_H
#define NMATHOPENCL_PROGRAM_IMAGE_H

#include "loader/kernel_signature.h"
#include "opencl/kernel_bundle.h"
#include "opencl/session.h"

namespace openclPort {

struct ProgramImage {
  BundleState state;
  std::shared_ptr<const DeviceContext> where;
  std::shared_ptr<const std::string> text;  // after a link that of all objects
  std::string options;
  SpecializationConstants constants;
  ProgramHandle program;          // none for source
  bool from_disk = false;         // executable taken from the disk cache
  KernelSignatures signatures{};  // of an executable: what the driver tells, or told the one that stored it on disk

  const DeviceInfo& device() const { return where->device; }
  cl_device_id id() const { return static_cast<cl_device_id>(where->device.device); }
  std::string all_options() const { return with_specialization_options(options, constants); }
};

using SharedImage = std::shared_ptr<const ProgramImage>;

// Each throws an NmathError with the build log if the driver refuses.
SharedImage compile_image(const ProgramImage& source, const ProgramHeaders& headers);
SharedImage build_image(const ProgramImage& source);
SharedImage link_images(const std::vector<SharedImage>& objects, const std::string& options);

std::string image_build_log(const ProgramImage& image);
std::vector<std::string> image_kernel_names(const ProgramImage& executable);

// The parameters of a kernel of an executable, as the driver tells them and else as the text has them; parameters of
// which neither says anything are unknown.
KernelSignature image_signature(const ProgramImage& executable, const std::string& kernel, std::size_t arguments);

}  // namespace openclPort

#endif
