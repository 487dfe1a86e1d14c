# What becomes of an opencl_function's values where it reduces: the rows of inst/spec/reductions.tsv.

# list(name, takes, joined, plain, ...) by name; `joined` and `plain` as R expressions.
reduction_table <- function() {
  if (is.null(expression_state$reductions)) {
    table <- utils::read.delim(
      system.file("spec", "reductions.tsv", package = "nmathopencl"),
      quote = "", colClasses = "character", na.strings = character()
    )
    rows <- lapply(.mapply(list, table, NULL), function(row) {
      row[c("joined", "plain")] <- lapply(row[c("joined", "plain")], str2lang)
      row
    })
    expression_state$reductions <- stats::setNames(rows, table$name)
  }
  expression_state$reductions
}

# From what the blocks of the elements gave, in their order. `parts`: what a block leaves, and of means that leave values out their counts.
reduced_value <- function(reduce, variant, parts, n, type = variant$text$types[1L]) {
  count <- if (reduce$op == "mean" && reduce$na_rm) sum(parts[[2L]]) else n
  known <- list(first = parts[[1L]], second = if (length(parts) > 1L) parts[[2L]], count = count, type = type, na_rm = reduce$na_rm)
  eval(reduction_table()[[reduce$op]]$joined, known, environment(reduced_value))
}

# Of R's values, none of them left out.
reduced_by_r <- function(reduce, value) {
  eval(reduction_table()[[reduce$op]]$plain, list(value = value), environment(reduced_by_r))
}

# NA, or NaN where there is no NA; NULL where no value is missing.
missing_among <- function(x) if (anyNA(x)) if (any(is.na(x) & !is.nan(x))) NA_real_ else NaN

# Of sums of integers, as R has them: a double where it is beyond the integers.
whole_sum <- function(x) {
  x <- sum(x)
  if (is.na(x)) return(NA_integer_)
  if (abs(x) <= .Machine$integer.max) as.integer(x) else x
}

# A body was translated for the types that its sums of integers had before (Graph::whole_sums): with_widths() learns of those that
# have another one now. `nodes`: reductions, with their `values`.
check_widths <- function(nodes, values) {
  changed <- Filter(function(k) {
    number <- nodes[[k]]$value$number
    if (number == 0L) return(FALSE)
    value <- values[[k]]
    (!is.na(value) && abs(value) > .Machine$integer.max) != (nodes[[k]]$type == "double")
  }, seq_along(nodes))
  if (length(changed) == 0L) return(invisible())
  numbers <- vapply(nodes[changed], function(node) node$value$number, 0L)
  signalCondition(structure(list(message = "sums of other types", call = NULL, numbers = numbers), class = c("nmathopencl_widths", "condition")))
}

# What `run()` gives, with sums of integers that are doubles where they are beyond the integers.
with_widths <- function(expression, run) {
  for (turn in seq_len(most_widths)) {
    made <- tryCatch(run(), nmathopencl_widths = identity)
    if (!inherits(made, "nmathopencl_widths")) return(made)
    known <- expression$wide_sums
    expression$wide_sums <- sort(c(setdiff(known, made$numbers), setdiff(made$numbers, known)))
    expression$points_known <- NULL
  }
  limit_error("the types of sums of integers depend on each other: make them doubles, sum(as.numeric(x))")
}

most_widths <- 1000L

# R's text, for a minimum or maximum of nothing, said of the user's call; who knows where the body has it says so (Site's rule "none").
warn_of_no_values <- function(extreme) {
  text <- with_messages(extreme(numeric()))
  warning(structure(class = c("nmathopencl_no_values", "simpleWarning", "warning", "condition"), list(message = text, call = user_call())))
}

# `code`, and `note` where it is a minimum or maximum of no values.
noting_no_values <- function(code, note) {
  withCallingHandlers(code, nmathopencl_no_values = function(w) {
    note
    invokeRestart("muffleWarning")
  })
}

extreme_of <- function(extreme, x) {
  if (length(x) == 0L) warn_of_no_values(extreme)
  suppressWarnings(extreme(x))
}

joined_extremes <- function(extreme, x, na_rm, type) {
  if (na_rm) x <- x[!is.nan(x)] # a block of missing values has none
  if (length(x) == 0L) warn_of_no_values(extreme)
  value <- missing_among(x) %||% suppressWarnings(extreme(x))
  if (type == "double" || is.infinite(value)) value else as.integer(value)
}

# any() and all(): a block says by 1 that it has found `what`, by 2 that it has found NA.
joined_found <- function(x, na_rm, what) {
  if (any(x %% 2L == 1L)) what else if (any(x >= 2L) && !na_rm) NA else !what
}

# The logarithm of the sum of s * exp(m).
joined_logs <- function(m, s) {
  top <- suppressWarnings(max(m))
  if (is.infinite(top)) top else top + log(sum(s * exp(m - top)))
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
