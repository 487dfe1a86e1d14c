# Generalized linear models in a line: the posterior on a grid.

#' Generalized linear models on a device
#'
#' Fits a Bayesian generalized linear model with a normal prior from a formula, as \code{\link[stats]{glm}} takes it:
#' finds the mode of the posterior and evaluates the posterior around it on a device (\code{\link{f2_f3_opencl}}), on a
#' grid for up to 4 coefficients and at weighted draws for more.
#'
#' @section The prior:
#' Coefficients are independent and normal with \code{prior_mean} and \code{prior_sd}, or jointly normal with
#' \code{prior_cov}. The default is weak: \code{prior_sd} is 10 divided by the standard deviation of the coefficient's
#' column, times the standard deviation of the response for the gaussian family. That of the intercept is 10 at the columns'
#' means. \code{prior_sd = Inf} is a flat prior, under which separated data have no posterior.
#'
#' @section Dispersion:
#' It is 1 for the binomial and poisson families. For the others it is taken as known: \code{dispersion}, or Pearson's
#' estimate at the mode, the sum of squared Pearson residuals over the residual degrees of freedom, as
#' \code{summary.glm} has it. Gamma responses have shape 1 / \code{dispersion}. Quasi families divide the log-likelihood
#' by the dispersion, which widens the posterior as it widens standard errors in \code{glm}.
#'
#' @section Grid:
#' Newton's method finds the mode, with a Hessian of differences of the gradient. The grid is a lattice along the principal axes of the curvature
#' there, \code{width} standard deviations to both sides. \itemize{
#'   \item Where the density at a border exceeds 1e-7 per standard deviation that side is widened.
#'   \item Where halves of the lattice differ, or the slope of the log-density misses its mean of 0, the points are doubled, up to 2 million.
#'   \item What remains wrong is a warning, and so is a \code{width} that was given and is not enough.
#' }
#' Means, covariance and marginal likelihood are sums over the lattice; marginal densities and quantiles come from the characteristic
#' function of such sums. For a smooth posterior all of them are accurate to several digits.
#'
#' Coefficients are computed as deviations from the mode, in units of prior and data: a prior may be of any width, however narrow next to its mean.
#' Where rounding hides the posterior all the same, as with a dispersion of 1e-30 or a flat prior for separated data, there is a warning and
#' \code{converged} is \code{FALSE}.
#'
#' @section Draws:
#' \code{method = "draws"} takes \code{draws} from a multivariate t distribution with \code{df} degrees of freedom about
#' the mode (\code{df = Inf}: normal), reproducible by \code{set.seed()}, and weighs them by the posterior. The effective size, one over the
#' sum of squared weights, is printed. Where it is less than 30 percent of the draws, they are drawn again about the weighted ones, up to three
#' times. Below 400 there is a warning.
#'
#' @param formula,data,weights,subset,na.action,offset,contrasts as for \code{\link[stats]{glm}}. Binomial responses can
#'   be logical, a factor (its first level is a failure), proportions with numbers of trials as \code{weights}, or two
#'   columns of successes and failures.
#' @param family a family object, function or name: \code{binomial} and \code{quasibinomial} with link logit, probit or
#'   cloglog, \code{poisson} and \code{quasipoisson}, \code{Gamma("log")}, \code{gaussian}.
#' @param prior_mean,prior_sd means and standard deviations of the prior: one number, one for each coefficient, or
#'   numbers by the names of coefficients, the others having the default.
#' @param prior_cov covariance matrix of the prior, instead of \code{prior_sd}.
#' @param dispersion the dispersion, a positive number, for families that have one.
#' @param method \code{"grid"} (up to 4 coefficients), \code{"draws"}, or \code{"auto"}, the grid where it can be.
#' @param width standard deviations from the mode to each border of the grid.
#' @param points points along each axis of the grid; by default 201, 61, 31 and 21 for 1 to 4 coefficients.
#' @param draws,df number of draws, and degrees of freedom of the distribution that they come from: twice as many as
#'   coefficients by default, and 8 at least.
#' @param device where to compute, see \code{\link{set_opencl_device}}. The data go there once.
#' @param fallback if \code{TRUE} and the device fails, the host device goes on, with a warning.
#' @param verbose if \code{TRUE}, says which device ran, how many points it evaluated and how long it took.
#' @return An object of class \code{opencl_glm_grid}, for which there are \code{print}, \code{summary}, \code{coef}
#'   (posterior means), \code{vcov}, \code{confint}, \code{quantile}, \code{predict}, \code{fitted}, \code{plot}, \code{nobs},
#'   \code{formula}, \code{terms}, \code{family}, \code{logLik}, \code{AIC}, \code{BIC}, \code{model.matrix},
#'   \code{model.frame}, \code{update}, and \code{\link{rgrid}} for draws; see \code{\link{opencl_glm_grid-methods}} and
#'   \code{\link{plot.opencl_glm_grid}}; \code{residuals}, \code{deviance}, \code{df.residual}, \code{weights},
#'   \code{sigma}, \code{simulate}, see \code{\link{opencl_glm_grid-residuals}}, which names the methods of
#'   \code{glm} that are errors here. Of its elements these are for use: \code{mode}, \code{mode_cov} (inverse curvature at
#'   the mode), \code{points} (a row each) and their \code{weights}, which sum to 1, \code{sd} (posterior standard
#'   deviations, also where squares of them leave the range of doubles), \code{dispersion}, \code{ess} (effective size;
#'   \code{NA} for a grid), \code{log_evidence} (log marginal likelihood), \code{converged} (whether the mode was found and
#'   the grid holds the posterior; if not, \code{problem} says why), \code{device}.
#' @section Errors:
#' Class \code{nmathopencl_error}: an unknown family or link (the error lists the known ones), responses
#' outside of the family's range, missing values that \code{na.action} left, names in a prior that are not coefficients,
#' coefficients that neither data nor prior determine, and devices that fail.
#' @references Tierney, L. and Kadane, J. B. (1986) Accurate approximations for posterior moments and marginal densities.
#'   \emph{Journal of the American Statistical Association} 81, 82-86. \doi{10.1080/01621459.1986.10478240}
#'
#'   Geweke, J. (1989) Bayesian inference in econometric models using Monte Carlo integration. \emph{Econometrica} 57,
#'   1317-1339. \doi{10.2307/1913710}
#'
#'   Racine, A., Grieve, A. P., Fluehler, H. and Smith, A. F. M. (1986) Bayesian methods in practice: experiences in the
#'   pharmaceutical industry. \emph{Applied Statistics} 35, 93-150. \doi{10.2307/2347264}
#' @examples
#' # Deaths among five animals at each of four doses (Racine and others 1986)
#' bioassay <- data.frame(
#'   log_dose = c(-0.86, -0.30, -0.05, 0.73), died = c(0, 1, 3, 5), lived = c(5, 4, 2, 0)
#' )
#' fit <- opencl_glm_grid(cbind(died, lived) ~ log_dose, binomial, bioassay, prior_sd = 10,
#'                        device = "host")
#' summary(fit)
#' plot(fit)
#' predict(fit, data.frame(log_dose = c(-0.5, 0, 0.5)), type = "response", interval = "credible")
#'
#' # More coefficients: weighted draws
#' set.seed(1)
#' opencl_glm_grid(case ~ age + parity + induced + spontaneous, binomial("logit"), infert,
#'                 device = "host")
#' @export
opencl_glm_grid <- function(formula, family = stats::gaussian, data, prior_mean = 0, prior_sd = NULL, weights, subset,
                            na.action, offset, contrasts = NULL, prior_cov = NULL, dispersion = NULL,
                            method = c("auto", "grid", "draws"), width = 6, points = NULL, draws = 20000, df = NULL,
                            device = "auto", fallback = FALSE, verbose = FALSE) {
  call <- match.call()
  check_switches(fallback, verbose)
  method <- one_of(method, c("auto", "grid", "draws"), "method")
  family <- glm_grid_family(family, parent.frame())
  if (missing(data)) data <- environment(formula)
  arguments <- match(c("formula", "data", "weights", "subset", "na.action", "offset"), names(call), 0L)
  frame_call <- call[c(1L, arguments)]
  frame_call$drop.unused.levels <- TRUE
  frame_call[[1L]] <- quote(stats::model.frame)
  frame_call$data <- data
  frame <- r_errors(eval(frame_call, parent.frame()))
  model <- glm_grid_model(frame, family, contrasts)
  check_layout(width, draws, df)
  check_dispersion(dispersion, family)
  prior <- glm_grid_prior(model, family, prior_mean, prior_sd, prior_cov)
  if (is.null(dispersion) && fixed_dispersion(family)) dispersion <- 1

  target <- glm_grid_target(family, device, fallback, call)
  found <- glm_grid_mode(model, family, prior, target, dispersion, call)
  at <- function(u) target$at(u, found$dispersion)
  p <- ncol(model$x)
  if (method == "auto") method <- if (p <= 4L) "grid" else "draws"
  if (method == "grid") {
    if (p > 4L) argument_error("a grid holds up to 4 coefficients, and there are ", p, ": use `method = \"draws\"`")
    cloud <- lay_lattice(at, found$mode, found$cov, lattice_points(points, p), width)
    tell_lattice(cloud, !missing(width), call)
  } else {
    cloud <- weigh_draws(at, found$mode, found$cov, draws, df %||% max(8, 2 * p))
    tell_draws(cloud, call)
  }
  report <- target$report()
  if (verbose) cli::cli_inform(describe_glm_grid(report))
  own <- list(call = call, formula = formula, family = family, method = method, device = report$device, report = report)
  fit <- c(own, glm_grid_terms(frame, model$x), glm_grid_result(model, family, prior, found, cloud, is.null(dispersion)))
  fit$model <- frame
  fit$na.action <- attr(frame, "na.action")
  structure(fit, class = "opencl_glm_grid")
}

# The first of `choices` where none was chosen; abbreviations are understood.
one_of <- function(value, choices, what) {
  if (identical(value, choices)) return(choices[1L])
  chosen <- if (is.character(value) && length(value) == 1L) pmatch(value, choices)
  if (is.null(chosen) || is.na(chosen)) argument_error("`", what, "` must be one of ", toString(dQuote(choices, FALSE)))
  choices[chosen]
}

fixed_dispersion <- function(family) family$family %in% c("binomial", "poisson")

check_dispersion <- function(dispersion, family) {
  if (is.null(dispersion)) return(invisible())
  if (!is.numeric(dispersion) || length(dispersion) != 1L || !isTRUE(dispersion > 0 && is.finite(dispersion))) {
    argument_error("`dispersion` must be one positive number")
  }
  if (fixed_dispersion(family) && dispersion != 1) {
    argument_error("the ", family$family, " family has dispersion 1; quasi", family$family, " has another")
  }
}

check_layout <- function(width, draws, df) {
  one <- function(value, least) is.numeric(value) && length(value) == 1L && isTRUE(value >= least)
  if (!one(width, 1) || !is.finite(width)) argument_error("`width` must be one number of at least 1, in standard deviations")
  if (!one(draws, 100) || !is.finite(draws)) argument_error("`draws` must be one number of at least 100")
  if (!is.null(df) && !one(df, 1)) argument_error("`df` must be one number of at least 1; Inf draws from the normal distribution")
}

describe_glm_grid <- function(report) {
  paste0(
    "opencl_glm_grid: ", format(report$evaluations, big.mark = thousands_mark()), " points on ", report$device, " in ",
    format(1e3 * report$seconds, digits = 3), " ms"
  )
}

# What the posterior points say; names as R's own fits have them where they mean the same. Points and moments are
# first of deviations from the mode, in the units of the search.
glm_grid_result <- function(model, family, prior, found, cloud, estimated) {
  names <- colnames(model$x)
  named <- function(matrix) structure(matrix, dimnames = list(names, names))
  likely <- has_likelihood(model, family)
  view <- found$view
  scale <- view$scale
  off <- found$mode - view$prior$mean
  mode <- stats::setNames(view$centre + scale * found$mode, names)
  cov <- weighted_cov(cloud$deviations, cloud$weights)
  root <- sqrt(diag(cov))
  deviations <- cloud$deviations * rep(scale, each = nrow(cloud$deviations))
  problem <- found$problem %||% cloud$problem
  list(
    coefficients = mode + scale * colSums(cloud$deviations * cloud$weights),
    cov = named(cov * scale * rep(scale, each = length(scale))), sd = stats::setNames(scale * root, names),
    correlation = named(cov / root / rep(root, each = length(root))), mode = mode,
    mode_cov = named(found$cov * scale * rep(scale, each = length(scale))), converged = is.null(problem), problem = problem,
    points = structure(rep(mode, each = nrow(deviations)) + deviations, dimnames = list(NULL, names)),
    deviations = deviations, weights = cloud$weights,
    lattice = c(list(axes = scale * cloud$axes), cloud[c("step", "slope")]),
    laid = cloud$laid, widened = isTRUE(cloud$widened), ess = cloud$ess %||% NA_real_,
    log_likelihood = if (likely) found$height + drop(crossprod(off, view$prior$precision %*% off)) / 2 else NA_real_,
    log_evidence = if (likely) cloud$log_sum + prior_constant(prior, scale) else NA_real_,
    prior = prior, dispersion = found$dispersion, dispersion_estimated = estimated,
    prior.weights = model$weights, offset = model$offset, y = model$y
  )
}
