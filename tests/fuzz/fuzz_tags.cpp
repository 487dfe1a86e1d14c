// fuzz_tags -- the head of a .cl file: it parses or is refused with file and line, and what is rewritten stays so.
#include <algorithm>

#include "authors/gpu_rules.h"
#include "authors/text_diff.h"
#include "fuzz.h"
#include "loader/c_outline.h"
#include "loader/tag_lines.h"

using namespace openclPort;

namespace {

const char kFile[] = "x.cl";

void check_place(const Tag& tag, std::size_t lines) {
  fuzz::expect(
      1 <= tag.first_line && tag.first_line <= tag.last_line && static_cast<std::size_t>(tag.last_line) <= lines,
      "a tag stands in the file");
  const bool single = tag.kind == TagKind::word || tag.kind == TagKind::text || tag.kind == TagKind::integer;
  fuzz::expect(!single || tag.items.size() == 1, "one value where a tag has one");
}

// Derived tags are where they belong after one pass; a second changes no byte, and other tags keep their values.
void check_rewriting(const std::string& text, const KernelTags& before) {
  const std::vector<DerivedTag> derived = {
      {"all_depends", "a, b"}, {"all_depends_count", "2"}, {"load_order", ""}, {"calls_x", "none"}};
  for (const char* anchor : {"", "depends"}) {
    const std::string once = replace_tags(text, kFile, derived, anchor);
    fuzz::expect(replace_tags(once, kFile, derived, anchor) == once, "the second pass changes nothing", once);
    const KernelTags after(once, kFile);
    fuzz::expect(after.list("all_depends") == std::vector<std::string>{"a", "b"}, "a derived tag is there", once);
    fuzz::expect(after.find("load_order") == nullptr, "a tag without a value is gone", once);
    for (const Tag& tag : before.all()) {
      const bool is_derived =
          std::any_of(derived.begin(), derived.end(), [&](const DerivedTag& d) { return d.name == tag.name; });
      fuzz::expect(is_derived || after.list(tag.name) == tag.items, "other tags stay", once);
    }
  }
  const std::string set = set_tags(text, kFile, derived);
  fuzz::expect(set_tags(set, kFile, derived) == set, "a tag that is set stays", set);
  fuzz::expect(text_diff(text, text, kFile).empty(), "no difference, no diff");
  fuzz::expect((text == set) == text_diff(text, set, kFile).empty(), "a diff shows every difference", set);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  const std::size_t lines = 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  std::size_t at = 0;
  for (const CToken& token : c_tokens(text)) {
    fuzz::expect(!token.text.empty() && token.at >= at && token.at < size, "tokens come in order");
    fuzz::expect(1 <= token.line && token.line <= lines, "a token has a line of the text");
    at = token.at;
  }
  fuzz::expect(unclosed_comment(text) <= lines, "a comment begins in the text");
  called_names(text);
  for (const CDefinition& definition : c_outline(text).definitions)
    fuzz::expect(1 <= definition.line && definition.line <= lines, "a definition has a line of the text");
  find_gpu_limits(opencl_side(c_tokens(text)), [&](std::size_t line, const std::string&) {
    fuzz::expect(1 <= line && line <= lines, "what a GPU lacks has a line of the text");
  });
  fuzz::refused(std::string(kFile) + ":", [&] {
    const KernelTags tags(text, kFile);
    for (const Tag& tag : tags.all()) check_place(tag, lines);
    check_rewriting(text, tags);
  });
  return 0;
}
