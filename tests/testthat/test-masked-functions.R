# A function that masks one of R's after an expression was made is the one that the next call calls, as in R.

unoptimized_programs()

# Each: a body, the name that is masked, and what masks it.
masks <- list(
  list(function(y, m) sum((exp(y) - m)^2), "exp", function(x) x),
  list(function(y, m) sum(dnorm(y, m, log = TRUE)), "dnorm", function(x, mean, log) -(x - mean)^4),
  list(function(y, m) sum(y^2) - m, "sum", function(x) 2 * x[1]),
  list(function(y, m) mean(y) * m, "mean", function(x) x[2]),
  list(function(y, m) {
    s <- m
    for (t in 1:20) s <- 0.5 * s + tanh(y[1])
    s
  }, "tanh", function(x) x / 2),
  list(function(y, m) sum(y %*% y) * m, "%*%", function(a, b) a + b)
)

test_that("masks made between two calls are called by the second, and R's functions again once they are gone", {
  y <- c(0.3, 1.2, -0.4, 2)
  for (case in masks) {
    scope <- new.env(parent = globalenv())
    f <- case[[1L]]
    environment(f) <- scope
    ours <- opencl_function(f, gradient = "m")
    placed <- opencl_function(f, gradient = "m", data = list(y = y))
    label <- deparse1(body(f))
    on_each_device(function(device) {
      same <- function() {
        for (m in c(0.2, 0.7)) {
          expect_equal(as.vector(ours(y, m, device = device)), as.vector(f(y, m)), tolerance = 1e-12, label = label)
          expect_equal(as.vector(placed(m = m, device = device)), as.vector(f(y, m)), tolerance = 1e-12, label = label)
          expect_equal(as.vector(placed(over = list(m = c(m, 1)), device = device)), c(f(y, m), f(y, 1)), tolerance = 1e-12, label = label)
        }
      }
      same()
      assign(case[[2L]], `environment<-`(case[[3L]], scope), scope)
      same()
      assign(case[[2L]], 3, scope) # a variable, which calls do not see
      same()
      rm(list = case[[2L]], envir = scope)
      same()
    })
  }
})
