# Arrays that R refuses or warns of, wherever in an expression they meet other vectors.

unoptimized_programs()

expect_like_r <- function(f, ..., reduce = NULL, devices = "host") {
  rs <- torture_outcome(if (is.null(reduce)) f(...) else get(reduce, baseenv())(f(...)))
  g <- opencl_function(f, reduce = reduce)
  for (device in devices) {
    for (turn in 1:2) { # the second call may have a plan
      ours <- torture_outcome(g(..., device = device))
      if (torture_failed(rs)) {
        expect_identical(ours$value, rs$value, info = deparse1(body(f)))
      } else {
        expect_equal(ours, rs, info = paste(deparse1(body(f)), turn))
      }
    }
  }
}

test_that("an array of one element goes with longer vectors in arithmetic alone, with R's warning", {
  x <- c(1, 2, 3)
  for (one in list(matrix(2), array(2L, 1L), array(TRUE, c(1, 1, 1)))) {
    for (f in list(function(a, x) a + x, function(a, x) x - a, function(a, x) x %% a, function(a, x) a^x, function(a, x) -a / x)) expect_like_r(f, one, x)
    for (f in list(function(a, x) a > x, function(a, x) x == a, function(a, x) (a > 0) & (x > 1), function(a, x) xor(x > 1, a > 1))) {
      expect_like_r(f, one, x)
      expect_like_r(f, one, 5)
      expect_like_r(f, one, x, reduce = "any")
    }
    expect_like_r(function(a, x) a * x, one, x, reduce = "sum")
    expect_like_r(function(a, x) a * x, one, 5)
    expect_like_r(function(a, x) as.numeric(a) * x, one, x)
    expect_like_r(function(a, x) exp(-a) * log(x), one, x)
  }
  expect_like_r(function(X, b, y) X %*% b + y, matrix(c(1, 2), 1), c(3, 4), x, devices = expression_devices())
  for (one in list(matrix(2), array(2, 1L, list("n")), matrix(2, dimnames = list("r", "c")), structure(array(2, 1L), mine = "z"))) {
    for (y in list(c(a = 1, b = 2), structure(1:2, note = "kept", names = c("u", "v")), structure(c(1, 2), note = "kept"), 5, c(a = 5))) {
      expect_like_r(function(a, x) a * x, one, y)
      expect_like_r(function(a, x) x^a, one, y)
    }
  }
})

test_that("parts whose attributes the value does not have are looked at, too", {
  wide <- matrix(c(1, 2, 4), 1)
  six <- as.double(1:6)
  expect_like_r(function(a, x) pmax(x, a / x), wide, six)
  expect_like_r(function(a, x) pmax(x, 1, a + x), wide, six)
  expect_like_r(function(a, x) as.numeric(a + x), wide, six)
  expect_like_r(function(a, x) ifelse(as.numeric(a > x) > 0, 1, 2), wide, six)
  expect_like_r(function(a, x) dnorm(x, as.double(a * x)), wide, six)
  expect_like_r(function(a, x) pmax(x, as.double(a) / x), wide, six)
  expect_like_r(function(a, x) pmin(x, a / x), matrix(2), six)
})

test_that("a branch of ifelse() is looked at where some element takes it", {
  wide <- matrix(c(1, 2, 4), 1)
  six <- as.double(1:6)
  f <- function(a, x, s) ifelse(x > s, a + x, 0)
  expect_like_r(f, wide, six, 3)
  expect_like_r(f, wide, six, 30)
  h <- function(a, x, s) ifelse(x > s, 0, ifelse(x > -s, a * x, 1))
  for (s in c(-30, 3, 30)) expect_like_r(h, wide, six, s)
  single <- function(a, x, s) ifelse(x > s, a + x, 0)
  for (s in c(3, 30)) expect_like_r(single, matrix(2), six, s)
})

test_that("arrays of other than two dimensions are looked at in reductions, too", {
  g <- opencl_function(function(a, x) a + x, reduce = "sum")
  expect_identical(g(c(1, 2), c(1, 2, 3, 4), device = "host"), 16)
  expect_error(g(array(c(1, 2), 2L), c(1, 2, 3, 4), device = "host"), "dims [product 2] do not match the length of object [4]", fixed = TRUE)
  expect_identical(g(array(c(1, 2), 2L), 3, device = "host"), 9)
})

test_that("a remainder of 0 is NaN, of what is missing, too", {
  x <- c(NA, NaN, 1, NA, 2, -Inf)
  expect_like_r(function(x, y) x %% y, x, c(0, 0, 0, 2, NA, 0), devices = expression_devices())
  expect_like_r(function(x, y) x %% y, x, 0)
  expect_like_r(function(x) x %% 0, x)
  expect_like_r(function(x, l) x %% l, x, c(FALSE, TRUE, NA))
  expect_like_r(function(i, j) i %% j, c(NA, 3L, 5L), c(0L, 0L, NA))
  expect_like_r(function(x, y) x %/% y, x, c(0, 0, 0, 2, NA, 0))
  expect_identical(1 / opencl_function(function(x, y) x %/% y)(c(-2.4, 0, 2, 0), c(-3.5, -3, 3, 3), device = "host"), rep(Inf, 4)) # no -0
  expect_like_r(function(x, y) is.nan(x %% y), x, c(0, 0, 0, 2, NA, 0))
})

test_that("a coefficient may be a matrix of one element, and arguments without elements keep R's type", {
  for (b in list(2.5, matrix(2.5), c(b = 2.5))) {
    for (X in list(matrix(1:4 + 0.5), matrix(1:4, dimnames = list(letters[1:4], "z")))) {
      expect_like_r(function(X, b) X %*% b, X, b)
      expect_like_r(function(X, b, y) X %*% b + y, X, b, 1:4)
      slopes <- attr(opencl_function(function(X, b) exp(X %*% b), gradient = "b")(X, b, device = "host"), "gradient")
      expect_equal(as.vector(slopes), as.vector(X * exp(X * 2.5)))
    }
  }
  expect_like_r(function(j, y, x) pmin(j, is.finite(y), x), integer(), 0.5, 1.5)
  expect_like_r(function(j, y, x) pmin(j, y, x), integer(), 0.5, 1.5)
  expect_identical(opencl_function(function(l, x) ifelse(l, 1L, x))(logical(), 1.5, device = "host"), if (compiler_here()) numeric() else logical())
})
