# Parts of opencl_function()'s help page that the tables of the language say.

rd_code <- function(text) paste0("\\code{", gsub("([{}])", "\\\\\\1", gsub("%", "\\\\%", text)), "}")

language_section <- function() {
  table <- language_table()
  names_of <- function(kind, but = character()) paste(rd_code(setdiff(table$name[table$kind == kind], but)), collapse = ", ")
  own <- c("X %*% b" = "%*%")
  paste0(
    "@section The language: Arithmetic (", names_of("arithmetic"), "), comparisons (", names_of("comparison"), "), logic (",
    names_of("logic"), "), \\code{ifelse}, \\code{if}/\\code{else}, \\code{\\{\\}}, local variables, \\code{return}; of one number ",
    names_of("elementary"), "; ", names_of("other", c(own, ".c_text", ".log_det", ".solved", ".has_factor", ".has_inverse")), " and ", rd_code("X %*% b"),
    " with a matrix and a vector of coefficients; ", names_of("size"),
    ". \\code{switch}, ", names_of("passing"), " and what is known when a call is made: ", names_of("known"),
    "; \\code{stop}, \\code{stopifnot}, \\code{warning}, \\code{suppressWarnings}. Numbers, \\code{TRUE}, \\code{FALSE}, \\code{NA}, texts and \\code{NULL} ",
    "to choose by, variables of the function's environment, functions of one's own, R's under other names (\\code{link <- plogis}) and other \\code{opencl_function}s ",
    "(looked up at each call), and every function of this package by R's name, arguments and defaults: ",
    "\\code{dgamma(x, a, rate = b, log = TRUE)}, \\code{lgamma}, \\code{log1p}, \\code{besselJ}, \\code{rnorm(length(x), m)}. Besides: loops, sums, means and running sums, ",
    "parts of vectors and matrices, functions of each element, row and group, lists and data frames: \\code{\\link{opencl_language}} has all of it, with an example of each. ",
    "What is not there is an error when the function is made or, where it depends on what the arguments are, when it is called."
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

#' The language of opencl_function()
#'
#' What the R function given to \code{\link{opencl_function}} may consist of, with an example of each. In the examples \code{x} and \code{y} are
#' vectors, \code{X} is a matrix, \code{b} a vector of coefficients, \code{link} a text,
#' \code{flag} \code{TRUE} or \code{FALSE}, \code{data} a data frame and \code{g} numbers of groups. Every function
#' of this package can be called, too, by R's name: \code{dgamma(x, 2, rate = y, log = TRUE)}.
#'
#' @eval language_table_section()
#' @section Functions of one's own: A function of the global environment, of the environment of the function or made in its body is inlined. Its
#'   arguments are evaluated when they are used, as in R; \code{missing()} and defaults work; its variables are those that it sees in R. It is looked up
#'   at each call, so that a new definition counts. Functions of packages are refused; \code{name <- opencl_function(name)} makes one
#'   of it that can be called, if its body is of the language.
#' @section What is known at a call: Texts, \code{NULL}, missing arguments, flags and lengths are known when a call is made. \code{if}, \code{switch},
#'   \code{&&} and \code{||} may depend on them: a program is built for each combination that is met, and kept. To choose by single elements use
#'   \code{ifelse()}. R completes and checks the text of an argument \code{family = c("normal", "logistic")} by \code{match.arg(family)}; in functions that the
#'   body calls such a text is written in full.
#' @section Loops: A loop is computed in one of three ways:
#'   \itemize{
#'     \item Up to eight rounds are written out, one after the other.
#'     \item A longer \code{for} that only adds up, \code{d <- d + w[k] * dnorm(y, m[k])}, computes its rounds side by side and adds them. So does one with
#'       \code{d * value}, \code{pmin(d, value)} or \code{pmax(d, value)}, with several such variables, and with \code{v[k] <- value} or \code{M[, k] <- values} for
#'       all elements or columns. A round may have sums and means of groups, \code{tapply(dbinom(y, 1, p, log = TRUE), id, sum)}, \code{rowsum()},
#'       elements by codes, \code{v[id]}, and products \code{X \%*\% B[, k]}: what a quadrature over \code{id} has. The program is the same for any number
#'       of rounds; the call takes memory for as many numbers as there are rounds and elements of \code{d} or of what is summed (times columns, in
#'       products with more than eight). What is added may not depend on what was added before, and \code{if} may not depend on the round (\code{ifelse()} may). R's
#'       warnings come once, not once a round. Vectors have the names that the first round gives them.
#'     \item A longer \code{for} that hands on numbers from round to round is a loop over data, see below.
#'   }
#'   Any other loop is written out, too, and has at most 64 rounds: a \code{while}, or a vector that grows, \code{v <- c(v, value)} and
#'   \code{v[k] <- value} behind the end. But \code{i <- 2; while (i <= length(y)) \{ ...; i <- i + 1 \}} is \code{for (i in 2:length(y))}, where the last statement alone raises \code{i}.
#'   So are rounds with \code{sum(f(y[1:k])) + sum(g(y[(k + 1):n]))}; for more write \code{a <- cumsum(f(y)); b <- rev(cumsum(rev(g(y)))); a[-n] + b[-1]}.
#' @section Loops over data: Such a loop is a launch of its own, one work-item that goes round after round. Its gradient comes from a loop that goes back.
#'   On a GPU the host device does it: one work-item is slow there.
#'   \preformatted{h <- numeric(length(y)); h[1] <- var(y)
#' for (t in 2:length(y)) h[t] <- om + al * y[t - 1]^2 + be * h[t - 1]}
#'   \itemize{
#'     \item The loop goes over whole numbers that follow each other, \code{2:n}, \code{n:1}, \code{seq(2, n)}, \code{seq_len(n)[-1]} or
#'       \code{rev(seq_len(n))}, or over the elements of a vector.
#'     \item Rounds hand on numbers, and vectors and matrices of up to 64 elements. What is \code{NULL}, a text or a function before the loop is not
#'       handed on: assign it in the round before it is read, or give it a number before the loop.
#'     \item They read \code{y[t]}, \code{y[t - 1]}, \code{X[t, 2]} and \code{X[t, ]}.
#'     \item They write elements of vectors that \code{numeric(n)} or \code{rep(x, n)} made before the loop, and elements and rows of
#'       \code{M <- matrix(0, n, 2)}: \code{M[t, 1] <- value}, \code{M[t, ] <- c(a, b)}. \code{v[test] <- value} takes a number, or as many values as \code{test} chooses.
#'     \item \code{if}, \code{&&} and \code{ifelse()} may depend on the round, \code{next} and \code{break} on the data. (Rounds behind a
#'       \code{break} are gone through, and change nothing.)
#'     \item Inner loops have up to 64 rounds, but for those over the rows of each subject, see below.
#'     \item Matrices and numbers that a loop hands on have no names.
#'     \item Where R would stop or warn, R computes the call.
#'   }
#'   Two things are possible in every loop. \code{Q[choice[t]] <- value} assigns the element of a vector of up to 64 whose number is in the data; a number
#'   that is no place in it is an error, or R computes the call. And \code{sum()}, \code{mean()} and \code{length()} may be of the elements that a test of the round chooses,
#'   \code{sum(dnorm(y[id == k], m[k], s, log = TRUE))}, and of what is computed of them element by element. They are computed as sums over all elements in which the
#'   others have no part; so the test is as long as the vector, and everything else in the sum is one number.
#' @section Series: \code{by = id} computes such a function for each series by itself. Rows with the same code are one series, in the order of the
#'   data. The value has an element for each series, the gradient a row. So it gives what a loop over \code{split(seq_along(y), id)} gives in R:
#'   \preformatted{f <- opencl_function(garch, reduce = "sum", gradient = c("om", "al", "be"))
#' value <- f(y, om, al, be, by = id)
#' sum(value); colSums(attr(value, "gradient"))}
#'   \itemize{
#'     \item Every series is a work-item, on GPUs too.
#'     \item Vectors as long as \code{id}, and matrices with as many rows, are data; all else is the same for each series.
#'     \item Besides loops over its rows a series has arithmetic, \code{sum}, \code{mean} and \code{var} of its rows, \code{y[1]}, \code{y[length(y)]} and
#'       \code{length(y)}, which conditions may not depend on. Parts as \code{y[-1]} are written as \code{y[t - 1]} in the loop.
#'     \item The gradient is in numbers and in elements \code{par[1]}.
#'     \item A function without a loop whose series no kernel computes together, as one with cut points \code{c(-Inf, cumsum(th), Inf)[y + 1]}, is called for
#'       each series, one after the other.
#'     \item Resident data, \code{opencl_vector(y)} and \code{opencl_vector(id)}, are sorted and sent once.
#'   }
#' @section Matrices: \code{X \%*\% B} with several columns, \code{cbind()} and arithmetic of them are matrices. \code{rbind(a, b)} is \code{t(cbind(a, b))}. All of them have R's names.
#'   \itemize{
#'     \item Up to 64 columns: \code{M[, j]}, \code{M[, 2:3]}, \code{M[, -1]}, \code{M[, c("a", "b")]},
#'       \code{M[cbind(seq_along(y), y)]}, \code{M[g, ]} and \code{M[-1, ]} of such a matrix; \code{crossprod(a, b)} and \code{t(a) \%*\% b}, of the right matrix.
#'     \item No limit: \code{outer(a, b, "-")}, \code{sweep(M, 2, v, "*")}, \code{M \%*\% w}, \code{rowSums(M)} and \code{colSums(M)}. One program serves all
#'       numbers of rows and columns.
#'     \item \code{apply(M, 1, f)} and \code{apply(M, 2, f)} are \code{sapply()} over rows and columns, with the names that R gives. \code{v \%*\% M} is a row.
#'     \item The gradient in a matrix of parameters has its elements column by column, called \code{B1}, \code{B2}, ..., as that in a vector.
#'   }
#' @section Small matrices: Of square matrices of up to eight rows, which the body computes or which have a gradient, these are computed element by element,
#'   with gradients: \code{solve(S)}, \code{solve(S, v)}, \code{chol(S)}, \code{chol2inv(C)}, \code{backsolve(C, v)}, \code{forwardsolve(L, v)}, \code{det(S)},
#'   \code{determinant(S)$modulus} (without its attribute) and \code{mahalanobis(Y, mu, S)} (without \code{inverted}). Right sides may have any number of
#'   columns, as \code{t(Y) - mu}. R computes larger ones of data and of arguments that are not in \code{gradient}; others are errors
#'   (\code{\link{nmathopencl_limits}}).
#'   \itemize{
#'     \item Where R stops, at a factor of what is not positive definite and at a singular matrix, the call stops, unless the function asks (\dQuote{Errors and warnings of one's own}). \code{optim()} may come to such a matrix with its first
#'       steps, also in R alone: give it a smaller objective, \code{control = list(fnscale = n)} with the number of rows, or take \code{nlminb()}.
#'     \item At a missing number in \code{chol(S)} and \code{solve(S)} R stops. A kernel does not: the elements that it goes into are missing. \code{det(S)} of a singular matrix is R's; of four rows and more its gradient may be infinite there.
#'     \item Elements of matrices of up to 64 elements are assigned by known places, \code{M[1, 2:3] <- v}, \code{M[lower.tri(M)] <- v}, \code{diag(M) <- v}, and by
#'       places in the data, \code{M[i[t], j[t]] <- value}. \code{matrix(v, nrow(Y))} of as many computed numbers as elements, also by rows, has any number of rows and up to 64 columns.
#'   }
#' @section Functions of each group: \code{sapply(split(y, id), function(v) ...)}, \code{sapply(unique(id), function(i) ...)} and loops over groups may take
#'   \code{sum()}, \code{mean()} and \code{length()} of a group's elements and of what is computed of them element by element. Take the elements of arguments and
#'   variables first, and compute of them:
#'   \preformatted{sapply(unique(id), function(i) {
#'   r <- y[id == i] - b[1] - b[2] * x[id == i]
#'   sum(r^2) / s2 - t2 * sum(r)^2 / (s2 * (s2 + length(r) * t2))
#' })}
#'   Each is a sum over all elements, so that the time is that of elements times groups. \code{sapply(split(y, id), function(v) ...)},
#'   \code{vapply()}, \code{unlist(lapply())} and \code{tapply()} go through the elements a few times, however many groups there are, as do
#'   \code{sum(sapply(unique(id), f))} and \code{for (i in unique(id)) s <- s + f(i)}, where the function
#'   has no loops and conditions and takes \code{sum()}, \code{mean()}, \code{length()}, \code{var()} and \code{sd()}. So it may then take columns of a data frame,
#'   \code{sapply(split(d, d$id), function(s) sum(s$y * s$x))}, \code{sum(by(d, d$id, f))} and \code{Reduce("+", lapply(split(d, d$id), f))}, and several
#'   vectors, \code{sapply(split(seq_along(y), id), function(i) sum(y[i] * x[i]))}. And it may give elements, \code{function(v) v - mean(v)}, in
#'   \code{unlist(lapply(split(y, id), f))}, which has those of the first group first, \code{unsplit(lapply(split(y, id), f), id)} and \code{ave(y, id, FUN = f)}.
#'   The groups of several vectors are given to a function by \code{mapply(function(u, v) sum(u * v), split(y, id), split(x, id))} and \code{unlist(Map(...))} of
#'   as many splits by the same groups, and \code{for (e in split(y, id))} goes over them. \code{max()}, \code{min()} and \code{prod()} of a group, as in
#'   \code{tapply(x, g, max)}, take the time of elements times groups, and of the first two each group has to have an element.
#'   Rows of a matrix are taken so, too, \code{Z[id == i, 1]} and \code{Z[id == i, ] \%*\% b}, with \code{Zi <- Z[id == i, , drop = FALSE]} also
#'   \code{crossprod(Zi)}, \code{crossprod(Zi, r)}, \code{colSums(Zi)}, \code{colMeans(Zi)} and \code{nrow(Zi)}, and \code{own <- which(id == i)}, as an index, \code{y[own]}, or
#'   counted, \code{length(own)}. \code{tapply(x, g, function(v) ...)} is such a function. \code{tapply(x, g, sum)}, \code{aggregate(x, list(g), sum)$x},
#'   \code{aggregate(x ~ g, FUN = sum)$x}, \code{a <- aggregate(x ~ g, data = d, FUN = mean)} with \code{a$x}, and \code{ave()} go through the elements once, and take sums and means of what the function computes, too; where the
#'   formula would leave out a row with \code{NA} the call stops. Single elements of a group, \code{v[1]} and \code{v[-1]}, are for \code{by} (see the section on series).
#' @section Functions of each element: \code{vapply()} and \code{sapply()} with a function of the body's own go over up to eight elements
#'   as over numbers, and over more of them in one kernel. Vectors in the function, as \code{1:40} or \code{X[i, ]}, then have a place for each element,
#'   and their \code{sum}, \code{mean}, \code{max} and \code{min} are the element's own. A function that gives a vector makes a matrix, with a
#'   column for each element, as in R. Other ways to write it: \code{Reduce(`+`, lapply(1:K, f))}, \code{Reduce(`+`, Map(f, a, b))}, \code{mapply(f, a, b)} of one to six vectors, with \code{MoreArgs = list(s = s)},
#'   \code{sapply(1:K, f, a)} and \code{sapply(1:K, f, p = a)} with further arguments of \code{f}, \code{do.call(cbind, lapply(1:K, f))} and \code{do.call(rbind, lapply(1:K, f))}, \code{Reduce(f, list(a, b))}, \code{Reduce(`+`, lapply(1:K, f), 0)} (with a start it is that where there are no items, and NULL in R without one, which is an error here), and \code{Reduce()} with \code{pmin} and \code{pmax}, and
#'   \code{sapply(c("a", "b"), function(k) par[[k]]^2)} and \code{for (k in c("a", "b"))}, which are written out, as is \code{for (k in 1:3) s <- s + par[paste0("b", k)]}, and \code{outer(x, y, f)} of a function that goes element by element.
#' @section Elements of lists: Each element is an argument of the program by itself, called \code{data$y}, and is named so in \code{gradient}, too.
#'   \itemize{
#'     \item The name of a list in \code{gradient}, \code{"p"} for \code{p$mu} and \code{p$sd}, stands for all of its elements that the function reads, in the order
#'       in which it reads them; \code{as_objective()} takes such a list in \code{start}.
#'     \item \code{with(data, ...)} and \code{with(as.list(par), ...)} look a name up in the list or the named vector first, and outside of it where there is
#'       none. One may stand in the other. A block in it, \code{with(as.list(par), \{ mu <- a + b * x; sum(dnorm(y, mu, s, log = TRUE)) \})}, keeps
#'       what it assigns, as in R.
#'     \item \code{names(par) <- c("a", "b")} and \code{p <- setNames(par, c("a", "b"))} name the elements of a vector of that length. R answers
#'       questions about names at each call: \code{if ("s" \%in\% names(par))}, \code{par[names(par) == "a"]}, \code{par[startsWith(names(par), "u")]}.
#'     \item A list that the function makes, \code{p <- list(mu = par[1], sd = exp(par[2]))}, has elements that are variables, \code{p$mu} and
#'       \code{p[["sd"]]}, and so has one that a function of one's own gives, \code{th <- unpack(par)}, if \code{list(mu = p[1], s = exp(p[2]))} stands at
#'       each end of that function, with the same names. Without a variable they are \code{unpack(par)$mu}; elements without names are \code{th[[1]]}. Names
#'       are completed by \code{$} as in R, and what is no element is \code{NULL}. Such lists stand in \code{with(th, ...)}, \code{do.call(f, th)}, \code{unlist(th)},
#'       \code{length(th)}, \code{"mu" \%in\% names(th)}, \code{Reduce(`+`, th)}, \code{modifyList(th, list(k = 1))} and \code{c(th, list(k = 1))}, and get elements by
#'       \code{th$k <- 1} in the block that makes them.
#'     \item Functions of one's own take a list, \code{prior(p)}, that the function makes, that is an argument or a variable, or that is \code{as.list(par)} of a
#'       named vector, and read it by \code{p$mu}, \code{p[["mu"]]}, \code{with(p, ...)}, \code{length(p)} and \code{nrow(p)}, or give it to others, \code{lik(p, d)}.
#'       Lists that the function makes may be changed there, \code{p$mu <- value}. Functions that the body itself makes, and those with \code{missing()} or \code{...},
#'       take the elements, \code{f(th$mu, th$s)}.
#'     \item \code{relist(par, list(m = 0, b = c(0, 0)))} is such a list, and so is \code{relist(par, skel)} of a skeleton of numbers, vectors and matrices that is a
#'       variable, or in \code{data}, when the function is made. Each call asks whether its names and sizes are the same, and stops where they are not.
#'     \item Lists in lists are read by their names, \code{dat$d$y} and \code{with(dat$d, ...)}. A list with a gradient is given as an argument of its own.
#'     \item Parts of a data frame are R's to make, at each call: \code{e <- d[d$x > 0, ]} and \code{e <- subset(d, x > k)}, of which the function reads
#'       \code{e$y}, \code{with(e, ...)} and \code{nrow(e)}, \code{d[i, "y"]}, \code{head(d, n)$y}, \code{na.omit(d)$y} and \code{model.matrix(~ x, d)}. Nothing that is in
#'       \code{gradient} chooses the rows. The last four values of \code{subset()} and \code{model.matrix()} are kept, of up to a million numbers each with what they
#'       read, and given again where that, and the contrasts, are the same.
#'     \item After \code{p <- as.list(par)}, \code{p$a} is \code{par["a"]}, and \code{p[[1]]} is \code{par[[1]]}. \code{par[["a"]]} of a vector that is named in \code{gradient} is \code{par["a"]}.
#'   }
#' @section Styles of parameters: Ways to give parameters names, all of them with gradients. \code{par} is a vector of numbers, \code{p} a list.
#'   \tabular{ll}{
#'     by their numbers \tab \code{par[1]}, \code{par[2:4]}, \code{b <- par[1:3]; s <- exp(par[4])} \cr
#'     by their names \tab \code{par["a"]}, \code{with(as.list(par), a + b * x)}, \code{do.call(h, as.list(par))}, \code{for (k in names(par)) s <- s + par[[k]]} \cr
#'     a list that is given \tab \code{function(p, x) dnorm(x, p$mu, exp(p$ls))}, \code{as_objective(f, list(p = list(mu = 0, ls = 0)))} \cr
#'     a list that the function makes \tab \code{p <- list(b = par[1:3], s = exp(par[4])); p$b; with(p, ...)} \cr
#'     a function of one's own \tab \code{unpack <- function(par) list(b = par[1:3], s = exp(par[4])); th <- unpack(par)} \cr
#'     \code{relist()} \tab \code{relist(par, list(b = c(0, 0, 0), ls = 0))}, or of a skeleton that is a variable \cr
#'     texts \tab \code{par[paste0("b", 1:3)]}, \code{par[colnames(X)]}, \code{par[nm]} of up to 100 texts \cr
#'     defaults \tab \code{p <- modifyList(list(b = 0, s = 1), list(b = par[1]))}
#'   }
#'   Not accepted: \code{d$mu <- value} of data (\code{mu <- value}); \code{th[[k]]} with \code{k} of a loop (\code{c(th$a, th$b)[k]}); names that a vector does not have.
#' @section Counts of several kinds: \code{dmultinom(x, prob = p, log = TRUE)} is of a vector of counts and one of as many probabilities, and stops where R does.
#' @eval c(taken_section(), instead_section())
#' @section Errors and warnings of one's own: R evaluates \code{stopifnot()} and \code{stop()} before anything is computed; they fail with
#'   the text and the call that R would show. In a branch of \code{ifelse()} they are refused. \code{warning()} warns at each call.
#'   \code{tryCatch(value, error = ...)} and \code{try(value)} are the value where nothing in it can stop in R. Of \code{chol(S)}, \code{solve(S)} and
#'   \code{chol2inv(chol(S))} of small matrices they say whether there is one: \code{L <- tryCatch(chol(S), error = function(e) NULL)} with
#'   \code{if (is.null(L)) return(1e10)} right behind it, \code{inherits(try(solve(S)), "try-error")}, or a block with such statements,
#'   \code{tryCatch(\{ L <- chol(S); sum(log(diag(L))) \}, error = function(e) 1e10)}, whose handler does not look at the error.
#'   A factor of data alone is R's, which stops.
#' @name opencl_language
#' @eval language_examples()
NULL

# What R computes of a body's parts, as the names are in expression_taken.R.
taken_section <- function() {
  listed <- function(names) paste(rd_code(paste0(names, "()")), collapse = ", ")
  paste0(
    "@section What R computes of data: R computes these of arguments and variables at each call, or once where all that they read is in \\code{data}: ",
    listed(taken_steps), ", and ", listed(setdiff(taken_values, "diag")), ". The results are arguments of the program by themselves. Arithmetic and what else R has for whole vectors may ",
    "stand inside of them, \\code{as.matrix(dist(X))} and \\code{det(S * r[1])}, and so may variables of the function that are assigned such parts: \\code{o <- order(t)} before \\code{t <- t[o]} is the order of the data. R computes these, too:\n\\itemize{\n",
    "\\item the comparison in \\code{y[d == 1]} and \\code{X[g == \"a\", ]}, and a logical vector, \\code{y[event]} and \\code{l[d$event]}, where the vector has no more elements than these;\n",
    "\\item comparisons of a vector of texts or a factor with a text, \\code{ifelse(type == \"exact\", a, b)}, where the function is made with it in \\code{data} or in its environment;\n",
    "\\item \\code{table(g)}, numbers without names, and \\code{outer(x, y, \"<=\")};\n",
    "\\item the counts of \\code{rep(x, times = counts)};\n",
    "\\item the groups of \\code{tapply(x, g, sum)}, \\code{tapply(x, g, mean)}, \\code{tapply(x, g, length)} and \\code{rowsum(x, g)}, which give numbers in the order of the groups, without names;\n",
    "\\item of variables and of what is in \\code{data} alone: ", listed(shaping_calls), ", of any size;\n",
    "\\item \\code{factor(g)} and \\code{cut(x, breaks)} as codes, \\code{x \\%in\\% c(1, 3)}, and \\code{model.matrix(~ x + g)} or \\code{model.matrix(~ x, d)}, whose matrix has R's names of columns.\n}\n",
    "No gradient goes through a choice, an order or a count, as in R's differences. The others are refused where what they read is in \\code{gradient}, but for those of small matrices, ",
    "see there, and for \\code{sort(x)}, \\code{median(x)}, \\code{quantile(x, probs)} of type 7 and \\code{range(x)}, of which only the order is R's. The second argument of \\code{solve(V, r)} may be in \\code{gradient}, or computed by the body, where \\code{V} is data of any size, and \\code{diag(M)} may be of a matrix ",
    "in \\code{gradient}. A function of each series, see above, has those that read nothing of its rows, as \\code{diag(2)}."
  )
}

# ?opencl_derivatives: what the compiler differentiates by inst/spec/derivatives.tsv, once and twice, and how accurately by
# inst/spec/derivative_errors.tsv, which tools/derivative_errors.R makes.

spec_rows <- function(file) {
  utils::read.delim(system.file("spec", file, package = "nmathopencl"), quote = "", colClasses = "character", na.strings = character())
}

# Each function that an expression may call, by the call of R that chooses it, "dt(ncp = )": list(name, called, of_r, language, first, second,
# lacking), arguments that are numbers; `second`: those with a second derivative, together with each other; `language`: whether its name is a
# word of the language, whose row there has its derivatives.
derivative_facts <- function() {
  rules <- spec_rows("derivatives.tsv")
  table <- function_table()
  table <- table[!table$flags %in% c("draws", "counts", "cells"), ]
  rows <- .mapply(list, table, NULL)
  lapply(rows, function(row) {
    row <- as.data.frame(row)
    formals <- as.list(parsed_formals(row$formals))
    flags <- c(split_commas(row$flags), "expon.scaled", "expo")
    other <- form_in_r(row, table)
    arguments <- setdiff(names(formals), c(flags, if (!grepl("^[dpq]n", row$name)) "ncp", if (!endsWith(row$name, "_mu")) "mu"))
    first <- Filter(function(argument) is_differentiated(row, formals, argument), arguments)
    second <- Filter(function(argument) is_differentiated(row, formals, argument, TRUE), first)
    list(
      name = row$name, called = if (is.null(other)) sub("^()", "x^y", paste0(r_name(row), "()"), fixed = TRUE) else other, of_r = nzchar(row$mirrors) || !is.null(other),
      language = r_name(row) %in% language_calls() && !any(rules$name %in% c(row$name, r_name(row))), first = first, second = second,
      lacking = setdiff(arguments, first)
    )
  })
}

# "dt(ncp = )" of dnt, "dnbinom(mu = )" of dnbinom_mu; NULL of others.
form_in_r <- function(row, table) {
  if (endsWith(row$name, "_mu")) return(paste0(sub("_mu$", "", row$name), "(mu = )"))
  central <- sub("^([dpq])n", "\\1", row$name)
  if ("ncp" %in% split_commas(row$columns) && central != row$name && central %in% table$name) paste0(central, "(ncp = )")
}

# Whether the compiler takes the function's gradient in the argument, or its Hessian: of a call with what must be given, and this argument.
is_differentiated <- function(row, formals, argument, twice = FALSE) {
  needed <- names(Filter(is_empty_argument, formals))
  needed <- setdiff(needed, c("ncp"[!endsWith(form_in_r(row, function_table()) %||% "", "(ncp = )")], "mu"[!endsWith(row$name, "_mu")]))
  given <- union(needed, argument)
  f <- eval(call("function", as.pairlist(sapply(given, function(name) quote(expr = ))), call("sum", as.call(c(
    as.symbol(r_called(row)), lapply(stats::setNames(nm = given), as.symbol)
  )))), baseenv())
  tryCatch(is.function(opencl_function(f, gradient = argument, hessian = twice)), nmathopencl_error = function(e) FALSE)
}

# By which name an expression calls that form.
r_called <- function(row) if (is.null(form_in_r(row, function_table()))) r_name(row) else row$name

derivative_table_section <- function() {
  errors <- spec_rows("derivative_errors.tsv")
  all <- Filter(function(fact) !fact$language, derivative_facts())
  facts <- Filter(function(fact) length(fact$first) > 0L, all)
  groups <- c(d = "Densities", p = "Distribution functions", q = "Quantile functions", other = "Other functions")
  kind <- vapply(facts, function(fact) if (grepl("^[dpq].* (log|lower)", of_flags(fact$name))) substr(fact$name, 1L, 1L) else "other", "")
  none <- unique(vapply(Filter(function(fact) fact$of_r && length(fact$first) == 0L, all), function(fact) rd_code(fact$called), ""))
  c(unlist(lapply(names(groups), function(group) {
    lines <- vapply(facts[kind == group], function(fact) {
      at <- match(paste(fact$name, fact$first), paste(errors$name, errors$argument))
      if (anyNA(at)) at <- ifelse(is.na(at), match(paste(sub("\\(.*", "", fact$called), fact$first), paste(errors$name, errors$argument)), at)
      shown <- paste0(rd_code(fact$first), ifelse(is.na(at), "", paste0(" ", errors$worst[at])))
      twice <- if (length(fact$second) == 0L) "none" else if (setequal(fact$second, fact$first)) "all of these" else paste(rd_code(fact$second), collapse = ", ")
      lacking <- if (length(fact$lacking) > 0L) paste(rd_code(fact$lacking), collapse = ", ") else ""
      paste(rd_code(fact$called), paste(shown, collapse = ", "), twice, lacking, sep = " \\tab ")
    }, "")
    lines <- c("Function \\tab first derivatives in \\tab second ones in \\tab none in", lines)
    paste0("@section ", groups[[group]], ": \\tabular{llll}{", paste(lines, collapse = " \\cr\n  "), "}")
  })), paste0("@section Functions without derivatives: ", paste(none, collapse = ", "), "; conditions and random numbers."))
}

# The row's name and its flags.
of_flags <- function(name) {
  table <- function_table()
  paste(name, table$flags[match(name, table$name)])
}

#' Derivatives that opencl_function() knows
#'
#' The functions of this package that have rules for derivatives, the arguments in which they have first ones and second ones, and how accurate these are. A gradient,
#' \code{\link{opencl_function}(f, gradient = "a")}, applies them; elementary functions, arithmetic and the other parts of the language
#' (\code{\link{opencl_language}}) have derivatives besides.
#'
#' The number behind an argument is the worst error of the derivative on the host device, in units of \code{.Machine$double.eps * (1 + cond)}, over some 200
#' points or more with references of 40 digits, far tails and both scales included: \code{log = TRUE}, \code{log.p = TRUE}, \code{lower.tail = FALSE}.
#' \code{cond} is the condition number of the derivative, the relative change of the derivative for relative changes of all arguments. Arguments
#' without a number have the values of another row.
#'
#' Derivatives of distribution functions have all forms: of the lower tail, of the upper one, and of their logarithms, which are computed without the
#' tail itself, so that they are right where it underflows. Quantiles have those of the implicit function.
#' Second derivatives, \code{hessian = TRUE}, follow from the first ones where these are made of functions with rules: the tables name the arguments
#' between any two of which there is one. Objectives (\code{\link{as_objective}}) take differences of
#' the gradient where there is none.
#'
#' @eval derivative_table_section()
#' @section What is not there: A derivative without a rule is an error when the function is made, which names function and argument, and the arguments of that
#'   function that have one. What can be had instead: the argument as a constant, with a gradient in the others; a grid of values of it
#'   with \code{over = } (\code{\link{opencl_function}}); or differences of the values, \code{(f(a + h) - f(a - h)) / (2 * h)}.
#' @seealso \code{\link{opencl_function}}, \code{\link{opencl_language}}.
#' @examples
#' f <- opencl_function(function(q, a) pgamma(q, a, log.p = TRUE), gradient = "a")
#' f(c(0.5, 2), 3, device = "host")
#' try(opencl_function(function(q, means) ptukey(q, means, 10), gradient = "means"))
#' @name opencl_derivatives
NULL
