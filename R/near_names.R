# Names that are not known: what there is, and which of it may have been meant.

in_ticks <- function(names) paste0("`", names, "`", collapse = ", ")

# "a", or c("a", "b").
quoted_names <- function(names) {
  quoted <- paste0("\"", names, "\"", collapse = ", ")
  if (length(names) == 1L) quoted else paste0("c(", quoted, ")")
}

# Those of ASCII alone: tolower() and toupper() are the locale's, and in Turkish the small letter of I is not i.
small_letters <- function(x) chartr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", x)
capital_letters <- function(x) chartr("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", x)

# The end of a message about `name`, which is none of `known`: "; did you mean `mean`?"; "" where none is near.
did_you_mean <- function(name, known, behind = "") {
  near <- near_names(name, known)
  if (length(near) == 0L) "" else paste0("; did you mean ", paste0("`", near, behind, "`", collapse = " or "), "?")
}

# Those of `known` that are `name` but for capitals, two letters of a longer name and one of a shorter one, or its beginning: the nearest.
near_names <- function(name, known) {
  known <- unique(known[!is.na(known) & nzchar(known)])
  if (length(known) == 0L || is.na(name)) return(character())
  x <- small_letters(name)
  all <- small_letters(known)
  sorted <- function(x) vapply(strsplit(x, "", fixed = TRUE), function(letters) paste(sort(letters), collapse = ""), "")
  apart <- utils::adist(x, all)[1L, ]
  apart <- pmin(apart, ifelse(sorted(all) == sorted(x), 1L, apart)) # letters in another order
  letters <- nchar(name)
  most <- if (letters > 3L) 2L else if (letters > 1L) 1L else 0L
  begins <- letters > 1L & (startsWith(all, x) | (nchar(known) > 2L & startsWith(x, all)))
  near <- apart <= pmin(most, nchar(known))
  if (any(near)) return(utils::head(known[near & apart == min(apart[near])], 3L))
  utils::head(known[begins], 3L)
}
