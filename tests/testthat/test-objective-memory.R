# The value at the last point is given again only while all that it was computed from is the same.

unoptimized_programs()

# What may change between two calls, in the function's environment. `around` is the one that encloses it.
changes <- list(
  nothing = NULL,
  "a variable" = quote(y <- c(2, 5, 1, 4)),
  "a length" = quote(y <- c(2, 5, 1)),
  "a helper" = quote(helper <- function(x) deeper(x) * 2),
  "a helper that reads others" = quote(helper <- function(x) deeper(x) * other + third(x) / 9),
  "a helper's helper" = quote(deeper <- function(x) x + 3),
  "a helper's variable" = quote(shift <- 7),
  "a default's variable" = quote(size <- 0.4),
  "a default's helper" = quote(sized <- function(x) 5 * x),
  "a variable of a nearer environment" = quote(around_y <- 9),
  "a helper of a nearer environment" = quote(around_helper <- function(x) x / 2),
  "the compiler" = quote(options(nmathopencl.compiler = FALSE))
)
compiler <- getOption("nmathopencl.compiler")
started <- function(around, here) {
  rm(list = ls(here), envir = here)
  options(nmathopencl.compiler = compiler)
  local(
    {
      around_y <- 1
      around_helper <- function(x) x
      other <- 3
      third <- function(x) x * x
    },
    around
  )
  local(
    {
      y <- c(1, 2, 3, 5)
      shift <- 0.5
      deeper <- function(x) x - shift
      helper <- function(x) deeper(x)
      size <- 1.5
      sized <- function(x) x + 0.1
    },
    here
  )
}

# Walks from each state to each other one, or to the first and from it, with one objective, asks it for something else and for the same before,
# and compares with an objective that has seen none before, and values with R. In the first tier each pair of states is for one of `asked`, in turn.
expect_fresh <- function(f, make, par, asked, all_pairs = TRUE) {
  around <- new.env()
  here <- new.env(parent = around)
  environment(f) <- here
  old <- options("nmathopencl.compiler")
  on.exit(options(old))
  enter <- function(name) {
    started(around, here)
    eval(changes[[name]], here)
  }
  fresh <- lapply(stats::setNames(names(changes), names(changes)), function(name) {
    enter(name)
    objective <- make(f)
    lapply(stats::setNames(asked, asked), function(what) objective[[what]](par))
  })
  if ("fn" %in% asked) expect_gt(length(unique(lapply(fresh, function(one) signif(one$fn, 8)))), length(changes) - 2L)
  enter("nothing")
  objective <- make(f)
  of_pair <- function(from, to) if (whole_tests()) asked else asked[sum(match(c(from, to), names(changes))) %% length(asked) + 1L]
  for (from in names(changes)) for (to in names(changes)) for (what in of_pair(from, to)) {
    if (!all_pairs && !"nothing" %in% c(from, to)) next
    enter(from)
    objective[[asked[1L + (match(what, asked) %% length(asked))]]](par)
    objective[[what]](par)
    enter(to)
    expect_equal(objective[[what]](par), fresh[[to]][[what]], tolerance = 1e-9, info = paste(what, "from", from, "to", to))
  }
  lapply(names(changes), function(name) {
    enter(name)
    expect_equal(objective$fn(par), make(f, plain = TRUE), tolerance = 1e-9, info = name)
  })
}

test_that("objectives notice what has changed, from any state to any other", {
  skip_on_cran() # a matter of seconds
  f <- function(m, s, w = sized(size)) sum((around_helper(helper(y)) - m * around_y)^2 * w) * exp(s)
  make <- function(f, plain = FALSE) {
    if (plain) return(f(0.3, 0.2))
    as_objective(opencl_function(f, gradient = c("m", "s")), c(m = 0, s = 0), negative = FALSE, device = "host")
  }
  expect_fresh(f, make, c(0.3, 0.2), c("fn", "gr", "f", "he"))
})

test_that("objectives of laplace() notice what has changed, and what has been put back", {
  skip_on_cran() # a matter of seconds
  f <- function(g, m, u, w = sized(size)) {
    sum(dnorm(around_helper(helper(y)), m * around_y + u[g[1:length(y)]], w, log = TRUE)) + sum(dnorm(u, 0, 1, log = TRUE))
  }
  make <- function(f, plain = FALSE) {
    joint <- as_objective(opencl_function(f), list(m = 0, u = c(0, 0)), list(g = c(1, 2, 2, 1)), device = "host")
    if (!plain) return(laplace(joint, "u"))
    modes <- stats::optim(c(0, 0), function(u) -f(c(1, 2, 2, 1), 0.3, u), method = "BFGS", control = list(reltol = 1e-15))
    curvature <- stats::optimHess(modes$par, function(u) -f(c(1, 2, 2, 1), 0.3, u), control = list(ndeps = c(0.1, 0.1)))
    modes$value - log(2 * pi) + sum(log(diag(curvature))) / 2
  }
  expect_fresh(f, make, 0.3, c("fn", "gr", "modes"), all_pairs = FALSE)
})

test_that("0 and -0 are two points, and random numbers are drawn anew", {
  objective <- as_objective(opencl_function(function(y, m) sum(y / m), data = list(y = c(1, 2))), c(m = 1), negative = FALSE, device = "host")
  expect_identical(objective$fn(0), Inf)
  expect_identical(objective$fn(-0), -Inf)
  expect_identical(objective$fn(0), Inf)
  f <- opencl_function(function(y, m) (y - m - runif(5))^2, reduce = "sum", gradient = "m")
  objective <- as_objective(f, c(m = 0), list(y = 1:5 + 0), negative = FALSE, device = "host")
  drawn <- function(seed) {
    set.seed(seed)
    objective$fn(0)
  }
  one <- drawn(1)
  expect_false(drawn(2) == one)
  expect_identical(drawn(1), one)
  expect_false(objective$fn(0) == one)
})

test_that("the device that is set is the one that computes", {
  devices <- all_compiling_devices()
  skip_if(length(devices) < 2L, "one device")
  objective <- as_objective(opencl_function(function(y, m) sum(dnorm(y, m, log = TRUE)), gradient = "m"), c(m = 0), list(y = c(1, 2, 4)))
  for (turn in 1:2) for (device in devices) {
    old <- options(nmathopencl.device = device)
    objective$fn(0.5)
    expect_ran_on(device)
    options(old)
  }
})

test_that("value and gradient of a point are one call", {
  skip_without_compiler()
  calls <- 0
  w <- 1
  counted <- function() {
    calls <<- calls + 1
    w
  }
  f <- opencl_function(function(y, m, v = counted()) sum(v * (y - m)^2), gradient = "m")
  objective <- as_objective(f, c(m = 0), list(y = c(1, 2, 4)), negative = FALSE, device = "host")
  expect_equal(objective$fn(0), 21)
  expect_identical(calls, 2) # read, and computed with
  expect_equal(objective$gr(0), -14)
  expect_identical(calls, 3) # read
  w <- 2
  expect_equal(objective$gr(0), -28)
  expect_equal(objective$fn(0), 42)
})
