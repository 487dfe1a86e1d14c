# sitrep_print -- the report of opencl_sitrep() as rows, and as a page.

# A list of single facts, or a data frame by the column that names its rows, as items and values.
fact_rows <- function(section, facts) {
  values <- vapply(facts, function(x) paste(format(x, trim = TRUE, scientific = FALSE), collapse = ", "), "")
  data.frame(section = rep(section, length(values)), item = names(facts) %||% character(), value = unname(values))
}

table_rows <- function(section, table, name) {
  rest <- setdiff(names(table), name)
  rows <- lapply(seq_len(nrow(table)), function(k) {
    facts <- lapply(table[k, rest, drop = FALSE], identity)
    names(facts) <- paste(table[[name]][k], rest)
    fact_rows(section, facts)
  })
  do.call(rbind, c(list(fact_rows(section, list())), rows))
}

#' @export
as.data.frame.opencl_sitrep <- function(x, ...) {
  row_names <- c(drivers = "file", platforms = "name", devices = "name", settings = "name", install = "part")
  rows <- lapply(names(x), function(section) {
    facts <- x[[section]]
    if (is.data.frame(facts)) return(table_rows(section, facts, row_names[[section]]))
    if (is.character(facts) && is.null(names(facts))) facts <- stats::setNames(as.list(facts), rep("reason", length(facts)))
    fact_rows(section, as.list(facts))
  })
  do.call(rbind, rows)
}

page_part <- function(title, ...) {
  lines <- c(...)
  lines <- lines[nzchar(lines)]
  if (!length(lines)) lines <- "none"
  wrapped <- strwrap(lines, width = max(40, getOption("width") - 2L), indent = 2, exdent = 6)
  c("", title, wrapped)
}

or_problem <- function(text, problem) if (length(problem) == 1L && nzchar(problem)) paste("not available:", problem) else text

format_bytes <- function(bytes) ifelse(is.na(bytes), "", sprintf(", %.1f GB", bytes / 2^30))

device_lines <- function(devices) {
  if (!nrow(devices)) return("none")
  works <- ifelse(devices$fp64, "double precision works", "not usable")
  works[is.na(works)] <- "double precision not tried"
  works[devices$arithmetic %in% "pair"] <- "pairs of floats" # ?pairs_of_floats
  works[devices$arithmetic %in% "single"] <- "single precision"
  works <- paste0(works, ifelse(
    devices$arithmetic %in% "double" & !is.na(devices$pair_speed) & devices$pair_speed > 2,
    sprintf(", but pairs of floats are %.1f times as fast: arithmetic = \"pair\" of set_opencl_device() asks for them", devices$pair_speed), ""
  ))
  works <- paste0(works, ifelse(nzchar(devices$pairs_refused), paste0(", no pairs of floats (", devices$pairs_refused, ")"), ""))
  reason <- ifelse(nzchar(devices$reason), paste0(": ", gsub("[[:space:]]+", " ", devices$reason)), "")
  sprintf(
    "%s%d: %s (%s, %s, %d units%s%s) - %s%s", ifelse(devices$selected, "* ", ""), devices$index, devices$name, devices$type,
    devices$platform, devices$compute_units, format_bytes(devices$global_mem),
    ifelse(nzchar(devices$driver), paste0(", driver ", devices$driver), ""), works, reason
  )
}

install_lines <- function(install, system, build) {
  if (!nrow(install)) return("nothing is known for this system")
  line <- function(rows) {
    where <- ifelse(rows$system == "container", " (container)", "")
    sprintf("%s%s: %s%s", rows$part, where, ifelse(nzchar(rows$command), paste0(rows$command, " - "), ""), rows$note)
  }
  needed <- install[install$needed, ]
  drivers <- install$part %in% c("nvidia", "amd", "intel", "pocl") & install$system != "container"
  optional <- install[!install$needed & drivers, ]
  c(
    if (!isTRUE(build$opencl)) "install nmathopencl again without --without-opencl, to use any OpenCL device",
    if (nrow(needed)) line(needed) else "nothing is lacking for the hardware that was found",
    if (length(system$closed)) paste("this user may not open", toString(system$closed), "- join the groups video and render"),
    if (nrow(optional)) c("for other hardware:", line(optional))
  )
}

cache_line <- function(cache) {
  if (!isTRUE(cache$enabled)) return("off")
  paste0(
    cache$folder, ": ", cache$entries, " programs, ", format(round(cache$bytes / 1e6, 1)), " MB",
    if (!isTRUE(cache$writable)) ", not writable", if (!is.na(cache$problem)) paste0("; ", cache$problem)
  )
}

#' @export
format.opencl_sitrep <- function(x, ...) {
  yes <- function(flag) if (isTRUE(flag)) "yes" else "no"
  build <- x$build
  platform_lines <- if (nrow(x$platforms)) {
    with(x$platforms, sprintf(
      "%d: %s (%s, %s), %d device%s%s", index, name, vendor, version, devices, ifelse(devices == 1, "", "s"),
      ifelse(nzchar(problem), paste(" - not used:", problem), "")
    ))
  }
  driver_lines <- if (nrow(x$drivers)) {
    with(x$drivers, paste0(file, " -> ", library, ifelse(nzchar(problem), paste(" - refused:", problem), "")))
  }
  selection <- x$selection
  c(
    paste0("nmathopencl ", x$package$version, ", ", x$package$r, ", ", x$package$platform),
    page_part(
      "System", paste0(x$system$name, ", ", x$system$machine, if (isTRUE(x$system$container)) ", in a container"),
      if (length(x$system$graphics)) paste("graphics hardware:", toString(x$system$graphics))
    ),
    page_part("Build", paste0(
      "OpenCL ", yes(build$opencl), "; OpenCL's headers and loader found by configure ", yes(build$sdk), "; ", build$compiler,
      ", C++", build$standard, ", ", build$processor, if (!isTRUE(build$optimized)) ", NOT optimized"
    )),
    page_part("OpenCL library", or_problem(
      paste0(x$library$file, if (!identical(x$library$real_file, x$library$file)) paste0(" (", x$library$real_file, ")"),
             if (length(x$library$version) && nzchar(x$library$version)) paste0(", ", x$library$version)),
      x$library$problem
    )),
    page_part("Drivers", driver_lines),
    page_part("Platforms", platform_lines),
    page_part(
      "Devices (* is what \"auto\" takes)", device_lines(x$devices), if (length(x$skipped)) paste("left out:", x$skipped)
    ),
    page_part(
      "Selection",
      or_problem(paste0("\"", selection$setting, "\" (", selection$source, "): ", selection$device), selection$problem),
      selection$rule
    ),
    page_part("Compiler of the host device", or_problem(x$compiler$command, x$compiler$problem)),
    page_part("Cache of built programs", cache_line(x$cache)),
    page_part("Options and environment variables", if (nrow(x$settings)) paste0(x$settings$name, " = ", x$settings$value)),
    page_part("To install", install_lines(x$install, x$system, build)),
    if (length(x$problems)) page_part("Could not be found out", paste0(names(x$problems), ": ", x$problems))
  )
}

#' @export
print.opencl_sitrep <- function(x, ...) {
  cat(tryCatch(format(x), error = function(e) utils::capture.output(print(unclass(x)))), sep = "\n")
  invisible(x)
}
