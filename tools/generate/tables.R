# tables -- the tables of inst/spec and the indices of the device libraries, as every part of generate.R reads them.

read_spec <- function(name, keys = 1) {
  path <- file.path(spec_dir, name)
  spec <- utils::read.delim(path, colClasses = "character", quote = "", na.strings = character())
  key <- do.call(paste, spec[seq_len(keys)])
  if (anyDuplicated(key)) stop(path, ": duplicated row ", key[anyDuplicated(key)], call. = FALSE)
  spec
}

split_list <- function(text) trimws(strsplit(text, ",", fixed = TRUE)[[1]])

read_index <- function(library) {
  path <- file.path(cl_dir, library, "kernel_dependency_index.tsv")
  if (!file.exists(path)) return(data.frame(stem = character(), all_depends = character()))
  utils::read.delim(path, colClasses = "character", quote = "", na.strings = character())
}

read_tag <- function(path, tag) {
  lines <- readLines(path, warn = FALSE)
  hit <- grep(sprintf("^//[ ]*@%s[ ]*:", tag), lines, value = TRUE)
  if (length(hit) == 0) return("")
  trimws(sub("^[^:]*:", "", hit[1]))
}

flag_params <- function(row) {
  switch(row$flags,
    "log" = "give_log",
    "lower.tail, log.p" = c("lower_tail", "log_p"),
    character()
  )
}

# Rows that draw random numbers: `flags` is "draws", "counts" if R has integers there, "cells" if each draw is a column
# of a matrix.
is_draw <- function(rows) rows$flags %in% c("draws", "counts", "cells")

n_columns <- function(row) length(split_list(row$params)) + length(flag_params(row))

glm_kernels <- function() {
  sort(sub("\\.cl$", "", list.files(file.path(cl_dir, "ex_glmbayes_family"), "\\.cl$")), method = "radix")
}
