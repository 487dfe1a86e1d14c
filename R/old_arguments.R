# old_arguments -- arguments by the names that the published package of this name gave them. The wrappers that had
# one hand what they do not know on as `...` (tools/generate/wrappers.R); inst/spec/old_arguments.tsv says which are
# which.

# The device for a call of the function `name` of inst/spec/functions.tsv that was given `...`; an error, or a
# warning once in a session, tells the new name.
device_of_old_arguments <- function(name, device, call, ...) {
  given <- as.list(substitute(list(...)))[-1L]
  names(given) <- if (is.null(names(given))) rep("", length(given)) else names(given)
  table <- old_arguments(name)
  unknown <- !names(given) %in% table$old
  if (any(unknown)) stop(mirrored_error(unused_text(given[unknown]), call))
  renamed <- table[table$new != "device" & table$old %in% names(given), ]
  if (nrow(renamed)) {
    raise_old_argument(paste0("`", renamed$old, "` is called `", renamed$new, "` here, as in stats", collapse = "; "), call)
  }
  parallel <- list(...)$opencl_parallel
  if (!is.logical(parallel) || length(parallel) != 1L) {
    raise_old_argument("`opencl_parallel` was TRUE, FALSE or NA; here `device` says where to compute", call)
  }
  tell_old_argument(parallel, call)
  if (is.na(parallel) || !identical(device, "auto")) return(device)
  if (parallel) "opencl" else "host"
}

# Rows of inst/spec/old_arguments.tsv for one function.
old_arguments <- function(name) {
  file <- system.file("spec", "old_arguments.tsv", package = "nmathopencl")
  table <- utils::read.delim(file, colClasses = "character", quote = "")
  table[table$family %in% c("*", library_row(name)$family), ]
}

# R's own text for arguments that a function has not got.
unused_text <- function(given) {
  shown <- vapply(given, deparse1, "")
  shown <- ifelse(nzchar(names(given)), paste(names(given), "=", shown), shown)
  paste0(ngettext(length(given), "unused argument (", "unused arguments ("), toString(shown), ")")
}

page_of_old_names <- "see vignette(\"coming-from-published\", package = \"nmathopencl\")"

raise_old_argument <- function(text, call) {
  stop(structure(
    class = c("nmathopencl_old_argument", "nmathopencl_error", "error", "condition"),
    list(message = paste0(text, "; ", page_of_old_names), call = call)
  ))
}

tell_old_argument <- function(parallel, call) {
  if (isTRUE(state$reported_old_argument)) return(invisible())
  state$reported_old_argument <- TRUE
  meaning <- if (is.na(parallel)) "the default" else if (parallel) "device = \"opencl\"" else "device = \"host\""
  warning(structure(
    class = c("nmathopencl_old_argument", "warning", "condition"),
    list(
      message = paste0(
        "`opencl_parallel` is called `device` here: ", parallel, " is ", meaning, ". This is told once in a session; ",
        page_of_old_names
      ),
      call = call
    )
  ))
}
