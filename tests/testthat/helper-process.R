# Other R processes, which see the package that is tested.

test_environment <- function(env = character()) {
  c(paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep)), env)
}

# Runs code in a new R process and gives the lines it printed; an error there is an error here.
run_r <- function(code, env = character()) {
  script <- tempfile(fileext = ".R")
  on.exit(unlink(script))
  writeLines(code, script)
  old <- Sys.getenv(c("R_LIBS", sub("=.*", "", env)), NA, names = TRUE)
  on.exit({
    Sys.unsetenv(names(old)[is.na(old)])
    if (any(!is.na(old))) do.call(Sys.setenv, as.list(old[!is.na(old)]))
  }, add = TRUE)
  settings <- test_environment(env)
  do.call(Sys.setenv, as.list(stats::setNames(sub("^[^=]*=", "", settings), sub("=.*", "", settings))))
  lines <- suppressWarnings(
    system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = TRUE, stderr = TRUE)
  )
  status <- attr(lines, "status")
  if (!is.null(status) && status != 0) stop("the other R process failed: ", paste(lines, collapse = "\n"))
  as.character(lines)
}

# The same in the background: start_r() gives what finish_r() waits for; it returns the last line printed.
start_r <- function(code) {
  script <- tempfile(fileext = ".R")
  output <- tempfile()
  writeLines(code, script)
  old <- Sys.getenv("R_LIBS", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old))
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = output, stderr = output, wait = FALSE)
  list(script = script, output = output)
}

finish_r <- function(worker, seconds = 300) {
  until <- Sys.time() + seconds
  done <- function() file.exists(worker$output) && grepl("right$|rror", paste(readLines(worker$output, warn = FALSE), collapse = "\n"))
  while (!done() && Sys.time() < until) Sys.sleep(0.1)
  lines <- readLines(worker$output, warn = FALSE)
  unlink(unlist(worker))
  if (length(lines)) paste(lines, collapse = "\n") else ""
}
