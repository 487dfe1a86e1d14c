# Names and dimensions of what is made of matrices: cbind(), rbind(), outer(), parts, sums, t(), sweep(), and what is assigned to.

unoptimized_programs()

# What a call gives: its value without digits that depend on the order of sums, or "error".
shape_of <- function(code) {
  value <- tryCatch(suppressWarnings(code), error = function(e) if (grepl("nmathopencl_limits", conditionMessage(e))) "limit" else "error")
  if (is.numeric(value)) value[] <- signif(value, 9)
  value
}

test_that("random functions of named vectors and matrices have R's names, dimensions and types", {
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
    on_each_device(function(device) for (args in calls) {
      if (device != "0" && case > 25L) next
      rs <- shape_of(do.call(f, args))
      ours <- shape_of(do.call(g, c(args, device = device)))
      if (identical(ours, "limit")) limits <<- limits + 1 else if (identical(rs, "error")) expect_identical(ours, "error", label = label) else expect_identical(ours, rs, label = label)
    })
  })
  expect_lt(limits, cases)
})
