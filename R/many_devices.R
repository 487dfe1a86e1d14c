# Calls on several devices: what `device =` may be there.

#' Many devices, many machines
#'
#' With \code{device = c(1, 2)}, or names, or \code{"all"}, several devices of this machine compute one call together. R's own tools
#' divide a call among processes or machines; the results do not depend on how many there are.
#'
#' @section Which calls:
#' Every elementwise function (\code{dnorm_opencl}, ...) and every function that draws, functions made by
#' \code{\link{opencl_function}} with their reductions, gradients and \code{by}, \code{\link{f2_f3_opencl}} and
#' \code{\link{opencl_vector}}. Everything else that takes a \code{device} (\code{\link{set_opencl_device}}, the option
#' \code{nmathopencl.device}, kernel bundles and \code{\link{run_opencl_kernel}}) takes one: several are an error.
#' @section Which devices:
#' \code{"host"} or 0 may be one of them. \code{"all"} is every GPU with working double precision, or the host device where
#' there is none. Their order has no effect, and naming a device twice is an error.
#' @section How a call is divided:
#' Each device computes consecutive elements, in proportion to its measured speed in earlier calls of the same function; devices
#' of one name count as equally fast unless they differ by more than a quarter. The first calls of a function are divided by
#' the devices' compute units, and a long first call measures the speeds with an eighth of its elements before it divides
#' the rest. All devices compute at the same time, with one thread each. The fastest device alone computes a call that takes
#' less than some 0.3 ms or has few elements. A device that is too slow to be of help is left out.
#' \code{\link{last_run}()$shares} shows the elements and the time of each device.
#'
#' Interrupts and errors are those of other calls: all devices stop, then the first error is raised. With \code{fallback
#' = TRUE} the whole call is repeated on the host device.
#' @section Results:
#' Draws are the very same numbers as those of one device. Each elementwise result is that of the device that computed
#' it, so results agree but for rounding. Reductions add up fixed blocks in the order of the elements, and no block is
#' divided between devices: on devices of one kind they are the very same, too. A grid of \code{\link{f2_f3_opencl}} agrees
#' but for rounding.
#' @section Resident vectors:
#' \code{opencl_vector(x, device = c(1, 2))} has a part of \code{x} on each device, and so do results with \code{keep =
#' TRUE}. Vectors of one length are divided alike among the same devices, in proportion to compute units and not to measured speed.
#' Arithmetic, elementwise functions, \code{opencl_function}s and reductions compute each part on its own device; R's vectors
#' and numbers among the arguments travel to each device that needs them. Calls that need the whole vector on each device are
#' errors: those with vectors of other lengths, \code{by} or matrix products, with such vectors as parameters of draws, kernels of
#' your own and \code{f2_f3_opencl}.
#' @section Many processes, many machines:
#' A worker of \pkg{future}, \pkg{mirai} or \pkg{parallel} is a process that takes a device by its index, \code{device =
#' 1 + (k - 1) \%\% n}, where \code{k} is the worker's number and \code{n} the number of its machine's devices. Draws
#' take \code{seed}, the key of the stream, and \code{first}, the number of the first draw: a worker that computes
#' elements \code{k}, ..., \code{k + m - 1} of a vector of draws calls \code{rnorm_opencl(m, seed = s, first = k)}, and
#' the vector is the same for any number of workers. \code{vignette("many-devices")} has recipes.
#'
#' A process that was forked after its parent had used an OpenCL device cannot use one: use workers that are new
#' processes (\code{future::multisession}, \code{mirai::daemons}, \code{parallel::makePSOCKcluster}).
#' @seealso \code{\link{opencl_devices}} for the devices and their indices.
#' @examples
#' x <- seq(-3, 3, length.out = 5)
#' dnorm_opencl(x, device = "all")
#' last_run()$device
#'
#' # Draws 1 to 3 and 4 to 6 of one stream, wherever they are drawn.
#' c(rnorm_opencl(3, seed = 42), rnorm_opencl(3, seed = 42, first = 4))
#' rnorm_opencl(6, seed = 42)
#' @name many_devices
NULL

# The devices of a call that may be shared, as texts for the core: see resolve_device().
resolve_devices <- function(device) {
  if (length(device) <= 1L) return(resolve_device(device))
  if (!is.character(device) && !is.numeric(device)) {
    argument_error("`device` must be a device or a vector of devices: names or indices of opencl_devices()")
  }
  vapply(unname(device), resolve_device, "", USE.NAMES = FALSE)
}
