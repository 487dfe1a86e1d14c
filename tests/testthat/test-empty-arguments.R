# The empty argument, as in X[, 2], beside every other kind of statement, against plain R: what goes through the parts of a body meets it.

unoptimized_programs()

X <- matrix(c(0.3, -1.2, 0.7, 1.1, 0.4, 0.2, -0.6, 0.9, 1.5, -0.1, 0.8, 0.25), 4, dimnames = list(NULL, c("a", "x", "z")))
d <- data.frame(x = 1:4 + 0.5, y = c(1, 2, 0, 3), g = c(1, 2, 1, 1), f = factor(c("u", "v", "u", "v")))
par <- c(0.3, 0.2, 0.1)
up <- function(p) list(a = p[1], b = p[2:3])

indices <- c(
  "sum(X[, 2])", "sum(X[1, ])", "sum(X[, 2, drop = FALSE])", "sum(d[d$g == 1, 'x'])", "sum(d[, 'x'])", "sum(X[, 2][d$g])",
  "sum(d[d$g == 1, ]$x)", "sum(X[d$g == 1, ])"
)

forms <- c(
  "f <- function(z, w = INDEX) z * w; f(par[1])",
  "p <- list(a = par[1]); INDEX * p$a",
  "f <- function(z) z^2; f(par[1]) + INDEX",
  "f <- function(z) INDEX * z; f(par[1])",
  "p <- up(par); INDEX * p$a",
  "with(up(par), INDEX * a)",
  "p <- relist(par, list(a = 0, b = c(0, 0))); INDEX * p$a",
  "with(list(a = par[1]), a * INDEX)",
  "p <- list(a = par[1]); with(p, a * INDEX)",
  "local({ a <- INDEX; a * par[1] })",
  "s <- 0; for (i in 1:3) s <- s + par[i] * INDEX; s",
  "s <- 0; for (i in seq_len(nrow(X))) s <- s + X[i, 2] * par[1]; s * INDEX",
  "if (par[1] > 0) INDEX else 0",
  "switch('a', a = INDEX, b = 0) * par[1]",
  "tryCatch(INDEX, error = function(e) 0) * par[1]",
  "v <- tryCatch({ s <- INDEX; s * par[1] }, error = function(e) NULL); v",
  "r <- try(INDEX * par[1]); if (inherits(r, 'try-error')) 0 else r",
  "sum(sapply(1:3, function(k) par[k] * INDEX))",
  "Reduce(`+`, lapply(1:3, function(k) par[k] * INDEX))",
  "sum(vapply(split(d, d$g), function(e) sum(e$x * par[1]), 0)) * INDEX",
  "sum(tapply(d$x * par[1], d$g, sum)) * INDEX",
  "sum(ave(d$x * par[1], d$g)) * INDEX",
  "a <- NULL; a <- par[1]; a * INDEX",
  "p <- c(a = par[1]); p['a'] * INDEX",
  "p <- par; p[1] <- INDEX; sum(p)",
  "m <- matrix(par[1], 2, 2); m[1, ] <- par[2]; sum(m) * INDEX",
  "k <- d$g; u <- par[1:2]; sum(u[k]) * INDEX",
  "k <- which(d$g == 1); sum(d$x[k]) * par[1] * INDEX",
  "o <- order(d$x); sum(d$x[o] * par[1]) * INDEX",
  "sum(apply(X, 1, function(r) sum(r) * par[1])) * INDEX",
  "sum(apply(X[, 1:2], 2, function(r) sum(r) * par[1])) * INDEX",
  "sum(outer(par, par, function(a, b) a * b)) * INDEX",
  "sum(mapply(function(a, b) a * b, par, 1:3)) * INDEX",
  "do.call(sum, list(par[1], INDEX))",
  "p <- list(par[1], INDEX); do.call(sum, p)",
  "p <- list(a = par[1]); p$b <- INDEX; p$a * p$b",
  "repeat { s <- INDEX; break }; s * par[1]",
  "i <- 0; while (i < 2) { i <- i + 1; INDEX }; i * par[1]",
  "stopifnot(INDEX > -1e9); par[1] * INDEX",
  "L <- list(function(z) z * par[1]); L[[1]](INDEX)",
  "g <- function(q) { h <- function(z) z * INDEX; h(q) }; g(par[1])",
  "u <- unlist(list(a = par[1], b = INDEX)); sum(u)",
  "x <- X[, 1:2] %*% par[1:2]; sum(x) * INDEX",
  "sum(model.matrix(~ x, d) %*% par[1:2]) * INDEX",
  "e <- subset(d, g == 1); sum(e$x) * par[1] * INDEX",
  "e <- d[d$g == 1, ]; sum(e$x * par[1]) * INDEX",
  "d <- d[order(d$x), ]; sum(d$x * par[1]) * INDEX",
  "sum(ifelse(d$f == 'u', par[1], par[2])) * INDEX",
  "p <- setNames(par, c('a', 'b', 'c')); p[['b']] * INDEX",
  "p <- as.list(par); p[[1]] * INDEX",
  "names(par) <- c('a', 'b', 'c'); par['a'] * INDEX",
  "s <- 0; for (k in c('a', 'b')) s <- s + sum(d$x); s * INDEX * par[1]",
  "invisible(par[1] * INDEX)",
  "return(par[1] * INDEX)",
  "nested <- list(q = list(r = par[1])); nested$q$r * INDEX",
  "f <- function() list(a = par[1]); v <- f(); v$a * INDEX",
  "f <- function() { if (par[1] > 0) return(list(a = 1)); list(a = par[1]) }; v <- f(); v$a * INDEX",
  "S <- diag(2); S[1, ] <- par[1:2]; sum(S) * INDEX",
  "sum(cbind(par[1], INDEX)[, 2])",
  "A <- cbind(d$x, d$y) * par[1]; sum(A[d$g == 1, ]) + INDEX",
  "sum(t(X)[1, ]) * par[1] * INDEX",
  "sum(crossprod(X)[1, ]) * par[1] * INDEX",
  "sum(sweep(X, 2, par)[, 2]) * INDEX"
)

of_form <- function(form, index) eval(str2lang(paste0("function(par, X, d) {", gsub("INDEX", index, form, fixed = TRUE), "}")))

expect_as_r <- function(f) {
  made <- opencl_function(f, gradient = "par", data = list(X = X, d = d))
  value <- made(par)
  expect_equal(c(value), as.vector(f(par, X, d)), tolerance = 1e-12, label = deparse1(body(f)), ignore_attr = TRUE)
  attr(value, "gradient")
}

test_that("empty indices stand beside any statement", {
  skip_on_cran() # a matter of seconds
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (k in seq_along(forms)) expect_as_r(of_form(forms[k], indices[(k - 1L) %% length(indices) + 1L]))
})

test_that("and are compiled", {
  skip_if_not(compiler_here())
  for (k in 2:3) {
    f <- of_form(forms[k], indices[k])
    expect_equal(unname(expect_as_r(f)), differences(function(par) as.vector(f(par, X, d)), list(par = par), "par"), tolerance = 1e-7)
  }
})

test_that("functions without arguments may give lists", {
  f <- function(par, X) {
    both <- function() {
      if (par[1] > 10) return(list(a = 1))
      list(a = par[1])
    }
    v <- both()
    v$a * sum(X[, 2])
  }
  made <- opencl_function(f)
  on_each_device(function(device) expect_equal(c(made(par, X, device = device)), f(par, X), tolerance = 1e-12))
})
