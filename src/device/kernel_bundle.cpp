// kernel_bundle -- bundles of program images: their states, joining and linking, the kernels in them.
#include "device/kernel_bundle.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "device/devices.h"

namespace openclPort {

namespace {

using Images = std::vector<SharedImage>;

bool same_image(const SharedImage& a, const SharedImage& b) {
  if (a == b) return true;
  const ImageSource &left = a->source(), &right = b->source();
  return a->state() == BundleState::source && b->state() == BundleState::source && *left.text == *right.text &&
         left.all_options() == right.all_options();
}

bool fits(const KernelInfo& kernel, const DeviceInfo& device) {
  std::size_t required = 1;
  for (const std::size_t size : kernel.required_group) required *= std::max<std::size_t>(size, 1);
  return required <= std::max<std::size_t>(device.max_work_group, 1) && kernel.work_group_size > 0 &&
         kernel.local_mem <= device.local_mem;
}

// What each image becomes.
template <typename Step>
Images each(const Images& images, Step step) {
  Images changed;
  for (const SharedImage& image : images) changed.push_back(step(*image));
  return changed;
}

class BundleProgram : public Program {
 public:
  explicit BundleProgram(const KernelBundle& bundle) : bundle_(bundle) {}

  std::unique_ptr<Launch> launch(const std::string& kernel) const override { return bundle_.launch(kernel); }
  KernelInfo kernel_info(const std::string& kernel) const override { return bundle_.kernel_info(kernel); }
  KernelSignature signature(const std::string& kernel) const override { return bundle_.signature(kernel); }

 private:
  const KernelBundle bundle_;
};

}  // namespace

KernelBundle KernelBundle::from_source(const DeviceInfo& device, const std::string& text, const std::string& options) {
  check_compiler_options(options);
  return source_image(device, {std::make_shared<const std::string>(without_byte_order_marks(text)), options});
}

KernelBundle KernelBundle::renewed() const {
  images_.front()->enter("renewed");
  if (state() != BundleState::source || images_.front()->current()) return *this;
  const SharedImage first = source_image(device(), images_.front()->source());
  return KernelBundle(each(images_, [&](const ProgramImage& image) { return first->with_source(image.source()); }));
}

KernelBundle KernelBundle::with_specialization_constant(const std::string& name,
                                                        const SpecializationValue& value) const {
  require(BundleState::source, "set_specialization_constant");
  check_specialization_name(name);
  Images images = images_;
  bool mentioned = false;
  for (SharedImage& image : images) {
    if (!mentions_identifier(*image->source().text, name)) continue;
    mentioned = true;
    ImageSource set = image->source();
    set.constants[name] = value;
    image = image->with_source(std::move(set));
  }
  if (!mentioned)
    throw NmathError("the program does not mention '" + name + "', so a constant of this name would change nothing",
                     "set_specialization_constant", "", "", device().name);
  return KernelBundle(std::move(images));
}

KernelBundle KernelBundle::compile(const ProgramHeaders& headers) const {
  require(BundleState::source, "compile");
  return KernelBundle(each(images_, [&](const ProgramImage& image) { return image.compile(headers); }));
}

KernelBundle KernelBundle::build() const {
  require(BundleState::source, "build");
  return KernelBundle(each(images_, [](const ProgramImage& image) { return image.build(); }));
}

KernelBundle KernelBundle::build_once(RunReport& report) const {
  const KernelBundle present = renewed();
  present.require(BundleState::source, "build");
  std::vector<KernelBundle> built;
  for (const SharedImage& image : present.images_) built.push_back(image->build_once(&report));
  return join(built);
}

KernelBundle KernelBundle::join(const std::vector<KernelBundle>& bundles) {
  if (bundles.empty()) throw NmathError("there is no bundle to join", "join");
  const KernelBundle& first = bundles.front();
  Images images;
  for (const KernelBundle& bundle : bundles) {
    bundle.require(first.state(), "join");
    if (!bundle.images_.front()->beside(*first.images_.front()))
      throw NmathError("the bundles are of different contexts or devices ('" + first.device().name + "' and '" +
                           bundle.device().name + "')",
                       "join", "", "Make all of them on one device, with nothing reset in between.");
    for (const SharedImage& image : bundle.images_) {
      const auto same = [&](const SharedImage& known) { return same_image(known, image); };
      if (std::none_of(images.begin(), images.end(), same)) images.push_back(image);
    }
  }
  return KernelBundle(std::move(images));
}

KernelBundle KernelBundle::link(const std::vector<KernelBundle>& objects, const std::string& options) {
  if (objects.empty()) throw NmathError("there is no bundle to link", "link");
  check_compiler_options(options);
  for (const KernelBundle& object : objects) object.require(BundleState::object, "link");
  const Images images = join(objects).images_;
  return images.front()->link(images, options);
}

void KernelBundle::require(BundleState needed, const char* step) const {
  images_.front()->enter(step);
  if (state() != needed)
    throw NmathError(std::string(step) + " needs a bundle in state '" + bundle_state_name(needed) +
                         "', this one is in state '" + bundle_state_name(state()) + "'",
                     step, "", "", device().name);
}

std::string KernelBundle::options() const {
  std::vector<std::string> options;
  for (const SharedImage& image : images_)
    if (const std::string& own = image->source().options;
        !own.empty() && std::find(options.begin(), options.end(), own) == options.end())
      options.push_back(own);
  return joined(options, "; ");
}

SpecializationConstants KernelBundle::specialization_constants() const {
  SpecializationConstants all;
  for (const SharedImage& image : images_)
    all.insert(image->source().constants.begin(), image->source().constants.end());
  return all;
}

bool KernelBundle::has_specialization_constant(const std::string& name) const {
  check_specialization_name(name);
  return std::any_of(images_.begin(), images_.end(), [&](const SharedImage& image) {
    const ImageSource& source = image->source();
    return source.constants.count(name) > 0 || (source.text && mentions_identifier(*source.text, name));
  });
}

bool KernelBundle::from_disk() const {
  return std::all_of(images_.begin(), images_.end(), [](const SharedImage& image) { return image->from_disk(); });
}

std::string KernelBundle::build_log() const {
  images_.front()->enter("build_log");
  std::vector<std::string> logs;
  for (const SharedImage& image : images_) {
    const std::string log = image->build_log();
    if (!log.empty()) logs.push_back(log);
  }
  return joined(logs, "\n");
}

std::vector<std::string> KernelBundle::kernel_names() const {
  require(BundleState::executable, "kernel_names");
  std::set<std::string> names;
  for (const SharedImage& image : images_)
    for (const std::string& name : image->kernel_names()) names.insert(name);
  return std::vector<std::string>(names.begin(), names.end());
}

bool KernelBundle::has_kernel(const std::string& name) const {
  const std::vector<std::string> names = kernel_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::unique_ptr<Launch> KernelBundle::launch(const std::string& name) const {
  require(BundleState::executable, "create_kernel");
  for (const SharedImage& image : images_)
    if (std::unique_ptr<Launch> launch = image->launch(name)) return launch;
  const std::string names = joined(kernel_names(), ", ");
  throw images_.front()->no_kernel("the program has no kernel '" + name +
                                   "'; its kernels: " + (names.empty() ? "none" : names));
}

KernelInfo KernelBundle::kernel_info(const std::string& name) const { return launch(name)->info(); }

KernelSignature KernelBundle::signature(const std::string& name) const {
  const std::size_t arguments = kernel_info(name).arguments;
  for (const SharedImage& image : images_) {
    const std::vector<std::string> names = image->kernel_names();
    if (std::find(names.begin(), names.end(), name) != names.end()) return image->signature(name, arguments);
  }
  return KernelSignature(arguments);
}

bool KernelBundle::compatible_with(const DeviceInfo& other, const std::vector<std::string>& kernels) const {
  const ProgramImage& first = *images_.front();
  first.enter("compatible_with");
  if (state() == BundleState::source) {
    try {
      return source_image(other, first.source())->builds_on(other);
    } catch (const NmathError&) {  // it has no compiler
      return false;
    }
  }
  if (other.kind != device().kind || other.device != device().device || !first.current()) return false;
  if (state() == BundleState::object) return true;
  const std::vector<std::string> asked = kernels.empty() ? kernel_names() : kernels;
  return std::all_of(asked.begin(), asked.end(),
                     [&](const std::string& name) { return fits(kernel_info(name), other); });
}

SharedProgram KernelBundle::program() const { return std::make_shared<const BundleProgram>(*this); }

SharedProgram program_of_bundle(const KernelBundle& executable) {
  if (!executable.images().front()->current())
    throw NmathError("the bundle was built before its device was reset", "KernelCall", "", "Build it again.",
                     executable.device().name);
  return executable.program();
}

}  // namespace openclPort
