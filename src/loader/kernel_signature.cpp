// kernel_signature -- the parameters of a kernel: as the driver tells them, else as the program's text has them.
#include "loader/kernel_signature.h"

#include <set>
#include <sstream>

#include "loader/c_tokens.h"

namespace openclPort {

namespace {

using ParameterKind = KernelParameter::Kind;
using ReplacedNames = std::map<std::string, std::string>;

struct Scalar {
  const char* name;
  std::size_t bytes;
};

constexpr Scalar kScalars[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},   {"uint", 4},
                               {"long", 8}, {"ulong", 8}, {"float", 4}, {"double", 8}, {"size_t", 0}};

bool is_image(const std::string& type) { return type.compare(0, 5, "image") == 0; }

// ReplacedNames that the text itself gives to types: "typedef double real;", "#define real double".
ReplacedNames type_names(const std::vector<CToken>& tokens) {
  ReplacedNames names;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text != "typedef" && tokens[i].text != "#define") continue;
    const bool define = tokens[i].text == "#define";
    std::vector<std::string> words;
    std::size_t k = i + 1;
    while (k < tokens.size() && (define ? tokens[k].line == tokens[i].line : tokens[k].text != ";"))
      words.push_back(tokens[k++].text);
    if (words.size() < 2) continue;
    const std::string name = define ? words.front() : words.back();
    words.erase(define ? words.begin() : words.end() - 1);
    std::string type;
    for (const std::string& word : words) type += (type.empty() ? "" : " ") + word;
    names[name] = type;
  }
  return names;
}

std::string followed(std::string type, const ReplacedNames& names) {
  for (int depth = 0; depth < 8; ++depth) {
    const auto found = names.find(type);
    if (found == names.end()) break;
    type = found->second;
  }
  return scalar_type_name(type);
}

// One parameter from its tokens, "__global const double * restrict x".
KernelParameter parse_parameter(const std::vector<std::string>& words, const ReplacedNames& names) {
  static const std::set<std::string> ignored = {
      "restrict",   "__restrict",   "volatile",   "__volatile", "__read_only", "__write_only", "read_only",
      "write_only", "__read_write", "read_write", "__private",  "private",     "register"};
  KernelParameter parameter;
  bool global = false, constant = false, local = false, read_only = false;
  int stars = 0;
  std::vector<std::string> type;
  for (const std::string& word : words) {
    if (word == "__global" || word == "global") {
      global = true;
    } else if (word == "__constant" || word == "constant") {
      constant = true;
    } else if (word == "__local" || word == "local") {
      local = true;
    } else if (word == "const") {
      read_only = read_only || stars == 0;
    } else if (word == "*") {
      ++stars;
    } else if (ignored.count(word) == 0) {
      type.push_back(word);
    }
  }
  if (type.size() < 2) return parameter;  // a lone word: a macro, or a type without a name
  parameter.name = type.back();
  type.pop_back();
  std::string text;
  for (const std::string& word : type) text += (text.empty() ? "" : " ") + word;
  parameter.type = followed(text, names);
  if (parameter.type == "sampler_t")
    parameter.kind = ParameterKind::sampler;
  else if (is_image(parameter.type))
    parameter.kind = ParameterKind::image;
  else if (stars == 1 && (global || constant) && scalar_bytes(parameter.type) > 0)
    parameter.kind = ParameterKind::buffer;
  else if (stars == 1 && local && scalar_bytes(parameter.type) > 0)
    parameter.kind = ParameterKind::local;
  else if (stars == 0 && !global && !constant && !local && scalar_bytes(parameter.type) > 0)
    parameter.kind = ParameterKind::value;
  parameter.read_only = parameter.kind == ParameterKind::buffer && (read_only || constant);
  return parameter;
}

bool opens_kernel(const CToken& token) { return is_kernel_word(token.text); }

// From "__kernel" on: where the parameter list of `kernel` opens, or 0 if this is another one.
std::size_t parameter_list(const std::vector<CToken>& tokens, std::size_t at, const std::string& kernel) {
  for (std::size_t k = at + 1; k + 1 < tokens.size(); ++k) {
    const std::string& text = tokens[k].text;
    if (text == "{" || text == ";") return 0;
    if (tokens[k + 1].text != "(") continue;
    if (text == kernel) return k + 1;
    if (text != "__attribute__") return 0;
    int depth = 0;
    do {
      ++k;
      depth += tokens[k].text == "(" ? 1 : tokens[k].text == ")" ? -1 : 0;
    } while (depth > 0 && k + 1 < tokens.size());
  }
  return 0;
}

KernelSignature parse_list(const std::vector<CToken>& tokens, std::size_t open, const ReplacedNames& names) {
  KernelSignature signature;
  std::vector<std::string> words;
  int depth = 1;
  for (std::size_t k = open + 1; k < tokens.size() && depth > 0; ++k) {
    const std::string& text = tokens[k].text;
    depth += text == "(" ? 1 : text == ")" ? -1 : 0;
    if ((text == "," && depth == 1) || depth == 0) {
      if (!(words.empty() || (words.size() == 1 && words[0] == "void")))
        signature.push_back(parse_parameter(words, names));
      words.clear();
    } else {
      words.push_back(text);
    }
  }
  return signature;
}

// Where what opens at `open` closes; the last token if it does not.
std::size_t closing(const std::vector<CToken>& tokens, std::size_t open, const char* opens, const char* closes) {
  int depth = 0;
  for (std::size_t k = open; k < tokens.size(); ++k) {
    depth += tokens[k].text == opens ? 1 : tokens[k].text == closes ? -1 : 0;
    if (depth == 0) return k;
  }
  return tokens.size() - 1;
}

// From "__kernel" on: where its parameters open, the last name before them; 0 where none do.
std::size_t any_parameter_list(const std::vector<CToken>& tokens, std::size_t at) {
  for (std::size_t k = at + 1; k + 1 < tokens.size(); ++k) {
    const std::string& text = tokens[k].text;
    if (text == "{" || text == ";" || text[0] == '#') return 0;
    if (tokens[k + 1].text != "(") continue;
    if (text != "__attribute__") return k + 1;
    k = closing(tokens, k + 1, "(", ")");
  }
  return 0;
}

}  // namespace

bool is_kernel_word(const std::string& word) { return word == "__kernel" || word == "kernel"; }

std::vector<KernelDefinition> kernel_definitions(const std::vector<CToken>& tokens) {
  std::vector<KernelDefinition> found;
  const ReplacedNames names = type_names(tokens);
  std::size_t directive = 0;  // the line of the last one
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text[0] == '#') directive = tokens[i].line;
    if (tokens[i].line == directive || !opens_kernel(tokens[i])) continue;
    const std::size_t open = any_parameter_list(tokens, i);
    if (open == 0) continue;
    const std::size_t close = closing(tokens, open, "(", ")");
    std::size_t next = close + 1;
    while (next + 1 < tokens.size() && tokens[next].text == "__attribute__")
      next = closing(tokens, next + 1, "(", ")") + 1;
    const bool body = next < tokens.size() && tokens[next].text == "{";
    found.push_back({tokens[open - 1].text, i, open, close, body ? closing(tokens, next, "{", "}") : 0,
                     parse_list(tokens, open, names)});
    i = close;
  }
  return found;
}

std::size_t scalar_bytes(const std::string& type) {
  const std::string name = scalar_type_name(type);
  for (const Scalar& scalar : kScalars)
    if (name == scalar.name) return scalar.bytes;
  return 0;
}

std::string scalar_type_name(const std::string& type) {
  static const std::map<std::string, std::string> exact = {// as layer 0 names them in C
                                                           {"int32_t", "int"},
                                                           {"uint32_t", "uint"},
                                                           {"int64_t", "long"},
                                                           {"uint64_t", "ulong"}};
  const auto found = exact.find(type);
  if (found != exact.end()) return found->second;
  std::istringstream in(type);
  bool is_unsigned = false, is_signed = false;
  std::vector<std::string> rest;
  for (std::string word; in >> word;) {
    if (word == "unsigned")
      is_unsigned = true;
    else if (word == "signed")
      is_signed = true;
    else
      rest.push_back(word);
  }
  if (!is_unsigned && !is_signed && rest.size() < 2) return type;
  if (rest.size() == 2 && rest[1] == "int" && (rest[0] == "long" || rest[0] == "short")) rest.pop_back();
  if (rest.empty()) rest.push_back("int");
  const bool whole =
      rest.size() == 1 && (rest[0] == "char" || rest[0] == "short" || rest[0] == "int" || rest[0] == "long");
  return whole ? (is_unsigned ? "u" : "") + rest[0] : type;
}

std::string parameter_text(const KernelParameter& parameter) {
  const bool buffer = parameter.kind == ParameterKind::buffer;
  const std::string type = parameter.type.empty() ? "a type that cannot be read" : parameter.type;
  return std::string(buffer                                   ? "__global "
                     : parameter.kind == ParameterKind::local ? "__local "
                                                              : "") +
         (parameter.read_only ? "const " : "") + type + (buffer || parameter.kind == ParameterKind::local ? "*" : "") +
         (parameter.name.empty() ? "" : " " + parameter.name);
}

std::optional<KernelSignature> parse_kernel_signature(const std::string& text, const std::string& kernel) {
  const std::vector<CToken> tokens = c_tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!opens_kernel(tokens[i])) continue;
    const std::size_t open = parameter_list(tokens, i, kernel);
    if (open > 0) return parse_list(tokens, open, type_names(tokens));
  }
  return std::nullopt;
}

std::string write_signatures(const KernelSignatures& signatures) {
  std::ostringstream out;
  for (const auto& entry : signatures) {
    out << "kernel " << entry.first << "\n";
    for (const KernelParameter& parameter : entry.second)
      out << static_cast<int>(parameter.kind) << "\t" << parameter.read_only << "\t" << parameter.type << "\t"
          << parameter.name << "\n";
  }
  return out.str();
}

std::optional<KernelSignatures> read_signatures(const std::string& text) {
  KernelSignatures signatures;
  KernelSignature* present = nullptr;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, 7, "kernel ") == 0) {
      present = &signatures[line.substr(7)];
      continue;
    }
    std::istringstream fields(line);
    std::string kind, read_only, type, name;
    if (present == nullptr || !std::getline(fields, kind, '\t') || !std::getline(fields, read_only, '\t') ||
        !std::getline(fields, type, '\t') || kind.size() != 1 || kind[0] < '0' || kind[0] > '5')
      return std::nullopt;
    std::getline(fields, name);
    present->push_back({static_cast<ParameterKind>(kind[0] - '0'), type, name, read_only == "1"});
  }
  return signatures;
}

}  // namespace openclPort
