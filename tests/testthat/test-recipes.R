# Programs assembled by hand from the loaders, as package authors are told to: written out here as a reader would write them,
# built and run on each device that builds programs from their text.

recipe_kernels <- sort(list.files(cl_dir("ex_glmbayes_src"), "[.]cl$"), method = "radix")

recipe_problem <- function(file) {
  row <- match(sub("[.]cl$", "", file), glm_table()$kernel)
  set.seed(60)
  random_glm_problem(glm_table()$family[row], glm_table()$link[row], 30, 4, 12)
}

# The kernel's own arguments, without an engine: X, B, mu, P, alpha, y, wt, qf, grad, l1, l2, m1.
expect_program_computes <- function(program, file, device, label = "") {
  given <- recipe_problem(file)
  l1 <- nrow(given$x)
  l2 <- ncol(given$x)
  m1 <- ncol(given$b)
  columns <- list(
    X = given$x, B = given$b, mu = given$mu, P = given$P, alpha = given$alpha, y = given$y, wt = given$wt,
    l1 = l1, l2 = l2, m1 = m1
  )
  out <- list(qf = m1, grad = m1 * l2)
  got <- run_opencl_kernel(program, sub("[.]cl$", "", file), columns, n = m1, out = out, device = device)
  got$grad <- matrix(got$grad, m1, l2)
  expect_ran_on(device)
  error <- glm_relative_error(got, do.call(plain_f2_f3, given))
  expect(max(error) < 1e-12, paste(label, file, "on", device_name(device), "is off by", max(error)))
}

layers_by_hand <- function() {
  paste0(
    load_kernel_source("OPENCL.cl"),
    "\n", load_kernel_library("libR_shims", "nmathopencl", FALSE),
    "\n", load_kernel_library("R_ext_types", "nmathopencl", FALSE),
    "\n", load_kernel_library("R_shims", "nmathopencl", FALSE),
    "\n", load_kernel_library("R_ext_runtime", "nmathopencl", FALSE),
    "\n", load_kernel_library("R_ext_internals", "nmathopencl", FALSE),
    "\n", load_kernel_library("System", "nmathopencl", FALSE)
  )
}

# What a program has in the end, however it was put together.
code_of <- function(program) {
  lines <- strsplit(as.character(unclass(program)), "\n", fixed = TRUE)[[1L]]
  lines[nzchar(lines) & !startsWith(lines, "#line ")]
}

test_that("the layered program by hand computes for every family", {
  for (file in recipe_kernels) {
    kernel_file <- file.path("ex_glmbayes_src", file)
    all_src <- paste0(
      layers_by_hand(),
      "\n", load_library_for_kernel(
        system.file("cl", kernel_file, package = "nmathopencl"),
        system.file("cl", "ex_glmbayes_nmath", package = "nmathopencl"), "all_depends_nmath"
      ),
      "\n", load_kernel_source(kernel_file)
    )
    for (device in compiling_devices()) expect_program_computes(all_src, file, device, "by hand:")
    # The same code is what the loader assembles, and what the other ways to the layers and to nmath's part give.
    expect_identical(code_of(build_rmath_opencl_program(kernel_file)), code_of(all_src))
    expect_identical(code_of(opencl_program(kernel_file)), code_of(all_src))
    expect_identical(code_of(paste0(
      load_program_preload(), load_library_for_kernel_cross_package(kernel_file, "nmathopencl", "nmath", "nmathopencl"),
      load_kernel_source(kernel_file)
    )), code_of(all_src))
  }
})

test_that("programs with the part of nmath that an index gives compute", {
  nmath_dir <- system.file("cl", "nmath", package = "nmathopencl")
  idx <- readRDS(file.path(nmath_dir, "kernel_dependency_index.rds"))
  src_gaussian <- load_library_for_kernel(
    kernel_path = system.file("cl", "ex_glmbayes_src", "f2_f3_gaussian.cl", package = "nmathopencl"),
    library_dir = nmath_dir,
    depends_tag = "depends_nmath",
    index = idx
  )
  src_gamma <- load_library_for_kernel(
    kernel_path = system.file("cl", "ex_glmbayes_src", "f2_f3_gamma.cl", package = "nmathopencl"),
    library_dir = nmath_dir,
    depends_tag = "depends_nmath",
    index = idx
  )
  programs <- list(f2_f3_gaussian.cl = src_gaussian, f2_f3_gamma.cl = src_gamma)
  for (file in names(programs)) {
    program <- paste(layers_by_hand(), programs[[file]], load_kernel_source(file.path("ex_glmbayes_src", file)), sep = "\n")
    for (device in compiling_devices()) expect_program_computes(program, file, device, "by index:")
  }
})

test_that("an extracted subset serves the six kernels", {
  nmath_dir <- system.file("cl", "nmath", package = "nmathopencl")
  src_dir <- system.file("cl", "ex_glmbayes_src", package = "nmathopencl")
  dest_dir <- tempfile("mypkg_nmath")
  dir.create(dest_dir)
  idx <- readRDS(file.path(nmath_dir, "kernel_dependency_index.rds"))
  result <- extract_library_subset(
    kernel_paths = list.files(src_dir, pattern = "\\.cl$", full.names = TRUE),
    library_dir = nmath_dir,
    dest_dir = dest_dir,
    depends_tag = "depends_nmath",
    index = idx
  )
  expect_true(all(result$copied))
  expect_setequal(basename(result$dest), list.files(dest_dir))
  for (file in recipe_kernels) {
    kernel <- file.path(src_dir, file)
    from_subset <- load_library_for_kernel(kernel, dest_dir, "all_depends_nmath")
    expect_identical(code_of(from_subset), code_of(load_library_for_kernel(kernel, nmath_dir, "depends_nmath", idx)))
  }
  program <- paste(
    layers_by_hand(), load_library_for_kernel(file.path(src_dir, "f2_f3_poisson.cl"), dest_dir, "depends_nmath"),
    load_kernel_source("ex_glmbayes_src/f2_f3_poisson.cl"), sep = "\n"
  )
  for (device in compiling_devices()) expect_program_computes(program, "f2_f3_poisson.cl", device, "extracted subset:")
})

test_that("whole libraries serve a kernel as well", {
  nmath_glm <- load_kernel_library("ex_glmbayes_nmath", package = "nmathopencl")
  my_kernel <- load_kernel_source("ex_glmbayes_src/f2_f3_binomial_logit.cl", package = "nmathopencl")
  nmath_src <- load_kernel_library("nmath", package = "nmathopencl")
  kernel_src <- load_kernel_source("src/dnorm_kernel.cl", package = "nmathopencl")
  for (device in compiling_devices()) {
    program <- paste(layers_by_hand(), nmath_glm, my_kernel, sep = "\n")
    expect_program_computes(program, "f2_f3_binomial_logit.cl", device, "whole subset:")
    program <- paste(load_program_preload(), nmath_src, kernel_src, sep = "\n")
    x <- c(-40, -1, 0, 2, 30)
    got <- run_opencl_kernel(program, "dnorm_kernel", list(x, rep(1, 5), rep(2, 5), rep(1L, 5)), device = device)
    expect_equal(got, dnorm(x, 1, 2, TRUE), tolerance = 1e-14)
  }
})

test_that("nmath without its layers says which call brings them", {
  nmath_src <- load_kernel_library("nmath", package = "nmathopencl")
  kernel_src <- load_kernel_source("src/dnorm_kernel.cl", package = "nmathopencl")
  program <- paste(nmath_src, kernel_src, sep = "\n")
  part <- load_library_for_kernel(cl_dir("src/dnorm_kernel.cl"), cl_dir("nmath"), "all_depends_nmath")
  for (text in list(program, paste(part, kernel_src, sep = "\n"))) {
    for (device in compiling_devices()) {
      expect_error(
        run_opencl_kernel(text, "dnorm_kernel", list(1, 0, 1, 0L), device = device),
        "nmath needs its layers before it: load_program_preload() brings them, opencl_program()", fixed = TRUE,
        class = "nmathopencl_error"
      )
    }
  }
})

test_that("every part of nmath begins with the file that looks for the layers", {
  index <- readRDS(cl_dir("nmath", "kernel_dependency_index.rds"))
  expect_identical(index$stems_ordered[1L], "Rmath")
  without <- Filter(function(stem) !"Rmath" %in% c(stem, index$all_depends[[stem]]), index$stems_ordered)
  code <- function(stem) grep("^(//|$)", readLines(cl_dir("nmath", paste0(stem, ".cl"))), value = TRUE, invert = TRUE)
  expect_length(unlist(lapply(without, code)), 0L)
})

test_that("a direct tag that a kernel lacks brings nothing", {
  needed <- c("Rmath", "nmath", "dpq", "dnorm")
  kernel <- make_kernel(paste("// @all_depends_nmath:", toString(needed)), "")
  part <- function(kernel, tag) load_library_for_kernel(kernel, cl_dir("nmath"), tag)
  expect_identical(as.character(unclass(part(kernel, "depends_nmath"))), "")
  expect_identical(attr(part(kernel, "all_depends_nmath"), "stems_loaded"), needed)
  direct <- make_kernel("// @depends_nmath: dnorm", "")
  expect_identical(attr(part(direct, "all_depends_nmath"), "stems_loaded"), needed)
  expect_error(
    extract_library_subset(kernel, cl_dir("nmath"), tempdir(), "depends_nmath"),
    "None of the kernels has a tag @depends_nmath", class = "nmathopencl_error"
  )
})
