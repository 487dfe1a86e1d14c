# Parts of resident vectors: only what is asked for comes back.

# Whole numbers from 1 on are brought in stretches of those that lie together, anything else is picked from the whole vector.
#' @export
`[.opencl_vector` <- function(x, i, j, ..., drop = TRUE) {
  call <- sys.call()
  own <- resident_fields(x)
  if (nargs() - (!missing(drop)) > 2L) {
    if (!missing(i) && is_resident(i)) i <- as.vector(i)
    if (!missing(j) && is_resident(j)) j <- as.vector(j)
    return(resident_whole(x, call)[i, j, ..., drop = drop])
  }
  if (missing(i)) {
    return(resident_whole(x, call))
  }
  if (is_resident(i)) return(resident_picked(x, i, call))
  parts <- if (is.null(dim(i))) stretches(i, own$length)
  if (is.null(parts)) {
    return(resident_whole(x, call)[i])
  }
  sizes <- parts$last - parts$first + 1
  fetched <- lapply(seq_along(sizes), function(k) resident_part(x, parts$first[k], sizes[k], call))
  k <- findInterval(i, parts$first)
  value <- unlist(fetched)[i - parts$first[k] + 1 + (cumsum(sizes) - sizes)[k]]
  names(value) <- own$names[i]
  value
}

# Where the elements `i` of `n` lie: a few stretches, c(first, last) each, that are worth a trip. NULL where there are too many,
# or `i` is no plain choice of elements.
stretches <- function(i, n) {
  if (!is.numeric(i) || length(i) == 0L || length(i) > 1e7 || anyNA(i) || min(i) < 1 || max(i) >= n + 1) return(NULL)
  at <- sort(unique(floor(i)))
  cut <- which(diff(at) > 1e5)
  if (length(cut) > 64L) return(NULL)
  list(first = at[c(1L, cut + 1L)], last = at[c(cut, length(at))])
}

#' @export
`[[.opencl_vector` <- function(x, i, ...) {
  if (!missing(i) && is_resident(i)) i <- as.vector(i)
  here <- nargs() == 2L && !missing(i) && is.numeric(i) && length(i) == 1L && isTRUE(i >= 1 && i < size_of(x) + 1)
  if (here) return(unname(x[i]))
  whole <- resident_whole(x, sys.call())
  tryCatch(whole[[i, ...]], error = function(e) argument_error(conditionMessage(e)))
}

#' @importFrom utils head tail
#' @export
head.opencl_vector <- function(x, n = 6L, ...) {
  if (!is.null(dim(x))) {
    return(head(resident_whole(x), n, ...))
  }
  size <- if (n < 0) max(length(x) + n, 0) else min(n, length(x))
  x[seq_len(size)]
}

#' @export
tail.opencl_vector <- function(x, n = 6L, ...) {
  if (!is.null(dim(x))) {
    return(tail(resident_whole(x), n, ...))
  }
  size <- if (n < 0) max(length(x) + n, 0) else min(n, length(x))
  x[seq_len(size) + (length(x) - size)]
}
