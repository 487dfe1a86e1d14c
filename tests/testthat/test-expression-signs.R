# exp() of what is never positive, and log1p() of that: kernels have their own, without branches.
unoptimized_programs()

kernel_text <- function(f, ...) {
  suppressWarnings(f(..., device = "host"))
  as.character(f)
}

test_that("the shorter functions are taken where the sign is known, and only there", {
  skip_if_not(host_compiles(), "no C compiler")
  x <- c(-2, 0.5, 3)
  known <- list(
    function(x) exp(-abs(x)), function(x) exp(-x^2), function(x) exp(-(x * x) / 2), function(x) exp(-sqrt(abs(x)) - 1),
    function(x) exp(pmin(x, 0)), function(x) exp(0 - exp(x)), function(x) exp((-abs(x)) * 0.5), function(x) exp(-(abs(x) + x^2)),
    function(x) exp(-(x - 1)^2 / (2 * (x * x))), function(x) exp(-abs(x) / exp(x))
  )
  for (f in known) expect_match(kernel_text(opencl_function(f), x), "= exp_to_unit(", fixed = TRUE, label = deparse1(body(f)))
  unknown <- list(
    function(x) exp(x), function(x) exp(-x), function(x) exp(abs(x)), function(x) exp(-x^3), function(x) exp(1 - abs(x)),
    function(x) exp(-(x * 2)), function(x) exp(pmax(x, -1)), function(x) exp(pmin(x, 0, na.rm = TRUE)), function(x) exp(abs(x) / x),
    function(x) exp(-1 / sqrt(x)), # of the zero below zero the root is that zero
    function(x) exp(-abs(x) / -0), function(x) exp(-(abs(x) * x))
  )
  for (f in unknown) expect_no_match(kernel_text(opencl_function(f), x), "= exp_to_unit(", fixed = TRUE, label = deparse1(body(f)))
  logs <- kernel_text(opencl_function(function(x) log1p(exp(-abs(x)))), x)
  expect_match(logs, "= log1p_unit(", fixed = TRUE)
  expect_no_match(logs, "expr_log1p", fixed = TRUE)
  any_sign <- kernel_text(opencl_function(function(x) log1p(exp(x))), x)
  expect_match(any_sign, "= expr_log1p_exp(", fixed = TRUE)
  expect_no_match(any_sign, "= exp(", fixed = TRUE)
})

test_that("they are right to the last bits, down to the smallest doubles", {
  set.seed(3)
  x <- c(0, 5e-324, 1e-300, 1e-17, 2^-53, log(2), 36.7, 37.5, 707.9, 708.5, 744.4, 745.2, 746, 800, Inf, stats::rexp(5000, 0.02), stats::runif(5000))
  # a constant-parameter kernel beside it: on the host that is computed several elements at a time
  both <- opencl_function(function(x, s) exp(-abs(x)) + 0 * dnorm(1, 0, s))
  beside <- opencl_function(function(x, s) log1p(exp(-abs(x))) + 0 * dnorm(pmin(x, 1), 0, s))
  powers <- opencl_function(function(x) exp(-abs(x)))
  logs <- opencl_function(function(x) log1p(exp(-abs(x))))
  near <- function(ours, theirs, label) {
    expect_true(all(abs(ours - theirs) <= 4 * .Machine$double.eps * theirs + 5e-324), label = label)
  }
  for (device in expression_devices()) {
    near(powers(x, device = device), exp(-x), device)
    near(both(x, 1, device = device), exp(-x), device)
    near(logs(x, device = device), log1p(exp(-x)), device)
    near(beside(x, 1, device = device), log1p(exp(-x)), device)
  }
})

test_that("missing values and warnings are R's", {
  f <- function(x, y) pmax(x, y) + log1p(exp(-abs(x - y)))
  x <- c(1, NA, NaN, Inf, -Inf, Inf, -Inf, 3, 800)
  y <- c(2, 1, 1, 1, 1, Inf, -Inf, NA, -800)
  ours <- opencl_function(f)
  total <- opencl_function(f, reduce = "sum")
  for (device in expression_devices()) {
    expect_equal(with_conditions(ours(x, y, device = device)), with_conditions(f(x, y)), tolerance = 1e-15, label = device)
    for (k in seq_along(x)) {
      expect_equal(with_conditions(total(x[k], y[k], device = device)), with_conditions(sum(f(x[k], y[k]))), tolerance = 1e-15, label = paste(device, k))
    }
  }
})

test_that("mixtures have R's sums and gradients", {
  set.seed(4)
  x <- c(stats::rgamma(3000, 2), stats::rgamma(3000, 5), 1e-3, 50, 300)
  mixture <- function(x, w, a, b) {
    u <- log(w) + dgamma(x, a, log = TRUE)
    v <- log1p(-w) + dgamma(x, b, log = TRUE)
    pmax(u, v) + log1p(exp(-abs(u - v)))
  }
  value <- opencl_function(mixture, reduce = "sum")
  slopes <- opencl_function(mixture, reduce = "sum", gradient = c("w", "a", "b"))
  for (device in expression_devices()) {
    expect_equal(value(x, 0.3, 2, 5, device = device), sum(mixture(x, 0.3, 2, 5)), tolerance = 1e-14)
    found <- slopes(x, 0.3, 2, 5, device = device)
    at <- c(0.3, 2, 5)
    by_differences <- vapply(1:3, function(k) {
      h <- replace(numeric(3), k, 1e-5)
      (do.call(value, c(list(x), as.list(at + h), device = device)) - do.call(value, c(list(x), as.list(at - h), device = device))) / 2e-5
    }, 0)
    expect_equal(unname(attr(found, "gradient")), by_differences, tolerance = 1e-6)
  }
})

test_that("log1p(exp(x)) is R's, with the logistic function as derivative, also where exp(x) is infinite", {
  x <- c(-Inf, -800, -745.2, -740, -100, -37, -1, -1e-300, 0, 1e-300, 0.3, 1, 18, 34, 700, 709.782712893384, 709.7827128933841, 1e300, Inf, NaN, NA)
  f <- opencl_function(function(x) log1p(exp(x)), gradient = "x", hessian = FALSE)
  for (device in c("0", compiling_devices())) {
    y <- f(x, device = device)
    expect_equal(as.vector(y), log1p(exp(x)), tolerance = 4e-16)
    expect_identical(is.na(as.vector(y)) & !is.nan(as.vector(y)), is.na(x) & !is.nan(x))
    slope <- drop(attr(y, "gradient"))
    expect_equal(unname(slope)[!is.na(x)], stats::plogis(x)[!is.na(x)], tolerance = 4e-16)
  }
  twice <- opencl_function(function(x) sum(log1p(exp(x))), gradient = "x", hessian = TRUE)
  for (device in c("0", compiling_devices())) {
    at <- c(-40, -3, 0, 0.5, 30)
    expect_equal(unname(attr(twice(at, device = device), "hessian")), diag(stats::dlogis(at)), tolerance = 1e-14)
  }
})
