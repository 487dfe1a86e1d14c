// host_text -- translates a program in OpenCL C to C.
#include "host/host_text.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "loader/build_log.h"
#include "loader/c_tokens.h"
#include "loader/kernel_loader.h"
#include "loader/kernel_signature.h"
#include "loader/nmath_library.h"

namespace openclPort {

namespace {

constexpr const char* kPackage = "nmathopencl";
constexpr const char* kMark = "nmath_program_begins_here";

using Tokens = std::vector<CToken>;
using Kind = KernelParameter::Kind;

bool is_local(const std::string& word) { return word == "__local" || word == "local"; }

// A change of the text: `length` characters from `at` on give way to `text`.
struct Edit {
  std::size_t at, length;
  std::string text;
};

std::string edited(const std::string& text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.at < b.at; });
  std::string result;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    result.append(text, done, edit.at - done);
    result += edit.text;
    done = edit.at + edit.length;
  }
  return result.append(text, done, std::string::npos);
}

// What functions and macros mention, the kernels' bodies left aside.
using Mentions = std::map<std::string, std::set<std::string>>;

// The names that lead to one of `names`, themselves among them.
std::set<std::string> leading_to(std::set<std::string> names, const Mentions& mentions) {
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& entry : mentions) {
      if (names.count(entry.first) > 0) continue;
      const bool leads = std::any_of(entry.second.begin(), entry.second.end(),
                                     [&](const std::string& word) { return names.count(word) > 0; });
      if (leads) grows = names.insert(entry.first).second;
    }
  }
  return names;
}

class Translation {
 public:
  explicit Translation(const std::string& program)
      : program_(program), tokens_(c_tokens(program)), kernels_(kernel_definitions(tokens_)) {}

  bool to_expand() const {
    if (hidden_ || kernels_.empty()) return true;
    const std::set<std::string> local = leading_to(local_macros_, macro_mentions());
    return std::any_of(kernels_.begin(), kernels_.end(), [&](const auto& kernel) {
      for (std::size_t k = kernel.open; k < kernel.end; ++k)
        if (local.count(tokens_[k].text) > 0) return true;
      for (std::size_t k = 0; k < kernel.signature.size(); ++k)
        if (kernel.signature[k].kind == Kind::unknown && !pointer(kernel, k)) return true;
      return false;
    });
  }

  // Marks functions, macros and what they mention; changes kernels and their local variables.
  void read(std::set<std::string> waiting) {
    walk();
    waiting.insert({"barrier", "work_group_barrier", "nmath_barrier"});
    waiting = leading_to(std::move(waiting), mentions_);
    for (const auto& entry : mentions_)
      if (waiting.count(entry.first) > 0 && macros_.count(entry.first) == 0) waits_.insert(entry.first);
    static const std::set<std::string> questions = {
        "get_work_dim", "get_global_id",  "get_global_size",   "get_local_size",       "get_local_id",
        "get_group_id", "get_num_groups", "nmath_item",        "get_global_linear_id", "get_local_linear_id",
        "barrier",      "nmath_barrier",  "work_group_barrier"};
    const std::set<std::string> asking = leading_to(questions, macro_mentions());
    for (const auto& entry : mentions_) {
      if (asked_) break;
      if (macros_.count(entry.first) > 0) continue;
      for (const std::string& word : entry.second) asked_ = asked_ || asking.count(word) > 0;
    }
    int number = 0;
    for (const KernelDefinition& kernel : kernels_) change(kernel, number++, waits(kernel, waiting));
  }

  std::string text() const { return edited(program_, edits_); }
  const std::set<std::string>& waits() const { return waits_; }
  std::string definitions() const {
    return "#define NMATH_KERNELS " + std::to_string(kernels_.size()) + "\n" +
           (asked_ ? "#define NMATH_ITEM_ASKED 1\n" : "");
  }

 private:
  bool pointer(const KernelDefinition& kernel, std::size_t parameter) const {
    std::size_t number = 0;
    int depth = 0;
    for (std::size_t k = kernel.open; k < kernel.close; ++k) {
      const std::string& word = tokens_[k].text;
      depth += word == "(" ? 1 : word == ")" ? -1 : 0;
      if (word == "," && depth == 1) ++number;
      if (word == "*" && number == parameter) return true;
    }
    return false;
  }

  Mentions macro_mentions() const {
    Mentions result;
    for (const std::string& name : macros_) result[name] = mentions_.at(name);
    return result;
  }

  // The tokens from `begin` on that belong to one directive end before the one returned.
  std::size_t directive_end(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < tokens_.size() && tokens_[end].line == tokens_[begin].line && tokens_[end].text[0] != '#') ++end;
    return end;
  }

  void walk() {
    int braces = 0, parentheses = 0;
    std::string candidate, function;
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      const std::string& word = tokens_[k].text;
      if (word[0] == '#') {
        const std::size_t end = directive_end(k);
        if (word == "#define" && k + 1 < end) {
          macros_.insert(tokens_[k + 1].text);
          for (std::size_t j = k + 2; j < end; ++j) mentions_[tokens_[k + 1].text].insert(tokens_[j].text);
          mentions_[tokens_[k + 1].text];
          for (std::size_t j = k + 2; j < end; ++j) {
            hidden_ = hidden_ || is_kernel_word(tokens_[j].text);
            if (!is_local(tokens_[j].text)) continue;
            const Declares what = declared(j, end);
            const bool statement = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(j),
                                               tokens_.begin() + static_cast<std::ptrdiff_t>(end),
                                               [](const CToken& token) { return token.text == ";"; });
            if (what == Declares::variable && statement)
              replace(j, "NMATH_GROUP_MEMORY");
            else if (what != Declares::pointer)
              local_macros_.insert(tokens_[k + 1].text);  // a qualifier, or what only its user ends
          }
        }
        k = end - 1;
        continue;
      }
      if (word == "{") {
        if (braces++ == 0) function = tokens_[k > 0 ? k - 1 : 0].text == ")" ? candidate : "";
      } else if (word == "}") {
        braces = std::max(braces - 1, 0);
      } else if (braces == 0) {
        if (word == "(" && parentheses++ == 0 && k > 0) candidate = tokens_[k - 1].text;
        if (word == ")") parentheses = std::max(parentheses - 1, 0);
      } else if (!function.empty() && is_letter(word[0]) && !is_kernel(function)) {
        mentions_[function].insert(word);
      }
    }
    hidden_ = hidden_ || braces != 0;  // conditions open one brace twice
  }

  bool is_kernel(const std::string& name) const {
    return std::any_of(kernels_.begin(), kernels_.end(), [&](const auto& kernel) { return kernel.name == name; });
  }

  bool waits(const KernelDefinition& kernel, const std::set<std::string>& waiting) const {
    for (std::size_t k = kernel.close; k < kernel.end; ++k)
      if (waiting.count(tokens_[k].text) > 0) return true;
    return false;
  }

  void replace(std::size_t token, const std::string& text) {
    edits_.push_back({tokens_[token].at, tokens_[token].text.size(), text});
  }

  // Attributes go, their lines stay; `required` gets the group that one of them asks for.
  void drop_attributes(const KernelDefinition& kernel, unsigned* required) {
    for (std::size_t k = kernel.keyword + 1; k < kernel.open; ++k) {
      if (tokens_[k].text != "__attribute__") continue;
      int depth = 0;
      std::size_t last = k + 1;
      for (; last < kernel.open; ++last) {
        depth += tokens_[last].text == "(" ? 1 : tokens_[last].text == ")" ? -1 : 0;
        if (depth == 0) break;
        if (tokens_[last].text.find("reqd_work_group_size") == std::string::npos) continue;
        for (int i = 0; i < 3 && last + 2 + 2 * i < kernel.open; ++i)
          required[i] = static_cast<unsigned>(std::strtoul(tokens_[last + 2 + 2 * i].text.c_str(), nullptr, 10));
      }
      const std::size_t begin = tokens_[k].at, end = tokens_[last].at + 1;
      const auto lines = std::count(program_.begin() + static_cast<std::ptrdiff_t>(begin),
                                    program_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
      edits_.push_back({begin, end - begin, std::string(static_cast<std::size_t>(lines), '\n') + " "});
      k = last;
    }
  }

  // What `local` at this token declares before `end`: a variable of the group, or a pointer to one; not told where the
  // text ends.
  enum class Declares { variable, pointer, unknown };
  Declares declared(std::size_t token, std::size_t end) const {
    for (std::size_t k = token + 1; k < end; ++k) {
      const std::string& next = tokens_[k].text;
      if (next == "*") return Declares::pointer;
      if (next == ";" || next == "=" || next == "[" || next == ",") return Declares::variable;
    }
    return Declares::unknown;
  }

  // Variables of a group: declared in a kernel's body, or in a macro that stands there.
  void change_locals(const KernelDefinition& kernel) {
    int parentheses = 0;
    for (std::size_t k = kernel.close + 1; k < kernel.end; ++k) {
      const std::string& word = tokens_[k].text;
      if (word[0] == '#') {
        k = directive_end(k) - 1;
        continue;
      }
      parentheses += word == "(" ? 1 : word == ")" ? -1 : 0;
      if (is_local(word) && parentheses == 0 && declared(k, kernel.end) != Declares::pointer)
        replace(k, "NMATH_GROUP_MEMORY");
    }
  }

  void change(const KernelDefinition& kernel, int number, bool barrier) {
    const bool none =
        kernel.close == kernel.open + 1 || (kernel.close == kernel.open + 2 && tokens_[kernel.open + 1].text == "void");
    if (none && kernel.close == kernel.open + 2) replace(kernel.open + 1, "");
    edits_.push_back({tokens_[kernel.close].at, 0,
                      none ? "const nmath_work_item *nmath_item" : ", const nmath_work_item *nmath_item"});
    unsigned required[3] = {0, 0, 0};
    drop_attributes(kernel, required);
    if (kernel.end <= kernel.close) return;  // a declaration
    change_locals(kernel);
    edits_.push_back({tokens_[kernel.end].at + 1, 0, launcher(kernel, std::to_string(number), barrier, required)});
  }

  std::string launcher(const KernelDefinition& kernel, const std::string& number, bool barrier,
                       const unsigned* required) const {
    std::string taken, given;
    bool callable = true;
    for (std::size_t k = 0; k < kernel.signature.size(); ++k) {
      const KernelParameter& parameter = kernel.signature[k];
      const std::string index = std::to_string(k);
      if (parameter.kind == Kind::value)
        taken +=
            "const " + parameter.type + " nmath_v" + index + " = nmath_a[" + index + "].v_" + parameter.type + "; ";
      else if (parameter.kind == Kind::buffer || parameter.kind == Kind::local || pointer(kernel, k))
        taken += "void *const nmath_v" + index + " = nmath_a[" + index + "].memory; ";
      else
        callable = false;
      given += "nmath_v" + index + ", ";
    }
    std::string reported = write_signatures({{kernel.name, kernel.signature}});
    for (std::size_t at = 0; (at = reported.find_first_of("\n\t\"\\", at)) != std::string::npos; at += 2)
      reported.replace(at, 1, reported[at] == '\n' ? "\\n" : reported[at] == '\t' ? "\\t" : " ");
    std::string text, run = "0", item = "0";
    if (callable && barrier) {
      item = "nmath_item_" + number;
      text += " static void " + item + "(const nmath_argument *nmath_a, const nmath_work_item *nmath_one) { " + taken +
              "(void)nmath_a; NMATH_SET_ITEM(nmath_one); " + kernel.name + "(" + given + "nmath_one); }";
    } else if (callable) {
      run = "nmath_run_" + number;
      text += " static void " + run +
              "(const nmath_argument *nmath_a, const nmath_range *nmath_r, size_t nmath_b, size_t nmath_e) { " + taken +
              "(void)nmath_a; NMATH_EACH_ITEM(nmath_r, nmath_b, nmath_e, " + kernel.name + "(" + given +
              "&nmath_one)) }";
    }
    text += " NMATH_ADD_KERNEL(" + number + ", \"" + kernel.name + "\", \"" + reported + "\", " +
            std::to_string(kernel.signature.size()) + ", " + (barrier ? "1" : "0");
    for (int i = 0; i < 3; ++i) text += ", " + std::to_string(required[i]);
    return text + ", " + run + ", " + item + ")";
  }

  const std::string& program_;
  const Tokens tokens_;
  const std::vector<KernelDefinition> kernels_;
  Mentions mentions_;
  std::set<std::string> macros_, local_macros_, waits_;
  bool hidden_ = false, asked_ = false;
  std::vector<Edit> edits_;
};

std::string marked(const std::string& prelude) { return "#line 1 \"HOST.cl\"\n" + prelude + "\n"; }

}  // namespace

std::string host_prelude() { return load_kernel_source("HOST.cl", kPackage); }

HostText host_text(const std::string& prelude, const std::string& program, const std::set<std::string>& waiting) {
  const std::string named =
      starts_with(program, "#line ") ? program : std::string("#line 1 \"") + kUserText + "\"\n" + program;
  Translation translation(named);
  translation.read(waiting);
  if (translation.to_expand())
    return {"#define NMATH_KERNELS 1\n#define NMATH_EXPAND 1\n" + marked(prelude) + kMark + "\n" + named, true, {}};
  return {translation.definitions() + marked(prelude) + translation.text(), false, translation.waits()};
}

HostText host_text_expanded(const std::string& prelude, const std::string& expanded,
                            const std::set<std::string>& waiting) {
  const std::size_t at = expanded.find(kMark);
  const std::string program = at == std::string::npos ? expanded : expanded.substr(at + std::string(kMark).size());
  Translation translation(program);
  translation.read(waiting);
  return {translation.definitions() + marked(prelude) + translation.text(), false, translation.waits()};
}

std::string beyond_host(const std::string& program) {
  static const char* const scalars[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                        "long", "ulong", "float", "double", "half"};
  std::map<std::string, std::string> beyond = {{"half", "numbers of 16 bits"},
                                               {"sampler_t", "images"},
                                               {"image1d_t", "images"},
                                               {"image2d_t", "images"},
                                               {"image3d_t", "images"},
                                               {"image2d_array_t", "images"},
                                               {"event_t", "copies by events"},
                                               {"pipe", "pipes"},
                                               {"async_work_group_copy", "copies by events"},
                                               {"async_work_group_strided_copy", "copies by events"},
                                               {"enqueue_kernel", "kernels that start others"}};
  for (const char* scalar : scalars)
    for (const char* width : {"2", "3", "4", "8", "16"}) {
      beyond[std::string(scalar) + width] = "vector types";
      beyond["convert_" + std::string(scalar) + width] = "vector types";
    }
  for (const char* width : {"2", "3", "4", "8", "16"})
    for (const char* name : {"vload", "vstore"}) beyond[std::string(name) + width] = "vector types";
  for (const CToken& token : c_tokens(program)) {
    const auto found = beyond.find(token.text);
    if (found == beyond.end()) continue;
    const std::string place = source_line(program, token.line);
    if (!place.empty() && place.compare(0, std::string(kUserText).size(), kUserText) != 0) continue;  // the library's
    return "the host device's C has no " + found->second + ": '" + token.text + "'" +
           (place.empty() ? "" : " at " + place);
  }
  return std::string();
}

}  // namespace openclPort
