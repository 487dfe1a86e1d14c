# Loops of groups at many points, whose codes, places and distances are the same at all of them: their launches are those of all points.
# R is the judge.

unoptimized_programs()

set.seed(9)
n <- 60L
x <- round(rnorm(n), 2)
y <- rpois(n, 2)
g <- rep(1:6, each = 10)
of_loops <- list(
  parts = function(a, b, s) { r <- 0; for (j in 1:5) r <- r + sum(dnorm(x[10 * (j - 1) + 1:10], a * j, s, log = TRUE)); r + b },
  factors = function(a, b, s) {
    r <- 0
    for (j in 1:2) {
      k <- 4 * (j - 1) + 1:4
      U <- chol(s^2 * plogis(b)^abs(outer(1:4, 1:4, "-")) + diag(4) * 0.1)
      z <- backsolve(U, x[k] - a, transpose = TRUE)
      r <- r - sum(log(diag(U))) - 0.5 * sum(z^2)
    }
    r
  },
  places = function(a, b, s) { u <- c(a, b, s, a * b, a + s, b * s); k <- rev(seq_along(u)); sum(u[k][g] * x) + sum(exp(a * seq_len(9))) },
  counts = function(a, b, s) { k <- y + 1L; v <- a + b * seq_len(12); sum(dnorm(v[k], s, 1, log = TRUE)) + sum(sqrt(1:20) * a) },
  rounds = function(a, b, s) { m <- a + x; for (j in 2:12) m <- pmax(m, b * j - x * s); sum(m) }
)

test_that("values and gradients of loops at many points are R's, for points that R warns of, too", {
  skip_on_cran() # a matter of seconds
  devices <- c(if (compiler_here()) "0", opencl_test_devices(), "plain")
  for (name in names(of_loops)) {
    f <- of_loops[[name]]
    h <- opencl_function(f, gradient = c("a", "b", "s"))
    calls <- lapply(c(1L, 7L, 40L), function(m) {
      set.seed(m)
      over <- cbind(a = round(rnorm(m), 2), b = round(runif(m, 0.1, 1), 2), s = round(runif(m, 0.5, 2), 2))
      if (m == 40L && name != "factors") over[c(1, 5), "s"] <- c(-1, NA)
      list(
        over = over, r = suppressWarnings(apply(over, 1L, function(p) f(p[[1L]], p[[2L]], p[[3L]]))),
        slopes = if (m == 7L) t(apply(over, 1L, function(p) differences(f, as.list(p), c("a", "b", "s"))))
      )
    })
    for (way in devices) in_way(way, for (one in calls) for (turn in 1:2) {
      ours <- suppressWarnings(h(over = one$over, device = device_of_way(way)))
      told <- paste(name, way, nrow(one$over))
      expect_equal(as.vector(ours), unname(one$r), tolerance = 1e-12, info = told)
      if (!is.null(one$slopes)) expect_lt(max(abs(unname(attr(ours, "gradient")) - unname(one$slopes)) / (1 + abs(one$slopes))), 1e-5, label = told)
    })
  }
})

test_that("as many launches serve all points", {
  skip_without_compiler()
  for (name in c("parts", "factors", "places")) {
    h <- opencl_function(of_loops[[name]], gradient = c("a", "b", "s"))
    ran <- vapply(c(5L, 30L, 30L), function(m) {
      h(over = cbind(a = seq_len(m) / m, b = 0.5, s = 1), device = "host")
      last_run()$chunks
    }, 0)
    expect_identical(ran[3L], ran[2L], info = name)
    expect_lt(ran[3L], 12, label = name)
  }
})
