#!/usr/bin/env Rscript
# links -- are all addresses, DOIs and links to files well formed? Asks no network: urlchecker::url_check() does.
#
#   Rscript tools/links.R [DIR]     looks at DIR (here: this checkout), prints file, address and what is wrong with it, and
#                                   exits with 1 if there is anything
#
# Looked at: help pages (\url, \href, \doi), DESCRIPTION, inst/CITATION, README.md, CONTRIBUTING.md, NEWS.md and vignettes.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
root <- c(commandArgs(TRUE), if (length(script)) file.path(dirname(script), ".."), ".")[1]

found <- function(file, kind, text) data.frame(file = rep(file, length(text)), kind = rep(kind, length(text)), text = text)

all_matches <- function(pattern, text) unlist(regmatches(text, gregexpr(pattern, text, perl = TRUE)))

# What the macros of a parsed help page name.
in_page <- function(file) {
  kinds <- c("\\url" = "url", "\\href" = "url", "\\doi" = "doi")
  walk <- function(part) {
    tag <- attr(part, "Rd_tag")
    if (!is.null(tag) && tag %in% names(kinds)) {
      first <- if (tag == "\\href") part[[1]] else part
      return(found(basename(file), kinds[[tag]], trimws(paste(unlist(first), collapse = ""))))
    }
    if (is.list(part)) do.call(rbind, lapply(part, walk))
  }
  # \doi is a macro of R's own, which the parser would expand.
  text <- all_matches("(?<=\\\\doi\\{)[^}]*", readLines(file, encoding = "UTF-8"))
  page <- suppressWarnings(tools::parse_Rd(file, macros = FALSE))
  rbind(walk(page), found(basename(file), "doi", text))
}

# Addresses and DOIs in running text; `<doi:...>` is DESCRIPTION's way, `](...)` Markdown's.
in_text <- function(file) {
  text <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  text <- gsub("(?s)```.*?```", "", text, perl = TRUE)              # code is no link
  text <- gsub("`[^`\n]*`", "", text)
  name <- sub(paste0(root, "/"), "", file, fixed = TRUE)
  targets <- all_matches("(?<=\\]\\()[^)\\s]*", text)
  outside <- grepl("^[a-z]+:", targets)
  rest <- gsub("\\]\\([^)\\s]*\\)", "]", text, perl = TRUE)
  rbind(
    found(name, "url", c(targets[outside], all_matches("\\b(?:https?|ftp):[^\\s<>\"')\\]]*[^\\s<>\"')\\].,;]", rest))),
    found(name, "file", targets[!outside & nzchar(targets)]),
    found(name, "doi", all_matches("(?<=<doi:)[^>]*", rest))
  )
}

wrong_url <- function(text) {
  shape <- "^(https?)://[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+(:[0-9]+)?(/[]A-Za-z0-9._~:/?#@!$&'()*+,;=%[-]*)?$"
  ifelse(!grepl(shape, text), "not an address",
    ifelse(grepl("%(?![0-9A-Fa-f]{2})", text, perl = TRUE), "% without two hexadecimal digits",
      ifelse(grepl("^http:", text), "https is there",
        ifelse(grepl("//(dx\\.)?doi\\.org/", text), "write it as a DOI",
          ifelse(grepl("//cran\\.[^/]*/web/packages/", text, ignore.case = TRUE), "write https://CRAN.R-project.org/package=NAME", "")
        )
      )
    )
  )
}

# Prefix of a registrant, then anything printable; what CRAN's macro and DESCRIPTION take.
wrong_doi <- function(text) ifelse(grepl("^10\\.[0-9]{4,9}/[]A-Za-z0-9._;()/:<>[-]*[A-Za-z0-9)]$", text), "", "not a DOI")

wrong_file <- function(text, file) {
  path <- file.path(root, dirname(file), sub("#.*", "", text))
  ifelse(grepl("^#", text) | file.exists(path), "", "no such file")
}

pages <- list.files(file.path(root, "man"), "\\.Rd$", full.names = TRUE)
texts <- file.path(root, c("DESCRIPTION", "inst/CITATION", "README.md", "CONTRIBUTING.md", "NEWS.md"))
texts <- c(texts[file.exists(texts)], list.files(file.path(root, "vignettes"), "\\.Rmd$", full.names = TRUE))
links <- unique(do.call(rbind, c(lapply(pages, in_page), lapply(texts, in_text))))
wrong <- character(nrow(links))
for (kind in unique(links$kind)) {
  at <- links$kind == kind
  wrong[at] <- switch(kind, url = wrong_url(links$text[at]), doi = wrong_doi(links$text[at]),
                      file = wrong_file(links$text[at], links$file[at]))
}
bad <- nzchar(wrong)
if (any(bad)) {
  writeLines(sprintf("%s: %s: %s", links$file[bad], links$text[bad], wrong[bad]))
  quit(status = 1)
}
cat(nrow(links), "addresses, DOIs and links to files in", length(pages) + length(texts), "files are well formed\n")
