// c_outline -- what a C text defines, declares and uses, from its words; no compiler.
#include "loader/c_outline.h"

#include <algorithm>

#include "base/text.h"

namespace openclPort {

namespace {

using Kind = CDefinition::Kind;

bool is_name(const std::string& word) { return !word.empty() && is_letter(word[0]) && !is_c_keyword(word); }

class Outliner {
 public:
  explicit Outliner(const std::vector<CToken>& tokens) : tokens_(tokens) {}

  COutline outline() {
    std::size_t at = 0;
    while (at < tokens_.size()) at = tokens_[at].text[0] == '#' ? directive(at) : declaration(at);
    expand_macros();
    return std::move(found_);
  }

 private:
  const std::string& text(std::size_t at) const {
    static const std::string nothing;
    return at < tokens_.size() ? tokens_[at].text : nothing;
  }

  // ---- directives ----

  std::size_t directive(std::size_t at) {
    const std::size_t line = tokens_[at].line;
    std::size_t end = at + 1;
    while (end < tokens_.size() && tokens_[end].line == line) ++end;
    const std::string &word = text(at), &name = text(at + 1);
    if (word == "#ifndef" || word == "#ifdef" || word == "#if") {
      conditions_.push_back(word == "#ifndef" && at + 1 < end ? name : "");
    } else if (word == "#endif" && !conditions_.empty()) {
      conditions_.pop_back();
    } else if (word == "#undef" && at + 1 < end) {
      found_.undefined[name] = line;
    } else if (word == "#define" && at + 1 < end) {
      macro(at + 1, end);
    }
    return end;
  }

  void macro(std::size_t at, std::size_t end) {
    const std::string& name = text(at);
    std::size_t body = at + 1;
    std::set<std::string> parameters;
    const bool call = body < end && text(body) == "(" && tokens_[body].at == tokens_[at].at + name.size();
    if (call)
      for (++body; body < end && text(body - 1) != ")"; ++body) parameters.insert(text(body));
    const bool guarded = std::find(conditions_.begin(), conditions_.end(), name) != conditions_.end();
    std::string words;
    for (std::size_t k = body; k < end; ++k) words += (words.empty() ? "" : " ") + text(k);
    found_.definitions.push_back({name, call ? Kind::call_macro : Kind::macro, tokens_[at].line, guarded, words});
    for (std::size_t k = body; k < end; ++k)
      if (parameters.count(text(k)) == 0 && is_name(text(k)) && !is_member(k)) in_macros_[name].insert({text(k), k});
  }

  // What stands in a macro is used where the macro is, also by way of another macro.
  void expand_macros() {
    std::vector<std::string> queue;
    for (const auto& use : found_.uses) queue.push_back(use.first);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const auto macro = in_macros_.find(queue[i]);
      if (macro == in_macros_.end()) continue;
      for (const auto& word : macro->second) {
        if (found_.uses.count(word.first) == 0) queue.push_back(word.first);
        mention(word.second, queue[i], true);
      }
    }
  }

  // ---- declarations and definitions outside of functions ----

  // From `at` to behind the ';' or '}' that ends it. The words up to the first brace, with their parentheses, are the
  // head.
  std::size_t declaration(std::size_t at) {
    std::vector<std::size_t> head;
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      const std::string& word = text(at);
      if (word[0] == '#') {
        at = directive(at) - 1;
        continue;
      }
      depth += word == "(" || word == "[" ? 1 : word == ")" || word == "]" ? -1 : 0;
      if (depth <= 0 && (word == ";" || word == "{" || word == "}")) break;
      head.push_back(at);
    }
    const std::string end = text(at);
    if (end == "{") return braced(head, at);
    if (!head.empty()) unbraced(head);
    return at + 1;
  }

  // Number in `head` of the parenthesis that opens the last group that is no attribute's; head.size() if there is none.
  std::size_t last_group(const std::vector<std::size_t>& head) const {
    std::size_t best = head.size();
    int depth = 0;
    for (std::size_t k = 0; k < head.size(); ++k) {
      const std::string& word = text(head[k]);
      if (word == "(" && depth++ == 0 && k > 0 && is_name(text(head[k - 1]))) best = k;
      if (word == ")") --depth;
    }
    return best;
  }

  bool has(const std::vector<std::size_t>& head, const char* word) const {
    return std::any_of(head.begin(), head.end(), [&](std::size_t k) { return text(k) == word; });
  }

  void define(std::size_t at, Kind kind) {
    found_.definitions.push_back({text(at), kind, tokens_[at].line, false, ""});
  }

  std::size_t braced(const std::vector<std::size_t>& head, std::size_t open) {
    const std::size_t group = last_group(head);
    if (has(head, "=") || group == head.size() || has(head, "typedef")) return aggregate(head, open);
    const std::size_t name = head[group - 1];
    define(name, Kind::function);
    for (std::size_t k = 0; k < group - 1; ++k) expand(head[k], text(name));
    for (std::size_t k = group; k < head.size(); ++k) parameter(head[k], text(name));
    return body(open, text(name));
  }

  // A struct, an enumeration or an initialized table: to the ';' behind its braces.
  std::size_t aggregate(const std::vector<std::size_t>& head, std::size_t at) {
    const bool type = !has(head, "=");
    if (!type) variables(head);
    for (std::size_t k = 0; type && k < head.size(); ++k) {
      const bool tag =
          k > 0 && (text(head[k - 1]) == "struct" || text(head[k - 1]) == "union" || text(head[k - 1]) == "enum");
      if (tag && is_name(text(head[k]))) define(head[k], Kind::type);
    }
    const bool enumeration = has(head, "enum"), names = has(head, "typedef");
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      const std::string& word = text(at);
      if (word[0] == '#') {
        at = directive(at) - 1;
        continue;
      }
      if (depth == 0 && word == ";") return at + 1;
      depth += word == "{" ? 1 : word == "}" ? -1 : 0;
      const bool first = text(at - 1) == "{" || text(at - 1) == ",";
      const std::string& next = text(at + 1);
      const bool member = type && !enumeration && depth > 0 && (next == ";" || next == "," || next == "[");
      if (!is_name(word) || member) continue;
      if (depth == 0 && type)
        define(at, names ? Kind::type : Kind::object);
      else if (enumeration && depth == 1 && first)
        define(at, Kind::object);
      else
        mention(at, "", false);
    }
    return at;
  }

  // A prototype, a typedef or variables.
  void unbraced(const std::vector<std::size_t>& head) {
    const std::size_t group = last_group(head);
    if (text(head[0]) == "typedef") {
      for (std::size_t k = 1; k + 1 < head.size(); ++k) mention(head[k], "", false);
      if (is_name(text(head.back()))) define(head.back(), Kind::type);
    } else if (!has(head, "=") && group < head.size()) {
      const bool alone = group == 1;  // no type before it: a macro, which may define what it is given
      if (!alone) found_.declared.insert(text(head[group - 1]));
      for (std::size_t k = 0; k < (alone ? head.size() : group - 1); ++k) expand(head[k], "");
    } else {
      variables(head);
    }
  }

  void variables(const std::vector<std::size_t>& head) {
    int depth = 0;
    bool value = false;
    for (std::size_t k = 0; k < head.size(); ++k) {
      const std::string& word = text(head[k]);
      depth += word == "(" || word == "[" ? 1 : word == ")" || word == "]" ? -1 : 0;
      value = (value || word == "=") && !(depth == 0 && word == ",");
      const std::string next = k + 1 < head.size() ? text(head[k + 1]) : ";";
      const bool declares = depth == 0 && !value && k > 0 && (next == ";" || next == "," || next == "=" || next == "[");
      if (!is_name(word)) continue;
      if (declares)
        define(head[k], Kind::object);
      else
        mention(head[k], "", false);
    }
  }

  // What stands before a function's name: its type, and perhaps macros that stand alone.
  void expand(std::size_t at, const std::string& owner) {
    if (is_name(text(at))) found_.expanded.insert(text(at));
    mention(at, owner, false);
  }

  // ---- functions ----

  void parameter(std::size_t at, const std::string& owner) {
    const std::string next = text(at + 1);
    if (is_name(text(at)) && (next == "," || next == ")" || next == "["))
      found_.local.insert(text(at));
    else
      mention(at, owner, false);
  }

  // Behind an #else the depth is that of its #if: both sides may open the same brace.
  std::size_t body(std::size_t at, const std::string& owner) {
    int depth = 0;
    std::vector<int> at_condition;
    for (; at < tokens_.size(); ++at) {
      const std::string& word = text(at);
      if (word[0] == '#') {
        if (word == "#if" || word == "#ifdef" || word == "#ifndef") at_condition.push_back(depth);
        if ((word == "#else" || word == "#elif") && !at_condition.empty()) depth = at_condition.back();
        if (word == "#endif" && !at_condition.empty()) at_condition.pop_back();
        at = directive(at) - 1;
        continue;
      }
      depth += word == "{" ? 1 : word == "}" ? -1 : 0;
      if (depth == 0) return at + 1;
      if (declares_local(at))
        found_.local.insert(word);
      else
        mention(at, owner, false);
    }
    return at;
  }

  // Two words side by side are a type and what has it; so are a scalar type's word and, behind stars, another.
  bool declares_local(std::size_t at) const {
    if (!is_name(text(at)) || at == 0 || text(at + 1) == "(") return false;
    std::size_t before = at - 1;
    while (before > 0 && text(before) == "*") --before;
    const std::string& type = text(before);
    static const std::set<std::string> kNoTypes = {"return", "else", "case", "goto", "do", "sizeof"};
    const bool scalar = is_c_keyword(type) && kNoTypes.count(type) == 0;
    return scalar || (before == at - 1 && is_name(type));
  }

  bool is_member(std::size_t at) const {
    return at > 0 && (text(at - 1) == "." || (text(at - 1) == ">" && at > 1 && text(at - 2) == "-"));
  }

  void mention(std::size_t at, const std::string& owner, bool in_macro) {
    const std::string& word = text(at);
    if (!is_name(word)) return;
    if (is_member(at)) return;
    CUse& use = found_.uses[word];
    if (use.line == 0) use.line = tokens_[at].line;
    const bool call = text(at + 1) == "(" || in_macro;
    if (call && use.call == 0) use.call = tokens_[at].line;
    if (call && !owner.empty()) found_.calls[owner].insert(word);
  }

  const std::vector<CToken>& tokens_;
  std::vector<std::string> conditions_;  // the name of each #ifndef that holds here, "" for other conditions
  std::map<std::string, std::map<std::string, std::size_t>> in_macros_;  // words of each macro, and where they stand
  COutline found_;
};

}  // namespace

const CDefinition* COutline::find(const std::string& name) const {
  for (const CDefinition& definition : definitions)
    if (definition.name == name) return &definition;
  return nullptr;
}

COutline c_outline(const std::vector<CToken>& tokens) { return Outliner(tokens).outline(); }

bool is_c_keyword(const std::string& word) {
  static const std::set<std::string> kWords = {
      "auto",   "break",     "case",     "char",       "const",    "continue",      "default",  "do",     "double",
      "else",   "enum",      "extern",   "float",      "for",      "goto",          "if",       "inline", "int",
      "long",   "register",  "restrict", "return",     "short",    "signed",        "sizeof",   "static", "struct",
      "switch", "typedef",   "union",    "unsigned",   "void",     "volatile",      "while",    "bool",   "uchar",
      "ushort", "uint",      "ulong",    "half",       "__kernel", "kernel",        "__global", "global", "__local",
      "local",  "__private", "private",  "__constant", "constant", "__attribute__", "size_t",   "defined"};
  return kWords.count(word) > 0;
}

}  // namespace openclPort
