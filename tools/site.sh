#!/bin/sh
# site.sh -- the site of the package, without network: sh tools/site.sh [--quick] [FOLDER]
#
# Into FOLDER (docs). Needs pkgdown, pandoc and the installed package. --quick checks that _pkgdown.yml is right and has every
# topic, and builds the index of topics, one page of them and one article: what can go wrong without a reader. A line per part.
set -eu
cd "$(dirname "$0")/.."

quick=false
[ "${1:-}" = --quick ] && { quick=true; shift; }
folder=${1:-docs}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

QUICK=$quick FOLDER=$folder Rscript - <<'R'
options(pkgdown.internet = FALSE, warn = 1, repos = c(CRAN = "@CRAN@"))
# For a package that an article names and that is not installed, downlit looks for an address in CRAN's index: here there is none.
if (exists("CRAN_urls", asNamespace("downlit"))) {
  utils::assignInNamespace("CRAN_urls", function() list(Package = character(), URL = character()), "downlit")
}
quick <- Sys.getenv("QUICK") == "true"
# A copy: pkgdown writes beside the sources of articles.
source <- file.path(tempfile("site"), "nmathopencl")
dir.create(source, recursive = TRUE)
parts <- c("DESCRIPTION", "NAMESPACE", "README.md", "NEWS.md", "CONTRIBUTING.md", "_pkgdown.yml", "R", "man", "inst", "vignettes")
stopifnot(file.copy(parts, source, recursive = TRUE))
# The datasheets score them.
dir.create(file.path(source, "tests", "testthat"), recursive = TRUE)
stopifnot(file.copy(file.path("tests", "testthat", "ref"), file.path(source, "tests", "testthat"), recursive = TRUE))
# In the section "Value" pkgdown takes the end of a line after a macro, and after one with a comma, for the end of a paragraph.
for (page in list.files(file.path(source, "man"), "[.]Rd$", full.names = TRUE)) {
  lines <- readLines(page, encoding = "UTF-8")
  begin <- which(lines == "\\value{")
  if (!length(begin)) next
  end <- min(which(lines == "}" & seq_along(lines) > begin))
  inside <- seq(begin, end)
  joined <- grepl("[^{ ]$", lines[inside]) & grepl("^ *[^} ]", lines[inside + 1]) & !grepl("^ *[\\\\]item", lines[inside + 1])
  lines[inside] <- paste0(lines[inside], ifelse(joined, " ", "\n"))
  lines[-inside] <- paste0(lines[-inside], "\n")
  cat(lines, file = page, sep = "")
}
site <- pkgdown::as_pkgdown(source, override = list(destination = Sys.getenv("FOLDER")))
say <- function(...) cat("site.sh:", ..., "\n")

pkgdown::check_pkgdown(site)
pkgdown::init_site(site)
if (quick) {
  pkgdown::build_reference(site, examples = FALSE, topics = "opencl_function", preview = FALSE)
  pkgdown::build_reference_index(site)
  pkgdown::build_article("devices-and-troubleshooting", site, quiet = TRUE)
} else {
  pkgdown::build_home(site, preview = FALSE)
  pkgdown::build_reference(site, examples = FALSE, preview = FALSE)
  pkgdown::build_articles(site, preview = FALSE)
  pkgdown::build_news(site, preview = FALSE)
  pkgdown::build_search(site)
}
# Where README.md finds it.
sheet <- file.path("inst", "cheatsheet", "nmathopencl.pdf")
dir.create(dirname(file.path(Sys.getenv("FOLDER"), sheet)), recursive = TRUE, showWarnings = FALSE)
invisible(file.copy(sheet, file.path(Sys.getenv("FOLDER"), sheet), overwrite = TRUE))
pages <- list.files(Sys.getenv("FOLDER"), "[.]html$", recursive = TRUE)
say(length(pages), "pages in", Sys.getenv("FOLDER"))

# Links and pictures inside the site lead somewhere.
missing <- unlist(lapply(if (quick) character() else pages, function(page) {
  text <- paste(readLines(file.path(Sys.getenv("FOLDER"), page), warn = FALSE), collapse = "\n")
  links <- regmatches(text, gregexpr("(?<=href=\"|src=\")[^\"#?]+", text, perl = TRUE))[[1]]
  links <- unique(links[!grepl("^([a-z]+:|//|data:)", links)])
  gone <- links[!file.exists(file.path(Sys.getenv("FOLDER"), dirname(page), utils::URLdecode(links)))]
  if (length(gone)) paste0(page, ": ", gone)
}))
if (length(missing)) {
  say("links to nothing:")
  writeLines(missing)
  quit(status = 1)
}
R
