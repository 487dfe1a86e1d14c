# Kernels over n-dimensional ranges: run_opencl_kernel() matches arguments to parameters by name, on every device that compiles.

expect_core_error <- function(object, text) expect_error(object, text, class = "nmathopencl_error")

test_that("results of several names and shapes, numbers by value", {
  text <- "__kernel void k(__global double* sums, const double a, __global const double* x, const uint cols, __global int* twice)
  {
    size_t i = get_global_id(0), j = get_global_id(1);
    if (i >= 3 || j >= cols) return;
    sums[i + 3 * j] = x[i] + a * (double)j;
    twice[i + 3 * j] = 2 * (int)i;
  }"
  for (device in compiling_devices()) {
    run <- function(columns, ...) {
      run_opencl_kernel(text, "k", columns, n = c(3, 4), out = list(sums = c(3, 4), twice = 12), device = device, ...)
    }
    expected <- list(sums = outer(c(1, 2, 5), 0.5 * 0:3, `+`), twice = rep(c(0L, 2L, 4L), 4))
    expect_identical(run(list(0.5, c(1, 2, 5), 4)), expected)
    expect_identical(run(list(cols = 4, a = 0.5, x = c(1, 2, 5)), groups = c(2, 2)), expected)
    expect_ran_on(device)
    expect_core_error(run(list(0.5, c(1, 2, 5))), "nothing is given for parameter 4, 'uint cols'")
    expect_core_error(run(list(0.5, c(1, 2, 5), 4, 1)), "argument 4 is not a parameter")
    expect_core_error(run(list(1:2, c(1, 2, 5), 4)), "'double a': it has 2 elements")
    expect_core_error(run_opencl_kernel(text, "k", list(0.5, 1:3, 4), out = list(sums = 12, no = 1), device = device), "parameter 5, '__global int\\* twice'")
    one <- "__kernel void k(__global const int* x, __global int* out) { out[get_global_id(0)] = x[0] + (int)get_global_id(0); }"
    expect_identical(run_opencl_kernel(one, "k", list(5L), n = 6, out = c(2, 3), device = device), matrix(5:10, 2))
  }
})

test_that("what only random = TRUE gives is told by its name", {
  k <- "__kernel void k(__global const double* x, __global double* out, const ulong seed)\n{ out[get_global_id(0)] = x[0] + (double)(seed > 0); }"
  other <- gsub("seed", "sead", k, fixed = TRUE)
  for (device in compiling_devices()) {
    expect_core_error(run_opencl_kernel(k, "k", list(1:3), n = 3, out = 3, device = device), "parameter 3, .* seed': random = TRUE gives it")
    error <- expect_core_error(run_opencl_kernel(other, "k", list(1:3), n = 3, out = 3, device = device), "parameter 3")
    expect_false(grepl("random", conditionMessage(error)))
    expect_identical(run_opencl_kernel(k, "k", list(1), n = 3, out = 3, device = device, random = TRUE), rep(2, 3))
  }
})

test_that("groups of work-items share local memory and wait for one another", {
  text <- "__kernel void k(__global const double* x, __global double* sums, __global double* least, __global double* most,
                           __local double* scratch, const int len)
  {
    int i = get_global_id(0);
    double v = i < len ? x[i] : 0.0;
    double s = nmath_group_sum(v, scratch), a = nmath_group_min(v, scratch), b = nmath_group_max(v, scratch);
    if (get_local_id(0) == 0) { int g = get_group_id(0); sums[g] = s; least[g] = a; most[g] = b; }
  }"
  set.seed(11)
  for (size in c(1, 7, 64, 256)) {
    x <- rnorm(size * 9)
    by <- rep(1:9, each = size)
    results <- lapply(all_compiling_devices(), function(device) {
      run_opencl_kernel(text, "k", list(x), out = list(sums = 9, least = 9, most = 9), local = c(scratch = size),
        groups = size, device = device)
    })
    for (result in results) {
      expect_equal(result$sums, as.vector(tapply(x, by, sum)), tolerance = 1e-13)
      expect_identical(result$least, as.vector(tapply(x, by, min)))
      expect_identical(result$most, as.vector(tapply(x, by, max)))
      expect_identical(result, results[[1]])
    }
  }
  for (device in compiling_devices()) {
    x <- c(1, NaN, 3, 4)
    result <- run_opencl_kernel(text, "k", list(x), out = list(sums = 2, least = 2, most = 2), local = 2, groups = 2,
      device = device)
    expect_identical(result, list(sums = c(NaN, 7), least = c(NaN, 3), most = c(NaN, 4)))
    expect_core_error(run_opencl_kernel(text, "k", list(x), out = list(sums = 2, least = 2, most = 2), device = device), "`local`")
  }
})

test_that("local memory declared in a kernel, three dimensions", {
  text <- "__kernel void k(__global const double* x, __global double* out)
  {
    __local double tile[4][4][2];
    int a = get_local_id(0), b = get_local_id(1), c = get_local_id(2);
    size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    tile[a][b][c] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[3 - a][b][1 - c];
  }"
  x <- array(as.double(1:(8 * 12 * 4)), c(8, 12, 4))
  i <- c(4:1, 8:5)
  k <- c(2, 1, 4, 3)
  for (device in compiling_devices()) {
    expect_identical(
      run_opencl_kernel(text, "k", list(x), n = dim(x), out = dim(x), groups = c(4, 4, 2), device = device), x[i, , k]
    )
  }
})

test_that("results begin as zeros, or as what they are given", {
  text <- "__kernel void k(__global const int* x, __global int* count, const int len)
  { int i = get_global_id(0); if (i < len) atomic_inc(&count[x[i]]); }"
  x <- rep(0:3, c(10, 200, 3000, 40000))
  for (device in compiling_devices()) {
    expect_identical(run_opencl_kernel(text, "k", list(x), out = list(count = 5), device = device)$count,
      c(10L, 200L, 3000L, 40000L, 0L))
    expect_identical(
      run_opencl_kernel(text, "k", list(x, count = 1:5), out = list(count = 5), device = device)$count,
      c(11L, 202L, 3003L, 40004L, 5L)
    )
  }
})

test_that("kernels draw what the package's functions draw", {
  text <- "__kernel void k(__global double* out, const ulong seed, const double shape, const int len)
  { int i = get_global_id(0); if (i >= len) return; NMATH_RNG(seed, i); out[i] = rgamma(shape, 1.0); }"
  draw <- function(device) {
    set.seed(5)
    run_opencl_kernel(text, "k", list(2.5), n = 50, random = TRUE, device = device)
  }
  # A vector of parameters is drawn by the sampler, as a kernel draws; one number from a table of quantiles.
  set.seed(5)
  expected <- rgamma_opencl(50, rep(2.5, 50), device = "host")
  for (device in compiling_devices()) {
    expect_equal(draw(device), expected, tolerance = 1e-13)
    expect_false(identical(run_opencl_kernel(text, "k", list(2.5), n = 50, random = TRUE, device = device), expected))
  }
  if (compiler_here()) {
    expect_core_error(
      run_opencl_kernel("__kernel void k(__global double* out) { }", "k", list(), n = 2, random = TRUE, device = "host"),
      "no parameter 'seed'"
    )
  }
})

test_that("arguments that make no shape are errors", {
  text <- "__kernel void k(__global double* out) { out[get_global_id(0)] = 1; }"
  run <- function(...) run_opencl_kernel(text, "k", list(), ..., device = "host")
  expect_core_error(run(n = 0, out = 1), "`n` must be")
  expect_core_error(run(n = c(2, 2, 2, 2), out = 16), "`n` must be")
  expect_core_error(run(n = 4, groups = c(2, 2)), "as many numbers")
  expect_core_error(run(n = 4, out = list(4)), "`out` must be")
  expect_core_error(run(n = 4, out = list(out = -1)), "'out' must be whole")
  expect_core_error(run(n = 4, local = "a"), "`local` must be")
  expect_core_error(run(n = 4, random = NA), "`random` must be")
})
