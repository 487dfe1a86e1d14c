# Sums of integers within and beyond them: R's value, its type and its warning.

unoptimized_programs()

largest <- .Machine$integer.max
two <- 2000000000L

ends <- list(
  c(two, two), c(-two, -two), c(largest, 0L), c(largest, 1L), c(-largest, -1L), c(-largest, 0L), c(largest, -largest, -1L),
  c(largest, 1L, NA), c(NA, 3L), c(largest, 1L, -1L), c(TRUE, FALSE, NA), c(TRUE, TRUE)
)

test_that("sums of integers are doubles where they are beyond the integers, and integers elsewhere", {
  skip_on_cran() # a matter of seconds
  bodies <- list(
    function(x) sum(x), function(x) x * 1 + sum(x), function(x) sum(x) + 1L, function(x) sum(x) * 2L, function(x) sum(x, na.rm = TRUE),
    function(x) sum(x) %/% 2L, function(x) -sum(x), function(x) sum(x) / length(x), function(x) sum(x[1:2]), function(x) c(sum(x), 1L),
    function(x) max(sum(x), 3L), function(x) is.na(sum(x)), function(x) sum(x) == 4e9, function(x) {
      s <- 0L
      for (i in 1:2) s <- s + sum(x)
      s
    }, function(x) {
      s <- sum(x)
      if (!is.na(s) && s > 5L) s else 5L
    }, function(x) mean(x), function(x) prod(x), function(x) sum(c(2000000000L, 2000000000L)) + 0 * length(x), function(x) sum(sum(x), x)
  )
  for (f in bodies) {
    made <- opencl_function(f)
    for (x in ends) expect_as_r(f, x, made = made)
  }
})

test_that("running sums of integers that overflow warn as R's do", {
  for (f in list(function(x) cumsum(x), function(x) sum(cumsum(x)), function(x) x + cumsum(x), function(x) cumsum(as.numeric(x)))) {
    made <- opencl_function(f)
    for (x in c(ends, list(c(1L, NA, 2L), c(NA, two, two), c(two, NA, two, two)))) expect_as_r(f, x, made = made)
  }
})

test_that("a function takes sums of both types in turn, whatever it was called with before", {
  f <- opencl_function(function(x) sum(x) + 1L)
  for (device in expression_devices()) for (x in ends[c(1, 3, 1, 2, 9, 4, 12)]) {
    expect_identical(suppressWarnings(f(x, device = device)), suppressWarnings(sum(x) + 1L))
  }
})

test_that("reductions, groups and rows of integers are R's", {
  skip_on_cran() # a matter of seconds
  y <- c(two, two, 3L, 7L, largest, 1L, NA, 1L)
  g <- factor(c("a", "a", "b", "b", "c", "c", "d", "d"))
  M <- matrix(c(two, two, -two, -two, largest, 1L), 2L)
  total <- opencl_function(function(x) x, reduce = "sum")
  average <- opencl_function(function(x) x, reduce = "mean")
  for (device in expression_devices()) {
    for (x in ends) {
      expect_identical(total(x, device = device), sum(x))
      expect_equal(average(x, device = device), mean(x), tolerance = 1e-15)
    }
    expect_identical(total(y, by = g, device = device), c(tapply(y, g, sum)))
    expect_identical(total(y[3:4], by = g[3:4], device = device)[["b"]], 10L)
  }
  for (f in list(function(M) apply(M, 2, sum), function(M) colSums(M), function(M) rowSums(M), function(M) colMeans(M), function(M) sum(M))) expect_as_r(f, M)
  expect_as_r(function(x, g) c(rowsum(x, g)), y, as.integer(g))
  for (f in list(function(x, g) ave(x, g), function(x, g) ave(x, g, FUN = sum))) expect_as_r(f, as.double(y), as.integer(g))
})

test_that("sums within the rounds of a loop over data are R's", {
  f <- function(x) {
    s <- 0
    for (t in 2:length(x)) s <- s / 2 + sum(x[t], x[t - 1])
    s
  }
  for (n in c(5L, 200L)) for (x in list(rep(two, n), rep(c(two, 5L), length.out = n), rep(7L, n))) expect_as_r(f, x)
})

test_that("value and gradient of counts whose sum is beyond the integers, at one point and at many", {
  y <- c(two, two, 3L, 7L)
  ll <- function(y, l) sum(y) * log(l) - length(y) * l
  for (device in expression_devices()) {
    f <- opencl_function(ll, gradient = "l")
    for (x in list(y, 1:4, y)) {
      value <- f(x, 3, device = device)
      expect_equal(c(value), ll(x, 3), tolerance = 1e-15)
      expect_equal(attr(value, "gradient"), c(l = sum(x) / 3 - 4), tolerance = 1e-15)
      expect_equal(c(f(x, over = list(l = c(2, 3)), device = device)), c(ll(x, 2), ll(x, 3)), tolerance = 1e-15)
    }
    kept <- opencl_function(ll, data = list(y = y), gradient = "l")
    for (k in 1:3) expect_equal(c(kept(l = 2, device = device)), ll(y, 2), tolerance = 1e-15)
    W <- rbind(1:4, y, 4:1)
    expect_equal(unname(f(over = list(y = W, l = 1:3), device = device))[1:3], c(ll(W[1, ], 1), ll(W[2, ], 2), ll(W[3, ], 3)), tolerance = 1e-15)
    expect_equal(sum(y), opencl_function(function(y) sum(y))(opencl_vector(y, device = device)))
  }
})

test_that("sums over subjects and sums one after the other are R's, beyond the integers, too", {
  some <- list(list(c(1, 1, 2, 2, 3), 1:5), list(c(1, 1, 2), c(3L, NA, 4L)), list(c(2, 1), c(2, 0.5)), list(1, TRUE))
  big <- list(list(c(1, 1, 2, 2, 3), as.integer(c(2e9, 1e8, 2e9, 1e8, 5))), list(c(1, 2), as.integer(c(-2e9, -2e9))))
  expect_called_as_r(function(id, y) { s <- 0L; for (i in unique(id)) s <- s + sum(y[id == i]); s }, c(some, big))
  expect_called_as_r(function(id, y) Reduce(`+`, lapply(split(y, id), sum)), c(some, big))
  expect_called_as_r(function(id, y) sum(sapply(split(y, id), sum)), c(some, big))
  over <- function(id, y) sum(sapply(unique(id), function(i) { v <- y[id == i]; a <- 0L; for (t in seq_along(v)) a <- a + v[t]; a }))
  expect_called_as_r(over, some[c(1, 3)], everywhere = TRUE)
  expect_error(opencl_function(over)(big[[1L]][[1L]], big[[1L]][[2L]], device = "0"), "is beyond the integers, where R has a double: let the function give as.numeric() of its value", fixed = TRUE)
})
