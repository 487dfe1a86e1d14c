#' nmathopencl: R's mathematics library on OpenCL devices
#'
#' Distribution functions and special functions that behave as R's own and run on any OpenCL device with double
#' precision, or on the host device that every machine has; and the annotated OpenCL sources behind them, with a loader
#' that assembles just the files a kernel of your own needs.
#'
#' @section Whose work this is:
#' An independent implementation. The names of the functions, their arguments and their documented behaviour are those of
#' 'Mathlib' and of the packages stats and base, which the R Core Team wrote; \code{citation()} says how to cite R. The code
#' is new: it was written from the publications that the help pages name, and no code of R is in it.
#'
#' @section Options and environment variables:
#' \describe{
#'   \item{\code{options(nmathopencl.device = )}, \code{NMATHOPENCL_DEVICE}}{what \code{device = "auto"} means.}
#'   \item{\code{options(nmathopencl.arithmetic = )}}{doubles, pairs of floats or single precision, see \code{\link{pairs_of_floats}}.}
#'   \item{\code{options(nmathopencl.threads = )}}{the most threads of this machine that one call may use, to compute on
#'     the host device or to move data to another; by default one per core.}
#'   \item{\code{options(nmathopencl.progress = )}}{whether calls that take over 2 seconds show a progress bar; by
#'     default in interactive sessions.}
#'   \item{\code{options(nmathopencl.memory = )}}{how many bytes of a device's memory resident vectors may take, see \code{\link{opencl_vector}}.}
#'   \item{\code{options(nmathopencl.programs = )}}{how many programs of your own kernels stay built in this session and
#'     on each device, those used last; 64 by default. The package's own programs always stay.}
#'   \item{\code{options(nmathopencl.compiler = )}}{\code{FALSE}: the host device compiles no programs; \code{TRUE}: under
#'     \command{R CMD check} too, see \code{\link{run_opencl_kernel}}.}
#'   \item{\code{options(nmathopencl.optimize = )}}{0, 1, 2 or 3: how much the host device's compiler optimizes, 3 by default (2 on
#'     Windows, and for kernels of more than 40,000 bytes, which take several times as long with 3 and run no faster). With 1 a program is built sooner, and computes one element after the other.}
#'   \item{\code{options(nmathopencl.recycle = )}}{how many bytes of memory that results no longer need may wait for the
#'     next results (Linux): fresh memory from the system costs more than the values of a cheap function. By default a
#'     sixteenth of the memory that the process may have, 4 GiB at most; 0 gives all of it back, from the next call on.
#'     R counts such results only to know when to collect, not against its limit. So where that limit,
#'     \code{\link{mem.maxVSize}()} or \env{R_MAX_VSIZE}, is below the memory of the machine, no result is in memory of this
#'     kind: all are vectors of R's own, which it counts.}
#'   \item{\code{options(nmathopencl.available = )}}{how many bytes a result may have. By default it is what the system says is
#'     available without swapping (Linux): a larger result is an error at once. \code{Inf} lets the system swap.}
#'   \item{\code{options(nmathopencl.cache = )}, \code{NMATHOPENCL_CACHE}, \code{NMATHOPENCL_CACHE_DIR}}{whether and where
#'     built programs are kept for later sessions, see \code{\link{opencl_cache_info}}.}
#'   \item{\code{NMATHOPENCL_PLATFORM_INDEX}, \code{NMATHOPENCL_DEVICE_INDEX}}{restrict the OpenCL devices, from 0.}
#' }
#'
#' @seealso \code{\link{opencl_sitrep}} for what is there and why a device is not used;
#'   \code{vignette("coming-from-published", package = "nmathopencl")}.
#' @useDynLib nmathopencl, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @keywords internal
"_PACKAGE"

# Its finalizer runs at the end of the session. A driver's library that was loaded after a build was left would end first, under the
# thread that is still building by it.
session_end <- new.env(parent = emptyenv())

.onLoad <- function(libname, pkgname) {
  offer_published_names(topenv())
  register_later_methods()
  reg.finalizer(session_end, function(end) if (is.null(end$unloaded)) note_end_cpp(), onexit = TRUE)
  if (under_check()) keep_driver_caches(tempdir())
}

.onUnload <- function(libpath) {
  bundle_registry$unloaded <- session_end$unloaded <- TRUE
  release_bundles_cpp()
  drop_sessions_cpp()
  release_results_cpp()
  library.dynam.unload("nmathopencl", libpath)
}
