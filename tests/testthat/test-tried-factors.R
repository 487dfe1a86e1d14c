# chol(), chol2inv() and solve() that a function tries, and leaves where R stops, against plain R.

unoptimized_programs()

set.seed(21)
Y <- matrix(rnorm(24), 8)
covariance <- function(par) diag(3) * exp(par[1]) + par[2]
deviance <- function(L) sum(backsolve(L, t(Y), transpose = TRUE)^2) / 2 + 8 * sum(log(diag(L)))

ways <- list(
  null = function(par) {
    S <- covariance(par)
    L <- tryCatch(chol(S), error = function(e) NULL)
    if (is.null(L)) return(1e10)
    deviance(L)
  },
  or = function(par) {
    S <- covariance(par)
    L <- tryCatch(chol(S), error = function(...) return(NULL))
    if (is.null(L) || par[1] > 2) {
      return(-Inf)
    }
    deviance(L)
  },
  try = function(par) {
    L <- try(chol(covariance(par)), silent = TRUE)
    if (inherits(L, "try-error")) return(1e4 + par[1])
    deviance(L)
  },
  asked = function(par) {
    S <- covariance(par)
    if (inherits(try(chol(S), TRUE), "try-error")) return(par[2]^2)
    deviance(chol(S))
  },
  flag = function(par) {
    S <- covariance(par)
    ok <- tryCatch({
      chol(S)
      TRUE
    }, error = function(e) FALSE)
    if (!ok) 1e10 else deviance(chol(S))
  },
  inverse = function(par) {
    P <- tryCatch(chol2inv(chol(covariance(par))), error = function(e) NULL)
    if (is.null(P)) return(NA_real_)
    sum((Y %*% P) * Y)
  },
  "else" = function(par) {
    L <- tryCatch(chol(covariance(par)), error = function(e) NULL)
    if (!is.null(L)) {
      value <- deviance(L)
    } else {
      value <- 1e6
    }
    value + par[1]
  },
  whole = function(par) {
    tryCatch({
      S <- covariance(par)
      L <- chol(S)
      Z <- backsolve(L, t(Y), transpose = TRUE)
      sum(Z^2) / 2 + 8 * sum(log(diag(L)))
    }, error = function(e) 1e10)
  },
  nested = function(par) {
    S <- covariance(par)
    return(tryCatch(sum(log(diag(chol(solve(S))))) + sum((Y %*% solve(S)) * Y), error = function(e) -1e5))
  },
  branch = function(par) {
    if (par[2] > 0.9) 5 else tryCatch({
      P <- solve(covariance(par))
      P[1, 2]
    }, error = function(e) Inf)
  },
  added = function(par) {
    value <- tryCatch({
      S <- covariance(par)
      sum(log(diag(chol(S))))
    }, error = function(e) -1e5)
    value + par[2]
  },
  matrix = function(par) sum(tryCatch(chol(covariance(par)), error = function(e) diag(3) * par[1])),
  class = function(par) {
    L <- try(chol(covariance(par)), silent = TRUE)
    if (class(L)[1] == "try-error") return(-1)
    L[1, 3]
  },
  solved = function(par) {
    v <- tryCatch(solve(matrix(c(par[1], 1, 1, par[2]), 2), c(1, 2)), error = function(e) NULL)
    if (is.null(v)) return(1e10)
    sum(v^2)
  },
  solve = function(par) {
    P <- try(solve(matrix(c(par[1], 1, 1, par[2]), 2)))
    if (inherits(P, "try-error")) 1e10 else P[1, 1]
  }
)

# Behind the first: an indefinite matrix, one that is nearly singular, a singular one, negative definite ones. What R has of missing numbers is
# its linear algebra library's.
points <- list(c(0.1, 0.2), c(0.1, -1), c(0, -0.34), c(1, 1), c(2.5, 0.3), c(-3, -2))

test_that("what a function does where a factor or an inverse is none is R's, with its slopes", {
  for (name in names(ways)) {
    f <- ways[[name]]
    made <- opencl_function(f, gradient = "par")
    plain <- opencl_function(f)
    for (k in seq_along(points)) {
      par <- points[[k]]
      rs <- suppressWarnings(suppressMessages({
        utils::capture.output(value <- f(par), type = "message")
        value
      }))
      for (way in ways_of(k)) {
        info <- paste(name, deparse1(par), way)
        expect_equal(in_way(way, plain(par, device = device_of_way(way))), rs, tolerance = 1e-11, info = info)
        ours <- in_way(way, made(par, device = device_of_way(way)))
        expect_equal(as.vector(ours), rs, tolerance = 1e-11, info = info)
        if (!is.finite(rs)) next
        slope <- function(j, h = 1e-6) {
          step <- replace(c(0, 0), j, h)
          utils::capture.output(d <- f(par + step) - f(par - step), type = "message")
          d / (2 * h)
        }
        slopes <- c(slope(1), slope(2))
        if (max(abs(slopes)) < 1e5) expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-5, info = info)
      }
    }
  }
})

test_that("what a block, a handler or a test would do at another time than R is refused", {
  S <- function(p) matrix(c(exp(p[1]), p[2], p[2], 1), 2)
  as_r_or_refused <- list(
    function(p) { A <- S(p); L <- diag(2); ok <- tryCatch({ L <- chol(A); TRUE }, error = function(e) FALSE); if (!ok) return(-7); sum(L) },
    function(p) { A <- S(p); ok <- tryCatch({ A <- chol(A); TRUE }, error = function(e) FALSE); if (!ok) return(-7); sum(A) },
    function(p) { A <- S(p); a <- 1; v <- tryCatch({ L <- chol(A); sum(L) }, error = function(e) { a <- 5; a * 2 }); v + 100 * a },
    function(p) { A <- S(p); tryCatch({ { A <- A + 3 * diag(2); L <- chol(A) }; sum(L) }, error = function(e) -1) },
    function(p) { A <- S(p); L <- tryCatch(chol(A <- A + diag(2)), error = function(e) NULL); if (is.null(L)) return(-1); sum(L) + sum(A) },
    function(p) { A <- S(p); L <- diag(2); s <- 0; if (p[1] > 0) { L <- tryCatch(chol(A), error = function(e) NULL); if (!is.null(L)) s <- 1 }; s + sum(L) },
    function(p) { A <- S(p); s <- 0; L <- diag(2); for (k in 1:3) { s <- s + sum(L); L <- tryCatch(chol(A), error = function(e) NULL); if (is.null(L)) next; s <- s + sum(diag(L)) }; s },
    function(p) { A <- S(p); s <- 0; for (k in 1:2) { L <- tryCatch(chol(A * k), error = function(e) NULL); if (is.null(L)) break; s <- s + sum(diag(L)) }; s },
    function(p) { h <- function(L, k) k * 2; tryCatch({ h(chol(S(p)), p[1]) }, error = function(e) -1) },
    function(p) { h <- function(A) sum(log(diag(chol(A)))); tryCatch({ L <- chol(S(p) + 9 * diag(2)); sum(L) + h(S(p)) }, error = function(e) -1) },
    function(p) { L <- tryCatch(chol(S(p)), error = function(e) NULL); if (is.null(L) || p[1] > 5 || p[2] > 9) return(-2); sum(L) },
    function(p) { v <- tryCatch(solve(S(p), c(1, 2), 0.5), error = function(e) NULL); if (is.null(v)) return(-2); sum(v) }
  )
  answered <- 0L
  for (f in as_r_or_refused) for (p in list(c(0.1, 0.2), c(0.1, 3), c(6, 1))) for (way in c("0", "plain")) {
    ours <- tryCatch(in_way(way, opencl_function(f)(p, device = "host")), nmathopencl_error = function(e) NULL)
    if (is.null(ours)) next
    answered <- answered + 1L
    expect_equal(ours, f(p), info = paste(deparse1(f), deparse1(p), way))
  }
  expect_gte(answered, 12)
  near <- function(a, b, c, d) {
    v <- tryCatch(solve(matrix(c(a, b, c, d), 2)), error = function(e) NULL)
    if (is.null(v)) return(-1e3)
    sum(v * 1:4)
  }
  made <- opencl_function(near, gradient = "a")
  for (m in list(c(1, 0, 1e9, 1), c(2, Inf, Inf, 1), c(1, 1, 1, 1 + 4e-16), c(1, 2, 3, 4), c(0, 1, 1, 0), c(1e-20, 0, 0, 1), c(1, 2, 2, 4))) {
    for (way in c("0", "plain")) expect_equal(as.vector(in_way(way, made(m[1], m[2], m[3], m[4], device = "host"))), near(m[1], m[2], m[3], m[4]), info = paste(deparse1(m), way))
  }
})

test_that("points at which there is no factor touch no others", {
  f <- opencl_function(ways$null, gradient = "par")
  P <- do.call(rbind, points[1:6])
  for (device in expression_devices()) {
    found <- f(over = P, device = device)
    single <- lapply(1:6, function(k) f(P[k, ], device = device))
    expect_identical(as.vector(found), vapply(single, as.vector, 0))
    expect_identical(unname(attr(found, "gradient")), unname(t(vapply(single, function(one) attr(one, "gradient"), c(0, 0)))))
  }
})

test_that("what is no such question is refused, and says what to write", {
  later <- function(par) {
    L <- tryCatch(chol(covariance(par)), error = function(e) NULL)
    k <- par[1]
    if (is.null(L)) return(k)
    deviance(L)
  }
  expect_error(opencl_function(later), "if (is.null(L)) return(...) right behind it", fixed = TRUE)
  often <- function(par) tryCatch({
    s <- 0
    for (k in 1:2) s <- s + sum(diag(chol(covariance(par) * k)))
    s
  }, error = function(e) 1e10)
  large <- opencl_function(function(par, S) {
    L <- tryCatch(chol(S), error = function(e) NULL)
    if (is.null(L)) return(1)
    sum(L) * par
  }, gradient = "par")
  expect_error(large(1, diag(10), device = "host"), "`chol(S)`: of what the body computes", fixed = TRUE)
  expect_error(opencl_function(often), "Compute them in a statement of their own before", fixed = TRUE)
  expect_error(opencl_function(function(par) sum(tryCatch(chol(covariance(par)), error = function(e) svd(par)$d))), "may stop in R", fixed = TRUE)
})
