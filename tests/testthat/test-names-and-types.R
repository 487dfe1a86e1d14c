# Names and types that R gives what is put together: c() of named parts, sapply(), vapply(), outer(), sweep().

unoptimized_programs()

# Value, names, dimensions, type and warnings, at calls one after the other, twice each.
expect_wholly_as_r <- function(f, calls, ways = c(if (compiler_here()) "0", "plain")) {
  g <- opencl_function(f)
  known <- lapply(calls, function(args) outcome_of(do.call(f, args)))
  for (way in ways) for (k in seq_along(calls)) for (turn in 1:2) {
    ours <- in_way(way, outcome_of(do.call(g, c(calls[[k]], device = device_of_way(way)))))
    r <- known[[k]]
    label <- paste(deparse1(f), deparse1(calls[[k]]), way)
    if (is.character(r$value)) expect_match(ours$value, "^error", label = label) else expect_identical(ours, r, label = label)
  }
}
hosts_alone()

test_that("c() gives each part the name that it has in the call", {
  named <- c(u = 1, v = 2)
  as_one({
    expect_wholly_as_r(function(x, y) c(a = x * 1, b = sum(y)), list(list(1, 2), list(c(1, 2), 3)))
    expect_wholly_as_r(function(x, y) c(x[1], m = mean(y)), list(list(named, c(3, 4)), list(c(1, 2), c(3, 4))))
    expect_wholly_as_r(function(x, y) c(mean(x), mean(y), u = 3), list(list(named, c(3, 4))))
    expect_wholly_as_r(function(x, y) c(x, mean(y), u = 3), list(list(named, c(3, 4))))
    expect_wholly_as_r(function(x) c(q = mean(x), r = c(x, s = 1)), list(list(named)))
  })
})

test_that("sapply() and vapply() give names and types as R's", {
  named <- c(a = 1, b = 2)
  as_one({
    expect_wholly_as_r(function(x) sapply(x, function(k) k * 2), list(list(named), list(1:3), list(stats::setNames(1:12 / 4, letters[1:12]))))
    expect_wholly_as_r(function(x) sapply(x, function(k) c(q = k)), list(list(named), list(c(1, 2))))
    expect_wholly_as_r(function(x) vapply(x, function(k) k, 0), list(list(named), list(1:3), list(TRUE), list(1:12)))
    expect_wholly_as_r(function(x) vapply(x, function(k) k, 0L), list(list(1:3), list(TRUE), list(c(1, 2))))
    expect_wholly_as_r(function(x) vapply(1:3, function(k) x[k], 0), list(list(c(a = 1, b = 2, d = 3))))
  })
})

test_that("outer() and sweep() of whole numbers are whole numbers, which overflow", {
  most <- .Machine$integer.max
  as_one({
    expect_wholly_as_r(function(x, y) outer(x, y, "-"), list(list(1:2, 1:3), list(c(TRUE, FALSE), 1L), list(c(1, 2), 1L)))
    expect_wholly_as_r(function(x, y) outer(x, y), list(list(1:2, 1:3), list(most, 1:2)))
    expect_wholly_as_r(function(x, y) sweep(x, 2, y, "*"), list(list(matrix(1:4, 2), 1:2), list(matrix(1:4, 2), c(1, 2))))
    for (f in list(function(x, y) outer(x, y, "+"), function(x, y) sweep(matrix(x, 1, 2), 2, y, "*"))) {
      x <- if (length(body(f)) == 4L) most else rep(most, 2)
      on_each_device(function(device) {
        ours <- outcome_of(opencl_function(f)(x, 2:3, device = device))
        r <- outcome_of(f(x, 2:3))
        expect_identical(ours$value, r$value)
        expect_identical(unique(ours$reported), r$reported) # once a column
      })
    }
  })
})

# A function of one row or column of a matrix.
of_row <- function() sample(list(quote(sum), quote(max), quote(prod), quote(function(v) sum(v^2)), quote(function(v) v * 2), quote(function(v) any(v > 3)),
                                 quote(function(v) c(q = sum(v))), quote(function(v) v[1]), quote(function(v) length(v)), quote(function(v) c(a = v[1], b = sum(v))), quote(function(v) par[1] + v[2])), 1L)[[1L]]
any_matrix <- function(n) {
  names <- list(if (runif(1) < 0.6) letters[seq_len(n)], if (runif(1) < 0.6) c("u", "v", "w"))
  matrix(sample(list(sample(-20:20, 3 * n) / 4, sample(9L, 3 * n, TRUE), runif(3 * n) < 0.5), 1L)[[1L]], n, dimnames = if (!all(lengths(names) == 0L)) names)
}

test_that("apply() and a vector times a matrix have R's names, dimensions and types", {
  as_one(for (case in if (as_on_cran()) 1:2 else 1:8) {
    set.seed(40 + case)
    f <- eval(call("function", as.pairlist(alist(M = , par = )), sample(list(
      bquote(apply(M, .(sample(2L, 1L)), .(of_row()))), quote(drop(par %*% M)), quote(par %*% M), quote((par %*% M)[2]), quote(c(par %*% M)), quote(drop(M[1, , drop = FALSE] * 2))
    ), 1L, prob = c(4, 1, 1, 1, 1, 1))[[1L]]))
    calls <- lapply(c(3L, 2L), function(n) list(any_matrix(n), stats::setNames(seq_len(n) / 4, if (runif(1) < 0.5) letters[seq_len(n)])))
    expect_wholly_as_r(f, calls, ways_of(case))
  })
})

test_that("elements of what vapply() gives, and vectors that a loop assigns to, have R's names", {
  named <- stats::setNames(1:12 / 4, letters[1:12])
  as_one({
    expect_wholly_as_r(function(par) vapply(1:3, function(k) par[1], 0)[2], list(list(c(a = 1, b = 2)), list(3)))
    expect_wholly_as_r(function(par) as.vector(c(par[1], par[2]))[2], list(list(c(a = 1, b = 2))))
    expect_wholly_as_r(function(x) { s <- x; for (t in 2:length(x)) s[t] <- s[t - 1] / 2 + x[t]; s }, list(list(named), list(rep(named, 8)), list(1:90 / 4)))
    expect_wholly_as_r(function(x) { h <- x * 0; for (t in seq_along(x)) h[t] <- x[t]^2; h }, list(list(named), list(rep(named, 8))))
    expect_wholly_as_r(function(x) { h <- numeric(length(x)); for (t in seq_along(x)) h[t] <- x[t]; h }, list(list(named), list(rep(named, 8))))
    expect_wholly_as_r(function(x, y) mapply(function(u, v) u * v, x, y), list(list(named[1:3], c(b = 2, d = 1, e = 4)), list(1:3, 3:1)))
  })
})
