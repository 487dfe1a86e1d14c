# Matrices that the body makes of data alone, of any size, and products of two vectors: R is the judge.

unoptimized_programs()

# Evaluates on the host, on each OpenCL device, and by R alone.
everywhere <- function(code) {
  for (device in test_devices()) code(device)
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  code("host")
}

expect_as_r_of_data <- function(f, data, ..., slope = 1e-6) {
  h <- f
  environment(h) <- list2env(data, parent = environment(f))
  want <- do.call(h, c(data[intersect(names(data), names(formals(f)))], list(...)))
  of_data <- opencl_function(f, data = data)
  of_variables <- opencl_function(h, gradient = "p")
  known <- list(quote(of_data(..., device = device)), if (!any(names(data) %in% names(formals(f)))) quote(of_variables(..., device = device)))
  everywhere(function(device) for (code in Filter(Negate(is.null), known)) {
    value <- eval(code)
    expect_equal(c(value), c(want), tolerance = 1e-12, info = deparse1(body(f)))
    if (is.null(attr(value, "gradient"))) next
    p <- list(...)$p
    step <- 1e-5
    differences <- vapply(seq_along(p), function(k) (h(replace(p, k, p[k] + step)) - h(replace(p, k, p[k] - step))) / (2 * step), 0)
    expect_equal(unname(attr(value, "gradient")), differences, tolerance = slope, info = deparse1(body(f)))
  })
}

test_that("R makes matrices of data alone, whatever their size", {
  set.seed(4)
  data <- list(x = rnorm(120), z = rnorm(12), V = crossprod(matrix(rnorm(144), 12)) + diag(12), k = 12L)
  of <- function(names) data[names]
  expect_as_r_of_data(function(p) sum(log(1 + p^2 * rowSums(matrix(x, 40, 3)^2))), of("x"), p = 0.7)
  expect_as_r_of_data(function(p) sum(matrix(x, ncol = 10, byrow = TRUE)[2, ] * p), of("x"), p = 0.7)
  expect_as_r_of_data(function(p) sum((matrix(c(x, z), ncol = 11) %*% rep(p, 11))^2), of(c("x", "z")), p = 0.7)
  expect_as_r_of_data(function(p) {
    M <- matrix(x, k)
    half <- M / 2
    sum(exp(half * p)) + ncol(M)
  }, of(c("x", "k")), p = 0.3)
  expect_as_r_of_data(function(p) sum(array(x, c(10, 12))[3, ] * p^2), of("x"), p = 0.7)
  expect_as_r_of_data(function(p) sum(p * cor(matrix(x, 12))), of("x"), p = 0.7)
  expect_as_r_of_data(function(p) sum(p * aperm(matrix(x, 12))[, 2]) + sum(row(V) * p - col(V)), of(c("x", "V")), p = 0.7)
  expect_as_r_of_data(function(p) sum(p * backsolve(chol(V), z)^2) + p^2 * mahalanobis(z, 0 * z, V), of(c("z", "V")), p = 0.7)
  expect_as_r_of_data(function(x, p) sum(p * rowSums(matrix(x, 60))), of("x"), p = 0.7)
})

test_that("matrices of an argument that is in `gradient`, or given at a call, are the program's, and those whose elements are assigned", {
  x <- seq(-1, 1, length.out = 80)
  for (slopes in list("p", c("x", "p"), NULL)) {
    g <- opencl_function(function(x, p) sum(p * matrix(x, 40, 4)), gradient = slopes)
    if (is.null(slopes) && !compiler_here()) { # R evaluates it
      expect_equal(g(x, 2, device = "host"), sum(2 * matrix(x, 40, 4)))
      next
    }
    expect_error(g(x, 2, device = "host"), "Larger ones R makes of `data`", fixed = TRUE, class = "nmathopencl_error")
  }
  y <- c(1, 2, 3, 4)
  filled <- function(p) {
    M <- matrix(y, 2, 2)
    M[1, 2] <- p
    diag(M) <- 2 * p
    sum(M^2)
  }
  expect_as_r_of_data(filled, list(y = y), p = 1.5)
  expect_as_r_of_data(function(p) {
    S <- matrix(c(y[4], p, p, y[3]), 2)
    det(S)
  }, list(y = y), p = 0.5)
  points <- rbind(c(2, 0.1, 0.1, 3), c(4, 0.2, 0.2, 1))
  for (slopes in list("p", NULL)) {
    many <- opencl_function(function(y, p) {
      S <- matrix(p, 2)
      sum(solve(S, y[1:2])) + det(S)
    }, gradient = slopes, data = list(y = y))
    expect_equal(c(many(over = points, device = "host")), apply(points, 1, function(p) sum(solve(matrix(p, 2), y[1:2])) + det(matrix(p, 2))), tolerance = 1e-12)
    read <- vapply(attr(many, "expression")$inputs, function(input) paste(c(input$name, deparse(input$value)), collapse = " "), "")
    expect_false(any(grepl("matrix", read))) # what points have is none of R's to compute
  }
})

test_that("tcrossprod() of two vectors is their outer product, of any length", {
  a <- c(u = 0.5, v = -1, w = 2)
  b <- seq(-1, 1, length.out = 30)
  names(b) <- paste0("n", 1:30)
  for (f in list(
    function(p, q) tcrossprod(p, q), function(p, q) tcrossprod(q * 2, exp(p)), function(p, q) q %*% t(p), function(p, q) tcrossprod(p), function(p, q) tcrossprod(q),
    function(p, q) crossprod(p), function(p, q) crossprod(q, q + 1), function(p, q) tcrossprod(cbind(p), cbind(q)), function(p, q) p[1:2] %*% t(q)
  )) {
    h <- f
    body(h) <- bquote(sum(sin(.(body(f)))))
    asked <- all.vars(body(f))[1]
    slopes <- opencl_function(h, gradient = asked)
    everywhere(function(device) {
      expect_equal(opencl_function(f)(a, b, device = device), f(a, b), tolerance = 1e-14, info = deparse1(body(f)))
      value <- slopes(a, b, device = device)
      expect_equal(c(value), h(a, b), tolerance = 1e-12)
      moved <- function(k, step) if (asked == "p") h(replace(a, k, a[k] + step), b) else h(a, replace(b, k, b[k] + step))
      differences <- vapply(seq_len(if (asked == "p") 3 else 30), function(k) (moved(k, 1e-5) - moved(k, -1e-5)) / 2e-5, 0)
      expect_equal(unname(attr(value, "gradient")), differences, tolerance = 1e-6)
    })
  }
})

test_that("what is too large says what to write, and mahalanobis() is named", {
  y <- seq(-1, 1, length.out = 12)
  refused <- function(f, ..., text) expect_error(opencl_function(f, gradient = "p")(..., device = "host"), text, fixed = TRUE, class = "nmathopencl_error")
  refused(function(p) sum(chol(exp(-p[1] * as.matrix(dist(y))))), c(1, 2), text = "Make a larger one before each call, and give it, or what comes of it, as an argument")
  K <- exp(-as.matrix(dist(y)))
  f <- opencl_function(function(p, K) 0.5 * sum((y - p) * solve(K, y - p)) + 0.5 * determinant(K)$modulus, gradient = "p") # as it says
  expect_equal(c(f(0.1, K, device = "host")), 0.5 * sum((y - 0.1) * solve(K, y - 0.1)) + 0.5 * c(determinant(K)$modulus), tolerance = 1e-12)
  refused(function(p) sum(mahalanobis(y * p, 0, K)), 2, text = "`mahalanobis(x, center, cov)`: it takes a matrix")
  refused(function(p) sum(mahalanobis(t(y * p), 0 * y, K * p)), 2, text = "`mahalanobis(x, center, cov)`: of what the body computes")
  refused(function(p) sum((cbind(y, y) * p) %*% rbind(y, y)), 2, text = "and two vectors, outer(a, b)")
})
