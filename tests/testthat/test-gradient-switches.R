# Gradients by rules that look at switches, and hazards of nearly normal t distributions.

unoptimized_programs()

test_that("expon.scaled is TRUE or FALSE to a derivative, whatever number it is", {
  x <- c(0.5, 2, 35)
  for (name in c("besselI", "besselK")) {
    slope <- function(switch) {
      f <- eval(call("function", as.pairlist(alist(x = )), call(name, quote(x), 2, switch)))
      g <- opencl_function(f, gradient = "x")(x, device = "host")
      expect_equal(as.vector(g), get(name)(x, 2, switch), tolerance = 1e-13)
      attr(g, "gradient")
    }
    for (switch in list(1L, 2, 0.5, -1)) expect_identical(slope(switch), slope(TRUE))
    for (switch in list(0L, 0)) expect_identical(slope(switch), slope(FALSE))
    each <- opencl_function(eval(call("function", as.pairlist(alist(x = , e = )), call(name, quote(x), 2, quote(e)))), gradient = "x")
    for (e in list(c(2, 0, -3), c(TRUE, FALSE, TRUE), c(1L, 0L, 5L))) {
      g <- each(x, e, device = "host")
      scaled <- slope(TRUE)[, "x"]
      expect_equal(attr(g, "gradient")[, "x"], ifelse(e == 0, slope(FALSE)[, "x"], scaled), tolerance = 1e-15)
    }
  }
})

test_that("the hazard of a t distribution with many degrees of freedom is the normal one", {
  q <- c(-30, -8.1165, -0.3, -1e-9, 0, 1e-9, 0.3, 8.1165, 30)
  for (n in c(1e15, 1e17, 1e18, 1e20, 1e50, 1e132, 1e300, Inf)) {
    for (lower in c(TRUE, FALSE)) {
      f <- eval(bquote(function(q, n) pt(q, n, lower.tail = .(lower), log.p = TRUE)))
      slope <- attr(opencl_function(f, gradient = "q")(q, n, device = "host"), "gradient")[, "q"]
      hazard <- exp(dnorm(q, log = TRUE) - pnorm(q, lower.tail = lower, log.p = TRUE)) * if (lower) 1 else -1
      expect_equal(slope, hazard, tolerance = 1e-11, info = paste(n, lower))
    }
    p <- c(1e-300, 3.26e-17, 1e-5, 0.3, 0.5)
    slope <- attr(opencl_function(function(p, n) qt(p, n), gradient = "p")(p, n, device = "host"), "gradient")[, "p"]
    expect_equal(slope * dnorm(qnorm(p)), rep(1, 5), tolerance = 1e-10, info = n)
  }
  small <- attr(opencl_function(function(q, n) pt(q, n, log.p = TRUE), gradient = "q")(c(1e-12, 1e-30), 1e-20, device = "host"), "gradient")[, "q"]
  expect_equal(small, dt(c(1e-12, 1e-30), 1e-20) / pt(c(1e-12, 1e-30), 1e-20), tolerance = 1e-9)
})

test_that("coefficients that a condition leaves out have slopes of 0", {
  f <- function(X, b, y, s) if (s > 0) X %*% b + y else y
  X <- cbind(1, c(2, 3))
  g <- opencl_function(f, reduce = "sum", gradient = c("b", "s"))
  for (turn in 1:2) {
    expect_equal(attr(g(X, c(1, 2), c(0.5, 1), 1, device = "host"), "gradient"), c(b1 = 2, b2 = 5, s = 0))
    expect_equal(attr(g(X, c(1, 2), c(0.5, 1), -1, device = "host"), "gradient"), c(b1 = 0, b2 = 0, s = 0))
  }
  torture_on("plain", expect_equal(attr(g(X, c(1, 2), c(0.5, 1), -1, device = "host"), "gradient"), c(b1 = 0, b2 = 0, s = 0)))
  each <- opencl_function(f, gradient = c("b", "s"))
  expect_identical(dim(attr(each(X, c(1, 2), c(0.5, 1), 1, device = "host"), "gradient")), c(2L, 3L))
  expect_equal(attr(each(X, c(1, 2), c(0.5, 1), -1, device = "host"), "gradient"), matrix(0, 2, 3, dimnames = list(NULL, c("b1", "b2", "s"))))
  total <- opencl_function(function(x, y) x + y, reduce = "sum", gradient = "x")
  expect_equal(attr(total(c(1, 2), 3, device = "host"), "gradient"), c(x1 = 1, x2 = 1)) # as long as the data
})

test_that("a missing value that decides is told, also where only the gradient's masked rows would have it", {
  X <- cbind(1, 1:4)
  b <- c(0.5, 0.2)
  given <- list(c(1, NA, -1, 2), c(1, NaN, -1, 2), c(NA, 2, 3, 4), c(NaN, -1, -2, -3), c(1, 2, -3, -4))
  for (f in list(
    function(x, X, b) ifelse(x > 0, (X %*% b) * x, 0), function(x, X, b) { e <- X %*% b; ifelse(x > 0, e * x, e^2) },
    function(x, X, b) { e <- X %*% b; ifelse(is.na(x), 0, e * x) }, function(x, X, b) ifelse(x > 0, exp(X %*% b + x), 0),
    function(x, X, b) pmax(X %*% b * x, 0), function(x, X, b) pmin(x, X %*% b), function(x, X, b) { e <- X %*% b; ifelse(e * x > 1, e * x, x) },
    function(x, X, b) (x > 0) * (X %*% b), function(x, X, b) ifelse(x == 1 | x == 2, x * (X %*% b), b[1L])
  )) {
    for (device in compiling_devices()) {
      ours <- opencl_function(f, reduce = "sum", gradient = "b")
      for (x in given) expect_equal(as.vector(ours(x, X, b, device = device)), sum(f(x, X, b)), tolerance = 1e-13, info = paste(deparse1(body(f)), x[1:2]))
    }
  }
})
