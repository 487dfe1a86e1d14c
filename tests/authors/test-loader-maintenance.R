# What the author of kernels runs now and then: indices, subsets, derived tags. Needs no device.

# ---- index ----

test_that("the index holds order and closures, in both files, and is reproducible", {
  dir <- abc()
  index <- index_of(dir)
  expect_identical(index, list(
    version = 1L, library_name = "lib", stems_ordered = c("Z", "a", "b", "c"),
    load_order = c(Z = 1L, a = 2L, b = 3L, c = 4L),
    depends = list(Z = character(), a = character(), b = "a", c = "b"),
    all_depends = list(Z = character(), a = character(), b = "a", c = c("a", "b")), n_files = 4L
  ))
  expect_identical(readRDS(file.path(dir, "kernel_dependency_index.rds")), index)
  expect_identical(read_bytes(file.path(dir, "kernel_dependency_index.tsv")),
                   "stem\tall_depends\nZ\t\na\t\nb\ta\nc\ta, b\n")
  again <- abc()
  index_of(again)
  expect_identical(unname(tools::md5sum(file.path(dir, "kernel_dependency_index.rds"))),
                   unname(tools::md5sum(file.path(again, "kernel_dependency_index.rds"))))
  old <- setwd(dir)
  on.exit(setwd(old))
  expect_identical(index_of("."), index)
  expect_identical(index_of("../lib/"), index)
  expect_invisible(write_kernel_dependency_index(dir, verbose = FALSE))
})

test_that("a folder may have no .cl files, but must be there", {
  empty <- make_library()
  expect_identical(index_of(empty)$n_files, 0L)
  expect_identical(read_bytes(file.path(empty, "kernel_dependency_index.tsv")), "stem\tall_depends\n")
  expect_error(index_of(file.path(empty, "no")), "Folder not found: ")
  expect_error(write_kernel_dependency_index(1), "`library_dir` must be one non-empty string")
  expect_error(write_kernel_dependency_index(empty, verbose = NA), "`verbose` must be TRUE or FALSE")
})

test_that("the shipped indices are those of the shipped files", {
  for (dir in dirname(list.files(cl_dir(), "^kernel_dependency_index[.]tsv$", recursive = TRUE, full.names = TRUE))) {
    computed <- nmathopencl:::compute_index(dir)
    expect_identical(nmathopencl:::stale_index_files(dir, computed), c(rds = FALSE, tsv = FALSE))
  }
})

# ---- subsets ----

test_that("a subset is just what the kernels need, with an index of its own", {
  dir <- abc()
  index <- index_of(dir)
  kernels <- c(make_kernel("// @depends_lib: b"), make_kernel("// @depends_lib: Z"), make_kernel("int k;"))
  dest <- file.path(tempfile(), "sub")
  expect_error(extract_library_subset(kernels, dir, dest, "depends_lib"), "dest_dir must be an existing folder")
  dir.create(dest, recursive = TRUE)
  rows <- extract_library_subset(kernels, dir, dest, "depends_lib", index)
  expect_s3_class(rows, c("nmathopencl_library_subset", "nmathopencl_lib_extract_df", "data.frame"), exact = TRUE)
  names <- c("Z.cl", "a.cl", "b.cl", "kernel_dependency_index.rds", "kernel_dependency_index.tsv")
  expect_identical(rows$stem, sub("[.]cl$", "", names))
  expect_identical(rows$source, file.path(dir, names))
  expect_identical(rows$dest, file.path(dest, names))
  expect_identical(rows$copied, rep(TRUE, 5L))
  expect_setequal(list.files(dest), names)
  for (file in names[1:3]) expect_identical(read_bytes(file.path(dest, file)), read_bytes(file.path(dir, file)))
  expect_identical(read_bytes(file.path(dest, "kernel_dependency_index.tsv")), "stem\tall_depends\nZ\t\na\t\nb\ta\n")
  expect_identical(readRDS(file.path(dest, "kernel_dependency_index.rds"))$library_name, "sub")
  expect_output(print(rows), "5 of 5 files written", fixed = TRUE)
  expect_identical(unclass(load_library_for_kernel(kernels[1], dest, "depends_lib"))[1],
                   unclass(load_library_for_kernel(kernels[1], dir, "depends_lib"))[1])

  expect_identical(extract_library_subset(kernels, dir, dest, "depends_lib")$copied, rep(FALSE, 5L))
  expect_identical(extract_library_subset(kernels, dir, dest, "depends_lib", overwrite = TRUE)$copied,
                   c(TRUE, TRUE, TRUE, FALSE, FALSE))
  # More kernels: new files come, old ones stay, the index is of all of them.
  write_bytes("int mine;\n", file.path(dest, "Z.cl"))
  more <- extract_library_subset(make_kernel("// @depends_lib: c"), dir, dest, "depends_lib")
  expect_identical(more$copied, c(FALSE, FALSE, TRUE, TRUE, TRUE))
  expect_identical(readRDS(file.path(dest, "kernel_dependency_index.rds"))$stems_ordered, c("Z", "a", "b", "c"))
  expect_identical(read_bytes(file.path(dest, "Z.cl")), "int mine;\n")
})

test_that("a wrong tag or path extracts nothing", {
  dir <- abc()
  index_of(dir)
  dest <- tempfile()
  dir.create(dest)
  extract <- function(kernels) extract_library_subset(kernels, dir, dest, "depends_lib")
  expect_error(extract(make_kernel("int k;")), "None of the kernels has a tag")
  expect_error(extract(c(make_kernel("// @depends_lib: a"), "no.cl")), "`kernel_paths`: File not found: no.cl")
  expect_error(extract(make_kernel("// @depends_lib: nope")), "'nope' is not in")
  expect_error(extract(character()), "`kernel_paths` must be")
  expect_identical(list.files(dest), character())
  none <- extract(make_kernel("// @depends_lib: none"))
  expect_identical(none$stem, c("kernel_dependency_index.rds", "kernel_dependency_index.tsv"))
})

test_that("the shipped subsets of nmath are verbatim and complete", {
  nmath <- cl_dir("nmath")
  kernels <- list.files(cl_dir("ex_glmbayes_src"), "[.]cl$", full.names = TRUE)
  expect_gt(length(kernels), 5L)
  dest <- file.path(tempfile(), "ex_glmbayes_nmath")
  dir.create(dest, recursive = TRUE)
  rows <- extract_library_subset(kernels, nmath, dest, "depends_nmath")
  shipped <- cl_dir("ex_glmbayes_nmath")
  expect_setequal(list.files(shipped, "[.]cl$"), list.files(dest, "[.]cl$"))
  for (file in list.files(dest, "[.](cl|tsv)$")) {
    expect_identical(read_bytes(file.path(shipped, file)), read_bytes(file.path(dest, file)))
  }
})

# ---- derived tags ----

test_that("derived tags of a library are written, kept up to date, and nothing else is touched", {
  dir <- make_library(
    a = c("// @provides: a", "// @depends:", "// @accuracy: exact", "", "// prose", "int a;"),
    b = c("// @load_order: 7", "// @depends: a", "// @all_depends: c,", "//   d", "// @all_depends_count: 2", "int b;"),
    c = c("int c;"), d = c("// @depends: b, c\r", "\r", "int d;")
  )
  before <- lapply(list.files(dir, full.names = TRUE), read_bytes)
  plan <- attach_kernel_dependency_tags(dir, dry_run = TRUE)
  expect_identical(lapply(list.files(dir, full.names = TRUE), read_bytes), before)
  done <- attach_kernel_dependency_tags(dir)
  expect_identical(done, plan)
  expect_identical(table_of(done), data.frame(
    file = file.path(dir, c("a.cl", "c.cl", "b.cl", "d.cl")), load_order = 1:4, all_depends = c("", "", "a", "a, c, b"),
    all_depends_count = c(0L, 0L, 1L, 3L), changed = TRUE
  ))
  expect_identical(readLines(file.path(dir, "a.cl")), c(
    "// @provides: a", "// @depends:", "// @accuracy: exact", "// @all_depends_count: 0", "// @load_order: 1", "",
    "// prose", "int a;"
  ))
  expect_identical(readLines(file.path(dir, "b.cl")), c(
    "// @depends: a", "// @all_depends: a", "// @all_depends_count: 1", "// @load_order: 3", "int b;"
  ))
  expect_identical(readLines(file.path(dir, "c.cl")), c("// @all_depends_count: 0", "// @load_order: 2", "", "int c;"))
  expect_identical(read_bytes(file.path(dir, "d.cl")), paste0(
    "// @depends: b, c\n// @all_depends: a, c, b\n// @all_depends_count: 3\n// @load_order: 4\n\nint d;\n"
  ))
  expect_false(any(attach_kernel_dependency_tags(dir)$changed))
  expect_identical(index_of(dir)$stems_ordered, c("a", "c", "b", "d"))
  expect_false(any(attach_kernel_dependency_tags(dir, load_order = FALSE)$changed == FALSE))
  expect_false(any(grepl("@load_order", unlist(lapply(list.files(dir, "[.]cl$", full.names = TRUE), readLines)))))
  expect_false(any(check_kernel_library(dir)$kind == "stale" & grepl("[.]cl$", check_kernel_library(dir)$file)))
  expect_identical(index_of(dir)$stems_ordered, c("a", "c", "b", "d"))
})

test_that("derived tags of kernels are written for each library", {
  dir <- abc()
  index_of(dir)
  body <- make_library(f = "int f;", name = "body")
  index_of(body)
  kernel <- make_kernel("// Generated by hand.", "// @depends_lib: b, Z", "// @depends_body: f", "", "int k;")
  untagged <- make_kernel("int k;")
  rows <- attach_cross_library_tags(c(kernel, untagged), dir, "depends_lib")
  expect_identical(table_of(rows), data.frame(
    file = c(kernel, untagged), direct_stems = c("b, Z", NA), all_depends_count = c(3L, NA),
    all_depends = c("Z, a, b", NA), changed = c(TRUE, FALSE)
  ))
  attach_cross_library_tags(kernel, body, "depends_body")
  lines <- c(
    "// Generated by hand.", "// @depends_lib: b, Z", "// @all_depends_lib_count: 3", "// @all_depends_lib: Z, a, b",
    "// @depends_body: f", "// @all_depends_body_count: 1", "// @all_depends_body: f", "", "int k;"
  )
  expect_identical(readLines(kernel), lines)
  expect_false(attach_cross_library_tags(kernel, dir, "depends_lib")$changed)
  expect_false(attach_cross_library_tags(kernel, body, "depends_body")$changed)
  expect_identical(readLines(untagged), "int k;")

  # An outdated list is replaced, not added to.
  writeLines(sub("b, Z", "none", lines), kernel)
  expect_true(attach_cross_library_tags(kernel, dir, "depends_lib", dry_run = TRUE)$changed)
  expect_identical(attach_cross_library_tags(kernel, dir, "depends_lib")$all_depends_count, 0L)
  expect_identical(readLines(kernel), sub("Z, a, b|b, Z", "none", sub("count: 3", "count: 0", lines[-4L])))
  expect_error(attach_cross_library_tags(kernel, dir, "all_depends_lib"), "which is derived")
  unknown <- make_kernel("// @depends_lib: x")
  expect_error(attach_cross_library_tags(unknown, dir, "depends_lib"), "'x' is not in the index")
})

test_that("the derived tags of the shipped files are up to date", {
  for (library in c("nmath", "libR_shims", "R_ext_types", "R_shims", "R_ext_runtime", "R_ext_internals", "System")) {
    expect_false(any(attach_kernel_dependency_tags(cl_dir(library), dry_run = TRUE, load_order = FALSE)$changed))
  }
  kernels <- list.files(cl_dir("src"), "[.]cl$", full.names = TRUE)
  rows <- attach_cross_library_tags(kernels, cl_dir("nmath"), dry_run = TRUE)
  expect_false(anyNA(rows$direct_stems))
  expect_identical(basename(rows$file[rows$changed]), character())
})
