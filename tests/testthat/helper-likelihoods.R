# Functions of one number against R, and their gradients against differences.

# Each device, then the host without its compiler.
on_each_device <- function(check) {
  devices <- if (isTRUE(getOption("nmathopencl.tests.hosts"))) { if (compiler_here()) "0" } else compiling_devices()
  for (device in c(devices, "plain")) {
    old <- if (device == "plain") options(nmathopencl.compiler = FALSE)
    tryCatch(check(if (device == "plain") "0" else device), finally = options(old))
  }
}

# What comes after this in a file is tried on the host, compiled and not: what OpenCL devices build there takes minutes, and
# tests before it have them build its like.
hosts_alone <- function(env = parent.frame()) {
  old <- options(nmathopencl.tests.hosts = TRUE)
  do.call(on.exit, list(bquote(options(.(old))), add = TRUE), envir = env)
}

# By smaller steps until a hundredth of what slopes may differ by is left.
differences <- function(f, values, names) {
  enough <- function(found) found$value %in% 0 || isTRUE(found$error <= 1e-9 * abs(found$value))
  unlist(lapply(names, function(name) {
    vapply(seq_along(values[[name]]), function(k) {
      moved <- function(h) {
        values[[name]][k] <- values[[name]][k] + h
        do.call(f, values)
      }
      size <- max(abs(values[[name]][k]), 0.1)
      here <- do.call(f, values)
      ridders(function(h) moved(h * size), here, 4 * 2^-53 * abs(here), 2^-53, c(0.1, 0.01, 1e-3), 1.6, enough = enough)$value / size
    }, 0)
  }), use.names = FALSE)
}

expect_likelihood <- function(f, values, names, tolerance = 1e-7) {
  known <- do.call(f, values)
  slopes <- differences(f, values, names)
  made <- opencl_function(f, gradient = names)
  alone <- opencl_function(f)
  on_each_device(function(device) {
    for (turn in 1:2) {
      ours <- do.call(made, c(values, device = device))
      gradient <- attr(ours, "gradient")
      attr(ours, "gradient") <- NULL
      expect_equal(ours, known, tolerance = 1e-12)
      expect_equal(unname(gradient), slopes, tolerance = tolerance)
    }
    # Its text without gradient is another program, which the host and R have shown to be right.
    if (device == "0" || whole_tests()) expect_equal(do.call(alone, c(values, device = device)), known, tolerance = 1e-12)
  })
}

# `everywhere`: on OpenCL devices as well.
expect_model <- function(f, data, par, everywhere = FALSE) {
  values <- c(data, par)
  known <- as.vector(do.call(f, values))
  slopes <- differences(function(...) as.vector(f(...)), values, names(par))
  made <- opencl_function(f, gradient = names(par))
  on_each_device(function(device) {
    if (!everywhere && !device %in% c("0", "host")) return()
    ours <- do.call(made, c(values, device = device))
    expect_equal(as.vector(ours), known, tolerance = 1e-12)
    expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-7)
  })
}
