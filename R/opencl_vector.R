# Resident vectors: a handle of the core, and what R knows of the vector without asking for it. To R the object is an external
# pointer: its own functions find no elements in it, and get values by the methods below or not at all.

# A list: pointer (the handle), type, length, names, dim, dimnames, origin (list(value, env, has_shape): what R evaluates to the same
# vector in its own memory, and whether that has attributes, for data of an opencl_function, whose results come back).
resident_fields <- function(x) {
  resident_fields_cpp(x) %||%
    argument_error("R's own object with the class of a vector on a device, as where attributes were copied: unclass() gives it")
}

# length(), without the search for a method.
size_of <- function(x) if (is.object(x)) resident_fields(x)$length else as.double(length(x))

is_resident <- function(x) is.object(x) && inherits(x, "opencl_vector") # others are asked at every call

new_resident <- function(pointer, type, length, names = NULL, dim = NULL, dimnames = NULL, origin = NULL) {
  fields <- list(pointer = pointer, type = type, length = as.double(length), names = names, dim = dim, dimnames = dimnames, origin = origin)
  resident_object_cpp(fields, if (is.null(dim)) "opencl_vector" else c("opencl_matrix", "opencl_vector"))
}

#' Resident vectors
#'
#' Copies a vector or a matrix to a device's memory, once: calls with it send nothing to the device, and elementwise results are
#' resident, too. A resident vector never changes; it has the names and dimensions of R's.
#'
#' @param x a double, integer or logical vector or matrix
#' @param device the device, as for every function of this package; \code{"auto"} is the session's, see
#'   \code{\link{set_opencl_device}}. On the host device nothing is copied. With several devices, \code{c(1, 2)} or \code{"all"}, each
#'   has a part of the vector, see \code{\link{many_devices}}.
#' @return An object of class \code{opencl_vector}, or \code{opencl_matrix}: to R an external pointer, an object without elements.
#'   Functions with a method for it return the same as for R's vector; all other functions are an error:
#'   \code{\link{opencl_vector_functions}} lists both. \code{as.vector} copies the vector back to R.
#' @section Memory:
#' The memory is released when R collects the object, or at once by \code{\link{opencl_free}}. Before a device is full
#' (\code{options(nmathopencl.memory = )} sets another limit, in bytes), R's garbage is collected; where that does not free
#' enough, the error lists the vectors on the device as \code{\link{opencl_memory}} does.
#'
#' A vector is stored in the arithmetic that is set when it is made (\code{\link{pairs_of_floats}}), and calls with it compute in that.
#'
#' On the host device resident vectors are in R's own memory, and so are resident results.
#'
#' A vector cannot be saved: after \code{readRDS}, and in a process that was forked from its own, its first use is an
#' error.
#' @section Resident results:
#' Elementwise results of resident vectors are on their device, too. With \code{keep = TRUE} the functions of this package
#' leave the result of ordinary arguments there: \code{rnorm_opencl(1e9, keep = TRUE)}. It equals the result without
#' \code{keep}: a double, integer or logical vector of the same length, names and dimensions (other attributes are dropped,
#' and an array of other than two dimensions is an error), \code{NA} apart from \code{NaN}, with the same warnings. Draws are
#' the very same numbers under the same \code{set.seed()}; other results agree within the function's accuracy, because values
#' that depend on numbers of length one only are computed once (\code{\link{opencl_function}}). With \code{fallback = TRUE} a result
#' that the host device computed is resident there.
#' @examples
#' x <- opencl_vector(c(a = 1, b = 2, c = 3), device = "host")
#' x
#' x["b"]
#' as.vector(x)
#'
#' set.seed(1)
#' draws <- rgamma_opencl(1e4, shape = 2, device = "host", keep = TRUE)
#' mean(draws)
#' @export
opencl_vector <- function(x, device = "auto") {
  call <- sys.call()
  if (is_resident(x)) {
    return(x)
  }
  if (!(is.double(x) || is.integer(x) || is.logical(x)) || is.object(x)) {
    argument_error("`x` must be a plain double, integer or logical vector")
  }
  dims <- dim(x)
  if (!is.null(dims) && length(dims) != 2L) argument_error("`x` must be a vector or a matrix")
  result <- resident_make_cpp(x, resolve_devices(device), is.null(attributes(x)))
  if (!is.null(result$error)) raise_core_error(result$error, call)
  new_resident(result$handle, typeof(x), length(x), if (is.null(dims)) names(x), dims, dimnames(x))
}

#' @rdname opencl_vector
#' @export
opencl_matrix <- function(x, device = "auto") opencl_vector(if (is_resident(x)) x else as.matrix(x), device)

#' What vectors take of the devices' memory
#'
#' @return \code{opencl_memory} gives a data frame with a row for each device that has resident vectors, or had:
#'   \code{device}, \code{vectors}, \code{bytes}, \code{limit} and \code{index}, as \code{\link{opencl_devices}} has it;
#'   a vector on several devices counts on each. \code{opencl_free} gives \code{NULL}, invisibly; a
#'   vector that was released is an error to use.
#' @param x a vector of \code{\link{opencl_vector}}
#' @examples
#' x <- opencl_vector(1:10, device = "host")
#' opencl_memory()
#' opencl_free(x)
#' @export
opencl_memory <- function() as.data.frame(from_core(resident_memory_cpp()))

#' @rdname opencl_memory
#' @export
opencl_free <- function(x) {
  if (!is_resident(x)) argument_error("`x` must be a vector that opencl_vector() made")
  result <- resident_free_cpp(resident_fields(x)$pointer)
  if (!is.null(result$error)) raise_core_error(result$error, sys.call())
  invisible()
}

# Elements first, ..., first + count - 1 (from 1), without attributes.
resident_part <- function(x, first = 1, count = length(x), call = sys.call(-1L)) {
  there <- origin_of(x)
  if (!is.null(there)) return(as.vector(if (first == 1 && count == length(x)) there else there[first - 1 + seq_len(count)]))
  result <- resident_fetch_cpp(resident_fields(x)$pointer, first - 1, count)
  if (!is.null(result$error)) raise_core_error(result$error, call)
  result$value
}

# The whole vector, with its names or dimensions.
resident_whole <- function(x, call = sys.call(-1L)) {
  there <- origin_of(x)
  if (!is.null(there)) return(there)
  value <- resident_part(x, call = call)
  own <- resident_fields(x)
  names(value) <- own$names
  if (!is.null(own$dim)) {
    dim(value) <- own$dim
    dimnames(value) <- own$dimnames
  }
  value
}

resident_device <- function(x) resident_info_cpp(resident_fields(x)$pointer)$device

# The device, or the devices, that all of them lie on, as `device =` takes them.
device_of_residents <- function(residents, call) {
  infos <- lapply(residents, function(x) resident_info_cpp(resident_fields(x)$pointer))
  gone <- vapply(infos, function(info) !all(nzchar(info$device)), NA)
  if (any(gone)) resident_part(residents[[which(gone)[1L]]], 1, 1, call) # its error says why
  apart <- vapply(infos, function(info) !identical(info[c("index", "arithmetic")], infos[[1L]][c("index", "arithmetic")]), NA)
  if (any(apart)) {
    kinds <- unique(unlist(lapply(infos, function(info) info$arithmetic)))
    raise_core_error(list(
      message = if ("single" %in% kinds && length(kinds) > 1L) {
        "some vectors of one call are in single precision, and others are not"
      } else if (length(kinds) > 1L) {
        "vectors of one call are of doubles and of pairs of floats"
      } else paste0(
        "vectors of one call are resident on different devices, '", joined_names(infos[[1L]]$device), "' and '",
        joined_names(infos[[which(apart)[1L]]]$device), "'"
      ), step = "", status = "", hint = paste0("Nothing moves between devices by itself: bring one back with as.vector()", see_limits, "."),
      device = "", build_log = ""
    ), call)
  }
  paste0(ifelse(infos[[1L]]$index == 0L, "host", infos[[1L]]$index), ifelse(infos[[1L]]$arithmetic == "double", "", paste0("|", infos[[1L]]$arithmetic)))
}

joined_names <- function(devices) paste(devices, collapse = " + ")

# What of an R vector's attributes a resident vector can have; others are left out.
with_shape_alone <- function(x) {
  if (is.null(attributes(x))) return(x)
  dims <- dim(x)
  if (!is.null(dims) && length(dims) != 2L) limit_error("an array of ", length(dims), " dimensions cannot be resident on a device")
  own <- list(names = if (is.null(dims)) names(x), dim = dims, dimnames = dimnames(x))
  attributes(x) <- own[!vapply(own, is.null, NA)]
  x
}

# A result that stays: a handle of the core, or R's vector where a device is R's memory. `n`: its length.
as_resident <- function(value, n, where, dim = NULL, dimnames = NULL) {
  if (is_resident(value)) return(value)
  if (typeof(value) == "externalptr") {
    return(new_resident(value, resident_info_cpp(value)$type, n, dim = dim, dimnames = dimnames))
  }
  value <- with_shape_alone(value)
  own <- list(names = names(value), dim = dim %||% base::dim(value), dimnames = dimnames %||% base::dimnames(value))
  if (!is.null(attributes(value))) attributes(value) <- NULL
  made <- resident_fields(opencl_vector(value, if (identical(where, "none")) "host" else where))
  new_resident(made$pointer, made$type, made$length, if (is.null(own$dim)) own$names, own$dim, own$dimnames)
}

#' @export
length.opencl_vector <- function(x) {
  own <- resident_fields(x)
  if (own$length <= .Machine$integer.max) as.integer(own$length) else own$length
}

#' @export
dim.opencl_vector <- function(x) resident_fields(x)$dim

#' @export
dimnames.opencl_vector <- function(x) resident_fields(x)$dimnames

#' @export
names.opencl_vector <- function(x) resident_fields(x)$names

#' @export
`names<-.opencl_vector` <- function(x, value) {
  own <- resident_fields(x)
  if (!is.null(value)) {
    value <- as.character(value)
    if (!is.null(own$dim)) argument_error("a matrix on a device has dimnames(), no names()")
    if (length(value) > own$length) {
      argument_error(sprintf("'names' attribute [%d] must be the same length as the vector [%.0f]", length(value), own$length))
    }
    length(value) <- own$length
  }
  new_resident(own$pointer, own$type, own$length, value, own$dim, own$dimnames)
}

#' @export
`dim<-.opencl_vector` <- function(x, value) {
  own <- resident_fields(x)
  if (is.null(value)) {
    return(new_resident(own$pointer, own$type, own$length))
  }
  value <- as.integer(value)
  if (length(value) != 2L) argument_error("a resident vector has two dimensions or none: as.vector() brings it back to R")
  if (anyNA(value) || any(value < 0L) || prod(value) != own$length) {
    argument_error(sprintf("dims [product %.0f] do not match the length of object [%.0f]", prod(value), own$length))
  }
  new_resident(own$pointer, own$type, own$length, dim = value)
}

#' @export
`dimnames<-.opencl_vector` <- function(x, value) {
  own <- resident_fields(x)
  if (is.null(value) && is.null(own$dim)) return(x)
  if (is.null(own$dim)) argument_error("'dimnames' applied to non-array")
  new_resident(own$pointer, own$type, own$length, dim = own$dim, dimnames = checked_dimnames(value, own$dim))
}

# As R keeps them for a matrix of these dimensions.
checked_dimnames <- function(value, dim) {
  if (is.null(value) || (is.list(value) && length(value) == 0L)) return(NULL)
  if (!is.list(value) || length(value) > 2L) argument_error("'dimnames' must be a list of two")
  length(value) <- 2L
  for (k in seq_along(value)) {
    if (length(value[[k]]) == 0L) {
      value[k] <- list(NULL)
    } else if (length(value[[k]]) == dim[k]) {
      value[[k]] <- as.character(value[[k]])
    } else {
      argument_error(sprintf("length of 'dimnames' [%d] not equal to array extent", k))
    }
  }
  if (all(vapply(value, is.null, NA)) && is.null(names(value))) NULL else value
}

immutable <- function() {
  argument_error(
    "a vector on a device never changes: as.vector() brings it back. pmin() and pmax() of it are computed there by a function, ",
    "opencl_function(function(x) pmax(x, 0))(x); ?opencl_vector_functions lists what is computed"
  )
}

#' @export
`[<-.opencl_vector` <- function(x, ..., value) immutable()

#' @export
`[[<-.opencl_vector` <- function(x, ..., value) immutable()

#' @export
`$<-.opencl_vector` <- function(x, name, value) immutable()

#' @export
`$.opencl_vector` <- function(x, name) argument_error("$ operator is invalid for atomic vectors")

#' @export
`length<-.opencl_vector` <- function(x, value) immutable()

#' @export
`levels<-.opencl_vector` <- function(x, value) immutable()

#' @export
is.matrix.opencl_vector <- function(x) !is.null(dim(x))

#' @export
is.array.opencl_vector <- function(x) !is.null(dim(x))

#' @export
is.numeric.opencl_vector <- function(x) resident_fields(x)$type != "logical"

resident_title <- function(x) {
  own <- resident_fields(x)
  size <- if (is.null(own$dim)) format(own$length, big.mark = thousands_mark()) else paste(own$dim, collapse = " x ")
  device <- resident_device(x)
  where <- if (all(nzchar(device))) paste("on", joined_names(device)) else "released"
  paste0("<", class(x)[1], ": ", own$type, " [", size, "] ", where, ">")
}

#' @export
print.opencl_vector <- function(x, ...) {
  cat(resident_title(x), "\n", sep = "")
  if (!all(nzchar(resident_device(x))) || length(x) == 0) {
    return(invisible(x))
  }
  own <- resident_fields(x)
  if (is.null(own$dim)) {
    print(head(x, 10L), ...)
  } else {
    rows <- seq_len(min(own$dim[1], 6L))
    columns <- seq_len(min(own$dim[2], 6L))
    part <- vapply(columns, function(k) {
      as.double(resident_part(x, (k - 1) * own$dim[1] + 1, length(rows)))
    }, numeric(length(rows)))
    print(matrix(part, length(rows), dimnames = list(own$dimnames[[1]][rows], own$dimnames[[2]][columns])), ...)
  }
  invisible(x)
}

#' @importFrom utils str
#' @export
str.opencl_vector <- function(object, ...) {
  few <- if (all(nzchar(resident_device(object)))) resident_part(object, 1, min(length(object), 5))
  more <- if (length(few) < length(object)) "..."
  cat("", resident_title(object), format(few, digits = 3), more)
  cat("\n")
}
