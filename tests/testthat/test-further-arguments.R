# Arguments for the function behind it, sapply(x, f, a), and stop() in functions of elements, against plain R.

unoptimized_programs()

x <- c(0.5, 2, 1.2, 0.8, 3.1, 0.2, 1.9, 0.4, 2.2, 1.1)
par <- c(0.3, 0.2, 0.4)
square <- function(k, p) p[k]^2

cases <- list(
  by_name = function(par, x) sum(sapply(1:3, function(k, p) p[k], p = par)),
  in_order = function(par, x) sum(sapply(1:3, square, par)),
  local = function(par, x) {
    f <- function(k, p) p[k]^2
    sum(sapply(1:3, f, p = par))
  },
  own_name = function(par, x) sum(sapply(seq_along(x), function(i, x, par) x[i] * par[1], x = x, par = par)),
  two = function(par, x) sum(vapply(x, function(v, a, b) a + b * v^2, 0, par[1], par[2])),
  of_r = function(par, x) sum(sapply(x, dnorm, mean = par[1], sd = 2, log = TRUE)),
  hides = function(par, x) {
    p <- 3
    sum(unlist(lapply(1:3, function(k, p) p[k], p = par))) + p
  },
  rows = function(par, x) sum(apply(cbind(x, x^2), 1, function(r, p) sum(r * p[1:2]), p = par))
)

test_that("they are given on", {
  for (f in cases) {
    slopes <- differences(f, list(par = par, x = x), "par")
    old <- options(nmathopencl.compiler = FALSE)
    ours <- tryCatch(opencl_function(f, gradient = "par")(par, x), finally = options(old))
    expect_equal(c(ours), f(par, x), tolerance = 1e-12, label = deparse1(body(f)))
    expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-6)
  }
  on_each_device(function(device) expect_equal(opencl_function(cases$own_name)(par, x, device = device), cases$own_name(par, x), tolerance = 1e-12))
  of_call <- function(k) sum(sapply(1:3, function(k, p) p[k]^2, p = k)) # the `k` around the call
  expect_equal(opencl_function(of_call)(c(0.5, 2, 3)), of_call(c(0.5, 2, 3)))
  expect_error(opencl_function(function(par) sum(sapply(1:3, function(k_there, p) p[k_there], p = k_there)))(par), "'k_there' not found", fixed = TRUE)
})

test_that("stop() in a function of many elements is asked of all of them", {
  f <- function(x, m) {
    sum(sapply(seq_along(x), function(i) {
      if (x[i] < 0) stop("negative")
      log(x[i]) * m
    }))
  }
  long <- rep(x, 7)
  on_each_device(function(device) {
    ours <- opencl_function(f, gradient = "m")
    expect_equal(c(ours(long, 2, device = device)), f(long, 2), tolerance = 1e-12)
    expect_error(ours(replace(long, 3, -1), 2, device = device), "negative")
    expect_error(ours(replace(long, 3, NA), 2, device = device), "missing value where TRUE/FALSE needed")
  })
})

test_that("dmultinom() of many rows", {
  skip_if_not(compiler_here())
  Y <- matrix(rep(c(3, 0, 1, 2, 5, 4), 70), ncol = 3)
  f <- function(par, Y) {
    p <- exp(c(0, par[1:2]))
    p <- p / sum(p)
    -sum(apply(Y, 1, function(r) dmultinom(r, prob = p, log = TRUE)))
  }
  ours <- opencl_function(f, gradient = "par", data = list(Y = Y))
  value <- ours(par)
  expect_equal(c(value), f(par, Y), tolerance = 1e-12)
  expect_equal(unname(attr(value, "gradient")), differences(function(par) f(par, Y), list(par = par), "par"), tolerance = 1e-6)
  expect_error(ours(par, Y = replace(Y, 5, -2)), "non-negative")
})

test_that("what is absent, and what has no rows", {
  d <- data.frame(x = x, g = rep(1:2, 5))
  expect_error(opencl_function(function(m, d) sum(dnorm(d$xx, m, log = TRUE)))(0, d), "`d$xx` is NULL", fixed = TRUE)
  expect_error(opencl_function(function(p, x) sum(dnorm(x, p$mm, log = TRUE)), gradient = "p")(list(m = 1), x), "`p$mm` is NULL", fixed = TRUE)
  f <- function(m, d) {
    r <- m * d$x
    sum((r - ave(r, d$g))^2)
  }
  on_each_device(function(device) {
    ours <- opencl_function(f, gradient = "m")
    expect_identical(c(ours(1, d[0, ], device = device)), 0)
    expect_equal(c(ours(1, d, device = device)), f(1, d))
  })
  expect_error(opencl_function(function(m, d) {
    d$mu <- m * d$x
    sum(d$mu)
  }), "Use a variable, mu <-", fixed = TRUE)
  codes <- as_objective(opencl_function(function(u, d) sum((d$x - u[d$g])^2), gradient = "u"), list(u = 1), data = list(d = d))
  expect_warning(codes$fn(1), "`d$g` has codes up to 2", fixed = TRUE)
})

test_that("defaults that read a further argument are R's, or refused", {
  d <- data.frame(y = c(1.5, 2, 0.7), x = c(0.1, 0.4, 0.2))
  p <- c(0.3, 0.6)
  functions <- list(
    function(p) sum(sapply(d$y, function(v, a, b = a * 2) v * a + b, p[1] + 1)), function(p) { a <- 5; sum(sapply(d$y, function(v, a, b = a * 2) v * a + b, p[1] + 1)) },
    function(p) { b <- p[2]; sum(sapply(d$y, function(v, b, c = b * 2) v * c + b, b)) }, function(p) sum(sapply(d$y, function(v, a, b = a * 2, k = b + a) v * a + b + k, p[1] + 1)),
    function(p) sum(apply(cbind(d$y, d$x), 1, function(v, a, b = a * 2) v[1] * a + v[2] + b, a = p[1] + 1)), function(p) sum(sapply(d$y, function(v, a, b = v * a) v * a + b, p[1] + 1)),
    function(p) sum(mapply(function(v, w, a, b = a * 2) v * a + b - w, d$y, d$x, MoreArgs = list(a = p[1] + 1))),
    function(p) sum(sapply(d$y, function(v, a, b = a * 2) v * a + b, p[1] + 1, b = 7))
  )
  refused <- list(
    function(p) sum(sapply(d$y, function(v, a, k = b + a, b = a * 2) v * a + b + k, p[1] + 1)), function(p) sum(sapply(d$y, function(v, a, b = a * 2) { a <- 3; v * a + b }, p[1] + 1)),
    function(p) sum(sapply(d$y, function(v, a, b = a * 2) { if (missing(b)) b <- 1; v * a + b }, p[1] + 1))
  )
  for (compiler in list(FALSE, getOption("nmathopencl.compiler"))) {
    withr_options(list(nmathopencl.compiler = compiler), environment())
    for (f in functions) {
      value <- opencl_function(f, gradient = "p")(p, device = "host")
      expect_equal(c(value), f(p), ignore_attr = TRUE, info = deparse1(body(f)))
      wanted <- vapply(1:2, function(k) (f(p + 1e-5 * (1:2 == k)) - f(p - 1e-5 * (1:2 == k))) / 2e-5, 0)
      expect_equal(unname(attr(value, "gradient")), wanted, tolerance = 1e-6, info = deparse1(body(f)))
    }
    for (f in refused) expect_error(opencl_function(f)(p, device = "host"), "names that the function uses otherwise", class = "nmathopencl_error")
  }
})
