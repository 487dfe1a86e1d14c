# Rank statistics of one size and many elements: values come from a table (src/engine/lookup.h), and are what calls with sizes as
# vectors give, which compute each element by itself.

rank_functions <- list(
  pwilcox = list(f = pwilcox_opencl, sizes = list(6, 5), top = 30, tails = TRUE),
  dwilcox = list(f = dwilcox_opencl, sizes = list(3.3, 8), top = 24, tails = FALSE),
  psignrank = list(f = psignrank_opencl, sizes = list(7), top = 28, tails = TRUE),
  dsignrank = list(f = dsignrank_opencl, sizes = list(8.8), top = 45, tails = FALSE)
)

# n quantiles: missing ones, far ones, and both sides of whole numbers and of the tolerance 1e-7, in no order.
quantiles_around <- function(top, n) {
  near <- c(0, 0.5, 1e-6, 1.1e-7, 1e-7, 0.9e-7, 1e-12)
  whole <- c(-2:3, floor(top / 2), top + -2:2)
  x <- c(NA, NaN, Inf, -Inf, 1e300, -1e300, 2^31, outer(whole, c(-near, near), `+`), seq(-1, top + 1))
  rep_len(x, n)[order(sin(seq_len(n)))]
}

# (list(lower.tail, log.p), ...)
flags_for <- function(tails) {
  if (!tails) return(list(list(FALSE), list(TRUE)))
  list(list(TRUE, FALSE), list(FALSE, FALSE), list(TRUE, TRUE), list(FALSE, TRUE))
}

each_lookup <- function(n, check) {
  for (name in names(rank_functions)) {
    row <- rank_functions[[name]]
    x <- quantiles_around(row$top, n)
    for (flags in flags_for(row$tails)) {
      check(
        function(x, ...) do.call(row$f, c(list(x), row$sizes, flags, list(...))), x,
        function(x, ...) { # many elements are few numbers
          few <- unique(x)
          values <- do.call(row$f, c(list(few), lapply(row$sizes, rep_len, length(few)), flags, list(...)))
          stats::setNames(values[match(x, few)], names(x))
        },
        paste(name, paste(unlist(flags), collapse = " "))
      )
    }
  }
}

# Also which NaN are NA.
expect_same_numbers <- function(got, want, info) {
  expect_true(identical(got, want) && identical(is.nan(got), is.nan(want)), info = info)
}

test_that("values by a table are those that are computed one by one", {
  for (device in test_devices()) {
    for (n in c(300, 20000)) {
      each_lookup(n, function(by_table, x, by_element, info) {
        got <- expect_silent(by_table(x, device = device))
        expect_ran_on(device)
        expect_same_numbers(got, by_element(x, device = device), paste(info, device_name(device), n))
      })
    }
    expect_identical(psignrank_opencl(numeric(), 5, device = device), numeric())
    whole <- rep_len(c(NA, -3:40), 20000)
    expect_identical(pwilcox_opencl(whole, 4L, 9L, device = device), pwilcox_opencl(as.double(whole), rep(4, 20000), 9, device = device))
    named <- matrix(rep_len(c(2, 5.5), 20000), 100, dimnames = list(NULL, as.character(1:200)))
    expect_identical(attributes(dsignrank_opencl(named, 5, device = device)), attributes(named))
  }
})

test_that("a warm call builds nothing, and a bad size is what it was", {
  for (device in test_devices()) {
    x <- rep_len(0:40, 20000)
    dwilcox_opencl(x, 5, 7, device = device)
    value <- dwilcox_opencl(x, 5, 7, device = device)
    expect_identical(last_run()$built, 0L)
    expect_identical(last_run()$elements, 20000)
    expect_identical(last_run()$`function`, "dwilcox")
    expect_equal(value, dwilcox(x, 5, 7), tolerance = 1e-13)
    expect_warning(bad <- psignrank_opencl(x, -1, device = device), "NaNs produced")
    expect_true(all(is.nan(bad)))
    expect_warning(bad <- psignrank_opencl(x, Inf, device = device), "NaNs produced")
    expect_true(all(is.nan(bad)))
    expect_silent(missing <- pwilcox_opencl(x, NA, 5, device = device))
    expect_true(all(is.na(missing) & !is.nan(missing)))
  }
})

test_that("resident vectors, and results that do, are looked up there", {
  n <- 20000
  for (device in test_devices()) {
    each_lookup(n, function(by_table, x, by_element, info) {
      names(x) <- seq_along(x)
      info <- paste(info, device_name(device))
      want <- by_element(x, device = device)
      stays <- opencl_vector(x, device)
      expect_silent(of_resident <- by_table(stays))
      expect_silent(kept <- by_table(x, device = device, keep = TRUE))
      expect_s3_class(of_resident, "opencl_vector")
      expect_s3_class(kept, "opencl_vector")
      expect_same_numbers(of_resident[seq_len(n)], want, info)
      expect_same_numbers(kept[seq_len(n)], want, info)
      expect_identical(names(kept), names(x))
    })
    square <- opencl_matrix(matrix(rep_len(as.double(0:9), n), 100), device)
    expect_identical(dim(psignrank_opencl(square, 5)), c(100L, 200L))
    expect_output(print(last_run()$device), device_name(device), fixed = TRUE)
    whole <- rep_len(c(NA, -3:40), n)
    expect_identical(
      as.vector(psignrank_opencl(whole, 6, device = device, keep = TRUE)), psignrank_opencl(whole, rep(6, n), device = device)
    )
  }
})

test_that("several devices look their elements up in tables of their own", {
  devices <- two_devices()
  n <- 40000
  each_lookup(n, function(by_table, x, by_element, info) {
    expect_silent(got <- by_table(x, device = devices))
    expect_identical(last_run()$elements, as.double(n)) # of both devices, or of one where that is soon done
    expect_equal(got, by_element(x, device = "host"), tolerance = 1e-13, info = info)
    if (!grepl("^(dwilcox|psignrank)", info)) return() # a distribution of each; drivers take seconds for every function
    kept <- by_table(x, device = devices, keep = TRUE)
    expect_equal(as.vector(kept), got, tolerance = 1e-13, info = info)
  })
})
