# testthat's own take some milliseconds for what R knows to be identical, or within the tolerance at every element, and most of what
# is compared here is. What is not goes to testthat, as it was evaluated.
known_first <- function(expect, known) {
  force(expect)
  force(known)
  function(object, expected, ..., label = NULL, expected.label = NULL) {
    if (known(object, expected, ...)) {
      testthat::succeed()
      return(invisible(object))
    }
    text <- function(expr) deparse(expr, nlines = 1L)[1L]
    expect(object, expected, ..., label = label %||% text(substitute(object)), expected.label = expected.label %||% text(substitute(expected)))
  }
}

is_near <- function(object, expected, tolerance = testthat::testthat_tolerance(), ...) {
  if (identical(object, expected)) return(TRUE)
  if (...length() > 0L && !identical(names(match.call(expand.dots = FALSE)$...), "info")) return(FALSE)
  if (!is.numeric(tolerance) || !is.double(object) || !is.double(expected) || length(object) != length(expected)) return(FALSE)
  if (!identical(attributes(object), attributes(expected))) return(FALSE)
  object <- as.vector(object)
  expected <- as.vector(expected)
  apart <- is.na(expected) | is.na(object) | object != expected
  if (!identical(object[apart & is.na(object)], expected[apart & is.na(expected)]) || !identical(is.na(object), is.na(expected))) return(FALSE)
  apart <- apart & !is.na(expected)
  all(is.finite(expected[apart])) && all(abs(object[apart] - expected[apart]) <= tolerance * abs(expected[apart]))
}

expect_identical <- known_first(testthat::expect_identical, function(object, expected, ...) identical(object, expected))
expect_equal <- known_first(testthat::expect_equal, is_near)
