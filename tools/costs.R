#!/usr/bin/env Rscript
# costs.R -- what an element of each function costs at worst on one core of the host, and the class that follows from it:
# the column `cost` of inst/spec/functions.tsv and rule_functions.tsv, by which calls are cut into chunks (src/engine/work_chunks.h).
#
#   Rscript tools/costs.R [NAME ...]   measures the installed package: nanoseconds in the middle and at worst, the worst
#                                      arguments, the class that follows, the class that the table has
#
# Arguments come from the reference tables, and at random from ranges that the tables do not reach. The class is that of
# the slowest arguments found: "cheap" up to 3 microseconds, "moderate" up to 50, "heavy" up to 1,000, else "slow". It is a
# bound for chunks of work, and a loaded machine only makes it larger: a class is lowered by hand, not by one run.

suppressMessages(library(nmathopencl))
options(nmathopencl.threads = 1)

tuples <- 600
limits <- c(cheap = 3e3, moderate = 5e4, heavy = 1e6, slow = Inf)

read_spec <- function(file) utils::read.delim(file.path("inst/spec", file), colClasses = "character", quote = "", na.strings = character())
spec <- rbind(read_spec("functions.tsv"), read_spec("rule_functions.tsv"))
wanted <- commandArgs(TRUE)
if (length(wanted)) spec <- spec[spec$name %in% wanted, ]

split_list <- function(text) trimws(strsplit(text, ",", fixed = TRUE)[[1]])

random_column <- function(n) {
  kind <- sample(5, n, replace = TRUE, prob = c(5, 3, 2, 3, 1))
  u <- runif(n)
  ifelse(kind == 1, exp(9 * u - 3), ifelse(kind == 2, u, ifelse(kind == 3, 10^(30 * u - 12),
    ifelse(kind == 4, floor(10^(5 * u)), 10^(600 * u - 300)))))
}

# Rows of the reference table, as its columns stand in the order of C's arguments where their number says so.
table_rows <- function(row, k) {
  path <- file.path("tests/testthat/ref", paste0(row$table, ".tsv"))
  if (!nzchar(row$table) || !file.exists(path)) return(NULL)
  table <- utils::read.delim(path, colClasses = "character", check.names = FALSE)
  table <- table[setdiff(names(table), c("lower.tail", "log.p", "log", "ref", "cond"))]
  if (length(table) != k) return(NULL)
  table <- table[sample(nrow(table), min(nrow(table), tuples)), , drop = FALSE]
  unname(lapply(table, as.numeric))
}

flags_of <- function(row) {
  switch(row$flags, "log" = list(0L, 1L), "lower.tail, log.p" = list(c(1L, 0L), c(0L, 0L), c(1L, 1L), c(0L, 1L)), list(integer()))
}

# Seconds that the core needs for `n` elements of these arguments.
seconds <- function(row, columns, flags, n) {
  result <- if (row$flags %in% c("draws", "counts")) {
    nmathopencl:::random_cpp(row$name, n, columns, c(1, 2), "host", NULL)
  } else {
    nmathopencl:::elementwise_cpp(row$name, lapply(columns, rep_len, n), flags, "host", NULL)
  }
  result$report$total
}

nanoseconds <- function(row, columns, flags) {
  first <- seconds(row, columns, flags, 1)
  if (first > 3e-4) return(1e9 * min(first, seconds(row, columns, flags, 1)))
  1e9 * min(seconds(row, columns, flags, 101), seconds(row, columns, flags, 101)) / 101
}

measure <- function(row) {
  k <- if (nzchar(row$params)) length(split_list(row$params)) else 0
  columns <- lapply(seq_len(k), function(j) random_column(tuples))
  known <- table_rows(row, k)
  if (!is.null(known)) columns <- Map(c, columns, known)
  n <- if (k) length(columns[[1]]) else 3
  flags <- flags_of(row)
  spent <- 0
  cost <- vapply(seq_len(n), function(i) {
    if (spent > 8) return(NA_real_)
    begin <- Sys.time()
    cost <- nanoseconds(row, lapply(columns, `[`, i), flags[[1 + i %% length(flags)]])
    spent <<- spent + as.numeric(Sys.time() - begin, units = "secs")
    cost
  }, 0)
  again <- order(cost, decreasing = TRUE)[seq_len(min(5, n))]
  for (i in again) cost[i] <- min(cost[i], nanoseconds(row, lapply(columns, `[`, i), flags[[1 + i %% length(flags)]]))
  worst <- which.max(cost)
  list(
    middle = stats::median(cost, na.rm = TRUE), worst = cost[worst],
    arguments = paste(vapply(columns, function(x) format(x[worst], digits = 4), ""), collapse = ", ")
  )
}

set.seed(1)
cat("name\tmiddle\tworst\tclass\ttable\targuments\n")
for (j in seq_len(nrow(spec))) {
  row <- spec[j, ]
  if (row$flags == "cells") next # a cell is a draw of a binomial
  found <- measure(row)
  class <- names(limits)[which(found$worst <= limits)[1]]
  cat(row$name, round(found$middle), round(found$worst), class, row$cost, found$arguments, sep = "\t")
  cat("\n")
}
