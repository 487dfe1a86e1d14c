# What R's operators make of attributes where vectors of one element have some, and what a reduction by groups gives where there is no group.

unoptimized_programs()

test_that("&& and || give no attributes, & and | those of their arguments", {
  t <- structure(TRUE, dim = c(1L, 1L), dimnames = list("r", NULL))
  named <- c(a = FALSE)
  for (f in list(function(x, y) x && y, function(x, y) x || y, function(x, y) x & y, function(x, y) x | y)) {
    for (values in list(list(t, TRUE), list(TRUE, t), list(named, FALSE), list(FALSE, named), list(t, t), list(NA, named))) {
      expect_identical(do.call(opencl_function(f), c(unname(values), device = "host")), do.call(f, unname(values)))
    }
  }
})

test_that("a sign before what is logical keeps its shape only", {
  logical <- structure(c(TRUE, NA, FALSE), note = "kept")
  for (x in list(logical, structure(logical, names = c("a", "b", "c")), structure(1:3, note = "kept"), structure(c(1, NA, 3), note = "kept"))) {
    for (f in list(function(x) -x, function(x) +x, function(x) 2 - -x, function(x) {
      y <- x & TRUE
      y - -x
    })) {
      expect_identical(opencl_function(f)(x, device = "host"), f(x))
    }
  }
})

test_that("a reduction over no group at all has its type", {
  for (op in names(nmathopencl:::reduction_table())) {
    for (na.rm in c(FALSE, TRUE)) {
      of <- function(v) suppressWarnings(opencl_function(function(x) x, reduce = op, na.rm = na.rm)(v, by = NA_integer_, device = "host"))
      expect_identical(typeof(of(1.5)), typeof(suppressWarnings(nmathopencl:::reduced_by_r(list(op = op), if (op %in% c("any", "all")) logical() else numeric()))), info = op)
      expect_identical(names(of(1.5)), character(), info = op)
    }
  }
})
