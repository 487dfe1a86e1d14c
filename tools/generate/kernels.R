# kernels -- inst/cl/src: one entry kernel for each row of functions.tsv; inst/cl/ex_glmbayes_src: one for each family of the
# GLM grid.

kernel_dependencies <- function(row, index) {
  if (row$stem == "none") return(character())
  k <- match(row$stem, index$stem)
  if (is.na(k)) stop("functions.tsv: ", row$name, ": no such stem in nmath: ", row$stem, call. = FALSE)
  depends <- if (nzchar(index$all_depends[k])) split_list(index$all_depends[k]) else character()
  c(depends, row$stem)
}

# The call of the device function with each parameter read at its own length; a flag is any non-zero int.
kernel_call <- function(row) {
  params <- c(split_list(row$params), flag_params(row))
  call <- row$call
  for (k in seq_along(params)) {
    value <- sprintf("%s(%s, %d)", if (params[k] %in% flag_params(row)) "NMATH_FLAG" else "NMATH_AT", params[k], k - 1L)
    call <- gsub(sprintf("(?<![A-Za-z0-9_.])%s(?![A-Za-z0-9_(])", params[k]), paste0("\u0001", k, "\u0002"), call, perl = TRUE)
    call <- gsub(paste0("\u0001", k, "\u0002"), value, call, fixed = TRUE)
  }
  statements <- trimws(strsplit(call, ";", fixed = TRUE)[[1]])
  n <- length(statements)
  c(
    if (n > 1) paste0("    ", statements[-n], ";"),
    paste0(if (is_draw(row)) "    draw = " else "    out[i] = ", statements[n], ";")
  )
}

# A draw of several numbers, one per cell, a column of a matrix.
cells_kernel <- function(row) {
  c(
    paste0("// ", row$kernel, " -- ", row$title, ", one work-item per column of `out`."),
    paste0("__kernel void ", row$kernel, "("),
    "    const double size,",
    "    __global const double* prob,",
    "    __global double* out,",
    "    const int len,",
    "    const int cells,",
    "    const nmath_u64 seed,",
    "    const nmath_u64 first NMATH_WORK_ITEM)",
    "{",
    "    const int i = get_global_id(0);",
    "    if (i >= len) return;",
    "    NMATH_RNG(seed, first + (nmath_u64)i);",
    paste0("    ", row$call, ";"),
    "}"
  )
}

# Draws of a distribution whose table is made for the launch (engine/draw_table.h): for each kernel, the stem and what it
# calls, the type of the table's numbers, and the table's int and double.
table_kernels <- list(
  draw_table_kernel = list(
    stem = "rtable", title = "random numbers by a table of aliases", type = "nmath_u64", whole = "bits", real = "low"
  ),
  quantile_table_kernel = list(
    stem = "rquantile", title = "random numbers by a table of a quantile function", type = "double", whole = "rows", real = "scale"
  )
)
table_kernel_text <- function(name, index) {
  row <- table_kernels[[name]]
  depends <- kernel_dependencies(c(name = name, row), index)
  c(
    paste("//", banner),
    "// @library_deps: nmath",
    paste("// @depends_nmath:", row$stem),
    paste("// @all_depends_nmath_count:", length(depends)),
    paste("// @all_depends_nmath:", paste(depends, collapse = ", ")),
    "",
    sprintf("// %s -- %s.", name, row$title),
    sprintf("__kernel void %s(", name),
    sprintf("    __global const %s* table,", row$type),
    "    __global double* out,",
    sprintf("    const int %s,", row$whole),
    sprintf("    const double %s,", row$real),
    "    const int len NMATH_SEED NMATH_WORK_ITEM)",
    "{",
    "    NMATH_EACH_DRAW(i)",
    sprintf("    draw = %s(table, %s, %s);", row$stem, row$whole, row$real),
    "    NMATH_PUT_DRAWS(out)",
    "}"
  )
}

# Functions whose values are those at the whole numbers -1, 0, ..., top + 1, from a table of these (engine/lookup.h).
lookup_kernel_text <- function(index) {
  depends <- kernel_dependencies(list(name = lookup_kernel, stem = "nmath"), index)
  c(
    paste("//", banner),
    "// @library_deps: nmath",
    "// @depends_nmath: nmath",
    paste("// @all_depends_nmath_count:", length(depends)),
    paste("// @all_depends_nmath:", paste(depends, collapse = ", ")),
    "",
    "// The place of x in a table that begins with the value at -1; what is below or above has the value of that end. How the",
    "// function comes from x to a whole number is its rule (the column `lookup` of functions.tsv):",
    "//   1  the one that x is, within 1e-7; any other x has the value at -1",
    "//   2  the largest that is not above x + 1e-7",
    "//   3  the nearest to x + 1e-7",
    "// Always it is x, a neighbour of x, or -1.",
    "NMATH_FN int nmath_lookup_place(double x, double top, int rule)",
    "{",
    "    double k = rule == 2 ? floor(x + 1e-7) : R_forceint(rule == 3 ? x + 1e-7 : x);",
    "    if (rule == 1 && fabs(x - k) > 1e-7) k = -1.0;",
    "    k = k > -1.0 ? k : -1.0;",
    "    return (int)(k < top + 1.0 ? k : top + 1.0) + 1;",
    "}",
    "",
    paste0("// ", lookup_kernel, " -- looks values up in a table, one work-item per element. A NaN stays as it is."),
    paste0("__kernel void ", lookup_kernel, "("),
    "    __global const double* x,",
    "    __global double* out,",
    "    const int len,",
    "    __global const double* table,",
    "    const double top,",
    "    const int rule,",
    "    const nmath_i64 shift NMATH_LENGTHS(1))",
    "{",
    "    const int i = get_global_id(0);",
    "    if (i >= len) return;",
    "    const double q = NMATH_AT(x, 0);",
    "    out[shift + i] = ISNAN(q) ? q : table[nmath_lookup_place(q, top, rule)];",
    "}"
  )
}
lookup_kernel <- "lookup_kernel"

kernel_text <- function(row, index) {
  depends <- kernel_dependencies(row, index)
  c(
    paste("//", banner),
    "// @library_deps: nmath",
    paste("// @depends_nmath:", row$stem),
    paste("// @all_depends_nmath_count:", length(depends)),
    if (length(depends)) paste("// @all_depends_nmath:", paste(depends, collapse = ", ")),
    "",
    if (row$flags == "cells") cells_kernel(row) else elementwise_kernel(row, index)
  )
}

# Whether a draw may take several tries, or steps without end in sight.
draws_in_loops <- function(row, index) any(c("rgamma", "rejection", "rwilcox") %in% kernel_dependencies(row, index))

elementwise_kernel <- function(row, index) {
  real <- split_list(row$params)
  c(
    paste0("// ", row$kernel, " -- ", row$title, if (is_draw(row)) "." else ", one work-item per element."),
    if (nzchar(row$group)) paste0("NMATH_GROUP_", row$group),
    paste0("__kernel void ", row$kernel, "("),
    if (length(real)) paste0("    __global const double* ", real, ","),
    if (length(flag_params(row))) paste0("    __global const int* ", flag_params(row), ","),
    "    __global double* out,",
    sprintf("    const int len%s NMATH_LENGTHS(%d))", if (is_draw(row)) " NMATH_SEED" else "", n_columns(row)),
    "{",
    if (is_draw(row)) {
      sprintf("    NMATH_EACH_DRAW%s(i)", if (draws_in_loops(row, index)) "_LOOP" else "")
    } else {
      c("    const int i = get_global_id(0);", "    if (i >= len) return;")
    },
    kernel_call(row),
    if (is_draw(row)) "    NMATH_PUT_DRAWS(out)",
    "}"
  )
}

# The lines of a .cl file that are tags, and the text behind them.
tags_and_text <- function(path) {
  lines <- readLines(path)
  head <- cumsum(!grepl("^// @", lines)) == 0
  text <- lines[!head]
  list(tags = lines[head], text = text[cumsum(nzchar(text)) > 0])
}

# A kernel of a family with all that is no function of nmath, so that it needs no other library. Texts that have the shared
# part already, such as the host device's, skip it.
glm_kernel_text <- function(name) {
  family <- tags_and_text(file.path(cl_dir, "ex_glmbayes_family", paste0(name, ".cl")))
  body <- lapply(file.path(cl_dir, "ex_glmbayes_body", c("f2_f3_math.cl", "f2_f3_body.cl")), tags_and_text)
  buffers <- c("X", "B", "mu", "P", "alpha", "y", "wt")
  c(
    sub("inst/spec/functions.tsv", paste0("inst/cl/ex_glmbayes_body and ex_glmbayes_family/", name, ".cl"), paste("//", banner)),
    paste("// @provides:", name),
    grep("^// @provides:", family$tags, value = TRUE, invert = TRUE),
    "",
    "#ifndef F2_F3_BODY", "",
    unlist(lapply(body, function(file) c(file$text, ""))),
    "#endif", "",
    family$text, "",
    paste0("__kernel void ", name, "("),
    sprintf("    __global const double* %s,", buffers),
    sprintf("    __global double* %s,", c("qf", "grad")),
    sprintf("    const int %s%s", c("l1", "l2", "m1"), c(",", ",", ")")),
    "{",
    sprintf("    F2_F3_BODY(%1$s_obs, %1$s_ll, %1$s_constant);", name),
    "}"
  )
}
