# opencl_program -- whole programs with what they consist of. Thin over src/program_wrappers.cpp.

#' The whole program of a kernel
#'
#' Assembles what a driver needs to build a kernel, as \code{\link{build_rmath_opencl_program}} does, and keeps what it
#' consists of: printing shows layers, files and their sizes, kernels, and which lines of the program are which file's.
#' \code{opencl_program_line()} tells for lines of a program, as a compiler or a debugger counts them, the file and the
#' line in it.
#'
#' Of each library that the kernel's tags \code{depends_<library>} or \code{all_depends_<library>} name, the program has
#' the files that the kernel needs; without such a tag it has those files of \code{nmath} that provide the functions
#' which the kernel calls and does not define itself. A library is a folder of \code{package} or else of nmathopencl.
#'
#' Errors of \code{\link{run_opencl_kernel}}, \code{\link{kernel_bundle}} and the package's own functions tell files and
#' lines already.
#'
#' @param kernel path of the kernel below \code{inst/cl} of \code{package}: \code{"src/dnorm_kernel.cl"}.
#' @param package the package that has the kernel. \code{NULL}: \code{kernel} is the path of a file anywhere, as in
#'   \code{opencl_program("/path/x.cl", package = NULL)}.
#' @param program a program, as \code{opencl_program()} or \code{\link{build_rmath_opencl_program}} makes it.
#' @param line vector of lines of the program, counted from 1.
#' @param x an \code{opencl_program}.
#' @param ... ignored.
#' @return \code{opencl_program()}: a string of class \code{c("opencl_program", "character")}, OpenCL C source that needs
#'   no build option, with attributes
#'   \describe{
#'     \item{\code{files}}{a data frame with a row per file, in the program's order: \code{file}, below \code{inst/cl};
#'       \code{layer}: \code{"preload"} (what comes before every program), \code{"library"} or \code{"kernel"};
#'       \code{first} and \code{last}, the lines of the program that the file's first and last line are; \code{bytes}.}
#'     \item{\code{kernels}}{names of the kernels that the kernel's file defines.}
#'     \item{\code{kernel}, \code{package}}{the arguments; there is no \code{package} where it was \code{NULL}.}
#'   }
#'   \code{opencl_program_line()}: a data frame with columns \code{line}, \code{file}, \code{file_line} and
#'   \code{text}, a row for each \code{line}; file and line are \code{NA} for a line that no file has, such as a
#'   \code{#line} directive.
#' @section Errors:
#' Those of \code{\link{load_kernel_source}} and \code{\link{load_library_for_kernel}}; a \code{line} that the program does
#' not have.
#' @seealso \code{\link{build_rmath_opencl_program}}, \code{\link{load_program_preload}}.
#' @examples
#' program <- opencl_program("src/dgamma_kernel.cl")
#' program
#' attr(program, "kernels")
#' at <- grep("dgamma", strsplit(program, "\n")[[1]])
#' opencl_program_line(program, at)
#' @export
opencl_program <- function(kernel, package = "nmathopencl") {
  kernel <- if (is.null(package)) check_path(kernel, "kernel") else check_string(kernel, "kernel")
  if (!is.null(package)) check_kernel_of_package(kernel, check_string(package, "package"))
  made <- from_core(program_of_kernel_cpp(kernel, if (is.null(package)) "" else package))
  files <- data.frame(
    file = made$file, layer = made$layer, first = made$first, last = made$first + made$lines - 1L, bytes = made$bytes
  )
  structure(
    made$text, class = c("opencl_program", "character"), files = files, kernels = made$kernels, kernel = kernel,
    package = package
  )
}

# A path that is no path below inst/cl, but that of a file: for that `package` has to be NULL.
check_kernel_of_package <- function(kernel, package) {
  absolute <- grepl("^(/|~|\\\\|[A-Za-z]:)", kernel)
  if (!absolute && (nzchar(system.file("cl", kernel, package = package)) || !file.exists(kernel))) return(invisible())
  argument_error(
    "`kernel`, \"", kernel, "\", is ", if (absolute) "an absolute path" else "a file here", ", not a path below inst/cl of package '",
    package, "'. For a file anywhere: opencl_program(\"", kernel, "\", package = NULL)"
  )
}

#' @rdname opencl_program
#' @export
opencl_program_line <- function(program, line) {
  program <- check_string(program, "program")
  lines <- strsplit(program, "\n", fixed = TRUE)[[1L]]
  if (!is.numeric(line) || anyNA(line) || any(line != trunc(line)) || any(line < 1 | line > length(lines))) {
    argument_error("`line` must hold whole numbers from 1 to ", length(lines), ", the number of lines of the program")
  }
  line <- as.integer(line)
  source <- from_core(program_source_lines_cpp(program, line))
  source[!nzchar(source) | grepl("^#line ", lines[line])] <- NA
  data.frame(
    line = line, file = sub(":[0-9]+$", "", source), file_line = as.integer(sub(".*:", "", source)), text = lines[line]
  )
}

#' @rdname opencl_program
#' @export
format.opencl_program <- function(x, ...) {
  files <- attr(x, "files")
  count <- function(n) format(n, big.mark = thousands_mark())
  layers <- unique(files$layer)
  of <- function(layer, column) files[[column]][files$layer == layer]
  folders <- function(layer) {
    file <- of(layer, "file")
    toString(unique(ifelse(dirname(file) == ".", file, dirname(file))))
  }
  package <- attr(x, "package")
  c(
    sprintf(
      "<OpenCL program: %d files, %s lines, %s bytes>",
      nrow(files), count(max(files$last)), count(nchar(x, type = "bytes"))
    ),
    paste0("  kernel file: ", attr(x, "kernel"), if (!is.null(package)) paste0(" (package ", package, ")")),
    paste0("  kernels: ", if (length(attr(x, "kernels"))) toString(attr(x, "kernels")) else "(none)"),
    vapply(layers, function(layer) {
      size <- sum(of(layer, "bytes"))
      sprintf("  %-8s %3d file(s) %11s bytes  %s", layer, length(of(layer, "file")), count(size), folders(layer))
    }, "", USE.NAMES = FALSE),
    "",
    sprintf("  %15s  %9s  %s", "lines", "bytes", "file"),
    sprintf("  %7d-%-7d  %9s  %s", files$first, files$last, count(files$bytes), files$file)
  )
}

#' @rdname opencl_program
#' @export
print.opencl_program <- function(x, ...) {
  writeLines(format(x))
  invisible(x)
}

# ---- parts of programs ----

#' Load the layers below every program
#'
#' The text of the files and folders that \code{\link{read_program_preload_manifest}} lists: what has to stand before
#' nmath and before any kernel that calls it.
#'
#' A program by hand is these layers, what \code{\link{load_library_for_kernel}} gives for the kernel, and the kernel,
#' in this order; \code{\link{opencl_program}} does it in one call.
#'
#' @inheritParams read_program_preload_manifest
#' @param verbose if \code{TRUE}, prints how the folders are sorted, see \code{\link{load_kernel_library}}.
#' @param manifest a data frame with the columns of \code{\link{read_program_preload_manifest}}, to be followed instead.
#' @return A string. Before each file stands a line \code{#line 1 "System/stdint.cl"}, so that a build log names files
#'   and their lines.
#' @section Errors:
#' Those of \code{\link{read_program_preload_manifest}} and \code{\link{load_kernel_library}}.
#' @examples
#' layers <- load_program_preload()
#' needed <- load_library_for_kernel_cross_package(
#'   "src/dnorm_kernel.cl", "nmathopencl", "nmath", "nmathopencl"
#' )
#' program <- paste(layers, needed, load_kernel_source("src/dnorm_kernel.cl"), sep = "\n")
#' nchar(program)
#' @export
load_program_preload <- function(manifest_relative_path = "program_preload_manifest.tsv",
                                 source_package = "nmathopencl", verbose = FALSE, manifest = NULL) {
  if (!is.null(manifest) && !(is.data.frame(manifest) && all(c("rank", "kind", "rel_path") %in% names(manifest)))) {
    argument_error("`manifest` must be NULL or a data frame with columns rank, kind and rel_path")
  }
  rows <- if (!is.null(manifest)) {
    fields <- lapply(manifest[c("rank", "kind", "rel_path")], format_field)
    paste0(c("rank\tkind\trel_path", do.call(paste, c(fields, sep = "\t"))), "\n", collapse = "")
  } else {
    ""
  }
  from_core(program_preload_cpp(
    check_string(manifest_relative_path, "manifest_relative_path"), check_string(source_package, "source_package"),
    check_flag(verbose, "verbose"), rows
  ))
}

format_field <- function(x) if (is.numeric(x)) format(x, scientific = FALSE, trim = TRUE) else as.character(x)

#' @param kernel_relative_path,kernel_package path of the kernel below \code{inst/cl}, and the package that has it.
#' @param library_subdir,library_package the library's folder below \code{inst/cl}, and the package that has it.
#' @details \code{load_library_for_kernel_cross_package()} takes a kernel of one installed package and a library of
#'   another.
#' @rdname load_library_for_kernel
#' @export
load_library_for_kernel_cross_package <- function(kernel_relative_path, kernel_package, library_subdir, library_package,
                                                  depends_tag = "all_depends_nmath") {
  depends_tag <- check_string(depends_tag, "depends_tag")
  library_part(from_core(program_cross_package_cpp(
    check_string(kernel_relative_path, "kernel_relative_path"), check_string(kernel_package, "kernel_package"),
    check_string(library_subdir, "library_subdir"), check_string(library_package, "library_package"), depends_tag
  )), depends_tag)
}
