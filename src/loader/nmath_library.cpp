// nmath_library -- nmath as a library to be compiled once and linked: its program, and the header that declares it.
#include "loader/nmath_library.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/near_names.h"
#include "base/nmath_error.h"
#include "base/process_mutex.h"
#include "base/text.h"
#include "loader/c_tokens.h"
#include "loader/kernel_calls.h"
#include "loader/kernel_index.h"
#include "loader/kernel_loader.h"

namespace openclPort {

namespace {

constexpr const char* kLibrary = "nmath";
constexpr const char* kPackage = "nmathopencl";
constexpr const char* kWordCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

std::string library_folder() { return cl_root(kPackage) + "/" + kLibrary; }

// The stem of the file that provides a name.
std::map<std::string, std::string> providers(const KernelLibrary& library) {
  std::map<std::string, std::string> provider;
  for (const LibraryFile& file : library.files)
    for (const std::string& name : file.tags.list("provides")) provider.emplace(name, file.stem);
  return provider;
}

// Functions that have another name in C than in R.
const std::map<std::string, std::string>& names_in_c() {
  static const std::map<std::string, std::string> names = {{"besselI", "bessel_i"},
                                                           {"besselJ", "bessel_j"},
                                                           {"besselK", "bessel_k"},
                                                           {"besselY", "bessel_y"},
                                                           {"gamma", "gammafn"},
                                                           {"lgamma", "lgammafn"},
                                                           {"round", "fround"},
                                                           {"signif", "fprec"},
                                                           {"trunc", "ftrunc"},
                                                           {"factorial", "gammafn(x + 1)"},
                                                           {"lfactorial", "lgammafn(x + 1)"}};
  return names;
}

// "nmath has no function 'besselK'; did you mean 'bessel_k'?"
std::string unknown_function(const std::string& name, const std::map<std::string, std::string>& provider) {
  const auto in_c = names_in_c().find(name);
  std::vector<std::string> known;
  if (in_c != names_in_c().end()) return "nmath has no function '" + name + "'; did you mean '" + in_c->second + "'?";
  for (const auto& one : provider) known.push_back(one.first);
  return "nmath has no function '" + name + "'" + did_you_mean(name, known);
}

// The files that `functions` mean and all that these need, in load order.
std::vector<LibraryFile> selected_files(const std::vector<std::string>& functions) {
  KernelLibrary library = read_kernel_library(library_folder());
  if (functions.empty()) return std::move(library.files);
  const KernelIndex index(library);
  const std::map<std::string, std::string> provider = providers(library);
  std::vector<std::string> stems;
  for (const std::string& name : functions) {
    const auto found = provider.find(name);
    if (found == provider.end() && !index.contains(name)) {
      throw NmathError(unknown_function(name, provider), "nmath_library");
    }
    stems.push_back(found == provider.end() ? name : found->second);
  }
  const std::vector<std::string> closure = index.closure(stems);
  const std::set<std::string> wanted(closure.begin(), closure.end());
  std::vector<LibraryFile> files;
  for (LibraryFile& file : library.files)
    if (wanted.count(file.stem)) files.push_back(std::move(file));
  return files;
}

void append_part(std::string& text, const std::string& name, const std::string& part) {
  text += "#line 1 \"" + name + "\"\n" + part;
  if (!part.empty() && part.back() != '\n') text += '\n';
}

bool is_header(const KernelTags& tags) { return tags.list("source_type") == std::vector<std::string>{"h"}; }

// A header as it stands; of other files what they declare.
void append_header(std::string& text, const std::string& name, const std::string& part) {
  append_part(text, name, is_header(KernelTags(part, name)) ? part : kernel_file_declarations(part, name));
}

// "double dnorm4(double x, ...)" -> "dnorm4"; "" where a type is none that every program knows.
std::string plain_function(const std::string& signature) {
  static const std::set<std::string> plain = {"double",    "int",       "void",           "nmath_i64",
                                              "nmath_u32", "nmath_u64", "NMATH_GENERATOR"};
  std::string name, words = signature;
  for (char& c : words)
    if (c == '(' || c == ')' || c == '*') c = c == '(' ? ',' : ' ';
  std::istringstream parts(words);
  bool first = true;
  for (std::string part; std::getline(parts, part, ','); first = false) {
    std::istringstream tokens(part);
    std::string type;
    do tokens >> type;
    while (tokens && type == "const");
    if (!plain.count(type)) return "";
    if (first) tokens >> name;
  }
  return name;
}

}  // namespace

const char kUserText[] = "your program";

namespace {

// The layers, these parts of nmath, and the text behind them.
std::string layered(const std::vector<SourcePart>& parts, const std::string& text) {
  std::string program = load_program_preload();
  for (const SourcePart& part : parts) append_part(program, std::string(kLibrary) + "/" + part.name, part.text);
  append_part(program, kUserText, text);
  return program;
}

// What nmath provides: name and stem.
const std::map<std::string, std::string>& known_names() {
  static ProcessMutex mutex;
  static std::map<std::string, std::map<std::string, std::string>> known_folders;  // reading one takes milliseconds
  const std::string folder = library_folder();
  const std::lock_guard<ProcessMutex> guard(mutex);
  auto known = known_folders.find(folder);
  if (known == known_folders.end()) known = known_folders.emplace(folder, providers(read_kernel_library(folder))).first;
  return known->second;
}

// Of the names, those that nmath provides and OpenCL C has not got itself.
std::map<std::string, std::string> provided_names(const std::set<std::string>& names) {
  const std::map<std::string, std::string>& provider = known_names();
  std::map<std::string, std::string> found;
  for (const std::string& name : names) {
    const auto provided = provider.find(name);
    if (provided != provider.end() && !is_opencl_function(name)) found.insert(*provided);
  }
  return found;
}

}  // namespace

std::string user_program(const std::string& text) {
  if (text.find("OPENCLPORT_OPENCL_CL") != std::string::npos) return text;  // the guard of layer 0
  // The guard of nmath's first file, which says itself that the layers are missing.
  if (text.find("RMATH_H") != std::string::npos) return marked_user_text(text);
  if (text.find(std::string("depends_") + kLibrary) != std::string::npos) {
    const KernelTags tags(text, kUserText);
    const std::string tag = std::string("all_depends_") + kLibrary;
    if (find_depends_tag(tags, tag) != nullptr)
      return layered(load_library_closure(tags, library_folder(), tag).parts, text);
  }
  const std::vector<SourcePart> parts = called_nmath_parts(text);
  return parts.empty() ? marked_user_text(text) : layered(parts, text);
}

std::string layered_program(const std::string& text) {
  const std::string program = user_program(text);
  return program.find("OPENCLPORT_OPENCL_CL") == std::string::npos ? user_program("// @depends_nmath: nmath\n" + text)
                                                                   : program;
}

std::vector<SourcePart> called_nmath_parts(const std::string& text) {
  std::vector<std::string> functions;
  for (const auto& name : provided_names(called_names(text))) functions.push_back(name.first);
  std::vector<SourcePart> parts;
  if (functions.empty()) return parts;
  for (LibraryFile& file : selected_files(functions)) parts.push_back({file.stem + ".cl", std::move(file.text)});
  return parts;
}

std::string marked_user_text(const std::string& text) {
  if (text.find("#line ") != std::string::npos || text.empty()) return text;
  return std::string("#line 1 \"") + kUserText + "\"\n" + text;
}

std::string missing_function_hint(const std::string& log, const std::string& text) {
  std::set<std::string> missing, functions;
  const std::string identifier = "undeclared identifier '";
  for (const std::string& phrase :
       {identifier, std::string("implicit declaration of function '"), std::string("undeclared function '")}) {
    for (std::size_t at = log.find(phrase); at != std::string::npos; at = log.find(phrase, at + 1)) {
      const std::size_t begin = at + phrase.size();
      const std::string name = log.substr(begin, log.find('\'', begin) - begin);
      missing.insert(name);
      if (phrase != identifier) functions.insert(name);
    }
  }
  if (missing.empty()) return std::string();
  const std::map<std::string, std::string> provided = provided_names(missing);
  const std::set<std::string> called = called_names(text);
  std::string hint, near;
  for (const std::string& name : missing) {
    if (provided.count(name) > 0 || (functions.count(name) == 0 && called.count(name) == 0)) continue;
    const std::string unknown = unknown_function(name, known_names());
    if (unknown.back() == '?') near += (near.empty() ? "" : " ") + unknown;
  }
  if (!near.empty()) near += " ?run_opencl_kernel says how C's arguments are written.";
  for (const auto& name : provided)
    hint += (hint.empty() ? "" : "; ") + ("'" + name.first + "' is in inst/cl/nmath/" + name.second +
                                          ".cl: the tag \"// @depends_nmath: " + name.second + "\" brings it");
  if (hint.empty()) return near;
  hint +=
      ". run_opencl_kernel() and build_rmath_opencl_program() follow the tag, nmath_header() and "
      "nmath_library() serve programs that are linked.";
  return near.empty() ? hint : hint + " " + near;
}

std::string kernel_file_declarations(const std::string& text, const std::string& file) {
  const std::vector<std::string> listed = KernelTags(text, file).list("provides");
  const std::set<std::string> provided(listed.begin(), listed.end());
  std::string declarations;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (starts_with(line, "#define ")) {
      const std::string name = line.substr(8, line.find_first_not_of(kWordCharacters, 8) - 8);
      if (provided.count(name) && line.back() != '\\') declarations += "#undef " + name + "\n" + line + "\n";
      continue;
    }
    if (!starts_with(line, "NMATH_FN ") && !starts_with(line, "NMATH_HEAVY ")) continue;
    std::string signature = line.substr(line.find(' ') + 1);
    for (std::string more; signature.find(')') == std::string::npos && std::getline(lines, more);)
      signature += " " + more;
    signature.resize(std::min(signature.find(')'), signature.size() - 1) + 1);
    if (provided.count(plain_function(signature))) declarations += signature + ";\n";
  }
  return declarations;
}

std::string nmath_library_program(const std::vector<std::string>& functions) {
  std::string text = "#define NMATH_OBJECT 1\n" + load_program_preload();
  for (const LibraryFile& file : selected_files(functions))
    append_part(text, std::string(kLibrary) + "/" + file.stem + ".cl", file.text);
  return text;
}

std::string nmath_library_header(const std::vector<std::string>& functions) {
  std::string text;
  for (const ProgramPreloadEntry& entry : read_program_preload_manifest()) {
    if (entry.kind == ProgramPreloadKind::file) {
      append_part(text, entry.rel_path, load_kernel_source(entry.rel_path, kPackage));
      continue;
    }
    for (const LibraryFile& file : read_kernel_library(cl_root(kPackage) + "/" + entry.rel_path).files)
      append_header(text, entry.rel_path + "/" + file.stem + ".cl", file.text);
  }
  for (const LibraryFile& file : selected_files(functions))
    append_header(text, std::string(kLibrary) + "/" + file.stem + ".cl", file.text);
  return text;
}

}  // namespace openclPort
