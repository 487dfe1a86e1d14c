# Loops and functions of the levels of a factor, and of different texts, whose elements are chosen by g == lev: R is the judge.

unoptimized_programs()

one_of <- function(...) sample(list(...), 1L)[[1L]]

any_of_levels <- function() {
  g <- one_of(quote(d$g), quote(g), quote(s))
  over <- call(if (identical(g, quote(s))) "unique" else one_of("levels", "unique"), g)
  test <- one_of(call("==", g, quote(lev)), call("==", quote(lev), g))
  value <- one_of(
    bquote(sum((y[.(test)] - p[1])^2)^2), bquote({ v <- y[.(test)]; log(1 + sum((v - p[1])^2)) * length(v) }), bquote({ w <- which(.(test)); sum(y[w] * x[w] * p[2])^2 }),
    bquote(sum(ifelse(.(test), y * p[1], x))^2), bquote(sum(ifelse(.(call("!=", g, quote(lev))), y, p[2] * x)^2)), bquote({ v <- y[.(test)]; a <- 0; for (t in seq_along(v)) a <- p[2] * a + v[t]; a^2 })
  )
  in_loop <- if (is.call(value) && identical(value[[1L]], quote(`{`))) as.list(value)[-1L] else list(value)
  in_loop[[length(in_loop)]] <- call("<-", quote(total), call("+", quote(total), in_loop[[length(in_loop)]]))
  f <- call("function", as.pairlist(alist(lev = )), value)
  one_of(
    bquote({ total <- p[2]; for (lev in .(over)) .(as.call(c(quote(`{`), in_loop))); total }), bquote(sum(sapply(.(over), .(f)))), bquote(sum(vapply(.(over), .(f), 0)) * p[1]),
    bquote(sum(unlist(lapply(.(over), .(f)))))
  )
}

test_that("random functions of levels have R's values and gradients", {
  as_one(for (case in seq_len(cases(100, 18, 8))) {
    set.seed(6100 + case)
    n <- sample(c(8L, 21L), 1L)
    s <- sample(c("b", "a", "c", sample(c("a", "b", "c"), n - 3L, TRUE)))
    g <- factor(s, levels = one_of(c("a", "b", "c"), c("c", "a", "b")))
    y <- round(rnorm(n), 2)
    x <- round(runif(n), 2)
    d <- data.frame(y = y, g = g)
    f <- eval(call("function", as.pairlist(alist(p = )), any_of_levels()))
    at <- c(0.3, 0.6)
    slopes <- differences(function(p) f(p), list(p = at), "p")
    for (way in ways_of(case)) {
      old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
      told <- paste(case, way, deparse1(body(f)))
      ours <- tryCatch(opencl_function(f, gradient = "p")(at, device = if (way == "plain") "0" else way), finally = options(old))
      expect_equal(as.vector(ours), f(at), tolerance = 1e-10, info = told)
      expect_equal(unname(c(attr(ours, "gradient"))), slopes, tolerance = 1e-6, info = told)
    }
  })
})

test_that("numbers have the names that R gives them, and a call may have another factor", {
  frames <- list(data.frame(y = 1:6, g = factor(c("b", "a", "a", "c", "b", "b"))), data.frame(y = 2:7, g = factor(c("v", "u", "u", "u", "v", "v"))), data.frame(y = 1:3, g = factor(c("b", "b", "a"), levels = c("z", "b", "a"))))
  for (f in list(
    function(d, p) sapply(levels(d$g), function(l) sum(d$y[d$g == l]) * p), function(d, p) unlist(lapply(levels(d$g), function(l) sum(d$y[d$g == l]) * p)),
    function(d, p) sapply(levels(d$g), function(l) sum(d$y[d$g == l]) * p, USE.NAMES = FALSE), function(d, p) { s <- 0; for (k in seq_along(levels(d$g))) s <- s + k * p * sum(d$y[as.integer(d$g) == k]); s }
  )) for (way in c(if (compiler_here()) "0", "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    made <- opencl_function(f)
    for (d in frames) expect_equal(made(d, 1.5, device = "0"), f(d, 1.5), info = paste(way, deparse1(body(f))))
    options(old)
  }
})

test_that("what reads a level itself is refused, and so is a missing level", {
  g <- factor(c("a", "b", "a"))
  y <- c(1, 2, 4)
  expect_error(opencl_function(function(p) { s <- 0; for (lev in levels(g)) s <- s + p[[lev]] * sum(y[g == lev]); s }), "levels")
  g <- addNA(factor(c("a", NA, "a")))
  made <- opencl_function(function(p) { s <- 0; for (lev in levels(g)) s <- s + p * sum(y[g == lev]); s })
  expect_error(made(2, device = "0"), "a level is missing")
})

test_that("texts that are numbers in a later call are refused", {
  here <- new.env()
  here$s <- c("b", "a", "b")
  f <- function(y) { t <- 0; for (l in unique(s)) t <- t * 10 + sum(y[s == l]); t }
  environment(f) <- here
  ours <- opencl_function(f)
  expect_identical(ours(c(1, 2, 4)), f(c(1, 2, 4)))
  here$s <- c(0.1 + 0.2, 0.3, 0.3)
  expect_error(ours(c(1, 2, 4)), "make it again", class = "nmathopencl_error")
  here$s <- factor(c("b", "a", "a"))
  expect_error(ours(c(1, 2, 4)), "make it again", class = "nmathopencl_error")
  here$s <- c("x", "y", "y")
  expect_identical(ours(c(1, 2, 4)), f(c(1, 2, 4)))
})
