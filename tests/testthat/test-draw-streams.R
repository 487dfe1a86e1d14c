# seed and first: a part of a vector of draws by itself.

draw_functions <- list(
  rnorm = function(n, ...) rnorm_opencl(n, ...), rgamma = function(n, ...) rgamma_opencl(n, 0.7, ...),
  rbinom = function(n, ...) rbinom_opencl(n, 50, 0.3, ...), rwilcox = function(n, ...) rwilcox_opencl(n, 5, 6, ...),
  exp_rand = function(n, ...) exp_rand_opencl(n, ...), unif_index = function(n, ...) r_unif_index_opencl(n, 1000, ...),
  rchisq = function(n, ...) rchisq_opencl(n, 2, ncp = 1.5, ...), rnbinom = function(n, ...) rnbinom_opencl(n, 3, mu = 4, ...)
)

test_that("draws from any number on are those of the whole stream", {
  for (device in test_devices()) {
    for (name in names(draw_functions)) {
      f <- draw_functions[[name]]
      whole <- f(1001, seed = 42, device = device)
      for (first in c(1, 2, 501, 1001)) {
        part <- f(min(100, 1002 - first), seed = 42, first = first, device = device)
        expect_identical(part, whole[seq(first, length.out = length(part))], label = paste(name, first))
      }
    }
  }
})

test_that("columns of counts are numbered too", {
  whole <- rmultinom_opencl(50, 20, c(1, 2, 3), seed = 9)
  parts <- cbind(rmultinom_opencl(17, 20, 1:3, seed = 9), rmultinom_opencl(33, 20, 1:3, seed = 9, first = 18))
  expect_identical(parts, whole)
})

test_that("keys decide, and R's generator is left alone", {
  set.seed(1)
  before <- .Random.seed
  a <- rnorm_opencl(10, seed = 1)
  expect_identical(.Random.seed, before)
  expect_identical(rnorm_opencl(10, seed = 1), a)
  keys <- c(0, 1, 2, 2^32, 2^32 + 1, 2^53)
  draws <- vapply(keys, function(key) rnorm_opencl(1, seed = key), 0)
  expect_identical(anyDuplicated(draws), 0L)
  set.seed(1)
  b <- rnorm_opencl(10, first = 4)
  expect_false(identical(.Random.seed, before))
  set.seed(1)
  expect_identical(rnorm_opencl(13)[4:13], b)
  far <- 2^40
  expect_identical(rnorm_opencl(5, seed = 1, first = far)[3:5], rnorm_opencl(3, seed = 1, first = far + 2))
})

test_that("parameters are recycled over the draws of the call", {
  z <- rnorm_opencl(7, seed = 3)
  expect_equal(rnorm_opencl(6, mean = c(0, 10), seed = 3, first = 2), z[2:7] + c(0, 10))
})

test_that("what is not a key or number is an error", {
  refused <- function(...) expect_error(rnorm_opencl(3, ...), class = "nmathopencl_error")
  for (seed in list(-1, 1.5, NA, c(1, 2), "1", 2^54, Inf, factor(1))) refused(seed = seed)
  for (first in list(0, 1.5, NA, c(1, 2), "1", 2^53, Inf, NULL)) refused(first = first)
  expect_error(rmultinom_opencl(3, 4, 1:2, seed = -1), class = "nmathopencl_error")
  expect_error(rnbinom_opencl(3, 4, mu = 2, first = 0), class = "nmathopencl_error")
})

test_that("resident draws are the same", {
  for (device in opencl_test_devices()) {
    kept <- rpois_opencl(1000, 1:3, seed = 6, first = 8, device = device, keep = TRUE)
    expect_identical(as.vector(kept), rpois_opencl(1000, 1:3, seed = 6, first = 8, device = device))
  }
})

test_that("draws with parameters of length one are quantiles of their random words", {
  laws <- list(
    gamma = list(3, 2), gamma = list(1.2), chisq = list(5), beta = list(2, 3), beta = list(0.9, 60), f = list(5, 7), t = list(5)
  )
  for (device in test_devices()) {
    u <- unif_rand_opencl(5000, seed = 7, device = device)
    for (k in seq_along(laws)) {
      law <- names(laws)[k]
      f <- function(letter) get(paste0(letter, law), asNamespace("stats"))
      x <- do.call(paste0("r", law, "_opencl"), c(5000, laws[[k]], list(seed = 7, device = device)))
      lower <- do.call(f("q"), c(list(pmin(u, 0.5)), laws[[k]]))
      upper <- do.call(f("q"), c(list(pmax(u - 0.5, 1e-9)), laws[[k]], lower.tail = FALSE))
      expect_equal(x, ifelse(u < 0.5, lower, upper), tolerance = 1e-9, label = paste(law, device))
      # vectors of the same parameters: the law's own sampler, other draws of the same distribution
      own <- do.call(paste0("r", law, "_opencl"), c(5000, lapply(laws[[k]], rep, 2), list(seed = 7, device = device)))
      expect_false(identical(own, x))
      expect_gt(suppressWarnings(stats::ks.test(own, x))$p.value, 1e-4)
    }
  }
})

test_that("draws by inversion and normal ones do not ask whether a parameter is one number or a vector", {
  rims <- list(
    runif = list(c(-1, 2), c(3, 3), c(-1e308, 1e308), c(2, 1), c(-Inf, 0), c(NaN, 1), c(0, NA)),
    rnorm = list(c(1, 2), c(5, 0), c(Inf, 1), c(-Inf, 0), c(0, -1), c(0, Inf), c(NaN, 1), c(1, NA)),
    rlogis = list(c(1, 2), c(5, 0), c(Inf, 1), c(1, -2), c(0, Inf), c(NaN, 1)),
    rcauchy = list(c(1, 2), c(5, 0), c(-Inf, 1), c(1, -2), c(0, Inf), c(NaN, 1)),
    rlnorm = list(c(1, 2), c(2, 0), c(0, -1)), rweibull = list(c(2, 3), c(-1, 0), c(Inf, 1), c(0, 1), c(1, -1), c(NaN, 1)),
    rexp = list(2, Inf, 0, -1, NaN), rgeom = list(0.3, 1, 0, -1, 1e-300, NaN)
  )
  n <- 301
  for (device in test_devices()) {
    for (name in names(rims)) {
      ours <- get(paste0(name, "_opencl"))
      for (parameters in rims[[name]]) {
        draw <- function(values) suppressWarnings(do.call(ours, c(list(n), values, list(seed = 5, first = 2, device = device))))
        one <- draw(as.list(parameters))
        expect_identical(one, draw(lapply(parameters, rep_len, n)), label = paste(name, deparse1(parameters), device))
        # where R's draws are all the same, or none, so are ours; but R's range of a uniform distribution may overflow
        theirs <- suppressWarnings(do.call(get(name, asNamespace("stats")), c(list(20), as.list(parameters))))
        overflown <- any(is.infinite(theirs)) && all(is.finite(parameters))
        if (length(unique(theirs)) == 1L && !overflown) {
          expect_equal(unique(one), unique(theirs), label = paste(name, deparse1(parameters), device))
        } else {
          expect_gt(length(unique(one)), if (name == "rgeom") 3L else 290L)
        }
      }
    }
  }
})
