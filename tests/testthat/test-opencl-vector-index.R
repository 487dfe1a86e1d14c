# x[i] where i is a resident vector: what R gives, and it stays.

expect_picked <- function(x, i, device) {
  there <- opencl_vector(x, device)[opencl_vector(i, device)]
  expect_s3_class(there, "opencl_vector")
  expect_identical(resident_device(there), device_name(device))
  expect_identical(length(there), length(x[i]))
  expect_identical(there[], x[i])
}

test_that("a resident subscript picks what R's picks", {
  set.seed(1)
  long <- rnorm(5000)
  as_one(for (device in test_devices()) {
    for (x in list(long, as.integer(long * 100), long > 0, c(long[1:700], NA, NaN, Inf))) {
      n <- length(x)
      expect_picked(x, as.vector(long[seq_len(n)] > 0.5), device)
      expect_picked(x, rep(c(TRUE, NA, FALSE), length.out = n), device)
      expect_picked(x, rep(FALSE, n), device)
      expect_picked(x, rep(TRUE, n), device)
      expect_picked(x, sample.int(n, 300, replace = TRUE), device)
      expect_picked(x, c(n, 1, 2.9, n + 0.5), device)
      expect_picked(x, c(1L, n + 1L, n), device)
      expect_picked(x, c(1, NA, 3), device)
      expect_picked(x, c(3L, NA, n + 7L), device)
      expect_picked(x, -(1:10), device)
      expect_picked(x, c(0, 2, 0), device)
      expect_picked(x, c(TRUE, FALSE), device) # recycled
      expect_picked(x, rep(TRUE, n + 3), device)
      expect_picked(x, integer(), device)
      expect_picked(x, logical(), device)
      expect_picked(x, 2, device)
    }
    expect_picked(c(a = 1, b = 2, c = 3), c(TRUE, NA, TRUE), device)
    expect_picked(numeric(), logical(), device)
    expect_picked(numeric(), c(1, 2), device)
    expect_picked(5, TRUE, device)
    m <- matrix(as.double(1:6), 2)
    expect_picked(m, as.vector(m > 2), device)
    expect_picked(m, m > 2, device)
    expect_picked(m, cbind(c(1, 2), c(3, 1)), device)
    there <- opencl_vector(m, device)
    expect_identical(there[opencl_vector(2L, device), ], m[2, ])
    expect_identical(there[, opencl_vector(c(FALSE, TRUE, TRUE), device)], m[, 2:3])
    expect_identical(there[[opencl_vector(2L, device)]], 2)
    v <- opencl_vector(long, device)
    expect_identical(as.vector(v[v > 1]), long[long > 1])
    expect_error(v[opencl_vector(c(-1, 1), device)], "subscripts")
  })
})

test_that("a subscript on another device is refused", {
  skip_if(length(opencl_test_devices()) == 0)
  expect_error(opencl_vector(c(1, 2), "host")[opencl_vector(1L, opencl_test_devices()[1])], "different devices")
})
