# Functions of each group as values: what sapply(), vapply() and unlist(lapply()) make of one and of several numbers for each group, with R's
# types and names.

unoptimized_programs()

group_functions <- list(
  function(x, g, b) sapply(split(x * b[1], g), function(v) sum(v)),
  function(x, g, b) sapply(split(x, g, drop = TRUE), function(v) c(s = sum(v * b[1]), n = length(v))),
  function(x, g, b) sapply(split(f = g, x), function(v) c(m = sum((v - b[2])^2))),
  function(x, g, b) vapply(split(x, list(g)), function(v) c(sum(v), b[2]), numeric(2)),
  function(x, g, b) vapply(split(x, g), function(v) c(sum(v), b[2] * length(v)), c(first = 0, second = 0)),
  function(x, g, b) vapply(split(x, g), length, 0) + b[1],
  function(x, g, b) vapply(split(x, g), function(v) length(v), 1L),
  function(x, g, b) unlist(lapply(split(x, g), function(v) c(sum(v), b[1], mean(v - b[2])))),
  function(x, g, b) unlist(lapply(split(x, g, drop = TRUE), function(v) c(a = sum(v) * b[1], b = 1, 2))),
  function(x, g, b) unlist(lapply(split(x, g), sum), use.names = FALSE) * b[1],
  function(x, g, b) unlist(lapply(split(x, g), function(v) c(p = sum(v^2) * b[2]))),
  function(x, g, b) unlist(lapply(c(u = 1, v = 2, w = 3), function(k) c(x[k] * b[1], y = k))),
  function(x, g, b) unlist(Map(function(p, q) c(p * b[1], q), x[1:3], x[2:4])),
  function(x, g, b) sum(unlist(lapply(split(x, g), function(v) (v - b[1] * mean(v))^2))),
  function(x, g, b) sum(unlist(lapply(split(x, g, drop = TRUE), function(v) { n <- length(v); dnorm(v, b[1], n, log = TRUE) })))
)

groups_at_random <- function(n, levels) {
  codes <- sample(levels, n, TRUE)
  sample(list(codes, as.integer(codes), letters[codes], factor(codes, levels = c(levels, 99)), factor(letters[codes]), replace(codes, 2, NA), factor(replace(codes, 1, NA)), codes > 2), 1L)[[1L]]
}

numbers_at_random <- function(n) sample(list(round(stats::rnorm(n), 2), sample(9L, n, TRUE), stats::runif(n) < 0.5, round(stats::rnorm(n), 2)), 1L)[[1L]]

# R's value, the message of an error, or "list" where R makes one.
as_r_has_it <- function(code) {
  value <- tryCatch(suppressWarnings(code), error = function(e) "error")
  if (is.list(value)) "list" else value
}

test_that("values, types and names of functions of each group are R's", {
  compared <- 0
  as_one(for (place in if (as_on_cran()) seq(1, length(group_functions), 3) else seq_along(group_functions)) {
    set.seed(40 + place)
    f <- group_functions[[place]]
    ours <- opencl_function(f)
    for (turn in 1:5) {
      n <- if (turn == 2) 40L else 7L
      levels <- if (turn == 2) 1:11 else c(3, 1, 2)
      x <- if (turn == 2) round(stats::rnorm(n), 2) else numbers_at_random(n)
      g <- groups_at_random(n, levels)
      if (turn == 4) x <- g <- integer() # no group
      if (turn == 5) g <- factor(g[x <- x[0]], levels = 1:2) # no element
      b <- c(0.3, -1.2)
      r <- as_r_has_it(f(x, g, b))
      for (way in ways_of(5L * place + turn)) {
        value <- in_way(way, as_r_has_it(ours(x, g, b, device = device_of_way(way))))
        told <- paste(deparse1(body(f)), deparse1(x), deparse1(g), way)
        if (identical(r, "list")) {
          expect_true(is.character(value), info = told)
          next
        }
        expect_equal(value, r, tolerance = 1e-12, info = told)
        expect_identical(typeof(value), typeof(r), info = told)
        compared <- compared + 1
      }
    }
  })
  expect_gt(compared, cases(60, 40, 15))
})

test_that("gradients of what is unlisted are those of differences", {
  x <- c(1.5, -0.2, 0.7, 2, 1.1, -1)
  g <- factor(c("b", "a", "b", "c", "a", "b"), levels = c("z", "a", "b", "c"))
  for (place in c(8, 12, 14)) {
    f <- group_functions[[place]]
    weighted <- f
    body(weighted) <- bquote({ v <- .(body(f)); sum(c(v)[-2] * 2) + sum(c(v)) })
    if (place == 14) weighted <- f
    if (place == 8) g <- droplevels(g)
    slopes <- differences(function(b) weighted(x, g, b), list(b = c(0.3, -1.2)), "b")
    for (device in c(if (compiler_here()) "0", "plain")) {
      old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
      made <- tryCatch(opencl_function(weighted, gradient = "b")(x, g, c(0.3, -1.2), device = "0"), finally = options(old))
      expect_equal(as.vector(made), unname(weighted(x, g, c(0.3, -1.2))), tolerance = 1e-12, info = paste(place, device))
      expect_equal(unname(attr(made, "gradient")), slopes, tolerance = 1e-7, info = paste(place, device))
    }
  }
})

test_that("what R makes lists of says so", {
  x <- c(1, 2, 3)
  g <- c(1, 2, 1)
  refused <- function(f, text) for (compiled in c(TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
    expect_error(tryCatch(opencl_function(f)(x, g, device = "0"), finally = options(old)), text, fixed = TRUE)
  }
  refused(function(x, g) tapply(x, g, function(v) c(sum(v), 1)), "several numbers for a group, of which R makes a list")
  refused(function(x, g) sapply(lapply(split(x, g), function(v) c(sum(v), 1)), function(p) p[1] / p[2]), "several numbers for a group, of which R makes a list")
  refused(function(x, g) lapply(split(x, g), sum), "`lapply()` is not supported: ")
  refused(function(x, g) vapply(split(x, g), function(v) c(sum(v), 1), 0), "values must be length 1,")
  refused(function(x, g) vapply(split(x, g), function(v) sum(v), c(1, 1)), "values must be length 2,")
  expect_equal(opencl_function(function(x, g) { l <- lapply(split(x, g), sum); sapply(l, function(s) s^2) })(x, g, device = "0"), c(`1` = 16, `2` = 4))
  expect_error(opencl_function(function(x, g) sum(aggregate(x, list(g), sum)$x))(numeric(), numeric(), device = "0"), "no rows to aggregate", fixed = TRUE)
})

test_that("rowsum(), tapply() and unique() of the same groups have codes of their own", {
  functions <- list(
    function(y, id) sum(tapply(y, id, sum)^2) + sum(rowsum(y, id)^2), function(y, id) sum(rowsum(y, id)^2) + sum(tapply(y, id, sum)^2),
    function(y, id) { s <- 0; for (i in unique(id)) s <- s * 2 + sum(y[id == i]); s + sum(tapply(y, id, sum) * seq_len(length(unique(id)))) }
  )
  for (k in seq_along(functions)) for (id in list(c(3, 1, 2, 1), if (k < 3) c(1, NA, 2, 1))) {
    if (is.null(id)) next
    known <- suppressWarnings(functions[[k]](c(1.5, 2, 3, 4), id))
    on_each_device(function(device) expect_equal(c(suppressWarnings(opencl_function(functions[[k]])(c(1.5, 2, 3, 4), id, device = device))), known))
  }
})
