# What stands in a branch of ifelse() that no element takes: R does not compute it, so `if (NA)` and stop() in it are no errors.

unoptimized_programs()

test_that("conditions and errors in branches are those of R", {
  forms <- list(
    function(x, s) ifelse(x > 0, if (s > 0) x else -x, 0),
    function(x, s) sum(ifelse(x > 0, if (s > 0) x else -x, 0)),
    function(x, s) {
      y <- ifelse(x > 2, x * 2, ifelse(x < 0, if (s > 0) 1 else 2, 3))
      y + 1
    },
    function(x, s) ifelse(x > 3, stop("beyond three"), x + s),
    function(x, s) mean(ifelse(x > 3, {
      if (s < 0) stop("negative") else x
    }, x + 1)),
    function(x, s) ifelse(s > 0 & !is.na(s), x, if (s < 0) -x else x)
  )
  for (f in forms) for (x in list(c(1, 2.5), c(-1, -2), c(4, -1, NA), 5)) for (s in c(1, -1, NA)) {
    rs <- outcome_of(f(x, s))
    on_each_device(function(device) {
      g <- opencl_function(f)
      for (turn in 1:2) {
        ours <- outcome_of(g(x, s, device = device))
        reported <- paste(deparse1(f), deparse1(x), s, device)
        if (is.character(rs$value) && startsWith(rs$value, "error:")) {
          expect_match(ours$value, "^error:", info = reported)
        } else {
          expect_equal(ours$value, rs$value, tolerance = 1e-12, info = reported)
        }
      }
    })
  }
})

test_that("with reductions, groups and resident vectors, too; a gradient is refused", {
  f <- function(x, s) ifelse(x > 0, if (s > 0) x else -x, 0)
  x <- c(-1, -2, -3)
  summed <- opencl_function(f, reduce = "sum")
  on_each_device(function(device) {
    expect_identical(summed(x, NA_real_, device = device), 0)
    expect_identical(summed(x, NA_real_, by = c(1L, 2L, 2L), device = device), c("1" = 0, "2" = 0))
    expect_identical(summed(-x, 1, device = device), 6)
    stays <- opencl_function(f)(opencl_vector(x, device), NA_real_)
    expect_s3_class(stays, "opencl_vector")
    expect_identical(as.vector(stays), c(0, 0, 0))
    expect_error(opencl_function(f, reduce = "sum", gradient = "x")(x, NA_real_, device = device), "missing value where TRUE/FALSE needed", class = "nmathopencl_error")
  })
})

test_that("what would show something runs where the call says that it is not reached, and is refused where it is", {
  told <- function(p, verbose) { if (verbose) message("told"); p^2 }
  forms <- list(
    function(p, y, trace = FALSE) { if (trace) cat("p", p, "\n"); sum(p * y) }, function(p, y, trace = FALSE) { s <- sum(p * y); if (trace) { m <- paste("s", s); cat(m) } else s <- 2 * s; s },
    function(p, y, trace = FALSE) { s <- 0; for (i in seq_along(y)) { if (trace) print(i); s <- s + p * y[i] }; s }
  )
  y <- c(1, 2.5, -1, 3, 4, 1, 2, 0.5, 7, 3)
  for (f in forms) {
    expect_as_r(f, 0.5, y, devices = "host")
    for (compiler in c(if (compiler_here()) NA, FALSE)) {
      old <- options(nmathopencl.compiler = if (is.na(compiler)) getOption("nmathopencl.compiler") else compiler)
      expect_error(opencl_function(f)(0.5, y, TRUE, device = "host"), "would show something here")
      expect_equal(attr(opencl_function(f, gradient = "p")(0.5, y, device = "host"), "gradient")[[1L]], (f(0.5 + 1e-6, y) - f(0.5 - 1e-6, y)) / 2e-6, tolerance = 1e-6)
      options(old)
    }
  }
  of_helper <- function(p, y, trace = FALSE) sum(y) * told(p, trace)
  expect_as_r(of_helper, 0.5, y, devices = "host")
  if (compiler_here()) expect_error(opencl_function(of_helper)(0.5, y, TRUE, device = "host"), "would show something here", fixed = TRUE)
  own <- function(p, y) { cat <- function(a) a^2; s <- sum(p * y); if (p > 0) s <- cat(s); s }
  expect_as_r(own, 0.5, y, devices = "host")
  expect_error(opencl_function(function(p, y) { cat(p); sum(p * y) }), "shows something at each call", fixed = TRUE)
})
