# own_kernels -- runs users' kernels, elementwise or over an n-dimensional range. Thin over src/elementwise_user_kernel_wrappers.cpp
# and src/nd_range_kernel.cpp.

#' Run a kernel of your own
#'
#' Builds a program in OpenCL C (once per session and device) and runs one of its kernels: elementwise, with a work-item for each
#' element of its columns, or over a range of one to three dimensions, with results of any size.
#'
#' @section Elementwise kernels:
#' Without \code{out}, \code{local}, \code{groups} and \code{random}, and with one \code{n}, the kernel is elementwise, as
#' this package's own kernels are. It has a parameter for each column, \code{__global const double*} say, then \code{__global double*
#' out, const int len}; work-item \code{i} computes \code{out[i]} where \code{i < len}. Columns have \code{n} elements or one. They go to
#' the parameters in order; where a column has the name of a parameter at another place, they go by name, and those without names to the
#' parameters that are left, in order.
#'
#' @section All other kernels:
#' Parameters may come in any order; arguments are matched to them by name. A parameter that \code{out} names is a result: it
#' contains zeros when the kernel begins, or the elements of \code{columns} under its name. Parameters in local memory have the
#' sizes that \code{local} gives. All other parameters take the elements of \code{columns} with their names, and then, in order,
#' those without names: vectors of any length for pointers to \code{const}, one number for a parameter by value. A parameter
#' \code{len} without an argument gets the number of work-items. The range \code{n} is rounded up to whole \code{groups}: a
#' kernel has to check that its work-item is within \code{len}. With \code{random = TRUE} the parameter \code{const ulong seed} gets a seed drawn from R's
#' generator, see \code{\link{NMATH_RNG}}.
#'
#' Work-items of a group share local memory and wait for one another by \code{barrier(CLK_LOCAL_MEM_FENCE)}.
#' \code{nmath_group_sum(x, scratch)}, \code{nmath_group_min(x, scratch)} and \code{nmath_group_max(x, scratch)} return the
#' sum, the least or the greatest \code{x} of the group to each of its work-items; every work-item of the group has to call them. \code{scratch} is
#' local memory for as many doubles as the group has work-items. The order of additions depends on the size of the group alone.
#'
#' @section Resident vectors:
#' An \code{\link{opencl_vector}} is not copied: its parameter is a pointer to \code{const double}, or, of integers and
#' logicals, to \code{const int}. Those of length one may be numbers by value, too. The result of an elementwise
#' kernel of such vectors is resident on their device; results of other kernels, and of ordinary vectors, are with
#' \code{keep = TRUE}. Vectors on
#' different devices, or on another one than a bundle's, are an error.
#'
#' @section Functions that a program can call:
#' The nmath functions that a program needs are put before its text: the files that its tag \code{// @depends_nmath:} names, or,
#' without such a tag, those that provide the functions which it calls and does not define (a name of OpenCL C's own, such as
#' \code{lgamma}, means OpenCL's function). A text that brings the layers itself, as \code{\link{build_rmath_opencl_program}} makes it,
#' is taken as it is. Functions have the names and arguments of C's Mathlib, all of which are given: \code{dnorm(x, mean, sd, log)},
#' \code{pgamma(q, shape, scale, lower_tail, log_p)}, \code{bessel_k(x, nu, 1.0)} (\code{besselK()} is a name of R's alone). \code{\link{nmath_header}("dgamma")}
#' has the prototype of a function at its end. Line numbers in compilers' messages are those of \code{your program}.
#'
#' Values are converted to what the kernel's parameters ask for: \code{double}, \code{float}, or any type of whole
#' numbers; \code{NA} goes to an \code{int} as R's missing integer, to a \code{double} as \code{NA}. A parameter that is no
#' pointer takes one number by value.
#'
#' @section The host device:
#' The host device compiles a text by the C compiler that R was configured with (the settings of R itself, not those of
#' \file{~/.R/Makevars}), found when a program is first asked for: on Windows gcc, if it is on the \env{PATH}; on macOS only if
#' the command line tools are installed. \env{PATH} is searched in folders that are given in full and are not open to
#' others. Objects are kept like other programs (\code{\link{opencl_cache_info}}), by text, compiler, flags and processor. Nothing
#' is compiled while a package is installed or checked, or with \code{options(nmathopencl.compiler = FALSE)};
#' \code{options(nmathopencl.compiler = TRUE)} allows it under a check. Ranges of one to three dimensions, groups with
#' barriers, local memory, atomic functions and most functions of OpenCL C are there; vector types, images, samplers and
#' overloads beyond the usual ones are not, and the error says so. Groups have one work-item unless \code{groups} says more.
#' A work-item's private arrays (those of all functions of the program together) may have 64 MiB, and those of a group that waits
#' at barriers half of this machine's memory; more is an error.
#'
#' @section Interrupts:
#' Ctrl-C and time limits end the host device's compiler, with all that it started; so does the end of R. An OpenCL driver cannot be
#' ended: what it compiles, when a program is built or at a kernel's first run, goes on without the interrupted call, and the next
#' call on the device waits for it, until it is interrupted itself.
#'
#' A kernel that runs is waited for, half a second at most. Nothing can stop a kernel: one that does not end by then keeps the
#' memory that it was given, and its OpenCL device, which no call can use (the error says so) until the kernel has ended;
#' \code{\link{nmathopencl_opencl_reset_device_selection}()} lets the next call try it before. On the host device it keeps
#' threads until R ends. Other devices go on, and R can be left as usual.
#'
#' @param program the program text, one string; or an executable \code{\link{kernel_bundle}}, which runs on the device that
#'   it was made for.
#' @param kernel_name name of the \code{__kernel} function.
#' @param columns list of numeric, integer or logical vectors: the kernel's arguments. Resident vectors
#'   (\code{\link{opencl_vector}}) are used where they are; the kernel runs on their device.
#' @param n number of work-items, by default the length of the longest column; up to three numbers for a range of as many
#'   dimensions, \eqn{2^{53}}{2^53} work-items at most. A range, group, result or local memory beyond what the device has is an
#'   error before anything is computed.
#' @param device a device that compiles, see \code{\link{set_opencl_device}}. Not needed for a bundle; if given, it must be the
#'   bundle's.
#' @param verbose if \code{TRUE}, says which device ran, what was built and how long it took.
#' @param out the results: the dimensions of one, whose parameter is called \code{out} (\code{100}, or \code{c(rows, columns)}),
#'   or a list of such dimensions by the names of parameters.
#' @param local elements of the parameters in local memory: numbers, by the parameters' names or in their order.
#' @param groups work-items of a group, one number for each dimension of \code{n}.
#' @param random if \code{TRUE}, the kernel draws, and its parameter \code{seed} gets a seed.
#' @param keep if \code{TRUE}, the results are resident: each is an \code{\link{opencl_vector}}. They must be pointers to
#'   \code{double} or \code{int}.
#' @return Of an elementwise kernel a vector of length \code{n}, otherwise the results that \code{out} describes: a vector, matrix or array, or a
#'   named list of them. Integers where the parameter is a pointer to \code{int}, else doubles.
#' @section Errors:
#' Class \code{nmathopencl_error}: no such device or no compiler, a program that does not build (with the build log, whose lines
#' name the source files, and the file that provides a function which was not found), an unknown kernel, a bundle that is no
#' executable or of another device, vectors that are resident on another device, arguments that do not fit the kernel's parameters, parameters of types that R has no
#' value for (images, samplers, structs, vectors), a kernel that was interrupted and does not end.
#' @seealso \code{\link{NMATH_RNG}} for kernels that draw.
#' @examples
#' program <- "
#' #pragma OPENCL EXTENSION cl_khr_fp64 : enable
#' __kernel void halve(__global const double* x, __global double* out, const int len)
#' {
#'     int i = get_global_id(0);
#'     if (i < len) out[i] = 0.5 * x[i];
#' }"
#' if (nmathopencl_opencl_fp64_available()) run_opencl_kernel(program, "halve", list(c(1, 2, 3)))
#'
#' # Sums of groups of four, and the greatest of each.
#' groups <- "
#' __kernel void summary(__global const double* x, __global double* sums,
#'                       __global double* most, __local double* scratch)
#' {
#'     double s = nmath_group_sum(x[get_global_id(0)], scratch);
#'     double m = nmath_group_max(x[get_global_id(0)], scratch);
#'     if (get_local_id(0) == 0) { sums[get_group_id(0)] = s; most[get_group_id(0)] = m; }
#' }"
#' if (nmathopencl_opencl_fp64_available()) {
#'   run_opencl_kernel(groups, "summary", list(x = 1:8), out = list(sums = 2, most = 2),
#'                     local = 4, groups = 4)
#' }
#' @export
run_opencl_kernel <- function(program, kernel_name, columns, n = NULL, device = "opencl", verbose = FALSE, out = NULL,
                              local = NULL, groups = NULL, random = FALSE, keep = FALSE) {
  if (!is_bundle(program)) {
    program <- program_text(program, " or a kernel bundle")
  } else if (!missing(device) && !is_compatible(program, device)) {
    bundle_error("the bundle cannot be used on this device", sys.call())
  }
  if (!is.character(kernel_name) || length(kernel_name) != 1 || is.na(kernel_name)) {
    argument_error("`kernel_name` must be one string")
  }
  if (!is_switch(random)) argument_error("`random` must be TRUE or FALSE")
  if (!is_switch(keep)) argument_error("`keep` must be TRUE or FALSE")
  plain <- is.null(out) && is.null(local) && is.null(groups) && !random && length(n) <= 1
  if (!is.list(columns) || (plain && length(columns) == 0)) argument_error("`columns` must be a list of vectors")
  numeric_like <- vapply(columns, function(x) (is.numeric(x) || is.logical(x) || is_resident(x)) && !is.factor(x), TRUE)
  if (!all(numeric_like)) argument_error("`columns`: element ", which(!numeric_like)[1], " is not numeric")
  resident <- vapply(columns, is_resident, TRUE)
  if (any(resident) && !is_bundle(program)) device <- device_of_residents(columns[resident], sys.call())
  single <- resident & vapply(columns, length, 0) == 1
  columns[single] <- lapply(columns[single], as.vector)
  result <- if (plain) {
    run_elementwise_user_kernel(program, kernel_name, columns, n, device, keep)
  } else {
    run_nd_range(program, kernel_name, columns, n, device, out, local, groups, random, keep)
  }
  if (!is.null(result$error)) raise_core_error(result$error, sys.call())
  finish_call(result, verbose, sys.call())
}

run_elementwise_user_kernel <- function(program, kernel_name, columns, n, device, keep) {
  lengths <- vapply(columns, length, 0)
  n <- n %||% max(lengths)
  if (!is.numeric(n) || length(n) != 1 || is.na(n) || n < 0 || n > .Machine$integer.max || n != trunc(n)) {
    argument_error("`n` must be one whole number between 0 and ", .Machine$integer.max)
  }
  if (!all(lengths %in% c(1, n))) {
    wrong <- which(!lengths %in% c(1, n))[1]
    argument_error("`columns`: element ", wrong, " has length ", lengths[wrong], ", not 1 or ", n)
  }
  keep <- keep || any(vapply(columns, is_resident, TRUE))
  columns <- lapply(columns, pointer_or_vector)
  result <- if (is_bundle(program)) {
    run_bundle_cpp(bundle_pointer(program), kernel_name, columns, n, keep)
  } else {
    run_kernel_cpp(program, kernel_name, columns, n, resolve_device(device), keep)
  }
  if (is.null(result$error) && keep) result$value <- as_resident(result$value, n, "host")
  result
}

# What the core takes for a resident vector.
pointer_or_vector <- function(x) if (is_resident(x)) resident_fields(x)$pointer else x

# The core's result, its values in the dimensions that `out` says.
run_nd_range <- function(program, kernel_name, columns, n, device, out, local, groups, random, keep) {
  range <- sizes_argument(n %||% max(vapply(columns, length, 0), 1), "n")
  groups <- if (is.null(groups)) numeric() else sizes_argument(groups, "groups")
  if (length(groups) && length(groups) != length(range)) {
    argument_error("`groups` must have as many numbers as `n`, ", length(range))
  }
  several <- is.list(out)
  dims <- output_dimensions(if (is.null(out)) range else out)
  local <- local_sizes(local)
  shape <- list(
    args = unname(lapply(columns, pointer_or_vector)), arg_names = names_or_none(columns),
    out_names = names(dims), out_sizes = vapply(dims, prod, 0, USE.NAMES = FALSE),
    local_names = names_or_none(local), local_sizes = as.double(local), range = range, group = groups,
    seed = if (random) draw_seed_cpp() else numeric(), keep = keep
  )
  result <- if (is_bundle(program)) {
    run_nd_range_bundle_cpp(bundle_pointer(program), kernel_name, shape)
  } else {
    run_nd_range_kernel_cpp(program, kernel_name, shape, resolve_device(device))
  }
  if (!is.null(result$error)) return(result)
  value <- Map(function(x, dim) {
    if (keep) return(as_resident(x, prod(dim), "host", dim = if (length(dim) == 2L) as.integer(dim)))
    if (length(dim) > 1L) array(x, dim) else x
  }, result$value, unname(dims))
  result$value <- if (several) stats::setNames(value, names(dims)) else value[[1L]]
  result
}

names_or_none <- function(x) names(x) %||% rep("", length(x))

# One to three whole numbers from 1 on, as doubles. What a device allows is for the core to say.
sizes_argument <- function(x, name) {
  good <- is.numeric(x) && length(x) >= 1L && length(x) <= 3L && all(is.finite(x)) && all(x >= 1) && all(x == trunc(x))
  if (!good) argument_error("`", name, "` must be one to 3 whole numbers from 1 on")
  if (prod(x) > 2^53) argument_error("`", name, "` is too large: there may be 2^53 work-items")
  as.double(x)
}

# A named list of the results' dimensions.
output_dimensions <- function(out) {
  if (!is.list(out)) out <- list(out = out)
  if (!length(out) || any(!nzchar(names_or_none(out))) || anyDuplicated(names(out))) {
    argument_error("`out` must be the dimensions of a result, or a list of such by the names of parameters")
  }
  good <- vapply(out, function(x) {
    whole <- is.numeric(x) && length(x) >= 1L && all(is.finite(x)) && all(x >= 0) && all(x == trunc(x))
    # A result has at most as many elements as a vector of R, and as many rows and columns as a matrix of R.
    whole && prod(x) < 2^52 && (length(x) == 1L || all(x <= .Machine$integer.max))
  }, TRUE)
  if (!all(good)) argument_error("`out`: '", names(out)[!good][1L], "' must be whole numbers from 0 on that R's arrays can have")
  lapply(out, as.double)
}

local_sizes <- function(local) {
  local <- unlist(local)
  if (is.null(local)) return(numeric())
  good <- is.numeric(local) && all(is.finite(local)) && all(local >= 1) && all(local == trunc(local))
  if (!good) argument_error("`local` must be whole numbers from 1 on")
  if (any(local > 2^53)) argument_error("`local` is more than any device has")
  local
}

#' Draws in kernels of your own
#'
#' What a kernel does to draw random numbers on a device: \code{NMATH_RNG(seed, i);} declares the generator of draw \code{i},
#' and the functions below it draw from it.
#'
#' \preformatted{
#' __kernel void sums(__global double* out, const ulong seed, const int len)
#' {
#'     int i = get_global_id(0);
#'     if (i >= len) return;
#'     NMATH_RNG(seed, i);
#'     out[i] = rgamma(2.0, 1.0) + norm_rand();
#' }}
#'
#' After \code{NMATH_RNG(seed, i)} the names of Mathlib mean what they mean in C: \code{unif_rand()}, \code{norm_rand()},
#' \code{exp_rand()}, \code{R_unif_index(n)}, and \code{rbeta}, \code{rbinom}, \code{rcauchy}, \code{rchisq}, \code{rexp},
#' \code{rf}, \code{rgamma}, \code{rgeom}, \code{rhyper}, \code{rlnorm}, \code{rlogis}, \code{rnbinom}, \code{rnbinom_mu},
#' \code{rnchisq}, \code{rnorm}, \code{rpois}, \code{rsignrank}, \code{rt}, \code{runif}, \code{rweibull}, \code{rwilcox}, with
#' the arguments that Mathlib gives them. A text that calls one of them gets its files by itself; a function of yours that draws
#' takes \code{NMATH_GENERATOR} as a parameter, which its caller gives as \code{nmath_generator}.
#'
#' The generator is Philox4x32-10 (Salmon et al. 2011), which has no state but its counter: draw \code{i} of \code{seed} is the
#' same whichever work-item, group or device makes it, and no two draws share random bits. (Draws \code{2 j} and \code{2 j + 1}
#' have halves of one block; a draw alone makes the block for itself.) \code{i} has 64 bits, and there is no
#' limit to how much one draw takes that matters. Two kernels of one seed that must not be alike use numbers apart, \code{i} and
#' \code{i + (1UL << 40)} say.
#'
#' \code{\link{run_opencl_kernel}} with \code{random = TRUE} gives the parameter \code{const ulong seed} 64 random bits of R's own
#' generator, so that \code{set.seed()} reproduces what the kernel draws; a parameter \code{const ulong first} is 0. With the
#' same \code{set.seed()} such a kernel draws what \code{rgamma_opencl()} and its like draw, but where those draw from tables: the
#' discrete laws, gamma, chi-squared, beta, F and t with parameters that are one number each (\code{\link{unif_rand_opencl}}).
#' A vector of parameters, as in \code{rgamma_opencl(50, rep(2.5, 50))}, gives the kernel's draws.
#'
#' @references Salmon, J. K., Moraes, M. A., Dror, R. O. and Shaw, D. E. (2011) Parallel random numbers: as easy as 1, 2, 3.
#'   \emph{Proc. SC11}.
#' @seealso \code{\link{run_opencl_kernel}}.
#' @examples
#' program <- "
#' __kernel void pair(__global double* out, const double shape, const ulong seed, const int len)
#' {
#'     int i = get_global_id(0);
#'     if (i >= len) return;
#'     NMATH_RNG(seed, i);
#'     out[i] = rgamma(shape, 1.0);
#'     out[i + len] = unif_rand();
#' }"
#' if (nmathopencl_opencl_fp64_available()) {
#'   set.seed(1)
#'   run_opencl_kernel(program, "pair", list(shape = 2), n = 3, out = c(3, 2), random = TRUE)
#' }
#' @name NMATH_RNG
NULL

# The text of a program, not the path of its file.
program_text <- function(program, besides = "") {
  program <- as.character(program)
  if (length(program) != 1L || is.na(program)) argument_error("`program` must be one string", besides)
  if (grepl("[.](cl|c|h)$", program) && !grepl("[\n{;]", program)) {
    shown <- encodeString(program, quote = "\"")
    argument_error(
      "`program` is the text of a program, and ", shown, " is a path: give opencl_program(", shown, ", package = NULL)",
      if (!file.exists(program)) ". There is no such file here"
    )
  }
  program
}
