# Random functions that are called again and again with other types, lengths, groups, attributes and devices: each call gives what R
# makes of it, and, to the last bit, what a function gives that has not been called before.

sequence_one <- function(...) sample(list(...), 1L)[[1L]]

sequence_numbers <- function(n) as.double(ifelse(stats::runif(n) < 0.3, sample(-3:4, n, TRUE), round(stats::rnorm(n), 2)))

sequence_arguments <- alist(y = , x = , i = , g = , u = , X = , par = , s = , how = )

sequence_vector <- function(depth) {
  if (depth <= 0L) return(sequence_one(quote(y), quote(x), quote(i), quote(u[g]), quote(X[, 1]), quote(y)))
  v <- function() sequence_vector(depth - 1L)
  s <- function() sequence_number(depth - 1L)
  sequence_one(
    call(sample(c("+", "-", "*"), 1L), v(), v()), call(sample(c("+", "-", "*"), 1L), v(), s()), bquote(.(v()) / (1 + (.(s()))^2)), bquote(tanh(.(v()))),
    bquote(ifelse(.(v()) > .(s()), 1 * .(v()), 1 * .(v()))), bquote(pmin(.(v()), .(s()))), bquote(.(v()) - mean(.(v()))), bquote((u * .(s()))[g]),
    bquote(ifelse(.(s()) > 0, 1 * .(v()), 1 * .(sequence_one(quote(u), v()))) + y), bquote(drop(X %*% par[1:2])), bquote((.(v()))[order(x)])
  )
}

sequence_number <- function(depth) {
  if (depth <= 0L) return(sequence_one(quote(s), quote(par[1]), quote(par[["b"]]), 0.5, quote(length(y)), quote(sum(i)), quote(level)))
  v <- function() sequence_vector(depth - 1L)
  s <- function() sequence_number(depth - 1L)
  sequence_one(
    bquote(sum(.(v()))), bquote(mean(.(v()))), call(sample(c("+", "*"), 1L), s(), s()), bquote(sum(tanh(u) * .(s()))), bquote(tanh(.(s()))),
    bquote(if (.(sequence_one(quote(s > 0), quote(how == "a"), quote(length(y) > 6)))) .(s()) else .(s())), bquote(helper(.(s()))), bquote(helper(.(s()), .(s())))
  )
}

# No length is that of others by chance, unless `alike`: then those of levels, coefficients and rows without a level may be.
sequence_values <- function(n, levels) {
  list(y = sequence_numbers(n), x = sequence_numbers(n), i = sample(-4:9, n, TRUE), g = sample(levels, n, TRUE), u = sequence_numbers(levels),
       X = matrix(sequence_numbers(2L * n), n), par = c(a = sequence_numbers(1L), b = sequence_numbers(1L)), s = sequence_numbers(1L), how = "a")
}

sequence_changed <- function(values) {
  n <- length(values$y)
  name <- sample(c("y", "x", "s"), 1L)
  switch(sample(10L, 1L),
    values <- sequence_values(sample(c(5L, 9L, 40L), 1L), sample(c(1L, 3L, 4L), 1L)), values <- sequence_values(n, length(values$u)), values$s <- -values$s,
    values$g <- factor(as.integer(values$g), seq_len(length(values$u) + 1L)), values$g <- as.double(as.integer(values$g)), attr(values[[name]], "note") <- "kept",
    names(values[[name]]) <- paste0("n", seq_along(values[[name]])), attributes(values[[name]]) <- NULL, values$how <- sample(c("a", "b"), 1L),
    values$i <- if (is.integer(values$i)) as.double(values$i) else values$i > 0
  )
  values
}

# What R makes of the rows of each level. `values`: those as long as `by` are of rows.
sequence_by <- function(f, values, by, op) {
  taken <- function(x, rows) if (NROW(x) != length(by)) x else if (is.matrix(x)) x[rows, , drop = FALSE] else x[rows]
  levels <- if (is.factor(by)) levels(by) else seq_len(max(0, by, na.rm = TRUE))
  vapply(seq_along(levels), function(level) {
    rows <- which(as.integer(by) == level)
    if (length(rows) == 0L) NA_real_ else as.double(op(do.call(f, lapply(values, taken, rows))))
  }, 0)
}

sequence_outcome <- function(code) {
  tryCatch(suppressWarnings(code), nmathopencl_error = function(e) structure(list(conditionMessage(e)), class = "refused"))
}

# One function, called six times. Gives how many values were compared with R's.
expect_sequence <- function(case, devices) {
  set.seed(61000 + case)
  home <- new.env(parent = globalenv())
  home$level <- 1.5
  home$helper <- function(a, b = 2) if (missing(b)) a * level else a * b - level
  environment(home$helper) <- home
  reduce <- if (stats::runif(1L) < 0.6) sample(c("sum", "mean"), 1L)
  body <- if (is.null(reduce) && stats::runif(1L) < 0.6) call("+", bquote(sum(.(sequence_vector(2L)))), sequence_number(2L)) else bquote(.(sequence_vector(3L)) + 0 * y)
  f <- as.function(c(sequence_arguments, body), envir = home)
  formals(f) <- sequence_arguments[intersect(names(sequence_arguments), all.vars(body))]
  made <- function() opencl_function(f, reduce = reduce)
  g <- made()
  values <- sequence_values(sample(c(5L, 9L), 1L), sample(c(3L, 4L), 1L))
  compared <- 0L
  for (turn in 1:6) {
    if (turn > 1L) values <- sequence_changed(values)
    if (stats::runif(1L) < 0.1) home$level <- sequence_numbers(1L)
    n <- length(values$y)
    used <- values[names(formals(f))]
    by <- if (!is.null(reduce) && stats::runif(1L) < 0.7) sequence_one(sample(3L, n, TRUE), factor(sample(2L, n, TRUE), 1:3), replace(sample(2L, n, TRUE), 1L, NA))
    device <- sample(devices, 1L)
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    arguments <- c(used, list(device = if (device == "plain") "host" else device), if (!is.null(by)) list(by = by))
    ours <- sequence_outcome(do.call(g, arguments))
    fresh <- sequence_outcome(do.call(made(), arguments))
    options(old)
    op <- if (is.null(reduce)) identity else get(reduce)
    reported <- paste(c("case", case, "turn", turn, "on", device, deparse(f, 150L)), collapse = " ")
    expect_identical(ours, fresh, info = reported)
    if (inherits(ours, "refused")) next
    wanted <- suppressWarnings(if (is.null(by)) op(do.call(f, used)) else sequence_by(f, used, by, op))
    compared <- compared + 1L
    if (is.null(by) && is.null(reduce) && !any(c("ifelse", "order") %in% all.names(body))) {
      expect_equal(ours, wanted, tolerance = 1e-10, info = reported) # with attributes
    } else {
      expect_equal(as.double(ours), as.double(wanted), tolerance = 1e-10, info = reported)
    }
  }
  compared
}
