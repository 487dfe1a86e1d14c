// kernel_loader -- assembles the program string that a kernel needs from the .cl files of installed packages.
//
// Files are read at the call, each once, and nothing is kept. Two things are process-wide, guarded by a lock: where a
// package keeps its inst/cl (set_cl_root, set_cl_root_resolver) and where traces go (set_trace_sink). Loading is file
// input only: it works without OpenCL and knows nothing of R. Every failure is an NmathError.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "loader/kernel_index.h"

namespace openclPort {

// ---- where things are ----

// Gives the folder that an installed package's inst/cl became, or "" if there is none.
using ClRootResolver = std::function<std::string(const std::string& package)>;
void set_cl_root_resolver(ClRootResolver resolver);
void set_cl_root(const std::string& package, const std::string& path);  // comes before the resolver; "" forgets it
std::string cl_root(const std::string& package);

// Takes the lines of verbose = true, without their ends; by default nobody does.
void set_trace_sink(TraceSink sink);

// ---- loading ----

// The text of one file. `relative_path` counts from inst/cl.
std::string load_kernel_source(const std::string& relative_path, const std::string& package = "nmathopencl");

// All .cl files of inst/cl/<subdir>, sorted by their @depends; "" if it has none.
std::string load_kernel_library(const std::string& subdir, const std::string& package = "nmathopencl",
                                bool verbose = false);

// The files of a library that a kernel needs, in load order, by the library's index; "" if the kernel has no such tag.
// The direct tag (depends_<lib>) and the transitive one (all_depends_<lib>) give the same text.
std::string load_library_for_kernel(const std::string& kernel_relative_path, const std::string& library_subdir,
                                    const std::string& package = "nmathopencl",
                                    const std::string& depends_tag = "depends_nmath");
std::string load_library_for_kernel_cross_package(const std::string& kernel_relative_path,
                                                  const std::string& kernel_package, const std::string& library_subdir,
                                                  const std::string& library_package,
                                                  const std::string& depends_tag = "all_depends_nmath");

// One piece of a program and the name that a build log gives it, "nmath/dgamma.cl".
struct SourcePart {
  std::string name;
  std::string text;
};

struct LibrarySelection {
  std::vector<std::string> requested;  // as the tag lists them
  std::vector<std::string> loaded;     // with all they need, in load order
  std::vector<SourcePart> parts;       // along with `loaded`
  std::string text() const;            // the parts, each closed by a line end
};

// The tag that says what a kernel needs of a library: the one asked for; for all_depends_<lib> that a kernel lacks,
// depends_<lib>, from which it is derived; else nullptr. Throws if `depends_tag` cannot be one.
const Tag* find_depends_tag(const KernelTags& kernel, const std::string& depends_tag);

LibrarySelection select_library_cross_package(const std::string& kernel_relative_path,
                                              const std::string& kernel_package, const std::string& library_subdir,
                                              const std::string& library_package, const std::string& depends_tag);

// Which stems a kernel needs of the library that `index` describes. Throws for a stem the index does not have; if it is
// the name of a function of `library_dir`, the error names the file.
LibrarySelection select_library(const KernelTags& kernel, const std::string& depends_tag, const KernelIndex& index,
                                const std::string& library_dir = "");

// The same, with the files read and checked against the index. `index` null: the index in `library_dir`, which is not
// looked for if the kernel has no such tag.
LibrarySelection load_library_closure(const KernelTags& kernel, const std::string& library_dir,
                                      const std::string& depends_tag, const KernelIndex* index = nullptr);

// ---- programs ----

enum class ProgramPreloadKind { file, library };

struct ProgramPreloadEntry {
  int rank;
  ProgramPreloadKind kind;
  std::string rel_path;  // counts from inst/cl
};

// The layers below nmath, in order of rank.
std::vector<ProgramPreloadEntry> read_program_preload_manifest(
    const std::string& manifest_relative_path = "program_preload_manifest.tsv",
    const std::string& source_package = "nmathopencl");
std::vector<ProgramPreloadEntry> parse_program_preload_manifest(const std::string& tsv, const std::string& source);
std::string program_preload_manifest_tsv(const std::vector<ProgramPreloadEntry>& entries);

// Those layers, each file behind a `#line 1 "name"`.
std::string load_program_preload(const std::string& manifest_relative_path = "program_preload_manifest.tsv",
                                 const std::string& source_package = "nmathopencl", bool verbose = false);
std::vector<SourcePart> program_preload_parts(const std::vector<ProgramPreloadEntry>& entries,
                                              const std::string& source_package, bool verbose = false);

// The parts one after the other, each behind a `#line 1 "name"` and closed by a line end.
std::string joined_parts(const std::vector<SourcePart>& parts);

// A whole program: the layers, what the kernel needs of each library (folder, tag) in the order given, the kernel; each
// file behind a `#line 1 "name"`. The kernel is in `package`. A library is taken from `package` if that has the folder,
// else from nmathopencl; the layers are always nmathopencl's. Direct and transitive tag of a library give the same.
using ProgramLibraries = std::vector<std::pair<std::string, std::string>>;
std::vector<SourcePart> library_parts_of_program(const KernelTags& kernel, const std::string& package,
                                                 const ProgramLibraries& libraries);
std::string build_opencl_program(const std::string& kernel_relative_path, const std::string& package,
                                 const ProgramLibraries& libraries);

// The same for {{"nmath", nmath_depends_annotation}}.
std::string build_rmath_opencl_program(const std::string& kernel_relative_path,
                                       const std::string& package = "nmathopencl",
                                       const std::string& nmath_depends_annotation = "all_depends_nmath");

}  // namespace openclPort
