# What a kernel says of missing values: which NaN is NA, and which call made one of what was none.

# GPUs lose which NaN it was in every operation, but not where a number is moved or chosen. With the environment variable
# NMATHOPENCL_AS_GPU, kernels do so on every device, and the host compiles what GPUs run (NMATH_AS_GPU in OPENCL.cl): for tests.
as_gpu <- function() nzchar(Sys.getenv("NMATHOPENCL_AS_GPU"))

canonical_text <- function(node, text) {
  moved <- c("input", "column", "select", "plus", "bare", "as_double", "cut")
  if (node$type != "double" || node$op %in% moved) text else paste0("expr_canonical(", text, ")")
}

# C condition under which the NaN that a node of doubles has is NA: some NA went into it. Functions and arithmetic pass NaN
# on, so that of their arguments nothing else needs to be asked; the others say for themselves whether they are NaN.
na_text <- function(w, id, at) {
  node <- node_of(w$tree, id)
  at <- index_for(w, at, node$len)
  key <- paste("na", id, at$name)
  found <- w$known[[key]]
  if (is.null(found)) {
    found <- named_condition(w, id, at, na_of_node(w, id, node, at))
    w$known[[key]] <- found
  }
  found
}

# A long condition gets a name, so that one which stands in many others does not grow with each.
named_condition <- function(w, id, at, text) {
  if (nchar(text) < 200L) return(text)
  name <- paste0("na", id, index_suffix(at, len_of(w$tree, id)))
  emit(w, at, "const int ", name, " = ", text, ";")
  name
}

na_of_node <- function(w, id, node, at) {
  parts <- function(ids) {
    texts <- unique(vapply(ids, function(a) na_text(w, a, at), ""))
    texts <- setdiff(texts, "0")
    if (length(texts) == 0L) return("0")
    if ("1" %in% texts) return("1")
    paste(texts, collapse = " | ") # not ||: without branches a compiler takes several elements at a time
  }
  value <- function() value_at(w, id, at)
  if (node$op == "const") return(if (is.na(node$value) && !is.nan(node$value)) "1" else "0")
  if (node$type != "double") return(paste0("(", value(), " == NMATH_NA_INT)"))
  guarded <- function(text) if (text %in% c("0", "1")) text else paste0("(isnan(", value(), ") && (", text, "))")
  switch(node$op,
    input = , column = paste0("expr_is_na(", value(), ")"),
    product = guarded(paste0("(", product_na(w, node, at), ")")),
    draw = "0",
    "^" = guarded(parts(node$args)),
    "%%" = { # x %% 0 is NaN, whatever x is
      by <- value_at(w, node$args[2L], at)
      found <- parts(node$args)
      if (found == "0") found else paste0("((", by, ") != 0.0 && (", found, "))")
    },
    pmin = , pmax = if (node$value) guarded(parts(node$args)) else parts(node$args),
    select = {
      test <- value_at(w, node$args[1L], at)
      yes <- na_text(w, node$args[2L], at)
      no <- na_text(w, node$args[3L], at)
      if (yes == "0" && no == "0") paste0(test, " == NMATH_NA_INT") else
        paste0("(", test, " == NMATH_NA_INT || (", test, " ? (", guard_at(w, node$args[2L], at, yes), ") : (", guard_at(w, node$args[3L], at, no), ")))")
    },
    parts(node$args)
  )
}

guard_at <- function(w, id, at, text) {
  if (text %in% c("0", "1") || type_of(w$tree, id) != "double") return(text)
  paste0("isnan(", value_at(w, id, at), ") && (", text, ")")
}

# Values are seldom missing, and to ask each of them is a good part of what a sum costs. Where a reduction passes a NaN on,
# its kernel asks once, at the end, whether there was one; if so, the call is made again in the "general" form, which asks
# everywhere.
tells_missing <- function(reduce) {
  !is.null(reduce) && !reduce$na_rm && reduce$op %in% c("sum", "mean", "prod", "logsumexp")
}

# Nodes whose NaN makes an output NaN, whatever the other values are.
told_nodes <- function(w, outputs) {
  told <- integer()
  visit <- function(id) {
    node <- node_of(w$tree, id)
    if (id %in% told || node$type != "double" || node$op == "const") return()
    told <<- c(told, id)
    passes <- switch(node$op,
      neg = , plus = , bare = , "+" = , "-" = , "*" = , "/" = , elementary = , log = , abs = , library = TRUE,
      pmin = , pmax = !node$value,
      FALSE
    )
    if (passes) for (arg in node$args) visit(arg)
  }
  for (id in outputs) visit(id)
  told
}

# ifelse(is.na(x), x, other), where that x is NaN is told anyway.
asks_what_is_told <- function(w, node) {
  test <- node_of(w$tree, node$args[1L])
  test$op == "is.na" && test$args[1L] == node$args[2L] && node$args[2L] %in% w$told
}

# What notes that a node made a missing value of what was none.
site_text <- function(w, id, node, at, name) {
  for (site in w$tree$sites) {
    # Fixed forms know no warnings: what has some is odd.
    if (site$node != id || id %in% w$fixed || id %in% w$sure) next
    if (id %in% w$told && !site$rule %in% c("overflow", "draw", names(seen_rules))) next
    # A literal NA makes nothing missing that was none before; a function's own rule may have more to say.
    if (has_missing_literal(w, node) && !site$rule %in% c("draw", names(seen_rules))) next
    mark <- mark_text(w, site)
    if (site$rule == "overflow") {
      emit(w, at, "if (over_", name, ") ", mark)
      next
    }
    args <- Filter(function(a) node_of(w$tree, a)$op != "const" && type_of(w$tree, a) == "double", node$args)
    clean <- vapply(args, function(a) paste0("!isnan(", value_at(w, a, at), ")"), "")
    made <- if (node$type == "double") paste0("isnan(", name, ")") else paste0(name, " == NMATH_NA_INT")
    if (site$rule == "draw") clean <- character()
    odd <- seen_rules[[site$rule]]
    if (!is.null(odd)) {
      args <- vapply(node$args, function(a) value_at(w, a, at), "")
      odd <- substitute_words(odd, c("RESULT", "FIRST", "SECOND"), c(name, args[1:2]))
      if (has_missing_literal(w, node)) made <- "0"
      emit(w, at, "if (", odd, " || (", paste(c(made, clean), collapse = " && "), ")) ", mark)
      next
    }
    emit(w, at, "if (", paste(c(made, clean), collapse = " && "), ") ", mark)
  }
}

has_missing_literal <- function(w, node) {
  any(vapply(node$args, function(a) node_of(w$tree, a)$op == "const" && is.na(node_of(w$tree, a)$value), NA))
}

# A part that is computed at two indices, in front of the loop and in it, has one bit: R computes it once.
mark_text <- function(w, site) {
  known <- which(vapply(w$sites, identical, NA, site))
  if (length(known) == 0L) known <- length(w$sites <- c(w$sites, list(site)))
  bit <- known[1L] - 1L
  paste0("w", bit %/% warning_bits, " |= 1 << ", bit %% warning_bits, ";")
}

# Which ways a test of ifelse() goes.
test_text <- function(w, id, at, name) {
  emit(w, at, "if (", name, " == 1) ", mark_text(w, list(node = id, rule = "test", way = TRUE)))
  emit(w, at, "if (", name, " == 0) ", mark_text(w, list(node = id, rule = "test", way = FALSE)))
}

# Where a function may have more to warn of than NaN: the text is R's to find, by the function's own rule
# (rules/missing_values.cpp), once the kernel has seen that there may be one.
seen_rules <- local({
  odd <- "FIRST != rint(FIRST)"
  edge <- "RESULT == 0.0 || isinf(RESULT)"
  list(
    dbinom = odd, dpois = odd, dgeom = odd, dhyper = odd, dnbinom = odd, dnbinom_mu = odd, choose = "SECOND != rint(SECOND)",
    pbinom = "SECOND != rint(SECOND)", gammafn = "FIRST < -10.0 || (FIRST < 1.0 && isinf(RESULT)) || isinf(RESULT)",
    psigamma = "SECOND > 100.0", bessel_i = edge, bessel_j = edge, bessel_k = "0", bessel_y = edge, qtukey = "0"
  )
})
