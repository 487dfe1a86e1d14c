# x[i] where both are resident: the elements are picked on their device.

# What goes through R instead: names, matrices of subscripts, 0 and what is negative or missing, vectors on several devices and
# those beyond the range of C's int; on the host device R's memory is the vector's.
resident_picked <- function(x, i, call) {
  where <- device_of_residents(list(x, i), call)
  n <- length(x)
  logical <- resident_fields(i)$type == "logical"
  apart <- length(where) == 1L && where != "host" && max(n, length(i)) <= .Machine$integer.max && n > 0 && length(i) > 0
  fits <- apart && is.null(names(x)) && if (logical) length(i) == n else is.null(dim(i)) && isTRUE(min(i) >= 1)
  if (!fits) {
    index <- resident_whole(i, call)
    if (logical) attributes(index) <- NULL
    value <- resident_whole(x, call)[index]
    return(as_resident(value, length(value), where))
  }
  if (logical) i <- positions_of_true(i)
  if (length(i) == 0L) return(opencl_vector(vector(resident_fields(x)$type, 0L), where))
  gathered(x, i)
}

picking_text <- local({
  gather <- "
__kernel void gather_X_I(__global const X* x, __global const I* at, __global X* out, const int n, const X missing,
                         const int len) {
    int k = get_global_id(0);
    if (k < len) {
        I j = at[k];
        out[k] = j >= 1 && (double)j < (double)n + 1.0 ? x[(int)j - 1] : missing;
    }
}
"
  types <- list(c("double", "double"), c("double", "int"), c("int", "double"), c("int", "int"))
  gathers <- vapply(types, function(type) {
    of_x <- gsub("\\bX\\b|(?<=_)X(?=_)", type[1L], gather, perl = TRUE)
    gsub("\\bI\\b|(?<=_)I\\b", type[2L], of_x, perl = TRUE)
  }, "")
  paste(c("#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
// A work-item has `run` elements; NA (the least int) is a subscript, too.
__kernel void count_true(__global const int* i, __global int* out, const int n, const int run, const int len) {
    int k = get_global_id(0);
    if (k >= len) return;
    long end = min((long)n, (long)run * (k + 1));
    int found = 0;
    for (long j = (long)run * k; j < end; j++) found += i[j] != 0;
    out[k] = found;
}
__kernel void list_true(__global const int* i, __global const int* from, __global int* out, const int n, const int run,
                        const int parts) {
    int k = get_global_id(0);
    if (k >= parts) return;
    long end = min((long)n, (long)run * (k + 1));
    int at = from[k];
    for (long j = (long)run * k; j < end; j++)
        if (i[j] != 0) out[at++] = i[j] == (int)0x80000000 ? i[j] : (int)j + 1;
}
", gathers), collapse = "")
})

# The subscripts, from 1, of what is TRUE or NA.
positions_of_true <- function(i) {
  n <- length(i)
  run <- 256L
  parts <- as.integer((n + run - 1) %/% run)
  found <- run_opencl_kernel(
    picking_text, "count_true", list(i = i, n = n, run = run), n = parts, out = parts, keep = FALSE
  )
  total <- sum(as.double(found))
  if (total == 0) return(integer())
  from <- as.integer(cumsum(as.double(found)) - found)
  run_opencl_kernel(
    picking_text, "list_true", list(i = i, from = from, n = n, run = run, parts = parts), n = parts, out = total, keep = TRUE
  )
}

# x[at], where the subscripts are 1 or more, or NA in integers.
gathered <- function(x, at) {
  type <- resident_fields(x)$type
  of_c <- function(type) if (type == "double") "double" else "int"
  kernel <- paste0("gather_", of_c(type), "_", of_c(resident_fields(at)$type))
  missing <- if (type == "double") NA_real_ else NA_integer_
  value <- run_opencl_kernel(
    picking_text, kernel, list(x = x, at = at, n = length(x), missing = missing), n = length(at), out = length(at), keep = TRUE
  )
  if (type != "logical") return(value)
  as_resident(resident_function(quote(as.logical(x)), FALSE)(value), length(at), device_of_residents(list(x)))
}
