# Rules that hold for any arguments, on arguments from all over the doubles (helper-torture.R). bench/torture.R runs the same
# on as many tuples as one likes. Rows of ref/torture_exceptions.tsv are right although a rule speaks against them.

torture_exceptions <- function() {
  read.delim(test_path("ref", "torture_exceptions.tsv"), quote = "", colClasses = "character")
}

expect_untroubled <- function(device, count) {
  known <- torture_exceptions()
  for (k in seq_len(nrow(functions <- torture_functions()))) {
    row <- functions[k, ]
    set.seed(sum(utf8ToInt(row$name) * seq_along(utf8ToInt(row$name))))
    found <- torture(row, torture_tuples(row, count), device)
    excused <- paste(found$rule) %in% known$rule[known$name == row$name]
    bad <- found[!excused, , drop = FALSE]
    expect(NROW(bad) == 0, paste(c(
      sprintf("%s on %s: %d of %d tuples", row$name, device_name(device), NROW(bad), count),
      utils::head(paste0(bad$rule, ": ", bad$call, " is ", bad$value), 5)
    ), collapse = "\n"))
  }
}

test_that("no arguments break a rule on the host device", {
  skip_on_cran() # a minute
  expect_untroubled("0", 400)
})

test_that("no arguments break a rule on OpenCL devices", {
  skip_on_cran()
  for (device in opencl_test_devices()) expect_untroubled(device, 100)
})
