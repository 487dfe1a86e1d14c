# Columns that are taken by name, in calls whose matrices have them in other places or not at all, against plain R; and parts of
# matrices of one row or one column.

unoptimized_programs()

X <- matrix(1:12 / 2, 4, dimnames = list(NULL, c("A", "B", "C")))
others <- list(X, X[, c(2, 1, 3)], X[, c(3, 2, 1)], X[, c(2, 3, 1)], X)

# With the columns in each of these places, with and without names, R's numbers.
expect_columns <- function(f, devices) {
  ours <- opencl_function(f)
  summed <- opencl_function(f, reduce = "sum", gradient = "p")
  for (device in devices) for (X in others) {
    known <- f(X, 2)
    expect_equal(as.vector(ours(X, 2, device = device)), as.vector(known))
    expect_equal(as.vector(ours(opencl_matrix(X, device = device), 2, device = device)), as.vector(known))
    expect_equal(c(summed(X, 2, device = device)), sum(known))
    expect_equal(c(summed(X, over = list(p = c(2, 3)), device = device)), c(sum(known), sum(f(X, 3))))
    expect_error(ours(unname(X), 2, device = device), "no column of that name|no 'dimnames'")
    expect_error(summed(unname(X), 2, device = device), "no column of that name|no 'dimnames'")
    expect_error(summed(unname(X), over = list(p = c(2, 3)), device = device), "no column of that name|no 'dimnames'")
  }
}

test_that("columns are those of each call's matrix", {
  skip_on_cran() # a matter of seconds
  functions <- list(
    function(X, p) X[, "A"] * p, function(X, p) dnorm(X[, "A"], p, log = TRUE), function(X, p) X[, "A"] * p - X[, "C"],
    function(X, p) sum(X[, "A"] * p), function(X, p) X[2, "A"] * p, function(X, p) rowSums(X[, c("A", "C")]) * p
  )
  for (f in functions) expect_columns(f, c("host", opencl_test_devices()))
})

test_that("levels have the sums of the column", {
  skip_without_compiler()
  ours <- opencl_function(function(X, p) X[, "A"] * p, reduce = "sum")
  g <- c(1L, 2L, 1L, 2L)
  for (X in others) expect_equal(as.vector(ours(X, 2, by = g)), c(tapply(2 * X[, "A"], g, sum)), ignore_attr = TRUE)
})

test_that("parts with drop = FALSE have the sides that R says", {
  parts <- list(
    function(X, p) X[, 1:2, drop = FALSE] * 2, function(X, p) X[, -1, drop = FALSE] * 2, function(X, p) X[-1, , drop = FALSE] * 2,
    function(X, p) X[c(2, 1), , drop = FALSE] * 2, function(X, p) X[integer(0), , drop = FALSE], function(X, p) X[1, , drop = FALSE] * 2,
    function(X, p) X[, 1, drop = FALSE] * 2, function(X, p) (X * p[1])[, 1:2, drop = FALSE], function(X, p) t(X[, 1:2, drop = FALSE]),
    function(X, p) X[, 1:2, drop = FALSE] %*% p, function(X, p) colSums(X[, 1:2, drop = FALSE]), function(X, p) nrow(X[, 1:2, drop = FALSE]) * p,
    function(X, p) X[, , drop = FALSE] * 2, function(X, p) X[, ] * 2
  )
  rownames(X) <- letters[1:4]
  matrices <- list(X, X[1, , drop = FALSE], X[, 1, drop = FALSE], unname(X[1, , drop = FALSE]), X[1, 1, drop = FALSE], X[1:2, ])
  for (f in parts) {
    ours <- opencl_function(f)
    for (X in matrices) {
      known <- tryCatch(f(X, c(2, 1)), error = function(e) NULL)
      if (is.null(known)) next
      value <- tryCatch(ours(X, c(2, 1)), error = function(e) expect_match(conditionMessage(e), "no (column|row) is left"))
      if (is.numeric(value)) expect_identical(value, known)
    }
  }
})

test_that("parts of no rows are doubles", {
  X <- X[1:3, 1:2]
  none <- c(FALSE, FALSE, FALSE)
  parts <- list(
    function(X, p, k) X[k, ] %*% p, function(X, p, k) sum(X[k, ] %*% p), function(X, p, k) X[integer(0), ] %*% p,
    function(X, p, k) max(0, X[k, ] %*% p), function(X, p, k) c(X[k, ] %*% p, 1L), function(X, p, k) sum(X[k, 1]), function(X, p, k) X[k, 1] * p[1]
  )
  for (f in parts) {
    ours <- opencl_function(f)
    expect_identical(ours(X, c(2, 1), none), f(X, c(2, 1), none))
    expect_equal(ours(X, c(2, 1), !none), f(X, c(2, 1), !none))
    expect_identical(ours(X, c(2, 1), none), f(X, c(2, 1), none))
  }
})
