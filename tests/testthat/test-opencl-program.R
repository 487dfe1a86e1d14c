# Whole programs that know what they consist of.

kernel_text <- c(
  "__kernel void mine(__global const double* x, __global double* out, const int len)", "{",
  "    const int i = get_global_id(0);", "    if (i < len) out[i] = dnorm(x[i], 0.0, 1.0, 0);", "}"
)

test_that("a program is the one that the loader assembles, with its files", {
  for (kernel in c("src/dgamma_kernel.cl", "src/sign_kernel.cl", "ex_glmbayes_src/f2_f3_binomial_probit.cl")) {
    program <- opencl_program(kernel)
    expect_s3_class(program, c("opencl_program", "character"), exact = TRUE)
    plain <- build_rmath_opencl_program(kernel)
    expect_identical(as.character(unclass(program)), plain)
    files <- attr(program, "files")
    lines <- strsplit(plain, "\n", fixed = TRUE)[[1L]]
    expect_identical(files$first - 1L, grep("^#line ", lines))
    expect_identical(files$last, c(files$first[-1L] - 2L, length(lines)))
    expect_identical(files$bytes, as.integer(file.size(cl_dir(files$file))))
    for (k in seq_len(nrow(files))) expect_identical(lines[files$first[k]:files$last[k]], readLines(cl_dir(files$file[k])))
    expect_identical(unique(files$layer), c("preload", if (any(grepl("^nmath/", files$file))) "library", "kernel"))
    expect_identical(files$layer == "library", dirname(files$file) == "nmath")
    expect_identical(attr(program, "kernels"), sub("[.]cl$", "", basename(kernel)))
  }
})

test_that("lines of a program are found in their files", {
  program <- opencl_program("src/dgamma_kernel.cl")
  files <- attr(program, "files")
  at <- opencl_program_line(program, c(files$last, files$first, files$first - 1L))
  n <- nrow(files)
  expect_identical(at$line, c(files$last, files$first, files$first - 1L))
  expect_identical(at$file, c(files$file, files$file, rep(NA, n)))
  expect_identical(at$file_line, c(files$last - files$first + 1L, rep(1L, n), rep(NA, n)))
  expect_identical(at$text[n + 1L], readLines(cl_dir(files$file[1L]), 1L))
  plain <- as.character(unclass(program))
  expect_identical(opencl_program_line(plain, 300), opencl_program_line(program, 300L))
  expect_identical(opencl_program_line("int a;\nint b;", 2), data.frame(
    line = 2L, file = NA_character_, file_line = NA_integer_, text = "int b;"
  ))
  for (bad in list(0, 1.5, NA, "1", 1e6, -1)) {
    expect_error(opencl_program_line(program, bad), "`line` must hold whole numbers from 1 to", class = "nmathopencl_error")
  }
  expect_identical(nrow(opencl_program_line(program, integer())), 0L)
})

test_that("printing shows layers, files, sizes and kernels", {
  program <- opencl_program("src/dnorm_kernel.cl")
  printed <- capture.output(expect_identical(print(program), program))
  expect_identical(printed, format(program))
  files <- attr(program, "files")
  expect_match(printed[1L], paste0("<OpenCL program: ", nrow(files), " files"), fixed = TRUE)
  expect_match(printed[2L], "src/dnorm_kernel.cl (package nmathopencl)", fixed = TRUE)
  expect_match(printed[3L], "kernels: dnorm_kernel", fixed = TRUE)
  expect_match(printed[4L], "preload .*OPENCL.cl, libR_shims, .*System$")
  expect_match(printed[5L], "library +4 file.* nmath$")
  for (k in seq_len(nrow(files))) {
    expect_match(printed, sprintf("^ +%d-%d .* %s$", files$first[k], files$last[k], files$file[k]), all = FALSE)
  }
})

test_that("a kernel anywhere gets what its tags name, else what it calls", {
  dir <- tempfile()
  dir.create(dir)
  path <- write_bytes(paste0(c("// @depends_nmath: dnorm", "", kernel_text, ""), collapse = "\n"), file.path(dir, "mine.cl"))
  tagged <- opencl_program(path, package = NULL)
  expect_identical(attr(tagged, "kernels"), "mine")
  expect_null(attr(tagged, "package"))
  needed <- paste0("nmath/", c("Rmath", "nmath", "dpq", "dnorm"), ".cl")
  expect_identical(utils::tail(attr(tagged, "files")$file, 5L), c(needed, "mine.cl"))
  untagged <- opencl_program(write_bytes(paste0(kernel_text, "\n", collapse = ""), path), package = NULL)
  expect_identical(attr(untagged, "files")$file, attr(tagged, "files")$file)
  # A name that no library provides is for the compiler to find.
  none <- opencl_program(write_bytes("__kernel void f(__global double* x) { *x = g(); }\n", path), package = NULL)
  expect_false("library" %in% attr(none, "files")$layer)
  for (device in compiling_devices()) {
    x <- c(-1, 0, 40)
    expect_equal(run_opencl_kernel(tagged, "mine", list(x), device = device), dnorm(x), tolerance = 1e-14)
  }
})

test_that("what a program cannot be made of is named", {
  expect_own_error <- function(object, text) expect_error(object, text, fixed = TRUE, class = "nmathopencl_error")
  expect_own_error(opencl_program("src/no.cl"), "File not found: inst/cl/src/no.cl")
  expect_own_error(opencl_program("src/dnorm_kernel.cl", "no.such.package"), "Package 'no.such.package' is not installed")
  expect_own_error(opencl_program(tempfile(), NULL), "File not found")
  expect_own_error(opencl_program(1), "`kernel` must be one non-empty string")
  expect_own_error(opencl_program("a", NA), "`package` must be one non-empty string")
  expect_own_error(opencl_program(make_kernel("// @depends_other: f", "int k;"), NULL), "inst/cl/other")
  expect_own_error(opencl_program(make_kernel("// @depends_nmath: nope", "int k;"), NULL), "'nope' is not in the index")
  expect_own_error(opencl_program(make_kernel("// @depends_nmath nope", "int k;"), NULL), ":1: @depends_nmath: ")
})

test_that("the layers and parts of libraries across packages are had by themselves", {
  preload <- load_program_preload()
  program <- build_rmath_opencl_program("src/dnorm_kernel.cl")
  expect_true(startsWith(program, preload))
  manifest <- read_program_preload_manifest()
  expect_identical(load_program_preload(manifest = manifest), preload)
  two <- load_program_preload(manifest = manifest[c(4L, 1L), ])
  marks <- grep("^#line", strsplit(two, "\n")[[1L]], value = TRUE)
  expect_identical(marks[1:2], c("#line 1 \"OPENCL.cl\"", "#line 1 \"R_shims/Rconfig.cl\""))
  expect_output(load_program_preload(verbose = TRUE), "Pass 1: emitting ")
  expect_own_error <- function(object, text) expect_error(object, text, fixed = TRUE, class = "nmathopencl_error")
  for (bad in list(1, data.frame(rank = 1), "x")) {
    expect_own_error(load_program_preload(manifest = bad), "`manifest` must be NULL or a data frame")
  }
  manifest$kind[2L] <- "folder"
  expect_own_error(load_program_preload(manifest = manifest), "manifest:3: kind 'folder' is neither")

  part <- load_library_for_kernel_cross_package("src/dnorm_kernel.cl", "nmathopencl", "nmath", "nmathopencl")
  same <- load_library_for_kernel(cl_dir("src/dnorm_kernel.cl"), cl_dir("nmath"), "all_depends_nmath")
  expect_identical(part, same)
  expect_own_error(
    load_library_for_kernel_cross_package("src/dnorm_kernel.cl", "nmathopencl", "no", "nmathopencl"),
    "File not found: inst/cl/no"
  )
})
