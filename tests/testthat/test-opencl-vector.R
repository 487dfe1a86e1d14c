# A kernel of columns x and y and a number a.
resident_kernel <- function() {
  f <- opencl_function(function(x, y, a) a * x + y)
  f(1:3 / 2, 1:3, 2, device = "host")
  attr(f, "expression")$last$handle
}

pointer_of <- function(x) resident_fields(x)$pointer

# Vectors and bytes on a device now.
taken <- function(device) {
  memory <- opencl_memory()
  sum(memory$vectors[memory$device == device_name(device)])
}

test_that("a vector stays and comes back as it was", {
  for (device in test_devices()) {
    for (x in list(
      c(1.5, NA, NaN, -Inf), c(a = 1L, b = NA, c = 3L), c(TRUE, NA, FALSE), matrix(as.double(1:6), 2),
      matrix(1:6, 2, dimnames = list(c("a", "b"), NULL)), double(), integer(), seq_len(1e6) / 3
    )) {
      there <- opencl_vector(x, device = device)
      expect_s3_class(there, "opencl_vector")
      expect_identical(length(there), length(x))
      expect_identical(dim(there), dim(x))
      expect_identical(names(there), names(x))
      expect_identical(dimnames(there), dimnames(x))
      expect_identical(is.numeric(there), is.numeric(x))
      expect_identical(there[], x)
      expect_identical(as.vector(there), as.vector(x))
      expect_identical(as.double(there), as.double(x))
      expect_identical(suppressWarnings(as.integer(there)), suppressWarnings(as.integer(x)))
      expect_identical(as.logical(there), as.logical(x))
      expect_identical(head(there, 2), head(x, 2))
      expect_identical(tail(there, 2), tail(x, 2))
      expect_identical(there[c(2, 1)], x[c(2, 1)])
      expect_identical(there[-1], x[-1])
      expect_output(print(there), device_name(device), fixed = TRUE)
      expect_output(str(there), device_name(device), fixed = TRUE)
    }
    m <- opencl_matrix(matrix(1:6, 2), device = device)
    expect_s3_class(m, "opencl_matrix")
    expect_identical(m[2, ], c(2L, 4L, 6L))
    expect_identical(opencl_vector(c(a = 1, b = 2), device)["b"], c(b = 2))
  }
})

test_that("it never changes, but names and dimensions are R's", {
  x <- opencl_vector(1:6, device = "host")
  expect_error(x[1] <- 2L, "never changes")
  expect_error(x[[1]] <- 2L, "never changes")
  expect_error(x$a <- 2L, "never changes")
  y <- x
  names(y) <- letters[1:6]
  expect_null(names(x))
  expect_identical(y["c"], c(c = 3L))
  dim(y) <- c(2, 3)
  expect_identical(y[, 2], 3:4)
  expect_error(dim(y) <- c(2, 2), "do not match")
  own <- c(1, 2)
  kept <- opencl_vector(own, device = "host")
  own[1] <- 5
  expect_identical(as.vector(kept), c(1, 2))
})

test_that("what cannot be resident on a device is refused", {
  expect_error(opencl_vector("a"), "double, integer or logical")
  expect_error(opencl_vector(factor("a")), "double, integer or logical")
  expect_error(opencl_vector(list(1)), "double, integer or logical")
  expect_error(opencl_vector(array(1:8, c(2, 2, 2))), "matrix")
  expect_error(opencl_free(1), "opencl_vector")
})

test_that("a thousand vectors leave nothing behind", {
  for (device in test_devices()) {
    gc()
    before <- taken(device)
    for (i in 1:1000) x <- opencl_vector(rep(i, 1e4), device = device)
    expect_identical(x[1], 1000L)
    rm(x)
    gc()
    expect_equal(taken(device), before)
  }
})

# Vectors of earlier tests may still be there, and may go when R collects; none of the numbers depends on that.
test_that("a full device collects garbage first, and then says what holds how much", {
  for (device in opencl_test_devices()) {
    gc()
    before <- opencl_memory()
    earlier <- sum(before$bytes[before$device == device_name(device)])
    old <- options(nmathopencl.memory = 8e6 + earlier)
    first <- opencl_vector(rep(1, 4e5), device = device)
    for (i in 1:40) dropped <- opencl_vector(rep(i, 4e5), device = device)
    second <- dropped
    rm(dropped)
    error <- tryCatch(opencl_vector(rep(2, 1e6 + earlier / 8), device = device), error = identity)
    expect_s3_class(error, "nmathopencl_error")
    after <- opencl_memory()
    after <- after[after$device == device_name(device), ]
    expect_match(conditionMessage(error), sprintf("%d vectors of %.1f MB", after$vectors, after$bytes / 1e6), fixed = TRUE)
    expect_gte(after$vectors, 2)
    expect_lte(after$bytes, 4.8e6 + earlier)
    expect_identical(first[4e5], 1)
    expect_identical(second[1], 40L)
    options(old)
  }
})

test_that("a released, a saved and another session's vector say so at their first use", {
  for (device in test_devices()) {
    x <- opencl_vector(1:3, device = device)
    file <- tempfile()
    saveRDS(x, file)
    opencl_free(x)
    expect_error(as.vector(x), "released")
    expect_output(print(x), "released")
    read <- readRDS(file)
    expect_identical(length(read), 3L)
    expect_error(as.vector(read), "another session")
    unlink(file)
  }
})

test_that("in a forked process a vector on a device is a clear error, and the parent keeps it", {
  skip_on_os("windows")
  for (device in opencl_test_devices()) {
    result <- eval(substitute(in_child({
      x <- opencl_vector(c(1, 2), device = DEVICE)
      child <- parallel::mclapply(1:2, function(i) {
        seen <- tryCatch(as.vector(x), nmathopencl_error = conditionMessage)
        rm(x, envir = globalenv(), inherits = FALSE)
        gc()
        seen
      }, mc.cores = 2)
      list(child = child, parent = as.vector(x))
    }, timeout = 60), list(DEVICE = device)))
    for (seen in result$child) expect_match(seen, "forked process")
    expect_identical(result$parent, c(1, 2))
  }
})

test_that("kernels take vectors where they lie, and leave results there", {
  for (device in opencl_test_devices()) {
    kernel <- resident_kernel()
    x <- seq_len(1e5) / 7
    y <- rep_len(c(1L, 5L), 1e5)
    there <- opencl_vector(x, device = device)
    for (keep in c(FALSE, TRUE)) {
      result <- fused_run_cpp(kernel, list(pointer_of(there), y), 2, 1e5, NULL, "host", 0, NULL, keep)
      value <- result$values[[1]]
      if (keep) value <- as.vector(new_resident(value, "double", 1e5))
      expect_identical(value, 2 * x + y)
      expect_identical(result$report$device, device_name(device))
    }
    mixed <- fused_run_cpp(
      kernel, list(pointer_of(there), pointer_of(opencl_vector(y, device = "host"))), 2, 1e5, NULL, "host", 0, NULL
    )
    expect_match(mixed$error$message, "different devices")
  }
})

test_that("elements that lie far from each other come back without those between", {
  x <- seq_len(6e5) + 0.5
  for (device in test_devices()) {
    there <- opencl_vector(x, device)
    for (i in list(c(1, 3e5, 6e5), c(6e5, 1, 6e5, 2.9), c(5L, 4e5), 3e5, seq(1, 6e5, by = 1.2e5), c(1, 6e5 + 1), c(2, NA), -(1:10))) {
      expect_identical(there[i], x[i])
    }
  }
  stretches <- nmathopencl:::stretches
  expect_identical(stretches(c(6e5, 1, 2), 6e5), list(first = c(1, 6e5), last = c(2, 6e5)))
  expect_null(stretches(seq(1, 1e9, by = 2e5), 1e9)) # too many trips
})
