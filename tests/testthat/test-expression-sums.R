# Sums of expressions: their error, the same bits on every run, and no vector of the terms.

# Terms (high * 2^26 + low) * 2^-30 of random signs: sums of `high` and `low` are exact, and so is that of the terms.
exact_terms <- function(n) {
  high <- sample(c(-1, 1), n, TRUE) * floor(stats::runif(n, 0, 2^27))
  low <- floor(stats::runif(n, 0, 2^26))
  list(x = (high * 2^26 + low) * 2^-30, sum = sum(high) * 2^-4 + sum(low) * 2^-30)
}

test_that("sums of many terms lose nothing, and are the same bits with any number of threads", {
  skip_on_cran() # a matter of seconds
  set.seed(9)
  terms <- exact_terms(1e7)
  x <- terms$x
  sum_of <- opencl_function(function(x, s) x * s, reduce = "sum")
  for (device in compiling_devices()) {
    ours <- sum_of(x, 1, device = device)
    expect_ran_on(device)
    expect_lt(abs(ours - terms$sum), 1e-14 * sum(abs(x)))
    expect_lt(abs(ours - terms$sum), 1e-15 * abs(terms$sum) + 1e-20 * sum(abs(x))) # compensated: the order does not matter
    for (threads in c(1L, 2L, 5L)) expect_identical(withr_threads(threads, sum_of(x, 1, device = device)), ours)
    resident <- opencl_vector(x, device = device)
    expect_identical(sum_of(resident, 1), ours)
    opencl_free(resident)
  }
})

test_that("sums by group and means keep their bits too", {
  set.seed(10)
  x <- stats::rgamma(2e5, 2)
  g <- factor(sample(letters, 2e5, TRUE))
  sum_of <- opencl_function(function(x) log(x), reduce = "sum")
  mean_of <- opencl_function(function(x) log(x), reduce = "mean")
  for (device in compiling_devices()) {
    groups <- sum_of(x, by = g, device = device)
    expect_equal(groups, c(tapply(log(x), g, sum)), tolerance = 1e-14)
    expect_equal(mean_of(x, device = device), mean(log(x)), tolerance = 1e-15)
    for (threads in c(1L, 3L)) expect_identical(withr_threads(threads, sum_of(x, by = g, device = device)), groups)
  }
})

test_that("infinite and missing terms are summed as in R", {
  sum_of <- opencl_function(function(x) x, reduce = "sum")
  kept <- opencl_function(function(x) x, reduce = "sum", na.rm = TRUE)
  long <- rep(1, 5000)
  for (device in expression_devices()) {
    for (x in list(c(Inf, 1), c(Inf, -Inf), c(-Inf, 2), c(NaN, 1), c(NA, Inf), c(1e308, 1e308), numeric(), c(Inf, long, -Inf),
                   c(NaN, Inf), c(long, NA, long), rep(c(1e308, -1e307), 5), rep(5e-324, 1000))) {
      expect_identical(sum_of(x, device = device), sum(x))
      expect_identical(kept(x, device = device), sum(x, na.rm = TRUE))
    }
  }
})

# Of the process, in bytes.
peak_memory <- function() {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}

test_that("a sum makes no vector of its terms", {
  skip_without_compiler()
  skip_if_not(file.exists("/proc/self/clear_refs"))
  skip_if_not(tryCatch({
    writeLines("5", "/proc/self/clear_refs") # the peak starts anew
    TRUE
  }, error = function(e) FALSE, warning = function(w) FALSE))
  x <- stats::runif(1e7)
  sum_of <- opencl_function(function(x, m) dnorm(x, m, log = TRUE) + exp(-x), reduce = "sum")
  sum_of(x, 0.5, device = "host")
  gc(FALSE, reset = TRUE)
  writeLines("5", "/proc/self/clear_refs")
  before <- c(peak_memory(), gc(FALSE)[2L, 6L])
  value <- sum_of(x, 0.25, device = "host")
  after <- c(peak_memory(), gc(FALSE)[2L, 6L])
  expect_lt(after[1L] - before[1L], 16e6) # its terms take 80e6
  expect_lt(after[2L] - before[2L], 8) # megabytes of R's vectors
  expect_equal(value, sum(stats::dnorm(x, 0.25, log = TRUE) + exp(-x)), tolerance = 1e-13)
})
