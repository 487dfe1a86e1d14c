# What R gets of a call: values with their attributes, sums of the blocks, gradients, warnings.

finish_expression <- function(expression, variant, inputs, groups, result, verbose, call) {
  n <- element_count(variant, inputs)
  n_slopes <- length(variant$slopes$labels)
  own <- seq_len(length(result$values) - n_slopes)
  reduce <- expression$reduce
  if (!is.null(reduce)) check_arrays(variant, inputs)
  value <- if (is.null(reduce)) {
    shaped_values(variant, inputs, result$values[[1L]], n)
  } else {
    grouped_value(reduce, variant, result$values[own], n, groups)
  }
  if (n_slopes > 0L) {
    slopes <- lapply(result$values[-own], function(x) if (is.null(reduce)) x else c(list(x), result$values[own[-1L]])) # means: counts
    attr(value, "gradient") <- gradient_value(reduce, variant, slopes, gradient_labels(variant$slopes, inputs), n, groups)
  }
  state$last_run <- result$report
  if (result$report$built > 0L) tell_cache_warning()
  if (verbose) cli::cli_inform(describe_run(result$report))
  warn_of_decisions(variant, inputs)
  warn_of_singles(variant$tree, variant$root, inputs)
  warn_of_call(variant, inputs, result$flags)
  value
}

gradient_value <- function(reduce, variant, slopes, labels, n, groups) {
  if (is.null(reduce)) {
    if (is.atomic(slopes[[1L]])) {
      return(matrix(unlist(slopes, use.names = FALSE), ncol = length(slopes), dimnames = list(NULL, labels)))
    }
    return(stats::setNames(lapply(slopes, new_resident, "double", n), labels)) # they stay where the value does
  }
  sums <- lapply(slopes, function(parts) grouped_value(reduce, variant, parts, n, groups, "double"))
  if (is.null(groups)) return(stats::setNames(unlist(sums), labels))
  matrix(unlist(sums), ncol = length(sums), dimnames = list(groups$names, labels))
}

# One number, or one for each group, NA where a group has no elements.
grouped_value <- function(reduce, variant, parts, n, groups, type = variant$text$types[1L]) {
  if (is.null(groups)) return(reduced_value(reduce, variant, parts, n, type))
  counts <- groups$counts
  value <- if (reduce$op %in% c("sum", "mean") && type == "double" && length(parts) == 1L) {
    sums <- group_sums_cpp(parts[[1L]], groups$group, length(counts))
    if (reduce$op == "mean") sums / counts else sums
  } else {
    found <- split(seq_along(groups$group), factor(groups$group, levels = seq_along(counts)))
    values <- lapply(seq_along(counts), function(g) {
      if (counts[g] == 0) return(NA)
      reduced_value(reduce, variant, lapply(parts, function(part) part[found[[g]]]), counts[g], type)
    })
    unlist(values)
  }
  value[counts == 0] <- NA
  names(value) <- groups$names
  value
}

shaped_values <- function(variant, inputs, value, n) {
  plain <- TRUE
  for (x in inputs) if (has_shape(x)) plain <- FALSE
  if (!is.atomic(value)) { # it stays on its device
    attributes <- if (!plain) node_attributes(variant$tree, variant$root, lapply(inputs, input_shape))
    return(new_resident(value, variant$text$types[1L], n, attributes$names, attributes$dim, attributes$dimnames))
  }
  if (variant$text$types[1L] == "logical") storage.mode(value) <- "logical"
  if (!plain) attributes(value) <- node_attributes(variant$tree, variant$root, inputs)
  value
}

has_shape <- function(x) {
  if (!is.object(x)) return(!is.null(attributes(x)))
  fields <- resident_fields(x)
  !is.null(fields$names) || !is.null(fields$dim)
}

# Something with the attributes that a vector on a device would have.
input_shape <- function(x) {
  if (!is.object(x)) return(x)
  fields <- resident_fields(x)
  shape <- logical()
  attr(shape, "shape") <- fields[c("names", "dim", "dimnames")]
  shape
}

# Whether the branches of ifelse() that a call stands in were taken by some element.
guards_open <- function(variant, guards, bits) {
  for (guard in guards) {
    node <- node_of(variant$tree, guard$test)
    taken <- if (node$op == "const") {
      isTRUE(as.logical(node$value) == guard$way)
    } else {
      found <- vapply(variant$text$sites, function(site) {
        site$rule == "test" && site$node == guard$test && site$way == guard$way
      }, NA)
      any(bits[found])
    }
    if (!taken) return(FALSE)
  }
  TRUE
}

# R's warnings: of lengths, then one for each call that made a NaN of what was none; rules of single functions give texts
# of their own.
warn_of_call <- function(variant, inputs, flags) {
  if (length(variant$recycled) == 0L && !any(flags != 0L)) return(invisible())
  n_sites <- length(variant$text$sites)
  bits <- unlist(lapply(flags, function(word) bitwAnd(bitwShiftR(word, 0:(warning_bits - 1L)), 1L) == 1))[seq_len(n_sites)]
  warn_of_lengths(variant, inputs, function(guards) guards_open(variant, guards, bits))
  for (site in variant$text$sites[bits]) {
    if (site$rule %in% c("test", "odd") || !guards_open(variant, site$guards, bits)) next
    texts <- site$reason
    if (!is.null(seen_rules[[site$rule]])) {
      node <- node_of(variant$tree, site$node)
      args <- lapply(node$args, function(id) node_value(variant$tree, id, inputs))
      texts <- library_result(node, args)$warnings
    }
    for (text in texts) warning(simpleWarning(text, site$call))
  }
}

# `open`: whether guards are.
warn_of_lengths <- function(variant, inputs, open) {
  if (length(variant$recycled) == 0L) return(invisible())
  measures <- measures_of(inputs)
  for (pair in variant$recycled) {
    lengths <- ifelse(is.na(pair$ranks), pair$pair$lengths, measures[pair$ranks])
    if (lengths[2L] %% lengths[1L] != 0 && open(pair$pair$guards)) {
      warning(simpleWarning(pair$pair$text, pair$pair$call))
    }
  }
}

# R's text, for a minimum or maximum of nothing.
no_values_text <- function(op) with_messages(get(op, baseenv())(numeric()))

# From what the blocks of the elements gave, in their order.
reduced_value <- function(reduce, variant, parts, n, type = variant$text$types[1L]) {
  missing <- function(x) if (anyNA(x)) if (any(is.na(x) & !is.nan(x))) NA_real_ else NaN
  whole <- function(x) {
    if (is.na(x)) return(NA_integer_)
    if (abs(x) <= .Machine$integer.max) return(as.integer(x))
    warning(simpleWarning("integer overflow - use sum(as.numeric(.))", NULL))
    NA_integer_
  }
  first <- parts[[1L]]
  switch(reduce$op,
    sum = if (type == "double") missing(first) %||% sum(first) else whole(sum(first)),
    mean = (missing(first) %||% sum(first)) / (if (reduce$na_rm) sum(parts[[2L]]) else n),
    prod = missing(first) %||% scaled_product(first, parts[[2L]]),
    min = , max = {
      if (reduce$na_rm) first <- first[!is.nan(first)] # a block of missing values has none
      if (length(first) == 0L) warning(simpleWarning(no_values_text(reduce$op), NULL))
      value <- missing(first) %||% suppressWarnings(get(reduce$op, baseenv())(first))
      if (type == "double" || is.infinite(value)) value else as.integer(value)
    },
    any = , all = {
      found <- any(first %% 2L == 1L)
      if (found) reduce$op == "any" else if (any(first >= 2L) && !reduce$na_rm) NA else reduce$op == "all"
    },
    logsumexp = missing(first) %||% {
      m <- max(first)
      if (is.infinite(m)) m else m + log(sum(parts[[2L]] * exp(first - m)))
    }
  )
}

# The product of m * 2^(512 s), where |m| is from 2^-256 to 2^256 unless it is 0 or Inf: see `expr_product` of arithmetic.cl.
scaled_product <- function(m, s) {
  while (length(m) > 1L) {
    if (length(m) %% 2L == 1L) {
      m <- c(m, 1)
      s <- c(s, 0)
    }
    first <- c(TRUE, FALSE)
    m <- m[first] * m[!first]
    large <- !is.na(m) & abs(m) > 2^256
    small <- !is.na(m) & abs(m) < 2^-256
    m <- m * ifelse(large, 2^-512, ifelse(small, 2^512, 1))
    s <- s[first] + s[!first] + large - small
  }
  if (s >= 0) return(m * 2^(512 * (s > 0)) * 2^(512 * (s > 1)) * 2^(512 * (s > 2)))
  m * 2^(-512 * (s < -2)) * 2^(-512 * (s < -3)) * 2^(-512 * min(-s, 2)) # one rounding among the subnormal numbers
}
