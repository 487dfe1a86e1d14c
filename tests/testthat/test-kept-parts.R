# Parts of data that R makes, subset(d, ...) and model.matrix(~ x, d), are kept while all that they are made of is the same.

unoptimized_programs()

test_that("what is kept is given for the same data alone", {
  old <- options("contrasts")
  on.exit(options(old))
  d <- data.frame(y = c(1, 2, 0.5, 3, -1, 0.25), x = c(0.5, -1, 2, 0.25, 1, 1.5), g = factor(c("b", "a", "b", "c", "a", "c")))
  k <- 0.3
  f <- function(b, m) {
    X <- model.matrix(~ x + g, d)
    e <- subset(d, x > k)
    sum((d$y - X %*% b)^2) + sum((e$y - m * e$x)^2)
  }
  made <- opencl_function(f, gradient = c("b", "m"))
  b <- c(0.1, -0.2, 0.3, 0.4)
  same <- function() {
    for (again in 1:2) expect_equal(as.vector(made(b, 0.5)), f(b, 0.5), tolerance = 1e-13)
  }
  check <- function() {
    same()
    d$x[2] <<- 5
    same()
    k <<- 1
    same()
    d$g <<- factor(d$g, c("c", "b", "a"))
    same()
    options(contrasts = c("contr.sum", "contr.poly"))
    same()
    stats::contrasts(d$g) <<- "contr.helmert"
    same()
    d <<- d[c(1, 2, 4, 6, 3), ]
    same()
    d$x[1] <<- -0
    d$x[1] <<- 0
    same()
  }
  before <- d
  check()
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  options(old)
  d <- before
  k <- 0.3
  check()
})

test_that("what is drawn at random is drawn at each call", {
  d <- data.frame(y = as.double(1:50))
  made <- opencl_function(function(m) {
    e <- subset(d, runif(50) < 0.5)
    sum(e$y) * m
  })
  expect_gt(length(unique(vapply(1:5, function(i) made(1), 0))), 1)
  x <- list(a = factor("u"), b = c(x = 1), c = integer())
  expect_identical(nmathopencl:::copied(x), x)
})
