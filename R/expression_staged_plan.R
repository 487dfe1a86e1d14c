# A function in stages whose arguments are as long as those of a call before: what C++ is told (src/staged_plan.h), so that it runs all
# launches by itself. run_stages() is for first calls, for what comes in pieces, and for what only R can say.

# After a call of run_stages(), which used these `forms` of the kernels. Plans differ by what arguments are besides their lengths:
# whether they stay on a device, have names or dimensions.
note_staged_plan <- function(expression, variant, inputs, key, form = "") {
  memory <- variant$memory
  forms <- memory$forms
  if (is.null(forms)) return(invisible())
  lengths <- measures_of(inputs)
  if (!identical(lengths, variant$measures)) { # a variant for them, if they come again: a plan is for the lengths that it was made for
    again <- identical(lengths, memory$lengths)
    memory$lengths <- lengths
    if (again) {
      made <- make_variant(expression, inputs, endsWith(key, "w"), form)
      shape <- shape_of_call(expression, key, form)
      expression$variants[[shape]] <- utils::head(c(list(made), expression$variants[[shape]]), most_variants)
    }
    return(invisible())
  }
  shape <- paste(staged_shapes_cpp(inputs), collapse = " ")
  # The usual kernels come first at every call, so that none depends on what calls before it needed.
  plans <- lapply(unique(list(ifelse(forms == "values", forms, "usual"), forms)), function(own) {
    name <- paste(c(shape, own), collapse = " ")
    if (is.null(memory$plans[[name]])) memory$plans[[name]] <- staged_plan(variant, inputs, own) %||% FALSE
    memory$plans[[name]]
  })
  plans <- Filter(function(plan) typeof(plan) == "externalptr", plans)
  key <- shape_of_call(expression, key, form)
  others <- Filter(function(plan) !any(vapply(plans, identical, NA, plan)), expression$plans[[key]])
  if (length(plans) > 0L) expression$plans[[key]] <- utils::head(c(plans, others), most_variants)
  invisible()
}

# `points`: for many points, whose values have no attributes of their own.
staged_plan <- function(variant, inputs, forms, points = FALSE) {
  tree <- variant$tree
  if (singles_have_matrices(tree)) return(NULL)
  has_shapes <- !points && !variant$by_series && (variant$makes_shape || any(vapply(inputs, has_shape, NA)))
  if (has_shapes && !is.null(node_attributes(tree, variant$root, lapply(inputs, input_shape)))) return(NULL)
  kept <- lapply(variant$stages, function(stage) stage$kernels)
  plan <- staged_plan_cpp(variant$compiled, inputs, as.character(forms), kept, new.env(parent = emptyenv()), points)
  if (is.list(plan)) raise_core_error(plan$error, NULL)
  plan
}
