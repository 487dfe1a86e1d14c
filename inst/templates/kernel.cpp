// {{name}} -- runs the kernel of inst/cl/src/{{name}}.cl, whose program is put together and built once.
#include <openclPort.h>

static const std::string& {{name}}_program() {
  static const std::string text =
      nmathopencl::build_rmath_opencl_program("src/{{name}}.cl", "{{package}}", "depends_nmath");
  return text;
}

// The runner: each column has `len` numbers. Failures are exceptions.
static void {{name}}_runner(const std::vector<std::vector<double>>& columns, int len, std::vector<double>& out) {
  nmathopencl::opencl_numeric_cols_kernel_runner({{name}}_program(), "{{name}}_kernel", len, columns, out);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector {{name}}_cpp(std::vector<std::vector<double>> columns, int len) {
  std::vector<double> out;
  {{name}}_runner(columns, len, out);
  return Rcpp::wrap(out);
}
