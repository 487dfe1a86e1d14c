# torture.R -- rules that hold for any arguments and any expressions, tried on many of them.
#
#   Rscript bench/torture.R DEVICE TUPLES [FUNCTION ...]      from the root of the source tree, with the package installed
#   Rscript bench/torture.R DEVICE COUNT expressions|gradients|reductions|likelihoods|recursions|vectors|points|hessians ... [FROM]
#
# DEVICE: as `device =` ("0" is the host); "plain" is the host device without its compiler, where R evaluates expressions.
#
# With functions or none: the rules of tests/testthat/helper-torture.R. Tuples come in chunks of 1000 with seeds of their own, so
# that any chunk can be had again. Prints a line for each function: tuples, flagged, microseconds for each tuple; then what
# was flagged.
#
# With rules of expressions: COUNT cases of each, from number FROM on, each with a seed of its own. expressions: random functions,
# as opencl_function()s against plain R, each called with several types and lengths. reductions: their sums and the like.
# likelihoods: random functions of one number, with sums, parts of vectors and codes in them, and their gradients.
# recursions: random loops over data, and their gradients.
# gradients: functions of inst/spec/derivatives.tsv and random functions, against differences. vectors: generics with a
# method for resident vectors. points: random functions at random points (`over =`), bit for bit as a loop of calls on the same
# device. hessians: second derivatives of random functions, against differences of their gradients. Prints what differs as code for
# R, then how often, by class of difference; the exit status is 1 if something differs. The environment variable JOBS is the number of processes, TORTURE_SECONDS ends a run early.
suppressPackageStartupMessages(library(nmathopencl))
source(file.path("tests", "testthat", "helper-torture-run.R"))
for (helper in torture_helpers) source(file.path("tests", "testthat", paste0("helper-", helper, ".R")))
arguments <- commandArgs(TRUE)
if (length(arguments) < 2) stop("usage: Rscript bench/torture.R DEVICE TUPLES [FUNCTION ...] or DEVICE COUNT RULE ... [FROM]")
device <- arguments[1]
wanted <- as.numeric(arguments[2])
further <- arguments[-(1:2)]
if (any(further %in% names(torture_rules))) {
  from <- suppressWarnings(as.integer(further))
  from <- if (any(!is.na(from))) from[!is.na(from)][1] else 1L
  quit(status = torture_run(intersect(further, names(torture_rules)), device, from + seq_len(wanted) - 1L))
}
functions <- torture_functions()
if (length(further)) functions <- functions[functions$name %in% further, ]
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
