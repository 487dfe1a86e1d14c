# glmbayes_families [CLIENT] -- glmbayes, or glmbayesCore, computes its six kernels with this package's nmath: EnvelopeEval() on OpenCL
# against its own processor path. Needs CLIENT, built with OpenCL, beside nmathopencl; run_glmbayes.sh makes that.

client <- c(commandArgs(TRUE), "glmbayes")[1L]
suppressPackageStartupMessages(library(client, character.only = TRUE))
built_with_opencl <- getExportedValue(client, if (client == "glmbayesCore") "glmbayesCore_has_opencl" else "has_opencl")
if (!built_with_opencl()) stop(client, " was built without OpenCL")
set.seed(1)

# Like what the sampler hands over, with linear predictors within 1.5 of 0: far out glmbayes' own 1 - exp(-exp(eta)) of the
# processor path loses the digits that are compared here.
problem <- function(family, link, observations = 60L, coefficients = 4L, points = 81L) {
  x <- cbind(1, matrix(stats::runif(observations * (coefficients - 1L), -1, 1), observations))
  beta <- stats::runif(coefficients, -0.2, 0.2)
  alpha <- stats::runif(observations, -0.1, 0.1)
  eta <- as.vector(x %*% beta) + alpha
  mean <- stats::make.link(link)$linkinv(eta)
  wt <- switch(family, binomial = sample(1:30, observations, TRUE), Gamma = stats::runif(observations, 0.5, 20),
    gaussian = stats::runif(observations, 0.2, 5), rep(1, observations)
  )
  y <- switch(family,
    binomial = stats::rbinom(observations, wt, mean) / wt, poisson = stats::rpois(observations, mean),
    Gamma = stats::rgamma(observations, wt, wt / mean), gaussian = stats::rnorm(observations, mean, 1 / sqrt(wt))
  )
  root <- matrix(stats::rnorm(coefficients^2), coefficients) / 2
  list(
    G4 = beta + matrix(stats::runif(coefficients * points, -0.15, 0.15), coefficients), y = as.double(y), x = x,
    mu = matrix(stats::rnorm(coefficients) / 4), P = crossprod(root) + diag(coefficients), alpha = alpha,
    wt = as.double(wt), family = family, link = link
  )
}

families <- rbind(
  c("binomial", "logit"), c("binomial", "probit"), c("binomial", "cloglog"), c("poisson", "log"), c("Gamma", "log"),
  c("gaussian", "identity")
)
worst <- vapply(seq_len(nrow(families)), function(k) {
  given <- problem(families[k, 1L], families[k, 2L])
  opencl <- do.call(EnvelopeEval, c(given, use_opencl = TRUE))
  processor <- do.call(EnvelopeEval, c(given, use_opencl = FALSE))
  # Zeros are what the client returns where it did not compute.
  if (all(opencl$NegLL == 0) || !all(is.finite(processor$NegLL))) return(Inf)
  max(vapply(c("NegLL", "cbars"), function(part) {
    max(abs(opencl[[part]] - processor[[part]])) / max(abs(processor[[part]]))
  }, 0))
}, 0)
print(data.frame(family = families[, 1L], link = families[, 2L], relative_difference = signif(worst, 3)))
if (!all(worst < 1e-10)) stop(client, " on OpenCL differs from its processor path")
cat(client, ": six families agree to 1e-10\n", sep = "")
