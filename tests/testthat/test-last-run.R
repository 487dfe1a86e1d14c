# last_run() as it is printed.

test_that("last_run() is shown as a short table, and stays a list", {
  dnorm_opencl(rep(0.5, 1234), device = "host")
  run <- last_run()
  shown <- format(run)
  expect_identical(capture.output(print(run)), shown)
  expect_identical(shown[1L], "dnorm: 1,234 elements on host")
  expect_identical(shown[2L], "arithmetic: double")
  expect_match(shown[3L], "^[0-9,]+ launch(es)?, [0-9]+ threads?$")
  expect_match(shown[4L], "^programs: [0-9]+ built, [0-9]+ from caches \\([0-9]+ from disk\\)$")
  expect_identical(sub("^  ([a-z]+) .*", "\\1", shown[5:8]), c("build", "transfer", "compute", "total"))
  expect_equal(as.numeric(sub("^  total +(.*) ms$", "\\1", shown[8L])), 1e3 * run$total, tolerance = 0.01)
  expect_length(unique(nchar(shown[5:8])), 1L)
  expect_identical(run$elements, 1234)
  expect_match(capture.output(print(run["device"])), "host", all = FALSE)
  dnorm_opencl(0.5, device = "host")
  expect_identical(format(last_run())[1L], "dnorm: 1 element on host")
})

test_that("a decimal comma leaves points between thousands", {
  old <- options(OutDec = ",")
  on.exit(options(old))
  dnorm_opencl(rep(0.5, 1234), device = "host")
  expect_silent(shown <- format(last_run()))
  expect_identical(shown[1L], "dnorm: 1.234 elements on host")
  expect_silent(capture.output(print(opencl_vector(rep(0.5, 1234), device = "host"))))
})

test_that("last_run() tells the arithmetic, and what computed is counted as computing", {
  skip_without_pairs()
  unoptimized_programs()
  set.seed(1)
  x <- runif(3e4)
  f <- opencl_function(function(x, s) sum(dgamma(x, s, log = TRUE)))
  staged <- opencl_function(function(x, m) { s <- mean(x); sum(dgamma((x - s - m)^2 + 0.1, 2, log = TRUE)) }, gradient = "m")
  kernel <- "__kernel void k(__global const double* x, __global double* out, const int len)
  { int i = get_global_id(0); if (i < len) out[i] = pgamma(x[i], 2.0, 1.0, 1, 0); }"
  calls <- list(
    function(device) f(x, 1.5, device = device), function(device) f(x[1:5000], 1.5, device = device),
    function(device) staged(x, 0.5, device = device), function(device) pgamma_opencl(x[1:20000], 2.5, device = device),
    function(device) run_opencl_kernel(kernel, "k", list(x[1:20000]), device = device)
  )
  expect_output(print(with_pairs({ f(x, 1.5, device = "host"); last_run() })), "arithmetic: pair", fixed = TRUE)
  expect_identical(with_pairs({ f(x, 1.5, device = "host"); last_run()$arithmetic }, arithmetic = "single"), "single")
  for (device in pair_devices()) for (k in seq_along(calls)) {
    runs <- with_pairs(lapply(1:5, function(i) { calls[[k]](device); last_run() }))
    expect_identical(runs[[3L]]$arithmetic, "pair")
    if (device != "0") next
    # All but the copying of at most 240 kB is computing. (Other devices are waited for: in short calls not for long.)
    part <- vapply(runs, function(run) run$compute / max(run$total, 1e-9), 0)
    expect_gt(max(part), 0.3, label = paste("call", k, toString(signif(part, 3))))
  }
  rounds <- opencl_function(function(y, a) { s <- 0; for (t in 2:length(y)) s <- a * s + y[t] * y[t - 1]; s })
  by <- opencl_function(function(y, a) { s <- 0; for (t in 2:length(y)) s <- a * s + y[t]; s }, reduce = "sum")
  for (device in pair_devices()) for (arithmetic in c("pair", "single")) { # of a GPU's loops over one series the host device's
    expected <- if (identical(opencl_devices()$type[opencl_devices()$index == as.integer(device)], "gpu")) "double" else arithmetic
    for (k in 1:2) expect_identical(with_pairs({ rounds(x[1:2000], 0.3, device = device); last_run()$arithmetic }, arithmetic = arithmetic), expected)
    expect_identical(with_pairs({ by(x[1:2000], 0.3, by = rep(1:100, 20), device = device); last_run()$arithmetic }, arithmetic = arithmetic), arithmetic)
  }
  f(x, 1.5, device = "host")
  expect_identical(last_run()$arithmetic, "double")
})

test_that("shares of several devices are rows of it", {
  two <- structure(
    c(nmathopencl:::no_run("dnorm", 10), list(shares = data.frame(device = c("first", "second"), index = 1:2, elements = c(4, 6), seconds = c(0.1, 0.2)))),
    class = "nmathopencl_run"
  )
  expect_match(format(two), "second +2 +6 +0.2", all = FALSE)
})

test_that("series of `by` tell how many rows there were", {
  skip_without_compiler()
  f <- opencl_function(function(y, a) {
    s <- 0
    for (t in 2:length(y)) s <- a * s + y[t] * y[t - 1]
    s
  }, reduce = "sum")
  f(as.double(1:200), 0.3, by = rep(1:2, each = 100), device = "host")
  expect_identical(last_run()$elements, 200)
})
