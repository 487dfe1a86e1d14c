# ?nmathopencl_limits: what the package does not do, what is slow, and what to do instead. Error messages refer to it.

#' Known limits
#'
#' What this package cannot do, what it does slowly, and what helps. Anything unsupported is an error of class
#' \code{nmathopencl_error} that names the unsupported part.
#'
#' @section What cannot be differentiated: \itemize{
#'   \item Arguments that count: the values of discrete distributions (\code{x} of \code{dpois()}), \code{size} of \code{dbinom()}, \code{k} of
#'     \code{choose()}. The hypergeometric distribution and those of rank statistics have no derivatives at all.
#'     \code{\link{opencl_derivatives}} lists every function, with the arguments that have a derivative and its largest error.
#'   \item Conditions. A derivative is that of the branch which \code{if} or \code{ifelse()} takes. Steps, \code{floor()} or \code{round()}, have
#'     the derivative 0; \code{abs()} has 0 at its kink; equal elements share the derivative of \code{max()} and \code{min()}.
#'   \item Outside of the support a log density or a log probability is -Inf, and its derivatives are NaN: \code{nlminb()} stops there with the
#'     error \dQuote{NA/NaN gradient evaluation}, and \code{optim()} starts from no such point. (Those of the density itself are 0.) In a sum
#'     of densities, \code{logspace_add()} or \code{log(p * exp(a) + q * exp(b))}, such a component has no part. At the edge of the support
#'     derivatives in the parameters are the limits from inside; that of \code{dgamma(0, 2)} in \code{x} is 0, that of the other side.
#'   \item Where a probability is 0 or 1 to rounding, \code{log(p)} or \code{log(1 - p)} is -Inf and its derivative infinite. A product of such
#'     terms, \code{exp(tapply(ifelse(y == 1, log(p), log(1 - p)), id, sum))}, is 0 there and has no part in a sum, but the gradient is NaN:
#'     \code{optim()} may stop at such a point as if it had converged. Write \code{dbinom(y, 1, p, log = TRUE)}, whose derivatives are finite.
#'   \item Where a log density within the support leaves the range of doubles, \code{dnorm(1e200, m, 1, log = TRUE)}, it is -Inf too, and its
#'     derivatives are those of the formula, infinite or not. \code{nlminb()} may report convergence at such an objective: look at the value.
#'   \item A derivative whose parts leave the range of doubles may be infinite, 0 or NaN where it is not itself: that in \code{r} of
#'     \code{dweibull(x, 2, 1 / r, log = TRUE)} below 1e-154 and above 1e154. In \code{rate} of \code{dgamma()}, \code{pgamma()} and
#'     \code{qgamma()}, and in any \code{scale = 1 / r} of these, it is right. Of \code{pf()} and \code{pbeta()} no derivative in one of two
#'     degrees of freedom or shapes is given where one is below 1e-280 and the other is not tiny, too: it is NaN.
#'   \item Random numbers, C expressions (\code{text = } of \code{\link{opencl_function}}), and \code{data}, which no gradient can be asked in.
#'   \item A matrix that is an argument and of which products are taken, \code{X} of \code{X \%*\% b}. Up to 20 products with matrices have
#'     gradients at once.
#'   \item A function that gives several numbers, with sums or parts of vectors in it: let it give one. What is recycled to a length that is no
#'     multiple of its own, or cut to the length of a test by \code{ifelse()}; reductions other than sums, means, products, \code{min} and \code{max}.
#'   \item What R computes before the kernel runs, where it depends on a parameter: \code{order()} and \code{which()} are steps, whose gradient is 0; \code{cummax()}, \code{scale()} and others are refused.
#'     \code{sort()}, \code{median()}, \code{quantile()} and \code{range()} have gradients (\code{\link{opencl_language}}).
#' }
#' What helps: leave the argument out of \code{gradient}, and search for it by a profile with \code{over = }, or without derivatives
#' (\code{optim()} without \code{gr} takes differences of values).
#' @section Second derivatives: \code{hessian = TRUE} has up to 1,000 numbers besides the effects of levels, \code{u[g]}, none of them in a matrix.
#'   Without second derivatives are some functions, such as \code{pgamma()} in its shape (\code{\link{opencl_derivatives}} says which),
#'   loops over the data of several series (\code{by = }), \code{prod()}, \code{over = } with \code{by = }, and \code{by = } of functions of
#'   several steps. Objectives (\code{\link{as_objective}}) take differences of the gradient there.
#'
#'   \code{\link{laplace}()} integrates out one vector of effects, each of its own level: neither crossed effects nor several effects for a level.
#'   Its page shows what to write for several of them.
#' @section What the language lacks: \code{\link{opencl_language}} lists what an expression may contain. Not among it are: \itemize{
#'   \item functions of other packages (give \code{opencl_function()} such a function by itself, if its body is of the language), texts as
#'     values, and classes other than factors;
#'   \item a logical index that the function computes of its parameters, but for \code{sum()}, \code{mean()} and \code{length()} of what it chooses (that of
#'     data is, \code{l[d$event]});
#'   \item random numbers beside sums or parts of vectors;
#'   \item \code{return()} and \code{stop()} where only some elements or rounds come to them;
#'   \item conditions of \code{if}, and lengths, that are not known when the call is made, but for loops over data.
#' }
#'   Both branches of \code{ifelse()} are computed. With a gradient, \code{if (NA)} and \code{stop()} in them are errors also where R would not come
#'   there; without one, R computes such a call. The result has the wider type of the two branches, also where no element takes one of them:
#'   \code{ifelse(TRUE, 1L, 0.5)} is a double.
#'
#'   Large matrices: \code{solve(S)}, \code{chol(S)} and \code{det(S)} of more than eight rows are R's, of data and of arguments that are not in
#'   \code{gradient}, \code{backsolve()} and \code{mahalanobis()} of data alone. Where the function itself computes the matrix, as a Gaussian process
#'   does of its parameters, they are errors, with a gradient or without one. Make the matrix in R before each call and give it as an argument,
#'   \code{f(S = covariance(p), b = b)}: the value is right, and the gradient that in the other parameters. A gradient in the parameters of such a
#'   matrix needs another package, as RTMB. (Up to eight rows all have gradients, see \code{\link{opencl_language}}.)
#'
#'   Sizes: matrices that the function makes of what it computes, and their products, have up to 64 elements, but for \code{outer(a, b)},
#'   \code{tcrossprod(a, b)} of vectors, \code{matrix(v, nrow(Y))} of as many numbers as elements, and products with a matrix that is an argument. (R makes matrices of data alone, of any size.) Some products
#'   and choices of columns take up to 64 columns; up to 64 elements of a vector are assigned by their numbers. A function may call itself 50 deep, and
#'   calls may stand 2,000 deep in each other. Matrices that a loop over data hands on lack some of R's names.
#' @section Loops and recursion: A loop whose rounds do not need each other is one kernel. A loop that hands on a value, \code{h[t]} computed
#'   from \code{h[t - 1]}, goes round after round in one thread of the host device, also where the data are on a GPU. That is some times as
#'   fast as R's byte code, and no more; \code{vignette("speed")} has figures. Many series at once, \code{by = }, are computed in parallel. \itemize{
#'   \item Loops of up to eight rounds are written out, and so are up to 64 rounds of what is no loop over data.
#'   \item A loop over data hands on numbers, vectors of up to 64 elements whose lengths do not change, and vectors whose elements are written at the
#'     loop's variable or at a fixed distance from it. It contains no loops over data, and no sums with \code{na.rm} of what a round has made.
#'   \item With \code{by = }, such a function has vectors as long as the rows of a series, whose elements are taken in the loop.
#'   \item A loop that adds up over more than eight rounds takes memory for as many numbers as it has rounds and elements.
#' }
#' @section When stats is faster: \itemize{
#'   \item Short vectors: each call has a fixed cost. \code{vignette("speed")} shows from how many elements on a device is ahead. Give a
#'     vector to one call rather than its elements to many, and many parameter vectors to one call by \code{over = }.
#'   \item The first call of a function on an OpenCL device, and of each \code{opencl_function()}, builds a program. It is kept
#'     for later sessions (\code{\link{opencl_cache_info}}).
#'   \item On a GPU, calls whose data travel: \code{\link{opencl_vector}()} and \code{data = } send them once.
#'   \item Without a C compiler R evaluates the body of an \code{opencl_function()} on the host device, more slowly.
#' }
#' @section Devices without doubles: \code{device = "auto"} does not take a device without working double precision (Apple's GPUs and some of
#'   Intel's); \code{\link{opencl_sitrep}()} says so, and the host device computes. Where such a device is named it computes with pairs of
#'   floats: twelve digits, in the range of a float (\code{\link{pairs_of_floats}}). Single precision is for those who ask for it.
#' @section Memory and lengths: \itemize{
#'   \item Arguments and results of R are in R's memory. A result larger than the memory that is available is an error, rather than a machine
#'     that swaps; \code{options(nmathopencl.available = )} sets another limit in bytes.
#'   \item Elementwise calls and sums over long vectors go to a device in chunks, so that they fit into memory of any size.
#'     Resident vectors (\code{\link{opencl_vector}}, \code{data = }, \code{keep = TRUE}) have to fit whole:
#'     \code{\link{opencl_memory}()} shows what is taken.
#'   \item Groups (\code{by = }, \code{u[g]}), rows and slices inside of an expression count up to 2^31 - 1 elements.
#'   \item A gradient without \code{reduce} has a column for each slope and a row for each element.
#' }
#' @section Results: They do not agree with those of \code{stats} to the last bit, nor to the last bit on two kinds of devices;
#'   \code{vignette("accuracy")} reports their errors. \code{set.seed()} reproduces draws on every device, but they are other numbers
#'   than those of \code{stats}.
#' @section Processes and interrupts: A process that was forked (\code{parallel::mclapply()}) after its parent had used an OpenCL
#'   device has the host device alone. Calls answer Ctrl-C within a second, but nothing can stop a kernel of your own that runs, nor, on
#'   an OpenCL device, a loop over data: the call stops with an error, and its device is busy until the kernel has ended
#'   (\code{\link{run_opencl_kernel}}).
#'   Several devices share a call (\code{\link{many_devices}}), but not one with vectors that are resident on another.
#' @section Systems: Every change is tested on Linux, with PoCL and without OpenCL. NVIDIA H100 and H200 are tried by hand. On Windows the
#'   core runs in tests under Wine, not the R package. macOS, and GPUs of AMD, Intel and Apple, have not been tried.
#' @seealso \code{vignette("devices-and-troubleshooting")} for devices that are not found; \code{vignette("debugging-kernels")} for
#'   kernels of your own, whose limits are on the page of \code{\link{run_opencl_kernel}}.
#' @examples
#' # `size` counts: the error names the argument, and those that have a derivative.
#' try(opencl_function(function(x, size, p) sum(dbinom(x, size, p, log = TRUE)), gradient = "size"))
#' # A profile over it instead: the gradient in `p`, at many points.
#' f <- opencl_function(function(x, size, p) sum(dbinom(x, size, p, log = TRUE)), gradient = "p")
#' f(c(3, 5, 4), over = list(size = 6:9, p = rep(0.5, 4)), device = "host")
#' @name nmathopencl_limits
NULL
