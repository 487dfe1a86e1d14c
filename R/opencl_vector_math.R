# R's operators and mathematics on resident vectors: each is an opencl_function, made once.

resident_functions <- new.env(parent = emptyenv())

# `body`: a call in x and y; the function is kept under its text.
resident_function <- function(body, two, reduce = NULL, na.rm = FALSE) {
  key <- paste(c(as.character(body), two, reduce, na.rm), collapse = " ")
  if (is.null(resident_functions[[key]])) {
    f <- as.function(c(if (two) alist(x = , y = ) else alist(x = ), body), envir = baseenv())
    resident_functions[[key]] <- opencl_function(f, reduce = reduce, na.rm = na.rm)
  }
  resident_functions[[key]]
}

# Sums, products and means without `na.rm` that were asked for before, by their names.
summary_functions <- new.env(parent = emptyenv())

summary_function <- function(op) {
  summary_functions[[op]] <- resident_function(quote(x), FALSE, op, FALSE)
}

#' Arithmetic on resident vectors
#'
#' These operations on an \code{\link{opencl_vector}} are computed on its device, and vectors that they make are resident there: arithmetic,
#' comparisons, logic, the functions of R's group \code{Math} (the cumulative ones bring the vector back), \code{is.na}, \code{is.nan},
#' \code{is.finite} and \code{is.infinite}. \code{sum}, \code{mean}, \code{min}, \code{max}, \code{range}, \code{prod}, \code{any}, \code{all} and
#' \code{anyNA} give numbers of R. Several operations at once are faster as one \code{\link{opencl_function}}; its argument \code{reduce} says what \code{sum} and
#' \code{mean} do next to the largest doubles.
#'
#' @param e1,e2 vectors, at least one of which is resident on a device; two on different devices are an error.
#' @param x a vector of \code{\link{opencl_vector}}.
#' @param ... for \code{round} and \code{signif} the digits, for \code{log} the base; else ignored.
#' @param na.rm whether missing values are left out.
#' @param recursive ignored.
#' @return An \code{opencl_vector}, or, of summaries, one number or logical.
#' @examples
#' x <- opencl_vector(c(1, 4, 9), device = "host")
#' as.vector(sqrt(x) + 1)
#' sum(x)
#' @name opencl_vector_math
NULL

#' @rdname opencl_vector_math
#' @export
Ops.opencl_vector <- function(e1, e2) {
  if (missing(e2)) return(resident_function(call(.Generic, quote(x)), FALSE)(e1))
  resident_function(call(.Generic, quote(x), quote(y)), TRUE)(e1, e2)
}

#' @rdname opencl_vector_math
#' @export
Math.opencl_vector <- function(x, ...) {
  if (startsWith(.Generic, "cum")) return(get(.Generic, baseenv())(resident_whole(x)))
  further <- list(...)
  if (length(further) == 0L) return(resident_function(call(.Generic, quote(x)), FALSE)(x))
  resident_function(call(.Generic, quote(x), quote(y)), TRUE)(x, further[[1L]])
}

#' @rdname opencl_vector_math
#' @export
Summary.opencl_vector <- function(..., na.rm = FALSE) {
  known <- if (...length() == 1L && identical(na.rm, FALSE)) summary_functions[[.Generic]] # what is usual, before all else
  if (!is.null(known) && is_resident(..1)) return(known(..1))
  if (.Generic %in% c("any", "all")) return(any_or_all(.Generic, list(...), na.rm, call(.Generic, quote(...))))
  several <- ...length() > 1L && .Generic %in% c("min", "max", "range") # a part of nothing but missing values is no warning
  parts <- lapply(list(...), function(x) {
    if (!is_resident(x)) return(do.call(.Generic, list(x, na.rm = na.rm)))
    if (.Generic %in% c("sum", "prod") && identical(na.rm, FALSE)) return(summary_function(.Generic)(x))
    one <- function(op) {
      value <- if (several) suppressWarnings(resident_function(quote(x), FALSE, op, na.rm)(x)) else resident_function(quote(x), FALSE, op, na.rm)(x)
      # Extremes of numbers say nothing of a NaN among them.
      unseen <- !na.rm && op %in% c("min", "max") && is.double(value) && !is.na(value) && any(is.nan(x))
      if (unseen) NaN else value
    }
    if (.Generic == "range") c(one("min"), one("max")) else one(.Generic)
  })
  if (length(parts) == 1L) return(parts[[1L]])
  if (.Generic != "range") return(do.call(.Generic, c(parts, na.rm = na.rm)))
  end <- function(f, k) do.call(f, c(lapply(parts, `[`, k), na.rm = na.rm)) # a part without values has Inf before -Inf
  c(end(min, 1L), end(max, 2L))
}

# any() and all() of several vectors, up to the one that decides: R warns of those of doubles before it looks into them.
any_or_all <- function(op, parts, na.rm, call) {
  decisive <- op == "any"
  value <- !decisive
  for (x in parts) {
    if (is_resident(x)) {
      own <- resident_fields(x)
      if (own$type == "double" && own$length > 0) warning(simpleWarning("coercing argument of type 'double' to logical", call))
      one <- resident_function(quote(as.logical(x)), FALSE, op, na.rm)(x)
    } else {
      one <- withCallingHandlers(do.call(op, list(x, na.rm = na.rm)), warning = function(w) {
        warning(simpleWarning(conditionMessage(w), call))
        invokeRestart("muffleWarning")
      })
    }
    if (one %in% decisive) return(one)
    if (is.na(one)) value <- NA
  }
  value
}

#' @rdname opencl_vector_math
#' @export
mean.opencl_vector <- function(x, ..., na.rm = FALSE) {
  known <- if (identical(na.rm, FALSE)) summary_functions$mean %||% summary_function("mean")
  if (is.null(known)) known <- resident_function(quote(x), FALSE, "mean", na.rm)
  known(x)
}

#' @rdname opencl_vector_math
#' @export
is.na.opencl_vector <- function(x) {
  asks <- sys.function(sys.parent()) # these look for missing numbers first, and change what they have made
  if (identical(asks, pmin) || identical(asks, pmax)) immutable()
  resident_function(quote(is.na(x)), FALSE)(x)
}

#' @rdname opencl_vector_math
#' @export
is.nan.opencl_vector <- function(x) resident_function(quote(is.nan(x)), FALSE)(x)

#' @rdname opencl_vector_math
#' @export
is.finite.opencl_vector <- function(x) resident_function(quote(is.finite(x)), FALSE)(x)

#' @rdname opencl_vector_math
#' @export
is.infinite.opencl_vector <- function(x) resident_function(quote(is.infinite(x)), FALSE)(x)

#' @rdname opencl_vector_math
#' @export
anyNA.opencl_vector <- function(x, recursive = FALSE) resident_function(quote(is.na(x)), FALSE, "any")(x)

# A function of the table whose result stays: one kernel. On the host device R's memory is where results are.
resident_elementwise <- function(name, columns, flags, device, fallback, verbose, call) {
  x <- columns[[1L]]
  if (!fallback && name %in% looked_up_functions() && (if (is_resident(x)) size_of(x) else length(x)) >= least_looked_up) {
    value <- resident_lookup(name, columns, flags, device, verbose, call)
    if (!is.null(value)) return(value)
  }
  if (!fallback && !verbose) {
    value <- resident_by_plan(name, columns, flags, call)
    if (!is.null(value)) return(value)
  }
  plain <- vapply(columns, function(x) typeof(x) %in% c("double", "integer", "logical") && !is.factor(x), NA)
  resident <- vapply(columns, is_resident, NA)
  if (!all(plain | resident)) stop(mirrored_error(elementwise_cpp(name, columns, flags, "host", NULL)$not_numeric, call))
  device <- if (any(resident)) device_of_residents(columns[resident], call) else resolve_devices(device)
  row <- library_row(name)
  if (on_host(device, NULL) || (is.null(row) && !any(resident))) {
    columns[resident] <- lapply(columns[resident], resident_whole, call)
    value <- elementwise(name, columns, as.list(flags), device, fallback, verbose, call = call)
    return(as_resident(value, length(value), state$last_run$device))
  }
  if (is.null(row)) argument_error("`", name, "` does not take resident vectors")
  columns[plain] <- lapply(columns[plain], with_shape_alone)
  expression <- attr(row_function(row, flags), "expression")
  names(columns) <- split_commas(row$columns)
  values <- unname(columns[vapply(expression$inputs, function(input) input$name, "")])
  withCallingHandlers(
    run_expression(expression, values, NULL, device, fallback, verbose, call, keep = TRUE),
    simpleWarning = function(w) { # with the call that the user made
      if (identical(conditionCall(w), call)) return()
      warning(simpleWarning(conditionMessage(w), call))
      invokeRestart("muffleWarning")
    }
  )
}

# Functions whose values are those at whole numbers.
looked_up_functions <- function() {
  if (is.null(expression_state$looked_up)) {
    table <- function_table()
    expression_state$looked_up <- table$name[nzchar(table$lookup)]
  }
  expression_state$looked_up
}
least_looked_up <- 2^14 # elements: src/engine/lookup.cpp would refuse fewer

# The same for one of these by a table, where its sizes are one number each (src/engine/lookup.h); NULL where that is of no
# use.
resident_lookup <- function(name, columns, flags, device, verbose, call) {
  numeric <- function(x) typeof(x) %in% c("double", "integer", "logical") && !is.factor(x)
  x <- columns[[1L]]
  if (!all(vapply(columns[-1L], function(size) numeric(size) && length(size) == 1L, NA))) return(NULL)
  if (is_resident(x)) {
    own <- resident_fields(x)
    if (any(resident_info_cpp(own$pointer)$index == 0L)) return(NULL)
    given <- own$pointer
  } else {
    if (!numeric(x)) return(NULL)
    device <- resolve_devices(device)
    if (on_host(device, NULL)) return(NULL)
    given <- with_shape_alone(x)
    own <- list(names = if (is.null(dim(given))) names(given), dim = dim(given), dimnames = dimnames(given))
  }
  result <- lookup_resident_cpp(name, given, unname(columns[-1L]), flags, device, call_progress(name, environment()))
  if (is.null(result)) return(NULL)
  if (!is.null(result$error)) raise_core_error(result$error, call)
  value <- finish_call(result, verbose, call)
  new_resident(value, "double", size_of(x), own$names, own$dim, own$dimnames)
}

# The same for a call like one before it, all of whose vectors are resident on a device; NULL where that is not so.
resident_by_plan <- function(name, columns, flags, call) {
  made <- resident_functions[[row_key(name, flags)]]
  first <- NULL
  for (x in columns) {
    if (is_resident(x)) {
      first <- first %||% x
    } else if (!is.double(x) || length(x) != 1L || is.object(x)) {
      return(NULL)
    }
  }
  if (is.null(made) || is.null(first) || any(resident_info_cpp(resident_fields(first)$pointer)$index == 0L)) return(NULL)
  expression <- attr(made, "expression")
  if (is.null(expression$plans)) return(NULL)
  ran <- expression_known_cpp(expression, columns[attr(made, "order")], NULL, "auto", FALSE, FALSE, TRUE, environment())
  if (is.list(ran) && !is.null(ran$error)) raise_core_error(ran$error, call)
  if (is_resident(ran)) ran
}

row_key <- function(name, flags) paste(c(name, flags), collapse = " ")

# The opencl_function of a row of the table, its flags as given, kept under its name and flags.
row_function <- function(row, flags) {
  key <- row_key(row$name, flags)
  if (is.null(resident_functions[[key]])) {
    names <- split_commas(row$columns)
    args <- stats::setNames(lapply(names, as.symbol), names)
    switches <- stats::setNames(as.list(flags != 0L), split_commas(row$flags))
    formals <- stats::setNames(rep(alist(x = ), length(names)), names)
    body <- as.call(c(as.symbol(row$name), args, switches))
    made <- opencl_function(as.function(c(formals, body), envir = asNamespace("stats")))
    attr(made, "order") <- match(vapply(attr(made, "expression")$inputs, function(input) input$name, ""), names)
    resident_functions[[key]] <- made
  }
  resident_functions[[key]]
}
