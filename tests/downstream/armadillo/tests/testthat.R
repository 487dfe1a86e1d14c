library(testthat)
library(nmathdownstreamarma)

test_check("nmathdownstreamarma")
