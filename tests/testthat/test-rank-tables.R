# The host keeps tables of the rank statistics for sizes that come again (inst/cl/nmath/ranktable.cl).

shuffled_sizes <- function(sizes, each) {
  rows <- sizes[rep(seq_len(nrow(sizes)), each = each), ]
  rows$x <- floor(rows$m * rows$n * stats::runif(nrow(rows)))
  rows[sample(nrow(rows)), ]
}

# One call with the sizes as they come, against one call per size: bit for bit.
expect_same_by_size <- function(rows, f) {
  together <- f(rows$x, rows$m, rows$n)
  apart <- together + NA
  for (at in split(seq_len(nrow(rows)), list(rows$m, rows$n), drop = TRUE)) {
    apart[at] <- f(rows$x[at], rows$m[at[1]], rows$n[at[1]])
  }
  expect_false(anyNA(together))
  expect_identical(together, apart)
}

test_that("values of the rank statistics do not depend on what was computed before", {
  set.seed(1)
  # counts up to 2^53 and beyond, few parts, counts by parts, a series, tops next to the largest table's
  sizes <- data.frame(m = c(1, 3, 5, 8, 9, 12, 20, 28, 30, 45, 50, 64, 60, 80),
                      n = c(7, 9, 5, 60, 11, 10, 21, 28, 31, 45, 50, 64, 68, 52))
  rows <- shuffled_sizes(sizes, 60)
  for (log in c(FALSE, TRUE)) {
    expect_same_by_size(rows, function(x, m, n) dwilcox_opencl(x, m, n, log = log, device = "host"))
    expect_same_by_size(rows, function(x, m, n) pwilcox_opencl(x, m, n, lower.tail = FALSE, log.p = log, device = "host"))
  }
  expect_same_by_size(rows, function(x, m, n) qwilcox_opencl((x + 0.5) / (m * n + 1), m, n, device = "host"))

  sizes <- data.frame(m = c(1, 2, 5, 20, 35, 53, 54, 60, 80, 90, 91), n = 1)
  rows <- shuffled_sizes(sizes, 60)
  top <- function(n) n * (n + 1) / 2
  x_of <- function(x, n) floor(x / n * top(n))
  expect_same_by_size(rows, function(x, m, n) dsignrank_opencl(x_of(x, m), m, device = "host"))
  expect_same_by_size(rows, function(x, m, n) psignrank_opencl(x_of(x, m), m, log.p = TRUE, device = "host"))
  expect_same_by_size(rows, function(x, m, n) qsignrank_opencl((x + 0.5) / (m + 1), m, device = "host"))
})

test_that("tables hold all values of a size, in any order", {
  for (x in list(0:120, 120:0, c(60, 0:120))) {
    expect_equal(dwilcox_opencl(x, 12, 10, device = "host"), stats::dwilcox(x, 12, 10), tolerance = 1e-14)
    expect_equal(pwilcox_opencl(x, 12, 10, device = "host"), stats::pwilcox(x, 12, 10), tolerance = 1e-14)
    expect_equal(dsignrank_opencl(x, 15, device = "host"), stats::dsignrank(x, 15), tolerance = 1e-14)
    expect_equal(psignrank_opencl(x, 15, device = "host"), stats::psignrank(x, 15), tolerance = 1e-14)
  }
  expect_equal(sum(dwilcox_opencl(0:2500, 50, 50, device = "host")), 1, tolerance = 1e-14)
  expect_equal(pwilcox_opencl(0:2500, 50, 50, device = "host"), cumsum(dwilcox_opencl(0:2500, 50, 50, device = "host")),
               tolerance = 1e-13)
})
