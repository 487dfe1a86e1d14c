# A function that is called again and again: no call gives anything else for the calls before it.

unoptimized_programs()

test_that("random sequences of calls give what R gives, and what a function gives that has not been called", {
  skip_on_cran() # a matter of seconds
  devices <- c(expression_devices(), "plain")
  compared <- 0
  as_one(for (case in seq_len(cases(30, 10, 6))) compared <- compared + expect_sequence(case, devices))
  expect_gt(compared, cases(100, 30, 10))
})

test_that("a value has the attributes of this call's arguments, also from the second call on", {
  y <- c(1, 2, 4)
  one <- function(y, s) sum(y) * s
  noted <- structure(2, note = "kept")
  for (device in expression_devices()) for (gradient in list(NULL, "s")) {
    f <- opencl_function(one, gradient = gradient)
    for (turn in 1:3) expect_null(attr(f(y, 2, device = device), "note"))
    for (turn in 1:3) expect_identical(attr(f(y, noted, device = device), "note"), "kept")
    for (turn in 1:2) expect_null(attr(f(structure(y, note = "kept"), 2, device = device), "note"))
    expect_identical(c(f(y, 2, device = device)), 14)
  }
})

test_that("rows without a level leave no other argument for rows", {
  f <- function(y, u, g) sum((y - mean(y))^2 * u[g]) + sum(u)
  y <- c(1, 2, 4, 6, 7, 9)
  g <- c(1, 2, 3, 4, 5, 5)
  by <- c(2L, 2L, NA, 1L, 1L, 4L)
  for (device in c(expression_devices(), "plain")) for (size in 4:7) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    u <- seq_len(size) / 4
    codes <- pmin(g, size)
    ours <- try(opencl_function(f, reduce = "sum")(y, u, codes, by = by, device = if (device == "plain") "host" else device), TRUE)
    options(old)
    if (size == 6L) next # as long as the rows are
    expect_equal(ours, c(`1` = f(y[4:5], u, codes[4:5]), `2` = f(y[1:2], u, codes[1:2]), `3` = NA, `4` = f(y[6], u, codes[6])), info = paste(device, size))
  }
})

test_that("each call decides whether its sums are of the rows of a level", {
  centred <- function(x, s) x + if (s > 0) mean(x) else s
  x <- c(1, 2, 4, 6, 7)
  by <- c(1L, 2L, 2L, 1L, 2L)
  for (device in c(expression_devices(), "plain")) for (gradient in list(NULL, "s")) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    f <- opencl_function(centred, reduce = "sum", gradient = gradient)
    for (s in c(-1, 2, -1, 2, 3, -2)) {
      value <- f(x, s, by = by, device = if (device == "plain") "host" else device)
      expect_equal(as.double(value), vapply(split(x, by), function(x) sum(centred(x, s)), 0, USE.NAMES = FALSE))
      if (!is.null(gradient)) expect_equal(c(attr(value, "gradient")), if (s > 0) c(0, 0) else c(2, 3))
    }
    options(old)
  }
})

test_that("ifelse() with one number as test takes the first element of each level's rows", {
  x <- c(-2, 2, 2, 3, 9)
  by <- c(1L, 1L, 1L, 2L, 1L)
  functions <- list(
    function(x, s, u) ifelse(s > 1, 0, x) + mean(x), function(x, s, u) ifelse(mean(x) > s, u, -u) + x, function(x, s, u) x * ifelse(s > 1, u, -2 * u) + sum(x),
    function(x, s, u) ifelse(s > 1, 0, x + sum(x)) * x
  )
  for (device in c(expression_devices(), "plain")) for (f in functions) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    value <- opencl_function(f, reduce = "sum")(x, 0, c(2, 3, 4), by = by, device = if (device == "plain") "host" else device)
    options(old)
    expect_equal(as.double(value), vapply(split(x, by), function(x) sum(f(x, 0, c(2, 3, 4))), 0, USE.NAMES = FALSE), info = paste(device, deparse1(body(f))))
  }
})

test_that("without a compiler, parts of arguments and what R computes of data go with helpers that ask missing()", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  scaled <- function(a, b = 2) if (missing(b)) a * 10 else a * b
  f <- function(x, par) sum((x * par[1:2])[order(x)]) * scaled(-1, par[["a"]]) + scaled(par[["b"]])
  for (turn in 1:2) expect_equal(opencl_function(f)(c(3, 1), c(a = 2, b = 5), device = "host"), f(c(3, 1), c(a = 2, b = 5)))
})
