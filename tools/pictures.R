#!/usr/bin/env Rscript
# pictures.R -- the pictures of the README and the vignettes, and the table of all functions, from bench/results; and the cheat sheet.
#
#   Rscript tools/pictures.R [NAME ...]    makes the table and what is stale of the pictures (or those named)
#   Rscript tools/pictures.R --check       changes nothing; lists what is stale and exits 1 if anything is
#
# Run from the repository root. The table is compared as a text. A picture is fresh while tools/pictures.tsv has the
# fingerprints of what it was made from, of the code that draws it, and of the picture: machines with other fonts draw the
# same picture with other bytes.
for (part in c("data", "dots", "charts", "models", "table", "sheet", "badge")) source(file.path("tools", "pictures", paste0(part, ".R")))

stamp_file <- file.path("tools", "pictures.tsv")

results_of <- function(...) results_file(paste0(c(...), ".tsv"))
part_files <- function(...) file.path("tools", "pictures", paste0(c(...), ".R"))
data_inputs <- c(
  results_of(
    "host_vs_stats", "pocl.throughput", "h200.throughput", "h200.peers_speed", "host.tables", "pocl.tables", "h200.tables",
    "stats.tables", "peers_accuracy"
  ),
  part_files("data", "dots", "charts")
)
pictures <- list(
  speed = list(width = 10.4, height = 8, draw = function() draw_speed(all_functions()), inputs = data_inputs),
  accuracy = list(width = 11, height = 8.2, draw = function() draw_accuracy(all_functions()), inputs = data_inputs),
  lengths = list(width = 11, height = 4, draw = draw_lengths, inputs = c(results_of("lengths"), part_files("dots", "charts"))),
  fused = list(width = 11, height = 4.6, draw = draw_fused,
               inputs = c(results_of("fused_vs_separate", "h200.expressions"), part_files("dots", "charts"))),
  models = list(width = 11, height = 5.4, draw = draw_models, inputs = c(results_file(models_files()), part_files("dots", "models"))),
  # A4, landscape
  sheet = list(width = 11.69, height = 8.27, draw = draw_sheet, inputs = c(sheet_source, part_files("sheet")))
)

fingerprint <- function(files) {
  sums <- unname(tools::md5sum(files))
  if (length(files) == 1) return(sums)
  all <- tempfile()
  on.exit(unlink(all))
  writeLines(sums, all)
  unname(tools::md5sum(all))
}

stamp <- function(name) {
  c(picture = name, inputs = fingerprint(pictures[[name]]$inputs), image = fingerprint(picture_file(name)))
}

stale_pictures <- function() {
  known <- if (file.exists(stamp_file)) utils::read.delim(stamp_file, colClasses = "character") else NULL
  fresh <- vapply(names(pictures), function(name) {
    row <- known[known$picture == name, ]
    file.exists(picture_file(name)) && NROW(row) == 1 && identical(unlist(row), stamp(name))
  }, TRUE)
  names(pictures)[!fresh]
}

stale_texts <- function(texts) {
  same <- vapply(names(texts), function(path) file.exists(path) && identical(readLines(path), texts[[path]]), TRUE)
  names(texts)[!same]
}

# A palette makes files a third of their size, and they are installed twice: as pictures of help and inside vignettes.
fewer_colours <- function(file) {
  if (!nzchar(Sys.which("pngquant"))) stop("pngquant is needed (Debian: apt install pngquant)", call. = FALSE)
  status <- system2("pngquant", c("--force", "--skip-if-larger", "--strip", "--nofs", "--speed", "1", "--output", file, "16", file))
  if (!status %in% c(0, 98)) stop("pngquant failed on ", file, call. = FALSE) # 98: it would not be smaller
}

make_picture <- function(name) {
  one <- pictures[[name]]
  open_picture(name, one$width, one$height)
  tryCatch(one$draw(), finally = grDevices::dev.off())
  if (grepl("png$", picture_file(name))) fewer_colours(picture_file(name))
  message(picture_file(name), ": ", round(file.size(picture_file(name)) / 1024), " kB")
}

main <- function(arguments) {
  texts <- table_texts(all_functions())
  stale <- c(stale_texts(texts), stale_pictures())
  sentences <- stale_sentences()
  if (length(sentences)) message(paste(sentences, collapse = "\n"))
  if ("--check" %in% arguments) {
    if (length(stale)) message("stale, Rscript tools/pictures.R makes them: ", toString(stale))
    quit(status = as.integer(length(stale) + length(sentences) > 0))
  }
  for (path in names(texts)) writeLines(texts[[path]], path)
  for (name in if (length(arguments)) arguments else intersect(names(pictures), stale)) make_picture(name)
  stamps <- as.data.frame(do.call(rbind, lapply(names(pictures), stamp)))
  utils::write.table(stamps, stamp_file, sep = "\t", quote = FALSE, row.names = FALSE)
}

main(commandArgs(TRUE))
