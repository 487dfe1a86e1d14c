# last_run -- what the last call did, and how it is shown.

#' What the last call did
#'
#' Reports the device, the programs built and the time spent by the last call of a \code{*_opencl} function, or of a runner
#' of the C++ interface, in this session.
#'
#' @return \code{NULL} before the first call, else a list of class \code{nmathopencl_run}, which \code{print()} and \code{format()} show as a short table:
#'   \describe{
#'     \item{\code{function}}{the function's name}
#'     \item{\code{device}, \code{device_type}}{its name, and \code{"host"}, \code{"gpu"}, \code{"cpu"} or \code{"accelerator"}. Of several devices
#'       (\code{\link{many_devices}}) names and types are joined by \code{" + "}.}
#'     \item{\code{arithmetic}}{\code{"double"}, \code{"pair"} or \code{"single"}, see \code{\link{pairs_of_floats}}; \code{"none"} where no
#'       device computed}
#'     \item{\code{elements}, \code{chunks}}{elements that were computed, and launches}
#'     \item{\code{threads}}{threads of this machine that computed or moved data}
#'     \item{\code{built}}{programs compiled by this call}
#'     \item{\code{cache_hits}, \code{disk_hits}}{programs found in a cache, and those of them that were read from disk, see \code{\link{opencl_cache_info}}}
#'     \item{\code{build}, \code{transfer}, \code{compute}, \code{total}}{seconds. A long vector travels to a GPU in chunks, by several threads that copy
#'       while the device computes: \code{transfer} is then the time a thread spent copying, and \code{compute} the time it waited for the device. So it is
#'       in short calls, whose kernels a driver takes longer to time than to run. Of several devices both are the longest of any.}
#'     \item{\code{shares}}{of several devices: a data frame with a row for each, \code{device}, \code{index}, \code{elements} and \code{seconds}}
#'   }
#' @examples
#' dnorm_opencl(0, device = "host")
#' last_run()
#' last_run()$device
#' @export
last_run <- function() {
  runner <- runner_report_cpp() # of C++ code that called the core by itself
  if (!is.null(runner)) state$last_run <- runner
  report <- state$last_run
  if (is.null(report)) return(NULL)
  if (!is.null(report$shares)) report$shares <- as.data.frame(report$shares)
  structure(report, class = "nmathopencl_run")
}

#' @export
format.nmathopencl_run <- function(x, ...) {
  number <- function(n) format(n, big.mark = thousands_mark(), scientific = FALSE, trim = TRUE)
  ms <- function(seconds) format(signif(1e3 * seconds, 3L), scientific = FALSE, trim = TRUE, drop0trailing = TRUE)
  times <- c(build = x$build, transfer = x$transfer, compute = x$compute, total = x$total)
  type <- if (identical(x$device, x$device_type)) "" else paste0(" (", x$device_type, ")")
  c(
    paste0(x$`function`, ": ", counted(number(x$elements), "element"), " on ", x$device, type),
    paste0("arithmetic: ", x$arithmetic),
    paste0(counted(number(x$chunks), "launch", "es"), ", ", counted(x$threads, "thread")),
    paste0("programs: ", x$built, " built, ", x$cache_hits, " from caches (", x$disk_hits, " from disk)"),
    paste0("  ", format(names(times)), "  ", format(vapply(times, ms, ""), justify = "right"), " ms"),
    if (is.data.frame(x$shares)) utils::capture.output(print(x$shares, row.names = FALSE))
  )
}

#' @export
print.nmathopencl_run <- function(x, ...) {
  whole <- all(names(no_run("", 0)) %in% names(x)) # else it is a part of the list
  if (whole) cat(format(x, ...), sep = "\n") else print(unclass(x), ...)
  invisible(x)
}

# One line, of `verbose = TRUE`.
describe_run <- function(report) {
  ms <- function(seconds) format(1e3 * seconds, digits = 3)
  paste0(
    report$`function`, ": ", report$elements, " elements on ", report$device,
    if (report$arithmetic %in% c("pair", "single")) paste0(" (arithmetic: ", report$arithmetic, ")"), " in ", ms(report$total), " ms (build ",
    ms(report$build), ", transfer ", ms(report$transfer), ", compute ", ms(report$compute), "); programs built: ",
    report$built, ", from cache: ", report$cache_hits, " (", report$disk_hits, " from disk)"
  )
}

# Between groups of three digits; a comma may be the decimal mark.
thousands_mark <- function() if (identical(getOption("OutDec"), ",")) "." else ","
