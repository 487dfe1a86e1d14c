# Functions of each group that are sums and elements, in all the ways that R has to apply them: random ones beside R.

unoptimized_programs()

one_of <- function(...) sample(Filter(Negate(is.null), list(...)), 1L)[[1L]]

# Of a group: `v`, a vector of elements, and what is a number of them.
any_elements <- function(vectors, depth) {
  v <- one_of(vectors)
  if (depth == 0L) return(v[[1L]])
  more <- function() any_elements(vectors, depth - 1L)
  one_of(
    v[[1L]], call("-", more(), call("mean", more())), call("*", more(), quote(par[1])), call("/", more(), call("length", more())), call("exp", call("-", call("abs", more()))),
    bquote(dnorm(.(more()), .(one_of(quote(par[2]), call("mean", more()))), exp(par[3]), log = TRUE)), bquote(ifelse(.(more()) > .(one_of(0.21573, call("mean", more()))), .(more()), 0)),
    bquote((.(more()) + par[2])^2), call("+", more(), more()), bquote(.(more()) / (1 + sum(.(more())^2)))
  )
}
any_number <- function(vectors, depth = 2L) {
  v <- any_elements(vectors, depth)
  one_of(call("sum", v), call("mean", v), bquote(sum(.(v)) * par[1] / length(.(v))), bquote(log(1 + sum(.(v))^2)), bquote(mean(.(v))^2 + par[3]), bquote(ifelse(length(.(v)) > 3, sum(.(v)), par[2])))
}
in_block <- function(value, vectors) {
  if (runif(1) < 0.5) return(value)
  own <- one_of(quote(r <- par[1] * exp(par[3])), call("<-", quote(r), any_elements(vectors, 1L)), call("<-", quote(r), any_number(vectors, 1L)))
  by_own <- one_of(bquote(.(value) + sum(r)), bquote(.(value) * mean(r)), if (is.call(own[[3L]]) && identical(own[[3L]][[1L]], quote(mean))) bquote(.(value) - r))
  as.call(list(quote(`{`), own, if (is.null(by_own)) value else if (runif(1) < 0.5) call("return", by_own) else by_own))
}
fun <- function(name, body) as.call(list(quote(`function`), as.pairlist(stats::setNames(alist(a = ), name)), body))

any_function_of_groups <- function() {
  v <- list(quote(v))
  s <- list(quote(s$y), quote(s$x), quote(s[["y"]]))
  i <- list(quote(y[i]), quote(x[i]))
  x <- one_of(quote(y), quote(y * par[1]), quote(x - par[2] * y))
  numbers <- function() {
    way <- one_of(
      bquote(sapply(split(.(x), g), .(fun("v", in_block(any_number(v), v))))), bquote(vapply(split(.(x), g), .(fun("v", in_block(any_number(v), v))), numeric(1))),
      bquote(unlist(lapply(split(.(x), g), .(fun("v", in_block(any_number(v), v)))))), bquote(sapply(split(d, d$g), .(fun("s", in_block(any_number(s), s))))),
      bquote(unlist(lapply(split(seq_along(y), g), .(fun("i", in_block(any_number(i), i)))))), bquote(unlist(lapply(split(d, g), .(fun("s", in_block(any_number(s), s))))))
    )
    one_of(call("sum", way), bquote(sum(.(way)^2)), bquote(mean(.(way))), call("sum", call("*", way, quote(u))))
  }
  tables <- function() {
    one_of(
      bquote(sum(by(d, d$g, .(fun("s", any_number(s)))))), bquote(sum(tapply(.(x), g, .(fun("v", any_number(v)))) * u)), bquote(Reduce("+", lapply(split(d, d$g), .(fun("s", any_number(s))))))
    )
  }
  elements <- function() {
    way <- one_of(
      bquote(unlist(lapply(split(.(x), g), .(fun("v", any_elements(v, 2L)))))), bquote(unlist(tapply(.(x), g, .(fun("v", any_elements(v, 2L)))))),
      bquote(unsplit(lapply(split(.(x), g), .(fun("v", any_elements(v, 2L)))), g)), bquote(ave(.(x), g, FUN = .(fun("v", any_elements(v, 2L))))),
      bquote(ave(.(x), g, FUN = .(one_of(quote(length), quote(sd), fun("v", any_number(v, 1L)))))), bquote(unlist(lapply(split(d, d$g), .(fun("s", any_elements(s, 2L))))))
    )
    one_of(bquote(sum(.(way)^2)), bquote(sum(.(way) * w)), bquote({ r <- .(way); sum(dnorm(r, par[2], exp(par[3]), log = TRUE)) / 4 + r[2] }))
  }
  one_of(numbers, elements, tables)()
}

# Value and gradient with a compiler and without, and the value alone.
compared_with_r <- function(f, par, told, ways = c(if (compiler_here()) "0", "plain")) {
  r <- f(par)
  slopes <- differences(function(par) as.vector(f(par)), list(par = par), "par")
  for (device in ways) {
    old <- options(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler"))
    on <- if (device == "plain") "0" else device
    ours <- tryCatch(opencl_function(f, gradient = "par")(par, device = on), error = conditionMessage)
    alone <- tryCatch(opencl_function(f)(par, device = on), error = conditionMessage)
    options(old)
    expect_equal(as.vector(ours), as.vector(r), tolerance = 1e-11, info = told)
    expect_equal(alone, r, tolerance = 1e-11, info = told)
    expect_equal(unname(attr(ours, "gradient")), slopes, tolerance = 1e-6, info = told)
  }
}

test_that("random functions of groups are R's, in all ways to apply them, with their gradients", {
  skip_on_cran() # a matter of seconds
  as_one(for (case in if (as_on_cran()) 1:3 else 1:12) {
    set.seed(4000 + case)
    codes <- sample(c(3, 1, 7), 15L, TRUE)
    y <- round(rnorm(15), 2)
    x <- round(runif(15), 2)
    g <- one_of(codes, as.integer(codes), factor(codes), letters[codes], factor(letters[codes], levels = c("g", "a", "c")))
    w <- round(rnorm(15), 1)
    u <- round(rnorm(3), 1)
    d <- data.frame(y = y, x = x, g = g)
    if (length(unique(codes)) < 3L) next
    f <- function(par) NULL
    body(f) <- bquote({ .(any_function_of_groups()) + par[2] * par[3]^2 })
    compared_with_r(f, c(0.3, -0.2, 0.4), paste(case, deparse1(f)), ways_of(case))
  })
})

test_that("names, types, missing groups, levels of no element and recycled groups are R's, or are refused", {
  functions <- list(
    function(x, g, p) unlist(lapply(split(x, g), function(v) v - mean(v))), function(x, g, p) unlist(lapply(split(x, g), function(v) v * 2L)),
    function(x, g, p) unlist(lapply(split(x * p, g), function(v) v > 0.3)), function(x, g, p) unlist(lapply(split(x, g), function(v) as.numeric(v) - p), use.names = FALSE),
    function(x, g, p) sapply(split(x, g), function(v) sum(v) * p), function(x, g, p) sapply(split(x, g), function(v) sum(v)), function(x, g, p) sapply(split(x, g), length),
    function(x, g, p) sapply(split(x, g), function(v) mean(v > p)), function(x, g, p) sapply(split(x, g), var), function(x, g, p) sapply(split(x * p, g), sd),
    function(x, g, p) vapply(split(x, g), function(v) sum(v), numeric(1)), function(x, g, p) vapply(split(x, g), function(v) sum(v > 0) * p, 0),
    function(x, g, p) sapply(split(x, g), function(v) mean(v, na.rm = TRUE)), function(x, g, p) sapply(split(x, g), function(v) sum(v, na.rm = TRUE) + length(v)),
    function(x, g, p) sapply(split(x, g, drop = TRUE), function(v) sum(exp(v)) - as.numeric(p)), function(x, g, p) unlist(lapply(split(x, g), function(v) exp(p + mean(v)))),
    function(x, g, p) unsplit(lapply(split(x, g), function(v) v + 1L), g), function(x, g, p) unsplit(lapply(split(x * p, g), mean), g),
    function(x, g, p) ave(x, g, FUN = function(v) v - mean(v)), function(x, g, p) ave(x, g, FUN = length), function(x, g, p) ave(x * p, g, FUN = function(v) sum(v) / length(v)),
    function(x, g, p) sum(unlist(tapply(x, g, function(v) v - mean(v)))^2) * p, function(x, g, p) rev(unlist(lapply(split(x, g), function(v) v - p))),
    function(x, g, p) { d <- x; sapply(split(seq_along(d), g), function(i) sum(d[i]) / length(i)) }
  )
  compared <- refused <- 0
  as_one(for (place in seq_along(functions)) {
    set.seed(600 + place)
    f <- functions[[place]]
    ours <- opencl_function(f)
    for (turn in seq_len(cases(12, 6, 4))) {
      codes <- sample(c(3, 1, 7), 6L, TRUE)
      if (runif(1) < 0.3) codes[sample(6L, 1L)] <- NA
      g <- one_of(
        codes, as.integer(codes), codes > 2, factor(codes), factor(codes, levels = c(7, 2, 1, 3)), letters[codes], rep_len(c(1, 2), 3L), c(codes, 3), rep(NA_real_, 6), factor(codes[0]), 7
      )
      x <- one_of(round(rnorm(6), 2), sample(9L, 6L), c(a = 1, b = 2, c = 0.5, d = 3, e = -1, f = 0), c(1, NA, 2, NaN, 0.5, 1), numeric())
      if ("unsplit" %in% all.names(body(f))) x <- unname(x) # else R's names are all NA
      p <- one_of(1.5, if (identical(body(f)[[1L]], quote(sapply))) c(q = 1.5))
      plain <- !compiler_here() || turn %% 3 == 0
      said <- list(character(), character())
      kept <- function(code, k) withCallingHandlers(code, warning = function(w) { said[[k]] <<- unique(c(said[[k]], conditionMessage(w))); invokeRestart("muffleWarning") })
      old <- options(nmathopencl.compiler = if (plain) FALSE else getOption("nmathopencl.compiler"))
      value <- tryCatch(kept(ours(x, g, p, device = "0"), 1L), error = identity)
      options(old)
      told <- paste(deparse1(body(f)), deparse1(x), deparse1(g), deparse1(p), plain)
      if (inherits(value, "error")) {
        refused <- refused + 1
        if (!inherits(value, "nmathopencl_error")) expect_identical(conditionMessage(value), tryCatch(kept(f(x, g, p), 2L), error = conditionMessage), info = told)
        next
      }
      r <- tryCatch(kept(f(x, g, p), 2L), error = conditionMessage)
      expect_equal(value, r, tolerance = 1e-13, info = told)
      expect_identical(typeof(value), typeof(r), info = told)
      expect_identical(said[[1L]], said[[2L]], info = told)
      compared <- compared + 1
    }
  })
  if (!as_on_cran()) expect_gt(compared, cases(200, 90))
  expect_lt(refused, compared / 3)
})

test_that("a function of many groups takes a program of bounded size, and texts of a data frame are R's to compare", {
  skip_without_compiler()
  set.seed(3)
  d <- data.frame(y = rnorm(600), sex = rep(c("f", "m", "f"), 200), id = sample(200, 600, TRUE))
  f <- function(par) sum(sapply(split(d, d$id), function(s) sum(ifelse(s$sex == "f", s$y - par[1], s$y * par[2])^2) / nrow(s) + sum(s$sex %in% c("m", "x"))))
  compared_with_r(f, c(0.3, 0.5), "texts")
  h <- opencl_function(f, gradient = "par", data = list(d = d))
  h(c(1, 2), device = "0")
  expect_lt(nchar(paste(as.character(h), collapse = "")), 60000)
})

test_that("what stands beside a group's elements and is longer than a number is refused, and no data frame is none", {
  x <- c(1, 2, 4)
  g <- c(1, 2, 1)
  w <- c(0.5, 1)
  d <- list(y = x, g = g)
  for (compiled in c(TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
    one <- function(f) opencl_function(f, gradient = "p")(2, device = "0")
    expect_error(one(function(p) sum(unlist(lapply(split(x, g), function(v) v * w - p)))), "numbers of length one", class = "nmathopencl_error")
    expect_error(one(function(p) sum(unlist(lapply(split(x, g), function(v) v * w - p))^2)), "has to have length one", class = "nmathopencl_error")
    expect_error(one(function(p) sum(sapply(split(d, d$g), function(s) sum(s$y * p)))), "`d`, of which each group's rows are taken, is no data frame", class = "nmathopencl_error")
    expect_error(one(function(p) sum(unlist(lapply(split(x, g), function(v) v[-1] * p)))), "unlist(lapply(split(y, g), function(v) v - mean(v)))", fixed = TRUE)
    options(old)
  }
})

test_that("loops over unique(id), and sapply() of it, are R's with a number of each group, names and missing groups", {
  any_of_subject <- function() {
    own <- one_of(quote(which(id == i)), quote(id == i))
    v <- one_of(quote(y[own]), quote(y[id == i]), quote((y[own] - par[1] * x[own])), quote((y[id == i] - u[i])))
    r <- one_of(v, bquote(.(v) - drop(Z[own, ] %*% par[1:2])), bquote(dnorm(.(v), u[i], exp(par[2]), log = TRUE)), call("-", v, call("mean", v)))
    value <- one_of(quote(sum(r^2)), quote(sum(r) * u[i]), quote(mean(r)), quote(log(1 + sum(r)^2) - par["b"]), quote(sum(r) / (1 + sum(own > 0))), quote(u[i]^2 + sum(r)), if (is.call(own) && identical(own[[1L]], quote(which))) quote(sum(r) / length(own)))
    list(call("<-", quote(own), own), call("<-", quote(r), r), value)
  }
  compared <- 0
  as_one(for (case in if (as_on_cran()) 1:3 else 1:10) {
    set.seed(5000 + case)
    id <- sample(4L, 16L, TRUE)
    if (case %% 5 == 0) id[3L] <- NA
    y <- round(rnorm(16), 2)
    x <- round(rnorm(16), 1)
    Z <- cbind(1, x)
    u <- one_of(c(0.2, -0.3, 0.5, 1), c(p = 0.2, q = -0.3, r = 0.5, s = 1))
    if (case %% 5 == 0 && length(unique(id)) < 5L) next
    parts <- any_of_subject()
    block <- as.call(c(quote(`{`), parts))
    adds <- one_of(bquote(s <- s + .(parts[[3L]])), bquote(s <- s + .(parts[[3L]]) - par[3] / 2), bquote(s <- s - par[1] + .(parts[[3L]])))
    f <- function(par) NULL
    body(f) <- one_of(
      bquote({ s <- par[[3]]; for (i in unique(id)) .(as.call(c(quote(`{`), parts[1:2], adds))); s }), bquote(sum(sapply(unique(id), function(i) .(block))) * par[[3]]),
      bquote(sum(vapply(unique(id), function(i) .(block), numeric(1))) + par[[3]]), bquote({ s <- 0; for (i in unique(id)) { own <- which(id == i); s <- s + sum(y[own]) * par[3] }; s + i })
    )
    par <- c(a = 0.3, b = -0.2, c = 0.8)
    r <- tryCatch(f(par), error = function(e) NULL)
    for (way in ways_of(case)) {
      ours <- in_way(way, tryCatch(opencl_function(f)(par, device = device_of_way(way)), nmathopencl_error = function(e) "refused"))
      with_slopes <- in_way(way, tryCatch(opencl_function(f, gradient = "par")(par, device = device_of_way(way)), nmathopencl_error = function(e) "refused"))
      told <- paste(case, deparse1(f), way)
      if (is.null(r)) expect_identical(ours, "refused", info = told)
      if (is.null(r) || (anyNA(id) && identical(ours, "refused"))) next
      compared <- compared + 1
      expect_equal(ours, r, tolerance = 1e-11, info = told)
      if (!is.na(r)) expect_equal(unname(attr(with_slopes, "gradient")), differences(function(par) as.vector(f(par)), list(par = par), "par"), tolerance = 1e-6, info = told)
    }
  })
  expect_gt(compared, if (as_on_cran()) 0 else 5)
})

test_that("a group's sum of integers beyond them, which is a double in R, is no NA", {
  x <- c(2147483647L, 1L, 5L, 7L)
  g <- c(1, 1, 2, 2)
  for (compiled in c(if (compiler_here()) TRUE, FALSE)) {
    old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
    for (f in list(function(x, g) sapply(split(x, g), function(v) sum(v)), function(x, g) as.vector(tapply(x, g, sum)))) {
      h <- opencl_function(f)
      ours <- tryCatch(h(x, g, device = "0"), error = conditionMessage)
      if (is.character(ours)) expect_match(ours, "beyond the integers") else expect_equal(ours, f(x, g))
      expect_equal(h(as.numeric(x), g, device = "0"), f(as.numeric(x), g))
      expect_identical(h(x[-1L], g[-1L], device = "0"), f(x[-1L], g[-1L]))
    }
    options(old)
  }
})
