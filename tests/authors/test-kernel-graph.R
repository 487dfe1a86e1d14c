# The dependencies of a library as data, in words and as a drawing. Needs no device.

test_that("the graph has the layers, edges and counts of the tags", {
  dir <- make_library(
    a = "// @depends:", b = "// @depends: a", c = c("// @provides: f", "// @depends: a, b"), d = "// @depends: a"
  )
  graph <- kernel_dependency_graph(dir)
  expect_identical(graph$nodes, data.frame(
    stem = c("a", "b", "d", "c"), layer = c(1L, 2L, 2L, 3L), load_order = 1:4, needs = c(0L, 1L, 1L, 2L),
    needed_by = c(3L, 1L, 0L, 0L)
  ))
  expect_identical(graph$edges, data.frame(from = c("b", "d", "c", "c"), to = c("a", "a", "a", "b")))
  expect_identical(nmathopencl:::reduced_edges(graph)$to, c("a", "a", "b"))
  expect_output(print(graph), "4 file(s), 4 edge(s), 3 layer(s)", fixed = TRUE)
  part <- kernel_dependency_graph(dir, of = c("f", "b"))
  expect_identical(part$nodes$stem, c("a", "b", "c"))
  expect_identical(part$of, c("c", "b"))
  expect_error(kernel_dependency_graph(dir, of = "g"), "the library has no 'g'", class = "nmathopencl_error")
  expect_error(kernel_dependency_graph(file.path(dir, "no")), "Folder not found", class = "nmathopencl_error")
  expect_error(kernel_dependency_graph("nopackage"), "neither a folder nor", class = "nmathopencl_error")
})

test_that("all of nmath and a part of it are drawn without names that touch", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file, 16, 10)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  for (of in list(NULL, "pgamma", "Rmath")) {
    graph <- kernel_dependency_graph("nmathopencl", of = of)
    places <- plot(graph)
    expect_identical(places$stem, graph$nodes$stem)
    expect_false(anyDuplicated(places[c("x", "y")]) > 0L)
    # What a file needs is to its left.
    at <- function(stems) places$x[match(stems, places$stem)]
    expect_true(all(at(graph$edges$to) < at(graph$edges$from)))
    cex <- nmathopencl:::fitting_cex(places)
    expect_gte(cex, if (is.null(of)) 0.35 else 0.7)
    expect_lt(max(graphics::strwidth(places$stem, cex = cex)), 1)
    gaps <- unlist(tapply(places$y, places$x, function(y) diff(sort(y))))
    expect_true(all(gaps > graphics::strheight("Xg", cex = cex)))
  }
  expect_error(plot(graph, cex = 0), "`cex`", class = "nmathopencl_error")
  expect_silent(plot(kernel_dependency_graph(make_library())))
})

test_that("a package's name means the package, whatever folder without files of a library has that name", {
  dir <- tempfile()
  dir.create(file.path(dir, "nmathopencl"), recursive = TRUE)
  old <- setwd(dir)
  on.exit(setwd(old))
  expect_gt(nrow(kernel_dependency_graph("nmathopencl", of = "pgamma")$nodes), 1)
  expect_error(kernel_dependency_graph("no_such_package"), class = "nmathopencl_error")
})
