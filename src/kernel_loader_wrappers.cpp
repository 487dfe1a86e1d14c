// kernel_loader_wrappers -- the R boundary of the loader; R/loader.R checks arguments and gives results their classes.
//
// Failures of the core are C++ exceptions, which Rcpp turns into R errors. This file needs nothing of the package but
// the loader, so that tools/tags.R can compile it by itself.
#include <Rcpp.h>

#include "kernel_index.h"
#include "kernel_loader.h"
#include "kernel_maintenance.h"
#include "nmath_error.h"

using openclPort::KernelIndex;
using openclPort::KernelTags;
using openclPort::NmathError;

namespace {

using Strings = std::vector<std::string>;

// What a file holds, as R text whatever the locale.
Rcpp::String utf8(const std::string& text) { return Rcpp::String(text, CE_UTF8); }

// Where R has installed a package's inst/cl. Asks R once per package, unless the folder has gone since. system.file()
// is looked up in the namespace, where tools that load a package from its sources put their own.
std::string installed_cl_root(const std::string& package) {
  static std::map<std::string, std::string> known;
  const auto found = known.find(package);
  if (found != known.end() && openclPort::is_directory(found->second)) return found->second;
  const Rcpp::Environment name_space = Rcpp::Environment::namespace_env("nmathopencl");
  const Rcpp::Function system_file("system.file", name_space);
  const std::string root = Rcpp::as<std::string>(system_file("cl", Rcpp::Named("package") = package));
  if (!root.empty()) known[package] = root;
  return root;
}

// An index as write_kernel_dependency_index() gives it, or the one that the folder holds.
KernelIndex index_from(const Rcpp::Nullable<Rcpp::List>& index, const std::string& library_dir) {
  if (index.isNull()) return KernelIndex::read(library_dir);
  const Rcpp::List list(index);
  if (!list.containsElementNamed("stems_ordered") || !list.containsElementNamed("all_depends"))
    throw NmathError("index must be NULL or a list as read from kernel_dependency_index.rds");
  const Strings stems = Rcpp::as<Strings>(list["stems_ordered"]);
  const Rcpp::List all = list["all_depends"];
  std::vector<Strings> all_depends;
  for (R_xlen_t i = 0; i < all.size(); ++i) all_depends.push_back(Rcpp::as<Strings>(all[i]));
  return KernelIndex(stems, all_depends, "given as argument");
}

Rcpp::List manifest_columns(const std::vector<openclPort::ProgramPreloadEntry>& entries) {
  std::vector<int> rank;
  Strings kind, rel_path;
  for (const openclPort::ProgramPreloadEntry& entry : entries) {
    rank.push_back(entry.rank);
    kind.push_back(entry.kind == openclPort::ProgramPreloadKind::file ? "file" : "library");
    rel_path.push_back(entry.rel_path);
  }
  return Rcpp::List::create(Rcpp::Named("rank") = rank, Rcpp::Named("kind") = kind, Rcpp::Named("rel_path") = rel_path);
}

Rcpp::List attached_columns(const std::vector<openclPort::AttachedTags>& attached) {
  Strings file, direct, all_depends;
  std::vector<int> count;
  Rcpp::LogicalVector tagged, changed;
  for (const openclPort::AttachedTags& entry : attached) {
    file.push_back(entry.file);
    direct.push_back(openclPort::join(entry.direct, ", "));
    all_depends.push_back(openclPort::join(entry.all_depends, ", "));
    count.push_back(static_cast<int>(entry.all_depends.size()));
    tagged.push_back(entry.tagged);
    changed.push_back(entry.changed);
  }
  return Rcpp::List::create(Rcpp::Named("file") = file, Rcpp::Named("direct") = direct,
                            Rcpp::Named("all_depends") = all_depends, Rcpp::Named("count") = count,
                            Rcpp::Named("tagged") = tagged, Rcpp::Named("changed") = changed);
}

}  // namespace

// Connects the loader to R: where packages are, and where traces go.
// [[Rcpp::init]]
void loader_connect_to_r(DllInfo* dll) {
  (void)dll;
  openclPort::set_cl_root_resolver(installed_cl_root);
  openclPort::set_trace_sink([](const std::string& line) { Rcpp::Rcout << line << "\n"; });
}

// [[Rcpp::export(rng = false)]]
Rcpp::String loader_source_cpp(const std::string& relative_path, const std::string& package) {
  return utf8(openclPort::load_kernel_source(relative_path, package));
}

// [[Rcpp::export(rng = false)]]
Rcpp::String loader_library_cpp(const std::string& subdir, const std::string& package, bool verbose) {
  return utf8(openclPort::load_kernel_library(subdir, package, verbose));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List loader_index_cpp(const std::string& library_dir, bool verbose) {
  openclPort::TraceSink trace;
  if (verbose) trace = [](const std::string& line) { Rcpp::Rcout << line << "\n"; };
  const openclPort::KernelLibrary library = openclPort::read_kernel_library(library_dir, trace);
  const KernelIndex index(library);
  const R_xlen_t n = static_cast<R_xlen_t>(library.files.size());
  Rcpp::IntegerVector load_order(n);
  Rcpp::List depends(n), all_depends(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    load_order[i] = static_cast<int>(i) + 1;
    depends[i] = library.files[i].tags.list("depends");
    all_depends[i] = index.all_depends(i);
  }
  const Rcpp::CharacterVector stems = Rcpp::wrap(index.stems());
  load_order.names() = depends.names() = all_depends.names() = stems;
  return Rcpp::List::create(Rcpp::Named("library_name") = library.name, Rcpp::Named("stems_ordered") = stems,
                            Rcpp::Named("load_order") = load_order, Rcpp::Named("depends") = depends,
                            Rcpp::Named("all_depends") = all_depends, Rcpp::Named("tsv") = index.tsv());
}

// [[Rcpp::export(rng = false)]]
Rcpp::List loader_for_kernel_cpp(const std::string& kernel_path, const std::string& library_dir,
                                 const std::string& depends_tag, Rcpp::Nullable<Rcpp::List> index) {
  const KernelTags tags(openclPort::read_text_file(kernel_path), kernel_path);
  openclPort::LibrarySelection selection;
  if (index.isNull()) {
    selection = openclPort::load_library_closure(tags, library_dir, depends_tag);
  } else {
    const KernelIndex given = index_from(index, library_dir);
    selection = openclPort::load_library_closure(tags, library_dir, depends_tag, &given);
  }
  return Rcpp::List::create(Rcpp::Named("text") = utf8(selection.text()),
                            Rcpp::Named("requested") = selection.requested, Rcpp::Named("loaded") = selection.loaded);
}

// [[Rcpp::export(rng = false)]]
Rcpp::List loader_extract_cpp(const std::vector<std::string>& kernel_paths, const std::string& library_dir,
                              const std::string& dest_dir, const std::string& depends_tag,
                              Rcpp::Nullable<Rcpp::List> index, bool overwrite) {
  Strings stem, source, dest;
  Rcpp::LogicalVector copied;
  for (const openclPort::ExtractedFile& file : openclPort::extract_library_subset(
           kernel_paths, library_dir, dest_dir, depends_tag, index_from(index, library_dir), overwrite)) {
    stem.push_back(file.stem);
    source.push_back(file.source);
    dest.push_back(file.dest);
    copied.push_back(file.copied);
  }
  return Rcpp::List::create(Rcpp::Named("stem") = stem, Rcpp::Named("source") = source, Rcpp::Named("dest") = dest,
                            Rcpp::Named("copied") = copied);
}

// [[Rcpp::export(rng = false)]]
Rcpp::List loader_attach_dependency_cpp(const std::string& library_dir, bool dry_run) {
  return attached_columns(openclPort::attach_kernel_dependency_tags(library_dir, dry_run));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List loader_attach_cross_cpp(const std::vector<std::string>& kernel_paths, const std::string& library_dir,
                                   const std::string& depends_tag, Rcpp::Nullable<Rcpp::List> index, bool dry_run) {
  return attached_columns(
      openclPort::attach_cross_library_tags(kernel_paths, index_from(index, library_dir), depends_tag, dry_run));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List loader_manifest_cpp(const std::string& manifest_relative_path, const std::string& package) {
  return manifest_columns(openclPort::read_program_preload_manifest(manifest_relative_path, package));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List loader_manifest_file_cpp(const std::string& path) {
  return manifest_columns(openclPort::parse_program_preload_manifest(openclPort::read_text_file(path), path));
}

// [[Rcpp::export(rng = false)]]
Rcpp::String loader_program_cpp(const std::string& kernel_relative_path, const std::string& package,
                                const std::string& depends_tag) {
  return utf8(openclPort::build_rmath_opencl_program(kernel_relative_path, package, depends_tag));
}
