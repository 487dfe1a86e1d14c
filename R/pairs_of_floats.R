#' Devices without double precision: pairs of floats, and single precision
#'
#' Many graphics processors have no numbers of double precision (Apple's, Intel's, those of phones), or compute with them at a fraction of their
#' speed (cards for games). There a pair of floats can stand for a number: their sum, the high one rounded, the low one the rest. A pair has 48 bits
#' or more where a double has 53, and the range of a float.
#'
#' \code{options(nmathopencl.arithmetic = )} and the argument \code{arithmetic} of \code{\link{set_opencl_device}()} say what numbers
#' are: \describe{
#'   \item{\code{"auto"}}{(default) doubles. A device that is named, \code{device = "gpu"}, an index or a name, and has no doubles
#'     computes with pairs. \code{device = "auto"} never takes such a device: the host device computes, with doubles.}
#'   \item{\code{"double"}}{doubles, or an error where there are none.}
#'   \item{\code{"pair"}}{pairs of floats on every device, the host device too. On that one it is slower than doubles, and for tests.}
#'   \item{\code{"single"}}{single precision on every device: floats, seven digits. Sums and linear predictors (\code{X \%*\% b}) are
#'     made of pairs.}
#' }
#' The setting counts for a call when it is made. A resident vector (\code{\link{opencl_vector}}, \code{keep = TRUE}) is stored in the arithmetic in which
#' it was made, and calls with it compute in that, whatever the setting is by then; one call cannot have vectors of two. Data of
#' \code{\link{opencl_function}(data = )} are stored again for each arithmetic.
#'
#' \code{\link{opencl_devices}()} tells in its column \code{arithmetic} what each device would compute with. Sums, products, quotients and roots are tried
#' on a device before it is used in this way: a compiler that breaks the rules of floating-point arithmetic would lose half of the digits. Such a device is
#' refused, and \code{\link{opencl_sitrep}()} says why.
#'
#' The text of every program is translated, the package's own, those of \code{\link{opencl_function}()} and your own kernels
#' (\code{\link{run_opencl_kernel}()}): \code{double} becomes a pair. What cannot be translated is an error that names the line:
#' vectors (\code{double2}), unions with doubles, other types read from the bytes of doubles, numbers that no pair stands for
#' (\code{1e-300}; they may be compared with). \code{\link{kernel_bundle}()}, whose programs are not translated, refuses such a device.
#'
#' @section Accuracy: \itemize{
#'   \item Errors are up to 2^-40 (9e-13) times 1 + the condition number, where those of doubles are 2^-50.
#'   \item So are those of derivatives: measured are those of normal, gamma, beta, t, binomial and Poisson densities, of normal, gamma, t and logistic
#'     distribution functions and gamma quantiles, and of the gamma and Bessel functions.
#'   \item Sums of many terms are right to 2^-44 of the sum of their sizes; of 1e8 terms on the host device to 2^-46 (\code{Rscript
#'     bench/arithmetic_sums.R host}, in the package's repository).
#'   \item Of ten models of \code{vignette("gallery")} \code{\link[stats]{optim}()} and other optimizers stop within 8e-7 standard errors of where
#'     they stop with doubles, but for one, the zero-truncated Poisson distribution: 3e-6. The places where the gradient is 0 are within 1e-13
#'     standard errors of each other (\code{Rscript bench/arithmetic_fits.R host}).
#'   \item Draws are the same as with doubles, rounded.
#'   \item Errors are larger where a quotient of two arguments, \code{x / scale}, on the way to a result is below 8e-31.
#'   \item Intermediate results that leave the range make some results NaN or infinite that are not: \code{psigamma()} of orders beyond 30,
#'     \code{signif()} to more than 16 digits, quantiles of the negative binomial distribution with means beyond 1e9.
#' }
#' @section Single precision: Arguments, what an expression computes of them, and results of functions are rounded to floats. The functions in
#'   \code{system.file("spec", "single.tsv", package = "nmathopencl")}, densities, \code{pnorm()}, \code{lgamma()} and others, have forms of floats
#'   that are right to 2^-21 (4.8e-7) times 1 + the condition number; all others are computed in pairs and rounded. Sums of many terms are
#'   computed in pairs (1e8 of them are right to 2^-42), so that the log-likelihood of many rows is as good as its terms. Estimates of the same ten
#'   models are within 1e-2 standard errors of those with doubles, nine within 3e-3. Grids of generalized linear models
#'   (\code{\link{f2_f3_opencl}()}, \code{\link{opencl_glm_grid}()}) are computed in pairs. Numbers take as much memory as pairs do: a call whose time goes into
#'   reading memory is no faster than with doubles.
#'
#'   Use it for simulation, first looks, machine learning, and chains that correct themselves. Do not use it for: \itemize{
#'   \item differences of numbers next to each other (dates in seconds, \code{q - mean} of 1e6 with a deviation of 1), and tests of \code{==};
#'   \item optimizers without a gradient, which take differences of values, and Hessians by differences;
#'   \item counts beyond 16,777,216, of which not all are floats.
#'   }
#'   Give \code{\link[stats]{optim}()} a gradient (\code{\link{opencl_function}(gradient = )}) and a looser \code{reltol}, or use pairs. In a kernel of your own
#'   (\code{\link{run_opencl_kernel}()}) \code{double} stays a pair, and \code{nmath_value} is a float; with other arithmetic it is a double.
#' @section Range: Arguments are 0, infinite, missing, or between 2^-100 and 2^100 in size (7.9e-31 to 1.3e30); others are an error of class
#'   \code{nmathopencl_range}. With \code{fallback = TRUE} the host device computes such a call, with doubles. A result below
#'   1.2e-38 is 0 or has few digits, one beyond 3.4e38 is infinite, and so is what an expression computes on its way: products of many
#'   densities, \code{exp(100)}. On the log scale nothing of this happens. For each family: \tabular{ll}{
#'   normal, t, logistic \tab beyond 13 standard deviations a density or tail is 0: use \code{log = TRUE}, \code{log.p = TRUE}\cr
#'   log-normal, gamma, chi-squared, Weibull, exponential \tab the same beyond 88 scales; scales and rates of 1e-20 leave products out of
#'     range before the result is\cr
#'   beta, F, binomial, negative binomial \tab tails below 1e-38 are 0; shapes and sizes from 1e-28 to 1e28\cr
#'   Poisson, geometric, hypergeometric \tab masses below 1e-38 are 0\cr
#'   Cauchy \tab no tail is that small\cr
#'   gamma(), beta(), choose() \tab infinite beyond \code{gamma(35)} and \code{choose(131, 65)}: use \code{lgamma()}, \code{lbeta()}, \code{lchoose()}\cr
#'   Bessel functions \tab \code{expon.scaled = TRUE} beyond 88; orders whose value leaves the range give 0 or infinity\cr
#'   quantiles \tab of probabilities below 8e-31 by \code{log.p = TRUE}\cr
#' }
#' @section Speed: On an NVIDIA H100, whose doubles run at half the rate of its floats, pairs take 5 to 10 times as long as doubles for \code{dnorm()},
#'   \code{pnorm()}, \code{qnorm()}, \code{dbinom()} and \code{lgamma()}, 27 to 34 times for \code{dgamma()}, \code{pgamma()} and \code{pbeta()}; single precision takes
#'   0.65 to 1 times as long as doubles for functions with forms of floats (\code{Rscript bench/arithmetic.R gpu}, in the package's repository). Cards whose doubles run at 1/32 or 1/64
#'   of their floats were not tried.
#' @section What is not there: Forms of floats of \code{beta()}, \code{choose()}, quantiles and most distribution functions; kernel bundles; several points
#'   of \code{over = } at a time in vectors: such calls are slower than they could be.
#' @seealso \code{\link{nmathopencl_limits}}, \code{\link{opencl_sitrep}}.
#' @examples
#' # Any device may be asked to. (It compiles programs.)
#' old <- options(nmathopencl.arithmetic = "pair")
#' try(pnorm_opencl(1e-40, device = "host"))
#' pnorm_opencl(1e-40, device = "host", fallback = TRUE)
#' options(old)
#' @name pairs_of_floats
NULL
