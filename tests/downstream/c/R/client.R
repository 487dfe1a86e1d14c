# client -- R's side of src/client.c and src/cplusplus.cpp. `device`: a string, or NULL for the session's choice.

gamma_density <- function(x, shape, scale) .Call(C_gamma_density, x, shape, scale)

functions <- function() {
  found <- .Call(C_functions)
  data.frame(name = found[[1L]], columns = found[[2L]], flags = found[[3L]], draws = found[[4L]] == 1L)
}

devices <- function() .Call(C_devices)

elementwise <- function(name, columns, flags = integer(), n = max(lengths(columns)), device = NULL, seed = 0) {
  .Call(C_elementwise, name, lapply(columns, as.double), as.integer(flags), as.double(n), device, as.double(seed))
}

# The expression of vectors that are put on the device first: its values, elements `first` ... (from 0), `count` of them.
on_device <- function(arguments, text, values, first = 0, count = max(lengths(values)), device = NULL) {
  .Call(C_on_device, arguments, text, lapply(values, as.double), as.double(first), as.double(count), device)
}

# The same of vectors in R's memory.
evaluate <- function(arguments, text, values, device = NULL) {
  .Call(C_evaluate, arguments, text, lapply(values, as.double), device)
}

log_density_kernel <- function(x, sd) .Call(C_log_density_kernel, as.double(x), as.double(sd))

from_cplusplus <- function(x) .Call(C_from_cplusplus, as.double(x))
