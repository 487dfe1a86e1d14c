# An interrupt while a driver compiles the package's own kernels, which some do at the first run of one: answered within a
# second, and what was left is there when it is asked for again.
skip_on_cran() # other processes, and a matter of time
skip_on_os("windows") # there are no signals to send

# The child's driver has compiled nothing yet. `interrupted(call)` has the call interrupted again and again until it ends by
# itself, so that it is while the program is built and while it runs for the first time: how often, how late at most, what else
# went wrong, and its value.
interrupted_in_child <- function(device, code, timeout = 300) {
  folder <- tempfile("pocl")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  eval(substitute(in_child({
    device <- DEVICE
    now <- function() proc.time()[["elapsed"]]
    interrupted <- function(call, after = 0.2, most = 100L) { # the host's compiler begins anew each time
      times <- 0L
      latest <- 0
      problem <- ""
      for (attempt in 1:100) {
        if (times >= most) {
          value <- call()
          break
        }
        system(sprintf("(sleep %s; kill -INT %d) &", format(after), Sys.getpid()))
        begin <- now()
        value <- NULL
        how <- tryCatch({
          value <- call()
          tryCatch(Sys.sleep(30), interrupt = function(e) "it is this one that was to come")
          "finished"
        }, interrupt = function(e) "interrupt", error = conditionMessage)
        if (how == "interrupt") {
          times <- times + 1L
          latest <- max(latest, now() - begin - after)
        } else {
          if (how != "finished") problem <- how
          break
        }
      }
      list(times = times, latest = latest, problem = problem, value = value)
    }
    CODE
  }, timeout = TIMEOUT, env = c(paste0("POCL_CACHE_DIR=", FOLDER), "LANGUAGE=en", paste0("R_USER_CACHE_DIR=", FOLDER))),
  list(DEVICE = as.integer(device), CODE = substitute(code), TIMEOUT = timeout, FOLDER = folder)))
}

cpu_test_devices <- function() {
  all <- opencl_devices()
  intersect(opencl_test_devices(), as.character(all$index[all$type == "cpu"]))
}

expect_answered <- function(call, name, times = 1L) {
  expect_identical(call$problem, "", info = name)
  expect_gte(call$times, times, label = paste("interrupts of", name))
  expect_lt(call$latest, 1, label = paste("seconds after an interrupt of", name))
}

test_that("the functions that take longest to compile are interrupted in their first run, and are whole afterwards", {
  for (device in cpu_test_devices()) {
    result <- interrupted_in_child(device, {
      first <- dnorm_opencl(0, device = device) # the driver is there, the other kernels are not
      calls <- lapply(list(
        qtukey = function() qtukey_opencl(0.5, 3, 10, device = device),
        pwilcox = function() pwilcox_opencl(15, 5, 6, device = device),
        pnbeta = function() pbeta_opencl(0.5, 2, 3, 1, device = device),
        rhyper = function() range(rhyper_opencl(10, 5, 6, 3, device = device)) / 4
      ), interrupted)
      list(calls = calls, ran = last_run()$device)
    })
    for (name in names(result$calls)) expect_answered(result$calls[[name]], name, if (name == "rhyper") 0L else 1L)
    value <- lapply(result$calls, `[[`, "value")
    expect_equal(value$qtukey, qtukey(0.5, 3, 10), tolerance = 1e-6) # R's own stops there
    expect_equal(value$pwilcox, pwilcox(15, 5, 6), tolerance = 1e-14)
    expect_equal(value$pnbeta, pbeta(0.5, 2, 3, 1), tolerance = 1e-10)
    expect_true(all(value$rhyper >= 0 & value$rhyper <= 1))
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
      calls <- lapply(list(
        density = function() density(x, 2, 3, device = device), tail = function() tail(x, 2, device = device)
      ), interrupted, after = 0.1) # a fast machine compiles the first one in less than half a second
      list(calls = calls, host = density(x, 2, 3, device = "host"), ran = last_run()$device)
    })
    for (name in names(result$calls)) expect_answered(result$calls[[name]], name)
    x <- seq(0.5, 3, length.out = 50)
    density <- result$calls$density$value
    expect_equal(c(density), sum(dgamma(x, 2, 3, log = TRUE) + dbeta(x / 10, 2, 3, log = TRUE)), ignore_attr = TRUE)
    expect_equal(attr(density, "gradient"), attr(result$host, "gradient"))
    expect_equal(c(result$calls$tail$value), qgamma(pgamma(x, 2), 3) + ptukey(x, 3, 10), tolerance = 1e-8)
  }
})

test_that("points and Hessians are interrupted in their first run, on the host too, and are whole afterwards", {
  for (device in c(if (compiler_here()) "0", cpu_test_devices())) {
    result <- interrupted_in_child(device, {
      first <- dnorm_opencl(0, device = device)
      options(nmathopencl.cache = FALSE, nmathopencl.compiler = TRUE)
      x <- seq(0.5, 3, length.out = 50)
      density <- function(x, a, b) dgamma(x, a, b, log = TRUE) + dbeta(x / 10, a, b, log = TRUE)
      points <- opencl_function(density, reduce = "sum", gradient = c("a", "b"))
      curved <- opencl_function(density, reduce = "sum", gradient = c("a", "b"), hessian = TRUE)
      at <- list(a = c(2, 2.5), b = c(3, 1))
      calls <- lapply(list(
        points = function() points(x, over = at, device = device), curved = function() curved(x, 2, 3, device = device)
      ), interrupted, after = if (device == 0L) 0.1 else 0.25, most = if (device == 0L) 1L else 100L)
      options(nmathopencl.compiler = FALSE)
      list(calls = calls, points = points(x, over = at, device = "host"), curved = curved(x, 2, 3, device = "host"))
    })
    for (name in names(result$calls)) {
      expect_answered(result$calls[[name]], name, if (name == "points" && device != "0") 0L else 1L) # half a second may come to its end
      expect_equal(result$calls[[name]]$value, result[[name]], tolerance = 1e-12)
    }
  }
})

test_that("a GLM grid is interrupted in its first run, and is whole afterwards", {
  for (device in cpu_test_devices()) {
    result <- interrupted_in_child(device, {
      first <- dnorm_opencl(0, device = device)
      grid <- function(where) {
        f2_f3_opencl("Gamma", "log", matrix(c(0.1, 0.2, 0.3), 1), c(1, 2), matrix(1, 2), 0, diag(1), c(0, 0), c(1, 1), device = where)
      }
      # a fast machine compiles it in less than half a second
      list(call = interrupted(function() grid(device), after = 0.1), here = grid("host"))
    })
    expect_answered(result$call, "f2_f3_opencl")
    expect_equal(result$call$value, result$here)
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
