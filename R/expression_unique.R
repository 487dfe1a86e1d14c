# Sums over unique(id), sum(sapply(unique(id), function(i) ...)) and loops that add up, of functions that take elements by id == i: vectors over
# groups, as those of split(); see in_groups().

# sum(sapply(unique(id), f)), also of vapply() and unlist(lapply()). NULL: another call, or a function that has more in it than sums and elements.
# `named`: with the name that a number of the function has, as a loop that adds up keeps it. `is_text`: whether R's value for an expression is known to be texts.
summed_over_unique <- function(expr, known, part, walk, is_rs, is_text, named = FALSE) {
  sum_of <- function(values) call(if (named) ".added_numbers" else "sum", values)
  if (!identical(expr[[1L]], quote(sum)) || length(expr) != 2L || !is.null(names(expr))) return(NULL)
  applied <- expr[[2L]]
  if (is.call(applied) && identical(applied[[1L]], quote(unlist)) && length(applied) == 2L) applied <- applied[[2L]]
  way <- if (is.call(applied) && is.symbol(applied[[1L]])) as.character(applied[[1L]]) else ""
  if (!way %in% c("sapply", "vapply", "lapply") || (way == "lapply" && identical(applied, expr[[2L]]))) return(NULL)
  given <- tryCatch(match.call(get(way, baseenv()), applied), error = function(e) NULL)
  if (!all(names(given) %in% c("", "X", "FUN", "FUN.VALUE")) || !(is.null(given$FUN.VALUE) || is_double_like(given$FUN.VALUE))) return(NULL)
  of <- groups_of_unique(given$X, given$FUN, known, part)
  found <- if (!is.null(of)) in_groups(of, is_rs)
  if (is.null(found) || found$level != of_group || (of$asks_number() && is_text(known(of$id)))) return(NULL)
  slow <- sum_of(walk(expr[[2L]]))
  found$ones <- c(found$ones, of$plain()) # of one element where the data are plain
  made <- chosen_groups(slow, found, walk(sum_of(if (is.null(given$FUN.VALUE)) found$value else call("as.numeric", found$value))), slow, of, walk)
  if (named && !is.null(found$own)) call(".as_apply", made, 0, 0, walk(found$own)) else made
}

# What in_groups() asks of the groups of unique(id), and of `i` in f.
groups_of_unique <- function(over, f, known, part) {
  if (!is.call(over) || !identical(over[[1L]], quote(unique)) || length(over) != 2L || !is.call(f) || !identical(f[[1L]], quote(`function`)) || length(f[[2L]]) != 1L) return(NULL)
  id <- over[[2L]]
  data <- known(id)
  i <- as.symbol(names(f[[2L]]))
  if (is.null(data) || as.character(i) %in% c(all.vars(id), assigned_names(f[[3L]]))) return(NULL)
  is_own_test <- function(test) {
    test <- bare_test(test)
    is.call(test) && length(test) == 3L && (identical(test, call("==", id, i)) || identical(test, call("==", i, id)))
  }
  reads <- function(expr) as.character(i) %in% all.vars(expr)
  codes <- part(as.call(list(codes_of_unique, data)), call("codes", over))
  count <- part(as.call(list(count_of_unique, data)), call("groups", over))
  asks_number <- FALSE
  list(
    id = id, asks_number = function() asks_number, body = f[[3L]], codes = codes, count = count, sizes = call(".sums_by", call("!", call("is.na", codes)), codes, count, FALSE, FALSE),
    elements = function(expr) {
      while (is.call(expr) && identical(expr[[1L]], quote(`(`))) expr <- expr[[2L]]
      if (is_chosen_call(expr) && is_own_test(expr[[3L]]) && !reads(expr[[2L]])) {
        return(if (length(expr) == 3L) expr[[2L]] else call("[", expr[[2L]], quote(expr = ), expr[[4L]]))
      }
      if (!is_chosen_product(expr)) return(NULL)
      rows <- expr[[2L]]
      while (identical(rows[[1L]], quote(`(`))) rows <- rows[[2L]]
      if (is_own_test(rows[[3L]]) && !reads(rows[[2L]]) && !reads(expr[[3L]])) call("%*%", rows[[2L]], expr[[3L]])
    },
    counts = function(expr) is.call(expr) && identical(expr[[1L]], quote(sum)) && length(expr) == 2L && is_own_test(expr[[2L]]),
    numbers = function(expr) {
      if (!identical(expr, i)) return(NULL)
      asks_number <<- TRUE
      part(as.call(list(numbers_of_unique, data)), over)
    },
    plain = function() c(part(as.call(list(none_missing, data)), call("missing", id)), if (asks_number) part(as.call(list(none_odd, data)), call("odd", id)))
  )
}

codes_of_unique <- function(id) {
  if (is_resident(id)) id <- in_r(id)
  match(id, unique(id))
}
count_of_unique <- function(id) {
  if (is_resident(id)) id <- in_r(id)
  logical(length(unique(id)))
}
numbers_of_unique <- function(id) {
  if (is_resident(id)) id <- in_r(id)
  if (is.numeric(id)) unique(id) else rep(NA_real_, length(unique(id)))
}
# Two elements where they are no numbers.
none_odd <- function(id) {
  if (is_resident(id)) id <- in_r(id)
  logical(if (is.numeric(id)) 1L else 2L)
}

# for (i in unique(id)) { own <- ...; s <- s + value } as s <- s + sum(sapply(unique(id), function(i) ...)); `whole`: the function's body, which
# reads the loop's variables nowhere else. NULL: another loop.
added_over_unique <- function(expr, whole, known, part, walk, is_rs, is_text) {
  over <- expr[[3L]]
  if (!is.call(over) || !identical(over[[1L]], quote(unique))) return(NULL)
  block <- expr[[4L]]
  parts <- if (is.call(block) && identical(block[[1L]], quote(`{`))) as.list(block)[-1L] else list(block)
  if (length(parts) == 0L || any(c("break", "next", "return", "for", "while", "repeat", "function") %in% all.names(block))) return(NULL)
  last <- parts[[length(parts)]]
  is_assigned <- function(part) is.call(part) && as.character(part[[1L]])[1L] %in% c("<-", "=") && is.symbol(part[[2L]])
  if (!all(vapply(parts, is_assigned, NA))) return(NULL)
  total <- last[[2L]]
  added <- without_total(last[[3L]], total)
  if (is.null(added)) return(NULL)
  before <- parts[-length(parts)]
  own <- c(as.character(expr[[2L]]), vapply(before, function(part) as.character(part[[2L]]), ""))
  inside <- all.names(expr)
  outside <- vapply(own, function(name) sum(all.names(whole) == name) != sum(inside == name), NA)
  if (any(outside) || as.character(total) %in% c(own, unlist(lapply(before, all.names)), all.names(added))) return(NULL)
  body <- if (length(before) == 0L) added else as.call(c(quote(`{`), before, list(added)))
  f <- made_function(stats::setNames(alist(a = ), as.character(expr[[2L]])), body)
  sum <- summed_over_unique(call("sum", call("unlist", call("lapply", over, f))), known, part, walk, is_rs, is_text, TRUE)
  if (!is.null(sum)) call("<-", total, call("+", total, sum))
}

# s + a - b without s; NULL: it is no such sum.
without_total <- function(expr, total) {
  if (!is.call(expr) || length(expr) != 3L || !as.character(expr[[1L]])[1L] %in% c("+", "-")) return(NULL)
  if (identical(expr[[2L]], total)) return(if (identical(expr[[1L]], quote(`+`))) expr[[3L]] else call("-", expr[[3L]]))
  before <- without_total(expr[[2L]], total)
  if (!is.null(before)) call(as.character(expr[[1L]]), before, expr[[3L]])
}
