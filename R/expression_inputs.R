# What the body of a function reads and calls, as it is now.

# Calls that take texts; so do functions of one's own.
text_takers <- c(
  "==", "!=", "%in%", "switch", "{", "(", "<-", "=", "if", "return", "stop", "warning", "stopifnot", "suppressWarnings", "identical", "c",
  "invisible", "identity", "is.null", "is.character", "is.numeric", "is.double", "is.integer", "is.logical", "is.function", "nzchar", "isTRUE",
  "isFALSE", "outer", "sweep", ".refused"
)

# Every variable that the body reads: formals, then those of environments, in the functions that it calls as well; and of
# those the functions that are inlined. `asks`: which questions are asked of arguments that are no numbers.
expression_inputs <- function(f) {
  inputs <- list()
  called <- list()
  staged <- FALSE
  loops <- FALSE
  products <- FALSE # of vectors, too, which make one number
  asks <- c(missing = FALSE, null = FALSE, texts = FALSE)
  formals_called <- character()
  # `perhaps`: the body may have assigned the name before, so that a text of the environment stands for nothing that is computed with.
  add <- function(name, env, formal, index, value = NULL, perhaps = FALSE) {
    for (k in seq_along(inputs)) {
      input <- inputs[[k]]
      if (input$name != name || !identical(input$env, env) || input$formal != formal) next
      if (!index) inputs[[k]]$only_index <<- FALSE
      if (!perhaps) inputs[[k]]$perhaps <<- FALSE
      return()
    }
    inputs[[length(inputs) + 1L]] <<- list(name = name, env = env, formal = formal, only_index = index, value = value, perhaps = perhaps)
  }
  call_by_name <- function(name, env) {
    for (one in called) if (one$name == name && identical(one$env, env)) return()
    called[[length(called) + 1L]] <<- list(name = name, env = env, value = get0(name, envir = env, mode = "function"))
  }
  visited <- list()
  written <- NULL
  bodies <- list() # of all functions, as the compiler takes them
  look <- function(f, outer) {
    env <- environment(f)
    formal_names <- names(formals(f))
    if (outer) refuse_last_loop(body(f))
    named <- with_functions_by_name(f)
    lists <- without_lists(with_rs_names(named), outer)
    if (outer) written <<- lists
    bodies[[length(bodies) + 1L]] <<- list(f = f, outer = outer, body = lists$body)
    for (name in called_names(named)) call_by_name(written_function(name), env) # `unpack$mu` is of unpack()
    shown <- function(expr) as_written(expr, shown_parts(names(lists$parts)))
    aliases <- aliases_of_codes(lists$body, env)
    bound <- if (outer) character() else formal_names # names that are no variables of the environment
    own <- bound # names that may be functions
    perhaps <- character() # names that are assigned before or after, or where a condition holds
    local_functions <- functions_assigned(lists$body)
    within <- 0L # functions that the body makes, which are called later
    forced <- character() # formals whose value has been asked for
    resolved <- list() # what functions' names stand for
    walk <- function(expr, takes_texts = FALSE, index = FALSE) { # index: of x[index]
      if (is.symbol(expr)) {
        name <- as.character(expr)
        value <- lists$parts[[name]]
        if (!is.null(value)) return(add(name, env, outer && any(all.vars(value) %in% formal_names), index, value))
        if (!outer && grepl("^[.][.]([.]|[0-9]+)$", name)) return()
        if (!nzchar(name) || name %in% bound) return()
        of_call <- outer && name %in% formal_names
        if (!of_call && name %in% perhaps && !is_number_there(name, env)) return()
        if (of_call && !name %in% forced) {
          if (any(read_by_default(formals(f), name) %in% c(bound, perhaps))) asks[["missing"]] <<- TRUE # it sees what the body has made of them
          forced <<- c(forced, name)
        }
        add(name, env, of_call, index, perhaps = !of_call && name %in% perhaps)
        return()
      }
      if (!is.call(expr)) {
        if (is.character(expr) && length(expr) == 1L && takes_texts) asks[["texts"]] <<- TRUE else if (!is.null(expr)) check_constant(expr)
        return()
      }
      if (identical(expr[[1L]], quote(`function`))) return(walk_function(expr))
      head <- call_name(expr, shown)
      is_local <- head$name %in% own && is.null(head$package)
      hides <- is_local && head$name %in% local_functions && head$name %in% bound # whatever the name is in the environment
      before <- if (is.null(head$package)) resolved[[head$name]]
      what <- if (hides) list(kind = "local") else before %||% tryCatch(resolve_call(head$name, env, head$package), nmathopencl_error = function(e) {
        if (is_local) return(list(kind = "local"))
        if (head$name %in% c("$", "[[", "@") && is.call(expr[[2L]])) walk(expr[[2L]]) # that function may be what is not known
        if (head$name %in% formal_names && !exists(head$name, envir = env, mode = "function")) {
          argument_error("`", shown_line(shown(expr)), "` calls the argument `", head$name, "`: a kernel is made of one function. Call that by its own name, as plogis(x), or make an opencl_function for each")
        }
        argument_error(with_place(conditionMessage(e), shown(expr)))
      })
      if (is.null(head$package) && what$kind != "local") resolved[[head$name]] <<- what
      if (what$kind == "own") {
        inner <- attr(what$value, "expression")$f %||% what$value
        refuse_by_place(inner, attr(what$value, "expression")$data$names, shown(expr))
        if (!any(vapply(visited, identical, NA, inner))) {
          visited[[length(visited) + 1L]] <<- inner
          if (within > 0L && is_local && head$name %in% local_functions) look_perhaps(inner) else look(inner, FALSE)
        }
      }
      if (head$name %in% c("<-", "=") && what$kind == "language") {
        if (length(expr) != 3L) argument_error("`", deparse1(shown(expr)), "` assigns nothing: write x <- value")
        target <- expr[[2L]]
        if (is_part(target)) {
          staged <<- TRUE
          walk(target)
          target <- target[[2L]]
        }
        if (!is.symbol(target)) argument_error(no_part_assigned(shown(expr)))
        walk(expr[[3L]], TRUE, is_alias(expr) && as.character(target) %in% aliases)
        bound <<- c(bound, as.character(target))
        own <<- c(own, as.character(target))
        return()
      }
      if (head$name == "ave" && what$kind == "language") { # the name of a function is no variable
        staged <<- TRUE
        for (k in seq_len(min(2L, length(expr) - 1L))) walk(expr[[k + 1L]], index = k == 2L)
        return()
      }
      if (head$name == "for" && what$kind == "language") {
        staged <<- TRUE
        loops <<- TRUE
        walk(expr[[3L]])
        bound <<- c(bound, as.character(expr[[2L]]))
        walk_rounds(expr[[4L]])
        return()
      }
      if (outer && head$name %in% formal_names && !is_local) formals_called <<- union(formals_called, head$name)
      if (what$kind == "library" && !"..." %in% vapply(as.list(expr), function(part) if (is.symbol(part)) as.character(part) else "", "")) match_library(expr, what$value, shown)
      if (what$kind == "language") note_question(head$name)
      parts <- as.list(expr)[-1L]
      if (what$kind == "language" && what$name %in% c("%*%", ".solved")) products <<- TRUE
      if (what$kind == "language" && (is_staged_call(what$name) || (what$name == "c" && length(parts) > 1L))) staged <<- TRUE
      if (what$kind == "language" && head$name == "stopifnot") parts <- lapply(parts, within_all)
      if (head$name == ".c_text") parts <- parts[-1L]
      takes_texts <- what$kind %in% c("own", "local") || head$name %in% c(text_takers, "[")
      codes <- if (what$kind == "own" && is.symbol(expr[[1L]])) codes_taken(expr, env)
      walk_part <- function(k) if (!is_empty_argument(parts[[k]])) walk(parts[[k]], takes_texts, k %in% codes || is_codes_place(expr, k, index))
      if (what$kind == "language" && head$name %in% c("if", "switch", "&&", "||") && length(parts) > 0L) {
        walk_part(1L)
        return(walk_ways(lapply(seq_along(parts)[-1L], function(k) structure(function() walk_part(k), leaves = leaves_body(parts[[k]]))), head$name != "if" || length(parts) < 3L))
      }
      if (what$kind == "language" && head$name %in% c("while", "repeat")) {
        if (head$name == "while") walk_part(1L)
        return(walk_rounds(parts[[length(parts)]]))
      }
      for (k in seq_along(parts)) walk_part(k)
    }
    # One of the environment that the body's own of that name may hide by the time of the call.
    look_perhaps <- function(inner) {
      before <- list(inputs, called, bodies)
      tryCatch(look(inner, FALSE), nmathopencl_error = function(e) {
        inputs <<- before[[1L]]
        called <<- before[[2L]]
        bodies <<- before[[3L]]
      })
    }
    # One of `ways`, or none if `skips`: what all of them assign is assigned behind, what some assign may be.
    walk_ways <- function(ways, skips) {
      before <- list(bound = bound, forced = forced)
      after <- lapply(ways, function(way) {
        bound <<- before$bound
        forced <<- before$forced
        way()
        list(bound = bound, forced = forced)
      })
      ends <- c(after[!vapply(ways, attr, NA, "leaves")], if (skips) list(before))
      perhaps <<- union(perhaps, unlist(lapply(after, function(end) end$bound)))
      if (length(ends) == 0L) ends <- after
      bound <<- Reduce(intersect, lapply(ends, function(end) end$bound))
      forced <<- Reduce(intersect, lapply(ends, function(end) end$forced))
    }
    # A round before may have assigned what is read first.
    walk_rounds <- function(body) {
      perhaps <<- union(perhaps, assigned_names(body))
      walk_ways(list(structure(function() walk(body, TRUE), leaves = FALSE)), TRUE)
    }
    # One that the body makes: names that are assigned around it, before or behind, are not the environment's.
    walk_function <- function(expr) {
      before <- list(bound, own, perhaps, forced)
      bound <<- c(bound, names(expr[[2L]]))
      own <<- c(own, names(expr[[2L]]), assigned_names(body(f)))
      perhaps <<- union(perhaps, assigned_names(body(f)))
      within <<- within + 1L
      for (name in names(expr[[2L]])) walk(default_of(expr[[2L]], name), TRUE)
      walk(expr[[3L]], TRUE)
      within <<- within - 1L
      bound <<- before[[1L]]
      own <<- before[[2L]]
      perhaps <<- before[[3L]]
      forced <<- before[[4L]]
    }
    walk(lists$body, TRUE)
    # What only decides an order or a choice has a gradient, which is 0.
    if (outer && !is.null(attr(f, "differentiated"))) {
      of_lists <- sub("[$].*", "", names(lists$parts)[grepl("$", names(lists$parts), fixed = TRUE)])
      for (name in setdiff(intersect(attr(f, "differentiated"), formal_names), of_lists)) {
        if (any(vapply(lists$parts, function(part) isTRUE(attr(part, "taken")) && name %in% all.vars(part), NA))) add(name, env, TRUE, FALSE)
      }
      # A gradient in what defaults alone read is one of a function that knows which arguments are absent.
      known <- sub("[$].*", "", vapply(inputs, function(input) input$name, ""))
      if (any(setdiff(attr(f, "differentiated"), known) %in% unlist(lapply(intersect(formal_names, known), function(name) read_by_default(formals(f), name))))) asks[["missing"]] <<- TRUE
    }
    if (outer && !asks[["missing"]]) return()
    perhaps <- assigned_names(body(f))
    for (name in formal_names) {
      value <- default_of(formals(f), name)
      walk(value, TRUE, identical(value, as.symbol(data_name(name))) && is_only_index(without_aliases(lists$body, aliases), name, FALSE, env))
    }
  }
  note_question <- function(name) {
    if (name == "missing") asks[["missing"]] <<- TRUE
    if (name %in% c("is.null", "identical")) asks[["null"]] <<- TRUE
    if (name %in% c("switch", "identical", "nzchar") || startsWith(name, "is.")) asks[["texts"]] <<- TRUE
  }
  look(f, TRUE)
  formal <- vapply(inputs, function(input) input$formal, NA)
  list(lists = written, bodies = bodies, inputs = c(inputs[formal], inputs[!formal]), called = called, formals_called = formals_called, asks = asks, staged = staged, loops = loops, products = products)
}

# ---- where factors stand as codes: u[g], also in functions that take g as an argument, eff(u, g), and by another name, k <- g

# Whether `name` stands in an expression as the index of something only, x[name]. `env`: what functions of one's own are looked up in, whose
# arguments may be such an index; NULL: they are not looked at.
is_only_index <- function(expr, name, index = FALSE, env = NULL, depth = 8L) {
  if (is.symbol(expr)) return(index || as.character(expr) != name)
  if (!is.call(expr)) return(TRUE)
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  codes <- if (!is.null(env) && nzchar(head) && depth > 0L) codes_taken(expr, env, depth - 1L)
  at <- vapply(seq_along(expr) - 1L, function(k) k > 0L && (k %in% codes || is_codes_place(expr, k, index)), NA)
  all(vapply(seq_along(expr), function(k) is_empty_argument(expr[[k]]) || is_only_index(expr[[k]], name, at[k], env, depth), NA))
}

# Whether argument k of a call is taken for its codes, where it is a factor: x[g], x[g[i]], as.integer(g). `index`: whether the call is.
is_codes_place <- function(expr, k, index) {
  switch(if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else "",
    "[" = k > 1L || index,
    "(" = index,
    as.integer = , as.numeric = , as.double = is_element(expr[[k + 1L]]),
    FALSE
  )
}

# g and g[i].
is_element <- function(expr) is.symbol(expr) || (is_part(expr) && length(expr) == 3L)

# Which arguments of a call, by number, a function of one's own takes as indices only.
codes_taken <- function(expr, env, depth = 8L) {
  name <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  f <- if (nzchar(name)) get0(name, env, mode = "function")
  f <- attr(f, "expression")$f %||% if (is_helper(f, env)) f else if (is.null(f) && nzchar(name)) function_of_element(name, env)
  if (is.null(f)) return(integer())
  numbered <- expr
  numbered[seq_along(expr)[-1L]] <- as.list(seq_len(length(expr) - 1L))
  given <- tryCatch(as.list(match.call(f, numbered, expand.dots = FALSE))[-1L], error = function(e) list())
  given$... <- NULL
  taken <- vapply(names(given), function(name) {
    aliases <- aliases_of_codes(body(f), environment(f), depth)
    is_only_index(without_aliases(body(f), aliases), name, FALSE, environment(f), depth)
  }, NA)
  as.integer(unlist(given[taken]))
}

# Names that a body assigns once, from a name alone, and takes as indices only: k of { k <- g; u[k] }.
aliases_of_codes <- function(body, env, depth = 8L) {
  targets <- unlist(lapply(statements_before(body), function(part) if (is_alias(part)) as.character(part[[2L]])))
  assigned <- assigned_names(body)
  targets <- Filter(function(name) sum(assigned == name) == 1L, targets)
  rest <- without_aliases(body, targets)
  Filter(function(name) is_only_index(rest, name, FALSE, env, depth), targets)
}

is_alias <- function(part) is.call(part) && as.character(part[[1L]])[1L] %in% c("<-", "=") && length(part) == 3L && is.symbol(part[[2L]]) && is.symbol(part[[3L]])

# All but the last one, which is the value.
statements_before <- function(body) if (is.call(body) && identical(body[[1L]], quote(`{`))) utils::head(as.list(body)[-1L], -1L)

without_aliases <- function(body, names) {
  drop <- vapply(statements_before(body), function(part) is_alias(part) && as.character(part[[2L]]) %in% names, NA)
  if (any(drop)) body[-(which(drop) + 1L)] else body
}
