// kernel_maintenance -- writes derived tags, and copies subsets of a library, for authors of kernels.
//
// Writes only the files it is told to, only where a byte changes, and nothing at all if something is wrong with any of
// them. Every failure is an NmathError.
#pragma once

#include <string>
#include <vector>

#include "loader/kernel_index.h"

namespace openclPort {

struct AttachedTags {
  std::string file;
  bool tagged;                           // false: the kernel has no such tag, and is left alone
  std::vector<std::string> direct;       // as the file says
  std::vector<std::string> all_depends;  // in load order
  bool changed;                          // the file was rewritten, or would be
  std::string diff;                      // what changes; "" where nothing does
};

// Brings @all_depends, @all_depends_count and @load_order of every file of a library up to date; in load order. Without
// `load_order` that tag is removed: a file that is added changes it in most others, and it follows from @depends.
std::vector<AttachedTags> attach_kernel_dependency_tags(const std::string& library_dir, bool dry_run = false,
                                                        bool load_order = true);

// Brings @all_<depends_tag> and @all_<depends_tag>_count of kernels up to date.
std::vector<AttachedTags> attach_cross_library_tags(const std::vector<std::string>& kernel_paths,
                                                    const KernelIndex& index,
                                                    const std::string& depends_tag = "depends_nmath",
                                                    bool dry_run = false);

struct ExtractedFile {
  std::string stem;
  std::string source;
  std::string dest;
  bool copied;
};

// Copies what the kernels together need of a library into `dest_dir`, which must exist; in load order. Files that are
// there already are left alone unless `overwrite`. The index of `dest_dir` is the caller's to write.
std::vector<ExtractedFile> extract_library_subset(const std::vector<std::string>& kernel_paths,
                                                  const std::string& library_dir, const std::string& dest_dir,
                                                  const std::string& depends_tag, const KernelIndex& index,
                                                  bool overwrite = false);

}  // namespace openclPort
