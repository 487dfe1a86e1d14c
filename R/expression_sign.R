# What is known of a node's sign without its value: which of a kernel's functions need not serve all numbers.

# Whether a node of doubles is, whatever the inputs are, never of the other sign than `sign`, 1 or -1: it may be 0 or NaN.
# `depth`: how far into deep expressions it looks.
keeps_sign <- function(tree, id, sign, depth = 6L) {
  node <- node_of(tree, id)
  if (depth == 0L || node$type != "double") return(FALSE)
  same <- function(k) keeps_sign(tree, node$args[k], sign, depth - 1L)
  other <- function(k) keeps_sign(tree, node$args[k], -sign, depth - 1L)
  positive <- sign > 0
  either <- function(way) if (way) same(1L) || same(2L) else same(1L) && same(2L)
  product <- function() {
    if (positive) (same(1L) && same(2L)) || (other(1L) && other(2L)) else (same(1L) && other(2L)) || (other(1L) && same(2L))
  }
  switch(node$op,
    const = is.nan(node$value) || isTRUE(sign * node$value >= 0),
    abs = positive,
    elementary = positive && node$value %in% c("exp", "sqrt", "cosh"),
    neg = other(1L),
    plus = , bare = same(1L),
    "+" = same(1L) && same(2L),
    "-" = same(1L) && other(2L),
    "*" = (positive && node$args[1L] == node$args[2L]) || product(),
    "/" = same(1L) && divides_by_sign(tree, node$args[2L], depth - 1L),
    "^" = positive && (is_even(tree, node$args[2L]) || same(1L)),
    pmin = either(!positive && !node$value), # the value: whether missing ones are left out
    pmax = either(positive && !node$value),
    FALSE
  )
}

# Whether what is divided by a node keeps its sign: never negative, nor the zero below zero.
divides_by_sign <- function(tree, id, depth) {
  node <- node_of(tree, id)
  if (depth == 0L || node$type != "double") return(FALSE)
  both <- function() divides_by_sign(tree, node$args[1L], depth - 1L) && divides_by_sign(tree, node$args[2L], depth - 1L)
  switch(node$op,
    const = isTRUE(node$value > 0),
    abs = TRUE,
    elementary = node$value %in% c("exp", "cosh"),
    "*" = node$args[1L] == node$args[2L] || both(),
    "+" = both(),
    "^" = is_even(tree, node$args[2L]),
    FALSE
  )
}

is_even <- function(tree, id) {
  node <- node_of(tree, id)
  node$op == "const" && isTRUE(node$value %% 2 == 0)
}

# exp(x) for an x that is never positive, and log1p() of that: inst/cl/nmath/log1p_unit.cl has both.
is_exp_to_unit <- function(tree, node) {
  node$op == "elementary" && node$value == "exp" && keeps_sign(tree, node$args, -1)
}
is_log1p_of_unit <- function(tree, node) {
  node$op == "library" && node$value == "log1p" && is_exp_to_unit(tree, node_of(tree, node$args[1L]))
}
