# The progress bar of long calls.

# What the core tells how far a call is: NULL, or a function that shows a bar once a call has taken 2 seconds. The bar
# closes with the frame `envir`. options(nmathopencl.progress = TRUE or FALSE) decides, by default interactive use.
call_progress <- function(what, envir, show = getOption("nmathopencl.progress", interactive()), after = 2) {
  if (!isTRUE(show)) return(NULL)
  bar <- NULL
  function(done, total, seconds) {
    if (seconds < after) return(invisible())
    if (is.null(bar)) {
      bar <<- cli::cli_progress_bar(what, total = total, .envir = envir, clear = TRUE)
    }
    cli::cli_progress_update(set = done, id = bar, .envir = envir)
  }
}

# Told once while a call waits for programs that are compiled, where bars are shown (CompilingNotice in src/r_boundary.cpp).
tell_compiling <- function() {
  if (!isTRUE(getOption("nmathopencl.progress", interactive()))) return(invisible())
  progress_step(message("nmathopencl: compiling programs for this call; later calls of its kind use them"))
}

# What the core evaluates: a bar that fails stops nothing, but a time limit that R finds exceeded meanwhile does, as R
# tells of it only once.
progress_step <- function(reported) {
  tryCatch(reported, error = function(e) if (conditionMessage(e) %in% time_limit_texts()) stop(e))
  NULL
}

time_limit_texts <- function() {
  kinds <- c("elapsed time", "CPU time", "session elapsed time", "session CPU time")
  gettext(paste("reached", kinds, "limit"), domain = "R")
}
