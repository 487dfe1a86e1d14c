# Kernels that users bring: what their parameters take, what their text needs of nmath, what their errors name, and one that
# does not end.

plus_one <- "__kernel void k(__global const double* x, __global double* out, const int len)
{
    int i = get_global_id(0);
    if (i < len) out[i] = x[i] + 1;
}"

# A kernel "k" of these parameters that computes `value` for each i.
kernel_of <- function(parameters, value, before = "") {
  paste0(before, "__kernel void k(", parameters, ") { int i = get_global_id(0); if (i < len) out[i] = ", value, "; }")
}

expect_core_error <- function(object, text) expect_error(object, text, class = "nmathopencl_error")

test_that("columns are converted to what the kernel takes", {
  for (device in compiling_devices()) {
    run <- function(program, ...) run_opencl_kernel(program, "k", list(...), device = device)
    expect_identical(run(plus_one, 1:4), c(2, 3, 4, 5))
    expect_identical(run(plus_one, c(TRUE, FALSE)), c(2, 1))
    expect_identical(run(plus_one, c(1L, NA)), c(2, NA))
    expect_ran_on(device)
    if (device != "0") {
      bundle <- bundle_build(kernel_bundle(plus_one, device))
      expect_identical(run_opencl_kernel(bundle, "k", list(1:4)), c(2, 3, 4, 5))
    }

    whole <- kernel_of("__global const int* x, __global int* out, const int len", "x[i] == -2147483647 - 1 ? 7 : x[i] + 1")
    expect_identical(run(whole, c(1, 2.0, -3)), c(2L, 3L, -2L))
    expect_identical(run(whole, c(1, NA)), c(2L, 7L))
    expect_core_error(run(whole, c(1, 2.5)), "columns\\[\\[1\\]\\] cannot be given to '__global const int\\* x'.*element 2")
    expect_core_error(run(whole, 3e9), "not a whole number of its range")
    expect_core_error(run(whole, c(1, Inf)), "not a whole number")

    for (type in c("char", "uchar", "short", "ushort", "uint", "long", "ulong", "unsigned int", "float", "real", "REAL")) {
      program <- kernel_of(paste0("__global const ", type, "* x, __global ", type, "* out, const ulong len"), "x[i] + 1",
        "typedef double real;\n#define REAL double\n")
      expect_identical(run(program, c(1, 100)), c(2, 101), info = type)
    }
    scalar <- kernel_of("__global const double* x, const double a, const uint n, __global double* out, const int len",
      "a * x[i] + n")
    expect_identical(run(scalar, c(1, 2), 0.5, 3L), c(3.5, 4))
    expect_core_error(run(scalar, c(1, 2), c(1, 2), 3L), "'double a': it has 2 elements")
    expect_core_error(run(scalar, 1, 1, -1), "'uint n'.*not a whole number of its range")
  }
})

test_that("columns in another order than the parameters go by name", {
  program <- kernel_of("__global const double* x, __global const double* mu, const double a, __global double* out, const int len", "a * (x[i] - mu[i])")
  x <- c(1, 2, 4)
  mu <- c(0.5, 0, -1)
  for (device in compiling_devices()) {
    run <- function(...) run_opencl_kernel(program, "k", list(...), device = device)
    for (names in list(c("x", "mu", "a"), c("a", "mu", "x"), c("mu", "x", "a"), c("mu", "a", "x"))) {
      expect_identical(do.call(run, list(x = x, mu = mu, a = 2)[names]), 2 * (x - mu), info = toString(names))
    }
    expect_identical(run(mu = mu, x, 2), 2 * (x - mu))
    expect_identical(run(a = 2, x, mu), 2 * (x - mu))
    expect_identical(run(p = x, q = mu, 2), 2 * (x - mu)) # names of nothing
    expect_identical(run(opencl_vector(x, device), mu = mu, 2)[2], 4)
    expect_identical(as.vector(run(a = 2, mu = opencl_vector(mu, device), x = x)), 2 * (x - mu))
    expect_core_error(run(mu = mu, x = x, b = 2), "columns\\[\\[3\\]\\] is named 'b', which is no parameter of kernel 'k'")
    expect_core_error(run(x = x, x = mu, 2), "columns\\[\\[2\\]\\] is named 'x', as another column is")
    if (device == "0") next
    expect_identical(run_opencl_kernel(bundle_build(kernel_bundle(program, device)), "k", list(a = 2, mu = mu, x = x)), 2 * (x - mu))
  }
})

test_that("what R has no value for is an error that names the parameter", {
  for (device in opencl_test_devices()) {
    run <- function(parameters, ...) {
      program <- paste0("struct s { int a; };\n__kernel void k(", parameters, ") { }")
      run_opencl_kernel(program, "k", list(...), device = device)
    }
    tail <- "__global double* out, const int len"
    expect_core_error(run(paste("__global const struct s* x,", tail), 1), "parameter 1, '.*struct s.*x'.*no value")
    expect_core_error(run(paste("__global double4* x,", tail), 1), "parameter 1, '.*double4.*'")
    expect_core_error(run(paste("__global const double* x, const int2 y,", tail), 1, 1L), "parameter 2, '.*int2.*y'")
    expect_core_error(run(paste("__local double* x,", tail), 1), "local memory")
    expect_core_error(run("__global const double* x, __global const double* out, const int len", 1), "may write")
    expect_core_error(run("__global const double* x, __global double* out, __global int* len", 1), "must be a number")
    expect_core_error(run(tail, 1), "takes 2 arguments, but 3 are given")
    expect_core_error(run("__global const double* x", 1), "Its parameters: __global const double\\* x")
    expect_error(run_opencl_kernel(plus_one, "k", list(c(1, 2, 3), c(1, 2))), "has length 2, not 1 or 3")
  }
})

test_that("types that macros hide are told by the driver, and kept with the program on disk", {
  hidden <- "#define ARGUMENTS __global const double* x, __global double* out
__kernel void k(ARGUMENTS, const int len) { int i = get_global_id(0); if (i < len) out[i] = x[i] + 1; }"
  old <- options(nmathopencl.cache = tempfile("cache"))
  on.exit({
    unlink(getOption("nmathopencl.cache"), recursive = TRUE)
    options(old)
  })
  for (device in compiling_devices()) for (i in 1:2) {
    nmathopencl_opencl_reset_device_selection()
    expect_identical(run_opencl_kernel(hidden, "k", list(1:3), device = device), c(2, 3, 4))
  }
})

test_that("a text gets what it needs of nmath, by its tags or by what it calls", {
  calls <- kernel_of("__global const double* x, __global double* out, const int len",
    "pnorm(x[i], 0.0, 1.0, 1, 0) + qgamma(0.3, x[i], 1.0, 1, 0) + own(x[i])",
    "double own(double y) { return 2.0 * y; } // dbeta(y)\n")
  tagged <- paste0("// @depends_nmath: pnorm, qgamma\n\n", calls)
  x <- c(0.5, 1, 2)
  for (device in compiling_devices()) {
    for (program in c(calls, tagged, sub("@depends", "@all_depends", tagged))) {
      value <- run_opencl_kernel(program, "k", list(x), device = device)
      expect_equal(value, pnorm(x) + qgamma(0.3, x) + 2 * x, tolerance = 1e-13)
    }
    # OpenCL C's own functions are its own.
    value <- run_opencl_kernel(kernel_of("__global const double* x, __global double* out, const int len", "log1p(x[i])"),
      "k", list(x), device = device)
    expect_equal(value, log1p(x), tolerance = 1e-14)
    expect_core_error(run_opencl_kernel(sub("qgamma", "no_such", tagged, fixed = TRUE), "k", list(x), device = device),
      "your program:1: @depends_nmath: 'no_such' is not in the index")
  }
})

test_that("errors of a build name the user's line, and the file that has what is missing", {
  broken <- "__kernel void k(__global double* out, const int len)\n{\n    out[0] = foo;\n}"
  for (device in opencl_test_devices()) {
    expect_core_error(run_opencl_kernel(broken, "k", list(1), device = device), "your program:3(:[0-9]+)?: .*foo")
    expect_core_error(bundle_build(kernel_bundle(broken, device)), "your program:3(:[0-9]+)?: .*foo")
    expect_core_error(
      run_opencl_kernel(paste0("// @depends_nmath: dnorm\n", broken), "k", list(1), device = device), "your program:4"
    )
    bare <- kernel_of("__global double* out, const int len", "pnorm(1.0, 0.0, 1.0, 1, 0)")
    error <- tryCatch(bundle_build(kernel_bundle(bare, device)), error = identity)
    expect_match(error$hint, "'pnorm' is in inst/cl/nmath/pnorm.cl")
  }
})

test_that("a function that C has by another name than R is told by C's, also where C's library has R's name", {
  in_c <- c(besselI = "bessel_i", besselJ = "bessel_j", besselK = "bessel_k", besselY = "bessel_y", signif = "fprec",
    factorial = "gammafn(x + 1)")
  calls <- function(name) kernel_of("__global const double* x, __global double* out, const int len", paste0(name, "(x[i], 0.5)"))
  for (name in names(in_c)) {
    told <- paste0("nmath has no function '", name, "'; did you mean '", in_c[[name]], "'?")
    expect_error(nmath_header(name), told, fixed = TRUE)
    for (device in compiling_devices()) {
      expect_error(run_opencl_kernel(calls(name), "k", list(1), device = device), told, fixed = TRUE, class = "nmathopencl_error")
    }
  }
  gamma <- kernel_of("__global const double* x, __global double* out, const int len", "gamma(x[i])")
  near <- kernel_of("__global const double* x, __global double* out, const int len", "pnrom(x[i], 0.0, 1.0, 1, 0)")
  far <- kernel_of("__global const double* x, __global double* out, const int len", "no_such_thing(x[i])")
  own <- kernel_of("__global const double* x, __global double* out, const int len", "gamma(x[i])", "double gamma(double y) { return 2.0 * y; }\n")
  for (device in compiling_devices()) {
    expect_core_error(run_opencl_kernel(gamma, "k", list(5), device = device), "did you mean 'gammafn'")
    expect_core_error(run_opencl_kernel(near, "k", list(5), device = device), "did you mean 'pnorm'")
    error <- expect_core_error(run_opencl_kernel(far, "k", list(5), device = device), "no_such_thing")
    expect_identical(grepl("nmath has no", conditionMessage(error)), FALSE)
    expect_identical(run_opencl_kernel(own, "k", list(5), device = device), 10)
  }
})

test_that("each function of R that has a kernel is known to nmath_header(), or told by its name in C", {
  skip_on_cran() # a matter of seconds
  names <- sub("_opencl$", "", grep("^[dpqr]?[a-zA-Z]+_opencl$", getNamespaceExports("nmathopencl"), value = TRUE))
  of_r <- Filter(function(name) exists(name, baseenv()) || exists(name, asNamespace("stats"), inherits = FALSE), names)
  expect_gt(length(of_r), 80)
  for (name in of_r) {
    told <- tryCatch(if (nzchar(nmath_header(name))) "known", error = conditionMessage)
    expect_match(told, "^known$|; did you mean '", label = name)
  }
})

test_that("a kernel that does not end costs its device, and nothing else", {
  skip_on_os("windows")
  for (device in opencl_test_devices()) {
    # Not on a GPU that others may share: there a kernel of this kind can only be ended with its process.
    if (!identical(opencl_devices()$type[opencl_devices()$index == as.integer(device)], "cpu")) next
    result <- eval(substitute(in_child({
      endless <- "__kernel void k(__global const double* x, __global double* out, const int len)
        { volatile __global double* o = out; o[0] = 0.0; do o[0] = o[0] + 1.0; while (x[0] < 0.0); }"
      run <- function(x) run_opencl_kernel(endless, "k", list(x), device = DEVICE)
      first <- run(1)
      system(sprintf("(sleep 1; kill -INT %d) &", Sys.getpid()))
      begin <- proc.time()[["elapsed"]]
      error <- tryCatch(run(-1), nmathopencl_error = identity, interrupt = identity)
      late <- proc.time()[["elapsed"]] - begin - 1
      invisible(gc())
      again <- tryCatch(dnorm_opencl(0, device = DEVICE), nmathopencl_error = identity)
      devices <- opencl_devices()
      list(first = first, error = error, late = late, again = again, fp64 = devices$fp64[devices$index == DEVICE],
        host = dnorm_opencl(0, device = "host"), other = pgamma_opencl(1, 2))
    }, timeout = 60), list(DEVICE = as.integer(device))))
    expect_identical(result$first, 1)
    expect_s3_class(result$error, "nmathopencl_error")
    expect_match(conditionMessage(result$error), "does not end")
    expect_lt(result$late, 1)
    expect_s3_class(result$again, "nmathopencl_error")
    expect_match(conditionMessage(result$again), "did not end")
    expect_false(result$fp64)
    expect_equal(result$host, dnorm(0))
    expect_equal(result$other, pgamma(1, 2))
  }
})
