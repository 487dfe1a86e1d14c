# Parts of data frames that R makes before the launch, against plain R.

unoptimized_programs()

rows <- data.frame(y = c(1, 2, 0, 3, 5, 2), x = c(0.1, -0.4, 2, 1, NA, 0.3), g = factor(c("a", "b", "a", "b", "a", "b")), w = 1:6)
term <- function(y, x, par) sum(dpois(y, exp(par[1] + par[2] * x), log = TRUE))

# Each of an argument `d`.
cases <- list(
  which_rows = function(par, d) {
    e <- d[which(d$x > 0), ]
    term(e$y, e$x, par)
  },
  subset = function(par, d) {
    e <- subset(d, x > 0)
    term(e$y, e[["x"]], par)
  },
  by_local = function(par, d) {
    k <- 0.2
    e <- subset(d, x > k, select = c(y, x))
    term(e$y, e$x, par) * length(e$y)
  },
  own_name = function(par, d) {
    d <- na.omit(d)
    d <- d[d$x > 0, ]
    term(d$y, d$x, par) * nrow(d)
  },
  with = function(par, d) with(subset(d, x > 0 & w > 1), {
    eta <- par[1] + par[2] * x
    sum(dpois(y, exp(eta), log = TRUE))
  }),
  direct = function(par, d) term(d[d$w > 1, ]$y, head(d, 10)[["w"]][d$w > 1], par),
  counted = function(par, d) par[1] * nrow(d[d$w > 1, ]) + par[2] * nrow(d[1:2, ]),
  columns = function(par, d) term(d[d$w > 1, "y"], d[, "w"][d$w > 1], par),
  design = function(par, d) {
    X <- model.matrix(~ w, d)
    sum(dpois(d$y, exp(X %*% par), log = TRUE)) * ncol(X)
  },
  design_of_part = function(par, d) {
    e <- subset(d, !is.na(x))
    X <- model.matrix(y ~ x, e)
    sum(dpois(e$y, exp(drop(X[, "x"] * par[2] + par[1])), log = TRUE))
  },
  order = function(par, d) {
    e <- d[order(d$w, decreasing = TRUE), ]
    sum(e$y * seq_along(e$y) * par[1]) + par[2]
  },
  matrix = function(par, d) sum(as.matrix(d[, c("y", "w")]) %*% par),
  groups = function(par, d) {
    e <- subset(d, w > 0)
    sum(sapply(split(e, e$g), function(s) sum(s$y * par[1])^2)) + par[2]
  },
  elements = function(par, d) {
    e <- d[d$w > 0, ]
    sum(sapply(seq_len(nrow(e)), function(i) dpois(e[i, "y"], exp(par[1] + par[2] * e$w[i]), log = TRUE)))
  },
  vector = function(par, d) sum(dpois(subset(d$y, d$x > 0), exp(par[1]), log = TRUE)) + sum(subset(par[2] * d$x, d$x > 0))
)
other <- rbind(rows[6:2, ], rows)
other$y[2] <- 7

same <- function(ours, f, par, d, info) {
  theirs <- f(par, d)
  expect_equal(as.vector(ours), as.vector(theirs), tolerance = 1e-13, info = info)
  expect_identical(names(ours), names(theirs), info = info)
  expect_equal(unname(attr(ours, "gradient")), differences(f, list(par = par, d = d), "par"), tolerance = 1e-6, info = info)
}

test_that("parts of an argument are R's, of each call's own", {
  skip_on_cran() # a matter of seconds
  all_made <- lapply(cases, opencl_function, gradient = "par")
  for (name in names(cases)) for (device in compiling_devices()) {
    made <- all_made[[name]]
    for (k in 1:2) same(made(c(a = 0.1, b = 0.2), list(rows, other)[[k]], device = device), cases[[name]], c(a = 0.1, b = 0.2), list(rows, other)[[k]], paste(name, k))
  }
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  for (name in names(cases)) for (k in 1:2) {
    d <- list(rows, rows[4, ])[[k]]
    same(all_made[[name]](c(0.1, 0.2), d), cases[[name]], c(0.1, 0.2), d, paste(name, k))
  }
})

test_that("so are parts of data frames of one row and of none", {
  for (name in setdiff(names(cases), "groups")) {
    made <- opencl_function(cases[[name]], gradient = "par")
    same(made(c(0.1, 0.2), rows[4, ], device = "host"), cases[[name]], c(0.1, 0.2), rows[4, ], name)
    if (name %in% c("matrix", "elements")) next # sapply() over nothing is a list
    expect_equal(as.vector(made(c(0.1, 0.2), rows[0, ], device = "host")), as.vector(cases[[name]](c(0.1, 0.2), rows[0, ])), info = name)
  }
})

test_that("a variable is what it is now, and data are those that are given", {
  for (name in c("by_local", "own_name", "with", "design_of_part", "elements")) {
    of_variable <- function() NULL
    formals(of_variable) <- alist(par = )
    body(of_variable) <- body(cases[[name]])
    scope <- list2env(list(d = rows), parent = environment(cases[[name]]))
    environment(of_variable) <- scope
    made <- opencl_function(of_variable, gradient = "par")
    for (k in 1:2) {
      scope$d <- list(rows, other)[[k]]
      same(made(c(0.1, 0.2), device = "host"), function(par, d) of_variable(par), c(0.1, 0.2), scope$d, paste(name, k))
    }
    of_data <- opencl_function(cases[[name]], gradient = "par", data = list(d = rows))
    same(of_data(c(0.1, 0.2), device = "host"), cases[[name]], c(0.1, 0.2), rows, name)
    same(of_data(c(0.1, 0.2), d = other, device = "host"), cases[[name]], c(0.1, 0.2), other, name)
  }
})

test_that("Hessians, points and groups have them", {
  f <- cases$design
  made <- opencl_function(f, gradient = "par", hessian = TRUE, data = list(d = rows))
  par <- c(0.1, 0.2)
  slopes <- function(par) attr(made(par, device = "host"), "gradient")
  step <- function(k) 1e-5 * (seq_along(par) == k)
  expect_equal(unname(attr(made(par, device = "host"), "hessian")), sapply(1:2, function(k) unname(slopes(par + step(k)) - slopes(par - step(k))) / 2e-5), tolerance = 1e-6)
  for (device in compiling_devices()) {
    points <- rbind(par, c(-0.3, 0.1))
    expect_equal(as.vector(made(over = points, device = device)), c(f(points[1, ], rows), f(points[2, ], rows)), tolerance = 1e-13)
    terms <- opencl_function(function(par, d) {
      e <- subset(d, !is.na(x))
      dpois(e$y, exp(par[1] + par[2] * e$x), log = TRUE)
    }, reduce = "sum", gradient = "par")
    expect_error(terms(par, rows, by = c(1, 2, 2, 1, 1), device = device), "computed of all rows", class = "nmathopencl_error")
  }
})

test_that("names are columns first, as in R", {
  x <- c(10, 20)
  k <- 1
  f <- function(par, d) {
    y <- 100 # no column's
    e <- subset(d, y > k)
    z <- model.matrix(~ y + k, d)
    with(d[d$w > 2, ], sum(y * par[1])) + sum(e$y) * par[2] + sum(z) * par[1] + y
  }
  made <- opencl_function(f, gradient = "par")
  frame <- rows[c("y", "w")]
  expect_error(f(c(1, 2), frame), "variable lengths") # k is the variable
  expect_error(made(c(1, 2), frame), "variable lengths")
  frame$k <- 6:1
  same(made(c(1, 2), frame), f, c(1, 2), frame, "columns")
  of_x <- opencl_function(function(par, x) sum(model.matrix(~ x)[, "x"] * par), gradient = "par", data = list(x = x))
  expect_equal(as.vector(of_x(2)), 60)
  either <- function(par, d, x) sum(subset(d, x > 0)$y) * par
  both <- opencl_function(either, gradient = "par", data = list(d = rows, x = -1)) # the column hides the other one
  expect_equal(as.vector(both(1)), either(1, rows, -1))
  expect_equal(as.vector(both(1, d = data.frame(y = 1:2))), 0)
})

test_that("parts by what has a gradient, and whole data frames, are refused", {
  refused <- function(f, text) expect_error(opencl_function(f, gradient = "par")(c(0.4, 0.3), rows), text, class = "nmathopencl_error")
  refused(function(par, d) {
    e <- d[d$w > par[1], ]
    sum(e$y) * par[1]
  }, "before the launch")
  refused(function(par, d) sum(subset(d, w > par[1])$y) * par[1], "no column `par`")
  refused(function(par, d) {
    m <- par[1] * 2
    sum(subset(d, w > m)$y) * par[1]
  }, "before the launch")
  refused(function(par, d) {
    e <- subset(d, w > 2)
    sum(e) + sum(e$y) * par[1]
  }, "reads its columns")
  own <- function(v) v > 2
  refused(function(par, d) sum(subset(d, own(w))$y) * par[1], "before the launch")
})

test_that("X[, name] is of a matrix where that lies, and of a data frame, call by call", {
  X <- cbind(a = c(1.5, 2, 3), b = c(0, 2, 5))
  whole <- cbind(a = 1:4, b = 4:1)
  f <- function(par, X) sum(X[, "a"] * par[1] + X[X[, "b"] > 1, "b"][1] * par[2])
  two <- function(par, X, Z = as.data.frame(whole)) sum(X[, "a"] * par[1] + Z[, "b"][1] * par[2])
  for (device in compiling_devices()) for (first in 0:1) {
    made <- opencl_function(f, gradient = "par")
    of_two <- opencl_function(two, gradient = "par")
    for (k in first + 1:6) {
      given <- list(X, as.data.frame(X), whole, as.data.frame(whole))[[k %% 4 + 1]]
      same(made(c(0.4, 0.3), given, device = device), function(par, d) f(par, d), c(0.4, 0.3), given, k)
      expect_equal(as.vector(of_two(c(0.4, 0.3), X, given, device = device)), two(c(0.4, 0.3), X, given), tolerance = 1e-13)
      expect_equal(as.vector(of_two(c(0.4, 0.3), given, X, device = device)), two(c(0.4, 0.3), given, X), tolerance = 1e-13)
      expect_equal(as.vector(of_two(c(0.4, 0.3), given, device = device)), two(c(0.4, 0.3), given), tolerance = 1e-13)
    }
    points <- rbind(c(0.4, 0.3), c(1, 2))
    for (given in list(X, as.data.frame(X))) expect_equal(as.vector(made(X = given, over = points, device = device)), c(f(points[1, ], given), f(points[2, ], given)), tolerance = 1e-13)
  }
  column <- opencl_function(function(X, par) X[, "a"] * par)
  there <- opencl_matrix(X, "host")
  made_of <- function(expression) vapply(expression$inputs, function(input) is.null(input$value), NA)
  expect_equal(as.vector(column(there, 2)), 2 * X[, "a"])
  expect_equal(column(as.data.frame(X), 2), 2 * X[, "a"])
  expect_true(all(made_of(attr(column, "expression")))) # the program takes the matrix itself
  expect_error(column(list(a = 1), 2), class = "nmathopencl_error")
  expect_error(column(as.data.frame(X)), "\"par\" is missing")
})

test_that("a list whose rows are read as a data frame's is an error, as in R", {
  skip_on_cran() # a matter of seconds
  d <- data.frame(id = c(1, 1, 2, 2, 3), y = c(1, 2.5, -1, 4, 0.5))
  for (f in list(
    function(p, d) { s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; s <- s + sum(e$y) * p }; s },
    function(p, d) { s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; a <- 0; for (t in seq_len(nrow(e))) a <- p * a + e$y[t]; s <- s + a }; s },
    function(p, d) sum(sapply(split(d, d$id), function(e) { a <- 0; for (t in seq_len(nrow(e))) a <- p * a + e$y[t]; a })),
    function(p, d) sum(sapply(unique(d$id), function(i) { e <- d[d$id == i, ]; a <- 0; for (t in seq_len(nrow(e))) a <- p * a + e$y[t]; a })),
    function(p, d) sum(d[d$id == 1, "y"] * p)
  )) for (compiled in c(TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
    made <- opencl_function(f)
    for (turn in 1:2) {
      expect_equal(made(0.5, d, device = "0"), f(0.5, d), tolerance = 1e-13)
      expect_error(made(0.5, as.list(d), device = "0"), "is a list and no data frame", fixed = TRUE)
    }
    expect_error(opencl_function(f, data = list(d = as.list(d)))(0.5, device = "0"), "is a list and no data frame", fixed = TRUE)
    options(old)
  }
})
