# Results count against R's memory limit, are refused where the machine would swap, and cost no long collections.

on_linux <- function() skip_if_not(Sys.info()[["sysname"]] == "Linux", "limits and recycling are those of Linux")

test_that("results count against R_MAX_VSIZE as vectors of R's own do", {
  on_linux()
  skip_if_not(exists("mem.maxVSize", baseenv()))
  lines <- run_r(c(
    "suppressMessages(library(nmathopencl))",
    "x <- runif(5e6)",
    "hold <- function(make) { all <- list(); tryCatch(for (i in 1:40) all[[i]] <- make(), error = identity); length(all) }",
    "own <- hold(function() x + 1)",
    "ours <- hold(function() dnorm_opencl(x, device = 'host'))",
    "draws <- hold(function() rnorm_opencl(5e6, device = 'host'))",
    "free <- mem.maxVSize(Inf)",
    "more <- hold(function() dnorm_opencl(x, device = 'host'))",
    "cat(own < 20, ours == own, draws == own, more == 40, nmathopencl:::result_memory_cpp()$in_use > 1e9)"
  ), env = "R_MAX_VSIZE=600M")
  expect_identical(lines, "TRUE TRUE TRUE TRUE TRUE")
})

test_that("a limit set in the session holds from the next result on", {
  on_linux()
  skip_if_not(exists("mem.maxVSize", baseenv()))
  lines <- run_r(c(
    "suppressMessages(library(nmathopencl))",
    "x <- runif(5e6); y <- dnorm_opencl(x, device = 'host')",
    "before <- nmathopencl:::result_memory_cpp()$in_use > 0",
    "mem.maxVSize(500)",
    "all <- list()",
    "e <- tryCatch(for (i in 1:40) all[[i]] <- pnorm_opencl(x, device = 'host'), error = identity)",
    "n <- length(all); all <- all[1]; mem.maxVSize(Inf)",
    "cat(before, inherits(e, 'error'), n < 12, max(abs(all[[1]] - pnorm(x))) < 1e-15)"
  ))
  expect_identical(lines[length(lines)], "TRUE TRUE TRUE TRUE")
})

test_that("a result larger than the available memory is refused before anything is computed", {
  on_linux()
  old <- options(nmathopencl.available = 2e8)
  on.exit(options(old))
  refused <- "result of 0.[34] GB is larger than the memory that is available, 0.2 GB.*compute it in parts"
  seconds <- system.time({
    expect_error(rcauchy_opencl(5e7, device = "host"), refused, class = "nmathopencl_error")
    expect_error(rnorm_opencl(4e7, device = "host"), refused, class = "nmathopencl_error")
  })[["elapsed"]]
  expect_lt(seconds, 20)
  expect_length(rnorm_opencl(1e6, device = "host"), 1e6)
  options(nmathopencl.available = Inf)
  expect_length(rexp_opencl(4e7, device = "host"), 4e7)
  options(nmathopencl.available = "all")
  expect_error(rexp_opencl(4e7, device = "host"), "nmathopencl.available", class = "nmathopencl_error")
  options(nmathopencl.available = NULL)
  expect_error(rcauchy_opencl(2e12, device = "host"), "larger than the memory that is available", class = "nmathopencl_error")
})

test_that("calls wait for no more whole collections of a large heap than R makes by itself", {
  on_linux()
  lines <- run_r(c(
    "suppressMessages(library(nmathopencl))",
    "heap <- lapply(1:2e6, function(i) c(i, i))",
    "collecting <- function(call) { before <- gc.time()[[3]]; call; gc.time()[[3]] - before }",
    "invisible(collecting(gc())); whole <- collecting(gc())",
    "options(nmathopencl.recycle = 2e8)",
    "x <- runif(5e6)",
    "waits <- function(call) sum(replicate(20, collecting(y <<- call(x))) > 0.7 * whole)",
    "theirs <- waits(dnorm)",
    "ours <- waits(function(x) dnorm_opencl(x, device = 'host'))",
    "held <- nmathopencl:::result_memory_cpp()$in_use",
    "cat(whole > 0.05, ours <= 2 * theirs + 2, held < 1e9, max(abs(y - dnorm(x))) < 1e-15)"
  ))
  expect_identical(lines, "TRUE TRUE TRUE TRUE")
})
