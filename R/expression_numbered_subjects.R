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
    expr[[k]] <- call("<-", numbers, call("match", ids[[2L]], call(".unique_of_vector", ids[[2L]]), NA, quote(c(NA, NaN)))) # a missing subject has no number
  }
  expr
}

# id == ids[j] asks for the number j, where j goes over all of them. `indices`: such variables.
with_numbers_of_subjects <- function(expr, name, ids, numbers, indices = character()) {
  if (!is.call(expr)) return(expr)
  if (is_call_of(expr, c("length", "seq_along")) && length(expr) == 2L && identical(expr[[2L]], name)) {
    return(structure(call(as.character(expr[[1L]]), call("unique", call("match", ids[[2L]], ids))), written = shown_code(expr))) # numbers where subjects are texts
  }
  if (is_call_of(expr, "==") && length(expr) == 3L) {
    is_name <- function(part) is_call_of(part, "[") && length(part) == 3L && identical(part[[2L]], name) && is.symbol(part[[3L]]) && as.character(part[[3L]]) %in% indices
    for (at in 2:3) if (is_name(expr[[at]]) && identical(expr[[5L - at]], ids[[2L]])) {
      return(structure(call("==", numbers, expr[[c(at, 3L)]]), written = shown_code(expr)))
    }
  }
  walk <- function(part, of = indices) if (is_empty_argument(part)) part else with_numbers_of_subjects(part, name, ids, numbers, of)
  if (is_call_of(expr, "for")) {
    j <- as.character(expr[[2L]])
    goes_over <- goes_over_all(expr[[3L]], name) && !j %in% c(assigned_names(expr[[4L]]), inner_names(expr[[4L]]))
    expr[3L] <- list(walk(expr[[3L]]))
    expr[4L] <- list(walk(expr[[4L]], if (goes_over) c(indices, j) else setdiff(indices, j)))
    return(expr)
  }
  if (is_call_of(expr, "function")) {
    expr[3L] <- list(walk(expr[[3L]], setdiff(indices, c(names(expr[[2L]]), assigned_names(expr[[3L]])))))
    return(expr)
  }
  if (is_call_of(expr, c("sapply", "vapply", "lapply")) && length(expr) >= 3L && is_call_of(expr[[3L]], "function") && length(expr[[c(3L, 2L)]]) == 1L && goes_over_all(expr[[2L]], name)) {
    f <- expr[[3L]]
    own <- setdiff(c(indices, names(f[[2L]])), assigned_names(f[[3L]]))
    f[3L] <- list(walk(f[[3L]], setdiff(own, inner_names(f[[3L]]))))
    expr[3L] <- list(f)
    expr[2L] <- list(walk(expr[[2L]]))
    return(expr)
  }
  for (k in seq_along(expr)) if (k > 1L) expr[k] <- list(walk(expr[[k]]))
  expr
}

# seq_along(ids), seq_len(length(ids)) and 1:length(ids).
goes_over_all <- function(range, name) {
  count <- call("length", name)
  identical(range, call("seq_along", name)) || identical(range, call("seq_len", count)) || identical(range, call(":", 1, count))
}

# Of a matrix R has the rows that are unique.
unique_of_vector <- function(id) {
  if (length(dim(id)) > 1L) limit_error("unique() of a matrix has its rows: give the subjects as a vector")
  unique(id)
}
