// kernel_bundle -- bundles of program images: their states, joining and linking, the kernels in them.
#include "opencl/kernel_bundle.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "opencl/program_image.h"
#include "opencl/session.h"

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

bool same_image(const SharedImage& a, const SharedImage& b) {
  if (a == b) return true;
  return a->state == BundleState::source && b->state == BundleState::source && *a->text == *b->text &&
         a->all_options() == b->all_options();
}

bool fits(const KernelInfo& kernel, const DeviceInfo& device) {
  std::size_t required = 1;
  for (const std::size_t size : kernel.required_group) required *= std::max<std::size_t>(size, 1);
  return required <= std::max<std::size_t>(device.max_work_group, 1) && kernel.work_group_size > 0 &&
         kernel.local_mem <= device.local_mem;
}

bool has_compiler(const DeviceInfo& device) {
  cl_bool available = CL_FALSE;
  return clGetDeviceInfo(static_cast<cl_device_id>(device.device), CL_DEVICE_COMPILER_AVAILABLE, sizeof available,
                         &available, nullptr) == CL_SUCCESS &&
         available == CL_TRUE;
}

}  // namespace

KernelBundle KernelBundle::from_source(std::shared_ptr<const DeviceContext> where, const std::string& text,
                                       const std::string& options) {
  enter_opencl("from_source");
  if (text.empty()) throw NmathError("the program text is empty", "from_source", "", "", where->device.name);
  return KernelBundle(
      Images{std::make_shared<const ProgramImage>(ProgramImage{BundleState::source,
                                                               std::move(where),
                                                               std::make_shared<const std::string>(text),
                                                               options,
                                                               {},
                                                               ProgramHandle()})});
}

KernelBundle KernelBundle::from_source(const DeviceInfo& device, const std::string& text, const std::string& options) {
  return from_source(session_for(device)->where(), text, options);
}

KernelBundle KernelBundle::renewed() const {
  enter_opencl("renewed");
  if (state() != BundleState::source) return *this;
  const std::shared_ptr<const DeviceContext> present = session_for(device())->where();
  if (present == where()) return *this;
  Images images;
  for (const SharedImage& image : images_)
    images.push_back(std::make_shared<const ProgramImage>(
        ProgramImage{image->state, present, image->text, image->options, image->constants, ProgramHandle()}));
  return KernelBundle(std::move(images));
}

KernelBundle KernelBundle::with_specialization_constant(const std::string& name,
                                                        const SpecializationValue& value) const {
  require(BundleState::source, "set_specialization_constant");
  check_specialization_name(name);
  Images images;
  bool mentioned = false;
  for (const SharedImage& image : images_) {
    images.push_back(image);
    if (!mentions_identifier(*image->text, name)) continue;
    mentioned = true;
    SpecializationConstants constants = image->constants;
    constants[name] = value;
    images.back() = std::make_shared<const ProgramImage>(
        ProgramImage{image->state, image->where, image->text, image->options, std::move(constants), ProgramHandle()});
  }
  if (!mentioned)
    throw NmathError("the program does not mention '" + name + "', so a constant of this name would change nothing",
                     "set_specialization_constant", "", "", device().name);
  return KernelBundle(std::move(images));
}

KernelBundle KernelBundle::compile(const ProgramHeaders& headers) const {
  require(BundleState::source, "compile");
  Images images;
  for (const SharedImage& image : images_) images.push_back(compile_image(*image, headers));
  return KernelBundle(std::move(images));
}

KernelBundle KernelBundle::build() const {
  require(BundleState::source, "build");
  Images images;
  for (const SharedImage& image : images_) images.push_back(build_image(*image));
  return KernelBundle(std::move(images));
}

KernelBundle KernelBundle::join(const std::vector<KernelBundle>& bundles) {
  if (bundles.empty()) throw NmathError("there is no bundle to join", "join");
  const KernelBundle& first = bundles.front();
  Images images;
  for (const KernelBundle& bundle : bundles) {
    bundle.require(first.state(), "join");
    if (bundle.where() != first.where())
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
  for (const KernelBundle& object : objects) object.require(BundleState::object, "link");
  return KernelBundle(Images{link_images(join(objects).images_, options)});
}

void KernelBundle::require(BundleState needed, const char* step) const {
  enter_opencl(step);
  if (state() != needed)
    throw NmathError(std::string(step) + " needs a bundle in state '" + bundle_state_name(needed) +
                         "', this one is in state '" + bundle_state_name(state()) + "'",
                     step, "", "", device().name);
}

BundleState KernelBundle::state() const { return images_.front()->state; }
const DeviceInfo& KernelBundle::device() const { return images_.front()->device(); }
const std::shared_ptr<const DeviceContext>& KernelBundle::where() const { return images_.front()->where; }
std::size_t KernelBundle::image_count() const { return images_.size(); }

std::vector<KernelBundle> KernelBundle::images() const {
  std::vector<KernelBundle> single;
  for (const SharedImage& image : images_) single.push_back(KernelBundle(Images{image}));
  return single;
}

std::string KernelBundle::source_key() const {
  require(BundleState::source, "build");
  // The whole text: no two programs can be taken for one another.
  return images_.front()->all_options() + '\0' + *images_.front()->text;
}

std::string KernelBundle::options() const {
  std::vector<std::string> options;
  for (const SharedImage& image : images_)
    if (!image->options.empty() && std::find(options.begin(), options.end(), image->options) == options.end())
      options.push_back(image->options);
  return joined(options, "; ");
}

SpecializationConstants KernelBundle::specialization_constants() const {
  SpecializationConstants all;
  for (const SharedImage& image : images_) all.insert(image->constants.begin(), image->constants.end());
  return all;
}

bool KernelBundle::has_specialization_constant(const std::string& name) const {
  check_specialization_name(name);
  return std::any_of(images_.begin(), images_.end(), [&](const SharedImage& image) {
    return image->constants.count(name) > 0 || (image->text && mentions_identifier(*image->text, name));
  });
}

bool KernelBundle::from_disk() const {
  return std::all_of(images_.begin(), images_.end(), [](const SharedImage& image) { return image->from_disk; });
}

std::string KernelBundle::build_log() const {
  enter_opencl("build_log");
  std::vector<std::string> logs;
  for (const SharedImage& image : images_) {
    const std::string log = image_build_log(*image);
    if (!log.empty()) logs.push_back(log);
  }
  return joined(logs, "\n");
}

std::vector<std::string> KernelBundle::kernel_names() const {
  require(BundleState::executable, "kernel_names");
  std::set<std::string> names;
  for (const SharedImage& image : images_)
    for (const std::string& name : image_kernel_names(*image)) names.insert(name);
  return std::vector<std::string>(names.begin(), names.end());
}

bool KernelBundle::has_kernel(const std::string& name) const {
  const std::vector<std::string> names = kernel_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

KernelHandle KernelBundle::create_kernel(const std::string& name) const {
  require(BundleState::executable, "create_kernel");
  for (const SharedImage& image : images_) {
    cl_int status = CL_SUCCESS;
    KernelHandle kernel(clCreateKernel(image->program.get(), name.c_str(), &status));
    if (status == CL_INVALID_KERNEL_NAME) continue;
    check_cl(status, "clCreateKernel", device().name, ("creating kernel '" + name + "'").c_str());
    return kernel;
  }
  const std::string names = joined(kernel_names(), ", ");
  throw NmathError("the program has no kernel '" + name + "'; its kernels: " + (names.empty() ? "none" : names),
                   "clCreateKernel", opencl_status_name(CL_INVALID_KERNEL_NAME), "Name one of the program's kernels.",
                   device().name);
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

KernelInfo KernelBundle::kernel_info(const std::string& name) const {
  return read_kernel_info(create_kernel(name).get(), device());
}

KernelSignature KernelBundle::signature(const std::string& name) const {
  const std::size_t arguments = kernel_info(name).arguments;
  for (const SharedImage& image : images_) {
    const std::vector<std::string> names = image_kernel_names(*image);
    if (std::find(names.begin(), names.end(), name) != names.end()) return image_signature(*image, name, arguments);
  }
  return KernelSignature(arguments);
}

bool KernelBundle::compatible_with(const DeviceInfo& other, const std::vector<std::string>& kernels) const {
  enter_opencl("compatible_with");
  if (state() == BundleState::source) return has_compiler(other);
  if (other.device != device().device || session_for(other)->where() != where()) return false;
  if (state() == BundleState::object) return true;
  const std::vector<std::string> asked = kernels.empty() ? kernel_names() : kernels;
  return std::all_of(asked.begin(), asked.end(),
                     [&](const std::string& name) { return fits(kernel_info(name), other); });
}

}  // namespace openclPort
