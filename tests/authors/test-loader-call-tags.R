# What authors of kernels write: call tags, staged sorts, manifests. Needs no device.

call_library <- function() {
  dir <- make_library(
    head = c("// @provides: f, SCALE, table", "// @depends:", "double f(double x);", "#define SCALE 2.0"),
    f = c("// @provides: f, g", "// @depends: head", "double f(double x) { return x; }", "double g(double x) { return f(x); }"),
    table = c("// @provides: table", "// @depends:", "static const double table[2] = {1.0, 2.0};"),
    name = "lib"
  )
  index_of(dir)
  dir
}

test_that("what a kernel calls is found; comments, strings, own definitions, members and plain variables are not", {
  dir <- call_library()
  kernel <- make_kernel(
    "// Mine.", "", "#define TWICE(x) (2 * g(x)) /* g */", "#define UNUSED(x) f(x)",
    "/* table[0] */", "static double own(double f) { return f; } // f(1)",
    "__kernel void k(__global double *out, const int SCALES)", "{",
    "    const int i = get_global_id(0);", "    double table_0 = TWICE(1.0), own_f = 0;",
    "    out[i] = own(table_0) + s.table + p->SCALE + \"f(\"[0] + log(own_f);", "    barrier(1); // \\",
    "       f(3)", "}"
  )
  before <- read_bytes(kernel)
  plan <- attach_kernel_call_tags(kernel, dir, "lib", dry_run = TRUE)
  expect_identical(read_bytes(kernel), before)
  expect_identical(table_of(plan), data.frame(
    file = kernel, calls = "g", depends = "f", opencl_builtins = "barrier, get_global_id", changed = TRUE
  ))
  expect_match(plan$diff, "@@ -1,3 +1,8 @@\n+// @library_deps: lib\n+// @calls_lib: g\n+// @depends_lib: f\n", fixed = TRUE)
  expect_output(print(plan), "+// @calls_opencl_builtin: barrier, get_global_id", fixed = TRUE)
  expect_identical(attach_kernel_call_tags(kernel, dir, "lib"), plan)
  expect_invisible(attach_kernel_call_tags(kernel, dir, "lib"))
  expect_identical(substring(read_bytes(kernel), nchar(read_bytes(kernel)) - nchar(before) + 1L), before)
  attach_cross_library_tags(kernel, dir, "depends_lib")
  done <- read_bytes(kernel)
  expect_match(done, "@depends_lib: f\n// @all_depends_lib_count: 2\n// @all_depends_lib: head, f\n// @calls_op", fixed = TRUE)

  # What is there is left alone, and read again when asked to.
  expect_true(is.na(attach_kernel_call_tags(kernel, dir, "lib")$changed))
  expect_false(attach_kernel_call_tags(kernel, dir, "lib", overwrite_existing = TRUE)$changed)
  write_bytes(sub("s.table", "table[0] + SCALE", done, fixed = TRUE), kernel)
  again <- attach_kernel_call_tags(kernel, dir, "lib", overwrite_existing = TRUE)
  expect_identical(again$calls, "SCALE, g, table")
  expect_identical(again$depends, "head, table, f")
  expect_false(grepl("all_depends_lib", read_bytes(kernel)))
})

test_that("two libraries keep their lines, and none needs nothing", {
  dir <- call_library()
  other <- make_library(h = c("// @provides: h", "double h(double x) { return x; }"), name = "other")
  index_of(other)
  kernel <- make_kernel("__kernel void k(__global double *x) { x[0] = h(g(x[0])); }")
  apply_all <- function() {
    attach_kernel_call_tags(kernel, dir, "lib", TRUE)
    attach_kernel_call_tags(kernel, other, "other", TRUE)
    attach_cross_library_tags(kernel, dir, "depends_lib")
    attach_cross_library_tags(kernel, other, "depends_other")
    read_bytes(kernel)
  }
  expect_match(first <- apply_all(), "// @library_deps: lib, other\n", fixed = TRUE)
  expect_identical(apply_all(), first)
  none <- make_kernel("__kernel void k(__global double *x) { x[0] = 1; }")
  expect_identical(table_of(attach_kernel_call_tags(none, dir, "lib"))[2:4], data.frame(
    calls = "", depends = "", opencl_builtins = ""
  ))
  expect_identical(readLines(none)[1:4], c(
    "// @library_deps: none", "// @calls_lib: none", "// @depends_lib: none", "// @calls_opencl_builtin: none"
  ))
  expect_identical(attach_cross_library_tags(none, dir, "depends_lib")$all_depends_count, 0L)
})

test_that("the shipped kernels call what their tags name", {
  kernels <- list.files(cl_dir("src"), "[.]cl$", full.names = TRUE)
  rows <- attach_kernel_call_tags(kernels, cl_dir("nmath"), "nmath", overwrite_existing = TRUE, dry_run = TRUE)
  tagged <- vapply(kernels, function(path) sub(".*: ?", "", grep("@depends_nmath:", readLines(path), value = TRUE)), "")
  tagged[tagged == "none"] <- ""
  # Kernels that draw name the generator's file by way of what draws.
  expect_identical(sub("^sunif, ", "", rows$depends), unname(tagged))
})

test_that("bad arguments of the call tags are told and write nothing", {
  dir <- call_library()
  kernel <- make_kernel("int k;")
  bad <- make_kernel("// @depends_lib f", "int k;")
  expect_error(attach_kernel_call_tags(c(kernel, bad), dir, "lib"), paste0(bad, ":1: @depends_lib: missing"), fixed = TRUE,
               class = "nmathopencl_error")
  expect_identical(read_bytes(kernel), "int k;\n")
  expect_error(attach_kernel_call_tags(kernel, dir, "a b"), "library_tag must be a name")
  expect_error(attach_kernel_call_tags(kernel, make_library(a = "int a;"), "lib"), "has a tag @provides")
  expect_error(attach_kernel_call_tags("no.cl", dir, "lib"), "File not found")
})

# ---- staging, index, manifest ----

test_that("a library is laid out in load order, with what cannot be sorted apart", {
  dir <- make_library(
    a = c("// @provides: a", "// @depends:"), b = c("// @depends: a", "// @includes: x.h"), B = "int B;",
    c = "// @depends: d, a", d = "// @depends: c", e = "// @depends: c, nope"
  )
  out <- tempfile("staged")
  plan <- stage_kernel_dependency_sort(dir, out, dry_run = TRUE)
  expect_false(file.exists(out))
  expect_identical(plan$sorted[c("order", "pass", "file", "depends", "includes")], data.frame(
    order = 1:3, pass = c(1L, 1L, 2L), file = c("B.cl", "a.cl", "b.cl"), depends = c("", "", "a"), includes = c("", "", "x.h")
  ))
  expect_identical(plan$unresolved[c("file", "resolved_depends", "remaining_depends_count", "missing_depends", "cycle")],
                   data.frame(file = c("c.cl", "d.cl", "e.cl"), resolved_depends = c("a", "", ""),
                              remaining_depends_count = c(1L, 1L, 2L), missing_depends = c("", "", "nope"),
                              cycle = c("c -> d -> c", "d -> c -> d", "")))
  first <- NULL
  in_each_locale({
    expect_identical(stage_kernel_dependency_sort(dir, out, overwrite = TRUE), plan)
    if (is.null(first)) first <- folder_bytes(out)
    expect_identical(folder_bytes(out), first)
  })
  expect_identical(list.files(plan$sorted_dir), c("001_B.cl", "002_a.cl", "003_b.cl"))
  expect_identical(read_bytes(file.path(plan$sorted_dir, "003_b.cl")), read_bytes(file.path(dir, "b.cl")))
  expect_identical(utils::read.csv(file.path(out, "sorted_files.csv"))$file, plan$sorted$file)
  expect_identical(list.files(plan$unresolved_dir), c("c.cl", "d.cl", "e.cl"))

  # What is not of this library goes, what is not ours stays.
  write_bytes("mine\n", file.path(plan$sorted_dir, "notes.txt"))
  expect_error(stage_kernel_dependency_sort(dir, out), "`output_dir` exists", class = "nmathopencl_error")
  expect_error(stage_kernel_dependency_sort(dir, dir, overwrite = TRUE), "is `library_dir`")
  empty <- tempfile()
  dir.create(empty)
  expect_error(stage_kernel_dependency_sort(empty, out), "No .cl files")
  unlink(file.path(dir, c("b.cl", "e.cl")))
  stage_kernel_dependency_sort(dir, out, overwrite = TRUE)
  expect_identical(list.files(plan$sorted_dir), c("001_B.cl", "002_a.cl", "notes.txt"))
  expect_identical(list.files(plan$unresolved_dir), c("c.cl", "d.cl"))
})

test_that("an index can be computed without writing it", {
  dir <- abc()
  expect_output(index <- write_kernel_dependency_index(dir, write = FALSE), "+c\ta, b", fixed = TRUE)
  expect_identical(list.files(dir, "index"), character())
  expect_identical(index_of(dir), index)
  expect_output(write_kernel_dependency_index(dir), "Up to date: ")
  before <- file.mtime(list.files(dir, "index", full.names = TRUE))
  index_of(dir)
  expect_identical(file.mtime(list.files(dir, "index", full.names = TRUE)), before)
})

test_that("a manifest is put in order and written in both forms", {
  path <- file.path(tempfile(), "program_preload_manifest.tsv")
  dir.create(dirname(path))
  layers <- data.frame(rank = c(2, 1), kind = c("library", "file"), rel_path = c("shims", "OPENCL.cl"))
  expect_output(write_program_preload_manifest(layers, path, "mine", write = FALSE, verbose = TRUE), "+1\tfile\tOPENCL.cl",
                fixed = TRUE)
  expect_identical(list.files(dirname(path)), character())
  done <- write_program_preload_manifest(layers, path, "mine")
  expect_identical(done, list(
    version = 1L, source_package = "mine", manifest_relative_path = "program_preload_manifest.tsv", manifest_path = path,
    entries = data.frame(rank = 1:2, kind = c("file", "library"), rel_path = c("OPENCL.cl", "shims"))
  ))
  expect_identical(read_bytes(path), "rank\tkind\trel_path\n1\tfile\tOPENCL.cl\n2\tlibrary\tshims\n")
  expect_identical(readRDS(sub("tsv$", "rds", path)), done[-4L])
  expect_identical(read_program_preload_manifest(manifest_path = path), done$entries)
  bytes <- folder_bytes(dirname(path))
  expect_output(write_program_preload_manifest(manifest_path = path, source_package = "mine", verbose = TRUE), NA)
  expect_identical(folder_bytes(dirname(path)), bytes)
  for (bad in list(1, layers[1:2], transform(layers, rank = 1.5), transform(layers, rank = 1), transform(layers, kind = "x"),
                   transform(layers, rel_path = "../x"), transform(layers, rel_path = "a\tb"), layers[0, ])) {
    expect_error(write_program_preload_manifest(bad, path), class = "nmathopencl_error")
  }
  expect_identical(folder_bytes(dirname(path)), bytes)
})

test_that("the shipped manifest is as it would be written", {
  path <- cl_dir("program_preload_manifest.tsv")
  expect_output(write_program_preload_manifest(write = FALSE, verbose = TRUE), NA)
  contents <- readRDS(sub("tsv$", "rds", path))
  expect_identical(contents$entries, read_program_preload_manifest())
})
