# Branches of ifelse() with functions that may warn, at many points: all points are computed at once but those that something is to
# be said of, and values and warnings are those of single calls, and of R.

unoptimized_programs()

branch_data <- function(n) {
  list(
    x = round(stats::rnorm(n), 3), t = round(stats::rweibull(n, 1.5, 2), 3) + 0.001, k = stats::rpois(n, 2), d = stats::rbinom(n, 1, 0.6),
    e = stats::runif(n) < 0.5
  )
}

# a: around 0, b and c: positive as a rule, w: a number for each row.
branch_points <- function(m, n, wild) {
  points <- list(a = round(stats::rnorm(m, 0, 0.3), 3), b = round(stats::runif(m, 0.5, 2), 3), c = round(stats::runif(m, 0.5, 2), 3))
  if (wild) for (name in names(points)) points[[name]][sample(m, 2L)] <- sample(c(-1, -0.5, NA, NaN, 0), 2L)
  points
}

branch_of_ifelse <- function(depth) {
  one <- function(...) sample(list(...), 1L)[[1L]]
  value <- one(
    quote(log(x)), quote(log(x - a)), quote(sqrt(a * x)), quote(dnorm(x, a, b, log = TRUE)), quote(dpois(k, b, log = TRUE)), quote(dpois(t, b)),
    quote(plogis(x, a, c, log.p = TRUE)), quote(gamma(b)), quote(dweibull(t, b, c, log = TRUE)), quote(dexp(t, b, log = TRUE)),
    quote(pweibull(t, b, c, lower.tail = FALSE, log.p = TRUE)), quote(log1p(a * t)), quote(a * x), 0, quote(log(b)), quote(lgamma(k - b)), quote(dbinom(k, 9, plogis(a)))
  )
  if (depth == 0L) return(value)
  test <- one(quote(d == 1), quote(x > 0), quote(x > a), quote(e), quote(k > 3), quote(x > 50), quote(t < c), quote(b > c), TRUE, FALSE, quote(x > 0 & d == 1))
  made <- call("ifelse", test, branch_of_ifelse(depth - 1L), branch_of_ifelse(sample(0:(depth - 1L), 1L)))
  if (stats::runif(1) < 0.3) call("+", made, value) else made
}

# list(f, reduce, gradient, hessian, of_r): `of_r`: what R computes of the arguments.
branch_case <- function(kind) {
  body <- call("+", branch_of_ifelse(sample(2L, 1L)), quote(x)) # as long as the data
  needed <- function(body) as.function(c(stats::setNames(rep(alist(x = ), 8L), c("x", "t", "k", "d", "e", "a", "b", "c")), body), envir = globalenv())
  if (kind == "own") {
    f <- needed(bquote({ s <- sum(.(body)); -s + dnorm(a, 0, 10, log = TRUE) - b^2 }))
    return(list(f = f, reduce = NULL, of_r = f))
  }
  if (kind == "weights") {
    f <- as.function(c(formals(needed(0)), alist(w = ), bquote(w * .(body))), envir = globalenv())
    return(list(f = f, reduce = "sum", of_r = function(...) sum(f(...))))
  }
  f <- needed(body)
  reduce <- sample(c("sum", "mean"), 1L)
  list(f = f, reduce = reduce, of_r = function(...) get(reduce, baseenv())(f(...)))
}

# The points of `code` that were calls of their own.
alone_in <- function(code) {
  found <- integer()
  namespace <- asNamespace("nmathopencl")
  own <- namespace$calls_at_points
  utils::assignInNamespace("calls_at_points", function(f, points, frame, rest, call, which, ...) {
    found <<- c(found, which)
    own(f, points, frame, rest, call, which, ...)
  }, "nmathopencl")
  on.exit(utils::assignInNamespace("calls_at_points", own, "nmathopencl"))
  force(code)
  found
}

# Calls at single points, with their warnings.
single_calls <- function(g, args, points) {
  m <- length(points$a)
  lapply(seq_len(m), function(i) with_conditions(do.call(g, c(args, lapply(points, function(x) if (is.matrix(x)) x[i, ] else x[i])))))
}

expect_points_as_single <- function(case, gradient, hessian, device, seed, by = NULL) {
  n <- 40L
  m <- 9L
  data <- branch_data(n)
  points <- branch_points(m, n, stats::runif(1) < 0.6)
  if ("w" %in% names(formals(case$f))) points$w <- matrix(round(stats::rexp(n * m), 3), m)
  reported <- paste(deparse1(body(case$f)), case$reduce, "gradient", paste(gradient, collapse = " "), if (hessian) "hessian", "on", device, "seed", seed)
  g <- opencl_function(case$f, reduce = case$reduce, gradient = gradient, hessian = hessian)
  plain <- device == "plain"
  withr_options(list(nmathopencl.compiler = if (plain) FALSE else getOption("nmathopencl.compiler")), environment())
  args <- c(data, list(device = if (plain) "host" else device), if (!is.null(by)) list(by = by(n)))
  loop <- single_calls(g, args, points)
  for (turn in 1:2) {
    ours <- NULL
    alone <- alone_in(ours <- with_conditions(do.call(g, c(args, list(over = points)))))
    if (inherits(ours$value, "failed")) return(expect_true(any(vapply(loop, function(one) inherits(one$value, "failed"), NA)), info = reported))
    same <- same_bits(ours$value, loop_over_points(g, args, points))
    expect_true(same, info = reported)
    expect_setequal(ours$warnings, unlist(lapply(loop, function(one) one$warnings)))
    if (plain) next
    missing <- function(value) anyNA(value) || anyNA(attr(value, "gradient")) || anyNA(unlist(lapply(attr(value, "hessian"), as.double)))
    odd <- !is.finite(points$a + points$b + points$c) | points$b <= 0 | points$c <= 0 # which faster forms may not know
    if (grepl("dpois(t", reported, fixed = TRUE)) odd[] <- TRUE # counts that are none
    expected <- which(odd | vapply(loop, function(one) length(one$warnings) > 0L || missing(one$value), NA))
    expect_true(all(alone %in% expected), info = paste("alone:", paste(setdiff(alone, expected), collapse = " "), reported))
  }
  if (!is.null(by)) return(invisible())
  for (i in seq_len(m)) {
    r <- with_conditions(do.call(case$of_r, c(data, lapply(points, function(x) if (is.matrix(x)) x[i, ] else x[i]))))
    expect_setequal(loop[[i]]$warnings, r$warnings)
    expect_equal(as.double(loop[[i]]$value), as.double(r$value), tolerance = 1e-9, info = reported)
  }
}

run_branch_cases <- function(count, devices, first = 0L) {
  for (seed in first + seq_len(count)) {
    set.seed(seed)
    kind <- sample(c("reduce", "own", "weights", "by"), 1L)
    case <- branch_case(kind)
    gradient <- if (stats::runif(1) < 0.6) sample(c("a", "b", "c"), sample(3L, 1L))
    made <- function(...) tryCatch(opencl_function(case$f, reduce = case$reduce, ...), nmathopencl_error = function(e) NULL)
    if (is.null(made(gradient = gradient))) gradient <- NULL # some have none
    hessian <- !is.null(gradient) && kind != "by" && stats::runif(1) < 0.3 && !is.null(made(gradient = gradient, hessian = TRUE))
    by <- if (kind == "by") function(n) rep_len(c(1:3, NA), n)
    for (device in ways_of(seed, devices)) {
      set.seed(1000 + seed)
      expect_points_as_single(case, gradient, hessian, device, seed, by)
    }
  }
}

test_that("branches that may warn are computed at all points at once", {
  skip_without_compiler()
  run_branch_cases(20L, c("host", "plain"))
})

test_that("so they are on an OpenCL device", {
  skip_if_not(nmathopencl_opencl_fp64_available())
  run_branch_cases(5L, "opencl", 100L)
})

test_that("a censored model goes through no point alone, and a call of it is not R's", {
  skip_without_compiler()
  survival <- function(time, event, shape, scale) ifelse(event, dweibull(time, shape, scale, log = TRUE), pweibull(time, shape, scale, lower.tail = FALSE, log.p = TRUE))
  set.seed(2)
  time <- rweibull(60, 1.5, 2)
  event <- runif(60) < 0.7
  m <- 7L
  points <- list(shape = runif(m, 1, 2), scale = runif(m, 1, 3))
  for (device in expression_devices()) for (gradient in list(NULL, c("scale", "shape"))) {
    k <- opencl_function(survival, reduce = "sum", gradient = gradient)
    for (turn in 1:3) expect_length(alone_in(k(time, event, over = points, device = device)), 0L)
    bad <- lapply(points, replace, 4L, -1)
    for (turn in 1:2) expect_identical(alone_in(suppressWarnings(expect_warning(k(time, event, over = bad, device = device), "NaNs produced"))), 4L)
    suppressWarnings(expect_warning(k(time, event, -1, 2, device = device), "NaNs produced"))
    usual <- k(time, event, 1.2, 2, device = device) # which the flags of the call before have no part in
    expect_silent(again <- k(time, event, 1.2, 2, device = device))
    expect_identical(again, usual)
  }
})

test_that("vectors of whole numbers that are used as doubles are computed at all points at once, and others are R's integers", {
  skip_without_compiler()
  set.seed(3)
  n <- 50L
  m <- 8L
  x <- round(rgamma(n, 2), 3) + 0.001
  W <- matrix(rpois(n * m, 1), m)
  a <- runif(m, 1, 2)
  weighted <- function(x, w, a) w * dgamma(x, a, log = TRUE)
  total <- function(x, w, a) -sum(w * dgamma(x, a, log = TRUE)) + a
  chosen <- function(x, w, a) ifelse(w, x * a, -x)
  whole <- function(x, w, a) w + 1L
  overflow <- function(x, w, a) (w * 1000000000L) * a
  both <- function(x, w, a) (w %/% 2L) * x * a + w
  prior <- function(x, w, a) sum(w * x) / sum(w) * a
  with_holes <- replace(W, 5, NA)
  cases <- list(
    list(weighted, W, TRUE), list(total, W, TRUE), list(weighted, with_holes, NA), list(weighted, W > 1, TRUE), list(chosen, W > 1, NA), list(whole, W, NA),
    list(overflow, W, NA), list(both, W, NA), list(prior, W, NA)
  )
  for (device in expression_devices()) for (case in cases) {
    if (device != "host" && !isTRUE(case[[3L]])) next
    one_number <- identical(body(case[[1L]]), body(total)) || identical(body(case[[1L]]), body(prior))
    for (by in list(NULL, if (!one_number) rep_len(1:3, n))) for (gradient in list(NULL, if (isTRUE(case[[3L]])) "a")) {
      g <- opencl_function(case[[1L]], reduce = if (!one_number) "sum", gradient = gradient)
      args <- list(x = x, device = device)
      if (!is.null(by)) args$by <- by
      points <- list(w = case[[2L]], a = a)
      alone <- alone_in(ours <- with_conditions(do.call(g, c(args, list(over = points)))))
      loop <- suppressWarnings(loop_over_points(g, args, points))
      expect_true(same_bits(ours$value, loop), info = paste(deparse1(body(case[[1L]])), typeof(case[[2L]]), device))
      if (isTRUE(case[[3L]]) && is.null(by)) expect_length(alone, 0L)
    }
  }
})
