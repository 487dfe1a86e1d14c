# Series that are shorter than what is assigned to.

unoptimized_programs()

test_that("an element that is assigned behind the end of a short series lengthens it, as in R, in calls between long ones", {
  functions <- list(
    function(b, y) {
      z <- y * b
      z[2] <- b
      sum(z^2)
    },
    function(b, y) {
      z <- y * b
      z[3] <- b
      s <- 0
      for (t in seq_along(z)) s <- s * b + z[t]
      s
    },
    function(b, y) {
      z <- y * b
      z[length(z) - 1] <- b
      sum(z)
    }
  )
  y <- c(1, 2, 4, 3, 5, 0.5, 2)
  for (f in functions) for (device in compiling_devices()) {
    made <- opencl_function(f, reduce = "sum", gradient = "b")
    for (by in list(c(1L, 1L, 1L, 2L, 2L, 2L, 2L), c(1L, 1L, 1L, 1L, 1L, 2L, 2L), c(1L, 2L, 2L, 2L, 1L, 1L, 3L), c(1L, 2L, 1L, 2L, 2L, 1L, 1L))) {
      series <- split(y, by)
      ours <- tryCatch(made(0.7, y, by = by, device = device), nmathopencl_error = identity)
      if (inherits(ours, "error")) { # by more than one element
        expect_match(conditionMessage(ours), "beyond the end of `z`")
        expect_lt(min(lengths(series)), 2)
        next
      }
      expect_equal(c(ours), vapply(series, function(y) f(0.7, y), 0), tolerance = 1e-13, info = deparse1(body(f)))
      slopes <- vapply(series, function(y) differences(f, list(b = 0.7, y = y), "b"), 0)
      expect_equal(attr(ours, "gradient")[, "b"], slopes, tolerance = 1e-8, ignore_attr = TRUE)
    }
  }
})
