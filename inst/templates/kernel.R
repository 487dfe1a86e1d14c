{{roxygen}}
{{name}} <- function({{arguments}}) {
  columns <- list({{columns}})
  numeric <- vapply(columns, is.numeric, NA)
  if (!all(numeric)) stop("`", names(columns)[!numeric][1], "` must be numeric", call. = FALSE)
  if (any(lengths(columns) == 0)) return(numeric())
  len <- max(lengths(columns))
  {{name}}_cpp(lapply(columns, function(column) rep_len(as.double(column), len)), len)
}
