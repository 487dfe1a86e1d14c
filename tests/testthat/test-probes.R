# What R 4.2.2 answers on its edges: value, type, length, attributes, warnings, errors.

# R's names for functions of this package that are called otherwise; C_* are C functions behind no R function.
probe_environment <- function() {
  env <- new.env(parent = globalenv())
  wrapper <- function(name) get(paste0(name, "_opencl"), envir = asNamespace("nmathopencl"))
  for (name in function_table()$name) {
    assign(name, wrapper(name), envir = env)
    assign(paste0("C_", name), wrapper(name), envir = env)
  }
  renamed <- c(gamma = "gammafn", lgamma = "lgammafn", round = "fround", signif = "fprec", trunc = "ftrunc",
               C_R_pow = "r_pow", C_R_pow_di = "r_pow_di", C_bessel_i = "bessel_i_ex", C_bessel_k = "bessel_k_ex")
  for (name in names(renamed)) assign(name, wrapper(renamed[[name]]), envir = env)
  env$C_lgammafn_sign <- function(x) c(lgammafn_opencl(x), lgammafn_sign_opencl(x))
  env$C_logspace_sum <- function(logx) logspace_sum_opencl(logx[1], logx[2])
  env
}

run_probe <- function(code, env) {
  warnings <- character()
  error <- ""
  value <- tryCatch(
    withCallingHandlers(
      eval(parse(text = code, keep.source = FALSE), new.env(parent = env)),
      warning = function(w) {
        warnings <<- c(warnings, conditionMessage(w))
        invokeRestart("muffleWarning")
      }
    ),
    error = function(e) {
      error <<- conditionMessage(e)
      NULL
    }
  )
  list(value = value, warning = paste(unique(warnings), collapse = " | "), error = error)
}

same_value <- function(got, expected, tolerance) {
  if (!identical(typeof(got), typeof(expected)) || !identical(attributes(got), attributes(expected))) return(FALSE)
  if (!is.numeric(got)) return(identical(got, expected))
  if (length(got) != length(expected) || !identical(is.na(got), is.na(expected))) return(FALSE)
  if (is.double(got) && !identical(is.nan(got), is.nan(expected))) return(FALSE)
  known <- !is.na(got)
  got <- unclass(got)[known]
  expected <- unclass(expected)[known]
  infinite <- is.infinite(expected)
  all(got[infinite] == expected[infinite]) &&
    all(abs(got[!infinite] - expected[!infinite]) <= tolerance * abs(expected[!infinite]) + 4 * 2^-1074)
}

probe_failures <- function(probes, env) {
  failures <- character()
  set.seed(1)
  for (k in seq_len(nrow(probes))) {
    probe <- probes[k, ]
    got <- run_probe(probe$code, env)
    expected <- if (nzchar(probe$error)) NULL else eval(parse(text = probe$result))
    ok <- identical(got$error, probe$error) && identical(got$warning, probe$warning) &&
      (nzchar(probe$error) || same_value(got$value, expected, 1e-12))
    if (!ok) {
      failures <- c(failures, sprintf("%s: got %s warning '%s' error '%s', R has %s warning '%s' error '%s'",
        probe$code, paste(deparse(got$value, control = c("keepNA", "digits17", "showAttributes")), collapse = ""), got$warning, got$error, probe$result,
        probe$warning, probe$error
      ))
    }
  }
  failures
}

test_that("R's answers on its edges hold on every device", {
  probes <- read.delim(test_path("ref", "r_edge_probes.tsv.bz2"), colClasses = "character", quote = "", na.strings = character())
  exceptions <- read.delim(test_path("ref", "r_probe_exceptions.tsv"), colClasses = "character", quote = "", na.strings = character())
  expect_gt(nrow(probes), 9000)
  # An `if` on a vector is an error from R 4.2 on.
  if (getRversion() < "4.2") probes <- probes[probes$error != "the condition has length > 1", ]
  expect_true(all(exceptions$code %in% probes$code))
  k <- match(exceptions$code, probes$code)
  probes$result[k] <- exceptions$result
  probes$warning[k] <- exceptions$warning
  probes$error[k] <- ""
  env <- probe_environment()
  for (device in test_devices()) {
    failures <- with_device(device, probe_failures(probes, env))
    expect(length(failures) == 0, sprintf(
      "%s: %d of %d probes fail:\n%s", device_name(device), length(failures), nrow(probes),
      paste(utils::head(failures, 20), collapse = "\n")
    ))
  }
})

test_that("conditions carry the user's call", {
  call_of <- function(expr) tryCatch(expr, warning = conditionCall, error = conditionCall)
  expect_identical(call_of(dnorm_opencl(0, 0, -1)), quote(dnorm_opencl(0, 0, -1)))
  expect_identical(call_of(dnorm_opencl("a")), quote(dnorm_opencl("a")))
  expect_identical(call_of(dbinom_opencl(.5, 1, .5)), quote(dbinom_opencl(.5, 1, .5)))
})
