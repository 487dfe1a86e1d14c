/* nmathopencl -- the C interface of the package 'nmathopencl': what R_GetCCallable("nmathopencl", name) gives.
 *
 * C++ code with Rcpp includes openclPort.h, all other C and C++ nmathopencl/nmathopencl_capi.h, which make calls of all
 * this. Neither a C++ exception nor a jump of R crosses this boundary: a function that can fail returns a status, and
 * where that is not 0 nmathopencl_last_error() says why; those that take `error` write the message there as well, cut
 * to `error_size` bytes with the closing zero. What is handed out through `char**` or `double**` belongs to the caller,
 * who gives it back to nmathopencl_release(). Call from R's main thread. */
#ifndef NMATHOPENCL_H
#define NMATHOPENCL_H

#include <stddef.h>
#include <stdint.h>

/* What a function that can fail returns. An interrupt (Ctrl-C, or a time limit of R) has ended the call when it
 * returns: nothing of it waits, and the caller ends its own work. */
enum { NMATHOPENCL_OK = 0, NMATHOPENCL_ERROR = 1, NMATHOPENCL_INTERRUPTED = 2 };

/* Counts up whenever a signature below changes; nmathopencl_api_version() tells that of the installed package. */
#define NMATHOPENCL_API_VERSION 1

/* Counts up whenever functions are added, which breaks nothing; nmathopencl_api_revision() tells the installed one.
 * 1: loading and running of programs. 2: devices, functions by name, resident vectors, expressions.
 * 3: functions of R. */
#define NMATHOPENCL_API_REVISION 3

#ifdef __cplusplus
extern "C" {
#endif

typedef int nmathopencl_api_version_fn(void);
typedef int nmathopencl_api_revision_fn(void);
typedef const char* nmathopencl_last_error_fn(void); /* until the next failure; "" if there was none */
typedef int nmathopencl_has_opencl_fn(void);         /* 1: OpenCL can be used; says nothing about devices */
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

/* ---- devices: `device` is what R's `device =` takes: "host", "opencl", "gpu", an index, a part of a name; a null
 * pointer means "auto", the session's choice ---- */

/* Device 0 is the host, which is always there; then OpenCL's. The name goes back to nmathopencl_release(). */
typedef int nmathopencl_device_count_fn(int* count);
typedef int nmathopencl_device_name_fn(int index, char** name);

/* ---- functions by name, element by element ---- */

typedef struct nmathopencl_function {
  const char* name; /* as nmathopencl has it: "dgamma" for dgamma_opencl(); never released */
  int n_columns;    /* doubles, in the order of Mathlib in C: x, shape, scale */
  int n_flags;      /* ints after them: give_log, or lower_tail and log_p */
  int draws;        /* 1: random numbers, which follow from a seed */
} nmathopencl_function;

/* Functions have numbers from 0 on. */
typedef int nmathopencl_function_count_fn(void);
typedef int nmathopencl_function_info_fn(int index, nmathopencl_function* info);

/* n results into `out`. `columns` has n_columns pointers to lengths[k] doubles each, 1 to n of them, which are
 * recycled; `flags`, n_flags ints, hold for all elements. `seed` is looked at by random draws only. Where a result is
 * NaN and an argument NA, it is NA. Nothing warns. */
typedef int nmathopencl_elementwise_fn(const char* function, const char* device, const double* const* columns,
                                       const size_t* lengths, const int* flags, uint64_t seed, size_t n, double* out);

/* ---- vectors of doubles that are resident on a device: they never change ---- */

typedef struct nmathopencl_vector nmathopencl_vector;

typedef int nmathopencl_vector_create_fn(const double* data, size_t length, const char* device,
                                         nmathopencl_vector** vector);
typedef size_t nmathopencl_vector_length_fn(const nmathopencl_vector* vector);
typedef int nmathopencl_vector_device_fn(const nmathopencl_vector* vector, int* index);
/* Elements first ... first + count - 1, from 0. */
typedef int nmathopencl_vector_read_fn(const nmathopencl_vector* vector, size_t first, size_t count, double* out);
typedef void nmathopencl_vector_free_fn(nmathopencl_vector* vector); /* a null pointer is nothing */

/* ---- expressions: C text that calls functions of nmath, as one kernel ---- */

typedef struct nmathopencl_expression nmathopencl_expression;

/* What an argument is: a vector on the call's device, or, where `vector` is null, `length` doubles. */
typedef struct nmathopencl_argument {
  const nmathopencl_vector* vector;
  const double* data;
  size_t length;
} nmathopencl_argument;

/* `arguments`: their names, "x, shape, scale"; `text`: an expression in C, "x * dgamma(x, shape, scale, 0)". Programs
 * are built when it is first evaluated; the host device builds them where R's C compiler is. */
typedef int nmathopencl_expression_create_fn(const char* arguments, const char* text,
                                             nmathopencl_expression** expression);
typedef void nmathopencl_expression_free_fn(nmathopencl_expression* expression); /* a null pointer is nothing */

/* n results, into memory of the caller or into a resident vector. Arguments have n elements or one. The
 * device is that of the vectors among them; `device` is looked at where there are none. */
typedef int nmathopencl_expression_evaluate_fn(nmathopencl_expression* expression, const char* device,
                                               const nmathopencl_argument* arguments, int n_arguments, size_t n,
                                               double* out);
typedef int nmathopencl_expression_keep_fn(nmathopencl_expression* expression, const char* device,
                                           const nmathopencl_argument* arguments, int n_arguments, size_t n,
                                           nmathopencl_vector** out);

/* ---- functions of R as text, each with its gradient as one kernel; nmathopencl/runner.h has a class for it ---- */

typedef struct nmathopencl_runner nmathopencl_runner;

/* What an argument is: a vector on the call's device, or, where `vector` is null, `length` numbers of `type`, logicals
 * as R has them. A matrix lies by columns and has `rows` and `columns`; both are 0 of what is none. */
enum { NMATHOPENCL_DOUBLE = 0, NMATHOPENCL_INTEGER = 1, NMATHOPENCL_LOGICAL = 2 };
typedef struct nmathopencl_input {
  const nmathopencl_vector* vector;
  const void* data;
  int type;
  size_t length;
  size_t rows, columns;
} nmathopencl_input;

/* `function`: "function(x, a, b) dgamma(x, a, rate = b, log = TRUE)", in the language of R's opencl_function(), without
 * other functions and variables of R. `reduce`: what becomes of the values, "sum", "mean", "min", "max", "prod",
 * "logsumexp", "norm", "any" or "all"; a null pointer or "" for all of them. `na_rm`: 1: reductions leave missing
 * values out. `gradient`: names of arguments, for sums and means. */
typedef int nmathopencl_runner_create_fn(const char* function, const char* reduce, int na_rm,
                                         const char* const* gradient, int n_gradient, nmathopencl_runner** runner);
typedef void nmathopencl_runner_free_fn(nmathopencl_runner* runner); /* a null pointer is nothing */

/* How many numbers a call with these arguments gives: values, 1 of a reduction, and its gradient, one for each argument
 * of length one and each coefficient. Writes the kernel for arguments of this shape, if there is none yet. */
typedef int nmathopencl_runner_size_fn(nmathopencl_runner* runner, const nmathopencl_input* inputs, int n_inputs,
                                       size_t* n_values, size_t* n_gradient);

/* All of them, `n_values` and `n_gradient` as nmathopencl_runner_size() says. The device is that of the vectors among
 * the arguments; `device` is looked at where there are none. A kernel serves all calls with arguments of the same
 * types, whose lengths are equal, or one, where those of the first were. Nothing warns. */
typedef int nmathopencl_runner_run_fn(nmathopencl_runner* runner, const char* device, const nmathopencl_input* inputs,
                                      int n_inputs, double* values, size_t n_values, double* gradient,
                                      size_t n_gradient);

#ifdef __cplusplus
}
#endif

#endif
