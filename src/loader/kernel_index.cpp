// kernel_index -- a library folder of .cl files: its files, their load order, their closures.
#include "loader/kernel_index.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>

#include "base/near_names.h"
#include "base/nmath_error.h"

namespace openclPort {

const char kKernelIndexFile[] = "kernel_dependency_index.tsv";

namespace {

std::string base_name(std::string dir) {
  while (dir.size() > 1 && (dir.back() == '/' || dir.back() == '\\')) dir.pop_back();
  const std::size_t slash = dir.find_last_of("/\\");
  return slash == std::string::npos ? dir : dir.substr(slash + 1);
}

// Why the files that are left could not be sorted, in words.
class SortFailure {
 public:
  SortFailure(const std::string& library, const std::vector<const LibraryFile*>& stuck,
              const std::set<std::string>& stems)
      : library_(library), stems_(stems) {
    for (const LibraryFile* file : stuck) stuck_[file->stem] = file;
  }

  std::string stuck_files() const {
    std::vector<std::string> names;
    for (const auto& entry : stuck_) names.push_back(entry.first + ".cl");
    return join(names, ", ");
  }

  std::string text() const {
    std::string text = "Dependency sort failed: unresolved dependencies remain.\nStuck files: " + stuck_files();
    Needs needs;
    for (const auto& entry : stuck_) needs[entry.first] = entry.second->tags.list("depends");
    const std::vector<std::string> cycle = shortest_cycle(needs);
    if (!cycle.empty()) text += "\nCycle: " + join(cycle, " -> ");
    for (std::size_t i = 0; i + 1 < cycle.size(); ++i) text += "\n  " + depends_line(cycle[i], cycle[i + 1]);
    if (cycle.size() == 2) text += " (a file cannot depend on itself)";
    for (const auto& entry : stuck_)
      for (const std::string& stem : entry.second->tags.list("depends"))
        if (stems_.count(stem) == 0)
          text += "\nMissing: " + depends_line(entry.first, stem) + " is not a file of library '" + library_ + "'" +
                  did_you_mean(stem, {stems_.begin(), stems_.end()});
    return text;
  }

 private:
  std::string depends_line(const std::string& stem, const std::string& other) const {
    const KernelTags& tags = stuck_.at(stem)->tags;
    return tags.where(*tags.find("depends")) + other;
  }

  std::string library_;
  std::map<std::string, const LibraryFile*> stuck_;
  const std::set<std::string>& stems_;
};

}  // namespace

std::vector<std::string> library_stems(const std::string& dir) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(dir.c_str()), closedir);
  if (!folder) throw NmathError("Folder not found: " + dir);
  std::vector<std::string> stems;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name.size() <= 3 || name.compare(name.size() - 3, 3, ".cl") != 0 || !is_file(dir + "/" + name)) continue;
    stems.push_back(name.substr(0, name.size() - 3));
    if (!is_kernel_name(stems.back()))
      throw NmathError(dir + "/" + name + ": the name of a library file must be letters, digits and _, then .cl");
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

std::vector<LibraryFile> read_library_files(const std::string& dir) {
  std::vector<LibraryFile> files;
  for (const std::string& stem : library_stems(dir)) {
    const std::string path = dir + "/" + stem + ".cl";
    std::string text = read_file_of_folder(dir, path);
    KernelTags tags(text, path);
    files.push_back({stem, std::move(text), std::move(tags)});
  }
  return files;
}

std::vector<std::string> cycle_through(const std::string& start, const Needs& needs) {
  std::map<std::string, std::string> reached_from;
  std::vector<std::string> queue = {start};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::string at = queue[i];
    const auto found = needs.find(at);
    if (found == needs.end()) continue;
    for (const std::string& next : found->second) {
      if (next == start) {
        std::vector<std::string> cycle = {start};
        for (std::string s = at; s != start; s = reached_from.at(s)) cycle.push_back(s);
        cycle.push_back(start);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (needs.count(next) != 0 && reached_from.emplace(next, at).second) queue.push_back(next);
    }
  }
  return {};
}

std::vector<std::string> shortest_cycle(const Needs& needs) {
  std::vector<std::string> best;
  for (const auto& entry : needs) {
    std::vector<std::string> cycle = cycle_through(entry.first, needs);
    if (!cycle.empty() && (best.empty() || cycle.size() < best.size())) best = std::move(cycle);
  }
  return best;
}

DependencySort sort_by_depends(const std::vector<LibraryFile>& files) {
  DependencySort sort;
  std::set<std::string> emitted;
  for (std::size_t i = 0; i < files.size(); ++i) sort.unresolved.push_back(i);
  while (!sort.unresolved.empty()) {
    std::vector<std::size_t> ready, later;
    for (const std::size_t i : sort.unresolved) {
      const std::vector<std::string> depends = files[i].tags.list("depends");
      const bool is_ready = std::all_of(depends.begin(), depends.end(),
                                        [&](const std::string& stem) { return emitted.count(stem) != 0; });
      (is_ready ? ready : later).push_back(i);
    }
    if (ready.empty()) return sort;
    for (const std::size_t i : ready) emitted.insert(files[i].stem);
    sort.passes.push_back(std::move(ready));
    sort.unresolved = std::move(later);
  }
  return sort;
}

KernelLibrary read_kernel_library(const std::string& dir, const TraceSink& trace) {
  KernelLibrary library{dir, base_name(dir), {}};
  std::vector<LibraryFile> files = read_library_files(dir);
  const DependencySort sort = sort_by_depends(files);
  for (std::size_t pass = 0; trace && pass < sort.passes.size(); ++pass) {
    std::vector<std::string> ready;
    for (const std::size_t i : sort.passes[pass]) ready.push_back(files[i].stem);
    trace("Pass " + std::to_string(pass + 1) + ": emitting " + join(ready, ".cl, ") + ".cl");
  }
  if (!sort.unresolved.empty()) {
    std::set<std::string> stems;
    for (const LibraryFile& file : files) stems.insert(file.stem);
    std::vector<const LibraryFile*> stuck;
    for (const std::size_t i : sort.unresolved) stuck.push_back(&files[i]);
    const SortFailure failure(library.name, stuck, stems);
    if (trace) trace("Stuck: " + failure.stuck_files());
    throw NmathError(failure.text());
  }
  for (const std::vector<std::size_t>& pass : sort.passes)
    for (const std::size_t i : pass) library.files.push_back(std::move(files[i]));
  return library;
}

KernelIndex::KernelIndex(std::vector<std::string> stems, std::vector<std::vector<std::string>> all_depends,
                         std::string source)
    : stems_(std::move(stems)), all_depends_(std::move(all_depends)), source_(std::move(source)) {
  for (std::size_t i = 0; i < stems_.size(); ++i) position_.emplace(stems_[i], i);
  check();
}

KernelIndex::KernelIndex(const KernelLibrary& library) : source_(library.dir) {
  for (const LibraryFile& file : library.files) {
    // Load order puts what a file needs before it, so the closures of its direct @depends are complete here.
    std::set<std::size_t> needed;
    for (const std::string& stem : file.tags.list("depends")) {
      needed.insert(position_.at(stem));
      for (const std::string& deeper : all_depends_[position_.at(stem)]) needed.insert(position_.at(deeper));
    }
    std::vector<std::string> closure;
    for (const std::size_t i : needed) closure.push_back(stems_[i]);
    position_.emplace(file.stem, stems_.size());
    stems_.push_back(file.stem);
    all_depends_.push_back(std::move(closure));
  }
}

void KernelIndex::check() const {
  if (all_depends_.size() != stems_.size())
    throw NmathError(source_ + ": " + std::to_string(stems_.size()) + " stems, but " +
                     std::to_string(all_depends_.size()) + " lists of dependencies");
  for (std::size_t i = 0; i < stems_.size(); ++i) {
    if (!is_kernel_name(stems_[i])) throw NmathError(source_ + ": bad stem '" + stems_[i] + "'");
    if (position_.at(stems_[i]) != i) throw NmathError(source_ + ": stem '" + stems_[i] + "' comes twice");
    for (const std::string& stem : all_depends_[i]) {
      const auto found = position_.find(stem);
      if (found == position_.end() || found->second >= i)
        throw NmathError(source_ + ": '" + stems_[i] + "' needs '" + stem + "', which does not come before it");
    }
  }
}

KernelIndex KernelIndex::parse(const std::string& tsv, const std::string& source) {
  std::istringstream in(tsv);
  std::string line;
  std::vector<std::string> stems;
  std::vector<std::vector<std::string>> all_depends;
  for (int number = 1; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (number == 1) {
      if (line != "stem\tall_depends")
        throw NmathError(source + ":1: the header of an index must be 'stem', tab, 'all_depends'");
      continue;
    }
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos)
      throw NmathError(source + ":" + std::to_string(number) + ": a row of an index has two columns");
    stems.push_back(line.substr(0, tab));
    // The items of this column are those of a list tag; the one parser reads them.
    all_depends.push_back(KernelTags("// @all_depends: " + line.substr(tab + 1), source + ":" + std::to_string(number))
                              .list("all_depends"));
  }
  return KernelIndex(std::move(stems), std::move(all_depends), source);
}

KernelIndex KernelIndex::read(const std::string& library_dir) {
  if (!is_directory(library_dir)) throw NmathError("Folder not found: " + library_dir);
  const std::string path = library_dir + "/" + kKernelIndexFile;
  if (!is_file(path))
    throw NmathError("File not found: " + path, "", "",
                     "write_kernel_dependency_index(\"" + library_dir + "\") makes it");
  return parse(read_file_of_folder(library_dir, path), path);
}

std::string KernelIndex::tsv() const {
  std::string text = "stem\tall_depends\n";
  for (std::size_t i = 0; i < stems_.size(); ++i) text += stems_[i] + "\t" + join(all_depends_[i], ", ") + "\n";
  return text;
}

std::vector<std::string> KernelIndex::closure(const std::vector<std::string>& stems) const {
  std::set<std::size_t> needed;
  for (const std::string& stem : stems) needed.insert(position_.at(stem));
  // Downwards: whatever is added comes earlier in load order, so it is still to be visited.
  for (auto at = needed.rbegin(); at != needed.rend(); ++at)
    for (const std::string& deeper : all_depends_[*at]) needed.insert(position_.at(deeper));
  std::vector<std::string> result;
  for (const std::size_t i : needed) result.push_back(stems_[i]);
  return result;
}

}  // namespace openclPort
