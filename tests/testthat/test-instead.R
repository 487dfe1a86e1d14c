# What is refused comes with what to write instead, and that works.

unoptimized_programs()

refused <- function(f, ..., gradient = NULL) {
  error <- expect_error(opencl_function(f, gradient = gradient), class = "nmathopencl_error")
  for (text in c(...)) expect_match(conditionMessage(error), text, fixed = TRUE)
}

test_that("functions of R that go before the call are named with what they are given as", {
  refused(function(d, b) sum(model.frame(~ x, d) %*% b), "make the matrix before the call, X <- model.matrix(~ x, d)")
  refused(function(y, b) sum(poly(y, 2) %*% b), "unclass(poly(x, 3))")
  refused(function(y, b) sum(na.omit(y) * b), "y[!is.na(y)] and sum(..., na.rm = TRUE)")
  refused(function(y, b) sum(y * setNames(b, y)), "par[\"a\"]", "\"a\" %in% names(par)", "names(par) <- c(")
  refused(function(y, b) sum(y * unlist(as.list(b))), "with(as.list(par), ...)")
  refused(function(y, g, u) sum(y * u[factor(dnorm(g))]), "u[g] takes it as codes")
  refused(function(x, y) sum(cov(x, y)), "sum((x - mean(x)) * (y - mean(y))) / (length(x) - 1)")
  refused(function(x) weighted.mean(x), "it takes two vectors, weighted.mean(x, w)")
  refused(function(y, x, g, h, b) sum(mapply(function(v, w) sum(v - b * w), split(y, g), split(x, h))), "sapply(unique(g), function(k) { v <- y[g == k]; w <- x[g == k]; sum(v - b * w) })")
  refused(function(d, m) sum(sapply(split(d, d$g), function(v) sum(v[, 1] - m))), "`split()` is not supported: it stands in sapply(split(y, g), function(v) ...)")
  if (compiler_here()) { # else R computes it
    left_out <- opencl_function(function(y, g, m) sum(sapply(split(y, g), function(v) sum(v[-1] - m)^2)))
    error <- expect_error(left_out(c(1, 2, 4), c(1, 2, 1), 0.5, device = "host"), "For v[1], v[-1] and loops over them call the function with `by`", fixed = TRUE, class = "nmathopencl_error")
    expect_no_match(conditionMessage(error), ".group", fixed = TRUE)
  }
  refused(function(Y, P) sum(mahalanobis(Y, c(1, 2), P, inverted = TRUE)), "rowSums((D %*% P) * D), where D <- sweep(Y, 2, mu)")
  refused(function(x) sum(fft(x)), "compute it before the call, and give what it gives as an argument or in `data`")
  refused(function(x) sum(julian(x)), "compute it before the call", "An expression has arithmetic")
  refused(function(x) eval(x), "not with R code")
  refused(function(x) sum(x) / dim(x)[1], "nrow(X)")
  x <- c(1, 2, NA, 4)
  w <- c(0.5, 1, 1, 2)
  expect_equal(opencl_function(function(x, w) sum(x[!is.na(x)]) + sum(w * x, na.rm = TRUE))(x, w, device = "host"), sum(x, na.rm = TRUE) + sum(w * x, na.rm = TRUE))
  g <- c(1, 2, 1, 2)
  groups <- opencl_function(function(y, x, g, b) sum(sapply(unique(g), function(k) { v <- y[g == k]; w <- x[g == k]; sum(v - b * w)^2 })), data = list(y = w, x = w^2, g = g))
  expect_equal(groups(b = 0.3, device = "host"), sum(tapply(w - 0.3 * w^2, g, sum)^2))
  Y <- cbind(w, w^2)
  P <- matrix(c(2, 0.5, 0.5, 1), 2)
  distances <- opencl_function(function(Y, P) { D <- sweep(Y, 2, c(1, 2)); sum(rowSums((D %*% P) * D)) })
  expect_equal(distances(Y, P, device = "host"), sum(mahalanobis(Y, c(1, 2), P, inverted = TRUE)))
  x <- x[!is.na(x)]
  w <- w[seq_along(x)]
  written <- opencl_function(function(x, y) c(sum((x - mean(x)) * (y - mean(y))) / (length(x) - 1), sum(x * y) / sum(y)))
  expect_equal(written(x, w, device = "host"), c(cov(x, w), weighted.mean(x, w)))
})

test_that("of elements that a test chooses in a round, a message says what there is, and that works", {
  skip_without_compiler()
  x <- c(1, 2, 4, 3, 5)
  id <- c(1, 2, 1, 2, 2)
  refuses <- function(f, ..., m = 0.5) {
    error <- expect_error(opencl_function(f)(x, id, m, device = "host"), class = "nmathopencl_error")
    for (text in c(...)) expect_match(conditionMessage(error), text, fixed = TRUE)
    expect_no_match(conditionMessage(error), "Instead of sum(", fixed = TRUE)
  }
  refuses(function(x, id, m) { r <- x - m; sum(sapply(unique(id), function(i) max(r[id == i]))) }, "sum(), mean(), prod() and length()",
    "tapply(r, id, sum)", "max(ifelse(id == i, r, -Inf))", "call the function with `by`")
  refuses(function(x, id, m) { r <- x - m; s <- 0; for (i in unique(id)) s <- s + r[id == i][1]; s }, "sum(r[id == i]^2)", "tapply(r, id, sum)")
  refuses(function(x, id, m) { s <- 0; for (j in unique(id)) { xj <- x[id == j]; s <- s + log(det(crossprod(cbind(1, xj)) + m)) }; s },
    "`x[id == j]`: a logical index leaves elements out", "sum(x[id == j]^2)", "call the function with `by`")
  refuses(function(x, id, m) { r <- x - m; s <- 0; for (i in 1:2) s <- s + sum(cumsum(r[r > i])); s }, "`r[r > i]`", "max(ifelse(r > i, r, -Inf))")
  works <- opencl_function(function(x, id, m) {
    r <- x - m
    s <- 0
    for (i in unique(id)) s <- s + max(ifelse(id == i, r, -Inf)) + mean(r[id == i]) + length(r[id == i]) + sum(r[id == i]^2)
    s + sum(tapply(r, id, sum)^2)
  })
  r <- x - 0.5
  each <- tapply(r, id, function(v) max(v) + mean(v) + length(v) + sum(v^2) + sum(v)^2)
  expect_equal(works(x, id, 0.5, device = "host"), sum(each))
})

test_that("functions of packages are wrapped where that works, and go before the call else", {
  skip_on_cran() # a matter of seconds
  skip_if_not_installed("MASS")
  bs <- splines::bs
  refused(function(x, b) sum(bs(x) %*% b), "`bs()` is a function of the package splines, and not written in the language: make the matrix before the call")
  refused(function(x, b) sum(splines::bs(x) %*% b), "X %*% b is its product")
  ginv <- MASS::ginv
  refused(function(X) sum(ginv(X)), "`ginv()` is a function of the package MASS, and not written in the language: compute it before the call")
  simple <- function(x) exp(x) + 1
  environment(simple) <- asNamespace("MASS")
  refused(function(x) simple(x), "make it one that an expression can call, simple <- opencl_function(simple)")
  simple <- opencl_function(simple)
  expect_equal(opencl_function(function(x) simple(x))(0, device = "host"), 2)
  X <- splines::bs(c(1, 2, 3, 5))
  expect_equal(opencl_function(function(X, b) sum(X %*% b))(unclass(X), c(1, 2, 3), device = "host"), sum(X %*% c(1, 2, 3)))
})

test_that("a long line is shown by its beginning, with an operator's both sides", {
  refused(
    function(X, beta_of_first, beta_of_second, beta_of_third) sum(X %*% nobody_knows_it(c(beta_of_first, beta_of_second, beta_of_third)) + beta_of_first - 12 * beta_of_second),
    "It stands in `nobody_knows_it(c(beta_of_first, beta_of_second, beta_of_third))`"
  )
  refused(function(X, b) {
    X %in% fft(b + 1000000000001 + 1000000000002 + 1000000000003 + 1000000000004 + 1000000000005 + 1000000000006)
  }, "It stands in `fft(b + 1000000000001 + 1000000000002", "...`; ?opencl_language")
  error <- expect_error(opencl_function(function(x, tol) solve_for(x %*% x)$the_root_of_it), class = "nmathopencl_error")
  expect_match(conditionMessage(error), "`solve_for(x %*% x)`", fixed = TRUE)
  expect_false(grepl("?.", conditionMessage(expect_error(opencl_function(function(x) dnrom(x)))), fixed = TRUE))
})

test_that("a name that is none is told with those that there are", {
  f <- opencl_function(function(y, par) sum(y * par["beta"] + par["log_sd"]), gradient = "par")
  reported <- function(code, text) expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
  if (compiler_here()) {
    columns <- opencl_function(function(X, b) sum(X[, "wieght"] * b))
    reported(columns(cbind(height = 1:2, weight = 3:4), 2, device = "host"), "It has columns `height`, `weight`; did you mean `weight`?")
    reported(columns(diag(2), 2, device = "host"), "The columns of `X` have no names")
    many <- matrix(0, 2, 30, dimnames = list(NULL, paste0("column_of_", letters, 1:30)))
    reported(columns(many, 2, device = "host"), "and 10 others")
  }
  for (compiler in c(TRUE, FALSE)) {
    withr_options(list(nmathopencl.compiler = if (compiler) getOption("nmathopencl.compiler") else FALSE), environment())
    reported(f(1:2, c(beta = 1, logsd = 2), device = "host"), "subscript out of bounds. It has `beta`, `logsd`; did you mean `logsd`?")
    reported(f(1:2, c(1, 2), device = "host"), "The elements of `par` have no names: give it them, par = c(beta = ...)")
    expect_equal(c(f(1:2, c(log_sd = 2, beta = 3), device = "host")), 1 * 3 + 2 + 2 * 3 + 2, ignore_attr = "gradient")
  }
})

test_that("pmin() and pmax() of a vector on a device are told how", {
  x <- opencl_vector(c(-1, 2), device = "host")
  expect_error(pmin(x, x), "opencl_function(function(x) pmax(x, 0))(x)", fixed = TRUE, class = "nmathopencl_error")
  expect_identical(as.vector(opencl_function(function(x) pmax(x, 0))(x)), c(0, 2))
})

test_that("what the help page writes instead has R's value, and the other is refused", {
  skip_without_compiler() # R itself computes some of them
  data_of_rows <- list(x = c(0.5, 2, 4, 1.5), y = c(1, 3, 2, 0.25), X = cbind(1, c(-1, 0, 1, 3)), g = c(1L, 2L, 1L, 2L), data = data.frame(y = c(2, 3)))
  compilers <- list(getOption("nmathopencl.compiler"), FALSE)
  for (row in written_instead) {
    withr_options(list(nmathopencl.compiler = compilers[[1L]]), environment())
    code <- lapply(row, str2lang)
    given <- data_of_rows[intersect(names(data_of_rows), all.vars(code[[1L]]))]
    made <- lapply(code, function(one) as.function(c(stats::setNames(rep(alist(a = ), length(given)), names(given)), one), envir = globalenv()))
    rs <- do.call(made[[1L]], given)
    expect_error(do.call(opencl_function(made[[1L]]), c(given, device = "host")), class = "nmathopencl_error", info = row[1L])
    for (compiler in compilers) {
      withr_options(list(nmathopencl.compiler = compiler), environment())
      expect_equal(do.call(opencl_function(made[[2L]]), c(given, device = "host")), rs, info = row[2L])
    }
  }
})

test_that("texts as an index, functions of outer() and do.call() are told what to write", {
  skip_without_compiler()
  s <- rep(c("b", "a", "b"), 40)
  par <- c(b = 0.5, a = 2)
  f <- opencl_function(function(par, s) sum(par[s]))
  expect_error(f(par, s, device = "host"), "par[match(s, names(par))] for par[s]", fixed = TRUE)
  g <- opencl_function(function(par, s) sum(par[as.character(s)]))
  expect_error(g(par, factor(s), device = "host"), "par[match(s, names(par))] for par[as.character(s)]", fixed = TRUE)
  expect_as_r(function(par, s) sum(par[match(s, names(par))]), par, s)
  expect_as_r(function(par, s) sum(par[match(s, names(par))]), par, factor(s))
  outside <- opencl_function(function(x, par) sum(outer(x, x, function(a, b) a * sum(par) - b)))
  expect_error(outside(1:3 + 0.5, par, device = "host"), "Compute before what is the same for all elements", fixed = TRUE)
  expect_as_r(function(x, par) sum(outer(x, x, function(a, b) dnorm(a - b, par[1], par[["a"]]))), 1:3 + 0.5, par)
  expect_as_r(function(x, par) {
    par <- par * 2
    sum(outer(x, x, function(a, b) dnorm(a - b, 0, par[2])))
  }, 1:3 + 0.5, par)
  expect_error(opencl_function(function(M) do.call(pmax, as.data.frame(M))), "apply(M, 1, max)", fixed = TRUE)
  numbers <- opencl_function(function(b, d) {
    ll <- 0
    for (g in unique(d$st)) {
      k <- which(d$st == g)
      t <- d$t[k]
      ll <- ll + sum(log(outer(t, t, "<=") %*% exp(b * t)))
    }
    ll
  })
  refused <- tryCatch(numbers(0.1, data.frame(st = c(1, 1, 2, 2), t = c(1, 2, 3, 5)), device = "host"), error = conditionMessage)
  expect_match(refused, "leaves elements out")
  expect_no_match(refused, "ifelse((which", fixed = TRUE)
})

test_that("a loop over the groups of no data has no rounds", {
  expect_as_r(function(p, y, g) {
    s <- 0
    for (k in unique(g)) s <- s + mean(y[g == k]) * p
    s
  }, 0.3, numeric(0), integer(0))
  expect_as_r(function(p, y, g) {
    s <- p
    for (k in unique(g)) s <- s + sum(y[g == k])^2
    s
  }, 0.3, numeric(0), integer(0))
})

test_that("attributes, <<- and lists of indices are refused with what to write", {
  y <- c(1, 2.5, -1)
  nb <- list(2L, c(1L, 3L), 2L)
  lacking <- function(f, text) expect_error(opencl_function(f), text, fixed = TRUE)
  lacking(function(p) { x <- sum(y * p); attr(x, "a") <- 2; x }, "do it with what the call gives, value <- f(x), then attr(value, \"a\") <- 2")
  lacking(function(p) { x <- sum(y * p); attr(x, "gradient") <- 2; x }, "opencl_function(f, gradient = \"par\")")
  lacking(function(p) { s <- 0; sapply(1:3, function(k) s <<- s + p^k); s }, "s <- s + sum(sapply(1:3, function(k) p[1]^k))")
  lacking(function(p, u) { s <- 0; for (i in seq_along(u)) s <- s + p * sum(u[nb[[i]]]); s }, "sums of u[nb[[i]]] are tapply(u[to], from, sum)")
  to <- unlist(nb)
  from <- rep(seq_along(nb), lengths(nb))
  by_hand <- function(p, u) { s <- 0; for (i in seq_along(u)) s <- s + p * sum(u[nb[[i]]]); s }
  expect_equal(opencl_function(function(p, u) p * sum(tapply(u[to], from, sum)))(0.5, y, device = "0"), by_hand(0.5, y), tolerance = 1e-14)
})
