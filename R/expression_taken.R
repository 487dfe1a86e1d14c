# Parts of a body that need no kernel: what R computes of data at each call, which(d == 1), order(t), nlevels(g), median(y), is an argument of
# the program by itself, as elements of lists are. What is written by such parts is written as the language has it: x[d == 1], tapply(),
# rowsum(), apply().

# Functions of R whose values change in steps only, so that no gradient goes through them.
taken_steps <- c("which", "which.max", "which.min", "order", "rank", "match", "nlevels", "findInterval", "tabulate", "duplicated")
# Those with a gradient, which is that of arguments that are differentiated: of these they are refused.
taken_values <- c(
  "sort", "unique", "median", "quantile", "range", "cummax", "cummin", "solve", "chol", "chol2inv", "det", "dist", "scale", "mad", "IQR", "seq", "seq.int", "diag", "embed", "as.matrix", "data.matrix", "setdiff", "intersect", "union", "kronecker"
)
# What may stand inside.
taken_inside <- c(
  taken_steps, taken_values, "(", "==", "!=", "<", ">", "<=", ">=", "!", "&", "|", "xor", "%in%", "+", "-", "*", "/", "^", "%%", "%/%", "[", "[[", "$",
  "c", ":", "seq", "seq_len", "seq_along", "rep", "length", "nrow", "ncol", "NROW", "NCOL", "is.na", "is.nan", "is.finite", "is.infinite", "abs", "log",
  "exp", "sqrt", "floor", "ceiling", "round", "trunc", "as.integer", "as.numeric", "as.double", "as.logical", "as.vector", "as.matrix", "as.factor", "factor", "cut", "droplevels", "relevel", "levels",
  "names", "colnames", "rownames", "table", "startsWith", "endsWith", "grepl", "is.null", "setdiff", "rev", "sum", "mean", "min", "max", "prod", "cumsum", "cumprod", "t", "crossprod", "diag", "outer", "rowSums", "colSums", "drop", "interaction", "cbind", "rbind", "determinant", "matrix", "array", text_calls, "intersect", "union", "grep", "row",
  "col", "aperm", "max.col", "cor", "cov", "backsolve", "forwardsolve", "mahalanobis", "head", "tail", "na.omit", "complete.cases", "data.frame", "merge", "data.matrix"
)
logical_calls <- c("==", "!=", "<", ">", "<=", ">=", "!", "&", "|", "xor", "is.na", "is.nan", "is.finite", "is.infinite", "%in%", "duplicated", "startsWith", "endsWith", "grepl")
# Calls that ask about names, which R knows.
name_questions <- c("%in%", "==", "!=", "is.null", "length", "any", "all", "startsWith", "endsWith", "grepl")

# Calls that without_taken() is for, and those that it looks at where one of these is.
taken_heads <- c(taken_steps, taken_values, shaping_calls, "[", "tapply", "rowsum", "apply", "cumprod", "unlist", "tcrossprod", "Map", "lapply", "sapply", "vapply", "vector", "integer", "logical", "do.call", "Reduce", "mapply", "outer", "rep", "nrow", "ncol", "NROW", "NCOL", "levels", "[[", "length", "names", "colnames", "rownames", "table", "==", "!=", "%in%", "determinant", "model.matrix", "factor", "as.factor", "cut", "droplevels", "relevel", "interaction", "split", "dmultinom", "aggregate", "ave", "unsplit", "by", "subset", "weighted.mean", "match.arg", ".skeleton", ".columns", text_calls, text_passers)
taken_around <- c(name_questions, "$", "seq_along", "sum", "mean", "min", "max", "prod", "as.vector", "as.numeric", "crossprod", "%*%", "colSums", "colMeans", "for")

# list(body, parts, columns): as without_lists() gives them.
without_taken <- function(f, outer, frames = character()) {
  kept <- attributes(f)
  f <- with_body(f, with_names_apart(body(f), formals(f), attr(f, "differentiated")))
  if ("diag" %in% all.names(body(f))) body(f) <- with_diagonals(body(f))
  attributes(f) <- kept
  if (any(c(logical_calls, "split", "Map", "lapply", "factor", "match", "cut", "match.arg") %in% all.names(body(f)))) { # y[id == k]
    body(f) <- with_own_factors(with_chosen_inlined(body(f)))
    attributes(f) <- kept
  }
  expr <- body(f)
  if (!any(taken_heads %in% all.names(expr))) return(list(body = expr, parts = list()))
  env <- environment(f)
  is_rs <- rs_seen_from(f)
  scopes <- list() # of with() around what is looked at
  known <- known_to_r(f, outer, is_rs, function() length(scopes) > 0L)
  differentiated <- attr(f, "differentiated")
  own <- assigned_names(expr) # no lists, which the body makes none of
  parts <- list()
  no_lists <- c(own, inner_names(expr), if (!outer) names(formals(f)))
  part <- function(value, shown = value, steps = FALSE) {
    name <- deparse1(shown)
    made <- structure(within_scopes(with_frames_checked(value, attr(f, "frames_by_rows")), scopes, differentiated, steps, name), taken = TRUE)
    # rowsum(), tapply() and unique() have codes of their own of the same groups.
    while (!is.null(parts[[name]]) && !identical(parts[[name]], made)) name <- paste0(name, "'")
    parts[[name]] <<- made
    as.symbol(name)
  }
  filled_names <- names_filled(expr)
  in_branch <- FALSE # which may ask for columns before
  columns <- character() # arguments of which R takes columns, where these are data frames
  filled <- FALSE # within what such a name is assigned
  lists <- c(frames, unlist(lists_in(expr))) # names of what is no vector: its rows are R's to count
  taken <- function(expr, steps, by = taken_of_data) {
    value <- known(expr)
    if (is.null(value) || (!steps && reads_differentiated(value, differentiated))) return(NULL)
    part(as.call(list(by, value)), expr, steps)
  }
  about <- list(f = f, known = known, part = part)
  is_text <- function(value) is.character(there <- value_there(value, f)) || is.factor(there)
  tests <- list() # indices that may be logical
  # Whether they are in the calls that this is for.
  is_logical <- function(value) {
    asked <- if (outer) index_asked(value, scopes, frames)
    if (is.null(asked) || asked$name %in% differentiated) return(FALSE)
    shown <- paste(c(asked$of, asked$name, if (asked$anywhere) "with"), collapse = " ")
    tests[[shown]] <<- asked
    shown %in% attr(f, "takes_tests")
  }
  heads <- c(taken_heads, taken_around)
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    if (head == "quote") return(expr)
    if (head == "with") {
      scope <- scope_of_with(expr, no_lists)
      if (is.null(scope)) return(expr)
      scopes <<- c(scopes, list(scope))
      expr[3L] <- list(walk(expr[[3L]]))
      scopes <<- utils::head(scopes, -1L)
      return(expr)
    }
    if (head == "function") {
      expr[3L] <- list(walk(expr[[3L]]))
      return(expr)
    }
    if (head %in% heads && is_rs(head)) {
      made <- if (head %in% c("$", "[[", "[") && is.call(expr[[2L]]) && identical(expr[[2L]][[1L]], quote(aggregate))) {
        aggregated(expr, known, part, walk)
      } else if (makes_text(expr)) {
        taken(expr, TRUE, texts_of_data)
      } else if (head == "[[" && length(expr) == 3L && is.symbol(expr[[2L]]) && makes_text(expr[[3L]])) {
        element_by_text(expr, taken, walk, as.character(expr[[2L]]) %in% c(differentiated, own))
      } else if (head %in% taken_steps || (head == "length" && length(expr) == 2L && is.call(expr[[2L]]) && identical(expr[[2L]][[1L]], quote(levels)))) {
        taken(expr, TRUE)
      } else if (head == "seq_along" && length(expr) == 2L && is_call_of(expr[[2L]], "levels")) {
        count <- taken(call("length", expr[[2L]]), TRUE)
        if (!is.null(count)) call("seq_len", count)
      } else if (head %in% name_questions && asks_names(expr, differentiated)) {
        taken(expr, TRUE)
      } else if (head %in% c("==", "!=", "%in%") && compares_texts(expr, f, known, scopes)) {
        taken(expr, TRUE)
      } else if (head == "table" && length(expr) == 2L && is.null(names(expr))) { # its numbers
        taken(call("as.vector", expr), TRUE, array_of_data)
      } else if (head %in% c("seq", "seq.int") && length(expr) == 3L && (is.null(names(expr)) || identical(names(expr)[-1L], c("from", "to")))) {
        taken(expr, FALSE) %||% call(":", walk(expr[[2L]]), walk(expr[[3L]]))
      } else if (head %in% taken_values) {
        taken(expr, FALSE) %||% solved(expr, taken, walk) %||% ordered_of_computed(expr, head, known, differentiated, part, walk)
      } else if (head %in% c("nrow", "ncol", "NROW", "NCOL", "length") && length(expr) == 2L && is.symbol(expr[[2L]]) && as.character(expr[[2L]]) %in% lists) {
        taken(expr, TRUE)
      } else if (head == "match.arg") {
        taken(expr, TRUE)
      } else if (head == ".skeleton") {
        part(as.call(c(list(checked_skeleton), as.list(expr)[-1L])), call("skeleton", expr[[2L]]))
      } else if (head == ".columns") {
        part(as.call(c(list(checked_columns), as.list(expr)[-1L])), call("columns", expr[[2L]], expr[[3L]], expr[[4L]]))
      } else if (head == "subset") {
        taken(expr, FALSE) %||% subset_of_computed(expr, walk)
      } else if (head == "[" && length(expr) %in% 3:5) {
        column <- if (!in_branch && length(expr) < 5L) column_of_argument(expr, f, outer, known, differentiated)
        if (!is.null(column)) columns <<- union(columns, as.character(expr[[2L]]))
        if (!is.null(column) && isTRUE(attr(f, "takes_frames"))) part(column, expr) else chosen_elements(expr, known, differentiated, part, walk, is_logical)
      } else if (head == "outer" && length(expr) == 4L && is.character(expr[[4L]]) && expr[[4L]] %in% logical_calls) {
        taken(expr, TRUE) %||% if (expr[[4L]] %in% operators_of_two) outer_call(call("outer", expr[[2L]], expr[[3L]], function_of_operator(expr[[4L]])), f, walk)
      } else if (head %in% c("factor", "as.factor", "cut", "droplevels", "relevel", "interaction")) {
        taken(expr, TRUE)
      } else if (head == "%in%") {
        taken(expr, TRUE)
      } else if (head == "model.matrix") {
        taken(expr, FALSE)
      } else if (head %in% c("sum", "mean", "min", "max", "prod", "as.vector", "as.numeric") && length(expr) == 2L && is.call(expr[[2L]]) && identical(expr[[c(2L, 1L)]], quote(by))) {
        of <- split_applied(expr[[2L]], known, differentiated, part, walk, is_rs) # whose class only these leave out
        if (!is.null(of)) call(head, of)
      } else if (head %in% c("sapply", "vapply")) {
        subjects <- values_of_subjects(expr, body(f), known, part)
        if (!is.null(subjects)) walk(subjects) else applied_to_levels(expr, about, walk) %||% split_applied(expr, known, differentiated, part, walk, is_rs) %||% applied_to_groups(expr, walk) %||% applied_by_name(expr, f, walk)
      } else if (head %in% c("crossprod", "%*%", "colSums", "colMeans") || (head %in% c("nrow", "NROW") && length(expr) == 2L && is.call(expr[[2L]]))) {
        chosen_products(expr, head, known, part, walk)
      } else if (head %in% c("sum", "mean", "length")) {
        subjects <- summed_over_subjects(expr, body(f), known, part)
        if (!is.null(subjects)) walk(subjects) else summed_over_unique(expr, known, part, walk, is_rs, is_text) %||% summed_in_groups(expr, head, walk) %||% chosen_reduced(expr, head, known, part, walk)
      } else if (head %in% c("max", "min", "prod") && length(expr) == 2L && has_chosen(expr[[2L]])) {
        chosen_reduced(expr, head, known, part, walk)
      } else if (head == "unlist") {
        unlisted(expr, known, differentiated, part, walk, is_rs)
      } else if (head == "unsplit") {
        unsplit_groups(expr, known, differentiated, part, walk, is_rs)
      } else if (head == "ave") {
        ave_of_groups(expr, known, differentiated, part, walk, is_rs)
      } else if (head == "cumprod" && length(expr) == 2L) {
        call(".cumprod", walk(expr[[2L]]))
      } else if (head == "for") {
        subjects <- rows_of_subjects(expr, body(f), known, part)
        if (!is.null(subjects)) walk(subjects) else over_range(expr, walk) %||% added_over_unique(expr, body(f), known, part, walk, is_rs, is_text) %||% rounds_of_levels(expr, body(f), about, walk) %||% rounds_of_groups(expr, body(f), known, differentiated, part, walk, is_rs)
      } else if (head == "do.call" && length(expr) == 3L && (is.symbol(expr[[2L]]) || is.character(expr[[2L]])) && is_call_of(expr[[3L]], "list")) {
        walk(as.call(c(as.symbol(as.character(expr[[2L]])), as.list(expr[[3L]])[-1L])))
      } else if (head %in% c("Reduce", "mapply", "outer", "rep", "do.call")) {
        with_helpers(expr, head, f, known, part, walk)
      } else if (head == "$" && is.call(expr[[2L]]) && identical(expr[[2L]][[1L]], quote(determinant)) && identical(expr[[3L]], quote(modulus))) {
        log_determinant(expr, taken, walk)
      } else if (head %in% shaping_calls && !filled && length(scopes) == 0L && is_shaped_data(expr, known)) {
        taken(expr, FALSE)
      } else if (head == "matrix" && "dimnames" %in% names(expr)) {
        limit_error(
          "`", shown_line(expr), "`: matrix() in an expression gives no names, `dimnames`. Leave them out, and take columns by their numbers, M[, 1] for M[, \"u\"]"
        )
      } else if (head == "mahalanobis") {
        squared_distances(expr, walk)
      } else if (head %in% c("tapply", "rowsum")) {
        sums_of_groups(expr, head, known, differentiated, part, walk) %||% if (head == "tapply") split_applied(expr, known, differentiated, part, walk, is_rs)
      } else if (head == "apply") {
        rows_taken(expr, known, differentiated, part) %||% rows_applied(expr, walk)
      } else if (head == "dmultinom") {
        multinomial_written(expr, walk)
      } else if (head == "weighted.mean") {
        weighted_mean_written(expr, walk)
      } else if (head == "tcrossprod") {
        tcrossprod_written(expr, walk)
      } else if (head == "vector" && length(expr) == 3L) {
        made_vector(expr, walk)
      } else if (head %in% c("integer", "logical") && length(expr) < 3L && (is.null(names(expr)) || identical(names(expr), c("", "length")))) {
        call(paste0("as.", head), as.call(c(quote(numeric), lapply(unname(as.list(expr))[-1L], walk))))
      } else if (head == "[[" && length(expr) == 3L && is.symbol(expr[[2L]]) && (as.character(expr[[2L]]) %in% c(differentiated, own) || is.numeric(expr[[3L]])) && !as.character(expr[[2L]]) %in% lists) {
        call("as.vector", call("[", expr[[2L]], walk(expr[[3L]]))) # a number of a vector
      } else if (head == "[[" && length(expr) == 3L && is_call_of(expr[[2L]], vector_makers) && !is.character(expr[[3L]])) {
        number_of_made(walk(expr[[2L]]), walk(expr[[3L]]))
      }
      if (is.call(made)) attr(made, "written") <- deparse1(expr)
      if (!is.null(made)) return(made)
    }
    if (head %in% c("<-", "=") && is.call(expr[[2L]])) { # of what is assigned to, places stay as they are
      target <- expr[[2L]]
      if (is_call_of(target, "[") && length(target) == 3L && is_call_of(target[[3L]], "which") && length(target[[3L]]) == 2L && is_test(target[[c(3L, 2L)]])) {
        return(walk(assigned_by_test(expr, target)))
      }
      if (is_call_of(target, "[") && length(target) == 3L && is_test(target[[3L]])) expr[[c(2L, 3L)]] <- walk(target[[3L]])
      if (identical(target[[1L]], quote(`[[`)) && length(target) == 3L && is.symbol(target[[2L]]) && !as.character(target[[2L]]) %in% lists) expr[[c(2L, 1L)]] <- quote(`[`)
      expr[[3L]] <- walk(expr[[3L]])
      return(expr)
    }
    if (head %in% c("<-", "=") && is.symbol(expr[[2L]]) && as.character(expr[[2L]]) %in% filled_names) { # its elements are assigned later
      filled <<- TRUE
      expr[[3L]] <- walk(expr[[3L]])
      filled <<- FALSE
      return(expr)
    }
    outside <- in_branch
    for (k in seq_along(expr)) if (k > 1L && !is_empty_argument(expr[[k]])) {
      in_branch <<- outside || (k > 2L && head %in% c("if", "switch"))
      expr[k] <- list(walk(expr[[k]]))
    }
    in_branch <<- outside
    expr
  }
  list(body = walk(expr), parts = parts, columns = columns, tests = tests)
}

# A function that says whether a name is R's own function as seen from `f`, and not one of the body's.
rs_seen_from <- function(f) {
  hidden <- functions_assigned(body(f))
  env <- environment(f)
  function(name) {
    if (name %in% hidden) return(FALSE)
    found <- function_named(name, env)
    is.null(found) || is.primitive(found) || identical(environment(found), asNamespace("stats")) || identical(environment(found), .BaseNamespaceEnv) ||
      (name %in% c("head", "tail") && identical(found, get(name, asNamespace("utils"))))
  }
}

# R computes such a part, called as the user has it, of vectors of its own: which() and others take no resident one.
taken_of_data <- function(part) {
  part <- substitute(part)
  frame <- parent.frame()
  masks <- list()
  for (name in all.vars(part)) {
    value <- get0(name, frame)
    own <- if (is_resident(value)) in_r(value) else if (is.list(value) && any(vapply(value, is_resident, NA))) lapply(value, function(x) if (is_resident(x)) in_r(x) else x)
    if (!is.null(own)) masks[[name]] <- own
  }
  eval(part, if (length(masks) == 0L) frame else masks, frame)
}

# Whether an argument of the program is such a part.
is_taken <- function(input) isTRUE(attr(input$value, "taken"))

# Names in `data$y` and with(data, ...).
lists_in <- function(expr) {
  if (!is.call(expr)) return(list())
  own <- if (length(expr) == 3L && is.symbol(expr[[2L]]) && as.character(expr[[1L]])[1L] %in% c("$", "with", elements_asked)) as.character(expr[[2L]])
  for (part in given_parts(expr)[-1L]) own <- c(own, lists_in(part))
  own
}

# A function that says what R is to evaluate for a part of the body: NULL where that depends on what the body computes in a way that only a kernel
# knows. Variables that are assigned once, of such parts, are what they are assigned, but where `in_with()`: a list may have the name.
known_to_r <- function(f, outer, is_rs, in_with = function() FALSE) {
  expr <- body(f)
  formal_names <- names(formals(f))
  assigned <- assigned_names(expr)
  top <- if (is.call(expr) && identical(expr[[1L]], quote(`{`))) as.list(expr)[-1L] else list(expr)
  once <- Filter(function(part) is.call(part) && as.character(part[[1L]])[1L] %in% c("<-", "=") && is.symbol(part[[2L]]) && sum(assigned == as.character(part[[2L]])) == 1L, top)
  once <- Filter(function(part) !is_read_before(as.character(part[[2L]]), part, top), once) # there it is a variable of the environment
  locals <- stats::setNames(lapply(once, function(part) part[[3L]]), vapply(once, function(part) as.character(part[[2L]]), ""))
  bound <- inner_names(expr) # of functions that the body makes
  known <- function(expr) {
    if (is.symbol(expr)) {
      name <- as.character(expr)
      if (name %in% bound || is_number_of_group(name) || grepl("^[.]at[0-9]*$", name) || startsWith(name, ".of_") || !nzchar(name)) return(NULL)
      if (name %in% assigned) return(if (!in_with() && !name %in% formal_names && !is.null(locals[[name]])) known(locals[[name]]))
      return(if (outer || !name %in% formal_names) expr)
    }
    if (!is.call(expr)) return(if (is.numeric(expr) || is.logical(expr) || is.character(expr)) expr)
    head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    if (head %in% c("subset", "model.matrix") && is_rs(head)) return(code_of_columns(expr, known, is_rs, attr(f, "differentiated")))
    if (head == "match.arg" && is_rs(head)) return(matched_argument(expr, f, outer))
    if (head == ".unique_of_vector") return(if (!is.null(value <- known(expr[[2L]]))) as.call(list(unique_of_vector, value)))
    if (!head %in% taken_inside || !is_rs(head)) return(NULL)
    last <- if (head == "$") 2L else length(expr)
    for (k in seq_len(last)[-1L]) {
      if (is_empty_argument(expr[[k]])) next
      value <- known(expr[[k]])
      if (is.null(value)) return(NULL)
      expr[[k]] <- value
    }
    read <- if (head %in% shaping_calls) all.vars(expr)
    if (all(read %in% names_of_data(f, read))) expr
  }
  known
}

# tapply(x, g, sum) and rowsum(x, g): codes of groups and how many there are is R's to say.
sums_of_groups <- function(expr, head, known, differentiated, part, walk) {
  given <- tryCatch(match.call(if (head == "tapply") base::tapply else base::rowsum.default, expr), error = function(e) NULL)
  if (is.null(given)) return(NULL)
  if (head == "tapply") {
    group <- of_one(given$INDEX)
    way <- if (is.symbol(given$FUN)) as.character(given$FUN) else ""
    if (!way %in% c("sum", "mean", "length") || length(given) != 4L) return(NULL)
    x <- given$X
    if (way == "length") {
      value <- known(group)
      return(if (!is.null(value)) part(as.call(c(list(sizes_of_groups, value), vectors_of(x, known, differentiated))), call("sizes", x, group)))
    }
  } else {
    group <- given$group
    if (length(given) != 3L) return(NULL)
    way <- "rowsum"
    x <- given$x
  }
  value <- known(group)
  if (is.null(value)) return(NULL)
  of_way <- if (way == "rowsum") way else "tapply"
  codes <- part(as.call(list(codes_of_groups, value, of_way)), call("codes", group))
  count <- part(as.call(list(counted_groups, value, of_way)), call("groups", group))
  as.call(c(quote(.sums_by), walk(x), codes, count, way == "mean", way == "rowsum", if (way != "rowsum") TRUE))
}

# `way`: of tapply(), rowsum(), whose missing groups are one, or aggregate(). The last ones are kept: a search asks for the same at each step.
groups_of <- function(group, way) {
  if (is_resident(group)) group <- in_r(group)
  bare <- unclass(group)
  for (known in expression_state$groups) {
    if (known$way == way && identical(known$class, oldClass(group)) && identical(known$group, bare)) return(known$made)
  }
  made <- new_groups(group, way)
  if (length(group) <= most_kept_elements) {
    found <- list(way = way, class = oldClass(group), group = own_copy(bare), made = made)
    expression_state$groups <- utils::head(c(list(found), expression_state$groups), most_kept_groups)
  }
  made
}
most_kept_groups <- 4L
most_kept_elements <- 1e6

new_groups <- function(group, way) {
  if (way == "rowsum" && is.double(group)) group <- match(group, sort(unique(group), na.last = TRUE)) # it goes by all digits
  if (way == "aggregate" && is.double(group)) group[is.nan(group)] <- NA # whose rows it leaves out
  made <- as.factor(group)
  if (way == "aggregate" && length(made) == 0L) argument_error("no rows to aggregate")
  if (way != "tapply") made <- droplevels(made)
  if (way == "rowsum" && anyNA(made)) made <- addNA(made)
  if (any(tabulate(made, nlevels(made)) == 0L)) limit_error("tapply() gives NA for levels without elements: take droplevels() of the groups before the call")
  made
}
codes_of_groups <- function(group, way) {
  if (way == "rowsum" && anyNA(if (is_resident(group)) in_r(group) else group)) warning("missing values for 'group'", call. = FALSE) # which are a group
  as.integer(groups_of(group, way))
}
sizes_of_groups <- function(group, ...) {
  n <- length_of_all(...)
  if (!is.na(n) && n != elements_of(group)) argument_error("arguments must have same length")
  groups <- groups_of(group, "tapply")
  if (nlevels(groups) == 0L) logical() else array_of_one(tabulate(groups, nlevels(groups))) # as tapply() has it
}
counted_groups <- function(group, way) logical(nlevels(groups_of(group, way)))

# `as_array`: R's result is an array of one dimension, which is none that a longer vector is recycled to.
sums_in_r <- function(x, codes, groups, means, as_matrix, as_array = FALSE) {
  if (as_array) return(array_of_one(sums_in_r(x, codes, groups, means, FALSE)))
  if (length(x) != length(codes)) argument_error("there have to be as many codes of groups as values")
  if (length(groups) == 0L && !as_matrix) return(logical()) # as tapply() has it
  sums <- segment_sums(as.double(x), codes, length(groups))
  if (means) sums <- sums / segment_sums(rep(1, length(codes)), codes, length(groups))
  if (means || is.double(x) || (as_matrix && !is.integer(x))) return(if (as_matrix) matrix(sums) else sums)
  if (!as_matrix && is.integer(x) && any(abs(sums) > .Machine$integer.max, na.rm = TRUE)) {
    argument_error("a group's sum of integers is beyond the integers: take sums of as.numeric(x)")
  }
  sums <- suppressWarnings(as.integer(sums)) # NA beyond the integers, as rowsum()
  if (as_matrix) matrix(sums) else sums
}

array_of_one <- function(x) if (length(x) > 1L) array(x, length(x)) else x
array_of_data <- function(part) array_of_one(eval(as.call(list(taken_of_data, substitute(part))), parent.frame()))
