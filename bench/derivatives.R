# derivatives.R -- what derivatives cost beside the function's own value.
#
#   Rscript bench/derivatives.R [DEVICE [N [FUNCTION ...]]] > bench/results/NAME.derivatives.tsv
#
# DEVICE (host, one core), N elements (1e5; 1e7 on other devices), all functions. For each function and each of its arguments that has a
# derivative, f = sum(FUNCTION(..., ARGUMENT * s)) at s = 1 of resident vectors, and f with its gradient in s: nanoseconds
# an element, best of 9, taken in turn; the difference, which is what the derivative takes, over the value's time, the median of
# the paired ones; and derivatives in 10^9 a second. On the host processor time, which other work on the machine does not change. Where an
# element takes long there are fewer of them.
suppressMessages(library(nmathopencl))
given <- commandArgs(TRUE)
device <- c(given, "host")[1]
host <- device == "host"
most <- as.numeric(c(given[-1], if (host) 1e5 else 1e7)[1])
only <- given[-(1:2)]
options(nmathopencl.threads = 1, nmathopencl.device = device)

# The n values of each argument of a function.
inputs <- function(name, n) {
  x <- function(from, to) runif(n, from, to)
  delayedAssign("a", x(0.5, 50))
  delayedAssign("b", x(0.5, 50))
  delayedAssign("p", x(0.001, 0.999))
  eval(of_functions[[name]])
}
of_functions <- alist(
  dgamma = list(x = x(0.1, 20), shape = x(0.5, 10), scale = x(0.5, 2)), pgamma = list(q = x(0.1, 50), shape = a, scale = x(0.5, 2)),
  qgamma = list(p = p, shape = a, scale = x(0.5, 2)), dchisq = list(x = x(0.1, 100), df = x(1, 100)),
  pchisq = list(q = x(0.1, 100), df = x(1, 100)), qchisq = list(p = p, df = x(1, 100)),
  dbeta = list(x = p, shape1 = a, shape2 = b), pbeta = list(q = p, shape1 = a, shape2 = b), qbeta = list(p = p, shape1 = a, shape2 = b),
  df = list(x = x(0.1, 5), df1 = x(1, 50), df2 = x(2, 50)), pf = list(q = x(0.1, 5), df1 = x(1, 50), df2 = x(2, 50)),
  qf = list(p = p, df1 = x(1, 50), df2 = x(2, 50)), dt = list(x = x(-5, 5), df = x(1, 50)), pt = list(q = x(-5, 5), df = x(1, 50)),
  qt = list(p = p, df = x(1, 50)), pbinom = list(q = rpois(n, 20), size = 100, prob = x(0.1, 0.4)),
  ppois = list(q = rpois(n, 10), lambda = x(5, 15)), pnbinom = list(q = rpois(n, 10), size = x(0.5, 20), prob = x(0.1, 0.9)),
  pnbinom_mu = list(q = rpois(n, 10), size = x(0.5, 20), mu = x(1, 20)), dnbinom = list(x = rpois(n, 10), size = x(0.5, 20), prob = x(0.1, 0.9)),
  dnchisq = list(x = x(0.1, 50), df = x(1, 20), ncp = x(0, 20)), pnchisq = list(q = x(0.1, 50), df = x(1, 20), ncp = x(0, 20)),
  qnchisq = list(p = p, df = x(1, 20), ncp = x(0, 20)), dnbeta = list(x = p, shape1 = a, shape2 = b, ncp = x(0, 20)),
  pnbeta = list(q = p, shape1 = a, shape2 = b, ncp = x(0, 20)), qnbeta = list(p = p, shape1 = a, shape2 = b, ncp = x(0, 20)),
  dnf = list(x = x(0.1, 5), df1 = x(1, 50), df2 = x(2, 50), ncp = x(0, 20)), pnf = list(q = x(0.1, 5), df1 = x(1, 50), df2 = x(2, 50), ncp = x(0, 20)),
  qnf = list(p = p, df1 = x(1, 50), df2 = x(2, 50), ncp = x(0, 20)), dnt = list(x = x(-3, 6), df = x(1, 50), ncp = x(-1, 3)),
  pnt = list(q = x(-3, 6), df = x(1, 50), ncp = x(-1, 3)), qnt = list(p = p, df = x(1, 50), ncp = x(-1, 3)),
  ptukey = list(q = x(0.5, 6), nmeans = sample(2:10, n, TRUE), df = x(2, 50)), qtukey = list(p = p, nmeans = sample(2:10, n, TRUE), df = x(2, 50)),
  besselI = list(x = x(0.1, 50), nu = x(0.1, 20)), besselJ = list(x = x(0.1, 50), nu = x(0.1, 20)),
  besselK = list(x = x(0.1, 50), nu = x(0.1, 20)), besselY = list(x = x(0.1, 50), nu = x(0.1, 20)),
  pnorm = list(q = x(-5, 5), mean = x(-1, 1), sd = x(0.5, 2)), qnorm = list(p = p, mean = x(-1, 1), sd = x(0.5, 2)),
  plogis = list(q = x(-5, 5), location = x(-1, 1), scale = x(0.5, 2)), pweibull = list(q = x(0.1, 5), shape = x(0.5, 5), scale = x(0.5, 2)),
  pcauchy = list(q = x(-5, 5), location = x(-1, 1), scale = x(0.5, 2)), lgamma = list(x = x(0.1, 50)), digamma = list(x = x(0.1, 50)),
  lbeta = list(a = a, b = b), lchoose = list(n = x(1, 50), k = rpois(n, 5))
)

rules <- read.delim(system.file("spec", "derivatives.tsv", package = "nmathopencl"), colClasses = "character", quote = "", comment.char = "#")
rules <- rules[rules$derivative != "0", ]
arguments_of <- function(name) {
  rows <- c(lgamma = "lgammafn")
  own <- rules$argument[rules$name == if (name %in% names(rows)) rows[[name]] else name]
  unique(if ("scale" %in% own) setdiff(own, "rate") else own)
}
call_of <- function(name, columns, argument) {
  called <- sub("_mu$", "", sub("^([dpq])n(chisq|beta|f|t)$", "\\1\\2", name))
  values <- ifelse(columns == argument, paste(columns, "* s"), columns)
  # by place where R's function has other names for them
  given <- if (grepl("^(bessel|l|digamma)", name)) values else paste(columns, "=", values)
  as.function(c(stats::setNames(rep(alist(x = ), length(columns) + 1L), c(columns, "s")),
                call("sum", str2lang(sprintf("%s(%s)", called, paste(given, collapse = ", "))))), envir = globalenv())
}
seconds <- function(f, values, times = 1L) {
  time <- system.time(for (k in seq_len(times)) do.call(f, c(values, s = 1)), gcFirst = FALSE) / times
  if (host) time[["user.self"]] + time[["sys.self"]] else time[["elapsed"]]
}

cat("function\targument\telements\tvalue_ns\tboth_ns\tderivative_value\tGderivatives\n")
for (name in names(of_functions)) {
  if (length(only) > 0L && !name %in% only) next
  for (argument in intersect(names(inputs(name, 1L)), arguments_of(name))) {
    f <- call_of(name, names(inputs(name, 1L)), argument)
    calls <- list(opencl_function(f), opencl_function(f, gradient = "s"))
    place <- function(n) lapply(inputs(name, n), function(value) opencl_vector(rep_len(as.double(value), n)))
    set.seed(1)
    small <- place(ceiling(most / 50))
    seconds(calls[[2]], small) # builds the program
    once <- seconds(calls[[2]], small) / ceiling(most / 50)
    n <- ceiling(min(most, max(1000, 0.3 / max(once, 1e-12))))
    values <- place(n)
    repeats <- vapply(calls, function(one) ceiling(0.1 / max(seconds(one, values), 1e-3)), 0) # clocks may have steps of 4 ms
    times <- replicate(9, mapply(seconds, calls, times = repeats, MoreArgs = list(values = values)))
    ratio <- median((times[2, ] - times[1, ]) / times[1, ])
    best <- apply(times, 1, min) / n * 1e9
    cat(sprintf("%s\t%s\t%g\t%.2f\t%.2f\t%.2f\t%.4f\n", name, argument, n, best[1], best[2], ratio, 1 / (best[2] - best[1])))
    for (value in c(small, values)) opencl_free(value)
  }
}
