# What the rules of bench/torture.R on whole expressions share: seeds, values with their conditions, in what two of them differ,
# and code that shows it in a fresh session of R.

# Each case has a seed of its own, so that any of them can be had again, by any number of processes.
torture_seed <- function(rule, case) {
  letters <- utf8ToInt(rule)
  set.seed(sum(letters * seq_along(letters)) * 100000 + case)
}

one_of <- function(...) sample(list(...), 1L)[[1L]]
chance <- function(p) stats::runif(1L) < p

# ---- values with their conditions ------------------------------------------------------------------------------------------

# list(value, warnings, calls); the value of what failed is of class torture_failed. Equal warnings of equal calls count once:
# equal parts of an expression are computed once.
torture_outcome <- function(code) {
  messages <- calls <- character()
  value <- tryCatch(
    withCallingHandlers(code, warning = function(w) {
      messages <<- c(messages, conditionMessage(w))
      calls <<- c(calls, paste(deparse(conditionCall(w)), collapse = " "))
      invokeRestart("muffleWarning")
    }),
    error = function(e) structure(list(conditionMessage(e)), class = "torture_failed")
  )
  once <- !duplicated(paste(messages, calls))
  list(value = value, warnings = messages[once], calls = calls[once])
}

torture_failed <- function(outcome) inherits(outcome$value, "torture_failed")

# 0 a number, 1 NA, 2 NaN.
torture_kind <- function(v) if (is.complex(v) || is.character(v)) 1L * is.na(v) else ifelse(is.nan(v), 2L, ifelse(is.na(v), 1L, 0L))

# ---- what differs ----------------------------------------------------------------------------------------------------------

same_attributes <- function(a, b) {
  if (length(a) == 0L || length(b) == 0L) return(length(a) == length(b))
  identical(a[order(names(a))], b[order(names(b))])
}

# Element by element: of one kind, and no further apart than `tolerance`, relative, or some units among the subnormal numbers.
near_enough <- function(a, b, tolerance) {
  kind <- torture_kind(a)
  near <- kind == torture_kind(b)
  ok <- which(near & kind == 0L)
  if (!is.numeric(a)) {
    near[ok] <- a[ok] == b[ok]
    return(near)
  }
  equal <- a[ok] == b[ok]
  close <- is.finite(a[ok]) & is.finite(b[ok]) & abs(a[ok] - b[ok]) <= tolerance * abs(b[ok]) + 64 * 2^-1074
  near[ok] <- equal | close
  near
}

# Whether one value of ours is among what R makes of the same expression when its inexact functions err a little: `seen`, R's
# own value first.
among_seen <- function(ours, seen, tolerance) {
  kinds <- torture_kind(seen)
  if (!torture_kind(ours) %in% kinds) return(FALSE)
  if (torture_kind(ours) != 0L) return(TRUE)
  if (is.character(ours) || is.complex(ours)) return(FALSE)
  seen <- as.double(seen[kinds == 0L])
  ours <- as.double(ours)
  if (ours %in% seen) return(TRUE)
  finite <- seen[is.finite(seen)]
  if (!is.finite(ours) || length(finite) == 0L) return(any(abs(seen) > 1e307))
  size <- max(abs(finite))
  width <- 4 * (max(finite) - min(finite)) + tolerance * size + 64 * 2^-1074
  (ours >= min(finite) - width && ours <= max(finite) + width) || (any(is.infinite(seen)) && abs(ours) > 1e307)
}

# The classes of difference between our outcome and R's; none: character(). `again()` gives the outcomes of R with functions
# that err a little, and is called only where something differs.
torture_differences <- function(ours, rs, again, tolerance = 1e-13) {
  a <- ours$value
  b <- rs$value
  if (torture_failed(rs)) return(if (torture_failed(ours)) character() else "R alone fails")
  if (torture_failed(ours)) return("we alone fail")
  if (typeof(a) != typeof(b)) return("type")
  if (length(a) != length(b)) return("length")
  found <- if (!same_attributes(attributes(a), attributes(b))) "attributes"
  attributes(a) <- attributes(b) <- NULL
  near <- near_enough(a, b, tolerance)
  if (all(near) && setequal(ours$warnings, rs$warnings)) {
    own <- function(calls) sub("^[(](structure[(])?function .*", "the function itself", calls) # do.call() has it in the call
    pairs <- function(outcome) sort(unique(paste(outcome$warnings, own(outcome$calls))))
    known <- !any(grepl("^(log(2|10)?|as.integer|xor)[(]", ours$calls)) && # R's tell other calls of these
      !any(grepl("%%|ifelse", rs$calls)) # which are masks here
    return(c(found, if (known && !identical(pairs(ours), pairs(rs))) "calls of warnings"))
  }
  others <- Filter(function(other) !torture_failed(other) && length(other$value) == length(b), again())
  seen <- lapply(others, function(other) as.vector(other$value))
  for (k in which(!near)) {
    values <- c(b[k], unlist(lapply(seen, `[`, k)))
    if (among_seen(a[k], values, tolerance)) next
    kinds <- c(torture_kind(a[k]), torture_kind(b[k]))
    found <- c(found, if (all(kinds > 0L)) "NA or NaN" else if (any(kinds > 0L)) "missing" else "value")
  }
  warned <- lapply(c(list(rs), others), function(other) other$warnings)
  if (!all(ours$warnings %in% unlist(warned))) found <- c(found, "more warnings")
  if (!all(Reduce(intersect, warned) %in% ours$warnings)) found <- c(found, "fewer warnings")
  unique(found)
}

# ---- code ------------------------------------------------------------------------------------------------------------------

# An R value as code that gives the very same numbers.
torture_text <- function(x) {
  exact <- is.double(x) && any(!is.na(x) & x == 0 & 1 / x < 0) # deparse() has no negative 0 in decimals
  how <- c("keepNA", "keepInteger", "niceNames", "showAttributes", if (exact) "hexNumeric" else "digits17")
  paste(deparse(x, width.cutoff = 500L, control = how), collapse = "\n")
}

torture_list_text <- function(values) {
  paste0("list(", paste(names(values), vapply(values, torture_text, ""), sep = " = ", collapse = ", "), ")")
}

torture_function_text <- function(f) {
  f <- as.function(c(formals(f), body(f)), envir = globalenv())
  paste(deparse(f, width.cutoff = 120L, control = c("keepNA", "keepInteger", "digits17")), collapse = "\n")
}

# One row of findings: what differs, and the code.
torture_finding <- function(rule, case, classes, code) {
  data.frame(rule = rule, case = case, class = paste(classes, collapse = ", "), code = paste(code, collapse = "\n"))
}

# A short look at a value, for the comments in code.
torture_shown <- function(outcome) {
  value <- outcome$value
  text <- if (inherits(value, "torture_failed")) paste("error:", value[[1L]]) else torture_text(utils::head(value, 12L))
  warned <- if (length(outcome$warnings)) paste0("; warns: ", paste(outcome$warnings, "in", outcome$calls, collapse = "; "))
  substr(gsub("\n", " ", paste0(text, warned), fixed = TRUE), 1L, 500L)
}
