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
  expect_false(is_call_of(quote(p::f(x)), "f"))
  expect_false(is_call_of(quote(f), "f"))
})

test_that("an expression may be thousands of calls deep", {
  deep <- Reduce(function(so_far, k) call("+", so_far, quote(b)), seq_len(20000), quote(a))
  expect_length(names_read(deep), 20001L)
  expect_identical(assigned_names(deep), character())
})
