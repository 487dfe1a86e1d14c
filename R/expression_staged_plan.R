# A function in stages whose arguments are as long as those of a call before: what C++ is told (src/staged_plan.h), so that it runs all
# launches by itself. run_stages() is for first calls, for what comes in pieces, and for what only R can say.

# After a call of run_stages(), which used these `forms` of the kernels. Plans differ by what arguments are besides their lengths:
# whether they stay on a device, have names or dimensions.
note_staged_plan <- function(expression, variant, inputs, key, form = "") {
  memory <- variant$memory
  forms <- memory$forms
  if (is.null(forms)) return(invisible())
  lengths <- measures_of(inputs)
  if (!identical(lengths, variant$measures)) { # a variant for them, if they come again: a plan is for the lengths that it was made for
    again <- identical(lengths, memory$lengths)
    memory$lengths <- lengths
    if (again) {
      made <- make_variant(expression, inputs, endsWith(key, "w"), form)
      shape <- shape_of_call(expression, key, form)
      expression$variants[[shape]] <- utils::head(c(list(made), expression$variants[[shape]]), most_variants)
    }
    return(invisible())
  }
  shape <- paste(staged_shapes_cpp(inputs), collapse = " ")
  # The usual kernels come first at every call, so that none depends on what calls before it needed.
  plans <- lapply(unique(list(ifelse(forms == "values", forms, "usual"), forms)), function(own) {
    name <- paste(c(shape, own), collapse = " ")
    if (is.null(memory$plans[[name]])) memory$plans[[name]] <- staged_plan(expression, variant, inputs, own) %||% FALSE
    memory$plans[[name]]
  })
  plans <- Filter(function(plan) typeof(plan) == "externalptr", plans)
  key <- shape_of_call(expression, key, form)
  others <- Filter(function(plan) !any(vapply(plans, identical, NA, plan)), expression$plans[[key]])
  if (length(plans) > 0L) expression$plans[[key]] <- utils::head(c(plans, others), most_variants)
  invisible()
}

# `points`: for many points, whose values have no attributes of their own.
staged_plan <- function(expression, variant, inputs, forms, points = FALSE) {
  tree <- variant$tree
  series <- expression$by_series$count
  plain <- (!is.null(series) || len_of(tree, variant$root) == 1) && !singles_have_matrices(tree) && length(variant$decisions) == 0L && variant$type == "double" &&
    length(tree$assertions) == 0L && length(tree$told) == 0L && length(variant$recycled) == 0L
  curves <- variant$curves # without a diagonal: those are for new_arrowhead()
  if (!plain || any(curves[1L, ] == 0L) || !all(forms %in% c("usual", "general", "values"))) return(NULL)
  if (points && any(vapply(variant$stages, function(stage) stage$kind == "rounds", NA))) return(NULL)
  if (!points && is.null(series) && (variant$makes_shape || any(vapply(inputs, has_shape, NA))) && !is.null(node_attributes(tree, variant$root, lapply(inputs, input_shape)))) return(NULL)
  all <- c(inputs, vector("list", variant$inputs - length(inputs))) # with those that are computed
  slopes <- vapply(variant$slopes, function(slope) slope$node, 0L)
  steps <- Map(function(stage, form) noted_step(variant, stage, form, all), variant$stages, forms)
  steps <- c(steps, list(noted_values(tree, variant$final, c(variant$root, slopes, curves[3L, ], variant$watched))))
  if (any(vapply(steps, is.null, NA))) return(NULL)
  ids <- unique(unlist(lapply(steps, function(step) step$order)))
  nodes <- lapply(ids, function(id) noted_node(tree, id))
  if (any(vapply(nodes, is.null, NA))) return(NULL)
  computed <- seq_len(variant$inputs)[-seq_along(inputs)]
  sizes <- c(vapply(inputs, function(x) if (is_resident(x)) 0 else as.double(length(x)), 0), variant$input_lengths[computed])
  plan <- staged_plan_cpp(list(
    measures = measures_of(inputs), named = variant$named, nodes = nodes, steps = steps, root = variant$root,
    slopes = slopes, curves = curves, slope_inputs = vapply(variant$slopes, function(slope) slope$input, 0L),
    slope_names = vapply(variant$slopes, function(slope) expression$inputs[[slope$input]]$name, ""), labels = new.env(parent = emptyenv()),
    series = series %||% 0, warns = any(vapply(tree$sites, function(site) site$node %in% ids, NA)), sizes = sizes,
    whole = c(vapply(inputs, input_type, ""), variant$input_types[computed]) != "double"
  ), inputs)
  if (is.list(plan)) raise_core_error(plan$error, NULL)
  plan
}

# The values of `nodes`, which `inputs` are. How many elements a vector has is known: it is not needed itself.
noted_values <- function(tree, order, nodes, inputs = integer()) {
  reached <- nodes_under(tree, nodes, function(node) if (!node$op %in% c("count", "input")) node$args)
  list(order = order[order %in% reached], inputs = inputs, nodes = nodes)
}

# NULL of what is not for C++ alone.
noted_step <- function(variant, stage, form, inputs) {
  tree <- variant$tree
  if (stage$kind == "values") return(noted_values(tree, stage$order, stage$ids, stage$inputs))
  if (stage$kind == "rounds") return(noted_loop(variant, stage, inputs))
  if (!stage$kind %in% c("sums", "segments", "elements")) return(NULL)
  kernel <- stage$kernels[[form]]
  text <- kernel$text
  if (is.null(kernel$handle) || !all(text$outputs == "double") || length(text$seeds) > 0L) return(NULL)
  n <- element_count(kernel, inputs)
  step <- list(
    order = integer(), inputs = integer(), nodes = integer(), handle = kernel$handle, columns = as.integer(kernel$columns),
    scalars = as.integer(text$scalars), lengths = as.double(length_values(kernel, inputs)),
    n = n, codes = 0L, made_of = integer(), kernels = stage$kernels, groups = 0, outputs = stage$inputs, divisors = rep(1, length(stage$inputs))
  )
  if (stage$kind == "segments") {
    codes <- node_of(tree, stage$codes)
    made_of <- inputs_of_codes(tree, stage)
    if (length(made_of) == 0L || any(made_of > length(tree$inputs))) return(NULL)
    if (codes$op == "input") {
      by_r <- codes$type == "logical" || (codes$type == "double" && is_resident(inputs[[codes$value]])) # R sorts these
      if (!by_r) step$codes <- codes$value
    }
    step$made_of <- made_of
    step$kernels <- stage$kernels
    step$groups <- node_of(tree, definition_of(tree, stage$inputs))$len
  }
  if (stage$kind == "sums") {
    own <- stage$inputs[seq_len(length(stage$inputs) - length(stage$terms) - stage$each)]
    if (!all(stage$reduce %in% c("sum", "mean")) || !all(stage$parts == 1L) || (stage$na_rm && "mean" %in% stage$reduce)) return(NULL)
    spare <- length(stage$reduce) - length(own) # sums that nobody needs
    step$outputs <- c(own, integer(spare), stage$inputs[-seq_along(own)])
    if (length(own) == 0L) step$outputs <- c(integer(spare), stage$inputs)
    step$divisors <- c(ifelse(stage$reduce == "mean", n, 1), rep(1, length(step$outputs) - length(stage$reduce)))
  }
  step
}

# A loop over data, as rounds_run_cpp() takes it.
noted_loop <- function(variant, stage, inputs) {
  tree <- variant$tree
  kernels <- stage$kernels
  if (is.null(kernels$handle) || any(kernels$inputs == 0L)) return(NULL)
  types <- vapply(kernels$inputs, function(k) if (is.null(inputs[[k]])) variant$input_types[k] else input_type(inputs[[k]]), "")
  if (any((types == "double") != (kernels$types == "double"))) return(NULL)
  nodes <- lapply(stage$scalars, function(id) node_of(tree, id))
  constant <- vapply(nodes, function(node) node$op == "const", NA)
  made <- stage$parts > stage$carried # a vector that the loop leaves
  vectors <- integer(length(stage$vectors))
  vectors[stage$parts[made] - stage$carried] <- stage$inputs[made]
  list(
    order = integer(), inputs = as.integer(stage$inputs[!made]), nodes = integer(), loop = kernels$handle, columns = kernels$inputs,
    scalars = ifelse(constant, 0L, vapply(nodes, function(node) if (node$op == "input") as.integer(node$value) else 0L, 0L)),
    constants = vapply(nodes, function(node) if (node$op == "const") as.double(node$value) else 0, 0), whole = kernels$whole,
    numbers = loop_numbers(stage), series = stage$series, items = stage$items, parts = as.integer(stage$parts[!made]),
    sizes = loop_sizes(stage), outputs = c(0L, vectors)
  )
}

noted_node <- function(tree, id) {
  node <- node_of(tree, id)
  value <- node$value
  if (node$type == "integer" && !node$op %in% c("const", "input", "slice", "gather", "concat", "bare", "materialize")) return(NULL)
  noted <- list(
    id = id, op = node$op, args = node$args, name = "", constant = 0, input = 0, length = node$len, first = 0, step = 0, taken = 0, from_end = FALSE,
    as_test = TRUE
  )
  if (node$op == "input") noted$args <- integer()
  if (node$op == "const") noted$constant <- as.double(value)
  if (node$op == "count") noted[c("op", "args", "constant")] <- list("const", integer(), as.double(len_of(tree, node$args[1L])))
  if (node$op %in% c("input", "patch")) noted$input <- value
  if (node$op %in% c("elementary", "library")) noted$name <- value
  if (node$op == "reduce" && !value$na_rm && value$number == 0L) noted$name <- value$op
  if (node$op == "select") noted$as_test <- node$len == len_of(tree, node$args[1L])
  if (node$op %in% c("slice", "spread")) {
    noted[c("first", "step", "from_end")] <- value[c("first", "step", "from_end")]
    if (node$op == "spread") noted$taken <- value$len
  }
  if (length(noted$constant) == 1L) noted
}
