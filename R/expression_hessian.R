# Second derivatives of functions that give one number: what the compiler has made of them (src/expression/second.h) as a matrix.

# Whether second derivatives are wanted, and can be: of what gives one number.
checked_hessian <- function(hessian, expression) {
  if (!is_switch(hessian)) argument_error("`hessian` must be TRUE or FALSE")
  if (!hessian) return(FALSE)
  if (is.null(expression$gradient)) argument_error("`hessian` goes with `gradient`, the names of the arguments that it is in")
  if (is.null(expression$reduce) && !expression$staged) {
    argument_error("`hessian` is for functions that give one number: end it with sum(...), or use reduce = \"sum\"")
  }
  TRUE
}

# Directions, slopes and nodes of the compiler as a matrix of three rows.
curves_of <- function(made) matrix(as.integer(made$curves), 3L)

# `values`: of the nodes, in their order; `sizes`: of the gradient's arguments.
hessian_matrix <- function(curves, values, sizes, labels) {
  ends <- cumsum(sizes)
  found <- matrix(0, length(labels), length(labels), dimnames = list(labels, labels))
  for (k in seq_len(ncol(curves))) {
    slope <- curves[2L, k]
    rows <- ends[slope] - sizes[slope] + seq_len(sizes[slope])
    found[rows, curves[1L, k]] <- as.double(in_r(values[[k]]))
  }
  above <- upper.tri(found)
  found[above] <- t(found)[above]
  found
}
