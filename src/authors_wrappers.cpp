// authors_wrappers -- R boundary of what authors of kernels use: call tags, staging, graphs, checks.
//
// Failures of the core are C++ exceptions, which Rcpp turns into R errors.
#include "authors/call_tags.h"
#include "authors/kernel_check.h"
#include "authors/text_diff.h"
#include "loader/kernel_loader.h"
#include "r_door.h"

using openclPort::join;
using openclPort::LibraryFile;

namespace {

using Strings = std::vector<std::string>;

}  // namespace

// [[Rcpp::export(rng = false)]]
SEXP loader_attach_calls_cpp(const std::vector<std::string>& kernel_paths, const std::string& library_dir,
                             const std::string& library_tag, bool overwrite, bool dry_run) {
  Strings file, calls, depends, builtins, diff;
  std::vector<int> skipped, changed;
  for (const openclPort::CallTags& entry :
       openclPort::attach_kernel_call_tags(kernel_paths, library_dir, library_tag, overwrite, dry_run)) {
    file.push_back(entry.file);
    calls.push_back(join(entry.calls, ", "));
    depends.push_back(join(entry.depends, ", "));
    builtins.push_back(join(entry.builtins, ", "));
    diff.push_back(entry.diff);
    skipped.push_back(entry.skipped);
    changed.push_back(entry.changed);
  }
  return r::enter([&] {
    SEXP const left = PROTECT(r::value(skipped, LGLSXP)), is_new = PROTECT(r::value(changed, LGLSXP));
    r::List result(7);
    result.add("file", file).add("calls", calls).add("depends", depends).add("builtins", builtins);
    SEXP const list = result.add("skipped", left).add("changed", is_new).add("diff", diff).done();
    UNPROTECT(2);
    return list;
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
  Strings stem, type, depends, includes, provides, cycle;
  for (const LibraryFile& file : files) {
    stem.push_back(file.stem);
    type.push_back(join(file.tags.list("source_type"), ", "));
    depends.push_back(join(file.tags.list("depends"), ", "));
    includes.push_back(join(file.tags.list("includes"), ", "));
    provides.push_back(join(file.tags.list("provides"), ", "));
    cycle.push_back(join(openclPort::cycle_through(file.stem, needs), " -> "));
  }
  return r::enter([&] {
    r::List result(7);
    result.add("stem", stem).add("pass", pass).add("source_type", type).add("depends", depends);
    return result.add("includes", includes).add("provides", provides).add("cycle", cycle).done();
  });
}

// [[Rcpp::export(rng = false)]]
SEXP loader_check_cpp(const std::string& dir) {
  Strings file, finding, kind, severity;
  std::vector<int> line;
  for (const openclPort::KernelFinding& found : openclPort::check_kernel_library(dir)) {
    file.push_back(found.file);
    line.push_back(static_cast<int>(found.line));
    finding.push_back(found.finding);
    kind.push_back(found.kind);
    severity.push_back(found.is_error ? "error" : "warning");
  }
  return r::enter([&] {
    r::List result(5);
    result.add("file", file).add("line", line).add("finding", finding).add("kind", kind);
    return result.add("severity", severity).done();
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

// [[Rcpp::export(rng = false)]]
SEXP loader_manifest_check_cpp(const std::string& tsv, const std::string& source) {
  std::vector<int> rank;
  Strings kind, rel_path;
  for (const openclPort::ProgramPreloadEntry& entry : openclPort::parse_program_preload_manifest(tsv, source)) {
    rank.push_back(entry.rank);
    kind.push_back(entry.kind == openclPort::ProgramPreloadKind::file ? "file" : "library");
    rel_path.push_back(entry.rel_path);
  }
  return r::enter([&] { return r::List(3).add("rank", rank).add("kind", kind).add("rel_path", rel_path).done(); });
}
