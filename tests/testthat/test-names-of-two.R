# Names that stand for two things: a variable of a loop and a column, an element and another one of its name, groups within groups. The value is R's,
# or the form is refused.

unoptimized_programs()
y <- c(3, 1, 4, 1, 5, 9)
g <- c(1, 1, 2, 2, 3, 3)
h <- c(1, 2, 2, 3, 3, 1)

# As R, or refused; `refused`: that it is, whatever else.
expect_r_or_refused <- function(f, ..., refused = FALSE) {
  old <- options("nmathopencl.compiler")
  on.exit(options(old))
  for (compiler in list(FALSE, old[[1L]])) {
    options(nmathopencl.compiler = compiler)
    value <- tryCatch(opencl_function(f)(...), nmathopencl_error = function(e) NULL)
    if (refused) expect_null(value) else expect_equal(as.vector(value), as.vector(f(...)), info = deparse1(body(f)))
  }
}
expect_refused <- function(f, ...) expect_r_or_refused(f, ..., refused = TRUE)

test_that("groups within groups have numbers of their own", {
  expect_r_or_refused(function(y, g, h) {
    s <- 0
    for (e in split(y, g)) for (f in split(y, h)) s <- s + max(e) * max(f)
    s
  }, y, g, h)
  expect_r_or_refused(function(y, g, h) {
    s <- 0
    for (e in split(y, g)) s <- s + sum(sapply(split(y, h), function(f) max(f) * sum(e)))
    s
  }, y, g, h)
  expect_r_or_refused(function(y, g, h) sum(sapply(split(y, g), function(e) max(e) * sum(sapply(split(y, h), function(f) max(f))))), y, g, h)
  expect_r_or_refused(function(y, g, .group) sum(sapply(split(y, g), function(e) max(e) * .group)), y, g, 100)
  expect_r_or_refused(function(y, .at) sum(apply(cbind(y, y^2), 1, function(r) max(r) * .at)), y, 100)
})

test_that("a column of data is not the variable of a loop that has its name", {
  texts <- function(par, d) {
    s <- 0
    for (k in 1:2) s <- s + par[[paste0("b", k)]] + with(d, sum(k))
    s
  }
  expect_r_or_refused(texts, c(b1 = 1, b2 = 2), list(x = 1:3))
  expect_refused(texts, c(b1 = 1, b2 = 2), list(k = 100))
  groups <- function(y, g, d) {
    s <- 0
    for (e in split(y, g)) s <- s + sum(e) * with(d, sum(e))
    s
  }
  expect_r_or_refused(groups, y, g, list(x = 1))
  expect_refused(groups, y, g, list(e = 7))
  expect_refused(function(par, d) sum(sapply(1:2, function(k) par[[paste0("b", k)]] * sum(subset(d, k > 5)$y))), c(b1 = 1, b2 = 2), data.frame(y = 1:3, k = 5:7))
})

test_that("a second element of a name, and NULL, do not take the place of the first", {
  expect_refused(function(x) {
    p <- list(a = x[1], b = 2)
    p <- c(p, list(b = 3))
    p$b + p$a
  }, y)
  grown <- function(x) {
    p <- list(a = x[1], b = 2)
    p <- c(p, list(c = 3))
    p$b + p$a + p$c
  }
  expect_r_or_refused(grown, y)
  modified <- function(b, d) {
    p <- modifyList(list(a = 1, b = 2), list(a = d$q))
    b * (p$a + p$b)
  }
  expect_r_or_refused(modified, 2, list(q = 5))
  expect_refused(modified, 2, list(r = 5))
})

test_that("parts of data that are kept warn at each call, and depend on options", {
  d <- data.frame(x = c(1, 3, 4, 1e5), y = 1:4)
  f <- opencl_function(function(d, b) b * sum(subset(d, log(x - 2) > -5)$y))
  for (turn in 1:3) expect_warning(f(d, 2), "NaNs produced")
  f <- opencl_function(function(d, b) b + sum(subset(d, as.character(x) == "1e+05")$y))
  expect_identical(f(d, 0), 4)
  old <- options(scipen = 20)
  on.exit(options(old))
  expect_identical(f(d, 0), 0)
})

test_that("columns that are taken by name have plans, which look at the names of each call", {
  skip_without_compiler()
  X <- cbind(a = y, b = y^2)
  for (f in list(function(X, b) sum(X[, "b"] * b) + sum(X[, "a"]^2), function(X, b) { s <- sum(X[, "b"]); sum((X[, "a"] - s)^2 * b) })) {
    ours <- opencl_function(f, gradient = "b")
    for (turn in 1:3) ours(X, 0.5)
    expect_identical(calls_of("run_stages", for (b in c(0.5, 0.7)) expect_equal(as.vector(ours(X, b)), f(X, b))), 0L)
    for (M in list(X[, 2:1], X, opencl_matrix(X[, 2:1], device = "host"), `colnames<-`(X, c("b", "a")))) for (turn in 1:3) {
      expect_equal(as.vector(ours(M, 0.5)), f(as.matrix(M), 0.5))
    }
    expect_error(ours(unname(X), 0.5), "subscript out of bounds")
  }
})
