# Derivatives of a typed tree in forward mode: each node's from those of its arguments, by the rules of
# inst/spec/derivatives.tsv. NULL stands for 0.

# Rows by "name argument form": list(expr).
derivative_rules <- function() {
  if (is.null(expression_state$rules)) {
    table <- utils::read.delim(
      system.file("spec", "derivatives.tsv", package = "nmathopencl"),
      quote = "", colClasses = "character", na.strings = character()
    )
    rules <- lapply(table$derivative, str2lang)
    names(rules) <- paste(table$name, table$argument, table$form)
    expression_state$rules <- rules
  }
  expression_state$rules
}

# The rules' own calls may make a NaN where the value is one; that is no news.
quietly <- function(tree, body) {
  sites <- tree$sites
  recycled <- tree$recycled
  on.exit({
    tree$sites <- sites
    tree$recycled <- recycled
  })
  body
}

# `wrt`: list(input, j): the input by number, and, of a vector of coefficients, which of them (0: the input itself).
derivative <- function(tree, id, wrt) quietly(tree, {
  known <- new.env(parent = emptyenv())
  derive <- function(id) {
    key <- as.character(id)
    if (is.null(known[[key]])) known[[key]] <- list(derive_node(tree, id, wrt, derive))
    known[[key]][[1L]]
  }
  for (below in differentiable_below(tree, id)) derive(below)
  derive(id)
})

# The nodes that a derivative looks at.
differentiable_below <- function(tree, root) {
  nodes_under(tree, root, function(node) if (node$op == "select") node$args[2:3] else node$args)
}

derive_node <- function(tree, id, wrt, derive) {
  node <- node_of(tree, id)
  one <- function() constant(tree, 1)
  switch(node$op,
    const = , column = NULL,
    # step functions: 0 where they have a derivative
    "==" = , "!=" = , "<" = , ">" = , "<=" = , ">=" = , "&" = , "|" = , "!" = , "^^" = , as_logical = , as_integer = ,
    is.na = , is.nan = , is.finite = , is.infinite = NULL,
    input = if (node$value == wrt$input && wrt$j == 0L) one(),
    element = if (node$value[[1L]] == wrt$input && node$value[[2L]] == wrt$j) one(),
    as_double = , bare = , plus = derive(node$args),
    neg = negative(tree, derive(node$args)),
    select = select_derivative(tree, node$args[1L], derive(node$args[2L]), derive(node$args[3L])),
    pmin = , pmax = extreme_derivative(tree, node, derive(node$args[1L]), derive(node$args[2L])),
    draw = if (!all(vapply(lapply(node$args, derive), is.null, NA))) {
      argument_error("random numbers have no derivative")
    },
    library = library_derivative(tree, id, node, derive),
    log_base = log_base_derivative(tree, node, derive),
    by_rules(tree, id, node$op, node, derive)
  )
}

negative <- function(tree, d) {
  if (is.null(d)) return(NULL)
  add_node(tree, "neg", "double", len_of(tree, d), d)
}

select_derivative <- function(tree, test, yes, no) {
  if (is.null(yes) && is.null(no)) return(NULL)
  zero <- constant(tree, 0)
  select_node(tree, test, yes %||% zero, no %||% zero)
}

# That of the argument that is taken, the first one at a tie. With `na.rm` the other one is taken where one is missing.
extreme_derivative <- function(tree, node, first, second) {
  if (is.null(first) && is.null(second)) return(NULL)
  logical_node <- function(op, args, len = node$len) add_node(tree, op, "logical", len, args)
  better <- logical_node(if (node$op == "pmin") "<" else ">", rev(node$args))
  if (!node$value) return(select_derivative(tree, better, second, first))
  missing <- vapply(node$args, function(id) logical_node("is.na", id, len_of(tree, id)), 1L)
  there <- logical_node("!", missing[2L], len_of(tree, missing[2L]))
  better <- logical_node("&", c(logical_node("|", c(missing[1L], better)), there))
  slope <- select_derivative(tree, better, second, first)
  select_node(tree, logical_node("&", missing), constant(tree, NA_real_), slope)
}

# log(x)/log(base).
log_base_derivative <- function(tree, node, derive) {
  log_of <- function(id) add_node(tree, "log", "double", len_of(tree, id), id)
  derive(arithmetic_node(tree, "/", log_of(node$args[1L]), log_of(node$args[2L])))
}

plus_of <- function(tree, a, b) {
  if (is.null(a)) return(b)
  if (is.null(b)) return(a)
  arithmetic_node(tree, "+", a, b)
}

times_of <- function(tree, a, b) {
  is_one <- function(id) identical(node_of(tree, id)$value, 1) && node_of(tree, id)$op == "const"
  if (is_one(a)) return(b)
  if (is_one(b)) return(a)
  arithmetic_node(tree, "*", a, b)
}

# A rule's value: a translation with the node's arguments under the rule's names.
rule_value <- function(tree, rule, names, args, own) {
  scope <- new_scope(asNamespace("stats"), list(), function(env) list())
  scope$vars <- stats::setNames(as.list(args), names)
  scope$vars[[".value"]] <- own
  outer <- tree$in_rule
  on.exit(tree$in_rule <- outer)
  tree$in_rule <- TRUE
  translate(rule, tree, scope)
}

# A choice between two doubles, as long as the longest of the three.
choice_node <- function(tree, test, yes, no) {
  ids <- c(test, as_double_node(tree, yes), as_double_node(tree, no))
  add_node(tree, "select", "double", max(vapply(ids, function(id) len_of(tree, id), 0)), ids)
}

# Whether a log density or log probability is that of 0; FALSE where it is missing.
is_log_of_zero <- function(tree, own) {
  len <- len_of(tree, own)
  outside <- add_node(tree, "==", "logical", len, c(own, constant(tree, -Inf)))
  missing <- add_node(tree, "is.na", "logical", len, own)
  add_node(tree, "&", "logical", len, c(outside, add_node(tree, "!", "logical", len, missing)))
}

# NaN where the function's value is.
missing_as <- function(tree, slope, own) {
  choice_node(tree, add_node(tree, "is.na", "logical", len_of(tree, own), own), own, slope)
}

# 0 where the function is constant, outside the support of a density or distribution.
guarded_rule <- function(tree, slope, own, log_form) {
  if (log_form) slope <- choice_node(tree, is_log_of_zero(tree, own), constant(tree, 0), slope)
  missing_as(tree, slope, own)
}

argument_names <- function(op, count) if (op == "atan2") c("y", "x") else c("x", "y")[seq_len(count)]

by_rules <- function(tree, id, name, node, derive) {
  rules <- derivative_rules()
  name <- if (name == "elementary") node$value else name
  names <- argument_names(name, length(node$args))
  total <- NULL
  for (k in seq_along(node$args)) {
    d <- derive(node$args[k])
    if (is.null(d)) next
    rule <- rules[[paste(name, names[k], "value")]]
    if (is.null(rule)) no_rule(name, names[k])
    total <- plus_of(tree, total, times_of(tree, rule_value(tree, rule, names, node$args, id), d))
  }
  total
}

no_rule <- function(name, argument) {
  argument_error("there is no rule for the derivative of ", name, "() in `", argument, "`")
}

library_derivative <- function(tree, id, node, derive) {
  row <- library_row(node$value)
  columns <- split_commas(row$columns)
  flags <- split_commas(row$flags)
  on <- function(flag) {
    k <- match(flag, flags)
    !is.na(k) && isTRUE(as.logical(node_of(tree, node$args[length(columns) + k])$value))
  }
  args <- node$args[seq_along(columns)]
  total <- NULL
  for (k in seq_along(columns)) {
    d <- derive(args[k])
    if (is.null(d)) next
    if (columns[k] %in% flags) next
    partial <- library_partial(tree, id, row, columns, k, args, on)
    total <- plus_of(tree, total, times_of(tree, partial, d))
  }
  total
}

# The partial derivative at the scale that the flags ask for.
library_partial <- function(tree, id, row, columns, k, args, on) {
  rules <- derivative_rules()
  rule <- function(form) rules[[paste(row$name, columns[k], form)]] %||% rules[[paste(r_name(row), columns[k], form)]]
  value_of <- function(expr, own = id) {
    as_double_node(tree, rule_value(tree, expr, c(columns, row_flags), c(args, flag_nodes), own))
  }
  apply_rule <- function(expr, own = id) guarded_rule(tree, value_of(expr, own), own, logs)
  row_flags <- split_commas(row$flags)
  flag_nodes <- node_of(tree, id)$args[-seq_along(columns)]
  logs <- FALSE
  exp_of <- function(node) elementary_node(tree, "exp", node, NULL)
  if (!is.null(rule("value"))) return(apply_rule(rule("value")))
  if (!is.null(rule("log")) && substr(row$name, 1L, 1L) == "d") {
    logged <- on("log") # of the density itself the rule's value is the logarithm
    own <- if (logged) id else library_node(tree, row, c(as.list(args), list(constant(tree, TRUE))), NULL)
    logs <- TRUE
    slope <- apply_rule(rule("log"), own)
    if (on("log")) return(slope)
    slope <- times_of(tree, id, slope)
    if (is.null(rule("end"))) return(slope)
    # at the ends of a parameter's range a density may be 0 and its derivative not
    return(missing_as(tree, choice_node(tree, is_log_of_zero(tree, own), value_of(rule("end"), own), slope), own))
  }
  if (!is.null(rule("lower"))) {
    form <- if (on("lower.tail")) "log" else "logupper"
    if (on("log.p") && !is.null(rule(form))) {
      logs <- TRUE
      return(apply_rule(rule(form)))
    }
    flags <- lapply(c(TRUE, FALSE), constant, tree = tree)
    plain <- if (on("lower.tail") && !on("log.p")) id else library_node(tree, row, c(as.list(args), flags), NULL)
    slope <- apply_rule(rule("lower"), plain)
    if (!on("lower.tail")) slope <- negative(tree, slope)
    return(if (on("log.p")) arithmetic_node(tree, "/", slope, exp_of(id)) else slope)
  }
  if (!is.null(rule("tail"))) { # the size of the derivative in the logarithm of the tail that p is
    slope <- value_of(rule("tail"))
    if (!on("log.p")) {
      p <- args[1L]
      end <- if (is.null(rule("end"))) constant(tree, Inf) else value_of(rule("end"))
      none <- add_node(tree, "==", "logical", len_of(tree, p), c(p, constant(tree, 0)))
      slope <- choice_node(tree, none, end, arithmetic_node(tree, "/", slope, p))
    }
    if (!on("lower.tail")) slope <- negative(tree, slope)
    return(missing_as(tree, slope, id))
  }
  if (!is.null(rule("quantile"))) {
    slope <- apply_rule(rule("quantile"))
    if (k > 1L) return(slope)
    if (!on("lower.tail")) slope <- negative(tree, slope)
    return(if (on("log.p")) times_of(tree, slope, exp_of(args[1L])) else slope)
  }
  no_rule(r_name(row), columns[k])
}

# ---- what a function's gradient consists of --------------------------------------------------------------------------

# The nodes of the derivatives of `root`, one for each number in `gradient`; the names of each, unless its input has names of
# its own for coefficients, and of coefficients the input and which of them it is (else 0).
gradient_nodes <- function(tree, root, gradient, reduced, body) {
  slopes <- list(nodes = list(), labels = character(), inputs = integer(), j = integer())
  add <- function(k, j, label) {
    slopes$nodes[[length(slopes$nodes) + 1L]] <<- gradient_node(tree, root, list(input = k, j = j))
    slopes$labels <<- c(slopes$labels, label)
    slopes$inputs <<- c(slopes$inputs, if (j > 0L) k else 0L)
    slopes$j <<- c(slopes$j, j)
  }
  for (k in gradient) {
    input <- tree$inputs[[k]]
    coefficients <- any(vapply(tree$nodes, function(node) node$op == "element" && node$value[[1L]] == k, NA))
    if (coefficients) {
      if (any(vapply(tree$nodes, function(node) node$op == "input" && node$value == k && node$len > 1, NA))) used <- used_alone(tree, root, k) else used <- FALSE
      if (used) argument_error("the gradient in `", input$name, "`, which is not only a vector of coefficients, is not supported")
      for (j in seq_len(input$len)) add(k, j, paste0(input$name, j))
    } else if (input$len != 1 && !used_alone(tree, root, k) && (reduced || is_coefficient(body, input$name))) {
      # conditions have left X %*% b out
      for (j in seq_len(input$len)) add(k, j, paste0(input$name, j))
    } else {
      if (reduced && input$len != 1) argument_error("the gradient in `", input$name, "`: it has to be of length one, or coefficients")
      add(k, 0L, input$name)
    }
  }
  slopes
}

# Whether `name` is the right side of a %*%.
is_coefficient <- function(body, name) {
  if (!is.call(body)) return(FALSE)
  here <- identical(body[[1L]], quote(`%*%`)) && length(body) == 3L && identical(body[[3L]], as.symbol(name))
  here || any(vapply(as.list(body)[-1L], function(part) is_coefficient(part, name), NA))
}

# The names of a call's gradient.
gradient_labels <- function(slopes, inputs) {
  labels <- slopes$labels
  for (k in setdiff(unique(slopes$inputs), 0L)) {
    mine <- slopes$inputs == k
    labels[mine] <- names(inputs[[k]])[slopes$j[mine]] %||% labels[mine]
  }
  labels
}

gradient_node <- function(tree, root, wrt) as_double_node(tree, derivative(tree, root, wrt) %||% constant(tree, 0))

# Whether the input is read element by element on the way to `root`.
used_alone <- function(tree, root, k) {
  seen <- logical(length(tree$nodes))
  look <- function(id) {
    if (seen[id]) return(FALSE)
    seen[id] <<- TRUE
    node <- node_of(tree, id)
    if (node$op == "input" && node$value == k) return(TRUE)
    any(vapply(node$args, look, NA))
  }
  look(root)
}
