# Names in with(): elements of par, data and functions, with gradients.

unoptimized_programs()

y <- c(1, 0, 2, 3)
x <- c(0.5, 1, 2, -1)
g <- c(1, 2, 1, 2)
frame_here <- data.frame(y = c(2, 3, 1, 0), x = x, g = g)

test_that("what is no element of par has no slope", {
  poisson <- function(par) with(as.list(par), sum(dpois(y, exp(b0 + b1 * x), log = TRUE)))
  at <- c(b0 = 0.3, b1 = -0.2)
  expect_slopes_as_r(poisson, at)
  expect_slopes_as_r(poisson, at, data = list(y = c(2, 3, 1, 0)))
  expect_slopes_as_r(function(par, y) with(as.list(par), sum(dpois(y, exp(b0 + b1 * x), log = TRUE))), at, c(2, 3, 1, 0))
  expect_slopes_as_r(function(par, d) with(d, with(as.list(par), sum(dpois(y, exp(b0 + b1 * x), log = TRUE)))), at, frame_here)
  expect_slopes_as_r(function(par, d) with(as.list(par), with(d, sum(dpois(y, exp(b0 + b1 * x), log = TRUE)))), at, frame_here)
  expect_slopes_as_r(function(par) with(as.list(par), sum(dnbinom(y, size = exp(b0), mu = exp(b1 * x), log = TRUE))), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(dbinom(y, 5, plogis(b0 + b1 * x), log = TRUE))), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(lchoose(10, y) + y * log(plogis(b0)) + b1)), at)
})

test_that("an element of par that has no slope is refused at the call that gives it", {
  f <- function(par) with(as.list(par), sum(dpois(y, exp(b0), log = TRUE)))
  for (compiler in c(TRUE, FALSE)) {
    withr_options(list(nmathopencl.compiler = if (compiler) getOption("nmathopencl.compiler") else FALSE), environment())
    made <- opencl_function(f, gradient = "par")
    expect_equal(as.vector(made(c(b0 = 0.3), device = "host")), f(c(b0 = 0.3)))
    expect_error(made(c(b0 = 0.3, y = 2), device = "host"), "no rule for the derivative of dpois() in `x`", fixed = TRUE, class = "nmathopencl_error")
    expect_equal(as.vector(made(c(b0 = 0.4), device = "host")), f(c(b0 = 0.4)))
    slope <- opencl_function(function(par) with(as.list(par), sum(x * b0)), gradient = "par")
    expect_equal(attr(slope(c(b0 = 0.3), device = "host"), "gradient"), c(par = sum(x)), ignore_attr = TRUE)
    expect_equal(attr(slope(c(b0 = 0.3, x = 2), device = "host"), "gradient"), c(2, 0.3), ignore_attr = TRUE)
  }
  expect_error(opencl_function(function(par) with(as.list(par), dpois(nowhere_here, 2)), gradient = "par"), "no rule", class = "nmathopencl_error")
})

test_that("R computes what it knows within with()", {
  at <- c(b0 = 0.3, b1 = -0.2)
  expect_slopes_as_r(function(par) with(as.list(par), sum(b0 * y[order(-y)] * x + b1^2)), at)
  expect_slopes_as_r(function(par, y) with(as.list(par), sum(b0 * y[order(-y)] * x + b1^2)), at, c(2, 3, 1, 0))
  expect_slopes_as_r(function(par, d) with(d, with(as.list(par), sum(b0 * y[order(-y)] * x + b1^2))), at, frame_here)
  expect_slopes_as_r(function(par, d) with(as.list(par), with(d, sum(b0 * y[order(-y)] * x + b1^2))), at, frame_here)
  expect_slopes_as_r(function(par) with(as.list(par), sum(b0 * y[order(-y)] * x + b1^2)), at, data = list(y = c(5, 7, 6, 1)))
  expect_slopes_as_r(function(par) with(as.list(par), sum(b0 * sort(y) * x + b1 * median(x))), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(b0 * x[y > 0]) + b1 * sum(which(y > 1))), at)
  expect_as_r(function(d) with(d, sum(sort(y) * x) + which.max(y)), frame_here)
  expect_as_r(function(d, y) with(d, y[order(y)]), frame_here["x"], c(3, 1, 2)) # the argument
  expect_error(opencl_function(function(d, y) {
    y <- -y
    with(d, x[order(y)])
  }), "order", class = "nmathopencl_error") # the list's, or what the body makes of `y`
  expect_as_r(function(p) with(as.list(p), x[order(y)]), c(a = 1, b = 2))
  expect_as_r(function(p) with(as.list(p), x[order(y)]), c(a = 1, y = 2)) # of one element
  made <- opencl_function(function(par) with(as.list(par), sum(b0 * sort(y))), gradient = "par")
  expect_equal(as.vector(made(c(b0 = 2), device = "host")), 2 * sum(y))
  expect_error(made(c(b0 = 2, y = 3), device = "host"), "reads `y`, an element of `par`", fixed = TRUE, class = "nmathopencl_error")
})

# Bodies of random terms, whose data are in the environment, an argument, `data`, a list around or within, or in two of these.
terms_in_with <- alist(
  dpois(y, exp(b0 + b1 * x), log = TRUE), dnbinom(y, exp(b0), mu = exp(b1 * x), log = TRUE), b0 * y[order(-y)], b1 * x[g == 1], x[order(y, x)] * b0^2,
  tapply(exp(b0 * x), g, sum)^2, rowsum(b1 * x^2, g)^2, ave(b0 * x, g, FUN = mean)^2, sapply(b0 + b1 * x, exp), lchoose(10, y) * b0, sort(x) * b1 * x,
  sapply(1:2, function(k) sum(b0 * x[g == k])^2), b0 * length(unique(g)), dbinom(y, 5, plogis(b0 * x + b1), log = TRUE), b0 * which.max(y)
)
test_that("random bodies have R's values and slopes", {
  skip_on_cran() # a matter of seconds
  for (round in 1:12) {
    set.seed(round)
    terms <- lapply(sample(terms_in_with, 3L), function(term) call("sum", term))
    body <- call("with", quote(as.list(par)), Reduce(function(a, b) call("+", a, b), terms))
    around <- sample(3L, 1L)
    if (around == 1L) body <- call("with", quote(d), body)
    if (around == 2L) body[[3L]] <- call("with", quote(d), body[[3L]])
    f <- as.function(c(alist(par = , d = , y = ), body))
    environment(f) <- environment()
    d <- lapply(frame_here, sample)[sample(3L, sample(0:3, 1L))]
    data <- if (runif(1) < 0.3) list(x = sample(x))
    if (around == 3L) formals(f)$d <- NULL
    others <- c(if (around != 3L) list(d = c(d, list(unread = 1))), list(y = sample(y)))
    do.call(expect_slopes_as_r, c(list(f, c(b0 = 0.3, b1 = -0.2), ways = ways_of(round)), others, if (!is.null(data)) list(data = data)))
  }
})

test_that("names of functions are no elements of lists", {
  at <- c(b0 = 0.3, b1 = -0.2)
  square <- function(t) t^2
  expect_slopes_as_r(function(par) with(as.list(par), sum(tapply(exp(b0 + b1 * x), g, sum)^2)), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(tapply(exp(b0 + b1 * x), g, mean)^2)), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(rowsum(exp(b0 + b1 * x), g)^2)), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(ave(exp(b0 + b1 * x), g, FUN = mean)^2)), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(ave(exp(b0 + b1 * x), g)^2)), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(sapply(b0 + b1 * x, exp))), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(sapply(b0 + b1 * x, square))), at)
  expect_slopes_as_r(function(par) with(as.list(par), sum(vapply(b0 + b1 * x, square, numeric(1)))), at)
  expect_slopes_as_r(function(par, d) with(d, with(as.list(par), sum(tapply(exp(b0 + b1 * x), g, sum)^2))), at, frame_here)
  expect_slopes_as_r(function(par, d) with(as.list(par), with(d, sum(tapply(exp(b0 + b1 * x), g, sum)^2))), at, frame_here)
  expect_slopes_as_r(function(par) {
    twice <- function(t) 2 * t
    with(as.list(par), sum(sapply(b0 + b1 * x, twice)))
  }, at)
  expect_as_r(function(d) with(d, tapply(y, g, sum)[[1]] + sum(outer(y, x, "*"))), frame_here)
  expect_as_r(function(d) with(d, sum(tapply(y, g, sum))), cbind(frame_here, sum = 7)) # R looks for a function
  expect_as_r(function(x) sum(sapply(x, square)), x)
})

S <- function(t) cat(t)
shift_here <- 10
shifted <- function(t) t + shift_here

test_that("a function of the body's own hides one of the environment", {
  at <- c(0.3, -0.2)
  expect_slopes_as_r(function(par) {
    S <- function(t) t^2
    sum(S(par))
  }, at)
  expect_slopes_as_r(function(par) {
    value <- 0
    if (y[1] > 0) {
      S <- function(t) t^2
      value <- sum(S(par))
    }
    value
  }, at)
  expect_slopes_as_r(function(par) {
    all_of <- function(t) sum(S(t))
    S <- function(t) t^2
    all_of(par) * 2
  }, at)
  expect_as_r(function(y) {
    mean <- function(t) t[1]
    sum(y[y > mean(y)])
  }, c(1, 3, 2))
  expect_as_r(function(y) {
    which.max <- function(t) 1
    y[which.max(y)]
  }, c(1, 3, 2))
  expect_as_r(function(x) { # in `one` it is the environment's
    one <- function(t) sum(shifted(t))
    other <- function(t) {
      shifted <- function(u) u^3
      sum(shifted(t))
    }
    one(x) + other(x)
  }, x)
  expect_as_r(function(x) {
    one <- function(t) sum(shifted(t))
    before <- one(x)
    shifted <- function(t) t^2
    before + sum(shifted(x))
  }, x)
  for (k in 1:2) expect_as_r(function(x, k) {
    if (k > 1) shifted <- function(t) t^2
    sum(shifted(x))
  }, x, k)
  expect_error(opencl_function(function(par) sum(S(par))), "cat", class = "nmathopencl_error")
})

test_that("a function that the body chooses is to be written out", {
  f <- function(y, d) {
    dens <- switch(d, exp = dexp, norm = dnorm)
    sum(dens(y))
  }
  expect_error(opencl_function(f)(y, "exp", device = "host"), "exp = function(t) dexp(t)", fixed = TRUE, class = "nmathopencl_error")
  expect_as_r(function(y, d) {
    dens <- switch(d, exp = function(t) dexp(t), norm = function(t) dnorm(t))
    sum(dens(y))
  }, y, "norm")
})

test_that("a list beside that of with() is refused where with()'s has an element of its name, which R takes", {
  own <- function(par, d) {
    p <- list(mu = par[1], s = exp(par[2]))
    with(d, sum(dnorm(y, p$mu, p$s, log = TRUE)))
  }
  given <- function(par, d, e) with(d, sum(dnorm(y, par[1] * e$k, e[["k"]], log = TRUE)))
  both <- function(par, d, e) {
    p <- list(mu = par[1])
    with(d, with(e, {
      p$mu <- p$mu * k
      sum(y * p$mu)
    }))
  }
  e <- list(k = 2)
  d <- list(y = c(1, 2, 3.5))
  refused <- function(code, name) expect_error(code, paste0("has an element `", name, "`, too"), class = "nmathopencl_error")
  old <- options("nmathopencl.compiler")
  on.exit(options(old))
  for (compiler in list(FALSE, old[[1L]])) {
    options(nmathopencl.compiler = compiler)
    f <- opencl_function(own, gradient = "par")
    for (par in list(c(0.1, 0.2), c(0.3, 0.2))) expect_equal(as.vector(f(par, d)), own(par, d))
    refused(f(c(0.1, 0.2), c(d, list(p = list(mu = 100, s = 1)))), "p")
    f <- opencl_function(own, gradient = "par", data = list(d = c(d, list(p = list(mu = 100, s = 1)))))
    refused(f(par = c(0.1, 0.2)), "p")
    f <- opencl_function(given, gradient = "par")
    expect_equal(as.vector(f(0.1, d, e)), given(0.1, d, e))
    refused(f(0.1, c(d, list(e = list(k = 7))), e), "e")
    expect_equal(as.vector(f(0.2, d, e)), given(0.2, d, e))
    f <- opencl_function(both, gradient = "par")
    expect_equal(as.vector(f(2, d, e)), both(2, d, e))
    refused(f(2, d, c(e, list(p = list(mu = 1)))), "p")
    refused(f(2, c(d, list(p = list(mu = 1))), e), "p")
  }
})

test_that("a local variable may have a column's name, whatever a variable around has it for", {
  skip_on_cran() # a matter of seconds
  bodies <- list(
    function(par, d) {
      z <- with(d, z * par[1])
      sum(z * par[2])
    },
    function(par, d) {
      z <- with(d, z * par[1])
      z[2] <- par[2]
      sum(z * z)
    },
    function(par, d) {
      for (k in 1:3) z <- with(d, z * par[1] + k * par[2])
      sum(z^2)
    },
    function(par, d) {
      if (length(d$w) > 2) z <- with(d, z * par[1]) else z <- with(d, z * par[2])
      sum(exp(z))
    },
    function(par, d) {
      z <- with(d, with(as.list(par), z * w))
      sum(z^2 * par[2])
    },
    function(par, d) { # the list's again
      z <- with(d, z * par[1])
      sum(with(d, z) * z)
    }
  )
  d <- data.frame(z = c(1, 2, 4), w = c(0.5, -1, 2))
  around <- list(quote(expr = ), c(100, 50, 25), 1000, list(1), function(t) t, "text", numeric(0))
  for (k in seq_along(around)) {
    env <- new.env(parent = globalenv())
    if (k > 1L) assign("z", around[[k]], envir = env)
    for (f in bodies) {
      environment(f) <- env
      expect_slopes_as_r(f, c(0.4, -0.3), d)
      of_data <- f
      value <- opencl_function(of_data, gradient = "par", data = list(d = d))(c(0.4, -0.3), device = "host")
      expect_equal(as.vector(value), f(c(0.4, -0.3), d))
    }
  }
  env <- new.env(parent = globalenv()) # the variable around is read where the list has none of its name
  env$z <- c(10, 20, 30)
  for (f in bodies[1:4]) {
    environment(f) <- env
    expect_slopes_as_r(f, c(0.4, -0.3), d["w"])
  }
  environment(bodies[[1L]]) <- new.env(parent = globalenv())
  expect_error(opencl_function(bodies[[1L]])(c(0.4, -0.3), d["w"], device = "host"), "object 'z' not found", fixed = TRUE)
})
