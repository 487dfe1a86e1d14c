#!/usr/bin/env Rscript
# check_derivatives.R -- every rule of inst/spec/derivatives.tsv and language.tsv against differences, and most against mpmath.
#
#   Rscript tools/check_derivatives.R [NAME ...]     all rows, or those of the named functions; from the repository's root
#
# First in plain R (tests/testthat/helper-derivatives.R): 100 random points each, Richardson-extrapolated differences of R's own
# functions, 1e-7. A point counts where the differences are sharp enough to tell. Then the rule, evaluated in double precision,
# against tools/check_derivatives.py, 1e-12: what is left after the rounding of the arguments is allowed for, so that a point near
# a zero of the derivative is no failure and cancellation that a better formula avoids is one. Points far out are listed below.
# Prints a line per row; the exit status is 1 if any fails, or if mpmath could judge fewer than 25 rows of a whole run.

source("tests/testthat/helper-derivatives.R")
python <- Sys.getenv("PYTHON", "/usr/bin/python3")
points <- as.integer(Sys.getenv("POINTS", "100"))
exact_points <- 6

rules <- read_rules("inst/spec")
wanted <- commandArgs(TRUE)
if (length(wanted)) rules <- rules[rules$name %in% wanted, ]
rules <- rules[!rules$form %in% c("end", "edge", "slope"), ] # tests/testthat/test-gradient-classes.R and test-quantile-slopes.R have them
set.seed(20)

# Far out, where formulas cancel, overflow or change.
far <- list(
  dt = list(x = c(0.5, 3, 40, 1e-3, 2), df = c(1e4, 1e6, 21, 19.5, 20.5)),
  df = list(x = c(0.9, 1.2, 3, 0.01, 1.1), df1 = c(1e5, 3, 29, 40, 31), df2 = c(2e5, 1e6, 33, 5, 29.5)),
  dbeta = list(x = c(0.4, 1e-4, 0.999), shape1 = c(1e5, 2, 1e6), shape2 = c(1.5e5, 2e4, 3)),
  dnbinom = list(x = c(3, 0, 10, 5), size = c(1e6, 1e4, 14.5, 15.5), prob = c(0.9999, 0.9, 0.3, 0.5)),
  dnbinom_mu = list(x = c(3, 0, 10, 5, 0, 2), size = c(1e6, 1e8, 14.5, 15.5, 1, 0.01), mu = c(2, 1, 8, 20, 1e-6, 1e4)),
  dgamma = list(x = c(1e4, 1e-20, 2e6), shape = c(1.02e4, 0.01, 1e6), scale = c(1, 3, 2.01)),
  dbinom = list(x = c(1000, 1), size = c(1e6, 1e5), prob = c(1.1e-3, 2e-5)),
  lbeta = list(a = c(1e8, 2, 16, 14), b = c(2, 1e8, 0.3, 30)), beta = list(a = c(100, 0.01), b = c(2, 5)),
  lchoose = list(n = c(1e6, 20.5, -1e5, 18.5), k = c(2, 5, 3, 3)), choose = list(n = c(1e6, 20.5, -1e5, 3, 0), k = c(2, 5, 3, 6, 4)),
  stirlerr = list(n = c(8.9, 9.1, 1e6, 1e-3)), lgammacor = list(x = c(10, 1e5)),
  pnorm = list(q = c(-30, 30, 8), mean = c(0.5, 0.5, 1), sd = c(1, 1.5, 0.7)),
  pgamma = list(q = c(1e-3, 300), shape = c(5, 3), scale = c(1, 1.5)),
  pexp = list(q = c(1e-8, 500), rate = c(1, 2)), pweibull = list(q = c(1e-4, 20), shape = c(2, 2), scale = c(1, 1)),
  plogis = list(q = c(-500, 500), location = c(1, 1), scale = c(1, 1)),
  expm1 = list(x = c(-30, 1e-10)), tanh = list(x = c(30, 1e-10)), log1mexp = list(x = c(1e-10, 40)), bd0 = list(x = c(1e6, 1e-5), np = c(1e6 + 1, 3)),
  besselI = list(x = c(1e-5, 300, 990, 1010, 7e4, 2e4), nu = c(2, 0.5, 0, 0, 1, 4), expon.scaled = c(FALSE, TRUE, TRUE, TRUE, TRUE, TRUE)),
  besselK = list(x = c(1e-5, 300, 990, 1010, 7e4, 2e4), nu = c(0.2, 3, 0, 0, 1, 4), expon.scaled = c(FALSE, TRUE, TRUE, TRUE, TRUE, TRUE)))

differences <- lapply(seq_len(nrow(rules)), function(i) check_rule(rules[i, ], points))
differences <- do.call(rbind, differences)

lines <- character()
for (i in seq_len(nrow(rules))) {
  sets <- list(rule_points(rules$name[i], exact_points)$args)
  if (!is.null(far[[rules$name[i]]])) sets <- c(sets, list(far[[rules$name[i]]]))
  for (args in sets) {
    value <- rule_derivative(rules[i, ], args)
    start <- suppressWarnings(rule_call(rules$name[i], rules$form[i], args))
    text <- Map(function(name, x) sprintf("%s=%.17g", name, as.double(x)), names(args), args)
    keep <- is.finite(value) & value != 0 & is.finite(start)
    if (any(keep)) lines <- c(lines, do.call(paste, c(list(i, rules$name[i], rules$argument[i], sub("tail", "quantile", rules$form[i]), sprintf("%.17g", value),
                                                           sprintf("%.17g", start)), text, sep = "\t"))[keep])
  }
}
answers <- system2(python, "tools/check_derivatives.py", input = lines, stdout = TRUE)
if (length(answers) != length(lines)) stop("mpmath answered ", length(answers), " of ", length(lines), " lines")
fields <- strsplit(answers, " ")
row <- as.integer(vapply(fields, `[`, "", 1))
text <- vapply(fields, `[`, "", 2)
if (nzchar(Sys.getenv("SHOW"))) print(data.frame(line = lines, error = text)[which(suppressWarnings(as.numeric(text)) > 1e-12), ])
exact <- rep(NA_real_, nrow(rules))
for (i in unique(row[text != "skip"])) exact[i] <- max(as.numeric(text[row == i]))

ok <- differences$ok & (is.na(exact) | exact <= 1e-12)
cat(sprintf("%-14s %-10s %-9s %7s %12s %10s\n", "name", "argument", "form", "judged", "differences", "mpmath"))
cat(sprintf("%-14s %-10s %-9s %6.0f%% %12.1e %10s%s\n", rules$name, rules$argument, rules$form, 100 * differences$judged, differences$error,
            ifelse(is.na(exact), "", sprintf("%.1e", exact)), ifelse(ok, "", "   FAILED")), sep = "")
cat(sprintf("\n%d rules, %d against mpmath, %d failed\n", nrow(rules), sum(!is.na(exact)), sum(!ok)))
if (!all(ok) || (!length(wanted) && sum(!is.na(exact)) < 25)) quit(status = 1)
