# What stands in a branch of ifelse() that no element takes: R does not compute it, so `if (NA)` and stop() in it are no errors.

unoptimized_programs()

test_that("conditions and errors in branches are those of R", {
  forms <- list(
    function(x, s) ifelse(x > 0, if (s > 0) x else -x, 0),
    function(x, s) sum(ifelse(x > 0, if (s > 0) x else -x, 0)),
    function(x, s) {
      y <- ifelse(x > 2, x * 2, ifelse(x < 0, if (s > 0) 1 else 2, 3))
      y + 1
    },
    function(x, s) ifelse(x > 3, stop("beyond three"), x + s),
    function(x, s) mean(ifelse(x > 3, {
      if (s < 0) stop("negative") else x
    }, x + 1)),
    function(x, s) ifelse(s > 0 & !is.na(s), x, if (s < 0) -x else x)
  )
  for (f in forms) for (x in list(c(1, 2.5), c(-1, -2), c(4, -1, NA), 5)) for (s in c(1, -1, NA)) {
    rs <- outcome_of(f(x, s))
    on_each_device(function(device) {
      g <- opencl_function(f)
      for (turn in 1:2) {
        ours <- outcome_of(g(x, s, device = device))
        reported <- paste(deparse1(f), deparse1(x), s, device)
        if (is.character(rs$value) && startsWith(rs$value, "error:")) {
          expect_match(ours$value, "^error:", info = reported)
        } else {
          expect_equal(ours$value, rs$value, tolerance = 1e-12, info = reported)
        }
      }
    })
  }
})

test_that("with reductions, groups and resident vectors, too; a gradient is refused", {
  f <- function(x, s) ifelse(x > 0, if (s > 0) x else -x, 0)
  x <- c(-1, -2, -3)
  summed <- opencl_function(f, reduce = "sum")
  on_each_device(function(device) {
    expect_identical(summed(x, NA_real_, device = device), 0)
    expect_identical(summed(x, NA_real_, by = c(1L, 2L, 2L), device = device), c("1" = 0, "2" = 0))
    expect_identical(summed(-x, 1, device = device), 6)
    stays <- opencl_function(f)(opencl_vector(x, device), NA_real_)
    expect_s3_class(stays, "opencl_vector")
    expect_identical(as.vector(stays), c(0, 0, 0))
    expect_error(opencl_function(f, reduce = "sum", gradient = "x")(x, NA_real_, device = device), "missing value where TRUE/FALSE needed", class = "nmathopencl_error")
  })
})
