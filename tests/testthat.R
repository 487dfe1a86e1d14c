library(testthat)
library(nmathopencl)

results <- test_check("nmathopencl")

# The seconds of each test file, slowest first, where a file is named for them.
if (nzchar(Sys.getenv("NMATHOPENCL_TEST_TIMES"))) {
  seconds <- sort(tapply(as.data.frame(results)$real, as.data.frame(results)$file, sum), decreasing = TRUE)
  writeLines(sprintf("%s\t%.1f", names(seconds), seconds), Sys.getenv("NMATHOPENCL_TEST_TIMES"))
}
