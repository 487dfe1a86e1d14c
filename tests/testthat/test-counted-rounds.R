# while loops that count up to a length, anyNA(), append(), rows that do.call() binds, matrices of computed numbers, by() and aggregate() by a name of
# their own: R is the judge.

unoptimized_programs()
hosts_alone()

one_of <- function(...) sample(list(...), 1L)[[1L]]
any_counted <- function() {
  from <- sample(1:3, 1L)
  end <- one_of(quote(length(y)), quote(n), quote(length(y) - 1), quote(nrow(X)), quote(2 + n - 2))
  test <- one_of(call("<=", quote(i), end), call("<", quote(i), end))
  raise <- one_of(quote(i <- i + 1), quote(i <- 1 + i), quote(i <- i + 1L))
  step <- one_of(
    quote(a <- p[2] * a + y[i]), quote(h[i] <- p[1] + p[2] * h[max(i - 1, 1)]), quote(s <- s + (y[i] - a)^2 * i / 2), quote(s <- s + i * i * p[1]),
    quote(if (y[i] > 0) s <- s + p[1] else a <- a + i %/% 2), quote({ a <- a * plogis(p[1]) + X[i, 2]; s <- s + dnorm(y[i], a, 1, log = TRUE) })
  )
  if (grepl("i - 1", deparse1(step), fixed = TRUE)) step <- quote(h[i] <- p[1] + p[2] * y[i]^2)
  behind <- one_of(NULL, quote(s <- s + i * p[2]), list(quote(i <- 2), call("while", quote(i <= length(y)), quote({ s <- s + y[i - 1] * p[1]; i <- i + 1 }))))
  start <- call("<-", quote(i), if (sample(2L, 1L) == 1L) from else as.numeric(from))
  as.call(c(quote(`{`), quote(n <- length(y)), quote(h <- numeric(n)), quote(a <- 0), quote(s <- 0), start, call("while", test, call("{", step, raise)), behind, quote(s + a * p[1] + sum(h) * p[2])))
}

test_that("random loops that count have R's values and gradients", {
  as_one(for (case in seq_len(cases(120, 20, 8))) {
    set.seed(8200 + case)
    n <- sample(c(3L, 9L, 20L), 1L)
    made <- any_counted()
    f <- eval(call("function", as.pairlist(alist(p = , y = , X = )), made))
    values <- list(p = c(0.3, 0.6), y = round(rnorm(n), 2), X = matrix(round(rnorm(2 * n), 2), n))
    known <- do.call(f, values)
    slopes <- differences(f, values, "p")
    for (way in ways_of(case)) {
      ours <- in_way(way, do.call(opencl_function(f, gradient = "p"), c(values, device = device_of_way(way))))
      expect_equal(as.vector(ours), known, tolerance = 1e-10, info = paste(case, way, deparse1(made)))
      expect_equal(unname(c(attr(ours, "gradient"))), slopes, tolerance = 1e-6, info = paste(case, way, deparse1(made)))
    }
  })
})

test_that("a loop that counts has any number of rounds, and counts in doubles", {
  d <- rep(c(0.5, 2, 1), 40)
  acd <- function(par, d) {
    psi <- numeric(length(d))
    psi[1] <- mean(d)
    i <- 2
    while (i <= length(d)) {
      psi[i] <- par[1] + par[2] * d[i - 1] + par[3] * psi[i - 1]
      i <- i + 1
    }
    sum(log(psi) + d / psi)
  }
  expect_likelihood(acd, list(par = c(0.2, 0.1, 0.6), d = d), "par")
  cubes <- function(p, d) { s <- 0; i <- 1; while (i <= length(d)) { s <- s + p * i * i * i * 1e4; i <- i + 1 }; s } # beyond integers
  expect_equal(as.vector(opencl_function(cubes)(0.5, rep(d, 3))), cubes(0.5, rep(d, 3)))
})

test_that("forms that others have for what the language has", {
  skip_on_cran() # a matter of seconds
  x <- c(0.3, 1.2, -0.4, 2.1, 0.7)
  d <- data.frame(id = c(1, 2, 1, 3, 2), y = x)
  for (f in list(
    function(p, x, d) if (anyNA(p) || anyNA(x)) 1e6 else sum((x - p[1])^2) * p[2],
    function(p, x, d) { r <- c(); for (i in seq_along(x)) r <- append(r, x[i] - p[1] * i); sum(r^2) * p[2] },
    function(p, x, d) { M <- do.call(rbind, lapply(1:3, function(k) p[1] * k^(0:4))); sum(M %*% x) * nrow(M) + sum(M[2, ]) * p[2] + ncol(M) },
    function(p, x, d) { M <- do.call("rbind", lapply(1:2, function(k) p[k])); sum(M) * nrow(M) * 10 + ncol(M) },
    function(p, x, d) { M <- do.call(cbind, lapply(1:2, function(k) p[k])); sum(M) * nrow(M) * 10 + ncol(M) },
    function(p, x, d) { M <- t(do.call(cbind, lapply(1:2, function(k) p[k]))); sum(M) * nrow(M) * 10 + ncol(M) },
    function(p, x, d) { M <- do.call(cbind, lapply(1, function(k) p[k] * x)); sum(M) * nrow(M) * 10 + ncol(M) + p[2] },
    function(p, x, d) { r <- by(d, d$id, function(e) sum(e$y * p[1])^2); sum(unlist(r)) * p[2] },
    function(p, x, d) { r <- by(d, d$id, function(e) sum(e$y * p[1])^2); sum(r) * p[2] },
    function(p, x, d) sum(aggregate(y ~ id, data = d, FUN = mean)$y * p[1]) + p[2],
    function(p, x, d) { a <- aggregate(y ~ id, d, sum); sum((a$y - p[1])^2) * p[2] + sum(a$y) },
    function(p, x, d) { r <- x * p[1]; a <- aggregate(r, by = list(d$id), FUN = sum); sum(a$x^2) * p[2] }
  )) expect_likelihood(f, list(p = c(0.4, 0.7), x = x, d = d), "p")
})

test_that("matrices of as many computed numbers as they have elements", {
  set.seed(3)
  for (n in c(30L, 41L)) {
    values <- list(b = c(0.2, 0.3), a = c(-0.4, 0.3), X = cbind(1, rnorm(n)), W = cbind(1, rnorm(3 * n)), Y = matrix(rbinom(3 * n, 1, 0.4), n))
    for (f in list(
      function(b, a, X, W, Y) { psi <- plogis(X %*% b); p <- plogis(matrix(W %*% a, nrow(Y))); -sum(log(psi * apply(p^Y * (1 - p)^(1 - Y), 1, prod) + (1 - psi) * (rowSums(Y) == 0))) },
      function(b, a, X, W, Y) { psi <- plogis(X %*% b); p <- plogis(matrix(W %*% a, nrow(Y), ncol(Y), byrow = TRUE)); -sum(log(psi * apply(p^Y * (1 - p)^(1 - Y), 1, prod) + (1 - psi) * (rowSums(Y) == 0))) },
      function(b, a, X, W, Y) { M <- matrix(W %*% a, ncol = 3); sum(M[, 1] * M[, 2]) + sum(M[2, ]) + sum(M[-1, 3]) + M[3, 2] * b[1] + sum(colSums(M)^2) + b[2] * sum(M * X[, 2]) },
      function(b, a, X, W, Y) { M <- matrix(W %*% a, ncol = 3, byrow = TRUE); sum(M[, 1] * M[, 3]) + sum(M[2, ]) * b[1] + sum(M[Y[, 1] + 1, 2]) + b[2] * sum(M * Y) }
    )) expect_likelihood(f, values, c("b", "a"), tolerance = 1e-6)
  }
})

test_that("counts of integers, ends that are given behind the loop, and functions of one's own are R's", {
  y <- c(1, 2, 3)
  p <- 0.3
  end <- 2.5
  judge <- function(f) {
    known <- suppressWarnings(f(p, y))
    for (way in c(if (compiler_here()) "0", "plain")) {
      withr_options(list(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler")), environment())
      ours <- tryCatch(as.vector(suppressWarnings(opencl_function(f, gradient = "p")(p, y, device = "0"))), nmathopencl_error = identity)
      if (!inherits(ours, "error")) expect_identical(typeof(ours), typeof(known))
      if (!inherits(ours, "error")) expect_equal(ours, as.vector(known), info = deparse1(f))
    }
  }
  counting <- function(p, y) { s <- 0; i <- 1; while (i <= length(y)) { s <- s + i * p; i <- i + 1 }; s }
  as_one({
    judge(function(p, y) { s <- 0; i <- 1L; while (i <= length(y)) { s <- s + (i * 30000L * 30000L) * p; i <- i + 1L }; s })
    judge(function(p, y) { s <- 0; i <- 1; while (i < end) { s <- s + y[i] * p; i <- i + 1 }; end <- length(y); s + end })
    judge(function(p, y) { as.double <- function(x) x * 100; s <- as.double(1); i <- 1; while (i <= length(y)) { s <- s + i * p; i <- i + 1 }; s })
    for (own in list(list(as.double = function(x) x * 100), list(`:` = function(a, b) c(a, b)), list(`>=` = function(a, b) FALSE))) {
      environment(counting) <- list2env(own, parent = globalenv())
      judge(counting)
    }
  })
})
