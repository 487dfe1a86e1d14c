# `over`: a call at many points gives, bit for bit, what a loop of calls gives.

unoptimized_programs()
set.seed(35)
n <- 3000L
x <- round(rgamma(n, 2, 3), 4)
y <- rpois(n, 2)
X <- cbind(1, matrix(round(rnorm(3 * n), 3), n))
z <- rbinom(n, 1, 0.4)
g <- rep_len(1:7, n)
m <- 11L
a <- stats::setNames(round(runif(m, 0.5, 4), 3), letters[seq_len(m)])
b <- round(runif(m, 0.5, 4), 3)
B <- matrix(round(rnorm(4 * m, 0, 0.3), 3), m)

test_that("sums with numbers as parameters", {
  f <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
  points <- list(a = a, b = b)
  expect_as_loop(opencl_function(f, reduce = "sum"), list(x = x), points, names(a))
  expect_as_loop(opencl_function(f, reduce = "sum", gradient = c("a", "b")), list(x = x), points, names(a))
  expect_as_loop(opencl_function(f, reduce = "mean", gradient = "b", data = list(x = x)), list(), points, names(a))
  expect_as_loop(opencl_function(f, reduce = "sum", gradient = c("b", "a")), list(x = x, b = 2), points["a"], names(a))
  expect_as_loop(opencl_function(f, reduce = "sum"), list(x = x), points, names(a), over = data.frame(a = a, b = b, row.names = names(a)))
  expect_as_loop(opencl_function(f, reduce = "max"), list(x = x), points, names(a))
  expect_as_loop(opencl_function(f, reduce = "sum", na.rm = TRUE, gradient = "a"), list(x = replace(x, 5, NA)), points, names(a))
})

test_that("products of a matrix with coefficients", {
  f <- function(z, X, b, s) {
    eta <- s * (X %*% b)
    z * eta - log1p(exp(eta))
  }
  points <- list(b = B, s = b)
  expect_as_loop(opencl_function(f, reduce = "sum"), list(z = z, X = X), points)
  expect_as_loop(opencl_function(f, reduce = "sum", gradient = c("s", "b")), list(z = z, X = X), points)
  expect_as_loop(opencl_function(f, reduce = "mean", gradient = "b", data = list(X = X, z = z)), list(s = 1), points["b"])
  named <- B
  dimnames(named) <- list(letters[seq_len(m)], c("one", "two", "three", "four"))
  expect_as_loop(opencl_function(f, reduce = "sum", gradient = "b"), list(z = z, X = X, s = 0.5), list(b = named), letters[seq_len(m)])
  both <- function(y, X, Z, b, u) dpois(y, exp(X %*% b + Z %*% u), log = TRUE)
  expect_as_loop(opencl_function(both, reduce = "sum", gradient = c("u", "b")), list(y = y, X = X, Z = X[, 2:3]), list(b = B, u = B[, 1:2]))
})

test_that("products that are the same at all points", {
  f <- function(z, X, Z, b, u) {
    eta <- X %*% b + Z %*% u
    z * eta - log1p(exp(eta))
  }
  data <- list(z = z, X = X, Z = X[, 2:3], u = c(0.2, -0.1))
  for (gradient in list(NULL, "b", c("b", "u"))) expect_as_loop(opencl_function(f, reduce = "sum", gradient = gradient), data, list(b = B))
})

# Up to 16 columns a GPU adds in another order than beyond, and a program at many points is for columns in fours.
test_that("any number of columns", {
  f <- function(z, M, b) {
    eta <- M %*% b
    z * eta - log1p(exp(eta))
  }
  k <- opencl_function(f, reduce = "sum", gradient = "b")
  for (p in c(1L, 3L, 4L, 5L, 16L, 17L)) {
    M <- matrix(round(sin(seq_len(300L * p)), 3), 300L)
    expect_as_loop(k, list(z = z[1:300], M = M), list(b = matrix(cos(seq_len(5L * p)) / 4, 5L)), label = paste(p, "columns"))
  }
})

# What GPUs do, on an OpenCL device of the host's cores: a process is told so when it looks for devices. "matrix": those with
# matrix units, which PoCL's compiler takes for what they are only where it optimizes nothing.
test_that("groups of work-items add up in the same order at one point and at many", {
  skip_unless_asked()
  device <- opencl_test_devices()
  skip_if(length(device) == 0L, "no OpenCL device")
  for (groups in c("true", "matrix")) expect_identical(run_r(c(
    "suppressMessages(library(nmathopencl))", sprintf("options(nmathopencl.device = '%s')", device[1L]),
    "bits <- function(x) writeBin(as.double(x), raw())",
    "f <- function(y, X, b, s) { eta <- X %*% b * s; y * eta - log1p(exp(eta)) }",
    "g <- function(y, X, Z, b, u) dnorm(y, X %*% b, exp(Z %*% u), log = TRUE)",
    "h <- function(y, X, Z, b, u, v) dnorm(y, X %*% b + sin(X %*% v), exp(Z %*% u), log = TRUE)",
    "fs <- list(f, g, h)",
    "wanted <- list(c('b', 's'), c('u', 'b'), c('b', 'u', 'v'))",
    "k <- Map(function(f, gradient) opencl_function(f, reduce = 'sum', gradient = gradient), fs, wanted)",
    "set.seed(7)",
    sprintf("for (case in list(c(1, 3, 2), c(70, 5, 17), c(1500, 10, 5), c(70, 17, 3), c(130, 45, 18)%s)) {", if (groups == "matrix") ", c(300, 75, 5), c(70, 160, 18), c(24, 320, 3)" else ""),
    "  n <- case[1]; p <- case[2]; m <- case[3]",
    "  X <- matrix(rnorm(n * p), n); Z <- X[, 1:2, drop = FALSE]; y <- as.double(runif(n) < 0.4)",
    "  over <- list(b = matrix(rnorm(m * p) / 5, m), s = runif(m), u = matrix(rnorm(2 * m) / 5, m), v = matrix(rnorm(m * p) / 9, m))",
    "  for (j in 1:3) {",
    "    data <- if (j == 1) list(y = y, X = X) else list(y = y, X = X, Z = Z)",
    "    at <- over[sort(wanted[[j]])]",
    "    all <- do.call(k[[j]], c(data, list(over = at)))",
    "    for (i in seq_len(m)) {",
    "      one <- lapply(at, function(x) if (is.null(dim(x))) x[i] else x[i, ])",
    "      ours <- do.call(k[[j]], c(data, one))",
    "      r <- sum(do.call(fs[[j]], c(data, one)))",
    "      good <- identical(bits(ours), bits(all[[i]])) && identical(bits(attr(ours, 'gradient')), bits(attr(all, 'gradient')[i, ]))",
    "      if (!good || abs(ours - r) > 1e-12 * (1 + abs(r))) cat('differs:', j, case, i, '\\n')",
    "    }",
    "  }",
    "}",
    "cat('done\\n')"
  ), c(paste0("NMATHOPENCL_GROUPS=", groups), if (groups == "matrix") "POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable")), "done")
})

test_that("weights that differ from point to point", {
  W <- matrix(round(rexp(n * m), 3), m)
  f <- function(x, w, a) w * dgamma(x, a, rate = 2, log = TRUE)
  expect_as_loop(opencl_function(f, reduce = "sum", gradient = "a"), list(x = x), list(w = W, a = a), names(a), label = "weights")
  mean_of <- function(x, w) sum(w * x) / sum(w)
  expect_as_loop(opencl_function(mean_of), list(x = x), list(w = W), label = "weighted mean")
})

test_that("likelihoods that are one number", {
  poisson <- opencl_function(function(y, X, b) -sum(dpois(y, exp(X %*% b), log = TRUE)), gradient = "b")
  expect_as_loop(poisson, list(y = y, X = X), list(b = B))
  negative <- function(x, par) -sum(dnorm(x, par["mean"], exp(par["log_sd"]), log = TRUE)) - dnorm(par["mean"], 0, 10, log = TRUE)
  P <- cbind(mean = a, log_sd = b / 3)
  expect_as_loop(opencl_function(negative, gradient = "par"), list(x = x), list(par = P), names(a))
  expect_as_loop(opencl_function(negative, gradient = "par", data = list(x = x)), list(), list(par = P), names(a), over = P)
  grouped <- function(y, g, u, par) -sum(dnorm(y, par[1] + u[g], exp(par[2]), log = TRUE)) - sum(dnorm(u, 0, 1, log = TRUE))
  U <- matrix(round(rnorm(7 * m), 3), m)
  expect_as_loop(opencl_function(grouped, gradient = c("u", "par")), list(y = x, g = g), list(u = U, par = unname(P)))
})

test_that("sums are computed at all points in one call, whose pieces change nothing", {
  f <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
  logistic <- function(z, X, b) {
    eta <- X %*% b
    -sum(z * eta - log1p(exp(eta))) + 0.5 * sum(b^2)
  }
  product <- function(y, X, b, s) dpois(y, s * exp(X %*% b), log = TRUE)
  cases <- list(
    list(f = opencl_function(f, reduce = "sum", gradient = c("a", "b")), args = list(x = x), over = list(a = a, b = b)),
    list(f = opencl_function(product, reduce = "mean", gradient = c("s", "b")), args = list(y = y, X = X), over = list(b = B, s = b)),
    list(f = opencl_function(logistic, gradient = "b"), args = list(z = z, X = X), over = list(b = B))
  )
  for (device in compiling_devices()) {
    for (case in cases) {
      ours <- do.call(case$f, c(case$args, list(over = case$over, device = device)))
      expect_true(last_run()$elements >= n * m)
      few <- lapply(case$over, function(x) if (is.null(dim(x))) x[4:5] else x[4:5, ])
      some <- do.call(case$f, c(case$args, list(over = few, device = device)))
      expect_identical(c(some), unname(c(ours)[4:5]), ignore_attr = TRUE)
      expect_identical(unname(attr(some, "gradient")), unname(attr(ours, "gradient")[4:5, ]))
    }
  }
})

test_that("after a call, one with names, other names or other lengths is computed at once, too", {
  skip_on_cran() # a matter of seconds
  logistic <- function(z, X, b) {
    eta <- X %*% b
    sum(z * eta - log1p(exp(eta)))
  }
  negative <- function(x, par) -sum(dnorm(x, par[1], exp(par[2]), log = TRUE))
  named_parts <- function(x, par) -sum(dnorm(x, par["mean"], exp(par["log_sd"]), log = TRUE))
  at_once <- function(f, args, over) {
    do.call(f, c(args, list(over = over)))
    if (host_compiles()) expect_true(last_run()$elements >= length(args[[1L]]) * m)
    expect_as_loop(f, args, over)
  }
  f <- opencl_function(logistic, gradient = "b")
  named <- `colnames<-`(B, letters[1:4])
  few <- list(z = z[1:2000], X = X[1:2000, ])
  for (k in 1:2) {
    at_once(f, list(z = z, X = X), list(b = B))
    at_once(f, list(z = z, X = X), list(b = named))
    at_once(f, few, list(b = named))
    at_once(f, few, list(b = B))
  }
  f <- opencl_function(negative, gradient = "par")
  P <- cbind(mean = unname(a), log_sd = b / 3, other = 1)
  for (order in list(1:2, 2:1, 1:2, 1:3, 3:1)) at_once(f, list(x = x), list(par = P[, order]))
  f <- opencl_function(named_parts, gradient = "par")
  for (order in list(1:2, 2:1, 1:2, 1:3, 3:1)) expect_as_loop(f, list(x = x), list(par = P[, order]))
})

test_that("variables that a function reads have the values that they have then", {
  level <- 2
  f <- opencl_function(function(x, a) a * cos(x) - log(level * pi), reduce = "sum", gradient = "a")
  g <- opencl_function(function(x, a) -sum(a * cos(x) - log(level * pi)), gradient = "a")
  for (made in list(f, g)) {
    level <- 2
    expect_as_loop(made, list(x = x), list(a = a), names(a), label = "a variable")
    level <- 3
    expect_as_loop(made, list(x = x), list(a = a), names(a), label = "another value")
  }
})

test_that("elements without a reduction, groups, matrices", {
  f <- function(x, a, s) ifelse(x > s, a * x, x^2)
  expect_as_loop(opencl_function(f, gradient = "a"), list(x = x[1:50]), list(a = a, s = b), names(a))
  expect_as_loop(opencl_function(f), list(x = c(p = 1, q = 2)), list(a = a, s = b), names(a))
  expect_as_loop(opencl_function(f), list(x = 1), list(a = a, s = b), names(a))
  density <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
  by <- factor(g, levels = c(1:7, 9))
  expect_as_loop(opencl_function(density, reduce = "sum", gradient = c("a", "b")), list(x = x, by = by), list(a = a, b = b), names(a))
  expect_as_loop(opencl_function(density, reduce = "sum"), list(x = x, by = g), list(a = a, b = b), names(a))
  A <- array(round(rnorm(m * 6), 3), c(m, 2, 3))
  expect_as_loop(opencl_function(function(M, s) sum(M^2) * s), list(s = 2), list(M = A))
})

test_that("a missing value in a point touches that point alone", {
  holes <- replace(a, c(2, 5), c(NA, NaN))
  f <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
  expect_as_loop(opencl_function(f, reduce = "sum", gradient = c("a", "b")), list(x = x), list(a = holes, b = replace(b, 7, -1)), names(a))
  C <- replace(B, 3, NA)
  product <- opencl_function(function(z, X, b) z * (X %*% b), reduce = "sum", gradient = "b")
  expect_as_loop(product, list(z = z, X = X), list(b = C))
  ours <- product(z, X, over = list(b = C))
  expect_identical(which(is.na(ours)), 3L)
})

test_that("no point, and one", {
  f <- opencl_function(function(x, a, b) dgamma(x, a, rate = b, log = TRUE), reduce = "sum", gradient = c("a", "b"))
  expect_as_loop(f, list(x = x), list(a = a[1], b = b[1]), names(a)[1])
  none <- f(x, over = list(a = numeric(), b = numeric()))
  expect_identical(none, structure(numeric(), gradient = matrix(0, 0, 2, dimnames = list(NULL, c("a", "b")))))
  expect_identical(dim(f(x, over = list(a = numeric(), b = numeric()), by = g)), c(7L, 0L))
  h <- opencl_function(function(x, a) x * a)
  expect_identical(dim(h(x, over = list(a = numeric()))), c(n, 0L))
  product <- opencl_function(function(X, b) X %*% b, reduce = "sum", gradient = "b")
  expect_identical(dim(attr(product(X, over = list(b = B[0, ])), "gradient")), c(0L, 4L))
})

test_that("resident vectors: results stay with them", {
  h <- opencl_function(function(x, a) x * a, gradient = "a")
  for (device in compiling_devices()) {
    there <- opencl_vector(x[1:20], device)
    ours <- h(there, over = list(a = a))
    expect_true(inherits(ours, "opencl_matrix"))
    expect_identical(as.matrix(ours), outer(x[1:20], a))
    expect_identical(as.matrix(attr(ours, "gradient")$a), matrix(x[1:20], 20, m))
    kept <- h(x[1:20], over = list(a = opencl_vector(unname(a), device)), device = device, keep = TRUE)
    expect_identical(as.matrix(kept), unname(outer(x[1:20], a)))
    f <- opencl_function(function(X, b) X %*% b, reduce = "sum", gradient = "b")
    expect_true(same_bits(f(opencl_matrix(X, device), over = list(b = opencl_matrix(B, device))), f(X, over = list(b = B), device = device)))
  }
})

test_that("an objective has the values at all points", {
  ll <- opencl_function(function(x, a, b) dgamma(x, a, rate = b, log = TRUE), reduce = "sum", gradient = c("a", "b"))
  objective <- as_objective(ll, start = c(b = 1, a = 1), data = list(x = x), device = "host")
  P <- cbind(b, a)
  ours <- objective$over(P)
  for (i in seq_len(m)) {
    expect_identical(ours[[i]], objective$fn(unname(P[i, ])))
    expect_identical(unname(attr(ours, "gradient")[i, ]), objective$gr(unname(P[i, ])))
  }
  expect_identical(names(ours), names(a))
  expect_error(objective$over(P[, 1, drop = FALSE]), "1 column, and `start` has 2", class = "nmathopencl_error")
  expect_error(objective$over(a), "a row for each point", class = "nmathopencl_error")
})

test_that("what does not fit is named", {
  f <- opencl_function(function(x, a, b = 1) dgamma(x, a, rate = b, log = TRUE), reduce = "sum")
  refused <- function(expr, text) expect_error(expr, text, fixed = TRUE, class = "nmathopencl_error")
  refused(f(x, over = list(a = 1:2, b = 1:3)), "`over` has 2 points in `a` and 3 in `b`")
  refused(f(x, over = list(a = 1, z = 2)), "`z` in `over` is not an argument of `f`, which has `x`, `a`, `b`")
  refused(f(x, 1, over = list(a = 1)), "`a` is in `over`, and given as an argument too")
  refused(f(x, over = list(a = "1")), "`a` in `over` is of type character")
  refused(f(x, over = list(a = factor(1))), "`a` in `over` is of class factor")
  refused(f(x, over = list(a = array(1, c(1, 1, 1, 1)))), "`a` in `over` has 4 dimensions")
  refused(f(x, over = list(a = 1, a = 2)), "`over` has `a` twice")
  refused(f(x, over = list(1)), "`over` must have names")
  refused(f(x, over = list()), "`over` names no argument")
  refused(f(x, over = 1), "`over` must be a list by arguments, as over = list(m = c(0, 1, 2)), a matrix or a data frame")
  refused(f(over = matrix(1, 2, 2)), "for a function with one argument that is not given, and here are `x`, `a`")
  refused(f(x, 1, 2, over = matrix(1, 2, 2)), "`over` is a matrix alone, and all arguments are given, `x`, `a`, `b`: leave out the one whose values")
  refused(f(x, over = data.frame(a = 1, b = 2), a = 3), "`a` is in `over`, and given as an argument too")
  vector <- opencl_function(function(x, b, s) sum(dnorm(x, b[1] + b[2], s, log = TRUE)))
  P <- cbind(s = 1:2, b1 = 0:1, b2 = c(0.5, 1))
  refused(vector(x, over = P), "With P for it, give over = list(s = P[, \"s\"], b = P[, c(\"b1\", \"b2\")])")
  expect_equal(vector(x, over = list(s = P[, "s"], b = P[, c("b1", "b2")])), c(vector(x, c(0, 0.5), 1), vector(x, c(1, 1), 2)))
  refused(vector(x, over = data.frame(s = 1, q = 2)), "Name columns as arguments, or give a list: column `q` is not an argument")
  refused(opencl_function(function(over) over), "`f` must not have an argument `over`")
  expect_error(f(over = list(a = 1)), "argument \"x\" is missing, with no default", fixed = TRUE)
  reported <- tryCatch(f(x, over = list(a = 1:2, b = 1:3)), error = conditionCall)
  expect_identical(reported, quote(f(x, over = list(a = 1:2, b = 1:3))))
  count <- 0
  withCallingHandlers(f(x, over = list(a = c(-1, -2, -3))), warning = function(w) {
    count <<- count + 1
    expect_identical(conditionMessage(w), "NaNs produced")
    invokeRestart("muffleWarning")
  })
  expect_identical(count, 1)
})

# Most of the time goes into compiling: each eighth of the quick models, and all with the environment variable NMATHOPENCL_ALL_MODELS.
test_that("models of the gallery at many points are what they are one by one", {
  skip_without_compiler()
  folder <- system.file("gallery", package = "nmathopencl")
  here <- new.env()
  sys.source(file.path(folder, "gallery.R"), here)
  models <- here$gallery(folder)
  quick <- Filter(function(model) !model$slow, models)
  if (!nzchar(Sys.getenv("NMATHOPENCL_ALL_MODELS"))) models <- quick[seq(1L, length(quick), by = 8L)]
  for (model in models) {
    objective <- here$gallery_objective(model, device = "host")
    k <- length(objective$par)
    P <- matrix(objective$par, 17L, k, byrow = TRUE) + 0.01 * matrix(seq(-1, 1, length.out = 17L * k), 17L)
    ours <- suppressWarnings(objective$over(P))
    gradient <- attr(ours, "gradient")
    for (i in c(1L, 2L, 9L, 17L)) {
      at <- stats::setNames(P[i, ], names(objective$par))
      expect_true(same_bits(ours[[i]], suppressWarnings(objective$fn(at))), info = paste(model$title, "value", i))
      if (!is.null(gradient)) expect_true(same_bits(unname(gradient[i, ]), suppressWarnings(objective$gr(at))), info = paste(model$title, "gradient", i))
    }
  }
})

test_that("a sum that no point changes is computed for many points, too", {
  y <- c(1, 2, 3, 4)
  f <- opencl_function(function(y, l) sum(y) * log(l) - length(y) * l, gradient = "l")
  for (device in expression_devices()) {
    found <- f(y, over = list(l = c(2, 3)), device = device)
    expect_equal(c(found), 10 * log(c(2, 3)) - 4 * c(2, 3))
    expect_equal(c(attr(found, "gradient")), 10 / c(2, 3) - 4)
  }
})

test_that("results of calls one after the other are put in place as they come, and are refused before they would swap", {
  skip_if_not(Sys.info()[["sysname"]] == "Linux", "memory is known on Linux")
  lines <- run_r(c(
    "suppressMessages(library(nmathopencl))",
    "peak <- function() as.numeric(sub('[^0-9]*([0-9]+).*', '\\\\1', grep('^VmHWM', readLines('/proc/self/status'), value = TRUE))) / 1024",
    "x <- seq(0, 1, length.out = 1e5)",
    "f <- opencl_function(function(x, a) x * a)",
    "first <- f(x, over = list(a = c(1, 2)), device = 'host')",
    "invisible(gc()); before <- peak()",
    "y <- f(x, over = list(a = 1:200), device = 'host')",
    "cat(identical(y[, 7], x * 7), peak() - before < 2 * 8e5 * 200 / 2^20, '\n')",
    "options(nmathopencl.available = 2e8)",
    "cat(tryCatch(f(x, over = list(a = 1:1000), device = 'host'), error = conditionMessage))"
  ))
  expect_match(lines[1L], "TRUE TRUE")
  expect_match(lines[2L], "the result at all points of `over`.*is larger than the memory")
})

test_that("last_run() tells of all launches of a call at many points, one by one or at once", {
  skip_without_compiler()
  n <- 2000L
  X <- cbind(1, seq_len(n) / n)
  y <- rep_len(c(1, 0, 2), n)
  f <- opencl_function(function(y, X, b) dpois(y, exp(X %*% b), log = TRUE), reduce = "sum", gradient = "b")
  for (device in compiling_devices()) {
    B <- matrix(c(0.1, 0.2, 0.3, 0, -0.1, 0.1), 3)
    for (turn in 1:2) f(y, X, over = list(b = B), device = device)
    expect_identical(last_run()$elements, 3 * n)
    expect_gt(last_run()$compute, 0)
    f(y, X, c(0.1, 0.2), by = rep_len(1:4, n), device = device)
    one <- last_run()
    f(y, X, over = list(b = B), by = rep_len(1:4, n), device = device)
    expect_identical(last_run()$elements, 3 * one$elements)
    expect_lt(last_run()$chunks, 3 * one$chunks)
    logical <- opencl_function(function(y, a) y > a, reduce = "any") # one call after the other
    logical(y, 1, device = device)
    one <- last_run()
    logical(y, over = list(a = c(1, 3, 2)), device = device)
    expect_identical(last_run()$elements, 3 * one$elements)
    expect_identical(last_run()$chunks, 3 * one$chunks)
    expect_identical(last_run()$device, one$device)
    expect_gt(last_run()$compute, 0)
    expect_gte(last_run()$total, last_run()$compute)
  }
  f(y, X, over = list(b = B), device = "host")
  g <- opencl_function(function(y, X, b) sum(y * (X %*% b)) - log(sum(exp(X %*% b))), gradient = "b", hessian = TRUE)
  for (turn in 1:3) {
    g(y, X, c(0.1, 0.2), device = "host")
    expect_gt(last_run()$chunks, 1) # one for each launch
    expect_gt(last_run()$compute, 0)
    expect_gte(last_run()$total, last_run()$compute)
  }
})

test_that("points of many numbers go to a device in parts", {
  skip_without_compiler()
  n <- 2000L
  count <- 10000L # 160 MB of weights
  x <- seq_len(n) / n
  W <- matrix(seq(0, 1, length.out = n * count), count)
  f <- opencl_function(function(x, w) x * w, reduce = "sum", data = list(x = x))
  for (device in compiling_devices()) {
    found <- f(over = list(w = W), device = device)
    expect_gt(last_run()$chunks, 1)
    some <- c(1:3, 8000:8002, count)
    expect_identical(found[some], f(over = list(w = W[some, ]), device = device))
    expect_equal(found[some], c(W[some, ] %*% x), tolerance = 1e-13)
  }
  g <- opencl_function(function(x, w) sum(x * w) - sum((w[-1] - w[1:1999])^2), gradient = "w", data = list(x = x))
  W <- W[1:200, ]
  found <- g(over = list(w = W), device = "host")
  some <- c(1:3, 100:102, 200L)
  expect_identical(found[some], c(g(over = list(w = W[some, ]), device = "host")))
  expect_identical(attr(found, "gradient")[some, ], attr(g(over = list(w = W[some, ]), device = "host"), "gradient"))
})

test_that("`over` needs no argument that has a default, NULL or a text", {
  y <- c(1, 2, 3.5)
  weighted <- function(par, y, w = NULL) {
    terms <- dnorm(y, par[1], exp(par[2]), log = TRUE)
    if (is.null(w)) sum(terms) else sum(w * terms)
  }
  linked <- function(par, y, link = "logit") {
    p <- if (link == "logit") plogis(par[1]) else pnorm(par[1])
    sum(dbinom(y > 1.5, 1, p, log = TRUE)) + par[2] * y[1]
  }
  points <- rbind(c(0.1, 0.2), c(0.3, -0.4), c(1, 0))
  old <- options("nmathopencl.compiler")
  on.exit(options(old))
  for (compiler in list(FALSE, old[[1L]])) {
    options(nmathopencl.compiler = compiler)
    for (f in list(weighted, linked)) {
      rs <- apply(points, 1, f, y = y)
      for (gradient in list(NULL, "par")) {
        made <- opencl_function(f, gradient = gradient)
        expect_equal(as.vector(made(y = y, over = list(par = points), device = "host")), rs)
        expect_equal(as.vector(made(y = y, over = points, device = "host")), rs)
        made <- opencl_function(f, gradient = gradient, data = list(y = y))
        expect_equal(as.vector(made(over = points, device = "host")), rs)
      }
    }
    made <- opencl_function(weighted)
    expect_equal(as.vector(made(y = y, w = 1:3, over = points, device = "host")), apply(points, 1, weighted, y = y, w = 1:3))
    expect_error(made(over = list(par = points), device = "host"), "argument \"y\" is missing, with no default", fixed = TRUE)
  }
})

test_that("a data frame is points of a vector, and one of its columns may be a matrix", {
  set.seed(3)
  y <- rnorm(30)
  x <- rnorm(30)
  B <- matrix(rnorm(10), 5, dimnames = list(NULL, c("one", "x")))
  s <- rnorm(5)
  f <- opencl_function(function(b, s) -sum(dnorm(y, b[1] + b[2] * x, exp(s), log = TRUE)))
  single <- vapply(1:5, function(k) f(B[k, ], s[k]), 0)
  frame <- data.frame(s = s)
  frame$b <- B
  expect_identical(f(over = frame), single)
  expect_identical(f(over = list(b = as.data.frame(B), s = s)), single)
  wrong <- data.frame(one = 1:5, x = letters[1:5])
  expect_error(f(over = list(b = wrong, s = s)), "column `x` of `b` in `over` is not a numeric vector", fixed = TRUE)
})
