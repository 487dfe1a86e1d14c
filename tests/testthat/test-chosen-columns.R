# M[cbind(i, y)] of a matrix that is computed: the element of each row's column, as multinomial logits have it.

unoptimized_programs()

set.seed(5)
n <- 60
X <- cbind(1, rnorm(n), rnorm(n))
y <- sample(3L, n, TRUE)
B <- matrix(c(0.3, -0.2, 0.5, 0.1, 0.4, -0.3), 3)
logit <- function(B, X, y) {
  eta <- cbind(0, X %*% B)
  -sum(eta[cbind(seq_len(nrow(eta)), y)] - log(rowSums(exp(eta))))
}

test_that("each row's column is found where the data are", {
  missing <- replace(y, 3L, NA)
  for (device in c(all_compiling_devices(), "plain")) {
    withr_options(list(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler")), environment())
    where <- if (device == "plain") "host" else device
    f <- opencl_function(logit, gradient = "B")
    for (codes in list(y, y + 0.7, rev(y), missing, y)) {
      value <- f(B, X, codes, device = where)
      expect_equal(as.vector(value), logit(B, X, codes), tolerance = 1e-13)
      slopes <- vapply(1:6, function(k) {
        h <- replace(numeric(6), k, 1e-5)
        (logit(B + h, X, codes) - logit(B - h, X, codes)) / 2e-5
      }, 0)
      expect_equal(unname(attr(value, "gradient")), slopes, tolerance = 1e-7)
    }
    for (turn in 1:2) {
      expect_error(f(B, X, replace(y, 7L, 4L), device = where), "subscript out of bounds")
      suppressWarnings(expect_error(f(B, X, replace(y, 7L, 0L), device = where), "below 1", class = "nmathopencl_error")) # R's, of lengths
      expect_equal(as.vector(f(B, X, y, device = where)), logit(B, X, y), tolerance = 1e-13)
    }
  }
})

test_that("of resident data no element comes back for it, and elements beyond the columns are an error", {
  skip_if(length(all_compiling_devices()) == 0L, "no device compiles: R computes all")
  for (device in all_compiling_devices()) {
    f <- opencl_function(logit, gradient = "B")
    there <- opencl_matrix(X, device = device)
    codes <- opencl_vector(y, device = device)
    for (turn in 1:3) expect_equal(as.vector(f(B, there, codes)), logit(B, X, y), tolerance = 1e-13)
    expect_lte(last_run()$chunks, 4L)
    expect_error(f(B, there, opencl_vector(replace(y, 2L, 9L), device = device)), "subscript out of bounds")
  }
})

test_that("at many points values and slopes are those of single calls", {
  set.seed(6)
  points <- list(B = array(rnorm(7 * 6) / 3, c(7, 3, 2)))
  f <- opencl_function(logit, gradient = "B")
  expect_as_loop(f, list(X = X, y = y), points)
  expect_as_loop(f, list(X = X, y = replace(y, 4L, NA)), points)
  if (compiler_here()) {
    f(X = X, y = y, over = points, device = "host")
    expect_equal(last_run()$chunks, 1)
  }
  expect_error(f(X = X, y = replace(y, 7L, 5L), over = points, device = "host"), "subscript out of bounds")
  columns <- function(M, x) sum(M[, 2] * x + M[1, 1]) # a column of a matrix of points
  expect_as_loop(opencl_function(columns, gradient = "M"), list(x = c(0.5, 2, -1)), list(M = array(rnorm(30), c(5, 3, 2))))
})

test_that("codes beyond a matrix are an error at every call, wherever their elements are used", {
  set.seed(1)
  z <- rnorm(n)
  g <- sample(5L, n, TRUE)
  h <- sample(2L, n, TRUE)
  U <- matrix(rnorm(10), 5)
  beyond <- replace(g, which(z < 0)[1], 9L)
  cases <- list(
    function(U, g, h) sum(ifelse(z > 0, U[g, 1], 0)),
    function(U, g, h) {
      v <- exp(U[g, 2])
      sum(ifelse(z > 0, v, 0))
    },
    function(U, g, h) sum(ifelse(z > 0, exp(U[cbind(g, h)]), 0)),
    function(U, g, h) {
      E <- cbind(0, U[1, 1] * z, U[2, 1] * z)
      v <- exp(E[cbind(seq_along(z), h)])
      sum(ifelse(z > 0, v, 0))
    },
    function(U, g, h) sum(rowSums(cbind(1, z) * U[g, ])),
    function(U, g, h) {
      V <- U[g, ]
      sum(z) * U[1, 1] + nrow(V)
    },
    function(U, g, h) sum(pmin(U[g, 1], z, na.rm = TRUE))
  )
  calls <- list(list(g, h), list(g, h), list(beyond, h), list(replace(g, 2, NA), h), list(beyond, h), list(g, replace(h, which(z < 0)[1], 7L)), list(g, h))
  for (f in cases) {
    compiled <- opencl_function(f, gradient = "U")
    for (device in compiling_devices()) {
      for (call in calls) {
        want <- tryCatch(f(U, call[[1]], call[[2]]), error = conditionMessage)
        got <- tryCatch(as.vector(compiled(U, call[[1]], call[[2]], device = device)), error = conditionMessage)
        if (is.character(want)) expect_match(got, want, fixed = TRUE) else expect_equal(got, want, tolerance = 1e-13)
      }
    }
  }
  slopes <- opencl_function(function(U, y) sum(dnorm(y, rowSums(cbind(1, z) * U[g, ]), 1, log = TRUE)), gradient = "U", data = list(y = rnorm(n)))
  expect_as_loop(slopes, list(), list(U = array(rnorm(40), c(4, 5, 2))))
})

test_that("a logical value is no number of a row or column", {
  U <- matrix(1:10 / 10, 5)
  cases <- list(
    function(b, k) sum(U[, k] * b), function(b, k) sum(U[, k > 0] * b), function(b, k) sum(U[k[1], 2] * b), function(b, k) sum(U[k, k] * b),
    function(b, k) {
      M <- U * b
      sum(M[, k[1]])
    },
    function(b, k) {
      s <- 0
      for (i in 1:3) s <- s * b + U[i, k[1]]
      s
    }
  )
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (f in cases) {
      compiled <- opencl_function(f, gradient = "b")
      expect_error(compiled(0.3, TRUE), "is logical", class = "nmathopencl_error")
      if (!identical(f, cases[[2]])) expect_equal(as.vector(compiled(0.3, 2)), f(0.3, 2), tolerance = 1e-13)
    }
    options(old)
  }
})
