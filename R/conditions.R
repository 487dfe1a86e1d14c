# Errors: one class, and the call that the user made.

# The one place where a failure of the core becomes an R condition.
raise_core_error <- function(error, call) {
  stop(structure(
    class = c(if (identical(error$status, "NMATHOPENCL_RANGE")) "nmathopencl_range", "nmathopencl_error", "error", "condition"),
    list(
      message = error$message, call = call, step = error$step, status = error$status, hint = error$hint,
      device = error$device, build_log = error$build_log
    )
  ))
}

# What the C++ core throws where a wrapper does not hand it back as data.
from_core <- function(value) tryCatch(value, "C++Error" = function(e) argument_error(conditionMessage(e)))

# An error found here, of the class that the core's have.
argument_error <- function(...) {
  error <- list(message = paste0(...), step = "", status = "", hint = "", device = "", build_log = "")
  raise_core_error(error, user_call())
}

# The end of a message that tells of a limit of the package: the page that lists them. In C++ it is NMATHOPENCL_SEE_LIMITS.
see_limits <- " (see ?nmathopencl_limits)"

# What the package does not do, where R would: no fault of the caller's.
limit_error <- function(...) argument_error(..., see_limits)

# An error with the text and the call that stats or base would give; it is of our class too.
mirrored_error <- function(message, call) {
  structure(class = c("nmathopencl_error", "simpleError", "error", "condition"), list(message = message, call = call))
}

# The call with which the user entered this package: the outermost one of a function of its.
user_call <- function() {
  home <- topenv()
  for (k in seq_len(sys.nframe())) {
    from <- environment(sys.function(k))
    if (!is.null(from) && identical(topenv(from), home)) {
      call <- sys.call(k)
      return(if (k > 1L && is.function(call[[1L]])) sys.call(k - 1L) else call) # what an opencl_function enters by
    }
  }
  NULL
}
