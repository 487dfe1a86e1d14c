// c_api_wrappers -- the C interface that other packages call (inst/include/nmathopencl.h), and its registration.
//
// No C++ exception leaves a function of this file. Results are allocated here and freed by nmathopencl_release().
#include "c_api.h"

#include "device/selected_device.h"
#include "engine/opencl_kernel_runners.h"
#include "loader/kernel_loader.h"

namespace {

// The last error goes where the caller wants it.
template <typename Body>
int guarded(char* error, size_t error_size, const Body& body) {
  const int status = c_api::guarded(body);
  if (status != NMATHOPENCL_OK && error != nullptr && error_size > 0) {
    std::strncpy(error, c_api::last_error().c_str(), error_size - 1);
    error[error_size - 1] = '\0';
  }
  return status;
}

std::string text_argument(const char* value, const char* name) { return c_api::argument(value, name); }

template <typename Body>
int guarded_text(char** text, size_t* size, char* error, size_t error_size, Body body) {
  return guarded(error, error_size, [&] {
    const std::string result = body();
    c_api::hand_out(result.data(), result.size(), text, size);
  });
}

template <typename Body>
int guarded_run(const char* source, double** out, size_t* n_out, char* error, size_t error_size, Body body) {
  return guarded(error, error_size, [&] {
    std::vector<double> result;
    body(text_argument(source, "source"), result);
    c_api::hand_out(result.data(), result.size(), out, n_out);
  });
}

std::vector<std::vector<double>> columns(int n_cols, const double* const* cols, const size_t* lengths) {
  std::vector<std::vector<double>> result;
  for (int k = 0; k < n_cols; ++k) result.emplace_back(cols[k], cols[k] + lengths[k]);
  return result;
}

}  // namespace

extern "C" {

int nmathopencl_api_version(void) { return NMATHOPENCL_API_VERSION; }

int nmathopencl_api_revision(void) { return NMATHOPENCL_API_REVISION; }

const char* nmathopencl_last_error(void) { return c_api::last_error().c_str(); }

int nmathopencl_has_opencl(void) { return openclPort::devices_installed(); }

void nmathopencl_release(void* memory) { std::free(memory); }

int nmathopencl_load_kernel_source(const char* relative_path, const char* package, char** text, size_t* size,
                                   char* error, size_t error_size) {
  return guarded_text(text, size, error, error_size, [&] {
    return openclPort::load_kernel_source(text_argument(relative_path, "relative_path"),
                                          text_argument(package, "package"));
  });
}

int nmathopencl_load_kernel_library(const char* subdir, const char* package, int verbose, char** text, size_t* size,
                                    char* error, size_t error_size) {
  return guarded_text(text, size, error, error_size, [&] {
    return openclPort::load_kernel_library(text_argument(subdir, "subdir"), text_argument(package, "package"),
                                           verbose != 0);
  });
}

int nmathopencl_load_library_for_kernel(const char* kernel_relative_path, const char* kernel_package,
                                        const char* library_subdir, const char* library_package,
                                        const char* depends_tag, char** text, size_t* size, char* error,
                                        size_t error_size) {
  return guarded_text(text, size, error, error_size, [&] {
    return openclPort::load_library_for_kernel_cross_package(
        text_argument(kernel_relative_path, "kernel_relative_path"), text_argument(kernel_package, "kernel_package"),
        text_argument(library_subdir, "library_subdir"), text_argument(library_package, "library_package"),
        text_argument(depends_tag, "depends_tag"));
  });
}

int nmathopencl_build_opencl_program(const char* kernel_relative_path, const char* package, int n_libraries,
                                     const char* const* subdirs, const char* const* tags, char** text, size_t* size,
                                     char* error, size_t error_size) {
  return guarded_text(text, size, error, error_size, [&] {
    openclPort::ProgramLibraries libraries;
    for (int k = 0; k < n_libraries; ++k)
      libraries.emplace_back(text_argument(subdirs[k], "subdirs"), text_argument(tags[k], "tags"));
    return openclPort::build_opencl_program(text_argument(kernel_relative_path, "kernel_relative_path"),
                                            text_argument(package, "package"), libraries);
  });
}

int nmathopencl_run_numeric_cols(const char* source, const char* kernel_name, int len, int n_cols,
                                 const double* const* cols, const size_t* col_lengths, double** out, size_t* n_out,
                                 char* error, size_t error_size) {
  return guarded_run(source, out, n_out, error, error_size, [&](const std::string& text, std::vector<double>& flat) {
    openclPort::opencl_numeric_cols_kernel_runner(text, kernel_name, len, columns(n_cols, cols, col_lengths), flat);
  });
}

int nmathopencl_run_pq_tail(const char* source, const char* kernel_name, int len, int n_cols, const double* const* cols,
                            const size_t* col_lengths, const int* lower_tail, size_t n_lower_tail, const int* log_p,
                            size_t n_log_p, double** out, size_t* n_out, char* error, size_t error_size) {
  return guarded_run(source, out, n_out, error, error_size, [&](const std::string& text, std::vector<double>& flat) {
    openclPort::opencl_pq_tail_kernel_runner(text, kernel_name, len, columns(n_cols, cols, col_lengths),
                                             std::vector<int>(lower_tail, lower_tail + n_lower_tail),
                                             std::vector<int>(log_p, log_p + n_log_p), flat);
  });
}

int nmathopencl_run_d_givelog(const char* source, const char* kernel_name, int len, int n_cols,
                              const double* const* cols, const size_t* col_lengths, const int* give_log,
                              size_t n_give_log, double** out, size_t* n_out, char* error, size_t error_size) {
  return guarded_run(source, out, n_out, error, error_size, [&](const std::string& text, std::vector<double>& flat) {
    openclPort::opencl_d_givelog_kernel_runner(text, kernel_name, len, columns(n_cols, cols, col_lengths),
                                               std::vector<int>(give_log, give_log + n_give_log), flat);
  });
}

int nmathopencl_run_dbl_scalar(const char* source, const char* kernel_name, int n_args, const double* args,
                               int n_results, double** out, size_t* n_out, char* error, size_t error_size) {
  return guarded_run(source, out, n_out, error, error_size, [&](const std::string& text, std::vector<double>& flat) {
    openclPort::opencl_dbl_scalar_kernel_runner(text, kernel_name, std::vector<double>(args, args + n_args), n_results,
                                                flat);
  });
}

int nmathopencl_bind_fp64_device(void** platform, void** device, char* error, size_t error_size) {
  return guarded(error, error_size, [&] {
    const openclPort::DeviceInfo selected = openclPort::runner_device();
    *platform = selected.platform;
    *device = selected.device;
  });
}

}  // extern "C"

// [[Rcpp::init]]
void c_api_register(DllInfo* dll) {
  (void)dll;
  NMATHOPENCL_REGISTER(nmathopencl_api_version);
  NMATHOPENCL_REGISTER(nmathopencl_api_revision);
  NMATHOPENCL_REGISTER(nmathopencl_last_error);
  NMATHOPENCL_REGISTER(nmathopencl_has_opencl);
  NMATHOPENCL_REGISTER(nmathopencl_release);
  NMATHOPENCL_REGISTER(nmathopencl_load_kernel_source);
  NMATHOPENCL_REGISTER(nmathopencl_load_kernel_library);
  NMATHOPENCL_REGISTER(nmathopencl_load_library_for_kernel);
  NMATHOPENCL_REGISTER(nmathopencl_build_opencl_program);
  NMATHOPENCL_REGISTER(nmathopencl_run_numeric_cols);
  NMATHOPENCL_REGISTER(nmathopencl_run_pq_tail);
  NMATHOPENCL_REGISTER(nmathopencl_run_d_givelog);
  NMATHOPENCL_REGISTER(nmathopencl_run_dbl_scalar);
  NMATHOPENCL_REGISTER(nmathopencl_bind_fp64_device);
}
