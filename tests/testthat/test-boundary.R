# What passes between R and C++: nothing is kept by a call that fails, and nothing is lost under R's garbage collector.

test_that("failing calls keep no memory", {
  skip_on_cran() # 10 s
  skip_if_not(file.exists("/proc/self/status"), "no size of the process to be read")
  result <- in_child({
    kilobytes <- function() {
      line <- grep("^VmRSS:", readLines("/proc/self/status"), value = TRUE)
      as.numeric(gsub("[^0-9]", "", line))
    }
    fails <- function(code) stopifnot(inherits(try(code, silent = TRUE), "try-error"))
    round <- function(k) {
      x <- k + numeric(4e5) # 3.2 MB, anew each time
      fails(rnorm_opencl(1e13, x, device = "host"))
      fails(rpois_opencl(1e13, x, device = "host"))
      fails(rmultinom_opencl(2e9, 10, x, device = "host"))
      fails(dnorm_opencl(x, device = "no such device"))
      fails(dnorm_opencl(x, "one"))
      options(nmathopencl.threads = "many")
      fails(dnorm_opencl(x, device = "host"))
      options(nmathopencl.threads = NULL)
    }
    for (k in 1:4) round(k)
    gc()
    before <- kilobytes()
    for (k in 1:34) round(k)
    gc()
    c(before = before, after = kilobytes(), value = dnorm_opencl(0, device = "host"))
  }, timeout = 120)
  expect_lt(result[["after"]] - result[["before"]], 40e3) # what one of the six kept would be 109 MB
  expect_equal(result[["value"]], dnorm(0))
})

test_that("the boundary holds when R collects garbage at every allocation", {
  skip_on_cran() # 9 s
  seed <- c(1, 2)
  x <- 1:3
  handle <- function(x) resident_make_cpp(x, "host", TRUE)$handle
  calls <- list(
    function() elementwise_cpp("dnorm", list(structure(c(0, 1), names = c("a", "b")), x, 1), 0L, "host", NULL)$value,
    function() elementwise_cpp("dpois", list(c(0.5, 1), 2), 0L, "host", NULL)$warnings,
    function() elementwise_cpp("dnorm", list(1, 0, 1), 0L, "no such device", NULL)$error$message,
    function() elementwise_cpp("pgamma", list(runif(1e5), 2, 1), c(1L, 0L), "host", function(...) "told")$report$elements,
    function() random_cpp("rpois", 4, list(3), seed, "host", NULL),
    function() random_cpp("rnorm", 4, list(0, 1), seed, "host", NULL)$value,
    function() multinomial_cpp("rmultinom", 2, 5, c(0.2, 0.8), seed, "host", NULL)$value,
    function() f2_f3_cpp("poisson", "log", 0.5, 1, 1, 0, 1, 0, 1, c(1L, 1L, 1L), "host")$value,
    function() f2_f3_cpp("poisson", "log", handle(0.5), handle(1), 1, 0, 1, handle(0), 1, c(1L, 1L, 1L), "host")$value,
    function() resident_fetch_cpp(handle(c(1, 2, 3)), 1, 2)$value,
    function() fused_groups_cpp(handle(c(2L, 1L, 2L)), 0, 8)[c("group", "counts")],
    function() devices_cpp(FALSE, ""),
    function() device_info_cpp(FALSE),
    function() loader_program_cpp("src/dnorm_kernel.cl", "nmathopencl", "all_depends_nmath"),
    function() loader_manifest_cpp("program_preload_manifest.tsv", "nmathopencl"),
    function() try(loader_source_cpp("no such file", "nmathopencl"), silent = TRUE)[1],
    function() sub("available.*", "", random_cpp("rnorm", 1e13, list(0, 1), seed, "host", NULL)$error$message) # what is left changes
  )
  free_of_times <- function(value) {
    if (is.list(value) && !is.null(value$report)) value$report <- NULL
    value
  }
  for (call in calls) {
    set.seed(1)
    calm <- free_of_times(call())
    set.seed(1)
    gctorture(TRUE)
    value <- try(call(), silent = TRUE)
    gctorture(FALSE)
    expect_identical(free_of_times(value), calm)
  }
})

test_that("what is not a number of programs is an error that says so", {
  program <- "__kernel void one(__global const double* x, __global double* out, const int len) { out[0] = 1.0; }"
  old <- options(nmathopencl.programs = 0)
  on.exit(options(old))
  for (device in opencl_test_devices()) {
    expect_error(
      run_opencl_kernel(program, "one", list(1), device = device), "nmathopencl.programs = ) must be one whole number"
    )
  }
})

test_that("a warning that is an error leaves everything right", {
  old <- options(warn = 2)
  on.exit(options(old))
  for (device in test_devices()) {
    expect_error(dpois_opencl(0.5, 2, device = device), "converted from warning")
    expect_error(rnorm_opencl(2, 0, -1, device = device), "converted from warning")
    expect_equal(dpois_opencl(1, 2, device = device), dpois(1, 2), tolerance = 1e-14)
  }
})
