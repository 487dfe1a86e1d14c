# Elements of functions in stages: C++ runs all launches by itself, and gives what R gives of them, bit by bit.

unoptimized_programs()
set.seed(7)
n <- 700L
x <- round(rnorm(n), 3)
g <- rep_len(c(1:5, 7L), n) # group 6 is empty
u <- round(rnorm(7), 3)
X <- cbind(1, x)

# How often R goes through the stages of a call while `code` runs.
calls_by_r <- function(code) calls_of("run_stages", code)

resident <- function(values, device) lapply(values, function(v) if (length(v) >= n) opencl_vector(v, device = device) else v)

elementwise <- list(
  scaled = list(function(x) (x - mean(x)) / sd(x), list(x = x)),
  softmax = list(function(x, a) exp(a * x) / sum(exp(a * x)), list(x = x, a = 0.4)),
  taken = list(function(y, u, g) y - u[g], list(y = x, u = u, g = g)),
  centred = list(function(y, u, g) y - (u - mean(u))[g], list(y = x, u = u, g = g)),
  lagged = list(function(y, a) y[-1] - a * y[-length(y)], list(y = x, a = 0.3)),
  running = list(function(y) cumsum(y) / sum(y), list(y = abs(x))),
  products = list(function(X, b) X %*% b - sum(X %*% b), list(X = unname(X), b = c(1, 2))),
  few = list(function(x, w) c(sum(x), w[1] * mean(x), w[2]), list(x = x, w = c(0.5, 2)))
)

test_that("elements of functions of several steps are C++'s, too, of vectors of R and of those that are resident", {
  for (device in c("0", opencl_test_devices())) for (name in names(elementwise)) {
    one <- elementwise[[name]]
    f <- opencl_function(one[[1L]])
    check <- function(values) {
      slow <- do.call(f, c(values, device = device))
      slow <- if (is.object(slow)) slow[] else slow
      ran <- calls_by_r(for (turn in 1:3) {
        value <- do.call(f, c(values, device = device))
        expect_identical(if (is.object(value)) value[] else value, slow)
      })
      list(value = value, slow = slow, ran = ran)
    }
    came <- check(one[[2L]])
    expect_equal(came$slow, as.vector(do.call(one[[1L]], one[[2L]])), ignore_attr = TRUE, tolerance = 1e-12)
    expect_identical(dim(came$slow), dim(do.call(one[[1L]], one[[2L]])))
    if (!name %in% c("few", "running")) expect_identical(came$ran, 0L, label = paste("calls by R of", name))
    there <- check(resident(one[[2L]], device))
    expect_identical(is.object(there$value), is.object(do.call(f, c(resident(one[[2L]], device), device = device))))
    expect_equal(there$slow, came$slow, tolerance = 1e-12)
  }
})

test_that("attributes of elements, and what they warn of, are looked at in each call", {
  for (device in c("0", opencl_test_devices())) {
    f <- opencl_function(function(x, a) (x - mean(x)) * a)
    plain <- function(x, a) (x - mean(x)) * a
    check <- function(x, a = 2) for (turn in 1:3) expect_equal(f(x, a, device = device), plain(x, a), tolerance = 1e-12)
    for (round in 1:2) {
      check(x)
      check(stats::setNames(x, seq_along(x)))
      check(matrix(x, 2))
      check(matrix(x, 2, dimnames = list(c("a", "b"), NULL)))
      check(matrix(x, 2, dimnames = list(NULL, seq_len(n / 2))))
      check(structure(x, unit = "m"))
      check(replace(x, 3L, NA))
      check(x, 3L)
      check(round(x * 10))
    }
    roots <- opencl_function(function(x, a) sqrt(x - a * mean(x)))
    for (turn in 1:3) expect_silent(roots(abs(x) + 5, 0, device = device))
    for (turn in 1:3) expect_warning(roots(x, 1, device = device), "NaNs produced")
    kept <- opencl_function(function(x) x / sum(x))
    for (turn in 1:3) expect_identical(kept(x, device = device, keep = TRUE)[], kept(x, device = device))
  }
})

test_that("sums of resident vectors alone are computed once, and again of other vectors", {
  skip_if(length(all_compiling_devices()) == 0L, "no device compiles: R counts no launches")
  for (device in all_compiling_devices()) {
    f <- opencl_function(function(x, a) (x - mean(x)) * a)
    g <- opencl_function(function(x, a) sum(exp(a * (x - mean(x)))), gradient = "a")
    there <- opencl_vector(x, device = device)
    other <- opencl_vector(rev(x) + 1, device = device)
    launches <- function(call) {
      call()
      last_run()$chunks
    }
    for (turn in 1:2) f(there, 1)
    for (turn in 1:2) g(there, 1)
    first <- launches(function() expect_equal(f(there, 2)[], (x - mean(x)) * 2, tolerance = 1e-13))
    again <- launches(function() expect_equal(f(other, 2)[], (rev(x) + 1 - mean(x + 1)) * 2, tolerance = 1e-13))
    expect_identical(again, first + 1L)
    expect_identical(launches(function() f(other, 3)), first)
    expect_equal(f(there, 3)[], (x - mean(x)) * 3, tolerance = 1e-13)
    one <- function(vector, x, a) function() expect_equal(as.vector(g(vector, a)), sum(exp(a * (x - mean(x)))), tolerance = 1e-12)
    g(there, 2)
    kept <- launches(one(there, x, 3))
    expect_identical(launches(one(other, rev(x) + 1, 3)), kept + 1L)
    expect_identical(launches(one(other, rev(x) + 1, 0.5)), kept)
    rm(other)
    gc()
    fresh <- opencl_vector(x * 2, device = device)
    expect_identical(launches(one(fresh, x * 2, 0.5)), kept + 1L)
  }
})
