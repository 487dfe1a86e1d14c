// kernel_loader -- assembles the program string that a kernel needs from the .cl files of installed packages.
#include "loader/kernel_loader.h"

#include <dirent.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "base/near_names.h"
#include "base/nmath_error.h"
#include "base/process_mutex.h"

namespace openclPort {
namespace {

const char kHomePackage[] = "nmathopencl";

struct LoaderState {
  ProcessMutex lock;
  std::map<std::string, std::string> roots;
  ClRootResolver resolver;
  TraceSink trace;  // none until set: a library does not write to a program's console
};

LoaderState& state() {
  static LoaderState instance;
  return instance;
}

TraceSink trace_sink(bool verbose) {
  if (!verbose) return nullptr;
  const std::lock_guard<ProcessMutex> guard(state().lock);
  return state().trace;
}

// A path below inst/cl that reads the same on every system and may stand in a #line directive. `where`: what messages
// begin with.
void check_relative_path(const std::string& path, const std::string& where = "") {
  const auto refuse = [&](const std::string& why) {
    throw NmathError(where + "Bad path '" + path + "' below inst/cl: " + why);
  };
  if (path.empty()) refuse("it is empty");
  if (path.find_first_of("\\\"\n\r\t:") != std::string::npos)
    refuse("it holds a backslash, quote, colon, tab or line end");
  if (path.front() == '/') refuse("it must be relative");
  const std::string bounded = "/" + path + "/";
  if (bounded.find("/../") != std::string::npos) refuse("it must not leave inst/cl");
}

std::string located(const std::string& relative_path, const std::string& package) {
  check_relative_path(relative_path);
  return cl_root(package) + "/" + relative_path;
}

// What is beside a file that is not there, with paths below inst/cl.
std::vector<std::string> files_beside(const std::string& relative_path, const std::string& package) {
  const std::size_t slash = relative_path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : relative_path.substr(0, slash + 1);
  std::vector<std::string> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir((cl_root(package) + "/" + folder).c_str()), closedir);
  while (const dirent* const entry = open ? readdir(open.get()) : nullptr) found.push_back(folder + entry->d_name);
  std::sort(found.begin(), found.end());
  return found;
}

[[noreturn]] void not_found(const std::string& relative_path, const std::string& package) {
  throw NmathError("File not found: inst/cl/" + relative_path + " (package '" + package + "', " + cl_root(package) +
                   ")" + did_you_mean(relative_path, files_beside(relative_path, package)));
}

std::string library_dir(const std::string& subdir, const std::string& package) {
  const std::string dir = located(subdir, package);
  if (!is_directory(dir)) not_found(subdir, package);
  return dir;
}

void append_closed(std::string& text, const std::string& part) {
  text += part;
  if (!part.empty() && part.back() != '\n') text += '\n';
}

std::vector<SourcePart> library_parts(const std::string& subdir, const std::string& package, bool verbose) {
  KernelLibrary library = read_kernel_library(library_dir(subdir, package), trace_sink(verbose));
  std::vector<SourcePart> parts;
  for (LibraryFile& file : library.files) parts.push_back({subdir + "/" + file.stem + ".cl", std::move(file.text)});
  return parts;
}

// "depends_nmath" and "all_depends_nmath" speak of the same files: the one is the start of the other.
std::string direct_tag(const std::string& tag) { return tag.compare(0, 4, "all_") == 0 ? tag.substr(4) : tag; }

// Every file's own @depends must be among what the index said comes before it.
void check_against_index(const KernelTags& tags, const std::set<std::string>& before, const std::string& source) {
  for (const std::string& stem : tags.list("depends"))
    if (before.count(stem) == 0)
      throw NmathError(
          tags.where(*tags.find("depends")) + "'" + stem + "' is not what the index " + source + " was made from", "",
          "", "write_kernel_dependency_index() renews it");
}

}  // namespace

void set_cl_root_resolver(ClRootResolver resolver) {
  const std::lock_guard<ProcessMutex> guard(state().lock);
  state().resolver = std::move(resolver);
}

void set_cl_root(const std::string& package, const std::string& path) {
  const std::lock_guard<ProcessMutex> guard(state().lock);
  if (path.empty())
    state().roots.erase(package);
  else
    state().roots[package] = path;
}

std::string cl_root(const std::string& package) {
  ClRootResolver resolver;
  {
    const std::lock_guard<ProcessMutex> guard(state().lock);
    const auto found = state().roots.find(package);
    if (found != state().roots.end()) return found->second;
    resolver = state().resolver;
  }
  const std::string root = resolver ? resolver(package) : "";
  if (root.empty()) throw NmathError("Package '" + package + "' is not installed, or has no folder inst/cl");
  return root;
}

void set_trace_sink(TraceSink sink) {
  const std::lock_guard<ProcessMutex> guard(state().lock);
  state().trace = std::move(sink);
}

std::string load_kernel_source(const std::string& relative_path, const std::string& package) {
  check_relative_path(relative_path);
  const std::string root = cl_root(package), path = root + "/" + relative_path;
  if (!is_file(path)) not_found(relative_path, package);
  return read_file_of_folder(root, path);
}

std::string load_kernel_library(const std::string& subdir, const std::string& package, bool verbose) {
  std::string text;
  for (const SourcePart& part : library_parts(subdir, package, verbose)) append_closed(text, part.text);
  return text;
}

std::string LibrarySelection::text() const {
  std::string text;
  for (const SourcePart& part : parts) append_closed(text, part.text);
  return text;
}

const Tag* find_depends_tag(const KernelTags& kernel, const std::string& depends_tag) {
  check_depends_tag(depends_tag);
  const Tag* tag = kernel.find(depends_tag);
  return tag ? tag : kernel.find(direct_tag(depends_tag));
}

// Where a tag has the name of a function for that of its file, or one that is nearly that of a file.
static std::string file_meant(const std::string& name, const KernelIndex& index, const std::string& library_dir) {
  if (library_dir.empty()) return did_you_mean(name, index.stems());
  try {
    const KernelLibrary library = read_kernel_library(library_dir);
    for (const LibraryFile& file : library.files) {
      const std::vector<std::string> provided = file.tags.list("provides");
      if (std::find(provided.begin(), provided.end(), name) != provided.end())
        return ": the file that has this function is '" + file.stem + "'";
    }
  } catch (const NmathError&) {  // what is wrong with the library is not what was asked
  }
  return did_you_mean(name, index.stems());
}

LibrarySelection select_library(const KernelTags& kernel, const std::string& depends_tag, const KernelIndex& index,
                                const std::string& library_dir) {
  const std::string direct = direct_tag(depends_tag);
  LibrarySelection selection;
  std::vector<std::string> roots;
  const auto take = [&](const Tag* tag) {
    if (!tag) return;
    for (const std::string& stem : tag->items) {
      if (!index.contains(stem))
        throw NmathError(kernel.where(*tag) + "'" + stem + "' is not in the index " + index.source() +
                         file_meant(stem, index, library_dir));
      roots.push_back(stem);
    }
  };
  // A transitive list may be older than the direct one: both together give the same files whichever is asked for.
  const Tag* asked = find_depends_tag(kernel, depends_tag);
  if (asked) selection.requested = asked->items;
  take(asked);
  if (depends_tag != direct) take(kernel.find(direct));
  selection.loaded = index.closure(roots);
  return selection;
}

LibrarySelection load_library_closure(const KernelTags& kernel, const std::string& library_dir,
                                      const std::string& depends_tag, const KernelIndex* index) {
  if (!find_depends_tag(kernel, depends_tag)) return {};
  const KernelIndex own = index ? KernelIndex() : KernelIndex::read(library_dir);
  const KernelIndex& used = index ? *index : own;
  LibrarySelection selection = select_library(kernel, depends_tag, used, library_dir);
  std::set<std::string> before;
  for (const std::string& stem : selection.loaded) {
    const std::string path = library_dir + "/" + stem + ".cl";
    std::string text = read_file_of_folder(library_dir, path);
    check_against_index(KernelTags(text, path), before, used.source());
    before.insert(stem);
    selection.parts.push_back({stem + ".cl", std::move(text)});
  }
  return selection;
}

LibrarySelection select_library_cross_package(const std::string& kernel_relative_path,
                                              const std::string& kernel_package, const std::string& library_subdir,
                                              const std::string& library_package, const std::string& depends_tag) {
  const std::string kernel = load_kernel_source(kernel_relative_path, kernel_package);
  const KernelTags tags(kernel, located(kernel_relative_path, kernel_package));
  return load_library_closure(tags, library_dir(library_subdir, library_package), depends_tag);
}

std::string load_library_for_kernel_cross_package(const std::string& kernel_relative_path,
                                                  const std::string& kernel_package, const std::string& library_subdir,
                                                  const std::string& library_package, const std::string& depends_tag) {
  return select_library_cross_package(kernel_relative_path, kernel_package, library_subdir, library_package,
                                      depends_tag)
      .text();
}

std::string load_library_for_kernel(const std::string& kernel_relative_path, const std::string& library_subdir,
                                    const std::string& package, const std::string& depends_tag) {
  return load_library_for_kernel_cross_package(kernel_relative_path, package, library_subdir, package, depends_tag);
}

std::vector<ProgramPreloadEntry> parse_program_preload_manifest(const std::string& tsv, const std::string& source) {
  std::istringstream in(tsv);
  std::string line;
  std::vector<ProgramPreloadEntry> entries;
  std::set<int> ranks;
  for (int number = 1; std::getline(in, line); ++number) {
    const auto refuse = [&](const std::string& why) {
      throw NmathError(source + ":" + std::to_string(number) + ": " + why);
    };
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (number == 1) {
      if (line != "rank\tkind\trel_path") refuse("the header must be 'rank', 'kind', 'rel_path' with tabs between");
      continue;
    }
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string rank, kind, path;
    std::getline(fields, rank, '\t');
    std::getline(fields, kind, '\t');
    std::getline(fields, path, '\t');
    if (rank.empty() || rank.size() > 6 || rank.find_first_not_of("0123456789") != std::string::npos ||
        std::stoi(rank) == 0)
      refuse("rank '" + rank + "' is not a positive whole number");
    if (kind != "file" && kind != "library") refuse("kind '" + kind + "' is neither 'file' nor 'library'");
    check_relative_path(path, source + ":" + std::to_string(number) + ": ");
    if (!ranks.insert(std::stoi(rank)).second) refuse("rank " + rank + " comes twice");
    entries.push_back({std::stoi(rank), kind == "file" ? ProgramPreloadKind::file : ProgramPreloadKind::library, path});
  }
  if (entries.empty()) throw NmathError(source + ":1: the manifest has no rows");
  std::sort(entries.begin(), entries.end(),
            [](const ProgramPreloadEntry& a, const ProgramPreloadEntry& b) { return a.rank < b.rank; });
  return entries;
}

std::string program_preload_manifest_tsv(const std::vector<ProgramPreloadEntry>& entries) {
  std::string text = "rank\tkind\trel_path\n";
  for (const ProgramPreloadEntry& entry : entries)
    text += std::to_string(entry.rank) + (entry.kind == ProgramPreloadKind::file ? "\tfile\t" : "\tlibrary\t") +
            entry.rel_path + "\n";
  return text;
}

std::vector<ProgramPreloadEntry> read_program_preload_manifest(const std::string& manifest_relative_path,
                                                               const std::string& source_package) {
  return parse_program_preload_manifest(load_kernel_source(manifest_relative_path, source_package),
                                        "inst/cl/" + manifest_relative_path);
}

std::vector<SourcePart> program_preload_parts(const std::vector<ProgramPreloadEntry>& entries,
                                              const std::string& source_package, bool verbose) {
  std::vector<SourcePart> parts;
  for (const ProgramPreloadEntry& entry : entries) {
    if (entry.kind == ProgramPreloadKind::file) {
      parts.push_back({entry.rel_path, load_kernel_source(entry.rel_path, source_package)});
    } else {
      for (SourcePart& part : library_parts(entry.rel_path, source_package, verbose)) parts.push_back(std::move(part));
    }
  }
  return parts;
}

std::string joined_parts(const std::vector<SourcePart>& parts) {
  std::string text;
  for (const SourcePart& part : parts) {
    text += "#line 1 \"" + part.name + "\"\n";
    append_closed(text, part.text);
  }
  return text;
}

std::string load_program_preload(const std::string& manifest_relative_path, const std::string& source_package,
                                 bool verbose) {
  const auto entries = read_program_preload_manifest(manifest_relative_path, source_package);
  return joined_parts(program_preload_parts(entries, source_package, verbose));
}

std::vector<SourcePart> library_parts_of_program(const KernelTags& kernel, const std::string& package,
                                                 const ProgramLibraries& libraries) {
  std::vector<SourcePart> parts;
  for (const auto& library : libraries) {
    const std::string& subdir = library.first;
    const std::string owner = is_directory(located(subdir, package)) ? package : kHomePackage;
    check_depends_tag(library.second);
    const std::string tag = "all_" + direct_tag(library.second);
    for (SourcePart& part : load_library_closure(kernel, library_dir(subdir, owner), tag).parts)
      parts.push_back({subdir + "/" + part.name, std::move(part.text)});
  }
  return parts;
}

std::string build_opencl_program(const std::string& kernel_relative_path, const std::string& package,
                                 const ProgramLibraries& libraries) {
  const SourcePart kernel = {kernel_relative_path, load_kernel_source(kernel_relative_path, package)};
  const KernelTags tags(kernel.text, located(kernel_relative_path, package));
  std::vector<SourcePart> parts = library_parts_of_program(tags, package, libraries);
  parts.push_back(kernel);
  return load_program_preload() + joined_parts(parts);
}

std::string build_rmath_opencl_program(const std::string& kernel_relative_path, const std::string& package,
                                       const std::string& nmath_depends_annotation) {
  return build_opencl_program(kernel_relative_path, package, {{"nmath", nmath_depends_annotation}});
}

}  // namespace openclPort
