# Calls of an expression whose shape was seen before go to the core without R's deciding anything: what they give is what the
# first call of their shape gives. And forms for fixed parameters give what the general ones give.

unoptimized_programs()

fresh <- function(f, ...) opencl_function(f, ...)

test_that("a second call gives what the first one gives, and what plain R gives", {
  for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    f <- fresh(function(x, m, s) dnorm(x, m, s, log = TRUE) + x)
    x <- c(0.5, -2, 3)
    first <- f(x, 1, 2)
    expect_false(is.null(attr(f, "expression")$plans))
    expect_identical(f(x, 1, 2), first)
    expect_equal(f(x, -1, 3), dnorm(x, -1, 3, log = TRUE) + x, tolerance = 1e-14)
    expect_equal(f(c(x, 7), 1, 2), dnorm(c(x, 7), 1, 2, log = TRUE) + c(x, 7), tolerance = 1e-14)
    expect_identical(last_run()$elements, 4)
    # Attributes are R's, and so are missing values, integers, types and lengths that no plan knows.
    expect_identical(names(f(c(a = 1, b = 2), 1, 2)), c("a", "b"))
    expect_identical(dim(f(matrix(x, 1), 1, 2)), c(1L, 3L))
    expect_identical(is.na(f(c(1, NA, NaN), 1, 2)), c(FALSE, TRUE, TRUE))
    expect_identical(is.nan(f(c(1, NA, NaN), 1, 2)), c(FALSE, FALSE, TRUE))
    expect_identical(f(1:3, 1L, 2L), f(as.double(1:3), 1, 2))
    expect_identical(f(1:3, NA_integer_, 2L), rep(NA_real_, 3))
    expect_identical(f(numeric(), 1, 2), numeric())
    expect_identical(f(x, numeric(), 2), numeric())
    expect_warning(f(x, 1, -1), "NaNs produced")
    expect_warning(f(x, 1, -1), "NaNs produced")
    expect_error(f("a", 1, 2), "character|numeric")
    expect_error(f(x, 1, 2, fallback = NA), "`fallback`")
    expect_error(f(x, 1, 2, keep = 1), "`keep`")
    expect_error(f(x, 1, 2, device = "no such device"), class = "nmathopencl_error")
    expect_message(f(x, 1, 2, verbose = TRUE), "3 elements")
  }
})

test_that("sums, means and gradients by a plan are R's", {
  x <- c(2.5, 0.25, 7, 1)
  for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    body <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
    total <- fresh(body, reduce = "sum")
    middle <- fresh(body, reduce = "mean")
    slope <- fresh(body, reduce = "sum", gradient = c("a", "b"))
    careful <- fresh(body, reduce = "mean", na.rm = TRUE)
    for (times in 1:3) {
      expect_equal(total(x, 2, 3), sum(dgamma(x, 2, rate = 3, log = TRUE)), tolerance = 1e-14)
      expect_equal(middle(x, 2, 3), mean(dgamma(x, 2, rate = 3, log = TRUE)), tolerance = 1e-14)
      expect_equal(careful(c(x, NA), 2, 3), mean(dgamma(x, 2, rate = 3, log = TRUE)), tolerance = 1e-14)
      expect_equal(c(slope(x, 2, 3)), total(x, 2, 3))
      expect_equal(attr(slope(x, 2, 3), "gradient"), c(a = sum(log(3 * x) - digamma(2)), b = sum(2 / 3 - x)), tolerance = 1e-13)
      expect_identical(total(c(x, NA, NaN), 2, 3), NA_real_)
      expect_identical(total(c(x, NaN), 2, 3), NaN)
      expect_identical(total(c(x, Inf), 2, 3), -Inf)
      expect_identical(total(c(x, -1), 2, 3), -Inf)
      expect_identical(total(matrix(x, 2), 2, 3), total(x, 2, 3))
    }
    expect_equal(total(x, 2, 3, by = c(1L, 2L, 1L, 4L)), c(`1` = total(x[c(1, 3)], 2, 3), `2` = total(x[2], 2, 3), `3` = NA, `4` = total(x[4], 2, 3)))
  }
})

test_that("resident vectors go by the plan and their results stay", {
  for (device in compiling_devices()) {
    f <- fresh(function(x, y) x * 2 + pnorm(y))
    x <- opencl_vector(c(1, 2, 3), device = device)
    y <- opencl_vector(c(0, -1, 9), device = device)
    for (times in 1:2) {
      value <- f(x, y)
      expect_s3_class(value, "opencl_vector")
      expect_equal(as.vector(value), c(1, 2, 3) * 2 + pnorm(c(0, -1, 9)), tolerance = 1e-14)
      expect_equal(as.vector(f(x, opencl_vector(0.5, device = device))), c(1, 2, 3) * 2 + pnorm(0.5), tolerance = 1e-14)
      expect_s3_class(f(c(1, 2, 3), c(0, 1, 2), device = device, keep = TRUE), "opencl_vector")
      expect_true(is.double(f(c(1, 2, 3), c(0, 1, 2), device = device)))
    }
    names(x) <- c("a", "b", "c")
    expect_identical(names(f(x, y)), c("a", "b", "c"))
    opencl_free(y)
    expect_error(f(x, y), "released")
  }
})

test_that("without a compiler R evaluates it, planned or not", {
  f <- fresh(function(x) dnorm(x) + 2)
  f(c(1, 2), device = "host")
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  expect_equal(f(c(1, 2), device = "host"), dnorm(c(1, 2)) + 2)
  expect_identical(last_run()$`function`, "dnorm")
})

test_that("a function that was saved and read makes its plans anew", {
  f <- fresh(function(x) dnorm(x) + 1)
  expect_equal(f(c(1, 2), device = "host"), dnorm(c(1, 2)) + 1)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(f, file)
  again <- readRDS(file)
  expect_equal(again(c(1, 2), device = "host"), dnorm(c(1, 2)) + 1)
  expect_equal(again(c(1, 3), device = "host"), dnorm(c(1, 3)) + 1)
})

test_that("variables of the environment are looked up at each call", {
  shift <- 1
  f <- fresh(function(x) x + shift)
  expect_identical(f(c(1, 2), device = "host"), c(2, 3))
  shift <- 5
  expect_identical(f(c(1, 2), device = "host"), c(6, 7))
})

# ---- fixed parameters ----

far <- c(-Inf, -1e308, -50, -39.5, -38.5, -37.4, -36.5, -36, -20, -1, -1e-300, 0, 1e-20, 0.3, 2, 8.3, 35.9, 36, 37.6, 38.9, 40, 1e5, Inf, NA, NaN)

test_that("the normal distribution's constant-parameter kernels are the general ones", {
  as_one(for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    density <- fresh(function(x, m, s) dnorm(x, m, s))
    tail <- fresh(function(x, m, s) pnorm(x, m, s))
    standard <- fresh(function(x) pnorm(x) * 3 + dnorm(x))
    near <- seq(-35, 35, by = 0.37)
    density(near, 0, 1)
    tail(near, 0, 1)
    standard(near)
    expect_match(as.character(density), "dnorm_fixed_density_at(", fixed = TRUE)
    expect_match(as.character(tail), "pnorm_fixed_at(", fixed = TRUE)
    expect_match(as.character(standard), "pnorm_fixed_standard(", fixed = TRUE)
    eps <- .Machine$double.eps
    close <- function(value, known, z) {
      expect_true(all(abs(value / known - 1) <= 6 * eps * (1 + z^2)))
    }
    close(density(near * 3 + 7, 7, 3), dnorm_opencl(near * 3 + 7, 7, 3), near)
    close(tail(near * 3 + 7, 7, 3), pnorm_opencl(near * 3 + 7, 7, 3), near)
    close(standard(near), pnorm_opencl(near) * 3 + dnorm_opencl(near), near)
    for (x in list(far, far[abs(far) < 36 | abs(far) > 39])) { # with and without what the constant-parameter kernels leave to the general ones
      for (scale in c(1, 3, 0.004, 1e-120, 1e18, 1e30)) {
        for (mean in c(0, 2, -1e250)) {
          at <- x * scale + mean
          for (pair in list(list(density, dnorm_opencl), list(tail, pnorm_opencl))) {
            value <- pair[[1]](at, mean, scale)
            known <- pair[[2]](at, mean, scale)
            expect_identical(is.na(value), is.na(known))
            expect_identical(is.nan(value), is.nan(known))
            expect_equal(value, known, tolerance = 1e-13)
          }
        }
      }
    }
    expect_identical(standard(c(NA, NaN, Inf, -Inf)), c(NA, NaN, 3, 0))
    for (scale in c(-1, 0, Inf, NA, NaN)) {
      expect_identical(suppressWarnings(tail(c(-1, 1, 2), 1, scale)), suppressWarnings(pnorm_opencl(c(-1, 1, 2), 1, scale)))
      expect_identical(suppressWarnings(density(c(-1, 1, 2), 1, scale)), suppressWarnings(dnorm_opencl(c(-1, 1, 2), 1, scale)))
    }
  })
})

test_that("the gamma distribution's constant-parameter kernel is the general one", {
  for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    f <- fresh(function(x, a, s) dgamma(x, a, scale = s, log = TRUE))
    density <- fresh(function(x, a, s) dgamma(x, a, scale = s))
    fresh_density <- fresh(function(x, a, s) dgamma(x, a, scale = s))
    expect_equal(fresh_density(c(1, 2), 3, 2), dgamma(c(1, 2), 3, scale = 2), tolerance = 1e-14)
    total <- fresh(function(x, a, s) dgamma(x / s, a, log = TRUE), reduce = "sum")
    for (shape in c(0.06, 0.5, 2.7, 30, 1e4, 9e7)) {
      for (scale in c(1, 2.5e-40, 7e60)) {
        ratio <- c(10^seq(-4.9, 4.9, by = 0.05), 1 + seq(-0.2, 0.2, by = 0.004), 1 + 10^seq(-15, -1), 1 - 10^seq(-15, -1))
        x <- ratio * shape * scale
        value <- f(x, shape, scale)
        known <- dgamma_opencl(x, shape, scale = scale, log = TRUE)
        parts <- abs((shape - 1) - x / scale) + abs(shape * (log(x / scale) - digamma(shape))) + abs(x / scale - shape)
        expect_true(all(abs(value - known) <= 6 * .Machine$double.eps * (abs(known) + parts)))
        value <- density(x, shape, scale)
        known <- dgamma_opencl(x, shape, scale = scale)
        expect_true(all(abs(value - known) <= 6 * .Machine$double.eps * known * (1 + parts) | known < 1e-290))
        expect_equal(value, known, tolerance = 1e-9)
      }
    }
    expect_false(grepl("dgamma_fixed", as.character(density), fixed = TRUE)) # 7e60 is no scale that it knows
    near <- fresh(function(x, a, s) dgamma(x, a, scale = s))
    for (shape in c(0.06, 0.5, 1, 2.7, 30, 1e4)) {
      x <- c(1 + seq(-0.9, 0.9, by = 0.004), 3, 20, 1e-4) * shape * 2.5
      value <- near(x, shape, 2.5)
      known <- dgamma_opencl(x, shape, scale = 2.5)
      parts <- abs((shape - 1) - x / 2.5) + abs(shape * (log(x / 2.5) - digamma(shape))) + abs(x / 2.5 - shape)
      expect_true(all(abs(value - known) <= 6 * .Machine$double.eps * known * (1 + parts) | known < 1e-290))
    }
    expect_match(as.character(fresh_density), "dgamma_fixed_density_at(", fixed = TRUE)
    ordinary <- fresh(function(x, a, s) dgamma(x, a, scale = s, log = TRUE))
    ordinary(c(0.5, 2, 30), 2, 3)
    expect_match(as.character(ordinary), "dgamma_fixed_on(", fixed = TRUE)
    expect_identical(density(c(1e-4, 2), 1, 1), dgamma_opencl(c(1e-4, 2), 1)) # which no constant-parameter kernel knows
    expect_identical(f(c(1e-4, 2), 1, 1), -c(1e-4, 2))
    odd <- c(-1, 0, 1e-200, 1e200, Inf, NA, NaN, 3)
    expect_identical(is.nan(f(odd, 2, 3)), is.nan(odd))
    expect_equal(f(odd, 2, 3), dgamma_opencl(odd, 2, scale = 3, log = TRUE), tolerance = 1e-14)
    x <- c(0.1, 2, 30)
    expect_equal(total(x, 3, 0.7), sum(dgamma(x / 0.7, 3, log = TRUE)), tolerance = 1e-14)
    expect_identical(total(c(x, Inf), 3, 0.7), -Inf)
    expect_identical(total(x, 3, 0), -Inf) # x / 0
    whole <- fresh(function(x, s) ifelse(is.nan(x / s), 100, 1), reduce = "sum")
    expect_identical(whole(c(1, Inf, -Inf, 0), 2), 4)
    expect_identical(whole(c(1, Inf, -Inf, 0), 0), 103) # 0 / 0
    expect_identical(whole(c(1, Inf, 0), Inf), 102)
  }
})
