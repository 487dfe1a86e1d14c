# One function called several times, with other lengths, types and values, as R alone calls it.

# `calls`: lists of arguments; `gradient`: names of arguments in which slopes are compared with differences, and second derivatives where `hessian` is TRUE.
# `...`: of opencl_function(). On the host, compiled and not, and on OpenCL devices if `everywhere`.
expect_called_as_r <- function(f, calls, gradient = NULL, hessian = FALSE, everywhere = FALSE, tolerance = 1e-12, info = deparse1(f), ...) {
  on <- c(list(list("0", TRUE), list("0", FALSE)), if (everywhere) lapply(opencl_test_devices(), list, TRUE))
  calls <- lapply(calls, function(values) if (is.null(names(values))) stats::setNames(values, names(formals(f))[seq_along(values)]) else values)
  known <- lapply(calls, function(values) with_conditions(do.call(f, values)))
  derived <- list()
  ours <- opencl_function(f, ...)
  slopes <- if (!is.null(gradient)) opencl_function(f, gradient = gradient, hessian = hessian, ...)
  for (where in on) {
    old <- options(nmathopencl.compiler = if (where[[2L]]) getOption("nmathopencl.compiler") else FALSE)
    for (k in seq_along(calls)) {
      said <- paste0(info, ", call ", k, " on ", where[[1L]], if (!where[[2L]]) ", not compiled")
      values <- calls[[k]]
      r <- known[[k]]
      own <- with_conditions(do.call(ours, c(values, device = where[[1L]])))
      testthat::expect_equal(own$value, r$value, tolerance = tolerance, info = said)
      testthat::expect_identical(typeof(own$value), typeof(r$value), info = said)
      testthat::expect_setequal(own$warnings, r$warnings)
      if (is.null(slopes) || length(r$value) != 1L || !is.finite(r$value)) next
      found <- suppressWarnings(do.call(slopes, c(values, device = where[[1L]])))
      testthat::expect_equal(as.vector(found), as.vector(r$value), tolerance = tolerance, info = said)
      if (length(derived) < k || is.null(derived[[k]])) derived[[k]] <- differences(function(...) as.vector(f(...)), values, gradient)
      testthat::expect_equal(unname(attr(found, "gradient")), derived[[k]], tolerance = 1e-7, info = said)
    }
    if (hessian) testthat::expect_lt(hessian_error(f, values, gradient, device = where[[1L]]), 1e-6)
    options(old)
  }
}
