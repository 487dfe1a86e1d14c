# Where nothing that the compiler makes can be run, expressions are R's to evaluate, as where there is no compiler.
skip_on_cran() # other processes
skip_on_os("windows") # compilers that are scripts
skip_without_compiler()

on_linux <- function() identical(Sys.info()[["sysname"]], "Linux")

# A compiler that fails, one that makes what cannot be loaded (as where the folder of temporary files allows no programs), one
# that ends itself, one that is not there any more, and one that cannot be started.
broken_compilers <- function() {
  make <- function(...) {
    path <- tempfile("cc")
    writeLines(c("#!/bin/sh", ...), path)
    Sys.chmod(path, "0755")
    path
  }
  c(
    fails = make("echo 'cc: internal compiler error' >&2", "exit 4"),
    useless = make("while [ $# -gt 0 ]; do if [ \"$1\" = -o ]; then echo text > \"$2\"; fi; shift; done"),
    killed = make("kill -9 $$"), lost = make("rm -f \"$0\"", "exit 1"), bare = make("exec /nowhere/cc1 \"$@\""), silent = make("exit 3"),
    # files of which the end is missing, and a log without an end
    short = if (on_linux()) make(
      paste(shQuote(nmathopencl:::host_compiler_cpp()$command[1L]), "-shared -fPIC \"$@\" || exit 1"),
      "while [ $# -gt 0 ]; do if [ \"$1\" = -o ]; then head -c 9000 \"$2\" > \"$2.part\" && mv \"$2.part\" \"$2\"; fi; shift; done"
    ),
    long = make("head -c 60000000 /dev/zero | tr '\\0' x >&2", "exit 1")
  )
}

test_that("expressions are computed by R, with one warning that says why", {
  compilers <- broken_compilers()
  for (which in names(compilers)) {
    result <- eval(substitute(in_child({
      options(nmathopencl.compiler = TRUE)
      found <- nmathopencl:::host_compiler_found
      nmathopencl:::host_compiler_setting()
      usual <- found$text
      found$text <- sprintf("\n%s\n\n", COMPILER)
      warned <- character()
      noting <- function(expr) {
        withCallingHandlers(expr, warning = function(w) {
          warned <<- c(warned, conditionMessage(w))
          invokeRestart("muffleWarning")
        })
      }
      x <- c(0.5, 1, NA, 2.5)
      f <- opencl_function(function(x, a) dgamma(x, a, log = TRUE) + exp(-x))
      total <- opencl_function(function(x, a) x^2 / a, reduce = "sum", na.rm = TRUE)
      values <- noting(list(f(x, 2, device = "host"), f(x, 3, device = "host"), total(x, 2, device = "host")))
      text <- noting(tryCatch(opencl_function("x", text = "exp(x)")(x, device = "host"), error = conditionMessage))
      own <- tryCatch(
        run_opencl_kernel("__kernel void k(__global const double* x, __global double* out, const int len) { }", "k", list(1),
          device = "host"),
        nmathopencl_error = function(e) "error")
      g <- opencl_function(function(x) x + 1)
      last <- noting(g(x, device = "host"))
      list(values = values, warned = warned, text = text, own = own, last = last)
    }, timeout = 60), list(COMPILER = compilers[[which]])))
    x <- c(0.5, 1, NA, 2.5)
    expect_equal(result$values, list(
      dgamma(x, 2, log = TRUE) + exp(-x), dgamma(x, 3, log = TRUE) + exp(-x), sum(x^2 / 2, na.rm = TRUE)
    ), tolerance = 1e-13, info = which)
    expect_length(result$warned, 1L)
    expect_match(result$warned, "C compiler .* does not work here: .+", info = which)
    expect_lt(nchar(result$warned), 1000)
    if (which == "silent") expect_match(result$warned, "gave no reason, its status is 3", fixed = TRUE)
    if (which == "short") expect_match(result$warned, "its end is missing", fixed = TRUE)
    expect_match(result$text, "needs an OpenCL device or, for the host device, a compiler: .+", info = which)
    expect_identical(result$own, "error", info = which)
    expect_equal(result$last, x + 1)
  }
})

test_that("an error in a text is an error, where the compiler works", {
  f <- opencl_function("x", text = "no_such_function(x)")
  expect_error(expect_no_warning(f(1, device = "host")), class = "nmathopencl_error")
  expect_equal(opencl_function(function(x) x + 2)(1, device = "host"), 3)
})

test_that("a folder of temporary files that is gone is made again, and a level of optimization is written whatever options(scipen = ) is", {
  found <- in_child(env = "NMATHOPENCL_CACHE=FALSE", {
    options(nmathopencl.compiler = TRUE, nmathopencl.optimize = 1, scipen = -100, warn = 2)
    f <- function(x) x * 3 + exp(-x)
    first <- opencl_function(f)(c(1, 2), device = "host")
    unlink(tempdir(), recursive = TRUE)
    g <- function(x) x * 5 - exp(-x)
    second <- opencl_function(g)(c(1, 2), device = "host")
    list(first = first - f(c(1, 2)), second = second - g(c(1, 2)), compiled = nmathopencl:::host_compiler_cpp()$compilations, left = dir(tempdir()))
  })
  expect_lt(max(abs(found$first), abs(found$second)), 1e-14)
  expect_gte(found$compiled, 2)
  expect_length(found$left, 0L)
})
