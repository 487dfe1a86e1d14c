# by = of random functions of one number: what R's loop over the rows of each level gives, with variables of the environment as well.

unoptimized_programs()

random_by <- function(case) {
  set.seed(case)
  w <- list(columns = sample(3L, 1L), slices = TRUE, products = chance(0.8), matrices = chance(0.4), taken = FALSE)
  n <- sample(c(8L, 15L, 25L), 1L)
  values <- torture_likelihood_values(n, 3L, w$columns, "integer", 0)
  f <- as.function(c(torture_likelihood_formals, torture_likelihood_body(w)), envir = globalenv())
  id <- sample(rep(1:3, length.out = n))
  if (chance(0.3)) id <- sort(id)
  list(f = f, values = values, id = id, variable = chance(0.3), gradient = if (chance(0.5)) intersect(c("par", "s"), all.vars(body(f))))
}

# The values of the rows of one level.
of_level <- function(values, rows) {
  for (name in c("y", "x", "g", "whole")) values[[name]] <- values[[name]][rows]
  values$X <- values$X[rows, , drop = FALSE]
  values
}

expect_by_as_loop <- function(case) {
  one <- random_by(case)
  levels <- split(seq_along(one$id), one$id)
  known <- tryCatch(suppressWarnings(vapply(levels, function(rows) sum(do.call(one$f, of_level(one$values, rows))), 0)), error = function(e) NULL)
  if (is.null(known)) return(FALSE)
  gradient <- if (length(one$gradient) > 0L) one$gradient
  f <- one$f
  values <- one$values
  if (one$variable) {
    environment(f) <- list2env(values["y"], parent = globalenv())
    formals(f)$y <- NULL
    values$y <- NULL
  }
  ours <- suppressWarnings(outcome_of(do.call(opencl_function(f, reduce = "sum", gradient = gradient), c(values, list(by = one$id, device = "host")))))$value
  if (is.character(ours)) return(FALSE) # refused
  reported <- paste(case, deparse1(f))
  expect_equal(as.vector(ours), unname(known), tolerance = 1e-9, info = reported)
  if (is.null(gradient)) return(TRUE)
  own <- opencl_function(one$f, reduce = "sum", gradient = gradient)
  slopes <- lapply(levels, function(rows) suppressWarnings(attr(do.call(own, c(of_level(one$values, rows), device = "host")), "gradient")))
  expect_equal(unname(attr(ours, "gradient")), unname(do.call(rbind, slopes)), tolerance = 1e-8, info = reported)
  TRUE
}

test_that("random functions by levels are R's loop over them", {
  skip_on_cran() # a matter of seconds
  done <- local({
    withr_options(list(nmathopencl.compiler = FALSE), environment())
    vapply(4000 + seq_len(cases(60, 40, 60)), expect_by_as_loop, NA)
  })
  expect_gt(mean(done), 0.8)
  skip_without_compiler()
  expect_gt(mean(vapply(4200 + 1:8, expect_by_as_loop, NA)), 0.5)
})
