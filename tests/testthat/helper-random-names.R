# Random functions of vectors and matrices with and without names, which take parts, put together, sum and transpose: R's values, names,
# dimensions and types are to come of them.

random_names <- function(n, prefix) if (stats::runif(1) < 0.6) paste0(prefix, seq_len(n))

# list(v, w, M, g, p): v of n elements, w of m, M n x m.
random_named_data <- function(n, m) {
  values <- function(count) if (stats::runif(1) < 0.2) sample(9L, count, TRUE) else round(stats::rnorm(count), 2)
  sides <- list(random_names(n, "r"), random_names(m, "c"))
  list(
    v = stats::setNames(values(n), random_names(n, "v")), w = stats::setNames(values(m), random_names(m, "w")),
    M = matrix(values(n * m), n, m, dimnames = if (length(unlist(sides)) > 0L) sides), g = sample(n, sample(n, 1L), TRUE), p = 1.5
  )
}

pick <- function(...) sample(list(...), 1L)[[1L]]
some_places <- function(n) pick(bquote(1:.(min(2L, n))), n, quote(-1), bquote(.(n):1), bquote(c(.(n), 1)))

random_matrix_of <- function(depth, n, m) {
  if (depth == 0L) return(quote(M))
  matrix <- function() random_matrix_of(depth - 1L, n, m)
  vector <- function() random_vector_of(depth - 1L, n, m)
  switch(sample(15L, 1L),
    call("*", matrix(), quote(p)), call("t", matrix()), call("cbind", vector(), vector()), as.call(list(quote(cbind), a = vector(), quote(v), matrix())),
    call("rbind", vector(), vector()), call("rbind", matrix(), matrix()), call("outer", vector(), quote(w)), call("outer", vector(), vector(), pick("+", "-", "*")),
    call("outer", quote(v), vector(), quote(function(a, b) a + p * b)), call("[", matrix(), quote(expr = ), some_places(m)),
    call("[", matrix(), some_places(n), quote(expr = )), call("[", matrix(), quote(g), some_places(m)),
    as.call(list(quote(`[`), matrix(), pick(quote(expr = ), 1L, n), pick(1L, m), drop = FALSE)), call("sweep", matrix(), 1, quote(p), "+"),
    call("sapply", quote(w), bquote(function(k) .(vector()) * k))
  )
}

random_vector_of <- function(depth, n, m) {
  if (depth == 0L) return(pick(quote(v), quote(w)))
  matrix <- function() random_matrix_of(depth - 1L, n, m)
  vector <- function() random_vector_of(depth - 1L, n, m)
  switch(sample(10L, 1L),
    call("rowSums", matrix()), call("colSums", matrix()), call("rowMeans", matrix()), call("colMeans", matrix()), call("[", matrix(), quote(expr = ), pick(1L, m)),
    call("[", matrix(), pick(1L, n, quote(g)), quote(expr = )), call("exp", vector()), call("rev", vector()), call("[", vector(), some_places(n)), call("c", vector(), quote(w))
  )
}

random_named_function <- function(n, m) {
  value <- if (stats::runif(1) < 0.5) random_matrix_of(sample(3L, 1L), n, m) else random_vector_of(sample(3L, 1L), n, m)
  before <- pick(
    NULL, NULL, quote(M[1, 1] <- p), quote(M[, 1] <- v), quote(v[1] <- p), quote(w[[1]] <- 2), quote(v <- exp(v)), quote(M <- M * p), quote(v[v > 0] <- p)
  )
  f <- eval(call("function", as.pairlist(alist(v = , w = , M = , g = , p = )), if (is.null(before)) value else call("{", before, value)), globalenv())
  f
}
