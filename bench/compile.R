# compile.R -- seconds from an R function to the text of its kernel, no compiler of a driver included.
#   Rscript bench/compile.R
suppressMessages(library(nmathopencl))
options(nmathopencl.compiler = FALSE)
functions <- list(
  sum = list(function(x) x + 1, NULL, list(c(1, 2))),
  gamma = list(function(x, a, b) dgamma(x, a, rate = b, log = TRUE), c("a", "b"), list(c(1, 2, 3), 2, 3)),
  mixture = list(function(x, p, m, s) log(p * dnorm(x, 0, 1) + (1 - p) * dnorm(x, m, s)), c("p", "m", "s"), list(c(1, 2, 3), 0.4, 1, 2)),
  logistic = list(function(b, X, y) {
    eta <- X %*% b
    y * eta - log1p(exp(eta))
  }, "b", list(c(0.1, 0.2, 0.3), cbind(1, 1:10, 0.5), rep(c(0, 1), 5)))
)
one <- function(case) {
  f <- opencl_function(case[[1L]], reduce = "sum", gradient = case[[2L]])
  inputs <- stats::setNames(case[[3L]], names(formals(case[[1L]])))
  expression <- attr(f, "expression")
  inputs <- inputs[vapply(expression$inputs, function(input) input$name, "")]
  system.time(nmathopencl:::find_variant(expression, inputs, nmathopencl:::expression_key_cpp(inputs)))[["elapsed"]]
}
for (name in names(functions)) {
  one(functions[[name]])
  cat(name, "\t", format(mean(replicate(20L, one(functions[[name]]))), digits = 2), "\n", sep = "")
}
