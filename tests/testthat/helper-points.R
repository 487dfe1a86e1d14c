# Calls at many points: the judge is a loop of calls, one for each point, on the same device.

# What the calls give, put together. `points`: a list by arguments, as `over` has it.
loop_over_points <- function(f, args, points, names = NULL) {
  sides <- lapply(points, dim)
  count <- if (is.null(sides[[1L]])) length(points[[1L]]) else sides[[1L]][1L]
  values <- lapply(seq_len(count), function(i) {
    at <- Map(function(x, side) {
      if (is.null(side)) return(x[[i]])
      if (length(side) == 2L) return(stats::setNames(as.vector(x[i, ]), colnames(x)))
      matrix(x[i, , ], side[2L], side[3L])
    }, points, sides)
    suppressWarnings(do.call(f, c(args, at)))
  })
  bare <- lapply(values, function(x) `attr<-`(`attr<-`(x, "gradient", NULL), "hessian", NULL))
  grouped <- !is.null(args$by)
  n <- length(bare[[1L]])
  rows <- names(bare[[1L]])
  value <- unlist(bare, use.names = FALSE)
  value <- if (n == 1L && !grouped) {
    stats::setNames(value, names)
  } else {
    matrix(value, n, count, dimnames = if (!is.null(rows) || !is.null(names)) list(rows, names))
  }
  slopes <- lapply(values, attr, "gradient")
  if (is.null(slopes[[1L]])) return(value)
  labels <- if (is.null(dim(slopes[[1L]]))) names(slopes[[1L]]) else colnames(slopes[[1L]])
  gradient <- array(NA_real_, c(n, count, length(labels)), list(rows, names, labels))
  for (i in seq_len(count)) gradient[, i, ] <- slopes[[i]]
  if (n == 1L && !grouped) gradient <- matrix(gradient, count, dimnames = list(names, labels))
  attr(value, "gradient") <- gradient
  curved <- lapply(values, function(x) if (!is.null(attr(x, "hessian"))) as.matrix(attr(x, "hessian")))
  if (is.null(curved[[1L]])) return(value)
  labels <- rownames(curved[[1L]])
  hessian <- array(NA_real_, c(count, length(labels), length(labels)), list(names, labels, labels))
  for (i in seq_len(count)) hessian[i, , ] <- curved[[i]]
  attr(value, "hessian") <- hessian
  value
}

# The very same bits: NA apart from NaN, and 0 from -0.
same_bits <- function(a, b) identical(a, b, num.eq = FALSE, single.NA = FALSE, attrib.as.set = FALSE) || same_up_to_nan(a, b)

# Which of its bits a NaN has beside those that say that it is one, or NA, is nobody's concern.
same_up_to_nan <- function(a, b) {
  plain <- function(x) {
    slopes <- attr(x, "gradient")
    curved <- attr(x, "hessian")
    attr(x, "gradient") <- attr(x, "hessian") <- NULL
    list(is.na(x), is.nan(x), ifelse(is.na(x), 0, x), names(x), dimnames(x), dim(x), typeof(x), if (!is.null(slopes)) plain(slopes), if (!is.null(curved)) plain(curved))
  }
  identical(plain(a), plain(b), num.eq = FALSE)
}

# On every device, the first call and the second, and without a compiler.
expect_as_loop <- function(f, args, points, names = NULL, over = points, label = NULL, ways = c(compiling_devices(), "plain")) {
  for (device in ways) {
    withr_options(list(nmathopencl.compiler = if (device == "plain") FALSE else getOption("nmathopencl.compiler")), environment())
    with <- c(args, list(device = if (device == "plain") "host" else device))
    for (turn in 1:2) {
      ours <- suppressWarnings(do.call(f, c(with, list(over = over))))
      if (turn == 1L) loop <- loop_over_points(f, with, points, names)
      if (same_bits(ours, loop)) {
        testthat::succeed()
      } else {
        reported <- if (is.null(label)) deparse1(attr(f, "expression")$written) else label
        testthat::expect_identical(ours, loop, info = paste(reported, "on", device, "turn", turn))
      }
    }
  }
}
