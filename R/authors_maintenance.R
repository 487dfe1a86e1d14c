# authors_maintenance -- writes indices, subsets of a library and derived tags, for authors of kernels.

# ---- the index of a library ----

index_files <- function(library_dir) {
  file.path(library_dir, paste0("kernel_dependency_index", c(rds = ".rds", tsv = ".tsv")))
}

# list(index, tsv): what the two index files of a folder have to hold.
compute_index <- function(library_dir, verbose = FALSE) {
  found <- from_core(loader_index_cpp(library_dir, verbose))
  index <- list(
    version = 1L,
    library_name = basename(normalizePath(library_dir)),
    stems_ordered = found$stems_ordered,
    load_order = found$load_order,
    depends = found$depends,
    all_depends = found$all_depends,
    n_files = length(found$stems_ordered)
  )
  list(index = index, tsv = found$tsv)
}

read_text <- function(path) readChar(path, file.size(path), useBytes = TRUE)

# Which of the two index files are absent or hold something else: c(rds =, tsv =). An .rds is compared by what it holds,
# since its bytes differ from one version of R to the next.
stale_index_files <- function(library_dir, computed) {
  paths <- index_files(library_dir)
  same_rds <- file.exists(paths[1L]) &&
    identical(tryCatch(readRDS(paths[1L]), error = function(e) NULL, warning = function(w) NULL), computed$index)
  same_tsv <- file.exists(paths[2L]) && identical(read_text(paths[2L]), computed$tsv)
  c(rds = !same_rds, tsv = !same_tsv)
}

write_index_files <- function(library_dir, computed, which = c(rds = TRUE, tsv = TRUE)) {
  paths <- index_files(library_dir)
  if (which[["rds"]]) write_whole(paths[1L], function(path) saveRDS(computed$index, path, version = 2L))
  if (which[["tsv"]]) write_whole(paths[2L], function(path) writeBin(charToRaw(computed$tsv), path))
}

# Written beside its place and then put there: never a part of a file, and a link in its place is replaced, not followed.
write_whole <- function(path, writer) {
  draft <- tempfile(paste0(basename(path), "."), dirname(path), ".tmp")
  on.exit(unlink(draft))
  writer(draft)
  if (!file.rename(draft, path)) argument_error("File cannot be written: ", path)
}

#' Write the dependency index of a library folder
#'
#' Sorts the \code{.cl} files of a folder by their \code{@depends} tags, computes what every file needs directly and
#' indirectly, and writes both beside the files. With the index a loader picks the files that a kernel needs without
#' sorting anything. Run it after a file was added or removed, or its \code{@depends} changed.
#'
#' Two files with the same content: \code{kernel_dependency_index.tsv} for C++ (header \code{stem}, tab,
#' \code{all_depends}; a row per file in load order; names with a comma and a blank between) and
#' \code{kernel_dependency_index.rds} for R. They hold no dates and no absolute paths, and are the same wherever they
#' are made.
#'
#' @param library_dir the folder.
#' @param verbose if \code{TRUE}, prints the passes of the sort and the paths of the files written; with
#'   \code{write = FALSE} what would change in the \code{.tsv} file, as a unified diff.
#' @param write if \code{FALSE}, nothing is written.
#' @return Invisibly the list that the \code{.rds} file holds: \code{version} (1), \code{library_name},
#'   \code{stems_ordered}, \code{load_order} (positions, by stem), \code{depends} and \code{all_depends} (lists of
#'   character vectors, by stem), \code{n_files}.
#' @section Errors:
#' Those of \code{\link{load_kernel_library}}.
#' @seealso \code{\link{load_library_for_kernel}}, \code{\link{attach_kernel_dependency_tags}}.
#' @examples
#' library_dir <- file.path(tempdir(), "mylib")
#' dir.create(library_dir, showWarnings = FALSE)
#' writeLines(c("// @provides: square", "// @depends:", "",
#'              "double square(double x) { return x * x; }"), file.path(library_dir, "square.cl"))
#' writeLines(c("// @provides: cube", "// @depends: square", "",
#'              "double cube(double x) { return x * square(x); }"), file.path(library_dir, "cube.cl"))
#' index <- write_kernel_dependency_index(library_dir)
#' index$all_depends
#' @export
write_kernel_dependency_index <- function(library_dir, verbose = TRUE, write = TRUE) {
  library_dir <- check_path(library_dir, "library_dir")
  check_flag(write, "write")
  computed <- compute_index(library_dir, check_flag(verbose, "verbose"))
  stale <- stale_index_files(library_dir, computed)
  if (write) {
    write_index_files(library_dir, computed, stale)
    paths <- index_files(library_dir)
    if (verbose) cat(paste0(ifelse(stale, "Wrote ", "Up to date: "), paths, "\n"), sep = "")
  } else if (verbose) {
    path <- index_files(library_dir)[2L]
    cat(text_diff_cpp(if (file.exists(path)) read_text(path) else "", computed$tsv, path))
  }
  invisible(computed$index)
}

# ---- subsets ----

#' Copy the part of a library that some kernels need
#'
#' Takes what several kernels need of a library, directly and indirectly, copies just those files into a folder of
#' one's own, and writes an index there that describes the copy. A package can so ship a small, fixed selection of
#' \code{nmath} with its kernels.
#'
#' The copies are verbatim. The index files are made anew from what is in \code{dest_dir} after copying, so they fit
#' whatever else is there; they are written where they are absent or differ, whatever \code{overwrite} says.
#'
#' @param kernel_paths paths of the kernels' files.
#' @param library_dir the library's folder.
#' @param dest_dir the folder to copy to. It must exist.
#' @param depends_tag the tag to follow, see \code{\link{load_library_for_kernel}}. At least one kernel must have it.
#' @param index the library's index, see \code{\link{load_library_for_kernel}}.
#' @param overwrite if \code{FALSE}, files that are in \code{dest_dir} already stay as they are.
#' @return A data frame of classes \code{nmathopencl_library_subset} and \code{nmathopencl_lib_extract_df}, with a row for each file needed, in load order,
#'   and one for each of the two index files: \code{stem} (for an index file its name), \code{source}, \code{dest} and
#'   \code{copied} (whether it was written).
#' @section Errors:
#' Those of \code{\link{load_library_for_kernel}}; a \code{dest_dir} that does not exist; kernels of which
#'   none has the tag.
#' @examples
#' nmath <- system.file("cl", "nmath", package = "nmathopencl")
#' kernel <- file.path(tempdir(), "my_kernel.cl")
#' writeLines(c(
#'   "// @depends_nmath: dnorm", "",
#'   "__kernel void f(__global double* x) { x[0] = dnorm(0.0, 0.0, 1.0, 0); }"
#' ), kernel)
#' subset_dir <- file.path(tempdir(), "my_nmath")
#' dir.create(subset_dir, showWarnings = FALSE)
#' extract_library_subset(kernel, nmath, subset_dir, depends_tag = "depends_nmath")
#' @export
extract_library_subset <- function(kernel_paths, library_dir, dest_dir, depends_tag = "all_depends", index = NULL,
                                   overwrite = FALSE) {
  kernel_paths <- check_kernel_paths(kernel_paths)
  library_dir <- check_path(library_dir, "library_dir")
  dest_dir <- check_path(dest_dir, "dest_dir")
  rows <- from_core(loader_extract_cpp(
    kernel_paths, library_dir, dest_dir, check_string(depends_tag, "depends_tag"), check_index(index),
    check_flag(overwrite, "overwrite")
  ))
  computed <- compute_index(dest_dir)
  stale <- stale_index_files(dest_dir, computed)
  write_index_files(dest_dir, computed, stale)
  structure(
    data.frame(
      stem = c(rows$stem, basename(index_files(dest_dir))),
      source = c(rows$source, index_files(library_dir)),
      dest = c(rows$dest, index_files(dest_dir)),
      copied = c(rows$copied, unname(stale)),
      stringsAsFactors = FALSE
    ),
    class = c("nmathopencl_library_subset", "nmathopencl_lib_extract_df", "data.frame") # the first is this package's alone
  )
}

#' @export
print.nmathopencl_library_subset <- function(x, ...) {
  if (all(c("stem", "source", "dest", "copied") %in% names(x)) && nrow(x) > 0L) {
    cat(
      sprintf("<extracted part of an OpenCL library: %d of %d files written>\n", sum(x$copied), nrow(x)),
      "  from: ", dirname(x$source[1L]), "\n",
      "  to:   ", dirname(x$dest[1L]), "\n",
      sep = ""
    )
    print(data.frame(stem = x$stem, copied = x$copied), ...)
  } else {
    NextMethod()
  }
  invisible(x)
}

# ---- derived tags ----

#' Bring the derived tags of .cl files up to date
#'
#' \code{attach_kernel_dependency_tags()} writes \code{@all_depends}, \code{@all_depends_count} and \code{@load_order}
#' into every file of a library. \code{attach_cross_library_tags()} writes \code{@all_<depends_tag>} and its count
#' into kernels, right after the tag they are derived from. The first line is left out where the list is empty. Lines
#' that are there are replaced, nothing else in a file changes, except that line ends become LF; files that are up to
#' date are not written.
#'
#' @param library_dir the library's folder.
#' @param kernel_paths paths of the kernels' files.
#' @param depends_tag the tag with what a kernel calls directly: \code{"depends_<library>"}.
#' @param index the library's index, see \code{\link{load_library_for_kernel}}.
#' @param dry_run if \code{TRUE}, nothing is written; the result reports what would be, and its print method shows it.
#' @param load_order if \code{FALSE}, \code{@load_order} is removed instead: it follows from \code{@depends}, no loader needs it, and a
#'   file that is added changes it in most others.
#' @return A data frame of class \code{nmathopencl_attached_tags}, one row per file, invisibly unless \code{dry_run}. \code{attach_kernel_dependency_tags()}: \code{file},
#'   \code{load_order}, \code{all_depends} (names with commas between), \code{all_depends_count}, \code{changed}, \code{diff}.
#'   \code{attach_cross_library_tags()}: \code{file}, \code{direct_stems}, \code{all_depends_count},
#'   \code{all_depends}, \code{changed}, \code{diff}; a kernel without the tag is left alone and has \code{NA} in the three columns
#'   between. \code{diff} has what changes in a file in the unified format, \code{""} where nothing does; the print
#'   method shows these after the table.
#' @section Errors:
#' Those of \code{\link{load_kernel_library}} and \code{\link{load_library_for_kernel}}; nothing is written
#'   then.
#' @examples
#' library_dir <- file.path(tempdir(), "taglib")
#' dir.create(library_dir, showWarnings = FALSE)
#' writeLines(c("// @provides: square", "// @depends:", ""), file.path(library_dir, "square.cl"))
#' writeLines(c("// @provides: cube", "// @depends: square", ""), file.path(library_dir, "cube.cl"))
#' attach_kernel_dependency_tags(library_dir)
#' readLines(file.path(library_dir, "cube.cl"))
#'
#' write_kernel_dependency_index(library_dir, verbose = FALSE)
#' kernel <- file.path(tempdir(), "cube_kernel.cl")
#' writeLines(c("// @depends_taglib: cube", ""), kernel)
#' print(attach_cross_library_tags(kernel, library_dir, "depends_taglib"))
#' readLines(kernel)
#' @export
attach_kernel_dependency_tags <- function(library_dir, dry_run = FALSE, load_order = TRUE) {
  rows <- from_core(loader_attach_dependency_cpp(check_path(library_dir, "library_dir"), check_flag(dry_run, "dry_run"), check_flag(load_order, "load_order")))
  attached_tags(dry_run, data.frame(
    file = rows$file, load_order = seq_along(rows$file), all_depends = rows$all_depends,
    all_depends_count = rows$count, changed = rows$changed, diff = rows$diff, stringsAsFactors = FALSE
  ))
}

attached_tags <- function(dry_run, rows) {
  rows <- structure(rows, class = c("nmathopencl_attached_tags", "data.frame"))
  if (dry_run) rows else invisible(rows)
}

#' @export
print.nmathopencl_attached_tags <- function(x, ...) {
  print(as.data.frame(unclass(x), stringsAsFactors = FALSE)[setdiff(names(x), "diff")], ...)
  if (!is.null(x$diff)) cat(x$diff[nzchar(x$diff)], sep = "")
  invisible(x)
}

#' @rdname attach_kernel_dependency_tags
#' @export
attach_cross_library_tags <- function(kernel_paths, library_dir, depends_tag = "depends_nmath", index = NULL,
                                      dry_run = FALSE) {
  rows <- from_core(loader_attach_cross_cpp(
    check_kernel_paths(kernel_paths), check_path(library_dir, "library_dir"), check_string(depends_tag, "depends_tag"),
    check_index(index), check_flag(dry_run, "dry_run")
  ))
  where_tagged <- function(column) replace(column, !rows$tagged, NA)
  attached_tags(dry_run, data.frame(
    file = rows$file, direct_stems = where_tagged(rows$direct), all_depends_count = where_tagged(rows$count),
    all_depends = where_tagged(rows$all_depends), changed = rows$changed, diff = rows$diff, stringsAsFactors = FALSE
  ))
}
