# Names that are assigned again, t <- t[o], and what R computes of the data before; ranges that loops go over. Against plain R.

unoptimized_programs()

time <- c(0.5, 2.5, 1.2, 0.8, 3.1, 0.2, 1.9, 0.4, 2.2, 1.1, 0.9, 1.7)
x <- c(0.2, -1, 1, 0.4, -0.3, 0.8, 1.1, -0.6, 0.1, 0.7, -0.9, 0.5)
par <- c(0.3, 0.2)
d <- data.frame(x = x, status = factor(rep(c("exact", "right", "left"), 4)), text = rep(c("a", "b"), 6))

expect_as_r <- function(f, data, slopes = TRUE) {
  known <- as.vector(do.call(f, c(list(par), data)))
  label <- deparse1(body(f))
  for (compiler in c(FALSE, if (slopes) NA)) {
    old <- options(nmathopencl.compiler = if (!is.na(compiler)) FALSE else getOption("nmathopencl.compiler"))
    ours <- tryCatch(opencl_function(f, gradient = if (slopes) "par", data = data)(par), finally = options(old))
    expect_equal(as.vector(ours), known, tolerance = 1e-12, label = label)
  }
  if (slopes) expect_equal(as.vector(attr(ours, "gradient")), differences(function(par) do.call(f, c(list(par), data)), list(par = par), "par"), tolerance = 1e-6)
}

test_that("orders, tests and medians are those of the values so far", {
  data <- list(t = time, x = x)
  expect_as_r(function(par, t, x) {
    o <- order(t)
    t <- t[o]
    x <- x[o]
    eta <- par[1] * x + par[2] * t
    sum(eta - log(cumsum(exp(eta))))
  }, data)
  expect_as_r(function(par, t, x) {
    k <- t > 0.5
    t <- t[k]
    x <- x[k]
    t <- t^2
    sum(par[1] * t * x) + median(t) * par[2]
  }, data)
  expect_as_r(function(par, t, x) {
    k <- which(t > 1)
    t <- t[k] * par[2]
    sum(par[1] * t + x[k])
  }, data)
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  of_default <- function(par, t, x, n = length(t)) { # R evaluates it when it is asked for
    o <- which(t > 1)
    t <- t[o]
    sum(par[1] * t) / n
  }
  later <- function(par, t, x) {
    f <- function() sum(t)
    o <- which(t > 1)
    t <- t[o]
    f() * par[1]
  }
  for (f in list(of_default, later)) {
    expect_error(opencl_function(f)(par, time, x), "give the new value another name", class = "nmathopencl_error")
  }
})

test_that("loops go over ranges, however they are written", {
  ranges <- c(
    "seq(2, n)", "seq.int(2, n)", "seq(from = 2, to = n)", "seq_len(n)[-1]", "seq_along(y)[-1]", "(1:n)[-1]", "rev(seq(n, 2))", "seq_len(n - 1L) + 1L"
  )
  for (k in seq_along(ranges)) {
    f <- eval(str2lang(paste0(
      "function(par, y) { n <- length(y); e <- y; for (t in ", ranges[k], ") e[t] <- y[t] - par[1] * e[t - 1]; sum(e^2) }"
    )))
    for (n in c(2, 12)) expect_as_r(f, list(y = x[seq_len(n)]), slopes = k %in% c(1, 4) && n == 12)
    if (k %in% 4:6) expect_as_r(f, list(y = x[1]), slopes = FALSE) # no rounds
  }
  backwards <- c("rev(seq_len(n - 1))", "rev(1:(n - 1))", "seq(n - 1, 1)")
  for (k in seq_along(backwards)) {
    f <- eval(str2lang(paste0(
      "function(par, y) { n <- length(y); e <- y; for (t in ", backwards[k], ") e[t] <- y[t] - par[1] * e[t + 1]; sum(e^2) }"
    )))
    expect_as_r(f, list(y = x), slopes = k == 1L)
  }
  skip_without_compiler() # else R evaluates it
  expect_error(
    opencl_function(function(a, y, k) {
      e <- y
      for (t in k) e[t] <- y[t] - a * e[t - 1]
      sum(e)
    })(0.5, rep(x, 10), 2:120),
    "goes over is a vector"
  )
})

test_that("texts and factors of data are compared in with()", {
  expect_as_r(function(par, d) with(d, sum(ifelse(status == "exact", par[1] * x, ifelse(status %in% c("left", "no"), par[2] * x, 0.5)))), list(d = d))
  expect_as_r(function(par, d) with(d, sum((text != "a") * x * par[1])) + with(d, sum((par[2] * x)[status == "left"])), list(d = d))
})

test_that("a variable of the environment that the body assigns later is that one before", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  w <- c(3, 1, 2)
  v <- c(5, 1, 9)
  cases <- list(
    function(par, x) {
      a <- w
      w <- 4 - 2 * w
      sum(v[order(a)] * x * par) + sum(w)
    },
    function(par, x) {
      M <- cbind(w, x)
      o <- order(w)
      w <- x
      sum(par * x[o] * seq_along(x)) + sum(w) + sum(M)
    },
    function(par, x) {
      t <- w
      w <- w[c(2, 3, 1)]
      sum(t[t > 1]) * par + sum(w * x)
    },
    function(par, x) {
      a <- w
      w <- a
      sum(v[order(a)] * x * par) + sum(w)
    }
  )
  for (f in cases) {
    ours <- tryCatch(opencl_function(f)(0.5, c(1, 2, 3)), nmathopencl_error = function(e) NULL) # it may be refused
    if (!is.null(ours)) expect_equal(ours, f(0.5, c(1, 2, 3)), label = deparse1(body(f)))
  }
  expect_null(ours)
})

test_that("random statements are R's, or refused", {
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  set.seed(8105)
  pick <- function(...) sample(c(...), 1L)
  vector <- function() pick("t", "x", "w", "t * par[1]", "abs(x) + par[2]", "w - mean(w)", "t^2", "x + w")
  index <- function() pick("o", "k", "h", "t > 0.5", "order(t)", "which(x > 0)", "!h", "order(w)", "rev(o)")
  statement <- function() {
    name <- pick("t", "x", "w")
    switch(pick(1:7),
      paste0("o <- order(", name, ")"), paste0("k <- which(", name, " > 0.3)"), paste0("h <- ", name, " > 0.4"),
      paste0(name, " <- (", vector(), ")[", index(), "]"), paste0(name, " <- ", vector()),
      paste0("s <- s + sum(", vector(), ") + par[1] * median(", name, ")"), paste0("s <- s + sum((", vector(), ")[", index(), "])")
    )
  }
  w <- x[1:8]^2
  compared <- 0
  for (k in seq_len(if (as_on_cran()) 20 else 80)) {
    lines <- c("s <- 0", "o <- order(t)", "k <- which(t > 0.3)", "h <- t > 0.4", replicate(3, statement()), "s + sum(t) * par[1] + sum(x^2) + sum(w)")
    f <- eval(str2lang(paste0("function(par, t, x) {", paste(lines, collapse = "; "), "}")))
    known <- suppressWarnings(f(par, time[1:8], x[1:8]))
    ours <- tryCatch(suppressWarnings(opencl_function(f)(par, time[1:8], x[1:8])), nmathopencl_error = function(e) NULL)
    if (is.null(ours)) next
    compared <- compared + 1
    expect_equal(as.vector(ours), known, tolerance = 1e-10, label = deparse1(body(f)))
  }
  expect_gt(compared, if (as_on_cran()) 8 else 40)
})
