# Functions of R called with a resident vector: what they give of R's own vector, or an error.

unoptimized_programs()
# R's vector, wherever a resident one stands in a value.
brought <- function(value) {
  if (is_resident(value)) return(value[])
  if (is.list(value)) {
    kept <- attributes(value)
    value <- lapply(unclass(value), brought)
    attributes(value) <- kept
  }
  value
}

values_of_base <- list(
  double = c(3, 1, 2.5, 2, 1), named = c(a = 3, b = 1.5, c = NA), integer = c(3L, 1L, NA, 2L), logical = c(TRUE, FALSE, NA),
  none = numeric(), one = 2, missing = c(1, NaN, NA, Inf, -Inf), matrix = matrix(c(4, 1, 2, 7, 3, 9), 2, dimnames = list(NULL, c("u", "v", "w")))
)

outcome <- function(f, x) {
  set.seed(1)
  tryCatch(list(value = brought(suppressWarnings(f(x)))), error = function(e) structure(list(error = e), class = "failed"))
}

test_that("functions with methods give what they give of R's vector", {
  methods <- list(
    c = c, c_two = function(x) c(x, 1), c_both = function(x) c(x, x), c_named = function(x) c(z = x), append = function(x) append(x, 7, 1),
    rep = function(x) rep(x, 2), rep_each = function(x) rep(x, each = 2), rep_times = function(x) rep(x, times = 3),
    rep_out = function(x) rep(x, length.out = 4), rev = rev, unique = unique, duplicated = duplicated,
    anyDuplicated = anyDuplicated, unlist = unlist, head = head, tail = tail, head_less = function(x) head(x, -1),
    tail_two = function(x) tail(x, 2), sort = sort, sort_down = function(x) sort(x, decreasing = TRUE),
    sort_na = function(x) sort(x, na.last = TRUE), order = order, order_two = function(x) order(-x, x), rank = rank, xtfrm = xtfrm,
    quantile = function(x) quantile(x, c(0.1, 0.5), na.rm = TRUE), quantile_na = function(x) quantile(x), median = median,
    median_rm = function(x) median(x, na.rm = TRUE), summary = summary, sd = sd, mad = mad, IQR = function(x) IQR(x, na.rm = TRUE),
    fivenum = fivenum, cumsum = cumsum, cumprod = cumprod, cummax = cummax, cummin = cummin, is.na = is.na, anyNA = anyNA,
    is.nan = is.nan, table = function(x) unclass(unname(table(x))), table_na = function(x) c(table(x, useNA = "always")), t = t,
    scale = scale, diff = diff, diff_two = function(x) diff(x, lag = 2), cut = function(x) cut(x, c(0, 2, 5)), format = format,
    format_digits = function(x) format(x, digits = 2, nsmall = 1), toString = toString, paste = function(x) paste(x, "a"), as.list = as.list,
    as.character = as.character, as.complex = as.complex, as.vector = as.vector, as_list = function(x) as.vector(x, "list"),
    as.matrix = as.matrix, as.array = as.array, data.frame = function(x) data.frame(x), as.data.frame = as.data.frame,
    lapply = function(x) lapply(x, identity), sapply = function(x) sapply(x, function(e) e + 1),
    vapply = function(x) vapply(x, function(e) e + 1, 1), mapply = function(x) mapply(function(a, b) a + b, x, 1), Map = function(x) Map(identity, x),
    Reduce = function(x) Reduce(`+`, x, accumulate = TRUE), Filter = function(x) Filter(function(e) !is.na(e) && e > 1, x),
    ifelse_test = function(x) ifelse(x > 1, 1, 0), ifelse_yes = function(x) ifelse(as.vector(x) > 1, x, 0),
    ifelse_no = function(x) ifelse(as.vector(x) > 1, 0, x), cbind = function(x) cbind(x, 1), cbind_last = function(x) cbind(a = 1, x),
    rbind = function(x) rbind(x, x), split = function(x) split(x, rep_len(1:2, length(x))), all.equal = function(x) all.equal(x, x + 1),
    equal = function(x) all.equal(x, x), Re = Re, Mod = Mod, seq = seq, seq_along = seq_along, na.omit = na.omit, na.exclude = na.exclude,
    outer = function(x) outer(x, 1:2), array = function(x) array(x, c(2, 2)), matrix = function(x) matrix(x, 2), min = min, max = max,
    range = range, range_rm = function(x) range(x, na.rm = TRUE), sum = sum, two_sums = function(x) sum(x, 1), prod = prod, mean = mean,
    log = function(x) log(x, 2), sign = sign, logical_subset = function(x) x[x > 1], resident_subset = function(x) x[order(x)],
    subset = function(x) if (is.null(dim(x))) subset(x, as.vector(x) > 1), unname = unname, setNames = function(x) setNames(x, letters[seq_along(x)]),
    apply = function(x) apply(as.matrix(x), 2, sum), weighted = function(x) weighted.mean(x, rep(1, length(x))), tapply = function(x) tapply(x, rep_len(1:2, length(x)), sum),
    hist = function(x) hist(x, plot = FALSE)[c("breaks", "counts", "xname")], bare = function(x) as.vector(x, "character"),
    within = function(x) findInterval(x, 1:3), rowsum = function(x) nrow(as.matrix(x)), aperm = aperm, dims = dim, tabulate = tabulate, rep_len = function(x) rep_len(x, 7)
  )
  # What may be an error where it has a value of R's vector: these take missing values apart in their own way, or names of matrices.
  or_error <- c("rank named", "rank integer", "rank logical", "rank missing", paste("table_na", names(values_of_base)), "setNames matrix")
  as_one(for (device in test_devices()) {
    values <- values_of_base[if (device == "0") names(values_of_base) else c("named", "integer", "matrix")]
    # On a device these run kernels, or fetch; the others fetch as `c` does.
    tried <- if (device == "0") names(methods) else c(
      "c", "sort", "order_two", "is.na", "anyNA", "ifelse_test", "min", "range_rm", "two_sums", "mean", "sign", "logical_subset",
      "resident_subset", "cumsum", "head", "tail_two"
    )
    for (name in tried) for (kind in names(values)) {
      plain <- outcome(methods[[name]], values[[kind]])
      ours <- outcome(methods[[name]], opencl_vector(values[[kind]], device))
      if (inherits(ours, "failed") && paste(name, kind) %in% or_error) next
      if (inherits(plain, "failed")) {
        expect_true(inherits(ours, "failed"), info = paste(name, kind, device))
      } else {
        expect_equal(ours$value, plain$value, info = paste(name, kind, device), tolerance = 1e-14)
      }
    }
  })
})

test_that("what has no method is an error, never another value", {
  for (device in test_devices()) {
    x <- opencl_vector(c(3, 1, 2), device)
    said <- function(code) tryCatch(code, error = conditionMessage)
    for (text in list(
      said(x[1] <- 2), said(length(x) <- 5), said(levels(x) <- "a"), said(is.na(x) <- 1), said(ave(x)),
      said(pmin(x, 2)), said(pmax(2, x)), said(pmin(x, x, na.rm = TRUE)), said(sprintf("%f", x)), said(sprintf("%s", x)), said(gettextf("%s", x))
    )) expect_match(text, "as.vector() brings it back", fixed = TRUE)
    for (code in expression(
      var(x), cor(x, x), which(x > 1), which.max(x), match(1, x), (1:3)[x], sum(1, x), max(1, x), numeric(x), rnorm(x),
      rep(1, x), if (x > 1) 1, x && TRUE, 1:x, nchar(x), sprintf("%d", x), for (i in x) i, cat(x), unclass(x), fft(x), rle(x)
    )) expect_error(eval(code), info = deparse(code))
    expect_identical(sprintf("%.1f", opencl_vector(2, device)), "2.0")
    expect_identical(as.vector(x), c(3, 1, 2))
  }
})

test_that("min, max and range have NaN where R has, and NA before it", {
  for (device in test_devices()) for (x in list(
    c(1, NaN), c(NaN, 1), c(NaN, NaN), c(NaN, NA, 1), c(1, NA, NaN), c(NA, 1), c(-Inf, NaN, Inf), c(1, 2), NaN, c(5, rep(1, 1e4), NaN)
  )) for (rm in c(FALSE, TRUE)) for (f in c("min", "max", "range")) {
    f <- get(f)
    there <- opencl_vector(x, device)
    expect_identical(suppressWarnings(f(there, na.rm = rm)), suppressWarnings(f(x, na.rm = rm)))
    expect_identical(suppressWarnings(f(there, 0, na.rm = rm)), suppressWarnings(f(x, 0, na.rm = rm)))
  }
})

test_that("to R the object is one without elements", {
  x <- opencl_vector(c(a = 1, b = 2), "host")
  expect_identical(typeof(x), "externalptr")
  expect_false(is.list(x) || is.vector(x) || is.atomic(x) || is.function(x) || isS4(x))
  expect_true(identical(x, x))
  expect_false(identical(x, opencl_vector(c(a = 1, b = 2), "host")))
  y <- x
  names(y) <- c("c", "d")
  expect_identical(names(x), c("a", "b"))
  expect_false(identical(x, y))
  dim(y) <- c(1, 2)
  expect_null(dim(x))
  expect_null(names(y))
  dimnames(y) <- list(NULL, 1:2)
  expect_identical(colnames(y), c("1", "2"))
  expect_error(dimnames(y) <- list(1:2, NULL), "array extent")
  expect_error(dim(y) <- c(1, 1, 2), "as.vector() brings it back", fixed = TRUE)
  expect_error(names(x) <- letters, "same length")
  opencl_free(y) # the data are those of both
  expect_error(as.vector(x), "released")
  copied <- structure(c(1, 2), class = "opencl_vector")
  for (f in list(length, print, as.vector, sum, function(x) x + 1, function(x) x[1], opencl_function(function(x) x + 1))) {
    expect_match(tryCatch(f(copied), error = conditionMessage), "class opencl_vector|class of a vector on a device")
  }
  file <- tempfile()
  saveRDS(list(opencl_vector(c(1, 2), "host")), file)
  read <- readRDS(file)[[1L]]
  unlink(file)
  expect_identical(length(read), 2L)
  for (f in list(as.vector, sum, sort, function(x) x + 1, function(x) x[1], function(x) c(x, 1))) {
    expect_error(f(read), "another session", class = "nmathopencl_error")
  }
})

test_that("ten million elements go through", {
  skip_on_cran() # a matter of seconds
  x <- seq_len(1e7) %% 1000
  there <- opencl_vector(x, "host")
  expect_identical(rev(there)[1:3], rev(x)[1:3])
  expect_identical(as.vector(there[there > 998]), x[x > 998])
  expect_identical(cumsum(there)[1e7], cumsum(x)[1e7])
})

test_that("every function of base and stats that takes a vector gives its value or an error", {
  skip_if(as_on_cran())
  found <- in_child({
    # What acts on the session, waits for a user, reads what is not there, or is no function of values.
    never <- strsplit(paste(
      "q quit readline browser repeat Sys.sleep detach .detach attach close sink setwd unlink gctorture gctorture2",
      "closeAllConnections library require requireNamespace loadNamespace attachNamespace unloadNamespace source sys.source",
      "setTimeLimit setSessionTimeLimit Sys.umask mem.maxVSize mem.maxNSize options Sys.setenv Sys.unsetenv Sys.setlocale",
      "set.seed RNGkind RNGversion readLines scan stdin reg.finalizer socketAccept socketConnection socketSelect serverSocket",
      "system system2 shell shell.exec fifo pipe url rm remove lockEnvironment lockBinding unlockBinding makeActiveBinding",
      "delayedAssign invokeRestart warning stop message signalCondition on.exit return break next function if for while Recall",
      "eval evalq local registerS3method registerS3methods trace untrace dyn.load dyn.unload library.dynam library.dynam.unload",
      "debug undebug debugonce Sys.chmod Sys.setFileTime file.create dir.create file.append file.rename file.copy file.symlink",
      "file.link file.remove cat print .libPaths save.image save dump dput write sys.save.image sys.load.image load gcinfo gc.time",
      "gc proc.time Sys.time date Sys.Date readRenviron file.choose builtins UseMethod NextMethod standardGeneric traceback",
      ".traceback .First.sys .OptRequireMethods parent.frame sys.call sys.frame sys.function match.call substitute quote",
      "search textConnection rawConnection globalCallingHandlers .Internal .Primitive .External .External2 .Call .C .Fortran",
      ".External.graphics .Call.graphics expression bquote ~ nextn Sys.timezone system.time missing enquote tracemem retracemem"
    ), " +")[[1L]]
    # Questions about the object itself, and what gives it, or hands its attributes on.
    asked <- strsplit(paste(
      ".class2 attributes class data.class oldClass inherits deparse deparse1 is.atomic is.double is.integer is.logical is.object",
      "is.vector mode storage.mode typeof .MFclass pairlist as.pairlist encodeString",
      ".Date .POSIXct .POSIXlt .difftime .dynLibs I noquote spec.taper getCall update"
    ), " +")[[1L]]
    brought <- function(value) {
      if (typeof(value) == "externalptr" && inherits(value, "opencl_vector")) return(value[])
      if (is.list(value)) {
        kept <- attributes(value)
        value <- lapply(unclass(value), brought)
        attributes(value) <- kept
      }
      value
    }
    outcome <- function(f, x) {
      set.seed(1)
      tryCatch(suppressWarnings(suppressMessages(list(value = brought(f(x))))), error = function(e) NULL)
    }
    options(nmathopencl.device = "host")
    grDevices::pdf(NULL)
    sink(nullfile())
    wrong <- character()
    tried <- 0
    for (package in c("base", "stats")) for (name in setdiff(getNamespaceExports(package), c(never, asked))) {
      f <- get(name, asNamespace(package))
      method <- tryCatch(utils::isS3method(name, envir = asNamespace(package)), error = function(e) FALSE) # of other classes
      if (!is.function(f) || grepl("<-", name) || method) next
      for (x in list(c(a = 3, b = 1.5, c = NA), c(3L, 1L, 2L), 2)) {
        v <- nmathopencl::opencl_vector(x)
        setTimeLimit(elapsed = 10, transient = TRUE)
        ours <- outcome(f, v)
        tried <- tried + 1
        same <- is.null(ours) || isTRUE(tryCatch(
          all.equal(ours, outcome(f, x), check.environment = FALSE), error = function(e) FALSE
        ))
        if (!same || !identical(v[], x)) wrong <- c(wrong, paste0(package, "::", name, "(", deparse1(x), ")"))
      }
    }
    setTimeLimit()
    sink()
    list(wrong = wrong, tried = tried)
  }, timeout = 600, env = c("_R_CHECK_LENGTH_1_LOGIC2_=", "_R_CHECK_LENGTH_1_CONDITION_=")) # checks of R's own functions
  expect_identical(found$wrong, character())
  expect_gt(found$tried, 2000)
})
