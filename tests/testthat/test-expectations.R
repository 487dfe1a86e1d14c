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
})

test_that("what is compared is evaluated once", {
  count <- 0
  more <- function() count <<- count + 1
  expect_success(expect_identical(more(), 1))
  expect_failure(expect_identical(more(), 1))
  expect_identical(count, 2)
})
