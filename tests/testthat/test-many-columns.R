# Functions of matrices that they make, with more columns than are written out: one program for all numbers of rows and columns.

m_of <- function(K) seq(-1, 1, length.out = K)
forms <- list(
  loop = function(y, m, w) { s <- 0; for (k in seq_along(m)) s <- s + w[k] * dnorm(y, m[k], 1); sum(log(s)) },
  product = function(y, m, w) { s <- 1; for (k in seq_along(m)) s <- s * (w[k] + pnorm(y, m[k])); sum(log(s)) },
  least = function(y, m, w) { s <- Inf; for (k in seq_along(m)) s <- pmin(s, (y - m[k])^2 + w[k]); sum(s) },
  apply = function(y, m, w) sum(log(rowSums(sapply(seq_along(m), function(k) w[k] * dnorm(y, m[k], 1))))),
  outer = function(y, m, w) sum(log(drop(dnorm(outer(y, m, "-")) %*% w))),
  outer_rows = function(y, m, w) sum(log(rowSums(outer(y, m, "-")^2)) * mean(w)),
  outer_columns = function(y, m, w) sum(w * log(colSums(outer(y, m, "-")^2) + 1)),
  means = function(y, m, w) sum(w * colMeans(outer(y, exp(m)))^2),
  swept = function(y, m, w) { z <- sweep(outer(y, m), 2, w, "+"); sum(exp(-z^2) %*% m) },
  swept_rows = function(y, m, w) { z <- sweep(outer(y, m), 1, y, "-"); sum(w * colSums(z * z)) / mean(y^2) },
  crossed = function(y, m, w) sum((crossprod(outer(y, m, "-"), y) * w)^2),
  of_two = function(y, m, w) { s <- numeric(length(m)); for (k in seq_along(m)) s[k] <- sum(dnorm(y, m[k], 1, log = TRUE)); sum(s * w) }
)

for (name in names(forms)) local({
  name <- name
  test_that(paste0("more columns than are written out: ", name), {
    everywhere <- name %in% c("loop", "outer", "crossed")
    if (!everywhere) {
      skip_on_cran()
      hosts_alone()
    }
    unoptimized_programs()
    set.seed(7)
    for (size in list(c(50, 12), c(1, 9), if (everywhere || whole_tests()) c(4099, 9), c(20, 70))) {
      if (is.null(size)) next
      if (name == "apply" && size[1] == 1) next # R has no matrix there
      values <- list(y = round(rnorm(size[1]), 3), m = m_of(size[2]) + 0.01, w = runif(size[2], 0.2, 1))
      expect_likelihood(forms[[name]], values, c("m", "w"))
    }
  })
})

# The texts of the launches that a function has made.
launched_texts <- function(f) {
  stages <- unlist(lapply(as.list(attr(f, "expression")$variants), lapply, `[[`, "stages"), recursive = FALSE)
  unique(unlist(lapply(unlist(stages, recursive = FALSE), function(stage) stage$kernels$usual$text$text)))
}

test_that("a program serves all numbers of rows and columns", {
  skip_without_compiler()
  unoptimized_programs()
  for (name in names(forms)) {
    f <- opencl_function(forms[[name]], gradient = c("m", "w"))
    texts <- lapply(list(c(50, 20), c(51, 20), c(50, 21), c(70, 64), c(90, 65), c(140, 131)), function(size) {
      f(seq(-1, 1, length.out = size[1]) + 0.003, m_of(size[2]), seq_len(size[2]) / size[2], device = "host")
      launched_texts(f)
    })
    expect_gt(length(texts[[1]]), 1)
    expect_identical(texts[[4]], texts[[1]], info = name)
    expect_identical(texts[[6]], texts[[5]], info = name) # 1:64 are constants, 1:65 are computed
  }
})

test_that("such functions have second derivatives", {
  skip_on_cran()
  unoptimized_programs()
  hosts_alone()
  set.seed(8)
  values <- list(y = round(rnorm(30), 3), m = m_of(10) + 0.01, w = runif(10, 0.2, 1))
  for (name in c("loop", "outer", "crossed")) expect_hessian(forms[[name]], values, c("m", "w"))
})
