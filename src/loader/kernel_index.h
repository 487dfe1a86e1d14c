// kernel_index -- a library folder of .cl files: its files, their load order, their closures.
//
// Everything is read from disk at the call and handed back by value; there are no globals. Order is the order of bytes,
// in every locale. The index of a folder (kernel_dependency_index.tsv) saves a loader from sorting it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/text_files.h"
#include "loader/kernel_tags.h"

namespace openclPort {

extern const char kKernelIndexFile[];  // "kernel_dependency_index.tsv"

using TraceSink = std::function<void(const std::string& line)>;

struct LibraryFile {
  std::string stem;  // "dgamma" for dgamma.cl
  std::string text;
  KernelTags tags;
};

struct KernelLibrary {
  std::string dir;
  std::string name;                // the last part of `dir`
  std::vector<LibraryFile> files;  // in load order
};

// Stems of the .cl files of a folder, in byte order. Throws NmathError for a name that cannot be a stem.
std::vector<std::string> library_stems(const std::string& dir);

// The files of a folder, in byte order.
std::vector<LibraryFile> read_library_files(const std::string& dir);

// Numbers of `files`, which are in byte order: each pass has the files whose @depends have all been in earlier passes.
struct DependencySort {
  std::vector<std::vector<std::size_t>> passes;
  std::vector<std::size_t> unresolved;  // they, or what they need, are in a cycle or need what is not there
};
DependencySort sort_by_depends(const std::vector<LibraryFile>& files);

// A shortest cycle among names and what each needs, its first name again at its end; the first such in byte order.
// Empty where there is none.
using Needs = std::map<std::string, std::vector<std::string>>;
std::vector<std::string> shortest_cycle(const Needs& needs);
std::vector<std::string> cycle_through(const std::string& start, const Needs& needs);  // one with `start` in front

// Reads and sorts a folder, pass by pass: each pass emits, in byte order, every file whose @depends have all been
// emitted by earlier passes. `trace`, if given, gets a line per pass. Throws NmathError with text
// "Dependency sort failed: unresolved dependencies remain." and the files, tags and lines that are to blame.
KernelLibrary read_kernel_library(const std::string& dir, const TraceSink& trace = nullptr);

// Load order and transitive closures of a library.
class KernelIndex {
 public:
  KernelIndex() = default;
  // `stems` in load order, `all_depends` along with it; throws NmathError if they cannot be an index.
  // `source` names the index in messages.
  KernelIndex(std::vector<std::string> stems, std::vector<std::vector<std::string>> all_depends, std::string source);
  explicit KernelIndex(const KernelLibrary& library);

  static KernelIndex parse(const std::string& tsv, const std::string& source);
  static KernelIndex read(const std::string& library_dir);  // the .tsv of a folder
  std::string tsv() const;

  const std::string& source() const { return source_; }
  const std::vector<std::string>& stems() const { return stems_; }
  // Everything that stem number `i` needs, without itself, in load order.
  const std::vector<std::string>& all_depends(std::size_t i) const { return all_depends_[i]; }
  bool contains(const std::string& stem) const { return position_.count(stem) != 0; }
  // These stems and all that they need, in load order. Throws std::out_of_range for a stem that is not contained.
  std::vector<std::string> closure(const std::vector<std::string>& stems) const;

 private:
  void check() const;

  std::vector<std::string> stems_;
  std::vector<std::vector<std::string>> all_depends_;
  std::map<std::string, std::size_t> position_;
  std::string source_;
};

}  // namespace openclPort
