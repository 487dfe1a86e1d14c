# Marginal likelihoods by Laplace's approximation: effects of levels are integrated out at their mode.

#' Likelihoods with random effects, by Laplace's approximation
#'
#' Integrates effects of levels out of a log-likelihood, approximately, and gives an objective of the other parameters. What is approximated at the mode of
#' the effects is the logarithm of the integral of \code{exp(ll)} over \code{u}. With f the log-likelihood, m the mode of the J effects for these
#' parameters, and h its second derivatives in them there, the result is \code{f(m) + J / 2 * log(2 * pi) - sum(log(-h)) / 2}. The log-likelihood includes the
#' log density of the effects.
#'
#' The effects enter element by element or by one vector of codes, \code{u[g]}: so each is integrated out by itself, and there may be as many
#' levels as memory holds.
#'
#' Newton's method finds the mode of all effects at once, on the device where the data are; it starts at the mode that it found before. Each step is a
#' call for slopes and second derivatives; steps are halved until the log-likelihood does not fall.
#'
#' The gradient in the other parameters is exact: it includes that of \code{log(-h)}, and the change of the mode with the parameters. The compiler makes third
#' derivatives as it makes first ones; a function without a rule for them is refused by name. The Hessian is made of differences of this gradient, of
#' fourth order, with a relative error of some 1e-6 where parameters are of the size of their standard errors.
#'
#' @param objective an objective of \code{\link{as_objective}}, whose \code{start} has the effects, where the search for their mode starts, and the
#'   other parameters. The function need not have been made with \code{gradient}.
#' @param random the name of the effects in \code{start}. One vector: crossed effects are not supported, and neither are several for a level.
#' @return An objective of the other parameters, which takes them by name or by place, as that of \code{\link{as_objective}} does. It is a list:
#'   \describe{
#'     \item{\code{par}, \code{gr}, \code{f}, \code{he}, \code{curvature}, \code{vcov}, \code{split}}{as in \code{\link{as_objective}}. There is no \code{over}.}
#'     \item{\code{fn}}{minus the approximate log marginal likelihood, whether \code{objective} is negative or not. It is \code{Inf} where no maximum of the
#'       log-likelihood in the effects is found, and \code{NaN} where the log-likelihood is missing; where the first value is, a warning names the likely cause.}
#'     \item{\code{modes}}{a function of the parameters that gives a data frame with the effects' modes and conditional standard deviations,
#'       \code{1 / sqrt(-h)}. Its row names are the names that the effects have in \code{start}, or the levels of the factor \code{g} in \code{u[g]}.}
#'   }
#'   \code{\link[=summary.nmathopencl_objective]{summary}(objective, par)} has estimates and standard errors.
#' @section What else there is for random effects: Write the marginal likelihood, and give it to \code{\link{as_objective}}. It is exact, or as exact as its
#'   nodes, where Laplace's approximation is poor (few observations of a level, of which each says little), and it is what several effects of a level need.
#'   \itemize{
#'     \item One effect of each level: a sum over the nodes of a quadrature, in a loop that adds up; the model \dQuote{Logistic regression with random
#'       intercepts} of \code{vignette("gallery")} is one.
#'     \item Several effects of each level: the same over pairs of nodes, with \code{node}, \code{other} and their weights \code{w} in \code{data}; here an intercept and
#'       a slope whose covariance has the Cholesky factor \code{exp(s[1])}, \code{s[3]}, \code{exp(s[2])}:
#'       \preformatted{likelihood <- 0
#' for (k in 1:49) {
#'   eta <- b[1] + exp(s[1]) * node[k] + (b[2] + s[3] * node[k] + exp(s[2]) * other[k]) * x
#'   likelihood <- likelihood + w[k] * exp(tapply(dpois(y, exp(eta), log = TRUE), g, sum))
#' }
#' -sum(log(likelihood))}
#'     \item Normal responses: the marginal is normal, and has closed forms in the sums of residuals of each level; the section \dQuote{Functions of each group}
#'       of \code{\link{opencl_language}} has that of a random intercept.
#'     \item Crossed effects: none of these. They are for other packages.
#'   }
#' @section Errors: of class \code{nmathopencl_error}: \code{random} that is no name of \code{start}; effects that meet each other, by name, when the
#'   objective is first computed; a log-likelihood with \code{reduce = "mean"}.
#' @references Tierney, L. and Kadane, J. B. (1986) Accurate approximations for posterior moments and marginal densities. \emph{Journal of the American
#'   Statistical Association} 81, 82-86. \doi{10.1080/01621459.1986.10478240}
#'
#'   Skaug, H. J. and Fournier, D. A. (2006) Automatic approximation of the marginal likelihood in non-Gaussian hierarchical models.
#'   \emph{Computational Statistics & Data Analysis} 51, 699-709. \doi{10.1016/j.csda.2006.03.005}
#' @seealso \code{\link{as_objective}}, \code{\link{arrowhead}}.
#' @examples
#' # A Poisson regression with an effect of each of 6 pots
#' pots <- data.frame(
#'   count = c(2, 1, 5, 3, 0, 1, 4, 6, 2, 2, 9, 7), dose = rep(0:1, 6), pot = rep(1:6, each = 2)
#' )
#' loglik <- function(count, dose, pot, b, log_sd, u) {
#'   sum(dpois(count, exp(b[1] + b[2] * dose + u[pot]), log = TRUE)) +
#'     sum(dnorm(u, 0, exp(log_sd), log = TRUE))
#' }
#' start <- list(b = c(0, 0), log_sd = 0, u = numeric(6))
#' joint <- as_objective(opencl_function(loglik), start = start, data = pots)
#' marginal <- laplace(joint, random = "u")
#' fit <- nlminb(marginal$par, marginal$fn, marginal$gr)
#' summary(marginal, fit$par)
#' marginal$modes(fit$par)
#' @export
laplace <- function(objective, random) {
  of <- attr(objective, "of")
  if (!inherits(objective, "nmathopencl_objective") || is.null(of)) argument_error("`objective` must be one of as_objective()")
  check_random(random, of)
  fixed <- setdiff(names(of$start), random)
  outer <- as_function_of(of, with_hessian(of$ll, FALSE, gradient = fixed, effects = random, sign = -of$sign))
  find <- mode_finder(of, random)
  start <- of$start[fixed]
  slopes <- objective_slopes(attr(outer$ll, "expression"), lengths(start))
  numbers <- numbers_of_start(start, paste0(" besides `", random, "`"))
  reads <- reads_of(of$ll, c(names(of$start), names(of$further)))
  with_effects <- function(par, effects) c(numbers$split(par), stats::setNames(list(effects), random))
  read_at <- function(par) reads(c(with_effects(par, of$start[[random]]), of$further))
  reported <- FALSE
  at <- remembered(read_at, function(par) {
    found <- find(numbers$split(par))
    if (!reported && is.na(found$value)) {
      warn_once(missing_text(of$ll, of$start, with_effects(par, of$start[[random]])[names(of$start)]))
    }
    reported <<- TRUE
    found
  })
  gr <- remembered(read_at, function(par) {
    point <- at(par, FALSE)
    if (!is.finite(point$value)) return(rep(NaN, length(par)))
    gradient <- -unname(attr(outer$at(with_effects(par, point$mode)), "gradient"))
    gradient[slopes][numbers$order(par)]
  })
  curvature <- function(par) {
    hessian <- slopes_of_slopes(gr, unlist(numbers$split(par)))
    dimnames(hessian) <- list(numbers$labels, numbers$labels)
    hessian
  }
  structure(class = c("nmathopencl_laplace", "nmathopencl_objective"), list(
    par = unlist(start), fn = function(par) -at(par)$value, gr = gr, curvature = curvature,
    he = function(par) in_order(curvature(par), numbers$order(par)),
    vcov = function(par) in_order(inverted_hessian(curvature(par)), numbers$order(par)),
    f = function(par) structure(-at(par)$value, gradient = gr(par)),
    split = numbers$split,
    modes = function(par) {
      point <- at(par, FALSE)
      data.frame(mode = as.vector(point$mode), sd = 1 / sqrt(-point$curvature), row.names = names_of_effects(of, random))
    }
  ))
}

check_random <- function(random, of) {
  if (!is.character(random) || length(random) < 1L || anyNA(random)) argument_error("`random` must be the name of the effects in `start`")
  if (any(grepl("$", names(of$start), fixed = TRUE))) limit_error("elements of lists in `start`, with effects that are integrated out: give each parameter an argument of its own")
  if (length(random) > 1L) {
    limit_error("`random` names ", paste0("`", random, "`", collapse = " and "), ": one vector of effects is integrated out. Crossed effects, and several for a level, are not supported; of several for a level write the marginal likelihood, as ?laplace shows")
  }
  if (!random %in% names(of$start)) argument_error("`", random, "` is not in `start`, which has ", in_ticks(names(of$start)), did_you_mean(random, names(of$start)))
  if (!is.null(dim(of$start[[random]]))) limit_error("`", random, "` is a matrix in `start`: one vector of effects is integrated out. Of several for a level write the marginal likelihood, as ?laplace shows")
  if (length(of$start) == 1L) argument_error("`start` has no parameters besides `", random, "`")
  expression <- attr(of$ll, "expression")
  op <- expression$reduce$op %||% "sum"
  if (op == "mean") argument_error("`ll` is a mean: a marginal likelihood is that of a sum")
  if (op != "sum") argument_error("`ll` was made with reduce = \"", op, "\": a marginal likelihood is that of a sum, reduce = \"sum\"")
  reads <- unlist(lapply(expression$inputs, function(input) if (is.null(input$value)) input$name else all.vars(input$value)))
  refuse_ordered(expression, random)
  unread <- setdiff(names(of$start), reads)
  if (length(unread) > 0L) argument_error("`", unread[1L], "` is in `start`, and `ll` does not use it")
}

# What R computes of effects, as their order, changes in steps where they move.
refuse_ordered <- function(expression, random) {
  for (input in Filter(is_taken, expression$inputs)) {
    of_length <- any(vapply(list(codes_of_split, codes_of_tapply, sizes_of_groups), identical, NA, input$value[[1L]])) # of others than groups
    if (!random %in% all.vars(if (of_length) input$value[1:2] else input$value)) next
    limit_error("`", input$name, "`, in which `", random, "` is integrated out: where effects change places the log-likelihood bends, and Laplace's approximation is of a smooth one")
  }
}

# Names of the effects: those that they have in `start`, or the levels of the factor whose codes choose them. NULL where there are none.
names_of_effects <- function(of, random) {
  own <- names(of$start[[random]])
  if (!is.null(own)) return(own)
  expression <- attr(of$ll, "expression")
  known <- levels_that_choose(expression$written, random, c(values_read(expression), of$further))
  if (length(known) == 1L && length(known[[1L]]) == length(of$start[[random]])) known[[1L]]
}

# The levels of each factor g in u[g], where `name` is `u`: g is a variable, d$g, or either of these by another name or in with(d, ...).
levels_that_choose <- function(f, name, values) {
  scope <- list2env(values[nzchar(names(values))], parent = environment(f))
  expr <- body(f)
  assigned <- assigned_names(expr)
  found <- list()
  value_of <- function(index, lists, depth = 8L) {
    while (is.call(index) && as.character(index[[1L]])[1L] %in% c("(", "as.integer", "as.numeric", "unclass")) index <- index[[2L]]
    if (is.symbol(index) && as.character(index) %in% assigned) {
      of <- assigned_values(expr, as.character(index))
      return(if (length(of) == 1L && depth > 0L) value_of(of[[1L]], lists, depth - 1L))
    }
    is_element <- is.call(index) && as.character(index[[1L]])[1L] %in% c("$", "[[") && is.symbol(index[[2L]])
    if (!is.symbol(index) && !is_element) return(NULL)
    for (list in lists) { # the innermost first
      data <- tryCatch(eval(list, scope), error = function(e) NULL)
      if (is.list(data) && is.symbol(index) && as.character(index) %in% names(data)) return(data[[as.character(index)]])
    }
    tryCatch(eval(index, scope), error = function(e) NULL)
  }
  look <- function(expr, lists) {
    if (!is.call(expr)) return()
    if (identical(expr[[1L]], quote(with)) && length(expr) == 3L) return(look(expr[[3L]], c(list(expr[[2L]]), lists)))
    if (identical(expr[[1L]], quote(`[`)) && length(expr) == 3L && identical(expr[[2L]], as.symbol(name))) {
      found <<- c(found, list(levels(value_of(expr[[3L]], lists))))
    }
    for (part in given_parts(expr)[-1L]) look(part, lists)
  }
  look(expr, list())
  unique(found)
}

# What is assigned to a name, wherever that is.
assigned_values <- function(expr, name) {
  if (!is.call(expr)) return(list())
  own <- if (as.character(expr[[1L]])[1L] %in% c("<-", "=") && length(expr) == 3L && identical(expr[[2L]], as.symbol(name))) list(expr[[3L]])
  c(own, unlist(lapply(as.list(expr)[-1L], function(part) if (!is_empty_argument(part)) assigned_values(part, name)), recursive = FALSE))
}

# `ll` as a function of a list of all of its parameters.
as_function_of <- function(of, ll) {
  given <- c(names(of$start), names(of$further))
  call <- as.call(c(quote(ll), stats::setNames(lapply(given, as.symbol), given)))
  list(ll = ll, at = function(parameters) eval(call, c(list(ll = ll), parameters, of$further)))
}

# What finds the mode of the effects for given other parameters, from the one that was found before: a function that gives list(mode,
# curvature, value), the value that of the approximation, -Inf where there is no mode.
mode_finder <- function(of, random) {
  inner <- as_function_of(of, with_hessian(of$ll, TRUE, gradient = random, diagonal = random))
  start <- of$start[[random]]
  before <- start
  function(parameters) {
    at <- function(u) {
      parameters[[random]] <- u
      value <- inner$at(parameters)
      if (length(value) != 1L) argument_error("`ll` gives ", counted(length(value), "number"), ", and an objective is one number: end it with sum(...)")
      list(mode = u, f = -of$sign * as.vector(value), slope = -of$sign * unname(attr(value, "gradient")), curvature = -of$sign * attr(value, "hessian")$diagonal)
    }
    found <- mode_by_newton(at, before)
    if (is.null(found) && !identical(before, start)) found <- mode_by_newton(at, start)
    if (is.null(found)) return(list(mode = start * NaN, curvature = rep(NaN, length(start)), value = if (is.na(at(start)$f)) NaN else -Inf))
    before <<- found$mode
    found$value <- found$f + length(start) / 2 * log(2 * pi) - sum(log(-found$curvature)) / 2
    found
  }
}

# The maximum of a sum of functions of one number each: `at(u)` gives it, its slopes and its second derivatives. NULL where none is found.
mode_by_newton <- function(at, u, most = 200L) {
  here <- at(u)
  if (!is_known_point(here)) return(NULL)
  for (step in seq_len(most)) {
    move <- ifelse(here$curvature == 0, sign(here$slope), here$slope / abs(here$curvature))
    size <- max(abs(move) / (1 + abs(here$mode)))
    if (size < 1e-11) break
    slack <- 1e-13 * (1 + abs(here$f))
    there <- NULL
    for (halved in 0:60) {
      there <- at(here$mode + move / 2^halved)
      if (is_known_point(there) && there$f >= here$f - slack) break
      there <- NULL
    }
    rises <- !is.null(there) && there$f > here$f
    if (!rises && size < 1e-7) { # rounding has the last word
      if (!is.null(there) && all(there$curvature < 0)) here <- there
      break
    }
    if (is.null(there)) return(NULL)
    here <- there
  }
  if (size < 1e-7 && all(here$curvature < 0)) here
}

is_known_point <- function(point) is.finite(point$f) && all(is.finite(point$slope)) && all(is.finite(point$curvature))

# The derivatives of a gradient by central differences of fourth order, made symmetric. `least`: the size of a parameter that counts as one of
# that size where it is smaller.
slopes_of_slopes <- function(gr, par, least = 1) {
  columns <- vapply(seq_along(par), function(k) {
    h <- 1e-3 * max(abs(par[k]), least)
    moved <- function(times) gr(replace(par, k, par[k] + times * h))
    (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * h)
  }, numeric(length(par)))
  columns <- matrix(columns, length(par))
  (columns + t(columns)) / 2
}
