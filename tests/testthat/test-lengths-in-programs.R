# Programs have no length in their text: one built for a call serves calls of other lengths.

unoptimized_programs()
set.seed(4)

y_of <- function(n) list(y = rnorm(n), m = 0.1)

functions <- list(
  mean_by_hand = list(function(y, m) sum(dnorm(y, m, 1, log = TRUE)) / length(y), y_of, "m"),
  in_a_row = list(function(y, m) sum(dnorm(y, m / length(y), 1, log = TRUE)), y_of, "m"),
  variance = list(function(y, m) {
    r <- y - mean(y)
    sum(dnorm(r, m, sqrt(sum(r^2) / (length(y) - 1)), log = TRUE))
  }, y_of, "m"),
  between = list(function(y, m) {
    n <- length(y)
    -n / 2 * log(m^2) - sum(y^2) / (2 * m^2)
  }, y_of, "m"),
  rows = list(function(X, m) sum(dnorm(X %*% m, 0, 1, log = TRUE)) / nrow(X) + sum(m^2) * ncol(X), function(n) list(X = matrix(rnorm(3 * n), n), m = c(1, 2, 3)), "m"),
  gathered = list(
    function(y, u, g) sum(dnorm(y, u[g], 1, log = TRUE)) / length(u) - length(y),
    function(n) list(y = rnorm(n), u = rnorm(n %/% 2), g = sample.int(n %/% 2, n, TRUE)), "u"
  ),
  penalty = list(function(y, m) sum(dnorm(y[-1], m * y[-length(y)], 1, log = TRUE)) - m^2 * (length(y[-1]) + 0.5), y_of, "m"),
  rounds = list(function(y, m) {
    s <- 0
    for (t in seq_along(y)) s <- m * s + y[t] / length(y)
    s
  }, y_of, "m")
)

# Central differences, enough to see a wrong length.
slopes_of <- function(f, values, by) {
  unlist(lapply(by, function(name) vapply(seq_along(values[[name]]), function(k) {
    at <- function(h) {
      values[[name]][k] <- values[[name]][k] + h
      do.call(f, values)
    }
    (at(1e-5) - at(-1e-5)) / 2e-5
  }, 0)))
}

test_that("no other length builds a program, and each has its own value", {
  for (device in c("host", opencl_test_devices())) for (name in names(functions)) {
    one <- functions[[name]]
    f <- opencl_function(one[[1L]], gradient = one[[3L]])
    for (n in c(10, 11, 12, 24, 60, 11)) {
      values <- one[[2L]](n)
      for (turn in 1:2) came <- do.call(f, c(values, device = device))
      label <- paste(name, "of", n, "on", device)
      expect_equal(c(came), do.call(one[[1L]], values), tolerance = 1e-12, ignore_attr = TRUE, label = label)
      expect_equal(unname(attr(came, "gradient")), slopes_of(one[[1L]], values, one[[3L]]), tolerance = 1e-6, label = label)
      # A part of a vector has a length that no argument has; it stays in the text.
      if (n %in% c(12, 24, 60) && name != "penalty") expect_identical(last_run()$built, 0L, label = label)
    }
  }
})

test_that("lengths at many points are those of the call", {
  for (device in c("host", opencl_test_devices())) for (name in c("mean_by_hand", "in_a_row", "penalty")) {
    one <- functions[[name]]
    f <- opencl_function(one[[1L]], gradient = "m")
    for (n in c(10, 30, 10)) {
      y <- rnorm(n)
      m <- c(-1, 0.2, 3)
      came <- f(y, over = list(m = m), device = device)
      for (k in 1:3) {
        single <- f(y, m[k], device = device)
        expect_identical(c(came)[k], c(single), ignore_attr = TRUE)
        expect_identical(unname(attr(came, "gradient")[k, ]), unname(attr(single, "gradient")))
      }
    }
  }
})

test_that("parts of a vector whose ends are a round's number are a few programs for any length", {
  for (f in list(
    function(y, p) { n <- length(y); l <- numeric(n - 1); for (k in 1:(n - 1)) l[k] <- sum(dnorm(y[1:k], p[1], 1, log = TRUE)) + sum(dnorm(y[(k + 1):n], p[2], 1, log = TRUE)); log(sum(exp(l - max(l)))) },
    function(y, p) { n <- length(y); sum(sapply(2:(n - 1), function(k) sum(dexp(y[1:k], p[1]^2, log = TRUE)) + sum(dnorm(y[(k + 1):n], p[2], 1, log = TRUE)))) },
    function(y, p) { n <- length(y); s <- 0; for (k in 2:(n - 1)) s <- s + exp(sum(dnorm(y[1:k], p[1], 1, log = TRUE)) / n) * p[2]; s }
  )) for (device in c("host", opencl_test_devices())) {
    made <- opencl_function(f, gradient = "p")
    for (n in c(9, 14, 31, 14)) {
      y <- rexp(n)
      came <- made(y, c(0.9, 0.4), device = device)
      built <- last_run()$built
      expect_equal(c(came), f(y, c(0.9, 0.4)), tolerance = 1e-12)
      expect_equal(unname(attr(came, "gradient")), slopes_of(f, list(y = y, p = c(0.9, 0.4)), "p"), tolerance = 1e-6)
      if (n == 31) expect_lte(built, 4L) # of some 30 rounds
    }
  }
})
