# Functions in stages whose shape is known: C++ runs all launches by itself, and gives what R gives of them, bit by bit.

unoptimized_programs()
set.seed(7)
n <- 700L
x <- round(rnorm(n), 3)
g <- rep_len(c(1:5, 7L), n) # group 6 is empty
u <- round(rnorm(7), 3)
counts <- rpois(n, exp(0.2 * x + u[g] * 0.3))
X <- cbind(1, x)

# What R gives, launch by launch, and what calls give that R has no part in.
expect_planned <- function(f, values, device) {
  slow <- do.call(f, c(values, device = device))
  ours <- asNamespace("nmathopencl")
  by_r <- ours$run_stages
  ran <- 0L
  put <- function(value) {
    unlockBinding("run_stages", ours)
    assign("run_stages", value, ours)
    lockBinding("run_stages", ours)
  }
  put(function(...) {
    ran <<- ran + 1L
    by_r(...)
  })
  on.exit(put(by_r))
  for (turn in 1:3) expect_identical(do.call(f, c(values, device = device)), slow)
  expect_identical(ran, 0L)
  slow
}

staying <- function(values, device) lapply(values, function(v) if (length(v) >= n) opencl_vector(v, device = device) else v)

likelihoods <- list(
  poisson = list(
    function(y, X, b, u, s, g) sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)) + sum(dnorm(u, 0, s, log = TRUE)) + dexp(s, 1, log = TRUE),
    list(y = counts, X = X, b = c(0.1, 0.2), u = u * 0.3, s = 0.7, g = g), c("b", "u", "s")
  ),
  centred = list(function(u, g, w) sum((u - mean(u))[g] * w), list(u = u, g = g, w = x), "u"),
  parts = list(
    function(y, X, par) { r <- y - X %*% par[1:2]; sum(dnorm(r[-1], par[4] * r[-length(r)], exp(par[3]), log = TRUE)) - par[4]^2 },
    list(y = x * 2 + 1, X = X, par = c(0.5, 1, 0.1, 0.2)), "par"
  ),
  named = list(function(y, par) -mean(dnorm(y, par["m"], exp(par["s"]), log = TRUE)), list(y = x, par = c(s = 0.3, m = 0.2)), "par"),
  bounds = list(
    function(k, x, beta, cuts) { q <- c(-Inf, cuts, Inf); sum(log(plogis(q[k + 1] - beta * x) - plogis(q[k] - beta * x))) },
    list(k = rep_len(1:4, n), x = x, beta = 0.3, cuts = c(-1, 0, 1.2)), c("beta", "cuts")
  ),
  simplex = list(
    function(y, w, m) { p <- exp(w) / sum(exp(w)); d <- 0; for (k in 1:3) d <- d + p[k] * dnorm(y, m[k], 1); sum(log(d)) },
    list(y = x, w = c(0, 0.2, -0.1), m = c(-1, 0.5, 2)), c("w", "m")
  )
)

test_that("C++ gives what R gives, on every device, of vectors of R and of those that stay", {
  for (device in c("0", opencl_test_devices())) for (one in likelihoods) {
    f <- opencl_function(one[[1L]], gradient = one[[3L]])
    came <- expect_planned(f, one[[2L]], device)
    expect_equal(as.vector(came), as.vector(do.call(one[[1L]], one[[2L]])), tolerance = 1e-12)
    expect_equal(expect_planned(f, staying(one[[2L]], device), device), came, tolerance = 1e-12)
    if (device != "0") expect_identical(do.call(f, c(one[[2L]], device = device)), came)
  }
})

test_that("other codes, lengths and names are seen", {
  f <- function(u, g, w) sum(u[g] * w) + sum(u^2)
  slopes <- function(u, g, w) vapply(seq_along(u), function(k) sum(w[which(trunc(g) == k)]), 0) + 2 * unname(u)
  for (device in c("0", opencl_test_devices())) {
    ours <- opencl_function(f, gradient = "u")
    check <- function(u, g, w) for (turn in 1:3) {
      value <- ours(u, g, w, device = device)
      expect_equal(as.vector(value), f(u, g, w))
      expect_equal(unname(attr(value, "gradient")), slopes(u, g, w), tolerance = 1e-12)
      expect_named(attr(value, "gradient"), if (is.null(names(u))) paste0("u", seq_along(u)) else names(u))
    }
    for (turn in 1:2) {
      check(u, g, x)
      check(stats::setNames(u, letters[1:7]), g, x)
      check(u, rev(g), x)
      changed <- g
      check(u, changed, x)
      changed[3L] <- 2L # in place, as far as R does
      check(u, changed, x)
      check(u, as.double(g) + 0.5, x)
      check(u[1:5], pmin(g, 5L), x)
      check(c(u, 1, 2), g, x)
      check(u, g[1:100], x[1:100])
      check(1:9 / 2, g, x)
    }
    expect_error(ours(u, replace(g, 5L, 0L), x, device = device), "element 5 of the index is 0", class = "nmathopencl_error")
    missing <- replace(g, c(2L, 9L), NA)
    for (turn in 1:4) {
      value <- ours(u, missing, x, device = device)
      expect_identical(as.vector(value), NA_real_)
      expect_equal(unname(attr(value, "gradient")), slopes(u, missing, x), tolerance = 1e-12)
    }
    for (turn in 1:4) expect_identical(as.vector(ours(u, replace(g, 2L, 8L), x, device = device)), NA_real_)
    check(u, g, x)
    gone <- rep(NA_integer_, n)
    for (turn in 1:3) expect_equal(unname(attr(ours(u, gone, x, device = device), "gradient")), 2 * u)
  }
})

test_that("lengths that come again have plans, too", {
  f <- function(u, g, w) sum(u[g] * w) + sum(u^2)
  for (device in c("0", opencl_test_devices())) {
    ours <- opencl_function(f, gradient = "u")
    sizes <- list(7L, 9L, 12L)
    values <- lapply(sizes, function(size) list(u = rep_len(u, size), g = g, w = x))
    for (one in values) for (turn in 1:3) do.call(ours, c(one, device = device))
    for (turn in 1:2) for (one in values) {
      value <- expect_planned(ours, one, device)
      expect_equal(unname(attr(value, "gradient")), vapply(seq_along(one$u), function(k) sum(x[g == k]), 0) + 2 * one$u, tolerance = 1e-12)
    }
  }
})

test_that("what is missing and what R warns of are R's, and one such call changes no other", {
  f <- function(y, u, g, s) sum(dnorm(y, u[g], s, log = TRUE)) + log(s)
  for (device in c("0", opencl_test_devices())) {
    ours <- opencl_function(f, gradient = c("u", "s"))
    values <- list(y = x, u = u, g = g, s = 0.8)
    first <- expect_planned(ours, values, device)
    for (turn in 1:2) {
      suppressWarnings(expect_warning(value <- ours(x, u, g, -1, device = device), "NaNs produced"))
      expect_identical(is.nan(as.vector(value)), TRUE)
      expect_identical(do.call(ours, c(values, device = device)), first)
    }
    values$u[2L] <- NA
    expect_identical(as.vector(do.call(ours, c(values, device = device))), NA_real_)
    values$u[2L] <- NaN
    expect_identical(is.nan(as.vector(do.call(ours, c(values, device = device)))), TRUE)
    expect_identical(ours(x, u, g, 0.8, device = device), first)
  }
})

test_that("interrupts and time limits end a call, and the next one is right", {
  f <- opencl_function(likelihoods$poisson[[1L]], gradient = "u")
  for (device in c("0", opencl_test_devices())) {
    values <- c(likelihoods$poisson[[2L]], device = device)
    first <- do.call(f, values)
    ended <- FALSE
    tryCatch({
      setTimeLimit(elapsed = 0.3, transient = TRUE)
      repeat do.call(f, values)
    }, error = function(e) ended <<- TRUE, finally = setTimeLimit())
    expect_true(ended)
    expect_identical(do.call(f, values), first)
  }
})

test_that("a plan is of its session and its process", {
  f <- opencl_function(likelihoods$centred[[1L]], gradient = "u")
  values <- likelihoods$centred[[2L]]
  first <- do.call(f, c(values, device = "0"))
  do.call(f, c(values, device = "0"))
  again <- unserialize(serialize(f, NULL))
  for (turn in 1:3) expect_identical(do.call(again, c(values, device = "0")), first)
})

test_that("what has no elements has none in later calls, and extremes of none warn", {
  on_each_device(function(device) {
    for (f in list(function(x) diff(x), function(x) head(x, 0), function(x) x[-1] * 2, function(x) head(x, -1) + mean(x))) {
      g <- opencl_function(f)
      for (turn in 1:3) expect_identical(g(1, device = device), f(1))
    }
    for (f in list(function(x) max(diff(x)), function(x) sum(x) + min(x[-1]))) {
      g <- opencl_function(f)
      for (turn in 1:3) {
        ours <- outcome_of(g(1, device = device))
        expect_identical(ours, outcome_of(f(1)))
      }
    }
  })
})
