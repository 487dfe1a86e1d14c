# testthat's own take some milliseconds for what R knows to be identical, and most of what is compared here is. What is not goes to
# testthat, as it was evaluated.
identical_first <- function(expect) {
  force(expect)
  function(object, expected, ..., label = NULL, expected.label = NULL) {
    if (identical(object, expected)) {
      testthat::succeed()
      return(invisible(object))
    }
    text <- function(expr) deparse(expr, nlines = 1L)[1L]
    expect(object, expected, ..., label = label %||% text(substitute(object)), expected.label = expected.label %||% text(substitute(expected)))
  }
}
expect_identical <- identical_first(testthat::expect_identical)
expect_equal <- identical_first(testthat::expect_equal)
