# Hessians with effects of levels: as differences of gradients and as dense ones give them, and what is computed of their structure.

unoptimized_programs()
set.seed(353)
n <- 60L
y <- round(rnorm(n), 3)
X <- cbind(1, round(rnorm(n), 3))
counts <- rpois(n, 2)
g <- rep(c(3L, 1L, 4L, 2L, 3L), length.out = n)
h <- rep(1:2, length.out = n)

poisson_model <- function(counts, X, g, s, u, b) sum(dpois(counts, exp(X %*% b + u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE))
at_levels <- function(J) list(counts = counts, X = X, g = g, s = 0.2, u = round(sin(seq_len(J)), 2), b = c(0.1, 0.3))

hessian_of <- function(f, values, names, device = "host", ...) attr(do.call(opencl_function(f, gradient = names, hessian = TRUE, ...), c(values, device = device)), "hessian")

# Beside differences of the gradient; on OpenCL devices, which take their time to build programs, only where it is asked for.
expect_curved <- function(f, values, names, devices = "host") {
  for (device in devices) expect_lt(hessian_error(f, values, names, device), 1e-7, label = paste(deparse(f), collapse = "\n"))
}

test_that("effects by codes are on the diagonal, whatever the order of arguments and the number of levels", {
  skip_on_cran() # a matter of seconds
  on_each_device(function(device) {
    expect_curved(poisson_model, at_levels(9L), c("s", "u", "b"), device)
    found <- hessian_of(poisson_model, at_levels(9L), c("s", "u", "b"), device)
    expect_s3_class(found, "arrowhead")
    expect_identical(found$where, 2:10)
    expect_identical(dim(found$border), c(9L, 3L))
    expect_identical(found$border[5:9, -1L], matrix(0, 5L, 2L, dimnames = list(paste0("u", 5:9), c("b1", "b2")))) # no rows
    expect_equal(found$diagonal[5:9], rep(-exp(-0.4), 5L))
  })
  for (compiled in c(TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
    on.exit(options(old))
    for (names in list(c("s", "u", "b"), c("u", "b"), "u")) expect_curved(poisson_model, at_levels(4L), names)
    options(old)
  }
})

test_that("calls with more levels and fewer: each Hessian is that of a function made anew", {
  skip_on_cran() # a matter of seconds
  f <- function(y, g, u, a, b, d, e) sum((y - u[g] - a * b * y - d * e * y^2)^2) + sum(u^3) + a * b * d * e^3
  values <- function(J) list(y = y, g = rep_len(seq_len(J), n), u = round(cos(seq_len(J)), 2), a = 0.1, b = 0.2, d = 0.3, e = 0.4)
  on_each_device(function(device) {
    for (names in list(c("u", "a", "b", "d", "e"), c("a", "u", "b", "d", "e"))) {
      once <- opencl_function(f, gradient = names, hessian = TRUE)
      anew <- list()
      for (J in c(2L, 2L, 2L, 3L, 5L, 40L, 40L, 2L)) { # repeated ones run without R
        hessian <- attr(do.call(once, c(values(J), device = device)), "hessian")
        if (is.null(anew[[paste(J)]])) anew[[paste(J)]] <- hessian_of(f, values(J), names, device)
        expect_identical(hessian, anew[[paste(J)]])
      }
      expect_curved(f, values(2L), names, device)
    }
  })
})

test_that("one level, one row, a missing value, codes beyond the end, 300 levels", {
  model <- function(y, g, m, u, s) sum(dnorm(y, m + u[g], exp(s), log = TRUE)) + sum(dnorm(u, log = TRUE))
  on_each_device(function(device) {
    one <- hessian_of(model, list(y = y, g = rep(1L, n), m = 0.1, u = 0.2, s = 0.3), c("m", "u", "s"), device)
    expect_s3_class(one, "arrowhead")
    expect_equal(one$diagonal, -n * exp(-0.6) - 1)
    row <- hessian_of(model, list(y = y[1], g = 2L, m = 0.1, u = c(0.2, 0.1), s = 0.3), c("m", "u"), device)
    expect_equal(unname(as.matrix(row)), -matrix(c(1, 0, 1, 0, 0, 0, 1, 0, 1), 3L) * exp(-0.6) - diag(c(0, 1, 1)))
    missing <- hessian_of(model, list(y = c(NA, 0.1, 0.4), g = c(1, 2, 2), m = 0.1, u = c(0.2, 0.1), s = 0), c("m", "u"), device)
    expect_true(is.na(missing$dense))
    expect_true(is.na(missing$border[1L]) && is.na(missing$diagonal[1L]))
    expect_equal(c(missing$border[2L], missing$diagonal[2L]), c(-2, -3))
    many <- list(y = rnorm(300), g = sample(300L), m = 0.1, u = rnorm(300), s = 0.2)
    found <- hessian_of(model, many, c("m", "u", "s"), device)
    expect_equal(found$diagonal, rep(-exp(-0.4) - 1, 300L))
    rest <- (many$y - 0.1 - many$u[many$g]) * exp(-0.4)
    expect_equal(unname(found$border), unname(cbind(-exp(-0.4), -2 * rest[order(many$g)])))
    none <- hessian_of(model, list(y = numeric(), g = integer(), m = 0.1, u = c(0.2, 0.1), s = 0.3), c("m", "u"), device)
    expect_equal(unname(as.matrix(none)), diag(c(0, -1, -1)))
  })
})

test_that("effects that enter element by element, transformed, scaled, for several sums", {
  skip_on_cran() # a matter of seconds
  values <- list(y = y, counts = counts, g = g, u = c(0.2, -0.3, 0.1, 0.4), t = 0.2, v = c(0.3, 0.1), h = h)
  expect_curved(function(y, g, u, t) sum(dnorm(y, exp(t) * u[g], 1, log = TRUE)) - sum(u^2) / 2, values[c("y", "g", "u", "t")], c("u", "t"), c("host", utils::head(opencl_test_devices(), 1L)))
  expect_curved(function(y, g, u, t) {
    v <- plogis(u * t)
    sum(dnorm(y, v[g], 1, log = TRUE)) + sum(dbeta(v, 2, 3, log = TRUE)) + max(t, 0.1)
  }, values[c("y", "g", "u", "t")], c("u", "t"))
  expect_curved(function(y, counts, g, u, t) sum(ifelse(y > u[g], exp(-t * u[g]), u[g]^2)) + sum(dpois(counts, exp(u[g]), log = TRUE)), values[c("y", "counts", "g", "u", "t")], c("t", "u"))
  # two vectors that do not meet
  apart <- function(y, counts, g, h, u, v, t) sum(dnorm(y, t + u[g], 1, log = TRUE)) + sum(dpois(counts, exp(t * v[h]), log = TRUE))
  expect_curved(apart, values[c("y", "counts", "g", "h", "u", "v", "t")], c("u", "t", "v"))
  expect_identical(hessian_of(apart, values[c("y", "counts", "g", "h", "u", "v", "t")], c("u", "t", "v"))$where, c(1:4, 6:7))
  # two that do: the shorter one is dense
  crossed <- function(y, g, h, u, v, t) sum(dnorm(y, t + u[g] * v[h], 1, log = TRUE))
  for (names in list(c("v", "u", "t"), c("t", "u", "v"))) expect_curved(crossed, values[c("y", "g", "h", "u", "v", "t")], names)
  expect_identical(hessian_of(crossed, values[c("y", "g", "h", "u", "v", "t")], c("v", "u", "t"))$where, 3:6)
  # elements that meet each other are dense: by two vectors of codes, by a sum, by neighbours, in a matrix of products
  dense <- list(
    function(y, g, h, u) sum((y - u[g] * u[h])^2), function(y, g, h, u) sum((y - u[g])^2) + sum(u)^2, function(y, g, h, u) sum((y - u[g])^2) + sum(u[-1] * u[-4]),
    function(y, g, h, u) sum((y - cumsum(u)[g])^2), function(y, g, h, u) sum((y - (u - mean(u))[g])^2), function(y, g, h, u) sum((y - rev(u)[g] * u[g])^2),
    function(y, g, h, u) sum((y - ave(u[g], h))^2)
  )
  for (f in dense) {
    expect_true(is.numeric(hessian_of(f, values[c("y", "g", "h", "u")], "u")))
    expect_curved(f, values[c("y", "g", "h", "u")], "u")
  }
})

test_that("what is too large and not diagonal is refused by name", {
  u <- numeric(1001)
  many <- rep(1:1001, length.out = n)
  expect_error(hessian_of(function(y, g, h, u) sum((y - u[g] * u[h])^2), list(y = y, g = many, h = h, u = u), "u"), "the elements of `u` meet each other", class = "nmathopencl_error")
  expect_error(
    hessian_of(function(y, g, h, u, v) sum((y - u[g] * v[h])^2), list(y = y, g = many, h = many, u = u, v = u), c("u", "v")),
    "elements of `u` and `v` meet each other", class = "nmathopencl_error"
  )
  # elements of a vector of their own, without codes
  u <- numeric(70)
  found <- hessian_of(function(u, a) sum(exp(a * u)), list(u = u, a = 2), c("a", "u"))
  expect_equal(found$diagonal, rep(4, 70L))
  expect_equal(unname(found$border[, 1L]), rep(1, 70L))
})

test_that("the methods are those of the matrix", {
  made <- hessian_of(poisson_model, at_levels(9L), c("s", "u", "b"))
  M <- as.matrix(made)
  expect_true(isSymmetric(M))
  expect_identical(dim(made), dim(M))
  expect_identical(dimnames(made), dimnames(M))
  expect_identical(t(made), made)
  expect_identical(diag(made), diag(M))
  expect_identical(made[, ], M)
  expect_identical(made[2:4, ], M[2:4, ])
  expect_identical(made[c("b1", "u3"), c("s", "u3")], M[c("b1", "u3"), c("s", "u3")])
  expect_identical(made["u3", "u3"], M["u3", "u3"])
  expect_identical(made[-1, 12, drop = FALSE], M[-1, 12, drop = FALSE])
  expect_identical(made[c(1, 5, 144, 145)], M[c(1, 5, 144, 145)])
  expect_identical(as.matrix(-made), -M)
  expect_identical(as.matrix(made / 2), M / 2)
  b <- cbind(one = 1:12, two = cos(1:12))
  expect_equal(solve(made, b), solve(M, b))
  expect_equal(solve(made, b[, 2L]), solve(M, b[, 2L]))
  expect_equal(solve(made), solve(M))
  expect_equal(determinant(made), determinant(M))
  expect_equal(as.vector(determinant(made, logarithm = FALSE)$modulus), abs(det(M)))
  expect_equal(nmathopencl:::inverse_diagonal(made), diag(solve(M)))
  expect_output(print(made), "12 rows: 3 dense, 9 on the diagonal.*u9")
  expect_error(solve(made, 1:3), "3 rows, and the matrix 12", class = "nmathopencl_error")
  expect_error(made + 1, "as.matrix()", fixed = TRUE, class = "nmathopencl_error")
  expect_error(made[13, 1], "beyond", class = "nmathopencl_error")
  # without others, with zeros and next to nothing on the diagonal, indefinite
  alone <- hessian_of(poisson_model, at_levels(9L), "u")
  expect_equal(solve(alone, 1:9), solve(as.matrix(alone), 1:9))
  expect_equal(determinant(alone), determinant(as.matrix(alone)))
  for (k in 1:3) {
    odd <- made
    odd$diagonal[c(2, 4)] <- c(0, 1e-14)
    odd$border[c(2, 4), ] <- matrix(rnorm(6), 2L)
    if (k == 2L) odd$diagonal[] <- 0
    if (k == 2L) expect_error(solve(odd), "singular")
    if (k == 3L) odd$dense[] <- 0
    if (k == 2L) next
    expect_equal(solve(odd), solve(as.matrix(odd)))
    expect_equal(determinant(odd), determinant(as.matrix(odd)))
  }
})

test_that("objectives: he is a matrix, standard errors are those of the dense one", {
  ll <- opencl_function(poisson_model, gradient = c("u", "s", "b"))
  objective <- as_objective(ll, list(b = c(x = 0, y = 0), u = numeric(4), s = 0), list(counts = counts, X = X, g = g), device = "host")
  at <- c(0.1, 0.2, -0.1, 0.3, 0, 0.1, -1)
  expect_true(is.matrix(objective$he(at)) && is.numeric(objective$he(at)))
  expect_equal(unname(objective$he(at)), difference_columns(objective$gr, at), tolerance = 1e-7)
  curved <- objective$curvature(at)
  expect_identical(as.matrix(curved), objective$he(at))
  expect_identical(curved$where, 3:6)
  expect_identical(rownames(objective$he(at)), names(objective$par))
  fixed <- as_objective(opencl_function(poisson_model, gradient = c("u", "b")), list(b = c(0, 0), u = numeric(4)), list(counts = counts, X = X, g = g, s = -0.5), device = "host")
  fit <- stats::nlminb(fixed$par, fixed$fn, fixed$gr, fixed$he)
  table <- summary(fixed, fit$par)
  expect_equal(unname(table$coefficients[, 2L]), unname(sqrt(diag(solve(fixed$he(fit$par))))))
  expect_equal(fixed$vcov(fit$par), solve(fixed$he(fit$par)))
  expect_equal(table$vcov, solve(fixed$he(fit$par))[1:2, 1:2])
  expect_error(objective$vcov(at + 5), "not positive definite", class = "nmathopencl_error")
})

test_that("many points have matrices, as ever, and 15,000 levels the same bits every time", {
  f <- opencl_function(poisson_model, gradient = c("s", "u", "b"), hessian = TRUE)
  values <- at_levels(4L)
  found <- do.call(f, c(values[names(values) != "s"], list(over = list(s = c(0.2, 0.5)), device = "host")))
  expect_identical(dim(attr(found, "hessian")), c(2L, 7L, 7L))
  expect_identical(unname(attr(found, "hessian")[1L, , ]), unname(as.matrix(hessian_of(poisson_model, values, c("s", "u", "b")))))
  skip_without_compiler()
  J <- 15000L
  values <- list(counts = rep_len(counts, 40000L), X = cbind(1, rep_len(X[, 2L], 40000L)), g = (seq_len(40000L) * 7919L) %% J + 1L, s = 0.2, u = sin(seq_len(J)), b = c(0.1, 0.3))
  value <- do.call(f, c(values, device = "host"))
  again <- do.call(f, c(values, device = "host"))
  expect_identical(attr(value, "hessian"), attr(again, "hessian"))
  mean <- exp(0.1 + 0.3 * values$X[, 2L] + values$u[values$g])
  expect_equal(attr(value, "hessian")$diagonal, as.vector(-rowsum(mean, values$g)) - exp(-0.4))
  right <- attr(value, "gradient")
  step <- solve(attr(value, "hessian"), right)
  hessian <- attr(value, "hessian")
  rest <- setdiff(seq_along(right), hessian$where)
  back <- right * 0
  back[rest] <- hessian$dense %*% step[rest] + crossprod(hessian$border, step[hessian$where])
  back[hessian$where] <- hessian$border %*% step[rest] + hessian$diagonal * step[hessian$where]
  expect_equal(back, right)
})
