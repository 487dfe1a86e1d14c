# chol(), solve(), det() and their like, of matrices that the body makes of parameters, and elements of small matrices that are assigned.

unoptimized_programs()

one <- function(...) sample(list(...), 1L)[[1L]]

# A matrix of k rows of numbers of `par`; `positive`: of which there is a Cholesky factor.
any_square <- function(k, positive) {
  all <- bquote(matrix(par[1:.(k * k)], .(k)))
  root <- one(all, bquote({ L <- matrix(0, .(k), .(k)); L[lower.tri(L, diag = TRUE)] <- par[1:.(k * (k + 1) / 2)]; L }), bquote(diag(par[1:.(k)], .(k)) + 0.3 * .(all)))
  symmetric <- one(bquote(crossprod(.(root)) + diag(.(k))), bquote(.(root) %*% t(.(root)) + diag(par[1]^2 + 0.5, .(k))), bquote({ S <- crossprod(.(root)); diag(S) <- diag(S) + 1; S }))
  if (positive || runif(1) < 0.3) symmetric else one(all, bquote(.(all) %*% .(symmetric)), bquote(t(.(root)) + diag(.(k))))
}

# A number made of such matrices.
any_use <- function(k) {
  A <- any_square(k, FALSE)
  S <- any_square(k, TRUE)
  v <- bquote(par[1:.(k)])
  one(
    bquote(sum(solve(.(A)) * .(S))), bquote(sum(solve(.(A), .(v))^2)), bquote(sum(solve(.(A), .(S)))), bquote(log(det(.(S)))), bquote(det(.(A)) + par[2]),
    bquote(sum(log(diag(chol(.(S)))))), bquote(sum(chol2inv(chol(.(S))) * .(A))), bquote(sum(backsolve(chol(.(S)), .(v), transpose = TRUE)^2)),
    bquote(sum(forwardsolve(t(chol(.(S))), .(A)))), bquote(determinant(.(A))$modulus[1]), bquote(sum(backsolve(chol(.(S)), .(S), upper.tri = TRUE))),
    bquote(sum(Y[, 1:.(k)] %*% solve(.(S)) * Y[, 1:.(k)])), bquote(sum(solve(t(chol(.(S))), t(Y[, 1:.(k)]))^2)), bquote(sum(mahalanobis(Y[, 1:.(k)], .(v), .(S)))),
    bquote(sum(backsolve(chol(.(S)), t(Y[, 1:.(k)]) - .(v), transpose = TRUE)^2)), bquote(drop(t(.(v)) %*% solve(.(S)) %*% .(v)))
  )
}

test_that("random uses of small matrices of parameters give R's numbers, and gradients those of differences", {
  tried <- 0
  as_one(for (case in seq_len(cases(60, 25, 6))) {
    set.seed(900 + case)
    k <- sample(2:3, 1L)
    body <- any_use(k)
    f <- as.function(c(alist(par = ), body), envir = list2env(list(Y = matrix(round(rnorm(4 * 11), 2), 11)), parent = globalenv()))
    par <- round(rnorm(9), 2) + 0.1
    r <- tryCatch(as.vector(f(par)), error = conditionMessage)
    told <- paste("case", case, deparse1(body))
    for (device in ways_of(case)) {
      old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
      where <- if (device == "plain") "0" else device
      h <- opencl_function(f, gradient = "par")
      for (turn in 1:2) {
        ours <- tryCatch(h(par, device = where), error = conditionMessage)
        if (is.character(r)) {
          expect_true(is.character(ours), info = told)
        } else {
          expect_equal(as.vector(ours), r, tolerance = 1e-9, info = told)
          if (turn == 2L) {
            slopes <- differences(function(par) as.vector(f(par)), list(par = par), "par")
            expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-5 * (1 + max(abs(slopes))), info = told)
          }
          tried <- tried + 1
        }
      }
      options(old)
    }
  })
  expect_gt(tried, cases(100, 20, 4))
})

test_that("where R would stop, the call stops, and later calls are as before", {
  chosen <- function(par) sum(chol(matrix(c(par[1], par[2], par[2], 1), 2)))
  inverse <- function(par) sum(solve(matrix(c(par[1], par[2], par[2], 1), 2)) * Y[1])
  quiet <- function(par) suppressWarnings(log(det(chol(matrix(c(par[1], par[2], par[2], 1), 2)))))
  back <- function(par) sum(backsolve(matrix(c(par[1], 0, par[2], par[1] - 1), 2), c(1, 2)))
  in_loop <- function(par) {
    P <- diag(2)
    s <- 0
    for (t in seq_along(Y)) {
      P <- P + matrix(c(par[1], par[2], par[2], 1), 2)
      s <- s + det(solve(P - diag(2) * (t + par[1] * t - par[1]))) + Y[t] * 0
    }
    s
  }
  Y <- rnorm(12)
  set.seed(1)
  on_each_device(function(device) {
    for (f in list(chosen, quiet)) {
      h <- opencl_function(f, gradient = "par")
      for (turn in 1:3) {
        expect_equal(as.vector(h(c(2, 0.5), device = device)), f(c(2, 0.5)))
        expect_error(h(c(0.1, 1), device = device), "the leading minor of order 2 is not positive")
        expect_error(h(c(-1, 0.5), device = device), "the leading minor of order 1 is not positive")
        expect_error(h(c(0, 0.5), device = device), "the leading minor of order 1 is not positive")
      }
    }
    h <- opencl_function(inverse, gradient = "par")
    for (turn in 1:3) {
      expect_equal(as.vector(h(c(0, 2), device = device)), inverse(c(0, 2)))
      expect_error(h(c(1, 1), device = device), "singular")
      expect_error(h(c(0, 0), device = device), "singular")
    }
    h <- opencl_function(back, gradient = "par")
    expect_equal(as.vector(h(c(2, 2), device = device)), back(c(2, 2)))
    expect_error(h(c(1, 2), device = device), "singular")
    h <- opencl_function(in_loop, gradient = "par")
    expect_equal(as.vector(h(c(2, 0.5), device = device)), in_loop(c(2, 0.5)))
  })
  expect_error(opencl_function(function(par) det(matrix(par[1:6], 2)), gradient = "par")(1:6 + 0.5), "square")
  expect_error(opencl_function(function(par) sum(chol(diag(par))), gradient = "par")(1:9 + 0.5), "64 elements")
})

test_that("a matrix with a column for each row of data takes as many programs for much data as for little", {
  skip_without_compiler()
  set.seed(8)
  sums <- opencl_function(function(Y, m) sum((t(Y) - m)^2) + mean(t(Y) * m), gradient = "m")
  normal <- opencl_function(function(par, mu, Y) {
    L <- matrix(c(exp(par[1]), par[2], 0, exp(par[3])), 2)
    R <- chol(L %*% t(L))
    Z <- backsolve(R, t(Y) - mu, transpose = TRUE)
    0.5 * sum(Z^2) + nrow(Y) * (log(2 * pi) + sum(log(diag(R))))
  }, gradient = c("par", "mu"))
  by_rows <- opencl_function(function(par, mu, Y) {
    L <- matrix(c(exp(par[1]), par[2], 0, exp(par[3])), 2)
    S <- L %*% t(L)
    0.5 * sum(mahalanobis(Y, mu, S)) + nrow(Y) * (log(2 * pi) + sum(log(diag(chol(S)))))
  }, gradient = c("par", "mu"))
  par <- c(0.1, 0.2, 0.3)
  mu <- c(0.3, -0.5)
  for (device in compiling_devices()) {
    launches <- sapply(c(70, 700, 3001), function(n) {
      Y <- matrix(rnorm(2 * n), n)
      value <- sums(Y, mu, device = device)
      first <- last_run()$chunks
      expect_equal(as.vector(value), sum((t(Y) - mu)^2) + mean(t(Y) * mu), tolerance = 1e-12)
      expect_equal(as.vector(attr(value, "gradient")), -2 * rowSums(t(Y) - mu) + colSums(Y) / (2 * n), tolerance = 1e-9)
      value <- normal(par, mu, Y, device = device)
      last <- last_run()$chunks
      expect_equal(value, by_rows(par, mu, Y, device = device), tolerance = 1e-10)
      c(first, last)
    })
    expect_identical(launches[, 2L], launches[, 1L])
    expect_identical(launches[, 3L], launches[, 1L])
  }
})

test_that("matrices keep R's names and dimensions", {
  S <- matrix(c(4, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 2), 3, dimnames = list(c("a", "b", "c"), c("u", "v", "w")))
  for (f in list(
    function(S, s) solve(S * s), function(S, s) chol(S * s), function(S, s) solve(S * s, c(1, 2, 3)), function(S, s) chol2inv(chol(S * s)),
    function(S, s) solve(S * s, S), function(S, s) backsolve(chol(S * s), c(1, 2, 3)), function(S, s) forwardsolve(S * s, S)
  )) {
    made <- opencl_function(f)
    on_each_device(function(device) expect_equal(made(S, 2, device = device), f(S, 2)))
  }
})

test_that("places of small matrices are assigned as in R, whatever says where they are", {
  targets <- list(
    quote(M[lower.tri(M)] <- par[1:3]), quote(M[upper.tri(M)] <- t(M)[upper.tri(M)]), quote(M[!lower.tri(M)] <- par[1]), quote(diag(M) <- par[1:3]), quote(diag(M) <- 2),
    quote(M[1, 2:3] <- par[2:3]), quote(M[1:2, c(1, 3)] <- par[1:4]), quote(M[-1, 2] <- par[1:2]), quote(M[2:3, ] <- par[4]), quote(M[, c(3, 1)] <- par[1:6]),
    quote(M[i[1], j[2]] <- par[5]), quote(M[i[2], 3] <- par[1]), quote(for (t in seq_along(i)) M[i[t], j[t]] <- par[t]), quote(M[2, 3] <- par[1]), quote(M[3] <- par[2])
  )
  i <- c(2L, 3L, 1L)
  j <- c(3, 1, 2)
  as_one(for (target in targets) {
    body <- bquote({ M <- matrix(par, 3); .(target); sum(M * matrix(1:9, 3)) + sum(M %*% c(1, 2, 4)) })
    f <- as.function(c(alist(par = ), body))
    par <- c(0.5, 2, -1, 3, 1.5, 0.2, 1, 0.4, 2.5)
    r <- f(par)
    slopes <- differences(f, list(par = par), "par")
    made <- opencl_function(f, gradient = "par")
    for (device in c(if (compiler_here()) "0", "plain")) {
      ours <- in_way(device, made(par, device = "0"))
      expect_equal(as.vector(ours), r, info = deparse1(target))
      expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-7, info = deparse1(target))
    }
  })
  out <- opencl_function(function(par) { M <- matrix(0, 2, 2); M[i[1] + 1, 1] <- par; sum(M) })
  expect_error(out(2), "subscript out of bounds")
})

test_that("sums of t(Y) and of what is solved for it are programs that do not grow with the rows, with and without `by`", {
  quadratic <- function(par, Y) sum(solve(matrix(c(2 + par[1]^2, 1, 1, 3), 2), t(Y) - par[1:2])^2) + mean(t(Y) * par[1])
  f <- opencl_function(quadratic, gradient = "par")
  par <- c(0.3, -0.2)
  set.seed(3)
  sizes <- 0
  for (n in c(66, 3000)) {
    Y <- matrix(round(rnorm(2 * n), 2), n)
    ours <- f(par, Y, device = "0")
    expect_equal(as.vector(ours), quadratic(par, Y))
    expect_equal(unname(attr(ours, "gradient")), differences(function(par) quadratic(par, Y), list(par = par), "par"), tolerance = 1e-7)
    if (compiler_here()) sizes[paste(n)] <- sum(nchar(as.character(f)))
  }
  if (compiler_here()) expect_lt(sizes[["3000"]], sizes[["66"]] + 100)
  Y <- Y[1:12, ]
  by <- rep_len(c(1, 2, 2), 12)
  known <- vapply(split(1:12, by), function(rows) quadratic(par, Y[rows, ]), 0)
  expect_equal(opencl_function(quadratic, reduce = "sum")(par, Y, by = by, device = "0"), known)
})

test_that("columns of matrices of many columns are not assigned, and the error comes at once", {
  skip_without_compiler()
  assigned <- opencl_function(function(par, Y) { M <- t(Y) * par; M[1, ] <- 2; sum(M) })
  expect_error(assigned(2, matrix(1, 1e5, 2), device = "0"), "more than 64 columns", class = "nmathopencl_error")
})

test_that("the determinant of a singular matrix is R's, and its gradient is right or missing", {
  f <- function(p) det(matrix(p, 3))
  g <- function(p) c(determinant(matrix(p, 3))$modulus)
  slopes <- opencl_function(f, gradient = "p")
  set.seed(3)
  for (case in 1:12) {
    p <- sample(c(0, 0, 1, -2, 3), 9, TRUE)
    found <- slopes(p, device = "0")
    differences <- vapply(seq_along(p), function(k) f(replace(p, k, p[k] + 0.5)) - f(replace(p, k, p[k] - 0.5)), 0) # it is linear in each
    expect_equal(as.vector(found), f(p), tolerance = 1e-12)
    known <- !is.na(attr(found, "gradient"))
    expect_equal(unname(attr(found, "gradient")[known]), differences[known], tolerance = 1e-12)
    if (f(p) == 0) expect_equal(as.vector(opencl_function(g)(p, device = "0")), g(p))
  }
  expect_identical(as.vector(slopes(rep(0, 9), device = "0")), 0)
})

test_that("solve() of data and a right side that depends on a parameter is a matrix where the right side is one", {
  S <- matrix(c(4, 1, 1, 3), 2L, dimnames = list(c("a", "b"), c("A", "B")))
  R <- matrix(c(2, 0.5, 0.5, 1), 2L)
  v <- c(1, -2)
  functions <- list(
    function(S, R, v, s) sum(diag(solve(S, R * s))), function(S, R, v, s) sum(solve(S, R * s)[2, ]) + NROW(solve(S, R * s)), function(S, R, v, s) sum((solve(S, R * s) %*% v)^2),
    function(S, R, v, s) sum(colSums(solve(S, R * s)) * v), function(S, R, v, s) sum(solve(S, v * s) * v)
  )
  shapes <- list(function(S, v, s) solve(S, v * s), function(S, v, s) solve(S, cbind(v * s)), function(S, v, s) t(solve(S, cbind(x = v, y = v * s))), function(S, v, s) solve(S, t(S) %*% v))
  on_each_device(function(device) {
    for (f in functions) {
      value <- opencl_function(f, gradient = "s")(S, R, v, 1.5, device = device)
      expect_equal(as.vector(value), f(S, R, v, 1.5), info = deparse1(f))
      expect_equal(attr(value, "gradient")[["s"]], (f(S, R, v, 1.501) - f(S, R, v, 1.499)) / 0.002, tolerance = 1e-6, info = deparse1(f))
    }
    for (f in shapes) expect_equal(opencl_function(f)(S, v, 1.5, device = device), f(S, v, 1.5), info = deparse1(f))
  })
})
