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
    "an error when the function is made or, where it depends on what the arguments are, when it is called."
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

# Functions without a derivative in some of their arguments.
derivative_section <- function() {
  rules <- utils::read.delim(
    system.file("spec", "derivatives.tsv", package = "nmathopencl"),
    quote = "", colClasses = "character", na.strings = character()
  )
  table <- function_table()
  table <- table[grepl("^stats::|^base::", table$mirrors) & !table$flags %in% c("draws", "counts", "cells"), ]
  lacking <- vapply(seq_len(nrow(table)), function(k) {
    row <- table[k, ]
    columns <- setdiff(split_commas(row$columns), split_commas(row$flags))
    known <- rules$argument[rules$name %in% c(row$name, r_name(row))]
    if (r_name(row) %in% language_calls()) columns <- character()
    paste(setdiff(columns, known), collapse = ", ")
  }, "")
  none <- lacking == vapply(table$columns, function(columns) paste(split_commas(columns), collapse = ", "), "")
  some <- nzchar(lacking) & !none
  paste0(
    "@section Derivatives: Whatever is not named here has a derivative in each of its arguments that are numbers. Some lack those in (",
    paste0(rd_code(r_name(table)[some]), ": ", rd_code(lacking[some]), collapse = "; "), "), others any (",
    paste(unique(rd_code(r_name(table)[none & nzchar(lacking)])), collapse = ", "),
    "). Conditions and random numbers have none. What has none is an error when the function is made."
  )
}
