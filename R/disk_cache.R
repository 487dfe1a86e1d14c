# disk_cache -- where built programs are kept between R sessions. The keeping itself is src/base/program_cache.cpp.

# What the option, else the environment variable, says: TRUE, FALSE or a folder. NULL where neither is set.
cache_setting <- function() {
  setting <- getOption("nmathopencl.cache")
  if (is.null(setting)) {
    setting <- Sys.getenv("NMATHOPENCL_CACHE", "")
    if (!nzchar(setting)) return(NULL)
    if (small_letters(setting) %in% c("true", "yes", "on", "1")) return(TRUE)
    if (small_letters(setting) %in% c("false", "no", "off", "0")) return(FALSE)
  }
  good <- length(setting) == 1L && !is.na(setting) && (is.logical(setting) || (is.character(setting) && nzchar(setting)))
  if (good) setting else FALSE
}

# A check of a package leaves nothing behind, unless it is told to.
under_check <- function() nzchar(Sys.getenv("_R_CHECK_PACKAGE_NAME_", "")) || nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_", ""))

# A folder that is not used because others can write to it is told of, once in a session.
tell_cache_warning <- function() {
  text <- cache_warning_cpp()
  if (nzchar(text)) cli::cli_inform(c("!" = "{text}"), class = "nmathopencl_cache_warning")
}

# Where programs are kept; "" where nothing is. The core asks here each time it could read or keep a program; this
# may not fail.
cache_folder <- function() {
  setting <- cache_setting()
  if (is.null(setting)) setting <- !under_check()
  if (is.character(setting)) return(path.expand(setting))
  if (!setting) return("")
  folder <- Sys.getenv("NMATHOPENCL_CACHE_DIR", "")
  if (nzchar(folder)) path.expand(folder) else tools::R_user_dir("nmathopencl", "cache")
}

#' Built programs kept between R sessions
#'
#' A program that a device's driver, or the C compiler for the host device, has built is kept in a folder, so that no later R session has to build it again.
#' \code{opencl_cache_info()} shows the folder and its size; \code{opencl_cache_clear()} removes all of it.
#'
#' An entry is used only if program text, build options, device, driver and OpenCL version are the same, and if its
#' checksum (SHA-256) shows that it is whole; anything else is ignored and replaced. Folder and entries must belong to this
#' user, and a folder or an entry that others can write to is not used, which is said of the folder once in a session.
#' Links are not followed to entries, and files with other names than those of entries are left alone. Several R sessions
#' may use the folder at once. A folder that cannot be written to is no error: programs are then built anew in each
#' session.
#'
#' The entries take up to 256 MB, which is fixed; beyond that the ones that were not used for longest are removed. With PoCL
#' a program takes 0.05 to 0.7 MB, so that this is room for all functions of the package on some four devices, or for
#' several hundred programs of your own.
#'
#' \code{options(nmathopencl.cache = )} says, at any time: \code{TRUE} (default) for the folder
#' \code{tools::R_user_dir("nmathopencl", "cache")} or the one in the environment variable
#' \code{NMATHOPENCL_CACHE_DIR}; a path for another folder; \code{FALSE} to keep nothing. Where the option is not set,
#' the environment variable \code{NMATHOPENCL_CACHE} says the same. Under \command{R CMD check} nothing is kept unless one
#' of the two is set.
#'
#' @return \code{opencl_cache_info()}: a list with \code{enabled}, \code{folder} (\code{NA} if not enabled),
#'   \code{entries} and \code{bytes} (numbers), and \code{problem}: why the folder is not used or the last program could
#'   not be kept, or \code{NA}. \code{opencl_cache_clear()}: the number of entries removed, invisibly.
#' @seealso \code{\link{last_run}}, whose element \code{built} is 0 where nothing had to be built, and whose
#'   \code{disk_hits} counts the programs read from this folder.
#' @examples
#' old <- options(nmathopencl.cache = file.path(tempdir(), "programs"))
#' if (nmathopencl_opencl_fp64_available()) dnorm_opencl(0, device = "opencl")
#' opencl_cache_info()
#' opencl_cache_clear()
#' options(old)
#' @export
opencl_cache_info <- function() {
  info <- cache_info_cpp()
  or_na <- function(text) if (nzchar(text)) text else NA_character_
  list(
    enabled = nzchar(info$folder), folder = or_na(info$folder), entries = info$entries, bytes = info$bytes,
    problem = or_na(info$problem)
  )
}

#' @rdname opencl_cache_info
#' @export
opencl_cache_clear <- function() invisible(cache_clear_cpp())
