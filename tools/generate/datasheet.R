# datasheet -- the section "Datasheet" of the help page of a family: what inst/spec and bench/results say of its functions.

read_results <- function(file, column) {
  results <- utils::read.delim(file.path("bench", "results", file), quote = "")
  stats::setNames(results[[column]], results$`function`)
}

# Two significant digits, rounded up: what is stated holds.
shown_error <- function(x) {
  digits <- 10^(floor(log10(x)) - 1)
  text <- format(ceiling(x / digits - 1e-9) * digits, digits = 2, trim = TRUE)
  if (is.na(x)) "" else if (x == 0) "exact" else if (x < 1e6) text else "no digit"
}
shown_time <- function(x) if (is.na(x)) "" else format(signif(x, 2), scientific = FALSE, trim = TRUE)

# A table that no row was scored of says nothing.
errors_of <- function(file) {
  rows <- read_results(file, "rows")
  ifelse(rows > 0, read_results(file, "worst"), NA)[names(rows)]
}

# By function, under R's name where it has one: errors, times, arguments with a derivative, and from how many elements on a GPU takes the
# constant-parameter kernel.
datasheet_facts <- function(rows, rules, fixed) {
  names <- rows$name
  shown <- ifelse(nzchar(rows$mirrors), gsub("^.*::|`", "", rows$mirrors), names)
  cell <- function(values, show) vapply(unname(values[names]), show, "")
  first <- vapply(seq_along(names), function(k) {
    arguments <- unique(rules$argument[rules$name %in% c(names[k], shown[k])])
    if (length(arguments)) paste0("\\code{", arguments, "}", collapse = ", ") else ""
  }, "")
  least <- vapply(names, function(name) min(as.numeric(fixed$least[fixed$name == name]), Inf), 0)
  on_gpu <- paste("yes, GPU:", format(least, big.mark = ",", scientific = FALSE, trim = TRUE))
  constant <- ifelse(is.infinite(least), "", ifelse(least == 1, "yes", on_gpu))
  data.frame(
    paste0("\\code{", shown, "}"),
    cell(errors_of("host.tables.tsv"), shown_error), cell(errors_of("pocl.tables.tsv"), shown_error), cell(errors_of("h200.tables.tsv"), shown_error),
    cell(errors_of("stats.tables.tsv"), shown_error),
    cell(read_results("host_vs_stats.tsv", "host_ns"), shown_time), cell(read_results("host_vs_stats.tsv", "R_ns"), shown_time),
    cell(read_results("h200.throughput.tsv", "kernel_Gevals"), shown_time),
    first, constant
  )
}

datasheet_text <- paste(
  "Largest errors over the reference tables, in units of \\code{.Machine$double.eps * (1 + cond)} (\\code{vignette(\"accuracy\")}; a result that was",
  "rounded once has at most 0.5), on the host device, through PoCL, on an NVIDIA H200, and of \\pkg{stats} (R 4.2.2) where its",
  "result is finite. Nanoseconds an element on one core with vectors of parameters, on the host device and with \\pkg{stats}; billions a second on the H200, data resident (\\code{vignette(\"speed\")}).",
  "Arguments with a derivative (\\code{\\link{opencl_derivatives}}, with its errors). Constant parameters: whether the host device has a faster kernel",
  "for parameters of length one, and from how many elements on GPUs take it. What is empty was not measured."
)

datasheet_section <- function(rows, rules, fixed) {
  facts <- datasheet_facts(rows[!nzchar(rows$of), ], rules, fixed)
  facts <- facts[rowSums(facts[2:8] != "") > 0, ]
  if (nrow(facts) == 0) return(NULL)
  lines <- c(
    "\\tabular{lrrrrrrrll}{",
    paste0(paste(c("function", "host", "PoCL", "H200", "stats", "host, ns", "stats, ns", "H200, 1e9/s", "derivatives in", "constant parameters"),
                 collapse = " \\tab "), "\\cr"),
    do.call(paste, c(unname(facts), sep = " \\tab ")), "}"
  )
  lines[-c(1, 2, length(lines))] <- paste0(lines[-c(1, 2, length(lines))], c(rep("\\cr", nrow(facts) - 1), ""))
  c("#' @section Datasheet:", roxygen_item(datasheet_text), paste("#'", lines))
}
