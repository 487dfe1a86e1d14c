# kernel_check -- finds what is wrong in a folder of kernels or of a library.

#' Check the .cl files of a library or of a package
#'
#' Looks through a folder of \code{.cl} files, or through a package's \code{inst/cl} with all folders in it, and reports what
#' is wrong: with tags, measured against what the files define and use, with the index, and with what GPUs cannot run.
#' Nothing is written, and what is wrong with one file does not keep the others from being checked.
#'
#' A folder named \code{src}, or whose name ends in \code{_src} or \code{_family}, holds kernels, or what kernels are made
#' of, each for itself; any other is a library, whose files may all be in one program. \code{@depends_<lib>} of a kernel in
#' \code{x_src} means the folder \code{x_<lib>} beside it, else \code{<lib>} beside it, else the one of nmathopencl.
#'
#' \describe{
#'   \item{header}{a tag that breaks the grammar, a comment that is not closed, a file that is no text, a bad manifest.}
#'   \item{missing}{a name that is used and that no \code{@depends} brings; a dependency that is no file; a name in
#'     \code{@provides} that the file does not define; an index that is not there.}
#'   \item{unused}{a library file that a kernel names and uses nothing of.}
#'   \item{duplicate}{a function that two files of one program define; a name that two files provide.}
#'   \item{cycle}{\code{@depends} that go in a circle.}
#'   \item{stale}{derived tags, \code{@calls_<lib>} and indices that do not fit the files.}
#'   \item{clash}{a macro that an earlier file leaves defined as another one.}
#'   \item{text}{bytes that are not ASCII.}
#'   \item{gpu}{recursion, static variables in functions, variables that are not constant outside of them, pointers to
#'     functions, variable numbers of arguments, \code{long double}, \code{#include}, functions of the host such as
#'     \code{malloc()}, parameters of kernels without address space or of types without a fixed size, and doubles where no
#'     layer enables them.}
#' }
#'
#' The text is read without a compiler: both sides of a condition count, unless it asks for \code{__OPENCL_VERSION__}.
#' What OpenCL C itself has (\code{log1p()}, \code{expm1()}, ...) is not asked to be brought.
#'
#' @param dir a folder of \code{.cl} files, or one with such folders in it.
#' @return A data frame with a row for each finding, in the order of files and lines: \code{file} (below \code{dir}),
#'   \code{line}, \code{finding} (in words), \code{kind} (as above) and \code{severity}: \code{"error"} where a program or
#'   a loader fails by it, else \code{"warning"}. No rows where nothing was found.
#' @section Errors:
#' A folder that is not there.
#' @seealso \code{\link{attach_kernel_call_tags}}, \code{\link{attach_kernel_dependency_tags}},
#'   \code{\link{write_kernel_dependency_index}}.
#' @examples
#' check_kernel_library(system.file("cl", "nmath", package = "nmathopencl"))
#'
#' dir <- file.path(tempdir(), "checked")
#' dir.create(dir, showWarnings = FALSE)
#' text <- c("// @provides: square", "// @depends: power", "",
#'           "double square(double x) { static int calls; return x * x; }")
#' writeLines(text, file.path(dir, "square.cl"))
#' check_kernel_library(dir)[, c("file", "line", "kind", "finding")]
#' @export
check_kernel_library <- function(dir) {
  dir <- check_path(dir, "dir")
  if (!dir.exists(dir)) argument_error("Folder not found: ", dir)
  dir <- normalizePath(dir, "/") # "." has a name too, which tells kernels from libraries
  found <- as.data.frame(from_core(loader_check_cpp(dir)), stringsAsFactors = FALSE)
  found <- rbind(found, do.call(rbind, lapply(library_folders(dir), index_findings)))
  found <- found[order(found$file, found$line, found$kind, found$finding, method = "radix"), ]
  row.names(found) <- NULL
  found
}

# The libraries in or below a folder: c("below", dir) pairs.
library_folders <- function(dir) {
  below <- sort(basename(list.dirs(dir, recursive = FALSE)), method = "radix")
  has_files <- vapply(paste0(dir, "/", below, recycle0 = TRUE), function(path) length(list.files(path, "\\.cl$")) > 0L, NA)
  folders <- if (any(has_files)) below[has_files] else ""
  names <- ifelse(nzchar(folders), folders, basename(normalizePath(dir)))
  folders <- folders[!grepl("(^|_)(src|family)$", names)]
  lapply(folders, function(folder) list(prefix = if (nzchar(folder)) paste0(folder, "/") else "", dir = file.path(dir, folder)))
}

# Nothing for a library that cannot be sorted: that is told of its files.
index_findings <- function(library) {
  library_dir <- sub("/$", "", library$dir)
  computed <- tryCatch(compute_index(library_dir), nmathopencl_error = function(e) NULL)
  if (is.null(computed) || computed$index$n_files == 0L) return(NULL)
  stale <- stale_index_files(library_dir, computed)
  paths <- index_files(library_dir)[stale]
  there <- file.exists(paths)
  if (!any(stale)) return(NULL)
  data.frame(
    file = paste0(library$prefix, basename(paths)), line = 1L,
    finding = ifelse(there, "does not fit the files: write_kernel_dependency_index() renews it",
                     "not there: write_kernel_dependency_index() makes it"),
    kind = ifelse(there, "stale", "missing"), severity = "error", stringsAsFactors = FALSE
  )
}
