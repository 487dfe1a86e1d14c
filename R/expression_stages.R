# Functions that need values before others: sums inside a body, parts of vectors, gradients through both. The compiler gives them
# inputs that are computed (src/expression/stages.h), in stages; each stage is one launch, or values that R computes.

staged_variant <- function(made, inputs) {
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
    if (stage$kind %in% c("sums", "segments")) stage$sources <- stage_sources(tree, stage, n)
    stage$of <- lapply(stage$inputs, function(k) node_of(tree, definition_of(tree, k))[c("op", "type", "len", "value")])
    if (stage$kind == "rounds") return(c(stage, kernels = new.env(parent = emptyenv())))
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
    final = final, watched = made$watched, watched_order = order_under(tree, made$watched, there), makes_shape = of_matrices, tree = tree, root = made$root, type = made$type, slopes = made$slopes, curves = curves, stages = stages, named = made$named, exact = tree$exact, measures = given,
    fixed = fixed_lengths(tree, stages, final, utils::head(given, n)), decisions = tree$decisions, decision_sites = list(), inputs = length(made$input_lengths),
    input_types = made$input_types, input_lengths = made$input_lengths,
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

# The kernel of a stage, prepared once.
stage_kernel <- function(stage, form) {
  kernel <- stage$kernels[[form]]
  if (is.null(kernel$handle)) {
    kernel$handle <- prepared_kernel(kernel$text$text, kernel$plan, kernel$widths)
    stage$kernels[[form]] <- kernel
  }
  kernel
}

# Computes the stages one after the other. `inputs`: those of the call; `run(kernel, inputs, groups, keep)`: one launch, and
# `rounds(stage, tree, inputs)` one of a loop over data. NULL where a launch was not possible and R has to compute all.
run_stages <- function(expression, variant, inputs, run, rounds, keep, verbose, call) {
  given <- inputs
  tree <- variant$tree
  inputs <- c(inputs, vector("list", variant$inputs - length(inputs)))
  told <- list()
  known <- list()
  report <- idle <- NULL # `idle`: of sums that are known from calls before
  value <- NULL
  device <- device_between(inputs)
  between <- list()
  forms <- rep("values", length(variant$stages)) # of the kernels that ran
  variant$memory$forms <- NULL
  on.exit(for (x in between) resident_free_cpp(x)) # no need to wait for gc()
  for (s in seq_along(variant$stages)) {
    stage <- variant$stages[[s]]
    if (stage$kind == "values") {
      known <- values_in_order(tree, stage$order, inputs, known)
      inputs[stage$inputs] <- known[stage$ids]
      next
    }
    forms[s] <- "usual"
    if (stage$kind == "rounds") {
      result <- rounds(stage, tree, inputs)
      between <- c(between, Filter(function(x) typeof(x) == "externalptr", result$value))
      if (!is.null(result$plain) || any(result$value[[1L]][seq_len(stage$items)] != 0)) return(NULL)
      inputs[stage$inputs] <- rounds_results(stage, tree, result$value)
      report <- added_reports(report, result$report, result$report$elements)
      next
    }
    kept <- if (!isTRUE(stage$each > 0L)) kept_sums(stage, inputs)
    if (!is.null(kept$values)) {
      inputs[stage$inputs] <- kept$values
      told <- c(told, kept$told)
      idle <- idle %||% kept$report
      next
    }
    groups <- if (stage$kind == "segments") code_groups(variant, stage, inputs, given)
    kernel <- stage_kernel(stage, "usual")
    stays <- switch(stage$kind,
      result = keep,
      # What later stages read stays where all vectors that stay are; else it comes back, and goes wherever they are computed.
      elements = , sums = !is.null(device) && any(vapply(inputs[kernel$columns], is_resident, NA)),
      FALSE
    )
    stays <- stays && (stage$kind != "sums" || stage$each > 0L)
    result <- run(kernel, inputs, groups, stays)
    if (!is.null(result$plain)) return(NULL)
    if (is.null(result) || has_bit(result$flags, kernel$text$odd_bit)) {
      for (part in result$values) if (typeof(part) == "externalptr") resident_free_cpp(part)
      kernel <- stage_kernel(stage, "general")
      forms[s] <- "general"
      result <- run(kernel, inputs, groups, stays)
      if (!is.null(result$plain)) return(NULL)
    }
    report <- added_reports(report, result$report, result$report$elements)
    raised <- told_sites(kernel$text, result$flags)
    n <- element_count(kernel, inputs)
    own <- if (stage$kind == "sums") length(stage$inputs) - stage$each else 0L
    sums <- if (own > 0L) stage_sums(stage, kernel, result$values, inputs, n)
    if (length(sums$none) > 0L) raised <- c(raised, Filter(function(site) site$node %in% sums$none, tree$sites))
    if (in_some_series(raised)) return(NULL)
    told <- c(told, raised)
    refuse_places(tree, told, inputs, call)
    if (stage$kind == "segments") {
      inputs[[stage$inputs]] <- result$values[[1L]]
    } else if (stage$kind %in% c("sums", "elements")) {
      if (own > 0L) inputs[stage$inputs[seq_len(own)]] <- sums$values
      for (made in utils::tail(result$values, length(stage$inputs) - own)) {
        own <- own + 1L
        if (typeof(made) == "externalptr") {
          between[[length(between) + 1L]] <- made
          made <- new_resident(made, if (stage$kind == "sums") "double" else kernel$text$types[1L], n)
        }
        inputs[[stage$inputs[own]]] <- made
      }
    } else {
      value <- shaped_values(kernel, given, result$values[[1L]], n)
    }
    if (!is.null(kept)) stage$kernels$kept <- list(of = weak_references_cpp(kept$of), values = inputs[stage$inputs], told = raised, report = result$report)
  }
  if (is.null(value)) {
    known <- values_in_order(tree, variant$final, inputs, known)
    value <- if (is.null(expression$by_series)) staged_value(expression, variant, known, given) else series_value(expression, variant, known, given)
  } else if (length(variant$watched) > 0L) known <- values_in_order(tree, variant$watched_order, inputs, known)
  if (any(vapply(tree$sites, function(site) site$by_series, NA)) && has_warning(warn_of_stages(variant, list(), known, inputs, given, in_series = TRUE))) return(NULL)
  if (is.null(report) && !is.null(idle)) {
    report <- idle
    report[c("chunks", "built", "cache_hits", "disk_hits", "build", "transfer", "compute", "total")] <- list(0, 0L, 0L, 0L, 0, 0, 0, 0)
  }
  state$last_run <- report %||% state$last_run
  if (isTRUE(report$built > 0L)) tell_cache_warning()
  if (verbose && !is.null(report)) cli::cli_inform(describe_run(report))
  warn_of_singles(tree, variant$root, given)
  warn_of_stages(variant, told, known, inputs, given)
  variant$memory$forms <- forms
  value
}

# The arguments that sums are computed from.
stage_sources <- function(tree, stage, n) {
  ids <- c(vapply(stage$inputs, function(k) definition_of(tree, k), 0L), stage$codes[stage$codes > 0L])
  under <- nodes_under(tree, ids, function(node) if (node$op == "recursion_part") NULL else node$args)
  unique(unlist(lapply(under, function(id) {
    node <- node_of(tree, id)
    read <- switch(node$op, input = node$value, column = , product = unlist(node$value[1:2])[if (node$op == "column") 1L else 1:2])
    if (node$op %in% c("recursion_part", "crossprod")) 0L else read[read <= n]
  })))
}

# Sums of what stays on a device alone, which never changes, are those of the call before: list(values, told, report); list(of) of what stays
# where they are not known, NULL where something else is in them.
kept_sums <- function(stage, inputs) {
  sources <- stage$sources
  if (length(sources) == 0L || any(sources == 0L)) return(NULL)
  pointers <- vector("list", length(sources))
  for (k in seq_along(sources)) {
    x <- inputs[[sources[k]]]
    if (!is_resident(x) || length(x) < 2L) return(NULL)
    pointers[[k]] <- resident_fields(x)$pointer
  }
  kept <- stage$kernels$kept
  if (!is.null(kept) && same_references_cpp(kept$of, pointers)) return(kept)
  list(of = pointers)
}

# The device, by its number, that all vectors of a call that stay lie on; NULL where there are none or several, or where it is the host.
device_between <- function(inputs) {
  found <- unique(unlist(lapply(Filter(is_resident, inputs), function(x) resident_info_cpp(resident_fields(x)$pointer)$index)))
  if (length(found) == 1L && found > 0L) found
}

definition_of <- function(tree, input) {
  for (node in tree$nodes) if (node$op == "input" && node$value == input) return(node$args)
}

# The number that a function gives, with its gradient. `known`: values of nodes.
staged_value <- function(expression, variant, known, inputs) {
  value <- known[[variant$root]]
  if (variant$makes_shape || any(vapply(inputs, has_shape, NA))) attributes(value) <- node_attributes(variant$tree, variant$root, lapply(inputs, input_shape))
  if (length(variant$slopes) == 0L) return(value)
  slopes <- lapply(variant$slopes, function(slope) rep_len(as.double(in_r(known[[slope$node]])), size_of(inputs[[slope$input]])))
  labels <- slope_labels(expression, variant, inputs)
  attr(value, "gradient") <- stats::setNames(unlist(slopes), labels)
  if (ncol(variant$curves) > 0L) attr(value, "hessian") <- hessian_matrix(variant$curves, known[variant$curves[3L, ]], lengths(slopes), labels)
  value
}

# The names of the gradient's numbers; of vectors without names they are kept for calls with as many.
slope_labels <- function(expression, variant, inputs) {
  given <- inputs[vapply(variant$slopes, function(slope) slope$input, 0L)]
  sizes <- vapply(given, size_of, 0)
  plain <- all(vapply(given, function(x) is.null(names(x)), NA))
  memory <- variant$memory
  if (plain && !is.null(memory) && identical(memory$sizes, sizes)) return(memory$labels)
  labels <- unlist(lapply(seq_along(given), function(k) {
    name <- expression$inputs[[variant$slopes[[k]]$input]]$name
    if (sizes[k] == 1) name else names(given[[k]]) %||% paste0(rep(name, sizes[k]), seq_len(sizes[k]))
  }))
  if (plain && !is.null(memory)) {
    memory$labels <- labels
    memory$sizes <- sizes
  }
  labels
}

# list(values, none): inputs that a launch of sums defines: numbers, then vectors as long as a matrix has columns. (Those whose elements it
# leaves as it goes come behind.) `none`: minima and maxima of no values, by their nodes.
stage_sums <- function(stage, kernel, values, inputs, n) {
  found <- list()
  none <- integer()
  at <- 0L
  for (k in seq_along(stage$reduce)) {
    op <- stage$reduce[k]
    if (op == "") { # a count, which belongs to the mean before
      at <- at + stage$parts[k]
      next
    }
    own <- stage$parts[k]
    if (op == "mean" && stage$na_rm) own <- own + stage$parts[k + 1L]
    found[[length(found) + 1L]] <- noting_no_values(
      reduced_value(list(op = op, na_rm = stage$na_rm), kernel, values[at + seq_len(own)], n, kernel$text$types[k]),
      none <- c(none, definition_of(kernel$tree, stage$inputs[length(found) + 1L]))
    )
    at <- at + stage$parts[k]
  }
  numbers <- length(stage$inputs) - length(stage$terms) - stage$each
  found <- found[seq_len(numbers)]
  own <- stage$of[seq_len(numbers)]
  of_reductions <- vapply(own, function(node) node$op == "reduce", NA)
  check_widths(own[of_reductions], found[of_reductions])
  for (k in seq_along(stage$terms)) {
    product <- node_of(kernel$tree, stage$terms[[k]]$product)
    size <- dim(inputs[[product$value[[1L]]]])[2L]
    parts <- matrix(values[[at + k]], nrow = 2 * size)[seq_len(size), , drop = FALSE]
    found[[numbers + k]] <- vapply(seq_len(size), function(j) {
      reduced_value(list(op = "sum", na_rm = FALSE), kernel, list(parts[j, ]), n, "double")
    }, 0)
  }
  list(values = found, none = none)
}

# The groups of elements with equal codes, for their sums. Codes that stay keep theirs.
code_groups <- function(variant, stage, inputs, given) {
  tree <- variant$tree
  kernels <- stage$kernels
  size <- length_of_node(variant, definition_of(tree, stage$inputs), given)
  node <- node_of(tree, stage$codes)
  stays <- if (node$op == "input") inputs[[node$value]]
  if (is_resident(stays) && resident_fields(stays)$type == "integer") {
    return(made_groups(resident_fields(stays)$pointer, size, length(stays), kernels$usual, all = TRUE))
  }
  codes <- node_value(tree, stage$codes, inputs)
  if (!identical(codes, kernels$codes) || !identical(size, kernels$size)) { # else they have been sorted
    kernels$codes <- codes
    if (is.double(codes)) codes <- as.integer(ifelse(abs(codes) <= .Machine$integer.max, codes, NA))
    kernels$groups <- made_groups(codes, size, length(codes), kernels$usual, all = TRUE)
    kernels$size <- size
  }
  kernels$made_of <- inputs[inputs_of_codes(tree, stage)]
  kernels$groups
}

# The inputs that codes are made of.
inputs_of_codes <- function(tree, stage) {
  nodes <- tree$nodes[nodes_under(tree, stage$codes, function(node) if (node$op != "input") node$args)]
  unique(unlist(lapply(nodes, function(node) if (node$op == "input") node$value else if (node$op %in% c("column", "product")) node$value[[1L]])))
}

# The sites that a launch tells of.
told_sites <- function(text, flags) {
  if (!any(flags != 0L)) return(list())
  bits <- unlist(lapply(flags, function(word) bitwAnd(bitwShiftR(word, 0:(warning_bits - 1L)), 1L) == 1))
  text$sites[bits[seq_along(text$sites)]]
}

# An error where an index has been 0 or negative.
refuse_places <- function(tree, told, inputs, call) {
  for (site in told) {
    if (site$rule != "index" || !guards_told(tree, site$guards, told)) next
    node <- node_of(tree, site$node)
    refuse_codes(node_value(tree, node$args[2L], inputs), site$call)
  }
}

refuse_codes <- function(codes, call = NULL) {
  bad <- which(codes < 1)
  if (length(bad) == 0L) return(invisible())
  argument_error(
    if (!is.null(call)) paste0("`", deparse1(call), "`: "), "element ", bad[1L], " of the index is ", format(codes[bad[1L]]),
    ": a vector of codes has numbers from 1 on"
  )
}

guards_told <- function(tree, guards, told) {
  all(vapply(guards, function(guard) {
    node <- node_of(tree, guard$test)
    if (node$op == "const") return(isTRUE(as.logical(node$value) == guard$way))
    any(vapply(told, function(site) site$rule == "test" && site$node == guard$test && site$way == guard$way, NA))
  }, NA))
}

# Whether sites tell of branches that are taken in some of several series: R warns of these series alone.
in_some_series <- function(sites) any(vapply(sites, function(site) isTRUE(site$by_series) && !site$rule %in% asking_rules, NA))

has_warning <- function(code) {
  found <- FALSE
  withCallingHandlers(code, warning = function(w) {
    found <<- TRUE
    invokeRestart("muffleWarning")
  })
  found
}

# `known`: by node, what R has computed. `in_series`: of sites alone that only R's own computation of each series tells of.
warn_of_stages <- function(variant, told, known, inputs, given, in_series = FALSE) {
  tree <- variant$tree
  if (in_series) tree$sites <- Filter(function(site) site$by_series, tree$sites)
  warn_of_lengths(variant, given, function(guards) guards_told(tree, guards, told))
  if (length(tree$sites) == 0L) return(invisible())
  computed <- vapply(tree$sites, function(site) site$node <= length(known) && !is.null(known[[site$node]]), NA)
  warn_of_values(tree, tree$sites[computed], known)
  seen <- vapply(tree$sites[computed], function(site) site$node, 0L)
  for (site in unique(told)) {
    if (site$rule %in% asking_rules || site$node %in% seen || !guards_told(tree, site$guards, told)) next
    texts <- site$reason
    if (site$of_r) {
      node <- node_of(tree, site$node)
      args <- lapply(node$args, function(id) node_value(tree, id, inputs))
      texts <- library_result(node, args)$warnings
    }
    for (text in texts) warning(simpleWarning(text, site$call))
  }
}

# Value and gradient where nothing is compiled: R computes the nodes, and the body's value as R does. `key`: of the inputs; NULL: they
# are a piece of others, of which nothing is kept.
staged_plainly <- function(expression, inputs, key, by, none) {
  if (!is.null(by)) return(NULL)
  formal <- seq_len(sum(vapply(expression$inputs, function(input) input$formal, NA)))
  of_none <- expression_key_cpp(inputs) == ""
  if (of_none) value <- evaluate_plainly(expression, restored_inputs(inputs[formal], none), NULL) # R's own error comes first
  variant <- if (of_none || is.null(key)) plain_variant(expression, inputs) else find_variant(expression, inputs, key, "plain", plain_variant)
  if (!variant$staged) return(NULL)
  if (!of_none) value <- evaluate_plainly(expression, restored_inputs(inputs[formal], none), NULL)
  ids <- vapply(variant$slopes, function(slope) slope$node, 0L)
  known <- node_values_under(variant$tree, c(variant$root, ids, variant$curves[3L, ]), inputs)
  # With effects the root is the log of an integral.
  if (of_none && is.null(expression$effects) && !isTRUE(all.equal(as.double(known[[variant$root]]), as.double(value)))) {
    limit_error("the gradient of a function of NULL, of which R makes what it makes of no vector: give a vector without elements, numeric()")
  }
  known[[variant$root]] <- value
  derived <- attributes(staged_value(expression, variant, known, inputs))
  for (name in c("gradient", "hessian")) attr(value, name) <- derived[[name]]
  value
}

# The graph alone, which holds for vectors of these lengths: R computes its nodes.
plain_variant <- function(expression, inputs, wide = FALSE, form = "") {
  made <- compiled(expression, inputs, plain = TRUE)
  list(
    tree = made$tree, root = made$root, slopes = made$slopes, curves = curves_of(made), makes_shape = FALSE, staged = !is.null(made$stages),
    exact = TRUE, measures = measures_of(inputs), named = made$named, decisions = made$tree$decisions
  )
}
