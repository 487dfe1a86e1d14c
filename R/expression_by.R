# Calls with `by`: groups of elements, whose sums a kernel makes, and series of rows, of which each is computed by itself.

# The groups of `by`: a factor, or integer codes from 1; elements without one are left out.
expression_groups <- function(by, variant, inputs) {
  n <- element_count(variant, inputs)
  if (is_resident(by)) return(resident_groups(by, n, variant))
  codes <- group_codes(by, n)
  names <- if (is.factor(by)) levels(by) else code_names(max(0L, codes, na.rm = TRUE))
  c(made_groups(codes, length(names), n, variant), list(names = names))
}

# The codes of n values' groups, from R's `by`.
group_codes <- function(by, n) {
  codes <- if (is.factor(by)) as.integer(by) else by
  if (is.object(codes)) argument_error("`by` must be a factor or integer codes, and is of class ", paste(class(codes), collapse = "/"), ": factor() makes one")
  if (is.double(codes) && all(is.na(codes) | (codes == trunc(codes) & abs(codes) <= .Machine$integer.max))) codes <- as.integer(codes)
  if (!is.integer(codes)) argument_error("`by` must be a factor or integer codes: factor() makes one")
  check_group_count(codes, n)
  if (!is.factor(by) && any(codes < 1L, na.rm = TRUE)) argument_error("codes in `by` must be from 1 on")
  codes
}

# Resident codes are checked and sorted once: what is made of them stays with them.
resident_groups <- function(by, n, variant) {
  if (resident_fields(by)$type != "integer") argument_error("`by` must be a factor or integer codes")
  check_group_count(by, n)
  made <- made_groups(resident_fields(by)$pointer, 0, n, variant)
  c(made, list(names = code_names(length(made$counts))))
}

# The names of groups that are codes, kept for the next call.
code_names <- function(n) {
  if (n > 1e6) {
    refused <- refuse_results_cpp(72 * as.double(n), "the result of all groups of `by`") # a number, a name and the name's text
    if (!is.null(refused$error)) raise_core_error(refused$error, user_call())
  }
  if (is.null(expression_state$code_names) || length(expression_state$code_names) != n) expression_state$code_names <- as.character(seq_len(n))
  expression_state$code_names
}

check_group_count <- function(codes, n) {
  if (length(codes) == n) return(invisible())
  argument_error("`by` has length ", length(codes), ", and there are ", format(n), " values to be grouped")
}

# `all`: groups of no element have a part, too.
made_groups <- function(codes, groups, n, variant, all = FALSE) {
  cost <- match(variant$text$cost, c("cheap", "moderate", "heavy", "slow")) - 1L
  made <- fused_groups_cpp(codes, groups, fused_block_cpp(n, cost), all)
  if (!is.null(made$error)) raise_core_error(made$error, user_call())
  made
}

# ---- series
#
# `by` and a function of several steps: its value for each series, one after the other in R, or all at once in kernels
# (src/expression/series.h).

# Whether the function is computed for each series by itself: one with a loop, or of several steps, whose sums are of its rows. Of others one
# kernel adds up the elements of each level.
is_of_series <- function(expression, inputs, key) {
  if (!expression$staged) return(FALSE)
  if (expression$loops) return(TRUE)
  if (key == "") return(FALSE)
  for (known in expression$of_series[[key]]) if (variant_fits(known, inputs)) return(known$of_series)
  of_series <- tryCatch(is.null(find_variant(expression, inputs, key, "by")), nmathopencl_error = function(e) TRUE)
  made <- tryCatch(compiled(expression, inputs, fallback = TRUE), nmathopencl_error = function(e) NULL)
  if (is.null(made)) return(of_series)
  # A condition may decide it, and another call decide otherwise.
  known <- list(
    of_series = of_series, tree = made$tree, exact = made$tree$exact, measures = measures_of(inputs), fixed = integer(), named = made$named,
    decisions = made$tree$decisions
  )
  expression$of_series[[key]] <- utils::head(c(list(known), expression$of_series[[key]]), most_variants)
  of_series
}

# The value for each level of `by`, with its gradient.
run_series <- function(expression, values, inputs, key, by, device, fallback, verbose, call) {
  known <- series_of(expression, by)
  if (known$count == 0) return(stats::setNames(rep(NA_real_, length(known$names)), known$names)) # no row is of a series
  check_series_inputs(expression, inputs, known)
  if (known$some_missing) { # rows of no series are left out
    rows <- which(!is.na(known$codes))
    codes <- known$codes[rows]
    others <- setdiff(vapply(inputs, rows_of, 0), known$rows)
    while (known$count > 1 && length(rows) %in% others) { # as long as these: they would be taken for rows, so one series is computed again
      again <- which(known$codes == 1L)
      rows <- c(rows, again)
      codes <- c(codes, rep(max(codes) + 1L, length(again)))
    }
    return(named_levels(known, run_series(
      expression, lapply(values, taken_rows, rows, known$rows), lapply(inputs, taken_rows, rows, known$rows), key, codes, device, fallback, verbose, call
    ), seq_len(known$count)))
  }
  of_rows <- vapply(inputs, rows_of, 0) == known$rows
  if (!any(of_rows)) argument_error("`by` has length ", known$rows, ", and no argument is as long")
  if (known$count == 1) return(run_one_series(expression, values, known, device, fallback, verbose, call))
  given <- inputs
  by_fallback <- function() {
    own <- rows_as_arguments(expression, values, given, known)
    named_levels(known, fallback_series(own$expression, lapply(own$inputs, in_r), known, vapply(own$values, is.null, NA)), seq_len(known$count))
  }
  if (known$rows == 1 || key == "" || (!host_compiles() && on_host(device, inputs))) return(by_fallback())
  series <- expression_of_series(expression, known)
  there <- device_between(inputs)
  inputs <- c(inputs, hidden_inputs(known, there))
  form <- if (known$in_order) "series" else "series order"
  way <- paste(key, form)
  one_by_one <- function() named_levels(known, series_by_calls(expression, values, given, known, device, fallback, verbose, call), seq_len(known$count))
  is_too_short <- function() any(known$counts < series$least_rows[[way]]) # z[3] <- a lengthens a vector of two
  if (is_too_short()) return(one_by_one())
  ran <- if (!fallback && !verbose) series_from_plan(expression, series, inputs, layout_of_call(series, key, form), device)
  if (!is.null(ran)) return(named_levels(known, ran, seq_len(known$count)))
  variant <- if (!is_refused(series, way)) tryCatch(find_variant(series, inputs, key, form), nmathopencl_error = function(e) if (expression$loops) stop(e))
  if (is.null(variant)) {
    if (is.null(series$refused[[way]]) || series$refused[[way]]$left < 0) note_refused(series, way)
    return(one_by_one())
  }
  series$least_rows[[way]] <- max(series$least_rows[[way]], variant$tree$least_rows)
  if (is_too_short()) return(one_by_one())
  check_conditions(variant, inputs, call)
  progress <- call_progress("opencl_function", environment())
  launches <- launch_runners(inputs, device, fallback, progress, call)
  value <- run_stages(
    series, variant, inputs, launches$stage, launches$rounds, FALSE, verbose, call
  )
  expression$device <- state$last_run$device
  if (!is.null(value) && length(series$wide_sums) == 0L) note_staged_plan(series, variant, inputs, key, form)
  if (is.null(value)) by_fallback() else named_levels(known, value, seq_len(known$count))
}

# What R computes of data is the same for each series where it reads nothing of rows, as diag(2); slopes are those in what all series share.
check_series_inputs <- function(expression, inputs, known) {
  of_rows <- vapply(inputs, rows_of, 0) == known$rows
  names <- vapply(expression$inputs, function(input) input$name, "")
  for (k in which(vapply(expression$inputs, is_taken, NA))) {
    reads <- match(names_read(expression$inputs[[k]]$value), names)
    if (anyNA(reads) || any(of_rows[c(k, reads)])) {
      limit_error("`", names[k], "` is computed of all rows, and `by` asks for the function of each series: compute it before the call and give it as an argument")
    }
  }
  if (known$count == 1 && !known$some_missing) return(invisible())
  for (k in expression$gradient) if (of_rows[k]) {
    limit_error("`", names[k], "` is in `gradient` and has an element for each row, and the slopes of a series are those in what all series share: leave it out of `gradient`, or call the function for the rows of one series, without `by`")
  }
}

# What no kernel computes for all series at once, without a loop that would be slow one after the other: a call for the rows of each.
series_by_calls <- function(expression, values, inputs, known, device, fallback, verbose, call) {
  own <- rows_as_arguments(expression, values, inputs, known)
  found <- lapply(split(seq_along(known$codes), known$codes), function(rows) {
    run_expression(own$expression, lapply(own$values, taken_rows, rows, known$rows), NULL, device, fallback, verbose, call)
  })
  expression$device <- own$expression$device
  joined_series(found)
}

# The numbers of series, each a value with its gradient.
joined_series <- function(found) {
  value <- vapply(found, as.double, 0, USE.NAMES = FALSE)
  slopes <- lapply(found, attr, "gradient")
  if (is.null(slopes[[1L]])) return(value)
  attr(value, "gradient") <- matrix(unlist(slopes, use.names = FALSE), length(found), byrow = TRUE, dimnames = list(NULL, names(slopes[[1L]])))
  value
}

# The function with variables of its environment that are as long as the rows as arguments, and their values: so that each series is given
# its part of them. list(expression, values, inputs).
rows_as_arguments <- function(expression, values, inputs, known) {
  name_of <- function(input) input$name
  of_rows <- function(inputs, values) !vapply(inputs, function(input) input$formal, NA) & vapply(values, rows_of, 0) == known$rows
  own <- of_rows(expression$inputs, inputs)
  if (!any(own)) return(list(expression = expression, values = values, inputs = inputs))
  names <- vapply(expression$inputs[own], name_of, "")
  made <- expression$by_rows
  if (is.null(made) || !identical(made$of, expression$inputs) || !identical(made$names, names)) {
    made <- list2env(mget(c("f", "written", "reduce", "hessian"), envir = expression), parent = emptyenv())
    made$of <- expression$inputs
    made$names <- names
    formals(made$f)[names] <- rep(alist(x = ), length(names))
    attributes(made$f) <- attributes(expression$f)
    note_inputs(made)
    made$given <- given_inputs(made)
    if (!is.null(expression$gradient)) made$gradient <- gradient_inputs(made, vapply(expression$inputs[expression$gradient], name_of, ""))
    expression$by_rows <- made
  }
  of_name <- function(given, all) lapply(vapply(made$inputs, name_of, ""), function(name) given[[match(name, all)]])
  all <- vapply(expression$inputs, name_of, "")
  found <- of_name(inputs, all)
  left <- of_rows(made$inputs, found)
  if (any(left)) {
    limit_error("`", made$inputs[left][[1L]]$name, "` is as long as `by`, and is not an argument: give it as one, or in `data`, so that each series has its part of it")
  }
  formal <- vapply(made$inputs, function(input) input$formal, NA)
  list(expression = made, values = of_name(c(values, inputs[-seq_along(values)]), all)[formal], inputs = found)
}

# All rows are of one series: the function of them, as without `by`.
run_one_series <- function(expression, values, known, device, fallback, verbose, call) {
  value <- run_as_translated(expression, values, NULL, device, fallback, verbose, call, FALSE, NULL)
  slopes <- attr(value, "gradient")
  value <- as.double(value)
  if (!is.null(slopes)) attr(value, "gradient") <- matrix(slopes, 1L, dimnames = list(NULL, names(slopes)))
  named_levels(known, value, 1L)
}

# The same by the plan of a call before; NULL where there is none for it.
series_from_plan <- function(expression, series, inputs, layout, device) {
  plans <- series$plans[[layout]]
  if (is.null(plans)) return(NULL)
  ran <- staged_again_cpp(expression, plans, inputs, as.character(device), environment())
  if (is.null(ran)) return(NULL)
  if (!is.null(ran$error)) raise_core_error(ran$error, user_call())
  value <- ran[[1L]]
  if (!is.null(ran[[2L]])) attr(value, "gradient") <- ran[[2L]]
  with_series_labels(series, value, inputs)
}

with_series_labels <- function(expression, value, inputs) {
  slopes <- attr(value, "gradient")
  if (is.null(slopes)) return(value)
  dimnames(slopes) <- list(NULL, names_of_slopes(expression, inputs, expression$gradient))
  attr(value, "gradient") <- slopes
  value
}

# How many rows an argument has.
rows_of <- function(x) {
  sides <- dim(x)
  if (length(sides) == 2L) as.double(sides[1L]) else if (is.factor(x)) as.double(length(x)) else size_of(x)
}

taken_rows <- function(x, rows, n) {
  if (rows_of(x) != n || n == 1) return(x)
  x <- in_r(x)
  if (length(dim(x)) == 2L) x[rows, , drop = FALSE] else x[rows]
}

# Which series rows are of: codes from 1 of those that have rows, the names and numbers of all levels. Kept for the next call.
series_of <- function(expression, by) {
  known <- expression$by
  here <- list(expression_session, Sys.getpid()) # one that was saved, or is of another process, has nothing on a device
  if (!is.null(known) && identical(known$here, here) && identical(known$by, by)) return(known)
  given <- if (is_resident(by)) as.vector(by) else by
  codes <- group_codes(given, length(given))
  names <- if (is.factor(given)) levels(given) else code_names(max(0L, codes, na.rm = TRUE))
  there <- sort(unique(codes))
  own <- match(codes, there)
  counts <- tabulate(own, length(there))
  in_order <- !is.unsorted(own) && !anyNA(own)
  known <- new.env(parent = emptyenv())
  known$by <- by
  known$here <- here
  known$rows <- as.double(length(codes))
  known$count <- as.double(length(there))
  known$codes <- own
  known$some_missing <- anyNA(own)
  known$counts <- counts
  known$starts <- as.integer(cumsum(counts) - counts + 1L)
  known$in_order <- in_order
  known$names <- names
  known$levels <- there
  expression$by <- known
  known
}

# What kernels are told of it, on the device where the arguments stay.
hidden_inputs <- function(known, device) {
  kept <- known$hidden
  if (!is.null(kept) && identical(known$where, device)) return(kept)
  order <- if (known$in_order) 1L else order(known$codes)
  positions <- sequence(known$counts)
  if (!known$in_order) positions[order] <- positions
  made <- list(known$codes, known$starts, known$counts, positions, order)
  if (!is.null(device)) made <- lapply(made, function(x) if (length(x) > 1L) opencl_vector(x, as.character(device)) else x)
  known$hidden <- made
  known$where <- device
  made
}

# The function for all series: with inputs that say where each lies.
expression_of_series <- function(expression, known) {
  made <- expression$series
  if (is.null(made) || !identical(made$of, expression$inputs)) {
    made <- list2env(mget(c("f", "reduce", "gradient", "inputs", "lists", "called", "staged", "products", "asks", "outer"), envir = expression), parent = emptyenv())
    made$of <- expression$inputs
    hidden <- lapply(c("codes", "starts", "counts", "positions", "order"), function(name) {
      list(name = paste("rows by series:", name), env = emptyenv(), formal = FALSE, only_index = TRUE, value = NULL)
    })
    made$inputs <- c(expression$inputs, hidden)
    made$variants <- list()
    expression$series <- made
  }
  n <- length(expression$inputs)
  made$wide_sums <- expression$wide_sums
  made$infinite <- expression$infinite
  made$by_series <- list(rows = known$rows, count = known$count, inputs = as.integer(c(n + 1:4, if (known$in_order) 0L else n + 5L)))
  made
}

# Value and slopes of the series that have rows, for all levels.
named_levels <- function(known, value, numbers) {
  slopes <- attr(value, "gradient")
  all <- rep(NA_real_, length(known$names))
  all[known$levels[numbers]] <- value[numbers]
  names(all) <- known$names
  if (is.null(slopes)) return(all)
  whole <- matrix(NA_real_, length(all), ncol(slopes), dimnames = list(known$names, colnames(slopes)))
  whole[known$levels[numbers], ] <- slopes[numbers, , drop = FALSE]
  attr(all, "gradient") <- whole
  all
}

# The numbers of all series, with a column of slopes for each element of the gradient's arguments.
series_value <- function(expression, variant, known, inputs) {
  count <- expression$by_series$count
  value <- rep_len(as.double(in_r(known[[variant$root]])), count)
  if (length(variant$slopes) == 0L) return(value)
  slopes <- lapply(variant$slopes, function(slope) rep_len(as.double(in_r(known[[slope$node]])), count))
  attr(value, "gradient") <- matrix(unlist(slopes), count)
  with_series_labels(expression, value, inputs)
}
