# data.R -- what bench/results holds of each function, in one data frame: a row per function of inst/spec/functions.tsv.

results_file <- function(name) file.path("bench", "results", name)

read_results <- function(name) utils::read.delim(results_file(name), quote = "", check.names = FALSE)

# R's name of a function that Mathlib calls otherwise.
r_names <- c(gammafn = "gamma", lgammafn = "lgamma", fround = "round", fprec = "signif", ftrunc = "trunc", r_pow = "^")
shown_name <- function(name) unname(ifelse(name %in% names(r_names), r_names[name], name))

groups <- c(d = "Densities", p = "Distribution functions", q = "Quantiles", r = "Draws", s = "Special functions")

no_distribution <- c("special", "math_support", "bessel", "rmath_runtime", "rext_utils")

group_of <- function(spec) {
  kind <- ifelse(spec$family == "rng_core", "r", ifelse(spec$family %in% no_distribution, "s", substr(spec$name, 1, 1)))
  unname(groups[kind])
}

# The fastest of the libraries that were measured, in 10^9 elements a second.
best_peer <- function() {
  peers <- read_results("h200.peers_speed.tsv")
  peers <- peers[order(-peers$Gevals), ]
  peers[!duplicated(peers$`function`), ]
}

all_functions <- function() {
  spec <- utils::read.delim(file.path("inst", "spec", "functions.tsv"), colClasses = "character", quote = "")
  spec$shown <- shown_name(spec$name)
  column <- function(file, value, key = spec$name) {
    results <- read_results(file)
    results[[value]][match(key, results$`function`)]
  }
  # A table that no row was scored of says nothing.
  error <- function(file) ifelse(column(file, "rows") > 0, column(file, "worst"), NA)
  peers <- best_peer()
  peer <- match(spec$shown, peers$`function`)
  scipy <- read_results("peers_accuracy.tsv")
  scipy <- scipy[scipy$library == "SciPy", ]
  scored <- match(spec$shown, scipy$`function`)
  data <- data.frame(
    name = spec$name, shown = spec$shown, group = group_of(spec),
    stats_ns = column("host_vs_stats.tsv", "R_ns"), host_ns = column("host_vs_stats.tsv", "host_ns"),
    host_ratio = column("host_vs_stats.tsv", "ratio"),
    kernel = column("h200.throughput.tsv", "kernel_Gevals"), whole = column("h200.throughput.tsv", "total_Gevals"),
    pocl = column("pocl.throughput.tsv", "total_Gevals"),
    peer = peers$Gevals[peer], peer_library = peers$library[peer],
    host_error = error("host.tables.tsv"), pocl_error = error("pocl.tables.tsv"), h200_error = error("h200.tables.tsv"),
    rows = column("host.tables.tsv", "rows"),
    stats_rows = column("stats.tables.tsv", "rows"), stats_fail = column("stats.tables.tsv", "fail"),
    stats_median = column("stats.tables.tsv", "median"), stats_error = column("stats.tables.tsv", "worst"),
    scipy_rows = scipy$rows[scored], scipy_fail = scipy$fail[scored], scipy_error = scipy$worst[scored]
  )
  # 10^9 elements a second times nanoseconds an element: how many times as fast as one core with stats.
  data$kernel_ratio <- data$kernel * data$stats_ns
  data$whole_ratio <- data$whole * data$stats_ns
  data$peer_ratio <- data$peer * data$stats_ns
  data[order(match(data$group, groups), tolower(data$shown)), ]
}

# The number of elements from which on the host device is faster than stats: where the straight lines through the measured
# times cross, on logarithmic scales.
break_even <- function(times) {
  host <- times[times$device == "host", ]
  stats <- times[times$device == "stats", ]
  stopifnot(identical(host$elements, stats$elements), !is.unsorted(host$elements))
  behind <- log(host$least_us / stats$least_us)
  last <- max(which(behind > 0))
  part <- behind[last] / (behind[last] - behind[last + 1])
  exp((1 - part) * log(host$elements[last]) + part * log(host$elements[last + 1]))
}

# Single figures that vignettes quote, by name.
measurements <- function() {
  end_to_end <- read_results("h200.end_to_end.tsv")
  regression <- read_results("h200.regression.tsv")
  lengths <- read_results("lengths.tsv")
  one <- function(device) range(lengths$least_us[lengths$device == device & lengths$elements == 1])
  even <- vapply(split(lengths, lengths$`function`), break_even, 0)
  grid <- read_results("h200.glm_grid.tsv")
  grid <- grid[grid$`l1xl2xm1` == "300x5x20000" & grepl("logit", grid$kernel), ]
  fused <- read_results("fused_vs_separate.tsv")
  resident <- read_results("h200.expressions.tsv")
  resident <- resident[resident$elements == max(resident$elements) & !grepl("groups$", resident$expression), ]
  loops <- read_results("loops.tsv")
  forms <- read_results("forms.tsv")
  groups <- read_results("h100.groups.tsv")
  series <- groups[groups$model == "GARCH", ]
  named <- function(prefix, x) stats::setNames(x, paste0(prefix, c("_least", "_most")))
  first <- function(file) {
    seconds <- read_results(file)$first_call_s
    c(stats::median(seconds), max(seconds))
  }
  c(
    named("one_element_host_us", one("host")), named("one_element_pocl_us", one("cpu")),
    named("one_element_stats_us", one("stats")),
    stats::setNames(even, paste0("break_even_", names(even))),
    one_element_h200_us = end_to_end$value[grepl("warm call", end_to_end$measurement)],
    dnorm_1e8_best = end_to_end$value[grepl("^dnorm.*best of 12 more", end_to_end$measurement)],
    dnorm_1e8_first = end_to_end$value[grepl("^dnorm.*median of the first", end_to_end$measurement)],
    dnorm_1e8_median = end_to_end$value[grepl("^dnorm.*median of 12 more", end_to_end$measurement)],
    stats::setNames(first("h200.tables.tsv"), paste0("first_call_h200_s_", c("median", "most"))),
    stats::setNames(first("pocl.tables.tsv"), paste0("first_call_pocl_s_", c("median", "most"))),
    regression_ms = regression$ms_per_evaluation[1], regression_upload_s = regression$seconds[regression$where == "upload"],
    regression_first_s = regression$seconds[grepl("^first", regression$where)],
    regression_R_ms = regression$ms_per_evaluation[grepl("computed", regression$where)],
    regression_ratio = regression$seconds[regression$where == "ratio R / device"],
    regression_ratio_all = regression$seconds[grepl("with upload", regression$where)],
    named("fused_R", range(fused$`R/fused`)), named("fused_sum_R", range(fused$`R/fused`[fused$result == "sum"])), named("fused_separate", range(fused$`separate/fused`)),
    named("resident_call_ms", range(resident$median_ms)),
    loop_R_ns = loops$ns_a_round[loops$what == "R"], loop_ns = loops$ns_a_round[loops$what == "kernel"],
    loop_gradient_ns = loops$ns_a_round[loops$what == "kernel with gradient" & loops$series == 1],
    form_loop_ms = forms$gradient_ms[1L], form_outer_ms = forms$gradient_ms[2L], form_matrix_ms = forms$gradient_ms[3L],
    loop_series_ns = loops$ns_a_round[loops$series > 1], loop_series_h100_ns = 1e6 * series$least_ms / series$rows,
    glm_grid_kernel_ms = grid$kernel_ms, glm_grid_call_ms = grid$call_ms
  )
}
