# loader -- reading, sorting and assembling .cl files. Thin over src/kernel_loader*.cpp, which does all parsing and
# sorting.

check_string <- function(x, name) {
  if (!is.character(x) || length(x) != 1L || is.na(x) || !nzchar(x)) {
    argument_error("`", name, "` must be one non-empty string")
  }
  x
}

check_flag <- function(x, name) {
  if (!is.logical(x) || length(x) != 1L || is.na(x)) argument_error("`", name, "` must be TRUE or FALSE")
  x
}

# A path as the user wrote it, but without `~` and without the slash that Windows does not accept at the end.
check_path <- function(x, name) sub("(?<=.)/+$", "", path.expand(check_string(x, name)), perl = TRUE)

check_kernel_paths <- function(x) {
  if (!is.character(x) || length(x) == 0L || anyNA(x)) {
    argument_error("`kernel_paths` must be a character vector with at least one path")
  }
  missing <- x[!file.exists(x)]
  if (length(missing)) argument_error("`kernel_paths`: File not found: ", paste(missing, collapse = ", "))
  path.expand(x)
}

check_index <- function(x) {
  if (!is.null(x) && !is.list(x)) {
    argument_error("`index` must be NULL or a list as read from kernel_dependency_index.rds")
  }
  x
}

#' Read OpenCL sources of a package
#'
#' \code{load_kernel_source()} reads one file below the \code{inst/cl} folder of an installed package.
#' \code{load_kernel_library()} reads all \code{.cl} files of one folder there and puts them in an order in which
#' everything is defined before it is used.
#'
#' The order follows from the files' \code{@depends} tags (see \code{\link{load_library_for_kernel}}) in passes: each
#' pass emits, in the order of their bytes, the files whose dependencies have all been emitted by earlier passes. It
#' is the same in every locale. \code{@depends: nmath, dpq} names files, without \code{.cl}, of the same folder. All
#' this is file input, and works in a build without OpenCL too.
#'
#' @param relative_path path of the file below \code{inst/cl}, with forward slashes: \code{"src/dnorm_kernel.cl"}.
#' @param subdir path of the folder below \code{inst/cl}: \code{"nmath"}.
#' @param package the package whose \code{inst/cl} is meant.
#' @param verbose if \code{TRUE}, prints a line per pass of the sort, and the files that are stuck before it fails.
#' @return A string. \code{""} for an empty file, and for a folder without \code{.cl} files.
#' @section Errors:
#' \code{File not found: inst/cl/<path>}; a package that is not installed; a tag that breaks the grammar, with file,
#' line and tag; \code{Dependency sort failed: unresolved dependencies remain.} with the files that are stuck and the
#' cycle or the name that is missing.
#' @seealso \code{\link{load_library_for_kernel}} for just the files that a kernel needs,
#'   \code{\link{build_rmath_opencl_program}} for a whole program.
#' @examples
#' cat(load_kernel_source("System/stdint.cl"))
#' shims <- load_kernel_library("R_ext_runtime", verbose = TRUE)
#' nchar(shims)
#' @export
load_kernel_source <- function(relative_path, package = "nmathopencl") {
  from_core(loader_source_cpp(check_string(relative_path, "relative_path"), check_string(package, "package")))
}

#' @rdname load_kernel_source
#' @export
load_kernel_library <- function(subdir, package = "nmathopencl", verbose = FALSE) {
  from_core(loader_library_cpp(check_string(subdir, "subdir"), check_string(package, "package"), check_flag(verbose, "verbose")))
}

# ---- what a kernel needs ----

#' Load the part of a library that a kernel needs
#'
#' Reads which files of a library a kernel names in one of its tags, looks up in the library's index what these need in
#' turn, and returns the text of all of them in load order. Nothing is sorted.
#'
#' Whether the tag lists the direct needs (\code{depends_nmath}) or all of them (\code{all_depends_nmath}), the result
#' is the same: the list is always completed through the index. Of a kernel that has no \code{all_depends_nmath}, the
#' direct list is read in its place.
#'
#' @param kernel_path path of the kernel's file.
#' @param library_dir the library's folder.
#' @param depends_tag the tag to follow: \code{"depends"}, \code{"all_depends"}, \code{"depends_<library>"} or
#'   \code{"all_depends_<library>"}.
#' @param index the library's index: a list as read from \code{kernel_dependency_index.rds}, or \code{NULL} to read the
#'   index in \code{library_dir}. Give it when loading for many kernels.
#' @return A string of class \code{c("nmathopencl_library_part", "nmathopencl_concatenated_lib", "character")} with attributes
#'   \code{stems_requested} (as the tag lists them), \code{stems_loaded} (in load order), \code{kernel_path},
#'   \code{library_dir}, \code{depends_tag} and \code{nbytes_concatenated}; \code{""} if the kernel has no such tag.
#' @section Tags:
#' One grammar holds for every \code{.cl} file and every reader. Tags stand in the head of a file: its leading run of
#' blank lines and \code{//} comment lines. A tag line is optional blanks, \code{//}, optional blanks, \code{@name},
#' optional blanks, \code{:}, and the value. All other lines of the head are prose.
#' \describe{
#'   \item{lists}{\code{used}, \code{depends}, \code{provides}, \code{all_depends}, \code{local_macros},
#'     \code{to_shim}, \code{to_shim_deterministic}, \code{builtin}, \code{library_deps}, \code{calls_<library>},
#'     \code{calls_opencl_builtin}, \code{depends_<library>} and \code{all_depends_<library>}: names (letters, digits
#'     and \code{_}, no digit in front) with a comma between each two. A list whose line ends with a comma goes on in
#'     the next \code{//} line. Nothing, \code{none} or \code{(none)} is the empty list.}
#'   \item{headers}{\code{includes}, \code{used_includes}: lists whose items may hold \code{.}, \code{/}, \code{+} and
#'     \code{-} too.}
#'   \item{kinds}{\code{to_shim_kind}: a list of \code{name=kind}.}
#'   \item{words}{\code{source_type}, \code{source_origin}: one word.}
#'   \item{text}{\code{method}, \code{accuracy}, \code{to_shim_reason}: the rest of the line.}
#'   \item{integers}{\code{load_order}, \code{all_depends_count}, \code{all_depends_<library>_count}.}
#' }
#' A file of a library says with \code{@depends} which files of the same folder it needs, by name without \code{.cl}; a
#' kernel says with \code{@depends_nmath} which files of the library \code{nmath} it calls. \code{load_order} and
#' everything that begins with \code{all_depends} is written by \code{\link{attach_kernel_dependency_tags}} and
#' \code{\link{attach_cross_library_tags}}.
#' @section Errors:
#' A tag that breaks the grammar: a missing colon, two words in one item, an empty item, a bad character, an unknown
#' tag, a tag given twice, a tag after the head; a zero byte, a comment that is not closed. A name that
#' the index does not have. A file of the library that is
#' not what the index was made from. Each names file, line and tag. A folder without index.
#' @seealso \code{\link{build_rmath_opencl_program}}, \code{\link{extract_library_subset}}.
#' @examples
#' nmath <- system.file("cl", "nmath", package = "nmathopencl")
#' kernel <- file.path(tempdir(), "my_kernel.cl")
#' writeLines(c(
#'   "// @depends_nmath: dnorm",
#'   "",
#'   "__kernel void my_kernel(__global const double* x, __global double* out, const int len)",
#'   "{",
#'   "    const int i = get_global_id(0);",
#'   "    if (i < len) out[i] = dnorm(x[i], 0.0, 1.0, 0);",
#'   "}"
#' ), kernel)
#' index <- readRDS(file.path(nmath, "kernel_dependency_index.rds"))
#' load_library_for_kernel(kernel, nmath, "depends_nmath", index)
#' @export
load_library_for_kernel <- function(kernel_path, library_dir, depends_tag = "all_depends", index = NULL) {
  kernel_path <- check_path(kernel_path, "kernel_path")
  library_dir <- check_path(library_dir, "library_dir")
  depends_tag <- check_string(depends_tag, "depends_tag")
  loaded <- from_core(loader_for_kernel_cpp(kernel_path, library_dir, depends_tag, check_index(index)))
  library_part(c(loaded, list(kernel_path = kernel_path, library_dir = library_dir)), depends_tag)
}

# The first class is this package's alone: other packages print the second.
library_part <- function(loaded, depends_tag) {
  structure(
    loaded$text,
    class = c("nmathopencl_library_part", "nmathopencl_concatenated_lib", "character"),
    stems_requested = loaded$requested,
    stems_loaded = loaded$loaded,
    kernel_path = loaded$kernel_path,
    library_dir = loaded$library_dir,
    depends_tag = depends_tag,
    nbytes_concatenated = nchar(loaded$text, type = "bytes")
  )
}

#' @export
print.nmathopencl_library_part <- function(x, ...) {
  listed <- function(stems) {
    if (length(stems)) strwrap(paste(stems, collapse = ", "), indent = 4L, exdent = 4L) else "    (none)"
  }
  cat(
    sprintf(
      "<part of an OpenCL library: %d file(s), %s bytes>",
      length(attr(x, "stems_loaded")), format(attr(x, "nbytes_concatenated"), big.mark = thousands_mark())
    ),
    paste0("  kernel:  ", attr(x, "kernel_path")),
    paste0("  library: ", attr(x, "library_dir")),
    paste0("  asked for by @", attr(x, "depends_tag"), ":"),
    listed(attr(x, "stems_requested")),
    "  loaded, in this order:",
    listed(attr(x, "stems_loaded")),
    sep = "\n"
  )
  invisible(x)
}

# ---- programs ----

#' The layers below every program
#'
#' Reads the list of files and folders that \code{\link{build_rmath_opencl_program}} puts before everything else: the
#' configuration header and the stand-ins for R's and C's headers.
#'
#' @param manifest_relative_path path of the manifest below \code{inst/cl}.
#' @param source_package the package that has it.
#' @param manifest_path path of a manifest anywhere, to be read instead.
#' @return A data frame with columns \code{rank} (integer, ascending), \code{kind} (\code{"file"} or \code{"library"})
#'   and \code{rel_path} (below \code{inst/cl}).
#' @section Errors:
#' A manifest that is not there, has no rows, a wrong header, a rank that is no positive whole number or
#'   comes twice, or another kind; they name the line.
#' @examples
#' read_program_preload_manifest()
#' @export
read_program_preload_manifest <- function(manifest_relative_path = "program_preload_manifest.tsv",
                                          source_package = "nmathopencl", manifest_path = NULL) {
  rows <- if (is.null(manifest_path)) {
    from_core(loader_manifest_cpp(
      check_string(manifest_relative_path, "manifest_relative_path"), check_string(source_package, "source_package")
    ))
  } else {
    from_core(loader_manifest_file_cpp(check_path(manifest_path, "manifest_path")))
  }
  as.data.frame(rows, stringsAsFactors = FALSE)
}

#' Assemble a whole OpenCL program
#'
#' Puts together what a driver needs to build a kernel that calls \code{nmath}: the layers of
#' \code{\link{read_program_preload_manifest}}, the files of \code{nmath} that the kernel needs, and the kernel.
#'
#' Before each file stands a line \code{#line 1 "nmath/dgamma.cl"}, so that a build log names the file and its line.
#' The layers are those of nmathopencl. The folder \code{nmath} is taken from \code{package} if that has one (for
#' instance made by \code{\link{extract_library_subset}}), else from nmathopencl.
#'
#' @param kernel_relative_path path of the kernel below \code{inst/cl} of \code{package}.
#' @param package the package that has the kernel.
#' @param depends_tag the kernel's tag with the files of \code{nmath}; \code{"depends_nmath"} gives the same.
#' @return A string: OpenCL C source that needs no build option.
#' @section Errors:
#' Those of \code{\link{load_kernel_source}} and \code{\link{load_library_for_kernel}}.
#' @examples
#' program <- build_rmath_opencl_program("src/dnorm_kernel.cl")
#' grep("^#line", strsplit(program, "\n")[[1]], value = TRUE)
#' @export
build_rmath_opencl_program <- function(kernel_relative_path, package = "nmathopencl",
                                       depends_tag = "all_depends_nmath") {
  from_core(loader_program_cpp(
    check_string(kernel_relative_path, "kernel_relative_path"), check_string(package, "package"),
    check_string(depends_tag, "depends_tag")
  ))
}
