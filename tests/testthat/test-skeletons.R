# relist(par, skel) of a skeleton that is a variable or data, and lists in lists that are given.

unoptimized_programs()

y <- c(1, 2, 0.5, 3)
X <- cbind(a = 1, b = c(0.5, -1, 2, 0.25))
skel <- list(mu = 0, b = c(0, 0))
deep <- list(top = list(mu = 0, sd = 1L), b = c(x = 0, z = 0), M = matrix(0, 2, 2))
unpacked <- function(par) relist(par, skel)

of_vector <- list(
  variable = function(par) {
    p <- relist(par, skel)
    sum(p$b) * p$mu + length(p)
  },
  skeleton_in_with = function(par) with(relist(par, skel), sum(b) * mu),
  function_gives_it = function(par) {
    p <- unpacked(par)
    sum(p$b) * p$mu + sum(unpacked(par)$b^2)
  },
  lists_in_it = function(par) {
    p <- relist(par, deep)
    sum(p$b) * p$top$mu + sum(p$M %*% p$b) + p$b["z"] * p$top[["sd"]]
  }
)

test_that("a skeleton may be a variable", {
  check <- function(device = "auto") {
    for (name in names(of_vector)) {
      f <- of_vector[[name]]
      made <- opencl_function(f, gradient = "par")
      for (par in list(c(0.4, 0.3, 2, 1, -1, 0.5, 0.25, 3), 8:1 / 4)) {
        if (name != "lists_in_it") par <- par[1:3]
        ours <- made(par, device = device)
        expect_equal(c(ours), c(f(par)), tolerance = 1e-13, info = name)
        expect_equal(unname(attr(ours, "gradient")), differences(f, list(par = par), "par"), tolerance = 1e-6, info = name)
      }
    }
    f <- function(par, s) {
      p <- relist(par, s)
      sum(p$b) * p$mu
    }
    made <- opencl_function(f, data = list(s = skel))
    expect_equal(made(c(3, 2, 1), device = device), f(c(3, 2, 1), skel))
    expect_equal(made(c(3, 2, 1), s = list(mu = 5, b = 2:3), device = device), f(c(3, 2, 1), skel))
    expect_error(made(c(3, 2, 1), s = list(b = 2:3, mu = 1), device = device), "other names or lengths", class = "nmathopencl_error")
  }
  for (device in compiling_devices()) check(device)
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  check()
})

test_that("a skeleton that has changed, or is no list of numbers, is refused", {
  there <- list(mu = 0, b = c(0, 0))
  f <- function(par) {
    p <- relist(par, there)
    sum(p$b)
  }
  made <- opencl_function(f)
  expect_equal(made(c(1, 2, 3)), 5)
  there <- list(mu = 7, b = c(1, 2))
  expect_equal(made(c(1, 2, 3)), 5)
  there <- list(b = 1, mu = 2)
  expect_error(made(c(1, 2, 3)), "other names or lengths", class = "nmathopencl_error")
  expect_equal(opencl_function(f)(c(1, 2, 3)), 1)
  there <- list(mu = 1, b = c(1, 2, 3))
  expect_error(made(c(1, 2, 3, 4)), "other names or lengths", class = "nmathopencl_error")
  refused <- function(f, ...) expect_error(opencl_function(f)(...), class = "nmathopencl_error")
  there <- list(mu = 1, b = factor("a"))
  refused(f, 1:2)
  there <- structure(list(mu = 1, b = 1), class = "own")
  refused(f, 1:2)
  refused(function(par, s) relist(par, s)$b, 1:2, list(a = 1, b = 1)) # not known when the function is made
  there <- list(mu = 1, b = 1)
  expect_identical(as.double(opencl_function(f)(1)), f(1)) # NA
})

nested <- list(d = list(y = y, X = X), g = c("u", "v", "u", "v"), deeper = list(most = list(y = y)))
residuals_of <- function(d, b) sum((d$y - drop(d$X %*% b))^2)
by_data <- function(dat, b) residuals_of(dat$d, b) + with(dat$d, sum(y))
with_levels <- function(p) dnorm(p$top$mu, 0, p$top$sd) + with(p$top, mu)

test_that("lists in lists are read by their names", {
  cases <- list(
    by_names = function(dat, b) sum(dat$d$y - drop(dat$d$X %*% b)) + sum(dat[["deeper"]][["most"]][["y"]][1:2] * b),
    in_with = function(dat, b) with(dat$d, sum(y - drop(X %*% b)))^2 + with(dat$deeper$most, sum(y * b[1])),
    by_helpers = function(dat, b) residuals_of(dat$d, b) * by_data(dat, b),
    tests = function(dat, b) sum(dat$d$y[dat$g == "u"] * b[2])
  )
  other <- list(d = list(X = X[4:1, ] + 1, y = rev(y)), deeper = list(most = list(y = c(3, 1, 2))), g = c("u", "u", "u", "v"), more = 1)
  check <- function(device = "auto") {
    for (name in names(cases)) {
      f <- cases[[name]]
      made <- opencl_function(f, gradient = "b")
      for (dat in list(nested, other)) {
        b <- c(0.5, -2)
        ours <- made(dat, b, device = device)
        expect_equal(as.vector(ours), f(dat, b), tolerance = 1e-13, info = name)
        expect_equal(unname(attr(ours, "gradient")), differences(f, list(dat = dat, b = b), "b"), tolerance = 1e-6, info = name)
      }
      with_data <- opencl_function(f, gradient = "b", data = list(dat = nested))
      expect_equal(as.vector(with_data(b = b, device = device)), f(nested, b), tolerance = 1e-13, info = name)
      expect_equal(as.vector(with_data(b = b, dat = other, device = device)), f(other, b), tolerance = 1e-13, info = name)
      of_environment <- function(b) NULL
      body(of_environment) <- eval(call("substitute", body(f), list(dat = quote(nested))))
      expect_equal(as.vector(opencl_function(of_environment)(b, device = device)), f(nested, b), tolerance = 1e-13, info = name)
    }
    f <- function(p) with_levels(p)
    expect_equal(opencl_function(f)(list(top = list(sd = 2, mu = 1)), device = device), f(list(top = list(sd = 2, mu = 1))), tolerance = 1e-14)
  }
  for (device in compiling_devices()) check(device)
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  check()
  expect_error(opencl_function(function(p) p$a$mu, gradient = "p"), "argument of its own", class = "nmathopencl_error")
})
