# What stands behind an operand of && or || that decides is not looked at: no element 0 is asked for.

unoptimized_programs()

lazy <- list(
  function(p, y, k) { s <- 0; for (i in seq_along(y)) if (i > 1 && y[i] > y[i - 1]) s <- s + p; s },
  function(p, y, k) { s <- 0; for (i in seq_along(y)) { new <- i == 1 || y[i] != y[i - 1]; s <- s + if (new) p^2 else p * y[i] }; s },
  function(p, y, k) sum(sapply(seq_along(y), function(i) if (i == 1 || y[i] != y[i - 1]) p else 2 * p)),
  function(p, y, k) { s <- 0; for (i in seq_along(y)) if (!(i < 3 || y[i - 2] < 2) && p > 0.5) s <- s + p * i; s },
  function(p, y, k) if (k == 0 || y[k] > 2) p else 5 * p,
  function(p, y, k) if (k > 0 && y[k] > 2 && p > 0) p else 5 * p,
  function(p, y, k) if (p > 1 || y[k] > 2) p else 5 * p,
  function(p, y, k) { before <- function(i) i > 1 && y[i - 1] > 1; s <- p; for (i in seq_along(y)) if (before(i)) s <- s + p; s }
)

test_that("an element behind a condition that fails is not asked for", {
  set.seed(5)
  answered <- 0L
  as_one(for (case in seq_len(cases(96, 24, 8))) {
    f <- lazy[[(case - 1L) %% length(lazy) + 1L]]
    y <- sample(3, sample(c(1:8, 15:18), 1L), TRUE) + 0
    k <- sample(0:1, 1L)
    p <- sample(c(0.25, 1.5), 1L)
    r <- tryCatch(f(p, y, k), error = function(e) NULL) # y[0] is no condition
    for (device in ways_of(case)) {
      ours <- in_way(device, tryCatch(opencl_function(f, gradient = "p", data = list(y = y, k = k))(p, device = device_of_way(device)), nmathopencl_error = function(e) NULL))
      info <- paste(deparse1(f), "for", deparse1(y), k, p, device)
      if (is.null(r)) {
        expect_null(ours, info = info)
        next
      }
      answered <- answered + 1L
      expect_equal(as.vector(ours), r, tolerance = 1e-14, info = info)
      expect_equal(as.vector(attr(ours, "gradient")), (f(p + 1e-5, y, k) - f(p - 1e-5, y, k)) / 2e-5, tolerance = 1e-8, info = info)
    }
  })
  expect_gt(answered, cases(96, 24, 8) / 2)
})

test_that("behind a missing operand, which decides nothing, an element is read", {
  fs <- list(
    function(p, y, i, a) a && y[i] > 0, function(p, y, i, a) a || !is.na(y[i]), function(p, y, i, a) ifelse(a && !is.na(y[i]), y[i], 7),
    function(p, y, i, a) sum(y[1:3]) * (a && !is.na(y[i])), function(p, y, i, a) { m <- mean(y) * p; m > 0 && y[i] > 5 },
    function(p, y, i, a) p * (if (isTRUE(a || y[i] > 0)) 3 else 4), function(p, y, i, a) { h <- function(j) y[j] > 0; sum(c(a && h(i), h(i))) },
    function(p, y, i, a) if (a || y[i] > 0) p else -p
  )
  vectors <- list(c(3, -1, 2), c(1, NA, 4), c(-1, -2, NA))
  for (k in seq_along(fs)) for (y in vectors) for (i in 1:3) for (a in c(TRUE, FALSE, NA)) {
    f <- fs[[k]]
    r <- tryCatch(f(2, y, i, a), error = function(e) NULL)
    for (device in ways_of(k + i)) {
      ours <- in_way(device, tryCatch(opencl_function(f)(2, y, i, a, device = device_of_way(device)), error = function(e) NULL))
      expect_equal(as.double(ours), as.double(r), info = paste(deparse1(f), deparse1(y), i, a, device))
    }
  }
})
