// opencl_program -- a kernel's whole program, with what it consists of.
#include "loader/opencl_program.h"

#include <algorithm>

#include "base/nmath_error.h"
#include "loader/c_tokens.h"
#include "loader/kernel_loader.h"
#include "loader/kernel_signature.h"
#include "loader/nmath_library.h"

namespace openclPort {
namespace {

// The libraries that a kernel's tags name, each once.
ProgramLibraries tagged_libraries(const KernelTags& kernel) {
  ProgramLibraries libraries;
  for (const Tag& tag : kernel.all()) {
    const std::string direct = tag.name.compare(0, 4, "all_") == 0 ? tag.name.substr(4) : tag.name;
    if (tag.kind != TagKind::names || direct.compare(0, 8, "depends_") != 0) continue;
    const std::pair<std::string, std::string> library = {direct.substr(8), "all_" + direct};
    if (std::find(libraries.begin(), libraries.end(), library) == libraries.end()) libraries.push_back(library);
  }
  return libraries;
}

OpenclProgram assembled(const std::vector<SourcePart>& preload, const std::vector<SourcePart>& library,
                        const SourcePart& kernel) {
  OpenclProgram program;
  std::size_t line = 1;
  const auto add = [&](const std::vector<SourcePart>& parts, const char* layer) {
    for (const SourcePart& part : parts) {
      const std::string text = joined_parts({part});
      const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
      program.files.push_back({part.name, layer, line + 1, lines, part.text.size()});
      program.text += text;
      line += lines + 1;
    }
  };
  add(preload, "preload");
  add(library, "library");
  add({kernel}, "kernel");
  for (const KernelDefinition& definition : kernel_definitions(c_tokens(kernel.text)))
    if (definition.end != 0) program.kernels.push_back(definition.name);
  return program;
}

OpenclProgram program_of(const SourcePart& kernel, const KernelTags& tags, const std::string& package) {
  const ProgramLibraries libraries = tagged_libraries(tags);
  std::vector<SourcePart> library = library_parts_of_program(tags, package, libraries);
  if (libraries.empty())
    for (SourcePart& part : called_nmath_parts(kernel.text))
      library.push_back({"nmath/" + part.name, std::move(part.text)});
  return assembled(program_preload_parts(read_program_preload_manifest(), "nmathopencl"), library, kernel);
}

}  // namespace

OpenclProgram opencl_program(const std::string& kernel_relative_path, const std::string& package) {
  const std::string text = load_kernel_source(kernel_relative_path, package);
  return program_of({kernel_relative_path, text}, KernelTags(text, cl_root(package) + "/" + kernel_relative_path),
                    package);
}

OpenclProgram opencl_program_of_file(const std::string& kernel_path) {
  const std::string text = read_text_file(kernel_path), name = kernel_path.substr(kernel_path.find_last_of('/') + 1);
  if (name.find_first_of("\"\\\n\r") != std::string::npos)
    throw NmathError("The name of " + kernel_path +
                     " cannot stand in a program: it holds a quote, backslash or line end");
  return program_of({name, text}, KernelTags(text, kernel_path), "nmathopencl");
}

}  // namespace openclPort
