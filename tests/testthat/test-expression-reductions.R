# What reductions make of missing values, of groups and of integers, and what is told of conditions and of derivatives.

unoptimized_programs()

test_that("rows that na.rm leaves out have no slope, and means divide by those that stay", {
  y <- c(1, NA, 3, NaN, 2)
  for (device in compiling_devices()) {
    for (op in c("sum", "mean")) {
      f <- opencl_function(function(y, l, s) dnorm(y, l, s, log = TRUE), reduce = op, na.rm = TRUE, gradient = c("l", "s"))
      kept <- opencl_function(function(y, l, s) dnorm(y, l, s, log = TRUE), reduce = op, gradient = c("l", "s"))
      expect_identical(f(y, 1.5, 2, device = device), kept(y[!is.na(y)], 1.5, 2, device = device))
      expect_identical(attr(kept(y, 1.5, 2, device = device), "gradient"), c(l = NA_real_, s = NA))
    }
    g <- opencl_function(function(x, a) x * a, reduce = "mean", na.rm = TRUE, gradient = "a")
    groups <- g(c(1, NA, 3, NA, 5), 2, by = c(1L, 1L, 3L, 4L, 1L), device = device)
    expect_identical(c(groups), c(`1` = 6, `2` = NA, `3` = 6, `4` = NaN))
    expect_identical(attr(groups, "gradient"), matrix(c(3, NA, 3, NaN), 4L, dimnames = list(1:4, "a")))
    h <- opencl_function(function(x, a) sqrt(x) * a, reduce = "sum", na.rm = TRUE, gradient = "x") # a slope of its own that is infinite
    expect_identical(attr(h(0, 2, device = device), "gradient"), c(x = Inf))
    expect_identical(attr(g(NA_real_, 2, device = device), "gradient"), c(a = NaN))
  }
})

test_that("min and max of NaN are NaN, of NA are NA", {
  for (device in compiling_devices()) for (op in c("min", "max")) {
    f <- opencl_function(function(x) x, reduce = op)
    left <- opencl_function(function(x) x, reduce = op, na.rm = TRUE)
    for (x in list(c(1, NaN, 3), c(NaN, NA), c(NA, NaN, 1), c(NaN, rep(1, 3000)), c(rep(2, 3000), NaN), NaN, c(Inf, -Inf, NaN), c(2, 1), c(1L, NA), 3:1)) {
      expect_identical(f(x, device = device), do.call(op, list(x)))
      if (!all(is.na(x))) expect_identical(left(x, device = device), do.call(op, list(x, na.rm = TRUE)))
    }
    expect_identical(f(c(1, NaN, NA, 2, 5), by = c(1L, 1L, 2L, 3L, 3L), device = device), c(`1` = NaN, `2` = NA, `3` = if (op == "min") 2 else 5))
  }
})

test_that("a sum of integers with NA is NA, and no overflow", {
  for (device in compiling_devices()) {
    f <- opencl_function(function(x) x, reduce = "sum")
    expect_no_warning(expect_identical(f(c(1L, NA), device = device), NA_integer_))
    expect_no_warning(expect_identical(f(c(TRUE, NA, FALSE), by = c(1L, 1L, 2L), device = device), c(`1` = NA, `2` = 0L)))
    expect_no_warning(expect_identical(f(rep(.Machine$integer.max, 2), device = device), 2 * .Machine$integer.max))
    g <- opencl_function(function(s, x) if (s <= 0) return(NA) else x, reduce = "sum")
    expect_no_warning(expect_identical(g(-1, c(1, 2), device = device), NA_integer_))
    expect_identical(g(1, c(1, 2), device = device), 3)
  }
})

test_that("groups are factors or integer codes", {
  f <- opencl_function(function(x) x, reduce = "sum")
  old <- options(nmathopencl.device = "host", nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (compiler in c(TRUE, FALSE)) {
    options(nmathopencl.compiler = compiler)
    for (by in list(Sys.Date() + 1:2, as.POSIXct("2020-01-01") + 1:2, c("a", "b"), c(1.5, 2), c(1, 3e9), c(TRUE, FALSE), c(0L, 1L))) expect_error(f(c(1, 2), by = by), "`by`")
    expect_error(f(c(1, 2), by = integer()), "has length 0")
    expect_identical(f(numeric(), by = integer()), stats::setNames(numeric(), character()))
    expect_identical(f(numeric(), by = factor(character(), c("a", "b"))), c(a = NA_real_, b = NA_real_))
    expect_length(f(c(1, 2), by = c(NA_integer_, NA)), 0L)
    expect_identical(f(c(1, 2), by = c(2, 2)), c(`1` = NA, `2` = 3))
  }
})

test_that("conditions warn as they do in R", {
  f <- opencl_function(function(s, x) if (is.nan(sqrt(s))) x else x * sqrt(s))
  for (device in expression_devices()) for (times in 1:2) {
    expect_warning(expect_identical(f(-1, c(1, 2), device = device), c(1, 2)), "NaNs produced")
    expect_no_warning(expect_identical(f(4, c(1, 2), device = device), c(2, 4)))
  }
})

test_that("a matrix of one row is one, and what does not fit is R's error", {
  f <- opencl_function(function(X, b) X %*% b)
  g <- opencl_function(function(y, X, b) y - X %*% b)
  for (device in compiling_devices()) {
    expect_identical(f(matrix(1:2, 1), c(1, 2), device = device), matrix(5))
    expect_identical(f(matrix(1:2, 1), matrix(c(1, 2)), device = device), matrix(5))
    expect_error(f(matrix(1:4, 2), matrix(1, 1, 2), device = device), "non-conformable")
    expect_error(f(matrix(1:8, 2), matrix(1, 2, 2), device = device), "non-conformable")
    expect_error(g(1:6, matrix(1:4, 2), c(1, 2), device = device), "dims [product 2] do not match the length of object [6]", fixed = TRUE)
    expect_identical(g(7, matrix(1:4, 2), c(1, 2), device = device), 7 - matrix(1:4, 2) %*% c(1, 2))
  }
})

test_that("a derivative that there is no rule for is told when the function is made", {
  made <- function(f, gradient = "a") opencl_function(f, gradient = gradient)
  expect_error(made(function(x, a) ptukey(x, a, 3)), "no rule for the derivative of ptukey() in `nmeans`", fixed = TRUE)
  expect_error(made(function(x, a) { b <- 2 * a; x + pbinom(1, 0.5, size = b) }), "pbinom() in `size`", fixed = TRUE)
  expect_error(made(function(x, a) rnorm(3, a)), "random numbers have no derivative")
  expect_error(made(function(x, a) round(x, a)), "round() in `digits`", fixed = TRUE)
  inner <- opencl_function(function(u, v = 2) pnbinom(v, u, mu = 2))
  expect_error(made(function(x, a) inner(x, a)), "pnbinom(mu = ) in `q`, but in `mu`, `size`", fixed = TRUE)
  expect_error(made(function(x, a) qnbinom(x, 3, mu = a)), "qnbinom(mu = ) in `mu`", fixed = TRUE)
  for (f in list(
    function(x, a) pgamma(x, 2, rate = a), function(x, a) pgamma(x, 2, scale = a), function(x, a) inner(a), function(x, a) pgamma(x, length(a)),
    function(x, a) { b <- a; b <- 2; a * pgamma(x, b) }, function(x, a) if (a > 0) a * x else pgamma(x, a), function(x, a) rnorm(length(x)) * a,
    function(x, a) pgamma(x, as.integer(a)) + a, function(x, a) dnbinom(x, 3, mu = a), function(x, a) dt(x, 4, a)
  )) expect_s3_class(made(f), "opencl_function")
})

test_that("summed gradients of many coefficients are built in time", {
  p <- 24L
  X <- matrix(sin(seq_len(40L * p)), 40L)
  b <- cos(seq_len(p)) / 4
  y <- rep(0:1, 20L)
  f <- opencl_function(function(y, X, b) { e <- X %*% b; y * e - log1p(exp(e)) }, reduce = "sum", gradient = "b")
  known <- drop(crossprod(X, y - plogis(X %*% b)))
  for (device in compiling_devices()) {
    seconds <- system.time(value <- f(y, X, b, device = device))[["elapsed"]]
    expect_equal(unname(attr(value, "gradient")), known, tolerance = 1e-12)
    expect_lt(seconds, 60) # a tree of barriers for each took minutes
  }
})
