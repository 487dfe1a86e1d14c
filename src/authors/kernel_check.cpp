// kernel_check -- checks a folder of .cl files, or a tree of such folders.
#include "authors/kernel_check.h"

#include <dirent.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "authors/checked_folder.h"
#include "authors/definition_rules.h"
#include "authors/gpu_rules.h"
#include "authors/program_check.h"
#include "base/nmath_error.h"
#include "base/text.h"
#include "loader/kernel_calls.h"
#include "loader/kernel_loader.h"

namespace openclPort {

namespace {

using Kind = CDefinition::Kind;
using Names = std::set<std::string>;
using Strings = std::vector<std::string>;

Strings folders_below(const std::string& dir) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(dir.c_str()), closedir);
  if (!open) throw NmathError("Folder not found: " + dir);
  Strings names;
  while (const dirent* entry = readdir(open.get()))
    if (entry->d_name[0] != '.' && is_directory(dir + "/" + entry->d_name)) names.push_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

class Checker {
 public:
  explicit Checker(const std::string& dir)
      : dir_(dir),
        sink_([this](const std::string& path, std::size_t line, const std::string& finding, const char* kind,
                     Severity severity) { add(path, line, finding, kind, severity); }) {}

  std::vector<KernelFinding> check() {
    bool tree = false;
    for (const std::string& name : folders_below(dir_)) {
      if (library_stems(dir_ + "/" + name).empty()) continue;
      folders_.push_back(read_checked_folder(dir_ + "/" + name, sink_));
      tree = true;
    }
    if (tree)
      check_layers();
    else
      folders_.push_back(read_checked_folder(dir_, sink_));
    ProgramCheck programs(sink_);
    for (const CheckedFolder& folder : folders_) {
      check_host_functions(folder);
      if (folder.kernels)
        programs.check(folder);
      else
        check_library(folder);
    }
    std::sort(findings_.begin(), findings_.end(), [](const KernelFinding& a, const KernelFinding& b) {
      return std::tie(a.file, a.line, a.kind, a.finding) < std::tie(b.file, b.line, b.kind, b.finding);
    });
    return std::move(findings_);
  }

 private:
  void add(const std::string& path, std::size_t line, const std::string& finding, const char* kind, Severity severity) {
    const std::string file = starts_with(path, dir_ + "/") ? path.substr(dir_.size() + 1) : path;
    const std::size_t own = finding.find(path + ":");  // the words of an error that begins otherwise
    findings_.push_back(
        {file, line, own == 0 ? located_message(finding, path).second : finding, kind, severity == Severity::error});
  }

  // ---- the layers of a tree ----

  void check_layers() {
    const std::string path = dir_ + "/program_preload_manifest.tsv";
    if (!is_file(path)) return;
    bool has_fp64 = false;
    try {
      for (const ProgramPreloadEntry& entry : parse_program_preload_manifest(read_text_file(path), path)) {
        const std::string part = dir_ + "/" + entry.rel_path;
        if (entry.kind == ProgramPreloadKind::library) {
          if (!is_directory(part)) add(path, 1, "no folder " + entry.rel_path, "missing", Severity::error);
        } else if (is_file(part)) {
          has_fp64 = has_fp64 ||
                     read_checked_file(part, entry.rel_path, sink_).file.text.find("cl_khr_fp64") != std::string::npos;
        } else {
          add(path, 1, "no file " + entry.rel_path, "missing", Severity::error);
        }
      }
    } catch (const NmathError& error) {
      const auto place = located_message(error.what(), path);
      add(path, place.first, place.second, "header", Severity::error);
      return;
    }
    if (!has_fp64)
      add(path, 1, "no layer has '#pragma OPENCL EXTENSION cl_khr_fp64 : enable', which doubles need", "gpu",
          Severity::error);
  }

  // Functions of the host, where no file of the tree is what stands in for them.
  void check_host_functions(const CheckedFolder& folder) {
    for (const CheckedFile& file : folder.files)
      for (const auto& use : file.outline.uses)
        if (use.second.call > 0 && is_host_function(use.first) && !defined_somewhere(use.first))
          add(file.path, use.second.call, "'" + use.first + "': a function of the host", "gpu", Severity::error);
  }

  bool defined_somewhere(const std::string& name) const {
    for (const CheckedFolder& folder : folders_)
      for (const CheckedFile& file : folder.files)
        if (file.outline.find(name) || file.outline.declared.count(name)) return true;
    return false;
  }

  // ---- libraries ----

  void check_library(const CheckedFolder& folder) {
    std::vector<const CheckedFile*> all;
    for (const CheckedFile& file : folder.files) all.push_back(&file);
    check_definitions(all, sink_);
    check_recursion(all, sink_);
    if (!folder.sound()) return;
    std::vector<LibraryFile> files;
    for (const CheckedFile& file : folder.files) files.push_back(file.file);
    const DependencySort sort = sort_by_depends(files);
    if (!sort.unresolved.empty()) return check_unresolved(folder, sort);
    const KernelIndex index(read_kernel_library(folder.dir));
    for (const CheckedFile& file : folder.files) check_closure(folder, file, index);
    check_needs(folder, index);
  }

  // A copy of a part of a library has other numbers and orders than the library; what counts is which files are needed
  // and that they come first.
  void check_closure(const CheckedFolder& folder, const CheckedFile& file, const KernelIndex& index) {
    const KernelTags& tags = file.file.tags;
    if (!tags.find("load_order") && !tags.find("all_depends") && !tags.find("all_depends_count")) return;
    Strings closure = index.closure({file.file.stem}), tagged = tags.list("all_depends");
    closure.pop_back();
    bool in_order = true;
    for (const CheckedFile& other : folder.files)
      if (std::count(closure.begin(), closure.end(), other.file.stem) != 0)
        in_order = in_order && (load_order(file) == 0 || load_order(other) < load_order(file));
    std::sort(closure.begin(), closure.end());
    std::sort(tagged.begin(), tagged.end());
    const Strings count = tags.list("all_depends_count");
    if (tagged == closure && count == Strings{std::to_string(closure.size())} && in_order) return;
    add(file.path, file.line_of("all_depends"),
        "@all_depends, its count or @load_order do not follow from @depends: "
        "attach_kernel_dependency_tags() renews them",
        "stale", Severity::error);
  }

  static int load_order(const CheckedFile& file) {
    const Strings tag = file.file.tags.list("load_order");
    return tag.empty() ? 0 : std::stoi(tag[0]);
  }

  void check_unresolved(const CheckedFolder& folder, const DependencySort& sort) {
    Needs needs;
    Names stems;
    for (const CheckedFile& file : folder.files) stems.insert(file.file.stem);
    for (const std::size_t i : sort.unresolved)
      needs[folder.files[i].file.stem] = folder.files[i].file.tags.list("depends");
    for (const std::size_t i : sort.unresolved) {
      const CheckedFile& file = folder.files[i];
      for (const std::string& stem : file.file.tags.list("depends"))
        if (stems.count(stem) == 0)
          add(file.path, file.line_of("depends"), "@depends names '" + stem + "', which is not a file of the folder",
              "missing", Severity::error);
      const Strings cycle = cycle_through(file.file.stem, needs);
      if (!cycle.empty())
        add(file.path, file.line_of("depends"), "@depends goes in a circle: " + join(cycle, " -> "), "cycle",
            Severity::error);
    }
  }

  // What each file uses of the others against what its @depends bring.
  void check_needs(const CheckedFolder& folder, const KernelIndex& index) {
    const auto homes = defined_by(folder);
    for (const CheckedFile& file : folder.files) {
      const Strings closure = index.closure({file.file.stem});
      const Names brought(closure.begin(), closure.end());
      for (const auto& used : names_used(file.outline, homes)) {
        const std::string& home = homes.at(used.first).stem;
        if (brought.count(home) == 0 && !is_opencl_function(used.first))
          add(file.path, used.second, "uses '" + used.first + "' of " + home + ".cl, which no @depends brings",
              "missing", Severity::error);
      }
    }
  }

  const std::string dir_;
  const FindingSink sink_;
  std::vector<CheckedFolder> folders_;
  std::vector<KernelFinding> findings_;
};

}  // namespace

std::vector<KernelFinding> check_kernel_library(const std::string& dir) { return Checker(dir).check(); }

}  // namespace openclPort
