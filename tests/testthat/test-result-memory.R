# Memory that results no longer need waits for the next ones: nobody may see anything of it but the time.

skip_without_recycling <- function() {
  skip_if_not(Sys.info()[["sysname"]] == "Linux", "memory is used again on Linux")
  dnorm_opencl(0, device = "host") # takes over the option
  expect_gt(result_memory_cpp()$bound, 0)
}

test_that("where memory is not to be used again, or cannot be, results are R's own", {
  old <- options(nmathopencl.recycle = 0)
  on.exit(options(old))
  x <- runif(1e5)
  in_use <- result_memory_cpp()$in_use
  held <- dnorm_opencl(x, device = "host")
  expect_equal(held, dnorm(x), tolerance = 1e-14)
  expect_lte(result_memory_cpp()$in_use, in_use)
  expect_identical(result_memory_cpp()$waiting, 0)
})

test_that("what was given back is used again, what is held is left alone", {
  skip_without_recycling()
  x <- seq(-3, 3, length.out = 1e5)
  held <- dnorm_opencl(x, device = "host")
  copy <- held + 0
  dnorm_opencl(x, device = "host")
  gc()
  before <- result_memory_cpp()
  expect_gt(before$waiting, 8e5)
  next_one <- pnorm_opencl(x, device = "host")
  after <- result_memory_cpp()
  expect_lt(after$waiting, before$waiting)
  expect_equal(after$in_use, before$in_use + (before$waiting - after$waiting))
  for (i in 1:20) pnorm_opencl(x, i, device = "host")
  gc()
  for (i in 1:20) qnorm_opencl(pnorm(x), i, device = "host")
  expect_identical(held, copy)
  expect_equal(next_one, pnorm(x), tolerance = 1e-14)
})

test_that("these vectors are like others: changed, lengthened, saved, given attributes, sent", {
  skip_without_recycling()
  x <- matrix(seq(-3, 3, length.out = 1e5), 100, dimnames = list(NULL, paste0("c", 1:1000)))
  y <- dnorm_opencl(x, device = "host")
  expect_identical(attributes(y), attributes(x))
  z <- y
  z[1] <- 7
  expect_false(y[1] == 7)
  length(z) <- 1e5 + 3
  expect_identical(z[-(1:1)], c(as.vector(y)[-1], NA, NA, NA))
  file <- tempfile()
  saveRDS(y, file)
  expect_identical(readRDS(file), y)
  unlink(file)
  expect_identical(unserialize(serialize(y, NULL)), y)
  expect_identical(typeof(rpois_opencl(1e5, 3, device = "host")), "integer")
  fit <- f2_f3_opencl("poisson", "log", matrix(0.1, 2, 2e4), c(1, 2), diag(2), c(0, 0), diag(2), c(0, 0), c(1, 1), device = "host")
  expect_identical(dim(fit$grad), c(20000L, 2L))
})

# In a process of its own: what earlier tests hold or drop is no part of it.
test_that("R collects what is dropped, young and old, as it does with memory of its own", {
  skip_without_recycling()
  lines <- run_r(c(
    "suppressMessages(library(nmathopencl))",
    "options(nmathopencl.recycle = 5e7)",
    "x <- runif(5e5)",
    "in_use <- function() nmathopencl:::result_memory_cpp()$in_use",
    "most <- function(times) max(replicate(times, { dnorm_opencl(x, device = 'host'); in_use() }))",
    "for (i in 1:3) gc()",
    "begin <- in_use()",
    "first <- most(100) - begin",
    "many <- lapply(1:50, function(i) dnorm_opencl(x, device = 'host'))",
    "for (i in 1:3) gc()",
    "held <- in_use() - begin",
    "many <- NULL",
    "later <- most(150) - begin",
    "gc()",
    "cat(first, held, later, in_use() - begin)"
  ))
  bytes <- as.numeric(strsplit(lines[length(lines)], " ")[[1L]])
  expect_lt(bytes[1L], 2e8)
  expect_gt(bytes[2L], 50 * 4e6)
  expect_lt(bytes[3L], 2 * 50 * 5e6 + 2e8)
  expect_lt(bytes[4L], 1e7)
})

test_that("dropped results come back although R, with much memory of its own, sees no need to collect", {
  skip_without_recycling()
  lines <- run_r(c(
    "suppressMessages(library(nmathopencl))",
    "options(nmathopencl.recycle = 1e10)",
    "x <- runif(1e5)",
    "memory <- function() nmathopencl:::result_memory_cpp()$in_use",
    "dropped <- max(replicate(5000, { dnorm_opencl(x, device = 'host'); memory() }))",
    "kept <- lapply(1:300, function(i) dnorm_opencl(x, device = 'host'))",
    "held <- memory()",
    "cat(dropped < 2e9, held > 300 * 8e5, all(vapply(kept, identical, NA, kept[[1]])))"
  ), env = c("R_VSIZE=3500M", "R_NSIZE=30M"))
  expect_identical(lines, "TRUE TRUE TRUE")
})

test_that("the option bounds what waits, and 0 turns it off", {
  skip_without_recycling()
  x <- runif(2e5)
  old <- options(nmathopencl.recycle = 4e6)
  on.exit(options(old))
  many <- lapply(1:10, function(i) dnorm_opencl(x, device = "host"))
  rm(many)
  gc()
  dnorm_opencl(0, device = "host")
  expect_lte(result_memory_cpp()$waiting, 4e6)
  in_use <- result_memory_cpp()$in_use
  big <- dnorm_opencl(rep(x, 4), device = "host") # over the bound: memory of R's own
  expect_identical(result_memory_cpp()$in_use, in_use)
  options(nmathopencl.recycle = 0)
  expect_equal(dnorm_opencl(x, device = "host"), dnorm(x), tolerance = 1e-14)
  expect_identical(result_memory_cpp()$waiting, 0)
  for (bad in list("much", -1, NA_real_, c(1, 2), list(1))) {
    options(nmathopencl.recycle = bad)
    expect_error(dnorm_opencl(0, device = "host"), "nmathopencl.recycle", class = "nmathopencl_error")
  }
})

test_that("vectors outlive the package", {
  skip_without_recycling()
  seen <- in_child({
    x <- seq(-3, 3, length.out = 1e5)
    y <- dnorm_opencl(x, device = "host")
    z <- pnorm_opencl(x, device = "host")
    unloadNamespace("nmathopencl")
    good <- c(isTRUE(all.equal(y, dnorm(x))), "nmathopencl" %in% loadedNamespaces())
    rm(y)
    gc()
    good <- c(good, isTRUE(all.equal(z, pnorm(x))))
    suppressMessages(library(nmathopencl))
    good <- c(good, isTRUE(all.equal(dnorm_opencl(x, device = "host"), dnorm(x))), isTRUE(all.equal(z, pnorm(x))))
    rm(z)
    gc()
    good
  })
  expect_identical(seen, c(TRUE, FALSE, TRUE, TRUE, TRUE))
})

test_that("a forked process has its own", {
  skip_on_os("windows")
  skip_without_recycling()
  seen <- in_child({
    x <- seq(-3, 3, length.out = 1e5)
    y <- dnorm_opencl(x, device = "host")
    good <- parallel::mclapply(1:4, function(i) {
      rm(y, envir = globalenv())
      gc()
      isTRUE(all.equal(pnorm_opencl(x, i, device = "host"), pnorm(x, i)))
    }, mc.cores = 2)
    c(unlist(good), isTRUE(all.equal(y, dnorm(x))))
  })
  expect_identical(seen, rep(TRUE, 5))
})
