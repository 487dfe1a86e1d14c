# Calls of parameters that make NaN of a number, in branches of ifelse() and if, in loops and in sapply(): R warns where some element comes
# there, and so does the compiled function, also where all that the call stands in is made of parameters, and computed before or after
# the elements are.

unoptimized_programs()

one_of <- function(...) sample(list(...), 1L)[[1L]]

# Of parameters alone, with a call that warns.
warning_part <- function(depth = 2L) {
  if (depth == 0L) {
    return(one_of(
      quote(log(par[1])), quote(sqrt(par[1])), quote(dnorm(1, 0, par[1])), quote(sqrt(par[2])), quote(log(par[1] * par[2])), quote(log1p(par[1] - 1)), quote(pexp(1, par[2]))
    ))
  }
  inner <- warning_part(depth - 1L)
  one_of(
    inner, call("*", quote(par[2]), inner), call("+", inner, quote(par[2])), call("*", quote(exp(par[2])), inner), call("-", inner),
    call("+", inner, warning_part(0L)), call("^", inner, 2), call("*", inner, 3)
  )
}

branch_part <- function(x) one_of(warning_part(), warning_part(), call("*", warning_part(), x), 1, call("+", x, quote(par[2])), x)
test_part <- function(x) {
  one_of(call(">", x, 0), call(">", x, 0), call(">", x, 50), call("<", x, quote(par[2])), call("&", call(">", x, 0), call("<", x, 2)), if (is.name(x) && x == "x") quote(x + par[2] > 1) else quote(par[2] > 1))
}
choice_part <- function(x, word = "ifelse", depth = sample(2L, 1L)) {
  branch <- function() if (depth > 1L && stats::runif(1) < 0.5) choice_part(x, word, depth - 1L) else branch_part(x)
  made <- as.call(list(as.name(word), test_part(x), branch(), branch()))
  if (word == "if") made[[2L]] <- substitute_and(made[[2L]])
  one_of(made, call("+", made, x), call("*", made, quote(par[2])))
}
# `if` asks one number: && in place of &.
substitute_and <- function(test) if (identical(test[[1L]], as.name("&"))) as.call(c(as.name("&&"), as.list(test)[-1L])) else test

branch_body <- function(kind) {
  switch(kind,
    sum = bquote(sum(.(choice_part(quote(x))))),
    loop = bquote({ s <- 0; for (v in x) s <- 0.5 * s + (.(choice_part(quote(v), "if"))); s }),
    places = bquote({ s <- 1; for (t in 2:length(x)) s <- 0.5 * s + x[t - 1] * (.(choice_part(quote(x[t]), "if"))); s }),
    adds = bquote({ s <- 0; for (v in x) s <- s + .(choice_part(quote(v))); s }),
    each = bquote(sum(sapply(seq_along(x), function(i) .(choice_part(quote(x[i])))))),
    statement = bquote({ u <- .(branch_part(quote(x))); w <- .(choice_part(quote(x))); sum(x) * par[2] }),
    elements = bquote(sum(.(choice_part(quote(x))) * x) + mean(.(choice_part(quote(x)))))
  )
}

# With arguments a and b in place of par[1] and par[2].
with_arguments <- function(body) {
  if (!is.call(body)) return(body)
  if (identical(body[[1L]], as.name("[")) && identical(body[[2L]], as.name("par"))) return(as.name(c("a", "b")[body[[3L]]]))
  as.call(lapply(as.list(body), with_arguments))
}

# Warnings as a set, and the value without its derivatives.
said_of <- function(code) {
  found <- with_conditions(code)
  list(value = if (inherits(found$value, "failed")) found$value[[1L]] else as.vector(unname(found$value)), warnings = sort(unique(found$warnings)))
}

expect_said_as_r <- function(ours, rs, info) {
  expect_identical(ours$warnings, rs$warnings, info = info)
  expect_identical(is.nan(as.double(ours$value)), is.nan(as.double(rs$value)), info = info)
  expect_equal(as.double(ours$value), as.double(rs$value), tolerance = 1e-9, info = info)
}

branch_points_of <- list(c(-1, 2), c(-0.5, -1), c(1.5, 0.5), c(2, 3), c(0.5, -2))
branch_values_of <- list(c(1, -1, 2, 0.5, 3, -2, 1, 1, 4, 2, -3, 1), c(-1, -2, -0.5, -3, -1, -1, -2, -4, -5, -1, -2, -3), rep(c(60, 1), 6))

# One program against R: each point with each `x`, and all points at once.
check_branches <- function(code, separate, gradient, way) {
  f <- as.function(c(if (separate) alist(a = , b = , x = ) else alist(par = , x = ), if (separate) with_arguments(code) else code), envir = globalenv())
  gradient <- intersect(gradient, all.vars(body(f)))
  if (length(gradient) == 0L) gradient <- NULL
  called <- function(f, point, ...) if (separate) f(point[1L], point[2L], ...) else f(point, ...)
  in_way(way, {
    g <- opencl_function(f, gradient = gradient)
    for (x in branch_values_of) {
      rs <- lapply(branch_points_of, function(point) said_of(called(f, point, x)))
      info <- paste(c(deparse(code), paste("gradient", paste(gradient, collapse = " ")), way, separate, x[1L]), collapse = " ")
      for (k in seq_along(rs)) for (again in 1:2) {
        ours <- said_of(called(g, branch_points_of[[k]], x, device = device_of_way(way)))
        expect_said_as_r(ours, rs[[k]], paste(info, paste(branch_points_of[[k]], collapse = " ")))
      }
      if (is.null(gradient) || (separate && !all(c("a", "b") %in% all.vars(body(f))))) next
      points <- do.call(rbind, branch_points_of)
      given <- opencl_function(f, gradient = gradient, data = list(x = x))
      over <- if (separate) list(a = points[, 1L], b = points[, 2L]) else list(par = points)
      ours <- said_of(given(over = over, device = device_of_way(way)))
      all <- list(value = vapply(rs, function(one) as.double(one$value), 0), warnings = sort(unique(unlist(lapply(rs, function(one) one$warnings)))))
      if (is.null(all$warnings)) all$warnings <- character()
      expect_said_as_r(ours, all, paste(info, "over"))
    }
  })
}

test_that("calls of parameters in branches warn as R's do", {
  set.seed(20261130)
  kinds <- c("sum", "loop", "places", "adds", "each", "statement", "elements")
  for (case in seq_len(cases(whole = 140L, part = 14L, on_cran = 7L))) {
    kind <- kinds[(case - 1L) %% length(kinds) + 1L]
    code <- branch_body(kind)
    separate <- sample(c(TRUE, FALSE), 1L)
    gradient <- if (separate) one_of(NULL, "a", "b", c("a", "b")) else one_of(NULL, "par", "par")
    for (way in ways_of(case)) check_branches(code, separate, gradient, way)
  }
})

test_that("a call that parameters alone decide about warns where its branch is taken", {
  skip_without_compiler()
  calls <- alist(par[2] * log(par[1]), par[2] + sqrt(par[1]), par[2] * dnorm(1, 0, par[1]), exp(par[2]) * sqrt(par[1]))
  for (call in calls) {
    check_branches(bquote(sum(ifelse(x > 0, .(call), 1))), FALSE, "par", "0")
    check_branches(bquote(sum(ifelse(x > 0, .(call), 1))), TRUE, "b", "0")
  }
  check_branches(quote({ s <- 0; for (v in x) s <- .5 * s + if (v > 0) par[2] * log(par[1]) else 1; s }), FALSE, NULL, "0")
  check_branches(quote(sum(sapply(seq_along(x), function(i) ifelse(x[i] > 0, par[2] * log(par[1]), 1)))), FALSE, NULL, "0")
  check_branches(quote({ u <- sqrt(par[1]); sum(x) * par[2] }), FALSE, "par", "0")
})

test_that("of series computed by codes a branch that some of them take warns", {
  skip_without_compiler()
  codes <- rep(1:3, each = 6L)
  x <- c(-(1:6), 1:6, -1, 2, -3, 4, -5, -6)
  functions <- list(
    function(par, x) { s <- 0; for (v in x) s <- 0.5 * s + if (v > 0) par[2] * log(par[1]) else 1; s },
    function(par, x) sum(ifelse(x > 0, par[2] * log(par[1]), 1)), function(par, x) { u <- mean(x); sum(ifelse(x > u, par[2] + sqrt(par[1]), x)) }
  )
  for (f in functions) for (gradient in list(NULL, "par")) {
    g <- opencl_function(f, reduce = "sum", gradient = gradient)
    for (par in list(c(-1, 2), c(1, 2))) for (v in list(x, -abs(x))) for (again in 1:2) {
      rs <- said_of(vapply(split(v, codes), function(part) f(par, part), 0))
      expect_said_as_r(said_of(g(par, v, by = codes, device = "host")), rs, paste(deparse1(body(f)), gradient, par[1L], v[1L], again))
    }
  }
})

test_that("a statement of parameters that nothing uses warns at many points, with second derivatives, too", {
  skip_without_compiler()
  points <- rbind(c(-1, 2), c(1, 2))
  f <- function(par, y) { u <- sqrt(par[1]); sum(y) * par[2]^2 }
  of_elements <- function(par, y) { u <- sqrt(y + par[1] - 0.5); sum(y) * par[2]^2 }
  terms <- function(par, y) { u <- sqrt(par[1]); y * par[2]^2 }
  for (device in compiling_devices()) {
    for (one in list(f, of_elements)) for (hessian in c(FALSE, TRUE)) {
      g <- opencl_function(one, gradient = "par", hessian = hessian, data = list(y = c(1, 2)))
      expect_identical(said_of(g(over = list(par = points), device = device))$warnings, "NaNs produced")
      expect_silent(g(over = list(par = points[c(2, 2), ]), device = device))
    }
    for (gradient in list(NULL, "par")) {
      g <- opencl_function(terms, gradient = gradient, reduce = "sum", data = list(y = c(1, 2)))
      expect_identical(said_of(g(over = list(par = points), device = device))$warnings, "NaNs produced")
      expect_silent(g(over = list(par = points[c(2, 2), ]), device = device))
    }
  }
})
