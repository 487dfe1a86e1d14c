# Ways to write the rows of a subject, subset(d, id == i) and with(e, ...), first, last and summed elements in its loop, further arguments of sapply(), and
# R's functions by a variable's name: R is the judge, also where a column, a variable and an argument have the same name.

unoptimized_programs()
hosts_alone()

one_of <- function(...) sample(list(...), 1L)[[1L]]
block_of <- function(...) as.call(c(quote(`{`), ...))

# list(value, warnings) of a call; an error where it stops.
with_warnings <- function(code) {
  told <- character()
  value <- tryCatch(withCallingHandlers(code, warning = function(w) {
    told <<- c(told, conditionMessage(w))
    invokeRestart("muffleWarning")
  }), error = identity)
  if (inherits(value, "error")) value else list(value = value, warnings = told)
}

# Whether the values of a function of `p` and `d` are R's for all `frames`, or refused: gives how many are R's.
judged <- function(f, p, frames, told, ways) {
  answered <- 0L
  for (way in ways) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    ours <- tryCatch(opencl_function(f, gradient = "p"), error = identity)
    for (d in frames) {
      said <- paste(told, way, deparse1(f))
      known <- with_warnings(f(p, d))
      value <- if (inherits(ours, "error")) ours else with_warnings(ours(p, d, device = if (way == "plain") "0" else way))
      if (inherits(value, "error")) {
        expect_s3_class(value, "nmathopencl_error")
        next
      }
      expect_false(inherits(known, "error"), info = said)
      if (inherits(known, "error")) next
      answered <- answered + 1L
      expect_equal(as.vector(value$value), as.vector(known$value), tolerance = 1e-10, info = said)
      expect_identical(typeof(value$value), typeof(known$value), info = said)
      expect_identical(names(value$value), names(known$value), info = said)
      expect_setequal(value$warnings, known$warnings)
      if (length(known$value) == 1L && isTRUE(is.finite(known$value))) {
        slopes <- differences(function(p) suppressWarnings(as.vector(f(p, d))), list(p = p), "p")
        expect_equal(unname(c(attr(value$value, "gradient"))), slopes, tolerance = 1e-6, info = said)
      }
    }
    options(old)
  }
  answered
}

# Data frames of unsorted subjects: numbers, integers, texts, factors; one row each, one subject, missing subjects.
any_frame <- function(kind = sample(6L, 1L)) {
  n <- sample(6:12, 1L)
  id <- sample(c(3, 7, 9, sample(c(3, 7, 9), n - 3L, TRUE)))
  if (kind == 2L) id <- sample(seq_len(n) + 2)
  if (kind == 3L) id <- rep(7, n)
  d <- data.frame(id = id, y = round(rnorm(n), 2), x = round(runif(n), 2))
  switch(kind, d, d, d, transform(d, id = as.integer(id)), transform(d, id = paste0("s", id)), transform(d, id = factor(paste0("s", id))))
}
any_frames <- function(more = NULL, missing = FALSE) {
  kind <- sample(6L, 1L)
  lapply(1:2, function(k) {
    d <- any_frame(kind)
    for (name in more) d[[name]] <- round(runif(nrow(d)), 2)
    if (missing && k == 2L) d$id[2L] <- NA
    if (sample(3L, 1L) == 1L) d[sample(ncol(d))] else d
  })
}

# What reads the rows `e`.
any_reading <- function() {
  one_of(
    quote(with(e, sum(dnorm(y, p[1] + p[2] * x, 1, log = TRUE)))), quote(with(e, sum((y - p[1] * x)^2) / length(y))), quote(sum(with(e, y * x)) * p[1]),
    quote(with(e, sum(y * m)) * p[2]), quote(with(e, mean(y)) + nrow(e) * p[1]), quote(sum((e$y - p[1])^2) * k0), quote(with(e, sum(x * k0) * p[1])^2), quote(with(e, sum(y * s)) * p[1])
  )
}
any_loop <- function() {
  step <- one_of(quote(a <- p[1] * a + e$y[t]), quote(a <- p[1] * a + with(e, y[t] * x[t])), quote(a <- with(e, if (y[t] > 0) a * p[1] + t else a - x[t])), quote(a <- a * k0 + with(e, y[t] - m * p[1])))
  list(quote(a <- p[2]), bquote(for (t in seq_len(nrow(e))) .(step)))
}
any_rows_of <- function() {
  test <- one_of(quote(id == i), quote(d$id == i), quote(i == id))
  rows <- one_of(bquote(subset(d, .(test))), bquote(subset(d, .(test))), quote(d[d$id == i, ]), quote(d[which(d$id == i), ]))
  start <- bquote(e <- .(rows))
  in_loop <- function(...) bquote({ s <- 0; m <- p[2]; k0 <- 2; for (i in unique(d$id)) .(block_of(...)); s })
  own <- function(name, ...) call("function", stats::setNames(as.pairlist(alist(a = )), name), block_of(...))
  one_of(
    in_loop(start, bquote(s <- s + .(any_reading()))), in_loop(start, any_loop(), quote(s <- s + a)), in_loop(bquote(s <- s + with(.(rows), sum(y * m - x * p[1])^2))),
    bquote({ m <- 2; s <- p[1]; sum(sapply(unique(d$id), .(own("i", start, any_reading())))) }), bquote({ m <- p[1]; sum(sapply(unique(d$id), .(own("i", start, any_loop(), quote(a))))) }),
    bquote({ m <- 2; s <- p[1]; sum(sapply(split(d, d$id), .(own("e", any_reading())))) }), bquote({ m <- p[1]; sum(sapply(split(d, d$id), .(own("e", any_loop(), quote(a * 2))))) }),
    bquote({ m <- p[2]; f <- .(own("e", quote(with(e, { a <- 0; for (t in seq_along(y)) a <- a * p[1] + y[t] - m; a / length(x) })))); sum(sapply(split(d, d$id), f)) }),
    bquote({ m <- p[2]; sum(sapply(unique(d$id), function(i) with(.(rows), { l <- y[1]; for (t in seq_along(y)) l <- l * p[1] + y[t] - m; l }))) }),
    bquote({ ids <- unique(d$id); m <- k0; s <- 0; for (j in seq_along(ids)) { e <- subset(d, .(one_of(quote(id == ids[j]), quote(d$id == ids[j])))); s <- s + with(e, sum(y * p[1] + m)) }; s })
  )
}

test_that("random functions of subset() and with() of a subject's rows have R's values and gradients, or are refused", {
  skip_on_cran() # a matter of seconds
  answered <- tried <- 0L
  as_one(for (case in seq_len(cases(300, 40, 12))) {
    set.seed(9100 + case)
    made <- any_rows_of()
    f <- eval(call("function", as.pairlist(alist(p = , d = )), made), list2env(c(list(k0 = 0.7, y = runif(7), id = 1:4), if (case %% 7L == 0L) list(x = 3)), parent = globalenv()))
    collides <- sample(3L, 1L) == 1L
    more <- if (collides) sample(c("p", "s", "a", "i", "t", "e", "d", "k0", "m", "ids", "j", "l"), 1L)
    ran <- judged(f, c(0.3, 0.6), any_frames(more, case %% 5L == 0L), case, ways_of(case))
    if (collides || case %% 5L == 0L || case %% 7L == 0L) next
    tried <- tried + 1L
    answered <- answered + (ran > 0L)
  })
  expect_gt(answered, 0.7 * tried)
})

replaced_by <- function(expr, old, new) {
  if (identical(expr, old)) return(new)
  if (is.call(expr)) for (k in seq_along(expr)) if (!identical(expr[[k]], quote(expr = ))) expr[k] <- list(replaced_by(expr[[k]], old, new))
  expr
}

# Statements of a subject with a loop over its rows: `v` and `r` are its elements.
any_elements <- function(value) {
  read <- one_of(quote(v[1]), quote(v[length(v)]), quote(sum(v)), quote(mean(v)), quote(sum((v - p[1])^2)), quote(v[1] * v[n]), quote(n), quote(sum(r) / n), quote(r[1]))
  first <- one_of(quote(v <- y[id == i]), quote(v <- r0[id == i]), quote(v <- D$y[D$id == i]))
  start <- one_of(quote(a <- p[1]), bquote(a <- .(read)), quote(a <- v[n] - v[1]))
  range <- one_of(quote(seq_along(v)), quote(seq_len(n)), quote(seq_along(v)[-1]), quote(seq_len(n)[-1]))
  later <- is_call_of(range, "[")
  step <- one_of(quote(a <- a * p[2] + v[t]), quote(a <- a * p[2] + v[t] - v[1]), quote(a <- a * p[2] + r[t] * v[n] / t), bquote(a <- a * p[2] + v[t] * .(read)), if (later) quote(a <- a * p[2] + v[t] - v[t - 1]) else quote(a <- a + r[t] - mean(v)))
  behind <- one_of(quote(a * v[1]), bquote(a + .(read)), quote(a - v[1] + v[n]), quote(a * r[1]), quote(a / n))
  parts <- list(first, one_of(quote(r <- r0[id == i]), quote(r <- x[id == i])), quote(n <- length(v)), start, call("for", quote(t), range, step))
  c(parts, if (value) behind else bquote(s <- s + .(behind)))
}
is_call_of <- function(expr, name) is.call(expr) && identical(expr[[1L]], as.symbol(name))
any_of_elements <- function() {
  whole <- one_of(FALSE, TRUE) # columns of the data frame, or vectors
  mu <- one_of(quote(r0 <- y - p[1] * x), quote({ mu <- p[1] + p[2] * x; r0 <- y - mu }), quote({ r0 <- y * p[2]; r0 <- r0 - x }))
  over <- one_of(quote(unique(id)), quote(sort(unique(id))), quote(unique(D$id)))
  f <- call("function", as.pairlist(alist(i = )), block_of(any_elements(TRUE)))
  made <- one_of(
    bquote({ .(mu); s <- 0; for (i in .(over)) .(block_of(any_elements(FALSE))); s }), bquote({ .(mu); sum(sapply(.(over), .(f))) }),
    bquote({ .(mu); sapply(.(over), .(f)) }), bquote({ .(mu); sum(vapply(.(over), .(f), 0)^2) / p[2] })
  )
  made <- replaced_by(made, quote(D$id), quote(id))
  if (whole) replaced_by(made, quote(id), quote(D$id)) else made
}

test_that("first, last and summed elements of subjects in loops over their rows have R's values and gradients", {
  skip_on_cran() # a matter of seconds
  answered <- tried <- 0L
  as_one(for (case in seq_len(cases(300, 40, 12))) {
    set.seed(9600 + case)
    D <- any_frame()
    env <- list2env(list(D = D, id = D$id, y = D$y, x = D$x), parent = globalenv())
    if (case %% 4L == 0L) env$y <- env$D$y <- as.integer(round(10 * D$y))
    f <- eval(call("function", as.pairlist(alist(p = , d = )), any_of_elements()), env)
    tried <- tried + 1L
    answered <- answered + (judged(f, c(0.3, 0.6), list(D), case, ways_of(case)) > 0L)
  })
  expect_gt(answered, 0.7 * tried)
})

# Functions of several arguments that sapply() and the like give the others, with names that are variables and columns, too.
any_with_arguments <- function() {
  name <- one_of("b", "p", "y", "k", "m", "v")
  b <- as.symbol(name)
  given <- one_of(quote(p[1]), quote(b), quote(b + 1), quote(m * p[2]), quote(d$x), quote(p), quote(k - b), quote(sum(d$x) * p[1]), quote(v))
  own <- function(first, body) call("function", as.pairlist(stats::setNames(alist(a = , b = ), c(first, name))), body)
  body <- function(first) one_of(
    bquote(sum(.(first) * .(b)[1])), bquote({ z <- .(first) * sum(.(b)); sum(z^2) }), bquote({ .(b) <- .(b) * 2; sum(.(first) - .(b)[1]) }), bquote({ k <- sum(.(b)); sum(.(first)) * k + m })
  )
  loop <- function() one_of(
    bquote({ z <- 0; for (t in seq_len(nrow(e))) z <- z * sum(.(b)) + e$y[t]; z }), bquote({ z <- .(b)[1]; for (t in seq_len(nrow(e))) z <- z * p[1] + e$y[t]; z + m }), bquote(sum(with(e, y - x * .(b)[1])^2))
  )
  rows <- function() one_of(
    bquote({ yi <- d$y[d$id == i]; z <- 0; for (t in seq_along(yi)) z <- z * .(b)[1] + yi[t]; z }), bquote({ e <- subset(d, id == i); sum(e$y) * sum(.(b)) }), bquote(sum(d$y[d$id == i] - .(b)[1])^2)
  )
  called <- function(of, f) {
    if (sample(2L, 1L) == 1L) return(bquote(sum(sapply(.(of), .(f), .(given)))))
    made <- one_of(call("sapply", of, f), call("vapply", of, f, quote(numeric(1))), call("lapply", of, f))
    made[[name]] <- given
    if (is_call_of(made, "lapply")) bquote(sum(unlist(.(made)))) else call("sum", made)
  }
  value <- one_of(called(quote(d$y), own("a", body(quote(a)))), called(quote(split(d, d$id)), own("e", loop())), called(quote(unique(d$id)), own("i", rows())), called(quote(split(d$y, d$id)), own("v0", body(quote(v0)))))
  if (sample(3L, 1L) == 1L) { # by its name
    at <- value
    while (!is_call_of(at[[length(at[1:2]) + (length(at) > 2L)]], "function")) at <- at[[2L]]
    return(bquote({ b <- p[2]; m <- 2; k <- 0.5; v <- p[1]; f <- .(at[[3L]]); .(replaced_by(value, at[[3L]], quote(f))) * b + k }))
  }
  bquote({ b <- p[2]; m <- 2; k <- 0.5; v <- p[1]; .(value) * b + k })
}
test_that("further arguments of sapply() with names of variables and columns have R's values and gradients, or are refused", {
  skip_on_cran() # a matter of seconds
  answered <- tried <- 0L
  as_one(for (case in seq_len(cases(400, 60, 12))) {
    set.seed(9900 + case)
    f <- eval(call("function", as.pairlist(alist(p = , d = )), any_with_arguments()), list2env(list(y = 100, x = 50, b = 7), parent = globalenv()))
    tried <- tried + 1L
    answered <- answered + (judged(f, c(0.3, 0.6), any_frames(), case, ways_of(case)) > 0L)
  })
  expect_gt(answered, 0.5 * tried)
})

any_alias <- function() {
  of <- one_of("plogis", "exp", "pnorm", "own", "tanh", "abs")
  name <- one_of("link", "f", "link", "inverse", "y", "exp", "sum", "p1")
  link <- as.symbol(name)
  value <- one_of(
    bquote(sum(.(link)(d$y * p[1]))), bquote(sum(sapply(d$y * p[1], .(link)))), bquote(sum(vapply(d$y * p[1], .(link), 0))), bquote(sum(unlist(lapply(d$y * p[1], .(link))))),
    bquote(sum(sapply(d$y, function(v) .(link)(v * p[1])))), bquote({ g <- function(v) .(link)(v) * 2; sum(g(d$y * p[2])) }), bquote(sum(sapply(d$y, function(v, link) .(link)(v) * link, p[1]))),
    bquote({ s <- 0; for (i in unique(d$id)) { e <- d[d$id == i, ]; s <- s + with(e, sum(.(link)(y * p[1]))) }; s }), bquote(sum(outer(d$y, p, function(a, b) .(link)(a * b)))), bquote(sum(mapply(function(a, b) .(link)(a) * b, d$y * p[1], d$x))),
    bquote(sum(sapply(d$y * p[2], function(v, h = .(link)) h(v)))), bquote(sum(do.call(.(link), list(d$y * p[1])))), quote(sum(d$y) * p[1]), bquote(with(d, sum(.(link)(x * p[1]))))
  )
  again <- one_of(NULL, NULL, NULL, bquote(.(link) <- tanh), bquote(if (p[1] > 0) .(link) <- tanh))
  block_of(Filter(Negate(is.null), list(one_of(quote(z <- 1), quote(z <- p[1])), call("<-", link, as.symbol(of)), again, bquote(.(value) * z))))
}

test_that("functions by a variable's name have R's values and gradients, or are refused", {
  skip_on_cran() # a matter of seconds
  helpers <- lapply(list(own = function(v) v^2 + 1, link = function(v) 5 * v), `environment<-`, globalenv())
  answered <- tried <- 0L
  as_one(for (case in seq_len(cases(300, 50, 12))) {
    set.seed(10300 + case)
    f <- eval(call("function", as.pairlist(alist(p = , d = )), any_alias()), list2env(helpers, parent = globalenv()))
    tried <- tried + 1L
    answered <- answered + (judged(f, c(0.3, 0.6), any_frames(), case, ways_of(case)) > 0L)
  })
  expect_gt(answered, 0.3 * tried)
})

test_that("columns with the names of variables are R's, or refused, and said", {
  skip_on_cran() # a matter of seconds
  d <- data.frame(id = c(2, 1, 2), y = c(1, 2, 4), m = c(10, 20, 30))
  by_rows <- function(p, d) { m <- 2; s <- 0; for (i in unique(d$id)) { e <- subset(d, id == i); s <- s + with(e, sum(y * m * p)) }; s }
  expect_error(opencl_function(by_rows)(0.5, d), "`m` in with() or subset() is a variable of the function or around it, and `d` has a column of that name", fixed = TRUE, class = "nmathopencl_error")
  expect_equal(opencl_function(by_rows)(0.5, d[c("id", "y")]), by_rows(0.5, d[c("id", "y")]))
  expect_equal(opencl_function(by_rows, data = list(d = d))(0.5), by_rows(0.5, d)) # whose columns are known
  expect_error(opencl_function(by_rows, data = list(d = d))(0.5, d = d[c("id", "y")]), "`d`, which has none of that name", fixed = TRUE, class = "nmathopencl_error")
  expect_error(opencl_function(by_rows)(0.5, as.list(d)), "is a list and no data frame", class = "nmathopencl_error")
  same <- function(p, d) sum(sapply(unique(d$id), function(id) { e <- subset(d, d$id == id); sum(e$y * p)^2 }))
  expect_error(opencl_function(same)(0.5, d), "`id` in with() or subset()", fixed = TRUE, class = "nmathopencl_error") # which R asks of all rows
})

test_that("advice in messages is of what the function has, and runs", {
  skip_on_cran() # a matter of seconds
  f <- function(x, g) sum(x * (g == "b"))
  g <- factor(c("a", "b", "c"))
  expect_error(opencl_function(f)(1:3, g), "as.numeric(g == \"b\")", fixed = TRUE, class = "nmathopencl_error")
  expect_equal(opencl_function(function(x, g) sum(x * g))(1:3, as.numeric(g == "b")), f(1:3, g))
  nm <- c("m", "s")
  expect_error(opencl_function(function(p, x) { names(p) <- nm; sum(x * p["m"]) })(c(2, 3), 1:3), "f(p = setNames(p, nm))", fixed = TRUE, class = "nmathopencl_error")
  expect_equal(opencl_function(function(p, x) sum(x * p[["m"]]))(setNames(c(2, 3), nm), 1:3), 12)
  expect_error(
    opencl_function(function(p, x) { v <- x * p; v[6] + p }, gradient = "x")(2, 1:5 / 2),
    "the gradient where element 6 of a vector of length 5 is taken", fixed = TRUE, class = "nmathopencl_error"
  )
})
