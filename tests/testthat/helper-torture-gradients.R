# Gradients against differences of values: of each function of inst/spec/derivatives.tsv, at arguments from all over the doubles,
# and of random functions.
#
# Derivatives are estimated by Ridders' method (Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", Adv. Eng. Software 4,
# 1982): central differences of steps that shrink, extrapolated to 0, which gives any order, and an estimate of the error, to which
# the rounding of the values over the step is added. It starts from several steps, relative to the argument, and the least
# error counts. An element is judged where the error is a ten-thousandth of the derivative or less, and is wrong where
# gradient and estimate are apart by more than a millionth of it and 100 errors, and again for other steps. So what is found is
# wrong, what is a ten-thousandth wrong is found, and elements that are not judged are counted.

# f(delta): the values where the argument has moved by delta times its size; `noise`: the error of a value; `grain`: of doubles at
# the argument, in its size. list(value, error).
ridders <- function(f, here, noise, grain, steps, ratio, levels = 7L, enough = function(estimate) FALSE) {
  best <- rep(NA_real_, length(here))
  error <- rep(Inf, length(here))
  for (h in steps) {
    rows <- list()
    for (i in seq_len(levels)) {
      row <- list((f(h) - f(-h)) / (2 * h))
      for (j in seq_len(i - 1L)) {
        k <- ratio^(2 * j)
        row[[j + 1L]] <- (row[[j]] * k - rows[[j]]) / (k - 1)
        e <- pmax(abs(row[[j + 1L]] - row[[j]]), abs(row[[j + 1L]] - rows[[j]])) + 2 * noise / h + 4 * grain / h * abs(row[[j + 1L]])
        better <- which(!is.na(e) & e < error & h > 1e4 * grain)
        best[better] <- row[[j + 1L]][better]
        error[better] <- e[better]
      }
      rows <- row
      h <- h / ratio
      if (i > 1L && enough(list(value = best, error = error))) return(list(value = best, error = error))
    }
  }
  list(value = best, error = error)
}

# Where differences to both sides do not come together: at a kink the derivative is a convention.
at_kink <- function(f, here) {
  apart <- lapply(c(1e-3, 1e-5, 1e-6), function(h) {
    up <- suppressWarnings(f(h)) - here
    down <- here - suppressWarnings(f(-h))
    abs(up - down) > 0.1 * pmax(abs(up), abs(down))
  })
  Reduce(`&`, apart) %in% TRUE
}

# Where the estimate is of a trend over many waves, which the differences of the smallest steps show: those go with the slope.
right_at_hand <- function(slope, estimate, f, noise, grain) {
  right <- logical(length(slope))
  for (h in 10^-(4:11)) {
    d <- suppressWarnings(f(h) - f(-h)) / (2 * h)
    right <- right | (h > 1e4 * grain & noise / h < 0.1 * abs(estimate - slope) & abs(d - slope) < 0.2 * abs(estimate - slope))
  }
  right %in% TRUE
}

# For each element "", "value" or "missing", NA where it was not judged. `moves`: the size of the argument.
judge_slopes <- function(gradient, moves, here, f, noise, grain = 2^-53) {
  slope <- gradient * moves
  judge <- function(d) {
    size <- pmax(abs(d$value), ifelse(is.finite(slope) & abs(slope) < 1e6 * abs(here), abs(slope), 0)) # else finer than the steps
    within <- is.finite(d$value / moves) & size / moves > 1e-280 & size > 1e-280 # else the derivative is no double, or subnormal
    sharp <- is.finite(here) & within & d$error <= 1e-4 * size
    nothing <- is.finite(here) & d$value %in% 0 & slope %in% 0
    wrong <- is.na(slope) | abs(slope - d$value) > 1e-6 * size + 100 * d$error
    ifelse(nothing, "", ifelse(!sharp %in% TRUE, NA, ifelse(!wrong, "", ifelse(is.na(slope), "missing", "value"))))
  }
  settled <- function(d) all(judge(d) %in% "") && all(d$value %in% 0 | d$error <= 1e-9 * abs(d$value)) # smaller steps say the same
  one <- suppressWarnings(ridders(f, here, noise, grain, c(0.1, 0.01, 1e-3, 1e-5, 1e-7), 1.6, enough = settled))
  first <- judge(one)
  if (!all(first %in% c("", NA))) { # estimates may agree by chance, but not twice
    two <- suppressWarnings(ridders(f, here, noise, grain, c(0.03, 0.004, 3e-4, 2e-6, 3e-8), 2.1))
    same <- abs(one$value - two$value) <= 1e-5 * abs(one$value) + 10 * (one$error + two$error)
    excused <- at_kink(f, here) | right_at_hand(slope, one$value, f, noise, grain)
    first[!first %in% "" & !(judge(two) %in% c("value", "missing") & same %in% TRUE & !excused)] <- NA
  }
  structure(first, estimate = one$value)
}

# The size by which an argument moves, which stays within its range.
moving_size <- function(name, x, log_p = FALSE) {
  size <- ifelse(x == 0 | !is.finite(x), 1, abs(x))
  if (name %in% c("prob", "qprob", "u") || (name == "p" && !log_p)) size <- pmin(size, ifelse(x < 1 & x > 0, 1 - x, 1))
  size
}

# ---- functions of the table ----------------------------------------------------------------------------------------------------

# A list for each function that has rules: name, columns, which of them have rules, the row of functions.tsv if it has one.
torture_derivatives <- function() {
  rules <- read_rules()
  of_rules <- utils::read.delim(system.file("spec", "rule_functions.tsv", package = "nmathopencl"), colClasses = "character", quote = "")
  rules <- rules[!rules$name %in% of_rules$name, ] # which no function can call: second derivatives need theirs
  table <- function_table()
  r_name <- gsub("`", "", sub("^[a-z]*::", "", table$mirrors), fixed = TRUE)
  arguments <- lapply(split(rules$argument, factor(rules$name, unique(rules$name))), unique)
  lapply(stats::setNames(names(arguments), names(arguments)), function(name) {
    k <- match(name, table$name)
    if (is.na(k) || name %in% c("+", "-", "^")) k <- match(name, r_name)
    row <- if (!is.na(k) && !name %in% c("round", "signif", "trunc", "^")) table[k, ]
    columns <- if (is.null(row)) arguments[[name]] else trimws(strsplit(row$columns, ",")[[1L]])
    if (name == "atan2") columns <- c("y", "x")
    of <- if (name == "dbinom_raw") c("x", "size") else arguments[[name]] # prob and qprob move together
    list(name = name, columns = columns, of = of, row = row)
  })
}

step_functions <- c("floor", "ceiling", "trunc", "round", "signif", "sign", "ftrunc", "fround", "fprec", "lgammafn_sign", "%/%", "%%")

# n arguments for it: half of them ordinary, half from all over the doubles.
torture_slope_points <- function(target, n, log_p) {
  usual <- rule_points(target$name, n)$args
  if (target$name %in% step_functions) return(lapply(usual[target$columns], as.double)) # from afar a staircase looks smooth
  wild <- if (!is.null(target$row)) torture_tuples(target$row, n) else stats::setNames(lapply(target$columns, function(column) wild_numbers(n)), target$columns)
  points <- lapply(stats::setNames(target$columns, target$columns), function(column) {
    x <- as.double(wild[[column]])
    ordinary <- if (is.null(usual[[column]])) x else as.double(usual[[column]])
    if (column %in% c("expon.scaled", "digits", "deriv", "expo", "n_exp", "nranges", "nmeans")) return(ordinary)
    whole <- grepl("binom|pois|geom|choose", target$name) && !grepl("_raw", target$name) && column %in% c("x", "q", "k", "size")
    x <- ifelse(seq_len(n) %% 2L == 0L, ordinary, x)
    if (whole && !(column == "size" && grepl("nbinom", target$name))) x <- round(x)
    if (grepl("_raw$", target$name)) x <- if (column == "prob") abs(x) %% 1 else abs(x)
    if (grepl("gamma", target$name) && column == "x") x <- ifelse(x < -1e3, -x, x) # waves that no step is small enough for
    if (column == "p" && log_p) x <- ifelse(!is.na(x) & x > 0 & x < 1, log(x), -abs(x))
    x
  })
  if (!is.null(points$prob) && !is.null(points$qprob)) points$qprob <- 1 - points$prob
  points
}

torture_slope_call <- function(target, flags) {
  symbols <- lapply(target$columns, as.symbol)
  names(symbols) <- c("", target$columns[-1L])
  if (is.null(target$row) || target$name %in% c("beta", "lbeta", "choose", "lchoose")) names(symbols) <- NULL
  if (target$name %in% c("round", "signif")) symbols[[2L]] <- if (target$name == "round") 0 else 2
  if (target$name %in% c("besselI", "besselK")) symbols$expon.scaled <- flags$expon.scaled
  as.call(c(list(as.symbol(target$name)), symbols, flags[setdiff(names(flags), "expon.scaled")]))
}

torture_table_gradient <- function(case, device, state) {
  torture_seed("gradients", case)
  target <- state$derivatives[[(case - 1L) %/% 2L %% length(state$derivatives) + 1L]]
  flags <- list()
  has <- function(flag) !is.null(target$row) && flag %in% trimws(strsplit(target$row$flags, ",")[[1L]])
  if (has("log")) flags$log <- chance(0.5)
  if (has("lower.tail")) flags <- list(lower.tail = chance(0.5), log.p = chance(0.5))
  if (target$name %in% c("besselI", "besselK")) flags$expon.scaled <- chance(0.5)
  heavy <- !is.null(target$row) && target$row$cost != "cheap"
  points <- torture_slope_points(target, if (heavy) 16L else 60L, isTRUE(flags$log.p))
  points$expon.scaled <- NULL
  f <- as.function(c(stats::setNames(rep(alist(x = ), length(points)), names(points)), torture_slope_call(target, flags)), envir = globalenv())
  value_of <- if (is.null(target$row)) f else function(...) {
    do.call(get(paste0(target$row$name, "_opencl"), asNamespace("nmathopencl")), c(list(...), flags, list(device = "host")))
  }
  gradient_of_points(f, value_of, points, target$of, device, case, isTRUE(flags$log.p))
}

# What the rounding of arguments does to values: the largest change where one of them moves to the double beside it. No value is
# better than that, however exact its function is.
value_error <- function(value_of, points, here) {
  error <- numeric(length(here))
  for (name in names(Filter(is.double, points))) {
    for (way in c(1, -1)) {
      at <- points
      at[[name]] <- at[[name]] + way * pmax(abs(at[[name]]) * 2^-53, 2^-1074)
      there <- suppressWarnings(as.double(do.call(value_of, at)))
      if (length(there) != length(here)) next
      change <- abs(there - here)
      error <- pmax(error, ifelse(is.finite(change), change, 0))
    }
  }
  error
}

# `together`: all elements move by the same, as an element may be of another element's argument. `floor`: the error of values.
gradient_of_points <- function(f, value_of, points, names, device, case, log_p, floor = 0, together = FALSE) {
  made <- paste0("opencl_function(f, gradient = ", torture_text(names), ")")
  g <- torture_outcome(nmathopencl::opencl_function(f, gradient = names))
  ours <- if (torture_failed(g)) g else torture_outcome(torture_on(device, do.call(g$value, c(points, device = torture_device(device)))))
  if (torture_failed(ours)) {
    if (grepl("there is no rule|which is not only", ours$value[[1L]])) return(list(judged = 0, elements = 0))
    return(list(judged = 0, elements = 0, found = torture_finding("gradients", case, "refused", c(torture_code(f, list(points), device, made), paste("#", torture_shown(ours))))))
  }
  slopes <- attr(ours$value, "gradient")
  here <- suppressWarnings(as.double(do.call(value_of, points)))
  noise <- 2e-15 * abs(here) + floor + value_error(value_of, points, here)
  found <- NULL
  judged <- elements <- 0
  for (name in names) {
    columns <- if (name == "b" && length(points$b) > 1L) seq_along(points$b) else 0L
    for (j in columns) {
      size <- moving_size(name, points[[name]], log_p)
      if (together) size[] <- min(size)
      if (j > 0L) size <- size * (seq_along(size) == j)
      moved <- function(delta) {
        at <- points
        at[[name]] <- at[[name]] + delta * size
        suppressWarnings(as.double(do.call(value_of, at)))
      }
      label <- if (j > 0L) paste0("b", j) else name
      if (!label %in% colnames(slopes)) next # a condition has left X %*% b out
      own <- rep_len(as.double(slopes[, label]), length(here))
      moves <- rep_len(if (j > 0L) size[j] else size, length(here))
      at_argument <- if (j > 0L) points[[name]][j] else points[[name]]
      grain <- rep_len(pmax(2^-53 * abs(at_argument), 2^-1074), length(here)) / moves
      verdict <- judge_slopes(own, moves, here, moved, noise, ifelse(is.na(grain), Inf, grain))
      judged <- judged + sum(!is.na(verdict))
      elements <- elements + length(verdict)
      for (k in utils::head(which(!verdict %in% c("", NA)), 2L)) {
        one <- if (all(lengths(points) == length(here))) lapply(points, `[`, k) else points
        found <- rbind(found, torture_finding("gradients", case, c("gradient", verdict[k], name), c(
          torture_code(f, list(one), device, made),
          paste("# element", k, "in", name, "ours:", format(own[k], digits = 12), "differences:", format(attr(verdict, "estimate")[k] / moves[k], digits = 12))
        )))
      }
    }
  }
  list(judged = judged, elements = elements, found = found)
}

# ---- random functions ------------------------------------------------------------------------------------------------------------

torture_smooth_formals <- alist(x = , y = , u = , n = , a = , c = , X = , b = )

torture_smooth_values <- function(rows, columns, vectors) {
  list(
    x = round(stats::rnorm(rows, 0, 2), 3), y = round(stats::rexp(rows), 3) + 0.05, u = round(stats::runif(rows, 0.02, 0.98), 3),
    n = sample(0:7, rows, TRUE), a = round(stats::rnorm(if (vectors) rows else 1L), 3) + 0.0001, c = round(stats::rexp(if (vectors) rows else 1L), 3) + 0.2,
    X = matrix(round(stats::rnorm(rows * columns), 3), rows), b = round(stats::rnorm(columns), 3)
  )
}

torture_smooth_gradient <- function(case, device, state) {
  torture_seed("gradients", case)
  writer <- new_writer(TRUE, state$smooth_library, state$rules)
  f <- torture_used(as.function(c(torture_smooth_formals, torture_body(writer)), envir = state$home))
  names <- intersect(names(formals(f)), c("x", "y", "u", "a", "c", "b"))
  if (length(names) == 0L) return(list(judged = 0, elements = 0))
  names <- names[seq_along(names) %in% sample(length(names), sample(length(names), 1L)) | names %in% c("a", "b")]
  scalars <- chance(0.6)
  points <- torture_smooth_values(sample(c(1L, 2L, 7L, 7L), 1L), sample(3L, 1L), !scalars)[names(formals(f))]
  value_of <- function(...) {
    g <- f
    environment(g) <- state$exact
    do.call(g, list(...))
  }
  here <- torture_outcome(do.call(value_of, points))
  if (torture_failed(here)) return(list(judged = 0, elements = 0))
  shaken <- lapply(1:6, function(i) {
    g <- f
    environment(g) <- state$shaken[[2L]]
    abs(suppressWarnings(as.double(do.call(g, points))) - as.double(here$value))
  })
  noise <- do.call(pmax, c(shaken, na.rm = TRUE))
  noise[is.na(noise)] <- 0
  vectors <- lengths(points[names]) == length(here$value) | lengths(points[names]) == 1L | names == "b"
  if (!any(vectors)) return(list(judged = 0, elements = 0))
  result <- gradient_of_points(f, value_of, points, names[vectors], device, case, FALSE, 4 * noise, TRUE)
  whole <- names[lengths(points[names]) == 1L | names == "b"]
  if (length(whole) > 0L && result$elements > 0) result$found <- rbind(result$found, reduced_gradient(f, points, whole, device, case))
  result
}

# Sums and means of a gradient, by groups and without missing values, against the gradient of each element.
reduced_gradient <- function(f, points, names, device, case) {
  op <- one_of("sum", "mean")
  na_rm <- chance(0.5)
  for (name in intersect(c("x", "y"), names(points))) if (length(points[[name]]) > 1L && chance(0.4)) points[[name]][sample(length(points[[name]]), 1L)] <- NA
  call_with <- function(reduce, ...) torture_outcome(torture_on(device, {
    g <- nmathopencl::opencl_function(f, reduce = reduce, na.rm = na_rm && !is.null(reduce), gradient = names)
    do.call(g, c(points, list(device = torture_device(device)), list(...)))
  }))
  each <- call_with(NULL)
  if (torture_failed(each)) return(NULL)
  slopes <- attr(each$value, "gradient")
  value <- as.vector(each$value)
  by <- if (chance(0.5)) sample(c(1L, 2L, 4L, NA), length(value), TRUE)
  if (all(is.na(by))) by <- NULL
  ours <- if (is.null(by)) call_with(op) else call_with(op, by = by)
  made <- sprintf("opencl_function(f, reduce = \"%s\", na.rm = %s, gradient = %s)", op, na_rm, torture_text(names))
  report <- function(class) {
    further <- if (is.null(by)) "" else paste0(", by = list(", torture_text(by), ")")
    code <- c(torture_code(f, list(points), device, made, further), paste("# elements:", torture_shown(each)), paste("# ours:", torture_shown(ours)))
    torture_finding("gradients", case, c("gradient", op, class), code)
  }
  if (torture_failed(ours)) return(report("we alone fail"))
  rows <- if (na_rm) !is.na(value) else rep(TRUE, length(value))
  parts <- cbind(value, slopes)
  reduced <- function(k) {
    k <- k & rows
    sums <- colSums(parts[k, , drop = FALSE]) / if (op == "mean") sum(k) else 1
    loss <- colSums(abs(parts[k, , drop = FALSE])) * 1e-12 / if (op == "mean") sum(k) else 1
    list(sums, loss)
  }
  got <- if (is.null(by)) rbind(c(ours$value, attr(ours$value, "gradient"))) else cbind(as.vector(ours$value), attr(ours$value, "gradient"))
  groups <- if (is.null(by)) list(rep(TRUE, length(value))) else lapply(seq_len(max(by, na.rm = TRUE)), function(g) by %in% g)
  if (!identical(dim(got), c(length(groups), ncol(parts)))) return(report("dimensions"))
  for (g in seq_along(groups)) {
    if (!any(groups[[g]])) {
      if (!all(is.na(got[g, ]))) return(report("a group without elements"))
      next
    }
    want <- reduced(groups[[g]])
    apart <- abs(got[g, ] - want[[1L]]) > want[[2L]] + 1e-300
    if (any(is.na(got[g, ]) != is.na(want[[1L]]))) return(report("missing"))
    if (any(apart & is.finite(want[[1L]]), na.rm = TRUE)) return(report("value"))
  }
  NULL
}
