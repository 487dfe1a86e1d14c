# Private arrays of kernels on the host device: a work-item's stack has room for them, or an error says that it has not. What
# goes wrong ends the process, so another one runs them.
skip_on_cran()
skip_without_compiler()

# out[id] = sum of a[i] a[7 i mod n], a[i] = x + i mod 1000 + id, over n = bytes / 8 elements (exact in doubles), in the kernel or in a function that it calls.
array_kernel <- function(bytes, barrier, helper) {
  n <- bytes %/% 8
  parameters <- "__global const double* x, __global double* out"
  wait <- if (barrier) "barrier(CLK_LOCAL_MEM_FENCE);" else ""
  sum <- sprintf(
    "double a[%d], s = 0.0;
     for (int i = 0; i < %d; ++i) a[i] = x[0] + i %% 1000 + id;
     WAIT
     for (int i = 0; i < %d; ++i) s += a[i] * a[(i * 7L) %% %d];", n, n, n, n
  )
  if (!helper) {
    sum <- sub("WAIT", wait, sum)
    return(sprintf("__kernel void k(%s) { int id = get_global_id(0); %s out[id] = s; }", parameters, sum))
  }
  sprintf(
    "__attribute__((noinline)) double inner(__global const double* x, int id) { %s return s; }
     __kernel void k(%s) { int id = get_global_id(0); %s out[id] = inner(x, id); }", sub("WAIT", "", sum), parameters, wait
  )
}

expected_sums <- function(bytes, x, items) {
  n <- bytes %/% 8
  i <- seq_len(n) - 1
  vapply(seq_len(items) - 1, function(id) {
    a <- x + i %% 1000 + id
    sum(a * a[(i * 7) %% n + 1])
  }, 0)
}

# The values, or the error's text, of each text for 8 work-items in groups of so many.
computed_apart <- function(texts, group, before = quote(NULL)) {
  eval(substitute(in_child({
    options(nmathopencl.compiler = TRUE)
    BEFORE
    lapply(TEXTS, function(text) {
      tryCatch(run_opencl_kernel(text, "k", list(x = c(0.5, 1)), n = 8, groups = GROUP, out = 8, device = "host"),
        nmathopencl_error = conditionMessage)
    })
  }, timeout = 120), list(TEXTS = texts, GROUP = group, BEFORE = before)))
}

test_that("private arrays up to the limit are there, with barriers and without, in functions as well", {
  cases <- expand.grid(bytes = c(12e3, 60e3, 100e3, 300e3, 5e6, 40e6), barrier = c(FALSE, TRUE), helper = c(FALSE, TRUE))
  texts <- Map(array_kernel, cases$bytes, cases$barrier, cases$helper)
  values <- computed_apart(unname(texts), 4)
  sums <- lapply(unique(cases$bytes), expected_sums, 0.5, 8)
  for (k in seq_along(texts)) {
    expect_identical(values[[k]], sums[[match(cases$bytes[k], unique(cases$bytes))]], info = paste(format(cases[k, ]), collapse = " "))
  }
})

test_that("several large frames in a chain of calls have room together", {
  inner <- function(name, call) {
    sprintf("__attribute__((noinline)) double %s(double x) { double a[12000]; for (int i = 0; i < 12000; ++i) a[i] = x + i;
      double s = %s; for (int i = 0; i < 12000; ++i) s += a[i]; return s; }", name, call)
  }
  text <- paste(c(
    inner("f0", "0.0"), sprintf("%s", vapply(1:6, function(k) inner(paste0("f", k), sprintf("f%d(a[0])", k - 1)), "")),
    "__kernel void k(__global const double* x, __global double* out)
     { barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = f6(x[0]); }"
  ), collapse = "\n")
  expect_identical(computed_apart(list(text), 8)[[1]], rep(7 * (12000 * 0.5 + sum(0:11999)), 8))
})

test_that("more than the limit is an error, and from the disk cache too", {
  texts <- list(array_kernel(80e6, TRUE, FALSE), array_kernel(80e6, FALSE, FALSE), array_kernel(3e5, TRUE, FALSE))
  folder <- tempfile("cache")
  on.exit(unlink(folder, recursive = TRUE))
  cached <- substitute(options(nmathopencl.cache = FOLDER), list(FOLDER = folder))
  for (run in 1:2) { # compiled, then read
    values <- computed_apart(texts, 2, cached)
    expect_match(values[[1]], "private arrays of [0-9]+ bytes")
    expect_match(values[[2]], "private arrays of [0-9]+ bytes")
    expect_identical(values[[3]], expected_sums(3e5, 0.5, 8))
  }
})

test_that("linked objects know of one another's arrays", {
  result <- in_child({
    options(nmathopencl.compiler = TRUE)
    far <- "double far(double x) { double a[50000]; for (int i = 0; i < 50000; ++i) a[i] = x + i; double s = 0.0;
      for (int i = 0; i < 50000; ++i) s += a[(i * 7L) % 50000]; return s; }"
    near <- "double far(double x);
      __kernel void k(__global const double* x, __global double* out)
      { barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = far(x[0]); }"
    parts <- lapply(list(far, near), function(text) bundle_compile(kernel_bundle(text, "host")))
    bundle <- do.call(bundle_link, parts)
    run_opencl_kernel(bundle, "k", list(x = 0.5), n = 4, groups = 4, out = 4)
  }, timeout = 60)
  expect_identical(result, rep(50000 * 0.5 + sum(0:49999), 4))
})
