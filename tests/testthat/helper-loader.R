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
