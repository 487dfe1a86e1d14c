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
  for (device in devices) for (name in names(of_loops)) {
    f <- of_loops[[name]]
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    h <- opencl_function(f, gradient = c("a", "b", "s"))
    for (m in c(1L, 7L, 40L)) {
      set.seed(m)
      over <- cbind(a = round(rnorm(m), 2), b = round(runif(m, 0.1, 1), 2), s = round(runif(m, 0.5, 2), 2))
      if (m == 40L && name != "factors") over[c(1, 5), "s"] <- c(-1, NA)
      for (turn in 1:2) {
        ours <- suppressWarnings(h(over = over, device = if (device == "plain") "0" else device))
        told <- paste(name, device, m)
        r <- suppressWarnings(apply(over, 1L, function(p) f(p[[1L]], p[[2L]], p[[3L]])))
        expect_equal(as.vector(ours), unname(r), tolerance = 1e-12, info = told)
        if (m != 7L) next
        slopes <- t(apply(over, 1L, function(p) differences(f, as.list(p), c("a", "b", "s"))))
        expect_lt(max(abs(unname(attr(ours, "gradient")) - unname(slopes)) / (1 + abs(slopes))), 1e-5, label = told)
      }
    }
    options(old)
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
