# Matrices some of whose columns are one number, as cbind(1, x) makes them: every use of them has R's values, rounds of loops and rows of apply(), too.

unoptimized_programs()

test_that("a column of one number has that number in every row", {
  skip_without_compiler()
  matrices <- list(quote(cbind(1, x)), quote(cbind(x, s) * 2), quote(cbind(1, X)), quote(t(rbind(x, s))), quote(exp(cbind(a = s, b = x))), quote(cbind(1, 2, x)[, 1:2]),
                   quote(cbind(s, x)[, c(1, 1)]), quote(cbind(TRUE, x)), quote(sweep(cbind(1, x), 2, c(1, s))), quote(cbind(0, x)[, 2:1]))
  uses <- list(
    quote(apply(M, 1, function(r) r[1] - r[2])), quote(apply(M, 1, max)), quote(apply(M, 1, function(r) sum(r^2) / length(r))), quote(sapply(seq_along(x), function(i) sum(M[i, ]))),
    quote(sapply(1:9, function(i) M[i, 1])), quote({ a <- 0; for (t in seq_along(x)) a <- a / 2 + M[t, 1] * M[t, 2]; a }), quote({ m <- M; a <- 0; for (t in 1:nrow(m)) a <- a / 2 + sum(m[t, ]); a }),
    quote(drop(M %*% rep_len(c(1, -s, 2), ncol(M)))), quote(rowSums(M)), quote(colSums(M)[1] * x), quote(M[2, 1] * x), quote(M[, 1] + 0 * x), quote(sum(M)), quote(mean(M) * x),
    quote({ m <- M; m[2, 1] <- s; for (t in 3:nrow(m)) m[t, 1] <- m[t - 1, 1] / 2 + m[t, 2]; m[, 1] }), quote(nrow(M) * x), quote(max(M)), quote(M[cbind(seq_along(x), 1 + (x > 0))]),
    quote(mapply(function(a, b) a * b, M[, 1], M[, 2]))
  )
  values <- list(x = c(0.5, 1.5, -0.5, 0.5, 2, -0.25, 0.75, 2.5, 1), s = -3, X = matrix(c(1:9, 9:1) / 4, 9))
  compared <- 0
  as_one(for (M in matrices) for (use in uses) {
    body <- do.call(substitute, list(use, list(M = M)))
    f <- as.function(c(alist(x = , s = , X = ), body), envir = globalenv())
    formals(f) <- formals(f)[intersect(names(values), all.vars(body))]
    given <- values[names(formals(f))]
    wanted <- suppressWarnings(do.call(f, given))
    made <- opencl_function(f)
    for (device in compiling_devices()) {
      ours <- do.call(made, c(given, device = device))
      compared <- compared + 1
      expect_equal(c(unname(ours)), c(unname(wanted)), tolerance = 1e-12, info = paste(deparse1(body), "on", device))
    }
  })
  expect_gte(compared, 150)
})

test_that("slopes in a number that is a column are those of differences", {
  skip_without_compiler()
  x <- c(0.5, 1.5, -0.5, 0.3, 2, 0.1, -1, 0.4, 0.6, 1.1)
  b <- c(0.3, -0.4)
  functions <- list(
    function(s, b) sum(apply(cbind(1, x, s), 1, function(r) tanh(sum(r * c(b, 1))))), function(s, b) sum(sapply(seq_along(x), function(i) log(sum(exp(cbind(s, x)[i, ] * b))))),
    function(s, b) { M <- cbind(s, x); a <- 0; for (t in seq_along(x)) a <- a * b[1] + M[t, 1] * M[t, 2] * b[2]; a }, function(s, b) sum(tanh(cbind(s, x)[, c(1, 1)] %*% b))
  )
  for (f in functions) {
    environment(f) <- environment()
    slopes <- attr(opencl_function(f, gradient = c("s", "b"))(0.7, b, device = "host"), "gradient")
    at <- function(p) f(p[1], p[2:3])
    h <- 1e-5
    wanted <- vapply(1:3, function(k) (at(c(0.7, b) + h * (1:3 == k)) - at(c(0.7, b) - h * (1:3 == k))) / (2 * h), 0)
    expect_equal(as.double(slopes), wanted, tolerance = 1e-6, info = deparse1(body(f)))
  }
})

test_that("by levels such a matrix has as many rows as the level", {
  y <- c(1, 2, 4, 6, 7)
  by <- c(1L, 2L, 2L, 1L, 2L)
  for (f in list(function(y) sum(y) / nrow(cbind(1, y)), function(y) { M <- cbind(1, y); a <- 0; for (t in 1:nrow(M)) a <- a / 2 + M[t, 1] * M[t, 2]; a })) {
    expect_equal(c(opencl_function(f, reduce = "sum")(y, by = by, device = "host")), vapply(split(y, by), f, 0))
  }
})
