# torture.R -- the rules of tests/testthat/helper-torture.R on many arguments from all over the doubles.
#
#   Rscript bench/torture.R DEVICE TUPLES [FUNCTION ...]      from the root of the source tree, with the package installed
#
# DEVICE: as `device =` ("0" is the host). Tuples come in chunks of 1000 with seeds of their own, so that any chunk can be had
# again. Prints a line for each function: tuples, flagged, microseconds for each tuple, the slowest call found; then what was
# flagged.
suppressPackageStartupMessages(library(nmathopencl))
for (helper in c("devices", "reference", "torture")) source(file.path("tests", "testthat", paste0("helper-", helper, ".R")))
arguments <- commandArgs(TRUE)
if (length(arguments) < 2) stop("usage: Rscript bench/torture.R DEVICE TUPLES [FUNCTION ...]")
device <- arguments[1]
wanted <- as.numeric(arguments[2])
functions <- torture_functions()
if (length(arguments) > 2) functions <- functions[functions$name %in% arguments[-(1:2)], ]
flagged <- NULL
cat("name\ttuples\tflagged\tmicroseconds\n")
for (k in seq_len(nrow(functions))) {
  row <- functions[k, ]
  begin <- proc.time()[["elapsed"]]
  count <- 0
  for (chunk in seq_len(ceiling(wanted / 1000))) {
    set.seed(sum(utf8ToInt(row$name) * seq_along(utf8ToInt(row$name))) * 10000 + chunk)
    found <- torture(row, torture_tuples(row, min(1000, wanted)), device)
    if (is.null(found)) next
    count <- count + nrow(found)
    flagged <- rbind(flagged, cbind(name = row$name, chunk = chunk, utils::head(found, 5)))
  }
  seconds <- proc.time()[["elapsed"]] - begin
  cat(row$name, wanted, count, format(1e6 * seconds / wanted, digits = 3), sep = "\t")
  cat("\n")
}
if (!is.null(flagged)) utils::write.table(flagged, sep = "\t", quote = FALSE, row.names = FALSE)
