# Derivatives of distribution functions at random arguments from everywhere: finite where the value is, of one sign, of both tails 0
# together, and on the log scale the linear ones over the value. More of them: TUPLES=50000.
skip_on_cran()

tuples <- as.integer(Sys.getenv("TUPLES", "1500"))
seed <- as.integer(Sys.getenv("SEED", "374"))

test_that("derivatives of distribution functions are finite, add to 0 and agree with those of logs everywhere", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(seed)
  for (name in names(sweep_tuples(2L))) {
    arguments <- sweep_tuples(tuples)[[name]]
    called <- sub("^pn(chisq|beta|f|t)$", "p\\1", name)
    wanted <- names(arguments)
    of <- function(lower, log) {
      f <- as.function(c(stats::setNames(rep(alist(x = ), length(wanted)), wanted), as.call(c(as.symbol(called), sapply(wanted, as.symbol), lower.tail = lower, log.p = log))), envir = globalenv())
      list(value = suppressWarnings(do.call(opencl_function(f), c(arguments, device = "host"))),
           slope = suppressWarnings(attr(do.call(opencl_function(f, gradient = wanted), c(arguments, device = "host")), "gradient")))
    }
    lower <- of(TRUE, FALSE); upper <- of(FALSE, FALSE); log_lower <- of(TRUE, TRUE); log_upper <- of(FALSE, TRUE)
    steep <- abs(arguments$q) < 1e-290 # a log's slope in q may overflow
    for (argument in wanted) {
      info <- paste(name, argument)
      s <- sapply(list(lower, upper, log_lower, log_upper), function(x) x$slope[, argument])
      known <- !(argument == "q" & steep)
      expect_true(all(is.finite(s[known, 1:2])), info = info)
      expect_true(all(is.finite(s[known & is.finite(log_lower$value), 3])), info = info)
      expect_true(all(is.finite(s[known & is.finite(log_upper$value), 4])), info = info)
      expect_identical(s[known, 1] + s[known, 2], 0 * s[known, 1], info = info)
      if (argument %in% c("q", "shape", "ncp") || name == "pnchisq") {
        falls <- if (argument == "q") 1 else -1
        expect_true(all(falls * s[known, 1] >= 0 & falls * s[known, 3] >= 0 & falls * s[known, 4] <= 0), info = info)
      }
      for (k in 1:2) {
        value <- list(lower, upper)[[k]]$value
        sure <- value > 1e-280 & abs(s[, k]) > 1e-290 & abs(s[, k + 2]) > 1e-290 & abs(s[, k + 2]) < 1e290
        bar <- 1e-11 + 1e-12 * abs(log_lower$value + log_upper$value)[sure] # tails have condition numbers as large as their logs
        expect_true(all(abs(s[sure, k] / value[sure] / s[sure, k + 2] - 1) < bar), info = paste(info, k))
      }
    }
  }
})

test_that("densities over which x is large or small do not take digits of derivatives with them", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  # x f is a double where f is none: of the log and the linear derivative both, by the other
  x <- c(5.8640567507127289e+177, 2.5018768053954114e+266, 1.1963096755893372e+44)
  m <- c(9.8593896713519849e-07, 4.9427561443026742e-06, 0.0018352454364279156)
  n <- c(1.6706271376156563, 0.35328346430491836, 14)
  l <- c(5437.4739506536289, 3.277519683631001, 223.52750354925786)
  in_ncp <- function(f) drop(attr(opencl_function(f, gradient = "l")(x, m, n, l, device = "host"), "gradient"))
  tail <- pf_opencl(x, m, n, l, lower.tail = FALSE, device = "host")
  expect_equal(in_ncp(function(x, m, n, l) pf(x, m, n, l, lower.tail = FALSE)) / tail, in_ncp(function(x, m, n, l) pf(x, m, n, l, lower.tail = FALSE, log.p = TRUE)), tolerance = 1e-12)
  # Y' is +Inf where it is beyond the doubles
  expect_identical(drop(unname(attr(opencl_function(function(x) besselY(x, 0.65), gradient = "x")(1e-285, device = "host"), "gradient"))), Inf)
})
