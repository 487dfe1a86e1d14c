# The host device compiles programs where R's C compiler is there; never under a check unless it is told to.
compiler_here <- function() nmathopencl:::host_compiles()
compilations <- function() nmathopencl:::host_compiler_cpp()$compilations

# Every device that builds programs from their text: OpenCL devices, and the host where there is a compiler.
all_compiling_devices <- function() c(if (compiler_here()) "0", opencl_test_devices())

# The same for one case among many of a test: OpenCL devices, which take longest to build, with its first case and each third after it.
compiling_devices <- local({
  case <- 0L
  function(restart = FALSE) {
    if (restart) return(case <<- 0L)
    case <<- case + 1L
    if (whole_tests() || case %% 3L == 1L || !compiler_here()) all_compiling_devices() else "0"
  }
})

skip_without_compiler <- function() if (!compiler_here()) testthat::skip("no C compiler for the host device")

# What compiles with R's own compilers takes its time: where tests are to count, or on request.
skip_unless_asked <- function() {
  asked <- "true" %in% tolower(Sys.getenv(c("CI", "NOT_CRAN")))
  if (!asked) testthat::skip("neither in continuous integration nor asked for (NOT_CRAN=true)")
}
