test_that("forked workers compute on the host device whatever their parent used", {
  skip_on_cran() # other processes
  skip_on_os("windows") # mclapply does not fork there
  for (device in test_devices()) {
    result <- eval(substitute(in_child({
      x <- seq(-3, 3, length.out = 1e5)
      dnorm_opencl(x, device = DEVICE)
      work <- function(i) dnorm_opencl(x, i, device = "host")
      nested <- function(i) parallel::mclapply(1:2, function(j) work(10 * i + j), mc.cores = 2)
      list(
        flat = parallel::mclapply(1:2, work, mc.cores = 2), nested = parallel::mclapply(1:2, nested, mc.cores = 2),
        auto = parallel::mclapply(1:2, function(i) dnorm_opencl(i), mc.cores = 2),
        glm = parallel::mclapply(1:2, function(i) {
          f2_f3_opencl("poisson", "log", matrix(i), 1, matrix(1), 0, matrix(1), 0, 1, device = "host")$qf
        }, mc.cores = 2),
        parent = dnorm_opencl(x, device = DEVICE)
      )
    }, timeout = 60), list(DEVICE = device)))
    x <- seq(-3, 3, length.out = 1e5)
    for (i in 1:2) {
      expect_equal(result$flat[[i]], dnorm(x, i), tolerance = 1e-14)
      for (j in 1:2) expect_equal(result$nested[[i]][[j]], dnorm(x, 10 * i + j), tolerance = 1e-14)
      expect_equal(result$auto[[i]], dnorm(i), tolerance = 1e-14)
      expect_equal(result$glm[[i]], 0.5 * i^2 - dpois(1, exp(i), log = TRUE), tolerance = 1e-12)
    }
    expect_equal(result$parent, dnorm(x), tolerance = 1e-14)
  }
})

test_that("OpenCL in a worker forked after its use is a clear error, before its use it works", {
  skip_on_os("windows")
  for (device in opencl_test_devices()) {
    result <- eval(substitute(in_child({
      ask <- function(i, ...) {
        tryCatch(dnorm_opencl(i, device = DEVICE, ...), nmathopencl_error = function(e) list(conditionMessage(e), e$hint))
      }
      # The parent has not touched OpenCL: each worker starts its own.
      before <- parallel::mclapply(1:2, ask, mc.cores = 2)
      ask(1)
      list(
        before = before, after = parallel::mclapply(1:2, ask, mc.cores = 2),
        fallback = parallel::mclapply(1:2, function(i) suppressWarnings(ask(i, fallback = TRUE)), mc.cores = 2),
        devices = parallel::mclapply(1, function(i) suppressWarnings(opencl_devices()$name), mc.cores = 1),
        listed = parallel::mclapply(1:2, function(i) suppressWarnings(opencl_devices()$name), mc.cores = 2),
        parent = ask(2)
      )
    }, timeout = 60), list(DEVICE = device)))
    for (i in 1:2) {
      expect_equal(result$before[[i]], dnorm(i), tolerance = 1e-14)
      expect_match(result$after[[i]][[1]], "forked process")
      expect_match(result$after[[i]][[2]], "device = \"host\"", fixed = TRUE)
      expect_equal(result$fallback[[i]], dnorm(i), tolerance = 1e-14)
      expect_identical(result$listed[[i]], "host")
    }
    expect_equal(result$parent, dnorm(2), tolerance = 1e-14)
  }
})
