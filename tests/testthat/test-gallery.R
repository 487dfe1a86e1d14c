# The models of the gallery: values as R's, gradients as by differences, fits as the established packages give them.

unoptimized_programs()

gallery_folder <- system.file("gallery", package = "nmathopencl")
sys.source(file.path(gallery_folder, "gallery.R"), environment())
models <- gallery(gallery_folder)

# By Richardson's extrapolation of central differences.
differences <- function(f, at) {
  vapply(seq_along(at), function(k) {
    h <- 0.01 * pmax(abs(at[k]), 0.1) / 2^(0:4)
    slope <- vapply(h, function(h) (f(replace(at, k, at[k] + h)) - f(replace(at, k, at[k] - h))) / (2 * h), 0)
    for (j in 1:4) slope <- (4^j * slope[-1L] - slope[-length(slope)]) / (4^j - 1)
    slope
  }, 0)
}

# The function as R evaluates it, of one vector.
plain_function <- function(model, split) {
  f <- model$negative
  environment(f) <- list2env(as.list(model$data), parent = globalenv())
  data <- as.list(model$data)[intersect(names(model$data), names(formals(f)))]
  function(par) do.call(f, c(data, split(par)))
}

# Each `step`-th, since most of the time goes into compiling; all with the environment variable NMATHOPENCL_ALL_MODELS.
some_models <- function(step) {
  quick <- Filter(function(model) !model$slow, models)
  if (nzchar(Sys.getenv("NMATHOPENCL_ALL_MODELS"))) models else quick[seq(1L, length(quick), by = step)]
}

expect_as_r <- function(model, device) {
  objective <- gallery_objective(model, device = device)
  plain <- plain_function(model, objective$split)
  want <- plain(objective$par)
  expect_lt(abs(objective$fn(objective$par) - want) / abs(want), 1e-12, label = paste(model$title, "value on", device))
  slopes <- differences(plain, objective$par)
  expect_lt(max(abs(objective$gr(objective$par) - slopes) / (1 + abs(slopes))), 1e-7, label = paste(model$title, "gradient on", device))
}

test_that("a model has its fields", {
  expect_gte(length(models), 40L)
  expect_identical(anyDuplicated(names(models)), 0L)
  for (model in models) {
    for (field in c("title", "source", "by")) expect_match(model[[field]], ".", info = model$title)
    expect_true(is.function(model$negative) && is.list(model$data) && length(model$reference) > 0L, info = model$title)
  }
})

test_that("values and gradients are R's, evaluated by R", {
  skip_on_cran() # a matter of seconds
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (model in models) expect_as_r(model, "host")
})

# Two tests look at them: a model's fit, evaluated by R, which takes a second, once.
fits <- new.env()
fit_by_r <- function(model) {
  if (is.null(fits[[model$title]])) fits[[model$title]] <- suppressWarnings(gallery_fit(model)) # steps beyond the parameters' range
  fits[[model$title]]
}

test_that("fits agree with what the established packages give", {
  skip_on_cran() # a matter of seconds
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (model in models) {
    found <- fit_by_r(model)
    known <- model$reference
    if (!is.null(known$value)) expect_lt(abs(found$value - known$value) / abs(known$value), 1e-6, label = paste(model$title, "value"))
    if (!is.null(known$par)) {
      unit <- ifelse(is.na(found$se), 0.1, found$se)
      expect_lt(max(abs(found$par - known$par) / unit), 0.03, label = paste(model$title, "parameters, in standard errors"))
    }
    if (!is.null(known$se)) { # by expected information in some packages
      expect_lt(max(abs(found$se / known$se - 1), na.rm = TRUE), 0.15, label = paste(model$title, "standard errors"))
    }
  }
})

test_that("values and gradients are R's, compiled for the host", {
  skip_without_compiler()
  for (model in some_models(3L)) expect_as_r(model, "host")
})

test_that("values and gradients are R's on OpenCL devices", {
  skip_on_cran()
  for (device in opencl_test_devices()) for (model in some_models(4L)) expect_as_r(model, device)
})

# Its likelihood has kinks, over which differences do not go.
smooth_models <- function(models) models[names(models) != "Laplace"]

expect_hessian_of <- function(model, device) {
  objective <- gallery_objective(model, device = device)
  known <- suppressWarnings(difference_columns(objective$gr, objective$par))
  found <- suppressWarnings(objective$he(objective$par))
  expect_lt(max(abs(found - known)) / max(abs(known)), 1e-6, label = paste(model$title, "Hessian on", device))
}

test_that("second derivatives are as by differences of gradients, and standard errors those of the established packages, evaluated by R", {
  skip_on_cran()
  old <- options(nmathopencl.compiler = FALSE)
  on.exit(options(old))
  for (model in smooth_models(models)) {
    expect_hessian_of(model, "host")
    if (is.null(model$reference$se) || is.null(model$reference$par)) next
    table <- suppressWarnings(summary(gallery_objective(model, device = "host"), unlist(fit_by_r(model)$par)))
    expect_lt(max(abs(table$coefficients[, 2L] / model$reference$se - 1), na.rm = TRUE), 0.15, label = paste(model$title, "standard errors"))
  }
})

test_that("second derivatives are as by differences of gradients on every device", {
  skip_on_cran()
  skip_without_compiler()
  for (model in smooth_models(some_models(6L))) expect_hessian_of(model, "host")
  for (device in opencl_test_devices()) for (model in smooth_models(some_models(12L))) expect_hessian_of(model, device)
})
