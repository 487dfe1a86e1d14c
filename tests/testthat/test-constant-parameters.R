# Forms for parameters that are the same for all elements (inst/spec/fixed.tsv): what they give is what the general forms give,
# which a call takes where a parameter is a vector.

if (!whole_tests()) unoptimized_programs()

probabilities <- c(seq(0.001, 0.999, by = 0.003), 10^-seq(4, 20, by = 0.3), 1 - 10^-(3:5), 0.5 + 10^-(2:13), 0.5)

forms <- list(
  dnorm = list(x = list(seq(-30, 30, by = 0.11)), parameters = list(list(0, 1), list(-2, 0.01), list(1e6, 3e4))),
  pnorm = list(x = list(seq(-30, 30, by = 0.11)), parameters = list(list(0, 1), list(-2, 0.01), list(1e6, 3e4))),
  dgamma = list(x = list(2^seq(-9, 9, by = 0.03)), parameters = list(list(0.3, 1), list(1, 2), list(4.5, 0.1), list(80, 7))),
  dchisq = list(x = list(2^seq(-9, 9, by = 0.03)), parameters = list(list(0.7), list(1), list(2), list(7.5), list(300))),
  dt = list(
    x = list(c(seq(-8, 8, by = 0.03), 10^seq(-20, 25, by = 0.5))),
    parameters = list(list(0.06), list(0.5), list(1), list(3.3), list(30), list(1e4), list(9e7))
  ),
  dbeta = list(
    x = list(c(seq(0.002, 0.998, by = 0.004), 10^-seq(1, 9), 1 - 10^-seq(1, 9))),
    parameters = list(list(0.07, 0.5), list(1, 1), list(0.5, 3), list(2, 5), list(300, 40), list(2e4, 7), list(3, 5e7))
  ),
  dpois = list(x = list(0:400), parameters = list(list(0.01), list(0.5), list(1), list(3), list(20.25), list(365), list(1e4))),
  dbinom = list(
    x = list(0:7, 0:100, 0:3000),
    parameters = list(list(7, 0.3), list(100, 0.01), list(100, 0.5), list(100, 0.999), list(3000, 0.8), list(1, 0.25), list(9e7, 1e-6))
  ),
  dlnorm = list(
    x = list(c(2^seq(-9, 9, by = 0.03), 10^seq(-270, 270, by = 2.5), 1 + 10^-(1:15), 1 - 10^-(1:15))),
    parameters = list(list(0, 1), list(-2, 0.006), list(3, 190), list(600, 20), list(-600, 0.3), list(1, 2.5))
  ),
  dweibull = list(
    x = list(c(2^seq(-9, 9, by = 0.03), 10^seq(-270, 270, by = 2.5), 1 + 10^-(1:15), 1 - 10^-(1:15))),
    parameters = list(list(1, 1), list(0.06, 3e-20), list(0.06, 9e19), list(2.5, 0.8), list(0.5, 40), list(30, 7), list(9e5, 1))
  ),
  pgamma = list(
    x = list(c(2^seq(-9, 9, by = 0.03), 10^seq(-290, 12, by = 2.5))),
    parameters = list(list(1, 2), list(0.3, 1), list(0.5, 3), list(4.5, 0.1), list(80, 7), list(300, 1e-3), list(9e11, 1e-9), list(3e5, 1e-4))
  ),
  besselJ = list(
    x = list(c(seq(0, 60, by = 0.07), 10^-(1:10), 10^seq(2, 6, by = 0.05), 2 - 10^-(1:15), 2 + 10^-(1:15))),
    parameters = list(
      list(0), list(1), list(0.5), list(1.5), list(1 / 3), list(0.9), list(1.51), list(1.999), list(2), list(2.5), list(7), list(9.999), list(10), list(10.01)
    )
  ),
  pt = list(
    x = list(c(seq(-8, 8, by = 0.03), 10^seq(-20, 145, by = 2.5), -10^seq(-20, 145, by = 2.5))),
    parameters = list(list(1), list(0.3), list(0.5), list(2), list(3.3), list(30), list(400), list(1e4), list(9e11))
  ),
  pchisq = list(
    x = list(c(2^seq(-9, 9, by = 0.03), 10^seq(-290, 12, by = 2.5))),
    parameters = list(list(2), list(0.7), list(1), list(7.5), list(300), list(1e11))
  ),
  pbeta = list(
    x = list(c(seq(0.002, 0.998, by = 0.004), 10^-seq(1, 280, by = 1.7), 1 - 10^-(1:15))),
    parameters = list(
      list(2, 3), list(1, 1), list(0.3, 2), list(0.5, 0.5), list(0.5, 300), list(1e5, 0.6), list(300, 40), list(2e4, 7), list(3, 5e7), list(9e7, 9e7)
    )
  ),
  pf = list(
    x = list(c(2^seq(-9, 9, by = 0.03), 10^seq(-280, 280, by = 2.5), 1 - 10^-(1:15), 1 + 10^-(1:15))),
    parameters = list(list(4, 6), list(2, 2), list(0.7, 3), list(1, 1), list(1, 300), list(3e5, 1.2), list(17, 900), list(1e8, 1.9e8))
  ),
  qgamma = list(x = list(probabilities), parameters = list(list(3, 2), list(0.3, 1), list(0.5, 3), list(1, 1), list(80, 1e-3), list(9e7, 7))),
  qchisq = list(x = list(probabilities), parameters = list(list(3), list(0.7), list(1), list(2), list(45), list(1e7))),
  qt = list(x = list(probabilities), parameters = list(list(3), list(0.3), list(0.5), list(1), list(2), list(30), list(1e6), list(9e11))),
  qbeta = list(
    x = list(probabilities),
    parameters = list(list(2, 3), list(1, 1), list(0.3, 2), list(0.5, 0.5), list(0.5, 300), list(1e5, 0.6), list(300, 40), list(3, 5e7), list(9e7, 9e7))
  ),
  qf = list(
    x = list(probabilities),
    parameters = list(list(4, 6), list(2, 2), list(0.7, 3), list(1, 1), list(1, 300), list(3e5, 1.2), list(17, 900), list(1e8, 1.9e8))
  )
)

# Of functions that R has; what only derivatives call is tested as a derivative, and in test-log-pairs.R.
fixed_table <- function() {
  table <- utils::read.delim(system.file("spec", "fixed.tsv", package = "nmathopencl"), colClasses = "character")
  table[vapply(paste0(table$name, "_opencl"), exists, NA, envir = asNamespace("nmathopencl")), ]
}

elementwise_function <- function(name) get(paste0(name, "_opencl"), asNamespace("nmathopencl"))

flags_of <- function(row) {
  flags <- as.list(as.logical(strsplit(row$flags, ",")[[1]]))
  stats::setNames(flags, list(NULL, "log", c("lower.tail", "log.p"))[[length(flags) + 1L]])
}

# f(x, ...), of as many elements as this device wants before it takes the constant-parameter kernel: x over and over.
call_fixed <- function(f, row, x, ...) {
  n <- length(x)
  if (!least_counts()) return(f(x, ...))
  f(rep_len(x, max(n, as.numeric(row$least))), ...)[seq_len(n)]
}

# Whether the default device is one that does. Asked before each of thousands of calls: the devices are listed once.
least_counts <- local({
  gpus <- NULL
  function() {
    if (is.null(gpus)) {
      devices <- opencl_devices()
      gpus <<- as.character(devices$index[devices$type %in% "gpu"])
    }
    getOption("nmathopencl.device") %in% gpus
  }
})

# Whether a call of f has asked for the general form, since it was forgotten.
asked_general <- function(f) any(grepl("general", names(attr(f, "expression")$variants)))
forget_general <- function(f) {
  expression <- attr(f, "expression")
  for (general in grep("general", names(expression$variants), value = TRUE)) {
    expression$variants[[general]] <- expression$plans[[general]] <- NULL
  }
}

# function(x, p1, ...) NAME(x, p1, ..., FLAGS) as an expression
made_fused_function <- function(row, count) {
  parameters <- paste0("p", seq_len(count), collapse = ", ")
  flags <- paste0(rep(", ", length(flags_of(row))), names(flags_of(row)), rep(" = ", length(flags_of(row))), flags_of(row), collapse = "")
  text <- sprintf("function(x, %s) %s(x, %s%s)", parameters, row$name, parameters, flags)
  opencl_function(eval(parse(text = text)[[1]], new.env(parent = asNamespace("stats"))))
}

# The same one for all tests, which keeps its programs.
fused_functions <- new.env()
fused_function <- function(row, count) {
  key <- paste(getOption("nmathopencl.device"), row$name, row$flags)
  if (is.null(fused_functions[[key]])) fused_functions[[key]] <- made_fused_function(row, count)
  fused_functions[[key]]
}

program_texts <- function(f) unlist(lapply(attr(f, "expression")$variants, lapply, function(variant) variant$text$text))

# What relative errors of eps in x and the parameters make of a result, over eps: by differences of the general form. Counts are
# exact.
conditions <- function(general, x, parameters, counts) {
  h <- 1e-6
  moved <- function(k, by) {
    arguments <- c(list(x), lapply(parameters, rep, length(x)))
    arguments[[k]] <- arguments[[k]] * (1 + by)
    do.call(general, arguments)
  }
  parts <- lapply(setdiff(seq_len(1 + length(parameters)), counts), function(k) abs(moved(k, h) - moved(k, -h)) / (2 * h))
  Reduce(`+`, parts)
}

# The rows of the table whose texts are compiled on a device: one of each stem, of others on the host than elsewhere, with other
# flags from stem to stem; all in whole tests. The package's own functions are tested in every row.
rows_on <- function(device) {
  rows <- seq_len(nrow(fixed_table()))
  if (whole_tests()) return(rows)
  stems <- split(rows, fixed_table()$stem)
  at <- seq_along(stems) + (device == "0")
  sort(unlist(Map(function(of_stem, k) of_stem[k %% length(of_stem) + 1L], stems, at), use.names = FALSE))
}

# Those that are tested there: the host has all in its library.
tested_on <- function(device) if (device == "0") seq_len(nrow(fixed_table())) else rows_on(device)

each_form <- function(check, rows = seq_len(nrow(fixed_table()))) {
  for (k in rows) {
    row <- fixed_table()[k, ]
    form <- forms[[row$name]]
    expect_false(is.null(form), label = row$name)
    general <- function(...) do.call(elementwise_function(row$name), c(list(...), flags_of(row)))
    for (parameters in form$parameters) {
      for (x in form$x) {
        if (row$name == "dbinom") x <- x[x <= parameters[[1]]]
        if (row$name %in% c("dnorm", "pnorm")) x <- x * parameters[[2]] + parameters[[1]]
        if (length(x) > 1) check(row, general, x, parameters)
      }
    }
  }
}

close_to_general <- function(value, general, x, parameters, name) {
  known <- do.call(general, c(list(x), lapply(parameters, rep, length(x))))
  counts <- switch(name, dpois = 1, dbinom = 1:2, integer())
  error <- conditions(general, x, parameters, counts)
  scale <- abs(known) + ifelse(is.finite(error), error, 0)
  ordinary <- is.finite(known) & (known == 0 | abs(known) > 1e-290)
  expect_true(all(abs(value - known)[ordinary] <= 10 * .Machine$double.eps * scale[ordinary] + 1e-300), label = paste(name, toString(parameters)))
  expect_equal(value[!ordinary], known[!ordinary], tolerance = 1e-9)
}

test_that("with scalar parameters a function of the host gives what it gives with vectors", {
  skip_on_cran() # a matter of seconds
  old <- options(nmathopencl.device = "host")
  on.exit(options(old))
  as_one(each_form(function(row, general, x, parameters) {
    close_to_general(do.call(general, c(list(x), parameters)), general, x, parameters, row$name)
  }))
})

test_that("fused, constant-parameter kernels give what the functions give", {
  as_one(for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    each_form(function(row, general, x, parameters) {
      f <- fused_function(row, length(parameters))
      value <- do.call(call_fixed, c(list(f, row, x), parameters))
      close_to_general(value, general, x, parameters, row$name)
      expect_match(program_texts(f), paste0(row$stem, if (row$rows == "log") "_on(" else "_at("), fixed = TRUE, all = FALSE)
    }, rows_on(device))
  })
})

# What no form knows: NA and NaN, the ends of the support and beyond, counts that are not whole, parameters at the rims.
odd_x <- c(-Inf, -1e300, -1, -0.5, -1e-320, 0, 5e-324, 1e-320, 1e-200, 0.3, 0.99, 1 - 1e-12, 1 - 1e-16, 1, 2.5, 3, 7, 1e9, 1e16, 1e200, Inf, NA, NaN)
odd_parameters <- list(
  dnorm = list(list(0, 0), list(0, -1), list(0, Inf), list(NA, 1), list(0, NaN), list(1e308, 1e-320)),
  pnorm = list(list(0, 0), list(0, -1), list(0, Inf), list(NA, 1), list(0, NaN), list(1e308, 1e-320)),
  dgamma = list(list(2, 3), list(0, 1), list(-1, 1), list(1e300, 1), list(NA, 1), list(2, Inf), list(2, 0)),
  pgamma = list(list(2, 3), list(0, 1), list(-1, 1), list(1e300, 1), list(NA, 1), list(2, Inf), list(2, 0), list(0.5, 1e-200)),
  besselJ = list(list(0), list(1), list(-0.5), list(0.7), list(2), list(9.3), list(1e300), list(NA), list(Inf), list(NaN), list(1e-300)),
  pt = list(list(3), list(0), list(-1), list(1e300), list(NA), list(Inf), list(NaN), list(1e-300)),
  pchisq = list(list(3), list(0), list(-1), list(1e300), list(NA), list(Inf), list(NaN)),
  dchisq = list(list(3), list(0), list(-1), list(1e300), list(NA), list(Inf), list(NaN)),
  dt = list(list(3), list(0), list(-1), list(1e300), list(NA), list(Inf), list(NaN), list(1e-300)),
  dbeta = list(list(2, 3), list(0, 1), list(-1, 1), list(1e300, 1), list(NA, 1), list(2, Inf), list(0, 0)),
  dpois = list(list(3), list(0), list(-1), list(1e300), list(NA), list(Inf), list(NaN), list(1e-300)),
  dbinom = list(list(7, 0.4), list(0, 0.4), list(7.5, 0.4), list(7, 0), list(7, 1), list(7, -1), list(7, NA), list(NaN, 0.4), list(1e300, 0.5)),
  pbeta = list(list(2, 3), list(0, 1), list(-1, 1), list(1e300, 1), list(NA, 1), list(2, Inf), list(0, 0), list(Inf, Inf), list(0.5, 1e8)),
  pf = list(list(2, 3), list(0, 1), list(-1, 1), list(1e300, 1), list(NA, 1), list(2, Inf), list(NaN, 3), list(Inf, Inf), list(1, 2e8)),
  qgamma = list(list(2, 3), list(0, 1), list(-1, 1), list(1e300, 1), list(NA, 1), list(2, Inf), list(2, 0), list(0.5, 1e-200)),
  qchisq = list(list(3), list(0), list(-1), list(1e300), list(NA), list(Inf), list(NaN)),
  qt = list(list(3), list(0), list(-1), list(1e300), list(NA), list(Inf), list(NaN), list(1e-300)),
  qbeta = list(list(2, 3), list(0, 1), list(-1, 1), list(1e300, 1), list(NA, 1), list(2, Inf), list(0, 0), list(Inf, Inf), list(0.5, 1e8)),
  qf = list(list(2, 3), list(0, 1), list(-1, 1), list(1e300, 1), list(NA, 1), list(2, Inf), list(NaN, 3), list(Inf, Inf), list(1, 2e8)),
  dlnorm = list(list(0, 1), list(0, 0), list(0, -1), list(0, Inf), list(NA, 1), list(0, NaN), list(Inf, 1), list(-700, 1e-3), list(1e300, 1)),
  dweibull = list(list(2, 3), list(0, 1), list(-1, 1), list(1e300, 1), list(NA, 1), list(2, Inf), list(2, 0), list(0.3, 1e-300), list(NaN, 1))
)

test_that("what constant-parameter kernels do not know is computed in the general ones", {
  as_one(for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    for (k in tested_on(device)) {
      row <- fixed_table()[k, ]
      f <- if (k %in% rows_on(device)) fused_function(row, length(odd_parameters[[row$name]][[1]]))
      for (parameters in odd_parameters[[row$name]]) {
        # A logical parameter makes a variant, with programs of its own: one function has it.
        if (row$name != "dnorm") parameters <- lapply(parameters, as.double)
        known <- suppressWarnings(
          do.call(elementwise_function(row$name), c(list(odd_x), lapply(parameters, rep, length(odd_x)), flags_of(row)))
        )
        reported <- paste(device, row$name, row$flags, toString(parameters))
        for (value in list(
          suppressWarnings(do.call(elementwise_function(row$name), c(list(odd_x), parameters, flags_of(row)))),
          if (!is.null(f)) suppressWarnings(do.call(call_fixed, c(list(f, row, odd_x), parameters)))
        )) {
          if (is.null(value)) next
          expect_identical(is.na(value), is.na(known), label = reported)
          expect_identical(is.nan(value), is.nan(known), label = reported)
          expect_equal(value, known, tolerance = 1e-12, label = reported)
        }
      }
    }
  })
})

# The ends of the support and what lies beyond are no reason to compute all elements again: the bit "needs the general kernel" of a call stays clear.
test_that("constant-parameter kernels know the ends of the support", {
  ends <- list(
    dgamma = list(list(0.5, 2), list(3, 2)), dchisq = list(list(1), list(3)), dlnorm = list(list(0.2, 1.5)),
    dweibull = list(list(0.5, 2), list(1, 2), list(3, 2)), dbeta = list(list(0.5, 2), list(2, 0.5), list(1, 3), list(3, 1)),
    qgamma = list(list(3, 2)), qchisq = list(list(3)), qbeta = list(list(2, 3)), qf = list(list(4, 6)), qt = list(list(3))
  )
  for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    seen <- logical()
    for (k in intersect(rows_on(device), which(fixed_table()$name %in% names(ends)))) {
      row <- fixed_table()[k, ]
      x <- if (startsWith(row$name, "q")) c(0, 1, 0.3, NA) else c(0, -0, -2, -1e-320, 0.3, NA, 1, if (row$name == "dbeta") c(1.5, 1e-20, 1e300))
      f <- fused_function(row, length(ends[[row$name]][[1]]))
      forget_general(f)
      for (parameters in ends[[row$name]]) {
        known <- do.call(get(row$name, asNamespace("stats")), c(list(x), parameters, flags_of(row)))
        reported <- paste(device, row$name, row$flags, toString(parameters))
        expect_equal(do.call(call_fixed, c(list(f, row, x), parameters)), known, tolerance = 1e-9, label = reported)
        expect_false(asked_general(f), label = reported)
      }
      beyond <- if (startsWith(row$name, "q")) c(0.3, 1e-15) else c(0.3, if (row$name == "dbeta") 1e-200 else 1e-300)
      do.call(call_fixed, c(list(f, row, beyond), ends[[row$name]][[1]]))
      seen[[row$name]] <- asked_general(f)
    }
    # That asking is seen. On GPUs the gamma densities need not ask.
    expect_true(all(seen[setdiff(names(seen), c("dgamma", "dchisq"))]), label = paste(device, toString(names(seen)[!seen])))
  }
})

# Each row of a reference table as a call of its own, so that its parameters are scalars. The element stands in it twice: what has
# length one is no vector.
test_that("with scalar parameters the reference tables are met, fused and not", {
  for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    for (k in tested_on(device)) {
      row <- fixed_table()[k, ]
      flags <- flags_of(row)
      table <- read_reference(test_path("ref", paste0(row$name, ".tsv")))
      for (flag in names(flags)) table <- table[table[[flag]] == flags[[flag]], ]
      arguments <- table[setdiff(names(table), c(flag_names, "ref", "cond"))]
      fused <- if (k %in% rows_on(device)) fused_function(row, length(arguments) - 1L)
      # By position: the table of the gamma distribution has a scale, and the expression's function a rate, but for the first row of
      # a function, whose expression is one of the scale.
      gamma <- row$name %in% c("dgamma", "pgamma", "qgamma")
      positions <- if (gamma) function(a) list(a[[1]], a[[2]], scale = a[[3]]) else unname
      fused_positions <- positions
      if (!is.null(fused) && gamma && k == match(row$name, fixed_table()$name)) {
        text <- sprintf("function(x, a, scale) %s(x, a, scale = scale, %s)", row$name, paste(names(flags), "=", flags, collapse = ", "))
        fused <- opencl_function(eval(parse(text = text)[[1]], new.env(parent = asNamespace("stats"))))
      } else if (gamma) {
        fused_positions <- function(a) list(a[[1]], a[[2]], 1 / a[[3]])
      }
      twice <- function(f, flags, positions) {
        vapply(seq_len(nrow(table)), function(i) {
          given <- positions(as.list(arguments[i, ]))
          given[[1]] <- rep(given[[1]], 2)
          suppressWarnings(do.call(call_fixed, c(list(f, row), given, flags)))[2]
        }, 0)
      }
      expect_gt(nrow(table), 20)
      for (value in list(if (!is.null(fused)) twice(fused, NULL, fused_positions), twice(elementwise_function(row$name), flags, positions))) {
        if (is.null(value)) next
        bad <- which(failing_rows(table, value))
        expect(length(bad) == 0, sprintf("%s on %s: %s", row$stem, device, if (length(bad)) describe_row(table, value, bad[1])))
      }
    }
  }
})

# On the host the values of a reduction come 64 at a time where its expression is of constant-parameter kernels.
test_that("reductions of constant-parameter kernels are those of the values, whatever their number", {
  for (device in compiling_devices()) {
    old <- options(nmathopencl.device = device)
    on.exit(options(old))
    f <- function(x, w, s) dlnorm(x, s, log = TRUE) * w + dt(x, 4, log = TRUE)
    values <- opencl_function(f)
    for (op in c("sum", "mean", "logsumexp")) {
      reduced <- opencl_function(f, reduce = op)
      for (n in c(2, 63, 64, 65, 1000, 1024 + 65, 5000)) {
        x <- seq(0.01, 7, length.out = n)
        w <- if (n %% 2 == 0) c(0.5, 2) else 3 # recycled, or the same for all
        y <- values(x, w, 0.3)
        known <- switch(op, sum = sum(y), mean = mean(y), logsumexp = max(y) + log(sum(exp(y - max(y)))))
        expect_equal(reduced(x, w, 0.3), known, tolerance = 1e-14, label = paste(device, op, n))
      }
      x[4999] <- NaN
      expect_identical(is.nan(reduced(x, w, 0.3)), TRUE)
      x[4999] <- NA
      expect_identical(is.na(reduced(x, w, 0.3)) && !is.nan(reduced(x, w, 0.3)), TRUE)
      x[4999] <- -1 # which no form knows
      expect_equal(reduced(x, 1, 0.3), switch(op, logsumexp = reduced(x[-4999], 1, 0.3), -Inf), tolerance = 1e-14)
    }
    product <- opencl_function(function(x) dlnorm(x, 0, 1), reduce = "prod")
    expect_equal(product(seq(0.5, 1, length.out = 130)), prod(stats::dlnorm(seq(0.5, 1, length.out = 130))), tolerance = 1e-13)
  }
})

test_that("the exponential and the logarithm of constant-parameter kernels are right to an ulp", {
  program <- function(call) {
    paste0(
      "// @library_deps: nmath\n// @depends_nmath: log1p_parts\n__kernel void k(__global const double* x, __global double* out, const int len)\n",
      "{ for (int i = get_global_id(0); i < len; i += get_global_size(0)) out[i] = ", call, "; }"
    )
  }
  for (device in compiling_devices()) {
    run <- function(call, x) run_opencl_kernel(program(call), "k", list(x), device = device)
    x <- c(seq(-700, 700, length.out = 20001), 10^-(1:20), -10^-(1:20))
    expect_lt(max(abs(run("expsq_exp(x[i])", x) / exp(x) - 1)), 2.5 * .Machine$double.eps)
    expect_identical(run("expsq_exp(x[i])", c(-Inf, -1e300, -800, 0, NaN)), c(0, 0, 0, 1, NaN))
    expect_identical(is.na(run("expsq_exp(x[i])", c(NA, 0))), c(TRUE, FALSE)) # whose last bits are not zero
    x <- c(10^seq(-300, 300, length.out = 20001), 1 + 10^-(1:15), 1 - 10^-(1:15), 1)
    expect_lt(max(abs(run("log1p_parts_log(x[i])", x) - log(x)) / pmax(abs(log(x)), 1e-300)), 2.5 * .Machine$double.eps)
  }
})

test_that("a GPU's local memory has the forms that fit into it, where every form may lie there", {
  skip_if_not(compiler_here() || length(opencl_test_devices()) > 0L, "no device here compiles")
  shares <- function(f) {
    f <- opencl_function(f)
    f(c(0.25, 0.5), 2.5, device = c(if (compiler_here()) "0", opencl_test_devices())[1])
    vapply(as.list(attr(f, "expression")$variants), function(variant) variant[[1]]$text$local_forms, NA)[[1]]
  }
  many <- function(count) eval(parse(text = paste("function(x, a)", paste0("pt(x - ", seq_len(count), ", a)", collapse = " + ")))[[1]])
  expect_true(shares(function(x, a) pbeta(x, a, 3)))
  expect_true(shares(function(x, a) pgamma(x, a) * dgamma(x, a)))
  expect_false(shares(function(x, a) dgamma(x, a)))
  expect_false(shares(function(x, a) pgamma(x, a) + qgamma(x, a)))
  expect_true(shares(many(16)))
  expect_false(shares(many(17)))
})
