# core -- the C++ side: the table of functions, families of the GLM grid.

# The column `lookup`: the rule and the top of a function of x and sizes whose values are those at whole numbers.
lookup_text <- function(row) {
  if (!nzchar(row$lookup)) return(NULL)
  parts <- split_list(row$lookup)
  known <- length(parts) == 2L && parts[1] %in% c("exact", "below", "nearest") && parts[2] %in% c("product", "ranks")
  if (!known) stop("functions.tsv: ", row$name, ": unknown lookup ", row$lookup, call. = FALSE)
  sprintf(", {Lookup::Rule::%s, Lookup::Top::%s}", parts[1], parts[2])
}

registry_text <- function(functions) {
  rows <- vapply(seq_len(nrow(functions)), function(k) {
    row <- functions[k, ]
    lookup <- lookup_text(row)
    registers <- if (nzchar(row$registers)) paste0(", ", as.integer(row$registers))
    if (!is.null(registers) && is.null(lookup)) lookup <- ", {}"
    cost <- if (row$cost != "cheap" || !is.null(lookup)) paste0(", Cost::", row$cost)
    kind <- if (is_draw(row)) row$flags else if (!is.null(cost)) "values"
    sprintf(
      "      {\"%s\", \"%s\", \"src/%s.cl\", %d, %d, \"%s\"%s},",
      row$name, row$kernel, row$kernel, length(split_list(row$params)), length(flag_params(row)), row$warn,
      paste(c("", if (!is.null(kind)) paste0(", KernelKind::", kind), cost, lookup, registers), collapse = "")
    )
  }, "")
  c(
    paste("//", banner), "#include \"device/functions.h\"", "",
    "namespace openclPort {", "",
    "const std::vector<KernelSpec>& kernel_registry() {",
    "  static const std::vector<KernelSpec> registry = {", rows, "  };", "  return registry;", "}", "",
    "}  // namespace openclPort"
  )
}

glm_registry_text <- function(families) {
  glm <- glm_kernels()
  c(
    paste("//", banner), "#include \"engine/ex_glmbayes_opencl.h\"", "",
    "namespace ex_glmbayes {", "namespace opencl {", "",
    "const std::vector<GlmKernelSpec>& glm_kernel_registry() {",
    "  static const std::vector<GlmKernelSpec> registry = {",
    sprintf("      {\"%s\", \"ex_glmbayes_src/%s.cl\"},", glm, glm),
    "  };", "  return registry;", "}", "",
    "const std::vector<GlmFamily>& glm_families() {",
    "  static const std::vector<GlmFamily> families = {",
    sprintf("      {\"%s\", \"%s\", \"%s\"},", families$family, families$link, families$kernel),
    "  };", "  return families;", "}", "",
    "}  // namespace opencl", "}  // namespace ex_glmbayes"
  )
}
