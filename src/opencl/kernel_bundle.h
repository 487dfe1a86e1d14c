// kernel_bundle -- a set of kernels on one device, in a state: source, object or executable. Every program is in one.
//
// A bundle consists of images, each the program of one text; join() puts the images of several bundles into one. A
// bundle never changes: whatever alters one gives a new one. Copies share the programs, which stay valid when their
// session is dropped, but run only in the session that they were made in. Thread-safe. What is to be built once per
// process goes through Session::program().
#ifndef NMATHOPENCL_KERNEL_BUNDLE_H
#define NMATHOPENCL_KERNEL_BUNDLE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/device_info.h"
#include "device/launch.h"
#include "loader/kernel_signature.h"
#include "opencl/OpenCL_helper.h"
#include "opencl/specialization.h"

namespace openclPort {

struct DeviceContext;
struct ProgramImage;

enum class BundleState { source, object, executable };
inline const char* bundle_state_name(BundleState state) {
  return state == BundleState::source ? "source" : state == BundleState::object ? "object" : "executable";
}

using ProgramHeaders = std::map<std::string, std::string>;  // text by the name that #include gives

class KernelBundle {
 public:
  static KernelBundle from_source(const DeviceInfo& device, const std::string& text, const std::string& options = "");
  static KernelBundle from_source(std::shared_ptr<const DeviceContext> where, const std::string& text,
                                  const std::string& options);

  // A source bundle in the present session of its device, where that was reset; any other as it is.
  KernelBundle renewed() const;

  // Of source bundles. A constant that no text mentions throws: it would change nothing.
  KernelBundle with_specialization_constant(const std::string& name, const SpecializationValue& value) const;
  KernelBundle compile(const ProgramHeaders& headers = {}) const;  // to objects
  // To executables, each image by itself, from the disk cache where it is there (program_cache.h).
  KernelBundle build() const;
  // All images of object bundles of one device context, linked into one executable image.
  static KernelBundle link(const std::vector<KernelBundle>& objects, const std::string& options = "");
  // All images of bundles of one state and one device context, each once, in the order given.
  static KernelBundle join(const std::vector<KernelBundle>& bundles);

  BundleState state() const;
  const DeviceInfo& device() const;
  std::size_t image_count() const;
  std::vector<KernelBundle> images() const;  // one bundle for each
  std::string build_log() const;             // warnings of the step that led to this state; "" for source
  std::string options() const;               // of all images, "; " between them
  SpecializationConstants specialization_constants() const;         // set so far; of equal names the first image's
  bool has_specialization_constant(const std::string& name) const;  // set, or in an image's text
  bool from_disk() const;  // every image of an executable bundle came from the disk cache

  // Of executables only; others throw. Where several images have a kernel of one name, the first one's is meant.
  std::vector<std::string> kernel_names() const;  // sorted, each once
  bool has_kernel(const std::string& name) const;
  KernelInfo kernel_info(const std::string& name) const;     // an unknown name throws and lists the names there
  KernelSignature signature(const std::string& name) const;  // one parameter for each of the kernel's arguments

  // Whether the device can take the bundle further: its compiler for a source bundle; for the other states it must be
  // the bundle's own device, not reset since, and the kernels named (none: all of them) must fit its limits.
  bool compatible_with(const DeviceInfo& device, const std::vector<std::string>& kernels = {}) const;

  KernelHandle create_kernel(const std::string& name) const;  // one per call: arguments are the kernel's state
  const std::shared_ptr<const DeviceContext>& where() const;
  // What tells the program of a single source image from every other on its device.
  std::string source_key() const;

 private:
  using Images = std::vector<std::shared_ptr<const ProgramImage>>;
  explicit KernelBundle(Images images) : images_(std::move(images)) {}
  void require(BundleState state, const char* step) const;

  Images images_;  // never empty; all of one state and one device context
};

KernelInfo read_kernel_info(cl_kernel kernel, const DeviceInfo& device);

}  // namespace openclPort

#endif
