# Hessians of sums of rows in which vectors enter by products with matrices: each part is t(X) W Z, W diagonal. A kernel leaves the weights
# of the rows (row_weights() in src/expression/row_weights.h), and a second one multiplies (inst/cl/expression/weighted_products.cl), for
# any number of columns.

# The kernel of the weights, for the inputs of a call; NULL where the Hessian is none of these, or of so few numbers that one program has it.
weights_variant <- function(expression, inputs, key) {
  if (!is_by_directions(expression, inputs) || length(expression$wide_sums) > 0L || isTRUE(expression$reduce$na_rm)) return(NULL)
  of <- gradient_of(expression, inputs)
  if (sum(vapply(inputs[of], size_of, 0)) <= few_columns) return(NULL)
  own <- parts_of_hessian(expression)$weights
  if (key %in% own$refused) return(NULL)
  variant <- tryCatch(find_variant(own, inputs, key), nmathopencl_error = function(e) NULL)
  matrices <- unique(variant$weights[c(2L, 4L), ])
  whole <- vapply(inputs[matrices[matrices > 0L]], function(x) is_resident(x) && input_type(x) != "double", NA)
  if (!is.null(variant) && !any(whole)) return(variant)
  own$refused <- c(own$refused, key)
  NULL
}

# The value with its gradient and Hessian; NULL where a part of it is not finite, so that its columns have to be looked at one by one.
# `given`: values as run_expression() takes them, `inputs` with the outer ones.
hessian_by_weights <- function(expression, variant, given, inputs, key, device, verbose, call) {
  if (length(device) != 1L) return(NULL)
  parts <- parts_of_hessian(expression)
  weights <- weights_of_rows(parts$weights, variant, inputs, key, device, call)
  on.exit(for (x in weights$values) if (typeof(x) == "externalptr") resident_free_cpp(x)) # no need to wait for gc()
  of <- gradient_of(expression, inputs)
  sizes <- vapply(inputs[of], size_of, 0)
  products <- lapply(seq_len(ncol(variant$weights)), function(k) {
    sides <- variant$weights[, k]
    side <- function(input) if (input > 0L) pointer_or_doubles(inputs[[input]])
    left <- side(sides[2L])
    list(
      left = left, left_columns = sizes[[sides[1L]]], right = if (sides[4L] == sides[2L]) left else side(sides[4L]), right_columns = sizes[[sides[3L]]],
      weights = weights$values[[k]]
    )
  })
  rows <- element_count(variant, inputs)
  there <- device_between(inputs) %||% device
  multiplied <- weighted_products_cpp(weighted_program(), products, rows, as.character(there))
  if (!is.null(multiplied$error)) raise_core_error(multiplied$error, call)
  hessian <- matrix(0, sum(sizes), sum(sizes))
  before <- cumsum(c(0, sizes))
  for (k in seq_along(products)) {
    i <- before[variant$weights[1L, k]] + seq_len(products[[k]]$left_columns)
    j <- before[variant$weights[3L, k]] + seq_len(products[[k]]$right_columns)
    hessian[i, j] <- hessian[i, j] + multiplied$value[[k]]
  }
  hessian <- variant$scale * hessian
  if (variant$mean) hessian <- hessian / rows
  if (!all(is.finite(hessian))) return(NULL)
  value <- expression_runner(parts$plain)(given, NULL, device, FALSE, verbose, call, FALSE)
  expression$device <- parts$plain$device
  state$last_run <- added_reports(added_reports(last_run(), weights$report, last_run()$elements), multiplied$report, last_run()$elements)
  labels <- names(attr(value, "gradient"))
  below <- lower.tri(hessian)
  hessian[below] <- t(hessian)[below]
  attr(value, "hessian") <- structure(hessian, dimnames = list(labels, labels))
  value
}

# list(values, report): a vector for each weight, on the device.
weights_of_rows <- function(own, variant, inputs, key, device, call) {
  progress <- call_progress("opencl_function", environment())
  run <- function(where) run_variant(variant, inputs, NULL, NULL, where, progress, TRUE)
  result <- run_on_device(run, device, FALSE, call)
  if (is.null(result) || has_bit(result$flags, variant$text$general_bit)) {
    for (x in result$values) if (typeof(x) == "externalptr") resident_free_cpp(x)
    variant <- find_variant(own, inputs, key, " general")
    result <- run_on_device(run, device, FALSE, call)
  }
  list(values = utils::tail(result$values, ncol(variant$weights)), report = result$report)
}

weighted_program <- function() {
  if (is.null(expression_state$weighted)) {
    file <- system.file("cl", "expression", "weighted_products.cl", package = "nmathopencl")
    expression_state$weighted <- weighted_program_cpp(paste(c(readLines(file), ""), collapse = "\n"))
  }
  expression_state$weighted
}

pointer_or_doubles <- function(x) if (is_resident(x)) resident_fields(x)$pointer else storage_as(x, "double")
