# What holds of numbers exactly: signs of zeros, bits of symmetric distributions, counts that come back, products beyond the doubles.
skip_on_cran() # half a minute

each_device <- function(check) {
  for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    check(device)
  }
}

negative_zero <- function(x) !is.na(x) & x == 0 & 1 / x < 0

test_that("a probability of 0 is not a negative zero, and negative zeros among arguments are zeros", {
  x <- c(0, 5e-324, 1e-300, 0.3, 1, 25, 1e5, 1e300)
  pairs <- expand.grid(x = x, a = x[-1], b = x[-1])
  each_device(function(device) {
    for (lower in c(TRUE, FALSE)) {
      values <- suppressWarnings(list(
        pgamma = pgamma_opencl(pairs$x, pairs$a, pairs$b, lower.tail = lower), pchisq = pchisq_opencl(pairs$x, pairs$a, lower.tail = lower),
        pbeta = pbeta_opencl(pairs$x, pairs$a, pairs$b, lower.tail = lower), pf = pf_opencl(pairs$x, pairs$a, pairs$b, lower.tail = lower),
        pt = pt_opencl(c(-1, 1) * pairs$x, pairs$a, lower.tail = lower)
      ))
      for (name in names(values)) expect_false(any(negative_zero(values[[name]])), label = paste(name, lower))
    }
    expect_identical(qcauchy_opencl(c(-0, 0)), c(-Inf, -Inf))
    expect_identical(qcauchy_opencl(-0, 1, 2, lower.tail = FALSE), Inf)
    expect_identical(qchisq_opencl(c(0.7, 0.7), c(-0, 0), ncp = 3)[1], qchisq_opencl(0.7, 0, ncp = 3))
    expect_equal(qchisq_opencl(0.7, -0, ncp = 3), 3.877709, tolerance = 1e-6)
    expect_false(negative_zero(qunif_opencl(0, -0, 1)))
    expect_false(negative_zero(dpois_opencl(0, 0, log = TRUE)))
  })
})

test_that("of symmetric distributions one tail at x and the other at -x are the same bits", {
  x <- c(0, 5e-324, 10^seq(-300, -3, by = 11), seq(0.01, 41, by = 0.37), 1e3, 1e200)
  tails <- list(
    pnorm = list(function(x, s) pnorm(-x, 0, s), function(x, s) pnorm(x, 0, s, lower.tail = FALSE)),
    plogis = list(function(x, s) plogis(-x, 0, s), function(x, s) plogis(x, 0, s, lower.tail = FALSE)),
    pcauchy = list(function(x, s) pcauchy(-x, 0, s), function(x, s) pcauchy(x, 0, s, lower.tail = FALSE)),
    pt = list(function(x, s) pt(-x, s), function(x, s) pt(x, s, lower.tail = FALSE))
  )
  each_device(function(device) {
    for (name in names(tails)) {
      p <- get(paste0(name, "_opencl"), asNamespace("nmathopencl"))
      for (scale in c(1, 1.7)) {
        parameters <- if (name == "pt") list(scale) else list(0, scale)
        for (log_p in c(TRUE, FALSE)) {
          for (at in list(parameters, lapply(parameters, rep, length(x)))) { # the constant-parameter form, and the general one
            expect_identical(
              do.call(p, c(list(-x), at, log.p = log_p)), do.call(p, c(list(x), at, lower.tail = FALSE, log.p = log_p)),
              label = paste(name, scale, log_p, length(at[[1]]))
            )
          }
        }
      }
      below <- opencl_function(tails[[name]][[1]])
      beyond <- opencl_function(tails[[name]][[2]])
      for (some in list(x, x[x < 30])) expect_identical(below(some, 1.7), beyond(some, 1.7), label = name)
    }
    standard <- opencl_function(function(x) pnorm(-x) - pnorm(x, lower.tail = FALSE))
    expect_identical(unique(standard(x)), 0)
  })
})

test_that("a beta density with two shapes of 1 is 1", {
  x <- c(0, 5e-324, 0.1, 0.3, 0.77, 1 - 2^-53, 1)
  each_device(function(device) {
    expect_identical(dbeta_opencl(x, 1, 1), rep(1, 7))
    expect_identical(dbeta_opencl(x, rep(1, 7), 1, log = TRUE), rep(0, 7))
    expect_identical(dbeta_opencl(c(-1, 2), 1, 1), c(0, 0))
    expect_identical(opencl_function(function(x, a) dbeta(x, a, a))(x, 1), rep(1, 7))
  })
})

# Families with parameters and all counts of their support, or what is near it.
counted <- list(
  list("hyper", 0:50, 50, 100, 60), list("hyper", 0:500, 1000, 2000, 500), list("hyper", 0:85, 85, 85, 100), list("hyper", 0:400, 400, 400, 400),
  list("hyper", 0:20, 20, 30000, 100), list("wilcox", 0:2000, 40, 50), list("wilcox", 0:120, 10, 12), list("wilcox", 500:1000, 200, 5),
  list("signrank", 0:1275, 50), list("signrank", 0:1830, 60), list("geom", 0:2000, 0.3), list("geom", 2500:3600, 0.01), list("geom", 0:400, 0.9),
  list("geom", seq(0, 4e5, by = 401), 1e-4), list("binom", 0:1000, 1000, 0.01), list("binom", 1400:2000, 2000, 0.97), list("pois", 0:1300, 300),
  list("pois", 0:180, 1), list("nbinom", 0:500, 50, 0.9)
)

test_that("discrete quantiles give back every count whose probability differs from that of the count below", {
  each_device(function(device) {
    # of devices that take seconds to build a search: what is built fast
    families <- vapply(counted, `[[`, "", 1L)
    rows <- if (device == "0") counted else counted[!duplicated(families) & families %in% c("hyper", "geom", "pois")]
    for (row in rows) {
      p <- get(paste0("p", row[[1]], "_opencl"), asNamespace("nmathopencl"))
      q <- get(paste0("q", row[[1]], "_opencl"), asNamespace("nmathopencl"))
      k <- row[[2]]
      for (lower in c(TRUE, FALSE)) {
        for (log_p in c(TRUE, FALSE)) {
          asked <- c(row[-(1:2)], lower.tail = lower, log.p = log_p)
          at <- do.call(p, c(list(k), asked))
          all <- if (lower) if (log_p) 0 else 1 else if (log_p) -Inf else 0
          apart <- at != do.call(p, c(list(k - 1), asked)) & at != all
          wrong <- which(apart & suppressWarnings(do.call(q, c(list(at), asked))) != k)
          expect_identical(k[wrong], k[0], label = paste(c(row[[1]], unlist(asked)), collapse = " "))
        }
      }
    }
    # R's tolerance, where that is the nearer count
    near <- 1 + 2^-52 * c(-3, 0, 1, 3)
    expect_identical(qhyper_opencl(phyper_opencl(2, 5, 7, 4) * near, 5, 7, 4), rep(2, 4))
    expect_identical(qwilcox_opencl(pwilcox_opencl(100, 10, 12) * near, 10, 12), rep(100, 4))
    expect_identical(qgeom_opencl(pgeom_opencl(5, 0.3) * (1 + c(0, 1e-16, 1e-14)), 0.3), rep(5, 3))
    expect_identical(qgeom_opencl(0.9, 1e-320), Inf)
    expect_identical(qhyper_opencl(-Inf, 2, 2, 2, log.p = TRUE), 0)
    expect_identical(qhyper_opencl(-Inf, 2, 2, 2, lower.tail = FALSE, log.p = TRUE), 2)
  })
})

test_that("products leave the range of doubles only where the whole product does", {
  factors <- list(
    c(1e200, 1e200, 1e-300), c(1e-200, 1e-200, 1e300), c(-1e308, 1e308, 1e-308), rep(c(5e-324, 1e300, 1e23), 50), c(1e308, 1e308), c(-1e-200, 1e-200),
    c(1e-308, 1e-3, 1.7, 3), c(0, Inf), c(Inf, -2), c(1e200, NaN, 1e200), c(1e200, NA, 1e200), numeric(), c(rep(1e150, 30), rep(1e-150, 30))
  )
  each_device(function(device) {
    product <- opencl_function(function(x) x * 1, reduce = "prod")
    for (x in factors) {
      expect_equal(product(x), prod(x), tolerance = 1e-12)
      expect_identical(is.nan(product(x)), is.nan(prod(x)))
    }
    expect_equal(product(c(1e200, 1e200, 1e-300, 2), by = c(1L, 1L, 1L, 2L)), c("1" = 1e100, "2" = 2), tolerance = 1e-14)
    expect_equal(prod(opencl_vector(c(1e200, 1e200, 1e-300))), 1e100, tolerance = 1e-14)
  })
})

test_that("zero-length results keep attributes where the running R's do", {
  empty <- list(matrix(0, 0, 2, dimnames = list(NULL, c("a", "b"))), structure(numeric(), names = character()), numeric())
  for (x in empty) {
    for (other in list(1, c(a = 1), matrix(1, 1, 1), numeric())) {
      expect_identical(attributes(dnorm_opencl(x, other)), attributes(stats::dnorm(x, other)))
      expect_identical(attributes(pgamma_opencl(x, other)), attributes(stats::pgamma(x, other)))
      expect_identical(attributes(phyper_opencl(x, other, 1, 1)), attributes(stats::phyper(x, other, 1, 1)))
      expect_identical(attributes(dt_opencl(x, other)), attributes(stats::dt(x, other)))
      expect_identical(attributes(dnorm_opencl(other, x)), attributes(stats::dnorm(other, x)))
      expect_identical(attributes(besselJ_opencl(x, other)), attributes(besselJ(x, other)))
    }
  }
})

test_that("one trial has the probabilities and logarithms of its outcome", {
  set.seed(8)
  p <- c(10^stats::runif(500, -320, 0), 1 - 10^stats::runif(500, -16, 0), stats::runif(500), 0, 5e-324, 2^-53, 0.5, 1 - 2^-53, 1)
  close <- function(x, y) all(x == y | abs(x - y) <= 2 * .Machine$double.eps * abs(y))
  each_device(function(device) {
    expect_identical(dbinom_opencl(1, 1, p), p)
    expect_identical(dbinom_opencl(0, 1, p), 1 - p)
    expect_true(close(dbinom_opencl(1, 1, p, log = TRUE), log(p)))
    expect_true(close(dbinom_opencl(0, 1, p, log = TRUE), log1p(-p)))
    expect_identical(dbinom_opencl(c(-1, 2, NA, 1), 1, 0.25), c(0, 0, NA, 0.25))
    slope <- opencl_function(function(u, x) sum(dbinom(x, 1, plogis(u), log = TRUE)), gradient = "u")
    for (u in c(-800, -700, -30, -1e-9, 0, 0.3, 36, 37, 400, 700)) {
      expect_true(close(attr(slope(u, 1), "gradient")[[1]], stats::plogis(-u)), info = u)
      expect_true(close(attr(slope(u, 0), "gradient")[[1]], -stats::plogis(u)), info = u)
    }
  })
})
