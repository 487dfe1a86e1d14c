library(testthat)
library({{package}})

test_check("{{package}}")
