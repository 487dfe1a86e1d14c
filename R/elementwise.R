# The engine behind every elementwise *_opencl function: one call to the core, then R's conditions.

# State of this session: the default device and the report of the last call.
state <- new.env(parent = emptyenv())
state$device <- NULL
state$arithmetic <- NULL
state$last_run <- NULL

# Names that resolve_device() gives back as they are.
plain_devices <- c("host", "opencl", "gpu", "cpu")

# The device a call uses: its argument, else set_opencl_device(), the option, the environment variable, else "auto". Short calls
# take longer to ask than to compute: what is usual is looked at first here, in as_flags() and in elementwise().
resolve_device <- function(device) {
  if (identical(device, "auto")) device <- device_setting()
  named <- is.character(device) && length(device) == 1L && !is.na(device) && nzchar(device)
  if (!named) device <- device_by_number(device)
  with_arithmetic(if (device == "0") "host" else device)
}

# What doubles are on a device, "double", "pair" or "single", where that was asked for: by set_opencl_device(), else by the option.
arithmetic_setting <- function() {
  asked <- state$arithmetic %||% getOption("nmathopencl.arithmetic")
  if (is.null(asked)) "" else checked_arithmetic(asked, "options(nmathopencl.arithmetic = )")
}

checked_arithmetic <- function(asked, what) {
  if (!is.character(asked) || length(asked) != 1L || !asked %in% c("auto", "double", "pair", "single")) {
    argument_error(what, " must be \"auto\", \"double\", \"pair\" or \"single\"")
  }
  if (asked == "auto") "" else asked
}

# As the core takes it: "gpu|pair".
with_arithmetic <- function(device) {
  asked <- arithmetic_setting()
  if (asked == "" || grepl("|", device, fixed = TRUE)) device else paste0(device, "|", asked)
}

device_setting <- function() {
  device <- state$device
  if (is.null(device)) device <- getOption("nmathopencl.device")
  if (is.null(device)) device <- Sys.getenv("NMATHOPENCL_DEVICE")
  if (identical(device, "")) "auto" else device
}

device_by_number <- function(device) {
  if (is.numeric(device) && length(device) == 1 && !is.na(device) && device == trunc(device) && device >= 0) {
    return(format(device, scientific = FALSE))
  }
  argument_error(
    "`device` must be one device: a name, \"auto\", \"opencl\", \"gpu\", \"cpu\", \"host\" or an index",
    if (is.logical(device)) " (the published package had `opencl_parallel` in this place)"
  )
}

`%||%` <- function(x, y) if (is.null(x)) y else x

# The device that the C and C++ runners take: "" where nothing was set. The core asks here; this must not fail.
runner_setting <- function() {
  device <- tryCatch(resolve_device("auto"), error = function(e) "none: the setting is not one device")
  if (identical(device, "auto")) "" else device
}

# R's reading of a flag: its first element as an integer; NA and nothing at all count as TRUE. What is no vector is an error:
# that R takes it for TRUE helps nobody.
as_flag <- function(x) {
  if (isTRUE(x)) return(1L)
  if (isFALSE(x)) return(0L)
  if (!(is.logical(x) || is.numeric(x) || is.character(x) || is.complex(x) || is.null(x) || is.factor(x))) {
    argument_error("`lower.tail`, `log` and `log.p` must be TRUE or FALSE, not of type ", typeof(x))
  }
  value <- as.integer(x)[1L]
  if (is.na(value)) 1L else as.integer(value != 0L)
}

as_flags <- function(flags) {
  if (identical(flags, density_flags)) return(0L)
  if (identical(flags, tail_flags)) return(1:0)
  codes <- integer(length(flags))
  for (k in seq_along(flags)) {
    x <- flags[[k]]
    codes[k] <- if (is.logical(x) && length(x) == 1L && !is.na(x)) x else as_flag(x)
  }
  codes
}

density_flags <- list(FALSE) # what is usual, as most calls have it
tail_flags <- list(TRUE, FALSE)
switches_off <- list(FALSE, FALSE, FALSE)

is_switch <- function(x) is.logical(x) && length(x) == 1L && !is.na(x)

# columns: arguments in C order; flags: log / lower.tail, log.p; keep: the result stays where it is computed; `...`: arguments
# that the wrapper does not know. Returns the vector R's own function would.
elementwise <- function(name, columns, flags, device, fallback, verbose, keep = FALSE, ..., call = sys.call(-1L)) {
  if (...length()) device <- device_of_old_arguments(name, device, call, ...) # before any other argument is looked at
  if (!identical(list(fallback, verbose, keep), switches_off)) check_switches(fallback, verbose, keep)
  flags <- as_flags(flags)
  if (is.object(columns[[1L]])) refuse_as_base_does(name, columns[[1L]], call)
  if (keep) return(resident_elementwise(name, columns, flags, device, fallback, verbose, call))
  plain <- is.character(device) && length(device) == 1L && match(device, plain_devices, 0L) > 0L && is.null(state$arithmetic) &&
    is.null(getOption("nmathopencl.arithmetic"))
  if (!plain) device <- resolve_devices(device)
  silent <- is.null(getOption("nmathopencl.progress")) && !interactive()
  result <- elementwise_cpp(name, columns, flags, device, if (!silent) call_progress(name, environment()))
  if (!is.null(result$error)) {
    again <- function() elementwise_cpp(name, columns, flags, "host", call_progress(name, environment()))
    result <- after_failure(result$error, again(), device, fallback, call)
  }
  if (!is.null(result$not_numeric)) {
    if (!any(vapply(columns, is_resident, NA))) stop(mirrored_error(result$not_numeric, call))
    return(resident_elementwise(name, columns, flags, device, fallback, verbose, call))
  }
  finish_call(result, verbose, call)
}

# `expon.scaled` as base reads it: logical values without attributes.
plain_switches <- function(x) {
  if (is_resident(x)) return(x)
  if (!is.atomic(x) && !is.null(x)) argument_error("`expon.scaled` must be TRUE or FALSE, not of type ", typeof(x))
  as.logical(x)
}

# Functions of R's group generic Math, which has methods for dates, times and factors that refuse them.
group_math <- list(gammafn = base::gamma, lgammafn = base::lgamma, digamma = base::digamma, trigamma = base::trigamma)

refuse_as_base_does <- function(name, x, call) {
  own <- group_math[[name]]
  if (is.null(own) || is_resident(x) || !is.numeric(unclass(x))) return(invisible())
  tryCatch(own(x[0L]), error = function(e) stop(mirrored_error(conditionMessage(e), call)))
  invisible()
}

check_switches <- function(fallback, verbose, keep = FALSE) {
  if (!is_switch(fallback)) argument_error("`fallback` must be TRUE or FALSE")
  if (!is_switch(verbose)) argument_error("`verbose` must be TRUE or FALSE")
  if (!is_switch(keep)) argument_error("`keep` must be TRUE or FALSE")
}

# run: device -> what the core gives back. Where a device fails, the host device takes its place, or an error is raised.
run_on_device <- function(run, device, fallback, call) {
  result <- run(device)
  if (is.null(result$error)) result else after_failure(result$error, run("host"), device, fallback, call)
}

# again: what the host device gives, evaluated only where it is asked.
after_failure <- function(error, again, device, fallback, call) {
  if (!fallback || identical(device, "host")) raise_core_error(error, call)
  warning(simpleWarning(
    paste0("the OpenCL device failed, repeated on the host device: ", error$message), call
  ))
  if (!is.null(again$error)) raise_core_error(again$error, call)
  again
}

# What the running R's functions of three and more arguments do with the attributes of a first argument of length 0: from R 4.4
# on their result has them.
empty_attributes <- function() if (is.null(attributes(stats::dnorm(matrix(0, 0L, 1L))))) "dropped" else "kept"

# Records the report, says what ran, raises R's warnings, returns the value.
finish_call <- function(result, verbose, call) {
  state$last_run <- result$report
  if (result$report$built > 0L) tell_cache_warning()
  if (verbose) cli::cli_inform(describe_run(result$report))
  for (text in result$warnings) warning(simpleWarning(text, call))
  result$value
}

# The report of a call that no device computed.
no_run <- function(name, elements) {
  list(
    `function` = name, device = "none", device_type = "none", arithmetic = "none", elements = as.double(elements), chunks = 0, threads = 0L,
    built = 0L, cache_hits = 0L, disk_hits = 0L, build = 0, transfer = 0, compute = 0, total = 0
  )
}

# What several launches, or calls, did in one: `b` came after `a`, and either may be NULL.
added_reports <- function(a, b, elements = a$elements + b$elements) {
  if (is.null(a) || is.null(b)) return(a %||% b)
  for (name in c("chunks", "built", "cache_hits", "disk_hits", "build", "transfer", "compute", "total")) b[[name]] <- a[[name]] + b[[name]]
  b$elements <- elements
  b$threads <- max(a$threads, b$threads)
  for (name in c("device", "device_type", "arithmetic")) if (a[[name]] != b[[name]]) b[[name]] <- joined_names(unique(c(a[[name]], b[[name]])))
  b$shares <- NULL # of one of them
  b
}

# ---- argument rules of single functions --------------------------------------------------------------------------

# stats::dgamma's rule for giving both rate and scale.
check_rate_scale <- function(rate, scale) {
  text <- "specify 'rate' or 'scale' but not both"
  call <- sys.call(-1L)
  if (abs(rate * scale - 1) < 1e-15) warning(simpleWarning(text, call)) else stop(mirrored_error(text, call))
}

# The negative binomial by size and mean, as stats chooses it when `mu` is given.
size_mu_form <- function(name, prob_missing, columns, flags, device, fallback, verbose, keep, ...) {
  call <- sys.call(-1L)
  if (!prob_missing) stop(mirrored_error("'prob' and 'mu' both specified", call))
  elementwise(name, columns, flags, device, fallback, verbose, keep, ..., call = call)
}

# base::round() and signif() have no answer for numbers without digits.
check_digits <- function(x, digits) {
  if (length(digits) == 0L && length(x) > 0L) {
    stop(mirrored_error("invalid second argument of length 0", sys.call(-1L)))
  }
}

# The argument of gamma() in a factorial. What is no number is refused where all others are.
one_more <- function(x) {
  if (is_resident(x) || ((is.numeric(x) || is.logical(x)) && !is.factor(x))) x + 1 else x
}

# C's int arguments hold NA as the smallest integer; doubles carry it through the kernel.
as_c_int <- function(x) {
  if (is_resident(x)) {
    return(resident_function(quote(ifelse(is.na(as.integer(x)), -2147483648, as.integer(x))), FALSE)(x))
  }
  if (!is.numeric(x) && !is.logical(x)) return(x)
  x[] <- as.integer(x)
  storage.mode(x) <- "double"
  x[is.na(x)] <- -2147483648
  x
}

from_c_int <- function(value) {
  if (is_resident(value)) return(resident_function(quote(as.integer(ifelse(x == -2147483648, NA, x))), FALSE)(value))
  value[value == -2147483648] <- NA
  storage.mode(value) <- "integer"
  value
}

# An exponent as C's int: truncated toward 0, NA beyond the range of integers.
as_power <- function(n_exp) {
  if (is_resident(n_exp)) return(resident_function(quote(as.integer(x)), FALSE)(n_exp))
  if (!is.numeric(n_exp) && !is.logical(n_exp)) return(n_exp)
  n_exp[] <- as.integer(n_exp)
  storage.mode(n_exp) <- "double"
  n_exp
}
