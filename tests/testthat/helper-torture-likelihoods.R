# Random functions of one number: sums inside a body, parts of vectors, codes, products with computed coefficients; their values, types,
# attributes and warnings against R, and their gradients against differences.

torture_likelihood_formals <- alist(y = , x = , g = , u = , X = , par = , s = , B = , whole = )

# n rows, G groups, as many columns as X has.
torture_likelihood_values <- function(n, G, columns, type, wild) {
  g <- sample(G, n, TRUE)
  if (wild > 0 && chance(0.4)) g[stats::runif(n) < 0.2] <- sample(c(NA, G + 1L), 1L)
  numbers <- function(n) torture_numbers("double", n, wild)
  u <- numbers(G)
  if (chance(0.2)) names(u) <- paste0("u_", seq_len(G))
  list(
    y = numbers(n), x = numbers(n), g = switch(type, integer = g, double = g + sample(c(0, 0.5), 1L), factor = factor(g, seq_len(G + 1L))), u = u,
    X = matrix(numbers(n * columns), n, columns), B = matrix(numbers(2L * columns), columns, 2L), par = stats::setNames(numbers(4L), c("a", "b", "c", "d")), s = round(stats::rexp(1L) + 0.1, 2),
    whole = sample(c(2L, 5L, 3L), n, TRUE)
  )
}

# What the generator knows: how many columns and groups there are, and how deep it may go.
likelihood_scalar <- function(w, depth) {
  if (depth <= 0L || chance(0.25)) {
    return(one_of(
      quote(par[1]), quote(par[2]), quote(par["c"]), quote(par["d"]), quote(s), quote(u[1]), quote(length(y)), 0.5, 2, -1, bquote(X[1, .(w$columns)]),
      quote(par[length(par)]), quote(u[length(u)])
    ))
  }
  inner <- function() likelihood_scalar(w, depth - 1L)
  vector <- function() likelihood_vector(w, depth - 1L)
  draw <- sample(7L, 1L, prob = c(8, 3, 2, 2, 1, 1, 1))
  if (draw == 1L) return(likelihood_sum(w, vector()))
  if (draw == 2L) return(call(sample(c("+", "-", "*"), 1L), inner(), inner()))
  if (draw == 3L) return(bquote(log1p((.(inner()))^2)))
  if (draw == 4L) return(call("-", inner()))
  if (draw == 5L) return(bquote(dnorm(.(inner()), 0, s, log = TRUE)))
  if (draw == 6L) return(bquote(exp(-abs(.(inner())))))
  bquote(.(inner()) / (1 + s))
}

likelihood_sum <- function(w, vector) {
  op <- sample(c("sum", "mean", "max", "min", "prod"), 1L, prob = c(10, 4, 1, 1, 1))
  if (op == "prod") vector <- bquote(1 + 0.1 * sin(.(vector)))
  if (chance(0.2)) as.call(list(as.symbol(op), vector, na.rm = TRUE)) else call(op, vector)
}

likelihood_vector <- function(w, depth) {
  if (depth <= 0L || chance(0.2)) {
    return(one_of(quote(y), quote(x), quote(u[g]), bquote(X[, .(sample(w$columns, 1L))]), quote(rev(x)), quote(u[g]), quote(y)))
  }
  inner <- function() likelihood_vector(w, depth - 1L)
  scalar <- function() likelihood_scalar(w, depth - 1L)
  if (isTRUE(w$taken) && chance(0.15)) return(likelihood_taken(w, depth - 1L))
  draw <- sample(if (w$matrices) 13L else 10L, 1L)
  if (draw > 10L) return(likelihood_of_matrix(w, depth - 1L))
  if (draw == 1L) return(call(sample(c("+", "-", "*"), 1L), inner(), inner()))
  if (draw == 2L) return(call(sample(c("+", "-", "*", "/"), 1L), inner(), scalar()))
  if (draw == 3L) return(bquote(dnorm(.(inner()), .(scalar()), 0.1 + s, log = TRUE)))
  if (draw == 4L) return(bquote(ifelse(.(inner()) > .(scalar()), .(inner()), .(inner()))))
  if (draw == 5L) return(bquote(plogis(.(inner()), log.p = TRUE)))
  if (draw == 6L && w$products) return(bquote(.(inner()) + X %*% .(likelihood_coefficients(w))))
  if (draw == 7L) return(bquote(((u - mean(u)) * .(scalar()))[g]))
  if (draw == 8L) return(bquote(c(.(scalar()), u, .(scalar()))[g + 1]))
  if (draw == 9L) return(bquote(exp(-abs(.(inner()))) * .(inner())))
  bquote(sin(.(inner())))
}

# A number for each row of a matrix, or of a function of each element.
likelihood_of_matrix <- function(w, depth) {
  scalar <- function() likelihood_scalar(w, depth - 1L)
  matrix <- one_of(quote(X), quote(X %*% B), bquote(exp(-abs(X %*% B)) * .(scalar())), quote(cbind(y, X)), quote(cbind(1, tanh(X %*% B))), quote(log1p(X^2)))
  one_of(
    bquote(rowSums(.(matrix))), bquote(rowMeans(.(matrix))), bquote(rowSums(.(matrix) * y)), bquote(y - colMeans(.(matrix))[1]),
    bquote(drop(tanh(.(quote(X %*% B))) %*% par[1:2])), bquote(X[, 1] * B[1, 2]), bquote((X %*% B[, 2])[, 1]),
    quote(cbind(x, X %*% B)[cbind(seq_along(y), 1 + (abs(x) > 0.5))]),
    bquote(sapply(y, function(v) log(sum(exp(-abs(v * 1:3 + .(scalar()))))))),
    bquote(vapply(seq_along(y), function(i) max(x[i], s * c(0, 1)) + sum(X[i, ]), 0)), quote(seq_along(y) * par[2])
  )
}

likelihood_coefficients <- function(w) {
  if (w$columns == 1L) return(quote(par[2]))
  one_of(call("[", quote(par), call(":", 1L, w$columns)), bquote(par[.(call(":", 2L, w$columns + 1L))] * s), as.call(c(list(quote(c)), lapply(seq_len(w$columns), function(k) bquote(par[.(k)])))))
}

# With parts that R computes of data: places, orders, groups.
likelihood_taken <- function(w, depth) {
  scalar <- function() likelihood_scalar(w, depth - 1L)
  one_of(
    bquote(y * sum(x[y > .(one_of(0, 0.5, -1))] * .(scalar()))), bquote((x * .(scalar()))[order(y)]), quote(rep(u, length.out = length(y)) * y),
    quote(rep_len(c(par[1], u), length(y))), bquote(x * sum(tanh(tapply(y, whole, sum)) * .(scalar()))), bquote(y * drop(crossprod(x, tanh(y))) * .(scalar())),
    quote(rowSums(outer(y, u, "-"))), bquote(x - mean(log1p(abs(rowsum(x * .(scalar()), whole))))), quote(y + median(x)), bquote(y * sum(diff(c(y, 1, 2, 0), differences = 2))),
    if (w$matrices) quote(rowSums(sweep(X, 2, colSums(X), "+"))) else quote(y), if (w$matrices) quote(colSums(t(X) * par[2])) else quote(y[seq_along(y)]),
    if (w$matrices) quote(apply(X, 1, function(v) sum(v * s) + max(v))) else quote(which.max(y) * x), bquote(x * sum(u[which(u > .(one_of(0, 0.3, 5)))]))
  )
}

# Of elements beside each other, where there are several.
likelihood_slices <- function(w) {
  one_of(
    quote(sum(dnorm(y[-1], par[1] * y[-length(y)], 0.1 + s, log = TRUE))), quote(sum(diff(x) * par[2])), quote(mean(y[2:length(y)] * head(x, -1))),
    quote(sum(tail(y, 2) * par[3]) - sum(u[-1]^2)), quote(sum((par[-1] - mean(par))^2)), quote(sum(par[c(1, 3, 4)] * par[2:4]))
  )
}

torture_likelihood_body <- function(w) {
  value <- likelihood_scalar(w, 3L)
  if (chance(0.4) && w$slices) value <- call("+", value, likelihood_slices(w))
  value <- call(sample(c("+", "-"), 1L), likelihood_sum(w, likelihood_vector(w, 2L)), value)
  if (chance(0.15)) value <- likelihood_vector(w, 3L) # elements, with sums inside
  if (chance(0.5)) return(value)
  bquote({
    m <- .(likelihood_vector(w, 2L))
    k <- .(likelihood_scalar(w, 2L))
    .(value) + sum(m * k)
  })
}

torture_likelihood <- function(case, device, state) {
  torture_seed("likelihoods", case)
  w <- list(columns = sample(3L, 1L), slices = TRUE, products = chance(0.8), matrices = chance(0.5), taken = chance(0.4))
  sizes <- c(2L, 3L, 5L, 12L)
  size <- sample(sizes, 1L)
  f <- torture_used(as.function(c(torture_likelihood_formals, torture_likelihood_body(w)), envir = state$home))
  wild <- sample(c(0, 0, 0.1, 0.3), 1L)
  computed <- any(grepl("g + 1", deparse(body(f), 500L), fixed = TRUE)) # R has no arithmetic of factors
  types <- sample(c("integer", "double", if (!computed) "factor"), 2L, TRUE)
  given <- function(size, type, wild) torture_likelihood_values(size, sample(c(2L, 3L, 7L), 1L), w$columns, type, wild)[names(formals(f))]
  calls <- list(given(size, types[1L], wild), given(sample(sizes, 1L), types[2L], 0), given(size, types[1L], wild))
  found <- compare_calls(f, calls, device, state, case, "likelihoods")
  slopes <- likelihood_gradient(f, calls[[2L]], device, state, case)
  list(found = rbind(found, slopes$found), elements = slopes$elements, judged = slopes$judged)
}

# The gradient in all vectors of parameters, judged by differences.
likelihood_gradient <- function(f, values, device, state, case) {
  none <- list(found = NULL, elements = 0, judged = 0)
  names <- intersect(c("par", "u", "s", "y", "B"), names(formals(f)))
  if (length(names) == 0L) return(none)
  plain <- function(env) function(...) {
    g <- f
    environment(g) <- env
    suppressWarnings(do.call(g, list(...)))
  }
  exact <- plain(state$plain)
  here <- tryCatch(do.call(exact, values), error = function(e) NULL)
  if (length(here) != 1L || !is.finite(here)) return(none)
  code <- torture_code(f, list(values), device, sprintf("opencl_function(f, gradient = %s)", torture_text(names)))
  report <- function(class, ours) torture_finding("likelihoods", case, c("gradient", class), c(code, paste("# ours:", torture_shown(ours))))
  ours <- torture_outcome(torture_on(device, {
    g <- nmathopencl::opencl_function(f, gradient = names)
    first <- do.call(g, c(values, device = torture_device(device)))
    for (turn in 1:2) { # calls of a shape that is known
      if (!identical(suppressWarnings(do.call(g, c(values, device = torture_device(device)))), first)) stop("a later call gives something else")
    }
    # Other numbers of the same shapes, after these.
    others <- c(lapply(values, function(x) replace(x, seq_along(x), rev(x))), device = torture_device(device))
    at_others <- function(f) tryCatch(suppressWarnings(do.call(f, others)), error = conditionMessage)
    if (!identical(at_others(g), at_others(nmathopencl::opencl_function(f, gradient = names)))) stop("a call with other numbers gives something else")
    first
  }))
  if (torture_failed(ours)) return(list(found = report("we alone fail", ours), elements = 1, judged = 0))
  gradient <- attr(ours$value, "gradient")
  if (length(gradient) != sum(lengths(values[names]))) return(list(found = report("length", ours), elements = 1, judged = 0))
  spread <- vapply(1:6, function(i) abs(do.call(plain(state$shaken[[2L]]), values) - here), 0)
  noise <- 4 * max(spread, abs(here) * 2^-53, na.rm = TRUE)
  at <- 0L
  judged <- 0
  found <- NULL
  for (name in names) {
    for (k in seq_along(values[[name]])) {
      at <- at + 1L
      size <- max(abs(values[[name]][k]), 1e-3)
      f_at <- function(delta) {
        moved <- values
        moved[[name]][k] <- moved[[name]][k] + delta * size
        as.double(do.call(exact, moved))
      }
      verdict <- judge_slopes(gradient[[at]], size, as.double(here), f_at, noise)
      if (!is.na(verdict)) judged <- judged + 1
      if (!is.na(verdict) && nzchar(verdict)) {
        found <- rbind(found, report(paste0(verdict, " in ", name), ours))
        break
      }
    }
  }
  list(found = found, elements = at, judged = judged)
}
