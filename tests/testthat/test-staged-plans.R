# Functions in stages whose shape is known: C++ runs all launches by itself, and gives what R gives of them, bit by bit.

unoptimized_programs()
set.seed(7)
n <- 700L
x <- round(rnorm(n), 3)
g <- rep_len(c(1:5, 7L), n) # group 6 is empty
u <- round(rnorm(7), 3)
counts <- rpois(n, exp(0.2 * x + u[g] * 0.3))
X <- cbind(1, x)

# How often R goes through the stages of a call while `code` runs.
calls_by_r <- function(code) calls_of("run_stages", code)

# What R gives, launch by launch, and what calls give that R has no part in.
expect_planned <- function(f, values, device) {
  slow <- do.call(f, c(values, device = device))
  ran <- calls_by_r(for (turn in 1:3) expect_identical(do.call(f, c(values, device = device)), slow))
  expect_identical(ran, 0L)
  slow
}

resident <- function(values, device) lapply(values, function(v) if (length(v) >= n) opencl_vector(v, device = device) else v)

likelihoods <- list(
  poisson = list(
    function(y, X, b, u, s, g) sum(dpois(y, exp(X %*% b + u[g]), log = TRUE)) + sum(dnorm(u, 0, s, log = TRUE)) + dexp(s, 1, log = TRUE),
    list(y = counts, X = X, b = c(0.1, 0.2), u = u * 0.3, s = 0.7, g = g), c("b", "u", "s")
  ),
  centred = list(function(u, g, w) sum((u - mean(u))[g] * w), list(u = u, g = g, w = x), "u"),
  parts = list(
    function(y, X, par) { r <- y - X %*% par[1:2]; sum(dnorm(r[-1], par[4] * r[-length(r)], exp(par[3]), log = TRUE)) - par[4]^2 },
    list(y = x * 2 + 1, X = X, par = c(0.5, 1, 0.1, 0.2)), "par"
  ),
  named = list(function(y, par) -mean(dnorm(y, par["m"], exp(par["s"]), log = TRUE)), list(y = x, par = c(s = 0.3, m = 0.2)), "par"),
  names_of_data = list( # the value has the name of `s`
    function(y, par) par["s"] + sum((y - par["m"])^2) * 0.1, list(y = stats::setNames(x, seq_along(x)), par = c(s = 0.3, m = 0.2)), "par"
  ),
  truncated = list(
    function(y, par) {
      k <- as.integer(par[1] + 0.5)
      on <- as.logical(par[3])
      sum(dnorm(y, par[2], 1, log = TRUE)) + lgamma(k + 1) + ifelse(on, par[2]^2, 0) * sum(y)
    },
    list(y = x, par = c(3.7, 0.2, 1)), "par"
  ),
  bounds = list(
    function(k, x, beta, cuts) { q <- c(-Inf, cuts, Inf); sum(log(plogis(q[k + 1] - beta * x) - plogis(q[k] - beta * x))) },
    list(k = rep_len(1:4, n), x = x, beta = 0.3, cuts = c(-1, 0, 1.2)), c("beta", "cuts")
  ),
  simplex = list(
    function(y, w, m) { p <- exp(w) / sum(exp(w)); d <- 0; for (k in 1:3) d <- d + p[k] * dnorm(y, m[k], 1); sum(log(d)) },
    list(y = x, w = c(0, 0.2, -0.1), m = c(-1, 0.5, 2)), c("w", "m")
  ),
  components = list( # more than are written out
    function(y, w, m) { p <- exp(w) / sum(exp(w)); d <- 0; for (k in seq_along(w)) d <- d + p[k] * dnorm(y, m[k], 1); sum(log(d)) },
    list(y = x, w = seq(-0.5, 0.5, length.out = 11L), m = seq(-2, 2, length.out = 11L)), c("w", "m")
  ),
  lse = list(
    function(y, w, m) {
      M <- sapply(seq_along(w), function(k) w[k] + dnorm(y, m[k], 1, log = TRUE))
      top <- apply(M, 1, max)
      sum(top + log(rowSums(exp(M - top)))) - mean(apply(M, 1, mean)) * 0.1 + sum(apply(M, 1, min)) * 0.01
    },
    list(y = x, w = c(0, 0.2, -0.1), m = c(-1, 0.5, 2)), c("w", "m")
  )
)

test_that("C++ gives what R gives, on every device, of vectors of R and of those that stay", {
  for (device in c("0", opencl_test_devices())) for (one in likelihoods) {
    f <- opencl_function(one[[1L]], gradient = one[[3L]])
    came <- expect_planned(f, one[[2L]], device)
    expect_equal(as.vector(came), as.vector(do.call(one[[1L]], one[[2L]])), tolerance = 1e-12)
    expect_equal(expect_planned(f, resident(one[[2L]], device), device), came, tolerance = 1e-12)
    if (device != "0") expect_identical(do.call(f, c(one[[2L]], device = device)), came)
  }
})

test_that("other codes, lengths and names are seen", {
  f <- function(u, g, w) sum(u[g] * w) + sum(u^2)
  slopes <- function(u, g, w) vapply(seq_along(u), function(k) sum(w[which(trunc(g) == k)]), 0) + 2 * unname(u)
  for (device in c("0", opencl_test_devices())) {
    ours <- opencl_function(f, gradient = "u")
    check <- function(u, g, w) for (turn in 1:3) {
      value <- ours(u, g, w, device = device)
      expect_equal(as.vector(value), f(u, g, w))
      expect_equal(unname(attr(value, "gradient")), slopes(u, g, w), tolerance = 1e-12)
      expect_named(attr(value, "gradient"), if (is.null(names(u))) paste0("u", seq_along(u)) else names(u))
    }
    for (turn in 1:2) {
      check(u, g, x)
      check(stats::setNames(u, letters[1:7]), g, x)
      check(u, rev(g), x)
      changed <- g
      check(u, changed, x)
      changed[3L] <- 2L # in place, as far as R does
      check(u, changed, x)
      check(u, as.double(g) + 0.5, x)
      check(u[1:5], pmin(g, 5L), x)
      check(c(u, 1, 2), g, x)
      check(u, g[1:100], x[1:100])
      check(1:9 / 2, g, x)
    }
    expect_error(ours(u, replace(g, 5L, 0L), x, device = device), "element 5 of the index is 0", class = "nmathopencl_error")
    missing <- replace(g, c(2L, 9L), NA)
    for (turn in 1:4) {
      value <- ours(u, missing, x, device = device)
      expect_identical(as.vector(value), NA_real_)
      expect_equal(unname(attr(value, "gradient")), slopes(u, missing, x), tolerance = 1e-12)
    }
    for (turn in 1:4) expect_identical(as.vector(ours(u, replace(g, 2L, 8L), x, device = device)), NA_real_)
    check(u, g, x)
    gone <- rep(NA_integer_, n)
    for (turn in 1:3) expect_equal(unname(attr(ours(u, gone, x, device = device), "gradient")), 2 * u)
  }
})

test_that("parts that R makes of data at each call have plans, and are those of the call", {
  f <- function(par, time, status, X) {
    eta <- drop(X %*% par)
    at <- sort(unique(time[status == 1]))
    risk <- drop(outer(at, time, "<=") %*% exp(eta))
    deaths <- as.vector(table(factor(time[status == 1], levels = at)))
    -(sum(eta[status == 1]) - sum(deaths * log(risk)))
  }
  set.seed(8)
  time <- sample(20, 90, TRUE)
  status <- rep_len(c(1, 1, 0), 90)
  Z <- cbind(rnorm(90), rnorm(90))
  ours <- opencl_function(f, gradient = "par", data = list(time = time, status = status, X = Z))
  check <- function(par) expect_equal(as.vector(ours(par = par)), f(par, time, status, Z), tolerance = 1e-12)
  for (par in list(c(0, 0), c(0.1, 0.2), c(0.3, -1))) check(par)
  expect_identical(calls_by_r(for (par in list(c(0, 0), c(0.5, 0.2), c(0.3, 1))) check(par)), 0L)
  check(c(0.3, NA))
  given <- opencl_function(f, gradient = "par") # data that change
  for (turn in 1:4) {
    time <- sample(20, 90, TRUE)
    expect_equal(as.vector(given(c(0.1, 0.2), time, status, Z)), f(c(0.1, 0.2), time, status, Z), tolerance = 1e-12)
  }
})

test_that("names of resident data are seen, whatever they become", {
  f <- function(y, par) par[1] + sum(y)
  for (device in c("0", opencl_test_devices())) {
    ours <- opencl_function(f)
    for (turn in 1:3) for (names in list(NULL, seq_len(n), rev(seq_len(n)))) for (own in list(NULL, "a", "b")) {
      y <- stats::setNames(x, names)
      par <- stats::setNames(0.5, own)
      expect_equal(ours(opencl_vector(y, device = device), par, device = device), f(y, par), tolerance = 1e-12)
      expect_equal(ours(y, par, device = device), f(y, par), tolerance = 1e-12)
    }
  }
})

test_that("what is truncated between launches may be missing, or no integer", {
  f <- function(y, par) sum(y) + as.integer(par[1]) + as.logical(par[2])
  ours <- opencl_function(f)
  for (par in list(c(2.5, 0), c(2.5, 3), c(NA, 1), c(-2.5, NaN), c(3e9, 1), c(Inf, 1), c(1, -Inf), c(-0.3, -0))) for (turn in 1:3) {
    expect_identical(sub(".*: ", "", warnings_of(value <- ours(x, par))), sub(".*: ", "", warnings_of(asked <- f(x, par))))
    expect_equal(value, asked, tolerance = 1e-12)
  }
})

test_that("lengths that come again have plans, too", {
  f <- function(u, g, w) sum(u[g] * w) + sum(u^2)
  for (device in c("0", opencl_test_devices())) {
    ours <- opencl_function(f, gradient = "u")
    sizes <- list(7L, 9L, 12L)
    values <- lapply(sizes, function(size) list(u = rep_len(u, size), g = g, w = x))
    for (one in values) for (turn in 1:3) do.call(ours, c(one, device = device))
    for (turn in 1:2) for (one in values) {
      value <- expect_planned(ours, one, device)
      expect_equal(unname(attr(value, "gradient")), vapply(seq_along(one$u), function(k) sum(x[g == k]), 0) + 2 * one$u, tolerance = 1e-12)
    }
  }
})

test_that("what is missing and what R warns of are R's, and one such call changes no other", {
  f <- function(y, u, g, s) sum(dnorm(y, u[g], s, log = TRUE)) + log(s)
  for (device in c("0", opencl_test_devices())) {
    ours <- opencl_function(f, gradient = c("u", "s"))
    values <- list(y = x, u = u, g = g, s = 0.8)
    first <- expect_planned(ours, values, device)
    for (turn in 1:2) {
      suppressWarnings(expect_warning(value <- ours(x, u, g, -1, device = device), "NaNs produced"))
      expect_identical(is.nan(as.vector(value)), TRUE)
      expect_identical(do.call(ours, c(values, device = device)), first)
    }
    values$u[2L] <- NA
    expect_identical(as.vector(do.call(ours, c(values, device = device))), NA_real_)
    values$u[2L] <- NaN
    expect_identical(is.nan(as.vector(do.call(ours, c(values, device = device)))), TRUE)
    expect_identical(ours(x, u, g, 0.8, device = device), first)
  }
})

test_that("interrupts and time limits end a call, and the next one is right", {
  f <- opencl_function(likelihoods$poisson[[1L]], gradient = "u")
  for (device in c("0", opencl_test_devices())) {
    values <- c(likelihoods$poisson[[2L]], device = device)
    first <- do.call(f, values)
    ended <- FALSE
    tryCatch({
      setTimeLimit(elapsed = 0.3, transient = TRUE)
      repeat do.call(f, values)
    }, error = function(e) ended <<- TRUE, finally = setTimeLimit())
    expect_true(ended)
    expect_identical(do.call(f, values), first)
  }
})

test_that("a plan is of its session and its process", {
  f <- opencl_function(likelihoods$centred[[1L]], gradient = "u")
  values <- likelihoods$centred[[2L]]
  first <- do.call(f, c(values, device = "0"))
  do.call(f, c(values, device = "0"))
  again <- unserialize(serialize(f, NULL))
  for (turn in 1:3) expect_identical(do.call(again, c(values, device = "0")), first)
})

test_that("what has no elements has none in later calls, and extremes of none warn", {
  on_each_device(function(device) {
    for (f in list(function(x) diff(x), function(x) head(x, 0), function(x) x[-1] * 2, function(x) head(x, -1) + mean(x))) {
      g <- opencl_function(f)
      for (turn in 1:3) expect_identical(g(1, device = device), f(1))
    }
    for (f in list(function(x) max(diff(x)), function(x) sum(x) + min(x[-1]))) {
      g <- opencl_function(f)
      for (turn in 1:3) {
        ours <- outcome_of(g(1, device = device))
        expect_identical(ours, outcome_of(f(1)))
      }
    }
  })
})

# ---- loops over data, by rows and by series

garch <- function(y, w, a, b) {
  h <- w / (1 - a - b)
  total <- 0
  for (t in seq_along(y)) {
    total <- total + dnorm(y[t], 0, sqrt(h), log = TRUE)
    h <- w + a * y[t]^2 + b * h
  }
  total
}

test_that("a loop over rows is C++'s alone from the second call on", {
  skip_on_cran() # a matter of seconds
  f <- opencl_function(garch, reduce = "sum", gradient = c("w", "a", "b"))
  values <- list(y = x, w = 0.1, a = 0.1, b = 0.8)
  came <- expect_planned(f, values, "0")
  expect_equal(as.vector(came), do.call(garch, values), tolerance = 1e-12)
  other <- list(y = x, w = 0.2, a = 0.05, b = 0.7)
  fresh <- opencl_function(garch, reduce = "sum", gradient = c("w", "a", "b"))
  expect_identical(do.call(f, c(other, device = "0")), do.call(fresh, c(other, device = "0")))
  for (y in list(x[1:10], x[1], c(x[1:5], NA), c(x[1:5], NaN))) {
    values$y <- y
    for (turn in 1:3) expect_equal(as.vector(do.call(f, c(values, device = "0"))), do.call(garch, values), tolerance = 1e-12)
  }
})

test_that("so is a loop over the rows of each series", {
  skip_on_cran() # a matter of seconds
  id <- gl(70L, n / 70L)
  for (device in c("0", opencl_test_devices())) for (mixed in if (as_on_cran()) TRUE else c(FALSE, TRUE)) {
    by <- if (mixed) rev(id)[order(x)] else id
    f <- opencl_function(garch, reduce = "sum", gradient = c("w", "a", "b"))
    y <- opencl_vector(x, device = device)
    values <- list(y = y, w = 0.1, a = 0.1, b = 0.8)
    came <- expect_planned(f, c(values, list(by = by)), device)
    want <- vapply(split(x, by), function(y) garch(y, 0.1, 0.1, 0.8), 0)
    expect_equal(c(came), want, tolerance = 1e-12, ignore_attr = "gradient")
    fresh <- opencl_function(garch, reduce = "sum", gradient = c("w", "a", "b"))
    values$b <- 0.7
    expect_identical(do.call(f, c(values, list(by = by, device = device))), do.call(fresh, c(values, list(by = by, device = device))))
    values$y <- opencl_vector(replace(x, 3L, NaN), device = device)
    for (turn in 1:3) expect_identical(is.nan(c(do.call(f, c(values, list(by = by, device = device))))), seq_len(70L) == as.integer(by)[3L], ignore_attr = TRUE)
  }
})

# ---- variables of environments

test_that("variables that a function reads from its environment are read at each call", {
  place <- new.env()
  f <- function(y, m, s) sum(dnorm(y, m * scale, exp(s) * pi / tuning$wide, log = TRUE)) + shift
  environment(f) <- place
  place$scale <- 2
  place$shift <- 0.5
  place$tuning <- list(wide = 3)
  for (device in c("0", opencl_test_devices())) {
    ours <- opencl_function(f, gradient = c("m", "s"))
    check <- function() {
      values <- list(y = x, m = 0.3, s = 0.1)
      expect_equal(as.vector(expect_planned(ours, values, device)), do.call(f, values), tolerance = 1e-12)
    }
    check()
    place$scale <- 1.5
    check()
    place$tuning <- list(wide = 4)
    check()
    place$shift <- 1:2 # not one number any more
    expect_equal(as.vector(suppressWarnings(tryCatch(ours(x, 0.3, 0.1, device = device), error = function(e) f(x, 0.3, 0.1)))), f(x, 0.3, 0.1))
    place$shift <- 0.25
    check()
    rm("scale", envir = place)
    expect_error(ours(x, 0.3, 0.1, device = device), "scale")
    place$scale <- 2L
    check()
  }
})

test_that("elementwise functions of such variables are C++'s, too", {
  place <- new.env()
  place$k <- 2
  f <- function(x) dnorm(x, k) * pi
  environment(f) <- place
  ours <- opencl_function(f)
  for (k in list(2, 3, 4L, TRUE)) {
    place$k <- k
    for (turn in 1:3) expect_equal(ours(x, device = "0"), f(x), tolerance = 1e-14)
  }
  place$k <- c(1, 2)
  for (turn in 1:2) expect_equal(ours(x, device = "0"), f(x), tolerance = 1e-14)
})

# ---- what kernels tell of ifelse()

test_that("which branches of ifelse() were taken is not a warning, and warnings come at each call", {
  gev <- function(y, m, log_s, xi) {
    z <- 1 + xi * (y - m) / exp(log_s)
    sum(ifelse(z > 0, -log_s - (1 + 1 / xi) * log(z) - z^(-1 / xi), -1e3))
  }
  for (device in c("0", opencl_test_devices())) {
    f <- opencl_function(gev, gradient = c("m", "log_s", "xi"))
    expect_planned(f, list(y = abs(x), m = 0.3, log_s = 1.2, xi = 0.2), device)
    warns <- list(y = x * 10, m = 0.3, log_s = 0.2, xi = 0.2)
    for (turn in 1:3) {
      expect_warning(value <- do.call(f, c(warns, device = device)), "NaNs produced")
      expect_equal(as.vector(value), suppressWarnings(do.call(gev, warns)), tolerance = 1e-12)
    }
    expect_planned(f, list(y = abs(x), m = 0.3, log_s = 1.2, xi = 0.2), device)
    one <- opencl_function(function(x) ifelse(x > 0, log(x), x), reduce = "sum")
    expect_planned(one, list(x = abs(x) + 0.1), device)
    for (turn in 1:3) expect_warning(one(x, device = device), "NaNs produced")
  }
})

# ---- values between launches

test_that("what is computed between launches is R's: elementary functions, sums, codes", {
  functions <- list(
    copula = list(function(u, v, z) {
      r <- tanh(z)
      a <- qnorm(u)
      b <- qnorm(v)
      sum(0.5 * log1p(-r^2) + (r^2 * (a^2 + b^2) - 2 * r * a * b) / (2 * (1 - r^2)))
    }, list(u = pnorm(x), v = pnorm(rev(x)), z = 0.3), "z"),
    mixture = list(function(y, w, b, s) {
      share <- c(plogis(w), plogis(-w))
      d <- 0
      for (k in 1:2) d <- d + share[k] * dnorm(y, b[2 * k - 1] + b[2 * k] * 0.5, exp(s))
      sum(log(d))
    }, list(y = x, w = 0.1, b = c(0, 1, 2, -1), s = 0.2), c("w", "b", "s")),
    growth = list(function(par, z, s, y) {
      e <- y - par[1] / (1 + exp(par[2] - cosh(par[3]) + sinh(z) + sin(z) * cos(z) + atan(z)))
      dnorm(e[1], 0, exp(s), log = TRUE) + sum(dnorm(e[-1], tanh(z) * e[-length(e)], exp(s), log = TRUE))
    }, list(par = c(1, 0.5, 0.2), z = 0.2, s = 0.1, y = x), c("par", "z", "s"))
  )
  for (device in c("0", opencl_test_devices())) for (one in functions) {
    f <- opencl_function(one[[1L]], gradient = one[[3L]])
    came <- expect_planned(f, one[[2L]], device)
    expect_equal(as.vector(came), do.call(one[[1L]], one[[2L]]), tolerance = 1e-12)
  }
})

test_that("a gradient of every model of the gallery is C++'s from the second call on", {
  skip_on_cran()
  folder <- system.file("gallery", package = "nmathopencl")
  own <- new.env()
  sys.source(file.path(folder, "gallery.R"), own)
  for (model in own$gallery(folder)) {
    if (model$slow) next
    objective <- own$gallery_objective(model, device = "host")
    at <- objective$par
    for (turn in 1:2) objective$gr(at * (1 + turn / 1e6)) # the objective keeps the value of its last point
    expect_identical(calls_by_r(objective$gr(at)), 0L, label = paste("calls by R of", model$title))
  }
})

# ---- functions that give elements

test_that("a call with warnings runs its plan once", {
  skip_without_compiler()
  f <- opencl_function(function(y, g, a) sum(log(tapply(y * a, g, sum))^2), gradient = "a")
  y <- c(1, 2, -9, 4, 5, 6)
  g <- c(1, 1, 2, 2, 3, 3)
  for (k in 1:3) f(abs(y), g, 2)
  expect_identical(calls_of("staged_again_cpp", expect_warning(f(y, g, 2), "NaNs produced")), 0L)
  expect_identical(calls_of("run_stages", expect_warning(f(y, g, 2), "NaNs produced")), 1L)
  expect_equal(as.vector(f(abs(y), g, 2)), sum(log(tapply(abs(y) * 2, g, sum))^2), tolerance = 1e-12)
})

test_that("what is missing in data and dropped later is no reason for R", {
  skip_without_compiler()
  lagged <- function(par, y) {
    e <- y - par[1] - par[2] * c(NA, y[-length(y)])
    -sum(dnorm(e[-1], 0, par[3], log = TRUE))
  }
  f <- opencl_function(lagged, gradient = "par", data = list(y = x))
  zero <- opencl_function(function(par, y) {
    e <- y - par[1] - par[2] * c(0, y[-length(y)])
    -sum(dnorm(e[-1], 0, par[3], log = TRUE))
  }, gradient = "par", data = list(y = x))
  at <- c(0.1, 0.2, 1.5)
  for (k in 0:2) {
    expect_equal(as.vector(f(at + k / 100, device = "host")), lagged(at + k / 100, x), tolerance = 1e-12)
    zero(at + k / 100, device = "host")
  }
  expect_identical(calls_by_r(for (k in 3:5) expect_equal(f(at + k / 100, device = "host"), zero(at + k / 100, device = "host"))), 0L)
  for (turn in 1:2) expect_warning(expect_identical(is.nan(f(c(0.1, 0.2, -1), device = "host")), is.nan(suppressWarnings(lagged(c(0.1, 0.2, -1), x))), ignore_attr = TRUE), "NaNs produced")
  missing <- function(par, y) sum(dnorm(c(NA, par[1] * y[1], par[2]), log = TRUE)[-1]) + par[1]
  g <- opencl_function(missing, gradient = "par")
  for (k in 1:4) expect_equal(as.vector(g(c(0.3, k), x)), missing(c(0.3, k), x), tolerance = 1e-12)
})
