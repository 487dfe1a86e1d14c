#' Negative binomial densities on an OpenCL device
#'
#' The density of the negative binomial distribution with mean `mu` and size `size`, computed by a kernel of this
#' package that calls `dpois_raw`, `lgammafn` and `log1pmx` of nmathopencl's device library.
#'
#' @param x whole numbers, 0 or more.
#' @param size,mu size and mean, positive; recycled to the length of `x`.
#' @param log if `TRUE`, logarithms of the densities.
#' @return `nb_density()`: a double vector as long as `x`, equal to `dnbinom(x, size = size, mu = mu, log = log)` to
#'   1e-12 for sizes up to 50. `nb_program()`: the program that is built for it, a string; works without OpenCL.
#' @section Errors: An error of class `nmathdownstream_error` if there is no OpenCL device with double precision, or
#'   nmathopencl finds no OpenCL library, or the device fails; the message says which.
#' @examples
#' cat(substr(nb_program(), 1, 200))
#' if (nmathopencl::nmathopencl_opencl_fp64_available()) {
#'   nb_density(0:5, size = 2.5, mu = 3)
#' }
#' @useDynLib nmathdownstream, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom nmathopencl nmathopencl_opencl_fp64_available
#' @export
nb_density <- function(x, size, mu, log = FALSE) {
  check <- function(values, name, good, what) {
    if (!is.numeric(values) || anyNA(values) || !all(good(values))) stop("`", name, "` must be ", what, call. = FALSE)
  }
  check(x, "x", function(v) v >= 0 & v == floor(v) & is.finite(v), "whole numbers, 0 or more")
  check(size, "size", function(v) v > 0 & is.finite(v), "positive numbers")
  check(mu, "mu", function(v) v > 0 & is.finite(v), "positive numbers")
  if (length(x) == 0L) return(numeric())
  if (length(size) == 0L || length(mu) == 0L) stop("`size` and `mu` must have at least one element", call. = FALSE)
  tryCatch(
    nb_density_cpp(as.double(x), rep_len(as.double(size), length(x)), rep_len(as.double(mu), length(x)), isTRUE(log)),
    error = function(e) {
      stop(structure(
        class = c("nmathdownstream_error", "error", "condition"),
        list(message = paste0("nb_density() needs OpenCL: ", conditionMessage(e)), call = sys.call(-4L))
      ))
    }
  )
}

#' @rdname nb_density
#' @export
nb_program <- function() nb_program_cpp()
