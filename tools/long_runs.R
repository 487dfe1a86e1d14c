# long_runs.R -- vignettes/long_runs.tsv: posterior means and standard deviations that vignette("many-chains") compares with, by R alone.
#
#   Rscript tools/long_runs.R          (two minutes)
#
# Logistic regression: a long run of random walk Metropolis, 500 chains of 20,000 draws each after 2,000; the errors are those between
# chains. Random intercepts: for given standard deviations the model is a linear one with normal effects, whose moments are known; these
# are averaged over the posterior density of the two standard deviations on a grid, which leaves no error worth telling.
files <- if (dir.exists("vignettes")) "." else stop("run it in the root of the package's source")
set.seed(1)

logistic <- function(chains = 500L, warmup = 2000L, draws = 20000L) {
  standard <- scale(datasets::infert[c("spontaneous", "induced", "age", "parity")])
  X <- cbind(intercept = 1, standard)
  y <- datasets::infert$case
  log_posterior <- function(b) {
    eta <- tcrossprod(b, X)
    drop(eta %*% y) - rowSums(log1p(exp(eta))) - rowSums(b^2) / (2 * 2.5^2)
  }
  fit <- stats::glm(y ~ X - 1, stats::binomial())
  root <- chol(stats::vcov(fit)) * 2.4 / sqrt(ncol(X))
  k <- ncol(X)
  b <- matrix(stats::coef(fit), chains, k, byrow = TRUE) + matrix(stats::rnorm(chains * k), chains) %*% root
  at <- log_posterior(b)
  sum1 <- sum2 <- matrix(0, chains, k)
  for (i in seq_len(warmup + draws)) {
    new <- b + matrix(stats::rnorm(chains * k), chains) %*% root
    there <- log_posterior(new)
    taken <- log(stats::runif(chains)) < there - at
    b[taken, ] <- new[taken, ]
    at[taken] <- there[taken]
    if (i > warmup) {
      sum1 <- sum1 + b
      sum2 <- sum2 + b^2
    }
  }
  mean <- colMeans(sum1) / draws
  square <- sum2 / draws - 2 * sum1 / draws * rep(mean, each = chains) + rep(mean^2, each = chains) # around the mean of all
  sd <- sqrt(colMeans(square))
  error <- function(x) apply(x, 2, stats::sd) / sqrt(chains)
  data.frame(
    model = "logistic regression", parameter = colnames(X), mean = mean, sd = sd, mean_error = error(sum1 / draws),
    sd_error = error(square) / (2 * sd)
  )
}

intercepts <- function(points = 200L) {
  source(file.path(files, "inst", "gallery", "gallery.R"), local = TRUE)
  data <- gallery(file.path(files, "inst", "gallery"))[["Random intercepts, penalized"]]$data
  g <- as.integer(data$g)
  X <- cbind(1, data$x, outer(g, seq_len(max(g)), "=="))
  n <- nrow(X)
  levels <- max(g)
  XX <- crossprod(X)
  Xy <- drop(crossprod(X, data$y))
  grid <- expand.grid(log_sd = seq(-0.7, 0.7, length.out = points), log_sd_u = seq(-6, 3, length.out = points))
  moments <- vapply(seq_len(nrow(grid)), function(i) {
    s <- exp(grid$log_sd[i])
    s_u <- exp(grid$log_sd_u[i])
    root <- chol(XX / s^2 + diag(rep(c(0, 1 / s_u^2), c(2, levels))))
    inverse <- chol2inv(root)
    m <- drop(inverse %*% Xy) / s^2
    density <- -n * log(s) - levels * log(s_u) - sum(log(diag(root))) - (sum(data$y^2) - sum(m * Xy)) / (2 * s^2) -
      grid$log_sd[i]^2 / 2 - grid$log_sd_u[i]^2 / 2
    c(density, m, diag(inverse) + m^2)
  }, numeric(1 + 2 * ncol(X)))
  weight <- exp(moments[1L, ] - max(moments[1L, ]))
  weight <- weight / sum(weight)
  stopifnot(max(weight[grid$log_sd %in% range(grid$log_sd) | grid$log_sd_u %in% range(grid$log_sd_u)]) < 1e-6 * max(weight))
  average <- function(x) drop(x %*% weight)
  first <- moments[1L + seq_len(ncol(X)), ]
  second <- moments[1L + ncol(X) + seq_len(ncol(X)), ]
  both <- t(grid)
  mean <- c(average(first), average(both))
  sd <- sqrt(c(average(second), average(both^2)) - mean^2)
  data.frame(
    model = "random intercepts", parameter = c("b1", "b2", paste0("u", seq_len(levels)), "log_sd", "log_sd_u"), mean = mean, sd = sd,
    mean_error = 0, sd_error = 0
  )
}

found <- rbind(logistic(), intercepts())
numbers <- vapply(found, is.numeric, NA)
found[numbers] <- lapply(found[numbers], signif, 6)
utils::write.table(found, file.path(files, "vignettes", "long_runs.tsv"), sep = "\t", quote = FALSE, row.names = FALSE)
