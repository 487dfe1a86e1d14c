# run.R -- five models at three sizes: this package, RTMB, plain R and packages with a function for the model, all by the same data.
#
#   Rscript bench/models/run.R [TOOL,... [SIZE ...]]      rows as TSV: all tools on the host device, 1e3 1e4 1e5
#   Rscript bench/models/run.R one TOOL MODEL SIZE        one row
#   Rscript bench/models/run.R write FOLDER [SIZE ...]    data, and value and gradient at the start, for models_jax.py
#
# TOOL is a device of this package (`host`, `host1` for one thread, `gpu`, ...), RTMB, R, or a package of models.R's fits; those that are not
# installed are left out. Each row is made in a session of its own. This package keeps the programs that it compiles, and has two rows: in the
# `first` session nothing was compiled before, a `later` one finds the programs of the first. Before anything is timed, value and gradient next to
# the start are held against those of plain R (differences of fourth order); after all, minima and estimates of all tools.
# Times of tools that compute in one thread, `host1` among them, are processor time, which other work on the machine does not lengthen; those of
# others go by the clock.
#   setup_s         from data in R's memory to the first value and gradient: compiling, sending, RTMB's tape
#   evaluation_ms   value and gradient, of a warm call, each at another point; of plain R by differences, as optim() takes them
#   fit_s           nlminb() from the start to the minimum, then standard errors; without setup_s. Of packages: their whole call.
file <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(file), "models.R"))
arguments <- commandArgs(TRUE)
columns <- c("model", "observations", "tool", "session", "version", "setup_s", "evaluation_ms", "fit_s", "evaluations", "minimum", "estimates")
now <- function() as.numeric(Sys.time())
processor_time <- function() sum(proc.time()[c(1, 2, 4, 5)]) # compilers are processes of their own

# --- objectives: par, fn and gr, and standard errors at the minimum ---------------------------------------------------------

objective_of_R <- function(model, data, start) {
  fixed <- start[setdiff(names(start), model$random)]
  f <- if (is.null(model$random)) model$negative else model$plain
  fn <- function(par) do.call(f, c(data, utils::relist(par, fixed)))
  par <- unlist(fixed)
  gr <- function(par) {
    vapply(seq_along(par), function(k) {
      step <- replace(numeric(length(par)), k, 1e-3)
      (fn(par + step) - fn(par - step)) / 2e-3
    }, 0)
  }
  list(par = par, fn = fn, gr = gr, se = function(par) sqrt(diag(solve(stats::optimHess(par, fn)))))
}

objective_of_ours <- function(model, data, start, device) {
  if (device == "host1") options(nmathopencl.threads = 1)
  options(nmathopencl.device = sub("1$", "", device))
  f <- nmathopencl::opencl_function(model$negative, gradient = if (is.null(model$random)) names(start))
  objective <- nmathopencl::as_objective(f, start, data, negative = FALSE)
  if (!is.null(model$random)) objective <- nmathopencl::laplace(objective, model$random)
  list(par = objective$par, fn = objective$fn, gr = objective$gr, se = function(par) sqrt(diag(objective$vcov(par))))
}

objective_of_rtmb <- function(model, data, start) {
  f <- model$rtmb
  environment(f) <- list2env(data, parent = asNamespace("RTMB"))
  made <- RTMB::MakeADFun(f, start, random = model$random, silent = TRUE)
  he <- if (is.null(model$random)) made$he else function(par) stats::optimHess(par, made$fn, made$gr)
  list(par = made$par, fn = function(par) c(made$fn(par)), gr = function(par) c(made$gr(par)), se = function(par) sqrt(diag(solve(he(par)))))
}

objective_of <- function(tool, model, data, start) {
  switch(tool, R = objective_of_R(model, data, start), RTMB = objective_of_rtmb(model, data, start), objective_of_ours(model, data, start, tool))
}

# --- one row ----------------------------------------------------------------------------------------------------------------

# Value and gradient of plain R at the start.
reference_at <- function(model, data, start) {
  plain <- objective_of_R(model, data, start)
  # moved from the start, where a gradient may be 0
  at <- plain$par + 0.01 * seq_along(plain$par)
  gradient <- vapply(seq_along(at), function(k) {
    step <- function(h) plain$fn(replace(at, k, at[k] + h))
    (8 * (step(1e-3) - step(-1e-3)) - (step(2e-3) - step(-2e-3))) / 12e-3
  }, 0)
  list(at = at, value = plain$fn(at), gradient = gradient)
}

check <- function(objective, reference) {
  value <- objective$fn(reference$at)
  gradient <- objective$gr(reference$at)
  if (abs(value - reference$value) > 1e-9 * (1 + abs(reference$value))) stop("value ", format(c(value, reference$value), digits = 15))
  if (any(abs(gradient - reference$gradient) > 1e-5 * (1 + max(abs(reference$gradient))))) {
    stop("gradient ", toString(gradient), " for ", toString(reference$gradient))
  }
}

timed_evaluations <- function(objective, clock) {
  at <- function(k) objective$par + 1e-5 * k
  call <- function(k) {
    objective$fn(at(k))
    objective$gr(at(k))
  }
  call(0)
  begin <- now()
  began <- clock()
  calls <- 0
  while (calls < 3 || (calls < 1000 && now() - begin < 3)) call(calls <- calls + 1)
  1e3 * (clock() - began) / calls
}

fitted_row <- function(tool, model, data) {
  loadNamespace(if (tool == "R") "stats" else if (tool %in% others) tool else "nmathopencl") # is not timed
  start <- start_of(model, data)
  reference <- reference_at(model, data, start)
  clock <- if (tool %in% c("R", "host1", others)) processor_time else now
  if (tool %in% names(model$fits)) {
    begin <- clock()
    fit <- model$fits[[tool]](data)
    return(list(setup_s = NA, evaluation_ms = NA, fit_s = clock() - begin, evaluations = NA, minimum = fit$value, estimates = fit$par))
  }
  begin <- clock()
  objective <- objective_of(tool, model, data, start)
  objective$fn(objective$par)
  objective$gr(objective$par)
  setup <- clock() - begin
  if (tool != "R") check(objective, reference)
  ms <- timed_evaluations(objective, clock)
  begin <- clock()
  fit <- stats::nlminb(objective$par, objective$fn, if (tool != "R") objective$gr)
  se <- objective$se(fit$par)
  stopifnot(all(is.finite(se)))
  list(
    setup_s = setup, evaluation_ms = ms, fit_s = clock() - begin, evaluations = fit$evaluations[["function"]], minimum = fit$objective,
    estimates = fit$par
  )
}

one <- function(tool, name, n, session = "first") {
  model <- models[[name]]
  version <- switch(tool, R = as.character(getRversion()), if (tool %in% others) as.character(utils::packageVersion(tool)) else
    as.character(utils::packageVersion("nmathopencl")))
  row <- fitted_row(tool, model, model$data(n))
  numbers <- vapply(row[c("setup_s", "evaluation_ms", "fit_s")], function(x) if (is.na(x)) "" else format(signif(x, 3)), "")
  cat(name, format(n, scientific = FALSE), tool, session, version, numbers, if (!is.na(row$evaluations)) row$evaluations else "",
      format(row$minimum, digits = 12), paste(sprintf("%.5f", row$estimates), collapse = " "), sep = "\t")
  cat("\n")
}

# --- all of them ------------------------------------------------------------------------------------------------------------

others <- c("RTMB", unique(unlist(lapply(models, function(model) names(model$fits)))))

all_rows <- function(asked, sizes) {
  script <- normalizePath(file)
  rows <- list()
  cache <- tempfile("cache")
  for (name in names(models)) for (n in sizes) {
    tools <- intersect(asked, c(setdiff(asked, others), "RTMB", names(models[[name]]$fits)))
    tools <- tools[!tools %in% others | nzchar(vapply(tools, function(tool) system.file(package = tool), ""))]
    for (tool in tools) for (session in c("first", if (!tool %in% c("R", others)) "later")) {
      if (session == "first") unlink(cache, recursive = TRUE)
      dir.create(file.path(cache, "driver"), recursive = TRUE, showWarnings = FALSE) # where NVIDIA's driver keeps what it compiled
      line <- system2(file.path(R.home("bin"), "Rscript"), c(script, "one", tool, name, format(n, scientific = FALSE), session),
                      stdout = TRUE, env = c(paste0("R_USER_CACHE_DIR=", cache), paste0("CUDA_CACHE_PATH=", cache, "/driver"), "OMP_NUM_THREADS=1"))
      line <- grep(paste0("^", name, "\t"), line, value = TRUE)
      if (!length(line)) stop(tool, " failed on ", name, " of ", n, call. = FALSE)
      writeLines(line)
      rows[[length(rows) + 1]] <- strsplit(line, "\t")[[1]]
    }
  }
  rows <- as.data.frame(do.call(rbind, rows))
  names(rows) <- columns
  rows
}

# Minima and estimates of all tools are the same.
compare <- function(rows) {
  for (part in split(rows, rows[c("model", "observations")], drop = TRUE)) {
    minimum <- as.numeric(part$minimum)
    estimates <- do.call(rbind, lapply(strsplit(part$estimates, " "), as.numeric))
    apart <- diff(range(minimum)) > 1e-6 * (1 + abs(minimum[1])) ||
      any(abs(t(estimates) - estimates[1, ]) > 0.02 * sqrt(1000 / as.numeric(part$observations[1])))
    if (apart) {
      print(part[c("model", "observations", "tool", "minimum", "estimates")])
      stop("tools end at other points", call. = FALSE)
    }
  }
}

write_data <- function(folder, sizes) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  index <- file(file.path(folder, "index.tsv"), "w")
  on.exit(close(index))
  for (name in names(models)) for (n in sizes) {
    data <- models[[name]]$data(n)
    reference <- reference_at(models[[name]], data, start_of(models[[name]], data))
    stem <- paste0(name, "-", format(n, scientific = FALSE))
    for (column in names(data)) writeBin(as.vector(t(data[[column]]), "double"), file.path(folder, paste0(stem, "-", column, ".f8")))
    numbers <- function(x) paste(format(x, digits = 17), collapse = " ")
    writeLines(paste(name, format(n, scientific = FALSE), numbers(reference$at), numbers(reference$value), numbers(reference$gradient), sep = "\t"), index)
  }
}

sizes_of <- function(given) if (length(given)) as.numeric(given) else c(1e3, 1e4, 1e5)
if (identical(arguments[1L], "one")) {
  one(arguments[2L], arguments[3L], as.numeric(arguments[4L]), c(arguments[-(1:4)], "first")[1L])
} else if (identical(arguments[1L], "write")) {
  write_data(arguments[2L], sizes_of(arguments[-(1:2)]))
} else {
  writeLines(paste(columns, collapse = "\t"))
  asked <- if (length(arguments)) strsplit(arguments[1L], ",")[[1]] else c("host", "host1", "RTMB", "R", others[-1L])
  compare(all_rows(asked, sizes_of(arguments[-1L])))
}
