# Indices that R and a program read differently are errors, also where only the number of elements is used and where
# warnings are suppressed.

unoptimized_programs()

y <- c(3, 1, 2, 4)

# Codes, all of them from 1 on, of R's value; an error of others.
expect_codes <- function(f, codes) {
  ours <- opencl_function(f)
  for (index in list(c(2, 1, NA), c(1L, 1L, 4L))) expect_identical(ours(y, index), f(y, index))
  for (index in codes) expect_error(ours(y, index), "from 1 on", class = "nmathopencl_error")
  expect_identical(ours(y, c(2, 1)), f(y, c(2, 1)))
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (index in codes) expect_identical(opencl_function(f)(y, index), f(y, index))
}

test_that("a length is that of codes from 1 on", {
  skip_without_compiler()
  lengths <- list(
    function(y, k) length(y[k]), function(y, k) NROW(y[k]) * 2L, function(y, k) seq_along(y[k]), function(y, k) sum(y) / length(exp(y[k])),
    function(y, k) if (length(y[k]) > 2) y else -y, function(y, k) rep(1, length(y[k])),
    function(y, k) {
      z <- y[k]
      n <- length(z)
      sum(y) / n
    }
  )
  for (f in lengths) expect_codes(f, list(c(1, 0, 1), c(0L, 0L), c(-1, -2), 0, c(NA, 0)))
  in_branch <- function(y, k) ifelse(y > 9, length(y[k]), 0)
  expect_identical(opencl_function(in_branch)(y, c(1, 0)), in_branch(y, c(1, 0)))
})

test_that("suppressed warnings suppress no error of an index", {
  skip_without_compiler()
  muted <- list(
    function(y, k) suppressWarnings(y[k]), function(y, k) sum(suppressWarnings(y[k] * 2)), function(y, k) suppressWarnings(sum((y * 2)[k]))
  )
  for (f in muted) expect_codes(f, list(c(1, 0, 1), c(-1, -2)))
})

test_that("rows are chosen by tests that are no longer than there are rows", {
  X <- cbind(a = y, b = rev(y))
  rows <- list(function(X, k) X[k, 2] * 2, function(X, k) X[k, ], function(X, k) sum(X[k, ]))
  long <- c(TRUE, FALSE, TRUE, TRUE, FALSE)
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (f in rows) {
      ours <- opencl_function(f)
      expect_identical(ours(X, long[1:4]), f(X, long[1:4]))
      expect_error(ours(X, long), "logical subscript too long")
      expect_identical(ours(X, long[1:4]), f(X, long[1:4]))
    }
    options(old)
  }

})

test_that("all of a row or a column is a vector", {
  parts <- list(function(X) X[, ] * 2, function(X) X[, , drop = FALSE] * 2, function(X) sum(X[, ]))
  X <- cbind(a = y, b = rev(y))
  rownames(X) <- letters[1:4]
  for (f in parts) {
    ours <- opencl_function(f)
    for (part in list(X, X[1, , drop = FALSE], X[, 1, drop = FALSE], X[1, 1, drop = FALSE], X)) expect_identical(ours(part), f(part))
  }
})
