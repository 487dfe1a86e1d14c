# Classes of arguments: one for which R has methods of what an expression computes is an error, others mean nothing to it.

# Generics, besides the groups, by which a class could change what an expression, or R for a part of one, computes.
asked_generics <- c(
  "[", "[[", "length", "dim", "dimnames", "names", "c", "rep", "t", "mean", "median", "quantile", "is.na", "rev", "unique", "sort", "xtfrm", "diff", "scale",
  "split", "levels", "cbind", "rbind", "as.vector", "as.double", "as.numeric", "as.integer", "as.logical", "as.matrix", "aperm", "duplicated", "cut", "%in%", "match"
)
group_members <- c(
  "Ops", "+", "-", "*", "/", "^", "%%", "%/%", "==", "!=", "<", ">", "<=", ">=", "&", "|", "!",
  "Math", "abs", "sign", "sqrt", "floor", "ceiling", "trunc", "round", "signif", "exp", "log", "expm1", "log1p", "cos", "sin", "tan", "cospi", "sinpi", "tanpi",
  "acos", "asin", "atan", "cosh", "sinh", "tanh", "acosh", "asinh", "atanh", "lgamma", "gamma", "digamma", "trigamma", "cumsum", "cumprod", "cummax", "cummin",
  "Summary", "all", "any", "sum", "prod", "max", "min", "range", "%*%"
)
# Those that are refused whatever is loaded, and those that say nothing: `[` of I() only keeps its class.
never_plain <- c("factor", "Date", "POSIXct", "POSIXlt", "difftime", "ts", "integer64", "opencl_vector", "opencl_matrix")
always_plain <- c("matrix", "array", "numeric", "integer", "double", "logical", "AsIs")

# Numbers without such a class; all else as it is. `env`: where the expression was made, whose methods R would find.
without_plain_class <- function(x, env = globalenv()) {
  if (!is.object(x) || isS4(x) || !typeof(x) %in% c("double", "integer", "logical") || is_resident(x)) return(x)
  classes <- setdiff(oldClass(x), always_plain)
  if (any(classes %in% never_plain)) return(x)
  for (class in classes) if (has_methods(class, env %||% baseenv())) return(x)
  oldClass(x) <- NULL
  x
}

# Whether R would find a method of one of these for a class: a function of that name, or one that is registered where the generic is.
has_methods <- function(class, env) {
  registered <- lapply(list(.BaseNamespaceEnv, asNamespace("stats")), function(home) get(".__S3MethodsTable__.", home))
  for (name in paste0(c(group_members, asked_generics), ".", class)) {
    if (exists(name, envir = env, mode = "function")) return(TRUE)
    for (table in registered) if (exists(name, envir = table, inherits = FALSE)) return(TRUE)
  }
  FALSE
}
