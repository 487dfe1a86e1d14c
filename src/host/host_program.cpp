// host_program -- programs that the host device compiled from their text.
#include "host/host_program.h"

#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "base/nmath_error.h"
#include "base/program_cache.h"
#include "base/shared_object.h"
#include "base/text.h"
#include "device/host_compiler.h"
#include "device/program_store.h"
#include "host/host_text.h"

namespace openclPort {

namespace {

constexpr const char* kDevice = "host";

// "__kernel"s as the object has them, by their names.
std::map<std::string, const nmath_kernel*> kernels_of(const SharedObject& object) {
  std::map<std::string, const nmath_kernel*> kernels;
  const auto* row = static_cast<const nmath_kernel*>(object.symbol("nmath_kernels"));
  for (; row != nullptr && row->name != nullptr; ++row) kernels[row->name] = row;
  return kernels;
}

}  // namespace

class CompiledProgram : public Program, public std::enable_shared_from_this<CompiledProgram> {
 public:
  CompiledProgram(const std::string& object, const std::string& folder)
      : object_(object, folder), kernels_(kernels_of(object_)) {}

  std::unique_ptr<Launch> launch(const std::string& kernel) const override {
    const nmath_kernel& row = row_of(kernel);
    if (row.run == nullptr && row.item == nullptr)
      throw NmathError("kernel '" + kernel + "' has a parameter that the host device cannot give: " + parameters(row),
                       "KernelCall", "", "Parameters are pointers, numbers or local memory.", kDevice);
    return std::make_unique<CompiledLaunch>(shared_from_this(), row);
  }
  KernelInfo kernel_info(const std::string& kernel) const override {
    return CompiledLaunch(shared_from_this(), row_of(kernel)).info();
  }
  KernelSignature signature(const std::string& kernel) const override { return signature_of(row_of(kernel)); }

 private:
  static KernelSignature signature_of(const nmath_kernel& row) {
    const std::optional<KernelSignatures> read = read_signatures(row.signature);
    const auto found = read ? read->find(row.name) : KernelSignatures::const_iterator();
    return read && found != read->end() ? found->second : KernelSignature(row.arguments);
  }

  static std::string parameters(const nmath_kernel& row) {
    std::vector<std::string> texts;
    for (const KernelParameter& parameter : signature_of(row)) texts.push_back(parameter_text(parameter));
    return joined(texts, ", ");
  }

  const nmath_kernel& row_of(const std::string& kernel) const {
    const auto found = kernels_.find(kernel);
    if (found != kernels_.end()) return *found->second;
    std::string names;
    for (const auto& entry : kernels_) names += (names.empty() ? "" : ", ") + entry.first;
    throw NmathError("the program has no kernel '" + kernel + "'; its kernels: " + (names.empty() ? "none" : names),
                     "clCreateKernel", "CL_INVALID_KERNEL_NAME", "Name one of the program's kernels.", kDevice);
  }

  const SharedObject object_;
  const std::map<std::string, const nmath_kernel*> kernels_;
};

namespace {

using Shared = std::shared_ptr<const CompiledProgram>;

struct Programs {
  ProgramStore<Shared> built;
  std::mutex mutex;
  std::unordered_map<std::string, std::string> texts;  // of the library's programs, by name
};

Programs& programs() {  // never destroyed
  static Programs* const instance = new Programs;
  return *instance;
}

std::string object_of(const HostCompiler& compiler, const std::string& prelude, const std::string& program,
                      const std::string& options) {
  try {
    HostText text = host_text(prelude, program);
    if (text.to_expand) text.text = host_text_expanded(prelude, expand_host_text(compiler, text.text, options));
    return compile_host_object(compiler, text.text, options);
  } catch (const NmathError& error) {
    const std::string beyond = error.build_log().empty() ? std::string() : beyond_host(program);
    if (beyond.empty()) throw;
    throw NmathError(beyond, error.step(), error.status(), "Use an OpenCL device, e.g. device = \"opencl\".", kDevice,
                     error.build_log());
  }
}

Shared build(const HostCompiler& compiler, const std::string& program, const std::string& options, bool& from_disk) {
  if (program.empty()) throw NmathError("the program text is empty", "compile", "", "", kDevice);
  const std::string prelude = host_prelude();
  const bool cached = !program_cache_place().folder.empty();
  const std::string key = cached ? host_object_key(compiler, prelude + '\0' + program, options) : std::string();
  if (cached) {
    const std::optional<std::string> kept = load_cached_program(key);
    if (kept) {
      try {
        Shared known = std::make_shared<const CompiledProgram>(*kept, compiler.folder);
        from_disk = true;
        return known;
      } catch (const NmathError&) {  // of a system that has changed since: it is made again
      }
    }
  }
  const std::string object = object_of(compiler, prelude, program, options);
  Shared made = std::make_shared<const CompiledProgram>(object, compiler.folder);
  if (cached) store_cached_program(key, object);
  return made;
}

// The library's program of this name, its text asked for once.
std::string named_text(const ProgramSource& source) {
  Programs& known = programs();
  const std::string name = source.options + '\0' + source.name;
  {
    const std::lock_guard<std::mutex> lock(known.mutex);
    const auto found = known.texts.find(name);
    if (found != known.texts.end()) return found->second;
  }
  const std::string text = source.text();
  const std::lock_guard<std::mutex> lock(known.mutex);
  return known.texts.emplace(name, text).first->second;
}

}  // namespace

SharedProgram compiled_program(const ProgramSource& source, RunReport* report) {
  const HostCompiler compiler = host_compiler();
  if (!compiler.missing.empty())
    throw NmathError("the host device cannot compile a program: " + compiler.missing, "compile", "",
                     "Choose an OpenCL device, e.g. device = \"opencl\"; the package's own functions need no compiler.",
                     kDevice);
  if (!source.text) throw NmathError("the host device lacks the program " + source.name, "compile", "", "", kDevice);
  const bool own = !source.name.empty();
  const std::string text = own ? named_text(source) : source.text();
  return programs().built.get(source.options + '\0' + text, own, report,
                              [&](bool& from_disk) { return build(compiler, text, source.options, from_disk); });
}

}  // namespace openclPort
