# Lists that functions give, th <- unpack(par), against plain R.

unoptimized_programs()

y <- c(1, 2, 0.5, 3)
x <- c(0.2, -1, 1, 0.4)
unpack <- function(p) list(mu = p[1], s = exp(p[2]))
unnamed <- function(p) list(p[1], exp(p[2]))
chosen <- function(p) {
  k <- p[1]^2
  if (k > 10) return(list(mean = k, sd = 1))
  s <- exp(p[2])
  list(mean = p[1], sd = s)
}
grown <- function(p) {
  out <- list()
  out$mu <- p[1]
  out <- c(out, list(s = exp(p[2])))
  out
}
of_another <- function(p) c(unpack(p), list(k = p[1] * p[2]))
log_density <- function(y, mu, s) dnorm(y, mu, s, log = TRUE)
density_of <- function(y, p) with(unpack(p), log_density(y, mu, s))

cases <- list(
  variable = function(par, y) {
    th <- unpack(par)
    sum(dnorm(y, th$mu, th$s, log = TRUE))
  },
  at_once = function(par, y) sum(dnorm(y, unpack(par)$mu, unpack(par)[["s"]], log = TRUE)),
  with = function(par, y) with(unpack(par), sum(dnorm(y, mu, s, log = TRUE))),
  with_own = function(par, y) {
    mu <- 3
    eta <- 2
    r <- with(unpack(par), {
      mu <- mu * eta
      eta <- mu + x
      sum(dnorm(y, eta, s, log = TRUE))
    })
    r + mu * eta
  },
  numbers = function(par, y) {
    th <- unnamed(par)
    sum(dnorm(y, th[[1]], th[[2]], log = TRUE))
  },
  numbers_of_named = function(par, y) unpack(par)[[2]] * sum(y * unpack(par)[[1]]),
  several_ends = function(par, y) {
    th <- chosen(par)
    sum(dnorm(y, th$m, th$sd, log = TRUE)) # completed by R
  },
  grown = function(par, y) {
    th <- grown(par)
    sum(dnorm(y, th$mu, th[["s"]], log = TRUE))
  },
  joined = function(par, y) {
    th <- of_another(par)
    sum(dnorm(y, th$mu, th$s, log = TRUE)) + th$k
  },
  absent = function(par, y) {
    th <- unpack(par)
    if (is.null(th$nothing)) sum(y * th$mu) else th$s
  },
  ambiguous = function(par, y) {
    th <- list(aa = par[1], ab = par[2])
    if (is.null(th$a) && is.null(th[["aaa"]])) sum(y * th$aa) else th$ab
  },
  do_call = function(par, y) {
    th <- unpack(par)
    sum(do.call(log_density, c(list(y), unpack(par)))) + do.call("dnorm", list(1, th$mu, th$s))
  },
  own_function = function(par, y) {
    up <- function(q) {
      k <- q[1]
      list(mu = k, s = exp(q[2]))
    }
    th <- up(par)
    sum(dnorm(y, th$mu, up(par)$s, log = TRUE))
  },
  either = function(par, y) {
    if (length(y) > 2) th <- list(a = par[1], b = 2) else th <- list(a = par[2], b = 3)
    of <- if (par[1] > 0) list(k = par[2]) else list(k = par[1])
    sum(y * th$a * th$b * of$k)
  },
  in_rounds = function(par, y) {
    total <- sum(sapply(1:3, function(i) with(unpack(par * i), mu * s)))
    for (k in 1:3) {
      th <- unpack(par / k)
      total <- total + sum(dnorm(y, th$mu, th$s, log = TRUE))
    }
    total
  },
  in_helper = function(par, y) sum(density_of(y, par)),
  changed = function(par, y) {
    th <- unpack(par)
    th$s <- th$s + 1
    th$both <- th$mu * th$s
    sum(y * th$both)
  },
  as_list = function(par, y) {
    p <- as.list(par)
    k <- 2
    sum(dnorm(y, p[[1]], exp(p[[k]]), log = TRUE)) + as.list(par)[[2]] * length(p)
  },
  relist = function(par, y) {
    th <- relist(par, list(m = 0, s = 0))
    of <- relist(skeleton = list(b = c(0, 0)), par)
    sum(dnorm(y, th$m, exp(th$s), log = TRUE)) + of$b[2]^3
  }
)

test_that("values and gradients are R's", {
  skip_on_cran() # a matter of seconds
  made <- list()
  for (name in names(cases)) for (device in compiling_devices()) {
    f <- cases[[name]]
    if (is.null(made[[name]])) made[[name]] <- opencl_function(f, gradient = "par")
    for (k in 1:3) {
      par <- list(c(0.4, 0.3), c(a = -0.2, b = 0.1), c(4, 0.2))[[k]]
      given <- list(y, if (name == "with_own") y + 1 else 0.5, replace(y, 2, if (k == 3) NA else 1))[[k]]
      ours <- made[[name]](par, given, device = device)
      theirs <- f(par, given)
      expect_equal(as.vector(ours), as.vector(theirs), tolerance = 1e-13, info = name)
      expect_identical(names(ours), names(theirs), info = name)
      if (!anyNA(given)) expect_equal(unname(attr(ours, "gradient")), differences(f, list(par = par, y = given), "par"), tolerance = 1e-7, info = name)
    }
  }
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  for (name in names(cases)) for (given in list(y, numeric())) {
    if (name == "with_own" && length(given) == 0L) next
    ours <- made[[name]](c(0.4, 0.3), given)
    expect_equal(as.vector(ours), as.vector(cases[[name]](c(0.4, 0.3), given)), tolerance = 1e-13, info = name)
  }
})

test_that("Hessians, points, data and groups have them", {
  f <- cases$with
  par <- c(0.4, 0.3)
  for (device in compiling_devices()) {
    made <- opencl_function(f, gradient = "par", hessian = TRUE, data = list(y = y))
    slopes <- function(par) attr(made(par, device = device), "gradient")
    hessian <- attr(made(par, device = device), "hessian")
    step <- function(k) 1e-5 * (seq_along(par) == k)
    expect_equal(unname(hessian), sapply(1:2, function(k) unname(slopes(par + step(k)) - slopes(par - step(k))) / 2e-5), tolerance = 1e-6)
    points <- rbind(a = par, b = c(-1, 0.2))
    expect_equal(as.vector(made(over = points, device = device)), c(f(points[1, ], y), f(points[2, ], y)), tolerance = 1e-13)
    terms <- opencl_function(function(par, y) density_of(y, par), reduce = "sum", gradient = "par")
    g <- c(1, 2, 2, 1)
    ours <- terms(par, y, by = g, device = device)
    expect_equal(as.vector(ours), as.vector(tapply(density_of(y, par), g, sum)), tolerance = 1e-13)
    expect_equal(unname(attr(ours, "gradient")[2, ]), differences(function(par) sum(density_of(y[2:3], par)), list(par = par), "par"), tolerance = 1e-7)
  }
})

test_that("a function that is another one now is that one", {
  up <- function(p) list(a = p[1], b = p[2])
  f <- function(par) {
    th <- up(par)
    th$a * th$b
  }
  made <- opencl_function(f, gradient = "par")
  expect_equal(as.vector(made(c(2, 3))), 6)
  up <- function(p) list(b = p[1], a = p[2]^2)
  expect_equal(as.vector(made(c(2, 3))), f(c(2, 3)))
  expect_equal(unname(attr(made(c(2, 3)), "gradient")), c(9, 12))
})

test_that("each element is evaluated, as in R", {
  up <- function(p) list(a = p[1], b = log(p[2]))
  f <- opencl_function(function(par) up(par)$a^2, gradient = "par")
  expect_warning(value <- f(c(3, -1)), "NaNs produced")
  expect_equal(as.vector(value), 9)
})

test_that("lists that are used in another way are refused", {
  refused <- function(f, text = "") expect_error(opencl_function(f, gradient = "par")(c(0.4, 0.3), y), text, class = "nmathopencl_error")
  refused(function(par, y) length(unpack(par)) * sum(y))
  refused(function(par, y) {
    th <- unpack(par)
    th$s <- NULL
    th$mu
  })
  refused(function(par, y) {
    th <- unpack(par)
    th[[3]]
  }, "has 2 elements")
  refused(function(par, y) {
    th <- list(a = par[1], b = par[2])
    th <- list(a = th$b, b = th$a)
    th$a
  })
  refused(function(par, y) {
    th <- unpack(par)
    th$mus <- 3
    th$m
  }, "whole names")
  refused(function(par, y) {
    d <- list(mu = 3)
    with(unpack(par), with(list(k = mu), return(k)))
  }, "return")
  refused(function(par, y) {
    `th$mu` <- 5
    th <- list(mu = par[1])
    th$mu * `th$mu` * sum(y)
  }, "another name")
  short <- opencl_function(function(par, y) relist(par, list(a = 0, b = c(0, 0)))$b[1], gradient = "par")
  expect_error(short(c(0.4, 0.3), y), "shorter than the skeleton") # R gives NA
})
