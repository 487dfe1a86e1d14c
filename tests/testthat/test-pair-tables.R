# The reference tables in pairs of floats, through R: 2^-40 (1 + condition number). Each function is a program to be translated and
# built, which takes seconds, and tools/check_sources.sh has all tables on the host: a few here, all of them on all devices with
# NMATHOPENCL_TEST_PAIRS = all, as the second tier of .ci/run has it.

test_that("functions meet their reference tables in pairs of floats", {
  skip_without_pairs()
  skip_on_cran()
  table <- function_table()
  table <- table[nzchar(table$table), ]
  all <- identical(Sys.getenv("NMATHOPENCL_TEST_PAIRS"), "all")
  some <- c("pbeta", "dgamma", "qnorm", "ppois", "pnchisq", "besselK")
  expect_true(all(some %in% table$name))
  for (device in pair_devices()) {
    chosen <- if (all) table$name else if (device == "0") some else some[1:2]
    for (k in match(chosen, table$name)) {
      found <- pair_table(table$name[k], test_path("ref", paste0(table$table[k], ".tsv")), device, if (all) Inf else 400)
      expect(found$rows > 0 && found$worst <= 1, sprintf(
        "%s on %s in pairs: %g of 2^-40 (1 + cond) in %s", table$name[k], device_name(device), found$worst, found$where
      ))
      expect_ran_on(device)
    }
  }
})
