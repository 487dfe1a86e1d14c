# Methods of glm() for which a posterior has no counterpart: errors that say what to use.

not_of_a_posterior <- function(name, instead) {
  argument_error(name, "() is not defined for a model on a grid: ", instead)
}
by_evidence <- "compare models by exp(logLik(a, marginal = TRUE) - logLik(b, marginal = TRUE)), their Bayes factor"
by_residuals <- "residuals(fit, \"pearson\") or simulate(fit) check a model; glm() has this for its estimate"
by_matrix <- "use model.matrix(fit)"

#' @importFrom stats anova
#' @export
anova.opencl_glm_grid <- function(object, ...) not_of_a_posterior("anova", by_evidence)

#' @importFrom stats profile
#' @export
profile.opencl_glm_grid <- function(fitted, ...) {
  not_of_a_posterior("profile", "confint(fit) has intervals, plot(fit) marginal densities")
}

#' @importFrom stats effects
#' @export
effects.opencl_glm_grid <- function(object, ...) not_of_a_posterior("effects", by_evidence)

#' @importFrom stats influence
#' @export
influence.opencl_glm_grid <- function(model, ...) not_of_a_posterior("influence", by_residuals)

#' @importFrom stats hatvalues
#' @export
hatvalues.opencl_glm_grid <- function(model, ...) not_of_a_posterior("hatvalues", by_residuals)

#' @importFrom stats cooks.distance
#' @export
cooks.distance.opencl_glm_grid <- function(model, ...) not_of_a_posterior("cooks.distance", by_residuals)

#' @importFrom stats rstandard
#' @export
rstandard.opencl_glm_grid <- function(model, ...) not_of_a_posterior("rstandard", by_residuals)

#' @importFrom stats rstudent
#' @export
rstudent.opencl_glm_grid <- function(model, ...) not_of_a_posterior("rstudent", by_residuals)

#' @importFrom stats dfbeta
#' @export
dfbeta.opencl_glm_grid <- function(model, ...) not_of_a_posterior("dfbeta", by_residuals)

#' @importFrom stats dfbetas
#' @export
dfbetas.opencl_glm_grid <- function(model, ...) not_of_a_posterior("dfbetas", by_residuals)

#' @importFrom stats alias
#' @export
alias.opencl_glm_grid <- function(object, ...) not_of_a_posterior("alias", by_matrix)

#' @importFrom stats proj
#' @export
proj.opencl_glm_grid <- function(object, ...) not_of_a_posterior("proj", by_matrix)

#' @export
qr.opencl_glm_grid <- function(x, ...) not_of_a_posterior("qr", "use qr(model.matrix(fit))")

#' @export
kappa.opencl_glm_grid <- function(z, ...) not_of_a_posterior("kappa", "use kappa(model.matrix(fit)) or vcov(fit)")

#' @importFrom stats dummy.coef
#' @export
dummy.coef.opencl_glm_grid <- function(object, ...) {
  not_of_a_posterior("dummy.coef", "predict(fit, newdata, interval = \"credible\") has what levels of a factor mean")
}
