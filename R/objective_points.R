# Objectives at many points.

# The function `over` of an objective. `of`: what it was made of, its attribute.
over_of_objective <- function(of, numbers) {
  at_points <- list(NULL, NULL) # without the gradient, and with it
  function(P, gradient = TRUE) {
    if (!isTRUE(gradient) && !isFALSE(gradient)) argument_error("`gradient` must be TRUE or FALSE")
    P <- matrix_of_points(P, numbers)
    if (is.null(at_points[[1L + gradient]])) at_points[[1L + gradient]] <<- function_of_points(of, numbers, gradient)
    found <- at_points[[1L + gradient]](P)
    if (!is.null(of$further$by)) found <- sums_of_points(found)
    value <- found$value
    if (!is.null(dim(value)) || length(value) != nrow(P)) argument_error("`ll` gives more than one number for a point, and an objective is one number: end it with sum(...)")
    made <- of$sign * as.vector(value)
    names(made) <- rownames(P)
    if (gradient && length(of$slopes) > 0L && !anyNA(of$slopes)) {
      attr(made, "gradient") <- `dimnames<-`(of$sign * found$gradient[, found$slopes, drop = FALSE], named_sides(rownames(P), numbers$labels))
    }
    made
  }
}

# A column for each number of `start`, in that order.
matrix_of_points <- function(P, numbers) {
  if (is.data.frame(P)) P <- matrix_of_frame(P, "the points")
  if (is_resident(P)) P <- in_r(P)
  if (is.list(P)) {
    argument_error(
      "`P` must be a matrix with a row for each point, all of the parameters of `start` in it. For other arguments that differ from point to ",
      "point, as weights, call the function itself, f(over = list(", paste0(names(P) %||% "b", " = ...", collapse = ", "), "))"
    )
  }
  if (length(dim(P)) != 2L || !is.numeric(P)) argument_error("`P` must be a matrix with a row for each point")
  if (ncol(P) != length(numbers$group)) argument_error("`P` has ", counted(ncol(P), "column"), ", and `start` has ", counted(length(numbers$group), "number"))
  P[, numbers$places(colnames(P), "P"), drop = FALSE]
}

# The function of such a matrix: list(value, gradient, slopes), `slopes` the columns of the gradient by the numbers of `start`.
function_of_points <- function(of, numbers, gradient) {
  ll <- of$ll
  start <- of$start
  slopes <- of$slopes
  if (any(is_of_list(start))) {
    ll <- function_of_list_elements(of)
    if (is.null(ll)) return(function(P) calls_of_points(of, numbers, P))
    names(start) <- names_of_list_elements(start, of$ll)
    slopes <- objective_slopes(attr(ll, "expression"), lengths(start))
  }
  if (!gradient) ll <- remade(ll)
  function(P) {
    value <- do.call(ll, c(of$further, list(over = parts_of_points(P, start, numbers$group))))
    list(value = value, gradient = attr(value, "gradient"), slopes = slopes)
  }
}

# The columns of points by parameters, in their shapes.
parts_of_points <- function(P, start, group) {
  parts <- lapply(seq_along(start), function(parameter) {
    k <- which(as.integer(group) == parameter)
    like <- start[[parameter]]
    if (!is.null(dim(like))) return(array(P[, k], c(nrow(P), dim(like)), if (!is.null(dimnames(like))) c(list(NULL), dimnames(like))))
    if (length(k) == 1L && is.null(names(like))) return(P[, k])
    part <- P[, k, drop = FALSE]
    colnames(part) <- names(like)
    part
  })
  stats::setNames(parts, names(start))[lengths(start) > 0L]
}

# With `by`: the sums over levels, which come first.
sums_of_points <- function(found) {
  if (!is.null(found$gradient)) found$gradient <- colSums(found$gradient)
  found$value <- colSums(found$value)
  found
}

is_of_list <- function(start) grepl("$", names(start), fixed = TRUE)

# Names of arguments for elements of lists: p.a for p$a, which nothing else in the function has.
names_of_list_elements <- function(start, ll) {
  f <- attr(ll, "expression")$written
  names <- ifelse(is_of_list(start), chartr("$", ".", names(start)), names(start))
  taken <- c(all.names(body(f)), names_read_by(f))
  while (any(clash <- is_of_list(start) & (names %in% taken | duplicated(names)))) names[clash] <- paste0(names[clash], ".")
  names
}

# `ll` as a function whose arguments are the elements of its lists, which is computed at all points at once. NULL where it reads a list in
# another way than by p$a and p[["a"]].
function_of_list_elements <- function(of) {
  f <- attr(of$ll, "expression")$written
  start <- of$start
  of_list <- is_of_list(start)
  lists <- unique(sub("[$].*", "", names(start)[of_list]))
  names <- names_of_list_elements(start, of$ll)
  known <- stats::setNames(names, names(start))[of_list]
  element <- function(expr) {
    if (length(expr) != 3L || !is.symbol(expr[[2L]]) || !as.character(expr[[2L]]) %in% lists) return(NULL)
    by_name <- identical(expr[[1L]], quote(`$`)) && (is.symbol(expr[[3L]]) || is.character(expr[[3L]]))
    if (!by_name && !(identical(expr[[1L]], quote(`[[`)) && is.character(expr[[3L]]))) return(NULL)
    name <- paste0(expr[[2L]], "$", expr[[3L]])
    if (name %in% names(known)) as.symbol(known[[name]])
  }
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    made <- element(expr)
    if (!is.null(made)) return(made)
    for (k in seq_along(expr)) if (is.call(expr[[k]])) expr[[k]] <- walk(expr[[k]])
    expr
  }
  body <- walk(body(f))
  defaults <- formals(f)[setdiff(names(formals(f)), lists)]
  left <- c(all.names(body), bound_names(body), unlist(lapply(as.list(defaults), all.names)))
  if (any(lists %in% left)) return(NULL)
  flat <- as.function(c(defaults, stats::setNames(rep(alist(x = ), length(known)), known), list(body)), envir = environment(f))
  gradient <- if (!anyNA(of$slopes) && length(of$slopes) > 0L) names[lengths(start) > 0L]
  tryCatch(remade(of$ll, flat, gradient), nmathopencl_error = function(e) NULL)
}

# Names of arguments of functions that stand in an expression, and what their defaults read.
bound_names <- function(expr) {
  if (!is.call(expr)) return(character())
  own <- if (identical(expr[[1L]], quote(`function`))) c(names(expr[[2L]]), unlist(lapply(as.list(expr[[2L]]), all.names)))
  c(own, unlist(lapply(as.list(expr)[-1L], function(part) if (is.call(part)) bound_names(part))))
}

# One call for each point.
calls_of_points <- function(of, numbers, P) {
  given <- c(arguments_of_start(of$start), names(of$further))
  call <- as.call(c(quote(ll), stats::setNames(lapply(given, as.symbol), given)))
  reported <- character() # as one call, it warns of each thing once
  found <- lapply(seq_len(nrow(P)), function(i) withCallingHandlers(
    eval(call, c(with_lists(numbers$split(unname(P[i, ]))), of$further), list2env(list(ll = of$ll))),
    warning = function(w) {
      if (conditionMessage(w) %in% reported) invokeRestart("muffleWarning")
      reported <<- c(reported, conditionMessage(w))
    }
  ))
  if (!is.null(of$further$by)) found <- lapply(found, sum_of_levels)
  if (any(lengths(found) != 1L)) argument_error("`ll` gives more than one number for a point, and an objective is one number: end it with sum(...)")
  gradient <- do.call(rbind, lapply(found, attr, "gradient"))
  if (is.null(gradient)) gradient <- matrix(0, 0L, max(0L, of$slopes))
  list(value = vapply(found, as.vector, 0), gradient = gradient, slopes = of$slopes)
}
