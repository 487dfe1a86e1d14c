# Gradients against certified derivatives (ref-derivatives): every rule of inst/spec/derivatives.tsv at some 200 points, far out too.
# On the host device R computes the nodes of the tree by the same device functions that kernels call, without a compiler, for all
# tables; compiled kernels and OpenCL devices take a sample.
skip_on_cran() # half a minute

tables <- sort(list.files(test_path("ref-derivatives"), "[.]tsv[.]bz2$"))

expect_derivatives <- function(file, device, rows = NULL) {
  scores <- derivative_scores(test_path("ref-derivatives", file), device, rows)
  bad <- scores[scores$fail > 0, ]
  text <- ""
  if (nrow(bad) > 0L) {
    first <- bad[which.max(bad$worst), ]
    text <- sprintf(
      "%s on %s: %d derivatives miss the bar, that in %s (%s) by %.3g eps(1+cond): %s", file, device_name(device), nrow(bad),
      first$argument, first$form, first$worst, first$where
    )
  }
  expect(nrow(bad) == 0L, text)
  expect_gt(sum(scores$n), 0)
}

test_that("every table holds on the host device", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (file in tables) expect_derivatives(file, "0")
})

test_that("compiled kernels give the same", {
  skip_on_cran()
  for (file in c("pnorm.tsv.bz2", "pgamma.tsv.bz2", "pcauchy.tsv.bz2", "pt.tsv.bz2", "df.tsv.bz2", "lchoose.tsv.bz2", "qgamma.log.tsv.bz2", "qnorm.log.tsv.bz2", "atan2.tsv.bz2")) {
    expect_derivatives(file, "0")
  }
})

test_that("so do OpenCL devices", {
  skip_on_cran()
  for (device in opencl_test_devices()) {
    for (file in c("pnorm.tsv.bz2", "pgamma.tsv.bz2", "lchoose.tsv.bz2", "qnorm.log.tsv.bz2")) expect_derivatives(file, device)
  }
})

test_that("each rule of a distribution has a table", {
  rules <- read_rules()
  of <- unlist(lapply(tables, function(file) {
    table <- read_derivatives(test_path("ref-derivatives", file))
    vapply(table$of, function(of) paste(sub("[.](log|scaled|far)$", "", table$name), of[1]), "")
  }))
  known <- paste(rules$name, rules$argument)[grepl("^[dpq]", rules$name) & rules$derivative != "0"]
  without <- setdiff(known, of)
  expect_identical(without, character())
})

test_that("the arguments that ?opencl_derivatives names have second derivatives together with each other", {
  facts <- derivative_facts()
  names(facts) <- vapply(facts, function(fact) fact$called, "")
  expect_identical(facts[["dt(ncp = )"]][c("first", "second", "lacking")], list(first = c("x", "df", "ncp"), second = character(), lacking = character()))
  expect_identical(facts[["pnbinom(mu = )"]][c("first", "second", "lacking")], list(first = c("size", "mu"), second = "mu", lacking = "q"))
  expect_identical(facts[["dgamma()"]]$second, c("x", "shape", "rate", "scale"))
  expect_identical(facts[["pgamma()"]]$second, c("q", "rate", "scale"))
  for (fact in facts) {
    together <- setdiff(fact$second, if ("scale" %in% fact$second) "rate")
    if (length(together) < 2L || fact$language) next
    row <- as.data.frame(function_table()[match(fact$name, function_table()$name), ])
    needed <- Filter(function(name) identical(parsed_formals(row$formals)[[name]], quote(expr = )), setdiff(fact$lacking, c("ncp", "mu")))
    arguments <- c(setdiff(c(fact$first, needed), c("rate"[!"rate" %in% together])), character())
    body <- call("sum", as.call(c(as.symbol(r_called(row)), lapply(stats::setNames(nm = arguments), as.symbol))))
    f <- as.function(c(sapply(arguments, function(name) quote(expr = )), body), envir = baseenv())
    expect_error(opencl_function(f, gradient = together, hessian = TRUE), NA, info = fact$called)
  }
})
