// gpu_rules -- finds what a C text uses and no GPU has: OpenCL C 1.2, section 6.9, and the C library.
#include "authors/gpu_rules.h"

#include <set>

#include "base/text.h"
#include "loader/c_outline.h"

namespace openclPort {

namespace {

bool one_of(const std::string& word, const std::set<std::string>& words) { return words.count(word) > 0; }

// Where the directive at `at` ends: its words have the line that it begins in.
std::size_t directive_end(const std::vector<CToken>& tokens, std::size_t at) {
  const std::size_t line = tokens[at].line;
  while (at < tokens.size() && tokens[at].line == line) ++at;
  return at;
}

class RuleFinder {
 public:
  RuleFinder(const std::vector<CToken>& tokens, const RuleSink& found) : tokens_(tokens), found_(found) {}

  void find() {
    std::size_t directive_until = 0;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      if (text(at)[0] == '#') {
        directive_until = directive_end(tokens_, at);
        if (text(at) == "#include")
          found_(tokens_[at].line, "#include: a program is one text, and has no headers of the host");
      }
      anywhere(at);
      if (at < directive_until) continue;
      depth_ += text(at) == "{" ? 1 : text(at) == "}" ? -1 : 0;
      if (depth_ < 0) depth_ = 0;
      statics(at);
      if (depth_ == 0 && (text(at) == "__kernel" || text(at) == "kernel")) kernel(at);
    }
  }

 private:
  const std::string& text(std::size_t at) const {
    static const std::string nothing;
    return at < tokens_.size() ? tokens_[at].text : nothing;
  }

  bool is(std::size_t at, std::initializer_list<const char*> words) const {
    for (const char* word : words)
      if (text(at++) != word) return false;
    return true;
  }

  void anywhere(std::size_t at) {
    const std::size_t line = tokens_[at].line;
    if (is(at, {"long", "double"})) found_(line, "long double: OpenCL C has no such type");
    if (is(at, {".", ".", "."})) found_(line, "a variable number of arguments");
    const bool pointer =
        is(at, {"(", "*"}) && is_letter(text(at + 2).empty() ? ' ' : text(at + 2)[0]) && is(at + 3, {")", "("});
    if (pointer) found_(line, "'" + text(at + 2) + "': a pointer to a function");
  }

  // A static variable inside a function; outside, a variable that is not constant.
  void statics(std::size_t at) {
    if (depth_ > 0 && text(at) == "static")
      found_(tokens_[at].line, "static inside a function: work-items have no memory that lasts");
    if (depth_ > 0 || at == 0 || !one_of(text(at), {"=", ";", "["}) ||
        !one_of(text(before_declaration(at)), {"", ";", "}"}))
      return;
    const std::size_t begin = begin_of_declaration(at);
    bool plain = at - begin >= 2;  // scalar types and the name alone
    for (std::size_t k = begin; k + 1 < at; ++k)
      plain = plain && is_c_keyword(text(k)) &&
              !one_of(text(k), {"typedef", "struct", "union", "enum", "extern", "__constant", "constant"});
    for (std::size_t k = begin; k + 1 < at; ++k) plain = plain && text(k) != "const";
    if (plain && is_letter(text(at - 1)[0]))
      found_(tokens_[at].line, "'" + text(at - 1) + "': a variable outside of functions that is not constant");
  }

  std::size_t begin_of_declaration(std::size_t at) const {
    while (at > 0 && is_letter(text(at - 1)[0])) --at;
    return at;
  }

  std::size_t before_declaration(std::size_t at) const {
    const std::size_t begin = begin_of_declaration(at);
    if (begin == 0) return tokens_.size();
    // Behind a directive a declaration begins too.
    for (std::size_t k = begin; k-- > 0 && tokens_[k].line == tokens_[begin - 1].line;)
      if (text(k)[0] == '#') return tokens_.size();
    return begin - 1;
  }

  // The parameters of a kernel: pointers say where they point, and types have one size everywhere.
  void kernel(std::size_t at) {
    while (at < tokens_.size() && !is(at, {"("}) && text(at) != "{" && text(at) != ";")
      at += is(at, {"__attribute__", "(", "("}) ? behind_group(at + 1) - at : 1;
    if (text(at) != "(") return;
    const std::size_t end = behind_group(at);
    std::size_t begin = at + 1;
    int depth = 0;
    for (std::size_t k = at; k < end; ++k) {
      depth += text(k) == "(" ? 1 : text(k) == ")" ? -1 : 0;
      if ((depth == 1 && text(k) == ",") || depth == 0) {
        parameter(begin, k);
        begin = k + 1;
      }
    }
  }

  std::size_t behind_group(std::size_t at) const {
    for (int depth = 0; at < tokens_.size(); ++at) {
      depth += text(at) == "(" ? 1 : text(at) == ")" ? -1 : 0;
      if (depth == 0) return at + 1;
    }
    return at;
  }

  void parameter(std::size_t begin, std::size_t end) {
    static const std::set<std::string> spaces = {"__global", "global", "__local", "local", "__constant", "constant"};
    static const std::set<std::string> sizes = {"bool", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t"};
    bool points = false, placed = false;
    for (std::size_t k = begin; k < end; ++k) {
      points = points || text(k) == "*" || text(k) == "[";
      placed = placed || spaces.count(text(k)) > 0;
      if (sizes.count(text(k)) > 0) found_(tokens_[k].line, "a kernel's parameter of type " + text(k));
    }
    if (points && !placed)
      found_(tokens_[begin].line, "a kernel's parameter is a pointer without __global, __local or __constant");
  }

  const std::vector<CToken>& tokens_;
  const RuleSink& found_;
  int depth_ = 0;
};

}  // namespace

std::vector<CToken> opencl_side(const std::vector<CToken>& tokens) {
  struct Condition {
    bool outer, asks, here;  // the words around it count; it asks for OpenCL; this side is OpenCL's
  };
  std::vector<Condition> open;
  std::vector<CToken> kept;
  const auto counts = [&open] { return open.empty() || (open.back().outer && open.back().here); };
  for (std::size_t at = 0; at < tokens.size();) {
    const std::string& word = tokens[at].text;
    const std::size_t end = word[0] == '#' ? directive_end(tokens, at) : at + 1;
    if (word == "#if" || word == "#ifdef" || word == "#ifndef") {
      bool asks = false, negated = word == "#ifndef";
      for (std::size_t k = at; k < end; ++k) {
        asks = asks || one_of(tokens[k].text, {"__OPENCL_VERSION__", "__OPENCL_C_VERSION__"});
        negated = negated || tokens[k].text == "!";
      }
      open.push_back({counts(), asks, !(asks && negated)});
    } else if ((word == "#else" || word == "#elif") && !open.empty()) {
      if (open.back().asks) open.back().here = !open.back().here;
    } else if (word == "#endif" && !open.empty()) {
      open.pop_back();
    } else if (counts()) {
      kept.insert(kept.end(), tokens.begin() + static_cast<std::ptrdiff_t>(at),
                  tokens.begin() + static_cast<std::ptrdiff_t>(end));
    }
    at = end;
  }
  return kept;
}

void find_gpu_limits(const std::vector<CToken>& tokens, const RuleSink& found) { RuleFinder(tokens, found).find(); }

bool is_host_function(const std::string& name) {
  static const std::set<std::string> kNames = {
      "malloc",   "calloc",  "realloc",   "free",     "alloca",    "setjmp",  "longjmp",  "exit",    "abort",
      "atexit",   "assert",  "signal",    "fopen",    "fclose",    "fread",   "fwrite",   "fprintf", "sprintf",
      "snprintf", "vprintf", "vsnprintf", "scanf",    "sscanf",    "puts",    "putchar",  "getenv",  "system",
      "qsort",    "bsearch", "rand",      "srand",    "time",      "clock",   "strlen",   "strcpy",  "strcmp",
      "strcat",   "memcpy",  "memmove",   "memset",   "memcmp",    "R_alloc", "R_Calloc", "R_Free",  "Calloc",
      "Free",     "Rprintf", "REprintf",  "Rf_error", "Rf_warning"};
  return kNames.count(name) > 0;
}

}  // namespace openclPort
