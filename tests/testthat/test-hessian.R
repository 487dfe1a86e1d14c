# Second derivatives: symmetric, named as the gradient is, as differences of gradients and R's own deriv() give them; on every device
# and without a compiler.

unoptimized_programs()
set.seed(35)
n <- 40L
x <- round(rnorm(n), 3)
y <- round(1 + x + rnorm(n), 3)
counts <- rpois(n, 2)
X <- cbind(1, x, x^2)
g <- rep(1:5, length.out = n)

test_that("the matrix is that of deriv(), with the gradient's names", {
  formula <- ~ a^2 * sin(b) + exp(a * b) / (1 + cc^2) + pnorm(a - cc) * log(b)
  known <- deriv(formula, c("a", "b", "cc"), function(a, b, cc) NULL, hessian = TRUE)(0.7, 1.3, 0.4)
  f <- function(a, b, cc) sum(a^2 * sin(b) + exp(a * b) / (1 + cc^2) + pnorm(a - cc) * log(b))
  on_each_device(function(device) {
    value <- opencl_function(f, gradient = c("a", "b", "cc"), hessian = TRUE)(0.7, 1.3, 0.4, device = device)
    expect_equal(as.vector(value), as.vector(known))
    expect_equal(attr(value, "hessian"), attr(known, "hessian")[1L, , ], tolerance = 1e-12)
    expect_identical(attr(value, "gradient"), attr(opencl_function(f, gradient = c("a", "b", "cc"))(0.7, 1.3, 0.4, device = device), "gradient"))
  })
  f <- opencl_function(function(y, m, par) -sum(dnorm(y, m + par["u"], exp(par["v"]), log = TRUE)), gradient = c("par", "m"), hessian = TRUE)
  value <- f(y, 0.1, c(v = 0.2, u = 0.1), device = "host")
  expect_identical(dimnames(attr(value, "hessian")), rep(list(names(attr(value, "gradient"))), 2L))
  expect_identical(colnames(attr(value, "hessian")), c("v", "u", "m"))
  expect_true(isSymmetric(attr(value, "hessian")))
})

test_that("numbers, elements of vectors, coefficients, codes", {
  expect_hessian(function(y, m, s) dnorm(y, m, exp(s), log = TRUE), list(y = y, m = 0.3, s = 0.1), c("m", "s"), reduce = "sum")
  expect_hessian(function(y, a, b) dgamma(y, a, rate = b, log = TRUE), list(y = y^2 + 0.1, a = 1, b = 0.7), c("a", "b"), reduce = "mean")
  expect_hessian(function(y, par) -sum(dnorm(y, par[1], exp(par[2]), log = TRUE)), list(y = y, par = c(0.3, 0.2)), "par")
  expect_hessian(function(counts, X, b) sum(dpois(counts, exp(X %*% b), log = TRUE)), list(counts = counts, X = X, b = c(0.3, 0.1, 0.2)), "b")
  expect_hessian(
    function(counts, X, par) sum(dnbinom(counts, mu = exp(X %*% par[-1]), size = exp(par[1]), log = TRUE)),
    list(counts = counts, X = X, par = c(0.5, 0.3, 0.1, 0.2)), "par"
  )
  expect_hessian(
    function(y, X, b, s) sum(dt((y - X %*% c(b[2], s, b[1])) / exp(s), 4, log = TRUE) - s), list(y = y, X = X, b = c(0.2, 0.3), s = 0.1), c("s", "b")
  )
  expect_hessian(
    function(counts, X, b, u, s, g) sum(dpois(counts, exp(X %*% b + u[g]), log = TRUE)) + sum(dnorm(u, 0, exp(s), log = TRUE)),
    list(counts = counts, X = X, b = c(0.1, 0.2, -0.1), u = c(0.1, -0.2, 0, 0.3, 0.2), s = 0.2, g = g), c("b", "u", "s")
  )
})

test_that("sums within sums, running sums, choices, extremes, missing values", {
  expect_hessian(function(y, a, b) log(sum(exp(y * a - b^2))) * mean(y * a * b), list(y = y, a = 0.3, b = 0.4), c("a", "b"))
  expect_hessian(function(y, a, b) sum(cumsum(y * a)^2 * b) + max(y * a) * b + min(a^2, b), list(y = y, a = 0.3, b = 0.4), c("a", "b"))
  expect_hessian(function(y, a, b) sum(ifelse(y > a, exp(-(y - a)^2) * b, exp(a * b))), list(y = y, a = 0.3, b = 0.4), c("a", "b"))
  expect_hessian(function(y, a, b) sum(pmax(y * a, b * a^2) + pmin(y, a * b)), list(y = y, a = 0.3, b = 0.4), c("a", "b"))
  expect_hessian(function(y, a, b) sum((y - a)^2 * exp(b), na.rm = TRUE), list(y = c(NA, y), a = 0.3, b = 0.4), c("a", "b"))
  expect_hessian(
    function(y, par) sum(dnorm(diff(y), par[1] * y[-1], exp(par[2]), log = TRUE)) + sum(rev(par) * cumsum(par)), list(y = y, par = c(0.3, 0.2)), "par"
  )
  # R's for over elements
  expect_hessian(function(par) { s <- 0; for (k in seq_along(par)) s <- s * par[k] + exp(par[k]); s + sum(par) * 0 }, list(par = c(0.3, 0.2, -0.4)), "par")
})

test_that("loops over data", {
  skip_on_cran() # a matter of seconds
  # GARCH(1, 1)
  expect_hessian(function(y, par) {
    h <- exp(par[1])
    total <- dnorm(y[1], 0, sqrt(h), log = TRUE)
    for (t in 2:length(y)) {
      h <- exp(par[1]) + plogis(par[2]) * y[t - 1]^2 + plogis(par[3]) * h
      total <- total + dnorm(y[t], 0, sqrt(h), log = TRUE)
    }
    -total
  }, list(y = y, par = c(0.1, -1, -0.5)), "par", tolerance = 1e-6)
  # a moving average whose errors are kept in a vector
  expect_hessian(function(y, a, s) {
    e <- numeric(length(y))
    e[1] <- y[1] - s
    for (t in 2:length(y)) e[t] <- y[t] - s - a * e[t - 1]
    sum(dnorm(e, 0, exp(s), log = TRUE))
  }, list(y = y, a = 0.4, s = 0.2), c("a", "s"), tolerance = 1e-6)
  # two states, with a choice
  expect_hessian(function(y, p, m) {
    one <- 0.5
    value <- 0
    for (t in seq_along(y)) {
      a <- one * dnorm(y[t], m[1]) * ifelse(y[t] > 0, exp(p), 1)
      b <- (1 - one) * dnorm(y[t], m[2])
      value <- value + log(a + b)
      one <- a / (a + b) * plogis(p) + b / (a + b) * (1 - plogis(p))
    }
    value
  }, list(y = y, p = 0.3, m = c(0.2, 1)), c("p", "m"), tolerance = 1e-6)
})

test_that("single points where a rule of a first derivative says what is known", {
  at <- function(f, values, names, known) {
    made <- opencl_function(f, gradient = names, hessian = TRUE)
    on_each_device(function(device) expect_equal(unname(attr(do.call(made, c(values, device = device)), "hessian")), known, tolerance = 1e-12))
  }
  at(function(x, a) sum(x^a), list(x = 2, a = 0), c("x", "a"), matrix(c(0, 0.5, 0.5, log(2)^2), 2L))
  at(function(x, a) sum(dgamma(x, a, log = TRUE)), list(x = 2, a = 1), c("x", "a"), matrix(c(0, 0.5, 0.5, -trigamma(1)), 2L))
  at(function(x, a) sum(dweibull(x, a, 2, log = TRUE)), list(x = 4, a = 1), c("x", "a"), matrix(c(0, -0.25 - log(2) / 2, -0.25 - log(2) / 2, -1 - 2 * log(2)^2), 2L))
  at(function(x, a) sum(logspace_add(x, a)), list(x = 0.3, a = 0.3), c("x", "a"), matrix(c(1, -1, -1, 1) / 4, 2L))
  at(function(x, d) sum(dt(x, d, log = TRUE)), list(x = 0, d = 5), "d", matrix((trigamma(3) - trigamma(2.5)) / 4 + 0.5 / 25))
  at(function(x) sum(tanh(x)), list(x = 400), "x", matrix(0))
})

test_that("distributions", {
  skip_on_cran() # a matter of seconds
  cases <- list(
    pnorm = list(-3:3 / 2, mean = 0.2, sd = 1.3), plnorm = list(1:5 / 2, meanlog = 0.2, sdlog = 1.3), pexp = list(1:5 / 3, rate = 0.8),
    pgamma = list(1:5 / 3, shape = 1.7, scale = 0.8), pweibull = list(1:5 / 3, shape = 1.7, scale = 0.8), plogis = list(-2:2, location = 0.3, scale = 1.2),
    pcauchy = list(-2:2, location = 0.3, scale = 1.2), ppois = list(0:3, lambda = 1.3), pbinom = list(0:2, size = 5, prob = 0.3),
    pnbinom = list(0:3, size = 2.5, prob = 0.3), pnbinom = list(0:3, size = 2.5, mu = 1.3), pt = list(-2:2, df = 5), pbeta = list(1:4 / 5, shape1 = 1.3, shape2 = 2),
    pf = list(1:4 / 3, df1 = 3, df2 = 5)
  )
  first_only <- c("pgamma shape", "pbinom size", "pnbinom size", "pt df", "pbeta shape1", "pbeta shape2", "pf df1", "pf df2")
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (k in seq_along(cases)) {
    for (tail in c("", ", lower.tail = FALSE", ", log.p = TRUE", ", log.p = TRUE, lower.tail = FALSE")) {
      name <- names(cases)[k]
      parameters <- names(cases[[k]])[-1L]
      f <- eval(str2lang(paste0("function(q, h, ", toString(parameters), ") sum(", name, "(q + h, ", paste0(parameters, " = ", parameters, collapse = ", "), tail, "))")))
      moving <- setdiff(parameters, sub(".* ", "", first_only[startsWith(first_only, name)]))
      if (!name %in% c("ppois", "pbinom", "pnbinom")) moving <- c("h", moving)
      values <- stats::setNames(c(cases[[k]], h = 0.05), c("q", parameters, "h"))
      expect_lt(hessian_error(f, values, moving), 1e-7, label = paste(name, tail))
    }
  }
})

test_that("a matrix for each level of `by`, as a call with its rows alone gives it", {
  levels <- factor(c("a", "b", "c", NA)[c(1, 3, 3, 1, 4)][rep(1:5, length.out = n)], levels = c("a", "b", "c"))
  f <- function(y, X, b, s) dnorm(y, exp(X %*% b), exp(s), log = TRUE)
  h <- function(y, a, b) ifelse(y > a, exp(-(y - a)^2) * b, exp(a * b))
  cases <- list(
    list(f, list(y = y, X = X[, 1:2], b = c(one = 0.2, two = -0.1), s = 0.3), c("s", "b")), list(h, list(y = y, a = 0.3, b = 0.4), c("b", "a")),
    list(f, list(y = replace(y, 1L, NA), X = X[, 1:2], b = c(0.2, -0.1), s = 0.3), c("b", "s"))
  )
  judge <- function(device, op, na.rm) {
    for (case in cases) {
      made <- opencl_function(case[[1L]], reduce = op, na.rm = na.rm, gradient = case[[3L]], hessian = TRUE)
      found <- do.call(made, c(case[[2L]], list(by = levels, device = device)))
      k <- length(unlist(case[[2L]][case[[3L]]]))
      expect_identical(dim(attr(found, "hessian")), c(3L, k, k))
      expect_identical(rownames(attr(found, "gradient")), c("a", "b", "c"))
      expect_true(all(is.na(attr(found, "hessian")["b", , ])))
      for (level in c("a", "c")) {
        rows <- which(levels == level)
        alone <- case[[2L]]
        alone$y <- alone$y[rows]
        if (!is.null(alone$X)) alone$X <- alone$X[rows, ]
        alone <- do.call(made, c(alone, list(device = device)))
        expect_equal(unname(attr(found, "hessian")[level, , ]), unname(attr(alone, "hessian")), tolerance = 1e-12)
        expect_equal(attr(found, "gradient")[level, ], attr(alone, "gradient"), tolerance = 1e-12)
        expect_identical(dimnames(attr(found, "hessian"))[[2L]], names(attr(alone, "gradient")))
      }
    }
  }
  for (op in c("sum", "mean")) for (na.rm in c(FALSE, TRUE)) judge("host", op, na.rm)
  for (device in opencl_test_devices()) judge(device, "sum", FALSE)
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  judge("host", "mean", TRUE)
  none <- opencl_function(h, reduce = "sum", gradient = c("a", "b"), hessian = TRUE)(numeric(), 0.1, 0.2, by = factor(character(), levels = "z"), device = "host")
  expect_identical(dim(attr(none, "hessian")), c(1L, 2L, 2L))
})

test_that("a function that is called with other lengths is another one", {
  f <- opencl_function(function(counts, X, b) sum(dpois(counts, exp(X %*% b), log = TRUE)), gradient = "b", hessian = TRUE)
  rows <- opencl_function(function(M, v) sum((M - v)^3), gradient = "v")
  on_each_device(function(device) {
    for (k in c(2L, 3L, 1L, 2L)) {
      b <- c(0.3, 0.1, 0.2)[seq_len(k)]
      part <- X[, seq_len(k), drop = FALSE]
      mean <- exp(as.vector(part %*% b))
      expect_equal(unname(attr(f(counts, part, b, device = device), "hessian")), unname(-t(part) %*% (part * mean)))
    }
    for (k in c(4L, 2L, 4L, 1L)) {
      M <- matrix(sin(1:24), 4L)[seq_len(k), , drop = FALSE]
      v <- cos(seq_len(k))
      expect_equal(unname(attr(rows(M, v, device = device), "gradient")), -rowSums(3 * (M - v)^2))
    }
  })
})

test_that("what has no second derivative is refused by name, and so is what is not a number", {
  expect_error(
    opencl_function(function(x, s) sum(dchisq(x, 3, ncp = s, log = TRUE)), gradient = "s", hessian = TRUE), "second derivative of dchisq(ncp = ) in `ncp`",
    fixed = TRUE, class = "nmathopencl_error"
  )
  expect_error(opencl_function(function(x, s) sum(stirlerr(x)), gradient = "x", hessian = TRUE), "second derivative of stirlerr() in `n`", fixed = TRUE)
  # also where a condition decides, so that the compiler tells; by the argument that the call has, and with what to do instead
  reported <- function(f, text, gradient = "s") {
    error <- expect_error(opencl_function(f, gradient = gradient, hessian = TRUE)(y, 2, device = "host"), text, fixed = TRUE, class = "nmathopencl_error")
    expect_match(conditionMessage(error), "Instead take differences of the gradient: `he`, vcov() and summary() of as_objective() do", fixed = TRUE)
  }
  reported(function(x, s) sum(pt(x, 5, ncp = s)), "second derivative of pt(ncp = ) in `ncp`")
  reported(function(x, s) sum(pnbinom(x, s, mu = 2)), "second derivative of pnbinom(mu = ) in `size`")
  reported(function(x, s) sum(qgamma(exp(-x^2), s, rate = s)), "second derivative of qgamma() in `shape` and `rate`")
  reported(function(x, s) sum(if (s > 0) pgamma(x, s) else x), "second derivative of pgamma() in `shape`")
  reported(function(x, s) sum(if (s > 0) pnbinom(x, s, mu = 2) else x), "second derivative of pnbinom(mu = ) in `size`")
  reported(function(x, s) sum(if (s > 0) qgamma(exp(-x^2), s) else x), "second derivative of qgamma() in `shape`")
  expect_error(opencl_function(function(x, s) x * s, gradient = "s", hessian = TRUE), "one number")
  expect_error(opencl_function(function(x, s) sum(x * s), hessian = TRUE), "goes with `gradient`")
  expect_error(opencl_function(function(x, s) sum(x * s), gradient = "s", hessian = NA), "TRUE or FALSE")
  f <- opencl_function(function(x, s) x * exp(s[1]), reduce = "sum", gradient = "s", hessian = TRUE)
  expect_error(f(y, 0.1, by = g), "several steps", class = "nmathopencl_error")
  f <- opencl_function(function(x, s) x * exp(s), reduce = "sum", gradient = "s", hessian = TRUE)
  expect_error(f(x = y, by = g, over = list(s = c(0.1, 0.2))), "`over` and `by` together", class = "nmathopencl_error")
  f <- opencl_function(function(u) sum(u)^2, gradient = "u", hessian = TRUE)
  expect_error(f(as.double(1:1001), device = "host"), "up to 1000")
})

test_that("the rules that are differentiated in turn name functions and arguments that exist, and are rules of first derivatives", {
  read <- function(file) utils::read.delim(system.file("spec", file, package = "nmathopencl"), colClasses = "character", quote = "", na.strings = character())
  rules <- read("second_derivatives.tsv")
  expect_identical(names(rules), names(read("derivatives.tsv")))
  expect_false(any(duplicated(rules[c("name", "argument", "form")])))
  functions <- rbind(read("functions.tsv")[c("name", "columns")], read("rule_functions.tsv")[c("name", "columns")])
  for (k in seq_len(nrow(rules))) {
    columns <- if (rules$name[k] == "^") "x, y" else if (rules$name[k] == "tanh") "x" else functions$columns[match(rules$name[k], functions$name)]
    if (is.na(columns)) columns <- "x, nu, expon.scaled" # by R's name
    columns <- strsplit(columns, ", ")[[1L]]
    expect_true(rules$argument[k] %in% columns, info = rules$name[k])
    expect_identical(setdiff(all.vars(str2lang(rules$derivative[k])), c(columns, ".value", "expon.scaled")), character(0), info = rules$name[k])
  }
})

# What C++ alone gives of a call whose arguments are in the order in which the body reads them.
alone <- function(f, ..., device = "auto") {
  nmathopencl:::expression_known_cpp(attr(f, "expression"), list(...), NULL, device, FALSE, FALSE, FALSE, environment())
}

test_that("a known Hessian is C++'s alone", {
  for (device in compiling_devices()) {
    f <- opencl_function(function(counts, X, b) dpois(counts, exp(X %*% b), log = TRUE), reduce = "sum", gradient = "b", hessian = TRUE)
    first <- f(counts, X, c(0.3, 0.1, 0.2), device = device)
    expect_identical(f(counts, X, c(0.3, 0.1, 0.2), device = device), first)
    expect_identical(alone(f, counts, X, c(0.3, 0.1, 0.2), device = device), first)
    expect_equal(unname(attr(first, "hessian")), unname(-crossprod(X, c(exp(X %*% c(0.3, 0.1, 0.2))) * X)), tolerance = 1e-12)
    mark <- as.symbol("value in data")
    f <- opencl_function(function(y, a, s) sum(dnorm(y, a[1] + a[2], exp(s), log = TRUE)) - sum(a^2), gradient = c("a", "s"), hessian = TRUE, data = list(y = y))
    for (turn in 1:2) first <- f(a = c(u = 0.1, v = 0.2), s = 0.3, device = device)
    expect_identical(alone(f, mark, c(u = 0.1, v = 0.2), 0.3, device = device), first)
    expect_identical(dimnames(attr(first, "hessian")), rep(list(c("u", "v", "s")), 2L))
    expect_gt(last_run()$compute, 0)
  }
})

# Its value as C++ alone gives it, and its columns, computed at once, as a call for each direction gives them.
test_that("the columns of a Hessian of many are those of single calls, to the last bit", {
  p <- 10L
  X <- cbind(1, matrix(round(rnorm(length(counts) * (p - 1L)), 2), length(counts)))
  b <- seq(0.2, -0.1, length.out = p)
  own <- sweep(X, 2L, colMeans(X))
  for (device in compiling_devices()) {
    f <- opencl_function(function(counts, X, b) sum(dpois(counts, exp(X %*% b - mean(X %*% b)), log = TRUE)), gradient = "b", hessian = TRUE)
    first <- f(counts, X, b, device = device)
    expect_identical(f(counts, X, b, device = device), first)
    expect_equal(unname(attr(first, "hessian")), unname(-crossprod(own, c(exp(own %*% b)) * own)), tolerance = 1e-12)
    parts <- attr(f, "expression")$moved
    known <- function(expression) nmathopencl:::expression_known_cpp(expression, list(counts, X, b), NULL, device, FALSE, FALSE, FALSE, environment())
    expect_identical(c(known(parts$plain)), c(first))
    for (k in seq_len(p)) {
      assign(parts$names, replace(numeric(p), k, 1), parts$directions)
      moved <- nmathopencl:::expression_runner(parts$moving)(list(counts, X, b), NULL, device, FALSE, FALSE, quote(f()), FALSE)
      expect_identical(unname(attr(moved, "gradient"))[k:p], unname(attr(first, "hessian"))[k:p, k])
    }
  }
})

test_that("random pairs of calls with Hessians, in both orders, are what they are by themselves", {
  skip_without_compiler()
  withr_options(list(nmathopencl.device = "host"), environment())
  functions <- list(
    sum = function() opencl_function(function(y, X, b, s = 1) y * (X %*% b) * s^2 - exp(X %*% b), reduce = "sum", gradient = c("s", "b"), hessian = TRUE, data = list(y = y)),
    stages = function() opencl_function(function(y, X, b, s = 1) -sum((y * s - X %*% b)^2) - log(sum(exp(b * s))), gradient = c("b", "s"), hessian = TRUE, data = list(y = y)),
    levels = function() opencl_function(function(y, X, b, s = 1) sum(dnorm(y, b[X[, 1]], exp(s), log = TRUE)) - sum(b^2), gradient = c("b", "s"), hessian = TRUE, data = list(y = y))
  )
  pick <- function(...) sample(list(...), 1L)[[1L]]
  one_call <- function(name) {
    rows <- pick(n, n, 7L, 1L)
    columns <- pick(3L, 3L, 2L, 1L)
    call <- list(X = if (name == "levels") matrix(rep_len(seq_len(columns), rows), rows, columns) else unname(X[seq_len(rows), seq_len(columns), drop = FALSE]))
    if (rows != n || runif(1) < 0.2) call$y <- y[seq_len(rows)]
    call$b <- round(rnorm(columns, sd = 0.3), 2)
    if (runif(1) < 0.4) names(call$b) <- pick(c("u", "v", "w"), c("v", "u", "w"))[seq_len(columns)]
    if (runif(1) < 0.2) call$b[1L] <- pick(NA, NaN, 1e4)
    if (runif(1) < 0.6) call$s <- pick(0.5, 2, 2L, NA_real_)
    call
  }
  for (name in names(functions)) for (round in seq_len(cases(8, 5))) {
    pair <- list(one_call(name), one_call(name))
    alone <- lapply(pair, function(call) with_conditions(do.call(functions[[name]](), call)))
    f <- functions[[name]]()
    for (k in c(1L, 2L, 1L, 1L, 2L, 2L)) expect_identical(with_conditions(do.call(f, pair[[k]])), alone[[k]], info = paste(name, round, k, deparse1(pair)))
  }
})
