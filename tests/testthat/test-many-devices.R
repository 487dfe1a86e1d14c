# Calls that the host device and an OpenCL device share.

n <- 6e5
x <- seq(-4, 4, length.out = n)

test_that("elementwise results are those of one device", {
  two <- two_devices()
  x[7] <- NA
  x[n - 7] <- NaN
  sd <- c(1, 0.5, 3)
  alone <- pnorm_opencl(x, 0.1, sd, device = "host")
  for (k in 1:2) {
    shared <- pnorm_opencl(x, 0.1, sd, device = two)
    expect_equal(shared, alone, tolerance = 1e-14)
    expect_identical(is.na(shared) & !is.nan(shared), is.na(alone) & !is.nan(alone))
    expect_shared(n)
  }
  expect_s3_class(last_run()$shares, "data.frame")
  expect_warning(qnorm_opencl(c(x, 2), device = rev(two)), "NaNs produced") # their order is of no account
  expect_shared(n + 1)
  named <- stats::setNames(x[1:10], letters[1:10])
  few <- dnorm_opencl(named, device = two)
  expect_null(last_run()$shares) # ten elements are one device's
  expect_equal(few, dnorm_opencl(named, device = "host"), tolerance = 1e-15)
  expect_identical(dnorm_opencl(numeric(), device = two), numeric())
})

test_that("draws are the very same", {
  two <- two_devices()
  for (f in list(rnorm_opencl, function(n, ...) rgamma_opencl(n, c(0.5, 2, 7), ...), unif_rand_opencl)) {
    set.seed(3)
    alone <- f(n, device = "host")
    set.seed(3)
    expect_equal(f(n, device = two), alone, tolerance = 1e-13)
    expect_shared(n)
  }
  expect_identical(rpois_opencl(n, 1:7, device = two, seed = 5), rpois_opencl(n, 1:7, device = "host", seed = 5))
  cells <- function(...) rmultinom_opencl(1e5, 9, c(a = 1, b = 2, c = 3), seed = 2, ...)
  alone <- cells(device = "host")
  expect_identical(cells(device = two), alone)
  expect_shared(1e5)
})

test_that("reductions and gradients are summed in one order", {
  skip_if_not(host_compiles())
  two <- two_devices()
  for (reduce in names(reduction_table())) {
    f <- opencl_function(if (reduce %in% c("any", "all")) function(x, a) x > a else function(x, a) x - a, reduce = reduce)
    alone <- f(x, 5, device = "host")
    expect_equal(f(x, 5, device = two), alone, tolerance = 1e-14, label = reduce)
    expect_shared(n)
  }
  f <- opencl_function(function(x, a, b) dgamma(x, a, rate = b, log = TRUE), reduce = "sum", gradient = c("a", "b"))
  alone <- f(abs(x) + 1, 2, 3, device = "host")
  expect_equal(f(abs(x) + 1, 2, 3, device = two), alone, tolerance = 1e-13)
  expect_shared(n)
  f <- opencl_function(function(x) exp(x), reduce = "mean")
  groups <- factor(rep_len(c("u", "v", "w", NA), n), levels = c("u", "v", "w", "none"))
  alone <- f(x, by = groups, device = "host")
  expect_equal(f(x, by = groups, device = two), alone, tolerance = 1e-14)
  expect_identical(last_run()$shares$index, c(0L, as.integer(two[2L])))
})

test_that("an opencl_function shares its elements, its draws too", {
  skip_if_not(host_compiles())
  two <- two_devices()
  f <- opencl_function(function(x, y, m) ifelse(x > 0, sqrt(abs(x)), NA) + rnorm(length(x), m) * y)
  y <- c(1, 2, 3)
  draw <- function(device) {
    set.seed(11)
    f(x, y, 2, device = device)
  }
  alone <- draw("host")
  expect_equal(draw(two), alone, tolerance = 1e-13)
  expect_shared(n)
})

test_that("a grid of coefficients is shared", {
  two <- two_devices()
  set.seed(1)
  X <- cbind(1, matrix(rnorm(300 * 3), 300))
  y <- rbinom(300, 1, 0.4)
  b <- matrix(rnorm(4 * 9001, 0, 0.3), 4)
  grid <- function(device) {
    f2_f3_opencl(
      "binomial", "logit", b, y, X,
      mu = numeric(4), P = diag(4), alpha = numeric(300), wt = rep(1, 300), device = device
    )
  }
  alone <- grid("host")
  for (k in 1:2) {
    expect_equal(grid(two), alone, tolerance = 1e-12)
    expect_shared(9001)
  }
})

test_that("vectors stay in parts, and are computed where they lie", {
  skip_if_not(host_compiles())
  two <- two_devices()
  v <- opencl_vector(x, device = two)
  expect_identical(as.vector(v), x)
  middle <- n / 2 + -3:3
  expect_identical(v[middle], x[middle])
  expect_identical(tail(v, 3), tail(x, 3))
  expect_match(capture.output(print(v))[1L], paste("on", device_name("0"), "+", device_name(two[2L])), fixed = TRUE)
  expect_equal(sum(v), sum(x))
  expect_shared(n)
  expect_identical(c(min(v), max(v), mean(v) == mean(v)), c(min(x), max(x), 1))
  w <- dnorm_opencl(v * 2 + x) # R's vector travels in parts
  expect_s3_class(w, "opencl_vector")
  expect_equal(as.vector(w), dnorm(3 * x), tolerance = 1e-12)
  expect_shared(n)
  kept <- pnorm_opencl(x, device = two, keep = TRUE)
  expect_equal(as.vector(kept - pnorm_opencl(v)), numeric(n))
  draws <- rnorm_opencl(n, device = two, keep = TRUE, seed = 4)
  expect_equal(as.vector(draws), rnorm_opencl(n, device = "host", seed = 4), tolerance = 1e-13)
  expect_equal(sum(draws * v), sum(as.vector(draws) * x), tolerance = 1e-12)
  cells <- rmultinom_opencl(1e4, 9, c(1, 2), seed = 2, device = two, keep = TRUE)
  expect_identical(as.matrix(cells), rmultinom_opencl(1e4, 9, c(1, 2), seed = 2, device = "host"))

  refused <- function(code) expect_error(code, class = "nmathopencl_error")
  expect_match(conditionMessage(refused(v + opencl_vector(x, device = "host"))), "are resident on different devices")
  expect_match(conditionMessage(refused(v + opencl_vector(x[-1], device = two))), "of one length")
  expect_match(conditionMessage(refused(rnorm_opencl(3, v))), "on several devices")
  by <- opencl_function(function(x) x, reduce = "sum")
  expect_match(conditionMessage(refused(by(v, by = rep_len(1:3, n)))), "on several devices")

  bytes <- function() with(opencl_memory(), sum(bytes[index == two[2L]]))
  before <- bytes()
  opencl_free(v)
  expect_lt(bytes(), before)
  refused(sum(v))
  expect_match(capture.output(print(v)), "released")
})

test_that("what is not a vector of devices is an error", {
  refused <- function(device) expect_error(dnorm_opencl(1, device = device), class = "nmathopencl_error")
  refused(c("host", "host"))
  refused(c("host", "no such device"))
  refused(c("host", NA))
  refused(c(0, 1.5))
  refused(list(1, 2))
  refused(character())
  refused(c(TRUE, FALSE))
  expect_error(set_opencl_device("all"), "takes one device", class = "nmathopencl_error")
  expect_error(set_opencl_device(c("host", "1")), class = "nmathopencl_error")
  expect_error(run_opencl_kernel("", "k", list(), 1, device = c("host", "1")), class = "nmathopencl_error")
})

test_that("\"all\" is every GPU, or the host", {
  gpus <- with(opencl_devices(), index[type == "gpu" & fp64])
  expect_identical(dnorm_opencl(x, device = "all") > 0, rep(TRUE, n))
  shares <- last_run()$shares
  if (length(gpus) < 2L) expect_null(shares) else expect_true(all(shares$index %in% gpus))
  if (length(gpus) == 0L) expect_ran_on("0")
})

test_that("a device that fails is an error, or the host's call with fallback", {
  two <- two_devices()
  skip_if_not(host_compiles())
  f <- opencl_function(function(x) x + 1)
  old <- options(nmathopencl.memory = 1000)
  on.exit(options(old))
  expect_error(f(x, device = two, keep = TRUE), class = "nmathopencl_error")
  expect_warning(kept <- f(x, device = two, keep = TRUE, fallback = TRUE), "repeated on the host")
  expect_identical(as.vector(kept), x + 1)
})

test_that("an interrupt stops all devices", {
  skip_on_os("windows")
  two <- two_devices()
  reported <- in_child(
    {
      two <- c("host", strsplit(Sys.getenv("TWO_DEVICES"), ",", fixed = TRUE)[[1L]][2L])
      setTimeLimit(elapsed = 1, transient = TRUE)
      began <- proc.time()[[3L]]
      text <- tryCatch(
        {
          nmathopencl::rwilcox_opencl(5e6, 400, 400, device = two)
          "it ended"
        },
        error = conditionMessage
      )
      setTimeLimit()
      c(text, as.character(proc.time()[[3L]] - began < 10), nmathopencl::dnorm_opencl(0, device = two[2L]) > 0)
    },
    env = paste0("TWO_DEVICES=", paste(two, collapse = ","))
  )
  expect_match(reported[1L], "time limit")
  expect_identical(reported[2:3], c("TRUE", "TRUE"))
})
