# What a user of opencl_function() is told to write instead.

test_that("what the language lacks is an error that says what to write", {
  lacking <- function(f, text) expect_error(opencl_function(f), text, class = "nmathopencl_error", fixed = TRUE)
  lacking(function(x) (x + 1)$a, "`$` is not supported: an expression knows elements of lists that are arguments")
  lacking(function(x) x@a, "`@` is not supported")
  lacking(function(x) x + sort(pnorm(x)), "It stands in `sort(pnorm(x))`; ?opencl_language")
  lacking(function(x) lapply(x, exp), "Call the function with the vector itself")
  lacking(function(x) {
    names(x) <- 2
    x
  }, "Write x <- ifelse(test, value, x)")
  lacking(function(x) (function(y) y)(x), "name <- opencl_function(function(x) ...)")
  lacking(function(x) pnorm5(x, 0, 1, 1, 0), "there is no such function here, but pnorm()")
  lacking(function(x) lGamma(x), "but lgamma()")
  lacking(function(x) nothing_of_that_name(x), "there is no such function here")
  lacking(function(x) x + "a", "the constant `\"a\"` is no number")
  lacking(function(x) utils::stack(x), "`stack()` is a function of the package utils: make it one that an expression can call")
  lacking(function(...) 1, "name its arguments")
})

test_that("messages about products with a matrix name the matrix and the lengths", {
  skip_without_compiler() # R, which computes without one, has messages of its own
  X <- matrix(as.double(1:6), 3)
  told <- function(f, ..., text) expect_error(opencl_function(f)(..., device = "host"), text, class = "nmathopencl_error", fixed = TRUE)
  told(function(X, b) X %*% b, X, matrix(1, 1, 2), text = "non-conformable arguments, 2 columns and 1 rows")
  told(function(X, b) X %*% b, X, c(1, 2, 3), text = "non-conformable arguments, 2 columns and 3 coefficients: give one for each column")
  told(function(X, b, y) X %*% b + y, X, c(1, 2), 1:6 + 0, text = "dims [product 3] do not match the length of object [6]")
  expect_identical(opencl_function(function(X, b, q) ifelse(q, X %*% b, 1))(X, c(1, 2), TRUE, device = "host"), (X %*% c(1, 2))[1])
  expect_equal(opencl_function(function(X, b) X %*% b)(X, matrix(c(1, 2)), device = "host"), X %*% c(1, 2))
})

test_that("what depends on the arguments is refused at the call, with the user's own line", {
  skip_without_compiler()
  told <- function(f, ..., text) expect_error(opencl_function(f)(..., device = "host"), text, class = "nmathopencl_error", fixed = TRUE)
  told(function(x) x %in% 2, 1, text = "x == a | x == b")
  told(function(x, link) if (link == "a") x else x * link, 1, "b", text = "`link` is a text where a number is needed")
  told(function(x, w = NULL) if (is.null(x)) 1 else x + w, 1, text = "`w` is NULL where a number is needed")
})

test_that("arguments of other types are named with what to give", {
  f <- opencl_function(function(x) x)
  told <- function(x, text) expect_error(f(x), text, class = "nmathopencl_error", fixed = TRUE)
  told(factor("a"), "as.numeric(x == \"a\"), or its codes from 1, as.integer(x)")
  told(matrix("a"), "is of type character")
  told(Sys.Date(), "as.numeric(x)")
  told(data.frame(a = 1), "as.matrix(x), or its columns")
  told("a", "is of type character")
})

test_that("a flag is the first of a vector, as R takes it", {
  skip_without_compiler()
  f <- opencl_function(function(x, l) pnorm(x, lower.tail = l))
  x <- c(1, 2, -1)
  for (l in list(c(FALSE, TRUE), c(TRUE, FALSE, FALSE), FALSE, c(FALSE, FALSE), c(0, 1), NA, c(NA, FALSE))) {
    expect_equal(f(x, l, device = "host"), pnorm(x, lower.tail = l), tolerance = 1e-14)
  }
})

test_that("names that C or R gives a function are names of calls for a kernel", {
  path <- tempfile("calls")
  dir.create(path)
  writeLines(c("Package: calls", "Version: 0.1", "Title: Calls", "License: GPL-2"), file.path(path, "DESCRIPTION"))
  calls <- c("pnorm5", "lgamma", "gamma", "besselI", "dgamma_opencl")
  rows <- nmathopencl:::called_rows(calls)
  expect_equal(vapply(rows, function(row) row$name, ""), c("pnorm", "lgammafn", "gammafn", "besselI", "dgamma"))
  expect_error(nmathopencl:::called_rows(c("lgamma", "lgammafn")), "twice, by different names", class = "nmathopencl_error")
  expect_error(nmathopencl:::called_rows("dgama"), "there are dgamma", class = "nmathopencl_error")
  suppressMessages(use_nmath_kernel(path, "terms", calls[1:2]))
  kernel <- readLines(file.path(path, "inst", "cl", "src", "terms.cl"))
  expect_match(kernel, "@depends_nmath: pnorm, lgamma", all = FALSE)
})

test_that("a path of a file is told to go with package = NULL", {
  file <- tempfile(fileext = ".cl")
  writeLines("__kernel void nothing() {}", file)
  expect_error(opencl_program(file), "package = NULL", class = "nmathopencl_error", fixed = TRUE)
  expect_s3_class(opencl_program(file, package = NULL), "opencl_program")
})

test_that("a function's name in a tag for files is told its file", {
  file <- tempfile(fileext = ".cl")
  writeLines(c("// @depends_nmath: lgammafn", "__kernel void nothing() {}"), file)
  expect_error(opencl_program(file, package = NULL), "the file that has this function is 'lgamma'", class = "nmathopencl_error", fixed = TRUE)
})
