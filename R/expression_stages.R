# Functions that need values before others: sums inside a body, parts of vectors, gradients through both. The compiler gives them
# inputs that are computed (src/expression/stages.h), in stages; each stage is one launch, or values that R computes.

# Computes the stages one after the other. `inputs`: those of the call; `run(kernel, inputs, groups, keep)`: one launch, and
# `rounds(stage, tree, inputs)` one of a loop over data. NULL where a launch was not possible and R has to compute all.
run_stages <- function(expression, variant, inputs, run, rounds, keep, verbose, call) {
  given <- inputs
  tree <- variant$tree
  inputs <- c(inputs, vector("list", variant$inputs - length(inputs)))
  reported <- list()
  known <- list()
  report <- NULL
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
      if (!is.null(result$fallback) || any(result$value[[1L]][seq_len(stage$items)] != 0)) return(NULL)
      inputs[stage$inputs] <- rounds_results(stage, result$value)
      report <- added_reports(report, result$report, result$report$elements)
      next
    }
    groups <- if (stage$kind == "segments") code_groups(variant, stage, inputs, given)
    kernel <- stage$kernels$usual
    stays <- switch(stage$kind,
      result = keep,
      # What later stages read stays where all resident vectors are; else it comes back, and goes wherever they are computed.
      elements = , sums = !is.null(device) && any(vapply(inputs[kernel$columns], is_resident, NA)),
      FALSE
    )
    stays <- stays && (stage$kind != "sums" || stage$each > 0L)
    result <- run(kernel, inputs, groups, stays)
    if (!is.null(result$fallback)) return(NULL)
    if (is.null(result) || has_bit(result$flags, kernel$text$general_bit)) {
      for (part in result$values) if (typeof(part) == "externalptr") resident_free_cpp(part)
      kernel <- stage$kernels$general
      forms[s] <- "general"
      result <- run(kernel, inputs, groups, stays)
      if (!is.null(result$fallback)) return(NULL)
    }
    report <- added_reports(report, result$report, result$report$elements)
    raised <- raised_sites(kernel$text, result$flags)
    n <- element_count(kernel, inputs)
    own <- if (stage$kind == "sums") length(stage$inputs) - stage$each else 0L
    sums <- if (own > 0L) stage_sums(stage, kernel, result$values, inputs, n)
    if (length(sums$none) > 0L) raised <- c(raised, Filter(function(site) site$node %in% sums$none, tree$sites))
    if (in_some_series(raised)) return(NULL)
    reported <- c(reported, raised)
    refuse_places(tree, reported, inputs, call)
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
  }
  if (is.null(value)) {
    known <- values_in_order(tree, variant$final, inputs, known)
    value <- if (is.null(expression$by_series)) staged_value(expression, variant, known, given) else series_value(expression, variant, known, given)
  } else if (length(variant$watched) > 0L) known <- values_in_order(tree, variant$watched_order, inputs, known)
  if (any(vapply(tree$sites, function(site) site$by_series, NA)) && has_series_warning(variant, known, inputs, given)) return(NULL)
  warnings <- stage_warnings(variant, reported, known, inputs, !is.null(expression$by_series))
  if (is.null(warnings)) return(NULL)
  state$last_run <- report %||% state$last_run
  if (isTRUE(report$built > 0L)) tell_cache_warning()
  if (verbose && !is.null(report)) cli::cli_inform(describe_run(report))
  warn_of_singles(tree, given)
  warn_of_stages(variant, reported, warnings, given)
  variant$memory$forms <- forms
  value
}

# The device, by its number, that all vectors of a call that stay lie on; NULL where there are none or several, or where it is the host.
device_between <- function(inputs) {
  found <- unique(unlist(lapply(Filter(is_resident, inputs), function(x) resident_info_cpp(resident_fields(x)$pointer)$index)))
  if (length(found) == 1L && found > 0L) found
}

definition_of <- function(tree, input) {
  if (!identical(tree$looked_through, length(tree$nodes))) { # once: there may be thousands
    nodes <- Filter(function(node) node$op == "input", tree$nodes)
    numbers <- vapply(nodes, function(node) as.integer(node$value), 0L)
    tree$definitions <- lapply(match(seq_len(max(0L, numbers)), numbers), function(k) if (!is.na(k)) nodes[[k]]$args)
    tree$looked_through <- length(tree$nodes)
  }
  tree$definitions[[input]]
}

# The number that a function gives, with its gradient. `known`: values of nodes.
staged_value <- function(expression, variant, known, inputs) {
  value <- known[[variant$root]]
  if (variant$makes_shape || any(vapply(inputs, has_shape, NA))) attributes(value) <- node_attributes(variant$tree, variant$root, lapply(inputs, input_shape))
  if (length(variant$slopes) == 0L) return(value)
  slopes <- lapply(variant$slopes, function(slope) rep_len(as.double(in_r(known[[slope$node]])), size_of(inputs[[slope$input]])))
  labels <- names_of_slopes(expression, inputs, slope_inputs(variant$slopes))
  attr(value, "gradient") <- stats::setNames(unlist(slopes), labels)
  if (ncol(variant$curves) > 0L) attr(value, "hessian") <- hessian_matrix(variant$curves, known[variant$curves[3L, ]], lengths(slopes), labels)
  value
}

# list(values, none): the inputs that a launch of sums defines: numbers, then vectors of as many as a matrix has columns. (Those whose
# elements it leaves as it goes come behind.) `none`: minima and maxima of no values, by their nodes.
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

# The groups of elements with equal codes, for their sums. Resident codes keep theirs.
code_groups <- function(variant, stage, inputs, given) {
  tree <- variant$tree
  kernels <- stage$kernels
  size <- length_of_node(variant, definition_of(tree, stage$inputs), given)
  node <- node_of(tree, stage$codes)
  stays <- if (node$op == "input") inputs[[node$value]]
  if (is_resident(stays) && resident_fields(stays)$type == "integer") {
    return(made_groups(resident_fields(stays)$pointer, size, length(stays), kernels$usual, all = TRUE))
  }
  numbers <- inputs_of_codes(tree, stage)
  made_of <- inputs[numbers]
  plain <- !is.null(numbers) && !any(vapply(made_of, function(x) is.null(x) || is_resident(x), NA))
  count <- length_of_node(variant, stage$codes, given)
  same <- identical(made_of, kernels$made_of) && identical(size, kernels$size) && identical(count, kernels$count)
  if (plain && !has_given_codes(tree, stage) && same) return(kernels$groups)
  codes <- node_value(tree, stage$codes, inputs)
  if (!identical(codes, kernels$codes) || !identical(size, kernels$size)) { # else they have been sorted
    kernels$codes <- codes
    if (is.double(codes)) codes <- as.integer(ifelse(abs(codes) <= .Machine$integer.max, codes, NA))
    kernels$groups <- made_groups(codes, size, length(codes), kernels$usual, all = TRUE)
    kernels$size <- size
  }
  kernels$made_of <- lapply(made_of, own_copy)
  kernels$count <- count
  kernels$groups
}

# Some packages change vectors in place: what is to be compared with is of one's own.
own_copy <- function(x) {
  if (!is.atomic(x) || length(x) == 0L) return(x)
  x <- unclass(x)
  x[1L] <- x[1L]
  x
}

# The given inputs that codes are made of, also by way of what is computed before them, in order. NULL where loops or products with
# scores are among these: who asks compares the codes.
inputs_of_codes <- function(tree, stage) {
  nodes <- tree$nodes[nodes_under(tree, stage$codes, function(node) node$args)]
  if (any(vapply(nodes, function(node) node$op %in% c("recursion_part", "crossprod"), NA))) return(NULL)
  sort(as.integer(unique(unlist(lapply(nodes, function(node) {
    if (node$op == "input") return(if (length(node$args) == 0L) node$value)
    if (node$op == "column") return(node$value[[1L]])
    if (node$op == "product") c(node$value[[1L]], if (length(node$args) == 0L) node$value[[2L]])
  })))))
}

has_given_codes <- function(tree, stage) {
  node <- node_of(tree, stage$codes)
  node$op == "input" && length(node$args) == 0L
}

# The sites that a launch tells of.
raised_sites <- function(text, flags) {
  if (!any(flags != 0L)) return(list())
  bits <- unlist(lapply(flags, function(word) bitwAnd(bitwShiftR(word, 0:(warning_bits - 1L)), 1L) == 1))
  text$sites[bits[seq_along(text$sites)]]
}

# An error where an index has been 0 or negative.
refuse_places <- function(tree, reported, inputs, call) {
  for (site in reported) {
    if (site$rule != "index" || !guards_raised(tree, site$guards, reported)) next
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

guards_raised <- function(tree, guards, reported) {
  all(vapply(guards, function(guard) {
    node <- node_of(tree, guard$test)
    if (node$op == "const") return(isTRUE(as.logical(node$value) == guard$way))
    any(vapply(reported, function(site) site$rule == "test" && site$node == guard$test && site$way == guard$way, NA))
  }, NA))
}

# Whether sites tell of branches that are taken in some of several series: R warns of these series alone.
in_some_series <- function(sites) any(vapply(sites, function(site) isTRUE(site$by_series) && !site$rule %in% asking_rules, NA))

# Whether R warns of one of several series, by what only its own computation of each tells of.
has_series_warning <- function(variant, known, inputs, given) {
  found <- FALSE
  tree <- variant$tree
  withCallingHandlers(warn_of_stages(variant, list(), list(), given), warning = function(w) {
    found <<- TRUE
    invokeRestart("muffleWarning")
  })
  sites <- Filter(function(site) site$by_series && is_known(site, known), tree$sites)
  warn_of_values(tree, sites, known, function(site, texts) found <<- TRUE, function(guards) TRUE)
  found
}

is_known <- function(site, known) site$node <= length(known) && !is.null(known[[site$node]])

# What R says of missing values: list(site, texts) of each site. `known`: by node, what R has computed; `reported`: the sites that launches
# told of. NULL where the branches that these stand in are taken in some rounds of a loop, or by some series, which is R's to see.
stage_warnings <- function(variant, reported, known, inputs, in_series) {
  tree <- variant$tree
  found <- list()
  unclear <- FALSE
  note <- function(site, texts) found[[length(found) + 1L]] <<- list(site = site, texts = texts)
  open <- function(guards) {
    taken <- guards_taken(tree, guards, known, reported, inputs, in_series)
    if (is.na(taken)) unclear <<- TRUE
    isTRUE(taken)
  }
  computed <- Filter(function(site) is_known(site, known), tree$sites)
  warn_of_values(tree, computed, known, note, open)
  seen <- vapply(computed, function(site) site$node, 0L)
  for (site in unique(reported)) {
    if (site$rule %in% asking_rules || site$node %in% seen || !open(site$guards)) next
    texts <- site$reason
    if (site$of_r) {
      node <- node_of(tree, site$node)
      args <- lapply(node$args, function(id) node_value(tree, id, inputs))
      texts <- library_result(node, args)$warnings
    }
    note(site, texts)
  }
  if (!unclear) found
}

# `warnings`: of stage_warnings().
warn_of_stages <- function(variant, reported, warnings, given) {
  warn_of_lengths(variant, given, function(guards) guards_raised(variant$tree, guards, reported))
  warn <- site_warner()
  for (one in warnings) warn(one$site, one$texts)
}

# ---- loops over data: launches of their own (src/expression/recursion.h)

# One launch of a loop. Gives the inputs that it defines, or NULL where R has to compute all: it met something that R warns of, stops at,
# or does otherwise.
run_rounds <- function(stage, tree, inputs, device, keep = FALSE) {
  nodes <- lapply(stage$columns, function(id) node_of(tree, id))
  # What is resident on the loop's device stays there.
  vectors <- vector("list", length(stage$columns))
  for (k in seq_along(vectors)) {
    node <- nodes[[k]]
    given <- if (node$op == "const") node$value else inputs[[node$value]]
    if (keep && is_resident(given)) {
      vectors[[k]] <- resident_fields(given)$pointer
      next
    }
    x <- in_r(given)
    vectors[[k]] <- if (typeof(x) == node$type) x else storage_as(x, node$type)
  }
  whole <- vapply(stage$scalars, function(id) type_of(tree, id) != "double", NA)
  scalars <- vapply(stage$scalars, function(id) {
    node <- node_of(tree, id)
    as.double(if (node$op == "const") node$value else in_r(inputs[[node$value]]))
  }, 0)
  series <- lapply(stage$series, function(k) if (keep && is_resident(inputs[[k]])) resident_fields(inputs[[k]])$pointer else in_r(inputs[[k]]))
  rounds_run_cpp(stage$handle, vectors, scalars, as.integer(whole), series, stage$numbers, stage$sizes, stage$items, device, keep)
}

# The inputs that a loop defines, of what its kernel left.
rounds_results <- function(stage, values) {
  lapply(seq_along(stage$inputs), function(k) {
    part <- stage$parts[k]
    if (part > stage$carried) {
      made <- values[[part - stage$carried + 1L]]
      return(if (typeof(made) == "externalptr") new_resident(made, "double", stage$sizes[part - stage$carried + 1L]) else made)
    }
    value <- values[[1L]][part * stage$items + seq_len(stage$items)]
    switch(stage$of[[k]]$type, integer = as.integer(value), logical = as.logical(value), value)
  })
}

# The device of a loop over data: it is one work-item's work, or that of a few, which a GPU takes long for.
rounds_device <- function(device, items = 1) {
  if (length(device) > 1L) device <- device[1L]
  if (identical(sub("[|].*", "", device), "host")) return(device) # in its arithmetic
  if (items >= 64) return(device)
  known <- expression_state$gpus[[device]]
  if (is.null(known)) {
    devices <- opencl_devices()
    index <- tryCatch(device_index_cpp(device), error = function(e) 0L)
    known <- if (is.numeric(index)) index == 0L || identical(devices$type[match(index, devices$index)], "gpu") else FALSE
    expression_state$gpus[[device]] <- known
  }
  if (known && host_compiles()) "host" else device
}
