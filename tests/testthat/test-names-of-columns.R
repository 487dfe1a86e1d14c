# Columns and elements of lists that have the names of arguments or variables in `data`, against plain R.

unoptimized_programs()

d <- data.frame(y = c(1, 2, 3, 4), x = c(0.5, -1, 0.3, 0.8), k = c(TRUE, FALSE, TRUE, TRUE), f = factor(c("a", "b", "a", "b")))
data <- list(d = d, x = c(10, 20, 30, 40), y = c(7, 8), k = c(TRUE, TRUE), f = 3)

cases <- list(
  subset = function(p, d, x, y) sum(subset(d, x > 0)$y) * p,
  assigned = function(p, d, x, y, k) {
    e <- subset(d, x > 0)
    sum(e$y) * p
  },
  rows = function(p, d, k, y) sum(d[d$k, ]$y) * p,
  test = function(p, d, k, y) sum(d$y[d$k]) * p,
  column = function(p, d, k, y) sum(d[d$k, "y"]) * p,
  order = function(p, d, x, y) sum(d$y[order(d$x)] * p * 1:4),
  sort = function(p, d, x, y) sum(sort(d$x)[1:2] * p),
  unique = function(p, d, x) sum(unique(d$x)) * p,
  groups = function(p, d, f, y) sum(tapply(d$y * p, d$f, sum)^2),
  cut = function(p, d, x) sum(cut(d$x, c(-2, 0, 2), labels = FALSE)) * p,
  pieces = function(p, d, x, y) sum(vapply(split(d$y, d$x > 0), sum, 0)^2) * p,
  texts = function(p, d, f) sum((d$f == "a") * p) + f,
  formula = function(p, d, x, y) sum(model.matrix(y ~ x, d) %*% c(p, 1)) + sum(x),
  given = function(p, d, k, y) sum(d$y[which(d$k)] * p) + sum(y)
)

test_that("the columns count where the function says so", {
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (f in cases) {
      values <- data[names(formals(f))[-1]]
      known <- do.call(f, c(list(2), values))
      ours <- opencl_function(f, data = values)
      for (again in 1:2) expect_equal(ours(2), known)
    }
    options(old)
  }
})

test_that("an argument is not asked for where a column has its name", {
  f <- function(p, d, k) sum(d$y * d$k * p)
  expect_equal(opencl_function(f, data = list(d = d))(2), f(2, d))
  expect_equal(opencl_function(f, data = list(d = d))(over = list(p = 1:2)), c(f(1, d), f(2, d)))
})
