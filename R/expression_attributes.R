# Attributes of an expression's value, by R's rules for each operation, from those of its arguments.

node_attributes <- function(tree, root, inputs) {
  found <- tryCatch(all_attributes(tree, root, inputs)[[root]], nmathopencl_error = identity)
  if (!inherits(found, "nmathopencl_error")) return(found)
  misfits <- list()
  known <- all_attributes(tree, root, inputs, function(id, misfit) misfits[[id]] <<- misfit)
  check_evaluated(tree, root, inputs, misfits)
  known[[root]]
}

# By node, of all that `root` is made of. `misfit`: what is done with the error of a node whose arguments do not fit each other.
all_attributes <- function(tree, root, inputs, misfit = NULL) {
  known <- list()
  done <- logical(length(tree$nodes))
  compute <- function(id, misfit) {
    node <- node_of(tree, id)
    attributes <- function() attributes_of(tree, node, inputs, function(k) known[[node$args[k]]], attributes_at)
    known[id] <<- list(if (is.null(misfit)) attributes() else tryCatch(attributes(), nmathopencl_error = function(e) {
      misfit(id, e)
      NULL
    }))
    done[id] <<- TRUE
  }
  under <- function(id) nodes_under(tree, id, function(node) node$args)
  # From the first node to the last, as each matrix of a loop that assigns elements may have its names from the one before.
  with_sources <- function(id) nodes_under(tree, id, function(node) Filter(function(k) k < id && !done[k], c(node$args, sources_of_names(node))))
  attributes_at <- function(id) { # what R computes there, and the program in parts
    if (id > length(tree$nodes)) return(NULL)
    if (!done[id]) for (k in with_sources(id)) if (!done[k]) compute(k, function(id, e) NULL)
    known[[id]]
  }
  for (id in under(root)) compute(id, misfit)
  known
}

# Arrays that do not fit each other are an error where R computes with them: in a branch of ifelse() where some element takes it.
check_evaluated <- function(tree, root, inputs, misfits) {
  whole <- !any(vapply(inputs, function(x) is.list(attr(x, "shape", exact = TRUE)), NA)) # else nothing is known of values
  evaluated <- logical(length(tree$nodes))
  evaluated[root] <- TRUE
  for (id in rev(seq_len(root))) {
    if (!evaluated[id]) next
    node <- node_of(tree, id)
    misfit <- if (id <= length(misfits)) misfits[[id]]
    if (!is.null(misfit)) stop(misfit)
    if (node$op != "select") {
      evaluated[node$args] <- TRUE
      next
    }
    evaluated[node$args[1L]] <- TRUE
    if (!whole || length(misfits) == 0L) next
    test <- node_value(tree, node$args[1L], inputs)
    for (k in 2:3) if (any(test == (k == 2L), na.rm = TRUE)) evaluated[node$args[k]] <- TRUE
  }
}

# What never has attributes: see attributes_of().
bare_ops <- c("recursion", "recursion_part", "reduce", "count", "spread", "segments", "crossprod", "part_sums", "position", "row_reduce", "each", "fill")

# Those of the operands of one element that are matrices which the body makes, crossprod(x): found once for a program.
singles_made <- function(tree) {
  if (is.null(tree$made_singles)) tree$made_singles <- Filter(function(single) makes_matrix(tree, node_of(tree, single$node)$args[single$one]), tree$singles)
  tree$made_singles
}
makes_matrix <- function(tree, id) {
  keeps <- function(node) !node$op %in% c(bare_ops, "slice", "gather", "concat") && (node$op != "bare" || node$value == "unname")
  made <- function(id) node_of(tree, id)$op == "bare" && startsWith(node_of(tree, id)$value, "matrix ")
  any(vapply(nodes_under(tree, id, function(node) if (keeps(node)) node$args), made, NA))
}
# Of a call with these inputs: without a matrix among them only those can be.
singles_of_call <- function(tree, inputs) {
  if (length(tree$singles) > 0L && all(vapply(inputs, function(x) is.null(dim(x)), NA))) singles_made(tree) else tree$singles
}

# Whether a matrix is on the way to such an operand: other calls of the same program then warn or do not, by its dimensions.
singles_have_matrices <- function(tree) {
  if (length(tree$singles) > 0L && length(singles_made(tree)) > 0L) return(TRUE)
  for (single in tree$singles) {
    for (id in nodes_under(tree, node_of(tree, single$node)$args[single$one], function(node) if (!node$op %in% bare_ops) node$args)) {
      node <- node_of(tree, id)
      if (node$op %in% c("column", "product") || (node$op == "input" && node$value <= length(tree$inputs) && !is.null(tree$inputs[[node$value]]$dim))) return(TRUE)
    }
  }
  FALSE
}

# The same of calls with inputs that have these attributes and lengths: whether R warns of one of them.
singles_are_matrices <- function(tree, inputs) {
  singles <- singles_of_call(tree, inputs)
  if (length(singles) == 0L) return(FALSE)
  shapes <- lapply(inputs, input_shape)
  for (single in singles) {
    operand <- node_of(tree, single$node)$args[single$one]
    if (!is_of_rounds(tree, operand, inputs) && !is.null(node_attributes(tree, operand, shapes)$dim)) return(TRUE)
  }
  FALSE
}

# Whether a node is made of what differs from round to round: R has no value of it.
is_of_rounds <- function(tree, id, inputs) {
  there <- !vapply(inputs, is.null, NA)
  any(vapply(tree$nodes[order_under(tree, id, there)], function(node) {
    node$op == "input" && length(node$args) == 0L && (node$value > length(inputs) || !there[node$value])
  }, NA))
}

warn_of_singles <- function(tree, inputs) {
  for (single in singles_of_call(tree, inputs)) {
    operand <- node_of(tree, single$node)$args[single$one]
    if (is_of_rounds(tree, operand, inputs)) next
    if (is.null(node_attributes(tree, operand, lapply(inputs, input_shape))$dim)) next
    tests <- unique(vapply(single$guards, function(guard) guard$test, 0L))
    known <- if (length(tests) > 0L) node_values_under(tree, tests, lapply(inputs, in_r))
    if (!guards_of_values(known, single$guards)) next
    reported <- with_messages(if (single$one == 1L) array(1, 1L) + 1:2 else 1:2 + array(1, 1L))
    for (text in reported) warning(simpleWarning(text, single$call))
  }
}

# The texts of warnings; where this R makes an error of it, the error.
with_messages <- function(code) {
  texts <- character()
  withCallingHandlers(force(code), warning = function(w) {
    texts <<- c(texts, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  texts
}

# `of(k)`: those of the node's argument number k; `at(id)`: those of a node, NULL where it is none that the value is made of.
attributes_of <- function(tree, node, inputs, of, at) {
  len <- function(k) len_of(tree, node$args[k])
  shape <- function(attributes) attributes[intersect(names(attributes), c("names", "dim", "dimnames"))]
  switch(node$op,
    input = if (node$value <= length(inputs)) input_attributes(inputs[[node$value]]) else of(1L),
    concat = names_of_parts(lapply(seq_along(node$args), function(k) list(names = of(k)$names, len = len(k))), node$value),
    recursion = , recursion_part = , reduce = , count = , spread = , segments = , crossprod = , part_sums = , position = , row_reduce = , each = , fill = NULL,
    materialize = of(1L), cumsum = of(1L)["names"[!is.null(of(1L)$names)]],
    slice = part_names(of(1L), function(n) slice_places(node$value, n, node$len)),
    gather = if (!is_of_rounds(tree, node$args[2L], inputs)) part_names(of(1L), function(n) value_for_names(tree, node$args[2L], inputs)),
    column = , product = {
      matrix <- input_attributes(inputs[[node$value[[1L]]]]) # of this call: the tree may be another's
      rows <- matrix$dimnames[[1L]]
      if (isTRUE(node$value$vector)) {
        if (matrix$dim[1L] == 1L) { # of one element: the name that it has by one side alone
          both <- c(rows, matrix$dimnames[[2L]][node$value[[2L]]])
          rows <- if (length(both) == 1L) both
        }
        return(if (!is.null(rows)) list(names = rows))
      }
      c(list(dim = c(as.integer(matrix$dim[1L]), 1L)), if (!is.null(rows)) list(dimnames = list(rows, NULL)))
    },
    const = , draw = NULL,
    bare = bare_attributes(node$value, of, at, function(id) value_for_names(tree, id, inputs), node$len),
    "+" = , "-" = , "*" = , "/" = , "^" = , "%%" = , "%/%" = joined_attributes(node, of, len, 1),
    "==" = , "!=" = , "<" = , ">" = , "<=" = , ">=" = , "&" = , "|" = , "^^" = shape(joined_attributes(node, of, len)),
    select = of(1L),
    pmin = , pmax = {
      mine <- of(1L) # a shorter one gives no shape, but all else
      if (len(1L) == node$len) mine else mine[setdiff(names(mine), c("names", "dim", "dimnames"))]
    },
    "!" = { # of what is logical already R changes the values only
      arg <- node_of(tree, node$args[1L])
      if (arg$type == "logical" && arg$op != "as_logical") of(1L) else shape(of(1L))
    },
    neg = , plus = if (node_of(tree, node$args[1L])$type == "logical") shape(of(1L)) else of(1L),
    is.na = , is.nan = , is.finite = , is.infinite = shape(of(1L)),
    library = , log_base = , atan2 = {
      long <- Filter(function(k) len(k) == node$len, seq_along(node$args))
      if (length(long) > 0L) of(long[1L])
    },
    of(1L)
  )
}

# Places that choose names. Those of another call may be others, which `named_by_values` tells.
value_for_names <- function(tree, id, inputs) {
  read <- unique(unlist(lapply(nodes_under(tree, id, function(node) node$args), function(k) {
    node <- node_of(tree, k)
    switch(node$op, input = , column = node$value[[1L]], product = unlist(node$value[1:2]))
  })))
  if (length(read) > 0L) expression_state$named_by_values <- TRUE
  for (k in intersect(read, seq_along(inputs))) inputs[k] <- list(in_r(attr(inputs[[k]], "of", exact = TRUE) %||% inputs[[k]]))
  node_value(tree, id, inputs)
}

# The names that c() gives. `called`: the names of its arguments, joined by commas.
names_of_parts <- function(parts, called) {
  vectors <- lapply(parts, function(part) stats::setNames(seq_len(part$len), part$names))
  if (nzchar(called)) names(vectors) <- strsplit(paste0(called, ","), ",", fixed = TRUE)[[1L]][seq_along(parts)]
  joined <- names(do.call(c, vectors))
  if (!is.null(joined)) list(names = joined)
}

# Parts of a vector keep their names; an element of a matrix has one where rows or columns have, but not both.
part_names <- function(attributes, places) {
  if (length(attributes$dim) == 2L) {
    sides <- attributes$dimnames
    named <- which(!vapply(sides, is.null, NA))
    if (length(named) != 1L) return(NULL)
    rows <- attributes$dim[1L]
    place <- places(prod(attributes$dim)) - 1
    return(list(names = sides[[named]][if (named == 1L) place %% rows + 1 else place %/% rows + 1]))
  }
  if (is.null(attributes$names)) return(NULL)
  list(names = attributes$names[places(length(attributes$names))])
}

# Those that as.vector(), c(), drop() and unname() leave.
bare_attributes <- function(name, of, at, values, len) {
  if (startsWith(name, "matrix ")) return(matrix_attributes(strsplit(name, " ", fixed = TRUE)[[1L]][-1L], of, at, values))
  if (startsWith(name, "names_of ")) {
    words <- strsplit(name, " names=", fixed = TRUE)[[1L]][-1L]
    names <- Filter(Negate(is.null), lapply(words, said_names, at, values))
    return(if (length(names) == 1L && length(names[[1L]]) == len) list(names = names[[1L]]))
  }
  if (startsWith(name, "each ")) {
    own <- at(as.integer(substring(name, 6L)))$names
    names <- names_of_each(if (is.null(of(2L)$dim)) of(2L)$names, if (!is.null(own)) rep_len(own, len))
    return(if (!is.null(names)) list(names = names))
  }
  if (startsWith(name, "first ")) return(first_names(lapply(1L + seq_len(as.integer(substring(name, 7L))), of)))
  switch(name,
    names = { # vapply()
      kept <- of(2L)
      if (is.null(kept$dim)) kept["names"[!is.null(kept$names)]]
    },
    each = { # sapply(): those of the vector and of what its function gives
      names <- names_of_each(if (is.null(of(2L)$dim)) of(2L)$names, of(1L)$names)
      if (!is.null(names)) list(names = names)
    },
    unlisted = {
      given <- of(1L)
      if (is.null(given$dim)) return(given["names"[!is.null(given$names)]])
      columns <- lapply(seq_len(given$dim[2L]), function(k) stats::setNames(seq_len(given$dim[1L]), given$dimnames[[1L]]))
      names <- names(unlist(stats::setNames(columns, given$dimnames[[2L]])))
      if (!is.null(names)) list(names = names)
    },
    filled = {
      names <- if (is.null(of(2L)$dim)) of(2L)$names
      if (!is.null(names)) list(names = rep_len(names, len))
    },
    rows = , columns = {
      names <- of(2L)$dimnames[[if (name == "rows") 1L else 2L]]
      if (!is.null(names)) list(names = names)
    },
    c = {
      kept <- of(1L)
      if (is.null(kept$dim)) kept["names"[!is.null(kept$names)]]
    },
    drop = attributes_after_drop(of(1L)),
    unname = {
      kept <- of(1L)
      kept$names <- kept$dimnames <- NULL
      kept
    }
  )
}

# What sapply() calls its numbers: by the names of its vector's elements and those that its function gives.
names_of_each <- function(of_vector, own) {
  if (is.null(of_vector) || is.null(own)) return(c(of_vector, own))
  ifelse(nzchar(own), ifelse(nzchar(of_vector), paste(of_vector, own, sep = "."), own), of_vector)
}

# After a loop: the names of the first vector that has some.
first_names <- function(all) {
  for (one in all) if (is.null(one$dim) && !is.null(one$names)) return(one["names"])
  NULL
}

# Of a matrix that is made: rows, columns, and of which matrices it has the names of either, the first that has some. "columns=12.1": see
# said_names(); "bound=12.2.a": what cbind() calls the columns that node 12 is.
matrix_attributes <- function(words, of, at, values) {
  names <- list(NULL, NULL)
  bound <- startsWith(words, "bound=")
  if (any(bound)) names[2L] <- list(names_of_bound(substring(words[bound], 7L), at))
  for (k in seq_along(words)[-(1:2)]) {
    side <- if (startsWith(words[k], "rows")) 1L else 2L
    if (bound[k] || !is.null(names[[side]])) next
    from <- strsplit(words[k], "=", fixed = TRUE)[[1L]]
    given <- if (length(from) == 1L) of(k - 1L)
    found <- if (length(from) == 1L) (if (is.null(given$dim)) given$names else given$dimnames[[side]]) else said_names(from[2L], at, values)
    if (length(found) == as.integer(words[side])) names[side] <- list(found)
  }
  c(list(dim = as.integer(words[1:2])), if (!all(vapply(names, is.null, NA))) list(dimnames = names))
}

# "12.1": the names of the rows of node 12, "12.1.3.4": those of the third and the fourth, "12.1.@20": of those that node 20 says
# (names_word() in C++).
said_names <- function(word, at, values) {
  from <- strsplit(word, ".", fixed = TRUE)[[1L]]
  names <- names_of_side(at(as.integer(from[1L])), as.integer(from[2L]))
  if (is.null(names) || length(from) == 2L) return(names)
  names[if (startsWith(from[3L], "@")) values(as.integer(substring(from[3L], 2L))) else as.numeric(from[-(1:2)])]
}

# Of the columns of cbind(): a matrix has its own names, a vector that of its argument.
names_of_bound <- function(words, at) {
  names <- unlist(lapply(strsplit(words, ".", fixed = TRUE), function(from) {
    given <- at(as.integer(from[1L]))
    if (!is.null(given$dim)) return(given$dimnames[[2L]] %||% rep("", given$dim[2L]))
    if (length(from) < 3L) "" else `Encoding<-`(utils::URLdecode(from[3L]), "UTF-8")
  }))
  if (any(nzchar(names))) names
}

# Names of a matrix's side 1 or 2; a vector is a column, and of what has sides 0 asks for none.
# The nodes that the words of a node name.
sources_of_names <- function(node) {
  if (node$op != "bare" || !grepl("=", node$value, fixed = TRUE)) return(integer())
  words <- strsplit(node$value, " ", fixed = TRUE)[[1L]]
  as.integer(sub("^[^=]*=([0-9]+)[.].*$", "\\1", grep("=[0-9]+[.]", words, value = TRUE)))
}

names_of_side <- function(attributes, side) {
  if (is.null(attributes$dim)) return(if (side < 2L) attributes$names)
  if (side > 0L) attributes$dimnames[[side]]
}

# Of an array whose sides of one element are dropped; a vector has the names of the side that is left, or, of one element, of the only
# side that has names.
attributes_after_drop <- function(attributes) {
  sides <- attributes$dim
  remaining <- sides != 1L
  if (is.null(sides) || all(remaining)) return(attributes)
  names <- attributes$dimnames
  attributes$dim <- attributes$dimnames <- NULL
  if (sum(remaining) > 1L) {
    attributes$dim <- sides[remaining]
    if (!all(vapply(names[remaining], is.null, NA))) attributes$dimnames <- names[remaining]
    return(attributes)
  }
  with_names <- if (any(remaining)) remaining else !vapply(names, is.null, NA)
  if (!is.null(names) && sum(with_names) == 1L) attributes$names <- names[[which(with_names)]]
  attributes
}

input_attributes <- function(x) {
  shape <- attr(x, "shape", exact = TRUE)
  if (is.list(shape)) Filter(Negate(is.null), shape) else attributes(x)
}

# Those of the operands that are as long as the result, the first one's before the second's; an array gives its shape.
# `least`: arrays of no more elements are as good as vectors, to arithmetic those of one.
joined_attributes <- function(node, of, len, least = 0) {
  a <- of(1L)
  b <- of(2L)
  if (!is.null(a$dim) && !is.null(b$dim) && !identical(a$dim, b$dim)) argument_error("non-conformable arrays")
  longer <- function(array, k, other) {
    if (is.null(array$dim) || len(k) <= least || len(k) >= len(other)) return(invisible())
    argument_error("dims [product ", prod(array$dim), "] do not match the length of object [", format(len(other)), "]")
  }
  longer(a, 1L, 2L)
  longer(b, 2L, 1L)
  array <- !is.null(a$dim) || !is.null(b$dim) # one of one element, too, which leaves the result no names
  if (len(1L) != node$len) a <- NULL
  if (len(2L) != node$len) b <- NULL
  if (array) a$names <- b$names <- NULL
  c(a, b[setdiff(names(b), names(a))])
}

# An error where arrays do not fit; of those that are not reduced the result's attributes tell. Matrices have programs of their own, which
# were checked when they were made.
check_arrays <- function(variant, inputs) {
  if (all(lengths(lapply(inputs, dim)) %in% c(0L, 2L))) return(invisible())
  node_attributes(variant$tree, variant$root, lapply(inputs, input_shape))
}
