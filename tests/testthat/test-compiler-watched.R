skip_on_cran() # other processes, and a matter of time
skip_on_os("windows") # there are no signals to send
skip_without_compiler()

# A compiler that hangs, with a process below it as real ones have; each notes its number in the file `reported`.
hanging_compiler <- function(reported) {
  path <- tempfile("cc")
  writeLines(c(
    "#!/bin/sh", sprintf("echo $$ >> '%s'", reported), sprintf("(echo $$ >> '%s'; exec sleep 300) &", reported),
    sprintf("echo $! >> '%s'", reported), "wait"
  ), path)
  Sys.chmod(path, "0755")
  path
}

# The numbers in `reported` that are still those of processes, when half a second has gone by.
still_there <- function(reported) {
  Sys.sleep(0.5)
  numbers <- unique(as.integer(readLines(reported)))
  alive <- function(k) {
    state <- suppressWarnings(system2("ps", c("-o", "stat=", "-p", k), stdout = TRUE, stderr = FALSE))
    length(state) > 0L && !startsWith(trimws(state[1L]), "Z")
  }
  numbers[vapply(numbers, alive, NA)]
}

with_hanging_compiler <- function(reported, code) {
  eval(substitute(in_child({
    options(nmathopencl.compiler = TRUE)
    found <- nmathopencl:::host_compiler_found
    nmathopencl:::host_compiler_setting()
    usual <- found$text
    found$text <- sprintf("\n%s\n\n", COMPILER)
    text <- "__kernel void k(__global const double* x, __global double* out, const int len)
      { int i = get_global_id(0); if (i < len) out[i] = x[i] + 1.5; }"
    run <- function() run_opencl_kernel(text, "k", list(2), device = "host")
    CODE
  }, timeout = 60, env = "LANGUAGE=en"), list(COMPILER = hanging_compiler(reported), CODE = substitute(code))))
}

test_that("an interrupt ends a compiler that hangs, and all that it started, within a second", {
  reported <- tempfile()
  result <- with_hanging_compiler(reported, {
    system(sprintf("(sleep 1; kill -INT %d) &", Sys.getpid()))
    begin <- proc.time()[["elapsed"]]
    how <- tryCatch(run(), interrupt = function(e) "interrupt", error = conditionMessage)
    late <- proc.time()[["elapsed"]] - begin - 1
    found$text <- usual
    list(how = how, late = late, again = run())
  })
  expect_identical(result$how, "interrupt")
  expect_lt(result$late, 1)
  expect_identical(result$again, 3.5)
  expect_length(still_there(reported), 0L)
})

test_that("a time limit ends it as R's own error, in functions of R's code as well", {
  reported <- tempfile()
  result <- with_hanging_compiler(reported, {
    limited <- function(call) {
      begin <- proc.time()[["elapsed"]]
      setTimeLimit(elapsed = 0.5, transient = TRUE)
      how <- tryCatch(call(), error = function(e) e)
      setTimeLimit()
      list(text = conditionMessage(how), own = inherits(how, "nmathopencl_error"), late = proc.time()[["elapsed"]] - begin - 0.5)
    }
    f <- opencl_function(function(x) exp(x) + 1)
    calls <- list(limited(run), limited(function() f(1:3, device = "host")))
    found$text <- usual
    list(calls = calls, again = run(), values = f(1:3, device = "host"))
  })
  for (call in result$calls) {
    expect_match(call$text, "reached elapsed time limit")
    expect_false(call$own)
    expect_lt(call$late, 1)
  }
  expect_identical(result$again, 3.5)
  expect_equal(result$values, exp(1:3) + 1)
  expect_length(still_there(reported), 0L)
})

test_that("a compiler that hangs ends with R, even where R is killed", {
  reported <- tempfile()
  for (signal in c("TERM", "KILL")) {
    killed <- substitute(with_hanging_compiler(reported, {
      system(sprintf("(sleep 1; kill -%s %d) &", SIGNAL, Sys.getpid()))
      run()
    }), list(SIGNAL = signal))
    expect_error(eval(killed), "child failed")
    expect_gte(length(readLines(reported)), 3L)
    expect_length(still_there(reported), 0L)
    unlink(reported)
  }
})
