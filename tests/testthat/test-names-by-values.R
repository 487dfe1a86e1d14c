# Names of elements that values choose, v[order(v)], at a first call and at later ones of the same program, with vectors on a device, too.

unoptimized_programs()

expect_names_of_r <- function(f, calls, resident = FALSE, device = "host") {
  made <- opencl_function(f)
  for (given in calls) {
    theirs <- do.call(f, given)
    if (resident) given <- lapply(given, opencl_vector, device = device)
    ours <- do.call(made, c(given, device = device))
    info <- paste(deparse1(f), deparse1(given))
    expect_identical(names(ours), names(theirs), info = info)
    expect_equal(as.vector(ours), as.vector(theirs), tolerance = 1e-14, info = info)
    expect_identical(typeof(as.vector(ours)), typeof(theirs), info = info)
  }
}

vectors <- list(list(c(a = 1, b = 2, c = 3)), list(c(a = 3, b = 1, c = 0)), list(c(x = 1, y = 3, z = 2)), list(c(1, 2, 3)), list(c(a = 2, b = NA, c = 1)))

test_that("a number has the name that its own call chooses", {
  for (f in list(function(v) v[order(v)][1], function(v) v[match(1, v)], function(v) head(v[v > 1], 1))) expect_names_of_r(f, vectors)
})

test_that("elements that a test chooses keep their names", {
  for (f in list(function(v) v[v > 1], function(v) (v * 2)[v > 1])) expect_names_of_r(f, vectors)
  counted <- function(v, k) rep(v, k)
  expect_names_of_r(counted, list(list(c(a = 1, b = 2), 1:2), list(c(a = 1, b = 2), 2:1), list(c(1, 2), 1:2)))
})

test_that("places on a device choose names", {
  chosen <- function(v, i) v[i]
  for (f in list(chosen, function(v, i) sum(v) + v[i][1])) {
    expect_names_of_r(f, list(list(c(a = 1, b = 2, c = 3), c(2L, 1L)), list(c(a = 1, b = 2, c = 3), c(3L, 3L))), resident = TRUE)
  }
})

test_that("cumprod() gives doubles and keeps names", {
  expect_names_of_r(function(v) cumprod(v), c(vectors, list(list(3L), list(c(a = TRUE)), list(c(a = 2L, b = 3L)), list(integer()))))
})

test_that("a test that is a matrix of two columns is none of places", {
  positive <- function(M) M[M > 0]
  made <- opencl_function(function(X) sum(positive(X)))
  X <- cbind(c(0.25, 2), c(1, 3))
  if (compiler_here()) expect_error(made(X), class = "nmathopencl_error") # which took X[1, 1] twice
  expect_equal(opencl_function(function(X) sum(X[X > 0]))(X), 6.25)
})

test_that("the slopes of a determinant are there where a column is 0", {
  f <- function(par) det(matrix(c(par[1] + 1, par[2], 1, 2), 2) + matrix(c(0, 0, par[2], 1), 2))
  g <- function(par) det(matrix(c(par[1] + 1, par[2], par[2] * 2, 1, 2, 3.5, 4, -1, 2), 3))
  h <- function(par) det(matrix(c(2, 1, 4, par[1] + 1, (par[1] + 1) / 2, 2 * (par[1] + 1) + par[2], 4, -1, 2), 3)) # where the second pivot is 0
  par <- c(-1, 0)
  for (one in list(f, g, h)) {
    ours <- opencl_function(one, gradient = "par")(par, device = "host")
    expect_identical(as.vector(ours), 0)
    expect_equal(unname(attr(ours, "gradient")), differences(one, list(par = par), "par"), tolerance = 1e-7)
  }
})
