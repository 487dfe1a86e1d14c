{{roxygen}}
{{name}} <- function({{arguments}}, device = "auto") {
  columns <- list({{columns}})
  numeric <- vapply(columns, is.numeric, NA)
  if (!all(numeric)) stop("`", names(columns)[!numeric][1], "` must be numeric", call. = FALSE)
  if (any(lengths(columns) == 0)) return(numeric())
  len <- max(lengths(columns))
  if (!identical(device, "auto")) {
    before <- nmathopencl::set_opencl_device(device)
    on.exit(nmathopencl::set_opencl_device(before))
  }
  {{name}}_cpp(lapply(columns, function(column) rep_len(as.double(column), len)), len)
}
