// program_image -- the program of one text on one device, in a state. Kernel bundles are made of such; a kind of device
// that builds programs implements it, and DeviceKind::source_image() gives the first.
//
// Images are immutable and shared, what they hold of the device goes with the last of them. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/nmath_error.h"
#include "device/device_info.h"
#include "device/launch.h"
#include "device/specialization.h"
#include "loader/kernel_signature.h"

namespace openclPort {

struct RunReport;
class ProgramImage;
using SharedImage = std::shared_ptr<const ProgramImage>;

enum class BundleState { source, object, executable };
inline const char* bundle_state_name(BundleState state) {
  return state == BundleState::source ? "source" : state == BundleState::object ? "object" : "executable";
}

using ProgramHeaders = std::map<std::string, std::string>;  // text by the name that #include gives

struct ImageSource {
  std::shared_ptr<const std::string> text;  // after a link that of all objects
  std::string options{};
  SpecializationConstants constants{};

  std::string all_options() const { return with_specialization_options(options, constants); }
  // What tells the program from every other on its device: the whole text, so that no two are taken for one another.
  std::string key() const { return all_options() + '\0' + *text; }
};

class ProgramImage {
 public:
  ProgramImage(BundleState state, ImageSource source) : state_(state), source_(std::move(source)) {}
  virtual ~ProgramImage() = default;

  BundleState state() const noexcept { return state_; }
  const ImageSource& source() const noexcept { return source_; }

  virtual const DeviceInfo& device() const = 0;
  virtual void enter(const char* step) const = 0;  // throws where this process cannot use its device, and says why
  virtual bool current() const = 0;                // its device was not reset since it was made
  virtual bool beside(const ProgramImage& other) const = 0;  // joined and linked they can be
  virtual std::string build_log() const = 0;                 // of the step that led to its state; "" for source

  // Of source images. Whatever the compiler refuses is an NmathError with the build log.
  virtual SharedImage with_source(ImageSource source) const = 0;  // another text beside this one
  virtual bool builds_on(const DeviceInfo& device) const = 0;     // its compiler is there
  virtual SharedImage compile(const ProgramHeaders& headers) const = 0;
  virtual SharedImage build() const = 0;                        // from the disk cache where it is there
  virtual SharedImage build_once(RunReport* report) const = 0;  // per process, while the device keeps it
  // Of object images: the first of `objects` is asked.
  virtual SharedImage link(const std::vector<SharedImage>& objects, const std::string& options) const = 0;

  // Of executables.
  virtual bool from_disk() const = 0;  // taken from the disk cache
  virtual std::vector<std::string> kernel_names() const = 0;
  virtual std::unique_ptr<Launch> launch(const std::string& kernel) const = 0;  // null where it has none of this name
  virtual NmathError no_kernel(const std::string& message) const = 0;  // for the caller to throw where no image has it
  // One parameter for each of the kernel's arguments, unknown where nobody tells.
  virtual KernelSignature signature(const std::string& kernel, std::size_t arguments) const = 0;

 private:
  const BundleState state_;
  const ImageSource source_;
};

}  // namespace openclPort
