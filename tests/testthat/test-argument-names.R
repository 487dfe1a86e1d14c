# Arguments may have the names of R's functions and of this package's own variables, and not be given: what calls them looks past them.

unoptimized_programs()

test_that("arguments named as functions, at points, from data, by default", {
  names <- c("c", "list", "quote", "missing", "environment", "is.null", "sys.call", "eval", "body_of", "frame", "expression", "ll", "curved", "call", "f", "values")
  for (name in names) {
    f <- as.function(c(stats::setNames(alist(x = , z = , s = 1), c("x", name, "s")), quote(x)))
    body(f) <- bquote(sum((x - .(as.symbol(name)))^2) * s)
    for (compiles in unique(c(FALSE, compiler_here() && name %in% c("c", "list")))) {
      withr_options(list(nmathopencl.compiler = compiles), environment())
      g <- opencl_function(f, gradient = name)
      value <- g(c(1, 2, 4), over = stats::setNames(list(c(0, 2)), name), device = "host")
      expect_identical(as.vector(value), c(21, 5), info = name)
      expect_identical(as.vector(attr(value, "gradient")), c(-14, -2), info = name)
      with_data <- opencl_function(f, data = stats::setNames(list(2), name))
      expect_identical(with_data(c(1, 2, 4), device = "host"), 5, info = name)
      objective <- as_objective(g, start = stats::setNames(list(0), name), data = list(x = c(1, 2, 4)), device = "host", negative = FALSE)
      expect_identical(c(objective$fn(2), objective$gr(2), objective$he(2)), c(5, -2, 6), info = name)
      asks <- f
      body(asks) <- bquote(if (missing(s)) .(as.symbol(name)) * x else s)
      expect_identical(do.call(opencl_function(asks), c(list(c(1, 2)), stats::setNames(list(3), name), device = "host")), c(3, 6), info = name)
    }
  }
})
