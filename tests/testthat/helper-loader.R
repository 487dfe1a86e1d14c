# What the tests of the loader share: libraries and kernels made on the spot.

# A fresh library folder. Each argument is the text of one file: `a = c("// @depends:", "", "int a;")`.
make_library <- function(..., name = "lib") {
  dir <- file.path(tempfile("cl"), name)
  dir.create(dir, recursive = TRUE)
  files <- list(...)
  for (stem in names(files)) {
    write_bytes(paste0(files[[stem]], "\n", collapse = ""), file.path(dir, paste0(stem, ".cl")))
  }
  dir
}

write_bytes <- function(text, path) {
  out <- file(path, "wb")
  on.exit(close(out))
  writeBin(charToRaw(text), out)
  path
}

read_bytes <- function(path) rawToChar(readBin(path, "raw", file.size(path)))

make_kernel <- function(...) write_bytes(paste0(c(...), "\n", collapse = ""), tempfile("kernel_", fileext = ".cl"))

# c needs b needs a; Z stands alone and comes first in byte order.
abc <- function(name = "lib") {
  make_library(
    c = c("// @depends: b", "int c;"), b = c("// @depends: a", "int b;"), a = c("// @depends:", "int a;"),
    Z = c("int Z;"), name = name
  )
}

index_of <- function(dir) write_kernel_dependency_index(dir, verbose = FALSE)

cl_dir <- function(...) system.file("cl", ..., package = "nmathopencl", mustWork = TRUE)

# What tag tools tell, without class and diff.
table_of <- function(rows) {
  rows <- as.data.frame(unclass(rows), stringsAsFactors = FALSE)
  rows[names(rows) != "diff"]
}

# What the files of a folder hold, by name; the same in every locale.
folder_bytes <- function(dir) {
  paths <- sort(list.files(dir, full.names = TRUE, recursive = TRUE), method = "radix")
  stats::setNames(unname(tools::md5sum(paths)), basename(paths))
}

# Runs the code in C and, where the system has it, in en_US.UTF-8.
in_each_locale <- function(code) {
  old <- Sys.getlocale("LC_ALL")
  on.exit(suppressWarnings(Sys.setlocale("LC_ALL", old)))
  expression <- substitute(code)
  caller <- parent.frame()
  tried <- 0L
  for (locale in c("C", "en_US.UTF-8")) {
    if (!nzchar(suppressWarnings(Sys.setlocale("LC_COLLATE", locale)))) next
    suppressWarnings(Sys.setlocale("LC_CTYPE", locale))
    eval(expression, caller)
    tried <- tried + 1L
  }
  invisible(tried)
}
