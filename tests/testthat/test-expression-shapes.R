# A program that was made for arguments of one shape serves those that it fits, and no others: for each function, after a call
# with every shape a call with every other one gives what a new function gives, and what plain R gives.
skip_on_cran() # half a minute
unoptimized_programs()

set.seed(3)
numbers <- function(n) round(rnorm(n), 3)
matrix_of <- function(n, p) matrix(numbers(n * p), n)
vectors <- function(...) lapply(list(...), function(sizes) lapply(sizes, numbers))
# y, X and b of n, rows, columns and coefficients.
linear <- function(n, rows, p, q = p) list(y = numbers(n), X = matrix_of(rows, p), b = numbers(q))
reduce_directly <- function(value, reduce, na.rm) {
  if (is.null(reduce)) return(value)
  if (reduce == "logsumexp") log(sum(exp(value))) else do.call(reduce, list(as.vector(value), na.rm = na.rm))
}

# list(f, shapes, further arguments of opencl_function())
cases <- list(
  list(function(x, y) x + y, vectors(c(3, 3), c(6, 3), c(3, 6), c(1, 4), c(4, 1), c(1, 1))),
  list(function(x, y, z) x * y - z, vectors(c(6, 3, 2), c(6, 2, 3), c(2, 4, 8), c(8, 4, 4), c(4, 4, 4), c(1, 8, 4))),
  list(function(x, y) ifelse(x > 0, y, -x), vectors(c(4, 4), c(4, 2), c(2, 4), c(4, 1), c(1, 4))),
  list(function(x, y) pmin(x, y)^2, vectors(c(4, 4), c(8, 4), c(2, 8), c(5, 1), c(1, 5)), reduce = "sum"),
  list(function(x, y) if (length(x) > 3) x * y else x - y, vectors(c(2, 2), c(4, 4), c(6, 2), c(2, 6), c(1, 6))),
  list(function(x, y) x / length(y), vectors(c(2, 3), c(2, 4), c(3, 3), c(4, 2), c(2, 1))),
  list(function(x, m) dnorm(x, m, 2, log = TRUE), vectors(c(6, 1), c(6, 6), c(1, 6), c(6, 3), c(4, 2)), reduce = "sum"),
  list(function(x, m) dnorm(x, m, 2), vectors(c(6, 1), c(6, 6), c(1, 6), c(6, 3)), reduce = "mean"),
  list(function(x, a) exp(-x * a), vectors(c(6, 1), c(5, 1), c(1, 1), c(12, 1)), reduce = "sum", gradient = "a"),
  list(function(x, y, a) (x - a * y)^2, vectors(c(6, 6, 1), c(6, 3, 1), c(3, 6, 1), c(1, 6, 1)), reduce = "mean", gradient = "a"),
  list(function(x, y) sin(x) * y, vectors(c(6, 6), c(6, 3), c(3, 6), c(1, 3), c(4, 1)), gradient = c("x", "y")),
  list(function(X, b) X %*% b, list(
    list(matrix_of(4, 2), numbers(2)), list(matrix_of(6, 2), numbers(2)), list(matrix_of(4, 3), numbers(3)), list(matrix_of(4, 3), numbers(2)),
    list(matrix_of(1, 2), numbers(2)), list(matrix_of(2, 2), numbers(2)), list(matrix_of(5, 1), numbers(1)), list(matrix_of(1, 1), numbers(1))
  )),
  list(function(X, b) X %*% b, list(
    list(matrix_of(4, 2), numbers(2)), list(matrix_of(7, 2), numbers(2)), list(matrix_of(4, 2), numbers(3)), list(matrix_of(4, 2), numbers(4)),
    list(matrix_of(1, 2), numbers(2)), list(matrix_of(2, 3), numbers(2))
  ), reduce = "sum"),
  list(function(y, X, b) dnorm(y, X %*% b, log = TRUE), list(
    linear(8, 8, 2), linear(4, 8, 2), linear(8, 8, 3), linear(8, 8, 2, 3), linear(16, 8, 2), linear(16, 16, 2), linear(1, 8, 2), linear(8, 1, 2), linear(5, 5, 1)
  ), reduce = "sum"),
  list(function(y, X, b) (y - X %*% b)^2, list(
    linear(8, 8, 2), linear(4, 8, 2), linear(8, 8, 3), linear(8, 8, 2, 4), linear(1, 8, 2), linear(2, 2, 2), linear(16, 8, 2)
  ), reduce = "sum", gradient = "b"),
  list(function(y, X, b) (y - drop_of(X %*% b))^2, list(linear(8, 8, 2), linear(4, 8, 2), linear(8, 8, 3), linear(24, 24, 2)), reduce = "mean", gradient = "b"),
  list(function(X, b, Z, g) X %*% b * exp(Z %*% g), list(
    list(matrix_of(6, 2), numbers(2), matrix_of(6, 3), numbers(3)), list(matrix_of(6, 3), numbers(3), matrix_of(6, 2), numbers(2)),
    list(matrix_of(6, 2), numbers(2), matrix_of(6, 2), numbers(2)), list(matrix_of(6, 2), numbers(2), matrix_of(6, 3), numbers(2)),
    list(matrix_of(3, 2), numbers(2), matrix_of(3, 3), numbers(3))
  ), reduce = "sum"),
  list(function(X, b) nrow(X) * (X %*% b) + ncol(X), list(
    list(matrix_of(4, 2), numbers(2)), list(matrix_of(6, 2), numbers(2)), list(matrix_of(4, 3), numbers(3)), list(matrix_of(2, 4), numbers(4))
  ), reduce = "sum"),
  list(function(x, y) x * y, list(
    list(matrix_of(4, 2), numbers(1)), list(matrix_of(2, 4), matrix_of(2, 4)), list(matrix_of(4, 2), matrix_of(4, 2)), list(numbers(8), matrix_of(4, 2)),
    list(matrix_of(4, 2), numbers(4)), list(matrix_of(4, 2), numbers(2))
  )),
  list(function(x, y) x + y, list(
    list(1:4, numbers(4)), list(numbers(4), 1:4), list(1:4, 1:4), list(c(TRUE, FALSE), 1:4), list(1:6, c(NA, TRUE)), list(NA, 1:3)
  )),
  list(function(x, y) x + y, list(list(1:4, 5L), list(1:6, 1:3), list(1:3, 1:6), list(c(TRUE, NA), 1:2), list(5L, 1:4)), reduce = "sum"),
  list(function(x, s) if (s > 0) x * s else x, list(list(numbers(4), 1), list(numbers(4), -1), list(numbers(2), 0), list(numbers(6), 3L))),
  list(function(x, n) dbinom(x, n, 0.3), list(list(0:3, 5), list(0:5, 5:10), list(2, 3:8), list(0:3, 5L), list(c(0, 2), c(3, 4, 5, 6)))),
  list(function(x, y) x - y, vectors(c(6, 6), c(6, 3), c(3, 6), c(6, 1)), reduce = "max"),
  list(function(x, y) x > y, vectors(c(6, 6), c(6, 3), c(3, 6), c(6, 1)), reduce = "any"),
  list(function(x, y) x * y, vectors(c(6, 6), c(6, 3), c(3, 6), c(1, 6)), reduce = "logsumexp"),
  list(function(x, y) x * y, list(
    list(c(1, NA, 3, 4), numbers(4)), list(c(1, NA, 3, 4), numbers(2)), list(numbers(6), c(NA, 1, 2)), list(NA_real_, numbers(3))
  ), reduce = "sum", na.rm = TRUE),
  list(function(x, a) x * a, list(list(c(1, NA, 3), 2), list(c(1, 2, 3, NA, 5), 2), list(4, 2), list(NA_real_, 2)), reduce = "mean", na.rm = TRUE, gradient = "a"),
  list(function(x, w) x * w, list(
    list(numbers(6), 2, by = rep(1:2, 3)), list(numbers(6), numbers(6), by = rep(1:3, 2)), list(numbers(6), numbers(3), by = factor(rep(c("a", "b"), 3))),
    list(numbers(3), numbers(6), by = c(1:5, NA)), list(numbers(1), numbers(6), by = rep(2L, 6))
  ), reduce = "sum"),
  list(function(X, b) X %*% b, list(
    list(matrix_of(6, 2), numbers(2), by = rep(1:2, 3)), list(matrix_of(4, 2), numbers(2), by = rep(1:2, 2)), list(matrix_of(6, 3), numbers(3), by = rep(1:3, 2)),
    list(matrix_of(6, 2), numbers(3), by = rep(1:2, 3))
  ), reduce = "mean", gradient = "b"),
  list(function(x, y) opencl_inner(x, 2) + y, vectors(c(4, 4), c(4, 2), c(2, 4), c(1, 4)), reduce = "prod")
)
drop_of <- opencl_function(function(v) v + 0)
opencl_inner <- opencl_function(function(u, v) ifelse(u > 0, u * v, u - length(u)))
plain_inner <- list(drop_of = function(v) v + 0, opencl_inner = function(u, v) ifelse(u > 0, u * v, u - length(u)))

outcome <- function(expr) suppressWarnings(tryCatch(expr, error = function(e) "an error"))

plain_outcome <- function(case, args) {
  f <- case[[1L]]
  environment(f) <- list2env(plain_inner, parent = environment(f))
  by <- args$by
  args$by <- NULL
  names(args) <- NULL
  outcome({
    value <- do.call(f, args)
    one <- function(v) if (length(v) > 0L) reduce_directly(v, case$reduce, isTRUE(case$na.rm)) else NA
    if (is.null(by)) one(value) else unlist(lapply(split(as.vector(value), if (is.factor(by)) by else factor(by, seq_len(max(by, na.rm = TRUE)))), one))
  })
}

# Differences in argument number `k`, of the reduced value.
slopes_of <- function(case, args, k) {
  h <- 1e-5
  vapply(seq_along(args[[k]]), function(j) {
    at <- function(step) {
      args[[k]][j] <- args[[k]][j] + step
      plain_outcome(case, args)
    }
    (at(h) - at(-h)) / (2 * h)
  }, 0)
}

new_function <- function(case) do.call(opencl_function, c(list(case[[1L]]), case[-(1:2)]))

expect_shapes <- function(case, device, pairs) {
  call_of <- function(f, args) {
    by <- args["by"[!is.null(args$by)]]
    args$by <- NULL
    outcome(do.call(f, c(unname(args), by, list(device = device))))
  }
  shapes <- case[[2L]]
  alone <- lapply(shapes, function(args) call_of(new_function(case), args))
  for (k in seq_along(shapes)) {
    known <- plain_outcome(case, shapes[[k]])
    value <- alone[[k]]
    attr(value, "gradient") <- NULL
    expect_equal(value, known, tolerance = 1e-12, info = paste(deparse1(case[[1L]]), k))
    slopes <- attr(alone[[k]], "gradient")
    if (is.null(slopes) || is.null(case$reduce) || !is.null(shapes[[k]]$by)) next
    names <- match(case$gradient, names(formals(case[[1L]])))
    expect_equal(unname(slopes), unlist(lapply(names, slopes_of, case = case, args = shapes[[k]])), tolerance = 1e-6)
  }
  for (i in pairs(length(shapes))) for (j in setdiff(pairs(length(shapes)), i)) {
    f <- new_function(case)
    call_of(f, shapes[[i]])
    expect_identical(call_of(f, shapes[[j]]), alone[[j]], info = paste(deparse1(case[[1L]]), i, j))
  }
  f <- new_function(case) # with all that it knows by then
  for (k in c(seq_along(shapes), rev(seq_along(shapes)))) expect_identical(call_of(f, shapes[[k]]), alone[[k]])
}

test_that("after a call with arguments of one shape, arguments of every other shape give what they give alone, and R's", {
  skip_without_compiler()
  as_one(for (case in cases) expect_shapes(case, "host", seq_len))
})

test_that("the same without a compiler", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  as_one(for (case in cases) expect_shapes(case, "host", seq_len))
})

test_that("the same on OpenCL devices, for products with matrices", {
  for (device in opencl_test_devices()) for (k in c(13L, 15L)) expect_shapes(cases[[k]], device, function(n) seq_len(min(n, 4L)))
})

test_that("objectives of other data are those of a new function", {
  skip_without_compiler()
  linear_model <- list(function(y, X, b, s) dnorm(y, X %*% b, s, log = TRUE), reduce = "sum", gradient = c("s", "b"))
  models <- lapply(c(8, 4, 8, 12), function(n) linear(n, n, 2))
  models[[3L]] <- linear(8, 8, 3)
  objective_of <- function(ll, model) as_objective(ll, list(b = model$b, s = 1.5), model[c("y", "X")], device = "host")
  ll <- do.call(opencl_function, linear_model)
  for (model in models) {
    known <- objective_of(do.call(opencl_function, linear_model), model)
    ours <- objective_of(ll, model)
    par <- ours$par * 1.1
    expect_identical(ours$fn(par), known$fn(par))
    expect_identical(ours$gr(par), known$gr(par))
    expect_equal(ours$fn(par), -sum(dnorm(model$y, model$X %*% par[seq_along(model$b)], par[["s"]], log = TRUE)), tolerance = 1e-13)
    slopes <- vapply(seq_along(par), function(k) (ours$fn(par + 1e-5 * (seq_along(par) == k)) - ours$fn(par - 1e-5 * (seq_along(par) == k))) / 2e-5, 0)
    expect_equal(ours$gr(par), slopes, tolerance = 1e-6) # in the order of `start`, not of `gradient`
    expect_error(ours$fn(par[-1L]), "numbers, and `start` has")
  }
  wrong <- models[[1L]]
  wrong$y <- wrong$y[1:3]
  suppressWarnings(expect_equal(objective_of(ll, wrong)$fn(c(wrong$b, 1)), -sum(dnorm(wrong$y, wrong$X %*% wrong$b, 1, log = TRUE))))
  some <- do.call(opencl_function, c(linear_model[1:2], gradient = "b"))
  expect_error(objective_of(some, models[[1L]])$gr(c(1, 2, 1)), "without the gradient in `s`")
  b_known <- as_objective(ll, list(s = 1.5), models[[1L]][c("y", "X", "b")], device = "host") # the gradient has more than is asked for
  expect_identical(b_known$gr(1.2), objective_of(ll, models[[1L]])$gr(c(models[[1L]]$b, 1.2))[3L])
})

test_that("an objective sees the variables of its function's environment as they are", {
  shift <- 1
  objective <- as_objective(opencl_function(function(x, a) x * a + shift, reduce = "sum"), c(a = 1), list(x = c(1, 2)), negative = FALSE, device = "host")
  expect_equal(objective$fn(2), 8)
  shift <- 3
  expect_equal(objective$fn(2), 12)
})

test_that("the names of a gradient are those of the call's coefficients, each of them", {
  skip_without_compiler()
  f <- opencl_function(function(X, b) X %*% b, reduce = "sum", gradient = "b")
  X <- matrix(1:6, 3)
  names_of <- function(b) names(attr(f(X, b, device = "host"), "gradient"))
  for (times in 1:2) {
    expect_identical(names_of(c(u = 1, v = 2)), c("u", "v"))
    expect_identical(names_of(c(1, 2)), c("b1", "b2"))
    expect_identical(names_of(c(u = 1, u = 2)), c("u", "u"))
    expect_identical(attr(f(X, c(u = 1, u = 2), device = "host"), "gradient"), c(u = 6, u = 15))
    expect_identical(names_of(c(w = 1, 2)), c("w", ""))
  }
})

test_that("functions of many arguments keep the programs of some shapes only, and each of them right", {
  skip_without_compiler()
  names <- paste0("x", 1:70)
  many <- opencl_function(as.function(c(stats::setNames(rep(alist(x = ), 70L), names), str2lang(paste(names, collapse = " + ")))), reduce = "sum")
  at <- function(n) do.call(many, c(rep(list(seq_len(n) / 8), 69L), list(0.5), list(device = "host")))
  for (n in c(2:40, 2)) expect_equal(at(n), sum(69 * seq_len(n) / 8 + 0.5), tolerance = 1e-13)
  expect_length(attr(many, "expression")$variants, 1L)
  f <- opencl_function(function(x, y) x * y, reduce = "sum")
  for (p in 2:150) f(matrix(1, 1, p), 2, device = "host")
  expect_lte(length(attr(f, "expression")$variants), 128L)
  expect_lte(length(attr(f, "expression")$plans), 128L)
  for (p in c(2, 150, 70)) expect_identical(f(matrix(1, 1, p), 2, device = "host"), 2 * p)
})

test_that("opencl_functions that another one calls are those of their names at each call", {
  scale <- 10
  inner <- opencl_function(function(u) u + 1)
  f <- opencl_function(function(x) inner(x) * 2)
  for (compiler in c(compiler_here(), FALSE)) {
    withr_options(list(nmathopencl.compiler = compiler), environment())
    inner <- opencl_function(function(u) u + 1)
    expect_identical(f(c(1, 2), device = "host"), c(4, 6))
    expect_identical(f(c(1, 2), device = "host"), c(4, 6))
    inner <- opencl_function(function(u) u * scale)
    expect_identical(f(c(1, 2), device = "host"), c(20, 40))
    inner <- opencl_function(function(u) u + 1)
    expect_identical(f(c(1, 2), device = "host"), c(4, 6))
  }
})
