# Functions that stand in a call and whose arguments have the names of variables that the call reads, of R's own lists and of names: R is the judge.

unoptimized_programs()

id <- c(2, 1, 2, 3, 1, 3)
y <- c(0.5, 2, -1, 3, 1.5, 0.25)
x <- c(1, -0.5, 2, 0.75, 1.25, 3)
d <- data.frame(y = y, x = x, id = id)

test_that("arguments of functions may have the names of what is split", {
  skip_on_cran() # a matter of seconds
  expect_slopes_as_r(function(par, y, id) sum(sapply(split(y, id), function(y) sum(y - par[1])^2)) + par[2] * y[1], c(0.3, -0.2), y, id)
  expect_slopes_as_r(function(par, y, id) sum(sapply(split(y, id), function(id) sum(id * par[2])^2)) + sum(id) * par[1], c(0.3, -0.2), y, id)
  expect_slopes_as_r(function(par, d) sum(sapply(split(d, d$id), function(d) sum(d$y - par[1] * d$x)^2)) + par[2] * sum(d$y), c(0.3, -0.2), d)
  expect_slopes_as_r(function(par, x, y, id) sum(mapply(function(x, y) sum((y - par[1] * x)^2), split(x, id), split(y, id))) + par[2] * x[2], c(0.3, -0.2), x, y, id)
  expect_slopes_as_r(function(par, x, y, id) sum(unlist(Map(function(x, y) sum(x * y^2) * par[1], split(y, id), split(x, id)))) + par[2] * x[2], c(0.3, -0.2), x, y, id) # the other way around
  expect_slopes_as_r(function(par, x, y) sum(outer(x, y, function(y, x) par[1] * x - y^2)) * par[2], c(0.3, -0.2), x, y)
  expect_slopes_as_r(function(par, y, id) sum(tapply(y, id, function(y) sum(exp(par[1] * y)))) + par[2], c(0.3, -0.2), y, id)
  expect_slopes_as_r(function(par, y, id) {
    sum(vapply(split(y, id), function(y) {
      y <- y - par[1]
      sum(y^2)
    }, 0)) + par[2] * sum(y)
  }, c(0.3, -0.2), y, id)
  expect_slopes_as_r(function(par, y, id) sum(sapply(unique(id), function(id) id * par[1])) + par[2] * sum(id), c(0.3, -0.2), y, id)
  expect_as_r(function(y, id) sapply(split(y, id), function(y) sum(y)^2), y, id) # with its names
  expect_as_r(function(y, x) sapply(y, function(y) y + 1) * sum(y), y, x)
  expect_as_r(function(y, x) apply(cbind(y, x), 1, function(y) y[1] - y[2]^2), y, x)
  expect_as_r(function(y, id) unlist(lapply(split(y, id), function(y) y - mean(y))), y, id)
})

test_that("random names of arguments have R's values", {
  for (case in seq_len(cases(60, 20, 8))) {
    set.seed(case)
    of <- sample(c("y", "x", "id"), 2L, TRUE)
    takes <- sample(c("y", "x", "id", "v", "par"), 2L)
    value <- sample(alist(sum(a * b), sum(a - b^2), sum(a) * mean(b), sum(exp(-a)) + length(b)), 1L)[[1L]]
    value <- do.call(substitute, list(value, list(a = as.symbol(takes[1L]), b = as.symbol(takes[2L]))))
    f <- as.call(list(quote(`function`), as.pairlist(stats::setNames(alist(a = , b = ), takes)), value, NULL))
    one <- as.call(list(quote(`function`), as.pairlist(stats::setNames(alist(a = ), takes[1L])), do.call(substitute, list(value, stats::setNames(list(as.symbol(takes[1L])), takes[2L]))), NULL))
    split_of <- function(name) call("split", as.symbol(name), quote(id))
    body <- switch(sample(3L, 1L),
      as.call(list(quote(mapply), f, split_of(of[1L]), split_of(of[2L]))),
      call("sapply", split_of(of[1L]), one), call("tapply", as.symbol(of[1L]), quote(id), one)
    )
    made <- as.function(c(alist(par = , y = , x = , id = ), bquote(sum(.(body)) * par + sum(y * x) - id[1])), envir = environment())
    expect_as_r(made, 0.7, y, x, id, ways = ways_of(case))
  }
})

h <- function(m, s, k) m * s + k^2

test_that("lists get new elements by c(), and are given to functions by do.call()", {
  at <- c(0.4, -0.3)
  expect_slopes_as_r(function(par, x) {
    th <- list(m = par[1], s = par[2])
    full <- c(th, list(k = 2))
    sum(x) * full$k + full$m * full$s
  }, at, x)
  expect_slopes_as_r(function(par, x) {
    th <- list(m = par[1], s = par[2])
    full <- c(list(k = x[2]), th)
    sum(x) * do.call(h, full) + th$m
  }, at, x)
  expect_slopes_as_r(function(par, x) {
    th <- list(m = par[1], s = par[2])
    sum(x) * do.call(h, c(th, list(k = 1))) + do.call("h", c(list(k = x[1]), th))
  }, at, x)
  expect_slopes_as_r(function(par, x) { # the list has other elements later
    th <- list(m = par[1], s = par[2])
    full <- c(th, list(k = 2))
    m <- th$m + full$m
    m * full$k
  }, at, x)
  named <- c(m = 0.4, s = -0.3, k = 1.5)
  f <- function(par, x) sum(x) * do.call(h, as.list(par))
  expect_slopes_as_r(f, named, x)
  expect_slopes_as_r(f, named[c(3, 1, 2)], x)
  refused <- "are to be those of the arguments of h()"
  for (par in list(named[1:2], c(m = 1, s = 2, z = 3), 1:3 + 0.5, c(m = 1, s = 2, k = 1, k = 3))) expect_error(opencl_function(f)(par, x, device = "host"), refused, fixed = TRUE)
  of_body <- function(par, x) {
    h <- function(s, m) s - m^2
    do.call(h, as.list(par)) * sum(x)
  }
  expect_no_warning(expect_error(opencl_function(of_body), "do.call", class = "nmathopencl_error"))
})

test_that("loops and functions go over names", {
  named <- c(a = 0.4, b = -0.3, c = 1.5)
  bodies <- list(
    function(par, x) {
      s <- 0
      for (nm in names(par)) s <- s + par[[nm]]^2 * x[2]
      s
    },
    function(par, x) {
      s <- 0
      for (nm in names(par)) s <- s * x[1] + exp(par[nm])
      unname(s)
    },
    function(par, x) sum(sapply(names(par), function(k) par[[k]]^2)) * x[1],
    function(par, x) sum(vapply(names(par), function(k) sum(x * par[[k]])^2, 0)),
    function(par, x) sum(sapply(c(u = "a", v = "c"), function(k) par[[k]]^2)) * x[1]
  )
  for (f in bodies) expect_slopes_as_r(f, named, x)
  for (f in bodies[1:4]) expect_slopes_as_r(f, c(named[2:1], z = 0.2, y = 2), x)
  expect_as_r(function(par) sapply(names(par), function(k) par[[k]]^2), named)
  expect_as_r(function(par) sapply(c(u = "a", v = "c"), function(k) par[[k]]^2), named)
  expect_as_r(function(par) vapply(c(u = "a", v = "c"), function(k) par[[k]]^2, 0, USE.NAMES = FALSE), named)
  expect_as_r(function(par) sapply(c(u = "a", v = "c"), function(k) par[[k]]^2, USE.NAMES = FALSE), named)
  expect_as_r(function(par, x) {
    s <- 1
    for (nm in names(par)) s <- s + par[[nm]] * x[2]
    s
  }, unname(named), x) # no names: no rounds
  for (par in list(c(a = 1, a = 2), c(a = 1, 2))) expect_error(opencl_function(bodies[[1L]])(par, x, device = "host"), "elements without a name", fixed = TRUE)
})
