# Arguments that are no numbers, flags that are no vectors, texts with byte order marks, logs with zero bytes, options
# without their names: R's answer, or an error of this package, and never a crash.

test_that("flags that are no vectors are errors, others are read as R reads them", {
  wrong <- list(
    sum, quote(x), function(x) x, globalenv(), list(TRUE), list(FALSE), y ~ x, quote(a + b), expression(TRUE), as.raw(1)
  )
  for (flag in wrong) {
    expect_error(pnorm_opencl(1, lower.tail = flag, device = "host"), "must be TRUE or FALSE", class = "nmathopencl_error")
    expect_error(qgamma_opencl(0.5, 2, log.p = flag, device = "host"), "must be TRUE or FALSE", class = "nmathopencl_error")
    expect_error(dnorm_opencl(1, log = flag, device = "host"), "must be TRUE or FALSE", class = "nmathopencl_error")
  }
  for (wrong in list(sum, globalenv(), list(TRUE), quote(x), y ~ x)) {
    expect_error(besselI_opencl(1, 1, wrong, device = "host"), "`expon.scaled` must be", class = "nmathopencl_error")
  }
  for (flag in list(TRUE, FALSE, NA, 0, 2L, "TRUE", "no", NULL, logical(0), c(FALSE, TRUE), factor("a"), matrix(FALSE))) {
    expect_equal(
      suppressWarnings(pnorm_opencl(1, lower.tail = flag, device = "host")), suppressWarnings(pnorm(1, lower.tail = flag)),
      tolerance = 1e-15
    )
    if (!is.factor(flag)) {
      expect_equal(
        suppressWarnings(besselK_opencl(1.5, 1, flag, device = "host")), suppressWarnings(besselK(1.5, 1, flag)),
        tolerance = 1e-14
      )
    }
  }
})

test_that("expon.scaled gives the result no attributes", {
  for (x in list(1, 1:4, matrix(1:4, 2), c(a = 1, b = 2), numeric(0))) {
    for (nu in list(1, c(1, 2), matrix(c(0.5, 1), 1))) {
      for (e in list(
        matrix(TRUE, 2, 2), matrix(c(1, 0), 1), c(a = TRUE, b = FALSE), structure(TRUE, foo = "x"), ts(c(TRUE, FALSE)),
        array(1, 4), 2, logical(0), matrix(TRUE, 1, 1)
      )) {
        expect_equal(besselI_opencl(x, nu, e, device = "host"), besselI(x, nu, e), tolerance = 1e-13)
        expect_equal(besselK_opencl(x, nu, e, device = "host"), besselK(x, nu, e), tolerance = 1e-13)
      }
    }
  }
})

test_that("dates, times and factors are refused where base refuses them", {
  odd <- list(Sys.time(), Sys.Date(), as.difftime(1, units = "secs"), as.POSIXlt(Sys.time()), factor(1))
  pairs <- list(
    list(gamma_opencl, gamma), list(lgamma_opencl, lgamma), list(digamma_opencl, digamma), list(trigamma_opencl, trigamma),
    list(factorial_opencl, factorial), list(lfactorial_opencl, lfactorial),
    list(function(x) beta_opencl(x, 2), function(x) beta(x, 2)),
    list(function(x) choose_opencl(x, 2), function(x) choose(x, 2))
  )
  old <- options(nmathopencl.device = "host")
  on.exit(options(old))
  for (x in odd) {
    for (pair in pairs) {
      ask <- function(f) tryCatch(suppressWarnings(f(x)), error = identity)
      theirs <- ask(pair[[2]])
      ours <- ask(pair[[1]])
      if (inherits(theirs, "error") || is.factor(x)) { # of some functions base makes NA of a factor
        expect_s3_class(ours, "nmathopencl_error")
      } else {
        expect_equal(ours, theirs, tolerance = 1e-12)
      }
    }
  }
  expect_error(gamma_opencl(Sys.time(), device = "host"), "not defined for \"POSIXt\" objects")
  expect_equal(gamma_opencl(structure(2.5, class = "own"), device = "host"), structure(gamma(2.5), class = "own"))
})

test_that("byte order marks before a text or a file are no part of it", {
  mark <- "\ufeff"
  kernel <- paste(
    "__kernel void twice(__global const double* x, __global double* y, const int len)",
    "{ int i = get_global_id(0); if (i < len) y[i] = 2 * x[i]; }"
  )
  devices <- all_compiling_devices()
  twice <- function(program, device) run_opencl_kernel(program, "twice", list(c(1, 2, 3)), device = device)
  for (device in devices) {
    for (text in c(paste0(mark, kernel), paste0("\n", mark, kernel, "\n", mark), paste0(mark, mark, kernel))) {
      given <- enc2utf8(text)
      expect_identical(twice(given, device), c(2, 4, 6))
      bundle <- bundle_build(kernel_bundle(given, device))
      expect_s3_class(bundle, "nmathopencl_bundle")
    }
  }
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  path <- file.path(folder, "twice.cl")
  writeBin(c(as.raw(c(0xEF, 0xBB, 0xBF)), charToRaw(paste0("// @depends_nmath: dnorm\n", kernel, "\n"))), path)
  program <- opencl_program(path, package = NULL)
  expect_false(grepl(mark, program, fixed = TRUE, useBytes = TRUE))
  expect_true(grepl("dnorm", program, fixed = TRUE))
  for (device in devices) expect_identical(twice(program, device), c(2, 4, 6))
})

test_that("options whose name is missing are refused before a driver sees them", {
  kernel <- "__kernel void one(__global double* y) { y[get_global_id(0)] = 1; }"
  for (device in all_compiling_devices()) {
    for (options in c("-D", "-D ", " -D\t", "-I", "-U", "-DA= -D", "-D -DA", "-I\n", "-cl-mad-enable -U")) {
      expect_error(kernel_bundle(kernel, device, options), "has no name behind it", class = "nmathopencl_error")
    }
    for (options in c("-DA", "-D A", "-D A=1 -DB=2", "")) {
      expect_s3_class(bundle_build(kernel_bundle(kernel, device, options)), "nmathopencl_bundle")
    }
  }
})

test_that("sources of several MB are built, or refused by an error", {
  kernel <- "__kernel void one(__global double* y) { y[get_global_id(0)] = 1; }"
  large <- c(
    comments = paste0(strrep("// a line of text that says nothing\n", 1e5), kernel),
    line = paste0("/*", strrep("x", 4e6), "*/ ", kernel),
    blanks = paste0(strrep(" ", 4e6), kernel)
  )
  for (device in all_compiling_devices()) {
    for (text in large) {
      seconds <- system.time(bundle <- tryCatch(bundle_build(kernel_bundle(text, device)), error = identity))[["elapsed"]]
      expect_true(inherits(bundle, "nmathopencl_bundle") || inherits(bundle, "nmathopencl_error"))
      expect_lt(seconds, 30)
    }
  }
})
