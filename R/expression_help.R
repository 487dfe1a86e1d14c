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
    ". \\code{switch}, ", names_of("passing"), " and what is known when a call is made: ", names_of("known"),
    "; \\code{stop}, \\code{stopifnot}, \\code{warning}, \\code{suppressWarnings}. Numbers, \\code{TRUE}, \\code{FALSE}, \\code{NA}, texts and \\code{NULL} ",
    "to choose by, variables of the function's environment, functions of one's own and other \\code{opencl_function}s ",
    "(looked up at each call), and every function of this package by R's name, arguments and defaults: ",
    "\\code{dgamma(x, a, rate = b, log = TRUE)}, \\code{lgamma}, \\code{log1p}, \\code{besselJ}, \\code{rnorm(length(x), m)}. Anything else is ",
    "an error when the function is made or, where it depends on what the arguments are, when it is called. ",
    "\\code{\\link{opencl_language}} has an example of each."
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
  facts <- Filter(function(fact) fact$of_r && !fact$language, derivative_facts())
  none <- vapply(facts, function(fact) length(fact$first) == 0L, NA)
  some <- !none & vapply(facts, function(fact) length(fact$lacking) > 0L, NA)
  lacking <- vapply(facts[some], function(fact) paste0(rd_code(fact$called), ": ", paste(rd_code(fact$lacking), collapse = ", ")), "")
  paste0(
    "@section Derivatives: Some functions of this package lack a derivative in (", paste(lacking, collapse = "; "), "), others have none (",
    paste(vapply(facts[none], function(fact) rd_code(fact$called), ""), collapse = ", "),
    "); all others by R's names have one in each of their arguments that are numbers. \\code{\\link{opencl_derivatives}} lists all, and which have second ones. ",
    "Conditions and random numbers have none. What has none is an error when the function is made."
  )
}

# What ?opencl_language has of each row of the language's table: its own example, or the usual one of its kind.
example_of <- function(row) {
  name <- row$name
  if (nzchar(row$example)) return(row$example)
  switch(row$kind,
    arithmetic = , comparison = paste("x", name, "y"),
    logic = paste("x > 1", name, "y > 2"),
    elementary = paste0(name, "(x)"),
    size = paste0("x / ", name, "(x)"),
    reduction = paste0("x - ", name, "(x)"),
    ""
  )
}

example_kinds <- c(
  structure = "Statements, choices and functions", arithmetic = "Arithmetic", comparison = "Comparisons (== and != of texts, too)",
  logic = "Logic", elementary = "Of one number", other = "Others", passing = "What changes no number", known = "What is known at a call", list = "Lists, data frames, and what R computes of data", size = "Sizes",
  reduction = "One value of all", index = "Elements"
)

language_rows <- function() {
  rows <- .mapply(list, language_table(), NULL)
  rows <- lapply(rows, function(row) c(row, list(shown = example_of(row))))
  Filter(function(row) nzchar(row$shown), rows)
}

language_table_section <- function() {
  rows <- language_rows()
  kinds <- vapply(rows, function(row) row$kind, "")
  sections <- lapply(intersect(names(example_kinds), kinds), function(kind) {
    shown <- vapply(rows[kinds == kind], function(row) paste0(rd_code(row$name), " \\tab ", rd_code(row$shown)), "")
    paste0("@section ", example_kinds[[kind]], ": \\tabular{ll}{", paste(shown, collapse = " \\cr\n  "), "}")
  })
  unlist(sections)
}

# Examples are computed without a compiler, which takes no time; the last one is a kernel of many of them.
language_examples <- function() {
  used <- c(x = "c(0.5, 2, 4)", y = "c(1, 3, 2)", X = "cbind(1, c(-1, 0, 1))", b = "c(0.2, -0.1)", link = "\"probit\"", flag = "TRUE", data = "data.frame(y = y)", g = "c(1L, 2L, 1L)")
  calls <- vapply(language_rows(), function(row) {
    arguments <- intersect(names(used), all.vars(str2lang(row$shown)))
    arguments <- paste(arguments, collapse = ", ")
    call <- paste0("opencl_function(function(", arguments, ") ", row$shown, ")(", arguments, ")")
    if (nchar(call) <= 95L) call else paste0("opencl_function(function(", arguments, ")\n  ", row$shown, "\n)(", arguments, ")")
  }, "")
  lines <- c(
    "@examples", paste(names(used), "<-", used), "old <- options(nmathopencl.compiler = FALSE) # R computes these",
    unique(calls), "options(old)",
    "inverse <- function(eta, link) switch(link, logit = plogis(eta), probit = pnorm(eta))",
    "f <- opencl_function(function(y, X, b, link) {",
    "  stopifnot(length(y) == nrow(X))",
    "  p <- inverse(drop(X %*% b), link)",
    "  ifelse(y > 1, log(p), log1p(-p))", "}, reduce = \"sum\")",
    "f(y, X, b, \"logit\")", "f(y, X, b, \"probit\")"
  )
  paste(lines, collapse = "\n")
}
