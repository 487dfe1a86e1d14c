# Sums at many points in one call, where that is the same for all of them but for numbers: see src/engine/fused_points.h.

# Values and gradients, or NULL where each point is to be a call of its own.
points_at_once <- function(expression, over, points, frame, switches, call) {
  if (isTRUE(switches$fallback) || isTRUE(switches$verbose)) return(NULL)
  if (is.null(expression$reduce) && !expression$staged) return(NULL)
  if (length(expression$wide_sums) > 0L) return(NULL) # each point has its own calls
  if (length(expression$called) > 0L) look_up_called(expression)
  used <- Filter(function(input) input$formal, expression$inputs)
  values <- values_besides(expression, used, points, frame)
  if (is.null(values)) return(NULL)
  device <- switches$device
  if (!is.null(expression$data)) {
    placed <- place_data(expression, values, NULL, device, FALSE, call)
    values <- placed$values
    device <- placed$device
  }
  for (input in expression$outer) values[length(values) + 1L] <- list(outer_value(input))
  values <- lapply(values, without_plain_class, environment(expression$f))
  for (k in seq_along(values)) if (is.factor(values[[k]]) && expression$inputs[[k]]$only_index) values[[k]] <- as.integer(values[[k]])
  for (x in values) if (is.object(x) && (!is_resident(x) || size_of(x) == 1)) return(NULL)
  by <- switches$by
  if (is_resident(by)) device <- device_of_residents(c(list(by), Filter(is_resident, values)), call)
  device <- resolve_devices(device)
  if (!host_compiles() && on_host(device, values)) return(NULL)
  key <- expression_key_cpp(values)
  if (is.null(key) || key == "") return(NULL)
  at <- integer()
  parts <- vector("list", length(values))
  for (k in seq_along(used)) {
    part <- points$parts[[used[[k]]$name]]
    if (is.null(part)) next
    at <- c(at, k)
    parts[[k]] <- part
  }
  if (length(at) == 0L) return(NULL)
  for (k in whole_used_as_doubles(expression, values, parts, key, if (is.null(by)) "" else "by")) {
    storage.mode(parts[[k]]) <- "double"
    values[[k]] <- part_at(parts[[k]], 1L)
  }
  key <- expression_key_cpp(values)
  if (is.null(by) && !is.null(weights_of_hessian(expression, values, key))) return(NULL) # a call for each
  directions <- if (is.null(by)) directions_of(expression, values)
  if (!is.null(directions)) return(points_by_directions(directions, over, points, frame, switches, call))
  way <- ""
  groups <- NULL
  if (!is.null(by)) {
    if (is.null(expression$reduce) || is_of_series(expression, values, key)) return(NULL)
    variant <- find_variant(expression, values, key, "by")
    groups <- expression_groups(by, variant, values)
    way <- if (variant$text$uses_index || any(vapply(values, is_resident, NA))) " by order" else " by"
  }
  for (form in paste0(way, c("", " general"))) {
    plan <- points_plan(expression, values, key, at, form)
    if (is.null(plan)) return(NULL)
    ran <- run_points_plan(plan, values, parts, points$count, groups, device, call)
    if (!is.null(ran)) break
  }
  if (is.null(ran) || isFALSE(ran)) return(NULL)
  labels <- points_labels(expression, plan, values)
  if (!is.null(by)) return(c(points_result(expression, ran, labels), list(groups = list(groups$names))))
  if (form == "" || !is.null(plan$staged)) note_points(expression, over, points, used, frame, list(plan = plan, key = key, values = values, labels = labels))
  points_result(expression, ran, labels)
}

# Vectors of whole numbers in `parts`, by number, of which the function takes nothing but what as.double() makes of them: a kernel at many
# points has doubles.
whole_used_as_doubles <- function(expression, values, parts, key, form) {
  whole <- which(vapply(seq_along(parts), function(k) {
    !is.null(parts[[k]]) && !is.double(parts[[k]]) && length(dim(parts[[k]])) == 2L && length(values[[k]]) > 1L
  }, NA))
  if (length(whole) == 0L || (form == "by" && is.null(expression$reduce))) return(integer())
  if (form == "by" && is_of_series(expression, values, key)) return(integer())
  variant <- find_variant(expression, values, key, form)
  nodes <- variant$tree$nodes
  as_they_are <- unlist(c(variant$root, variant$outputs, lapply(nodes, function(node) if (node$op != "as_double") node$args)))
  kept <- vapply(nodes[unique(as_they_are)], function(node) if (node$op == "input") node$value else 0L, 0L)
  setdiff(whole, kept)
}

# A run, for points_found(); last_run() and the function itself tell of it.
points_result <- function(expression, ran, labels) {
  state$last_run <- ran$report
  expression$device <- ran$report$device
  if (ran$report$built > 0L) tell_cache_warning()
  list(value = ran$value, gradient = ran$gradient, hessian = ran$hessian, flagged = ran$flagged, labels = labels)
}

# The inputs of a call at the first point; NULL where a default may differ from point to point, or only R knows what they are.
values_besides <- function(expression, used, points, frame) {
  known <- formals(expression$f)
  if (expression$asks[["missing"]]) return(NULL)
  values <- vector("list", length(used))
  for (k in seq_along(used)) {
    input <- used[[k]]
    if (!is.null(input$value)) return(NULL)
    name <- input$name
    if (name %in% names(points$parts)) {
      values[[k]] <- part_at(points$parts[[name]], 1L)
    } else if (name %in% points$given) {
      values[k] <- list(get(name, frame))
    } else if (name %in% expression$data$names) {
      values[[k]] <- data_mark
    } else {
      if (any(all.vars(known[[name]]) %in% names(known))) return(NULL)
      values[k] <- list(get(name, frame))
    }
    if (is.null(values[[k]])) return(NULL)
  }
  values
}

# A kernel for these `over`, inputs by number; NULL where there is none. What a call at one point decides by R is for calls of one point.
points_plan <- function(expression, values, key, over, form) {
  widths <- integer()
  for (x in values) widths <- c(widths, if (is_resident(x)) resident_fields(x)$dim[2L] else dim(x)[2L])
  name <- paste0(key, form, " over ", paste(over, collapse = " "), " columns ", paste(widths, collapse = " "))
  made <- function(name) {
    known <- expression$points[[name]]
    if (is.null(known) || !identical(expression$session, expression_session)) {
      known <- make_points_plan(expression, values, key, over, form) %||% FALSE
      if (length(expression$points) >= most_layouts) expression$points <- NULL
      expression$points[[name]] <- known
    }
    known
  }
  known <- made(name)
  if (!isFALSE(known) && !staged_points_fit(known, values)) known <- made(paste(name, "of", own_layout(known, values)))
  if (!isFALSE(known)) known
}

# Whether a plan in stages is one for these lengths, names and dimensions, which its key does not tell.
staged_points_fit <- function(plan, values) {
  if (is.null(plan$staged)) return(TRUE)
  identical(plan$attributes, staged_attributes_cpp(values)) && variant_fits(list(exact = TRUE, measures = plan$measures, named = plan$named), values)
}

# Lengths, names and dimensions of these values, as far as a plan in stages depends on them.
own_layout <- function(plan, values) {
  names <- Map(function(k, column) names_of_part(values[[k]], column == 1L), plan$named$input, plan$named$column)
  paste(c(measures_of(values), staged_attributes_cpp(values), unlist(names)), collapse = " ")
}

make_points_plan <- function(expression, values, key, over, form) {
  if (!is.null(expression$reduce) && !expression$reduce$op %in% c("sum", "mean")) return(NULL)
  usual <- trimws(sub(" general", "", form, fixed = TRUE))
  variant <- find_variant(expression, values, key, usual)
  if (!is.null(variant$stages)) return(if (usual == "") make_staged_points(expression, variant, values, key, over, form != ""))
  if (trimws(form) != usual) variant <- find_variant(expression, values, key, trimws(form))
  if (is.null(expression$reduce)) return(NULL)
  plan <- expression_plan(expression, variant)
  if (is.null(plan) || length(variant$named$input) > 0L) return(NULL)
  made <- tryCatch(compiled(expression, values, endsWith(key, "w"), trimws(form), over = over), nmathopencl_error = function(e) NULL)
  if (is.null(made)) return(NULL)
  text <- made$text
  measures <- measures_of(values)
  if (anyNA(match(c(text$lengths, text$n), measures))) return(NULL)
  list(
    handle = made$handle, columns = as.integer(text$columns), over = as.integer(text$over),
    scalars = as.integer(text$scalars), lengths = match(text$lengths, measures), n = match(text$n, measures), slopes = variant$slopes,
    wide = as.integer(plan[[8L]] > 0L), mean = expression$reduce$op == "mean"
  )
}

# In stages: each launch is one for all points. `general`: with the general kernels besides, for launches that are too short for the others.
make_staged_points <- function(expression, variant, values, key, over, general) {
  if (variant$type != "double" || len_of(variant$tree, variant$root) != 1) return(NULL)
  made <- tryCatch(compiled(expression, values, endsWith(key, "w"), over = over), nmathopencl_error = function(e) NULL)
  if (is.null(made)) return(NULL)
  variant <- staged_variant(made, values)
  variant$stages <- elements_as_values(variant, length(values))
  if (is.null(variant$stages)) return(NULL)
  kinds <- vapply(variant$stages, function(stage) stage$kind, "")
  if (!all(kinds %in% c("values", "sums", "segments", "elements")) || !"sums" %in% kinds) return(NULL)
  segments <- Filter(function(stage) stage$kind == "segments", variant$stages)
  made_of <- lapply(segments, function(stage) inputs_of_codes(variant$tree, stage))
  if (any(vapply(made_of, is.null, NA)) || any(unlist(made_of) %in% over)) return(NULL) # codes are those of all points
  forms <- c("usual", if (general) "general")
  plans <- lapply(forms, function(form) {
    staged_plan(variant, values, ifelse(kinds == "values", "values", form), TRUE)
  })
  if (any(vapply(plans, is.null, NA))) return(NULL)
  list(
    staged = plans, measures = variant$measures, attributes = staged_attributes_cpp(values), named = variant$named, slopes = variant$slopes,
    sorts = function(values) for (stage in segments) if (!has_given_codes(variant$tree, stage)) code_groups(variant, stage, values, values)
  )
}

# What is the same to the last bit wherever it is computed.
exact_nodes <- c(
  "const", "input", "column", "count", "+", "-", "*", "/", "neg", "plus", "slice", "spread", "concat", "fill", "position", "bare", "abs", "materialize", "patch", "as_double",
  "select", "==", "!=", "<", ">", "<=", ">=", "&", "|", "!"
)
most_values <- 1000 # of a point, that are computed one after the other

# x^1 and x^2.
is_small_power <- function(tree, id) {
  node <- node_of(tree, id)
  if (node$op != "^") return(FALSE)
  under <- nodes_under(tree, node$args[2L], function(node) node$args)
  constant <- all(vapply(under, function(id) node_of(tree, id)$op %in% c("const", "+", "-", "neg"), NA))
  constant && isTRUE(node_value(tree, node$args[2L], list()) %in% 1:2)
}

# Stages that leave the elements of short vectors, as values, where these are exact; NULL where another one is not for many points.
elements_as_values <- function(variant, given) {
  tree <- variant$tree
  there <- seq_len(variant$inputs) <= given
  stages <- variant$stages
  for (s in seq_along(stages)) {
    stage <- stages[[s]]
    if (stage$kind == "elements") {
      ids <- vapply(stage$inputs, function(k) definition_of(tree, k), 0L)
      order <- order_under(tree, ids, there)
      exact <- all(vapply(order, function(id) (node_of(tree, id)$op %in% exact_nodes || is_small_power(tree, id)) && len_of(tree, id) <= most_values, NA))
      if (exact) {
        stages[[s]] <- list(kind = "values", inputs = stage$inputs, ids = ids, order = order)
      } else if (!stage$kernels$usual$text$at_points) {
        return(NULL)
      }
    }
    there[stage$inputs] <- TRUE
  }
  stages
}

# `groups`: of expression_groups(), or NULL.
run_points_plan <- function(plan, values, parts, count, groups, device, call) {
  if (!is.null(plan$staged)) plan$sorts(values)
  ran <- points_run_cpp(plan, values, parts, count, groups$handle, device, call_progress("opencl_function", environment()))
  if (!is.list(ran) || is.null(ran$error)) return(ran)
  if (on_host(device, values) && compiler_is_broken(ran$error, call)) return(FALSE)
  raise_core_error(ran$error, call)
}

points_labels <- function(expression, plan, values) {
  unlist(lapply(plan$slopes, function(slope) {
    if (is.null(slope$terms)) return(names_of_slopes(expression, values, slope$input))
    numbered_names(expression$inputs[[slope$input]]$name, values[[slope$input]])
  }))
}

# ---- calls like one before
#
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
  widths <- measures_of(found$values)[2L * length(found$values) + seq_along(found$values)]
  record <- list(
    missing = eval(expression$missing, frame), way = way, names = names(points$parts), at = at, sources = sources,
    parts = lapply(points$parts, function(x) list(sides = dim(x)[-1L], labels = dimnames(x)[-1L])),
    key = found$key, widths = widths, labels = found$labels,
    plan = found$plan[intersect(c("handle", "staged", "columns", "scalars", "lengths", "over", "n", "wide", "mean"), names(found$plan))]
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
    run <- function(ran) run_points(expression, f, frame, over, by, device, fallback, verbose, call, keep, ran)
    value <- if (is.double(ran)) ran else run(ran)
    if (has_lost_slopes(expression, value)) with_infinite_data(expression, value, function() run(NULL)) else value
  }
}
