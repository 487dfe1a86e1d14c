# helper-glm -- the GLM grid in plain vectorised R, from stats alone, and random problems for it.

# The rows of inst/spec/glm.tsv. Its last four columns are R expressions for the tests: weights (l1 of them), responses (of
# their `mean` and `wt`), the log-likelihood of an observation with all its constants and its derivative with respect to eta,
# everything that can be on the log scale, so that they hold far out in the tails.
glm_table <- function() {
  path <- system.file("spec", "glm.tsv", package = "nmathopencl", mustWork = TRUE)
  read.delim(path, colClasses = "character", quote = "", na.strings = character())
}

glm_row <- function(family, link) {
  table <- glm_table()
  table[table$family == family & table$link == link, ]
}

# Log-likelihoods and their derivatives with respect to eta, l1 x m1 each. The expressions have y, wt, eta, the mean m of a
# logarithmic link, numbers of trials n and successes k, and times(), where 0 times infinity is 0.
plain_glm_terms <- function(family, link, eta, y, wt) {
  row <- glm_row(family, link)
  here <- list(y = y, wt = wt, eta = eta, m = exp(eta), n = round(wt), k = round(y * wt))
  here$times <- function(count, value) {
    product <- count * value
    product[rep_len(count == 0, length(value))] <- 0
    product
  }
  value_of <- function(text) eval(parse(text = text, keep.source = FALSE), here, asNamespace("stats"))
  list(value = value_of(row$log_likelihood), slope = value_of(row$score))
}

# f2_f3_opencl's value: list(qf, grad).
plain_f2_f3 <- function(family, link, b, y, x, mu, P, alpha, wt) {
  mu <- as.vector(mu)
  used <- wt > 0
  x <- x[used, , drop = FALSE]
  eta <- x %*% b + alpha[used]
  terms <- lapply(plain_glm_terms(family, link, eta, y[used], wt[used]), array, dim(eta))
  from_prior <- P %*% (b - mu)
  list(
    qf = 0.5 * colSums((b - mu) * from_prior) - colSums(terms$value),
    grad = t(from_prior - crossprod(x, terms$slope))
  )
}

# Arguments of f2_f3_opencl for a random problem: coefficients scattered around those that made the data, moderate eta,
# every kind of weight the family knows, some of them 0.
random_glm_problem <- function(family, link, l1, l2, m1) {
  x <- matrix(rnorm(l1 * l2), l1, l2)
  x[, 1] <- 1
  truth <- rnorm(l2) / sqrt(l2)
  alpha <- rnorm(l1, sd = 0.2)
  eta <- as.vector(x %*% truth) + alpha
  row <- glm_row(family, link)
  value_of <- function(text, ...) eval(parse(text = text, keep.source = FALSE), list(l1 = l1, ...), asNamespace("stats"))
  weights <- value_of(row$simulate_wt)
  if (l1 > 3) weights[sample(l1, 1)] <- 0
  y <- value_of(row$simulate_y, wt = weights, mean = stats::make.link(link)$linkinv(eta))
  root <- matrix(rnorm(l2 * l2), l2, l2) / sqrt(l2)
  list(
    family = family, link = link,
    b = truth + matrix(rnorm(l2 * m1, sd = 0.5 / sqrt(l2)), l2, m1),
    y = y, x = x, mu = rnorm(l2, sd = 0.3), P = crossprod(root) + diag(l2), alpha = alpha, wt = weights
  )
}

# Largest difference over the largest size, for qf and grad: single entries pass through 0, where no computation in
# doubles keeps relative digits.
glm_relative_error <- function(got, want) {
  vapply(c("qf", "grad"), function(part) max(abs(got[[part]] - want[[part]])) / max(abs(want[[part]])), 0)
}
