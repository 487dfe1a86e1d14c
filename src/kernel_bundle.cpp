// kernel_bundle -- compiling, linking, building and inspecting programs.
#include "kernel_bundle.h"

#include <algorithm>
#include <utility>

#include "build_log.h"
#include "opencl_session.h"

namespace openclPort {

#ifdef USE_OPENCL

struct KernelBundle::Image {
  BundleState state;
  std::shared_ptr<const DeviceContext> where;
  std::string text;  // of source bundles; a program keeps its own
  std::string options;
  ProgramHandle program;  // none for source

  const DeviceInfo& device() const { return where->device; }
  cl_device_id id() const { return static_cast<cl_device_id>(where->device.device); }
};

namespace {

constexpr std::size_t kMaxLog = 16384;  // bytes of a build log that an error carries

const char* state_name(BundleState state) {
  return state == BundleState::source ? "source" : state == BundleState::object ? "object" : "executable";
}

ProgramHandle create_program(const DeviceContext& where, const std::string& text) {
  const char* start = text.data();
  const std::size_t length = text.size();
  cl_int status = CL_SUCCESS;
  ProgramHandle program(clCreateProgramWithSource(where.context.get(), 1, &start, &length, &status));
  check_cl(status, "clCreateProgramWithSource", where.device.name);
  return program;
}

std::string program_log(cl_program program, cl_device_id device) {
  std::string log = read_info_string(
      [&](std::size_t bytes, void* target, std::size_t* needed) {
        return clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, target, needed);
      },
      "clGetProgramBuildInfo");
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log;
}

// `text` is the program's, for the names of its lines; "" after a link.
void check_build(cl_int status, const char* step, const char* what, cl_program program, const DeviceContext& where,
                 const std::string& text) {
  if (status == CL_SUCCESS) return;
  std::string log;
  if (program != nullptr) {
    try {
      log = name_source_lines(program_log(program, static_cast<cl_device_id>(where.device.device)), text);
    } catch (const NmathError&) {  // some drivers keep no log of a failure; the status still tells
    }
  }
  const std::string first = first_error(log);
  if (log.size() > kMaxLog) {
    const std::string rest = std::to_string(log.size() - kMaxLog);
    log = log.substr(0, kMaxLog) + "\n... (" + rest + " more bytes)";
  }
  throw NmathError(std::string(what) + " failed" + (first.empty() ? "" : ": " + first), step,
                   std::string(opencl_status_name(status)) + " (" + std::to_string(status) + ")",
                   opencl_status_hint(status), where.device.name, log);
}

template <typename T>
T group_value(cl_kernel kernel, const DeviceInfo& device, cl_kernel_work_group_info param) {
  T value{};
  check_cl(
      clGetKernelWorkGroupInfo(kernel, static_cast<cl_device_id>(device.device), param, sizeof value, &value, nullptr),
      "clGetKernelWorkGroupInfo", device.name);
  return value;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

}  // namespace

KernelBundle KernelBundle::from_source(std::shared_ptr<const DeviceContext> where, const std::string& text,
                                       const std::string& options) {
  enter_opencl("from_source");
  if (text.empty()) throw NmathError("the program text is empty", "from_source", "", "", where->device.name);
  return KernelBundle(
      std::make_shared<const Image>(Image{BundleState::source, std::move(where), text, options, ProgramHandle()}));
}

KernelBundle KernelBundle::from_source(const DeviceInfo& device, const std::string& text, const std::string& options) {
  return from_source(session_for(device)->where(), text, options);
}

KernelBundle KernelBundle::compile() const {
  require(BundleState::source, "compile");
  ProgramHandle program = create_program(*image_->where, image_->text);
  const cl_device_id device = image_->id();
  const cl_int status =
      clCompileProgram(program.get(), 1, &device, image_->options.c_str(), 0, nullptr, nullptr, nullptr, nullptr);
  check_build(status, "clCompileProgram", "compiling the OpenCL program", program.get(), *image_->where,
              image_->text);
  return KernelBundle(std::make_shared<const Image>(
      Image{BundleState::object, image_->where, std::string(), image_->options, std::move(program)}));
}

KernelBundle KernelBundle::build() const {
  require(BundleState::source, "build");
  ProgramHandle program = create_program(*image_->where, image_->text);
  const cl_device_id device = image_->id();
  const cl_int status = clBuildProgram(program.get(), 1, &device, image_->options.c_str(), nullptr, nullptr);
  check_build(status, "clBuildProgram", "building the OpenCL program", program.get(), *image_->where,
              image_->text);
  return KernelBundle(std::make_shared<const Image>(
      Image{BundleState::executable, image_->where, std::string(), image_->options, std::move(program)}));
}

KernelBundle KernelBundle::link(const std::vector<KernelBundle>& objects, const std::string& options) {
  if (objects.empty()) throw NmathError("there is no bundle to link", "link");
  const std::shared_ptr<const DeviceContext>& where = objects.front().image_->where;
  std::vector<cl_program> programs;
  for (const KernelBundle& object : objects) {
    object.require(BundleState::object, "link");
    if (object.image_->where != where)
      throw NmathError("the bundles to link are of different contexts or devices ('" + where->device.name + "' and '" +
                           object.device().name + "')",
                       "link", "", "Make all of them on one device, with nothing reset in between.");
    programs.push_back(object.image_->program.get());
  }
  const cl_device_id device = objects.front().image_->id();
  cl_int status = CL_SUCCESS;
  ProgramHandle program(clLinkProgram(where->context.get(), 1, &device, options.c_str(),
                                      static_cast<cl_uint>(programs.size()), programs.data(), nullptr, nullptr,
                                      &status));
  check_build(status, "clLinkProgram", "linking the OpenCL program", program.get(), *where, "");
  return KernelBundle(
      std::make_shared<const Image>(Image{BundleState::executable, where, std::string(), options, std::move(program)}));
}

void KernelBundle::require(BundleState state, const char* step) const {
  enter_opencl(step);
  if (image_->state != state)
    throw NmathError(std::string(step) + " needs a bundle in state '" + state_name(state) +
                         "', this one is in state '" + state_name(image_->state) + "'",
                     step, "", "", device().name);
}

BundleState KernelBundle::state() const { return image_->state; }
const DeviceInfo& KernelBundle::device() const { return image_->device(); }
const std::string& KernelBundle::options() const { return image_->options; }
const std::shared_ptr<const DeviceContext>& KernelBundle::where() const { return image_->where; }

std::string KernelBundle::build_log() const {
  enter_opencl("build_log");
  return image_->program ? program_log(image_->program.get(), image_->id()) : std::string();
}

std::vector<std::string> KernelBundle::kernel_names() const {
  require(BundleState::executable, "kernel_names");
  const std::string list = read_info_string(
      [&](std::size_t bytes, void* target, std::size_t* needed) {
        return clGetProgramInfo(image_->program.get(), CL_PROGRAM_KERNEL_NAMES, bytes, target, needed);
      },
      "clGetProgramInfo");
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(';', begin), list.size());
    if (end > begin) names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool KernelBundle::has_kernel(const std::string& name) const {
  const std::vector<std::string> names = kernel_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

KernelHandle KernelBundle::create_kernel(const std::string& name) const {
  require(BundleState::executable, "create_kernel");
  cl_int status = CL_SUCCESS;
  KernelHandle kernel(clCreateKernel(image_->program.get(), name.c_str(), &status));
  if (status == CL_INVALID_KERNEL_NAME)
    throw NmathError("the program has no kernel '" + name + "'; its kernels: " + joined(kernel_names()),
                     "clCreateKernel", opencl_status_name(status), "", device().name);
  check_cl(status, "clCreateKernel", device().name, ("creating kernel '" + name + "'").c_str());
  return kernel;
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

#else  // a build without OpenCL has no bundles: none can be made, so none can be asked

struct KernelBundle::Image {
  DeviceInfo device;
  std::string options;
};

KernelBundle KernelBundle::from_source(const DeviceInfo&, const std::string&, const std::string&) {
  enter_opencl("from_source");
  return KernelBundle(nullptr);
}
KernelBundle KernelBundle::from_source(std::shared_ptr<const DeviceContext>, const std::string&, const std::string&) {
  enter_opencl("from_source");
  return KernelBundle(nullptr);
}
KernelBundle KernelBundle::link(const std::vector<KernelBundle>&, const std::string&) {
  enter_opencl("link");
  return KernelBundle(nullptr);
}
void KernelBundle::require(BundleState, const char* step) const { enter_opencl(step); }
KernelBundle KernelBundle::compile() const { return *this; }
KernelBundle KernelBundle::build() const { return *this; }
BundleState KernelBundle::state() const { return BundleState::source; }
const DeviceInfo& KernelBundle::device() const { return image_->device; }
const std::string& KernelBundle::options() const { return image_->options; }
std::string KernelBundle::build_log() const { return std::string(); }
std::vector<std::string> KernelBundle::kernel_names() const { return {}; }
bool KernelBundle::has_kernel(const std::string&) const { return false; }
KernelInfo KernelBundle::kernel_info(const std::string&) const { return KernelInfo(); }

#endif

}  // namespace openclPort
