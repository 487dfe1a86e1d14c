# Reference tables (tests/testthat/ref, made by tools/import_reference.py) and how results are scored against them.

function_table <- function() {
  path <- system.file("spec", "functions.tsv", package = "nmathopencl", mustWork = TRUE)
  read.delim(path, colClasses = "character", quote = "", na.strings = character())
}

flag_names <- c("lower.tail", "log.p", "log")

read_reference <- function(path) {
  table <- read.delim(path, colClasses = "character", check.names = FALSE)
  for (column in setdiff(names(table), flag_names)) table[[column]] <- as.numeric(table[[column]])
  for (flag in intersect(names(table), flag_names)) table[[flag]] <- table[[flag]] == "1"
  table
}

# Calls the wrapper on all rows, one call per combination of flags (which are not vectors).
call_on_table <- function(name, table) {
  f <- get(paste0(name, "_opencl"), envir = asNamespace("nmathopencl"))
  flags <- intersect(names(table), flag_names)
  arguments <- table[setdiff(names(table), c(flag_names, "ref", "cond"))]
  groups <- if (length(flags)) interaction(table[flags], drop = TRUE) else factor(rep(1, nrow(table)))
  out <- numeric(nrow(table))
  for (rows in split(seq_len(nrow(table)), groups)) {
    out[rows] <- suppressWarnings(do.call(f, c(lapply(arguments, `[`, rows), lapply(table[rows[1], flags, drop = FALSE], isTRUE))))
  }
  out
}

# The rows that miss the bar: a wrong NaN, infinity or underflow, or an error beyond 8 eps (1 + condition number).
# Subnormal answers may be off by 4 units of the smallest double besides.
failing_rows <- function(table, value) {
  ref <- table$ref
  cond <- if (is.null(table$cond)) rep(0, nrow(table)) else table$cond
  bar <- 8 * .Machine$double.eps * (1 + cond)
  wrong_nan <- is.nan(ref) != is.nan(value)
  infinite <- !is.nan(ref) & is.infinite(ref)
  finite <- is.finite(ref)
  slack <- ifelse(abs(ref) < .Machine$double.xmin, 4 * 2^-1074, 0)
  wrong_nan | (infinite & value != ref) |
    (finite & !(is.finite(value) & abs(value - ref) <= bar * abs(ref) + slack))
}

describe_row <- function(table, value, row) {
  paste0(
    paste(names(table), vapply(table[row, ], format, "", digits = 17), sep = "=", collapse = " "),
    " got=", format(value[row], digits = 17)
  )
}

expect_table <- function(name, path, device) {
  table <- read_reference(path)
  value <- with_device(device, call_on_table(name, table))
  expect_ran_on(device)
  bad <- which(failing_rows(table, value))
  expect(length(bad) == 0, sprintf(
    "%s on %s: %d of %d rows fail; first: %s", basename(path), device_name(device), length(bad), nrow(table),
    if (length(bad)) describe_row(table, value, bad[1]) else ""
  ))
}
