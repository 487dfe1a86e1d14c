# Without a compiler: R evaluates the body of an opencl_function, with this package's host functions under R's names.

# R evaluates the body, with this package's host functions under R's names.
fallback_value <- function(expression, values, by) {
  value <- body_value(expression, values)
  if (is.list(value)) limit_error("the value is a list, as that of sapply() over no groups is in R: vapply() with numeric(1) gives numbers, and unlist() makes a vector")
  if (is.null(expression$reduce)) value else fallback_reduction(expression$reduce, value, by)
}

body_value <- function(expression, values) {
  f <- expression$f
  call <- user_call()
  ready <- expression$ready %||% (expression$ready <- ready_for_r(expression))
  formal <- ready$formal
  body_of <- ready$body_of
  lists <- expression$lists
  names <- ready$names
  parts <- list()
  if (length(ready$parts) > 0L) {
    seen <- list2env(stats::setNames(values, formal), parent = environment(f))
    lapply(setdiff(names(formals(f)), formal), function(name) { # a list, whose parts are known here; a variable of that name is another one
      delayedAssign(name, limit_error("what R makes of `", name, "` as a whole is not known without a compiler"), assign.env = seen)
    })
    parts <- lapply(ready$parts, eval, seen)
  }
  if (expression$asks[["missing"]]) {
    given <- !vapply(values, is_absent, NA)
    own <- formal %in% names(formals(body_of)) # others are parts of lists, and what is computed of data
    environment(body_of) <- list2env(c(stats::setNames(values[!own], formal[!own]), parts), parent = fallback_scope(f, lists$body))
    frame <- list2env(stats::setNames(values[given], formal[given]), parent = list2env(list(body_of = body_of), parent = baseenv()))
    arguments <- stats::setNames(lapply(formal[given & own], as.symbol), formal[given & own])
    return(said_of_user(eval(as.call(c(quote(body_of), arguments)), frame), call, names))
  }
  scope <- list2env(c(stats::setNames(values, formal), parts), parent = fallback_scope(f, lists$body))
  body_of <- as.function(list(body(body_of)), scope) # formals<- stops at a body that is a constant
  said_of_user(body_of(), call, names)
}

# What of an expression is the same at each call.
ready_for_r <- function(expression) {
  body_of <- expression$f
  attributes(body_of) <- NULL
  body(body_of) <- with_names_checked(expression$lists$body)
  formal <- vapply(Filter(function(input) input$formal, expression$inputs), function(input) input$name, "")
  parts <- expression$lists$parts
  list(
    formal = formal, body_of = body_of, names = names_of_parts_taken(expression$inputs),
    parts = parts[intersect(setdiff(names(parts), formal), all.names(body(body_of)))]
  )
}

# Elements by name of what has none, as sums of groups, are an error there, too: R gives NA.
with_names_checked <- function(expr) {
  if (!is.call(expr)) return(expr)
  if (is_call_of(expr, "as.vector") && length(expr) == 2L && is_call_of(expr[[2L]], "[") && length(expr[[2L]]) == 3L && is.character(expr[[c(2L, 3L)]]) && length(expr[[c(2L, 3L)]]) == 1L) {
    expr[[c(2L, 1L)]] <- quote(`[[`) # as of p$a, where there has to be one
  }
  assigns <- is.symbol(expr[[1L]]) && as.character(expr[[1L]]) %in% c("<-", "=", "<<-")
  for (k in seq_along(expr)[-1L]) {
    if (is.call(expr[[k]]) && !(assigns && k == 2L)) expr[k] <- list(with_names_checked(expr[[k]]))
  }
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  if (!head %in% c("[", "[[") || length(expr) != 3L || !is.character(expr[[3L]])) return(expr)
  as.call(list(element_by_name, expr[[2L]], expr[[3L]], head == "[[", if (is.symbol(expr[[2L]])) deparse1(expr) else paste0("[", deparse1(expr[[3L]]), "]")))
}

element_by_name <- function(x, name, alone, written) {
  if (is.atomic(x) && length(x) > 0L && is.null(names(x))) {
    argument_error("`", written, "`: elements have names in an argument, in c(a = x, b = y), and in what is computed of one such vector element by element, not in sums of groups")
  }
  if (alone) x[[name]] else x[name]
}

# What `f` sees: this package's host functions under R's names, and other opencl_functions and functions of one's own as R functions
# that see these. `written`: its body, as evaluated; `made`: the scopes of those that are there already, as functions may call each other.
fallback_scope <- function(f, written = body(f), made = new.env()) {
  env <- environment(f)
  names <- all.names(as.call(c(list(written), as.list(formals(f)))), unique = TRUE)
  functions <- host_functions(names, env)
  scope <- new.env(parent = functions) # has variables that are called as functions are, as `rt`: of these R asks where it wants no function
  made$of <- c(made$of, list(list(f = f, scope = scope)))
  for (name in names) {
    found <- if (nzchar(name)) get0(name, envir = env, mode = "function")
    inner <- if (inherits(found, "opencl_function")) attr(found, "expression")$f else if (is_helper(found, env)) found else if (is.null(found)) function_of_element(name, env)
    if (is.null(inner)) next
    attributes(inner) <- NULL
    known <- Filter(function(one) identical(one$f, inner), made$of)
    environment(inner) <- if (length(known) > 0L) known[[1L]]$scope else fallback_scope(inner, made = made)
    assign(name, inner, functions)
  }
  for (name in ls(functions, all.names = TRUE)) {
    if (!exists(name, envir = env)) next
    value <- get(name, envir = env)
    if (!is.function(value)) assign(name, value, scope)
  }
  scope
}

# One number, or one for each group of `by`. `rows`: where the reduction leaves missing values out, whose rows count.
fallback_reduction <- function(reduce, value, by, rows = NULL) {
  value <- as.vector(value)
  # R's mean of integers is their exact sum by their number.
  value <- switch(reduction_table()[[reduce$op]]$takes, logical = as.logical(value), real = if (reduce$op == "mean") value else as.double(value), given = value)
  one <- function(k) {
    value <- if (is.null(k)) value else value[k]
    if (reduce$na_rm) value <- value[if (is.null(rows)) !is.na(value) else if (is.null(k)) rows else rows[k]]
    reduced_by_r(reduce, value)
  }
  if (is.null(by)) return(one(NULL))
  codes <- group_codes(by, length(value))
  names <- if (is.factor(by)) levels(by) else code_names(max(0L, codes, na.rm = TRUE))
  found <- split(seq_along(codes), factor(codes, levels = seq_along(names)))
  sums <- lapply(found, function(k) if (length(k) == 0L) NA else one(k))
  if (all(lengths(found) == 0L)) sums <- c(list(suppressWarnings(one(integer()))[0L]), sums) # of its type
  stats::setNames(unlist(sums, use.names = FALSE), names)
}

# Value and gradient: R computes the nodes of the tree.
fallback_gradient <- function(expression, inputs, key, by, none) {
  reduce <- expression$reduce
  if (key == "") return(empty_gradient(expression, inputs, by, none))
  variant <- find_variant(expression, inputs, key, if (isTRUE(expression$hessian) || !is.null(by)) "by" else "")
  check_conditions(variant, inputs, user_call())
  n <- element_count(variant, inputs)
  terms <- do.call(c, lapply(variant$slopes, function(slope) slope$terms))
  known <- node_values_under(variant$tree, c(variant$outputs, unlist(lapply(terms, function(term) c(term$score, term$mask)))), inputs)
  of_all <- function(id) rep_len(as.vector(known[[id]]), n)
  values <- of_all(variant$root)
  slopes <- do.call(c, lapply(variant$slopes, function(slope) {
    if (is.null(slope$terms)) return(list(of_all(slope$node)))
    columns <- NULL
    for (term in slope$terms) {
      mask <- if (!is.null(term$mask)) of_all(term$mask)
      columns <- joined_columns(columns, score_columns(variant, term, as.double(of_all(term$score)), mask, inputs, n))
    }
    columns %||% rep(list(numeric(n)), size_of(inputs[[slope$input]]))
  }))
  labels <- gradient_labels(expression, variant$slopes, inputs)
  if (is.null(reduce)) {
    value <- shaped_values(variant, inputs, values, n)
    attr(value, "gradient") <- matrix(as.double(unlist(slopes)), ncol = length(slopes), dimnames = list(NULL, labels))
  } else {
    value <- fallback_reduction(reduce, values, by)
    rows <- !is.na(values)
    sums <- lapply(slopes, fallback_reduction, reduce = reduce, by = by, rows = rows)
    gradient <- if (is.null(by)) {
      stats::setNames(unlist(sums), labels)
    } else {
      matrix(as.double(unlist(sums)), ncol = length(slopes), dimnames = list(names(value), labels))
    }
    value <- with_derivatives(value, gradient, variant, inputs)
  }
  warn_of_decisions(variant, inputs)
  open <- function(guards) isTRUE(guards_taken(variant$tree, guards, known, list(), inputs))
  warn_of_lengths(variant, inputs, open)
  warn_of_values(variant$tree, variant$tree$sites, known, open = open)
  value
}

# Where an argument has no elements, and the value none: every slope is a sum of nothing.
empty_gradient <- function(expression, inputs, by, none) {
  formal <- seq_len(sum(vapply(expression$inputs, function(input) input$formal, NA)))
  value <- body_value(expression, restored_inputs(inputs[formal], none))
  reduce <- expression$reduce
  if (length(value) > 0L) {
    limit_error("the gradient of a value that does not depend on an argument of length 0, which is given, is not supported")
  }
  labels <- names_of_slopes(expression, inputs, gradient_of(expression, inputs), none = TRUE)
  if (is.null(reduce)) {
    attr(value, "gradient") <- matrix(numeric(), 0L, length(labels), dimnames = list(NULL, labels))
    return(value)
  }
  value <- fallback_reduction(reduce, value, by)
  slope <- fallback_reduction(reduce, numeric(), by)
  attr(value, "gradient") <- if (is.null(by)) {
    stats::setNames(rep(slope, length(labels)), labels)
  } else {
    matrix(rep(slope, length(labels)), ncol = length(labels), dimnames = list(names(value), labels))
  }
  if (isTRUE(expression$hessian)) {
    attr(value, "hessian") <- array(rep(slope, length(labels)^2), c(length(slope), length(labels), length(labels)), named_sides(names(value), labels, labels))
  }
  value
}

# An environment whose functions of stats, those among `names`, are this package's on the host device.
host_functions <- function(names, parent) {
  if (is.null(expression_state$host_functions)) {
    of_r <- function(row) nzchar(row$mirrors) && !grepl("^stats::|besse", row$mirrors)
    rows <- expression_rows()
    rows <- rows[setdiff(names(rows), names(expression_state$rule_rows))] # those of rules have no function of R
    rows <- Filter(function(row) !of_r(row) && row$flags != "cells", rows)
    expression_state$host_functions <- lapply(rows, function(row) {
      ours <- get(paste0(row$name, "_opencl"), asNamespace("nmathopencl"))
      function(...) {
        call <- sys.call()
        withCallingHandlers(without_tables(ours(..., device = "host")), warning = function(w) { # said of the user's own call
          if (!identical(conditionCall(w), quote(ours(..., device = "host")))) return() # of an argument
          warning(simpleWarning(conditionMessage(w), call))
          invokeRestart("muffleWarning")
        })
      }
    })
    names(expression_state$host_functions) <- vapply(rows, r_name, "")
    expression_state$host_functions$.c_text <- function(...) {
      argument_error(no_text_message())
    }
    expression_state$host_functions$.where <- where_in_r
    expression_state$host_functions$.rep_by <- function(call, x, counts, codes) call
    expression_state$host_functions$.chosen <- function(call, instead) call
    expression_state$host_functions[names(written_helpers)] <- written_helpers
    expression_state$host_functions$.cumprod <- base::cumprod
    expression_state$host_functions$.bound_columns <- bound_in_r("cbind")
    expression_state$host_functions$.bound_rows <- bound_in_r("rbind")
    expression_state$host_functions$.mahalanobis <- stats::mahalanobis
    expression_state$host_functions$.diag <- function(M) row(M) == col(M)
    expression_state$host_functions$.log_det <- function(x) as.vector(determinant(x)$modulus)
    expression_state$host_functions$.has_factor <- function(S) !is.null(tryCatch(chol(S), error = function(e) NULL))
    expression_state$host_functions$.has_inverse <- function(S) !is.null(tryCatch(solve(S), error = function(e) NULL))
    expression_state$host_functions$.solved <- function(inverse, r) if (is.matrix(r)) inverse %*% r else drop(inverse %*% r)
    expression_state$host_functions$.turned <- function(x) if (is.matrix(x)) t(x) else matrix(x, 1L)
    expression_state$host_functions$.outer_of <- expression_state$host_functions$.outer_filled <- base::outer
    expression_state$host_functions$.sums_by <- sums_in_r
    expression_state$host_functions$.skeleton <- checked_skeleton
    expression_state$host_functions$.outside <- identity
    expression_state$host_functions$.refused <- function(text) limit_error(text)
    expression_state$host_functions$.element <- function(value, x, k) x[[k]]
    expression_state$host_functions$.as_apply <- applied_in_r
    expression_state$host_functions$.unlisted <- unlisted_in_r
    expression_state$host_functions$.single <- single_in_r
    expression_state$host_functions$.along <- along_in_r
    expression_state$host_functions$.group_numbers <- group_numbers_in_r
    expression_state$host_functions$.group_elements <- group_elements_in_r
    expression_state$host_functions$.group_unsplit <- group_unsplit_in_r
    expression_state$host_functions$.group_ave <- group_ave_in_r
    expression_state$host_functions[names(mapped_by_several)] <- list(mapped_in_r)
    expression_state$host_functions$.multinomial <- function(x, prob, as_log, size) stats::dmultinom(x, size, prob, as_log)
  }
  masks <- expression_state$host_functions[intersect(names, names(expression_state$host_functions))]
  same <- vapply(names(masks), function(name) {
    found <- function_named(name, parent)
    is.null(found) || identical(environment(found), asNamespace("stats")) || identical(environment(found), .BaseNamespaceEnv)
  }, NA)
  list2env(masks[same], parent = parent)
}

no_text_message <- function() {
  paste("a text of OpenCL C needs an OpenCL device or, for the host device, a compiler:", no_compiler_reason())
}

expression_rows <- function() {
  library_functions()
  expression_state$rows
}

# Value and gradient where nothing is compiled: R computes the nodes, and the body's value as R does. `key`: of the inputs; NULL: they
# are a piece of others, of which nothing is kept.
fallback_staged <- function(expression, inputs, key, by, none) {
  if (!is.null(by)) return(NULL)
  formal <- seq_len(sum(vapply(expression$inputs, function(input) input$formal, NA)))
  of_none <- expression_key_cpp(inputs) == ""
  if (of_none) value <- fallback_value(expression, restored_inputs(inputs[formal], none), NULL) # R's own error comes first
  variant <- if (of_none || is.null(key)) fallback_variant(expression, inputs) else find_variant(expression, inputs, key, "fallback", fallback_variant)
  if (!variant$staged) return(NULL)
  if (!of_none) value <- fallback_value(expression, restored_inputs(inputs[formal], none), NULL)
  known <- values_in_order(variant$tree, variant$order, inputs, list())
  check_assertions(variant$tree, known, user_call())
  # With effects the root is the log of an integral.
  if (of_none && is.null(expression$effects) && !isTRUE(all.equal(as.double(known[[variant$root]]), as.double(value)))) {
    limit_error("the gradient of a function of NULL: give a vector without elements, numeric(), instead of NULL")
  }
  known[[variant$root]] <- value
  derived <- attributes(staged_value(expression, variant, known, inputs))
  for (name in c("gradient", "hessian")) attr(value, name) <- derived[[name]]
  value
}

# The graph alone, which holds for vectors of these lengths: R computes its nodes.
fallback_variant <- function(expression, inputs, wide = FALSE, form = "") {
  made <- compiled(expression, inputs, fallback = TRUE)
  staged <- !is.null(made$stages)
  if (staged) {
    slopes <- vapply(made$slopes, function(slope) slope$node, 0L)
    asked <- unlist(lapply(made$tree$assertions, function(one) c(one$node, vapply(one$guards, function(guard) guard$test, 0L))))
    order <- order_under(made$tree, c(made$root, slopes, curves_of(made)[3L, ], asked), !vapply(inputs, is.null, NA))
  }
  list(
    order = if (staged) order,
    tree = made$tree, root = made$root, slopes = made$slopes, curves = curves_of(made), makes_shape = FALSE, staged = staged,
    exact = TRUE, measures = measures_of(inputs), named = made$named, decisions = made$tree$decisions
  )
}

# Series by series, by R. Gives one number for each, with a matrix of slopes.
fallback_series <- function(expression, inputs, known, none) {
  formal <- seq_len(sum(vapply(expression$inputs, function(input) input$formal, NA)))
  found <- lapply(split(seq_along(known$codes), known$codes), function(rows) {
    piece <- lapply(inputs, taken_rows, rows, known$rows)
    if (known$rows == 1) piece <- inputs
    if (is.null(expression$gradient)) return(fallback_value(expression, restored_inputs(piece[formal], none), NULL))
    value <- fallback_staged(expression, piece, NULL, NULL, none)
    if (is.null(value)) value <- fallback_gradient(expression, piece, paste(expression_key_cpp(piece), "piece"), NULL, none) # a loop of few rounds
    value
  })
  joined_series(found)
}
