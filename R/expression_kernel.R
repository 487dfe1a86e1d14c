# The kernel around an expression: its arguments, its loop over elements or over the blocks of a reduction, what it writes.

finish_outputs <- function(w, outputs, values) {
  w$results <- values
  w$value_missing <- if (w$types[1L] == "double") "na_1" else paste0("(", values[[1L]], " == NMATH_NA_INT ? 2 : 0)")
  if (!w$hopeful) {
    for (id in nodes_below(w, outputs[w$types == "double"])) if (type_of(w$tree, id) == "double") na_text(w, id, w$root)
  }
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
    # Each term has numbers of its own for each work-item in local memory.
    if (length(w$terms) > 2L) c("#ifndef EXPR_ALONE", "__attribute__((reqd_work_group_size(64, 1, 1)))", "#endif"),
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
