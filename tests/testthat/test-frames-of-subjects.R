# Data frames of subjects, e <- d[d$id == i, ] and split(d, d$id), subjects by their numbers, ids[j], and functions of subjects by their names: R is the
# judge.

unoptimized_programs()
hosts_alone()

one_of <- function(...) sample(list(...), 1L)[[1L]]

# Random statements about the rows of `e`, with what reads them by columns.
any_rows <- function() {
  range <- one_of(quote(seq_len(nrow(e))), quote(1:nrow(e)), quote(seq_along(e$y)), quote(1:NROW(e)))
  step <- one_of(
    quote(a <- plogis(p[1]) * a + e$y[t]), quote(a <- p[2] * a + e[t, "y"] - e$x[t] * p[1]), quote(a <- if (e[["y"]][t] > 0) a * p[2] + t else a - e$x[t]),
    quote({ z <- e$k[t]; Q[z] <- Q[z] + plogis(p[1]) * (e$y[t] - Q[z]); a <- a + log(sum(exp(Q))) })
  )
  last <- one_of(quote(a), quote(a / nrow(e)), quote(log(1 + a^2)), quote(a * p[2]))
  list(quote(a <- p[2]), quote(Q <- c(0, 0)), call("for", quote(t), range, step), last)
}
block_of <- function(parts) as.call(c(quote(`{`), parts))
any_of_frames <- function() {
  rows <- any_rows()
  value <- rows[[4L]]
  test <- one_of(quote(d$id == i), quote(i == d$id))
  by_number <- one_of(quote(d$id == ids[j]), quote(ids[j] == d$id))
  keeps <- function(test) c(bquote(e <- d[.(test), ]), rows[1:3], bquote(s <- s + .(value)))
  own <- function(parts) call("function", as.pairlist(alist(e = )), block_of(parts))
  ended <- c(rows[1:3], one_of(value, call("return", value)))
  of_one <- call("function", as.pairlist(alist(i = )), block_of(c(bquote(e <- d[.(test), ]), ended)))
  one_of(
    bquote({ s <- 0; for (i in unique(d$id)) .(block_of(keeps(test))); s }),
    bquote({ s <- 0; ids <- unique(d$id); for (j in seq_along(ids)) .(block_of(keeps(by_number))); s / length(ids) }),
    bquote({ s <- 0; ids <- unique(d$id); for (j in 1:length(ids)) { y <- d$y[d$id == ids[j]]; a <- u[j]; for (t in seq_along(y)) a <- a * p[2] + y[t]; s <- s + a * p[1] }; s + sum(u^2) }),
    bquote(sum(sapply(split(d, d$id), .(own(ended))))),
    bquote({ f <- .(own(ended)); -sum(unlist(lapply(split(d, d$id), f))) }),
    bquote({ f <- .(own(ended)); p[1] + sum(vapply(split(d, d$id), f, numeric(1))) }),
    bquote({ f <- .(of_one); sum(sapply(unique(d$id), f)) }),
    bquote({ s <- 0; for (i in unique(d$id)) { e <- d[.(test), ]; r <- e$y - p[1] * e$x; s <- s + sum(r)^2 / (nrow(e) + exp(p[2])) }; s }),
    bquote({ ids <- unique(d$id); s <- 0; for (j in seq_along(ids)) { e <- d[.(by_number), ]; s <- s + sum(dnorm(e$y, p[1], exp(p[2]), log = TRUE)) }; s })
  )
}
frame_of <- function(n) {
  d <- data.frame(id = sample(c(3, 7, 9, sample(c(3, 7, 9), n - 3L, TRUE))), y = round(rnorm(n), 2), x = round(runif(n), 2), k = sample(1:2, n, TRUE))
  switch(sample(3L, 1L), d, transform(d, id = factor(c("c", "a", "b")[match(id, c(3, 7, 9))])), transform(d, id = paste0("s", id)))
}

test_that("random functions of data frames of subjects have R's values and gradients", {
  skip_on_cran() # a matter of seconds
  as_one(for (case in seq_len(cases(150, 24, 10))) {
    set.seed(7100 + case)
    made <- any_of_frames()
    f <- eval(call("function", as.pairlist(alist(p = , d = )), made), list2env(list(u = c(0.1, -0.3, 0.2)), parent = globalenv()))
    at <- c(0.3, 0.6)
    frames <- list(frame_of(12L), frame_of(12L))
    frames[[2L]]$id <- sample(frames[[1L]]$id) # the same kind of subjects
    for (way in ways_of(case)) in_way(way, {
      ours <- opencl_function(f, gradient = "p")
      for (d in frames) {
        told <- paste(case, way, deparse1(made))
        value <- ours(at, d, device = device_of_way(way))
        expect_equal(as.vector(value), f(at, d), tolerance = 1e-10, info = told)
        expect_equal(unname(c(attr(value, "gradient"))), differences(function(p) f(p, d), list(p = at), "p"), tolerance = 1e-6, info = told)
      }
    })
  })
})

test_that("subjects that R treats in another way are refused", {
  loop <- function(p, d) { s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; a <- 0; for (t in seq_len(nrow(e))) a <- a * p + e$y[t]; s <- s + a }; s }
  numbered <- function(p, d) { s <- 0; ids <- unique(d$id); for (j in seq_along(ids)) { e <- d[d$id == ids[j], ]; a <- 0; for (t in seq_len(nrow(e))) a <- a * p + e$y[t]; s <- s + a }; s }
  by_split <- function(p, d) sum(sapply(split(d, d$id), function(e) { a <- 1; for (t in seq_len(nrow(e))) a <- a * p + e$y[t]; a }))
  missing <- data.frame(id = c(1, 1, NA, 2), y = 1:4)
  expect_error(opencl_function(loop)(0.5, missing), "no subject may be missing", class = "nmathopencl_error")
  expect_error(opencl_function(numbered)(0.5, missing), "no subject may be missing", class = "nmathopencl_error")
  expect_equal(opencl_function(by_split)(0.5, missing), by_split(0.5, missing))
  unused <- data.frame(id = factor(c("a", "a", "b", "b"), levels = c("a", "b", "c")), y = 1:4)
  expect_error(opencl_function(by_split)(0.5, unused), "a subject without rows", class = "nmathopencl_error")
  expect_equal(opencl_function(loop)(0.5, unused), loop(0.5, unused))
  sums <- function(p, d) { ids <- unique(d$id); s <- 0; for (j in seq_along(ids)) { e <- d[d$id == ids[j], ]; s <- s + sum(e$y * p) }; s / length(ids) }
  expect_identical(as.vector(opencl_function(sums)(0.5, missing)), sums(0.5, missing))
  for (f in list(
    function(p, d) { s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; e$z <- e$y * p; s <- s + sum(e$z) }; s },
    function(p, d) { s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; s <- s + with(e, { b <- 2; sum(y * p * b) }) }; s },
    function(p, d) { s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; d <- d[1:2, ]; s <- s + sum(e$y * p) }; s }
  )) expect_error(opencl_function(f)(0.5, data.frame(id = c(1, 1, 2), y = 1:3)), class = "nmathopencl_error")
})

test_that("functions of the user's own are called", {
  d <- data.frame(id = c(1, 2, 1, 2, 2), y = c(1, 3, 2, 5, 4))
  masked <- list(
    list(match = function(...) 99, f = function(p, d) { ids <- unique(d$id); s <- 0; for (j in seq_along(ids)) s <- s + sum(d$y[d$id == ids[j]] * p)^2; s }),
    list(any = function(...) FALSE, f = function(p, d) if (anyNA(d$y)) 0 else sum(d$y * p)),
    list(append = function(a, b) a * b, f = function(p, d) sum(append(d$y, p))),
    list(by = function(d, g, f) d$y, f = function(p, d) { r <- by(d, d$id, function(e) sum(e$y)); sum(r) * p }),
    list(length = function(x) 7, f = function(p, d) { s <- 0; ids <- unique(d$id); for (j in 1:2) s <- s + sum(d$y[d$id == ids[j]] * p); s / length(ids) })
  )
  for (one in masked) {
    f <- one$f
    environment(f) <- list2env(one[1L], parent = globalenv())
    ours <- tryCatch(as.vector(opencl_function(f)(0.5, d)), nmathopencl_error = function(e) "refused")
    if (!identical(ours, "refused")) expect_equal(ours, f(0.5, d), info = names(one)[1L])
  }
})

test_that("columns of the name of a variable are no variable", {
  d <- data.frame(id = c(1, 2, 1, 2, 2), y = c(1, 3, 2, 5, 4), t = 1:5)
  for (f in list(
    function(p, d) { s <- 0; for (i in unique(d$id)) { y <- d$y[d$id == i]; a <- 0; for (t in seq_along(y)) a <- a * p + y[t]; s <- s + a }; s },
    function(p, d) sum(sapply(unique(d$id), function(i) { y <- d$y[d$id == i]; t <- d$t[d$id == i]; sum((y - p * t)^2) / length(y) })),
    function(p, d) { s <- 0; for (i in unique(d$id)) { y <- d$y[d$id == i]; s <- s + sum(y * p)^2 }; s }
  )) expect_likelihood(f, list(p = 0.4, d = d), "p")
})

test_that("a function with a condition after the other is made at once", {
  d <- list(y = c(1, 2))
  body <- c(quote(s <- p), lapply(1:40, function(k) bquote(if (p > .(k / 10)) s <- s + .(k) * sum(d$y))), quote(s))
  f <- eval(call("function", as.pairlist(alist(p = , d = )), as.call(c(quote(`{`), body))))
  expect_equal(opencl_function(f)(1.55, d), f(1.55, d))
  expect_error(opencl_function(function(x) pdf(x)), class = "nmathopencl_error") # of grDevices, whose body is long
})

test_that("names that a function or a loop inside has for its own are not those that are read there: R's value, or a refusal", {
  skip_on_cran() # a matter of seconds
  d <- data.frame(id = c(3, 7, 3, 9, 7, 9), y = c(1.5, -0.3, 2.2, 0.7, 1.1, 0.4))
  p <- c(0.3, 0.6)
  functions <- list(
    function(p, d) { a <- 2; f <- function(e) sum(e$y * a); g <- function(a) sum(sapply(split(d, d$id), f)) * a; g(p[1]) },
    function(p, d) { a <- 2; f <- function(e) sum(e$y * a); sum(sapply(1:2, function(a) sum(sapply(split(d, d$id), f)) * p[a])) },
    function(p, d) { a <- 2; f <- function(i) sum(d$y[d$id == i] * a); local({ a <- 5; sum(sapply(unique(d$id), f)) * p[1] }) },
    function(p, d) { mu <- p[1]; sd <- 1; nll <- function(e) -sum(dnorm(e$y, mu, sd, log = TRUE)); total <- function(sd) sum(sapply(split(d, d$id), nll)) + sd; total(exp(p[2])) },
    function(p, d) { s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; s <- s + sum(sapply(1:2, function(i) sum(e$y) * p[i])) }; s },
    function(p, d) { s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; g <- function(i) sum(e$y) * i; s <- s + g(p[1])^2 }; s },
    function(p, d) { s <- 0; ids <- unique(d$id); for (j in seq_along(ids)) { e <- d[d$id == ids[j], ]; s <- s + sum(sapply(1:2, function(j) sum(e$y)^2 * p[j])) }; s },
    function(p, d) { k <- 2; r <- by(d, d$id, function(e) sum(e$y) * k); g <- function(k) sum(unlist(r)) * k; g(p[1]) },
    function(p, d) { k <- 2; a <- aggregate(d$y * k, list(d$id), sum); sum(sapply(1:2, function(k) sum(a$x) * p[k])) },
    function(p, d) { ids <- unique(d$id); s <- 0; for (j in c(-1, -2)) s <- s + sum(d$y[d$id == ids[j]] * p[1]); s },
    function(p, d) { ids <- unique(d$id); s <- 0; for (j in c(1.5, 2.5)) s <- s + sum(d$y[d$id == ids[j]] * p[1]); s },
    function(p, d) { ids <- unique(d$id); s <- 0; for (j in 1:4) s <- s + sum(d$y[d$id == ids[j]] * p[1])^2; s }
  )
  missing <- list(d, transform(d, id = replace(id, 2, NaN)), transform(d, id = replace(id, 2, NA)))
  numbered <- list(
    function(p, d) { ids <- unique(d$id); s <- 0; for (j in seq_along(ids)) { yi <- d$y[d$id == ids[j]]; s <- s + sum(yi * p[1])^2 * j }; s * p[2] },
    function(p, d) { a <- aggregate(d$y * p[1], by = list(d$id), FUN = sum); sum(a$x^2) * p[2] }
  )
  judge <- function(f, ...) {
    known <- f(...)
    for (way in c(if (compiler_here()) "0", "plain")) {
      withr_options(list(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler")), environment())
      ours <- tryCatch(as.vector(opencl_function(f, gradient = "p")(..., device = "0")), nmathopencl_error = identity)
      if (!inherits(ours, "error")) expect_equal(ours, as.vector(known), info = deparse1(f))
    }
  }
  as_one({
    for (f in functions) judge(f, p, d)
    for (f in numbered) for (one in missing) judge(f, p, one)
    judge(function(p, id, y) { ids <- unique(id); s <- 0; for (j in seq_along(ids)) s <- s + sum(y[id == ids[j]] * p[1])^2 * j; s }, p, matrix(d$id, 3), d$y)
  })
})
