// checked_folder -- a folder of .cl files as the check of kernels reads it: whatever is wrong with one becomes a
// finding.
#include "authors/checked_folder.h"

#include <algorithm>
#include <map>

#include "authors/gpu_rules.h"
#include "base/nmath_error.h"
#include "base/text.h"

namespace openclPort {

namespace {

std::string last_part(std::string dir) {
  while (dir.size() > 1 && dir.back() == '/') dir.pop_back();
  return dir.substr(dir.find_last_of("/\\") + 1);
}

void check_bytes(const CheckedFile& file, const FindingSink& found) {
  std::size_t line = 1, reported = 0;
  for (const char c : file.file.text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') ++line;
    if ((byte < 0x80 && (byte >= 0x20 || c == '\n' || c == '\t' || c == '\r')) || line == reported) continue;
    reported = line;
    found(file.path, line, "a byte that is not ASCII text: compilers differ in what they make of it", "text",
          Severity::warning);
  }
}

// A name may be provided by way of a macro of another file: "#define dnorm dnorm4".
void check_provided(const CheckedFile& file, const std::map<std::string, std::string>& aliases,
                    const FindingSink& found) {
  const COutline& outline = file.outline;
  for (const std::string& name : file.file.tags.list("provides")) {
    const auto alias = aliases.find(name);
    const bool there = outline.find(name) || outline.declared.count(name) || outline.expanded.count(name) ||
                       (alias != aliases.end() && outline.find(alias->second));
    if (!there)
      found(file.path, file.line_of("provides"), "@provides names '" + name + "', which the file does not define",
            "missing", Severity::error);
  }
}

}  // namespace

std::size_t CheckedFile::line_of(const std::string& tag) const {
  const Tag* there = file.tags.find(tag);
  return there ? static_cast<std::size_t>(there->first_line) : 1;
}

bool CheckedFolder::sound() const {
  return std::all_of(files.begin(), files.end(), [](const CheckedFile& file) { return file.sound; });
}

bool holds_parts(const std::string& name) { return ends_with(name, "_family"); }

bool holds_kernels(const std::string& name) { return name == "src" || ends_with(name, "_src") || holds_parts(name); }

std::pair<std::size_t, std::string> located_message(const std::string& message, const std::string& path) {
  std::size_t at = path.size() + 1, line = 0;
  if (!starts_with(message, path + ":")) return {1, message};
  for (; at < message.size() && is_digit(message[at]) && line < 100000000; ++at)
    line = 10 * line + static_cast<std::size_t>(message[at] - '0');
  if (line == 0 || message.compare(at, 2, ": ") != 0) return {1, message};
  return {line, message.substr(at + 2)};
}

CheckedFile read_checked_file(const std::string& path, const std::string& stem, const FindingSink& found) {
  CheckedFile checked{{stem, "", KernelTags("", path)}, path, false, {}};
  try {
    checked.file.text = read_text_file(path);
    checked.file.tags = KernelTags(checked.file.text, path);
    checked.sound = true;
  } catch (const NmathError& error) {
    const auto place = located_message(error.what(), path);
    found(path, place.first, place.second, "header", Severity::error);
  }
  const std::vector<CToken> tokens = opencl_side(c_tokens(checked.file.text));
  checked.outline = c_outline(tokens);
  check_bytes(checked, found);
  find_gpu_limits(tokens, [&](std::size_t line, const std::string& finding) {
    found(path, line, finding, "gpu", Severity::error);
  });
  return checked;
}

CheckedFolder read_checked_folder(const std::string& dir, const FindingSink& found) {
  CheckedFolder folder{dir, last_part(dir), holds_kernels(last_part(dir)), {}};
  for (const std::string& stem : library_stems(dir))
    folder.files.push_back(read_checked_file(dir + "/" + stem + ".cl", stem, found));
  std::map<std::string, std::string> aliases;
  for (const CheckedFile& file : folder.files)
    for (const CDefinition& definition : file.outline.definitions)
      if (definition.kind == CDefinition::Kind::macro) aliases.emplace(definition.name, definition.body);
  for (const CheckedFile& file : folder.files)
    if (file.sound) check_provided(file, aliases, found);
  return folder;
}

}  // namespace openclPort
