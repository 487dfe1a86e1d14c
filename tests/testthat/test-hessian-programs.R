# Hessians of many numbers, nine or more: how many programs they take, which do not depend on how many numbers, rounds, rows or levels there are.

unoptimized_programs()
set.seed(91)
n <- 60L
y <- rpois(n, 2)
nodes_of <- function(K) seq(-3, 3, length.out = K)

# How many programs a call builds, after others have built theirs.
built_by <- function(code) {
  before <- compilations()
  force(code)
  compilations() - before
}

test_that("Hessians of any number of columns, levels, rows and rounds share their programs", {
  skip_without_compiler()
  withr_options(list(nmathopencl.device = "host"), environment())
  # `sizes`: of the parts of `values(k)`
  judge <- function(f, names, values, sizes) {
    made <- opencl_function(f, gradient = names, hessian = TRUE)
    do.call(made, values(sizes[1L]))
    for (size in sizes[-1L]) {
      at <- values(size)
      expect_identical(built_by(found <- do.call(made, at)), 0L)
      known <- gradient_and_differences(f, at, names)
      hessian <- as.matrix(attr(found, "hessian"))
      expect_identical(dim(hessian), dim(known$differences))
      expect_lt(max(abs(hessian - known$differences)) / max(abs(known$differences)), 1e-7)
      expect_identical(unname(attr(found, "gradient")), known$gradient)
    }
  }
  design <- function(p) cbind(1, matrix(round(rnorm(n * (p - 1)), 2), n))
  judge(
    function(y, X, b, s) sum(dnbinom(y, mu = exp(X %*% b), size = exp(s), log = TRUE)), c("b", "s"),
    function(p) list(y = y, X = design(p), b = seq(0.1, -0.1, length.out = p), s = 0.3), c(12, 20, 9)
  )
  judge(
    function(y, X, par) sum(dnbinom(y, mu = exp(X %*% par[-1]), size = exp(par[1]), log = TRUE)), "par",
    function(p) list(y = y, X = design(p), par = c(0.3, seq(0.1, -0.1, length.out = p))), c(10, 14)
  )
  judge(
    function(y, X, b, u, s, g) sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE)), c("b", "u", "s"),
    function(p) list(y = y, X = design(p), b = seq(0.1, -0.1, length.out = p), u = round(rnorm(p + 3), 2), s = 0.2, g = rep_len(seq_len(p + 3), n)), c(9, 12)
  )
  judge(
    function(y, X, b, ls, nodes) {
      eta <- X %*% b
      total <- 0
      for (q in seq_along(nodes)) total <- total + dnorm(nodes[q]) * dpois(y, exp(eta + exp(ls) * nodes[q]))
      sum(log(total))
    }, c("b", "ls"), function(K) list(y = y, X = design(9), b = seq(0.2, -0.1, length.out = 9), ls = -0.3, nodes = nodes_of(K)), c(12, 50)
  )
})

test_that("items of a test, with rounds that are written out, take as many programs for many parameters as for few", {
  skip_on_cran()
  skip_without_compiler()
  withr_options(list(nmathopencl.device = "host"), environment())
  items <- function(J) {
    Y <- matrix(rbinom(n * J, 1, 0.5), n)
    nodes <- nodes_of(5)
    w <- dnorm(nodes)
    f <- function(a, d) {
      total <- 0
      for (k in 1:5) {
        eta <- a * nodes[k] + d
        l <- drop(Y %*% eta) - sum(log1p(exp(eta)))
        total <- total + w[k] * exp(l)
      }
      -sum(log(total))
    }
    made <- opencl_function(f, gradient = c("a", "d"), hessian = TRUE)
    values <- list(a = seq(0.5, 1.5, length.out = J), d = seq(-0.5, 0.5, length.out = J))
    programs <- built_by(found <- do.call(made, values))
    known <- gradient_and_differences(f, values, c("a", "d"))
    expect_lt(max(abs(attr(found, "hessian") - known$differences)) / max(abs(known$differences)), 1e-6)
    programs
  }
  first <- items(5)
  expect_gt(first, 0L)
  expect_identical(items(11), 0L)
})

test_that("at many points, with names, warnings and a default, Hessians are those of single calls", {
  f <- opencl_function(
    function(y, b, s = 0.1) sum(dnorm(y, b[1] + b[2] * sqrt(y - 0.5), exp(s), log = TRUE)), gradient = c("b", "s"), hessian = TRUE
  )
  on_each_device(function(device) {
    expect_warning(value <- f(c(0, 1, 2), c(u = 0.1, v = 0.2), device = device), "NaNs produced")
    expect_identical(as.vector(value), NaN)
    expect_identical(dim(attr(value, "hessian")), c(3L, 3L))
    expect_silent(value <- f(c(1, 2, 4), c(u = 0.1, v = 0.2), device = device))
    expect_identical(dimnames(attr(value, "hessian")), rep(list(c("u", "v", "s")), 2L))
    together <- f(c(1, 2, 4), over = list(b = rbind(c(u = 0.1, v = 0.2), c(0.3, -0.1))), device = device)
    expect_identical(attr(together, "hessian")[1L, , ], attr(value, "hessian"))
    expect_identical(attr(together, "gradient")[1L, ], attr(value, "gradient"))
    single <- f(c(1, 2, 4), c(u = 0.3, v = -0.1), device = device)
    expect_identical(attr(together, "hessian")[2L, , ], attr(single, "hessian"))
  })
})

test_that("a helper that is replaced is another one in the Hessian, too", {
  home <- new.env()
  home$power <- function(x) x^3
  f <- function(y, b) sum(power(y * b[1] + b[2]))
  environment(f) <- home
  made <- opencl_function(f, gradient = "b", hessian = TRUE)
  at <- function() unname(attr(made(c(1, 2), c(0.5, 0.1), device = "host"), "hessian"))
  eta <- c(1, 2) * 0.5 + 0.1
  design <- cbind(c(1, 2), 1)
  expect_equal(at(), crossprod(design, design * 6 * eta))
  home$power <- function(x) x^2
  expect_equal(at(), crossprod(design, design * 2))
})
