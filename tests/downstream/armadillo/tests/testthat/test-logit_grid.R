problem <- function() {
  set.seed(3)
  x <- cbind(1, rnorm(40), rnorm(40))
  wt <- rep(c(1, 2, 5, 10), 10)
  list(
    b = t(as.matrix(expand.grid(-1:1, c(-0.5, 0.5), 0:2))), y = rbinom(40, wt, 0.4) / wt, x = x, mu = c(0, 0.5, 0),
    P = diag(3) / 4 + 0.1, alpha = rnorm(40), wt = wt
  )
}

by_r <- function(b, y, x, mu, P, alpha, wt) {
  eta <- alpha + x %*% b
  away <- b - mu
  qf <- colSums(away * (P %*% away)) / 2 - colSums(dbinom(round(y * wt), wt, plogis(eta), log = TRUE))
  list(qf = unname(qf), grad = unname(t(P %*% away - t(x) %*% (y * wt - wt * plogis(eta)))))
}

test_that("values and gradients are R's, or zeros where the package was built without OpenCL", {
  p <- problem()
  if (has_opencl() && nmathopencl::nmathopencl_opencl_fp64_available()) {
    expect_equal(do.call(logit_grid, p), do.call(by_r, p), tolerance = 1e-12)
  } else if (has_opencl()) {
    expect_error(do.call(logit_grid, p), "OpenCL", class = "nmathopencl_error")
  } else {
    expect_output(zeros <- do.call(logit_grid, p), "built without OpenCL")
    expect_identical(zeros, list(qf = numeric(18), grad = matrix(0, 18, 3)))
  }
})

test_that("matrices of Armadillo go both ways", {
  x <- matrix(1:6 + 0.5, 2)
  found <- conversions_cpp(x, x)
  expect_identical(found$same, c(x))
  expect_identical(found$matrix, c(x))
  expect_identical(found$column, x[, 2])
  expect_identical(found$row, x[2, ])
  expect_identical(found$sum, c(x) + 1)
  expect_identical(found$view, matrix(c(100, x[-1]), 3))
  expect_error(wrong_view_cpp(c(1, 2, 3)), "3 numbers are no matrix of 2 x 2", class = "nmathopencl_error")
})

test_that("another header's functions of the same names come first, in whichever order the headers are included", {
  for (found in list(beside_before_cpp(), beside_after_cpp())) {
    expect_identical(found$qualified, "other/OPENCL.cl")
    expect_identical(found$unqualified, "other/OPENCL.cl")
    expect_identical(found$library, "other/System")
    expect_identical(found$needed, "needed")
    expect_identical(found$cross, "cross")
    expect_identical(found$flat, 1)
    expect_identical(found$copy, 2)
    expect_true(found$has)
    expect_identical(found$ours, nmathopencl::load_kernel_source("OPENCL.cl"))
    expect_identical(found$ours_has, nmathopencl::nmathopencl_has_opencl())
    expect_identical(found$alone, nmathopencl::build_rmath_opencl_program("src/dnorm_kernel.cl"))
  }
})
