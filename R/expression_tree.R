# The typed graph of an expression, as the compiler leaves it for R (expression_compile_cpp()): what each part of an R function is
# (logical, integer or double), how long, and of which other parts it is made.
#
# `tree` is an environment: `inputs`, list(name, type, len, dim) of each; `nodes`, list(op, type, len, args, value) of each, where `args`
# are numbers of nodes and `op` and `value` are as src/expression/graph.h has them; `sites` of warnings, list(node, call, rule, reason,
# guards, of_r), `of_r`: whether only the function's own rule knows what it warns of; `recycled`, list(lengths, call, text, guards), lengths
# that R compares; `singles`, list(node, call, one, guards), arithmetic that recycles an operand of one element; `decisions`,
# list(node, value), what decided how it was made; `tests`; `exact`, whether it holds for these lengths alone. Guards are
# list(test, way): branches of ifelse() that a call stands in.

node_of <- function(tree, id) tree$nodes[[id]]

# The numbers of some nodes and of all that they are made of, as far as `args_of` follows, arguments first. Who goes through
# nodes in this order, and keeps what was found, needs no deeper stack for deeper expressions.
nodes_under <- function(tree, ids, args_of) {
  needed <- logical(length(tree$nodes))
  needed[unlist(ids)] <- TRUE
  for (id in rev(seq_along(needed))) if (needed[id]) needed[args_of(node_of(tree, id))] <- TRUE
  which(needed)
}

type_of <- function(tree, id) node_of(tree, id)$type
len_of <- function(tree, id) node_of(tree, id)$len

wider_type <- function(types) if ("double" %in% types) "double" else if ("integer" %in% types) "integer" else "logical"
