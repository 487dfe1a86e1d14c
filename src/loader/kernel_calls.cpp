// kernel_calls -- what kernels call of a library, found in their text: the direct tags of a kernel.
#include "loader/kernel_calls.h"

#include <algorithm>
#include <set>

#include "base/nmath_error.h"
#include "base/text.h"
#include "base/text_diff.h"
#include "loader/tag_lines.h"

namespace openclPort {

namespace {

using Kind = CDefinition::Kind;

// How much a file says of a name: 2 where it defines it, 1 where it declares it, 0 where the tag alone has it.
int evidence(const COutline& outline, const std::string& name) {
  return outline.find(name) ? 2 : outline.declared.count(name) ? 1 : 0;
}

bool is_called(const COutline& outline, const std::string& name) {
  const CDefinition* definition = outline.find(name);
  return !definition || definition->kind == Kind::function || definition->kind == Kind::call_macro;
}

std::string list_value(const std::vector<std::string>& items) { return items.empty() ? "none" : join(items, ", "); }

// @library_deps with this library if the kernel needs it, without it if not; others stay.
std::string library_list(const KernelTags& tags, const std::string& library, bool needed) {
  std::vector<std::string> libraries = tags.list("library_deps");
  const auto found = std::find(libraries.begin(), libraries.end(), library);
  if (needed && found == libraries.end()) libraries.push_back(library);
  if (!needed && found != libraries.end()) libraries.erase(found);
  return list_value(libraries);
}

class CallTagger {
 public:
  CallTagger(const std::string& library_dir, const std::string& library_tag)
      : tag_(library_tag), library_(read_kernel_library(library_dir)), provided_(provided_by(library_.files)) {
    if (provided_.empty()) throw NmathError("No file of " + library_dir + " has a tag @provides");
  }

  CallTags tag(const std::string& path, bool overwrite, std::string& text) const {
    const std::string before = read_text_file(path);
    const KernelTags tags(before, path);
    CallTags result{path, false, {}, {}, {}, false, ""};
    result.skipped = !overwrite && tags.find("depends_" + tag_) != nullptr;
    if (result.skipped) return result;
    std::set<std::string> stems;
    const COutline outline = c_outline(before);
    for (const auto& used : names_used(outline, provided_)) {
      result.calls.push_back(used.first);
      stems.insert(provided_.at(used.first).stem);
    }
    for (const LibraryFile& file : library_.files)
      if (stems.count(file.stem) != 0) result.depends.push_back(file.stem);
    for (const auto& use : outline.uses)
      if (use.second.call > 0 && is_opencl_builtin(use.first) && provided_.count(use.first) == 0 &&
          !outline.find(use.first))
        result.builtins.push_back(use.first);
    text = set_tags(before, path, lines(tags, result));
    result.changed = text != before;
    result.diff = text_diff(before, text, path);
    return result;
  }

 private:
  std::vector<DerivedTag> lines(const KernelTags& tags, const CallTags& found) const {
    std::vector<DerivedTag> derived = {{"library_deps", library_list(tags, tag_, !found.depends.empty())},
                                       {"calls_" + tag_, list_value(found.calls)},
                                       {"depends_" + tag_, list_value(found.depends)}};
    std::vector<std::string> old = tags.list("depends_" + tag_), fresh = found.depends;
    std::sort(old.begin(), old.end());
    std::sort(fresh.begin(), fresh.end());
    if (old != fresh || !tags.find("depends_" + tag_))
      for (const std::string suffix : {"_count", ""}) derived.push_back({"all_depends_" + tag_ + suffix, ""});
    derived.push_back({"calls_opencl_builtin", list_value(found.builtins)});
    return derived;
  }

  const std::string tag_;
  const KernelLibrary library_;
  const std::map<std::string, ProvidedName> provided_;
};

}  // namespace

std::map<std::string, ProvidedName> provided_by(const std::vector<LibraryFile>& files) {
  std::map<std::string, ProvidedName> provided;
  std::map<std::string, int> best;
  for (const LibraryFile& file : files) {
    const std::vector<std::string> names = file.tags.list("provides");
    if (names.empty()) continue;
    const COutline outline = c_outline(file.text);
    for (const std::string& name : names) {
      const int found = evidence(outline, name);
      const auto known = best.find(name);
      if (known != best.end() && known->second >= found) continue;
      best[name] = found;
      provided[name] = {file.stem, is_called(outline, name)};
    }
  }
  return provided;
}

std::map<std::string, std::size_t> names_used(const COutline& text,
                                              const std::map<std::string, ProvidedName>& provided) {
  std::map<std::string, std::size_t> used;
  for (const auto& use : text.uses) {
    const auto found = provided.find(use.first);
    if (found == provided.end() || text.find(use.first)) continue;
    const std::size_t line = found->second.called ? use.second.call : text.local.count(use.first) ? 0 : use.second.line;
    if (line > 0) used[use.first] = line;
  }
  return used;
}

bool is_opencl_builtin(const std::string& name) {
  static const char* const kFamilies[] = {"get_global_", "get_local_",        "atomic_",    "atom_",      "vload",
                                          "vstore",      "async_work_group_", "native_",    "half_",      "convert_",
                                          "as_",         "shuffle",           "read_image", "write_image"};
  static const std::set<std::string> kNames = {"get_work_dim",
                                               "get_num_groups",
                                               "get_group_id",
                                               "get_enqueued_local_size",
                                               "barrier",
                                               "mem_fence",
                                               "read_mem_fence",
                                               "write_mem_fence",
                                               "work_group_barrier",
                                               "wait_group_events",
                                               "prefetch",
                                               "printf",
                                               "select",
                                               "mad",
                                               "mad24",
                                               "mul24",
                                               "mul_hi",
                                               "mad_hi",
                                               "clz",
                                               "popcount",
                                               "rotate",
                                               "bitselect",
                                               "isgreater",
                                               "acospi",
                                               "asinpi",
                                               "atanpi",
                                               "atan2pi",
                                               "cospi",
                                               "sinpi",
                                               "tanpi",
                                               "lgamma",
                                               "lgamma_r",
                                               "tgamma",
                                               "erf",
                                               "erfc",
                                               "expm1",
                                               "log1p",
                                               "exp10",
                                               "exp2",
                                               "log2",
                                               "pown",
                                               "powr",
                                               "rootn",
                                               "rsqrt",
                                               "cbrt",
                                               "hypot",
                                               "sincos",
                                               "remquo",
                                               "nan",
                                               "nextafter",
                                               "maxmag",
                                               "minmag",
                                               "dot",
                                               "cross",
                                               "length",
                                               "distance",
                                               "normalize",
                                               "mix",
                                               "step",
                                               "smoothstep",
                                               "degrees",
                                               "radians",
                                               "clamp"};
  for (const char* family : kFamilies)
    if (starts_with(name, family)) return true;
  return kNames.count(name) > 0;
}

bool is_opencl_function(const std::string& name) {
  static const std::set<std::string> kMathematics = {
      "acos",     "acosh",   "asin",  "asinh", "atan",  "atan2", "atanh", "ceil",  "copysign",  "cos",
      "cosh",     "exp",     "fabs",  "fdim",  "floor", "fma",   "fmax",  "fmin",  "fmod",      "fract",
      "frexp",    "ilogb",   "ldexp", "log",   "log10", "logb",  "modf",  "pow",   "remainder", "rint",
      "round",    "sin",     "sinh",  "sqrt",  "tan",   "tanh",  "trunc", "isnan", "isinf",     "isfinite",
      "isnormal", "signbit", "sign",  "abs",   "min",   "max"};
  return kMathematics.count(name) > 0 || is_opencl_builtin(name);
}

std::vector<CallTags> attach_kernel_call_tags(const std::vector<std::string>& kernel_paths,
                                              const std::string& library_dir, const std::string& library_tag,
                                              bool overwrite_existing, bool dry_run) {
  if (!is_kernel_name(library_tag)) throw NmathError("library_tag must be a name, not '" + library_tag + "'");
  const CallTagger tagger(library_dir, library_tag);
  std::vector<CallTags> tagged;
  std::vector<std::pair<std::string, std::string>> rewrites;
  for (const std::string& path : kernel_paths) {
    std::string text;
    tagged.push_back(tagger.tag(path, overwrite_existing, text));
    if (tagged.back().changed) rewrites.emplace_back(path, std::move(text));
  }
  if (!dry_run)
    for (const auto& rewrite : rewrites) write_text_file(link_target(rewrite.first), rewrite.second);
  return tagged;
}

}  // namespace openclPort
