# What to write for what the language lacks.

instead <- list(
  list(c("[[", "$", "with"), paste(
    "an expression knows elements of lists that are arguments of the function itself or variables, data$y and with(data, y * x). Give others",
    "as arguments of their own"
  )),
  list(c("[", "@", "head", "tail", "subset"), paste(
    "an expression computes with whole vectors. Take elements before the call, f(x[i]), or choose between values by ifelse();",
    "parts of a list are arguments of their own"
  )),
  list(c("sum", "mean", "prod", "any", "all"), paste(
    "it makes one value of all elements. Make a function of the values and let it reduce them, opencl_function(f, reduce = \"sum\"),",
    "or compute it before the call and give it as an argument"
  )),
  list(c("min", "max", "range"), paste(
    "it makes one value of all elements. Element by element there are pmin() and pmax(); for all there is",
    "opencl_function(f, reduce = \"max\")"
  )),
  list(c("median", "quantile", "scale", "cumsum", "cumprod", "cummax", "cummin", "rev", "sort", "order", "rank", "diff",
         "which", "unique", "table", "tapply"), paste(
    "it looks at several elements at once. Compute it before the call and give the result as an argument"
  )),
  list(c("for", "while", "repeat", "break", "next"), paste(
    "an expression has no loops: it computes all elements at once. What is repeated a fixed number of times is written so many times",
    "or stands in another opencl_function()"
  )),
  list(c("sapply", "lapply", "vapply", "mapply", "Map", "Reduce", "Vectorize", "apply", "do.call"), paste(
    "an expression computes all elements at once. Call the function with the vector itself"
  )),
  list(c(":", "seq", "seq_len", "seq_along", "rep", "numeric", "integer", "logical", "vector", "array", "list", "cbind",
         "rbind", "rep_len"), "make the vector before the call and give it as an argument"),
  list(c("%o%", "outer", "crossprod", "tcrossprod", "t", "solve", "diag", "det", "chol"), paste(
    "of R's operations on matrices an expression has X %*% b, with a matrix and a vector of coefficients that are arguments. Compute",
    "others before the call"
  )),
  list("match", "compare with each value, x == a | x == b, or compute it before the call and give what comes of it as an argument"),
  list(c(".Call", ".External", ".External2", ".Internal", "UseMethod"), paste(
    "the function is not written in R. Call it in one that is, function(x, mean, sd) dnorm(x, mean, sd)"
  )),
  list(c("<<-", "assign"), "assign by <-: an expression changes nothing outside"),
  list(c("message", "print", "cat", "tryCatch", "on.exit"),
       "an expression computes only. Do this around the call"),
  list(c("nchar", "paste", "paste0", "substr", "sprintf", "format", "toupper", "tolower", "match.arg", "inherits"),
       "of texts an expression knows ==, !=, %in%, switch() and nzchar(). Make the text before the call, and give it as an argument")
)

instead_of <- function(name) {
  for (row in instead) if (name %in% row[[1L]]) return(row[[2L]])
}

# `found`: the function of that name, NULL where there is none.
unsupported_text <- function(name, found = get0(name, mode = "function")) {
  shown <- if (make.names(name) == name || name %in% c("for", "while", "repeat", "function")) paste0("`", name, "()`") else paste0("`", name, "`")
  table <- function_table()
  own <- table[c(row_of_name(name, table), which(tolower(r_name(table)) == tolower(name))), ] # C's name, or other capitals
  own <- r_name(own)[!is.na(own$name)]
  hint <- instead_of(name) %||% if (is.null(found)) paste0(
    "there is no such function here", if (length(own)) paste0(", but ", own[1L], "()"), ". ?opencl_language lists what there is"
  )
  paste0(shown, " is not supported: ", hint %||% supported_text())
}
