# last_run() as it is printed.

test_that("last_run() is shown as a short table, and stays a list", {
  dnorm_opencl(rep(0.5, 1234), device = "host")
  run <- last_run()
  shown <- format(run)
  expect_identical(capture.output(print(run)), shown)
  expect_identical(shown[1L], "dnorm: 1,234 elements on host")
  expect_match(shown[2L], "^[0-9,]+ launch(es)?, [0-9]+ threads?$")
  expect_match(shown[3L], "^programs: [0-9]+ built, [0-9]+ from caches \\([0-9]+ from disk\\)$")
  expect_identical(sub("^  ([a-z]+) .*", "\\1", shown[4:7]), c("build", "transfer", "compute", "total"))
  expect_equal(as.numeric(sub("^  total +(.*) ms$", "\\1", shown[7L])), 1e3 * run$total, tolerance = 0.01)
  expect_length(unique(nchar(shown[4:7])), 1L)
  expect_identical(run$elements, 1234)
  expect_match(capture.output(print(run["device"])), "host", all = FALSE)
  dnorm_opencl(0.5, device = "host")
  expect_identical(format(last_run())[1L], "dnorm: 1 element on host")
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
