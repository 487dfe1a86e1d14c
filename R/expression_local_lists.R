# Lists that a function makes of its own: p <- list(mean = a, sd = exp(b)), of which each element is a variable by itself, `p$mean`.

# A body without them. A list stays, and is refused later, where it is used in another way than by p$mean, p[["mean"]], p[[1]], with(p, ...) and
# do.call(f, p), or is assigned lists of other elements.
without_local_lists <- function(f, outer) {
  if (outer && "list" %in% all.names(body(f))) refuse_names_of_elements(body(f))
  expr <- with_own_lists(with_nested_lists(with_forms_written(f, outer), f, outer), f)
  expr <- with_list_values(expr, environment(f), names(formals(f)))
  if (!is.call(expr)) return(expr)
  expr <- with_given_lists(expr, f, outer)
  if (!"list" %in% all.names(expr)) return(expr)
  with_given_lists(lists_apart(expr, names(formals(f)), environment(f)), f, outer)
}

# A variable that is called as an element's own would be that.
refuse_names_of_elements <- function(expr) {
  taken <- grep("[^[$]([$]|[[][[])", all.names(expr), value = TRUE)
  if (length(taken) > 0L) limit_error("a variable has the name \"", taken[1L], "\", which is that of an element of a list: give it another name")
}

# Those of functions that the body makes are theirs.
lists_apart <- function(expr, formals, env) {
  expr <- with_inner_lists_apart(expr, env)
  assigned <- assigned_names(expr)
  bound <- c(formals, inner_names(expr))
  left <- names <- setdiff(assigned, bound)
  hidden <- c(bound, functions_assigned(expr))
  while (length(left) > 0L) { # of with(a, with(b, ...)) the inner one first
    innermost <- Filter(function(name) !holds_another_with(expr, name), left)
    for (name in if (length(innermost) > 0L) innermost else left) {
      elements <- elements_of_local_list(expr, name, sum(assigned == name), env, hidden)
      if (!is.null(elements)) expr <- with_elements(expr, name, elements, env, hidden)
    }
    left <- if (length(innermost) > 0L) setdiff(left, innermost)
    assigned <- assigned_names(expr)
    left <- c(left, setdiff(assigned, c(bound, names))) # elements that are lists
    names <- c(names, left)
  }
  expr
}

holds_another_with <- function(expr, name) {
  if (!is.call(expr)) return(FALSE)
  if (is_call_of(expr, "with") && is_use_of_list(expr, name) && "with" %in% all.names(expr[[3L]])) return(TRUE)
  any(vapply(as.list(expr), function(part) !is_empty_argument(part) && holds_another_with(part, name), NA))
}

with_inner_lists_apart <- function(expr, env) {
  if (!is.call(expr)) return(expr)
  if (identical(expr[[1L]], quote(`function`))) {
    expr[3L] <- list(lists_apart(expr[[3L]], names(expr[[2L]]), env))
    return(expr)
  }
  for (k in seq_along(expr)) if (is.call(expr[[k]])) expr[[k]] <- with_inner_lists_apart(expr[[k]], env)
  expr
}

is_local_list <- function(expr, name) {
  is_call_of(expr, c("<-", "=")) && length(expr) == 3L && identical(expr[[2L]], as.symbol(name)) && is_call_of(expr[[3L]], "list")
}

# p$a, p[["a"]] and p[[2]], of the list itself: its element's name, "[[2]]" of a number; NULL of another expression.
element_of_local <- function(expr, name) {
  if (!is.call(expr) || length(expr) != 3L || !identical(expr[[2L]], as.symbol(name))) return(NULL)
  of <- expr[[3L]]
  if (identical(expr[[1L]], quote(`$`)) && (is.symbol(of) || is.character(of))) return(as.character(of))
  if (!identical(expr[[1L]], quote(`[[`))) return(NULL)
  if (is.character(of)) of else if (is.numeric(of) && isTRUE(of >= 1) && of == round(of)) paste0("[[", of, "]]")
}

# list(keys, grows): names of the list's elements, and whether some of them come later, p$b <- x; NULL where it is none that can be taken apart.
elements_of_local_list <- function(expr, name, times, env = NULL, hidden = character()) {
  found <- NULL
  later <- character()
  whole <- TRUE
  made <- 0L
  early <- character()
  used_whole <- list() # elements that the list has where all of them are used
  block <- home <- 0L # a list gets elements where it is made, so that it has them in each round
  blocks <- 0L
  look_at_parts <- function(parts) for (part in given_parts(parts)) look(part)
  look <- function(expr, is_target = FALSE) {
    if (identical(expr, as.symbol(name))) whole <<- FALSE
    if (!is.call(expr) || !whole) return()
    if (!is_call_of(expr, c("{", "<-", "=", "$", "[["))) {
      outside <- block
      on.exit(block <<- outside)
      block <<- blocks <<- blocks + 1L
    }
    if (is_local_list(expr, name)) {
      keys <- keys_of_list(expr[[3L]])
      home <<- block
      made <<- made + 1L
      # A second list may be made of the first one's elements: one by one they would be others by then.
      if (is.null(keys) || (!is.null(found) && (!identical(found, keys) || name %in% all.vars(expr[[3L]])))) whole <<- FALSE
      found <<- keys
      return(look_at_parts(as.list(expr[[3L]])[-1L]))
    }
    element <- element_of_local(expr, name)
    if (!is.null(element)) {
      if (is.null(found)) whole <<- FALSE # read before it is made
      if (!is_target) {
        early <<- c(early, setdiff(element, c(found, later)))
      } else if (!element %in% c(found, later)) {
        if (startsWith(element, "[[") || block != home) whole <<- FALSE
        later <<- c(later, element)
      }
      return()
    }
    if (is_call_of(expr, c("<-", "=")) && length(expr) == 3L && is.call(expr[[2L]])) {
      if (is.null(expr[[3L]]) && !is.null(element_of_local(expr[[2L]], name))) whole <<- FALSE # which takes it out
      if (isTRUE(attr(expr, "appends")) && isTRUE(element_of_local(expr[[2L]], name) %in% c(found, later))) whole <<- FALSE # a second one of that name
      look(expr[[3L]])
      return(look_at_target(expr[[2L]]))
    }
    if (!is.null(takers_of_list(expr, name, env, hidden))) {
      if (is.null(found)) whole <<- FALSE
      used_whole[[length(used_whole) + 1L]] <<- c(found, later)
      return(look_at_parts(Filter(function(part) !identical(part, as.symbol(name)), given_parts(expr)[-1L])))
    }
    if (is_use_of_list(expr, name)) {
      if (is.null(found)) whole <<- FALSE
      if (is_call_of(expr, "with")) early <<- c(early, setdiff(all.vars(expr[[3L]]), c(found, later))) else used_whole[[length(used_whole) + 1L]] <<- c(found, later)
      return(look_at_parts(as.list(expr)[-c(1L, if (is_call_of(expr, c("with", "unlist", "length", "names"))) 2L else 3L)]))
    }
    look_at_parts(as.list(expr))
  }
  look_at_target <- function(target) { # the list's element, or one of its numbers, p$b[2] <- x
    if (is.call(target) && is.null(element_of_local(target, name))) {
      look_at_target(target[[2L]])
      return(look_at_parts(as.list(target)[-(1:2)]))
    }
    look(target, TRUE)
  }
  look(expr)
  if (length(later) > 0L && (made > 1L || any(early %in% later) || any(lengths(used_whole) < length(c(found, later))))) return(NULL)
  if (whole && made == times) list(keys = c(found, later), grows = length(later) > 0L)
}

# with(p, ...), do.call(f, p), unlist(p), length(p), names(p) and Reduce(f, p).
is_use_of_list <- function(expr, name) {
  if (is_call_of(expr, c("unlist", "length", "names")) && length(expr) == 2L) return(identical(expr[[2L]], as.symbol(name)))
  if (is_call_of(expr, "Reduce") && length(expr) == 4L) expr <- expr[1:3] # with `init`
  if (!is_call_of(expr, c("with", "do.call", "Reduce")) || length(expr) != 3L || !is.null(names(expr))) return(FALSE)
  identical(expr[[if (identical(expr[[1L]], quote(with))) 2L else 3L]], as.symbol(name))
}

# Which element that is: `$` completes a name that is the beginning of one alone. NULL: none, as of R.
key_of_element <- function(expr, key, elements) {
  if (key %in% elements$keys) return(key)
  by_number <- startsWith(key, "[[")
  completed <- if (!by_number && identical(expr[[1L]], quote(`$`))) elements$keys[startsWith(elements$keys, key)]
  if (elements$grows && (by_number || length(completed) > 0L)) {
    limit_error("`", deparse1(expr), "`: of a list that gets elements later these are known by their whole names")
  }
  if (!by_number) return(if (length(completed) == 1L) completed)
  k <- as.numeric(gsub("[^0-9]", "", key))
  if (k > length(elements$keys)) limit_error("`", deparse1(expr), "`: the list has ", length(elements$keys), " elements")
  elements$keys[k]
}

with_elements <- function(expr, name, elements, env = NULL, hidden = character()) {
  used <- all.names(expr)
  variable <- function(key) as.symbol(element_name(name, key))
  named <- Filter(function(key) !startsWith(key, "[["), elements$keys)
  walk <- function(expr) {
    if (!is.call(expr)) return(expr)
    if (is_local_list(expr, name)) {
      values <- as.list(expr[[3L]])[-1L]
      made <- Map(function(element, value) call("<-", variable(element), walk(value)), keys_of_list(expr[[3L]]), values)
      return(if (length(made) > 0L) structure(as.call(c(quote(`{`), unname(made))), written = shown_code(expr)))
    }
    element <- element_of_local(expr, name)
    if (!is.null(element)) {
      key <- key_of_element(expr, element, elements)
      return(if (!is.null(key)) variable(key))
    }
    takers <- takers_of_list(expr, name, env, hidden)
    if (!is.null(takers)) return(with_elements_given(expr, takers, elements$keys, variable, walk))
    if (is_use_of_list(expr, name)) {
      if (identical(expr[[1L]], quote(with))) {
        block <- block_with_values(with_inner_withs(walk(expr[[3L]]), used), stats::setNames(lapply(named, variable), named), used, expr)
        used <<- c(used, all.names(block))
        return(block)
      }
      values <- stats::setNames(lapply(elements$keys, variable), ifelse(elements$keys %in% named, elements$keys, ""))
      if (identical(expr[[1L]], quote(length))) return(length(values))
      if (identical(expr[[1L]], quote(names))) return(if (length(named) > 0L) as.call(c(quote(c), as.list(names(values)))))
      if (identical(expr[[1L]], quote(Reduce))) return(folded(expr[[2L]], c(if (length(expr) == 4L) list(walk(expr[[4L]])), values)) %||% expr)
      return(structure(as.call(c(if (identical(expr[[1L]], quote(unlist))) quote(c) else as.symbol(as.character(expr[[2L]])), values)), written = shown_code(expr)))
    }
    for (k in seq_along(expr)) if (!is_empty_argument(expr[[k]])) expr[k] <- list(walk(expr[[k]]))
    expr
  }
  walk(expr)
}

# The block of with(p, ...) and local(): what `values` have a name for is that, and what is assigned is the block's own. `used`: names of the
# function around it.
block_with_values <- function(block, values, used, shown) {
  if ("return" %in% all.names(block)) limit_error("`", shown_line(shown), "`: return() in ", shown[[1L]], "() leaves that only: write the value")
  if (length(values) > 0L && "with" %in% all.names(block)) {
    limit_error("`", shown_line(shown), "`: with() in with() of a list that the function makes is not supported: which of them has a name is the inner list's to say. Write elements as p$a")
  }
  assigned <- unique(assigned_names(block))
  first <- read_first(block, assigned)
  inside <- all.names(block)
  for (name in assigned) {
    if (!name %in% c(first, names(values)) && sum(used == name) == sum(inside == name)) next
    free <- setdiff(paste0(name, ".", seq_along(used)), used)[1L] # it is another one outside
    used <- c(used, free)
    before <- values[[name]] %||% as.symbol(name)
    block <- with_calls_renamed(substituted(block, name, as.symbol(free)), name, free)
    if (name %in% first) block <- call("{", call("<-", as.symbol(free), before), block)
  }
  for (name in setdiff(names(values), assigned)) block <- substituted(block, name, values[[name]])
  block
}

# The same of a function that the block makes.
with_calls_renamed <- function(expr, name, free) {
  if (!is.call(expr) || (is_call_of(expr, "function") && name %in% names(expr[[2L]]))) return(expr)
  if (identical(expr[[1L]], as.symbol(name))) expr[[1L]] <- as.symbol(free)
  for (k in seq_along(expr)) if (is.call(expr[[k]])) expr[[k]] <- with_calls_renamed(expr[[k]], name, free)
  expr
}
