// program_check -- checks kernels against the libraries that their tags name.
#include "authors/program_check.h"

#include <algorithm>
#include <set>

#include "authors/definition_rules.h"
#include "authors/kernel_maintenance.h"
#include "base/nmath_error.h"
#include "base/text.h"
#include "loader/kernel_loader.h"

namespace openclPort {

namespace {

using Kind = CDefinition::Kind;
using Names = std::set<std::string>;
using Strings = std::vector<std::string>;

// <x>_<lib> beside <x>_src, else <lib> beside it, else nmathopencl's; "" where there is none.
std::string library_dir(const CheckedFolder& kernels, const std::string& library) {
  const std::string parent = kernels.dir.substr(0, kernels.dir.size() - kernels.name.size());
  const std::string own = kernels.name.substr(0, kernels.name.size() - 3) + library;
  for (const std::string& name : {own, library})
    if (is_directory(parent + name)) return parent + name;
  try {
    const std::string home = cl_root("nmathopencl") + "/" + library;
    return is_directory(home) ? home : "";
  } catch (const NmathError&) {
    return "";
  }
}

}  // namespace

std::map<std::string, ProvidedName> defined_by(const CheckedFolder& folder) {
  std::map<std::string, ProvidedName> homes;
  Names several;
  for (const CheckedFile& file : folder.files)
    for (const CDefinition& definition : file.outline.definitions) {
      const bool called = definition.kind == Kind::function || definition.kind == Kind::call_macro;
      const auto undefined = file.outline.undefined.find(definition.name);
      if (definition.kind == Kind::type || definition.if_undefined ||
          (undefined != file.outline.undefined.end() && undefined->second > definition.line))
        continue;
      const auto known = homes.emplace(definition.name, ProvidedName{file.file.stem, called});
      if (!known.second && known.first->second.stem != file.file.stem) several.insert(definition.name);
    }
  for (const std::string& name : several) homes.erase(name);
  return homes;
}

void ProgramCheck::check(const CheckedFolder& folder) {
  Names libraries;
  for (const CheckedFile& file : folder.files)
    for (const Tag& tag : file.file.tags.all())
      if (starts_with(tag.name, "depends_")) libraries.insert(tag.name.substr(8));
  if (!library_dir(folder, "nmath").empty()) libraries.insert("nmath");
  for (const CheckedFile& file : folder.files) {
    check_recursion({&file}, found_);
    if (!file.sound) continue;
    for (const std::string& name : libraries) check_kernel(folder, file, name);
  }
}

// nullptr for a library that is not there, or not in order, which its own check tells.
const ProgramCheck::Library* ProgramCheck::library(const CheckedFolder& kernels, const std::string& name) {
  const std::string dir = library_dir(kernels, name);
  if (dir.empty()) return nullptr;
  const auto known = libraries_.find(dir);
  if (known != libraries_.end()) return known->second.get();
  auto& read = libraries_[dir];
  const FindingSink nowhere = [](const std::string&, std::size_t, const std::string&, const char*, Severity) {};
  try {
    const KernelLibrary sorted = read_kernel_library(dir);
    read = std::make_unique<Library>(
        Library{read_checked_folder(dir, nowhere), KernelIndex(sorted), {}, provided_by(sorted.files)});
    read->homes = defined_by(read->folder);
  } catch (const NmathError&) {
  }
  return read.get();
}

void ProgramCheck::check_kernel(const CheckedFolder& folder, const CheckedFile& file, const std::string& name) {
  const Tag* tag = file.file.tags.find("depends_" + name);
  const std::size_t line = file.line_of("depends_" + name);
  const Library* library = this->library(folder, name);
  if (!library) {
    if (tag && library_dir(folder, name).empty())
      found_(file.path, line, "@depends_" + name + ": there is no library folder '" + name + "'", "missing",
             Severity::error);
    return;
  }
  Strings direct;
  for (const std::string& stem : file.file.tags.list("depends_" + name)) {
    if (library->index.contains(stem))
      direct.push_back(stem);
    else
      found_(file.path, line, "@depends_" + name + " names '" + stem + "', which is not a file of the library",
             "missing", Severity::error);
  }
  if (tag && direct.size() == tag->items.size() &&
      attach_cross_library_tags({file.path}, library->index, tag->name, true)[0].changed)
    found_(file.path, file.line_of("all_depends_" + name),
           "@all_depends_" + name + " and its count are not what attach_cross_library_tags() writes", "stale",
           Severity::error);
  check_needs(folder, file, *library, name, direct);
  check_calls(file, *library, name);
  check_program(file, *library, direct);
}

// What the program uses of a library besides that library itself: the kernel, and files of its other libraries.
std::vector<const CheckedFile*> ProgramCheck::users(const CheckedFolder& folder, const CheckedFile& file,
                                                    const std::string& name) {
  std::vector<const CheckedFile*> all = {&file};
  for (const Tag& tag : file.file.tags.all()) {
    if (!starts_with(tag.name, "depends_") || tag.name.substr(8) == name) continue;
    if (const Library* other = library(folder, tag.name.substr(8)))
      for (const CheckedFile* part : parts(*other, tag.items)) all.push_back(part);
  }
  return all;
}

std::vector<const CheckedFile*> ProgramCheck::parts(const Library& library, const Strings& stems) {
  Strings known;
  for (const std::string& stem : stems)
    if (library.index.contains(stem)) known.push_back(stem);
  const Strings closure = library.index.closure(known);
  const Names brought(closure.begin(), closure.end());
  std::vector<const CheckedFile*> files;
  for (const CheckedFile& part : library.folder.files)
    if (brought.count(part.file.stem) != 0) files.push_back(&part);
  return files;
}

void ProgramCheck::check_needs(const CheckedFolder& folder, const CheckedFile& file, const Library& library,
                               const std::string& name, const Strings& direct) {
  const Strings closure = library.index.closure(direct);
  const Names brought(closure.begin(), closure.end());
  Names homes;
  for (const CheckedFile* user : users(folder, file, name))
    for (const auto& used : names_used(user->outline, library.homes)) {
      const std::string& home = library.homes.at(used.first).stem;
      homes.insert(home);
      if (brought.count(home) != 0 || is_opencl_function(used.first)) continue;
      const std::string by = user == &file ? "" : user->file.stem + ".cl ";
      found_(file.path, user == &file ? used.second : file.line_of("depends_" + name),
             by + "uses '" + used.first + "' of " + home + ".cl, which no @depends_" + name + " brings", "missing",
             Severity::error);
    }
  if (holds_parts(folder.name)) return;  // a part names what the rest of its kernel needs
  for (const std::string& stem : direct) {
    const Strings needed = library.index.closure({stem});
    if (std::none_of(needed.begin(), needed.end(), [&](const std::string& s) { return homes.count(s) != 0; }))
      found_(file.path, file.line_of("depends_" + name),
             "@depends_" + name + " names '" + stem + "', of which the kernel uses nothing", "unused",
             Severity::warning);
  }
}

void ProgramCheck::check_calls(const CheckedFile& file, const Library& library, const std::string& name) {
  if (!file.file.tags.find("calls_" + name)) return;
  Strings calls, tagged = file.file.tags.list("calls_" + name);
  for (const auto& used : names_used(file.outline, library.provided)) calls.push_back(used.first);
  std::sort(tagged.begin(), tagged.end());
  if (tagged != calls)
    found_(file.path, file.line_of("calls_" + name),
           "@calls_" + name +
               " is not what attach_kernel_call_tags() finds: " + (calls.empty() ? "none" : join(calls, ", ")),
           "stale", Severity::warning);
}

// The kernel together with what its program has of the library.
void ProgramCheck::check_program(const CheckedFile& file, const Library& library, const Strings& direct) {
  std::vector<const CheckedFile*> program = parts(library, direct);
  program.push_back(&file);
  check_definitions(program, [&](const std::string& path, std::size_t line, const std::string& finding,
                                 const char* kind, Severity severity) {
    if (path == file.path) found_(path, line, finding, kind, severity);
  });
}

}  // namespace openclPort
