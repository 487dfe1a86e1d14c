# Numbers in the text of a kernel.

# The C text of a constant. OpenCL C's own INFINITY and NAN are floats; no number is written through the locale, whose decimal
# point may be a comma.
c_constant <- function(value) {
  if (is.logical(value) || is.integer(value)) return(if (is.na(value)) "NMATH_NA_INT" else paste0("(", as.integer(value), ")"))
  if (!is.finite(value)) return(paste0("nmath_from_bits(", double_bits(value), ")"))
  negative <- value < 0 || 1 / value < 0
  size <- abs(value)
  text <- if (size == round(size) && size < 1e15) paste0(sprintf("%.0f", size), ".0") else decimal_text(size)
  if (negative) paste0("(-", text, ")") else text
}

# 17 digits of a finite positive double.
decimal_text <- function(value) {
  text <- gsub("[^0-9e+-]+", ".", sprintf("%.17g", value), useBytes = TRUE)
  if (grepl("[.e]", text)) text else paste0(text, ".0")
}

double_bits <- function(value) paste0("0x", paste(format(writeBin(as.double(value), raw(), endian = "big")), collapse = ""), "UL")

# The text of a constant where it is used. Compilers compute functions of constants when they compile, PoCL's some of them wrongly
# outside their range: a conversion of what is no int leaves the result undefined, and the kernel then stores nothing. So what is
# far out, missing, or an argument of a call of constants alone comes as a value that the compiler does not know.
constant_text <- function(w, id, value) {
  plain <- !is.double(value) || (is.finite(value) && abs(value) < 2^31 && !id %in% w$opaque)
  if (plain) return(c_constant(value))
  key <- paste("literal", id)
  if (is.null(w$known[[key]])) {
    name <- paste0("k", id)
    shown <- if (is.nan(value)) "NaN" else if (is.na(value)) "NA" else if (is.finite(value)) c_constant(value) else if (value > 0) "Inf" else "-Inf"
    emit(w, w$scalar, "const double ", name, " = EXPR_LITERAL(", double_bits(value), ", first); // ", shown)
    w$known[[key]] <- name
  }
  w$known[[key]]
}

# Calls of constants alone: R computes them, if that gives a number and can warn of nothing (`folded`); the constants in the others
# are `opaque`.
note_constant_nodes <- function(w, outputs) {
  w$folded <- list()
  w$opaque <- integer()
  constants <- integer()
  for (id in nodes_under(w$tree, outputs, function(node) node$args)) {
    node <- node_of(w$tree, id)
    if (node$op %in% c("input", "column", "product", "draw", "c_text") || !all(node$args %in% constants)) next
    constants <- c(constants, id)
    if (node$op == "const") next
    value <- if (!node$op %in% c("library", "select") && node$len == 1 && !id %in% w$tree$tests) node_value(w$tree, id, list())
    if (length(value) == 1L && typeof(value) == node$type && is.finite(value)) {
      w$folded[[as.character(id)]] <- value
    } else {
      w$opaque <- c(w$opaque, node$args)
    }
  }
}
