test_that("every function meets its reference table on every device", {
  table <- function_table()
  table <- table[nzchar(table$table), ]
  expect_gt(nrow(table), 0)
  for (device in test_devices()) {
    for (k in seq_len(nrow(table))) {
      expect_table(table$name[k], test_path("ref", paste0(table$table[k], ".tsv")), device)
    }
  }
})

test_that("every function meets the documented values at the ends of its domain", {
  table <- function_table()
  for (path in list.files(test_path("ref", "edges"), full.names = TRUE)) {
    name <- table$name[match(sub("\\.tsv$", "", basename(path)), table$table)]
    for (device in test_devices()) expect_table(name, path, device)
  }
})

test_that("the score notices what it must", {
  table <- data.frame(ref = c(1, 1, NaN, Inf, 0, 2^-1060, 1), cond = 0)
  exact <- c(1, 1, NaN, Inf, 0, 2^-1060, 1)
  expect_false(any(failing_rows(table, exact)))
  off <- c(1 + 9 * .Machine$double.eps, NaN, 1, 1e308, 1e-300, 2^-1050, Inf)
  expect_true(all(failing_rows(table, off)))
})
