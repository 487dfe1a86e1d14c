# Vectors, groups and rows of nothing: R's value, or an error that says so.

unoptimized_programs()

test_that("vectors of nothing are R's, with their gradients", {
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
      old <- options(nmathopencl.compiler = if (!compiled) FALSE)
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
      old <- options(nmathopencl.compiler = if (!compiled) FALSE)
      expect_equal(opencl_function(f)(c(p = 1, q = 2), 3:4, device = "0"), f(c(p = 1, q = 2), 3:4), info = deparse1(f))
      options(old)
    }
  }
})

test_that("lists of nothing and rows of number 0 are errors that say so", {
  X <- cbind(c(1, 2, 3), c(0.5, -1, 2))
  for (compiled in c(TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = if (!compiled) FALSE)
    refused <- function(f, text) expect_error(opencl_function(f, gradient = "par")(c(1, 2), device = "0"), text, fixed = TRUE)
    refused(function(par) sum(sapply(seq_len(0), function(i) par[1] * i)) + par[2], "of which R makes a list")
    refused(function(par) sum(X[0, , drop = FALSE] %*% par), "from 1 on")
    refused(function(par) sum(X[4, ] * par), "subscript out of bounds")
    options(old)
  }
})
