#!/usr/bin/env Rscript
# spelling -- the words of help pages, vignettes, README, NEWS and DESCRIPTION against a British dictionary and inst/WORDLIST.
#
#   Rscript tools/spelling.R            prints words that neither has, with the files, and exits with 1 if there are any
#   Rscript tools/spelling.R --update   makes inst/WORDLIST what is left, after a look at each: new words are printed
#
# Needs the package spelling; exits with 77 where it is not installed. Names of functions and files belong into \code{} or
# back quotes, which are not looked at: the list is for names of people, products and terms.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
update <- "--update" %in% commandArgs(TRUE)
root <- c(setdiff(commandArgs(TRUE), "--update"), if (length(script)) file.path(dirname(script), ".."), ".")[1]
if (!requireNamespace("spelling", quietly = TRUE)) {
  cat("the package 'spelling' is not installed\n")
  quit(status = 77)
}

list_file <- file.path(root, "inst", "WORDLIST")
kept <- if (file.exists(list_file)) readLines(list_file, encoding = "UTF-8") else character()
unknown <- spelling::spell_check_package(root, vignettes = TRUE, use_wordlist = !update)
if (update) {
  words <- sort(unique(unknown$word), method = "radix")             # bytes: the same in every locale
  cat("new:", setdiff(words, kept), "\n")
  cat("gone:", setdiff(kept, words), "\n")
  writeLines(words, list_file)
  quit()
}
if (nrow(unknown)) {
  print(unknown)
  cat("Mend them, or put them into inst/WORDLIST: Rscript tools/spelling.R --update\n")
  quit(status = 1)
}
cat("no unknown word;", length(kept), "in inst/WORDLIST\n")
