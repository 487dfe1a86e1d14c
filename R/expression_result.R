# What R gets of a call: values with their attributes, sums of the blocks, gradients, warnings.

finish_expression <- function(expression, variant, inputs, groups, result, verbose) {
  n <- element_count(variant, inputs)
  reduce <- expression$reduce
  own <- seq_len(variant$own_parts)
  if (!is.null(reduce)) check_arrays(variant, inputs)
  value <- if (is.null(reduce)) {
    shaped_values(variant, inputs, result$values[[1L]], n)
  } else {
    grouped_value(reduce, variant, result$values[own], n, groups)
  }
  if (length(variant$slopes) > 0L) {
    labels <- gradient_labels(expression, variant$slopes, inputs)
    rest <- result$values[-own]
    gradient <- if (is.null(reduce)) {
      element_gradient(variant, rest, result$values[[1L]], inputs, labels, n)
    } else {
      sum_gradient(reduce, variant, rest, result$values[own[-1L]], inputs, labels, n, groups, length(result$values[[1L]]))
    }
    value <- with_derivatives(value, gradient, variant, inputs)
  }
  state$last_run <- result$report
  if (result$report$built > 0L) tell_cache_warning()
  if (verbose) cli::cli_inform(describe_run(result$report))
  warn_of_decisions(variant, inputs)
  warn_of_singles(variant$tree, inputs)
  warn_of_call(variant, inputs, result$flags)
  value
}

# `value` with its gradient and, of groups, its Hessian, whose slopes lie behind the gradient's: levels x k x k.
with_derivatives <- function(value, gradient, variant, inputs) {
  curves <- variant$curves
  if (ncol(curves) == 0L) {
    attr(value, "gradient") <- gradient
    return(value)
  }
  sizes <- vapply(variant$slopes, function(slope) size_of(inputs[[slope$input]]), 0)
  first <- seq_len(length(sizes) - ncol(curves)) # the gradient's own
  k <- sum(sizes[first])
  attr(value, "gradient") <- gradient[, seq_len(k), drop = FALSE]
  labels <- colnames(gradient)[seq_len(k)]
  hessian <- array(0, c(nrow(gradient), k, k), named_sides(rownames(gradient), labels, labels))
  at <- k
  ends <- cumsum(sizes[first])
  for (j in seq_len(ncol(curves))) {
    slope <- curves[2L, j]
    for (row in ends[slope] - sizes[slope] + seq_len(sizes[slope])) {
      at <- at + 1
      hessian[, row, curves[1L, j]] <- hessian[, curves[1L, j], row] <- gradient[, at]
    }
  }
  attr(value, "hessian") <- hessian
  value
}

# Of an elementwise function: a matrix with a column for each number, or, of resident results, a list of these. `values`: the slopes
# that are columns themselves, then the scores of terms, which the columns of their matrices are multiplied by, with their masks.
element_gradient <- function(variant, values, value, inputs, labels, n) {
  plain <- sum(vapply(variant$slopes, function(slope) is.null(slope$terms), NA))
  next_plain <- 0L
  next_term <- plain
  columns <- list()
  for (slope in variant$slopes) {
    if (is.null(slope$terms)) {
      next_plain <- next_plain + 1L
      columns <- c(columns, values[next_plain])
      next
    }
    sizes <- size_of(inputs[[slope$input]])
    products <- NULL
    for (term in slope$terms) {
      next_term <- next_term + 1L
      score <- values[[next_term]]
      mask <- if (!is.null(term$mask)) values[[next_term <- next_term + 1L]]
      products <- joined_columns(products, score_columns(variant, term, score, mask, inputs, n))
    }
    columns <- c(columns, products %||% rep(list(zero_column(value, n)), sizes))
  }
  if (is.atomic(columns[[1L]])) return(matrix(unlist(columns, use.names = FALSE), ncol = length(columns), dimnames = list(NULL, labels)))
  stats::setNames(lapply(columns, function(x) if (is_resident(x)) x else new_resident(x, "double", n)), labels) # they stay where the value does
}

# The columns of a term's matrix times its score, as R's vectors or as resident vectors where the score does.
score_columns <- function(variant, term, score, mask, inputs, n) {
  node <- node_of(variant$tree, term$product)
  matrix <- inputs[[node$value[[1L]]]]
  rows <- dim(matrix)[1L]
  cut <- if (is.null(term$cut)) n else length_of_node(variant, term$cut, inputs)
  if (is.atomic(score)) {
    row <- if (rows != n || cut != n) ((seq_len(n) - 1) %% cut) %% rows + 1
    out <- if (!is.null(mask)) which(mask == 0L)
    return(lapply(seq_len(ncol(matrix)), function(j) {
      column <- as.double((if (is.null(row)) matrix[, j] else matrix[row, j]) * score)
      column[out] <- 0
      column
    }))
  }
  score <- new_resident(score, "double", n)
  mask <- if (is.null(mask)) 1L else new_resident(mask, "logical", n)
  matrix <- as_resident(matrix, length(matrix), device_of_residents(list(score)))
  kernel <- paste0("column_times_", if (resident_fields(matrix)$type == "double") "double" else "int")
  lapply(seq_len(dim(matrix)[2L]), function(j) {
    given <- list(x = matrix, s = score, mask = mask, masked = length(mask), first = (j - 1) * rows, rows = as.double(rows), cut = as.double(cut), missing = NA_real_)
    run_opencl_kernel(column_text, kernel, c(given, list(len = as.integer(n))), n = n, out = n, keep = TRUE)
  })
}

column_text <- local({
  kernel <- "
__kernel void column_times_X(__global const X* x, __global const double* s, __global const int* mask, __global double* out,
                             const int masked, const double first, const double rows, const double cut, const double missing, const int len) {
    int k = get_global_id(0);
    if (k >= len) return;
    X given = x[(long)first + k % (long)cut % (long)rows];
    double t = VALUE;
    double y = t * s[k];
    if (masked > 1 && mask[k] == 0) y = 0.0;
    else if (isnan(y)) y = (isnan(t) && (uint)as_ulong(t) == 1954u) || (isnan(s[k]) && (uint)as_ulong(s[k]) == 1954u) ? missing : NAN;
    out[k] = y;
}
"
  types <- c(double = "given", int = "given == (int)0x80000000 ? missing : (double)given")
  texts <- vapply(names(types), function(type) gsub("VALUE", types[[type]], gsub("\\bX\\b|(?<=_)X\\b", type, kernel, perl = TRUE), fixed = TRUE), "")
  paste(c("#ifdef __OPENCL_VERSION__\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif", texts), collapse = "")
})

# The length that a node has for these inputs.
length_of_node <- function(variant, id, inputs) {
  len <- len_of(variant$tree, id)
  measure <- match(len, variant$measures)
  if (is.na(measure)) len else measure_of(inputs, measure)
}

joined_columns <- function(a, b) {
  if (is.null(a)) return(b)
  Map(function(x, y) x + y, a, b)
}

# Like `value`, R's or one that stays.
zero_column <- function(value, n) {
  if (is.atomic(value)) return(numeric(n))
  as_resident(numeric(n), n, device_of_residents(list(new_resident(value, "double", n))))
}

# Of a reduction: a vector, or with groups a matrix. `counts`: of means that leave values out.
sum_gradient <- function(reduce, variant, values, counts, inputs, labels, n, groups, blocks) {
  plain <- Filter(function(slope) is.null(slope$terms), variant$slopes)
  next_plain <- 0L
  next_term <- length(plain)
  sums <- list()
  add <- function(parts) sums[[length(sums) + 1L]] <<- grouped_value(reduce, variant, c(list(parts), counts), n, groups, "double")
  for (slope in variant$slopes) {
    if (is.null(slope$terms)) {
      next_plain <- next_plain + 1L
      add(values[[next_plain]])
      next
    }
    size <- size_of(inputs[[slope$input]])
    total <- NULL
    for (term in slope$terms) {
      next_term <- next_term + 1L
      parts <- matrix(values[[next_term]], nrow = 2 * size)[seq_len(size), , drop = FALSE]
      total <- if (is.null(total)) parts else total + parts
    }
    if (is.null(total)) total <- matrix(0, size, blocks)
    for (j in seq_len(size)) add(total[j, ])
  }
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
  if (all(counts == 0)) value <- c(suppressWarnings(reduced_by_r(reduce, vector(type, 0L)))[0L], value) # of R's type
  value[counts == 0] <- NA
  names(value) <- groups$names
  value
}

shaped_values <- function(variant, inputs, value, n) {
  plain <- !isTRUE(variant$makes_shape)
  for (x in inputs) if (has_shape(x)) plain <- FALSE
  if (!is.atomic(value)) { # it is resident on its device
    attributes <- if (!plain) node_attributes(variant$tree, variant$root, lapply(inputs, input_shape))
    return(new_resident(value, variant$text$types[1L], n, attributes$names, attributes$dim, attributes$dimnames))
  }
  if (variant$text$types[1L] == "logical") storage.mode(value) <- "logical"
  if (!plain) attributes(value) <- node_attributes(variant$tree, variant$root, lapply(inputs, in_r))
  value
}

has_shape <- function(x) {
  if (!is.object(x)) return(!is.null(attributes(x)))
  fields <- resident_fields(x)
  !is.null(fields$names) || !is.null(fields$dim) || !is.null(attributes(origin_of(x)))
}

# Something with the attributes that a vector on a device would have.
input_shape <- function(x) {
  if (!is.object(x)) return(x)
  there <- origin_of(x)
  if (!is.null(there)) return(there)
  fields <- resident_fields(x)
  shape <- logical()
  attr(shape, "shape") <- fields[c("names", "dim", "dimnames")]
  attr(shape, "of") <- x # whose values names may ask for
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
  warn <- site_warner()
  for (site in variant$text$sites[bits]) {
    if (site$rule %in% asking_rules || !guards_open(variant, site$guards, bits)) next
    texts <- site$reason
    if (site$of_r) {
      node <- node_of(variant$tree, site$node)
      args <- lapply(node$args, function(id) node_value(variant$tree, id, inputs))
      texts <- library_result(node, args)$warnings
    }
    warn(site, texts)
  }
}

# A function that warns of a site, and of the columns of one matrix once; where R would stop it stops.
site_warner <- function() {
  reported <- list()
  function(site, texts) {
    if (length(texts) == 0L) return(invisible())
    if (site$rule == "stops") stop(simpleError(texts[1L], site$call))
    for (one in reported) if (one$whole == site$whole && identical(one$call, site$call)) return(invisible())
    reported[[length(reported) + 1L]] <<- site
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

# Of the gradient's inputs those that a call has: of with(par, ...) a name is no element of `par` where `par has name` is FALSE.
gradient_of <- function(expression, inputs) {
  flags <- flags_of_elements(expression$inputs)
  if (length(flags) == 0L) return(expression$gradient)
  Filter(function(k) is.na(flags[k]) || !isFALSE(as.logical(in_r(inputs[[flags[k]]]))), expression$gradient)
}

# By input the one that says whether there is such an element, else NA; nothing where no input is an element.
flags_of_elements <- function(inputs) {
  names <- vapply(inputs, `[[`, "", "name")
  elements <- grepl("$", names, fixed = TRUE)
  if (any(elements)) ifelse(elements, match(sub("$", " has ", names, fixed = TRUE), names), NA)
}

# The names of a gradient's numbers, which are in the inputs `at`: of one number its argument's name. `none`: so has an argument without
# elements.
names_of_slopes <- function(expression, inputs, at, none = FALSE) {
  unlist(lapply(at, function(k) {
    name <- expression$inputs[[k]]$name
    size <- size_of(inputs[[k]])
    if (size == 1 || (none && size == 0)) name else numbered_names(name, inputs[[k]])
  }))
}

# Those of elements, or the argument's with their numbers. The last ones made are kept: many take longer to make than the call that they are for.
numbered_names <- function(name, x) {
  size <- size_of(x)
  if (!is.null(names(x))) return(names(x))
  made <- function() paste0(rep(name, size), seq_len(size))
  if (size < 100) return(made())
  key <- c(name, size)
  if (!identical(last_numbered$names$key, key)) last_numbered$names <- list(key = key, made = made()) # at once: an interrupt leaves the pair whole
  last_numbered$names$made
}
last_numbered <- new.env(parent = emptyenv())

slope_inputs <- function(slopes) vapply(slopes, function(slope) slope$input, 0L)

# The names where slopes are one number for each element: coefficients have theirs, other arguments one for all.
gradient_labels <- function(expression, slopes, inputs) {
  unlist(lapply(slopes, function(slope) {
    name <- expression$inputs[[slope$input]]$name
    if (is.null(slope$terms)) name else numbered_names(name, inputs[[slope$input]])
  }))
}

# ---- second derivatives of functions that give one number: what the compiler has made of them (src/expression/second.h) as a matrix

# Whether second derivatives are wanted, and can be: of what gives one number.
checked_hessian <- function(hessian, expression) {
  if (!is_switch(hessian)) argument_error("`hessian` must be TRUE or FALSE")
  if (!hessian) return(FALSE)
  if (is.null(expression$gradient)) argument_error("`hessian` goes with `gradient`, the names of the arguments that it is in")
  if (is.null(expression$reduce) && !expression$staged) {
    limit_error("`hessian` is for functions that give one number: end it with sum(...), or use reduce = \"sum\"")
  }
  TRUE
}

# Directions, slopes and nodes of the compiler as a matrix of three rows.
curves_of <- function(made) matrix(as.integer(made$curves), 3L)

# `values`: of the nodes, in their order; `sizes`: of the gradient's arguments. A direction 0 is a diagonal: see Curve. The other directions
# are the dense block's numbers in their order: as numbers of all they hang on how many effects the call had that was compiled.
hessian_matrix <- function(curves, values, sizes, labels) {
  ends <- cumsum(sizes)
  places <- function(slope) ends[slope] - sizes[slope] + seq_len(sizes[slope])
  on_diagonal <- curves[2L, curves[1L, ] == 0L]
  where <- unlist(lapply(sort(on_diagonal), places))
  rest <- which(!replace(logical(length(labels)), where, TRUE))
  dense <- matrix(0, length(rest), length(rest), dimnames = list(labels[rest], labels[rest]))
  border <- matrix(0, length(where), length(rest), dimnames = list(labels[where], labels[rest]))
  diagonal <- numeric(length(where))
  at <- integer(length(labels)) # of each number, which it is of its kind
  at[rest] <- seq_along(rest)
  at[where] <- seq_along(where)
  columns <- match(curves[1L, ], setdiff(sort(curves[1L, ]), 0L))
  for (k in seq_len(ncol(curves))) {
    rows <- at[places(curves[2L, k])]
    value <- as.double(in_r(values[[k]]))
    if (curves[1L, k] == 0L) {
      diagonal[rows] <- value
    } else if (curves[2L, k] %in% on_diagonal) {
      border[rows, columns[k]] <- value
    } else {
      dense[rows, columns[k]] <- value
    }
  }
  dense <- mirrored(dense)
  if (length(on_diagonal) == 0L) dense else new_arrowhead(dense, border, diagonal, where, labels)
}

# With what is below the diagonal above it, too.
mirrored <- function(x) {
  above <- upper.tri(x)
  x[above] <- t(x)[above]
  x
}
