# The values of the kernel are those of the same functions on nmathopencl's host device. Without an OpenCL device there is
# an error, which says so.

test_that("{{name}}() computes {{title}}, or says why not", {
{{values}}
  if (!nmathopencl::nmathopencl_opencl_fp64_available()) {
    expect_error({{name}}({{arguments}}), "OpenCL")
  } else {
    expected <- {{expected}}
    expect_equal({{name}}({{arguments}}), expected, tolerance = 1e-12)
    expect_equal({{name}}({{arguments}}, device = "opencl"), expected, tolerance = 1e-12)
  }
})

test_that("{{name}}() looks at its arguments", {
  expect_identical({{name}}({{empty}}), numeric())
  expect_error({{name}}({{text}}), "must be numeric")
{{values}}
  expect_error({{name}}({{arguments}}, device = "no such device"), class = "nmathopencl_error")
})
