# For a processor it is more work to hand a check's success from the process that tests to the one that counts than to make most
# of them. So the successes of a test count as one; a failure is told as it is elsewhere.
as_one <- function(code) {
  held <- 0
  tell <- function(...) if (held > 0) testthat::succeed()
  withCallingHandlers(code, skip = tell, expectation_success = function(success) {
    held <<- held + 1
    invokeRestart("continue_test")
  })
  tell()
}
as_one <- utils::removeSource(as_one) # or its lines are taken for the place of a failure

test_that <- function(desc, code) {
  compiling_devices(restart = TRUE)
  test <- call("test_that", desc, call("{", call("as_one", substitute(code))))
  eval(test, list(test_that = testthat::test_that), parent.frame())
}
