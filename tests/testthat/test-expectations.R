# What the tests' own expectations let through.

test_that("what is not identical fails, with what was written and what it is", {
  expect_failure(expect_identical(1, 1L))
  expect_failure(expect_identical(c(a = 1), 1))
  expect_failure(expect_equal(1, 1.1))
  expect_failure(expect_equal(1, 1 + 1e-9, tolerance = 1e-12))
  one <- 1
  expect_failure(expect_identical(one + 1, 3), "one + 1", fixed = TRUE)
  expect_failure(expect_equal(one, 3, label = "this"), "this", fixed = TRUE)
  expect_success(expect_identical(one, 1))
  expect_success(expect_equal(c(1, NA), c(1 + 1e-12, NA)))
  expect_success(expect_equal(c(a = 1, b = -Inf), c(a = 1 + 1e-12, b = -Inf), info = "near"))
  expect_success(expect_equal(matrix(c(1, NaN), 1), matrix(c(1, NaN), 1) * (1 + 1e-12)))
  for (pair in list(c(Inf, 1), c(1, Inf), c(Inf, -Inf), c(1, NA), c(NA, 1), c(0, 1e-3), c(1, 1 + 1e-6), c(1e-3, 0))) expect_failure(expect_equal(c(2, pair[1]), c(2, pair[2]), tolerance = 1e-8))
  expect_failure(expect_equal(c(a = 1), c(b = 1 + 1e-12), info = "names"))
  expect_failure(expect_equal(matrix(c(1, 2), 1), c(1, 2) * (1 + 1e-12)))
})

test_that("what is compared is evaluated once", {
  count <- 0
  more <- function() count <<- count + 1
  expect_success(expect_identical(more(), 1))
  expect_failure(expect_identical(more(), 1))
  expect_identical(count, 2)
})
