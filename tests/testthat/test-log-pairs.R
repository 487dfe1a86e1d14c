# Logarithms as pairs of doubles (log_pair.cl) and what is made of them where a processor rounds a product and a sum once: devices
# here may have the macro that tells so, or get it.

pair_program <- function(call) {
  file <- tempfile(fileext = ".cl")
  on.exit(unlink(file))
  writeLines(c(
    "// @depends: nmath, dgamma_fixed, log_quotient_fixed",
    "__kernel void k(__global const double* x, __global const double* a, __global const double* s, __global double* out, const int len)",
    paste0("{ int i = get_global_id(0), needs_general = 0; if (i < len) { double r = ", call, "; out[i] = needs_general ? -77.0 : r; } }")
  ), file)
  paste0("#define FP_FAST_FMA 1\n", as.character(opencl_program(file, package = NULL)))
}

test_that("log densities and log quotients by pairs are those by the quotient", {
  set.seed(41)
  a <- rep(c(0.06, 0.5, 0.999, 1.001, 2, 3.7, 40, 999, 10^stats::runif(40, -1.2, 2.99)), each = 40)
  s <- rep_len(c(1, 1e-30, 1e30, 0.37, 5e4), length(a))
  x <- a * s * exp(stats::rnorm(length(a), 0, rep_len(c(3, 1e-3, 1e-9, 0), length(a)) / sqrt(a)))
  x[seq(1, length(x), 17)] <- a[seq(1, length(x), 17)] * s[seq(1, length(x), 17)] * 10^stats::runif(length(seq(1, length(x), 17)), -20, 5)
  for (device in opencl_test_devices()) {
    columns <- list(x, a, s)
    got <- run_opencl_kernel(pair_program("dgamma_fixed_at(x[i], dgamma_fixed_of(a[i], s[i], &needs_general), &needs_general)"), "k", columns, device = device)
    want <- dgamma_opencl(x, a, scale = s, log = TRUE, device = "host")
    y <- x / s
    size <- abs(want) + abs(a - 1 - y) + a * abs(log(y) - digamma(a)) + abs(y - a)
    expect_lt(max(abs(got - want) / size), 8 * .Machine$double.eps)
    got <- run_opencl_kernel(pair_program("log_quotient_fixed_at(x[i], log_quotient_fixed_of(s[i], &needs_general), &needs_general)"), "k", columns, device = device)
    expect_lt(max(abs(got - log(y)) / (abs(log(y)) + 1)), 2 * .Machine$double.eps)
  }
})

test_that("where x is 0, negative, infinite, missing or subnormal", {
  x <- c(0, -1, -Inf, Inf, NaN, 5e-324, 1e-310, 1.7e308)
  for (device in opencl_test_devices()) for (shape in c(0.5, 3)) {
    columns <- list(x, rep(shape, 8), rep(2, 8))
    got <- run_opencl_kernel(pair_program("dgamma_fixed_at(x[i], dgamma_fixed_of(a[i], s[i], &needs_general), &needs_general)"), "k", columns, device = device)
    expect_equal(got, dgamma_opencl(x, shape, scale = 2, log = TRUE, device = "host"), tolerance = 1e-15) # R has x / scale, which is 0 here
    got <- run_opencl_kernel(pair_program("log_quotient_fixed_at(x[i], log_quotient_fixed_of(s[i], &needs_general), &needs_general)"), "k", columns, device = device)
    expect_equal(got[-(2:3)], log(x[-(2:3)]) - log(2), tolerance = 1e-15)
    expect_true(all(is.nan(got[2:3])))
  }
})
