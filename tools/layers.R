# layers -- checks that no file of src/ includes one of a layer above its own, that the includes inside a folder have no circles
# and that files of R/ share no name; and draws the layers.
#
#   Rscript tools/layers.R [DIR]      names each include of DIR/src (here: of this checkout) that runs the wrong way and each
#                                     circle, and exits with 1 if there is one
#   Rscript tools/layers.R --draw     prints the drawing that CONTRIBUTING.md shows
#
# `allowed` is the one table of directions: what the files of a folder may include besides their own. device/ is an interface:
# of its files one, registration.cpp, knows those who implement it, and nobody else does.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
argv <- commandArgs(TRUE)
root <- setdiff(argv, "--draw")
if (length(root)) setwd(root[1]) else if (length(script) == 1L) setwd(file.path(dirname(script), ".."))

allowed <- list(
  base = character(),
  loader = "base",
  authors = c("loader", "base"),
  pair = c("loader", "base"),
  expression = "base",
  device = c("pair", "loader", "base"),
  host = c("device", "loader", "base"),
  opencl = c("device", "loader", "base"),
  engine = c("expression", "device", "loader", "base"),
  glm = c("engine", "device", "loader", "base"),
  rules = c("device", "base"),
  src = c("rules", "glm", "engine", "authors", "expression", "device", "loader", "base")
)
# Generated: each file includes the sources of one folder, which are compiled as one.
units <- "units"
exceptions <- list("src/device/registration.cpp" = c("host", "opencl"))

drawing <- c(
  "    src/*_wrappers  r_boundary  c_api       R's door: the only place that knows R",
  "              |             |",
  "          rules/    glm/ engine/  authors/  what R adds to values | GLM grids | elementwise, draws, fused | checks of .cl files",
  "              |             |",
  "              +-- device/ --+               Device  Buffer  Program  Launch  Queue  bundles; selection; functions",
  "              |      ^      |",
  "              |   host/  opencl/            kinds of devices: registration.cpp alone includes them",
  "              |             |",
  "     expression/         loader/ <- pair/   R functions as kernels | tags  index  program text  signatures | doubles as pairs",
  "              |             |",
  "              +--- base/ ---+               errors  interrupts  reports  threads  files  columns"
)

sources <- list.files("src", "\\.(h|c|cpp)$", recursive = TRUE, full.names = TRUE)
sources <- sources[basename(dirname(sources)) != units]

# The includes of one file, as folder and whether it may be included.
wrong_includes <- function(file) {
  lines <- readLines(file, warn = FALSE)
  found <- grep("^\\s*#\\s*include\\s+\"", lines)
  named <- sub("^\\s*#\\s*include\\s+\"([^\"]+)\".*", "\\1", lines[found])
  inside <- file.exists(file.path("src", named)) & !startsWith(named, "../")
  layer <- if (dirname(file) == "src") "src" else basename(dirname(file))
  target <- ifelse(grepl("/", named), dirname(named), "src")
  good <- !inside | target %in% c(layer, allowed[[layer]], exceptions[[file]])
  sprintf("%s:%d: %s may not include %s", file, found[!good], layer, named[!good])
}

# A module is a header with the source file of its name. `graph`: by module, those that it includes. The sets of modules that reach
# one another, as text.
circles <- function(graph) {
  reached <- function(from) {
    seen <- character()
    rest <- graph[[from]]
    while (length(rest)) {
      seen <- c(seen, rest)
      rest <- setdiff(unlist(graph[rest], use.names = FALSE), seen)
    }
    seen
  }
  all <- lapply(stats::setNames(nm = names(graph)), reached)
  turning <- Filter(function(module) module %in% all[[module]], names(graph))
  unique(vapply(turning, function(module) {
    paste(sort(Filter(function(other) module %in% all[[other]], intersect(turning, all[[module]])), method = "radix"), collapse = ", ")
  }, ""))
}
module_of <- function(file) sub("\\.(h|c|cpp)$", "", file)
included <- function(file) {
  lines <- grep("^\\s*#\\s*include\\s+\"", readLines(file, warn = FALSE), value = TRUE)
  named <- sub("^\\s*#\\s*include\\s+\"([^\"]+)\".*", "\\1", lines)
  setdiff(module_of(named[file.exists(file.path("src", named))]), module_of(sub("^src/", "", file)))
}
included_circles <- function() {
  files <- split(sources, module_of(sub("^src/", "", sources)))
  sprintf("src: includes of %s go in a circle", circles(lapply(files, function(own) unique(unlist(lapply(own, included))))))
}
if ("--draw" %in% argv) {
  writeLines(drawing)
  quit(status = 0)
}
unknown <- setdiff(list.dirs("src", full.names = FALSE, recursive = FALSE), c(names(allowed), units))
# R has one name for all files of a package: of two functions of a name the later one is silently the only one.
assigned <- function(file) {
  made <- Filter(function(expr) is.call(expr) && identical(expr[[1L]], quote(`<-`)) && is.symbol(expr[[2L]]), as.list(parse(file, keep.source = FALSE)))
  vapply(made, function(expr) as.character(expr[[2L]]), "")
}
twice <- unlist(lapply(list.files("R", "\\.R$", full.names = TRUE), assigned))
twice <- unique(twice[duplicated(twice)])
wrong <- c(
  sprintf("src/%s: no layer of this name in tools/layers.R", unknown), unlist(lapply(sources, wrong_includes)), included_circles(),
  sprintf("R: %s is assigned more than once", twice)
)
if (length(wrong)) {
  writeLines(wrong)
  quit(status = 1)
}
message("layers.R: no include of ", length(sources), " files runs up, and none go in a circle")
