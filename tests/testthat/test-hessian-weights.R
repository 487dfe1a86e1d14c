# Hessians of sums of rows with products, of nine numbers or more: t(X) W Z with the weights of the rows. R's judge are differences of a
# row's value in its linear predictors and numbers, which take no derivative of ours.

unoptimized_programs()
set.seed(1109)

# Second derivatives of each row, in the columns of `at`, by Richardson's extrapolation of central differences of plain R.
curves_of_rows <- function(row, at) {
  k <- ncol(at)
  difference <- function(i, j, h) {
    moved <- function(a, b) {
      there <- at
      there[, i] <- there[, i] + a * h
      there[, j] <- there[, j] + b * h
      row(there)
    }
    if (i == j) (moved(1, 0) - 2 * row(at) + moved(-1, 0)) / h^2 else (moved(1, 1) - moved(1, -1) - moved(-1, 1) + moved(-1, -1)) / (4 * h^2)
  }
  curves <- array(0, c(nrow(at), k, k))
  for (i in seq_len(k)) for (j in seq_len(i)) {
    coarse <- difference(i, j, 0.02)
    fine <- difference(i, j, 0.01)
    finest <- difference(i, j, 0.005)
    better <- (4 * c(fine, finest) - c(coarse, fine)) / 3
    half <- nrow(at)
    curves[, i, j] <- curves[, j, i] <- (16 * better[half + seq_len(half)] - better[seq_len(half)]) / 15
  }
  curves
}

# Models of rows: `row(eta)` with a column of `eta` for each product, then for each number.
models <- list(
  list(products = 1L, numbers = 0L, f = function(y, X, Z, b, g, s, u) dpois(y, exp(X %*% b), log = TRUE), row = function(y, e) dpois(y, exp(e[, 1]), log = TRUE)),
  list(products = 1L, numbers = 1L, f = function(y, X, Z, b, g, s, u) dnbinom(y, exp(s), mu = exp(X %*% b), log = TRUE), row = function(y, e) dnbinom(y, exp(e[, 2]), mu = exp(e[, 1]), log = TRUE)),
  list(products = 2L, numbers = 0L, f = function(y, X, Z, b, g, s, u) dnorm(y, X %*% b, exp(Z %*% g), log = TRUE), row = function(y, e) dnorm(y, e[, 1], exp(e[, 2]), log = TRUE)),
  list(products = 2L, numbers = 2L, f = function(y, X, Z, b, g, s, u) {
    mu <- exp(X %*% b + s)
    p <- plogis(Z %*% g - u * s)
    ifelse(y > 0, log1p(-p) + dpois(y, mu, log = TRUE), log(p + (1 - p) * exp(-mu)))
  }, row = function(y, e) {
    mu <- exp(e[, 1] + e[, 3])
    p <- plogis(e[, 2] - e[, 4] * e[, 3])
    ifelse(y > 0, log1p(-p) + dpois(y, mu, log = TRUE), log(p + (1 - p) * exp(-mu)))
  }),
  list(products = 1L, numbers = 2L, f = function(y, X, Z, b, g, s, u) -(drop(X %*% b) * s - y)^2 * u + s^3 * u, row = function(y, e) -(e[, 1] * e[, 2] - y)^2 * e[, 3] + e[, 2]^3 * e[, 3])
)
forms <- list(
  list(scale = 1, reduce = "sum", of = function(body) body),
  list(scale = "mean", reduce = "mean", of = function(body) body),
  list(scale = -1, reduce = NULL, of = function(body) call("-", call("sum", body))),
  list(scale = -0.5, reduce = NULL, of = function(body) call("*", -0.5, call("sum", body))),
  list(scale = "mean", reduce = NULL, of = function(body) call("mean", body)),
  list(scale = 0.25, reduce = NULL, of = function(body) call("/", call("sum", body), 4))
)

judge <- function(model, form, n, p, q, device, whole = FALSE) {
  X <- matrix(if (whole) sample(-2:2, n * p, TRUE) else round(rnorm(n * p), 2), n)
  Z <- matrix(round(rnorm(n * q), 2), n)
  y <- rpois(n, 2)
  b <- round(rnorm(p), 2) / p
  g <- round(rnorm(q), 2) / q
  values <- list(y = y, X = X, Z = Z, b = b, g = g, s = 0.3, u = 0.2)
  names <- c("b", if (model$products > 1L) "g", c("s", "u")[seq_len(model$numbers)])
  f <- model$f
  body(f) <- form$of(body(f))
  made <- opencl_function(f, reduce = form$reduce, gradient = names, hessian = TRUE)
  given <- values[intersect(names(formals(made)), names(values))]
  found <- do.call(made, c(given, device = device))
  columns <- list(X, Z, matrix(1, n, 1), matrix(1, n, 1))[c(TRUE, model$products > 1L, model$numbers > 0L, model$numbers > 1L)]
  at <- cbind(X %*% b, Z %*% g, 0.3, 0.2)[, c(TRUE, model$products > 1L, model$numbers > 0L, model$numbers > 1L), drop = FALSE]
  curves <- curves_of_rows(function(at) model$row(y, at), at)
  known <- do.call(rbind, lapply(seq_along(columns), function(i) do.call(cbind, lapply(seq_along(columns), function(j) crossprod(columns[[i]], curves[, i, j] * columns[[j]])))))
  known <- known * if (identical(form$scale, "mean")) 1 / n else form$scale
  hessian <- attr(found, "hessian")
  expect_lt(max(abs(hessian - known)) / max(abs(known)), 1e-7)
  expect_true(isSymmetric(hessian))
  expect_identical(dimnames(hessian), rep(list(names(attr(found, "gradient"))), 2L))
  plain <- do.call(opencl_function(f, reduce = form$reduce, gradient = names), c(given, device = device))
  expect_identical(found[[1L]], plain[[1L]])
  expect_equal(attr(found, "gradient"), attr(plain, "gradient"), tolerance = 1e-13)
  list(made = made, given = given, found = found)
}

test_that("weights of rows are R's, in each form of a sum, and whatever the number of rows and columns is", {
  for (k in seq_len(cases(18L, 9L, 3L))) for (way in ways_of(k)) in_way(way, {
    judge(models[[1L + k %% length(models)]], forms[[1L + (k * 5L) %/% 3L %% length(forms)]], sample(c(1L, 7L, 63L, 200L), 1L), sample(9:40, 1L), sample(1:12, 1L), device_of_way(way), k %% 4L == 0L)
  })
})

test_that("more numbers than a program has columns", {
  on_each_device(function(device) judge(models[[3L]], forms[[3L]], 150L, 70L, 11L, device))
  f <- opencl_function(function(u) sum(u)^2, gradient = "u", hessian = TRUE) # no sum of rows: column by column
  expect_identical(unname(attr(f(as.double(1:65), device = "host"), "hessian")), matrix(2, 65, 65))
})

test_that("it is the weights that were computed, in some launches whatever the number of columns is", {
  skip_without_compiler()
  for (device in compiling_devices()) {
    one <- judge(models[[2L]], forms[[3L]], 60L, 12L, 1L, device)
    expect_false(is.null(attr(one$made, "expression")$moved$weights$variants[[1L]]))
    expect_length(attr(one$made, "expression")$moved$moving$variants, 0L)
    # A known call, one of other sizes, and a resident matrix.
    expect_identical(do.call(one$made, c(one$given, device = device)), one$found)
    judged <- replace(one$given, "X", list(opencl_vector(one$given$X, device = device)))
    for (other in c(device, "0", opencl_test_devices())) with_device(other, expect_identical(do.call(one$made, judged), one$found)) # it runs where X is
  }
})

test_that("at many points Hessians are those of a loop of calls, bit for bit", {
  skip_without_compiler()
  n <- 50L
  X <- matrix(round(rnorm(n * 10L), 2), n)
  y <- rpois(n, 2)
  f <- opencl_function(function(y, X, b, s) dnbinom(y, exp(s), mu = exp(X %*% b), log = TRUE), reduce = "sum", gradient = c("b", "s"), hessian = TRUE)
  B <- matrix(round(rnorm(30), 2), 3) / 10
  s <- c(0.1, NA, 0.3)
  for (device in compiling_devices()) {
    together <- f(y, X, over = list(b = B, s = s), device = device)
    for (k in c(1L, 3L)) {
      one <- f(y, X, B[k, ], s[k], device = device)
      expect_identical(together[[k]], one[[1L]])
      expect_identical(unname(attr(together, "gradient")[k, ]), unname(attr(one, "gradient")))
      expect_identical(unname(attr(together, "hessian")[k, , ]), unname(attr(one, "hessian")))
    }
    expect_true(all(is.na(attr(together, "hessian")[2L, , ])))
  }
})

test_that("what is beside the sum, penalties, priors or other sums, is added; what is not finite or not of rows alone is computed column by column", {
  n <- 40L
  X <- matrix(round(rnorm(n * 9L), 2), n)
  y <- rpois(n, 2)
  b <- round(rnorm(9L), 2) / 9
  eta <- drop(X %*% b)
  w <- exp(eta)
  known <- -crossprod(X, w * X)
  expect_of <- function(f, known, values = list(y = y, X = X, b = b), ...) {
    made <- opencl_function(f, gradient = "b", hessian = TRUE, ...)
    on_each_device(function(device) {
      found <- do.call(made, c(values, device = device))
      expect_equal(unname(attr(found, "hessian")), known, tolerance = 1e-10)
    })
  }
  log_density <- function(y, X, b) sum(dpois(y, exp(X %*% b), log = TRUE))
  expect_of(function(y, X, b) log_density(y, X, b) - 3 * sum(b^2), known - 6 * diag(9L))
  expect_of(function(y, X, b) -log_density(y, X, b) + 0.5 * sum((b - 0.1)^2) + 2, diag(9L) - known)
  expect_of(function(y, X, b) 2 * (log_density(y, X, b) + sum(dnorm(b, 0, 2, log = TRUE))) / 4, (known - diag(9L) / 4) / 2)
  expect_of(function(y, X, b) log_density(y, X, b) - sum(diff(b)^2) + b[1] * b[2], known - 2 * crossprod(diff(diag(9L))) + (row(known) + col(known) == 3L))
  expect_of(function(y, X, b) log_density(y, X, b) + 3 * sum(exp(X %*% b)), -2 * known)
  expect_of(function(y, X, b) sum(dpois(y, exp(X %*% b - mean(X %*% b)), log = TRUE)), {
    own <- sweep(X, 2L, colMeans(X))
    -crossprod(own, exp(eta - mean(eta)) * own)
  })
  # Rows that have no part, a row of missing values, and twice the same product.
  part <- y > 1
  expect_of(function(y, X, b) dpois(y, exp(X %*% b), log = TRUE), -crossprod(X[-2L, ], w[-2L] * X[-2L, ]), list(y = replace(y, 2L, NA), X = X, b = b), reduce = "sum", na.rm = TRUE)
  expect_of(function(y, X, b) ifelse(y > 1, dpois(y, exp(X %*% b), log = TRUE), 0), -crossprod(X[part, ], w[part] * X[part, ]), reduce = "sum")
  expect_of(function(y, X, b) (X %*% b)^2 * exp(X %*% b), crossprod(X, (2 + 4 * eta + eta^2) * w * X), reduce = "sum")
  expect_of(function(y, X, b) dpois(y, exp(X %*% b), log = TRUE), matrix(NA_real_, 9L, 9L), list(y = replace(y, 2L, NA), X = X, b = b), reduce = "sum")
  # A column of 0 and an infinite predictor.
  expect_of(function(y, X, b) y * (X %*% b), matrix(0, 9L, 9L), reduce = "sum")
})

test_that("what decides which statements run is asked at each call", {
  n <- 60L
  X <- matrix(round(rnorm(n * 12L), 2), n)
  y <- rpois(n, 2)
  b <- round(rnorm(12L), 2) / 12
  f <- opencl_function(function(y, X, b) {
    l <- sum(dpois(y, exp(X %*% b), log = TRUE))
    if (!is.finite(l)) return(1e10)
    if (any(b > 5)) stop("far away")
    if (max(abs(b)) < 0.001) return(0)
    -l
  }, gradient = "b", hessian = TRUE)
  on_each_device(function(device) {
    for (turn in 1:3) expect_equal(unname(attr(f(y, X, b, device = device), "hessian")), crossprod(X, c(exp(X %*% b)) * X))
    expect_error(f(y, X, replace(b, 1L, 6), device = device), "far away")
    expect_identical(as.vector(f(y, X, 0 * b, device = device)), 0)
    expect_equal(unname(attr(f(y, X, b, device = device), "hessian")), crossprod(X, c(exp(X %*% b)) * X))
  })
})

# On CPUs a work-item has all of a block's results: what groups of 64 do is tried by itself.
test_that("the kernels for groups of work-items give t(A) W B", {
  skip_on_cran()
  read <- function(...) readLines(system.file("cl", ..., package = "nmathopencl"))
  program <- paste(c(read("OPENCL.cl"), read("expression", "weighted_products.cl")), collapse = "\n")
  judge <- function(n, p, q, same, rows, device) {
    A <- matrix(round(rnorm(n * p), 2), n)
    B <- if (same) A else matrix(round(rnorm(n * q), 2), n)
    w <- round(runif(n), 2)
    side <- ceiling(p / 32)
    tiles <- if (same) side * (side + 1) / 2 else side * ceiling(q / 32)
    blocks <- ceiling(n / rows)
    sides <- list(p = p, q = q, same = as.integer(same))
    parts <- run_opencl_kernel(
      program, "nmath_weighted_products", c(list(a = A, b = B, w = w, n = n, rows = rows, tiles = tiles), sides), n = tiles * blocks * 64,
      groups = 64, out = list(out = p * q * blocks), device = device
    )
    found <- run_opencl_kernel(program, "nmath_weighted_join", c(list(parts = parts$out, blocks = blocks), sides), n = p * q * 64, groups = 64, out = list(out = c(p, q)), device = device)
    expect_equal(found$out, crossprod(A, w * B), tolerance = 1e-14)
  }
  for (device in setdiff(compiling_devices(), "0")) {
    judge(70, 5, 5, TRUE, 32, device)
    judge(100, 40, 33, FALSE, 64, device)
    judge(33, 70, 70, TRUE, 32, device)
    judge(1, 1, 1, FALSE, 32, device)
  }
})

test_that("what was refused for some data is tried again for later ones", {
  skip_without_compiler()
  set.seed(5)
  X <- matrix(rnorm(60 * 20), 60)
  y <- rnorm(60)
  b <- rnorm(20) / 10
  f <- opencl_function(function(y, X, b) if (mean(y) > 100) sum(dnorm(y, X %*% b, 1, log = TRUE)) * sum((X %*% b)^3) else sum(dnorm(y, X %*% b, 1, log = TRUE)), gradient = "b", hessian = TRUE)
  for (turn in 1:2) f(y + 1000, X, b, device = "0")
  weights <- attr(f, "expression")$moved$weights
  expect_length(weights$variants, 0L)
  for (turn in 1:3) value <- f(y, X, b, device = "0")
  expect_length(weights$variants, 1L)
  expect_equal(unname(attr(value, "hessian")), -crossprod(X), tolerance = 1e-12)
})
