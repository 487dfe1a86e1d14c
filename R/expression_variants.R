# Variants of a function: each is a program for arguments of some types and lengths. What the compiler (src/expression) asks R for, and what R
# keeps of what it gives.

warning_bits <- 31L # of a word of flags

# What expression_compile_cpp() is told of a function.
compiled <- function(expression, inputs, wide = FALSE, form = "", typed = FALSE, fallback = FALSE, over = integer()) {
  known <- expression$inputs
  given <- seq_along(inputs)
  tree <- new.env(parent = emptyenv())
  tree$nodes <- list()
  tree$inputs <- lapply(given, function(k) {
    x <- inputs[[k]]
    list(name = known[[k]]$name, type = input_type(x), len = as.double(length(x)), dim = if (length(dim(x)) == 2L) as.integer(dim(x)))
  })
  facts <- tree$inputs
  reduce <- expression$reduce
  absent <- "" # what there is besides a name that was asked for and is none
  made <- with_bodies(expression, expression_compile_cpp(list(
    `function` = function_parts(expression$f, TRUE), resolve = resolved_call,
    names = vapply(known[given], function(input) input$name, ""), envs = lapply(known[given], function(input) input$env),
    formal = vapply(known[given], function(input) input$formal, NA), types = vapply(facts, function(fact) fact$type, ""),
    lengths = vapply(facts, function(fact) fact$len, 0), dims = lapply(inputs, function(x) if (length(dim(x)) %in% 1:2) as.integer(dim(x))),
    known = lapply(inputs, input_known), series = expression$by_series, text = function(id) as.character(node_value(tree, id, inputs)), tree = tree, value = function(id) node_value(tree, id, inputs), rounding = whole_rounding,
    shapes = function(root) {
      if (any(vapply(inputs, has_shape, NA))) node_attributes(tree, root, lapply(inputs, input_shape)) # an error where arrays do not fit
      NULL
    },
    reduce = reduce$op %||% "", na_rm = isTRUE(reduce$na_rm), gradient = gradient_of(expression, inputs), hessian = isTRUE(expression$hessian), weights = isTRUE(expression$weights), rest = isTRUE(expression$rest), moves = expression$moves[match(gradient_of(expression, inputs), expression$gradient)], diagonal = expression$diagonal, effects = expression$effects, wide = wide, form = form,
    position = function(k, name, column) {
      there <- names_of_part(inputs[[k]], column)
      if (!name %in% there) absent <<- absent_name_text(name, there, known[[k]]$name, column)
      match(name, there, nomatch = 0L)
    },
    infinite = isTRUE(expression$infinite), wide_sums = expression$wide_sums, as_gpu = as_gpu(), arithmetic = arithmetic_library(), typed = typed, fallback = fallback, staged = expression$staged, over = over
  )))
  if (!is.null(made$error)) {
    if (endsWith(made$error$message, "subscript out of bounds")) made$error$message <- paste0(made$error$message, absent)
    made$error$message <- group_error_text(text_as_written(made$error$message, names_of_parts_taken(known)))
    raise_core_error(with_advice(made$error, expression), user_call())
  }
  if (!is.null(made$stopped)) stop(simpleError(made$stopped, if (made$is_shown) written_call(made$call) %||% user_call()))
  names <- names_of_parts_taken(known)
  if (length(names) > 0L) {
    for (of in c("sites", "recycled", "singles", "assertions", "warnings")) tree[[of]] <- calls_as_written(tree[[of]], names)
    made <- calls_as_written(made, names)
  }
  inputs <- NULL # what was made here keeps this frame, and is to keep no arguments of a call
  c(list(tree = tree), made)
}

# The names of a vector's elements or a matrix's columns.
names_of_part <- function(x, column) {
  if (!column) return(names(x))
  if (is_resident(x)) resident_fields(x)$dimnames[[2L]] else colnames(x)
}

absent_name_text <- function(name, there, of, column) {
  what <- if (column) "columns" else "elements"
  if (is.null(there)) return(paste0(". The ", what, " of `", of, "` have no names", if (!column) paste0(": give it them, ", of, " = c(", name, " = ...)")))
  shown <- in_ticks(there[seq_len(min(length(there), 20L))])
  paste0(". It has ", if (column) "columns ", shown, if (length(there) > 20L) paste0(" and ", length(there) - 20L, " others"), did_you_mean(name, there))
}

make_variant <- function(expression, inputs, wide, form) {
  made <- compiled(expression, inputs, wide, form)
  if (!is.null(made$stages)) return(staged_variant(made, inputs, !is.null(expression$by_series)))
  tree <- made$tree
  text <- made$text
  measures <- measures_of(inputs)
  list(
    handle = made$handle, columns = text$columns, tree = tree, root = made$root,
    outputs = as.list(made$outputs), own = made$own, own_parts = made$own_parts, text = text, slopes = made$slopes, curves = curves_of(made),
    weights = matrix(made$weights, 4L), scale = made$scale, mean = made$mean, rest = made$rest, exact = tree$exact, measures = measures, named = tree$named, decisions = tree$decisions, decision_sites = decision_sites(tree, made$outputs),
    recycled = lapply(tree$recycled, function(pair) list(ranks = match(pair$lengths, measures), pair = pair)),
    length_measures = match(text$lengths, measures), n_measure = match(text$n, measures), makes_shape = makes_shape(tree)
  )
}

arithmetic_library <- function() {
  if (is.null(expression_state$arithmetic)) {
    file <- system.file("cl", "expression", "arithmetic.cl", package = "nmathopencl")
    expression_state$arithmetic <- paste(readLines(file), collapse = "\n")
  }
  expression_state$arithmetic
}

# An error where a call that is made in any case has no rule for an argument that depends on the gradient's. What may be an element of
# the gradient's list is looked at in calls, which know its names.
check_derivatives <- function(expression) {
  if (is.null(expression$gradient)) return(invisible())
  names <- vapply(expression$inputs[expression$gradient], function(input) input$name, "")
  bodies <- lapply(expression$bodies, function(one) replace(one, "body", list(as_no_elements(one$body))))
  reported <- with_bodies(list(bodies = bodies), expression_dependence_cpp(list(`function` = function_parts(expression$f, TRUE), resolve = resolved_call), names, isTRUE(expression$hessian)))
  if (is.list(reported)) raise_core_error(with_advice(reported$error, expression), user_call())
  invisible()
}

# What there is instead of a second derivative that is refused.
with_advice <- function(error, expression) {
  if (!isTRUE(expression$hessian) && is.null(expression$moves) && is.null(expression$effects)) return(error)
  if (!grepl("second derivative", error$message, fixed = TRUE)) return(error)
  advice <- if (is.null(expression$diagonal) && is.null(expression$effects)) {
    ". Instead take differences of the gradient: `he`, vcov() and summary() of as_objective() do, of a function that is made without `hessian`"
  } else {
    ". laplace() takes second derivatives in the effects, and their derivatives in the parameters. Without them integrate each level's effect out by a sum over nodes with weights, as vignette(\"gallery\") does"
  }
  error$message <- paste0(sub(see_limits, "", error$message, fixed = TRUE), advice, see_limits)
  error
}

# GPUs lose which NaN it was in every operation, but not where a number is moved or chosen. With the environment variable
# NMATHOPENCL_AS_GPU, kernels do so on every device, and the host compiles what GPUs run (NMATH_AS_GPU in OPENCL.cl): for tests.
as_gpu <- function() nzchar(Sys.getenv("NMATHOPENCL_AS_GPU"))

# What round() and signif() make of whole numbers depends on R's version, so R is asked: "double", "integer", or "same", the numbers
# themselves. `given`: whether digits are; `digits`: their value, NULL where it is not known.
whole_rounding <- function(name, type, given, digits) {
  x <- if (type == "logical") TRUE else c(15L, 123456789L)
  rounding <- get(name, baseenv())
  known <- !given || !is.null(digits)
  value <- if (!given) rounding(x) else rounding(x, digits %||% c(1, -1))
  if (is.double(value)) return("double")
  if (known && identical(value, as.integer(x))) "same" else "integer"
}

# ---- which variant a call has

# A variant for expression_known_cpp(), if all that its calls differ in are values and the length of vectors: handle,
# inputs that are columns, inputs that are scalars, the measure that says how many elements are computed, or 0 and how many
# there are, what is made of the values (0: nothing, 1: their sum, 2: their mean), names of the gradient's inputs, those of them
# that are coefficients, by number, else 0, what keeps the names of their numbers, and the measures that are the kernel's lengths.
expression_plan <- function(expression, variant, form = "") {
  if (ncol(variant$curves) > 0L || (startsWith(form, "by") && !grepl("order", form) && variant$text$uses_index)) return(NULL)
  if (!is.null(variant$stages) || (expression$staged && is.null(expression$reduce))) return(NULL) # note_staged_plan()
  text <- variant$text
  reduce <- expression$reduce
  finish <- if (is.null(reduce)) 0L else match(reduce$op, c("sum", "mean"))
  plain <- !singles_have_matrices(variant$tree) && !variant$exact && length(variant$fixed) == 0L && length(variant$decisions) == 0L &&
    length(variant$named$input) == 0L && length(variant$tree$assertions) == 0L && length(variant$tree$warnings) == 0L && length(variant$recycled) == 0L && !anyNA(variant$length_measures) && length(text$seeds) == 0L &&
    !is.na(finish) && text$types[1L] == "double" && all(text$outputs == "double")
  if (isTRUE(variant$makes_shape) && is.null(reduce)) return(NULL)
  products <- vapply(variant$slopes, function(slope) length(slope$terms), 0L)
  if (!plain || (is.null(reduce) && length(text$outputs) > 1L) || (finish == 2L && reduce$na_rm) || any(products > 1L)) return(NULL)
  if (any(vapply(variant$slopes, function(slope) !is.null(slope$terms), NA) & products == 0L)) return(NULL)
  list(
    variant$handle, as.integer(variant$columns), as.integer(text$scalars), if (is.na(variant$n_measure)) 0L else variant$n_measure,
    as.double(text$n), finish, vapply(variant$slopes, function(slope) expression$inputs[[slope$input]]$name, ""),
    ifelse(products > 0L, vapply(variant$slopes, function(slope) as.integer(slope$input), 0L), 0L), new.env(parent = emptyenv()),
    as.integer(variant$length_measures)
  )
}

expression_session <- new.env(parent = emptyenv()) # a copy that was saved and read is another one

# Keys of shapes whose programs are kept; of one shape, variants that differ in what decides how they are computed.
most_layouts <- 128L
most_variants <- 32L

# The program for arguments of this shape, which is all that it assumes of them: lengths themselves are arguments of the kernel.
find_variant <- function(expression, inputs, key, form = "", make = make_variant) {
  if (!identical(expression$session, expression_session)) { # it was read from a file: what it had built is gone
    expression$variants <- list()
    expression$plans <- expression$layouts <- expression$points <- expression$points_known <- NULL
    expression$session <- expression_session
  }
  layout <- layout_of_call(expression, key, form)
  known <- expression$variants[[layout]]
  for (variant in known) {
    if (!variant$exact && length(variant$fixed) == 0L && length(variant$decisions) == 0L && length(variant$named$input) == 0L) return(variant)
    if (variant_fits(variant, inputs)) return(variant)
  }
  variant <- make(expression, inputs, endsWith(key, "w"), form)
  if (is.null(known)) note_layout(expression, layout)
  expression$variants[[layout]] <- c(list(variant), utils::head(known, most_variants - 1L))
  if (!is.null(variant$text)) expression$last <- variant
  if (!is.null(variant$text)) expression$plans[[layout]] <- expression_plan(expression, variant, form)
  variant
}

layout_of_call <- function(expression, key, form) {
  if (form == "" && length(expression$wide_sums) == 0L) return(key)
  paste0(key, if (nzchar(form) && !startsWith(form, " ")) " ", form, if (length(expression$wide_sums) > 0L) paste(c(" sums", expression$wide_sums), collapse = " "))
}

# The shape that was first seen longest ago gives way.
note_layout <- function(expression, layout) {
  expression$layouts <- c(expression$layouts, layout)
  if (length(expression$layouts) <= most_layouts) return(invisible())
  oldest <- expression$layouts[1L]
  expression$layouts <- expression$layouts[-1L]
  expression$variants[[oldest]] <- expression$plans[[oldest]] <- NULL
}

# The lengths that a program may depend on, as expression_measure() in C++ numbers them: those of the inputs, then rows and
# then columns of those that are matrices.
measures_of <- function(inputs) vapply(seq_len(3L * length(inputs)), measure_of, 0, inputs = inputs)

measure_of <- function(inputs, k) {
  n <- length(inputs)
  x <- inputs[[(k - 1L) %% n + 1L]]
  if (k <= n) return(size_of(x))
  sides <- dim(x)
  if (length(sides) != 2L) NA_real_ else as.double(sides[(k - 1L) %/% n])
}

variant_fits <- function(variant, inputs) {
  if (variant$exact && !identical(variant$measures, measures_of(inputs))) return(FALSE)
  for (k in variant$fixed) if (size_of(inputs[[k]]) != variant$measures[k]) return(FALSE)
  named <- variant$named
  for (k in seq_along(named$input)) {
    if (!identical(match(named$name[k], names_of_part(inputs[[named$input[k]]], named$column[k] == 1L)), named$position[k])) return(FALSE)
  }
  for (decision in variant$decisions) {
    if (!identical(node_value(variant$tree, decision$node, inputs), decision$value)) return(FALSE)
  }
  TRUE
}

input_type <- function(x) if (is.object(x)) resident_fields(x)$type else typeof(x)

# ---- functions in stages

staged_variant <- function(made, inputs, by_series = FALSE) {
  tree <- made$tree
  of_matrices <- makes_shape(tree)
  given <- measures_of(inputs)
  n <- length(inputs)
  # A measure of the arguments, by its number where there are computed inputs, too; NA: the graph holds for this length alone.
  measure <- function(lengths) {
    k <- match(lengths, given)
    k + (length(made$input_lengths) - n) * ((k - 1L) %/% n)
  }
  there <- seq_along(made$input_lengths) <= n
  stages <- lapply(made$stages, function(stage) {
    if (stage$kind == "values") {
      stage$ids <- vapply(stage$inputs, function(k) definition_of(tree, k), 0L)
      stage$order <- order_under(tree, stage$ids, there)
    }
    there[stage$inputs] <<- TRUE
    if (stage$kind == "values") return(stage)
    stage$of <- lapply(stage$inputs, function(k) node_of(tree, definition_of(tree, k))[c("op", "type", "len", "value")])
    if (stage$kind == "rounds") return(stage)
    kernels <- new.env(parent = emptyenv())
    for (form in c("usual", "general")) {
      kernel <- stage[[form]]
      kernels[[form]] <- c(kernel, list(
        makes_shape = of_matrices, tree = tree, root = stage$outputs[1L], columns = kernel$text$columns, length_measures = measure(kernel$text$lengths),
        n_measure = measure(kernel$text$n)
      ))
    }
    stage$kernels <- kernels
    stage[setdiff(names(stage), c("usual", "general"))]
  })
  launches <- Filter(function(stage) !stage$kind %in% c("values", "rounds"), stages)
  curves <- curves_of(made)
  final <- order_under(tree, c(made$root, vapply(made$slopes, function(slope) slope$node, 0L), curves[3L, ], made$watched), there)
  list(
    final = final, watched = made$watched, watched_order = order_under(tree, made$watched, there), makes_shape = of_matrices, tree = tree, root = made$root, type = made$type, slopes = made$slopes, curves = curves, diagonal = made$diagonal, stages = stages, named = made$named, exact = tree$exact, measures = given,
    fixed = fixed_lengths(tree, stages, final, utils::head(given, n)), decisions = tree$decisions, decision_sites = list(), inputs = length(made$input_lengths),
    compiled = made$compiled, by_series = by_series,
    recycled = lapply(tree$recycled, function(pair) list(ranks = match(pair$lengths, given), pair = pair)),
    text = if (length(launches) > 0L) launches[[length(launches)]]$kernels$usual$text, memory = new.env(parent = emptyenv())
  )
}

# What R computes between the stages may have lengths that were those of arguments when the variant was made: which arguments, by number,
# have to have them at every call. A length that none of them has stands for those of all.
fixed_lengths <- function(tree, stages, final, lengths) {
  ids <- unique(c(final, unlist(lapply(stages, function(stage) if (stage$kind == "values") stage$order))))
  made <- unlist(lapply(ids, function(id) {
    node <- node_of(tree, id)
    if (node$op %in% c("slice", "spread", "fill", "segments", "each", "position", "part_sums", "row_reduce") && node$len > 1) node$len
  }))
  if (length(made) == 0L) return(integer())
  if (all(made %in% lengths)) which(lengths %in% made) else seq_along(lengths)
}

# Whether values may be matrices, or have names, where no argument is or has.
makes_shape <- function(tree) any(vapply(tree$nodes, function(node) {
  (node$op == "bare" && startsWith(node$value, "matrix ")) || (node$op == "concat" && grepl("[^,]", node$value))
}, NA))

# A function in stages whose arguments are as long as those of a call before: what C++ is told (src/staged_plan.h), so that it runs all
# launches by itself. run_stages() is for first calls, for what comes in pieces, and for what only R can say.

# After a call of run_stages(), which used these `forms` of the kernels. Plans differ by what arguments are besides their lengths:
# whether they are resident on a device, have names or dimensions.
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
      layout <- layout_of_call(expression, key, form)
      expression$variants[[layout]] <- utils::head(c(list(made), expression$variants[[layout]]), most_variants)
    }
    return(invisible())
  }
  shape <- shaped_number(variant, inputs)
  layout <- paste(c(staged_attributes_cpp(inputs), names_seen(memory, shape$names)), collapse = " ")
  # The usual kernels come first at every call, so that none depends on what calls before it needed.
  plans <- lapply(unique(list(ifelse(forms == "values", forms, "usual"), forms)), function(own) {
    name <- paste(c(layout, own), collapse = " ")
    if (is.null(memory$plans[[name]])) memory$plans[[name]] <- staged_plan(variant, inputs, own, shape = shape) %||% FALSE
    memory$plans[[name]]
  })
  plans <- Filter(function(plan) typeof(plan) == "externalptr", plans)
  key <- layout_of_call(expression, key, form)
  others <- Filter(function(plan) !any(vapply(plans, identical, NA, plan)), expression$plans[[key]])
  if (length(plans) > 0L) expression$plans[[key]] <- utils::head(c(plans, others), most_variants)
  invisible()
}

# A number for names of arguments, which may be a million: the same as at a call before that had the same.
names_seen <- function(memory, names) {
  known <- Position(function(one) identical(one, names), memory$names)
  if (!is.na(known)) return(known)
  if (length(memory$names) == most_variants) memory$names <- memory$plans <- list()
  memory$names <- c(memory$names, list(names))
  length(memory$names)
}

# `points`: for many points, whose values have no attributes of their own. `shape`: of shaped_number().
staged_plan <- function(variant, inputs, forms, points = FALSE, shape = NULL) {
  tree <- variant$tree
  if (if (points) singles_have_matrices(tree) else singles_are_matrices(tree, inputs)) return(NULL)
  attributes <- if (is.null(shape) && !points && !variant$by_series && (variant$makes_shape || any(vapply(inputs, has_shape, NA)))) {
    node_attributes(tree, variant$root, lapply(inputs, input_shape))
  }
  if (length(attributes) == 0L) attributes <- NULL
  if (!all(names(attributes) == "dim") || (!is.null(attributes) && len_of(tree, variant$root) == 1)) return(NULL)
  kept <- lapply(variant$stages, function(stage) stage$kernels)
  labels <- list2env(as.list(shape), parent = emptyenv())
  plan <- staged_plan_cpp(variant$compiled, inputs, as.character(forms), kept, labels, attributes$dim, points)
  if (is.list(plan)) raise_core_error(plan$error, NULL)
  plan
}

# What a value that is one number has besides: a name, as sum(x) + par[2] has that of an element, or dim 1 x 1, as crossprod(x). list(name, dim,
# names), `names` those of the inputs, for which alone it is so. NULL where it has nothing, or more, or a name that values choose, v[order(v)][1].
shaped_number <- function(variant, inputs) {
  if (variant$by_series || len_of(variant$tree, variant$root) != 1) return(NULL)
  if (!variant$makes_shape && all(vapply(inputs, function(x) is.null(names(x)), NA))) return(NULL)
  expression_state$named_by_values <- FALSE
  attributes <- node_attributes(variant$tree, variant$root, lapply(inputs, input_shape))
  if (expression_state$named_by_values) return(NULL)
  if (identical(names(attributes), "names")) return(list(name = attributes$names, names = lapply(inputs, names)))
  if (identical(attributes, list(dim = c(1L, 1L)))) list(dim = attributes$dim)
}

# ---- the graph

# The typed graph of an expression, as the compiler leaves it for R (expression_compile_cpp()): what each part of an R function is
# (logical, integer or double), how long, and of which other parts it is made.
#
# `tree` is an environment: `inputs`, list(name, type, len, dim) of each; `nodes`, list(op, type, len, args, value) of each, where `args`
# are numbers of nodes and `op` and `value` are as src/expression/graph.h has them; `sites` of warnings, list(node, call, rule, reason,
# guards, of_r), `of_r`: whether only the function's own rule knows what it warns of; `recycled`, list(lengths, call, text, guards), lengths
# that R compares; `singles`, list(node, call, one, guards), arithmetic that recycles an operand of one element; `decisions`,
# list(node, value), what decided how it was made; `named`, list(input, name, position, column), elements and columns that are taken by name;
# `tests`; `exact`, whether it holds for these lengths alone. Guards are list(test, way): branches of ifelse() that a call stands in.

node_of <- function(tree, id) tree$nodes[[id]]

# The numbers of some nodes and of all that they are made of, as far as `args_of` follows, arguments first. Who goes through
# nodes in this order, and keeps what was found, needs no deeper stack for deeper expressions.
nodes_under <- function(tree, ids, args_of) {
  needed <- logical(length(tree$nodes))
  needed[unlist(ids)] <- TRUE
  for (id in rev(seq_along(needed))) if (needed[id]) needed[args_of(node_of(tree, id))] <- TRUE
  which(needed)
}

type_of <- function(tree, id) node_of(tree, id)$type
len_of <- function(tree, id) node_of(tree, id)$len

wider_type <- function(types) if ("double" %in% types) "double" else if ("integer" %in% types) "integer" else "logical"
