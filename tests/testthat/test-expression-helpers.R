# Functions of one's own, texts, NULL, missing arguments, stop() and warning() in an opencl_function: what R makes of them, compiled, without
# a compiler and on a device.

unoptimized_programs()

test_that("functions of one's own are inlined, with defaults and what they know", {
  k <- 3
  scaled <- function(v, s = sd_of(v), shift = 0) (v - shift) / s
  sd_of <- function(v) abs(v) + k
  powers <- local({
    p <- 2
    function(v) v^p + scaled(v)
  })
  x <- c(0.5, -1, 2)
  expect_as_r(function(x) scaled(x), x)
  expect_as_r(function(x) scaled(x, 2) + scaled(s = x, 4), x)
  expect_as_r(function(x) scaled(x, sh = 1), x)
  expect_as_r(function(x, k) powers(x) * k, x, 10) # `k` of the helper is its environment's
  make <- function(k) function(v) v * k
  twice <- make(2)
  thrice <- make(3)
  expect_as_r(function(x) twice(x) + thrice(x), x)
})

test_that("arguments are evaluated when they are used, as R does", {
  unused <- function(a, b) a
  late <- function(v, s = w) {
    w <- v + 1
    v * s
  }
  chosen <- function(a, b, first) if (first) a else b
  x <- c(4, -1)
  expect_as_r(function(x) unused(x, log(x)), x) # no warning
  expect_as_r(function(x) unused(x, stop("never")), x)
  expect_as_r(function(x) unused(x), x)
  expect_as_r(function(x) late(x), x)
  expect_as_r(function(x) chosen(x, sqrt(x), TRUE), x)
  expect_as_r(function(x) chosen(x, sqrt(x), FALSE), x)
  in_branch <- function(a, test) ifelse(test, a, 0)
  in_both <- function(a, test) ifelse(test, a, -a) + a
  expect_as_r(function(x) in_branch(sqrt(x), x > 5), x) # R does not look at it
  expect_as_r(function(x) in_branch(sqrt(x), x < 5), x)
  expect_as_r(function(x) in_both(sqrt(x), x > 5), x)
})

test_that("return leaves the function it stands in", {
  early <- function(v, flag) {
    if (flag) return(v + 1)
    v * 2
  }
  nested <- function(v) {
    w <- {
      if (length(v) > 1) return(v - 1)
      v
    }
    w * 100
  }
  passed <- function(a) {
    a
    5
  }
  x <- c(1, 2)
  expect_as_r(function(x, flag) early(x, flag) + 1, x, TRUE)
  expect_as_r(function(x, flag) early(x, flag) + 1, x, FALSE)
  expect_as_r(function(x) nested(x) + nested(3), x)
  expect_as_r(function(x) {
    y <- passed(return(x + 7)) # a promise of this function's
    y * 2
  }, x)
  expect_as_r(function(x) x + return(x), x)
  if (compiler_here()) expect_error(opencl_function(function(x) ifelse(x > 1, return(x), 2))(c(1, 2)), "ifelse")
})

test_that("missing() knows what was given", {
  with_weight <- function(v, w) if (missing(w)) v else v * w
  standard <- function(v, s = 2) if (missing(s)) v * s else v + s
  passing <- function(v, w) with_weight(v, w)
  changed <- function(v, w) {
    before <- missing(w)
    w <- 1
    if (before && !missing(w)) v else -v
  }
  x <- c(1, 2)
  expect_as_r(function(x) with_weight(x), x)
  expect_as_r(function(x) with_weight(x, 3), x)
  expect_as_r(function(x) standard(x) + standard(x, 5), x)
  expect_as_r(function(x) passing(x), x)
  expect_as_r(function(x) passing(x, x), x)
  expect_as_r(function(x) changed(x), x)
  own <- function(x, w) if (missing(w)) x else x * w
  expect_as_r(own, x)
  expect_as_r(own, x, 4)
  default <- function(x, s = x + 1) if (missing(s)) s * 2 else s
  expect_as_r(default, x)
  expect_as_r(default, x, 4)
  absent <- function(x, w) x * w
  expect_as_r(function(x) absent(x), x)
  if (!compiler_here()) return()
  expect_error(opencl_function(function(x, y) {
    z <- x
    missing(z)
  })(1, 2, device = "host"))
})

test_that("functions that the body makes see its variables", {
  x <- c(1, 4)
  expect_as_r(function(x, a) {
    shifted <- function(v) v + a * m
    m <- 2
    shifted(x) + shifted(1)
  }, x, 3)
  expect_as_r(function(x) {
    square <- function(v) v^2
    square <- if (length(x) > 1) square else function(v) v
    square(square(x))
  }, x)
  expect_as_r(function(x) {
    times <- function(k) function(v) v * k
    twice <- times(2)
    apply_to <- function(f, v) f(v) + 1
    apply_to(twice, x) + apply_to(function(v) v / 4, x)
  }, x)
  expect_as_r(function(x) {
    exp <- function(v) v + 0.5 # not R's
    exp(x) + base::exp(1)
  }, x)
  expect_as_r(function(x) {
    log <- 2 # no function: R's is meant
    log(x) * log
  }, x)
})

test_that("helpers are looked up at each call, and recursion is refused", {
  home <- new.env()
  home$step <- function(v) v + 1
  f <- function(x) step(x)
  environment(f) <- home
  g <- opencl_function(f)
  expect_identical(g(c(1, 2)), c(2, 3))
  home$step <- function(v) v * 10
  expect_identical(g(c(1, 2)), c(10, 20))
  endless <- function(v) endless(v + 1)
  skip_without_compiler()
  expect_error(opencl_function(function(x) endless(x))(1, device = "host"), "calls itself more than", class = "nmathopencl_error")
  power <- function(v, n) if (n == 0) 1 else v * power(v, n - 1)
  expect_as_r(function(x) power(x, 4), c(1, 2))
  expect_error(opencl_function(function(x) utils::stack(x)), "of the package utils", class = "nmathopencl_error")
})

test_that("`...` goes on to other functions", {
  density <- function(v, ...) dnorm(v, ..., log = TRUE)
  passed <- function(...) density(...) + 1
  first <- function(v, ..., scale = 2) v * scale + ..1
  unused <- function(v, ...) v
  x <- c(-1, 2)
  expect_as_r(function(x) density(x), x)
  expect_as_r(function(x) density(x, 1, 2) + density(sd = 3, v = x), x)
  expect_as_r(function(x) passed(x, mean = 1) + passed(sd = 2, x), x)
  expect_as_r(function(x) first(x, x + 1) + first(x, 1, sc = 100) + first(scale = 3, x, 0), x)
  expect_as_r(function(x) unused(x, log(x)), x)
  expect_as_r(function(x) {
    extreme <- function(...) pmax(..., 0)
    extreme(x, 1) + extreme()
  }, x)
  skip_without_compiler()
  h <- opencl_function(function(x, m) density(x, m), reduce = "sum", gradient = "m")
  expect_equal(attr(h(x, 0.5, device = "host"), "gradient"), c(m = sum(x - 0.5)))
  expect_error(opencl_function(function(x, s) {
    rounded <- function(v, ...) round(v, ...)
    rounded(x, s)
  }, gradient = "s")(x, 1, device = "host"), "no rule", class = "nmathopencl_error")
})

test_that("gradients go through helpers", {
  skip_without_compiler()
  link <- function(eta, kind = "logit") switch(kind, logit = plogis(eta), probit = pnorm(eta))
  scale_of <- function(l) {
    s <- exp(l)
    s
  }
  f <- function(y, X, b, l, kind) dnorm(y, link(X %*% b, kind), scale_of(l), log = TRUE)
  args <- list(y = c(0.2, 0.7, 0.5), X = cbind(1, c(-1, 0, 2)), b = c(0.1, 0.3), l = -0.2)
  compiler <- getOption("nmathopencl.compiler")
  for (kind in c("logit", "probit")) for (device in c(expression_devices(), "plain")) {
    withr_options(list(nmathopencl.compiler = if (device == "plain") FALSE else compiler), environment())
    h <- opencl_function(f, reduce = "sum", gradient = c("b", "l"))
    ours <- do.call(h, c(args, kind = kind, device = if (device == "plain") "host" else device))
    of <- function(p) sum(f(args$y, args$X, p[1:2], p[3], kind))
    expect_equal(as.vector(ours), of(c(0.1, 0.3, -0.2)), tolerance = 1e-13)
    p <- c(0.1, 0.3, -0.2)
    slope <- vapply(1:3, function(k) {
      d <- replace(numeric(3), k, 1e-5)
      (of(p + d) - of(p - d)) / 2e-5
    }, 0)
    expect_equal(unname(attr(ours, "gradient")), slope, tolerance = 1e-8)
  }
})
