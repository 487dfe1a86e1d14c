# Lists that a function gives to functions of one's own, prior(p): such a call is one of a function that takes the list's elements, and whose name
# says which. `prior(p = c("mu", "sd"))` takes all elements of a list that the body makes, `prior(p = TRUE)` those that prior() reads by name of a list
# that is given, and of as.list(par).

# ---- which function a name says

# prior(p = c("mu", "sd")) of such a name, as a call; NULL of other names.
call_of_name <- function(name) {
  if (!endsWith(name, ")")) return(NULL)
  of <- tryCatch(str2lang(name), error = function(e) NULL)
  if (is.call(of) && is.symbol(of[[1L]]) && length(of) > 1L && length(names(of)) > 0L && all(nzchar(names(of)[-1L]))) of
}

# The name of the function that the user has, of prior(p = TRUE) and of `unpack$mu`.
written_function <- function(name) {
  of <- call_of_name(name)
  if (!is.null(of)) return(written_function(as.character(of[[1L]])))
  sub("([$]|[[][[]).*", "", name)
}

# The function of that name, as seen from `env`; NULL where there is none.
function_of_lists <- function(name, env) {
  of <- call_of_name(name)
  f <- if (!is.null(of)) helper_named(as.character(of[[1L]]), env)
  if (is.null(f)) return(NULL)
  takes <- lapply(as.list(of)[-1L], eval, baseenv())
  read <- names(takes)[vapply(takes, isTRUE, NA)]
  if (length(read) > 0L) return(reading_elements(f, read)$f)
  for (formal in names(takes)) f <- taking_elements(f, formal, takes[[formal]])
  f
}

# A function of one's own, also of one element of a list, or one that takes elements.
helper_named <- function(name, env) {
  found <- get0(name, env, mode = "function")
  if (is.null(found)) function_of_element(name, env) else if (is_helper(found, env)) found
}

is_helper_there <- function(name, env) nzchar(name) && !is.null(helper_named(name, env))

given_name <- function(formal, keys) if (length(keys) > 0L) paste("given", paste0(formal, ifelse(startsWith(keys, "[["), "", "$"), keys)) else character()

with_formals <- function(f, given, expr) {
  made <- as.function(c(given, list(expr)), environment(f))
  environment(made) <- environment(f)
  made
}

# The formals with others in the place of one.
with_formals_for <- function(given, formal, names) {
  at <- match(formal, names(given))
  c(given[seq_len(at - 1L)], stats::setNames(rep(alist(a = ), length(names)), names), given[seq_along(given) > at])
}

# ---- lists that the body makes

# The function that makes the list of its elements first.
taking_elements <- function(f, formal, keys) {
  names <- given_name(formal, keys)
  nested <- startsWith(formal, "given ") # an element that is a list, which the function puts into another one
  values <- stats::setNames(lapply(names, as.symbol), ifelse(startsWith(keys, "[["), "", keys))
  if (!any(nzchar(names(values)))) names(values) <- NULL
  expr <- body(f)
  rest <- if (is_call_of(expr, "{")) as.list(expr)[-1L] else list(expr)
  made <- as.call(c(quote(list), values))
  takes <- lapply(formals(f), function(default) if (is_empty_argument(default)) default else default_of_elements(default, formal, keys))
  takes <- with_formals_for(takes, formal, names)
  if (nested) return(with_formals(f, takes, substituted(expr, formal, made)))
  with_formals(f, takes, as.call(c(quote(`{`), call("<-", as.symbol(formal), made), rest)))
}
# list(f, formals, given) of a call that gives the list `name` to a function of one's own: which arguments take it. `hidden`: names that are
# functions of the body or arguments. NULL: another call, or one that is refused as it stands.
takers_of_list <- function(expr, name, env, hidden) {
  if (!is.call(expr) || is.null(env) || !any(vapply(as.list(expr)[-1L], identical, NA, as.symbol(name)))) return(NULL)
  matched <- matched_helper(expr, env, hidden)
  f <- matched$f
  given <- matched$given
  formals <- names(given)[vapply(given, identical, NA, as.symbol(name))]
  if (length(formals) == 0L || any(asks_of_call %in% all.names(body(f)))) return(NULL)
  for (one in setdiff(names(formals(f)), formals)) for (formal in formals) if (formal %in% all.vars(default_of(formals(f), one))) {
    if (formal %in% targets_in(body(f)) || !reads_by_name_only(default_of(formals(f), one), formal)) return(NULL)
  }
  list(f = f, formals = formals, given = given)
}

# A default s = p$sd, with the element instead.
default_of_elements <- function(default, formal, keys) {
  if (!is.call(default)) return(default)
  key <- element_of_local(default, formal)
  if (!is.null(key)) {
    key <- key_of_element(default, key, list(keys = keys, grows = FALSE))
    return(if (!is.null(key)) as.symbol(given_name(formal, key)))
  }
  for (k in seq_along(default)[-1L]) if (!is_empty_argument(default[[k]])) default[k] <- list(default_of_elements(default[[k]], formal, keys))
  default
}

reads_by_name_only <- function(expr, formal) {
  if (!is.null(element_of_local(expr, formal))) return(TRUE)
  if (!is.call(expr)) return(!identical(expr, as.symbol(formal)))
  all(vapply(as.list(expr), function(part) is_empty_argument(part) || reads_by_name_only(part, formal), NA))
}

# Names that an expression assigns, also by p$k <- value.
targets_in <- function(expr) {
  if (!is.call(expr)) return(character())
  own <- if (is_call_of(expr, c("<-", "=")) && length(expr) == 3L) all.vars(expr[[2L]])
  for (part in given_parts(expr)) own <- c(own, targets_in(part))
  own
}
# list(f, given) of a call of a function that the user wrote, its arguments under the names of the function's; NULL of other calls. `hidden`: names
# that stand for other functions there.
matched_helper <- function(expr, env, hidden = character()) {
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  f <- if (!head %in% c("", hidden, not_helpers)) helper_named(head, env)
  given <- if (!is.null(f) && !"..." %in% names(formals(f))) tryCatch(as.list(match.call(f, expr))[-1L], error = function(e) NULL)
  if (!is.null(given)) list(f = f, given = given)
}
asks_of_call <- c("missing", "match.call", "sys.call", "substitute", "nargs", "environment")
not_helpers <- c("{", "(", "<-", "=", "[", "[[", "$", "if", "for", "while", "repeat", "function", "return", "list", "c", "with", "unlist", "do.call", "Reduce", "length", "names")

# The call with the elements instead, `variable` of each.
with_elements_given <- function(expr, takers, keys, variable, walk) {
  values <- lapply(keys, variable)
  arguments <- list()
  for (k in seq_along(takers$given)) {
    formal <- names(takers$given)[k]
    arguments <- c(arguments, if (formal %in% takers$formals) {
      stats::setNames(values, given_name(formal, keys))
    } else {
      stats::setNames(list(walk(takers$given[[k]])), formal)
    })
  }
  of <- as.call(c(expr[[1L]], stats::setNames(rep(list(as.call(c(quote(c), as.list(keys)))), length(takers$formals)), takers$formals)))
  structure(as.call(c(as.symbol(deparse1(of)), arguments)), written = shown_code(expr))
}

# ---- lists that are given

# list(f, items) of a function that reads elements of the arguments `read` by name: what it takes instead, each list(of, kind, key), in the order
# of its formals. NULL: it reads them in another way, too.
reading_elements <- function(f, read, depth = 8L) {
  if (depth == 0L || "..." %in% names(formals(f)) || any(read %in% targets_in(body(f)))) return(NULL)
  if ("list" %in% all.names(body(f))) f <- with_body(f, lists_apart(body(f), names(formals(f)), environment(f)))
  nested <- with_nested_lists(body(f), f, TRUE, read)
  of_formal <- stats::setNames(nm = read)
  chains <- names(nested_lists_in(nested))
  chains <- Filter(function(name) !name %in% all.names(body(f)), chains)
  for (name in chains) of_formal[[name]] <- root_of_chain(str2lang(name))
  formals_read <- read
  read <- names(of_formal)
  f <- with_body(f, nested)
  found <- list()
  used <- c(all.names(body(f)), names(formals(f)))
  hidden <- c(names(formals(f)), functions_assigned(body(f)))
  callCC(function(leave) {
    stuck <- function() leave(NULL)
    item <- function(of, kind, key = "") {
      name <- if (kind == "$") paste0(of, "$", key) else if (nzchar(key)) paste(of, kind, key) else paste(kind, "of", of)
      found[[paste("given", name)]] <<- list(of = of_formal[[of]], path = if (of_formal[[of]] != of) of, kind = kind, key = key)
      as.symbol(paste("given", name))
    }
    is_read <- function(expr, shadowed) is.symbol(expr) && as.character(expr) %in% setdiff(read, shadowed)
    scopes <- 0L # of with() around what is looked at
    walk <- function(expr, shadowed) {
      if (is_read(expr, shadowed)) stuck()
      if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
      if (is_call_of(expr, "function")) {
        inner <- c(shadowed, names(expr[[2L]]))
        for (name in names(expr[[2L]])) if (any(setdiff(read, inner) %in% all.vars(default_of(expr[[2L]], name)))) stuck()
        expr[3L] <- list(walk(expr[[3L]], inner))
        return(expr)
      }
      head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else stuck_in(expr, shadowed)
      of <- if (length(expr) > 1L && !is_empty_argument(expr[[2L]]) && is_read(expr[[2L]], shadowed)) as.character(expr[[2L]])
      by_name <- length(expr) == 3L && (is.character(expr[[3L]]) || (head == "$" && is.symbol(expr[[3L]])))
      if (!is.null(of) && head %in% c("$", "[[") && by_name) return(item(of, head, as.character(expr[[3L]])))
      if (!is.null(of) && head %in% c("nrow", "NROW", "ncol", "NCOL", "length") && length(expr) == 2L) return(item(of, head))
      if (head == "%in%" && is.character(expr[[2L]]) && length(expr[[2L]]) == 1L && is_call_of(expr[[3L]], "names") && is_read(expr[[c(3L, 2L)]], shadowed)) {
        return(item(as.character(expr[[c(3L, 2L)]]), "has", expr[[2L]]))
      }
      if (!is.null(of) && head == "with" && length(expr) == 3L && is.null(names(expr))) {
        scopes <<- scopes + 1L
        block <- walk(expr[[3L]], shadowed)
        scopes <<- scopes - 1L
        known <- function(name) scopes > 0L || name %in% c(hidden, shadowed) || name %in% assigned_names(body(f)) || is_number_there(name, environment(f))
        lists <- setdiff(intersect(read, all.vars(expr[[3L]])), shadowed) # which are read by name by now
        made <- block_of_elements(block, function(kind, name) item(of, kind, name), known, used, expr, lists) %||% stuck()
        used <<- c(used, all.names(made))
        return(made)
      }
      if (any(vapply(given_parts(expr)[-1L], is_read, NA, shadowed))) return(given_on(expr, head, shadowed))
      scopes <<- scopes + (head == "with")
      for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]], shadowed))
      scopes <<- scopes - (head == "with")
      expr
    }
    stuck_in <- function(expr, shadowed) if (any(read %in% all.vars(expr))) stuck() else ""
    given_on <- function(expr, head, shadowed) {
      inner <- takers_of_given(expr, setdiff(read, shadowed), environment(f), hidden, depth - 1L) %||% stuck()
      if (any(vapply(inner$items, function(one) !is.null(one$path), NA))) stuck()
      with_items_given(expr, inner, function(of, one) item(of, one$kind, one$key), function(part) walk(part, shadowed))
    }
    expr <- walk(body(f), character())
    given <- lapply(formals(f), function(default) if (is_empty_argument(default)) default else walk(default, character()))
    for (formal in formals_read) {
      own <- names(found)[vapply(found, function(one) one$of == formal, NA)]
      given <- with_formals_for(given, formal, own)
    }
    list(f = with_formals(f, given, expr), items = found)
  })
}

# The block of with(d, ...) where a name is d's element if d has it. `item`: of a kind and a name; `known`: whether a name is a variable outside.
# NULL: with() of another list is in it.
block_of_elements <- function(block, item, known, used, shown, lists = character()) {
  if ("with" %in% all.names(block)) return(NULL)
  assigned <- unique(assigned_names(block))
  names <- c(setdiff(unique(names_free(block)), assigned), read_first(block, assigned))
  names <- names[!grepl("^given ", names)]
  lists <- union(lists, Filter(function(name) reads_as_list(block, name), names))
  inside <- names_outside(block)
  values <- lapply(stats::setNames(nm = setdiff(names, lists)), function(name) {
    if (name %in% inside || known(name)) call("if", item("has", name), item("with", name), call(".outside", as.symbol(name))) else item("needed", name)
  })
  block <- block_with_values(block, values, used, shown)
  for (name in lists) { # p$mu is the function's own
    refused <- paste0("`", shown_line(shown), "`: the list has an element that is called `", name, "`, as is a list of the function")
    block <- call("if", item("has", name), call(".refused", refused), block)
  }
  block
}

# Variables that an expression reads, but for those of functions that it makes.
names_free <- function(expr, bound = character()) {
  if (is.symbol(expr)) return(setdiff(as.character(expr), bound))
  if (!is.call(expr)) return(character())
  if (is_call_of(expr, "function")) {
    bound <- c(bound, names(expr[[2L]]), assigned_names(expr[[3L]]))
    return(unlist(lapply(c(given_parts(expr[[2L]]), expr[[3L]]), names_free, bound)))
  }
  parts <- given_parts(expr)[-1L]
  found <- character()
  for (part in if (is_call_of(expr, "$")) parts[1L] else parts) found <- c(found, names_free(part, bound))
  found
}

# Names that are read where a list has none of them: .outside(mu).
names_outside <- function(expr) {
  if (!is.call(expr)) return(character())
  if (is_call_of(expr, ".outside")) return(all.vars(expr))
  found <- character()
  for (part in given_parts(expr)) found <- c(found, names_outside(part))
  found
}

# list(formals, given, items) of a call that gives `lists`, names, to a function of one's own that reads elements of them by name.
takers_of_given <- function(expr, lists, env, hidden, depth = 8L) {
  matched <- if (depth > 0L) matched_helper(expr, env, hidden)
  f <- matched$f
  given <- matched$given
  if (is.null(given) || any(asks_of_call %in% all.names(body(f)))) return(NULL)
  formals <- names(given)[vapply(given, function(part) (is.symbol(part) && as.character(part) %in% lists) || is_call_of(part, "as.list"), NA)]
  formals <- Filter(function(formal) reads_elements(f, formal), formals)
  made <- if (length(formals) > 0L) reading_elements(f, formals, depth)
  if (!is.null(made)) list(formals = formals, given = given, items = made$items)
}

# Whether a function reads an argument by p$a, with(p, ...) or p[["a"]], or gives it on to one that may.
reads_elements <- function(f, formal, depth = 8L) {
  if (depth == 0L) return(FALSE)
  is_of <- function(part) identical(part, as.symbol(formal))
  look <- function(expr) {
    if (!is.call(expr)) return(FALSE)
    of <- length(expr) == 3L && is_of(expr[[2L]])
    if (of && (is_call_of(expr, c("$", "with")) || (is_call_of(expr, "[[") && is.character(expr[[3L]])))) return(TRUE)
    matched <- if (any(vapply(given_parts(expr)[-1L], is_of, NA))) matched_helper(expr, environment(f))
    if (!is.null(matched) && !identical(matched$f, f)) {
      for (inner in names(matched$given)[vapply(matched$given, is_of, NA)]) if (reads_elements(matched$f, inner, depth - 1L)) return(TRUE)
    }
    for (part in given_parts(expr)) if (look(part)) return(TRUE)
    FALSE
  }
  look(body(f))
}

# The call with those elements instead. `element`: of a list and one item.
with_items_given <- function(expr, takers, element, walk) {
  arguments <- lapply(names(takers$given), function(formal) {
    if (!formal %in% takers$formals) return(stats::setNames(list(walk(takers$given[[formal]])), formal))
    own <- Filter(function(one) one$of == formal, takers$items)
    list <- takers$given[[formal]]
    lapply(own, function(one) element(if (is.symbol(list)) as.character(list) else list, one))
  })
  of <- as.call(c(expr[[1L]], stats::setNames(rep(list(TRUE), length(takers$formals)), takers$formals)))
  structure(as.call(c(as.symbol(deparse1(of)), unlist(arguments, recursive = FALSE))), written = shown_code(expr))
}

# A body in which calls that give lists, arguments of the call and variables of the environment, or as.list(par), take elements. `outer`: of the
# outermost function, whose arguments are those of the call.
with_given_lists <- function(expr, f, outer) {
  env <- environment(f)
  if (!any(vapply(all.names(expr, unique = TRUE), is_helper_there, NA, env))) return(expr)
  assigned <- assigned_names(expr)
  aliases <- aliases_of_vectors(expr)
  hidden <- c(names(formals(f)), functions_assigned(expr))
  never <- c(setdiff(assigned, names(aliases)), inner_names(expr), if (!outer) names(formals(f)))
  element <- function(of, one) {
    vector <- if (is.call(of)) of[[2L]] else aliases[[of]]
    if (!is.null(one$path)) {
      if (!is.null(vector)) limit_error("`", one$path, "`: numbers of a vector have no elements by name")
      of <- deparse1(chain_of_name(one$path, as.symbol(of)))
    }
    if (is.null(vector)) {
      of <- as.symbol(of)
      return(switch(one$kind, "$" = call("$", of, as.symbol(one$key)), "[[" = call("[[", of, one$key), has = , with = , needed = call(paste0(".", one$kind), of, one$key), call(one$kind, of)))
    }
    of_vector(one$kind, vector, one$key)
  }
  is_vector <- function(part) is_call_of(part, "as.list") && length(part) == 2L && is.symbol(part[[2L]]) && !as.character(part[[2L]]) %in% c(assigned, inner_names(expr))
  walk <- function(expr) {
    if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
    parts <- Filter(function(part) is.symbol(part) || is_vector(part), given_parts(expr)[-1L])
    lists <- setdiff(unlist(lapply(parts, function(part) if (is.symbol(part)) as.character(part))), never)
    if (length(lists) > 0L || any(vapply(parts, is.call, NA))) {
      takers <- takers_of_given(expr, lists, env, hidden)
      takers <- if (!is.null(takers) && all(vapply(takers$given[takers$formals], function(part) is.symbol(part) || is_vector(part), NA))) takers
      if (!is.null(takers)) return(with_items_given(expr, takers, element, walk))
    }
    for (k in seq_along(expr)[-1L]) if (!is_empty_argument(expr[[k]]) && !(is_call_of(expr, "function") && k == 2L)) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  walk(expr)
}

# with(p, with(d, ...)), of a list that the body makes, where the inner list is given: names in it are asked for in that one first.
with_inner_withs <- function(block, used) {
  if (!is.call(block)) return(block)
  for (k in seq_along(block)[-1L]) if (is.call(block[[k]])) block[[k]] <- with_inner_withs(block[[k]], used)
  if (!is_call_of(block, "with") || length(block) != 3L || !is.null(names(block))) return(block)
  of <- block[[2L]]
  vector <- if (is_call_of(of, "as.list") && length(of) == 2L && is.symbol(of[[2L]])) of[[2L]]
  if (is.null(vector) && !is.symbol(of)) return(block)
  item <- function(kind, name) if (is.null(vector)) call(paste0(".", kind), of, name) else of_vector(kind, vector, name)
  block_of_elements(block[[3L]], item, function(name) TRUE, used, block) %||% block
}

# What such an item is of as.list(par).
of_vector <- function(kind, vector, name) {
  if (kind %in% c("$", "[[", "with", "needed")) return(call("as.vector", call("[", vector, name)))
  if (kind == "has") call("%in%", name, call("names", vector)) else call(kind, if (kind == "length") vector else call("as.list", vector))
}

# A body in which p <- list(m = p[1]), p <- as.list(p) and p <- unpack(p) give an argument's name to a list: that is another variable from there on.
with_own_lists <- function(expr, f) {
  if (!is_call_of(expr, "{")) return(expr)
  scope <- list(env = environment(f), local = list(), hidden = functions_assigned(expr))
  assigned <- assigned_names(expr)
  inner <- inner_names(expr)
  for (k in seq_along(expr)[-1L]) {
    part <- expr[[k]]
    if (!is_call_of(part, c("<-", "=")) || length(part) != 3L || !is.symbol(part[[2L]]) || !is.call(part[[3L]])) next
    name <- as.character(part[[2L]])
    if (!name %in% names(formals(f)) || name %in% inner || sum(assigned == name) != 1L || k == length(expr)) next
    is_list <- identical(part[[3L]], call("as.list", part[[2L]])) || !is.null(list_written(part[[3L]], scope))
    if (!is_list) next
    own <- setdiff(paste0(name, ".", seq_along(expr)), c(all.names(expr), names(formals(f))))[1L]
    expr[[c(k, 2L)]] <- as.symbol(own)
    for (j in seq_along(expr)) if (j > k) expr[j] <- list(substituted(expr[[j]], name, as.symbol(own)))
  }
  expr
}
