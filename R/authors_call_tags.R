# authors_call_tags -- writes call tags, staged sorts and manifests of libraries, for authors of kernels.

#' Find what kernels call of a library
#'
#' Reads the text of kernels, finds which names they use that files of a library \code{@provide}, and writes it into the
#' kernels' tags: \code{@library_deps}, \code{@calls_<library_tag>}, \code{@depends_<library_tag>} and
#' \code{@calls_opencl_builtin}, each \code{none} where there is nothing. Run
#' \code{\link{attach_cross_library_tags}} after it.
#'
#' Comments, strings, names that the kernel defines itself (functions, macros, for constants also variables) and members
#' of structures do not count. A function counts where it is called, a constant, a table or a type where it is named; what
#' stands in a macro of the kernel counts where the macro is used. Of several files that provide a name the one that
#' defines it is meant, not a header that declares it.
#'
#' Tags that are there keep their places, and nothing else in a file changes, except that line ends become LF and that
#' \code{@all_depends_<library_tag>} and its count go where \code{@depends_<library_tag>} changes, as they are derived
#' from it. A second call changes nothing. Files are replaced as a whole, all of them or, if something is wrong with one,
#' none.
#'
#' @param kernel_paths paths of the kernels' files.
#' @param library_dir the library's folder.
#' @param library_tag the name that stands for the library in tags: \code{"nmath"}.
#' @param overwrite_existing if \code{FALSE}, kernels that have \code{@depends_<library_tag>} already are left alone.
#' @param dry_run if \code{TRUE}, nothing is written; the result reports what would be, and its print method shows it.
#' @return A data frame of class \code{nmathopencl_attached_tags} with a row for each kernel, invisibly unless
#'   \code{dry_run}: \code{file}; \code{calls}, \code{depends} (in load order) and \code{opencl_builtins}, with commas
#'   between the names; \code{changed}, \code{NA} for a kernel that was left alone; \code{diff}, what changes in the
#'   unified format.
#' @section Errors:
#' A library without any \code{@provides}; those of \code{\link{load_kernel_library}} and
#' \code{\link{load_library_for_kernel}}. Nothing is written then.
#' @seealso \code{\link{attach_kernel_dependency_tags}}, \code{\link{check_kernel_library}}.
#' @examples
#' nmath <- system.file("cl", "nmath", package = "nmathopencl")
#' kernel <- file.path(tempdir(), "density_kernel.cl")
#' writeLines(c(
#'   "__kernel void density_kernel(__global const double* x, __global double* out, const int len)",
#'   "{",
#'   "    const int i = get_global_id(0);",
#'   "    if (i < len) out[i] = dgamma(x[i], 2.0, 1.0, 0) * M_SQRT_PI; // not dbeta()",
#'   "}"
#' ), kernel)
#' attach_kernel_call_tags(kernel, nmath, "nmath", dry_run = TRUE)
#' attach_kernel_call_tags(kernel, nmath, "nmath")
#' attach_cross_library_tags(kernel, nmath)
#' readLines(kernel, n = 6)
#' @export
attach_kernel_call_tags <- function(kernel_paths, library_dir, library_tag, overwrite_existing = FALSE, dry_run = FALSE) {
  rows <- from_core(loader_attach_calls_cpp(
    check_kernel_paths(kernel_paths), check_path(library_dir, "library_dir"), check_string(library_tag, "library_tag"),
    check_flag(overwrite_existing, "overwrite_existing"), check_flag(dry_run, "dry_run")
  ))
  where_read <- function(column) replace(column, rows$skipped, NA)
  attached_tags(dry_run, data.frame(
    file = rows$file, calls = where_read(rows$calls), depends = where_read(rows$depends),
    opencl_builtins = where_read(rows$builtins), changed = where_read(rows$changed), diff = rows$diff,
    stringsAsFactors = FALSE
  ))
}

# ---- staging ----

split_items <- function(x) strsplit(x, ", ", fixed = TRUE)

# Rows for people and scripts; the same bytes in every locale and on every system.
csv_bytes <- function(rows) {
  quoted <- lapply(rows, function(column) if (is.character(column)) paste0("\"", column, "\"") else column)
  lines <- c(paste0("\"", names(rows), "\"", collapse = ","), do.call(paste, c(unname(quoted), sep = ","))[seq_len(nrow(rows))])
  charToRaw(paste0(lines, "\n", collapse = ""))
}

staged_tables <- function(files) {
  done <- files$pass > 0L
  order <- order(files$pass[done])
  sorted <- data.frame(
    order = seq_len(sum(done)), pass = files$pass[done][order], file = paste0(files$stem[done][order], ".cl", recycle0 = TRUE),
    source_type = files$source_type[done][order], depends = files$depends[done][order],
    includes = files$includes[done][order], provides = files$provides[done][order], stringsAsFactors = FALSE
  )
  depends <- split_items(files$depends[!done])
  pick <- function(keep) vapply(depends, function(stems) paste(keep(stems), collapse = ", "), "")
  resolved <- files$stem[done]
  unresolved <- data.frame(
    file = paste0(files$stem[!done], ".cl", recycle0 = TRUE), source_type = files$source_type[!done],
    depends = files$depends[!done], resolved_depends = pick(function(stems) intersect(stems, resolved)),
    remaining_depends_count = lengths(lapply(depends, setdiff, resolved)),
    missing_depends = pick(function(stems) setdiff(stems, files$stem)), cycle = files$cycle[!done],
    includes = files$includes[!done], provides = files$provides[!done], stringsAsFactors = FALSE
  )
  list(sorted = sorted, unresolved = unresolved)
}

#' Lay out a library in load order
#'
#' Sorts the files of a library by their \code{@depends} and copies them into a folder, numbered in load order; those
#' that cannot be sorted go into a folder of their own. For a library that is being made: unlike
#' \code{\link{load_kernel_library}} it does not stop where a dependency is missing or goes in a circle.
#'
#' In \code{output_dir} it makes \code{sorted/001_<file>.cl}, ..., \code{unresolved/<file>.cl}, and the two tables of the
#' result as \code{sorted_files.csv} and \code{unresolved_files.csv}. The copies are verbatim, and everything is the same
#' in every locale. Of a folder that is there already only what an earlier call left is removed.
#'
#' @param library_dir the library's folder.
#' @param output_dir the folder to make.
#' @param overwrite if \code{FALSE}, \code{output_dir} must not exist.
#' @param dry_run if \code{TRUE}, nothing is written.
#' @return A list of two data frames and two paths. \code{sorted}: \code{order}, \code{pass} of the sort, \code{file},
#'   \code{source_type}, \code{depends}, \code{includes}, \code{provides}. \code{unresolved}: \code{file},
#'   \code{source_type}, \code{depends}, \code{resolved_depends}, \code{remaining_depends_count}, \code{missing_depends}
#'   (names that are no files), \code{cycle} (a shortest one that the file is part of, \code{""} if it is in none),
#'   \code{includes}, \code{provides}. \code{sorted_dir} and \code{unresolved_dir}. Lists in a column have commas between.
#' @section Errors:
#' A folder that is not there or has no \code{.cl} files; an \code{output_dir} that exists, unless
#' \code{overwrite}, or that is \code{library_dir}; a tag that breaks the grammar, with file and line.
#' @seealso \code{\link{kernel_dependency_graph}}, \code{\link{check_kernel_library}}.
#' @examples
#' layers <- system.file("cl", "R_ext_runtime", package = "nmathopencl")
#' staged <- stage_kernel_dependency_sort(layers, file.path(tempdir(), "staged"), overwrite = TRUE)
#' staged$sorted[, c("order", "pass", "file", "depends")]
#' list.files(staged$sorted_dir)
#' @export
stage_kernel_dependency_sort <- function(library_dir, output_dir, overwrite = FALSE, dry_run = FALSE) {
  library_dir <- check_path(library_dir, "library_dir")
  output_dir <- check_path(output_dir, "output_dir")
  check_flag(overwrite, "overwrite")
  files <- from_core(loader_files_cpp(library_dir))
  if (!length(files$stem)) argument_error("No .cl files in ", library_dir)
  folders <- file.path(output_dir, c("sorted", "unresolved"))
  staged <- c(staged_tables(files), list(sorted_dir = folders[1L], unresolved_dir = folders[2L]))
  if (check_flag(dry_run, "dry_run")) return(staged)
  if (file.exists(output_dir)) {
    if (!overwrite) argument_error("`output_dir` exists: ", output_dir, ". `overwrite = TRUE` replaces the staged files")
    if (normalizePath(output_dir) == normalizePath(library_dir)) argument_error("`output_dir` is `library_dir`")
  }
  for (folder in folders) {
    dir.create(folder, showWarnings = FALSE, recursive = TRUE)
    if (!dir.exists(folder)) argument_error("Folder cannot be made: ", folder)
  }
  stage_files(staged, library_dir)
  tables <- file.path(output_dir, c("sorted_files.csv", "unresolved_files.csv"))
  write_whole(tables[1L], function(path) writeBin(csv_bytes(staged$sorted), path))
  write_whole(tables[2L], function(path) writeBin(csv_bytes(staged$unresolved), path))
  staged
}

# Old copies go only when the new ones are there.
stage_files <- function(staged, library_dir) {
  numbered <- sprintf("%03d_%s", staged$sorted$order, staged$sorted$file)
  copy <- function(from, to) {
    write_whole(to, function(path) writeBin(readBin(from, "raw", file.size(from)), path))
  }
  for (k in seq_along(numbered)) {
    copy(file.path(library_dir, staged$sorted$file[k]), file.path(staged$sorted_dir, numbered[k]))
  }
  for (file in staged$unresolved$file) copy(file.path(library_dir, file), file.path(staged$unresolved_dir, file))
  unlink(file.path(staged$sorted_dir, setdiff(list.files(staged$sorted_dir, "^[0-9]{3,}_.*\\.cl$"), numbered)))
  unlink(file.path(staged$unresolved_dir, setdiff(list.files(staged$unresolved_dir, "\\.cl$"), staged$unresolved$file)))
}

# ---- manifests ----

# What program_preload_manifest.rds holds: no dates and no absolute paths.
manifest_contents <- function(entries, source_package, manifest_relative_path) {
  list(
    version = 1L, source_package = source_package, manifest_relative_path = manifest_relative_path, entries = entries
  )
}

check_manifest <- function(manifest) {
  needed <- c("rank", "kind", "rel_path")
  if (!is.data.frame(manifest) || !all(needed %in% names(manifest))) {
    argument_error("`manifest` must be a data frame with columns rank, kind and rel_path")
  }
  rank <- manifest$rank
  whole <- is.numeric(rank) && all(is.finite(rank)) && all(rank == floor(rank)) && all(rank >= 1) && all(rank < 1e6)
  if (!whole) argument_error("`manifest$rank` must be positive whole numbers of at most six digits")
  for (column in needed[-1L]) {
    if (!is.character(manifest[[column]]) || anyNA(manifest[[column]])) {
      argument_error("`manifest$", column, "` must be a character vector without NA")
    }
    if (any(grepl("[\t\r\n]", manifest[[column]]))) argument_error("`manifest$", column, "` holds a tab or line end")
  }
  if (!all(manifest$kind %in% c("file", "library"))) argument_error("`manifest$kind` must be \"file\" or \"library\"")
  manifest
}

#' Write the list of layers below every program
#'
#' Checks a manifest, puts its rows in order of rank, and writes it as \code{program_preload_manifest.tsv}, for C++ and
#' people, and as an \code{.rds} file of the same name, for R. Without \code{manifest} the \code{.tsv} file that is there
#' is read, put in order, and the \code{.rds} file made of it. Both are the same wherever they are made, hold no dates and
#' no absolute paths, and are written only where they differ, each as a whole.
#'
#' @param manifest \code{NULL}, or a data frame as \code{\link{read_program_preload_manifest}} gives: \code{rank},
#'   \code{kind}, \code{rel_path}.
#' @param manifest_path path of the \code{.tsv} file; \code{NULL} for the one of an installed package.
#' @param source_package,manifest_relative_path the package that the manifest is part of, and its place below
#'   \code{inst/cl} there.
#' @param write if \code{FALSE}, nothing is written.
#' @param verbose if \code{TRUE}, prints which files were written, or, with \code{write = FALSE}, what would change in the
#'   \code{.tsv} file, as a unified diff.
#' @return Invisibly a list: \code{version} (1), \code{source_package}, \code{manifest_relative_path},
#'   \code{manifest_path}, \code{entries} (the data frame in order of rank).
#' @section Errors:
#' Those of \code{\link{read_program_preload_manifest}}; a \code{manifest} that is not of that form.
#' @examples
#' path <- file.path(tempdir(), "program_preload_manifest.tsv")
#' layers <- data.frame(
#'   rank = c(2, 1), kind = c("library", "file"), rel_path = c("shims", "OPENCL.cl")
#' )
#' write_program_preload_manifest(layers, path, source_package = "mypackage")
#' readLines(path)
#' @export
write_program_preload_manifest <- function(manifest = NULL, manifest_path = NULL, source_package = "nmathopencl",
                                           manifest_relative_path = "program_preload_manifest.tsv", write = TRUE,
                                           verbose = FALSE) {
  check_string(source_package, "source_package")
  check_string(manifest_relative_path, "manifest_relative_path")
  check_flag(write, "write")
  path <- if (is.null(manifest_path)) {
    file.path(system.file("cl", package = source_package), manifest_relative_path)
  } else {
    check_path(manifest_path, "manifest_path")
  }
  if (!grepl("\\.tsv$", path)) argument_error("`manifest_path` must end in .tsv: ", path)
  if (is.null(manifest)) {
    manifest <- read_program_preload_manifest(manifest_path = path)
  }
  check_manifest(manifest)
  tsv <- loader_manifest_text_cpp(as.integer(manifest$rank), manifest$kind, manifest$rel_path)
  entries <- as.data.frame(from_core(loader_manifest_check_cpp(tsv, path)), stringsAsFactors = FALSE)
  tsv <- loader_manifest_text_cpp(entries$rank, entries$kind, entries$rel_path)
  contents <- manifest_contents(entries, source_package, manifest_relative_path)
  written <- write_manifest_files(path, contents, tsv, write)
  if (check_flag(verbose, "verbose")) {
    old <- if (file.exists(path)) read_text(path) else ""
    cat(if (write) paste0("Wrote ", written, "\n", recycle0 = TRUE) else text_diff_cpp(old, tsv, path), sep = "")
  }
  invisible(c(contents[1:3], list(manifest_path = path), contents[4L]))
}

# The paths of the files that are not what they have to be, made good if `write`.
write_manifest_files <- function(path, contents, tsv, write) {
  rds <- sub("\\.tsv$", ".rds", path)
  same_tsv <- file.exists(path) && identical(read_text(path), tsv)
  same_rds <- file.exists(rds) &&
    identical(tryCatch(readRDS(rds), error = function(e) NULL, warning = function(w) NULL), contents)
  if (write && !same_tsv) write_whole(path, function(to) writeBin(charToRaw(tsv), to))
  if (write && !same_rds) write_whole(rds, function(to) saveRDS(contents, to, version = 2L))
  c(path, rds)[!c(same_tsv, same_rds)]
}
