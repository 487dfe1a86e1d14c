# The child sends itself the signal of Ctrl-C a second after it has begun to compute.
interrupted_on <- function(device, code) {
  eval(substitute(in_child({
    device <- DEVICE
    signal <- function() system(sprintf("(sleep 1; kill -INT %d) &", Sys.getpid()))
    # Repeats the call until it is interrupted: how long after the signal, and by what.
    interrupt <- function(call) {
      call(1000)
      signal()
      begin <- proc.time()[["elapsed"]]
      how <- tryCatch(repeat call(2e7), interrupt = function(e) "interrupt", error = conditionMessage)
      list(how = how, late = proc.time()[["elapsed"]] - begin - 1)
    }
    CODE
  }, timeout = 120), list(DEVICE = device, CODE = substitute(code))))
}

test_that("an interrupt ends a long call at once and the next call works", {
  skip_on_os("windows") # there are no signals to send
  for (device in test_devices()) {
    result <- interrupted_on(device, {
      x <- seq(0.01, 10, length.out = 2e7)
      first <- interrupt(function(n) pgamma_opencl(x[seq_len(n)], 2.5, device = device))
      value <- pgamma_opencl(3, 2.5, device = device)
      second <- interrupt(function(n) dnorm_opencl(x[seq_len(n)], device = device))
      list(first = first, second = second, value = value, device = last_run()$device)
    })
    for (call in result[c("first", "second")]) {
      expect_identical(call$how, "interrupt", info = device_name(device))
      expect_lt(call$late, 1)
    }
    expect_equal(result$value, pgamma(3, 2.5), tolerance = 1e-14)
  }
})

test_that("an interrupt ends a long GLM grid at once and the next one works", {
  skip_on_os("windows")
  for (device in test_devices()) {
    result <- interrupted_on(device, {
      set.seed(1)
      x <- cbind(1, matrix(rnorm(1200), 300))
      b <- matrix(rnorm(1e6, sd = 0.1), 5)
      y <- rbinom(300, 1, 0.5)
      grid <- function(n) {
        f2_f3_opencl("binomial", "logit", b[, seq_len(min(n, 2e5))], y, x, rep(0, 5), diag(5), rep(0, 300), rep(1, 300),
          device = device
        )
      }
      before <- grid(10)
      c(interrupt(grid), same = identical(grid(10), before))
    })
    expect_identical(result$how, "interrupt", info = device_name(device))
    expect_lt(result$late, 1)
    expect_true(result$same)
  }
})

test_that("an interrupt that nothing catches ends the script, not the session's state", {
  skip_on_os("windows")
  result <- interrupted_on("host", {
    x <- seq(0.01, 10, length.out = 2e7)
    signal()
    caught <- try(withCallingHandlers(
      withRestarts(repeat pgamma_opencl(x, 2.5, device = "host"), abort = function(...) "aborted"),
      interrupt = function(e) NULL
    ), silent = TRUE)
    list(caught = caught, value = dnorm_opencl(0, device = "host"))
  })
  expect_identical(result$caught, "aborted")
  expect_equal(result$value, dnorm(0))
})
