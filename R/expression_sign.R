# What is known of a node's sign without its value: which of a kernel's functions need not serve all numbers.

# Whether a node of doubles is at least 0, or at most 0, or NaN, whatever the inputs are. `depth`: how far into deep expressions
# it looks.
never_negative <- function(tree, id, depth = 8L) {
  node <- node_of(tree, id)
  if (depth == 0L || node$type != "double") return(FALSE)
  above <- function(k) never_negative(tree, node$args[k], depth - 1L)
  below <- function(k) never_positive(tree, node$args[k], depth - 1L)
  switch(node$op,
    const = is.nan(node$value) || isTRUE(node$value >= 0),
    abs = TRUE,
    elementary = node$value %in% c("exp", "sqrt", "cosh"),
    neg = below(1L),
    plus = , bare = above(1L),
    "+" = above(1L) && above(2L),
    "-" = above(1L) && below(2L),
    "*" = node$args[1L] == node$args[2L] || (above(1L) && above(2L)) || (below(1L) && below(2L)),
    "/" = (above(1L) && above(2L)) || (below(1L) && below(2L)),
    "^" = is_even(tree, node$args[2L]) || above(1L),
    pmin = above(1L) && above(2L),
    pmax = if (node$value) above(1L) && above(2L) else above(1L) || above(2L),
    FALSE
  )
}

never_positive <- function(tree, id, depth = 8L) {
  node <- node_of(tree, id)
  if (depth == 0L || node$type != "double") return(FALSE)
  above <- function(k) never_negative(tree, node$args[k], depth - 1L)
  below <- function(k) never_positive(tree, node$args[k], depth - 1L)
  switch(node$op,
    const = is.nan(node$value) || isTRUE(node$value <= 0),
    neg = above(1L),
    plus = , bare = below(1L),
    "+" = below(1L) && below(2L),
    "-" = below(1L) && above(2L),
    "*" = , "/" = (above(1L) && below(2L)) || (below(1L) && above(2L)),
    pmin = if (node$value) below(1L) && below(2L) else below(1L) || below(2L),
    pmax = below(1L) && below(2L),
    FALSE
  )
}

is_even <- function(tree, id) {
  node <- node_of(tree, id)
  node$op == "const" && isTRUE(node$value %% 2 == 0)
}

# exp(x) for an x that is never positive, and log1p() of that: inst/cl/nmath/log1p_unit.cl has both.
is_exp_to_unit <- function(tree, node) {
  node$op == "elementary" && node$value == "exp" && never_positive(tree, node$args)
}
is_log1p_of_unit <- function(tree, node) {
  node$op == "library" && node$value == "log1p" && is_exp_to_unit(tree, node_of(tree, node$args[1L]))
}
