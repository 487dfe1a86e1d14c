# badge.R -- man/figures/checks.svg: how R CMD check and the tests ended in the run of .ci/run that bench/results/ci.tsv is of.

badge_file <- file.path("man", "figures", "checks.svg")

# Two boxes, a label and what it says; widths are those of 11-pixel letters.
badge <- function(label, said, good) {
  width <- function(text) 10 + 6.4 * nchar(text)
  left <- width(label)
  box <- function(x, w, fill) sprintf('<rect x="%.0f" width="%.0f" height="20" fill="%s"/>', x, w, fill)
  text <- function(x, what) sprintf('<text x="%.0f" y="14">%s</text>', x + 5, what)
  whole <- left + width(said)
  c(
    sprintf('<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="20" role="img" aria-label="%s: %s">', whole, label, said),
    box(0, left, "#555555"), box(left, whole - left, if (good) "#2e7d32" else "#b00020"),
    '<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    text(0, label), text(left, said), "</g>", "</svg>"
  )
}

check_badge <- function() {
  ci <- read_results("ci.tsv")
  check <- ci$result[grepl("^make check|^R CMD check", ci$step)]
  tests <- sub(" .*", "", ci$result[ci$step == "total"])
  good <- length(check) > 0 && all(check == "passed") && grepl(" 0 failed", ci$result[ci$step == "total"])
  badge("R CMD check", paste0(if (good) "passed" else "failed", ", ", format(as.numeric(tests), big.mark = ","), " tests"), good)
}
