# Gradients through vectors that meet shorter ones, which R goes through again and again, and through longer ones: against differences.

unoptimized_programs()

# Vectors of b, of some lengths; X is n x 3.
of_parameters <- function() {
  sample(list(
    quote(b), quote(drop(X %*% b)), quote(X %*% b), quote(rep(b, 2)), quote(c(b, b[1])), quote(b[c(1, 2, 3, 1)]), quote(b[g]), quote(cumsum(b)), quote(colSums(X * b[1])),
    quote(sapply(1:3, function(k) b[k]^2)), quote(rowSums(outer(w, b))), quote(rev(b)), quote(diag(b)[, 1]), quote(X[, 1] * b[2]), quote(diff(c(b, 1))), quote(ifelse(X[, 2] > 0, b[1], b[2] * X[, 1]))
  ), 1L)[[1L]]
}

of_data <- function() sample(list(quote(w), quote(rev(w)), quote(w[1:2]), quote(cumsum(w)), quote(X[, 1]), quote(colSums(X)), quote(c(1, 2)), quote(v), quote(0.5), quote(-w)), 1L)[[1L]]

recycled_function <- function() {
  a <- of_parameters()
  term <- function() sample(list(bquote(.(a) * .(of_data())), bquote((.(a) + .(of_data()))^2), bquote(tanh(.(a)) * .(of_data()) / 3), bquote(.(of_data()) * exp(-.(a)^2)), bquote(dnorm(.(of_data()), .(a), 2, log = TRUE)), bquote((.(a) * .(of_data())) * .(of_data()))), 1L)[[1L]]
  one <- term()
  body <- sample(list(bquote(sum(.(one))), bquote(sum(.(one)) + sum(b^2)), bquote(sum((.(one)) * .(of_data()))), bquote(sum(.(one) - .(of_parameters()))), bquote(mean(c(.(one)) * .(of_parameters())))), 1L)[[1L]]
  as.function(c(alist(b = , X = , w = , v = , g = ), body), envir = globalenv())
}

recycled_values <- function() {
  n <- sample(c(2L, 4L, 6L, 9L), 1L)
  list(b = round(rnorm(3), 2), X = matrix(round(rnorm(3 * n), 2), n), w = round(rnorm(sample(c(2L, 3L, 4L, 12L), 1L)), 2), v = round(rnorm(2L * n), 2), g = sample(3L, n, TRUE))
}

test_that("random gradients through recycled vectors are those of differences", {
  compared <- 0
  as_one(for (case in seq_len(cases(70, 40, 8))) {
    set.seed(8000 + case)
    f <- recycled_function()
    used <- names(formals(f)) %in% all.vars(body(f))
    formals(f) <- formals(f)[used]
    ours <- opencl_function(f, gradient = "b", hessian = FALSE)
    for (turn in 1:2) {
      values <- recycled_values()[names(formals(f))]
      known <- tryCatch(suppressWarnings(differences(f, values, "b")), error = function(e) NULL)
      for (device in c(if (case %% 5L == 0L) "host", "plain")) {
        old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
        found <- tryCatch(suppressWarnings(do.call(ours, c(values, device = "host"))), nmathopencl_error = conditionMessage)
        options(old)
        if (is.character(found) || is.null(known)) next # lengths that do not fit
        compared <- compared + 1
        expect_equal(unname(attr(found, "gradient")), known, tolerance = 1e-6, info = paste("case", case, "turn", turn, device, deparse1(body(f))))
      }
    }
  })
  if (!as_on_cran()) expect_gt(compared, cases(60, 35))
})

test_that("what meets a shorter vector has a gradient, a Hessian and sums at many points", {
  X <- matrix(c(0.5, -1, 2, 0.25, 1, -0.5, 1.5, 2, -0.75, 1, 0.1, 0.3), 6)
  w <- c(1, 2, 4)
  b <- c(0.3, -0.2)
  direct <- function(b, X, w) sum((X %*% b)^2 * w)
  d <- rep(w, 2)
  slopes <- 2 * drop(t(X) %*% (d * X %*% b))
  for (device in c(expression_devices(), "plain")) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    where <- if (device == "plain") "host" else device
    value <- opencl_function(direct, gradient = "b", hessian = TRUE)(b, X, w, device = where)
    expect_equal(unname(attr(value, "gradient")), slopes)
    expect_equal(unname(attr(value, "hessian")), 2 * t(X) %*% (d * X))
    summed <- opencl_function(function(b, X, w) (X %*% b)^2 * w, reduce = "sum", gradient = "b")(b, X, w, device = where)
    expect_equal(unname(attr(summed, "gradient")), slopes)
    many <- opencl_function(direct, gradient = "b")(X = X, w = w, over = list(b = rbind(b, 2 * b)), device = where)
    expect_equal(unname(attr(many, "gradient")), unname(rbind(slopes, 2 * slopes)))
    options(old)
  }
})

# A vector of n elements with one of none has none, and no slope.
test_that("what has no elements has no part in a gradient, between calls that have some", {
  functions <- list(
    function(b, x, y) sum(x * (log(b) + y)),
    function(b, x, y) sum((log(b) + y) * exp(b * x)),
    function(b, x, y) sum(x * b) + sum(dnorm(y, b, 2, log = TRUE) * x),
    function(b, x, y) {
      m <- mean(x) * b
      sum((y - m) * x) + b^2
    },
    function(b, x, y) sum(cumsum(b * y) * x),
    function(b, x, y) sum(log(b - b + 0 * y) * x) * b,
    function(b, x, y) sum(x * (b + y[y > 1])),
    function(b, x, y) sum(x * (b + tail(y, 0))),
    function(b, x, y) sum(ifelse(y > 0, b, 2 * b) * x)
  )
  lengths <- list(c(3, 0), c(3, 3), c(1, 0), c(0, 0), c(3, 1), c(0, 2), c(3, 0))
  for (f in functions) for (device in compiling_devices()) for (hessian in c(FALSE, TRUE)) {
    made <- opencl_function(f, gradient = "b", hessian = hessian)
    for (n in lengths) {
      at <- list(b = 2, x = seq_len(n[1L]) / 2, y = seq_len(n[2L]) * 1)
      known <- suppressWarnings(do.call(f, at))
      told <- paste(deparse1(body(f)), paste(n, collapse = " "))
      ours <- tryCatch(suppressWarnings(do.call(made, c(at, device = device))), nmathopencl_error = identity)
      if (inherits(ours, "error")) { # y[y > 1] is shorter than x, which has no multiple of its length
        expect_match(conditionMessage(ours), "recycled to length", info = told)
        next
      }
      expect_equal(as.vector(ours), known, info = told)
      if (is.nan(known)) next # the mean of nothing
      expect_equal(c(attr(ours, "gradient")), suppressWarnings(differences(f, at, "b")), tolerance = 1e-7, info = told, ignore_attr = TRUE)
      if (hessian && all(n == c(3, 0))) expect_equal(c(attr(ours, "hessian")), suppressWarnings(difference_columns(function(b) differences(f, replace(at, "b", list(b)), "b"), 2)), tolerance = 1e-5, info = told)
    }
  }
})
