test_that("the cheat sheet's code is R, and what it calls is there with these arguments", {
  lines <- readLines(system.file("cheatsheet", "nmathopencl.md", package = "nmathopencl", mustWork = TRUE))
  code <- sub("^`([^`]*)`.*$", "\\1", grep("^`", lines, value = TRUE))
  expect_gt(length(code), 30)
  ours <- getNamespaceExports("nmathopencl")
  seen <- 0
  walk <- function(call) {
    if (!is.call(call)) return(invisible())
    name <- deparse1(call[[1]])
    if (name %in% ours) {
      seen <<- seen + 1
      expect_silent(match.call(getExportedValue("nmathopencl", name), call))
    } else if (grepl("opencl|kernel", name)) {
      fail(paste0(name, "() is not exported"))
    }
    lapply(as.list(call)[-1], walk)
  }
  for (line in code) lapply(as.list(parse(text = line)), walk)
  expect_gt(seen, 25)
})
