# linkinv <- plogis: a function of R under another name is that function, for as long as the name stands for it.

unoptimized_programs()

test_that("calls by other names are of the function that the name stands for at the call", {
  y <- c(1, 2, 3)
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    link <- plogis
    f <- function(p) sum(link(p * y))
    through <- function(p) {
      inner <- function(x) link(x) * 2
      sum(inner(p * y))
    }
    compiled <- opencl_function(f, gradient = "p")
    called <- opencl_function(through, gradient = "p")
    for (now in list(plogis, exp, function(x) x^2, plogis, dlogis)) {
      link <- now
      for (turn in 1:3) {
        expect_equal(as.vector(compiled(0.3, device = "host")), f(0.3), tolerance = 1e-14)
        expect_equal(as.vector(called(0.3, device = "host")), through(0.3), tolerance = 1e-14)
      }
    }
    expect_equal(attr(compiled(0.3, device = "host"), "gradient"), c(p = (f(0.3 + 1e-5) - f(0.3 - 1e-5)) / 2e-5), tolerance = 1e-8)
    total <- sum
    density <- dnorm
    whole <- opencl_function(function(p) total(density(y, p, 2, log = TRUE)))
    expect_equal(whole(0.5), sum(dnorm(y, 0.5, 2, log = TRUE)), tolerance = 1e-14)
    options(old)
  }
})

test_that("where R's own name is another function the call is refused", {
  link <- stats::plogis
  plogis <- function(x) 7
  expect_error(opencl_function(function(p) link(p)), "`link()` is not supported", fixed = TRUE, class = "nmathopencl_error")
})

test_that("an argument that is called is named", {
  expect_error(opencl_function(function(p, g = plogis) g(p)), "calls the argument `g`", fixed = TRUE, class = "nmathopencl_error")
})
