# derivative_tables.R -- every table of certified derivatives (tests/testthat/ref-derivatives) on one device.
#
#   JOBS=2 Rscript bench/derivative_tables.R DEVICE > bench/results/NAME.derivatives.tsv
#   Rscript bench/derivative_tables.R DEVICE pair [TABLE ...]
#
# Run from the repository root with the package and testthat installed. For each table how many derivatives it has, how many of
# them miss 8 eps (1 + cond), cond the condition number of the derivative, and the worst error in eps (1 + cond). JOBS processes
# take a table each. With `pair` in pairs of floats (?pairs_of_floats), of the tables that are named, or all: rows whose arguments and
# derivatives pairs stand for, the bar and the errors in units of 2^-40 (1 + cond), `fail` counting columns.
device <- commandArgs(TRUE)[1]
in_pairs <- identical(commandArgs(TRUE)[2], "pair")
only <- commandArgs(TRUE)[-(1:2)]
path <- "tests/testthat/ref-derivatives"
files <- list.files(path, "[.]tsv[.]bz2$")
if (length(only)) files <- intersect(files, paste0(only, ".tsv.bz2"))
files <- files[order(-file.size(file.path(path, files)))] # those that take longest first

scores_of <- function(files) {
  tables <- new.env(parent = asNamespace("nmathopencl"))
  sys.source("tests/testthat/helper-derivative-tables.R", tables)
  do.call(rbind, lapply(files, function(file) {
    rows <- NULL
    if (in_pairs) {
      options(nmathopencl.arithmetic = "pair")
      table <- tables$read_derivatives(file.path(path, file))
      within <- function(x, least) is.na(x) | x == 0 | (abs(x) > 2^-least & abs(x) < 2^least)
      rows <- which(Reduce(`&`, c(
        lapply(table$arguments, within, 100), lapply(table$value, within, 115), lapply(table$cond, function(x) is.na(x) | x < 2^38)
      )))
    }
    scores <- tables$derivative_scores(file.path(path, file), device, rows)
    if (in_pairs) {
      scores$worst <- scores$worst * 2^-12
      scores$fail <- scores$worst > 1
    }
    data.frame(table = sub("[.]tsv[.]bz2$", "", file), derivatives = sum(scores$n), fail = sum(scores$fail), worst = max(scores$worst))
  }))
}

jobs <- as.integer(Sys.getenv("JOBS", "1"))
if (jobs > 1L) {
  processes <- parallel::makeCluster(jobs) # a driver's state does not survive a fork
  parallel::clusterExport(processes, c("path", "device", "scores_of", "in_pairs"))
  scores <- do.call(rbind, parallel::clusterApplyLB(processes, files, function(file) scores_of(file)))
  parallel::stopCluster(processes)
} else {
  scores <- scores_of(files)
}
scores <- scores[order(scores$table), ]
scores$worst <- sprintf("%.3g", scores$worst)
utils::write.table(scores, quote = FALSE, sep = "\t", row.names = FALSE)
