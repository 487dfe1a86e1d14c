// interface -- the rest of openclPort.h, for the tests: each function called once, as a package would.
#include <openclPort.h>

// [[Rcpp::export(rng = false)]]
bool has_opencl_cpp() { return openclPort::has_opencl(); }

// [[Rcpp::export(rng = false)]]
std::string load_source_cpp(std::string relative_path, std::string package) {
  return openclPort::load_kernel_source(relative_path, package);
}

// [[Rcpp::export(rng = false)]]
std::string load_library_cpp(std::string subdir, bool verbose) {
  return openclPort::load_kernel_library(subdir, "nmathopencl", verbose);
}

// [[Rcpp::export(rng = false)]]
std::string load_needed_cpp(std::string kernel, std::string kernel_package, std::string depends_tag) {
  if (kernel_package == "nmathopencl") return openclPort::load_library_for_kernel(kernel, "nmath");
  return openclPort::load_library_for_kernel_cross_package(kernel, kernel_package, "nmath", "nmathopencl", depends_tag);
}

// [[Rcpp::export(rng = false)]]
std::string build_program_cpp(std::string kernel, std::vector<std::string> subdirs, std::vector<std::string> tags) {
  std::vector<std::pair<std::string, std::string>> libraries;
  for (std::size_t i = 0; i < subdirs.size(); ++i) libraries.emplace_back(subdirs[i], tags[i]);
  return openclPort::build_opencl_program(kernel, "nmathdownstream", libraries);
}

// [[Rcpp::export(rng = false)]]
std::vector<double> flatten_cpp(Rcpp::NumericMatrix mat) { return openclPort::flattenMatrix(mat); }

// [[Rcpp::export(rng = false)]]
std::vector<double> run_numeric_cols_cpp(std::string source, std::string kernel, int len, Rcpp::List columns) {
  std::vector<double> out;
  openclPort::opencl_numeric_cols_kernel_runner(source, kernel.c_str(), len,
                                                Rcpp::as<std::vector<std::vector<double>>>(columns), out);
  return out;
}

// [[Rcpp::export(rng = false)]]
std::vector<double> run_pq_tail_cpp(std::string source, std::string kernel, int len, Rcpp::List columns,
                                    std::vector<int> lower_tail, std::vector<int> log_p) {
  std::vector<double> out;
  openclPort::opencl_pq_tail_kernel_runner(source, kernel.c_str(), len,
                                           Rcpp::as<std::vector<std::vector<double>>>(columns), lower_tail, log_p, out);
  return out;
}

// [[Rcpp::export(rng = false)]]
std::vector<double> run_dbl_scalar_cpp(std::string source, std::string kernel, std::vector<double> args, int n_out) {
  std::vector<double> out;
  openclPort::opencl_dbl_scalar_kernel_runner(source, kernel.c_str(), args, n_out, out);
  return out;
}
