# Devices that compute with pairs of floats in the place of doubles.

# "host", and each OpenCL device, as users name them by index; `compilers`: all that compile programs.
pair_devices <- function() if (nmathopencl:::host_compiles()) test_devices() else setdiff(test_devices(), "0")

skip_without_pairs <- function() if (length(pair_devices()) == 0L) testthat::skip("no device compiles programs")

# Evaluates with pairs of floats, or in single precision, on a device if one is named.
with_single <- function(code, device = NULL) with_pairs(code, device, "single")
with_pairs <- function(code, device = NULL, arithmetic = "pair") {
  old <- options(c(list(nmathopencl.arithmetic = arithmetic), if (!is.null(device)) list(nmathopencl.device = device)))
  on.exit(options(old))
  force(code)
}

# Numbers that pairs of floats compute with, see ?pairs_of_floats.
is_pair_number <- function(x) is.na(x) | x == 0 | is.infinite(x) | (abs(x) >= 2^-100 & abs(x) <= 2^100)

# What is nearest to numbers: the reference of a table is that of the double.
pair_error <- function(value, ref, cond, unit = 2^-40) {
  unit <- unit * (1 + cond)
  wrong_nan <- is.nan(ref) != is.nan(value)
  largest <- 3.4028234663852886e38
  beyond <- !is.nan(ref) & (is.infinite(ref) | abs(ref) > largest)
  bad_end <- beyond & !(is.infinite(value) & sign(value) == sign(ref)) & !(is.finite(ref) & abs(value) > 0.99 * largest)
  left <- ifelse(abs(ref) < 2^-126, 2^-126, 2^-148)
  error <- ifelse(ref == 0, ifelse(abs(value) <= left, 0, Inf), pmax(abs(value - ref) - left, 0) / abs(ref) / unit)
  error[beyond | is.nan(ref)] <- 0
  error[is.na(error)] <- Inf
  error[wrong_nan | bad_end] <- Inf
  error
}

# A function's reference table in pairs: a row for each table, with the worst error in units of 2^-40 (1 + condition number).
# `most`: so many rows.
as_float <- function(x) {
  rounded <- x
  finite <- is.finite(x)
  rounded[finite] <- readBin(writeBin(x[finite], raw(), size = 4L), "double", sum(finite), size = 4L)
  rounded
}

# The condition number of doubles next to a table's rows, whose arguments were moved.
condition_by_steps <- function(name, table, arguments) {
  value <- function(table) with_device("host", call_on_table(name, table))
  at <- value(table)
  cond <- 0
  for (argument in arguments) {
    moved <- table
    moved[[argument]] <- table[[argument]] * (1 + 2^-24)
    change <- abs(value(moved) - at) / abs(at) * 2^24
    cond <- cond + ifelse(is.finite(change), change, 0)
  }
  cond
}

# The same in single precision: of 4 units of 2^-23.
single_table <- function(name, path, device, most = Inf) pair_table(name, path, device, most, "single")
pair_table <- function(name, path, device, most = Inf, arithmetic = "pair") {
  single <- arithmetic == "single"
  table <- read_reference(path)
  arguments <- table[setdiff(names(table), c(flag_names, "ref", "cond"))]
  cond <- if (is.null(table$cond)) rep(0, nrow(table)) else table$cond
  inside <- Reduce(`&`, lapply(arguments, is_pair_number)) & cond < if (single) 2^16 else 2^38 # else the next pair has another value altogether
  rows <- which(inside)
  if (length(rows) > most) rows <- rows[unique(round(seq(1, length(rows), length.out = most)))]
  if (length(rows) == 0L) return(data.frame(name = name, rows = 0L, worst = 0, where = ""))
  if (single) { # which rounds the arguments: the reference is that of doubles, which meet the table, for these
    table[names(arguments)] <- lapply(arguments, as_float)
    table$ref <- with_device("host", call_on_table(name, table))
    cond <- pmax(cond, condition_by_steps(name, table, names(arguments)))
    rows <- rows[cond[rows] < 2^16]
  }
  value <- with_pairs(call_on_table(name, table[rows, , drop = FALSE]), device, arithmetic)
  error <- pair_error(value, table$ref[rows], cond[rows], if (single) 2^-21 else 2^-40)
  at <- which.max(error)
  data.frame(name = name, rows = length(rows), worst = error[at], where = describe_row(table[rows, , drop = FALSE], value, at))
}

with_arithmetic_option <- function(arithmetic, code) {
  old <- options(nmathopencl.arithmetic = arithmetic)
  on.exit(options(old))
  force(code)
}

# Functions of users, what they have a gradient in, and their arguments; and numbers with their groups.
cases_of_arithmetic <- function() {
  set.seed(5)
  n <- 3000
  x <- rnorm(n)
  X <- cbind(1, x, rnorm(n))
  g <- sample(5L, n, TRUE)
  y <- rpois(n, exp(X %*% c(0.1, 0.2, -0.3)))
  cases <- list(
    list(function(y, X, b) sum(dpois(y, exp(X %*% b), log = TRUE)), "b", list(y, X, c(0.1, 0.2, -0.3))),
    list(function(x, u, g, s) sum(dnorm(x, u[g], s, log = TRUE)), c("u", "s"), list(x, 1:5 / 10, g, 1.3)),
    list(function(x, s) { m <- mean(x); sum(dnorm(x - m, 0, s, log = TRUE)) }, "s", list(x, 1.2)),
    list(function(x, a) pgamma(exp(x), a) * besselI(abs(x), 0.5), "a", list(x[1:50], 2.5)),
    list(function(y, a) {
      h <- numeric(length(y))
      h[1] <- 1
      for (t in 2:length(y)) h[t] <- a * h[t - 1] + 0.1 * y[t - 1]^2
      sum(dnorm(y, 0, sqrt(h), log = TRUE))
    }, "a", list(x[1:300], 0.8)),
    list(function(x) prod(x) + max(x) - min(x), NULL, list(abs(x[1:900]) + 0.01)),
    list(function(x, a, s) sum(dgamma(x, a, scale = s, log = TRUE) + lgamma(x) * sqrt(x)), c("a", "s"), list(abs(x) + 0.01, 2.5, 1.5)),
    list(function(x) ifelse(x > 0, log1p(abs(x)), expm1(x)) + x %/% 0.25 + sin(pi * x), NULL, list(round(x * 64) / 64)),
    list(function(x, m, s) sum(dnorm(x, m, s, log = TRUE)), c("m", "s"), list(x, over = list(m = 1:4 / 10, s = c(1, 2, 1, 2)))),
    list(function(y, X, b) sum(dpois(y, exp(X %*% b), log = TRUE)), "b", list(y, X, over = list(b = cbind(1:6 / 10, 0.2, -0.3))))
  )
  list(cases = cases, x = x, g = g)
}
