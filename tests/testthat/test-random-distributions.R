# Every generator follows its distribution, draws are independent. On the host device: test-random.R shows that the others
# give the same draws.

of_stats <- function(kind, of, arguments) {
  f <- getExportedValue("stats", paste0(kind, of))
  function(x) do.call(f, c(list(x), arguments))
}

label_of <- function(name, arguments) {
  paste0(name, "(", paste(names(arguments), unlist(arguments), sep = if (is.null(names(arguments))) "" else "=", collapse = ", "), ")")
}

test_that("continuous draws follow their distribution", {
  skip_on_cran() # a matter of seconds
  for (name in names(continuous_draws)) {
    case <- continuous_draws[[name]]
    for (arguments in case$sets) {
      x <- draw_seeded(42, name, 1e5, arguments)
      expect_true(all(is.finite(x)), label = label_of(name, arguments))
      expect_gt(ks_p_value(x, of_stats("p", case$of, arguments)), random_type_1, label = label_of(name, arguments))
    }
  }
})

test_that("discrete draws, and mixed ones, follow their distribution", {
  for (name in names(discrete_draws)) {
    case <- discrete_draws[[name]]
    for (arguments in case$sets) {
      x <- draw_seeded(42, name, 1e5, arguments)
      p <- cells_p_value(x, of_stats("p", case$of, arguments), of_stats("q", case$of, arguments))
      expect_gt(p, random_type_1, label = label_of(name, arguments))
    }
  }
})

test_that("the test itself tells distributions apart", {
  x <- draw_seeded(42, "norm_rand", 1e5, list())
  expect_lt(ks_p_value(x + 0.04, pnorm), random_type_1)
  expect_lt(ks_p_value(1.05 * x, pnorm), random_type_1)
  expect_lt(cells_p_value(x + 0.03, pnorm, qnorm), random_type_1)
  k <- draw_seeded(42, "rgeom", 1e5, list(0.5))
  expect_lt(cells_p_value(k + (seq_along(k) %% 50 == 0), function(x) pgeom(x, 0.5), function(p) qgeom(p, 0.5)), random_type_1)
})

# Two-sided p value of a mean of n numbers of mean 0 and variance 1.
mean_p_value <- function(z) 2 * pnorm(-abs(mean(z)) * sqrt(length(z)))

test_that("moments of the standard draws are right", {
  n <- 1e6
  u <- draw_seeded(1, "unif_rand", n, list())
  expect_gt(mean_p_value((u - 0.5) * sqrt(12)), random_type_1)
  expect_gt(mean_p_value(((u - 0.5)^2 - 1 / 12) * sqrt(180)), random_type_1)
  z <- draw_seeded(2, "norm_rand", n, list())
  expect_gt(mean_p_value(z), random_type_1)
  expect_gt(mean_p_value((z^2 - 1) / sqrt(2)), random_type_1)
  expect_gt(mean_p_value(z^3 / sqrt(15)), random_type_1)
  expect_gt(mean_p_value((z^4 - 3) / sqrt(96)), random_type_1)
  e <- draw_seeded(3, "exp_rand", n, list())
  expect_gt(mean_p_value(e - 1), random_type_1)
  expect_gt(mean_p_value((e^2 - 2) / sqrt(20)), random_type_1)
})

test_that("every bit of a uniform draw is a fair coin", {
  u <- draw_seeded(4, "unif_rand", 2e5, list())
  for (k in 1:52) {
    u <- 2 * u
    bit <- u >= 1
    u <- u - bit
    expect_gt(mean_p_value(2 * bit - 1), random_type_1, label = paste("bit", k))
  }
  expect_true(all(u == 0.5))
})

test_that("successive draws, and the draws of two calls, are independent", {
  n <- 5e5
  set.seed(5)
  z <- draw("norm_rand", n, list())
  other <- draw("norm_rand", n, list())
  for (lag in c(1, 2, 3, 4, 16, 64, 256, 8192)) {
    expect_gt(mean_p_value(z[-seq_len(lag)] * z[seq_len(n - lag)]), random_type_1, label = paste("lag", lag))
  }
  expect_gt(mean_p_value(z * other), random_type_1)
  expect_gt(mean_p_value(z[-1] * other[-n]), random_type_1)
  # Pairs fill the square, triples the cube.
  u <- draw("unif_rand", n, list())
  cell <- function(x, of) floor(x * of)
  pairs <- tabulate(1 + cell(u[seq(1, n, 2)], 32) * 32 + cell(u[seq(2, n, 2)], 32), 1024)
  expect_gt(chisq.test(pairs)$p.value, random_type_1)
  triples <- matrix(u[seq_len(n - n %% 3)], 3)
  cubes <- tabulate(1 + cell(triples[1, ], 10) * 100 + cell(triples[2, ], 10) * 10 + cell(triples[3, ], 10), 1000)
  expect_gt(chisq.test(cubes)$p.value, random_type_1)
})

test_that("streams of neighbouring seeds and of neighbouring draws are unrelated", {
  of_seed <- function(low) random_cpp("norm_rand", 2e5, list(), c(0, low), "host", NULL)$value
  streams <- lapply(0:4, of_seed)
  for (k in 2:5) expect_gt(mean_p_value(streams[[1]] * streams[[k]]), random_type_1, label = paste("seed", k))
  # The first draw of 1e5 calls whose seeds are 1, 2, ...
  first <- vapply(1:20000, function(low) random_cpp("unif_rand", 1, list(), c(0, low), "host", NULL)$value, 0)
  expect_gt(ks_p_value(first, punif), random_type_1)
  expect_gt(mean_p_value((first[-1] - 0.5) * (first[-20000] - 0.5) * 12), random_type_1)
})

test_that("whole numbers are equally likely", {
  for (dn in c(1, 2, 3, 10, 52, 1000)) {
    x <- draw_seeded(6, "r_unif_index", 1e5, list(dn))
    expect_true(all(x == trunc(x) & x >= 0 & x < dn))
    if (dn > 1) expect_gt(chisq.test(tabulate(x + 1, dn))$p.value, random_type_1, label = paste("dn", dn))
  }
  # Where a uniform times dn would miss numbers or favour some.
  x <- draw_seeded(7, "r_unif_index", 1e5, list(2^53))
  expect_true(all(x == trunc(x) & x >= 0 & x < 2^53))
  expect_gt(mean_p_value(2 * (x %% 2) - 1), random_type_1)
  expect_gt(ks_p_value(x / 2^53, punif), random_type_1)
  expect_identical(draw_seeded(6, "r_unif_index", 4, list(c(0, -1, 2.5, 1))) <= c(0, 0, 2, 0), rep(TRUE, 4))
})
