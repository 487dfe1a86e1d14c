// call_tags -- writes the direct tags of kernels, from what they call of a library.
#include "authors/call_tags.h"

#include <algorithm>
#include <map>
#include <set>

#include "authors/text_diff.h"
#include "base/nmath_error.h"
#include "loader/c_outline.h"
#include "loader/kernel_calls.h"
#include "loader/kernel_index.h"
#include "loader/tag_lines.h"

namespace openclPort {

namespace {

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
