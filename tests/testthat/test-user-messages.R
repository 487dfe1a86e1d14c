# What a user reads of a call that went wrong, and what print() shows.

unoptimized_programs()

density <- function(y, m) dnorm(y, m, 1, log = TRUE)

test_that("conditions of a call name the user's call", {
  f <- opencl_function(density)
  for (k in 1:2) { # before there is a plan for its shape, and after
    error <- expect_error(f(1:3), "argument \"m\" is missing, with no default")
    expect_identical(conditionCall(error), quote(f(1:3)))
    f(c(1, 2, 3), 1, device = "host")
  }
  g <- opencl_function(function(y, m) y + m * not_defined_anywhere)
  error <- expect_error(g(numeric(), 1), "not_defined_anywhere")
  expect_identical(conditionCall(error), quote(g(numeric(), 1)))
})

test_that("print() shows the R function, its gradient and where it was computed, not the kernel", {
  f <- opencl_function(density, reduce = "sum", gradient = "m")
  expect_match(paste(capture.output(print(f)), collapse = "\n"), "gradient in m\nnot computed yet")
  f(c(1, 2, 3), 1, device = "host")
  shown <- capture.output(print(f))
  if (compiler_here()) expect_match(paste(shown, collapse = "\n"), "computed last on host\nas.character\\(\\)")
  expect_false(any(grepl("__kernel", shown)))
})

test_that("as_objective() checks names when it is made, and prints in two lines", {
  ll <- opencl_function(density, reduce = "sum", gradient = "m")
  y <- c(1, 2, 3)
  expect_error(as_objective(ll, c(q = 1), list(y = y)), "`q` in `start` is not an argument of `ll`", class = "nmathopencl_error")
  expect_error(as_objective(ll, c(m = 1), list(y = y, z = 2)), "`z` in `data` is not an argument", class = "nmathopencl_error")
  expect_error(as_objective(ll, c(m = 1)), "`y` of `ll` is neither in `start` nor in `data`", class = "nmathopencl_error")
  expect_error(as_objective(ll, c(m = 1), list(y = y), devise = "host"), "arguments of `ll` go to `data`", class = "nmathopencl_error")
  objective <- as_objective(ll, c(m = 1), list(y = y), device = "host")
  expect_identical(capture.output(print(objective))[1L], "objective of 1 parameter: m")
  expect_equal(optimize(objective$fn, c(-5, 5))$minimum, 2, tolerance = 1e-6)
  bad <- as_objective(ll, c(m = 1), list(y = letters))
  error <- expect_error(bad$fn(1), "`y` is of type character")
  expect_identical(conditionCall(error), quote(bad$fn(1)))
})

test_that("errors of gradients say what to write instead", {
  mixed <- opencl_function(function(X, b) X %*% b + b, gradient = "b")
  expect_error(mixed(diag(2), c(1, 2), device = "host"), "f(X, b, c) with X %*% b + c", fixed = TRUE)
})

test_that("groups that are more than the memory are refused", {
  total <- opencl_function(function(y) y, reduce = "sum")
  expect_length(total(c(1, 2), by = c(1L, 200000L)), 200000)
  old <- options(nmathopencl.available = 1e9)
  on.exit(options(old))
  expect_error(total(c(1, 2), by = c(1L, 2000000000L)), "larger than the memory that is available", class = "nmathopencl_error")
})

test_that("as_objective() names an element beyond the end of a parameter", {
  ll <- opencl_function(function(y, x, b) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), gradient = "b")
  short <- as_objective(ll, list(b = 0), list(y = c(1, 2, 3), x = c(1, 2, 3)), device = "host")
  expect_warning(short$fn(0), "`b[2]` is beyond the end of `b`, which has 1 element", fixed = TRUE)
  long <- as_objective(ll, list(b = c(0, NA)), list(y = c(1, 2, 3), x = c(1, 2, 3)), device = "host")
  expect_warning(long$fn(c(0, NA)), "`b` has 1 missing value")
})

test_that("an argument that is neither in data nor given is named, with what data have", {
  columns <- data.frame(yy = c(1, 2, 3), x = c(1, 2, 3))
  f <- opencl_function(function(y, x, b) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), gradient = "b", data = columns)
  error <- expect_error(f(b = c(0, 1)), "`y` is not given, and `data` has no `y`, but `yy`, `x`", class = "nmathopencl_error")
  expect_identical(conditionCall(error), quote(f(b = c(0, 1))))
  g <- opencl_function(function(b, y, x) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), data = columns)
  expect_error(g(c(0, 1)), "`data` has no `y`", class = "nmathopencl_error")
  whole <- opencl_function(function(y, x, b) sum(y * b + x), data = list(y = 1:3, x = c(1, 2, 3)))
  expect_error(whole(2), "write whole(b = 2)", fixed = TRUE, class = "nmathopencl_error")
  expect_error(whole(), "`b` is not given", class = "nmathopencl_error")
  of_list <- opencl_function(function(y, par) sum(y * par$b), data = list(y = 1:3))
  expect_error(of_list(y = 1), "`par` is not given", class = "nmathopencl_error")
  expect_identical(whole(b = 2, device = "host"), 18)
})

test_that("what is not known is named, with what to write", {
  refused <- function(f, text) expect_error(opencl_function(f), text, fixed = TRUE, class = "nmathopencl_error")
  refused(function(x) optimize(function(u) (u - x)^2, c(0, 1))$minimum, "`optimize()` is not supported: it calls a function again and again")
  refused(function(x) no_such_function_here(x)$value, "`no_such_function_here()` is not supported")
  refused(function(x) {
    parts <- list(a = x)
    sum(parts$a) * lengths(parts)
  }, "`list()` is not supported: an expression computes with vectors")
  refused(function(x) x * integrate(function(t) exp(-t^2), 0, 1)$value, "s + weights[k] * f(nodes[k])")
  if (compiler_here()) expect_error(opencl_function(function(x) sum(x[TRUE]))(c(1, 2), device = "host"), "x[seq(1, length(x), by = 2)]", fixed = TRUE)
  refused(function(par) {
    cat(par, "\n")
    sum(par)
  }, "trace around the call, function(par) { cat(par, \"\\n\"); f(par) }")
  recycled <- opencl_function(function(y, x, b) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), gradient = "b")
  expect_error(recycled(rep(1, 20), 1:7 / 7, c(0, 0.1), device = "host"), "`x` has length 7 and is recycled to length 20", class = "nmathopencl_error")
})

test_that("a device that is not there is told of once for a call", {
  old <- options(nmathopencl.device = NULL)
  on.exit(options(old))
  skip_if(any(opencl_devices()$type == "gpu"))
  ll <- opencl_function(function(y, x, b) sum(dpois(y, exp(b[1] + b[2] * x), log = TRUE)), gradient = "b")
  reported <- with_conditions(ll(c(1, 2, 3), c(1, 2, 3), c(0, 1), device = "gpu", fallback = TRUE))
  expect_length(reported$warnings, 1L)
  expect_equal(c(reported$value), sum(dpois(1:3, exp(1:3), log = TRUE)))
})

# The error of a call, of our class, whose text has each of `texts`.
reported <- function(code, ...) {
  error <- expect_error(code, class = "nmathopencl_error")
  for (text in c(...)) expect_match(conditionMessage(error), text, fixed = TRUE)
  invisible(error)
}

test_that("`by` of a function without `reduce` says how it is made, in two lines that work", {
  g <- factor(c("a", "b", "a"))
  y <- c(1, 2, 3)
  own <- opencl_function(function(y, m) sum(dnorm(y, m, 1, log = TRUE)), gradient = "m")
  error <- reported(own(y, 1, by = g), "unused argument (by = g)", "Return the terms, and let `reduce` add them up")
  expect_identical(conditionCall(error), quote(own(y, 1, by = g)))
  lines <- trimws(strsplit(conditionMessage(error), "\n")[[1L]][2:3])
  expect_identical(lines[2L], "own(y, 1, by = g)")
  each <- tapply(dnorm(y, 1, 1, log = TRUE), g, sum)
  here <- environment()
  expect_equal(as.vector(eval(str2lang(lines[2L]), list2env(list(own = eval(str2lang(sub("^own <- ", "", lines[1L])))), parent = here))), as.vector(each))
  terms <- opencl_function(function(y, m) dnorm(y, m, 1, log = TRUE))
  reported(terms(y, 1, by = g), "reduce = \"sum\")\n  terms(y, 1, by = g)")
  average <- opencl_function(function(y, m) mean(y * m), gradient = c("y", "m"))
  reported(average(y, 1, by = g, over = list(m = 1)), "function(y, m) y * m, reduce = \"mean\", gradient = c(\"y\", \"m\"))")
  by <- opencl_function(function(y, by) y * by) # an argument of its own
  expect_identical(by(2, by = 3, device = "host"), 6)
})

test_that("arguments that a function does not have are named, with those that it has", {
  f <- opencl_function(density, reduce = "sum")
  error <- reported(f(1, 2, mm = 3), "unused argument (mm = 3): the function has `y`, `m`, and `by`, `device`", "; did you mean `m`?")
  expect_identical(conditionCall(error), quote(f(1, 2, mm = 3)))
  reported(f(1, 2, devise = "host", 3), "unused argument (devise = \"host\")", "did you mean `device`?")
  reported(f(1, 2, zz = stop("not evaluated"), qq = 2), "unused arguments (zz = stop(\"not evaluated\"), qq = 2)")
  expect_error(optim(1, f, y = 1, n = 2, method = "BFGS"), "unused argument (n = 2)", fixed = TRUE)
  expect_identical(f(1, 2, dev = "host"), f(1, 2, device = "host")) # a part of a name is R's
})

test_that("an argument that a call at many points lacks is named, with where it may come from", {
  f <- opencl_function(density, reduce = "sum", gradient = "m")
  error <- reported(f(over = list(m = 1:2)), "argument \"y\" is missing, with no default: give it in the call, y = ...", "`over`", "`data`")
  expect_identical(conditionCall(error), quote(f(over = list(m = 1:2))))
  reported(f(1, over = list(y = 1:2)), "`y` is in `over`, and given as an argument too")
  reported(f(y = 1, over = list(y = 1:2)), "given as an argument too")
  reported(f(m = 1, over = list(m = 1:2)), "given as an argument too")
  pass <- function(y) f(y, over = list(m = c(1, 2)))
  reported(pass(), "argument \"y\" is missing")
  with_default <- opencl_function(function(y, m, s = 2) dnorm(y, m, s, log = TRUE), reduce = "sum", data = list(y = c(1, 2)))
  expect_equal(c(with_default(over = list(m = c(1, 3)), device = "host")), vapply(c(1, 3), function(m) sum(dnorm(1:2, m, 2, log = TRUE)), 0))
  asks <- opencl_function(function(y, m, s) if (missing(s)) sum(y * m) else sum(y * m * s))
  expect_equal(c(asks(c(1, 2), over = list(m = c(1, 2)), device = "host")), c(3, 6))
  unused <- opencl_function(function(y, m, s) sum(y * m))
  expect_equal(c(unused(c(1, 2), over = list(m = c(1, 2)), device = "host")), c(3, 6))
})

test_that("misspelt names are told with those that there are", {
  reported(opencl_function(density, gradient = "mm"), "`gradient` names `mm`, which is not an argument of `f`. It has `y`, `m`; did you mean `m`?")
  reported(opencl_function(function(y, mean) sum(y * mean), gradient = "maen"), "did you mean `mean`?")
  reported(opencl_function(function(y, m, k) sum(y * m), gradient = "k"), "`gradient` names `k`, which `f` does not use. It uses `y`, `m`")
  reported(opencl_function(function(y) sum(y * letters_of), gradient = "letters_of"), "make it an argument, function(y, letters_of)")
  reported(opencl_function(density, reduce = "summ"), "did you mean `sum`?")
  reported(opencl_function(density, data = list(yy = 1)), "which has `y`, `m`, and no variable that it reads; did you mean `y`?")
  f <- opencl_function(density, reduce = "sum", gradient = "m")
  reported(f(1, over = list(mm = 1:2)), "`mm` in `over` is not an argument of `f`, which has `y`, `m`; did you mean `m`?")
  reported(f(over = cbind(y = 1:2, mm = 1:2)), "column `mm` is not an argument; did you mean `m`?")
  ll <- opencl_function(function(y, mean, log_sd) dnorm(y, mean, exp(log_sd), log = TRUE), reduce = "sum", gradient = c("mean", "log_sd"))
  reported(as_objective(ll, c(mena = 0, log_sd = 0), list(y = 1:3)), "`mena` in `start` is not an argument of `ll`", "did you mean `mean`?")
  reported(as_objective(ll, c(mean = 0, log_sd = 0), list(y = 1:3), devise = "host"), "there is no argument `devise`", "did you mean `device`?")
  objective <- as_objective(ll, c(mean = 0, log_sd = 0), list(y = c(1, 2, 3)), device = "host")
  reported(objective$fn(c(mean = 0, logsd = 0)), "`logsd` is none of them; did you mean `log_sd`?")
  reported(opencl_function(function(x) dnrom(x)), "`dnrom()` is not supported: there is no such function here; did you mean `dnorm()`?")
  reported(laplace(objective, "meen"), "`meen` is not in `start`, which has `mean`, `log_sd`; did you mean `mean`?")
})

test_that("near names are those of a few letters' difference", {
  near <- nmathopencl:::near_names
  expect_identical(near("maen", c("mean", "sd", "man", "maxi")), c("mean", "man"))
  expect_identical(near("MEAN", c("mean", "median")), "mean")
  expect_identical(near("q", c("m", "s")), character())
  expect_identical(near("sig", c("sigma", "s", "mu")), "sigma")
  expect_identical(near("beta_1", c("alpha", "gamma")), character())
  expect_identical(near("x", character()), character())
})

test_that("messages of objectives count as one says it", {
  ll <- opencl_function(function(y, x, b) sum(dnorm(y, b[1] + b[2] * x, 1, log = TRUE)), gradient = "b")
  objective <- as_objective(ll, list(b = c(one = 0, x = 0)), list(y = c(1, 2, 3), x = c(1, 2, 3)), device = "host")
  reported(objective$fn(1), "`par` has 1 number, and `start` has 2")
  reported(objective$over(cbind(1:2)), "`P` has 1 column, and `start` has 2 numbers")
  short <- as_objective(ll, list(b = c(0, 0)), list(y = as.double(1:7), x = 1:3), device = "host")
  reported(short$fn(c(0, 0)), "`x` has length 3 and is recycled to length 7, which is not a multiple of it")
  both <- opencl_function(function(y, x, z, b) sum(dnorm(y, b * x + z, 1, log = TRUE)), gradient = "b")
  two <- as_objective(both, list(b = 0), list(y = as.double(1:7), x = 1:3, z = as.double(1:3)), device = "host")
  if (compiler_here()) reported(two$fn(0), "`x`, `z` have length 3 and are recycled to length 7")
  product <- opencl_function(function(y, X, b) sum(dnorm(y, X %*% b, 1, log = TRUE)), gradient = "b")
  made <- as_objective(product, list(b = c(0, 0)), list(y = as.double(1:7), X = cbind(1, 1:3)), device = "host")
  if (compiler_here()) reported(made$fn(c(0, 0)), "`X %*% b` has length 3 and is recycled to length 7")
  several <- opencl_function(function(y, b) c(sum(y), b), reduce = NULL)
  reported(as_objective(several, list(b = 1), list(y = 1:3), device = "host")$fn(1), "`ll` gives 2 numbers")
  reported(as_objective(ll, list(b = "a"), list(y = 1, x = 2)), "`b` in `start` is of type character: a parameter is numbers")
  reported(as_objective(ll, list(b = factor("a")), list(y = 1, x = 2)), "`b` in `start` is of class factor")
  reported(as_objective(ll, list(b = 1, b = 2), list(y = 1, x = 2)), "`start` has `b` twice")
  reported(as_objective(ll, c(1, 2), list(y = 1, x = 2)), "`start` must have names, those of arguments of `ll`")
  reported(as_objective(ll, list(b = c(0, 0)), list(y = 1)), "`x` of `ll` is neither in `start` nor in `data`")
  none <- as_objective(opencl_function(function(y, m) sum(y * m)), c(m = 1), list(y = 1), device = "host")
  reported(none$gr(1), "`ll` was made without `gradient`: make it by opencl_function(f, gradient = \"m\")")
  part <- as_objective(opencl_function(function(y, m, s) sum(y * m * s), gradient = "m"), c(m = 1, s = 2), list(y = 1), device = "host")
  reported(part$gr(c(1, 2)), "without the gradient in `s`: name it in `gradient`")
})

test_that("points with the names of an objective's parameters are told where they go", {
  ll <- opencl_function(function(y, b, s) sum(dnorm(y, b[1] + b[2] * y, s, log = TRUE)), gradient = c("b", "s"))
  y <- c(1, 2, 4)
  for (b in list(c(one = 0, x = 0), c(0, 0))) {
    objective <- as_objective(ll, list(b = b, s = 1), list(y = y), device = "host")
    P <- rbind(objective$par, objective$par)
    error <- reported(ll(y, over = P), "objective$over(P)")
    instead <- sub(".*give (over = list\\(.*\\)); columns.*", "\\1", conditionMessage(error))
    value <- eval(str2lang(paste0("ll(y, ", instead, ", device = \"host\")")))
    expect_equal(-c(value), c(objective$over(P)))
  }
})

test_that("tags, files and functions of kernels that are not known come with the nearest", {
  file <- tempfile(fileext = ".cl")
  kernel_with <- function(tag) writeLines(c(tag, "__kernel void nothing() {}"), file)
  near <- function(code, text) expect_error(code, text, fixed = TRUE, class = "nmathopencl_error")
  near(load_kernel_source("src/dnorm_kernal.cl"), "; did you mean 'src/dnorm_kernel.cl'?")
  near(load_kernel_source("scr/dnorm_kernel.cl"), "File not found: inst/cl/scr/dnorm_kernel.cl")
  near(load_kernel_library("nmaht"), "; did you mean 'nmath'?")
  kernel_with("// @depend_nmath: dnorm")
  near(opencl_program(file, package = NULL), "@depend_nmath: unknown tag; did you mean 'depends_nmath'?")
  kernel_with("// @depends_nmath: dnrom")
  near(opencl_program(file, package = NULL), "; did you mean 'dnorm'?")
  kernel_with("// @depends_nmath: nothing_like_it")
  expect_false(grepl("did you mean", conditionMessage(expect_error(opencl_program(file, package = NULL)))))
  near(nmath_library("dnrom"), "nmath has no function 'dnrom'; did you mean 'dnorm'")
  near(kernel_dependency_graph("nmathopencl", of = "dnrom"), "did you mean `dnorm`?")
})

test_that("messages show elements of lists as the user wrote them, without back quotes", {
  d <- list(y = c(1, 2, 4, 3), g = c(1, 2, 1, 2), `odd name` = 1:4)
  shows <- function(f, text, ...) {
    error <- expect_error(opencl_function(f)(d, 0.5, device = "host"), text, fixed = TRUE)
    # Back quotes come in pairs around code, never around a name in it.
    expect_no_match(conditionMessage(error), "[-+*(,= ]`d[$][yg]`[-+*),\\[ ]|``")
  }
  shows(function(d, m) sum(unlist(split(d$y - m, d$g))), "`unlist(split(d$y - m, d$g))`")
  shows(function(d, m) sum(fft(m + d$y)), "`fft(m + d$y)`")
  shows(function(d, m) sum(fft(m + d[["y"]])), "`fft(m + d$y)`")
  shows(function(d, m) with(d, sum(fft(y * m))), "`fft(d$y * m)`")
  shows(function(d, m) sum(dnorm(d$y, lamda = m)), "`dnorm(d$y, lamda = m)`: unused argument")
  shows(function(d, m) { z <- d$y; names(z)[d$g] <- d$y; sum(z) }, "`names(z)[d$g] <- d$y`: variables and their elements")
  if (compiler_here()) { # else R computes them
    shows(function(d, m) sum(m + d$y %*% rbind(m, d$y)), "d$y %*% rbind(m, d$y)")
    shows(function(d, m) { r <- d$y - m; sum(sapply(unique(d$g), function(i) max(r[d$g == i] + d$y[1]))) }, "`r[d$g == i]`: a logical index")
  }
  shows(function(d, m) sum(fft(m + d$`odd name`)), "`fft(m + d$`odd name`)`")
})

test_that("functions of elements of lists need no gradient", {
  d <- data.frame(y = c(1, 2, 4, 3), g = c(1, 2, 1, 2))
  groups <- opencl_function(function(d, m) { r <- d$y - m; s <- 0; for (i in unique(d$g)) s <- s + sum(r[d$g == i])^2; s })
  expect_equal(groups(d, 0.5, device = "host"), sum(tapply(d$y - 0.5, d$g, sum)^2))
  sorted <- opencl_function(function(d, m) sum(sort(d$y) * m))
  expect_equal(sorted(d, 0.5, device = "host"), sum(d$y) * 0.5)
})

test_that("an argument that a function of R has by another name is told the near one", {
  reported(opencl_function(function(y, m) sum(dpois(y, lamda = m)), gradient = "m"), "unused argument (lamda = m); did you mean `lambda`?")
  error <- reported(opencl_function(function(m) foo(m), gradient = "m"), "there is no such function here")
  expect_no_match(conditionMessage(error), "did you mean `for()`", fixed = TRUE)
})

test_that("a scalar test of ifelse() with vector branches, and a path for a program, are named", {
  y <- c(1, 2, 3)
  f <- opencl_function(function(p) sum(ifelse(p[1] == 0, log(y), (y^p[1] - 1) / p[1])), gradient = "p")
  expect_error(f(2, device = "host"), "`y` has length 3, and ifelse() gives as many values as its test has, 1", fixed = TRUE, class = "nmathopencl_error")
  g <- opencl_function(function(p) sum(if (p[1] == 0) log(y) else (y^p[1] - 1) / p[1]), gradient = "p") # as it says
  expect_equal(c(g(2, device = "host")), sum((y^2 - 1) / 2), tolerance = 1e-14)
  for (run in list(function(x) run_opencl_kernel(x, "k", list(1), device = "host"), function(x) kernel_bundle(x, device = "host"))) {
    error <- expect_error(run("no/such/kernel.cl"), "give opencl_program(\"no/such/kernel.cl\", package = NULL)", fixed = TRUE, class = "nmathopencl_error")
    expect_match(conditionMessage(error), "There is no such file here", fixed = TRUE)
  }
})

test_that("an element of a list that nothing reads, a list of points and a function that an objective copied are explained", {
  negative <- function(y, mu) sum((y - mu)^2)
  expect_error(opencl_function(negative, data = list(y = 1, N = 2)), "of a data frame, as.data.frame(data), other columns are left out", fixed = TRUE, class = "nmathopencl_error")
  expect_s3_class(opencl_function(negative, data = as.data.frame(list(y = 1, N = 2))), "opencl_function")
  f <- opencl_function(negative, gradient = "mu")
  expect_output(print(f), "written at the first call$")
  o <- as_objective(f, c(mu = 0), list(y = c(1, 2)), negative = FALSE, device = "host")
  o$fn(1)
  expect_output(print(f), "an objective computes with a copy that has its data", fixed = TRUE)
  expect_error(o$over(list(mu = 1:2, w = diag(2))), "f(over = list(mu = ..., w = ...))", fixed = TRUE, class = "nmathopencl_error")
})
