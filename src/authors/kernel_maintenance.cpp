// kernel_maintenance -- writes derived tags, and copies subsets of a library, for authors of kernels.
#include "authors/kernel_maintenance.h"

#include <map>

#include "authors/text_diff.h"
#include "base/nmath_error.h"
#include "loader/kernel_loader.h"
#include "loader/tag_lines.h"

namespace openclPort {
namespace {

struct Rewrite {
  std::string path;
  std::string text;
};

void write_all(const std::vector<Rewrite>& rewrites) {
  for (const Rewrite& rewrite : rewrites) write_text_file(link_target(rewrite.path), rewrite.text);
}

}  // namespace

std::vector<AttachedTags> attach_kernel_dependency_tags(const std::string& library_dir, bool dry_run, bool load_order) {
  const KernelLibrary library = read_kernel_library(library_dir);
  const KernelIndex index(library);
  std::vector<AttachedTags> attached;
  std::vector<Rewrite> rewrites;
  for (std::size_t i = 0; i < library.files.size(); ++i) {
    const LibraryFile& file = library.files[i];
    const std::vector<std::string>& all = index.all_depends(i);
    const std::string text = replace_tags(file.text, file.tags.file(),
                                          {{"all_depends", join(all, ", ")},
                                           {"all_depends_count", std::to_string(all.size())},
                                           {"load_order", load_order ? std::to_string(i + 1) : ""}});
    attached.push_back({file.tags.file(), true, file.tags.list("depends"), all, text != file.text,
                        text_diff(file.text, text, file.tags.file())});
    if (attached.back().changed) rewrites.push_back({file.tags.file(), text});
  }
  if (!dry_run) write_all(rewrites);
  return attached;
}

std::vector<AttachedTags> attach_cross_library_tags(const std::vector<std::string>& kernel_paths,
                                                    const KernelIndex& index, const std::string& depends_tag,
                                                    bool dry_run) {
  check_depends_tag(depends_tag);
  if (depends_tag.compare(0, 4, "all_") == 0)
    throw NmathError("depends_tag must be the tag with the direct stems, not '" + depends_tag + "', which is derived");
  const std::string all_tag = "all_" + depends_tag;
  std::vector<AttachedTags> attached;
  std::vector<Rewrite> rewrites;
  for (const std::string& path : kernel_paths) {
    const std::string before = read_text_file(path);
    const KernelTags tags(before, path);
    const Tag* direct = tags.find(depends_tag);
    attached.push_back({path, direct != nullptr, {}, {}, false, ""});
    if (!direct) continue;
    AttachedTags& entry = attached.back();
    entry.direct = direct->items;
    entry.all_depends = select_library(tags, depends_tag, index).loaded;
    // Behind the direct tag, so that the lines of several libraries keep their order.
    const std::string text = replace_tags(
        before, path,
        {{all_tag + "_count", std::to_string(entry.all_depends.size())}, {all_tag, join(entry.all_depends, ", ")}},
        depends_tag);
    entry.changed = text != before;
    entry.diff = text_diff(before, text, path);
    if (entry.changed) rewrites.push_back({path, text});
  }
  if (!dry_run) write_all(rewrites);
  return attached;
}

std::vector<ExtractedFile> extract_library_subset(const std::vector<std::string>& kernel_paths,
                                                  const std::string& library_dir, const std::string& dest_dir,
                                                  const std::string& depends_tag, const KernelIndex& index,
                                                  bool overwrite) {
  if (!is_directory(dest_dir)) throw NmathError("dest_dir must be an existing folder: " + dest_dir);
  std::map<std::string, std::string> texts;
  bool tagged = false;
  for (const std::string& path : kernel_paths) {
    const KernelTags tags(read_text_file(path), path);
    tagged = tagged || find_depends_tag(tags, depends_tag);
    LibrarySelection selection = load_library_closure(tags, library_dir, depends_tag, &index);
    for (std::size_t i = 0; i < selection.loaded.size(); ++i)
      texts[selection.loaded[i]] = std::move(selection.parts[i].text);
  }
  if (!tagged) throw NmathError("None of the kernels has a tag @" + depends_tag + ": " + join(kernel_paths, ", "));

  std::vector<std::string> stems;
  for (const auto& entry : texts) stems.push_back(entry.first);
  std::vector<ExtractedFile> files;
  for (const std::string& stem : index.closure(stems)) {
    const std::string name = "/" + stem + ".cl";
    const bool copy = overwrite || !is_file(dest_dir + name);
    if (copy) write_text_file(dest_dir + name, texts.at(stem));
    files.push_back({stem, library_dir + name, dest_dir + name, copy});
  }
  return files;
}

}  // namespace openclPort
