# inst/spec/derivatives.tsv and the rules of language.tsv: what their rows name exists, and they are right at a few random points and at the edges. Every row at
# many points, and against mpmath, is tools/check_derivatives.R's.

rules <- read_rules()
functions <- utils::read.delim(system.file("spec", "functions.tsv", package = "nmathopencl"), colClasses = "character", quote = "",
                               na.strings = character())

operators <- c("+", "-", "*", "/", "^", "%%", "%/%")
language <- utils::read.delim(system.file("spec", "language.tsv", package = "nmathopencl"), colClasses = "character", quote = "")
elementary <- c(language$name[language$kind == "elementary"], "abs", "log", "log1p", "expm1", "sinpi", "cospi", "tanpi", "trunc", "round",
                "signif", "sign")

# Columns by R's name, and by the table's own where they differ (gamma is gammafn there).
columns <- local({
  columns <- strsplit(functions$columns, ", ")
  names(columns) <- functions$name
  mirrored <- sub(".*::", "", functions$mirrors)
  extra <- mirrored != functions$name & mirrored %in% c("gamma", "lgamma")
  c(columns, structure(columns[extra], names = mirrored[extra]))
})
# What rules call beside these: device functions that R has no name for.
rule_table <- utils::read.delim(system.file("spec", "rule_functions.tsv", package = "nmathopencl"), colClasses = "character", quote = "")
rule_columns <- structure(strsplit(rule_table$columns, ", "), names = rule_table$name)
formal_columns <- function(name) {
  if (name %in% operators) return(c("x", "y"))
  if (name == "atan2") return(c("y", "x"))
  if (name %in% elementary) return("x")
  if (name %in% names(rule_columns)) return(rule_columns[[name]])
  columns[[name]]
}

test_that("each row names a function and an argument that exist, once", {
  expect_identical(names(rules), c("name", "argument", "form", "derivative", "source"))
  expect_false(any(duplicated(rules[c("name", "argument", "form")])))
  expect_true(all(nzchar(rules$source)))
  expect_true(all(rules$form %in% c("value", "log", "logupper", "lower", "quantile", "tail", "end", "edge", "slope")))
  known <- mapply(function(name, argument) argument %in% formal_columns(name), rules$name, rules$argument)
  expect_identical(unique(rules$name[!known]), character())
  flags <- vapply(rules$name, function(name) {
    if (name %in% c("gamma", "lgamma") || !name %in% functions$name) "" else functions$flags[functions$name == name]
  }, "")
  expect_true(all(rules$form[flags == ""] == "value"))
  expect_true(all(rules$form[flags == "log"] %in% c("log", "end")))
  expect_true(all(rules$form[grepl("^p", rules$name) & flags == "lower.tail, log.p"] %in% c("lower", "log", "logupper")))
  expect_true(all(rules$form[grepl("^q", rules$name) & flags == "lower.tail, log.p"] %in% c("quantile", "tail", "end", "edge", "slope")))
  # log forms come beside a plain one
  key <- paste(rules$name, rules$argument)
  tails <- grepl("^p", rules$name) & rules$form %in% c("log", "logupper")
  expect_true(all(key[tails] %in% key[rules$form == "lower"]))
})

test_that("the expressions use the language of the rules and the function's own arguments", {
  language <- c("+", "-", "*", "/", "^", "(", "<", ">", "<=", ">=", "==", "!=", "&", "|", "!", "ifelse", "pmin", "pmax", "is.finite", "atan2",
                elementary, names(columns), names(rule_columns))
  called <- function(e) if (is.call(e)) c(as.character(e[[1]]), unlist(lapply(as.list(e)[-1], called)))
  strange <- lapply(seq_len(nrow(rules)), function(i) {
    call <- parse(text = rules$derivative[i], keep.source = FALSE)
    c(if (length(call) != 1) "more than one expression", setdiff(all.vars(call), c(".value", formal_columns(rules$name[i]), if (grepl("^q", rules$name[i])) c("lower.tail", "log.p"))),
      setdiff(called(call[[1]]), language))
  })
  expect_identical(rules$derivative[lengths(strange) > 0], character())
})

test_that("every continuous family has its rules", {
  has <- function(name, argument, form) any(rules$name == name & rules$argument == argument & rules$form == form)
  families <- c("norm", "lnorm", "unif", "exp", "gamma", "chisq", "beta", "f", "t", "weibull", "logis", "cauchy", "nchisq", "nbeta", "nf", "nt")
  for (family in families) {
    density <- formal_columns(paste0("d", family))
    if (grepl("^n(chisq|beta|f|t)$", family)) density <- c("x", "ncp")
    for (argument in density) expect_true(has(paste0("d", family), argument, "log"), info = paste(family, argument))
    for (form in c("lower", "log", "logupper")) expect_true(has(paste0("p", family), "q", form), info = paste(family, form))
    expect_true(has(paste0("q", family), "p", if (family == "unif") "quantile" else "tail"), info = family)
  }
})

test_that("the rules agree with Richardson's differences", {
  skip_on_cran() # a matter of seconds
  if (exists(".Random.seed", globalenv())) {
    seed <- get(".Random.seed", globalenv())
    on.exit(assign(".Random.seed", seed, globalenv()))
  }
  set.seed(7)
  slow <- grepl("^qn(chisq|beta|f|t)$|^[dp]nt$", rules$name)         # sums and integrals in plain R: left to the tool
  found <- lapply(which(!slow & !rules$form %in% c("end", "edge", "slope")), function(i) cbind(rules[i, 1:3], check_rule(rules[i, ], if (grepl("^.n", rules$name[i])) 2 else 6)))
  found <- do.call(rbind, found)
  expect_gt(mean(found$judged), 0.9)
  expect_identical(found[found$judged > 0 & !(found$error <= 1e-7), ], found[0, ])
})

test_that("edges: outside the support, at its ends and at kinks", {
  at <- function(.name, .argument, .form, ...) {
    rule_derivative(rules[rules$name == .name & rules$argument == .argument & rules$form == .form, ], list(...))
  }
  expect_identical(at("abs", "x", "value", x = c(-2, 0, 3)), c(-1, 0, 1))
  expect_identical(at("log", "x", "value", x = c(-1, 0, 2)), c(NaN, Inf, 0.5))
  expect_identical(at("^", "x", "value", x = c(0, 0, 0, -2), y = c(0, 1, 2, 3)), c(0, 1, 0, 12))
  expect_identical(at("^", "y", "value", x = c(0, 1), y = c(2, 5)), c(0, 0))
  expect_identical(at("%%", "y", "value", x = c(7.5, -7.5), y = c(2, 2)), c(-3, 4))
  expect_identical(at("dgamma", "shape", "log", x = c(-1, 0), shape = 2, scale = 1), c(NaN, -Inf))
  expect_identical(at("dgamma", "x", "log", x = c(0, -1), shape = 1, scale = 2), c(-0.5, NaN))
  expect_identical(at("dgamma", "scale", "log", x = 1, shape = -1, scale = 2), NaN)
  expect_identical(at("dlnorm", "sdlog", "log", x = c(-1, 0, Inf), meanlog = 0, sdlog = 1), c(NaN, Inf, Inf))
  expect_identical(at("dnorm", "sd", "log", x = c(Inf, 1), mean = 0, sd = c(1, -1)), c(Inf, NaN))
  expect_identical(at("dunif", "max", "log", x = c(-1, 0.5), min = 0, max = 2), c(NaN, -0.5))
  expect_identical(at("dbeta", "x", "log", x = c(0, 1, 2), shape1 = 1, shape2 = c(2, 1, 3)), c(-1, 0, NaN))
  expect_identical(at("dweibull", "x", "log", x = 0, shape = 1, scale = 2), -0.5)
  expect_identical(at("df", "x", "log", x = 0, df1 = 2, df2 = 4), -1.5)
  expect_identical(at("dt", "x", "log", x = 2, df = Inf), -2)
  expect_identical(at("df", "x", "log", x = c(0.5, 2^-40), df1 = Inf, df2 = 5), c(3, 2.5 * 2^80 - 3.5 * 2^40))
  expect_equal(at("bd0", "x", "value", x = 2^1000, np = 2^-1000), 2000 * log(2), tolerance = 1e-15)
  expect_identical(at("dpois", "lambda", "log", x = c(0, 3, -1), lambda = c(0, 2, 2)), c(-1, 0.5, NaN))
  expect_identical(at("dbinom", "prob", "log", x = c(0, 4, 2), size = 4, prob = c(0, 1, 0)), c(-4, 4, Inf))
  expect_identical(at("dgeom", "prob", "log", x = c(0, 2), prob = c(1, 1)), c(1, -Inf))
  expect_identical(at("dnbinom_mu", "mu", "log", x = 0, size = 3, mu = 0), -1)
  # 0, but NaN of the log of a probability that is 0: below and above the support, and at its ends
  edge <- function(form, q, ...) ifelse(form == "log" & q %in% c(-Inf, -1, 0) | form == "logupper" & q %in% c(...), NaN, 0)
  for (form in c("lower", "log", "logupper")) {
    expect_identical(at("pnorm", "sd", form, q = c(-Inf, Inf), mean = 0, sd = 1), edge(form, c(-Inf, Inf), Inf))
    expect_identical(at("pnorm", "q", form, q = c(-Inf, Inf), mean = 0, sd = 1) + 0, switch(form, lower = c(0, 0), log = c(Inf, 0), logupper = c(0, -Inf)))
    expect_identical(at("pgamma", "scale", form, q = c(-1, 0, Inf), shape = 0.5, scale = 1), edge(form, c(-1, 0, Inf), Inf))
    expect_identical(at("pexp", "rate", form, q = c(-1, Inf), rate = 2) + 0, if (form == "logupper") c(0, -Inf) else edge(form, c(-1, Inf)))
    expect_identical(at("pweibull", "shape", form, q = c(-1, 0, Inf), shape = 0.5, scale = 1), edge(form, c(-1, 0, Inf), Inf))
    expect_identical(at("pweibull", "scale", form, q = c(-1, 0, Inf), shape = 0.5, scale = 1), edge(form, c(-1, 0, Inf), Inf))
    expect_identical(at("plnorm", "sdlog", form, q = c(-1, 0, Inf), meanlog = 0, sdlog = 1), edge(form, c(-1, 0, Inf), Inf))
    expect_identical(at("plnorm", "meanlog", form, q = c(-1, 0, Inf), meanlog = 0, sdlog = 1) + 0, if (form == "logupper") c(0, 0, Inf) else edge(form, c(-1, 0, Inf)))
    expect_identical(at("punif", "min", form, q = c(-1, 3, Inf), min = 0, max = 1), edge(form, c(-1, 3, Inf), 3, Inf))
    expect_identical(at("plogis", "scale", form, q = c(-Inf, Inf), location = 0, scale = 1), edge(form, c(-Inf, Inf), Inf))
    expect_identical(at("pcauchy", "scale", form, q = c(-Inf, Inf), location = 0, scale = 1), edge(form, c(-Inf, Inf), Inf))
    expect_identical(at("ppois", "lambda", form, q = c(-1, Inf), lambda = 2) + 0, if (form == "logupper") c(0, Inf) else edge(form, c(-1, Inf)))
    expect_identical(at("pbinom", "prob", form, q = c(-1, 3, Inf), size = 3, prob = 0.5) + 0, edge(form, c(-1, 3, Inf), 3, Inf))
    expect_identical(at("pgeom", "prob", form, q = c(-1, Inf), prob = 0.5), edge(form, c(-1, Inf), Inf))
    expect_identical(at("pnbinom", "prob", form, q = c(-1, Inf), size = 2, prob = 0.5), edge(form, c(-1, Inf), Inf))
  }
  # tails where the plain value is 0: the hazard of the normal, exponential and Weibull laws
  expect_equal(at("pnorm", "q", "log", q = -1e4, mean = 0, sd = 1), 1e4, tolerance = 1e-7)
  expect_identical(at("pexp", "q", "logupper", q = 1e5, rate = 2), -2)
  expect_equal(at("pweibull", "scale", "logupper", q = 100, shape = 3, scale = 2), 3 * 50^3 / 2, tolerance = 1e-14)
  expect_equal(at("qnorm", "p", "tail", p = 0.5, mean = 3, sd = 2), 2 * sqrt(2 * pi), tolerance = 1e-14)
  expect_identical(at("qweibull", "shape", "quantile", p = 0, shape = 2, scale = 1), 0)
  expect_identical(at("besselJ", "x", "value", x = 0, nu = c(0, 1, 2)), c(0, 0.5, 0))
  expect_identical(at("besselI", "x", "value", x = 0, nu = c(0, 0, 1), expon.scaled = c(FALSE, TRUE, FALSE)), c(0, -1, 0.5))
  expect_equal(at("choose", "n", "value", n = c(0, 1, 5), k = 3), c(1 / 3, -1 / 6, 47 / 6), tolerance = 1e-14)
  expect_identical(at("logspace_add", "logx", "value", logx = c(-Inf, -Inf, 0), logy = c(-Inf, 0, -Inf)), c(0.5, 0, 1))
})
