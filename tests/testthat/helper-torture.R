# Arguments from all over the doubles, and what must hold for any of them. Used by test-torture.R and by bench/torture.R.
#
# A tuple mixes ordinary numbers with the rims: the largest and smallest doubles, neighbours of whole numbers and of powers of
# two, arguments that are nearly equal or in the relation that a distribution's centre has to its parameters.

torture_special <- c(
  0, -0, Inf, -Inf, NaN, NA, 2^-1074, 2^-1022, .Machine$double.xmax, 1, -1, 2^53 - 1, 2^53, 2^53 + 2, 2^31 - 1, 2^31, 2^63,
  1e15, 1e300, 1e-300, 0.5, 1 - 2^-53, 1 + 2^-52, 2^1023, 2^-1023
)

nudged <- function(x) x * (1 + sample(c(0, 0, 0, 2^-52, -2^-53, 1e-9, -1e-9, 2e-7, -2e-7, 1e-12), length(x), TRUE))

wild_numbers <- function(n) {
  kinds <- list(
    function(m) runif(m, 1, 2) * 2^floor(runif(m, -1000, 1023)), # every exponent
    function(m) runif(m, 1, 2) * 2^floor(runif(m, -60, 60)),
    function(m) rexp(m) * sample(c(1, 10, 100), m, TRUE),
    function(m) nudged(floor(10^runif(m, 0, 6)) - 1),
    function(m) nudged(2^sample(c(10, 20, 31, 32, 52, 53, 54, 63, 64, 100), m, TRUE) + sample(-1:1, m, TRUE)),
    function(m) sample(torture_special, m, TRUE),
    function(m) floor(10^runif(m, 0, 5)) / 2,
    wild_probabilities
  )
  kind <- sample.int(length(kinds), n, TRUE, prob = c(25, 15, 15, 15, 8, 6, 8, 8))
  x <- numeric(n)
  for (k in unique(kind)) x[kind == k] <- kinds[[k]](sum(kind == k))
  x
}

wild_probabilities <- function(n) {
  kind <- sample.int(6, n, TRUE, prob = c(30, 15, 15, 20, 10, 10))
  pick <- list(
    runif(n), 2^-floor(runif(n, 1, 1074)), 1 - 2^-floor(runif(n, 1, 54)), 10^runif(n, -30, 0), 1 - 10^runif(n, -16, 0),
    sample(c(0, 1, 0.5, 1e-300, 1 - 2^-53, 2^-1074), n, TRUE)
  )
  do.call(cbind, pick)[cbind(seq_len(n), kind)]
}

# The functions of the table that the checks are for, with their kind: d, p, q.
torture_functions <- function() {
  table <- function_table()
  kind <- ifelse(table$flags == "log", "d", ifelse(grepl("lower.tail", table$flags), sub("^(.).*", "\\1", table$name), ""))
  table$kind <- kind
  table[kind %in% c("d", "p", "q") & !grepl("_raw$", table$name), ]
}

# One data frame of n tuples for a row of the table.
torture_tuples <- function(row, n) {
  names <- trimws(strsplit(row$columns, ",")[[1]])
  unit <- c("prob", "p")
  signed <- c("x", "q", "mean", "meanlog", "location", "min", "max")
  mode <- sample.int(6, n, TRUE, prob = c(30, 22, 14, 8, 12, 14))
  base <- 10^runif(n, -3, 10)
  columns <- lapply(names, function(name) {
    choices <- cbind(
      wild_numbers(n), 10^runif(n, -3, 7), 10^runif(n, 4, 20), 10^runif(n, -20, 0), floor(10^runif(n, 0, 9)) - 1,
      base * exp(rnorm(n) * 10^runif(n, -15, 0))
    )
    x <- choices[cbind(seq_len(n), mode)]
    if (name %in% unit) return(ifelse(runif(n) < 0.95, wild_probabilities(n), x))
    negative <- runif(n) < if (name %in% signed || (name == "ncp" && grepl("nt$", row$name))) 0.3 else 0.02
    ifelse(negative, -x, x)
  })
  names(columns) <- names
  if (length(columns) > 1 && !names[1] %in% unit) { # near the centre, whatever it is
    at <- which(runif(n) < 0.25)
    powers <- matrix(sample(c(-1, 0, 1, 1, 1), length(at) * (length(columns) - 1), TRUE), length(at), length(columns) - 1)
    centre <- apply(do.call(cbind, columns[-1])[at, , drop = FALSE]^powers, 1, prod)
    columns[[1]][at] <- centre + ifelse(runif(length(at)) < 0.7, rnorm(length(at)) * sqrt(abs(centre)), 0)
  }
  if (grepl("binom|hyper|wilcox|signrank|pois|geom", row$name)) {
    whole <- runif(n) < 0.4
    for (name in setdiff(names, c(unit, "lambda", "mu"))) columns[[name]][whole] <- round(columns[[name]][whole])
  }
  as.data.frame(columns)
}

# The function's value on a device.
torture_value <- function(name, tuples, flags, device) {
  f <- get(paste0(name, "_opencl"), envir = asNamespace("nmathopencl"))
  suppressWarnings(as.double(do.call(f, c(as.list(tuples), flags, list(device = device)))))
}

# Flags, one row for each tuple that breaks a rule: rule, call, value.
torture <- function(row, tuples, device) suppressWarnings(torture_quietly(row, tuples, device))

torture_quietly <- function(row, tuples, device) {
  found <- list()
  flag <- function(rule, bad, value, flags = list(), at = tuples) {
    for (i in which(bad)) {
      arguments <- c(as.list(at[i, , drop = FALSE]), flags)
      text <- paste(names(arguments), vapply(arguments, format, "", digits = 17), sep = " = ", collapse = ", ")
      found[[length(found) + 1]] <<- data.frame(
        rule = rule, call = paste0(row$name, "_opencl(", text, ")"), value = format(value[i], digits = 17)
      )
    }
  }
  switch(row$kind,
    d = torture_density(row$name, tuples, device, flag),
    p = torture_distribution(row$name, tuples, device, flag),
    q = torture_quantile(row$name, tuples, device, flag)
  )
  do.call(rbind, found)
}

torture_density <- function(name, tuples, device, flag) {
  d <- torture_value(name, tuples, list(log = FALSE), device)
  l <- torture_value(name, tuples, list(log = TRUE), device)
  flag("a missing argument, an ordinary result", Reduce(`|`, lapply(tuples, is.na)) & !is.na(d), d)
  flag("missing on one scale only", is.na(d) != is.na(l), d)
  both <- !is.na(d) & !is.na(l)
  flag("negative", both & d < 0, d)
  if (grepl("binom|pois|geom|hyper|wilcox|signrank", name)) flag("a probability over 1", both & d > 1 + 1e-14, d)
  flag("not its logarithm", both & d > 1e-300 & is.finite(d) & abs(log(d) - l) > 1e-12 * pmax(1, abs(l)), d)
  flag("0, its logarithm is not small", both & d == 0 & l > -740, l)
  flag("infinite, its logarithm is not large", both & d == Inf & l < 709, l)
}

torture_scales <- expand.grid(lower.tail = c(TRUE, FALSE), log.p = c(FALSE, TRUE))

torture_distribution <- function(name, tuples, device, flag) {
  all <- lapply(seq_len(4), function(k) torture_value(name, tuples, as.list(torture_scales[k, ]), device))
  lower <- all[[1]]
  upper <- all[[2]]
  missing <- Reduce(`+`, lapply(all, is.na))
  good <- missing == 0
  flag("a missing argument, an ordinary result", Reduce(`|`, lapply(tuples, is.na)) & missing < 4, lower)
  flag("missing for some flags only", missing > 0 & missing < 4, lower)
  flag("outside 0 to 1", good & (lower < 0 | lower > 1 | upper < 0 | upper > 1), lower)
  flag("tails do not add up to 1", good & abs(lower + upper - 1) > 1e-12, lower)
  for (k in 1:2) {
    p <- all[[k]]
    l <- all[[k + 2]]
    other <- all[[3 - k]]
    flag("not its logarithm", good & p > 1e-300 & abs(log(p) - l) > 1e-11 * pmax(1, abs(l)), p, as.list(torture_scales[k, ]))
    flag("0, its logarithm is not small", good & p == 0 & l > -740, l, as.list(torture_scales[k + 2, ]))
    near <- good & other > 1e-300 & other < 1e-3
    flag("its logarithm lacks the other tail", near & abs(l - log1p(-other)) > 1e-11 * other, l,
      as.list(torture_scales[k + 2, ]))
  }
  further <- tuples
  further[[1]] <- tuples[[1]] + abs(tuples[[1]]) * sample(c(2^-52, 2^-50, 1e-12, 1e-8, 1e-4, 1), nrow(tuples), TRUE)
  for (k in 1:4) {
    here <- all[[k]]
    there <- torture_value(name, further, as.list(torture_scales[k, ]), device)
    down <- if (torture_scales$lower.tail[k]) here - there else there - here
    known <- good & !is.na(there) & is.finite(further[[1]])
    flag("not monotone", known & is.finite(down) & down > 1e-12 * pmin(abs(here), abs(there)) + 1e-310, here,
      as.list(torture_scales[k, ]))
    flag("missing at a larger argument", good & is.na(there) & is.finite(further[[1]]), here, as.list(torture_scales[k, ]))
  }
}

# A scale, shape or size of 0, or an infinite one: all mass is in one point, where R's p and q functions go by conventions of
# their own (which the edge tables and probes hold).
torture_degenerate <- function(tuples) {
  shapes <- setdiff(names(tuples), c("p", "q", "x", "mean", "meanlog", "location", "min", "max"))
  certain <- if (is.null(tuples$prob)) rep(FALSE, nrow(tuples)) else tuples$prob %in% 1
  Reduce(`|`, lapply(tuples[shapes], function(x) x %in% c(0, Inf)), certain)
}

torture_quantile <- function(name, tuples, device, flag) {
  distribution <- paste0("p", substring(name, 2))
  discrete <- grepl("binom|pois|geom|hyper|wilcox|signrank", name)
  for (k in 1:4) {
    flags <- as.list(torture_scales[k, ])
    at <- tuples
    if (flags$log.p) at$p <- ifelse(at$p > 0 & at$p <= 1 & runif(nrow(at)) < 0.6, log(at$p), -abs(at$p))
    q <- torture_value(name, at, flags, device)
    known <- which(is.finite(q) & !is.na(at$p) & !(discrete & abs(q) >= 2^50)) # beyond, a step of 1 is below the rounding
    if (!length(known)) next
    back <- function(x) {
      arguments <- at[known, , drop = FALSE]
      if (name == "qbinom") arguments$size <- round(arguments$size) # as R's qbinom() does, while pbinom() gives NaN
      names(arguments)[1] <- "q"
      arguments$q <- x
      torture_value(distribution, arguments, flags, device)
    }
    step <- if (discrete) 1 else abs(q[known]) * 2^-46 + 2^-1074
    below <- back(q[known] - step)
    above <- back(if (discrete) q[known] else q[known] + step)
    p <- at$p[known]
    slack <- abs(p) * 1e-11 + 1e-310
    low <- if (flags$lower.tail) below else above
    high <- if (flags$lower.tail) above else below
    # R's quantile functions answer p = 0 and p = 1 before they look at the parameters.
    end <- if (flags$log.p) p == 0 | p == -Inf else p == 0 | p == 1
    bad <- logical(nrow(at))
    bad[known] <- ifelse(is.na(low) & is.na(high), !end, is.na(low) | is.na(high) | low > p + slack | high < p - slack)
    bad <- bad & !torture_degenerate(at)
    flag("the distribution function does not bracket p", bad, q, flags, at)
  }
}
