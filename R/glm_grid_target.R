# The posterior density as f2_f3_opencl() computes it: where data lie, and what dispersion makes of the weights.

# look(view): the coordinates of view_from(). at(u, dispersion): minus the log-density qf at each column of u (p by m) and
# its gradient grad (m by p). The model matrix goes to the device once: views differ by their centres. A device that fails is
# an error, or is left for the host device with a warning.
glm_grid_target <- function(family, device, fallback, call) {
  device <- settled_device(device)
  own <- list(view = NULL, placed = NULL, dispersion = NULL, scale = 1, evaluations = 0, seconds = 0)
  place <- function(value) if (own$resident) opencl_vector(value, device) else value
  put <- function() {
    model <- own$view$model
    own$resident <<- stays_on_device(device)
    if (is.null(own$placed)) own$dispersion <<- NULL
    if (is.null(own$placed$x)) own$placed$x <<- plain_and_placed(unname(model$x), place)
    own$placed[c("y", "alpha")] <<- list(plain_and_placed(model$y, place), plain_and_placed(model$offset, place))
  }
  look <- function(view) {
    own$view <<- view
    own$placed$y <<- NULL
  }
  run <- function(b, dispersion) {
    if (is.null(own$placed$y)) put()
    model <- own$view$model
    prior <- own$view$prior
    if (!identical(own$dispersion, dispersion)) {
      weights <- kernel_weights(model, family, dispersion)
      own$scale <<- weights$scale
      own$wt <<- place(weights$wt)
      own$dispersion <<- dispersion
    }
    f2_f3_opencl(
      family$family, family$link, b, own$placed$y, own$placed$x, prior$mean, prior$precision * own$scale,
      own$placed$alpha, own$wt, progbar = shows_progress(model$x, b), device = device, fallback = "error"
    )
  }
  at <- function(b, dispersion) {
    force(b)
    value <- tryCatch(run(b, dispersion), nmathopencl_error = function(e) {
      if (!fallback || identical(device, "host")) raise_core_error(e, call)
      warning(simpleWarning(
        paste0("the OpenCL device failed, repeated on the host device: ", conditionMessage(e)), call
      ))
      device <<- "host"
      own$placed <<- NULL
      run(b, dispersion)
    })
    report <- last_run()
    own$evaluations <<- own$evaluations + ncol(b)
    own$seconds <<- own$seconds + report$total
    own$device <<- report$device
    list(qf = value$qf / own$scale, grad = value$grad / own$scale)
  }
  list(look = look, at = at, report = function() own[c("device", "evaluations", "seconds")])
}

plain_and_placed <- function(value, place) {
  attributes(value) <- attributes(value)["dim"]
  storage.mode(value) <- "double"
  place(value)
}

# "auto" without any OpenCL device is the host device.
settled_device <- function(device) {
  if (length(device) != 1L || identical(device, "all")) return(device)
  device <- resolve_device(device)
  if (device == "auto" && !any_opencl_device_cpp()) "host" else device
}

# Whether the data are worth sending ahead: to one device that is not R's own memory.
stays_on_device <- function(device) {
  length(device) == 1L && !device %in% c("all", "host") && from_core(device_index_cpp(device)) != 0L
}

shows_progress <- function(x, b) {
  as.integer(isTRUE(getOption("nmathopencl.progress", interactive())) && as.double(length(x)) * ncol(b) > 2e10)
}

# The weights that f2_f3_opencl() takes for dispersion phi: w / phi. Its binomial likelihood is of whole numbers of trials;
# where these are not whole, weights and the prior's precision are made `scale` times larger, which leaves everything but
# the rounding of weights as it is, 2^-40 of the largest.
kernel_weights <- function(model, family, dispersion) {
  wt <- model$weights / dispersion
  if (!grepl("binomial", family$family, fixed = TRUE) || whole_counts(model, dispersion)) {
    return(list(wt = wt, scale = 1))
  }
  scale <- 2^floor(40 - log2(max(wt)))
  list(wt = wt * scale, scale = scale)
}

whole_counts <- function(model, dispersion = 1) {
  whole <- function(x) all(abs(x - round(x)) <= 1e-7)
  whole(model$weights / dispersion) && whole(model$y * model$weights / dispersion)
}

# Whether qf is minus the logarithm of a density of the response: not for quasi families, nor for fractions of trials.
has_likelihood <- function(model, family) {
  !startsWith(family$family, "quasi") && (family$family != "binomial" || whole_counts(model))
}
