# arithmetic.R -- the speed of all functions in doubles, in pairs of floats and in single precision, on resident vectors.
#
#   Rscript bench/arithmetic.R DEVICE [N [FUNCTION ...]] > bench/results/NAME.arithmetic.tsv
#
# N elements (2^24). Arguments are rows of the reference tables (tests/testthat/ref below the working directory) that floats stand for, drawn with
# replacement. A row for each function: 10^6 elements per second of warm calls, best of 5, in each arithmetic, and how many times as
# fast as in doubles those in pairs and in single precision are; NA where the device has no doubles. The last column is an estimate: the
# same for pairs on a card whose doubles run at 1/64 of its floats, if the one measured runs them at 1/RATE (environment variable
# RATE, 2 where it is not set, as on an H100).
suppressMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
if (!length(arguments)) stop("usage: Rscript bench/arithmetic.R DEVICE [N [FUNCTION ...]]")
options(nmathopencl.device = if (grepl("^[0-9]+$", arguments[1])) as.integer(arguments[1]) else arguments[1])
n <- if (length(arguments) > 1) as.numeric(arguments[2]) else 2^24
rate <- as.numeric(Sys.getenv("RATE", "2"))
functions <- read.delim(system.file("spec", "functions.tsv", package = "nmathopencl"), colClasses = "character", quote = "")
functions <- functions[nzchar(functions$table), ]
if (length(arguments) > 2) functions <- functions[functions$name %in% arguments[-(1:2)], ]
forms <- read.delim(system.file("spec", "single.tsv", package = "nmathopencl"))$name
flags <- c("lower.tail", "log.p", "log")
now <- function() as.numeric(Sys.time())

# Columns of a function's table with the flags of its first row.
columns_of <- function(table) {
  table <- read.delim(file.path("tests", "testthat", "ref", paste0(table, ".tsv")), check.names = FALSE)
  for (flag in intersect(flags, names(table))) table <- table[table[[flag]] == table[[flag]][1], ]
  columns <- table[setdiff(names(table), c(flags, "ref", "cond"))]
  inside <- Reduce(`&`, lapply(columns, function(x) is.finite(x) & (x == 0 | (abs(x) > 1e-28 & abs(x) < 1e28))))
  rows <- sample(which(inside), n, TRUE)
  list(columns = lapply(columns, `[`, rows), flags = lapply(as.list(table[1, intersect(flags, names(table)), drop = FALSE]), `==`, 1))
}

speed <- function(f, given, arithmetic) {
  old <- options(nmathopencl.arithmetic = arithmetic)
  on.exit(options(old))
  tryCatch({
    resident <- lapply(given$columns, opencl_vector)
    call <- function() suppressWarnings(do.call(f, c(resident, lapply(given$flags, isTRUE), keep = TRUE)))
    opencl_free(call())
    times <- vapply(1:5, function(k) {
      begin <- now()
      value <- call()
      end <- now()
      opencl_free(value)
      end - begin
    }, 0)
    for (vector in resident) opencl_free(vector)
    1e-6 * n / min(times)
  }, error = function(e) {
    message(arithmetic, ": ", conditionMessage(e))
    NA
  })
}

set.seed(1)
cat("function\tfloat_form\tdouble\tpair\tsingle\tpair_ratio\tsingle_ratio\tpair_ratio_of_1_to_64\n")
for (k in seq_len(nrow(functions))) {
  name <- functions$name[k]
  f <- get(paste0(name, "_opencl"), envir = asNamespace("nmathopencl"))
  given <- columns_of(functions$table[k])
  found <- vapply(c("double", "pair", "single"), function(arithmetic) speed(f, given, arithmetic), 0)
  ratios <- c(found[2:3] / found[1], found[2] / found[1] * 64 / rate)
  cat(paste(c(name, if (name %in% forms) "yes" else "no", signif(found, 4), signif(ratios, 3)), collapse = "\t"), "\n", sep = "")
}
