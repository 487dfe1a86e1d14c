# Codes that are missing or beyond the end, and missing numbers: rows, loops, points and series, first and second calls. A value that is
# missing says nothing of the gradient beside it.

unoptimized_programs()

n <- 12L
y <- round(stats::qnorm(stats::ppoints(n)), 2)
g <- rep(1:3, 4)
id <- rep(1:2, 6)
u <- c(0.4, -0.3, 1.1)

missing_functions <- list(
  function(u, g) sum(u[g] * y),
  function(u, g) sum(dnorm(y, exp(u[1]) + u[g], 1, log = TRUE)),
  function(u, g) median(u[g] + y),
  function(u, g) { s <- 0; for (i in seq_along(g)) s <- 0.5 * s + u[g[i]] * y[i]; s },
  function(u, g) sum(ifelse(is.na(u[g]), 2 * u[1], u[g] * y)),
  function(u, g) sum(u[g] * y, na.rm = TRUE) + max(u[g], na.rm = TRUE)
)

# Value and gradient of each call, and R's.
expect_missing_as_r <- function(made, f, u, g, device) {
  plain <- f(u, g)
  slopes <- if (!is.na(plain)) unname(differences(function(u) f(u, g), list(u = u), "u"))
  told <- paste(deparse1(body(f)), deparse1(g), deparse1(u), device)
  for (turn in 1:2) {
    ours <- made(u, g, device = if (device == "plain") "0" else device)
    expect_equal(as.vector(ours), plain, tolerance = 1e-12, info = told)
    if (is.na(plain)) next
    of <- which(!is.na(u)) # a difference in a missing number says nothing
    expect_equal(unname(attr(ours, "gradient"))[of], slopes[of], tolerance = 1e-6, info = told)
  }
}

test_that("a missing code, one beyond the end and a missing number have R's value, and its slopes where that is none of the missing", {
  for (f in missing_functions) for (device in c(compiling_devices(), "plain")) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    made <- opencl_function(f, gradient = "u")
    tryCatch(for (codes in list(g, replace(g, 5, 4L), replace(g, c(2, 7), NA), replace(g, 2, 9L))) {
      expect_missing_as_r(made, f, u, codes, device)
      if (!anyNA(codes)) expect_missing_as_r(made, f, replace(u, 2, NA), codes, device)
    }, finally = options(old))
  }
})

test_that("so at points, and with `by`", {
  U <- rbind(u, c(0.2, NA, 0.1), -u)
  for (f in missing_functions[1:4]) {
    made <- opencl_function(f, gradient = "u")
    for (device in compiling_devices()) for (codes in list(g, replace(g, 5, 4L))) for (turn in 1:2) {
      ours <- made(g = codes, over = list(u = U), device = device)
      one <- lapply(1:3, function(k) made(U[k, ], codes, device = device))
      expect_equal(as.vector(ours), vapply(one, as.vector, 0), tolerance = 1e-12)
      expect_equal(unname(attr(ours, "gradient")), unname(do.call(rbind, lapply(one, attr, "gradient"))), tolerance = 1e-10)
      expect_identical(unname(is.na(ours)), c(anyNA(f(u, codes)), TRUE, anyNA(f(u, codes))))
    }
  }
  rows <- opencl_function(function(y, g, u) dnorm(y, u[g], 1, log = TRUE) + u[1], gradient = "u", reduce = "sum")
  plain <- function(y, g, u) sum(dnorm(y, u[g], 1, log = TRUE) + u[1])
  for (device in c(compiling_devices(), "plain")) for (turn in 1:2) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    codes <- replace(g, 5, 4L) # of the first series
    made <- tryCatch(rows(y, codes, u, by = id, device = if (device == "plain") "0" else device), finally = options(old))
    expect_equal(unname(is.na(made)), c(TRUE, FALSE))
    expect_equal(unname(attr(made, "gradient")[2L, ]), unname(differences(function(u) plain(y[id == 2], g[id == 2], u), list(u = u), "u")), tolerance = 1e-6)
  }
})

test_that("a missing row that adds to a slope adds what it would have added, unless it is left out", {
  for (device in c(compiling_devices(), "plain")) for (na_rm in c(FALSE, TRUE)) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    f <- opencl_function(function(y, a) y + a, reduce = "sum", na.rm = na_rm, gradient = "a")
    for (turn in 1:3) {
      made <- tryCatch(f(c(1, NA, 3), 2, device = if (device == "plain") "0" else device), finally = options(old))
      expect_identical(c(unname(attr(made, "gradient"))), if (na_rm) 2 else 3, info = device)
      expect_equal(unname(attr(f(c(1, 2, 3), 2, device = if (device == "plain") "0" else device), "gradient")), 3)
    }
  }
})
