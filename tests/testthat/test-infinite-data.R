# Gradients where data are infinite, as the upper limits of censored intervals, or 0 where their log is taken: such an element is what it is
# whatever the parameters are.

unoptimized_programs()

t <- c(0, 0.5, 1, 2, Inf)
lower <- c(0, 0.2, 1, 2, 3)
upper <- c(0.5, 1, 2, Inf, Inf)
x <- c(0.1, -0.3, 0.2, 0.4, 0)

functions <- list(
  function(a, t, lower, upper, x) sum(exp(-t / a[1])),
  function(a, t, lower, upper, x) sum(exp(-(t / a[1])^2)) * a[2],
  function(a, t, lower, upper, x) sum(exp(-t^a[1])),
  function(a, t, lower, upper, x) sum(1 / (1 + t^a[1])) + a[2],
  function(a, t, lower, upper, x) sum(pexp(t * a[1])) + sum(pgamma(t * a[1], 2)),
  function(a, t, lower, upper, x) sum(atan(t * a[1])) + sum(tanh(t * a[2])),
  function(a, t, lower, upper, x) sum(pnorm(log(t) / a[1]) * (1 + a[2])),
  function(a, t, lower, upper, x) sum(log(exp(-(lower / a[1])^a[2]) - exp(-(upper / a[1])^a[2]))),
  function(a, t, lower, upper, x) sum(log(pnorm((upper - a[1]) / a[2]) - pnorm((lower - a[1]) / a[2]))),
  function(a, t, lower, upper, x) sum(log(plogis((log(upper) - a[1] * x) / a[2]) - plogis((log(lower) - a[1] * x) / a[2]))),
  function(a, t, lower, upper, x) {
    total <- 0
    for (k in 1:3) total <- total + exp(-(t / (a[1] * k))^a[2])
    sum(log(1 + total))
  }
)
at <- list(a = c(1.3, 0.7), t = t, lower = lower, upper = upper, x = x)
value_at <- function(f, a) do.call(f, replace(at, "a", list(a)))

test_that("slopes and second derivatives are those of differences", {
  for (f in functions) {
    ways <- c(compiling_devices(), if (!as_on_cran()) "plain")
    if (length(ways) == 0L) next
    slopes <- differences(function(a) value_at(f, a), list(a = at$a), "a")
    known <- difference_columns(function(a) differences(function(a) value_at(f, a), list(a = a), "a"), at$a)
    all_made <- lapply(c(FALSE, TRUE), function(hessian) opencl_function(f, gradient = "a", hessian = hessian))
    for (way in ways) in_way(way, for (made in all_made) {
      told <- paste(way, deparse1(body(f)))
      for (turn in 1:3) {
        ours <- do.call(made, c(at, device = device_of_way(way)))
        expect_equal(as.vector(ours), value_at(f, at$a), tolerance = 1e-12, info = told)
        expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-7, info = told)
      }
      if (!is.null(attr(ours, "hessian"))) expect_equal(c(attr(ours, "hessian")), c(known), tolerance = 1e-4, info = told)
    })
    expect_false(is.null(attr(ours, "hessian")))
  }
})

test_that("other calls of such a function are to the last bit what they were, at one point, at many and by levels", {
  for (device in compiling_devices()) {
    finite <- function(made, ...) made(..., t = t[2:4], lower = lower[1:3], upper = upper[1:3], x = x[1:3], device = device)
    made <- opencl_function(functions[[9]], gradient = "a")
    before <- finite(made, a = at$a)
    first <- do.call(made, c(at, device = device))
    expect_false(anyNA(attr(first, "gradient")))
    expect_identical(finite(made, a = at$a), before)
    expect_identical(do.call(made, c(at, device = device)), first)
    points <- do.call(opencl_function(functions[[9]], gradient = "a"), c(at[-1L], list(over = rbind(at$a, 1.1 * at$a), device = device)))
    expect_identical(attr(points, "gradient")[1L, ], unname(c(attr(first, "gradient"))), ignore_attr = TRUE)
    terms <- opencl_function(function(a, lower, upper) log(pnorm((upper - a[1]) / a[2]) - pnorm((lower - a[1]) / a[2])), reduce = "sum", gradient = "a")
    by <- terms(at$a, lower, upper, by = c(1L, 2L, 1L, 2L, 1L), device = device)
    expect_equal(unname(colSums(attr(by, "gradient"))), unname(c(attr(first, "gradient"))), tolerance = 1e-12)
  }
})

test_that("where a parameter is what makes it infinite, a slope stays NaN", {
  f <- opencl_function(function(s, t) sum(1 / (1 + t / s)), gradient = "s")
  for (turn in 1:2) expect_identical(c(attr(f(0, c(1, 2)), "gradient")), c(s = NaN))
  expect_equal(c(attr(f(0.5, c(1, 2)), "gradient")), c(s = sum(c(1, 2) / (0.5 + c(1, 2))^2)))
})

test_that("what is 1 whatever its base is has slope 0, also of data that are missing", {
  numbers <- list(
    function(x, d) (d * x)^0, function(x, d) sum((d * x)^0) + x, function(x, d) 1^(d * x), function(x, d) abs(d * x)^0, function(x, d) (log(abs(d)) * x)^0,
    function(x, d) (d / x + 1)^0L * x, function(x, d) (d * x)^round(0.2 * x)
  )
  for (way in c(compiling_devices(), "by R")) {
    old <- options(nmathopencl.device = if (way == "by R") "host" else way, nmathopencl.compiler = if (way == "by R") FALSE else getOption("nmathopencl.compiler"))
    for (f in numbers) for (d in c(NA, NaN, Inf, 2)) {
      told <- paste(way, deparse1(body(f)), d)
      slope <- differences(function(x) f(x, d), list(x = 1.5), "x")
      made <- opencl_function(f, gradient = "x")
      for (turn in 1:2) {
        ours <- made(1.5, d)
        expect_equal(as.vector(ours), f(1.5, d), info = told)
        expect_equal(as.vector(attr(ours, "gradient")), as.vector(slope), tolerance = 1e-7, info = told)
      }
    }
    options(old)
  }
})

test_that("the slopes of x^y are those of R's values beside each number, also missing and infinite ones", {
  numbers <- c(-Inf, -2, -0.5, 0, 0.5, 1, 2, Inf, NA, NaN)
  at <- expand.grid(x = numbers, y = numbers)
  h <- 1e-6
  x_slope <- ((at$x + h)^at$y - (at$x - h)^at$y) / (2 * h)
  y_slope <- (at$x^(at$y + h) - at$x^(at$y - h)) / (2 * h)
  finite <- is.finite(at$x^at$y) & !(at$x %in% 0 & at$y < 1)
  of <- list(x = finite & is.finite(x_slope), y = finite & is.finite(y_slope))
  for (way in c(compiling_devices(), "by R")) {
    old <- options(nmathopencl.device = if (way == "by R") "host" else way, nmathopencl.compiler = if (way == "by R") FALSE else getOption("nmathopencl.compiler"))
    slopes <- attr(opencl_function(function(x, y) x^y, gradient = c("x", "y"))(at$x, at$y), "gradient")
    options(old)
    expect_equal(slopes[of$x, "x"], x_slope[of$x], tolerance = 1e-5, info = way)
    expect_equal(slopes[of$y, "y"], y_slope[of$y], tolerance = 1e-5, info = way)
  }
})

# What overflows has a share of 0 in a finite value: 1 / (1 + exp(800)). An infinite slope of a function at the end of its arguments is another matter:
# sqrt(x)^2 at 0 has the slope 1, which nobody knows.
test_that("what is beyond the doubles and has no share in a value has the slope 0", {
  overflowing <- list(
    list(function(a, y) sum(y / (1 + exp(a))), 750), list(function(a, y) sum(y / exp(a)), 710), list(function(a, y) sum(tanh(y) / cosh(a)), -800),
    list(function(a, y) sum(exp(-(y / a)^8)), 1e-50), list(function(a, y) sum(1 / (1 + exp(y * exp(a)))), 7), list(function(a, y) sum(y / (1 + sinh(a)^2)), 400),
    list(function(a, y) sum(log(1 / (1 + exp(-a)) * dpois(round(y), 2) + 1 / (1 + exp(a)) * dpois(round(y), 3))), -800),
    list(function(a, y) sum(log(1 / (1 + exp(-a)) + (1 - 1 / (1 + exp(-a))) * dexp(y))), -800)
  )
  y <- c(1.2, 0.7, 2.1)
  for (k in seq_along(overflowing)) for (device in ways_of(k)) {
    f <- overflowing[[k]][[1L]]
    at <- overflowing[[k]][[2L]]
    ours <- in_way(device, opencl_function(f, gradient = "a", data = list(y = y))(at, device = device_of_way(device)))
    info <- paste(deparse1(body(f)), device)
    expect_equal(as.vector(ours), f(at, y), tolerance = 1e-12, info = info)
    expect_identical(as.vector(attr(ours, "gradient")) + 0, 0, info = info)
  }
  poles <- list(function(a) sqrt(a)^2, function(a) exp(log(a)), function(a) exp(0.5 * log(a)), function(a) a^0.5 * a^0.5)
  for (f in poles) expect_true(is.nan(attr(opencl_function(f, gradient = "a")(0), "gradient")), info = deparse1(body(f)))
  # What is left of these in the value is below the smallest double, and has a slope.
  small <- list(list(function(a, y) sum(y / (y * a^-1)), 1e-310), list(function(a, y) 1 / (1e10 / a), 1e-320), list(function(a, y) 1 / (1e100 / a), 1e-300), list(function(a, y) 1 / a^-1, 1e-320))
  for (one in small) {
    slope <- attr(opencl_function(one[[1L]], gradient = "a")(one[[2L]], y), "gradient")
    expect_true(is.nan(slope) || slope > 0, info = deparse1(body(one[[1L]])))
  }
})

test_that("slopes of random functions are numbers only where they are right", {
  set.seed(41)
  inner <- list(quote(exp(a)), quote(exp(a * y)), quote(exp(-a)), quote(cosh(a)), quote(exp(a) * y), quote(exp(2 * a) / y), quote(y * exp(exp(a / 100))), quote((y / exp(-a))^2))
  outer <- list(quote(1 / (1 + z)), quote(y / z), quote(exp(-z)), quote(z / (1 + z)), quote(log1p(1 / z)), quote(atan(z)), quote(1 / (1 + z)^2), quote(y / (3 + z) + a))
  found <- 0L
  for (case in seq_len(cases(90, 24, 8))) {
    body <- do.call(substitute, list(sample(outer, 1L)[[1L]], list(z = sample(inner, 1L)[[1L]])))
    f <- eval(call("function", as.pairlist(alist(a = , y = )), call("sum", body)))
    y <- runif(3, 0.5, 2)
    at <- sample(c(-800, -300, 300, 712, 800, 1500), 1L)
    for (device in ways_of(case)) {
      ours <- in_way(device, opencl_function(f, gradient = "a")(at, y, device = device_of_way(device)))
      slope <- as.vector(attr(ours, "gradient"))
      value <- f(at, y)
      expect_identical(is.finite(as.vector(ours)), is.finite(value), info = deparse1(f))
      if (!is.finite(value) || !is.finite(slope)) next # infinite: parts of 1e261 and 1e-261 (see ?nmathopencl_limits)
      found <- found + 1L
      expect_equal(slope, (f(at + 1e-3, y) - f(at - 1e-3, y)) / 2e-3, tolerance = 1e-5, info = paste(deparse1(f), at, device))
    }
  }
  expect_gt(found, cases(90, 24, 8) / 3)
})
