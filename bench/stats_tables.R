# stats_tables.R -- R's own functions scored on the reference tables, as score_tables.cpp scores a device.
#
#   Rscript bench/stats_tables.R > bench/results/stats.tables.tsv
#
# Rows, failing rows, median and worst error in units of 2^-52 (1 + condition number). Mathlib's functions that take ncp, or
# mu, are those of 'stats' with such an argument.
mirror <- function(row) {
  if (nzchar(row$mirrors)) return(eval(parse(text = row$mirrors)))
  name <- sub("_mu$", "", sub("^([dpq])n(chisq|beta|f|t)$", "\\1\\2", row$name))
  if (exists(name, envir = asNamespace("stats"), inherits = FALSE)) get(name, envir = asNamespace("stats"))
}

score <- function(f, path) {
  text <- read.delim(path, colClasses = "character", check.names = FALSE)
  flags <- intersect(names(text), c("lower.tail", "log.p", "log", "expon.scaled"))
  table <- lapply(text[setdiff(names(text), flags)], as.numeric)
  value <- numeric(nrow(text))
  groups <- if (length(flags)) interaction(text[flags], drop = TRUE) else factor(rep(1, nrow(text)))
  for (rows in split(seq_len(nrow(text)), groups)) {
    arguments <- lapply(table[setdiff(names(table), c("ref", "cond"))], `[`, rows)
    value[rows] <- suppressWarnings(do.call(f, c(arguments, lapply(text[rows[1], flags, drop = FALSE], `==`, "1"))))
  }
  unit <- .Machine$double.eps * (1 + table$cond)
  ref <- table$ref
  small <- abs(ref) < .Machine$double.xmin
  error <- abs(value - ref) / abs(ref) / unit
  right <- ifelse(is.nan(ref), is.nan(value), ifelse(is.infinite(ref), value == ref,
    abs(value - ref) <= 8 * unit * abs(ref) + ifelse(small, 4 * 2^-1074, 0)))
  counted <- is.finite(error) & !small
  c(nrow(text), sum(!(right %in% TRUE)), median(error[counted]), max(error[counted]))
}

spec <- read.delim("inst/spec/functions.tsv", colClasses = "character", quote = "")
cat("function\trows\tfail\tmedian\tworst\n")
for (k in which(nzchar(spec$table))) {
  f <- mirror(spec[k, ])
  if (is.null(f)) next
  result <- score(f, file.path("tests", "testthat", "ref", paste0(spec$table[k], ".tsv")))
  cat(sprintf("%s\t%d\t%d\t%.3g\t%.3g\n", spec$name[k], result[1], result[2], result[3], result[4]))
}
