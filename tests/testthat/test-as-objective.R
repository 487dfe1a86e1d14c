# Objectives of optimizers: which number is which.

unoptimized_programs()

test_that("parameters and columns with the names of `start` are taken by name, or are an error", {
  f <- opencl_function(function(x, mean, sd) sum(dnorm(x, mean, sd, log = TRUE)), gradient = c("mean", "sd"), data = list(x = c(1, 2, 4)))
  objective <- as_objective(f, start = c(mean = 0, sd = 1), device = "host")
  P <- cbind(sd = c(2, 3), mean = c(1, -1))
  expect_identical(as.vector(objective$over(P)), as.vector(objective$over(unname(P[, 2:1]))))
  expect_identical(as.vector(objective$over(as.data.frame(P))), as.vector(objective$over(unname(P[, 2:1]))))
  expect_identical(objective$fn(c(sd = 2, mean = 1)), objective$fn(c(1, 2)))
  expect_identical(objective$gr(c(sd = 2, mean = 1)), objective$gr(c(1, 2)))
  expect_identical(objective$fn(c(a = 1, b = 2)), objective$fn(c(1, 2)))
  expect_error(objective$fn(c(mean = 1, s = 2)), "names of `par` are not those of `start`, `mean`, `sd`", class = "nmathopencl_error", fixed = TRUE)
  expect_error(objective$over(cbind(mean = 1, s = 2)), "names of `P`", class = "nmathopencl_error", fixed = TRUE)
  whole <- as_objective(
    opencl_function(function(x, par) sum(dnorm(x, par["m"], exp(par["s"]), log = TRUE)), gradient = "par", data = list(x = c(1, 2, 4))),
    start = list(par = c(m = 0, s = 0)), device = "host"
  )
  expect_identical(whole$fn(c(s = 0.3, m = 1)), whole$fn(c(1, 0.3)))
  expect_identical(as.vector(whole$over(cbind(s = 0.3, m = 1))), whole$fn(c(1, 0.3)))
  expect_identical(whole$fn(c(par.s = 0.3, par.m = 1)), whole$fn(c(1, 0.3)))
})
