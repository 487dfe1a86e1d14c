# A call at many points: `over` has the values of some arguments at each of them.

# `f`: the function that was called, and `frame` its frame; `ran`: what points_known_cpp() has of the call.
run_points <- function(expression, f, frame, over, by, device, fallback, verbose, call, keep, ran = NULL) {
  switches <- list(by = by, device = device, fallback = fallback, verbose = verbose, keep = keep)
  rest <- function() switches[intersect(names(switches), names(formals(f)))] # those that `f` has
  points <- read_points(expression, frame, over)
  if (!is.null(ran$ran)) return(points_found(points_result(expression, ran$ran, ran$labels), f, points, frame, rest(), call))
  if (!is.null(by) && isTRUE(expression$hessian)) limit_error("`over` and `by` together are for functions without `hessian`: give `by` at one point, or call a function made without `hessian = TRUE`")
  if (points$count == 0L) return(no_points(expression, points, frame, by))
  found <- points_at_once(expression, over, points, frame, switches, call)
  if (!is.null(found)) return(points_found(found, f, points, frame, rest(), call))
  calls_at_points(f, points, frame, rest(), call, seq_len(points$count), points$names, !is.null(by))
}

# list(count, names, given, parts): `given` are arguments that the call has besides, `parts` those of `over`, as R's vectors,
# matrices and arrays.
read_points <- function(expression, frame, over) {
  known <- formals(expression$f)
  given <- names(known)[!eval(expression$missing, frame)]
  parts <- points_by_name(known, given, expression$data$names, over)
  places <- match(names(parts), names(known))
  if (anyNA(places)) {
    unknown <- names(parts)[is.na(places)][1L]
    argument_error("`", unknown, "` in `over` is not an argument of `f`, which has ", in_ticks(names(known)), did_you_mean(unknown, names(known)))
  }
  twice <- match(names(parts), given)
  if (!all(is.na(twice))) argument_error("`", names(parts)[!is.na(twice)][1L], "` is in `over`, and given as an argument too")
  check_all_given(expression, c(given, names(parts)))
  count <- names <- NULL
  for (k in seq_along(parts)) {
    part <- point_part(parts[[k]], names(parts)[k])
    parts[[k]] <- part
    own <- count_of_points(part)
    if (is.null(count)) count <- own
    if (own != count) argument_error("`over` has ", count, " points in `", names(parts)[1L], "` and ", own, " in `", names(parts)[k], "`")
    if (is.null(names)) names <- names_of_points(part)
  }
  list(count = count, names = names, given = given, parts = parts)
}

# An argument that the function uses, and that has its value neither in the call, nor in `over`, nor in the data.
check_all_given <- function(expression, given) {
  if (expression$asks[["missing"]]) return(invisible())
  known <- formals(expression$f)
  used <- Filter(function(input) input$formal, expression$inputs)
  read <- intersect(names(known), unlist(lapply(used, function(input) names_read(input$value %||% as.symbol(input$name)))))
  absent <- setdiff(Filter(function(name) is_empty_argument(known[[name]]), read), given) # a default may be NULL
  if (length(absent) == 0L) return(invisible())
  argument_error(
    "argument \"", absent[1L], "\" is missing, with no default: give it in the call, ", absent[1L], " = ..., where it is the same at all points, ",
    "in `over` by its name, where each point has its own, or in `data` when the function is made"
  )
}

# `over` as a list by arguments. A matrix or data frame has a column for each, by name, or is all of the one vector that is not given.
points_by_name <- function(known, given, data, over) {
  if (is_resident(over)) over <- in_r(over)
  alone <- is.data.frame(over) || (!is.list(over) && length(dim(over)) == 2L)
  if (!alone) {
    if (!is.list(over)) argument_error("`over` must be a list by arguments, as over = list(m = c(0, 1, 2)), a matrix or a data frame")
    names <- names(over)
    if (length(over) == 0L) argument_error("`over` names no argument")
    if (is.null(names) || anyNA(names) || !all(nzchar(names))) argument_error("`over` must have names, those of arguments")
    if (anyDuplicated(names)) argument_error("`over` has `", names[duplicated(names)][1L], "` twice")
    return(as.list(over))
  }
  columns <- colnames(over)
  by_name <- ncol(over) > 0L && !is.null(columns) && all(columns %in% names(known))
  if (by_name && anyDuplicated(columns)) argument_error("`over` has `", columns[duplicated(columns)][1L], "` twice")
  if (by_name) {
    rows <- if (is.data.frame(over) && .row_names_info(over) <= 0L) NULL else rownames(over) # numbers that R made are no names
    columns <- lapply(stats::setNames(seq_along(columns), columns), function(j) if (is.data.frame(over)) over[[j]] else over[, j])
    return(lapply(columns, function(x) if (is.object(x) || !is.null(dim(x))) x else stats::setNames(as.vector(x), rows)))
  }
  left <- setdiff(names(known), c(given, data))
  needed <- Filter(function(name) is_empty_argument(known[[name]]), left)
  if (length(needed) == 1L) left <- needed
  if (length(left) != 1L) refuse_points_alone(over, left, names(known))
  stats::setNames(list(over), left)
}

# A matrix of points of which nothing says whose they are. `left`: arguments that are not given; `known`: all of them.
refuse_points_alone <- function(over, left, known) {
  what <- if (is.data.frame(over)) "data frame" else "matrix"
  if (length(left) == 0L) {
    argument_error(
      "`over` is a ", what, " alone, and all arguments are given, ", in_ticks(known),
      ": leave out the one whose values are in `over`, or name it, over = list(name = P)"
    )
  }
  columns <- colnames(over)
  of <- sub("[._]?[0-9]+$", "", columns)
  by_part <- sub("[.].*$", "", columns) # b.x1 and b.x2, as an objective names them
  of <- ifelse(by_part %in% left & !of %in% left, by_part, of)
  numbered <- of %in% left & !columns %in% known
  instead <- if (length(columns) > 0L && any(numbered) && all(numbered | columns %in% known)) {
    parts <- vapply(unique(ifelse(numbered, of, columns)), function(name) {
      own <- paste0("\"", columns[ifelse(numbered, of, columns) == name], "\"")
      paste0(name, " = P[, ", if (length(own) > 1L) paste0("c(", paste(own, collapse = ", "), ")") else own, "]")
    }, "")
    paste0(
      ". With P for it, give over = list(", paste(parts, collapse = ", "),
      "); columns with the names of an objective's parameters are for objective$over(P), ?as_objective"
    )
  } else {
    paste0(
      ". Name columns as arguments, or give a list",
      if (any(columns %in% known)) {
        wrong <- setdiff(columns, known)[1L]
        paste0(": column `", wrong, "` is not an argument", did_you_mean(wrong, known))
      }
    )
  }
  argument_error(
    "a ", what, " alone as `over` is for a function with one argument that is not given, and here are ", in_ticks(left), instead
  )
}

# `what`: what an error calls the data frame.
matrix_of_frame <- function(x, what) {
  for (name in names(x)) {
    if (is.object(x[[name]]) || !typeof(x[[name]]) %in% c("double", "integer", "logical")) {
      argument_error("column `", name, "` of ", what, " is not a numeric vector")
    }
  }
  made <- as.matrix(x)
  if (.row_names_info(x) <= 0L) rownames(made) <- NULL
  made
}

point_part <- function(x, name) {
  if (is_resident(x)) x <- in_r(x)
  if (is.data.frame(x)) x <- matrix_of_frame(x, paste0("`", name, "` in `over`"))
  if (is.object(x)) argument_error("`", name, "` in `over` is of class ", paste(class(x), collapse = "/"), ": numbers, a matrix or an array are points")
  if (!typeof(x) %in% c("double", "integer", "logical")) argument_error("`", name, "` in `over` is of type ", typeof(x), ": numbers, a matrix or an array are points")
  if (length(dim(x)) > 3L) limit_error("`", name, "` in `over` has ", length(dim(x)), " dimensions: the first one counts points, and an argument has two at most")
  if (length(dim(x)) == 1L) stats::setNames(as.vector(x), dimnames(x)[[1L]]) else x
}

count_of_points <- function(x) if (is.null(dim(x))) length(x) else dim(x)[1L]

names_of_points <- function(x) if (is.null(dim(x))) names(x) else dimnames(x)[[1L]]

# What an argument is at point i.
part_at <- function(x, i) {
  sides <- dim(x)
  if (is.null(sides)) return(x[[i]])
  if (length(sides) == 2L) return(stats::setNames(as.vector(x[i, ]), colnames(x)))
  matrix(x[i, , ], sides[2L], sides[3L], dimnames = if (!is.null(dimnames(x))) dimnames(x)[2:3])
}

# The result of a call at all points at once.
points_found <- function(found, f, points, frame, rest, call) {
  value <- found$value
  gradient <- found$gradient
  hessian <- found$hessian
  grouped <- !is.null(found$groups)
  if (length(found$flagged) > 0L) { # of these there is more to be said
    again <- calls_at_points(f, points, frame, rest, call, found$flagged, NULL, grouped, last_run())
    if (grouped) {
      value[, found$flagged] <- as.vector(again)
      if (!is.null(gradient)) gradient[, found$flagged, ] <- attr(again, "gradient")
    } else {
      value[found$flagged] <- as.vector(again)
      if (!is.null(gradient)) gradient[found$flagged, ] <- attr(again, "gradient")
      if (!is.null(hessian)) hessian[found$flagged, , ] <- attr(again, "hessian")
    }
  }
  if (grouped) {
    sides <- c(found$groups, list(points$names))
    dimnames(value) <- do.call(named_sides, sides)
    if (!is.null(gradient)) attr(value, "gradient") <- `dimnames<-`(gradient, named_sides(found$groups[[1L]], points$names, found$labels))
    return(value)
  }
  names(value) <- points$names
  if (!is.null(gradient)) attr(value, "gradient") <- `dimnames<-`(gradient, named_sides(points$names, found$labels))
  if (!is.null(hessian)) attr(value, "hessian") <- `dimnames<-`(hessian, named_sides(points$names, found$labels, found$labels))
  value
}

# A call at each of the points `which`, one after the other, whose results are put where they belong as they come; each is told once of
# what R warns. `ran`: what the call has done before, which last_run() tells of with the rest.
calls_at_points <- function(f, points, frame, rest, call, which, names, grouped, ran = NULL) {
  here <- list2env(rest)
  for (name in points$given) assign(name, get(name, frame), here)
  one <- as.call(c(f, lapply(stats::setNames(nm = c(points$given, names(points$parts), names(rest))), as.symbol)))
  reported <- character()
  before <- last_run()
  on.exit(state$last_run <- ran %||% before)
  to <- NULL
  for (k in seq_along(which)) {
    for (name in names(points$parts)) assign(name, part_at(points$parts[[name]], which[k]), here)
    state$last_run <- NULL
    value <- withCallingHandlers(eval(one, here), warning = function(w) {
      text <- conditionMessage(w)
      if (!text %in% reported) {
        reported <<- c(reported, text)
        if (identical(conditionCall(w)[[1L]], f)) w$call <- call
        warning(w)
      }
      invokeRestart("muffleWarning")
    }, error = function(e) {
      if (identical(conditionCall(e)[[1L]], f)) { # the call that the user made
        e$call <- call
        stop(e)
      }
    })
    ran <- added_reports(ran, last_run())
    slopes <- attr(value, "gradient")
    hessian <- attr(value, "hessian")
    x <- in_r(bare_value(value)) # what stays loses them for good
    if (is.null(to)) {
      to <- places_of_points(value, x, slopes, hessian, length(which), grouped, call)
      values <- vector(typeof(x), to$n * length(which))
      gradient <- if (!is.null(slopes)) array(0, c(to$n, length(which), length(to$labels)))
      hessians <- if (!is.null(hessian)) array(0, c(length(which), dim(hessian)))
      hessian_labels <- rownames(hessian)
    }
    if (length(x) != to$n) limit_error("values at points must be of one length: they are of ", to$n, " and ", length(x))
    values[(k - 1) * to$n + seq_len(to$n)] <- x
    if (!is.null(gradient)) gradient[, k, ] <- as.double(if (is.list(slopes)) unlist(lapply(slopes, in_r), use.names = FALSE) else slopes)
    if (!is.null(hessians)) hessians[k, , ] <- as.matrix(hessian)
  }
  if (to$one) {
    names(values) <- names
  } else {
    dim(values) <- c(to$n, length(which)) # in place
    dimnames(values) <- named_sides(to$elements, names)
  }
  if (!is.null(to$device)) values <- opencl_matrix(as.matrix(values), to$device)
  if (is.null(gradient)) return(values)
  attr(values, "gradient") <- gradient_of_points(gradient, to, names)
  if (!is.null(hessians)) attr(values, "hessian") <- `dimnames<-`(hessians, named_sides(names, hessian_labels, hessian_labels))
  values
}

# What all results have as the first one has it: list(n, one, labels, elements, device). `x`: the value alone, in R; `one`: it is a number
# for each point, else a column.
places_of_points <- function(value, x, slopes, hessian, count, grouped, call) {
  labels <- gradient_names(slopes)
  numbers <- length(x) * (1 + length(labels)) + length(hessian)
  refused <- refuse_results_cpp(8 * as.double(count) * numbers, "the result at all points of `over`")
  if (!is.null(refused$error)) raise_core_error(refused$error, call)
  list(
    n = length(x), one = length(x) == 1L && !grouped, labels = labels, elements = if (is.null(dim(x))) names(x),
    device = if (is_resident(value)) resident_device(value)
  )
}

# `gradient`: elements x points x slopes.
gradient_of_points <- function(gradient, to, names) {
  if (to$one) {
    dim(gradient) <- dim(gradient)[-1L]
    return(`dimnames<-`(gradient, named_sides(names, to$labels)))
  }
  if (is.null(to$device)) return(`dimnames<-`(gradient, named_sides(to$elements, names, to$labels)))
  stats::setNames(lapply(seq_along(to$labels), function(j) opencl_matrix(matrix(gradient[, , j], to$n), to$device)), to$labels)
}

bare_value <- function(x) {
  attr(x, "gradient") <- attr(x, "hessian") <- NULL
  x
}

gradient_names <- function(slopes) if (is.null(dim(slopes))) names(slopes) else colnames(slopes)

named_sides <- function(...) {
  sides <- list(...)
  if (!all(vapply(sides, is.null, NA))) sides
}

# Where there is no point: what one of zeros would have, of none.
no_points <- function(expression, points, frame, by) {
  inputs <- lapply(Filter(function(input) input$formal, expression$inputs), function(input) {
    x <- points$parts[[input$name]]
    if (is.null(x)) return(tryCatch(in_r(eval(input$value %||% as.symbol(input$name), frame)), error = function(e) 0))
    zeros <- array(vector(typeof(x), max(1, prod(dim(x)[-1L]))), c(1L, dim(x)[-1L]))
    if (length(dim(x)) > 1L) dimnames(zeros) <- c(list(NULL), if (is.null(dimnames(x))) rep(list(NULL), length(dim(x)) - 1L) else dimnames(x)[-1L])
    part_at(if (is.null(dim(x))) as.vector(zeros) else zeros, 1L)
  })
  for (input in expression$outer) inputs[length(inputs) + 1L] <- list(outer_value(input))
  value <- numeric()
  n <- 1
  if (is.null(expression$reduce)) {
    made <- tryCatch(compiled(expression, inputs, typed = TRUE), error = function(e) NULL)
    if (!is.null(made)) {
      n <- len_of(made$tree, made$root)
      value <- vector(made$type, 0L)
    }
  }
  groups <- if (!is.null(by)) levels(if (is.factor(by)) by else factor(in_r(by), levels = seq_len(max(0L, in_r(by), na.rm = TRUE))))
  if (!is.null(groups)) n <- length(groups)
  one <- n == 1 && is.null(by)
  if (!one) value <- matrix(value, n, 0L, dimnames = named_sides(groups, NULL))
  if (is.null(expression$gradient)) return(value)
  labels <- names_of_slopes(expression, inputs, expression$gradient, none = TRUE)
  k <- length(labels)
  attr(value, "gradient") <- if (one) matrix(0, 0L, k, dimnames = list(NULL, labels)) else array(0, c(n, 0L, k), list(groups, NULL, labels))
  if (isTRUE(expression$hessian)) attr(value, "hessian") <- array(0, c(0L, k, k), list(NULL, labels, labels))
  value
}
