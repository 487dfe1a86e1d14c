# sheet.R -- the cheat sheet: one landscape page, three columns, from inst/cheatsheet/nmathopencl.md.
#
# A line "# ..." is the page's title, "## ..." begins a box; a line that begins with `code` is code and what it does, any
# other line is said as it is.

sheet_source <- file.path("inst", "cheatsheet", "nmathopencl.md")
sheet_file <- file.path("inst", "cheatsheet", "nmathopencl.pdf")

letters_size <- 0.7
step <- 0.148          # inches from line to line
entry_gap <- 0.035     # more between entries

sheet_lines <- function(path = sheet_source) {
  lines <- readLines(path)
  lines <- lines[nzchar(lines)]
  code <- ifelse(grepl("^`", lines), sub("^`([^`]*)`.*$", "\\1", lines), "")
  data.frame(
    kind = ifelse(grepl("^# ", lines), "title", ifelse(grepl("^## ", lines), "box", "line")),
    code = code, text = trimws(sub("^(#+ |`[^`]*`)", "", lines))
  )
}

# What is drawn of a line, and where from its top: pieces of code and text, wrapped to the width of a column.
set_line <- function(line, width) {
  wrap <- function(text, cex, family, font) {
    unit <- graphics::strwidth("m", cex = cex, family = family, font = font, units = "inches")
    for (columns in seq(ceiling(2.2 * width / unit), 20)) {
      pieces <- strwrap(text, columns)
      if (max(graphics::strwidth(pieces, cex = cex, family = family, font = font, units = "inches")) <= width) return(pieces)
    }
    pieces
  }
  rows <- rbind(
    if (nzchar(line$code)) data.frame(text = wrap(line$code, letters_size, "Courier", 2), kind = "code"),
    if (nzchar(line$text)) {
      data.frame(text = wrap(line$text, letters_size, "Helvetica", 1), kind = if (nzchar(line$code)) "note" else "text")
    }
  )
  rows$first <- seq_len(nrow(rows)) == 1
  rows
}

draw_sheet <- function() {
  lines <- sheet_lines()
  graphics::par(mar = rep(0, 4), family = "Helvetica", xpd = NA)
  size <- graphics::par("din")
  graphics::plot(NULL, xlim = c(0, size[1]), ylim = c(0, size[2]), axes = FALSE, xaxs = "i", yaxs = "i", xlab = "",
                 ylab = "")
  margin <- 0.35
  gap <- 0.22
  width <- (size[1] - 2 * margin - 2 * gap) / 3
  graphics::text(margin, size[2] - 0.36, lines$text[lines$kind == "title"], adj = c(0, 0.5), font = 2, cex = 1.35, col = blue)
  boxes <- split(lines[lines$kind != "title", ], cumsum(lines$kind[lines$kind != "title"] == "box"))
  rows <- lapply(boxes, function(box) {
    do.call(rbind, lapply(seq_len(nrow(box))[-1], function(k) set_line(box[k, ], width - 0.16)))
  })
  heights <- vapply(rows, function(r) 0.3 + step * nrow(r) + entry_gap * sum(r$first) + 0.22, 0)
  top <- size[2] - 0.62
  column <- 0
  y <- top
  for (k in seq_along(boxes)) {
    if (y - heights[k] < 0.2) {
      column <- column + 1
      y <- top
    }
    if (column > 2) stop("the cheat sheet does not fit on a page: ", boxes[[k]]$text[1], call. = FALSE)
    draw_box(boxes[[k]]$text[1], rows[[k]], margin + column * (width + gap), y, width, heights[k] - 0.16)
    y <- y - heights[k]
  }
  graphics::text(size[1] - margin, size[2] - 0.36, 'vignette("getting-started", "nmathopencl")', adj = c(1, 0.5), cex = 0.8,
                 family = "Courier", col = grey)
}

draw_box <- function(title, rows, x, y, width, height) {
  graphics::rect(x, y - height, x + width, y, border = "grey75")
  graphics::rect(x, y - 0.22, x + width, y, col = blue, border = NA)
  graphics::text(x + 0.08, y - 0.11, title, adj = c(0, 0.5), col = "white", font = 2, cex = 0.85)
  y <- y - 0.26
  for (k in seq_len(nrow(rows))) {
    kind <- rows$kind[k]
    y <- y - step - if (rows$first[k]) entry_gap else 0
    graphics::text(x + 0.08, y + step / 2, rows$text[k], adj = c(0, 0.5), cex = letters_size, font = if (kind == "code") 2 else 1,
                   family = if (kind == "code") "Courier" else "Helvetica", col = if (kind == "note") "grey30" else "black")
  }
}
