# derivative_tables.R -- every table of certified derivatives (tests/testthat/ref-derivatives) on one device.
#
#   JOBS=2 Rscript bench/derivative_tables.R DEVICE > bench/results/NAME.derivatives.tsv
#
# Run from the repository root with the package and testthat installed. For each table how many derivatives it has, how many of
# them miss 8 eps (1 + cond), cond the condition number of the derivative, and the worst error in eps (1 + cond). JOBS processes
# take a table each.
device <- commandArgs(TRUE)[1]
path <- "tests/testthat/ref-derivatives"
files <- list.files(path, "[.]tsv$")
files <- files[order(-file.size(file.path(path, files)))] # those that take longest first

scores_of <- function(files) {
  tables <- new.env(parent = asNamespace("nmathopencl"))
  sys.source("tests/testthat/helper-derivative-tables.R", tables)
  do.call(rbind, lapply(files, function(file) {
    scores <- tables$derivative_scores(file.path(path, file), device)
    data.frame(table = sub("[.]tsv$", "", file), derivatives = sum(scores$n), fail = sum(scores$fail), worst = max(scores$worst))
  }))
}

jobs <- as.integer(Sys.getenv("JOBS", "1"))
if (jobs > 1L) {
  processes <- parallel::makeCluster(jobs) # a driver's state does not survive a fork
  parallel::clusterExport(processes, c("path", "device", "scores_of"))
  scores <- do.call(rbind, parallel::clusterApplyLB(processes, files, function(file) scores_of(file)))
  parallel::stopCluster(processes)
} else {
  scores <- scores_of(files)
}
scores <- scores[order(scores$table), ]
scores$worst <- sprintf("%.3g", scores$worst)
utils::write.table(scores, quote = FALSE, sep = "\t", row.names = FALSE)
