# Long calls tell how far they are; short ones and non-interactive ones do not.

test_that("a bar is made only where it is wanted, and only after some time", {
  expect_null(call_progress("f", environment(), show = FALSE))
  shown <- NULL
  frame <- function() {
    tell <- call_progress("f", environment(), show = TRUE, after = 2)
    tell(1, 10, 0.5)
    before <- environment(tell)$bar
    tell(2, 10, 2.5)
    tell(9, 10, 3)
    shown <<- list(before = before, after = environment(tell)$bar)
  }
  suppressMessages(capture.output(frame(), type = "message"))
  expect_null(shown$before)
  expect_false(is.null(shown$after))
})

test_that("a call that waits two seconds for a compiler says so, once, where bars are shown", {
  skip_on_cran()
  skip_without_compiler()
  skip_on_os("windows") # a compiler that is a script
  nmathopencl:::host_compiler_setting()
  found <- nmathopencl:::host_compiler_found
  usual <- found$text
  on.exit(found$text <- usual)
  script <- tempfile("cc")
  lines <- strsplit(usual, "\n", fixed = TRUE)[[1L]]
  writeLines(c("#!/bin/sh", "sleep 3", sprintf("exec %s \"$@\"", gsub("\t", " ", lines[2L]))), script)
  Sys.chmod(script, "0755")
  found$text <- paste(replace(lines, 2L, script), collapse = "\n")
  run <- function(shown, text) {
    told <- character()
    withr_options(list(nmathopencl.progress = shown), environment())
    withCallingHandlers(
      value <- opencl_function("x, a", text = text)(1:3 / 2, basename(script) != "", device = "host"),
      message = function(m) {
        told <<- c(told, conditionMessage(m))
        invokeRestart("muffleMessage")
      }
    )
    expect_identical(value, 1:3 / 2 + 1)
    told
  }
  own <- as.integer(Sys.time()) # a text of this run
  Sys.sleep(1.1) # a wait within a second of the last one is the same wait, of which a call before this test may have been told
  told <- run(TRUE, sprintf("x + a + %d.0 - %d.0", own, own))
  expect_length(told, 1L)
  expect_match(told, "compiling programs for this call")
  expect_length(run(TRUE, sprintf("x + a + %d.0 - %d.0", own, own)), 0L) # it is there
  expect_length(run(FALSE, sprintf("x + a + %d.5 - %d.5", own, own)), 0L)
})

test_that("the core reports progress on R's thread, and a failing report stops nothing", {
  n <- 2e6 # a second of work for one thread
  q <- rep_len(seq(0.001, 0.999, length.out = 997), n)
  threads <- options(nmathopencl.threads = 1)
  on.exit(options(threads))
  for (device in test_devices()) {
    seen <- list()
    result <- elementwise_cpp("qbeta", list(q, 2.5, 3.5), c(1L, 0L), resolve_device(device), function(done, total, seconds) {
      seen[[length(seen) + 1]] <<- c(done, total, seconds)
      stop("a report that fails")
    })
    expect_length(result$value, n)
    expect_identical(result$value[1:997], result$value[998:1994])
    if (device == "0") expect_gte(length(seen), 1)
    for (report in seen) {
      expect_lte(report[1], report[2])
      expect_identical(report[2], n)
      expect_gt(report[3], 0)
    }
  }
})

test_that("integers and logicals reach every device as they are", {
  n <- 70001 # several blocks of the host device
  x <- rep_len(c(0L, 1L, NA, 5L, -3L, 2L, .Machine$integer.max), n)
  for (device in test_devices()) {
    expect_identical(dpois_opencl(x, 2L, device = device), dpois_opencl(as.double(x), 2, device = device))
    expect_identical(
      pbinom_opencl(x, c(7L, NA, 9L), TRUE, device = device),
      pbinom_opencl(as.double(x), c(7, NA, 9), 1, device = device)
    )
    flags <- rep_len(c(TRUE, FALSE, NA), n)
    expect_identical(dnorm_opencl(flags, flags, 1L, device = device), dnorm_opencl(flags + 0, flags + 0, 1, device = device))
    expect_true(all(is.na(dnorm_opencl(flags, device = device)[flags %in% NA])))
  }
})
