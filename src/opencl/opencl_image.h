// opencl_image -- a program image that an OpenCL driver compiles, links, builds, or takes from the disk cache.
#pragma once

#include "device/program_image.h"
#include "opencl/OpenCL_helper.h"
#include "opencl/kernels.h"

namespace openclPort {

// What programs and buffers outlive a dropped session with.
struct DeviceContext {
  DeviceInfo device;
  ContextHandle context;
};

class OpenCLImage : public ProgramImage {
 public:
  OpenCLImage(BundleState state, ImageSource source, std::shared_ptr<const DeviceContext> where,
              ProgramHandle program = ProgramHandle(), bool from_disk = false, KernelSignatures signatures = {});

  const std::shared_ptr<const DeviceContext>& where() const noexcept { return where_; }

  const DeviceInfo& device() const override { return where_->device; }
  void enter(const char* step) const override { enter_opencl(step); }
  bool current() const override;
  bool beside(const ProgramImage& other) const override;
  std::string build_log() const override;

  SharedImage with_source(ImageSource source) const override;
  bool builds_on(const DeviceInfo& device) const override;
  SharedImage compile(const ProgramHeaders& headers) const override;
  SharedImage build() const override;
  SharedImage build_once(RunReport* report) const override;
  SharedImage link(const std::vector<SharedImage>& objects, const std::string& options) const override;

  bool from_disk() const override { return from_disk_; }
  std::vector<std::string> kernel_names() const override;
  std::unique_ptr<Launch> launch(const std::string& name) const override;
  NmathError no_kernel(const std::string& message) const override;
  // As the driver tells it and else as the text has it.
  KernelSignature signature(const std::string& kernel, std::size_t arguments) const override;

 private:
  const std::shared_ptr<const DeviceContext> where_;
  const ProgramHandle program_;  // none for source
  const bool from_disk_;
  const std::shared_ptr<KernelPool> kernels_ = std::make_shared<KernelPool>();
  const KernelSignatures signatures_;  // what the driver tells, or told the one that stored the program on disk
};

// A source image; throws for an empty text.
SharedImage opencl_source_image(std::shared_ptr<const DeviceContext> where, ImageSource source);

}  // namespace openclPort
