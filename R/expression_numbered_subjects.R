# Subjects by their numbers, ids <- unique(id); for (j in seq_along(ids)) { yi <- y[id == ids[j]]; ... }: the test asks for the number of a row's subject.

# A body in which the subjects' names are not read any more, where only such tests, length(ids) and seq_along(ids) read them.
with_numbered_subjects <- function(expr, formals) {
  if (!is_call_of(expr, "{") || !"unique" %in% all.names(expr)) return(expr)
  for (k in seq_along(expr)[-1L]) {
    statement <- expr[[k]]
    if (!is_call_of(statement, c("<-", "=")) || length(statement) != 3L || !is.symbol(statement[[2L]])) next
    ids <- statement[[3L]]
    if (!is_call_of(ids, "unique") || length(ids) != 2L || !(is.symbol(ids[[2L]]) || is_call_of(ids[[2L]], "$"))) next
    name <- as.character(statement[[2L]])
    later <- as.list(expr)[seq_along(expr) > k]
    changed <- c(unlist(lapply(later, assigned_names)), arguments_within(expr))
    if (name %in% formals || sum(assigned_names(expr) == name) != 1L || any(c(name, all.vars(ids)) %in% changed)) next
    numbers <- as.symbol(setdiff(paste0(".numbers_of_", name, c("", seq_len(99L))), all.names(expr))[1L])
    numbered <- lapply(later, with_numbers_of_subjects, as.symbol(name), ids, numbers)
    if (!name %in% unlist(lapply(later, all.names)) || name %in% unlist(lapply(numbered, all.names))) next
    if (sum(all.names(expr) == name) != 1L + sum(unlist(lapply(later, all.names)) == name)) next
    expr[seq_along(expr) > k] <- numbered
    expr[[k]] <- call("<-", numbers, call("match", ids[[2L]], ids, NA, NA)) # a missing subject has no number
  }
  expr
}

# id == ids[j] asks for the number j.
with_numbers_of_subjects <- function(expr, name, ids, numbers) {
  if (!is.call(expr)) return(expr)
  if (is_call_of(expr, c("length", "seq_along")) && length(expr) == 2L && identical(expr[[2L]], name)) {
    return(call(as.character(expr[[1L]]), call("unique", call("match", ids[[2L]], ids)))) # numbers where subjects are texts
  }
  if (is_call_of(expr, "==") && length(expr) == 3L) {
    is_name <- function(part) is_call_of(part, "[") && length(part) == 3L && identical(part[[2L]], name) && is.symbol(part[[3L]])
    for (at in 2:3) if (is_name(expr[[at]]) && identical(expr[[5L - at]], ids[[2L]])) {
      return(call("==", numbers, expr[[c(at, 3L)]]))
    }
  }
  for (k in seq_along(expr)) if (k > 1L && !is_empty_argument(expr[[k]])) expr[k] <- list(with_numbers_of_subjects(expr[[k]], name, ids, numbers))
  expr
}
