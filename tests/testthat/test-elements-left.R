# x[-i], where R knows i: elements that are left out by their numbers.

unoptimized_programs()

y <- c(1, -2, 3, -1, 0.5)
X <- cbind(1, c(0.3, -0.2, 0.8, 1.1, -0.4))

cases <- list(
  found = function(b, y, X, i) {
    k <- which(y < 0)
    sum((y[-k] - b[1])^2) + sum(abs(y[k]) * b[2])
  },
  given = function(b, y, X, i) sum(exp(y[-i] * b[1])) + b[2]^2,
  of_computed = function(b, y, X, i) sum((b[1] * y + y^2)[-i]^2) + b[2],
  twice = function(b, y, X, i) sum(y[-i] * b[1]) + sum(X[, 2][-which(y > 2)] * b[2]),
  numbers = function(b, y, X, i) {
    out <- c(1, 3)
    sum((y[-out] - b[1])^2 * b[2]) + sum(y[out])
  },
  rows = function(b, y, X, i) sum((y[-i] - X[-i, ] %*% b)^2),
  one_column = function(b, y, X, i) sum((y[-i] * b[1] - X[-i, 2] * b[2])^2),
  beside = function(b, y, X, i) sum((y[-i] - b[1])^2) + sum(dnorm(y, b[1], exp(b[2]), log = TRUE))
)
indices <- list(c(2L, 4L), c(5, 1, 1), 3L, c(-2, -3), c(2, 4), c(9, 2), integer(), 1:4)

judge <- function(f, made, at, told) {
  known <- tryCatch(do.call(f, at), error = identity)
  ours <- tryCatch(do.call(made, at), error = identity)
  if (inherits(known, "error")) return(expect_s3_class(ours, "error"))
  if (inherits(ours, "nmathopencl_error")) return(expect_match(conditionMessage(ours), "element|one row|matrix|index|dimensions", info = told))
  expect_equal(as.vector(ours), known, tolerance = 1e-13, info = told)
  expect_equal(unname(attr(ours, "gradient")), differences(f, at, "b"), tolerance = 1e-7, info = told)
}

test_that("x[-i] is R's, in calls one after the other", {
  for (name in names(cases)) {
    made <- opencl_function(cases[[name]], gradient = "b")
    for (way in c(compiling_devices(), if (!as_on_cran()) "by R")) {
      old <- options(nmathopencl.device = if (way == "by R") "host" else way, nmathopencl.compiler = if (way == "by R") FALSE else getOption("nmathopencl.compiler"))
      for (i in indices) judge(cases[[name]], made, list(b = c(0.4, 0.3), y = y, X = X, i = i), paste(name, deparse1(i), way))
      judge(cases[[name]], made, list(b = c(0.4, 0.3), y = abs(y), X = X, i = c(1, 2)), paste(name, "none", way)) # which() finds none
      judge(cases[[name]], made, list(b = c(0.4, 0.3), y = rev(y), X = X, i = c(4, 2)), paste(name, "other data", way))
      options(old)
    }
  }
})

test_that("most of these forms are computed, on the host and by R", {
  withr_options(list(nmathopencl.device = "host"), environment())
  for (name in names(cases)) {
    made <- opencl_function(cases[[name]], gradient = "b", data = list(y = y, X = X, i = c(2, 4)))
    expect_equal(as.vector(made(c(0.4, 0.3))), cases[[name]](c(0.4, 0.3), y, X, c(2, 4)), info = name)
  }
  expect_error(opencl_function(function(b, y, i) {
    z <- y[-1] * b
    sum(z[-i])
  }, gradient = "b")(2, 1:5 + 0, c(1, 3)), class = "nmathopencl_error")
})
