# Names of arguments of functions that the body makes are theirs, also where a list of the environment or an argument has the name.

unoptimized_programs()

of_call <- list(a = 50, b = 100)

test_that("elements of such an argument are no elements of what has its name outside", {
  par <- c(a = 1, b = 2)
  cases <- list(
    function(par) {
      f <- function(par) par[["b"]] * 2
      f(par * 3)
    },
    function(par) {
      f <- function(of_call) of_call[["b"]] * 2
      f(par)
    },
    function(par) {
      f <- function(of_call) {
        g <- function(v) v * of_call[["b"]]
        g(3)
      }
      f(par)
    },
    function(par) {
      f <- function(par) with(as.list(par), a * b)
      f(par * 3)
    },
    function(par) {
      f <- function(of_call) with(as.list(of_call), a * b)
      f(par)
    },
    function(par) sum(sapply(1:2, function(par) par * 2)) + par[["b"]]
  )
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (f in cases) {
      value <- tryCatch(opencl_function(f)(par), nmathopencl_error = function(e) NULL) # what is refused is no other number
      if (!is.null(value)) expect_equal(value, f(par))
    }
    expect_error(opencl_function(cases[[1]])(par), "is not supported", class = "nmathopencl_error")
    expect_equal(opencl_function(cases[[4]])(par), 18)
    expect_equal(opencl_function(cases[[6]])(par), 8)
    options(old)
  }
})

test_that("nor is what a data frame of that name has", {
  e <- data.frame(w = 1:3)
  f <- function(p, d) {
    f <- function(e) sum(e$w * p)
    f(d)
  }
  expect_error(opencl_function(f)(2, list(w = 5)), "is not supported", class = "nmathopencl_error")
})

test_that("names of functions inside may be those of variables around them, wherever these come to stand", {
  skip_on_cran() # a matter of seconds
  set.seed(2)
  d <- data.frame(y = rnorm(12), x = rnorm(12), id = rep(1:3, 4))
  y <- d$y
  x <- d$x
  id <- d$id
  cases <- list(
    function(p) sum(sapply(unique(d$id), function(i) {
      d <- d[d$id == i, ]
      sum(dnorm(d$y, p[1] + p[2] * d$x, 1, log = TRUE))
    })),
    function(p) sum(sapply(unique(id), function(i) {
      y <- y[id == i]
      a <- 0
      for (t in seq_along(y)) a <- p[2] * a + y[t]
      a * p[1]
    })),
    function(p) {
      total <- 0
      for (i in unique(id)) {
        z <- y[id == i]
        total <- total + sum(sapply(1:3, function(id) sum(id * p[1] * z^2)))
      }
      total
    },
    function(p) {
      some <- which(x > 0)
      sum(sapply(1:3, function(x) sum(x * p[2] * y[some])))
    },
    function(p) {
      s <- exp(p[2])
      sum(sapply(unique(d$id), function(i) {
        e <- d[d$id == i, ]
        s <- s * i
        sum(dnorm(e$y, p[1], s, log = TRUE))
      })) + s
    },
    function(p) {
      m <- p[1]
      sum(mapply(function(y, x) {
        m <- m + y
        m * x * p[2]
      }, y, x)) + m
    },
    function(p) {
      total <- 0
      for (i in unique(d$id)) {
        e <- d[d$id == i, ]
        total <- total + sum(sapply(1:2, function(e) e * p[1])) * sum(e$y)
      }
      total
    },
    function(p) sum(sapply(1:3, function(k) {
      p <- p[k %% 2 + 1]
      p^2
    })) * p[1],
    function(p) sum(sapply(x, function(sum) sum * p[1] + sum(y))) + p[2]
  )
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (f in cases) {
      compiled <- opencl_function(f, gradient = "p")
      for (p in list(c(0.3, 0.4), c(-0.2, 0.7))) {
        value <- compiled(p)
        expect_equal(as.vector(value), f(p), tolerance = 1e-12)
        slopes <- vapply(1:2, function(k) (f(p + 1e-5 * (1:2 == k)) - f(p - 1e-5 * (1:2 == k))) / 2e-5, 0)
        expect_equal(unname(attr(value, "gradient")), slopes, tolerance = 1e-7)
      }
    }
    options(old)
  }
})

test_that("an expression that comes to stand in a function with a name that it reads is that of outside", {
  substituted <- nmathopencl:::substituted
  code <- function(expr) paste(deparse(expr), collapse = " ")
  expect_identical(code(substituted(quote(sapply(z, function(v) v + x)), "x", quote(y[v]))), "sapply(z, function(v.1) v.1 + y[v])")
  expect_identical(code(substituted(quote(sapply(z, function(v, w = v) w + x)), "x", quote(v))), "sapply(z, function(v.1, w = v.1) w + v)")
  made <- substituted(quote(h(function(u) {
    k <- k + u
    k * x
  })), "x", quote(k))
  expect_identical(code(made), "h(function(u) {     k.1 <- k + u     k.1 * k })")
  expect_identical(code(substituted(quote(h(function(u) u)), "x", quote(u))), "h(function(u) u)")
  expect_error(substituted(quote(h(function(u) {
    if (u > 0) k <- 2
    k * x
  })), "x", quote(k)), "give it another name", class = "nmathopencl_error")
})
