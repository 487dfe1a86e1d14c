# Sizes of kernels that R's numbers can say and no device can have: an error, on every device, and the next call works. Another
# process runs them, since what is not refused may end it.
skip_on_cran()

size_calls <- quote({
  text <- "
    __kernel void range(__global double* out)
    { out[get_global_id(0) % 4] = get_global_size(0); }
    __kernel void tile(__global double* out, __local double* scratch)
    { scratch[get_local_id(0)] = 1.0; barrier(CLK_LOCAL_MEM_FENCE); out[get_group_id(0) % 4] = scratch[0]; }
    __kernel void plain(__global const double* x, __global double* out, const int len)
    { int i = get_global_id(0); if (i < len) out[i] = x[i]; }"
  run <- function(kernel, ...) run_opencl_kernel(text, kernel, list(), device = device, ...)
  huge <- c(2^31 + 1, 2^32, 2^33, 2^61, 2^62, 2^63, 2^64, 2^65, 1e300, .Machine$double.xmax)
  outcome <- function(call) {
    value <- tryCatch(call(), nmathopencl_error = function(e) "refused", error = conditionMessage)
    if (is.character(value)) value else "computed"
  }
  reported <- list(
    n = vapply(huge[huge > 2^53], function(n) outcome(function() run("range", n = n, out = 4)), ""),
    two = vapply(huge, function(n) outcome(function() run("range", n = c(n, 2^32), out = 4)), ""),
    three = vapply(c(2^18, huge), function(n) outcome(function() run("range", n = c(n, n, n), out = 4)), ""),
    groups = vapply(huge, function(g) outcome(function() run("range", n = 4, groups = g, out = 4)), ""),
    groups_2 = vapply(c(2^7, huge), function(g) outcome(function() run("range", n = c(4, 4), groups = c(g, g), out = 4)), ""),
    groups_3 = vapply(huge, function(g) outcome(function() run("range", n = c(4, 4, 4), groups = c(1, 1, g), out = 4)), ""),
    local = vapply(huge, function(l) outcome(function() run("tile", n = 4, groups = 4, local = l, out = 4)), ""),
    out = vapply(c(2^44, 2^51, huge[huge > 2^40]), function(o) outcome(function() run("range", n = 4, out = o)), ""),
    out_2 = vapply(c(2^31, 2^61), function(o) outcome(function() run("range", n = 4, out = c(o, 2))), ""),
    kept = vapply(c(2^44, 2^51), function(o) outcome(function() run("range", n = 4, out = o, keep = TRUE)), ""),
    plain = vapply(c(huge, 1.5), function(n) {
      outcome(function() run_opencl_kernel(text, "plain", list(1), n = n, device = device))
    }, "")
  )
  most <- tryCatch(run("range", n = 8, groups = 8, out = 4), error = conditionMessage)
  list(reported = reported, good = most, tile = run("tile", n = 4, groups = 4, local = 4, out = 1))
})

test_that("a size that no device has is an error, and nothing is computed", {
  for (device in compiling_devices()) {
    result <- eval(substitute(in_child({
      options(nmathopencl.compiler = TRUE)
      device <- DEVICE
      CALLS
    }, timeout = 120), list(DEVICE = as.integer(device), CALLS = size_calls)))
    for (what in names(result$reported)) {
      expect_identical(unique(result$reported[[what]]), "refused", info = paste(device_name(device), what))
    }
    expect_identical(result$good, rep(8, 4), info = device_name(device))
    expect_identical(result$tile, 1)
  }
})

test_that("a long range that is possible is computed", {
  skip_without_compiler()
  text <- "__kernel void last(__global double* out) { if (get_global_id(0) == 70000000 && get_global_id(1) == 1) out[0] = get_global_size(0); }"
  expect_identical(run_opencl_kernel(text, "last", list(), n = c(70000001, 2), out = 1, device = "host"), 70000001)
})
