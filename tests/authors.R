# The tests of what authors of kernels use: the checks of .cl files, their tags, graphs, templates. They use helpers of tests/testthat.
library(testthat)
library(nmathopencl)

test_dir("authors", package = "nmathopencl", load_package = "installed", reporter = "check", stop_on_failure = TRUE)
