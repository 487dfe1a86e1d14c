# Arguments by the names that the published package gave them are told once, or refused, with the new name.

forget_reported <- function() assign("reported_old_argument", NULL, envir = nmathopencl:::state)

test_that("opencl_parallel chooses the device, with one warning in a session", {
  forget_reported()
  warning <- expect_warning(
    value <- dnorm_opencl(0, opencl_parallel = FALSE), "`device`.*coming-from-published", class = "nmathopencl_old_argument"
  )
  expect_identical(warning$call, quote(dnorm_opencl(0, opencl_parallel = FALSE)))
  expect_equal(value, dnorm(0))
  expect_identical(last_run()$device, "host")
  expect_silent(pgamma_opencl(1, 2, opencl_parallel = FALSE))
  expect_silent(dnbinom_opencl(1, 2, mu = 3, opencl_parallel = FALSE))
  expect_identical(dnbinom_opencl(1, 2, mu = 3, opencl_parallel = FALSE), dnbinom_opencl(1, 2, mu = 3, device = "host"))
  expect_identical(
    dbeta_opencl(0.3, 2, 3, ncp = 1, opencl_parallel = FALSE), dbeta_opencl(0.3, 2, 3, ncp = 1, device = "host")
  )
  with_device("host", {
    expect_silent(dnorm_opencl(0, opencl_parallel = NA))
    expect_identical(last_run()$device, "host")
  })
  if (length(opencl_test_devices())) {
    expect_silent(dnorm_opencl(0, opencl_parallel = TRUE))
    expect_false(last_run()$device == "host")
    expect_silent(dnorm_opencl(0, opencl_parallel = TRUE, device = "host"))
    expect_identical(last_run()$device, "host")
  }
  expect_error(dnorm_opencl(0, opencl_parallel = c(TRUE, NA)), "`device`", class = "nmathopencl_old_argument")
  expect_error(dnorm_opencl(0, 0, 1, FALSE, NA), "opencl_parallel", class = "nmathopencl_error")
})

test_that("arguments that are called as in stats now are refused, before any other is looked at", {
  refused <- function(code, new) {
    error <- expect_error(code, paste0("is called `", new, "` here"), class = "nmathopencl_old_argument")
    expect_s3_class(error, "nmathopencl_error")
  }
  refused(dhyper_opencl(1, 10, n_black = 7, 8), "n")
  refused(phyper_opencl(1, m = 10, n_black = 7, k = 8), "n")
  refused(qhyper_opencl(0.5, 10, n_black = 7, k = 8, opencl_parallel = NA), "n")
  refused(rhyper_opencl(3, 10, n_black = 7, 8), "n")
  refused(dwilcox_opencl(3, 4, nn = 6), "n")
  refused(psignrank_opencl(3, nsize = 6), "n")
  refused(rsignrank_opencl(3, nsize = 6), "n")
})

test_that("any other argument is unused, as R says it", {
  r_says <- function(code) conditionMessage(tryCatch(code, error = identity))
  expect_error(dnorm_opencl(0, lgo = TRUE), r_says(dnorm(0, lgo = TRUE)), fixed = TRUE, class = "nmathopencl_error")
  expect_error(dnorm_opencl(0, lgo = TRUE, n_black = 1), r_says(dnorm(0, lgo = TRUE, n_black = 1)), fixed = TRUE)
  expect_error(phyper_opencl(1, 2, 3, 4, TRUE, FALSE, "host", FALSE, FALSE, FALSE, 5), "unused argument (5)", fixed = TRUE)
  expect_error(rnorm_opencl(1, opencl_parallel = TRUE), "unused argument")
})

test_that("inst/spec/old_arguments.tsv names arguments that the functions have", {
  table <- utils::read.delim(system.file("spec", "old_arguments.tsv", package = "nmathopencl"), colClasses = "character")
  functions <- nmathopencl:::function_table()
  for (k in which(table$family != "*")) {
    for (name in functions$name[functions$family == table$family[k]]) {
      expect_true(all(c(table$new[k], "...") %in% names(formals(get(paste0(name, "_opencl"))))), label = name)
    }
  }
})
