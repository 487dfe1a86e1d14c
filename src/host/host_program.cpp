// host_program -- programs that the host device compiled from their text, and launches of their kernels.
#include "host/host_program.h"

#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "base/nmath_error.h"
#include "base/process_mutex.h"
#include "base/program_cache.h"
#include "base/shared_object.h"
#include "base/text.h"
#include "device/host_compiler.h"
#include "device/program_store.h"
#include "host/host_text.h"

namespace openclPort {

namespace {

// "__kernel"s as the object has them, by their names.
std::map<std::string, const nmath_kernel*> kernels_of(const SharedObject& object,
                                                      const std::vector<std::string>& tables) {
  std::map<std::string, const nmath_kernel*> kernels;
  for (const std::string& table : tables) {
    const auto* row = static_cast<const nmath_kernel*>(object.symbol(table.c_str()));
    for (; row != nullptr && row->name != nullptr; ++row) kernels.emplace(row->name, row);
  }
  return kernels;
}

KernelSignature signature_of(const nmath_kernel& row) {
  const std::optional<KernelSignatures> read = read_signatures(row.signature);
  const auto found = read ? read->find(row.name) : KernelSignatures::const_iterator();
  return read && found != read->end() ? found->second : KernelSignature(row.arguments);
}

// Of all tables: a kernel may call functions of each.
std::uint64_t stack_of(const SharedObject& object, const std::vector<std::string>& tables) {
  std::uint64_t sum = 0;
  for (const std::string& table : tables) {
    const auto* reported = static_cast<const std::uint64_t*>(object.symbol((table + "_stack").c_str()));
    if (reported != nullptr) sum += *reported;
  }
  return sum;
}

std::string parameters(const nmath_kernel& row) {
  std::vector<std::string> texts;
  for (const KernelParameter& parameter : signature_of(row)) texts.push_back(parameter_text(parameter));
  return joined(texts, ", ");
}

}  // namespace

CompiledProgram::CompiledProgram(const std::string& object, const std::string& folder, bool from_disk,
                                 const std::vector<std::string>& tables)
    : object_(object, folder),
      kernels_(kernels_of(object_, tables)),
      from_disk_(from_disk),
      stack_bytes_(stack_of(object_, tables)) {}

std::unique_ptr<Launch> CompiledProgram::launch(const std::string& kernel) const {
  const nmath_kernel& row = row_of(kernel);
  if (row.run == nullptr && row.item == nullptr)
    throw NmathError("kernel '" + kernel + "' has a parameter that the host device cannot give: " + parameters(row),
                     "KernelCall", "", "Parameters are pointers, numbers or local memory.", kHostName);
  return std::make_unique<CompiledLaunch>(shared_from_this(), row);
}

KernelInfo CompiledProgram::kernel_info(const std::string& kernel) const {
  return CompiledLaunch(shared_from_this(), row_of(kernel)).info();
}

KernelSignature CompiledProgram::signature(const std::string& kernel) const { return signature_of(row_of(kernel)); }

std::vector<std::string> CompiledProgram::kernel_names() const {
  std::vector<std::string> names;
  for (const auto& entry : kernels_) names.push_back(entry.first);
  return names;
}

const nmath_kernel& CompiledProgram::row_of(const std::string& kernel) const {
  const auto found = kernels_.find(kernel);
  if (found != kernels_.end()) return *found->second;
  const std::string names = joined(kernel_names(), ", ");
  throw NmathError("the program has no kernel '" + kernel + "'; its kernels: " + (names.empty() ? "none" : names),
                   "clCreateKernel", "CL_INVALID_KERNEL_NAME", "Name one of the program's kernels.", kHostName);
}

namespace {

using Shared = std::shared_ptr<const CompiledProgram>;

struct Programs {
  ProgramStore<Shared> built;
  ProcessMutex mutex;
  std::unordered_map<std::string, std::string> texts;  // of the library's programs, by name
};

Programs& programs() {  // never destroyed
  static Programs* const instance = new Programs;
  return *instance;
}

// What `make` gives; where the text did not compile, what of it C has not.
template <typename Make>
auto explained(const std::string& program, const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const NmathError& error) {
    const std::string beyond = error.build_log().empty() ? std::string() : beyond_host(program);
    if (beyond.empty()) throw;
    throw NmathError(beyond, error.step(), error.status(), "Use an OpenCL device, e.g. device = \"opencl\".", kHostName,
                     error.build_log());
  }
}

HostText translated(const HostCompiler& compiler, const std::string& prelude, const std::string& program,
                    const std::string& options, const std::set<std::string>& waiting = {}) {
  HostText text = host_text(prelude, program, waiting);
  if (!text.to_expand) return text;
  return host_text_expanded(prelude, expand_host_text(compiler, text.text, options), waiting);
}

std::string object_of(const HostCompiler& compiler, const std::string& prelude, const std::string& program,
                      const std::string& options) {
  return explained(program, [&] {
    return compile_host_object(compiler, translated(compiler, prelude, program, options).text, options);
  });
}

Shared build(const HostCompiler& compiler, const std::string& program, const std::string& options, bool& from_disk) {
  if (program.empty()) throw NmathError("the program text is empty", "compile", "", "", kHostName);
  const std::string prelude = host_prelude();
  const bool cached = !program_cache_folder().empty();
  const std::string key = cached ? host_object_key(compiler, prelude + '\0' + program, options) : std::string();
  if (cached) {
    const std::optional<std::string> kept = load_cached_program(key);
    if (kept) {
      try {
        Shared known = std::make_shared<const CompiledProgram>(*kept, compiler.folder, true);
        from_disk = true;
        return known;
      } catch (const NmathError&) {  // of a system that has changed since: it is made again
      }
    }
  }
  const std::string object = object_of(compiler, prelude, program, options);
  Shared made = std::make_shared<const CompiledProgram>(object, compiler.folder, false);
  if (cached) store_cached_program(key, object);
  return made;
}

// The library's program of this name, its text asked for once.
std::string named_text(const ProgramSource& source) {
  Programs& known = programs();
  const std::string name = source.options + '\0' + source.name;
  {
    const std::lock_guard<ProcessMutex> lock(known.mutex);
    const auto found = known.texts.find(name);
    if (found != known.texts.end()) return found->second;
  }
  const std::string text = source.text();
  const std::lock_guard<ProcessMutex> lock(known.mutex);
  return known.texts.emplace(name, text).first->second;
}

}  // namespace

HostCompiler present_compiler() {
  HostCompiler compiler = host_compiler();
  if (compiler.missing.empty()) return compiler;
  throw NmathError("the host device cannot compile a program: " + compiler.missing, "compile", "",
                   "Choose an OpenCL device, e.g. device = \"opencl\"; the package's own functions need no compiler.",
                   kHostName);
}

std::shared_ptr<const CompiledProgram> built_program(const std::string& text, const std::string& options) {
  bool from_disk = false;
  return build(present_compiler(), text, options, from_disk);
}

std::shared_ptr<const CompiledProgram> program_built_once(const std::string& text, const std::string& options, bool own,
                                                          RunReport* report) {
  const HostCompiler compiler = present_compiler();
  return programs().built.get(options + '\0' + text, own, report,
                              [&](bool& from_disk) { return build(compiler, text, options, from_disk); });
}

HostPart compiled_part(const std::string& text, const std::string& options, const std::set<std::string>& waiting) {
  static std::atomic<unsigned> parts{0};
  const HostCompiler compiler = present_compiler();
  const std::string prelude = host_prelude();
  HostPart part;
  part.table = "nmath_kernels_" + std::to_string(++parts);
  return explained(text, [&] {
    const HostText in_c = translated(compiler, prelude, text, options, waiting);
    part.waits = in_c.waits;
    part.bytes = compile_host_part(
        compiler, "#define NMATH_LINKED 1\n#define nmath_kernels " + part.table + "\n" + in_c.text, options, &part.log);
    return part;
  });
}

std::shared_ptr<const CompiledProgram> linked_program(const std::vector<HostPart>& parts) {
  const HostCompiler compiler = present_compiler();
  std::vector<const std::string*> bytes;
  std::vector<std::string> tables;
  for (const HostPart& part : parts) {
    bytes.push_back(&part.bytes);
    tables.push_back(part.table);
  }
  const std::string object = link_host_parts(compiler, bytes);
  try {
    return std::make_shared<const CompiledProgram>(object, compiler.folder, false, tables);
  } catch (const NmathError& error) {  // linkers leave it to the system to find that a function is nowhere
    const std::string reported = error.what(), mark = "undefined symbol";
    const std::size_t at = reported.find(mark);
    if (at == std::string::npos) throw;
    throw NmathError(
        "linking the program failed: " + reported.substr(at, reported.find_first_of(" \n[", at + mark.size() + 2) - at),
        "link", "CL_LINK_PROGRAM_FAILURE", "Link it with an object that has this function.", kHostName);
  }
}

SharedProgram compiled_program(const ProgramSource& source, RunReport* report) {
  present_compiler();
  if (!source.text) throw NmathError("the host device lacks the program " + source.name, "compile", "", "", kHostName);
  const bool own = !source.name.empty();
  return program_built_once(own ? named_text(source) : source.text(), source.options, own, report);
}

}  // namespace openclPort
