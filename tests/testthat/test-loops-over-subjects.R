# Loops over the rows of each subject, y[id == i] in for (i in unique(id)) and sum(sapply(unique(id), f)): R is the judge.

unoptimized_programs()

one_of <- function(...) sample(list(...), 1L)[[1L]]

# Random statements of a subject: what stands before its loop, in it, and behind it.
any_subject <- function(summed) {
  data <- one_of(quote(y), quote(D$y), quote(mu), quote(y * 2 - x))
  test <- one_of(quote(id == i), quote(i == id))
  first <- call("<-", quote(v), call("[", data, test))
  if (is.call(data) && identical(data[[1L]], quote(`-`))) first <- bquote(v <- y[.(test)] * p[1] - x[.(test)])
  second <- bquote(w <- x[.(test)])
  start <- one_of(quote(a <- 0), quote(a <- p[1]), quote(a <- v[1]), quote(a <- p[2] / length(v)), bquote(a <- sum(.(test)) * 0.1))
  range <- one_of(quote(seq_along(v)), quote(seq_len(length(v))), quote(2:length(v)), quote(seq_len(n)), quote(1:n))
  behind <- identical(range, quote(2:length(v)))
  step <- one_of(
    quote(a <- p[2] * a + v[t]), quote(a <- p[2] * a + v[t] * w[t] / t), quote(a <- if (v[t] > 0) a * p[2] else a + p[1]),
    if (behind) quote(a <- p[2] * a + v[t - 1] * w[t]) else quote(if (t > 1) a <- p[2] * a + v[t - 1]), if (behind) quote(a <- a + v[t] - v[t - 1]) else quote(a <- if (t == 1) a * 2 else a + v[t - 1] * p[1])
  )
  rounds <- call("for", quote(t), range, one_of(step, call("{", step, quote(l <- l + dnorm(v[t], a, 2, log = TRUE)))))
  parts <- c(first, second, quote(n <- length(v)), start, quote(l <- 0), rounds)
  last <- one_of(quote(l + a), quote(log(1 + a^2) * n), quote(l * v[length(v)] + a), quote(a / length(v) + i * p[1]))
  if (summed) return(as.call(c(quote(`{`), parts, last)))
  as.call(c(quote(`{`), parts, one_of(list(call("<-", quote(s), call("+", quote(s), last))), list(call("<-", quote(k), last), quote(s <- s + k * p[2])))))
}
# y[own] of own <- which(id == i).
with_places <- function(f) {
  parts <- as.list(f[[3L]])
  test <- one_of(quote(id == i), quote(D$id == i))
  data <- one_of(quote(y), quote(mu), quote(D$y))
  parts[2:3] <- list(call("<-", quote(v), call("[", data, quote(own))), quote(w <- x[own]))
  f[[3L]] <- as.call(append(parts, list(call("<-", quote(own), call("which", test))), 1L))
  f
}
of_split <- function() {
  data <- one_of(quote(y), quote(mu), quote(D$y))
  group <- one_of(quote(id), quote(factor(id)), quote(D$id))
  body <- one_of(
    quote({ a <- p[1]; for (t in seq_along(v)) a <- p[2] * a + v[t]; a * v[length(v)] }), quote({ l <- v[1]; for (t in seq_len(length(v))) l <- l + dnorm(v[t], p[1] / t, 2, log = TRUE); l / length(v) })
  )
  f <- call("function", as.pairlist(alist(v = )), body)
  one_of(bquote(sum(sapply(split(.(data), .(group)), .(f)))), bquote(sum(unlist(lapply(split(.(data), .(group)), .(f))))), bquote(p[1] - sum(vapply(split(.(data), .(group)), .(f), 0))))
}
any_of_subjects <- function() {
  over <- one_of(quote(unique(id)), quote(sort(unique(id))), quote(c(3, 7, 9)), quote(unique(D$id)))
  if (sample(2L, 1L) == 1L) return(bquote({ s <- 0; for (i in .(over)) .(any_subject(FALSE)); s }))
  f <- call("function", as.pairlist(alist(i = )), any_subject(TRUE))
  if (sample(4L, 1L) == 1L) f <- with_places(f)
  if (sample(4L, 1L) == 1L) return(of_split())
  one_of(bquote(sum(sapply(.(over), .(f))^2)), bquote(log(1 + sum(exp(-vapply(.(over), .(f), 0)^2)))), bquote(sum(sapply(.(over), .(f)))), bquote(-sum(unlist(lapply(.(over), .(f)))) * 2), bquote(sum(vapply(.(over), .(f), numeric(1))) + p[1]))
}

test_that("random loops over the rows of subjects have R's values and gradients", {
  skip_on_cran() # a matter of seconds
  answered <- 0L
  as_one(for (case in seq_len(cases(120, 16, 8))) {
    set.seed(4000 + case)
    n <- sample(c(9L, 25L), 1L)
    id <- sample(c(3, 7, 9, sample(c(3, 7, 9), n - 3L, TRUE)))
    y <- round(rnorm(n), 2)
    x <- round(runif(n), 2)
    D <- data.frame(y = y, id = id)
    made <- any_of_subjects()
    f <- eval(call("function", as.pairlist(alist(p = )), bquote({ mu <- y - p[1] * x; .(made) })))
    at <- c(0.3, 0.6)
    r <- tryCatch(f(at), error = function(e) NULL)
    slopes <- if (isTRUE(is.finite(r))) differences(function(p) f(p), list(p = at), "p") # beyond the end, 2:1, there are missing elements
    for (way in ways_of(case)) {
      old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
      told <- paste(case, way, deparse1(made))
      ours <- tryCatch(opencl_function(f, gradient = "p")(at, device = if (way == "plain") "0" else way), nmathopencl_error = conditionMessage, finally = options(old))
      if (is.character(ours)) {
        single <- any(table(id) == 1L) && grepl("2:length(v)", deparse1(made), fixed = TRUE)
        expect_true(single && grepl("goes down to 1", ours), info = paste(told, ours))
        next
      }
      answered <- answered + 1L
      expect_equal(as.vector(ours), r, tolerance = 1e-10, info = told)
      expect_equal(unname(c(attr(ours, "gradient"))), slopes, tolerance = 1e-6, info = told)
    }
  })
  expect_gt(answered, cases(120, 16, 8) / 2)
})

test_that("all numbers of subjects have R's names and types", {
  d <- list(y = c(1, 2, 3, 4, 5, 6), id = c(2, 2, 1, 1, 2, 3), s = c("b", "b", "a", "a", "b", "c"), n = 1:6, g = c(1, NA, 1, 2, 2, 1))
  for (f in list(
    function(p, d) sapply(unique(d$id), function(i) { v <- d$y[d$id == i]; a <- p; for (t in seq_along(v)) a <- a / 2 + v[t]; a }),
    function(p, d) sapply(unique(d$s), function(i) { v <- d$y[d$s == i]; a <- p; for (t in seq_along(v)) a <- a / 2 + v[t]; a }),
    function(p, d) sapply(unique(d$s), function(i) { v <- d$n[d$s == i]; a <- 0L; for (t in seq_along(v)) a <- a + v[t]; a }),
    function(p, d) vapply(unique(d$id), function(i) { v <- d$n[d$id == i]; a <- 0L; for (t in seq_along(v)) a <- a + v[t]; a }, 0),
    function(p, d) sum(sapply(unique(d$id), function(i) { v <- d$n[d$id == i]; a <- 0L; for (t in seq_along(v)) a <- a + v[t]; a })),
    function(p, d) sum(sapply(split(d$y, d$g), function(v) { a <- p; for (t in seq_along(v)) a <- a / 2 + v[t]; a }))
  )) for (way in c(if (compiler_here()) "0", "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    ours <- opencl_function(f)(0.5, d, device = "0")
    options(old)
    expect_identical(typeof(ours), typeof(f(0.5, d)), info = paste(way, deparse1(body(f))))
    expect_equal(ours, f(0.5, d), info = paste(way, deparse1(body(f))))
  }
})

test_that("a hidden Markov model of each subject of a data frame that is given at each call", {
  set.seed(5)
  f <- function(p, d) {
    P <- matrix(c(plogis(p[1]), 1 - plogis(p[2]), 1 - plogis(p[1]), plogis(p[2])), 2)
    -sum(sapply(unique(d$id), function(i) {
      yi <- d$y[d$id == i]
      a <- c(0.5, 0.5) * dpois(yi[1], c(exp(p[1]), 3))
      l <- log(sum(a))
      a <- a / sum(a)
      for (t in 2:length(yi)) {
        a <- drop(a %*% P) * dpois(yi[t], c(exp(p[1]), 3))
        l <- l + log(sum(a))
        a <- a / sum(a)
      }
      l
    }))
  }
  frames <- lapply(c(20L, 20L, 31L), function(n) data.frame(y = rpois(n, 2), id = sample(rep(c("a", "b", "c"), length.out = n))))
  frames[[2L]]$id <- match(frames[[2L]]$id, c("b", "c", "a"))
  at <- c(0.2, 0.4)
  for (way in c(compiling_devices(), "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    made <- opencl_function(f, gradient = "p")
    for (d in frames) {
      ours <- made(at, d, device = if (way == "plain") "0" else way)
      expect_equal(as.vector(ours), f(at, d), tolerance = 1e-12)
      expect_equal(unname(c(attr(ours, "gradient"))), differences(function(p) f(p, d), list(p = at), "p"), tolerance = 1e-7)
    }
    options(old)
  }
})

test_that("what R does otherwise is refused, or computed as R does", {
  skip_on_cran() # a matter of seconds
  y <- c(1, 2, 3, 4, 5, 6)
  others <- list(
    list(f = function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a * p + v[t]; s <- s + a }; s }, ids = list(c(1, 1, 2, NA, 2, 2), c(1, 1, 2, 2), c(1, 2, 1, 2, 3, 3), factor(c("a", "a", "b", "b", "a", "b")))),
    list(f = function(p, y, id) { s <- 0; for (i in 1:3) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a * p + v[t]; s <- s + a + 1 }; s }, ids = list(c(1, 1, 2, 2, 2, 2), c(1, 1, 4, 3, 2, 2), c(4, 4, 1, 2, 3, 3))),
    list(f = function(p, y, id) { s <- 0; for (i in c(1, 1, 2)) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a * p + v[t]; s <- s + a }; s }, ids = list(c(1, 1, 2, 2, 2, 2))),
    list(f = function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; a <- 0; for (t in 2:length(v)) a <- a * p + v[t]; s <- s + a }; s }, ids = list(c(1, 1, 2, 2, 2, 3), c(1, 1, 2, 2, 2, 1))),
    list(f = function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a * p + sum(v[t - 1]); s <- s + a }; s }, ids = list(c(1, 1, 2, 2, 2, 3))),
    list(f = function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; a <- s; for (t in seq_along(v)) a <- a * p + v[t]; s <- s + a }; s + a + t }, ids = list(c(1, 1, 2, 2, 2, 3))),
    list(f = function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; s <- s + 1; for (t in seq_along(v)) s <- s * p + v[t] }; s }, ids = list(c(1, 1, 2, 2, 2, 3))),
    list(f = function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) { a <- a * p + v[t]; if (a > 9) break }; s <- s + a }; s }, ids = list(c(1, 1, 2, 2, 2, 3))),
    list(f = function(p, y, id) { a <- 2; z <- sum(sapply(unique(id), function(i) { v <- y[id == i]; a <- a * 3; for (t in seq_along(v)) a <- a * p + v[t]; a })); z + a }, ids = list(c(1, 1, 2, 2, 2, 3))),
    list(f = function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; a <- 0; y <- y * 2; for (t in seq_along(v)) a <- a * p + v[t]; s <- s + a }; s }, ids = list(c(1, 1, 2, 2, 2, 3)))
  )
  others <- c(others, list(
    list(f = function(p, y, id) sum(sapply(unique(id), function(i) { v <- y[id == i]; a <- c(1, p); for (t in seq_along(v)) a <- a * p + v[t]; a })), ids = list(c(1, 1, 2, 2, 2, 3))),
    list(f = function(p, y, id) { a <- 7; for (i in unique(id)) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a * p + v[t] }; a }, ids = list(numeric(), c(2, 2, 1, 1, 1, 1))),
    list(f = function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a * p + v[t]; b <- a^2; s <- s + b }; s + b }, ids = list(c(1, 1, 2, 2, 2, 3))),
    list(f = function(p, y, id) { s <- 0; for (k in 1:2) for (i in unique(id)) { v <- y[id == i]; a <- k; for (t in seq_along(v)) a <- a * p + v[t]; s <- s + a }; s }, ids = list(c(1, 1, 2, 2, 2, 3))),
    list(f = function(p, y, id) { g <- function(i) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a * p + v[t]; a }; sum(sapply(unique(id), g)) }, ids = list(c(1, 1, 2, 2, 2, 3))),
    list(f = function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; a <- v[1]; m <- mean(v); for (t in seq_along(v)) a <- a * p + v[t] - m; s <- s + a }; s }, ids = list(c(1, 1, 2, 2, 2, 3)))
  ))
  right <- 0L
  for (one in others) for (id in one$ids) for (way in c(if (compiler_here()) "0", "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    r <- tryCatch(one$f(0.5, y, id), error = function(e) NULL)
    ours <- tryCatch(as.vector(opencl_function(one$f, gradient = "p")(0.5, y, id, device = "0")), error = function(e) NULL, finally = options(old))
    if (is.null(ours)) next
    right <- right + 1L
    expect_equal(ours, r, tolerance = 1e-12, info = paste(way, deparse1(body(one$f)), deparse1(id)))
  }
  expect_gt(right, 5L)
})

test_that("what has only its length read is as long as the subjects' codes, too", {
  y <- c(0.5, 2, -1, 3, 1.5, 0.25)
  id <- c(2, 1, 2, 3, 1, 3)
  forms <- list(
    function(y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; for (t in seq_along(v)) s <- s + t }; s },
    function(y, id) sapply(unique(id), function(i) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a + t; a }),
    function(y, id) sum(sapply(split(y, id), function(v) { a <- 0; for (t in seq_along(v)) a <- a + t; a })),
    function(y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; w <- id[id == i]; n <- length(v); for (t in seq_along(w)) s <- s + n * w[t] }; s }
  )
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (f in forms) {
      expect_equal(opencl_function(f)(y, id), f(y, id), tolerance = 1e-14)
      expect_error(opencl_function(f)(c(y, 1), id), "different lengths")
    }
    options(old)
  }
})

test_that("values of subjects have R's types and the names of what sapply() goes over", {
  y <- c(0.5, 2, -1, 3, 1.5, 0.25)
  id <- c(2, 1, 2, 3, 1, 3)
  forms <- list(
    function(y, id) sapply(unique(id), function(i) { v <- y[id == i]; a <- FALSE; for (t in seq_along(v)) a <- v[t] > 1; a }),
    function(y, id) sapply(unique(id), function(i) { v <- y[id == i]; a <- 0L; for (t in seq_along(v)) a <- a + 1L; a }),
    function(y, id) sapply(unique(id), function(i) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a + v[t]; a }),
    function(y, id) unlist(lapply(unique(id), function(i) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a + v[t]; a }))
  )
  named <- function(y, id) sapply(c(a = 1, b = 3), function(i) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a + v[t]; a })
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (f in forms) for (of in list(id, as.character(id))) expect_identical(opencl_function(f)(y, of), f(y, of))
    expect_identical(opencl_function(named)(y, id), named(y, id))
    options(old)
  }
})

test_that("a statement before a subject's loop may add to the total, as the first row of AR(1) does", {
  set.seed(1)
  id <- rep(c(3, 1, 2), c(4, 6, 5))
  y <- rnorm(15)
  forms <- list(
    function(p, y, id) { s <- 0; for (i in unique(id)) { v <- y[id == i]; s <- s + dnorm(v[1], 0, 1, log = TRUE); for (t in 2:length(v)) s <- s + dnorm(v[t], p * v[t - 1], 1, log = TRUE) }; s },
    function(p, y, id) { s <- 2; n <- 1; for (i in unique(id)) { v <- y[id == i]; a <- v[1]; s <- s - a^2 * p; n <- n + i; for (t in 2:length(v)) { s <- s - (v[t] - p * a)^2; a <- v[t] } }; s * n }
  )
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (f in forms) {
      compiled <- opencl_function(f, gradient = "p")
      for (rows in list(1:15, 15:1, 5:15)) {
        value <- compiled(0.3, y[rows], id[rows])
        expect_equal(as.vector(value), f(0.3, y[rows], id[rows]), tolerance = 1e-13)
        expect_equal(attr(value, "gradient")[["p"]], (f(0.3 + 1e-5, y[rows], id[rows]) - f(0.3 - 1e-5, y[rows], id[rows])) / 2e-5, tolerance = 1e-8)
      }
    }
    options(old)
  }
})

test_that("a sum over subjects is an integer where all its values are, whichever subject is the last", {
  functions <- list(
    function(p, y, id) sum(sapply(unique(id), function(i) { v <- y[id == i]; a <- v[1]; for (t in seq_along(v)[-1]) a <- a * p + v[t]; a })),
    function(p, y, id) sum(vapply(unique(id), function(i) { v <- y[id == i]; a <- p[0 + 1] * 0L; for (t in seq_along(v)) a <- a + v[t]; a }, 0)),
    function(p, y, id) sum(sapply(unique(id), function(i) { v <- y[id == i]; a <- 0L; for (t in seq_along(v)) if (v[t] > 2) a <- a * p + v[t]; a })),
    function(p, y, id) sum(sapply(unique(id), function(i) { v <- y[id == i]; a <- 0L; for (t in seq_along(v)) a <- a + v[t] * p; if (length(v) > 1) a else 1L })),
    function(p, y, id) sum(unlist(lapply(unique(id), function(i) { v <- y[id == i]; a <- v[1]; for (t in seq_along(v)) if (t > 1) a <- a * p + v[t]; a }))),
    function(p, y, id) sum(sapply(split(y, id), function(v) { a <- v[1]; for (t in seq_along(v)) if (t > 1) a <- a * p + v[t]; a }))
  )
  data <- list(
    list(c(3L, 5L, -2L, 8L, 1L), c(2, 1, 2, 1, 3)), list(c(3L, 5L, -2L, 8L, 1L, 1L), c(2, 1, 2, 3, 1, 2)), list(c(3L, 5L, -2L), 1:3), list(c(3, 5, -2, 1), c(1, 2, 2, 3)),
    list(c(1L, 5L, -2L, 8L), c(3, 1, 1, 1)), list(c(1L, 2L), c(1, 1))
  )
  as_one(for (f in functions) {
    value <- opencl_function(f)
    sloped <- opencl_function(f, gradient = "p")
    for (way in c(compiling_devices(), "plain")) in_way(way, for (given in data) {
      want <- f(0.3, given[[1L]], given[[2L]])
      said <- paste(deparse1(body(f)), deparse1(given), way)
      got <- value(0.3, given[[1L]], given[[2L]], device = device_of_way(way))
      expect_identical(typeof(got), typeof(want), info = said)
      expect_equal(as.vector(got), as.vector(want), info = said)
      slopes <- sloped(0.3, given[[1L]], given[[2L]], device = device_of_way(way))
      expect_equal(c(slopes), as.vector(want), info = said, ignore_attr = TRUE)
      differences <- (f(0.3 + 1e-5, given[[1L]], given[[2L]]) - f(0.3 - 1e-5, given[[1L]], given[[2L]])) / 2e-5
      expect_equal(unname(attr(slopes, "gradient")), differences, tolerance = 1e-6, info = said)
    })
  })
})

test_that("without a compiler what R makes of a list is that of the argument, whatever variable has its name", {
  withr_options(list(nmathopencl.compiler = FALSE), environment())
  functions <- list(
    function(p, d) { s <- 0; for (i in unique(d$id)) s <- s + prod(d$y[d$id == i]) * p; s }, function(p, d) sum(sapply(unique(d$id), function(i) prod(d$y[d$id == i]) * p)),
    function(p, d) { id <- d$id; s <- 0; for (i in unique(id)) { e <- d[d$id == i, ]; s <- s + sum(e$y * p) }; s }, function(p, d) sum(tapply(d$y, d$id, sum)) * p + length(unique(d$id))
  )
  given <- data.frame(id = c(2, 1, 2, 3, 1), y = c(1.5, 2, -1, 0.7, 3))
  for (f in functions) for (around in list(list(), list(d = list(id = c(7, 7, 8), y = 1:3)), list(d = 5))) {
    environment(f) <- list2env(around, parent = globalenv())
    for (gradient in list(NULL, "p")) expect_equal(c(opencl_function(f, gradient = gradient)(0.3, given, device = "host")), f(0.3, given), ignore_attr = TRUE)
  }
})

test_that("rows of subjects are not counted by a column that the data frame has not", {
  d <- data.frame(id = c(2, 1, 2, 3, 1), y = c(1.5, 2, -1, 0.7, 3), x = c(0.1, 0.9, 0.3, 0.8, 0.5))
  functions <- list(
    function(p, d) { s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; s <- s + sum(e$x) + nrow(e) * p }; s },
    function(p, d) sum(sapply(unique(d$id), function(i) { e <- d[i == d$id, ]; sum(e$x) + nrow(e) * p }))
  )
  for (compiler in list(FALSE, getOption("nmathopencl.compiler"))) {
    withr_options(list(nmathopencl.compiler = compiler), environment())
    for (f in functions) {
      ours <- opencl_function(f, gradient = "p")
      expect_equal(c(ours(0.3, d, device = "host")), f(0.3, d), ignore_attr = TRUE)
      expect_error(ours(0.3, d[c("id", "y")], device = "host"), "`d` has no column `x`, by which nrow() counts", fixed = TRUE, class = "nmathopencl_error")
    }
  }
})
