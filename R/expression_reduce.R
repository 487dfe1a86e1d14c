# Reductions in a kernel: what the rows of a block are added up to, how the work-items of a group join what they have, and the kernel that
# joins the results of the blocks.

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
