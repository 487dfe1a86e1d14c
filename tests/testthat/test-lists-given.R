# Lists that a function gives to functions of one's own: prior(p), lik(p, d).

unoptimized_programs()

y <- c(1, 2, 0.5, 3)
d <- data.frame(y = y, x = c(0.5, -1, 2, 0.25))
mu <- 99 # which no list may let a function see

prior <- function(p) dnorm(p$mu, 0, 1, log = TRUE) + dexp(p$sd, 1, log = TRUE)
prior_with <- function(p) with(p, dnorm(mu, 0, 1, log = TRUE) + dexp(sd, 1, log = TRUE))
weighted <- function(q, w = 1) prior(q) * w + length(q)
lik <- function(p, d, k = 1) with(d, sum(dnorm(y, p$mu + x, p$sd, log = TRUE))) * k
lik_in_with <- function(p, d) with(p, with(d, sum(dnorm(y, mu + x, sd, log = TRUE)))) + prior(p)
lik_with_in <- function(p, d) with(d, with(p, sum(dnorm(y, mu * x, sd, log = TRUE))))
rows <- function(d, p) -sum((d$y - d$x * p$mu)^2) / nrow(d)
moved <- function(p) list(mu = p$mu + 1, sd = p$sd * 2)
changed <- function(p) {
  p$k <- p$mu * 2
  p$k + p$sd
}
by_default <- function(p, s = p$sd) dnorm(1, p$mu, s)
blocks <- function(l) with(l, {
  z <- mu + sd
  mu <- 3
  z * mu
})
top <- function(p) prior(p$top) + sum(dnorm(p$b, p$top$mu, p$top$sd, log = TRUE))

of_vector <- list(
  made = function(par) {
    p <- list(mu = par[1], sd = exp(par[2]))
    prior(p) + prior_with(p) + weighted(p, 2)
  },
  data = function(par) {
    p <- list(mu = par[[1]], sd = exp(par[[2]]))
    lik(p, d, 2) + lik_in_with(p, d) + lik_with_in(p, d) + rows(d, p)
  },
  where_made = function(par) prior(list(mu = par[1], sd = exp(par[2]))) + prior(moved(list(mu = par[1], sd = exp(par[2])))),
  by_a_function = function(par) {
    p <- list(mu = par[1], sd = exp(par[2]))
    q <- moved(p)
    prior(q) * prior(p) + changed(p) + p$mu + blocks(p)
  },
  argument_name = function(par) {
    par <- list(mu = par[1], sd = exp(par[2]))
    prior(par) + length(par) + par$sd
  },
  in_loop = function(par) {
    s <- 0
    for (k in 1:3) {
      p <- list(mu = par[1] * k, sd = exp(par[2]))
      s <- s + prior(p)
    }
    s
  },
  each = function(par) {
    p <- list(mu = par[1], sd = exp(par[2]))
    sum(sapply(1:3, function(k) prior(p) * k * by_default(p, s = k)))
  },
  lists_in_lists = function(par) {
    p <- list(top = list(mu = par[1], sd = exp(par[2])), b = par^2)
    top(p)
  },
  in_with = function(par) {
    p <- list(mu = par[1], x = exp(par[2]))
    with(p, with(d, sum(dnorm(y, mu, x^2 + 1)))) + with(d, with(p, sum(dnorm(y, mu, x))))
  },
  asks_names = function(par) {
    p <- list(mu = par[1], sd = exp(par[2]))
    if ("sd" %in% names(p)) p$mu * p$sd else p$mu
  }
)

test_that("lists that the function makes are given to functions of one's own", {
  skip_on_cran() # a matter of seconds
  for (name in names(of_vector)) {
    f <- of_vector[[name]]
    made <- opencl_function(f, gradient = "par")
    check <- function(device = "auto") {
      for (par in list(c(0.4, 0.3), c(-0.2, 0.1))) {
        ours <- made(par, device = device)
        expect_equal(as.vector(ours), as.vector(f(par)), tolerance = 1e-13, info = name)
        expect_equal(unname(attr(ours, "gradient")), differences(f, list(par = par), "par"), tolerance = 1e-6, info = name)
      }
    }
    for (device in compiling_devices()) check(device)
    local({
      withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
      check()
      expect_equal(as.vector(opencl_function(f)(c(0.4, 0.3))), as.vector(f(c(0.4, 0.3))), tolerance = 1e-13, info = name)
    })
  }
})

of_list <- list(
  given = function(p, d) prior(p) + prior_with(p) + weighted(p),
  data = function(p, d) lik(p, d) + lik_in_with(p, d) + lik_with_in(p, d) + rows(d, p),
  changes = function(p, d) blocks(p) + p$mu + by_default(p)
)

test_that("so are lists that are arguments, and as.list() of named vectors", {
  skip_on_cran() # a matter of seconds
  p <- list(mu = 0.3, sd = 1.2)
  other <- list(extra = 7, sd = 0.8, mu = -0.5)
  longer <- data.frame(x = c(1, -1), z = 3:2, y = c(0.25, -2))
  made_of <- lapply(of_list, opencl_function, gradient = "p")
  plain_of <- lapply(of_list, opencl_function)
  of_data <- lapply(of_list, opencl_function, data = list(d = d))
  of_names <- function(par) { p <- as.list(par); lik(p, d) + lik_in_with(p, d) + weighted(p, 2) + rows(d, as.list(par)) }
  named <- opencl_function(of_names, gradient = "par")
  check <- function(device = "auto") {
    for (name in names(of_list)) {
      f <- of_list[[name]]
      made <- made_of[[name]]
      plain <- plain_of[[name]]
      in_data <- of_data[[name]]
      for (one in list(list(p, d), list(other, d), list(p, longer))) {
        ours <- made(one[[1L]], one[[2L]], device = device)
        expect_equal(as.vector(ours), f(one[[1L]], one[[2L]]), tolerance = 1e-13, info = name)
        slopes <- attr(ours, "gradient")
        by_number <- function(v) f(utils::modifyList(one[[1L]], list(mu = v[1], sd = v[2])), one[[2L]])
        expect_equal(as.vector(rbind(slopes)[1, c("p$mu", "p$sd")]), differences(by_number, list(v = c(one[[1L]]$mu, one[[1L]]$sd)), "v"), tolerance = 1e-6, info = name)
        expect_equal(plain(one[[1L]], one[[2L]], device = device), f(one[[1L]], one[[2L]]), tolerance = 1e-13, info = name)
      }
      expect_equal(in_data(other, device = device), f(other, d), tolerance = 1e-13, info = name)
    }
    ours <- named(c(sd = 0.8, mu = 0.1), device = device)
    expect_equal(as.vector(ours), of_names(c(sd = 0.8, mu = 0.1)), tolerance = 1e-13)
    expect_equal(unname(attr(ours, "gradient")), differences(of_names, list(par = c(sd = 0.8, mu = 0.1)), "par"), tolerance = 1e-6)
  }
  for (device in compiling_devices()) check(device)
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  check()
})

test_that("factors in such lists are codes, and functions may call themselves", {
  skip_on_cran() # a matter of seconds
  of_groups <- function(p, d) with(d, sum(dnorm(y, p$mu + p$u[g], p$sd, log = TRUE))) + sum(d$y * p$u[d$g])
  chained <- function(p, n) if (n == 0) p$mu else p$sd * chained(p, n - 1)
  both <- function(p, q) p$mu * q$mu + length(q)
  f <- function(par, d) {
    p <- list(mu = par[1], sd = exp(par[2]), u = par[3:5])
    of_groups(p, d) + chained(p, 3) + both(p, p) + both(q = list(mu = par[2]), p = p)
  }
  g <- function(p, d) of_groups(p, d) + both(p, p)
  data <- cbind(d, g = factor(c("v", "u", "v", "w")))
  par <- c(0.4, 0.3, 1, -1, 2)
  made <- opencl_function(f, gradient = "par")
  of_list <- opencl_function(g, gradient = "p")
  of_data <- opencl_function(g, data = list(d = data))
  check <- function(device = "auto") {
    ours <- made(par, data, device = device)
    expect_equal(as.vector(ours), f(par, data), tolerance = 1e-13)
    expect_equal(unname(attr(ours, "gradient")), differences(f, list(par = par, d = data), "par"), tolerance = 1e-6)
    p <- list(mu = 0.4, sd = 2, u = 3:1 / 2)
    expect_equal(as.vector(of_list(p, data, device = device)), g(p, data), tolerance = 1e-13)
    expect_equal(of_data(p, device = device), g(p, data), tolerance = 1e-13)
  }
  for (device in compiling_devices()) check(device)
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  check()
})

test_that("as.list() of a vector without the name is an error, as names are not completed there", {
  f <- function(par) {
    p <- as.list(par)
    p$m * 2
  }
  expect_error(opencl_function(f)(c(mu = 1)), "subscript out of bounds")
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  expect_error(opencl_function(f)(c(mu = 1)), "subscript out of bounds")
})

test_that("a new definition of such a function counts", {
  env <- list2env(list(inner = function(q) q$a * 2, outer = function(p) inner(p) + 1), parent = globalenv())
  for (name in c("inner", "outer")) environment(env[[name]]) <- env
  f <- eval(quote(function(p) outer(p)), env)
  g <- eval(quote(function(par) { p <- list(a = par[1]); outer(p) }), env)
  env$outer <- eval(quote(function(p) inner(p) + 1), env)
  made <- opencl_function(f)
  of_list <- opencl_function(g)
  expect_equal(made(list(a = 3)), 7)
  expect_equal(of_list(3), 7)
  env$inner <- eval(quote(function(q) q$a * 10), env)
  expect_equal(of_list(3), 31)
  expect_equal(made(list(a = 3)), 31)
  env$inner <- eval(quote(function(q) q$b * 10), env)
  expect_error(made(list(a = 3, b = 2)), class = "nmathopencl_error")
})

test_that("with() in a function of the body sees that function's arguments", {
  cases <- list(
    called = function(a, d) {
      h <- function(mu) with(d, sum(y - mu))
      h(a)
    },
    each = function(a, d) sum(sapply(1:3, function(mu) with(d, sum(y * a^mu))))
  )
  for (f in cases) {
    expect_equal(opencl_function(f)(0.3, d), f(0.3, d), tolerance = 1e-14)
    old <- options(nmathopencl.compiler = FALSE, nmathopencl.device = "host")
    value <- tryCatch(opencl_function(f)(0.3, d), finally = options(old))
    expect_equal(value, f(0.3, d), tolerance = 1e-14)
  }
})

test_that("what a function reads of a list in another way is refused", {
  whole <- function(p) sum(unlist(p))
  refused <- function(f, ...) expect_error(opencl_function(f)(...), class = "nmathopencl_error")
  refused(function(p) whole(p), list(mu = 1))
  refused(function(p) prior_with(p), list(mu = 1)) # has no element sd
  refused(function(p, d) with(d, sum(y)) + lik(p, d), list(mu = 1, sd = 2), list(y = 1, x = 2, p = list(mu = 5, sd = 1)))
  missing_asked <- function(p) if (missing(p)) 0 else p$mu
  refused(function(par) {
    p <- list(mu = par[1])
    missing_asked(p)
  }, 2)
})
