# A call at many points that is as one before it: data that stay, and points of the same sides. What reading its arguments anew would
# find is known then, and what it was found from is compared.

# `found` of such a call: list(plan, key, values, over, device, switches, labels). Noted where all other arguments are in the function's
# data, nothing else is read, and points are plain numbers.
note_points <- function(expression, points, placed, found) {
  expression$points_before <- NULL
  if (length(expression$outer) > 0L || length(points$given) > 0L) return(invisible())
  if (is.null(placed) || length(placed$marked) + length(found$over) != length(found$values)) return(invisible())
  if (!all(vapply(points$parts, is_plain_points, NA))) return(invisible())
  at <- match(names(points$parts), vapply(expression$inputs[found$over], function(input) input$name, ""))
  if (anyNA(at)) return(invisible()) # one that the function does not use
  found$over <- found$over[at]
  found$host <- on_host(found$device, found$values)
  expression$points_before <- c(found, list(
    session = expression_session, placed = placed, names = names(points$parts), sides = lapply(points$parts, sides_of_points)
  ))
}

is_plain_points <- function(x) {
  is.double(x) && !is.object(x) && (is.null(attributes(x)) || identical(names(attributes(x)), "dim") && length(dim(x)) > 1L)
}

# Of an argument at a point.
sides_of_points <- function(x) dim(x)[-1L]

# What points_at_once() gives, or NULL where the call is to be read as any other. `f`'s other arguments are missing, as they were.
points_again <- function(expression, frame, over, switches, call) {
  before <- expression$points_before
  if (is.null(before) || !identical(before$session, expression_session) || !identical(switches, before$switches)) return(NULL)
  if (!is.list(over) || is.object(over) || !is.null(dim(over)) || !identical(names(over), before$names)) return(NULL)
  if (!all(eval(expression$missing, frame)) || !calls_as_before(expression)) return(NULL)
  count <- count_of_points(over[[1L]])
  if (count == 0L) return(NULL)
  values <- before$values
  parts <- vector("list", length(values))
  for (k in seq_along(over)) {
    x <- over[[k]]
    if (!is_plain_points(x) || !identical(sides_of_points(x), before$sides[[k]]) || count_of_points(x) != count) return(NULL)
    values[[before$over[k]]] <- if (is.null(dim(x))) x[[1L]] else if (length(dim(x)) == 2L) x[1L, ] else part_at(x, 1L)
    parts[[before$over[k]]] <- x
  }
  device <- resolve_devices(before$placed$asked)
  if (!identical(device, before$device) || !identical(placed_before(expression$data, before$placed$marked, device), before$placed$placed)) return(NULL)
  if (before$host && !host_compiles() || !identical(expression_key_cpp(values), before$key)) return(NULL)
  ran <- run_points_plan(before$plan, values, parts, count, device, call)
  if (is.list(ran)) points_result(expression, ran, before$labels)
}
