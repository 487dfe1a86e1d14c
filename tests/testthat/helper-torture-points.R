# Random functions at random points (`over =`): values, gradients and warnings, bit for bit what a loop of calls on the same device gives.

# list(f, values, movable, slopes, op): a function, arguments, those that may be given at points, those that gradients may be in,
# and a reduction or NULL.
points_case <- function(state) {
  n <- sample(c(1L, 2L, 5L, 12L, 40L), 1L, prob = c(1, 1, 3, 4, 3))
  wild <- sample(c(0, 0, 0, 0.1, 0.3), 1L)
  scope <- state$home
  switch(sample(c("likelihood", "recursion", "smooth", "rough", "hierarchy"), 1L, prob = c(4, 2, 4, 3, 6)),
    hierarchy = {
      w <- list(columns = sample(3L, 1L), depth = sample(2L, 1L))
      body <- hierarchy_body(w)
      values <- hierarchy_values(max(n, 2L), sample(c(1L, 2L, 5L, 30L), 1L), w$columns, wild)
      list(f = as.function(c(hierarchy_formals, body), envir = scope), values = values, movable = c("u", "v", "a", "s", "b", "par"),
           slopes = c("u", "v", "a", "s", "b", "par"), op = NULL)
    },
    likelihood = {
      w <- list(columns = sample(3L, 1L), slices = n > 3L, products = chance(0.8), matrices = chance(0.5), taken = chance(0.3))
      body <- torture_likelihood_body(w)
      values <- torture_likelihood_values(max(n, 2L), sample(c(2L, 3L, 7L), 1L), w$columns, sample(c("integer", "double"), 1L), wild)
      op <- if (chance(0.1)) "sum"
      list(f = as.function(c(torture_likelihood_formals, body), envir = scope), values = values, movable = c("par", "u", "s", "B", if (chance(0.2)) "y"),
           slopes = c("par", "u", "s", "y"), op = op)
    },
    recursion = {
      w <- list(lags = chance(0.5), vector = chance(0.4), writes = chance(0.5), leaves = chance(0.2), table = chance(0.25))
      body <- torture_recursion_body(w)
      list(f = as.function(c(torture_recursion_formals, body), envir = scope), values = torture_recursion_values(max(n, 3L), chance(0.2)),
           movable = c("par", "s", if (chance(0.2)) "x"), slopes = c("par", "s"), op = NULL)
    },
    smooth = {
      body <- torture_body(new_writer(TRUE, state$smooth_library, state$rules))
      columns <- sample(3L, 1L)
      op <- if (chance(0.85)) sample(c("sum", "mean", "max", "min", "prod"), 1L, prob = c(8, 3, 1, 1, 1))
      values <- torture_smooth_values(n, columns, FALSE)
      if (wild > 0 && n > 1L) values$x[sample(n, 1L)] <- sample(c(NA, NaN, Inf), 1L)
      list(f = as.function(c(torture_smooth_formals, body), envir = scope), values = values, movable = c("a", "c", "b", if (chance(0.15)) "y"),
           slopes = if (is.null(op) || op %in% c("sum", "mean")) c("a", "c", "b", if (is.null(op)) "x"), op = op)
    },
    rough = {
      f <- as.function(c(torture_formals, torture_body(new_writer(library = state$library), sample(2:3, 1L))), envir = scope)
      shape <- lapply(torture_shape(), function(part) part[setdiff(names(part), c("dim", "dimnames", "names", "note"))])
      shape$X$named <- shape$b$named <- shape$b$column <- FALSE
      list(f = f, values = torture_values(shape), movable = c("s", "k", "b"), slopes = NULL, op = if (chance(0.7)) sample(torture_reductions, 1L))
    }
  )
}

# Hierarchical models: effects by codes, coefficients, priors of both, parts of a vector by name.
hierarchy_formals <- alist(y = , x = , k = , g = , h = , X = , u = , v = , a = , s = , b = , par = )

# `g` has codes that are missing or beyond the end, where `wild` is not 0.
hierarchy_values <- function(n, groups, columns, wild) {
  codes <- function() {
    g <- sample(groups, n, TRUE)
    if (wild > 0 && chance(0.3)) g[sample(n, 1L)] <- sample(c(NA, groups + 2L), 1L)
    switch(sample(3L, 1L, prob = c(4, 1, 2)), g, g + 0.5, factor(g, seq_len(groups + 3L)))
  }
  few <- function(n) round(stats::rnorm(n, 0, 0.7), 3)
  u <- few(groups)
  if (chance(0.2)) names(u) <- paste0("u_", seq_len(groups))
  par <- sample(c("mean", "slope", "spread", "other"))
  list(
    y = few(n), x = few(n), k = stats::rbinom(n, 3L, 0.4), g = codes(), h = codes(), X = matrix(few(n * columns), n), u = u, v = few(groups),
    a = few(1L), s = few(1L) / 2, b = few(columns), par = stats::setNames(few(4L), par)
  )
}

hierarchy_effect <- function() {
  one_of(quote(u[g]), quote(v[h]), quote(u[g]), quote(x * v[g]), quote(exp(s) * u[g]), quote(u[h] * v[g]), quote((u - mean(u))[g]), quote(exp(v)[h]), quote(c(0, u)[g]),
         quote(u[as.integer(x > 0) + 1L]), quote((a + exp(s) * v)[g]))
}

hierarchy_mean <- function(depth) {
  part <- function() one_of(hierarchy_effect(), hierarchy_effect(), hierarchy_effect(), quote(a), quote(X %*% b), quote(par["slope"] * x), quote(par["mean"]), quote(par[["other"]]), quote(a * x))
  made <- part()
  for (k in seq_len(depth)) made <- call(sample(c("+", "-"), 1L), made, part())
  made
}

hierarchy_body <- function(w) {
  eta <- hierarchy_mean(w$depth)
  spread <- one_of(quote(exp(s)), quote(exp(par["spread"])), 1.5, quote(exp(s + 0.1 * v[g])))
  data <- one_of(
    bquote(sum(dbinom(k > 0, 1, plogis(.(eta)), log = TRUE))), bquote(sum(dpois(k, exp(.(eta)), log = TRUE))), bquote(sum(dnorm(y, .(eta), .(spread), log = TRUE))),
    bquote(mean(dbinom(k, 3, plogis(.(eta)), log = TRUE))), bquote(sum(k * .(eta) - log1p(exp(.(eta))))), bquote(sum(dt((y - .(eta)) / .(spread), 4, log = TRUE)))
  )
  vector <- function() one_of(quote(u), quote(v), quote(b), quote(u), quote(par))
  prior <- function() {
    x <- vector()
    one_of(
      bquote(sum(dnorm(.(x), 0, exp(s), log = TRUE))), bquote(sum((.(x) / exp(s))^2)), bquote(-0.5 * sum(.(x)^2)), bquote(sum(dnorm(.(x), a, 2, log = TRUE))),
      bquote(sum(dgamma(exp(.(x)), 2, exp(a), log = TRUE))), bquote(-sum(abs(.(x)))), bquote(sum(dt(.(x), 3, log = TRUE))), quote(sum(dnorm(diff(u), 0, exp(s), log = TRUE))),
      quote(dnorm(a, 0, 10, log = TRUE)), quote(dnorm(par["mean"], 0, 2, log = TRUE)), quote(-s^2), quote(sum(dnorm(u, v, exp(s), log = TRUE))), bquote(mean(.(x))^2)
    )
  }
  value <- data
  for (k in seq_len(sample(0:2, 1L))) value <- call("+", value, prior())
  if (chance(0.2)) value <- call("-", value)
  value
}

# An argument at m points: `one` is what it is at each, but for numbers.
values_at_points <- function(one, m, wild) {
  size <- length(one)
  draw <- function(count) if (is.integer(one)) sample(-2:5, count, TRUE) else if (is.logical(one)) chance(0.5) | logical(count) else {
    base <- rep(one, each = m)[seq_len(count)]
    ifelse(is.finite(base), base, 0.5) * (1 + 0.3 * signif(stats::runif(count, -1, 1), 4))
  }
  x <- draw(size * m)
  if (wild && m > 0L) x[sample(length(x), 1L)] <- if (is.double(x)) sample(c(NA, NaN, Inf, -Inf, 0, -0, 1e300), 1L) else NA
  if (is.matrix(one)) return(array(x, c(m, dim(one))))
  if (size == 1L && is.null(names(one))) return(x)
  matrix(x, m, size, dimnames = if (!is.null(names(one))) list(NULL, names(one)))
}

torture_points <- function(case, device, state) {
  torture_seed("points", case)
  drawn <- points_case(state)
  f <- torture_used(drawn$f)
  values <- drawn$values[names(formals(f))]
  movable <- intersect(drawn$movable, names(values))
  if (length(movable) == 0L) return(NULL)
  moved <- movable[seq_along(movable) %in% sample(length(movable), sample(length(movable), 1L))]
  slopes <- if (chance(0.7)) intersect(drawn$slopes, names(values))
  if (length(slopes) > 1L) slopes <- slopes[seq_along(slopes) %in% sample(length(slopes), sample(length(slopes), 1L))]
  if (length(slopes) == 0L) slopes <- NULL
  na_rm <- !is.null(drawn$op) && chance(0.25)
  further <- c(if (!is.null(drawn$op)) sprintf("reduce = \"%s\"", drawn$op), if (na_rm) "na.rm = TRUE", if (length(slopes)) paste("gradient =", torture_text(slopes)))
  made <- paste0("opencl_function(", paste(c("f", further), collapse = ", "), ")")
  g <- if (length(slopes) && !na_rm && chance(0.3)) torture_outcome(nmathopencl::opencl_function(f, reduce = drawn$op, gradient = slopes, hessian = TRUE))
  curved <- !is.null(g) && !torture_failed(g) # some have no second derivative
  if (curved) made <- sub(")$", ", hessian = TRUE)", made) else g <- torture_outcome(nmathopencl::opencl_function(f, reduce = drawn$op, na.rm = na_rm, gradient = slopes))
  if (torture_failed(g)) return(torture_finding("points", case, "refused", c(torture_code(f, list(), device, made), paste("#", torture_shown(g)))))
  rest <- values[setdiff(names(values), moved)]
  by <- if (!is.null(drawn$op) && !curved && chance(0.4)) torture_groups(max(lengths(values)))
  arguments <- c(rest, list(device = torture_device(device)), if (!is.null(by)) list(by = by))
  found <- NULL
  for (m in sample(c(0L, 1L, 2L, 17L), 2L, prob = c(1, 2, 2, 4))) {
    points <- lapply(values[moved], values_at_points, m = m, wild = chance(0.4))
    ours <- torture_outcome(torture_on(device, do.call(g$value, c(arguments, list(over = points)))))
    loop <- torture_on(device, if (m > 0L) each_point(g$value, arguments, points))
    class <- if (m == 0L) no_point_differs(ours) else points_differ(ours, loop)
    if (is.null(class)) next
    shown <- c(torture_code(f, list(rest), device, made, paste0(", over = ", torture_list_text(points), if (!is.null(by)) paste0(", by = list(", torture_text(by), ")"))),
               paste("# at once:", torture_shown(ours)), paste("# a loop: ", torture_shown(loop)))
    found <- rbind(found, torture_finding("points", case, c(class, if (!is.null(slopes)) "with gradient"), shown))
  }
  found
}

# The outcome of loop_over_points(), with its warnings; where values differ in length from point to point, that is an error.
each_point <- function(g, arguments, points) {
  sizes <- integer()
  warned <- character()
  counted <- function(...) {
    value <- withCallingHandlers(g(...), warning = function(w) warned <<- union(warned, conditionMessage(w)))
    sizes <<- c(sizes, length(value))
    if (any(sizes != sizes[1L])) stop("values of several lengths")
    value
  }
  outcome <- torture_outcome(loop_over_points(counted, arguments, points))
  outcome$warnings <- warned
  outcome$calls <- rep("a call", length(warned))
  outcome
}

no_point_differs <- function(ours) {
  if (torture_failed(ours)) return(NULL) # values at no point have no length where it hangs on the point
  if (length(ours$value) != 0L || (!is.null(dim(ours$value)) && ncol(ours$value) != 0L)) "no point"
}

points_differ <- function(ours, loop) {
  if (torture_failed(loop)) return(if (!torture_failed(ours)) "the loop alone fails")
  if (torture_failed(ours)) return("we alone fail")
  if (!same_bits(ours$value, loop$value)) {
    bare <- function(x) `attributes<-`(x, NULL)
    if (!identical(length(ours$value), length(loop$value))) return("length")
    if (typeof(ours$value) != typeof(loop$value)) return("type")
    if (!same_bits(bare(ours$value), bare(loop$value))) return("value")
    slopes <- lapply(list(ours, loop), function(outcome) bare(attr(outcome$value, "gradient")))
    return(if (same_bits(slopes[[1L]], slopes[[2L]])) "attributes" else "gradient")
  }
  if (!setequal(ours$warnings, loop$warnings)) "warnings"
}
