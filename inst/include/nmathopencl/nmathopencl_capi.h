/* nmathopencl_capi -- the functions of nmathopencl for packages in C, and in C++ without Rcpp. C99 or C++11.
 *
 * DESCRIPTION:  LinkingTo: nmathopencl   and   Imports: nmathopencl   (with an importFrom in NAMESPACE, so that the
 * package is loaded). Nothing is linked: each function below finds its counterpart in the loaded package at its first
 * call. ../nmathopencl.h documents them, under these names with "_fn".
 *
 *     void R_init_yourpackage(DllInfo *dll)
 *     {
 *         nmathopencl_capi_check();
 *         ...
 *     }
 *
 *     double density(double x)
 *     {
 *         const double shape = 2.0, scale = 1.0;
 *         const double *columns[] = {&x, &shape, &scale};
 *         const size_t lengths[] = {1, 1, 1};
 *         const int give_log = 0;
 *         double result = 0.0;
 *         if (nmathopencl_elementwise("dgamma", NULL, columns, lengths, &give_log, 0, 1, &result) != NMATHOPENCL_OK)
 *             Rf_error("%s", nmathopencl_last_error());
 *         return result;
 *     }
 *
 * nmathopencl_capi_check() alone can end in an error of R: nmathopencl is not loaded, or too old, or made for another
 * version of this header. Where it came back, no function below jumps, and none throws. */
#ifndef NMATHOPENCL_CAPI_H
#define NMATHOPENCL_CAPI_H

#include <R_ext/Error.h>
#include <R_ext/Rdynload.h>

#include "../nmathopencl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*nmathopencl_any_fn)(void);

/* A function that calls its counterpart: its name, parameters, and the same as arguments. */
#define NMATHOPENCL_DEFINE(type, give, name, parameters, arguments)                         \
  static inline type name parameters {                                                      \
    static name##_fn* call = 0;                                                             \
    if (!call) call = (name##_fn*)(nmathopencl_any_fn)R_GetCCallable("nmathopencl", #name); \
    give call arguments;                                                                    \
  }
#define NMATHOPENCL_GIVES(type, name, parameters, arguments) \
  NMATHOPENCL_DEFINE(type, return, name, parameters, arguments)
#define NMATHOPENCL_DOES(name, parameters, arguments) NMATHOPENCL_DEFINE(void, , name, parameters, arguments)

NMATHOPENCL_GIVES(int, nmathopencl_api_version, (void), ())
NMATHOPENCL_GIVES(int, nmathopencl_api_revision, (void), ())
NMATHOPENCL_GIVES(const char*, nmathopencl_last_error, (void), ())
NMATHOPENCL_GIVES(int, nmathopencl_has_opencl, (void), ())
NMATHOPENCL_DOES(nmathopencl_release, (void* memory), (memory))

/* For R_init_yourpackage(). */
static inline void nmathopencl_capi_check(void) {
  if (nmathopencl_api_version() != NMATHOPENCL_API_VERSION)
    Rf_error(
        "the installed nmathopencl has version %d of the C interface, this package was compiled for version %d: "
        "reinstall this package",
        nmathopencl_api_version(), NMATHOPENCL_API_VERSION);
  if (nmathopencl_api_revision() < NMATHOPENCL_API_REVISION)
    Rf_error(
        "the installed nmathopencl has revision %d of the C interface, this package was compiled for revision %d: "
        "update nmathopencl",
        nmathopencl_api_revision(), NMATHOPENCL_API_REVISION);
}

/* ---- loading ---- */

NMATHOPENCL_GIVES(int, nmathopencl_load_kernel_source,
                  (const char* relative_path, const char* package, char** text, size_t* size, char* error,
                   size_t error_size),
                  (relative_path, package, text, size, error, error_size))
NMATHOPENCL_GIVES(int, nmathopencl_load_kernel_library,
                  (const char* subdir, const char* package, int verbose, char** text, size_t* size, char* error,
                   size_t error_size),
                  (subdir, package, verbose, text, size, error, error_size))
NMATHOPENCL_GIVES(int, nmathopencl_load_library_for_kernel,
                  (const char* kernel_relative_path, const char* kernel_package, const char* library_subdir,
                   const char* library_package, const char* depends_tag, char** text, size_t* size, char* error,
                   size_t error_size),
                  (kernel_relative_path, kernel_package, library_subdir, library_package, depends_tag, text, size,
                   error, error_size))
NMATHOPENCL_GIVES(int, nmathopencl_build_opencl_program,
                  (const char* kernel_relative_path, const char* package, int n_libraries, const char* const* subdirs,
                   const char* const* tags, char** text, size_t* size, char* error, size_t error_size),
                  (kernel_relative_path, package, n_libraries, subdirs, tags, text, size, error, error_size))

/* ---- running ---- */

NMATHOPENCL_GIVES(int, nmathopencl_run_numeric_cols,
                  (const char* source, const char* kernel_name, int len, int n_cols, const double* const* cols,
                   const size_t* col_lengths, double** out, size_t* n_out, char* error, size_t error_size),
                  (source, kernel_name, len, n_cols, cols, col_lengths, out, n_out, error, error_size))
NMATHOPENCL_GIVES(int, nmathopencl_run_pq_tail,
                  (const char* source, const char* kernel_name, int len, int n_cols, const double* const* cols,
                   const size_t* col_lengths, const int* lower_tail, size_t n_lower_tail, const int* log_p,
                   size_t n_log_p, double** out, size_t* n_out, char* error, size_t error_size),
                  (source, kernel_name, len, n_cols, cols, col_lengths, lower_tail, n_lower_tail, log_p, n_log_p, out,
                   n_out, error, error_size))
NMATHOPENCL_GIVES(int, nmathopencl_run_d_givelog,
                  (const char* source, const char* kernel_name, int len, int n_cols, const double* const* cols,
                   const size_t* col_lengths, const int* give_log, size_t n_give_log, double** out, size_t* n_out,
                   char* error, size_t error_size),
                  (source, kernel_name, len, n_cols, cols, col_lengths, give_log, n_give_log, out, n_out, error,
                   error_size))
NMATHOPENCL_GIVES(int, nmathopencl_run_dbl_scalar,
                  (const char* source, const char* kernel_name, int n_args, const double* args, int n_results,
                   double** out, size_t* n_out, char* error, size_t error_size),
                  (source, kernel_name, n_args, args, n_results, out, n_out, error, error_size))
NMATHOPENCL_GIVES(int, nmathopencl_bind_fp64_device, (void** platform, void** device, char* error, size_t error_size),
                  (platform, device, error, error_size))

/* ---- devices, functions by name ---- */

NMATHOPENCL_GIVES(int, nmathopencl_device_count, (int* count), (count))
NMATHOPENCL_GIVES(int, nmathopencl_device_name, (int index, char** name), (index, name))
NMATHOPENCL_GIVES(int, nmathopencl_function_count, (void), ())
NMATHOPENCL_GIVES(int, nmathopencl_function_info, (int index, nmathopencl_function* info), (index, info))
NMATHOPENCL_GIVES(int, nmathopencl_elementwise,
                  (const char* function, const char* device, const double* const* columns, const size_t* lengths,
                   const int* flags, uint64_t seed, size_t n, double* out),
                  (function, device, columns, lengths, flags, seed, n, out))

/* ---- resident vectors, expressions ---- */

NMATHOPENCL_GIVES(int, nmathopencl_vector_create,
                  (const double* data, size_t length, const char* device, nmathopencl_vector** vector),
                  (data, length, device, vector))
NMATHOPENCL_GIVES(size_t, nmathopencl_vector_length, (const nmathopencl_vector* vector), (vector))
NMATHOPENCL_GIVES(int, nmathopencl_vector_device, (const nmathopencl_vector* vector, int* index), (vector, index))
NMATHOPENCL_GIVES(int, nmathopencl_vector_read,
                  (const nmathopencl_vector* vector, size_t first, size_t count, double* out),
                  (vector, first, count, out))
NMATHOPENCL_DOES(nmathopencl_vector_free, (nmathopencl_vector * vector), (vector))
NMATHOPENCL_GIVES(int, nmathopencl_expression_create,
                  (const char* arguments, const char* text, nmathopencl_expression** expression),
                  (arguments, text, expression))
NMATHOPENCL_DOES(nmathopencl_expression_free, (nmathopencl_expression * expression), (expression))
NMATHOPENCL_GIVES(int, nmathopencl_expression_evaluate,
                  (nmathopencl_expression * expression, const char* device, const nmathopencl_argument* arguments,
                   int n_arguments, size_t n, double* out),
                  (expression, device, arguments, n_arguments, n, out))
NMATHOPENCL_GIVES(int, nmathopencl_expression_keep,
                  (nmathopencl_expression * expression, const char* device, const nmathopencl_argument* arguments,
                   int n_arguments, size_t n, nmathopencl_vector** out),
                  (expression, device, arguments, n_arguments, n, out))

/* ---- functions of R as text ---- */

NMATHOPENCL_GIVES(int, nmathopencl_runner_create,
                  (const char* function, const char* reduce, int na_rm, const char* const* gradient, int n_gradient,
                   nmathopencl_runner** runner),
                  (function, reduce, na_rm, gradient, n_gradient, runner))
NMATHOPENCL_DOES(nmathopencl_runner_free, (nmathopencl_runner * runner), (runner))
NMATHOPENCL_GIVES(int, nmathopencl_runner_size,
                  (nmathopencl_runner * runner, const nmathopencl_input* inputs, int n_inputs, size_t* n_values,
                   size_t* n_gradient),
                  (runner, inputs, n_inputs, n_values, n_gradient))
NMATHOPENCL_GIVES(int, nmathopencl_runner_run,
                  (nmathopencl_runner * runner, const char* device, const nmathopencl_input* inputs, int n_inputs,
                   double* values, size_t n_values, double* gradient, size_t n_gradient),
                  (runner, device, inputs, n_inputs, values, n_values, gradient, n_gradient))

#undef NMATHOPENCL_DOES
#undef NMATHOPENCL_GIVES
#undef NMATHOPENCL_DEFINE

#ifdef __cplusplus
}
#endif

#endif
