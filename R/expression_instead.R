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
  list(c("median", "quantile", "scale", "cumprod", "cummax", "cummin", "sort", "order", "rank", "which", "unique", "range"), paste(
    "it looks at several elements at once, of what the function computes. Of arguments and variables that are not in `gradient` R computes it,",
    "sort(t); of others compute it before the call and give the result as an argument"
  )),
  list(c("sapply", "lapply", "vapply", "apply", "do.call"), paste(
    "an expression computes all elements at once. Call the function with the vector itself, or go over elements by",
    "sapply(seq_along(x), function(i) ...) and over rows by apply(X, 1, function(v) ...)"
  )),
  list(c("mapply", "Map", "Vectorize"), "write sapply(seq_along(x), function(i) f(x[i], y[i])), or call the function with the vectors themselves"),
  list(c("Reduce", "Filter", "Recall"), "write a loop that adds up, for (k in 1:3) d <- d + w[k] * dnorm(y, m[k], s[k])"),
  list(c("split", "by", "aggregate"), paste(
    "sums of groups are tapply(x, g, sum), ave(x, g, FUN = sum) and rowsum(x, g), and u[g] is each row's own. For one result of each group",
    "call the function with `by`"
  )),
  list(c("tapply", "rowsum"), paste(
    "of groups an expression has tapply(x, g, sum), tapply(x, g, mean), rowsum(x, g) of a vector and ave(x, g, FUN = sum), whose groups are an argument",
    "or a variable"
  )),
  list(c("table", "names", "levels"), "compute it before the call and give its numbers, as.vector(table(y)), as an argument"),
  list(c(":", "seq", "seq_len", "seq_along", "rep", "numeric", "integer", "logical", "array", "cbind",
         "rep_len"), "make the vector before the call and give it as an argument"),
  list(c("getAll", "attach", "list2env"), "elements of a list are parms$a, or names in with(parms, ...)"),
  list("vector", "write numeric(n), integer(n) or logical(n)"),
  list("list", "an expression computes with vectors: give each part a name of its own, or join numbers by c()"),
  list("dmultinom", "its log with probabilities `p` is lgamma(sum(x) + 1) + sum(x * log(p) - lgamma(x + 1))"),
  list(c("optimize", "optimise", "optim", "uniroot", "integrate", "nlm", "nlminb"), paste(
    "it calls a function again and again, until it has found something. Call it before, and give what it finds as an argument"
  )),
  list(c("%o%", "tcrossprod", "solve", "diag", "det", "chol", "as.matrix", "dist", "determinant", "forwardsolve", "backsolve", "eigen", "svd", "qr"), paste(
    "of R's operations on matrices an expression has products, %*% and crossprod(), t(), outer(), sweep(), cbind() and sums of rows and columns; of",
    "arguments and variables that are not in `gradient` R computes solve(), chol() and det(). A small inverse or determinant is written out, S[1, 1] * S[2, 2] - S[1, 2]^2"
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

# Names that an expression may call.
callable_names <- function() c(language_calls(), names(library_functions()))

# `found`: the function of that name, NULL where there is none.
unsupported_text <- function(name, found = get0(name, mode = "function")) {
  shown <- if (make.names(name) == name || name %in% c("for", "while", "repeat", "function")) paste0("`", name, "()`") else paste0("`", name, "`")
  table <- function_table()
  own <- table[c(row_of_name(name, table), which(tolower(r_name(table)) == tolower(name))), ] # C's name, or other capitals
  own <- r_name(own)[!is.na(own$name)]
  hint <- instead_of(name) %||% if (is.null(found)) paste0(
    "there is no such function here", if (length(own)) paste0(", but ", own[1L], "()"), ". ?opencl_language lists what there is",
    if (!length(own)) did_you_mean(name, callable_names(), "()")
  )
  paste0(shown, " is not supported: ", hint %||% supported_text())
}
