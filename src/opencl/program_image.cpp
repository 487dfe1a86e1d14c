// program_image -- the program of one text on one device context: compiled, linked, built, or taken from the disk
// cache.
#include "opencl/program_image.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/program_cache.h"
#include "loader/build_log.h"
#include "loader/nmath_library.h"

namespace openclPort {

namespace {

constexpr std::size_t kMaxLog = 16384;  // bytes of a build log that an error carries

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
std::string build_hint(cl_int status, const char* step, const std::string& log) {
  try {
    const std::string missing = missing_function_hint(log);
    if (!missing.empty()) return missing;
  } catch (const NmathError&) {
  }
  return opencl_status_hint(status, step);
}

// `text` is the program's, for the names of its lines; "" after a link.
void check_build(cl_int status, const char* step, const char* what, cl_program program, const DeviceContext& where,
                 const std::string& text) {
  if (status == CL_SUCCESS) return;
  note_opencl_failure();
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
                   opencl_status_text(status), build_hint(status, step, log), where.device.name, log);
}

SharedImage executable_image(const ProgramImage& source, ProgramHandle program, bool from_disk,
                             KernelSignatures signatures) {
  return std::make_shared<const ProgramImage>(ProgramImage{BundleState::executable, source.where, source.text,
                                                           source.options, source.constants, std::move(program),
                                                           from_disk, std::move(signatures)});
}

// ---- signatures ----

// What the driver says of one argument; of unknown kind where it keeps none.
KernelParameter driver_parameter(cl_kernel kernel, cl_uint index) {
  KernelParameter parameter;
  cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
  const auto text = [&](cl_kernel_arg_info what) {
    std::size_t bytes = 0;
    if (clGetKernelArgInfo(kernel, index, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return std::string();
    std::string result(bytes, '\0');
    if (clGetKernelArgInfo(kernel, index, what, bytes, &result[0], nullptr) != CL_SUCCESS) return std::string();
    return result.substr(0, result.find('\0'));
  };
  if (clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr) != CL_SUCCESS ||
      clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, nullptr) !=
          CL_SUCCESS)
    return parameter;
  std::string type = text(CL_KERNEL_ARG_TYPE_NAME);
  parameter.name = text(CL_KERNEL_ARG_NAME);
  const bool pointer = !type.empty() && type.back() == '*';
  if (pointer) type.pop_back();
  parameter.type = scalar_type_name(type);
  if (type == "sampler_t") {
    parameter.kind = KernelParameter::Kind::sampler;
  } else if (type.compare(0, 5, "image") == 0) {
    parameter.kind = KernelParameter::Kind::image;
  } else if (scalar_bytes(type) > 0) {
    const bool local = space == CL_KERNEL_ARG_ADDRESS_LOCAL;
    parameter.kind = !pointer ? KernelParameter::Kind::value
                     : local  ? KernelParameter::Kind::local
                              : KernelParameter::Kind::buffer;
  }
  parameter.read_only = parameter.kind == KernelParameter::Kind::buffer &&
                        (space == CL_KERNEL_ARG_ADDRESS_CONSTANT || (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0);
  return parameter;
}

// Drivers need not keep what arguments are: none of it is an error.
KernelSignatures driver_signatures(cl_program program) {
  KernelSignatures signatures;
  cl_uint count = 0;
  if (clCreateKernelsInProgram(program, 0, nullptr, &count) != CL_SUCCESS || count == 0) return signatures;
  std::vector<cl_kernel> created(count);
  if (clCreateKernelsInProgram(program, count, created.data(), nullptr) != CL_SUCCESS) return signatures;
  std::vector<KernelHandle> kernels(created.begin(), created.end());
  for (const KernelHandle& kernel : kernels) {
    char name[256] = "";
    cl_uint arguments = 0;
    check_cl(clGetKernelInfo(kernel.get(), CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr), "clGetKernelInfo");
    check_cl(clGetKernelInfo(kernel.get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr),
             "clGetKernelInfo");
    KernelSignature& signature = signatures[name];
    for (cl_uint k = 0; k < arguments; ++k) signature.push_back(driver_parameter(kernel.get(), k));
  }
  return signatures;
}

// ---- disk cache ----

// Whatever can make a driver give another program, or refuse one, is part of the key.
std::string image_cache_key(const ProgramImage& source) {
  const DeviceInfo& device = source.device();
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
ProgramHandle load_program(const ProgramImage& source, const std::string& key, KernelSignatures& signatures) {
  const std::optional<std::string> entry = load_cached_program(key);
  std::string binary;
  if (!entry || !split_entry(*entry, signatures, binary)) return ProgramHandle();
  const unsigned char* start = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  const cl_device_id device = source.id();
  cl_int taken = CL_SUCCESS, status = CL_SUCCESS;
  ProgramHandle program(
      clCreateProgramWithBinary(source.where->context.get(), 1, &device, &length, &start, &taken, &status));
  if (status != CL_SUCCESS || taken != CL_SUCCESS || !program ||
      clBuildProgram(program.get(), 1, &device, source.all_options().c_str(), nullptr, nullptr) != CL_SUCCESS)
    return ProgramHandle();
  return program;
}

// A program that the driver does not give out, or a folder that takes none, only costs the next process its build.
void store_program(cl_program program, const std::string& key, const KernelSignatures& signatures) {
  std::size_t bytes = 0;
  if (program_cache_place().folder.empty()) return;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS || bytes == 0)
    return;
  std::string binary(bytes, '\0');
  unsigned char* target = reinterpret_cast<unsigned char*>(&binary[0]);
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr) != CL_SUCCESS) return;
  store_cached_program(key, entry_of(signatures, binary));
}

}  // namespace

SharedImage build_image(const ProgramImage& source) {
  const bool cached = !program_cache_place().folder.empty();
  const std::string key = cached ? image_cache_key(source) : std::string();
  if (cached) {
    KernelSignatures signatures;
    ProgramHandle program = load_program(source, key, signatures);
    if (program) return executable_image(source, std::move(program), true, std::move(signatures));
  }
  ProgramHandle program = create_program(*source.where, *source.text);
  const cl_device_id device = source.id();
  const cl_int status = clBuildProgram(program.get(), 1, &device, source.all_options().c_str(), nullptr, nullptr);
  check_build(status, "clBuildProgram", "building the OpenCL program", program.get(), *source.where, *source.text);
  KernelSignatures signatures = driver_signatures(program.get());
  if (cached) store_program(program.get(), key, signatures);
  return executable_image(source, std::move(program), false, std::move(signatures));
}

SharedImage compile_image(const ProgramImage& source, const ProgramHeaders& headers) {
  std::vector<ProgramHandle> owned;
  std::vector<cl_program> programs;
  std::vector<const char*> names;
  for (const auto& header : headers) {
    owned.push_back(create_program(*source.where, header.second));
    programs.push_back(owned.back().get());
    names.push_back(header.first.c_str());
  }
  ProgramHandle program = create_program(*source.where, *source.text);
  const cl_device_id device = source.id();
  const cl_int status = clCompileProgram(
      program.get(), 1, &device, source.all_options().c_str(), static_cast<cl_uint>(programs.size()),
      programs.empty() ? nullptr : programs.data(), names.empty() ? nullptr : names.data(), nullptr, nullptr);
  check_build(status, "clCompileProgram", "compiling the OpenCL program", program.get(), *source.where, *source.text);
  return std::make_shared<const ProgramImage>(ProgramImage{BundleState::object, source.where, source.text,
                                                           source.options, source.constants, std::move(program)});
}

SharedImage link_images(const std::vector<SharedImage>& objects, const std::string& options) {
  const std::shared_ptr<const DeviceContext>& where = objects.front()->where;
  SpecializationConstants constants;
  std::vector<cl_program> programs;
  auto texts = std::make_shared<std::string>();
  for (const SharedImage& object : objects) {
    programs.push_back(object->program.get());
    if (object->text) *texts += *object->text + "\n";
    constants.insert(object->constants.begin(), object->constants.end());
  }
  const cl_device_id device = objects.front()->id();
  cl_int status = CL_SUCCESS;
  ProgramHandle program(clLinkProgram(where->context.get(), 1, &device, options.c_str(),
                                      static_cast<cl_uint>(programs.size()), programs.data(), nullptr, nullptr,
                                      &status));
  check_build(status, "clLinkProgram", "linking the OpenCL program", program.get(), *where, "");
  KernelSignatures signatures = driver_signatures(program.get());
  return std::make_shared<const ProgramImage>(ProgramImage{BundleState::executable, where, std::move(texts), options,
                                                           std::move(constants), std::move(program), false,
                                                           std::move(signatures)});
}

std::string image_build_log(const ProgramImage& image) {
  return image.program ? program_log(image.program.get(), image.id()) : std::string();
}

KernelSignature image_signature(const ProgramImage& executable, const std::string& kernel, std::size_t arguments) {
  KernelSignature signature;
  const auto told = executable.signatures.find(kernel);
  if (told != executable.signatures.end()) signature = told->second;
  signature.resize(arguments);
  const std::optional<KernelSignature> written =
      executable.text ? parse_kernel_signature(*executable.text, kernel) : std::nullopt;
  if (!written || written->size() != arguments) return signature;
  for (std::size_t k = 0; k < arguments; ++k)
    if (signature[k].kind == KernelParameter::Kind::unknown) signature[k] = (*written)[k];
  return signature;
}

std::vector<std::string> image_kernel_names(const ProgramImage& executable) {
  const std::string list = read_info_string(
      [&](std::size_t bytes, void* target, std::size_t* needed) {
        return clGetProgramInfo(executable.program.get(), CL_PROGRAM_KERNEL_NAMES, bytes, target, needed);
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
