# S4 generics that packages make of R's functions: for plain vectors they are these functions.

unoptimized_programs()

# A function whose body sees generics of these names; `methods`, what else is defined there, is run in their environment.
seeing_generics <- function(f, names, methods = function(where) NULL) {
  where <- new.env(parent = globalenv())
  for (name in names) suppressMessages(methods::setGeneric(name, where = where))
  methods(where)
  environment(f) <- where
  list2env(list(X = matrix(c(1, 2, 3, 4, 5, 7), 3), y = c(1, 2, 4)), envir = where)
  f
}

test_that("a generic whose default is R's function is this function", {
  class_of_ours <- function(name, arguments) function(where) {
    methods::setClass("opencl_test_class", representation(x = "numeric"), where = where)
    methods::setMethod(name, "opencl_test_class", as.function(c(arguments, quote(x@x))), where = where)
  }
  f <- seeing_generics(function(b) sum(drop(X %*% b)), "drop", class_of_ours("drop", alist(x = )))
  expect_true(isS4(get("drop", environment(f))))
  expect_as_r(f, c(0.5, 0.2))
  expect_as_r(seeing_generics(function(b) sum(exp(rowSums(X) * b)) + mean(y), c("rowSums", "mean")), 0.5)
  expect_as_r(seeing_generics(function(b) sum(head(y, 2) * b) + tail(y, 1), c("head", "tail")), 0.5)
  expect_as_r(seeing_generics(function(b) sum(y[which(y > 1)] * b), "which"), 0.5)
  expect_as_r(seeing_generics(function(b) dnorm(y, b, log = TRUE), "dnorm"), 0.5)
  with_gradient <- opencl_function(f, gradient = "b")(c(0.5, 0.2))
  expect_equal(unname(attr(with_gradient, "gradient")), c(6, 16))
})

test_that("one that does something of its own with plain vectors is not", {
  refused <- function(f) expect_error(opencl_function(f), "`drop()` is an S4 generic that is not R's own", fixed = TRUE)
  for (class in c("numeric", "matrix", "array", "vector", "ANY")) {
    refused(seeing_generics(function(b) sum(drop(X %*% b)), "drop", function(where) {
      methods::setMethod("drop", class, function(x) x + 1, where = where)
    }))
  }
  of_union <- seeing_generics(function(b) sum(drop(X %*% b)), "drop", function(where) { # of a union with plain vectors in it
    methods::setClassUnion("opencl_test_union", "numeric", where = where)
    methods::setMethod("drop", "opencl_test_union", function(x) x + 1, where = where)
  })
  refused(of_union)
  methods::removeClass("opencl_test_union", where = environment(of_union))
  refused(seeing_generics(function(b) sum(drop(X %*% b)), character(), function(where) {
    suppressMessages(methods::setGeneric("drop", function(x) standardGeneric("drop"), useAsDefault = function(x) x + 1, where = where))
  }))
  refused(seeing_generics(function(b) sum(drop(X %*% b)), character(), function(where) {
    suppressMessages(methods::setGeneric("drop", function(x) {
      x <- x + 1
      standardGeneric("drop")
    }, where = where))
  }))
})

test_that("functions of R are there where Matrix is attached", {
  skip_if_not_installed("Matrix")
  differs <- in_child({
    suppressMessages(library(Matrix))
    options(nmathopencl.compiler = TRUE)
    X <- matrix(c(1, 2, 3, 4, 5, 7), 3)
    y <- c(1, 2, 4)
    functions <- list(
      function(b) sum(drop(X %*% b)), function(b) mean(y * b[1]), function(b) sum(unname(y) * b[1]), function(b) sum(head(y, 2) * b),
      function(b) tail(y, 1) * b[1], function(b) sum(diff(y * b[1])^2), function(b) sum(exp(rowSums(X) * b[1])), function(b) sum(colSums(X) * b),
      function(b) sum(exp(rowMeans(X) * b[1])), function(b) sum(colMeans(X) * b), function(b) sum(y[which(y > 1)] * b),
      function(b) sum(diag(crossprod(X)) * b), function(b) sum(solve(crossprod(X)) %*% b), function(b) det(crossprod(X)) * b[1],
      function(b) sum(Matrix::drop(X %*% b))
    )
    b <- c(0.5, 0.2)
    unlist(lapply(functions, function(f) {
      ours <- tryCatch(c(opencl_function(f)(b, device = "host"), opencl_function(f, gradient = "b")(b, device = "host")), error = conditionMessage)
      if (!isTRUE(all.equal(ours, rep(f(b), 2)))) paste(deparse1(f), ours[1L])
    }))
  })
  expect_identical(differs, NULL)
})
