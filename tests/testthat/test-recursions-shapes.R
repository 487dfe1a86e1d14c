# Vectors that the rounds of a loop over data make rows or columns of, which R reads in the next round as matrices.
unoptimized_programs()

y <- round(sin(1:80) * 1.3, 3)
w0 <- c(0.3, 0.7)

# What reads the same whether it is a vector, a row or a column: as in R.
same_whatever_it_is <- list(
  column = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { w <- A %*% w + y[t]; s <- s + sum(w) }; s },
  row = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { w <- w %*% A + y[t]; s <- s + sum(w) }; s },
  inner = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { s <- s + sum(c(1, 2) %*% w); w <- A %*% w + y[t] }; s },
  elements = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { s <- s + w[2] * w[1]; w <- w %*% A + y[t] }; s },
  chosen = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { if (y[t] > 0.5) w <- A %*% w + y[t]; s <- s + w[1] }; s },
  skipped = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { if (y[t] > 0) next; w <- w %*% A + y[t]; s <- s + w[1] }; s },
  after = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); for (t in seq_along(y)) w <- w %*% A + y[t]; sum(c(1, 2) %*% w) },
  rows = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); for (t in seq_along(y)) w <- w %*% A + y[t]; nrow(w) * w[2] },
  in_rounds = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); for (t in seq_along(y)) { v <- A %*% w; w <- drop(v) + y[t] }; sum(c(1, 2) %*% v) },
  matrices = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); P <- diag(2); s <- 0; for (t in seq_along(y)) { if (y[t] > 0) P <- A %*% P + y[t] else P <- t(P); s <- s + sum(P %*% w) }; s }
)

# What does not is refused, where a program would have one reading for all rounds.
differs <- list(
  outer = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { s <- s + sum(c(1, 2) %*% w); w <- w %*% A + y[t] }; s },
  columns = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { s <- s + NCOL(w); w <- w %*% A + y[t] }; s },
  cross = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { s <- s + sum(crossprod(w)); w <- w %*% A + y[t] }; s },
  chosen = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { s <- s + sum(c(1, 2) %*% w); if (y[t] > 0.5) w <- w %*% A + y[t] }; s },
  later = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; v <- w; for (t in seq_along(y)) { s <- s + sum(c(1, 2) %*% v); v <- w; w <- w %*% A + y[t] }; s },
  left = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { if (y[t] > 1.2) break; w <- w %*% A + y[t]; s <- s + w[1] }; s + sum(c(1, 2) %*% w) },
  left_at_once = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { if (y[t] > -20) break; w <- w %*% A + y[t]; s <- s + w[1] }; s + sum(c(1, 2) %*% w) },
  skipped = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { if (y[t] > 0) next; w <- w %*% A + y[t]; s <- s + w[1] }; s + sum(c(1, 2) %*% w) },
  in_rounds = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { v <- if (y[t] > 0) w %*% A else w; s <- s + sum(c(1, 2) %*% v) }; s },
  last_round = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { v <- if (y[t] > 0) w %*% A else w; s <- s + v[1] }; s + sum(c(1, 2) %*% v) },
  turned = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); for (t in seq_along(y)) { v <- t(w); w <- w %*% A + y[t] }; nrow(v) * w[1] },
  carried = function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); P <- matrix(1, 1, 2); s <- 0; for (t in seq_along(y)) { s <- s + nrow(P); P <- t(w); w <- w %*% A + y[t] }; s }
)

test_that("a vector that becomes a row or a column is what R makes of it", {
  for (name in names(same_whatever_it_is)) for (device in compiling_devices()) {
    f <- same_whatever_it_is[[name]]
    expect_equal(c(opencl_function(f)(y, w0, device = device)), c(f(y, w0)), tolerance = 1e-12, label = paste(name, device))
    g <- opencl_function(f, gradient = "w")(y, w0, device = device)
    expect_equal(as.vector(attr(g, "gradient")), as.vector(difference_columns(function(w) f(y, w), w0)), tolerance = 1e-6, label = paste(name, device, "gradient"))
  }
})

test_that("where it makes a difference it is refused, and R computes it without a compiler", {
  skip_without_compiler()
  for (name in names(differs)) {
    f <- differs[[name]]
    expect_error(opencl_function(f)(y, w0, device = "host"), "is a vector (in one round and|or) a matrix.*by matrix\\(\\).*by drop\\(\\)", label = name)
  }
  falls <- function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { w <- t(A %*% w); s <- s + w[1] }; s }
  expect_error(falls(y, w0), "non-conformable")
  expect_error(opencl_function(falls)(y, w0, device = "host"), "where R finds: .*non-conformable")
  other_sides <- function(y, w) { A <- matrix(c(.5, .1, .2, .3), 2); s <- 0; for (t in seq_along(y)) { v <- A %*% w; s <- s + sum(v * (c(1, 2) %*% w)) }; s }
  expect_error(other_sides(y, w0), "non-conformable arrays")
  expect_error(opencl_function(other_sides)(y, w0, device = "host"), "non-conformable arrays")
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (name in names(differs)) expect_equal(opencl_function(differs[[name]])(y, w0, device = "host"), differs[[name]](y, w0), label = name)
})

test_that("a product with a matrix that is an argument is not a constant of a loop", {
  skip_without_compiler()
  A <- matrix(c(.5, .1, .2, .3), 2)
  for (f in list(
    function(y, A, w) { for (t in seq_along(y)) w <- A %*% w + y[t]; sum(w) },
    function(y, A, w) { s <- 0; for (t in 1:70) { w <- drop(A %*% w); s <- s + w[1] }; s }
  )) expect_error(opencl_function(f)(y, A, w0, device = "host"), "products with matrices that are arguments")
})
