skip_on_cran() # other processes, and a matter of time

# The child sends itself the signal of Ctrl-C half a second after it has begun to compute.
interrupted_on <- function(device, code) {
  eval(substitute(in_child({
    device <- DEVICE
    signal <- function() system(sprintf("(sleep 0.5; kill -INT %d) &", Sys.getpid()))
    # Repeats the call until it is interrupted: how long after the signal, and by what.
    interrupt <- function(call) {
      call(1000)
      signal()
      begin <- proc.time()[["elapsed"]]
      how <- tryCatch(repeat call(2e7), interrupt = function(e) "interrupt", error = conditionMessage)
      list(how = how, late = proc.time()[["elapsed"]] - begin - 0.5)
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

# Repeats `call` and interrupts it a quarter of a second after its start: by what it ended, how late, on which device the last finished one ran.
costly_interrupts <- quote({
  stop_soon <- function(call) {
    system(sprintf("(sleep 0.25; kill -INT %d) &", Sys.getpid()))
    begin <- proc.time()[["elapsed"]]
    how <- tryCatch( # what takes minutes elsewhere is over at once on a GPU
      repeat call(),
      interrupt = function(e) "interrupt", error = conditionMessage
    )
    list(how = how, late = proc.time()[["elapsed"]] - begin - 0.25, last = last_run()$device)
  }
  # The bar from the start, as in an interactive session after two seconds.
  show_bar <- function() {
    options(nmathopencl.progress = TRUE)
    bar <- getFromNamespace("call_progress", "nmathopencl")
    formals(bar)$after <- 0
    utils::assignInNamespace("call_progress", bar, "nmathopencl")
  }
})

expect_stopped <- function(call, device) {
  expect_identical(call$how, "interrupt", info = device_name(device))
  expect_lt(call$late, 1)
  expect_identical(call$last, device_name(device)) # and was not repeated on the host
}

test_that("a function that takes minutes is interrupted within a second, with and without bar and fallback", {
  skip_on_os("windows")
  for (device in test_devices()) {
    result <- eval(substitute(in_child({
      SETUP
      device <- DEVICE
      q <- rep_len(seq(1, 6, length.out = 1000), 1e6)
      first <- list(ptukey_opencl(3.5, 20, 30, 2, device = device), qtukey_opencl(0.9, 20, 30, 2, device = device))
      plain <- stop_soon(function() ptukey_opencl(q, 20, 30, 2, device = device))
      spared <- stop_soon(function() qtukey_opencl(q / 7, 20, 30, 2, device = device, fallback = TRUE))
      short <- stop_soon(function() for (k in 1:1000) ptukey_opencl(q[1:2000], 20, 30, 2, device = device))
      show_bar()
      bar <- stop_soon(function() qtukey_opencl(q / 7, 20, 30, 2, device = device))
      both <- stop_soon(function() ptukey_opencl(q, 20, 30, 2, device = device, fallback = TRUE))
      again <- list(ptukey_opencl(3.5, 20, 30, 2, device = device), qtukey_opencl(0.9, 20, 30, 2, device = device))
      list(calls = list(plain, spared, short, bar, both), same = identical(first, again), value = first[[1]])
    }, timeout = 120), list(DEVICE = device, SETUP = costly_interrupts)))
    for (call in result$calls) expect_stopped(call, device)
    expect_true(result$same)
    expect_equal(result$value, ptukey(3.5, 20, 30, 2), tolerance = 1e-6) # of R
  }
})

test_that("interrupted draws and grids are not repeated on the host, nor is a second one", {
  skip_on_os("windows")
  for (device in test_devices()) {
    result <- eval(substitute(in_child({
      SETUP
      device <- DEVICE
      set.seed(1)
      x <- matrix(rnorm(5e5), ncol = 5)
      b <- matrix(rnorm(5e5, sd = 0.1), 5)
      grid <- function(m1) {
        f2_f3_opencl("binomial", "logit", b[, seq_len(m1), drop = FALSE], rep(0.5, 1e5), x, numeric(5), diag(5),
          numeric(1e5), rep(2, 1e5),
          device = device, fallback = "host"
        )
      }
      grid(1)
      grids <- list(stop_soon(function() grid(1e5)), stop_soon(function() grid(1e5)))
      weights <- runif(20)
      rmultinom_opencl(1, 10, weights, device = device)
      rows <- stop_soon(function() {
        for (k in 1:100) rmultinom_opencl(3e6, 1e6, weights, device = device, fallback = TRUE)
      })
      rsignrank_opencl(1, 10, device = device)
      draws <- stop_soon(function() {
        for (k in 1:100) rsignrank_opencl(5e6, 2000, device = device, fallback = TRUE)
      })
      list(calls = c(grids, list(rows, draws)), value = grid(1)$qf)
    }, timeout = 120), list(DEVICE = device, SETUP = costly_interrupts)))
    for (call in result$calls) expect_stopped(call, device)
    expect_length(result$value, 1)
  }
})

test_that("a time limit ends a call as R's own error", {
  for (device in test_devices()) {
    result <- eval(substitute(in_child({
      SETUP
      device <- DEVICE
      q <- rep_len(seq(1, 6, length.out = 1000), 1e6)
      limited <- function(...) {
        begin <- proc.time()[["elapsed"]]
        setTimeLimit(elapsed = 0.25, transient = TRUE)
        how <- tryCatch(repeat ptukey_opencl(q, 20, 30, 2, device = device, ...), error = function(e) e)
        setTimeLimit()
        late <- proc.time()[["elapsed"]] - begin - 0.25
        list(text = conditionMessage(how), own = inherits(how, "nmathopencl_error"), late = late)
      }
      ptukey_opencl(3.5, 20, 30, 2, device = device)
      plain <- limited()
      show_bar()
      list(plain, limited(fallback = TRUE), value = ptukey_opencl(3.5, 20, 30, 2, device = device))
    }, timeout = 60, env = "LANGUAGE=en"), list(DEVICE = device, SETUP = costly_interrupts)))
    for (call in result[1:2]) {
      expect_match(call$text, "reached elapsed time limit")
      expect_false(call$own)
      expect_lt(call$late, 1)
    }
    expect_equal(result$value, ptukey(3.5, 20, 30, 2), tolerance = 1e-6) # of R
  }
})

test_that("who handles an interrupt may let the call go on", {
  skip_on_os("windows")
  result <- in_child({
    x <- seq(0.01, 10, length.out = 5e6)
    system(sprintf("(sleep 0.3; kill -INT %d) &", Sys.getpid()))
    seen <- 0
    value <- withCallingHandlers(
      {
        while (seen == 0) y <- pgamma_opencl(x, 2.5, device = "host")
        y
      },
      interrupt = function(e) {
        seen <<- seen + 1
        invokeRestart("resume")
      }
    )
    list(seen = seen, same = identical(value, pgamma_opencl(x, 2.5, device = "host")))
  })
  expect_identical(result$seen, 1)
  expect_true(result$same)
})

test_that("calls at many points, with groups, with elements and with Hessians end within a second, and the next one works", {
  skip_on_os("windows")
  skip_without_compiler()
  for (device in compiling_devices()) {
    result <- eval(substitute(in_child({
      SETUP
      device <- DEVICE
      set.seed(1)
      n <- 1000L
      X <- cbind(1, matrix(round(rnorm(2 * n), 2), n))
      y <- as.double(rpois(n, 2))
      rows <- function(y, X, b) dpois(y, exp(X %*% b), log = TRUE)
      data <- list(y = y, X = X)
      B <- matrix(rnorm(3e6, sd = 0.1), 1e6)
      sums <- opencl_function(rows, reduce = "sum", gradient = "b", data = data)
      stages <- opencl_function(function(y, X, b) sum(dpois(y, exp(X %*% b), log = TRUE)) - sum(b^2), gradient = "b", data = data)
      elements <- opencl_function(rows, data = data)
      effects <- opencl_function(function(y, g, u, s) sum(dpois(y, exp(u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE)), gradient = c("u", "s"), data = list(y = y, g = rep_len(1:3, n)))
      second <- opencl_function(rows, reduce = "sum", gradient = "b", hessian = TRUE, data = data)
      few <- opencl_function(function(x, a) pbeta(x, a, 3.7), reduce = "sum", data = list(x = rep_len(seq(0.1, 0.9, length.out = 997), 5e5)))
      calls <- list(
        sums = function(m) sums(over = list(b = B[seq_len(m), ]), device = device),
        groups = function(m) sums(over = list(b = B[seq_len(m), ]), by = rep_len(1:7, n), device = device),
        stages = function(m) stages(over = list(b = B[seq_len(m), ]), device = device),
        effects = function(m) effects(over = list(u = B[seq_len(m), ], s = B[seq_len(m), 1L]), device = device),
        elements = function(m) elements(over = list(b = B[seq_len(min(m, 1e4)), ]), device = device), # R fills what it allocates, 80 MB, unasked
        second = function(m) second(over = list(b = B[seq_len(m), ]), device = device),
        long = function(m) few(over = list(a = seq(2, 40, length.out = min(m, 200))), device = device)
      )
      before <- lapply(calls, function(call) call(3))
      stopped <- lapply(calls, function(call) {
        for (attempt in 1:4) { # the machine may be busy
          stopped <- stop_soon(function() call(1e6))
          if (stopped$how != "interrupt" || stopped$late < 1) break
        }
        stopped
      })
      list(calls = stopped, same = identical(lapply(calls, function(call) call(3)), before))
    }, timeout = 120), list(DEVICE = device, SETUP = costly_interrupts)))
    for (name in names(result$calls)) {
      expect_identical(result$calls[[name]]$how, "interrupt", info = paste(device, name))
      expect_lt(result$calls[[name]]$late, 1, label = paste(device, name, "late by seconds"))
    }
    expect_true(result$same)
  }
})

test_that("a loop over data ends with the interrupt, in doubles and in pairs of floats", {
  skip_on_os("windows")
  skip_without_compiler()
  result <- in_child({
    options(nmathopencl.compiler = TRUE)
    f <- opencl_function(function(p, y) {
      s <- 0
      for (t in seq_along(y)) {
        s <- p * s + y[t]
        for (k in 1:40) s <- s + sin(s) * 1e-3
      }
      s
    }, gradient = "p")
    y <- sin(1:3e7)
    lapply(c("double", "pair"), function(arithmetic) {
      options(nmathopencl.arithmetic = arithmetic)
      before <- f(0.5, y[1:1000], device = "host")
      system(sprintf("(sleep 0.5; kill -INT %d) &", Sys.getpid()))
      begin <- proc.time()[["elapsed"]]
      how <- tryCatch(c(f(0.5, y, device = "host")), interrupt = function(e) "interrupt", error = conditionMessage)
      late <- proc.time()[["elapsed"]] - begin - 0.5
      used <- proc.time()[["user.self"]]
      Sys.sleep(0.5)
      list(how = how, late = late, goes_on = proc.time()[["user.self"]] - used, same = identical(before, f(0.5, y[1:1000], device = "host")))
    })
  }, timeout = 120)
  for (call in result) {
    expect_identical(call$how, "interrupt")
    expect_lt(call$late, 1)
    expect_lt(call$goes_on, 0.3)
    expect_true(call$same)
  }
})
