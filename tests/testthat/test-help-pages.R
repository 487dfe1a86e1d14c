# Help pages are whole.

test_that("the page of each exported function says what it returns", {
  pages <- tools::Rd_db("nmathopencl")
  skip_if(length(pages) == 0L, "installed without help pages")
  parts <- function(page, tag) Filter(function(part) identical(attr(part, "Rd_tag"), tag), page)
  aliases <- lapply(pages, function(page) trimws(unlist(lapply(parts(page, "\\alias"), function(part) as.character(part[[1L]])))))
  reported <- vapply(pages, function(page) any(grepl("[[:alnum:]]", unlist(parts(page, "\\value")))), NA)
  functions <- Filter(function(name) is.function(getExportedValue("nmathopencl", name)), getNamespaceExports("nmathopencl"))
  functions <- setdiff(functions, grep("^\\.__", functions, value = TRUE))
  known <- vapply(functions, function(name) any(vapply(aliases, function(of) name %in% of, NA)), NA)
  expect_identical(functions[!known], character())
  whole <- vapply(functions, function(name) any(reported[vapply(aliases, function(of) name %in% of, NA)]), NA)
  expect_identical(functions[!whole], character())
  expect_true("nmathopencl_limits" %in% unlist(aliases)) # messages point to it
})
