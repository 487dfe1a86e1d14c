# Products of matrices with coefficients in a kernel: X %*% b, and for gradients t(X) %*% score, which the same kernel adds up
# while it has the rows of X at hand. How many columns there are is an argument of the kernel.
#
# A group of a GPU's work-items takes some rows at a time: all of them read X, each some columns of a row, and leave it in local
# memory; one for each row computes its value and its score; then each adds up a part of a column. Where a group is one work-item,
# it does the same with tiles of rows that a cache holds. Work-items that have no group go through the columns one by one.

# The C text of number `j` of the row of a product's matrix that is read at `at`, as it lies, and as a double.
product_element <- function(w, product, j, double = TRUE) {
  text <- if (product$full) {
    paste0("c", product$matrix, "[@", product$matrix, "@ + (nmath_i64)(", j, ") * @rows", product$matrix, "@]")
  } else {
    paste0("c", product$matrix, "[", product$at, " + (expr_index)(", j, ") * (expr_index)len_", product$rows, "]")
  }
  if (double && product$matrix_type != "double") paste0("expr_as_double(", text, ")") else text
}

product_coefficient <- function(product, j) {
  text <- paste0("c", product$coefficients, "[", j, "]")
  if (product$coefficient_type != "double") paste0("expr_as_double(", text, ")") else text
}

# What a kernel has to know of a product where it is read at `at`.
product_at <- function(w, node, at) {
  dim <- w$tree$inputs[[node$value[[1L]]]]$dim
  full <- at$name == "e" && node$len == w$n
  list(
    matrix = use_column(w, node$value[[1L]], if (full) "matrix" else "whole"),
    coefficients = use_column(w, node$value[[2L]], "whole"),
    matrix_type = w$tree$inputs[[node$value[[1L]]]]$type, coefficient_type = w$tree$inputs[[node$value[[2L]]]]$type,
    full = full, at = at$name, rows = if (!full) length_number(w, node$len), columns = length_number(w, dim[2L])
  )
}

# Declares the value: computed here, or before the rows of the tile were.
product_text <- function(w, id, node, at, name) {
  product <- product_at(w, node, at)
  loop <- paste0(
    "double ", name, " = 0.0; for (nmath_i64 j = 0; j < len_", product$columns, "; ++j) ", name, " += ",
    product_element(w, product, "j"), " * ", product_coefficient(product, "j"), ";"
  )
  if (product$full) {
    tile <- length(w$tiles) + 1L
    w$tiles[[tile]] <- c(product, list(id = id))
    mine <- vapply(w$terms, function(term) term$product == id && term$product_at$full, NA)
    term <- match(TRUE, mine)
    shared <- if (!is.na(term)) paste0("double ", name, " = expr_parts(part + ", term - 1L, " * items, item, height, items / height);")
    loop <- c("#ifdef EXPR_ALONE", paste0("double ", name, " = tile_", tile, "[r];"), "#else", shared %||% loop, "#endif")
  }
  for (line in loop) emit(w, at, line)
  if (w$as_gpu) emit(w, at, name, " = expr_canonical(", name, ");")
  NULL
}

# Whether an NA has part in the product, of which only a product that is NaN is asked.
product_na <- function(w, node, at) {
  product <- product_at(w, node, at)
  matrix <- paste0("&", product_element(w, product, "0", double = FALSE))
  stride <- if (product$full) paste0("@rows", product$matrix, "@") else paste0("len_", product$rows)
  asked <- function(type, ...) paste0(if (type == "double") "expr_any_na(" else "expr_any_na_int(", ..., ", len_", product$columns, ")")
  paste(
    asked(product$matrix_type, matrix, ", ", stride), "|", asked(product$coefficient_type, "c", product$coefficients, ", 1")
  )
}

# ---- tiles of a single work-item -------------------------------------------------------------------------------------

# X %*% b for the rows of a tile, which begin at `at`.
tile_products <- function(w) {
  unlist(lapply(seq_along(w$tiles), function(k) {
    product <- w$tiles[[k]]
    row <- paste(row_lines(w, product), collapse = " ")
    c(
      paste0("for (int r = 0; r < count; ++r) tile_", k, "[r] = 0.0;"),
      paste0("for (nmath_i64 j = 0; j < len_", product$columns, "; ++j) {"),
      paste0("    const double b = ", product_coefficient(product, "j"), ";"),
      paste0("    for (int r = 0; r < count; ++r) { ", row, " tile_", k, "[r] += ", product_element(w, product, "j"), " * b; }"),
      "}"
    )
  }))
}

# Which element row `r` of a tile is.
row_place <- function(w) {
  switch(w$way,
    "const int i = at + r;", by = "const nmath_i64 p = at + r;",
    "by order" = "const nmath_i64 p = at + r, i = order[p];"
  )
}

# Whether a matrix is read by the number of a row of the piece, and not by that of an element of the call.
is_plain_row <- function(w, product) product$full && w$columns[[product$matrix]]$role != "whole"

row_lines <- function(w, product) c(row_place(w), if (!is_plain_row(w, product)) element_line(w))

tile_declarations <- function(w) {
  c(
    if (length(w$tiles) > 0L) paste0("double ", paste0("tile_", seq_along(w$tiles), "[EXPR_TILE]", collapse = ", "), ";"),
    if (length(w$terms) > 0L) paste0("double ", paste0("score_", seq_along(w$terms), "[EXPR_TILE]", collapse = ", "), ";")
  )
}

# Elementwise: the loop over a span in tiles.
tiled_elements <- function(w, body, stores) {
  c(
    "    EXPR_SPAN",
    paste0("    ", tile_declarations(w)),
    "    for (int at = from; at < until; at += EXPR_TILE) {",
    "        const int count = until - at < EXPR_TILE ? until - at : EXPR_TILE;",
    paste0("        ", tile_products(w)),
    "        for (int r = 0; r < count; ++r) {",
    "        const int i = at + r;",
    body, stores,
    "        }",
    "    }"
  )
}

# ---- gradients in coefficients ---------------------------------------------------------------------------------------

# Lines that say which row of a term's matrix row `r` of a tile has: its number in `i` or `p`, and where rows recur, in the index
# that its name is made of.
term_row <- function(w, term) {
  if (term$product_at$full) return(row_lines(w, term$product_at))
  if (term$product_at$at == "0") return(row_place(w)) # a matrix of one row
  steps <- strsplit(sub("^e_?", "", term$product_at$at), "_", fixed = TRUE)[[1L]]
  names <- Reduce(function(name, k) paste0(name, "_", k), steps, "e", accumulate = TRUE)
  c(
    row_place(w), element_line(w),
    if (length(steps) > 0L) {
      paste0("const expr_index ", names[-1L], " = ", names[-length(names)], " % (expr_index)len_", steps, ";")
    }
  )
}

element_line <- function(w) {
  switch(w$way,
    if (is.null(w$reduce)) "const expr_index e = (expr_index)(first + i);" else "const expr_index e = (expr_index)(first * block + i);",
    by = "const expr_index e = 0; // (another form of this kernel runs where it is used)",
    "by order" = "const expr_index e = (expr_index)i;"
  )
}

# How a product with a score is added to a sum.
add_term <- function(w, term, sum, x, score) {
  add <- if (w$hopeful) paste0(sum, " = expr_sum_add(", sum, ", ", x, " * ", score, ");") else
    paste0(sum, " = expr_sum_add_product(", sum, ", ", x, ", ", score, ");")
  if (term$skips) paste0("if (!expr_no_part(", score, ")) ", add) else add
}

# A single work-item: each column of a tile, whose sums lie in the output until the block is done. The second half of a result is
# what the roundings of the first one lost.
alone_terms <- function(w) {
  lapply(seq_along(w$terms), function(t) {
    term <- w$terms[[t]]
    x <- product_element(w, term$product_at, "c")
    o <- paste0("o", w$first_term + t)
    width <- paste0("len_", term$product_at$columns)
    row <- paste(term_row(w, term), collapse = " ")
    several <- w$hopeful && !term$skips && is_plain_row(w, term$product_at) && w$way != "by order"
    list(
      begin = paste0("for (nmath_i64 c = 0; c < 2 * ", width, "; ++c) ", o, "[2 * group * ", width, " + c] = 0.0;"),
      tile = c(
        paste0("for (nmath_i64 c = 0; c < ", width, "; ++c) {"),
        paste0("    __global double* to = ", o, " + 2 * group * ", width, " + c;"),
        paste0("    expr_sum a = {to[0], to[", width, "]};"),
        if (several) {
          c(
            "    double s[EXPR_LANES], e[EXPR_LANES];",
            "    for (int k = 0; k < EXPR_LANES; ++k) s[k] = e[k] = 0.0;",
            "    int done = 0;",
            "    for (; done + EXPR_LANES <= count; done += EXPR_LANES)",
            "        for (int k = 0; k < EXPR_LANES; ++k) {",
            paste0("            const int r = done + k; ", row),
            paste0("            const double x = ", x, " * score_", t, "[r], t = s[k] + x, z = t - s[k];"),
            "            e[k] += (s[k] - (t - z)) + (x - z);",
            "            s[k] = t;",
            "        }",
            "    for (int k = 0; k < EXPR_LANES; ++k) { expr_sum b = {s[k], e[k]}; a = expr_sum_join(a, b); }",
            paste0("    for (int r = done; r < count; ++r) { ", row, " ", add_term(w, term, "a", x, paste0("score_", t, "[r]")), " }")
          )
        } else {
          paste0(
            "    for (int r = 0; r < count; ++r) { ", row, " ", add_term(w, term, "a", x, paste0("score_", t, "[r]")), " }"
          )
        },
        paste0("    to[0] = a.s; to[", width, "] = a.c;"),
        "}"
      ),
      end = c(
        paste0("for (nmath_i64 c = 0; c < ", width, "; ++c) {"),
        paste0("    __global double* to = ", o, " + 2 * group * ", width, " + c;"),
        paste0("    expr_sum a = {to[0], to[", width, "]};"),
        "    to[0] = expr_sum_value(a);",
        if (w$hopeful) "    odd |= isnan(to[0]) != 0;",
        "}"
      )
    )
  })
}

# A group of work-items: `part` has the scores and, before them, parts of the products; `sums` of each term two numbers for each
# column or work-item; `tile` the rows of all matrices, where they fit.
shared_terms <- function(w) {
  terms <- w$terms
  count <- length(terms)
  width <- function(t) paste0("len_", terms[[t]]$product_at$columns)
  wide <- function(t) paste0("(", width(t), " > items ? ", width(t), " : items)")
  before <- function(t, of) if (t == 1L) "0" else paste(vapply(seq_len(t - 1L), of, ""), collapse = " + ")
  x <- function(t, j) product_element(w, terms[[t]]$product_at, j)
  row <- function(t) paste(term_row(w, terms[[t]]), collapse = " ")
  room_of <- function(t) paste0(wide(t), " < widest ? ", wide(t), " : widest")
  columns_left <- function(t) paste0("    const nmath_i64 left = ", width(t), " - chunk, width = left < widest ? left : widest;")
  place_of <- function(t) { # of a term's numbers among the sums
    first <- if (t == 1L) "0" else paste0("2 * (", before(t, function(u) paste0("(", room_of(u), ")")), ")")
    c(paste0("    __local double* own = sums + ", first, ";"), paste0("    const nmath_i64 room_of = ", room_of(t), ";"))
  }
  list(
    begin = c(
      paste0("const nmath_i64 columns = ", paste(vapply(seq_len(count), width, ""), collapse = " + "), ";"),
      "__local double* part = area;",
      paste0("__local double* sums = area + ", count, " * items;"),
      paste0("const nmath_i64 widest = room / ", 4L * count, " > items ? room / ", 4L * count, " : items;"),
      paste0("nmath_i64 taken = 0;"),
      vapply(seq_len(count), function(t) {
        paste0("taken += 2 * (", room_of(t), ");")
      }, ""),
      paste0("__local double* tile = sums + taken;"),
      paste0("const int rows = expr_tile_rows(items, columns, room - ", count, " * items - taken);"),
      "const int height = rows > 0 ? rows : items;"
    ),
    widest = paste0("nmath_i64 most_columns = 0; ", paste(vapply(seq_len(count), function(t) {
      paste0("most_columns = ", width(t), " > most_columns ? ", width(t), " : most_columns;")
    }, ""), collapse = " ")),
    products = c(
      "{",
      "    const int r = item & (height - 1), lanes = items / height;",
      "    if (r < count) {",
      unlist(lapply(seq_len(count), function(t) {
        c(
          "        {",
          paste0("        ", row(t)),
          "        double v = 0.0;",
          "        if (rows > 0) {",
          paste0("            __local double* to = tile + (", before(t, width), ") * (rows + 1) + r;"),
          "            EXPR_FOURS",
          paste0("            for (int j = item / height; j < (int)", width(t), "; j += lanes) {"),
          paste0("                const double x = ", x(t, "j"), ";"),
          "                to[j * (rows + 1)] = x;",
          paste0("                v += x * ", product_coefficient(terms[[t]]$product_at, "j"), ";"),
          "            }",
          "        } else {",
          "            EXPR_FOURS",
          paste0("            for (nmath_i64 j = item / height; j < ", width(t), "; j += lanes) v += ", x(t, "j"), " * ", product_coefficient(terms[[t]]$product_at, "j"), ";"),
          "        }",
          paste0("        part[", t - 1L, " * items + item] = v;"),
          "        }"
        )
      })),
      "    }",
      "}",
      "barrier(CLK_LOCAL_MEM_FENCE);"
    ),
    # `lines` for each column that a work-item has, of its slice of the rows
    each = function(t, lines) {
      c(
        "{",
        columns_left(t),
        "    const int slices = width < items ? items / (int)(width > 0 ? width : 1) : 1, at_once = items / slices, slice = item % slices;",
        place_of(t),
        "    if (item / slices < at_once)",
        "        for (nmath_i64 c = item / slices; c < width; c += at_once) {",
        "            const nmath_i64 k = slices > 1 ? item : c;",
        paste0("            ", lines),
        "        }",
        "}"
      )
    },
    zero = "own[k] = own[room_of + k] = 0.0;",
    add = function(t) {
      c(
        "expr_sum a = {own[k], own[room_of + k]};",
        "if (rows > 0) {",
        paste0("    __local const double* x = tile + (", before(t, width), " + chunk + c) * (rows + 1);"),
        "    EXPR_FOURS",
        paste0("    for (int r = slice; r < count; r += slices) { ", add_term(w, terms[[t]], "a", "x[r]", paste0("part[", t - 1L, " * items + r]")), " }"),
        "} else {",
        "    EXPR_FOURS",
        paste0(
          "    for (int r = slice; r < count; r += slices) { ", row(t), " ",
          add_term(w, terms[[t]], "a", x(t, "(chunk + c)"), paste0("part[", t - 1L, " * items + r]")), " }"
        ),
        "}",
        "own[k] = a.s;",
        "own[room_of + k] = a.c;"
      )
    },
    end = function(t) {
      o <- paste0("o", w$first_term + t)
      c(
        "{",
        columns_left(t),
        "    const int slices = width < items ? items / (int)(width > 0 ? width : 1) : 1;",
        place_of(t),
        "    for (nmath_i64 c = item; c < width; c += items) {",
        "        expr_sum a = {own[c * slices], own[room_of + c * slices]};",
        "        for (int k = 1; k < slices; ++k) { expr_sum b = {own[c * slices + k], own[room_of + c * slices + k]}; a = expr_sum_join(a, b); }",
        "        const double x = expr_sum_value(a);",
        if (w$hopeful) "        odd |= isnan(x) != 0;",
        paste0("        ", o, "[2 * group * ", width(t), " + chunk + c] = x;"),
        "    }",
        "}"
      )
    }
  )
}
