# host -- what the host device is compiled from: the device library as one C text, launchers, the table of kernels.

# Those that engines launch for functions of the table.
engine_kernels <- c(names(table_kernels), lookup_kernel)

# Library folders in program order, from the manifest, each in its own load order.
unity_includes <- function(functions) {
  manifest <- utils::read.delim(file.path(cl_dir, "program_preload_manifest.tsv"), colClasses = "character")
  manifest <- manifest[order(as.integer(manifest$rank)), ]
  library_files <- function(library) {
    stems <- read_index(library)$stem
    if (length(stems)) file.path(library, paste0(stems, ".cl"))
  }
  files <- unlist(lapply(seq_len(nrow(manifest)), function(k) {
    if (manifest$kind[k] == "file") manifest$rel_path[k] else library_files(manifest$rel_path[k])
  }))
  files <- c(
    files, library_files("nmath"), sort(paste0("src/", c(functions$kernel, if (nrow(functions)) engine_kernels), ".cl"), method = "radix"),
    library_files("ex_glmbayes_body"), sprintf("ex_glmbayes_src/%s.cl", glm_kernels())
  )
  sprintf("#include \"../../inst/cl/%s\"", files)
}

# What nct_sum.cl needs.
host_nct_unity_text <- function() {
  layers <- grep("/(nmath|src|ex_glmbayes_[a-z]*)/", unity_includes(data.frame(kernel = character())), value = TRUE, invert = TRUE)
  index <- read_index("nmath")
  stems <- c(split_list(index$all_depends[index$stem == "nct_sum"]), "nct_sum")
  c(
    paste("/*", banner, "*/"), "",
    layers, sprintf("#include \"../../inst/cl/nmath/%s.cl\"", index$stem[index$stem %in% stems])
  )
}

# The GLM kernels alone, each followed by the form that works on many grid points at a time, and the table of them.
host_glm_unity_text <- function() {
  layers <- grep("/(nmath|src|ex_glmbayes_src)/", unity_includes(data.frame(kernel = character())), value = TRUE, invert = TRUE)
  is_body <- grepl("/ex_glmbayes_body/", layers)
  subset <- sprintf("#include \"../../inst/cl/ex_glmbayes_nmath/%s.cl\"", read_index("ex_glmbayes_nmath")$stem)
  glm <- glm_kernels()
  c(
    paste("/*", banner, "*/"), "",
    layers[!is_body], subset, layers[is_body],
    c(rbind(
      "", sprintf("#include \"../../inst/cl/ex_glmbayes_src/%s.cl\"", glm),
      "#include \"../../inst/cl/ex_glmbayes_body/f2_f3_lanes.cl\"", sprintf("NMATH_HOST_GLM_KERNELS(%s)", glm)
    )), "",
    "const nmath_host_glm_kernels NMATH_HOST_GLM_TABLE[] = {", sprintf("    NMATH_HOST_GLM_ROW(%s)", glm), "    {0, 0, 0},", "};"
  )
}

# The kind of block that draws of a function begin with (sunif.cl): a wrong one costs time alone.
first_block <- function(row) {
  if (row$stem %in% c("snorm", "rnorm", "rlnorm", "rt", "rnt")) "SUNIF_NORMALS" else "SUNIF_WORDS"
}

# The arguments of a constant-parameter kernel's function of an element: `x`, the form, and what the table adds.
fixed_arguments <- function(fixed, x, needs_general) {
  paste0("(", x, ", fixed, ", if (nzchar(fixed$arguments)) paste0(fixed$arguments, ", "), needs_general, ")")
}

# Of a function with forms for fixed parameters, which are the table's rows `rows`.
fixed_launcher <- function(row, fixed, rows) {
  real <- length(split_list(row$params))
  cases <- vapply(rows, function(k) {
    flags <- split_list(fixed$flags[k])
    chosen <- c(sprintf("n%d == 1", seq_len(real - 1L)), sprintf("%sNMATH_HOST_FLAG(%d)", ifelse(flags == "TRUE", "", "!"), real + seq_along(flags) - 1L))
    sprintf(
      "NMATH_HOST_FIXED(%d, %s, %d, %s, %s, %s, %s)", k - 1L, row$kernel, n_columns(row), paste(chosen, collapse = " && "), fixed$stem[k],
      fixed_arguments(fixed[k, ], "((const double *)column0)[i]", "&off"), paste(sprintf("NMATH_HOST_REAL(%d)", seq_len(real - 1L)), collapse = ", ")
    )
  }, "")
  sprintf("NMATH_HOST_FIXED_LAUNCHER(%s, %s, %d,\n    %s)", row$name, row$kernel, n_columns(row), paste(cases, collapse = "\n    "))
}

# The constant-parameter kernels with what they need, and no more, and a function of each.
host_fixed_text <- function(functions, fixed) {
  index <- read_index("nmath")
  needed <- unique(c(fixed$stem, unlist(lapply(index$all_depends[index$stem %in% fixed$stem], split_list))))
  layers <- grep("/(src|ex_glmbayes\\w*)/", unity_includes(data.frame(kernel = character())), value = TRUE, invert = TRUE)
  of_nmath <- grepl("/nmath/", layers)
  runs <- vapply(seq_len(nrow(fixed)), function(k) {
    real <- length(split_list(functions$params[functions$name == fixed$name[k]]))
    of <- paste0("(", paste0(sprintf("p[%d]", seq_len(real - 1L) - 1L), collapse = ", "), ", &needs_general)")
    sprintf("NMATH_HOST_FIXED_RUN(%d, %s, %s, %s)", k - 1L, fixed$stem[k], fixed_arguments(fixed[k, ], "x[i]", "&needs_general"), of)
  }, "")
  c(
    paste("/*", sub("functions.tsv", "fixed.tsv", banner, fixed = TRUE), "*/"), "",
    layers[!of_nmath | sub("^.*/(\\w+)[.]cl\"$", "\\1", layers) %in% needed], "", runs, "",
    sprintf("#define NMATH_HOST_FIXED_RUNS %s", paste0("run_", seq_len(nrow(fixed)) - 1L, collapse = ", "))
  )
}

host_unity_text <- function(functions, fixed) {
  launchers <- vapply(seq_len(nrow(functions)), function(k) {
    row <- functions[k, ]
    if (row$name %in% fixed$name) return(fixed_launcher(row, fixed, which(fixed$name == row$name)))
    sprintf(
      "NMATH_HOST_%sLAUNCHER(%s, %s, %d%s)", switch(row$flags, draws = , counts = "DRAW_", cells = "CELLS_", ""), row$name, row$kernel,
      n_columns(row), if (is_draw(row) && row$flags != "cells") paste0(", ", first_block(row)) else ""
    )
  }, "")
  c(
    paste("/*", banner, "*/"), "",
    unity_includes(functions), "",
    launchers, sprintf("NMATH_HOST_TABLE_LAUNCHER(%s)", names(table_kernels)), sprintf("NMATH_HOST_LOOKUP_LAUNCHER(%s)", lookup_kernel), "",
    sprintf("NMATH_HOST_GLM_LAUNCHER(%s)", glm_kernels())
  )
}

# Launchers and what they are known by: the arguments of an elementwise kernel are columns, out, len, of draws a seed and a
# number, then a length and a value for each column.
host_launch_text <- function(functions) {
  c(
    paste("/*", banner, "*/"),
    "#pragma once", "",
    "#include \"host/host_argument.h\"", "",
    sprintf("void nmath_host_%s(const nmath_host_argument* arguments, int begin, int end);", c(functions$name, engine_kernels, glm_kernels()))
  )
}

host_table_text <- function(functions) {
  arguments <- vapply(seq_len(nrow(functions)), function(k) {
    columns <- n_columns(functions[k, ])
    switch(functions$flags[k], draws = , counts = 3L * columns + 4L, cells = 7L, 3L * columns + 2L)
  }, 0L)
  glm <- glm_kernels()
  c(
    paste("/*", banner, "*/"),
    "#include \"host/host_glm.h\"", "#include \"host/host_launch_gen.h\"", "",
    sprintf(
      paste0(
        "static void prepare_%1$s(const nmath_host_argument* a, int begin, int end) {\n",
        "  if (begin < end) nmath_host_glm_prepare(\"%1$s\", a);\n}\n",
        "static void lanes_%1$s(const nmath_host_argument* a, int begin, int end) {\n",
        "  nmath_host_glm_run_lanes(\"%1$s\", a, begin, end);\n}"
      ), glm
    ), "",
    "const nmath_host_row nmath_host_table[] = {",
    sprintf("    {\"src/%1$s.cl\", \"%1$s\", %2$d, nmath_host_%3$s},", functions$kernel, arguments, functions$name),
    sprintf("    {\"src/%1$s.cl\", \"%1$s\", 7, nmath_host_%1$s},", names(table_kernels)),
    sprintf("    {\"src/%1$s.cl\", \"%1$s\", 9, nmath_host_%1$s},", lookup_kernel),
    sprintf("    {\"ex_glmbayes_src/%1$s.cl\", \"%1$s\", 12, nmath_host_%1$s},", glm),
    sprintf("    {\"ex_glmbayes_src/%1$s.cl|prepare\", \"f2_f3_prepare\", 5, prepare_%1$s},", glm),
    sprintf("    {\"ex_glmbayes_src/%1$s.cl|lanes\", \"f2_f3_lanes\", 14, lanes_%1$s},", glm),
    "    {0, 0, 0, 0},", "};"
  )
}
