# Functions of each group and of several vectors, and what R computes of data, as people write them.

unoptimized_programs()

set.seed(7)
y <- round(rnorm(24), 2)
dose <- round(runif(24), 2) * 10
id <- rep(c(3, 1, 7, 4), 6)
s <- rep(c("b", "a", "c"), 8)
groups <- factor(s, levels = c("c", "a", "b"))
nn <- c(10, 12, 9)
yy <- c(2, 5, 6)
xx <- c(0, 1, 3)

same_as_r <- function(f, par, ways = c(if (compiler_here()) "0", "plain")) {
  r <- as.vector(f(par))
  slopes <- differences(function(par) as.vector(f(par)), list(par = par), "par")
  h <- opencl_function(f, gradient = "par")
  for (way in ways) {
    for (turn in 1:3) {
      ours <- in_way(way, h(par, device = device_of_way(way)))
      expect_equal(as.vector(ours), r, tolerance = 1e-12, info = deparse1(f))
      expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-7, info = deparse1(f))
    }
  }
}

# Random statements about one group's elements, `v` and `w`, that end in a number.
any_of_group <- function() {
  one <- function(...) sample(list(...), 1L)[[1L]]
  value <- one(quote(dnorm(v, par[1], exp(par[2]), log = TRUE)), quote((v - par[1])^2), quote(v * w), quote(exp(-w * par[2]) + v), quote((v - mean(v))^2), quote(z^2), quote(v * z + 1))
  last <- one(quote(sum(.)), quote(sum(.) / length(v)), quote(mean(.) * par[3]), quote(log(1 + sum(.)^2)), quote(n * par[1] + sum(.)))
  last <- do.call(substitute, list(last, list(. = value)))
  used <- all.vars(last)
  statements <- list(if ("z" %in% used) one(quote(z <- v - par[1]), quote(z <- v - mean(w)), quote(z <- exp(-w))), if ("n" %in% used) quote(n <- length(v)))
  as.call(c(quote(`{`), Filter(Negate(is.null), statements), last))
}

test_that("random functions of each group are those of R's loops, with their gradients", {
  as_one(for (case in if (as_on_cran()) 1:4 else 1:25) {
    set.seed(300 + case)
    body <- any_of_group()
    of_test <- function(body, name, test) do.call(substitute, list(body, stats::setNames(list(test), name)))
    in_loop <- as.call(append(as.list(body), list(quote(v <- y[id == i]), quote(w <- dose[id == i])), 1L))
    f <- function(par) NULL
    body(f) <- sample(list(
      bquote(sum(sapply(unique(id), function(i) .(in_loop)))),
      bquote({ ll <- 0; for (i in c(1, 3, 4, 7)) ll <- ll + .(as.call(c(quote(`{`), as.list(in_loop)[-1L]))); ll }),
      bquote(sum(vapply(unique(id), function(i) { own <- which(id == i); .(of_test(of_test(body, "v", quote(y[own])), "w", quote(dose[own]))) }, numeric(1)))),
      bquote({ parts <- split(y, id); sum(sapply(parts, function(v) .(of_test(body, "w", 0.5)))) }),
      bquote(-sum(unlist(lapply(split(y - par[3], groups), function(v) .(of_test(body, "w", 2))))))
    ), 1L)[[1L]]
    body(f) <- bquote({ .(body(f)) + par[2]^2 })
    same_as_r(f, c(0.3, -0.2, 0.8), ways_of(case))
  })
})

test_that("mapply(), Map() and what R makes of data have R's numbers and gradients", {
  for (f in list(
    function(par) -sum(mapply(function(y, n, x) dbinom(y, n, plogis(par[1] + par[2] * x), log = TRUE), yy, nn, xx)),
    function(par) -sum(mapply(function(n, y, x) dbinom(y, n, plogis(par[1] + par[2] * x), log = TRUE), y = yy, x = xx, n = nn)),
    function(par) { ll <- Map(function(y, n) dbinom(y, n, plogis(par[1]), log = TRUE), yy, nn); Reduce("+", ll) * par[2] },
    function(par) sum(unlist(Map(function(y, n) y * par[1]^n, yy, nn))),
    function(par) sum(dnorm(y, ifelse(id %in% c(3, 7), par[1], par[2]), exp(par[3]), log = TRUE)),
    function(par) { s <- factor(s); sum(dnorm(y, par[as.integer(s)], 1, log = TRUE)) },
    function(par) { band <- cut(dose, c(-1, 3, 6, 11)); sum(exp(par)[band] * y) + nlevels(band) * par[1] },
    function(par) { X <- model.matrix(~ dose + groups); sum((y - X %*% c(par, par[1]))^2) },
    function(par) sum(par[match(s, c("a", "b", "c"))] * y)
  )) same_as_r(f, c(0.3, -0.2, 0.8))
})

test_that("a gradient through c(-Inf, cuts, Inf) is a number", {
  y <- rep(1:3, 8)
  same_as_r(function(par) { b <- c(-Inf, par[2], par[2] + exp(par[3]), Inf); -sum(log(plogis(exp(par[1]) * (dose / 5 - b[y])) - plogis(exp(par[1]) * (dose / 5 - b[y + 1])))) }, c(0.1, 0.4, 0.2))
})

test_that("what is assigned again, or read elsewhere, is no part of what was chosen before", {
  v <- rep(100, 24)
  k <- 9
  for (f in list(
    function(par) { k <- 1; v <- y[id == k]; k <- 3; sum(v * par[1]) + k },
    function(par) { if (length(y) > 3) { v <- y[id == 1]; s <- sum(v) }; s * par[1] + sum(v) },
    function(par) { s <- 0; for (i in c(1, 3)) { s <- s + sum(v) * par[1]; v <- y[id == i]; s <- s + sum(v) * par[2] }; s },
    function(par) { k <- 1; v <- y[id == k]; h <- function(k) sum(v) * k; h(par[1]) },
    function(par) { s <- par[1]; h <- function(v) sum(v) * s; v <- y[id == 1]; h(y) + sum(v) }
  )) {
    r <- tryCatch(as.vector(opencl_function(f, gradient = "par")(c(2, 1, 1), device = "0")), nmathopencl_error = conditionMessage)
    expect_true(is.character(r) || isTRUE(all.equal(r, f(c(2, 1, 1)))), info = deparse1(f))
  }
})

# Random ways to compute a number for each group, of its elements of vectors and its rows of a matrix.
any_of_rows <- function() {
  one <- function(...) sample(list(...), 1L)[[1L]]
  chosen <- one(quote(id == i), quote(own))
  rows <- one(bquote(Z[.(chosen), ]), bquote(Z[.(chosen), , drop = FALSE]), if (is.call(chosen)) quote(Zi) else quote((Z[own, ])))
  product <- bquote(.(rows) %*% .(one(quote(par[1:2]), quote(c(par[3], 0.5)), quote(b))))
  product <- one(product, call("drop", product), call("as.vector", product), call("c", product))
  own <- one(bquote(y[.(chosen)]), if (is.call(chosen)) quote(yi) else quote(y[own] * 2))
  one(
    bquote({ r <- .(own) - .(product); sum(r^2) * par[3] }), bquote(sum(dnorm(.(own), .(product), exp(par[2]), log = TRUE))),
    bquote(mean(.(product) * .(own)) / length(own)), bquote(sum(.(one(bquote(Z[.(chosen), 1]), bquote(Z[.(chosen), 2]))) * par[1] + .(own))^2),
    bquote(log(1 + sum(.(product))^2) * length(own))
  )
}

test_that("random functions of the rows of each subject are those of R's loops, with their gradients", {
  as_one(for (case in if (as_on_cran()) 1 else 1:3) {
    set.seed(700 + case)
    rows <- sample(c(9L, 24L), 1L)
    Z <- matrix(round(rnorm(2 * rows), 2), rows)
    y <- round(rnorm(rows), 2)
    id <- sample(c(3, 1, 7), rows, TRUE)
    own <- as.call(c(quote(`{`), quote(own <- which(id == i)), quote(yi <- y[id == i]), quote(Zi <- Z[id == i, ]), any_of_rows()))
    f <- eval(call("function", as.pairlist(alist(par = )), sample(list(
      bquote({ b <- par[2:3]; sum(sapply(unique(id), function(i) .(own))) }),
      bquote({ b <- par[2:3]; ll <- 0; for (i in unique(id)) ll <- ll + .(own); ll })
    ), 1L)[[1L]]))
    same_as_r(f, c(0.3, -0.2, 0.8), ways_of(case))
  })
})

test_that("sort(), median(), quantile() and range() of what a gradient is in, dmultinom(), aggregate() and mapply() of what is the same for all have R's numbers", {
  X <- rbind(c(1, 2, 3), c(0, 2, 1))
  twice <- function(a, b, m = 2) a * m + b
  for (f in list(
    function(par) {
      r <- (y - par[1])^2
      sum(sort(r) * seq_along(r)) + sum(sort(y * par[2], decreasing = TRUE)[1:3]) + median(abs(y - par[1])) + median(y[-1] * par[2]) + diff(range(par * 2))
    },
    function(par) sum(quantile((y - par[1]) * par[3], c(0, 0.31, 0.5, 1)) * c(1, -2, 0.5, 3)) + quantile(y + par[2], 0.9, names = FALSE),
    function(par) {
      ll <- dmultinom(c(2, 0, 1), prob = c(exp(par[1:2]), 0.5), log = TRUE) - dmultinom(c(2, 5, 0), prob = c(exp(par[1:2]), 0))
      for (i in 1:nrow(X)) ll <- ll + dmultinom(X[i, ], size = sum(X[i, ]), prob = exp(par), log = TRUE)
      ll + sum(apply(X, 1, dmultinom, prob = exp(par), log = TRUE))
    },
    function(par) {
      ll <- dnorm(y, par[1], exp(par[2]), log = TRUE)
      sum(log(aggregate(ll ~ id, FUN = sum)$ll^2)) + sum(aggregate(y * par[1], by = list(groups), FUN = mean)$x^2) + sum(aggregate(exp(y * par[2]), list(s), sum)[["x"]])
    },
    function(par) sum(tapply(y * par[1], groups, function(v) sum(v)^2)) + sum(sapply(split(dose * par[2], id), mean)^2) + sum(tapply(y * par[3], list(s), sum)^2),
    function(par) sum(mapply(function(a, m, b) a * m - b^2, yy, xx, MoreArgs = list(m = par[1]))) + sum(mapply(dnorm, yy, mean = nn * par[2], MoreArgs = list(sd = exp(par[3]), log = TRUE))) +
      sum(unlist(Map(f = function(u, v) u * v * par[1], yy, nn))) + sum(mapply(twice, b = yy, nn, MoreArgs = list(m = par[2])))
  )) same_as_r(f, c(0.3, -0.2, 0.8))
})

test_that("dmultinom() stops where R does, and aggregate() with a formula at a missing value", {
  x <- c(1, 2)
  h <- opencl_function(function(par) dmultinom(x, prob = par, log = TRUE))
  for (par in list(c(1, -1), c(0, 0), c(1, NA), c(1, 2, 3))) expect_error(h(par, device = "0"), conditionMessage(tryCatch(dmultinom(x, prob = par), error = identity)), fixed = TRUE)
  x <- c(NA, 2, 3)
  g <- c(1, 2, 2)
  expect_error(opencl_function(function(par) { z <- x * par; sum(aggregate(z ~ g, FUN = sum)$z) })(2, device = "0"), "write tapply(x, g, sum)", fixed = TRUE)
})

test_that("numbers of which() that are more than an index stay what they are", {
  for (f in list(
    function(par) { s <- 0; for (k in c(1, 3)) { own <- which(id == k); s <- s + sum(y[own] * par[1]) / length(own) }; s },
    function(par) { s <- 0; for (k in c(1, 3)) { own <- which(id == k); s <- s + sum(own) * par[1] + length(own) }; s },
    function(par) { s <- 0; for (k in c(1, 3)) { own <- which(id == k); h <- function(own) length(own) * par[2]; s <- s + sum(y[own]) * par[1] + h(y) }; s },
    function(par) { s <- 0; own <- which(id == 3); for (k in own) s <- s + y[k] * par[1]; s / length(own) }
  )) {
    r <- tryCatch(as.vector(opencl_function(f, gradient = "par")(c(2, 1, 1), device = "0")), nmathopencl_error = conditionMessage)
    expect_true(is.character(r) || isTRUE(all.equal(r, f(c(2, 1, 1)))), info = deparse1(f))
  }
})

test_that("groups may be missing, empty, texts, flags and recycled, as in R, and say so where they may not", {
  functions <- list(
    function(x, g, p) sum(sapply(split(x, g), function(v) sum(v)^2)) * p, function(x, g, p) sum(sapply(split(x * p, g), function(v) length(v)^2 + sum(v))),
    function(x, g, p) sum(sapply(split(x, g), function(v) mean(v) * p)), function(x, g, p) sum(unlist(lapply(split(x - p, g), function(v) sum(v^2)))),
    function(x, g, p) sum(tapply(x, g, sum) * p), function(x, g, p) sum(tapply(x, g, length)^2 * p), function(x, g, p) sum(rowsum(x, g)^2 * p)
  )
  any_groups <- function(n) {
    codes <- sample(c(3, 1, 7), n, TRUE)
    if (runif(1) < 0.4) codes[sample(n, 1L)] <- NA
    sample(list(
      codes, as.integer(codes), codes > 2, factor(codes), factor(codes, levels = c(7, 2, 1, 3)), letters[codes], codes / 10, rep_len(c(1, 2), n %/% sample(2L, 1L)), c(codes, 3), 0.3 + codes * 2^-54
    ), 1L)[[1L]]
  }
  compared <- 0
  as_one(for (place in seq_along(functions)) {
    set.seed(500 + place)
    f <- functions[[place]]
    ours <- opencl_function(f)
    slope <- opencl_function(f, gradient = "p")
    for (turn in seq_len(cases(24, 12, 4))) {
      x <- round(rnorm(6), 2)
      g <- any_groups(6L)
      plain <- !compiler_here() || turn %% 3 != 0
      old <- options(nmathopencl.compiler = if (plain) FALSE else getOption("nmathopencl.compiler"))
      warned <- character()
      kept <- function(code) withCallingHandlers(code, warning = function(w) { warned <<- conditionMessage(w); invokeRestart("muffleWarning") })
      value <- tryCatch(kept((if (turn %% 2) ours else slope)(x, g, 1.5, device = "0")), nmathopencl_error = function(e) NULL)
      options(old)
      if (is.null(value)) next
      said <- warned
      warned <- character()
      told <- paste(deparse1(body(f)), deparse1(g), plain)
      expect_equal(as.vector(value), tryCatch(kept(f(x, g, 1.5)), error = conditionMessage), info = told)
      expect_identical(said, warned, info = told)
      compared <- compared + 1
    }
  })
  expect_gt(compared, cases(100, 50, 14))
})

test_that("elements by name of sums of groups, which have no names, are an error with a compiler and without", {
  x <- c(2, 0, 3)
  g <- c(1, 2, 1)
  for (f in list(
    function(x, g) tapply(x, g, sum)["1"], function(x, g) { s <- tapply(x, g, mean); s[["2"]] * 2 }, function(x, g) { s <- rowsum(x, g); s["1"] }, function(x, g) table(g)["1"]
  )) {
    for (compiled in c(TRUE, FALSE)) {
      old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
      found <- tryCatch(opencl_function(f)(x, g, device = "0"), error = identity)
      options(old)
      expect_s3_class(found, "nmathopencl_error")
      expect_match(conditionMessage(found), "name")
    }
  }
})

test_that("quantile() of what a gradient is in has R's names, errors and ties, and is refused of other types", {
  f <- function(y, par, p) quantile(y * par, p)
  h <- opencl_function(f)
  slope <- opencl_function(function(y, par, p) sum(quantile(y * par, p)), gradient = "par")
  for (compiled in c(TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
    for (one in list(list(c(3, 1, 2, 2), c(0.1, 0.5)), list(c(1, Inf, 2), c(0, 0.4, 1)), list(c(2, 2, 2), 1 / 3), list(5, 0.7))) {
      expect_equal(h(one[[1L]], 1.5, one[[2L]], device = "0"), f(one[[1L]], 1.5, one[[2L]]), tolerance = 1e-14)
      if (all(is.finite(one[[1L]]))) expect_equal(unname(attr(slope(one[[1L]], 1.5, one[[2L]], device = "0"), "gradient")), sum(quantile(one[[1L]], one[[2L]])), tolerance = 1e-14)
    }
    for (one in list(list(c(1, NA), 0.5), list(c(1, 2), 1.5))) expect_error(slope(one[[1L]], 1, one[[2L]], device = "0"), tryCatch(f(one[[1L]], 1, one[[2L]]), error = conditionMessage), fixed = TRUE)
    for (refused in list(function(y, par) sum(quantile(y * par, 0.5, type = 6)), function(y, par) sum(quantile(y, par)), function(y, par) sum(quantile(y * par, par)))) {
      expect_error(opencl_function(refused, gradient = "par")(c(1, 2), 0.5, device = "0"), "`quantile()` is not supported", fixed = TRUE)
    }
    options(old)
  }
})

test_that("random products of the rows of each subject are those of R's loops, with their gradients", {
  as_one(for (case in if (as_on_cran()) 1 else c(1:4, 11:16)) {
    set.seed(900 + case)
    one <- function(...) sample(list(...), 1L)[[1L]]
    levels <- one(c(3, 1, 7), c(3, 1, 7), 1:11)
    rows <- 3L * length(levels)
    Z <- matrix(round(rnorm(2 * rows), 2), rows, dimnames = list(NULL, one(NULL, c("a", "b"))))
    y <- round(rnorm(rows), 2)
    id <- c(levels, sample(levels[-1L], rows - length(levels), TRUE)) # one has a row alone
    if (case > 10) id <- sample(rep(levels, 3L)) # none has
    if (case == 2) Z[id != levels[1L], ][1L] <- Inf # no part of the first subject
    Zi <- one(quote(Z[id == i, , drop = FALSE]), quote(Zi), quote((Z[own, , drop = FALSE])))
    if (case > 10) Zi <- one(quote(Z[own, ]), quote(Z[id == i, ]), Zi)
    yi <- if (case > 10) one(quote(y[own]), quote(y[id == i])) else if ("own" %in% all.vars(Zi)) quote(y[own]) else quote(y[id == i])
    value <- one(
      quote(sum(crossprod(.) %*% par[1:2])), quote(sum(crossprod(., r) * par[2:3])), quote(sum((t(.) %*% (yi - par[1]))^2)),
      quote({ V <- crossprod(.) + diag(2) * exp(par[1]); w <- crossprod(., r); sum(w * solve(V, w)) + log(det(V)) }),
      quote(sum(colSums(.) * par[1:2]) / nrow(.)), quote(sum(colMeans(.)^2) * par[3] + drop(crossprod(r)))
    )
    block <- as.call(c(
      quote(`{`), quote(own <- which(id == i)), quote(Zi <- Z[id == i, , drop = FALSE]), bquote(r <- .(yi) - .(Zi) %*% par[2:3]), do.call(substitute, list(value, list(. = Zi, yi = yi)))
    ))
    f <- eval(call("function", as.pairlist(alist(par = )), one(bquote(sum(sapply(unique(id), function(i) .(block)))), bquote({ ll <- 0; for (i in unique(id)) ll <- ll + .(block); ll }))))
    r <- f(c(0.3, -0.2, 0.8))
    if (is.finite(r)) same_as_r(f, c(0.3, -0.2, 0.8), ways_of(case)) else expect_identical(is.finite(as.vector(opencl_function(f)(c(0.3, -0.2, 0.8), device = "0"))), FALSE)
  })
})

test_that("what R recycles or makes longer, and an expression does not, is said in the user's words", {
  skip_without_compiler()
  f <- opencl_function(function(x, y) mapply(function(a, b) a + b, x, y))
  e <- expect_error(f(c(1, 2), c(1, 2, 3, 4), device = "0"), "the vectors have different lengths: R recycles them", fixed = TRUE)
  expect_identical(conditionCall(e)[[1L]], quote(mapply))
  expect_error(opencl_function(function(x) { x[length(x) + 1] <- 2; x })(c(1, 2), device = "0"), "is none of the vector's", class = "nmathopencl_error")
})

test_that("Z[id == i, ] of one row alone is refused in products, as it is a vector in R", {
  Z <- cbind(1, c(2, 3, 5, 7))
  y <- c(1, 0, 2, 1)
  f <- function(par) { s <- 0; for (i in unique(id)) { own <- which(id == i); s <- s + sum(crossprod(Z[own, ], y[id == i]) * par) }; s }
  for (id in list(c(1, 1, 2, 2), c(1, 2, 2, 2), c(1, 1, NA, NA))) {
    for (compiled in c(TRUE, FALSE)) {
      old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
      r <- tryCatch(f(c(1, 2)), error = function(e) NULL)
      ours <- tryCatch(opencl_function(f, gradient = "par")(c(1, 2), device = "0"), error = identity)
      if (is.null(r)) expect_s3_class(ours, "error") else expect_equal(as.vector(ours), r)
      options(old)
    }
  }
})
