# wrappers -- R/*_gen.R: the R functions and their help pages, and the families of the GLM grid.

shared_errors <- paste(
  "An argument that is not numeric, integer or logical is an error with R's own text. A device that fails is an",
  "error of class \\code{nmathopencl_error}, whose fields \\code{step}, \\code{status}, \\code{hint}, \\code{device}",
  "and \\code{build_log} say what failed; see \\code{fallback}."
)

draws_count <- "number of draws: a single number is truncated, a vector of another length stands for its length."

draws_accuracy <- paste(
  "100,000 draws at small, moderate and extreme parameters are tested against the distribution function, by Kolmogorov and",
  "Smirnov's test or by chi-squared; a right generator fails once in a million such tests."
)

draws_value <- paste(
  "Random numbers: a vector as long as their first argument asks, without attributes, double or, of whole numbers, integer",
  "unless one is beyond the integers."
)

shared_draws <- paste(
  "The numbers differ from those of \\pkg{stats} but follow the same distributions; how they are made is told in",
  "\\code{\\link{rng_core_opencl}}. \\code{\\link{set.seed}} makes them reproducible: they depend on R's generator, on the",
  "arguments and on nothing else, but for rounding: not on devices, and not on how many of them share a call. With",
  "\\code{seed} and \\code{first} a part of a vector of draws is drawn by itself, by another process or machine if need",
  "be: see \\code{\\link{many_devices}}. Parameters are recycled over the draws of the call. A draw whose parameters are missing or",
  "outside their domain is \\code{NaN}, or \\code{NA} among integers, with the warning \\code{NAs produced}."
)

common_formals <- c("device = \"auto\"", "fallback = FALSE", "verbose = FALSE", "keep = FALSE")
draw_formals <- c("seed = NULL", "first = 1")
flag_formals <- function(row) {
  switch(row$flags,
    "log" = "log = FALSE",
    "lower.tail, log.p" = c("lower.tail = TRUE", "log.p = FALSE"),
    character()
  )
}

# Whether the published package gave the function an argument that has another name here: `...` takes it to the
# engine, which looks at nothing but how many there are (R/old_arguments.R). Functions of R's names were not there.
takes_old_arguments <- function(row, old) {
  !nzchar(row$body) && !nzchar(row$of) && (row$family %in% old$family || nzchar(row$flags) && !is_draw(row))
}

# Whether the function gives draws; others of their row may not.
draws_here <- function(row) is_draw(row) && !nzchar(row$body)

wrapper_formals <- function(row, old) {
  own <- paste(c(split_list(row$formals), flag_formals(row)), collapse = ", ")
  indent <- strrep(" ", nchar(row$name) + nchar("_opencl <- function("))
  common <- c(common_formals, if (draws_here(row)) draw_formals, if (takes_old_arguments(row, old)) "...")
  c(paste0(row$name, "_opencl <- function(", own, ","), paste0(indent, paste(common, collapse = ", "), ") {"))
}

# A family's help page; one that a function of the same name would clash with says what it is about.
page_name <- function(family, functions) {
  if (family %in% functions$name) paste0(family, "_distribution_opencl") else paste0(family, "_opencl")
}

wrapper_text <- function(row, page, old) {
  name <- if (nzchar(row$of)) row$of else row$name
  flags <- sub(" = .*", "", flag_formals(row))
  further <- c(if (draws_here(row)) ", seed, first", if (takes_old_arguments(row, old)) ", ...")
  further <- paste(further, collapse = "")
  body <- if (nzchar(row$body)) {
    row$body
  } else if (is_draw(row)) {
    form <- if (row$flags == "cells") "multinomial_draws(\"%s\", %s, %s, " else "random_draws(\"%s\", %s, list(%s), "
    paste0(sprintf(form, name, first_formal(row$formals), row$columns), "device, fallback, verbose, keep", further, ")")
  } else {
    sprintf(
      "elementwise(\"%s\", list(%s), list(%s), device, fallback, verbose, keep%s)",
      name, row$columns, paste(flags, collapse = ", "), further
    )
  }
  if (nzchar(row$finish)) body <- sprintf("%s(%s)", row$finish, body)
  prepare <- if (nzchar(row$prepare)) trimws(strsplit(row$prepare, ";", fixed = TRUE)[[1]])
  prepare <- sub("(device, fallback, verbose[^)]*)\\)", paste0("\\1", further, ")"), prepare)
  c(paste("#' @rdname", page), "#' @export", wrapper_formals(row, old), paste0("  ", c(prepare, body)), "}")
}

# The functions that R has under other names than C: rows of r_names.tsv, with what they are computed by in `of`.
with_r_names <- function(functions, named) {
  target <- match(named$of, functions$name)
  if (anyNA(target)) stop("r_names.tsv: no function ", toString(named$of[is.na(target)]), call. = FALSE)
  taken <- intersect(named$name, functions$name)
  if (length(taken) > 0) stop("r_names.tsv: already in functions.tsv: ", toString(taken), call. = FALSE)
  rows <- functions[target, ]
  rows[names(named)] <- named
  rows$stem[nzchar(rows$body)] <- "none"
  functions[c("of", "body")] <- ""
  all <- rbind(functions, rows)
  all[order(c(seq_len(nrow(functions)), target)), ]
}

# What the tags say beside the errors over tables, which the datasheet has.
accuracy_lines <- function(rows) {
  stems <- setdiff(unique(rows$stem), "none")
  tags <- vapply(stems, function(s) {
    parts <- trimws(strsplit(read_tag(file.path(cl_dir, "nmath", paste0(s, ".cl")), "accuracy"), ";", fixed = TRUE)[[1]])
    paste(parts[!grepl("\\.tsv|^see ", parts)], collapse = "; ")
  }, "")
  tags <- gsub("%", "\\\\%", tags[nzchar(tags)])
  if (length(tags)) paste0("\\item \\file{", names(tags), ".cl}: ", tags)
}

accuracy_section <- function(rows) {
  lines <- accuracy_lines(rows)
  draws <- if (any(is_draw(rows))) roxygen_item(draws_accuracy)
  if (length(lines) == 0 && is.null(draws)) return(NULL)
  c("#' @section Accuracy:", draws, if (length(lines)) c("#' By source file:", "#' \\itemize{", paste0("#' ", lines), "#' }"))
}

roxygen_item <- function(text) paste("#'", strwrap(text, 100))

family_page <- function(family, rows, parameters, page, old, sheet) {
  formals <- unique(sub(" = .*", "", unlist(lapply(rows$formals, split_list))))
  flags <- unique(sub(" = .*", "", unlist(lapply(seq_len(nrow(rows)), function(k) flag_formals(rows[k, ])))))
  counts <- first_formal(rows$formals[is_draw(rows)]) # how many draws: n or nn
  describe <- function(name) {
    if (name %in% counts) return(roxygen_item(paste("@param", name, draws_count)))
    k <- which(parameters$param == name & parameters$family %in% c(family$family, "*"))
    if (length(k) == 0) stop("parameters.tsv: no text for ", name, " of ", family$family, call. = FALSE)
    k <- k[order(parameters$family[k] == "*")][1]
    roxygen_item(paste("@param", name, parameters$text[k]))
  }
  some_old <- any(vapply(seq_len(nrow(rows)), function(k) takes_old_arguments(rows[k, ], old), NA))
  some_draw <- any(vapply(seq_len(nrow(rows)), function(k) draws_here(rows[k, ]), NA))
  common <- sub(" = .*", "", c(common_formals, if (some_draw) draw_formals))
  params <- unlist(lapply(c(formals, flags, common, if (some_old) "..."), describe))
  c(
    paste("#'", family$title), "#'",
    roxygen_item(family$description), "#'",
    "#' \\itemize{",
    sprintf("#'   \\item \\code{%s_opencl}: %s%s", rows$name, gsub("%", "\\\\%", rows$title),
            ifelse(nzchar(rows$mirrors), sprintf(" (as \\code{%s})", rows$mirrors), "")),
    "#' }", "#'",
    params,
    roxygen_item(paste("@return", family$value, if (any(is_draw(rows)) && !all(is_draw(rows))) draws_value)),
    roxygen_item(paste("@section Errors:", shared_errors)),
    if (any(is_draw(rows))) roxygen_item(paste("@section Random numbers:", shared_draws)),
    roxygen_item(paste("@section Differences from R:", family$differences)),
    sheet(rows),
    accuracy_section(rows),
    roxygen_item(paste("@references", family$references)),
    roxygen_item(paste("@seealso", family$seealso)),
    "#' @examples",
    paste("#'", strsplit(family$examples, " ;; ", fixed = TRUE)[[1]]),
    paste("#' @name", page),
    "NULL"
  )
}

first_formal <- function(formals) sub(",.*", "", formals)

family_text <- function(family, functions, parameters, old, sheet) {
  rows <- functions[functions$family == family$family, ]
  page <- page_name(family$family, functions)
  wrappers <- lapply(seq_len(nrow(rows)), function(k) c("", wrapper_text(rows[k, ], page, old)))
  c(paste("#", banner), "", family_page(family, rows, parameters, page, old, sheet), unlist(wrappers))
}

# R's side: what is checked of y and wt, and the list of families in the help page. Rows of one likelihood are one item.
glm_family_text <- function(glm) {
  unknown <- setdiff(glm$kernel, glm_kernels())
  if (length(unknown)) stop("glm.tsv: no file inst/cl/ex_glmbayes_family/", unknown[1], ".cl", call. = FALSE)
  items <- vapply(unique(glm$likelihood), function(likelihood) {
    rows <- glm[glm$likelihood == likelihood, ]
    sprintf("#'   \\item{%s (%s)}{%s.}", toString(unique(rows$family)), toString(unique(rows$link)), likelihood)
  }, "")
  entries <- sprintf(
    "  list(family = \"%s\", link = \"%s\", y = function(y) %s, y_error = \"%s\", wt = function(wt) %s, wt_error = \"%s\")",
    glm$family, glm$link, glm$y, glm$y_error, glm$wt, glm$wt_error
  )
  c(
    paste("#", sub("functions", "glm", banner)), "",
    "#' @section Families and links:", "#' The log-likelihood \\eqn{\\ell_i}{l_i} of an observation is", "#' \\describe{", unname(items), "#' }",
    "#' @name f2_f3_opencl", "#' @rdname f2_f3_opencl", "NULL", "",
    "glm_families <- list(", paste0(entries, c(rep(",", length(entries) - 1), "")), ")"
  )
}
