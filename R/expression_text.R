# OpenCL C for a typed tree: one kernel for all its outputs, and the list of the kernel's arguments.
#
# Parts of length one stand before the loop over the elements, so that each is computed once per work-item; the others
# stand in it. A part that is shorter than the one it belongs to is computed at index e % length of its own.

expression_kernel <- "nmath_fused"
warning_bits <- 31L # of a word of flags

# `outputs`: nodes. `reduce`: NULL or list(op, na_rm), one reduction of every output. `wide`: elements need 64 bits. `form`:
# "", or for reductions by groups "by", where columns come in the groups' order, or "by order", where they lie as they are;
# with "general" where parameters are beyond what fixed forms know, or values are missing.
# `terms`: of a reduction, what gradients in coefficients are sums of, see adjoints().
# Returns list(text, items, columns, scalars, lengths, outputs, words, stems, cost).
expression_text <- function(tree, outputs, reduce = NULL, wide = FALSE, form = "", terms = list()) {
  w <- new_writer(tree, outputs, reduce, wide)
  w$general <- grepl("general", form)
  w$way <- trimws(sub("general", "", form))
  w$as_gpu <- as_gpu()
  w$hopeful <- !w$general && tells_missing(reduce)
  scores <- unlist(lapply(terms, function(term) c(term$score, term$mask)))
  w$terms <- lapply(terms, function(term) {
    at <- index_for(w, if (is.null(term$cut)) w$root else index_for(w, w$root, len_of(tree, term$cut)), len_of(tree, term$product))
    skips <- !is.null(term$mask) || reduce$na_rm
    c(term, list(product_at = product_at(w, node_of(tree, term$product), at), skips = skips))
  })
  w$told <- if (w$hopeful) told_nodes(w, c(outputs, scores))
  note_constant_nodes(w, c(outputs, scores))
  unused <- unused_statements(w, outputs)
  asks <- vapply(tree$nodes, function(node) node$op == "is.nan", NA) # of what a branch is made of, too
  if (w$hopeful && !any(asks)) find_branches(w, nodes_below(w, c(outputs, scores, unused)), c(outputs, scores, unused))
  for (id in nodes_below(w, c(outputs, scores))) if (!in_branch(w, id)) value_at(w, id, w$root)
  values <- lapply(outputs, function(id) value_at(w, id, w$root))
  for (id in nodes_below(w, unused)) if (!in_branch(w, id)) value_at(w, id, w$root)
  finish_outputs(w, outputs, values)
  finish_scores(w)
  assemble_text(w)
}

new_writer <- function(tree, outputs, reduce, wide) {
  w <- new.env(parent = emptyenv())
  w$tree <- tree
  w$reduce <- reduce
  w$wide <- wide
  w$n <- max(vapply(outputs, function(id) len_of(tree, id), 0))
  w$scalar_lines <- w$loop_lines <- w$end_lines <- character()
  w$known <- new.env(parent = emptyenv())
  w$columns <- list() # by input: list(input, role)
  w$scalars <- list() # inputs of length one, by value
  w$lengths <- numeric() # lengths that indices are recycled by
  w$seeds <- integer()
  w$functions <- character() # of the library
  w$called <- FALSE # whether the loop calls one
  w$files <- character() # others that the text needs
  w$sites <- list() # of warnings, in the order of their bits
  w$types <- vapply(outputs, function(id) type_of(tree, id), "")
  # An index: the C name of an element's number, and the length that it runs over.
  w$root <- list(name = "e", len = w$n)
  w$scalar <- list(name = "0", len = 1)
  w
}

is_scalar_index <- function(at) at$name == "0"

emit <- function(w, at, ...) {
  line <- paste0(...) # may write lines itself
  if (is_scalar_index(at)) w$scalar_lines <- c(w$scalar_lines, line) else w$loop_lines <- c(w$loop_lines, line)
}

note_function <- function(w, name, at) {
  w$functions <- union(w$functions, name)
  w$called <- w$called || !is_scalar_index(at)
}

c_type <- function(type) if (type == "double") "double" else "int"

# The index at which a part of length `len` is read by one that is read at `at`.
index_for <- function(w, at, len) {
  if (len == 1 && !is_scalar_index(at)) return(w$scalar)
  if (len >= at$len || at$name == "0") return(list(name = at$name, len = len))
  k <- length_number(w, len)
  name <- paste0(at$name, "_", k)
  key <- paste("index", name)
  if (is.null(w$known[[key]])) {
    w$known[[key]] <- TRUE
    emit(w, at, "const expr_index ", name, " = ", at$name, " % (expr_index)len_", k, ";")
  }
  list(name = name, len = len)
}

length_number <- function(w, len) {
  k <- match(len, w$lengths)
  if (is.na(k)) {
    w$lengths <- c(w$lengths, len)
    k <- length(w$lengths)
  }
  k
}

# Statements whose value no output needs, but of which R may warn. One that is longer than the outputs is left out: the loop does
# not reach all of its elements.
unused_statements <- function(w, outputs) {
  tree <- w$tree
  all_under <- function(ids) nodes_under(tree, ids, function(node) node$args)
  used <- all_under(c(outputs, lapply(tree$decisions, function(decision) decision$node))) # those R has computed
  warning_nodes <- setdiff(vapply(tree$sites, function(site) site$node, 1L), used)
  Filter(function(id) len_of(tree, id) <= w$n && any(all_under(id) %in% warning_nodes), setdiff(tree$statements, all_under(outputs)))
}

# Those that are read where the outputs are.
nodes_below <- function(w, ids) nodes_under(w$tree, ids, function(node) if (node$len == 1 || node$len == w$n) node$args)

# The C expression of a node's value where its user is at `at`; computed once for every index.
value_at <- function(w, id, at) {
  node <- node_of(w$tree, id)
  if (node$op == "const") return(constant_text(w, id, node$value))
  if (!is.null(w$folded[[as.character(id)]])) return(constant_text(w, id, w$folded[[as.character(id)]]))
  at <- index_for(w, at, node$len)
  key <- paste(id, at$name)
  found <- w$known[[key]]
  if (is.null(found)) {
    found <- write_node(w, id, node, at)
    w$known[[key]] <- found
  }
  found
}

use_column <- function(w, k, role) {
  for (i in seq_along(w$columns)) {
    if (w$columns[[i]]$input == k) {
      if (w$columns[[i]]$role != role) w$columns[[i]]$role <- "whole"
      return(i)
    }
  }
  w$columns[[length(w$columns) + 1L]] <- list(input = k, role = role)
  length(w$columns)
}

# What tells a part's name at one index from that at another: a vector's first element is "_0", for it is known in the loop, too.
index_suffix <- function(at, len) if (is_scalar_index(at)) (if (len != 1) "_0" else "") else sub("^e", "", at$name)

write_node <- function(w, id, node, at) {
  name <- paste0("v", id, index_suffix(at, node$len))
  text <- node_text(w, id, node, at, name)
  if (is.null(text)) return(name) # it declared itself
  if (w$as_gpu) text <- canonical_text(node, text)
  emit(w, at, "const ", c_type(node$type), " ", name, " = ", text, ";")
  if (id %in% w$tree$tests) test_text(w, id, at, name)
  site_text(w, id, node, at, name)
  name
}

node_text <- function(w, id, node, at, name) {
  arg <- function(k) value_at(w, node$args[k], at)
  switch(node$op,
    input = input_text(w, node, at),
    column = column_text(w, node, at),
    product = product_text(w, id, node, at, name),
    cut = arg(1L),
    as_double = paste0("expr_as_double(", arg(1L), ")"),
    as_logical = paste0(if (type_of(w$tree, node$args) == "double") "expr_lgl_of_double(" else "expr_lgl_of_int(", arg(1L), ")"),
    as_integer = paste0("expr_int_of_double(", arg(1L), ")"),
    neg = if (node$type == "double") paste0("-(", arg(1L), ")") else paste0("expr_neg(", arg(1L), ")"),
    plus = , bare = arg(1L),
    "+" = , "-" = , "*" = , "/" = , "^" = , "%%" = , "%/%" = arithmetic_text(w, id, node, at, name),
    "==" = , "!=" = , "<" = , ">" = , "<=" = , ">=" = comparison_text(w, node, arg(1L), arg(2L)),
    "&" = paste0("expr_and(", arg(1L), ", ", arg(2L), ")"),
    "|" = paste0("expr_or(", arg(1L), ", ", arg(2L), ")"),
    "^^" = paste0("expr_xor(", arg(1L), ", ", arg(2L), ")"),
    "!" = paste0("expr_not(", arg(1L), ")"),
    select = {
      if (asks_what_is_told(w, node)) return(arg(3L))
      if (w$hopeful && branched_text(w, id, node, at, name)) return(NULL)
      test <- arg(1L)
      missing <- if (node$type == "double") "NMATH_NA_REAL" else "NMATH_NA_INT"
      paste0(test, " == NMATH_NA_INT ? ", missing, " : ", test, " ? ", arg(2L), " : ", arg(3L))
    },
    elementary = elementary_text(w, node, at, arg(1L)),
    log = paste0("log(", arg(1L), ")"),
    log_base = log_base_text(w, node, arg),
    atan2 = paste0("atan2(", arg(1L), ", ", arg(2L), ")"),
    abs = if (node$type == "double") paste0("fabs(", arg(1L), ")") else paste0("expr_abs(", arg(1L), ")"),
    pmin = , pmax = extreme_text(w, node, arg(1L), arg(2L)),
    is.na = missing_text(w, node, arg(1L), "%s == NMATH_NA_INT", "isnan(%s) != 0"),
    is.nan = missing_text(w, node, arg(1L), "0", paste0("isnan(%s) && !(", na_text(w, node$args, at), ")")),
    is.finite = missing_text(w, node, arg(1L), "%s != NMATH_NA_INT", "isfinite(%s) != 0"),
    is.infinite = missing_text(w, node, arg(1L), "0", "isinf(%s) != 0"),
    library = library_text(w, id, node, at, arg),
    c_text = c_text_call(w, node, arg),
    draw = draw_text(w, id, node, at, name),
    stop("no text for ", node$op)
  )
}

elementary_text <- function(w, node, at, x) {
  if (!is_scalar_index(at) && is_exp_to_unit(w$tree, node)) {
    w$files <- union(w$files, "log1p_unit")
    return(paste0("exp_to_unit(", x, ")"))
  }
  sprintf(elementary[[node$value]]$c, x)
}

input_text <- function(w, node, at) {
  if (node$len == 1) {
    k <- match(node$value, unlist(w$scalars))
    if (is.na(k)) {
      w$scalars <- c(w$scalars, node$value)
      k <- length(w$scalars)
    }
    return(paste0("s", k))
  }
  full <- at$name == "e" && node$len == w$n
  k <- use_column(w, node$value, if (full) "full" else "whole")
  paste0("c", k, "[", if (full) paste0("@", k, "@") else at$name, "]") # a later use may need the column whole
}

# Of a matrix with as many rows as there are elements, each element reads its row; of another one any row may be read.
column_text <- function(w, node, at) {
  full <- at$name == "e" && node$len == w$n
  k <- use_column(w, node$value[[1L]], if (full) "matrix" else "whole")
  j <- node$value[[2L]] - 1L
  if (full) return(paste0("c", k, "[@", k, "@ + ", j, " * @rows", k, "@]")) # a later use may need the column whole
  paste0("c", k, "[", at$name, if (node$len > 1) paste0(" + (expr_index)", j, " * (expr_index)len_", length_number(w, node$len)) else paste(" +", j), "]")
}

arithmetic_text <- function(w, id, node, at, name) {
  a <- value_at(w, node$args[1L], at)
  b <- value_at(w, node$args[2L], at)
  if (node$type == "integer") {
    call <- switch(node$op, "+" = "expr_add", "-" = "expr_sub", "*" = "expr_mul", "%%" = "expr_int_mod", "%/%" = "expr_int_div")
    if (node$op %in% c("%%", "%/%")) return(paste0(call, "(", a, ", ", b, ")"))
    emit(w, at, "int over_", name, " = 0;")
    return(paste0(call, "(", a, ", ", b, ", &over_", name, ")"))
  }
  if (node$op == "^") {
    square <- node_of(w$tree, node$args[2L])
    if (square$op == "const" && identical(as.double(square$value), 2)) return(paste0(a, " * ", a))
    note_function(w, "R_pow", at)
  }
  if (node$op == "/" && w$hopeful && "double" %in% w$types && !is_scalar_index(at) && len_of(w$tree, node$args[2L]) == 1) {
    per <- paste0("per_", node$args[2L])
    if (is.null(w$known[[per]])) {
      w$known[[per]] <- TRUE
      emit(w, w$scalar, "const double ", per, " = 1.0 / ", b, ";")
    }
    quotient <- paste0("NMATH_QUOTIENT(", a, ", ", b, ", ", per, ")")
    emit(w, at, "const double ", name, " = ", if (w$as_gpu) canonical_text(node, quotient) else quotient, ";")
    emit(w, at, "odd |= isnan(", name, ") != 0;") # where it is none the quotient may be NaN
    return(NULL)
  }
  switch(node$op,
    "^" = paste0("R_pow(", a, ", ", b, ")"),
    "%%" = paste0("expr_mod(", a, ", ", b, ")"),
    "%/%" = paste0("expr_div(", a, ", ", b, ")"),
    paste(a, node$op, b)
  )
}

comparison_text <- function(w, node, a, b) {
  test <- if (type_of(w$tree, node$args[1L]) == "double") "isnan(%s)" else "%s == NMATH_NA_INT"
  paste0(unless_missing(w, node, c(a, b), test, "NMATH_NA_INT"), a, " ", node$op, " ", b)
}

# "TESTS ? OTHERWISE : " of the arguments that may be missing: no constant is asked (some compilers warn of such a question).
unless_missing <- function(w, node, texts, test, otherwise) {
  asked <- vapply(node$args, function(id) {
    argument <- node_of(w$tree, id)
    argument$op != "const" || is.na(argument$value)
  }, NA)
  if (!any(asked)) return("")
  paste0(paste(unique(vapply(texts[asked], function(x) gsub("%s", x, test, fixed = TRUE), "")), collapse = " || "), " ? ", otherwise, " : ")
}

# R has the bases 2 and 10 exactly.
log_base_text <- function(w, node, arg) {
  base <- node_of(w$tree, node$args[2L])
  if (base$op == "const" && base$value %in% 2) return(paste0("log2(", arg(1L), ")"))
  if (base$op == "const" && base$value %in% 10) return(paste0("log10(", arg(1L), ")"))
  b <- arg(2L)
  x <- arg(1L)
  paste0(b, " == 2.0 ? log2(", x, ") : ", b, " == 10.0 ? log10(", x, ") : log(", x, ") / log(", b, ")")
}

extreme_text <- function(w, node, a, b) {
  better <- if (node$op == "pmin") "<" else ">"
  real <- node$type == "double"
  test <- if (real) "isnan(%s)" else "%s == NMATH_NA_INT"
  missing <- if (node$value) {
    paste0(sub("%s", a, test, fixed = TRUE), " ? ", b, " : ", sub("%s", b, test, fixed = TRUE), " ? ", a, " : ")
  } else {
    unless_missing(w, node, c(a, b), test, if (real) paste(a, "+", b) else "NMATH_NA_INT")
  }
  paste0(missing, b, " ", better, " ", a, " ? ", b, " : ", a)
}

missing_text <- function(w, node, x, whole, real) {
  gsub("%s", x, if (type_of(w$tree, node$args) == "double") real else whole, fixed = TRUE)
}

# Functions of the library are called by a wrapper that the assembled text defines from the table.
library_text <- function(w, id, node, at, arg) {
  if (!is_scalar_index(at) && is_log1p_of_unit(w$tree, node)) {
    w$sure <- c(w$sure, id)
    return(paste0("log1p_unit(", arg(1L), ")")) # of a file that exp_to_unit() has asked for
  }
  fixed <- fixed_row(w, node, at)
  if (!is.null(fixed)) return(fixed_text(w, id, node, arg, fixed))
  note_function(w, node$value, at)
  paste0("expr_", node$value, "(", paste(vapply(seq_along(node$args), arg, ""), collapse = ", "), ")")
}

# Where the parameters are the same for all elements: the file of the library that computes what depends on them once, if
# inst/spec/fixed.tsv has one for the function and its flags. Such a file knows the ordinary range of parameters and x only; what
# lies outside is told by a flag, and the call is made again by a kernel of the "general" form. For the parameters that the column
# `standard` has, written in the expression, there is a function of x alone. A file that serves several settings of the flags gets
# the column `arguments`. What one computes is large where `memory` is not empty: "local" says that its functions take a pointer to
# that in a GPU's local memory, too.
fixed_row <- function(w, node, at) {
  if (w$general || is_scalar_index(at) || node$len == 1) return(NULL)
  if (is.null(expression_state$fixed)) {
    expression_state$fixed <- utils::read.delim(system.file("spec", "fixed.tsv", package = "nmathopencl"), colClasses = "character")
  }
  n_real <- length(split_commas(library_row(node$value)$columns))
  lens <- vapply(node$args, function(a) len_of(w$tree, a), 0)
  if (lens[1L] == 1 || any(lens[-1L] != 1)) return(NULL)
  flags <- vapply(node$args[-seq_len(n_real)], function(a) as.character(as.logical(node_of(w$tree, a)$value)), "")
  found <- expression_state$fixed$name == node$value & expression_state$fixed$flags == paste(flags, collapse = ",")
  if (any(found)) expression_state$fixed[which(found), ]
}

fixed_text <- function(w, id, node, arg, row) {
  n_real <- length(split_commas(library_row(node$value)$columns))
  w$stems <- union(w$stems, row$stem)
  w$fixed <- c(w$fixed, id)
  w$least <- max(w$least, as.integer(row$least)) # elements that repay what a GPU computes first
  parameters <- paste(vapply(2:n_real, arg, ""), collapse = ", ") # may write lines
  flags <- if (nzchar(row$arguments)) paste0(", ", row$arguments)
  if (nzchar(row$standard) && parameters == row$standard) return(paste0(row$stem, "_standard(", arg(1L), flags, ", &odd)"))
  w$memory <- c(w$memory, row$memory)
  emit(w, w$scalar, "EXPR_FORM(", row$stem, ", f", id, ", ", row$stem, "_of(", parameters, ", &odd))")
  paste0(row$stem, "_at(", arg(1L), ", f", id, flags, ", &odd)")
}

# A C expression is a function of its own, whose text the loader searches for what it calls.
c_text_call <- function(w, node, arg) {
  names <- strsplit(node$value[[2L]], ",")[[1L]]
  w$own_text <- c(
    paste0("NMATH_FN double expr_text(", paste("double", names, collapse = ", "), ")"), paste0("{ return ", node$value[[1L]], "; }")
  )
  paste0("expr_text(", paste(vapply(seq_along(node$args), arg, ""), collapse = ", "), ")")
}

draw_text <- function(w, id, node, at, name) {
  row <- library_row(node$value[[1L]])
  note_function(w, row$name, at)
  seed <- match(node$value[[2L]], w$seeds)
  if (is.na(seed)) {
    w$seeds <- c(w$seeds, node$value[[2L]])
    seed <- length(w$seeds)
  }
  args <- vapply(node$args, function(a) value_at(w, a, at), "")
  made <- paste0("made_", name)
  emit(w, at, "double ", made, ";")
  emit(
    w, at, "{ NMATH_RNG(seed_", seed, ", (nmath_u64)", at$name, "); ", made, " = ", draw_call(row, args), "; }"
  )
  if (node$type == "integer") return(paste0("expr_int_of_double(", made, ")"))
  made
}

# The table's C text for given arguments: its parameters are replaced as whole words.
draw_call <- function(row, args) substitute_words(row$call, split_commas(row$params), args)

substitute_words <- function(text, words, by) {
  for (k in seq_along(words)) text <- gsub(paste0("\\b", words[k], "\\b"), paste0("@", k, "@"), text)
  for (k in seq_along(words)) text <- gsub(paste0("@", k, "@"), by[k], text, fixed = TRUE)
  text
}
