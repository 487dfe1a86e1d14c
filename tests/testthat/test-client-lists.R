# Packages that build on this one name lists of files of their own: those lists, in the index's order behind the manifest's
# layers, are whole programs. tests/testthat/ref/client_lists.tsv has lists as they are named in the field.

client_lists <- function() {
  utils::read.delim(test_path("ref", "client_lists.tsv"), colClasses = "character", quote = "")
}

listed_stems <- function(row) trimws(strsplit(row$names_exactly_these_stems, ",", fixed = TRUE)[[1]])

# Layers, then just these files, and a kernel that calls what the client calls.
client_program <- function(stems, kernel) {
  layers <- utils::read.delim(
    system.file("cl", "program_preload_manifest.tsv", package = "nmathopencl"), colClasses = "character"
  )
  layers <- layers[order(as.integer(layers$rank)), ]
  index <- utils::read.delim(
    system.file("cl", "nmath", "kernel_dependency_index.tsv", package = "nmathopencl"), colClasses = "character", quote = ""
  )
  parts <- vapply(seq_len(nrow(layers)), function(k) {
    if (layers$kind[k] == "file") load_kernel_source(layers$rel_path[k]) else load_kernel_library(layers$rel_path[k])
  }, "")
  ordered <- index$stem[index$stem %in% stems]
  expect_setequal(ordered, stems)
  paste(c(parts, vapply(file.path("nmath", paste0(ordered, ".cl")), load_kernel_source, ""), kernel), collapse = "\n")
}

calls <- list(
  dbinom = list(
    text = "dbinom(a[i], b[i], c[i], 1)", a = c(0, 3, 7, 40, 900), b = c(10, 10, 7, 90, 1e4), c = c(0.2, 0.5, 0.99, 0.4, 0.1),
    value = function(a, b, c) stats::dbinom(a, b, c, TRUE)
  ),
  dgamma = list(
    text = "dgamma(a[i], b[i], c[i], 1)", a = c(0.1, 1, 5, 40, 900), b = c(0.3, 2, 7, 30, 1000), c = c(1, 2, 0.5, 1, 1),
    value = function(a, b, c) stats::dgamma(a, b, scale = c, log = TRUE)
  ),
  dnorm = list(
    text = "dnorm(a[i], b[i], c[i], 1)", a = c(-40, -1, 0, 2, 30), b = c(0, 1, 0, 0.5, 1), c = c(1, 2, 1, 0.1, 3),
    value = function(a, b, c) stats::dnorm(a, b, c, TRUE)
  ),
  pnorm = list(
    text = "pnorm(a[i], b[i], c[i], 1, 1)", a = c(-40, -1, 0, 2, 30), b = c(0, 1, 0, 0.5, 1), c = c(1, 2, 1, 0.1, 3),
    value = function(a, b, c) stats::pnorm(a, b, c, log.p = TRUE)
  )
)

test_that("programs of the lists that clients name compute", {
  lists <- client_lists()
  expect_gt(nrow(lists), 0)
  for (device in opencl_test_devices()) for (k in seq_len(nrow(lists))) {
    for (name in trimws(strsplit(lists$calls[k], ",", fixed = TRUE)[[1]])) {
      call <- calls[[name]]
      kernel <- sprintf(
        "__kernel void client(__global const double* a, __global const double* b, __global const double* c,
                              __global double* out, const int len) {
           int i = get_global_id(0);
           if (i < len) out[i] = %s;
         }", call$text
      )
      program <- client_program(listed_stems(lists[k, ]), kernel)
      value <- run_opencl_kernel(program, "client", list(call$a, call$b, call$c), device = device)
      expect_equal(value, call$value(call$a, call$b, call$c), tolerance = 1e-13, info = paste(lists$kernel[k], name))
    }
  }
})
