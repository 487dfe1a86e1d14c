# kernel_bundle -- programs as values: made from text, compiled, linked, built, joined and asked for their kernels. Thin
# over src/device/kernel_bundle.cpp, where all rules are.

# Set when the package is unloaded: bundles that R forgets after that have nothing left to release.
bundle_registry <- new.env(parent = emptyenv())
bundle_registry$unloaded <- FALSE

release_bundle <- function(pointer) if (!bundle_registry$unloaded) release_bundle_cpp(pointer)

# An R object for what the core returned, or its error.
as_bundle <- function(result, call) {
  if (!is.null(result$error)) raise_core_error(result$error, call)
  reg.finalizer(result$pointer, release_bundle)
  structure(list(pointer = result$pointer), class = "nmathopencl_bundle")
}

core_value <- function(result, call) {
  if (!is.null(result$error)) raise_core_error(result$error, call)
  result$value
}

# An error of the class that the core's have, found in R.
bundle_error <- function(message, call) {
  raise_core_error(list(message = message, step = "", status = "", hint = "", device = "", build_log = ""), call)
}

is_bundle <- function(x) inherits(x, "nmathopencl_bundle")

bundle_pointer <- function(x, name = "bundle", call = user_call()) {
  if (!is_bundle(x) || typeof(x$pointer) != "externalptr") {
    bundle_error(paste0("`", name, "` must be a kernel bundle, as kernel_bundle() makes it"), call)
  }
  x$pointer
}

# Bundles given one by one or as a list.
bundle_pointers <- function(bundles, call) {
  if (length(bundles) == 1L && is.list(bundles[[1L]]) && !is_bundle(bundles[[1L]])) bundles <- bundles[[1L]]
  lapply(seq_along(bundles), function(k) bundle_pointer(bundles[[k]], paste0("bundle ", k), call))
}

bundle_facts <- function(bundle, call) {
  facts <- bundle_facts_cpp(bundle_pointer(bundle, call = call))
  if (!is.null(facts$error)) raise_core_error(facts$error, call)
  facts
}

check_options_string <- function(options) {
  if (!is.character(options) || length(options) != 1L || is.na(options)) {
    argument_error("`options` must be one string")
  }
  options
}

one_device <- function(device, call) {
  if (length(device) == 0L) bundle_error("the list of devices is empty: a kernel bundle needs one", call)
  if (length(device) > 1L) {
    bundle_error("a kernel bundle belongs to one device: make one for each, they share no context", call)
  }
  resolve_device(device)
}

#' Kernel bundles: programs that you compile, link and ask
#'
#' A kernel bundle is a set of kernels for one device, in one of three states. \code{kernel_bundle()} makes one of a
#' program text, in state \code{"source"}. \code{bundle_compile()} turns that into an \code{"object"},
#' \code{bundle_link()} turns objects into one \code{"executable"}, and \code{bundle_build()} does both steps at once.
#' \code{bundle_join()} puts bundles of one state together. A bundle never changes: each function returns a new one.
#'
#' A bundle consists of images, each the program of one text. \code{bundle_join()} unites the images and drops
#' duplicates; \code{bundle_build()} builds each image by itself, while \code{bundle_link()} makes one program of all, so
#' that functions of one may call those of another (see \code{\link{nmath_library}}). Where several images have a
#' kernel of the same name, the one of the first image is meant.
#'
#' On the host device, where there is a C compiler (\code{\link{run_opencl_kernel}} says which), bundles go through the same
#' states. Of the options it takes \code{-D} and \code{-U}; what kernels declare in local memory is not among the limits that
#' \code{\link{kernel_info}} tells.
#'
#' \code{bundle_build()} builds a text at most once in a session and reads it from the disk cache if it is there
#' (\code{\link{opencl_cache_info}}); \code{\link{last_run}} then says which.
#'
#' @param program the program text, one string, as \code{\link{build_rmath_opencl_program}} assembles it.
#' @param device one device that compiles, see \code{\link{set_opencl_device}}.
#' @param options options for the driver's compiler or, in \code{bundle_link()}, linker.
#' @param bundle a bundle.
#' @param headers a named character vector: texts that the program may \code{#include} by these names.
#' @param ... bundles, or one list of them.
#' @return A bundle: an object of class \code{nmathopencl_bundle}. It holds a pointer, so it can be neither saved nor sent
#'   to another process; a copy of it that was says so when it is used.
#' @section Errors:
#' Class \code{nmathopencl_error}: a bundle in another state than the function needs; bundles of different devices or
#' contexts, or of different states; no bundle; no device, several, or the host device without a compiler; a
#' program that does not compile or link, with the build log. Objects and executables cannot be used after
#' \code{\link{nmathopencl_opencl_reset_device_selection}}; source bundles can.
#' @seealso \code{\link{kernel_ids}} to ask a bundle, \code{\link{set_specialization_constant}},
#'   \code{\link{run_opencl_kernel}} to run a kernel.
#' @examples
#' program <- "
#' #pragma OPENCL EXTENSION cl_khr_fp64 : enable
#' __kernel void halve(__global const double* x, __global double* out, const int len)
#' {
#'     int i = get_global_id(0);
#'     if (i < len) out[i] = 0.5 * x[i];
#' }"
#' if (nmathopencl_opencl_fp64_available()) {
#'   bundle <- bundle_build(kernel_bundle(program))
#'   print(bundle)
#'   print(kernel_info(bundle))
#'   print(run_opencl_kernel(bundle, "halve", list(c(1, 2, 3))))
#' }
#' @export
kernel_bundle <- function(program, device = "opencl", options = "") {
  program <- program_text(program)
  device <- one_device(device, sys.call())
  as_bundle(bundle_from_source_cpp(program, device, check_options_string(options)), sys.call())
}

#' @rdname kernel_bundle
#' @export
bundle_compile <- function(bundle, headers = NULL) {
  pointer <- bundle_pointer(bundle)
  headers <- headers %||% character()
  named <- is.character(headers) && !anyNA(headers) && (length(headers) == 0L || all(nzchar(names(headers) %||% "")))
  if (!named) argument_error("`headers` must be a character vector with names")
  as_bundle(bundle_compile_cpp(pointer, headers, names(headers) %||% character()), sys.call())
}

#' @rdname kernel_bundle
#' @export
bundle_link <- function(..., options = "") {
  pointers <- bundle_pointers(list(...), sys.call())
  as_bundle(bundle_link_cpp(pointers, check_options_string(options)), sys.call())
}

#' @rdname kernel_bundle
#' @export
bundle_build <- function(bundle) {
  result <- bundle_build_cpp(bundle_pointer(bundle))
  built <- as_bundle(result, sys.call())
  state$last_run <- result$report
  built
}

#' @rdname kernel_bundle
#' @export
bundle_join <- function(...) {
  as_bundle(bundle_join_cpp(bundle_pointers(list(...), sys.call())), sys.call())
}

#' What is in a kernel bundle
#'
#' \code{bundle_state()} gives a bundle's state and \code{kernel_ids()} the names of its kernels;
#' \code{has_kernel()} says whether one is there; \code{kernel_info()} gives the limits of kernels on the bundle's
#' device; \code{is_compatible()} says whether a device can use a bundle; \code{bundle_log()} gives what the compiler
#' or linker had to say.
#'
#' A source bundle is compatible with every device that has a compiler. An object or executable is compatible with the
#' device that it was made for, unless that was reset since, and an executable only if the work-group that its kernels
#' require and their local memory are within the device's limits.
#'
#' @param bundle a bundle, see \code{\link{kernel_bundle}}. Kernels are known of executables only.
#' @param kernel names of kernels; by default all kernels of the bundle.
#' @param device a device, see \code{\link{set_opencl_device}}.
#' @return \code{bundle_state()}: \code{"source"}, \code{"object"} or \code{"executable"}. \code{kernel_ids()}: a sorted
#'   character vector. \code{has_kernel()}: a logical vector along \code{kernel}. \code{is_compatible()}: \code{TRUE} or
#'   \code{FALSE}. \code{bundle_log()}: a string. \code{kernel_info()}: a data frame, one row per kernel, with
#'   \code{kernel}, \code{work_group_size} (most work-items of one group), \code{preferred_multiple} (of work-items per
#'   group), \code{private_memory} (bytes per work-item), \code{local_memory} (bytes per group), \code{arguments} (their
#'   number) and \code{required_x}, \code{required_y}, \code{required_z} (the group that the kernel requires, or
#'   \code{NA}).
#' @section Errors:
#' Class \code{nmathopencl_error}: a bundle that is no executable; an unknown kernel, with the names there are.
#' @examples
#' if (nmathopencl_opencl_fp64_available()) {
#'   bundle <- bundle_build(kernel_bundle(build_rmath_opencl_program("src/dnorm_kernel.cl")))
#'   kernel_ids(bundle)
#'   has_kernel(bundle, "pnorm_kernel")
#'   kernel_info(bundle, "dnorm_kernel")
#'   is_compatible(bundle, "opencl")
#' }
#' @export
kernel_ids <- function(bundle) core_value(bundle_kernels_cpp(bundle_pointer(bundle)), sys.call())

#' @rdname kernel_ids
#' @export
has_kernel <- function(bundle, kernel) {
  check_kernel_names(kernel) %in% core_value(bundle_kernels_cpp(bundle_pointer(bundle)), sys.call())
}

#' @rdname kernel_ids
#' @export
kernel_info <- function(bundle, kernel = kernel_ids(bundle)) {
  pointer <- bundle_pointer(bundle)
  info <- bundle_kernel_info_cpp(pointer, check_kernel_names(kernel))
  if (!is.null(info$error)) raise_core_error(info$error, sys.call())
  as.data.frame(info)
}

#' @rdname kernel_ids
#' @export
is_compatible <- function(bundle, device, kernel = NULL) {
  pointer <- bundle_pointer(bundle)
  kernel <- if (is.null(kernel)) character() else check_kernel_names(kernel)
  core_value(bundle_compatible_cpp(pointer, one_device(device, sys.call()), kernel), sys.call())
}

#' @rdname kernel_ids
#' @export
bundle_state <- function(bundle) bundle_facts(bundle, sys.call())$state

#' @rdname kernel_ids
#' @export
bundle_log <- function(bundle) bundle_facts(bundle, sys.call())$build_log

check_kernel_names <- function(kernel) {
  if (!is.character(kernel) || anyNA(kernel)) argument_error("`kernel` must be names of kernels")
  kernel
}

#' Specialization constants
#'
#' Fills in constants that a program text leaves open, before it is compiled: the compiler can then unroll loops and drop
#' branches as if the value stood in the text.
#'
#' In the text the constant is a macro; \code{#ifndef TILE}, \code{#define TILE 8}, \code{#endif} gives it a default.
#' Values arrive exactly: a double as a hexadecimal literal, an integer as an \code{int}, a logical as 0 or 1.
#'
#' @param bundle a bundle; to set a constant, one in state \code{"source"}.
#' @param name the macro's name: letters, digits and \code{_}.
#' @param value one number or logical, not \code{NA}. \code{8L} is an \code{int} in the program, \code{8} a \code{double}.
#' @return \code{set_specialization_constant()}: a new bundle. \code{specialization_constants()}: a named list of the values
#'   that were set. \code{has_specialization_constant()}: whether the constant was set or the text mentions its name.
#' @section Errors:
#' Class \code{nmathopencl_error}: a bundle that is already compiled; a name that is no identifier, or that the text does
#' not mention.
#' @seealso \code{\link{kernel_bundle}}.
#' @examples
#' program <- "
#' #pragma OPENCL EXTENSION cl_khr_fp64 : enable
#' __kernel void scale(__global const double* x, __global double* out, const int len)
#' {
#'     int i = get_global_id(0);
#'     if (i < len) out[i] = FACTOR * x[i];
#' }"
#' if (nmathopencl_opencl_fp64_available()) {
#'   bundle <- set_specialization_constant(kernel_bundle(program), "FACTOR", 0.1)
#'   print(specialization_constants(bundle))
#'   print(run_opencl_kernel(bundle_build(bundle), "scale", list(c(1, 2, 3))))
#' }
#' @export
set_specialization_constant <- function(bundle, name, value) {
  pointer <- bundle_pointer(bundle)
  numeric_like <- (is.numeric(value) || is.logical(value)) && !is.object(value)
  if (!numeric_like || length(value) != 1L || (is.na(value) && !is.nan(value))) {
    argument_error("`value` must be one number or logical, not NA")
  }
  as_bundle(bundle_set_constant_cpp(pointer, check_string(name, "name"), value), sys.call())
}

#' @rdname set_specialization_constant
#' @export
specialization_constants <- function(bundle) bundle_facts(bundle, sys.call())$constants

#' @rdname set_specialization_constant
#' @export
has_specialization_constant <- function(bundle, name) {
  core_value(bundle_has_constant_cpp(bundle_pointer(bundle), check_string(name, "name")), sys.call())
}

#' nmath as a library to link with
#'
#' \code{nmath_library()} gives a program without kernels that holds functions of nmath: compile it once and link it with
#' kernels of your own. \code{nmath_header()} gives what stands in front of such a kernel: the layers below nmath, Mathlib's
#' short names and constants, and prototypes of the functions.
#'
#' @param functions names of functions, such as \code{"dnorm"}; what they need comes along. By default all of nmath.
#' @return A string: OpenCL C source.
#' @section Errors:
#' Class \code{nmathopencl_error}: a function that nmath does not have. A driver that cannot link says so in
#' \code{\link{bundle_link}}; \code{\link{build_rmath_opencl_program}} needs no linker.
#' @seealso \code{\link{kernel_bundle}}.
#' @examples
#' mine <- paste0(nmath_header(c("dnorm", "pgamma")), "
#' __kernel void both(__global const double* x, __global double* out, const int len)
#' {
#'     int i = get_global_id(0);
#'     if (i < len) out[i] = dnorm(x[i], 0.0, 1.0, 0) + pgamma(x[i], 2.0, 1.0, 1, 0);
#' }")
#' if (nmathopencl_opencl_fp64_available()) {
#'   nmath <- bundle_compile(kernel_bundle(nmath_library(c("dnorm", "pgamma"))))
#'   program <- bundle_link(nmath, bundle_compile(kernel_bundle(mine)))
#'   run_opencl_kernel(program, "both", list(c(0.5, 1, 2)))
#' }
#' @export
nmath_library <- function(functions = NULL) {
  core_value(nmath_library_cpp(check_functions(functions), FALSE), sys.call())
}

#' @rdname nmath_library
#' @export
nmath_header <- function(functions = NULL) core_value(nmath_library_cpp(check_functions(functions), TRUE), sys.call())

check_functions <- function(functions) {
  functions <- functions %||% character()
  if (!is.character(functions) || anyNA(functions)) argument_error("`functions` must be names of functions")
  functions
}

#' @export
format.nmathopencl_bundle <- function(x, ...) {
  facts <- bundle_facts(x, sys.call())
  constants <- paste0(names(facts$constants), " = ", vapply(facts$constants, format, "", digits = 17))
  kernels <- if (facts$state == "executable") kernel_ids(x)
  c(
    paste0("<kernel bundle: ", facts$state, ">"),
    paste0("  device:    ", facts$device),
    if (facts$images > 1L) paste0("  images:    ", facts$images),
    if (nzchar(facts$options)) paste0("  options:   ", facts$options),
    if (length(facts$constants)) paste0("  constants: ", paste(constants, collapse = ", ")),
    if (length(kernels)) strwrap(paste(kernels, collapse = ", "), initial = "  kernels:   ", prefix = "             "),
    if (facts$from_disk) "  from the disk cache"
  )
}

#' @export
print.nmathopencl_bundle <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}
