// opencl_builds -- programs of a driver: compiled, linked, built, or taken from the disk cache.
#include "opencl/opencl_image.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/apart.h"
#include "base/program_cache.h"
#include "loader/build_log.h"
#include "loader/nmath_library.h"
#include "opencl/driver_signatures.h"
#include "opencl/opencl_launch.h"
#include "opencl/session.h"

namespace openclPort {

namespace {

constexpr std::size_t kMaxLog = 16384;  // bytes of a build log that an error carries

cl_device_id id_of(const DeviceContext& where) { return static_cast<cl_device_id>(where.device.device); }

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

// A log that the library cannot be asked about (it is not installed, say) leaves the status' own hint.
std::string build_hint(cl_int status, const char* step, const std::string& log, const std::string& text) {
  try {
    const std::string missing = missing_function_hint(log, text);
    if (!missing.empty()) return missing;
  } catch (const NmathError&) {
  }
  return opencl_status_hint(status, step);
}

// `text` is the program's, for the names of its lines and of what it calls; "" after a link.
void check_build(cl_int status, const char* step, const char* what, cl_program program, const DeviceContext& where,
                 const std::string& text) {
  if (status == CL_SUCCESS) return;
  note_opencl_failure();
  std::string log;
  if (program != nullptr) {
    try {
      log = name_source_lines(program_log(program, id_of(where)), text);
    } catch (const NmathError&) {  // some drivers keep no log of a failure; the status still tells
    }
  }
  const std::string first = first_error(log);
  if (log.size() > kMaxLog) {
    const std::string rest = std::to_string(log.size() - kMaxLog);
    log = log.substr(0, kMaxLog) + "\n... (" + rest + " more bytes)";
  }
  throw NmathError(std::string(what) + " failed" + (first.empty() ? "" : ": " + first), step,
                   opencl_status_text(status), build_hint(status, step, log, text), where.device.name, log);
}

// ---- disk cache ----

// Whatever can make a driver give another program, or refuse one, is part of the key.
std::string image_cache_key(const DeviceInfo& device, const ImageSource& source) {
  return program_cache_key({std::to_string(8 * sizeof(void*)), device.platform_name, device.platform_vendor,
                            device.platform_version, device.name, device.vendor, device.version, device.driver_version,
                            source.all_options(), *source.text});
}

// An entry is the length of the signatures, which a binary does not tell, a line end, the signatures, the binary.
std::string entry_of(const KernelSignatures& signatures, const std::string& binary) {
  const std::string text = write_signatures(signatures);
  return std::to_string(text.size()) + "\n" + text + binary;
}

bool split_entry(const std::string& entry, KernelSignatures& signatures, std::string& binary) {
  const std::size_t end = entry.find('\n');
  if (end == std::string::npos || end > 8 || entry.find_first_not_of("0123456789") != end) return false;
  const std::size_t length = std::strtoul(entry.c_str(), nullptr, 10);
  if (length > entry.size() - end - 1) return false;
  std::optional<KernelSignatures> read = read_signatures(entry.substr(end + 1, length));
  if (!read) return false;
  signatures = std::move(*read);
  binary = entry.substr(end + 1 + length);
  return true;
}

// Empty if there is no entry or the driver will not have it. Drivers update, and some check at the build only.
ProgramHandle load_program(const DeviceContext& where, const std::string& options, const std::string& key,
                           KernelSignatures& signatures) {
  const std::optional<std::string> entry = load_cached_program(key);
  std::string binary;
  if (!entry || !split_entry(*entry, signatures, binary)) return ProgramHandle();
  const unsigned char* start = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  const cl_device_id device = id_of(where);
  cl_int taken = CL_SUCCESS, status = CL_SUCCESS;
  ProgramHandle program(clCreateProgramWithBinary(where.context.get(), 1, &device, &length, &start, &taken, &status));
  if (status != CL_SUCCESS || taken != CL_SUCCESS || !program ||
      clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
    return ProgramHandle();
  return program;
}

// A program that the driver does not give out, or a folder that takes none, only costs the next process its build.
void store_program(cl_program program, const std::string& key, const KernelSignatures& signatures) {
  std::size_t bytes = 0;
  if (program_cache_folder().empty()) return;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS || bytes == 0)
    return;
  std::string binary(bytes, '\0');
  unsigned char* target = reinterpret_cast<unsigned char*>(&binary[0]);
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr) != CL_SUCCESS) return;
  store_cached_program(key, entry_of(signatures, binary));
}

}  // namespace

OpenCLImage::OpenCLImage(BundleState state, ImageSource source, std::shared_ptr<const DeviceContext> where,
                         ProgramHandle program, bool from_disk, KernelSignatures signatures)
    : ProgramImage(state, std::move(source)),
      where_(std::move(where)),
      program_(std::move(program)),
      from_disk_(from_disk),
      signatures_(std::move(signatures)) {}

SharedImage opencl_source_image(std::shared_ptr<const DeviceContext> where, ImageSource source) {
  enter_opencl("from_source");
  if (source.text->empty()) throw NmathError("the program text is empty", "from_source", "", "", where->device.name);
  return std::make_shared<const OpenCLImage>(BundleState::source, std::move(source), std::move(where));
}

bool OpenCLImage::current() const { return session_for(device())->where() == where_; }

bool OpenCLImage::beside(const ProgramImage& other) const {
  const OpenCLImage* const own = dynamic_cast<const OpenCLImage*>(&other);
  return own != nullptr && own->where_ == where_;
}

SharedImage OpenCLImage::with_source(ImageSource source) const {
  return opencl_source_image(where_, std::move(source));
}

bool OpenCLImage::builds_on(const DeviceInfo& device) const {
  cl_bool available = CL_FALSE;
  return device.compiles &&
         clGetDeviceInfo(static_cast<cl_device_id>(device.device), CL_DEVICE_COMPILER_AVAILABLE, sizeof available,
                         &available, nullptr) == CL_SUCCESS &&
         available == CL_TRUE;
}

namespace {

using SharedContext = std::shared_ptr<const DeviceContext>;

SharedImage built_image(const SharedContext& where, const ImageSource& source) {
  const std::string options = source.all_options();
  const bool cached = !program_cache_folder().empty();
  const std::string key = cached ? image_cache_key(where->device, source) : std::string();
  if (cached) {
    KernelSignatures signatures;
    ProgramHandle program = load_program(*where, options, key, signatures);
    if (program)
      return std::make_shared<const OpenCLImage>(BundleState::executable, source, where, std::move(program), true,
                                                 std::move(signatures));
  }
  ProgramHandle program = create_program(*where, *source.text);
  const cl_device_id device = id_of(*where);
  const cl_int status = clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  check_build(status, "clBuildProgram", "building the OpenCL program", program.get(), *where, *source.text);
  KernelSignatures signatures = driver_signatures(program.get());
  if (cached) store_program(program.get(), key, signatures);
  return std::make_shared<const OpenCLImage>(BundleState::executable, source, where, std::move(program), false,
                                             std::move(signatures));
}

SharedImage compiled_image(const SharedContext& where, const ImageSource& source, const ProgramHeaders& headers) {
  std::vector<ProgramHandle> owned;
  std::vector<cl_program> programs;
  std::vector<const char*> names;
  for (const auto& header : headers) {
    owned.push_back(create_program(*where, header.second));
    programs.push_back(owned.back().get());
    names.push_back(header.first.c_str());
  }
  ProgramHandle program = create_program(*where, *source.text);
  const cl_device_id device = id_of(*where);
  const cl_int status = clCompileProgram(
      program.get(), 1, &device, source.all_options().c_str(), static_cast<cl_uint>(programs.size()),
      programs.empty() ? nullptr : programs.data(), names.empty() ? nullptr : names.data(), nullptr, nullptr);
  check_build(status, "clCompileProgram", "compiling the OpenCL program", program.get(), *where, *source.text);
  return std::make_shared<const OpenCLImage>(BundleState::object, source, where, std::move(program));
}

}  // namespace

// Drivers take their time for what follows, and nothing ends them: an interrupted caller leaves them to it.
SharedImage OpenCLImage::build() const {
  return run_apart<SharedImage>([where = where_, source = source()] { return built_image(where, source); });
}

SharedImage OpenCLImage::build_once(RunReport* report) const { return session_for(device())->program(*this, report); }

SharedImage OpenCLImage::compile(const ProgramHeaders& headers) const {
  return run_apart<SharedImage>(
      [where = where_, source = source(), headers] { return compiled_image(where, source, headers); });
}

SharedImage OpenCLImage::link(const std::vector<SharedImage>& objects, const std::string& options) const {
  ImageSource linked{nullptr, options};
  std::vector<cl_program> programs;
  auto texts = std::make_shared<std::string>();
  for (const SharedImage& object : objects) {
    programs.push_back(static_cast<const OpenCLImage&>(*object).program_.get());
    const ImageSource& source = object->source();
    if (source.text) *texts += *source.text + "\n";
    linked.constants.insert(source.constants.begin(), source.constants.end());
  }
  linked.text = std::move(texts);
  const cl_device_id device = id_of(*where_);
  cl_int status = CL_SUCCESS;
  ProgramHandle program(clLinkProgram(where_->context.get(), 1, &device, options.c_str(),
                                      static_cast<cl_uint>(programs.size()), programs.data(), nullptr, nullptr,
                                      &status));
  check_build(status, "clLinkProgram", "linking the OpenCL program", program.get(), *where_, "");
  KernelSignatures signatures = driver_signatures(program.get());
  return std::make_shared<const OpenCLImage>(BundleState::executable, std::move(linked), where_, std::move(program),
                                             false, std::move(signatures));
}

std::string OpenCLImage::build_log() const {
  return program_ ? program_log(program_.get(), id_of(*where_)) : std::string();
}

KernelSignature OpenCLImage::signature(const std::string& kernel, std::size_t arguments) const {
  KernelSignature signature;
  const auto reported = signatures_.find(kernel);
  if (reported != signatures_.end()) signature = reported->second;
  signature.resize(arguments);
  const std::optional<KernelSignature> written =
      source().text ? parse_kernel_signature(*source().text, kernel) : std::nullopt;
  if (!written || written->size() != arguments) return signature;
  for (std::size_t k = 0; k < arguments; ++k)
    if (signature[k].kind == KernelParameter::Kind::unknown) signature[k] = (*written)[k];
  return signature;
}

std::unique_ptr<Launch> OpenCLImage::launch(const std::string& name) const {
  Kernel kernel = kernels_->take(name);
  if (!kernel.handle) {
    cl_int status = CL_SUCCESS;
    kernel.handle = KernelHandle(clCreateKernel(program_.get(), name.c_str(), &status));
    if (status == CL_INVALID_KERNEL_NAME) return nullptr;
    check_cl(status, "clCreateKernel", device().name, ("creating kernel '" + name + "'").c_str());
  }
  return std::make_unique<OpenCLLaunch>(name, std::move(kernel), kernels_, where_);
}

NmathError OpenCLImage::no_kernel(const std::string& message) const {
  return NmathError(message, "clCreateKernel", opencl_status_name(CL_INVALID_KERNEL_NAME),
                    "Name one of the program's kernels.", device().name);
}

std::vector<std::string> OpenCLImage::kernel_names() const {
  const std::string list = read_info_string(
      [&](std::size_t bytes, void* target, std::size_t* needed) {
        return clGetProgramInfo(program_.get(), CL_PROGRAM_KERNEL_NAMES, bytes, target, needed);
      },
      "clGetProgramInfo");
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(';', begin), list.size());
    if (end > begin) names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace openclPort
