# The models of this folder: gallery(folder) reads them.
#
# A model begins with a line "# title: ..." and goes to the next one; a file has as many as are alike. Lines "# field: ..." follow, `source`
# (who wrote of the model), `reference` (the package, its version and the call that gave the values below) and, where a loop of densities
# takes long to compile, `compiles: slowly`. The code defines `negative`,
# the function to be minimized as one would write it for optim(), its `data`, the `start` of the search, an optimizer, `fit`, where it is
# not the usual one, and `reference`: value, par and se, as far as the package gives them, in the order of `start`.

# A list of models: title, source, by (the reference), code, and, evaluated, negative, data, start, fit, reference.
gallery <- function(folder) {
  files <- sort(setdiff(list.files(folder, "[.]R$", full.names = TRUE), file.path(folder, "gallery.R")))
  models <- unlist(lapply(files, gallery_file), recursive = FALSE)
  names(models) <- vapply(models, function(model) model$title, "")
  models
}

gallery_file <- function(file) {
  lines <- readLines(file)
  lapply(unname(split(lines, cumsum(startsWith(lines, "# title: ")))), function(text) {
    header <- grepl("^# [a-z]+: ", text)
    fields <- as.list(sub("^# [a-z]+: ", "", text[header]))
    names(fields) <- sub("^# ([a-z]+): .*", "\\1", text[header])
    code <- text[!header]
    made <- new.env(parent = globalenv())
    made$fit <- function(objective) {
      optim(objective$par, objective$fn, objective$gr, method = "BFGS", hessian = TRUE, control = list(maxit = 500, reltol = 1e-12))
    }
    eval(parse(text = code, keep.source = FALSE), made)
    list(
      title = fields$title, source = fields$source, by = fields$reference, code = code, negative = made$negative, data = made$data,
      start = made$start, fit = made$fit, reference = made$reference, slow = identical(fields$compiles, "slowly")
    )
  })
}

# The function with its gradient in all that is searched, and the objective of the data.
gallery_objective <- function(model, ...) {
  f <- nmathopencl::opencl_function(model$negative, gradient = names(model$start))
  nmathopencl::as_objective(f, model$start, model$data, negative = FALSE, ...)
}

# par, se and value of the fit, whatever the optimizer; standard errors of the hessian of the gradient where it gives none.
gallery_fit <- function(model, objective = gallery_objective(model)) {
  found <- model$fit(objective)
  par <- if (is.null(found$par)) found$estimate else found$par
  hessian <- found$hessian
  if (is.null(hessian)) hessian <- stats::optimHess(par, objective$fn, objective$gr)
  se <- tryCatch(sqrt(diag(solve(hessian))), error = function(e) rep(NA_real_, length(par))) # a corner has no curvature
  list(par = par, se = se, value = c(objective$fn(par)))
}
