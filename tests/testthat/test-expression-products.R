# X %*% b and gradients in b: one program for every number of columns, in reverse mode.

unoptimized_programs()

# What R makes of it, with the gradient by differences of the exact sums of a complex step where the function has one.
plain_gradient <- function(f, b, ...) {
  vapply(seq_along(b), function(j) {
    h <- 1e-4 * max(1, abs(b[j]))
    at <- function(k) {
      b[j] <- b[j] + k * h
      f(b, ...)
    }
    (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * h)
  }, 0)
}

poisson <- function(y, X, b, s) dpois(y, exp(X %*% b / s), log = TRUE)

problem <- function(n, p, seed = 1) {
  set.seed(seed)
  X <- matrix(stats::rnorm(n * p), n) / sqrt(p)
  list(X = X, b = stats::rnorm(p) / 2, y = stats::rpois(n, 2))
}

near <- function(a, b, tolerance = 1e-7) max(abs(a - b)) <= tolerance * max(1, abs(b))

test_that("one program serves every number of columns and rows", {
  for (device in expression_devices()) {
    f <- opencl_function(poisson, reduce = "sum", gradient = c("s", "b"))
    texts <- character()
    for (p in c(2L, 3L, 11L, 300L, 700L)) {
      for (n in c(901L, 2500L)) {
        q <- problem(n, p, p)
        r <- f(q$y, q$X, q$b, 1.5, device = device)
        eta <- drop(q$X %*% q$b) / 1.5
        mu <- exp(eta)
        g <- c(-sum((q$y - mu) * eta) / 1.5, drop(crossprod(q$X, q$y - mu)) / 1.5)
        expect_equal(as.vector(r), sum(stats::dpois(q$y, mu, log = TRUE)), tolerance = 1e-12)
        expect_true(near(attr(r, "gradient"), g, 1e-12))
        expect_named(attr(r, "gradient"), c("s", paste0("b", seq_len(p))))
        texts <- c(texts, as.character(f))
        if (n == 2500L && p == 11L) expect_identical(f(q$y, q$X, q$b, 1.5, device = device), r) # the same bits
      }
    }
    expect_length(unique(texts), 1L)
    names(q$b) <- paste0("n", seq_along(q$b))
    expect_named(attr(f(q$y, q$X, q$b, 1.5, device = device), "gradient"), c("s", names(q$b)))
  }
})

test_that("means, groups, and rows that are left out", {
  q <- problem(1500L, 4L)
  q$y[c(3L, 700L)] <- NA
  q$X[5L, 2L] <- NA
  g <- factor(sample(c("a", "b", "c", "none"), 1500L, TRUE), levels = c("a", "b", "c", "empty"))
  stays <- !is.na(q$y) & stats::complete.cases(q$X)
  mu <- exp(drop(q$X %*% q$b) / 2)
  scores <- q$X * (q$y - mu) / 2
  value <- stats::dpois(q$y, mu, log = TRUE)
  for (device in expression_devices()) {
    for (op in c("sum", "mean")) {
      f <- opencl_function(poisson, reduce = op, na.rm = TRUE, gradient = "b")
      r <- f(q$y, q$X, q$b, 2, device = device)
      by_r <- get(op)
      expect_equal(as.vector(r), by_r(value[stays]), tolerance = 1e-12)
      expect_equal(unname(attr(r, "gradient")), unname(apply(scores[stays, ], 2L, by_r)), tolerance = 1e-11)
      grouped <- f(q$y, q$X, q$b, 2, by = g, device = device)
      for (level in c("a", "b", "c")) {
        rows <- which(stays & g == level)
        expect_equal(grouped[[level]], by_r(value[rows]), tolerance = 1e-12)
        expect_equal(unname(attr(grouped, "gradient")[level, ]), unname(apply(scores[rows, ], 2L, by_r)), tolerance = 1e-11)
      }
      expect_true(all(is.na(attr(grouped, "gradient")["empty", ])))
      all_rows <- opencl_function(poisson, reduce = op, gradient = "b")(q$y, q$X, q$b, 2, device = device)
      expect_true(is.na(all_rows) && all(is.na(attr(all_rows, "gradient"))))
    }
  }
})

test_that("missing values are NA before NaN, in each column apart", {
  X <- cbind(c(1, 2, 3), c(0, NA, 1), c(NaN, 1, 2))
  for (device in expression_devices()) {
    f <- opencl_function(function(X, b, w) w * ifelse(w > 1, X %*% b, 0), reduce = "sum", gradient = "b")
    r <- attr(f(X, c(1, 2, 3), c(0.5, 0.5, 2), device = device), "gradient")
    expect_identical(unname(r), c(6, 2, 4)) # rows that are not taken have no part
    r <- attr(f(X, c(1, 2, 3), c(0.5, 2, 2), device = device), "gradient")
    expect_identical(unname(r[c(1L, 3L)]), c(10, 6))
    expect_true(is.na(r[2L]) && !is.nan(r[2L]))
    r <- attr(f(X, c(1, 2, 3), c(2, 2, NA), device = device), "gradient")
    expect_true(all(is.na(r) & !is.nan(r)))
    r <- attr(f(X[-2L, ], c(1, 2, 3), c(2, 2), device = device), "gradient")
    expect_identical(unname(r[1:2]), c(8, 2))
    expect_true(is.nan(r[3L]))
  }
})

test_that("several products, whole numbers, rows that recur and rows that are cut", {
  set.seed(3)
  X <- matrix(stats::rnorm(12 * 3), 12)
  Z <- matrix(sample(-2:3, 12 * 2, TRUE), 12)
  storage.mode(Z) <- "integer"
  y <- stats::rnorm(24)
  b <- c(0.5, -1, 0.25)
  u <- c(2L, -1L)
  cases <- list(
    function(b, u, X, Z, y) (y - X %*% b - Z %*% u)^2, # y is twice as long
    function(b, u, X, Z, y) exp(-(X %*% b)^2) * (Z %*% u),
    function(b, u, X, Z, y) ifelse(y[1:6] > 0, X %*% b, (X %*% b)^2), # cut to six
    function(b, u, X, Z, y) pmin(X %*% b, Z %*% u),
    function(b, u, X, Z, y) dnorm(y, X %*% b, 1 + (Z %*% u)^2, log = TRUE)
  )
  in_r <- list(
    function(b) (y - rep(drop(X %*% b), 2) - rep(drop(Z %*% u), 2))^2, function(b) drop(exp(-(X %*% b)^2) * (Z %*% u)),
    function(b) ifelse(y[1:6] > 0, (X %*% b)[1:6], (X %*% b)[1:6]^2), function(b) drop(pmin(X %*% b, Z %*% u)),
    function(b) stats::dnorm(y, rep(drop(X %*% b), 2), 1 + rep(drop(Z %*% u)^2, 2), log = TRUE)
  )
  test <- y[1:6] > 0
  ours <- cases
  ours[[1L]] <- function(b, u, X, Z, y) (y - as.numeric(X %*% b) - as.numeric(Z %*% u))^2
  ours[[3L]] <- function(b, u, X, Z, test) ifelse(test, X %*% b, (X %*% b)^2)
  ours[[5L]] <- function(b, u, X, Z, y) dnorm(y, as.numeric(X %*% b), 1 + as.numeric(Z %*% u)^2, log = TRUE)
  for (device in expression_devices()) {
    for (k in c(1:5)) {
      given <- if (k == 3L) list(b, u, X, Z, test, device = device) else list(b, u, X, Z, y, device = device)
      summed <- do.call(opencl_function(ours[[k]], reduce = "sum", gradient = "b"), given)
      expect_true(near(as.vector(summed), sum(in_r[[k]](b)), 1e-13), info = paste(device, k))
      expect_true(near(attr(summed, "gradient"), plain_gradient(function(b) sum(in_r[[k]](b)), b), 1e-8), info = paste(device, k))
      each <- do.call(opencl_function(ours[[k]], gradient = "b"), given)
      expect_equal(dim(attr(each, "gradient")), c(length(in_r[[k]](b)), 3L))
      expect_true(near(colSums(attr(each, "gradient")), attr(summed, "gradient"), 1e-13), info = paste(device, k))
    }
    both <- opencl_function(ours[[5L]], reduce = "sum", gradient = c("u", "b"))(b, as.double(u), X, Z, y, device = device)
    expect_named(attr(both, "gradient"), c("u1", "u2", "b1", "b2", "b3"))
    expect_true(near(attr(both, "gradient")[1:2], plain_gradient(function(u) {
      sum(stats::dnorm(y, rep(drop(X %*% b), 2), 1 + rep(drop(Z %*% u)^2, 2), log = TRUE))
    }, as.double(u)), 1e-8))
    twice <- opencl_function(function(b, X, Z) exp(X %*% b) * (Z %*% b), reduce = "sum", gradient = "b")
    W <- Z[, c(1L, 2L, 1L)]
    expect_true(near(
      attr(twice(b, X, W, device = device), "gradient"), plain_gradient(function(b) sum(exp(X %*% b) * (W %*% b)), b), 1e-8
    ))
    none <- opencl_function(function(b, X) 0 * length(X) + floor(X %*% b), reduce = "sum", gradient = "b")
    expect_identical(unname(attr(none(b, X, device = device), "gradient")), numeric(3))
  }
})

test_that("a gradient in the matrix is refused, and a vector that is more than coefficients", {
  X <- matrix(1:6 / 7, 3)
  expect_error(opencl_function(function(X, b) X %*% b, gradient = "X")(X, c(1, 2)), "a matrix of which products or columns are taken, is not supported", class = "nmathopencl_error")
  f <- opencl_function(function(X, b) (X %*% b) * b, gradient = "b")
  expect_error(f(X[1:2, ], c(1, 2)), "not only a vector of coefficients", class = "nmathopencl_error")
})

test_that("a branch that is not taken leaves nothing in a gradient", {
  for (device in expression_devices()) {
    f <- opencl_function(function(x, a) ifelse(x > 0, log(x * a), sqrt(-x * a)), reduce = "sum", gradient = "a")
    expect_equal(attr(suppressWarnings(f(c(1, -4, 2, -1), 2, device = device)), "gradient"), c(a = 1 + 1 / sqrt(2) + 1 / sqrt(8)), tolerance = 1e-15)
    f <- opencl_function(function(x, a) ifelse(x > 0, ifelse(x > 1, log(x - 1 + 0 * a) * a, x^a), -a / x), reduce = "sum", gradient = "a")
    x <- c(3, 0.5, -2)
    expect_equal(attr(suppressWarnings(f(x, 1.5, device = device)), "gradient"), c(a = log(2) + 0.5^1.5 * log(0.5) + 0.5), tolerance = 1e-15)
  }
})

test_that("many products in one expression", {
  set.seed(5)
  X <- matrix(stats::rnorm(2100), 700)
  many <- function(k) {
    names <- paste0("b", seq_len(k))
    sum_of <- Reduce(function(a, name) call("+", a, call("sin", call("%*%", quote(X), as.symbol(name)))), names, 0)
    as.function(c(stats::setNames(rep(alist(x = ), k + 1L), c("X", names)), sum_of))
  }
  b <- lapply(1:9, function(k) stats::rnorm(3))
  exact <- unlist(lapply(b, function(b) crossprod(X, cos(X %*% b))))
  for (device in expression_devices()) {
    f <- opencl_function(many(9L), reduce = "sum", gradient = paste0("b", 1:9))
    expect_true(near(attr(do.call(f, c(list(X), b, device = device)), "gradient"), exact, 1e-13))
  }
  if (!compiler_here()) return(invisible())
  f <- opencl_function(many(21L), reduce = "sum", gradient = paste0("b", 1:21))
  expect_error(do.call(f, c(list(X), rep(b, 3L)[1:21], device = "host")), "are more than 20", class = "nmathopencl_error")
})
