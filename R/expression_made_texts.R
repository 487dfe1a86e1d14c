# Texts that R makes before the launch, par[paste0("b", 1:2)] and X[, colnames(Z)]: of arguments and variables at each call.

# Calls whose value is text, whatever they are given, and those that give texts of texts.
text_calls <- c("paste", "paste0", "sprintf", "as.character", "toupper", "tolower", "colnames", "rownames", "names", "format", "sub", "gsub", "substr")
text_passers <- c("c", "setdiff", "intersect", "union", "unique", "rev", "head", "tail", "[", "[[", "(", "grep")

makes_text <- function(expr) {
  if (!is.call(expr) || !is.symbol(expr[[1L]])) return(FALSE)
  head <- as.character(expr[[1L]])
  if (head %in% text_calls) return(TRUE)
  if (!head %in% text_passers || length(expr) < 2L || is_said_text(expr)) return(FALSE)
  parts <- if (head %in% c("[", "[[", "head", "tail")) as.list(expr)[2L] else given_parts(expr)[-1L]
  any(vapply(parts, function(part) is.character(part) || is_said_text(part) || makes_text(part), NA))
}

# The texts alone, of which a program may hold for what they are.
texts_of_data <- function(part) {
  made <- eval(as.call(list(taken_of_data, substitute(part))), parent.frame())
  if (is.character(made)) as.vector(made) else made
}

# p[[paste0("b", k)]] of a list or vector by a text that R makes: what R takes, and of a vector in `gradient` its element.
element_by_text <- function(expr, taken, walk, is_vector) {
  if (!is_vector) return(taken(expr, FALSE))
  call("as.vector", call("[", expr[[2L]], walk(expr[[3L]])))
}

# ---- loops whose rounds make texts, for (k in 1:3) s <- s + par[paste0("b", k)]: such rounds are written out

# The numbers of 1:3, seq_len(3) and c(1, 4) that stand there; NULL of others.
numbers_said <- function(expr) {
  if (is_call_of(expr, "(") && length(expr) == 2L) return(numbers_said(expr[[2L]]))
  parts <- if (is.call(expr)) as.list(expr)[-1L]
  is_one <- function(part) is.numeric(part) && length(part) == 1L && !is.na(part)
  if (length(parts) == 0L || !is.null(names(expr)) || !is_call_of(expr, c(":", "seq_len", "c")) || !all(vapply(parts, is_one, NA))) return(NULL)
  if (any(abs(unlist(parts)) > 1e6)) return(NULL)
  made <- switch(as.character(expr[[1L]]), ":" = parts[[1L]]:parts[[2L]], seq_len = if (length(parts) == 1L && parts[[1L]] >= 1) seq_len(parts[[1L]]), c = unlist(parts))
  if (length(made) %in% 1:64) made
}

# Whether a block makes a text of a number, paste0("b", k).
makes_text_of <- function(expr, name) {
  if (!is.call(expr)) return(FALSE)
  if (is_call_of(expr, c("paste", "paste0", "sprintf")) && name %in% all.vars(expr)) return(TRUE)
  for (part in given_parts(expr)) if (makes_text_of(part, name)) return(TRUE)
  FALSE
}
numbers_of_texts <- function(over, block, name) if (makes_text_of(block, name) && !asked_of_data(block, name)) numbers_said(over)
