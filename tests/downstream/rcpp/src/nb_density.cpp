// nb_density -- runs the kernel of this package; all of OpenCL is behind openclPort.h.
#include <openclPort.h>

// The program text, assembled once.
static const std::string& nb_program() {
  static const std::string text =
      openclPort::build_rmath_opencl_program("src/nb_density_kernel.cl", "nmathdownstream", "depends_nmath");
  return text;
}

// [[Rcpp::export(rng = false)]]
std::string nb_program_cpp() { return nb_program(); }

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector nb_density_cpp(Rcpp::NumericVector x, Rcpp::NumericVector size, Rcpp::NumericVector mu,
                                   bool give_log) {
  const int len = static_cast<int>(x.size());
  const std::vector<int> flags(x.size(), give_log);
  std::vector<double> out;
  openclPort::opencl_d_givelog_kernel_runner(
      nb_program(), "nb_density_kernel", len,
      {openclPort::copyVector(x), openclPort::copyVector(size), openclPort::copyVector(mu)}, flags, out);
  return Rcpp::wrap(out);
}
