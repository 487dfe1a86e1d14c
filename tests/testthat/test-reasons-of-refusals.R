# What an error names: the code that is not supported, not code around it.

unoptimized_programs()

d <- data.frame(x = c(0.3, -0.2, 1.1, 0.4), y = c(1, 0, 2, 3), g = c(1, 2, 1, 2))

refused <- function(f, ...) tryCatch(opencl_function(f)(...), nmathopencl_error = conditionMessage)

test_that("functions of groups are refused for what is in them", {
  expect_match(refused(function(p, d) sum(sapply(split(d, d$g), function(e) max(e$x) * p)), 1, d), "^`max\\(e\\$x\\)`: .*before the call")
  expect_match(refused(function(p, d) sum(sapply(split(d, d$g), function(e) e$x[1] * p)), 1, d), "^`e\\$x\\[1\\]`: .*duplicated")
  expect_match(refused(function(p, d) sum(sapply(split(d, d$g), function(e) if (sum(e$y) > 0) p else 0)), 1, d), "^`if .*ifelse\\(\\)")
  inner_loop <- function(p, d) {
    sum(vapply(split(d, d$g), function(e) {
      L <- 0
      for (z in c(-1, 1)) L <- L + exp(sum(dpois(e$y, exp(p + z), log = TRUE)))
      log(L)
    }, 0))
  }
  expect_match(refused(inner_loop, 1, d), "^`for \\(z in c\\(-1, 1\\)\\).*tapply\\(term\\(z\\), g, sum\\)")
  cure <- function(p, d) {
    L <- 0
    for (z in c(-1, 1)) L <- L + exp(tapply(dpois(d$y, exp(p + z), log = TRUE), d$g, sum))
    sum(log(L))
  }
  expect_equal(opencl_function(cure)(1, d), inner_loop(1, d), tolerance = 1e-12)
})

test_that("a missing number of a column is a missing element", {
  X <- matrix(c(0.3, -0.2, 1.1, 0.4, 0.9, 2), 3)
  f <- function(X, y) {
    s <- 0
    for (i in seq_along(y)) s <- s + X[i, y[i]]
    s
  }
  g <- function(X, B, y) {
    eta <- X %*% B
    sum(sapply(seq_along(y), function(i) eta[i, y[i]]))
  }
  on_each_device(function(device) {
    expect_identical(opencl_function(f)(X, c(1, NA, 2), device = device), NA_real_)
    expect_equal(opencl_function(f)(X, c(1, 1, 2), device = device), f(X, c(1, 1, 2)))
    expect_identical(opencl_function(g)(X, diag(2), c(1, NA, 2), device = device), NA_real_)
    expect_error(opencl_function(f)(X, c(1, 3, 2), device = device), "subscript out of bounds")
    expect_identical(opencl_function(function(X, i) X[i, 2] + 1)(X, NA_real_, device = device), NA_real_)
  })
})

test_that("a function of one's own says how an argument is seen to be a test", {
  chosen <- function(v, i) sum(v[i])
  skip_if_not(compiler_here())
  expect_match(refused(function(x, k) chosen(2 * x, k), d$x, d$y > 0), "v[i & TRUE]", fixed = TRUE)
  chosen <- function(v, i) sum(v[i & TRUE])
  f <- function(x, k) chosen(2 * x, k)
  expect_equal(opencl_function(f)(d$x, d$y > 0), f(d$x, d$y > 0))
})

test_that("errors say what of a call is not there: names of sides, alternatives, rows by number", {
  expect_match(refused(function(p) { M <- matrix(p, 2, dimnames = list(NULL, c("u", "v"))); sum(M[, "u"]) }, 1:4), "gives no names, `dimnames`", fixed = TRUE)
  expect_match(refused(function(p, d) { s <- 0; for (i in seq_len(nrow(d))) { r <- d[i, ]; s <- s + p * r$y }; s }, 1, d), "d$y[i]", fixed = TRUE)
  expect_match(refused(function(p, d) { s <- 0; for (i in seq_len(nrow(d))) s <- s + p * d[i, ]$y; s }, 1, d), "d$y[i]", fixed = TRUE)
  by_stratum <- function(b, x, strata) { ll <- 0; for (s in unique(strata)) { k <- strata == s; ll <- ll + sum(b * x[k]) - log(sum(exp(b * x[k]))) }; ll }
  said <- refused(by_stratum, 1, d$x, factor(c("a", "a", "b", "b")))
  if (is.character(said)) expect_match(said, "^`strata` .*as.integer\\(strata\\)") else expect_equal(said, by_stratum(1, d$x, factor(c("a", "a", "b", "b"))))
  skip_without_compiler()
  expect_match(refused(function(p, k) sum(switch(k, 1, 2)) + p, 2, 9L), "none of its alternatives is chosen", fixed = TRUE)
  g <- c("a", "b", "a", "b")
  expect_match(refused(function(p, y, g) sum(ave(y, g) * p), 1, d$y, g), "factor(g)", fixed = TRUE)
  expect_equal(opencl_function(function(p, y, g) sum(ave(y, factor(g)) * p))(1, d$y, g), sum(d$y))
  in_rounds <- function(p, g, y) { s <- 0; for (i in seq_along(y)) s <- s + if (g[i] == "a") p else p^2; s }
  expect_match(tryCatch(opencl_function(in_rounds, data = list(g = g, y = 1:4))(3), error = conditionMessage), "ifelse(g == \"a\", 1, 0)", fixed = TRUE)
  before <- function(p, g, y) { is <- ifelse(g == "a", 1, 0); s <- 0; for (i in seq_along(y)) s <- s + if (is[i] == 1) p else p^2; s }
  expect_equal(opencl_function(before, data = list(g = g, y = 1:4))(3), in_rounds(3, g, 1:4))
  expect_match(refused(function(p, d) { s <- 0; for (e in split(d, d$g)) s <- s + sum(e$y[e$y > 1] * p)^2; s }, 2, d), "for (v in split(y, g))", fixed = TRUE)
})
