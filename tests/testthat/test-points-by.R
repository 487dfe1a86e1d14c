# `over` with `by`: the sums of all groups at all points are a few launches, and bit for bit what a loop of calls gives.

unoptimized_programs()
set.seed(3510)
n <- 600L
x <- round(rgamma(n, 2, 3), 4)
y <- rpois(n, 2)
X <- cbind(1, matrix(round(rnorm(3 * n), 3), n))
z <- rbinom(n, 1, 0.4)
k <- sample(9L, n, TRUE)
by <- factor(k, levels = c(1:9, 12L))
m <- 11L
a <- stats::setNames(round(runif(m, 0.5, 4), 3), letters[seq_len(m)])
b <- round(runif(m, 0.5, 4), 3)
B <- matrix(round(rnorm(4 * m, 0, 0.3), 3), m)
density <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
logistic <- function(z, X, b) {
  e <- X %*% b
  z * e - log1p(exp(e))
}
product <- function(y, X, b, s) dpois(y, s * exp(X %*% b), log = TRUE)

# By groups, and in a few launches.
expect_together <- function(f, args, points, names = NULL) {
  expect_as_loop(f, args, points, names)
  for (device in compiling_devices()) {
    suppressWarnings(do.call(f, c(args, list(over = points, device = device))))
    expect_lt(last_run()$chunks, length(points[[1L]]) / NCOL(points[[1L]]))
  }
}

test_that("sums and means with numbers as parameters", {
  points <- list(a = a, b = b)
  expect_together(opencl_function(density, reduce = "sum"), list(x = x, by = k), points, names(a))
  expect_together(opencl_function(density, reduce = "sum", gradient = c("a", "b")), list(x = x, by = by), points, names(a))
  expect_together(opencl_function(density, reduce = "mean", gradient = "b"), list(x = x, by = by), points, names(a))
  expect_together(opencl_function(density, reduce = "sum", gradient = c("b", "a")), list(x = x, by = by, b = 2), points["a"], names(a))
  expect_together(opencl_function(function(x, y, a) ifelse(x > a, x * y, a * y^2), reduce = "sum"), list(x = x, y = y, by = by), points["a"], names(a))
  expect_together(opencl_function(function(x, a) exp(-abs(x - a)), reduce = "sum", gradient = "a"), list(x = x, by = as.numeric(k)), list(a = unname(a)))
})

test_that("coefficients of products", {
  expect_together(opencl_function(logistic, reduce = "sum", gradient = "b"), list(z = z, X = X, by = by), list(b = B))
  expect_together(opencl_function(logistic, reduce = "sum"), list(z = z, X = X, by = k), list(b = B))
  expect_together(opencl_function(product, reduce = "mean", gradient = c("s", "b")), list(y = y, X = X, by = by), list(b = B, s = b))
  expect_together(opencl_function(product, reduce = "sum", gradient = "s"), list(y = y, X = X, b = B[1L, ], by = by), list(s = b))
  two <- opencl_function(function(y, X, Z, b, c) dnorm(y, X %*% b + Z %*% c, 2, log = TRUE), reduce = "sum", gradient = c("b", "c"))
  expect_together(two, list(y = y, X = X, Z = X[, 2:3], by = by), list(b = B, c = B[, 1:2]))
  named <- `colnames<-`(B, c("one", "u", "v", "w"))
  expect_together(opencl_function(logistic, reduce = "sum", gradient = "b", data = list(z = z, X = X)), list(by = k), list(b = named))
})

test_that("rows of no group, groups of no row, of one row, and of many blocks", {
  f <- opencl_function(density, reduce = "sum", gradient = c("a", "b"))
  g <- opencl_function(logistic, reduce = "sum", gradient = "b")
  some <- 1:90
  few <- list(x = x[some], z = z[some], X = X[some, ], k = k[some])
  holes <- replace(few$k, c(1, 7:20, 90), NA)
  for (one in list(holes, rep(NA_integer_, 90L), some, rep(3L, 90L), rev(sort(few$k)), factor(holes, levels = 20:1))) {
    expect_as_loop(f, list(x = few$x, by = one), list(a = a[1:3], b = b[1:3]), names(a)[1:3], label = "gamma")
    expect_as_loop(g, list(z = few$z, X = few$X, by = one), list(b = B[1:3, ]), label = "logistic")
  }
  expect_together(f, list(x = rep_len(x, 9000L), by = rep_len(1:2, 9000L)), list(a = a[1:3], b = b[1:3]), names(a)[1:3])
  expect_as_loop(f, list(x = x[1], by = 2L), list(a = a, b = b), names(a), label = "one row")
})

test_that("missing values touch their point and group alone, and are told of", {
  f <- opencl_function(density, reduce = "sum", gradient = c("a", "b"))
  at <- list(a = replace(a, c(2, 5), c(NA, NaN)), b = replace(b, 7, -1))
  expect_as_loop(f, list(x = x, by = by), at, names(a), label = "points")
  expect_as_loop(f, list(x = replace(x, 17, NA), by = by), list(a = a, b = b), names(a), label = "a row")
  for (device in expression_devices()) {
    expect_warning(ours <- f(x, over = at, by = by, device = device), "NaNs produced")
    expect_identical(unname(which(is.na(ours[1L, ]))), c(2L, 5L, 7L))
    reported <- with_conditions(f(replace(x, 17, -1), over = list(a = a, b = b), by = by, device = device))
    loop <- with_conditions(f(replace(x, 17, -1), a[[1L]], b[1L], by = by, device = device))
    expect_identical(reported$warnings, loop$warnings)
  }
  g <- opencl_function(logistic, reduce = "sum", gradient = "b")
  expect_as_loop(g, list(z = z, X = X, by = by), list(b = replace(B, 3, NA)), label = "a coefficient")
  expect_as_loop(g, list(z = z, X = replace(X, n + 5, Inf), by = by), list(b = B), label = "an infinite element")
  h <- opencl_function(density, reduce = "sum", na.rm = TRUE, gradient = "a")
  expect_as_loop(h, list(x = replace(x, c(5, 500), NA), by = by), list(a = a, b = b), names(a), label = "left out")
})

test_that("resident vectors, recycled ones, and numbers of rows at each point", {
  f <- opencl_function(density, reduce = "sum", gradient = c("a", "b"))
  g <- opencl_function(logistic, reduce = "sum", gradient = "b")
  for (device in compiling_devices()) {
    there <- opencl_vector(x, device)
    expect_true(same_bits(f(there, over = list(a = a, b = b), by = k), loop_over_points(f, list(x = there, by = k), list(a = a, b = b), names(a))))
    codes <- opencl_vector(k, device)
    expect_true(same_bits(f(there, over = list(a = a, b = b), by = codes), loop_over_points(f, list(x = there, by = codes), list(a = a, b = b), names(a))))
    resident <- list(z = opencl_vector(z, device), X = opencl_matrix(X, device), by = codes)
    expect_true(same_bits(do.call(g, c(resident, list(over = list(b = B)))), loop_over_points(g, resident, list(b = B))))
  }
  expect_as_loop(opencl_function(function(x, w, a) a * x * w, reduce = "sum", gradient = "a"), list(x = x, w = c(1, 2, 4, 8, 16), by = by), list(a = b))
  weighted <- opencl_function(function(x, w, a) w * cos(a * x), reduce = "sum", gradient = "a")
  expect_as_loop(weighted, list(x = x, by = by), list(w = matrix(round(runif(n * 3), 3), 3), a = b[1:3]))
})

test_that("groups and functions come and go between calls", {
  f <- opencl_function(density, reduce = "sum", gradient = c("a", "b"))
  for (one in list(k, rev(k), by, NULL, k, factor(k %% 2L))) expect_as_loop(f, list(x = x, by = one), list(a = a[1:3], b = b[1:3]), names(a)[1:3], label = "other groups")
  level <- 2
  free <- opencl_function(function(x, a) level * cos(a * x), reduce = "sum", gradient = "a")
  for (now in c(2, 3)) {
    level <- now
    expect_as_loop(free, list(x = x, by = by), list(a = b), label = "a variable")
  }
  expect_error(f(x, over = list(a = a, b = b), by = k[-1L]), "`by` has length 599, and there are 600 values", class = "nmathopencl_error")
  expect_error(f(x, over = list(a = a, b = b), by = k - 1L), "from 1 on", class = "nmathopencl_error")
  reported <- tryCatch(f(x, over = list(a = a, b = b), by = k[-1L]), error = conditionCall)
  expect_identical(reported, quote(f(x, over = list(a = a, b = b), by = k[-1L])))
})

test_that("parts of the points change nothing", {
  skip_without_compiler()
  f <- opencl_function(function(y, X, b) dpois(y, exp(X %*% b), log = TRUE), reduce = "sum", gradient = "b", data = list(y = y, X = X))
  own <- seq_len(n) # 72 bytes of sums for each row and point
  count <- 2000L
  P <- matrix(round(rnorm(4 * count, 0, 0.3), 3), count)
  for (device in compiling_devices()) {
    found <- f(over = list(b = P), by = own, device = device)
    some <- c(1:2, 1550:1560, count)
    part <- f(over = list(b = P[some, ]), by = own, device = device)
    expect_identical(c(found[, some]), c(part))
    expect_identical(c(attr(found, "gradient")[, some, ]), c(attr(part, "gradient")))
  }
})

test_that("groups of work-items add up in the same order at one point and at many", {
  skip_unless_asked()
  device <- opencl_test_devices()
  skip_if(length(device) == 0L, "no OpenCL device")
  lines <- run_r(c(
    "suppressMessages(library(nmathopencl))", sprintf("options(nmathopencl.device = '%s')", device[1L]),
    "bits <- function(x) writeBin(as.double(x), raw())",
    "f <- function(y, X, b, s) { eta <- X %*% b * s; y * eta - log1p(exp(eta)) }",
    "h <- function(x, a, s) dgamma(x, a, rate = s, log = TRUE)",
    "k <- list(opencl_function(f, reduce = 'sum', gradient = c('b', 's')), opencl_function(h, reduce = 'mean', gradient = c('a', 's')), opencl_function(f, reduce = 'sum'))",
    "set.seed(7)",
    "for (case in list(c(1, 3, 2, 1), c(70, 5, 17, 3), c(3000, 10, 5, 2), c(70, 17, 3, 40))) {",
    "  n <- case[1]; p <- case[2]; m <- case[3]",
    "  X <- matrix(rnorm(n * p), n); y <- as.double(runif(n) < 0.4); by <- sample(case[4], n, TRUE)",
    "  over <- list(b = matrix(rnorm(m * p) / 5, m), s = runif(m), a = runif(m, 1, 3))",
    "  for (j in 1:3) for (resident in c(FALSE, TRUE)) {",
    "    data <- if (j == 2) list(x = abs(X[, 1]) + 0.1) else list(y = y, X = X)",
    "    if (resident) data[[1]] <- opencl_vector(data[[1]])",
    "    at <- over[if (j == 2) c('a', 's') else c('b', 's')]",
    "    all <- do.call(k[[j]], c(data, list(over = at, by = by)))",
    "    for (i in seq_len(m)) {",
    "      one <- lapply(at, function(x) if (is.null(dim(x))) x[i] else x[i, ])",
    "      ours <- do.call(k[[j]], c(data, one, list(by = by)))",
    "      good <- identical(bits(ours), bits(all[, i])) && (j == 3 || identical(bits(attr(ours, 'gradient')), bits(attr(all, 'gradient')[, i, ])))",
    "      if (!good) cat('differs:', j, resident, case, i, '\\n')",
    "    }",
    "  }",
    "}",
    "cat('done\\n')"
  ), "NMATHOPENCL_GROUPS=true")
  expect_identical(lines, "done")
})
