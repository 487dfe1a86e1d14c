# The engine behind every r*_opencl function: one seed from R's generator, one call to the core, then R's conditions.

# n: how many draws, as stats reads it; columns: parameters in C order; seed, first: see draw_stream(). Returns the vector
# R's own function would, but for the stream.
random_draws <- function(name, n, columns, device, fallback, verbose, keep = FALSE, seed = NULL, first = 1, ...,
                         call = sys.call(-1L)) {
  force(call)
  if (...length()) device <- device_of_old_arguments(name, device, call, ...)
  check_switches(fallback, verbose, keep)
  columns <- lapply(columns, as_parameter, call)
  n <- draw_count(n, call)
  device <- resolve_devices(device)
  stream <- draw_stream(seed, first, n)
  resident <- vapply(columns, is_resident, NA)
  where <- if (any(resident)) device_of_residents(columns[resident], call) else device
  stays <- function(value) if (keep || any(resident)) as_resident(value, n, where) else value
  if (n == 0 || any(vapply(columns, length, 0) == 0)) return(stays(draws_without_device(name, n, verbose, call)))
  columns <- lapply(columns, pointer_or_vector)
  key <- stream$key %||% draw_seed_cpp()
  progress <- call_progress(name, environment())
  run <- function(device) random_cpp(name, n, columns, key, device, progress, keep, stream$first, draw_state$tables)
  result <- run_on_device(run, device, fallback, call)
  repeated <- fallback && identical(result$report$device, "host")
  if (length(where) == 1L || repeated) where <- "host" # what a device with memory of its own drew is a handle already
  stays(finish_call(result, verbose, call))
}

# Which draws: the key as two words of 32 bits, NULL where R's generator is to give it, and the number of the first one,
# from 0.
draw_stream <- function(seed, first, n) {
  if (is.null(seed) && identical(first, 1)) return(list(key = NULL, first = 0))
  whole <- function(x, from, to) {
    is.numeric(x) && !is.factor(x) && length(x) == 1L && !is.na(x) && x == trunc(x) && x >= from && x <= to
  }
  if (!is.null(seed) && !whole(seed, 0, 2^53)) {
    argument_error("`seed` must be NULL or one whole number from 0 to 2^53")
  }
  if (!whole(first, 1, 2^53 - n)) argument_error("`first` must be one whole number from 1 on: the number of a draw")
  list(key = if (!is.null(seed)) c(seed %/% 2^32, seed %% 2^32), first = first - 1)
}

# Kernels of other texts, such as those of expressions, draw without tables (rng_core_opencl says when there are any): what
# has to agree with them does so too.
draw_state <- new.env(parent = emptyenv())
draw_state$tables <- TRUE

without_tables <- function(value) {
  old <- draw_state$tables
  on.exit(draw_state$tables <- old)
  draw_state$tables <- FALSE
  value
}

# Nothing to draw, or nothing to draw from.
draws_without_device <- function(name, n, verbose, call) {
  value <- rep_len(if (draws_integers_cpp(name)) NA_integer_ else NA_real_, n)
  finish_call(list(value = value, warnings = if (n > 0) "NAs produced", report = no_run(name, n)), verbose, call)
}

# A single number is truncated, anything else of another length stands for its length.
draw_count <- function(n, call = sys.call(-1L)) {
  invalid <- function() stop(mirrored_error("invalid arguments", call))
  if (is_resident(n)) {
    if (length(n) != 1) return(length(n))
    n <- as.vector(n)
  }
  if (is.null(n) || !(is.atomic(n) || is.list(n) || is.expression(n))) invalid()
  if (length(n) != 1L) return(length(n))
  if (!is.atomic(n) || is.raw(n)) invalid()
  count <- suppressWarnings(as.double(n))
  if (is.na(count) && is.character(n) && !is.na(n)) warning(simpleWarning("NAs introduced by coercion", call))
  if (is.na(count) || count < 0 || count > 2^52) invalid()
  trunc(count)
}

as_parameter <- function(x, call) {
  if (is_resident(x)) {
    if (length(x) == 1) return(as.vector(x))
    whole <- resident_fields(x)$type != "double" && !identical(resident_device(x), "host")
    return(if (whole) resident_function(quote(as.double(x)), FALSE)(x) else x) # kernels of draws take doubles
  }
  numeric <- typeof(x) %in% c("double", "integer", "logical") && !is.factor(x)
  if (numeric) x else stop(mirrored_error("invalid arguments", call))
}

# The negative binomial by size and mean, as stats chooses it when `mu` is given.
draws_by_mu <- function(name, prob_missing, n, columns, device, fallback, verbose, keep, seed, first) {
  call <- sys.call(-1L)
  if (!prob_missing) stop(mirrored_error("'prob' and 'mu' both specified", call))
  random_draws(name, n, columns, device, fallback, verbose, keep, seed, first, call = call)
}

# The probability of one vector of counts: of each cell's count among those that the cells before it left, as
# P(x) = prod_k dbinom(x_k, x_k + ... + x_K, p_k / (p_k + ... + p_K)). Every factor is below 1: no digits cancel.
multinomial_density <- function(x, size, prob, log, device, fallback, verbose, keep) {
  call <- sys.call(-1L)
  check_switches(fallback, verbose, keep)
  if (!is_switch(log)) argument_error("`log` must be TRUE or FALSE")
  fail <- function(text) stop(mirrored_error(text, call))
  if (length(prob) != length(x)) fail("x[] and prob[] must be equal length vectors.")
  if (!(is.numeric(x) || is.logical(x))) fail("non-numeric argument to binary operator")
  weights <- (is.numeric(prob) || is.logical(prob)) && all(is.finite(prob)) && all(prob >= 0) && any(prob > 0)
  if (!weights) fail("probabilities must be finite, non-negative and not all 0")
  if (anyNA(x) || any(is.infinite(x))) argument_error("`x` must not have missing or infinite counts")
  x <- as.vector(trunc(x + 0.5))
  if (any(x < 0)) fail("'x' must be non-negative")
  total <- sum(x)
  if (!is.null(size) && !(is.numeric(size) && length(size) == 1L && !is.na(size))) {
    argument_error("`size` must be one number or NULL")
  }
  if (!is.null(size) && size != total) fail("size != sum(x), i.e. one is wrong")
  possible <- prob > 0
  prob <- as.double(prob[possible]) / max(prob) # sums of large weights stay finite
  left <- function(v) rev(cumsum(rev(v)))
  weight <- left(prob)
  columns <- list(x[possible], left(x[possible]), prob / weight, c(weight[-1L], 0) / weight)
  terms <- elementwise("dbinom_raw", columns, list(TRUE), device, fallback, verbose, call = call)
  value <- if (any(x[!possible] > 0)) -Inf else sum(terms)
  if (!log) value <- exp(value)
  if (keep) opencl_vector(value, device) else value
}

# The columns of rmultinom(): checks, their order and texts are those of stats.
multinomial_draws <- function(name, n, size, prob, device, fallback, verbose, keep, seed, first) {
  call <- sys.call(-1L)
  check_switches(fallback, verbose, keep)
  if (is_resident(prob)) prob <- resident_whole(prob)
  fail <- function(text) stop(mirrored_error(text, call))
  count_of <- function(x, text) {
    count <- if (is.atomic(x)) as.integer(x)[1L] else NA_integer_
    if (is.na(count) || count < 0L) fail(text)
    count
  }
  n <- count_of(n, "invalid first argument 'n'")
  size <- count_of(size, "invalid second argument 'size'")
  cells <- names(prob)
  prob <- withCallingHandlers(as.double(prob), warning = function(w) {
    warning(simpleWarning(conditionMessage(w), call))
    invokeRestart("muffleWarning")
  })
  if (!all(is.finite(prob))) fail("NA in probability vector")
  if (any(prob < 0)) fail("negative probability")
  if (!any(prob > 0)) fail("no positive probabilities")
  # Sums of large weights stay finite.
  prob <- prob / max(prob)
  dims <- c(length(prob), n)
  shape <- function(counts, where) {
    names <- if (!is.null(cells)) list(cells, NULL)
    if (keep) return(as_resident(counts, prod(dims), where, dim = dims, dimnames = names))
    array(counts, dims, names)
  }
  device <- resolve_devices(device)
  stream <- draw_stream(seed, first, n)
  if (n == 0L) return(shape(draws_without_device(name, 0, verbose, call), device))
  key <- stream$key %||% draw_seed_cpp()
  progress <- call_progress(name, environment())
  run <- function(device) multinomial_cpp(name, n, size, prob, key, device, progress, keep, stream$first)
  several <- length(device) > 1L || identical(device, "all")
  shape(finish_call(run_on_device(run, device, fallback, call), verbose, call), if (several) device else "host")
}
