# Derivatives in shapes of which next to nothing is left: closed forms, and no steps where one formula ends and another begins.
skip_on_cran()

li2 <- function(x) rowSums(outer(x, 1:200, function(x, k) x^k / k^2)) # |x| <= 0.7
slopes <- function(f, of, ...) suppressWarnings(attr(opencl_function(f, gradient = of)(..., device = "host"), "gradient"))

test_that("beta quantiles have derivatives in any shape", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(as.integer(Sys.getenv("SEED", "3")))
  n <- 400
  a <- exp(stats::runif(n, log(1e-306), log(1e-260)))
  x <- exp(stats::runif(n, -30, log(0.7)))
  # the upper tail of shapes a and 1 is -a log x
  q <- -a * log(x)
  upper <- function(p, a, b) qbeta(p, a, b, lower.tail = FALSE)
  got <- slopes(upper, c("p", "a", "b"), q, a, 1)
  expect_equal(unname(got[, "p"] / (-x / a)), rep(1, n), tolerance = 1e-11)
  sure <- abs(x * log(x) / a) < 1e300
  expect_equal(unname(got[sure, "a"] / (-x * log(x) / a)[sure]), rep(1, sum(sure)), tolerance = 1e-11)
  expect_equal(unname(got[, "b"] / (-x * (pi^2 / 6 - li2(x)))), rep(1, n), tolerance = 1e-11)
  # the same of shapes 1 and a from the other side
  lower <- slopes(function(p, a, b) qbeta(p, b, a), c("a", "b"), q, a, 1)
  inner <- x > 1e-3
  expect_equal(unname(lower[sure & inner, "a"] / got[sure & inner, "a"]), rep(-1, sum(sure & inner)), tolerance = 1e-10)
  # both next to nothing, and all of the mass at the ends
  expect_equal(unname(slopes(function(p, a, b) qbeta(p, a, b), c("a", "b"), 0.5, c(1e-30, 1e-100, 1e-140), c(1e-30, 1e-100, 1e-140))),
               cbind(0.125 / c(1e-60, 1e-200, 1e-280), -0.125 / c(1e-60, 1e-200, 1e-280)), tolerance = 1e-12)
  expect_identical(unname(slopes(function(p, a, b) qbeta(p, a, b), c("a", "b"), c(0.1, 0.9), c(1e-280, 3e-290), c(1e-280, 1e-290))), matrix(0, 2, 2))
})

test_that("so have those of the non-central beta distribution", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(as.integer(Sys.getenv("SEED", "4")))
  n <- 400
  a <- exp(stats::runif(n, log(1e-304), log(1e-271)))
  h <- a * exp(stats::runif(n, -9, 9))
  x <- exp(stats::runif(n, -20, log(0.85)))
  # of shapes a and 1 the upper tail is -a log x + h (1 - x)
  q <- -a * log(x) + h * (1 - x)
  got <- slopes(function(p, a, b, l) qbeta(p, a, b, l, lower.tail = FALSE), c("p", "a", "b", "l"), q, a, 1, 2 * h)
  sure <- x / (a + h * x) * (1 - log(x)) < 1e300
  expect_equal(unname(got[sure, "p"] / (-x / (a + h * x))[sure]), rep(1, sum(sure)), tolerance = 1e-10)
  expect_equal(unname(got[sure, "a"] / (-x * log(x) / (a + h * x))[sure]), rep(1, sum(sure)), tolerance = 1e-10)
  expect_equal(unname(got[sure, "l"] / (x * (1 - x) / (a + h * x) / 2)[sure]), rep(1, sum(sure)), tolerance = 1e-10)
  few <- x < 0.7
  in_b <- -x / (a + h * x) * (a * (pi^2 / 6 - li2(x)) - h * (1 - x) * log1p(-x))
  expect_equal(unname(got[few, "b"] / in_b[few]), rep(1, sum(few)), tolerance = 1e-10)
  # P of shapes next to nothing: e^-h b/(a + b), and b times what other terms have
  p <- slopes(function(x, a, b, l) pbeta(x, a, b, l), c("a", "b"), 0.3, 2e-150, 3e-150, 4)
  expect_equal(unname(drop(p)), c(-3e-150, 2e-150) / 25e-300 * exp(-2), tolerance = 1e-13)
  u <- slopes(function(x, a, b, l) pbeta(x, a, b, l, lower.tail = FALSE, log.p = TRUE), c("a", "b"), 0.3, 2e-150, 3e-150, 4)
  expect_equal(unname(drop(u)), c(3e-150, -2e-150) / 25e-300 * exp(-2) / (0.4 - 0.6 * expm1(-2)), tolerance = 1e-13)
  d <- slopes(function(x, a, b, l) dbeta(x, a, b, l, log = TRUE), c("a", "b"), 0.3, 2e-150, 3e-150, 4e-150)
  # x y density = e^-h b (a/n + h x)
  expect_equal(unname(drop(d)), c(3e-150 / 25e-300 / 0.4, 1 / 3e-150 - 2e-150 / 25e-300 / 0.4), tolerance = 1e-12)
})

test_that("derivatives make no steps where shapes, or ncp, pass from one formula to the next", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(as.integer(Sys.getenv("SEED", "5")))
  n <- 300
  spread <- function(from, to) exp(stats::runif(n, log(from), log(to)))
  tiny <- function() ifelse(stats::runif(n) < 0.5, spread(1e-300, 1e-15), spread(1e-3, 50))
  x <- ifelse(stats::runif(n) < 0.5, stats::runif(n, 0.01, 0.9), spread(1e-200, 0.5))
  h <- ifelse(stats::runif(n) < 0.4, spread(1e-300, 1e-10), spread(1e-2, 200))
  seams <- list(a = c(1e-270, 1e-20), b = c(1e-270, 1e-20), l = c(2e-17, 1e-250))
  for (argument in names(seams)) {
    for (seam in seams[[argument]]) {
      at <- list(x = x, a = tiny(), b = tiny(), l = h)
      # the other shape on the same seam for some, which is where both are next to nothing
      other <- if (argument == "a") "b" else "a"
      at[[other]] <- ifelse(stats::runif(n) < 0.3, seam * spread(0.1, 10), at[[other]])
      for (kind in c("lower", "upper", "log", "logupper", "density")) {
        f <- switch(kind, lower = function(x, a, b, l) pbeta(x, a, b, l), upper = function(x, a, b, l) pbeta(x, a, b, l, lower.tail = FALSE),
                    log = function(x, a, b, l) pbeta(x, a, b, l, log.p = TRUE), logupper = function(x, a, b, l) pbeta(x, a, b, l, lower.tail = FALSE, log.p = TRUE),
                    density = function(x, a, b, l) dbeta(x, a, b, l, log = TRUE))
        ncp <- if (argument == "l") pmin(seam / ifelse(seam > 1e-100, x, 1), 1e4) else at$l
        sides <- lapply(c(1 - 1e-13, 1 + 1e-13), function(side) {
          at[[argument]] <- if (argument == "l") ncp * side else rep(seam * side, n)
          do.call(slopes, c(list(f, c("a", "b")), at))
        })
        for (of in c("a", "b")) {
          below <- sides[[1L]][, of]; above <- sides[[2L]][, of]
          bad <- !(abs(above / below - 1) < 1e-9 | ncp * x < 1e-290 | # products of ncp and x that are no doubles
                      abs(above - below) < 1e-305 | (is.infinite(below) & above == below))
          first <- which(bad | is.na(bad))[1L]
          expect(!any(bad, na.rm = TRUE) && !anyNA(bad), sprintf("%s in %s over the seam of %s at %g: %d of %d, as x %.17g a %g b %g l %g: %g and %g", kind, of, argument, seam, sum(bad | is.na(bad), na.rm = TRUE), n,
                                                 at$x[first], at$a[first], at$b[first], ncp[first], below[first], above[first]))
        }
      }
    }
  }
})
