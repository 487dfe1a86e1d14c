// authors_wrappers -- R boundary of what authors of kernels use: call tags, staging, graphs, checks.
//
// Failures of the core are C++ exceptions, which Rcpp turns into R errors.
#include "authors/call_tags.h"
#include "authors/kernel_check.h"
#include "authors/text_diff.h"
#include "loader/kernel_loader.h"
#include "r_door.h"

using openclPort::CallTags;
using openclPort::join;
using openclPort::KernelFinding;
using openclPort::LibraryFile;

namespace {

using Strings = std::vector<std::string>;

}  // namespace

// [[Rcpp::export(rng = false)]]
SEXP loader_attach_calls_cpp(const std::vector<std::string>& kernel_paths, const std::string& library_dir,
                             const std::string& library_tag, bool overwrite, bool dry_run) {
  const auto attached = openclPort::attach_kernel_call_tags(kernel_paths, library_dir, library_tag, overwrite, dry_run);
  Strings calls, depends, builtins;
  for (const CallTags& entry : attached) {
    calls.push_back(join(entry.calls, ", "));
    depends.push_back(join(entry.depends, ", "));
    builtins.push_back(join(entry.builtins, ", "));
  }
  return r::enter([&] {
    r::List result(7);
    result.add("file", r::column(attached, &CallTags::file)).add("calls", calls).add("depends", depends);
    result.add("builtins", builtins).add("skipped", r::column(attached, &CallTags::skipped));
    result.add("changed", r::column(attached, &CallTags::changed));
    return result.add("diff", r::column(attached, &CallTags::diff)).done();
  });
}

// A library's files in byte order with their tags; `pass` is 0 where the sort does not reach a file, `cycle` names the
// shortest cycle that the file is part of.
// [[Rcpp::export(rng = false)]]
SEXP loader_files_cpp(const std::string& library_dir) {
  const std::vector<LibraryFile> files = openclPort::read_library_files(library_dir);
  const openclPort::DependencySort sort = openclPort::sort_by_depends(files);
  std::vector<int> pass(files.size(), 0);
  for (std::size_t k = 0; k < sort.passes.size(); ++k)
    for (const std::size_t i : sort.passes[k]) pass[i] = static_cast<int>(k) + 1;
  openclPort::Needs needs;
  for (const std::size_t i : sort.unresolved) needs[files[i].stem] = files[i].tags.list("depends");
  Strings type, depends, includes, provides, cycle;
  for (const LibraryFile& file : files) {
    type.push_back(join(file.tags.list("source_type"), ", "));
    depends.push_back(join(file.tags.list("depends"), ", "));
    includes.push_back(join(file.tags.list("includes"), ", "));
    provides.push_back(join(file.tags.list("provides"), ", "));
    cycle.push_back(join(openclPort::cycle_through(file.stem, needs), " -> "));
  }
  return r::enter([&] {
    r::List result(7);
    result.add("stem", r::column(files, &LibraryFile::stem)).add("pass", pass).add("source_type", type);
    result.add("depends", depends);
    return result.add("includes", includes).add("provides", provides).add("cycle", cycle).done();
  });
}

// [[Rcpp::export(rng = false)]]
SEXP loader_check_cpp(const std::string& dir) {
  const auto found = openclPort::check_kernel_library(dir);
  const auto severity = [](const KernelFinding& one) { return one.is_error ? "error" : "warning"; };
  return r::enter([&] {
    r::List result(5);
    result.add("file", r::column(found, &KernelFinding::file)).add("line", r::column(found, &KernelFinding::line));
    result.add("finding", r::column(found, &KernelFinding::finding));
    result.add("kind", r::column(found, &KernelFinding::kind)).add("severity", r::column(found, severity));
    return result.done();
  });
}

// [[Rcpp::export(rng = false)]]
std::string text_diff_cpp(const std::string& before, const std::string& after, const std::string& name) {
  return openclPort::text_diff(before, after, name);
}

// [[Rcpp::export(rng = false)]]
std::string loader_manifest_text_cpp(const std::vector<int>& rank, const std::vector<std::string>& kind,
                                     const std::vector<std::string>& rel_path) {
  std::vector<openclPort::ProgramPreloadEntry> entries;
  for (std::size_t i = 0; i < rank.size(); ++i)
    entries.push_back(
        {rank[i], kind[i] == "file" ? openclPort::ProgramPreloadKind::file : openclPort::ProgramPreloadKind::library,
         rel_path[i]});
  return openclPort::program_preload_manifest_tsv(entries);
}
