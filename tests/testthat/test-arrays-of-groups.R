# Results of tapply() and table() are arrays of one dimension, which no longer vector stands beside; and sums of integers of groups in what
# sapply() computes of more elements than are written out.

unoptimized_programs()
set.seed(73)
n <- 60L
y <- round(rnorm(n), 2)
whole <- as.integer(10 * y)
g <- rep(1:12, 5)
few <- rep(1:3, 20)
long <- 1:24 + 0
short <- 1:4 + 0
M <- matrix(1:12 + 0, 3)
K <- 12L

# R's value, or R's error.
expect_as_r <- function(f, x = y, a = 1.5) {
  known <- tryCatch(suppressWarnings(f(x, a)), error = conditionMessage)
  on_each_device(function(device) {
    ours <- tryCatch(suppressWarnings(opencl_function(f)(x, a, device = device)), error = conditionMessage)
    if (is.character(known)) expect_identical(ours, known) else expect_equal(c(unname(ours)), c(unname(known)), tolerance = 1e-12)
  })
}

test_that("beside a longer vector R's error comes", {
  expect_error(sum(tapply(y, g, mean) - y), "dims [product 12] do not match the length of object [60]", fixed = TRUE)
  expect_as_r(function(x, a) sum(tapply(x, g, mean) - x) * a)
  expect_as_r(function(x, a) sum(x * tapply(x * a, g, sum)))
  expect_as_r(function(x, a) sum(tapply(x, g, sum) / tapply(x, few, sum)) * a)
  expect_as_r(function(x, a) sum(exp(-tapply(x, g, sum))^long) * a)
  expect_as_r(function(x, a) sum(tapply(x, g, sum) > long) * a)
  expect_as_r(function(x, a) sum(tapply(x, g, sum)[1:6] * long) * a)
  expect_as_r(function(x, a) sum(M * tapply(x * a, g, sum)))
  expect_as_r(function(x, a) sum(tapply(x, g, length) * long) * a)
  expect_as_r(function(x, a) { t <- table(g); sum(t * long) * a })
  expect_as_r(function(x, a) { t <- tapply(x, g, sum) / table(few); sum(t) * a })
  expect_as_r(function(x, a) { h <- function(z) z * long; sum(h(tapply(x * a, g, sum))) })
})

test_that("what R takes, and what is no array any more, is computed", {
  expect_as_r(function(x, a) sum(tapply(x, g, sum) * short) * a)
  expect_as_r(function(x, a) sum(tapply(x, g, sum)[g] * x) * a)
  expect_as_r(function(x, a) sum(as.vector(tapply(x, g, sum)) * long) * a)
  expect_as_r(function(x, a) sum(c(tapply(x, g, sum)) * long) * a)
  expect_as_r(function(x, a) sum(as.numeric(tapply(x, g, sum)) * long) * a)
  expect_as_r(function(x, a) sum(tapply(x, g, sum)[1] * long) * a)
  expect_as_r(function(x, a) { t <- tapply(x, g, sum) / table(g); sum(t) * a })
  expect_as_r(function(x, a) sum(dnorm(tapply(x, g, sum), long)) * a)
  expect_as_r(function(x, a) { t <- sapply(split(x, g), sum); sum(t * long) + sum(tapply(x, g, sum)) * a })
  expect_as_r(function(x, a) { t <- tabulate(g); sum(t * long) * a })
})

test_that("sums of integers in sapply() are asked about for all its elements", {
  expect_as_r(function(x, a) sum(sapply(1:K, function(k) tapply(x * k, g, sum)[k]) * a), whole)
  expect_as_r(function(x, a) sum(vapply(1:K, function(k) tapply(x == k, g, sum)[k], integer(1)) * a), whole)
  expect_as_r(function(x, a) sum(sapply(1:K, function(k) max(tapply(x > k, g, sum))) * a), whole)
  expect_as_r(function(x, a) sum(sapply(1:K, function(k) tapply(x * k, g, sum)) * a), whole)
  expect_as_r(function(x, a) sum(sapply(1:K, function(k) ifelse(k > 3, tapply(x, g, sum)[k], 0L)) * a), whole)
  expect_as_r(function(x, a) sum(sapply(1:100, function(k) ifelse(k > 3, tapply(x, g, sum)[2], 0L)) * a), whole)
  f <- opencl_function(function(x, a) sum(sapply(1:K, function(k) tapply(x * k, g, sum)[k]) * a))
  on_each_device(function(device) {
    expect_error(f(rep(2000000000L %/% 12L, n), 2, device = device), "sum of integers is beyond the integers", class = "nmathopencl_error")
  })
})

test_that("x[[k]] of a vector that a call makes", {
  expect_as_r(function(x, a) sum(sapply(1:K, function(k) tapply(x * a, g, sum)[[k]])))
  expect_as_r(function(x, a) tapply(x, g, sum)[[2]] * a)
  expect_as_r(function(x, a) tapply(x, g, sum)[[13]] * a)
  expect_as_r(function(x, a) table(g)[[2]] * cumsum(x)[[3]] * a + colSums(M * a)[[2]])
})
