# Indices by texts that R makes of arguments and variables, and logical indices that are recycled.

unoptimized_programs()

nm <- c("b2", "a")
X <- cbind(b1 = 1:3, b2 = c(0.5, -1, 2))
helper_of_texts <- function(q) sum(q[paste0("b", 1:2)]^2)
by_names <- function(q, k) sum(q[k] * 2)

of_vector <- list(
  made = function(par) sum(par[paste0("b", 1:2)]^2 * c(1, 3)),
  variable = function(par) sum(par[nm] * c(1, 3)),
  with_others = function(par) sum(par[c("a", nm)]) * par["b1"],
  columns = function(par) sum(X %*% par[colnames(X)]),
  assigned = function(par) {
    wanted <- paste0("b", 2:1)
    b <- par[wanted]
    sum(b * c(1, 3))
  },
  left = function(par) sum(par[setdiff(names(par), "a")]^2),
  found = function(par) sum(par[grep("^b", names(par))]^2),
  helpers = function(par) helper_of_texts(par) + by_names(par, nm) + by_names(par, "a"),
  rounds = function(par) {
    s <- 0
    for (j in 1:2) s <- s + j * par[[paste0("b", j)]]
    s
  },
  each = function(par) sum(sapply(1:2, function(j) par[paste0("b", j)]^j)),
  of_list = function(par) with(as.list(par), a * sum(par[paste0("b", 1:2)]))
)

test_that("texts choose elements", {
  check <- function(device = "auto") {
    for (name in names(of_vector)) {
      f <- of_vector[[name]]
      made <- opencl_function(f, gradient = "par")
      for (par in list(c(a = 1, b1 = 2, b2 = 4), c(b2 = 0.5, b1 = -1, a = 3, z = 7)[if (name %in% c("left", "found")) 1:3 else 1:4])) {
        ours <- made(par, device = device)
        expect_equal(as.vector(ours), as.vector(f(par)), tolerance = 1e-13, info = name)
        expect_equal(unname(attr(ours, "gradient")), differences(f, list(par = par), "par"), tolerance = 1e-6, info = name)
      }
    }
    chosen <- function(par, k) par[k] * 2
    made <- opencl_function(chosen)
    par <- c(a = 1, b1 = 2, b2 = 4)
    for (k in list(c("b2", "a"), "b1", c("a", "a", "b1"))) expect_identical(made(par, k, device = device), chosen(par, k))
    columns <- function(M, k) rowSums(M[, k])
    expect_equal(opencl_function(columns)(X, c("b2", "b1"), device = device), columns(X, c("b2", "b1")))
    expect_equal(opencl_function(columns)(cbind(X, z = 7), c("z", "b1"), device = device), columns(cbind(X, z = 7), c("z", "b1")))
  }
  for (device in compiling_devices()) check(device)
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  check()
})

test_that("a variable with other texts counts at the next call", {
  there <- c("a", "b1")
  f <- function(par) sum(par[there] * c(1, 10))
  made <- opencl_function(f, gradient = "par")
  par <- c(a = 1, b1 = 2, b2 = 4)
  expect_equal(as.vector(made(par)), 21)
  there <- c("b2", "a")
  expect_equal(as.vector(made(par)), 14)
  expect_equal(unname(attr(made(par), "gradient")), c(10, 0, 1))
  there <- "z"
  expect_error(made(par), "no element of that name", class = "nmathopencl_error")
})

test_that("a logical index that is shorter is recycled", {
  y <- c(u = 1, v = -2, w = 3, x = 4, z = 5)
  cases <- list(
    said = function(y, k, a) y[c(TRUE, FALSE)] * a,
    given = function(y, k, a) y[k] * a,
    test = function(y, k, a) y[k == 1] * a
  )
  check <- function(device = "auto") {
    for (name in names(cases)) for (k in list(c(TRUE, FALSE), c(FALSE, TRUE, TRUE), c(TRUE, NA), TRUE, c(TRUE, TRUE, FALSE, FALSE, TRUE))) {
      f <- cases[[name]]
      made <- opencl_function(f)
      expect_identical(made(y, k, 2, device = device), f(y, k, 2), info = name)
      expect_identical(made(y[1:3], k[1:2], 3, device = device), f(y[1:3], k[1:2], 3), info = name)
    }
    in_sum <- function(par, k) sum(par[k]^2)
    ours <- opencl_function(in_sum, gradient = "par")(y, c(TRUE, FALSE), device = device)
    expect_equal(as.vector(ours), in_sum(y, c(TRUE, FALSE)))
    expect_equal(unname(attr(ours, "gradient")), 2 * unname(y) * c(1, 0, 1, 0, 1))
    rows <- function(M, k) M[k, 2] * 2
    M <- cbind(1:5, 6:10)
    expect_equal(opencl_function(rows)(M, c(FALSE, TRUE), device = device), rows(M, c(FALSE, TRUE)))
  }
  for (device in compiling_devices()) check(device)
  withr_options(list(nmathopencl.compiler = FALSE, nmathopencl.device = "host"), environment())
  check()
})

test_that("so many copies of a named number have its name", {
  f <- function(y, p) rep(c(a = 1), length(y)) * y + rep(p["u"], 100)
  y <- as.double(1:100)
  for (device in compiling_devices()) expect_identical(opencl_function(f)(y, c(u = 2), device = device), f(y, c(u = 2)))
})
