glm_families <- Map(c, glm_table()$family, glm_table()$link, USE.NAMES = FALSE)

call_glm <- function(problem, device, ...) {
  do.call(f2_f3_opencl, c(problem, list(device = device, ...)))
}

relative_difference <- function(got, expected) {
  max(abs(got - expected) / pmax(abs(expected), .Machine$double.xmin))
}

# A gradient component is a difference of sums: its error is measured against the sum of the terms' sizes.
expect_same_posterior <- function(got, expected, scale, label) {
  expect_identical(dim(got$grad), dim(expected$grad))
  expect_length(got$qf, length(expected$qf))
  expect(relative_difference(got$qf, expected$qf) < 1e-11, paste(label, "qf:", relative_difference(got$qf, expected$qf)))
  difference <- max(abs(got$grad - expected$grad) / scale)
  expect(difference < 1e-11, paste(label, "grad:", difference))
}

test_that("the grid agrees with plain R on random problems of every family", {
  skip_on_cran() # a matter of seconds
  set.seed(20)
  sizes <- expand.grid(l1 = c(1, 30, 300), l2 = c(1, 2, 5, 70, 100), m1 = c(1, 7, 200))
  sizes <- sizes[sample(nrow(sizes)), ]
  as_one(for (family in glm_families) {
    for (k in seq_len(cases(50, 20, 10))) {
      size <- sizes[(k - 1) %% nrow(sizes) + 1, ]
      problem <- random_glm_problem(family[1], family[2], size$l1, size$l2, size$m1)
      expected <- do.call(plain_f2_f3, problem)
      scale <- pmax(abs(expected$grad), mean(abs(expected$grad)), 1)
      for (device in test_devices()) {
        got <- call_glm(problem, device)
        expect_ran_on(device)
        expect_same_posterior(got, expected, scale, paste(c(family, size, device_name(device)), collapse = " "))
      }
    }
  })
})

test_that("large grids agree too", {
  skip_on_cran() # a matter of seconds
  set.seed(21)
  for (family in glm_families) {
    problem <- random_glm_problem(family[1], family[2], 20, 3, 20000)
    expected <- do.call(plain_f2_f3, problem)
    scale <- pmax(abs(expected$grad), mean(abs(expected$grad)), 1)
    for (device in test_devices()) {
      expect_same_posterior(call_glm(problem, device), expected, scale, paste(family, collapse = " "))
    }
  }
})

test_that("extreme linear predictors stay finite and accurate", {
  eta <- list(
    logit = c(-700, -40, -1e-3, 0, 1e-3, 40, 700), probit = c(-30, -8, 0, 8, 30), cloglog = c(-700, -30, 0, 3, 6)
  )
  log_p <- list(
    logit = function(e, upper) plogis(e, lower.tail = upper, log.p = TRUE),
    probit = function(e, upper) pnorm(e, lower.tail = upper, log.p = TRUE),
    cloglog = function(e, upper) {
      if (!upper) return(-exp(e))
      ifelse(e > 0, log1p(-exp(-exp(e))), log(-expm1(-exp(e))))
    }
  )
  slope <- list(
    logit = function(e, upper) if (upper) plogis(-e) else -plogis(e),
    probit = function(e, upper) {
      (if (upper) 1 else -1) * exp(dnorm(e, log = TRUE) - pnorm(e, lower.tail = upper, log.p = TRUE))
    },
    cloglog = function(e, upper) if (upper) exp(e) / expm1(exp(e)) else -exp(e)
  )
  for (link in names(eta)) {
    for (y in 0:1) {
      for (device in test_devices()) {
        got <- f2_f3_opencl("binomial", link, t(eta[[link]]), y, matrix(1), 0, matrix(0), 0, 1, device = device)
        expected <- -vapply(eta[[link]], log_p[[link]], 0, upper = y == 1)
        expect_lt(relative_difference(got$qf, expected), 1e-12)
        expect_lt(relative_difference(got$grad[, 1], -vapply(eta[[link]], slope[[link]], 0, upper = y == 1)), 1e-12)
      }
    }
  }
})

test_that("perfectly separated data keep their relative accuracy", {
  x <- cbind(rep(c(1, -1), 50))
  y <- rep(c(1, 0), 50)
  grid <- rbind(c(20, 30, 37, 100, 600))
  for (device in test_devices()) {
    got <- f2_f3_opencl("binomial", "logit", grid, y, x, 0, matrix(0), numeric(100), rep(1, 100), device = device)
    expect_lt(relative_difference(got$qf, 100 * log1p(exp(-as.vector(grid)))), 1e-12)
    expect_lt(relative_difference(got$grad[, 1], -100 * plogis(-as.vector(grid))), 1e-12)
  }
})

test_that("weights of one, many trials and none may be mixed", {
  set.seed(23)
  for (l2 in c(3, 8, 33, 130, 260)) {
    problem <- random_glm_problem("binomial", "logit", 150, l2, 20)
    problem$wt <- sample(c(0, 1, 1, 7, 400), 150, TRUE)
    problem$y <- rbinom(150, problem$wt, 0.4) / pmax(problem$wt, 1)
    expected <- do.call(plain_f2_f3, problem)
    scale <- pmax(abs(expected$grad), mean(abs(expected$grad)), 1)
    for (device in test_devices()) {
      expect_same_posterior(call_glm(problem, device), expected, scale, paste(l2, device_name(device)))
    }
  }
})

test_that("the progress bar changes nothing but what is seen", {
  set.seed(22)
  problem <- random_glm_problem("poisson", "log", 20, 3, 50)
  plain <- call_glm(problem, "host")
  barred <- call_glm(problem, "host", progbar = 1)
  expect_identical(barred, plain)
  expect_identical(last_run()$elements, 50)
})

test_that("bad input is an error that names the argument and both sizes", {
  good <- list(b = matrix(0, 2, 3), y = c(0, 1), x = diag(2), mu = c(0, 0), P = diag(2), alpha = c(0, 0), wt = c(1, 1))
  call_with <- function(..., family = "binomial", link = "logit") {
    do.call(f2_f3_opencl, c(list(family, link), utils::modifyList(good, list(...)), device = "host"))
  }
  expect_silent(call_with())
  expect_error(call_with(b = matrix(0, 3, 3)), "`b` has 3 rows, but `x` has 2 columns")
  expect_error(call_with(P = diag(3)), "`P` is 3 x 3, but `x` has 2 columns")
  expect_error(call_with(y = 1), "`y` has length 1, but `x` with 2 rows asks for 2")
  expect_error(call_with(mu = 1:3), "`mu` has length 3, but `x` with 2 columns asks for 2")
  expect_error(call_with(alpha = 0), "`alpha` has length 1")
  expect_error(call_with(wt = c(1, 1, 1)), "`wt` has length 3")
  expect_error(call_with(wt = c(1, -1)), "`wt` has negative weights")
  expect_error(call_with(y = c(0, NA)), "`y` has missing values")
  expect_error(call_with(alpha = c(0, Inf)), "`alpha` has infinite values")
  expect_error(call_with(x = "a"), "`x` must be a matrix")
  expect_error(call_with(y = c("a", "b")), "`y` must be numeric")
  expect_error(call_with(y = c(0, 2)), "`y` must hold success proportions")
  expect_error(call_with(y = c(-1, 2), family = "poisson", link = "log"), "`y` must not be negative")
  expect_error(call_with(y = c(0, 2), family = "Gamma", link = "log"), "`y` must be positive")
  expect_error(call_with(family = "tweedie"), "`family` is 'tweedie'.*'Gamma'")
  expect_error(call_with(link = "log"), "`link` is 'log'.*logit, probit, cloglog")
  expect_error(call_with(family = 1), "`family` must be one string")
})

test_that("without an OpenCL device the documented contract holds", {
  run <- function(...) f2_f3_opencl("binomial", "logit", matrix(0, 2, 3), c(0, 1), diag(2), c(0, 0), diag(2), c(0, 0), c(1, 1), ...)
  old <- options(nmathopencl.device = NULL)
  on.exit(options(old))
  if (length(opencl_test_devices())) {
    expect_false(identical(run(device = "opencl")$qf, numeric(3)))
    expect_false(identical(run()$qf, numeric(3)))
  } else {
    expect_warning(zeros <- run(), "OpenCL not available -- returning zeros.", class = "nmathopencl_no_device")
    expect_identical(last_run()$device, "none")
    expect_identical(last_run()$elements, 3)
    expect_identical(zeros, list(qf = numeric(3), grad = matrix(0, 3, 2)))
    expect_error(run(fallback = "error"), class = "nmathopencl_error")
    expect_identical(run(fallback = "host"), run(device = "host"))
    expect_error(run(device = "opencl"), class = "nmathopencl_error")
  }
})
