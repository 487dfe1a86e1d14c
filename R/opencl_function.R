# opencl_function -- an R function as one kernel: what users call.

reductions <- c("sum", "mean", "min", "max", "prod", "logsumexp", "any", "all")

#' An R function as one kernel
#'
#' Makes a function of an R function whose body is arithmetic on vectors: the whole body becomes one OpenCL kernel, which
#' reads its arguments once and writes its result once, or only the sum of it. What depends on numbers of length one is
#' computed once, not for every element.
#'
#' @section The language: Arithmetic (\code{+ - * / ^ \%\% \%/\%}), comparisons, \code{& | ! xor && ||}, \code{ifelse},
#'   \code{if}/\code{else}, \code{\{\}}, local variables, \code{return}, \code{pmin}, \code{pmax}, \code{abs}, \code{sqrt},
#'   \code{exp}, \code{log} (with a base), \code{log1p}, \code{expm1}, \code{log2}, \code{log10}, trigonometric and
#'   hyperbolic functions and their inverses, \code{cospi}, \code{sinpi}, \code{tanpi}, \code{floor}, \code{ceiling},
#'   \code{trunc}, \code{round}, \code{signif}, \code{sign}, \code{is.na}, \code{is.nan}, \code{is.finite},
#'   \code{is.infinite}, \code{as.integer} and its like, \code{length}, numbers, \code{TRUE}, \code{FALSE} and \code{NA},
#'   variables of the function's environment (looked up at each call), other \code{opencl_function}s, \code{X \%*\% b} with a
#'   matrix and a vector of coefficients, and every function of this package by R's name, arguments and defaults:
#'   \code{dgamma(x, a, rate = b, log = TRUE)}, \code{lgamma}, \code{besselJ}, \code{rnorm(length(x), m)}. Anything else is
#'   an error when the function is made.
#' @section Meaning: What R gives: recycling of every intermediate result, types (logical, integer, double), integer
#'   overflow, \code{NA} apart from \code{NaN}, attributes, warnings. Exceptions: \code{ifelse} has the wider type of its two
#'   branches, whichever elements are taken; \code{x \%\% y} and \code{x \%/\% y} of doubles are exact; \code{min},
#'   \code{max} and \code{prod} as reductions give doubles. Conditions of \code{if}, \code{&&} and \code{||} have length one.
#'   Arguments with a class (factors, dates) are errors.
#' @section Without OpenCL: On the host device the kernel is compiled by the C compiler that R was configured with; where
#'   there is none, R evaluates the body with this package's host functions. Results agree within the functions' accuracy.
#' @param f a function, or, with \code{text}, its arguments as one string, \code{"x, a, b"}.
#' @param text a C expression of the arguments with the library's C functions, \code{"dgamma(x, a, 1.0 / b, 1)"}.
#' @param reduce \code{NULL}, or what becomes of the values: \code{"sum"}, \code{"mean"}, \code{"min"}, \code{"max"},
#'   \code{"prod"}, \code{"logsumexp"} (the log of the sum of their exponentials), \code{"any"} or \code{"all"}.
#' @param na.rm whether a reduction leaves missing values out.
#' @param gradient names of arguments of \code{f}: the value then has the attribute \code{"gradient"}, as
#'   \code{\link[stats]{deriv}} gives it: a matrix with a row for each element and a column for each name (for each
#'   coefficient, where the argument is \code{b} in \code{X \%*\% b}); with \code{reduce = "sum"} or \code{"mean"} a vector of
#'   their sums or means.
#' @return A function of class \code{opencl_function} with the arguments of \code{f}, with \code{by} if it reduces (a factor or
#'   integer codes: one result for each level, named; \code{NA} for levels without elements), and \code{device}, \code{fallback} and
#'   \code{verbose} as the other functions of this package have them. \code{print()} shows the R function and, once it was
#'   called, the kernel; results of vectors that stay on a device (\code{\link{opencl_vector}}) stay there;
#'   \code{as.character()} gives the program of the last call.
#' @section Errors: Class \code{nmathopencl_error}: what the language lacks, named; arguments of other types; a device that
#'   fails, see \code{fallback}.
#' @seealso \code{\link{last_run}} for what a call did.
#' @examples
#' density <- opencl_function(function(x, a, b) dgamma(x, a, rate = b, log = TRUE))
#' density(c(0.5, 1, 2), 2, 3)
#' loglik <- opencl_function(function(x, a, b) dgamma(x, a, rate = b, log = TRUE), reduce = "sum")
#' loglik(c(0.5, 1, 2), 2, 3)
#' @export
opencl_function <- function(f, text = NULL, reduce = NULL, na.rm = FALSE, gradient = NULL) {
  if (!is.null(text)) f <- text_function(f, text)
  if (!is.function(f) || is.primitive(f)) argument_error("`f` must be a function written in R")
  if (inherits(f, "opencl_function")) f <- attr(f, "expression")$f
  if (!is.null(reduce) && !(is.character(reduce) && length(reduce) == 1L && reduce %in% reductions)) {
    argument_error("`reduce` must be NULL or one of ", paste0("\"", reductions, "\"", collapse = ", "))
  }
  if (!is_switch(na.rm)) argument_error("`na.rm` must be TRUE or FALSE")
  reserved <- alist(by = NULL, device = "auto", fallback = FALSE, verbose = FALSE)
  if (is.null(reduce)) reserved$by <- NULL
  taken <- intersect(c(names(reserved), "..."), names(formals(f)))
  if (length(taken) > 0L) argument_error("`f` must not have an argument `", taken[1L], "`")
  expression <- new.env(parent = emptyenv())
  expression$f <- f
  expression$reduce <- if (!is.null(reduce)) list(op = reduce, na_rm = na.rm)
  expression$inputs <- expression_inputs(f)
  expression$outer <- Filter(function(input) !input$formal, expression$inputs)
  expression$gradient <- gradient_inputs(expression, gradient)
  expression$variants <- new.env(parent = emptyenv())
  structure(expression_caller(f, expression, reserved), class = c("opencl_function", "function"), expression = expression)
}

# The function that `text` says, a C expression, with arguments "x, a, b".
text_function <- function(f, text) {
  if (!is.character(f) || length(f) != 1L || is.na(f)) argument_error("with `text`, `f` must name the arguments in one string")
  if (!is.character(text) || length(text) != 1L || is.na(text)) argument_error("`text` must be one string")
  names <- trimws(strsplit(f, ",", fixed = TRUE)[[1L]])
  if (length(names) == 0L || !all(grepl("^[A-Za-z][A-Za-z0-9_]*$", names))) argument_error("`f` must be names of C, as \"x, a, b\"")
  formals <- rep(alist(x = ), length(names))
  names(formals) <- names
  as.function(c(formals, as.call(c(quote(.c_text), text, lapply(names, as.symbol)))), envir = topenv())
}

# The function that users call: the same formals, whose used ones are evaluated, as R would.
expression_caller <- function(f, expression, reserved) {
  used <- vapply(Filter(function(input) input$formal, expression$inputs), function(input) input$name, "")
  caller <- function() NULL
  formals(caller) <- c(formals(f), reserved)
  values <- as.call(c(quote(list), lapply(used, as.symbol)))
  body(caller) <- as.call(list(
    function(values, ...) run_expression(expression, values, ...), values, if ("by" %in% names(reserved)) quote(by) else NULL, quote(device), quote(fallback), quote(verbose),
    quote(sys.call())
  ))
  environment(caller) <- environment(f)
  caller
}

gradient_inputs <- function(expression, gradient) {
  if (is.null(gradient)) return(NULL)
  if (!is.null(expression$reduce) && !expression$reduce$op %in% c("sum", "mean")) {
    argument_error("`gradient` goes with `reduce` NULL, \"sum\" or \"mean\"")
  }
  formal <- Filter(function(input) input$formal, expression$inputs)
  known <- vapply(formal, function(input) input$name, "")
  if (!is.character(gradient) || length(gradient) == 0L || anyNA(gradient) || anyDuplicated(gradient)) {
    argument_error("`gradient` must be names of arguments of `f`")
  }
  k <- match(gradient, known)
  if (anyNA(k)) argument_error("`gradient` names `", gradient[is.na(k)][1L], "`, which `f` does not use as an argument")
  k
}

# Every variable that the body reads: formals, then those of environments, in the functions that it calls as well.
expression_inputs <- function(f) {
  inputs <- list()
  add <- function(name, env, formal) {
    for (input in inputs) if (input$name == name && identical(input$env, env) && input$formal == formal) return()
    inputs[[length(inputs) + 1L]] <<- list(name = name, env = env, formal = formal)
  }
  visited <- list()
  look <- function(f, outer) {
    env <- environment(f)
    bound <- if (outer) character() else names(formals(f))
    walk <- function(expr) {
      if (is.symbol(expr)) {
        name <- as.character(expr)
        if (!nzchar(name) || name %in% bound) return()
        formal <- outer && name %in% names(formals(f))
        add(name, env, formal)
        return()
      }
      if (!is.call(expr)) {
        if (!is.null(expr)) constant(new_tree(list(), NULL), expr)
        return()
      }
      head <- call_name(expr)
      what <- resolve_call(head$name, env, head$package)
      if (what$kind == "own") {
        inner <- attr(what$value, "expression")$f
        if (!any(vapply(visited, identical, NA, inner))) {
          visited[[length(visited) + 1L]] <<- inner
          look(inner, FALSE)
        }
      }
      if (head$name %in% c("<-", "=") && what$kind == "language") {
        if (!is.symbol(expr[[2L]])) argument_error("`", deparse1(expr), "`: only whole variables can be assigned")
        walk(expr[[3L]])
        bound <<- c(bound, as.character(expr[[2L]]))
        return()
      }
      if (what$kind == "library") match_library(expr, what$value)
      parts <- as.list(expr)[-1L]
      if (head$name == ".c_text") parts <- parts[-1L]
      for (part in parts) walk(part)
    }
    if (!outer) for (name in names(formals(f))) walk(default_of(formals(f), name))
    walk(body(f))
  }
  look(f, TRUE)
  inputs[order(!vapply(inputs, function(input) input$formal, NA))]
}

# ---- a call ----------------------------------------------------------------------------------------------------------

run_expression <- function(expression, values, by, device, fallback, verbose, call) {
  if (!isFALSE(fallback) || !isFALSE(verbose)) check_switches(fallback, verbose)
  inputs <- values
  for (input in expression$outer) inputs[length(inputs) + 1L] <- list(outer_value(input))
  key <- expression_key_cpp(inputs)
  if (is.null(key)) {
    inputs <- plain_inputs(expression, inputs)
    key <- expression_key_cpp(inputs)
  }
  device <- resolve_device(device)
  resident <- FALSE
  for (k in seq_along(inputs)) {
    if (!is.object(inputs[[k]])) next
    if (length(inputs[[k]]) == 1) inputs[[k]] <- as.vector(inputs[[k]]) else resident <- TRUE
  }
  plainly <- function() {
    as_r <- function(x) if (is.object(x)) as.vector(x) else x
    if (!is.null(expression$gradient) && key != "") {
      inputs <- lapply(inputs, as_r)
      return(gradient_plainly(expression, find_variant(expression, inputs, key), inputs, by))
    }
    value <- evaluate_plainly(expression, lapply(values, as_r), by, call)
    if (resident && is.null(expression$reduce)) opencl_vector(value, "host") else value
  }
  if (key == "" || (!expressions_compile() && on_host(device, inputs))) return(plainly())
  form <- if (is.null(by)) "" else "by"
  variant <- find_variant(expression, inputs, key, form)
  groups <- NULL
  if (!is.null(by)) {
    groups <- expression_groups(by, variant, inputs)
    if (resident || variant$text$uses_index) {
      form <- "by order"
      variant <- find_variant(expression, inputs, key, form)
    }
  }
  seeds <- if (length(variant$text$seeds) > 0L) lapply(variant$text$seeds, function(k) draw_seed_cpp())
  progress <- call_progress("opencl_function", environment())
  keep <- resident && is.null(expression$reduce)
  run <- function(device) {
    if (device == "host" && !expressions_compile()) return(list(plain = plainly())) # a device failed
    run_variant(variant, inputs, seeds, groups, device, progress, keep)
  }
  result <- run_on_device(run, device, fallback, call)
  if (!is.null(result$plain)) return(result$plain)
  if (has_bit(result$flags, variant$text$odd_bit)) {
    variant <- find_variant(expression, inputs, key, paste(form, "general"))
    result <- run_on_device(run, device, fallback, call)
  }
  finish_expression(expression, variant, inputs, groups, result, verbose, call)
}

# Whether a call would be the host device's: the choice may be automatic, and vectors that stay choose by where they are.
on_host <- function(device, inputs) {
  for (x in inputs) if (is.object(x)) return(identical(resident_device(x), "host"))
  device == "host" || isTRUE(tryCatch(device_index_cpp(device) == 0L, error = function(e) FALSE))
}

# Whether a bit of the flags, by number from 1, is set.
has_bit <- function(flags, bit) {
  if (is.null(bit)) return(FALSE)
  word <- flags[(bit - 1L) %/% warning_bits + 1L]
  word != 0L && bitwAnd(bitwShiftR(word, (bit - 1L) %% warning_bits), 1L) == 1
}

# The groups of `by`: a factor, or integer codes from 1; elements without one are left out.
expression_groups <- function(by, variant, inputs) {
  n <- element_count(variant, inputs)
  codes <- if (is.factor(by)) as.integer(by) else by
  if (is.double(codes) && all(is.na(codes) | codes == trunc(codes))) codes <- as.integer(codes)
  if (!is.integer(codes)) argument_error("`by` must be a factor or integer codes")
  if (length(codes) != n) {
    argument_error("`by` has length ", length(codes), ", and there are ", format(n), " values to be grouped")
  }
  if (!is.factor(by) && any(codes < 1L, na.rm = TRUE)) argument_error("codes in `by` must be from 1 on")
  names <- if (is.factor(by)) levels(by) else as.character(seq_len(max(0L, codes, na.rm = TRUE)))
  cost <- match(variant$text$cost, c("cheap", "moderate", "heavy", "slow")) - 1L
  made <- fused_groups_cpp(codes, length(names), fused_block_cpp(n, cost))
  if (!is.null(made$error)) raise_core_error(made$error, NULL)
  c(made, list(names = names))
}

outer_value <- function(input) {
  get0(input$name, envir = input$env %||% baseenv(), ifnotfound = argument_error("object '", input$name, "' not found"))
}

# NULL is a vector of no elements; what is no plain vector of numbers is refused.
plain_inputs <- function(expression, inputs) {
  lapply(seq_along(inputs), function(k) {
    x <- inputs[[k]]
    if (is.null(x)) return(numeric())
    if (!is.object(x) && typeof(x) %in% c("double", "integer", "logical")) return(x)
    what <- if (is.object(x)) paste0("of class ", paste(class(x), collapse = "/")) else paste("of type", typeof(x))
    argument_error(
      "`", expression$inputs[[k]]$name, "` is ", what, ": an expression computes with plain numeric, integer and logical ",
      "vectors"
    )
  })
}

# The program for arguments of these types and order of lengths: lengths themselves are arguments of the kernel.
find_variant <- function(expression, inputs, key, form = "") {
  shape <- key
  if (key == "many") {
    shape <- paste(vapply(inputs, input_type, ""), vapply(inputs, NCOL, 0L), vapply(inputs, length, 0), collapse = " ")
  }
  key <- paste(shape, form)
  known <- expression$variants[[key]]
  for (variant in known) {
    if (!variant$exact && length(variant$decisions) == 0L) return(variant)
    if (variant_fits(variant, inputs)) return(variant)
  }
  sizes <- vapply(inputs, length, 0)
  variant <- make_variant(expression, inputs, sizes, max(sizes) >= 2^31, form)
  expression$variants[[key]] <- c(list(variant), utils::head(known, 31L))
  expression$last <- variant
  variant
}

variant_fits <- function(variant, inputs) {
  if (variant$exact && !identical(variant$sizes, vapply(inputs, length, 0))) return(FALSE)
  for (decision in variant$decisions) {
    if (!identical(node_value(variant$tree, decision$node, inputs), decision$value)) return(FALSE)
  }
  TRUE
}

input_type <- function(x) if (is.object(x)) resident_fields(x)$type else typeof(x)

make_variant <- function(expression, inputs, sizes, wide, form) {
  facts <- lapply(seq_along(inputs), function(k) {
    x <- inputs[[k]]
    list(name = expression$inputs[[k]]$name, type = input_type(x), len = length(x), dim = if (is.matrix(x)) dim(x))
  })
  tree <- new_tree(facts, function(tree, id) node_value(tree, id, inputs))
  names_of <- function(env, formal) {
    mine <- which(vapply(expression$inputs, function(input) identical(input$env, env) && (formal || !input$formal), NA))
    stats::setNames(as.list(mine), vapply(expression$inputs[mine], function(input) input$name, ""))
  }
  scope <- new_scope(environment(expression$f), names_of(environment(expression$f), TRUE), function(env) names_of(env, FALSE))
  root <- translate_body(body(expression$f), tree, scope)
  outputs <- list(root)
  reduce <- expression$reduce
  if (!is.null(reduce)) {
    root <- reduced_root(tree, root, reduce$op)
    outputs <- list(root)
    if (reduce$op == "mean") {
      if (reduce$na_rm) outputs[[2L]] <- add_node(tree, "!", "logical", len_of(tree, root), add_node(tree, "is.na", "logical", len_of(tree, root), root))
      reduce$op <- "sum"
    }
  }
  slopes <- list()
  if (!is.null(expression$gradient)) {
    slopes <- gradient_nodes(tree, root, expression$gradient, inputs, !is.null(reduce))
    outputs <- c(outputs, unname(slopes))
  }
  text <- expression_text(tree, outputs, reduce, wide, form)
  list(
    handle = prepare_kernel("opencl_function", text), columns = vapply(text$columns, function(column) column$input, 0L),
    tree = tree, root = root, outputs = outputs, text = text, slopes = names(slopes), exact = tree$exact, sizes = sizes,
    decisions = tree$decisions,
    recycled = lapply(tree$recycled, function(pair) list(ranks = match(pair$lengths, sizes), pair = pair)),
    length_inputs = match(text$lengths, sizes), n_input = match(text$n, sizes)
  )
}

# ---- the engine ------------------------------------------------------------------------------------------------------

item_codes <- c(
  column = 1L, offset = 2L, stride = 3L, output = 4L, out_offset = 5L, flags = 6L, first = 7L, len = 8L, scalar = 9L,
  whole_scalar = 10L, length = 11L, seed = 12L, order = 13L, starts = 14L, blocks = 15L, block = 16L
)
role_codes <- c(full = 1L, whole = 2L, matrix = 3L)
output_codes <- c(double = 1L, integer = 2L, logical = 3L, long = 4L)

# What fused_prepare_cpp() is told: the kernel's arguments by number. Scalars are one vector: inputs of length one, then
# lengths, then the two words of each seed.
prepare_kernel <- function(name, text) {
  n_scalars <- length(text$scalars)
  n_lengths <- length(text$lengths)
  kinds <- vapply(text$items, function(item) item$kind, "")
  numbers <- vapply(text$items, function(item) item$number, 0L)
  whole <- kinds == "scalar" & text$scalar_types[pmax(numbers, 1L)] != "double"
  index <- numbers - 1L
  index[kinds == "length"] <- index[kinds == "length"] + n_scalars
  index[kinds == "seed"] <- 2L * index[kinds == "seed"] + n_scalars + n_lengths
  kinds[whole] <- "whole_scalar"
  handle <- fused_prepare_cpp(list(
    name = name, key = "", text = function() expression_program(text$text), options = "", kernel = expression_kernel,
    cost = match(text$cost, c("cheap", "moderate", "heavy", "slow")) - 1L, items = unname(item_codes[kinds]),
    index = pmax(index, 0L), roles = unname(role_codes[vapply(text$columns, function(column) column$role, "")]),
    outputs = unname(output_codes[text$outputs]), flags = text$words,
    scalars = n_scalars + n_lengths + 2L * length(text$seeds), reduce = !is.null(text$reduce)
  ))
  if (is.list(handle)) raise_core_error(handle$error, NULL)
  handle
}

expression_program <- function(text) {
  program <- expression_program_cpp(text)
  if (is.list(program)) raise_core_error(program$error, NULL)
  program
}

run_variant <- function(variant, inputs, seeds, groups, device, progress, keep) {
  text <- variant$text
  scalars <- c(unlist(inputs[text$scalars], use.names = FALSE), length_values(variant, inputs), unlist(seeds))
  columns <- inputs[variant$columns]
  for (k in seq_along(columns)) if (is.object(columns[[k]])) columns[[k]] <- resident_fields(columns[[k]])$pointer
  fused_run_cpp(
    variant$handle, columns, as.double(scalars), element_count(variant, inputs), groups$handle, device, 0, progress, keep
  )
}

length_values <- function(variant, inputs) {
  if (length(variant$length_inputs) == 0L) return(NULL)
  sizes <- vapply(inputs, length, 0)
  known <- sizes[variant$length_inputs]
  known[is.na(known)] <- variant$text$lengths[is.na(known)]
  known
}

element_count <- function(variant, inputs) {
  if (is.na(variant$n_input)) variant$text$n else length(inputs[[variant$n_input]])
}

# Whether the host device can make programs of texts.
expressions_compile <- function() {
  option <- getOption("nmathopencl.compiler")
  if (is.null(expression_state$compiles) || !identical(option, expression_state$compiler_option)) {
    expression_state$compiler_option <- option
    expression_state$compiles <- startsWith(host_compiler_setting(), "\n")
  }
  expression_state$compiles
}

# What is reduced is of the reduction's type.
reduced_root <- function(tree, root, op) {
  if (op %in% c("any", "all")) return(as_type(tree, root, "logical"))
  if (op %in% c("sum", "min", "max")) return(root)
  as_double_node(tree, root)
}

# ---- results ---------------------------------------------------------------------------------------------------------

finish_expression <- function(expression, variant, inputs, groups, result, verbose, call) {
  n <- element_count(variant, inputs)
  n_slopes <- length(variant$slopes)
  own <- seq_len(length(result$values) - n_slopes)
  reduce <- expression$reduce
  value <- if (is.null(reduce)) {
    shaped_values(variant, inputs, result$values[[1L]], n)
  } else {
    grouped_value(reduce, variant, result$values[own], n, groups)
  }
  if (n_slopes > 0L) attr(value, "gradient") <- gradient_value(reduce, variant, result$values[-own], n, groups)
  state$last_run <- result$report
  if (result$report$built > 0L) tell_cache_warning()
  if (verbose) cli::cli_inform(describe_run(result$report))
  warn_of_call(variant, inputs, result$flags)
  value
}

gradient_value <- function(reduce, variant, slopes, n, groups) {
  if (is.null(reduce)) {
    if (is.atomic(slopes[[1L]])) {
      return(matrix(unlist(slopes, use.names = FALSE), ncol = length(slopes), dimnames = list(NULL, variant$slopes)))
    }
    return(stats::setNames(lapply(slopes, new_resident, "double", n), variant$slopes)) # they stay where the value does
  }
  reduce$na_rm <- FALSE
  sums <- lapply(slopes, function(parts) grouped_value(reduce, variant, list(parts), n, groups, "double"))
  if (is.null(groups)) return(stats::setNames(unlist(sums), variant$slopes))
  matrix(unlist(sums), ncol = length(sums), dimnames = list(groups$names, variant$slopes))
}

# One number, or one for each group, NA where a group has no elements.
grouped_value <- function(reduce, variant, parts, n, groups, type = variant$text$types[1L]) {
  if (is.null(groups)) return(reduced_value(reduce, variant, parts, n, type))
  counts <- groups$counts
  value <- if (reduce$op %in% c("sum", "mean") && type == "double" && length(parts) == 1L) {
    sums <- rowsum(parts[[1L]], groups$group)
    all <- rep(NA_real_, length(counts))
    all[as.integer(rownames(sums))] <- sums
    if (reduce$op == "mean") all / counts else all
  } else {
    found <- split(seq_along(groups$group), factor(groups$group, levels = seq_along(counts)))
    values <- lapply(seq_along(counts), function(g) {
      if (counts[g] == 0) return(NA)
      reduced_value(reduce, variant, lapply(parts, function(part) part[found[[g]]]), counts[g], type)
    })
    unlist(values)
  }
  value[counts == 0] <- NA
  stats::setNames(value, groups$names)
}

shaped_values <- function(variant, inputs, value, n) {
  if (!is.atomic(value)) { # it stays on its device
    attributes <- node_attributes(variant$tree, variant$root, lapply(inputs, input_shape))
    return(new_resident(value, variant$text$types[1L], n, attributes$names, attributes$dim, attributes$dimnames))
  }
  if (variant$text$types[1L] == "logical") storage.mode(value) <- "logical"
  plain <- TRUE
  for (x in inputs) if (!is.null(attributes(x))) plain <- FALSE
  if (!plain) attributes(value) <- node_attributes(variant$tree, variant$root, inputs)
  value
}

# Something with the attributes that a vector on a device would have.
input_shape <- function(x) {
  if (!is.object(x)) return(x)
  fields <- resident_fields(x)
  shape <- logical()
  attr(shape, "shape") <- fields[c("names", "dim", "dimnames")]
  shape
}

# Whether the branches of ifelse() that a call stands in were taken by some element.
guards_open <- function(variant, guards, bits) {
  for (guard in guards) {
    node <- node_of(variant$tree, guard$test)
    taken <- if (node$op == "const") {
      isTRUE(as.logical(node$value) == guard$way)
    } else {
      found <- vapply(variant$text$sites, function(site) {
        site$rule == "test" && site$node == guard$test && site$way == guard$way
      }, NA)
      any(bits[found])
    }
    if (!taken) return(FALSE)
  }
  TRUE
}

# R's warnings: of lengths, then one for each call that made a NaN of what was none; rules of single functions give texts
# of their own.
warn_of_call <- function(variant, inputs, flags) {
  if (length(variant$recycled) == 0L && !any(flags != 0L)) return(invisible())
  n_sites <- length(variant$text$sites)
  bits <- unlist(lapply(flags, function(word) bitwAnd(bitwShiftR(word, 0:(warning_bits - 1L)), 1L) == 1))[seq_len(n_sites)]
  sizes <- vapply(inputs, length, 0)
  for (pair in variant$recycled) {
    lengths <- ifelse(is.na(pair$ranks), pair$pair$lengths, sizes[pair$ranks])
    if (lengths[2L] %% lengths[1L] != 0 && guards_open(variant, pair$pair$guards, bits)) {
      warning(simpleWarning(pair$pair$text, pair$pair$call))
    }
  }
  for (site in variant$text$sites[bits]) {
    if (site$rule %in% c("test", "odd") || !guards_open(variant, site$guards, bits)) next
    texts <- site$reason
    if (!is.null(seen_rules[[site$rule]])) {
      node <- node_of(variant$tree, site$node)
      args <- lapply(node$args, function(id) node_value(variant$tree, id, inputs))
      texts <- library_result(node, args)$warnings
    }
    for (text in texts) warning(simpleWarning(text, site$call))
  }
}

# From what the blocks of the elements gave, in their order.
reduced_value <- function(reduce, variant, parts, n, type = variant$text$types[1L]) {
  missing <- function(x) if (anyNA(x)) if (any(is.na(x) & !is.nan(x))) NA_real_ else NaN
  whole <- function(x) {
    if (is.na(x)) return(NA_integer_)
    if (abs(x) <= .Machine$integer.max) return(as.integer(x))
    warning(simpleWarning("integer overflow - use sum(as.numeric(.))", NULL))
    NA_integer_
  }
  first <- parts[[1L]]
  switch(reduce$op,
    sum = if (type == "double") missing(first) %||% sum(first) else whole(sum(first)),
    mean = (missing(first) %||% sum(first)) / (if (reduce$na_rm) sum(parts[[2L]]) else n),
    prod = missing(first) %||% prod(first),
    min = , max = {
      value <- missing(first) %||% get(reduce$op, baseenv())(first)
      if (type == "double" || is.infinite(value)) value else as.integer(value)
    },
    any = , all = {
      found <- any(first %% 2L == 1L)
      if (found) reduce$op == "any" else if (any(first >= 2L) && !reduce$na_rm) NA else reduce$op == "all"
    },
    logsumexp = missing(first) %||% {
      m <- max(first)
      if (is.infinite(m)) m else m + log(sum(parts[[2L]] * exp(first - m)))
    }
  )
}

# ---- without a compiler ----------------------------------------------------------------------------------------------

# R evaluates the body, with this package's host functions under R's names.
evaluate_plainly <- function(expression, values, by, call) {
  f <- expression$f
  formal <- vapply(Filter(function(input) input$formal, expression$inputs), function(input) input$name, "")
  frame <- list2env(stats::setNames(values, formal), parent = host_functions(environment(f)))
  body_of <- f
  formals(body_of) <- NULL
  environment(body_of) <- frame
  value <- body_of()
  if (is.null(expression$reduce)) return(value)
  reduce <- expression$reduce
  one <- function(value) {
    if (reduce$op != "logsumexp") return(get(reduce$op, baseenv())(value, na.rm = reduce$na_rm))
    if (reduce$na_rm) value <- value[!is.na(value)]
    m <- suppressWarnings(max(value))
    if (is.na(m) || is.infinite(m)) m else m + log(sum(exp(value - m)))
  }
  if (is.null(by)) return(one(value))
  sums <- tapply(value, if (is.factor(by)) by else factor(by, levels = seq_len(max(by, na.rm = TRUE))), one)
  stats::setNames(as.vector(sums), names(sums))
}

# Value and gradient: R computes the nodes of the tree.
gradient_plainly <- function(expression, variant, inputs, by) {
  n <- element_count(variant, inputs)
  parts <- lapply(variant$outputs, function(id) rep_len(as.vector(node_value(variant$tree, id, inputs)), n))
  reduce <- expression$reduce
  n_slopes <- length(variant$slopes)
  slopes <- parts[seq_len(n_slopes) + length(parts) - n_slopes]
  if (is.null(reduce)) {
    value <- shaped_values(variant, inputs, parts[[1L]], n)
    attr(value, "gradient") <- matrix(unlist(slopes), ncol = n_slopes, dimnames = list(NULL, variant$slopes))
    return(value)
  }
  total <- function(x) {
    one <- function(x) get(reduce$op, baseenv())(x, na.rm = reduce$na_rm)
    if (is.null(by)) return(one(x))
    sums <- tapply(x, if (is.factor(by)) by else factor(by, levels = seq_len(max(by, na.rm = TRUE))), one)
    stats::setNames(as.vector(sums), names(sums))
  }
  value <- total(parts[[1L]])
  sums <- lapply(slopes, total)
  attr(value, "gradient") <- if (is.null(by)) {
    stats::setNames(unlist(sums), variant$slopes)
  } else {
    matrix(unlist(sums), ncol = n_slopes, dimnames = list(names(value), variant$slopes))
  }
  value
}

# An environment whose functions of stats are this package's on the host device.
host_functions <- function(parent) {
  if (is.null(expression_state$host_functions)) {
    rows <- Filter(function(row) grepl("^stats::|besse", row$mirrors), expression_rows())
    expression_state$host_functions <- lapply(rows, function(row) {
      ours <- get(paste0(row$name, "_opencl"), asNamespace("nmathopencl"))
      function(...) ours(..., device = "host")
    })
    names(expression_state$host_functions) <- vapply(rows, r_name, "")
  }
  masks <- expression_state$host_functions
  same <- vapply(names(masks), function(name) {
    found <- get0(name, parent, mode = "function")
    is.null(found) || identical(environment(found), asNamespace("stats")) || identical(environment(found), .BaseNamespaceEnv)
  }, NA)
  list2env(masks[same], parent = parent)
}

expression_rows <- function() {
  library_functions()
  expression_state$rows
}

# ---- fitting ---------------------------------------------------------------------------------------------------------

#' An opencl_function as the objective of an optimizer
#'
#' Ties an \code{\link{opencl_function}} that gives one number to data, and gives what \code{\link[stats]{optim}} and
#' \code{\link[stats]{nlm}} ask for. Value and gradient of a point come of one evaluation, whichever is asked for first.
#'
#' @param ll an \code{opencl_function} with \code{reduce}; for gradients, with \code{gradient}.
#' @param start a named list, or named vector, of parameters where the search starts; a parameter may be a vector.
#' @param data a named list of the other arguments.
#' @param negative if \code{TRUE}, the objective is \code{-ll}, for optimizers that minimize.
#' @param ... \code{device} and its like, given to \code{ll} at each call.
#' @return A list: \code{par}, the start as one vector; \code{fn} and \code{gr} for \code{optim}; \code{f}, a function
#'   whose value has the attribute \code{"gradient"}, for \code{nlm}; \code{split}, which makes the list of parameters of a
#'   vector.
#' @examples
#' x <- c(0.4, 1.1, 1.3, 2.2, 0.7)
#' log_density <- function(x, a, b) dgamma(x, a, rate = b, log = TRUE)
#' ll <- opencl_function(log_density, reduce = "sum", gradient = c("a", "b"))
#' objective <- as_objective(ll, start = c(a = 1, b = 1), data = list(x = x))
#' optim(objective$par, objective$fn, objective$gr, method = "L-BFGS-B", lower = 1e-6)$par
#' @export
as_objective <- function(ll, start, data = list(), negative = TRUE, ...) {
  if (!inherits(ll, "opencl_function") || is.null(attr(ll, "expression")$reduce)) {
    argument_error("`ll` must be an opencl_function with `reduce`: an objective is one number")
  }
  start <- as.list(start)
  if (length(start) == 0L || is.null(names(start)) || !all(nzchar(names(start)))) argument_error("`start` must have names")
  sizes <- lengths(start)
  group <- factor(rep(names(start), sizes), levels = names(start))
  split_par <- function(par) {
    parts <- unname(split(unname(par), group))
    stats::setNames(parts, names(start))
  }
  further <- list(...)
  sign <- if (negative) -1 else 1
  last <- list(par = NULL)
  at <- function(par) {
    if (!identical(last$par, par)) {
      value <- do.call(ll, c(split_par(par), data, further))
      last <<- list(par = par, value = sign * as.vector(value), gradient = sign * unname(attr(value, "gradient")))
    }
    last
  }
  list(
    par = unlist(start),
    fn = function(par) at(par)$value,
    gr = function(par) {
      if (length(at(par)$gradient) == 0L) argument_error("`ll` was made without `gradient`")
      at(par)$gradient
    },
    f = function(par) {
      point <- at(par)
      value <- point$value
      if (length(point$gradient) > 0L) attr(value, "gradient") <- point$gradient
      value
    },
    split = split_par
  )
}

# ---- methods ---------------------------------------------------------------------------------------------------------

#' @export
print.opencl_function <- function(x, ...) {
  expression <- attr(x, "expression")
  cat("opencl_function", if (!is.null(expression$reduce)) paste0(" with reduce = \"", expression$reduce$op, "\""), ":\n", sep = "")
  f <- expression$f
  attributes(f) <- NULL
  cat(deparse(f), sep = "\n")
  variant <- expression$last
  if (is.null(variant)) {
    cat("(its kernel is written at the first call)\n")
  } else {
    cat("files: ", paste(variant$text$stems, collapse = ", "), "\n", sep = "")
    lines <- strsplit(variant$text$text, "\n", fixed = TRUE)[[1L]]
    cat(lines[seq(grep("^__kernel", lines)[1L], length(lines))], sep = "\n")
  }
  invisible(x)
}

#' @export
as.character.opencl_function <- function(x, ...) {
  variant <- attr(x, "expression")$last
  if (is.null(variant)) argument_error("the program is written at the first call: there was none")
  variant$text$text
}
