# Texts, NULL, types and what changes no number; stop(), stopifnot(), warning() and suppressWarnings(): as R has them.

unoptimized_programs()

test_that("texts choose, and are part of what a program holds for", {
  f <- function(x, link = "logit") {
    if (link == "logit") plogis(x) else if (link == "probit") pnorm(x) else stop("unknown link: ", link)
  }
  x <- c(-1, 0, 2)
  expect_as_r(f, x)
  expect_as_r(f, x, "probit")
  expect_as_r(f, x, "cloglog")
  g <- opencl_function(f)
  for (link in c("logit", "probit", "logit")) expect_equal(g(x, link), f(x, link), tolerance = 1e-14)
  expect_as_r(function(x, k) switch(k, a = , b = x + 1, c = x * 2, x), x, "a")
  expect_as_r(function(x, k) switch(k, a = , b = x + 1, c = x * 2, x), x, "c")
  expect_as_r(function(x, k) switch(k, a = , b = x + 1, c = x * 2, x), x, "other")
  expect_as_r(function(x, k) switch(k, x, x + 1, x + 2), x, 2)
  expect_as_r(function(x, k) switch(k + 1L, x, x + 1, x + 2), x, 2L)
  expect_as_r(function(x, k) {
    y <- switch(k, a = x)
    if (is.null(y)) -x else y
  }, x, "b")
  expect_as_r(function(x, k) if (k %in% c("a", "b")) x else -x, x, "b")
  expect_as_r(function(x, k) if (identical(k, "a") && nzchar(k)) x else -x, x, "b")
  expect_as_r(function(x, k) if (k != "a") x else -x, x, "a")
  kind <- "odd"
  expect_as_r(function(x) if (kind == "odd") x else -x, x)
  named <- function(v, how) {
    how <- if (how == "up") "plus" else how
    switch(how, plus = v + 1, minus = v - 1)
  }
  expect_as_r(function(x) named(x, "up") * named(x, "minus"), x)
})

test_that("NULL and types are known", {
  x <- c(1, 2)
  weighted <- function(x, w = NULL) {
    if (is.null(w)) w <- 1
    x * w
  }
  expect_as_r(weighted, x)
  expect_as_r(weighted, x, c(2, 3))
  expect_as_r(weighted, x, NULL)
  expect_as_r(function(x, w = NULL) if (!is.null(w) && length(w) > 1) x * w else x, x)
  expect_as_r(function(x, w = NULL) if (is.null(w) || w > 1) x else -x, x, 0)
  inner <- function(v, w = NULL) if (is.null(w)) v else v * w
  expect_as_r(function(x) inner(x, NULL) + inner(x, 2) + inner(x), x)
  for (v in list(1L, 2.5, TRUE)) {
    expect_as_r(function(x, v) if (is.numeric(v)) x + v else x, x, v)
    expect_as_r(function(x, v) c(if (is.integer(v)) x else if (is.logical(v)) x + 1 else if (is.double(v)) x + 2), x, v)
    expect_as_r(function(x, v) if (isTRUE(v)) x else if (isFALSE(v)) -x else x * 3, x, v)
  }
  for (v in list(FALSE, NA, c(TRUE, TRUE))) expect_as_r(function(x, v) if (isTRUE(v)) x else if (isFALSE(v)) -x else x * 3, x, v)
  expect_as_r(function(x, v) x + isTRUE(v > 1), x, 3)
  expect_as_r(function(x) if (is.character(x) || is.function(x)) 1 else x, x)
})

test_that("what changes no number leaves the attributes that R leaves", {
  X <- matrix(c(1, 2, 3, 4), 2, dimnames = list(c("u", "v"), NULL))
  named <- c(a = 1, b = 2)
  for (b in list(c(1, -1), c(p = 1, q = 2))) {
    expect_as_r(function(X, b) drop(X %*% b), X, b)
    expect_as_r(function(X, b, y) drop(X %*% b) + y, X, b, 1:2)
    expect_as_r(function(X, b) c(X %*% b), X, b)
    expect_as_r(function(X, b) unname(X %*% b), X, b)
  }
  as_one(for (x in list(named, X, X[1, , drop = FALSE], X[, 1, drop = FALSE], X[1, 1, drop = FALSE], array(1:4 / 2, c(1, 2, 2)), structure(1:2 + 0, note = "kept"))) {
    expect_as_r(function(x) drop(x), x)
    expect_as_r(function(x) c(x), x)
    expect_as_r(function(x) unname(x), x)
    expect_as_r(function(x) identity(x) + 1, x)
    expect_as_r(function(x) !x, x)
    expect_as_r(function(x) !x, x > 1)
    expect_as_r(function(x) invisible(x), x)
    expect_as_r(function(x) {
      x <- (x)
      return(invisible(as.vector(drop(x))))
    }, x)
  })
})

test_that("stop and stopifnot say what the user wrote", {
  f <- function(x, s) {
    stopifnot(s > 0, "x must be positive" = x > 0)
    if (length(x) > 3) stop("at most ", 3, " values", call. = FALSE)
    log(x) / s
  }
  x <- c(1, 2)
  expect_as_r(f, x, 2)
  expect_as_r(f, x, -1)
  expect_as_r(f, c(1, -2), 2)
  expect_as_r(f, 1:4 + 0, 2)
  expect_as_r(function(x) {
    stopifnot(x > 0)
    x
  }, c(1, -1))
  expect_as_r(function(x) {
    stopifnot(all(x > 0), is.numeric(x))
    x
  }, c(1, NA))
  g <- opencl_function(f)
  for (turn in 1:2) { # what holds for one call may not for the next
    expect_equal(g(x, 2), log(x) / 2, tolerance = 1e-14)
    expect_error(g(c(1, -2), 2), "^x must be positive$")
    expect_equal(conditionCall(tryCatch(g(x, -1), error = identity))[[1L]], quote(g))
    expect_error(g(x, -1), "^s > 0 is not TRUE$")
    expect_null(conditionCall(tryCatch(g(1:4 + 0, 2), error = identity)))
  }
  checked <- function(v) {
    if (v < 0) stop("negative")
    sqrt(v)
  }
  expect_as_r(function(x, s) x * checked(s), x, 4)
  expect_as_r(function(x, s) x * checked(s), x, -4)
  h <- opencl_function(function(x, s) x * checked(s))
  for (compiler in c(TRUE, FALSE)) {
    withr_options(list(nmathopencl.compiler = if (compiler) getOption("nmathopencl.compiler") else FALSE), environment())
    expect_equal(conditionCall(tryCatch(h(x, -4, device = "host"), error = identity)), quote(checked(s)))
  }
})

test_that("warning warns at each call, and suppressWarnings mutes", {
  f <- function(x, s) {
    if (s > 1) warning("s is ", "large")
    x * s
  }
  x <- c(-1, 4)
  expect_as_r(f, x, 2)
  expect_as_r(f, x, 1)
  expect_as_r(function(x) x + as.integer(1e10), x)
  expect_as_r(function(x) suppressWarnings(sqrt(x)), x)
  expect_as_r(function(x) suppressWarnings(sqrt(x)) + sqrt(x), x)
  expect_as_r(function(x) suppressWarnings(sqrt(x)) + log(x), x)
  expect_as_r(function(x, y) suppressWarnings({
    warning("never")
    x + y
  }), 1:2, 1:3)
})
