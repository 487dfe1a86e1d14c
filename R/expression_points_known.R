# A call at many points that is as one before it is C++'s alone (src/points_known.cpp): what reading its arguments anew would find is
# noted here, and what it was found from is compared there.

most_known_points <- 8L # ways of calling a function, the last ones first

# `over`: as the user gave it; `found` of the call: list(plan, key, values, over, labels), `over` by number the inputs that it has.
# Noted where points are plain doubles, and the other arguments the function's data, arguments, or variables that it reads by name.
note_points <- function(expression, over, points, used, frame, found) {
  way <- if (is.list(over) && !is.object(over)) "list" else if (is.double(over) && !is.object(over)) "matrix"
  if (is.null(way) || !all(vapply(points$parts, is_plain_points, NA))) return(invisible())
  if (way == "matrix" && length(dim(over)) != 2L || way == "list" && !is.null(dim(over))) return(invisible())
  if (way == "matrix" && is.null(dim(points$parts[[1L]]))) way <- "columns"
  at <- match(names(points$parts), vapply(used, function(input) input$name, ""))
  if (anyNA(at)) return(invisible()) # one that the function does not use
  sources <- lapply(seq_along(used), function(k) {
    if (k %in% at) return(NULL)
    name <- used[[k]]$name
    if (name %in% expression$data$names && !name %in% points$given) data_mark else as.symbol(name)
  })
  for (input in expression$outer) {
    if (!is.null(input$value)) return(invisible())
    sources <- c(sources, list(list(as.symbol(input$name), input$env %||% baseenv())))
  }
  plan <- found$plan
  if (is.null(plan$staged)) plan$over <- match(plan$text$over, seq_along(sources))
  widths <- measures_of(found$values)[2L * length(found$values) + seq_along(found$values)]
  record <- list(
    missing = eval(expression$missing, frame), way = way, names = names(points$parts), at = at, sources = sources,
    parts = lapply(points$parts, function(x) list(sides = dim(x)[-1L], labels = dimnames(x)[-1L])),
    key = found$key, widths = widths, labels = found$labels,
    plan = plan[intersect(c("handle", "staged", "columns", "scalars", "lengths", "over", "n", "wide", "mean"), names(plan))]
  )
  known <- Filter(function(one) !identical(one[same_way], record[same_way]), expression$points_known)
  expression$points_known <- utils::head(c(list(record), known), most_known_points)
}

# What calls of one way agree in.
same_way <- c("missing", "way", "names", "sources", "parts", "key", "widths")

is_plain_points <- function(x) {
  if (!is.double(x) || is.object(x)) return(FALSE)
  if (is.null(dim(x))) return(all(names(attributes(x)) == "names"))
  all(names(attributes(x)) %in% c("dim", "dimnames")) && length(dim(x)) > 1L && is.null(names(dimnames(x)))
}

# What answers `f`'s calls at many points: those that are not known are run_points()'.
points_runner <- function(expression) {
  function(f, frame, over, by, device, fallback, verbose, call, keep) {
    ran <- .Call(`_nmathopencl_points_known_cpp`, expression, frame, over, by, device, fallback, verbose, keep, environment())
    if (is.double(ran)) ran else run_points(expression, f, frame, over, by, device, fallback, verbose, call, keep, ran)
  }
}
