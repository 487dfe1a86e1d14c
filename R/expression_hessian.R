# Second derivatives of functions that give one number: what the compiler has made of them (src/expression/second.h) as a matrix.

# Whether second derivatives are wanted, and can be: of what gives one number.
checked_hessian <- function(hessian, expression) {
  if (!is_switch(hessian)) argument_error("`hessian` must be TRUE or FALSE")
  if (!hessian) return(FALSE)
  if (is.null(expression$gradient)) argument_error("`hessian` goes with `gradient`, the names of the arguments that it is in")
  if (is.null(expression$reduce) && !expression$staged) {
    limit_error("`hessian` is for functions that give one number: end it with sum(...), or use reduce = \"sum\"")
  }
  TRUE
}

# Directions, slopes and nodes of the compiler as a matrix of three rows.
curves_of <- function(made) matrix(as.integer(made$curves), 3L)

# `values`: of the nodes, in their order; `sizes`: of the gradient's arguments. A direction 0 is a diagonal: see Curve. The other directions
# are the dense block's numbers in their order: as numbers of all they hang on how many effects the call had that was compiled.
hessian_matrix <- function(curves, values, sizes, labels) {
  ends <- cumsum(sizes)
  places <- function(slope) ends[slope] - sizes[slope] + seq_len(sizes[slope])
  on_diagonal <- curves[2L, curves[1L, ] == 0L]
  where <- unlist(lapply(sort(on_diagonal), places))
  rest <- setdiff(seq_along(labels), where)
  dense <- matrix(0, length(rest), length(rest), dimnames = list(labels[rest], labels[rest]))
  border <- matrix(0, length(where), length(rest), dimnames = list(labels[where], labels[rest]))
  diagonal <- numeric(length(where))
  at <- integer(length(labels)) # of each number, which it is of its kind
  at[rest] <- seq_along(rest)
  at[where] <- seq_along(where)
  columns <- match(curves[1L, ], setdiff(sort(curves[1L, ]), 0L))
  for (k in seq_len(ncol(curves))) {
    rows <- at[places(curves[2L, k])]
    value <- as.double(in_r(values[[k]]))
    if (curves[1L, k] == 0L) {
      diagonal[rows] <- value
    } else if (curves[2L, k] %in% on_diagonal) {
      border[rows, columns[k]] <- value
    } else {
      dense[rows, columns[k]] <- value
    }
  }
  above <- upper.tri(dense)
  dense[above] <- t(dense)[above]
  if (length(on_diagonal) == 0L) dense else new_arrowhead(dense, border, diagonal, where, labels)
}
