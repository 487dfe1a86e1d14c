# The functions that R has under other names than C do what R's do, on every device.

r_names <- function() {
  utils::read.delim(system.file("spec", "r_names.tsv", package = "nmathopencl"), colClasses = "character", quote = "")
}

# The value and the warnings, or the error's text.
outcome <- function(code) {
  warnings <- character()
  value <- tryCatch(
    withCallingHandlers(code, warning = function(w) {
      warnings <<- c(warnings, conditionMessage(w))
      invokeRestart("muffleWarning")
    }),
    error = conditionMessage
  )
  list(value = value, warnings = warnings)
}

arguments_to_try <- list(
  doubles = c(-170.5, -3, -1.25, -0, 0, 1e-300, 0.5, 2.675, 171, 172, 1e300), missing = c(NA, NaN, 1, -Inf, Inf),
  integers = c(-2L, 0L, 5L, NA, 123457L), logicals = c(TRUE, FALSE, NA), nothing = numeric(), no_integers = integer(),
  names = c(a = 1.25, b = 7), matrix = matrix(c(1.5, 2.25, 3, 40), 2, dimnames = list(NULL, c("u", "v"))),
  classed = structure(c(1, 2.5), class = "of_no_package", unit = "m"), text = "a", null = NULL
)

test_that("each function of one number is R's, attributes, warnings and errors included", {
  one <- setdiff(r_names()$name, "dmultinom")
  expect_setequal(one, c("gamma", "lgamma", "factorial", "lfactorial", "round", "signif", "trunc"))
  for (device in test_devices()) for (name in one) for (kind in names(arguments_to_try)) {
    x <- arguments_to_try[[kind]]
    r <- outcome(get(name, baseenv())(x))
    if (grepl("factorial", name) && kind == "text") r$value <- "non-numeric argument to mathematical function"
    ours <- outcome(get(paste0(name, "_opencl"))(x, device = device))
    # Newer versions of R give integers for integers.
    if (is.integer(r$value)) storage.mode(r$value) <- "double"
    if (grepl("factorial", name) && kind == "null") r <- ours # an empty vector in R, by way of NULL + 1
    expect_equal(ours, r, tolerance = 1e-12, info = paste(name, kind, device)) # R loses some digits near 171
    if (is.double(ours$value)) expect_identical(is.nan(ours$value), is.nan(r$value))
  }
})

test_that("round and signif take digits as R's do", {
  x <- c(0.15, 2.675, -1234.5678, 1e15 + 0.3, 123456)
  for (device in test_devices()) for (digits in list(0, 2, -2, c(0, 1, 2, 3, -1), NA, 5L)) {
    expect_identical(round_opencl(x, digits, device = device), round(x, digits))
    expect_identical(signif_opencl(x, digits, device = device), signif(x, digits))
    expect_identical(round_opencl(digits = digits, x, device = device), round(digits = digits, x))
  }
  expect_identical(signif_opencl(x, device = "host"), signif(x))
  error <- expect_error(round_opencl(1.5, numeric(), device = "host"), "invalid second argument of length 0")
  expect_s3_class(error, "nmathopencl_error")
  expect_identical(round_opencl(numeric(), numeric(), device = "host"), numeric())
})

test_that("factorials of integers are whole numbers", {
  for (device in test_devices()) {
    expect_identical(factorial_opencl(0:18, device = device), cumprod(c(1, 1:18)))
    expect_ran_on(device)
    expect_error(factorial_opencl(factor("a"), device = device), class = "nmathopencl_error")
  }
})

test_that("R's names are computed where a vector stays", {
  x <- opencl_vector(c(1.25, 4, 7.75), device = "host")
  expect_equal(as.vector(factorial_opencl(x)), factorial(c(1.25, 4, 7.75)), tolerance = 1e-14)
  expect_identical(as.vector(trunc_opencl(x)), c(1, 4, 7))
})

test_that("the help pages open by R's names", {
  skip_if_not(nzchar(system.file("help", "aliases.rds", package = "nmathopencl")), "installed with its help pages:")
  aliases <- readRDS(system.file("help", "aliases.rds", package = "nmathopencl"))
  named <- paste0(r_names()$name, "_opencl")
  expect_identical(unname(aliases[c("gamma_opencl", "lgamma_opencl", "factorial_opencl")]), rep("special_opencl", 3))
  expect_true(all(named %in% names(aliases)))
})

test_that("every function of stats or base that is mirrored is there by its name", {
  functions <- nmathopencl:::function_table()
  mirrored <- unique(gsub("`", "", sub("^.*::", "", functions$mirrors[nzchar(functions$mirrors)])))
  expect_setequal(setdiff(paste0(mirrored, "_opencl"), getNamespaceExports("nmathopencl")), "^_opencl")
})

test_that("dmultinom is that of stats", {
  set.seed(5)
  for (device in test_devices()) for (k in c(1, 2, 3, 50)) {
    prob <- rexp(k)
    x <- as.vector(rmultinom(1, 20 * k, prob))
    for (log in c(FALSE, TRUE)) {
      value <- dmultinom_opencl(x, prob = prob, log = log, device = device)
      expect_equal(value, dmultinom(x, prob = prob, log = log), tolerance = 1e-12)
    }
    expect_ran_on(device)
    expect_equal(dmultinom_opencl(x, sum(x), prob, device = device), dmultinom(x, sum(x), prob), tolerance = 1e-12)
  }
  edges <- list(
    list(c(1, 2, 0), prob = c(0.2, 0.5, 0)), list(c(1, 2, 1), prob = c(0.2, 0.5, 0)), list(c(0, 0, 0), prob = c(1, 1, 0)),
    list(c(0, 3), prob = c(0, 1)), list(c(1.4, 2.6), prob = c(1, 1)), list(c(-0.4, 2.6), prob = c(1, 1)),
    list(c(a = 1L, b = 2L), prob = c(TRUE, TRUE)), list(matrix(1:4, 2), prob = 1:4)
  )
  wrong <- list(
    list(c(1, 2), prob = 1), list(c(1, 2), prob = c(1, NA)), list(c(1, 2), prob = c(1, -1)),
    list(c(0, 0), prob = c(0, 0)), list(c(1, -2), prob = c(1, 1)), list(c(1, 2), 4, c(1, 1)),
    list(integer(), prob = numeric()), list(c("1", "2"), prob = c(1, 1))
  )
  for (arguments in edges) for (log in c(FALSE, TRUE)) {
    arguments$log <- log
    expect_equal(do.call(dmultinom_opencl, c(arguments, device = "host")), do.call(dmultinom, arguments), tolerance = 1e-13)
  }
  for (arguments in wrong) {
    ours <- tryCatch(do.call(dmultinom_opencl, c(arguments, device = "host")), error = identity)
    expect_s3_class(ours, "nmathopencl_error")
    expect_identical(conditionMessage(ours), conditionMessage(tryCatch(do.call(dmultinom, arguments), error = identity)))
  }
  expect_error(dmultinom_opencl(c(1, NA), prob = c(1, 1)), "missing or infinite", class = "nmathopencl_error")
  expect_error(dmultinom_opencl(1:2, NA, c(1, 1)), "`size`", class = "nmathopencl_error")
  expect_error(dmultinom_opencl(1:2, prob = c(1, 1), log = NA), "`log`", class = "nmathopencl_error")
})

test_that("dmultinom loses nothing where counts are large or cells nearly empty", {
  # Two cells are a binomial distribution.
  for (device in test_devices()) {
    expect_equal(dmultinom_opencl(c(3e9, 5e9), prob = c(3, 5), device = device), dbinom(3e9, 8e9, 3 / 8), tolerance = 1e-12)
    expect_equal(dmultinom_opencl(c(2, 1), prob = c(1, 1e-30), log = TRUE, device = device), log(3e-30), tolerance = 1e-15)
    expect_equal(dmultinom_opencl(1:2, prob = c(1e308, 1e308), device = device), 0.375, tolerance = 1e-14)
  }
})
