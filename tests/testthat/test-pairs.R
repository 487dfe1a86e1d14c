# Pairs of floats in the place of doubles (?pairs_of_floats), on devices that have doubles, too: what they compute is compared.
unoptimized_programs()

test_that("arithmetic is chosen by the option and by set_opencl_device(), and told", {
  on.exit(set_opencl_device("auto"))
  expect_identical(opencl_devices()$arithmetic[1], "double")
  skip_without_pairs()
  expect_true(all(opencl_devices()$arithmetic[opencl_devices()$fp64] == "double"))
  all <- with_pairs(opencl_devices())
  expect_true(all(all$arithmetic[all$index %in% as.integer(pair_devices())] == "pair"))
  expect_true(all(is.na(opencl_devices(probe = FALSE)$arithmetic[-1])))
  x <- c(-1.5, 0.1, 2)
  double <- pnorm_opencl(x, device = "host")
  expect_identical(set_opencl_device(as.integer(pair_devices()[1]), arithmetic = "pair"), "auto")
  pair <- pnorm_opencl(x)
  expect_false(identical(pair, double))
  expect_equal(pair, double, tolerance = 2^-40)
  expect_identical(with_arithmetic_option("double", pnorm_opencl(x, device = "host")), pair) # the choice goes before
  was <- set_opencl_device("host")
  expect_match(was, "[|]pair$")
  expect_identical(pnorm_opencl(x), double)
  set_opencl_device(was)
  expect_identical(pnorm_opencl(x), pair)
  expect_identical(set_opencl_device("auto"), was)
  for (wrong in list("half", NA, 2, c("pair", "double"))) {
    expect_error(set_opencl_device("host", arithmetic = wrong), "arithmetic", class = "nmathopencl_error")
    expect_error(with_arithmetic_option(wrong, pnorm_opencl(1, device = "host")), "arithmetic", class = "nmathopencl_error")
  }
  expect_identical(pnorm_opencl(x, device = "host"), double) # a choice that fails changes nothing
})

test_that("numbers travel as pairs and come back: missing ones, infinite ones, integers, all digits that a pair has", {
  skip_without_pairs()
  set.seed(4)
  exact <- c(NA, NaN, Inf, -Inf, 0, -0, 2^100, -2^-100, 2^-140, 1:3 / 4, round(rnorm(1000) * 2^40) / 2^40)
  for (device in pair_devices()) {
    v <- with_pairs(opencl_vector(exact, device = device))
    expect_identical(as.vector(v), exact)
    expect_identical(is.na(as.vector(v)) & !is.nan(as.vector(v)), is.na(exact) & !is.nan(exact))
    expect_identical(1 / as.vector(v)[6], -Inf)
    expect_identical(as.vector(with_pairs(opencl_vector(c(NA, 1:5), device = device))), c(NA, 1:5))
    got <- with_pairs(pnorm_opencl(c(NA, NaN, Inf, 0), device = device))
    expect_identical(is.nan(got), c(FALSE, TRUE, FALSE, FALSE))
    expect_equal(got[3:4], c(1, 0.5), tolerance = 2^-40)
    expect_identical(with_pairs(dpois_opencl(c(NA, 2L), 3L, device = device))[1], NA_real_)
    expect_equal(with_pairs(dpois_opencl(c(NA, 2L), 3L, device = device))[2], dpois(2, 3), tolerance = 2^-40)
    long <- rnorm(3e5)
    expect_equal(with_pairs(plogis_opencl(long, device = device)), plogis(long), tolerance = 2^-40)
  }
})

test_that("numbers beyond the range are an error of their own class, or the host's affair", {
  skip_without_pairs()
  for (device in pair_devices()) {
    for (beyond in list(1e-40, 1e31, -1e200, c(1, 3e-31, 2), 4.9e-324)) {
      expect_error(with_pairs(pnorm_opencl(beyond, device = device)), "beyond what pairs", class = "nmathopencl_range")
      expect_error(with_pairs(dnorm_opencl(0, sd = beyond, device = device)), class = "nmathopencl_range")
      expect_error(with_pairs(opencl_vector(beyond, device = device)), class = "nmathopencl_range")
    }
    expect_warning(got <- with_pairs(pnorm_opencl(c(-1, 1e-40), device = device, fallback = TRUE)), "repeated on the host")
    expect_identical(got, pnorm_opencl(c(-1, 1e-40), device = "host"))
    f <- opencl_function(function(x, s) sum(dnorm(x, 0, s, log = TRUE)))
    expect_error(with_pairs(f(c(1, 2), 1e-40, device = device)), class = "nmathopencl_range")
    expect_equal(with_pairs(dnorm_opencl(40, log = TRUE, device = device)), dnorm(40, log = TRUE), tolerance = 2^-40)
    expect_identical(with_pairs(dnorm_opencl(40, device = device)), 0)
  }
})

test_that("what cannot be done with pairs is told", {
  skip_without_pairs()
  kernel <- function(body, of = "double") {
    paste0(
      "__kernel void k(__global const ", of, "* x, __global double* out, const int len)\n{\n  int i = get_global_id(0);\n  if (i >= len) return;\n",
      body, "\n}\n"
    )
  }
  for (device in pair_devices()) {
    run <- function(body, ...) with_pairs(run_opencl_kernel(kernel(body, ...), "k", columns = list(c(1, 2.5)), device = device))
    expect_equal(run("  out[i] = sqrt(x[i]) / 3 + pnorm(x[i], 0.0, 1.0, 1, 0);"), sqrt(c(1, 2.5)) / 3 + pnorm(c(1, 2.5)), tolerance = 2^-40)
    expect_error(run("  out[i] = fmax(x[i], 1e-300);"), "5: the number 1e-300 is beyond", class = "nmathopencl_error")
    expect_error(run("  out[i] = x[i].x;", of = "double2"), "vectors of doubles cannot be translated", class = "nmathopencl_error")
    expect_error(with_pairs(kernel_bundle(kernel("  out[i] = x[i];"), device = device)), "kernel bundles.*Use run_opencl_kernel\\(\\)", class = "nmathopencl_error")
    doubles <- opencl_vector(c(1, 2), device = device)
    pairs <- with_pairs(opencl_vector(c(1, 2), device = device))
    expect_error(doubles + pairs, "of doubles and of pairs of floats", class = "nmathopencl_error")
    expect_equal(as.vector(with_pairs(doubles + 0.1)), c(1.1, 2.1), tolerance = 1e-15) # a vector's numbers are what they were
    expect_identical(as.vector(pairs + 1), c(2, 3))
  }
})

test_that("expressions, their gradients, groups, points and loops compute in pairs what they do in doubles", {
  skip_without_pairs()
  given <- cases_of_arithmetic()
  close <- function(a, b) expect_equal(as.numeric(a), as.numeric(b), tolerance = 2^-38)
  for (case in given$cases) {
    f <- opencl_function(case[[1]], gradient = case[[2]])
    double <- do.call(f, c(case[[3]], device = "host"))
    for (device in pair_devices()) {
      pair <- with_pairs(do.call(f, c(case[[3]], device = device)))
      close(pair, double)
      if (!is.null(case[[2]])) close(unlist(attr(pair, "gradient")), unlist(attr(double, "gradient")))
    }
  }
  by <- opencl_function(function(x) x^2, reduce = "sum")
  for (device in pair_devices()) close(with_pairs(by(given$x, by = given$g, device = device)), tapply(given$x^2, given$g, sum))
})

test_that("sums of terms that cancel are right to 2^-44 of their sizes", {
  skip_without_pairs()
  set.seed(6)
  x <- round(rnorm(2e5) * 2^20) / 2^20 # whose sums are exact in doubles
  x <- c(x, -rev(x), 2^-20)
  f <- opencl_function(function(x) sum(x))
  for (device in pair_devices()) expect_lte(abs(with_pairs(f(x, device = device)) - sum(x)), 2^-44 * sum(abs(x)))
})

test_that("draws in pairs are those in doubles, rounded", {
  skip_without_pairs()
  draws <- list(
    function(...) rnorm_opencl(3000, 1, 2, ...), function(...) rexp_opencl(3000, 2, ...), function(...) rgamma_opencl(3000, 2.5, 1.5, ...),
    function(...) rpois_opencl(3000, 12.5, ...), function(...) rbinom_opencl(3000, 40, 0.3, ...), function(...) rbeta_opencl(3000, 0.7, 2, ...)
  )
  for (device in pair_devices()) {
    for (draw in draws) {
      double <- draw(device = "host", seed = 1)
      expect_lt(max(abs(with_pairs(draw(device = device, seed = 1)) - double) / (1 + abs(double))), 2^-33)
      expect_lt(max(abs(as.vector(with_pairs(draw(device = device, seed = 1, keep = TRUE))) - double) / (1 + abs(double))), 2^-33)
    }
  }
})

test_that("lower tails of the non-central t distribution keep their digits where the mixture's weights are near the smallest floats", {
  skip_without_pairs()
  skip_on_cran()
  set.seed(3)
  n <- 50000 # one in 20,000 was wrong by a factor of 40, at few degrees of freedom and ncp just above 11
  at <- list(exp(runif(n, -2, 5)), exp(runif(n, -2, 8)), runif(n, 8, 15))
  value <- function(at) do.call(pt_opencl, c(at, device = "host"))
  double <- value(at)
  cond <- 0
  for (k in 1:3) {
    moved <- at
    moved[[k]] <- at[[k]] * (1 + 2^-30)
    cond <- cond + abs(value(moved) - double) / double * 2^30
  }
  in_range <- double > 1e-28
  expect_gt(sum(in_range & at[[3]] > 12 & at[[3]] < 13), 200)
  for (device in pair_devices()[1]) {
    pair <- with_pairs(do.call(pt_opencl, c(at, device = as.integer(device))))
    expect_lte(max((abs(pair - double) / double / (1 + cond))[in_range]), 2^-40)
  }
})

test_that("random arguments give in pairs what they give in doubles, far out in the tails too", {
  skip_without_pairs()
  skip_on_cran()
  set.seed(7)
  n <- 1000
  wide <- function(lo, hi) exp(runif(n, lo, hi))
  cases <- list(
    list(pf_opencl, list(wide(-3, 13), wide(-1, 5), wide(0, 10), wide(-2, 4))), # non-central: a mixture's sum leaves the range
    list(pt_opencl, list(wide(0, 6), wide(0, 14), runif(n, -5, 10))),
    list(pgamma_opencl, list(wide(-20, 20), wide(-20, 20))), list(pbeta_opencl, list(runif(n), wide(-20, 10), wide(-20, 10))),
    list(pnorm_opencl, list(wide(-20, 20), wide(-5, 5), wide(-5, 5)))
  )
  for (case in cases) {
    run <- function(at, device) suppressWarnings(do.call(case[[1]], c(at, lower.tail = FALSE, log.p = TRUE, device = device)))
    double <- run(case[[2]], "host")
    moved <- 0
    for (k in seq_along(case[[2]])) {
      at <- case[[2]]
      at[[k]] <- at[[k]] * (1 + 2^-40)
      moved <- pmax(moved, abs(run(at, "host") - double), na.rm = TRUE)
    }
    for (device in pair_devices()[1]) {
      pair <- with_pairs(run(case[[2]], device))
      same <- abs(pair - double) <= 64 * moved + 2^-38 * abs(double) + 2^-126 | (is.nan(pair) & is.nan(double)) | pair == double
      bad <- which(!(same %in% TRUE))
      expect(length(bad) == 0, paste(
        length(bad), "of", n, "differ; first:", toString(vapply(case[[2]], function(x) format(x[bad[1]], digits = 17), "")), "pair", pair[bad[1]],
        "double", double[bad[1]]
      ))
    }
  }
})

test_that("both tails of gamma and beta distributions are right to a quarter of the bar in pairs, by whichever way they are computed", {
  skip_without_pairs()
  skip_on_cran()
  set.seed(9)
  n <- 2000
  wide <- function(lo, hi) exp(runif(n, lo, hi))
  near <- function(mean, deviation) abs(ifelse(runif(n) < 0.7, mean + deviation * rnorm(n, 0, 4), mean * wide(-5, 3)))
  a <- wide(-5, 13)
  b <- wide(-5, 13)
  x <- near(a, sqrt(a))
  share <- pmin(near(a / (a + b), sqrt(a * b / (a + b)^3)), 1 - 2^-20)
  as_pair <- function(x) as_float(x) + as_float(x - as_float(x))
  cases <- list(pgamma = list(pgamma_opencl, lapply(list(x, a), as_pair)), pbeta = list(pbeta_opencl, lapply(list(share, a, b), as_pair)))
  for (name in names(cases)) for (lower in c(TRUE, FALSE)) for (log in c(TRUE, FALSE)) {
    run <- function(at, device) suppressWarnings(do.call(cases[[name]][[1]], c(at, lower.tail = lower, log.p = log, device = device)))
    at <- cases[[name]][[2]]
    double <- run(at, "host")
    condition <- 0
    for (k in seq_along(at)) {
      moved <- at
      moved[[k]] <- at[[k]] * (1 + 2^-24)
      change <- abs(run(moved, "host") - double) / abs(double) * 2^24
      condition <- condition + ifelse(is.finite(change), change, 0)
    }
    pair <- with_pairs(run(at, pair_devices()[1]))
    rows <- which(is.finite(double) & abs(double) > 2^-100 & condition < 2^38)
    error <- pair_error(pair, double, condition)[rows]
    worst <- rows[which.max(error)]
    expect(length(rows) > 1000 && max(error) <= 0.25, sprintf(
      "%s lower.tail = %s log.p = %s: %g of 2^-40 (1 + cond) in %s: %.17g not %.17g", name, lower, log, max(error),
      toString(vapply(at, function(x) format(x[worst], digits = 17), "")), pair[worst], double[worst]
    ))
  }
})
