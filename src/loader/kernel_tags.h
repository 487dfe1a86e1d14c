// kernel_tags -- the one reader of the `// @tag: value` lines that open a .cl file.
//
// Text in, plain data out: no files, no globals, every function is reentrant.
//
// The grammar
//   head      the leading run of blank lines and `//` comment lines of a file. Tags stand there and nowhere else.
//   tag line  optional blanks, `//`, optional blanks, `@name`, optional blanks, `:`, value
//   prose     every other comment line of the head
//
//   value, by tag
//   list      used depends provides all_depends local_macros to_shim to_shim_deterministic builtin library_deps
//             calls_<lib> calls_opencl_builtin depends_<lib> all_depends_<lib>
//             names ([A-Za-z_][A-Za-z0-9_]*) with a comma between each two. A list whose line ends with a comma goes
//             on in the next `//` line. Nothing at all, `none` or `(none)` is the empty list. A name that comes
//             twice counts once.
//   headers   includes used_includes: a list whose items may also hold `.`, `/`, `+` and `-` (R_ext/Boolean.h)
//   kinds     to_shim_kind: a list whose items are name=kind
//   word      source_type source_origin: one word
//   text      method accuracy to_shim_reason: the rest of the line
//   integer   load_order all_depends_count all_depends_<lib>_count
//
// Blanks are spaces and tabs; a carriage return at the end of a line is not part of it. Anything else is an error that
// names file, line and tag: a missing colon, two words in one item, an empty item, a bad character, an unknown tag, a
// tag given twice, and a line after the head that starts with `// @<known tag>`.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace openclPort {

enum class TagKind { names, headers, kinds, word, text, integer };

struct Tag {
  std::string name;
  TagKind kind;
  std::vector<std::string> items;  // the list; exactly one item for word, text and integer
  int first_line;                  // 1-based; they differ where a list goes on in the next line
  int last_line;
};

// The tags of one file, in file order.
class KernelTags {
 public:
  KernelTags(const std::string& text, std::string file);  // throws NmathError

  const std::string& file() const { return file_; }
  const std::vector<Tag>& all() const { return tags_; }
  const Tag* find(const std::string& name) const;                // nullptr where the file has no such tag
  std::vector<std::string> list(const std::string& name) const;  // empty where the file has no such tag

  // "path/dgamma.cl:4: @depends: " -- how every message about a tag begins.
  std::string where(const Tag& tag) const;

 private:
  std::string file_;
  std::vector<Tag> tags_;
};

// Whether `name` is a list of file stems that a loader may be asked to follow: depends, all_depends, depends_<lib> or
// all_depends_<lib>. Throws NmathError, naming the tag, if not.
void check_depends_tag(const std::string& name);

bool is_kernel_name(const std::string& name);  // [A-Za-z_][A-Za-z0-9_]*

std::string join(const std::vector<std::string>& items, const std::string& separator);

}  // namespace openclPort
