# Matrices that do not fit each other are an error where they are one in R, whatever is made of their arithmetic; what fits is what R makes of it.

unoptimized_programs()

shapes_of_matrices <- function(n, k) {
  list(X = matrix(round(rnorm(n * k), 2), n), Z = matrix(round(runif(n * k), 2), n), v = matrix(round(rnorm(n), 2)), r = matrix(round(rnorm(k), 2), 1L), y = round(rnorm(n), 2), b = round(rnorm(k), 2), S = matrix(0.5, k, k), g = sample(n, n, TRUE))
}

any_matrix <- function(depth) {
  one <- function(...) sample(list(...), 1L)[[1L]]
  if (depth <= 0L) return(one(quote(X), quote(X), quote(Z), quote(v), quote(r), quote(S), quote(X %*% b), quote(v %*% r), quote(X %*% S), quote(t(X)), quote(outer(y, b)), quote(outer(b, y)), quote(cbind(y, 1)), quote(cbind(1, y)), quote(X[g, ]), quote(matrix(b, 1))))
  m <- function() any_matrix(depth - 1L)
  a <- function() one(m(), m(), quote(y), 2, quote(b), quote(c(v)), quote(X[, 1]))
  one(
    call(sample(c("+", "-", "*"), 1L), m(), a()), call(sample(c("+", "-", "*"), 1L), a(), m()), bquote(exp(-abs(.(m())))), bquote(pmin(.(m()), .(a()))),
    bquote(ifelse(.(m()) > 0, .(a()), 0)), bquote((.(m()) > .(a())) * 2), bquote(dnorm(.(m()), .(a()), 2)), bquote(sweep(.(m()), 2, b)), bquote(((.(m()) > 0) & (.(m()) > 0)) + 0)
  )
}

test_that("random arithmetic of matrices gives what R gives, or R's error", {
  compared <- failed <- 0
  as_one(for (case in if (as_on_cran()) 1:10 else 1:60) {
    set.seed(5000 + case)
    one <- function(...) sample(list(...), 1L)[[1L]]
    m <- any_matrix(sample(1:2, 1L))
    body <- one(bquote(sum(.(m))), bquote(rowSums(.(m))), bquote(colSums(.(m))), bquote({ lost <- .(m); sum(y) }), bquote(sum(rowSums(.(m)) * y)), bquote(max(.(m))))
    n <- sample(c(2L, 4L, 5L), 1L)
    values <- shapes_of_matrices(n, sample(setdiff(2:4, n), 1L))
    f <- as.function(c(stats::setNames(rep(alist(a = ), length(values)), names(values)), body), envir = globalenv())
    formals(f) <- formals(f)[intersect(names(values), all.vars(body))]
    values <- values[names(formals(f))]
    if (length(values) == 0L) next
    r <- tryCatch(suppressWarnings(do.call(f, values)), error = conditionMessage)
    for (way in ways_of(case)) {
      ours <- tryCatch(suppressWarnings(in_way(way, do.call(opencl_function(f), c(values, device = device_of_way(way))))), error = conditionMessage)
      told <- paste("case", case, way, deparse1(body), if (is.character(ours)) ours)
      does_not_fit <- grepl("non-conformable arrays|do not match the length of object", if (is.character(ours)) ours else "")
      if (is.character(r)) {
        failed <- failed + 1
        expect_true(is.character(ours), info = told)
      } else {
        expect_false(does_not_fit, info = told)
        if (is.character(ours)) next # what the language lacks
        compared <- compared + 1
        expect_equal(ours, r, tolerance = 1e-10, info = told)
      }
    }
  })
  if (!as_on_cran()) {
    expect_gt(compared, 15)
    expect_gt(failed, 10)
  }
})

test_that("what is not used, or stands in a branch that R does not take, is as in R", {
  X <- matrix(1:6 / 2, 3)
  v <- matrix(1:3)
  for (device in c(expression_devices(), "plain")) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    where <- if (device == "plain") "host" else device
    lost <- opencl_function(function(X, v) { z <- X * v; sum(X) })
    expect_error(lost(X, v, device = where), "non-conformable arrays")
    expect_equal(lost(X, v[, 1], device = where), sum(X))
    expect_error(lost(X, v, device = where), "non-conformable arrays")
    branch <- opencl_function(function(X, v, s) sum(ifelse(s > 0, s, X * v)))
    expect_equal(branch(X, v, 1, device = where), 1)
    expect_error(branch(X, v, -1, device = where), "non-conformable arrays")
    options(old)
  }
})

test_that("elements of a matrix of another shape are taken in their order", {
  set.seed(5999)
  X <- matrix(round(rnorm(12), 2), 4)
  S <- matrix(round(rnorm(9), 2), 3)
  b <- round(rnorm(3), 2)
  functions <- list(
    function(X, S, b) colSums(ifelse(t(X) > 0, X %*% S, 0)), function(X, S, b) rowSums(ifelse(t(X) > 0, X, 0.5)), function(X, S, b) rowSums(pmin(t(X), X %*% S)),
    function(X, S, b) colSums(dnorm(t(X), X %*% S, 2)), function(X, S, b) sum(rowSums(ifelse(t(X) > 0, outer(X[, 1], b), -1))^2), function(X, S, b) sum(rowSums(dnorm(t(X), outer(X[, 1], b), 2, log = TRUE)) * b)
  )
  for (device in expression_devices()) for (f in functions) expect_equal(opencl_function(f)(X, S, b, device = device), f(X, S, b), tolerance = 1e-12, info = deparse1(body(f)))
  for (f in functions[5:6]) expect_equal(unname(attr(opencl_function(f, gradient = "b")(X, S, b, device = "host"), "gradient")), differences(f, list(X = X, S = S, b = b), "b"), tolerance = 1e-7)
})
