# An interrupt while a driver compiles the package's own kernels, which some do at the first run of one: answered within a
# second, and what was left is there when it is asked for again.
skip_on_cran() # other processes, and a matter of time
skip_on_os("windows") # there are no signals to send

# The child's driver has compiled nothing yet. `interrupted(call, after)`: how the call ended, and how late after the signal.
interrupted_in_child <- function(device, code, timeout = 300) {
  folder <- tempfile("pocl")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  eval(substitute(in_child({
    device <- DEVICE
    interrupted <- function(call, after) {
      system(sprintf("(sleep %s; kill -INT %d) &", format(after), Sys.getpid()))
      begin <- proc.time()[["elapsed"]]
      late <- function() proc.time()[["elapsed"]] - begin - after
      ended <- function(how) { # where the signal is still to come, nothing else is interrupted by it
        value <- list(how = how, late = late())
        if (value$late < 0.5) tryCatch(Sys.sleep(1 - value$late), interrupt = identity)
        value
      }
      tryCatch({
        call()
        tryCatch(ended("finished"), interrupt = function(e) list(how = "finished", late = late()))
      }, interrupt = function(e) list(how = "interrupt", late = late()), error = function(e) ended(conditionMessage(e)))
    }
    CODE
  }, timeout = TIMEOUT, env = c(paste0("POCL_CACHE_DIR=", FOLDER), "LANGUAGE=en", paste0("R_USER_CACHE_DIR=", FOLDER))),
  list(DEVICE = as.integer(device), CODE = substitute(code), TIMEOUT = timeout, FOLDER = folder)))
}

cpu_test_devices <- function() {
  all <- opencl_devices()
  intersect(opencl_test_devices(), as.character(all$index[all$type == "cpu"]))
}

expect_answered <- function(calls, info = NULL) {
  for (name in names(calls)) {
    expect_true(calls[[name]]$how %in% c("interrupt", "finished"), info = paste(name, calls[[name]]$how))
    expect_lt(calls[[name]]$late, 1, label = paste("seconds after the signal,", name))
  }
  expect_true("interrupt" %in% vapply(calls, `[[`, "", "how")) # one at least was under way
}

test_that("the functions that take longest to compile are interrupted in their first run, and are whole afterwards", {
  for (device in cpu_test_devices()) {
    result <- interrupted_in_child(device, {
      first <- dnorm_opencl(0, device = device) # the driver is there, the other kernels are not
      compute <- list(
        qtukey = function() qtukey_opencl(0.5, 3, 10, device = device),
        ptukey = function() ptukey_opencl(3, 3, 10, device = device),
        qwilcox = function() qwilcox_opencl(0.5, 5, 6, device = device),
        pnbeta = function() pbeta_opencl(0.5, 2, 3, 1, device = device),
        qnbeta = function() qbeta_opencl(0.5, 2, 3, 1, device = device),
        qgamma = function() qgamma_opencl(0.5, 2, device = device),
        rbinom = function() length(rbinom_opencl(10, 100, 0.3, device = device)),
        bessel = function() besselK_opencl(2, 1.5, device = device)
      )
      calls <- Map(interrupted, compute, c(0.4, 0.7, 1, 1.5, 2, 0.7, 1, 1.5))
      list(calls = calls, values = lapply(compute, function(f) f()), ran = last_run()$device)
    })
    expect_answered(result$calls)
    expect_equal(result$values, list(
      qtukey = qtukey(0.5, 3, 10), ptukey = ptukey(3, 3, 10), qwilcox = qwilcox(0.5, 5, 6), pnbeta = pbeta(0.5, 2, 3, 1),
      qnbeta = qbeta(0.5, 2, 3, 1), qgamma = qgamma(0.5, 2), rbinom = 10L, bessel = besselK(2, 1.5)
    ), tolerance = 1e-8)
    expect_identical(result$ran, device_name(device))
  }
})

test_that("an expression and its gradient are interrupted in their first run, and are whole afterwards", {
  for (device in cpu_test_devices()) {
    result <- interrupted_in_child(device, {
      first <- dnorm_opencl(0, device = device)
      x <- seq(0.5, 3, length.out = 50)
      density <- opencl_function(function(x, a, b) dgamma(x, a, b, log = TRUE) + dbeta(x / 10, a, b, log = TRUE),
        reduce = "sum", gradient = c("a", "b"))
      tail <- opencl_function(function(x, a) qgamma(pgamma(x, a), a + 1) + ptukey(x, 3, 10))
      calls <- list()
      for (after in c(0.5, 1, 2)) {
        calls[[paste("density", after)]] <- interrupted(function() density(x, 2, 3, device = device), after)
        calls[[paste("tail", after)]] <- interrupted(function() tail(x, 2, device = device), after)
      }
      list(calls = calls, density = density(x, 2, 3, device = device), tail = tail(x, 2, device = device), ran = last_run()$device)
    })
    expect_answered(result$calls)
    x <- seq(0.5, 3, length.out = 50)
    expect_equal(c(result$density), sum(dgamma(x, 2, 3, log = TRUE) + dbeta(x / 10, 2, 3, log = TRUE)), ignore_attr = TRUE)
    expect_equal(c(result$tail), qgamma(pgamma(x, 2), 3) + ptukey(x, 3, 10), tolerance = 1e-8)
    expect_identical(result$ran, device_name(device))
  }
})

test_that("a GLM grid is interrupted in its first run, and is whole afterwards", {
  for (device in cpu_test_devices()) {
    result <- interrupted_in_child(device, {
      first <- dnorm_opencl(0, device = device)
      grid <- function(where) {
        f2_f3_opencl("Gamma", "log", matrix(c(0.1, 0.2, 0.3), 1), c(1, 2), matrix(1, 2), 0, diag(1), c(0, 0), c(1, 1), device = where)
      }
      calls <- lapply(c(a = 0.5, b = 0.9), function(after) interrupted(function() grid(device), after))
      list(calls = calls, here = grid("host"), there = grid(device))
    })
    for (call in result$calls) expect_lt(call$late, 1)
    expect_equal(result$there, result$here)
  }
})

test_that("the second of two runs compiles nothing, and what was compiled ahead is what runs", {
  for (device in cpu_test_devices()) {
    seconds <- interrupted_in_child(device, {
      first <- dnorm_opencl(0, device = device)
      took <- function(n) {
        x <- seq(0.1, 0.9, length.out = n)
        system.time(qgamma_opencl(x, 2, device = device))[["elapsed"]]
      }
      c(took(10), took(10), took(1e5), took(1e5))
    })
    expect_lt(seconds[2], seconds[1] / 4)
  }
})
