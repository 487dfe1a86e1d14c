# Elements of lists and data frames: each is an argument of the program by itself, under a name like `data$y`, whose value R takes at
# each call, by $, which completes names where R does, or by [[.

# list(body, parts, columns, tests): the body with such names in it, what each of them is, a call, the arguments in X[, "a"], and indices that may be
# logical. `outer`: of the
# outermost function, whose arguments are those of the call; those of others are no lists.
without_lists <- function(f, outer) {
  attr(f, "frames_by_rows") <- frames_by_rows(body(f))
  made <- lists_taken_apart(with_body(f, with_own_arguments(with_bound_names(body(f), f), f)), outer)
  made$body <- without_bound_names(made$body, f)
  made
}

# Names whose rows are read, d[test, ] and split(d, g): where they have elements, they are data frames.
frames_by_rows <- function(expr) {
  found <- character()
  left <- if (any(c("[", "split", "by") %in% all.names(expr))) list(expr)
  while (length(left) > 0L) {
    expr <- left[[length(left)]]
    left[[length(left)]] <- NULL
    if (!is.call(expr)) next
    is_rows <- (is_call_of(expr, "[") && length(expr) >= 4L) || (is_call_of(expr, c("split", "by")) && length(expr) >= 3L)
    if (is_rows && is.symbol(expr[[2L]])) found <- union(found, as.character(expr[[2L]]))
    for (part in given_parts(expr)) if (is.call(part)) left[[length(left) + 1L]] <- part
  }
  found
}

# d$y in what R evaluates, where d is to be a data frame.
with_frames_checked <- function(expr, names) {
  if (length(names) == 0L || !is.call(expr)) return(expr)
  if (is_call_of(expr, c("$", "[[")) && length(expr) == 3L && is.symbol(expr[[2L]]) && as.character(expr[[2L]]) %in% names) {
    expr[[2L]] <- as.call(list(frame_of_rows, expr[[2L]]))
    return(expr)
  }
  for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(with_frames_checked(expr[[k]], names))
  expr
}
frame_of_rows <- function(d) check_frame(d, deparse1(substitute(d)))
check_frame <- function(d, name) {
  if (!is.list(d) || is.data.frame(d)) return(d)
  argument_error("`", name, "` is a list and no data frame, whose rows are read: in R a list has none, \"incorrect number of dimensions\". Give as.data.frame(", name, ")")
}

lists_taken_apart <- function(f, outer) {
  by_rows <- attr(f, "frames_by_rows")
  written <- with_written_names(without_local_lists(f, outer))
  f <- with_body(f, written$body)
  framed <- without_frames(f, outer)
  framed$frames <- c(framed$frames, nested_lists_in(framed$body))
  f <- with_body(f, framed$body)
  taken <- without_taken(f, outer, names(framed$frames))
  expr <- without_list_aliases(taken$body)
  if (!any(c("$", "[[", "with", elements_asked) %in% all.names(expr))) return(list(body = expr, parts = parts_of_frames(taken$parts, framed$frames), columns = taken$columns, tests = taken$tests))
  parts <- taken$parts
  inner <- assigned_names(expr, "with")
  assigned_so_far <- character() # those of `inner` that may be assigned where the walk is
  in_gradient <- if (outer) lists_of_gradient(attr(f, "differentiated"))
  part <- function(name, value) {
    while (!is.null(parts[[name]]) && !identical(parts[[name]], value)) { # the name stands for another value
      if (sub("[$].*", "", name) %in% in_gradient) limit_error("`", name, "` is read by name and in with(), and has a gradient: read it in one of these ways")
      name <- paste0("(", name, ")")
    }
    parts[[name]] <<- value
    as.symbol(name)
  }
  bound <- character() # arguments of the functions around, which the body makes: what they are is theirs
  is_bound <- function(expr) is.symbol(expr) && as.character(expr) %in% bound
  is_list_name <- function(expr) is.symbol(expr) && !as.character(expr) %in% c(inner, bound, names(taken$parts), if (!outer) names(formals(f)))
  whole <- list() # elements that are read by $ and by [[
  element <- function(of, name, way) {
    shown <- paste0(of, "$", name)
    value <- if (of %in% in_gradient) {
      as.call(list(element_of_whole_name, as.symbol(of), name, way))
    } else if (way == "needed") {
      as.call(list(element_of_whole_name, as.symbol(of), name, way))
    } else if (of %in% by_rows) {
      with_frames_checked(call(way, as.symbol(of), if (way == "$") as.symbol(name) else name), by_rows)
    } else {
      call(way, as.symbol(of), if (way == "$") as.symbol(name) else name)
    }
    before <- whole[[shown]]
    if (!is.null(before) && !identical(before, value)) {
      needed <- way == "needed" || (length(before) == 4L && identical(before[[4L]], "needed"))
      value <- as.call(list(element_of_whole_name, as.symbol(of), name, if (needed) "needed" else "both"))
      if (identical(parts[[shown]], before)) parts[[shown]] <<- NULL
    }
    whole[[shown]] <<- value
    part(shown, value)
  }
  element_there <- function(of, name, has) {
    if (as.character(of) %in% in_gradient) return(element(as.character(of), name, "with"))
    part(paste0(of, "$", name), call("if", has, call("[[", of, name), 0))
  }
  # What a name is in with(): a variable that is assigned there, an element of the list, or what it is outside. `elsewhere`: of the lists of
  # with() inside this one, whether they have the name.
  in_scope <- function(name, scope, elsewhere = NULL) {
    if (is.null(scope)) { # R looks outside only where no list has the name
      asked <- !is.null(elsewhere) && !name %in% c(assigned_so_far, bound, names(formals(f)))
      return(if (asked) part(paste0("(", name, ")"), call("if", elsewhere, 0, as.symbol(name))) else as.symbol(name))
    }
    if (name %in% names(scope$own)) return(as.symbol(scope$own[[name]]))
    of <- scope$of
    if (is.null(of)) return(in_scope(name, scope$up, elsewhere)) # of a function
    vector <- is.call(of)
    own <- if (vector) written$named[[as.character(of[[2L]])]]
    if (!is.null(own)) return(if (name %in% own) call("as.vector", call("[", of[[2L]], name)) else in_scope(name, scope$up, elsewhere))
    list_name <- if (vector) of[[2L]] else of
    has <- call("%in%", name, call("names", list_name))
    taken <- function() {
      if (vector) return(call("as.vector", call("[", list_name, name)))
      element_there(of, name, has)
    }
    either <- !vector && as.character(of) %in% in_gradient && is_number_there(name, environment(f)) # what is no element has no slope: gradient_of()
    is_known <- name %in% c(assigned_so_far, bound, names(formals(f))) || !is.null(scope$up) || (vector && is_number_there(name, environment(f)))
    if (isTRUE(scope$bound) && (is_known || either)) {
      limit_error("`", name, "` in with(", deparse1(of), ", ...) is a variable, too, and `", deparse1(list_name), "` an argument of a function that is made here: write ", deparse1(list_name), "[\"", name, "\"]")
    }
    if (!is_known && !either) {
      if (vector) return(taken())
      if (is.null(elsewhere) && as.character(of) %in% in_gradient) return(element(as.character(of), name, "needed"))
      value <- call("with", of, as.symbol(name))
      return(part(paste0(of, "$", name), if (is.null(elsewhere)) value else call("if", elsewhere, 0, value)))
    }
    flag <- part(paste0(list_name, " has ", name), has)
    otherwise <- in_scope(name, scope$up, if (is.null(elsewhere)) has else call("||", elsewhere, has))
    structure(call("if", flag, taken(), otherwise), written = deparse1(as.symbol(name), backtick = TRUE), perhaps = TRUE)
  }
  own_variable <- function(name, scope) {
    while (!is.null(scope) && !name %in% names(scope$own)) scope <- scope$up
    as.symbol(if (is.null(scope)) name else scope$own[[name]])
  }
  # An element of the list `name`, which R would look for in the lists of with() around it first.
  of_list_outside <- function(name, scope, value, shown) {
    while (!is.null(scope)) {
      list_name <- if (is.call(scope$of)) scope$of[[2L]] else scope$of
      own <- if (is.call(scope$of)) written$named[[as.character(list_name)]]
      if (!is.null(list_name) && !identical(as.character(list_name), name) && (is.null(own) || name %in% own)) {
        refused <- paste0("`", shown, "` in with(): `", list_name, "` has an element `", name, "`, too, which R takes: give one of them another name")
        flag <- if (is.null(own)) part(paste0(list_name, " has ", name), call("%in%", name, call("names", list_name))) else TRUE
        value <- structure(call("if", flag, call(".refused", refused), value), written = shown, perhaps = TRUE)
      }
      scope <- scope$up
    }
    value
  }
  walk <- function(expr, scope = NULL) {
    if (is.symbol(expr) && grepl("[^[$]([$]|[[][[])", as.character(expr)) && as.character(expr) %in% inner) { # of a list that the function makes
      return(of_list_outside(sub("([$]|[[][[]).*", "", as.character(expr)), scope, own_variable(as.character(expr), scope), as.character(expr)))
    }
    if (is.symbol(expr)) return(if (nzchar(as.character(expr)) && !as.character(expr) %in% names(taken$parts)) in_scope(as.character(expr), scope) else expr)
    if (!is.call(expr)) return(expr)
    head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    if (head == "$" && is_list_name(expr[[2L]]) && (is.symbol(expr[[3L]]) || is.character(expr[[3L]]))) {
      return(of_list_outside(as.character(expr[[2L]]), scope, element(as.character(expr[[2L]]), as.character(expr[[3L]]), "$"), deparse1(expr)))
    }
    if (head == "[[" && length(expr) == 3L && is_list_name(expr[[2L]]) && is.character(expr[[3L]])) {
      return(of_list_outside(as.character(expr[[2L]]), scope, element(as.character(expr[[2L]]), expr[[3L]], "[["), deparse1(expr)))
    }
    if (head == ".outside") {
      name <- if (is.symbol(expr[[2L]])) as.character(expr[[2L]])
      is_there <- is.null(name) || grepl("[$]|^given ", name) || name %in% c(inner, bound, names(formals(f))) || is_number_there(name, environment(f))
      return(if (is_there) walk(expr[[2L]], scope) else call(".refused", paste0("object '", name, "' not found")))
    }
    if (head %in% elements_asked) {
      of <- expr[[2L]]
      name <- expr[[3L]]
      if (!is_list_name(of)) limit_error("`", of, "` is read by name, `", name, "`: such lists are arguments of the function itself, variables, and those that the function makes")
      has <- call("%in%", name, call("names", of))
      return(switch(head,
        .has = part(paste0(of, " has ", name), has), .with = element_there(of, name, has), .needed = element(as.character(of), name, "needed")
      ))
    }
    if (head == "with" && length(expr) == 3L && is.null(names(expr))) return(walk_with(expr, scope))
    if (head == "function") {
      own <- unique(c(names(expr[[2L]]), assigned_names(expr[[3L]])))
      around <- list(bound, assigned_so_far)
      bound <<- c(bound, names(expr[[2L]]))
      assigned_so_far <<- inner # it may be called at the end
      expr[3L] <- list(walk(expr[[3L]], if (!is.null(scope)) list(own = stats::setNames(as.list(own), own), up = scope)))
      bound <<- around[[1L]]
      assigned_so_far <<- around[[2L]]
      return(expr)
    }
    if (is.null(scope) && !head %in% c("{", "(", "if", "<-", "=")) assigned_so_far <<- union(assigned_so_far, assigned_names(expr, "with")) # a loop's round before, an argument
    if (head %in% c("<-", "=", "for") && length(expr) >= 3L) {
      if (!is.null(scope) && is.call(expr[[3L]]) && identical(expr[[3L]][[1L]], quote(`function`))) limit_error("`", deparse1(expr), "`: a function is made outside of with()")
      expr[2L] <- list(walk_target(expr[[2L]], scope))
    }
    from <- if (head %in% c("<-", "=", "for")) 3L else 2L
    name_at <- if (is.null(scope)) 0L else function_place(expr, f)
    ways <- list()
    for (k in seq_along(expr)) if (k >= from && k != name_at && !is_empty_argument(expr[[k]])) {
      if (head == "if" && k > 2L) ways[[k]] <- assigned_so_far
      if (head == "if" && k == 4L) assigned_so_far <<- ways[[3L]]
      expr[k] <- list(walk(expr[[k]], scope))
    }
    if (length(ways)) assigned_so_far <<- unique(c(assigned_so_far, unlist(ways)))
    if (is.null(scope) && head %in% c("<-", "=") && length(expr) >= 3L) assigned_so_far <<- union(assigned_so_far, all.vars(expr[[2L]]))
    expr
  }
  # Of x <- and x[i] <-: which variable that is, and the elements of lists in its index.
  walk_target <- function(target, scope) {
    if (is.symbol(target)) return(if (is.null(scope)) target else in_scope(as.character(target), scope))
    if (!is.call(target)) return(target)
    target[2L] <- list(walk_target(target[[2L]], scope))
    for (k in seq_along(target)) if (k > 2L && !is_empty_argument(target[[k]])) target[k] <- list(walk(target[[k]], scope))
    target
  }
  used <- c(all.names(expr), names(formals(f)))
  walk_with <- function(expr, scope) {
    data <- expr[[2L]]
    of_vector <- is.call(data) && identical(data[[1L]], quote(as.list)) && length(data) == 2L &&
      (is_list_name(data[[2L]]) || is_bound(data[[2L]]) || (is.symbol(data[[2L]]) && as.character(data[[2L]]) %in% names(written$named)))
    shown <- paste0("`", shown_line(expr), "`: ")
    if (!is_list_name(data) && !of_vector) {
      limit_error(shown, "with() is for a list that is an argument or a variable, or for as.list() of such a vector. For two of them write with(data, with(as.list(par), ...))")
    }
    block <- expr[[3L]]
    if ("return" %in% all.names(block)) limit_error(shown, "return() in with() leaves with() only: write the value")
    assigned <- unique(assigned_names(block, "with"))
    first <- read_first(block, assigned)
    inside <- all.names(block)
    own <- lapply(stats::setNames(nm = assigned), function(name) {
      if (!name %in% first && sum(used == name) == sum(inside == name)) return(name)
      free <- setdiff(paste0(name, ".", seq_along(used)), used)[1L] # it is another one outside
      used <<- c(used, free)
      free
    })
    at_first <- lapply(first, function(name) call("<-", as.symbol(own[[name]]), in_scope(name, list(of = data, up = scope))))
    made <- walk(block, list(of = data, own = own, up = scope, bound = of_vector && is_bound(data[[2L]])))
    if (length(at_first) == 0L) made else as.call(c(quote(`{`), at_first, list(made)))
  }
  expr <- walk(expr)
  whole <- intersect(names(framed$frames), all.vars(expr))
  if (length(whole) > 0L) {
    before <- sub("[.][0-9]+$", "", whole[1L]) # with_own_frames() gave it a number
    limit_error(
      "`", if (before %in% names(formals(f))) before else whole[1L], "` is a part of data that R makes: an expression reads its columns, e$y, ",
      "e[[\"y\"]], with(e, ...), nrow(e). A loop over its rows goes over the rows of an argument: leave others out before the call"
    )
  }
  list(body = expr, parts = parts_of_frames(parts, framed$frames), columns = taken$columns, tests = taken$tests)
}

# A body in which names that may be elements of a list are what they are outside of it: which they are the call says.
as_no_elements <- function(expr) {
  if (!is.call(expr) || !any(grepl(" has ", all.names(expr, unique = TRUE), fixed = TRUE))) return(expr)
  if (isTRUE(attr(expr, "perhaps"))) return(as_no_elements(expr[[4L]]))
  for (k in seq_along(expr)) if (is.call(expr[[k]])) expr[[k]] <- as_no_elements(expr[[k]])
  expr
}

# Which of `names` an expression may read before it assigns them.
read_first <- function(expr, names) {
  first <- character()
  # Gives those that are assigned behind the expression, whatever it does; `done`: before it.
  walk <- function(expr, done) {
    if (is.symbol(expr)) {
      first <<- union(first, setdiff(intersect(as.character(expr), names), done))
      return(done)
    }
    if (!is.call(expr)) return(done)
    head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    all_of <- function(parts, done) {
      for (part in given_parts(parts)) done <- walk(part, done)
      done
    }
    parts <- as.list(expr)[-1L]
    if (head %in% c("<-", "=")) {
      done <- walk(parts[[2L]], done)
      return(if (is.symbol(parts[[1L]])) union(done, as.character(parts[[1L]])) else all_of(as.list(parts[[1L]])[-1L], done))
    }
    if (head == "for") {
      done <- union(walk(parts[[2L]], done), as.character(parts[[1L]]))
      walk(parts[[3L]], done)
      return(done)
    }
    if (head == "function") {
      walk(expr[[3L]], c(done, names(expr[[2L]])))
      return(done)
    }
    if (head == "with" && length(parts) == 2L) { # what is assigned there is its own
      first <<- union(first, setdiff(read_first(parts[[2L]], names), done))
      return(walk(parts[[1L]], done))
    }
    if (head %in% c("{", "(")) return(all_of(parts, done))
    behind <- if (length(parts) > 0L && head != "repeat") all_of(parts[1L], done) else done
    ways <- lapply(Filter(function(part) !is_empty_argument(part), if (head == "repeat") parts else parts[-1L]), function(part) {
      after <- all_of(list(part), behind)
      if (leaves_body(part)) names else after
    })
    if (head == "if" && length(parts) == 3L) Reduce(intersect, ways) else behind
  }
  walk(expr, character())
  first
}

# Of each p <- as.list(par) the vector, by name, where `p` and `par` stand for nothing else.
aliases_of_vectors <- function(expr) {
  if (!is.call(expr) || !identical(expr[[1L]], quote(`{`)) || !"as.list" %in% all.names(expr)) return(NULL)
  assigned <- assigned_names(expr)
  inner <- arguments_within(expr)
  is_alias <- function(part) {
    is.call(part) && as.character(part[[1L]])[1L] %in% c("<-", "=") && is.symbol(part[[2L]]) && is.call(part[[3L]]) && identical(part[[3L]][[1L]], quote(as.list)) &&
      length(part[[3L]]) == 2L && is.symbol(part[[3L]][[2L]]) && sum(assigned == as.character(part[[2L]])) == 1L && !as.character(part[[3L]][[2L]]) %in% assigned &&
      !any(c(as.character(part[[2L]]), as.character(part[[3L]][[2L]])) %in% inner)
  }
  made <- Filter(is_alias, as.list(expr)[-1L])
  stats::setNames(lapply(made, function(part) part[[3L]][[2L]]), vapply(made, function(part) as.character(part[[2L]]), ""))
}

# p <- as.list(par), then p$a: as.vector(par["a"]).
without_list_aliases <- function(expr) {
  aliases <- aliases_of_vectors(expr)
  for (name in names(aliases)) {
    vector <- aliases[[name]]
    alias <- call("<-", as.symbol(name), call("as.list", vector))
    walk <- function(part) {
      if (!is.call(part)) return(part)
      element <- as.character(part[[1L]])[1L] %in% c("$", "[[") && length(part) == 3L && identical(part[[2L]], alias[[2L]])
      if (element && (part[[1L]] == "$" || is.character(part[[3L]]))) return(call("as.vector", call("[", vector, as.character(part[[3L]]))))
      if (identical(part[[1L]], quote(with)) && length(part) == 3L && identical(part[[2L]], alias[[2L]])) part[[2L]] <- alias[[3L]]
      for (k in seq_along(part)) if (!is_empty_argument(part[[k]])) part[k] <- list(walk(part[[k]]))
      part
    }
    changed <- walk(as.call(Filter(function(part) !is_call_of(part, c("<-", "=")) || !identical(part[[2L]], alias[[2L]]), as.list(expr))))
    if (!as.character(alias[[2L]]) %in% all.names(changed)) expr <- changed # else the list itself is used
  }
  expr
}

# The lists whose elements a gradient is in: `par` of "par" and "par$m".
lists_of_gradient <- function(gradient) sub("[$].*", "", gradient)

elements_asked <- c(".has", ".with", ".needed", ".outside") # of with(d, ...) in functions that take lists

# An element that is to be no other one's by a name that R completes: of a list of the gradient, of which each element has its own slope, and
# of one that the body reads both ways, of which [[ completes no name. NULL: there is none, as in R, where it is not `needed` by with().
element_of_whole_name <- function(of, name, way) {
  if (way == "needed" && !name %in% names(of)) argument_error("object '", name, "' not found: `", deparse1(substitute(of)), "` has no such element")
  if (way == "with" && !name %in% names(of)) return(0) # which is not read
  found <- if (way %in% c("[[", "needed", "with")) of[[name]] else eval(call("$", of, as.symbol(name)))
  if (is.null(found) || way %in% c("[[", "needed", "with") || !is.list(of) || name %in% names(of)) return(found)
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
    return(of %in% gradient || shown %in% gradient || (head == "$" && any(startsWith(as.character(gradient), shown))))
  }
  any(vapply(as.list(expr)[-1L], function(part) !is_empty_argument(part) && reads_differentiated(part, gradient), NA))
}
