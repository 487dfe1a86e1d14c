# Names of elements that are not there, or that R completes, and NULL: what R makes of them, or an error.

unoptimized_programs()

lists_of_names <- list(
  list(count = 1:3, dose = c(0.1, 0.2, 0.3), data = 2, datum = 3),
  data.frame(count = 1:3, dose = c(0.1, 0.2, 0.3))
)
held <- lists_of_names[[1L]]

# Of functions of a list and of coefficients: the value that R gives in every way in which they are computed.
expect_value_of_r <- function(f, d, b, ways = c("none", "gradient", "hessian", "over", "data")) {
  rs <- outcome_of(f(d, b))$value
  fails <- is.character(rs) && startsWith(rs, "error:")
  made <- list() # once for all devices
  of_way <- function(way, ...) {
    if (is.null(made[[way]])) made[[way]] <<- opencl_function(f, gradient = if (way != "none") "b", ...)
    made[[way]]
  }
  for (compiler in c(TRUE, FALSE)) {
    withr_options(list(nmathopencl.compiler = if (compiler) getOption("nmathopencl.compiler") else FALSE), environment())
    for (device in if (compiler) expression_devices() else "host") for (way in ways) {
      ours <- outcome_of(as.vector(switch(way,
        none = , gradient = of_way(way)(d, b, device = device),
        hessian = of_way(way, hessian = TRUE)(d, b, device = device),
        over = of_way(way)(d, over = list(b = rbind(b)), device = device),
        data = of_way(way, data = list(d = d))(b = b, device = device)
      )))$value
      reported <- paste(deparse1(f), "by", way, "on", device, if (!compiler) "without a compiler")
      if (fails) expect_match(ours, "^error:", info = reported) else expect_equal(ours, as.vector(rs), tolerance = 1e-12, info = reported)
    }
  }
}

test_that("an element that is not there is NULL, of which R computes what it computes", {
  skip_on_cran() # a matter of seconds
  of_none <- list(
    function(d, b) -sum(dpois(d$cuont, exp(b[1] + b[2] * d$dose), log = TRUE)),
    function(d, b) sum(d$nope * b),
    function(d, b) sum(d[["nope"]] + b),
    function(d, b) sum(exp(d$nope) * b),
    function(d, b) sum(-d$nope + b),
    function(d, b) sum(c(d$nope, b)^2),
    function(d, b) sum(lchoose(5, d$nope) * b),
    function(d, b) sum(exp(held$nope) * b),
    function(d, b) sum(held$nope * b),
    function(d, b) if (d$nope > 1) sum(b) else 1,
    function(d, b) prod(d$nope) * sum(b),
    function(d, b) sum(round(d$nope) * b),
    function(d, b) sum(b$a)
  )
  for (f in of_none) for (d in lists_of_names) expect_value_of_r(f, d, c(0.5, 1))
})

test_that("NULL as an argument is not a vector without elements", {
  f <- function(x, b) sum(exp(x) * b)
  for (gradient in list(NULL, "b")) {
    expect_error(opencl_function(f, gradient = gradient)(NULL, 2), "non-numeric argument")
    expect_equal(as.vector(opencl_function(f, gradient = gradient)(numeric(), 2)), 0)
  }
  by_group <- opencl_function(function(d, b) dnorm(d$z, b, 1, log = TRUE), reduce = "sum", gradient = "b")
  expect_error(by_group(lists_of_names[[1L]], 2, by = c(1, 2, 2)), "Non-numeric argument")
  # NULL[1] is NULL in R, numeric()[1] is NA: the value is R's, or there is none.
  first <- function(d, b) sum(d$nope[1] * b)
  expect_equal(opencl_function(first)(held, 2), 0)
  expect_error(opencl_function(first, gradient = "b")(held, 2), "of NULL")
})

test_that("$ completes names as R does, and [[ does not", {
  skip_on_cran() # a matter of seconds
  of_parts <- list(
    function(d, b) sum(exp(d$do * b[1] + b[2])),
    function(d, b) sum(d[["do"]] * b[1]),
    function(d, b) sum(d$dat * b[1]), # of one that could be two
    function(d, b) sum(exp(held$do * b[1] + b[2])),
    function(d, b) sum(d$dose * b[1]) + sum(d[["dose"]] * b[1])
  )
  for (f in of_parts) for (d in lists_of_names) expect_value_of_r(f, d, c(0.5, 1))
  both <- opencl_function(function(d, b) sum(d$do * b) + sum(d[["do"]] * b))
  expect_error(both(held, 2), "`d$do` is `d$dose` by a part of its name", fixed = TRUE)
  expect_error(opencl_function(function(p) p$a * 2)(c(a = 1)), "atomic")
})

test_that("elements of a gradient have their whole names", {
  f <- function(par, x) sum(x * par$m + par$mu)
  for (gradient in c("par", "par$mu")) {
    ours <- opencl_function(f, gradient = gradient)
    expect_error(ours(list(mu = 2), 1:3), "`par$m` is `par$mu` by a part of its name", fixed = TRUE)
    expect_equal(as.vector(ours(list(m = 1, mu = 2), 1:3)), 12)
  }
  one <- opencl_function(function(par, x) sum(x * par$mu + par[["mu"]]), gradient = "par")
  expect_equal(attr(one(list(mu = 2), 1:3), "gradient"), c("par$mu" = 9))
})

test_that("what R computes of an element that a gradient is in is not a constant", {
  list_of <- list(m = c(1, 2, 3), y = 1:3, mu = 2)
  refused <- function(f, gradient) expect_error(opencl_function(f, gradient = gradient), "fivenum()", fixed = TRUE)
  refused(function(par, x) sum(x * par$m) * fivenum(par$m)[3L], "par$m")
  refused(function(par, x) sum(x * par$mu) * fivenum(par$m)[3L], "par$mu") # of list(mu = ) it is the same
  refused(function(par, x) {
    middle <- par$m
    sum(x * par$m) * fivenum(middle)[3L]
  }, "par$m")
  f <- opencl_function(function(par, x) sum(x * par$mu) * median(par$y), gradient = "par$mu")
  expect_equal(attr(f(list_of, 1:3), "gradient"), c("par$mu" = 12))
})
