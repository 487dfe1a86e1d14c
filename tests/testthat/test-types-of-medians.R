# median() of what a gradient is in has R's type: that of the vector where one element is in the middle, a double where there are two.

unoptimized_programs()

test_that("median() of integers, logicals and doubles has R's value and type, with its gradient", {
  skip_on_cran() # a matter of seconds
  forms <- list(function(y, a) median(y * a), function(y, a) median(y) * a, function(y, a) median(y) + 1L, function(y, a) (median(y * a) %/% 2L) * a)
  vectors <- list(3L, c(5L, 1L, 2L), c(1L, 2L, 4L, 8L), c(7L, NA), c(TRUE, FALSE, TRUE), c(FALSE, TRUE), c(2147483646L, 2147483647L), c(3, 1, 2), c(3, 1, 2, 9), c(a = 3, b = 1, c = 2))
  for (way in c(if (compiler_here()) "0", "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    for (f in forms) for (y in vectors) for (a in list(1L, 1.5)) {
      r <- suppressWarnings(f(y, a))
      made <- opencl_function(f, gradient = if ("a" %in% all.vars(body(f))) c("y", "a") else "y")
      ours <- suppressWarnings(made(y, a, device = "0"))
      expect_identical(typeof(ours), typeof(r), info = paste(way, deparse1(body(f)), deparse1(y), a))
      expect_equal(as.vector(ours), as.vector(r), info = paste(way, deparse1(body(f)), deparse1(y), a))
      expect_null(names(ours))
    }
    slopes <- attr(opencl_function(function(y) median(y)^2, gradient = "y")(c(5L, 1L, 2L), device = "0"), "gradient")
    options(old)
    expect_equal(as.vector(slopes), c(0, 0, 4))
  }
})

test_that("apply() over no rows or columns says what to write", {
  f <- function(X, a) sum(apply(X, 1, function(r) sum(r) * a))
  for (way in c(if (compiler_here()) "0", "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    for (made in list(opencl_function(f), opencl_function(f, gradient = "a"))) {
      expect_error(made(matrix(0, 0, 2), 2, device = "0"), "apply() over no rows", fixed = TRUE)
      expect_equal(as.vector(made(matrix(1, 3, 2), 2, device = "0")), 12)
    }
    columns <- opencl_function(function(X, a) sum(apply(X, 2, sum)) * a)
    asked <- opencl_function(function(X, a) if (nrow(X) > 0) sum(apply(X, 1, function(r) sum(r) * a)) else 0)
    expect_error(columns(matrix(0, 2, 0), 2, device = "0"), "apply() over no columns", fixed = TRUE)
    expect_equal(as.vector(asked(matrix(0, 0, 2), 2, device = "0")), 0)
    options(old)
  }
})
