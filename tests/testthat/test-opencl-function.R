# opencl_function(): an R function as one kernel gives what R gives, on every device and without a compiler.

unoptimized_programs()

test_that("random expressions are what R makes of them", {
  values <- expression_values()
  set.seed(7)
  for (case in seq_len(25L)) {
    body <- random_expression(sample(2:3, 1L))
    names <- all.vars(body)
    if (length(names) == 0L) next
    formals <- stats::setNames(rep(alist(x = ), length(names)), names)
    f <- as.function(c(formals, body), envir = globalenv())
    rs <- with_conditions(do.call(f, values[names]))
    for (way in ways_of(case)) {
      ours <- in_way(way, with_conditions(do.call(opencl_function(f), c(values[names], device = device_of_way(way)))))
      expect_true(same_result(ours, rs), info = paste(way, deparse1(body)))
    }
  }
})

test_that("intermediate results are recycled as R does", {
  f <- opencl_function(function(a, b, x) (a + b) * x)
  for (device in expression_devices()) {
    expect_warning(ours <- f(1:2, c(0.5, 1, 2), 1:6 / 4, device = device), "longer object length")
    expect_identical(ours, suppressWarnings((1:2 + c(0.5, 1, 2)) * 1:6 / 4))
    expect_identical(f(1:2, 3L, numeric(), device = device), numeric())
  }
})

test_that("integers overflow to NA with R's warning, and NA is not a NaN", {
  f <- opencl_function(function(i, x) ifelse(is.nan(x), i + 1L, i * 2L))
  for (device in expression_devices()) {
    ours <- with_conditions(f(c(.Machine$integer.max, 3L), c(NaN, NA), device = device))
    expect_identical(ours$value, c(NA, 6L))
    expect_identical(ours$warnings, rep("NAs produced by integer overflow", 2L)) # R computes both branches
  }
})

test_that("attributes, arrays and columns of data frames go through", {
  m <- matrix(1:6 / 2, 2, dimnames = list(c("a", "b"), NULL))
  f <- opencl_function(function(m, v) m * v > 1)
  g <- opencl_function(function(X, b) exp(X %*% b))
  expect_identical(f(m, c(x = 1, y = 2)), m * c(x = 1, y = 2) > 1)
  expect_equal(g(m, c(1, -1, 0.5)), exp(m %*% c(1, -1, 0.5)), tolerance = 1e-14)
  expect_error(opencl_function(function(a, b) a + b)(m, t(m)), "non-conformable")
})

test_that("reductions are R's, by group as well, and the same bits for any number of threads", {
  set.seed(3)
  x <- c(stats::rgamma(5000, 3), NA)
  g <- factor(sample(c("u", "v"), 5001, TRUE), levels = c("u", "v", "w"))
  for (device in expression_devices()) {
    for (op in c("sum", "mean", "min", "max", "prod")) {
      f <- opencl_function(function(x) 1 + x / 1e4, reduce = op, na.rm = TRUE)
      rs <- get(op)
      expect_equal(f(x, device = device), rs(1 + x / 1e4, na.rm = TRUE), tolerance = 1e-13, info = op)
      expect_equal(f(x, by = g, device = device), c(tapply(1 + x / 1e4, g, rs, na.rm = TRUE)), tolerance = 1e-13, info = op)
    }
    f <- opencl_function(function(x) x, reduce = "logsumexp")
    expect_equal(f(c(700, 710, -Inf), device = device), 710 + log1p(exp(-10)), tolerance = 1e-14)
    expect_identical(opencl_function(function(x) x > 1, reduce = "any")(c(NA, 0), device = device), NA)
    expect_identical(opencl_function(function(i) i, reduce = "sum")(1:10, device = device), 55L)
    sum_of <- opencl_function(function(x) dgamma(x, 3, log = TRUE), reduce = "sum")
    one <- withr_threads(1L, sum_of(x[1:5000], device = device))
    expect_identical(withr_threads(2L, sum_of(x[1:5000], device = device)), one)
  }
})

test_that("gradients are those of stats::deriv and of differences", {
  f <- function(x, a, b) log(x) * sin(a * x) - exp(-b * x^2)
  ours <- opencl_function(f, gradient = c("a", "b"))(c(0.5, 1, 2), 0.3, 1.2)
  rs <- stats::deriv(body(f), c("a", "b"), function(x, a, b) NULL)(c(0.5, 1, 2), 0.3, 1.2)
  expect_equal(as.vector(ours), as.vector(rs), tolerance = 1e-14)
  expect_equal(attr(ours, "gradient"), attr(rs, "gradient"), tolerance = 1e-13)
  ll <- opencl_function(function(X, b, y) dpois(y, exp(X %*% b), log = TRUE), reduce = "sum", gradient = "b")
  set.seed(5)
  X <- cbind(1, stats::rnorm(200))
  y <- stats::rpois(200, exp(X %*% c(0.3, 0.5)))
  value <- ll(X, c(0.2, 0.4), y)
  mu <- as.vector(exp(X %*% c(0.2, 0.4)))
  expect_equal(unname(attr(value, "gradient")), as.vector(crossprod(X, y - mu)), tolerance = 1e-12)
  objective <- as_objective(ll, list(b = c(0, 0)), list(X = X, y = y))
  fit <- stats::optim(objective$par, objective$fn, objective$gr, method = "BFGS", control = list(reltol = 1e-14))
  expect_equal(unname(fit$par), unname(stats::coef(stats::glm(y ~ X - 1, family = stats::poisson))), tolerance = 1e-5)
  expect_error(opencl_function(function(q, a) ptukey(q, a, 3), gradient = "a")(1, 2), "no rule")
})

test_that("draws in an expression are those of the functions that draw", {
  f <- opencl_function(function(n, m) rnorm(n, m) + runif(n))
  set.seed(4)
  ours <- f(5, 2)
  set.seed(4)
  expect_equal(ours, rnorm_opencl(5, 2) + runif_opencl(5), tolerance = 1e-15)
})

test_that("conditions choose, and what the language lacks is an error that names it", {
  f <- opencl_function(function(x, log) if (log) dnorm(x, log = TRUE) else dnorm(x))
  expect_equal(f(1, TRUE), stats::dnorm(1, log = TRUE))
  expect_equal(f(1, FALSE), stats::dnorm(1))
  expect_error(opencl_function(function(x) if (x > 0) 1 else 2)(c(1, 2)), if (compiler_here()) "ifelse" else "condition has length")
  expect_error(opencl_function(function(x) cummax(exp(-x) * dnorm(x))), "cummax")
  own <- local({
    dgamma <- function(x) 3
    function(x) dgamma(x)
  })
  expect_identical(opencl_function(own)(1), 3) # not R's dgamma()
  expect_error(opencl_function(function(x) x)(factor("a")), "factor")
  expect_error(opencl_function(function(x) x + nowhere_to_be_found)(1), "nowhere_to_be_found")
  inner <- opencl_function(function(x, s = 2) x / s)
  expect_equal(opencl_function(function(y) inner(y) + inner(y, 4))(8), 6)
  if (!compiler_here() && length(opencl_test_devices()) == 0) skip("no compiler and no OpenCL device for a text of C")
  expect_equal(opencl_function("x, a", "dgamma(x, a, 1.0, 1)")(2, 3), stats::dgamma(2, 3, log = TRUE), tolerance = 1e-14)
})

test_that("without a compiler R evaluates the body with the host's functions", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  f <- opencl_function(function(x, a) dgamma(x, a, log = TRUE) + x)
  expect_equal(f(c(1, 2), 3, device = "host"), stats::dgamma(c(1, 2), 3, log = TRUE) + c(1, 2), tolerance = 1e-14)
  s <- opencl_function(function(x) x, reduce = "logsumexp")
  expect_equal(s(c(1, 2), device = "host"), log(sum(exp(c(1, 2)))), tolerance = 1e-14)
  expect_error(opencl_function("x", "2.0 * x")(1, device = "host"), "needs an OpenCL device or", class = "nmathopencl_error")
  sums <- opencl_function(function(x) x, reduce = "sum")
  expect_error(sums(1:3, by = 1:2, device = "host"), "`by` has length 2", class = "nmathopencl_error")
  X <- opencl_matrix(cbind(1, 3:5), device = "host")
  expect_equal(as.vector(opencl_function(function(X, b) X %*% b)(X, c(1, 2))), c(7, 9, 11))
  x <- opencl_vector(c(1, 2), device = "host")
  expect_equal(as.vector(f(x, 3)), stats::dgamma(c(1, 2), 3, log = TRUE) + c(1, 2), tolerance = 1e-14)
  expect_identical(sum(x), 3)
  g <- opencl_function(function(x, a) dgamma(x, a, log = TRUE), reduce = "sum", gradient = "a")
  ours <- g(c(1, 2), 3, device = "host")
  expect_equal(as.vector(ours), sum(stats::dgamma(c(1, 2), 3, log = TRUE)), tolerance = 1e-14)
  expect_equal(attr(ours, "gradient"), c(a = log(2) - 2 * digamma(3)), tolerance = 1e-13)
})

test_that("resident vectors give resident vectors, and numbers", {
  for (device in expression_devices()) {
    x <- opencl_vector(c(0.5, NA, 2), device = device)
    f <- opencl_function(function(x, a) dgamma(x, a) * 2)
    y <- f(x, 3)
    expect_s3_class(y, "opencl_vector")
    expect_equal(as.vector(y), stats::dgamma(c(0.5, NA, 2), 3) * 2, tolerance = 1e-14)
    expect_equal(as.vector(sqrt(x) + 1), sqrt(c(0.5, NA, 2)) + 1)
    expect_identical(as.vector(x > 1), c(FALSE, NA, TRUE))
    expect_identical(sum(x, na.rm = TRUE), 2.5)
    expect_identical(mean(opencl_vector(c(1, 2), device = device)), 1.5)
    expect_equal(as.vector(pgamma_opencl(x, 2, rate = 3, device = device)), stats::pgamma(c(0.5, NA, 2), 2, rate = 3),
                 tolerance = 1e-13)
  }
})

test_that("a resident matrix is multiplied where it is", {
  X <- cbind(one = 1, z = c(-1, 0.5, 2))
  f <- opencl_function(function(X, b) exp(X %*% b))
  g <- opencl_function(function(X, b) X %*% b, reduce = "sum", gradient = "b")
  for (device in expression_devices()) {
    resident <- opencl_matrix(X, device = device)
    expect_equal(as.vector(f(resident, c(0.5, 2))), as.vector(exp(X %*% c(0.5, 2))), tolerance = 1e-14)
    expect_equal(attr(g(resident, c(0.5, 2)), "gradient"), c(b1 = 3, b2 = 1.5))
    expect_error(f(resident, 1:3), "non-conformable")
  }
})

test_that("densities with fixed parameters are those of the library, and of R at the edges", {
  normal <- opencl_function(function(x, m, s) dnorm(x, m, s, log = TRUE))
  gamma <- opencl_function(function(x, a, s) dgamma(x, a, scale = s, log = TRUE))
  eps <- .Machine$double.eps
  set.seed(8)
  for (run in seq_len(40L)) {
    a <- exp(stats::runif(1, -5, 18))
    s <- exp(stats::runif(1, -5, 5))
    x <- a * s * exp(stats::rnorm(50) * sample(c(0.01, 0.1, 1), 50, TRUE))
    right <- dgamma_opencl(x, a, scale = s, log = TRUE, device = "host")
    y <- x / s
    condition <- (abs(a - 1 - y) + a * abs(log(y) - digamma(a)) + abs(y - a)) / abs(right)
    expect_true(all(abs(gamma(x, a, s, device = "host") - right) <= 8 * eps * (1 + condition) * abs(right)))
    m <- stats::rnorm(1, sd = 100)
    x <- m + s * stats::rnorm(50)
    right <- stats::dnorm(x, m, s, log = TRUE)
    z <- (x - m) / s
    condition <- ((abs(x) + abs(m)) * abs(z) / s + abs(z^2 - 1)) / abs(right)
    expect_true(all(abs(normal(x, m, s, device = "host") - right) <= 8 * eps * (1 + condition) * abs(right)))
  }
  x <- c(0, Inf, -Inf, NaN, NA, 1, -1, 1e200, 1e-300)
  for (device in expression_devices()) {
    for (p in list(c(0, 2), c(1, 1e-200), c(0, 0), c(2, Inf), c(NA, 1), c(1, -1), c(Inf, 1))) {
      expect_true(same_result(
        with_conditions(normal(x, p[1L], p[2L], device = device)),
        with_conditions(stats::dnorm(x, p[1L], p[2L], log = TRUE))
      ), info = toString(p))
    }
    for (p in list(c(2, 3), c(1e-3, 1), c(1e9, 1), c(2, 1e-200), c(0, 1), c(NA, 1), c(-1, 1), c(1, 0))) {
      expect_true(same_result(
        with_conditions(gamma(x, p[1L], p[2L], device = device)),
        with_conditions(stats::dgamma(x, p[1L], scale = p[2L], log = TRUE))
      ), info = toString(p))
    }
  }
})

# Reductions ask for missing values once, at their end, and are made again by another kernel where there was one.
test_that("reductions of missing values are R's, with its warnings", {
  cases <- list(
    plain = c(1, 2, -1), na = c(1, NA, 2), nan = c(NaN, 1, 2), both = c(NaN, 1, NA), inf = c(Inf, 1, -Inf),
    made = c(1, 2, 3), ends = c(-1, 1, 2)
  )
  for (device in expression_devices()) {
    total <- opencl_function(function(x, m, s) dnorm(x, m, s, log = TRUE), reduce = "sum")
    slopes <- opencl_function(function(x, m, s) dnorm(x, m, s, log = TRUE), reduce = "sum", gradient = c("m", "s"))
    for (name in names(cases)) {
      s <- if (name == "made") -1 else 2
      want <- with_conditions(sum(stats::dnorm(cases[[name]], 0, s, log = TRUE)))
      expect_true(same_result(with_conditions(total(cases[[name]], 0, s, device = device)), want), info = paste(device, name))
      got <- with_conditions(as.vector(slopes(cases[[name]], 0, s, device = device)))
      if (!compiler_here() && device == "host" && name == "made") next # a warning of each function called
      expect_true(same_result(got, want), info = paste(device, name, "with gradient"))
    }
    difference <- opencl_function(function(x) log(x) - log(x), reduce = "sum") # Inf - Inf
    expect_identical(suppressWarnings(difference(c(1, 0, 2), device = device)), NaN)
    swallowed <- opencl_function(function(x) ifelse(is.na(sqrt(x)), 0, x), reduce = "sum")
    expect_warning(value <- swallowed(c(-1, 4, 9), device = device), "NaNs produced")
    expect_equal(value, 13)
    groups <- opencl_function(function(x) x * 2, reduce = "mean")
    expect_identical(groups(c(1, NA, 3, NaN), by = c(1L, 2L, 1L, 3L), device = device), c(`1` = 4, `2` = NA, `3` = NaN))
  }
})

test_that("variables of the environment are looked up at each call", {
  k <- 2
  f <- opencl_function(function(x) x * k + pi)
  for (device in expression_devices()) {
    k <- 2
    expect_equal(f(3, device = device), 6 + pi)
    k <- c(1L, 5L)
    expect_equal(f(c(1, 2), device = device), c(1, 10) + pi)
  }
  rm(k)
  expect_error(f(1), "object 'k' not found")
})

test_that("deep and many times shared expressions cost little", {
  nested <- quote(x)
  for (k in 1:100) nested <- call("+", call("sin", nested), k / 7)
  squares <- as.call(c(quote(`{`), rep(list(quote(x <- x * x + x / 4)), 50L), quote(x)))
  branches <- as.call(c(quote(`{`), rep(list(quote(x <- ifelse(x > 0, x / 2, x * 1.5 + 0.1))), 40L), quote(x)))
  sums <- Reduce(function(a, b) call("+", a, b), rep(list(quote(x)), 150L))
  horner <- quote(x)
  for (k in 1:60) horner <- call("-", k / 3, call("*", quote(x), call("(", horner)))
  for (body in list(nested, squares, branches, sums, horner)) {
    f <- as.function(c(alist(x = ), body))
    x <- c(a = -0.3, b = 0.2, c = NA, d = NaN)
    expect_identical(same_result(with_conditions(opencl_function(f)(x, device = "host")), with_conditions(f(x))), TRUE)
  }
  slope <- attr(opencl_function(as.function(c(alist(x = ), nested)), gradient = "x")(0.3, device = "host"), "gradient")
  expect_true(is.finite(slope))
})

test_that("names of C, many arguments, and texts that call nothing", {
  f <- function(out, n, x_1, double, main, `if`, len, e, v1, .a) out + n * x_1 - double / main + `if` * len - e + v1 * .a
  values <- list(1:3, 2, 3, 4, 5, 6, 7, 8, 9, 10)
  many <- as.function(c(stats::setNames(rep(alist(x = ), 40L), paste0("a", 1:40)), str2lang(paste0("a", 1:40, collapse = "*"))))
  for (device in expression_devices()) {
    expect_equal(do.call(opencl_function(f), c(values, device = device)), do.call(f, values))
    expect_equal(do.call(opencl_function(many), c(as.list(1:40 / 20), device = device)), prod(1:40 / 20))
    if (device == "host" && !compiler_here()) next
    expect_equal(opencl_function("x, a", "x + a")(1:3, 2, device = device), c(3, 4, 5))
  }
})

test_that("a function that was saved is made anew where it is read", {
  f <- opencl_function(function(x, a) dgamma(x, a), gradient = "a")
  value <- f(1:3, 2)
  expect_equal(unserialize(serialize(f, NULL))(1:3, 2), value)
})

test_that("a function whose body is a constant has its value", {
  for (value in list(3, 2L, TRUE, NA, "a", NULL)) {
    f <- function(x) NULL
    body(f) <- value
    expect_identical(opencl_function(f)(c(1, 2), device = "host"), value)
  }
  expect_identical(opencl_function(function(x) 3, reduce = "sum")(c(1, 2), device = "host"), 3)
})
