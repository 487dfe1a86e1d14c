# Vectors, groups and rows of nothing: R's value, or an error that says so.

unoptimized_programs()

test_that("vectors of nothing are R's, with their gradients", {
  skip_on_cran() # a matter of seconds
  none <- numeric()
  nowhere <- factor(character())
  functions <- list(
    function(par) sum(cbind(par, numeric()) * 2), function(par) sum(cbind(a = 1:2, numeric(), par) %*% c(1, 2)), function(par) sum(rbind(numeric(), par) %*% c(3, 4)),
    function(par) sum(vapply(seq_len(0), function(i) par[1] * i, 0)) + par[2], function(par) sum(vapply(numeric(), function(i) par[1] * i, numeric(1))) + par[2],
    function(par) { s <- numeric(); sum(s) + length(s) + par[1] }, function(par) { k <- 0; for (i in seq_len(0)) k <- k + par[1]; k + par[2] },
    function(par) sum(par[numeric(0)]) + par[1], function(par) prod(numeric()) * par[1], function(par) sum(unlist(lapply(split(none, none), function(v) v - par[1]))) + par[2],
    function(par) sum(vapply(split(none, nowhere), function(v) sum(v) * par[1], 0)) + par[2],
    function(par) { s <- integer(3); s[2] <- 4L; sum(s) * par[1] }, function(par) { s <- logical(2); t <- integer(); sum(s) + sum(t) + par[1] },
    function(par) { s <- vector("integer", 2); sum(s) + par[1] }, function(par) sum(cbind(diag(2), numeric()) %*% par), function(par) sum(vapply(split(c(1, 2), c(NA, NA)), function(v) sum(v) - par[1], 0)) + par[2]
  )
  for (f in functions) {
    par <- c(0.4, 0.7)
    r <- f(par)
    for (compiled in c(TRUE, FALSE)) {
      old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
      ours <- tryCatch(opencl_function(f, gradient = "par")(par, device = "0"), nmathopencl_error = identity)
      alone <- tryCatch(opencl_function(f)(par, device = "0"), nmathopencl_error = identity)
      options(old)
      expect_equal(alone, r, tolerance = 1e-14, info = deparse1(f))
      expect_identical(typeof(alone), typeof(r), info = deparse1(f))
      expect_equal(unname(attr(ours, "gradient")), differences(function(par) as.vector(f(par)), list(par = par), "par"), tolerance = 1e-7, info = deparse1(f))
    }
  }
})

test_that("names of what is bound beside nothing are R's", {
  for (f in list(function(x, y) cbind(x, numeric(), y), function(x, y) cbind(a = x, b = numeric(), 2), function(x, y) rbind(x, z = numeric(), y), function(x, y) x > logical(2), function(x, y) y + integer(2))) {
    for (compiled in c(TRUE, FALSE)) {
      old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
      expect_equal(opencl_function(f)(c(p = 1, q = 2), 3:4, device = "0"), f(c(p = 1, q = 2), 3:4), info = deparse1(f))
      options(old)
    }
  }
})

test_that("lists of nothing and rows of number 0 are errors that say so", {
  X <- cbind(c(1, 2, 3), c(0.5, -1, 2))
  for (compiled in c(TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
    refused <- function(f, text) expect_error(opencl_function(f, gradient = "par")(c(1, 2), device = "0"), text, fixed = TRUE)
    refused(function(par) sum(sapply(seq_len(0), function(i) par[1] * i)) + par[2], "of which R makes a list")
    refused(function(par) sum(X[0, , drop = FALSE] %*% par), "from 1 on")
    refused(function(par) sum(X[4, ] * par), "subscript out of bounds")
    options(old)
  }
})

test_that("items side by side and added up are R's, of vectors of nothing, too", {
  skip_on_cran() # a matter of seconds
  calls <- function(...) lapply(list(...), function(x) list(x, c(0.3, 0.7), 2L))
  some <- calls(c(0.5, 2, 4), numeric(), 3, c(a = 1, b = 2), c(1L, NA))
  expect_called_as_r(function(x, p, K) do.call(rbind, lapply(seq_len(K), function(k) x * p[1]^k)), some)
  expect_called_as_r(function(x, p, K) do.call("cbind", lapply(1:3, function(k) x * p[1]^k)), some)
  expect_called_as_r(function(x, p, K) do.call(rbind, lapply(x, function(k) p[1]^k)), some[-2L])
  expect_called_as_r(function(x, p, K) sum(do.call(rbind, lapply(1:3, function(k) x * p[1]^k))^2) + p[2], some)
  expect_called_as_r(function(x, p, K) sum(do.call(rbind, lapply(1:3, function(k) x * p[1]^k))^2) + p[2], some[-2L], "p", everywhere = TRUE)
  counts <- lapply(c(2, 0, 1, 5), function(K) list(c(0.5, 2), c(0.3, 0.7), K))
  expect_called_as_r(function(x, p, K) sum(Reduce(`+`, lapply(seq_len(K), function(k) x * p[1]^k), x)), counts, "p", everywhere = TRUE)
  expect_called_as_r(function(x, p, K) Reduce(`+`, lapply(seq_len(K), function(k) x * p[1]^k), 0L), counts)
})

test_that("what is NULL in R, of no items, is an error that says so", {
  for (compiled in c(TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
    refused <- function(f, text) {
      made <- opencl_function(f)
      expect_type(made(c(0.5, 2), 0.3, 2, device = "0"), "double")
      expect_error(made(c(0.5, 2), 0.3, 0, device = "0"), text, fixed = TRUE)
    }
    refused(function(x, p, K) x * Reduce(`+`, lapply(seq_len(K), function(k) p^k)), "Reduce() of no items is NULL in R")
    refused(function(x, p, K) x * Reduce(`*`, lapply(seq_len(K), function(k) p^k)), "Reduce() of no items is NULL in R")
    refused(function(x, p, K) x * Reduce(`+`, Map(function(a, b) a * b, x[seq_len(K)], x[seq_len(K)])), "Reduce() of no items is NULL in R")
    refused(function(x, p, K) sum(x) + Reduce(function(a, b) a * p + b, x[seq_len(K)]), "Reduce() of no elements is NULL in R")
    if (compiled && compiler_here()) refused(function(x, p, K) do.call(rbind, lapply(seq_len(K), function(k) x * p)), "rbind() of no items is NULL in R")
    expect_identical(opencl_function(function(x, p) sum(do.call(cbind, lapply(seq_along(x), function(k) p))))(numeric(), 1, device = "0"), 0L)
    options(old)
  }
})

test_that("sums of the groups of a vector without elements are an error, as those of no items are", {
  f <- function(y, id) Reduce(`+`, lapply(split(y, id), sum))
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    expect_equal(opencl_function(f)(c(1, 2, 4), c(1L, 2L, 1L)), 7)
    expect_error(opencl_function(f)(integer(), integer()), "Reduce() of no items is NULL in R", fixed = TRUE)
    options(old)
  }
})
