# Calls of a known shape, which C++ answers alone: after one of them, each of its assumptions is broken once.

skip_without_compiler()
unoptimized_programs()

set.seed(11)
n <- 60L
x <- round(runif(n, 0.1, 3), 3)
X <- cbind(1, x)
b <- c(0.3, -0.2)
sums <- function(y, X, b) { e <- X %*% b; y * e - exp(e) }
plain_sum <- function(y, X, b) sum(sums(y, X, b))

# What C++ alone gives of a call; NULL: it is R's. Its values are in the order in which the body reads them.
alone <- function(f, ..., device = "auto") {
  expression <- attr(f, "expression")
  given <- stats::setNames(list(...), head(names(formals(f)), ...length()))
  values <- unname(given[vapply(expression$inputs, function(input) input$name, "")])
  nmathopencl:::expression_known_cpp(expression, values, NULL, device, FALSE, FALSE, FALSE, environment())
}
warm <- function(f, ...) {
  for (turn in 1:2) value <- f(...)
  value
}
with_options <- function(new, code) {
  before <- options(new)
  on.exit(options(before))
  code
}
mark <- as.symbol("value in data")

test_that("a known call is C++'s alone, and gives what the first one gave, on every device", {
  for (device in compiling_devices()) {
    f <- opencl_function(sums, reduce = "sum", gradient = "b")
    first <- f(x, X, b, device = device)
    expect_equal(first[1L], plain_sum(x, X, b))
    expect_identical(alone(f, x, X, b, device = device), first)
    expect_identical(f(x, X, b, device = device), first)
    stay <- list(opencl_vector(x, device = device), opencl_matrix(X, device = device))
    there <- warm(f, stay[[1L]], stay[[2L]], b)
    expect_identical(alone(f, stay[[1L]], stay[[2L]], b), there)
    expect_equal(there, first, tolerance = 1e-13)
    g <- opencl_function(function(x, a) dgamma(x, a, log = TRUE))
    values <- warm(g, x, 2, device = device)
    expect_identical(alone(g, x, 2, device = device), values)
    expect_equal(values, stats::dgamma(x, 2, log = TRUE))
    left <- warm(g, stay[[1L]], 2)
    expect_s3_class(left, "opencl_vector")
    expect_identical(as.vector(alone(g, stay[[1L]], 2)), as.vector(left))
    expect_identical(as.vector(left), values)
  }
})

test_that("types, classes, dimensions and names of arguments are looked at in each call", {
  f <- opencl_function(sums, reduce = "sum", gradient = "b")
  warm(f, x, X, b)
  whole <- as.integer(x)
  expect_null(alone(f, whole, X, b))
  expect_equal(f(whole, X, b)[1L], plain_sum(whole, X, b))
  expect_null(alone(f, factor(whole), X, b))
  expect_error(f(factor(whole), X, b), class = "nmathopencl_error")
  expect_error(f(structure(x, class = "Date"), X, b), class = "nmathopencl_error")
  expect_error(f(as.character(x), X, b), class = "nmathopencl_error")
  expect_null(alone(f, x, X, c(u = 0.3, v = -0.2)))
  expect_named(attr(f(x, X, c(u = 0.3, v = -0.2)), "gradient"), c("u", "v"))
  expect_named(attr(f(x, X, b), "gradient"), c("b1", "b2"))
  expect_null(alone(f, 2, X, b))
  expect_equal(f(2, X, b)[1L], plain_sum(2, X, b))
  expect_equal(f(x[1:5], X[1:5, ], b)[1L], plain_sum(x[1:5], X[1:5, ], b))
  expect_true(is.na(f(c(NA, x[-1L]), X, b)))
  g <- opencl_function(function(x, a) x * a)
  expect_identical(warm(g, x, 2), x * 2)
  expect_null(alone(g, c(a = 1, b = 2), 2))
  expect_identical(g(c(a = 1, b = 2), 2), c(a = 2, b = 4))
  expect_identical(g(X, 2), X * 2)
  expect_identical(g(array(1:8 / 8, c(2, 2, 2)), 2), array(1:8 / 8, c(2, 2, 2)) * 2)
  expect_identical(g(numeric(), 2), numeric())
  expect_identical(g(x, 2), x * 2)
  s <- opencl_function(function(x) x, reduce = "sum")
  warm(s, x)
  expect_equal(s(array(x[1:8], c(2, 2, 2))), sum(x[1:8]))
})

test_that("functions and variables that a body reads are looked up in each call", {
  here <- new.env()
  here$link <- function(e) exp(e)
  f <- opencl_function(as.function(alist(x = , a = , link(a * x)), envir = here), reduce = "sum")
  expect_equal(warm(f, x, 0.5), sum(exp(0.5 * x)))
  expect_type(alone(f, x, 0.5), "double")
  here$link <- function(e) e^2
  expect_null(alone(f, x, 0.5))
  expect_equal(f(x, 0.5), sum((0.5 * x)^2))
  expect_equal(warm(f, x, 0.5), sum((0.5 * x)^2))
  here$link <- function(e) e^2 # the same once more
  expect_equal(f(x, 0.5), sum((0.5 * x)^2))
  expect_type(alone(f, x, 0.5), "double")
  here$link <- 3 # no function hides one
  rm("link", envir = here)
  expect_error(f(x, 0.5), class = "nmathopencl_error")
  here$k <- 2
  g <- opencl_function(as.function(alist(x = , k * x), envir = here), reduce = "sum")
  expect_equal(warm(g, x), sum(2 * x))
  here$k <- 5
  expect_equal(g(x), sum(5 * x))
})

test_that("switches, groups and missing arguments are looked at in each call", {
  f <- opencl_function(sums, reduce = "sum")
  total <- warm(f, x, X, b)
  for (odd in list(NA, 1, "TRUE", c(FALSE, FALSE), NULL)) {
    expect_error(f(x, X, b, fallback = odd), "`fallback` must be TRUE or FALSE")
    expect_error(f(x, X, b, verbose = odd), "`verbose` must be TRUE or FALSE")
  }
  expect_message(f(x, X, b, verbose = TRUE), "60 elements")
  expect_identical(f(x, X, b, fallback = TRUE), total)
  expect_length(f(x, X, b, by = rep_len(1:3, n)), 3L)
  error <- expect_error(f(x, , b), "argument \"X\" is missing, with no default")
  expect_identical(conditionCall(error), quote(f(x, , b)))
  g <- opencl_function(function(x, a = 2, y) x * a)
  expect_identical(warm(g, x), x * 2)
  expect_identical(g(x, 3), x * 3)
  expect_error(g(x, keep = NA), "`keep` must be TRUE or FALSE")
  expect_s3_class(g(x, keep = TRUE), "opencl_vector")
  expect_identical(g(x), x * 2)
  h <- opencl_function(function(x, a) if (missing(a)) x else x * a)
  expect_identical(warm(h, x, 3), x * 3)
  expect_identical(h(x), x)
})

test_that("the device is asked for in each call", {
  f <- opencl_function(sums, reduce = "sum")
  before <- options(nmathopencl.device = NULL)
  variable <- Sys.getenv("NMATHOPENCL_DEVICE", NA)
  Sys.setenv(NMATHOPENCL_DEVICE = "host")
  previous <- set_opencl_device("auto")
  on.exit({
    set_opencl_device(previous)
    options(before)
    if (is.na(variable)) Sys.unsetenv("NMATHOPENCL_DEVICE") else Sys.setenv(NMATHOPENCL_DEVICE = variable)
  })
  total <- warm(f, x, X, b)
  expect_type(alone(f, x, X, b), "double")
  expect_error(f(x, X, b, device = "no such device"), "no OpenCL device")
  expect_error(f(x, X, b, device = NA), "`device` must be one device")
  expect_error(f(x, X, b, device = character()), "`device` must be one device")
  Sys.setenv(NMATHOPENCL_DEVICE = "no such device either")
  expect_error(f(x, X, b), "no such device either")
  options(nmathopencl.device = 0L)
  expect_identical(f(x, X, b), total)
  options(nmathopencl.device = "no such option")
  expect_error(f(x, X, b), "no such option")
  set_opencl_device("host")
  expect_identical(f(x, X, b), total)
  for (device in opencl_test_devices()) {
    expect_equal(f(x, X, b, device = device), total)
    expect_equal(f(x, X, b, device = as.integer(device)), total)
    expect_false(last_run()$device == "host")
    f(x, X, b)
    expect_identical(last_run()$device, "host")
    set_opencl_device(device)
    f(x, X, b)
    expect_false(last_run()$device == "host")
    set_opencl_device("host")
  }
})

test_that("options are looked at in each call", {
  f <- opencl_function(sums, reduce = "sum")
  total <- warm(f, x, X, b, device = "host")
  with_options(list(nmathopencl.threads = 1.5), expect_error(f(x, X, b, device = "host"), "nmathopencl.threads"))
  with_options(list(nmathopencl.compiler = FALSE), {
    expect_null(alone(f, x, X, b, device = "host"))
    expect_message(value <- f(x, X, b, device = "host", verbose = TRUE), "computed by R")
    expect_equal(value, total)
    expect_null(alone(f, x, X, b, device = "host")) # asked before
  })
  expect_identical(f(x, X, b, device = "host"), total)
  expect_type(alone(f, x, X, b, device = "host"), "double")
  with_options(list(nmathopencl.progress = TRUE), expect_identical(f(x, X, b, device = "host"), total))
})

test_that("warnings and errors of later calls name the user's call", {
  f <- opencl_function(function(x, a) dgamma(x, a, log = TRUE), reduce = "sum")
  warm(f, x, 2)
  warning <- expect_warning(value <- f(x, -1), "NaNs produced")
  expect_identical(conditionCall(warning)[[1L]], quote(dgamma))
  expect_true(is.nan(value))
  expect_silent(again <- f(x, 2))
  expect_identical(again, alone(f, x, 2))
  for (device in compiling_devices()) {
    y <- opencl_vector(x, device = device)
    warm(f, y, 2)
    expect_warning(f(y, -1), "NaNs produced")
    expect_silent(f(y, 2))
    opencl_free(y)
    expect_error(f(y, 2), "released")
  }
})

test_that("data of a function are those that were placed, also where it is read from a file", {
  for (device in compiling_devices()) {
    f <- opencl_function(function(a) y * a, reduce = "sum", data = list(y = x))
    total <- warm(f, 3, device = device)
    expect_equal(total, sum(x * 3))
    expect_type(alone(f, 3, mark, device = device), "double")
    expect_equal(f(3, y = x[1:7], device = device), sum(x[1:7] * 3))
    expect_identical(f(3, device = device), total)
    file <- tempfile()
    saveRDS(f, file)
    read <- readRDS(file)
    expect_null(alone(read, 3, mark, device = device))
    expect_identical(read(3, device = device), total)
    expect_identical(f(3, device = device), total)
  }
})

test_that("last_run() and print() know of known calls", {
  f <- opencl_function(sums, reduce = "sum")
  warm(f, x, X, b, device = "host")
  dnorm_opencl(0, device = "host")
  expect_identical(last_run()$`function`, "dnorm")
  f(x, X, b, device = "host")
  expect_identical(last_run()$`function`, "opencl_function")
  expect_identical(last_run()$elements, as.double(n))
  expect_identical(last_run()$built, 0L)
  dnorm_opencl(0, device = "host")
  expect_identical(last_run()$`function`, "dnorm")
  expect_output(print(f), "computed last on host")
  for (device in opencl_test_devices()) {
    warm(f, x, X, b, device = device)
    expect_output(print(f), paste("computed last on", last_run()$device), fixed = TRUE)
    expect_gt(last_run()$compute, 0)
  }
})

test_that("a long known call tells how far it is, by a bar of its own", {
  f <- opencl_function(function(x, a) pbeta(x, a, 3.7), reduce = "sum")
  many <- rep_len(x / 3.1, 3e5)
  shapes <- rep_len(seq(2, 40, length.out = 997L), length(many))
  total <- warm(f, many, shapes, device = "host")
  ours <- asNamespace("nmathopencl")
  as_it_is <- ours$call_progress
  put <- function(value) {
    unlockBinding("call_progress", ours)
    assign("call_progress", value, ours)
    lockBinding("call_progress", ours)
  }
  on.exit(put(as_it_is))
  reported <- list()
  put(function(what, envir, show) {
    reported <<- list(what = what, frame = is.environment(envir), show = show, steps = 0L)
    function(done, total, seconds) {
      reported$steps <<- reported$steps + 1L
      reported$total <<- total
    }
  })
  Sys.sleep(0.1) # R is asked whether there is an interrupt only so often
  with_options(list(nmathopencl.progress = TRUE), expect_identical(f(many, shapes, device = "host"), total))
  expect_identical(reported[c("what", "frame", "show", "total")], list(what = "opencl_function", frame = TRUE, show = TRUE, total = 3e5))
  expect_gt(reported$steps, 0L)
  reported <- list()
  Sys.sleep(0.1)
  with_options(list(nmathopencl.progress = FALSE), expect_identical(f(many, shapes, device = "host"), total))
  expect_identical(reported, list())
})
