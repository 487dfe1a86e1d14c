# A device gives the same bits for vectors of R's and for resident ones, whichever kernel computes them: every function of the table,
# at arguments of its reference table, in all the lengths that its parameters may have.

if (!whole_tests()) unoptimized_programs()

# Columns of n numbers, drawn from the rows of the reference table or, where there is none, from all doubles. Among them are missing
# values, and such as are at the end of the range or beyond.
columns_from_afar <- function(row, n) {
  names <- trimws(strsplit(row$columns, ",")[[1]])
  path <- test_path("ref", paste0(row$table, ".tsv"))
  if (file.exists(path)) {
    table <- read_reference(path)
    columns <- unname(lapply(table[sample.int(nrow(table), n, TRUE), names, drop = FALSE], as.double))
  } else {
    columns <- lapply(names, function(name) wild_numbers(n))
  }
  columns[[1]][sample.int(n, 4)] <- c(NA, NaN, Inf, -1)
  columns
}

# The same with parameters of other lengths.
columns_of_lengths <- function(columns, lengths) {
  n <- length(columns[[1]])
  short <- function(x) switch(lengths, one = sample(x[is.finite(x)], 1), full = x, recycled = x[seq_len(sample(c(1, 7, n %/% 2, n), 1))])
  c(columns[1], lapply(columns[-1], short))
}

# Value and messages of the warnings.
said_by <- function(code) {
  said <- character()
  value <- withCallingHandlers(code, warning = function(w) {
    said <<- c(said, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  list(value = as.vector(value), said = unique(said))
}

# How calls of resident vectors, and of vectors of R's whose results are resident, differ from one of vectors of R's.
differences <- function(name, columns, flags, device, what) {
  call <- function(columns, keep = FALSE) said_by(nmathopencl:::elementwise(name, columns, as.list(flags), device, FALSE, FALSE, keep))
  resident <- function(which) {
    columns[which] <- lapply(columns[which], opencl_vector, device = device)
    columns
  }
  of_r <- call(columns)
  others <- list(x = call(resident(1L)), all = call(resident(seq_along(columns))), kept = call(columns, TRUE))
  differ <- others[!vapply(others, identical, NA, of_r, num.eq = FALSE)]
  vapply(names(differ), function(other) {
    equal <- sum(differ[[other]]$value == of_r$value, na.rm = TRUE)
    sprintf(
      "%s(%s) %s, resident %s: %d of %d are equal; warnings '%s' and '%s'", name, paste(flags, collapse = ", "), what, other, equal,
      sum(!is.na(of_r$value)), paste(of_r$said, collapse = "; "), paste(differ[[other]]$said, collapse = "; ")
    )
  }, "")
}

expect_no_differences <- function(different, device) {
  expect(length(different) == 0, paste(c(device_name(device), different), collapse = "\n"))
}

# Functions of numbers that resident vectors can be given to.
functions_of_residents <- function() {
  rows <- function_table()
  taken <- vapply(rows$name, function(name) !is.null(nmathopencl:::library_row(name)), NA)
  rows <- rows[taken & !rows$flags %in% c("draws", "counts", "cells") & rows$columns != "numeric(n)", ]
  if (as_on_cran()) rows[sample.int(nrow(rows), 5), ] else rows
}

# A program is compiled for nearly each row: some of them, others on the host than elsewhere; all in whole tests.
some_of <- function(rows, device) {
  if (whole_tests() || nrow(rows) < 10) return(rows)
  rows[if (device == "0") seq(1, nrow(rows), 3) else seq(2, nrow(rows), 9), ]
}

test_that("values from afar are the same, whatever the lengths of parameters", {
  set.seed(20261128)
  for (device in test_devices()) {
    rows <- some_of(functions_of_residents(), device)
    for (k in seq_len(nrow(rows))) {
      row <- rows[k, ]
      columns <- columns_from_afar(row, 300)
      flags <- stats::runif(length(setdiff(strsplit(row$flags, ",")[[1]], ""))) < 0.5
      for (lengths in c("full", "one", "recycled")) {
        expect_no_differences(differences(row$name, columns_of_lengths(columns, lengths), flags, device, lengths), device)
      }
    }
  }
})

# Ordinary x, with missing values, and one number each for the parameters: those of constant-parameter kernels.
ordinary_columns <- function(name, n) {
  columns <- lapply(unname(rule_points(name, max(n, 9))$args), function(x) as.double(x)[seq_len(n)])
  columns[-1] <- lapply(columns[-1], `[`, 1)
  if (n > 5) columns[[1]][c(2, 5)] <- c(NA, NaN)
  columns
}

test_that("values of ordinary arguments and constant parameters are the same", {
  set.seed(20261129)
  fixed <- read.delim(system.file("spec", "fixed.tsv", package = "nmathopencl"), colClasses = "character", quote = "", na.strings = character())
  all <- fixed[fixed$name %in% functions_of_residents()$name, ]
  for (device in test_devices()) {
    fixed <- some_of(all, device)
    for (k in seq_len(nrow(fixed))) {
      flags <- as.logical(strsplit(fixed$flags[k], ",")[[1]])
      for (n in c(1, 2, 300, if (!as_on_cran()) 5001)) {
        columns <- ordinary_columns(fixed$name[k], n)
        expect_no_differences(differences(fixed$name[k], columns, flags, device, paste(n, "numbers")), device)
      }
      columns[[1]] <- 0:8
      expect_no_differences(differences(fixed$name[k], columns, flags, device, "integers"), device)
    }
  }
})

test_that("values that are looked up are the same", {
  set.seed(20261130)
  rows <- functions_of_residents()
  rows <- rows[nzchar(rows$lookup), ]
  for (device in test_devices()) {
    for (k in seq_len(nrow(rows))) {
      flags <- strsplit(rows$flags[k], ",")[[1]] == "log"
      sizes <- lapply(strsplit(rows$columns[k], ",")[[1]][-1], function(size) sample(3:9, 1))
      for (n in c(300, 20000)) {
        x <- c(NA, NaN, -1, 1e9, sample(0:30, n, TRUE) + sample(c(0, 1e-12, 0.5), n, TRUE))
        expect_no_differences(differences(rows$name[k], c(list(x), sizes), flags, device, paste(n, "numbers")), device)
      }
    }
  }
})

test_that("draws are the same", {
  skip_on_cran() # a matter of time
  draws <- c(continuous_draws, discrete_draws)
  for (device in test_devices()) {
    for (name in names(draws)) {
      f <- get(paste0(name, "_opencl"), asNamespace("nmathopencl"))
      sets <- draws[[name]]$sets
      for (arguments in if (device == "0" || whole_tests()) sets else sets[1L]) {
        draw <- function(arguments, keep) {
          set.seed(5)
          as.vector(suppressWarnings(do.call(f, c(list(5001), arguments, device = device, keep = keep))))
        }
        vectors <- lapply(arguments, rep_len, 5001)
        label <- paste(name, paste(unlist(arguments), collapse = ", "), "on", device_name(device))
        expect_identical(draw(arguments, TRUE), draw(arguments, FALSE), label = label)
        expect_identical(draw(vectors, TRUE), draw(vectors, FALSE), label = label)
      }
    }
  }
})
