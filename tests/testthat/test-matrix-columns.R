# Sums over matrices of products and of outer(), which kernels add up column by column: values, slopes, and each warning of R's once.

unoptimized_programs()

test_that("functions of matrices' columns are R's, with R's warnings", {
  X <- cbind(a = 1:3, b = 2)
  forms <- list(
    function(X, b) dnorm(X %*% b %*% t(b), 0, b[1]),
    function(X, b) log(X %*% b %*% t(b)),
    function(X, b) sqrt(X %*% b %*% t(b) - 4) * b[1],
    function(X, b) sum(dnorm(X %*% b %*% t(b), 0, b[1])) + sum(log(X %*% b %*% t(b))),
    function(X, b) log(outer(X[, 1], b)) + sqrt(outer(X[, 1], b)),
    function(X, b) rowSums(log(outer(X[, 1], b))),
    function(X, b) {
      s <- 0
      for (k in 1:2) s <- s + sum(log(outer(X[, k], b)))
      s
    }
  )
  for (f in forms) for (b in list(c(1.5, 2), c(-1, 2))) {
    want <- with_conditions(sum(f(X, b)))
    slopes <- suppressWarnings(vapply(1:2, function(k) {
      h <- 1e-5 * (1:2 == k)
      (sum(f(X, b + h)) - sum(f(X, b - h))) / 2e-5
    }, 0))
    on_each_device(function(device) {
      for (turn in 1:2) {
        ours <- with_conditions(opencl_function(f, gradient = "b", reduce = "sum")(X, b, device = device))
        reported <- paste(deparse1(f), deparse1(b), device)
        expect_equal(as.vector(ours$value), want$value, tolerance = 1e-12, info = reported)
        expect_identical(sort(ours$warnings), sort(want$warnings), info = reported)
        if (!is.nan(want$value)) expect_equal(as.vector(attr(ours$value, "gradient")), slopes, tolerance = 1e-7, info = reported)
      }
    })
  }
})
