# What objectives share: which number of a vector is which, and what the value at a point was computed from.

# The numbers of `start` as one vector: list(group, the parameter that each is of; labels; places; split; order). `besides`: what of the
# function's parameters is no part of it, for errors; `labels`: their names, where `start` was a list with lists in it.
numbers_of_start <- function(start, besides = "", labels = names(unlist(start))) {
  group <- factor(rep(names(start), lengths(start)), levels = names(start))
  written <- names(unlist(start)) # par$a1
  elements <- sub("^[^$]*[$]", "", written) # `a1` of it
  short <- unlist(Map(function(value, name) names(value) %||% rep(name, length(value)), start, names(start)), use.names = FALSE)
  # Where each number is in a vector, or in a matrix's columns, with these names: those of `start` say which is which.
  places <- function(names, what) {
    if (is.null(names) || identical(names, labels)) return(seq_along(group))
    for (known in list(labels, written, short, elements)) if (!anyDuplicated(known) && setequal(names, known)) return(match(known, names))
    bare <- length(start) == 1L && is.null(names(start[[1L]])) && length(start[[1L]]) > 1L # a vector, whose numbers have no names but those that R makes
    if (!any(small_letters(names) %in% small_letters(c(labels, written, short, elements))) && (bare || count_places(names))) return(seq_along(group))
    unknown <- setdiff(names, c(labels, written, short, elements, ""))
    near <- vapply(unknown, function(name) paste0(did_you_mean(name, labels), ""), "")
    unknown <- unknown[order(!nzchar(near))]
    argument_error(
      "the names of `", what, "` are not those of `start`, ", in_ticks(labels), ": give all of them or none, ",
      "unname(", what, ") by place",
      if (length(unknown) > 0L) paste0(". `", unknown[1L], "` is none of them", did_you_mean(unknown[1L], labels))
    )
  }
  as_vector <- function(par) {
    if (is.list(par)) par <- vector_of_list(par, start, labels)
    if (!typeof(par) %in% c("double", "integer", "logical")) refuse_estimates(par)
    if (length(par) == length(group)) return(par)
    argument_error("`par` has ", counted(length(par), "number"), ", and `start` has ", length(group), besides)
  }
  list(
    group = group, labels = labels, places = places,
    split = function(par) {
      par <- as_vector(par)
      parts <- unname(split(unname(par)[places(names(par), "par")], group))
      stats::setNames(Map(shaped_as, parts, start), names(start))
    },
    # Which number of `start` each number of `par` is: the order of slopes for an optimizer, which knows them by place.
    order = function(par) order(places(names(as_vector(par)), "par"))
  )
}

# The numbers of a list that is like `start`, or of what an optimizer returned.
vector_of_list <- function(par, start, labels) {
  fitted <- estimates_of_fit(par, arguments_of_start(start))
  if (!is.null(fitted)) return(fitted)
  parts <- start_without_lists(as.list(par))
  if (anyDuplicated(names(parts)) || !setequal(names(parts), names(start))) { # as elements of one list: their names decide
    numbers <- unlist(par)
    return(if (is.numeric(numbers)) numbers else refuse_estimates(par))
  }
  numbers <- lapply(stats::setNames(nm = names(start)), function(name) {
    value <- parts[[name]]
    like <- start[[name]]
    if (!typeof(value) %in% c("double", "integer", "logical")) refuse_estimates(par)
    sides <- dim(value)
    if (length(value) != length(like) || (length(sides) == 2L && all(sides > 1L) && !identical(sides, dim(like)))) {
      argument_error("`", name, "` is ", text_of_size(value), " in `par`, and ", text_of_size(like), " in `start`")
    }
    given <- names(value)
    if (is.null(given) || is.null(names(like)) || identical(given, names(like))) return(as.vector(value))
    if (!setequal(given, names(like)) || anyDuplicated(given)) argument_error("`", name, "` has the names ", in_ticks(given), " in `par`, and ", in_ticks(names(like)), " in `start`")
    as.vector(value[names(like)])
  })
  stats::setNames(unlist(numbers, use.names = FALSE), labels)
}

text_of_size <- function(x) if (is.null(dim(x))) counted(length(x), "number") else paste(paste(dim(x), collapse = " x "), "numbers")

# What an optimizer found; NULL of another list, as one with the names of parameters.
estimates_of_fit <- function(fit, parameters) {
  if (setequal(names(fit), parameters)) return(NULL)
  if (setequal(names(fit), c("minimum", "objective"))) return(fit$minimum) # of optimize()
  if (setequal(names(fit), c("maximum", "objective"))) return(fit$maximum)
  named <- Filter(function(name) is.numeric(fit[[name]]), intersect(c("par", "estimate", "solution"), names(fit)))
  if (length(named) > 0L) fit[[named[1L]]]
}

refuse_estimates <- function(par) {
  argument_error(
    "`par` must be numbers, and is of ", if (is.object(par)) "class " else "type ", if (is.object(par)) class(par)[1L] else typeof(par),
    ": a vector, a list like `start`, or what optim(), nlminb() or nlm() returned. Of another fit give its estimates, as coef(fit)"
  )
}

# What a call has besides parameters and data. Levels of `by` without elements have no part in a sum.
further_of_objective <- function(further, expression) {
  by <- further$by
  if (is.null(by)) return(further)
  if (is.null(expression$reduce)) {
    argument_error(
      "`by` is for an `ll` that is made with `reduce`: the objective is then the sum of its values for each level. Return the terms, and let ",
      "`reduce` add them up, opencl_function(f, reduce = \"sum\", gradient = ...)"
    )
  }
  if (is.character(by)) {
    argument_error(
      "`by` must be a factor or integer codes, an element for each row: write by = ",
      if (length(by) == 1L) paste0("factor(data$", by, ")") else "factor(by)"
    )
  }
  if (is.factor(by)) further$by <- as.integer(droplevels(by))
  if (is.numeric(by) && !is.object(by) && all(by == trunc(by) & by > 0, na.rm = TRUE)) further$by <- match(by, sort(unique(by)))
  further
}

# The sum over levels of a function's value and gradient.
sum_of_levels <- function(value) {
  gradient <- attr(value, "gradient")
  made <- sum(value)
  if (!is.null(gradient)) attr(made, "gradient") <- colSums(gradient)
  made
}

# Names that say places and nothing else, as samplers and data frames give them: "par 1", "par 2", or V1, V2, or none.
count_places <- function(names) {
  if (anyNA(names)) return(FALSE)
  numbers <- sub("^[^0-9]*([0-9]+)[^0-9]*$", "\\1", names)
  all(!nzchar(names)) || (length(unique(sub("[0-9]+", "", names))) == 1L && identical(numbers, as.character(seq_along(names))))
}

counted <- function(n, what, ending = "s") paste0(n, " ", what, if (n != "1") ending)

# `compute(par)`, remembered at the last point as long as `reads(par)`, what it is computed from besides, is the same. What draws random
# numbers is another one each time. Asked `as_value`, it warns each time, as the function itself would.
remembered <- function(reads, compute) {
  last <- NULL
  function(par, as_value = TRUE) {
    read <- reads(par)
    if (!is.null(last) && is_same(last$par, par) && is_same(last$read, read)) {
      if (as_value) for (w in last$reported) warning(w)
      return(last$value)
    }
    last <<- NULL
    seed <- random_state()
    reported <- list()
    value <- withCallingHandlers(compute(par), warning = function(w) if (!inherits(w, "nmathopencl_once")) reported[[length(reported) + 1L]] <<- w)
    if (identical(seed, random_state())) last <<- list(par = par, read = read, value = value, reported = reported)
    value
  }
}

# Of a point the first time alone.
warn_once <- function(text) warning(structure(class = c("nmathopencl_once", "simpleWarning", "warning", "condition"), list(message = text, call = user_call())))

is_same <- function(x, y) identical(x, y, num.eq = FALSE) # 0 and -0 are two numbers

random_state <- function() get0(".Random.seed", envir = globalenv(), inherits = FALSE)

# What a value of `ll` depends on besides its parameters and data, as it is now: a function of the named arguments of a call. Variables,
# functions that are called, defaults, the device that "auto" is, what numbers are on it, and how programs are compiled.
reads_of <- function(ll, given) {
  expression <- attr(ll, "expression")
  defaults <- defaults_of(expression, given)
  function(arguments) {
    look_up_called(expression)
    list(
      lapply(expression$outer, outer_value), lapply(expression$called, function(one) one$value), if (!is.null(defaults)) defaults(arguments),
      device_setting(), arithmetic_setting(), getOption("nmathopencl.compiler"), getOption("nmathopencl.optimize")
    )
  }
}

# The values of arguments that the function uses, that are not given and have an expression as their default: R evaluates it at each call.
# NULL where there are none.
defaults_of <- function(expression, given) {
  known <- formals(expression$f)
  is_open <- function(name) is.language(known[[name]]) && !is_empty_argument(known[[name]])
  used <- unlist(lapply(Filter(function(input) input$formal, expression$inputs), function(input) names_read(input$value %||% as.symbol(input$name))))
  open <- Filter(is_open, setdiff(intersect(names(known), used), c(given, expression$data$names)))
  if (length(open) == 0L) return(NULL)
  reader <- as.function(c(known, as.call(c(list, lapply(open, as.symbol)))), envir = environment(expression$f))
  function(arguments) { # where one fails, the call tells; its value is no other's
    tryCatch(suppressWarnings(do.call(reader, arguments[names(arguments) %in% names(known)], quote = TRUE)), error = function(e) new.env())
  }
}
