# Minima and maxima of nothing: Inf and -Inf, with R's warning.

unoptimized_programs()

expect_extreme_as_r <- function(x, op, na_rm, device, by = NULL) {
  g <- opencl_function(function(x) x + 0L, reduce = op, na.rm = na_rm)
  ours <- torture_outcome(if (is.null(by)) g(x, device = device) else g(x, by = by, device = device))
  rs <- torture_outcome(reduced_by_groups(op, x, by, na_rm))
  ours$value <- stats::setNames(as.double(ours$value), names(ours$value))
  expect_identical(ours[c("value", "warnings")], rs[c("value", "warnings")], info = paste(op, na_rm, torture_text(x)))
}

test_that("extremes of no values are infinite, with a warning, and those of infinite ones have none", {
  values <- list(c(NA, NaN), NA_real_, NaN, c(Inf, NA), c(-Inf, NA), c(NA, 3), NA_integer_, c(NA, 2L), numeric(), integer(), rep(NA_real_, 1e5), c(rep(NA, 1e5), 7))
  for (op in c("min", "max")) {
    for (x in values) for (na_rm in c(TRUE, FALSE)) {
      expect_extreme_as_r(x, op, na_rm, "host")
      if (length(x) < 100) torture_on("plain", expect_extreme_as_r(x, op, na_rm, "host"))
    }
    expect_extreme_as_r(c(NA, 1, NA, 3, NaN), op, TRUE, "host", c(1L, 2L, 1L, 2L, 4L))
    torture_on("plain", expect_extreme_as_r(c(NA, 1, NA, 3, NaN), op, TRUE, "host", c(1L, 2L, 1L, 2L, 4L)))
    for (device in opencl_test_devices()) {
      for (x in list(c(NA, NaN), c(-Inf, Inf, NA), c(rep(NA, 1e4), 7), rep(NaN, 1e4))) expect_extreme_as_r(x, op, TRUE, device)
      expect_extreme_as_r(c(NA, 1, NA, 3, NaN), op, TRUE, device, c(1L, 2L, 1L, 2L, 4L))
    }
  }
})

test_that("so it is for resident vectors", {
  for (x in list(c(NA, NaN), c(NA, 2), c(Inf, NA), NA_integer_)) {
    y <- opencl_vector(x, "host")
    for (call in expression(min(v, na.rm = TRUE), max(v, na.rm = TRUE), range(v, na.rm = TRUE), min(v, 3, na.rm = TRUE), max(v, -1, na.rm = TRUE), min(v))) {
      rs <- torture_outcome(eval(call, list(v = x)))
      ours <- torture_outcome(eval(call, list(v = y)))
      expect_equal(as.double(ours$value), as.double(rs$value), info = deparse1(call))
      expect_setequal(ours$warnings, rs$warnings)
    }
  }
})
