# Programs from their text on the host device: what R's C compiler makes of them is what OpenCL devices compute; where there is
# no compiler, or none may be used, the error says why.

kernel_k <- function(value, before = "") {
  paste0(
    before, "__kernel void k(__global const double* x, __global double* out, const int len)\n",
    "{ int i = get_global_id(0); if (i < len) out[i] = ", value, "; }"
  )
}

run_on <- function(device, text, ...) run_opencl_kernel(text, "k", list(...), device = device)

test_that("the host computes what OpenCL devices compute", {
  skip_without_compiler()
  x <- c(0.01, 0.5, 1, 2.5, 30)
  calls <- c(
    "dgamma(x[i], 2.0, 1.5, 1)" = function(x) dgamma(x, 2, scale = 1.5, log = TRUE),
    "pnorm(x[i], 1.0, 2.0, 1, 1) + qgamma(0.3, x[i], 1.0, 1, 0)" =
      function(x) pnorm(x, 1, 2, log.p = TRUE) + qgamma(0.3, x),
    "lgammafn(x[i]) + bessel_k(x[i], 1.5, 1.0)" = function(x) lgamma(x) + besselK(x, 1.5),
    "clamp(mad(x[i], 2.0, 1.0), 0.0, 9.0)" = function(x) pmin(2 * x + 1, 9)
  )
  for (device in compiling_devices()) for (call in names(calls)) {
    expect_equal(run_on(device, kernel_k(call), x), calls[[call]](x), tolerance = 1e-12, info = paste(device, call))
    expect_ran_on(device)
  }
})

test_that("a text is compiled once, kept on disk, and not taken from a stranger", {
  skip_without_compiler()
  folder <- tempfile("cache")
  old <- options(nmathopencl.cache = folder)
  on.exit({
    options(old)
    unlink(folder, recursive = TRUE)
  })
  text <- kernel_k("x[i] + 41.5")
  before <- compilations()
  expect_identical(run_on("host", text, 1), 42.5)
  expect_identical(last_run()$built, 1L)
  expect_identical(run_on("host", text, 2), 43.5)
  expect_identical(last_run()[c("built", "cache_hits", "disk_hits")], list(built = 0L, cache_hits = 1L, disk_hits = 0L))
  expect_identical(compilations() - before, 1L)
  again <- function() {
    eval(substitute(in_child({
      options(nmathopencl.cache = FOLDER, nmathopencl.compiler = TRUE)
      begin <- proc.time()[["elapsed"]]
      value <- run_opencl_kernel(TEXT, "k", list(1), device = "host")
      list(value = value, run = last_run(), compilations = nmathopencl:::host_compiler_cpp()$compilations)
    }), list(FOLDER = folder, TEXT = text)))
  }
  second <- again()
  expect_identical(second$value, 42.5)
  expect_identical(second$run$disk_hits, 1L)
  expect_identical(second$compilations, 0L)
  # One bit of it changed, it is compiled again.
  entry <- list.files(folder, "\\.program$", full.names = TRUE)
  bytes <- readBin(entry, "raw", file.size(entry))
  at <- length(bytes) %/% 2L
  bytes[at] <- xor(bytes[at], as.raw(1))
  writeBin(bytes, entry)
  third <- again()
  expect_identical(third$value, 42.5)
  expect_identical(third$compilations, 1L)
})

test_that("where no compiler may be used the error says why", {
  skip_on_cran() # other processes
  text <- kernel_k("x[i] + 1")
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  expect_error(run_on("host", text, 1), "nmathopencl.compiler = FALSE", class = "nmathopencl_error")
  options(old)
  reason <- function(...) {
    in_child(
      tryCatch(run_opencl_kernel("__kernel void k(__global double* out, const int len) { }", "k", list(1), device = "host"),
        nmathopencl_error = conditionMessage),
      env = c(...)
    )
  }
  expect_match(reason("_R_CHECK_PACKAGE_NAME_=some"), "while a package is checked")
  expect_match(reason("R_PACKAGE_NAME=some"), "while a package is installed")
  expect_match(reason("PATH=/nowhere"), "cannot compile|takes 2 arguments|no C compiler")
})

test_that("the level of optimization is the option's: another one compiles anew, and the values stay", {
  skip_without_compiler()
  old <- options(nmathopencl.optimize = NULL)
  on.exit(options(old))
  x <- c(0.3, 2, 7)
  text <- kernel_k("dgamma(x[i], 3.25, 1.0, 0)")
  known <- run_on("host", text, x)
  expect_equal(known, dgamma(x, 3.25), tolerance = 1e-14)
  flags <- function() strsplit(strsplit(nmathopencl:::host_compiler_setting(), "\n", fixed = TRUE)[[1]][3], "\t", fixed = TRUE)[[1]]
  plain <- flags()
  expect_false(any(startsWith(plain, "-O")))
  for (level in c(0, 1, 2)) {
    options(nmathopencl.optimize = level)
    expect_identical(flags(), c(plain, paste0("-O", level)))
    in_new_text <- paste0(text, " // ", level)
    expect_identical(run_on("host", in_new_text, x), known)
  }
  for (wrong in list(4, -1, 1.5, "2", NA, c(1, 2), Inf)) {
    options(nmathopencl.optimize = wrong)
    expect_error(run_on("host", paste0(text, " // wrong ", deparse1(wrong)), x), "nmathopencl.optimize = ) must be 0, 1, 2 or 3", fixed = TRUE)
  }
})

test_that("long kernels are optimized less: the compiler takes several times as long, and they run no faster", {
  skip_without_compiler()
  skip_on_os("windows") # a compiler that is a script
  old <- options(nmathopencl.optimize = NULL)
  on.exit(options(old))
  nmathopencl:::host_compiler_setting()
  found <- nmathopencl:::host_compiler_found
  usual <- found$text
  on.exit(found$text <- usual, add = TRUE)
  reported <- tempfile()
  script <- tempfile("cc")
  lines <- strsplit(usual, "\n", fixed = TRUE)[[1L]]
  writeLines(c("#!/bin/sh", sprintf("echo \"$@\" >> '%s'", reported), sprintf("exec %s \"$@\"", gsub("\t", " ", lines[2L]))), script)
  Sys.chmod(script, "0755")
  found$text <- paste(replace(lines, 2L, script), collapse = "\n")
  levels <- function(text, x) {
    unlink(reported)
    expect_equal(run_on("host", text, x), x * 2 + 1)
    words <- unlist(strsplit(readLines(reported), " ", fixed = TRUE))
    unique(words[startsWith(words, "-O")])
  }
  mark <- paste("//", basename(reported)) # a text of its own
  x <- c(0.5, 2)
  expect_identical(levels(paste0(kernel_k("x[i] * 2.0 + 1.0"), mark), x), "-O3")
  helper <- paste0("double first(double x) { return ", strrep("1.0 * (", 3000), "x", strrep(")", 3000), "; }\n") # of no kernel
  expect_identical(levels(paste0(helper, kernel_k("x[i] * 2.0 + 1.0"), mark), x), "-O3")
  expect_identical(levels(paste0(kernel_k(paste0("x[i] * 2.0", strrep("\n        + 0.5 - 0.5", 3000), " + 1.0")), mark), x), "-O2")
  options(nmathopencl.optimize = 1)
  expect_identical(levels(paste0(kernel_k(paste0("x[i] * 2.0", strrep("\n        + 0.5 - 0.5", 3000), " + 1.0")), mark, " 1"), x), "-O1")
})

test_that("settings are read as make reads them", {
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(c(
    "CC = ccache $(BIN)gcc -std=gnu99 # the compiler", "BIN = /usr/bin/", "CFLAGS = -g -O3 -Wall \\", "  -mtune=generic $(LTO)",
    "SHLIB_LDFLAGS = -shared# $(CFLAGS)", "LDFLAGS = -L\"/a b/lib\" -Wl,-z,relro"
  ), file)
  vars <- nmathopencl:::make_variables(file)
  words <- function(name) nmathopencl:::shell_words(nmathopencl:::make_value(name, vars))
  expect_identical(words("CC"), c("ccache", "/usr/bin/gcc", "-std=gnu99"))
  expect_identical(nmathopencl:::plain_flags(words("CFLAGS")), "-mtune=generic")
  expect_identical(words("SHLIB_LDFLAGS"), "-shared")
  expect_identical(nmathopencl:::plain_flags(words("LDFLAGS")), c("-L/a b/lib", "-Wl,-z,relro"))
})

test_that("what C cannot have is said, with the line of the user's text", {
  skip_without_compiler()
  refuse <- function(text, message) expect_error(run_on("host", text, 1), message, class = "nmathopencl_error")
  refuse(kernel_k("x[i] +\n foo"), "your program:3")
  refuse(kernel_k("((double2)(x[i], 1.0)).x"), "no vector types: 'double2' at your program:2")
  refuse("__kernel void k(read_only image2d_t x, __global double* out, const int len) { }", "images")
  refuse(
    "struct s { int a; };\n__kernel void k(__global struct s* x, __global double* out, const int len) { }", "no value for"
  )
})

test_that("an endless kernel on the host costs threads, not the device", {
  skip_without_compiler()
  skip_on_os("windows")
  result <- in_child({
    options(nmathopencl.compiler = TRUE, nmathopencl.threads = 1)
    endless <- "__kernel void k(__global const double* x, __global double* out, const int len)
      { volatile __global double* o = out; o[0] = 0.0; do o[0] = o[0] + 1.0; while (x[0] < 0.0); }"
    run <- function(x) run_opencl_kernel(endless, "k", list(x), device = "host")
    first <- run(1)
    system(sprintf("(sleep 1; kill -INT %d) &", Sys.getpid()))
    begin <- proc.time()[["elapsed"]]
    error <- tryCatch(run(-1), nmathopencl_error = identity, interrupt = identity)
    late <- proc.time()[["elapsed"]] - begin - 1
    list(first = first, error = error, late = late, after = run(2), host = dnorm_opencl(0, device = "host"))
  })
  expect_identical(result$first, 1)
  expect_s3_class(result$error, "nmathopencl_error")
  expect_match(conditionMessage(result$error), "does not end; it keeps threads")
  expect_lt(result$late, 2)
  expect_identical(result$after, 1)
  expect_equal(result$host, dnorm(0))
})

test_that("temporary folders with spaces, and programs without a cache", {
  skip_without_compiler()
  parent <- tempfile("a folder of 'mine' ")
  dir.create(parent)
  on.exit(unlink(parent, recursive = TRUE))
  value <- in_child({
    options(nmathopencl.compiler = TRUE, nmathopencl.cache = FALSE)
    text <- "__kernel void k(__global const double* x, __global double* out, const int len)
      { int i = get_global_id(0); if (i < len) out[i] = x[i] + 6; }"
    value <- run_opencl_kernel(text, "k", list(1), device = "host")
    c(value, length(list.files(tempdir(), "^nmath-")))
  }, env = paste0("TMPDIR=", shQuote(parent)))
  expect_identical(value, c(7, 0))
})
