# What a function reads besides its arguments, in environments that change between its calls: each call gives what R makes of what is there
# then, and an error where R gives one.

unoptimized_programs()

# R's value or "error", and ours.
of_both <- function(f, ours, arguments, device) {
  old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
  on.exit(options(old))
  plain <- suppressWarnings(tryCatch(as.double(do.call(f, arguments)), error = function(e) "error"))
  made <- suppressWarnings(tryCatch(do.call(ours, c(arguments, device = if (device == "plain") "host" else device)), error = conditionMessage))
  list(r = plain, ours = if (is.character(made)) "error" else as.double(made), told = if (is.character(made)) made else "")
}

expect_changes <- function(f, gradient, values, arguments, turns, devices, info) {
  home <- environment(f)
  ours <- NULL
  for (turn in seq_len(turns)) {
    for (name in names(values)) {
      one <- sample(values[[name]], 1L)[[1L]]
      if (identical(one, "removed")) suppressWarnings(rm(list = name, envir = home)) else assign(name, one, home)
    }
    given <- sample(arguments, 1L)[[1L]]
    if (is.null(ours)) ours <- opencl_function(f, gradient = gradient)
    for (again in 1:2) {
      found <- of_both(f, ours, given, sample(devices, 1L))
      expect_equal(found$ours, found$r, tolerance = 1e-10, info = paste(info, "turn", turn, found$told))
    }
  }
}

test_that("with() looks outside for what the list lacks, and only then", {
  set.seed(4001)
  x <- list(c(1, 2, 3), 1:4, 2)
  other <- list(5, 2L, c(1, 2, 3), "a text", NULL, function() 1, "removed", factor("b"), as.Date("2020-02-02"))
  lists <- list(list(p = list(a = 1, b = 2)), list(p = list(b = 3, a = 2)), list(p = list(a = 2, b = 1, x = c(1, 4))))
  lacking <- list(list(p = list(b = 2)), list(p = list(a = 2)), list(p = list(a = 1, b = 2)))
  for (case in 1:4) for (gradient in list(NULL, "p")) {
    f <- function(p) with(p, sum(a * x) + b)
    environment(f) <- new.env(parent = baseenv())
    expect_changes(f, gradient, list(x = x, a = other), lists, 4L, c("host", "plain", "plain"), paste("all there, case", case))
    f <- function(p) with(p, sum(a * x) + b)
    environment(f) <- new.env(parent = baseenv())
    expect_changes(f, NULL, list(x = x, a = other[c(1, 2, 7)], b = list(0.5, 3)), lacking, 4L, c("host", "plain", "plain"), paste("some lacking, case", case))
  }
})

test_that("comparisons of vectors of texts and factors are of what is there at the call", {
  set.seed(4002)
  texts <- list(c("a", "b", "a"), c("b", "c", "b"), factor(c("b", "a", "a")), factor(c("a", NA, "c")), "a", c("a", NA, "b"), factor("b"), c(1, 2, 3))
  y <- list(c(1, 2, 4), 1:3, c(NA, 1, 2))
  bodies <- list(
    quote(sum(ifelse(kind == "a", y, -y)) * s), quote(sum((kind != "b") * y) + s), quote(sum(ifelse(kind %in% c("a", "c"), y, 0)) * s),
    quote(sum(ifelse(kind == "a", dnorm(y, s, 1, log = TRUE), ifelse(kind == "b", pnorm(y, s), 1))))
  )
  for (body in bodies) for (gradient in list(NULL, "s")) {
    f <- as.function(c(alist(s = ), body), envir = new.env(parent = globalenv()))
    first <- sample(texts[1:4], 1L)
    assign("kind", first[[1L]], environment(f))
    assign("y", y[[1L]], environment(f))
    ours <- opencl_function(f, gradient = gradient)
    for (turn in 1:4) {
      assign("kind", sample(texts, 1L)[[1L]], environment(f))
      assign("y", sample(y, 1L)[[1L]], environment(f))
      found <- of_both(f, ours, list(s = turn / 2), sample(c("host", "plain"), 1L))
      expect_equal(found$ours, found$r, tolerance = 1e-10, info = paste(deparse1(body), turn, found$told))
    }
  }
  shown <- data.frame(y = c(1, 2, 3), kind = c("exact", "right", "exact"))
  f <- opencl_function(function(s) sum(ifelse(kind == "exact", dexp(y, s, log = TRUE), -s * y)), gradient = "s", data = shown)
  for (turn in 1:2) expect_equal(f(2), structure(2 * log(2) - 12, gradient = c(s = 1 - 6)))
})

test_that("a variable may be called as a function is, whoever computes", {
  home <- list2env(list(rt = c(0.5, 2), dt = 0.25, beta = 2, gamma = c(1, 2), t = c(3, 4), c = 5, df = 7), parent = globalenv())
  assign("scaled", local(function(z) z * df, home), home)
  functions <- list(
    function(s) (min(rt) + s) * dt, function(s) length(gamma) + beta(s, 3) * beta, function(s) sum(c(t * c, s)) + length(rt), function(s) sum(scaled(gamma)) * s,
    function(s) sum(rt) + dt(s, df), function(s) sum(gamma(gamma)) * gamma(s + 1)
  )
  for (device in c(expression_devices(), "plain")) for (f in functions) {
    environment(f) <- home
    found <- of_both(f, opencl_function(f), list(s = 0.75), device)
    expect_equal(found$ours, found$r, tolerance = 1e-12, info = paste(device, deparse1(body(f)), found$told))
    found <- of_both(f, opencl_function(f, gradient = "s"), list(s = 0.75), device)
    expect_equal(found$ours, found$r, tolerance = 1e-12, info = paste(device, deparse1(body(f)), found$told))
  }
})

test_that("codes of groups do not make vectors of parameters coefficients, without a compiler either", {
  f <- opencl_function(function(x, b) (x - b)^2, reduce = "sum", gradient = "b")
  for (device in c("host", "plain")) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    expect_error(f(c(1, 2, 3), c(1, 1, 2), by = c(1, 2, 1), device = "host"), "it has to be of length one, or coefficients", class = "nmathopencl_error")
    options(old)
  }
})
