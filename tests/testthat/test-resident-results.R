# Results of ordinary arguments that are resident on their device, by keep = TRUE.

unoptimized_programs()

expect_stays_as <- function(there, value, device, ...) {
  expect_s3_class(there, "opencl_vector")
  expect_identical(resident_device(there), device_name(device))
  expect_identical(typeof(there[]), typeof(value))
  expect_identical(attributes(there[]), attributes(value))
  expect_identical(is.na(there[]) & !is.nan(there[]), is.na(value) & !is.nan(value))
  expect_equal(as.vector(there), as.vector(value), tolerance = 1e-14, ...)
}

test_that("values stay as they would have come back", {
  x <- c(a = 0.5, b = NA, c = NaN, d = -1, e = 2)
  m <- matrix(c(0.5, 1, 2, 4), 2, dimnames = list(NULL, c("a", "b")))
  for (device in test_devices()) {
    kept <- function(f, ...) f(..., device = device, keep = TRUE)
    came <- function(f, ...) f(..., device = device)
    expect_stays_as(kept(dexp_opencl, x, c(1, 2, 3, 4, 5)), came(dexp_opencl, x, c(1, 2, 3, 4, 5)), device)
    expect_stays_as(kept(dnorm_opencl, 1:6, log = TRUE), came(dnorm_opencl, 1:6, log = TRUE), device)
    expect_stays_as(kept(dnorm_opencl, m), came(dnorm_opencl, m), device)
    expect_s3_class(kept(dnorm_opencl, m), "opencl_matrix")
    expect_stays_as(kept(dnorm_opencl, 0), came(dnorm_opencl, 0), device)
    expect_stays_as(kept(dnorm_opencl, numeric()), numeric(), device)
    expect_stays_as(kept(dnbinom_opencl, 0:3, 3, mu = 2), came(dnbinom_opencl, 0:3, 3, mu = 2), device)
    expect_stays_as(kept(imax2_opencl, c(1L, NA, 5L), 2L), came(imax2_opencl, c(1L, NA, 5L), 2L), device)
    expect_stays_as(kept(r_pow_di_opencl, c(2, 3), 3L), came(r_pow_di_opencl, c(2, 3), 3L), device)
    expect_stays_as(kept(r_check_stack_opencl, 3), numeric(3), device)
    day <- structure(c(0.25, 0.75), class = "difftime", units = "days")
    expect_stays_as(kept(qnorm_opencl, day), as.vector(qnorm_opencl(unclass(c(0.25, 0.75)), device = device)), device)
    two <- kept(dnorm_opencl, opencl_vector(c(1, 2), device), opencl_vector(0, device))
    expect_stays_as(two, dnorm_opencl(c(1, 2), device = device), device)
  }
})

test_that("warnings and errors are those of the call without it", {
  said <- function(expr) tryCatch(expr, warning = identity, error = identity)
  for (device in test_devices()) {
    warning <- said(qnorm_opencl(c(0.5, 2), device = device, keep = TRUE))
    expect_s3_class(warning, "warning")
    expect_identical(conditionMessage(warning), "NaNs produced")
    expect_identical(conditionCall(warning)[[1]], quote(qnorm_opencl))
    error <- said(qnorm_opencl("a", device = device, keep = TRUE))
    expect_identical(conditionMessage(error), "Non-numeric argument to mathematical function")
    expect_error(dnorm_opencl(1, device = device, keep = NA), "`keep` must be TRUE or FALSE")
    expect_error(rnorm_opencl(1, device = device, keep = 1), "`keep` must be TRUE or FALSE")
    expect_error(dnorm_opencl(array(1, c(2, 2, 2)), device = device, keep = TRUE), "cannot be resident")
  }
})

test_that("resident draws are the very same", {
  shape <- c(0.5, 2, 30)
  draws <- list(
    function(n, ...) rnorm_opencl(n, 1, 2, ...), function(n, ...) rgamma_opencl(n, shape, 2, ...),
    function(n, ...) rpois_opencl(n, c(1, 1000), ...), function(n, ...) unif_rand_opencl(n, ...),
    function(n, ...) rgamma_opencl(n, seq_len(n), ...), function(n, ...) rt_opencl(n, 5, ncp = 1L, ...)
  )
  for (device in test_devices()) for (draw in draws) for (n in c(1, 70001)) {
    set.seed(3)
    came <- draw(n, device = device)
    set.seed(3)
    there <- draw(n, device = device, keep = TRUE)
    expect_ran_on(device)
    expect_s3_class(there, "opencl_vector")
    expect_identical(resident_device(there), device_name(device))
    expect_identical(as.vector(there), came)
  }
  for (device in test_devices()) {
    set.seed(4)
    came <- rmultinom_opencl(50, 12, c(a = 1, b = 2, c = 4), device = device)
    set.seed(4)
    expect_identical(rmultinom_opencl(50, 12, c(a = 1, b = 2, c = 4), device = device, keep = TRUE)[], came)
    expect_identical(rnorm_opencl(0, device = device, keep = TRUE)[], numeric())
    expect_identical(dim(rmultinom_opencl(0, 1, 1:3, device = device, keep = TRUE)), c(3L, 0L))
  }
})

test_that("draws without a value, and whole numbers beyond the integers, are R's", {
  cases <- list(
    function(...) rnorm_opencl(9, c(1, NA, Inf), ...), function(...) rpois_opencl(9, c(1, -1), ...),
    function(...) rpois_opencl(9, c(1e10, -1), ...), function(...) rt_opencl(9, 5, ncp = c(1, NA), ...),
    function(...) rt_opencl(9, Inf, ncp = c(Inf, 1), ...)
  )
  seen <- function(code) {
    said <- character()
    value <- withCallingHandlers(code, warning = function(w) {
      said <<- c(said, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    list(value = as.vector(value), said = said)
  }
  for (device in test_devices()) for (case in cases) {
    set.seed(5)
    came <- seen(case(device = device))
    set.seed(5)
    expect_identical(seen(case(device = device, keep = TRUE)), came)
  }
})

test_that("draws take parameters that stay, and are then where these lie", {
  for (device in test_devices()) for (shape in list(runif(1000), 1:10)) {
    set.seed(6)
    came <- rgamma_opencl(5000, shape, 2, device = device)
    there <- opencl_vector(shape, device = device)
    set.seed(6)
    drawn <- rgamma_opencl(5000, there, 2)
    expect_identical(resident_device(drawn), device_name(device))
    expect_identical(as.vector(drawn), came)
    set.seed(6)
    expect_identical(length(rgamma_opencl(there, there)), length(shape))
  }
  skip_if(length(opencl_test_devices()) == 0)
  here <- opencl_vector(c(1, 2), device = "host")
  there <- opencl_vector(c(1, 2), device = opencl_test_devices()[1])
  expect_error(rgamma_opencl(2, here, there), "different devices", class = "nmathopencl_error")
  expect_error(dgamma_opencl(here, there), "different devices", class = "nmathopencl_error")
})

test_that("what stays is counted, and nothing is left of it, nor of what a function was called with", {
  for (device in test_devices()) {
    bytes <- function() with(opencl_memory(), sum(bytes[device == device_name(device_here)]))
    device_here <- device
    gc()
    before <- bytes()
    x <- rnorm_opencl(1e4, device = device, keep = TRUE)
    expect_equal(bytes() - before, 8e4)
    n <- rpois_opencl(1e4, 3, device = device, keep = TRUE)
    expect_equal(bytes() - before, 12e4)
    y <- dnorm_opencl(seq_len(1e4), device = device, keep = TRUE)
    expect_equal(bytes() - before, 20e4)
    loglik <- opencl_function(function(x, m) dnorm(x, m, log = TRUE), reduce = "sum")
    loglik(x, mean(y))
    for (i in 1:50) z <- rnorm_opencl(1e4, device = device, keep = TRUE) + x
    rm(x, n, y, z)
    gc()
    expect_equal(bytes(), before)
  }
})

test_that("on the host device what stays is R's own memory", {
  x <- as.double(1:1e6)
  there <- opencl_vector(x, device = "host")
  copies <- function(code) { # bytes that R allocates for vectors of such a size
    file <- tempfile()
    on.exit(unlink(file))
    utils::Rprofmem(file, threshold = 1e6)
    force(code)
    utils::Rprofmem(NULL)
    sum(abs(as.numeric(sub(" .*", "", readLines(file))) - 8e6) < 1e3)
  }
  skip_if_not(capabilities("profmem"))
  expect_identical(copies(opencl_vector(x, device = "host")), 0L)
  expect_identical(copies(as.vector(there)), 0L)
  expect_identical(copies(dnorm_opencl(x, device = "host", keep = TRUE)), 1L) # the result
  expect_identical(copies(rnorm_opencl(1e6, device = "host", keep = TRUE)), 1L)
})

test_that("a device that is full says so, and what was there stays whole", {
  for (device in opencl_test_devices()) {
    gc()
    opencl_memory()
    first <- rnorm_opencl(1e5, device = device, keep = TRUE)
    value <- as.vector(first)
    old <- options(nmathopencl.memory = with(opencl_memory(), sum(bytes[device == resident_device(first)])) + 1e5)
    for (call in list(quote(rnorm_opencl(1e5, device = device, keep = TRUE)), quote(dnorm_opencl(value, device = device, keep = TRUE)))) {
      error <- tryCatch(eval(call), nmathopencl_error = identity)
      expect_match(conditionMessage(error), "does not fit")
      expect_match(error$hint, "opencl_free")
    }
    options(old)
    expect_identical(as.vector(first), value)
    expect_equal(mean(first), mean(value), tolerance = 1e-14)
  }
})

test_that("a call that falls back leaves its result on the host device", {
  for (device in opencl_test_devices()) {
    old <- options(nmathopencl.memory = 1000)
    value <- suppressWarnings(rnorm_opencl(1e4, device = device, keep = TRUE, fallback = TRUE))
    options(old)
    expect_identical(resident_device(value), "host")
  }
})

test_that("missing values of what stays are asked for where it lies", {
  for (device in test_devices()) {
    x <- opencl_vector(c(1, NA, NaN, Inf), device = device)
    expect_identical(as.vector(is.na(x)), c(FALSE, TRUE, TRUE, FALSE))
    expect_identical(as.vector(is.nan(x)), c(FALSE, FALSE, TRUE, FALSE))
    expect_identical(as.vector(is.finite(x)), c(TRUE, FALSE, FALSE, FALSE))
    expect_identical(as.vector(is.infinite(x)), c(FALSE, FALSE, FALSE, TRUE))
    expect_true(anyNA(x))
    expect_false(anyNA(opencl_vector(1:3, device = device)))
    expect_true(is.matrix(opencl_matrix(matrix(1:4, 2), device = device)))
  }
})

test_that("results lie where their operands do, whatever the default device and their length", {
  for (device in test_devices()) for (default in unique(c("auto", "0", test_devices()))) {
    old <- options(nmathopencl.device = default)
    on.exit(options(old))
    for (x in list(numeric(), 2, c(3, NA, 1), integer(), matrix(c(1, 4, 2, 3), 2), matrix(0, 0, 2))) {
      v <- opencl_vector(x, device)
      results <- list(
        v > 1, v + 1, v * v, -v, !v, sqrt(v), round(v, 1), is.na(v), v[v > 1], v[seq_along(v)], sort(v), head(v, 1), c(v, v), ifelse(v > 1, v, 0), as.logical(v) | v > 2,
        exp(opencl_vector(x, device)), dnorm_opencl(v), dgamma_opencl(v, 2), suppressWarnings(qnorm_opencl(v)), opencl_function(function(x) x^2 + 1)(v),
        opencl_function(function(x, a) exp(a * x))(v, 2), suppressWarnings(rnorm_opencl(length(x), v * 1)), cumsum(v)
      )
      for (k in seq_along(results)) {
        if (!inherits(results[[k]], "opencl_vector")) next
        expect_identical(resident_device(results[[k]]), resident_device(v), info = paste(k, device, default, length(x)))
      }
    }
  }
})
