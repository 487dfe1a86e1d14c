#!/usr/bin/env Rscript
# accuracy.R -- writes the measured accuracy of every reference table into the @accuracy tags of inst/cl/nmath.
#
#   Rscript tools/accuracy.R           rewrite the tags from bench/results/{host,pocl,h200}.tables.tsv
#   Rscript tools/accuracy.R --check   change nothing; list stale tags and exit 1 if there are any
#
# Run from the repository root after bench/run_device.sh, before tools/generate.R, which puts the tags on help pages. A
# tag is a list separated by "; ". A part that names tables is written anew, with every device that has a result; any
# other part stays as it is.
results <- c(host = "host", PoCL = "pocl", H200 = "h200")

read_worst <- function(file) {
  path <- file.path("bench", "results", paste0(file, ".tables.tsv"))
  scores <- utils::read.delim(path, colClasses = c("character", "integer", "integer", "numeric", "numeric"))
  stats::setNames(scores$worst, scores$`function`)
}

# Two significant digits, rounded up: what is stated holds.
show_worst <- function(x) {
  if (x == 0) return("exact")
  digits <- 10^(floor(log10(x)) - 1)
  format(ceiling(x / digits - 1e-9) * digits, digits = 2)
}

describe_table <- function(name, worst, table_functions) {
  fun <- if (name %in% names(table_functions)) table_functions[[name]] else name
  measured <- vapply(worst, function(w) fun %in% names(w), TRUE)
  if (!measured[["host"]]) stop("no result for table ", name, ": run bench/run_device.sh", call. = FALSE)
  worst <- worst[measured]
  values <- vapply(worst, function(w) show_worst(w[[fun]]), "")
  paste0(name, ".tsv ", paste0(values, ifelse(seq_along(values) == 1 & values != "exact", " eps(1+cond)", ""), " (", names(worst), ")",
    collapse = ", "
  ))
}

rewrite_tag <- function(text, worst, table_functions) {
  parts <- trimws(strsplit(text, ";", fixed = TRUE)[[1]])
  parts <- lapply(parts, function(part) {
    tables <- regmatches(part, gregexpr("[A-Za-z0-9_]+(?=\\.tsv)", part, perl = TRUE))[[1]]
    if (length(tables) == 0) return(part)
    vapply(tables, describe_table, "", worst = worst, table_functions = table_functions, USE.NAMES = FALSE)
  })
  paste(unlist(parts), collapse = "; ")
}

main <- function(check) {
  worst <- lapply(results, read_worst)
  spec <- utils::read.delim("inst/spec/functions.tsv", colClasses = "character", quote = "")
  spec <- spec[nzchar(spec$table), ]
  table_functions <- stats::setNames(spec$name, spec$table)
  stale <- character()
  for (path in list.files("inst/cl/nmath", "\\.cl$", full.names = TRUE)) {
    lines <- readLines(path)
    at <- grep("^// @accuracy: ", lines)
    if (length(at) != 1) next
    fresh <- paste0("// @accuracy: ", rewrite_tag(sub("^// @accuracy: ", "", lines[at]), worst, table_functions))
    if (identical(fresh, lines[at])) next
    stale <- c(stale, path)
    lines[at] <- fresh
    if (!check) writeLines(lines, path)
  }
  if (check && length(stale)) {
    message("stale @accuracy tags: ", toString(basename(stale)))
    quit(status = 1)
  }
  message("accuracy.R: ", length(stale), if (check) " stale" else " rewritten")
}

main("--check" %in% commandArgs(TRUE))
