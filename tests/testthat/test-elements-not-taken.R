# Elements that are not taken have no part in a gradient, whatever their own derivatives are: what stands in their place, a missing number or one
# of an infinite slope, changes neither values nor derivatives.

unoptimized_programs()

# Of six numbers, of which the third and fifth are not taken: `keep` are the others.
of_parts <- list(
  function(y, m, s) sum((y * m)[keep])^2, function(y, m, s) sum(y[keep] * m) * s, function(y, m, s) sum((y * m)[-c(3, 5)]) * s,
  function(y, m, s) { z <- y * m; z[c(3, 5)] <- s; sum(z^2) }, function(y, m, s) { z <- y * m + s; sum(z[!is.na(z)]^2) }, function(y, m, s) (y * m)[keep[1]]^2 * s,
  function(y, m, s) { z <- c(y * m, s); sum(z[c(keep, length(z))]^2) }, function(y, m, s) { z <- rev(tanh(y * m)); sum(z[length(z) + 1 - keep]) * s },
  function(y, m, s) { z <- diff((y * m)[keep]); sum(z^2) + s }, function(y, m, s) sum((y * m)[keep]^s), function(y, m, s) { z <- y * m; sum(sort(z)[1:3]) * s },
  function(y, m, s) { z <- y * m; quantile(z, 0.4, na.rm = TRUE, names = FALSE) * s }, function(y, m, s) { z <- y * m - s; sum(sort(z, decreasing = TRUE)[1:2]^2) },
  function(y, m, s) sum(log(y * m)[keep] * s)^2, function(y, m, s) sum(sqrt((y * m)^2)[keep]) / s,
  function(y, m, s) { z <- y * m; for (k in keep[1:2]) s <- s * m + z[k]; s }, function(y, m, s) sum(dnorm((y * m)[keep], s, 2, log = TRUE)),
  function(y, m, s) { z <- cbind(y * m, s * y); sum(z[keep[1], ]) }, function(y, m, s) { z <- ifelse(is.na(y), 0, c(y * m)); sum(cumsum(z)) * s }
)

test_that("missing numbers that are not taken leave no trace in values and gradients", {
  skip_without_compiler()
  set.seed(7301)
  compared <- 0
  as_one(for (place in if (as_on_cran()) seq(1, length(of_parts), 6) else seq_along(of_parts)) {
    f <- of_parts[[place]]
    environment(f) <- list2env(list(keep = c(1, 2, 4, 6)), parent = globalenv())
    wanted <- intersect(c("m", "s"), all.vars(body(f)))
    ours <- opencl_function(f, gradient = wanted)
    y <- stats::runif(6, 0.2, 2)
    told <- deparse1(body(f))
    whole <- replace(y, c(3, 5), NA)
    m <- stats::runif(1, 0.4, 1.5)
    s <- stats::runif(1, 0.4, 1.5)
    slopes <- unlist(lapply(wanted, function(name) differences(f, list(y = whole, m = m, s = s), name)))
    for (device in c(all_compiling_devices()[if (place %% 4 == 1) 1:2 else 1L], "plain")) {
      if (is.na(device)) next
      old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
      value <- tryCatch(ours(whole, m, s, device = if (device == "plain") "0" else device), finally = options(old))
      expect_equal(as.vector(value), f(whole, m, s), tolerance = 1e-12, info = told)
      expect_equal(as.vector(attr(value, "gradient")), slopes, tolerance = 1e-6, info = paste(device, told))
      compared <- compared + 1
    }
  })
  expect_gt(compared, if (as_on_cran()) 4 else 35)
})

test_that("rows of a matrix and effects that are not taken leave no trace", {
  skip_without_compiler()
  X <- matrix(c(1, 2, NaN, 4, 0.5, Inf, 1, -1), 4)
  u <- c(0.3, -0.2, NaN)
  g <- c(1, 2, 2, 1)
  functions <- list(
    function(b, s) sum((X %*% b)[c(1, 4)]^2) * s, function(b, s) { r <- drop(X %*% b) * s; sum(r[is.finite(r)]^2) }, function(b, s) sum((u * s + b[1])[g]) * b[2]
  )
  for (f in functions) {
    environment(f) <- list2env(list(X = X, u = u, g = g), parent = globalenv())
    slopes <- c(differences(f, list(b = c(0.4, 0.7), s = 1.2), "b"), differences(f, list(b = c(0.4, 0.7), s = 1.2), "s"))
    for (device in c("0", "plain")) {
      old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
      value <- tryCatch(opencl_function(f, gradient = c("b", "s"))(c(0.4, 0.7), 1.2, device = "0"), finally = options(old))
      expect_equal(as.vector(unlist(attr(value, "gradient"))), slopes, tolerance = 1e-6, info = paste(device, deparse1(body(f))))
    }
  }
})

test_that("what is of no group has no part in sums of groups, and sums of integers have the gradient of numbers", {
  skip_on_cran() # a matter of seconds
  groups <- list(
    function(y, g, m) sum(tapply(y * m, g, sum)^2), function(y, g, m) sum(tapply(y * m, g, mean)^2), function(y, g, m) sum(rowsum(y * m, g)^2),
    function(y, g, m) sum(aggregate(y * m, list(g), sum)$x^2), function(y, g, m) sum(sapply(split(y * m, g), sum)^2)
  )
  for (f in groups) {
    made <- opencl_function(f, gradient = "m")
    for (y in list(c(1, 2, 4, 3), c(1L, 2L, 4L, 3L))) for (g in list(c(NA, 2, 1, 2), factor(c("b", NA, "a", "b")), c(1, 2, 1, 2))) for (m in list(2, 2L)) {
      slope <- suppressWarnings(differences(f, list(y = as.double(y), g = g, m = 2), "m"))
      for (device in c(if (compiler_here()) "0", "plain")) {
        old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
        value <- suppressWarnings(tryCatch(made(y, g, m, device = "0"), finally = options(old)))
        told <- paste(device, deparse1(body(f)), deparse1(y), deparse1(g))
        expect_equal(as.vector(value), suppressWarnings(f(y, g, m)), info = told)
        expect_equal(as.vector(attr(value, "gradient")), slope, tolerance = 1e-6, info = told)
      }
    }
  }
})

test_that("sums of groups beyond the integers are told", {
  y <- c(4L, .Machine$integer.max, 5L)
  g <- c(1, 1, 2)
  for (device in c(if (compiler_here()) "0", "plain")) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    expect_as_r(function(y, g) c(rowsum(y, g)), y, g)
    expect_error(opencl_function(function(y, g) tapply(y, g, sum))(y, g, device = "0"), "is beyond the integers: take sums of", class = "nmathopencl_error")
    options(old)
  }
})

# At b = 0 the slope of a middle category's linear predictor is 0 by chance, by symmetry, and its second derivative is not.
test_that("an element whose slope is 0 by chance has its part in a Hessian", {
  x <- c(0.3, -0.7, 1.1, 0.2)
  y <- c(2L, 2L, 1L, 3L)
  f <- function(b, cuts) {
    upper <- ifelse(y == 3, 1, pnorm(cuts[y] - b * x))
    lower <- ifelse(y == 1, 0, pnorm(cuts[pmax(y - 1, 1)] - b * x))
    sum(log(upper - lower))
  }
  for (device in c(compiling_devices(), "plain")) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    ours <- opencl_function(f, gradient = c("b", "cuts"), hessian = TRUE)
    at <- function(b) ours(b, c(-1, 1), device = if (device == "plain") "0" else device)
    value <- tryCatch(at(0), finally = options(old))
    slope <- function(b) attr(opencl_function(f, gradient = "b")(b, c(-1, 1), device = "host"), "gradient")[[1L]]
    expect_equal(as.matrix(attr(value, "hessian"))[1L, 1L], (slope(1e-5) - slope(-1e-5)) / 2e-5, tolerance = 1e-7, info = device)
  }
})

test_that("sums and extremes in a branch that is not taken have no part in gradients", {
  y <- c(-0.96, -0.29, 0.26, -1.15, 0.20)
  functions <- list(
    function(y, a, b) pmax(max(y * a), b), function(y, a, b) pmax(max(y * a), max(y * b)), function(y, a, b) pmin(min(y * a), prod(y * b)),
    function(y, a, b) ifelse(b > 1, b, sum(y * a, na.rm = TRUE)), function(y, a, b) ifelse(b > 1, b, mean(y * a, na.rm = TRUE)),
    function(y, a, b) ifelse(b > 1, b, prod(y * a, na.rm = TRUE)), function(y, a, b) ifelse(b > 1, b, range(y * a)[2]), function(y, a, b) ifelse(b > 1, b, log(max(y * a))),
    function(y, a, b) sum(ifelse(y > b, sum(y * a, na.rm = TRUE) * y, mean(y * b, na.rm = TRUE))), function(y, a, b) sum(ifelse(y > 0, max(y * a), y * b)),
    function(y, a, b) ifelse(b > 1, b, max(tapply(y * a, c(1, 1, 2, 2, 2), sum))), function(y, a, b) ifelse(b > 1, b, max(outer(y * a, 1:2))),
    function(y, a, b) { l <- -Inf; for (q in 1:5) l <- pmax(l, max(y * q * a + y * b)); l^2 }
  )
  points <- list(c(1, 2), c(1.3, 0.7))
  as_one(for (f in functions) {
    made <- opencl_function(f, gradient = c("a", "b"))
    known <- lapply(points, function(point) differences(f, list(y = y, a = point[1], b = point[2]), c("a", "b")))
    on_each_device(function(device) for (k in seq_along(points)) {
      ours <- made(y, points[[k]][1], points[[k]][2], device = device)
      expect_equal(as.vector(attr(ours, "gradient")), known[[k]], tolerance = 1e-7, info = deparse1(body(f)))
    })
  })
})
