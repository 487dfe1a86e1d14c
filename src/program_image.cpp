// program_image -- the program of one text on one device context: compiled, linked, built, or taken from the disk
// cache.
#include "program_image.h"

#include <algorithm>
#include <utility>

#include "build_log.h"
#include "program_cache.h"

#ifdef USE_OPENCL

namespace openclPort {

namespace {

constexpr std::size_t kMaxLog = 16384;  // bytes of a build log that an error carries

std::string status_text(cl_int status) {
  return std::string(opencl_status_name(status)) + " (" + std::to_string(status) + ")";
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
  throw NmathError(std::string(what) + " failed" + (first.empty() ? "" : ": " + first), step, status_text(status),
                   opencl_status_hint(status), where.device.name, log);
}

SharedImage executable_image(const ProgramImage& source, ProgramHandle program, bool from_disk) {
  return std::make_shared<const ProgramImage>(ProgramImage{BundleState::executable, source.where, source.text,
                                                           source.options, source.constants, std::move(program),
                                                           from_disk});
}

// ---- disk cache ----

// Whatever can make a driver give another program, or refuse one, is part of the key.
std::string image_cache_key(const ProgramImage& source) {
  const DeviceInfo& device = source.device();
  return program_cache_key({std::to_string(8 * sizeof(void*)), device.platform_name, device.platform_vendor,
                            device.platform_version, device.name, device.vendor, device.version, device.driver_version,
                            source.all_options(), *source.text});
}

// Empty if there is no entry or the driver will not have it. Drivers update, and some check at the build only.
ProgramHandle load_program(const ProgramImage& source, const std::string& key) {
  const std::optional<std::string> binary = load_cached_program(key);
  if (!binary) return ProgramHandle();
  const unsigned char* start = reinterpret_cast<const unsigned char*>(binary->data());
  const std::size_t length = binary->size();
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
void store_program(cl_program program, const std::string& key) {
  std::size_t bytes = 0;
  if (program_cache_place().folder.empty()) return;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS || bytes == 0)
    return;
  std::string binary(bytes, '\0');
  unsigned char* target = reinterpret_cast<unsigned char*>(&binary[0]);
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr) != CL_SUCCESS) return;
  store_cached_program(key, binary);
}

}  // namespace

SharedImage build_image(const ProgramImage& source) {
  const bool cached = !program_cache_place().folder.empty();
  const std::string key = cached ? image_cache_key(source) : std::string();
  if (cached) {
    ProgramHandle program = load_program(source, key);
    if (program) return executable_image(source, std::move(program), true);
  }
  ProgramHandle program = create_program(*source.where, *source.text);
  const cl_device_id device = source.id();
  const cl_int status = clBuildProgram(program.get(), 1, &device, source.all_options().c_str(), nullptr, nullptr);
  check_build(status, "clBuildProgram", "building the OpenCL program", program.get(), *source.where, *source.text);
  if (cached) store_program(program.get(), key);
  return executable_image(source, std::move(program), false);
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
  for (const SharedImage& object : objects) {
    programs.push_back(object->program.get());
    constants.insert(object->constants.begin(), object->constants.end());
  }
  const cl_device_id device = objects.front()->id();
  cl_int status = CL_SUCCESS;
  ProgramHandle program(clLinkProgram(where->context.get(), 1, &device, options.c_str(),
                                      static_cast<cl_uint>(programs.size()), programs.data(), nullptr, nullptr,
                                      &status));
  check_build(status, "clLinkProgram", "linking the OpenCL program", program.get(), *where, "");
  return std::make_shared<const ProgramImage>(
      ProgramImage{BundleState::executable, where, nullptr, options, std::move(constants), std::move(program)});
}

std::string image_build_log(const ProgramImage& image) {
  return image.program ? program_log(image.program.get(), image.id()) : std::string();
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

#endif  // USE_OPENCL
