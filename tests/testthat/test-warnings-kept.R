# Warnings that R gives of what no result needs, and those of reductions whose values are missing.

unoptimized_programs()

# Warnings and value of `f`, as an opencl_function, against R.
expect_warns_as_r <- function(f, values, reduce = NULL, device = "host") {
  k <- opencl_function(f, reduce = reduce)
  ours <- with_conditions(do.call(k, c(values, device = device)))
  rs <- with_conditions(if (is.null(reduce)) do.call(f, values) else get(reduce, baseenv())(do.call(f, values)))
  ours$warnings <- sort(ours$warnings)
  rs$warnings <- sort(rs$warnings)
  same <- same_result(ours, rs)
  expect_true(isTRUE(same), info = paste(deparse1(body(f)), reduce, device, paste(same, collapse = " ")))
}

test_that("statements that nothing uses warn", {
  cases <- list(
    function(x, y) { v <- sqrt(-x); x },
    function(x, y) { v <- log(y); v <- x * 2; v },
    function(x, y) { sqrt(y); lgamma(x); x + y },
    function(x, y) { v <- sqrt(-1); x },
    function(x, y) { v <- ifelse(x > 1, sqrt(-x), 0); y },
    function(x, y) { v <- ifelse(x > 100, sqrt(-x), 0); y },
    function(x, y) { v <- x; w <- v; y },
    function(x, y) { for (k in 1:3) log(y + k - 1); x },
    function(x, y) { v <- sqrt(-x); if (sum_of > 0) return(v + y); x },
    function(x, y) { v <- dnorm(x, y, -1); u <- rexp_of(x); u }
  )
  rexp_of <- opencl_function(function(a) { u <- log(-a); a })
  sum_of <- 1
  for (f in cases) {
    environment(f) <- environment()
    for (device in expression_devices()) {
      expect_warns_as_r(f, list(x = c(1, 2, 3), y = c(0.5, -1, 2)), device = device)
    }
    expect_warns_as_r(f, list(x = c(1, NA, 3), y = c(2, 0, 4)))
    expect_warns_as_r(f, list(x = c(1, 2, 3), y = c(0.5, -1, 2)), reduce = "sum")
  }
})

test_that("what a condition decides by warns once", {
  f <- function(x, s) {
    v <- sqrt(s)
    if (is.nan(v)) x else -x
  }
  expect_warns_as_r(f, list(x = c(1, 2), s = -1))
  expect_warns_as_r(f, list(x = c(1, 2), s = 4))
})

test_that("a second call of the same layout warns, too", {
  k <- opencl_function(function(x) { v <- sqrt(x); x * 2 })
  expect_silent(k(c(1, 2), device = "host"))
  expect_warning(k(c(1, -2), device = "host"), "NaNs produced")
  expect_silent(k(c(1, 2, 3), device = "host"))
})

test_that("products and sums of missing values warn as R's do, where kernels lose which NaN it was, too", {
  skip_without_compiler()
  values <- list(
    c(1, NaN, 3), c(NaN, NaN), c(NA, NaN), c(NaN, NA), c(0, Inf), c(Inf, NaN, 0), c(1e300, 1e300, NaN), c(-1, 2), c(5e-324, NaN), NaN, NA_real_,
    rep(c(1, NaN, 2), 1e5), c(rep(2, 3e5), NaN)
  )
  functions <- list(function(x) x, function(x) sqrt(x), function(x) gamma(x), function(x) pmax(x, 1))
  old <- Sys.getenv("NMATHOPENCL_AS_GPU", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("NMATHOPENCL_AS_GPU") else Sys.setenv(NMATHOPENCL_AS_GPU = old))
  for (as_gpu in c("true", "")) {
    if (nzchar(as_gpu)) Sys.setenv(NMATHOPENCL_AS_GPU = as_gpu) else Sys.unsetenv("NMATHOPENCL_AS_GPU")
    for (f in if (nzchar(as_gpu)) functions else functions[2]) for (reduce in c("prod", "sum")) {
      k <- opencl_function(f, reduce = reduce)
      for (x in values) {
        ours <- with_conditions(k(x, device = "host"))
        rs <- with_conditions(get(reduce, baseenv())(f(x)))
        expect_identical(ours$warnings, rs$warnings, info = paste(deparse1(body(f)), reduce, paste(utils::head(x), collapse = ", ")))
        expect_identical(is.na(ours$value), is.na(rs$value))
      }
    }
  }
})

test_that("an operand of && and || that R does not compute warns of nothing", {
  skip_without_compiler()
  warned <- function(f, ...) {
    said <- character()
    value <- withCallingHandlers(f(...), warning = function(w) {
      said <<- c(said, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    })
    list(value = value, said = said)
  }
  functions <- list(
    function(s, k) s > 1 || atanh(k) > 0, function(s, k) s > 1 && atanh(k) > 0, function(s, k) if (s <= 0 || log(s) < -10) 1 else k,
    function(s, k) (s > 0 && sqrt(k) > 0) + sqrt(s), function(s, k) s < 0 || (k > 3 && log(s) > 0), function(s, k) if (s > 0 && lgamma(k) > 0) s else -s
  )
  for (device in compiling_devices()) {
    for (f in functions) {
      g <- opencl_function(f)
      for (s in c(2, 0.5, -1)) for (k in c(0.5, 4, -1, 0)) expect_identical(warned(g, s, k, device = device), warned(f, s, k), info = paste(device, deparse1(body(f)), s, k))
    }
  }
})
