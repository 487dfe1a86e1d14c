# Calls at many points, one after the other: what a call takes from the one before it is what is the same.

unoptimized_programs()
set.seed(351)
n <- 70L
X <- matrix(round(rnorm(3L * n), 3), n)
y <- as.double(runif(n) < 0.4)
logistic <- function(y, X, b, s = 1) {
  e <- X %*% b * s
  y * e - log1p(exp(e))
}
made <- function(data = list(y = y, X = X)) opencl_function(logistic, reduce = "sum", gradient = "b", data = data)
points_of <- function(m) matrix(round(rnorm(3L * m), 3), m)

B <- points_of(4L)
named_rows <- points_of(4L)
rownames(named_rows) <- letters[1:4]
named_columns <- points_of(4L)
colnames(named_columns) <- c("one", "x", "z")
missing_one <- points_of(4L)
missing_one[2L, 3L] <- NA
calls <- list(
  function(k) k(over = list(b = B, s = c(1, 2, 0.5, 3))),
  function(k) k(over = list(b = points_of(9L), s = rep(1.5, 9L))),
  function(k) k(over = list(b = B[1L, , drop = FALSE], s = 2)),
  function(k) k(over = list(s = c(2, 1, 3, 0.5), b = B)),
  function(k) k(over = list(b = named_rows, s = 1:4)),
  function(k) k(over = list(b = named_columns, s = c(1, 2, 0.5, 3))),
  function(k) k(over = list(b = missing_one, s = c(1, 2, 0.5, 3))),
  function(k) k(over = list(b = B, s = c(1, 2))),
  function(k) k(over = list(b = B[, 1:2], s = c(1, 2, 0.5, 3))),
  function(k) k(over = list(b = B)),
  function(k) k(over = list(b = B), s = 2),
  function(k) k(over = list(b = B, s = c(1, 2, 0.5, 3)), y = 1 - y),
  function(k) k(over = list(b = B, s = c(1, 2, 0.5, 3)), X = X[1:30, ], y = y[1:30]),
  function(k) k(over = list(b = B[0L, ], s = numeric())),
  function(k) k(over = list(b = B, b = B)),
  function(k) k(over = list(b = B, s = c(1, 2, 0.5, 3)), fallback = TRUE),
  function(k) k(over = list(b = B, s = list(1, 2, 0.5, 3)))
)
reported <- function(call, k) {
  set.seed(3)
  with_conditions(call(k))
}

test_that("after any call, any other is what it is by itself", {
  devices <- all_compiling_devices()
  for (device in devices) {
    withr_options(list(nmathopencl.device = device), environment())
    alone <- lapply(calls, function(call) reported(call, made()))
    expect_true(is.double(alone[[1L]]$value) && is.double(alone[[2L]]$value))
    for (i in seq_along(calls)) for (j in seq_along(calls)) {
      if (!device %in% ways_of(length(calls) * i + j, devices)) next
      k <- made()
      reported(calls[[i]], k)
      expect_identical(reported(calls[[j]], k), alone[[j]], info = paste(device, i, "then", j))
      expect_identical(reported(calls[[j]], k), alone[[j]], info = paste(device, i, "then twice", j))
    }
  }
})

test_that("the next call is on the device that is asked for then", {
  devices <- all_compiling_devices()
  skip_if(length(devices) < 2L, "one device")
  k <- made()
  over <- list(b = B, s = c(1, 2, 0.5, 3))
  for (turn in 1:3) for (device in devices) {
    old <- options(nmathopencl.device = device)
    k(over = over)
    expect_ran_on(device)
    options(old)
    k(over = over, device = device)
    expect_ran_on(device)
  }
})

test_that("without a compiler a function that had one is evaluated by R", {
  skip_without_compiler()
  k <- made()
  over <- list(b = B, s = c(1, 2, 0.5, 3))
  compiled <- k(over = over, device = "host")
  k(over = over, device = "host")
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  expect_equal(k(over = over, device = "host"), compiled, tolerance = 1e-13)
})

test_that("what a function reads and calls is looked up at each call", {
  scale <- 2
  twice <- function(e) e * scale
  k <- opencl_function(function(y, X, b) {
    e <- twice(X %*% b)
    y * e - log1p(exp(e))
  }, reduce = "sum", data = list(y = y, X = X))
  value <- function() vapply(1:4, function(i) sum(logistic(y, X, B[i, ], scale)), 0)
  for (scale in c(2, 3, 0.5, NA)) expect_equal(k(over = list(b = B)), value(), tolerance = 1e-13)
  scale <- 1
  twice <- function(e) -e
  expect_equal(k(over = list(b = B)), vapply(1:4, function(i) sum(logistic(y, X, -B[i, ])), 0), tolerance = 1e-13)
})

# What C++ alone gives of a call at many points, NULL where it is R's.
alone_at_points <- function(f, ..., over, device = "auto") {
  known <- attr(f, "expression")
  asked <- as.function(c(formals(f)[setdiff(names(formals(f)), names(as.list(formals(f)$by)))], quote(
    nmathopencl:::points_known_cpp(known, environment(), over, NULL, device, FALSE, FALSE, FALSE, environment())
  )), envir = list2env(list(known = known), parent = environment(f)))
  asked(..., over = over, device = device)
}

test_that("a known call at many points is C++'s alone, whichever way its points and arguments are given", {
  skip_without_compiler()
  s <- c(1, 2, 0.5, 3)
  for (device in compiling_devices()) {
    same <- function(f, ...) {
      first <- f(..., device = device)
      expect_identical(f(..., device = device), first)
      expect_identical(alone_at_points(f, ..., device = device), first)
      first
    }
    k <- made()
    loop <- loop_over_points(k, list(device = device), list(b = B, s = s))
    expect_true(same_bits(same(k, over = list(b = B, s = s)), loop))
    expect_named(same(k, over = list(b = named_rows, s = s)), letters[1:4])
    expect_identical(colnames(attr(same(k, over = list(b = named_columns, s = s)), "gradient")), colnames(named_columns))
    same(k, s = 1.5, over = list(b = B))
    same(k, over = list(b = B))
    same(k, y = 1 - y, over = list(b = B, s = s))
    bare <- opencl_function(logistic, reduce = "sum", gradient = "b")
    expect_true(same_bits(same(bare, y, X, over = list(b = B, s = s)), loop))
    same(bare, y[1:9], X[1:9, ], over = list(b = B, s = s))
    alone <- opencl_function(function(par) sum(dpois(round(y), exp(X %*% par), log = TRUE)), gradient = "par", data = list(y = y, X = X))
    expect_true(same_bits(same(alone, over = B), loop_over_points(alone, list(device = device), list(par = B))))
    reads <- opencl_function(function(par) sum(y * (X %*% par)), gradient = "par")
    expect_equal(c(same(reads, over = B)), apply(B, 1, function(b) sum(y * (X %*% b))), tolerance = 1e-13)
    centred <- opencl_function(function(y, X, b) { e <- X %*% b; sum((y - (e - mean(e)))^2) }, gradient = "b", data = list(y = y, X = X))
    expect_true(same_bits(same(centred, over = list(b = B)), loop_over_points(centred, list(device = device), list(b = B))))
    numbers <- opencl_function(function(y, a, r) dgamma(y + 1, a, r, log = TRUE), reduce = "sum", gradient = c("a", "r"), data = list(y = y))
    P <- cbind(r = c(one = 1, two = 2), a = c(2, 3))
    expect_identical(same(numbers, over = P), numbers(over = as.data.frame(P), device = device))
  }
})

# Functions of the same arguments, called in many ways: with a fresh one each, the second call gives what it gives by itself.
test_that("random pairs of calls at many points, in both orders, are what they are by themselves", {
  skip_without_compiler()
  withr_options(list(nmathopencl.device = "host"), environment())
  scale <- 1.5
  functions <- list(
    sum = function() opencl_function(function(y, X, b, s = 1) y * (X %*% b) * s - exp(X %*% b) * scale, reduce = "sum", gradient = c("b", "s"), data = list(y = y)),
    stages = function() opencl_function(function(y, X, b, s = 1) sum(y * (X %*% b) * s - exp(X %*% b)) - scale * sum(b^2), gradient = "b", data = list(y = y)),
    names = function() opencl_function(function(y, X, b, s = 1) sum((y - b["u"] - b["v"] * X[, 2] * s)^2), gradient = "b", data = list(y = y))
  )
  one_call <- function() {
    pick <- function(...) sample(list(...), 1L)[[1L]]
    rows <- pick(70L, 70L, 12L, 1L)
    columns <- pick(2L, 2L, 3L, 1L)
    m <- pick(1L, 2L, 5L, 9L)
    call <- list(X = X[seq_len(rows), seq_len(columns), drop = FALSE])
    if (rows != 70L || runif(1) < 0.2) call$y <- y[seq_len(rows)]
    b <- matrix(round(rnorm(m * columns), 2), m)
    if (runif(1) < 0.5) colnames(b) <- pick(c("u", "v", "w"), c("v", "u", "w"), c("s", "y", "b"))[seq_len(columns)]
    if (runif(1) < 0.3) rownames(b) <- paste0("p", seq_len(m))
    if (runif(1) < 0.2) b[sample(length(b), 1L)] <- pick(NA, NaN, Inf, -800)
    if (runif(1) < 0.2) storage.mode(b) <- "integer"
    over <- list(b = b)
    if (runif(1) < 0.3) over$s <- pick(runif(m), seq_len(m), stats::setNames(runif(m), letters[seq_len(m)]))
    else if (runif(1) < 0.3) call$s <- pick(2, 2L, c(1, 2))
    if (length(over) == 2L && runif(1) < 0.3) over <- over[2:1]
    if (length(over) == 1L && runif(1) < 0.3) over <- pick(b, as.data.frame(b))
    c(call, list(over = over))
  }
  for (name in names(functions)) for (round in seq_len(cases(15, 9))) {
    pair <- list(one_call(), one_call())
    by_itself <- function(k) suppressWarnings(reported(function(f) do.call(f, pair[[k]]), functions[[name]]()))
    alone <- list(by_itself(1L), by_itself(2L))
    f <- functions[[name]]()
    for (k in c(1L, 2L, 1L, 1L, 2L, 2L)) {
      expect_identical(reported(function(f) do.call(f, pair[[k]]), f), alone[[k]], info = paste(name, round, k, deparse1(pair)))
    }
  }
})
