# One vector of parameters whose length changes from call to call: values and gradients are those of a new function.

unoptimized_programs()

test_that("parts of a vector of parameters are those of its length at each call", {
  skip_on_cran() # a matter of seconds
  functions <- list(
    function(x, par) -sum(dnorm(x, par[1], exp(par[2]), log = TRUE)),
    function(x, par) -sum(dnorm(x, par[1], 1, log = TRUE)) - sum(par[-1]^2),
    function(x, par) sum(x * par[1]) + sum(exp(tail(par, 2))),
    function(x, par) sum(x * par[length(par)]) + sum(par[2:length(par)]),
    function(x, par) {
      b <- par[-1]
      sum(dnorm(x, b[1], exp(b[length(b)])))
    },
    function(x, par) {
      v <- rev(par)
      d <- diff(par)
      sum(x * v[1]) + v[2] + sum(d^2)
    },
    function(x, par) {
      w <- c(par[-1], 0)
      sum(x * w[1]) + sum(w^3)
    },
    function(x, par) sum(x) + par[1] * par[2],
    function(x, par) sum(x * cumsum(par)[2])
  )
  x <- c(1, 2, 4, 5, 3)
  calls <- list(list(x, c(1, 2)), list(x, c(1, 2, 3)), list(x, c(1, 2, 3, 4)), list(x[1:3], c(0.1, 0.2, 0.3)), list(c(x, x), c(0.5, 0.2, 0.3, 0.1, 0.3)))
  for (device in c(expression_devices(), "plain")) {
    withr_options(list(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler")), environment())
    where <- if (device == "plain") "host" else device
    for (f in functions) {
      new <- function() opencl_function(f, gradient = "par")
      alone <- lapply(calls, function(args) new()(args[[1]], args[[2]], device = where))
      for (k in seq_along(calls)) {
        args <- calls[[k]]
        expect_equal(as.vector(alone[[k]]), as.vector(f(args[[1]], args[[2]])), tolerance = 1e-12)
        expect_length(attr(alone[[k]], "gradient"), length(args[[2]]))
      }
      g <- new() # knows all of them after the first round
      for (k in c(1:5, 5:1, 3, 1, 4, 2, 5)) {
        args <- calls[[k]]
        expect_identical(g(args[[1]], args[[2]], device = where), alone[[k]], info = paste(device, deparse1(body(f)), k))
      }
    }
  }
})
