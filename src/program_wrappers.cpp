// program_wrappers -- the R boundary of whole programs; R/opencl_program.R checks arguments and gives results their
// classes.
#include "loader/build_log.h"
#include "loader/kernel_loader.h"
#include "loader/opencl_program.h"
#include "r_door.h"

using openclPort::ProgramFile;

// The program of a kernel of a package, or, with an empty package, of a file anywhere.
// [[Rcpp::export(rng = false)]]
SEXP program_of_kernel_cpp(const std::string& kernel, const std::string& package) {
  const openclPort::OpenclProgram program =
      package.empty() ? openclPort::opencl_program_of_file(kernel) : openclPort::opencl_program(kernel, package);
  const std::vector<ProgramFile>& files = program.files;
  const r::Keep text(r::utf8(program.text));
  return r::enter([&] {
    r::List list(7);
    list.add("text", text).add("file", r::column(files, &ProgramFile::name));
    list.add("layer", r::column(files, &ProgramFile::layer)).add("first", r::column(files, &ProgramFile::first));
    list.add("lines", r::column(files, &ProgramFile::lines)).add("bytes", r::column(files, &ProgramFile::bytes));
    return list.add("kernels", program.kernels).done();
  });
}

// "nmath/dgamma.cl:17" for lines of a program; "" before its first `#line`.
// [[Rcpp::export(rng = false)]]
SEXP program_source_lines_cpp(const std::string& program, const std::vector<int>& lines) {
  std::vector<std::string> sources;
  for (const int line : lines) sources.push_back(openclPort::source_line(program, static_cast<std::size_t>(line)));
  return r::enter([&] { return r::value(sources); });
}

// `manifest`: the text of one; if empty, the one at the path is read.
// [[Rcpp::export(rng = false)]]
SEXP program_preload_cpp(const std::string& manifest_relative_path, const std::string& package, bool verbose,
                         const std::string& manifest) {
  const auto entries = manifest.empty() ? openclPort::read_program_preload_manifest(manifest_relative_path, package)
                                        : openclPort::parse_program_preload_manifest(manifest, "manifest");
  return r::utf8(openclPort::joined_parts(openclPort::program_preload_parts(entries, package, verbose)));
}

// [[Rcpp::export(rng = false)]]
SEXP program_cross_package_cpp(const std::string& kernel_relative_path, const std::string& kernel_package,
                               const std::string& library_subdir, const std::string& library_package,
                               const std::string& depends_tag) {
  const openclPort::LibrarySelection selection = openclPort::select_library_cross_package(
      kernel_relative_path, kernel_package, library_subdir, library_package, depends_tag);
  const r::Keep text(r::utf8(selection.text()));
  const std::string kernel_path = openclPort::cl_root(kernel_package) + "/" + kernel_relative_path;
  const std::string library_dir = openclPort::cl_root(library_package) + "/" + library_subdir;
  return r::enter([&] {
    r::List list(5);
    list.add("text", text).add("requested", selection.requested).add("loaded", selection.loaded);
    return list.add("kernel_path", kernel_path).add("library_dir", library_dir).done();
  });
}
