# The typed tree of an expression: what each part of an R function is (logical, integer or double), how long, and of
# which other parts it is made. Equal parts are one node.
#
# A node is list(op, type, len, args, value): `args` are numbers of nodes, `len` is the length that R would give the part.
# Kinds of nodes (op):
#   const value                      a constant
#   input k                          argument or variable number k, with its own type and length
#   draw site                        random numbers: args are the parameters, value = list(row, seed number)
#   as_double, as_logical, as_integer; bare: the same value without attributes
#   + - * / ^ %% %/% neg plus        arithmetic; types as R has them
#   == != < > <= >=  & | ! xor       comparison and logic
#   select                           ifelse(): args test, yes, no
#   elementary name                  a function of `elementary`
#   library row                      a function of inst/spec/functions.tsv: args are its columns, then its flags
#   c_text list(text, names)         a C expression of its arguments
#   abs log_base pmin pmax is.na is.nan is.finite is.infinite
#   column list(k, j)                X[, j] of matrix input k
#   product list(k, l)               X %*% b of matrix input k and vector input l
#   cut                              the first argument's elements that the second one has: only of derivatives

# `inputs`: list(name, type, len, dim) of every variable that the expression may read. `value_of(node)` is what R makes of
# a node of length one.
new_tree <- function(inputs, value_of) {
  tree <- new.env(parent = emptyenv())
  tree$nodes <- list()
  tree$known <- new.env(parent = emptyenv())
  tree$inputs <- inputs
  tree$value_of <- function(id) value_of(tree, id)
  tree$decisions <- list() # nodes and their values
  tree$exact <- FALSE
  tree$sites <- list() # of warnings: list(node, call, rule)
  tree$singles <- list() # arithmetic that recycles an operand of one element: see note_single()
  tree$recycled <- list() # pairs whose lengths R compares: list(lengths, call, text, guards)
  tree$guards <- list() # the branches of ifelse() that are being translated: list(node of the test, TRUE or FALSE)
  tree$reads <- logical() # see reads_inputs()
  tree$tests <- integer() # nodes of tests that warnings depend on
  tree$statements <- integer() # nodes of statements and assigned values, which R computes even where nothing uses them
  tree$draws <- 0L
  tree$in_rule <- FALSE # while a rule of a derivative is translated
  tree
}

add_node <- function(tree, op, type, len, args = integer(), value = NULL) {
  key <- paste(op, type, format(len, scientific = FALSE), paste(args, collapse = " "), value_key(value), sep = "|")
  found <- tree$known[[key]]
  if (!is.null(found)) return(found)
  id <- length(tree$nodes) + 1L
  tree$nodes[[id]] <- list(op = op, type = type, len = len, args = as.integer(args), value = value)
  tree$known[[key]] <- id
  id
}

value_key <- function(value) {
  if (is.null(value)) return("")
  if (is.double(value)) return(paste(format(value, digits = 17), is.na(value) && !is.nan(value), 1 / value))
  if (is.list(value)) return(paste(vapply(value, value_key, ""), collapse = ","))
  paste(value, collapse = ",")
}

# (The number is made first: to make it may add nodes.)
node_of <- function(tree, id) {
  force(id)
  tree$nodes[[id]]
}

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

constant <- function(tree, value) {
  if (length(value) != 1L || !typeof(value) %in% c("double", "integer", "logical")) {
    argument_error(
      "the constant `", deparse1(value), "` is no number: an expression has numbers, TRUE, FALSE and NA. Compare texts before the ",
      "call, and give what comes of it as an argument"
    )
  }
  add_node(tree, "const", typeof(value), 1, value = value)
}

as_type <- function(tree, id, type) {
  node <- node_of(tree, id)
  if (node$type == type || (type == "integer" && node$type == "logical")) return(id)
  if (node$op == "const") {
    value <- node$value
    suppressWarnings(storage.mode(value) <- type)
    return(constant(tree, value))
  }
  add_node(tree, paste0("as_", type), type, node$len, id)
}
as_double_node <- function(tree, id) as_type(tree, id, "double")

# The length of a result of R's arithmetic, and the note that R compares the two.
not_a_multiple <- "longer object length is not a multiple of shorter object length"

common_length <- function(tree, ids, call = NULL, text = not_a_multiple) {
  lens <- vapply(ids, function(id) len_of(tree, id), 0)
  if (!is.null(call) && length(lens) == 2L && min(lens) > 1 && lens[1L] != lens[2L]) {
    tree$recycled[[length(tree$recycled) + 1L]] <-
      list(lengths = range(lens), call = call, text = text, guards = used_guards(tree))
  }
  max(lens)
}

# R looks at a branch of ifelse() only if some element takes it.
used_guards <- function(tree) {
  for (guard in tree$guards) tree$tests <- union(tree$tests, guard$test)
  tree$guards
}

add_site <- function(tree, id, call, rule, reason = "NaNs produced") {
  for (k in seq_along(tree$sites)) {
    site <- tree$sites[[k]]
    if (site$node != id || !identical(site$call, call)) next
    if (length(tree$guards) < length(site$guards)) tree$sites[[k]]$guards <- tree$guards
    return(id)
  }
  tree$sites[[length(tree$sites) + 1L]] <-
    list(node = id, call = call, rule = rule, reason = reason, guards = used_guards(tree))
  id
}

guarded <- function(tree, test, way, body) {
  outer <- tree$guards
  on.exit(tree$guards <- outer)
  tree$guards <- c(outer, list(list(test = test, way = way)))
  body
}

arithmetic_node <- function(tree, op, a, b, call = NULL) {
  types <- c(type_of(tree, a), type_of(tree, b))
  whole <- !"double" %in% types && !op %in% c("/", "^")
  len <- common_length(tree, c(a, b), call)
  if (!whole) {
    a <- as_double_node(tree, a)
    b <- as_double_node(tree, b)
  }
  id <- add_node(tree, op, if (whole) "integer" else "double", len, c(a, b))
  note_single(tree, id, call)
  if (whole && op %in% c("+", "-", "*")) add_site(tree, id, call, "overflow", "NAs produced by integer overflow")
  id
}

wider_type <- function(types) if ("double" %in% types) "double" else if ("integer" %in% types) "integer" else "logical"

# As long as the test; the branches are recycled, or cut, to it.
select_node <- function(tree, test, yes, no) {
  known <- if (tree$in_rule) node_of(tree, test) # rules ask for flags
  if (identical(known$op, "const") && !is.na(known$value)) return(if (known$value) yes else no)
  len <- len_of(tree, test)
  if (tree$in_rule) len <- max(len, len_of(tree, yes), len_of(tree, no)) # rules choose element by element
  type <- wider_type(c(type_of(tree, yes), type_of(tree, no)))
  test <- as_type(tree, test, "logical")
  add_node(tree, "select", type, len, c(test, as_type(tree, yes, type), as_type(tree, no, type)))
}

elementary_node <- function(tree, name, x, call) {
  id <- add_node(tree, "elementary", "double", len_of(tree, x), x, value = name)
  if (elementary[[name]]$nan) add_site(tree, id, call, "nan")
  id
}

library_node <- function(tree, row, args, call) {
  n_real <- length(split_commas(row$columns))
  args <- c(
    lapply(args[seq_len(n_real)], function(id) as_double_node(tree, id)),
    lapply(args[-seq_len(n_real)], function(id) as_type(tree, id, "logical"))
  )
  len <- max(vapply(args[seq_len(n_real)], function(id) len_of(tree, id), 0))
  id <- add_node(tree, "library", "double", len, unlist(args), value = row$name)
  if (row$warn != "silent") add_site(tree, id, call, if (row$warn == "none") "nan" else row$warn)
  id
}

# The same without attributes.
bare_node <- function(tree, id) add_node(tree, "bare", type_of(tree, id), len_of(tree, id), id)

# X %*% b. With one column it is arithmetic.
matvec_node <- function(tree, X, b, call) {
  matrix <- node_of(tree, X)
  if (matrix$op != "input" || is.null(tree$inputs[[matrix$value]]$dim)) {
    argument_error(
      "`", deparse1(call), "`: the left side of %*% has to be an argument, a matrix as it is given. Compute it before the call"
    )
  }
  dim <- tree$inputs[[matrix$value]]$dim
  right <- node_of(tree, b)
  sides <- if (right$op == "input") tree$inputs[[right$value]]$dim
  if (!is.null(sides) && sides[2L] != 1L) {
    argument_error(
      "`", deparse1(call), "`: the right side of %*% has ", sides[2L], " columns, and has to be a vector of coefficients. ",
      "Give each column as an argument of its own, and write a product for each"
    )
  }
  if (!is.null(sides) && sides[1L] != dim[2L]) {
    argument_error(
      "`", deparse1(call), "`: the right side of %*% has to be a vector, or a matrix of one column and ", dim[2L], " rows"
    )
  }
  if (dim[2L] != len_of(tree, b)) {
    argument_error(
      "`", deparse1(call), "`: non-conformable arguments, ", dim[2L], " columns and ", format(len_of(tree, b)), " coefficients: give one for each column"
    )
  }
  if (node_of(tree, b)$op != "input" && len_of(tree, b) > 1) {
    argument_error(
      "`", deparse1(call), "`: the right side of %*% has to be an argument, a vector as it is given. Compute it before the call"
    )
  }
  if (dim[2L] > 1L) return(add_node(tree, "product", "double", dim[1L], value = list(matrix$value, right$value)))
  column <- add_node(tree, "column", matrix$type, dim[1L], value = list(matrix$value, 1L))
  one <- as_double_node(tree, bare_node(tree, b)) # a matrix of one element, too
  add_node(tree, "*", "double", dim[1L], c(as_double_node(tree, column), one))
}
