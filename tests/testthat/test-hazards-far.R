# Hazards of the non-central distributions, for parameters from all over the doubles, are the quotient of density and tail where that
# can be formed.
unoptimized_programs()

test_that("hazards are density over tail", {
  set.seed(5)
  n <- 4000
  far <- function() 10^ifelse(runif(n) < 0.5, runif(n, -100, 100), rnorm(n))
  signs <- function(x) x * sample(c(-1, 1), n, TRUE)
  hazard <- function(name, ...) nmathopencl:::elementwise_cpp(name, lapply(list(...), as.double), integer(), "host", NULL)$value
  lower <- sample(c(TRUE, FALSE), n, TRUE)
  check <- function(name, density, distribution, ...) {
    found <- hazard(name, ..., lower)
    expect_false(any(is.nan(found) | found < 0), info = name)
    tail <- ifelse(lower, distribution(..., device = "host"), distribution(..., lower.tail = FALSE, device = "host"))
    quotient <- density(..., device = "host") / tail
    known <- tail > 1e-290 & quotient * tail > 1e-290 & quotient < 1e290
    expect_gt(sum(known), n / 10)
    expect_lt(max(abs(found / quotient - 1)[known]), 1e-11)
  }
  check("pnchisq_hazard", dnchisq_opencl, pnchisq_opencl, far(), far(), far())
  check("pnbeta_hazard", dnbeta_opencl, pnbeta_opencl, ifelse(runif(n) < 0.5, runif(n), 10^runif(n, -200, 0)), far(), far(), far())
  check("pnf_hazard", dnf_opencl, pnf_opencl, far(), far(), far(), far())
  check("pnt_hazard", dnt_opencl, pnt_opencl, signs(far()), far(), signs(far()))
})

# Where some parameters are huge and others tiny, a limit law says what the derivative of a log tail is.
test_that("gradients of log tails are right where products of parameters are out of range", {
  check <- function(f, gradient, value, ...) {
    for (device in expression_devices()) {
      found <- c(attr(opencl_function(f, gradient = gradient)(..., device = device), "gradient"))
      expect_equal(found, value, tolerance = 1e-13, info = paste(deparse1(body(f)), device))
    }
  }
  t_lower <- function(q, n, d) pt(q, n, d, log.p = TRUE)
  t_upper <- function(q, n, d) pt(q, n, d, lower.tail = FALSE, log.p = TRUE)
  check(t_upper, "d", 9.123e151, 2.447e215, 6.109e-125, -9.123e151) # S is next to 0: T > 0 where Z > -d
  check(t_lower, "d", -sqrt(2 / pi), 4.134e299, 2.533e-197, -1.427e-56)
  check(t_lower, "q", 9.2958e76, 3.2339e-268, 2.954e269, 9.2958e76) # the hazard of a normal distribution
  check(t_upper, "q", -9.625e-29 / 6.7523e236, 6.7523e236, 9.625e-29, -9.147e135) # Q(d) times a power of t
  y <- 2.9364e-306 / 2 * (1.9365e81 / 20.207)^2 # T < q where S > d/q, a tail that is proportional to E1(y)
  check(t_lower, "q", -2 / (20.207 * (log(y) - digamma(1))), 20.207, 2.9364e-306, 1.9365e81)
  f_lower <- function(q, m, n, d) pf(q, m, n, d, log.p = TRUE)
  f_upper <- function(q, m, n, d) pf(q, m, n, d, lower.tail = FALSE, log.p = TRUE)
  check(f_upper, "q", -5.46e-147 / 2 / 2.69, 2.69, 2.76e255, 5.46e-147, 8.97e-150) # q^-(n/2)
  check(f_lower, "d", -0.5, 3.257e-234, 6.979e180, 5.857, 7.505e-33) # of the Poisson weights the first alone is left
  check(function(q, m, n) pf(q, m, n, log.p = TRUE), "q", 1.6957e-227 / 2 / 1.6942, 1.6942, 1.6957e-227, 3.3355e-294)
  check(function(q, a, b, d) pbeta(q, a, b, d, lower.tail = FALSE, log.p = TRUE), "q", -9.6112e191 / 0.5, 0.5, 6.2336e-138, 9.6112e191, 3.8195e-251)
  check(function(q, a, b, d) pbeta(q, a, b, d, log.p = TRUE), "d", -0.5, 1.274e-241, 1.401e159, 4.414, 4.797e-177)
  check(function(q, a, b, d) dbeta(q, a, b, d, log = TRUE), "d", 0.5 * (sqrt(0.5 * 5e279 / 0.855e124) - 0.5), 0.5, 0.688, 5e279, 1.71e124)
  check(function(q, n, d) pchisq(q, n, d, log.p = TRUE), "d", -0.5, 1.68e-222, 9.978e257, 1.466)
  check(function(q, a, s) pgamma(q, a, scale = s, log.p = TRUE), "s", -1.512e231 / 6.698e253, 4.45e-291, 1.512e231, 6.698e253)
  check(function(q, a, s) pgamma(q, a, scale = s, lower.tail = FALSE, log.p = TRUE), "q", 0, 3.6329e-175, 8.1791e302, 8.9524e248)
  check(function(q, n, d) dt(q, n, d, log = TRUE), "d", -3.9228e-232 * 4.1177e237 / 9.7649e141 / 9.7649e141, 9.7649e141, 3.9228e-232, 4.1177e237)
})

test_that("no gradient of a log tail is NaN for parameters from the whole range of doubles", {
  set.seed(6)
  n <- 20000
  far <- function() 10^runif(n, -307, 307)
  signs <- function(x) x * sample(c(-1, 1), n, TRUE)
  x01 <- ifelse(runif(n) < 0.5, runif(n), 10^runif(n, -307, 0))
  none <- function(...) for (name in c(...)) {
    arguments <- c(switch(sub("_.*", "", name), pgamma = , pnchisq = , pf = list(far(), far(), far()), pt = list(signs(far()), far()),
                          pbeta = list(x01, far(), far()), pnbeta = list(x01, far(), far(), far()), pnf = list(far(), far(), far(), far()),
                          pnt = list(signs(far()), far(), signs(far()))), list(as.double(runif(n) < 0.5)))
    found <- nmathopencl:::elementwise_cpp(name, arguments, integer(), "host", NULL)$value
    expect_false(any(is.nan(found) | found < 0), info = name)
  }
  none("pgamma_hazard", "pbeta_hazard", "pf_hazard", "pt_hazard", "pnchisq_hazard", "pnbeta_hazard", "pnf_hazard", "pnt_hazard",
       "pgamma_slope", "pnchisq_slope", "pnbeta_slope", "pnf_slope", "pnt_slope")
})

test_that("densities of F far out, and upper tails of counts beyond 1e154, have slopes of their limits", {
  for (device in compiling_devices()) {
    density <- opencl_function(function(x, df1, df2) df(x, df1, df2, log = TRUE), gradient = "x")
    far <- function(x, df1, df2) attr(density(x, df1, df2, device = device), "gradient")[[1]]
    # of t = df1 x/df2 beyond the doubles, -(df2 + 2)/(2 x)
    expect_equal(far(1.5375899548553024e53, 1.8857354654778748e276, 1.7656072614046128e-146), -1 / 1.5375899548553024e53, tolerance = 1e-13)
    expect_equal(far(4.4156781414976602e194, 5.4185740612267681e194, 0.8149), -2.8149 / 2 / 4.4156781414976602e194, tolerance = 1e-13)
    expect_equal(far(0, 2, 5), -1.4, tolerance = 1e-15)
    tail <- opencl_function(function(q, size, mu) pnbinom_mu(q, size, mu, lower.tail = FALSE, log.p = TRUE), gradient = "mu")
    for (size in c(62.5, 2e-10)) {
      for (q in 10^c(30, 153, 155, 200, 276)) { # q (1/mu - 1/(mu + size)) where the tail is all but nothing
        mu <- size / 1e10
        expect_equal(attr(tail(q, size, mu, device = device), "gradient")[[1]], q / mu * (size / (mu + size)), tolerance = 1e-12, info = paste(device, size, q))
      }
    }
  }
})
