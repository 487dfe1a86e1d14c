// tag_lines -- the one writer of the `// @tag: value` lines that open a .cl file.
#include "loader/tag_lines.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace openclPort {

std::string replace_tags(const std::string& text, const std::string& file, const std::vector<DerivedTag>& derived,
                         const std::string& anchor) {
  const KernelTags tags(text, file);
  const std::vector<std::string> lines = text_lines(text);
  std::vector<bool> keep(lines.size(), true);
  int after = 0;  // the derived lines go in after this line
  bool anchored = false;
  for (const Tag& tag : tags.all()) {
    const bool replaced =
        std::any_of(derived.begin(), derived.end(), [&](const DerivedTag& d) { return d.name == tag.name; });
    if (replaced)
      std::fill(keep.begin() + (tag.first_line - 1), keep.begin() + tag.last_line, false);
    else if (!anchored)
      after = tag.last_line;
    anchored = anchored || tag.name == anchor;
  }
  std::string out;
  bool any = false;
  const auto add_derived = [&] {
    for (const DerivedTag& d : derived) {
      if (!d.value.empty()) out += "// @" + d.name + ": " + d.value + "\n";
      any = any || !d.value.empty();
    }
  };
  if (after == 0) add_derived();
  bool first = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (keep[i]) {
      // Tags at the top of a file that had none are set off from what follows.
      if (first && after == 0 && any && !trimmed(lines[i]).empty()) out += "\n";
      first = false;
      out += lines[i] + "\n";
    }
    if (static_cast<int>(i) + 1 == after) add_derived();
  }
  return out;
}

std::string set_tags(const std::string& text, const std::string& file, const std::vector<DerivedTag>& derived) {
  const KernelTags tags(text, file);
  const std::vector<std::string> lines = text_lines(text);
  std::vector<bool> keep(lines.size(), true);
  std::size_t after = 0;  // a tag that the file has not yet goes in after this line, or what went in there before
  for (const Tag& tag : tags.all()) after = std::max(after, static_cast<std::size_t>(tag.last_line));
  std::map<std::size_t, std::string> added;  // behind the line of this number
  for (const DerivedTag& d : derived) {
    if (const Tag* there = tags.find(d.name)) {
      after = static_cast<std::size_t>(there->last_line);
      std::fill(keep.begin() + (there->first_line - 1), keep.begin() + there->last_line, false);
    }
    if (!d.value.empty()) added[after] += "// @" + d.name + ": " + d.value + "\n";
  }
  std::string out = added[0];
  // Tags at the top of a file that had none are set off from what follows.
  if (!out.empty() && !lines.empty() && !trimmed(lines[0]).empty()) out += "\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (keep[i]) out += lines[i] + "\n";
    const auto more = added.find(i + 1);
    if (more != added.end()) out += more->second;
  }
  return out;
}

}  // namespace openclPort
