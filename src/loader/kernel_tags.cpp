// kernel_tags -- the one reader of the `// @tag: value` lines that open a .cl file.
#include "loader/kernel_tags.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/near_names.h"
#include "base/nmath_error.h"
#include "base/text.h"
#include "loader/c_tokens.h"

namespace openclPort {
namespace {

const char kBlanks[] = " \t";

// Own character classes: those of <cctype> depend on the locale.

// What follows `//` in a comment line; false if `line` is none.
bool comment_body(const std::string& line, std::string& body) {
  const std::string s = trimmed(line);
  if (!starts_with(s, "//")) return false;
  body = trimmed(s.substr(2));
  return true;
}

std::string leading_name(const std::string& s, std::size_t begin) {
  std::size_t end = begin;
  while (end < s.size() && (is_letter(s[end]) || (end > begin && is_digit(s[end])))) ++end;
  return s.substr(begin, end - begin);
}

const std::map<std::string, TagKind>& fixed_tags() {
  static const std::map<std::string, TagKind> fixed = {{"used", TagKind::names},
                                                       {"depends", TagKind::names},
                                                       {"provides", TagKind::names},
                                                       {"all_depends", TagKind::names},
                                                       {"local_macros", TagKind::names},
                                                       {"to_shim", TagKind::names},
                                                       {"builtin", TagKind::names},
                                                       {"to_shim_deterministic", TagKind::names},
                                                       {"library_deps", TagKind::names},
                                                       {"includes", TagKind::headers},
                                                       {"used_includes", TagKind::headers},
                                                       {"to_shim_kind", TagKind::kinds},
                                                       {"source_type", TagKind::word},
                                                       {"source_origin", TagKind::word},
                                                       {"method", TagKind::text},
                                                       {"accuracy", TagKind::text},
                                                       {"to_shim_reason", TagKind::text},
                                                       {"load_order", TagKind::integer},
                                                       {"all_depends_count", TagKind::integer}};
  return fixed;
}

// false for a name that is no tag
bool tag_kind(const std::string& name, TagKind& kind) {
  const auto found = fixed_tags().find(name);
  if (found != fixed_tags().end()) {
    kind = found->second;
    return true;
  }
  for (const std::string family : {"calls_", "depends_", "all_depends_"}) {
    if (!starts_with(name, family) || name.size() == family.size()) continue;
    const bool count = family == "all_depends_" && ends_with(name, "_count");
    kind = count ? TagKind::integer : TagKind::names;
    return true;
  }
  return false;
}

// For a message, whatever the bytes are and however many.
std::string visible(const std::string& text) {
  static const char kHex[] = "0123456789abcdef";
  constexpr std::size_t kShown = 60;
  std::string shown;
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      shown += c;
    else
      shown += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
  }
  return text.size() > kShown ? shown + "..." : shown;
}

// Walks over the lines of one file once and collects its tags.
class HeadParser {
 public:
  HeadParser(const std::string& text, const std::string& file) : file_(file), lines_(text_lines(text)) {
    if (starts_with(text, "\xEF\xBB\xBF")) refuse(1, "the file starts with a byte-order mark");
    // It would take along the files that follow in a program.
    if (const std::size_t line = unclosed_comment(text)) refuse(line, "the comment that opens here is not closed");
  }

  std::vector<Tag> parse() {
    std::string body;
    for (; at_ < lines_.size(); ++at_) {
      if (trimmed(lines_[at_]).empty()) continue;
      if (!comment_body(lines_[at_], body)) break;
      if (starts_with(body, "@")) parse_tag(body);
    }
    refuse_tags_after_head();
    return std::move(tags_);
  }

 private:
  [[noreturn]] void refuse(std::size_t line, const std::string& what) const {
    throw NmathError(file_ + ":" + std::to_string(line) + ": " + what);
  }

  [[noreturn]] void fail(const std::string& tag, const std::string& what) const {
    refuse(at_ + 1, "@" + visible(tag) + ": " + what);
  }

  void refuse_tags_after_head() {
    std::string body;
    TagKind kind;
    for (; at_ < lines_.size(); ++at_) {
      if (!comment_body(lines_[at_], body) || !starts_with(body, "@")) continue;
      const std::string name = leading_name(body, 1);
      if (tag_kind(name, kind))
        fail(name, "a tag must stand in the head of the file, before the first line that is not a // comment");
    }
  }

  void parse_tag(const std::string& body) {
    Tag tag;
    tag.name = leading_name(body, 1);
    tag.first_line = tag.last_line = static_cast<int>(at_) + 1;
    if (!tag_kind(tag.name, tag.kind)) {
      const std::string word = body.substr(1, body.find_first_of(" \t:") - 1);
      std::vector<std::string> known = {"depends_nmath", "calls_nmath", "all_depends_nmath", "calls_opencl_builtin"};
      for (const auto& one : fixed_tags()) known.push_back(one.first);
      fail(tag.name.empty() ? word : tag.name, "unknown tag" + did_you_mean(tag.name, known));
    }
    const auto known = first_lines_.emplace(tag.name, tag.first_line);
    if (!known.second) fail(tag.name, "repeated tag, first given in line " + std::to_string(known.first->second));
    const std::size_t colon = body.find_first_not_of(kBlanks, 1 + tag.name.size());
    if (colon == std::string::npos || body[colon] != ':') fail(tag.name, "missing ':' after the name of the tag");
    parse_value(tag, trimmed(body.substr(colon + 1)));
    tags_.push_back(std::move(tag));
  }

  void parse_value(Tag& tag, const std::string& value) {
    switch (tag.kind) {
      case TagKind::names:
      case TagKind::headers:
      case TagKind::kinds:
        parse_list(tag, value);
        return;
      case TagKind::integer:
        check_integer(tag.name, value);
        break;
      case TagKind::word:
        if (value.find_first_of(kBlanks) != std::string::npos)
          fail(tag.name, "more than one word: '" + visible(value) + "'");
        break;
      case TagKind::text:
        break;
    }
    if (value.empty()) fail(tag.name, "empty value");
    tag.items.push_back(value);
  }

  void check_integer(const std::string& name, const std::string& value) const {
    const bool digits = !value.empty() && value.size() <= 9 && std::all_of(value.begin(), value.end(), is_digit);
    if (!digits) fail(name, "'" + visible(value) + "' is not a whole number of at most nine digits");
  }

  void parse_list(Tag& tag, std::string value) {
    std::set<std::string> known;
    while (ends_with(value, ",")) {
      std::string more;
      const bool goes_on =
          at_ + 1 < lines_.size() && comment_body(lines_[at_ + 1], more) && !more.empty() && !starts_with(more, "@");
      if (!goes_on) fail(tag.name, "the list ends with a comma, but no // line goes on with it");
      add_items(tag, known, value.substr(0, value.size() - 1));
      value = more;
      ++at_;
    }
    tag.last_line = static_cast<int>(at_) + 1;
    const bool alone = tag.items.empty() && tag.last_line == tag.first_line;
    if (alone && (value.empty() || value == "none" || value == "(none)")) return;
    add_items(tag, known, value);
    if (known.count("none") != 0) fail(tag.name, "'none' must stand alone");
  }

  // Items of one line, without the comma that ends it.
  void add_items(Tag& tag, std::set<std::string>& known, const std::string& line) {
    std::size_t begin = 0;
    while (true) {
      const std::size_t comma = line.find(',', begin);
      const std::string item = trimmed(line.substr(begin, comma == std::string::npos ? comma : comma - begin));
      check_item(tag, item);
      if (known.insert(item).second) tag.items.push_back(item);
      if (comma == std::string::npos) return;
      begin = comma + 1;
    }
  }

  void check_item(const Tag& tag, const std::string& item) const {
    if (item.empty()) fail(tag.name, "empty item in the list");
    if (item.find_first_of(kBlanks) != std::string::npos)
      fail(tag.name, "two words in one item, is a comma missing? '" + visible(item) + "'");
    if (tag.kind == TagKind::headers) {
      for (char c : item)
        if (!is_letter(c) && !is_digit(c) && std::string("./+-").find(c) == std::string::npos)
          fail(tag.name, "bad character in '" + visible(item) + "'");
    } else if (tag.kind == TagKind::kinds) {
      const std::size_t equals = item.find('=');
      if (equals == std::string::npos) fail(tag.name, "'" + visible(item) + "' is not of the form name=kind");
      if (!is_kernel_name(item.substr(0, equals)) || !is_kernel_name(item.substr(equals + 1)))
        fail(tag.name, "bad character in '" + visible(item) + "'");
    } else if (!is_kernel_name(item)) {
      fail(tag.name, "bad character in '" + visible(item) + "'");
    }
  }

  const std::string& file_;
  const std::vector<std::string> lines_;
  std::size_t at_ = 0;
  std::vector<Tag> tags_;
  std::map<std::string, int> first_lines_;
};

}  // namespace

KernelTags::KernelTags(const std::string& text, std::string file)
    : file_(std::move(file)), tags_(HeadParser(text, file_).parse()) {}

const Tag* KernelTags::find(const std::string& name) const {
  for (const Tag& tag : tags_)
    if (tag.name == name) return &tag;
  return nullptr;
}

std::vector<std::string> KernelTags::list(const std::string& name) const {
  const Tag* tag = find(name);
  return tag ? tag->items : std::vector<std::string>();
}

std::string KernelTags::where(const Tag& tag) const {
  return file_ + ":" + std::to_string(tag.first_line) + ": @" + tag.name + ": ";
}

bool is_kernel_name(const std::string& name) { return !name.empty() && leading_name(name, 0).size() == name.size(); }

void check_depends_tag(const std::string& name) {
  const bool stems =
      name == "depends" || name == "all_depends" || starts_with(name, "depends_") || starts_with(name, "all_depends_");
  TagKind kind;
  if (!stems || !is_kernel_name(name) || !tag_kind(name, kind) || kind != TagKind::names)
    throw NmathError("depends_tag must be 'depends', 'all_depends', 'depends_<lib>' or 'all_depends_<lib>', not '" +
                     name + "'");
}

std::string join(const std::vector<std::string>& items, const std::string& separator) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : separator) + item;
  return text;
}

}  // namespace openclPort
