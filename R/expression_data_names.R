# Names in `data` that an opencl_function does not read.

# Of a list they are an error. Other columns of a data frame are left out, unless a helper reads a variable of this name that is another one:
# a function finds its variables where it was made, and never in `data`.
check_unread_data <- function(f, unknown, data, called) {
  readers <- readers_among_helpers(f, unknown)
  if (!is.data.frame(data)) {
    first <- c(names(readers), unknown)[1L]
    reader <- readers[[first]]
    instead <- if (!is.null(reader)) helper_text(reader$helper, first) else {
      paste0(
        ", and no variable that it reads", did_you_mean(first, names_read_by(f)),
        ". A list has what the function reads; of a data frame, as.data.frame(data), other columns are left out"
      )
    }
    argument_error("`", first, "` in `data` is not an argument of `", called, "`, which has ", in_ticks(names(formals(f))), instead)
  }
  for (name in names(readers)) {
    if (has_its_own(readers[[name]]$value, name, environment(f))) next
    found <- get0(name, envir = environment(readers[[name]]$value), ifnotfound = NULL)
    if (is.function(found) || identical(found, data[[name]])) next
    warning(simpleWarning(paste0(
      "column `", name, "` of `data` is left out: `", called, "` does not read it itself", helper_text(readers[[name]]$helper, name),
      ". If the column has nothing to do with it, leave it out, data[names(data) != \"", name, "\"]"
    ), user_call()))
  }
}

# Whether a helper has a variable from where `f` would not find it, as one that another function made does.
has_its_own <- function(helper, name, around) {
  there <- environment(helper)
  while (!exists(name, envir = there, inherits = FALSE)) {
    if (identical(there, emptyenv())) return(FALSE)
    there <- parent.env(there)
  }
  while (!identical(around, emptyenv())) {
    if (identical(around, there)) return(FALSE)
    around <- parent.env(around)
  }
  TRUE
}

helper_text <- function(helper, name) {
  paste0(
    ". Its helper `", helper, "` reads `", name, "`, and finds it where the helper was made, not in `data`: give it as an argument, ",
    helper, " <- function(", name, ", ...)"
  )
}

# Which of `names` are variables of functions that `f` calls, themselves or by others: by name list(helper, value), the one that `f` knows, or the
# deeper one, by its name and value. Functions of packages read none.
readers_among_helpers <- function(f, names) {
  found <- list()
  seen <- list(f)
  visit <- function(f) {
    for (called in setdiff(unique(all.names(body(f))), c(names(formals(f)), assigned_names(body(f))))) {
      helper <- get0(called, envir = environment(f), mode = "function")
      if (!is.function(helper) || is.primitive(helper) || isNamespace(environment(helper)) || any(vapply(seen, identical, NA, helper))) next
      seen[[length(seen) + 1L]] <<- helper
      own_data <- NULL
      if (inherits(helper, "opencl_function")) {
        own_data <- attr(helper, "expression")$data$names
        helper <- attr(helper, "expression")$written
      }
      own <- c(names(formals(helper)), assigned_names(body(helper)), own_data)
      for (name in setdiff(intersect(names, setdiff(names_read_by(helper), own)), names(found))) found[[name]] <<- list(helper = called, value = helper)
      visit(helper)
    }
  }
  visit(f)
  found
}
