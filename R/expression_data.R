# Data of an opencl_function: values of its arguments and variables that are given once, go to a device when a call there first needs them
# and stay on it.

# `f` with arguments that have their value from `data`: its own, and variables that it reads, which follow the others. Their defaults are
# variables of an environment between `f` and its own, `data$y` for y, so that R and the compiler read `f` alike.
# list(f, data); `data`: an environment with what is known of them, NULL where there are none.
function_of_data <- function(f, data) {
  if (is.list(data) && length(data) == 0L) return(list(f = f, data = NULL))
  columns <- names(data)
  data <- checked_data(data, f)
  names <- names(data)
  if (length(names) == 0L) return(list(f = f, data = NULL))
  values <- new.env(parent = environment(f))
  defaults <- formals(f)
  for (name in names) {
    assign(data_name(name), data[[name]], values)
    formals(f)[[name]] <- as.symbol(data_name(name))
  }
  environment(f) <- values
  attr(f, "defaults") <- as.list(defaults)
  known <- new.env(parent = emptyenv())
  known$names <- names
  known$columns <- columns # with those that are left out
  known$values <- values
  list(f = f, data = known)
}

# Arguments, and variables of its body and of its defaults.
names_read_by <- function(f) c(names(formals(f)), unlist(lapply(c(list(body(f)), as.list(formals(f))), all.vars)))

data_name <- function(name) paste0("data$", name)

# A list of what `f` reads. Other columns of a data frame are left out, as functions of R with a formula do; a list is made for `f`.
checked_data <- function(data, f, called = "f") {
  if (!is.list(data)) argument_error("`data` must be a list or a data frame")
  names <- names(data)
  if (length(data) > 0L && (is.null(names) || anyNA(names) || !all(nzchar(names)))) argument_error("`data` must have names")
  if (anyDuplicated(names)) argument_error("`data` has `", names[duplicated(names)][1L], "` twice")
  unknown <- setdiff(names, names_read_by(f))
  if (length(unknown) > 0L) check_unread_data(f, unknown, data, called)
  as.list(data)[setdiff(names, unknown)]
}

# A call of a function with data, where an argument that is neither in them nor given is an error.
with_refusals <- function(at_one, f, expression, used) {
  known <- expression$data
  if (is.null(known) || expression$asks[["missing"]]) return(at_one)
  refuse <- function(name, call, frame) {
    refuse_by_place(f, known$names, without_dots(call, frame))
    argument_error(
      "`", name, "` is not given, and `data` has no `", name, "`, but ", in_ticks(known$columns),
      ". Arguments that are not in `data` are given in the call, by name where others stand before them"
    )
  }
  read <- unique(unlist(lapply(used, function(input) names_read(input$value %||% as.symbol(input$name))))) # of par$a it is par
  needed <- Filter(function(name) is_empty_argument(formals(f)[[name]]), intersect(read, names(formals(f))))
  absent <- lapply(needed, function(name) call("if", call_of_missing(name), as.call(list(refuse, name, as.call(list(sys.call)), as.call(list(parent.frame))))))
  if (length(absent) > 0L) as.call(c(quote(`{`), absent, at_one)) else at_one
}

# An argument that `data` has is replaced by its name alone: by place a parameter would take it unseen. `call`: of the function, or of `f` in
# another body, "..." written out as far as that can be.
refuse_by_place <- function(f, data, call, called = call[[1L]]) {
  if (length(data) == 0L) return(invisible())
  given <- call[-1L]
  by_place <- if (is.null(names(given))) rep(TRUE, length(given)) else !nzchar(names(given))
  if (!any(by_place)) return(invisible())
  marks <- lapply(which(by_place), function(k) call("by_place", k))
  marked <- replace(as.list(given), which(by_place), marks)
  takes <- as.function(c(formals(f), if (!"..." %in% names(formals(f))) alist(... = ), list(NULL))) # `device` and its like are none of `f`
  matched <- tryCatch(as.list(match.call(takes, as.call(c(quote(f), marked)), envir = emptyenv()))[-1L], error = function(e) NULL) # R tells of others
  of_place <- vapply(matched, function(value) any(vapply(marks, identical, NA, value)), NA)
  taken <- intersect(names(matched)[of_place], data)
  if (length(taken) == 0L) return(invisible())
  values <- vapply(given[by_place], function(value) {
    text <- if (is.language(value) || is.numeric(value)) deparse1(value, collapse = " ") else "..."
    if (nchar(text) > 30L) "..." else text
  }, "")
  open <- setdiff(names(formals(f)), c(data, names(matched)[!of_place], "..."))
  said <- if (is.symbol(called)) as.character(called) else "f"
  replacing <- paste0(said, "(", taken[1L], " = ...")
  instead <- if (length(open) >= length(values)) {
    others <- if (length(values) < length(given)) ", ..."
    paste0(said, "(", paste(open[seq_along(values)], "=", values, collapse = ", "), others, "), or ", replacing, ", ...) where other data are meant")
  } else {
    paste0(replacing, ")")
  }
  argument_error("`", taken[1L], "` is in `data`, and this call would replace it by an argument without a name: write ", instead)
}

# A call with what "..." in it stands for; `frame`: where it was made.
without_dots <- function(call, frame) {
  if (!any(vapply(as.list(call)[-1L], identical, NA, quote(...)))) return(call)
  while (!exists("...", envir = frame, inherits = FALSE) && !identical(frame, emptyenv())) frame <- parent.env(frame) # of a function around it
  if (identical(frame, emptyenv())) return(call)
  given <- eval(as.call(c(substitute, as.call(c(quote(list), as.list(call)[-1L])))), frame)
  as.call(c(call[[1L]], as.list(given)[-1L]))
}

data_of <- function(known) stats::setNames(lapply(known$names, function(name) known$values[[data_name(name)]]), known$names)

# What an input is of the data, as an expression for their environment: one of them, or an element of one that is a list. NULL: none.
# list(name, value).
data_source <- function(input, known) {
  if (is.null(known)) return(NULL)
  part <- input$value
  if (is.null(part)) return(if (input$name %in% known$names) list(name = input$name, value = as.symbol(data_name(input$name))))
  if (is_taken(input)) { # what R computes of data alone is computed once
    read <- unique(names_read(part))
    if (identical(part[[1L]], column_or_variable)) { # an element of a list in a list: a column, if the list has one of that name
      of <- names_read(part[[2L]])
      in_data <- stats::setNames(lapply(data_name(of), as.symbol), of)
      if (all(of %in% known$names) && part[[3L]] %in% names(eval(eval(call("substitute", part[[2L]], in_data)), known$values))) read <- of
    }
    if (length(read) == 0L || !all(read %in% known$names) || "with" %in% all.names(part)) return(NULL) # where a name may be a column
    # The names stay, as those of columns and of arguments of functions are: R says what they are.
    in_data <- as.call(c(list, stats::setNames(lapply(data_name(read), as.symbol), read)))
    return(list(name = read, value = as.call(list(eval, call("quote", part), in_data))))
  }
  if (is_call_of(part, "if") && is_call_of(part[[3L]], "[[")) part <- part[[3L]] # with(d, ...), of an element if there is one
  if (is.call(part[[2L]]) && identical(part[[2L]][[1L]], frame_of_rows)) {
    part[2L] <- part[[2L]][2L]
    check_frame(known$values[[data_name(as.character(part[[2L]]))]], as.character(part[[2L]]))
  }
  of <- if (is.symbol(part[[2L]])) as.character(part[[2L]]) else ""
  if (!of %in% known$names) return(NULL)
  ways <- c(quote(`[[`), quote(`$`), quote(with), element_of_whole_name)
  element <- if (any(vapply(ways, identical, NA, part[[1L]]))) as.character(part[[3L]]) # by $ a name that R completes is no such element
  if (length(element) != 1L || !element %in% names(known$values[[data_name(of)]])) return(NULL)
  list(name = of, value = call("[[", as.symbol(data_name(of)), element))
}

data_mark <- as.symbol("value in data") # stands for such an input among the values of a call

# The values of a call with those of the data, as they are on the call's device, and that device: list(values, device).
place_data <- function(expression, values, by, device, fallback, call) {
  known <- expression$data
  marked <- integer()
  residents <- if (is_resident(by)) list(by)
  for (k in seq_along(values)) {
    x <- values[[k]]
    if (identical(x, data_mark)) marked <- c(marked, k) else if (is_resident(x)) residents <- c(residents, list(x))
  }
  if (length(marked) == 0L) return(list(values = values, device = device))
  device <- if (length(residents) > 0L) device_of_residents(residents, call) else resolve_devices(device)
  placed <- placed_before(known, marked, device)
  if (is.null(placed)) placed <- tryCatch(placed_now(expression, marked, device), nmathopencl_error = function(e) {
    if (!fallback || identical(device, "host")) {
      e$call <- call
      stop(e)
    }
    warning(simpleWarning(paste0("the OpenCL device failed, repeated on the host device: ", conditionMessage(e)), call))
    device <<- "host"
    placed_now(expression, marked, device)
  })
  for (k in seq_along(marked)) values[marked[k]] <- placed[[k]]
  list(values = values, device = device, marked = marked, placed = placed)
}

# What was placed there before, each in a list of its own, if all of them were, in this session, and not by the process that this one was
# forked from.
placed_before <- function(known, marked, device) {
  if (!identical(known$session, expression_session) || known$process != Sys.getpid()) return(NULL)
  there <- known$placed[[known$keys[[paste(device, collapse = " ")]] %||% ""]][marked]
  for (one in there) if (is.null(one)) return(NULL)
  there
}

placed_now <- function(expression, marked, device) {
  known <- expression$data
  if (!identical(known$session, expression_session) || known$process != Sys.getpid()) {
    known$placed <- known$keys <- list()
    known$session <- expression_session
    known$process <- Sys.getpid()
  }
  # One device has several names; what numbers are on it, "gpu|single", is how the vectors are stored there.
  key <- paste(tryCatch(device_index_cpp(device), error = function(e) device), sub("^[^|]*", "", device), collapse = " ")
  known$keys[[paste(device, collapse = " ")]] <- key
  if (is.null(known$placed[[key]])) known$placed[[key]] <- vector("list", length(known$sources))
  for (k in marked[vapply(known$placed[[key]][marked], is.null, NA)]) {
    known$placed[[key]][[k]] <- list(placed_value(known$values, known$sources[[k]]$value, expression$inputs[[k]]$only_index, device))
  }
  known$placed[[key]][marked]
}

# Vectors and matrices of numbers go to the device, codes of a factor that are only an index too; all else stays R's.
placed_value <- function(values, source, only_index, device) {
  given <- without_plain_class(eval(source, values), values)
  codes <- if (is.factor(given) && only_index) as.integer(given) else given
  numbers <- typeof(codes) %in% c("double", "integer", "logical") && !is.object(codes)
  if (!numbers || length(codes) < 2L || !length(dim(codes)) %in% c(0L, 2L)) return(given)
  made <- resident_fields(opencl_vector(with_shape_alone(codes), device))
  origin <- list(value = source, env = values, has_shape = !is.null(attributes(codes)))
  new_resident(made$pointer, made$type, made$length, made$names, made$dim, made$dimnames, origin)
}

# The value in R of one that data were placed as; NULL of others. `given`: a factor as it was given, not its codes.
origin_of <- function(x, given = FALSE) {
  from <- resident_fields(x)$origin
  if (is.null(from)) return(NULL)
  value <- without_plain_class(eval(from$value, from$env), from$env)
  if (!given && is.factor(value)) as.integer(value) else value
}

# The inputs where the host device computes what another one failed to.
without_placed <- function(inputs) lapply(inputs, function(x) if (is_resident(x)) origin_of(x) %||% x else x)

describe_data <- function(known) {
  size_text <- function(x) {
    if (is.list(x)) return(paste0("[list of ", length(x), "]"))
    paste0("[", paste(format(dim(x) %||% length(x), big.mark = thousands_mark(), trim = TRUE), collapse = " x "), "]")
  }
  data <- data_of(known)
  cat("data: ", paste(names(data), vapply(data, size_text, ""), collapse = ", "), "\n", sep = "")
  current <- identical(known$session, expression_session) && identical(known$process, Sys.getpid())
  where <- list()
  for (placed in if (current) known$placed) for (k in seq_along(placed)) {
    x <- if (!is.null(placed[[k]])) placed[[k]][[1L]]
    if (is_resident(x)) where[[joined_names(resident_device(x))]] <- c(where[[joined_names(resident_device(x))]], known$sources[[k]]$name)
  }
  for (device in names(where)) cat("on ", device, ": ", paste(unique(where[[device]]), collapse = ", "), "\n", sep = "")
  if (length(where) == 0L) cat("vectors go to a device when a call there first needs them\n")
}

# ---- arguments and variables that are no numbers, of which the program holds for what they are: texts, NULL, missing arguments. A
# placeholder of one element stands for each among the inputs

# What a missing argument is among the values of a call: it has no class, which only vectors on a device have.
absent_argument <- structure(list(), absent = TRUE)

is_absent <- function(x) is.list(x) && length(x) == 0L && isTRUE(attr(x, "absent", exact = TRUE))

# list(inputs, key), where all that are no numbers are known so; `key`: NULL where others are.
known_inputs <- function(expression, inputs) {
  asks <- expression$asks
  reported <- character()
  for (k in seq_along(inputs)) {
    x <- inputs[[k]]
    known <- if (is_absent(x)) {
      list(kind = "missing")
    } else if (is.null(x) && asks[["null"]]) {
      list(kind = "null")
    } else if (is_known_text(x) && (asks[["texts"]] || asks[["null"]] || expression$inputs[[k]]$perhaps || expression$inputs[[k]]$only_index || is_taken(expression$inputs[[k]]))) {
      list(kind = "texts", texts = enc2utf8(x))
    }
    if (is.null(known)) next
    reported <- c(reported, paste0(k, known$kind, paste0(encodeString(known$texts, quote = "\""), collapse = ",")))
    inputs[[k]] <- structure(TRUE, known = known)
  }
  key <- expression_key_cpp(inputs)
  if (is.null(key)) {
    inputs <- plain_inputs(expression, inputs)
    key <- expression_key_cpp(inputs)
  }
  if (key != "" && length(reported) > 0L) key <- paste0("<", paste(reported, collapse = " "), ">", key)
  list(inputs = inputs, key = key)
}

input_known <- function(x) if (!is.object(x)) attr(x, "known", exact = TRUE)

# The values that arguments stand for, for R's own evaluation. `none`: which of them are NULL, of which R says other things than of vectors
# of no elements.
restored_inputs <- function(inputs, none = logical(length(inputs))) {
  lapply(seq_along(inputs), function(k) {
    x <- inputs[[k]]
    known <- input_known(x)
    if (none[k]) NULL else if (is.null(known)) x else switch(known$kind, texts = known$texts, missing = absent_argument)
  })
}

# What the body asks of this call by stopifnot(), and what it warns of by warning(). `call`: the user's.
check_conditions <- function(variant, inputs, call) {
  tree <- variant$tree
  if (length(tree$assertions) == 0L && length(tree$warnings) == 0L) return(invisible())
  guards <- unlist(lapply(c(tree$assertions, tree$warnings), function(one) lapply(one$guards, function(guard) guard$test)))
  nodes <- unique(c(unlist(lapply(tree$assertions, function(one) one$node)), guards))
  # Of tests that differ from round to round of a loop over data R knows none: some round may be TRUE, as if each were.
  nodes <- Filter(function(id) !is_of_rounds(tree, id, inputs), nodes)
  known <- if (length(nodes) > 0L) node_values_under(tree, nodes, lapply(inputs, in_r))
  check_assertions(tree, known, call)
  for (one in tree$warnings) {
    if (guards_of_values(known, one$guards, TRUE)) warning(simpleWarning(one$text, if (one$is_shown) one$call %||% call))
  }
}

# `known`: by node, what it has computed.
check_assertions <- function(tree, known, call) {
  for (one in tree$assertions) {
    value <- if (one$node <= length(known)) known[[one$node]]
    if (is.null(value)) limit_error("`", one$text, "` depends on what differs from round to round of a loop over data: ask in front of the loop, of all its elements")
    if (!guards_of_values(known, one$guards, TRUE) || (!anyNA(value) && all(value))) next
    text <- paste0(one$text, if (!one$is_message) if (one$whole || length(value) == 1L) " is not TRUE" else " are not all TRUE")
    if (one$limit) raise_core_error(list(message = paste0(text, see_limits)), call)
    stop(simpleError(text, written_call(one$call) %||% call))
  }
}

# Of a call that the language writes in its own words, .mapped2(x, y, f): the user's, mapply(f, x, y).
written_call <- function(call) {
  written <- attr(call, "written")
  if (is.null(written)) call else str2lang(written)
}

# What R says of the body itself, said of the user's call, and what it says of calls in it of those as the user has them.
said_of_user <- function(code, call, names = character()) {
  ours <- function(condition) identical(conditionCall(condition), quote(body_of())) || identical(conditionCall(condition)[[1L]], quote(body_of))
  tryCatch(
    withCallingHandlers(code, warning = function(w) {
      shown <- if (ours(w)) call else if (is.call(conditionCall(w))) as_written(conditionCall(w), names)
      if (is.null(shown) || identical(shown, conditionCall(w))) return()
      warning(simpleWarning(conditionMessage(w), shown))
      invokeRestart("muffleWarning")
    }),
    simpleError = function(e) {
      if (ours(e)) e$call <- call else if (is.call(e$call)) e$call <- as_written(e$call, names)
      stop(e)
    }
  )
}
