# Random loops over data: one to three numbers that are carried from round to round, a vector of few, a vector that is written; their
# values against R, and their gradients against differences.

torture_recursion_formals <- alist(y = , x = , par = , s = )

torture_recursion_values <- function(n, wild) {
  y <- round(stats::rnorm(n), 3)
  if (wild && n > 0L) y[sample(n, 1L)] <- sample(c(NA, Inf, NaN), 1L)
  list(y = y, x = round(stats::rnorm(n), 3), par = round(stats::rnorm(4L), 3), s = round(stats::rexp(1L) + 0.2, 2))
}

# A number of the round.
recursion_number <- function(w, depth) {
  if (depth <= 0L || chance(0.3)) {
    leaves <- c(
      list(quote(y[t]), quote(x[t]), quote(par[1]), quote(par[3]), quote(s), 0.5, -1, quote(t)), w$carried, w$carried,
      if (w$lags) list(quote(y[t - 1]), quote(x[t - 1]), quote(y[t - 2])), if (w$writes && w$lags) list(quote(h[t - 1]), quote(h[t - 2])),
      if (w$vector) list(quote(q[1]), quote(sum(q)), quote(q[2]))
    )
    return(sample(leaves, 1L)[[1L]])
  }
  inner <- function() recursion_number(w, depth - 1L)
  draw <- sample(9L, 1L)
  if (draw == 1L) return(bquote(sin(.(inner()))))
  if (draw == 2L) return(bquote(exp(-abs(.(inner())))))
  if (draw == 3L) return(bquote(dnorm(.(inner()), .(inner()), 0.2 + s, log = TRUE)))
  if (draw == 4L) return(bquote(ifelse(.(inner()) > .(inner()), .(inner()), .(inner()))))
  if (draw == 5L) return(bquote(tanh(.(inner()) * .(inner()))))
  if (draw == 6L) return(bquote(log1p((.(inner()))^2)))
  if (draw == 7L) return(bquote(if (.(inner()) > .(inner())) .(inner()) else .(inner())))
  call(sample(c("+", "-", "*"), 1L), inner(), inner())
}

# What a carried number becomes: nothing that grows without end.
recursion_next <- function(w, of) {
  inner <- recursion_number(w, 2L)
  one_of(bquote(0.6 * .(of) + 0.3 * tanh(.(inner))), bquote(tanh(.(inner)) + par[2] * 0.1), bquote(0.9 * .(of) + 0.1 * sin(.(inner)) * .(of)))
}

recursion_statement <- function(w, of) {
  assigned <- bquote(.(of) <- .(recursion_next(w, of)))
  if (w$leaves && chance(0.4)) return(bquote(if (.(recursion_number(w, 1L)) > 1.5) .(one_of(quote(next), quote(break), bquote({
    .(assigned)
    break
  })))))
  if (chance(0.8)) return(assigned)
  if (chance(0.5)) return(bquote(if (.(recursion_number(w, 1L)) > 0) .(assigned)))
  bquote(if (.(recursion_number(w, 1L)) > 0) .(assigned) else .(of) <- .(recursion_next(w, of)))
}

torture_recursion_body <- function(w) {
  names <- c("a", "b", "d")[seq_len(sample(3L, 1L))]
  w$carried <- lapply(names, as.symbol)
  statements <- lapply(w$carried, function(of) recursion_statement(w, of))
  if (w$vector) {
    statements <- c(statements, one_of(
      bquote(q <- 0.5 * q + 0.2 * sin(.(recursion_number(w, 1L)) + c(0.1, par[4]))), bquote(for (k in 1:2) q[k] <- tanh(q[k] + .(recursion_number(w, 1L))))
    ))
  }
  if (w$writes) statements <- c(statements, bquote(h[t] <- .(recursion_next(w, if (w$lags) quote(h[t - 1]) else quote(x[t])))))
  if (w$table) statements <- c(statements, list(one_of(
    bquote(M[t, 1] <- .(recursion_next(w, if (w$lags) quote(M[t - 1, 2]) else quote(x[t])))), bquote(M[t, ] <- c(.(recursion_number(w, 1L)), tanh(y[t])))
  )))
  if (chance(0.5)) statements <- sample(statements)
  total <- Reduce(function(x, y) call("+", x, y), w$carried)
  over <- if (w$lags) quote(3:length(y)) else one_of(quote(seq_along(y)), quote(length(y):1))
  parts <- c(
    lapply(w$carried, function(of) bquote(.(of) <- .(one_of(0, quote(par[1]), quote(y[1]), quote(s))))),
    if (w$vector) list(quote(q <- c(0.3, par[2]))),
    if (w$writes) list(one_of(quote(h <- numeric(length(y))), quote(h <- rep(par[3], length(y))))),
    if (w$table) list(quote(M <- matrix(0.1, length(y), 2))),
    if (w$writes && w$lags) list(one_of(quote(h[1] <- par[4]), quote(h[2] <- mean(y)))),
    list(call("for", quote(t), over, as.call(c(list(as.symbol("{")), statements))))
  )
  if (w$vector) total <- bquote(.(total) + sum(q))
  if (w$writes) total <- bquote(.(total) + .(one_of(quote(sum(h * x)), quote(sum(dnorm(y, h, s, log = TRUE))), quote(h[length(y)] + mean(h)))))
  if (w$table) total <- bquote(.(total) + .(one_of(quote(sum(M[, 1] * x)), quote(sum(rowSums(M)) - M[length(y), 2]), quote(mean(M)))))
  as.call(c(list(as.symbol("{")), parts, list(total)))
}

torture_recursion <- function(case, device, state) {
  torture_seed("recursions", case)
  w <- list(lags = chance(0.5), vector = chance(0.4), writes = chance(0.5), leaves = chance(0.2), table = chance(0.25))
  f <- torture_used(as.function(c(torture_recursion_formals, torture_recursion_body(w)), envir = state$home))
  sizes <- c(if (!w$lags) c(1L, 2L), 3L, 12L, 40L, 66L, 80L, 100L)
  given <- function(n, wild) torture_recursion_values(n, wild)[names(formals(f))]
  calls <- list(given(sample(c(70L, 90L), 1L), chance(0.3)), given(sample(sizes, 1L), FALSE), given(70L, FALSE))
  found <- compare_calls(f, calls, device, state, case, "recursions")
  slopes <- likelihood_gradient(f, calls[[sample(2:3, 1L)]], device, state, case)
  if (device != "plain" && chance(0.4)) found <- rbind(found, recursion_by_series(f, calls[[3L]], device, case))
  list(found = rbind(found, slopes$found), elements = slopes$elements, judged = slopes$judged)
}

# The same function of several series, against the loop over the pieces.
recursion_by_series <- function(f, values, device, case) {
  n <- max(length(values$y), length(values$x))
  if (n < 20L) return(NULL)
  id <- sample(rep(seq_len(4L), c(3L, 7L, 20L, n - 30L)))
  if (chance(0.5)) id <- sort(id)
  of_rows <- intersect(c("y", "x"), names(values))
  known <- tryCatch(suppressWarnings(vapply(split(seq_len(n), id), function(rows) {
    piece <- values
    piece[of_rows] <- lapply(piece[of_rows], function(v) v[rows])
    as.double(do.call(f, piece))
  }, 0)), error = function(e) NULL)
  names <- intersect(c("par", "s"), names(values))
  if (is.null(known) || length(names) == 0L) return(NULL)
  code <- torture_code(f, list(values), device, sprintf("opencl_function(f, reduce = \"sum\", gradient = %s), by = %s", torture_text(names), torture_text(id)))
  ours <- torture_outcome(suppressWarnings(torture_on(device, {
    g <- nmathopencl::opencl_function(f, reduce = "sum", gradient = names)
    do.call(g, c(values, list(by = id, device = torture_device(device))))
  })))
  refused <- torture_failed(ours) && grepl("`by` and a function of several steps|differs from series to series", torture_shown(ours))
  if (refused) return(NULL)
  if (torture_failed(ours)) return(torture_finding("recursions", case, c("by series", "we alone fail"), c(code, paste("# ours:", torture_shown(ours)))))
  plain <- torture_outcome(suppressWarnings(torture_on("plain", {
    g <- nmathopencl::opencl_function(f, reduce = "sum", gradient = names)
    do.call(g, c(values, list(by = id, device = torture_device("plain"))))
  })))
  near <- function(a, b) isTRUE(all.equal(as.vector(a), as.vector(b), tolerance = 1e-9))
  if (!near(ours$value, known)) return(torture_finding("recursions", case, c("by series", "value"), c(code, paste("# ours:", torture_shown(ours)), paste("# R:", torture_text(known)))))
  if (!torture_failed(plain) && !near(attr(ours$value, "gradient"), attr(plain$value, "gradient"))) {
    return(torture_finding("recursions", case, c("by series", "gradient"), c(code, paste("# ours:", torture_shown(ours)), paste("# by pieces:", torture_shown(plain)))))
  }
  NULL
}
