# package_files -- writes into the folder of a package: new files, and what DESCRIPTION and NAMESPACE lack.

# The name of the package whose folder this is.
package_at <- function(path) {
  path <- check_path(path, "path")
  file <- file.path(path, "DESCRIPTION")
  if (!file.exists(file)) argument_error("there is no package at '", path, "': it has no DESCRIPTION")
  fields <- tryCatch(read.dcf(file), error = function(e) {
    argument_error("'", file, "' cannot be read: ", conditionMessage(e))
  })
  if (!"Package" %in% colnames(fields)) argument_error("'", file, "' names no package")
  unname(fields[1L, "Package"])
}

# A file of inst/templates, where each {{word}} becomes the value of that name.
template <- function(file, values) {
  text <- paste(readLines(system.file("templates", file, package = "nmathopencl", mustWork = TRUE)), collapse = "\n")
  for (word in names(values)) text <- gsub(paste0("{{", word, "}}"), values[[word]], text, fixed = TRUE)
  text
}

new_changes <- function(path) {
  made <- new.env(parent = emptyenv())
  made$path <- path
  made$file <- made$done <- character()
  made
}

note_change <- function(made, file, done) {
  made$file <- c(made$file, file)
  made$done <- c(made$done, done)
  if (done == "left alone") cli::cli_alert_info("{file} is there: left alone") else cli::cli_alert_success("{done} {file}")
}

changes_of <- function(made) data.frame(file = made$file, done = made$done, stringsAsFactors = FALSE)

# TRUE if the file was not there and has been written.
add_file <- function(made, file, lines, mode = NULL) {
  full <- file.path(made$path, file)
  new <- !file.exists(full)
  if (new) {
    dir.create(dirname(full), recursive = TRUE, showWarnings = FALSE)
    write_lines(lines, full)
    if (!is.null(mode)) Sys.chmod(full, mode)
  }
  note_change(made, file, if (new) "written" else "left alone")
  new
}

write_lines <- function(lines, file) {
  out <- file(file, "wb")
  on.exit(close(out))
  writeLines(sub("\n$", "", lines), out, sep = "\n")
}

# `...`: packages by field. Fields keep their layout: a package is added at a field's end.
add_to_description <- function(made, ...) {
  file <- file.path(made$path, "DESCRIPTION")
  lines <- readLines(file, warn = FALSE)
  before <- lines
  fields <- read.dcf(file)
  wanted <- list(...)
  for (field in names(wanted)) {
    known <- if (field %in% colnames(fields)) fields[1L, field] else ""
    lacking <- setdiff(wanted[[field]], trimws(sub("\\(.*", "", strsplit(known, ",", fixed = TRUE)[[1L]])))
    if (length(lacking) == 0L) next
    start <- grep(paste0("^", field, ":"), lines)[1L]
    if (is.na(start)) {
      while (length(lines) > 0L && !nzchar(trimws(lines[length(lines)]))) lines <- lines[-length(lines)]
      lines <- c(lines, paste0(field, ":"), paste0("    ", lacking, c(rep(",", length(lacking) - 1L), "")))
    } else {
      end <- start + sum(cumprod(grepl("^[ \t]", lines[-seq_len(start)])))
      if (nzchar(trimws(known))) lines[end] <- paste0(sub("[ ,]*$", "", lines[end]), ",")
      lines <- append(lines, paste0("    ", lacking, c(rep(",", length(lacking) - 1L), "")), end)
    }
  }
  if (!identical(lines, before)) write_lines(lines, file)
  note_change(made, "DESCRIPTION", if (identical(lines, before)) "left alone" else "added to")
}

use_dyn_lib <- function(package) sprintf("useDynLib(%s, .registration = TRUE)", package)

add_to_namespace <- function(made, directives) {
  file <- file.path(made$path, "NAMESPACE")
  lines <- if (file.exists(file)) readLines(file, warn = FALSE) else character()
  plain <- function(x) gsub("[ \"']", "", x)
  loads <- any(grepl("^useDynLib\\(", lines)) & grepl("^useDynLib\\(", directives)
  lacking <- directives[!plain(directives) %in% plain(lines) & !loads]
  if (length(lacking) > 0L) write_lines(c(lines, lacking), file)
  note_change(made, "NAMESPACE", if (length(lacking) == 0L) "left alone" else "added to")
}

finish_changes <- function(made) {
  Rcpp::compileAttributes(made$path)
  for (file in c("R/RcppExports.R", "src/RcppExports.cpp")) note_change(made, file, "written")
}

# Which top-level folders R CMD build leaves out.
ignored_by_build <- function(path) {
  file <- file.path(path, ".Rbuildignore")
  patterns <- if (file.exists(file)) Filter(nzchar, readLines(file, warn = FALSE)) else character()
  folders <- list.dirs(path, full.names = FALSE, recursive = FALSE)
  ignored <- function(folder) any(vapply(patterns, grepl, NA, x = folder, perl = TRUE, ignore.case = TRUE))
  folders[vapply(folders, ignored, NA)]
}
