# Likelihoods as people write them: functions of one number, parts of vectors, codes, loops; values, attributes and warnings as in R,
# gradients against differences, on every device and without a compiler.

unoptimized_programs()
set.seed(20)
n <- 60L
x <- round(rnorm(n), 3)
y <- round(rnorm(n, 1 + x), 3)
counts <- rpois(n, 2)
X <- cbind(1, x, x^2)
g <- rep(1:6, length.out = n)
u <- round(rnorm(6), 3)
event <- rep(c(1, 0, 1), length.out = n)

test_that("a sum at the end, and elements of the parameters", {
  expect_likelihood(function(y, par) -sum(dnorm(y, par[1], exp(par[2]), log = TRUE)), list(y = y, par = c(0.3, 0.2)), "par")
  expect_likelihood(function(y, par) -mean(dnorm(y, par["m"], exp(par["s"]), log = TRUE)), list(y = y, par = c(s = 0.3, m = 0.2)), "par")
  expect_likelihood(function(y, X, par) -sum(dnorm(y, X %*% par[-1], exp(par[1]), log = TRUE)), list(y = y, X = X, par = c(0.1, 0.2, 0.3, -0.2)), "par")
  expect_likelihood(function(y, X, par) sum((y - X %*% c(par[1], par[2:3]))^2) * par[4], list(y = y, X = X, par = c(0.1, 0.2, 0.3, 0.4)), "par")
  expect_likelihood(
    function(y, X, par) sum(dnorm(y, par[1] * X[, 2] + par[2] * X[, 3], exp(par[3]), log = TRUE)) + X[2, 3] * par[1],
    list(y = y, X = X, par = c(0.1, 0.9, 0.2)), "par"
  )
})

test_that("random effects by codes, and priors", {
  f <- function(y, X, b, u, s, g) sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)) + sum(dnorm(u, 0, s, log = TRUE)) + dexp(s, 1, log = TRUE)
  values <- list(y = counts, X = X, b = c(0.1, 0.2, -0.1), u = u * 0.1, s = 0.7, g = g)
  expect_likelihood(f, values, c("b", "u", "s"))
  values$g <- factor(letters[g])
  expect_likelihood(f, values, c("b", "u", "s"))
  values$g <- as.double(g)
  expect_likelihood(f, values, c("u", "s"))
  expect_likelihood(function(u, g, w) sum((u - mean(u))[g] * w), list(u = u, g = g, w = x), "u")
  expect_likelihood(
    function(k, x, beta, cuts) { q <- c(-Inf, cuts, Inf); sum(log(plogis(q[k + 1] - beta * x) - plogis(q[k] - beta * x))) },
    list(k = rep(1:4, length.out = n), x = x, beta = 0.3, cuts = c(-1, 0, 1.2)), c("beta", "cuts")
  )
  expect_likelihood(function(win, lose, s) sum(plogis(s[win] - s[lose], log.p = TRUE)), list(win = g, lose = rev(g), s = u), "s")
})

test_that("lags, differences, ends", {
  expect_likelihood(
    function(y, par) { n <- length(y); sum(dnorm(y[-1], par[1] + par[2] * y[-n], exp(par[3]), log = TRUE)) }, list(y = y, par = c(0.1, 0.2, 0.3)), "par"
  )
  expect_likelihood(
    function(y, par) sum(dnorm(diff(y), par[1], par[2], log = TRUE)) + sum(rev(y) * y) * par[1] + sum(tail(y, 3) * par[2] - head(y, 3)),
    list(y = y, par = c(0.1, 0.9)), "par"
  )
  expect_likelihood(
    function(u) sum(u[2:4]^2) + u[c(1, 3, 6)][2] + sum(u[-1]) + sum(u[-c(1, 4)]) + sum(u[-(2:3)]^2) + u[length(u)], list(u = u), "u"
  )
})

test_that("other reductions, and sums within sums", {
  expect_likelihood(
    function(y, par) log(sum(exp(y * par[1]))) + prod(1 + par) + max(par) + min(y * par[2]), list(y = y[1:20], par = c(0.1, 0.2, 0.3)), "par"
  )
  expect_likelihood(function(y, a) sum((y - mean(y) * a)^2), list(y = y, a = 2), "a")
  expect_likelihood(function(a) prod(a), list(a = c(2, 0, 3)), "a")
  expect_likelihood(function(a) prod(a), list(a = c(2, 0, 0, 3)), "a")
  with_na <- replace(x, c(3, 9), NA)
  expect_likelihood(
    function(u, g, w) sum((u - mean(u))[g] * w, na.rm = TRUE) + mean(w * u[1], na.rm = TRUE) + max(u * w[1:6], na.rm = TRUE), list(u = u, g = g, w = with_na), "u"
  )
  expect_likelihood(function(y, a, b) sum(a + b * 2) + sum(y) * a, list(y = y, a = 0.3, b = c(1, 2, 3)), c("a", "b"))
})

test_that("loops that are known at the call", {
  expect_likelihood(
    function(y, w, m, s) { p <- exp(w) / sum(exp(w)); d <- 0; for (k in 1:3) d <- d + p[k] * dnorm(y, m[k], exp(s[k])); sum(log(d)) },
    list(y = y, w = c(0, 0.2, -0.1), m = c(-1, 0.5, 2), s = c(-0.2, 0, 0.1)), c("w", "m", "s")
  )
  expect_likelihood(
    function(first, last, seen, phi, p) {
      ph <- plogis(phi)
      pp <- plogis(p)
      chi <- numeric(4)
      chi[4] <- 1
      for (t in 3:1) chi[t] <- 1 - ph * (1 - (1 - pp) * chi[t + 1])
      sum((last - first) * log(ph) + seen * log(pp) + (last - first - seen) * log(1 - pp) + log(chi[last]))
    },
    list(first = rep(1, 20), last = rep(1:4, 5), seen = rep(c(0, 1, 1, 2), 5), phi = 0.5, p = 0.2), c("phi", "p")
  )
  w <- c(0.1, 0.3, 0.3)
  z <- c(-1, 0, 1)
  quadrature <- function(y, X, b, ls) { eta <- X %*% b; s <- exp(ls); t <- 0; for (q in seq_along(w)) t <- t + w[q] * dpois(y, exp(eta + s * z[q])); sum(log(t)) }
  expect_likelihood(quadrature, list(y = counts, X = X, b = c(0.1, 0.2, -0.1), ls = -0.3), c("b", "ls"))
  expect_likelihood(
    function(x, a) {
      s <- 0
      k <- 0
      while (TRUE) {
        k <- k + 1
        if (k == 2) next
        if (k > 3) break
        s <- s + a[k] * x^k
      }
      sum(s) + sum(vapply(1:3, function(j) a[j] * j, 0))
    },
    list(x = x, a = c(1, 2, 3)), "a"
  )
  expect_likelihood(
    function(x, par) { par[2] <- exp(par[2]); v <- rep(1, 3); for (i in 1:3) v[i] <- v[i] + par[i] * i; sum(dnorm(x, v[1], par[2], log = TRUE)) + prod(v) },
    list(x = x, par = c(1, 0.2, 3)), "par"
  )
})

test_that("sums that run and sums of groups", {
  expect_likelihood(
    function(x, event, b) { eta <- b * x; sum(event * (eta - log(rev(cumsum(rev(exp(eta))))))) }, list(x = x, event = event, b = 0.3), "b"
  )
  expect_likelihood(
    function(y, X, set, b) { eta <- X %*% b; sum(y * (eta - log(ave(exp(eta), set, FUN = sum)))) },
    list(y = event, X = X, set = rep(1:20, each = 3), b = c(0.1, 0.2, 0.3)), "b"
  )
  expect_likelihood(function(x, p) sum(cumsum(x * p[1])^2 * p[2]) + sum(cumsum(p)), list(x = x[1:20], p = c(0.3, 0.4)), "p")
  expect_likelihood(function(y, x, set, b) sum(y * (x * b - ave(exp(x * b), set))), list(y = event, x = x, set = factor(g), b = 0.2), "b")
})

test_that("a later call with other lengths, names and codes is a call of its own", {
  on_each_device(function(device) {
    f <- opencl_function(function(u, g) sum(u[g]), gradient = "u")
    plain <- function(u, g) structure(sum(u[g]), gradient = vapply(seq_along(u), function(k) sum(g == k, na.rm = TRUE), 0))
    check <- function(u, g) {
      ours <- f(u, g, device = device)
      known <- plain(u, as.integer(g))
      expect_equal(as.vector(ours), as.vector(known))
      expect_equal(unname(attr(ours, "gradient")), attr(known, "gradient"))
    }
    for (turn in 1:2) {
      check(c(a = 1, b = 2, c = 3), c(1, 1, 2))
      check(1, c(1L, 1L, 1L))
      check(c(1, 2), 2L)
      check(c(1, 2, 3), c(1, NA, 2))
      check(c(1, 2), c(1, 3))
      check(c(1, 2), c(2.7, 1.2))
      check(1:3, factor(c("x", "y", "x")))
      check(c(1, 2), integer())
      check(c(0.5, 2, 3), rep(1:3, 50))
    }
    m <- opencl_function(function(y, par) sum(y) * par["m"] + par["s"], gradient = "par")
    for (par in list(c(m = 1, s = 2), c(s = 2, m = 1), c(o = 5, s = 2, m = 1), c(m = 3, s = 4, m = 5))) {
      expect_equal(as.vector(m(1:3, par, device = device)), as.vector(6 * par["m"] + par["s"]))
      expect_equal(attr(m(1:3, par, device = device), "gradient")[[match("m", names(par))]], 6)
    }
    lag <- opencl_function(function(y, a) { n <- length(y); sum((y[-1] - a * y[-n])^2) }, gradient = "a")
    for (k in c(1, 2, 3, 5, 2, 1, 100)) {
      v <- seq_len(k) / 2
      expect_equal(as.vector(lag(v, 0.5, device = device)), sum((v[-1] - 0.5 * v[-k])^2))
      expect_equal(attr(lag(v, 0.5, device = device), "gradient")[[1]], sum(-2 * (v[-1] - 0.5 * v[-k]) * v[-k]))
    }
    by_count <- opencl_function(function(x, K) { s <- 0; for (k in seq_len(K)) s <- s + x^k; sum(s) })
    for (K in c(1, 4, 0, 2)) expect_equal(by_count(c(1, 2), K, device = device), sum(Reduce(`+`, lapply(seq_len(K), function(k) c(1, 2)^k), 0)))
    whole <- opencl_function(function(y, par) sum(dnorm(y, par[1], exp(par[2]), log = TRUE)), gradient = "par")
    expect_identical(whole(numeric(), c(1, 0), device = device), structure(0, gradient = c(par1 = 0, par2 = 0)))
  })
})

test_that("elements with sums inside keep R's attributes", {
  on_each_device(function(device) {
    f <- function(u, g, x) u[g] + x * mean(x)
    ours <- opencl_function(f)
    named <- c(a = 1, b = 2)
    expect_equal(ours(named, c(1, 2, 2), c(0.5, 1, 2), device = device), f(named, c(1, 2, 2), c(0.5, 1, 2)))
    expect_equal(ours(c(1, 2), c(1, NA, 3), c(0.5, 1, 2), device = device), f(c(1, 2), c(1, NA, 3), c(0.5, 1, 2)))
    joined <- function(p, x) c(a = p, x, x[2])
    expect_equal(opencl_function(joined)(1, named, device = device), joined(1, named))
    column <- function(X) X[, 2] * sum(X[, 1])
    M <- matrix(1:4 / 2, 2, dimnames = list(c("r", "s"), c("c", "d")))
    expect_equal(opencl_function(column)(M, device = device), column(M))
    expect_equal(opencl_function(function(M) M[2, 1] + 0)(M, device = device), M[2, 1])
  })
})

test_that("resident vectors", {
  for (device in compiling_devices()) {
    stays <- opencl_vector(y, device = device)
    f <- function(y, p) sum(dnorm(y, p[1], p[2], log = TRUE)) + sum(y[-1] * y[-length(y)]) * p[1]
    ours <- opencl_function(f, gradient = "p")
    expect_equal(as.vector(ours(stays, c(0.1, 0.9))), f(y, c(0.1, 0.9)))
    expect_equal(attr(ours(stays, c(0.1, 0.9)), "gradient"), attr(ours(y, c(0.1, 0.9), device = device), "gradient"))
    codes <- opencl_vector(g, device = device)
    h <- opencl_function(function(u, g, y) sum(u[g] * y), gradient = "u")
    expect_equal(h(u, codes, stays), h(u, g, y, device = device))
    centred <- opencl_function(function(u, g, y) sum((u - mean(u))[g] * y) + sum(cumsum(y)), gradient = "u")
    for (turn in 1:2) expect_equal(centred(u, codes, stays), centred(u, g, y, device = device)) # vectors of R go to them
    deviations <- opencl_function(function(y) y - mean(y))
    expect_s3_class(deviations(stays), "opencl_vector")
    expect_s3_class(deviations(y, device = device, keep = TRUE), "opencl_vector")
    expect_equal(as.vector(deviations(stays)), y - mean(y))
  }
})

test_that("one function on several devices in turn, and on all of them", {
  devices <- c("0", opencl_test_devices())
  f <- opencl_function(function(x, u, g) sum(u[g] * x) + sum((u - mean(u))[g]), gradient = "u")
  slopes <- as.vector(rowsum(x, g)) + tabulate(g, 6) - n / 6
  for (device in c(as.list(devices), rev(as.list(devices)), list(devices))) {
    value <- f(x, u, g, device = device)
    expect_equal(as.vector(value), sum(u[g] * x) + sum((u - mean(u))[g]))
    expect_equal(unname(attr(value, "gradient")), slopes)
  }
})

test_that("what is refused says what to write", {
  on_each_device(function(device) {
    refused <- function(f, values, message, ...) expect_error(do.call(opencl_function(f, ...), c(values, device = device)), message, class = "nmathopencl_error")
    refused(function(u, g) sum(u[g]), list(c(1, 2), c(1, 0)), "element 2 of the index is 0", gradient = "u")
    if (identical(getOption("nmathopencl.compiler"), FALSE)) return()
    refused(function(u, g) sum(u[g]), list(c(1, 2, 3), c(1, 1, -2)), "u\\[g\\].*element 3 of the index is -2: a vector of codes has numbers from 1 on")
    refused(function(x) var(x[pnorm(x) > 0.5]), list(c(1, -2)), "x\\[pnorm\\(x\\) > 0.5\\].*sum\\(x\\[pnorm\\(x\\) > 0.5\\]\\^2\\).*max\\(ifelse\\(pnorm\\(x\\) > 0.5, x, -Inf\\)\\)")
    refused(function(X) X[3, 1], list(diag(2)), "subscript out of bounds")
    refused(function(par) sum(par["k"]), list(c(a = 1)), "`par` has no element of that name")
    refused(function(x) sum(x[c(-1, 2)]), list(1:3), "can't mix")
    refused(function(x, a) (x - mean(x)) * a, list(c(1, 2), 3), "let it give one number, sum", gradient = "a")
    refused(function(x, y) sum(x) + y, list(1:3, c(1, 2)), "let it give one number", gradient = "y")
  })
})

test_that("what a stage leaves on a device for the next is gone after the call, and changes nothing", {
  g <- rep_len(1:7, 500)
  y <- as.double(seq_len(500) %% 3 == 0)
  u <- sin(1:7)
  f <- opencl_function(function(y, u, g, s) sum(dbinom(y, 1, plogis(u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE)), gradient = c("u", "s"))
  for (device in opencl_test_devices()) {
    there <- list(opencl_vector(y, device = device), opencl_vector(g, device = device))
    gc()
    vectors <- function() sum(opencl_memory()$vectors)
    before <- vectors()
    found <- f(there[[1L]], u, there[[2L]], 0.1)
    expect_identical(vectors(), before)
    expect_identical(found, f(y, u, g, 0.1, device = device))
    names <- paste0("u", 1:9)
    expect_named(attr(f(there[[1L]], cos(1:9), there[[2L]], 0.1), "gradient"), c(names, "s"))
    expect_named(attr(f(there[[1L]], u, there[[2L]], 0.1), "gradient"), c(names[1:7], "s"))
  }
})

# The extreme and its element are computed by different kernels, whose last digits may differ.
test_that("the slope of an extreme of computed elements is its element's", {
  set.seed(7)
  y <- c(2.108, 0.2134, rnorm(200))
  f <- function(y, s) max(plogis(sin(y) * s, log.p = TRUE), na.rm = TRUE) + min(dgamma(exp(y), 2, s, log = TRUE)) + sum(y) * s
  for (n in c(2, 40, 202)) {
    values <- list(y = y[seq_len(n)], s = 1.3)
    known <- differences(f, values, c("y", "s"))
    on_each_device(function(device) {
      ours <- do.call(opencl_function(f, gradient = c("y", "s")), c(values, device = device))
      expect_equal(c(ours), do.call(f, values), tolerance = 1e-12, ignore_attr = TRUE)
      expect_equal(unname(attr(ours, "gradient")), unname(known), tolerance = 1e-6)
    })
  }
})
