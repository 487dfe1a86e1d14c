# with() whose block assigns variables, and with() in with(): what R makes of the names.

unoptimized_programs()

data_here <- data.frame(y = c(0.5, 1, 3), x = c(1, 2, 4))
mu_here <- 40 # of the environment, which no block changes

test_that("a block in with() keeps what it assigns", {
  p <- c(a = 2, s = 0.5)
  expect_as_r(function(y, p) with(as.list(p), {
    mu <- a * y
    sum(dnorm(y, mu, s, log = TRUE))
  }), c(1, 2), p)
  expect_as_r(function(y, p) {
    mu <- 3
    value <- with(as.list(p), {
      mu <- a * y
      mu_here <- mu + 1
      sum(mu * s) + mu_here
    })
    value * mu + mu_here
  }, c(1, 2), p)
  expect_as_r(function(data, mu) {
    both <- -with(data, {
      x <- x * mu
      y[1] <- 10
      for (k in 1:2) x <- x + k
      if (mu > 1) y <- y + x else y <- y - x
      sum(y * x)
    }) + with(data, sum(x))
    both + mu
  }, data_here, 3)
  expect_as_r(function(data, k, x) { # of one name that a block may read before it assigns it
    v <- with(data, {
      if (k > 1) x <- 2
      for (j in 1:3) y <- y + j * x
      sum(y)
    })
    v + sum(x)
  }, data_here, 1, 5)
  f <- function(data, k, x) with(data, {
    if (k > 1) x <- 2
    sum(x * k)
  })
  for (k in 1:2) for (data in list(data_here, data_here["y"])) expect_as_r(f, data, k, 7)
  expect_as_r(function(data, w) with(data, {
    s <- sapply(1:2, function(k) w[k] * sum(y + k))
    total <- sum(s)
    total + s[2] * x
  }), data_here, c(1, 3))
  expect_as_r(function(y, par) {
    p <- as.list(par)
    with(p, {
      m <- a * 2
      sum(dnorm(y, m, exp(s), log = TRUE))
    })
  }, c(1, 2), p)
  refused <- function(f, text) expect_error(opencl_function(f), text, fixed = TRUE, class = "nmathopencl_error")
  refused(function(data) with(data, {
    f <- function(z) z + x
    sum(f(y))
  }), "a function is made outside of with()")
  refused(function(data, p) with(c(data, as.list(p)), sum(y)), "write with(data, with(as.list(par), ...))")
})

test_that("with() in with() looks in the inner list first", {
  f <- function(data, par, y, k) with(data, with(as.list(par), {
    mu <- a + b * x
    b <- mu + k
    sum(dnorm(y, b, exp(s), log = TRUE))
  }))
  par <- c(a = 0.1, b = 0.4, s = -0.2)
  expect_as_r(f, data_here, par, 100, 2)
  expect_as_r(f, data_here["x"], par, 100, 2)
  expect_as_r(f, data_here, c(par, x = 3), 100, 2)
  expect_as_r(f, data_here, c(par, k = 3), 100, 2)
  expect_as_r(f, cbind(data_here, b = 3), par["a"] + c(a = 0, s = 1), 100, 2)
  expect_as_r(function(one, two) with(one, with(two, sum(y) * x)), list(y = 3, x = 2), list(y = c(5, 6)))
  expect_as_r(function(one, two) with(one, {
    z <- y + 1
    with(two, z * sum(y) * x)
  }), list(y = 3, x = 2), list(y = c(5, 6), z = 100))
  expect_error(opencl_function(function(one, two) with(one, with(two, sum(y))))(list(a = 1), list(b = 2), device = "host"), "y")
  expect_as_r(function(data, y) sum(data$y + 1) + with(data, sum(y)), list(x = 1), c(1, 2)) # NULL, and the argument
  expect_as_r(function(data, y) with(data, sum(y)) + sum(data$y + 1), list(x = 1), c(1, 2))
})

test_that("gradients go through the variables of a block", {
  f <- function(data, par, w) with(data, {
    w <- with(as.list(par), {
      mu <- a + b * x * w
      (y - mu)^2
    })
    sum(w)
  })
  par <- c(a = 0.1, b = 0.4)
  for (compiler in c(TRUE, FALSE)) {
    withr_options(list(nmathopencl.compiler = if (compiler) getOption("nmathopencl.compiler") else FALSE), environment())
    made <- opencl_function(f, gradient = c("par", "w"))(data_here, par, 2, device = "host")
    expect_equal(as.vector(made), f(data_here, par, 2))
    r <- with(data_here, y - par[["a"]] - par[["b"]] * x * 2)
    expect_equal(unname(attr(made, "gradient")), -2 * c(sum(r), sum(r * data_here$x * 2), sum(r * par[["b"]] * data_here$x)), tolerance = 1e-12)
    ours <- opencl_function(function(par, x) with(par, {
      m <- m * x
      sum(m * s)
    }), gradient = "par")
    expect_equal(sort(attr(ours(list(m = 3, s = 2), c(1, 2), device = "host"), "gradient")), c("par$m" = 6, "par$s" = 9))
  }
})

# Random blocks: assignments under conditions, in loops and in blocks inside, of names that the list, the call and the environment have or not.
random_block <- function(depth = 2L) {
  names <- c("a", "b", "u", "v", "mu_here")
  pick <- function() as.symbol(sample(names, 1L))
  value <- function() switch(sample(5L, 1L), pick(), call("+", pick(), sample(3L, 1L) + 0), call("*", pick(), 0.5), call("sum", pick()), call("-", pick(), pick()))
  statement <- function(depth) {
    way <- sample(if (depth > 0L) 6L else 3L, 1L)
    if (way <= 3L) return(call("<-", pick(), value()))
    if (way == 4L) return(call("if", call(">", quote(k), sample(0:2, 1L) + 0), call("<-", pick(), value()), if (runif(1) < 0.5) call("<-", pick(), value())))
    if (way == 5L) return(call("for", quote(j), quote(1:2), call("<-", pick(), call("+", value(), quote(j)))))
    call("<-", pick(), call("with", as.symbol(sample(c("one", "two"), 1L)), block(depth - 1L)))
  }
  block <- function(depth) as.call(c(quote(`{`), lapply(seq_len(sample(3L, 1L)), function(n) statement(depth)), call("sum", value())))
  f <- function(one, two, k, a, u) NULL
  body(f) <- as.call(list(quote(`{`), call("<-", quote(v), 3), call("<-", quote(r), call("with", quote(one), block(depth))), quote(r + sum(a) + sum(u) + v)))
  f
}

test_that("random blocks in with() are R's", {
  skip_on_cran() # a matter of seconds
  set.seed(3403)
  b <- 7
  u <- 9
  environment(random_block) <- environment()
  done <- 0L
  for (turn in 1:120) {
    f <- random_block()
    environment(f) <- environment()
    lists <- lapply(1:2, function(n) lapply(stats::setNames(nm = sample(c("a", "b", "u", "v"), sample(1:3, 1L))), function(name) round(rnorm(1), 2)))
    args <- c(lists, list(sample(0:2, 1L), 1.5, -2))
    rs <- tryCatch(do.call(f, args), error = function(e) NULL)
    if (is.null(rs)) next
    for (compiler in c(FALSE, if (turn %% 12L == 0L) TRUE)) {
      withr_options(list(nmathopencl.compiler = if (compiler) getOption("nmathopencl.compiler") else FALSE), environment())
      expect_equal(do.call(opencl_function(f), c(args, device = "host")), rs, tolerance = 1e-12, info = paste(deparse1(f), deparse1(args)))
    }
    done <- done + 1L
  }
  expect_gt(done, 80L)
})
