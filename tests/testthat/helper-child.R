# A fresh R process for what must not happen to the one that tests: forks, interrupts, environments without a driver.

# Runs `code` (an expression) with the package attached, in the library and with the settings of this process. Gives the
# value of the last expression; a child that hangs is ended after `timeout` seconds and is an error, as is one that fails.
in_child <- function(code, timeout = 60, env = character()) {
  code <- substitute(code)
  script <- tempfile(fileext = ".R")
  value <- tempfile(fileext = ".rds")
  log <- tempfile(fileext = ".log")
  on.exit(unlink(c(script, value, log)))
  lines <- c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "suppressMessages(library(nmathopencl))",
    sprintf("saveRDS(%s, %s)", paste(deparse(code), collapse = "\n"), deparse(value))
  )
  writeLines(lines, script)
  # Checks start R with a profile of tests in R_TESTS, which a child in another folder does not find.
  status <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
    stdout = log, stderr = log, env = c("R_TESTS=", env), timeout = timeout
  ))
  if (status == 124) stop("the child hung for ", timeout, " seconds", call. = FALSE)
  if (status != 0 || !file.exists(value)) {
    stop("the child failed (", status, "): ", paste(readLines(log), collapse = "\n"), call. = FALSE)
  }
  readRDS(value)
}
