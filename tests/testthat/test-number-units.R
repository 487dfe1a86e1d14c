# Constant-parameter forms where they leave the bar of the reference tables first: values by mpmath, at 60 digits.

test_that("masses far above a small mean, and next to large sizes, are right to 8 eps (1 + cond)", {
  known <- read.delim(test_path("ref", "far_masses.tsv"), colClasses = "character")
  known[-1] <- lapply(known[-1], as.numeric)
  expect_gt(nrow(known), 20)
  for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    pois <- opencl_function(function(x, l) dpois(x, l))
    binom <- opencl_function(function(x, n, p) dbinom(x, n, p))
    for (k in seq_len(nrow(known))) {
      row <- known[k, ]
      x <- rep(row$x, 2)
      values <- if (row$name == "dpois") {
        c(pois(x, row$b), dpois_opencl(x, row$b), dpois_opencl(x, rep(row$b, 2)))
      } else {
        c(binom(x, row$a, row$b), dbinom_opencl(x, row$a, row$b), dbinom_opencl(x, row$a, rep(row$b, 2)))
      }
      expect_true(all(abs(values / row$ref - 1) <= 8 * .Machine$double.eps * (1 + row$cond)), label = paste(unlist(row), collapse = " "))
    }
  }
})

test_that("subnormal densities of constant parameters are those of the general form", {
  skip_on_cran() # a matter of seconds
  old <- options(nmathopencl.device = "host")
  on.exit(options(old))
  set.seed(7)
  found <- 0L
  as_one(for (k in 1:300) {
    shape <- 10^runif(1, -1.2, 7)
    scale <- 10^runif(1, -5, 5)
    mean <- shape * scale
    x <- c(mean * 10^-runif(60, 0, min(300, 300 / shape * 3 + 20)), mean * (1 + 10^runif(60, -3, 4) / sqrt(shape)))
    y <- c(10^-runif(60, 0, 60), 10^-runif(60, 0, 300 / shape + 3))
    b <- 10^runif(1, -1.2, 7.9)
    for (pair in list(
      list(dgamma_opencl(x, shape, scale = scale), dgamma_opencl(x, rep(shape, 120), scale = scale)),
      list(dchisq_opencl(x, shape), dchisq_opencl(x, rep(shape, 120))),
      list(dbeta_opencl(y, shape, b), dbeta_opencl(y, rep(shape, 120), b))
    )) {
      small <- pair[[2]] < .Machine$double.xmin & pair[[2]] > 0
      found <- found + sum(small)
      expect_true(all(abs(pair[[1]] - pair[[2]])[small] <= 4 * 2^-1074))
    }
  })
  expect_gt(found, 200L)
  expect_equal(dgamma_opencl(rep(1.2752818631283583e-34, 2), 11.8, scale = 1.0001e-5), rep(3.55e-315, 2), tolerance = 1e-2)
  expect_equal(dbeta_opencl(rep(1.7305298146128767e-37, 2), 11.8, 9e7), rep(2.771073e-311, 2), tolerance = 1e-6)
})
