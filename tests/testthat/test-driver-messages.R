# A driver's compiler prints how many warnings it gave, into the user's console: what is assembled here gives none.

test_that("drivers have nothing to say about programs made of expressions", {
  devices <- setdiff(all_compiling_devices(), "0")
  if (length(devices) == 0L) {
    expect_length(devices, 0L)
    return()
  }
  lines <- run_r(c(
    "suppressMessages(library(nmathopencl))",
    "functions <- list(",
    "  function(x, n, p) dbinom(x, n, p), function(x, n, p) ifelse(n > x, n, x) / p, function(x, n, p) pmin(x, n, na.rm = TRUE) * p,",
    "  function(x, n, p) x %/% 2L + n %% 2L == 1L | is.na(x) & !is.finite(p), function(x, n, p) log(p, n) + x^2 - abs(x),",
    "  function(x, n, p) ifelse(is.na(x), 0L, n) > 1L, function(x, n, p) pmax(x, n) + qgamma(p, 2.5), function(x, n, p) -x + lchoose(n, x)",
    ")",
    sprintf("for (device in c(%s)) for (f in functions) for (count in c(3L, 40L)) {", toString(shQuote(devices))),
    "  invisible(suppressWarnings(opencl_function(f)(rep_len(c(1L, NA, 0:2), count), rep_len(2:4, count), 0.3, device = device)))",
    "  invisible(suppressWarnings(opencl_function(f)(rep_len(c(1, NaN, 0.5), count), rep_len(c(2L, NA), count), rep_len(c(0.25, NA), count), device = device)))",
    "}",
    sprintf("for (device in c(%s)) for (op in c('sum', 'max', 'any')) {", toString(shQuote(devices))),
    "  f <- opencl_function(if (op == 'any') function(x, n) x < n else function(x, n) x %% n + dpois(x, n), reduce = op)",
    "  invisible(suppressWarnings(c(f(c(1L, NA, 0L), 2:4, device = device), f(c(1, NA, 0), 2:4, device = device))))",
    "}",
    "cat('over')"
  ), env = c("NMATHOPENCL_CACHE=off", "POCL_KERNEL_CACHE=0", "CUDA_CACHE_DISABLE=1"))
  expect_identical(lines, "over")
})
