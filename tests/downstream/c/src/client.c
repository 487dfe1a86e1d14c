/* client -- calls of nmathopencl's C interface, as a package in C99 makes them. */
#include "client.h"

#include <nmathopencl/nmathopencl_capi.h>

/* What failed, or was interrupted, becomes an error of R, after what was made is given back. */
static void check(int status)
{
    if (status != NMATHOPENCL_OK) Rf_error("%s", nmathopencl_last_error());
}

static const char *text_or_null(SEXP x) { return x == R_NilValue ? NULL : CHAR(STRING_ELT(x, 0)); }

static SEXP gamma_density(SEXP x, SEXP shape, SEXP scale)
{
    const double *columns[] = {REAL(x), REAL(shape), REAL(scale)};
    const size_t lengths[] = {(size_t)XLENGTH(x), 1, 1};
    const int give_log = 0;
    SEXP result = PROTECT(Rf_allocVector(REALSXP, XLENGTH(x)));
    check(nmathopencl_elementwise("dgamma", NULL, columns, lengths, &give_log, 0, lengths[0], REAL(result)));
    UNPROTECT(1);
    return result;
}

static SEXP functions(void)
{
    const int count = nmathopencl_function_count();
    SEXP result = PROTECT(Rf_allocVector(VECSXP, 4));
    SET_VECTOR_ELT(result, 0, Rf_allocVector(STRSXP, count));
    for (int k = 1; k < 4; ++k) SET_VECTOR_ELT(result, k, Rf_allocVector(INTSXP, count));
    for (int i = 0; i < count; ++i) {
        nmathopencl_function info;
        check(nmathopencl_function_info(i, &info));
        SET_STRING_ELT(VECTOR_ELT(result, 0), i, Rf_mkChar(info.name));
        INTEGER(VECTOR_ELT(result, 1))[i] = info.n_columns;
        INTEGER(VECTOR_ELT(result, 2))[i] = info.n_flags;
        INTEGER(VECTOR_ELT(result, 3))[i] = info.draws;
    }
    UNPROTECT(1);
    return result;
}

static SEXP devices(void)
{
    int count = 0;
    check(nmathopencl_device_count(&count));
    SEXP result = PROTECT(Rf_allocVector(STRSXP, count));
    for (int i = 0; i < count; ++i) {
        char *name = NULL;
        check(nmathopencl_device_name(i, &name));
        SET_STRING_ELT(result, i, Rf_mkChar(name));
        nmathopencl_release(name);
    }
    UNPROTECT(1);
    return result;
}

static SEXP elementwise(SEXP name, SEXP vectors, SEXP flags, SEXP n, SEXP device, SEXP seed)
{
    const int count = (int)XLENGTH(vectors);
    const double **columns = (const double **)R_alloc((size_t)count, sizeof *columns);
    size_t *lengths = (size_t *)R_alloc((size_t)count, sizeof *lengths);
    for (int k = 0; k < count; ++k) {
        columns[k] = REAL(VECTOR_ELT(vectors, k));
        lengths[k] = (size_t)XLENGTH(VECTOR_ELT(vectors, k));
    }
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)REAL(n)[0]));
    check(nmathopencl_elementwise(text_or_null(name), text_or_null(device), columns, lengths, INTEGER(flags),
                                  (uint64_t)REAL(seed)[0], (size_t)REAL(n)[0], REAL(result)));
    UNPROTECT(1);
    return result;
}

/* The expression, and its arguments as R has them. */
static nmathopencl_argument *arguments_of(SEXP values, size_t *n)
{
    const int count = (int)XLENGTH(values);
    nmathopencl_argument *arguments = (nmathopencl_argument *)R_alloc((size_t)count, sizeof *arguments);
    *n = 0;
    for (int k = 0; k < count; ++k) {
        SEXP value = VECTOR_ELT(values, k);
        const nmathopencl_argument argument = {NULL, REAL(value), (size_t)XLENGTH(value)};
        arguments[k] = argument;
        if (argument.length > *n) *n = argument.length;
    }
    return arguments;
}

static SEXP evaluate(SEXP names, SEXP text, SEXP values, SEXP device)
{
    size_t n;
    nmathopencl_argument *arguments = arguments_of(values, &n);
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
    nmathopencl_expression *expression = NULL;
    check(nmathopencl_expression_create(text_or_null(names), text_or_null(text), &expression));
    const int status = nmathopencl_expression_evaluate(expression, text_or_null(device), arguments,
                                                       (int)XLENGTH(values), n, REAL(result));
    nmathopencl_expression_free(expression);
    check(status);
    UNPROTECT(1);
    return result;
}

/* Longer vectors go to the device, the expression's values stay there, and the part that is asked for comes back. */
static SEXP on_device(SEXP names, SEXP text, SEXP values, SEXP first, SEXP count, SEXP device)
{
    size_t n;
    const int given = (int)XLENGTH(values);
    nmathopencl_argument *arguments = arguments_of(values, &n);
    nmathopencl_vector **vectors = (nmathopencl_vector **)R_alloc((size_t)given, sizeof *vectors), *kept = NULL;
    nmathopencl_expression *expression = NULL;
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)REAL(count)[0]));
    int status = nmathopencl_expression_create(text_or_null(names), text_or_null(text), &expression);
    for (int k = 0; k < given; ++k) {
        vectors[k] = NULL;
        if (status != NMATHOPENCL_OK || arguments[k].length == 1) continue;
        status = nmathopencl_vector_create(arguments[k].data, arguments[k].length, text_or_null(device), &vectors[k]);
        arguments[k].vector = vectors[k];
    }
    if (status == NMATHOPENCL_OK)
        status = nmathopencl_expression_keep(expression, text_or_null(device), arguments, given, n, &kept);
    int index = -1, expected = -1;
    if (status == NMATHOPENCL_OK) status = nmathopencl_vector_device(kept, &index);
    if (status == NMATHOPENCL_OK && vectors[0] != NULL) status = nmathopencl_vector_device(vectors[0], &expected);
    const int right = nmathopencl_vector_length(kept) == n && (vectors[0] == NULL || index == expected);
    if (status == NMATHOPENCL_OK)
        status = nmathopencl_vector_read(kept, (size_t)REAL(first)[0], (size_t)REAL(count)[0], REAL(result));
    nmathopencl_vector_free(kept);
    for (int k = 0; k < given; ++k) nmathopencl_vector_free(vectors[k]);
    nmathopencl_expression_free(expression);
    check(status);
    if (!right) Rf_error("the vector of results has another length or device");
    UNPROTECT(1);
    return result;
}

/* The kernel of this package, inst/cl/src/log_density_kernel.cl. */
static SEXP log_density_kernel(SEXP x, SEXP sd)
{
    char error[1024];
    char *program = NULL;
    size_t size = 0, n_out = 0;
    double *out = NULL;
    const char *subdirs[] = {"nmath"}, *tags[] = {"depends_nmath"};
    const double *columns[] = {REAL(x), REAL(sd)};
    const size_t lengths[] = {(size_t)XLENGTH(x), (size_t)XLENGTH(sd)};
    int status = nmathopencl_build_opencl_program("src/log_density_kernel.cl", "nmathdownstreamc", 1, subdirs, tags,
                                                  &program, &size, error, sizeof error);
    if (status != NMATHOPENCL_OK) Rf_error("%s", error);
    status = nmathopencl_run_numeric_cols(program, "log_density_kernel", (int)lengths[0], 2, columns, lengths, &out,
                                          &n_out, NULL, 0);
    nmathopencl_release(program);
    check(status);
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n_out));
    for (size_t i = 0; i < n_out; ++i) REAL(result)[i] = out[i];
    nmathopencl_release(out);
    UNPROTECT(1);
    return result;
}

#define ENTRY(name, count) {#name, (DL_FUNC)(nmathopencl_any_fn)name, count}

static const R_CallMethodDef entries[] = {
    ENTRY(gamma_density, 3), ENTRY(functions, 0), ENTRY(devices, 0), ENTRY(elementwise, 6), ENTRY(evaluate, 4),
    ENTRY(on_device, 6), ENTRY(log_density_kernel, 2), ENTRY(from_cplusplus, 1), {NULL, NULL, 0}};

void R_init_nmathdownstreamc(DllInfo *dll)
{
    nmathopencl_capi_check();
    R_registerRoutines(dll, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
}
