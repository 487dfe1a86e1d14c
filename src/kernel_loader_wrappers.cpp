// kernel_loader_wrappers -- the R boundary of the loader; R/loader.R checks arguments and gives results their classes.
//
// Failures of the core are C++ exceptions, which Rcpp turns into R errors. This file needs nothing of the package but
// the loader, so that tools/tags.R can compile it by itself.
#include <cstring>
#include <map>

#include "authors/kernel_maintenance.h"
#include "base/nmath_error.h"
#include "loader/kernel_index.h"
#include "loader/kernel_loader.h"
#include "r_door.h"

using openclPort::AttachedTags;
using openclPort::ExtractedFile;
using openclPort::KernelIndex;
using openclPort::KernelTags;
using openclPort::NmathError;
using openclPort::ProgramPreloadEntry;

namespace {

using Strings = std::vector<std::string>;

// Where R has installed a package's inst/cl. Asks R once per package, unless the folder has gone since. system.file()
// is looked up in the namespace, where tools that load a package from its sources put their own.
std::string installed_cl_root(const std::string& package) {
  static std::map<std::string, std::string> known;
  const auto found = known.find(package);
  if (found != known.end() && openclPort::is_directory(found->second)) return found->second;
  const std::string root = r::string_from("nmathopencl", "system.file", {{"", "cl"}, {"package", package}});
  if (!root.empty()) known[package] = root;
  return root;
}

// An index as write_kernel_dependency_index() gives it, or the one that the folder holds.
KernelIndex index_from(SEXP index, const std::string& library_dir) {
  if (index == R_NilValue) return KernelIndex::read(library_dir);
  SEXP const stems = r::element_or_null(index, "stems_ordered"), all = r::element_or_null(index, "all_depends");
  if (stems == R_NilValue || TYPEOF(all) != VECSXP)
    throw NmathError("index must be NULL or a list as read from kernel_dependency_index.rds");
  std::vector<Strings> all_depends;
  for (R_xlen_t i = 0; i < Rf_xlength(all); ++i) all_depends.push_back(r::strings_of(VECTOR_ELT(all, i)));
  return KernelIndex(r::strings_of(stems), all_depends, "given as argument");
}

SEXP manifest_columns(const std::vector<ProgramPreloadEntry>& entries) {
  const auto kind = [](const ProgramPreloadEntry& entry) {
    return entry.kind == openclPort::ProgramPreloadKind::file ? "file" : "library";
  };
  return r::enter([&] {
    r::List result(3);
    result.add("rank", r::column(entries, &ProgramPreloadEntry::rank)).add("kind", r::column(entries, kind));
    return result.add("rel_path", r::column(entries, &ProgramPreloadEntry::rel_path)).done();
  });
}

SEXP attached_columns(const std::vector<AttachedTags>& attached) {
  Strings direct, all_depends;
  for (const AttachedTags& entry : attached) {
    direct.push_back(openclPort::join(entry.direct, ", "));
    all_depends.push_back(openclPort::join(entry.all_depends, ", "));
  }
  const auto count = [](const AttachedTags& entry) { return entry.all_depends.size(); };
  return r::enter([&] {
    r::List result(7);
    result.add("file", r::column(attached, &AttachedTags::file)).add("diff", r::column(attached, &AttachedTags::diff));
    result.add("direct", direct).add("all_depends", all_depends).add("count", r::column(attached, count));
    result.add("tagged", r::column(attached, &AttachedTags::tagged));
    return result.add("changed", r::column(attached, &AttachedTags::changed)).done();
  });
}

// Inside r::enter().
SEXP list_of(const std::vector<Strings>& strings) {
  SEXP const list = PROTECT(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(strings.size())));
  for (std::size_t i = 0; i < strings.size(); ++i) SET_VECTOR_ELT(list, static_cast<R_xlen_t>(i), r::value(strings[i]));
  UNPROTECT(1);
  return list;
}

}  // namespace

// Connects the loader to R: where packages are, and where traces go.
// [[Rcpp::init]]
void loader_connect_to_r(DllInfo* dll) {
  (void)dll;
  openclPort::set_cl_root_resolver(installed_cl_root);
  openclPort::set_trace_sink(r::print_line);
}

// [[Rcpp::export(rng = false)]]
SEXP loader_source_cpp(const std::string& relative_path, const std::string& package) {
  return r::utf8(openclPort::load_kernel_source(relative_path, package));
}

// [[Rcpp::export(rng = false)]]
SEXP loader_library_cpp(const std::string& subdir, const std::string& package, bool verbose) {
  return r::utf8(openclPort::load_kernel_library(subdir, package, verbose));
}

// [[Rcpp::export(rng = false)]]
SEXP loader_index_cpp(const std::string& library_dir, bool verbose) {
  openclPort::TraceSink trace;
  if (verbose) trace = r::print_line;
  const openclPort::KernelLibrary library = openclPort::read_kernel_library(library_dir, trace);
  const KernelIndex index(library);
  const Strings stems = index.stems();
  const std::string tsv = index.tsv();
  std::vector<Strings> direct, all;
  std::vector<int> order;
  for (std::size_t i = 0; i < library.files.size(); ++i) {
    order.push_back(static_cast<int>(i) + 1);
    direct.push_back(library.files[i].tags.list("depends"));
    all.push_back(index.all_depends(i));
  }
  return r::enter([&] {
    SEXP const names = PROTECT(r::value(stems));
    SEXP const load_order = PROTECT(r::value(order));
    SEXP const depends = PROTECT(list_of(direct)), all_depends = PROTECT(list_of(all));
    for (SEXP named : {load_order, depends, all_depends}) Rf_setAttrib(named, R_NamesSymbol, names);
    r::List result(6);
    result.add("library_name", library.name).add("stems_ordered", names).add("load_order", load_order);
    SEXP const list = result.add("depends", depends).add("all_depends", all_depends).add("tsv", tsv).done();
    UNPROTECT(4);
    return list;
  });
}

// [[Rcpp::export(rng = false)]]
SEXP loader_for_kernel_cpp(const std::string& kernel_path, const std::string& library_dir,
                           const std::string& depends_tag, SEXP index) {
  const KernelTags tags(openclPort::read_text_file(kernel_path), kernel_path);
  openclPort::LibrarySelection selection;
  if (index == R_NilValue) {
    selection = openclPort::load_library_closure(tags, library_dir, depends_tag);
  } else {
    const KernelIndex given = index_from(index, library_dir);
    selection = openclPort::load_library_closure(tags, library_dir, depends_tag, &given);
  }
  const std::string text = selection.text();
  const r::Keep kept(r::utf8(text));
  return r::enter([&] {
    return r::List(3).add("text", kept).add("requested", selection.requested).add("loaded", selection.loaded).done();
  });
}

// [[Rcpp::export(rng = false)]]
SEXP loader_extract_cpp(const std::vector<std::string>& kernel_paths, const std::string& library_dir,
                        const std::string& dest_dir, const std::string& depends_tag, SEXP index, bool overwrite) {
  const auto files = openclPort::extract_library_subset(kernel_paths, library_dir, dest_dir, depends_tag,
                                                        index_from(index, library_dir), overwrite);
  return r::enter([&] {
    r::List result(4);
    result.add("stem", r::column(files, &ExtractedFile::stem)).add("source", r::column(files, &ExtractedFile::source));
    result.add("dest", r::column(files, &ExtractedFile::dest)).add("copied", r::column(files, &ExtractedFile::copied));
    return result.done();
  });
}

// [[Rcpp::export(rng = false)]]
SEXP loader_attach_dependency_cpp(const std::string& library_dir, bool dry_run, bool load_order) {
  return attached_columns(openclPort::attach_kernel_dependency_tags(library_dir, dry_run, load_order));
}

// [[Rcpp::export(rng = false)]]
SEXP loader_attach_cross_cpp(const std::vector<std::string>& kernel_paths, const std::string& library_dir,
                             const std::string& depends_tag, SEXP index, bool dry_run) {
  return attached_columns(
      openclPort::attach_cross_library_tags(kernel_paths, index_from(index, library_dir), depends_tag, dry_run));
}

// [[Rcpp::export(rng = false)]]
SEXP loader_manifest_cpp(const std::string& manifest_relative_path, const std::string& package) {
  return manifest_columns(openclPort::read_program_preload_manifest(manifest_relative_path, package));
}

// [[Rcpp::export(rng = false)]]
SEXP loader_manifest_file_cpp(const std::string& path) {
  return manifest_columns(openclPort::parse_program_preload_manifest(openclPort::read_text_file(path), path));
}

// `source` names the text in errors.
// [[Rcpp::export(rng = false)]]
SEXP loader_manifest_check_cpp(const std::string& tsv, const std::string& source) {
  return manifest_columns(openclPort::parse_program_preload_manifest(tsv, source));
}

// [[Rcpp::export(rng = false)]]
SEXP loader_program_cpp(const std::string& kernel_relative_path, const std::string& package,
                        const std::string& depends_tag) {
  return r::utf8(openclPort::build_rmath_opencl_program(kernel_relative_path, package, depends_tag));
}
