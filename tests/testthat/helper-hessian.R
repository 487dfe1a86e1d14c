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
hessian_error <- function(f, values, names, device = "0", ..., known = gradient_and_differences(f, values, names, device, ...)) {
  value <- do.call(opencl_function(f, gradient = names, hessian = TRUE, ...), c(values, device = device))
  testthat::expect_equal(unname(attr(value, "gradient")), known$gradient, tolerance = 1e-10)
  ours <- attr(value, "hessian")
  known <- known$differences
  dim(known) <- dim(ours)
  if (!identical(is.nan(ours), is.nan(known)) && anyNA(ours)) return(NaN)
  max(abs(ours - known)) / max(abs(known), 1e-3)
}

# The differences are those of the first device: each one's own gradient, which comes with its Hessian, is compared as well.
expect_hessian <- function(f, values, names, tolerance = 1e-7, ...) {
  known <- NULL
  on_each_device(function(device) {
    if (is.null(known)) known <<- gradient_and_differences(f, values, names, device, ...)
    testthat::expect_lt(hessian_error(f, values, names, device, ..., known = known), tolerance)
  })
}

# The Hessian of a random likelihood (helper-torture-likelihoods.R) beside differences of two sizes: list(judged, error, text). What
# has kinks near by is judged where the two agree; "refused" where there is no second derivative.
random_hessian <- function(case, device) {
  torture_seed("hessians", case)
  w <- list(columns = sample(3L, 1L), slices = TRUE, products = chance(0.8), matrices = chance(0.5))
  f <- torture_used(as.function(c(torture_likelihood_formals, torture_likelihood_body(w)), envir = globalenv()))
  values <- torture_likelihood_values(sample(c(3L, 5L, 12L), 1L), sample(c(2L, 3L), 1L), w$columns, "integer", 0)[names(formals(f))]
  names <- intersect(c("par", "u", "s", "y"), names(values))
  none <- list(judged = 0L, error = 0, text = deparse(f))
  here <- tryCatch(suppressWarnings(do.call(f, values)), error = function(e) NULL)
  if (length(names) == 0L || length(here) != 1L || !is.finite(here)) return(none)
  made <- tryCatch(opencl_function(f, gradient = names, hessian = TRUE), nmathopencl_error = identity)
  ours <- if (is.function(made)) tryCatch(suppressWarnings(do.call(made, c(values, device = device))), nmathopencl_error = identity) else made
  if (inherits(ours, "error")) return(c(none, refused = conditionMessage(ours)))
  slopes <- opencl_function(f, gradient = names)
  sizes <- lengths(values[names])
  at <- function(par) {
    parts <- split(par, factor(rep(names, sizes), levels = names))
    values[names] <- Map(function(new, old) stats::setNames(new, base::names(old)), parts, values[names])
    as.vector(attr(suppressWarnings(do.call(slopes, c(values, device = device))), "gradient"))
  }
  found <- lapply(3:4, function(steps) difference_columns(at, unlist(values[names], use.names = FALSE), steps))
  size <- max(1e-3, abs(found[[2L]][is.finite(found[[2L]])]))
  judged <- which(abs(found[[1L]] - found[[2L]]) < 1e-6 * size)
  list(judged = length(judged), error = max(0, abs(as.vector(attr(ours, "hessian"))[judged] - found[[2L]][judged])) / size, text = deparse(f))
}
