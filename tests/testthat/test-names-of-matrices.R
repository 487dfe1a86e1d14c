# Names and dimensions of what is made of matrices: cbind(), rbind(), outer(), parts, sums, t(), sweep(), and what is assigned to.

unoptimized_programs()

# What a call gives: its value without digits that depend on the order of sums, or "error".
shape_of <- function(code) {
  value <- tryCatch(suppressWarnings(code), error = function(e) if (grepl("nmathopencl_limits", conditionMessage(e))) "limit" else "error")
  if (is.numeric(value)) value[] <- signif(value, 9)
  value
}

test_that("random functions of named vectors and matrices have R's names, dimensions and types", {
  skip_on_cran() # a matter of seconds
  set.seed(40)
  limits <- 0
  cases <- 120L
  as_one(for (case in seq_len(cases)) {
    n <- sample(c(1L, 2L, 3L, 5L, 70L), 1L, prob = c(1, 3, 3, 3, 1))
    m <- sample(4L, 1L)
    f <- random_named_function(n, m)
    calls <- list(random_named_data(n, m), random_named_data(n, m))
    label <- paste(case, deparse1(f), n, m)
    g <- tryCatch(opencl_function(f), error = function(e) e)
    if (inherits(g, "error")) {
      expect_true(FALSE, label = paste(label, conditionMessage(g)))
      next
    }
    for (way in ways_of(case)) in_way(way, for (args in calls) {
      rs <- shape_of(do.call(f, args))
      ours <- shape_of(do.call(g, c(args, device = device_of_way(way))))
      if (identical(ours, "limit")) limits <- limits + 1 else if (identical(rs, "error")) expect_identical(ours, "error", label = label) else expect_identical(ours, rs, label = label)
    })
  })
  expect_lt(limits, cases)
})

test_that("products have the names of the rows of the left side and of the columns of the right one, at each call", {
  functions <- list(
    function(X, b) X[1:2, ] %*% b, function(X, b) drop(X[-1, ] %*% b), function(X, b) (X * 2) %*% b, function(X, b) exp(X) %*% cbind(v = b, b), function(X, b) X %*% t(X),
    function(X, b) b %*% t(X), function(X, b) X[order(X[, 2]), ] %*% b, function(X, b) X %*% cbind(b, 1), function(X, b) cbind(1, X[, 1]) %*% b, function(X, b) X[1:2, ] %*% t(X[1:2, ]),
    function(X, b) X[X[, 1] > 1, ] %*% b, function(X, b) (X - mean(X)) %*% b,
    function(X, b) X %*% cbind(v = b), function(X, b) exp(X) %*% cbind(b), function(X, b) drop(X %*% cbind(v = b)), function(X, b) (X %*% cbind(v = b))[1:2, ],
    function(X, b) exp(X %*% cbind(v = b)) + 1, function(X, b) t(X %*% cbind(v = b)), function(X, b) rowSums(X %*% cbind(v = b)), function(X, b) X[, 1, drop = FALSE] %*% cbind(v = b[1])
  )
  X <- matrix(c(1, 2, 3, 4, 6, 5), 3L, dimnames = list(c("r1", "r2", "r3"), c("a", "b")))
  matrices <- list(X, unname(X), `rownames<-`(X, c("u", "v", "w")), `colnames<-`(unname(X), c("p", "q")), X)
  for (f in functions) on_each_device(function(device) {
    g <- opencl_function(f)
    for (M in matrices) for (b in list(c(1, -2), c(q = 1, r = -2))) expect_equal(g(M, b, device = device), f(M, b), info = deparse1(f))
  })
})

test_that("a product with a matrix of one column has that column's name and gradient", {
  X <- matrix(c(1, 2, 3, 4, 6, 5), 3L, dimnames = list(c("r1", "r2", "r3"), c("a", "b")))
  for (B in list(cbind(v = c(0.5, 2)), cbind(c(0.5, 2)))) on_each_device(function(device) {
    expect_equal(opencl_function(function(X, B) X %*% B)(X, B, device = device), X %*% B)
    value <- opencl_function(function(X, B) sum((X %*% B - 1)^2), gradient = "B")(X, B, device = device)
    expect_equal(as.vector(value), sum((X %*% B - 1)^2))
    expect_equal(unname(attr(value, "gradient")), as.vector(2 * crossprod(X, X %*% B - 1)))
  })
})
