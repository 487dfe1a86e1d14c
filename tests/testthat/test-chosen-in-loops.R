# Loops as people write them over levels and over trials: sums of what a test of the round chooses, y[id == k], and elements that are assigned
# by a code of the data, Q[choice[t]].

unoptimized_programs()

one_of <- function(...) sample(list(...), 1L)[[1L]]

# A reduction of elements that a test chooses, of arguments y, x, i, id, m, s and the round k.
chosen_in_round <- function() {
  test <- one_of(quote(id == k), quote(id != k), quote(y > m[k]), quote(id == k & x > 0), quote(!(id == k)), quote((id <= k)), quote(is.na(y) | id == k))
  elements <- function() one_of(bquote(y[.(test)]), bquote(x[.(test)]), bquote(i[.(test)]), bquote((y + s)[.(test)]), bquote((x * y)[.(test)]))
  computed <- function(depth) {
    if (depth == 0L) return(elements())
    a <- function() computed(depth - 1L)
    one_of(bquote(.(a()) - m[k]), bquote(.(a()) * .(a())), bquote(exp(-abs(.(a())))), bquote(dnorm(.(a()), m[k], exp(s), log = TRUE)), bquote(plogis(.(a()) * s)), bquote(-.(a())^2))
  }
  one_of(
    bquote(sum(.(computed(sample(0:2, 1L))))), bquote(mean(.(computed(1L)))), bquote(length(y[.(test)]) * s), bquote(sum(y[.(test)]) / length(x[.(test)])),
    bquote(log(1 + sum(exp(-abs(.(computed(1L)))))))
  )
}

chosen_function <- function() {
  r <- chosen_in_round
  body <- one_of(
    bquote({ total <- s + 0 * m[1]; for (k in seq_along(m)) total <- total + .(r()); total }), bquote(sum(vapply(seq_along(m), function(k) .(r()) + s * m[k], 0))),
    bquote(sum(sapply(seq_along(m), function(k) .(r()) * m[k])) * s), bquote({ h <- s + 0 * m[1]; for (k in seq_along(m)) h <- 0.5 * h + tanh(.(r())); h })
  )
  as.function(c(alist(y = , x = , i = , id = , m = , s = ), body), envir = globalenv())
}

chosen_values <- function() {
  n <- sample(c(1L, 4L, 20L), 1L)
  levels <- sample(c(1L, 3L, 9L), 1L)
  values <- list(y = round(rnorm(n), 2), x = round(rnorm(n), 2), i = sample(-3:3, n, TRUE), id = sample(levels, n, TRUE), m = rnorm(levels), s = rnorm(1L))
  if (runif(1L) < 0.2) values$y[sample(n, 1L)] <- NA
  if (runif(1L) < 0.2) values$id[sample(n, 1L)] <- NA
  if (runif(1L) < 0.1) names(values$y) <- paste0("n", seq_len(n))
  values
}

# Q[code] <- value in a loop over trials.
coded_function <- function() {
  place <- function() one_of(quote(ch[t]), quote(k), quote(3 - ch[t]), quote(rw[t] + 1))
  number <- function() one_of(quote(a), quote(rw[t]), quote(b * x[t]), quote(Q[1]), quote(sum(Q)), quote(Q[ch[t]]))
  statement <- function() one_of(
    bquote(Q[.(place())] <- Q[.(place())] + a * (.(number()) - Q[ch[t]])), bquote(Q[.(place())] <- .(number())), bquote(ll <- ll + log(exp(b * Q[ch[t]]) / sum(exp(b * Q)))),
    bquote(if (x[t] > 0) Q[.(place())] <- .(number()) * a), bquote(if (rw[t] == 1) Q[.(place())] <- Q[1] + a else Q[.(place())] <- b), bquote(N[.(place())] <- N[ch[t]] + 1), quote(Q <- Q * 0.9)
  )
  round <- as.call(c(quote(`{`), quote(k <- ch[t]), replicate(3L, statement())))
  body <- bquote({
    Q <- .(one_of(quote(c(0.5, b)), quote(rep(0, 2)), quote(c(a, b, 0.1))))
    N <- .(one_of(quote(c(0, 0)), quote(c(0L, 0L, 0L))))
    ll <- 0
    for (t in seq_along(ch)) .(round)
    ll + sum(Q) + 0.1 * Q[1] + sum(N) + 0 * (a + b)
  })
  as.function(c(alist(a = , b = , ch = , rw = , x = ), body), envir = globalenv())
}

coded_values <- function() {
  n <- sample(c(2L, 7L, 12L, 30L), 1L)
  values <- list(a = runif(1L), b = rnorm(1L), ch = sample(2L, n, TRUE), rw = rbinom(n, 1L, 0.5), x = rnorm(n))
  if (runif(1L) < 0.15) values$ch[sample(n, 1L)] <- one_of(3L, 7L, 0L, NA)
  if (runif(1L) < 0.3) values$ch <- values$ch + 0.25
  values
}

# What R makes of it, and its slopes where it is a number. Gives whether there was something to compare.
expect_as_r <- function(f, ours, values, slopes, device, info) {
  r <- tryCatch(suppressWarnings(do.call(f, values)), error = function(e) NULL)
  old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
  on.exit(options(old))
  found <- tryCatch(suppressWarnings(do.call(ours, c(values, device = device_of_way(device)))), error = conditionMessage)
  info <- paste(info, device, deparse1(body(f)), if (is.character(found)) found)
  if (is.null(r)) {
    expect_true(is.character(found), info = info)
    return(FALSE)
  }
  if (is.character(found) && grepl("number of an element that is assigned is none", found)) return(FALSE) # R makes the vector longer, or drops one
  expect_false(is.character(found), info = info)
  if (is.character(found)) return(FALSE)
  expect_equal(as.double(found), as.double(r), tolerance = 1e-10, info = info)
  if (!is.null(slopes) && is.finite(r)) {
    known <- tryCatch(suppressWarnings(differences(f, values, slopes)), error = function(e) NA)
    if (all(is.finite(known))) expect_equal(unname(attr(found, "gradient")), known, tolerance = 1e-5, info = info)
  }
  TRUE
}

test_that("sums of what a test of the round chooses are R's, with their gradients", {
  compared <- 0
  as_one(for (case in if (as_on_cran()) 1:4 else 1:22) {
    set.seed(6000 + case)
    f <- chosen_function()
    slopes <- if (case %% 2L == 0L && all(c("m", "s") %in% all.vars(body(f)))) c("m", "s")
    ours <- opencl_function(f, gradient = slopes)
    for (turn in 1:3) {
      values <- chosen_values()
      for (device in ways_of(case)) compared <- compared + expect_as_r(f, ours, values, slopes, device, paste("case", case, "turn", turn))
    }
  })
  if (!as_on_cran()) expect_gt(compared, 45)
})

test_that("elements that are assigned by codes of the data are R's, with their gradients", {
  compared <- 0
  as_one(for (case in if (as_on_cran()) 1:3 else 1:16) {
    set.seed(7000 + case)
    f <- coded_function()
    slopes <- if (case %% 2L == 0L) c("a", "b")
    ours <- opencl_function(f, gradient = slopes)
    for (turn in 1:3) {
      values <- coded_values()
      for (device in ways_of(case)) compared <- compared + expect_as_r(f, ours, values, slopes, device, paste("case", case, "turn", turn))
    }
  })
  if (!as_on_cran()) expect_gt(compared, 25)
})

test_that("the devices agree on a learning model and on risk sets in a loop", {
  set.seed(7100)
  learning <- function(p, ch, rw) {
    alpha <- plogis(p[1])
    beta <- exp(p[2])
    Q <- c(0.5, 0.5)
    ll <- 0
    for (t in 1:length(ch)) {
      ll <- ll + log(exp(beta * Q[ch[t]]) / sum(exp(beta * Q)))
      Q[ch[t]] <- Q[ch[t]] + alpha * (rw[t] - Q[ch[t]])
    }
    -ll
  }
  cox <- function(b, x, time, event) {
    eta <- x * b
    ll <- 0
    for (i in which(event == 1)) ll <- ll + eta[i] - log(sum(exp(eta[time >= time[i]])))
    ll
  }
  time <- rexp(20)
  expect_model(learning, list(ch = sample(2L, 25L, TRUE), rw = rbinom(25L, 1L, 0.5)), list(p = c(0.2, 0.5)), everywhere = TRUE)
  expect_model(cox, list(x = rnorm(20), time = time, event = rbinom(20L, 1L, 0.6)), list(b = 0.3), everywhere = TRUE)
  expect_error(
    opencl_function(learning, gradient = "p")(c(0, 0), c(1L, 2L, 0L), c(1, 0, 1), device = "host"), "none of the vector's, from 1 to its length|a vector of codes has numbers from 1 on"
  )
})

test_that("a test of what the body computes chooses without a loop, too", {
  f <- function(x, s) sum(x[pnorm(x) > 0.5]) * s + mean((x^2)[x * s < 1])
  for (device in c("host", "plain")) expect_true(expect_as_r(f, opencl_function(f, gradient = c("x", "s")), list(x = c(1, -2, 3, 0.25), s = 0.5), c("x", "s"), device, "no loop"))
})

test_that("elements are assigned by which() of a test, also of texts, where the test is as long as the vector", {
  set.seed(12)
  y <- round(rnorm(12), 2)
  x <- round(runif(12), 2)
  g <- replace(rep(1:3, 4), 5, NA)
  s <- factor(rep(c("b", "a", "c"), 4))
  half <- rep(1:3, 2)
  right <- list(
    function(p) { r <- y - p[1]; r[which(g == 1)] <- p[2]; sum(r^2) }, function(p) { m <- numeric(12); m[which(s == "b")] <- p[1]; m[which(s != "b")] <- p[2]; sum((y - m)^2) },
    function(p) { r <- y - p[1]; r[which(r > 0)] <- p[2]; sum(r^2) }, function(p) { r <- y * p[1]; r[which(s == "a")] <- x[which(s == "a")] * p[2]; sum(r^2) },
    function(p) { m <- numeric(12); for (k in 1:3) m[which(g == k)] <- p[1] * k + p[2]; sum((y - m)^2) }, function(p) { r <- y - p[1]; r[s == "b"] <- p[2]; sum(r^2) }
  )
  other <- function(p) { r <- y - p[1]; r[which(half == 1)] <- p[2]; sum(r^2) }
  at <- c(0.3, 0.6)
  for (way in c(compiling_devices(), "plain")) {
    old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
    for (f in right) {
      ours <- opencl_function(f, gradient = "p")(at, device = if (way == "plain") "0" else way)
      expect_equal(as.vector(ours), f(at), tolerance = 1e-12, info = paste(way, deparse1(body(f))))
      expect_equal(unname(c(attr(ours, "gradient"))), differences(f, list(p = at), "p"), tolerance = 1e-7, info = paste(way, deparse1(body(f))))
    }
    expect_error(opencl_function(other, gradient = "p")(at, device = "0"), "has not as many elements")
    options(old)
  }
})

test_that("products of integers that a round chooses may be too large, with more rounds than rows, too", {
  skip_on_cran() # a matter of seconds
  f <- function(i, id, m) {
    total <- 0
    for (k in seq_along(m)) total <- total + sum(i[id == k] * i[id == k])
    total
  }
  said <- function(code) {
    warned <- character()
    value <- withCallingHandlers(as.vector(code), warning = function(w) {
      warned <<- c(warned, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    list(value, unique(warned))
  }
  for (i in list(2:3, c(2L, NA), c(50000L, 3L), c(2L, 60000L))) for (device in c("plain", test_devices())) {
    ours <- in_way(device, said(opencl_function(f)(i, 1:2, as.double(1:9), device = device_of_way(device))))
    expect_identical(ours, said(f(i, 1:2, as.double(1:9))))
  }
})
