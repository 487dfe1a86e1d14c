# From a kernel's text to a kernel that the engine runs.

item_codes <- c(
  column = 1L, offset = 2L, stride = 3L, output = 4L, out_offset = 5L, flags = 6L, first = 7L, len = 8L, scalar = 9L,
  whole_scalar = 10L, length = 11L, seed = 12L, order = 13L, starts = 14L, blocks = 15L, block = 16L, local = 17L,
  room = 18L
)
role_codes <- c(full = 1L, whole = 2L, matrix = 3L)
output_codes <- c(double = 1L, integer = 2L, logical = 3L, long = 4L)

# What fused_prepare_cpp() is told: the kernel's arguments by number. Scalars are one vector: inputs of length one, then
# lengths, then the two words of each seed.
prepare_kernel <- function(name, text) {
  n_scalars <- length(text$scalars)
  n_lengths <- length(text$lengths)
  kinds <- vapply(text$items, function(item) item$kind, "")
  numbers <- vapply(text$items, function(item) item$number, 0L)
  whole <- kinds == "scalar" & text$scalar_types[pmax(numbers, 1L)] != "double"
  index <- numbers - 1L
  index[kinds == "length"] <- index[kinds == "length"] + n_scalars
  index[kinds == "seed"] <- 2L * index[kinds == "seed"] + n_scalars + n_lengths
  kinds[whole] <- "whole_scalar"
  handle <- fused_prepare_cpp(list(
    name = name, key = "", text = function() expression_program(text$text), options = if (as_gpu()) "-DNMATH_AS_GPU" else "", kernel = expression_kernel,
    cost = match(text$cost, c("cheap", "moderate", "heavy", "slow")) - 1L, least = text$least, local_forms = text$local_forms, items = unname(item_codes[kinds]),
    index = pmax(index, 0L), roles = unname(role_codes[vapply(text$columns, function(column) column$role, "")]),
    outputs = unname(output_codes[text$outputs]), flags = text$words,
    scalars = n_scalars + n_lengths + 2L * length(text$seeds), reduce = !is.null(text$reduce),
    widths = if (!is.null(text$reduce)) ifelse(text$widths > 0L, text$widths + n_scalars - 1L, -1L), join = if (is.null(text$reduce)) "" else expression_join,
    joins = text$joins %||% 0L
  ))
  if (is.list(handle)) raise_core_error(handle$error, NULL)
  handle
}

expression_program <- function(text) {
  program <- expression_program_cpp(text)
  if (is.list(program)) raise_core_error(program$error, NULL)
  if (grepl("OPENCLPORT_OPENCL_CL", program, fixed = TRUE)) return(program)
  expression_program(paste0("// @depends_nmath: nmath\n", text)) # a C expression that calls nothing of the library
}
