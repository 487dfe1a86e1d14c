# forms.R -- what the form of a model costs: a two-parameter logistic model of items, whose abilities are integrated out by 21 nodes; 500 persons,
# 30 items, 60 parameters.
#
#   Rscript bench/forms.R DEVICE
#
# Prints for each form the least of nine: milliseconds of a value and its gradient at a new point, and of R's value alone.
suppressPackageStartupMessages(library(nmathopencl))
device <- commandArgs(TRUE)[1L]

set.seed(5)
persons <- 500
items <- 30
ability <- rnorm(persons)
slope <- exp(rnorm(items, 0, 0.3))
difficulty <- rnorm(items)
Y <- matrix(rbinom(persons * items, 1, plogis(sweep(outer(ability, difficulty, "-"), 2, slope, "*"))), persons)
# Nodes and weights of Gauss and Hermite for a standard normal distribution, by the eigenvalues of a tridiagonal matrix.
off <- sqrt(1:20)
tridiagonal <- matrix(0, 21, 21)
tridiagonal[cbind(1:20, 2:21)] <- tridiagonal[cbind(2:21, 1:20)] <- off
found <- eigen(tridiagonal, TRUE)
nodes <- found$values
w <- found$vectors[1, ]^2

forms <- list(
  "added up in the loop" = function(par) {
    a <- exp(par[1:30])
    d <- par[31:60]
    likelihood <- 0
    for (k in 1:21) {
      eta <- a * nodes[k] + d
      likelihood <- likelihood + w[k] * exp(drop(Y %*% eta) - sum(log1p(exp(eta))))
    }
    -sum(log(likelihood))
  },
  "matrices by outer()" = function(par) {
    eta <- outer(nodes, exp(par[1:30])) + rep(par[31:60], each = 21)
    L <- Y %*% t(plogis(eta, log.p = TRUE)) + (1 - Y) %*% t(plogis(-eta, log.p = TRUE))
    -sum(log(exp(L) %*% w))
  },
  "a matrix filled by columns" = function(par) {
    a <- exp(par[1:30])
    d <- par[31:60]
    L <- matrix(0, nrow(Y), length(nodes))
    for (k in seq_along(nodes)) {
      eta <- a * nodes[k] + d
      L[, k] <- Y %*% plogis(eta, log.p = TRUE) + (1 - Y) %*% plogis(-eta, log.p = TRUE)
    }
    -sum(log(exp(L) %*% w))
  }
)

start <- seq(-0.3, 0.3, length.out = 60)
milliseconds <- function(call) {
  took <- vapply(1:9, function(i) system.time(for (j in 1:10) call(start + i / 1000 + j / 1e5))[["elapsed"]], 0)
  1000 * min(took) / 10
}

cat("form\tgradient_ms\tr_value_ms\n")
for (name in names(forms)) {
  f <- opencl_function(forms[[name]], gradient = "par", data = list(Y = Y, nodes = nodes, w = w))
  objective <- as_objective(f, list(par = start), negative = FALSE, device = device)
  stopifnot(isTRUE(all.equal(objective$fn(start), forms[[name]](start), tolerance = 1e-12)))
  ours <- milliseconds(function(p) {
    objective$fn(p)
    objective$gr(p)
  })
  cat(name, format(ours, digits = 2), format(milliseconds(forms[[name]]), digits = 2), sep = "\t")
  cat("\n")
}
