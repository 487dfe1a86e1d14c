# Calls like one before, whose arguments are texts, NULL, absent or factors, or whose value has a name: each is as in a new function, whatever
# came between.

unoptimized_programs()

y <- c(1, 2, 0.5, 3)
functions <- list(
  named = function(par, y, w, link, g) sum(dnorm(y, par[1], exp(par[2]), log = TRUE)) - par[2]^2,
  one = function(par, y, w, link, g) par["b"] * sum(y) + par["a"],
  text = function(par, y, w, link, g) sum(dnorm(y, par[1], switch(link, log = exp(par[2]), identity = par[2]), log = TRUE)),
  null = function(par, y, w, link, g) {
    l <- dnorm(y, par[1], exp(par[2]), log = TRUE)
    if (!is.null(w)) l <- l * w
    sum(l)
  },
  absent = function(par, y, w, link, g) {
    l <- dnorm(y, par[1], exp(par[2]), log = TRUE)
    if (!missing(w)) l <- l * w
    sum(l) + par[1]
  },
  factor = function(par, y, w, link, g) sum(dnorm(y, par[g], 1, log = TRUE)) - par[2],
  sums = function(par, y, w, link, g) sum(tapply(y * par[1], g, sum)^2) + par[2],
  stops = function(par, y, w, link, g) {
    stopifnot(all(y > 0))
    sum(dnorm(y, par[1], exp(par[2]), log = TRUE)) * switch(link, log = 1, identity = 2)
  }
)
arguments <- function(name) {
  par <- sample(list(c(a = 0.4, b = 0.3), c(b = 0.1, a = 0.2), c(0.4, 0.3), c(a = 0.5, 0.2)), 1L)[[1L]]
  given <- list(par = par, y = sample(list(y, c(p = 1, q = 2, r = 0.5, s = 1), -y), 1L)[[1L]])
  if (runif(1) < 0.5) given["w"] <- sample(list(NULL, c(1, 2, 1, 0.5), 2), 1L)
  given$link <- sample(c("log", "identity"), 1L)
  g <- sample(list(c(1L, 2L, 1L, 2L), c(2, 1, 1, 2), factor(c("u", "v", "v", "u")), factor(c("v", "u", "u", "u"), levels = c("v", "u"))), 1L)[[1L]]
  given$g <- if (name == "sums") as.vector(unclass(g)) else g
  given
}
value_of <- function(f, given) with_conditions(do.call(f, given))

test_that("random calls of one function are those of a new one, and R's", {
  for (way in c(compiling_devices(), if (!as_on_cran()) "by R")) {
    old <- options(nmathopencl.device = if (way == "by R") "host" else way, nmathopencl.compiler = if (way == "by R") FALSE else getOption("nmathopencl.compiler"))
    for (name in names(functions)) {
      f <- functions[[name]]
      made <- opencl_function(f, gradient = "par")
      calls <- lapply(seq_len(cases(40L, if (way == "0") 12L else 8L)), function(k) arguments(name))
      for (given in c(calls, calls[1:3])) {
        told <- paste(name, way, deparse1(given))
        ours <- value_of(made, given)
        expect_identical(ours, value_of(opencl_function(f, gradient = "par"), given), info = told)
        known <- tryCatch(suppressWarnings(do.call(f, given)), error = identity)
        ours <- tryCatch(suppressWarnings(do.call(made, given)), error = identity)
        if (inherits(known, "error") || inherits(ours, "error")) {
          expect_s3_class(ours, "error")
          next
        }
        expect_equal(as.vector(ours), as.vector(known), tolerance = 1e-13, info = told)
        expect_identical(names(ours), names(known), info = told)
      }
    }
    options(old)
  }
})

test_that("a value with a name, and one of texts, NULL, absent arguments or factors, is C++'s alone, or nearly", {
  skip_without_compiler()
  withr_options(list(nmathopencl.device = "host"), environment())
  # The arguments in the order in which the body reads them.
  alone <- function(f, ...) nmathopencl:::expression_known_cpp(attr(f, "expression"), list(...), NULL, "auto", FALSE, FALSE, FALSE, environment())
  f <- opencl_function(function(par, y) sum(dnorm(y, par[1], exp(par[2]), log = TRUE)) - par[2]^2, gradient = "par")
  first <- f(c(a = 0.4, b = 0.3), y)
  expect_identical(names(first), "b")
  expect_identical(alone(f, y, c(a = 0.4, b = 0.3)), first)
  expect_null(alone(f, y, c(b = 0.4, a = 0.3))) # another name: R's first
  expect_identical(names(f(c(b = 0.4, a = 0.3), y)), "a")
  expect_identical(names(alone(f, y, c(b = 0.4, a = 0.3))), "a")
  expect_identical(alone(f, y, c(a = 0.4, b = 0.3)), first)
  null <- opencl_function(function(par, y, w = NULL) sum(if (is.null(w)) y * par else y * par * w), gradient = "par")
  null(2, y)
  expression <- attr(null, "expression")
  known <- nmathopencl:::known_inputs(expression, list(NULL, y, 2))
  expect_identical(nmathopencl:::value_from_plan(expression, known$inputs, known$key, "host", quote(f())), null(2, y))
})

test_that("a matrix of one row and column is one at each call, with what names its sides have", {
  n <- 12L
  X <- cbind(1, seq(-1, 1, length.out = n))
  named <- `colnames<-`(X, c("u", "v"))
  v <- seq(0, 2, length.out = n)^2
  functions <- list(function(b, X, y) crossprod(y - X %*% b) / 2, function(b, X, y) t(y - X %*% b) %*% (y - X %*% b), function(b, X, y) crossprod(X %*% b, y) * sum(b))
  for (f in functions) for (device in compiling_devices()) {
    made <- opencl_function(f, gradient = "b")
    for (turn in 1:2) for (x in list(X, named)) for (y in list(v, matrix(v), matrix(v, dimnames = list(NULL, "y")))) for (b in list(c(1, 2), c(p = 1, q = 2), matrix(c(1, 2)))) {
      ours <- made(b, x, y, device = device)
      attr(ours, "gradient") <- NULL
      expect_equal(ours, f(b, x, y), tolerance = 1e-13)
    }
  }
})
