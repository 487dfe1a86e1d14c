# Hazards of the non-central distributions, for parameters from all over the doubles, are the quotient of density and tail where that
# can be formed.

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
