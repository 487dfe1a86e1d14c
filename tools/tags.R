# tags -- brings everything derived from the @depends tags under inst/cl up to date, or checks that it is.
#
#   Rscript tools/tags.R           rewrites what is stale
#   Rscript tools/tags.R --check   names each stale file and exits with 1 if there is one
#
# Derived are: @all_depends and @all_depends_count in the files of every library folder;
# @all_depends_<lib> and its count in the kernels; kernel_dependency_index.{tsv,rds} in every library folder, also in one
# without .cl files; program_preload_manifest.rds; and the folders <x>_nmath, which hold verbatim copies of just those files
# of nmath that the kernels in <x>_src and <x>_family need. Folders named src or <x>_src hold kernels, <x>_family what
# generate.R makes kernels of, all others are libraries.
#
# Works on a source checkout: it compiles the loader by itself, and needs R, Rcpp and a C++ compiler.

argv <- commandArgs(trailingOnly = TRUE)
check_only <- identical(argv, "--check")
if (length(argv) && !check_only) stop("usage: Rscript tools/tags.R [--check]", call. = FALSE)

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
if (length(script) == 1L) setwd(file.path(dirname(script), ".."))
if (!dir.exists("inst/cl/nmath")) stop("tools/tags.R must run in the source of nmathopencl", call. = FALSE)

# ---- the loader, without the package ----

# Compiled in a copy, so that nothing is left behind in src, and with -O0, since compiling takes longer than running.
loader_environment <- function() {
  loader <- new.env()
  sources <- file.path("src", c(
    paste0("base/", c("near_names", "process_mutex", "text_files"), ".cpp"),
    paste0("loader/", c("c_tokens", "kernel_tags", "tag_lines", "kernel_index", "kernel_loader"), ".cpp"),
    paste0("authors/", c("text_diff", "kernel_maintenance"), ".cpp")
  ))
  build <- file.path(tempdir(), "loader")
  headers <- c("src/r_door.h", list.files(c("src/base", "src/loader", "src/authors"), "\\.h$", full.names = TRUE))
  for (file in c(sources, headers)) {
    copy <- file.path(build, sub("^src/", "", file))
    dir.create(dirname(copy), showWarnings = FALSE, recursive = TRUE)
    if (!file.copy(file, copy)) stop("cannot copy the loader's sources to ", build, call. = FALSE)
  }
  # Rcpp compiles what the wrappers name: every header that has a source beside it.
  named <- sprintf("#include \"%s\"", sub("cpp$", "h", sub("^src/", "", sources)))
  writeLines(c(named, readLines("src/kernel_loader_wrappers.cpp")), file.path(build, "kernel_loader_wrappers.cpp"))
  Sys.setenv(PKG_CPPFLAGS = paste0("-I", shQuote(build)))
  Sys.setenv(USE_CXX17 = "yes", MAKEFLAGS = "-j2 -- CXX17FLAGS=-O0")
  Rcpp::sourceCpp(file.path(build, "kernel_loader_wrappers.cpp"), env = loader, cacheDir = build)
  for (file in c("R/conditions.R", "R/loader.R", "R/authors_maintenance.R", "R/authors_call_tags.R")) sys.source(file, loader)
  loader
}

loader <- loader_environment()

# ---- what is where ----

folders <- basename(list.dirs("inst/cl", recursive = FALSE))
holds_kernels <- grepl("(^|_)(src|family)$", folders)
kernel_folders <- folders[holds_kernels]
is_subset <- grepl("_nmath$", folders) & sub("_nmath$", "_src", folders) %in% kernel_folders
subsets <- folders[is_subset]
libraries <- setdiff(folders[!holds_kernels], subsets)

in_cl <- function(...) file.path("inst/cl", ...)
cl_files <- function(folder) list.files(in_cl(folder), "\\.cl$", full.names = TRUE)

# The library that a kernel in `folder` means by `tag`: <x>_<lib> beside <x>_src and <x>_family, else <lib>.
library_of <- function(tag, folder) {
  library <- sub("^depends_", "", tag)
  own <- sub("(src|family)$", library, folder)
  if (own %in% folders) own else if (library %in% folders) library else NA_character_
}

# The closures of a subset are those of the library it comes from, whatever state its own files are in.
kernel_index <- local({
  known <- list()
  function(library) {
    if (library %in% subsets) library <- "nmath"
    if (is.null(known[[library]])) known[[library]] <<- loader$compute_index(in_cl(library))
    known[[library]]$index
  }
})

# ---- steps; each returns the paths of the files that are stale, and unless check_only makes them good ----

library_step <- function(library) {
  tags <- loader$attach_kernel_dependency_tags(in_cl(library), dry_run = check_only, load_order = FALSE)
  c(tags$file[tags$changed], index_step(library))
}

index_step <- function(library) {
  computed <- loader$compute_index(in_cl(library))
  stale <- loader$stale_index_files(in_cl(library), computed)
  if (!check_only) loader$write_index_files(in_cl(library), computed, stale)
  loader$index_files(in_cl(library))[stale]
}

# Compared in a fresh folder, so that files no longer needed and files that were edited in place are found too.
subset_step <- function(subset) {
  fresh <- tempfile(subset)
  dir.create(fresh)
  kernels <- unlist(lapply(c("_src", "_family"), function(end) cl_files(sub("_nmath$", end, subset))))
  if (length(kernels)) {
    loader$extract_library_subset(kernels, in_cl("nmath"), fresh, "depends_nmath", kernel_index("nmath"))
  }
  same <- function(name) {
    paths <- file.path(c(in_cl(subset), fresh), name)
    all(file.exists(paths)) && identical(unname(tools::md5sum(paths[1L])), unname(tools::md5sum(paths[2L])))
  }
  names <- union(basename(cl_files(subset)), list.files(fresh, "\\.cl$"))
  stale <- names[!vapply(names, same, NA)]
  if (!check_only) {
    unneeded <- setdiff(stale, list.files(fresh))
    unlink(in_cl(subset, unneeded))
    file.copy(file.path(fresh, setdiff(stale, unneeded)), in_cl(subset), overwrite = TRUE)
  }
  c(in_cl(subset)[0L], in_cl(subset, stale), index_step(subset))
}

kernel_step <- function(folder) {
  paths <- cl_files(folder)
  if (!length(paths)) return(character())
  lines <- unlist(lapply(paths, readLines, warn = FALSE))
  tags <- unique(sub("^[ \t]*//[ \t]*@(depends_[A-Za-z0-9_]+).*", "\\1",
                     grep("^[ \t]*//[ \t]*@depends_", lines, value = TRUE)))
  stale <- lapply(tags, function(tag) {
    library <- library_of(tag, folder)
    if (is.na(library)) stop("inst/cl/", folder, ": no library folder for @", tag, call. = FALSE)
    rows <- loader$attach_cross_library_tags(paths, in_cl(library), tag, kernel_index(library), check_only)
    rows$file[rows$changed]
  })
  unlist(stale)
}

manifest_step <- function() {
  path <- in_cl("program_preload_manifest.rds")
  manifest <- loader$manifest_contents(
    loader$read_program_preload_manifest(manifest_path = in_cl("program_preload_manifest.tsv")), "nmathopencl",
    "program_preload_manifest.tsv"
  )
  if (file.exists(path) && identical(tryCatch(readRDS(path), error = function(e) NULL), manifest)) return(character())
  if (!check_only) saveRDS(manifest, path, version = 2L)
  path
}

stale <- unique(as.character(c(
  unlist(lapply(libraries, library_step)),
  unlist(lapply(subsets, subset_step)),
  unlist(lapply(kernel_folders, kernel_step)),
  manifest_step()
)))

if (check_only && length(stale)) {
  cat(paste0("stale: ", stale, "\n"), "run: Rscript tools/tags.R\n", sep = "")
  quit(status = 1L)
}
done <- paste0(ifelse(file.exists(stale), "wrote ", "removed "), stale, "\n")
cat(if (length(stale)) done else "tags and indices are up to date\n", sep = "")
