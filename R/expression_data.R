# Data of an opencl_function: values of its arguments and variables that are given once, go to a device when a call there first needs them
# and stay on it.

# `f` with arguments that have their value from `data`: its own, and variables that it reads, which follow the others. Their defaults are
# variables of an environment between `f` and its own, `data$y` for y, so that R and the compiler read `f` alike.
# list(f, data); `data`: an environment with what is known of them, NULL where there are none.
function_of_data <- function(f, data) {
  columns <- names(data)
  data <- checked_data(data, f)
  names <- names(data)
  if (length(names) == 0L) return(list(f = f, data = NULL))
  values <- new.env(parent = environment(f))
  for (name in names) {
    assign(data_name(name), data[[name]], values)
    formals(f)[[name]] <- as.symbol(data_name(name))
  }
  environment(f) <- values
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
  if (length(unknown) > 0L && !is.data.frame(data)) {
    argument_error(
      "`", unknown[1L], "` in `data` is not an argument of `", called, "`, which has ", in_ticks(names(formals(f))),
      ", and no variable that it reads", did_you_mean(unknown[1L], names_read_by(f))
    )
  }
  as.list(data)[setdiff(names, unknown)]
}

# A call of a function with data, where an argument that is neither in them nor given is an error.
with_refusals <- function(at_one, f, expression, used) {
  known <- expression$data
  if (is.null(known) || expression$asks[["missing"]]) return(at_one)
  refuse <- function(name) {
    argument_error(
      "`", name, "` is not given, and `data` has no `", name, "`, but ", in_ticks(known$columns),
      ". Arguments that are not in `data` are given in the call, by name where others stand before them"
    )
  }
  needed <- Filter(function(name) identical(formals(f)[[name]], quote(expr = )), vapply(used, function(input) input$name, ""))
  absent <- lapply(needed, function(name) call("if", as.call(list(missing, as.symbol(name))), as.call(list(refuse, name))))
  if (length(absent) > 0L) as.call(c(quote(`{`), absent, at_one)) else at_one
}

data_of <- function(known) stats::setNames(lapply(known$names, function(name) known$values[[data_name(name)]]), known$names)

# What an input is of the data, as an expression for their environment: one of them, or an element of one that is a list. NULL: none.
# list(name, value).
data_source <- function(input, known) {
  if (is.null(known)) return(NULL)
  part <- input$value
  if (is.null(part)) return(if (input$name %in% known$names) list(name = input$name, value = as.symbol(data_name(input$name))))
  if (is_taken(input)) { # what R computes of data alone is computed once
    read <- all.vars(part)
    if (length(read) == 0L || !all(read %in% known$names)) return(NULL)
    in_data <- stats::setNames(lapply(data_name(read), as.symbol), read)
    return(list(name = read, value = eval(call("substitute", part, in_data))))
  }
  of <- if (is.symbol(part[[2L]])) as.character(part[[2L]]) else ""
  if (!of %in% known$names) return(NULL)
  ways <- c(quote(`[[`), quote(`$`), quote(with))
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
  key <- paste(tryCatch(device_index_cpp(device), error = function(e) device), collapse = " ") # one device has several names
  known$keys[[paste(device, collapse = " ")]] <- key
  if (is.null(known$placed[[key]])) known$placed[[key]] <- vector("list", length(known$sources))
  for (k in marked[vapply(known$placed[[key]][marked], is.null, NA)]) {
    known$placed[[key]][[k]] <- list(placed_value(known$values, known$sources[[k]]$value, expression$inputs[[k]]$only_index, device))
  }
  known$placed[[key]][marked]
}

# Vectors and matrices of numbers go to the device, codes of a factor that are only an index too; all else stays R's.
placed_value <- function(values, source, only_index, device) {
  given <- eval(source, values)
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
  value <- eval(from$value, from$env)
  if (!given && is.factor(value)) as.integer(value) else value
}

# The inputs where the host device computes what another one failed to.
without_placed <- function(inputs) lapply(inputs, function(x) if (is_resident(x)) origin_of(x) %||% x else x)

describe_data <- function(known) {
  size_text <- function(x) {
    if (is.list(x)) return(paste0("[list of ", length(x), "]"))
    paste0("[", paste(format(dim(x) %||% length(x), big.mark = ",", trim = TRUE), collapse = " x "), "]")
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

# ---- elements of lists and data frames: each is an argument of the program by itself, under a name like `data$y`, whose value R takes at
# each call, by $, which completes names where R does, or by [[

# list(body, parts): the body with such names in it, and what each of them is, a call. `outer`: of the outermost function, whose arguments
# are those of the call; those of others are no lists.
without_lists <- function(f, outer) {
  taken <- without_taken(f, outer)
  expr <- without_list_aliases(taken$body)
  if (!any(c("$", "[[", "with") %in% all.names(expr))) return(list(body = expr, parts = taken$parts))
  parts <- taken$parts
  part <- function(name, value) {
    parts[[name]] <<- value
    as.symbol(name)
  }
  inner <- assigned_names(expr)
  hidden <- c(inner, if (!outer) names(formals(f)))
  in_gradient <- if (outer) lists_of_gradient(attr(f, "differentiated"))
  is_list_name <- function(expr) is.symbol(expr) && !as.character(expr) %in% hidden
  element <- function(of, name, way) {
    value <- if (of %in% in_gradient) {
      as.call(list(element_of_whole_name, as.symbol(of), name, way))
    } else {
      call(way, as.symbol(of), if (way == "$") as.symbol(name) else name)
    }
    shown <- paste0(of, "$", name)
    before <- parts[[shown]]
    if (!is.null(before) && !identical(before, value)) value <- as.call(list(element_of_whole_name, as.symbol(of), name, "both"))
    part(shown, value)
  }
  # `name` in with(of, ...): the list's, if it has one of that name, else what it is without the list.
  in_with <- function(of, name) {
    if (is.call(of)) {
      taken <- call("as.vector", call("[", of[[2L]], name))
      if (!name %in% c(inner, names(formals(f))) && !is_number_there(name, environment(f))) return(taken)
      flag <- part(paste0(of[[2L]], " has ", name), call("%in%", name, call("names", of[[2L]])))
      return(call("if", flag, taken, as.symbol(name)))
    }
    either <- as.character(of) %in% in_gradient && is_number_there(name, environment(f)) # what is no element has no slope: gradient_of()
    if (!either && !name %in% c(inner, names(formals(f)))) return(part(paste0(of, "$", name), call("with", of, as.symbol(name))))
    flag <- part(paste0(of, " has ", name), call("%in%", name, call("names", of)))
    value <- part(paste0(of, "$", name), call("if", call("%in%", name, call("names", of)), call("[[", of, name), 0))
    call("if", flag, value, as.symbol(name))
  }
  walk <- function(expr, of = NULL) {
    if (is.symbol(expr)) {
      name <- as.character(expr)
      return(if (is.null(of) || !nzchar(name)) expr else in_with(of, name))
    }
    if (!is.call(expr)) return(expr)
    head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    if (head == "$" && is_list_name(expr[[2L]]) && (is.symbol(expr[[3L]]) || is.character(expr[[3L]]))) {
      return(element(as.character(expr[[2L]]), as.character(expr[[3L]]), "$"))
    }
    if (head == "[[" && length(expr) == 3L && is_list_name(expr[[2L]]) && is.character(expr[[3L]])) {
      return(element(as.character(expr[[2L]]), expr[[3L]], "[["))
    }
    if (head == "with" && length(expr) == 3L && is.null(names(expr))) return(walk_with(expr, of))
    if (head == "function") {
      if (!is.null(of)) limit_error("`", deparse1(expr), "`: a function is made outside of with()")
      expr[[3L]] <- walk(expr[[3L]])
      return(expr)
    }
    from <- if (head %in% c("<-", "=")) 3L else 2L
    for (k in seq_along(expr)) if (k >= from && !identical(expr[[k]], quote(expr = ))) expr[k] <- list(walk(expr[[k]], of))
    expr
  }
  walk_with <- function(expr, of) {
    data <- expr[[2L]]
    of_vector <- is.call(data) && identical(data[[1L]], quote(as.list)) && length(data) == 2L && is_list_name(data[[2L]])
    shown <- paste0("`", deparse(expr, width.cutoff = 80L)[1L], "`: ")
    if (!is.null(of)) limit_error(shown, "with() in with() is not supported: name the elements, data$y")
    if (!is_list_name(data) && !of_vector) limit_error(shown, "with() is for a list that is an argument or a variable, or for as.list() of such a vector")
    inside <- assigned_names(expr[[3L]])
    names <- all.names(expr[[3L]], functions = TRUE)
    if ("return" %in% names) limit_error(shown, "return() in with() leaves with() only: write the value")
    if (length(inside) > 0L) limit_error(shown, "with() keeps what is assigned in it: assign outside of it, ", inside[1L], " <- with(...)")
    walk(expr[[3L]], data)
  }
  list(body = walk(expr), parts = parts)
}

# Names of the arguments of functions that an expression makes.
formals_within <- function(expr) {
  if (!is.call(expr)) return(NULL)
  own <- if (identical(expr[[1L]], quote(`function`))) names(expr[[2L]])
  parts <- as.list(expr)
  c(own, unlist(lapply(parts, function(part) if (!identical(part, quote(expr = ))) formals_within(part))))
}

# p <- as.list(par), then p$a: as.vector(par["a"]). Where `p` and `par` stand for nothing else.
without_list_aliases <- function(expr) {
  if (!is.call(expr) || !identical(expr[[1L]], quote(`{`)) || !"as.list" %in% all.names(expr)) return(expr)
  assigned <- assigned_names(expr)
  inner <- formals_within(expr)
  is_alias <- function(part) {
    is.call(part) && as.character(part[[1L]])[1L] %in% c("<-", "=") && is.symbol(part[[2L]]) && is.call(part[[3L]]) && identical(part[[3L]][[1L]], quote(as.list)) &&
      length(part[[3L]]) == 2L && is.symbol(part[[3L]][[2L]]) && sum(assigned == as.character(part[[2L]])) == 1L && !as.character(part[[3L]][[2L]]) %in% assigned &&
      !any(c(as.character(part[[2L]]), as.character(part[[3L]][[2L]])) %in% inner)
  }
  for (alias in Filter(is_alias, as.list(expr)[-1L])) {
    vector <- alias[[3L]][[2L]]
    walk <- function(part) {
      if (!is.call(part)) return(part)
      element <- as.character(part[[1L]])[1L] %in% c("$", "[[") && length(part) == 3L && identical(part[[2L]], alias[[2L]])
      if (element && (part[[1L]] == "$" || is.character(part[[3L]]))) return(call("as.vector", call("[", vector, as.character(part[[3L]]))))
      if (identical(part[[1L]], quote(with)) && length(part) == 3L && identical(part[[2L]], alias[[2L]])) part[[2L]] <- alias[[3L]]
      for (k in seq_along(part)) if (!identical(part[[k]], quote(expr = ))) part[k] <- list(walk(part[[k]]))
      part
    }
    changed <- walk(as.call(Filter(function(part) !identical(part, alias), as.list(expr))))
    if (!as.character(alias[[2L]]) %in% all.names(changed)) expr <- changed # else the list itself is used
  }
  expr
}

# The lists whose elements a gradient is in: `par` of "par" and "par$m".
lists_of_gradient <- function(gradient) sub("[$].*", "", gradient)

# An element that is to be no other one's by a name that R completes: of a list of the gradient, of which each element has its own slope, and
# of one that the body reads both ways, of which [[ completes no name. NULL: there is none, as in R.
element_of_whole_name <- function(of, name, way) {
  found <- if (way == "[[") of[[name]] else eval(call("$", of, as.symbol(name)))
  if (is.null(found) || way == "[[" || !is.list(of) || name %in% names(of)) return(found)
  whole <- names(of)[startsWith(names(of), name)]
  if (length(whole) != 1L) return(found)
  of <- deparse1(substitute(of))
  argument_error("`", of, "$", name, "` is `", of, "$", whole, "` by a part of its name: write the whole name, as the function reads it by this name too, or has a gradient in it")
}

# Whether an expression reads what a gradient is in; `gradient`: names as "b" and "par$m". A name in it may be completed to one of those.
reads_differentiated <- function(expr, gradient) {
  if (is.symbol(expr)) return(as.character(expr) %in% c(gradient, lists_of_gradient(gradient)))
  if (!is.call(expr)) return(FALSE)
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  is_name <- function(part) is.character(part) || (head == "$" && is.symbol(part))
  if (head %in% c("$", "[[") && length(expr) == 3L && is.symbol(expr[[2L]]) && is_name(expr[[3L]])) {
    of <- as.character(expr[[2L]])
    shown <- paste0(of, "$", as.character(expr[[3L]]))
    return(of %in% gradient || shown %in% gradient || (head == "$" && any(startsWith(gradient, shown))))
  }
  any(vapply(as.list(expr)[-1L], function(part) !identical(part, quote(expr = )) && reads_differentiated(part, gradient), NA))
}

# ---- arguments and variables that are no numbers, of which the program holds for what they are: texts, NULL, missing arguments. A
# placeholder of one element stands for each among the inputs

# What a missing argument is among the values of a call: it has no class, which only vectors on a device have.
absent_argument <- structure(list(), absent = TRUE)

is_absent <- function(x) is.list(x) && length(x) == 0L && isTRUE(attr(x, "absent", exact = TRUE))

# list(inputs, key), where all that are no numbers are known so; `key`: NULL where others are.
known_inputs <- function(expression, inputs) {
  asks <- expression$asks
  told <- character()
  for (k in seq_along(inputs)) {
    x <- inputs[[k]]
    known <- if (is_absent(x)) {
      list(kind = "missing")
    } else if (is.null(x) && asks[["null"]]) {
      list(kind = "null")
    } else if (is.character(x) && is.null(attributes(x)) && !anyNA(x) && length(x) %in% 1:100 && (asks[["texts"]] || asks[["null"]])) {
      list(kind = "texts", texts = enc2utf8(x))
    }
    if (is.null(known)) next
    told <- c(told, paste0(k, known$kind, paste0(encodeString(known$texts, quote = "\""), collapse = ",")))
    inputs[[k]] <- structure(TRUE, known = known)
  }
  key <- expression_key_cpp(inputs)
  if (is.null(key)) {
    inputs <- plain_inputs(expression, inputs)
    key <- expression_key_cpp(inputs)
  }
  if (key != "" && length(told) > 0L) key <- paste0("<", paste(told, collapse = " "), ">", key)
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
check_told <- function(variant, inputs, call) {
  tree <- variant$tree
  if (length(tree$assertions) == 0L && length(tree$told) == 0L) return(invisible())
  guards <- unlist(lapply(c(tree$assertions, tree$told), function(one) lapply(one$guards, function(guard) guard$test)))
  nodes <- unique(c(unlist(lapply(tree$assertions, function(one) one$node)), guards))
  known <- if (length(nodes) > 0L) node_values_under(tree, nodes, lapply(inputs, in_r))
  for (one in tree$assertions) {
    value <- known[[one$node]]
    if (!guards_of_values(known, one$guards) || (!anyNA(value) && all(value))) next
    text <- paste0(one$text, if (!one$is_message) if (one$whole || length(value) == 1L) " is not TRUE" else " are not all TRUE")
    stop(simpleError(text, one$call %||% call))
  }
  for (one in tree$told) {
    if (guards_of_values(known, one$guards)) warning(simpleWarning(one$text, if (one$is_shown) one$call %||% call))
  }
}

# What R says of the body itself, said of the user's call, and what it says of calls in it of those as the user has them.
said_of_user <- function(code, call, names = character()) {
  ours <- function(condition) identical(conditionCall(condition), quote(body_of())) || identical(conditionCall(condition)[[1L]], quote(body_of))
  tryCatch(
    withCallingHandlers(code, warning = function(w) {
      shown <- if (ours(w)) call else if (length(names) > 0L && is.call(conditionCall(w))) as_written(conditionCall(w), names)
      if (is.null(shown) || identical(shown, conditionCall(w))) return()
      warning(simpleWarning(conditionMessage(w), shown))
      invokeRestart("muffleWarning")
    }),
    simpleError = function(e) {
      if (ours(e)) e$call <- call else if (length(names) > 0L && is.call(e$call)) e$call <- as_written(e$call, names)
      stop(e)
    }
  )
}
