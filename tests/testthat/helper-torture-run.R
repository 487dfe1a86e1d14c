# Runs the rules on whole expressions over many cases, in several processes if asked, and counts what differs.

torture_rules <- list(
  expressions = function(case, device, state) list(found = torture_expression(case, device, state)),
  reductions = function(case, device, state) list(found = torture_reduction(case, device, state)),
  gradients = function(case, device, state) {
    if (case %% 2L == 1L) torture_table_gradient(case, device, state) else torture_smooth_gradient(case, device, state)
  },
  likelihoods = function(case, device, state) torture_likelihood(case, device, state),
  recursions = function(case, device, state) torture_recursion(case, device, state),
  vectors = function(case, device, state) list(found = torture_vector(case, device, state)),
  points = function(case, device, state) list(found = torture_points(case, device, state)),
  hessians = function(case, device, state) torture_hessian(case, device, state)
)

# list(found, elements, judged, cases): the findings of some cases of a rule. `until`: when to end, as proc.time() has it.
torture_cases <- function(rule, device, cases, until = Inf, tell = FALSE) {
  state <- torture_state(device)
  if (rule %in% c("gradients", "points", "hessians")) {
    state$derivatives <- torture_derivatives()
    state$exact <- torture_shaken(state$plain, TRUE, exact = TRUE)
    known <- vapply(state$derivatives, function(target) if (is.null(target$row)) "" else target$row$name, "")
    state$rules <- stats::setNames(lapply(state$derivatives, function(target) target$of), known)
    state$smooth_library <- state$library[state$library$name %in% known, ]
  }
  total <- list(found = NULL, elements = 0, judged = 0, cases = 0L)
  old <- options(nmathopencl.cache = FALSE)
  on.exit(options(old))
  for (case in cases) {
    if (proc.time()[["elapsed"]] > until) break
    one <- tryCatch(torture_rules[[rule]](case, device, state), error = function(e) {
      list(found = torture_finding(rule, case, "the rule itself fails", paste("#", conditionMessage(e))))
    })
    total$found <- rbind(total$found, one$found)
    total$elements <- total$elements + sum(one$elements)
    total$judged <- total$judged + sum(one$judged)
    total$cases <- total$cases + 1L
    if (tell) tell_found(one$found)
  }
  total
}

tell_found <- function(found) {
  for (k in seq_len(NROW(found))) {
    cat("# ----", found$rule[k], found$case[k], "-", found$class[k], "\n")
    cat(found$code[k], "\n\n", sep = "")
  }
}

# All cases of all rules; 1 if something differs, else 0.
torture_run <- function(rules, device, cases, jobs = as.integer(Sys.getenv("JOBS", "1")), seconds = as.numeric(Sys.getenv("TORTURE_SECONDS", "Inf"))) {
  begin <- proc.time()[["elapsed"]]
  until <- begin + seconds
  status <- 0L
  for (rule in rules) {
    parts <- if (jobs <= 1L) {
      list(torture_cases(rule, device, cases, until, tell = TRUE))
    } else {
      torture_processes(rule, device, split(cases, seq_along(cases) %% jobs), until)
    }
    found <- do.call(rbind, lapply(parts, function(part) part$found))
    sum_of <- function(name) sum(vapply(parts, function(part) as.double(part[[name]]), 0))
    judged <- if (rule %in% c("gradients", "likelihoods", "recursions", "hessians")) sprintf(", %.0f of %.0f slopes judged", sum_of("judged"), sum_of("elements")) else ""
    cat(sprintf("%s on %s: %.0f cases%s, %d findings\n", rule, device, sum_of("cases"), judged, NROW(found)))
    if (NROW(found) > 0L) {
      status <- 1L
      counts <- sort(table(found$class), decreasing = TRUE)
      cat(sprintf("  %4d  %s\n", as.integer(counts), names(counts)), sep = "")
    }
  }
  cat(sprintf("%.0f seconds\n", proc.time()[["elapsed"]] - begin))
  status
}

# Each part of the cases in a fresh process: a device's driver does not survive a fork.
torture_processes <- function(rule, device, parts, until) {
  folder <- tempfile("torture")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  script <- file.path(folder, "part.R")
  seconds <- until - proc.time()[["elapsed"]]
  writeLines(c(
    "suppressPackageStartupMessages(library(nmathopencl))",
    "a <- commandArgs(TRUE)",
    "job <- readRDS(a[1])",
    "for (helper in job$helpers) source(helper)",
    "part <- torture_cases(job$rule, job$device, job$cases, proc.time()[[\"elapsed\"]] + job$seconds)",
    "saveRDS(part, a[2])"
  ), script)
  helpers <- file.path(getwd(), "tests", "testthat", paste0("helper-", torture_helpers, ".R"))
  files <- file.path(folder, paste0("part", seq_along(parts)))
  for (k in seq_along(parts)) saveRDS(list(helpers = helpers, rule = rule, device = device, cases = parts[[k]], seconds = seconds), paste0(files[k], ".job"))
  commands <- paste(shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script), shQuote(paste0(files, ".job")), shQuote(paste0(files, ".rds")))
  system(paste(c(paste(commands, "&"), "wait"), collapse = "\n"))
  lapply(seq_along(parts), function(k) {
    file <- paste0(files[k], ".rds")
    if (!file.exists(file)) {
      return(list(found = torture_finding(rule, parts[[k]][1L], "a process died", paste("# one of the cases", toString(parts[[k]]))), elements = 0, judged = 0, cases = 0L))
    }
    part <- readRDS(file)
    tell_found(part$found)
    part
  })
}

torture_helpers <- c("devices", "reference", "torture", "derivatives", "points", "hessian", paste0("torture-", c(
  "report", "shrink", "language", "expressions", "reductions", "gradients", "likelihoods", "recursions", "vectors", "points", "hessians", "run"
)))
