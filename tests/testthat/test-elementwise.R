test_that("arguments are recycled on the device, whatever their lengths", {
  x <- seq(-3, 3, length.out = 10007)
  mean <- c(-1, 0, 2)
  sd <- c(0.5, 1, 2, 3, 4)
  for (device in test_devices()) {
    got <- dnorm_opencl(x, mean, sd, device = device)
    expect_ran_on(device)
    expect_equal(got, dnorm(x, mean, sd), tolerance = 1e-14)
    expect_equal(dnorm_opencl(x, 1, 2, device = device), dnorm(x, 1, 2), tolerance = 1e-14)
    expect_equal(dnorm_opencl(0.5, mean, 2, device = device), dnorm(0.5, mean, 2), tolerance = 1e-14)
  }
})

test_that("lengths beyond one chunk give the same values", {
  n <- 5e6
  x <- rep_len(seq(0.01, 10, length.out = 1001), n)
  shape <- c(1, 2.5, 7)
  for (device in test_devices()) {
    got <- dgamma_opencl(x, shape, device = device)
    expect_length(got, n)
    rows <- c(1:10, 4194300:4194310, n - 0:9)
    expect_equal(got[rows], dgamma(x[rows], rep_len(shape, n)[rows]), tolerance = 1e-13)
  }
})

test_that("the second call of a function builds nothing and is quick", {
  skip_on_cran() # a matter of time
  as_one(for (device in test_devices()) {
    for (name in function_table()$name) {
      f <- get(paste0(name, "_opencl"))
      columns <- function_table()$columns[function_table()$name == name]
      columns <- intersect(names(formals(f)), c(names(formals(f))[1], strsplit(columns, ", ", fixed = TRUE)[[1]]))
      arguments <- structure(rep(list(1), length(columns)), names = columns)
      call <- function() suppressWarnings(do.call(f, c(arguments, device = device)))
      call()
      first <- last_run()
      call()
      expect_identical(last_run()$built, 0L)
      expect_identical(last_run()$`function`, name)
      expect_lt(first$total, 10)
    }
  })
})

test_that("a warm call on one element is short", {
  skip_on_cran() # a matter of time
  seconds <- function(device) {
    dnorm_opencl(0, device = device)
    min(vapply(1:20, function(k) system.time(for (j in 1:10) dnorm_opencl(0, device = device))[["elapsed"]] / 10, 0))
  }
  expect_lt(seconds("host"), 1e-3)
  for (device in opencl_test_devices()) expect_lt(seconds(device), 3e-3)
})

test_that("NA stays NA and NaN stays NaN on every device", {
  x <- c(NA, NaN, 1, Inf)
  for (device in test_devices()) {
    got <- dnorm_opencl(x, c(0, 0, NA, 0), device = device)
    expect_identical(is.nan(got), c(FALSE, TRUE, FALSE, FALSE))
    expect_identical(is.na(got), c(TRUE, TRUE, TRUE, FALSE))
    expect_silent(dnorm_opencl(x, device = device))
    expect_warning(dnorm_opencl(1, 0, c(1, -1), device = device), "^NaNs produced$")
  }
})

test_that("flags outside TRUE and FALSE are read as R reads them", {
  expect_identical(dnorm_opencl(1, log = NA, device = "host"), dnorm_opencl(1, log = TRUE, device = "host"))
  expect_error(dnorm_opencl(1, device = "host", fallback = NA), "`fallback` must be TRUE or FALSE")
  expect_error(dnorm_opencl(1, device = "host", verbose = 1:2), "`verbose` must be TRUE or FALSE")
})

test_that("verbose tells what ran", {
  expect_message(dnorm_opencl(c(1, 2), device = "host", verbose = TRUE), "dnorm: 2 elements on host")
})

test_that("threads are bounded by the option", {
  old <- options(nmathopencl.threads = 1)
  on.exit(options(old))
  dnorm_opencl(numeric(1e5), device = "host")
  expect_identical(last_run()$threads, 1L)
})

test_that("an unknown device is an error that lists the devices", {
  error <- expect_error(dnorm_opencl(0, device = "no such device"), class = "nmathopencl_error")
  expect_match(conditionMessage(error), if (nmathopencl_has_opencl()) "no such device" else "without OpenCL|no OpenCL library")
  expect_error(set_opencl_device(c("host", "gpu")), "`device` must be one device")
  expect_error(dnorm_opencl(0, device = character()), "`device` must be one device")
  expect_error(dnorm_opencl(0, device = NA), "`device` must be one device")
})

test_that("fallback repeats a failing call on the host device with a warning", {
  expect_warning(
    value <- dnorm_opencl(0, device = "no such device", fallback = TRUE),
    "repeated on the host device"
  )
  expect_identical(value, dnorm_opencl(0, device = "host"))
  expect_identical(last_run()$device, "host")
})

test_that("a given ncp selects the non-central chi-squared distribution, also as 0", {
  x <- c(a = 0.5, b = 2, c = 9)
  expect_identical(dchisq_opencl(x, 3, 1, device = "host"), dnchisq_opencl(x, 3, 1, device = "host"))
  expect_identical(dchisq_opencl(x, 3, ncp = 1, TRUE, device = "host"), dnchisq_opencl(x, 3, 1, TRUE, device = "host"))
  expect_identical(
    pchisq_opencl(x, 3, 1, FALSE, TRUE, device = "host"), pnchisq_opencl(x, 3, 1, FALSE, TRUE, device = "host")
  )
  expect_identical(qchisq_opencl(0.3, 3, c(u = 1, v = 2), FALSE, device = "host"),
    qnchisq_opencl(0.3, 3, c(u = 1, v = 2), FALSE, device = "host"))
  expect_identical(last_run()$`function`, "qnchisq")
  expect_equal(dchisq_opencl(x, 3, 1, device = "host"), dchisq(x, 3, 1), tolerance = 1e-11)
  expect_equal(pchisq_opencl(x, 3, 1, FALSE, device = "host"), pchisq(x, 3, 1, FALSE), tolerance = 1e-11)
  expect_identical(pchisq_opencl(0, 0, device = "host"), pchisq(0, 0))
  expect_identical(pchisq_opencl(0, 0, ncp = 0, device = "host"), 1)
  df <- rep(3, length(x)) # one number has a form of its own, which differs in the last digit
  expect_identical(pchisq_opencl(x, df, ncp = 0, device = "host"), pchisq_opencl(x, df, device = "host"))
  call_of <- function(expr) tryCatch(expr, warning = conditionCall, error = conditionCall)
  expect_identical(call_of(dchisq_opencl(1, 3, ncp = -1)), quote(dchisq_opencl(1, 3, ncp = -1)))
  expect_identical(call_of(qchisq_opencl(2, 3, ncp = 1)), quote(qchisq_opencl(2, 3, ncp = 1)))
  expect_identical(call_of(pchisq_opencl(1, 3, ncp = "a")), quote(pchisq_opencl(1, 3, ncp = "a")))
})

test_that("beta and F are non-central where ncp is given, whatever its value, and conditions carry the user's call", {
  expect_identical(pbeta_opencl(0.3, 2, 3, ncp = 0:1, device = "host"), pnbeta_opencl(0.3, 2, 3, 0:1, device = "host"))
  expect_identical(qf_opencl(0.3, 2, 3, 4, FALSE, device = "host"), qnf_opencl(0.3, 2, 3, 4, FALSE, device = "host"))
  call_of <- function(expr) tryCatch(expr, warning = conditionCall)
  expect_identical(call_of(dbeta_opencl(0.3, 2, 3, ncp = -1)), quote(dbeta_opencl(0.3, 2, 3, ncp = -1)))
  expect_identical(call_of(pf_opencl(0.3, 2, 3, -1)), quote(pf_opencl(0.3, 2, 3, -1)))
  # an infinite df2 is the limit of large ones
  for (ncp in c(0, 1, 50, 1e5)) {
    x <- c(0.1, 1, 3) * (1 + ncp / 4)
    expect_equal(df_opencl(x, 4, Inf, ncp, device = "host"), df_opencl(x, 4, 1e18, ncp, device = "host"), tolerance = 1e-13)
    expect_equal(pf_opencl(x, 4, Inf, ncp, log.p = TRUE, device = "host"),
                 pf_opencl(x, 4, 1e18, ncp, log.p = TRUE, device = "host"), tolerance = 1e-13)
    expect_equal(qf_opencl(x / (1 + x), 4, Inf, ncp, device = "host"), qf_opencl(x / (1 + x), 4, 1e18, ncp, device = "host"),
                 tolerance = 1e-13)
  }
})

test_that("the negative binomial takes mu as stats does", {
  expect_identical(
    dnbinom_opencl(0:5, 3, mu = 2, device = "host"), dnbinom_mu_opencl(0:5, 3, 2, device = "host")
  )
  expect_equal(pnbinom_opencl(0:5, 3, mu = 2, lower.tail = FALSE, device = "host"),
    pnbinom(0:5, 3, mu = 2, lower.tail = FALSE), tolerance = 1e-13)
  expect_identical(qnbinom_opencl(0.5, 3, mu = 2, device = "host"), qnbinom(0.5, 3, mu = 2))
  expect_error(dnbinom_opencl(1, 3, 0.5, 2), "'prob' and 'mu' both specified", fixed = TRUE)
  expect_error(dnbinom_opencl(1, 3), "prob")
})
