# What reads and tries inst/spec/derivatives.tsv in plain R: the test of the rules and tools/check_derivatives.R share it.
#
# A rule holds inside the support; around it stands, for every rule alike, what `rule_derivative()` does and the translator
# must do: NaN where the value is NaN, outside of the support of a log density (supports.tsv), and where a log probability is -Inf and
# the rule finds it constant.

# ---- the functions that rules use and stats lacks, or has not exactly enough --------------------------------------------------------

rule_functions <- local({
  log_sum <- function(m) {                                          # log of the row sums of exp(m)
    top <- apply(m, 1, max)
    top + log(rowSums(exp(m - top)))
  }
  # The mixture over j of Poisson(ncp / 2) weights of term(j), which is on the log scale.
  mixture <- function(ncp, n, log, term, reach) {
    j <- 0:ceiling(60 + max(ncp, 0, na.rm = TRUE) * 2 + reach)
    ncp <- rep_len(ncp, n)
    m <- vapply(j, function(j) stats::dpois(j, ncp / 2, log = TRUE) + rep_len(term(j), n), numeric(n))
    out <- log_sum(matrix(m, n))
    if (log) out else exp(out)
  }
  # A tail that is nearly 1 has its log from the other one.
  tail_of <- function(ncp, n, lower.tail, log.p, term) {
    out <- mixture(ncp, n, TRUE, function(j) term(j, lower.tail), 20)
    if (log.p && any(out > -0.5)) {
      other <- mixture(ncp, n, FALSE, function(j) term(j, !lower.tail), 20)
      out <- ifelse(out > -0.5, log1p(-other), out)
    }
    if (log.p) out else exp(out)
  }
  dchisq <- function(x, df, ncp, log = FALSE) {
    if (missing(ncp)) return(stats::dchisq(x, df, log = log))
    mixture(ncp, max(length(x), length(df), length(ncp)), log, function(j) stats::dchisq(x, df + 2 * j, log = TRUE), max(x, 0))
  }
  pchisq <- function(q, df, ncp, lower.tail = TRUE, log.p = FALSE) {
    if (missing(ncp)) return(stats::pchisq(q, df, lower.tail = lower.tail, log.p = log.p))
    tail_of(ncp, max(length(q), length(df), length(ncp)), lower.tail, log.p,
            function(j, lower) stats::pchisq(q, df + 2 * j, lower.tail = lower, log.p = TRUE))
  }
  dbeta <- function(x, shape1, shape2, ncp, log = FALSE) {
    if (missing(ncp)) return(stats::dbeta(x, shape1, shape2, log = log))
    mixture(ncp, max(length(x), length(shape1), length(shape2), length(ncp)), log,
            function(j) stats::dbeta(x, shape1 + j, shape2, log = TRUE), 0)
  }
  pbeta <- function(q, shape1, shape2, ncp, lower.tail = TRUE, log.p = FALSE) {
    if (missing(ncp)) return(stats::pbeta(q, shape1, shape2, lower.tail = lower.tail, log.p = log.p))
    tail_of(ncp, max(length(q), length(shape1), length(shape2), length(ncp)), lower.tail, log.p,
            function(j, lower) stats::pbeta(q, shape1 + j, shape2, lower.tail = lower, log.p = TRUE))
  }
  df <- function(x, df1, df2, ncp, log = FALSE) {
    if (missing(ncp)) return(stats::df(x, df1, df2, log = log))
    mixture(ncp, max(length(x), length(df1), length(df2), length(ncp)), log, function(j) {
      k <- df1 / (df1 + 2 * j)
      log(k) + stats::df(x * k, df1 + 2 * j, df2, log = TRUE)
    }, 0)
  }
  pf <- function(q, df1, df2, ncp, lower.tail = TRUE, log.p = FALSE) {
    if (missing(ncp)) return(stats::pf(q, df1, df2, lower.tail = lower.tail, log.p = log.p))
    tail_of(ncp, max(length(q), length(df1), length(df2), length(ncp)), lower.tail, log.p,
            function(j, lower) stats::pf(q * df1 / (df1 + 2 * j), df1 + 2 * j, df2, lower.tail = lower, log.p = TRUE))
  }
  # The non-central t is (Z + ncp) / (V / sqrt(df)) with V of the chi distribution: an integral over log V, by the trapezoidal rule.
  over_chi <- function(df, k, f) {
    df[df <= 0] <- NaN
    s <- seq(-45 / min(df + k, 8, na.rm = TRUE), 4, by = 0.04)
    m <- vapply(s, function(s) {
      (df + k) * s - exp(2 * s) / 2 - (df / 2 - 1) * log(2) - lgamma(df / 2) + f(exp(s))
    }, numeric(length(df)))
    log_sum(matrix(m, length(df))) + log(0.04)
  }
  dt <- function(x, df, ncp, log = FALSE) {
    if (missing(ncp)) return(stats::dt(x, df, log = log))
    n <- max(length(x), length(df), length(ncp))
    x <- rep_len(x, n)
    df <- rep_len(df, n)
    out <- over_chi(df, 1, function(v) stats::dnorm(x * v / sqrt(df) - ncp, log = TRUE)) - log(df) / 2
    if (log) out else exp(out)
  }
  pt <- function(q, df, ncp, lower.tail = TRUE, log.p = FALSE) {
    if (missing(ncp)) return(stats::pt(q, df, lower.tail = lower.tail, log.p = log.p))
    n <- max(length(q), length(df), length(ncp))
    q <- rep_len(q, n)
    df <- rep_len(df, n)
    out <- over_chi(df, 0, function(v) stats::pnorm(q * v / sqrt(df) - ncp, lower.tail = lower.tail, log.p = TRUE))
    if (log.p) out else exp(out)
  }
  # Quantiles by Newton's steps from those of stats.
  newton <- function(q, p, distribution, density) {
    for (i in 1:5) q <- q - (distribution(q) - p) / density(q)
    q
  }
  qchisq <- function(p, df, ncp) {
    if (missing(ncp)) return(newton(stats::qchisq(p, df), p, function(q) pchisq(q, df), function(q) dchisq(q, df)))
    newton(stats::qchisq(p, df, ncp), p, function(q) pchisq(q, df, ncp), function(q) dchisq(q, df, ncp))
  }
  qbeta <- function(p, shape1, shape2, ncp) {
    if (missing(ncp)) return(stats::qbeta(p, shape1, shape2))
    newton(stats::qbeta(p, shape1, shape2, ncp), p, function(q) pbeta(q, shape1, shape2, ncp), function(q) dbeta(q, shape1, shape2, ncp))
  }
  qf <- function(p, df1, df2, ncp) {
    if (missing(ncp)) return(newton(stats::qf(p, df1, df2), p, function(q) pf(q, df1, df2), function(q) df(q, df1, df2)))
    newton(stats::qf(p, df1, df2, ncp), p, function(q) pf(q, df1, df2, ncp), function(q) df(q, df1, df2, ncp))
  }
  qt <- function(p, df, ncp) {
    if (missing(ncp)) return(newton(stats::qt(p, df), p, function(q) pt(q, df), function(q) dt(q, df)))
    newton(stats::qt(p, df, ncp), p, function(q) pt(q, df, ncp), function(q) dt(q, df, ncp))
  }

  log1pmx <- function(x) {
    k <- 30:2
    small <- rowSums(outer(x, k, function(x, k) -(-x)^k / k))
    ifelse(abs(x) < 0.1, small, log1p(x) - x)
  }
  lgammacor <- function(x) (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 / x^2) / x^2) / x^2) / x^2) / x^2) / x
  stirlerr <- function(n) ifelse(n > 15, lgammacor(n), lgamma(n + 1) - (n + 0.5) * log(n) + n - 0.5 * log(2 * pi))
  bd0 <- function(x, np) -x * log1pmx((np - x) / x)
  lgamma1p <- function(x) lgamma(1 + x)
  log1pexp <- function(x) pmax(x, 0) + log1p(exp(-abs(x)))
  log1mexp <- function(x) ifelse(x < log(2), log(-expm1(-x)), log1p(-exp(-x)))
  logspace_add <- logspace_sum <- function(logx, logy) pmax(logx, logy) + ifelse(logx == logy, log(2), log1p(exp(-abs(logx - logy))))
  logspace_sub <- function(logx, logy) logx + log1mexp(logx - logy)
  pow1p <- function(x, y) exp(y * log1p(x))
  r_pow <- function(x, y) x^y
  r_pow_di <- function(x, n_exp) x^n_exp
  fmax2 <- function(x, y) pmax(x, y)
  fmin2 <- function(x, y) pmin(x, y)
  fsign <- function(x, y) ifelse(y >= 0, abs(x), -abs(x))
  fround <- function(x, digits = 0) round(x, digits)
  fprec <- function(x, digits = 6) signif(x, digits)
  ftrunc <- function(x) trunc(x)
  lgammafn_sign <- function(x) ifelse(x > 0 | floor(x) %% 2 == 0, 1, -1)
  tetragamma <- function(x) psigamma(x, 2)
  pentagamma <- function(x) psigamma(x, 3)
  bessel_i_ex <- function(x, nu, expo = 1) besselI(x, nu, expo != 1)
  bessel_k_ex <- function(x, nu, expo = 1) besselK(x, nu, expo != 1)
  bessel_j_ex <- function(x, nu) besselJ(x, nu)
  bessel_y_ex <- function(x, nu) besselY(x, nu)
  dbinom_raw <- function(x, size, prob, qprob, log = FALSE) {
    out <- lgamma(size + 1) - lgamma(x + 1) - lgamma(size - x + 1) + x * log(prob) + (size - x) * log(qprob)
    if (log) out else exp(out)
  }
  dpois_raw <- function(x, lambda, log = FALSE) {
    out <- x * log(lambda) - lambda - lgamma(x + 1)
    if (log) out else exp(out)
  }

  # What inst/spec/rule_functions.tsv has.
  on_host <- function(name, ...) {
    args <- lapply(list(...), as.double)
    n <- max(lengths(args))
    nmathopencl:::elementwise_cpp(name, lapply(args, rep_len, n), integer(), "host", NULL)$value
  }
  table <- utils::read.delim(system.file("spec", "rule_functions.tsv", package = "nmathopencl"), colClasses = "character", quote = "")
  for (k in seq_len(nrow(table))) {
    columns <- strsplit(table$columns[k], ", ", fixed = TRUE)[[1L]]
    call <- as.call(c(quote(on_host), table$name[k], lapply(columns, as.name)))
    assign(table$name[k], as.function(c(stats::setNames(rep(alist(x = ), length(columns)), columns), call)))
  }
  # R's own are right to 1e-12, or 1e-4, which differences do not take
  ptukey <- function(...) nmathopencl::ptukey_opencl(..., device = "host")
  qtukey <- function(...) nmathopencl::qtukey_opencl(..., device = "host")
  environment()
})

# ---- reading and evaluating ----------------------------------------------------------------------------------------------------------

read_rules <- function(folder = system.file("spec", package = "nmathopencl")) {
  read <- function(name) utils::read.delim(file.path(folder, name), colClasses = "character", quote = "", na.strings = character())
  language <- read("language.tsv")
  language <- language[nzchar(language$derivative), ]
  rows <- lapply(seq_len(nrow(language)), function(k) { # "x: 1 / y; y: -.value / y"
    parts <- strsplit(strsplit(language$derivative[k], "; ", fixed = TRUE)[[1L]], ": ", fixed = TRUE)
    data.frame(
      name = language$name[k], argument = vapply(parts, `[`, "", 1L), form = "value", derivative = vapply(parts, `[`, "", 2L),
      source = language$source[k]
    )
  })
  rbind(do.call(rbind, rows), read("derivatives.tsv"))
}

# Whether it is a function of one number in the language's table, which is read once.
is_elementary_name <- local({
  elementary <- NULL
  function(name) {
    if (is.null(elementary)) {
      table <- utils::read.delim(system.file("spec", "language.tsv", package = "nmathopencl"), colClasses = "character", quote = "")
      elementary <<- table$name[table$kind == "elementary"]
    }
    name %in% elementary
  }
})

# The function of R that a name of the table stands for, with the arguments that it takes by name.
rule_call <- function(name, form, args) {
  flags <- switch(form, log = if (grepl("^p", name)) list(log.p = TRUE) else list(log = TRUE),
                  logupper = list(lower.tail = FALSE, log.p = TRUE), list())
  if (grepl("^[dpq]n(chisq|beta|f|t)$", name)) name <- sub("^(.)n", "\\1", name)
  if (grepl("_mu$", name)) name <- sub("_mu$", "", name)
  if (name %in% c("+", "-", "*", "/", "^", "%%", "%/%", "round", "signif", "beta", "lbeta", "choose", "lchoose") || is_elementary_name(name))
    args <- unname(args)                                            # .Primitive, or dispatched by position
  do.call(get(name, envir = rule_functions), c(args, flags))
}

rule_supports <- function() {
  table <- utils::read.delim(system.file("spec", "supports.tsv", package = "nmathopencl"), colClasses = "character", quote = "")
  stats::setNames(lapply(table$support, str2lang), table$name)
}

# Arguments are recycled first: `ifelse` of a rule goes by the element, whatever the length of its test.
rule_derivative <- function(rule, args) {
  args <- lapply(args, rep_len, max(lengths(args)))
  value <- suppressWarnings(rule_call(rule$name, rule$form, args))
  names <- all.vars(parse(text = rule$derivative))
  flags <- if (grepl("^q", rule$name)) lapply(list(lower.tail = TRUE, log.p = FALSE), rep_len, length(value))
  out <- suppressWarnings(eval(parse(text = rule$derivative)[[1]], c(args, flags, list(.value = value)), rule_functions))
  out <- rep_len(as.double(out), length(value))
  if (rule$form == "tail") out <- out / args$p
  if (rule$form %in% c("log", "logupper")) {
    flat <- if (startsWith(rule$name, "d")) !eval(rule_supports()[[rule$name]], args) else out %in% 0
    out[value %in% -Inf & flat] <- NaN
  }
  out[is.nan(value)] <- NaN
  out
}

# Differences of Richardson (Ridders' choice among the extrapolated ones), with their own estimate of the error. The values of f
# are taken to be right to a few units in the last place, or to as many of `floor` where they are small.
richardson <- function(f, x, h, floor = 0, levels = 9, ratio = 1.4) {
  a <- vector("list", levels)
  noise <- 4e-16 * (abs(f(x)) + floor)
  best <- rep(NA_real_, length(x))
  error <- rep(Inf, length(x))
  for (i in seq_len(levels)) {
    row <- vector("list", i)
    row[[1]] <- (f(x + h) - f(x - h)) / ((x + h) - (x - h))
    h <- h / ratio
    if (i > 1) for (j in 2:i) {
      k <- ratio^(2 * (j - 1))
      row[[j]] <- (row[[j - 1]] * k - a[[j - 1]]) / (k - 1)
      e <- pmax(abs(row[[j]] - row[[j - 1]]), abs(row[[j]] - a[[j - 1]])) + noise / h
      better <- !is.na(e) & e < error
      best[better] <- row[[j]][better]
      error[better] <- e[better]
    }
    a <- row
  }
  list(value = best, error = error)
}

# ---- points --------------------------------------------------------------------------------------------------------------------------

# Arguments at random for each function: r of the line, p positive (log-uniform), u between 0 and 1 or the ends given, i whole
# numbers. Each has a first step for differences beside it, `at` sets another; an argument may use those before it.
rule_points <- function(name, n) {
  with_step <- function(x, h) structure(x, h = h)
  draw <- list2env(list(
    r = function(a, b) with_step(stats::runif(n, a, b), rep(0.1, n)),
    p = function(a, b) with_step(x <- exp(stats::runif(n, log(a), log(b))), 0.1 * x),
    u = function(a = 0.01, b = 0.99) with_step(x <- stats::runif(n, a, b), 0.1 * pmin(x, 1 - x)),
    i = function(a, b) floor(stats::runif(n, a, b + 1)),
    at = function(x, h) with_step(as.double(x), rep_len(h, n))), parent = environment())
  real <- alist(x = r(-3, 3))
  positive <- alist(x = p(0.01, 50))
  unit <- alist(x = at(runif(n, -0.95, 0.95), 0.02))
  step <- alist(x = at(i(-5, 5) + runif(n, 0.2, 0.8), 0.05))
  apart <- alist(x = at(runif(n, -3, 3), 0.01), y = at(x + i(0, 1) * 2 - 1, 0.01))
  bessel <- alist(x = p(0.05, 40), nu = runif(n, 0, 12))
  norm <- alist(r(-6, 6), mean = r(-2, 2), sd = p(0.3, 3))
  lnorm <- alist(p(0.01, 50), meanlog = r(-1, 2), sdlog = p(0.3, 2))
  unif <- alist(at(runif(n, -2, 2), 0.02), min = at(as.numeric(.first) - runif(n, 0.3, 2), 0.02), max = at(as.numeric(.first) + runif(n, 0.3, 2), 0.02))
  place <- alist(r(-8, 8), location = r(-2, 2), scale = p(0.3, 3))
  first <- function(name, args) {                                   # names the first argument, which later ones may call .first
    names(args)[1] <- name
    lapply(args, function(a) do.call(substitute, list(a, list(.first = as.name(name)))))
  }
  gamma <- alist(p(0.01, 60), shape = p(0.1, 100), scale = p(0.2, 5))
  chisq <- alist(p(0.05, 60), df = p(0.2, 100))
  nchisq <- c(chisq, alist(ncp = p(0.1, 30)))
  beta <- alist(u(), shape1 = p(0.2, 60), shape2 = p(0.2, 60))
  nbeta <- c(beta, alist(ncp = p(0.1, 20)))
  f <- alist(p(0.05, 8), df1 = p(0.5, 120), df2 = p(0.5, 120))
  nf <- c(f, alist(ncp = p(0.1, 20)))
  t <- alist(r(-6, 6), df = p(0.3, 200))
  nt <- alist(r(-5, 5), df = p(0.6, 60), ncp = r(-3, 3))
  tukey <- alist(p(0.5, 8), nmeans = i(2, 12), df = p(2.5, 100), nranges = i(1, 3))
  weibull <- alist(p(0.1, 6), shape = p(0.3, 5), scale = p(0.5, 3))
  central <- function(args) {
    kind <- substr(name, 1, 1)
    if (kind == "q") args[[1]] <- quote(u())
    first(switch(kind, d = "x", p = "q", q = "p"), args)
  }
  count <- function(args) first(if (substr(name, 1, 1) == "d") "x" else "q", args)
  stem <- sub("^[dpq]", "", name)
  args <- switch(name,
    `+` = , `-` = , `*` = , `/` = , `^` = , r_pow = alist(x = p(0.1, 5), y = r(-3, 3)),
    r_pow_di = alist(x = p(0.1, 5), n_exp = i(-3, 4)),
    `%%` = , `%/%` = alist(x = at(7 * (i(0, 3) + runif(n, 0.3, 0.7)), 0.02), y = at(rep(7, n), 0.02)),
    abs = alist(x = at(ifelse(runif(n) < 0.5, -1, 1) * runif(n, 0.5, 3), 0.05)),
    sqrt = , log = , log2 = , log10 = positive,
    log1p = alist(x = at(runif(n, -0.8, 3), 0.02)), pow1p = alist(x = at(runif(n, -0.8, 3), 0.02), y = r(-3, 3)),
    log1pmx = , lgamma1p = alist(x = at(runif(n, -0.8, 3), 0.02)),
    asin = , acos = , atanh = unit, acosh = alist(x = at(runif(n, 1.1, 6), 0.01)),
    tan = alist(x = at(runif(n, -1.3, 1.3), 0.02)), tanpi = alist(x = at(runif(n, -0.4, 0.4), 0.01)),
    sinpi = , cospi = alist(x = at(runif(n, -3, 3), 0.05)),
    atan2 = alist(y = r(-3, 3), x = p(0.5, 4)),
    exp = , expm1 = , sin = , cos = , atan = , sinh = , cosh = , tanh = , asinh = , log1pexp = , log1p_exp = real,
    floor = , ceiling = , trunc = , round = , sign = , ftrunc = , lgammafn_sign = step,
    signif = , fprec = alist(x = at((i(10, 90) + runif(n, 0.2, 0.8)) / 10, 0.01), digits = rep(2, n)),
    fround = alist(x = at((i(10, 90) + runif(n, 0.2, 0.8)) / 10, 0.01), digits = rep(1, n)),
    fsign = alist(x = at(runif(n, 0.5, 3), 0.02), y = at(ifelse(runif(n) < 0.5, -1, 1) * runif(n, 0.5, 3), 0.02)),
    fmax2 = , fmin2 = apart,
    gamma = , lgamma = , digamma = , trigamma = , tetragamma = , pentagamma =
      alist(x = at(ifelse(runif(n) < 0.3, i(-4, -1) + runif(n, 0.3, 0.7), runif(n, 0.4, 30)), 0.05)),
    psigamma = alist(x = p(0.3, 30), deriv = i(0, 4)),
    lgammacor = alist(x = p(12, 1e4)), stirlerr = alist(n = p(0.1, 1e4)), bd0 = alist(x = p(0.1, 100), np = p(0.1, 100)),
    log1mexp = alist(x = p(0.02, 20)),
    logspace_add = , logspace_sum = alist(logx = r(-20, 5), logy = r(-20, 5)), logspace_sub = alist(logx = r(-5, 5), logy = logx - p(0.3, 8)),
    beta = , lbeta = alist(a = p(0.2, 80), b = p(0.2, 80)),
    choose = , lchoose = alist(n = at(ifelse(runif(n) < 0.3, i(-9, 9), i(-9, 60)) + runif(n, 0.3, 0.7), 0.02), k = i(0, 12)),
    besselJ = , besselY = , bessel_j_ex = , bessel_y_ex = bessel,
    besselI = , besselK = c(bessel, alist(expon.scaled = runif(n) < 0.5)),
    bessel_i_ex = , bessel_k_ex = c(bessel, alist(expo = i(1, 2))),
    dpois = alist(x = i(0, 40), lambda = p(0.1, 50)), ppois = alist(q = i(0, 40), lambda = at((q + 1) * exp(runif(n, -0.8, 0.8)), 0.05)),
    dpois_raw = alist(x = p(0.1, 40), lambda = p(0.1, 50)),
    dbinom = alist(x = i(0, 20), size = x + i(0, 20), prob = u()), pbinom = alist(q = i(0, 20), size = q + i(0, 20), prob = u()),
    dbinom_raw = alist(x = p(0.5, 20), size = at(x + runif(n, 1, 60), 0.05), prob = u(), qprob = u()),
    dgeom = , pgeom = count(alist(i(0, 30), prob = at(runif(n, 0.05, 0.95) / (1 + .first / 4), 0.005))),
    dnbinom = , pnbinom = count(alist(i(0, 40), size = p(0.2, 300), prob = u())),
    dnbinom_mu = , pnbinom_mu = count(alist(i(0, 40), size = p(0.2, 300), mu = p(0.2, 50))),
    switch(stem,
      norm = central(norm), lnorm = central(lnorm), exp = central(alist(p(0.01, 10), rate = p(0.2, 5))),
      unif = if (name == "qunif") alist(p = u(), min = r(-3, 0), max = r(1, 4)) else central(unif),
      gamma = central(gamma), chisq = central(chisq), nchisq = central(nchisq),
      beta = central(beta), nbeta = central(nbeta), f = central(f), nf = central(nf),
      t = central(t), nt = central(nt), tukey = central(tukey), weibull = central(weibull),
      logis = , cauchy = central(place),
      if (is_elementary_name(name)) real else stop("no points for ", name)))
  out <- list()
  steps <- list()
  for (arg in names(args)) {
    x <- eval(args[[arg]], out, draw)
    steps[[arg]] <- attr(x, "h")
    attr(x, "h") <- NULL
    out[[arg]] <- rep_len(x, n)
  }
  list(args = out, steps = steps)
}

# One row of the table at n random points: the share of points where the differences are sharp enough to judge, and the
# largest relative error of the rule at those.
check_rule <- function(rule, n = 40, tolerance = 1e-7) {
  pts <- rule_points(rule$name, n)
  arg <- rule$argument
  got <- rule_derivative(rule, pts$args)
  f <- function(x) {
    pts$args[[arg]] <- x
    suppressWarnings(rule_call(rule$name, rule$form, pts$args))
  }
  mixture <- "ncp" %in% names(pts$args) && rule$form %in% c("log", "logupper")      # logs of sums: absolute errors
  ref <- richardson(f, pts$args[[arg]], pts$steps[[arg]], floor = if (mixture) 1 else 0)
  scale <- pmax(abs(ref$value), abs(got))
  sharp <- is.finite(ref$value) & (ref$error <= tolerance / 20 * scale | scale == 0)
  error <- ifelse(scale == 0, 0, abs(got - ref$value) / scale)
  data.frame(judged = mean(sharp), error = if (any(sharp)) max(error[sharp]) else NA,
             ok = mean(sharp) >= 0.5 && all(!is.na(error[sharp]) & error[sharp] <= tolerance))
}
