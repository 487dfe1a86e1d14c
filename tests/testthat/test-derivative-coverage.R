# Each row of inst/spec/derivatives.tsv has a table of certified derivatives (ref-derivatives), and all tables come from one version
# of tools/derivative_reference.

tables <- sub("[.]tsv[.]bz2$", "", list.files(test_path("ref-derivatives"), "[.]tsv[.]bz2$"))

# Rows whose function is another one of the table under a second name: which table, and how it is called.
same_values <- list(
  r_pow = list("power", "r_pow(x, y)"), logspace_sum = list("logspace_add", "logspace_sum(logx, logy)"),
  bessel_j_ex = list("besselJ", "bessel_j_ex(x, nu)"), bessel_y_ex = list("besselY", "bessel_y_ex(x, nu)"),
  bessel_i_ex = list("besselI", "bessel_i_ex(x, nu, 1)"), bessel_i_ex = list("besselI.scaled", "bessel_i_ex(x, nu, 2)"),
  bessel_k_ex = list("besselK", "bessel_k_ex(x, nu, 1)"), bessel_k_ex = list("besselK.scaled", "bessel_k_ex(x, nu, 2)"),
  log1p_exp = list("log1pexp", "log1p(exp(x))"), Mod = list("abs", "Mod(x)"), ftrunc = list("trunc", "ftrunc(x)"), fround = list("round", "fround(x)"), fprec = list("signif", "fprec(x)")
)

# "name argument", by the rows' names.
arguments_of <- function(file) {
  table <- read_derivatives(test_path("ref-derivatives", paste0(file, ".tsv.bz2")))
  name <- sub("[.](log|scaled|far)$", "", file)
  operator <- derivative_operators[name]
  unique(paste(if (is.na(operator)) name else operator, vapply(table$of, `[`, "", 1L)))
}

test_that("no row lacks a table", {
  rules <- read_rules()
  covered <- unlist(lapply(tables, arguments_of))
  for (k in seq_along(same_values)) {
    table <- read_derivatives(test_path("ref-derivatives", paste0(same_values[[k]][[1L]], ".tsv.bz2")))
    covered <- c(covered, paste(names(same_values)[k], vapply(table$of, `[`, "", 1L)))
  }
  expect_identical(setdiff(paste(rules$name, rules$argument), covered), "dunif x") # which is 0, see below
})

test_that("no table is short, or has a column of which little is known", {
  skip_on_cran() # a matter of seconds
  for (file in tables) {
    table <- read_derivatives(test_path("ref-derivatives", paste0(file, ".tsv.bz2")))
    expect_gte(length(table$arguments[[1L]]), 100)
    known <- vapply(table$value, function(x) mean(!is.na(x)), 0)
    expect_true(all(known > 0.4), info = paste(file, paste(round(known, 2), collapse = " ")))
  }
})

test_that("a uniform density is flat", {
  for (log in c(TRUE, FALSE)) {
    f <- opencl_function(if (log) function(x) dunif(x, -1, 3, log = TRUE) else function(x) dunif(x, -1, 3), gradient = "x")
    outside <- if (log) NaN else 0 # of the logarithm, which is -Inf
    expect_identical(drop(unname(attr(f(c(-2, -1, 0, 1e-300, 2.9, 3, 4), device = "host"), "gradient"))), c(outside, rep(0, 5), outside))
  }
})

test_that("functions of two names have one derivative", {
  skip_on_cran()
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (k in seq_along(same_values)) {
    file <- test_path("ref-derivatives", paste0(same_values[[k]][[1L]], ".tsv.bz2"))
    scores <- derivative_scores(file, "0", call = same_values[[k]][[2L]])
    expect_identical(sum(scores$fail), 0L, info = paste(names(same_values)[k], scores$where[which.max(scores$worst)]))
  }
})

test_that("all tables come from one version of their maker", {
  record <- readLines(test_path("ref-derivatives", "VERSION"))
  version <- sub("^derivative_reference ", "", record[1L])
  source <- test_path("..", "..", "tools", "derivative_reference", "derivative_reference.cpp")
  if (file.exists(source)) expect_true(any(readLines(source) == paste0("static const char *VERSION = \"", version, "\";")))
  made <- strsplit(record[-(1:2)], "\t")
  expect_identical(sort(vapply(made, `[`, "", 1L)), sort(tables))
  expect_identical(unique(vapply(made, `[`, "", 3L)), version)
  sums <- tools::md5sum(test_path("ref-derivatives", paste0(vapply(made, `[`, "", 1L), ".tsv.bz2")))
  expect_identical(unname(sums), vapply(made, `[`, "", 2L))
})
