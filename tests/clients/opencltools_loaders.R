# opencltools_loaders -- the loaders, tag readers and closures of opencltools read this package's device library: the same
# files, in a valid order, and programs that build. Needs opencltools beside nmathopencl; run_glmbayes.sh makes that.

suppressPackageStartupMessages(library(nmathopencl))
cl <- function(...) system.file("cl", ..., package = "nmathopencl", mustWork = TRUE)
quietly <- function(code) suppressMessages(code)
lines_of <- function(text) {
  lines <- strsplit(as.character(unclass(text)), "\n", fixed = TRUE)[[1L]]
  lines[nzchar(lines) & !startsWith(lines, "#line ")]
}
checks <- 0L
check <- function(holds, ...) {
  checks <<- checks + 1L
  if (!isTRUE(holds)) stop(..., call. = FALSE)
}

folders <- list.dirs(cl(), recursive = FALSE)
libraries <- basename(folders[file.exists(file.path(folders, "kernel_dependency_index.tsv"))])
kernels <- list.files(cl(), "[.]cl$", recursive = TRUE)
kernels <- kernels[grepl("^(src|.*_src)/", kernels)]

# Files and folders as they are.
for (file in list.files(cl(), "[.]cl$", recursive = TRUE)) {
  theirs <- quietly(opencltools::load_kernel_source(file, package = "nmathopencl"))
  check(identical(lines_of(theirs), lines_of(load_kernel_source(file))), "load_kernel_source(\"", file, "\") differs")
}

# The files of a library in the order in which a text has them; each of the library's files exactly once.
order_in <- function(text, library) {
  stems <- sub("[.]cl$", "", list.files(cl(library), "[.]cl$"))
  at <- vapply(stems, function(stem) {
    found <- gregexpr(trimws(load_kernel_source(file.path(library, paste0(stem, ".cl")))), text, fixed = TRUE)[[1L]]
    check(length(found) == 1L && found > 0L, library, "/", stem, ".cl is not once in the text")
    as.integer(found)
  }, 0L)
  stems[order(at)]
}

# Every file after those that it needs.
check_order <- function(stems, all_depends, what) {
  for (k in seq_along(stems)) {
    check(all(all_depends[[stems[k]]] %in% stems[seq_len(k - 1L)]), what, ": ", stems[k], " comes before what it needs")
  }
}

for (library in libraries) {
  index <- readRDS(cl(library, "kernel_dependency_index.rds"))
  if (!length(index$stems_ordered)) next
  check_order(order_in(quietly(opencltools::load_kernel_library(library, package = "nmathopencl")), library),
              index$all_depends, paste0("load_kernel_library(\"", library, "\")"))
  theirs <- quietly(opencltools::write_kernel_dependency_index(cl(library), write = FALSE))
  check(setequal(names(theirs$all_depends), index$stems_ordered), library, ": another set of files")
  for (stem in index$stems_ordered) {
    check(setequal(theirs$all_depends[[stem]], index$all_depends[[stem]]), library, "/", stem, ".cl: another closure")
  }
  check_order(names(sort(unlist(theirs$load_order))), index$all_depends, paste("load order of", library))
  tags <- quietly(opencltools::attach_kernel_dependency_tags(cl(library), dry_run = TRUE))
  check(isTRUE(tags$ok), "attach_kernel_dependency_tags(\"", library, "\"): ", tags$message)
}

manifest <- quietly(opencltools::read_program_preload_manifest(source_package = "nmathopencl"))
ours <- read_program_preload_manifest()
check(all(vapply(names(ours), function(column) all(manifest[[column]] == ours[[column]]), NA)), "the manifest differs")
preload <- quietly(opencltools::load_program_preload(source_package = "nmathopencl"))
preload_files <- lines_of(load_program_preload())
check(setequal(lines_of(preload), preload_files) && length(lines_of(preload)) == length(preload_files), "other layers")

# What each kernel needs, by three readers.
index <- readRDS(cl("nmath", "kernel_dependency_index.rds"))
tagged <- kernels[vapply(kernels, function(file) any(grepl("^// @all_depends_nmath:", readLines(cl(file)))), NA)]
program_of <- function(file) {
  nmath <- quietly(opencltools::load_library_for_kernel_cross_package(
    file, "nmathopencl", "nmath", "nmathopencl", "all_depends_nmath"
  ))
  paste(preload, nmath, quietly(opencltools::load_kernel_source(file, package = "nmathopencl")), sep = "\n")
}
for (file in tagged) {
  needed <- load_library_for_kernel(cl(file), cl("nmath"), "all_depends_nmath")
  # It warns where its own list of fragile ports names a stem; that list is of another port.
  theirs <- suppressWarnings(quietly(
    opencltools::load_library_for_kernel(cl(file), cl("nmath"), "all_depends_nmath", index)
  ))
  check(identical(attr(theirs, "stems_loaded"), attr(needed, "stems_loaded")), file, ": other files of nmath")
  check(identical(lines_of(theirs), lines_of(needed)), file, ": another text")
  program <- lines_of(program_of(file))
  behind_layers <- function(lines) utils::tail(lines, -length(preload_files))
  check(identical(behind_layers(program), behind_layers(lines_of(opencl_program(file)))), file, ": another program")
}
rows <- suppressWarnings(quietly(
  opencltools::attach_cross_library_tags(cl(tagged), cl("nmath"), "depends_nmath", index, dry_run = TRUE)
))
check(identical(rows$all_depends, attach_cross_library_tags(cl(tagged), cl("nmath"), dry_run = TRUE)$all_depends),
      "attach_cross_library_tags() has other closures")

subset <- tempfile("subset")
dir.create(subset)
glm <- list.files(cl("ex_glmbayes_src"), "[.]cl$", full.names = TRUE)
suppressWarnings(quietly(opencltools::extract_library_subset(glm, cl("nmath"), subset, "all_depends_nmath", index)))
check(setequal(list.files(subset, "[.]cl$"), list.files(cl("ex_glmbayes_nmath"), "[.]cl$")), "another subset for ex_glmbayes")

# Programs of theirs build and compute.
devices <- opencl_devices()
for (device in as.character(devices$index[devices$type != "host" & devices$fp64 %in% TRUE])) {
  x <- c(0.1, 1, 5, 40)
  shape <- rep(2, 4)
  columns <- list(x, shape, shape / 2, rep(0L, 4))
  got <- run_opencl_kernel(program_of("src/dgamma_kernel.cl"), "dgamma_kernel", columns, device = device)
  check(isTRUE(all.equal(got, stats::dgamma(x, 2, scale = 1), tolerance = 1e-13)), "dgamma_kernel on ", device, " is wrong")
  for (file in grep("^ex_glmbayes_src", tagged, value = TRUE)) {
    bundle <- bundle_build(kernel_bundle(program_of(file), device))
    check(sub("[.]cl$", "", basename(file)) %in% kernel_ids(bundle), file, " on ", device, " has no kernel")
  }
}
cat("opencltools: ", checks, " checks of its loaders on this device library hold\n", sep = "")
