# What users of glm() ask a fit for besides coefficients: residuals, deviance, weights, simulated responses.

#' Residuals, deviance and simulated responses of models on a grid
#'
#' They mean what they mean for \code{\link[stats]{glm}}, with the mode of the posterior for the estimate: under a weak prior
#' the values are nearly those of \code{glm}. (\code{\link[=predict.opencl_glm_grid]{fitted}} has posterior means of the
#' response instead.)
#'
#' @param object,fit,formula an object of class \code{opencl_glm_grid}.
#' @param type of residuals and weights, as \code{\link[stats]{residuals.glm}} and \code{\link[stats]{weights.glm}} have
#'   them; \code{"partial"} residuals there are none.
#' @param nsim number of simulated data sets.
#' @param seed as for \code{\link[stats]{simulate}}.
#' @param scale,k as for \code{\link[stats]{extractAIC}}; \code{scale} has to be 0.
#' @param ... not used.
#' @return \code{residuals}: a vector, with \code{NA} where \code{na.exclude} left a row out. \code{deviance}: a number,
#'   \code{df.residual}: the observations whose weight is not 0 less the rank of the model matrix. \code{weights}: prior
#'   weights (numbers of trials for binomial families), or those of the last step of weighted least squares;
#'   the weights of the posterior points are \code{object$weights}. \code{sigma}: the root of the dispersion.
#'   \code{simulate}: a data frame with \code{nsim} responses, each for a draw of coefficients from the posterior
#'   (\code{\link{rgrid}}): they are draws from the posterior predictive distribution. \code{extractAIC}: degrees of
#'   freedom and AIC at the mode, which \code{step}, \code{drop1} and \code{add1} use. \code{variable.names},
#'   \code{case.names} and \code{labels}: names of coefficients, observations and terms.
#' @section Errors:
#' Class \code{nmathopencl_error}. Methods of \code{glm} that belong to least squares, of which a posterior has none, say
#' what to use instead: \code{anova}, \code{alias}, \code{cooks.distance}, \code{dfbeta}, \code{dfbetas}, \code{dummy.coef},
#' \code{effects}, \code{hatvalues}, \code{influence}, \code{kappa}, \code{profile}, \code{proj}, \code{qr},
#' \code{rstandard}, \code{rstudent}. So does \code{simulate} for quasi families, which have no distribution.
#' @examples
#' fit <- opencl_glm_grid(case ~ spontaneous + induced, binomial, infert, device = "host")
#' deviance(fit)
#' head(residuals(fit, "pearson"))
#' set.seed(1)
#' replicated <- simulate(fit, 200)
#' # A posterior predictive check
#' mean(colSums(replicated) >= sum(infert$case))
#' @name opencl_glm_grid-residuals
NULL

# Fitted values at the mode and what of the family belongs to them.
at_the_mode <- function(object) {
  eta <- drop(stats::model.matrix(object) %*% object$mode) + object$offset
  mu <- object$family$linkinv(eta)
  list(eta = eta, mu = mu, slope = object$family$mu.eta(eta), variance = object$family$variance(mu))
}

by_case <- function(object, values) {
  stats::naresid(object$na.action, stats::setNames(as.vector(values), rownames(object$model)))
}

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats residuals
#' @export
residuals.opencl_glm_grid <- function(object, type = c("deviance", "pearson", "working", "response"), ...) {
  no_more_arguments("residuals", ...)
  type <- one_of(type, c("deviance", "pearson", "working", "response"), "type")
  at <- at_the_mode(object)
  off <- object$y - at$mu
  w <- object$prior.weights
  by_case(object, switch(type,
    deviance = sign(off) * sqrt(pmax(object$family$dev.resids(object$y, at$mu, w), 0)),
    pearson = off * sqrt(w) / sqrt(at$variance),
    working = off / at$slope,
    response = off
  ))
}

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats deviance
#' @export
deviance.opencl_glm_grid <- function(object, ...) {
  sum(object$family$dev.resids(object$y, at_the_mode(object)$mu, object$prior.weights))
}

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats df.residual
#' @export
df.residual.opencl_glm_grid <- function(object, ...) {
  used <- object$prior.weights > 0
  sum(used) - qr(stats::model.matrix(object)[used, , drop = FALSE])$rank
}

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats weights
#' @export
weights.opencl_glm_grid <- function(object, type = c("prior", "working"), ...) {
  no_more_arguments("weights", ...)
  type <- one_of(type, c("prior", "working"), "type")
  if (type == "prior") return(by_case(object, object$prior.weights))
  at <- at_the_mode(object)
  by_case(object, object$prior.weights * at$slope^2 / at$variance)
}

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats sigma
#' @export
sigma.opencl_glm_grid <- function(object, ...) sqrt(object$dispersion)

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats simulate
#' @export
simulate.opencl_glm_grid <- function(object, nsim = 1, seed = NULL, ...) {
  no_more_arguments("simulate", ...)
  if (!is.numeric(nsim) || length(nsim) != 1L || !isTRUE(nsim >= 1 && is.finite(nsim))) {
    argument_error("`nsim` must be a number of data sets")
  }
  family <- object$family
  if (!has_likelihood(list(weights = object$prior.weights, y = object$y), family)) {
    argument_error(
      "there is no distribution to simulate from: ", family$family,
      if (family$family == "binomial") " has fractions of trials here" else " has a mean and a variance only"
    )
  }
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) stats::runif(1)
  state <- get(".Random.seed", globalenv())
  if (!is.null(seed)) {
    before <- state
    on.exit(assign(".Random.seed", before, globalenv()))
    set.seed(seed)
    state <- structure(seed, kind = as.list(RNGkind()))
  }
  x <- stats::model.matrix(object)
  b <- rgrid(object, floor(nsim))
  response <- stats::model.response(object$model)
  drawn <- lapply(seq_len(nrow(b)), function(k) {
    simulated_response(object, family$linkinv(drop(x %*% b[k, ]) + object$offset), response)
  })
  drawn <- lapply(drawn, function(y) stats::naresid(object$na.action, y))
  names(drawn) <- paste0("sim_", seq_along(drawn))
  cases <- names(by_case(object, seq_len(nrow(x))))
  structure(drawn, class = "data.frame", row.names = cases, seed = state)
}

# One response of the form that the model's has, for means mu.
simulated_response <- function(object, mu, response) {
  n <- length(mu)
  w <- object$prior.weights
  phi <- object$dispersion
  switch(object$family$family,
    gaussian = stats::rnorm(n, mu, sqrt(phi / w)),
    Gamma = stats::rgamma(n, w / phi, scale = mu * phi / w),
    poisson = {
      if (any(w != 1)) argument_error("responses of poisson models with weights have no distribution: repeat the rows")
      stats::rpois(n, mu)
    },
    binomial = {
      trials <- round(w)
      success <- stats::rbinom(n, trials, mu)
      if (is.factor(response)) {
        if (nlevels(response) == 2L) return(factor(levels(response)[1L + success], levels(response)))
        return(success > 0) # of more than two levels the model knows the first from the others
      }
      if (is.matrix(response) && ncol(response) == 2L) {
        return(structure(cbind(success, trials - success), dimnames = list(NULL, colnames(response))))
      }
      success / trials
    }
  )
}

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats extractAIC
#' @export
extractAIC.opencl_glm_grid <- function(fit, scale = 0, k = 2, ...) {
  if (!identical(as.double(scale), 0)) argument_error("`scale` has to be 0: the dispersion is that of the fit")
  likely <- stats::logLik(fit)
  df <- attr(likely, "df")
  c(df, k * df - 2 * as.numeric(likely))
}

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats model.frame
#' @export
model.frame.opencl_glm_grid <- function(formula, ...) formula$model

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats variable.names
#' @export
variable.names.opencl_glm_grid <- function(object, ...) names(object$coefficients)

#' @rdname opencl_glm_grid-residuals
#' @importFrom stats case.names
#' @export
case.names.opencl_glm_grid <- function(object, ...) rownames(object$model)

#' @rdname opencl_glm_grid-residuals
#' @export
labels.opencl_glm_grid <- function(object, ...) attr(object$terms, "term.labels")
