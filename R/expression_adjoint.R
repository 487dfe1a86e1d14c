# Derivatives of a typed tree in reverse mode: from the value down to the arguments, each node hands on what a change of it does
# to the value, its adjoint.
#
# What is handed to a node is list(value, mask, cut): the node of the adjoint, NULL for 1; a logical node, FALSE in elements
# that the node has no part in, NULL where there are none; and the node of the vector that the elements are counted by where a
# longer one was cut to its length, as ifelse() cuts its branches, NULL where none was. Products are never formed with elements
# that are not taken: the derivative of a branch that is not, which may be NaN, leaves no trace.

# What a function's gradient consists of: list(nodes, terms). `nodes` has the adjoint of each input of `wrt` as a node, NULL for
# 0; `terms` has, for each, what the products with matrices leave to it, a list of list(product, score, mask, cut): the gradient is
# t(X) %*% score over the rows that have a part in it.
adjoints <- function(tree, root, wrt) quietly(tree, {
  state <- new.env(parent = emptyenv())
  state$handed <- list()
  state$depends <- depending_nodes(tree, wrt)
  order <- nodes_under(tree, root, function(node) if (node$op == "select") node$args[2:3] else node$args)
  hand_on(state, root, list(value = NULL, mask = NULL, cut = NULL))
  nodes <- vector("list", length(wrt))
  terms <- rep(list(list()), length(wrt))
  for (id in rev(order)) {
    if (id > length(state$handed) || is.null(state$handed[[id]])) next
    node <- node_of(tree, id)
    for (total in totals(tree, state$handed[[id]])) {
      if (node$op == "input") {
        k <- match(node$value, wrt)
        nodes[k] <- list(plus_of(tree, nodes[[k]], adjoint_value(tree, total)))
      } else if (node$op == "product") {
        k <- match(node$value[[2L]], wrt)
        score <- as_double_node(tree, total$value %||% constant(tree, 1))
        terms[[k]] <- c(terms[[k]], list(list(product = id, score = score, mask = total$mask, cut = total$cut)))
      } else {
        adjoint_node(tree, id, node, total, state)
      }
    }
  }
  list(nodes = nodes, terms = terms)
})

# By node: whether an input of `wrt` has part in it.
depending_nodes <- function(tree, wrt) {
  depends <- logical(length(tree$nodes))
  for (id in seq_along(tree$nodes)) {
    node <- node_of(tree, id)
    if (node$op == "product" && node$value[[1L]] %in% wrt) {
      argument_error("the gradient in `", tree$inputs[[node$value[[1L]]]]$name, "`, the matrix of a product, is not supported: name the coefficients")
    }
    depends[id] <- switch(node$op,
      input = node$value %in% wrt, product = node$value[[2L]] %in% wrt, any(depends[node$args])
    )
  }
  depends
}

hand_on <- function(state, id, adjoint) {
  if (!state$depends[id]) return(invisible())
  known <- if (id <= length(state$handed)) state$handed[[id]]
  state$handed[[id]] <- c(known, list(adjoint))
}

# What was handed to a node, as one adjoint for each way that its elements are counted.
totals <- function(tree, adjoints) {
  ways <- vapply(adjoints, function(adjoint) adjoint$cut %||% 0L, 0L)
  lapply(unique(ways), function(way) total_of(tree, adjoints[ways == way]))
}

total_of <- function(tree, adjoints) {
  if (length(adjoints) == 1L) return(adjoints[[1L]])
  masks <- lapply(adjoints, function(adjoint) adjoint$mask)
  value <- NULL
  for (adjoint in adjoints) value <- plus_of(tree, value, adjoint_value(tree, adjoint))
  mask <- if (!any(vapply(masks, is.null, NA))) Reduce(function(a, b) logical_node(tree, "|", a, b), unique(masks))
  list(value = value, mask = mask, cut = adjoints[[1L]]$cut)
}

# 0 where the mask is FALSE.
adjoint_value <- function(tree, adjoint) {
  value <- adjoint$value %||% constant(tree, 1)
  if (is.null(adjoint$mask)) value else choice_node(tree, adjoint$mask, value, constant(tree, 0))
}

# A node's values at the elements that `cut` counts.
cut_node <- function(tree, id, cut) {
  if (is.null(cut) || len_of(tree, id) <= len_of(tree, cut)) return(id)
  add_node(tree, "cut", type_of(tree, id), len_of(tree, cut), c(id, cut))
}

logical_node <- function(tree, op, ...) {
  args <- c(...)
  add_node(tree, op, "logical", max(vapply(args, function(id) len_of(tree, id), 0)), args)
}

# The adjoint times a partial derivative.
scaled_by <- function(tree, adjoint, partial) {
  if (is_constant_one(tree, partial)) return(adjoint)
  partial <- cut_node(tree, partial, adjoint$cut)
  adjoint$value <- if (is.null(adjoint$value)) partial else times_of(tree, adjoint$value, partial)
  adjoint
}

is_constant_one <- function(tree, id) node_of(tree, id)$op == "const" && identical(node_of(tree, id)$value, 1)

adjoint_node <- function(tree, id, node, adjoint, state) {
  hand <- function(k, given) hand_on(state, node$args[k], given)
  switch(node$op,
    const = , column = ,
    # step functions: 0 where they have a derivative
    "==" = , "!=" = , "<" = , ">" = , "<=" = , ">=" = , "&" = , "|" = , "!" = , "^^" = , as_logical = , as_integer = ,
    is.na = , is.nan = , is.finite = , is.infinite = NULL,
    as_double = , bare = , plus = hand(1L, adjoint),
    neg = hand(1L, negative_of(tree, adjoint)),
    select = choose_adjoints(tree, node$args[1L], adjoint, node$args[2L], node$args[3L], state),
    pmin = , pmax = extreme_adjoints(tree, node, adjoint, state),
    draw = if (any(state$depends[node$args])) argument_error("random numbers have no derivative"),
    {
      for (k in seq_along(node$args)) {
        if (!state$depends[node$args[k]]) next
        partial <- partial_node(tree, id, node, k)
        if (!is.null(partial)) hand(k, scaled_by(tree, adjoint, partial))
      }
    }
  )
}

negative_of <- function(tree, adjoint) {
  adjoint$value <- if (is.null(adjoint$value)) constant(tree, -1) else negative(tree, adjoint$value)
  adjoint
}

# The adjoint of a choice between two nodes: of the one that is taken, and NA for both where the test is missing.
choose_adjoints <- function(tree, test, adjoint, yes, no, state) {
  asked <- cut_node(tree, test, adjoint$cut)
  node <- node_of(tree, asked)
  if (node$op %in% c("is.na", "is.nan", "is.finite", "is.infinite") || (node$op == "const" && !is.na(node$value))) {
    return(hand_to_branches(tree, test, adjoint, c(yes, no), list(asked, logical_node(tree, "!", asked)), state))
  }
  either_way(tree, test, adjoint, logical_node(tree, "is.na", asked), asked, c(yes, no), state)
}

# `none`: where NA goes both ways.
either_way <- function(tree, test, adjoint, none, asked, branches, state) {
  adjoint$value <- choice_node(tree, none, constant(tree, NA_real_), adjoint$value %||% constant(tree, 1))
  masks <- lapply(list(asked, logical_node(tree, "!", asked)), function(mask) logical_node(tree, "|", none, mask))
  hand_to_branches(tree, test, adjoint, branches, masks, state)
}

hand_to_branches <- function(tree, test, adjoint, branches, masks, state) {
  for (k in seq_along(branches)) {
    given <- adjoint
    given$mask <- if (is.null(adjoint$mask)) masks[[k]] else logical_node(tree, "&", adjoint$mask, masks[[k]])
    longer <- len_of(tree, branches[k]) > len_of(tree, test)
    if (longer && (is.null(given$cut) || len_of(tree, test) < len_of(tree, given$cut))) given$cut <- test
    hand_on(state, branches[k], given)
  }
}

# That of the argument that is taken, the first one at a tie. With `na.rm` the other one is taken where one is missing.
extreme_adjoints <- function(tree, node, adjoint, state) {
  first <- node$args[1L]
  second <- node$args[2L]
  longest <- if (len_of(tree, first) >= len_of(tree, second)) first else second # nothing is cut
  better <- logical_node(tree, if (node$op == "pmin") "<" else ">", second, first)
  if (!node$value) return(choose_adjoints(tree, better, adjoint, second, first, state))
  missing <- lapply(node$args, function(id) logical_node(tree, "is.na", id))
  taken <- logical_node(tree, "|", missing[[1L]], better)
  better <- cut_node(tree, logical_node(tree, "&", taken, logical_node(tree, "!", missing[[2L]])), adjoint$cut)
  none <- cut_node(tree, logical_node(tree, "&", missing[[1L]], missing[[2L]]), adjoint$cut)
  either_way(tree, longest, adjoint, none, better, c(second, first), state)
}

# The partial derivative of a node in its argument number k, or NULL where the argument says how it is computed.
partial_node <- function(tree, id, node, k) {
  if (node$op == "library") return(library_partial_of(tree, id, node, k))
  if (node$op == "log_base") {
    rule <- list(quote(1 / (x * log(base))), quote(-.value / (base * log(base))))[[k]]
    return(as_double_node(tree, rule_value(tree, rule, c("x", "base"), node$args, id)))
  }
  name <- if (node$op == "elementary") node$value else node$op
  names <- argument_names(name, length(node$args))
  rule <- derivative_rules()[[paste(name, names[k], "value")]]
  if (is.null(rule)) no_rule(name, names[k])
  as_double_node(tree, rule_value(tree, rule, names, node$args, id))
}

library_partial_of <- function(tree, id, node, k) {
  row <- library_row(node$value)
  columns <- split_commas(row$columns)
  flags <- split_commas(row$flags)
  if (k > length(columns) || columns[k] %in% flags) return(NULL)
  on <- function(flag) {
    at <- match(flag, flags)
    !is.na(at) && isTRUE(as.logical(node_of(tree, node$args[length(columns) + at])$value))
  }
  library_partial(tree, id, row, columns, k, node$args[seq_along(columns)], on)
}
