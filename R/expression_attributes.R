# Attributes of an expression's value, by R's rules for each operation, from those of its arguments.

node_attributes <- function(tree, root, inputs) {
  known <- list()
  followed <- function(node) {
    if (node$op %in% c("select", "pmin", "pmax")) node$args[1L] else if (!node$op %in% c("bare", "draw")) node$args
  }
  for (id in nodes_under(tree, root, followed)) {
    node <- node_of(tree, id)
    known[id] <- list(attributes_of(tree, node, inputs, function(k) known[[node$args[k]]]))
  }
  known[[root]]
}

# `of(k)`: those of the node's argument number k.
attributes_of <- function(tree, node, inputs, of) {
  len <- function(k) len_of(tree, node$args[k])
  shape <- function(attributes) attributes[intersect(names(attributes), c("names", "dim", "dimnames"))]
  switch(node$op,
    input = input_attributes(inputs[[node$value]]),
    column = , product = {
      matrix <- input_attributes(inputs[[node$value[[1L]]]]) # of this call: the tree may be another's
      rows <- matrix$dimnames[[1L]]
      c(list(dim = c(as.integer(matrix$dim[1L]), 1L)), if (!is.null(rows)) list(dimnames = list(rows, NULL)))
    },
    const = , bare = , draw = NULL,
    "+" = , "-" = , "*" = , "/" = , "^" = , "%%" = , "%/%" = joined_attributes(node, of, len),
    "==" = , "!=" = , "<" = , ">" = , "<=" = , ">=" = , "&" = , "|" = , "^^" = shape(joined_attributes(node, of, len)),
    select = of(1L),
    pmin = , pmax = {
      mine <- if (len(1L) == node$len) of(1L)
      mine
    },
    is.na = , is.nan = , is.finite = , is.infinite = , "!" = shape(of(1L)),
    library = , log_base = , atan2 = {
      long <- Filter(function(k) len(k) == node$len, seq_along(node$args))
      if (length(long) > 0L) of(long[1L])
    },
    of(1L)
  )
}

input_attributes <- function(x) {
  shape <- attr(x, "shape", exact = TRUE)
  if (is.list(shape)) Filter(Negate(is.null), shape) else attributes(x)
}

# Those of the operands that are as long as the result, the first one's before the second's; an array gives its shape.
joined_attributes <- function(node, of, len) {
  a <- of(1L)
  b <- of(2L)
  if (!is.null(a$dim) && !is.null(b$dim) && !identical(a$dim, b$dim)) argument_error("non-conformable arrays")
  longer <- function(array, k, other) { # an array of one element is as good as a vector
    if (is.null(array$dim) || len(k) == 1 || len(k) >= len(other)) return(invisible())
    argument_error("dims [product ", prod(array$dim), "] do not match the length of object [", format(len(other)), "]")
  }
  longer(a, 1L, 2L)
  longer(b, 2L, 1L)
  if (len(1L) != node$len) a <- NULL
  if (len(2L) != node$len) b <- NULL
  if (!is.null(a$dim) || !is.null(b$dim)) {
    a$names <- b$names <- NULL
  }
  c(a, b[setdiff(names(b), names(a))])
}
