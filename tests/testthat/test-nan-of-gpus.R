# GPUs lose which NaN it was in every operation. Kernels written with NMATHOPENCL_AS_GPU do so on the host: what R says is NA has to
# be NA there, too.

unoptimized_programs()

as_gpus_compute <- function(env = parent.frame()) {
  old <- Sys.getenv("NMATHOPENCL_AS_GPU", NA)
  Sys.setenv(NMATHOPENCL_AS_GPU = "true")
  back <- if (is.na(old)) quote(Sys.unsetenv("NMATHOPENCL_AS_GPU")) else bquote(Sys.setenv(NMATHOPENCL_AS_GPU = .(old)))
  do.call(on.exit, list(back, add = TRUE), envir = env)
}

# A call of `f` where kernels lose which NaN it was, against R.
expect_na_as_r <- function(f, values, reduce = NULL) {
  k <- opencl_function(f, reduce = reduce)
  ours <- with_conditions(do.call(k, c(values, device = "host")))
  rs <- with_conditions(if (is.null(reduce)) do.call(f, values) else get(reduce, baseenv())(do.call(f, values)))
  # Lengths are compared before anything is computed.
  ours$warnings <- sort(ours$warnings)
  rs$warnings <- sort(rs$warnings)
  # (ifelse() has the wider type of its branches, whichever are taken.)
  if (is.logical(rs$value) && all(is.na(rs$value)) && is.double(ours$value)) storage.mode(rs$value) <- "double"
  expect_identical(same_result(ours, rs), TRUE, info = paste(deparse1(body(f)), reduce))
  invisible(k)
}

test_that("operations lose which NaN it was in these kernels", {
  skip_without_compiler()
  as_gpus_compute()
  k <- expect_na_as_r(function(x, y) x * y - sqrt(x), list(x = c(1, NA, 4), y = c(2, 3, NA)))
  kernel <- as.character(k)
  expect_match(kernel, "= expr_canonical(v1 * v2)", fixed = TRUE)
  expect_match(kernel, "expr_canonical(sqrt(", fixed = TRUE)
  expect_match(kernel, "NMATH_NA_REAL : NAN", fixed = TRUE) # the mask, without which they are NaN
})

test_that("NA stays NA where kernels lose which NaN it was", {
  skip_without_compiler()
  as_gpus_compute()
  x <- c(1, NA, 3, -2)
  y <- c(2, 0.5, NA, 4)
  i <- c(3L, NA, -2L, 5L)
  l <- c(NA, TRUE, FALSE, TRUE)
  for (q in list(TRUE, FALSE, NA)) {
    expect_na_as_r(function(x, y, l, q) {
      v <- sqrt(x >= l)
      y * l / (1e5 - ifelse(q, x, v))
    }, list(x = x, y = y, l = l, q = q))
    expect_na_as_r(function(x, y, q) x * y + ifelse(q, y - x, abs(x)), list(x = x, y = y, q = q))
    expect_na_as_r(function(x, i, q) (x + i) * ifelse(q, i + 1, exp(i)), list(x = x, i = i, q = q))
  }
  cases <- list(
    function(x, y) -x + y, function(x, y) x^y, function(x, y) x %% y + x %/% y, function(x, y) pmin(x, y) - pmax(y, x * 2),
    function(x, y) pmin(x + 0, y * 1, na.rm = TRUE), function(x, y) atan2(x, y) / 2, function(x, y) log(abs(x), abs(y) + 2),
    function(x, y) ifelse(x > y, x * 2, y - 1), function(x, y) dnorm(x, y) + pgamma(abs(x), abs(y)), function(x, y) round(x / 3, 1) + y,
    function(x, y) ifelse(is.na(x * 2), x + 1, y * 3), function(x, y) is.nan(x * 2) + is.na(y + 1), function(x, y) as.integer(x * y),
    function(x, y) (x * y > 1) + (x - y == 0), function(x, y) exp(-abs(x)) * log1p(exp(-abs(x))) + y,
    function(x, y) trunc(x * 1.5) + sign(y - 1), function(x, y) lgamma(abs(x) + 1) * beta(abs(x), abs(y))
  )
  for (f in cases) {
    expect_na_as_r(f, list(x = x, y = y))
    for (values in list(list(x = x, y = 0.5), list(x = NA_real_, y = y), list(x = c(NaN, 1), y = c(1, 2, NaN, NaN)))) expect_na_as_r(f, values)
  }
  for (reduce in c("sum", "mean", "prod", "max")) {
    for (f in cases[c(1, 3, 8, 9, 12)]) for (k in 1:2) {
      expect_na_as_r(f, list(list(x = x, y = y), list(x = c(2, 1, 3, 5), y = y[c(1, 2, 4, 1)]))[[k]], reduce = reduce)
    }
  }
})

test_that("gradients of what is NA are NA where kernels lose which NaN it was", {
  skip_without_compiler()
  x <- c(1, NA, 3, -2)
  for (f in list(
    function(x, a) dnorm(x, a, 2, log = TRUE), function(x, a) exp(-a * x^2) / (1 + a), function(x, a) ifelse(x > 0, a * x, a^2)
  )) {
    usual <- opencl_function(f, gradient = "a")(x, 0.7, device = "host")
    as_gpus <- local({
      as_gpus_compute()
      opencl_function(f, gradient = "a")(x, 0.7, device = "host")
    })
    expect_identical(is.nan(attr(as_gpus, "gradient")), is.nan(attr(usual, "gradient")))
    expect_equal(as_gpus, usual, tolerance = 1e-13)
  }
})

test_that("random expressions are NA where R's are when kernels lose which NaN it was", {
  skip_without_compiler()
  as_gpus_compute()
  set.seed(20)
  values <- lapply(expression_values(), function(x) replace(x, is.nan(x), 0.3))
  for (case in 1:60) {
    body <- random_expression(sample(2:3, 1L))
    names <- all.vars(body)
    if (length(names) == 0L) next
    f <- as.function(c(stats::setNames(rep(alist(x = ), length(names)), names), body), envir = globalenv())
    expect_na_as_r(f, values[names])
  }
})

test_that("a call that warns in front of the loop and in it warns once", {
  skip_without_compiler()
  expect_na_as_r(function(big, q) ifelse(q, big + 3L, 0.5) + big * 2, list(big = c(.Machine$integer.max, 3L), q = TRUE))
})
