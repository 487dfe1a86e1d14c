# A folder with a locale, "" where the system has it; skips the test where it can neither be found nor made. `source`: its definition, "tr_TR".
locale_folder <- function(source) {
  locale <- paste0(source, ".UTF-8")
  known <- tryCatch(system2("locale", "-a", stdout = TRUE, stderr = FALSE), error = function(e) character(), warning = function(w) character())
  if (any(grepl(paste0("^", source, "[.]utf-?8$"), known, ignore.case = TRUE))) return("")
  if (!nzchar(Sys.which("localedef"))) testthat::skip(paste("no locale", locale, "and no localedef to make it"))
  folder <- tempfile("locales")
  dir.create(folder)
  made <- suppressWarnings(system2("localedef", c("-i", source, "-f", "UTF-8", shQuote(file.path(folder, locale))), stdout = TRUE, stderr = TRUE))
  if (!dir.exists(file.path(folder, locale))) testthat::skip(paste("localedef makes no", locale, ":", toString(made)))
  folder
}
