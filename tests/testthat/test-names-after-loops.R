# Names and dimensions of what a loop of more than eight rounds has computed, and of outer(): those of R.

unoptimized_programs()

named <- function(x, kind) switch(kind, none = x, names = stats::setNames(x, paste0("e", seq_along(x))), others = stats::setNames(x, paste0("o", seq_along(x))))

random_loop <- function() {
  one <- function(...) sample(list(...), 1L)[[1L]]
  vector <- function() one(quote(x), quote(y), quote(x + y), quote(y * x), quote(exp(x)), quote(-y), quote(ifelse(x > y, x, y)), quote(pmax(x, y)), quote(dnorm(y, x, 1)),
                           quote(dnorm(x, s, 1)), quote(as.vector(x)), quote(abs(x - y)), quote(X[, 1]))
  of_round <- function() one(quote(w[k]), quote(k / 9), quote(w[k] + 1))
  part <- function() one(call("*", of_round(), vector()), call("*", vector(), of_round()), call("+", vector(), of_round()), bquote(dnorm(.(vector()), .(of_round()), 1)))
  step <- one(bquote(d <- d + .(part())), bquote(d <- .(part()) + d), bquote(d <- d - .(part())), bquote(d <- d * (2 + .(part()))), bquote(d <- pmax(d, .(part()))),
              bquote(d <- pmin(.(part()), d)), bquote(d <- d / 2 + .(part())))
  start <- one(0, quote(0 * x), quote(y), quote(x), quote(numeric(length(x))), quote(c(y)))
  as.function(c(alist(x = , y = , w = , s = , X = ), bquote({ d <- .(start); for (k in seq_along(w)) .(step); d })))
}

expect_shape_as_r <- function(f, args, ways = "host") {
  r <- with_conditions(do.call(f, args))
  if (inherits(r$value, "failed")) return(invisible())
  g <- opencl_function(f)
  for (device in ways) {
    ours <- in_way(device, with_conditions(do.call(g, c(args, list(device = device_of_way(device))))))
    if (inherits(ours$value, "failed")) return(expect_match(ours$value[[1L]], "`", fixed = TRUE)) # it says what it is about
    reported <- paste(deparse1(f), "of", length(args$x), "and", length(args$w), "on", device)
    expect_equal(ours$value, r$value, tolerance = 1e-12, info = reported)
  }
}

test_that("loops that go on adding keep names as R does", {
  skip_without_compiler()
  set.seed(11)
  count <- 0
  for (case in 1:45) {
    n <- sample(c(2L, 3L, 12L, 20L, 90L), 1L)
    kinds <- sample(c("none", "names", "others"), 3L, TRUE)
    X <- matrix(round(rnorm(2 * n), 2), n, dimnames = if (runif(1) < 0.5) list(paste0("r", seq_len(n)), NULL))
    args <- list(
      x = named(round(rnorm(n), 2), kinds[1L]), y = named(round(rnorm(n), 2), kinds[2L]), w = named(round(runif(sample(c(9L, 20L, 70L), 1L)), 2), kinds[3L]), s = 0.5, X = X
    )
    expect_shape_as_r(random_loop(), args, ways_of(case))
  }
})

test_that("sums of columns in a loop have the names of the rows, and matrices stay matrices with names", {
  skip_without_compiler()
  X <- matrix(1:40 / 7, 2, dimnames = list(c("a", "b"), NULL))
  named_both <- matrix(1:6 / 2, 2, dimnames = list(c("a", "b"), c("u", "v", "w")))
  for (device in expression_devices()) {
    expect_shape_as_r(function(X, w) { d <- 0; for (k in 1:ncol(X)) d <- d + w[k] * X[, k]; d }, list(X = X, w = 1:20 / 9), device)
    expect_shape_as_r(function(X, w) { d <- 0; for (k in seq_along(w)) d <- d + w[k] * X; d }, list(X = named_both, w = 1:20 / 9), device)
    expect_shape_as_r(function(x, w) { d <- x; for (k in seq_along(w)) d <- pmax(d, w[k] * x); d }, list(x = c(a = 1, b = 2, c = 3), w = 1:20 / 9), device)
  }
})

test_that("outer() has the names of its vectors", {
  skip_without_compiler()
  set.seed(12)
  for (size in list(c(3, 2), c(2, 20), c(1, 3), c(4, 1), c(1, 1))) for (kinds in list(c("names", "none"), c("none", "names"), c("names", "others"), c("none", "none"))) {
    args <- list(x = named(round(rnorm(size[1L]), 2), kinds[1L]), y = named(round(rnorm(size[2L]), 2), kinds[2L]))
    for (f in list(function(x, y) outer(x, y), function(x, y) outer(x, y, "-"), function(x, y) outer(exp(x), 2 * y, "^"))) expect_shape_as_r(f, args)
    expect_shape_as_r(function(x, y) outer(x + 1, exp(y), function(a, b) dnorm(a, b, 1)), lapply(args, unname))
  }
})
