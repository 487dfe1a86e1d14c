# After the library a program has its own names: what nmath's files share among themselves carries a prefix, and the short macros
# of its headers can be switched off.

own_names_kernel <- "
double error(double x) { return 0.5 * x; }
double warning(double x) { return 0.25 * x; }
typedef struct { double hi; } dd;
double poly(dd x, double y) { return x.hi + y; }
double value(double x, int give_log, int log_p) { return give_log && !log_p ? x : 0.0; }
__kernel void own(__global const double* x, __global double* out, const int len) {
  int i = get_global_id(0);
  if (i >= len) return;
  double dnorm = error(x[i]), pnorm = warning(x[i]), qnorm = 3.0, head = 1.0, tail = 2.0, term = 4.0, sum = 5.0;
  dd pair;
  pair.hi = dnorm + pnorm;
  out[i] = value(poly(pair, qnorm), 1, 0) + pgamma(x[i], 2.0, 1.0, 1, 0) + head + tail + term + sum;
}"

test_that("a program can have names of its own beside the library", {
  x <- c(0.5, 1, 4)
  right <- 0.75 * x + 3 + pgamma(x, 2) + 12
  library <- build_rmath_opencl_program("src/pgamma_kernel.cl")
  expect_false(any(grepl("\\b(dd|poly)\\s*\\(", strsplit(gsub("//[^\n]*", "", library), "\n")[[1]], perl = TRUE)))
  kernel_begins <- regexpr("__kernel void pgamma_kernel", library, fixed = TRUE)
  text <- paste0("#define NMATH_NO_SHORT_NAMES 1\n", substr(library, 1, kernel_begins - 1), own_names_kernel)
  for (device in opencl_test_devices()) {
    expect_equal(run_opencl_kernel(text, "own", list(x), device = device), right, tolerance = 1e-14)
  }
})

test_that("the short names are there unless they are switched off", {
  for (device in opencl_test_devices()) {
    text <- "__kernel void k(__global const double* x, __global double* out, const int len) {
      int i = get_global_id(0);
      if (i < len) out[i] = dnorm(x[i], 0.0, 1.0, 0);
    }"
    expect_equal(run_opencl_kernel(text, "k", list(c(0, 1)), device = device), dnorm(c(0, 1)), tolerance = 1e-14)
  }
})
