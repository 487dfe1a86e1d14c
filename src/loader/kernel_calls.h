// kernel_calls -- what kernels call of a library, found in their text: the direct tags of a kernel.
//
// Writes only the files it is told to, only where a byte changes, and nothing at all if something is wrong with any of
// them. Every failure is an NmathError.
#ifndef NMATHOPENCL_KERNEL_CALLS_H
#define NMATHOPENCL_KERNEL_CALLS_H

#include <map>
#include <string>
#include <vector>

#include "loader/c_outline.h"
#include "loader/kernel_index.h"

namespace openclPort {

// Where a name that the files of a library @provide comes from.
struct ProvidedName {
  std::string stem;
  bool called;  // a function or a macro with parameters: a use of it is a call
};

// Of several files that provide a name, one that defines it; else the first in the order given.
std::map<std::string, ProvidedName> provided_by(const std::vector<LibraryFile>& files);

// The names of `provided` that a text uses and does not define itself, with the first line of each.
std::map<std::string, std::size_t> names_used(const COutline& text,
                                              const std::map<std::string, ProvidedName>& provided);

bool is_opencl_builtin(const std::string& name);   // work-items, synchronization, atomics, vectors, special functions
bool is_opencl_function(const std::string& name);  // these and C's mathematics, which OpenCL C has too

struct CallTags {
  std::string file;
  bool skipped;                             // it has a @depends_<library_tag>, which is to stay
  std::vector<std::string> calls, depends;  // in the order of bytes; in load order
  std::vector<std::string> builtins;        // in the order of bytes
  bool changed;                             // the file was rewritten, or would be
  std::string diff;                         // what changes; "" where nothing does
};

// Writes @library_deps, @calls_<library_tag>, @depends_<library_tag> and @calls_opencl_builtin into kernels, from what
// they call of the library in `library_dir`. Where @depends_<library_tag> changes, the lines derived from it go.
std::vector<CallTags> attach_kernel_call_tags(const std::vector<std::string>& kernel_paths,
                                              const std::string& library_dir, const std::string& library_tag,
                                              bool overwrite_existing = false, bool dry_run = false);

}  // namespace openclPort

#endif
