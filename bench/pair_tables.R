# pair_tables.R -- the reference tables in pairs of floats on a device, through R.
#
#   Rscript bench/pair_tables.R DEVICE [JOBS [FUNCTION ...]] > bench/results/NAME.pairs.tsv
#
# Run in the package's repository, with testthat. A row for each function: rows of its table that are inside of the range of floats, whether one of them
# fails 2^-40 (1 + cond), the largest error as a share of that, and its row. Functions are shared among JOBS processes (1).
suppressMessages({
  library(nmathopencl)
  library(testthat)
})
arguments <- commandArgs(TRUE)
if (!length(arguments)) stop("usage: Rscript bench/pair_tables.R DEVICE [JOBS [FUNCTION ...]]")
jobs <- if (length(arguments) > 1) as.integer(arguments[2]) else 1L
file <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
Sys.setenv(NOT_CRAN = "true")
helpers <- new.env(parent = asNamespace("nmathopencl"))
invisible(source_test_helpers("tests/testthat", env = helpers))
table <- helpers$function_table()
table <- table[nzchar(table$table), ]
if (length(arguments) > 2) table <- table[table$name %in% arguments[-(1:2)], ]
if (jobs > 1) { # a device is opened in one process only: others start anew
  parts <- split(table$name, rep_len(seq_len(min(jobs, nrow(table))), nrow(table)))
  outputs <- vapply(parts, function(names) tempfile(), "")
  command <- paste(shQuote(file.path(R.home("bin"), "Rscript")), shQuote(file), shQuote(arguments[1]), 1)
  lines <- paste(command, vapply(parts, paste, "", collapse = " "), ">", outputs, "&", collapse = "\n")
  system(paste0(lines, "\nwait"))
  rows <- do.call(rbind, lapply(outputs, utils::read.delim, check.names = FALSE, quote = ""))
} else {
  rows <- do.call(rbind, lapply(seq_len(nrow(table)), function(k) {
    found <- helpers$pair_table(table$name[k], file.path("tests", "testthat", "ref", paste0(table$table[k], ".tsv")), arguments[1])
    data.frame(`function` = found$name, rows = found$rows, fails = found$worst > 1, worst = signif(found$worst, 3), at = found$where, check.names = FALSE)
  }))
}
rows <- rows[order(rows[["function"]]), ]
utils::write.table(rows, stdout(), sep = "\t", quote = FALSE, row.names = FALSE)
