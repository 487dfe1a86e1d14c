library(testthat)
library(nmathdownstream)

test_check("nmathdownstream")
