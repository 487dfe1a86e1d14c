# `by` and loops over data: one series for each level, against R's own loop over the pieces, on every device and without a compiler.

unoptimized_programs()
set.seed(71)
sizes <- c(12L, 3L, 40L, 7L, 90L)
id <- rep(seq_along(sizes), sizes)
n <- length(id)
y <- round(rnorm(n), 3)
x <- round(rnorm(n), 3)
X <- unname(cbind(1, x))

# `data`: names of the values that are cut into pieces.
expect_series <- function(f, values, data, names, by = id, tolerance = 1e-7) {
  pieces <- split(seq_along(by), by)
  value_of <- function(values, rows) {
    values[data] <- lapply(values[data], function(v) if (is.matrix(v)) v[rows, , drop = FALSE] else v[rows])
    sum(do.call(f, values))
  }
  known <- vapply(pieces, function(rows) value_of(values, rows), 0)
  slopes <- t(matrix(vapply(pieces, function(rows) {
    differences(function(...) value_of(list(...), rows), values, names)
  }, numeric(sum(lengths(values[names])))), ncol = length(pieces)))
  made <- opencl_function(f, reduce = "sum", gradient = names)
  alone <- opencl_function(f, reduce = "sum")
  on_each_device(function(device) {
    for (turn in 1:2) {
      ours <- do.call(made, c(values, list(by = by, device = device)))
      gradient <- attr(ours, "gradient")
      expect_equal(c(ours), known, tolerance = 1e-12, ignore_attr = "gradient")
      expect_equal(unname(gradient), unname(slopes), tolerance = tolerance)
      expect_identical(rownames(gradient), names(ours))
    }
    expect_equal(do.call(alone, c(values, list(by = by, device = device))), known, tolerance = 1e-12)
  })
}

# The number of a matrix's elements is each series' own.
test_that("means of matrices with a row for each round are those of each series", {
  f <- function(y, a, s) {
    M <- matrix(0.1, length(y), 2)
    h <- 0
    for (t in seq_along(y)) {
      h <- a * h + s * y[t]
      M[t, 1] <- tanh(h)
    }
    h + mean(M)
  }
  expect_series(f, list(y = y, a = 0.4, s = 1.3), "y", c("a", "s"))
})

garch <- function(y, om, al, be) {
  h <- numeric(length(y))
  h[1] <- var(y)
  for (t in 2:length(y)) h[t] <- om + al * y[t - 1]^2 + be * h[t - 1]
  sum(dnorm(y, 0, sqrt(h), log = TRUE))
}

test_that("GARCH(1,1) of series of several lengths, in any order of rows", {
  expect_series(garch, list(y = y, om = 0.1, al = 0.1, be = 0.8), "y", c("om", "al", "be"))
  rows <- sample(n)
  expect_series(garch, list(y = y[rows], om = 0.1, al = 0.1, be = 0.8), "y", c("om", "al", "be"), by = id[rows])
  codes <- factor(c("c", "a", "e", "b", "d")[id], levels = c("e", "none", "a", "b", "c", "d"))
  f <- opencl_function(garch, reduce = "sum", gradient = c("al", "be"))
  on_each_device(function(device) {
    ours <- f(y, 0.1, 0.1, 0.8, by = codes, device = device)
    expect_identical(names(ours), levels(codes))
    expect_identical(is.na(ours[["none"]]), TRUE)
    expect_identical(attr(ours, "gradient")["none", ], c(al = NA_real_, be = NA_real_))
    expect_equal(ours[["b"]], garch(y[id == 4], 0.1, 0.1, 0.8), tolerance = 1e-12)
  })
})

test_that("numbers that a series begins and ends with, and how long it is", {
  expect_series(function(y, par) {
    ll <- dnorm(y[1], 0, par[2] / sqrt(1 - par[1]^2), log = TRUE)
    for (t in 2:length(y)) ll <- ll + dnorm(y[t], par[1] * y[t - 1], par[2], log = TRUE)
    ll - 0.1 * length(y) + y[length(y)] * par[1]
  }, list(y = y, par = c(0.3, 1.2)), "y", "par")
  expect_series(function(y, a, s) {
    level <- mean(y)
    e <- numeric(length(y))
    for (t in seq_along(y)) {
      e[t] <- y[t] - level
      level <- level + a * e[t]
    }
    -sum(e^2) / s - length(y) * log(s) + level
  }, list(y = y, a = 0.3, s = 2), "y", c("a", "s"))
})

test_that("columns and rows of matrices, products, loops that go back, states", {
  skip_on_cran() # a matter of seconds
  expect_series(function(y, X, b, r) {
    mu <- drop(X %*% b)
    e <- 0
    ll <- 0
    for (t in seq_along(y)) {
      e <- y[t] - mu[t] - r * e
      ll <- ll + dnorm(e, X[t, 2], 1, log = TRUE)
    }
    ll
  }, list(y = y, X = X, b = c(0.2, -0.3), r = 0.4), c("y", "X"), c("b", "r"))
  expect_series(function(y, x, a, b) {
    s <- 0
    for (t in length(y):1) s <- a * s + if (y[t] > 0.1) b * x[t] else b^2
    s
  }, list(y = y, x = x, a = 0.4, b = 1.3), c("y", "x"), c("a", "b"))
  expect_series(function(y, l1, l2, p) {
    G <- matrix(c(plogis(p), 1 - plogis(p), 0.3, 0.7), 2, byrow = TRUE)
    a <- c(0.5, 0.5)
    ll <- 0
    for (t in seq_along(y)) {
      a <- (a %*% G) * c(dnorm(y[t], l1, 1), dnorm(y[t], l2, 1))
      ll <- ll + log(sum(a))
      a <- a / sum(a)
    }
    ll
  }, list(y = y, l1 = -0.5, l2 = 0.7, p = 0.4), "y", c("l1", "l2", "p"))
})

test_that("missing values, codes that are missing, series of one row", {
  f <- opencl_function(garch, reduce = "sum", gradient = "be")
  level <- function(y, a) {
    s <- 0
    for (t in seq_along(y)) s <- a * s + y[t]
    s
  }
  g <- opencl_function(level, reduce = "sum", gradient = "a")
  on_each_device(function(device) {
    holes <- replace(id, c(2, 20, 150), NA)
    ours <- f(y, 0.1, 0.1, 0.8, by = holes, device = device)
    known <- vapply(split(y, holes), garch, 0, 0.1, 0.1, 0.8)
    expect_equal(c(ours), known, tolerance = 1e-12, ignore_attr = "gradient")
    some <- replace(y, 14, NA)
    expect_identical(is.na(unname(c(f(some, 0.1, 0.1, 0.8, by = id, device = device)))), c(FALSE, TRUE, FALSE, FALSE, FALSE))
    alone <- c(1, 1, 2, 3, 3)
    ours <- g(y[1:5], 0.5, by = alone, device = device)
    expect_equal(unname(c(ours)), c(level(y[1:2], 0.5), y[3], level(y[4:5], 0.5)), tolerance = 1e-12)
    expect_equal(unname(c(g(y[1:3], 0.5, by = 1:3, device = device))), y[1:3], tolerance = 1e-12)
    expect_equal(unname(c(g(y[1], 0.5, by = 1, device = device))), y[1])
  })
})

test_that("what is resident on a device stays there", {
  codes <- rep(1:70, each = 5)
  z <- round(rnorm(350), 3)
  f <- opencl_function(garch, reduce = "sum", gradient = c("om", "be"))
  known <- vapply(split(z, codes), garch, 0, 0.1, 0.1, 0.8)
  for (device in compiling_devices()) {
    ours <- f(opencl_vector(z, device), 0.1, 0.1, 0.8, by = opencl_vector(codes, device))
    expect_equal(c(ours), known, tolerance = 1e-12, ignore_attr = "gradient")
    expect_identical(attributes(ours), attributes(f(z, 0.1, 0.1, 0.8, by = codes, device = device)))
  }
})

test_that("what is not known for all series is refused", {
  skip_if_not(compiler_here())
  refused <- function(f, message) expect_error(opencl_function(f, reduce = "sum")(y, by = id, device = "0"), message, class = "nmathopencl_error")
  refused(function(y) { s <- 0; if (length(y) > 5) s <- 1; for (t in seq_along(y)) s <- s + y[t]; s }, "`length\\(y\\) > 5` differs from series to series")
  refused(function(y) { s <- max(y); for (t in seq_along(y)) s <- s + y[t]; s }, "sum\\(\\) and mean\\(\\)")
  refused(function(y) { s <- 0; for (t in 2:length(y)) s <- s + y[-1][t - 1]; s }, "as y\\[-1\\]")
  expect_error(opencl_function(garch, reduce = "sum")(y, 0.1, 0.1, 0.8, by = 1:3, device = "0"), "no argument is as long|values to be grouped")
})

test_that("functions of one step are added up by levels, as before", {
  level <- rep(1:3, length.out = n)
  on_each_device(function(device) {
    f <- opencl_function(function(X, b) X[, 2] * b, reduce = "max")
    expect_equal(f(X, 2, by = level, device = device), vapply(split(x * 2, level), max, 0), tolerance = 1e-12)
    g <- opencl_function(function(y, x) (y - mean(y)) * x, reduce = "sum")
    known <- vapply(split(seq_along(y), level), function(rows) sum((y[rows] - mean(y[rows])) * x[rows]), 0)
    expect_equal(g(y, x, by = level, device = device), known, tolerance = 1e-12)
    u <- c(0.5, 1, 2)
    h <- opencl_function(function(y, g, u, s) y * u[g] * s, reduce = "sum", gradient = "s")
    known <- vapply(split(y * u[level], id), sum, 0)
    ours <- h(y, level, u, 2, by = id, device = device)
    expect_equal(c(ours), 2 * known, tolerance = 1e-12, ignore_attr = "gradient")
    expect_equal(attr(ours, "gradient")[, "s"], known, tolerance = 1e-12)
  })
})

test_that("with data, and when it was saved", {
  for (device in compiling_devices()) {
    f <- opencl_function(garch, reduce = "sum", gradient = c("om", "be"), data = list(y = y))
    ours <- f(om = 0.1, al = 0.1, be = 0.8, by = id, device = device)
    expect_equal(c(ours), vapply(split(y, id), garch, 0, 0.1, 0.1, 0.8), tolerance = 1e-12, ignore_attr = "gradient")
    file <- tempfile()
    saveRDS(f, file)
    expect_equal(readRDS(file)(om = 0.1, al = 0.1, be = 0.8, by = id, device = device), ours, tolerance = 1e-12)
    expect_identical(unname(f(om = 0.1, al = 0.1, be = 0.8, by = rep(1:2, c(0, n)) * NA, device = device)), numeric())
  }
})

# ---- one number read by its place, one series, warnings

differences_of <- function(f, at) {
  vapply(seq_along(at), function(k) {
    step <- function(h) f(replace(at, k, at[k] + h))
    (step(1e-5) - step(-1e-5)) / 2e-5
  }, 0)
}

test_that("p[1] of one number has its gradient by series", {
  set.seed(11)
  y <- rnorm(12)
  by <- rep(1:3, 4)
  functions <- list(
    square = function(y, p) sum((y - p[1])^2),
    mean = function(y, p) sum((y - mean(y) * p[1])^2) / length(y),
    loop = function(y, p) {
      s <- 0
      for (t in seq_along(y)) s <- 0.5 * s + p[1] * y[t]
      s
    }
  )
  for (device in c("host", opencl_test_devices())) for (name in names(functions)) {
    f <- functions[[name]]
    ours <- opencl_function(f, reduce = "sum", gradient = "p")
    for (turn in 1:3) {
      came <- ours(y, 0.4, by = by, device = device)
      slopes <- vapply(split(y, by), function(y) differences_of(function(p) f(y, p), 0.4), 0)
      expect_equal(unname(attr(came, "gradient")[, 1L]), unname(slopes), tolerance = 1e-6, label = paste(name, device))
    }
    named <- opencl_function(function(y, p) sum((y - p["a"])^2), reduce = "sum", gradient = "p")
    expect_equal(unname(attr(named(y, c(a = 0.4), by = by, device = device), "gradient")[, 1L]), unname(vapply(split(y, by), function(y) sum(2 * (0.4 - y)), 0)))
  }
})

test_that("of one series the function is that of all rows", {
  set.seed(12)
  y <- rnorm(12)
  f <- function(y, a) {
    h <- rep(a, length(y))
    for (t in 2:length(y)) h[t] <- 0.5 * h[t - 1] + y[t]
    sum(h * h)
  }
  for (device in c("host", opencl_test_devices())) {
    ours <- opencl_function(f, reduce = "sum", gradient = "a")
    for (by in list(rep(1L, 12), factor(rep("b", 12), c("a", "b")), replace(rep(1L, 12), 3L, NA))) {
      rows <- !is.na(by)
      for (turn in 1:2) {
        came <- ours(y, 0.4, by = by, device = device)
        last <- length(came)
        expect_equal(unname(c(came)[last]), f(y[rows], 0.4), tolerance = 1e-12)
        expect_equal(unname(attr(came, "gradient")[last, 1L]), differences_of(function(a) f(y[rows], a), 0.4), tolerance = 1e-6)
        expect_identical(dimnames(attr(came, "gradient")), list(if (is.factor(by)) c("a", "b") else "1", "a"))
        expect_named(came, if (is.factor(by)) c("a", "b") else "1")
      }
    }
  }
})

test_that("a loop that warns has R's values and warnings by series, with a gradient, too", {
  y <- c(-1, 2, -3, 0.5, 1, 2, 3, -9, 1, 1)
  by <- rep(1:2, 5)
  f <- function(y, p) {
    s <- 0
    a <- p[1]
    for (t in seq_along(y)) {
      a <- a * 0.9 + p[2] * y[t]
      s <- s + log(a)
    }
    s
  }
  for (device in c("host", opencl_test_devices())) {
    ours <- opencl_function(f, reduce = "sum", gradient = "p")
    for (turn in 1:2) {
      reported <- character()
      came <- withCallingHandlers(ours(y, c(-1, 0.1), by = by, device = device), warning = function(w) {
        reported <<- c(reported, conditionMessage(w))
        invokeRestart("muffleWarning")
      })
      expect_identical(unique(reported), "NaNs produced")
      expect_identical(unname(is.nan(c(came))), c(TRUE, TRUE))
      expect_equal(unname(c(ours(abs(y), c(1, 0.1), by = by, device = device))), unname(vapply(split(abs(y), by), f, 0, c(1, 0.1))), tolerance = 1e-12)
    }
  }
})

test_that("a branch of ifelse() warns of the series that take it alone", {
  y <- c(-1, 2, -3, 0.5)
  by <- c(1L, 2L, 1L, 2L)
  texts <- function(code) {
    reported <- character()
    withCallingHandlers(code, warning = function(w) {
      reported <<- c(reported, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    reported
  }
  f <- function(y, s) sum(ifelse(y > s, sqrt(y), 0))
  g <- function(y, s) {
    m <- sum(y)
    ifelse(m > s, log(m), 1)
  }
  for (device in c("host", opencl_test_devices())) for (one in list(f, g)) {
    ours <- opencl_function(one, reduce = "sum")
    for (s in c(5, 0, -5, NA)) for (turn in 1:2) {
      want <- texts(value <- vapply(split(y, by), one, 0, s))
      expect_identical(texts(came <- ours(y, s, by = by, device = device)), want)
      expect_equal(unname(came), unname(value), tolerance = 1e-13)
    }
  }
})

test_that("without a loop, what no kernel computes for all series is a call for each", {
  cuts <- function(y, x, b, th) {
    cp <- c(-Inf, cumsum(th), Inf)
    log(pnorm(cp[y + 1] - b * x) - pnorm(cp[y] - b * x))
  }
  class <- sample(3L, n, TRUE)
  expect_series(cuts, list(y = class, x = x, b = 0.3, th = c(-0.5, 1)), c("y", "x"), c("b", "th"))
  expect_series(cuts, list(y = class, x = x, b = 0.3, th = c(-0.5, 1)), c("y", "x"), c("b", "th"), by = sample(id))
  expect_series(function(y, x, b, th) log(pnorm(th[y + 1] - b * x) - pnorm(th[y] - b * x)), list(y = class, x = x, b = 0.3, th = c(-9, -0.5, 0.4, 9)), c("y", "x"), c("b", "th"))
  expect_series(function(y, m) sum((y[-1] - m) * (y[-length(y)] - m)), list(y = y, m = 0.1), "y", "m")
  expect_series(function(y, m) max(y * m) + sum(cumsum(y) * m), list(y = y, m = 0.1), "y", "m")
  made <- opencl_function(cuts, reduce = "sum", gradient = c("b", "th"), data = list(y = class, x = x))
  levels <- replace(id, 1:4, NA)
  known <- tapply(cuts(class, x, 0.3, c(-0.5, 1)), levels, sum)
  on_each_device(function(device) for (turn in 1:2) {
    expect_equal(c(made(b = 0.3, th = c(-0.5, 1), by = levels, device = device)), c(known), tolerance = 1e-12, ignore_attr = "gradient")
    many <- made(over = list(b = c(0.3, 0.3)), th = c(-0.5, 1), by = levels, device = device)
    expect_equal(unname(c(many)), rep(unname(c(known)), 2L), tolerance = 1e-12)
  })
})

test_that("variables that are as long as the rows are cut into the series' pieces, as arguments are", {
  p <- 0.3
  of_loop <- function(m) {
    s <- 0
    for (t in seq_along(y)) s <- s * p + dnorm(y[t], m, 1, log = TRUE)
    s
  }
  of_sums <- function(m) sum((y[-1] - m) * (y[-length(y)] - m * p))
  for (f in list(of_loop, of_sums)) {
    known <- vapply(split(y, id), function(y) {
      environment(f) <- list2env(list(y = y), parent = environment())
      f(0.2)
    }, 0)
    up <- vapply(split(y, id), function(y) {
      environment(f) <- list2env(list(y = y), parent = environment())
      (f(0.2 + 1e-5) - f(0.2 - 1e-5)) / 2e-5
    }, 0)
    on_each_device(function(device) {
      expect_equal(opencl_function(f, reduce = "sum")(0.2, by = id, device = device), known, tolerance = 1e-12)
      made <- opencl_function(f, reduce = "sum", gradient = "m")
      for (turn in 1:2) {
        ours <- made(0.2, by = id, device = device)
        expect_equal(c(ours), known, tolerance = 1e-12, ignore_attr = "gradient")
        expect_equal(attr(ours, "gradient")[, "m"], up, tolerance = 1e-7)
      }
    })
  }
  columns <- list(y = y)
  of_list <- opencl_function(function(m) sum((columns$y[-1] - m) * (columns$y[-length(y)] - m * p)), reduce = "sum")
  of_helper <- opencl_function(function(m) of_sums(m), reduce = "sum")
  on_each_device(function(device) {
    expect_equal(of_list(0.2, by = id, device = device), known, tolerance = 1e-12)
    expect_error(of_helper(0.2, by = id, device = device), "`y` is as long as `by`, and is not an argument", fixed = TRUE, class = "nmathopencl_error")
  })
})

test_that("what R computes of nothing that has rows is the same for each series, and slopes are those in what all share", {
  level <- function(y, par) sum((y - par[1])^2) * det(diag(2) * par[2]^2 + 0.5) + sum(solve(diag(par[2:3]^2 + 1))) * mean(y)
  values <- list(y = y, par = c(0.3, 0.8, -0.4))
  expect_series(level, values, "y", "par")
  on_each_device(function(device) {
    f <- opencl_function(function(y, s) sum(y) * s * sum(solve(diag(3))), reduce = "sum")
    expect_error(f(1:3 + 0.5, 2, by = c(1, 2, 1), device = device), "is computed of all rows", class = "nmathopencl_error") # three rows, too
    expect_equal(c(f(1:4 + 0.5, 2, by = c(1, 2, 1, 2), device = device)), c(`1` = 30, `2` = 42))
    for (by in list(c(1, 2, 1, 2), c(1, 2, 2, 2), c(1, 1, NA, 1))) {
      expect_error(
        opencl_function(function(y, s) sum((y - mean(y))^2) * s, reduce = "sum", gradient = c("s", "y"))(1:4 + 0.5, 2, by = by, device = device),
        "`y` is in `gradient` and has an element for each row", class = "nmathopencl_error"
      )
    }
    whole <- opencl_function(function(y, s) sum(y^2) * s, reduce = "sum", gradient = "y")(1:4 + 0.5, 2, by = rep(1, 4), device = device)
    expect_equal(c(attr(whole, "gradient")), 4 * (1:4 + 0.5))
  })
})
