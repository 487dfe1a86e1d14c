# published_names -- diagnostics by the names that the published packages gave them.

#' Diagnostics by the names of the published packages
#'
#' Code written for the published \pkg{nmathopencl} and \pkg{opencltools} asks for devices by these names. They
#' answer here too, from what \code{\link{opencl_devices}}, \code{\link{nmathopencl_opencl}} and
#' \code{\link{opencl_sitrep}} know.
#'
#' Where \pkg{opencltools} is installed, which has functions of these names, they are left to that package, so that
#' others can import both: \code{nmathopencl:::published_names$has_opencl()} then is ours.
#'
#' @return \describe{
#'   \item{\code{has_opencl()}}{\code{\link{nmathopencl_has_opencl}()}: \code{TRUE} or \code{FALSE}.}
#'   \item{\code{opencl_device_info(force = FALSE, details = FALSE)}}{the list of
#'     \code{\link{nmathopencl_opencl_device_info}()} with its elements \code{valid} and \code{device_type_label} by
#'     their published names \code{ok} and \code{device_type}; \code{details = TRUE} adds \code{candidates}, a list
#'     of columns with an element for each device.}
#'   \item{\code{gpu_names()}}{names of the OpenCL devices of type \code{"gpu"}, a character vector, empty where
#'     there is none.}
#'   \item{\code{get_opencl_core_count()}}{compute units of all GPUs together, an integer of at least 1.}
#'   \item{\code{verify_opencl_runtime(lib_dirs = NULL)}}{whether the OpenCL library opens and has a platform:
#'     \code{TRUE} or \code{FALSE}. Nothing is compiled; \code{lib_dirs} is not looked at.}
#'   \item{\code{opencl_fp64_available(force = FALSE)}}{\code{\link{nmathopencl_opencl_fp64_available}()}: \code{TRUE} or \code{FALSE}.}
#'   \item{\code{opencl_reset_device_selection()}}{\code{\link{nmathopencl_opencl_reset_device_selection}()}: \code{NULL}, invisibly.}
#' }
#' @aliases has_opencl opencl_device_info gpu_names get_opencl_core_count verify_opencl_runtime opencl_fp64_available opencl_reset_device_selection
#' @rawNamespace exportPattern("^(has_opencl|opencl_device_info|gpu_names|get_opencl_core_count|verify_opencl_runtime)$")
#' exportPattern("^opencl_(fp64_available|reset_device_selection)$")
#' @seealso \code{\link{opencl_sitrep}} for all of this on one page; \code{vignette("coming-from-published")}.
#' @name published_names
#' @keywords internal
NULL

published_names <- list(
  has_opencl = function() nmathopencl_has_opencl(),
  opencl_device_info = function(force = FALSE, details = FALSE) {
    if (!is_switch(details)) argument_error("`details` must be TRUE or FALSE")
    info <- nmathopencl_opencl_device_info(force = force)
    names(info)[match(c("valid", "device_type_label"), names(info))] <- c("ok", "device_type")
    if (details) info$candidates <- if (nmathopencl_has_opencl()) from_core(device_probes_cpp()) else list()
    info
  },
  gpu_names = function() {
    devices <- opencl_devices(probe = FALSE)
    devices$name[devices$type == "gpu"]
  },
  get_opencl_core_count = function() {
    devices <- opencl_devices(probe = FALSE)
    max(1L, as.integer(sum(devices$compute_units[devices$type == "gpu"])))
  },
  verify_opencl_runtime = function(lib_dirs = NULL) {
    found <- tryCatch(driver_reports_cpp(), error = function(e) NULL)
    length(found$platform_name) > 0L
  },
  opencl_fp64_available = function(force = FALSE) nmathopencl_opencl_fp64_available(force = force),
  opencl_reset_device_selection = function() nmathopencl_opencl_reset_device_selection()
)

# They are exported where they are: NAMESPACE has a pattern. Two packages that export a name each are a message for
# whoever imports both.
offer_published_names <- function(home) {
  if (nzchar(system.file(package = "opencltools"))) return(invisible())
  for (name in names(published_names)) assign(name, published_names[[name]], envir = home)
}
