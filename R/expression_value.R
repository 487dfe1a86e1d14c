# What R makes of a node, with this package's host functions: for conditions, flags, counts of draws, and the texts of
# warnings that only R's rules know.

node_value <- function(tree, id, inputs) node_values(tree, id, inputs)[[1L]]

# Of several nodes at once: what they share is computed once.
node_values <- function(tree, ids, inputs) {
  known <- list()
  compute <- function(node) {
    args <- known[node$args]
    switch(node$op,
      const = node$value,
      input = plain_value(inputs[[node$value]]),
      element = plain_value(inputs[[node$value[[1L]]]])[node$value[[2L]]],
      column = as.matrix(inputs[[node$value[[1L]]]])[, node$value[[2L]]],
      as_double = as.double(args[[1L]]), as_logical = as.logical(args[[1L]]), as_integer = as.integer(args[[1L]]),
      neg = -args[[1L]], plus = +args[[1L]], bare = as.vector(args[[1L]]), "^^" = xor(args[[1L]], args[[2L]]),
      select = ifelse(args[[1L]], rep_len(args[[2L]], node$len), rep_len(args[[3L]], node$len)),
      elementary = do.call(get(node$value, baseenv()), args),
      log = , log_base = do.call(base::log, args),
      library = library_result(node, args)$value,
      pmin = , pmax = do.call(get(node$op, baseenv()), c(args, na.rm = node$value)),
      draw = argument_error("what decides how an expression is computed cannot depend on random numbers"),
      do.call(get(node$op, baseenv()), args)
    )
  }
  suppressWarnings({
    for (id in nodes_under(tree, ids, function(node) node$args)) known[[id]] <- compute(node_of(tree, id))
  })
  known[unlist(ids)]
}

library_result <- function(node, args) {
  n_real <- length(split_commas(library_row(node$value)$columns))
  flags <- vapply(args[-seq_len(n_real)], as_flag, 0L)
  elementwise_cpp(node$value, args[seq_len(n_real)], flags, "host", NULL)
}

plain_value <- function(x) if (is.null(attributes(x))) x else as.vector(x)
