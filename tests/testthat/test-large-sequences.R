# Sequences that R has not expanded: in pieces, where they are large (256 MiB), and only where there is memory for them.
skip_on_cran() # a gigabyte
skip_if_not(isTRUE(.Machine$sizeof.pointer == 8L))

enough_memory <- function(gigabytes) {
  info <- tryCatch(readLines("/proc/meminfo"), error = function(e) character(), warning = function(e) character())
  free <- as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep("^MemAvailable", info, value = TRUE)))
  length(free) == 1L && free * 1024 > gigabytes * 1e9
}

test_that("values are those of a short sequence, pieces end anywhere, and the argument stays what it was", {
  skip_if_not(enough_memory(3))
  n <- 7e7 + 3
  x <- seq_len(n)
  at <- c(1, 2, 2^22, 2^22 + 1, 2^22 + 2, 2^25 + 1, n - 1, n)
  y <- pnorm_opencl(x, 4e7, 1e7, device = "host")
  expect_length(y, n)
  expect_equal(y[at], pnorm(at, 4e7, 1e7), tolerance = 1e-12)
  rm(y)
  twice <- opencl_function(function(x) x * 2 + 1)
  z <- twice(x, device = "host")
  expect_identical(z[at], at * 2 + 1)
  expect_identical(x[at], as.integer(at))
})

test_that("what there is no memory for is an error at once", {
  before <- options(nmathopencl.available = 1e9)
  on.exit(options(before))
  seconds <- system.time({
    expect_error(dpois_opencl(1:800000000, 3, device = "host"), "larger than the memory", class = "nmathopencl_error")
    twice <- opencl_function(function(x) x * 2 + 1)
    options(nmathopencl.available = 3e9)
    expect_error(twice(1:800000000, device = "host"), "an argument of 3.2 GB is larger than the memory", class = "nmathopencl_error")
  })[["elapsed"]]
  expect_lt(seconds, 5)
})

# A machine that is short of pages may stop the whole process for seconds, so the limit is half of a call's own time where that
# is above a second, and there are five attempts. What does not look for interrupts is late by half of a call on average.
test_that("an interrupt is answered while a sequence is expanded", {
  skip_on_os("windows")
  skip_if_not(enough_memory(4))
  result <- in_child({
    options(nmathopencl.available = Inf)
    twice <- opencl_function(function(x) x * 2 + 1)
    first <- twice(c(1, 2), device = "host")
    limit <- max(1, system.time(twice(1:200000000, device = "host"))[["elapsed"]] / 2)
    for (attempt in 1:5) {
      system(sprintf("(sleep 0.5; kill -INT %d) &", Sys.getpid()))
      begin <- proc.time()[["elapsed"]]
      how <- tryCatch(repeat twice(1:200000000, device = "host"), interrupt = function(e) "interrupt", error = conditionMessage)
      late <- proc.time()[["elapsed"]] - begin - 0.5
      if (how != "interrupt" || late < limit) break
    }
    list(how = how, late = late, limit = limit, again = twice(3, device = "host"))
  })
  expect_identical(result$how, "interrupt")
  expect_lt(result$late, result$limit)
  expect_identical(result$again, 7)
})

test_that("numbers that the function makes are counted with 64 bits where there are so many", {
  skip_if_not(identical(Sys.getenv("NOT_CRAN"), "true"))
  skip_without_compiler()
  beyond <- opencl_function(function(n) sum((seq_len(n) > 4294967296) * 1))
  expect_identical(beyond(4294967296 + 20, device = "host"), 20)
})
