# Parts of opencl_function()'s help page that the tables of the language say.

rd_code <- function(text) paste0("\\code{", gsub("([{}])", "\\\\\\1", gsub("%", "\\\\%", text)), "}")

language_section <- function() {
  table <- language_table()
  names_of <- function(kind, but = character()) paste(rd_code(setdiff(table$name[table$kind == kind], but)), collapse = ", ")
  own <- c("X %*% b" = "%*%")
  paste0(
    "@section The language: Arithmetic (", names_of("arithmetic"), "), comparisons (", names_of("comparison"), "), logic (",
    names_of("logic"), "), \\code{ifelse}, \\code{if}/\\code{else}, \\code{\\{\\}}, local variables, \\code{return}; of one number ",
    names_of("elementary"), "; ", names_of("other", c(own, ".c_text")), " and ", rd_code("X %*% b"),
    " with a matrix and a vector of coefficients; ", names_of("size"),
    ". Numbers, \\code{TRUE}, \\code{FALSE} and \\code{NA}, variables of the function's environment and other \\code{opencl_function}s ",
    "(looked up at each call), and every function of this package by R's name, arguments and defaults: ",
    "\\code{dgamma(x, a, rate = b, log = TRUE)}, \\code{lgamma}, \\code{log1p}, \\code{besselJ}, \\code{rnorm(length(x), m)}. Anything else is ",
    "an error when the function is made."
  )
}

reduce_parameter <- function() {
  rows <- reduction_table()
  said <- vapply(rows, function(row) {
    paste0(rd_code(paste0("\"", row$name, "\"")), if (nzchar(row$title)) paste0(" (", row$title, ")"))
  }, "")
  paste0(
    "@param reduce \\code{NULL}, or what becomes of the values: ", paste(said, collapse = ", "), ". Sums and means are added in doubles: ",
    "where the sum of some of the values exceeds their range (1.8e308), the result is infinite or \\code{NaN}, although R, which adds in a ",
    "type of larger range, may have a finite one. Products leave the range only where the whole product does."
  )
}
