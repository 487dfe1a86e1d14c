# Whether there is a device or not, something real is tested: results where there is one, the error where there is none.
available <- nmathopencl::nmathopencl_opencl_fp64_available()

counts <- function() {
  expand.grid(x = c(0:5, 10, 50, 200), size = c(0.1, 0.5, 1, 2.5, 10, 50), mu = c(0.01, 0.7, 3, 20, 100))
}

test_that("densities are those of stats, or the error says why there are none", {
  grid <- counts()
  run <- function(log) nb_density(grid$x, grid$size, grid$mu, log = log)
  if (!available) {
    error <- tryCatch(run(TRUE), error = identity)
    expect_s3_class(error, c("nmathdownstream_error", "error", "condition"), exact = TRUE)
    expect_match(conditionMessage(error), "OpenCL")
    expect_gt(nchar(conditionMessage(error)), 60)
    return(invisible())
  }
  expected <- stats::dnbinom(grid$x, size = grid$size, mu = grid$mu, log = TRUE)
  expect_lt(max(abs(run(TRUE) - expected) / pmax(1, abs(expected))), 1e-12)
  expected <- stats::dnbinom(grid$x, size = grid$size, mu = grid$mu)
  expect_lt(max(abs(run(FALSE) - expected) / expected * (expected > 1e-300), na.rm = TRUE), 1e-10)
  common <- grid$x <= 50 & expected > 1e-3
  expect_lt(max(abs(run(FALSE) / expected - 1)[common]), 1e-12)
})

test_that("arguments are recycled and checked", {
  if (available) {
    x <- rep(0:9, 1e4)
    expect_equal(nb_density(x, 2, 3), stats::dnbinom(x, size = 2, mu = 3), tolerance = 1e-13)
  }
  expect_identical(nb_density(numeric(), 1, 1), numeric())
  expect_error(nb_density(-1, 1, 1), "`x` must be whole numbers")
  expect_error(nb_density(0.5, 1, 1), "`x` must be whole numbers")
  expect_error(nb_density(1, 0, 1), "`size` must be positive")
  expect_error(nb_density(1, 1, NA), "`mu` must be positive")
  expect_error(nb_density(1, 1, numeric()), "at least one element")
})

test_that("the program has its layers, its part of nmath and the kernel, in order", {
  program <- nb_program()
  expect_identical(
    program, nmathopencl::build_rmath_opencl_program("src/nb_density_kernel.cl", "nmathdownstream", "depends_nmath")
  )
  lines <- strsplit(program, "\n", fixed = TRUE)[[1]]
  parts <- sub("^#line 1 \"(.*)\"$", "\\1", grep("^#line 1 ", lines, value = TRUE))
  expect_identical(parts[1], "OPENCL.cl")
  expect_identical(parts[length(parts)], "src/nb_density_kernel.cl")
  expect_true(all(c("nmath/dpois.cl", "nmath/lgamma.cl", "nmath/pgamma_utils.cl") %in% parts))
  expect_false("nmath/qnorm.cl" %in% parts)
  for (called in c("dpois_raw", "lgammafn", "log1pmx")) {
    expect_lt(grep(paste0("^(NMATH_FN|NMATH_HEAVY|#define) .*\\b", called, "\\("), lines)[1],
              grep("^__kernel void nb_density_kernel", lines))
  }
  nmath <- system.file("cl", "nmath", package = "nmathopencl")
  kernel <- system.file("cl", "src", "nb_density_kernel.cl", package = "nmathdownstream")
  needed <- nmathopencl::load_library_for_kernel(kernel, nmath, "depends_nmath")
  expect_identical(grep("^nmath/", parts, value = TRUE), sprintf("nmath/%s.cl", attr(needed, "stems_loaded")))
  expect_identical(
    load_needed_cpp("src/nb_density_kernel.cl", "nmathdownstream", "depends_nmath"), unclass(needed)[1]
  )
})

test_that("a subset and derived tags of its own change nothing", {
  nmath <- system.file("cl", "nmath", package = "nmathopencl")
  kernel <- file.path(tempdir(), "nb_density_kernel.cl")
  file.copy(system.file("cl", "src", "nb_density_kernel.cl", package = "nmathdownstream"), kernel, overwrite = TRUE)
  own <- file.path(tempfile(), "own_nmath")
  dir.create(own, recursive = TRUE)
  rows <- nmathopencl::extract_library_subset(kernel, nmath, own, "depends_nmath")
  tagged <- nmathopencl::attach_cross_library_tags(kernel, nmath)
  expect_identical(tagged$all_depends_count, nrow(rows) - 2L)
  expect_identical(
    unclass(nmathopencl::load_library_for_kernel(kernel, own, "all_depends_nmath"))[1],
    unclass(nmathopencl::load_library_for_kernel(kernel, nmath, "depends_nmath"))[1]
  )
})
