# Generics of resident vectors where R's own have rules of their own for arguments that are seldom given.

expect_generic_as_r <- function(call, ..., device = "host") {
  data <- list(...)
  rs <- torture_outcome(eval(call, data))
  data$x <- opencl_vector(data$x, device)
  ours <- torture_outcome(eval(call, data))
  if (torture_failed(rs)) {
    expect_true(torture_failed(ours), info = deparse1(call))
  } else {
    ours$value <- torture_back(ours$value)
    expect_identical(ours[c("value", "warnings")], rs[c("value", "warnings")], info = deparse1(call))
  }
}

test_that("[[ takes one element, or is R's error", {
  for (x in list(c(4, 1, NA), c(a = 4, b = 1, c = 2), 7L, matrix(1:6, 2), c(TRUE, FALSE), numeric())) {
    for (i in list(1, 2L, 3, 4, 7, 0, -1, 1.9, 2.5, TRUE, FALSE, NA, NA_integer_, "a", "zz", c(1, 2), numeric(), Inf)) {
      expect_generic_as_r(quote(x[[i]]), x = x, i = i)
    }
    expect_generic_as_r(quote(x[[2, 3]]), x = x)
    expect_generic_as_r(quote(x[["a", exact = FALSE]]), x = x)
  }
})

test_that("any() and all() warn of doubles, and stop at what decides", {
  for (x in list(c(1, 0), c(0, 0), c(0, NA), c(NaN, 1), 0L, c(TRUE, NA), numeric(), c(FALSE, FALSE))) {
    for (call in expression(
      any(x), all(x), any(x, na.rm = TRUE), all(x, na.rm = TRUE), any(x, 0.5), all(x, 0), all(x, TRUE, 1), any(x, NA), all(x, NA, FALSE), any(x, 1L)
    )) expect_generic_as_r(call, x = x)
  }
})

test_that("dimnames of a vector can be taken away, and cbind() hears of deparse.level", {
  for (call in expression(
    `dimnames<-`(x, NULL), cbind(x, deparse.level = 0), rbind(x, deparse.level = 0), cbind(x, 1, deparse.level = 2), cbind(x, y, deparse.level = 1),
    cbind(x, exp(1), deparse.level = 2), rbind(x, y, 1, deparse.level = 2), cbind(x, a = y, deparse.level = 0)
  )) {
    expect_generic_as_r(call, x = c(1, 2), y = c(3, 4))
    expect_generic_as_r(call, x = matrix(c(1, 2), 1), y = c(3, 4))
  }
})
