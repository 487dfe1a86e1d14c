#!/usr/bin/env Rscript
# rule_accuracy.R -- writes the measured accuracy of the device functions that only rules of derivatives call
# (inst/spec/rule_functions.tsv) into the @accuracy tags of their files: the worst error, in eps(1+cond), of the derivatives whose
# rules call one, against the certified tables of tests/testthat/ref-derivatives.
#
#   Rscript tools/rule_accuracy.R [--check] [DEVICE ...]      "host" by default; "host opencl" for both
#
# Run from the repository root with the package installed. --check changes nothing and exits 1 where a tag says less than was found.
suppressMessages(library(nmathopencl))
arguments <- commandArgs(TRUE)
check <- "--check" %in% arguments
devices <- setdiff(arguments, "--check")
if (length(devices) == 0L) devices <- "host"
options(nmathopencl.compiler = FALSE) # on the host R computes nodes by the functions that kernels call

tables <- new.env(parent = asNamespace("nmathopencl"))
sys.source("tests/testthat/helper-derivative-tables.R", tables)
rules <- utils::read.delim("inst/spec/derivatives.tsv", colClasses = "character", quote = "", na.strings = character())
functions <- utils::read.delim("inst/spec/rule_functions.tsv", colClasses = "character", quote = "", na.strings = character())
files <- list.files("tests/testthat/ref-derivatives", "[.]tsv[.]bz2$", full.names = TRUE)

# The forms of rules that a table's form is computed by.
forms_of <- function(name, form) if (grepl("^q", name)) c("tail", "end", "edge", "slope", "quantile") else form

called_for <- function(name, argument, form) {
  own <- rules$name == name & rules$argument == argument & rules$form %in% forms_of(name, form)
  text <- paste(rules$derivative[own], collapse = " ")
  functions$name[vapply(functions$name, function(f) grepl(paste0("\\b", f, "\\("), text), NA)]
}

worst <- list()
for (device in devices) {
  for (file in files) {
    name <- sub("[.](log|scaled|far)$", "", sub("[.]tsv[.]bz2$", "", basename(file)))
    if (!any(vapply(functions$name, function(f) any(grepl(f, rules$derivative[rules$name == name], fixed = TRUE)), NA))) next
    scores <- tables$derivative_scores(file, if (device == "host") "0" else device)
    for (i in seq_len(nrow(scores))) {
      for (f in called_for(name, scores$argument[i], scores$form[i])) {
        key <- paste(functions$stem[functions$name == f], device)
        if (is.null(worst[[key]]) || scores$worst[i] > worst[[key]]$worst) worst[[key]] <- cbind(scores[i, ], table = basename(file))
      }
    }
  }
}

# Two significant digits, rounded up.
shown <- function(x) {
  digits <- 10^(floor(log10(x)) - 1)
  format(ceiling(x / digits - 1e-9) * digits, digits = 2)
}

stale <- 0L
for (stem in unique(functions$stem)) {
  path <- file.path("inst/cl/nmath", paste0(stem, ".cl"))
  found <- lapply(devices, function(device) worst[[paste(stem, device)]])
  if (any(vapply(found, is.null, NA))) next
  values <- vapply(found, function(x) x$worst, 0)
  names <- c(host = "host", opencl = "PoCL")[devices]
  tag <- paste0("// @accuracy: derivatives ", paste0(vapply(values, shown, ""), c(" eps(1+cond)", rep("", length(values) - 1L)), " (", names, ")", collapse = ", "))
  lines <- readLines(path)
  at <- grep("^// @accuracy: ", lines)
  if (length(at) == 0L) next # the file states none
  cat(stem, ": ", paste(sprintf("%.3g in %s of %s, %s", values, vapply(found, `[[`, "", "argument"), vapply(found, `[[`, "", "table"), vapply(found, `[[`, "", "where")), collapse = "; "), "\n", sep = "")
  if (check) {
    stated <- suppressWarnings(as.numeric(sub(".*derivatives ([0-9.e+-]+) .*", "\\1", lines[at])))
    if (!isTRUE(values[1L] <= 2 * stated)) stale <- stale + 1L
  } else {
    lines[at] <- tag
    writeLines(lines, path)
  }
}
if (stale > 0L) quit(status = 1)
