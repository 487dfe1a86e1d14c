# The rules of inst/spec/derivatives.tsv: partial derivatives of operations and functions as parts of a typed tree.

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
  before <- mget(c("sites", "recycled", "tests", "singles"), envir = tree)
  on.exit(list2env(before, tree))
  body
}

negative <- function(tree, d) {
  if (is.null(d)) return(NULL)
  add_node(tree, "neg", "double", len_of(tree, d), d)
}

# NULL is 0.
plus_of <- function(tree, a, b) {
  if (is.null(a)) return(b)
  if (is.null(b)) return(a)
  arithmetic_node(tree, "+", a, b)
}

times_of <- function(tree, a, b) {
  if (is_constant_one(tree, a)) return(b)
  if (is_constant_one(tree, b)) return(a)
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

no_rule <- function(name, argument) {
  argument_error("there is no rule for the derivative of ", name, "() in `", argument, "`")
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

# The gradient of `root` in the inputs that `gradient` names, one entry for each: list(input, node) of an input whose derivative is
# a node, list(input, terms) of coefficients, see adjoints(). `body`: of the function.
gradient_slopes <- function(tree, root, gradient, reduced, body) {
  found <- adjoints(tree, root, gradient)
  multiplied <- vapply(tree$nodes, function(node) if (node$op == "product") node$value[[2L]] else 0L, 0L)
  lapply(seq_along(gradient), function(i) {
    k <- gradient[i]
    input <- tree$inputs[[k]]
    node <- found$nodes[[i]]
    left_out <- is.null(node) && input$len != 1 && (reduced || is_coefficient(body, input$name)) # by conditions
    if (k %in% multiplied || left_out) {
      if (!is.null(node)) argument_error("the gradient in `", input$name, "`, which is not only a vector of coefficients, is not supported")
      return(list(input = k, terms = found$terms[[i]]))
    }
    if (reduced && input$len != 1) argument_error("the gradient in `", input$name, "`: it has to be of length one, or coefficients")
    list(input = k, node = as_double_node(tree, node %||% constant(tree, 0)))
  })
}

# The names of a call's gradient: of coefficients their own, or the argument's with their numbers.
gradient_labels <- function(expression, slopes, inputs) {
  unlist(lapply(slopes, function(slope) {
    name <- expression$inputs[[slope$input]]$name
    if (is.null(slope$terms)) return(name)
    given <- inputs[[slope$input]]
    names(given) %||% paste0(name, seq_len(size_of(given)))
  }))
}

# Whether `name` is the right side of a %*%.
is_coefficient <- function(body, name) {
  if (!is.call(body)) return(FALSE)
  here <- identical(body[[1L]], quote(`%*%`)) && length(body) == 3L && identical(body[[3L]], as.symbol(name))
  here || any(vapply(as.list(body)[-1L], function(part) is_coefficient(part, name), NA))
}
