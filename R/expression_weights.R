# Hessians of sums of rows in which vectors enter by products with matrices: each part is t(X) W Z, W diagonal. What a function has beside such
# a sum, a penalty say, has a Hessian of its own. A kernel leaves the weights
# of the rows (row_weights() in src/expression/row_weights.h), and a second one multiplies (inst/cl/expression/weighted_products.cl), for
# any number of columns.

# What a call's Hessian takes, for its inputs: the kernel's variant, the sizes of the gradient's arguments. NULL where the Hessian is none of
# these, or of so few numbers that one program has it.
weights_of_hessian <- function(expression, inputs, key) {
  if (!isTRUE(expression$hessian) || isTRUE(expression$rest) || length(expression$wide_sums) > 0L || isTRUE(expression$reduce$na_rm)) return(NULL)
  own <- expression$moved$weights
  if (!is.null(own) && is_refused(own, key)) return(NULL)
  of <- gradient_of(expression, inputs)
  sizes <- vapply(inputs[of], size_of, 0)
  if (sum(sizes) <= few_columns || !is_by_directions(expression, inputs)) return(NULL)
  if (sum(sizes) <= some_columns && max(vapply(inputs, rows_of, 0)) >= many_rows) return(NULL)
  own <- parts_of_hessian(expression)$weights
  variant <- tryCatch(find_variant(own, inputs, key), nmathopencl_error = function(e) NULL)
  if (is.null(variant)) return(note_refused(own, key))
  matrices <- unique(c(variant$weights[c(2L, 4L), ]))
  whole <- vapply(inputs[matrices[matrices > 0L]], function(x) is_resident(x) && input_type(x) != "double", NA)
  if (!any(whole)) list(variant = variant, sizes = sizes)
}

# A way of computing that was refused for a key is tried again for its second, fourth, eighth, ... call: the data may have decided it.
is_refused <- function(own, key) {
  left <- own$refused[[key]]$left
  if (is.null(left)) return(FALSE)
  own$refused[[key]]$left <- left - 1
  left > 0
}
note_refused <- function(own, key) {
  wait <- 2 * (own$refused[[key]]$wait %||% 0) + 1
  own$refused[[key]] <- list(wait = wait, left = wait - 1)
  NULL
}

# The value with its gradient and Hessian; NULL where a part of it is not finite, so that its columns have to be looked at one by one.
# `by`: of weights_of_hessian(); `given`: values as run_expression() takes them, `inputs` with the outer ones.
hessian_by_weights <- function(expression, by, given, inputs, key, device, verbose, call) {
  resident <- Filter(is_resident, inputs)
  if (length(resident) > 0L) device <- device_of_residents(resident, call)
  if (length(device) != 1L) return(NULL)
  parts <- parts_of_hessian(expression)
  ran <- run_weights(parts$weights, by$variant, inputs, key, device, call)
  on.exit(for (x in ran$values) if (typeof(x) == "externalptr") resident_free_cpp(x)) # no need to wait for gc()
  variant <- ran$variant
  rows <- element_count(variant, inputs)
  weights <- variant$weights
  of_two <- weights[2L, ] > 0L & weights[4L, ] > 0L
  of_rows <- utils::tail(ran$values, sum(of_two))
  blocks <- vector("list", ncol(weights))
  products <- lapply(seq_along(of_rows), function(k) {
    sides <- weights[, which(of_two)[k]]
    x <- pointer_or_doubles(inputs[[sides[2L]]])
    list(
      left = x, left_columns = by$sizes[[sides[1L]]], right = if (sides[4L] == sides[2L]) x else pointer_or_doubles(inputs[[sides[4L]]]),
      right_columns = by$sizes[[sides[3L]]], weights = of_rows[[k]]
    )
  })
  multiplied <- weighted_products_cpp(weighted_program(), products, rows, as.character(device))
  if (!is.null(multiplied$error)) raise_core_error(multiplied$error, call)
  blocks[of_two] <- multiplied$value
  blocks[!of_two] <- summed_weights(variant, ran$values, by$sizes, rows)
  hessian <- joined_blocks_cpp(blocks, weights, by$sizes, if (variant$mean) variant$scale / rows else variant$scale)
  if (is.null(hessian)) return(NULL)
  if (variant$rest) {
    rest <- suppressWarnings(expression_runner(parts$rest)(given, NULL, device, FALSE, FALSE, call, FALSE)) # the value tells of them
    hessian <- hessian + as.matrix(attr(rest, "hessian"))
    if (!all(is.finite(hessian))) return(NULL)
  }
  value <- expression_runner(parts$plain)(given, NULL, device, FALSE, verbose, call, FALSE)
  expression$device <- parts$plain$device
  report <- last_run()
  for (one in list(ran$report, multiplied$report)) report <- added_reports(report, one, report$elements)
  state$last_run <- report
  labels <- names(attr(value, "gradient"))
  attr(value, "hessian") <- structure(hessian, dimnames = list(labels, labels))
  value
}

# What a weight is multiplied by: of a number nothing, or the columns of one matrix. In the order of the weights.
summed_weights <- function(variant, values, sizes, rows) {
  weights <- variant$weights
  numbers <- colSums(weights[c(2L, 4L), , drop = FALSE] > 0L)
  sum_of <- function(parts) reduced_value(list(op = "sum", na_rm = FALSE), variant, parts, rows, "double")
  at <- variant$own_parts # the value's own
  found <- vector("list", length(numbers))
  for (k in which(numbers == 0L)) {
    found[[k]] <- sum_of(values[at + seq_len(variant$own_parts)])
    at <- at + variant$own_parts
  }
  for (k in which(numbers == 1L)) {
    at <- at + 1L
    size <- prod(sizes[weights[c(1L, 3L), k]])
    columns <- matrix(values[[at]], nrow = 2 * size)[seq_len(size), , drop = FALSE]
    found[[k]] <- if (ncol(columns) == 1L) columns[, 1L] else vapply(seq_len(size), function(j) sum_of(list(columns[j, ])), 0)
  }
  found[numbers < 2L]
}

# list(variant, values, report): what the kernel leaves on the device, by the variant that ran.
run_weights <- function(own, variant, inputs, key, device, call) {
  progress <- call_progress("opencl_function", environment())
  run <- function(where) run_variant(variant, inputs, NULL, NULL, where, progress, TRUE)
  result <- run_on_device(run, device, FALSE, call)
  if (is.null(result) || has_bit(result$flags, variant$text$general_bit)) {
    for (x in result$values) if (typeof(x) == "externalptr") resident_free_cpp(x)
    variant <- find_variant(own, inputs, key, " general")
    result <- run_on_device(run, device, FALSE, call)
  }
  list(variant = variant, values = result$values, report = result$report)
}

weighted_program <- function() {
  if (is.null(expression_state$weighted)) {
    file <- system.file("cl", "expression", "weighted_products.cl", package = "nmathopencl")
    expression_state$weighted <- weighted_program_cpp(paste(c(readLines(file), ""), collapse = "\n"))
  }
  expression_state$weighted
}

pointer_or_doubles <- function(x) if (is_resident(x)) resident_fields(x)$pointer else if (is.double(x)) x else storage_as(x, "double")
