# Damaged heads of .cl files: each tool names file and line and leaves everything as it is. Tools applied twice change no
# byte, in any locale. Needs no device.

# Each takes the lines of a sound file and gives the damaged bytes, the line of the error and its words. `head` is the
# number of the last line with a tag.
damages <- list(
  repeated = function(lines, head) list(append(lines, "// @depends: x", head), head + 1L, "@depends: repeated tag"),
  unknown = function(lines, head) list(append(lines, "// @dependz: x", head), head + 1L, "@dependz: unknown tag"),
  no_name = function(lines, head) list(append(lines, "// @: x", head), head + 1L, "@: unknown tag"),
  no_colon = function(lines, head) list(append(lines, "// @used x", head), head + 1L, "@used: missing ':'"),
  cut_in_list = function(lines, head) list(c(lines[1:2], "// @used: a,"), 3L, "@used: the list ends with a comma", ""),
  cut_in_name = function(lines, head) list(c(lines[1:2], "// @dep"), 3L, "@dep: unknown tag", ""),
  cut_before_value = function(lines, head) list(c(lines[1:2], "// @load_order"), 3L, "@load_order: missing ':'", ""),
  no_value = function(lines, head) list(append(lines, "// @to_shim_reason:", head), head + 1L, "@to_shim_reason: empty value"),
  no_number = function(lines, head) list(append(lines, "// @all_depends_x_count: 1e3", head), head + 1L, "@all_depends_x_count: '1e3'"),
  huge_number = function(lines, head) {
    list(append(lines, "// @all_depends_x_count: 99999999999999999999", head), head + 1L, "@all_depends_x_count: '9999999999")
  },
  two_words = function(lines, head) list(append(lines, "// @used: a b", head), head + 1L, "@used: two words in one item"),
  empty_item = function(lines, head) list(append(lines, "// @used: a, , b", head), head + 1L, "@used: empty item"),
  bad_character = function(lines, head) list(append(lines, "// @used: a, b-c", head), head + 1L, "@used: bad character in 'b-c'"),
  other_script = function(lines, head) {
    list(append(lines, "// @used: \xc3\xa9", head), head + 1L, "@used: bad character in '\\xc3\\xa9'")
  },
  none_and_more = function(lines, head) list(append(lines, "// @used: none, a", head), head + 1L, "@used: 'none' must stand alone"),
  zero_in_tag = function(lines, head) list(append(lines, "// @used: a\001b", head), head + 1L, "not a text file", "\n", TRUE),
  zero_in_body = function(lines, head) list(c(lines, "int\001x;"), length(lines) + 1L, "not a text file", "\n", TRUE),
  open_comment_first = function(lines, head) list(c("/* begins", lines), 1L, "the comment that opens here is not closed"),
  open_comment_last = function(lines, head) list(c(lines, "int x; /* begins"), length(lines) + 1L, "the comment that opens here"),
  tag_after_head = function(lines, head) list(c(lines, "// @depends: x"), length(lines) + 1L, "@depends: a tag must stand in the head"),
  carriage_returns = function(lines, head) list(append(lines, "// @usd: x", head), head + 1L, "@usd: unknown tag", "\r\n"),
  huge_line = function(lines, head) {
    list(append(lines, paste0("// @used: ", strrep("x", 2e5), "!"), head), head + 1L, "@used: bad character in 'xxxx")
  }
)

# Sound files of which each has a text of its own.
sound_files <- function() {
  paths <- list.files(cl_dir("nmath"), "^(dpq|dgamma|pgamma|Rmath|nmath|ibeta|ptukey|wilcox|sunif)[.]cl$", full.names = TRUE)
  lapply(stats::setNames(paths, sub("[.]cl$", "", basename(paths))), readLines)
}

write_damaged <- function(damage, path) {
  end <- if (length(damage) > 3L) damage[[4L]] else "\n"
  bytes <- unlist(lapply(damage[[1L]], function(line) c(charToRaw(line), charToRaw(end))))
  if (length(damage) > 4L) bytes[bytes == as.raw(1L)] <- as.raw(0L)
  if (!nzchar(end)) bytes <- charToRaw(paste(damage[[1L]], collapse = "\n"))
  writeBin(bytes, path)
}

test_that("damaged heads are told with file and line, and left alone", {
  library_dir <- make_library(h = c("// @provides: h", "double h(double x) { return x; }"))
  index_of(library_dir)
  count <- 0L
  for (stem in names(sound <- sound_files())) {
    head <- max(grep("^// @", sound[[stem]]))
    for (name in names(damages)) {
      damage <- damages[[name]](sound[[stem]], head)
      dir <- tempfile("damaged")
      dir.create(dir)
      path <- file.path(dir, paste0(stem, ".cl"))
      write_damaged(damage, path)
      before <- folder_bytes(dir)
      expected <- paste0(path, ":", damage[[2L]], ": ", damage[[3L]])
      tools <- list(
        function() attach_kernel_dependency_tags(dir), function() write_kernel_dependency_index(dir, verbose = FALSE),
        function() attach_kernel_call_tags(path, library_dir, "lib", overwrite_existing = TRUE),
        function() attach_cross_library_tags(path, library_dir, "depends_lib"),
        function() stage_kernel_dependency_sort(dir, file.path(dir, "out")),
        function() load_library_for_kernel(path, library_dir, "depends_lib")
      )
      for (tool in tools) {
        error <- tryCatch(tool(), nmathopencl_error = identity)
        if (!inherits(error, "nmathopencl_error") || !startsWith(conditionMessage(error), expected) ||
            nchar(conditionMessage(error)) > nchar(expected) + 200L) {
          fail(paste0(stem, ", ", name, ": expected '", expected, "', got ", paste(format(error), collapse = " ")))
        }
      }
      if (!identical(folder_bytes(dir), before)) fail(paste0(stem, ", ", name, ": something was written"))
      found <- check_kernel_library(dir)
      header <- found[found$kind == "header", ]
      if (!identical(header$line, damage[[2L]]) || !startsWith(header$finding, damage[[3L]])) {
        fail(paste0(stem, ", ", name, ": the check tells ", paste(format(header), collapse = " ")))
      }
      unlink(dir, recursive = TRUE)
      count <- count + 1L
    }
  }
  expect_gte(count, 190L)
})

test_that("circles and names that are missing are told with file and line, and left alone", {
  libraries <- list(
    self = list(a = "// @depends: a"), two = list(a = "// @depends: b", b = c("// @provides: b", "// @depends: a")),
    missing = list(a = c("", "// @depends: a_b")),
    far = list(a = "// @depends: b", b = "// @depends: c", c = "// @depends: d", d = "// @depends: b")
  )
  for (files in libraries) {
    dir <- do.call(make_library, files)
    before <- folder_bytes(dir)
    for (tool in list(attach_kernel_dependency_tags, index_of, function(dir) load_library_for_kernel(
      make_kernel("// @depends_lib: a"), dir, "depends_lib", index_of(dir)
    ))) {
      expect_error(tool(dir), "[abcd][.]cl:[12]: @depends: [abd]", class = "nmathopencl_error")
    }
    expect_identical(folder_bytes(dir), before)
    expect_true(any(check_kernel_library(dir)$kind %in% c("cycle", "missing")))
  }
})

test_that("every tool applied twice changes no byte, and writes the same in every locale", {
  from <- c(list.files(cl_dir("nmath"), "[.]cl$", full.names = TRUE), list.files(cl_dir("src"), "^[dr].*[.]cl$", full.names = TRUE))
  bare <- lapply(from, function(path) {
    lines <- readLines(path)
    lines <- lines[!grepl("^// @(all_depends|load_order|library_deps|depends_nmath|calls_)", lines)]
    if (basename(path) == "dpq.cl") paste0(lines, "\r") else lines
  })
  first <- NULL
  in_each_locale({
    root <- file.path(tempfile(), "cl")
    for (folder in c("nmath", "src")) dir.create(file.path(root, folder), recursive = TRUE)
    for (k in seq_along(from)) {
      write_bytes(paste0(bare[[k]], "\n", collapse = ""), file.path(root, basename(dirname(from[k])), basename(from[k])))
    }
    nmath <- file.path(root, "nmath")
    kernels <- file.path(root, "src", basename(grep("/src/", from, value = TRUE)))
    for (pass in 1:2) {
      changed <- c(
        attach_kernel_dependency_tags(nmath)$changed, index_of(nmath)$n_files == 0L,
        attach_kernel_call_tags(kernels, nmath, "nmath", overwrite_existing = TRUE)$changed,
        attach_cross_library_tags(kernels, nmath)$changed
      )
      layers <- data.frame(rank = 2:1, kind = c("library", "file"), rel_path = c("nmath", "x.cl"))
      write_program_preload_manifest(layers, file.path(root, "manifest.tsv"))
      if (pass == 1L) once <- folder_bytes(root)
      if (pass == 2L) expect_false(any(changed))
    }
    expect_identical(folder_bytes(root), once)
    if (is.null(first)) first <- once
    expect_identical(once, first)
    unlink(dirname(root), recursive = TRUE)
  })
})
