# From an R function and the types and lengths of its arguments to a kernel: what the compiler (src/expression) asks R for, and
# what R keeps of what it gives.

warning_bits <- 31L # of a word of flags

# What expression_compile_cpp() is told of a function.
compiled <- function(expression, inputs, wide = FALSE, form = "", typed = FALSE, plain = FALSE, over = integer()) {
  known <- expression$inputs
  given <- seq_along(inputs)
  tree <- new.env(parent = emptyenv())
  tree$nodes <- list()
  tree$inputs <- lapply(given, function(k) {
    x <- inputs[[k]]
    list(name = known[[k]]$name, type = input_type(x), len = as.double(length(x)), dim = if (length(dim(x)) == 2L) as.integer(dim(x)))
  })
  facts <- tree$inputs
  reduce <- expression$reduce
  made <- expression_compile_cpp(list(
    `function` = function_parts(expression$f, TRUE), resolve = resolved_call,
    names = vapply(known[given], function(input) input$name, ""), envs = lapply(known[given], function(input) input$env),
    formal = vapply(known[given], function(input) input$formal, NA), types = vapply(facts, function(fact) fact$type, ""),
    lengths = vapply(facts, function(fact) fact$len, 0), dims = lapply(facts, function(fact) fact$dim),
    known = lapply(inputs, input_known), series = expression$by_series, text = function(id) as.character(node_value(tree, id, inputs)), tree = tree, value = function(id) node_value(tree, id, inputs), rounding = whole_rounding,
    shapes = function(root) {
      if (any(vapply(inputs, has_shape, NA))) node_attributes(tree, root, lapply(inputs, input_shape)) # an error where arrays do not fit
      NULL
    },
    reduce = reduce$op %||% "", na_rm = isTRUE(reduce$na_rm), gradient = gradient_of(expression, inputs), hessian = isTRUE(expression$hessian), diagonal = expression$diagonal, effects = expression$effects, wide = wide, form = form,
    position = function(k, name, column) match(name, names_of_part(inputs[[k]], column), nomatch = 0L),
    wide_sums = expression$wide_sums, as_gpu = as_gpu(), arithmetic = arithmetic_library(), typed = typed, plain = plain, staged = expression$staged, over = over
  ))
  if (!is.null(made$error)) {
    made$error$message <- text_as_written(made$error$message, names_of_parts_taken(known))
    raise_core_error(with_advice(made$error, expression), user_call())
  }
  if (!is.null(made$stopped)) stop(simpleError(made$stopped, if (made$is_shown) made$call %||% user_call()))
  names <- names_of_parts_taken(known)
  if (length(names) > 0L) {
    for (of in c("sites", "recycled", "singles", "assertions", "told")) tree[[of]] <- calls_as_written(tree[[of]], names)
    made <- calls_as_written(made, names)
  }
  inputs <- NULL # what was made here keeps this frame, and is to keep no arguments of a call
  c(list(tree = tree), made)
}

# The names of a vector's elements or a matrix's columns.
names_of_part <- function(x, column) {
  if (!column) return(names(x))
  if (is_resident(x)) resident_fields(x)$dimnames[[2L]] else colnames(x)
}

make_variant <- function(expression, inputs, wide, form) {
  made <- compiled(expression, inputs, wide, form)
  if (!is.null(made$stages)) return(staged_variant(made, inputs))
  tree <- made$tree
  text <- made$text
  measures <- measures_of(inputs)
  list(
    handle = prepared_kernel(text$text, made$plan, made$widths), columns = text$columns, tree = tree, root = made$root,
    outputs = as.list(made$outputs), own = made$own, own_parts = made$own_parts, text = text, slopes = made$slopes, curves = curves_of(made),
    exact = tree$exact, measures = measures, decisions = tree$decisions, decision_sites = decision_sites(tree, made$outputs),
    recycled = lapply(tree$recycled, function(pair) list(ranks = match(pair$lengths, measures), pair = pair)),
    length_measures = match(text$lengths, measures), n_measure = match(text$n, measures), makes_shape = makes_shape(tree)
  )
}

# A kernel that the engine runs.
prepared_kernel <- function(text, plan, widths) {
  spec <- c(
    list(name = "opencl_function", text = function() expression_program(text), options = if (as_gpu()) "-DNMATH_AS_GPU" else ""),
    plan, list(widths = widths)
  )
  handle <- fused_prepare_cpp(spec)
  if (is.list(handle)) raise_core_error(handle$error, NULL)
  handle
}

expression_program <- function(text) {
  program <- expression_program_cpp(text)
  if (is.list(program)) raise_core_error(program$error, NULL)
  if (grepl("OPENCLPORT_OPENCL_CL", program, fixed = TRUE)) return(program)
  expression_program(paste0("// @depends_nmath: nmath\n", text)) # a C expression that calls nothing of the library
}

arithmetic_library <- function() {
  if (is.null(expression_state$arithmetic)) {
    file <- system.file("cl", "expression", "arithmetic.cl", package = "nmathopencl")
    expression_state$arithmetic <- paste(readLines(file), collapse = "\n")
  }
  expression_state$arithmetic
}

# An error where a call that is made in any case has no rule for an argument that depends on the gradient's.
check_derivatives <- function(expression) {
  if (is.null(expression$gradient)) return(invisible())
  names <- vapply(expression$inputs[expression$gradient], function(input) input$name, "")
  told <- expression_dependence_cpp(list(`function` = function_parts(expression$f, TRUE), resolve = resolved_call), names, isTRUE(expression$hessian))
  if (is.list(told)) raise_core_error(with_advice(told$error, expression), user_call())
  invisible()
}

# What there is instead of a second derivative that is refused.
with_advice <- function(error, expression) {
  if (!isTRUE(expression$hessian) && is.null(expression$effects)) return(error)
  if (!grepl("second derivative", error$message, fixed = TRUE)) return(error)
  advice <- if (is.null(expression$diagonal) && is.null(expression$effects)) {
    ". Instead take differences of the gradient, optimHess(par, fn, gr), with `fn` and `gr` of as_objective(), whose function is made without `hessian`"
  } else {
    ". laplace() takes second derivatives in the effects, and their derivatives in the parameters"
  }
  error$message <- paste0(sub(see_limits, "", error$message, fixed = TRUE), advice, see_limits)
  error
}

# GPUs lose which NaN it was in every operation, but not where a number is moved or chosen. With the environment variable
# NMATHOPENCL_AS_GPU, kernels do so on every device, and the host compiles what GPUs run (NMATH_AS_GPU in OPENCL.cl): for tests.
as_gpu <- function() nzchar(Sys.getenv("NMATHOPENCL_AS_GPU"))

# What round() and signif() make of whole numbers depends on R's version, so R is asked: "double", "integer", or "same", the numbers
# themselves. `given`: whether digits are; `digits`: their value, NULL where it is not known.
whole_rounding <- function(name, type, given, digits) {
  x <- if (type == "logical") TRUE else c(15L, 123456789L)
  rounding <- get(name, baseenv())
  known <- !given || !is.null(digits)
  value <- if (!given) rounding(x) else rounding(x, digits %||% c(1, -1))
  if (is.double(value)) return("double")
  if (known && identical(value, as.integer(x))) "same" else "integer"
}
