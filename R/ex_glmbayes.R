#' GLM log-posterior and gradient over a grid of coefficients
#'
#' Evaluates the negative log-posterior of a generalized linear model with a normal prior, and its gradient, at every
#' column of a grid of coefficient vectors. It is the package's worked example of kernels built on the device library.
#'
#' With \eqn{\eta = X b + \alpha}{eta = x b + alpha}, \code{qf} is
#' \eqn{\frac12 (b-\mu)^\top P (b-\mu) - \sum_i \ell_i(\eta_i)}{(b - mu)'P(b - mu)/2 - sum of l_i(eta_i)} with all
#' constants, and \code{grad} its derivative with respect to \eqn{b}. The log-likelihood \eqn{\ell_i}{l_i} of an observation
#' is formed on the scale of the linear predictor and so stays finite and accurate where probabilities round to 0
#' or 1. An observation with \code{wt = 0} contributes nothing.
#'
#' The kernels documented for each family (\code{inst/cl/ex_glmbayes_src}) compute one grid point per work-item. The
#' function itself runs kernels made of the same family's functions, by device: on GPUs observations pass through local
#' memory while coefficients and gradient stay in registers, and are divided among work-groups where the grid is small;
#' NVIDIA GPUs of compute capability 8 and up form both matrix products on their matrix units (up to 64 coefficients);
#' on CPUs and on the host device several grid points share a vector register. Programs for GPUs are built for the
#' number of coefficients, once per process each. Results differ between these in the last digits.
#'
#' \code{b}, \code{x}, \code{y}, \code{wt} and \code{alpha} may be resident on a device (\code{\link{opencl_vector}},
#' \code{\link{opencl_matrix}}), which is then where the call runs: they are checked there, and do not travel.
#'
#' @param family,link names of the family and link, as listed below.
#' @param b numeric matrix, \code{l2} coefficients by \code{m1} grid points.
#' @param y numeric vector of \code{l1} responses: success proportions in 0..1 (binomial), counts (poisson), positive
#'   values (Gamma), any (gaussian).
#' @param x numeric design matrix, \code{l1} by \code{l2}.
#' @param mu numeric vector or one-column matrix of \code{l2} prior means.
#' @param P numeric prior precision matrix, \code{l2} by \code{l2}.
#' @param alpha numeric vector of \code{l1} offsets.
#' @param wt numeric vector of \code{l1} weights, not negative: numbers of trials (binomial), see above.
#' @param progbar a number or flag; other than 0 it asks for a progress bar.
#' @param device where to compute: \code{"auto"} (the option \code{nmathopencl.device} or the environment variable
#'   \code{NMATHOPENCL_DEVICE} if set, else a GPU with double precision, else \code{"host"}), \code{"opencl"},
#'   \code{"gpu"}, \code{"cpu"}, \code{"host"}, an index of \code{\link{opencl_devices}} or a unique part of a device's
#'   name; several of these, \code{c(1, 2)}, or \code{"all"} share the grid, see \code{\link{many_devices}}.
#' @param fallback what to do without an OpenCL device, or when it fails: \code{"zeros"} (default) returns zeros and
#'   warns (class \code{nmathopencl_no_device}) if no OpenCL device exists and none was named, and is otherwise an error; \code{"host"} computes on the
#'   host device; \code{"error"} stops.
#' @param verbose if \code{TRUE}, says which device ran, what was built and how long it took.
#' @return A list with \code{qf}, \code{m1} values, and \code{grad}, an \code{m1} by \code{l2} matrix.
#' @section Errors:
#' Wrong dimensions, an unknown family or link, missing values, negative weights and responses outside the family's
#' range are errors that name the argument. A device that fails is an error of class \code{nmathopencl_error}.
#' @seealso \code{\link{build_rmath_opencl_program}} for the program a kernel becomes.
#' @examples
#' set.seed(1)
#' x <- cbind(1, rnorm(50))
#' y <- rbinom(50, 1, plogis(x %*% c(-0.5, 1)))
#' b <- t(as.matrix(expand.grid(seq(-1, 0, 0.5), seq(0, 2, 0.5))))
#' fit <- f2_f3_opencl("binomial", "logit", b, y, x, mu = c(0, 0), P = diag(2), alpha = rep(0, 50),
#'   wt = rep(1, 50), device = "host")
#' b[, which.min(fit$qf)]
#' @export
f2_f3_opencl <- function(family, link, b, y, x, mu, P, alpha, wt, progbar = 0, device = "auto",
                         fallback = c("zeros", "host", "error"), verbose = FALSE) {
  fallback <- if (missing(fallback)) "zeros" else match.arg(fallback)
  check_name(family, "family")
  check_name(link, "link")
  plain <- glm_is_plain_cpp(b, y, x, mu, P, alpha, wt)
  problem <- if (plain) {
    plain_glm_problem(family, b, y, x, mu, P, alpha, wt)
  } else {
    check_glm_problem(family, b, y, x, from_device(mu), from_device(P), alpha, wt)
  }
  call <- sys.call()
  device <- resolve_devices(device)
  residents <- if (!plain) Filter(is_resident, problem)
  if (length(residents) > 0L) device <- device_of_residents(residents, call)
  if (identical(device, "auto") && !any_opencl_device_cpp()) {
    if (fallback == "error") {
      raise_core_error(list(
        message = "no OpenCL device is available", step = "", status = "",
        hint = "use device = \"host\" or fallback = \"host\"", device = "", build_log = ""
      ), call)
    }
    if (fallback == "zeros") {
      from_core(find_glm_kernel_cpp(family, link))
      m1 <- ncol(problem$b)
      runner_report_cpp() # older than this call
      state$last_run <- no_run("f2_f3", m1)
      warning(structure(
        class = c("nmathopencl_no_device", "warning", "condition"),
        list(message = "OpenCL not available -- returning zeros.", call = call)
      ))
      return(list(qf = numeric(m1), grad = matrix(0, m1, nrow(problem$b))))
    }
    device <- "host"
  }
  run <- function(device) run_glm_blocks(family, link, problem, device, isTRUE(progbar != 0), plain)
  result <- run(device)
  if (!is.null(result$error)) {
    if (fallback != "host" || identical(device, "host")) raise_core_error(result$error, call)
    warning(simpleWarning(
      paste0("the OpenCL device failed, repeated on the host device: ", result$error$message), call
    ))
    result <- run("host")
    if (!is.null(result$error)) raise_core_error(result$error, call)
  }
  # A NaN in `b` makes the prior term, and so `qf`, NaN. Checking `qf` is cheaper than checking a large `b`.
  if (plain && !all_finite_cpp(result$value$qf)) check_finite(b, "b")
  finish_call(result, verbose, call)
}

# What is small comes back.
from_device <- function(x) if (is_resident(x)) resident_whole(x) else x

check_name <- function(value, what) {
  if (!is.character(value) || length(value) != 1 || is.na(value)) {
    argument_error("`", what, "` must be one string")
  }
}

check_finite <- function(value, what) {
  if (!all_finite_cpp(value)) argument_error("`", what, "` has ", if (anyNA(value)) "missing" else "infinite", " values")
}

# What check_glm_problem() makes of arguments in which glm_is_plain_cpp() has found nothing wrong.
plain_glm_problem <- function(family, b, y, x, mu, P, alpha, wt) {
  check_glm_values(family, y, wt)
  if (!is.double(y)) y <- as.double(y)
  list(b = b, x = x, P = P, mu = mu, y = y, alpha = alpha, wt = wt)
}

# Plain double vectors and matrices of matching sizes, or an error naming the argument and both sizes.
check_glm_problem <- function(family, b, y, x, mu, P, alpha, wt) {
  number <- function(value, what) {
    if (is_resident(value)) return(resident_number(value, what))
    if (!is.numeric(value) || is.factor(value)) argument_error("`", what, "` must be numeric")
    check_finite(value, what)
    if (!is.double(value)) storage.mode(value) <- "double" # of doubles even this would make a copy
    value
  }
  matrix_of <- function(value, what) {
    if (!is.matrix(value)) argument_error("`", what, "` must be a matrix")
    number(value, what)
  }
  size <- function(value, what, needed, like) {
    if (length(value) != needed) {
      argument_error("`", what, "` has length ", length(value), ", but ", like, " asks for ", needed)
    }
    if (is_resident(value)) value else as.vector(value)
  }
  x <- matrix_of(x, "x")
  l1 <- nrow(x)
  l2 <- ncol(x)
  if (l1 == 0 || l2 == 0) argument_error("`x` is ", l1, " x ", l2, ": it needs a row and a column")
  b <- matrix_of(b, "b")
  if (nrow(b) != l2) argument_error("`b` has ", nrow(b), " rows, but `x` has ", l2, " columns")
  P <- matrix_of(P, "P")
  if (!identical(dim(P), c(l2, l2))) {
    argument_error("`P` is ", nrow(P), " x ", ncol(P), ", but `x` has ", l2, " columns")
  }
  rows <- paste0("`x` with ", l1, " rows")
  problem <- list(
    b = b, x = x, P = P,
    mu = size(number(mu, "mu"), "mu", l2, paste0("`x` with ", l2, " columns")),
    y = size(number(y, "y"), "y", l1, rows),
    alpha = size(number(alpha, "alpha"), "alpha", l1, rows),
    wt = size(number(wt, "wt"), "wt", l1, rows)
  )
  check_glm_values(family, problem$y, problem$wt)
  problem
}

# Finite doubles on their device.
resident_number <- function(value, what) {
  if (!resident_function(quote(is.finite(x)), FALSE, "all")(value)) {
    argument_error("`", what, "` has ", if (anyNA(value)) "missing" else "infinite", " values")
  }
  if (resident_fields(value)$type == "double") return(value)
  resident_function(quote(as.double(x)), FALSE)(value)
}

# What the family's rows of inst/spec/glm.tsv ask of y and wt; an unknown family is the kernel's to refuse.
check_glm_values <- function(family, y, wt) {
  for (row in glm_families) {
    if (row$family != family) next
    if (!all(row$wt(wt))) argument_error("`wt` ", row$wt_error)
    if (!all(row$y(y))) argument_error("`y` must ", row$y_error, " for the ", family, " family")
    return(invisible())
  }
  if (any(wt < 0)) argument_error("`wt` has negative weights")
}

# The whole grid at once, or in blocks of grid points when a progress bar is wanted. `here`: all of it lies in R's memory.
run_glm_blocks <- function(family, link, problem, device, progress, here) {
  at <- if (here) problem else lapply(problem, pointer_or_vector)
  one <- function(grid) {
    sizes <- as.integer(c(dim(problem$x), ncol(grid)))
    at_b <- if (here) grid else pointer_or_vector(grid)
    from_core(f2_f3_cpp(family, link, at_b, at$y, at$x, at$mu, at$P, at$alpha, at$wt, sizes, device))
  }
  m1 <- ncol(problem$b)
  if (!progress || m1 < 2 || is_resident(problem$b)) return(one(problem$b))
  blocks <- split(seq_len(m1), (seq_len(m1) - 1L) %/% ceiling(m1 / 20))
  bar <- cli::cli_progress_bar("f2_f3_opencl", total = m1)
  qf <- numeric(m1)
  grad <- matrix(0, m1, nrow(problem$b))
  report <- NULL
  for (block in blocks) {
    result <- one(problem$b[, block, drop = FALSE])
    if (!is.null(result$error)) return(result)
    qf[block] <- result$value$qf
    grad[block, ] <- result$value$grad
    report <- add_reports(report, result$report)
    cli::cli_progress_update(inc = length(block), id = bar)
  }
  cli::cli_progress_done(id = bar)
  list(value = list(qf = qf, grad = grad), report = report)
}

add_reports <- function(sum, report) {
  if (is.null(sum)) return(report)
  counted <- c("elements", "chunks", "built", "cache_hits", "build", "transfer", "compute", "total")
  for (field in counted) sum[[field]] <- sum[[field]] + report[[field]]
  alike <- identical(sum$shares$index, report$shares$index)
  for (field in c("elements", "seconds")) {
    if (alike && !is.null(sum$shares)) sum$shares[[field]] <- sum$shares[[field]] + report$shares[[field]]
  }
  if (!alike) sum$shares <- NULL
  sum
}
