# What names stand for where they are assigned in some branches or rounds only, seen by defaults and by functions of the body, or are the
# variables of loops: as in R, compiled and not.

unoptimized_programs()
hosts_alone()
y <- round(sin(1:12) * 1.3, 3)

# Each call on the hosts, compiled and not, twice, with R's value, or R's error.
expect_names_as_r <- function(functions, calls) {
  # These are what a wrong look-up would find.
  scope <- list2env(list(q = 1e6, w = 1e5, k = 1e4, t = 1e3, z = 1e2, a = 1e7), parent = globalenv())
  as_one(for (name in names(functions)) {
    f <- functions[[name]]
    environment(f) <- scope
    g <- opencl_function(f)
    on_each_device(function(device) {
      for (turn in 1:2) for (args in calls[[name]]) expect_equal(do.call(g, c(args, device = device)), do.call(f, args), tolerance = 1e-12, label = paste(name, device, deparse1(args[-1L])))
    })
  })
}

test_that("an argument that only a branch, an alternative or a round assigns is an argument", {
  expect_names_as_r(
    list(
      branch = function(y, q, K) { if (K > 2) q <- 7; y * q },
      either = function(y, q, K) { if (K > 2) q <- 7 else K <- 1; y * q + K },
      alternative = function(y, q, K) { switch(K, a = q <- 7, b = 2); y * q },
      rounds = function(y, q, K) { for (k in seq_len(K)) q <- y[k]; y + q },
      some_rounds = function(y, q) { s <- 0; for (k in seq_along(y)) { if (y[k] > 0) q <- y[k]; s <- s * 0.5 + y[k] }; s + q },
      counted = function(y, q) { k <- 0; while (k < 3) { k <- k + 1; if (k > 1) q <- k }; y + q },
      inner = function(y, q) { f <- function(v) { y <- v * 2; y + q }; r <- f(y); q <- 100; r + f(y) },
      stopped = function(y, q) { if (sum(y) > -100) q <- 1 else stop("too small"); y * q },
      first_round = function(y, K) { for (t in 1:K) { if (t > 1) u <- u * 0.5 + y[t] else u <- 3 }; u }
    ),
    list(
      branch = list(list(y, 5, 1), list(y, 5, 3)), either = list(list(y, 5, 1), list(y, 5, 3)), alternative = list(list(y, 5, "a"), list(y, 5, "b")),
      rounds = list(list(y, 5, 2), list(y, 5, 0), list(y, 5, 12)), some_rounds = list(list(y, 5), list(-abs(y), 5), list(rep(y, 7), 5)),
      counted = list(list(y, 5)), inner = list(list(y, 5)), stopped = list(list(y)), first_round = list(list(y, 5), list(y, 12))
    )
  )
})

test_that("an argument that a branch assigns has a gradient where it does not", {
  f <- opencl_function(function(y, q, K) { if (K > 2) q <- q^2; sum(y * q) }, gradient = "q")
  on_each_device(function(device) {
    expect_equal(attr(f(y, 5, 1, device = device), "gradient"), c(q = sum(y)))
    expect_equal(attr(f(y, 5, 3, device = device), "gradient"), c(q = 10 * sum(y)))
  })
})

test_that("what a function assigns in a branch of a round is outside of it what it was", {
  many <- rep(y, 7)
  expect_names_as_r(
    list(
      function_of_body = function(y, q) { h <- function(v) { if (v > 0) q <- 2; q }; s <- 0; for (k in seq_along(y)) s <- s * 0.5 + h(y[k]) * y[k]; s + q },
      assigned = function(y, q) { q <- q + 1; h <- function(v) { if (v > 0) v <- 1 else q <- 2; q + v }; s <- 0; for (k in seq_along(y)) s <- s * 0.5 + h(y[k]); s + q },
      argument = function(y, q) { h <- function(v, r) { if (v > 0) r <- 2; r + 1 }; s <- 0; for (k in seq_along(y)) s <- s * 0.5 + h(y[k], q) * y[k]; s },
      default = function(y, q) { h <- function(v, r = q * 2) { if (v > 0) r <- 2 else q <- 7; r + q }; s <- 0; for (k in seq_along(y)) s <- s * 0.5 + h(y[k]) * y[k]; s },
      applied = function(y, q) { s <- 0; for (k in seq_along(y)) { u <- sapply(1:2, function(j) { if (y[k] > j / 4) q <- q + j; q }); s <- s * 0.5 + sum(u) }; s + q }
    ),
    rep(list(list(list(y, 5), list(many, 5))), 5L) |> setNames(c("function_of_body", "assigned", "argument", "default", "applied"))
  )
})

test_that("a default is evaluated where it is first used, of what its names stand for there", {
  expect_names_as_r(
    list(
      sum = function(y, b = sum(y)) { y <- y * 2; y + b },
      length = function(y, b = length(y)) { y <- y[1:3]; y * b },
      used_before = function(y, b = length(y)) { m <- b; y <- y[1:3]; y * b + m },
      local = function(y, b = u * 2) { u <- sum(y); y <- y + 1; u <- u + 1; y * b },
      of_default = function(y, b = d + 1, d = mean(y)) { y <- y * 2; y + b },
      branch = function(y, b = sum(y), K = 1) { if (K > 2) y <- y * 2; y + b },
      bound = function(y, n = length(y)) { y <- y[-1]; s <- 0; for (t in seq_len(n)) s <- s * 0.5 + y[t]; s },
      chosen_first = function(y) { h <- function(v, r = v * 2) { p <- ifelse(v > 0, r, 1); p + r }; h(y) }
    ),
    list(
      sum = list(list(y), list(y, 1)), length = list(list(y), list(y, 2)), used_before = list(list(y), list(y, 2)), local = list(list(y), list(y, 2)),
      of_default = list(list(y), list(y, 2), list(y, d = 3)), branch = list(list(y), list(y, K = 3), list(y, 2, 3)), bound = list(list(y)), chosen_first = list(list(y))
    )
  )
  skip_without_compiler()
  # Where it hangs on the data which value a default sees.
  hang <- list(
    function(y) { h <- function(v, r = v * 2) { p <- ifelse(v > 0, r, 1); v <- v + 1; p + r }; h(y) },
    function(y) { h <- function(v, r = v * 2) { p <- if (v > 0) r else 1; v <- v + 1; p + r }; s <- 0; for (k in seq_along(y)) s <- s * 0.5 + h(y[k]); s }
  )
  for (f in hang) expect_error(opencl_function(f)(rep(y, 7), device = "host"), "\"r\" is used first where a condition holds.*as r <- r")
  f <- opencl_function(function(y, b = s * 2) { s <- 1; for (t in seq_along(y)) s <- s * 0.5 + y[t] * b; s })
  on_each_device(function(device) if (compiler_here()) expect_error(f(rep(y, 7), device = device), "\"b\" is used first inside .*use it before the loop, as b <- b"))
})

test_that("after a loop its variable is the last element, bare, or NULL", {
  many <- rep(y, 7)
  expect_names_as_r(
    list(
      elements = function(y) { s <- 0; for (k in y) s <- s + k; s + k },
      carried = function(y) { s <- 0; for (k in y) s <- 0.5 * s + k^2; s * k },
      masks = function(y, k) { s <- 0; for (k in y) s <- 0.5 * s + k; s + k },
      no_rounds = function(y, n) { k <- 7; for (k in seq_len(n)) y <- y + k; if (is.null(k)) y * 2 else y * k }
    ),
    list(
      elements = list(list(c(b = 1)), list(c(b = 1, d = 2)), list(y), list(many), list(matrix(y, 3))), carried = list(list(y), list(many)),
      masks = list(list(y, 5), list(many, 5)), no_rounds = list(list(y, 0), list(y, 2))
    )
  )
  skip_without_compiler()
  left <- function(y, t) { s <- 0; for (t in seq_along(y)) { if (y[t] < -1) break; s <- 0.5 * s + y[t] }; s + t }
  expect_error(opencl_function(left)(y, 5, device = "host"), "`t` is the variable of .*which `break` may end.*last <- t")
  kept <- function(y, t) { s <- 0; last <- 0; for (t in seq_along(y)) { last <- t; if (y[t] < -1) break; s <- 0.5 * s + y[t] }; s + last }
  expect_equal(opencl_function(kept)(y, 5, device = "host"), kept(y, 5))
  once <- function(y) { s <- 0; for (k in seq_along(y)) { if (y[k] > 0) u <- y[k]; s <- s * 0.5 + y[k] }; s + u }
  expect_error(opencl_function(once)(y, device = "host"), "`u` has a value in one branch of .* only")
})

test_that("what is assigned where R may not come is refused behind it, compiled", {
  skip_without_compiler()
  of_logic <- function(y, q) { ok <- y[1] > 0 && { q <- 3; TRUE }; y * q }
  of_choice <- function(y, q) { p <- ifelse(y > 0, { q <- 2; y }, y); p * q }
  for (f in list(of_logic, of_choice)) expect_error(opencl_function(f)(y, 5, device = "host"), "`q` is assigned in a part of .* that R may not come to")
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (f in list(of_logic, of_choice)) expect_equal(opencl_function(f)(-y, 5, device = "host"), f(-y, 5))
})

test_that("an argument with the name of a function that is called is not a function", {
  f <- opencl_function(function(y, exp = 2) exp(y) * exp)
  g <- opencl_function(function(y, exp) exp(y))
  on_each_device(function(device) {
    expect_equal(f(y, device = device), exp(y) * 2)
    expect_equal(g(y, device = device), exp(y))
    expect_error(g(y, sin, device = device), "`exp` is given a function, and `f` calls exp\\(\\)", class = "nmathopencl_error")
  })
})

test_that("vectors of whole numbers and of TRUE and FALSE that a loop writes stay what they are", {
  functions <- list(
    whole = function(y, n) { v <- rep(1L, n); for (k in 2:n) v[k] <- v[k - 1] * 3L; v },
    counts = function(y, n) { v <- rep(0L, n); v[1] <- 1L; for (k in 2:n) v[k] <- if (y[k] > 0) v[k - 1] + 1L else 0L; v },
    tests = function(y, n) { v <- rep(FALSE, n); for (k in 2:n) v[k] <- y[k] > y[k - 1] && !v[k - 1]; v },
    missing = function(y, n) { v <- rep(NA, n); v[1] <- 0; for (k in 2:n) v[k] <- v[k - 1] * 0.5 + y[k]; v },
    wider = function(y, n) { v <- rep(1L, n); for (k in 2:n) v[k] <- v[k - 1] / 2L; v },
    branch = function(y, n) { v <- rep(1L, n); for (k in 2:n) if (y[k] > 0) v[k] <- v[k - 1] + 1L; sum(v) },
    table = function(y, n) { M <- matrix(0L, n, 2); for (t in 2:n) { M[t, 1] <- M[t - 1, 1] + 1L; M[t, 2] <- M[t, 1] * 2L }; M[, 2] },
    wider_table = function(y, n) { M <- matrix(NA, n, 2); M[1, 1] <- 0; for (t in 2:n) { M[t, 1] <- M[t - 1, 1] + y[t]; M[t, 2] <- M[t, 1] > 0 }; M[, 2] }
  )
  as_one(for (name in names(functions)) on_each_device(function(device) {
    f <- functions[[name]]
    g <- opencl_function(f)
    for (n in c(4L, 12L, 70L)) {
      long <- rep_len(y, n)
      r <- outcome_of(f(long, n))
      ours <- outcome_of(g(long, n, device = device))
      expect_equal(ours$value, r$value, tolerance = 1e-12, label = paste(name, n, device))
      expect_identical(typeof(ours$value), typeof(r$value), label = paste(name, n, device))
      expect_setequal(ours$reported, r$reported)
    }
  }))
})

test_that("the only element of a vector that is assigned has the wider type", {
  expect_as_r(function(y, k) { v <- y; v[1] <- k; v * 2000000000L }, 3, 2L)
  expect_as_r(function(y, k) { v <- y; v[1] <- k > 1; v }, 3L, 2)
  expect_as_r(function(y, k) { v <- y; v[1] <- k; v[1] <- 2L; v + 1L }, 3, 2147483647L)
  expect_as_r(function(y) { v <- numeric(1); v[1] <- sum(y > 0); v * 2000000000L }, c(1, 2, 3))
  expect_as_r(function(X, k) { X[1, 1] <- k; X * 2000000000L }, matrix(3, 1, 1), 2L)
  expect_as_r(function(X, k) { X[1, ] <- k; X * 2000000000L }, matrix(3, 1, 2), 2L)
  expect_as_r(function(X, k) { X[1, 2] <- k; X * 2000000000L }, matrix(3, 1, 2), 2L)
  expect_as_r(function(X, k) { X[1, ] <- k; X }, matrix(3L, 1, 2), 2.5)
  expect_as_r(function(X, k) { X[1, ] <- k > 1; X }, matrix(3L, 1, 2), 2.5)
  expect_as_r(function(y, k) { v <- y; v[1] <- k; v[2] <- k > 1; v[3] <- 2L; v }, 1:3, 2.5)
  expect_as_r(function(y) { v <- numeric(2); v[1] <- length(y); v[2] <- 3L; v * 2000000000L }, c(1, 2, 3))
  expect_as_r(function(X, k) { X[, 1] <- k > 1; X }, matrix(3L, 2, 1), c(2.5, 0))
  for (n in c(2L, 12L)) expect_as_r(function(y, m) { v <- m; for (k in seq_along(m)) v[k] <- any(y > m[k]); v }, c(3, 4), seq_len(n))
  counts <- function(y, m) { v <- numeric(length(m)); for (k in seq_along(m)) v[k] <- sum(y > m[k]); sum(v) * 2000000000L }
  for (m in list(1, 1:2, 1:12)) expect_as_r(counts, c(3, 4), m)
})
