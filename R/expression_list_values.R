# Lists that functions of one's own give, th <- unpack(par), unpack(par)$mu and with(unpack(par), ...): each of their elements is what a function
# of its own gives, whose name is `unpack$mu`.

# A body in which such lists, and those that are read where they are made, list(m = a)$m, are variables: tmp <- list(m = `unpack$m`(par)), tmp$m.
with_list_values <- function(expr, env, formals = character()) {
  if (!is.call(expr)) return(expr)
  if (!may_make_lists(expr, env)) return(expr)
  expr <- with_elements_of_vectors(expr)
  local <- local_list_functions(expr, env)
  scope <- list(env = env, local = local, hidden = functions_assigned(expr), body = expr, bound = c(formals, assigned_names(expr), inner_names(expr)))
  used <- all.names(expr)
  free_name <- function() {
    name <- setdiff(paste0("list", seq_len(length(used) + 1L)), used)[1L]
    used <<- c(used, name)
    as.symbol(name)
  }
  in_variable <- function(list, use) {
    name <- free_name()
    structure(call("{", call("<-", name, list), walk(use(name))), written = attr(use(name), "written"))
  }
  list_in_variable <- function(expr, k) in_variable(parts_walked(list_written(expr[[k]], scope)), function(name) structure(`[[<-`(expr, k, name), written = shown_code(expr)))
  parts_walked <- function(expr, from = 1L) {
    for (k in seq_along(expr)) if (k >= from && !is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    if (head == "quote") return(expr)
    if (head == "function") {
      expr[3L] <- list(walk(expr[[3L]]))
      return(expr)
    }
    if (head %in% c("<-", "=") && length(expr) == 3L && is.symbol(expr[[2L]])) {
      name <- as.character(expr[[2L]])
      if (!is.null(local[[name]])) return(as.call(c(quote(`{`), lapply(list_keys_of_function(local[[name]], scope), function(key) {
        call("<-", as.symbol(element_name(name, key)), walk(code_of_function(element_of_function(local[[name]], key, scope))))
      }))))
      grown <- list_grown(expr)
      if (!is.null(grown)) return(parts_walked(grown))
      list <- list_written(expr[[3L]], scope)
      if (!is.null(list)) expr[[3L]] <- list
      return(parts_walked(expr, 3L))
    }
    if (head %in% c("$", "[[", "with") && length(expr) == 3L && is.null(names(expr)) && is.call(expr[[2L]])) {
      at <- 2L # unpack(par)$a$b is of the list unpack(par)
      while (is_call_of(expr[[at]], c("$", "[["))) at <- c(at, 2L)
      list <- list_written(expr[[at]], scope)
      if (!is.null(list)) return(in_variable(parts_walked(list), function(name) structure(`[[<-`(expr, at, name), written = shown_code(expr))))
    }
    if (head == "Reduce" || (head == "unlist" && length(expr) == 2L)) {
      made <- joined_items(expr, scope)
      if (!is.null(made)) return(structure(walk(made), written = shown_code(expr)))
    }
    if (nzchar(head) && is.null(local[[head]]) && !head %in% c("list", not_helpers)) { # prior(list(mu = a))
      lists <- which(vapply(as.list(expr), function(part) is.call(part) && !is.null(list_written(part, scope)), NA))
      if (length(lists) > 0L && !is.null(function_of_scope(head, scope))) return(list_in_variable(expr, lists[1L]))
    }
    if (head == "do.call") {
      named <- call_by_names(expr, scope)
      if (!is.null(named)) return(structure(named, written = shown_code(expr)))
    }
    if (head == "do.call" && length(expr) == 3L && is.null(names(expr)) && is.call(expr[[3L]]) && !is_call_of(expr[[3L]], "list")) {
      list <- list_written(expr[[3L]], scope)
      if (!is.null(list) && (is.symbol(expr[[2L]]) || is.character(expr[[2L]]))) return(walk(replace(expr, 3L, list(list))))
    }
    parts_walked(expr)
  }
  walk(expr)
}

# Whether an expression may have such lists: list_written() is NULL of all that others have.
may_make_lists <- function(expr, env) {
  names <- all.names(expr, unique = TRUE)
  is_list_there <- function(name) nzchar(name) && (is.list(get0(data_name(name), env, inherits = FALSE)) || is.list(get0(name, env)))
  any(c("list", "as.list", "relist", "modifyList") %in% names) || length(functions_assigned(expr)) > 0L || any(vapply(names, is_helper_there, NA, env)) ||
    ("c" %in% names && any(vapply(names, is_list_there, NA)))
}

# do.call(h, as.list(par)) as h(m = par["m"], s = par["s"]), where the names of `par` are those of all of the function's arguments; NULL of other calls.
call_by_names <- function(expr, scope) {
  if (length(expr) != 3L || !is.null(names(expr)) || !is_call_of(expr[[3L]], "as.list") || length(expr[[3L]]) != 2L || !is.symbol(expr[[c(3L, 2L)]])) return(NULL)
  name <- if (is.symbol(expr[[2L]]) || is.character(expr[[2L]])) as.character(expr[[2L]])
  f <- if (length(name) == 1L) function_of_scope(name, scope)
  takes <- if (!is.null(f)) names(formals(f))
  vector <- expr[[c(3L, 2L)]]
  if (!length(takes) %in% 1:64 || "..." %in% takes || any(asks_of_call %in% all.names(body(f)))) return(NULL)
  made <- as.call(c(as.symbol(name), lapply(stats::setNames(nm = takes), function(one) of_vector("[[", vector, one))))
  refused <- paste0("`", shown_line(expr), "`: the names of `", vector, "` are to be those of the arguments of ", name, "(), ", in_ticks(takes))
  for (one in takes) made <- call("if", call("%in%", one, call("names", vector)), made, call(".refused", refused))
  call("if", call("==", call("length", vector), as.numeric(length(takes))), made, call(".refused", refused))
}

# as.list(par)[[k]], and p[[k]] where p <- as.list(par), as par[[k]]: a list of numbers has as many elements as the vector.
with_elements_of_vectors <- function(expr) {
  if (!"as.list" %in% all.names(expr)) return(expr)
  aliases <- aliases_of_vectors(expr)
  vector_of <- function(part) {
    if (is_call_of(part, "as.list") && length(part) == 2L && is.symbol(part[[2L]])) return(part[[2L]])
    if (is.symbol(part) && nzchar(as.character(part))) aliases[[as.character(part)]]
  }
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    of <- if (is_call_of(expr, c("[[", "$")) && length(expr) == 3L) vector_of(expr[[2L]])
    if (!is.null(of)) {
      by_name <- identical(expr[[1L]], quote(`$`)) || is.character(expr[[3L]])
      if (by_name && is.call(expr[[2L]])) return(structure(call("as.vector", call("[", of, as.character(expr[[3L]]))), written = deparse1(expr)))
      if (!by_name) return(structure(call("[[", of, walk(expr[[3L]])), written = deparse1(expr)))
    }
    if (is_call_of(expr, "length") && length(expr) == 2L && !is.null(vector_of(expr[[2L]]))) expr[[2L]] <- vector_of(expr[[2L]])
    for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  walk(expr)
}

# The user's code of a call that is written in another way, as an attribute of that.
shown_code <- function(expr) paste(deparse(expr, 500L), collapse = "\n")

# Reduce(f, list(a, b), init) as f(f(init, a), b), and unlist(list(a, b)) as c(a, b).
joined_items <- function(expr, scope) {
  given <- tryCatch(match.call(if (identical(expr[[1L]], quote(Reduce))) function(f, x, init) NULL else function(x) NULL, expr), error = function(e) NULL)
  list <- list_written(given$x, scope)
  if (is.null(list)) return(NULL)
  if (identical(expr[[1L]], quote(unlist))) return(as.call(c(quote(c), as.list(list)[-1L])))
  folded(given$f, c(if (!is.null(given$init)) list(given$init), unname(as.list(list)[-1L])))
}
folded <- function(f, items) {
  if (!(is.symbol(f) || is.character(f)) || length(items) == 0L) return(NULL)
  binds <- as.character(f) %in% c("cbind", "rbind") # a vector is called `init` then, R's name for what there is so far
  Reduce(function(a, b) as.call(c(as.symbol(as.character(f)), if (binds) list(init = a) else list(a), list(b))), unname(items))
}

element_name <- function(of, key) paste0(of, if (!startsWith(key, "[[")) "$", key)

# th <- c(th, list(a = x)), and modifyList(th, list(a = x)), as th$a <- x; NULL of other statements.
list_grown <- function(expr) {
  value <- expr[[3L]]
  changes <- is_call_of(value, "modifyList") && length(value) == 3L && is.null(names(value))
  if (changes && is_call_of(value[[3L]], "list")) { # one by one, where none of them reads another
    own <- as.list(value[[3L]])[-1L]
    if (any(vapply(own, function(one) is.null(one) || is_call_of(one, "list"), NA)) || (length(own) > 1L && as.character(expr[[2L]]) %in% all.vars(value[[3L]]))) return(NULL)
  }
  if (!(is_call_of(value, "c") || changes) || length(value) != 3L || !identical(value[[2L]], expr[[2L]]) || !is_call_of(value[[3L]], "list")) return(NULL)
  added <- value[[3L]]
  keys <- keys_of_list(added)
  if (length(keys) == 0L || any(startsWith(keys, "[["))) return(NULL)
  as.call(c(quote(`{`), lapply(seq_along(keys), function(k) structure(call("<-", call("$", expr[[2L]], as.symbol(keys[k])), added[[k + 1L]]), appends = !changes))))
}

# Of a call list(...) the names of its elements, "[[2]]" of those without; NULL where it is none that is taken apart.
keys_of_list <- function(expr) {
  values <- as.list(expr)[-1L]
  if (any(vapply(values, function(value) is_empty_argument(value) || identical(value, quote(...)), NA))) return(NULL)
  names <- names(values) %||% rep("", length(values))
  names[!nzchar(names)] <- paste0("[[", seq_along(values), "]]")[!nzchar(names)]
  if (anyDuplicated(names)) NULL else names
}

# The call list(...) that an expression's value is; NULL of others.
list_written <- function(expr, scope, depth = 8L) {
  if (!is.call(expr) || !is.symbol(expr[[1L]]) || depth == 0L) return(NULL)
  head <- as.character(expr[[1L]])
  again <- function(part) list_written(part, scope, depth - 1L)
  if (head == "list") {
    if (is.null(keys_of_list(expr))) return(NULL)
    for (k in seq_along(expr)[-1L]) expr[k] <- list(again(expr[[k]]) %||% expr[[k]]) # lists in lists
    return(expr)
  }
  if (head == "(" && length(expr) == 2L) return(again(expr[[2L]]))
  if (head == "c" && length(expr) > 1L) {
    if (!is.null(names(expr))) return(NULL)
    lists <- lapply(as.list(expr)[-1L], function(part) { # th of c(th, list(k = 1)), too
      elements <- elements_of_list(part, scope, again)
      if (!is.null(elements)) as.call(c(quote(list), elements))
    })
    if (any(vapply(lists, is.null, NA))) return(NULL)
    joined <- as.call(c(quote(list), unlist(lapply(lists, function(list) as.list(list)[-1L]), recursive = FALSE)))
    return(if (!is.null(keys_of_list(joined))) joined)
  }
  if (draws_numbers(expr, scope$env)) return(NULL)
  if (head == "if" && length(expr) == 4L) return(list_of_ways(expr, again(expr[[3L]]), again(expr[[4L]])))
  if (head == "relist") return(list_of_skeleton(expr, scope))
  if (head == "modifyList") return(list_modified(expr, scope, again))
  f <- function_of_scope(head, scope)
  keys <- if (!is.null(f)) list_keys_of_function(f, scope, depth - 1L)
  if (is.null(keys) || length(assigned_names(expr)) > 0L) return(NULL)
  elements <- lapply(keys, function(key) {
    element <- replace(expr, 1L, list(as.symbol(element_name(head, key))))
    again(element) %||% element
  })
  as.call(c(quote(list), stats::setNames(elements, ifelse(startsWith(keys, "[["), "", keys))))
}

# if (test) list(a = x) else list(a = y) as list(a = if (test) x else y).
list_of_ways <- function(expr, one, other) {
  if (is.null(one) || is.null(other) || length(assigned_names(expr)) > 0L) return(NULL)
  if (!identical(keys_of_list(one), keys_of_list(other))) return(NULL)
  for (k in seq_along(one)[-1L]) one[[k]] <- call("if", expr[[2L]], one[[k]], other[[k]])
  one
}

# relist(par, list(m = 0, b = c(0, 0))): parts of the vector, of which relist() makes lists by the lengths of the skeleton's numbers.
list_of_skeleton <- function(expr, scope) {
  given <- tryCatch(match.call(function(flesh, skeleton) NULL, expr), error = function(e) NULL)
  skeleton <- given$skeleton
  if (!is.symbol(given$flesh) || !identical(get0("relist", scope$env, mode = "function") %||% utils::relist, utils::relist)) return(NULL)
  if (is.symbol(skeleton)) return(list_of_known_skeleton(given$flesh, as.character(skeleton), scope$env, scope$bound))
  if (!is_call_of(skeleton, "list")) return(NULL)
  keys <- keys_of_list(skeleton)
  is_number <- function(value) is.numeric(value) || is.logical(value)
  sizes <- vapply(as.list(skeleton)[-1L], function(value) {
    if (is_number(value)) return(1)
    numbers <- if (is_call_of(value, "c") && is.null(names(value))) all(vapply(as.list(value)[-1L], is_number, NA))
    if (isTRUE(numbers)) length(value) - 1 else if (is_call_of(value, "numeric") && length(value) == 2L && is.numeric(value[[2L]])) value[[2L]] else NA_real_
  }, 0)
  if (length(keys) == 0L || anyNA(sizes) || any(sizes < 1)) return(NULL)
  last <- cumsum(sizes)
  long_enough <- as.call(list(quote(stopifnot), call(">=", call("length", given$flesh), sum(sizes))))
  names(long_enough) <- c("", paste0("`", given$flesh, "` is shorter than the skeleton of relist()"))
  parts <- Map(function(first, end) call("as.vector", call("[", given$flesh, if (first == end) end else call(":", first, end))), last - sizes + 1, last)
  parts[[1L]] <- call("{", long_enough, parts[[1L]])
  as.call(c(quote(list), stats::setNames(parts, ifelse(startsWith(keys, "[["), "", keys))))
}

# ---- functions whose value is a list

# The user's own function of that name, of the body itself or of its environment.
function_of_scope <- function(name, scope) {
  if (!is.null(scope$local[[name]])) return(scope$local[[name]])
  if (name %in% scope$hidden) return(NULL)
  found <- get0(name, scope$env, mode = "function")
  if (is_helper(found, scope$env)) found else if (is.null(found)) function_of_element(name, scope$env)
}

# Those that the body makes, f <- function(p) list(m = p[1]), and only calls: by name.
local_list_functions <- function(expr, env) {
  made <- functions_assigned(expr)
  assigned <- assigned_names(expr)
  made <- Filter(function(name) sum(assigned == name) == 1L && name_is_called_only(expr, name), unique(made))
  found <- list()
  look <- function(part) {
    if (!is.call(part)) return()
    if (is_call_of(part, c("<-", "=")) && length(part) == 3L && is.symbol(part[[2L]]) && is_call_of(part[[3L]], "function") && as.character(part[[2L]]) %in% made) {
      f <- as.function(c(as.list(part[[c(3L, 2L)]]), list(part[[c(3L, 3L)]])), env)
      if (!is.null(list_keys_of_function(f, list(env = env, local = found, hidden = made)))) found[[as.character(part[[2L]])]] <<- f
    }
    for (one in given_parts(part)) look(one)
  }
  if (length(made) > 0L) look(expr)
  found
}

name_is_called_only <- function(expr, name) {
  if (identical(expr, as.symbol(name))) return(FALSE)
  if (!is.call(expr)) return(TRUE)
  first <- if (is.symbol(expr[[1L]])) 2L else 1L
  if (is_call_of(expr, c("<-", "=")) && is.symbol(expr[[2L]])) first <- 3L
  if (is_call_of(expr, "function")) return(name_is_called_only(expr[[3L]], name))
  all(vapply(as.list(expr)[seq_along(expr) >= first], function(part) is_empty_argument(part) || name_is_called_only(part, name), NA))
}

code_of_function <- function(f) made_function(as.list(formals(f)), body(f))

# What a function may end with: its last value, those of return().
ends_of <- function(expr) {
  returned <- list()
  look <- function(expr, is_end) {
    if (!is.call(expr)) {
      if (is_end) returned[[length(returned) + 1L]] <<- expr
      return()
    }
    head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
    if (head == "function") return(if (is_end) returned[[length(returned) + 1L]] <<- expr)
    if (head %in% c("return", "invisible") && length(expr) == 2L && (is_end || head == "return")) return(look(expr[[2L]], TRUE))
    last <- length(expr)
    for (k in seq_along(expr)[-1L]) {
      if (!is_empty_argument(expr[[k]])) look(expr[[k]], is_end && ((head %in% c("{", "(") && k == last) || (head == "if" && k > 2L && last == 4L)))
    }
    if (is_end && (!head %in% c("{", "(", "if", "stop") || (head == "if" && last < 4L) || last == 1L)) returned[[length(returned) + 1L]] <<- expr
  }
  look(expr, TRUE)
  returned
}

# Names of the elements, the same at each end; NULL of functions whose value is no such list.
list_keys_of_function <- function(f, scope, depth = 8L) {
  if (depth == 0L || !is.call(body(f))) return(NULL)
  expr <- body(f)
  inner <- list(env = environment(f), local = scope$local, hidden = c(scope$hidden, functions_assigned(expr)), body = expr, bound = c(names(formals(f)), assigned_names(expr)))
  if (draws_numbers(expr, environment(f))) return(NULL)
  keys <- lapply(ends_of(expr), function(end) {
    if (is.symbol(end)) keys_of_variable(expr, as.character(end), names(formals(f)), inner, depth) else {
      list <- list_written(end, inner, depth)
      if (!is.null(list)) keys_of_list(list)
    }
  })
  if (length(keys) == 0L || length(keys[[1L]]) == 0L || !all(vapply(keys, identical, NA, keys[[1L]]))) NULL else keys[[1L]]
}

keys_of_variable <- function(expr, name, formals, scope, depth) {
  if (name %in% c(formals, inner_names(expr))) return(NULL)
  keys <- NULL
  look <- function(expr) {
    if (!is.call(expr)) return()
    if (is_call_of(expr, c("<-", "=")) && length(expr) == 3L) {
      if (is.symbol(expr[[2L]]) && as.character(expr[[2L]]) == name) {
        grown <- list_grown(expr)
        if (!is.null(grown)) return(look(grown))
        list <- list_written(expr[[3L]], scope, depth - 1L)
        keys <<- union(keys, if (!is.null(list)) keys_of_list(list))
      } else if (!is.null(element_of_local(expr[[2L]], name))) {
        keys <<- union(keys, element_of_local(expr[[2L]], name))
      }
    }
    for (part in given_parts(expr)) look(part)
  }
  look(expr)
  keys
}

# The function of one element alone. Of the others nothing is lost: whoever takes the list has all of them.
element_of_function <- function(f, key, scope) {
  inner <- list(env = environment(f), local = scope$local, hidden = c(scope$hidden, functions_assigned(body(f))), body = body(f), bound = c(names(formals(f)), assigned_names(body(f))))
  at_end <- function(expr) {
    if (is.symbol(expr)) return(if (startsWith(key, "[[")) str2lang(paste0("`", expr, "`", key)) else call("$", expr, as.symbol(key)))
    head <- as.character(expr[[1L]])[1L]
    if (head == "stop") return(expr)
    if (head %in% c("return", "invisible")) return(if (head == "return") call("return", at_end(expr[[2L]])) else at_end(expr[[2L]]))
    if (head %in% c("{", "(")) {
      last <- length(expr)
      for (k in seq_len(last - 1L)[-1L]) if (is.call(expr[[k]])) expr[[k]] <- before_end(expr[[k]])
      expr[[last]] <- at_end(expr[[last]])
      return(expr)
    }
    list <- list_written(expr, inner)
    if (is.null(list) && head == "if") {
      for (k in 3:4) expr[[k]] <- at_end(expr[[k]])
      return(expr)
    }
    list[[match(key, keys_of_list(list)) + 1L]]
  }
  before_end <- function(expr) {
    if (!is.call(expr) || is_call_of(expr, "function")) return(expr)
    if (is_call_of(expr, "return")) return(at_end(expr))
    for (k in seq_along(expr)[-1L]) if (is.call(expr[[k]])) expr[[k]] <- before_end(expr[[k]])
    expr
  }
  body(f) <- at_end(body(f))
  attributes(f) <- NULL
  f
}

# The function that `unpack$mu` is, as seen from `env`; NULL of names that are none.
function_of_element <- function(name, env) {
  if (!is.null(call_of_name(name))) return(function_of_lists(name, env))
  if (regexpr("[$]|[[][[]", name) < 1L) return(NULL)
  at <- max(gregexpr("[$]|[[][[]", name)[[1L]]) # the last one: `unpack$a$b` is of `unpack$a`
  if (at < 2L) return(NULL)
  of <- substr(name, 1L, at - 1L)
  key <- sub("^[$]", "", substring(name, at))
  found <- get0(of, env, mode = "function")
  if (is.null(found)) found <- function_of_element(of, env) else if (!is_helper(found, env)) return(NULL)
  scope <- list(env = env, local = list(), hidden = character())
  if (!is.null(found) && key %in% list_keys_of_function(found, scope)) element_of_function(found, key, scope)
}

# Whether an expression draws random numbers, itself or by functions of one's own: elements of a list that are computed one by one would have others.
draws_numbers <- function(expr, env, depth = 8L) {
  names <- all.names(expr, unique = TRUE)
  if (any(drawing_functions() %in% names)) return(TRUE)
  if (depth == 0L) return(FALSE)
  any(vapply(names, function(name) {
    found <- if (nzchar(name)) get0(name, env, mode = "function")
    is_helper(found, env) && draws_numbers(body(found), environment(found), depth - 1L)
  }, NA))
}
