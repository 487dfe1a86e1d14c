# Reductions of all kinds, also of integers and without missing values, and vectors of integers between the launches of a function: C++ runs
# them by itself in later calls. R is the judge.

unoptimized_programs()

one <- function(...) sample(list(...), 1L)[[1L]]

# A number of elements of data, of which some may be missing, and of a number `b` of the call.
some_vector <- function() {
  one(
    quote(b * x), quote(x - b), quote(y * 1L), quote(y * b), quote(x * b + z), quote(exp(-abs(x - b))), quote(pmin(x, b)), quote(z * x * b),
    quote(ifelse(x > b, x, y * b)), quote(dpois(y, exp(b + 0.1 * x), log = TRUE)), quote(dnorm(z, b, 1, log = TRUE)), quote(as.integer(y) + 1L), quote(x > b)
  )
}

some_number <- function() {
  v <- some_vector()
  na <- one(TRUE, FALSE)
  extreme <- one(quote(max), quote(min))
  one(
    bquote(sum(.(v), na.rm = .(na))), bquote(mean(.(v), na.rm = .(na))), bquote(.(extreme)(.(v), na.rm = .(na))), bquote(prod(1 + .(v) / 100, na.rm = .(na))),
    bquote(as.numeric(any(.(v) > 1, na.rm = .(na)))), bquote(as.numeric(all(.(v) > -9, na.rm = .(na)))), bquote(sum(.(v) > b)),
    bquote(.(extreme)(abs(outer(seq_len(3), seq_len(4), "-")) * b, na.rm = .(na))), bquote(log(sum(exp(.(v) - max(.(v)))))), bquote(sum((.(v))[-1] * b)),
    bquote({ k <- cumsum(y); sum(b * k[3:5]) }), bquote({ M <- outer(x, 1:9) * b; sum(apply(M, 1, .(extreme)))}),
    bquote({ M <- outer(w, x) + b; sum(apply(M, 1, .(extreme)) + log(rowSums(exp(M - apply(M, 1, .(extreme))))))})
  )
}

data_of_case <- function(n, missing) {
  made <- list(x = round(rnorm(n), 2), y = rpois(n, 2), z = round(rnorm(n), 2), w = c(-0.5, 0.3, 1)[seq_len(sample(1:3, 1L))], b = round(rnorm(1), 3) + 0.4)
  for (name in missing) made[[name]][sample.int(n, 2L)] <- NA
  made
}

said_by <- function(code) {
  texts <- character()
  value <- withCallingHandlers(tryCatch(code, error = function(e) structure(conditionMessage(e), class = "stopped")), warning = function(w) {
    texts <<- c(texts, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  list(value = value, texts = sort(unique(texts)))
}

test_that("random sums, extremes and products give R's numbers and warnings at every call, and gradients those of differences", {
  compared <- slopes <- 0
  as_one(for (case in seq_len(cases(120, 30, 8))) {
    set.seed(4100 + case)
    body <- bquote(.(some_number()) * b + .(some_number()) + 0 * sum(x, na.rm = TRUE))
    f <- as.function(c(alist(x = , y = , z = , w = , b = ), body), envir = globalenv())
    given <- data_of_case(sample(c(5L, 12L, 40L, 300L), 1L), sample(list(character(), "y", c("x", "y"), "z"), 1L)[[1L]])
    told <- paste("case", case, deparse1(body))
    r <- said_by(f(given$x, given$y, given$z, given$w, given$b))
    derived <- if (is.finite(r$value) && case %% 2 == 0) suppressWarnings(differences(f, given, "b"))
    for (device in ways_of(case)) {
      old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
      where <- if (device == "plain") "0" else device
      for (gradient in list(NULL, "b")) {
        h <- opencl_function(f, gradient = gradient)
        for (turn in 1:4) {
          ours <- said_by(do.call(h, c(given, device = where)))
          if (inherits(ours$value, "stopped")) break # not part of the language
          if (turn == 1L) first <- ours
          expect_identical(ours, first, info = told)
          expect_equal(as.vector(ours$value), as.vector(as.numeric(r$value)), tolerance = 1e-11, info = told)
          if (is.null(gradient) || device != "plain") expect_identical(ours$texts, r$texts, info = told)
          compared <- compared + 1
          if (turn < 3L || is.null(gradient) || is.null(derived) || !all(is.finite(derived))) next
          expect_lt(abs(attr(ours$value, "gradient")[[1L]] - derived), 1e-5 * (1 + abs(derived)), label = told)
          slopes <- slopes + 1
        }
      }
      options(old)
    }
  })
  expect_gt(compared, cases(500, 60, 15))
  expect_gt(slopes, cases(60, 5, 1))
})

# Runs calls of which R goes through the stages of the first ones alone.
expect_known <- function(f, values, names, device) {
  h <- opencl_function(f, gradient = names)
  first <- do.call(h, c(values, device = device))
  expect_equal(as.vector(first), as.vector(do.call(f, values)), tolerance = 1e-11)
  do.call(h, c(values, device = device))
  expect_identical(calls_of("run_stages", for (turn in 1:3) expect_identical(do.call(h, c(values, device = device)), first)), 0L)
}

test_that("C++ alone runs later calls of them", {
  set.seed(5)
  n <- 300L
  y <- rpois(n, 2)
  values <- list(x = round(rnorm(n), 2), y = y, b = 0.3)
  missing <- list(x = values$x, y = replace(y, c(3L, 8L), NA), b = 0.3)
  functions <- list(
    function(x, y, b) sum(dpois(y, exp(b + 0.1 * x), log = TRUE), na.rm = TRUE),
    function(x, y, b) max(x * b) + log(sum(exp(x * b - max(x * b)))),
    function(x, y, b) mean(dpois(y, exp(b + 0.1 * x), log = TRUE), na.rm = TRUE) * prod(1 + x * b / 1000),
    function(x, y, b) if (all(x > -99) && any(x > 0)) sum(x * b) else b,
    function(x, y, b) { D <- abs(outer(1:7, 1:7, "-")); sum(log(diag(chol(b^D + diag(7))))) + sum(x) },
    function(x, y, b) { k <- y * 2L; sum(b * k[2:9]) + max(k, na.rm = TRUE) * b }
  )
  for (device in c(if (compiler_here()) "0", opencl_test_devices())) {
    for (f in functions) expect_known(f, values, "b", device)
    for (f in functions[c(1L, 3L)]) expect_known(f, missing, "b", device)
  }
})

test_that("sums by codes that are computed of what changes between calls are those of each call", {
  set.seed(6)
  n <- 40L
  X <- cbind(1, sample(0:2, n, TRUE))
  x <- round(rnorm(n), 2)
  functions <- list(
    product = list(function(u, k, b) sum(u[as.integer(X %*% k)] * x) + b, list(u = c(0.1, 0.2, 0.5, 1, 2), k = c(1, 1)), list(k = c(3, 1), k = c(1, 2), k = c(3, -1))),
    sum = list(function(u, k, b) { s <- sum(k); sum(u[as.integer(X[, 2] + s)] * x) * b }, list(u = c(0.1, 0.2, 0.5, 1, 2), k = c(0.5, 0.5)), list(k = c(1, 2), k = c(2, 0))),
    running = list(function(u, k, b) sum(u[as.integer(cumsum(k))] * b^2), list(u = c(0.1, 0.2, 0.5, 1, 2), k = c(1, 0, 1, 2)), list(k = c(2, 1, 1, 0), u = c(3, 2, 1, 0, 1))),
    rounds = list(function(u, k, b) { m <- u[1] + x * b; for (j in 2:12) m <- pmax(m, u[j] - x * b * j); sum(m) + sum(k) }, list(u = seq(-1, 1, length.out = 12), k = 1), list(u = rev(seq(-1, 1, length.out = 12))))
  )
  for (name in names(functions)) {
    one <- functions[[name]]
    h <- opencl_function(one[[1L]], gradient = c("u", "b"))
    given <- c(one[[2L]], b = 0.7)
    calls <- c(list(given), lapply(seq_along(one[[3L]]), function(k) utils::modifyList(given, one[[3L]][k])))
    known <- lapply(calls, function(values) list(value = as.vector(do.call(one[[1L]], values)), slopes = unname(differences(one[[1L]], values, c("u", "b")))))
    for (way in c(if (compiler_here()) "0", opencl_test_devices(), "plain")) in_way(way, for (k in rep(c(1L, 1L, seq_along(calls)), 2L)) {
      ours <- do.call(h, c(calls[[k]], device = device_of_way(way)))
      told <- paste(name, way)
      expect_equal(as.vector(ours), known[[k]]$value, tolerance = 1e-12, info = told)
      expect_equal(unname(attr(ours, "gradient")), known[[k]]$slopes, tolerance = 1e-6, info = told)
    })
  }
})

test_that("codes of rounds are sorted once", {
  skip_without_compiler()
  x <- sin(1:50)
  expect_known(function(mu, a) {
    m <- a[1] + dnorm(x, mu[1], 1, log = TRUE)
    for (k in 2:12) m <- pmax(m, a[k] + dnorm(x, mu[k], 1, log = TRUE))
    s <- 0
    for (k in 1:12) s <- s + exp(a[k] + dnorm(x, mu[k], 1, log = TRUE) - m)
    sum(m + log(s))
  }, list(mu = 1:12 / 6 - 1, a = rep(-2, 12)), c("mu", "a"), "0")
})

test_that("series take integers in the gradient", {
  cases <- list(
    function(par, y) max(par) * y, function(par, y) par[[1]] * y + 2L * par[[2]], function(par, y) sum(par) + y, function(par, y) par[[1]] * y / sum(y),
    function(par, y) y * par[[1]] - max(y)
  )
  y <- c(3L, 2L, 4L, 1L, 5L, 0L, 1L)
  by <- c(1, 2, 2, 1, 3, 3, 3)
  for (f in cases) for (device in compiling_devices()) for (op in c("sum", "mean")) {
    made <- opencl_function(f, reduce = op, gradient = "par")
    for (par in list(c(2L, 1L), c(2, 1), c(-1L, 3L))) for (given in list(y, y + 0.5, y > 1)) {
      ours <- made(par, given, by = by, device = device)
      theirs <- vapply(split(given, by), function(v) as.double(get(op)(f(par, v))), 0)
      expect_equal(as.vector(ours), as.vector(theirs), tolerance = 1e-13)
      whole <- made(as.double(par), given, by = by, device = device)
      expect_equal(attr(ours, "gradient"), attr(whole, "gradient"), tolerance = 1e-13)
    }
  }
})
