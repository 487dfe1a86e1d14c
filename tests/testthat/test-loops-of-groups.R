# Loops that add up, whose rounds have sums of groups and products of matrices: codes and columns go over rounds, so that no program
# and no number of launches grows with the number of rounds. R is the judge.

unoptimized_programs()

# Functions of y, codes of groups, numbers of each round `z`, and parameters; `names`: those with a gradient.
loops_of_groups <- list(
  quadrature = list(names = c("b", "ls"), f = function(y, id, z, b, ls, w, X) {
    eta <- X %*% b
    l <- 0
    for (q in seq_along(z)) l <- l + w[q] * exp(tapply(dnorm(y, eta + exp(ls) * z[q], 1, log = TRUE), id, sum))
    sum(log(l))
  }),
  rowsums = list(names = "b", f = function(y, id, z, b) {
    l <- 0
    for (q in seq_along(z)) l <- l + exp(rowsum(dnorm(y, b[1] * z[q], exp(b[2]), log = TRUE), id) / 5)
    sum(log(l))
  }),
  means = list(names = "b", f = function(y, id, z, b) {
    l <- 1
    for (q in seq_along(z)) l <- l - exp(-abs(b[1] + z[q])) * tapply(y * b[2] + z[q], id, mean)^2
    sum(l)
  }),
  extremes = list(names = "b", f = function(y, id, z, b) {
    top <- -Inf
    for (q in seq_along(z)) top <- pmax(top, tapply(dnorm(y, b[1] + z[q] * b[2], 1, log = TRUE), id, sum))
    sum(top)
  }),
  factors = list(names = "b", f = function(y, id, z, b) {
    d <- 1
    for (q in seq_along(z)) d <- d * (1 + exp(tapply(dnorm(y, b[1] + z[q], exp(b[2]), log = TRUE), id, sum)) / 5)
    sum(log(d))
  }),
  numbers = list(names = "b", f = function(y, id, z, b) {
    s <- 0
    for (q in seq_along(z)) s <- s + log(sum(exp(tapply(dnorm(y, b[1] + b[2] * z[q], 1, log = TRUE), id, sum))))
    s
  }),
  both = list(names = "b", f = function(y, id, z, b) {
    l <- 0
    n <- 0
    for (q in seq_along(z)) {
      part <- tapply(y * b[1] * z[q], id, sum)
      l <- l + part^2
      n <- n + sum(part) * b[2]
    }
    sum(l) + n + sum(part)
  }),
  columns = list(names = "b", f = function(y, id, z, b) {
    L <- sapply(z, function(x) tapply(dnorm(y, b[1] + x, exp(b[2]), log = TRUE), id, sum))
    sum(log(rowSums(exp(L))))
  }),
  whole = list(names = "b", f = function(y, id, z, b) {
    s <- 0
    for (q in seq_along(z)) s <- s + b[1] * z[q] * tapply(y > z[q], id, sum) + b[2]
    sum(s^2)
  }),
  mixture = list(names = c("B", "w"), f = function(y, X, B, w) {
    p <- exp(w) / sum(exp(w))
    d <- 0
    for (k in seq_len(ncol(B))) d <- d + p[k] * dnorm(y, X %*% B[, k])
    sum(log(d))
  }),
  slopes = list(names = c("b", "ls"), f = function(y, X, z, b, ls) {
    d <- 0
    for (q in seq_along(z)) d <- d + dnorm(y, X %*% (b + exp(ls) * z[q]))
    sum(log(d))
  }),
  joined = list(names = "b", f = function(y, X, z, b) {
    d <- 0
    for (q in seq_along(z)) d <- d + dnorm(y, X %*% c(b[1], b[2] * z[q]))
    sum(log(d))
  }),
  wide = list(names = "ls", f = function(y, W, z, ls) {
    d <- 0
    for (q in seq_along(z)) d <- d + dnorm(y, W %*% (seq_len(11) / 20 * z[q] + ls))
    sum(log(d))
  })
)

ids_at_random <- function(n) {
  codes <- sample(max(1, n %/% 3), n, TRUE)
  sample(list(codes, as.integer(codes), as.numeric(codes) * 2, factor(codes), letters[(codes - 1) %% 26 + 1], replace(codes, sample.int(n, min(n, 2)), NA)), 1L)[[1L]]
}

arguments_at_random <- function(n, K) {
  y <- if (stats::runif(1) < 0.3) sample(5L, n, TRUE) else round(stats::rnorm(n), 2)
  list(
    y = y, id = ids_at_random(n), z = round(seq(-2, 2, length.out = K) + 0.1, 3), b = c(0.3, -0.2), ls = -0.4, w = rep(1 / K, K),
    X = cbind(1, round(stats::rnorm(n), 2)), B = matrix(round(stats::rnorm(2 * K), 2), 2), W = matrix(round(stats::rnorm(11 * n) / 4, 2), n)
  )
}

# R's value or that it is an error.
loop_value <- function(code) tryCatch(suppressWarnings(code), error = function(e) "error")

test_that("values and gradients are R's, for any rounds, lengths and codes", {
  skip_on_cran() # a matter of seconds
  compared <- list()
  as_one(for (place in if (as_on_cran()) c(1, 6, 10) else seq_along(loops_of_groups)) {
    set.seed(70 + place)
    f <- loops_of_groups[[place]]$f
    names <- loops_of_groups[[place]]$names
    devices <- c(if (compiler_here()) "0", "plain") # OpenCL devices have a test of their own
    value <- opencl_function(f)
    slope <- opencl_function(f, gradient = names)
    call <- 0L
    for (K in c(9, 21, 9, 1, 2, 40)) for (n in if (K == 9) c(7, 1, 0, 30) else c(30, 7)) {
      given <- arguments_at_random(n, K)[names(formals(f))]
      if ("w" %in% names) given$w <- seq(-0.5, 0.5, length.out = K)
      r <- loop_value(do.call(f, given))
      derived <- if (is.numeric(r) && is.finite(r)) suppressWarnings(differences(f, given, names))
      call <- call + 1L
      for (way in ways_of(place + call, devices)) {
        told <- paste(names(loops_of_groups)[place], K, n, way, deparse1(given$id))
        ours <- in_way(way, loop_value(do.call(value, c(given, device = "0"))))
        sloped <- in_way(way, loop_value(do.call(slope, c(given, device = "0"))))
        if (identical(r, "error")) next
        if (n == 0 && is.character(ours)) next # what has no elements may be an error
        expect_equal(as.vector(ours), as.vector(r), tolerance = 1e-12, info = told)
        if (is.null(derived) || n == 0) next
        expect_equal(as.vector(sloped), as.vector(r), tolerance = 1e-12, info = told)
        expect_lt(max(abs(as.vector(attr(sloped, "gradient")) - derived)), 1e-6 * max(1, abs(derived)), label = told)
        compared[[length(compared) + 1L]] <- way
      }
    }
  })
  expect_gt(sum(compared == "plain"), if (as_on_cran()) 15 else cases(80, 40))
  if (compiler_here()) expect_gt(sum(compared == "0"), cases(80, 40))
})

test_that("programs and launches do not grow with the rounds", {
  skip_without_compiler()
  for (name in c("quadrature", "numbers", "mixture", "slopes", "whole")) {
    f <- loops_of_groups[[name]]$f
    made <- opencl_function(f, gradient = loops_of_groups[[name]]$names)
    ran <- lapply(c(11, 30, 70), function(K) {
      set.seed(3)
      given <- arguments_at_random(60, K)
      given$id <- rep(1:20, 3)
      do.call(made, c(given[names(formals(f))], device = "host"))
      last_run()
    })
    expect_equal(ran[[2]]$chunks, ran[[1]]$chunks, info = name)
    expect_equal(ran[[3]]$chunks, ran[[1]]$chunks, info = name)
    expect_equal(ran[[2]]$built, 0, info = name)
    expect_equal(ran[[3]]$built, 0, info = name)
  }
})

test_that("OpenCL devices have the same values, and plans", {
  set.seed(5)
  f <- loops_of_groups$quadrature$f
  for (device in compiling_devices()) {
    made <- opencl_function(f, gradient = c("b", "ls"))
    for (turn in 1:4) {
      given <- arguments_at_random(if (turn == 3) 45 else 60, if (turn == 4) 21 else 15)[names(formals(f))]
      given$id <- rep(1:15, length.out = length(given$y))
      given$b <- given$b + turn / 10
      ours <- do.call(made, c(given, device = device))
      expect_equal(as.vector(ours), do.call(f, given), tolerance = 1e-12)
      expect_equal(unname(attr(ours, "gradient")), differences(f, given, c("b", "ls")), tolerance = 1e-7)
    }
    other <- given # the same lengths, other codes
    other$id <- rev(rep(1:15, each = 4))
    for (turn in 1:2) for (one in list(given, other)) expect_equal(as.vector(do.call(made, c(one, device = device))), do.call(f, one), tolerance = 1e-12)
  }
})

test_that("second derivatives are R's differences", {
  skip_without_compiler()
  set.seed(6)
  for (name in c("quadrature", "slopes", "joined", "means", "numbers")) {
    f <- loops_of_groups[[name]]$f
    names <- loops_of_groups[[name]]$names
    given <- arguments_at_random(24, 12)
    given$id <- rep(1:8, 3)
    given <- given[names(formals(f))]
    value <- do.call(opencl_function(f, gradient = names, hessian = TRUE), c(given, device = "host"))
    expect_equal(as.vector(value), do.call(f, given), tolerance = 1e-12)
    slope <- opencl_function(f, gradient = names)
    moved <- function(part, k, h) {
      given[[part]][k] <- given[[part]][k] + h
      as.vector(attr(do.call(slope, c(given, device = "host")), "gradient"))
    }
    by_differences <- do.call(cbind, lapply(names, function(part) vapply(seq_along(given[[part]]), function(k) {
      h <- 1e-4
      (8 * (moved(part, k, h) - moved(part, k, -h)) - moved(part, k, 2 * h) + moved(part, k, -2 * h)) / (12 * h)
    }, numeric(length(unlist(given[names]))))))
    expect_equal(unname(attr(value, "hessian")), unname(by_differences), tolerance = 1e-7, info = name)
  }
})

test_that("values of groups are taken by codes, also by none", {
  skip_without_compiler()
  f <- function(y, u, g, z) {
    s <- 0
    for (q in seq_along(z)) {
      v <- u * z[q]
      s <- s + v[g] * y
    }
    s
  }
  z <- seq(-1, 2, length.out = 12)
  made <- opencl_function(f)
  for (g in list(c(1L, 3L, 2L, 3L), c(1, 2.7, 3, 1), c(NA, 1L, 4L, 2L), c(9, 1, NA, 3))) {
    r <- f(1:4 / 2, c(1, 2, 4), g, z)
    expect_equal(made(1:4 / 2, c(1, 2, 4), g, z, device = "host"), r, tolerance = 1e-12)
  }
  for (g in list(c(0L, 1L, 2L, 3L), c(-1, 1, 2, 3))) expect_error(made(1:4 / 2, c(1, 2, 4), g, z, device = "host"))
  by_ave <- function(y, g, z, b) {
    s <- 0
    for (q in seq_along(z)) s <- s + sum((y - ave(y * b * z[q], g))^2)
    s
  }
  y <- round(seq(-1, 1, length.out = 9), 2)
  g <- c(1L, 2L, 2L, 5L, 1L, 2L, 5L, 5L, 1L) # groups that nothing is in
  expect_likelihood(by_ave, list(y = y, g = g, z = z, b = 0.3), "b")
})

test_that("sums of integers beyond them are told in any round", {
  skip_without_compiler()
  f <- function(y, id, z) {
    s <- 0
    for (q in seq_along(z)) s <- s + tapply(y + z[q], id, sum)
    sum(s)
  }
  z <- c(1:11, 5L)
  y <- c(3L, 4L, 5L, 6L)
  expect_equal(opencl_function(f)(y, c(1, 1, 2, 2), z, device = "host"), f(y, c(1, 1, 2, 2), z))
  large <- replace(z, 7, 2147483000L)
  r <- tryCatch(suppressWarnings(f(y, c(1, 1, 2, 2), large)), error = function(e) "error")
  ours <- tryCatch(suppressWarnings(opencl_function(f)(y, c(1, 1, 2, 2), large, device = "host")), error = function(e) "error")
  if (!identical(ours, "error")) expect_equal(ours, r)
})

test_that("points and series have such loops", {
  skip_without_compiler()
  set.seed(9)
  f <- loops_of_groups$quadrature$f
  given <- arguments_at_random(24, 12)[names(formals(f))]
  given$id <- rep(1:8, 3)
  ls <- c(-0.5, 0, 0.3)
  made <- opencl_function(f)
  ours <- do.call(made, c(given[names(given) != "ls"], list(over = list(ls = ls), device = "host")))
  expect_equal(as.vector(ours), vapply(ls, function(one) do.call(f, utils::modifyList(given, list(ls = one))), 0), tolerance = 1e-12)
  sloped <- do.call(opencl_function(f, gradient = "ls"), c(given[names(given) != "ls"], list(over = list(ls = ls), device = "host")))
  expect_equal(as.vector(attr(sloped, "gradient")), vapply(ls, function(one) differences(f, utils::modifyList(given, list(ls = one)), "ls"), 0), tolerance = 1e-7)
  g <- function(y, X, z, b) {
    d <- 0
    for (q in seq_along(z)) d <- d + dnorm(y, X %*% c(b[1], b[2] * z[q]))
    log(d)
  }
  given <- arguments_at_random(24, 12)[names(formals(g))]
  series <- rep(1:3, 8)
  by_series <- do.call(opencl_function(g, reduce = "sum"), c(given, list(by = series, device = "host")))
  alone <- vapply(1:3, function(one) sum(do.call(g, utils::modifyList(given, list(y = given$y[series == one], X = given$X[series == one, ])))), 0)
  expect_equal(as.vector(by_series), alone, tolerance = 1e-12)
})

test_that("a number that is multiplied with vectors is their first factor, and codes far below 1 are errors", {
  f <- function(l, z, y) { for (q in seq_along(z)) l <- l * (y * z[q]); l }
  on_each_device(function(device) {
    ours <- opencl_function(f)
    for (values in list(list(1e300, rep(1e-40, 9), c(1, 1)), list(1e-300, rep(1e20, 20), c(1, 2)), list(0, rep(1e20, 20), c(1, 2)), list(1, 1:12 / 6, c(1, 2)))) {
      expect_equal(do.call(ours, c(values, device = device)), do.call(f, values), tolerance = 1e-13)
    }
    taken <- opencl_function(function(z, id, u) { l <- 0; for (q in seq_along(z)) { v <- u * z[q]; l <- l + v[id] }; l })
    for (code in c(-1e10, -1, -2147483648)) expect_error(taken(1:9 / 2, c(1, code, 2), c(1, 2, 5), device = device))
  })
})
