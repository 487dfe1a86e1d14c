# Reduce(f, x, init, right, accumulate) over the elements of a vector is the loop that R runs: R is the judge of values, types and gradients.

unoptimized_programs()

set.seed(41)
y <- round(rnorm(30), 2)
x <- round(runif(30), 2)
counts <- rpois(9L, 3)
w <- c(a = 0.5, b = 2, c = 1)
D <- data.frame(y = y, x = x)
one_of <- function(...) sample(list(...), 1L)[[1L]]

any_function <- function() one_of(
  quote(function(a, b) p[2] * a + b), quote(function(s, e) { z <- p[1] * e; tanh(s) * p[2] + z }), quote(function(b, a) b * 0.5 + a^2 * p[1]), quote(`+`),
  quote(function(a, b) if (b > 0) a + p[1] * b else a * p[2]), quote(function(u, k) { if (k < 0) return(u * p[2]); u + k }), quote(f), quote(function(x, y) x * p[2] + y)
)
any_vector <- function() one_of(quote(y), quote(y - p[1]), quote(D$y), quote(counts), quote(w), quote(rev(x)), quote(y[1]), quote(cumsum(x) * p[2]), quote(z))
any_reduced <- function() {
  of_places <- sample(4L, 1L) == 1L
  made <- if (of_places) call("Reduce", quote(function(s, i) p[2] * s + y[i] * x[i]), one_of(quote(seq_along(y)), quote(2:7))) else call("Reduce", any_function(), any_vector())
  if (identical(made[[3L]], quote(2:7)) || sample(2L, 1L) == 1L) made$init <- one_of(0, quote(p[1]), 1L, quote(exp(p[2])))
  if (sample(3L, 1L) == 1L) made$right <- TRUE
  if (!identical(made[[3L]], quote(2:7)) && sample(2L, 1L) == 1L) made$accumulate <- TRUE
  if (isTRUE(made$right) && of_places) made[[2L]] <- quote(function(i, s) p[2] * s + y[i] * x[i])
  made
}

test_that("random recursions have R's values and gradients", {
  p <- c(0.3, 0.6)
  f <- function(a, b) a * p2 + b
  p2 <- 0.4
  as_one(for (case in seq_len(cases(120, 16, 8))) {
    set.seed(900 + case)
    made <- any_reduced()
    h <- eval(call("function", as.pairlist(alist(p = )), bquote({ z <- y * 2; r <- .(made); sum(r^2) + r[length(r)] * p[1] + length(r) })))
    at <- c(0.3, 0.6)
    r <- as.vector(h(at))
    slopes <- differences(function(p) as.vector(h(p)), list(p = at), "p")
    for (way in ways_of(case)) {
      old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
      told <- paste(case, way, deparse1(made))
      ours <- tryCatch(opencl_function(h, gradient = "p")(at, device = if (way == "plain") "0" else way), finally = options(old))
      expect_equal(as.vector(ours), r, tolerance = 1e-10, info = told)
      expect_equal(unname(c(attr(ours, "gradient"))), slopes, tolerance = 1e-6, info = told)
    }
  })
})

test_that("all states are a vector of R's type, without names", {
  skip_on_cran() # a matter of seconds
  for (f in list(
    function(v) Reduce(`+`, v, accumulate = TRUE), function(v) Reduce(function(a, b) a + b, v, 0L, accumulate = TRUE), function(v) Reduce(function(a, b) a / b, v, accumulate = TRUE),
    function(v) Reduce(function(a, b) max(a, b), v, accumulate = TRUE, right = TRUE), function(v) Reduce(function(a, b) a - b, v, right = TRUE)
  )) for (v in list(counts, y, c(TRUE, FALSE, TRUE), w, 4L)) for (way in c(if (compiler_here()) "0", "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    ours <- opencl_function(f)(v, device = "0")
    options(old)
    expect_equal(as.vector(ours), as.vector(f(v)), info = deparse1(f))
    if (length(v) > 1L) expect_identical(typeof(ours), typeof(f(v)), info = paste(way, deparse1(f), deparse1(v)))
    expect_null(names(ours))
  }
})

test_that("states that are vectors go through a Reduce(), and all of them are refused", {
  G <- matrix(c(0.9, 0.2, 0.1, 0.8), 2)
  f <- function(p, y) {
    state <- Reduce(function(a, e) { v <- drop(a %*% G) * dnorm(e, p, 1); v / sum(v) }, y, c(0.5, 0.5))
    sum(state * c(1, 3))
  }
  kept <- function(p, y) sum(Reduce(function(a, e) a * e, y, p, accumulate = TRUE))
  none <- function(p, y) sum(Reduce(function(a, e) a * e + p[1], y))
  at <- c(-0.2, 0.4)
  for (way in c(if (compiler_here()) "0", "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    ours <- opencl_function(f, gradient = "p")(at, y, device = "0")
    expect_error(opencl_function(kept)(at, y, device = "0"), "of states that are vectors R makes a list", fixed = TRUE)
    expect_error(opencl_function(none)(at, numeric(), device = "0"))
    options(old)
    expect_equal(as.vector(ours), f(at, y), tolerance = 1e-12)
    expect_equal(unname(c(attr(ours, "gradient"))), differences(function(p) f(p, y), list(p = at), "p"), tolerance = 1e-7)
  }
})

test_that("a recursive filter of one lag has R's numbers and gradients", {
  skip_on_cran() # a matter of seconds
  forms <- list(
    function(p, x) sum(filter(x, p[2], method = "recursive")^2), function(p, x) sum(stats::filter(x - p[1], tanh(p[2]), "recursive", init = p[1])),
    function(p, x) { r <- filter(x * p[1], c(p[2]), method = "recursive"); sum(r[-1] * r[-length(r)]) }, function(p, x) { a <- 2; state <- 5; z <- filter(x, p[2], method = "recursive"); sum(z * state) + a }
  )
  at <- c(0.3, 0.6)
  for (x in list(y, counts)) for (f in forms) for (way in c(compiling_devices(), "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    made <- opencl_function(f, gradient = "p")
    ours <- made(at, x, device = if (way == "plain") "0" else way)
    expect_error(opencl_function(function(p, x) sum(filter(x, p, method = "recursive")))(at, x, device = "0"), "one lag", fixed = TRUE)
    options(old)
    expect_equal(as.vector(ours), f(at, x), tolerance = 1e-12, info = paste(way, deparse1(body(f))))
    expect_equal(unname(c(attr(ours, "gradient"))), differences(function(p) f(p, x), list(p = at), "p"), tolerance = 1e-7, info = paste(way, deparse1(body(f))))
  }
})

test_that("columns of a matrix are no series of one recursive filter", {
  f <- function(M, p) sum(stats::filter(M, p, method = "recursive"))
  y <- c(0.5, 2, -1, 3, 1.5, 0.25)
  expect_equal(opencl_function(f)(y, 0.7), f(y, 0.7), tolerance = 1e-14)
  for (M in list(cbind(y, rev(y)), matrix(y, 2))) expect_error(opencl_function(f)(M, 0.7), "give a vector")
  expect_error(opencl_function(f)(numeric(), 0.7), "no elements")
})
