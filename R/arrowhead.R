# Hessians of models with effects of levels: all numbers but the effects meet each other, and each effect meets these, but no other
# effect. What is kept is the dense block, the border and the diagonal.

# `dense`: k x k; `border`: J x k, what each effect has with these; `diagonal`: J numbers. `where`: which of all numbers, in their
# order, are the effects; `labels`: the names of all.
new_arrowhead <- function(dense, border, diagonal, where, labels) {
  structure(list(dense = dense, border = border, diagonal = diagonal, where = as.integer(where), labels = labels), class = "arrowhead")
}

#' Hessians that are dense, bordered and diagonal
#'
#' The attribute \code{"hessian"} of an \code{\link{opencl_function}} with \code{hessian = TRUE} is a block arrowhead matrix where parameters are
#' effects of levels, \code{u[g]} with codes \code{g}: each meets the other parameters, but no other effect. It has a dense block of the
#' k other parameters (up to 1,000), a border of J rows and k columns, and a diagonal of J numbers, of which there may be as many as there are levels.
#'
#' A vector is on the diagonal if its elements are taken by codes and enter the value element by element otherwise, and if no two of them meet: then
#' each slope is made of its own element alone. Of two vectors that meet (crossed effects, \code{u[g] * v[h]}), the longer one is on the diagonal,
#' and the other one is part of the dense block.
#'
#' @param x,a a matrix of this class.
#' @param b a vector, or a matrix of as many rows, the right side; missing: the inverse is given.
#' @param i,j numbers or names of rows and columns; one index \code{i} counts elements column by column, as in a matrix.
#' @param drop whether a result of one row or column is a vector.
#' @param logarithm whether the logarithm of the determinant's absolute value is given.
#' @param ... nothing.
#' @param e1,e2 one such matrix, which is negated, multiplied or divided by a number.
#' @return \code{as.matrix()} and \code{x[i, j]}: an ordinary matrix, with a row and a column for each number of the gradient, named as it is. \code{dim()},
#'   \code{dimnames()}, \code{diag()}, \code{t()}: as of that matrix. \code{solve()}: the solution, or without \code{b} the inverse, which is dense.
#'   \code{determinant()}: as of a matrix. Each of these takes a time proportional to J k^2 besides what it
#'   gives. Components \code{dense}, \code{border} and \code{diagonal}, and \code{where}, the numbers of the rows that are on the diagonal, may
#'   be read.
#' @section Errors: of class \code{nmathopencl_error}: a right side of another length; a matrix that is singular is an error of
#'   \code{\link[base]{solve}}.
#' @seealso \code{\link{opencl_function}}, \code{\link{laplace}}.
#' @examples
#' loglik <- function(y, g, m, u, s) {
#'   sum(dnorm(y, m + u[g], 1, log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE))
#' }
#' f <- opencl_function(loglik, gradient = c("m", "u", "s"), hessian = TRUE)
#' value <- f(y = c(0.5, 1, 2, 1.4), g = c(1, 2, 2, 3), m = 1, u = c(-0.2, 0.3, 0.1), s = 0)
#' hessian <- attr(value, "hessian")
#' hessian
#' as.matrix(hessian)
#' solve(hessian, attr(value, "gradient")) # a step of Newton's
#' determinant(hessian)
#' @name arrowhead
NULL

#' @rdname arrowhead
#' @export
dim.arrowhead <- function(x) rep(length(x$labels), 2L)

#' @rdname arrowhead
#' @export
dimnames.arrowhead <- function(x) list(x$labels, x$labels)

# diag() asks for it.
#' @rdname arrowhead
#' @export
is.matrix.arrowhead <- function(x) TRUE

#' @rdname arrowhead
#' @export
t.arrowhead <- function(x) x

#' @rdname arrowhead
#' @export
as.matrix.arrowhead <- function(x, ...) {
  n <- length(x$labels)
  full <- matrix(0, n, n, dimnames = list(x$labels, x$labels))
  rest <- dense_places(x)
  full[rest, rest] <- x$dense
  full[x$where, rest] <- x$border
  full[rest, x$where] <- t(x$border)
  full[cbind(x$where, x$where)] <- x$diagonal
  full
}

#' @rdname arrowhead
#' @export
`[.arrowhead` <- function(x, i, j, drop = TRUE) {
  places <- stats::setNames(seq_along(x$labels), x$labels)
  n <- length(places)
  if (nargs() - (!missing(drop)) == 2L) {
    if (missing(i)) return(as.matrix(x))
    if (is.character(i) || is.logical(i) || length(dim(i)) == 2L) return(as.matrix(x)[i])
    i <- i[i != 0]
    if (any(i < 0, na.rm = TRUE)) return(as.matrix(x)[i])
    return(arrowhead_elements(x, (i - 1) %% n + 1, ifelse(i > n^2, NA, (i - 1) %/% n + 1)))
  }
  rows <- if (missing(i)) places else places[i]
  columns <- if (missing(j)) places else places[j]
  if (anyNA(rows) || anyNA(columns)) argument_error("an index of this matrix is beyond its ", n, " rows and columns")
  part <- matrix(arrowhead_elements(x, rep(rows, length(columns)), rep(columns, each = length(rows))), length(rows))
  dimnames(part) <- list(x$labels[rows], x$labels[columns])
  if (drop) drop(part) else part
}

# The elements in these rows and columns, pair by pair.
arrowhead_elements <- function(x, rows, columns) {
  n <- length(x$labels)
  rest <- dense_places(x)
  of_dense <- of_level <- integer(n) # which of these each is
  of_dense[rest] <- seq_along(rest)
  of_level[x$where] <- seq_along(x$where)
  found <- ifelse(is.na(rows) | is.na(columns), NA_real_, 0)
  a <- of_dense[rows]
  b <- of_dense[columns]
  both <- which(a > 0L & b > 0L)
  found[both] <- x$dense[cbind(a[both], b[both])]
  left <- which(a == 0L & b > 0L)
  found[left] <- x$border[cbind(of_level[rows[left]], b[left])]
  right <- which(a > 0L & b == 0L)
  found[right] <- x$border[cbind(of_level[columns[right]], a[right])]
  same <- which(a == 0L & b == 0L & rows == columns)
  found[same] <- x$diagonal[of_level[rows[same]]]
  found
}

dense_places <- function(x) setdiff(seq_along(x$labels), x$where)

#' @rdname arrowhead
#' @export
solve.arrowhead <- function(a, b, ...) {
  n <- length(a$labels)
  if (missing(b)) {
    b <- diag(n)
    colnames(b) <- a$labels
  }
  if (!is.numeric(b) || NROW(b) != n) argument_error("the right side has ", NROW(b), " rows, and the matrix ", n)
  factors <- eliminated(a)
  right <- as.matrix(b)
  rest <- dense_places(factors$of)
  where <- factors$of$where
  scaled <- right[where, , drop = FALSE] / factors$of$diagonal
  solution <- array(0, dim(right))
  solution[rest, ] <- solved_block(factors$rest, right[rest, , drop = FALSE] - crossprod(factors$of$border, scaled))
  solution[where, ] <- scaled - factors$scaled %*% solution[rest, , drop = FALSE]
  if (is.null(dim(b))) return(stats::setNames(as.vector(solution), a$labels))
  dimnames(solution) <- if (!is.null(a$labels) || !is.null(colnames(b))) list(a$labels, colnames(b))
  solution
}

solved_block <- function(a, b) if (length(a) == 0L) b else solve(a, b)

# With the diagonal eliminated: `of`, the matrix; `scaled`, its border over the diagonal; `rest`, what is left of its dense block. An
# effect whose diagonal is next to nothing beside its border moves to the dense block, whose solution pivots; of definite matrices none does.
eliminated <- function(x) {
  size <- abs(diag(x$dense))
  small <- abs(x$diagonal) == 0
  for (k in seq_along(size)) small <- small | x$border[, k]^2 > 1e8 * size[k] * abs(x$diagonal)
  small <- which(small)
  if (length(small) > 0L && length(small) <= 1000L) x <- with_dense(x, small)
  scaled <- x$border / x$diagonal
  list(of = x, scaled = scaled, rest = x$dense - crossprod(x$border, scaled))
}

# The same matrix with some of its effects, by number, in the dense block.
with_dense <- function(x, moved) {
  rest <- dense_places(x)
  k <- length(rest)
  order <- order(c(rest, x$where[moved]))
  dense <- matrix(0, k + length(moved), k + length(moved))
  dense[seq_len(k), seq_len(k)] <- x$dense
  dense[-seq_len(k), seq_len(k)] <- x$border[moved, ]
  dense[seq_len(k), -seq_len(k)] <- t(x$border[moved, , drop = FALSE])
  dense[cbind(k + seq_along(moved), k + seq_along(moved))] <- x$diagonal[moved]
  if (k == 0L) dense <- diag(x$diagonal[moved], length(moved))
  border <- cbind(x$border[-moved, , drop = FALSE], matrix(0, length(x$where) - length(moved), length(moved)))
  new_arrowhead(dense[order, order, drop = FALSE], border[, order, drop = FALSE], x$diagonal[-moved], x$where[-moved], x$labels)
}

# The diagonal of the inverse, without the rest of it.
inverse_diagonal <- function(x) {
  factors <- eliminated(x)
  found <- numeric(length(x$labels))
  inverse <- solved_block(factors$rest, diag(nrow(factors$rest)))
  found[dense_places(factors$of)] <- diag(inverse)
  found[factors$of$where] <- 1 / factors$of$diagonal + rowSums((factors$scaled %*% inverse) * factors$scaled)
  stats::setNames(found, x$labels)
}

#' @rdname arrowhead
#' @export
determinant.arrowhead <- function(x, logarithm = TRUE, ...) {
  factors <- eliminated(x)
  d <- factors$of$diagonal
  rest <- determinant(factors$rest, logarithm = TRUE)
  size <- sum(log(abs(d))) + as.vector(rest$modulus)
  sign <- as.integer(prod(sign(d)) * rest$sign)
  structure(list(modulus = structure(if (logarithm) size else exp(size), logarithm = logarithm), sign = sign), class = "det")
}

#' @rdname arrowhead
#' @export
Ops.arrowhead <- function(e1, e2) {
  scale <- if (missing(e2) && .Generic == "-") {
    -1
  } else if (!missing(e2) && .Generic == "*" && (is_one_number(e1) || is_one_number(e2))) {
    if (is_one_number(e1)) e1 else e2
  } else if (!missing(e2) && .Generic == "/" && is_one_number(e2)) {
    1 / e2
  } else {
    argument_error("`", .Generic, "` of an arrowhead matrix: it is negated, multiplied or divided by a number; as.matrix() makes an ordinary one")
  }
  x <- if (inherits(e1, "arrowhead")) e1 else e2
  for (part in c("dense", "border", "diagonal")) x[[part]] <- x[[part]] * scale
  x
}

is_one_number <- function(x) is.numeric(x) && length(x) == 1L && !is.object(x)

#' @rdname arrowhead
#' @export
print.arrowhead <- function(x, ...) {
  k <- nrow(x$dense)
  J <- length(x$diagonal)
  cat("arrowhead matrix of ", k + J, " rows: ", k, " dense, ", J, " on the diagonal\n", sep = "")
  if (k > 0L) print(x$dense, ...)
  if (J > 0L) {
    shown <- utils::head(seq_len(J), 10L)
    cat(if (k > 0L) "border and ", "diagonal", if (J > 10L) paste0(", ", J - 10L, " rows more"), "\n", sep = "")
    rows <- cbind(x$border[shown, , drop = FALSE], diagonal = x$diagonal[shown])
    rownames(rows) <- x$labels[x$where[shown]]
    print(rows, ...)
  }
  invisible(x)
}
