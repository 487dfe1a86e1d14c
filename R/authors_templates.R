# authors_templates -- adds to a package the files of inst/templates: what it needs to call OpenCL, or for a kernel of
# its own.

#' Make a package ready for OpenCL, or give it a kernel
#'
#' \code{use_opencl_configure()} gives a package a \code{configure} that finds OpenCL's headers and library where there are
#' any: for packages that make OpenCL calls of their own. \code{use_nmath_kernel()} gives it a kernel that calls functions of
#' nmath, with all that leads to it from R: for this no OpenCL software is needed, and no \code{configure}. Afterwards the
#' package can be built; \code{R CMD check} passes on machines with OpenCL and on others.
#'
#' A file that exists is left alone. In \file{DESCRIPTION} and \file{NAMESPACE} what is missing is added, no line there
#' changes otherwise; a \file{NAMESPACE} that was not there, or that \pkg{roxygen2} has written, is as that writes it. \code{Rcpp::compileAttributes()} is called at the end.
#'
#' @section use_opencl_configure():
#' Writes \file{configure}, \file{configure.win}, \file{cleanup}, \file{tools/find_opencl.sh}, \file{src/Makevars.in}, and
#' \code{has_opencl()} with its help page, which says whether OpenCL was found when the package was built. Then
#' \code{USE_OPENCL} is defined, and the package is linked with OpenCL. \code{--configure-args=--without-opencl}, or the
#' environment variable \env{<PACKAGE>_OPENCL=no}, builds without.
#'
#' @section use_nmath_kernel():
#' Writes the kernel, \file{inst/cl/src/<name>.cl}; \file{src/<name>.cpp} with the runner and what R calls;
#' \file{R/<name>.R}, a function of numeric vectors, which are recycled, and of \code{device}; its help page; and
#' \file{tests/testthat/test-<name>.R}. The kernel adds up the values of \code{calls} at their arguments; arguments of the
#' same name are one. It is where your own computation begins: keep its parameters in line with those of the R function.
#'
#' @param path the package's folder, with \file{DESCRIPTION}.
#' @param name a name for the kernel and the R function.
#' @param calls names of functions, as R has them, as C has them or as this package's functions have them, without \code{_opencl}:
#'   \code{c("dgamma", "lgamma")}, \code{"lgammafn"}, \code{"pnorm5"}; no random draws, for which see \code{\link{NMATH_RNG}}.
#' @return Invisibly a data frame with a row for each file: \code{file}, relative to \code{path}, and \code{done}:
#'   \code{"written"}, \code{"added to"} or \code{"left alone"}; the same is said as messages.
#' @section Errors: Class \code{nmathopencl_error}, before anything is written: no package at \code{path}; a
#'   \file{src/Makevars} that \code{configure} would write over; names that cannot be those of functions, or that nmath has;
#'   unknown functions.
#' @examples
#' path <- file.path(tempdir(), "mypackage")
#' dir.create(path)
#' fields <- c("Package: mypackage", "Version: 0.1", "Title: Mine", "License: GPL-2")
#' writeLines(fields, file.path(path, "DESCRIPTION"))
#' use_nmath_kernel(path, "log_density_sum", c("dgamma", "dnorm"))
#' cat(readLines(file.path(path, "inst", "cl", "src", "log_density_sum.cl")), sep = "\n")
#' @export
use_opencl_configure <- function(path) {
  package <- package_at(path)
  makevars <- file.path(path, "src", c("Makevars", "Makevars.win", "Makevars.in"))
  if (any(file.exists(makevars[1:2])) && !file.exists(makevars[3])) {
    argument_error(
      "configure would write over '", makevars[file.exists(makevars)][1], "': call it src/Makevars.in, and add ",
      "@OPENCL_CPPFLAGS@ to its PKG_CPPFLAGS and @OPENCL_LIBS@ to its PKG_LIBS"
    )
  }
  values <- list(package = package, PACKAGE = capital_letters(gsub(".", "_", package, fixed = TRUE)))
  doc <- list(
    name = "has_opencl", usage = "has_opencl()", title = "Whether this package was built with OpenCL",
    description = "Tells whether OpenCL's headers and library were found when the package was built.",
    value = "\\code{TRUE} or \\code{FALSE}. Nothing is said about devices.", examples = "has_opencl()"
  )
  values$roxygen <- roxygen_text(doc, package)
  made <- new_changes(path)
  for (file in c("configure", "configure.win", "cleanup")) add_file(made, file, template(file, values), "0755")
  add_file(made, "tools/find_opencl.sh", template("find_opencl.sh", list()))
  add_file(made, "src/Makevars.in", template("Makevars.in", values))
  add_file(made, "src/has_opencl.cpp", template("has_opencl.cpp", values))
  add_file(made, "R/has_opencl.R", template("has_opencl.R", values))
  add_file(made, "man/has_opencl.Rd", rd_text(doc, "R/has_opencl.R"))
  add_to_description(made, Imports = "Rcpp", LinkingTo = "Rcpp")
  add_to_namespace(made, c(use_dyn_lib(package), "importFrom(Rcpp,evalCpp)", "export(has_opencl)"))
  finish_changes(made)
  lines <- readLines(makevars[3], warn = FALSE)
  for (place in c("@OPENCL_CPPFLAGS@", "@OPENCL_LIBS@")) {
    if (any(grepl(place, lines, fixed = TRUE))) next
    cli::cli_alert_warning("src/Makevars.in lacks {place}: nothing of OpenCL reaches the compiler there")
  }
  if ("tools" %in% ignored_by_build(path)) {
    cli::cli_alert_warning(".Rbuildignore leaves out tools, which configure needs")
  }
  invisible(changes_of(made))
}

#' @rdname use_opencl_configure
#' @export
use_nmath_kernel <- function(path, name, calls) {
  package <- package_at(path)
  name <- check_string(name, "name")
  if (!grepl("^[A-Za-z][A-Za-z0-9_]*$", name) || name %in% c("has_opencl", function_table()$name)) {
    argument_error("`name` must be a name of C that no function of nmath has, not '", name, "': letters, digits and _")
  }
  rows <- called_rows(calls)
  columns <- unique(unlist(lapply(rows, function(row) split_commas(row$columns))))
  arguments <- gsub(".", "_", columns, fixed = TRUE)
  names(arguments) <- columns
  stems <- setdiff(unique(vapply(rows, function(row) row$stem, "")), "none")
  if (length(stems) == 0L) stems <- "nmath"
  title <- paste(vapply(rows, function(row) row$name, ""), collapse = " + ")
  doc <- kernel_doc(name, title, arguments, rows)
  values <- list(
    package = package, name = name, title = title, stems = paste(stems, collapse = ", "),
    parameters = paste0("\n    __global const double* ", arguments, collapse = ","),
    terms = paste(unlist(lapply(rows, kernel_term, arguments)), collapse = "\n"),
    arguments = paste(arguments, collapse = ", "), columns = paste0(arguments, " = ", arguments, collapse = ", "),
    values = paste0("  ", arguments, " <- ", sample_values(columns, "c(0.2, 0.5, 0.8)", "c(1, 2, 3)"), collapse = "\n"),
    expected = paste(vapply(rows, expected_call, "", arguments), collapse = " +\n      "),
    empty = paste(rep("numeric()", length(arguments)), collapse = ", "),
    text = paste(rep("\"text\"", length(arguments)), collapse = ", "), roxygen = roxygen_text(doc, package)
  )
  made <- new_changes(path)
  kernel <- add_file(made, paste0("inst/cl/src/", name, ".cl"), template("kernel.cl", values))
  add_file(made, paste0("src/", name, ".cpp"), template("kernel.cpp", values))
  add_file(made, paste0("R/", name, ".R"), template("kernel.R", values))
  add_file(made, paste0("man/", name, ".Rd"), rd_text(doc, paste0("R/", name, ".R")))
  add_file(made, "tests/testthat.R", template("testthat.R", values))
  add_file(made, paste0("tests/testthat/test-", name, ".R"), template("test.R", values))
  if (kernel) {
    library_dir <- system.file("cl", "nmath", package = "nmathopencl")
    attach_cross_library_tags(file.path(path, "inst", "cl", "src", paste0(name, ".cl")), library_dir)
  }
  add_to_description(made, Imports = c("Rcpp", "nmathopencl"), LinkingTo = c("Rcpp", "nmathopencl"), Suggests = "testthat")
  add_to_namespace(made, c(
    use_dyn_lib(package), "importFrom(Rcpp,evalCpp)",
    "importFrom(nmathopencl,nmathopencl_opencl_fp64_available)", sprintf("export(%s)", name)
  ))
  finish_changes(made)
  invisible(changes_of(made))
}

# ---- what the kernel computes ----

# The rows of functions.tsv that names mean: this package's, those of C (`pnorm5`) or R's (`lgamma`). NA for others.
row_of_name <- function(names, table = function_table()) {
  names <- sub("^([dpq]norm)[45]$", "\\1", sub("_opencl$", "", sub("^Rtanpi$", "tanpi", names)))
  c_names <- sub("^([A-Za-z_0-9]*)[(].*", "\\1", table$call)
  by_r <- match(names, r_name(table))
  own <- match(names, table$name)
  found <- ifelse(is.na(own), match(names, c_names), own)
  ifelse(is.na(found), by_r, found)
}

# The rows of functions.tsv that `calls` names.
called_rows <- function(calls) {
  if (!is.character(calls) || length(calls) == 0L || anyNA(calls) || anyDuplicated(calls)) {
    argument_error("`calls` must be different names of functions, as c(\"dgamma\", \"lgamma\")")
  }
  table <- function_table()
  found <- row_of_name(calls, table)
  unknown <- calls[is.na(found)]
  if (length(unknown) > 0L) {
    near <- near_names(unknown[1L], table$name)
    argument_error(
      "`calls` names '", unknown[1L], "', which is not a function of nmath",
      if (length(near)) paste0("; there are ", paste(near, collapse = ", ")), ". ?nmathopencl leads to all of them"
    )
  }
  if (anyDuplicated(found)) argument_error("`calls` names '", calls[duplicated(found)][1L], "' twice, by different names")
  rows <- lapply(found, function(k) as.list(table[k, ]))
  draws <- vapply(rows, function(row) row$flags %in% c("draws", "counts", "cells"), NA)
  if (any(draws)) argument_error("`calls` names '", calls[draws][1L], "', which draws random numbers: see ?NMATH_RNG")
  rows
}

# The lines that add a function's value: of calls that need more than an expression a block of their own.
kernel_term <- function(row, arguments) {
  call <- gsub("\\bgive_log\\b|\\blog_p\\b", "0", gsub("\\blower_tail\\b", "1", row$call))
  params <- split_commas(row$params)
  elements <- paste0(arguments[split_commas(row$columns)], "[i]")
  words <- regmatches(call, gregexpr("[A-Za-z_][A-Za-z_0-9]*", call))
  words[[1L]] <- ifelse(words[[1L]] %in% params, elements[match(words[[1L]], params)], words[[1L]])
  regmatches(call, gregexpr("[A-Za-z_][A-Za-z_0-9]*", call)) <- words
  parts <- strsplit(call, "; ", fixed = TRUE)[[1L]]
  if (length(parts) == 1L) return(paste0("    value += ", call, ";"))
  last <- length(parts)
  c("    {", paste0("        ", parts[-last], ";"), paste0("        value += ", parts[last], ";"), "    }")
}

expected_call <- function(row, arguments) {
  columns <- split_commas(row$columns)
  given <- paste0(columns, " = ", arguments[columns], collapse = ", ")
  sprintf("nmathopencl::%s_opencl(%s, device = \"host\")", row$name, given)
}

# What an argument may be: a probability, or anything that is in most domains.
sample_values <- function(columns, probability, other) ifelse(columns %in% c("p", "prob", "qprob"), probability, other)

# ---- documentation, as roxygen and as Rd ----

kernel_doc <- function(name, title, arguments, rows) {
  call <- sprintf("%s(%s, device = \"auto\")", name, paste(arguments, collapse = ", "))
  list(
    name = name, usage = call, title = paste(title, "on an OpenCL device"),
    description = sprintf(
      "Computes %s, element by element, by a kernel of this package that calls nmath.",
      paste0("\\code{\\link[nmathopencl]{", vapply(rows, function(row) row$name, ""), "_opencl}}", collapse = " + ")
    ),
    params = list(
      c(paste(arguments, collapse = ","), "numeric vectors, recycled to the length of the longest."),
      c("device", paste(
        "where to compute: \\code{\"auto\"}, \\code{\"opencl\"}, \\code{\"host\"} or what else",
        "\\code{\\link[nmathopencl]{set_opencl_device}} takes."
      ))
    ),
    value = "A double vector as long as the longest argument; of length 0 where one of them is.",
    errors = "Class \\code{nmathopencl_error}: there is no such device, none with double precision, or it fails.",
    examples = c(
      "if (nmathopencl::nmathopencl_opencl_fp64_available()) {",
      sprintf("  %s(%s)", name, paste(sample_values(names(arguments), "0.5", "1"), collapse = ", ")), "}"
    )
  )
}

roxygen_text <- function(doc, package) {
  lines <- c(
    doc$title, "", doc$description, "", vapply(doc$params, function(one) paste("@param", one[1L], one[2L]), ""),
    paste("@return", doc$value), if (!is.null(doc$errors)) paste("@section Errors:", doc$errors), "@examples", doc$examples,
    sprintf("@useDynLib %s, .registration = TRUE", package), "@importFrom Rcpp evalCpp",
    if (!is.null(doc$params)) "@importFrom nmathopencl nmathopencl_opencl_fp64_available", "@export"
  )
  paste(trimws(paste("#'", lines), "right"), collapse = "\n")
}

rd_text <- function(doc, file) {
  c(
    "% Generated by roxygen2: do not edit by hand", paste("% Please edit documentation in", file),
    sprintf("\\name{%s}", doc$name), sprintf("\\alias{%s}", doc$name), sprintf("\\title{%s}", doc$title),
    "\\usage{", doc$usage, "}",
    if (!is.null(doc$params)) {
      items <- vapply(doc$params, function(one) sprintf("\\item{%s}{%s}", gsub(",", ", ", one[1L], fixed = TRUE), one[2L]), "")
      c("\\arguments{", items, "}")
    },
    "\\value{", doc$value, "}", "\\description{", doc$description, "}",
    if (!is.null(doc$errors)) c("\\section{Errors}{", "", doc$errors, "}", ""), "\\examples{", doc$examples, "}"
  )
}
