# What glm() makes of its arguments: family, model frame, response, weights and offset.

# The family object, one that inst/spec/glm.tsv has a kernel for.
glm_grid_family <- function(family, where) {
  if (is.character(family)) {
    check_name(family, "family")
    family <- get0(family, envir = where, mode = "function") %||% refuse_family(family)
  }
  if (is.function(family)) family <- family()
  if (!inherits(family, "family")) refuse_family("no family object")
  known <- vapply(glm_families, function(row) row$family == family$family && row$link == family$link, NA)
  if (!any(known)) refuse_family(paste0(family$family, "(", family$link, ")"))
  family
}

refuse_family <- function(what) {
  families <- vapply(glm_families, `[[`, "", "family")
  links <- tapply(vapply(glm_families, `[[`, "", "link"), factor(families, unique(families)), toString)
  argument_error(
    "`family` is ", what, "; there are ", paste0(names(links), " (", links, ")", collapse = ", "),
    ". Write the log-likelihood of another model as a function: `?opencl_function`, vignette(\"gallery\")"
  )
}

# The model of evaluated arguments: x (n by p), y (n, proportions for binomial), weights and offset (n), start (what the
# family takes for fitted values to begin with), and what methods ask for later.
glm_grid_model <- function(frame, family, contrasts) {
  terms <- attr(frame, "terms")
  if (nrow(frame) == 0L) argument_error("there are no observations: the model frame has no rows")
  missing <- names(frame)[vapply(frame, anyNA, NA)]
  if (length(missing)) argument_error("missing values remain in ", toString(missing), ": `na.action` left them")
  x <- r_errors(if (stats::is.empty.model(terms)) NULL else stats::model.matrix(terms, frame, contrasts))
  if (NCOL(x) == 0L || is.null(x)) argument_error("`formula` has no coefficients")
  response <- glm_grid_response(stats::model.response(frame, "any"), family, frame_weights(frame))
  offset <- as.vector(stats::model.offset(frame)) %||% rep(0, nrow(frame))
  if (!is.numeric(offset) || length(offset) != nrow(frame)) {
    argument_error("`offset` has length ", length(offset), ", but there are ", nrow(frame), " observations")
  }
  model <- c(list(x = x, offset = as.double(offset), level = response$y), response)
  parts <- c(x = "model matrix has", y = "response has", weights = "weights have", offset = "offset has")
  for (part in names(parts)) {
    if (!all(is.finite(model[[part]]))) argument_error("the ", parts[[part]], " infinite values")
  }
  check_glm_values(family$family, model$y, model$weights)
  if (!any(model$weights > 0)) argument_error("all weights are 0")
  model
}

# R's own errors about a user's formula and data, as errors of this package.
r_errors <- function(value) tryCatch(value, error = function(e) argument_error(conditionMessage(e)))

frame_weights <- function(frame) {
  weights <- as.vector(stats::model.weights(frame)) %||% rep(1, nrow(frame))
  if (!is.numeric(weights)) argument_error("`weights` must be a numeric vector")
  if (any(weights < 0, na.rm = TRUE)) argument_error("`weights` has negative values")
  as.double(weights)
}

# The family's own `initialize` reads factors, logical values and two columns of successes and failures.
glm_grid_response <- function(y, family, weights) {
  if (is.null(y)) argument_error("`formula` has no response")
  if (!(is.numeric(y) || is.logical(y) || is.factor(y))) argument_error("the response must be numbers, logical or a factor")
  counts <- grepl("binomial", family$family, fixed = TRUE)
  if (is.factor(y) && !counts) argument_error("a factor is a response for binomial families only")
  if (is.matrix(y) && ncol(y) == 1L) y <- y[, 1L]
  if (is.matrix(y) && !(counts && ncol(y) == 2L)) {
    argument_error(
      "the response has ", ncol(y), " columns: ",
      if (counts) "one, or two of successes and failures, can be" else "one can be"
    )
  }
  own <- list2env(
    list(y = y, weights = weights, nobs = NROW(y), etastart = NULL, mustart = NULL, start = NULL, family = family),
    parent = asNamespace("stats")
  )
  r_errors(eval(family$initialize, own))
  list(y = as.double(own$y), weights = as.double(own$weights), start = as.double(own$mustart))
}

# The names that factors and functions such as poly() leave for predict().
glm_grid_terms <- function(frame, x) {
  terms <- attr(frame, "terms")
  list(terms = terms, xlevels = stats::.getXlevels(terms, frame), contrasts = attr(x, "contrasts"))
}
