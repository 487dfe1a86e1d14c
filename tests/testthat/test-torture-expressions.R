# Random expressions, reductions and gradients against R, and generics of resident vectors (helper-torture-*.R). bench/torture.R runs
# the same on as many as one likes.

# On CRAN every sixth of them.
expect_untroubled_cases <- function(rule, device, cases) {
  if (as_on_cran()) cases <- cases[seq(1L, length(cases), by = 6L)]
  result <- torture_cases(rule, device, cases)
  expect(NROW(result$found) == 0L, paste(c(sprintf("%s on %s", rule, device), paste("#", result$found$class, "\n", result$found$code)), collapse = "\n"))
  invisible(result)
}

test_that("random expressions are as in R", {
  expect_untroubled_cases("expressions", "host", seq_len(if (compiler_here()) 8L else 60L))
  expect_untroubled_cases("expressions", "plain", 1000L + seq_len(cases(60, 30, 60)))
})

test_that("random reductions are as in R", {
  expect_untroubled_cases("reductions", "host", seq_len(6L))
  expect_untroubled_cases("reductions", "plain", 1000L + seq_len(cases(40, 20, 40)))
})

test_that("random gradients agree with differences", {
  result <- expect_untroubled_cases("gradients", "host", seq_len(10L))
  expect_gt(result$judged, 0.2 * result$elements)
  expect_untroubled_cases("gradients", "plain", 10L + seq_len(cases(80, 40, 80)))
})

test_that("random functions of one number are as in R, and their gradients agree with differences", {
  skip_on_cran() # a matter of seconds
  result <- expect_untroubled_cases("likelihoods", "host", seq_len(if (compiler_here()) 6L else 40L))
  plain <- expect_untroubled_cases("likelihoods", "plain", 1000L + seq_len(cases(60, 30, 60)))
  expect_gt(result$judged + plain$judged, 0.5 * (result$elements + plain$elements))
})

test_that("random loops over data are as in R, and their gradients agree with differences", {
  skip_on_cran() # a matter of seconds
  result <- expect_untroubled_cases("recursions", "host", seq_len(if (compiler_here()) 5L else 10L))
  plain <- expect_untroubled_cases("recursions", "plain", 1001:1005)
  expect_gt(result$judged + plain$judged, 0.5 * (result$elements + plain$elements))
})

test_that("random functions at many points are as in a loop of calls", {
  skip_on_cran() # a matter of seconds
  expect_untroubled_cases("points", "host", seq_len(if (compiler_here()) 6L else 20L))
  expect_untroubled_cases("points", "plain", 1000L + seq_len(cases(20, 10, 20)))
})

test_that("random Hessians agree with differences of gradients", {
  skip_on_cran() # a matter of seconds
  result <- expect_untroubled_cases("hessians", "host", seq_len(if (compiler_here()) 3L else 10L))
  plain <- expect_untroubled_cases("hessians", "plain", 1000L + seq_len(cases(12, 6, 12)))
  expect_gt(result$judged + plain$judged, 0.5 * (result$elements + plain$elements))
})

test_that("generics of resident vectors are as in R", {
  expect_untroubled_cases("vectors", "host", seq_along(torture_vector_calls))
  expect_untroubled_cases("vectors", "plain", 1001:1120)
})

test_that("every method for resident vectors is drawn", {
  methods <- sub("[.]opencl_vector$", "", grep("[.]opencl_vector$", ls(asNamespace("nmathopencl")), value = TRUE))
  registered <- as.character(getNamespaceInfo("nmathopencl", "S3methods")[, 1L])[getNamespaceInfo("nmathopencl", "S3methods")[, 2L] == "opencl_vector"]
  expect_true(all(registered %in% methods))
  expect_setequal(setdiff(registered, torture_vector_apart), setdiff(names(torture_vector_calls), c("matrixOps", "mtfrm")))
})

# A rule that flags nothing is worth nothing.
test_that("the rules find what is wrong", {
  rs <- torture_outcome(c(1, NA, 3))
  same <- function(value, warnings = character()) torture_differences(list(value = value, warnings = warnings, calls = warnings), rs, function() list(rs))
  expect_identical(same(c(1, NA, 3)), NULL)
  expect_identical(same(c(1, NA, 3 + 1e-11)), "value")
  expect_identical(same(c(1, NaN, 3)), "NA or NaN")
  expect_identical(same(c(1, NA, NaN)), "missing")
  expect_identical(same(c(1, 2, 3)), "missing")
  expect_identical(same(c(1, NA)), "length")
  expect_identical(same(c(1L, NA, 3L)), "type")
  expect_identical(same(c(a = 1, b = NA, c = 3)), "attributes")
  expect_identical(same(c(1, NA, 3), "NaNs produced"), "more warnings")
  x <- c(0.3, 1, 20, 1e-9)
  judged <- function(slope) as.vector(judge_slopes(slope, x, x^3, function(delta) (x + delta * x)^3, 2e-15 * x^3))
  expect_identical(judged(3 * x^2), rep("", 4))
  expect_identical(judged(3 * x^2 * (1 + 2e-4)), rep("value", 4))
  expect_identical(judged(c(3 * x[1:3]^2, NaN)), c("", "", "", "missing"))
  expect_identical(judged(c(Inf, 3 * x[2:3]^2, 0)), c("value", "", "", "value"))
})

test_that("code in findings gives the very same values", {
  for (x in list(c(a = 1L, b = NA), c(-0, 0.1 + 0.2, NaN, NA, Inf), matrix(c(TRUE, NA), 1), structure(2^-1074, note = "kept"), numeric())) {
    expect_identical(eval(str2lang(torture_text(x))), x)
  }
})
