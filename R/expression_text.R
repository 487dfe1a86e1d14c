# OpenCL C for a typed tree: one kernel for all its outputs, and the list of the kernel's arguments.
#
# Parts of length one stand before the loop over the elements, so that each is computed once per work-item; the others
# stand in it. A part that is shorter than the one it belongs to is computed at index e % length of its own.

expression_kernel <- "nmath_fused"
warning_bits <- 31L # of a word of flags

# `outputs`: nodes. `reduce`: NULL or list(op, na_rm), one reduction of every output. `wide`: elements need 64 bits. `form`:
# "", or for reductions by groups "by", where columns come in the groups' order, or "by order", where they lie as they are;
# with "general" where parameters are beyond what fixed forms know.
# Returns list(text, items, columns, scalars, lengths, outputs, words, stems, cost).
expression_text <- function(tree, outputs, reduce = NULL, wide = FALSE, form = "") {
  w <- new_writer(tree, outputs, reduce, wide)
  w$form <- form
  w$way <- trimws(sub("general", "", form))
  values <- lapply(outputs, function(id) value_at(w, id, w$root))
  finish_outputs(w, outputs, values)
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
  w$functions <- character()
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

# The C expression of a node's value where its user is at `at`; computed once for every index.
value_at <- function(w, id, at) {
  node <- node_of(w$tree, id)
  if (node$op == "const") return(c_constant(node$value))
  at <- index_for(w, at, node$len)
  key <- paste(id, at$name)
  found <- w$known[[key]]
  if (is.null(found)) {
    found <- write_node(w, id, node, at)
    w$known[[key]] <- found
  }
  found
}

c_constant <- function(value) {
  if (is.logical(value) || is.integer(value)) return(if (is.na(value)) "NMATH_NA_INT" else paste0("(", as.integer(value), ")"))
  if (is.nan(value)) return("NAN")
  if (is.na(value)) return("NMATH_NA_REAL")
  if (is.infinite(value)) return(if (value > 0) "INFINITY" else "(-INFINITY)")
  if (value == round(value) && abs(value) < 1e15 && !(value == 0 && 1 / value < 0)) return(sprintf("%s%.1f%s", if (value < 0) "(" else "", value, if (value < 0) ")" else ""))
  text <- sprintf("%.17g", value)
  if (!grepl("[.e]", text)) text <- paste0(text, ".0")
  if (value < 0 || 1 / value < 0) paste0("(", text, ")") else text
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

write_node <- function(w, id, node, at) {
  name <- paste0("v", id, if (at$name %in% c("e", "0")) "" else sub("^e", "", at$name))
  text <- node_text(w, id, node, at, name)
  if (is.null(text)) return(name) # it declared itself
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
    element = paste0("c", use_column(w, node$value[[1L]], "whole"), "[", node$value[[2L]] - 1L, "]"),
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
      test <- arg(1L)
      missing <- if (node$type == "double") "NMATH_NA_REAL" else "NMATH_NA_INT"
      paste0(test, " == NMATH_NA_INT ? ", missing, " : ", test, " ? ", arg(2L), " : ", arg(3L))
    },
    elementary = sprintf(elementary[[node$value]]$c, arg(1L)),
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

column_text <- function(w, node, at) {
  k <- use_column(w, node$value[[1L]], "matrix")
  if (!(at$name == "e" && node$len == w$n)) argument_error("a product with a matrix has to be as long as the result")
  paste0("c", k, "[AT(", k, ") + ", node$value[[2L]] - 1L, " * stride_", k, "]")
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
    w$functions <- union(w$functions, "R_pow")
  }
  switch(node$op,
    "^" = paste0("R_pow(", a, ", ", b, ")"),
    "%%" = paste0("expr_mod(", a, ", ", b, ")"),
    "%/%" = paste0("expr_div(", a, ", ", b, ")"),
    paste(a, node$op, b)
  )
}

comparison_text <- function(w, node, a, b) {
  missing <- if (type_of(w$tree, node$args[1L]) == "double") {
    paste0("isnan(", a, ") || isnan(", b, ")")
  } else {
    paste0(a, " == NMATH_NA_INT || ", b, " == NMATH_NA_INT")
  }
  paste0(missing, " ? NMATH_NA_INT : ", a, " ", node$op, " ", b)
}

# R has the bases 2 and 10 exactly.
log_base_text <- function(w, node, arg) {
  base <- node_of(w$tree, node$args[2L])
  if (base$op == "const" && base$value == 2) return(paste0("log2(", arg(1L), ")"))
  if (base$op == "const" && base$value == 10) return(paste0("log10(", arg(1L), ")"))
  b <- arg(2L)
  x <- arg(1L)
  paste0(b, " == 2.0 ? log2(", x, ") : ", b, " == 10.0 ? log10(", x, ") : log(", x, ") / log(", b, ")")
}

extreme_text <- function(w, node, a, b) {
  better <- if (node$op == "pmin") "<" else ">"
  if (node$type == "double") {
    missing <- if (node$value) paste0("isnan(", a, ") ? ", b, " : isnan(", b, ") ? ", a) else paste0("isnan(", a, ") || isnan(", b, ") ? ", a, " + ", b)
  } else if (node$value) {
    missing <- paste0(a, " == NMATH_NA_INT ? ", b, " : ", b, " == NMATH_NA_INT ? ", a)
  } else {
    missing <- paste0(a, " == NMATH_NA_INT || ", b, " == NMATH_NA_INT ? NMATH_NA_INT")
  }
  paste0(missing, " : ", b, " ", better, " ", a, " ? ", b, " : ", a)
}

missing_text <- function(w, node, x, whole, real) {
  gsub("%s", x, if (type_of(w$tree, node$args) == "double") real else whole, fixed = TRUE)
}

# Functions of the library are called by a wrapper that the assembled text defines from the table.
library_text <- function(w, id, node, at, arg) {
  stem <- fixed_stem(w, node, at)
  if (!is.null(stem)) return(fixed_text(w, id, node, arg, stem))
  w$functions <- union(w$functions, node$value)
  paste0("expr_", node$value, "(", paste(vapply(seq_along(node$args), arg, ""), collapse = ", "), ")")
}

# Where the parameters are the same for all elements: the file of the library that computes what depends on them once, if
# inst/spec/fixed.tsv has one for the function and its flags. Such a file knows the ordinary range of parameters and x only; what
# lies outside is told by a flag, and the call is made again by a kernel of the "general" form.
fixed_stem <- function(w, node, at) {
  if (grepl("general", w$form) || is_scalar_index(at) || node$len == 1) return(NULL)
  if (is.null(expression_state$fixed)) {
    expression_state$fixed <- utils::read.delim(system.file("spec", "fixed.tsv", package = "nmathopencl"), colClasses = "character")
  }
  n_real <- length(split_commas(library_row(node$value)$columns))
  lens <- vapply(node$args, function(a) len_of(w$tree, a), 0)
  if (lens[1L] == 1 || any(lens[-1L] != 1)) return(NULL)
  flags <- vapply(node$args[-seq_len(n_real)], function(a) as.character(as.logical(node_of(w$tree, a)$value)), "")
  found <- expression_state$fixed$name == node$value & expression_state$fixed$flags == paste(flags, collapse = ",")
  if (any(found)) expression_state$fixed$stem[found]
}

fixed_text <- function(w, id, node, arg, stem) {
  n_real <- length(split_commas(library_row(node$value)$columns))
  w$stems <- union(w$stems, stem)
  parameters <- vapply(2:n_real, arg, "") # may write lines
  emit(w, w$scalar, "const ", stem, " f", id, " = ", stem, "_of(", paste(parameters, collapse = ", "), ", &odd);")
  paste0(stem, "_at(", arg(1L), ", f", id, ", &odd)")
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
  w$functions <- union(w$functions, row$name)
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

# ---- missing values and warnings -------------------------------------------------------------------------------------

# C condition under which the NaN that a node of doubles has is NA: some NA went into it. Functions and arithmetic pass NaN
# on, so that of their arguments nothing else needs to be asked; the others say for themselves whether they are NaN.
na_text <- function(w, id, at) {
  node <- node_of(w$tree, id)
  at <- index_for(w, at, node$len)
  parts <- function(ids) {
    texts <- unique(vapply(ids, function(a) na_text(w, a, at), ""))
    texts <- setdiff(texts, "0")
    if (length(texts) == 0L) return("0")
    if ("1" %in% texts) return("1")
    paste(texts, collapse = " || ")
  }
  value <- function() value_at(w, id, at)
  if (node$op == "const") return(if (is.na(node$value) && !is.nan(node$value)) "1" else "0")
  if (node$type != "double") return(paste0(value(), " == NMATH_NA_INT"))
  guarded <- function(text) if (text %in% c("0", "1")) text else paste0("(isnan(", value(), ") && (", text, "))")
  switch(node$op,
    input = , column = , element = paste0("expr_is_na(", value(), ")"),
    draw = "0",
    "^" = guarded(parts(node$args)),
    pmin = , pmax = if (node$value) guarded(parts(node$args)) else parts(node$args),
    select = {
      test <- value_at(w, node$args[1L], at)
      yes <- na_text(w, node$args[2L], at)
      no <- na_text(w, node$args[3L], at)
      if (yes == "0" && no == "0") paste0(test, " == NMATH_NA_INT") else
        paste0("(", test, " == NMATH_NA_INT || (", test, " ? (", guard_at(w, node$args[2L], at, yes), ") : (", guard_at(w, node$args[3L], at, no), ")))")
    },
    parts(node$args)
  )
}

guard_at <- function(w, id, at, text) {
  if (text %in% c("0", "1") || type_of(w$tree, id) != "double") return(text)
  paste0("isnan(", value_at(w, id, at), ") && (", text, ")")
}

# What notes that a node made a missing value of what was none.
site_text <- function(w, id, node, at, name) {
  for (site in w$tree$sites) {
    if (site$node != id) next
    mark <- mark_text(w, site)
    if (site$rule == "overflow") {
      emit(w, at, "if (over_", name, ") ", mark)
      next
    }
    args <- Filter(function(a) node_of(w$tree, a)$op != "const" && type_of(w$tree, a) == "double", node$args)
    clean <- vapply(args, function(a) paste0("!isnan(", value_at(w, a, at), ")"), "")
    made <- if (node$type == "double") paste0("isnan(", name, ")") else paste0(name, " == NMATH_NA_INT")
    if (site$rule == "draw") clean <- character()
    odd <- seen_rules[[site$rule]]
    if (!is.null(odd)) {
      args <- vapply(node$args, function(a) value_at(w, a, at), "")
      odd <- substitute_words(odd, c("RESULT", "FIRST", "SECOND"), c(name, args[1:2]))
      emit(w, at, "if (", odd, " || (", paste(c(made, clean), collapse = " && "), ")) ", mark)
      next
    }
    emit(w, at, "if (", paste(c(made, clean), collapse = " && "), ") ", mark)
  }
}

mark_text <- function(w, site) {
  bit <- length(w$sites)
  w$sites[[bit + 1L]] <- site
  paste0("w", bit %/% warning_bits, " |= 1 << ", bit %% warning_bits, ";")
}

# Which ways a test of ifelse() goes.
test_text <- function(w, id, at, name) {
  emit(w, at, "if (", name, " == 1) ", mark_text(w, list(node = id, rule = "test", way = TRUE)))
  emit(w, at, "if (", name, " == 0) ", mark_text(w, list(node = id, rule = "test", way = FALSE)))
}

# Where a function may have more to warn of than NaN: the text is R's to find, by the function's own rule
# (rules/missing_values.cpp), once the kernel has seen that there may be one.
seen_rules <- local({
  odd <- "FIRST != rint(FIRST)"
  edge <- "RESULT == 0.0 || isinf(RESULT)"
  list(
    dbinom = odd, dpois = odd, dgeom = odd, dhyper = odd, dnbinom = odd, dnbinom_mu = odd, choose = "SECOND != rint(SECOND)",
    pbinom = "SECOND != rint(SECOND)", gammafn = "FIRST < -10.0 || (FIRST < 1.0 && isinf(RESULT)) || isinf(RESULT)",
    psigamma = "SECOND > 100.0", bessel_i = edge, bessel_j = edge, bessel_k = "0", bessel_y = edge, qtukey = "0"
  )
})

# ---- outputs ---------------------------------------------------------------------------------------------------------

finish_outputs <- function(w, outputs, values) {
  w$results <- values
  for (k in seq_along(outputs)) {
    if (w$types[k] != "double") next
    na <- na_text(w, outputs[[k]], w$root)
    name <- paste0("r", k)
    w$results[[k]] <- name
    w$loop_lines <- c(w$loop_lines, paste0("double ", name, " = ", values[[k]], ";"))
    if (!is.null(w$reduce)) {
      w$loop_lines <- c(w$loop_lines, paste0("const int na_", k, " = isnan(", name, ") ? ((", na, ") ? 2 : 1) : 0;"))
    } else {
      w$loop_lines <- c(w$loop_lines, paste0("if (isnan(", name, ")) ", name, " = (", na, ") ? NMATH_NA_REAL : NAN;"))
    }
  }
}

# The kernel's arguments in order, and what the engine has to give for each: list(kind, number).
kernel_items <- function(w) {
  items <- list()
  lines <- character()
  add <- function(declaration, kind, number = 0L) {
    lines <<- c(lines, declaration)
    items[[length(items) + 1L]] <<- list(kind = kind, number = as.integer(number))
  }
  input_type <- function(k) c_type(w$tree$inputs[[w$columns[[k]]$input]]$type)
  for (k in seq_along(w$columns)) add(paste0("__global const ", input_type(k), "* c", k), "column", k)
  parts <- output_parts(w)
  for (k in seq_along(parts)) add(paste0("__global ", c_output_types[[parts[[k]]$type]], "* o", k), "output", k)
  if (is.null(w$reduce)) add("const nmath_i64 shift", "out_offset")
  if (length(w$sites) > 0L) add("__global int* flags", "flags")
  add("const nmath_i64 first", "first")
  add("const int len", "len")
  if (!is.null(w$reduce) && w$way == "") add("const int block", "block")
  if (w$way == "by order") add("__global const int* order", "order")
  if (w$way != "") add("__global const nmath_i64* starts", "starts")
  for (k in seq_along(w$scalars)) {
    add(paste0("const ", c_type(w$tree$inputs[[w$scalars[[k]]]]$type), " s", k), "scalar", k)
  }
  for (k in seq_along(w$lengths)) add(paste0("const nmath_i64 len_", k), "length", k)
  for (k in seq_along(w$columns)) if (w$columns[[k]]$role != "whole") add(paste0("const nmath_i64 off_", k), "offset", k)
  for (k in seq_along(w$columns)) if (w$columns[[k]]$role == "matrix") add(paste0("const nmath_i64 stride_", k), "stride", k)
  for (k in seq_along(w$seeds)) add(paste0("const nmath_u64 seed_", k), "seed", k)
  list(items = items, lines = lines)
}

c_output_types <- list(double = "double", integer = "int", logical = "int", long = "nmath_i64")

# What the kernel writes: an elementwise one its outputs, a reduction what it keeps of each.
output_parts <- function(w) {
  if (is.null(w$reduce)) return(lapply(w$types, function(type) list(type = type)))
  unlist(lapply(w$types, function(type) lapply(reduction(w$reduce$op, type)$parts, function(part) list(type = part))), FALSE)
}

# How a reduction of values of a type goes: the accumulator, what it starts with, how a value is taken in, how two are
# joined, and the types of the parts that leave a block.
reduction <- function(op, type) {
  whole <- type != "double"
  switch(op,
    sum = , mean = if (whole) {
      list(state = "nmath_i64", start = "0", add = "%s + %s", join = "%s + %s", value = "%s", parts = "long")
    } else {
      list(state = "expr_sum", start = "{0.0, 0.0}", add = "expr_sum_add(%s, %s)", join = NULL, value = "expr_sum_value(%s)",
           parts = "double")
    },
    prod = list(state = "double", start = "1.0", add = "%s * %s", join = "%s * %s", value = "%s", parts = "double"),
    min = list(state = "double", start = "INFINITY", add = "expr_least(%s, %s)", join = "expr_least(%s, %s)", value = "%s",
               parts = "double"),
    max = list(state = "double", start = "(-INFINITY)", add = "expr_largest(%s, %s)", join = "expr_largest(%s, %s)",
               value = "%s", parts = "double"),
    any = , all = list(state = "int", start = "0", add = paste0("%s | ", if (op == "any") "(%s != 0)" else "(%s == 0)"),
                       join = "%s | %s", value = "%s", parts = "integer"),
    logsumexp = list(state = "expr_lse", start = "{-INFINITY, 0.0}", add = "expr_lse_add(%s, %s)",
                     join = "expr_lse_join(%s, %s)", value = "%s", parts = c("double", "double"))
  )
}

# `@depends_nmath` names the files that the functions are in; the library's loader finds what those need.
assemble_text <- function(w) {
  odd <- if (length(w$stems) > 0L) mark_text(w, list(node = 0L, rule = "odd"))
  odd_bit <- if (length(w$stems) > 0L) length(w$sites)
  for (k in seq_along(w$columns)) {
    w$loop_lines <- gsub(paste0("@", k, "@"), if (w$columns[[k]]$role == "full") paste0("AT(", k, ")") else "e", w$loop_lines, fixed = TRUE)
  }
  arguments <- kernel_items(w)
  words <- (length(w$sites) + warning_bits - 1L) %/% warning_bits
  rows <- lapply(setdiff(w$functions, "R_pow"), library_row)
  stems <- unique(c(vapply(rows, function(row) row$stem, ""), w$stems, if ("R_pow" %in% w$functions) "nmath"))
  stems <- setdiff(stems, "none")
  if (length(stems) == 0L) stems <- "nmath"
  costs <- c("cheap", "moderate", "heavy", "slow")
  cost <- max(1L, match(vapply(rows, function(row) row$cost, ""), costs))
  uses_index <- any(grepl("\\be\\b|\\be_", c(w$loop_lines)))
  text <- c(
    "// Written by opencl_function().",
    "// @library_deps: nmath",
    if (is.null(w$own_text)) paste("// @depends_nmath:", paste(stems, collapse = ", ")), # else the loader looks itself
    arithmetic_library(),
    paste("typedef", if (w$wide) "nmath_i64" else "nmath_u32", "expr_index;"),
    if (w$way == "by") "#define AT(k) (off_##k + p)" else "#define AT(k) (off_##k + i)",
    span_lines,
    unlist(lapply(rows, wrapper_text)),
    w$own_text,
    "",
    paste0("__kernel void ", expression_kernel, "("),
    paste0("    ", arguments$lines, c(rep(",", length(arguments$lines) - 1L), ")")),
    "{",
    if (words > 0L) paste0("    int ", paste0("w", seq_len(words) - 1L, " = 0", collapse = ", "), ";"),
    if (!is.null(odd)) "    int odd = 0;",
    paste0("    ", w$scalar_lines),
    if (is.null(w$reduce)) elementwise_loop(w, uses_index) else reduction_loop(w, uses_index),
    if (!is.null(odd)) paste0("    if (odd) ", odd),
    if (words > 0L) paste0("    if (w", seq_len(words) - 1L, ") atomic_or(flags + ", seq_len(words) - 1L, ", w", seq_len(words) - 1L, ");"),
    "}"
  )
  list(
    text = paste0(paste(text[nzchar(trimws(text)) | text == ""], collapse = "\n"), "\n"), items = arguments$items,
    columns = w$columns, scalars = unlist(w$scalars),
    scalar_types = vapply(unlist(w$scalars), function(k) w$tree$inputs[[k]]$type, ""), lengths = w$lengths, seeds = w$seeds,
    outputs = vapply(output_parts(w), function(part) part$type, ""), words = words, sites = w$sites, stems = stems,
    cost = costs[cost], n = w$n, uses_index = uses_index, odd_bit = odd_bit, types = w$types, reduce = w$reduce
  )
}

arithmetic_library <- function() {
  if (is.null(expression_state$arithmetic)) {
    file <- system.file("cl", "expression", "arithmetic.cl", package = "nmathopencl")
    expression_state$arithmetic <- readLines(file)
  }
  expression_state$arithmetic
}

# A function of the library under the name that the tree calls it by, from its row of the table.
wrapper_text <- function(row) {
  if (row$flags %in% c("draws", "counts", "cells")) return(NULL)
  params <- split_commas(row$params)
  n_real <- length(split_commas(row$columns))
  flags <- c(log = "give_log", log.p = "log_p", lower.tail = "lower_tail")[split_commas(row$flags)]
  declared <- c(paste("double", params[seq_len(n_real)]), if (length(flags)) paste("int", flags))
  call <- strsplit(row$call, "; *")[[1L]]
  body <- paste0(paste0(call[-length(call)], ";", recycle0 = TRUE, collapse = " "), " return ", call[length(call)], ";")
  c(
    paste0("NMATH_FN double expr_", row$name, "(", paste(declared, collapse = ", "), ")"),
    paste0("{ ", body, " }")
  )
}

# Where work-items are few and wide, each has elements that lie side by side; else neighbours have neighbours.
span_lines <- c(
  "#ifdef NMATH_SPANS",
  "#define EXPR_SPAN const int span = (len - 1) / (int)get_global_size(0) + 1, from = (int)get_global_id(0) * span;",
  "#define EXPR_EACH(i) for (int i = from; i < len && i - from < span; ++i)",
  "#else",
  "#define EXPR_SPAN",
  "#define EXPR_EACH(i) for (int i = get_global_id(0); i < len; i += get_global_size(0))",
  "#endif"
)

elementwise_loop <- function(w, uses_index) {
  c(
    "    EXPR_SPAN",
    "    EXPR_EACH(i) {",
    if (uses_index) "        const expr_index e = (expr_index)(first + i);",
    paste0("        ", w$loop_lines),
    paste0("        o", seq_along(w$results), "[i + shift] = ", w$results, ";"),
    "    }"
  )
}

reduction_loop <- function(w, uses_index) {
  ways <- lapply(w$types, function(type) reduction(w$reduce$op, type))
  before <- inside <- after <- character()
  part <- 0L
  counts <- w$reduce$op == "mean" && w$reduce$na_rm
  for (k in seq_along(ways)) {
    way <- ways[[k]]
    value <- w$results[[k]]
    missing <- if (w$types[k] == "double") paste0("na_", k) else paste0("(", value, " == NMATH_NA_INT ? 2 : 0)")
    before <- c(before, paste0(way$state, " a", k, " = ", way$start, ";"), paste0("int m", k, " = 0;"))
    add <- paste0("a", k, " = ", sprintf(way$add, paste0("a", k), value), ";")
    inside <- c(inside, if (w$reduce$na_rm) {
      paste0("if (!", missing, ") ", add)
    } else {
      paste0("{ const int m = ", missing, "; m", k, " |= m; if (m != 2) ", add, " }")
    })
    after <- c(after, joined_text(way, k, part, w$reduce))
    part <- part + length(way$parts)
  }
  c(
    "    __local double part[256];",
    if (any(vapply(ways, function(way) length(way$parts) > 1L, NA))) "    __local double part2[256];",
    paste0("    __local int missing[", length(ways), "];"),
    "    const int item = get_local_id(0), items = get_local_size(0), group = get_group_id(0);",
    if (w$way == "") "    const int begin = group * block, end = begin + block < len ? begin + block : len;",
    paste0("    ", before),
    switch(w$way,
      "    for (int i = begin + item; i < end; i += items) {",
      by = "    for (nmath_i64 p = starts[first + group] + item; p < starts[first + group + 1]; p += items) {",
      "by order" = c(
        "    for (nmath_i64 p = starts[first + group] + item; p < starts[first + group + 1]; p += items) {",
        "        const nmath_i64 i = order[p];"
      )
    ),
    if (uses_index) {
      switch(w$way,
        "        const expr_index e = (expr_index)(first * block + i);",
        by = "        const expr_index e = 0; // (another form of this kernel runs where it is used)",
        "by order" = "        const expr_index e = (expr_index)i;"
      )
    },
    paste0("        ", w$loop_lines),
    paste0("        ", inside),
    "    }",
    paste0("    for (int k = item; k < ", length(ways), "; k += items) missing[k] = 0;"),
    "    barrier(CLK_LOCAL_MEM_FENCE);",
    paste0("    ", after)
  )
}

# Joins what the work-items of a group have, in a tree, and writes the block's parts.
joined_text <- function(way, k, part, reduce) {
  a <- paste0("a", k)
  o <- function(j) paste0("o", part + j, "[group]")
  integer <- way$state %in% c("int", "nmath_i64")
  lse <- way$state == "expr_lse"
  mine <- if (way$state == "expr_sum") paste0("expr_sum_value(", a, ")") else if (lse) paste0(a, ".m") else a
  memory <- if (integer) paste0("((__local ", way$state, "*)part)") else "part"
  join <- if (lse) {
    "expr_lse x = {part[item], part2[item]}, y = {part[item + h], part2[item + h]}; x = expr_lse_join(x, y); part[item] = x.m; part2[item] = x.s;"
  } else {
    other <- way$join %||% "%s + %s"
    paste0(memory, "[item] = ", sprintf(other, paste0(memory, "[item]"), paste0(memory, "[item + h]")), ";")
  }
  missing <- switch(way$parts[1L], double = "NMATH_NA_REAL", long = "(-9223372036854775807L - 1L)", integer = NULL)
  c(
    paste0("if (m", k, ") atomic_or(&missing[", k - 1L, "], m", k, ");"),
    paste0(memory, "[item] = ", mine, ";"),
    if (lse) paste0("part2[item] = ", a, ".s;"),
    "barrier(CLK_LOCAL_MEM_FENCE);",
    paste0("for (int h = items / 2; h > 0; h /= 2) { if (item < h) { ", join, " } barrier(CLK_LOCAL_MEM_FENCE); }"),
    paste0(
      "if (item == 0) ", o(1L), " = ",
      if (is.null(missing)) paste0(memory, "[0] | (missing[", k - 1L, "] ? 2 : 0)") else
        paste0("missing[", k - 1L, "] & 2 ? ", missing, " : ", memory, "[0]"), ";"
    ),
    if (lse) paste0("if (item == 0) ", o(2L), " = part2[0];"),
    "barrier(CLK_LOCAL_MEM_FENCE);"
  )
}
