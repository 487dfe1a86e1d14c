# R's parse tree as a typed tree: names, calls of the language, conditions.

# A scope holds the nodes of local variables (`vars`), the numbers of the inputs that names stand for (`inputs`) and the
# environment in which R would find functions (`env`). Returns the node of the value.
translate <- function(expr, tree, scope) {
  id <- translate_statement(expr, tree, scope)
  if (is.null(id)) no_value(expr)
  id
}

# A function's body, with its return().
translate_body <- function(expr, tree, scope) callCC(function(leave) {
  scope$leave <- leave
  translate(expr, tree, scope)
})

# NULL where there is no value.
translate_statement <- function(expr, tree, scope) {
  if (!is.null(spine_call(expr, scope))) return(translate_spine(expr, tree, scope))
  translate_other_call(expr, tree, scope)
}

translate_name <- function(name, tree, scope) {
  local <- scope$vars[[name]]
  if (!is.null(local)) return(local)
  k <- match(name, names(scope$inputs))
  if (is.na(k)) argument_error("object '", name, "' not found: it has no value where it is used")
  input <- tree$inputs[[scope$inputs[[k]]]]
  if (identical(input$kind, "constant")) return(constant(tree, input$value))
  add_node(tree, "input", input$type, input$len, value = scope$inputs[[k]])
}

call_name <- function(expr) {
  head <- expr[[1L]]
  if (is.symbol(head)) return(list(name = as.character(head), package = NULL))
  if (is.call(head) && length(head) == 3L && as.character(head[[1L]]) %in% c("::", ":::")) {
    return(list(name = as.character(head[[3L]]), package = as.character(head[[2L]])))
  }
  argument_error(
    "`", deparse1(expr), "`: a function is called by its name. Give it one, name <- opencl_function(function(x) ...), and call name(x)"
  )
}

translate_call <- function(expr, tree, scope) {
  head <- call_name(expr)
  if (tree$in_rule) {
    row <- rule_row(head$name)
    if (!is.null(row)) return(translate_library(expr, row, tree, scope))
  }
  what <- resolve_call(head$name, scope$env, head$package)
  switch(what$kind,
    own = translate_own(expr, what$value, tree, scope),
    library = translate_library(expr, what$value, tree, scope),
    language = translate_language(expr, what$name, tree, scope)
  )
}

# Another opencl_function in its own environment.
translate_own <- function(expr, fn, tree, scope) {
  inner <- attr(fn, "expression")
  if (!is.null(inner$reduce)) argument_error("`", deparse1(expr), "` reduces: an expression can call elementwise functions only. Call it first, and give its value as an argument")
  matched <- match.call(inner$f, as.call(c(quote(f), as.list(expr)[-1L])))
  body_scope <- new_scope(environment(inner$f), scope$inputs_of(environment(inner$f)), scope$inputs_of)
  for (name in names(formals(inner$f))) {
    given <- matched[[name]]
    default <- default_of(formals(inner$f), name)
    if (!is.null(given)) {
      body_scope$vars[[name]] <- translate(given, tree, scope)
    } else if (!is.null(default)) {
      body_scope$vars[[name]] <- translate(default, tree, body_scope)
    }
  }
  translate_body(body(inner$f), tree, body_scope)
}

# NULL where there is none.
default_of <- function(formals, name) if (!identical(formals[[name]], quote(expr = ))) formals[[name]]

new_scope <- function(env, inputs, inputs_of) {
  scope <- new.env(parent = emptyenv())
  scope$vars <- list()
  scope$env <- env
  scope$inputs <- inputs
  scope$inputs_of <- inputs_of
  scope
}

# length(x) and its like are known when the call is: the tree then holds for these lengths alone.
size_node <- function(expr, name, tree, scope) {
  tree$exact <- TRUE
  id <- operands(expr, tree, scope, 1L, name)[[1L]]
  node <- node_of(tree, id)
  dim <- if (node$op == "input") tree$inputs[[node$value]]$dim
  size <- switch(name,
    length = node$len,
    nrow = , NROW = if (!is.null(dim)) dim[1L] else if (name == "NROW") node$len,
    ncol = , NCOL = if (!is.null(dim)) dim[2L] else if (name == "NCOL") 1
  )
  if (is.null(size)) argument_error("`", deparse1(expr), "` needs a matrix that is an argument, as it was given; for a vector use length()")
  constant(tree, if (size <= .Machine$integer.max) as.integer(size) else size)
}

# What decides the shape of a tree is computed by R when the call is made, and noted: the tree serves calls that give the
# same.
# `whole`: of any length, else only one value decides.
decided <- function(expr, tree, scope, whole = FALSE) {
  id <- translate(expr, tree, scope)
  node <- node_of(tree, id)
  if (node$op == "const") return(node$value)
  if (node$len != 1 && !whole) return(rep_len(NA, node$len))
  value <- tree$value_of(id)
  tree$decisions[[length(tree$decisions) + 1L]] <- list(node = id, value = value)
  value
}

# The operands of a call that takes them by position.
operands <- function(expr, tree, scope, counts, name) {
  args <- as.list(expr)[-1L]
  if (!length(args) %in% counts) {
    argument_error("`", deparse1(expr), "`: ", name, " takes ", paste(counts, collapse = " or "), if (identical(counts, 1L)) " argument" else " arguments")
  }
  lapply(unname(args), translate, tree, scope)
}

named_operands <- function(expr, template, tree, scope) {
  matched <- tryCatch(match.call(template, expr), error = function(e) {
    argument_error("`", deparse1(expr), "`: ", conditionMessage(e))
  })
  as.list(matched)[-1L]
}

translate_language <- function(expr, name, tree, scope) {
  if (name %in% arithmetic_calls) {
    args <- operands(expr, tree, scope, if (name %in% c("+", "-")) 1:2 else 2L, name)
    if (length(args) == 1L) return(sign_node(tree, name, args[[1L]]))
    return(arithmetic_node(tree, name, args[[1L]], args[[2L]], expr))
  }
  if (name %in% comparison_calls) return(translate_comparison(expr, name, tree, scope))
  if (name %in% logic_calls) return(translate_logic(expr, name, tree, scope))
  if (name %in% structure_calls) return(translate_structure(expr, name, tree, scope))
  if (name %in% size_calls) return(size_node(expr, name, tree, scope))
  if (!is.null(elementary[[name]])) return(translate_elementary(expr, name, tree, scope))
  translate_other(expr, name, tree, scope)
}

translate_comparison <- function(expr, name, tree, scope) {
  args <- operands(expr, tree, scope, 2L, name)
  types <- vapply(args, function(id) type_of(tree, id), "")
  len <- common_length(tree, unlist(args), expr)
  if ("double" %in% types) args <- lapply(args, function(id) as_double_node(tree, id))
  add_node(tree, name, "logical", len, unlist(args))
}

translate_logic <- function(expr, name, tree, scope) {
  args <- operands(expr, tree, scope, if (name == "!") 1L else 2L, name)
  if (name %in% c("&&", "||")) for (id in args) scalar_condition(tree, id, expr)
  args <- lapply(args, function(id) as_type(tree, id, "logical"))
  len <- common_length(tree, unlist(args), expr)
  add_node(tree, substr(if (name == "xor") "^^" else name, 1L, 1L + (name == "xor")), "logical", len, unlist(args))
}

no_part_assigned <- function(expr) {
  paste0(
    "`", deparse1(expr), "`: only whole variables can be assigned. Write x <- ifelse(test, value, x) to change some elements"
  )
}

scalar_condition <- function(tree, id, expr) {
  if (len_of(tree, id) == 1) return(invisible())
  argument_error(
    "`", deparse1(expr[[1L]]), "` needs a condition of length one, and that of `", deparse1(expr)[1L], "` has ",
    format(len_of(tree, id)), ": use ifelse(), & or | to choose element by element"
  )
}

translate_structure <- function(expr, name, tree, scope) {
  switch(name,
    "(" = translate(expr[[2L]], tree, scope),
    "{" = {
      if (length(expr) < 2L) argument_error("`{}` has no value")
      for (part in as.list(expr)[-1L]) {
        value <- translate_statement(part, tree, scope)
        note_statement(tree, value)
      }
      value
    },
    "<-" = , "=" = {
      if (!is.symbol(expr[[2L]])) argument_error(no_part_assigned(expr))
      value <- translate(expr[[3L]], tree, scope)
      note_statement(tree, value)
      name <- as.character(expr[[2L]])
      scope$vars[[name]] <- value
      value
    },
    "if" = {
      condition <- decided(expr[[2L]], tree, scope)
      if (length(condition) != 1L) {
        argument_error(
          "the condition of `if` has length ", length(condition), ": use ifelse() to choose element by element"
        )
      }
      if (is.na(condition)) argument_error("missing value where TRUE/FALSE needed in `if (", deparse1(expr[[2L]]), ")`")
      if (condition) return(translate_statement(expr[[3L]], tree, scope))
      if (length(expr) > 3L) translate_statement(expr[[4L]], tree, scope)
    },
    ifelse = {
      args <- named_operands(expr, function(test, yes, no) NULL, tree, scope)
      if (length(args) != 3L) argument_error("`", deparse1(expr), "`: ifelse takes test, yes and no")
      test <- as_type(tree, translate(args$test, tree, scope), "logical")
      yes <- guarded(tree, test, TRUE, translate(args$yes, tree, scope))
      no <- guarded(tree, test, FALSE, translate(args$no, tree, scope))
      select_node(tree, test, yes, no)
    },
    "return" = {
      if (length(expr) != 2L) argument_error("`return()` needs a value")
      scope$leave(translate(expr[[2L]], tree, scope))
    }
  )
}

note_statement <- function(tree, id) {
  if (!tree$in_rule) tree$statements <- union(tree$statements, id)
}

translate_elementary <- function(expr, name, tree, scope) {
  x <- as_double_node(tree, operands(expr, tree, scope, 1L, name)[[1L]])
  elementary_node(tree, name, x, expr)
}

translate_other <- function(expr, name, tree, scope) {
  double_of <- function(id) as_double_node(tree, id)
  one <- function() operands(expr, tree, scope, 1L, name)[[1L]]
  rowed <- function(row, ids) library_node(tree, library_row(row), ids, expr)
  switch(name,
    .c_text = {
      args <- as.list(expr)[-1L]
      ids <- lapply(args[-1L], function(a) double_of(translate(a, tree, scope)))
      id <- add_node(
        tree, "c_text", "double", common_length(tree, unlist(ids)), unlist(ids),
        value = list(args[[1L]], paste(vapply(args[-1L], as.character, ""), collapse = ","))
      )
      add_site(tree, id, expr, "nan")
    },
    abs = {
      x <- one()
      x <- if (type_of(tree, x) == "double") x else as_type(tree, x, "integer")
      add_node(tree, "abs", if (type_of(tree, x) == "double") "double" else "integer", len_of(tree, x), x)
    },
    log = {
      args <- named_operands(expr, function(x, base) NULL, tree, scope)
      x <- double_of(translate(args$x, tree, scope))
      if (is.null(args$base)) return(add_site(tree, add_node(tree, "log", "double", len_of(tree, x), x), expr, "nan"))
      base <- double_of(translate(args$base, tree, scope))
      id <- add_node(tree, "log_base", "double", common_length(tree, c(x, base)), c(x, base))
      add_site(tree, id, expr, "nan")
    },
    pmin = , pmax = translate_pminmax(expr, name, tree, scope),
    is.na = , is.nan = , is.finite = , is.infinite = {
      x <- one()
      add_node(tree, name, "logical", len_of(tree, x), x)
    },
    "%*%" = {
      args <- operands(expr, tree, scope, 2L, name)
      matvec_node(tree, args[[1L]], args[[2L]], expr)
    },
    as.double = , as.numeric = bare_node(tree, double_of(one())),
    as.integer = {
      x <- one()
      id <- as_type(tree, x, "integer")
      if (node_of(tree, id)$op == "as_integer") {
        add_site(tree, id, expr, "nan", "NAs introduced by coercion to integer range")
      }
      if (type_of(tree, id) == "logical") id <- add_node(tree, "plus", "integer", len_of(tree, id), id)
      bare_node(tree, id)
    },
    as.logical = bare_node(tree, as_type(tree, one(), "logical")),
    atan2 = {
      args <- named_operands(expr, function(y, x) NULL, tree, scope)
      ids <- lapply(args[c("y", "x")], function(a) double_of(translate(a, tree, scope)))
      add_node(tree, "atan2", "double", common_length(tree, unlist(ids)), unlist(ids))
    },
    sign = rowed("sign", list(double_of(one()))),
    trunc = rowed("ftrunc", list(double_of(one()))),
    factorial = rowed("gammafn", list(arithmetic_node(tree, "+", double_of(one()), constant(tree, 1)))),
    lfactorial = rowed("lgammafn", list(arithmetic_node(tree, "+", double_of(one()), constant(tree, 1)))),
    round = , signif = {
      args <- named_operands(expr, function(x, digits) NULL, tree, scope)
      digits <- if (is.null(args$digits)) constant(tree, if (name == "round") 0 else 6) else translate(args$digits, tree, scope)
      x <- translate(args$x, tree, scope)
      rounded <- function() rowed(if (name == "round") "fround" else "fprec", list(double_of(x), double_of(digits)))
      if (type_of(tree, x) == "double") return(rounded())
      switch(whole_rounding(name, type_of(tree, x), if (!is.null(args$digits)) node_of(tree, digits)),
        double = rounded(), same = as_type(tree, x, "integer"), integer = as_type(tree, rounded(), "integer")
      )
    },
    argument_error(unsupported_text(name))
  )
}

# What round() and signif() make of whole numbers depends on R's version, so R is asked: "double", "integer", or "same", the numbers
# themselves. `digits`: NULL, or their node.
whole_rounding <- function(name, type, digits) {
  x <- if (type == "logical") TRUE else c(15L, 123456789L)
  rounding <- get(name, baseenv())
  known <- is.null(digits) || digits$op == "const"
  value <- if (is.null(digits)) rounding(x) else rounding(x, if (known) digits$value else c(1, -1))
  if (is.double(value)) return("double")
  if (known && identical(value, as.integer(x))) "same" else "integer"
}

translate_pminmax <- function(expr, name, tree, scope) {
  args <- as.list(expr)[-1L]
  na_rm <- FALSE
  if ("na.rm" %in% names(args)) {
    na_rm <- isTRUE(as.logical(decided(args$na.rm, tree, scope)))
    args$na.rm <- NULL
  }
  if (length(args) < 1L) argument_error("`", deparse1(expr), "` has no arguments")
  ids <- lapply(unname(args), translate, tree, scope)
  fractional <- "an argument will be fractionally recycled"
  type <- wider_type(vapply(ids, function(id) type_of(tree, id), ""))
  if (type == "logical") type <- "integer"
  value <- as_type(tree, ids[[1L]], type)
  for (id in ids[-1L]) {
    id <- as_type(tree, id, type)
    value <- add_node(tree, name, type, common_length(tree, c(value, id), expr, fractional), c(value, id), value = na_rm)
  }
  value
}
