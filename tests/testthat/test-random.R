# The draws of a call depend on its seed and its arguments only; their R side is that of stats.

# Arguments under which a row's draws vary.
varied <- list(
  r_unif_index = list(c(10, 1000, 2^40)), runif = list(c(-1, 2), 5), rnorm = list(1:3, c(0.5, 2)), rexp = list(c(0.1, 3, 8)),
  rlnorm = list(c(0, 2), 0.5), rcauchy = list(0:2, 3), rweibull = list(c(0.3, 1, 4), 2), rlogis = list(1:2, 0.5),
  rgeom = list(c(0.9, 0.1, 1e-3)), rgamma = list(c(0.2, 1, 30), 2), rchisq = list(c(0.2, 1, 30)),
  rnchisq = list(c(0.5, 3), c(2, 100, 4)), rbeta = list(c(0.2, 1, 30), 2), rnbeta = list(c(0.5, 3), 2, c(1, 20)),
  rt = list(c(0.3, 5, Inf)), rnt = list(c(0.3, 5), c(-1, 3)), rf = list(c(0.3, 5, Inf), 4), rnf = list(c(0.3, 5), 4, 2),
  rbinom = list(c(5, 100, 1e6), c(0.1, 0.5, 0.99, 0.3)), rpois = list(c(0.1, 5, 50, 1e5)),
  rhyper = list(c(5, 100, 1e5), 1000, c(4, 500)), rnbinom = list(c(0.5, 20), c(0.1, 0.5, 0.9)),
  rnbinom_mu = list(c(0.5, 20), c(0.1, 5, 500)), rwilcox = list(c(3, 20, 2000), c(4, 50, 3000)), rsignrank = list(c(3, 100, 5000))
)

draw_rows <- function() {
  rows <- function_table()
  rows[rows$flags %in% c("draws", "counts"), ] # rmultinom draws matrices, and has a test of its own
}

arguments_of <- function(name) if (name %in% names(varied)) varied[[name]] else list()

test_that("every function that draws is tested here", {
  needs <- draw_rows()$name[nzchar(draw_rows()$params)]
  expect_setequal(names(varied), needs)
  expect_true(all(draw_rows()$name %in% c(names(continuous_draws), names(discrete_draws), called_draws, "r_unif_index")))
})

test_that("set.seed() reproduces draws, two calls differ, no draw takes no seed", {
  for (device in test_devices()) {
    set.seed(1)
    a <- rnorm_opencl(100, device = device)
    b <- rnorm_opencl(100, device = device)
    set.seed(1)
    expect_identical(rnorm_opencl(100, device = device), a)
    expect_identical(rnorm_opencl(100, device = device), b)
    expect_false(any(a == b))
  }
  before <- .Random.seed
  expect_identical(rnorm_opencl(0, device = "host"), numeric(0))
  expect_warning(rnorm_opencl(3, numeric(0), device = "host"), "NAs produced")
  expect_error(rnorm_opencl(-1, device = "host"), "invalid arguments")
  expect_identical(.Random.seed, before)
})

test_that("the same draws on every device", {
  for (name in draw_rows()$name) {
    on_host <- draw_seeded(3, name, 20001, arguments_of(name))
    for (device in opencl_test_devices()) {
      there <- draw_seeded(3, name, 20001, arguments_of(name), device)
      expect_ran_on(device)
      expect_identical(typeof(there), typeof(on_host))
      around <- if (name %in% c("rnorm", "rcauchy", "rlogis")) max(arguments_of(name)[[1L]]) else 0 # what a draw next to 0 is a difference of
      expect(all(abs(there - on_host) <= 1e-12 * abs(on_host) + 4 * .Machine$double.eps * around), sprintf("%s differs on %s", name, device_name(device)))
    }
  }
})

test_that("draws do not depend on threads, on the number of draws, or on how parameters are recycled", {
  old <- options(nmathopencl.threads = 1)
  on.exit(options(old))
  for (name in draw_rows()$name) {
    options(nmathopencl.threads = 1)
    all <- draw_seeded(4, name, 60001, arguments_of(name))
    options(nmathopencl.threads = 2)
    expect_identical(draw_seeded(4, name, 60001, arguments_of(name)), all)
    expect_identical(draw_seeded(4, name, 17, arguments_of(name)), all[1:17])
    long <- lapply(arguments_of(name), rep_len, 60001)
    expect_identical(draw_seeded(4, name, 60001, long), all)
  }
})

test_that("a call that a device fails is repeated with the same seed", {
  set.seed(8)
  expect_warning(a <- rnorm_opencl(5, device = "no such device", fallback = TRUE), "repeated on the host device")
  expect_identical(a, draw_seeded(8, "rnorm", 5, list()))
})

test_that("draws are numbered beyond one chunk of a device", {
  n <- 5e6
  all <- draw_seeded(9, "unif_rand", n, list())
  for (device in opencl_test_devices()) expect_identical(draw_seeded(9, "unif_rand", n, list(), device), all)
  expect_false(anyDuplicated(all[1:1e6]) > 0)
})

# Parameters at and beyond the ends of domains: where draws of stats do not vary, they are these; where they are missing,
# these are.
odd_values <- c(NA, NaN, -Inf, -2.5, -1, -0.4, 0, 1, 2, 5.5, 2^32, Inf)

odd_arguments <- function(row) {
  # Here stats takes hours, runs out of memory, or makes an int of infinity.
  if (row$name %in% c("rwilcox", "rsignrank", "rhyper")) odd_values <- setdiff(odd_values, 2^32)
  if (row$name %in% c("rwilcox", "rsignrank")) odd_values <- setdiff(odd_values, c(-Inf, Inf))
  k <- length(strsplit(row$params, ", ", fixed = TRUE)[[1]])
  as.list(unname(expand.grid(rep(list(odd_values), k))))
}

outcome <- function(f, arguments) {
  texts <- character()
  value <- withCallingHandlers(do.call(f, arguments), warning = function(w) {
    texts <<- c(texts, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  list(value = value, warnings = unique(texts))
}

test_that("points of certainty and missing draws are those of stats", {
  rows <- draw_rows()
  rows <- rows[grepl("^stats::", rows$mirrors), ]
  for (k in seq_len(nrow(rows))) {
    name <- rows$name[k]
    theirs <- getExportedValue("stats", sub("stats::", "", rows$mirrors[k]))
    ours <- get(paste0(name, "_opencl"), envir = asNamespace("nmathopencl"))
    arguments <- odd_arguments(rows[k, ])
    names(arguments) <- strsplit(rows$columns[k], ", ", fixed = TRUE)[[1]]
    n <- length(arguments[[1]])
    set.seed(1)
    a <- outcome(theirs, c(list(n), arguments))
    again <- suppressWarnings(replicate(100, do.call(theirs, c(list(n), arguments))))
    for (device in test_devices()) {
      got <- outcome(ours, c(list(n), arguments, device = device))
      expect_identical(typeof(got$value), typeof(a$value), label = name)
      expect_identical(got$warnings, a$warnings, label = name)
      expect_identical(is.na(got$value), is.na(a$value), label = paste(name, "on", device_name(device)))
      certain <- !is.na(a$value) & rowSums(again != a$value) == 0
      expect_equal(got$value[certain], a$value[certain], label = paste(name, "on", device_name(device)))
    }
  }
})

test_that("the number of draws and the parameters are read as stats reads them", {
  expect_length(rnorm_opencl(2.9, device = "host"), 2)
  expect_length(rnorm_opencl("3", device = "host"), 3)
  expect_length(rnorm_opencl(TRUE, device = "host"), 1)
  expect_length(rnorm_opencl(list(1, "a", NULL), device = "host"), 3)
  expect_length(rnorm_opencl(factor(c("u", "v")), device = "host"), 2)
  expect_length(rnorm_opencl(matrix(1:6, 2), device = "host"), 6)
  for (n in list(NA, NaN, -1, Inf, NULL, list(3), sum, quote(x))) expect_error(rnorm_opencl(n), "^invalid arguments$")
  expect_warning(expect_error(rnorm_opencl("a"), "^invalid arguments$"), "NAs introduced by coercion")
  for (x in list("a", NULL, factor("u"), list(1), 1i)) expect_error(rnorm_opencl(2, x), "^invalid arguments$")
  expect_error(rnorm_opencl(0, "a"), "^invalid arguments$")
  expect_null(attributes(rnorm_opencl(4, matrix(1:4, 2, dimnames = list(c("a", "b"), NULL)), device = "host")))
  error <- tryCatch(rexp_opencl(-1), error = identity)
  expect_identical(conditionCall(error), quote(rexp_opencl(-1)))
  warning <- tryCatch(rexp_opencl(1, -1, device = "host"), warning = identity)
  expect_identical(conditionCall(warning), quote(rexp_opencl(1, -1, device = "host")))
})

test_that("counts are integers unless one is too large", {
  set.seed(1)
  expect_type(rgeom_opencl(10, 0.1, device = "host"), "integer")
  expect_type(rgeom_opencl(0, 0.1, device = "host"), "integer")
  expect_warning(missing <- rgeom_opencl(2, c(0.5, -1), device = "host"), "^NAs produced$")
  expect_identical(is.na(missing), c(FALSE, TRUE))
  expect_warning(large <- rgeom_opencl(3, c(1, 1e-12, NaN), device = "host"), "^NAs produced$")
  expect_type(large, "double")
  expect_identical(is.nan(large), c(FALSE, FALSE, FALSE))
  expect_identical(is.na(large), c(FALSE, FALSE, TRUE))
})

test_that("a missing parameter of a double family gives NaN", {
  expect_warning(x <- rnorm_opencl(3, c(NA, NaN, 0), 0, device = "host"), "^NAs produced$")
  expect_identical(is.nan(x), c(TRUE, TRUE, FALSE))
  expect_warning(x <- rnorm_opencl(2, numeric(0), device = "host"), "^NAs produced$")
  expect_identical(x, c(NA_real_, NA_real_))
})

test_that("multinomial draws are those of stats in all but the stream", {
  prob <- c(a = 0.1, b = 0, c = 0.5, d = 2)
  on_host <- draw_seeded(1, "rmultinom", 2e4, list(20, prob))
  expect_type(on_host, "integer")
  expect_identical(dimnames(on_host), list(names(prob), NULL))
  expect_true(all(colSums(on_host) == 20) && all(on_host >= 0) && all(on_host["b", ] == 0))
  for (cell in c("a", "c", "d")) {
    share <- prob[[cell]] / sum(prob)
    p <- cells_p_value(on_host[cell, ], function(x) pbinom(x, 20, share), function(p) qbinom(p, 20, share))
    expect_gt(p, random_type_1, label = cell)
  }
  rare <- draw_seeded(2, "rmultinom", 1e4, list(1e9, c(1, 1e-9, 1e-8)))
  expect_gt(cells_p_value(rare[2, ], function(x) ppois(x, 1), function(p) qpois(p, 1)), random_type_1)
  for (device in opencl_test_devices()) {
    expect_identical(draw_seeded(1, "rmultinom", 2e4, list(20, prob), device), on_host)
    expect_ran_on(device)
  }
  old <- options(nmathopencl.threads = 1)
  on.exit(options(old))
  expect_identical(draw_seeded(1, "rmultinom", 2e4, list(20, prob)), on_host)
  expect_identical(draw_seeded(1, "rmultinom", 300, list(20, prob)), on_host[, 1:300])
  many <- draw_seeded(3, "rmultinom", 2, list(1000, rep(1, 1e5)))
  expect_identical(colSums(many), c(1000, 1000))
  before <- .Random.seed
  expect_identical(rmultinom_opencl(0, 3, c(u = 1, v = 2)), rmultinom(0, 3, c(u = 1, v = 2)))
  expect_identical(.Random.seed, before)
})

test_that("draws end soon at any parameters, and stay in range", {
  skip_on_cran() # 15 s, and a matter of time
  unoptimized_programs()
  set.seed(11)
  n <- cases(20000, 5000)
  anything <- function() {
    x <- 10^ifelse(runif(n) < 0.5, runif(n, -3, 4), runif(n, -300, 300))
    x <- ifelse(runif(n) < 0.5, floor(x), x)
    x * ifelse(runif(n) < 0.05, -1, 1) + 0 # no negative zero: R, too, divides by it
  }
  rows <- draw_rows()
  for (k in seq_len(nrow(rows))) {
    name <- rows$name[k]
    count <- length(strsplit(rows$params[k], ", ", fixed = TRUE)[[1]])
    for (below_one in c(FALSE, TRUE)) { # so that the last may be a probability
      arguments <- lapply(seq_len(count), function(j) if (below_one && j == count) runif(n) else anything())
      for (device in test_devices()) {
        seconds <- system.time(x <- suppressWarnings(draw_seeded(12, name, n, arguments, device)))[["elapsed"]]
        expect_lt(seconds, 20, label = paste(name, "on", device_name(device)))
        x <- x[!is.na(x)]
        if (rows$flags[k] == "counts" || name == "rnbinom_mu") expect_true(all(x >= 0 & x == trunc(x)), label = name)
        if (name %in% c("rgamma", "rchisq", "rnchisq", "rf", "rnf", "rlnorm", "rweibull", "rexp")) expect_true(all(x >= 0), label = name)
        if (name %in% c("rbeta", "rnbeta")) expect_true(all(x >= 0 & x <= 1), label = name)
      }
    }
  }
  x <- suppressWarnings(draw_seeded(12, "rbinom", n, list(size <- floor(abs(anything())), runif(n))))
  expect_true(all(x <= size))
  for (device in test_devices()) {
    prob <- abs(anything())
    x <- draw_seeded(13, "rmultinom", 5, list(1e6, prob), device)
    expect_true(all(x >= 0) && all(colSums(x) == 1e6))
  }
})
