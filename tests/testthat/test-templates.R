# use_opencl_configure() and use_nmath_kernel(): what they write, and that it can be built.

# The folder of an empty package in a fresh place.
bare_package <- function(name = "templated", ...) {
  path <- file.path(tempfile("package"), name)
  dir.create(path, recursive = TRUE)
  writeLines(c(
    paste("Package:", name), "Version: 0.1", "Title: Kernels of its Own", "Description: A package.", "License: GPL (>= 2)",
    "Authors@R: person('A', 'B', role = c('aut', 'cre'), email = 'a@example.org')", ...
  ), file.path(path, "DESCRIPTION"))
  path
}

quietly <- function(code) suppressMessages(code)

# Name and bytes of every file.
contents <- function(path) {
  files <- list.files(path, recursive = TRUE, all.files = TRUE)
  stats::setNames(lapply(file.path(path, files), read_bytes), files)
}

test_that("everything that a package needs is written, and nothing is written twice", {
  path <- bare_package()
  done <- quietly(rbind(use_opencl_configure(path), use_nmath_kernel(path, "mixed", c("dgamma", "bessel_j_ex", "qbeta"))))
  expect_setequal(
    list.files(path, recursive = TRUE),
    unique(c(
      done$file, "configure", "configure.win", "cleanup", "tools/find_opencl.sh", "src/Makevars.in", "src/has_opencl.cpp",
      "R/has_opencl.R", "man/has_opencl.Rd", "inst/cl/src/mixed.cl", "src/mixed.cpp", "R/mixed.R", "man/mixed.Rd",
      "tests/testthat.R", "tests/testthat/test-mixed.R"
    ))
  )
  before <- contents(path)
  again <- quietly(rbind(use_opencl_configure(path), use_nmath_kernel(path, "mixed", "dnorm")))
  expect_identical(contents(path), before)
  expect_setequal(again$done[!startsWith(basename(again$file), "RcppExports")], "left alone")
  expect_message(use_nmath_kernel(path, "mixed", "dnorm"), "R/mixed.R is there: left alone")
})

test_that("no place of a template is left open, and R, Rd and shell can be read", {
  path <- bare_package("dotted.name")
  quietly(use_opencl_configure(path))
  quietly(use_nmath_kernel(path, "all_kinds", c("pnorm", "besselI", "r_pow_di")))
  for (file in setdiff(names(contents(path)), "NAMESPACE")) {
    expect_false(grepl("{{", gsub("${{", "", contents(path)[[file]], fixed = TRUE), fixed = TRUE), info = file)
  }
  for (file in list.files(path, "[.]R$", recursive = TRUE, full.names = TRUE)) expect_silent(parse(file))
  for (file in list.files(path, "[.]Rd$", recursive = TRUE, full.names = TRUE)) {
    expect_identical(length(tools::checkRd(file)), 0L, info = file)
  }
  expect_match(contents(path)$configure, "${DOTTED_NAME_OPENCL:-auto}", fixed = TRUE)
  if (.Platform$OS.type == "unix") {
    for (file in c("configure", "cleanup", "tools/find_opencl.sh")) {
      expect_identical(system2("sh", c("-n", shQuote(file.path(path, file)))), 0L)
    }
    expect_identical(file.access(file.path(path, c("configure", "cleanup")), 1), c(0L, 0L), ignore_attr = TRUE)
  }
})

test_that("the kernel is one that the devices build, and its tags are up to date", {
  path <- bare_package()
  quietly(use_nmath_kernel(path, "mixed", c("dgamma", "bessel_j_ex", "pnorm", "imax2")))
  file <- file.path(path, "inst", "cl", "src", "mixed.cl")
  expect_false(attach_cross_library_tags(file, cl_dir("nmath"), dry_run = TRUE)$changed)
  x <- c(0.5, 1, 2.5)
  for (device in compiling_devices()) {
    arguments <- list(x, 2, 1.5, 0.5, x, 0, 2, 7)
    value <- run_opencl_kernel(paste(readLines(file), collapse = "\n"), "mixed_kernel", arguments, device = device)
    expect_equal(value, dgamma(x, 2, scale = 1.5) + besselJ(x, 0.5) + pnorm(x, 0, 2) + 7, tolerance = 1e-13)
  }
})

test_that("DESCRIPTION and NAMESPACE gain what they lack and keep what they have", {
  path <- bare_package("templated", "Imports: cli,", "    Rcpp (>= 1.0.0)", "LinkingTo: Rcpp", "Encoding: UTF-8")
  namespace <- c("# by hand", "useDynLib(templated)", "export(other)")
  writeLines(namespace, file.path(path, "NAMESPACE"))
  quietly(use_nmath_kernel(path, "mixed", "dnorm"))
  fields <- read.dcf(file.path(path, "DESCRIPTION"))
  words <- function(field) trimws(strsplit(fields[1, field], ",")[[1]])
  expect_identical(words("Imports"), c("cli", "Rcpp (>= 1.0.0)", "nmathopencl"))
  expect_identical(words("LinkingTo"), c("Rcpp", "nmathopencl"))
  expect_identical(words("Suggests"), "testthat")
  expect_identical(unname(fields[1, "Encoding"]), "UTF-8")
  lines <- readLines(file.path(path, "NAMESPACE"))
  expect_identical(lines[1:3], namespace)
  expect_identical(lines[-(1:3)], c(
    "importFrom(Rcpp,evalCpp)", "importFrom(nmathopencl,nmathopencl_opencl_fp64_available)", "export(mixed)"
  ))
})

test_that("what would lose something, or cannot be, is an error before anything is written", {
  path <- bare_package()
  dir.create(file.path(path, "src"))
  writeLines("PKG_LIBS = -lmine", file.path(path, "src", "Makevars"))
  before <- contents(path)
  expect_error(use_opencl_configure(path), "configure would write over", class = "nmathopencl_error")
  expect_error(use_opencl_configure(dirname(path)), "there is no package at", class = "nmathopencl_error")
  expect_error(use_nmath_kernel(path, "dnorm", "dnorm"), "a name of C that no function of nmath has", class = "nmathopencl_error")
  expect_error(use_nmath_kernel(path, "two words", "dnorm"), "must be a name of C", class = "nmathopencl_error")
  expect_error(use_nmath_kernel(path, "mixed", "dnorms"), "'dnorms', which is no function", class = "nmathopencl_error")
  expect_error(use_nmath_kernel(path, "mixed", c("dnorm", "rnorm")), "'rnorm', which draws", class = "nmathopencl_error")
  expect_error(use_nmath_kernel(path, "mixed", character()), "must be different names", class = "nmathopencl_error")
  expect_identical(contents(path), before)
})

test_that("an own Makevars.in is kept, and what it lacks is said", {
  path <- bare_package()
  dir.create(file.path(path, "src"))
  writeLines("PKG_LIBS = -lmine @OPENCL_LIBS@", file.path(path, "src", "Makevars.in"))
  expect_message(use_opencl_configure(path), "src/Makevars.in lacks @OPENCL_CPPFLAGS@", fixed = TRUE)
  expect_identical(readLines(file.path(path, "src", "Makevars.in")), "PKG_LIBS = -lmine @OPENCL_LIBS@")
})

test_that("the package can be built, and its own tests pass", {
  skip_unless_asked()
  skip_if(nchar(Sys.which("make")) == 0, "no make")
  path <- bare_package()
  quietly(use_opencl_configure(path))
  quietly(use_nmath_kernel(path, "mixed", c("dgamma", "pnorm")))
  library <- tempfile("library")
  dir.create(library)
  settings <- tempfile()
  writeLines(sprintf("%sFLAGS = -O0", c("CXX", "CXX11", "CXX14", "CXX17")), settings)
  log <- tempfile()
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  status <- system2(
    file.path(R.home("bin"), "R"),
    c("CMD", "INSTALL", "--no-docs", "--no-test-load", paste0("--library=", shQuote(library)), shQuote(path)),
    stdout = log, stderr = log,
    env = c(paste0("R_MAKEVARS_USER=", shQuote(settings)), "MAKEFLAGS=-j2", paste0("R_LIBS=", shQuote(libraries)), "R_TESTS=")
  )
  expect_identical(status, 0L, info = paste(readLines(log), collapse = "\n"))
  said <- grep("^templated: ", readLines(log), value = TRUE)
  expect_match(said, "OpenCL found|building without OpenCL")
  tests <- file.path(path, "tests", "testthat")
  code <- bquote({
    .libPaths(c(.(library), .libPaths()))
    found <- as.data.frame(testthat::test_dir(
      .(tests), package = "templated", load_package = "installed", reporter = "silent", stop_on_failure = FALSE
    ))
    has <- getExportedValue("templated", "has_opencl")()
    list(failed = sum(found$failed) + sum(found$error), passed = sum(found$nb), has = has)
  })
  result <- eval(bquote(in_child(.(code), timeout = 120)))
  expect_identical(result$failed, 0L)
  expect_gte(result$passed, 3)
  expect_identical(result$has, grepl("OpenCL found", said))
})
