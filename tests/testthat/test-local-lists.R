# Lists that a function makes of its own: elements by name are variables.

unoptimized_programs()

y <- c(1, 2, 0.5, 3)
cases <- list(
  plain = function(par, y) {
    p <- list(mean = par[1], sd = exp(par[2]))
    sum(dnorm(y, p$mean, p$sd, log = TRUE))
  },
  brackets = function(par, y) {
    p <- list(m = par[1], "s" = exp(par[2]))
    -sum((y - p[["m"]])^2) / p$s^2
  },
  vectors = function(par, y) {
    of <- list(z = (y - par[1])^2, w = exp(-par[2] * y))
    k <- list(n = length(y), s = sum(of$z * of$w))
    k$s / k$n
  },
  by_another = function(par, y) {
    a <- list(u = par[1])
    b <- list(v = a$u * par[2], u = 3)
    sum(y * b$v * b$u * a$u)
  },
  in_loop = function(par, y) {
    total <- 0
    for (k in 1:3) {
      one <- list(m = par[1] * k, s = exp(par[2]))
      total <- total + dnorm(y, one$m, one$s)
    }
    sum(log(total))
  },
  in_helper = function(par, y) {
    density <- function(x, q) {
      of <- list(m = q[1], s = exp(q[2]))
      dnorm(x, of$m, of$s, log = TRUE)
    }
    sum(density(y, par))
  }
)

test_that("values and gradients are R's", {
  all_made <- lapply(cases, opencl_function, gradient = "par")
  for (name in names(cases)) for (device in compiling_devices()) {
    f <- cases[[name]]
    made <- all_made[[name]]
    for (par in list(c(0.4, 0.3), c(a = -0.2, b = 0.1))) {
      ours <- made(par, y, device = device)
      expect_equal(as.vector(ours), as.vector(f(par, y)), tolerance = 1e-13, info = name)
      expect_identical(names(ours), names(f(par, y)), info = name)
      expect_equal(unname(attr(ours, "gradient")), differences(f, list(par = par, y = y), "par"), tolerance = 1e-7, info = name)
    }
  }
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  for (name in names(cases)) expect_equal(as.vector(all_made[[name]](c(0.4, 0.3), y)), as.vector(cases[[name]](c(0.4, 0.3), y)), tolerance = 1e-13, info = name)
})

test_that("lists that are used in another way are refused", {
  refused <- function(f) expect_error(opencl_function(f, gradient = "par")(c(0.4, 0.3), y), class = "nmathopencl_error")
  refused(function(par, y) {
    p <- list(m = par[1], s = par[2])
    sum(y * lengths(p) * p$m)
  })
})
