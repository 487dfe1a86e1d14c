# Single precision (?pairs_of_floats): floats, with sums and linear predictors in pairs.

single_forms <- function() read.delim(system.file("spec", "single.tsv", package = "nmathopencl", mustWork = TRUE))$name

# Random arguments of the functions that have a form of floats: `n` of each, by distribution.
single_arguments <- function(name, n) {
  wide <- function(lo, hi) as_float(exp(runif(n, lo, hi)))
  real <- function(size) as_float(sample(c(-1, 1), n, TRUE) * exp(runif(n, -8, log(size))))
  unit <- function() as_float(ifelse(runif(n) < 0.5, runif(n), exp(runif(n, -20, 0))))
  whole <- function(hi) floor(exp(runif(n, 0, hi))) - 1
  switch(sub("^[dp](?=.)", "", name, perl = TRUE),
    norm = , logis = , cauchy = list(real(30), real(5), wide(-6, 6)), lnorm = list(wide(-20, 20), real(5), wide(-4, 4)),
    exp = list(wide(-20, 6), wide(-6, 6)), gamma = if (name == "digamma") list(real(50)) else list(wide(-15, 8), wide(-6, 8), scale = wide(-3, 3)),
    chisq = list(wide(-15, 8), wide(-6, 8)), beta = list(unit(), wide(-6, 7), wide(-6, 7)), t = list(real(1e4), wide(-6, 10)),
    weibull = list(wide(-8, 4), wide(-3, 3), wide(-3, 3)), unif = list(real(1), as_float(-wide(-2, 1)), wide(-2, 1)),
    pois = list(whole(9), wide(-12, 9)), binom = { size <- whole(12); list(floor(size * runif(n)), size, unit()) },
    nbinom = list(whole(8), wide(-6, 10), unit()), nbinom_mu = list(whole(8), wide(-6, 20), wide(-10, 9)), geom = list(whole(8), unit()),
    igamma = list(real(50)), lgammafn = list(real(1e6))
  )
}

test_that("single precision is asked for, and told", {
  skip_without_pairs()
  all <- with_single(opencl_devices())
  expect_true(all(all$arithmetic[all$index %in% as.integer(pair_devices())] == "single"))
  x <- c(-1.234567890123, 0.3)
  old <- set_opencl_device(as.integer(pair_devices()[1]), arithmetic = "single")
  single <- pnorm_opencl(x)
  was <- set_opencl_device(old)
  expect_match(was, "[|]single$")
  expect_equal(single, pnorm(x), tolerance = 1e-6)
  expect_gt(abs(single[1] - pnorm(x[1])), 1e-12)
})

test_that("missing and infinite values, integers and vectors keep in single precision what they are", {
  skip_without_pairs()
  for (device in pair_devices()) {
    got <- with_single(pnorm_opencl(c(NA, NaN, Inf, -Inf), device = device))
    expect_true(is.na(got[1]) && !is.nan(got[1]) && is.nan(got[2]))
    expect_identical(got[3:4], c(1, 0))
    f <- opencl_function(function(x, k) ifelse(is.na(x), 0, x) + k %% 3L)
    expect_identical(with_single(f(c(NA, NaN, 1.5, Inf), 4:7, device = device)), c(1, 2, 1.5, Inf))
    g <- opencl_function(function(x) x + 1)
    got <- with_single(g(c(NA, NaN, 0.5), device = device))
    expect_true(is.na(got[1]) && !is.nan(got[1]) && is.nan(got[2]) && got[3] == 1.5)
    v <- with_single(opencl_vector(c(1.5, NA, 2), device = device))
    expect_identical(as.vector(v + 1), c(2.5, NA, 3))
    pairs <- with_pairs(opencl_vector(c(1, 2, 3), device = device))
    expect_error(v + pairs, "in single precision, and others are not", class = "nmathopencl_error")
    expect_error(with_single(dnorm_opencl(1e-40, device = device)), class = "nmathopencl_range")
  }
})

test_that("functions meet their reference tables in single precision: 4 units of 2^-23 times 1 + the condition number", {
  skip_without_pairs()
  skip_on_cran()
  table <- function_table()
  table <- table[nzchar(table$table), ]
  all <- identical(Sys.getenv("NMATHOPENCL_TEST_PAIRS"), "all")
  own <- intersect(single_forms(), table$name)
  expect_gt(length(own), 20)
  others <- c("qnorm", "pgamma", "pbeta", "choose") # in pairs, and rounded
  for (device in pair_devices()) {
    for (k in match(if (all) table$name else if (device == "0") c(own, others) else c("dnorm", "dpois", "lgammafn", "pnorm"), table$name)) {
      found <- single_table(table$name[k], test_path("ref", paste0(table$table[k], ".tsv")), device, if (all) Inf else 400)
      expect(found$rows > 0 && found$worst <= 1, sprintf(
        "%s on %s in single precision: %g of 2^-21 (1 + cond) in %s", table$name[k], device_name(device), found$worst, found$where
      ))
    }
  }
})

test_that("functions of floats are right for random arguments of all sizes", {
  skip_without_pairs()
  skip_on_cran()
  set.seed(8)
  flags <- function(name) if (grepl("^d", name) && name != "digamma") list(list(log = TRUE), list(log = FALSE)) else if (grepl("^p", name)) {
    list(list(), list(lower.tail = FALSE), list(log.p = TRUE), list(lower.tail = FALSE, log.p = TRUE))
  } else list(list())
  for (name in single_forms()) {
    f <- get(paste0(name, "_opencl"), envir = asNamespace("nmathopencl"))
    for (flag in flags(name)) {
      at <- single_arguments(name, 20000)
      value <- function(at) suppressWarnings(do.call(f, c(unname(at), flag, device = "host")))
      ref <- value(at)
      cond <- 0
      for (k in seq_along(at)) {
        moved <- at
        moved[[k]] <- at[[k]] * (1 + 2^-24)
        if (grepl("^d(pois|binom|nbinom|geom)", name) && k == 1L || name == "dbinom" && k == 2L) next # whole numbers
        change <- abs(value(moved) - ref) / abs(ref) * 2^24
        cond <- cond + ifelse(is.finite(change), change, 0)
      }
      single <- with_single(suppressWarnings(do.call(f, c(unname(at), flag, device = as.integer(pair_devices()[1])))))
      error <- ifelse(cond < 2^16, pair_error(single, ref, cond, 2^-21), 0)
      worst <- which.max(error)
      expect(error[worst] <= 1, sprintf("%s(%s) %s: %g of 2^-21 (1 + cond), %.9g not %.9g", name,
        toString(vapply(at, function(x) format(x[worst], digits = 9), "")), toString(names(flag)), error[worst], single[worst], ref[worst]))
    }
  }
})

if (!whole_tests()) unoptimized_programs() # the functions before have shown what optimizing leaves of them

test_that("expressions, gradients, groups, points, loops and draws compute in single precision what they do in doubles", {
  skip_without_pairs()
  given <- cases_of_arithmetic()
  close <- function(a, b, size = abs(b)) expect_lte(max(abs(as.numeric(a) - as.numeric(b)) / pmax(as.numeric(size), 1e-3)), 2e-5)
  for (case in given$cases) {
    f <- opencl_function(case[[1]], gradient = case[[2]])
    double <- do.call(f, c(case[[3]], device = "host"))
    for (device in pair_devices()) {
      single <- with_single(do.call(f, c(case[[3]], device = device)))
      close(single, double)
      if (!is.null(case[[2]])) close(unlist(attr(single, "gradient")), unlist(attr(double, "gradient")), 1 + max(abs(unlist(attr(double, "gradient")))))
    }
  }
  by <- opencl_function(function(x) x^2, reduce = "sum")
  for (device in pair_devices()) {
    close(with_single(by(given$x, by = given$g, device = device)), tapply(given$x^2, given$g, sum))
    close(with_single(rnorm_opencl(1000, 1, 2, seed = 3, device = device)), rnorm_opencl(1000, 1, 2, seed = 3, device = "host"), 1)
    run <- with_single(run_opencl_kernel(paste0(
      "__kernel void k(__global const double* x, __global double* out, const int len)\n{\n  int i = get_global_id(0);\n  if (i >= len) return;\n",
      "  nmath_value v = x[i];\n  out[i] = sqrt(v) / 3 + pnorm(v, 0.0, 1.0, 1, 0);\n}\n"
    ), "k", columns = list(c(1, 2.5)), device = device))
    close(run, sqrt(c(1, 2.5)) / 3 + pnorm(c(1, 2.5)))
  }
})

test_that("functions with data compute in each arithmetic what a function made for it does, whichever came before", {
  skip_without_pairs()
  set.seed(8)
  y <- rnorm(40)
  g <- rep(1:4, 10)
  terms <- function(y, m) dnorm(y, m, 1.3, log = TRUE)
  one <- function(y, m) -sum(dnorm(y, m, 1.3, log = TRUE)) + var(y)
  makers <- list(
    function() opencl_function(terms, data = list(y = y)), function() opencl_function(one, data = list(y = y)),
    function() opencl_function(terms, reduce = "sum", data = list(y = y)), function() opencl_function(terms, reduce = "sum", gradient = "m", data = list(y = y)),
    function() opencl_function(one, gradient = "m", hessian = TRUE, data = list(y = y))
  )
  calls <- list(function(f) f(m = 0.7), function(f) f(m = 0.7), function(f) f(m = 0.7, by = g), function(f) f(over = list(m = c(0.7, 0.1))), function(f) f(m = 0.7))
  gradient <- function(objective) c(objective$fn(0.7), objective$gr(0.7))
  makers <- c(makers, function() as_objective(opencl_function(one, gradient = "m"), c(m = 0), data = list(y = y)))
  calls <- c(calls, gradient)
  for (device in pair_devices()) for (k in seq_along(makers)) {
    f <- makers[[k]]()
    seen <- list()
    for (arithmetic in sample(rep(c("single", "pair", "double"), 2))) {
      want <- with_pairs(calls[[k]](makers[[k]]()), device, arithmetic)
      expect_identical(with_pairs(calls[[k]](f), device, arithmetic), want, label = paste(arithmetic, "of maker", k, "on", device))
      seen[[arithmetic]] <- as.numeric(want)
    }
    expect_false(identical(seen$single, seen$double))
  }
})

test_that("sums and linear predictors of floats keep in single precision what doubles would", {
  skip_without_pairs()
  set.seed(6)
  x <- round(rnorm(2e5) * 2^12) / 2^12 # floats
  x <- c(x, -rev(x), 2^-12)
  f <- opencl_function(function(x) sum(x))
  each <- opencl_function(function(x) x, reduce = "sum")
  g <- opencl_function(function(X, b) sum((X %*% b)^2), gradient = "b")
  big <- cbind(1e4 + 1:500 / 8, -1e4 - 1:500 / 8, 1:500 / 1024)
  for (device in pair_devices()) {
    expect_lte(abs(with_single(f(x, device = device)) - sum(x)), 2^-40 * sum(abs(x)))
    by <- with_single(each(x, by = rep(1:2, length.out = length(x)), device = device))
    expect_lte(max(abs(by - tapply(x, rep(1:2, length.out = length(x)), sum))), 2^-40 * sum(abs(x)))
    b <- c(1, 1, 1)
    value <- with_single(g(big, b, device = device))
    expect_equal(as.numeric(value), sum((big %*% b)^2), tolerance = 1e-6)
    expect_equal(unname(unlist(attr(value, "gradient")))[3], sum(2 * (big %*% b) * big[, 3]), tolerance = 1e-6)
  }
})

test_that("opencl_sitrep() says which devices refuse pairs of floats, and where they are faster than doubles", {
  report <- opencl_sitrep()
  expect_true(all(c("arithmetic", "pairs_refused", "pair_speed") %in% names(report$devices)))
  skip_without_pairs()
  others <- report$devices[report$devices$index %in% setdiff(as.integer(pair_devices()), 0L), ]
  expect_true(all(others$pairs_refused == "") && all(others$pair_speed > 0))
  shown <- function(report) paste(capture.output(print(report)), collapse = " ")
  report$devices$pair_speed <- 1.5
  expect_no_match(gsub("[[:space:]]+", " ", shown(report)), "times as fast")
  report$devices$pair_speed <- 4.51
  expect_match(gsub("[[:space:]]+", " ", shown(report)), "pairs of floats are 4.5 times as fast: arithmetic = \"pair\"", fixed = TRUE)
  report$devices$pairs_refused <- "they lose digits"
  expect_match(gsub("[[:space:]]+", " ", shown(report)), "no pairs of floats (they lose digits)", fixed = TRUE)
  single <- with_single(opencl_sitrep())
  expect_match(gsub("[[:space:]]+", " ", shown(single)), "single precision")
})

test_that("the table of forms of floats names functions of the package, and each form is there", {
  forms <- read.delim(system.file("spec", "single.tsv", package = "nmathopencl", mustWork = TRUE))
  expect_true(all(forms$name %in% function_table()$name))
  text <- unlist(lapply(list.files(system.file("cl", "single", package = "nmathopencl"), "[.]cl$", full.names = TRUE), readLines))
  expect_true(all(vapply(forms$form, function(form) any(startsWith(text, paste0("NMATH_FN float ", form, "("))), NA)))
  skip_without_pairs()
  set.seed(9)
  device <- as.integer(pair_devices()[1])
  for (name in forms$name) { # which is what runs: a pair that is rounded is another float here and there
    at <- unname(single_arguments(name, 5000))
    f <- get(paste0(name, "_opencl"), envir = asNamespace("nmathopencl"))
    run <- function() suppressWarnings(do.call(f, c(at, device = device)))
    expect(any(with_single(run()) != as_float(with_pairs(run())), na.rm = TRUE), paste(name, "is computed in pairs"))
  }
})

test_that("grids of generalized linear models compute in pairs, also where single precision is asked for", {
  skip_without_pairs()
  set.seed(2)
  n <- 300
  X <- cbind(1, rnorm(n), rnorm(n))
  eta <- X %*% c(0.3, 0.2, -0.1)
  grid <- matrix(rnorm(60, 0, 0.2), 3)
  models <- list(
    list("poisson", "log", rpois(n, exp(eta))), list("binomial", "logit", rbinom(n, 1, plogis(eta))), list("binomial", "probit", rbinom(n, 1, 0.5)),
    list("binomial", "cloglog", rbinom(n, 1, 0.4)), list("Gamma", "log", rgamma(n, 2, 2 / exp(eta))), list("gaussian", "identity", rnorm(n, eta))
  )
  for (model in models) {
    run <- function(device) f2_f3_opencl(model[[1]], model[[2]], grid, model[[3]], X, rep(0, 3), diag(3), rep(0, n), rep(1, n), device = device, fallback = "error")
    double <- run("host")
    for (device in pair_devices()) for (with in list(with_pairs, with_single)) {
      got <- with(run(device))
      expect_equal(got$qf, double$qf, tolerance = 2^-40)
      expect_equal(got$grad, double$grad, tolerance = 2^-40)
    }
  }
})

test_that("a fit with a gradient is within a hundredth of a standard error of that in doubles, and in pairs within 1e-6", {
  skip_without_pairs()
  skip_on_cran()
  set.seed(5)
  X <- cbind(1, matrix(rnorm(2000), 1000))
  y <- rpois(1000, exp(X %*% c(0.5, 0.2, -0.1)))
  loss <- opencl_function(function(y, X, b) -sum(dpois(y, exp(X %*% b), log = TRUE)), gradient = "b")
  device <- as.integer(pair_devices()[1])
  slope <- function(p) unlist(attr(loss(y, X, p, device = device), "gradient"), use.names = FALSE)
  fit <- function() stats::optim(c(0, 0, 0), function(p) as.numeric(loss(y, X, p, device = device)), slope, method = "BFGS", hessian = TRUE)
  double <- fit()
  error <- sqrt(diag(solve(double$hessian)))
  expect_lt(max(abs(with_single(fit())$par - double$par) / error), 1e-2)
  expect_lt(max(abs(with_pairs(fit())$par - double$par) / error), 1e-6)
})
