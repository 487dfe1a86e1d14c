# What a user of opencl_function() is told to write instead.
unoptimized_programs()

test_that("what the language lacks is an error that says what to write", {
  lacking <- function(f, text) expect_error(opencl_function(f), text, class = "nmathopencl_error", fixed = TRUE)
  lacking(function(x) (x + 1)$a, "`$` is not supported: an expression knows elements of lists that are arguments")
  lacking(function(x) x@a, "`@` is not supported")
  lacking(function(x) x + sort(pnorm(x)), "It stands in `sort(pnorm(x))`; ?opencl_language")
  lacking(function(x) lapply(x, exp), "Call the function with the vector itself")
  lacking(function(x) {
    names(x) <- 2
    x
  }, "names are given by texts that stand there")
  lacking(function(x) (function(y) y)(x), "name <- opencl_function(function(x) ...)")
  lacking(function(x) pnorm5(x, 0, 1, 1, 0), "there is no such function here, but pnorm()")
  lacking(function(x) lGamma(x), "but lgamma()")
  lacking(function(x) nothing_of_that_name(x), "there is no such function here")
  lacking(function(x) x + "a", "the constant `\"a\"` is not a number")
  lacking(function(x) utils::stack(x), "`stack()` is a function of the package utils, and not written in the language: an expression has no lists")
  lacking(function(...) 1, "name its arguments")
})

test_that("messages about products with a matrix name the matrix and the lengths", {
  skip_without_compiler() # R, which computes without one, has messages of its own
  X <- matrix(as.double(1:6), 3)
  reported <- function(f, ..., text) expect_error(opencl_function(f)(..., device = "host"), text, class = "nmathopencl_error", fixed = TRUE)
  reported(function(X, b) X %*% b, X, matrix(1, 1, 2), text = "non-conformable arguments, 2 columns and 1 rows")
  reported(function(X, b) X %*% b, X, c(1, 2, 3), text = "non-conformable arguments, 2 columns and 3 coefficients: give one for each column")
  reported(function(X, b, y) X %*% b + y, X, c(1, 2), 1:6 + 0, text = "dims [product 3] do not match the length of object [6]")
  expect_identical(opencl_function(function(X, b, q) ifelse(q, X %*% b, 1))(X, c(1, 2), TRUE, device = "host"), (X %*% c(1, 2))[1])
  expect_equal(opencl_function(function(X, b) X %*% b)(X, matrix(c(1, 2)), device = "host"), X %*% c(1, 2))
})

test_that("what depends on the arguments is refused at the call, with the user's own line", {
  skip_without_compiler()
  reported <- function(f, ..., text) expect_error(opencl_function(f)(..., device = "host"), text, class = "nmathopencl_error", fixed = TRUE)
  reported(function(x) dnorm(x) %in% 2, 1, text = "x == a | x == b")
  reported(function(x, link) if (link == "a") x else x * link, 1, "b", text = "`link` is a text where a number is needed")
  reported(function(x, w = NULL) if (is.null(x)) 1 else x + w, 1, text = "`w` is NULL where a number is needed")
})

test_that("arguments of other types are named with what to give", {
  f <- opencl_function(function(x) x)
  reported <- function(x, text) expect_error(f(x), text, class = "nmathopencl_error", fixed = TRUE)
  reported(factor("a"), "as.numeric(x == \"a\"), or its codes from 1, as.integer(x), or make the function with it in `data`")
  reported(matrix("a"), "is of type character")
  reported(Sys.Date(), "as.numeric(x)")
  reported(data.frame(a = 1), "as.matrix(x), or its columns")
  reported(stats::ts(c(1, 2, 4)), "as.numeric(x)")
  reported(table(c(1, 2), c(1, 1)), "Give unclass(x)")
  reported("a", "is of type character")
})

test_that("a flag is the first of a vector, as R takes it", {
  skip_without_compiler()
  f <- opencl_function(function(x, l) pnorm(x, lower.tail = l))
  x <- c(1, 2, -1)
  for (l in list(c(FALSE, TRUE), c(TRUE, FALSE, FALSE), FALSE, c(FALSE, FALSE), c(0, 1), NA, c(NA, FALSE))) {
    expect_equal(f(x, l, device = "host"), pnorm(x, lower.tail = l), tolerance = 1e-14)
  }
})

test_that("names that C or R gives a function are names of calls for a kernel", {
  path <- tempfile("calls")
  dir.create(path)
  writeLines(c("Package: calls", "Version: 0.1", "Title: Calls", "License: GPL-2"), file.path(path, "DESCRIPTION"))
  calls <- c("pnorm5", "lgamma", "gamma", "besselI", "dgamma_opencl")
  rows <- nmathopencl:::called_rows(calls)
  expect_equal(vapply(rows, function(row) row$name, ""), c("pnorm", "lgammafn", "gammafn", "besselI", "dgamma"))
  expect_error(nmathopencl:::called_rows(c("lgamma", "lgammafn")), "twice, by different names", class = "nmathopencl_error")
  expect_error(nmathopencl:::called_rows("dgama"), "there are dgamma", class = "nmathopencl_error")
  suppressMessages(use_nmath_kernel(path, "terms", calls[1:2]))
  kernel <- readLines(file.path(path, "inst", "cl", "src", "terms.cl"))
  expect_match(kernel, "@depends_nmath: pnorm, lgamma", all = FALSE)
})

test_that("a path of a file is told to go with package = NULL", {
  file <- tempfile(fileext = ".cl")
  writeLines("__kernel void nothing() {}", file)
  expect_error(opencl_program(file), "package = NULL", class = "nmathopencl_error", fixed = TRUE)
  expect_s3_class(opencl_program(file, package = NULL), "opencl_program")
})

test_that("a function's name in a tag for files is told its file", {
  file <- tempfile(fileext = ".cl")
  writeLines(c("// @depends_nmath: lgammafn", "__kernel void nothing() {}"), file)
  expect_error(opencl_program(file, package = NULL), "the file that has this function is 'lgamma'", class = "nmathopencl_error", fixed = TRUE)
})

test_that("messages of loops over data say what is wrong, and what to write", {
  skip_without_compiler()
  x <- as.double(1:100)
  reported <- function(f, ..., text, pointer = TRUE) {
    error <- expect_error(opencl_function(f)(..., device = "host"), text, class = "nmathopencl_error", fixed = TRUE)
    expect_identical(endsWith(conditionMessage(error), "(see ?nmathopencl_limits)"), pointer)
  }
  reported(function(x) {
    s <- 0
    for (k in 1:length(x)) s <- 0.5 * s + sum(x[k], s, na.rm = TRUE)
    s
  }, x, text = "`for (k in 1:length(x))`: sum() with na.rm of what a round has made is not supported: replace missing values before")
  reported(function(x, y) {
    s <- 0
    for (k in 1:100) if (k > 1) s <- s + log(y + k)
    s
  }, x, c(1, 2), text = "`if (k > 1)`: `s` has length 2 where the condition is TRUE, and 1 where it is FALSE: make it as long before")
  reported(function(x, y) {
    s <- 0
    for (k in 1:100) if (k > y) s <- s + 1
    s
  }, x, c(1, 2), text = "the condition of `if` has length 2 in `if (k > y)`: use ifelse()", pointer = FALSE)
  in_branch <- opencl_function(function(x, q) ifelse(q, x, if (NA) x else 1), gradient = "x")
  expect_error(in_branch(x, TRUE, device = "host"), "in `if (NA)`. It stands where a condition decides, as in a branch of ifelse(): R may not come there", class = "nmathopencl_error", fixed = TRUE)
  reported(function(x, q) if (q) 1 else 2, x, NA, text = "missing value where TRUE/FALSE needed in `if (q)`", pointer = FALSE)
  pmax_of <- function(x, y) {
    s <- 0
    for (k in 1:length(x)) s <- s + pmax(x[k], y, na.rm = TRUE)
    s
  }
  expect_equal(opencl_function(pmax_of)(c(x, NA), c(1, 2), device = "host"), pmax_of(c(x, NA), c(1, 2)))
})

test_that("what the recommended text computes is what R computes with na.rm", {
  x <- c(1, NA, as.double(3:100))
  instead <- function(x) {
    h <- numeric(length(x))
    h[1] <- x[1]
    for (t in 2:length(x)) h[t] <- 0.5 * h[t - 1] + (if (is.na(x[t])) 0 else x[t])
    sum(h)
  }
  expect_equal(opencl_function(instead)(x, device = "host"), instead(x))
})

test_that("messages that state a limit end with the page that lists them", {
  ends <- function(code) {
    error <- expect_error(code, class = "nmathopencl_error")
    expect_match(conditionMessage(error), "(see ?nmathopencl_limits)", fixed = TRUE)
    expect_false(grepl("nmathopencl_limits.*nmathopencl_limits", conditionMessage(error)))
  }
  made <- opencl_function
  y <- c(0.5, 1, 2)
  ends(made(function(x, a) rnorm(3, a), gradient = "a"))
  ends(made(function(x, size, p) sum(dbinom(x, size, p)), gradient = "size"))
  ends(made(function(x, s) sum(pt(x, 5, ncp = s)), gradient = "s", hessian = TRUE))
  ends(made(function(y, m) sum(y * m), data = list(y = y), gradient = "y"))
  ends(made(function(x, s) x * s, gradient = "s", hessian = TRUE))
  ends(made(function(x) sort(pnorm(x)), gradient = "x"))
  ends(made(function(x) x + match.fun("x")))
  limited <- options(nmathopencl.available = 1e6)
  on.exit(options(limited))
  ends(dnorm_opencl(numeric(4e7), device = "host"))
  options(limited)
  f <- made(function(y, m) dnorm(y, m, log = TRUE), reduce = "sum", gradient = "m", hessian = TRUE)
  ends(f(y, by = c(1L, 1L, 2L), over = list(m = 1:2)))
  ends(f(y, over = list(m = array(0, c(1, 1, 1, 1)))))
  skip_without_compiler()
  ends(made(function(X, b) X %*% b, gradient = "X")(diag(3), y, device = "host"))
  ends(made(function(X, b) X %*% b + b, gradient = "b")(diag(3), y, device = "host"))
  ends(made(function(u) sum(u^2) + sum(u)^2, gradient = "u", hessian = TRUE)(as.double(1:1001), device = "host"))
  ends(made(function(x) matrix(x, 20, 10))(as.double(1:100), device = "host"))
  ends(made(function(x) {
    for (k in 1:70) x <- x[-1]
    x
  })(as.double(1:100), device = "host"))
  endless <- function(x) endless(x) + 1
  ends(made(function(x) endless(x))(1, device = "host"))
  ends(made(function(x, y, b) sum(dnorm(y, b * x, log = TRUE)), gradient = "b")(c(1, 2), as.double(1:7), 2, device = "host"))
})

test_that("matrices that are made by outer(), t() and crossprod() have the names that R's have", {
  X <- matrix(as.double(1:6), 3, dimnames = list(c("i", "j", "k"), c("u", "v")))
  wide <- matrix(as.double(1:60), 3, dimnames = list(letters[1:3], paste0("c", 1:20)))
  x <- c(a = 1, b = 2, c = 3)
  w <- c(1, 2, 3)
  many <- stats::setNames(as.double(1:20), paste0("m", 1:20)) # more than are written out
  functions <- alist(
    outer(x, w), outer(w, x), outer(x, x, "-"), outer(w, w), outer(x * 2, x + w), exp(outer(x, x)) * 2, outer(x[-1], x), outer(rev(x), w), t(outer(x, w)),
    outer(x, many), outer(many, x), outer(X[, 1], x), t(X), t(X) + 1, t(x), t(t(X)), crossprod(X), crossprod(X, w), crossprod(X, X * 2), t(X * 2), t(wide), crossprod(wide, w),
    outer(X[, "u"], X[, 2], "/"), outer(2, x), outer(x, 2), unname(t(X)), t(w), t(w) * 2, exp(t(w)), t(-w), c(a = w)
  )
  for (one in functions) {
    f <- eval(bquote(function(x, w, X, wide, many) .(one)))
    ours <- tryCatch(opencl_function(f), error = function(e) NULL)
    expect_false(is.null(ours), info = deparse1(one))
    expect_equal(ours(x, w, X, wide, many, device = "host"), f(x, w, X, wide, many), info = deparse1(one))
    bare <- lapply(list(x, w, X, wide, many), function(v) if (is.null(dim(v))) as.vector(v) else unname(v))
    if (!grepl("\"u\"", deparse1(one))) { # the same program, other names
      expect_equal(do.call(ours, c(bare, device = "host")), do.call(f, bare), info = deparse1(one))
      names(x) <- c("p", "q", "r")
      expect_equal(ours(x, w, X, wide, many, device = "host"), f(x, w, X, wide, many), info = deparse1(one))
    }
  }
})

test_that("messages have the user's names where the body is written anew", {
  skip_on_cran() # a matter of seconds
  y <- c(1, 2.5, 3, 4)
  id <- c(1, 1, 2, 2)
  d <- data.frame(y = y, id = id)
  X <- cbind(1, y)
  bodies <- list(
    quote({ ids <- unique(id); for (j in seq_along(ids)) { v <- y[id == ids[j]]; a <- 0; for (t in seq_along(v)) a <- a + BAD; s <- s + a } }),
    quote({ ids <- unique(id); for (j in seq_along(ids)) { v <- y[id == ids[j]]; a <- 0; for (t in seq_along(v)) a <- a + v[t]; s <- s + a + BAD } }),
    quote(s <- s + sum(sapply(split(y, id), function(v) BAD))), quote(s <- s + sum(sapply(split(d, d$id), function(e) { v <- e$y; BAD }))),
    quote(for (i in unique(d$id)) { e <- d[d$id == i, ]; v <- e$y; for (t in seq_len(nrow(e))) s <- s + BAD }), quote(s <- s + sum(apply(X, 1, function(v) BAD))),
    quote(s <- s + sum(mapply(function(v, w) BAD, y, y))), quote(s <- s + Reduce(function(a, v) a + BAD, y)), quote(s <- s + sum(tapply(y, id, function(v) BAD))),
    quote(s <- s + sum(do.call(rbind, lapply(1:3, function(k) { v <- y * k; BAD })))), quote(s <- sum(sapply(unique(id), function(i) { v <- y[id == i]; a <- 0; for (t in seq_along(v)) a <- a + v[t]; BAD })))
  )
  for (body in bodies) for (bad in list(quote(foo(v)), quote(chol(v)), quote(list(1, v)), quote(dnorm(v, sdd = 2)), quote(sort(v)[1]), quote(stop("bad")), quote(NULL))) {
    f <- as.function(c(alist(p = ), call("{", quote(s <- p[1]), do.call(substitute, list(body, list(BAD = bad))), quote(s))))
    for (compiled in c(TRUE, FALSE)) {
      old <- options(nmathopencl.compiler = if (!compiled) FALSE else getOption("nmathopencl.compiler"))
      e <- tryCatch({ suppressWarnings(opencl_function(f)(c(0.5, 0.2), device = "0")); NULL }, error = identity)
      options(old)
      if (is.null(e)) next
      said <- paste(conditionMessage(e), deparse1(conditionCall(e)))
      expect_false(grepl("[.](of_|group|numbers_of|at[0-9]*[^a-z]|one_number|mapped|as_apply|element[0-9])", said), info = said)
    }
  }
})

test_that("a function that ends in a loop is told what to write", {
  for (f in list(
    function(x, p) { i <- x[1]; while (i < 3) i <- i + p[1] }, function(x, p) { i <- x[1]; for (k in 1:3) i <- i + p[1] }, function(x, p) { i <- x[1]; for (k in 1:30) { z <- 1; i[1] <- i + p[1] } },
    function(x, p) { i <- x[1]; repeat { i <- i + p[1]; break } }, function(x, p) { i <- x[1]; if (i > 0) for (k in 1:3) i <- i + p[1] else i }
  )) expect_error(opencl_function(f, gradient = "p")(1, 0.5, device = "0"), "stands last, and the value of a loop is NULL in R: write the value behind it, `i` in a line of its own", fixed = TRUE)
  expect_error(opencl_function(function(s, y, g) for (k in unique(g)) s <- s + sum(y[g == k])^2), "write the value behind it, `s`", fixed = TRUE)
})
