# Loops that add up: a round is translated once, whatever the number of rounds is. Vectors of each round, columns and masked elements
# that are assigned, and calls that are written by loops: Reduce(), mapply(), outer() of a function, rep() by counts, diag().

unoptimized_programs()

set.seed(34)
n <- 40
y <- round(rnorm(n), 3)
counts <- rpois(n, 2)
X <- cbind(1, round(rnorm(n), 3))
g <- rep(1:8, length.out = n)

mixture <- function(y, w, m, s) {
  p <- exp(w) / sum(exp(w))
  d <- 0
  for (k in seq_along(w)) d <- d + p[k] * dnorm(y, m[k], exp(s))
  sum(log(d))
}
mixture_of <- function(K) list(y = y, w = seq(-0.5, 0.5, length.out = K), m = seq(-2, 2, length.out = K), s = 0.2)

test_that("mixtures of any number of components are one program", {
  for (K in c(3, 9, 12)) expect_likelihood(mixture, mixture_of(K), c("w", "m", "s"))
  made <- opencl_function(mixture, gradient = c("w", "m", "s"))
  others <- lapply(c(12, 70, 20), function(K) { # other numbers of components and of data, NA, none
    values <- mixture_of(K)
    values$y <- values$y[seq_len(K)[seq_len(min(K, n))]]
    list(values = values, value = do.call(mixture, values), slopes = differences(mixture, values, c("w", "m", "s")))
  })
  on_each_device(function(device) {
    for (one in others) {
      ours <- do.call(made, c(one$values, device = device))
      expect_equal(as.vector(ours), one$value, tolerance = 1e-12)
      expect_equal(unname(attr(ours, "gradient")), one$slopes, tolerance = 1e-7)
    }
    values <- mixture_of(20)
    values$y[3] <- NA
    expect_identical(as.vector(do.call(made, c(values, device = device))), NA_real_)
    values$y <- 0.5
    expect_equal(as.vector(do.call(made, c(values, device = device))), do.call(mixture, values), tolerance = 1e-12)
  })
})

test_that("products, extremes, several sums and what a round makes for itself", {
  f <- function(y, b, K) {
    prod <- 1
    top <- -Inf
    sum <- rep(0.5, length(y))
    total <- 0
    for (k in 1:K) {
      part <- exp(-b * k / K) * y
      prod <- prod * (1 + part / 10)
      top <- pmax(top, part - k / 5)
      sum <- sum - part + k
      total <- total + b / k
    }
    sum(log(prod) + top + sum / 10) + total + k + sum(part)
  }
  expect_likelihood(f, list(y = abs(y) + 0.1, b = 0.3, K = 15), "b")
  zeros <- function(y, m) { # a factor that is 0, and two
    prod <- 1
    for (k in seq_along(m)) prod <- prod * (y - m[k])
    sum(prod)
  }
  expect_likelihood(zeros, list(y = c(1, 2, 0.5), m = c(1, 3:12) / 4), "m")
  expect_likelihood(zeros, list(y = c(1, 2, 0.5), m = c(1, 1, 4, 4, 5:12) / 4), "m", tolerance = 1e-6)
  later <- function(y, b) { # what is added to depends on what was added before: no sums
    a <- 0
    d <- 0
    for (k in 1:12) {
      a <- a + b * y / k
      d <- d + a
    }
    sum(d)
  }
  expect_likelihood(later, list(y = y, b = 0.3), "b")
})

test_that("a sum has the shape that R gives it, and other values of a round are R's", {
  f <- function(X, b, K) {
    d <- 0
    for (k in 1:K) d <- d + exp(X %*% b * k / K)
    d
  }
  on_each_device(function(device) {
    expect_equal(opencl_function(f)(X, c(0.1, 0.2), 15, device = device), f(X, c(0.1, 0.2), 15), tolerance = 1e-12)
    kept <- function(y, K) {
      for (k in 1:K) part <- y * k
      part + k
    }
    expect_equal(opencl_function(kept)(y, 15, device = device), kept(y, 15), tolerance = 1e-12)
    warns <- function(y, K) {
      d <- 0
      for (k in 1:K) d <- d + sqrt(y + k - 2)
      sum(d)
    }
    reported <- capture_warnings(value <- opencl_function(warns)(rep(c(-1, 2), 20), 12, device = device))
    expect_identical(unique(reported), "NaNs produced")
    expect_identical(value, NaN)
    guarded <- function(y, K) {
      d <- 0
      for (k in 1:K) d <- d + ifelse(y > k, sqrt(y - k), 0)
      sum(d)
    }
    value <- suppressWarnings(opencl_function(guarded)(c(-1, 2, 20), 12, device = device))
    expect_equal(value, suppressWarnings(guarded(c(-1, 2, 20), 12)), tolerance = 1e-12)
  })
})

test_that("N-mixtures, Gauss-Hermite nodes and bivariate Poisson models", {
  nmix <- function(y1, y2, X, b, logit) {
    lam <- exp(X %*% b)
    p <- plogis(logit)
    s <- 0
    for (N in 0:25) s <- s + dpois(N, lam) * dbinom(y1, N, p) * dbinom(y2, N, p)
    sum(log(s))
  }
  expect_likelihood(nmix, list(y1 = counts, y2 = rev(counts), X = X, b = c(1, 0.1), logit = 0.3), c("b", "logit"))
  nodes <- seq(-3, 3, length.out = 15)
  hermite <- function(y, X, b, ls) {
    eta <- X %*% b
    tot <- 0
    for (q in seq_along(nodes)) tot <- tot + dnorm(nodes[q]) * dpois(y, exp(eta + exp(ls) * nodes[q]))
    sum(log(tot))
  }
  expect_likelihood(hermite, list(y = counts, X = X, b = c(0.5, 0.1), ls = -0.3), c("b", "ls"))
  bivariate <- function(x, y, a, b, c) {
    s <- 0
    for (k in 0:12) s <- s + ifelse(k <= pmin(x, y), dpois(x - k, exp(a)) * dpois(y - k, exp(b)) * dpois(k, exp(c)), 0)
    sum(log(s))
  }
  expect_likelihood(bivariate, list(x = counts, y = rev(counts), a = 0.3, b = 0.4, c = -1), c("a", "b", "c"))
})

hosts_alone()

test_that("columns of matrices are read and written", {
  Y <- matrix(rpois(4 * n, 2), n)
  wide <- matrix(rpois(12 * n, 2), n)
  dirichlet <- function(Y, la) {
    a <- exp(la)
    s <- sum(lgamma(sum(a)) - lgamma(rowSums(Y) + sum(a)))
    for (k in 1:ncol(Y)) s <- s + sum(lgamma(Y[, k] + a[k]) - lgamma(a[k]))
    s
  }
  expect_likelihood(dirichlet, list(Y = Y, la = c(0.1, 0.2, 0.3, 0.4)), "la")
  expect_likelihood(dirichlet, list(Y = wide, la = seq(0.1, 0.5, length.out = 12)), "la")
  by_columns <- function(y, w, m) {
    p <- exp(w) / sum(exp(w))
    P <- matrix(0, length(y), length(w))
    for (k in 1:length(w)) P[, k] <- p[k] * dnorm(y, m[k])
    sum(log(rowSums(P)))
  }
  for (K in c(3, 11)) expect_likelihood(by_columns, mixture_of(K)[1:3], c("w", "m"))
  triangle <- function(Y, l) { # a factor of a covariance, forwards
    L <- matrix(c(exp(l[1]), l[2], 0, exp(l[3])), 2)
    Z <- matrix(0, nrow(Y), 2)
    for (i in 1:2) {
      r <- Y[, i]
      if (i > 1) for (j in 1:(i - 1)) r <- r - L[i, j] * Z[, j]
      Z[, i] <- r / L[i, i]
    }
    sum(dnorm(Z, log = TRUE)) - nrow(Y) * (l[1] + l[3])
  }
  expect_likelihood(triangle, list(Y = Y[, 1:2], l = c(0.1, 0.2, 0.3)), "l")
  each <- function(Y, mu) {
    v <- numeric(ncol(Y))
    for (k in 1:ncol(Y)) v[k] <- sum(dnorm(Y[, k], mu[k], log = TRUE))
    sum(v * v)
  }
  for (K in c(4, 12)) expect_likelihood(each, list(Y = wide[, 1:K], mu = seq(0, 1, length.out = K)), "mu", tolerance = 1e-6)
})

test_that("elements that a test chooses are assigned", {
  tobit <- function(y, mu, ls) {
    ll <- numeric(length(y))
    c0 <- y <= 0
    ll[c0] <- pnorm(0, mu, exp(ls), log.p = TRUE)
    ll[!c0] <- dnorm(y[!c0], mu, exp(ls), log = TRUE)
    sum(ll)
  }
  for (given in list(pmax(y, 0), abs(y), c(0, 0), 0, 2)) expect_likelihood(tobit, list(y = given, mu = 0.2, ls = 0.1), c("mu", "ls"))
  on_each_device(function(device) {
    f <- function(y) {
      y[y < 0] <- 0
      y
    }
    made <- opencl_function(f)
    for (given in list(y, c(a = -1, b = 2), NA_real_, c(-1, NA), 3)) expect_identical(made(given, device = device), f(given))
    g <- function(y, v) {
      y[y < 0] <- v
      sum(y)
    }
    ours <- tryCatch(suppressWarnings(opencl_function(g)(c(-1, -2, -3), c(1, 2), device = device)), error = conditionMessage) # R warns
    if (is.character(ours)) expect_match(ours, "one element for each of them") else expect_equal(ours, 4)
    expect_equal(opencl_function(g)(c(-1, 2, -3), c(1, 2), device = device), 5)
  })
})

test_that("functions of each element give columns; Reduce(), mapply() and outer() are loops", {
  skip_on_cran() # a matter of seconds
  dens <- list(
    function(y, w, m) sum(log(rowSums(sapply(seq_along(w), function(k) exp(w[k]) * dnorm(y, m[k]))))),
    function(y, w, m) sum(log(Reduce(`+`, lapply(seq_along(w), function(k) exp(w[k]) * dnorm(y, m[k]))))),
    function(y, w, m) sum(log(Reduce("+", Map(function(a, b) exp(a) * dnorm(y, b), w, m)))),
    function(y, w, m) sum(log(rowSums(mapply(function(a, b) exp(a) * dnorm(y, b), w, m)))),
    function(y, w, m) sum(log(rowSums(do.call(cbind, lapply(seq_along(w), function(k) exp(w[k]) * dnorm(y, m[k])))))),
    function(y, w, m) sum(log(outer(y, m, function(a, b) dnorm(a, b)) %*% exp(w))),
    function(y, w, m) sum(log(outer(y, m, dnorm) %*% exp(w)))
  )
  for (f in dens) expect_likelihood(f, mixture_of(3)[1:3], c("w", "m"))
  for (f in dens[1:5]) expect_likelihood(f, mixture_of(10)[1:3], c("w", "m"))
  lse <- function(y, w, m) {
    L <- sapply(seq_along(w), function(k) w[k] + dnorm(y, m[k], log = TRUE))
    top <- apply(L, 1, max)
    sum(top + log(rowSums(exp(L - top))))
  }
  for (K in c(3, 10)) expect_likelihood(lse, mixture_of(K)[1:3], c("w", "m"))
  of_all <- function(x, y) sum(outer(x, y, function(a, b) a - mean(b)))
  if (compiler_here()) {
    expect_error(opencl_function(of_all)(1:3, 1:2), "outer")
  } else { # R computes it
    expect_equal(opencl_function(of_all)(1:3, 1:2, device = "host"), of_all(1:3, 1:2))
  }
})

test_that("rep() by counts, sizes of groups, diag()", {
  repeated <- function(y, b, each) sum(dnorm(y, rep(b, times = each), 1, log = TRUE))
  expect_likelihood(repeated, list(y = y, b = c(0.1, 0.2, 0.3), each = c(10, 25, 5)), "b")
  expect_likelihood(repeated, list(y = y, b = 0.1, each = n), "b")
  marginal <- function(y, g, mu, ls, lt) {
    s2 <- exp(2 * ls)
    t2 <- exp(2 * lt)
    S <- tapply(y - mu, g, sum)
    m <- tapply(y, g, length)
    sum(-0.5 * (m - 1) * log(s2) - 0.5 * log(s2 + m * t2) + 0.5 * t2 * S^2 / (s2 * (s2 + m * t2))) - 0.5 * sum((y - mu)^2) / s2
  }
  expect_likelihood(marginal, list(y = y, g = g, mu = 0.1, ls = 0.1, lt = -0.3), c("mu", "ls", "lt"))
  markov <- function(y, lam, p) {
    G <- matrix(c(p[1], 1 - p[1], 1 - p[2], p[2]), 2, byrow = TRUE)
    phi <- c(0.5, 0.5)
    l <- 0
    for (i in seq_along(y)) {
      v <- phi %*% G %*% diag(dpois(y[i], exp(lam)))
      l <- l + log(sum(v))
      phi <- v / sum(v)
    }
    l
  }
  expect_likelihood(markov, list(y = counts[1:15], lam = c(0.1, 0.9), p = c(0.8, 0.7)), c("lam", "p"))
  on_each_device(function(device) {
    f <- function(v, M) sum(diag(v) * 2) + sum(diag(M)) + sum(diag(2))
    expect_equal(opencl_function(f)(1:3, matrix(1:9, 3), device = device), f(1:3, matrix(1:9, 3)))
  })
})

test_that("sums with na.rm of what a round makes", {
  skip_without_compiler()
  set.seed(8)
  functions <- list(
    function(x, w) { v <- numeric(length(w)); for (k in seq_along(w)) v[k] <- sum(x * w[k], na.rm = TRUE); v },
    function(x, w) { v <- numeric(length(w)); for (k in seq_along(w)) v[k] <- mean(exp(x - w[k]), na.rm = TRUE); v },
    function(x, w) { v <- numeric(length(w)); for (k in seq_along(w)) v[k] <- prod(x + w[k], na.rm = TRUE); v },
    function(x, w) vapply(w, function(k) mean(x * k, na.rm = TRUE), 0),
    function(x, w) sum(sapply(w, function(k) sum(dnorm(x, k, 1, log = TRUE), na.rm = TRUE)))
  )
  for (f in functions) for (n in c(1L, 3L, 80L)) for (holes in list(NULL, 1L, seq_len(n))) {
    x <- replace(round(rnorm(n), 2), holes, if (n > 1L) NA else NaN)
    w <- round(runif(70), 2)
    expect_equal(opencl_function(f)(x, w, device = "host"), f(x, w), tolerance = 1e-12, info = paste(deparse1(body(f)), n, length(holes)))
  }
  f <- function(x, s) { v <- numeric(70); for (k in 1:70) v[k] <- sum(dnorm(x, s * k, 1, log = TRUE), na.rm = TRUE); sum(v) }
  x <- c(0.5, NA, 2)
  slope <- attr(opencl_function(f, gradient = "s")(x, 0.1, device = "host"), "gradient")
  expect_equal(c(slope), (f(x, 0.1 + 1e-6) - f(x, 0.1 - 1e-6)) / 2e-6, tolerance = 1e-6, ignore_attr = TRUE)
})

test_that("operators stand as functions, and outer() takes functions of one's own and further arguments", {
  kernel <- function(a, b, l = 1) exp(-(a - b)^2 / l)
  stepped <- function(a, b, l = 2) ifelse(b > 1, a^l, b)
  X <- matrix(c(1, 2.5, -3, 4), 2)
  x <- c(a = 1, b = 2, c = 3.5)
  p <- c(u = 2, v = 1)
  for (f in list(
    function(x, p) sum(outer(x, p, `-`)^2), function(x, p) sum(outer(x, p, FUN = `*`)^2), function(x, p) sum(outer(x, p, `/`) + outer(x, p, `^`)), function(x, p) sum(outer(x, p, `<`)),
    function(x, p) sum(outer(x, p, "%%")), function(x, p) sum(outer(round(x), p, dpois, log = TRUE)), function(x, p) sum(outer(x, p, "dnorm", sd = p[1])),
    function(x, p) sum(outer(x, p, dnorm, x)), function(x, p) { k <- function(a, b) exp(-(a - b)^2 / p[1]); sum(outer(x, x, k)) },
    function(x, p) sum(outer(x, x, function(a, b, l) exp(-(a - b)^2 / l), l = p[2])), function(x, p) sum(outer(x, p, kernel)), function(x, p) sum(outer(x, p, function(a, b) { d <- kernel(a, b); if (p[1] > 1) d else 0 * a })),
    function(x, p) sum(outer(x, p, kernel, l = p[1])), function(x, p) { s <- p[1]; k <- function(a, b) a * s - b; s <- 3; sum(outer(x, p, k)^2) },
    function(x, p) sum(mapply(`*`, x, c(p, 2))), function(x, p) sum(mapply("-", x, c(p, 2))^2), function(x, p) sum(unlist(Map(`+`, x, c(p, 2)))), function(x, p) Reduce(`+`, Map(`*`, x, c(p, 3))),
    function(x, p) outer(x, p, `*`), function(x, p) mapply(`-`, x, c(p, 3)), function(x, p) outer(x, p, `/`), function(x, p) outer(x, p, function(a, b) b * p[1]),
    function(x, p) outer(x, p, function(a, b) ifelse(b > 1, a^2, b) * ifelse(a > 1, a, b)), function(x, p) outer(x, x, function(a, b) ifelse(a == b, p[1], p[2]^abs(a - b))),
    function(x, p) outer(x, p, function(a, b) { h <- ifelse(b > 1, b * p[1], a); h + b }), function(x, p) outer(x, p, stepped), function(x, p) outer(x, p, stepped, l = p[1]),
    function(x, p) sum(outer(x * p[1], x, "<=") %*% exp(x)), function(x, p) sum(outer(x, x, `>=`) %*% (p[1] * x))
  )) expect_as_r(f, x, p, devices = "host")
  expect_as_r(function(x, p) outer(x, p, `*`), 1:3, 2:3, devices = "host") # of integers
  expect_as_r(function(X, p) sum(sweep(X, 2, p, `-`)^2), X, p, devices = "host")
  expect_as_r(function(X, p) sum(sweep(X, STATS = p, MARGIN = 1, FUN = `/`)^2), X, p, devices = "host")
  expect_as_r(function(x, p) { `-` <- function(a, b) a + b; sum(outer(x, p, function(a, b) a - b)) }, x, p, devices = "host")
})

test_that("a function of outer() that looks at several elements, or reads vectors that R recycles over columns, has no value that is not R's", {
  summed <- function(a, b) a * sum(b)
  three <- function(a, b) 3
  stepped <- function(a, b, l = 2) ifelse(b > 1, a^l, b)
  w <- c(1, 2)
  x <- c(1, 2, 3.5)
  for (f in list(
    function(x, p) sum(outer(x, x, function(a, b) summed(a, b))), function(x, p) sum(outer(x, x, summed)), function(x, p) sum(outer(x, x, three)),
    function(x, p) { k <- function(a, b) a * sum(b); sum(outer(x, x, function(a, b) k(a, b))) }, function(x, p) sum(outer(x, p, function(a, b) if (b > 1) a else b)),
    function(x, p) sum(outer(x, p, function(a, b) a * b * p) * outer(x, 1:2)), function(x, p) sum(outer(x, p, function(a, b) { h <- a * w; h + b }) * outer(x, 1:2)),
    function(x, p) sum(outer(x, p, dnorm, p) * outer(x, 1:2)), function(x, p) sum(outer(x, x, function(a, b) p[1])),
    function(x, p) sum(outer(x, p, function(a, b) ifelse(p[1] > 0, a, b))), function(x, p) sum(outer(x, p, function(a, b) { t <- p[1]; ifelse(t > 0, a^2, b) * a })),
    function(x, p) sum(outer(x, p, function(a, b) ifelse(b > 1, b * p, b)) * outer(x, 1:2)), function(x, p) sum(outer(x, p, stepped, l = p) * outer(x, 1:2)),
    function(x, p) sum(outer(x, p, function(a, b) { h <- ifelse(b > 1, b * p, b); h * a }) * outer(x, 1:2))
  )) {
    rs <- tryCatch(suppressWarnings(f(x, c(2, 1))), error = function(e) NULL)
    for (compiler in c(if (compiler_here()) NA, FALSE)) {
      old <- options(nmathopencl.compiler = if (is.na(compiler)) getOption("nmathopencl.compiler") else compiler)
      ours <- tryCatch(suppressWarnings(opencl_function(f)(x, c(2, 1), device = "host")), error = function(e) NULL)
      options(old)
      if (!is.null(ours)) expect_equal(ours, rs, tolerance = 1e-12, info = deparse1(f))
      if (is.na(compiler)) expect_null(ours, info = deparse1(f)) else expect_identical(is.null(ours), is.null(rs), info = deparse1(f))
    }
  }
})

test_that("outer() of random functions has R's value, or none", {
  set.seed(61)
  pick <- function(...) sample(list(...), 1L)[[1L]]
  near <- function(u, v) exp(-(u - v)^2)
  way <- function(u, v, k = 2) if (k > 1) u * v else sum(u)
  leaf <- function() pick(quote(a), quote(b), quote(a), quote(b), quote(p[1]), quote(s), 2, quote(w))
  inner <- function(depth) {
    if (depth <= 0L) return(leaf())
    part <- function() inner(depth - 1L)
    pick(
      call("+", part(), part()), call("*", part(), part()), call("dnorm", part(), part()), call("ifelse", call(">", part(), part()), part(), part()), call("pmin", part(), part()),
      call("(", call("if", call(">", leaf(), 1), part(), part())), call("near", part(), part()), call("way", part(), part()), call("*", quote(s), part()), call("sum", leaf())
    )
  }
  made <- function(body, takes = alist(a = , b = )) as.call(list(quote(`function`), as.pairlist(takes), body, NULL))
  same <- 0L
  for (i in seq_len(if (whole_tests()) 120L else 20L)) {
    body <- inner(sample(2L, 1L))
    body <- switch(sample(4L, 1L),
      bquote(outer(x, y, .(made(body)))), bquote({ k <- .(made(body)); outer(x, y, k) }), bquote(outer(x, y, .(made(call("+", body, quote(l)), alist(a = , b = , l = ))), l = .(pick(quote(s), quote(w), quote(exp(s)))))),
      bquote({ h <- .(pick(2, quote(s), quote(w))); outer(x, y, .(made(call("{", call("<-", quote(t), body), quote(t + h))))) })
    )
    f <- as.function(c(alist(x = , y = , p = , s = , w = ), body))
    sides <- sample(4L, 2L, replace = TRUE)
    args <- list(x = round(rnorm(sides[1L]), 1), y = round(rnorm(sides[2L]), 1), p = c(1.3, 0.7), s = 0.9, w = round(rnorm(sample(c(1, sides, prod(sides)), 1L)), 1))
    value_of <- function(code) tryCatch(suppressWarnings(code), error = function(e) NULL)
    rs <- value_of(do.call(f, args))
    for (way_of in ways_of(i, list("plain", if (compiler_here()) "0"))) {
      ours <- value_of(in_way(way_of, do.call(opencl_function(f), c(args, device = "0"))))
      same <- same + !is.null(ours)
      if (!is.null(ours)) expect_equal(ours, rs, tolerance = 1e-11, info = deparse1(list(body, args, way_of)))
    }
  }
  expect_gt(same, 5L)
})

test_that("helpers of outer() with defaults that look at several elements are refused, and names are their own", {
  x <- c(1, 2)
  y <- c(3, 4, 5)
  nested <- function(p, q, n = length(p)) p * q / n
  helpers <- list(
    function(u, v, s = length(u)) u * v + s, function(u, v, s = sum(u)) u * v + s, function(u, v, s = max(v)) u * v + s, function(u, v, s = rev(u)) u * v + s,
    function(u, v, s = u[1]) u * v + s, function(u, v, s = any(u > 3)) u * v + s, function(u, v) nested(u, v), function(u, v, s = u + v) u * v + s, function(u, v, s = 2) u * v + s
  )
  for (k in helpers) for (f in list(function(x, y) outer(x, y, k), function(x, y) outer(x, y, function(a, b) k(a, b)))) {
    ours <- tryCatch(opencl_function(f)(x, y, device = "0"), nmathopencl_error = function(e) NULL)
    if (!is.null(ours)) expect_equal(ours, f(x, y), info = deparse1(k))
  }
  k <- helpers[[8L]]
  expect_equal(opencl_function(function(x, y) outer(x, y, k))(x, y), outer(x, y, k))
  k <- helpers[[9L]]
  for (f in list(function(x, y, .a) outer(x, y, k, .a), function(x, y, .a) outer(x, y, k, s = .a * 2), function(x, y, .a) outer(x, y, function(u, v, s) u * v + s, .a))) {
    expect_equal(opencl_function(f)(x, y, 5), f(x, y, 5), info = deparse1(f))
  }
  f <- function(x, y, .replaced) replace(x, x > 0, .replaced)
  ours <- tryCatch(opencl_function(f)(x, y, c(7, 8), device = "0"), nmathopencl_error = function(e) NULL)
  if (!is.null(ours)) expect_equal(ours, f(x, y, c(7, 8)))
})
