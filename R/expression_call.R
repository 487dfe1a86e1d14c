# A call of an opencl_function: its arguments, the program for their shape, the engine.

# `ran`: what expression_known_cpp() has of the call.
run_expression <- function(expression, values, by, device, fallback, verbose, call, keep = FALSE, ran = NULL) {
  run <- function(ran) with_widths(expression, function() run_as_translated(expression, values, by, device, fallback, verbose, call, keep, ran))
  value <- run(ran)
  if (has_lost_slopes(expression, value)) with_infinite_data(expression, value, function() run(NULL)) else value
}

note_infinite_data <- function(expression) {
  expression$infinite <- TRUE
  expression$variants <- expression$of_series <- list()
  expression$moved <- expression$series <- expression$plans <- expression$layouts <- expression$points <- expression$points_known <- NULL
}

# Whether a slope is NaN or NA where the value is a number, and the function is not one whose data may be infinite.
has_lost_slopes <- function(expression, value) {
  if (is.null(expression$gradient) || isTRUE(expression$infinite) || !is.double(value)) return(FALSE)
  slopes <- attr(value, "gradient")
  curves <- attr(value, "hessian")
  is_lost <- function(x) is.double(x) && anyNA(x) && any(is.na(x) & as.vector(is.finite(value))) # of each value, one slope after the other
  is_lost(slopes) || is_lost(curves)
}

# The call again by programs that take data for what may be infinite, or 0 where their log is taken: what they are multiplied by is often
# 0 there, as the density at the end of an interval that has none. All later calls have these programs. `value`: what the call gave.
with_infinite_data <- function(expression, value, again) {
  note_infinite_data(expression)
  tryCatch(suppressWarnings(again()), nmathopencl_error = function(e) value) # the first time has told what there is
}

run_as_translated <- function(expression, values, by, device, fallback, verbose, call, keep, ran) {
  if (!identical(list(fallback, verbose, keep), switches_off)) check_switches(fallback, verbose, keep)
  if (length(expression$called) > 0L) look_up_called(expression)
  tried <- isFALSE(ran) # by a plan, which has left the call to R
  if (tried) ran <- NULL
  given <- values
  if (!is.null(expression$data)) {
    placed <- place_data(expression, values, by, device, fallback, call)
    values <- placed$values
    device <- placed$device
  }
  if (!is.null(ran$error)) {
    if (!on_host(resolve_devices(device), values) || !compiler_is_broken(ran$error, call)) raise_core_error(ran$error, call)
    ran <- NULL
  }
  inputs <- values
  for (input in expression$outer) inputs[length(inputs) + 1L] <- list(outer_value(input))
  key <- expression_key_cpp(inputs)
  if (is.null(key)) {
    inputs <- lapply(inputs, without_plain_class, environment(expression$f))
    values <- inputs[seq_along(values)]
    key <- expression_key_cpp(inputs)
  }
  if (is.null(key)) {
    known <- known_inputs(expression, inputs)
    inputs <- known$inputs
    key <- known$key
  }
  device <- resolve_devices(device)
  resident <- FALSE
  stays <- FALSE
  for (k in seq_along(inputs)) {
    if (!is.object(inputs[[k]])) next
    if (size_of(inputs[[k]]) == 1) {
      inputs[[k]] <- in_r(inputs[[k]])
    } else {
      resident <- TRUE
      if (is.null(resident_fields(inputs[[k]])$origin)) stays <- TRUE
    }
  }
  if (!is.null(by) && is_of_series(expression, inputs, key)) {
    if (isTRUE(expression$hessian)) limit_error("`by` and `hessian` of a function in several steps, with sums, loops or parts of vectors in it: second derivatives of groups are those of sums of elements")
    return(run_series(expression, values, inputs, key, by, device, fallback, verbose, call))
  }
  keep <- (keep || stays) && is.null(expression$reduce)
  if (is_resident(by)) device <- device_of_residents(c(list(by), Filter(is.object, inputs)), call)
  by_fallback <- function() {
    if (is_resident(by)) by <- as.vector(by)
    none <- vapply(values, is.null, NA)
    value <- naming_absent(expression, none, {
      found <- if (may_be_staged(expression, inputs, by)) fallback_staged(expression, lapply(inputs, in_r), key, by, none)
      if (!is.null(found)) found else if (!is.null(expression$gradient)) {
        fallback_gradient(expression, lapply(inputs, in_r), key, by, none)
      } else {
        fallback_value(expression, lapply(values, as_given), by)
      }
    })
    if (key == "" && is.null(expression$reduce) && (host_compiles() || !on_host(device, inputs))) {
      value <- typed_empty(expression, inputs, value)
    }
    if (verbose) cli::cli_inform(paste0("opencl_function: ", length(value), " elements, computed by R on the host"))
    if (!keep || (expression$staged && length(value) == 1L)) return(value)
    if (key != "") device <- "host" else if (stays) device <- device_of_residents(Filter(is_resident, inputs), call)
    fallback_resident(value, device)
  }
  if (key == "" || (!host_compiles() && on_host(device, inputs))) return(by_fallback())
  if (is.null(by) && !fallback && !verbose && !keep && !tried) {
    again <- value_from_plan(expression, inputs, key, device, call)
    if (!is.null(again)) return(again)
  }
  weights <- if (is.null(by) && !fallback) weights_of_hessian(expression, inputs, key)
  if (!is.null(weights)) {
    value <- hessian_by_weights(expression, weights, given, inputs, key, device, verbose, call)
    if (!is.null(value)) return(value)
  }
  directions <- if (is.null(by)) directions_of(expression, inputs)
  if (!is.null(directions)) {
    value <- hessian_by_directions(directions, given, inputs, device, fallback, verbose, call)
    expression$device <- directions$parts$plain$device
    return(value)
  }
  form <- if (is.null(by)) "" else "by"
  variant <- tryCatch(find_variant(expression, inputs, key, form), nmathopencl_error = function(e) if (!of_branch(e) || !is.null(expression$gradient)) stop(e))
  if (is.null(variant)) return(by_fallback()) # R may not come there
  check_conditions(variant, inputs, call)
  groups <- NULL
  if (!is.null(by)) {
    groups <- expression_groups(by, variant, inputs)
    if (resident || variant$text$uses_index) {
      form <- "by order"
      variant <- find_variant(expression, inputs, key, form)
    }
  }
  if (!is.null(variant$stages)) {
    progress <- call_progress("opencl_function", environment())
    launches <- launch_runners(inputs, device, fallback, progress, call)
    value <- run_stages(
      expression, variant, inputs, launches$stage, launches$rounds, keep, verbose, call
    )
    if (is.null(value)) return(by_fallback())
    if (length(expression$wide_sums) == 0L) note_staged_plan(expression, variant, inputs, key) # else a call may find other types
    return(value)
  }
  seeds <- if (length(variant$text$seeds) > 0L) lapply(variant$text$seeds, function(k) draw_seed_cpp())
  progress <- call_progress("opencl_function", environment())
  run <- function(where) {
    if (identical(where, "host") && !host_compiles()) return(list(fallback = by_fallback())) # a device failed
    if (fallback && identical(where, "host")) {
      inputs <- without_placed(inputs)
      device <<- where # of all that follows: one warning
    }
    ran <- run_variant(variant, inputs, seeds, groups, where, progress, keep)
    broken <- !is.null(ran$error) && on_host(where, inputs) && compiler_is_broken(ran$error, call)
    if (broken) list(fallback = by_fallback()) else ran
  }
  result <- ran %||% run_on_device(run, device, fallback, call)
  if (!is.null(result$fallback)) return(result$fallback)
  if (is.null(result) || has_bit(result$flags, variant$text$general_bit)) { # too short for constant-parameter kernels on a GPU, or not for them
    for (value in result$values) if (typeof(value) == "externalptr") resident_free_cpp(value) # no need to wait for gc()
    variant <- find_variant(expression, inputs, key, paste(form, "general"))
    result <- run_on_device(run, device, fallback, call)
  }
  expression$device <- result$report$device
  finish_expression(expression, variant, inputs, groups, result, verbose)
}

# The value by a plan of a call before, of inputs whose key C++ alone does not know: texts, NULL, factors, absent arguments. NULL: there is none.
value_from_plan <- function(expression, inputs, key, device, call) {
  plans <- expression$plans[[layout_of_call(expression, key, "")]]
  if (is.null(plans)) return(NULL)
  ran <- staged_again_cpp(expression, plans, inputs, as.character(device), environment())
  if (is.null(ran) || is.double(ran)) return(ran)
  if (!on_host(device, inputs) || !compiler_is_broken(ran$error, call)) raise_core_error(ran$error, call)
}

# Whether the compiler refuses what stands in a branch of ifelse(), where R is the judge: it computes a branch only if some element takes it.
of_branch <- function(error) grepl("as in a branch of ifelse(): R may not come there", conditionMessage(error), fixed = TRUE) ||
  grepl("stands in a branch of ifelse(), ", conditionMessage(error), fixed = TRUE)

# Whether a gradient may need values before others: by what is called, or because it is one in vectors.
may_be_staged <- function(expression, inputs, by) {
  if (is.null(expression$gradient)) return(FALSE)
  isTRUE(expression$hessian) || !is.null(expression$moves) || !is.null(expression$effects) || expression$staged || expression$products || (is.null(by) && !is.null(expression$reduce) && any(vapply(inputs[expression$gradient], size_of, 0) > 1))
}

# Errors of `code`, where an element d$x that the data do not have is NULL (`none`), name it.
naming_absent <- function(expression, none, code) {
  is_element <- function(value) is_call_of(value, c("$", "[[")) || (is.call(value) && identical(value[[1L]], element_of_whole_name))
  elements <- Filter(function(input) is_element(input$value), expression$inputs[which(none)])
  if (length(elements) == 0L) return(code)
  tryCatch(code, error = function(e) {
    of <- paste(names_read(elements[[1L]]$value[[2L]]), collapse = ", ")
    e$message <- paste0(conditionMessage(e), ": `", elements[[1L]]$name, "` is NULL, since `", of, "` has no such element")
    stop(e)
  })
}

# What runs a launch of run_stages(), and what runs its loops over data. `given`: the inputs of the call. After a device has failed all goes to
# the host device, with one warning.
launch_runners <- function(given, device, fallback, progress, call) {
  between <- device_between(given)
  run <- function(there, on) run_on_device(function(where) {
    host <- identical(where, "host")
    if (host && !host_compiles()) return(list(fallback = TRUE))
    if (host && fallback) device <<- where
    on(where)
  }, there, fallback, call)
  stage <- function(kernel, inputs, groups, stays) run(device, function(where) {
    if (fallback && identical(where, "host")) inputs <- without_placed(inputs)
    ran <- run_variant(kernel, inputs, NULL, groups, where, progress, stays)
    broken <- !is.null(ran$error) && on_host(where, given) && compiler_is_broken(ran$error, call)
    if (broken) list(fallback = TRUE) else ran
  })
  rounds <- function(stage, tree, inputs) {
    there <- if (stage$items > 1) between
    run(device, function(where) {
      where <- if (is.null(there)) rounds_device(where, stage$items) else as.character(there)
      if (identical(where, "host") && !host_compiles()) return(list(fallback = TRUE))
      ran <- run_rounds(stage, tree, inputs, where, !is.null(there))
      broken <- !is.null(ran$error) && identical(where, "host") && compiler_is_broken(ran$error, call)
      if (broken) list(fallback = TRUE) else ran
    })
  }
  list(stage = stage, rounds = rounds)
}

# An R vector of one that may be resident on a device.
in_r <- function(x) {
  if (!is.object(x) || is.factor(x)) return(x)
  there <- origin_of(x)
  if (!is.null(there)) return(there)
  value <- as.vector(x)
  if (is.null(dim(x))) return(stats::setNames(value, names(x)))
  array(value, dim(x), dimnames(x))
}

# in_r(), for R's own evaluation of a body: a factor among the data is one.
as_given <- function(x) (if (is_resident(x)) origin_of(x, given = TRUE)) %||% in_r(x)

# Of arguments without elements, of the type that a kernel's value has: ifelse() has the wider one of its branches.
typed_empty <- function(expression, inputs, value) {
  made <- tryCatch(compiled(expression, inputs, typed = TRUE), error = function(e) NULL) # lengths that only R knows
  if (is.null(made)) return(value)
  if (!any(vapply(made$tree$nodes, function(node) node$op == "select", NA))) return(value)
  if (wider_type(c(made$type, typeof(value))) != typeof(value)) storage.mode(value) <- made$type
  value
}

# What R has computed where results stay, as a kernel leaves it there.
fallback_resident <- function(value, device) {
  slopes <- attr(value, "gradient")
  attr(value, "gradient") <- NULL
  kept <- as_resident(value, length(value), device)
  if (is.null(slopes)) return(kept)
  columns <- lapply(seq_len(ncol(slopes)), function(j) as_resident(slopes[, j], nrow(slopes), device))
  attr(kept, "gradient") <- stats::setNames(columns, colnames(slopes))
  kept
}

# Whether a call would be the host device's: the choice may be automatic, and resident vectors choose by where they are.
on_host <- function(device, inputs) {
  for (x in inputs) if (is.object(x)) return(identical(resident_device(x), "host"))
  identical(device, "host") || isTRUE(tryCatch(all(device_index_cpp(device) == 0L), error = function(e) FALSE))
}

# Whether a bit of the flags, by number from 1, is set.
has_bit <- function(flags, bit) {
  if (is.null(bit)) return(FALSE)
  word <- flags[(bit - 1L) %/% warning_bits + 1L]
  word != 0L && bitwAnd(bitwShiftR(word, (bit - 1L) %% warning_bits), 1L) == 1
}

outer_value <- function(input) {
  env <- input$env %||% baseenv()
  if (!is.null(input$value)) return(eval(input$value, env))
  if (!exists(input$name, envir = env)) argument_error("object '", input$name, "' not found")
  get(input$name, envir = env)
}

# NULL is a vector of no elements; what is no plain vector of numbers is refused. What is resident on a device is one.
plain_inputs <- function(expression, inputs) {
  lapply(seq_along(inputs), function(k) {
    x <- inputs[[k]]
    if (is.null(x)) return(numeric())
    if (is_resident(x)) return(x)
    if (is.factor(x) && expression$inputs[[k]]$only_index) return(as.integer(x))
    if (!is.object(x) && typeof(x) %in% c("double", "integer", "logical")) return(x)
    what <- if (is.object(x)) paste0("of class ", paste(class(x), collapse = "/")) else paste("of type", typeof(x))
    name <- sub("'+$", "", expression$inputs[[k]]$name) # of several parts of one name
    if (is.factor(x)) name <- sub("^unique[(](.*)[)]$", "\\1", name)
    argument_error(
      "`", name, "` is ", what, ": an expression computes with plain numeric, integer and logical vectors. Give ",
      if (is.factor(x)) {
        paste0(
          "what it says in numbers, as.numeric(", name, " == ", encodeString(text_compared(body(expression$f), name) %||% levels(x)[nlevels(x)], quote = "\""), "), or its codes from 1, as.integer(", name,
          "), or make the function with it in `data`, where R compares it with a text"
        )
      } else if (is.character(x)) {
        text_as_numbers(x, name, expression$inputs[[k]]$only_index, vector_indexed(body(expression$f), name))
      } else if (is.data.frame(x)) {
        paste0("as.matrix(", name, "), or its columns, each as an argument; of one with factors model.matrix(~ ., ", name, ")")
      } else if (length(dim(x)) == 2L) {
        bare <- typeof(x) %in% c("double", "integer", "logical") && !isS4(x) # of poly(), splines::bs(), table(), I()
        paste0(if (bare) "unclass(" else "as.matrix(", name, ")", if (is.list(x)) ", or its columns, each as an argument")
      } else if (is.list(x)) {
        "its elements, each as an argument"
      } else if (is.function(x)) {
        paste0("it another name: it is a function here. Where the body chooses a function, write function(t) ", name, "(t) for ", name, ", as in switch(d, exp = function(t) dexp(t))")
      } else {
        paste0("as.numeric(", name, "), if that is what is meant")
      }
    )
  })
}

# The text that an expression compares `name` with first, x == "b".
text_compared <- function(expr, name) {
  if (!is.call(expr)) return(NULL)
  if (is_call_of(expr, c("==", "!=")) && length(expr) == 3L) for (k in 2:3) {
    if (is.character(expr[[k]]) && length(expr[[k]]) == 1L && !is.character(expr[[5L - k]]) && identical(deparse1(expr[[5L - k]]), name)) return(expr[[k]])
  }
  for (part in given_parts(expr)) {
    found <- text_compared(part, name)
    if (!is.null(found)) return(found)
  }
}

# What to give for texts: numbers of elements, where they are an index; numbers, where they say some; else what is true of them. `of`: the vector
# that they are an index of. Codes of factor() would be other numbers than those of the names.
text_as_numbers <- function(x, name, only_index, of = NULL) {
  texts <- sub("^as.character[(]([[:alnum:]._$]+)[)]$", "\\1", name)
  by_match <- function(of) paste0(of, "[match(", texts, ", names(", of, "))]")
  if (only_index) {
    of <- of %||% "u"
    return(paste0("numbers of elements, ", by_match(of), " for ", of, "[", name, "]: texts are an index of up to 100 elements, and without missing ones"))
  }
  texts_there <- x[!is.na(x)]
  if (length(texts_there) > 0L && !anyNA(suppressWarnings(as.numeric(texts_there)))) return(paste0("as.numeric(", name, "), if that is what is meant"))
  example <- if (length(texts_there) > 0L) encodeString(texts_there[length(texts_there)], quote = "\"") else "\"a\""
  paste0("what they say in numbers, as.numeric(", name, " == ", example, ")", if (is.null(dim(x))) paste0("; where they are names of elements, u[", name, "], write ", by_match("u")))
}

# The vector of which a name is an index somewhere, as text; NULL: none.
vector_indexed <- function(expr, name) {
  if (!is.call(expr)) return(NULL)
  if (is_part(expr) && length(expr) == 3L && !is_empty_argument(expr[[3L]]) && deparse1(expr[[3L]]) == name) return(as.character(expr[[2L]]))
  for (part in given_parts(expr)) {
    found <- vector_indexed(part, name)
    if (!is.null(found)) return(found)
  }
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
  values <- variant$text$lengths
  for (k in which(!is.na(variant$length_measures))) values[k] <- measure_of(inputs, variant$length_measures[k])
  values
}

element_count <- function(variant, inputs) {
  if (is.na(variant$n_measure)) variant$text$n else measure_of(inputs, variant$n_measure)
}
