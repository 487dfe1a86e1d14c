library(testthat)
library(nmathopencl)

test_check("nmathopencl")
