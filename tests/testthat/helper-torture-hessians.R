# Hessians of random functions of one number: symmetric, and as differences of the gradient are.

# list(f, values, names, op): a function whose value, or sum, has second derivatives.
hessian_case <- function(state) {
  n <- sample(c(3L, 5L, 12L), 1L)
  switch(sample(c("likelihood", "recursion", "smooth"), 1L, prob = c(5, 3, 4)),
    likelihood = {
      w <- list(columns = sample(3L, 1L), slices = TRUE, products = chance(0.8), matrices = chance(0.5), taken = chance(0.2))
      f <- as.function(c(torture_likelihood_formals, torture_likelihood_body(w)), envir = globalenv())
      list(f = f, values = torture_likelihood_values(n, sample(c(2L, 3L), 1L), w$columns, "integer", 0), names = c("par", "u", "s", "y"))
    },
    recursion = {
      w <- list(lags = chance(0.5), vector = chance(0.4), writes = chance(0.5), leaves = chance(0.2), table = chance(0.25))
      list(f = as.function(c(torture_recursion_formals, torture_recursion_body(w)), envir = globalenv()), values = torture_recursion_values(max(n, 5L), FALSE),
           names = c("par", "s"))
    },
    smooth = list(
      f = as.function(c(torture_smooth_formals, torture_body(new_writer(TRUE, state$smooth_library, state$rules), 2L)), envir = state$home),
      values = torture_smooth_values(n, sample(3L, 1L), FALSE), names = c("a", "c", "b"), op = sample(c("sum", "mean"), 1L)
    )
  )
}

torture_hessian <- function(case, device, state) {
  torture_seed("hessians", case)
  drawn <- hessian_case(state)
  f <- torture_used(drawn$f)
  values <- drawn$values[names(formals(f))]
  names <- intersect(drawn$names, names(values))
  one <- hessian_by_differences(f, values, names, torture_device(device), device, drawn$op)
  found <- if (!is.null(one$class)) {
    made <- paste0("opencl_function(f, ", if (!is.null(drawn$op)) sprintf("reduce = \"%s\", ", drawn$op), "gradient = ", torture_text(names), ", hessian = TRUE)")
    torture_finding("hessians", case, one$class, c(torture_code(f, list(values), device, made), one$reported))
  }
  list(found = found, judged = one$judged, elements = one$elements)
}

# list(judged, elements, class, told, error, refused): elements are judged where differences of two sizes agree, as kinks are near by.
# What has no second derivative is refused by its name, and is no finding.
hessian_by_differences <- function(f, values, names, device, on = device, op = NULL) {
  none <- list(judged = 0L, elements = 0L, error = 0)
  value_of <- function(...) if (is.null(op)) f(...) else match.fun(op)(f(...))
  here <- tryCatch(suppressWarnings(do.call(value_of, values)), error = function(e) NULL)
  if (length(names) == 0L || length(here) != 1L || !is.finite(here)) return(none)
  outcome <- function(code) torture_outcome(suppressWarnings(torture_on(on, code)))
  slopes <- outcome(nmathopencl::opencl_function(f, reduce = op, gradient = names))
  first <- if (torture_failed(slopes)) slopes else outcome(do.call(slopes$value, c(values, device = device)))
  made <- outcome(nmathopencl::opencl_function(f, reduce = op, gradient = names, hessian = TRUE))
  ours <- if (torture_failed(made)) made else outcome(do.call(made$value, c(values, device = device)))
  if (torture_failed(first)) return(none) # the rules of gradients say more
  if (torture_failed(ours)) {
    refused <- ours$value[[1L]]
    known <- grepl("second derivative|prod\\(\\)|up to 64", refused)
    return(c(none, list(refused = refused, class = if (!known) "refused", reported = paste("#", torture_shown(ours)))))
  }
  hessian <- if (is.array(attr(ours$value, "hessian"))) attr(ours$value, "hessian") else as.matrix(attr(ours$value, "hessian")) # an arrowhead matrix
  gradient <- attr(first$value, "gradient")
  elements <- length(hessian)
  reported <- paste("# ours:", torture_shown(list(value = as.vector(hessian))))
  differs <- function(class, reported) list(judged = 0L, elements = elements, error = Inf, class = class, reported = reported)
  if (!identical(dim(hessian), rep(length(gradient), 2L))) return(differs("dimensions", reported))
  if (!same_bits(hessian, t(hessian))) return(differs("not symmetric", reported))
  close <- function(a, b) isTRUE(all.equal(as.vector(a), as.vector(b), tolerance = 1e-10))
  if (!close(bare_number(ours$value), bare_number(first$value))) return(differs("value", c(reported, paste("# without:", torture_shown(first)))))
  if (!close(attr(ours$value, "gradient"), gradient)) return(differs("gradient", c(reported, paste("# without:", torture_text(gradient)))))
  sizes <- lengths(values[names])
  at <- function(par) {
    parts <- split(par, factor(rep(names, sizes), levels = names))
    values[names] <- Map(function(new, old) stats::setNames(new, base::names(old)), parts, values[names])
    as.vector(attr(suppressWarnings(torture_on(on, do.call(slopes$value, c(values, device = device)))), "gradient"))
  }
  found <- lapply(3:4, function(steps) difference_columns(at, unlist(values[names], use.names = FALSE), steps))
  size <- max(1e-3, abs(found[[2L]][is.finite(found[[2L]])]))
  judged <- which(abs(found[[1L]] - found[[2L]]) < 1e-6 * size)
  apart <- abs(as.vector(hessian)[judged] - found[[2L]][judged]) / size
  error <- if (anyNA(apart)) NaN else max(0, apart)
  wrong <- is.na(error) || error > 1e-5
  list(judged = length(judged), elements = elements, error = error, class = if (wrong) c("hessian", if (is.na(error)) "missing" else "value"),
       reported = c(reported, paste("# differences:", torture_text(as.vector(found[[2L]])))))
}

bare_number <- function(x) {
  attr(x, "gradient") <- attr(x, "hessian") <- NULL
  as.double(x)
}
