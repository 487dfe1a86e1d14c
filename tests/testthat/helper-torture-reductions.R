# Reductions of random functions, of all values or by groups, against what R makes of the same values.

torture_reductions <- names(nmathopencl:::reduction_table())

# R's, of plain values. A sum may be off by what doubles lose in any order of adding: `shaken` puts that in.
reduced_by_r <- function(op, v, na_rm, shaken = FALSE) {
  lost <- function(value, by) if (shaken && is.double(value) && is.finite(value)) value + stats::runif(1L, -1, 1) * 2^-52 * by else value
  finite <- abs(as.double(v[is.finite(v)]))
  n <- length(v)
  switch(op,
    sum = lost(sum(v, na.rm = na_rm), sum(finite)),
    mean = lost(mean(as.double(v), na.rm = na_rm), sum(finite) / max(1, length(finite))),
    min = as.double(min(v, na.rm = na_rm)), max = as.double(max(v, na.rm = na_rm)),
    prod = {
      value <- prod(v, na.rm = na_rm)
      lost(value, n * abs(value))
    },
    any = any(as.logical(v), na.rm = na_rm), all = all(as.logical(v), na.rm = na_rm),
    logsumexp = {
      v <- as.double(v)
      if (na_rm) v <- v[!is.na(v)]
      top <- if (length(v)) max(v) else -Inf
      if (is.na(top)) return(if (any(torture_kind(v) == 1L)) NA_real_ else NaN)
      if (is.infinite(top)) top else lost(top + log(sum(exp(v - top))), 4 + abs(top))
    },
    { # as the table has it in R
      row <- nmathopencl:::reduction_table()[[op]]
      v <- switch(row$takes, logical = as.logical(v), real = as.double(v), given = v)
      if (na_rm) v <- v[!is.na(v)]
      value <- eval(row$plain, list(value = v), asNamespace("nmathopencl"))
      lost(value, max(1, n) * abs(value))
    }
  )
}

# A vector of each group's, NA where there is none; names are levels or codes.
reduced_by_groups <- function(op, v, by, na_rm, shaken = FALSE) {
  if (is.null(by)) return(reduced_by_r(op, v, na_rm, shaken))
  codes <- as.integer(by)
  names <- if (is.factor(by)) levels(by) else as.character(seq_len(max(0L, codes, na.rm = TRUE)))
  values <- lapply(seq_along(names), function(g) {
    mine <- v[codes %in% g]
    if (length(mine) == 0L) NA else reduced_by_r(op, mine, na_rm, shaken)
  })
  typed <- suppressWarnings(reduced_by_r(op, v[0L], na_rm))[0L]
  stats::setNames(c(typed, unlist(values)), names)
}

# Which NaN a sum of both kinds is, R does not say.
mixed_kinds <- function(v) all(1:2 %in% torture_kind(v))

torture_groups <- function(n) {
  codes <- sample(c(seq_len(sample(4L, 1L)), if (chance(0.3)) NA), n, TRUE)
  if (chance(0.5)) factor(c("low", "mid", "high", "top")[codes], levels = c("top", "low", "none", "mid", "high")) else as.integer(codes)
}

torture_reduction <- function(case, device, state) {
  torture_seed("reductions", case)
  f <- torture_used(as.function(c(torture_formals, torture_body(new_writer(library = state$library), sample(1:3, 1L))), envir = state$home))
  op <- sample(torture_reductions, 1L)
  na_rm <- chance(0.4)
  grouped <- chance(0.45)
  shape <- torture_shape()
  g <- torture_outcome(nmathopencl::opencl_function(f, reduce = op, na.rm = na_rm))
  made <- sprintf("opencl_function(f, reduce = \"%s\", na.rm = %s)", op, na_rm)
  if (torture_failed(g)) return(torture_finding("reductions", case, "refused", c(torture_code(f, list(), device, made), paste("#", torture_shown(g)))))
  found <- NULL
  seeds <- sample.int(1e9L, 2L)
  for (turn in 1:2) {
    set.seed(seeds[turn])
    values <- torture_values(if (turn == 1L || chance(0.5)) shape else torture_shape())[names(formals(f))]
    reference <- torture_reference(f, values, state$plain, state$shaken)
    v <- as.vector(reference$rs$value)
    failed <- torture_failed(reference$rs)
    by <- if (grouped && !failed) torture_groups(length(v))
    if (!failed && op %in% c("sum", "mean") && sum(abs(as.double(v[is.finite(v)]))) > 1e308) next
    reduced <- function(outcome, shaken) {
      if (torture_failed(outcome)) return(outcome)
      more <- torture_outcome(reduced_by_groups(op, as.vector(outcome$value), by, na_rm, shaken))
      list(value = more$value, warnings = union(outcome$warnings, more$warnings), calls = outcome$calls)
    }
    rs <- reduced(reference$rs, FALSE)
    arguments <- c(values, list(device = torture_device(device)), if (!is.null(by)) list(by = by))
    ours <- torture_outcome(torture_on(device, do.call(g$value, arguments)))
    if (!torture_failed(ours) && op %in% c("min", "max", "prod") && !torture_failed(rs)) { # doubles, whatever the values are
      ours$value <- stats::setNames(as.double(ours$value), names(ours$value))
      rs$value <- stats::setNames(as.double(rs$value), names(rs$value))
    }
    again <- function() {
      outcomes <- lapply(reference$again(), reduced, shaken = TRUE)
      lapply(outcomes, function(outcome) {
        if (!torture_failed(outcome) && mixed_kinds(v)) outcome$value <- replace(outcome$value, is.na(outcome$value) & is.double(outcome$value), sample(c(NA, NaN), 1L))
        outcome
      })
    }
    classes <- torture_differences(ours, rs, again, 1e-12)
    classes <- setdiff(classes, c("calls of warnings", if (anyNA(by)) "fewer warnings")) # values of no group are not computed
    if (length(classes) == 0L) next
    further <- if (!is.null(by)) paste0(", by = list(", torture_text(by), ")") else ""
    code <- c(
      torture_code(f, list(values), device, made, further), paste("# values: ", torture_shown(reference$rs)),
      paste("# ours:", torture_shown(ours)), paste("# R's: ", torture_shown(rs))
    )
    found <- rbind(found, torture_finding("reductions", case, c(op, classes), code))
  }
  found
}
