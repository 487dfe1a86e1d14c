# Map() and mapply() over split()s of two vectors: R splits each by groups that it recycles to its length. Of vectors of different lengths there is
# an error, with a compiler and without one, never another number.

unoptimized_programs()

set.seed(31)
numbers <- list(quote(sum(u) * a - sum(v)), quote(max(u) * a + max(v)), quote(prod(u) * a + length(v)), quote(length(u) * a + length(v)), quote(min(v) * a - mean(u)))
random <- list(quote(u[1] * a - sum(v)), quote(sum(cumsum(u)) * a - v[1])) # R alone computes these
in_call <- function(body, way) {
  made <- bquote(.(as.symbol(way))(function(u, v) .(body), split(y, g), split(x, g)))
  made <- if (way == "Map") call("unlist", made) else made
  eval(call("function", as.pairlist(alist(y = , x = , g = , a = )), call("sum", made)))
}
said <- function(code) {
  warned <- character()
  value <- withCallingHandlers(
    tryCatch(as.vector(code), nmathopencl_error = function(e) NULL),
    warning = function(w) {
      warned <<- c(warned, conditionMessage(w))
      invokeRestart("muffleWarning")
    }
  )
  list(value = value, warned = unique(warned))
}

test_that("vectors of equal lengths have R's number, and others an error", {
  answered <- 0L
  as_one(for (case in seq_len(cases(60, 12, 6))) {
    body <- sample(c(numbers, random), 1L)[[1L]]
    f <- in_call(body, sample(c("Map", "mapply"), 1L))
    sizes <- sample(c(4L, 6L, 8L), 2L, TRUE)
    if (case %% 2L == 0L) sizes[2L] <- sizes[1L]
    y <- rnorm(sizes[1L])
    x <- rnorm(sizes[2L])
    g <- sample(c(1:3, sample(3L, sample(c(1L, 3L, 5L), 1L), TRUE)))
    r <- said(f(y, x, g, 0.5))
    # Compiled, an extreme of no elements is refused.
    no_extreme <- any(tabulate(rep_len(g, sizes[1L]), 3L) == 0L) && any(c("max", "min") %in% all.names(body))
    for (device in ways_of(case)) {
      ours <- in_way(device, said(opencl_function(f)(y, x, g, 0.5, device = device_of_way(device))))
      info <- paste(deparse1(f), deparse1(sizes), deparse1(g), device)
      if (!is.null(ours$value)) {
        answered <- answered + 1L
        expect_equal(ours$value, r$value, tolerance = 1e-12, info = info)
        expect_setequal(ours$warned, r$warned)
      } else if (sizes[1L] == sizes[2L]) {
        expect_true(device != "plain" && (no_extreme || any(vapply(random, identical, NA, body))), info = info)
      }
    }
  })
  expect_gt(answered, cases(60, 12, 6) / 4)
})

test_that("max() and prod() of two vectors' groups have gradients", {
  skip_without_compiler()
  y <- rnorm(8)
  x <- rnorm(8)
  g <- c(1, 2, 2, 3, 1, 3, 2, 1)
  for (f in lapply(numbers, in_call, "Map")) {
    ours <- opencl_function(f, gradient = "a")(y, x, g, 0.5)
    expect_equal(as.vector(ours), f(y, x, g, 0.5), tolerance = 1e-12)
    expect_equal(as.vector(attr(ours, "gradient")), f(y, x, g, 1) - f(y, x, g, 0), tolerance = 1e-12, info = deparse1(f))
  }
})
