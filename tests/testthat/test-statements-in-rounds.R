# What loops make of names that are no numbers before them, vectors that grow, and what R warns of in statements that nothing uses.

unoptimized_programs()
hosts_alone()

told_by <- function(code) {
  reported <- character()
  value <- tryCatch(withCallingHandlers(code, warning = function(w) {
    reported <<- c(reported, paste(deparse1(conditionCall(w)), conditionMessage(w)))
    invokeRestart("muffleWarning")
  }), error = function(e) paste("error:", conditionMessage(e)))
  list(value = value, reported = sort(reported))
}

# R's value, names, type and warnings with their calls, or, if `limits`, an error that says what to write.
expect_as_r_tells <- function(functions, args, limits = FALSE) {
  as_one(for (f in functions) {
    g <- opencl_function(f)
    on_each_device(function(device) for (turn in 1:2) {
      used <- args[names(formals(f))]
      rs <- told_by(do.call(f, used))
      ours <- told_by(do.call(g, c(used, device = device)))
      if (limits && is.character(ours$value)) {
        expect_match(ours$value, "before the loop|ma[dk]e (it )?before|made before", label = deparse1(f))
      } else {
        expect_equal(ours, rs, tolerance = 1e-12, label = paste(deparse1(f), device))
      }
    })
  })
}

x <- (1:70) / 16
test_that("what is NULL, a text or a function before a loop over data is not so in later rounds", {
  expect_as_r_tells(limits = TRUE, args = list(x = x, s = NULL), functions = list(
    function(x) { v <- NULL; for (k in 1:70) { if (is.null(v)) v <- x[k] else v <- v * 0.5 + x[k] }; v },
    function(x) { v <- NULL; for (k in 1:70) v <- c(v, x[k]); v },
    function(x) { s <- "a"; v <- 0; for (k in 1:70) { if (s == "a") v <- v + 1 else v <- v * 0.5 + x[k]; s <- "b" }; v },
    function(x) { s <- "a"; v <- 0; for (k in seq_along(x)) { if (s == "a") v <- v + x[k]; s <- "b" }; v },
    function(x) { d <- NULL; v <- 0; for (k in 1:70) { v <- v + (if (is.null(d)) 1 else d); d <- x[k] }; v },
    function(x, s) { v <- 0; for (k in 1:70) { if (is.null(s)) s <- 1; v <- v * 0.5 + x[k] * s; s <- s + 1 }; v },
    function(x) { v <- x[1]; for (k in 1:70) if (k > 1) v[k] <- v[k - 1] + 1; v }
  ))
  for (f in list( # what each round makes for itself
    function(x) { s <- "a"; v <- 0; for (k in 1:70) { s <- "b"; if (s == "a") v <- v + 1 else v <- v * 0.5 + x[k] }; if (s == "b") v else 0 },
    function(x) { d <- NULL; sum(sapply(1:70, function(k) { if (is.null(d)) d <- x[k]; d * 2 })) }
  )) expect_as_r_tells(list(f), list(x = x))
})

test_that("vectors grow from nothing in rounds that are written out", {
  expect_as_r_tells(args = list(x = x[1:5], named = c(a = 1, b = 2)), functions = list(
    function(x) { v <- c(); for (k in 1:5) v[k] <- x[k] * 2; v }, function(x) { v <- NULL; for (k in 1:5) v <- c(v, x[k]); v },
    function(x) { v <- numeric(0); for (k in seq_along(x)) v[k] <- x[k]^2; sum(v) }, function(x) { v <- numeric(0); max(v) },
    function(x) { v <- numeric(0); length(v) + sum(c(v, x)) }, function(named) c(NULL, named) * 2, function(named) c(a = 1, NULL, b = named[2])
  ))
})

test_that("R's warnings of statements that nothing uses come in functions of several steps", {
  expect_as_r_tells(args = list(x = c(-1, 2, -4), y = 4, whole = 1:2, none = c(NA, NA_real_), long = -x), functions = list(
    function(x, y) { sqrt(x); sum(x) * y }, function(x, y) { z <- sqrt(sum(x) * y); sum(log(x[2:3])); x * mean(x) },
    function(x, y) { z <- ifelse(x > 0, log(x), 0); w <- if (y > 5) sqrt(-y) else 0; cumsum(x) }, function(x) { suppressWarnings(z <- log(x)); cumsum(x) },
    function(x, y) { for (k in seq_len(y)) u <- sqrt(-k * y); mean(x) }, function(long, x) { u <- 0; for (k in 1:70) u <- u * 0.5 + sqrt(long[k]); mean(x) },
    function(whole) { z <- whole + 2147483647L; cumsum(whole) }, function(x, whole) { z <- x + whole; cumsum(x) },
    function(x, y) { m <- max(x[x > y]); cumsum(x) }, function(none, y) { m <- max(none, na.rm = TRUE); cumsum(y) },
    function(x, y) { h <- function(q) { u <- sqrt(q); 1 }; cumsum(x) + h(-y) }
  ))
})

test_that("minima and maxima of nothing warn once, of R's call, with gradients too", {
  expect_as_r_tells(args = list(x = numeric(), a = 1, none = c(NA, NA_integer_), y = c(1, 2)), functions = list(
    function(x, a) a + max(x) - min(x), function(y, a) a * min(y[y > 3]), function(none, a) a * max(none, na.rm = TRUE),
    function(none, y, a) sum(a * min(none, na.rm = TRUE) + y), function(y, none) ifelse(y > 1, max(none, na.rm = TRUE), 0)
  ))
  for (f in list(function(x, a) a + max(x), function(x, a) { if (length(x) < 3) warning("few"); sum(x) * a })) {
    g <- opencl_function(f, gradient = "a")
    on_each_device(function(device) expect_length(told_by(g(x = numeric(), a = 2, device = device))$reported, 1L))
  }
})
