# Derivatives of densities, quantiles, distributions of counts and Bessel functions at random arguments from everywhere, by rules that need no
# other values: see test-derivative-sweeps.R. More of them: TUPLES=50000.
skip_on_cran()

tuples <- as.integer(Sys.getenv("TUPLES", "1500"))
seed <- as.integer(Sys.getenv("SEED", "375"))

# What `bad` has, with the arguments of the first one.
expect_none <- function(bad, arguments, info, ...) {
  k <- which(bad | is.na(bad))
  text <- if (length(k)) {
    shown <- c(arguments, list(...))
    sprintf("%s: %d of %d, as at %s", info, length(k), length(bad), paste(names(shown), vapply(shown, function(x) format(rep_len(x, length(bad))[k[1]], digits = 17), ""), collapse = " "))
  }
  expect(length(k) == 0L, text)
}

families <- function(n) {
  all <- c(sweep_tuples(n), stats::setNames(sweep_counts(n), paste0("p", names(sweep_counts(0L)))))
  names(all) <- sub("^p", "", names(all))
  all
}
called_by <- function(kind, name) paste0(kind, sub("^n(chisq|beta|f|t)$", "\\1", sub("_mu$", "", name)))

test_that("derivatives of log densities are finite, and those of densities are theirs times the density", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(seed)
  all <- families(tuples)
  for (name in setdiff(names(all), "tukey")) {
    arguments <- all[[name]]
    names(arguments)[1L] <- "x"
    wanted <- setdiff(names(arguments), c(if (name %in% c("binom", "pois", "nbinom", "nbinom_mu")) "x", if (name == "binom") "size"))
    called <- called_by("d", name)
    log <- sweep_slopes(called, arguments, wanted, log = TRUE)
    linear <- sweep_slopes(called, arguments, wanted)
    for (argument in wanted) {
      info <- paste(called, name, argument)
      s <- log$slope[, argument]
      tiny <- argument == "x" & abs(arguments$x) < 1e-290 # a log's slope in x may overflow
      expect_none(is.finite(log$value) & !tiny & !is.finite(s), arguments, paste(info, "of the log is not finite"))
      sure <- linear$value > 1e-290 & linear$value < 1e290 & abs(s) < 1e290 & abs(linear$value * s) > 1e-290 & abs(linear$value * s) < 1e300 & !tiny
      expect_none(sure & !(abs(linear$slope[, argument] / linear$value / s - 1) < 1e-11 + 1e-14 * abs(log$value)), arguments, paste(info, "is not that of the log"),
                  linear = linear$slope[, argument], value = linear$value, log = s)
    }
  }
})

test_that("derivatives of distributions of counts and ranges are finite, add to 0 and agree with those of logs", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(seed + 1L)
  all <- sweep_counts(tuples)
  for (name in names(all)) {
    arguments <- all[[name]]
    if (name == "tukey") arguments <- lapply(arguments, utils::head, ceiling(tuples / 10))
    wanted <- if (name == "tukey") c("q", "df") else setdiff(names(arguments), c("q", if (name == "binom") "size"))
    form <- function(...) sweep_slopes(called_by("p", name), arguments, wanted, ...)
    lower <- form(); upper <- form(lower.tail = FALSE); log_lower <- form(log.p = TRUE); log_upper <- form(lower.tail = FALSE, log.p = TRUE)
    for (argument in wanted) {
      info <- paste("p", name, argument)
      s <- sapply(list(lower, upper, log_lower, log_upper), function(x) x$slope[, argument])
      expect_none(!is.finite(s[, 1]) | !is.finite(s[, 2]), arguments, paste(info, "is not finite"))
      expect_none(is.finite(log_lower$value) & !is.finite(s[, 3]), arguments, paste(info, "of the log is not finite"))
      expect_none(is.finite(log_upper$value) & !is.finite(s[, 4]), arguments, paste(info, "of the log of the upper tail is not finite"))
      expect_none(s[, 1] + s[, 2] != 0, arguments, paste(info, "of both tails"))
      if (!(name == "tukey" && argument == "df")) {
        rises <- if (argument == "q" || (name == "nbinom" && argument == "prob")) 1 else -1
        if (name == "nbinom_mu" && argument == "size") next # of either sign
        expect_none(rises * s[, 1] < 0 | rises * s[, 3] < 0 | rises * s[, 4] > 0, arguments, paste(info, "has the wrong sign"))
      }
      for (k in 1:2) {
        value <- list(lower, upper)[[k]]$value
        sure <- value > 1e-280 & abs(s[, k]) > 1e-290 & abs(s[, k + 2]) > 1e-290 & abs(s[, k + 2]) < 1e290
        bar <- 1e-11 + 1e-12 * abs(log_lower$value + log_upper$value)
        expect_none(sure & !(abs(s[, k] / value / s[, k + 2] - 1) < bar), arguments, paste(info, "is not that of the log", k), linear = s[, k], value = value, log = s[, k + 2])
      }
    }
  }
})

test_that("derivatives of quantiles are those of the distribution functions there", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(seed + 2L)
  all <- families(tuples)
  for (name in setdiff(names(all), c("binom", "pois", "nbinom", "nbinom_mu"))) {
    arguments <- all[[name]]
    if (name == "tukey") arguments <- lapply(arguments, utils::head, ceiling(tuples / 50))
    parameters <- setdiff(names(arguments), c("q", "nmeans"))
    tails <- lapply(c(TRUE, FALSE), function(lower) sweep_slopes(called_by("p", name), arguments, "q", lower.tail = lower, log.p = TRUE)$value)
    for (lower in c(TRUE, FALSE)) {
      # the smaller tail, as a quantile of which it is known to all digits, and the other one up to 1 - 1e-6
      log_p <- tails[[if (lower) 1L else 2L]]
      use <- is.finite(log_p) & log_p < -1e-6
      of <- lapply(arguments, `[`, use)
      quantile <- sweep_slopes(called_by("q", name), c(list(p = log_p[use]), of[-1L]), c("p", parameters), lower.tail = lower, log.p = TRUE)
      linear <- sweep_slopes(called_by("q", name), c(list(p = exp(log_p[use])), of[-1L]), parameters, lower.tail = lower)
      at <- c(list(q = quantile$value), of[-1L])
      there <- sweep_slopes(called_by("p", name), at, c("q", parameters), lower.tail = lower, log.p = TRUE)
      info <- paste("q", name, if (lower) "lower" else "upper")
      shown <- c(list(p = log_p[use]), of[-1L], list(value = quantile$value))
      inner <- is.finite(quantile$value)
      for (argument in c("p", parameters)) {
        expect_none(is.nan(quantile$slope[, argument]) & !is.nan(quantile$value), shown, paste(info, argument, "is NaN"))
        near <- inner & abs(quantile$value) > 1e-280 & abs(quantile$value) < 1e280 & (name != "beta" & name != "nbeta" | quantile$value < 0.9)
        wanted <- if (argument == "p") 1 / there$slope[, "q"] else -there$slope[, argument] / there$slope[, "q"]
        got <- quantile$slope[, argument]
        sure <- near & abs(wanted) > 1e-280 & abs(wanted) < 1e280 & is.finite(there$value) & there$slope[, "q"] != 0
        expect_none(inner & abs(quantile$value) < 1e280 & abs(wanted) < 1e280 & is.infinite(got), shown, paste(info, argument, "is infinite"))
        bar <- 1e-10 + 1e-12 * abs(there$value)
        expect_none(sure & !(abs(got / wanted - 1) < bar), shown, paste(info, argument, "is not that of the distribution function"), got = got, wanted = wanted)
      }
      both <- is.finite(linear$value) & exp(log_p[use]) > 1e-290 & abs(linear$value) > 1e-280 & abs(linear$value / quantile$value - 1) < 1e-13
      for (argument in parameters) {
        expect_none(is.nan(linear$slope[, argument]) & !is.nan(linear$value), shown, paste(info, argument, "is NaN, linear"))
        ratio <- linear$slope[, argument] / quantile$slope[, argument]
        expect_none(both & abs(quantile$slope[, argument]) > 1e-280 & abs(quantile$slope[, argument]) < 1e280 & !(abs(ratio - 1) < 1e-8), shown, paste(info, argument, "differs by scale"))
      }
    }
  }
})

test_that("where a quantile is beyond the doubles its derivatives have the signs that they have before", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(seed + 3L)
  n <- 500
  few <- exp(stats::runif(n, log(0.01), log(20))); many <- exp(stats::runif(n, log(0.01), log(1e4))); ncp <- exp(stats::runif(n, log(1e-3), log(100)))
  cases <- list(qf = list(df1 = many, df2 = few), qnf = list(df1 = many, df2 = few, ncp = ncp), qt = list(df = few), qnt = list(df = few, ncp = ncp))
  for (name in names(cases)) {
    parameters <- names(cases[[name]])
    power <- if (grepl("f$", name)) few / 2 else few # of the upper tail
    far <- sweep_slopes(sub("^qn", "q", name), c(list(p = -2000 * power - 50), cases[[name]]), parameters, lower.tail = FALSE, log.p = TRUE)
    near <- sweep_slopes(sub("^qn", "q", name), c(list(p = -600 * power - 50), cases[[name]]), parameters, lower.tail = FALSE, log.p = TRUE)
    known <- is.infinite(far$value) & is.finite(near$value)
    expect_gt(sum(known), n / 3)
    for (argument in parameters) {
      expect_none(known & sign(far$slope[, argument]) != sign(near$slope[, argument]), c(list(near = near$value), cases[[name]]), paste(name, argument), slope = far$slope[, argument])
      expect_none(known & is.finite(far$slope[, argument]), cases[[name]], paste(name, argument, "is finite"))
    }
  }
})

test_that("Bessel functions' derivatives are finite, and those of their Wronskians 0", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(seed + 4L)
  n <- tuples
  spread <- function(from, to) exp(stats::runif(n, log(from), log(to)))
  x <- ifelse(stats::runif(n) < 0.6, spread(0.1, 60), spread(1e-300, 1e5))
  nu <- c(spread(1e-8, 1e4), spread(0.01, 60), round(spread(1, 1e3)) / 2, round(spread(1, 200)) * (1 + 1e-12), x * exp(stats::rnorm(n) / 10))[sample(5 * n, n)]
  at <- list(x = x, nu = nu); next_at <- list(x = x, nu = nu + 1)
  slopes <- function(name, arguments, ...) {
    call <- as.call(c(as.symbol(name), quote(x), quote(nu), ...))
    f <- as.function(c(alist(x = , nu = ), call), envir = globalenv())
    list(value = suppressWarnings(do.call(opencl_function(f), c(arguments, device = "host"))),
         slope = suppressWarnings(attr(do.call(opencl_function(f, gradient = c("x", "nu")), c(arguments, device = "host")), "gradient")))
  }
  for (scaled in c(TRUE, FALSE)) {
    I <- slopes("besselI", at, scaled); K <- slopes("besselK", at, scaled)
    I1 <- slopes("besselI", next_at, scaled); K1 <- slopes("besselK", next_at, scaled)
    for (argument in c("x", "nu")) {
      expect_none(is.finite(I$value) & abs(I$value) < 1e290 & x > 1e-290 & !is.finite(I$slope[, argument]), at, paste("besselI", argument, scaled), value = I$value)
      expect_none(is.finite(K$value) & abs(K$value) < 1e-10 / .Machine$double.xmin^0.9 & !is.finite(K$slope[, argument]) & abs(K$value) * (nu / x + log1p(nu / x) + 1) < 1e300, at,
                  paste("besselK", argument, scaled), value = K$value)
    }
    expect_none(I$slope[, "nu"] > 0 | K$slope[, "nu"] < 0, at, "signs in the order")
    sure <- I$value > 1e-280 & I1$value > 1e-280 & K1$value < 1e280 & K$value > 1e-280 & I1$value < 1e280
    # I K1 + I1 K = 1/x
    parts <- cbind(I$slope[, "nu"] * K1$value, I$value * K1$slope[, "nu"], I1$slope[, "nu"] * K$value, I1$value * K$slope[, "nu"])
    expect_none(sure & !(abs(rowSums(parts)) < 1e-12 * (1 + nu + x) * rowSums(abs(parts))), at, paste("I and K in the order", scaled), sum = rowSums(parts), size = rowSums(abs(parts)))
    both <- I$value > 1e-280 & I$value < 1e280
    if (scaled) kept <- I else {
      ratio <- (I$slope[, "nu"] / I$value) / (kept$slope[, "nu"] / kept$value)
      expect_none(both & kept$value > 1e-280 & abs(I$slope[, "nu"]) > 1e-280 & !(abs(ratio - 1) < 1e-12), at, "scaled and not")
    }
  }
  J <- slopes("besselJ", at); Y <- slopes("besselY", at); J1 <- slopes("besselJ", next_at); Y1 <- slopes("besselY", next_at)
  for (argument in c("x", "nu")) {
    expect_none(is.finite(J$value) & x > 1e-290 & !is.finite(J$slope[, argument]), at, paste("besselJ", argument), value = J$value)
    expect_none(is.finite(Y$value) & abs(Y$value) * (nu / x + log1p(nu / x) + 1 + 1 / x) < 1e300 & !is.finite(Y$slope[, argument]), at, paste("besselY", argument), value = Y$value)
  }
  # J1 Y - J Y1 = 2/(pi x)
  sure <- abs(J$value) > 1e-280 & abs(J1$value) > 1e-280 & abs(Y1$value) < 1e280
  parts <- cbind(J1$slope[, "nu"] * Y$value, J1$value * Y$slope[, "nu"], -J$slope[, "nu"] * Y1$value, -J$value * Y1$slope[, "nu"])
  expect_none(sure & !(abs(rowSums(parts)) < 1e-12 * (1 + nu + x) * rowSums(abs(parts))), at, "J and Y in the order", sum = rowSums(parts), size = rowSums(abs(parts)))
})
