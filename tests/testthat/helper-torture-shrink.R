# Smaller functions that still show what a random one has shown.

# Bodies with one part replaced by a part of its own, or one statement less, the outermost first.
smaller_bodies <- function(expr) {
  if (!is.call(expr)) return(list())
  parts <- as.list(expr)
  head <- as.character(parts[[1L]])[1L]
  if (head == "%*%") return(list())
  places <- seq_along(parts)[-1L]
  own <- switch(head,
    "{" = if (length(parts) > 2L) c(lapply(places[-length(places)], function(k) as.call(parts[-k])), list(parts[[length(parts)]])),
    "<-" = list(),
    "if" = parts[-(1:2)],
    unname(parts[-1L])
  )
  inner <- lapply(places, function(k) {
    lapply(smaller_bodies(parts[[k]]), function(part) {
      new <- expr
      new[[k]] <- part
      new
    })
  })
  c(own, unlist(inner, FALSE))
}

# Whether every local is read by what comes after it: R warns of what is computed in vain.
reads_its_locals <- function(body) {
  assigned <- function(expr) if (is.call(expr)) c(if (identical(expr[[1L]], as.symbol("<-"))) as.character(expr[[2L]]), unlist(lapply(as.list(expr)[-1L], assigned)))
  statements <- if (is.call(body) && identical(body[[1L]], as.symbol("{"))) as.list(body)[-1L] else list(body)
  for (k in seq_along(statements)) {
    if (!all(assigned(statements[[k]]) %in% unlist(lapply(statements[-seq_len(k)], surely_read)))) return(FALSE)
  }
  TRUE
}

# The smallest function found in `budget` trials of `shows(f)`.
smallest_function <- function(f, shows, budget) {
  repeat {
    smaller <- NULL
    for (body in smaller_bodies(body(f))) {
      if (!reads_its_locals(body)) next
      if (budget <= 0L) return(torture_used(f))
      budget <- budget - 1L
      g <- as.function(c(formals(f), body), envir = environment(f))
      if (!isTRUE(tryCatch(shows(g), error = function(e) FALSE))) next
      smaller <- g
      break
    }
    if (is.null(smaller)) return(torture_used(f))
    f <- smaller
  }
}
