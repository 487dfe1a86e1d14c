# Types of parts of what joins logical values and integers, of sums by Reduce(), and repeated elements: R's, with the names that these have.

unoptimized_programs()
as_r <- function(f, ...) expect_as_r(f, ..., devices = "host")

test_that("parts of integers are integers where they were logical before", {
  for (f in list(function(l, i) c(l, i)[1], function(l, i) cbind(l, i)[, 1], function(l, i) if (is.integer(c(l, i)[1])) 1 else 2)) as_r(f, NA, 3L)
  as_r(function(l, i) {
    l[1] <- i
    l[2]
  }, c(TRUE, FALSE), 3L)
})

test_that("Reduce() of integers gives integers, whose overflow is missing", {
  f <- function(y, p) Reduce(`+`, lapply(p, function(k) k * y))
  as_r(f, 1:3, 2:1)
  as_r(f, c(1.5, 2), 2:1)
  as_r(function(y, p) Reduce(`+`, Map(function(a, b) a * b + y, p, p)), 2000000000L, 1:2)
  as_r(function(y, p) Reduce(`*`, lapply(p, function(k) k + y)), 1:3, 2:1)
})

test_that("what is repeated keeps its name", {
  for (f in list(function(v) rep(v, each = 2), function(v) rep(v, length.out = 3), function(v) rep(v[-1], 2))) for (v in list(c(a = 1), c(a = 1, b = 2), 5)) as_r(f, v)
})

test_that("an element by name of what R computes of data is refused in words", {
  g <- c("a", "b", "a")
  expect_error(opencl_function(function(p) table(g)[["a"]] * p), "is not supported", class = "nmathopencl_error")
})

test_that("R warns of a matrix of one element that the body makes, too", {
  for (f in list(function(v, w) w + crossprod(v), function(v, w) sum(w * matrix(v, 1)), function(v, w) ifelse(w > 1, w - t(v), 0))) as_r(f, 2, c(3, 1))
  for (f in list(function(v, w) w + drop(crossprod(v)), function(v, w) w * crossprod(v)[1, 1])) as_r(f, 2, c(3, 1)) # which are numbers
})
