# What is wrong with folders of kernels is found, and nothing in ours. Needs no device.

kinds_at <- function(found) paste0(found$file, ":", found$line, " ", found$kind)

test_that("nothing is wrong with our own tree", {
  found <- check_kernel_library(cl_dir())
  expect_identical(names(found), c("file", "line", "finding", "kind", "severity"))
  expect_identical(paste0(kinds_at(found), ": ", found$finding, recycle0 = TRUE), character())
  expect_identical(nrow(check_kernel_library(cl_dir("nmath"))), 0L)
  expect_identical(nrow(check_kernel_library(cl_dir("src"))), 0L)
})

test_that("each kind of trouble in a library is found where it is", {
  dir <- make_library(
    a = c("// @provides: a, gone", "// @depends:", "#define ONE 1", "double a(double x) { return x; }"),
    b = c("// @provides: b", "// @depends:", "#define ONE 2", "double b(double x)", "{ return a(x); }"),
    c = c("// @provides: a", "// @depends: a", "double a(double x) { return 2 * x; }", "// caf\u00e9"),
    d = c("// @depends: e"), e = c("// @depends: d"), f = c("// @depends: nope"), g = c("// @depends g")
  )
  found <- check_kernel_library(dir)
  expect_identical(kinds_at(found), c(
    "a.cl:1 missing", "b.cl:3 clash", "c.cl:1 duplicate", "c.cl:3 duplicate", "c.cl:4 text", "g.cl:1 header"
  ))
  unlink(file.path(dir, "g.cl"))
  found <- check_kernel_library(dir)
  expect_true(all(c("d.cl:1 cycle", "e.cl:1 cycle", "f.cl:1 missing") %in% kinds_at(found)))
  expect_match(found$finding[found$kind == "cycle"][1], "d -> e -> d", fixed = TRUE)
  unlink(file.path(dir, c("c.cl", "d.cl", "e.cl", "f.cl")))
  found <- check_kernel_library(dir)
  expect_true("b.cl:5 missing" %in% kinds_at(found))
  expect_match(found$finding[found$file == "b.cl" & found$kind == "missing"], "uses 'a' of a.cl", fixed = TRUE)
  expect_identical(sum(found$file == "kernel_dependency_index.tsv"), 1L)
})

test_that("stale tags and indices are found, and the tools mend them", {
  dir <- make_library(c = "// @depends: b", b = "// @depends: a", a = "// @depends:", Z = "// alone")
  index_of(dir)
  attach_kernel_dependency_tags(dir)
  expect_identical(nrow(check_kernel_library(dir)), 0L)
  write_bytes("// @depends: a, Z\n// @all_depends: a\n// @all_depends_count: 1\n// @load_order: 3\n", file.path(dir, "b.cl"))
  found <- check_kernel_library(dir)
  expect_identical(kinds_at(found), c(
    "b.cl:2 stale", "c.cl:2 stale", "kernel_dependency_index.rds:1 stale", "kernel_dependency_index.tsv:1 stale"
  ))
  attach_kernel_dependency_tags(dir)
  index_of(dir)
  expect_identical(nrow(check_kernel_library(dir)), 0L)
})

test_that("kernels are measured against their libraries", {
  root <- tempfile("cl")
  dir.create(file.path(root, "src"), recursive = TRUE)
  dir.create(file.path(root, "lib"))
  lib <- file.path(root, "lib")
  write_bytes("// @provides: f\n// @depends:\ndouble f(double x) { return x; }\n", file.path(lib, "f.cl"))
  write_bytes("// @provides: g\n// @depends:\ndouble g(double x) { return x; }\n", file.path(lib, "g.cl"))
  index_of(lib)
  kernel <- function(name, ...) write_bytes(paste0(c(...), "\n", collapse = ""), file.path(root, "src", name))
  body <- "__kernel void k(__global double *x) { x[0] = f(x[0]); }"
  good <- kernel("good.cl", "// @depends_lib: f", body)
  attach_cross_library_tags(good, lib, "depends_lib")
  expect_identical(nrow(check_kernel_library(root)), 0L)
  kernel("none.cl", body)
  kernel("other.cl", "// @depends_lib: g", "// @all_depends_lib_count: 1", "// @all_depends_lib: g", body)
  kernel("stale.cl", "// @depends_lib: f", "// @calls_lib: g", body)
  kernel("twice.cl", "// @depends_lib: f", "// @all_depends_lib_count: 1", "// @all_depends_lib: f",
         "double f(double x) { return x; }", body)
  kernel("unknown.cl", "// @depends_lib: f, h", "// @depends_nolib: x", body)
  found <- check_kernel_library(root)
  expect_identical(kinds_at(found), paste0("src/", c(
    "none.cl:1 missing", "other.cl:1 unused", "other.cl:4 missing", "stale.cl:1 stale", "stale.cl:2 stale",
    "twice.cl:1 unused", "twice.cl:4 duplicate", "unknown.cl:1 missing", "unknown.cl:2 missing"
  )))
  expect_identical(unique(found$severity), c("error", "warning"))
  old <- setwd(file.path(root, "src"))
  on.exit(setwd(old))
  expect_identical(check_kernel_library(".")$file, sub("src/", "", found$file))
})

test_that("what GPUs cannot run is found, and its like that they can is not", {
  dir <- make_library(bad = c(
    "// @depends:", "#include <stdio.h>", "int count = 0;", "static double last;", "long double wide(void);",
    "double down(int n) { return n ? up(n - 1) : 0; }", "double up(int n) { return n ? down(n - 1) : 0; }",
    "double own(void) { static int calls; return malloc(calls); }", "int many(int n, ...);",
    "double apply(double (*f)(double), double x) { return f(x); }",
    "__kernel void k(double *x, __global double *y, const size_t n) { y[0] = x[n]; }"
  ), good = c(
    "// @depends:", "#ifdef __OPENCL_VERSION__", "#define TABLE __constant", "#else", "#include <math.h>",
    "#define TABLE static const", "static double last;", "#endif", "TABLE double t[2] = {1.0, 2.0};",
    "__constant int one = 1;", "static const double two = 2.0;", "// malloc(1); static int x;",
    "double fine(double x);", "double fine(double x) { const double y = x; return y * (*(&y)) + t[0]; }",
    "struct pair { double a; int b; };", "typedef struct pair pair_t;",
    "__kernel void m(__global const double* x, __local double *l, const int n) { l[0] = fine(x[n]); }"
  ))
  index_of(dir)
  found <- check_kernel_library(dir)
  expect_identical(paste0(kinds_at(found)), paste0("bad.cl:", c(2:6, 8, 8, 9, 10, 11, 11), " gpu"))
  expect_match(found$finding[5], "recursion: down -> up -> down", fixed = TRUE)
  expect_identical(check_kernel_library(dir), found)
})

test_that("the layers of a tree are looked at too", {
  root <- tempfile("cl")
  dir.create(file.path(root, "lib"), recursive = TRUE)
  write_bytes("int a;\n", file.path(root, "lib", "a.cl"))
  manifest <- file.path(root, "program_preload_manifest.tsv")
  write_bytes("rank\tkind\trel_path\n1\tfile\tOPENCL.cl\n2\tlibrary\tnone\n", manifest)
  found <- check_kernel_library(root)
  expect_setequal(found$kind[found$file == basename(manifest)], c("missing", "gpu"))
  write_bytes("rank\tkind\n", manifest)
  found <- check_kernel_library(root)
  expect_identical(kinds_at(found)[found$kind == "header"], "program_preload_manifest.tsv:1 header")
  expect_error(check_kernel_library(file.path(root, "no")), "Folder not found", class = "nmathopencl_error")
})
