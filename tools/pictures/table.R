# table.R -- the table of all functions: bench/results/all_functions.md to look at, vignettes/all_functions.tsv to read;
# and vignettes/measurements.tsv with single figures that vignettes quote. README.md and the cheat sheet quote a few in their own words.

table_file <- file.path("bench", "results", "all_functions.md")
data_file <- file.path("vignettes", "all_functions.tsv")
measurements_file <- file.path("vignettes", "measurements.tsv")
models_file <- file.path("vignettes", "models.tsv")

shown_number <- function(x) {
  text <- trimws(formatC(signif(x, 3), digits = 3, format = "fg", big.mark = ","))
  ifelse(is.na(x), "", text)
}

shown_error <- function(x) {
  text <- ifelse(x < 100, formatC(x, digits = 2, format = "fg"), formatC(x, digits = 1, format = "e"))
  ifelse(is.na(x), "", ifelse(x == 0, "exact", trimws(text)))
}

# Functions without any measurement are left out.
table_rows <- function(data) {
  measured <- c("stats_ns", "kernel", "host_error")
  data[rowSums(!is.na(data[measured])) > 0, ]
}

markdown_table <- function(data) {
  rows <- table_rows(data)
  cells <- cbind(
    rows$shown, shown_number(rows$stats_ns), shown_number(rows$host_ns), shown_number(rows$host_ratio),
    shown_number(rows$pocl), shown_number(rows$kernel), shown_number(rows$whole), shown_number(rows$kernel_ratio),
    ifelse(is.na(rows$peer), "", paste0(shown_number(rows$peer), " (", rows$peer_library, ")")),
    shown_error(rows$host_error), shown_error(rows$pocl_error), shown_error(rows$h200_error),
    ifelse(is.na(rows$stats_error), "",
           paste0(shown_error(rows$stats_error), " (", rows$stats_fail, " of ", rows$stats_rows, ")"))
  )
  heading <- c("function", "stats, ns", "host, ns", "host / stats", "PoCL, Geval/s", "H200 kernel, Geval/s",
               "H200 whole call, Geval/s", "H200 kernel / stats", "best other library on an H200, Geval/s", "error, host", "error, PoCL", "error, H200",
               "error, stats (rows that fail)")
  line <- function(x) paste0("| ", paste(x, collapse = " | "), " |")
  body <- unlist(lapply(unique(rows$group), function(group) {
    mine <- rows$group == group
    c("", paste("##", group), "", line(heading), line(c("---", rep("---:", length(heading) - 1))),
      apply(cells[mine, , drop = FALSE], 1, line))
  }))
  c("<!-- Made by tools/pictures.R from the other files of this folder. Do not edit. -->", "# All functions", "",
    "Speed: nanoseconds an element on one core, R 4.2.2's `stats` and this package's host device on the same arguments in",
    "one run; 10^9 elements a second of PoCL on two cores beside other work (2^17 elements, the whole call), and of an H200,",
    "for the kernel alone (2^24 elements) and for the whole call from and to",
    "ordinary memory. Ratios above 1: faster than one core with `stats`; arguments are alike, not the same, on the card and",
    "on the core. Errors: the largest over the function's table in `tests/testthat/ref`, in 2^-52 (1 + condition number); 8 is",
    "what the tests allow, no row of ours exceeds it. In brackets, the rows of `stats` that do. [README.md](README.md) has",
    "machines and commands.",
    body)
}

data_lines <- function(data) {
  rows <- table_rows(data)
  numeric <- vapply(rows, is.numeric, TRUE)
  rows[numeric] <- lapply(rows[numeric], function(x) ifelse(is.na(x), "", vapply(signif(x, 4), format, "")))
  rows[is.na(rows)] <- ""
  c(paste(names(rows), collapse = "\t"), do.call(paste, c(unname(rows), sep = "\t")))
}

measurement_lines <- function(values) c("name\tvalue", paste(names(values), signif(values, 4), sep = "\t"))

table_texts <- function(data) {
  stats::setNames(
    list(markdown_table(data), data_lines(data), measurement_lines(measurements()), models_lines(), check_badge()),
    c(table_file, data_file, measurements_file, models_file, badge_file)
  )
}

# What pages without code of their own say of bench/results, with the figures as they are now: sentences by file.
said_figures <- function(m = as.list(measurements())) {
  ci <- read_results("ci.tsv")
  minutes <- function(...) ceiling(sum(vapply(list(...), function(step) ci$seconds[startsWith(ci$step, step)], 0)) / 60)
  number <- function(name, digits = 2) trimws(format(signif(m[[name]], digits), digits = digits, big.mark = ",", scientific = FALSE))
  list(
    README.md = c(
      sprintf("take %s ms, R on one core %s ms.", number("regression_ms"), number("regression_R_ms")),
      sprintf("Sending the data to the card takes %s s,", number("regression_upload_s")),
      sprintf("is %s to %s times as fast as R's.", number("fused_sum_R_least"), number("fused_sum_R_most")),
      sprintf("Below some %s elements of `pgamma()`, %s of `dnorm()`,", number("break_even_pgamma", 1), number("break_even_dnorm")),
      models_sentence(),
      sprintf(
        "`make demo` takes some %s minutes, `make check` some %s and `make check-all` some %s.",
        minutes("make demo"), minutes("make demo", "make check,"), minutes("make check-all") # in CI, `make check` does not compile
      )
    ),
    "inst/cheatsheet/nmathopencl.md" = sprintf(
      "stats is faster below some %s elements of pgamma(), %s of dnorm()", number("break_even_pgamma", 1), number("break_even_dnorm")
    )
  )
}

stale_sentences <- function() {
  figures <- said_figures()
  unlist(lapply(names(figures), function(file) {
    text <- gsub("\\s+", " ", paste(readLines(file), collapse = " "))
    said <- vapply(figures[[file]], grepl, TRUE, x = text, fixed = TRUE)
    if (!all(said)) paste0(file, " should say: ", figures[[file]][!said])
  }))
}
