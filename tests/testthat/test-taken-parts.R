# What R computes of data at each call: places, orders, groups; and what is written by them.

unoptimized_programs()
set.seed(9)
n <- 40L
x <- round(rnorm(n), 3)
y <- round(rnorm(n), 3)
X <- cbind(a = 1, b = x, c = y)
g <- rep(c("u", "v", "w", "z"), each = 10)
group <- factor(g)
g2 <- c(1, 4, 2)

test_that("elements that a comparison chooses", {
  expect_likelihood(
    function(y, d, m, s) -sum(dnorm(y[d == 1], m, exp(s), log = TRUE)) - sum(pnorm(y[d != 1], m, exp(s), lower.tail = FALSE, log.p = TRUE)),
    list(y = y, d = rep(0:1, n / 2), m = 0.1, s = 0.2), c("m", "s", "y")
  )
  expect_likelihood(function(y, a) {
    up <- y > 0
    p <- plogis(a * y)
    sum(log(p[up])) + sum(log(1 - p[!up])) + sum((a * x)[up])
  }, list(y = y, a = 0.4), "a")
  expect_likelihood(function(y, a) { i <- which(y > 0.2 & !is.na(y)); sum(a[1] * y[i] - a[2]) + length(i) }, list(y = replace(y, 3, NA), a = c(1.2, 0.3)), "a")
  positive <- list(y = y, a = 1.2) # the numbers of which() beside what they choose
  expect_likelihood(function(y, a) { i <- which(y > 0.2); sum(a * y[i]) / length(i) + sum(i) }, positive, "a")
  expect_likelihood(function(y, a) { i <- which(y > 0.2); sum(a * y[i]) + max(i) * a }, positive, "a")
  on_each_device(function(device) {
    f <- opencl_function(function(y, d) sum(y[d]), gradient = "y")
    g <- opencl_function(function(y, d) sum(y[d > 0]), gradient = "y")
    for (d in list(c(1, 0, 1), c(0, 0, 0), c(1, 1, 1), c(1, NA, 1))) { # as many as others, none, all, unknown
      value <- g(c(2, 3, 4), d, device = device)
      expect_equal(as.vector(value), sum(c(2, 3, 4)[d > 0]))
      if (!anyNA(d)) expect_equal(unname(attr(value, "gradient")), as.numeric(d > 0))
    }
    expect_equal(as.vector(g(c(2, 3), c(0, 1, 1), device = device)), sum(c(2, 3)[c(0, 1, 1) > 0]))
    expect_equal(as.vector(g(c(2, 3, 4), c(0, 1), device = device)), 3) # recycled
    expect_equal(f(c(2, 3, 4), c(TRUE, FALSE, TRUE), device = device), structure(6, gradient = c(y1 = 1, y2 = 0, y3 = 1)))
  })
})

test_that("orders, levels and values of data", {
  time <- abs(x) + 0.1
  event <- rep(c(1, 1, 0, 1), n / 4)
  expect_likelihood(function(time, event, z, b) {
    o <- order(time, decreasing = TRUE)
    eta <- (b * z)[o]
    sum(event[o] * (eta - log(cumsum(exp(eta)))))
  }, list(time = time, event = event, z = y, b = 0.3), "b")
  expect_likelihood(function(y, m) sum(abs(y - median(y)) * m) + nlevels(group) * m, list(y = y, m = 0.3), "m")
  expect_error(opencl_function(function(y, m) sum((y - fivenum(m)[3L])^2), gradient = "m"), "`fivenum()` is not supported", class = "nmathopencl_error", fixed = TRUE)
  expect_likelihood(function(Q, u) -0.5 * drop(t(u) %*% solve(Q) %*% u) - 0.5 * log(det(Q)), list(Q = diag(3) + 0.2, u = c(0.1, 0.4, -0.2)), "u")
})

test_that("matrices of data", {
  expect_likelihood(
    function(y, s, lr) { D <- as.matrix(dist(s)); sum((exp(-D / exp(lr)) %*% y)^2) }, list(y = y[1:6], s = x[1:6], lr = -1), "lr"
  )
  expect_likelihood(function(d, y, b) sum((y - as.matrix(d) %*% b)^2), list(d = data.frame(u = x, v = rev(y)), y = y, b = c(0.1, 0.2)), "b")
})

test_that("sums of groups", {
  expect_likelihood(function(y, g, b) sum(log(tapply(exp(b * y), g, sum))), list(y = y, g = g, b = 0.3), "b")
  expect_likelihood(function(y, g, b) sum(tapply(b * y, g, mean)^2), list(y = y, g = c(3, 1.5, 3, 9)[group], b = 0.3), c("b", "y"))
  expect_likelihood(function(y, g, b) sum(rowsum(exp(b * y), g)[g2]), list(y = y, g = g, b = 0.3), "b")
  expect_likelihood(function(y, g, b) sum(y * tapply(b * y, g, sum)[g]), list(y = y, g = group, b = 0.3), "b")
  expect_error(opencl_function(function(y, g) sum(tapply(y, g, sum)))(y, factor(g, c(unique(g), "none")), device = "0"), "droplevels", class = "nmathopencl_error")
})

test_that("running products, systems of equations, rows that are chosen, numbers at a distance", {
  expect_likelihood(function(y, b) sum(cumprod(1 + b * y[1:30]) * rev(cumprod(y[1:30]))), list(y = y, b = 0.1), "b")
  expect_likelihood(function(y, b, V) { r <- y[1:3] - b; -0.5 * sum(r * solve(V, r)) - sum(log(diag(chol(V)))) }, list(y = y, b = 0.1, V = diag(3) + 0.2), "b")
  expect_likelihood(function(X, y, b) { k <- y > 0; sum((y[k] - X[k, ] %*% b)^2) + sum(X[y < 0, 2] * b[1]) }, list(X = X, y = y, b = c(0.2, 0.3, 0.1)), "b")
  expect_likelihood(function(y, b) { s <- sum(y[seq(1, 39, by = 2)] * b); for (k in seq(2, 9, by = 3)) s <- s * 0.5 + y[k] * b; s }, list(y = y, b = 0.3), "b")
  expect_likelihood(function(y, p) -sum(do.call(dnorm, list(y, p[1], exp(p[2]), log = TRUE))), list(y = y, p = c(0.1, 0.2)), "p")
  ordered <- opencl_function(function(y, z, s) s * sum(z[order(y)]), gradient = c("y", "s")) # nothing but the order is of y
  expect_equal(unname(attr(ordered(y, x, 0.5, device = "0"), "gradient")), c(rep(0, n), sum(x)), tolerance = 1e-12)
})

test_that("resident data are looked at once", {
  data <- list(y = y, d = rep(0:1, n / 2), g = group)
  f <- opencl_function(function(y, d, g, m) sum((y[d == 1] - m)^2) + sum(log(tapply(exp(m * y), g, sum))), gradient = "m", data = data)
  plain <- function(y, d, g, m) sum((y[d == 1] - m)^2) + sum(log(tapply(exp(m * y), g, sum)))
  on_each_device(function(device) {
    for (m in c(0.2, 0.3)) {
      expect_equal(as.vector(f(m = m, device = device)), plain(data$y, data$d, data$g, m), tolerance = 1e-12)
    }
    expect_equal(as.vector(f(d = rev(data$d) * 0 + (y > 0), m = 0.3, device = device)), plain(y, (y > 0) * 1, group, 0.3), tolerance = 1e-12)
  })
})

test_that("rows and columns one by one, and parts of matrices", {
  expect_likelihood(function(Y, p) sum(apply(Y, 1, function(h) log(0.3 * prod(p^h * (1 - p)^(1 - h)) + (sum(h) == 0)))), list(Y = (X > 0) * 1, p = 0.4), "p")
  expect_likelihood(function(M, a) sum(apply(M, 2, function(v) log(sum(exp(a * v))))), list(M = X, a = 0.4), "a")
  expect_likelihood(function(X, b) sum((X[, -1] %*% b - X[, 2:3] %*% rev(b) + X[, c(1, 3)] %*% b)^2), list(X = X, b = c(0.3, -0.2)), "b")
  expect_likelihood(function(X, b) sum(X[, 1, drop = FALSE] * b[1]) + sum(X[2, , drop = FALSE] %*% c(b, 1)), list(X = X, b = c(0.3, -0.2)), "b")
  expect_likelihood(function(X, b) sum(sweep(X, 2, c(b, 1), "*")^2) + sum(sweep(X, 1, X[, 2] * b[1])), list(X = X, b = c(0.3, -0.2)), "b")
  expect_likelihood(function(m) { D <- outer(m, m, "-"); sum(pnorm(D, log.p = TRUE)) + sum(outer(m, 1:3)) }, list(m = c(0.1, 0.4, -0.2)), "m")
  expect_likelihood(function(X, b) sum(t(t(X) / exp(b))) + sum(t(X) %*% X[, 2]) * b[1] + drop(t(b) %*% b), list(X = X, b = c(0.1, 0.4, -0.2)), c("X", "b"))
  expect_likelihood(function(a) sum(diff(a, differences = 2)^2) + sum(diff(a, lag = 3)^2), list(a = x[1:9]), "a")
  expect_likelihood(function(par, y) -sum(dnorm(y, par[["m"]], exp(par[["s"]]), log = TRUE)), list(par = c(m = 0.1, s = 0.2), y = y), "par")
})

test_that("what R would compute of all rows is refused where the function is one of each series", {
  f <- opencl_function(function(y, b) { s <- 0; for (t in 1:length(y)) s <- s + y[t] * b; s + sum(y[y > 0]) }, reduce = "sum")
  expect_error(f(y, 0.5, by = rep(1:4, 10), device = "0"), "compute it before the call", class = "nmathopencl_error")
})

test_that("warnings show calls as the user has them", {
  reported <- function(f, ...) {
    on_each_device(function(device) {
      made <- opencl_function(f)
      for (turn in 1:2) expect_identical(warnings_of(made(..., device = device)), warnings_of(f(...)))
    })
  }
  data <- list(y = c(-1, 2), g = c("a", "b"))
  reported(function(data) sum(log(data$y)), data)
  reported(function(data) sum(log(data$y[data$y < 1])), data)
  reported(function(data) sum(log(tapply(data$y, data$g, sum))), data)
  reported(function(data) with(data, log(data$y)), data)
  if (compiler_here()) expect_error(opencl_function(function(y, b) sum(y[y > 0] * b["u"]))(y, 1:2 + 0, device = "0"), "`b[\"u\"]`", class = "nmathopencl_error", fixed = TRUE)
})

test_that("vectors that are repeated", {
  for (f in list(function(x) rep_len(x, 5), function(x) rep(x, 2), function(x) rep(x, length.out = 5), function(x) rep(x, each = 2))) {
    made <- opencl_function(f)
    on_each_device(function(device) expect_identical(made(c(a = 1, b = 2), device = device), f(c(a = 1, b = 2))))
  }
  expect_likelihood(function(y, b) sum(rep(y, 3) * b) + sum(rep(y, each = 3) * rep(x, 3)) + sum(rep_len(y, 75)^2), list(y = y, b = 0.3), c("y", "b"))
  expect_likelihood(function(b) sum(rep(b, each = 2) * rep(1:2, length.out = 6)) + prod(rep_len(b, 2)), list(b = c(0.3, 0.4, 0.7)), "b")
  long <- round(rnorm(70), 2)
  for (f in list(function(x) rep(x, 3) * 2, function(x) rep(x, each = 2) + 1, function(x) rep(x, length.out = 100) + 0)) {
    made <- opencl_function(f)
    on_each_device(function(device) expect_equal(made(long, device = device), f(long)))
  }
})

test_that("elements that are assigned leave their names behind, and the vector keeps its own", {
  named <- stats::setNames(1:12 + 0, letters[1:12])
  for (f in list(
    function(x) { h <- numeric(length(x)); h[1] <- x[1]; h[2] <- x[2] + 1; h },
    function(x) { a <- x; for (t in 2:3) a[t] <- a[t - 1] + x[t]; a },
    function(x) { a <- x * 2; a[3] <- x[5]; a[4] <- a[3]; a }
  )) {
    made <- opencl_function(f)
    on_each_device(function(device) expect_identical(made(named, device = device), f(named)))
  }
})

test_that("a function that takes the place of R's in what R computes is noticed, in resident data, too", {
  reported <- "`sort()` is another function now than when this one was made"
  of_data <- opencl_function(function(b) sum(sort(y) * c(1, 2, 3)) * b, gradient = "b", data = list(y = c(3, 1, 2)))
  of_argument <- opencl_function(function(y, b) sum(sort(y) * c(1, 2, 3)) * b + sum(log(y)), gradient = "b")
  of_both <- opencl_function(function(y, b) sum(y[exp(y) > 3]) * b + exp(b), gradient = "b")
  at <- function(device) {
    expect_identical(as.vector(of_data(2, device = device)), 28)
    expect_equal(as.vector(of_argument(c(3, 1, 2), 2, device = device)), 28 + log(6), tolerance = 1e-14)
    expect_equal(as.vector(of_both(c(3, 1, 2), 2, device = device)), 10 + exp(2), tolerance = 1e-14)
  }
  on_each_device(at)
  sort <- function(x, ...) rev(x)
  exp <- function(x) x
  on_each_device(function(device) for (turn in 1:2) {
    expect_error(of_data(2, device = device), reported, fixed = TRUE, class = "nmathopencl_error")
    expect_error(of_argument(c(3, 1, 2), 2, device = device), reported, fixed = TRUE, class = "nmathopencl_error")
    expect_error(of_both(c(3, 1, 2), 2, device = device), sub("sort", "exp", reported), fixed = TRUE, class = "nmathopencl_error")
  })
  rm(sort, exp)
  on_each_device(at)
})

test_that("parts that R computes take resident vectors", {
  y <- c(0.5, 2, 3, -1, 2)
  functions <- list(
    function(y, m) sum(y[which(y > 1)]) * m, function(y, m) y[which.max(y)] * m, function(y, m) sum(y[order(y)] * seq_along(y)) * m,
    function(y, m) sum(rank(y)) * m, function(y, m) median(y) * m, function(y, m) sum(y[!duplicated(y)]) * m, function(y, m) sum(match(y, 2, 0)) * m,
    function(y, m) sum(unique(y)) * m, function(y, m) sum(quantile(y, 0.3)) * m, function(y, m) sum(findInterval(y, c(0, 1, 2))) * m, function(y, m) diff(range(y)) * m
  )
  for (device in c("host", opencl_test_devices())) for (f in functions) {
    ours <- opencl_function(f, gradient = "m")
    there <- opencl_vector(y, device = device)
    for (turn in 1:2) {
      came <- ours(there, 2, device = device)
      expect_equal(as.vector(came), unname(f(y, 2)), tolerance = 1e-13, label = deparse1(body(f)))
      expect_equal(c(unname(attr(came, "gradient"))), unname(f(y, 1)), tolerance = 1e-13)
    }
  }
})
