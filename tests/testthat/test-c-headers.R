# inst/include: the header for C calls everything that the interface declares, and both are plain C and C++.
include <- system.file("include", package = "nmathopencl")

test_that("nmathopencl_capi.h has a call for each function of nmathopencl.h", {
  names_in <- function(file, pattern) {
    text <- paste(readLines(file.path(include, file)), collapse = "\n")
    found <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]]
    sort(unique(sub(pattern, "\\1", found, perl = TRUE)))
  }
  declared <- names_in("nmathopencl.h", "(nmathopencl_\\w+)_fn\\(")
  expect_gt(length(declared), 20)
  called <- names_in("nmathopencl/nmathopencl_capi.h", "NMATHOPENCL_(?:GIVES\\([^,]+, |DOES\\()(nmathopencl_\\w+),")
  expect_identical(called, declared)
})

test_that("the headers for C compile as C99 and as C++, without warnings", {
  skip_unless_asked()
  settings <- c(C = "CC", `C++` = "CXX")
  for (language in names(settings)) {
    compiler <- system2(file.path(R.home("bin"), "R"), c("CMD", "config", settings[[language]]), stdout = TRUE)
    command <- strsplit(compiler, " ")[[1]]
    skip_if(!nzchar(Sys.which(command[1])), paste("no compiler for", language))
    skip_if_not(grepl("gcc|g\\+\\+|clang", compiler), "a compiler with other options:")
    file <- tempfile(fileext = if (language == "C") ".c" else ".cpp")
    writeLines(c(
      "#include <nmathopencl/nmathopencl_capi.h>", "int use(void);", "int use(void) { return nmathopencl_has_opencl(); }"
    ), file)
    flags <- c(
      if (language == "C") "-std=c99" else "-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
      "-isystem", shQuote(R.home("include")), "-I", shQuote(include)
    )
    output <- system2(command[1], c(command[-1], flags, shQuote(file)), stdout = TRUE, stderr = TRUE)
    expect_identical(c(output), character(), info = language)
  }
})
