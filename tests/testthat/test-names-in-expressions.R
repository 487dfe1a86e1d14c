# Names that passes over a function's body ask for.

test_that("names of expressions are those that are assigned, read, used and called", {
  expr <- quote({
    a <- d$y + x[, 2]
    b[i] <- e@s
    names(a) <- "k"
    f <- function(p, q = g(h)) {
      r <- p
      with(d, v <- r)
    }
    for (j in 1:3) s <- s + f(j)
  })
  expect_identical(assigned_names(expr), c("a", "b", "f", "r", "v", "j", "s"))
  expect_identical(assigned_names(expr, "with"), c("a", "b", "f", "r", "j", "s"))
  expect_identical(functions_assigned(expr), "f")
  expect_identical(inner_names(expr), c("p", "q", "r", "v"))
  expect_identical(arguments_within(expr), c("p", "q"))
  expect_identical(names_read(quote(d$y + (function(z = q) z + w)(u) + x@s)), c("d", "z", "w", "u", "x"))
  expect_identical(names_used(quote(d$y + f(x@s, 2))), c("+", "d", "f", "x"))
  expect_setequal(names_called(expr), c("{", "<-", "+", "$", "[", "@", "names", "function", "g", "with", "for", ":", "f"))
})

test_that("parts that are given are all but the empty ones", {
  expect_identical(given_parts(quote(x[, 2, drop = FALSE])), list(quote(`[`), quote(x), 2, drop = FALSE))
  expect_identical(given_parts(quote(f())), list(quote(f)))
  expect_identical(given_parts(alist(a = , b = 1)), list(b = 1))
  expect_identical(given_parts(list()), list())
  expect_true(is_call_of(quote(f(x)), c("g", "f")))
  expect_false(is_call_of(quote(stats::f(x)), "f"))
  expect_false(is_call_of(quote(f), "f"))
})

test_that("an expression may be 200,000 calls deep", {
  deep <- Reduce(function(so_far, k) call("+", so_far, quote(b)), seq_len(200000), quote(a))
  expect_length(names_read(deep), 200001L)
  expect_identical(assigned_names(deep), character())
})

# R's functions by other names, of the environment: an argument or variable of an inner function that has such a name is its own.
test_that("arguments of inner functions may have the names of aliases", {
  skip_on_cran() # a matter of seconds
  link <- plogis
  add <- pmin
  x <- c(-0.6, 0.2, -0.8, 1.6)
  square <- function(t) t^2
  models <- list(
    function(p) { h <- function(v, link) sum(link(v)); h(x * p, function(t) t^2) + link(p) },
    function(p) { h <- function(v, link) sum(vapply(v, link, 0)); h(x * p, function(t) t^2) + link(p) },
    function(p) { h <- function(v, link) sum(sapply(v, link)); h(x * p, square) + link(p) },
    function(p) { h <- function(v, link) sum(sapply(v, link)); h(x * p, exp) + link(p) },
    function(p) { h <- function(v, link = function(t) t^2) sum(sapply(v, link)); h(x * p) + link(p) },
    function(p) { h <- function(v, link) sum(do.call(link, list(v))); h(x * p, function(t) t^2) + link(p) },
    function(p) { h <- function(v, add) Reduce(add, list(v[1], v[2], v[3])); h(x * p, function(a, b) a * b) + add(p, 0.2) },
    function(p) { h <- function(v, add) sum(mapply(add, v, v)); h(x * p, function(a, b) a * b) + add(p, 0.2) },
    function(p) { h <- function(v) { g <- function(w, link) sum(vapply(w, link, 0)); g(v, function(t) t^2) }; h(x * p) + link(p) },
    function(p) { h <- function(v, link) { s <- 0; for (k in 1:4) s <- s + link(v[k]); s }; h(x * p, function(t) t^2) + link(p) },
    function(p) { h <- function(v) { link <- function(t) t^2; sum(link(v)) }; h(x * p) + link(p) },
    function(p) { h <- function(v, plogis) sum(link(v)) + plogis(1); h(x * p, function(t) t^2) + plogis(p) },
    function(p) { h <- function(v, plogis) sum(plogis(v)); h(x * p, function(t) t^2) + plogis(p) }
  )
  taken <- 0
  for (plain in c(TRUE, FALSE)) for (k in seq_along(models)) {
    old <- options(nmathopencl.compiler = if (plain) FALSE else getOption("nmathopencl.compiler"))
    value <- tryCatch(opencl_function(models[[k]], gradient = "p")(0.7), error = function(e) NULL)
    options(old)
    if (is.null(value)) next
    taken <- taken + 1
    expect_equal(as.vector(value), models[[k]](0.7), tolerance = 1e-12, info = paste(k, plain))
    slope <- (models[[k]](0.7 + 1e-5) - models[[k]](0.7 - 1e-5)) / 2e-5
    expect_equal(as.vector(attr(value, "gradient")), slope, tolerance = 1e-6, info = paste(k, plain))
  }
  expect_gt(taken, 15)
})
