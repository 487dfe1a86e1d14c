# Classes of arguments that say nothing about arithmetic are left away, all others are errors. R is the judge.

unoptimized_programs()

x <- c(0.3, 1.1, 2.4, 0.9, 3.3, 1.7, 2.2, 0.1)
plain_ones <- list(
  poly = poly(x, 2), raw = poly(x, 2, raw = TRUE), bs = splines::bs(x, df = 4), ns = splines::ns(x, df = 3), as_is = I(x), as_is_matrix = I(cbind(x, x^2)),
  scaled = scale(cbind(x, x^2)), design = model.matrix(~ x + factor(rep(1:2, 4))), as_is_poly = I(poly(x, 2)), own = structure(x, class = "of_no_methods"),
  whole = I(1:8), switches = structure(x > 1, class = "of_no_methods"), one = I(2)
)

# A result without the class, and without what is an argument of its class's own.
values_of <- function(x) array(as.vector(x), dim(x) %||% length(x))
`%||%` <- function(a, b) if (is.null(a)) b else a

everywhere <- function(code) {
  for (device in test_devices()) code(device)
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  code("host")
}

test_that("arguments, variables, data and elements of lists of such a class are what R has of them", {
  skip_on_cran() # a matter of seconds
  bodies <- list(
    function(v, b) v * b + exp(-v), function(v, b) sum(sin(v) * b) / length(v), function(v, b) sum(v[2] * b) + max(v) - mean(v), function(v, b) ifelse(v > 0.5, v, b),
    function(v, b) cumsum(v)[3] * b, function(v, b) sum(sort(v)[1:2] * b)
  )
  of_matrices <- list(
    function(v, b) sum((v %*% rep(b, ncol(v)))^2), function(v, b) sum(v[, 2] * b) + sum(colSums(v)), function(v, b) rowSums(v)[2] * b + nrow(v), function(v, b) sum(crossprod(v) * b)
  )
  made <- list() # of a function alone, whatever it is called with
  for (name in names(plain_ones)) {
    v <- plain_ones[[name]]
    for (f in c(bodies[if (length(dim(v)) == 2L) c(1, 2, 4) else if (length(v) > 3) 1:6 else 1:2], if (length(dim(v)) == 2L) of_matrices)) {
      want <- values_of(f(v, 0.7))
      said <- paste(name, deparse1(body(f)))
      if (is.null(made[[deparse1(f)]])) made[[deparse1(f)]] <- opencl_function(f)
      given <- made[[deparse1(f)]]
      with_data <- opencl_function(f, data = list(v = v))
      variable <- f
      formals(variable)$v <- NULL
      environment(variable) <- list2env(list(v = v), parent = environment())
      of_variable <- opencl_function(variable)
      everywhere(function(device) {
        if (device != "0" && !whole_tests() && !name %in% c("poly", "bs", "as_is", "own", "whole")) return()
        got <- given(v, 0.7, device = device)
        expect_false(is.object(got), info = said)
        expect_equal(values_of(got), want, tolerance = 1e-12, info = said)
        for (again in 1:2) expect_equal(values_of(with_data(b = 0.7, device = device)), want, tolerance = 1e-12, info = said)
        expect_equal(values_of(of_variable(0.7, device = device)), want, tolerance = 1e-12, info = said)
      })
    }
  }
  listed <- opencl_function(function(d, b) sum(d$v %*% rep(b, 2)), gradient = "b")
  expect_equal(c(listed(list(v = plain_ones$poly), 0.5, device = "host")), 0.5 * sum(plain_ones$poly), tolerance = 1e-12)
  sums <- opencl_function(function(v, b) sum(dnorm(v, b, 1, log = TRUE)), gradient = "b")
  many <- sums(I(x), over = list(b = c(0, 1)), device = "host")
  expect_equal(c(many), c(sum(dnorm(x, 0, 1, log = TRUE)), sum(dnorm(x, 1, 1, log = TRUE))), tolerance = 1e-12)
  expect_identical(c(opencl_function(function(v, b) sum(dnorm(v, b, 1, log = TRUE)), data = data.frame(v = I(x)))(over = list(b = c(0, 1)), device = "host")), c(many))
})

test_that("a fit with such matrices is that with plain ones", {
  y <- c(1, 2, 5, 3, 9, 4, 5, 1)
  X <- poly(x, 2)
  negative <- function(y, b, X) -sum(dpois(y, exp(b[1] + X %*% b[-1]), log = TRUE))
  o <- as_objective(opencl_function(negative, gradient = "b"), list(b = c(1, 0, 0)), list(y = I(y), X = X), negative = FALSE, device = "host")
  fit <- nlminb(o$par, o$fn, o$gr, o$he)
  expect_equal(unname(fit$par), unname(coef(glm(y ~ poly(x, 2), family = poisson))), tolerance = 1e-6)
})

test_that("classes with methods of what is computed are errors, whatever is loaded", {
  refused <- function(v, text) {
    expect_error(opencl_function(function(v) sum(v * 2))(v, device = "host"), text, fixed = TRUE, class = "nmathopencl_error")
    expect_error(opencl_function(function(v) sum(v * 2), data = list(v = v))(device = "host"), text, fixed = TRUE, class = "nmathopencl_error")
  }
  refused(ts(x), "of class ts")
  refused(as.Date("2026-01-01") + 1:3, "of class Date")
  refused(as.difftime(1:3, units = "secs"), "of class difftime")
  refused(structure(x, class = "integer64"), "of class integer64")
  refused(as.hexmode(1:3), "of class hexmode")
  refused(stats::dist(x), "of class dist")
  refused(factor(c("a", "b")), "make the function with it in `data`, where R compares it with a text")
  with_method <- function(code, name) { # of the global environment, where a user writes one
    assign(name, function(...) stop("never called"), globalenv())
    on.exit(rm(list = name, envir = globalenv()))
    force(code)
  }
  for (generic in c("Ops.of_methods", "+.of_methods", "sum.of_methods", "Summary.of_methods", "[.of_methods", "length.of_methods", "exp.of_methods")) {
    with_method(refused(structure(x, class = "of_methods"), "of class of_methods"), generic)
  }
  registerS3method("Math", "of_registered", function(x, ...) x, envir = baseenv())
  refused(structure(x, class = "of_registered"), "of class of_registered")
  as_text <- opencl_function(function(g, b) sum(ifelse(g == "b", b, 1)), data = list(g = factor(c("a", "b", "b"))))
  expect_identical(as_text(b = 3, device = "host"), 7)
})
