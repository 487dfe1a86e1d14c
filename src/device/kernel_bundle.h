// kernel_bundle -- a set of kernels on one device, in a state: source, object or executable.
//
// A bundle consists of images, each the program of one text; join() puts the images of several bundles into one. A
// bundle never changes: whatever alters one gives a new one. Copies share the programs, which stay valid when their
// device is reset, but run only where that was not done. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "device/program.h"
#include "device/program_image.h"

namespace openclPort {

class KernelBundle {
 public:
  KernelBundle(SharedImage image) : images_{std::move(image)} {}
  static KernelBundle from_source(const DeviceInfo& device, const std::string& text, const std::string& options = "");

  // A source bundle in the present state of its device, where that was reset; any other as it is.
  KernelBundle renewed() const;

  // Of source bundles. A constant that no text mentions throws: it would change nothing.
  KernelBundle with_specialization_constant(const std::string& name, const SpecializationValue& value) const;
  KernelBundle compile(const ProgramHeaders& headers = {}) const;  // to objects
  // To executables, each image by itself, from the disk cache where it is there (program_cache.h).
  KernelBundle build() const;
  // The same for the renewed bundle, each image once per process while its device keeps it.
  KernelBundle build_once(RunReport& report) const;
  // All images of object bundles of one device context, linked into one executable image.
  static KernelBundle link(const std::vector<KernelBundle>& objects, const std::string& options = "");
  // All images of bundles of one state and one device context, each once, in the order given.
  static KernelBundle join(const std::vector<KernelBundle>& bundles);

  BundleState state() const { return images_.front()->state(); }
  const DeviceInfo& device() const { return images_.front()->device(); }
  std::size_t image_count() const { return images_.size(); }
  const std::vector<SharedImage>& images() const { return images_; }
  std::string build_log() const;                                    // warnings of the step that led to this state
  std::string options() const;                                      // of all images, "; " between them
  SpecializationConstants specialization_constants() const;         // set so far; of equal names the first image's
  bool has_specialization_constant(const std::string& name) const;  // set, or in an image's text
  bool from_disk() const;  // every image of an executable bundle came from the disk cache

  // Of executables only; others throw. Where several images have a kernel of one name, the first one's is meant.
  std::vector<std::string> kernel_names() const;  // sorted, each once
  bool has_kernel(const std::string& name) const;
  std::unique_ptr<Launch> launch(const std::string& name) const;  // an unknown name throws and lists the names there
  KernelInfo kernel_info(const std::string& name) const;
  KernelSignature signature(const std::string& name) const;  // one parameter for each of the kernel's arguments

  // Whether the device can take the bundle further: its compiler for a source bundle; for the other states it must be
  // the bundle's own device, not reset since, and the kernels named (none: all of them) must fit its limits.
  bool compatible_with(const DeviceInfo& device, const std::vector<std::string>& kernels = {}) const;

  SharedProgram program() const;  // of an executable: as devices take it

 private:
  explicit KernelBundle(std::vector<SharedImage> images) : images_(std::move(images)) {}
  void require(BundleState state, const char* step) const;

  std::vector<SharedImage> images_;  // never empty; all of one state and one device context
};

// An executable bundle as a program to run now; throws where its device was reset since it was built.
SharedProgram program_of_bundle(const KernelBundle& executable);

}  // namespace openclPort
