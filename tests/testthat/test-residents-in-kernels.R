# Resident vectors as arguments of users' kernels, of the GLM grid, and as codes of groups.

unoptimized_programs()
weighted <- "
__kernel void k(__global const double* x, __global const int* y, const double a, __global double* out, const int len)
{ int i = get_global_id(0); if (i < len) out[i] = a * x[i] + y[i]; }"

summary_of_groups <- "
__kernel void summary(__global const double* x, __global double* sums, __global int* most, __local double* scratch)
{
    double s = nmath_group_sum(x[get_global_id(0)], scratch);
    double m = nmath_group_max(x[get_global_id(0)], scratch);
    if (get_local_id(0) == 0) { sums[get_group_id(0)] = s; most[get_group_id(0)] = (int)m; }
}"

test_that("an elementwise kernel takes resident vectors, and its result is resident", {
  x <- seq_len(1000) / 7
  y <- rep_len(c(1L, NA, 5L), 1000)
  y[is.na(y)] <- -3L
  for (device in compiling_devices()) {
    vx <- opencl_vector(x, device = device)
    vy <- opencl_vector(y, device = device)
    for (columns in list(list(vx, vy, 2), list(vx, y, opencl_vector(2, device = device)), list(x, vy, 2L))) {
      result <- run_opencl_kernel(weighted, "k", columns)
      expect_ran_on(device)
      expect_s3_class(result, "opencl_vector")
      expect_identical(as.vector(result), 2 * x + y)
    }
    kept <- run_opencl_kernel(weighted, "k", list(x, y, 2), device = device, keep = TRUE)
    expect_identical(resident_device(kept), device_name(device))
    expect_identical(as.vector(kept), 2 * x + y)
    bundle <- bundle_build(kernel_bundle(weighted, device))
    expect_identical(as.vector(run_opencl_kernel(bundle, "k", list(vx, vy, 2))), 2 * x + y)
    expect_identical(as.vector(vx), x)
  }
})

test_that("a kernel in another shape takes them too, and leaves its results if it is told", {
  for (device in compiling_devices()) {
    x <- opencl_vector(as.double(1:8), device = device)
    run <- function(...) run_opencl_kernel(summary_of_groups, "summary", list(x = x), out = list(sums = 2, most = 2), local = 4, groups = 4, ...)
    expect_identical(run(), list(sums = c(10, 26), most = c(4L, 8L)))
    kept <- run(keep = TRUE)
    expect_s3_class(kept$sums, "opencl_vector")
    expect_identical(lapply(kept, as.vector), list(sums = c(10, 26), most = c(4L, 8L)))
    square <- "__kernel void square(__global const double* x, __global double* out) { out[get_global_id(0)] = x[get_global_id(0)] * x[get_global_id(0)]; }"
    kept <- run_opencl_kernel(square, "square", list(x), out = c(2, 4), keep = TRUE)
    expect_identical(kept[], matrix((1:8)^2, 2))
    adds <- "__kernel void adds(__global const double* x, __global double* out) { out[get_global_id(0)] += x[get_global_id(0)]; }"
    kept <- run_opencl_kernel(adds, "adds", list(x, out = 1), out = 8, keep = TRUE)
    expect_identical(as.vector(kept), 1:8 + 1)
  }
})

test_that("what a kernel cannot do with them is an error that says why", {
  for (device in compiling_devices()) {
    x <- opencl_vector(c(1, 2), device = device)
    i <- opencl_vector(1:2, device = device)
    expect_error(run_opencl_kernel(weighted, "k", list(i, i, 2)), "it holds integers", class = "nmathopencl_error")
    expect_error(run_opencl_kernel(weighted, "k", list(x, x, 2)), "it holds doubles", class = "nmathopencl_error")
    expect_error(run_opencl_kernel(sub("const double[*]", "double*", weighted), "k", list(x, i, 2)), "never changes")
    expect_error(run_opencl_kernel(weighted, "k", list(x, i, x)), "has 2 elements")
    adds <- "__kernel void adds(__global double* out) { out[get_global_id(0)] += 1; }"
    expect_error(run_opencl_kernel(adds, "adds", list(out = x), out = 2), "never changes")
    halves <- "__kernel void halves(__global float* out, const int len) { out[get_global_id(0)] = 0.5f; }"
    expect_error(run_opencl_kernel(halves, "halves", list(), out = 2, device = device, keep = TRUE), "cannot be resident")
    expect_error(run_opencl_kernel(weighted, "k", list(1, 1L, 2), device = device, keep = "yes"), "`keep` must be")
    opencl_free(x)
    expect_error(run_opencl_kernel(weighted, "k", list(x, i, 2)), "released")
  }
  skip_if(length(opencl_test_devices()) == 0 || !compiler_here())
  here <- opencl_vector(c(1, 2), device = "host")
  there <- opencl_vector(c(1, 2), device = opencl_test_devices()[1])
  i <- opencl_vector(1:2, device = "host")
  expect_error(run_opencl_kernel(weighted, "k", list(there, i, 2)), "different devices", class = "nmathopencl_error")
  bundle <- bundle_build(kernel_bundle(weighted, opencl_test_devices()[1]))
  expect_error(run_opencl_kernel(bundle, "k", list(here, 1:2, 2)), "different devices", class = "nmathopencl_error")
})

test_that("the grid takes resident data, and gives the same", {
  for (device in test_devices()) for (model in list(c("binomial", "logit"), c("gaussian", "identity"))) {
    set.seed(7)
    problem <- random_glm_problem(model[1], model[2], 120, 3, 40)
    expected <- do.call(f2_f3_opencl, c(problem, device = device))
    for (names in list(c("x", "y"), c("b", "x", "y", "wt", "alpha"))) {
      resident <- problem
      for (name in names) resident[[name]] <- opencl_vector(problem[[name]], device = device)
      expect_identical(do.call(f2_f3_opencl, resident), expected)
      expect_ran_on(device)
    }
    whole <- resident
    whole$mu <- opencl_vector(problem$mu, device = device)
    whole$P <- opencl_matrix(problem$P, device = device)
    expect_identical(do.call(f2_f3_opencl, whole), expected)
  }
})

test_that("the grid checks resident data as it checks others", {
  set.seed(8)
  problem <- random_glm_problem("binomial", "logit", 20, 2, 5)
  for (device in test_devices()) {
    with_one <- function(name, value) {
      problem[[name]] <- opencl_vector(value, device = device)
      do.call(f2_f3_opencl, problem)
    }
    expect_error(with_one("y", c(NA, problem$y[-1])), "`y` has missing values", class = "nmathopencl_error")
    expect_error(with_one("x", replace(problem$x, 1, Inf)), "`x` has infinite values", class = "nmathopencl_error")
    expect_error(with_one("y", c(2, problem$y[-1])), "between 0 and 1", class = "nmathopencl_error")
    expect_error(with_one("wt", -problem$wt), "negative weights", class = "nmathopencl_error")
    expect_error(with_one("alpha", 1:3), "`alpha` has length 3", class = "nmathopencl_error")
    expect_error(with_one("x", as.vector(problem$x)), "`x` must be a matrix", class = "nmathopencl_error")
    counts <- problem
    counts$wt <- opencl_vector(as.integer(problem$wt), device = device)
    problem$wt <- as.double(as.integer(problem$wt))
    expect_identical(do.call(f2_f3_opencl, counts), do.call(f2_f3_opencl, c(problem, device = device)))
  }
  skip_if(length(opencl_test_devices()) == 0)
  problem$x <- opencl_vector(problem$x, device = "host")
  problem$y <- opencl_vector(problem$y, device = opencl_test_devices()[1])
  expect_error(do.call(f2_f3_opencl, problem), "different devices", class = "nmathopencl_error")
})

test_that("groups by resident codes are those by R's codes, and the codes keep their order", {
  x <- seq(-3, 3, length.out = 5000)
  g <- rep_len(c(3L, 1L, NA, 7L, 3L), 5000)
  sums <- opencl_function(function(x, m) dnorm(x, m, log = TRUE), reduce = "sum")
  most <- opencl_function(function(x) pgamma(x + 4, 2), reduce = "max")
  for (device in test_devices()) {
    codes <- opencl_vector(g, device = device)
    vx <- opencl_vector(x, device = device)
    expected <- sums(x, 0.5, by = g, device = device)
    expect_identical(names(expected), as.character(1:7))
    for (i in 1:2) {
      expect_identical(sums(x, 0.5, by = codes), expected)
      expect_ran_on(device)
      expect_identical(sums(vx, 0.5, by = codes), sums(vx, 0.5, by = g))
      expect_identical(most(x, by = codes), most(x, by = g, device = device))
    }
    expect_error(sums(x[-1], 0.5, by = codes), "`by` has length 5000", class = "nmathopencl_error")
    expect_error(sums(x, 0.5, by = opencl_vector(x, device = device)), "integer codes", class = "nmathopencl_error")
    expect_error(sums(x, 0.5, by = opencl_vector(g - 1L, device = device)), "from 1 on", class = "nmathopencl_error")
    opencl_free(codes)
    expect_error(sums(x, 0.5, by = codes), "released", class = "nmathopencl_error")
  }
  skip_if(length(opencl_test_devices()) == 0)
  codes <- opencl_vector(g, device = "host")
  vx <- opencl_vector(x, device = opencl_test_devices()[1])
  expect_error(sums(vx, 0.5, by = codes), "different devices", class = "nmathopencl_error")
})
