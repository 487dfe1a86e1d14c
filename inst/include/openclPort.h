// openclPort -- what a package that is LinkingTo: nmathopencl calls from its own C++ code.
//
// DESCRIPTION:  LinkingTo: Rcpp, nmathopencl   and   Imports: nmathopencl   (with an importFrom in NAMESPACE, so that
// the package is loaded). Nothing is linked: every function finds its counterpart in the loaded package at its first
// call. No OpenCL headers are needed, except for opencl_bind_selected_fp64_device_or_throw(), which is declared where
// the including package defines USE_OPENCL. C++11 is enough.
//
// Where the package is LinkingTo: RcppArmadillo as well, matrices and vectors of Armadillo go both ways without
// detours: flattenMatrix(), copyVector(), matrixView(). Compilers before C++17 may need <RcppArmadillo.h> before this
// header.
//
// R's functions as kernels, from their text: <nmathopencl/runner.h>, which includes this one.
//
// Other headers, opencltools' among them, declare functions of the same names in namespace openclPort, which a package
// has to link. They may come before or after this one. openclPort::load_kernel_source() is then theirs, with their
// default arguments; nmathopencl::load_kernel_source() is always the one declared here.
//
// Loading works in every build. Running needs an OpenCL library on this machine and a device with double precision;
// otherwise, and for every other failure, nmathopencl_error (a std::runtime_error) says what went wrong. Call from R's
// main thread.
#ifndef NMATHOPENCL_OPENCLPORT_H
#define NMATHOPENCL_OPENCLPORT_H

#include <R_ext/Rdynload.h>

// RcppArmadillo.h has to come before Rcpp.h.
#if defined(__has_include) && !defined(Rcpp_hpp)
#if __has_include(<RcppArmadillo.h>)
#include <RcppArmadillo.h>
#endif
#endif
#include <Rcpp.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nmathopencl.h"

#ifdef USE_OPENCL
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif
#endif

// What every failure throws. R sees it as an error of class nmathopencl_error.
class nmathopencl_error : public std::runtime_error {
 public:
  explicit nmathopencl_error(const std::string& message) : std::runtime_error(message) {}
};

namespace openclPort {
// The functions of nmathopencl itself have the same names; the inline namespace keeps the symbols apart. All are
// templates, of nothing, because a function that is none takes precedence: with another header's beside them no call is
// ambiguous.
inline namespace linked {
namespace detail {

typedef void (*AnyFunction)();

inline AnyFunction find_callable(const char* name) {
  DL_FUNC found = nullptr;
  // R_GetCCallable leaves by a jump if the package is not loaded; this makes it an exception that Rcpp hands to R.
  Rcpp::unwindProtect([&]() -> SEXP {
    found = R_GetCCallable("nmathopencl", name);
    return R_NilValue;
  });
  return reinterpret_cast<AnyFunction>(found);
}

inline bool check_api_version() {
  const auto version = reinterpret_cast<nmathopencl_api_version_fn*>(find_callable("nmathopencl_api_version"));
  if (version() != NMATHOPENCL_API_VERSION)
    throw nmathopencl_error("The installed nmathopencl has version " + std::to_string(version()) +
                            " of the C interface, this package was compiled for version " +
                            std::to_string(NMATHOPENCL_API_VERSION) + ": reinstall this package");
  return true;
}

template <typename Function>
Function* callable(const char* name) {
  static const bool checked = check_api_version();
  (void)checked;
  return reinterpret_cast<Function*>(find_callable(name));
}

// What a call hands back: memory of nmathopencl, and the message of a failure.
template <typename T>
struct Result {
  T* data = nullptr;
  size_t size = 0;
  char error[16384] = {0};

  Result() = default;
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  ~Result() {
    if (data) release(data);
  }
  void check(int status) const {
    if (status != 0) throw nmathopencl_error(error);
  }
  static void release(void* memory) {
    static nmathopencl_release_fn* const call = callable<nmathopencl_release_fn>("nmathopencl_release");
    call(memory);
  }
};

inline std::string take(const Result<char>& result) { return std::string(result.data, result.size); }

struct Columns {
  std::vector<const double*> data;
  std::vector<size_t> lengths;
  explicit Columns(const std::vector<std::vector<double>>& columns) {
    for (const std::vector<double>& column : columns) {
      data.push_back(column.data());
      lengths.push_back(column.size());
    }
  }
  int count() const { return static_cast<int>(data.size()); }
};

}  // namespace detail

// Whether nmathopencl can use OpenCL: it has found an OpenCL library, and was not installed --without-opencl. It says
// nothing about devices.
template <int = 0>
bool has_opencl() {
  static nmathopencl_has_opencl_fn* const call = detail::callable<nmathopencl_has_opencl_fn>("nmathopencl_has_opencl");
  return call() != 0;
}

// ---- loading; the R help pages of the same names say more ----

// The text of a file below inst/cl of a package.
template <int = 0>
std::string load_kernel_source(const std::string& relative_path, const std::string& package = "nmathopencl") {
  static auto* const call = detail::callable<nmathopencl_load_kernel_source_fn>("nmathopencl_load_kernel_source");
  detail::Result<char> r;
  r.check(call(relative_path.c_str(), package.c_str(), &r.data, &r.size, r.error, sizeof r.error));
  return detail::take(r);
}

// All files of a library folder, sorted by what they depend on.
template <int = 0>
std::string load_kernel_library(const std::string& subdir, const std::string& package = "nmathopencl",
                                bool verbose = false) {
  static auto* const call = detail::callable<nmathopencl_load_kernel_library_fn>("nmathopencl_load_kernel_library");
  detail::Result<char> r;
  r.check(call(subdir.c_str(), package.c_str(), verbose, &r.data, &r.size, r.error, sizeof r.error));
  return detail::take(r);
}

// The files of a library that a kernel needs, in load order; kernel and library may be in different packages.
template <int = 0>
std::string load_library_for_kernel_cross_package(const std::string& kernel_relative_path,
                                                  const std::string& kernel_package, const std::string& library_subdir,
                                                  const std::string& library_package,
                                                  const std::string& depends_tag = "all_depends_nmath") {
  static auto* const call =
      detail::callable<nmathopencl_load_library_for_kernel_fn>("nmathopencl_load_library_for_kernel");
  detail::Result<char> r;
  r.check(call(kernel_relative_path.c_str(), kernel_package.c_str(), library_subdir.c_str(), library_package.c_str(),
               depends_tag.c_str(), &r.data, &r.size, r.error, sizeof r.error));
  return detail::take(r);
}

template <int = 0>
std::string load_library_for_kernel(const std::string& kernel_relative_path, const std::string& library_subdir,
                                    const std::string& package = "nmathopencl",
                                    const std::string& depends_tag = "depends_nmath") {
  return load_library_for_kernel_cross_package(kernel_relative_path, package, library_subdir, package, depends_tag);
}

// A whole program: the layers of nmathopencl, what the kernel needs of each library (folder, tag), the kernel. A
// library is taken from `package` if that has the folder, else from nmathopencl.
template <int = 0>
std::string build_opencl_program(const std::string& kernel_relative_path, const std::string& package,
                                 const std::vector<std::pair<std::string, std::string>>& libraries) {
  static auto* const call = detail::callable<nmathopencl_build_opencl_program_fn>("nmathopencl_build_opencl_program");
  std::vector<const char*> subdirs, tags;
  for (const std::pair<std::string, std::string>& library : libraries) {
    subdirs.push_back(library.first.c_str());
    tags.push_back(library.second.c_str());
  }
  detail::Result<char> r;
  r.check(call(kernel_relative_path.c_str(), package.c_str(), static_cast<int>(libraries.size()), subdirs.data(),
               tags.data(), &r.data, &r.size, r.error, sizeof r.error));
  return detail::take(r);
}

// The same with what the kernel, which is in `package`, needs of nmathopencl's library "nmath".
template <int = 0>
std::string build_rmath_opencl_program(const std::string& kernel_relative_path,
                                       const std::string& package = "nmathopencl",
                                       const std::string& nmath_depends_annotation = "all_depends_nmath") {
  return build_opencl_program(kernel_relative_path, package, {{"nmath", nmath_depends_annotation}});
}

// ---- running; a program is built once per process, however often it is run ----

// (__global const double* col_1, ..., __global double* out, const int len): one work-item per element.
template <int = 0>
void opencl_numeric_cols_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                       const std::vector<std::vector<double>>& arg_cols,
                                       std::vector<double>& out_flat) {
  static auto* const call = detail::callable<nmathopencl_run_numeric_cols_fn>("nmathopencl_run_numeric_cols");
  const detail::Columns cols(arg_cols);
  detail::Result<double> r;
  r.check(call(kernel_source.c_str(), kernel_name, len, cols.count(), cols.data.data(), cols.lengths.data(), &r.data,
               &r.size, r.error, sizeof r.error));
  out_flat.assign(r.data, r.data + r.size);
}

// (columns, __global const int* lower_tail, __global const int* log_p, __global double* out, const int len)
template <int = 0>
void opencl_pq_tail_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                  const std::vector<std::vector<double>>& arg_cols, const std::vector<int>& lower_tail,
                                  const std::vector<int>& log_p, std::vector<double>& out_flat) {
  static auto* const call = detail::callable<nmathopencl_run_pq_tail_fn>("nmathopencl_run_pq_tail");
  const detail::Columns cols(arg_cols);
  detail::Result<double> r;
  r.check(call(kernel_source.c_str(), kernel_name, len, cols.count(), cols.data.data(), cols.lengths.data(),
               lower_tail.data(), lower_tail.size(), log_p.data(), log_p.size(), &r.data, &r.size, r.error,
               sizeof r.error));
  out_flat.assign(r.data, r.data + r.size);
}

// (columns, __global const int* give_log, __global double* out, const int len)
template <int = 0>
void opencl_d_givelog_kernel_runner(const std::string& kernel_source, const char* kernel_name, int len,
                                    const std::vector<std::vector<double>>& arg_cols, const std::vector<int>& give_log,
                                    std::vector<double>& out_flat) {
  static auto* const call = detail::callable<nmathopencl_run_d_givelog_fn>("nmathopencl_run_d_givelog");
  const detail::Columns cols(arg_cols);
  detail::Result<double> r;
  r.check(call(kernel_source.c_str(), kernel_name, len, cols.count(), cols.data.data(), cols.lengths.data(),
               give_log.data(), give_log.size(), &r.data, &r.size, r.error, sizeof r.error));
  out_flat.assign(r.data, r.data + r.size);
}

// (const double arg_1, ..., __global double* out, const int n_out): one work-item in all.
template <int = 0>
void opencl_dbl_scalar_kernel_runner(const std::string& kernel_source, const char* kernel_name,
                                     const std::vector<double>& dargs, int n_out, std::vector<double>& out_flat) {
  static auto* const call = detail::callable<nmathopencl_run_dbl_scalar_fn>("nmathopencl_run_dbl_scalar");
  detail::Result<double> r;
  r.check(call(kernel_source.c_str(), kernel_name, static_cast<int>(dargs.size()), dargs.data(), n_out, &r.data,
               &r.size, r.error, sizeof r.error));
  out_flat.assign(r.data, r.data + r.size);
}

#ifdef USE_OPENCL
// The device that nmathopencl has selected, for code that makes its own OpenCL calls.
template <int = 0>
void opencl_bind_selected_fp64_device_or_throw(cl_platform_id& platform, cl_device_id& device) {
  static auto* const call = detail::callable<nmathopencl_bind_fp64_device_fn>("nmathopencl_bind_fp64_device");
  detail::Result<char> r;
  void* platform_handle = nullptr;
  void* device_handle = nullptr;
  r.check(call(&platform_handle, &device_handle, r.error, sizeof r.error));
  platform = static_cast<cl_platform_id>(platform_handle);
  device = static_cast<cl_device_id>(device_handle);
}
#endif

// ---- between R and std::vector ----

// Column by column, as R stores it.
template <int = 0>
std::vector<double> flattenMatrix(const Rcpp::NumericMatrix& mat) {
  return std::vector<double>(mat.begin(), mat.end());
}

template <int = 0>
std::vector<double> copyVector(const Rcpp::NumericVector& vec) {
  return std::vector<double>(vec.begin(), vec.end());
}

#ifdef ARMA_INCLUDES
template <int = 0>
std::vector<double> flattenMatrix(const arma::mat& mat) {
  return std::vector<double>(mat.begin(), mat.end());
}

template <int = 0>
std::vector<double> copyVector(const arma::mat& vec) {  // vec and rowvec, too
  return std::vector<double>(vec.begin(), vec.end());
}

// Parts of matrices, and expressions.
template <typename Expression>
std::vector<double> flattenMatrix(const arma::Base<double, Expression>& expression) {
  return flattenMatrix(arma::mat(expression.get_ref()));
}
template <typename Expression>
std::vector<double> copyVector(const arma::Base<double, Expression>& expression) {
  return copyVector(arma::mat(expression.get_ref()));
}

// A runner's result as a matrix, without a copy: its memory is that of `flat`, which has to outlive it and to keep its
// size.
template <int = 0>
arma::mat matrixView(std::vector<double>& flat, arma::uword n_rows, arma::uword n_cols) {
  if (flat.size() != static_cast<size_t>(n_rows) * n_cols)
    throw nmathopencl_error("matrixView(): " + std::to_string(flat.size()) + " numbers are no matrix of " +
                            std::to_string(n_rows) + " x " + std::to_string(n_cols));
  return arma::mat(flat.data(), n_rows, n_cols, false, true);
}
#endif

}  // namespace linked
}  // namespace openclPort

// The same functions under a name that no other header has.
namespace nmathopencl {
using namespace openclPort::linked;
}

#endif
