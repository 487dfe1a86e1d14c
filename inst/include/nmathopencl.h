/* nmathopencl -- the C interface of the package 'nmathopencl': what R_GetCCallable("nmathopencl", name) gives.
 *
 * C++ code includes openclPort.h, which wraps all of this. No C++ exception crosses this boundary: a function that can
 * fail returns 0, or 1 after it has written a zero-ended message, cut to `error_size` bytes, to `error`. What it hands
 * out through `char**` or `double**` belongs to the caller, who gives it back to nmathopencl_release(). Call from R's
 * main thread. */
#ifndef NMATHOPENCL_H
#define NMATHOPENCL_H

#include <stddef.h>

/* Counts up whenever a signature below changes; nmathopencl_api_version() tells that of the installed package. */
#define NMATHOPENCL_API_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

typedef int nmathopencl_api_version_fn(void);
typedef int nmathopencl_has_opencl_fn(void); /* 1: OpenCL can be used; says nothing about devices */
typedef void nmathopencl_release_fn(void* memory);

/* ---- loading: see the functions of the same names in openclPort.h ---- */

typedef int nmathopencl_load_kernel_source_fn(const char* relative_path, const char* package, char** text, size_t* size,
                                              char* error, size_t error_size);
typedef int nmathopencl_load_kernel_library_fn(const char* subdir, const char* package, int verbose, char** text,
                                               size_t* size, char* error, size_t error_size);
typedef int nmathopencl_load_library_for_kernel_fn(const char* kernel_relative_path, const char* kernel_package,
                                                   const char* library_subdir, const char* library_package,
                                                   const char* depends_tag, char** text, size_t* size, char* error,
                                                   size_t error_size);
/* `subdirs` and `tags` have `n_libraries` entries each. */
typedef int nmathopencl_build_opencl_program_fn(const char* kernel_relative_path, const char* package, int n_libraries,
                                                const char* const* subdirs, const char* const* tags, char** text,
                                                size_t* size, char* error, size_t error_size);

/* ---- running: all build `source` (once per process), run `kernel_name` of it and hand out `*n_out` doubles ---- */

typedef int nmathopencl_run_numeric_cols_fn(const char* source, const char* kernel_name, int len, int n_cols,
                                            const double* const* cols, const size_t* col_lengths, double** out,
                                            size_t* n_out, char* error, size_t error_size);
typedef int nmathopencl_run_pq_tail_fn(const char* source, const char* kernel_name, int len, int n_cols,
                                       const double* const* cols, const size_t* col_lengths, const int* lower_tail,
                                       size_t n_lower_tail, const int* log_p, size_t n_log_p, double** out,
                                       size_t* n_out, char* error, size_t error_size);
typedef int nmathopencl_run_d_givelog_fn(const char* source, const char* kernel_name, int len, int n_cols,
                                         const double* const* cols, const size_t* col_lengths, const int* give_log,
                                         size_t n_give_log, double** out, size_t* n_out, char* error,
                                         size_t error_size);
typedef int nmathopencl_run_dbl_scalar_fn(const char* source, const char* kernel_name, int n_args, const double* args,
                                          int n_results, double** out, size_t* n_out, char* error, size_t error_size);

/* cl_platform_id and cl_device_id of the selected device with double precision. */
typedef int nmathopencl_bind_fp64_device_fn(void** platform, void** device, char* error, size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
