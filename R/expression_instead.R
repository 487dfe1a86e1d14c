# What to write instead of a function that expressions do not have: rows of names and a text for messages.

before_the_call <- "compute it before the call, and give what it gives as an argument or in `data`"

instead <- list(
  list("modifyList", paste(
    "it takes lists that stand there, list(a = 1), a variable that is assigned such a list once, or a list that is a variable or in `data` when the",
    "function is made; NULL takes no element out"
  )),
  list(c("[[", "$", "with"), paste(
    "an expression knows elements of lists that are arguments of the function itself or variables, data$y and with(data, y * x). Give others",
    "as arguments of their own. A list of index vectors, nb[[i]] of neighbours, is two vectors, to <- unlist(nb) and from <- rep(seq_along(nb), lengths(nb)): sums of u[nb[[i]]] are tapply(u[to], from, sum). Elements of a list by a number or a name that differs, d[[nm[j]]], are columns of a matrix, X <- as.matrix(d) and X[, j].",
    "Rows of a data frame in a loop are those of one condition, e <- d[d$id == i, ]: leave others out before the call. One row, r <- d[i, ] and r$y, is d$y[i]"
  )),
  list(c("[", "@", "head", "tail", "subset"), paste(
    "an expression computes with whole vectors. Take elements before the call, f(x[i]), or choose between values by ifelse();",
    "parts of a list are arguments of their own"
  )),
  list(c("quantile", "scale", "cumprod", "cummax", "cummin", "rank", "unique", "range", "sort", "median", "order"), paste(
    "it looks at several elements at once, of what the function computes. Of arguments and variables that are not in `gradient` R computes it,",
    "quantile(t, 0.9); of others write sort(x)[k], median(x) or quantile(x, 0.9) of a variable that is assigned once, or x[order(x)].",
    "Where the name is assigned again, t <- t[o], give the new value another name, t2 <- t[o]"
  )),
  list(c("which", "which.max", "which.min"), paste(
    "R finds numbers of elements of arguments and variables, which(d == 1). In a loop over subjects they stand as an index, y[i], and as length(i);",
    "where they are numbers themselves, y[i[1]], compute them before the call, by split(seq_along(id), id). Where the name is assigned again,",
    "t <- t[k], give the new value another name, t2 <- t[k]"
  )),
  list("do.call", paste(
    "it takes a function by its name and a list that the body makes, do.call(h, list(m = a, s = b)), do.call(h, th) and do.call(h, c(th, list(k = 1))), or",
    "as.list(par) of a vector whose names are those of the function's arguments. For do.call(pmax, as.data.frame(M)) write apply(M, 1, max)"
  )),
  list(c("sapply", "lapply", "vapply", "apply"), paste(
    "an expression computes all elements at once. Call the function with the vector itself, or go over elements by",
    "sapply(seq_along(x), function(i) ...), which lapply() is as unlist(lapply(x, f)), and over rows by apply(X, 1, function(v) ...)"
  )),
  list(c("mapply", "Map", "Vectorize"), "write sapply(seq_along(x), function(i) f(x[i], y[i])), or call the function with the vectors themselves"),
  list(c("try", "tryCatch"), paste(
    "with a handler of errors, tryCatch(value, error = ...) and try(value), it is the value where nothing in it can stop in R. Do others around the call"
  )),
  list(c("match.arg"), "it takes an argument of the function by its name, match.arg(family), where the texts are its default, family = c(\"a\", \"b\")"),
  list("relist", paste(
    "it takes a vector by its name, and a list of numbers, vectors and matrices that stands there, relist(par, list(m = 0, b = c(0, 0))), or that is a",
    "variable or in `data` when the function is made"
  )),
  list("subset", "it takes data that are not in `gradient`, subset(d, x > 0)$y, or a vector and a test, subset(x, y > 0)"),
  list("local", "it takes one block, local({ m <- par[1]; m^2 })"),
  list("Reduce", paste(
    "it takes a function of two numbers and a vector, Reduce(function(a, b) phi * a + b, y, 0, accumulate = TRUE), or lists that stand there. Write a loop that adds up,",
    "for (k in 1:3) d <- d + w[k] * dnorm(y, m[k], s[k])"
  )),
  list(c("Filter", "Recall"), "write a loop that adds up, for (k in 1:3) d <- d + w[k] * dnorm(y, m[k], s[k])"),
  list("filter", paste(
    "it is filter(x, a, method = \"recursive\") with one number `a`. Others are loops, for (t in 3:length(x)) y[t] <- x[t] + a[1] * y[t - 1] + a[2] * y[t - 2],",
    "and sums of shifted elements, a[1] * x[-1] + a[2] * x[-length(x)]"
  )),
  list("split", paste(
    "it stands in sapply(split(y, g), function(v) ...), vapply() or unlist(lapply()) of it, where y is an argument or a variable. Of several vectors",
    "write sapply(split(d, d$g), function(s) sum(s$y - b * s$x)), of a data frame, sapply(split(seq_along(y), g), function(i) sum(y[i] - b * x[i])) or",
    "sapply(unique(g), function(k) { v <- y[g == k]; w <- x[g == k]; sum(v - b * w) }). Sums of groups of what the function computes are",
    "tapply(r, g, sum) and ave(r, g, FUN = sum), and u[g] is each row's own. Rows of a matrix or data frame are chosen by a test, for (i in unique(id))",
    "with y[id == i] and Z[id == i, ] %*% b. For one result of each group call the function with `by`"
  )),
  list(c("by", "aggregate"), paste(
    "sum(by(d, d$g, function(s) sum(s$y))) is the sum of such numbers. Sums of groups are tapply(x, g, sum), ave(x, g, FUN = sum), rowsum(x, g), aggregate(x, list(g), sum)$x and sapply(split(x, g), f), and u[g] is each",
    "row's own. For one result of each group call the function with `by`"
  )),
  list("unsplit", "it stands around what was split by the same groups, unsplit(lapply(split(x, g), function(v) v - mean(v)), g)"),
  list("mahalanobis", paste(
    "it takes a matrix with a row for each observation, a center and a covariance matrix, mahalanobis(Y, mu, S). With the inverse P of S write",
    "rowSums((D %*% P) * D), where D <- sweep(Y, 2, mu)"
  )),
  list(c("tapply", "rowsum"), paste(
    "of groups an expression has tapply(x, g, sum), tapply(x, g, mean), tapply(x, g, function(v) sum(v^2)) of sums and means, rowsum(x, g) of a vector and",
    "ave(x, g, FUN = sum), whose groups are an argument or a variable"
  )),
  list("table", "compute it before the call and give its numbers, as.vector(table(y)), as an argument"),
  list("levels", paste(
    "loops go over levels(g) of an argument or a variable, and ask g == lev in for (lev in levels(g)). Where the level itself is read, as a name or a text, go over",
    "their numbers, for (k in seq_along(levels(g))) with as.integer(g) == k and u[k]"
  )),
  list(c("names", "as.list", "unlist", "relist", "setNames", "names<-", "list2DF", "stack"), paste(
    "an expression has no lists and no names as values. par[\"a\"] and par[[\"a\"]] are the element of that name, par[1] is the first one, and",
    "with(as.list(par), ...) knows elements by their names. Names are asked about, \"a\" %in% names(par) and par[names(par) == \"a\"], and given,",
    "names(par) <- c(\"a\", \"b\"), by texts that stand there. Names in a variable are given with the argument, f(par = setNames(par, nm))"
  )),
  list("model.matrix", paste(
    "it takes a formula and a data frame of arguments and variables that are not in `gradient`, model.matrix(~ x, d), and R's own functions. Make another matrix before the call,",
    "and give it as an argument or in `data`: X %*% b is its product with coefficients"
  )),
  list(c("model.frame", "poly", "bs", "ns", "model.response", "contrasts", "contr.treatment", "terms", "formula", "smoothCon"), paste(
    "make the matrix before the call, X <- model.matrix(~ x, d) or X <- unclass(poly(x, 3)), and give it as an argument or in `data`: X %*% b is its",
    "product with coefficients"
  )),
  list(c("na.omit", "na.exclude", "complete.cases", "na.pass"), paste(
    "leave missing rows out before the call, d <- na.omit(d), or in the function by y[!is.na(y)] and sum(..., na.rm = TRUE)"
  )),
  list(c("factor", "as.factor", "cut", "interaction", "relevel", "droplevels", "is.factor", "ordered", "nlevels<-", "levels<-"), paste(
    "make the factor before the call and give it as an argument or in `data`: u[g] takes it as codes, and nlevels(g) is their number"
  )),
  list(c("data.frame", "as.data.frame", "merge", "transform", "within", "expand.grid", "rapply", "is.list", "is.data.frame"), paste(
    "make the data frame before the call and give it as an argument or in `data`: its columns are d$y, and names in with(d, ...). A column that the function computes",
    "is a variable, mu <- a + b * d$x, and `mu` for `d$mu` behind it"
  )),
  list(c("cor", "cov"), "write sum((x - mean(x)) * (y - mean(y))) / (length(x) - 1), and for the correlation that over sd(x) * sd(y); of matrices compute it before the call"),
  list("weighted.mean", "it takes two vectors, weighted.mean(x, w), and na.rm = TRUE or FALSE as it is written; without weights it is mean(x)"),
  list(c("lm", "glm", "predict", "fitted", "residuals", "resid", "coef", "nls", "loess", "smooth.spline", "splinefun", "approxfun", "ecdf", "approx", "spline", "fft", "convolve"),
       before_the_call),
  list(c("eval", "parse", "quote", "substitute", "bquote", "expression", "get", "get0", "mget", "exists", "match.call", "sys.call", "environment", "sys.function", "deparse", "body", "Negate", "local"), paste(
    "an expression computes with vectors, not with R code. A variable is read by its name, and a function that is made in the body is called by its own"
  )),
  list(c("attr", "attributes", "structure", "class", "unclass", "oldClass", "attr<-", "class<-", "dim<-", "dimnames<-", "colnames<-", "rownames<-", "dimnames", "colnames", "rownames", "dim"), paste(
    "an expression knows no attributes but names and dimensions, of which it has nrow(X), ncol(X), X[, \"a\"] and par[\"a\"]. Change them before the call"
  )),
  list(c("aperm", "kronecker", "array"), "an expression has vectors and matrices. Make the array before the call, and give its matrices or its elements as arguments"),
  list(c(":", "seq", "seq_len", "seq_along", "rep", "numeric", "integer", "logical", "cbind",
         "rep_len"), "make the vector before the call and give it as an argument"),
  list(c("getAll", "attach", "list2env"), "elements of a list are parms$a, or names in with(parms, ...)"),
  list("vector", "write numeric(n), integer(n) or logical(n)"),
  list("list", paste(
    "an expression computes with vectors: give each part a name of its own, or join numbers by c(). Elements of a list that the function makes, or a function of",
    "one's own gives by list(...) at its end, are th$a, th[[1]], and names in with(th, ...). Functions of one's own take such a list, prior(th), which they read by",
    "these ways, too; functions that the body makes, and those with missing() or ..., take its elements, f(th$a, th$b), or do.call(f, th)"
  )),
  list("integrate", paste(
    "it chooses where to compute by what it has found. Write the sum over nodes with weights that are made before the call, as those of Gauss and Legendre",
    "or Hermite: s <- 0; for (k in seq_along(nodes)) s <- s + weights[k] * f(nodes[k])"
  )),
  list("dmultinom", "its log with probabilities `p` is lgamma(sum(x) + 1) + sum(x * log(p) - lgamma(x + 1))"),
  list(c("optimize", "optimise", "optim", "uniroot", "nlm", "nlminb"), paste(
    "it calls a function again and again, until it has found something. Call it before, and give what it finds as an argument"
  )),
  list(c("%o%", "tcrossprod", "diag", "as.matrix", "dist", "determinant", "eigen", "svd", "qr"), paste(
    "of R's operations on matrices an expression has products, %*% and crossprod(), t(), outer(), sweep(), cbind() and sums of rows and columns, and of",
    "matrices of up to 8 rows solve(), chol(), chol2inv(), backsolve(), det() and determinant(S)$modulus; of arguments and variables that are not in",
    "`gradient` R computes larger ones"
  )),
  list("match", "compare with each value, x == a | x == b, or compute it before the call and give what comes of it as an argument"),
  list(c(".Call", ".External", ".External2", ".Internal", "UseMethod"), paste(
    "the function is not written in R. Call it in one that is, function(x, mean, sd) dnorm(x, mean, sd)"
  )),
  list("<<-", paste(
    "assign by <-, as functions change no variable around them: a loop does, for (k in 1:3) s <- s + p[1]^k, and a function that gives what is added,",
    "s <- s + sum(sapply(1:3, function(k) p[1]^k))"
  )),
  list("assign", "assign by <-: an expression changes nothing outside"),
  list(c("message", "print", "cat"), paste(
    "it shows something at each call in R, and an expression computes only. Leave it out, or trace around the call, function(par) { cat(par, \"\\n\"); f(par) },",
    "where f <- opencl_function(...)"
  )),
  list(c("tryCatch", "try", "on.exit", "Sys.time", "set.seed", "proc.time", "browser", "debug", "flush", "save", "readRDS", "library", "require"),
       "an expression computes only. Do this around the call"),
  list(c("nchar", "paste", "paste0", "substr", "sprintf", "format", "toupper", "tolower", "match.arg", "inherits", "strsplit", "grepl", "sub", "gsub", "startsWith", "endsWith", "regmatches"),
       "of texts an expression knows ==, !=, %in%, switch() and nzchar(). Make the text before the call, and give it as an argument")
)

instead_of <- function(name) {
  for (row in instead) if (name %in% row[[1L]]) return(row[[2L]])
}

# What is often written, and refused, and what to write instead, as code: rows of ?opencl_language.
written_instead <- list(
  c("cov(x, y)", "sum((x - mean(x)) * (y - mean(y))) / (length(x) - 1)"),
  c("sum(do.call(pmax, as.data.frame(X)))", "sum(apply(X, 1, max))"),
  c("sum(outer(x, y, function(a, b) exp(-a * b / sum(x))))", "{ s <- sum(x); sum(outer(x, y, function(a, b) exp(-a * b / s))) }"),
  c("sum(mapply(function(u, v) sum(u * v), u = split(x, g), v = split(y, g)))", "sum(mapply(function(u, v) sum(u * v), split(x, g), split(y, g)))"),
  c("sum(Filter(function(v) v > 1, x))", "sum(x[x > 1])"),
  c("sum((function(z) z^2)(x))", "{ square <- function(z) z^2; sum(square(x)) }"),
  c("{ z <- NULL; for (k in 1:3) z[k] <- x[k] * 2; sum(z) }", "{ z <- numeric(3); for (k in 1:3) z[k] <- x[k] * 2; sum(z) }"),
  c("{ data$z <- data$y * 2; sum(data$z) }", "{ z <- data$y * 2; sum(z) }")
)

instead_section <- function() {
  rows <- vapply(written_instead, function(row) paste(rd_code(row), collapse = " \\tab "), "")
  paste0(
    "@section What to write instead: Of what is refused most often; each message says so, too.\n\\tabular{ll}{refused \\tab instead \\cr\n  ", paste(rows, collapse = " \\cr\n  "), "}\n",
    "Texts are an index, \\code{par[s]}, of up to 100 elements; of more write \\code{par[match(s, names(par))]}. \\code{factor(s)} has other numbers, those of its sorted levels. ",
    "Arguments of a function that stands in a call may have the names of what the call reads, \\code{sapply(split(y, id), function(y) sum(y)^2)}, where they are not given by name."
  )
}
