# Resident vectors under every generic that has a method for them, against R's functions of the same data.

# What is drawn for a generic: a call in x, the resident vector, y, another one (or R's), and i, a subscript.
torture_vector_calls <- list(
  Ops = function(n) {
    op <- one_of("+", "-", "*", "/", "^", "%%", "%/%", "==", "!=", "<", ">", "<=", ">=", "&", "|")
    switch(sample(5L, 1L), call_of(op, quote(x), quote(y)), call_of(op, quote(y), quote(x)), call_of(op, quote(x), one_of(2, 3L, TRUE, NA, 0.5, -1)),
           call_of(op, one_of(2, 1L, FALSE, NaN), quote(x)), call_of(one_of("-", "+", "!"), quote(x)))
  },
  Math = function(n) {
    name <- one_of("abs", "sign", "sqrt", "floor", "ceiling", "trunc", "round", "signif", "exp", "log", "expm1", "log1p", "cos", "sin", "tan", "cospi",
                   "sinpi", "tanpi", "acos", "asin", "atan", "cosh", "sinh", "tanh", "acosh", "asinh", "atanh", "lgamma", "gamma", "digamma",
                   "trigamma", "cumsum", "cumprod", "cummax", "cummin", "log2", "log10")
    digits <- one_of(0, 1L, -1, 3)
    if (name %in% c("round", "signif") && chance(0.6)) return(call_of(name, quote(x), digits))
    if (name == "log" && chance(0.4)) return(call_of("log", quote(x), one_of(2, 10)))
    call_of(name, quote(x))
  },
  Summary = function(n) {
    call <- call_of(one_of("max", "min", "range", "sum", "prod", "any", "all"), quote(x))
    if (chance(0.3)) call[[3L]] <- one_of(quote(y), 3, 2L, NA)
    if (chance(0.5)) call$na.rm <- chance(0.6)
    call
  },
  Complex = function(n) call_of(one_of("Re", "Im", "Mod", "Arg", "Conj"), quote(x)),
  "[" = function(n) {
    rows <- one_of(quote(x[i, ]), quote(x[i, 1]), quote(x[, i]), quote(x[i, -1L]))
    if (chance(0.3)) rows$drop <- chance(0.5)
    one_of(quote(x[i]), quote(x[i]), quote(x[as.vector(j)]), quote(x[j]), quote(x[]), rows, quote(x[as.vector(y) > 0]), quote(x[y > 0]))
  },
  "[[" = function(n) call_of("[[", quote(x), one_of(1L, n, n + 1L, 0L, -1L, 1.7, "a", TRUE, quote(i))),
  head = function(n) one_of(quote(head(x)), call_of("head", quote(x), one_of(2, -1, 0, n + 2, -n - 1))),
  tail = function(n) one_of(quote(tail(x)), call_of("tail", quote(x), one_of(2, -1, 0, n + 2, -n - 1))),
  length = function(n) quote(length(x)), dim = function(n) quote(dim(x)), dimnames = function(n) quote(dimnames(x)), names = function(n) quote(names(x)),
  "names<-" = function(n) one_of(quote(`names<-`(x, NULL)), bquote(`names<-`(x, .(letters[seq_len(min(n, 3L))]))), bquote(`names<-`(x, .(seq_len(n))))),
  "dim<-" = function(n) one_of(bquote(`dim<-`(x, .(c(n, 1L)))), bquote(`dim<-`(x, .(c(1, n)))), quote(`dim<-`(x, NULL)), bquote(`dim<-`(x, .(c(2L, n))))),
  "dimnames<-" = function(n) one_of(quote(`dimnames<-`(x, NULL)), bquote(`dimnames<-`(x, .(list(letters[seq_len(min(n, 20L))], NULL))))),
  all.equal = function(n) one_of(quote(all.equal(x, y)), quote(all.equal(x, x)), quote(all.equal(x, as.vector(y)))),
  anyDuplicated = function(n) quote(anyDuplicated(x)), duplicated = function(n) quote(duplicated(x)), unique = function(n) quote(unique(x)),
  anyNA = function(n) quote(anyNA(x)), is.na = function(n) quote(is.na(x)), is.nan = function(n) quote(is.nan(x)),
  is.finite = function(n) quote(is.finite(x)), is.infinite = function(n) quote(is.infinite(x)), is.numeric = function(n) quote(is.numeric(x)),
  is.matrix = function(n) quote(is.matrix(x)), is.array = function(n) quote(is.array(x)),
  as.array = function(n) quote(as.array(x)), as.character = function(n) quote(as.character(x)), as.complex = function(n) quote(as.complex(x)),
  as.data.frame = function(n) quote(as.data.frame(x)), as.double = function(n) one_of(quote(as.double(x)), quote(as.numeric(x))),
  as.integer = function(n) quote(as.integer(x)), as.list = function(n) quote(as.list(x)), as.logical = function(n) one_of(quote(as.logical(x)), quote(ifelse(x, 1, 0))),
  as.matrix = function(n) quote(as.matrix(x)),
  as.vector = function(n) one_of(quote(as.vector(x)), quote(as.vector(x, "list")), quote(as.vector(x, "character")), quote(as.vector(x, "integer"))),
  c = function(n) one_of(quote(c(x, y)), quote(c(x, 1)), quote(c(x, a = 2L, NA)), quote(append(x, 3, 1))),
  cbind = function(n) one_of(quote(cbind(x, y)), quote(cbind(x, 1)), quote(cbind(a = x, b = y)), quote(cbind(1, x)), quote(cbind(x, deparse.level = 0))),
  rbind = function(n) one_of(quote(rbind(x, y)), quote(rbind(x, 1)), quote(rbind(a = x, b = y)), quote(rbind(x, deparse.level = 2))),
  rep = function(n) one_of(quote(rep(x, 2)), quote(rep(x, each = 2)), quote(rep(x, length.out = 5)), quote(rep_len(x, 7)), quote(rep.int(x, 2)), quote(rep(x, times = 2, each = 3))),
  rev = function(n) quote(rev(x)), sort = function(n) one_of(quote(sort(x)), quote(sort(x, TRUE)), quote(sort(x, na.last = TRUE)), quote(sort(x, method = "radix"))),
  xtfrm = function(n) one_of(quote(xtfrm(x)), quote(order(x)), quote(order(x, decreasing = TRUE)), quote(order(y, x)), quote(rank(x[!is.na(as.vector(x))]))),
  t = function(n) quote(t(x)), aperm = function(n) one_of(quote(aperm(x)), quote(aperm(x, c(2, 1)))), scale = function(n) one_of(quote(scale(x)), quote(scale(x, FALSE))),
  split = function(n) one_of(quote(split(x, as.integer(abs(as.vector(y))) %% 3L)), quote(split(x, c("a", "b")))), unlist = function(n) one_of(quote(unlist(x)), quote(unlist(x, use.names = FALSE))),
  mean = function(n) one_of(quote(mean(x)), quote(mean(x, na.rm = TRUE))), median = function(n) one_of(quote(median(x)), quote(median(x, TRUE))),
  quantile = function(n) one_of(quote(quantile(x)), quote(quantile(x, c(0.1, 0.9), na.rm = TRUE)), quote(quantile(x, 0.3, type = 6)), quote(IQR(x)), quote(mad(x)), quote(fivenum(x))),
  summary = function(n) quote(summary(x)), na.omit = function(n) quote(na.omit(x)), na.exclude = function(n) quote(na.exclude(x)),
  diff = function(n) one_of(quote(diff(x)), quote(diff(x, 2)), quote(diff(x, lag = 1, differences = 2)), quote(sd(x))),
  cut = function(n) one_of(quote(cut(x, 3)), quote(cut(x, c(-2, 0, 1, 5))), quote(cut(x, c(-2, 0, 5), labels = FALSE, right = FALSE))),
  hist = function(n) one_of(quote(hist(x, plot = FALSE)), quote(hist(x, breaks = c(-1e9, 0, 1e9), plot = FALSE))), seq = function(n) quote(seq(round(x))),
  format = function(n) one_of(quote(format(x)), quote(format(x, digits = 3)), quote(paste(x)), quote(table(x)), quote(tabulate(sign(x) + 2))),
  toString = function(n) one_of(quote(toString(x)), quote(sapply(x, identity)), quote(Reduce(`+`, x)), quote(Filter(is.na, x)), quote(vapply(x, function(v) v > 1, NA)))
)

# Methods that change a vector, or print it: they have tests of their own.
torture_vector_apart <- c("$", "$<-", "[<-", "[[<-", "length<-", "levels<-", "print", "str")

torture_vector_data <- function(n, matrix) {
  type <- one_of("double", "double", "integer", "logical", "unit")
  x <- torture_numbers(type, n, one_of(0, 0, 0.15, 0.35))
  if (matrix && n > 0L) {
    rows <- one_of(1L, n, if (n %% 2L == 0L) 2L)
    if (is.null(rows)) rows <- n
    x <- matrix(x, rows, dimnames = if (chance(0.3)) list(paste0("r", seq_len(rows)), paste0("c", seq_len(n %/% rows))))
  } else if (chance(0.25) && n > 0L) {
    names(x) <- rep_len(c(letters, ""), n)
  }
  x
}

torture_subscript <- function(n, names) {
  switch(sample(9L, 1L), sample.int(max(n, 1L), sample(0:5, 1L), TRUE), c(1, n, n + 2), -sample.int(max(n, 1L), 1L), stats::runif(n) < 0.5, c(TRUE, FALSE),
         c(1, NA, 2), c(0, 1.9, 1), if (length(names)) sample(c(names, "zz"), 2L, TRUE) else "a", rep(c(TRUE, NA, FALSE), length.out = n + 1L))
}

# A value with what can stay of its attributes, if it stays.
torture_back <- function(value) {
  if (!inherits(value, "opencl_vector")) return(value)
  x <- as.vector(value)
  if (is.null(dim(value))) stats::setNames(x, names(value)) else array(x, dim(value), dimnames(value))
}

torture_vector_difference <- function(ours, rs, stayed, mixed, again) {
  if (torture_failed(rs) || torture_failed(ours)) {
    return(if (torture_failed(rs) != torture_failed(ours)) if (torture_failed(rs)) "R alone fails" else "we alone fail")
  }
  if (stayed) attributes(rs$value) <- attributes(rs$value)[names(attributes(rs$value)) %in% c("names", "dim", "dimnames")]
  if (!is.atomic(rs$value) || is.null(rs$value) || is.object(rs$value)) {
    same <- all.equal(ours$value, rs$value, tolerance = 1e-11)
    return(c(if (!isTRUE(same)) "value", if (!setequal(ours$warnings, rs$warnings)) "warnings"))
  }
  classes <- torture_differences(ours, rs, again, 1e-12)
  setdiff(classes, c("calls of warnings", if (mixed) "NA or NaN"))
}

torture_vector <- function(case, device, state) {
  torture_seed("vectors", case)
  generic <- names(torture_vector_calls)[(case - 1L) %% length(torture_vector_calls) + 1L]
  n <- sample(c(0L, if (generic != "seq") 1L, 2L, 4L, 6L, 12L, 300L), 1L)
  data <- list(x = torture_vector_data(n, generic != "names<-" && chance(0.25))) # resident matrices have no names
  data$y <- torture_vector_data(sample(c(n, 1L, max(1L, n %/% 2L), n + 1L), 1L, prob = c(80, 8, 8, 4)), FALSE)
  if (chance(0.4) && length(data$y) == n && !is.null(dim(data$x))) data$y <- array(data$y, dim(data$x))
  data$i <- torture_subscript(n, names(data$x))
  data$j <- one_of(sample.int(max(n, 1L), min(n, 4L)), stats::runif(n) < 0.5, c(1L, NA))
  call <- torture_vector_calls[[generic]](n)
  data <- data[intersect(names(data), all.vars(call))]
  resident <- intersect(names(data), c("x", if (chance(0.6)) "y", "j"))
  where <- torture_device(device)
  evaluate <- function(env, values) torture_outcome(eval(call, list2env(c(values, list(ifelse = base::ifelse)), parent = env)))
  ours <- torture_outcome(torture_on(device, {
    values <- data
    values[resident] <- lapply(data[resident], nmathopencl::opencl_vector, device = where)
    eval(call, list2env(values, parent = globalenv()))
  }))
  stayed <- inherits(ours$value, "opencl_vector")
  ours$value <- torture_on(device, torture_back(ours$value))
  rs <- evaluate(state$plain, data)
  literals <- unlist(Filter(function(part) is.numeric(part) || is.logical(part), as.list(call)))
  numbers <- as.double(c(unlist(data[intersect(names(data), c("x", "y"))]), literals))
  mixed <- any(torture_kind(numbers) == 1L) && any(is.nan(numbers) | is.infinite(numbers)) # R does not say which NaN comes of both
  sums <- is.double(rs$value) && any(abs(rs$value) > 1e300, na.rm = TRUE) # of partial sums that leave the doubles
  if (sums && generic %in% c("Summary", "mean")) return(NULL)
  again <- function() unlist(lapply(state$shaken, function(env) lapply(1:6, function(k) evaluate(env, data))), FALSE)
  classes <- torture_vector_difference(ours, rs, stayed, mixed, again)
  if (length(classes) == 0L) return(NULL)
  shown <- paste(deparse(call), collapse = " ")
  torture_finding("vectors", case, c(generic, classes), c(
    if (device == "plain") "options(nmathopencl.compiler = FALSE)", paste("v <-", torture_list_text(data)), paste0("with(v, ", shown, ") # R's"),
    paste0("v[", torture_text(resident), "] <- lapply(v[", torture_text(resident), "], opencl_vector, device = \"", where, "\")"), paste0("with(v, ", shown, ")"),
    paste("# ours:", torture_shown(ours)), paste("# R's: ", torture_shown(rs))
  ))
}
