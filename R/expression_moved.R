# Hessians column by column: the program is that of the Hessian times a vector (moved_slopes() in src/expression/second.h), as long
# whatever the number of parameters is, and runs once for each of them.

# Whether a call's Hessian is computed so. Of a few numbers one program has all second derivatives, and so it has where effects of levels are
# integrated out, whose part is diagonal.
is_by_directions <- function(expression, inputs) {
  if (!isTRUE(expression$hessian) || !is.null(expression$diagonal) || !is.null(expression$effects)) return(FALSE)
  given <- inputs[gradient_of(expression, inputs)]
  if (any(vapply(given, function(x) length(dim(x)) == 2L, NA))) return(FALSE) # refused
  sizes <- vapply(given, size_of, 0)
  any(sizes > 1) || length(sizes) > most_scalars_at_once
}
most_scalars_at_once <- 3L

# A program with all columns computes once what they share, and is one launch. It pays for few columns, and for many rows: from some 1e5 on a call
# of the short program takes longer than the long one's compilation, spread over the calls of some fits. Never where it would be long itself.
few_columns <- 8
some_columns <- 16 # which one program has faster than a product of matrices, of many rows
many_rows <- 1e5
few_nodes <- 5000
most_columns <- 64 # that one program may have

# The function without its Hessian, the one whose slopes are the Hessian times `directions$values`, the one of weights_of_hessian(), and what
# the function has besides the sum that these are of.
parts_of_hessian <- function(expression) {
  if (!is.null(expression$moved)) return(expression$moved)
  kept <- as.list(expression, all.names = TRUE)
  kept <- kept[setdiff(names(kept), c("variants", "ready", "plans", "layouts", "points", "points_known", "last", "session", "hessian", "moved"))]
  plain <- list2env(c(kept, list(hessian = FALSE, variants = list())), parent = emptyenv())
  moving <- list2env(c(kept, list(hessian = FALSE, variants = list())), parent = emptyenv())
  directions <- new.env(parent = emptyenv())
  names <- paste(".direction", seq_along(expression$gradient))
  moving$moves <- length(expression$inputs) + seq_along(names)
  added <- lapply(names, function(name) list(name = name, env = directions, formal = FALSE, only_index = FALSE))
  moving$inputs <- c(expression$inputs, added)
  moving$outer <- c(expression$outer, added)
  weights <- list2env(c(kept, list(hessian = FALSE, weights = TRUE, variants = list())), parent = emptyenv())
  rest <- list2env(c(kept, list(hessian = TRUE, rest = TRUE, variants = list())), parent = emptyenv())
  expression$moved <- list(plain = plain, moving = moving, weights = weights, rest = rest, directions = directions, names = names)
  expression$moved
}

# What a call's Hessian takes, for its inputs: list(parts, sizes, slope, rest, diagonal, directions, move, names), `slope` of each number the argument
# that it is of, `rest` the numbers that have a column, `diagonal` the arguments whose part is diagonal, and move(direction), which the next call
# of the function that moves is for. NULL where the Hessian comes of one program, or where R may have to compute all, in which the compiler
# refuses what stands in a branch that R may not come to.
directions_of <- function(expression, inputs) {
  if (!is_by_directions(expression, inputs)) return(NULL)
  parts <- parts_of_hessian(expression)
  in_gradient <- gradient_of(expression, inputs)
  at <- match(in_gradient, expression$gradient)
  sizes <- vapply(inputs[in_gradient], size_of, 0)
  slope <- rep(seq_along(sizes), sizes)
  move <- function(direction) {
    for (name in parts$names[-at]) assign(name, 0, parts$directions)
    for (k in seq_along(at)) assign(parts$names[at[k]], direction[slope == k], parts$directions)
  }
  none <- numeric(length(slope))
  move(none)
  moving <- moving_inputs(parts, inputs)
  variant <- tryCatch(find_variant(parts$moving, moving$inputs, moving$key), nmathopencl_error = function(e) if (!of_branch(e)) stop(e))
  if (is.null(variant)) return(NULL)
  diagonal <- which(variant$diagonal == 1L)
  rest <- which(!slope %in% diagonal)
  few <- max(vapply(moving$inputs, rows_of, 0)) >= many_rows || length(rest) <= few_columns
  if (few && length(rest) <= most_columns && length(rest) * length(variant$tree$nodes) <= few_nodes) return(NULL)
  directions <- c(lapply(rest, function(k) replace(none, k, 1)), lapply(diagonal, function(k) replace(none, slope == k, 1)))
  list(
    parts = parts, sizes = sizes, slope = slope, rest = rest, diagonal = diagonal, directions = directions, move = move, names = parts$names[at]
  )
}

# `by`: of directions_of(); `values` as run_expression() takes them, `inputs` with the outer ones, as its programs do.
hessian_by_directions <- function(by, values, inputs, device, fallback, verbose, call) {
  value <- expression_runner(by$parts$plain)(values, NULL, device, fallback, verbose, call, FALSE)
  report <- last_run()
  if (isTRUE(by$parts$plain$infinite) && !isTRUE(by$parts$moving$infinite)) note_infinite_data(by$parts$moving)
  moved <- if (!fallback) directions_at_once(by, inputs, device, call)
  if (is.null(moved)) {
    run <- expression_runner(by$parts$moving)
    moved <- withCallingHandlers(
      lapply(by$directions, function(direction) {
        by$move(direction)
        slopes <- unname(attr(run(values, NULL, device, fallback, FALSE, call, FALSE), "gradient"))
        report <<- added_reports(report, last_run(), report$elements)
        slopes
      }),
      warning = function(w) invokeRestart("muffleWarning") # the value has told of it
    )
  } else {
    report <- added_reports(report, last_run(), report$elements)
  }
  state$last_run <- report
  attr(value, "hessian") <- joined_directions(by, moved, names(attr(value, "gradient")))
  value
}

# The same for all directions as many points of one call, which computes once what they share: bit for bit what a call for each gives. NULL
# where that cannot be.
directions_at_once <- function(by, inputs, device, call) {
  moving <- by$parts$moving
  if (length(by$directions) < 2L || length(moving$wide_sums) > 0L) return(NULL)
  by$move(by$directions[[1L]])
  known <- moving_inputs(by$parts, inputs)
  at <- match(by$names, vapply(moving$inputs, function(input) input$name, ""))
  parts <- vector("list", length(known$inputs))
  directions <- do.call(rbind, by$directions)
  for (k in seq_along(at)) {
    own <- directions[, by$slope == k, drop = FALSE]
    parts[[at[k]]] <- if (ncol(own) == 1L && is.null(dim(known$inputs[[at[k]]]))) as.vector(own) else own
  }
  for (form in c("", " general")) {
    plan <- points_plan(moving, known$inputs, known$key, at, form)
    if (is.null(plan)) return(NULL)
    ran <- run_points_plan(plan, known$inputs, parts, nrow(directions), NULL, device, call)
    if (!is.null(ran)) break
  }
  if (is.null(ran) || isFALSE(ran) || length(ran$flagged) > 0L) return(NULL)
  state$last_run <- ran$report
  lapply(seq_len(nrow(directions)), function(i) ran$gradient[i, ])
}

# `moved`: of each direction the Hessian times it.
joined_directions <- function(by, moved, labels) {
  if (length(by$diagonal) == 0L) return(mirrored(matrix(unlist(moved), length(labels), dimnames = list(labels, labels))))
  of_rest <- seq_along(by$rest)
  arguments <- seq_along(by$sizes)
  blocks <- c(
    unlist(lapply(moved[of_rest], function(x) lapply(arguments, function(k) x[by$slope == k])), recursive = FALSE),
    Map(function(x, k) x[by$slope == k], moved[length(by$rest) + seq_along(by$diagonal)], by$diagonal)
  )
  curves <- rbind(c(rep(by$rest, each = length(by$sizes)), 0 * by$diagonal), c(rep(arguments, length(by$rest)), by$diagonal))
  hessian_matrix(curves, blocks, by$sizes, labels)
}

# At many points: those of single calls, to the last bit. As points_at_once() gives it.
points_by_directions <- function(by, over, points, frame, switches, call) {
  found <- points_at_once(by$parts$plain, over, points, frame, switches, call)
  if (is.null(found)) return(NULL)
  report <- last_run()
  moved <- list()
  for (direction in by$directions) {
    by$move(direction)
    one <- points_at_once(by$parts$moving, over, points, frame, switches, call)
    if (is.null(one)) return(NULL)
    found$flagged <- union(found$flagged, one$flagged)
    moved <- c(moved, list(one$gradient))
  }
  k <- length(by$slope)
  found$hessian <- array(0, c(points$count, k, k))
  for (j in seq_along(by$rest)) {
    column <- by$rest[j]
    rows <- c(by$rest[by$rest >= column], which(by$slope %in% by$diagonal))
    found$hessian[, column, rows] <- found$hessian[, rows, column] <- moved[[j]][, rows]
  }
  for (j in seq_along(by$diagonal)) {
    for (row in which(by$slope == by$diagonal[j])) found$hessian[, row, row] <- moved[[length(by$rest) + j]][, row]
  }
  state$last_run <- report
  found
}

# The inputs of the function that moves, and their key.
moving_inputs <- function(parts, inputs) {
  inputs <- c(inputs, lapply(parts$moving$outer[seq_along(parts$names) + length(parts$plain$outer)], outer_value))
  key <- expression_key_cpp(inputs)
  if (is.null(key)) return(known_inputs(parts$moving, inputs))
  list(inputs = inputs, key = key)
}
