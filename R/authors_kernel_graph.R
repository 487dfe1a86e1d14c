# kernel_graph -- shows which file of a library needs which: as data, in words, as a drawing.

#' The dependencies of a library as a graph
#'
#' \code{kernel_dependency_graph()} reads the \code{@depends} of a library's files. \code{print()} says how many there
#' are and how deep they go, \code{plot()} draws them in layers: what a file needs stands to its left.
#'
#' The layer of a file is the length of the longest chain of files below it, so that those of the first layer need
#' nothing. \code{plot()} leaves out an edge that a chain of others implies (\code{reduce}), and orders each layer so that
#' edges cross little. It uses base graphics only.
#'
#' @param x the library's folder, or the name of an installed package, whose library \code{subdir} is meant.
#' @param of names of files without \code{.cl}, or of what they provide: only these and all that they need. \code{NULL}:
#'   everything.
#' @param subdir the library's folder below \code{inst/cl} of a package.
#' @return \code{kernel_dependency_graph()}: a list of class \code{nmathopencl_dependency_graph} with \code{nodes}, a data
#'   frame in load order (\code{stem}, \code{layer} from 1, \code{load_order}, \code{needs} and \code{needed_by}: the
#'   numbers of files directly), \code{edges}, a data frame (\code{from}, \code{to}: \code{from} needs \code{to}),
#'   \code{of} (the files that were asked for) and \code{library_dir}.
#' @section Errors:
#' Those of \code{\link{load_kernel_library}}; a name in \code{of} that the library does not have.
#' @seealso \code{\link{check_kernel_library}}, \code{\link{stage_kernel_dependency_sort}}.
#' @examples
#' nmath <- kernel_dependency_graph("nmathopencl")
#' nmath
#' graph <- kernel_dependency_graph("nmathopencl", of = c("pgamma", "dt"))
#' graph$nodes
#' plot(graph)
#' @export
kernel_dependency_graph <- function(x, of = NULL, subdir = "nmath") {
  library_dir <- library_place(check_path(x, "x"), check_string(subdir, "subdir"))
  index <- compute_index(library_dir)$index
  of <- graph_roots(index, of, library_dir)
  stems <- index$stems_ordered
  if (!is.null(of)) stems <- stems[stems %in% c(of, unlist(index$all_depends[of]))]
  depends <- index$depends[stems]
  layer <- integer()
  for (stem in stems) layer[[stem]] <- 1L + max(0L, layer[depends[[stem]]])
  edges <- data.frame(
    from = rep(stems, lengths(depends)), to = as.character(unlist(depends, use.names = FALSE)), stringsAsFactors = FALSE
  )
  count <- function(column) as.integer(table(factor(column, levels = stems)))
  nodes <- data.frame(
    stem = stems, layer = as.integer(layer), load_order = unname(index$load_order[stems]), needs = unname(lengths(depends)),
    needed_by = count(edges$to), stringsAsFactors = FALSE
  )
  structure(
    list(nodes = nodes, edges = edges, of = of, library_dir = library_dir),
    class = "nmathopencl_dependency_graph"
  )
}

# A folder of .cl files; a bare name that is none, the package's.
library_place <- function(x, subdir) {
  installed <- if (grepl("^[A-Za-z][A-Za-z0-9.]*$", x)) system.file("cl", subdir, package = x) else ""
  if (nzchar(installed) && length(list.files(x, "[.]cl$")) == 0L) return(installed)
  if (dir.exists(x)) return(x)
  if (!grepl("^[A-Za-z][A-Za-z0-9.]*$", x)) argument_error("`x`: Folder not found: ", x)
  place <- system.file("cl", subdir, package = x)
  if (!nzchar(place)) argument_error("`x`: neither a folder nor an installed package with inst/cl/", subdir, ": ", x)
  place
}

# The files that `of` means.
graph_roots <- function(index, of, library_dir) {
  if (is.null(of)) return(NULL)
  if (!is.character(of) || !length(of) || anyNA(of)) argument_error("`of` must be NULL or a character vector of names")
  files <- from_core(loader_files_cpp(library_dir))
  provided <- strsplit(files$provides, ", ", fixed = TRUE)
  home <- stats::setNames(rep(files$stem, lengths(provided)), unlist(provided))
  stems <- ifelse(of %in% index$stems_ordered, of, home[of])
  if (anyNA(stems)) {
    argument_error(
      "`of`: the library has no ", paste0("'", of[is.na(stems)], "'", collapse = ", "), did_you_mean(of[is.na(stems)][1L], c(index$stems_ordered, names(home)))
    )
  }
  unique(unname(stems))
}

#' @export
print.nmathopencl_dependency_graph <- function(x, ...) {
  nodes <- x$nodes
  cat(sprintf("<dependencies of an OpenCL library: %d file(s), %d edge(s), %d layer(s)>\n",
              nrow(nodes), nrow(x$edges), max(0L, nodes$layer)))
  cat("  library: ", x$library_dir, "\n", sep = "")
  if (length(x$of)) cat(strwrap(paste0("of: ", paste(x$of, collapse = ", ")), indent = 2L, exdent = 4L), sep = "\n")
  for (layer in seq_len(max(0L, nodes$layer))) {
    stems <- paste(nodes$stem[nodes$layer == layer], collapse = ", ")
    cat(strwrap(paste0(layer, ": ", stems), indent = 2L, exdent = 5L), sep = "\n")
  }
  most <- nodes[order(-nodes$needed_by, nodes$load_order), ][seq_len(min(5L, nrow(nodes))), ]
  most <- most[most$needed_by > 0L, ]
  if (nrow(most)) cat("  needed most: ", paste0(most$stem, " (", most$needed_by, ")", collapse = ", "), "\n", sep = "")
  invisible(x)
}

# ---- the drawing ----

# Without edges that a chain of others implies.
reduced_edges <- function(graph) {
  needs <- split(graph$edges$to, factor(graph$edges$from, levels = graph$nodes$stem))
  below <- list()
  for (stem in graph$nodes$stem) below[[stem]] <- unique(c(needs[[stem]], unlist(below[needs[[stem]]])))
  keep <- mapply(function(from, to) !any(vapply(below[setdiff(needs[[from]], to)], function(b) to %in% b, NA)),
                 graph$edges$from, graph$edges$to)
  graph$edges[as.logical(keep), , drop = FALSE]
}

# The places of each layer's files, by the mean place of their neighbours, up and down some times. A layer with more
# than `most` files takes several columns.
graph_places <- function(nodes, edges, most) {
  place <- stats::ave(seq_len(nrow(nodes)), nodes$layer, FUN = function(k) seq_along(k) - (length(k) + 1) / 2)
  names(place) <- nodes$stem
  layers <- split(nodes$stem, nodes$layer)
  neighbours <- function(stem) c(edges$to[edges$from == stem], edges$from[edges$to == stem])
  near <- lapply(stats::setNames(nm = nodes$stem), neighbours)
  for (sweep in 1:8) {
    for (stems in if (sweep %% 2L) layers else rev(layers)) {
      wish <- vapply(stems, function(stem) if (length(near[[stem]])) mean(place[near[[stem]]]) else place[[stem]], 0)
      place[stems[order(wish, stems, method = "radix")]] <- seq_along(stems) - (length(stems) + 1) / 2
    }
  }
  column <- 0
  x <- y <- place
  for (stems in layers) {
    stems <- stems[order(place[stems])]
    columns <- ceiling(length(stems) / most)
    rows <- ceiling(length(stems) / columns)
    k <- seq_along(stems) - 1L
    x[stems] <- column + k %% columns
    y[stems] <- (k %/% columns + (k %% columns) / columns - (rows - 1) / 2) / max(rows - 1, 1) * min(1, rows / most * 1.6)
    column <- column + columns
  }
  data.frame(stem = nodes$stem, x = unname(x[nodes$stem]), y = unname(-y[nodes$stem]), stringsAsFactors = FALSE)
}

#' @rdname kernel_dependency_graph
#' @param reduce whether \code{plot()} leaves out edges that a chain of others implies.
#' @param cex size of the names; \code{NULL}: as large as fits.
#' @param col colours of names, edges, and of the names in \code{of}.
#' @param main title.
#' @param ... not used.
#' @return \code{plot()}: invisibly the places of the files, a data frame \code{stem}, \code{x}, \code{y}.
#' @export
plot.nmathopencl_dependency_graph <- function(x, reduce = TRUE, cex = NULL, col = c("black", "grey65", "firebrick"),
                                              main = basename(x$library_dir), ...) {
  if (!is.null(cex) && !(is.numeric(cex) && length(cex) == 1L && is.finite(cex) && cex > 0)) {
    argument_error("`cex` must be NULL or one positive number")
  }
  if (length(col) != 3L) argument_error("`col` must have three colours")
  edges <- if (check_flag(reduce, "reduce")) reduced_edges(x) else x$edges
  old <- graphics::par(mar = c(0.5, 0.5, if (nzchar(main)) 2 else 0.5, 0.5))
  on.exit(graphics::par(old))
  places <- graph_places(x$nodes, edges, most = max(12L, ceiling(sqrt(nrow(x$nodes)) * 2.2)))
  span <- max(1, places$x)
  graphics::plot.new()
  graphics::plot.window(c(-0.02 * span, span * 1.02 + 0.6), c(-1.08, 1.08) * max(0.1, abs(places$y)))
  graphics::title(main)
  if (!nrow(places)) return(invisible(places))
  if (is.null(cex)) cex <- fitting_cex(places)
  at <- function(stems) match(stems, places$stem)
  half <- graphics::strwidth(places$stem, cex = cex)
  from <- at(edges$from)
  to <- at(edges$to)
  # Edges leave a name at its right end and reach the next one at its left.
  graphics::segments(places$x[to] + half[to], places$y[to], places$x[from], places$y[from], col = col[2L], lwd = 0.5)
  height <- graphics::strheight("x", cex = cex)
  graphics::rect(places$x, places$y - height, places$x + half, places$y + height, col = "white", border = NA)
  wanted <- places$stem %in% x$of
  graphics::text(places$x, places$y, places$stem, cex = cex, col = ifelse(wanted, col[3L], col[1L]), adj = c(0, 0.5))
  invisible(places)
}

# Names must not touch: those of one column differ in y, those of one row in x.
fitting_cex <- function(places) {
  width <- max(graphics::strwidth(places$stem)) * 1.1
  rows <- unlist(tapply(places$y, places$x, function(y) diff(sort(y))))
  across <- 1 / width
  down <- if (length(rows)) min(rows) / (graphics::strheight("Xg") * 1.15) else 1
  max(0.25, min(1, across, down))
}
