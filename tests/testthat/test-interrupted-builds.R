# Interrupts in the first run of a kernel, which a driver may compile then: answered within a second, and the device goes on.
skip_on_cran() # other processes, and a matter of time
skip_on_os("windows") # there are no signals to send

# Not on a GPU that others may share: there a kernel that is left can only be ended with its process.
cpu_devices <- function() {
  all <- opencl_devices()
  intersect(opencl_test_devices(), as.character(all$index[all$type == "cpu"]))
}

# A child with a driver that has compiled nothing yet, in this folder or elsewhere.
in_fresh_child <- function(device, code, timeout = 90) {
  folder <- tempfile("pocl")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  eval(substitute(in_child({
    device <- DEVICE
    # A kernel that takes a second or two to compile, of a single work-item, as `text` with another number each time.
    slow_to_compile <- function(number) {
      paste(c(
        sprintf("double f0(double x, int k) { return %s; }",
          paste0("sin(x * ", 1:12, ") * pow(x, 1.", 1:12, " * k) + tgamma(x + ", 1:12, ")", collapse = " + ")),
        sprintf("double f%d(double x, int k) { return f%d(x, 1) + f%d(x * x, 2) + f%d(x + 1.0, k) * f%d(x, 4); }",
          1:3, 0:2, 0:2, 0:2, 0:2),
        sprintf("__kernel void k(__global const double* x, __global double* out) { out[0] = f3(x[0], %d) * 0.0 + %d.0; }",
          number, number)
      ), collapse = "\n")
    }
    run <- function(text, x = 0.5, ...) run_opencl_kernel(text, "k", list(x), n = 1, out = 1, device = device, ...)
    signal_after <- function(seconds, signal = "INT") {
      system(sprintf("(sleep %s; kill -%s %d) &", format(seconds), signal, Sys.getpid()))
    }
    # A call that ends before its interrupt comes waits for it, so that nothing else is interrupted.
    interrupted <- function(call, after) {
      signal_after(after)
      begin <- proc.time()[["elapsed"]]
      late <- NULL
      now <- function() proc.time()[["elapsed"]] - begin - after
      how <- tryCatch(
        {
          call()
          late <- now()
          Sys.sleep(30)
        },
        interrupt = function(e) if (is.null(late)) "interrupt" else "finished",
        error = function(e) {
          late <<- now()
          tryCatch(Sys.sleep(max(0.1, 1 - late)), interrupt = identity)
          conditionMessage(e)
        }
      )
      list(how = how, late = if (is.null(late)) now() else late)
    }
    CODE
  }, timeout = TIMEOUT, env = c(paste0("POCL_CACHE_DIR=", FOLDER), "LANGUAGE=en")),
  list(DEVICE = as.integer(device), CODE = substitute(code), TIMEOUT = timeout, FOLDER = folder)))
}

test_that("an interrupt in an own kernel's first run costs nothing but its result", {
  for (device in cpu_devices()) {
    for (after in c(0.1, 0.4, 1)) {
      result <- eval(substitute(in_fresh_child(device, {
        first <- dnorm_opencl(0, device = device) # the driver is there, the kernel is not
        call <- interrupted(function() run(slow_to_compile(7)), AFTER)
        list(
          call = call, again = run(slow_to_compile(7)), other = dnorm_opencl(0, device = device), ran = last_run()$device,
          devices = opencl_devices(), auto = tryCatch(nmathopencl_opencl_fp64_available(), error = conditionMessage)
        )
      }), list(AFTER = after)))
      # A slow machine is interrupted before the driver builds, a fast one has computed.
      expect_true(result$call$how %in% c("interrupt", "finished"), info = paste(after, result$call$how))
      expect_lt(result$call$late, 1)
      expect_identical(result$again, 7, info = after)
      expect_equal(result$other, dnorm(0))
      expect_identical(result$ran, device_name(device))
      expect_true(all(result$devices$fp64))
      expect_true(result$auto)
    }
  }
})

test_that("a session can be left while the driver compiles", {
  for (device in cpu_devices()) {
    for (after in c(0.3, 0.9)) {
      result <- eval(substitute(in_fresh_child(device, {
        first <- dnorm_opencl(0, device = device)
        interrupted(function() run(slow_to_compile(3)), AFTER)
      }), list(AFTER = after))) # in_child() fails where R crashes at its end
      expect_true(result$how %in% c("interrupt", "finished"))
      expect_lt(result$late, 1)
    }
  }
})

test_that("a time limit in a first run is R's own error, and the device goes on", {
  for (device in cpu_devices()) {
    result <- in_fresh_child(device, {
      first <- dnorm_opencl(0, device = device)
      for (number in 5:24) { # some may be compiled before the time is up
        how <- tryCatch({
          setTimeLimit(elapsed = 0.1, transient = TRUE)
          run(slow_to_compile(number))
        }, error = function(e) e)
        setTimeLimit()
        if (inherits(how, "error")) break
        how <- simpleError("all were compiled before the time was up")
      }
      list(text = conditionMessage(how), own = inherits(how, "nmathopencl_error"), again = run(slow_to_compile(5)))
    })
    expect_match(result$text, "reached elapsed time limit")
    expect_false(result$own)
    expect_identical(result$again, 5)
  }
})

test_that("a device whose kernel ends after all is taken back, and nobody goes elsewhere meanwhile", {
  for (device in cpu_devices()) {
    result <- in_fresh_child(device, {
      # Takes x[0] times half a second or so.
      text <- "__kernel void k(__global const double* x, __global double* out)
        { volatile double s = 0.0; for (double i = 0.0; i < x[0] * 1e8; i += 1.0) s = s + 1.0; out[0] = 9.0; }"
      begin <- proc.time()[["elapsed"]]
      run(text, 1)
      unit <- max(proc.time()[["elapsed"]] - begin, 0.05)
      begin <- proc.time()[["elapsed"]]
      run(text, 1)
      unit <- proc.time()[["elapsed"]] - begin
      call <- interrupted(function() run(text, 6 / unit), 1)
      busy <- tryCatch(dnorm_opencl(0, device = device), nmathopencl_error = conditionMessage)
      named <- tryCatch(dnorm_opencl(0, device = "opencl"), nmathopencl_error = conditionMessage)
      fp64 <- opencl_devices()$fp64[opencl_devices()$index == device]
      spared <- tryCatch(dnorm_opencl(0, device = device, fallback = TRUE), warning = conditionMessage)
      until <- proc.time()[["elapsed"]] + 30
      repeat {
        back <- tryCatch(dnorm_opencl(0, device = device), nmathopencl_error = function(e) NULL)
        if (!is.null(back) || proc.time()[["elapsed"]] > until) break
        Sys.sleep(0.2)
      }
      list(call = call, busy = busy, named = named, fp64 = fp64, spared = spared, back = back, ran = last_run()$device,
        again = run(text, 0.1))
    })
    expect_match(result$call$how, "does not end")
    expect_lt(result$call$late, 1)
    for (text in result[c("busy", "named")]) {
      expect_match(text, "kernel 'k' was interrupted and did not end")
      expect_no_match(text, "double precision")
    }
    expect_false(result$fp64)
    expect_match(result$spared, "repeated on the host device")
    expect_equal(result$back, dnorm(0))
    expect_identical(result$ran, device_name(device))
    expect_identical(result$again, 9)
  }
})

test_that("resetting the selection tries a device that was given up, and says where it still does not end", {
  for (device in cpu_devices()) {
    result <- in_fresh_child(device, {
      endless <- "__kernel void k(__global const double* x, __global double* out)
        { volatile __global double* o = out; o[0] = 0.0; do o[0] = o[0] + 1.0; while (x[0] < 0.0); }"
      run(endless, 1)
      call <- interrupted(function() run(endless, -1), 0.5)
      nmathopencl_opencl_reset_device_selection()
      begin <- proc.time()[["elapsed"]]
      tried <- tryCatch(as.character(dnorm_opencl(0, device = device)), nmathopencl_error = conditionMessage)
      list(call = call, tried = tried, seconds = proc.time()[["elapsed"]] - begin, host = dnorm_opencl(0, device = "host"))
    })
    expect_match(result$call$how, "does not end")
    expect_true(result$tried == as.character(dnorm(0)) || grepl("did not end", result$tried))
    expect_lt(result$seconds, 8)
    expect_equal(result$host, dnorm(0))
  }
})

test_that("an interrupt in a session's first call on a device, while the device is tried or its programs are built, costs that call alone", {
  for (device in cpu_devices()) {
    for (after in c(0.02, 0.2, 0.7)) {
      result <- eval(substitute(in_fresh_child(device, {
        y <- c(2, 1, 4, 7)
        x <- c(0, 1, 2, 3)
        loglik <- function(b) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE))
        f <- opencl_function(loglik, gradient = "b", hessian = TRUE, data = list(y = y, x = x))
        call <- interrupted(function() f(c(0.3, 0.4), device = device), AFTER)
        list(call = call, again = c(f(c(0.3, 0.4), device = device)), plain = loglik(c(0.3, 0.4)), ran = last_run()$device)
      }), list(AFTER = after)))
      expect_true(result$call$how %in% c("interrupt", "finished"), info = paste(after, result$call$how))
      expect_lt(result$call$late, 1)
      expect_equal(result$again, result$plain, ignore_attr = TRUE, info = after)
      expect_identical(result$ran, device_name(device))
    }
  }
})

test_that("an interrupt in the first call at many points costs that call alone", {
  for (device in cpu_devices()) {
    for (after in c(0.1, 0.5, 1.2)) {
      result <- eval(substitute(in_fresh_child(device, {
        first <- dnorm_opencl(0, device = device)
        set.seed(1)
        X <- cbind(1, matrix(round(rnorm(8000), 2), 4000))
        y <- rep_len(c(2, 1, 4, 7), 4000)
        B <- matrix(c(0.1, -0.1, 0.2, 0, 0.1, 0.3), 2)
        f <- opencl_function(function(y, X, b) dpois(y, exp(X %*% b), log = TRUE) + dgamma(y, exp(X %*% b), 2, log = TRUE),
          reduce = "sum", gradient = "b", data = list(y = y, X = X))
        call <- interrupted(function() f(over = list(b = B), device = device), AFTER)
        plain <- apply(B, 1, function(b) sum(dpois(y, exp(X %*% b), log = TRUE) + dgamma(y, exp(X %*% b), 2, log = TRUE)))
        list(call = call, again = c(f(over = list(b = B), device = device)), plain = plain, ran = last_run()$device)
      }), list(AFTER = after)))
      expect_true(result$call$how %in% c("interrupt", "finished"), info = paste(after, result$call$how))
      expect_lt(result$call$late, 1)
      expect_equal(result$again, result$plain, ignore_attr = TRUE, info = after)
      expect_identical(result$ran, device_name(device))
    }
  }
})
