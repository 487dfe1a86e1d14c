#' Devices that can compute
#'
#' Lists the host device and every OpenCL device that the OpenCL library of this machine knows of; without such a library,
#' the host device alone.
#'
#' @param probe if \code{TRUE} (default), double precision is tested by building and running a kernel on each device
#'   (a device that merely claims it does not count); the result is kept for the session. With \code{FALSE} a device
#'   not yet tested has \code{fp64 = NA}.
#' @return A data frame, one row per device: \code{index} (0 for the host device), \code{name}, \code{type}
#'   (\code{"host"}, \code{"gpu"}, \code{"cpu"}, \code{"accelerator"}), \code{platform}, \code{vendor},
#'   \code{version}, \code{driver}, \code{compute_units}, \code{global_mem} (bytes), \code{fp64}, \code{arithmetic}: what numbers
#'   are there, \code{"double"} or, where there are no doubles or they were not asked for, \code{"pair"} or \code{"single"} (\code{\link{pairs_of_floats}};
#'   \code{NA}: the device cannot be used, or was not tested), and \code{selected}: whether \code{device = "auto"} would use it now.
#' @examples
#' opencl_devices()
#' @export
opencl_devices <- function(probe = TRUE) {
  if (!is_switch(probe)) argument_error("`probe` must be TRUE or FALSE")
  asked <- arithmetic_setting()
  devices <- from_core(devices_cpp(probe, asked))
  if (nzchar(devices$problem)) warning("OpenCL devices cannot be listed: ", devices$problem)
  devices$problem <- NULL
  host <- data.frame(
    index = 0L, name = "host", type = "host", platform = "nmathopencl", vendor = "", version = "", driver = "",
    compute_units = from_core(host_threads_cpp()), global_mem = NA_real_, fp64 = TRUE,
    arithmetic = if (asked %in% c("pair", "single")) asked else "double"
  )
  all <- rbind(host, as.data.frame(devices))
  auto <- tryCatch(device_index_cpp(resolve_device("auto")), error = function(e) NA_integer_)
  all$selected <- all$index %in% auto
  all
}

# Drivers keep what they compile in the user's folders, some from their first question on. A package under check leaves
# nothing there: unless somebody said where, it is kept in `folder`, by drivers that are asked from now on.
keep_driver_caches <- function(folder) {
  settings <- c("POCL_CACHE_DIR", "CUDA_CACHE_PATH", "NEO_CACHE_DIR", "MESA_SHADER_CACHE_DIR")
  open <- settings[!nzchar(Sys.getenv(settings))]
  if (!length(open)) return(invisible())
  places <- file.path(folder, paste0("drivers-", small_letters(sub("_.*", "", open))))
  for (place in places) dir.create(place, showWarnings = FALSE, mode = "0700")
  do.call(Sys.setenv, as.list(stats::setNames(places, open)))
}

#' Choose the device of this session
#'
#' Sets what \code{device = "auto"} means from now on in this session, before the option \code{nmathopencl.device} and
#' the environment variable \code{NMATHOPENCL_DEVICE}.
#'
#' @param device \code{"auto"} (forget the choice), \code{"opencl"} (the best OpenCL device: GPU, then accelerator,
#'   then CPU), \code{"gpu"}, \code{"cpu"}, \code{"host"}, an index of \code{\link{opencl_devices}}, or a part of a
#'   device's name that no other device has.
#' @param arithmetic what numbers are on the device: \code{"auto"} (doubles, or pairs of floats on a device that is named and has no
#'   doubles), \code{"double"}, \code{"pair"} or \code{"single"}, see \code{\link{pairs_of_floats}}. It goes before the option
#'   \code{nmathopencl.arithmetic}, for all devices of this session.
#' @return The previous choice, invisibly (\code{"auto"} if there was none; with an arithmetic a text such as \code{"gpu|pair"}, which
#'   \code{device} takes).
#' @section Errors:
#' A device that does not exist, or several that match, is an error of class \code{nmathopencl_error} that lists the
#' devices there are; the choice is then unchanged.
#' @examples
#' old <- set_opencl_device("host")
#' dnorm_opencl(0)
#' set_opencl_device(old)
#' @export
set_opencl_device <- function(device, arithmetic = "auto") {
  before <- list(device = state$device, arithmetic = state$arithmetic)
  previous <- paste0(c(before$device %||% "auto", before$arithmetic), collapse = "|")
  arithmetic <- checked_arithmetic(arithmetic, "`arithmetic`")
  if (is.character(device) && length(device) == 1L && grepl("[|](double|pair|single)$", device)) { # what this gave before
    arithmetic <- sub(".*[|]", "", device)
    device <- sub("[|][^|]*$", "", device)
  }
  set <- function(device, arithmetic) {
    state$device <- device
    state$arithmetic <- if (!identical(arithmetic, "")) arithmetic
  }
  if (identical(device, "auto")) {
    set(NULL, arithmetic)
    select_device_cpp("opencl")
    return(invisible(previous))
  }
  set(before$device, arithmetic)
  tryCatch({
    asked <- resolve_device(device)
    error <- select_device_cpp(asked)
    if (!is.null(error)) raise_core_error(error, sys.call())
    set(sub("[|].*", "", asked), arithmetic)
  }, error = function(e) {
    set(before$device, before$arithmetic %||% "")
    stop(e)
  })
  invisible(previous)
}

#' OpenCL support of this build and this machine
#'
#' \code{nmathopencl_has_opencl()} says whether OpenCL can be used: this machine has an OpenCL library, and the package was
#' not installed \code{--without-opencl};
#' \code{nmathopencl_opencl_fp64_available()} whether a device with working double precision is there;
#' \code{nmathopencl_opencl_device_info()} describes the OpenCL device that \code{device = "opencl"} takes;
#' \code{nmathopencl_opencl_reset_device_selection()} forgets devices and selection, so that the next call looks again.
#'
#' The environment variables \code{NMATHOPENCL_PLATFORM_INDEX} and \code{NMATHOPENCL_DEVICE_INDEX} (both counted from
#' 0) restrict the choice to one platform and one device of each platform.
#'
#' The OpenCL library (\file{libOpenCL.so.1}, on Windows \file{OpenCL.dll} of the system folder, on macOS the framework) is
#' looked for when it is first asked for, not when the package is built or loaded. One that was installed since is found
#' after \code{nmathopencl_opencl_reset_device_selection()}.
#'
#' A device on which an interrupted kernel still runs (see \code{\link{run_opencl_kernel}}) is not used until the kernel has ended,
#' and a call that would choose it is an error. \code{nmathopencl_opencl_reset_device_selection()} lets the next call try it
#' before: with a small kernel, for three seconds.
#'
#' Under \command{R CMD check} what drivers compile is kept in the folder of temporary files, not in the user's, unless an
#' environment variable of the driver (\env{POCL_CACHE_DIR}, \env{CUDA_CACHE_PATH}, ...) says where.
#'
#' @param force if \code{TRUE}, devices are looked up anew.
#' @param details if \code{TRUE}, the list has the element \code{details}, a text with one line per fact.
#' @return \code{nmathopencl_has_opencl()} and \code{nmathopencl_opencl_fp64_available()}: \code{TRUE} or \code{FALSE}.
#'   \code{nmathopencl_opencl_device_info()}: a list with \code{valid}, \code{reason} (why there is none),
#'   \code{platform_index}, \code{device_index}, \code{platform_vendor}, \code{platform_name}, \code{device_vendor},
#'   \code{device_name}, \code{device_version}, \code{driver_version}, \code{device_type_label},
#'   \code{extension_cl_khr_fp64} (claimed), \code{probe_fp64_ok} (tested), \code{probe_failure_log} and
#'   \code{selection_policy}. \code{nmathopencl_opencl_reset_device_selection()}: \code{NULL}, invisibly.
#' @seealso \code{\link{opencl_sitrep}} for everything on one page, \code{\link{opencl_devices}},
#'   \code{\link{set_opencl_device}}.
#' @examples
#' nmathopencl_has_opencl()
#' nmathopencl_opencl_fp64_available()
#' nmathopencl_opencl_device_info()$device_name
#' @name nmathopencl_opencl
NULL

#' @rdname nmathopencl_opencl
#' @export
nmathopencl_has_opencl <- function() has_opencl_cpp()

#' @rdname nmathopencl_opencl
#' @export
nmathopencl_opencl_fp64_available <- function(force = FALSE) {
  if (!is_switch(force)) argument_error("`force` must be TRUE or FALSE")
  from_core(device_info_cpp(force))$valid
}

#' @rdname nmathopencl_opencl
#' @export
nmathopencl_opencl_device_info <- function(force = FALSE, details = FALSE) {
  if (!is_switch(force)) argument_error("`force` must be TRUE or FALSE")
  if (!is_switch(details)) argument_error("`details` must be TRUE or FALSE")
  info <- from_core(device_info_cpp(force))
  if (details) {
    info$details <- paste0(names(info), ": ", vapply(info, format, ""), collapse = "\n")
  }
  info
}

#' @rdname nmathopencl_opencl
#' @export
nmathopencl_opencl_reset_device_selection <- function() {
  state$device <- state$arithmetic <- NULL
  reset_devices_cpp()
  invisible(NULL)
}
