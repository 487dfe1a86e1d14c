# Without a compiler: R evaluates the body of an opencl_function, with this package's host functions under R's names.

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
  group_codes(by, length(value))
  sums <- tapply(value, if (is.factor(by)) by else factor(by, levels = seq_len(max(by, na.rm = TRUE))), one)
  stats::setNames(as.vector(sums), names(sums))
}

# Value and gradient: R computes the nodes of the tree.
gradient_plainly <- function(expression, variant, inputs, by) {
  n <- element_count(variant, inputs)
  parts <- lapply(node_values(variant$tree, variant$outputs, inputs), function(value) rep_len(as.vector(value), n))
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
      function(...) without_tables(ours(..., device = "host"))
    })
    names(expression_state$host_functions) <- vapply(rows, r_name, "")
    expression_state$host_functions$.c_text <- function(...) {
      argument_error("a text of OpenCL C needs an OpenCL device or, for the host device, a compiler: ", no_compiler_reason())
    }
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
