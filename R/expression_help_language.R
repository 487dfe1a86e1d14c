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
#' @section Loops: A loop of up to 64 rounds is written out where what it carries is as long as the data. Another \code{for} of nine rounds and more
#'   goes over data: it is a launch of its own, one work-item that goes round after round, with its gradient by a loop that goes back. Its rounds hand on numbers and
#'   vectors of up to 64, and write elements of vectors that \code{numeric(n)} or \code{rep(x, n)} made before it:
#'   \preformatted{h <- numeric(length(y)); h[1] <- var(y)
#' for (t in 2:length(y)) h[t] <- om + al * y[t - 1]^2 + be * h[t - 1]}
#'   It goes over whole numbers that follow each other, or over the elements of a vector; it reads \code{y[t]}, \code{y[t - 1]}, \code{X[t, 2]} and
#'   \code{X[t, ]}; \code{if}, \code{&&} and \code{ifelse()} may depend on the round, inner loops have up to 64 rounds, \code{break} is refused.
#'   Where R would stop or warn, R computes the call. On a GPU such a loop is done on the host device: one work-item is slow there.
#' @section Elements of lists: Each element is an argument of the program by itself, called \code{data$y}: so it is named in \code{gradient}, too.
#' @section Errors and warnings of one's own: \code{stopifnot()} and \code{stop()} are looked at by R before anything is computed, and fail with
#'   the text and the call that R would show; in a branch of \code{ifelse()} they are refused. \code{warning()} warns at each call.
#' @name opencl_language
#' @eval language_examples()
NULL
