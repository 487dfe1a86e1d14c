# What R itself computes of functions of each group: results where no device computes, and names.

# Where R computes: a function of one group's elements of all vectors, whose names stand for v, y[v] or s$y.
in_r_by_groups <- function(called, of, ...) {
  vectors <- list()
  named <- function(whole) {
    name <- paste0(".of_", length(vectors) + 1L)
    for (k in seq_along(vectors)) if (identical(vectors[[k]], whole)) return(as.symbol(names(vectors)[k]))
    vectors[[name]] <<- whole
    as.symbol(name)
  }
  replaced <- function(expr) {
    if (of$counts(expr)) return(call("length", named(of$codes)))
    whole <- if (!is.symbol(expr)) elements_in(expr, of)
    if (!is.null(whole)) return(named(whole))
    if (is.call(expr)) for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(replaced(expr[[k]]))
    expr
  }
  body <- replaced(of$body)
  if (!is.null(of$x)) vectors[[of$v]] <- of$x
  takes <- stats::setNames(rep(alist(a = ), length(vectors)), names(vectors))
  as.call(c(list(as.symbol(called), made_function(takes, body), of$codes, of$count, ...), unname(vectors)))
}

group_numbers_in_r <- function(f, codes, count, to_double, ...) {
  found <- unname(groups_in_r(f, codes, count, ...))
  if (to_double) vapply(found, identity, 0) else sapply(found, identity)
}
group_elements_in_r <- function(f, codes, count, with_names, ...) unlist(groups_in_r(f, codes, count, ...), use.names = with_names)
group_unsplit_in_r <- function(f, codes, count, ...) unsplit(groups_in_r(f, codes, count, ...), factor(codes, seq_along(count)))
group_ave_in_r <- function(f, codes, count, x) stats::ave(x, codes, FUN = f)
groups_in_r <- function(f, codes, count, ...) {
  groups <- factor(codes, seq_along(count), names(count))
  pieces <- lapply(list(...), split, groups)
  stats::setNames(do.call(mapply, c(list(f), unname(pieces), SIMPLIFY = FALSE, USE.NAMES = FALSE)), names(count))
}

# A vector with the names that unlist() gives. A number's name counts beside a single element.
names_of_elements <- function(codes, count, unknown, ...) {
  codes <- suppressWarnings(codes)
  x <- logical(length(codes))
  named <- Filter(function(one) !is_resident(one) && !is.null(names(one)) && length(one) %in% c(1L, length(x)), list(...))
  if (unknown && length(named) > 0L) limit_error("a function of each group, unlist(lapply(split(y, g), function(v) ...)), gives elements of vectors with names, and which of these R takes is not known: give the vectors without names, unname(y), or write unlist(..., use.names = FALSE)")
  whole <- Filter(function(one) length(one) == length(x), named)
  if (length(whole) > 0L) names(x) <- names(whole[[1L]])
  groups <- split(x, factor(codes, seq_along(count), names(count)))
  if (length(named) > 0L && length(named[[1L]]) == 1L) groups <- lapply(groups, function(v) if (length(v) == 1L) stats::setNames(v, names(named[[1L]])) else v)
  unlist(groups)
}
