library(testthat)
library(nmathdownstreamc)

test_check("nmathdownstreamc")
