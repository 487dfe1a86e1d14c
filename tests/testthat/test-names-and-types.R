# Names and types that R gives what is put together: c() of named parts, sapply(), vapply(), outer(), sweep().

unoptimized_programs()

# Value, names, dimensions, type and warnings, at calls one after the other, twice each.
expect_wholly_as_r <- function(f, calls) {
  g <- opencl_function(f)
  on_each_device(function(device) for (args in calls) for (turn in 1:2) {
    ours <- outcome_of(do.call(g, c(args, device = device)))
    r <- outcome_of(do.call(f, args))
    label <- paste(deparse1(f), deparse1(args), device)
    if (is.character(r$value)) expect_match(ours$value, "^error", label = label) else expect_identical(ours, r, label = label)
  })
}
hosts_alone()

test_that("c() gives each part the name that it has in the call", {
  named <- c(u = 1, v = 2)
  as_one({
    expect_wholly_as_r(function(x, y) c(a = x * 1, b = sum(y)), list(list(1, 2), list(c(1, 2), 3)))
    expect_wholly_as_r(function(x, y) c(x[1], m = mean(y)), list(list(named, c(3, 4)), list(c(1, 2), c(3, 4))))
    expect_wholly_as_r(function(x, y) c(mean(x), mean(y), u = 3), list(list(named, c(3, 4))))
    expect_wholly_as_r(function(x, y) c(x, mean(y), u = 3), list(list(named, c(3, 4))))
    expect_wholly_as_r(function(x) c(q = mean(x), r = c(x, s = 1)), list(list(named)))
  })
})

test_that("sapply() and vapply() give names and types as R's", {
  named <- c(a = 1, b = 2)
  as_one({
    expect_wholly_as_r(function(x) sapply(x, function(k) k * 2), list(list(named), list(1:3), list(stats::setNames(1:12 / 4, letters[1:12]))))
    expect_wholly_as_r(function(x) sapply(x, function(k) c(q = k)), list(list(named), list(c(1, 2))))
    expect_wholly_as_r(function(x) vapply(x, function(k) k, 0), list(list(named), list(1:3), list(TRUE), list(1:12)))
    expect_wholly_as_r(function(x) vapply(x, function(k) k, 0L), list(list(1:3), list(TRUE), list(c(1, 2))))
    expect_wholly_as_r(function(x) vapply(1:3, function(k) x[k], 0), list(list(c(a = 1, b = 2, d = 3))))
  })
})

test_that("outer() and sweep() of whole numbers are whole numbers, which overflow", {
  most <- .Machine$integer.max
  as_one({
    expect_wholly_as_r(function(x, y) outer(x, y, "-"), list(list(1:2, 1:3), list(c(TRUE, FALSE), 1L), list(c(1, 2), 1L)))
    expect_wholly_as_r(function(x, y) outer(x, y), list(list(1:2, 1:3), list(most, 1:2)))
    expect_wholly_as_r(function(x, y) sweep(x, 2, y, "*"), list(list(matrix(1:4, 2), 1:2), list(matrix(1:4, 2), c(1, 2))))
    for (f in list(function(x, y) outer(x, y, "+"), function(x, y) sweep(matrix(x, 1, 2), 2, y, "*"))) {
      x <- if (length(body(f)) == 4L) most else rep(most, 2)
      on_each_device(function(device) {
        ours <- outcome_of(opencl_function(f)(x, 2:3, device = device))
        r <- outcome_of(f(x, 2:3))
        expect_identical(ours$value, r$value)
        expect_identical(unique(ours$reported), r$reported) # once a column
      })
    }
  })
})
