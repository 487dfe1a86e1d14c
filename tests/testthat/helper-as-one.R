# Thousands of checks of one kind count as one: for a processor it is more work to hand a check's success from the process that
# tests to the one that counts than to make most of them. A failure is told as it is elsewhere.
as_one <- function(code) {
  held <- 0
  withCallingHandlers(code, expectation_success = function(success) {
    held <<- held + 1
    invokeRestart("continue_test")
  })
  if (held > 0) testthat::succeed()
}
