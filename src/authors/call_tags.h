// call_tags -- writes the direct tags of kernels, from what they call of a library.
//
// Writes only the files that it is given, only where a byte changes, and nothing at all if something is wrong with any
// of them. Every failure is an NmathError.
#pragma once

#include <string>
#include <vector>

namespace openclPort {

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
