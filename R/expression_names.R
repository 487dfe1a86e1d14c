# Questions about expressions as R has them: parts, variables, assigned names.

# The empty argument, the first of x[, 2]. R refuses to read a variable that holds it, as that of a for () over the parts of a call does: ask
# this of a part that is taken out, and loop over given_parts().
is_empty_argument <- function(part) missing(part) || identical(part, quote(expr = ))

# Whether a body of `statements` reads a name before the one, `assigned`, that assigns it.
is_read_before <- function(name, assigned, statements) {
  at <- which(vapply(statements, identical, NA, assigned))[1L]
  name %in% c(names_read(assigned[[3L]]), unlist(lapply(statements[seq_len(at - 1L)], names_read)))
}

# x[i] and x[i, j], whose x is a name.
is_part <- function(expr) is.call(expr) && identical(expr[[1L]], quote(`[`)) && length(expr) %in% 3:4 && is.symbol(expr[[2L]])

# stopifnot(all(x > 0)) asks what stopifnot(x > 0) asks.
within_all <- function(expr) {
  if (is.call(expr) && identical(expr[[1L]], quote(all)) && length(expr) == 2L && is.null(names(expr))) expr[[2L]] else expr
}

is_variable <- function(name, env) {
  value <- get0(name, envir = env)
  !is.null(value) && !is.function(value)
}

# A variable that an expression may read as a number or a text.
is_number_there <- function(name, env) {
  value <- get0(name, envir = env)
  !is.object(value) && (is.numeric(value) || is.logical(value) || is_known_text(value))
}

# Texts of which a program may hold for what they are.
is_known_text <- function(value) is.character(value) && is.null(attributes(value)) && !anyNA(value) && length(value) %in% 1:100

# What the default of an argument reads, and the defaults of those that it reads.
read_by_default <- function(formals, name) {
  read <- all.vars(default_of(formals, name))
  while (length(read) > 0L) {
    more <- setdiff(unlist(lapply(intersect(read, names(formals)), function(one) all.vars(default_of(formals, one)))), read)
    if (length(more) == 0L) return(read)
    read <- c(read, more)
  }
  read
}

# Whether what follows a part of a body is not reached from it.
leaves_body <- function(expr) {
  if (!is.call(expr) || !is.symbol(expr[[1L]])) return(FALSE)
  head <- as.character(expr[[1L]])
  head %in% c("stop", "return", "next", "break", ".refused") || (head %in% c("{", "(") && length(expr) > 1L && leaves_body(expr[[length(expr)]]))
}

# The compiler says so of other bodies; this one may be written in another way before it comes there.
refuse_last_loop <- function(expr) {
  expr <- last_of(expr)
  if (!is_call_of(expr, c("for", "while", "repeat"))) return(invisible())
  found <- last_assigned(expr)
  argument_error(
    "`", shown_line(expr), "` stands last, and the value of a loop is NULL in R: write the value behind it, ",
    if (is.null(found)) "as `s`" else paste0("`", found, "`"), " in a line of its own"
  )
}
last_assigned <- function(expr) {
  if (is_call_of(expr, c("<-", "=")) && length(expr) == 3L) {
    target <- expr[[2L]]
    while (is.call(target) && length(target) > 1L) target <- target[[2L]]
    return(as.character(target))
  }
  for (part in rev(given_parts(expr))) {
    found <- if (is.call(part)) last_assigned(part)
    if (!is.null(found)) return(found)
  }
}

# The user's own line, for messages: the first one of a block, and the beginning of a long one.
shown_line <- function(expr) {
  lines <- trimws(deparse(as_written(expr, character()), width.cutoff = 500L))
  if (nchar(lines[1L]) > 80L) paste0(substr(lines[1L], 1L, 77L), "...") else paste0(lines[1L], if (length(lines) > 1L) " ...")
}

# `text` with the line that it is about.
with_place <- function(text, expr) {
  paste0(text, if (!endsWith(text, "?")) ".", " It stands in `", shown_line(as_written(expr, character())), "`; ?opencl_language has what can stand there", see_limits)
}

# Every name that a function's body and the defaults of its arguments call, but for syntax_calls.
called_names <- function(f) setdiff(names_called(call("function", formals(f), body(f))), syntax_calls)

# ---- functions that names stand for ------------------------------------------------------------------------------------

# The function that a name stands for as seen from `env`, for plain vectors and matrices: of an S4 generic that a package has made of one of R's
# (as Matrix does of drop() and mean()), R's own, and so of a copy of R's function. NULL: there is none.
function_named <- function(name, env) {
  found <- get0(name, envir = env, mode = "function")
  if (is.null(found) || is.primitive(found)) return(found)
  if (isS4(found)) return(function_of_generic(found) %||% found)
  home <- environment(found)
  if (!isNamespace(home) || is.object(found)) return(found)
  rs <- get0(name, baseenv(), mode = "function", inherits = FALSE)
  if (is.null(rs) || is.primitive(rs) || identical(home, environment(rs)) || !is_copy(found, rs)) return(found)
  rs
}

# R's own functions under other names, as linkinv <- plogis has them, are called by R's, where these stand for them, too.
with_rs_names <- function(f) {
  env <- environment(f)
  own <- c(names(formals(f)), assigned_names(body(f)))
  names <- list()
  for (name in setdiff(called_names(f), own)) {
    found <- get0(name, envir = env, mode = "function")
    if (is.null(found) || is.object(found) || identical(rs_functions()[[name]], found)) next
    k <- Position(function(one) identical(one, found), rs_functions())
    rs <- names(rs_functions())[k]
    if (!is.na(k) && !rs %in% own && identical(get0(rs, envir = env, mode = "function"), found)) names[[name]] <- as.symbol(rs)
  }
  if (length(names) == 0L) return(f)
  with_body(f, with_functions_named(body(f), names))
}

# A body without link <- plogis, where all that follows calls link(x), or gives it to sapply() and its like: by the function's own name.
with_functions_by_name <- function(f) {
  expr <- body(f)
  if (!is_call_of(expr, "{")) return(f)
  for (k in seq_along(expr)[-1L]) {
    statement <- expr[[k]]
    if (!is_alias(statement) || k == length(expr)) next
    name <- as.character(statement[[2L]])
    of <- statement[[3L]]
    assigned <- assigned_names(expr)
    if (sum(assigned == name) != 1L || as.character(of) %in% assigned || any(c(name, as.character(of)) %in% c(names(formals(f)), inner_names(expr)))) next
    if (!is.function(get0(as.character(of), environment(f)))) next
    parts <- as.list(expr)[-k]
    before <- seq_along(parts) < k
    parts[!before] <- lapply(parts[!before], with_functions_named, stats::setNames(list(of), name))
    if (name %in% names_of_local_blocks(as.list(expr)[-1L])) next # where a list may have it
    if (any(vapply(c(parts, as.list(formals(f))), mentions, NA, name))) next
    return(with_functions_by_name(with_body(f, as.call(parts))))
  }
  f
}

# The functions that `named` has, by name, by the symbols there; not within a function that has a variable of one of these names.
with_functions_named <- function(expr, named) {
  if (!is.call(expr) || is_call_of(expr, "quote")) return(expr)
  if (is_call_of(expr, "function")) {
    own <- c(names(expr[[2L]]), assigned_names(expr[[3L]]))
    named <- named[!(names(named) %in% own | vapply(named, as.character, "") %in% own)]
    if (length(named) == 0L) return(expr)
  }
  of <- if (is_call_of(expr, names(named))) named[[as.character(expr[[1L]])]]
  written <- if (!is.null(of)) shown_code(expr)
  at <- place_of_function(expr)
  if (at > 0L) expr[[at]] <- named[[as.character(expr[[at]])]] %||% expr[[at]]
  last <- if (is_call_of(expr, c("$", "@"))) 2L else length(expr)
  for (k in seq_len(last)) if (is.call(expr[[k]])) expr[k] <- list(with_functions_named(expr[[k]], named))
  if (is.null(of)) return(expr)
  expr[[1L]] <- of
  structure(expr, written = written)
}

# Whether a name stands anywhere in an expression, defaults of functions among it, but for elements, d$name.
mentions <- function(expr, name) {
  if (is_empty_argument(expr)) return(FALSE)
  if (is.symbol(expr)) return(as.character(expr) == name)
  if (is.pairlist(expr)) return(any(vapply(as.list(expr), mentions, NA, name)))
  if (!is.call(expr)) return(is.character(expr) && name %in% expr)
  if (is_call_of(expr, c("$", "@"))) return(mentions(expr[[2L]], name))
  any(vapply(as.list(expr), mentions, NA, name))
}

# By name: the functions of R that the language has.
rs_functions <- function() {
  if (is.null(expression_state$rs_functions)) {
    names <- setdiff(unique(c(language_calls(), vapply(expression_rows(), r_name, ""))), syntax_calls)
    found <- lapply(stats::setNames(names, names), get0, envir = asNamespace("stats"), mode = "function")
    expression_state$rs_functions <- Filter(Negate(is.null), found)
  }
  expression_state$rs_functions
}

# Whether a function of a package has base's text, and what it calls there is what base's calls: Matrix's det(), for determinant().
is_copy <- function(found, rs) {
  if (!identical(body(found), body(rs)) || !identical(formals(found), formals(rs))) return(FALSE)
  all(vapply(setdiff(all.names(body(rs)), ""), function(name) {
    called <- get0(name, environment(found), mode = "function")
    if (isS4(called)) called <- function_of_generic(called)
    identical(called, get0(name, baseenv(), mode = "function"))
  }, NA))
}

# What a generic does with plain vectors and matrices, where it is what R's function of this name does: the default is that function, or calls it
# with the same arguments, and no other method is for such arguments. Else NULL.
function_of_generic <- function(generic) {
  if (!methods::is(generic, "standardGeneric") || !methods::is(generic@default, "derivedDefaultMethod")) return(NULL)
  name <- as.character(generic@generic)
  default <- methods::as(generic@default, "function")
  rs <- NULL
  for (package in c("base", "stats", "utils")) {
    of_package <- get0(name, asNamespace(package), mode = "function", inherits = FALSE)
    if (is.null(of_package) || isS4(of_package)) next
    calls <- is.call(body(default)) && identical(body(default)[[1L]], call("::", as.symbol(package), as.symbol(name)))
    if (identical(default, of_package) || (calls && passes_arguments(default, of_package))) rs <- of_package
  }
  if (is.null(rs)) return(NULL)
  plain <- classes_of_plain()
  for (method in methods::findMethods(generic)) {
    if (all(as.character(method@defined) %in% plain) && !methods::is(method, "derivedDefaultMethod")) return(NULL)
  }
  rs
}

# Whether a function, whose whole body is a call of R's, has the arguments of R's and gives each as itself.
passes_arguments <- function(f, rs) {
  without_dots <- function(x) x[!x %in% "..."]
  of_r <- formals(args(rs))
  names <- without_dots(names(of_r))
  given <- Filter(function(part) !identical(part, quote(...)), as.list(body(f))[-1L])
  own <- without_dots(names(formals(f)))
  if ("..." %in% names(formals(f))) names <- names[seq_len(min(length(own), length(names)))] # the others go through
  if (!all(vapply(given, is.symbol, NA)) || !identical(own, names)) return(FALSE)
  values <- vapply(given, as.character, "")
  called <- names(given) %||% rep("", length(given))
  if (!identical(unname(values), names) || !all(called == "" | called == values)) return(FALSE)
  all(vapply(names, function(name) is.null(default_of(formals(f), name)) || isTRUE(all.equal(formals(f)[[name]], of_r[[name]])), NA))
}

# Those that plain vectors and matrices are of, unions of packages among them.
classes_of_plain <- function() {
  basic <- c("numeric", "integer", "logical", "character", "factor", "matrix", "array", "NULL")
  unique(c("ANY", "missing", "double", basic, unlist(lapply(basic, function(class) names(methods::getClass(class)@contains)))))
}

# Functions are looked up at each call, as variables are: those that a name stands for may be others by now. What is computed before the
# kernel is written into the function that users call, so that it has to stay what it was.
look_up_called <- function(expression) {
  for (k in seq_along(expression$called)) {
    one <- expression$called[[k]]
    value <- get0(one$name, envir = one$env, mode = "function")
    if (!identical(value, one$value)) {
      note_inputs(expression)
      expression$changed <- if (!identical(given_inputs(expression), expression$given)) one$name
      break
    }
    expression$called[[k]]$value <- value # known calls take the very same function only
  }
  if (is.null(expression$changed)) return(invisible())
  argument_error(
    "`", expression$changed, "()` is another function now than when this one was made, and R computes with it what the kernel is given: make it again by opencl_function()"
  )
}

# What the function that users call gives for each argument of the program: names, and calls that R evaluates.
given_inputs <- function(expression) {
  formal <- Filter(function(input) input$formal, expression$inputs)
  lapply(formal, function(input) input[c("name", "value")])
}

# What nobody calls otherwise than R does.
syntax_calls <- c("{", "(", "<-", "=", "[", "[[", "$", "if", "for", "while", "repeat", "function", "return", "break", "next")

# A call as the user has it: with x[d == 1] and data$y for what stands for them. `names`: of such arguments.
as_written <- function(expr, names) {
  if (is.symbol(expr)) return(if (as.character(expr) %in% names) code_of_part(as.character(expr)) else written_symbol(expr))
  if (!is.call(expr)) return(expr)
  written <- attr(expr, "written")
  parsed <- if (!is.null(written)) tryCatch(str2lang(written), error = function(e) NULL) # a block in one line is no code
  if (!is.null(parsed)) return(parsed)
  for (k in seq_along(expr)) if (!is_empty_argument(expr[[k]])) expr[k] <- list(as_written(expr[[k]], names))
  expr
}

# What messages show for a name that rewritten code has: of numbers of groups, rows and elements `i`.
written_symbol <- function(name) {
  text <- as.character(name)
  if (!startsWith(text, ".")) return(name)
  if (startsWith(text, ".numbers_of_")) return(as.symbol(sub("^[.]numbers_of_", "", text)))
  if (grepl("^[.](at|of_group|group|i|round)[0-9]*$", text)) quote(i) else name
}

# The code that a part has as its name; of an element of a list that may be any name.
code_of_part <- function(name) {
  tryCatch(str2lang(name), error = function(e) call("$", as.symbol(sub("[$].*", "", name)), as.symbol(sub("^[^$]*[$]", "", name))))
}

# The same of a message: data$y[i] in a call that it shows, where the core has `data$y`[i]. Most calls stand in back quotes themselves, so that
# those of a name in it come behind an odd number of others; else they come behind ( or [.
text_as_written <- function(text, names) {
  for (name in names) {
    quoted <- paste0("`", name, "`")
    at <- 1L
    while ((found <- regexpr(quoted, substring(text, at), fixed = TRUE)) > 0L) {
      at <- at + found - 1L
      before <- substr(text, 1L, at - 1L)
      inside <- nchar(gsub("[^`]", "", before)) %% 2L == 1L || grepl("[[(]$", before)
      if (inside) text <- paste0(before, name, substring(text, at + nchar(quoted)))
      at <- at + if (inside) nchar(name) else nchar(quoted)
    }
  }
  text
}

# The same of all elements `call` of lists in lists.
calls_as_written <- function(x, names) {
  if (!is.list(x)) return(x)
  at <- match("call", names(x), nomatch = 0L)
  if (at > 0L && is.call(x[[at]])) x[[at]] <- as_written(x[[at]], names)
  x[] <- lapply(x, calls_as_written, names)
  x
}

# Names of arguments that are parts of the body.
names_of_parts_taken <- function(inputs) shown_parts(vapply(inputs, function(input) if (is.null(input$value)) "" else input$name, ""))

# Of names of parts, those that are code.
shown_parts <- function(names) names[nzchar(names) & !grepl(" has ", names, fixed = TRUE)]
