# words -- one idea, one term: finds words that the glossary of CONTRIBUTING.md forbids in names, comments and pages.
#
#   Rscript tools/words.R [DIR]    names each place in DIR (here: this checkout) that uses one, and exits with 1 if there is one
#
# A row of the glossary is | term | meaning | not |; what stands in back quotes in its third column is forbidden. A forbidden
# phrase is looked for as whole words, whatever their case, and names are taken apart first: `kept few` finds KeptFew, kept_few
# and "kept few". Data, results and generated text are not looked at.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
root <- c(commandArgs(TRUE), if (length(script)) file.path(dirname(script), ".."), ".")[1L]

glossary <- function(lines) {
  from <- which(lines == "## Glossary")
  if (length(from) != 1L) stop("CONTRIBUTING.md has no section '## Glossary'")
  rows <- grep("^\\| ", lines[from:length(lines)], value = TRUE)
  rows <- rows[seq_len(match(TRUE, diff(grep("^\\| ", lines[from:length(lines)])) > 2L, length(rows)))] # the first table
  cells <- strsplit(sub("^\\| ", "", rows), " *\\| *")
  found <- lapply(cells[lengths(cells) == 3L], function(row) {
    not <- regmatches(row[3L], gregexpr("`[^`]+`", row[3L]))[[1L]]
    data.frame(term = rep(row[1L], length(not)), not = gsub("`", "", not))
  })
  do.call(rbind, found)
}

# Names in their words: runPieces, run_pieces and RUN_PIECES are "run pieces". Of a wrapped comment the next line's beginning counts.
in_words <- function(text) {
  text <- gsub("([a-z0-9])([A-Z])", "\\1 \\2", text, perl = TRUE)
  text <- gsub("([A-Z])([A-Z][a-z])", "\\1 \\2", text, perl = TRUE)
  tolower(gsub("[-_.[:space:]]+", " ", text))
}
with_next <- function(lines) {
  comment <- "^ *(//|#'?|[*]) *"
  is_comment <- grepl(comment, lines)
  following <- c(lines[-1L], "")
  joins <- is_comment & c(is_comment[-1L], FALSE)
  paste(lines, ifelse(joins, sub(comment, "", following), ""))
}

pages <- readLines(file.path(root, "CONTRIBUTING.md"), encoding = "UTF-8")
words <- glossary(pages)
folders <- c("src", "R", "inst/cl", "inst/spec", "inst/gallery", "inst/include", "inst/templates", "tests", "tools", "bench", "vignettes")
files <- list.files(file.path(root, folders), "\\.(h|c|cpp|R|cl|tsv|Rmd|md|sh|py)$", recursive = TRUE, full.names = TRUE)
files <- files[!grepl("/(testthat/ref|results|reference_rows|derivative_reference/[a-z_]*\\.tsv)|_gen\\.|/RcppExports\\.|/tools/words\\.R$", files)]
files <- c(files, Filter(file.exists, file.path(root, c("README.md", "CONTRIBUTING.md"))))

wrong <- character()
for (file in files) {
  lines <- readLines(file, warn = FALSE, encoding = "UTF-8")
  if (basename(file) == "CONTRIBUTING.md") lines[grepl("^\\| ", lines)] <- ""
  joined <- in_words(with_next(lines))
  own <- in_words(lines)
  for (k in seq_len(nrow(words))) {
    pattern <- paste0("(?<![[:alnum:]])", in_words(words$not[k]), "s?(?![[:alnum:]])") # and its plural
    at <- grep(pattern, joined, perl = TRUE)
    # found by way of the next line only: it is that line's own where it stands there whole
    at <- at[grepl(pattern, own[at], perl = TRUE) | !grepl(pattern, c(own, "")[at + 1L], perl = TRUE)]
    wrong <- c(wrong, sprintf("%s:%d: '%s': the term is %s", sub(paste0(root, "/"), "", file, fixed = TRUE), at, words$not[k], words$term[k]))
  }
}
if (length(wrong)) {
  writeLines(wrong)
  quit(status = 1)
}
message("words.R: ", length(files), " files without the ", nrow(words), " words that the glossary forbids")
