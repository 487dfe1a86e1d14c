#' The language of opencl_function()
#'
#' What the R function given to \code{\link{opencl_function}} may be made of, each with an example. In the examples \code{x} and \code{y} are
#' vectors, \code{X} is a matrix, \code{b} a vector of coefficients, \code{link} a text,
#' \code{flag} \code{TRUE} or \code{FALSE}, \code{data} a data frame and \code{g} numbers of groups. Every function
#' of this package is called by R's name besides, \code{dgamma(x, 2, rate = y, log = TRUE)}.
#'
#' @eval language_table_section()
#' @section Functions of one's own: A function of the global environment, of the environment of the function or made in its body is inlined: its
#'   arguments are evaluated when they are used, as in R, \code{missing()} and defaults work, and variables are those that it sees. It is looked up
#'   at each call: redefined, the new one is used. Functions of packages are refused; \code{name <- opencl_function(name)} makes one
#'   of it that can be called, if its body is of the language.
#' @section What is known at a call: Texts, \code{NULL}, missing arguments, flags and lengths decide when a call is made, so \code{if}, \code{switch},
#'   \code{&&} and \code{||} may depend on them; a program is built for each way they are met with, and kept. What depends on single elements is
#'   \code{ifelse()}.
#' @section Loops: A loop of up to eight rounds is written out. A longer \code{for} that adds up, \code{d <- d + w[k] * dnorm(y, m[k])}, has a column
#'   for each round, whose rows are summed: its program is the same for any number of rounds, and it takes memory for as many numbers as there are
#'   rounds and elements of \code{d}. So it is of \code{d * value}, \code{pmin(d, value)} and \code{pmax(d, value)}, of several such variables, and of
#'   \code{v[k] <- value} and \code{M[, k] <- values} for all elements or columns; what is added may not depend on what was added before, nor
#'   \code{if} on the round: \code{ifelse()} may. R's warnings come once, not once a round. Where that is not so, up to 64 rounds are
#'   written out. Vectors have the names that the first round gives them.
#'   Another \code{for} of nine rounds and more, which hands on numbers,
#'   goes over data: it is a launch of its own, one work-item that goes round after round, with its gradient by a loop that goes back. Its rounds hand on numbers,
#'   vectors and matrices of up to 64, and write elements of vectors that \code{numeric(n)} or \code{rep(x, n)} made before it:
#'   \preformatted{h <- numeric(length(y)); h[1] <- var(y)
#' for (t in 2:length(y)) h[t] <- om + al * y[t - 1]^2 + be * h[t - 1]}
#'   It goes over whole numbers that follow each other, or over the elements of a vector; it reads \code{y[t]}, \code{y[t - 1]}, \code{X[t, 2]} and
#'   \code{X[t, ]}; \code{if}, \code{&&} and \code{ifelse()} may depend on the round, inner loops have up to 64 rounds. \code{next} and \code{break} may depend on the data: rounds
#'   behind a \code{break} are gone through, and change nothing. \code{M <- matrix(0, n, 2)} is written by elements and rows, \code{M[t, 1] <- value} and
#'   \code{M[t, ] <- c(a, b)}. Matrices and numbers that a loop hands on have no names. \code{v[test] <- value} takes a number, or as many values as \code{test} chooses.
#'   What is \code{NULL}, a text or a function before the loop is not handed on: it is assigned in the round before it is read, or given a number before.
#'   Vectors grow, \code{v <- c(v, value)} and \code{v[k] <- value} behind the end, in rounds that are written out.
#'   Where R would stop or warn, R computes the call. On a GPU such a loop is done on the host device: one work-item is slow there.
#' @section Series: \code{by = id} gives the value of such a function for each series, and its gradient, a row for each: rows with
#'   the same code are one series, in the order of the data, and the function is computed for them as for arguments of their rows alone. So it
#'   gives what a loop over \code{split(seq_along(y), id)} gives in R:
#'   \preformatted{f <- opencl_function(garch, reduce = "sum", gradient = c("om", "al", "be"))
#' value <- f(y, om, al, be, by = id)
#' sum(value); colSums(attr(value, "gradient"))}
#'   Vectors as long as \code{id}, and matrices with as many rows, are data; all else is the same for each series. Every series is a work-item, on
#'   GPUs too. Besides loops over its rows there are arithmetic, \code{sum}, \code{mean} and \code{var} of its rows, \code{y[1]}, \code{y[length(y)]} and
#'   \code{length(y)}, which conditions may not depend on; parts as \code{y[-1]} are written as \code{y[t - 1]} in the loop. The gradient is
#'   one in numbers and in elements \code{par[1]}. What stays on a device, \code{opencl_vector(y)} and \code{opencl_vector(id)}, is sorted and sent once.
#' @section Matrices: A product \code{X \%*\% B} with several columns, \code{cbind()} and arithmetic of them are matrices: \code{rowSums()},
#'   \code{M[, j]}, \code{M[, 2:3]}, \code{M[, -1]}, \code{M[, c("a", "b")]}, \code{M[cbind(seq_along(y), y)]}, \code{M[g, ]} and \code{M[-1, ]} take columns, up to 64
#'   of them. \code{rbind(a, b)} is \code{t(cbind(a, b))}. All of these have R's names. \code{outer(a, b, "-")}, \code{sweep(M, 2, v, "*")},
#'   \code{M \%*\% w}, \code{rowSums(M)} and \code{colSums(M)} have no limit: one program serves all numbers of rows and columns. \code{crossprod(a, b)} and
#'   \code{t(a) \%*\% b} take up to 64 columns of the right matrix. \code{apply(M, 1, f)} and \code{apply(M, 2, f)} are
#'   \code{sapply()} over rows and columns.
#'   The gradient in a matrix of parameters has its elements column by column, called \code{B1}, \code{B2}, ..., as that in a vector.
#' @section Functions of each element: \code{vapply()} and \code{sapply()} with a function of the body's own go over up to eight elements
#'   as over numbers, and over more of them in one kernel: vectors in the function, as \code{1:40} or \code{X[i, ]}, have a place for each element,
#'   and their \code{sum}, \code{mean}, \code{max} and \code{min} are the element's own. A function that gives a vector makes a matrix of them, a
#'   column for each element, as in R. \code{Reduce(`+`, lapply(1:K, f))}, \code{Reduce(`+`, Map(f, a, b))}, \code{mapply(f, a, b)},
#'   \code{do.call(cbind, lapply(1:K, f))} of vectors, and \code{outer(x, y, f)} of a function that goes element by element are written so.
#' @section Elements of lists: Each element is an argument of the program by itself, called \code{data$y}: so it is named in \code{gradient}, too.
#'   The name of a list in \code{gradient}, \code{"p"} for \code{p$mu} and \code{p$sd}, stands for all of its elements that the function reads, in the order
#'   in which it reads them; \code{as_objective()} takes such a list in \code{start}. With \code{p <- as.list(par)}, \code{p$a} is \code{par["a"]}. \code{par[["a"]]} of a vector that is named in \code{gradient} is \code{par["a"]}.
#' @eval taken_section()
#' @section Errors and warnings of one's own: \code{stopifnot()} and \code{stop()} are looked at by R before anything is computed, and fail with
#'   the text and the call that R would show; in a branch of \code{ifelse()} they are refused. \code{warning()} warns at each call.
#' @name opencl_language
#' @eval language_examples()
NULL

# What R computes of a body's parts, as the names are in expression_taken.R.
taken_section <- function() {
  listed <- function(names) paste(rd_code(paste0(names, "()")), collapse = ", ")
  paste0(
    "@section What R computes of data: ", listed(taken_steps), ", and ", listed(setdiff(taken_values, "diag")),
    " of arguments and variables are computed by R at each call, or once where all that they read is in \\code{data}, and are ",
    "arguments of the program by themselves. Inside of them may stand arithmetic and what else R has for whole vectors, \\code{as.matrix(dist(X))} and \\code{det(S * r[1])}. So is ",
    "the comparison in \\code{y[d == 1]} and \\code{X[g == \"a\", ]}, whose vector may have no more elements than it, and so are ",
    "the counts of \\code{rep(x, times = counts)}, the groups of \\code{tapply(x, g, sum)}, \\code{tapply(x, g, mean)}, \\code{tapply(x, g, length)} and \\code{rowsum(x, g)}, which give numbers in the order of the groups, without names. ",
    "Variables of the function may stand in them that are assigned once, of such parts. No gradient goes through a choice, an order or a count, as in R's differences. ",
    "The others are refused where what they read is in \\code{gradient}, as \\code{solve(S)} with the gradient in \\code{S}: of a small matrix write out the inverse or the ",
    "determinant, \\code{S[1, 1] * S[2, 2] - S[1, 2]^2}. The second argument of \\code{solve(V, r)} may be in \\code{gradient}, or computed by the body, where \\code{V} is data, and \\code{diag(M)} ",
    "may be of a matrix in \\code{gradient}. What the body makes of numbers, \\code{matrix(c(s, 1, 1, 2), 2)}, is none of R's to compute, so there is no \\code{solve()} of it. ",
    "A function of each series, see above, has none of these."
  )
}
