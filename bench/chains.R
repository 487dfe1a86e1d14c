# chains.R -- Hamiltonian Monte Carlo with 1,024 chains, as vignette("many-chains") has it: the time from the start of a fresh R session to
# the first 1,000 draws of each chain in R's memory.
#
#   Rscript bench/chains.R DEVICE [CHAINS [DRAWS]]      in the root of the package's source, with the package installed
#
# Each model runs in a session of its own, twice, and the second time counts: it finds its programs in the cache. The code is that of
# the vignette's chunks. Prints a row for each model, and records those of 1,024 chains and 1,000 draws in bench/results/chains.tsv and in
# its copy that the vignette reads, vignettes/chains.tsv: seconds since the session began, gradients (of one chain), acceptance as chains
# that moved, the largest R-hat (split chains), and the largest difference of a mean or standard deviation from those of
# vignettes/long_runs.tsv, in Monte Carlo errors.
arguments <- commandArgs(TRUE)
models <- c(logistic = "logistic regression", hierarchical = "random intercepts")
columns <- c("device", "model", "chains", "draws", "seconds", "gradients", "moved", "rhat", "largest")

chunk <- function(label) {
  lines <- readLines("vignettes/many-chains.Rmd")
  first <- grep(paste0("^```\\{r ", label, "\\}"), lines)
  stopifnot(length(first) == 1L)
  last <- first + which(lines[-seq_len(first)] == "```")[1L]
  parse(text = lines[(first + 1L):(last - 1L)])
}

run_model <- function(name, device, chains, draws) {
  library(nmathopencl, quietly = TRUE)
  options(nmathopencl.device = device)
  for (label in c("hmc", name)) eval(chunk(label), globalenv())
  objective <- get(name, globalenv())
  set.seed(1)
  k <- length(objective$par)
  start <- matrix(rnorm(chains * k, sd = if (name == "logistic") 1 else 0.3), chains, dimnames = list(NULL, names(objective$par)))
  kept <- hmc(objective$over, start, draws)
  seconds <- proc.time()[["elapsed"]]
  report <- last_run()
  if (name == "hierarchical") {
    kept[, , 5:12] <- kept[, , 5:12] * exp(rep(kept[, , "log_sd_u"], 8))
    dimnames(kept)[[3L]][5:12] <- paste0("u", 1:8)
  } else {
    dimnames(kept)[[3L]] <- sub("^b[.]", "", dimnames(kept)[[3L]])
  }
  eval(chunk("summary")[1L], globalenv())
  found <- moments(kept)
  known <- read.delim("vignettes/long_runs.tsv")
  known <- known[known$model == models[[name]], ]
  known <- known[match(rownames(found), known$parameter), ]
  stopifnot(!anyNA(known$mean))
  largest <- max(
    abs(found[, "mean"] - known$mean) / sqrt(found[, "mean_error"]^2 + known$mean_error^2),
    abs(found[, "sd"] - known$sd) / sqrt(found[, "sd_error"]^2 + known$sd_error^2)
  )
  half <- draws %/% 2L
  split_rhat <- apply(kept, 3L, function(x) {
    halves <- cbind(x[seq_len(half), ], x[half + seq_len(half), ])
    within <- mean(apply(halves, 2L, stats::var))
    sqrt((half - 1) / half + stats::var(colMeans(halves)) / within)
  })
  moved <- mean(kept[-1L, , 1L] != kept[-draws, , 1L])
  cat(
    report$device, models[[name]], chains, draws, sprintf("%.1f", seconds), chains * (60 + draws) * 8, sprintf("%.3f", c(moved, max(split_rhat))),
    sprintf("%.2f", largest), sep = "\t"
  )
  cat("\n")
}

# Rows of another device or model stay.
record <- function(rows) {
  file <- "bench/results/chains.tsv"
  before <- if (file.exists(file)) readLines(file)[-1L]
  of <- function(rows) sub("^([^\t]*\t[^\t]*)\t.*", "\\1", rows)
  lines <- c(paste(columns, collapse = "\t"), before[!of(before) %in% of(rows)], rows)
  for (to in c(file, "vignettes/chains.tsv")) writeLines(lines, to)
}

if (arguments[1L] == "--one") {
  run_model(arguments[2L], arguments[3L], as.numeric(arguments[4L]), as.numeric(arguments[5L]))
} else {
  sizes <- c(1024, 1000)
  sizes[seq_along(arguments[-1L])] <- as.numeric(arguments[-1L])
  rscript <- file.path(R.home("bin"), "Rscript")
  rows <- vapply(names(models), function(name) {
    run <- function(chains, draws) system2(rscript, c("bench/chains.R", "--one", name, arguments[1L], chains, draws), stdout = TRUE)
    run(sizes[1L], 4) # fills the cache
    run(sizes[1L], sizes[2L])
  }, "")
  writeLines(c(paste(columns, collapse = "\t"), rows))
  if (identical(sizes, c(1024, 1000))) record(rows)
}
