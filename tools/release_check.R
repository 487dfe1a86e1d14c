#!/usr/bin/env Rscript
# release_check -- is everything decided that only the owner can decide, and does the package say it?
#
#   Rscript tools/release_check.R [DIR]     looks at DIR (here: this checkout), prints what is missing and exits with 1 if
#                                           there is anything
#
# The decisions are the table of tools/release.md; DESCRIPTION, NEWS.md, inst/CITATION and tools/packages.json have to agree with it.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
root <- c(commandArgs(TRUE), if (length(script)) file.path(dirname(script), ".."), ".")[1]

# The table's rows as a character vector named by entry.
read_decisions <- function(file) {
  rows <- grep("^\\|", readLines(file), value = TRUE)
  cells <- lapply(strsplit(rows, "|", fixed = TRUE), function(row) trimws(row[2:3]))
  cells <- cells[-(1:2)]                                            # the heading and the line below it
  stats::setNames(vapply(cells, `[`, "", 2L), vapply(cells, `[`, "", 1L))
}

undecided <- function(decisions) {
  open <- names(decisions)[decisions %in% c("?", "")]
  sprintf("tools/release.md: '%s' is undecided", open)
}

# What cannot be right, whatever the package says.
odd_decisions <- function(decisions) {
  shape <- c(email = "^[^@ ]+@[^@ ]+[.][^@ ]+$", URL = "^https://[^ ]+$", BugReports = "^https://[^ ]+$",
             version = "^[0-9]+([.-][0-9]+)+$", `published version` = "^(none|[0-9]+([.-][0-9]+)+)$")
  shape <- shape[!decisions[names(shape)] %in% c("?", "")]
  odd <- names(shape)[!mapply(grepl, shape, decisions[names(shape)])]
  example <- grep("(^|[@./])example[.]", decisions)
  versions <- decisions[c("version", "published version")]
  behind <- all(grepl("^[0-9.-]+$", versions)) && numeric_version(versions[1]) <= numeric_version(versions[2])
  c(sprintf("tools/release.md: '%s' cannot be %s", odd, decisions[odd]),
    sprintf("tools/release.md: '%s' is an example", names(decisions)[example]),
    if (behind) sprintf("tools/release.md: version %s is not above the published %s", versions[1], versions[2]))
}

# What the package says, under the names of the decisions.
said <- function(root) {
  fields <- read.dcf(file.path(root, "DESCRIPTION"))[1, ]
  persons <- eval(parse(text = fields[["Authors@R"]]))
  has_role <- function(role) vapply(persons, function(person) role %in% person$role, NA)
  maintainer <- persons[has_role("cre")]
  holders <- vapply(persons[has_role("cph")], format, "", include = c("given", "family"))
  field <- function(name) if (name %in% names(fields)) fields[[name]] else ""
  text <- function(x) paste(c(x, character()), collapse = " ")
  c(`given name` = text(maintainer$given), `family name` = text(maintainer$family), email = text(maintainer$email),
    `copyright holder` = paste(holders, collapse = ", "), URL = sub("[, \n].*", "", field("URL")),
    BugReports = field("BugReports"), version = field("Version"))
}

differences <- function(decisions, root) {
  have <- said(root)
  want <- decisions[names(have)]
  differs <- names(have)[!want %in% c("?", "") & want != have]
  news <- sub("^# nmathopencl ", "", readLines(file.path(root, "NEWS.md"), n = 1L))
  meta <- c(as.list(read.dcf(file.path(root, "DESCRIPTION"))[1, ]), Encoding = "UTF-8")
  cited <- format(utils::readCitationFile(file.path(root, "inst", "CITATION"), meta), style = "text")
  universe <- readLines(file.path(root, "tools", "packages.json"))
  address <- decisions[["URL"]]
  c(if (!address %in% c("?", "") && !any(grepl(paste0('"url": "', address, '"'), universe, fixed = TRUE))) "tools/packages.json has another URL",
    sprintf("DESCRIPTION: '%s' is '%s', decided is '%s'", differs, have[differs], want[differs]),
    if (!identical(news, have[["version"]])) sprintf("NEWS.md begins with version '%s', DESCRIPTION has '%s'", news, have[["version"]]),
    if (!any(grepl(have[["version"]], cited, fixed = TRUE))) "inst/CITATION does not name DESCRIPTION's version")
}

decisions <- read_decisions(file.path(root, "tools", "release.md"))
findings <- c(undecided(decisions), odd_decisions(decisions), differences(decisions, root))
if (length(findings)) {
  writeLines(findings)
  cat(length(findings), "findings: not ready for a release\n")
  quit(status = 1)
}
cat("ready: DESCRIPTION, NEWS.md and inst/CITATION agree with tools/release.md\n")
