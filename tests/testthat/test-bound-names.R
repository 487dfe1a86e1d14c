# What cbind() and rbind() call the vectors that they bind: R's names for a name alone, and none for parts of lists and calls.

unoptimized_programs()

d <- data.frame(x = c(2, 0.5, 1), y = c(1, 3, 2))
unpack <- function(p) list(mu = p[1], s = p[2])
bind <- function(...) cbind(...)

test_that("a name alone is a name, whatever the body is taken apart into", {
  functions <- list(
    function(x, d) cbind(d$x, d[["y"]]), function(x, d) with(d, cbind(x, y)), function(x, d) rbind(x, d$y)[, 1],
    function(x, d) {
      r <- with(d, {
        x <- x * 2
        cbind(x, y)
      })
      r + x
    },
    function(x, d) cbind(order(x), x), function(x, d) colSums(cbind(d$x, x, (x), z = x)),
    function(x, d) {
      th <- unpack(x)
      cbind(th$mu, x)
    },
    function(x, d) with(unpack(x), cbind(mu, s)), function(x, d) do.call(cbind, list(x, d$y)), function(x, d) Reduce(cbind, list(x, x, d$y)),
    function(x, d) {
      e <- d[d$x > 0.5, ]
      cbind(e$x, 1)
    },
    function(x, d) bind(x, 1)
  )
  for (f in functions) expect_as_r(f, c(0.3, 2, 1), d, devices = "host")
  for (f in functions[c(1, 4)]) expect_as_r(f, c(0.3, 2, 1), d)
})

test_that("a function of the same name takes its own arguments", {
  cbind <- function(a, b) a * b
  expect_as_r(function(x, d) cbind(x, d$y), c(0.3, 2, 1), d, devices = "host")
})
