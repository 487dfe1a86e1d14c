#' Everything about OpenCL on this machine, on one page
#'
#' Gathers what a report of a fault needs, and what somebody asks whose GPU is not used: how the package was built, which
#' OpenCL library it opened, which platforms and devices that has and why any of them is not used, which device calls take
#' and by which rule, the cache of built programs, the C compiler of the host device, options and environment variables in
#' force, and what would have to be installed on this system for more.
#'
#' It never fails: a part that cannot be had is missing, and \code{problems} says why. It runs no installer and changes
#' nothing. Drivers are asked, as by \code{\link{opencl_devices}}; with \code{probe = FALSE} no kernel is run.
#'
#' @param probe if \code{TRUE} (default), each device builds and runs a small kernel in double precision, once in a
#'   session.
#' @return A list of class \code{opencl_sitrep}; \code{print()} shows it as a page, and \code{as.data.frame()} gives
#'   it as rows of \code{section}, \code{item} and \code{value} (text). Its parts:
#'   \describe{
#'     \item{\code{package}}{a list: version, R, platform, folder.}
#'     \item{\code{build}}{a list: \code{opencl} (not installed \code{--without-opencl}), \code{sdk} (OpenCL's
#'       headers and loader were found by \command{configure}), \code{compiler}, \code{processor}, \code{optimized},
#'       \code{standard} (of C++).}
#'     \item{\code{library}}{a list: \code{file} as the system names it, \code{real_file} where links lead to,
#'       \code{version} as an ICD loader tells it, and \code{problem}: why there is none.}
#'     \item{\code{drivers}}{a data frame of the files in \file{/etc/OpenCL/vendors} (or where \code{OCL_ICD_VENDORS}
#'       points): \code{file}, the \code{library} it names, and the \code{problem} that the system has with loading that.}
#'     \item{\code{platforms}}{a data frame: \code{index}, \code{name}, \code{vendor}, \code{version}, number of
#'       \code{devices}, and \code{problem}: why it is not used.}
#'     \item{\code{devices}}{\code{\link{opencl_devices}()} with the columns \code{reason}: why double precision does
#'       not work; \code{pairs_refused}: why the device does not compute with pairs of floats (\code{\link{pairs_of_floats}}); and
#'       \code{pair_speed}: how many times as fast as doubles pairs are in sums and products, measured on a device that has both.}
#'     \item{\code{skipped}}{reasons why devices were left out of the list.}
#'     \item{\code{selection}}{a list: \code{setting} and \code{source} (what chose it), \code{device} and
#'       \code{type}, \code{rule}, \code{problem}.}
#'     \item{\code{compiler}}{a list: \code{command} of the host device's compiler, or the \code{problem} with it.}
#'     \item{\code{cache}}{\code{\link{opencl_cache_info}()} and whether the folder is \code{writable}.}
#'     \item{\code{settings}}{a data frame of options and environment variables in force: \code{kind}, \code{name},
#'       \code{value}.}
#'     \item{\code{system}}{a list: name, machine, whether it is a container, makers of the graphics hardware, and
#'       device files that this user may not open.}
#'     \item{\code{install}}{a data frame for this system: \code{part}, \code{command}, \code{note}, and
#'       \code{needed}: whether something that is here calls for it.}
#'     \item{\code{problems}}{named character vector: parts that could not be gathered.}
#'   }
#' @seealso \code{\link{opencl_devices}}, \code{\link{opencl_cache_info}}, \code{\link{last_run}}.
#' @examples
#' report <- opencl_sitrep(probe = FALSE)
#' report
#' head(as.data.frame(report))
#' report$selection$rule
#' @export
opencl_sitrep <- function(probe = TRUE) {
  problems <- character()
  part <- function(name, code, otherwise = list()) {
    tryCatch(suppressWarnings(suppressMessages(code)), error = function(e) {
      problems[[name]] <<- conditionMessage(e)
      otherwise
    })
  }
  probe <- !isFALSE(probe)
  report <- list(package = part("package", package_facts()), build = part("build", build_facts_cpp()))
  found <- part("library", driver_reports_cpp())
  report$build$opencl <- any(found$built)
  report$library <- part("library", library_facts(found))
  usable <- length(found$problem) > 0L && !any(nzchar(found$problem))
  report$drivers <- part("drivers", driver_files(check = usable), data.frame())
  report$platforms <- part("platforms", platform_facts(found), data.frame())
  report$devices <- part("devices", device_facts(probe, usable), data.frame())
  report$skipped <- found$skipped
  report$selection <- part("selection", selection_facts(report$devices, probe))
  report$compiler <- part("compiler", compiler_facts())
  report$cache <- part("cache", cache_facts())
  report$settings <- part("settings", settings_in_force(), data.frame())
  report$system <- part("system", system_facts())
  report$install <- part("install", install_advice(
    report$system, report$build$opencl, nzchar(report$library$file),
    device_maker(report$devices$vendor[report$devices$type %in% c("gpu", "accelerator")]), nzchar(report$compiler$command)
  ), data.frame())
  report$problems <- problems
  structure(report, class = "opencl_sitrep")
}

package_facts <- function() {
  list(
    version = as.character(utils::packageVersion("nmathopencl")), r = R.version.string, platform = R.version$platform,
    folder = system.file(package = "nmathopencl")
  )
}

library_facts <- function(found) {
  file <- c(found$library, "")[1L]
  real <- if (file.exists(file)) normalizePath(file) else ""
  list(file = file, real_file = real, version = c(found$version, "")[1L], problem = c(found$problem, "")[1L])
}

platform_facts <- function(found) {
  data.frame(
    index = found$platform_index, name = found$platform_name, vendor = found$platform_vendor,
    version = found$platform_version, devices = found$platform_devices, problem = found$platform_problem
  )
}

device_facts <- function(probe, usable) {
  devices <- opencl_devices(probe = probe)
  devices$reason <- devices$pairs_refused <- ""
  devices$pair_speed <- NA_real_
  if (probe && usable) {
    probes <- device_probes_cpp()
    at <- match(probes$index, devices$index)
    probes <- lapply(probes[c("probe_failure", "pair_failure", "pair_speed")], `[`, !is.na(at))
    at <- at[!is.na(at)]
    devices$reason[at] <- probes$probe_failure
    devices$pairs_refused[at] <- probes$pair_failure
    devices$pair_speed[at] <- ifelse(probes$pair_speed > 0, probes$pair_speed, NA)
  }
  devices
}

# Where the setting of device = "auto" comes from, in the order of resolve_device().
device_source <- function() {
  if (!is.null(state$device)) return("set_opencl_device()")
  if (!is.null(getOption("nmathopencl.device"))) return("options(nmathopencl.device = )")
  if (nzchar(Sys.getenv("NMATHOPENCL_DEVICE", ""))) return("environment variable NMATHOPENCL_DEVICE")
  "nothing was set"
}

selection_rule <- paste(
  "A call's argument `device`, else set_opencl_device(), options(nmathopencl.device = ), NMATHOPENCL_DEVICE, else \"auto\".",
  "\"auto\": the best GPU with working double precision, else the host device; it never depends on the data.",
  "\"opencl\": GPU, then accelerator, then CPU; within a type the most compute units x memory; double precision is proved by",
  "running a kernel. NMATHOPENCL_PLATFORM_INDEX and NMATHOPENCL_DEVICE_INDEX restrict both."
)

selection_facts <- function(devices, probe) {
  facts <- list(setting = "", source = device_source(), device = "", type = "", rule = selection_rule, problem = "")
  failed <- function(e) {
    facts$problem <<- conditionMessage(e)
    NULL
  }
  facts$setting <- tryCatch(resolve_device("auto"), error = failed) %||% ""
  if (nzchar(facts$setting) && probe) {
    index <- tryCatch(device_index_cpp(facts$setting), error = failed)
    at <- match(index, devices$index, nomatch = 0L)
    facts$device <- c(devices$name[at], "")[1L]
    facts$type <- c(devices$type[at], "")[1L]
  }
  facts
}

compiler_facts <- function() {
  found <- host_compiler_cpp()
  list(command = paste(c(found$command, found$flags), collapse = " "), problem = found$missing)
}

cache_facts <- function() {
  info <- opencl_cache_info()
  info$writable <- info$enabled && file.access(if (dir.exists(info$folder)) info$folder else dirname(info$folder), 2L) == 0L
  info
}

# Variables of other software that change what devices are there.
foreign_variables <- c(
  "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "OPENCL_LAYERS", "CUDA_VISIBLE_DEVICES",
  "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK",
  "NEOReadDebugKeys", "OverrideDefaultFP64Settings", "IGC_EnableDPEmulation", "RUSTICL_ENABLE", "LD_LIBRARY_PATH",
  "_R_CHECK_PACKAGE_NAME_", "_R_CHECK_LIMIT_CORES_"
)

settings_in_force <- function() {
  variables <- Sys.getenv()
  variables <- variables[grepl("^(NMATHOPENCL|POCL)_", names(variables)) | names(variables) %in% foreign_variables]
  options <- options()
  options <- options[startsWith(names(options), "nmathopencl.")]
  data.frame(
    kind = c(rep("option", length(options)), rep("variable", length(variables))),
    name = c(names(options), names(variables)),
    value = c(vapply(options, deparse1, ""), unname(as.character(variables)))
  )
}
