# What expressions may call: the functions of inst/spec/functions.tsv by R's names, and R's own arithmetic.

expression_state <- new.env(parent = emptyenv())

# inst/spec/functions.tsv, read once.
function_table <- function() {
  if (is.null(expression_state$table)) {
    table <- utils::read.delim(
      system.file("spec", "functions.tsv", package = "nmathopencl"),
      quote = "", colClasses = "character", na.strings = character()
    )
    expression_state$table <- table[!table$kernel %in% c("r_check_stack_kernel", "r_check_user_interrupt_kernel"), ]
  }
  expression_state$table
}

# inst/spec/rule_functions.tsv: device functions that the rules of derivatives call, and nobody else.
rule_functions <- function() {
  table <- utils::read.delim(
    system.file("spec", "rule_functions.tsv", package = "nmathopencl"),
    quote = "", colClasses = "character", na.strings = character()
  )
  stats::setNames(.mapply(list, table, NULL), table$name)
}

split_commas <- function(text) if (nzchar(text)) strsplit(text, ", *")[[1L]] else character()

# "x, mean = 0, sd = 1" as the formals of a function.
parsed_formals <- function(text) formals(eval(str2lang(paste0("function(", text, ") NULL"))))

# The function's name in R: mirrors is "stats::dnorm" or "base::`^`"; functions that R calls in C only keep their own.
r_name <- function(row) {
  ifelse(nzchar(row$mirrors), gsub("`", "", sub("^[a-z]*::", "", row$mirrors), fixed = TRUE), row$name)
}

# Rows by R's name; of the forms of one function (central, non-central; by prob, by mu) R's name stands for the first.
library_functions <- function() {
  if (is.null(expression_state$functions)) {
    table <- function_table()
    rows <- .mapply(list, table, NULL)
    names(rows) <- table$name
    expression_state$rule_rows <- rule_functions()
    expression_state$rows <- c(rows, expression_state$rule_rows)
    first <- order(!nzchar(table$mirrors))
    named <- rows[first]
    keys <- r_name(table)[first]
    own <- c(names(named), keys)
    all <- c(named, named)
    expression_state$functions <- all[!duplicated(own)]
    names(expression_state$functions) <- own[!duplicated(own)]
    expression_state$functions <- expression_state$functions[setdiff(names(expression_state$functions), "^")]
  }
  expression_state$functions
}

library_row <- function(name) {
  library_functions()
  expression_state$rows[[name]]
}

# NULL if `name` is no function that only rules of derivatives call.
rule_row <- function(name) {
  library_functions()
  expression_state$rule_rows[[name]]
}

# Arguments that choose another form of a function, as R chooses it: by whether they are given.
form_of <- function(row, given) {
  other <- if ("ncp" %in% given) sub("^(.)", "\\1n", row$name) else if ("mu" %in% given) paste0(row$name, "_mu")
  if (is.null(other)) return(row)
  found <- library_row(other)
  if (is.null(found) || row$name == found$name) row else found
}

# R's arithmetic and mathematics in C: from doubles to a double. `nan`: whether it makes a NaN, with R's warning, of what
# is none.
elementary <- list(
  sqrt = list(c = "sqrt(%s)", nan = TRUE), exp = list(c = "expr_exp(%s)", nan = FALSE), log2 = list(c = "log2(%s)", nan = TRUE),
  log10 = list(c = "log10(%s)", nan = TRUE), sin = list(c = "sin(%s)", nan = TRUE), cos = list(c = "cos(%s)", nan = TRUE),
  tan = list(c = "tan(%s)", nan = TRUE), asin = list(c = "asin(%s)", nan = TRUE), acos = list(c = "acos(%s)", nan = TRUE),
  atan = list(c = "atan(%s)", nan = FALSE), sinh = list(c = "sinh(%s)", nan = FALSE),
  cosh = list(c = "cosh(%s)", nan = FALSE), tanh = list(c = "tanh(%s)", nan = FALSE),
  asinh = list(c = "asinh(%s)", nan = FALSE), acosh = list(c = "acosh(%s)", nan = TRUE),
  atanh = list(c = "atanh(%s)", nan = TRUE), floor = list(c = "floor(%s)", nan = FALSE),
  ceiling = list(c = "ceil(%s)", nan = FALSE)
)

arithmetic_calls <- c("+", "-", "*", "/", "^", "%%", "%/%")
comparison_calls <- c("==", "!=", "<", ">", "<=", ">=")
logic_calls <- c("&", "|", "!", "&&", "||", "xor")
structure_calls <- c("{", "(", "<-", "=", "if", "ifelse", "return")
other_calls <- c(
  "abs", "log", "pmin", "pmax", "is.na", "is.nan", "is.finite", "is.infinite", "atan2", "%*%", "as.double", "as.numeric",
  "as.integer", "as.logical", "rep_len", "sign", "trunc", "round", "signif", "factorial", "lfactorial", ".c_text"
)
# These look at vectors, not at elements: R computes them, for conditions and for how many draws are made.
size_calls <- c("length", "nrow", "ncol", "NROW", "NCOL")

language_calls <- function() {
  unique(c(arithmetic_calls, comparison_calls, logic_calls, structure_calls, other_calls, size_calls, names(elementary)))
}

# Whether `name` is R's, or this package's, as seen from `env`: the entry of the language that it stands for, an
# opencl_function, or an error.
resolve_call <- function(name, env, package = NULL) {
  found <- if (is.null(package)) get0(name, envir = env, mode = "function") else get0(name, asNamespace(package), mode = "function")
  if (inherits(found, "opencl_function")) return(list(kind = "own", value = found))
  own <- sub("_opencl$", "", name)
  ours <- asNamespace("nmathopencl")
  if (own != name && !is.null(found) && identical(found, get0(name, ours, mode = "function"))) {
    row <- library_functions()[[own]]
    if (!is.null(row)) return(list(kind = "library", value = row, name = own))
  }
  home <- if (is.null(found)) NULL else environment(found)
  rs <- is.null(found) || is.primitive(found) || identical(home, asNamespace("stats")) || identical(home, baseenv()) ||
    identical(home, .BaseNamespaceEnv)
  if (!rs) {
    argument_error(
      "`", name, "()` is a function of your own or of another package: make it one that an expression can call, ",
      name, " <- opencl_function(", name, ")"
    )
  }
  if (name %in% language_calls()) return(list(kind = "language", name = name))
  row <- library_functions()[[name]]
  if (!is.null(row)) return(list(kind = "library", value = row, name = name))
  argument_error(unsupported_text(name, found))
}

supported_text <- function() {
  paste0(
    "an expression may use arithmetic, comparisons, logic, ifelse, if, pmin, pmax, %*% with a vector of coefficients, ",
    "elementary functions, other opencl_functions and the functions of this package by R's names (?opencl_function)"
  )
}
