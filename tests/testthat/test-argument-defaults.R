# Defaults of a function's own arguments are what they are in R: functions of the other arguments, through which gradients go, and with `by` of the
# rows of each level.

unoptimized_programs()

y <- c(1, 2, 4, 3.5)
id <- c(1L, 1L, 1L, 2L)

# Functions of `par` and `y`, and those whose body computes the defaults.
cases <- list(
  element = list(
    function(par, y, m = par[1]) sum(dnorm(y, m, exp(par[2]), log = TRUE)),
    function(par, y) sum(dnorm(y, par[1], exp(par[2]), log = TRUE))
  ),
  used_besides = list(
    function(par, y, s = exp(par[2])) -sum(dnorm(y, par[1] / s, s, log = TRUE)) - par[2]^2,
    function(par, y) {
      s <- exp(par[2])
      -sum(dnorm(y, par[1] / s, s, log = TRUE)) - par[2]^2
    }
  ),
  data_and_parameter = list(
    function(par, y, s = sd(y) * exp(par[2]), m = mean(y) + par[1]) -sum(dnorm(y, m, s, log = TRUE)),
    function(par, y) {
      s <- sd(y) * exp(par[2])
      -sum(dnorm(y, mean(y) + par[1], s, log = TRUE))
    }
  ),
  one_by_another = list(
    function(par, y, k = par[1] + j, j = 2 * par[2]) sum(k * y * j) * par[1],
    function(par, y) {
      j <- 2 * par[2]
      k <- par[1] + j
      sum(k * y * j) * par[1]
    }
  ),
  rows = list(
    function(par, y, n = length(y), z = y - mean(y)) sum(z^2 * par[1]) / n + par[2]^2,
    function(par, y) sum((y - mean(y))^2 * par[1]) / length(y) + par[2]^2
  ),
  in_data_only = list(
    function(par, y, z = (y - mean(y)) * par[1]) sum(z^2),
    function(par, y) sum(((y - mean(y)) * par[1])^2)
  ),
  only_there = list(
    function(par, y, eta = par[1] + par[2] * y) sum(exp(eta)),
    function(par, y) sum(exp(par[1] + par[2] * y))
  )
)

ways <- function() c(lapply(compiling_devices(), function(device) function(code) with_device(device, code)), if (!as_on_cran()) list(function(code) {
  old <- options(nmathopencl.compiler = FALSE, nmathopencl.device = "host")
  on.exit(options(old))
  code
}))

test_that("a default is a part of the function: value, gradient, Hessian, at one point and at many", {
  P <- rbind(c(0.4, 0.1), c(-0.2, 0.3))
  for (name in names(cases)) {
    f <- opencl_function(cases[[name]][[1L]], gradient = "par", hessian = TRUE)
    by_hand <- opencl_function(cases[[name]][[2L]], gradient = "par", hessian = TRUE)
    slopes <- lapply(1:2, function(row) differences(function(par, y) cases[[name]][[1L]](par, y), list(par = P[row, ], y = y), "par"))
    for (way in ways()) {
      for (row in c(1, 2, 1)) {
        ours <- way(f(P[row, ], y))
        expect_equal(ours, way(by_hand(P[row, ], y)), tolerance = 1e-13, info = name)
        expect_equal(as.vector(ours), cases[[name]][[1L]](P[row, ], y), tolerance = 1e-12, info = name)
        expect_equal(unname(attr(ours, "gradient")), slopes[[row]], tolerance = 1e-7, info = name)
      }
      expect_equal(way(f(over = P, y = y)), way(by_hand(over = P, y = y)), tolerance = 1e-13, info = name)
    }
  }
})

test_that("with `by` it is that of each level's rows", {
  for (name in names(cases)) for (way in ways()) {
    f <- opencl_function(cases[[name]][[1L]], reduce = "sum", gradient = "par")
    ours <- way(f(c(0.4, 0.1), y, by = id))
    known <- vapply(split(y, id), function(y) cases[[name]][[1L]](c(0.4, 0.1), y), 0)
    expect_equal(c(ours), known, tolerance = 1e-12, info = name, ignore_attr = TRUE)
    for (level in 1:2) {
      slopes <- differences(function(par, y) cases[[name]][[1L]](par, y), list(par = c(0.4, 0.1), y = y[id == level]), "par")
      expect_equal(unname(attr(ours, "gradient")[level, ]), slopes, tolerance = 1e-7, info = name)
    }
  }
})

test_that("what is given is no default, in the call, in `data` and in `over`", {
  f <- cases$element[[1L]]
  ours <- opencl_function(f, gradient = "par")
  given <- ours(c(0.4, 0.1), y, m = 0.4)
  expect_equal(as.vector(given), f(c(0.4, 0.1), y))
  expect_identical(attr(given, "gradient")[["par1"]], 0)
  points <- ours(c(0.4, 0.1), y, over = list(m = c(1, 2)))
  expect_equal(as.vector(points), c(f(c(0.4, 0.1), y, 1), f(c(0.4, 0.1), y, 2)))
  expect_identical(attr(points, "gradient")[, "par1"], c(0, 0))
  with_data <- opencl_function(f, gradient = "par", data = list(y = y))
  expect_equal(with_data(c(0.4, 0.1)), ours(c(0.4, 0.1), y))
  of_rows <- opencl_function(cases$rows[[1L]], reduce = "sum", data = list(y = y))
  expect_equal(c(of_rows(c(1, 0), by = id)), c(`1` = var(y[1:3]) * 2 / 3, `2` = 0))
  expect_equal(c(of_rows(c(1, 0), n = 1, by = id)), c(`1` = var(y[1:3]) * 2, `2` = 0))
  # A gradient in an argument is one with it held.
  both <- opencl_function(function(a, y, b = a) sum(y * a * b), gradient = c("a", "b"))
  expect_identical(c(attr(both(2, 1:3), "gradient")), c(a = 12, b = 12))
})

test_that("conditions name the user's call, and what defaults lack", {
  f <- opencl_function(function(par, y, m = par[1]) sum(dnorm(y, m, exp(par[2]), log = TRUE)), gradient = "par")
  expect_error(f(c(0, 0)), "argument \"y\" is missing, with no default")
  failed <- tryCatch(f("a", y), error = identity)
  expect_identical(conditionCall(failed), quote(f("a", y)))
  opaque <- opencl_function(function(par, y, m = nchar(paste(par[1]))) sum((y - m)^2) * par[1], gradient = "par")
  expect_error(opaque(c(0.1, 0.1), y), class = "nmathopencl_error")
  circle <- opencl_function(function(par, y, a = b + par, b = a) sum(y * a * b) * par, gradient = "par")
  expect_error(circle(1, y), "promise already under evaluation")
})
