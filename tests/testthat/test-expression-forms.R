# Ways to write what the language has, against plain R: local(), tryCatch(), Reduce() of a few items, functions of texts, dim(b) <-, match.arg().

unoptimized_programs()

y <- c(1, 2, 0.5, 3)
x <- c(0.2, -1, 1, 0.4)
square <- function(v) {
  w <- v * v
  w + 1
}
density_by <- function(par, y, family = c("normal", "logistic")) {
  family <- match.arg(family)
  if (family == "normal") dnorm(y, par[1], exp(par[2]), log = TRUE) else dlogis(y, par[1], exp(par[2]), log = TRUE)
}

cases <- list(
  local = function(par, y) {
    m <- 2
    r <- local({
      m <- par[1] * m
      k <- m * 2
      sum(dnorm(y, m, exp(par[2]), log = TRUE)) + k
    })
    r * m
  },
  try_catch = function(par, y) {
    s <- function(v) exp(v)
    tryCatch(sum(dnorm(y, square(par[1]), s(par[2]), log = TRUE)), error = function(e) 1e10)
  },
  try = function(par, y) {
    l <- try({
      k <- par[1]
      sum(dnorm(y, k, exp(par[2]), log = TRUE))
    }, silent = TRUE)
    if (inherits(l, "try-error")) return(1e10)
    l * k
  },
  reduce = function(par, y) {
    items <- list(par[1], par[2] * y)
    sum(Reduce(`+`, list(par[1], par[2] * y)) * Reduce("*", items, 2)) + Reduce(`*`, list(par[2]))
  },
  reduce_bounds = function(par, y) {
    sum(Reduce(pmax, list(par[1] * y, par[2], 0.1))) + sum(Reduce(pmin, lapply(1:3, function(k) par[1] * y * k - par[2] * k^2.1)))
  },
  reduce_map = function(par, y) {
    l <- Map(function(i) dnorm(y, par[1] * i, exp(par[2])), c(1, 2))
    ratio <- function(a, b) a / b
    sum(Reduce(`+`, l)) + sum(Reduce(pmax, Map(function(k) y * par[2] * k, c(2, -1)))) + Reduce(ratio, list(par[1], par[2], 3))
  },
  outer = function(par, y) {
    M <- y %o% par
    sum(M^2) + sum((par %o% par)[2, ])
  },
  dim = function(par, y) {
    b <- c(par, par^2)
    dim(b) <- c(2, length(b) / 2)
    r <- b %*% c(1, 2)
    dim(r) <- NULL
    dim(par) <- c(1, 2)
    sum(r * c(3, 1)) + sum(y) * sum(par %*% b)
  },
  match_arg = function(par, y, family = c("normal", "logistic")) {
    family <- match.arg(family)
    sum(density_by(par, y, family)) + switch(family, normal = par[1], logistic = 0) + sum(density_by(family = "logistic", par, y)) + sum(density_by(par, y))
  }
)
# Of a vector with the names a and b.
of_names <- list(
  vapply = function(par, y) sum(y) * sum(vapply(c("a", "b"), function(k) par[[k]]^2, 0)),
  sapply = function(par, y) {
    keys <- c("a", "b")
    one <- function(k) {
      m <- par[[k]]
      m^2 + sum(y)
    }
    sum(sapply(keys, one) * sapply(keys, function(k) par[[k]], USE.NAMES = FALSE))
  },
  lapply = function(par, y) Reduce(`*`, lapply(c("a", "b"), function(k) par[[k]]^2 + sum(y))) + sum(unlist(lapply(c("b", "a"), function(k) par[[k]]))),
  rounds = function(par, y) {
    s <- 0
    for (k in c("a", "b")) {
      m <- par[[k]] * y
      s <- s + m^2
    }
    sum(s) + par[["a"]]
  },
  list = function(par, y) {
    th <- list(a = par[[1]], b = exp(par[[2]]))
    sum(sapply(c("a", "b"), function(k) th[[k]]^2)) * sum(y)
  }
)

same <- function(ours, f, par, y, info) {
  theirs <- f(par, y)
  expect_equal(as.vector(ours), as.vector(theirs), tolerance = 1e-13, info = info)
  expect_identical(names(ours), names(theirs), info = info)
  if (anyNA(y)) return()
  slopes <- sapply(seq_along(theirs), function(k) differences(function(par, y) f(par, y)[[k]], list(par = par, y = y), "par"))
  expect_equal(as.vector(attr(ours, "gradient")), as.vector(t(slopes)), tolerance = 1e-6, info = info)
}

test_that("values and gradients are R's", {
  skip_on_cran() # a matter of seconds
  all <- c(cases, of_names)
  all_made <- lapply(all, opencl_function, gradient = "par")
  for (name in names(all)) for (device in compiling_devices()) {
    made <- all_made[[name]]
    same(made(c(a = 0.4, b = 0.3), y, device = device), all[[name]], c(a = 0.4, b = 0.3), y, name)
    if (device == "host") same(made(c(a = -0.4, b = 0.6), c(2, NA), device = device), all[[name]], c(a = -0.4, b = 0.6), c(2, NA), name)
    if (name %in% names(cases)) same(made(c(1, 0.2), 0.7, device = device), all[[name]], c(1, 0.2), 0.7, name)
  }
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  for (name in names(all)) for (given in list(y, numeric())) {
    ours <- all_made[[name]](c(a = 0.4, b = 0.3), given)
    expect_equal(as.vector(ours), as.vector(all[[name]](c(a = 0.4, b = 0.3), given)), tolerance = 1e-13, info = name)
  }
})

test_that("functions of texts have the texts as names", {
  par <- c(a = 2, b = 3)
  for (f in list(
    function(par) sapply(c("a", "b"), function(k) par[[k]]^2), function(par) vapply(c("b", "a"), function(k) par[[k]], numeric(1)),
    function(par) sapply(c("a", "b"), function(k) par[[k]], USE.NAMES = FALSE), function(par) unlist(lapply(c("a", "b"), function(k) par[[k]])),
    function(par) unlist(list(u = par[[1]], v = par[[2]] + 1))
  )) expect_as_r(f, par)
})

test_that("Hessians, points, data and groups have them", {
  par <- c(a = 0.4, b = 0.3)
  step <- function(k) 1e-5 * (seq_along(par) == k)
  for (name in c("try", "match_arg", "dim")) {
    made <- opencl_function(cases[[name]], gradient = "par", hessian = TRUE, data = list(y = y))
    slopes <- function(par) attr(made(par, device = "host"), "gradient")
    expect_equal(unname(attr(made(par, device = "host"), "hessian")), sapply(1:2, function(k) unname(slopes(par + step(k)) - slopes(par - step(k))) / 2e-5), tolerance = 1e-6, info = name)
    points <- rbind(par, c(-0.3, 0.1))
    expect_equal(as.vector(made(over = points, device = "host")), unname(c(cases[[name]](points[1, ], y), cases[[name]](points[2, ], y))), tolerance = 1e-13, info = name)
  }
  terms <- opencl_function(function(par, y) local({
    m <- Reduce(`+`, list(par[1], x * par[2]))
    dnorm(y, m, 1, log = TRUE)
  }), reduce = "sum", gradient = "par")
  g <- c(1, 2, 2, 1)
  expect_equal(as.vector(terms(par, y, by = g)), as.vector(tapply(dnorm(y, par[1] + x * par[2], 1, log = TRUE), g, sum)), tolerance = 1e-13)
})

test_that("match.arg() takes, completes and refuses texts as R does", {
  f <- function(par, y, family = c("normal", "logistic")) {
    family <- match.arg(family)
    if (family == "normal") sum(dnorm(y, par[1], exp(par[2]), log = TRUE)) else sum(dlogis(y, par[1], exp(par[2]), log = TRUE))
  }
  par <- c(0.4, 0.3)
  for (compiler in c(TRUE, FALSE)) {
    withr_options(list(nmathopencl.compiler = if (compiler) getOption("nmathopencl.compiler") else FALSE), environment())
    made <- opencl_function(f, gradient = "par")
    for (given in list("logistic", "norm", NULL, c("normal", "logistic"), "logistic")) {
      expect_equal(as.vector(made(par, y, given, device = "host")), f(par, y, given), tolerance = 1e-13)
      expect_equal(unname(attr(made(par, y, given, device = "host"), "gradient")), differences(function(par) f(par, y, given), list(par = par), "par"), tolerance = 1e-7)
    }
    expect_equal(as.vector(made(par, y, device = "host")), f(par, y))
    wrong <- function(code) conditionMessage(expect_error(code))
    for (given in list("cauchy", 3, c("logistic", "normal"))) expect_identical(wrong(made(par, y, given, device = "host")), wrong(f(par, y, given)))
    of_data <- opencl_function(f, gradient = "par", data = list(y = y, family = "logistic"))
    expect_equal(as.vector(of_data(par, device = "host")), f(par, y, "logistic"))
    expect_equal(as.vector(of_data(par, family = "normal", device = "host")), f(par, y))
    part <- opencl_function(function(par, y) sum(density_by(par, y, "norm")), gradient = "par")
    expect_error(part(par, y, device = "host"), "in full")
  }
})

test_that("what may stop, and what gives no number, is refused", {
  refused <- function(f, text) expect_error(opencl_function(f, gradient = "par")(c(a = 0.4, b = 0.3), y), text, class = "nmathopencl_error")
  stopping <- function(v) if (v > 0) v else stop("negative")
  refused(function(par, y) tryCatch(sum(svd(diag(par))$d), error = function(e) 1e10), "may stop in R")
  refused(function(par, y) tryCatch(stopping(par[1]), error = function(e) 1e10), "may stop in R")
  refused(function(par, y) try(solve(diag(par))[1, 1], silent = TRUE), "may stop in R")
  refused(function(par, y) {
    own <- function(v) stopifnot(v > 0)
    tryCatch(own(par[1]), error = function(e) 1e10)
  }, "may stop in R")
  refused(function(par, y) tryCatch(log(par[1]), warning = function(w) 0), "not supported")
  refused(function(par, y) tryCatch(log(par[1]), error = function(e) 1, finally = 2), "not supported")
  refused(function(par, y) sum(Reduce(`+`, list(par[1], par[2]), accumulate = TRUE)), "not supported")
  refused(function(par, y) local(return(par[1])), "return")
  long <- opencl_function(function(par, y) sum(sapply(c("a", "b"), function(k) par[[k]] * y)), gradient = "par")
  expect_error(long(c(a = 0.4, b = 0.3), y), "one number for each")
  sides <- opencl_function(function(par, y) {
    dim(par) <- c(2, 2)
    sum(par)
  }, gradient = "par")
  expect_error(sides(c(0.4, 0.3), y), "do not match the length")
})

test_that("match.arg() of a function that the body calls takes its caller's default", {
  distance <- function(y, m, type = c("square", "plain")) {
    type <- match.arg(type)
    switch(type, square = (y - m)^2, plain = abs(y - m))
  }
  f <- function(par, y, way = "plain") sum(distance(y, par[1], way)) + sum(distance(y, par[2]))
  made <- opencl_function(f, gradient = "par")
  y <- c(1, 2, 0.5)
  for (device in compiling_devices()) for (way in c("plain", "square")) {
    expect_equal(as.vector(made(c(0.4, 0.3), y, device = device)), f(c(0.4, 0.3), y))
    expect_equal(as.vector(made(c(0.4, 0.3), y, way, device = device)), f(c(0.4, 0.3), y, way))
    expect_equal(unname(attr(made(c(0.4, 0.3), y, device = device), "gradient")), c(-3, -5.2))
  }
})

test_that("elements beyond the end, where R stops and tryCatch() goes on, are refused", {
  cases <- list(
    function(par, y) tryCatch(par * y[[3]], error = function(e) 5),
    function(par, y) tryCatch(par * as.list(y)[[3]], error = function(e) 5),
    function(par, y) {
      p <- as.list(y)
      v <- try(par * p[[3]], silent = TRUE)
      if (inherits(v, "try-error")) 1e10 else v
    }
  )
  for (f in cases) for (device in compiling_devices()) {
    made <- opencl_function(f, gradient = "par")
    ours <- made(2, c(1, 2, 4), device = device)
    expect_identical(as.vector(ours), 8)
    expect_identical(unname(attr(ours, "gradient")), 4)
    expect_error(made(2, c(1, 2), device = device), "beyond the end")
  }
})
