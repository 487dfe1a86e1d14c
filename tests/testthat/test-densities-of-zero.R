# Where a density has underflowed to 0, its derivatives are 0, also where those of its logarithm are beyond the numbers.

unoptimized_programs()
far <- c(1e-300, 1e-200, 1e-160, 1e-120, 1e-101, 1e-50, 1e-10, 0.3, 1, 2.5, 1e3, 1e10, 1e50, 1e101, 1e120, 1e160, 1e200, 1e300)
densities <- list(
  function(x, a, b) dnorm(x, a - 1, b), function(x, a, b) dlnorm(x, a - 1, b), function(x, a, b) dcauchy(x, a - 1, b),
  function(x, a, b) dlogis(x, a - 1, b), function(x, a, b) dgamma(x, a, rate = b), function(x, a, b) dgamma(x, a, scale = b),
  function(x, a, b) dweibull(x, a, b), function(x, a, b) df(x, a, b), function(x, a, b) dt(x, b), function(x, a, b) dchisq(x, b),
  function(x, a, b) dexp(x, b), function(x, a, b) dbeta(ifelse(x < 1, x, 0.75), a, b), function(x, a, b) dpois(3, a) + dpois(3, b) + dpois(3, x),
  function(x, a, b) dnbinom(3, size = a, mu = b) * x, function(x, a, b) dunif(x, -a, b)
)

test_that("no derivative of a density that is 0 is missing", {
  points <- expand.grid(x = far, a = far, b = far)
  on_each_device(function(device) for (f in densities) {
    names <- intersect(c("x", "a", "b"), all.vars(body(f)))
    ours <- do.call(opencl_function(f, gradient = names), c(points, device = device))
    slopes <- attr(ours, "gradient")[as.vector(ours) %in% 0, ]
    expect_identical(sum(is.nan(slopes)), 0L, label = deparse1(body(f)))
  })
})

test_that("slopes in tiny scales are those of the limit", {
  f <- function(x, m, s) dnorm(x, m, s)
  s <- 10^-(80:160)
  on_each_device(function(device) {
    made <- opencl_function(f, gradient = c("x", "m", "s"))
    ours <- made(1, 0, s, device = device)
    expect_identical(unname(attr(ours, "gradient")), matrix(0, length(s), 3L))
    whole <- opencl_function(function(x, s) sum(dnorm(x, 0, s) + dlnorm(x, 0, s)), gradient = "s", hessian = TRUE)
    ours <- whole(c(2, 3), 1e-120, device = device)
    expect_identical(as.vector(ours), 0)
    expect_identical(unname(attr(ours, "gradient")), 0)
    expect_identical(c(unname(attr(ours, "hessian"))), 0)
    expect_true(all(is.nan(attr(made(NaN, 0, 1e-120, device = device), "gradient"))))
  })
})
