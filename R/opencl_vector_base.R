# Functions of base and stats that bring a resident vector back, or parts of it, and go on as for R's own.

# Of arguments that may be resident: R's vectors, with names and dimensions.
brought_back <- function(args) lapply(args, function(x) if (is_resident(x)) resident_whole(x, NULL) else x)

#' Functions of R for resident vectors
#'
#' To R an \code{\link{opencl_vector}} is an object without elements. A function that has a method for it returns the same as for
#' \code{as.vector(x)}; any other function is an error. This page lists both.
#'
#' @section Computed on the device:
#' The result is resident on the same device: arithmetic, comparisons, logic, the functions of the group \code{Math} but for the cumulative ones
#' (\code{\link{opencl_vector_math}}), \code{is.na}, \code{is.nan}, \code{is.finite}, \code{is.infinite}, functions of this
#' package, and \code{x[i]} where \code{i} is itself an \code{opencl_vector}, logical or of positive numbers.
#'
#' The result is one number, or two: \code{sum}, \code{mean}, \code{min}, \code{max}, \code{range}, \code{prod}, \code{any}, \code{all} and \code{anyNA}.
#' @section Only a part comes back:
#' \code{x[i]} for R's \code{i}, \code{x[[i]]}, \code{head}, \code{tail}, \code{print} and \code{str}.
#' @section The whole vector comes back:
#' The result is R's, of the class that it has in base. \code{as.vector}, \code{as.double}, \code{as.integer},
#' \code{as.logical}, \code{as.character}, \code{as.complex}, \code{as.list}, \code{as.matrix}, \code{as.array},
#' \code{as.data.frame}; \code{c}, \code{cbind}, \code{rbind}, \code{append}, \code{rep}, \code{rep_len}, \code{rev},
#' \code{unique}, \code{duplicated}, \code{anyDuplicated}, \code{unlist}, \code{split}, \code{t}, \code{aperm}; \code{sort},
#' \code{order}, \code{xtfrm}, \code{rank} where there are no names and nothing is missing; \code{quantile}, \code{median}, \code{summary},
#' \code{sd}, \code{IQR}, \code{mad}, \code{fivenum}, \code{hist}, \code{scale}, \code{diff}, \code{cut}, \code{seq},
#' \code{tabulate}, \code{table}; \code{cumsum}, \code{cumprod}, \code{cummax}, \code{cummin}, \code{Re} and its kin;
#' \code{format}, \code{toString}, \code{paste}, \code{all.equal}, \code{na.omit}, \code{na.exclude}; \code{lapply},
#' \code{sapply}, \code{vapply}, \code{mapply}, \code{Reduce}, \code{Filter} and \code{apply}; \code{ifelse} with a test or
#' values that are resident; from R 4.3 on \code{\%*\%}, \code{match} and \code{\%in\%}, from R 4.4 on \code{crossprod} and
#' \code{tcrossprod}.
#' @section Errors:
#' \itemize{
#'   \item Whatever changes a vector is an error: \code{x[i] <- value} and its kin, \code{length(x) <- n}, and so \code{pmin} and \code{pmax}.
#'   \item Functions without methods that look at the memory of their argument have errors of their own: \code{var}, \code{cor},
#'     \code{which}, \code{which.max}, \code{rowSums} and its kin, \code{rowsum}, \code{ave}, \code{cat}, \code{for}, \code{sprintf}, \code{stats::dnorm} and its
#'     kin, a subscript of R's own vectors, \code{sum(1, x)}, where \code{x} is not the first argument, and in older R \code{\%in\%}, \code{crossprod}
#'     and \code{\%*\%}.
#' }
#' \code{as.vector()} brings the vector back, and \code{as.matrix()} a matrix: \code{var(as.vector(x))}. \code{pmin}, \code{pmax}, \code{var}, \code{ave},
#' \code{rowSums}, \code{colSums} and \code{X \%*\% b} run on the device within an \code{\link{opencl_function}}.
#' @section Four things to know:
#' \itemize{
#'   \item \code{c(x, 1)} is a vector. \code{c(1, x)}, where \code{x} is not the first, is a list, and so is \code{unlist(list(1, x))}, as for
#'     every object that has no elements in R.
#'   \item Questions about an object's type are answered for the external pointer that it is: \code{typeof}, \code{mode}, \code{is.double},
#'     \code{is.logical}, \code{is.atomic} and \code{is.vector}, and so \code{isTRUE}. \code{is.numeric}, \code{is.matrix} and \code{is.array} answer for the vector.
#'   \item \code{drop} leaves it as it is.
#'   \item Assigning the class, or an attribute other than names and dimensions, changes the object under all of its
#'     names, as for every external pointer. Names and dimensions are of the copy alone.
#' }
#' @examples
#' x <- opencl_vector(c(4, 1, 3), device = "host")
#' sort(x)
#' y <- x[x > 2] # resident
#' as.vector(y)
#' try(var(x))
#' var(as.vector(x))
#' @name opencl_vector_functions
NULL

#' @export
as.vector.opencl_vector <- function(x, mode = "any") {
  as.vector(if (identical(mode, "list")) resident_whole(x) else resident_part(x), mode)
}

#' @export
as.double.opencl_vector <- function(x, ...) {
  refuse_sprintf(x)
  as.double(resident_part(x))
}

#' @export
as.integer.opencl_vector <- function(x, ...) as.integer(resident_part(x))

#' @export
as.logical.opencl_vector <- function(x, ...) {
  if (!called_by(ifelse)) return(as.logical(resident_part(x)))
  value <- resident_whole(x) # ifelse() keeps what its test has
  storage.mode(value) <- "logical"
  value
}

#' @export
as.character.opencl_vector <- function(x, ...) {
  refuse_sprintf(x)
  as.character(resident_part(x))
}

#' @export
as.complex.opencl_vector <- function(x, ...) as.complex(resident_part(x))

# Whether the method that asks was called from a frame of this function of base.
called_by <- function(f) identical(sys.function(sys.parent(2L)), f)

# sprintf() counts the elements of its arguments before it asks for them: it would take the first alone.
refuse_sprintf <- function(x) {
  if (length(x) != 1 && identical(sys.function(sys.parent(2L)), sprintf)) {
    argument_error("sprintf() does not take a vector on a device: as.vector() brings it back")
  }
}

#' @export
as.list.opencl_vector <- function(x, ...) as.list(resident_whole(x), ...)

#' @export
as.matrix.opencl_vector <- function(x, ...) as.matrix(resident_whole(x))

#' @export
as.array.opencl_vector <- function(x, ...) as.array(resident_whole(x), ...)

#' @export
as.data.frame.opencl_vector <- function(x, row.names = NULL, optional = FALSE, ..., nm = deparse1(substitute(x))) {
  as.data.frame(resident_whole(x), row.names, optional, ..., nm = nm)
}

#' @export
c.opencl_vector <- function(...) do.call(c, brought_back(list(...)))

#' @method unlist opencl_vector
#' @export
unlist.opencl_vector <- function(x, recursive = TRUE, use.names = TRUE) unlist(resident_whole(x), recursive, use.names)

#' @export
cbind.opencl_vector <- function(..., deparse.level = 1) {
  if (missing(deparse.level) && called_by(cbind)) deparse.level <- parent.frame()$deparse.level # which R does not hand on
  bind_brought_back(cbind, list(...), as.list(substitute(list(...)))[-1L], deparse.level)
}

#' @export
rbind.opencl_vector <- function(..., deparse.level = 1) {
  if (missing(deparse.level) && called_by(rbind)) deparse.level <- parent.frame()$deparse.level
  bind_brought_back(rbind, list(...), as.list(substitute(list(...)))[-1L], deparse.level)
}

# `expressions`: what stands for the arguments in the call, whose text is the name of those that have none.
bind_brought_back <- function(bind, args, expressions, deparse.level) {
  given <- names_or_none(args)
  for (k in which(!nzchar(given))) {
    is_name <- is.symbol(expressions[[k]])
    if ((deparse.level == 1 && is_name) || deparse.level == 2) {
      given[k] <- deparse1(expressions[[k]])
    }
  }
  args <- brought_back(args)
  names(args) <- given
  do.call(bind, c(args, list(deparse.level = 0)), quote = TRUE)
}

#' @export
rep.opencl_vector <- function(x, ...) {
  bare <- called_by(rep_len) || called_by(rep.int)
  do.call(rep, c(list(if (bare) as.vector(x) else resident_whole(x)), brought_back(list(...))))
}

#' @export
rev.opencl_vector <- function(x) rev(resident_whole(x))

#' @export
unique.opencl_vector <- function(x, incomparables = FALSE, ...) unique(resident_whole(x), incomparables, ...)

#' @export
duplicated.opencl_vector <- function(x, incomparables = FALSE, ...) duplicated(resident_whole(x), incomparables, ...)

#' @export
anyDuplicated.opencl_vector <- function(x, incomparables = FALSE, ...) anyDuplicated(resident_whole(x), incomparables, ...)

#' @export
t.opencl_vector <- function(x) t(resident_whole(x))

#' @export
aperm.opencl_vector <- function(a, perm = NULL, ...) aperm(resident_whole(a), perm, ...)

#' @export
split.opencl_vector <- function(x, f, drop = FALSE, ...) {
  split(resident_whole(x), if (is_resident(f)) as.vector(f) else f, drop = drop, ...)
}

#' @export
sort.opencl_vector <- function(x, decreasing = FALSE, ...) sort(resident_whole(x), decreasing, ...)

#' @export
xtfrm.opencl_vector <- function(x) xtfrm(resident_whole(x))

#' @importFrom stats quantile
#' @export
quantile.opencl_vector <- function(x, ...) do.call(quantile, c(list(resident_whole(x)), brought_back(list(...))))

#' @importFrom stats median
#' @export
median.opencl_vector <- function(x, na.rm = FALSE, ...) median(resident_whole(x), na.rm, ...)

#' @importFrom stats na.omit na.exclude
#' @export
na.omit.opencl_vector <- function(object, ...) na.omit(resident_whole(object), ...)

#' @export
na.exclude.opencl_vector <- function(object, ...) na.exclude(resident_whole(object), ...)

#' @export
summary.opencl_vector <- function(object, ...) summary(resident_whole(object), ...)

#' @importFrom graphics hist
#' @export
hist.opencl_vector <- function(x, ...) {
  called <- deparse1(substitute(x))
  frame <- new.env()
  assign(called, resident_whole(x), frame) # the titles are the argument's text
  eval(bquote(hist(.(as.symbol(called)), ...)), frame)
}

#' @export
scale.opencl_vector <- function(x, center = TRUE, scale = TRUE) scale(resident_whole(x), center, scale)

#' @export
diff.opencl_vector <- function(x, ...) diff(resident_whole(x), ...)

# Of one number: 1, 2, ... up to it.
#' @export
seq.opencl_vector <- function(...) do.call(seq, brought_back(list(...)))

#' @export
cut.opencl_vector <- function(x, ...) do.call(cut, c(list(resident_whole(x)), brought_back(list(...))))

#' @export
format.opencl_vector <- function(x, ...) format(resident_whole(x), ...)

#' @export
toString.opencl_vector <- function(x, ...) toString(resident_whole(x), ...)

#' @method all.equal opencl_vector
#' @export
all.equal.opencl_vector <- function(target, current, ...) {
  all.equal(resident_whole(target), if (is_resident(current)) resident_whole(current) else current, ...)
}

#' @export
Complex.opencl_vector <- function(z) get(.Generic, baseenv())(resident_whole(z))

# Groups and generics of later versions of R: %*% from 4.3 on, with crossprod() and tcrossprod() from 4.4 on; match().
matrixOps.opencl_vector <- function(x, y) {
  f <- get(.Generic, baseenv())
  if (missing(y) || is.null(y)) f(resident_whole(x)) else do.call(f, brought_back(list(x, y)))
}

mtfrm.opencl_vector <- function(x) as.vector(x)

register_later_methods <- function() {
  if (getRversion() < "4.3.0") return(invisible())
  registerS3method("matrixOps", "opencl_vector", matrixOps.opencl_vector, asNamespace("base"))
  registerS3method("mtfrm", "opencl_vector", mtfrm.opencl_vector, asNamespace("base"))
}
