# The kernel around an expression: its arguments, its loop over elements or over the blocks of a reduction, what it writes.

finish_outputs <- function(w, outputs, values) {
  w$results <- values
  w$value_missing <- if (w$types[1L] == "double") "na_1" else paste0("(", values[[1L]], " == NMATH_NA_INT ? 2 : 0)")
  for (id in nodes_below(w, outputs[w$types == "double"])) if (type_of(w$tree, id) == "double") na_text(w, id, w$root)
  for (k in seq_along(outputs)) {
    if (w$types[k] != "double") next
    name <- paste0("r", k)
    w$results[[k]] <- name
    if (w$hopeful) {
      w$loop_lines <- c(w$loop_lines, paste0("const double ", name, " = ", values[[k]], ";"))
      next
    }
    na <- na_text(w, outputs[[k]], w$root)
    w$loop_lines <- c(w$loop_lines, paste0("double ", name, " = ", values[[k]], ";"))
    if (!is.null(w$reduce)) {
      w$loop_lines <- c(w$loop_lines, paste0("const int na_", k, " = isnan(", name, ") ? ((", na, ") ? 2 : 1) : 0;"))
    } else {
      w$loop_lines <- c(w$loop_lines, paste0("if (isnan(", name, ")) ", name, " = (", na, ") ? NMATH_NA_REAL : NAN;"))
    }
  }
}

# What the rows leave to gradients in coefficients: a score that is missing says by which NaN whether it is NA.
finish_scores <- function(w) {
  for (t in seq_along(w$terms)) {
    term <- w$terms[[t]]
    value <- value_at(w, term$score, w$root)
    if (!w$hopeful) value <- paste0("isnan(", value, ") ? ((", na_text(w, term$score, w$root), ") ? NMATH_NA_REAL : NAN) : ", value)
    out <- c(if (w$reduce$na_rm) w$value_missing, if (!is.null(term$mask)) paste0("!", value_at(w, term$mask, w$root)))
    if (length(out) > 0L) value <- paste0(paste(out, collapse = " || "), " ? EXPR_NO_PART : ", value)
    w$loop_lines <- c(w$loop_lines, paste0("const double g", t, " = ", value, ";"))
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
  if (length(w$terms) > 0L) {
    add("__local double* area", "local")
    add("const int room", "room")
  }
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
  parts <- unlist(lapply(w$types, function(type) lapply(reduction(w$reduce$op, type)$parts, function(part) list(type = part))), FALSE)
  c(parts, lapply(w$terms, function(term) list(type = "double", width = term$product_at$columns)))
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
    prod = list(state = "expr_product", start = "{1.0, 0.0}", add = "expr_product_add(%s, %s)",
                join = "expr_product_join(%s, %s)", value = "%s", parts = c("double", "double")),
    min = list(state = "double", start = "INFINITY", add = "expr_least(%s, %s)", join = "expr_least(%s, %s)", value = "%s",
               parts = "double", extreme = TRUE), # which passes no NaN on
    max = list(state = "double", start = "(-INFINITY)", add = "expr_largest(%s, %s)", join = "expr_largest(%s, %s)",
               value = "%s", parts = "double", extreme = TRUE),
    any = , all = list(state = "int", start = "0", add = paste0("%s | ", if (op == "any") "(%s != 0)" else "(%s == 0)"),
                       join = "%s | %s", value = "%s", parts = "integer"),
    logsumexp = list(state = "expr_lse", start = "{-INFINITY, 0.0}", add = "expr_lse_add(%s, %s)",
                     join = "expr_lse_join(%s, %s)", value = "%s", parts = c("double", "double"))
  )
}

# `@depends_nmath` names the files that the functions are in; the library's loader finds what those need.
assemble_text <- function(w) {
  asks <- length(w$stems) > 0L || (w$hopeful && "double" %in% w$types)
  odd <- if (asks) mark_text(w, list(node = 0L, rule = "odd"))
  odd_bit <- if (asks) length(w$sites)
  if (any(vapply(w$columns, function(column) column$role == "whole", NA))) length_number(w, w$n) # a matrix may be read so
  arguments <- kernel_items(w)
  words <- (length(w$sites) + warning_bits - 1L) %/% warning_bits
  rows <- lapply(setdiff(w$functions, "R_pow"), library_row)
  stems <- unique(c(vapply(rows, function(row) row$stem, ""), w$stems, w$files, if ("R_pow" %in% w$functions) "nmath"))
  stems <- setdiff(stems, "none")
  if (length(stems) == 0L) stems <- "nmath"
  costs <- c("cheap", "moderate", "heavy", "slow")
  cost <- max(1L, match(vapply(rows, function(row) row$cost, ""), costs))
  w$loop_lines <- placed(w, w$loop_lines)
  uses_index <- uses_element(w) || any(vapply(w$terms, function(term) !is_plain_row(w, term$product_at), NA))
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
    placed(w, if (is.null(w$reduce)) elementwise_loop(w, uses_index) else reduction_loop(w, uses_index)),
    if (!is.null(odd)) paste0("    if (odd) ", odd),
    if (words > 0L) paste0("    if (w", seq_len(words) - 1L, ") atomic_or(flags + ", seq_len(words) - 1L, ", w", seq_len(words) - 1L, ");"),
    "}",
    if (!is.null(w$reduce)) join_kernel(w)
  )
  list(
    text = paste0(paste(text[nzchar(trimws(text)) | text == ""], collapse = "\n"), "\n"), items = arguments$items,
    columns = w$columns, scalars = unlist(w$scalars),
    scalar_types = vapply(unlist(w$scalars), function(k) w$tree$inputs[[k]]$type, ""), lengths = w$lengths, seeds = w$seeds,
    outputs = vapply(output_parts(w), function(part) part$type, ""),
    widths = vapply(output_parts(w), function(part) part$width %||% 0L, 0L), joins = if (!is.null(w$reduce)) length(w$types), words = words, sites = w$sites, stems = stems,
    cost = costs[cost], least = w$least %||% 1L, local_forms = shares_forms(w$memory), n = w$n,
    uses_index = uses_index, odd_bit = odd_bit, types = w$types, reduce = w$reduce
  )
}

# Where columns are read: a later use may have needed all of one, which then is read as it lies.
placed <- function(w, lines) {
  for (k in seq_along(w$columns)) {
    whole <- w$columns[[k]]$role == "whole"
    lines <- gsub(paste0("@", k, "@"), if (whole) "e" else paste0("AT(", k, ")"), lines, fixed = TRUE)
    stride <- if (whole) paste0("(expr_index)len_", length_number(w, w$n)) else paste0("stride_", k)
    lines <- gsub(paste0("@rows", k, "@"), stride, lines, fixed = TRUE)
  }
  lines
}

# Whether what is computed once lies in a GPU's local memory: where all of it may and fits, at up to a kilobyte for each form.
shares_forms <- function(memory) {
  forms <- sum(memory == "local")
  forms > 0L && forms <= 16L && !"own" %in% memory
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

# Where work-items are few and wide, each has elements that lie side by side, which a compiler can take several of at a time; else
# neighbours have neighbours.
span_lines <- c(
  "#if defined(NMATH_SPANS) || defined(NMATH_HOST_TEXT)",
  "#define EXPR_ALONE", # a group of a reduction has one work-item: FusedPieces::set_groups()
  "#define EXPR_TILE 64", # rows whose products are computed before their values
  "#define EXPR_LANES 8", # sums of a column's tile
  "#define EXPR_SPAN const int span = (len - 1) / (int)get_global_size(0) + 1, from = (int)get_global_id(0) * span; \\",
  "    const int until = span < len - from ? from + span : len;",
  "#define EXPR_EACH(i) for (int i = from; i < until; ++i)",
  "#else",
  "#ifdef NMATH_PREFERS_STRAIGHT", # more is read at a time
  "#define EXPR_FOURS _Pragma(\"unroll 4\")",
  "#else",
  "#define EXPR_FOURS",
  "#endif",
  "#define EXPR_SPAN",
  "#define EXPR_EACH(i) for (int i = get_global_id(0); i < len; i += get_global_size(0))",
  "#endif"
)

elementwise_loop <- function(w, uses_index) {
  outputs <- seq_along(w$results)
  body <- c(if (uses_index) "        const expr_index e = (expr_index)(first + i);", paste0("        ", w$loop_lines))
  usual <- c(
    "    EXPR_SPAN", "    EXPR_EACH(i) {", body, paste0("        o", outputs, "[i + shift] = ", w$results, ";"), "    }"
  )
  if (length(w$tiles) > 0L) {
    stores <- paste0("        o", outputs, "[i + shift] = ", w$results, ";")
    return(c("#ifdef EXPR_ALONE", tiled_elements(w, body, stores), "#else", usual, "#endif"))
  }
  if (length(w$fixed) == 0L || w$called) return(usual)
  c(
    "#ifdef NMATH_PREFERS_STRAIGHT", # two elements at a time: fixed forms have no branches
    "    const int step = get_global_size(0);",
    "    for (int at = get_global_id(0); at < len; at += 2 * step) {",
    paste0("        ", vapply(w$types, c_type, ""), " y", outputs, "[2];"),
    "        NMATH_STRAIGHT",
    "        for (int j = 0; j < 2; ++j) {",
    "        const int i = at + j * step < len ? at + j * step : at;",
    body,
    paste0("        y", outputs, "[j] = ", w$results, ";"),
    "        }",
    "        NMATH_STRAIGHT",
    paste0("        for (int j = 0; j < 2; ++j) if (at + j * step < len) o", outputs, "[at + j * step + shift] = y", outputs, "[j];"),
    "    }",
    "#else", usual, "#endif"
  )
}

reduction_loop <- function(w, uses_index) {
  ways <- lapply(w$types, function(type) reduction(w$reduce$op, type))
  before <- inside <- after <- character()
  part <- 0L
  hopeful <- w$hopeful & w$types == "double"
  for (k in seq_along(ways)) {
    way <- ways[[k]]
    way$told <- isTRUE(way$extreme) && w$reduce$na_rm # whether there was a value at all
    value <- w$results[[k]]
    missing <- if (w$types[k] == "double") paste0("na_", k) else paste0("(", value, " == NMATH_NA_INT ? 2 : 0)")
    before <- c(before, paste0(way$state, " a", k, " = ", way$start, ";"), if (!hopeful[k]) paste0("int m", k, " = 0;"))
    add <- paste0("a", k, " = ", sprintf(way$add, paste0("a", k), value), ";")
    noted <- paste0("{ const int m = ", missing, "; m", k, " |= m; if (m != 2) ", add, " }")
    slope <- k > length(ways) - (w$reduce$slopes %||% 0L)
    inside <- c(inside, if (hopeful[k]) {
      add
    } else if (!w$reduce$na_rm) {
      noted
    } else {
      paste0( # a row that is left out has no slope
        "if (!", if (slope) w$value_missing else missing, ") ",
        if (slope) noted else if (isTRUE(way$told)) paste0("{ ", add, " m", k, " |= 4; }") else add
      )
    })
    first <- switch(way$state, expr_sum = ".s", expr_lse = , expr_product = ".m", "")
    after <- c(after, if (hopeful[k]) paste0("odd |= isnan(a", k, first, ") != 0;"), joined_text(way, k, part, hopeful[k]))
    part <- part + length(way$parts)
  }
  w$first_term <- part
  c(
    "#ifndef EXPR_ALONE",
    if (length(w$terms) == 0L) "    __local double part[256];",
    if (any(vapply(ways, function(way) length(way$parts) > 1L, NA))) "    __local double part2[256];",
    if (!all(hopeful)) paste0("    __local int missing[", length(ways), "];"),
    "#endif",
    "    const int item = get_local_id(0), items = get_local_size(0), group = get_group_id(0);",
    if (w$way == "") {
      "    const int begin = group * block, end = begin + block < len ? begin + block : len;"
    } else {
      "    const nmath_i64 begin = starts[first + group], end = starts[first + group + 1];"
    },
    if (length(w$terms) > 0L) "    if (begin >= end) return;", # a launch that only is to be compiled
    paste0("    ", before),
    if (length(w$tiles) > 0L || length(w$terms) > 0L) {
      c("#ifdef EXPR_ALONE", alone_rows(w, inside), "#else", if (length(w$terms) > 0L) shared_rows(w, inside) else plain_rows(w, uses_index, inside), "#endif")
    } else {
      plain_rows(w, uses_index, inside)
    },
    if (!all(hopeful)) {
      c(
        "#ifndef EXPR_ALONE",
        paste0("    for (int k = item; k < ", length(ways), "; k += items) missing[k] = 0;"),
        "    barrier(CLK_LOCAL_MEM_FENCE);",
        "#endif"
      )
    },
    paste0("    ", after)
  )
}

# Rows of a block one after the other, or side by side.
plain_rows <- function(w, uses_index, inside) {
  straight <- w$way == "" && w$hopeful && all(w$types == "double") && length(w$fixed) > 0L && !w$called && length(w$tiles) == 0L
  c(
    if (straight) straight_reduction(w, uses_index, inside),
    if (w$hopeful && w$way == "") "    NMATH_PAIRS",
    switch(w$way,
      "    for (int i = begin + item; i < end; i += items) {",
      by = "    for (nmath_i64 p = begin + item; p < end; p += items) {",
      "by order" = c("    for (nmath_i64 p = begin + item; p < end; p += items) {", "        const nmath_i64 i = order[p];")
    ),
    if (uses_index) paste0("        ", element_line(w)),
    paste0("        ", w$loop_lines),
    paste0("        ", inside),
    "    }",
    if (straight) "#endif"
  )
}

at_declaration <- function(w) if (w$way == "") "int at" else "nmath_i64 at"

# Rows of a block in tiles, for a work-item that is a group.
alone_rows <- function(w, inside) {
  terms <- alone_terms(w)
  c(
    paste0("    ", tile_declarations(w)),
    paste0("    ", unlist(lapply(terms, function(term) term$begin))),
    paste0("    for (", at_declaration(w), " = begin; at < end; at += EXPR_TILE) {"),
    "        const int count = end - at < EXPR_TILE ? (int)(end - at) : EXPR_TILE;",
    paste0("        ", tile_products(w)),
    "        for (int r = 0; r < count; ++r) {",
    paste0("        ", c(row_place(w), if (uses_element(w)) element_line(w), w$loop_lines, inside, if (length(terms) > 0L) paste0("score_", seq_along(terms), "[r] = g", seq_along(terms), ";"))),
    "        }",
    paste0("        ", unlist(lapply(terms, function(term) term$tile))),
    "    }",
    paste0("    ", unlist(lapply(terms, function(term) term$end)))
  )
}

uses_element <- function(w) any(grepl("\\be\\b|\\be_", w$loop_lines))

# Rows of a block in tiles, for the work-items of a group together.
shared_rows <- function(w, inside) {
  terms <- shared_terms(w)
  each <- seq_along(w$terms)
  scores <- paste0("part[", each - 1L, " * items + item] = g", each, ";")
  c(
    paste0("    ", c(terms$begin, terms$widest)),
    "    for (nmath_i64 chunk = 0; chunk < most_columns; chunk += widest) {",
    paste0("    ", unlist(lapply(each, function(t) terms$each(t, terms$zero)))),
    paste0("    for (", at_declaration(w), " = begin; at < end; at += height) {"),
    "        const int count = end - at < height ? (int)(end - at) : height;",
    "        barrier(CLK_LOCAL_MEM_FENCE);",
    paste0("        ", terms$products),
    "        if (item < count) {",
    "        const int r = item;",
    paste0("        ", c(row_place(w), if (uses_element(w)) element_line(w), w$loop_lines)),
    "        if (chunk == 0) {",
    paste0("        ", inside),
    "        }",
    paste0("        ", scores),
    "        }",
    "        barrier(CLK_LOCAL_MEM_FENCE);",
    paste0("        ", unlist(lapply(each, function(t) terms$each(t, terms$add(t))))),
    "    }",
    "    barrier(CLK_LOCAL_MEM_FENCE);",
    paste0("    ", unlist(lapply(each, terms$end))),
    "    barrier(CLK_LOCAL_MEM_FENCE);",
    "    }"
  )
}

# A compiler takes several elements of straight code at a time, but adds one after the other: so on the host the values of some
# elements come first. They are added in the order of the usual loop.
straight_reduction <- function(w, uses_index, inside) {
  values <- paste0("y", seq_along(w$results))
  taken <- vapply(seq_along(values), function(k) gsub(paste0("\\b", w$results[[k]], "\\b"), paste0(values[k], "[j]"), inside[k]), "")
  c(
    "#ifdef NMATH_HOST_TEXT",
    "    for (int at = begin + 64 * item; at < end; at += 64 * items) {",
    paste0("        double ", values, "[64];"),
    "        const int count = end - at < 64 ? end - at : 64;",
    "        for (int j = 0; j < count; ++j) {",
    "        const int i = at + j;",
    if (uses_index) "        const expr_index e = (expr_index)(first * block + i);",
    paste0("        ", w$loop_lines),
    paste0("        ", values, "[j] = ", w$results, ";"),
    "        }",
    paste0("        for (int j = 0; j < count; ++j) ", taken),
    "    }",
    "#else"
  )
}

# Joins what the work-items of a group have, in a tree where there are several, and writes the block's parts. (A tree of barriers
# for each number of a gradient takes PoCL minutes to build.)
joined_text <- function(way, k, part, hopeful, o = function(j) paste0("o", part + j, "[group]"), found = paste0("missing[", k - 1L, "]")) {
  a <- paste0("a", k)
  integer <- way$state %in% c("int", "nmath_i64")
  pair <- length(way$parts) > 1L # a state of two parts, m and s
  mine <- if (way$state == "expr_sum") paste0("expr_sum_value(", a, ")") else if (pair) paste0(a, ".m") else a
  memory <- if (integer) paste0("((__local ", way$state, "*)part)") else "part"
  join <- if (pair) {
    paste0(
      way$state, " x = {part[item], part2[item]}, y = {part[item + h], part2[item + h]}; x = ", sprintf(way$join, "x", "y"),
      "; part[item] = x.m; part2[item] = x.s;"
    )
  } else {
    other <- way$join %||% "%s + %s"
    paste0(memory, "[item] = ", sprintf(other, paste0(memory, "[item]"), paste0(memory, "[item + h]")), ";")
  }
  result <- function(found, written) {
    if (hopeful) return(written)
    if (isTRUE(way$told)) return(paste0("(", found, " & 4) ? ", written, " : NAN"))
    switch(way$parts[1L],
      double = paste0(found, " & 2 ? NMATH_NA_REAL : ", if (isTRUE(way$extreme)) paste0(found, " ? NAN : "), written),
      long = paste0(found, " & 2 ? (-9223372036854775807L - 1L) : ", written),
      integer = paste0(written, " | (", found, " ? 2 : 0)")
    )
  }
  c(
    "#ifdef EXPR_ALONE",
    paste0(o(1L), " = ", result(paste0("m", k), mine), ";"),
    if (pair) paste0(o(2L), " = ", a, ".s;"),
    "#else",
    if (!hopeful) paste0("if (m", k, ") atomic_or(&", found, ", m", k, ");"),
    paste0(memory, "[item] = ", mine, ";"),
    if (pair) paste0("part2[item] = ", a, ".s;"),
    "barrier(CLK_LOCAL_MEM_FENCE);",
    paste0("for (int h = items / 2; h > 0; h /= 2) { if (item < h) { ", join, " } barrier(CLK_LOCAL_MEM_FENCE); }"),
    paste0("if (item == 0) ", o(1L), " = ", result(found, paste0(memory, "[0]")), ";"),
    if (pair) paste0("if (item == 0) ", o(2L), " = part2[0];"),
    "barrier(CLK_LOCAL_MEM_FENCE);",
    "#endif"
  )
}

# The kernel that joins the results of the blocks, in the same order on every run: a group for each number.
join_kernel <- function(w) {
  ways <- lapply(w$types, function(type) {
    way <- reduction(w$reduce$op, type)
    way$told <- isTRUE(way$extreme) && w$reduce$na_rm
    way
  })
  parts <- output_parts(w)
  types <- vapply(parts, function(part) c_output_types[[part$type]], "")
  wide <- seq_along(w$terms)
  arguments <- c(
    paste0("__global const ", types, "* b", seq_along(parts)), paste0("__global ", types, "* r", seq_along(parts)), "const int blocks",
    if (length(wide) > 0L) paste0("const nmath_i64 width_", wide)
  )
  first <- 0L
  body <- character()
  for (k in seq_along(ways)) {
    body <- c(body, paste0("    ", if (k > 1L) "else ", "if (number == ", k - 1L, ") {"), paste0("        ", join_lines(w, ways[[k]], k, first)), "    }")
    first <- first + length(ways[[k]]$parts)
  }
  for (t in wide) {
    body <- c(
      body, paste0("    else if (number < ", paste(c(length(ways), paste0("width_", seq_len(t))), collapse = " + "), ") {"),
      paste0("        const nmath_i64 c = number - ", paste(c(length(ways), if (t > 1L) paste0("width_", seq_len(t - 1L))), collapse = " - "), ";"),
      paste0("        ", join_lines(w, reduction("sum", "double"), length(ways) + t, first + t - 1L, paste0("width_", t))), "    }"
    )
  }
  c(
    "",
    paste0("__kernel void ", expression_join, "("),
    paste0("    ", arguments, c(rep(",", length(arguments) - 1L), ")")),
    "{",
    "#ifndef EXPR_ALONE",
    "    __local double part[256], part2[256];",
    "    __local int missing[1];",
    "#endif",
    "    const int item = get_local_id(0), items = get_local_size(0);",
    "    const nmath_i64 number = get_group_id(0);",
    body,
    "}"
  )
}

# `width`: of a result that is many numbers, every column one.
join_lines <- function(w, way, k, first, width = NULL) {
  a <- paste0("a", k)
  m <- paste0("m", k)
  block <- function(j) paste0("b", first + j, if (is.null(width)) "[b]" else paste0("[2 * b * ", width, " + c]"))
  target <- function(j) paste0("r", first + j, if (is.null(width)) "[0]" else "[c]")
  takes <- switch(way$state,
    expr_sum = c(paste0("const double x = ", block(1L), ";"), paste0("if (isnan(x)) ", m, " |= expr_is_na(x) ? 2 : 1;"), paste0(a, " = expr_sum_add(", a, ", x);")),
    nmath_i64 = c(
      paste0("const nmath_i64 x = ", block(1L), ";"), paste0("if (x == (-9223372036854775807L - 1L)) ", m, " |= 2; else ", a, " += x;")
    ),
    double = c(
      paste0("const double x = ", block(1L), ";"),
      if (isTRUE(way$told)) { # a block without a value leaves NaN
        paste0("if (!isnan(x)) { ", a, " = ", sprintf(way$add, a, "x"), "; ", m, " |= 4; }")
      } else {
        paste0("if (isnan(x)) ", m, " |= expr_is_na(x) ? 2 : 1; else ", a, " = ", sprintf(way$add, a, "x"), ";")
      }
    ),
    int = c(paste0("const int x = ", block(1L), ";"), paste0(a, " |= x & 1; if (x & 2) ", m, " |= 2;")),
    c(
      paste0("const ", way$state, " x = {", block(1L), ", ", block(2L), "};"), paste0("if (isnan(x.m)) ", m, " |= expr_is_na(x.m) ? 2 : 1;"),
      paste0(a, " = ", sprintf(way$join, a, "x"), ";")
    )
  )
  c(
    paste0(way$state, " ", a, " = ", way$start, ";"),
    paste0("int ", m, " = 0;"),
    paste0("for (nmath_i64 b = item; b < blocks; b += items) { ", paste(takes, collapse = " "), " }"),
    "#ifndef EXPR_ALONE", "if (item == 0) missing[0] = 0;", "barrier(CLK_LOCAL_MEM_FENCE);", "#endif",
    joined_text(way, k, 0L, FALSE, target, "missing[0]")
  )
}

expression_join <- "nmath_join"
