# Second derivatives against differences of our own gradients, which other tests compare with R.

# By Richardson's extrapolation of central differences: a column for each number of `at`.
difference_columns <- function(f, at, steps = 4L) {
  vapply(seq_along(at), function(k) {
    h <- 0.02 * max(abs(at[k]), 0.1) / 2^seq(0L, steps - 1L)
    slope <- lapply(h, function(h) (f(replace(at, k, at[k] + h)) - f(replace(at, k, at[k] - h))) / (2 * h))
    for (j in seq_len(steps - 1L)) slope <- Map(function(fine, coarse) (4^j * fine - coarse) / (4^j - 1), slope[-1L], slope[-length(slope)])
    slope[[1L]]
  }, f(at))
}

# The gradient of `f` in the arguments `names`, and its differences; `...`: for opencl_function().
gradient_and_differences <- function(f, values, names, device = "0", ...) {
  slopes <- opencl_function(f, gradient = names, ...)
  sizes <- lengths(values[names])
  at <- function(par) {
    parts <- split(par, factor(rep(names, sizes), levels = names))
    values[names] <- Map(function(new, old) stats::setNames(new, base::names(old)), parts, values[names])
    unname(attr(do.call(slopes, c(values, device = device)), "gradient"))
  }
  here <- unlist(values[names], use.names = FALSE)
  list(gradient = at(here), differences = difference_columns(at, here))
}

# How far the Hessian of `f` is from differences, of its largest element.
hessian_error <- function(f, values, names, device = "0", ..., known = gradient_and_differences(f, values, names, device, ...),
                          compiled = opencl_function(f, gradient = names, hessian = TRUE, ...)) {
  value <- do.call(compiled, c(values, device = device))
  for (turn in 1:2) testthat::expect_identical(do.call(compiled, c(values, device = device)), value) # a known call
  testthat::expect_equal(unname(attr(value, "gradient")), known$gradient, tolerance = 1e-10)
  ours <- as.matrix(attr(value, "hessian"))
  known <- known$differences
  dim(known) <- dim(ours)
  if (!identical(is.nan(ours), is.nan(known)) && anyNA(ours)) return(NaN)
  max(abs(ours - known)) / max(abs(known), 1e-3)
}

# The differences are those of the first device: each one's own gradient, which comes with its Hessian, is compared as well.
expect_hessian <- function(f, values, names, tolerance = 1e-7, ...) {
  known <- NULL
  compiled <- opencl_function(f, gradient = names, hessian = TRUE, ...)
  on_each_device(function(device) {
    if (is.null(known)) known <<- gradient_and_differences(f, values, names, device, ...)
    testthat::expect_lt(hessian_error(f, values, names, device, ..., known = known, compiled = compiled), tolerance)
  })
}
