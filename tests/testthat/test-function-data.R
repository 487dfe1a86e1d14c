# Data that an opencl_function is made with: values as R's, on each device once, for as long as the function is there.

unoptimized_programs()

poisson_case <- function() {
  set.seed(11)
  n <- 40
  X <- cbind(one = 1, x = rnorm(n))
  list(
    y = rpois(n, exp(X %*% c(0.2, 0.4))), X = X, g = factor(rep(c("a", "b", "c", "d"), 10)), b = c(0.1, 0.3), u = c(0.1, -0.2, 0.3, 0)
  )
}

# Evaluates on the host, on each OpenCL device, and by R alone.
everywhere <- function(code) {
  for (device in test_devices()) code(device)
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  code("host")
}

vectors_there <- function() {
  gc()
  all <- opencl_memory()
  sum(all$vectors)
}

test_that("arguments and variables have their values from the data", {
  case <- poisson_case()
  k <- 100 # the environment's, which the data hides
  offset <- 0.5
  f <- function(y, X, b, u) offset - sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)) - k * sum(dnorm(u, 0, 1, log = TRUE))
  value_of <- with(c(case, k = 2, offset = 0.5), function(y, X, b, u, offset) {
    offset - sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)) - k * sum(dnorm(u, 0, 1, log = TRUE))
  })
  g <- opencl_function(f, gradient = c("b", "u"), data = c(case[c("y", "X", "g")], k = 2))
  plain <- opencl_function(function(y, X, g, k, b, u, offset) {
    offset - sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)) - k * sum(dnorm(u, 0, 1, log = TRUE))
  }, gradient = c("b", "u"))
  everywhere(function(device) {
    want <- with(case, plain(y, X, g, 2, b, u, offset, device = device))
    for (again in 1:2) expect_identical(g(b = case$b, u = case$u, device = device), want)
    expect_equal(c(want), with(case, value_of(y, X, b, u, offset)), tolerance = 1e-13)
    offset <<- 7 # variables of the environment are looked up at each call
    expect_equal(c(g(b = case$b, u = case$u, device = device)), c(want) + 6.5, tolerance = 1e-13)
    offset <<- 0.5
    other <- rev(case$y) # arguments of the call win, those that were variables as well
    expect_identical(g(y = other, k = 3, b = case$b, u = case$u, device = device), with(case, plain(other, X, g, 3, b, u, offset, device = device)))
  })
})

test_that("vectors go to each device once, are freed with the function, and do not change with the caller's", {
  x <- c(0.5, 1, 2)
  f <- opencl_function(function(x, a) sum(x * a), gradient = "a", data = list(x = x))
  before <- vectors_there()
  expect_output(print(f), "data: x \\[3\\].*vectors go to a device when a call there first needs them")
  for (round in 1:2) for (device in all_compiling_devices()) f(a = 2, device = device)
  expect_identical(vectors_there() - before, as.double(length(all_compiling_devices())))
  for (device in all_compiling_devices()) expect_output(print(f), paste0("on ", device_name(device), ": x"), fixed = TRUE)
  x[2] <- 100
  for (device in test_devices()) expect_identical(c(f(a = 2, device = device)), 7)
  rm(f)
  expect_identical(vectors_there(), before)
})

test_that("values of each type mean what they mean as arguments", {
  cases <- list(
    list(function(v, a) sum(ifelse(v, a, -a)), c(TRUE, FALSE, NA, TRUE)), list(function(v, a) v * a, c(1L, NA, 3L)),
    list(function(v, a) v * a, 3), list(function(v, a) v %/% 2L, c(5L, -3L, NA)), list(function(v, a) sum(a[v]), factor(c("u", "v", "u"))),
    list(function(v, a) switch(v, log = log(a), a), "log"), list(function(v, a) if (is.null(v)) a else a + v, NULL),
    list(function(v, a) v + a, matrix(1:4 + 0.5, 2, dimnames = list(NULL, c("p", "q")))), list(function(v, a) v * a, numeric()),
    list(function(v, a) v * a, structure(c(p = 1, q = 2), comment = "text")), list(function(v, a) sum(v$p * a) + v$q, list(p = c(1, 2), q = 3)),
    list(function(v, a) with(v, sum(p * a)), data.frame(p = c(1, 2))), list(function(v, a) v * a, array(1:8 + 0, c(2, 2, 2)))
  )
  everywhere(function(device) for (case in cases) for (a in list(c(2, 3), 2)) {
    run <- function(code) {
      reported <- character()
      value <- withCallingHandlers(tryCatch(code, error = conditionMessage), warning = function(w) {
        reported <<- c(reported, conditionMessage(w))
        invokeRestart("muffleWarning")
      })
      list(value, reported)
    }
    as_argument <- run(opencl_function(case[[1L]])(case[[2L]], a, device = device))
    f <- opencl_function(case[[1L]], data = list(v = case[[2L]]))
    for (again in 1:2) expect_identical(run(f(a = a, device = device)), as_argument, info = deparse(case[[1L]]))
    h <- case[[1L]]
    formals(h)$v <- NULL # the same as a variable
    expect_identical(run(opencl_function(h, data = list(v = case[[2L]]))(a, device = device)), as_argument)
  })
  expect_error(opencl_function(function(v, a) v * a, data = list(v = as.Date("2026-01-01")))(a = 2), "of class Date")
  expect_error(opencl_function(function(v, a) v * a, data = list(v = factor("a")))(a = 2), "of class factor")
})

test_that("lists are made for the function, data frames need not be", {
  d <- data.frame(y = c(1, 2, 4), other = letters[1:3])
  f <- function(y, m) sum((y - m)^2)
  expect_error(opencl_function(f, data = as.list(d)), "`other` in `data` is not an argument of `f`", class = "nmathopencl_error")
  expect_identical(opencl_function(f, data = d)(m = 1), 10)
  expect_identical(opencl_function(f, data = d[0, ])(m = 1), 0)
  slope <- opencl_function(function(y, m) sum((y - m)^2), gradient = "m", data = d[0, ])(m = 1)
  expect_identical(slope, structure(0, gradient = c(m = 0)))
  expect_error(opencl_function(f, data = list(1)), "`data` must have names", class = "nmathopencl_error")
  expect_error(opencl_function(f, data = list(y = 1, y = 2)), "has `y` twice", class = "nmathopencl_error")
  expect_error(opencl_function(f, data = d$y), "must be a list or a data frame", class = "nmathopencl_error")
  expect_error(opencl_function(f, gradient = "y", data = d), "`y`, which is in `data`", class = "nmathopencl_error")
  expect_identical(opencl_function(f, gradient = "m", data = d)(m = 1), structure(10, gradient = c(m = -8)))
})

test_that("data are replaced by name, and never by an argument without one", {
  y <- c(0.5, 1, 2)
  negative <- function(y, mu, ls = 0.5) -sum(dnorm(y, mu, exp(ls), log = TRUE))
  f <- opencl_function(negative, data = list(y = y), gradient = "mu")
  refused <- function(code, text, name = "y") {
    error <- expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
    expect_match(conditionMessage(error), paste0("`", name, "` is in `data`"), fixed = TRUE)
  }
  everywhere(function(device) {
    refused(f(1, 0.5, device = device), "write f(mu = 1, ls = 0.5, ...)")
    refused(f(1, device = device), "write f(mu = 1, ...)")
    refused(f(y[1:2], mu = 1, device = device), "write f(ls = y[1:2], ...)")
    refused(f(mu = 1, y, dev = device), "f(y = ..., ...) where other data are meant")
    refused(f(1, over = list(mu = c(1, 2)), device = device), "f(mu = 1, ...)")
    refused(do.call(f, list(1, 0.5, device = device)), "f(mu = 1, ls = 0.5, ...)")
    passes <- function(...) f(..., device = device)
    refused(passes(1, 0.5), "f(mu = 1, ls = 0.5, ...)")
    refused(f(1, 0.5), "write f(mu = 1, ls = 0.5), or f(y = ..., ...)")
    for (value in list(f(mu = 1, ls = 0.5, device = device), passes(m = 1, ls = 0.5), passes(mu = 1), f(y = y, 1, 0.5, device = device))) {
      expect_equal(c(value), negative(y, 1, 0.5), tolerance = 1e-14)
    }
    around <- function(...) vapply(1:2, function(k) c(f(..., device = device)), 0) # which are those of the function around
    expect_equal(around(mu = 1, ls = 0.5), rep(negative(y, 1, 0.5), 2), tolerance = 1e-14)
    refused(around(1, 0.5), "f(mu = 1, ls = 0.5, ...)")
    many <- function(...) (function() c(f(..., over = list(mu = 1), device = device)))()
    expect_equal(many(ls = 0.5), negative(y, 1, 0.5), tolerance = 1e-14)
    expect_equal(c(f(y = 3, 1, 0.5, device = device)), negative(3, 1, 0.5), tolerance = 1e-14)
    expect_equal(c(f(mu = 1, y = 3, device = device)), negative(3, 1), tolerance = 1e-14)
  })
  behind <- opencl_function(function(par) sum(y * par[["b"]]), data = list(y = y)) # a variable, which follows the others
  expect_identical(behind(c(a = 1, b = 2)), 7)
  refused(behind(c(a = 1, b = 2), 3), "behind(y = ...)")
  unread <- opencl_function(function(x, y, m) sum(y - m), data = list(x = 1, y = y))
  refused(unread(3, m = 1), "unread(x = ...)", "x")
  asked <- opencl_function(function(y, a, w) if (missing(w)) sum(y) * a else sum(w * y) * a, data = list(y = y))
  refused(asked(3), "asked(a = 3)")
  of_list <- opencl_function(function(y, par) sum(y * par$b), data = list(y = y))
  refused(of_list(list(b = 2)), "of_list(par = list(b = 2))")
  expect_identical(of_list(par = list(b = 2)), 7)
})

test_that("a function with data that another one calls takes them so, too", {
  f <- opencl_function(function(y, mu) sum((y - mu)^2), data = list(y = c(1, 2)))
  expect_error(opencl_function(function(m) 2 * f(m)), "write f(mu = m)", fixed = TRUE, class = "nmathopencl_error")
  passes <- function(...) f(...)
  expect_error(opencl_function(function(m) passes(m)), "write f(mu = ...)", fixed = TRUE, class = "nmathopencl_error")
  everywhere(function(device) expect_identical(opencl_function(function(m) 2 * f(mu = m))(1, device = device), 2))
})

test_that("missing(), defaults and names of the data go together", {
  f <- function(x, a, n = length(x), w) if (missing(w)) sum(x) * a / n else sum(w * x) * a
  for (device in test_devices()) {
    expect_identical(opencl_function(f, data = list(x = c(1, 2, 6)))(a = 2, device = device), 6)
    expect_identical(opencl_function(f, data = list(x = c(1, 2, 6), w = 1:3))(a = 2, device = device), 46)
    expect_identical(opencl_function(function(x, a = 5) sum(x) * a, data = list(x = c(1, 2), a = 3))(device = device), 9)
    p <- opencl_function(function(par) sum(y * par["b"]), data = list(y = c(1, 2)))
    expect_identical(p(c(a = 1, b = 5), device = device), 15)
  }
})

test_that("functions with data are called by others, made again with more, saved and read", {
  case <- poisson_case()
  f <- opencl_function(function(y, b) -sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)), gradient = "b", data = case[c("y", "X", "g", "u")])
  double <- opencl_function(function(b) 2 * f(b = b), gradient = "b")
  saved <- tempfile()
  everywhere(function(device) {
    value <- f(b = case$b, device = device)
    expect_equal(double(case$b, device = device), 2 * value + 0, tolerance = 1e-13, ignore_attr = "gradient")
    expect_equal(unname(attr(double(case$b, device = device), "gradient")), 2 * unname(attr(value, "gradient")), tolerance = 1e-12)
    again <- opencl_function(f, data = list(u = c(0, 0, 0, 0)))
    expect_equal(again(b = case$b, device = device), -with(case, sum(dpois(y, exp(X %*% b), log = TRUE))), tolerance = 1e-13)
    saveRDS(f, saved)
    read <- readRDS(saved)
    expect_identical(read(b = case$b, device = device), value)
    expect_identical(read(b = case$b, device = device), value)
  })
  unlink(saved)
})

test_that("two devices have the data in turn and share it, and failures fall back", {
  x <- seq(-1, 1, length.out = 101)
  f <- opencl_function(function(x, a) exp(a * x) * w, data = list(x = x, w = 1:101))
  want <- exp(0.5 * x) * 1:101
  for (round in 1:2) for (device in test_devices()) expect_equal(f(a = 0.5, device = device), want, tolerance = 1e-14)
  if (length(test_devices()) > 1L && compiler_here()) {
    expect_equal(f(a = 0.5, device = as.integer(test_devices())), want, tolerance = 1e-14)
    other <- opencl_vector(rep(0.5, 101), test_devices()[2L]) # a resident vector says where
    there <- f(a = other)
    expect_s3_class(there, "opencl_vector")
    expect_equal(as.vector(there), want, tolerance = 1e-14)
  }
  expect_type(f(a = 0.5), "double")
  expect_error(f(a = 0.5, device = "no such device"), class = "nmathopencl_error")
})

test_that("objectives keep their data where they are computed", {
  case <- poisson_case()
  ll <- opencl_function(function(y, b, k = 1) sum(k * dpois(y, exp(X %*% b + shift), log = TRUE)), gradient = c("k", "b"))
  X <- NULL
  shift <- 0
  for (device in test_devices()) {
    objective <- as_objective(ll, list(b = c(0, 0)), list(y = case$y, X = case$X, k = 1), device = device)
    fit <- optim(objective$par, objective$fn, objective$gr, method = "BFGS")
    expect_equal(unname(fit$par), unname(coef(glm(case$y ~ case$X - 1, family = poisson))), tolerance = 1e-4)
    value <- objective$fn(fit$par)
    shift <- 0.1
    expect_false(identical(objective$fn(fit$par), value))
    shift <- 0
  }
  d <- data.frame(y = case$y, x = case$X[, 2], other = "a")
  f <- opencl_function(function(par) -sum(dpois(y, exp(par[1] + par[2] * x), log = TRUE)), gradient = "par", data = d)
  objective <- as_objective(f, list(par = c(a = 0, b = 0)), negative = FALSE)
  expect_equal(nlm(objective$f, objective$par)$estimate, unname(coef(glm(y ~ x, poisson, d))), tolerance = 1e-4)
  searched <- as_objective(f, list(par = c(0, 0), x = d$x[1:2]), list(y = d$y[1:2]), negative = FALSE) # what is searched is no data
  expect_equal(searched$fn(searched$par), -sum(dpois(d$y[1:2], 1, log = TRUE)), tolerance = 1e-13)
  expect_error(as_objective(ll, list(b = 1), list(y = 1, z = 2)), "`z` in `data` is not an argument of `ll`", class = "nmathopencl_error")
})

test_that("what only a helper reads is not found in the data, as R finds it nowhere there", {
  y <- c(1, 2, 4)
  w <- c(1, 2, 3)
  deeper <- function(r) sum(w * r^2)
  helper <- function(m) deeper(y - m)
  through <- function(m) -helper(m)
  start <- c(m = 0)
  for (make in list(function(...) opencl_function(through, ...), function(...) as_objective(opencl_function(through), start, ...))) {
    refused <- function(data, text) expect_error(make(data = data), text, fixed = TRUE, class = "nmathopencl_error")
    refused(list(y = y), "which has `m`. Its helper `helper` reads `y`, and finds it where the helper was made, not in `data`: give it as an argument, helper <- function(y, ...)")
    refused(list(w = w), "Its helper `deeper` reads `w`")
    refused(list(other = 1, w = w), "Its helper `deeper` reads `w`")
    refused(list(r = 1), "`r` in `data` is not an argument") # the helper's own
    refused(list(r = 1), "and no variable that it reads")
    # Columns that have nothing to do with it, and those that are what the helper reads, are left out.
    expect_silent(make(data = data.frame(y = y, w = w, r = 5, note = letters[1:3])))
    expect_warning(make(data = data.frame(y = y, w = 2 * w)), "column `w` of `data` is left out.*Its helper `deeper` reads `w`.*leave it out, data\\[names\\(data\\) != \"w\"\\]")
    environment(through) <- list2env(list(helper = local(function(m) sum(nowhere_else - m), list2env(list(), parent = baseenv()))), parent = baseenv())
    expect_warning(make(data = data.frame(nowhere_else = 1)), "Its helper `helper` reads `nowhere_else`")
    environment(through) <- environment(deeper)
  }
  of_package <- function(y, m) sum(stats::dnorm(y, m, log = TRUE)) + median(y)
  expect_silent(opencl_function(of_package, data = data.frame(y = y, x = 1, mean = 2, sd = 3, na.rm = 4))) # names in functions of packages
  made <- local({
    own <- 3
    function(m) own * m
  })
  expect_silent(opencl_function(function(m) sum(made(m)), data = data.frame(own = 1))) # it has this one from where it was made
  compiled_helper <- opencl_function(function(y, m) sum((y - m)^2 * w), data = list(w = w))
  expect_silent(opencl_function(function(y, m) compiled_helper(y = y, m = m), data = data.frame(y = y, w = 9)))
  recursive <- function(m) if (m > 5) recursive(m - 1) else w * m
  expect_warning(opencl_function(function(m) sum(recursive(m)), data = data.frame(w = 9)), "Its helper `recursive` reads `w`")
})

test_that("a data frame may have columns of any class besides those that are read", {
  d <- data.frame(y = c(1, 2, 4), day = Sys.Date() + 1:3, name = letters[1:3])
  d$list <- list(1, 2:3, "a")
  d$matrix <- matrix(1:6, 3)
  d$level <- factor(d$name)
  f <- opencl_function(function(y, m) sum((y - m)^2), gradient = "m", data = d)
  expect_equal(c(f(m = 1)), 10)
  o <- as_objective(opencl_function(function(y, m) sum((y - m)^2), gradient = "m"), c(m = 0), d, negative = FALSE)
  expect_equal(o$fn(1), 10)
  expect_error(
    as_objective(opencl_function(function(y, m) sum((y - m)^2)), c(m = 0), cbind(d, m = 1)), "To search for it, leave it out, data[names(data) != \"m\"]",
    fixed = TRUE, class = "nmathopencl_error"
  )
})
