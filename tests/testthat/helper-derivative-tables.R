# Tables of certified derivatives (ref-derivatives, made by tools/derivative_reference) and how gradients are scored by them.
#
# A file NAME.tsv.bz2 has the arguments of NAME and, for each derivative, the columns "ARGUMENT FORM" and its condition number.
# FORM: value; log, of a density; lower, upper, log, logupper, of a distribution function or quantile by its flags. In
# NAME.log.tsv p is a log probability, in NAME.scaled.tsv a Bessel function is scaled.

derivative_flags <- function(name, form) {
  if (grepl("^bessel[IK]$", name)) return("FALSE")
  if (grepl("^bessel[IK][.]scaled$", name)) return("TRUE")
  if (form == "value") return(character())
  if (form == "log" && substr(name, 1, 1) == "d") return("log = TRUE")
  c(if (form %in% c("upper", "logupper")) "lower.tail = FALSE", if (form %in% c("log", "logupper")) "log.p = TRUE")
}

# Names that a file can have on every system.
derivative_operators <- c(plus = "+", minus = "-", times = "*", divide = "/", power = "^", remainder = "%%", quotient = "%/%")

derivative_call <- function(name, arguments, form) {
  flags <- derivative_flags(name, form)
  name <- sub("[.](log|scaled|far)$", "", name)
  if (name %in% names(derivative_operators)) return(paste("x", derivative_operators[[name]], "y"))
  given <- if (name %in% c("lchoose", "choose", "atan2") || length(arguments) == 1 || grepl("^bessel", name)) {
    arguments
  } else {
    paste(arguments, "=", arguments)
  }
  if (grepl("^[dpq]n(chisq|beta|f|t)$", name)) name <- sub("^(.)n", "\\1", name)
  if (grepl("_mu$", name)) name <- sub("_mu$", "", name)
  paste0(name, "(", paste(c(given, flags), collapse = ", "), ")")
}

read_derivatives <- function(path) {
  table <- utils::read.delim(path, check.names = FALSE, colClasses = "character", na.strings = "NA")
  columns <- grep(" ", names(table))
  number <- function(x) suppressWarnings(as.numeric(x))
  list(
    name = sub("[.]tsv[.]bz2$", "", basename(path)), arguments = lapply(as.list(table[seq_len(columns[1] - 1L)]), number),
    of = strsplit(names(table)[columns], " "), value = lapply(table[columns], number), cond = lapply(table[columns + 1L], number)
  )
}

# The gradient of one form in all its arguments, as a matrix.
derivatives_of <- function(table, form, device, call) {
  names <- vapply(Filter(function(of) of[2] == form, table$of), `[`, "", 1L)
  f <- function() NULL
  formals(f) <- stats::setNames(rep(alist(x = ), length(table$arguments)), names(table$arguments))
  body(f) <- str2lang(call %||% derivative_call(table$name, names(table$arguments), form))
  environment(f) <- globalenv()
  ours <- opencl_function(f, gradient = names)
  attr(suppressWarnings(do.call(ours, c(table$arguments, device = device))), "gradient")
}

# The bar: 8 eps (1 + the condition number of the derivative), and 4 units of the smallest double.
# `call`: of another function that has the same values.
derivative_scores <- function(path, device, rows = NULL, call = NULL) {
  table <- read_derivatives(path)
  if (!is.null(rows)) {
    for (part in c("arguments", "value", "cond")) table[[part]] <- lapply(table[[part]], function(x) x[rows[rows <= length(x)]])
  }
  scores <- lapply(unique(vapply(table$of, `[`, "", 2L)), function(form) {
    got <- derivatives_of(table, form, device, call)
    k <- which(vapply(table$of, function(of) of[2] == form, NA))
    do.call(rbind, lapply(seq_along(k), function(j) {
      ref <- table$value[[k[j]]]
      known <- !is.na(ref)
      error <- pmax(abs(got[, j] - ref) - 4 * 2^-1074, 0) / abs(ref) / (.Machine$double.eps * (1 + table$cond[[k[j]]]))
      error[known & ref == 0] <- ifelse(got[known & ref == 0, j] == 0, 0, Inf)
      error[known & is.na(error)] <- Inf
      worst <- which.max(ifelse(known, error, -1))
      data.frame(
        argument = table$of[[k[j]]][1], form = form, n = sum(known), fail = sum(error[known] > 8), worst = error[worst],
        where = paste0(paste(names(table$arguments), vapply(table$arguments, function(x) format(x[worst], digits = 15), ""), sep = "=", collapse = " "),
                       " got ", format(got[worst, j], digits = 17), " ref ", format(ref[worst], digits = 17)),
        stringsAsFactors = FALSE
      )
    }))
  })
  do.call(rbind, scores)
}
