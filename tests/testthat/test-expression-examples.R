# Every construct of the language has an example, which R gives the same for: those of ?opencl_language.

unoptimized_programs()

test_that("every row of the language's table has an example, and R agrees", {
  table <- nmathopencl:::language_table()
  rows <- nmathopencl:::language_rows()
  without <- setdiff(table$name, vapply(rows, function(row) row$name, ""))
  expect_identical(without, c(".c_text", ".log_det", ".has_factor", ".has_inverse", ".solved", ".turned", ".diag", ".where", ".as_apply", ".unlisted", ".single", ".rows_chosen", ".as_outer", ".element", ".sums_by", ".refused", ".along", ".group_numbers", ".group_elements", ".group_unsplit", ".group_ave", ".rep_by", ".named_as", ".chosen")) # which are no user's
  given <- list(x = c(0.5, 2, 4), y = c(1, 3, 2), X = cbind(1, c(-1, 0, 1)), b = c(0.2, -0.1), link = "probit", flag = TRUE, data = data.frame(y = c(1, 3, 2)), g = c(1L, 2L, 1L))
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  for (row in rows) {
    expr <- str2lang(row$shown)
    formals <- stats::setNames(rep(alist(x = ), length(given)), names(given))
    f <- as.function(c(formals, expr), envir = globalenv())
    formals(f) <- formals[intersect(names(given), all.vars(expr))]
    values <- given[names(formals(f))]
    expect_equal(suppressWarnings(do.call(opencl_function(f), c(values, device = "host"))), suppressWarnings(do.call(f, values)), info = row$shown)
  }
})

test_that("kernels of all the examples give what R gives", {
  skip_without_compiler()
  apart <- c("return", "any", "all", "for", "while", "repeat", "break", "next", "vapply", "sapply", "numeric", "rep") # tests of their own
  rows <- Filter(function(row) !row$name %in% apart && !row$kind %in% c("index", "reduction"), nmathopencl:::language_rows())
  parts <- lapply(rows, function(row) call("as.numeric", str2lang(row$shown)))
  given <- list(x = c(0.5, 2, 4), y = c(1, 3, 2), X = cbind(1, c(-1, 0, 1)), b = c(0.2, -0.1), link = "probit", flag = TRUE, data = data.frame(y = c(1, 3, 2)), g = c(1L, 2L, 1L))
  for (some in split(parts, seq_along(parts) %/% 20)) {
    total <- Reduce(function(a, b) call("+", a, call("ifelse", call("is.finite", b), b, 0)), some, 0)
    f <- as.function(c(alist(x = , y = , X = , b = , link = , flag = , data = , g = ), total), envir = globalenv())
    known <- suppressWarnings(do.call(f, given))
    made <- opencl_function(f)
    for (device in expression_devices()) {
      ours <- suppressWarnings(do.call(made, c(given, device = device)))
      expect_equal(as.vector(ours), as.vector(known), tolerance = 1e-12)
    }
  }
})
