# The loader: tags, sorting, what a kernel needs, programs. Needs no device.

# ---- tags ----

depends_of <- function(...) {
  dir <- make_library(x = c(..., "int x;"), a = "int a;", b = "int b;", c_1 = "int c;")
  index_of(dir)$depends$x
}

test_that("every way to write a list gives the same list", {
  expect_identical(depends_of("// @depends: a, b"), c("a", "b"))
  expect_identical(depends_of("//@depends:a,b"), c("a", "b"))
  expect_identical(depends_of(" \t// \t@depends \t: \ta ,\tb \t"), c("a", "b"))
  expect_identical(depends_of("// @depends: a, b\r"), c("a", "b"))
  expect_identical(depends_of("", "// prose with @depends: b inside", "//", "// @depends: a"), "a")
  expect_identical(depends_of("// @depends: a,", "//     b,", "// c_1"), c("a", "b", "c_1"))
  expect_identical(depends_of("// @depends: a,\r", "// b\r"), c("a", "b"))
  expect_identical(depends_of("// @depends: a, b, a"), c("a", "b"))
  for (empty in c("// @depends:", "// @depends: none", "// @depends: (none)", "// no tag")) {
    expect_identical(depends_of(empty), character())
  }
  expect_identical(depends_of("/// @depends: a"), character())
})

test_that("a tag that breaks the grammar is named with file, line and tag", {
  skip_on_cran() # a matter of seconds
  bad <- list(
    list("@depends: missing ':'", "// prose", "// @depends a, b"),
    list("@depends: missing ':'", "// prose", "// @depends"),
    list("@depends: two words in one item, is a comma missing? 'a b'", "// prose", "// @depends: a b"),
    list("@depends: two words", "// prose", "// @depends: a // why"),
    list("@depends: empty item", "// prose", "// @depends: a, , b"),
    list("@depends: empty item", "// prose", "// @depends: , a"),
    list("@depends: the list ends with a comma", "// prose", "// @depends: a,", "int x;"),
    list("@depends: the list ends with a comma", "// prose", "// @depends: a,", "// @provides: x"),
    list("@depends: the list ends with a comma", "// prose", "// @depends: a,", "//", "// b"),
    list("@depends: bad character in 'a.cl'", "// prose", "// @depends: a.cl"),
    list("@depends: bad character in '1a'", "// prose", "// @depends: 1a"),
    list("@depends: bad character in '(none)'", "// prose", "// @depends: a, (none)"),
    list("@depends: 'none' must stand alone", "// prose", "// @depends: a, none"),
    list("@Depends: unknown tag", "// prose", "// @Depends: a"),
    list("@requires: unknown tag", "// prose", "// @requires: a"),
    list("@depends_: unknown tag", "// prose", "// @depends_: a"),
    list("@depends: repeated tag, first given in line 1", "// @depends: a", "// @depends: b"),
    list("@depends: a tag must stand in the head", "int y;", "  // @depends: a"),
    list("@depends: a tag must stand in the head", "/* licence */", "// @depends: a"),
    list("@source_origin: more than one word", "// prose", "// @source_origin: a.c b.c"),
    list("@method: empty value", "// prose", "// @method:"),
    list("@load_order: '-1' is not a whole number", "// prose", "// @load_order: -1"),
    list("@all_depends_count: 'two' is not", "// prose", "// @all_depends_count: two"),
    list("@all_depends_nmath_count: '' is not", "// prose", "// @all_depends_nmath_count:"),
    list("@to_shim_kind: 'a' is not of the form name=kind", "// prose", "// @to_shim_kind: a"),
    list("@includes: bad character in 'a;b'", "// prose", "// @includes: a;b")
  )
  for (case in bad) {
    lines <- unlist(case[-1L])
    # Readers: the sorter, the index, the two writers of tags, extraction and loading.
    dir <- make_library(x = lines)
    expected <- paste0(dir, "/x.cl:2: ", case[[1L]])
    expect_error(index_of(dir), expected, fixed = TRUE)
    expect_error(attach_kernel_dependency_tags(dir), expected, fixed = TRUE)
    kernel <- file.path(dir, "x.cl")
    library <- abc()
    index_of(library)
    expect_error(load_library_for_kernel(kernel, library, "depends_lib"), expected, fixed = TRUE)
    expect_error(attach_cross_library_tags(kernel, library, "depends_lib"), expected, fixed = TRUE)
    expect_error(extract_library_subset(kernel, library, tempdir(), "depends_lib"), expected, fixed = TRUE)
    expect_identical(read_bytes(kernel), paste0(lines, "\n", collapse = ""))
  }
})

test_that("the other tags are read and let pass", {
  dir <- make_library(x = c(
    "// @source_type: c", "// @source_origin: x.c", "// @includes: R_ext/Boolean.h, nmath.h",
    "// @used_includes: math.h", "// @depends: none", "// @provides: x, y_2", "// @all_depends_count: 0",
    "// @load_order: 1",
    "// @local_macros: M, M", "// @method: a, b: (c) and more, ", "// @accuracy: 1.3 ulp (host), 2 ulp",
    "// @used: a", "// @to_shim: a", "// @to_shim_kind: a=reason, b=literal_constant", "// @to_shim_reason: a b",
    "// @to_shim_deterministic: a", "// @builtin: a", "// @library_deps: nmath", "// @calls_nmath: (none)",
    "// @depends_nmath: dnorm", "// @all_depends_nmath: dnorm", "// @all_depends_nmath_count: 1",
    "// @calls_opencl_builtin: mad"
  ))
  expect_identical(index_of(dir)$n_files, 1L)
})

test_that("files that are no text are refused", {
  dir <- make_library(x = "int x;")
  write_bytes("\xEF\xBB\xBF// @depends:\n", file.path(dir, "x.cl")) # a byte-order mark is no part of the text
  expect_identical(index_of(dir)$stems_ordered, "x")
  out <- file(file.path(dir, "x.cl"), "wb")
  writeBin(as.raw(c(47, 47, 0, 10)), out)
  close(out)
  expect_error(index_of(dir), "holds a zero byte")
  write_bytes("", file.path(dir, "x.cl"))
  expect_identical(index_of(dir)$stems_ordered, "x")
  file.rename(file.path(dir, "x.cl"), file.path(dir, "x-y.cl"))
  expect_error(index_of(dir), "x-y.cl: the name of a library file")
})

# ---- sorting ----

test_that("a library is sorted pass by pass in byte order, and the trace says how", {
  dir <- abc()
  expect_output(
    write_kernel_dependency_index(dir),
    "Pass 1: emitting Z.cl, a.cl\nPass 2: emitting b.cl\nPass 3: emitting c.cl\nWrote ", fixed = TRUE
  )
  # A file whose needs come in the same pass waits for the next one.
  late <- make_library(B = "// @depends: a", a = "// @depends:", c = "// @depends: a, B")
  expect_output(
    write_kernel_dependency_index(late),
    "Pass 1: emitting a.cl\nPass 2: emitting B.cl\nPass 3: emitting c.cl", fixed = TRUE
  )
  expect_output(
    load_kernel_library("nmath", verbose = TRUE), "^Pass 1: emitting [A-Za-z0-9_, .]+[.]cl\nPass 2: emitting "
  )
})

test_that("order does not depend on the locale", {
  stems <- c("Rmath", "refactored", "_x", "a_b", "ab", "aB", "a1", "A")
  dir <- do.call(make_library, stats::setNames(as.list(rep("int x;", length(stems))), stems))
  expected <- c("A", "Rmath", "_x", "a1", "aB", "a_b", "ab", "refactored")
  expect_identical(index_of(dir)$stems_ordered, expected)
  if (capabilities("ICU")) {
    icuSetCollate(locale = "en_US")
    on.exit(icuSetCollate(locale = "default"))
    expect_identical(index_of(dir)$stems_ordered, expected)
    icuSetCollate(locale = "et_EE", case_first = "upper")
    expect_identical(index_of(dir)$stems_ordered, expected)
  }
})

test_that("a failing sort says which files are stuck and why", {
  failed <- "Dependency sort failed: unresolved dependencies remain."
  dir <- make_library(
    a = "// @depends: c", b = c("", "// @depends: a"), c = "// @depends: b", d = "// @depends: c", e = "int e;"
  )
  expect_error(index_of(dir), paste0(
    failed, "\nStuck files: a.cl, b.cl, c.cl, d.cl\nCycle: a -> c -> b -> a\n  ", dir, "/a.cl:1: @depends: c\n  ",
    dir, "/c.cl:1: @depends: b\n  ", dir, "/b.cl:2: @depends: a"
  ), fixed = TRUE)
  expect_output(try(write_kernel_dependency_index(dir), silent = TRUE), "Stuck: a.cl, b.cl, c.cl, d.cl", fixed = TRUE)

  self <- make_library(a = "// @depends: a", b = "int b;")
  expect_error(index_of(self), paste0(failed, "\nStuck files: a.cl\nCycle: a -> a\n  ", self,
                                      "/a.cl:1: @depends: a (a file cannot depend on itself)"), fixed = TRUE)

  missing <- make_library(a = "// @depends: zzz", b = "// @depends: a")
  expect_error(index_of(missing), paste0(failed, "\nStuck files: a.cl, b.cl\nMissing: ", missing,
                                         "/a.cl:1: @depends: zzz is not a file of library 'lib'"), fixed = TRUE)
  expect_false(any(file.exists(file.path(c(dir, self, missing), "kernel_dependency_index.tsv"))))
  expect_error(attach_kernel_dependency_tags(missing), failed, fixed = TRUE)
})

# ---- what a kernel needs ----

test_that("a kernel gets the files it needs, in load order", {
  dir <- abc()
  index <- index_of(dir)
  kernel <- make_kernel("// @depends_lib: b", "")
  loaded <- load_library_for_kernel(kernel, dir, "depends_lib")
  expect_s3_class(loaded, c("nmathopencl_library_part", "nmathopencl_concatenated_lib", "character"), exact = TRUE)
  expect_identical(as.character(unclass(loaded)), "// @depends:\nint a;\n// @depends: a\nint b;\n")
  expect_identical(attributes(loaded)[-1L], list(
    stems_requested = "b", stems_loaded = c("a", "b"), kernel_path = kernel, library_dir = dir,
    depends_tag = "depends_lib", nbytes_concatenated = 42L
  ))
  expect_identical(load_library_for_kernel(kernel, dir, "depends_lib", index), loaded)
  expect_output(print(loaded), "2 file(s), 42 bytes", fixed = TRUE)
  expect_output(print(loaded), "asked for by @depends_lib", fixed = TRUE)
  both <- load_library_for_kernel(make_kernel("// @depends_lib: c, Z"), dir, "depends_lib")
  expect_identical(attr(both, "stems_loaded"), c("Z", "a", "b", "c"))
})

test_that("direct and transitive tag give the same files, and a list is completed", {
  dir <- abc()
  index_of(dir)
  stems <- function(kernel, tag) attr(load_library_for_kernel(kernel, dir, tag), "stems_loaded")
  cases <- list(
    c("// @depends_lib: c", "// @all_depends_lib: a, b, c"),
    "// @depends_lib: c",
    "// @all_depends_lib: a, b, c",
    "// @all_depends_lib: c",
    c("// @depends_lib: c", "// @all_depends_lib: a"),
    c("// @depends_lib: c", "// @all_depends_lib: a,", "//   b,", "//   c")
  )
  for (lines in cases) {
    kernel <- make_kernel(lines)
    expect_identical(stems(kernel, "all_depends_lib"), c("a", "b", "c"))
    if (any(grepl("@depends_lib", lines))) expect_identical(stems(kernel, "depends_lib"), c("a", "b", "c"))
  }
  expect_identical(stems(make_kernel("// @all_depends: b"), "all_depends"), c("a", "b"))
})

test_that("a kernel without the tag, or with an empty list, gets nothing", {
  dir <- abc()
  for (lines in list("int k;", "// @depends_other: a", "// @library_deps: lib")) {
    # No index is needed then.
    none <- load_library_for_kernel(make_kernel(lines), dir, "depends_lib")
    expect_s3_class(none, c("nmathopencl_library_part", "nmathopencl_concatenated_lib", "character"), exact = TRUE)
    expect_identical(as.character(unclass(none)), "")
    expect_identical(attr(none, "stems_loaded"), character())
    expect_output(print(none), "(none)", fixed = TRUE)
  }
  index_of(dir)
  expect_identical(as.character(unclass(load_library_for_kernel(make_kernel("// @depends_lib: (none)"), dir,
                                                                "depends_lib"))), "")
})

test_that("unknown stems, stale and broken indices are errors", {
  dir <- abc()
  kernel <- make_kernel("// prose", "// @depends_lib: b, nope")
  expect_error(load_library_for_kernel(kernel, dir, "depends_lib"), "File not found: .*kernel_dependency_index.tsv")
  index <- index_of(dir)
  load <- function(path, ...) load_library_for_kernel(path, dir, "depends_lib", ...)
  expect_error(
    load(kernel),
    paste0(kernel, ":2: @depends_lib: 'nope' is not in the index ", dir, "/kernel_dependency_index.tsv"), fixed = TRUE
  )
  expect_error(load(kernel, index), "'nope' is not in the index given as argument")
  expect_error(load(kernel, "x"), "`index` must be NULL or a list")
  expect_error(load(kernel, list(1)), "index must be NULL or a list")
  expect_error(load(file.path(dir, "no.cl")), "File not found: ")
  for (tag in c("provides", "calls_lib", "all_depends_count", "all_depends_lib_count", "no tag", "all_depends_")) {
    expect_error(load_library_for_kernel(kernel, dir, tag), "depends_tag must be 'depends'", fixed = TRUE)
  }

  good <- make_kernel("// @depends_lib: c")
  write_bytes("// @depends: Z\n", file.path(dir, "b.cl"))
  expect_error(load(good), "b.cl:1: @depends: 'Z' is not what the index", fixed = TRUE)
  unlink(file.path(dir, "b.cl"))
  expect_error(load(good), paste0("File not found: ", dir, "/b.cl"), fixed = TRUE)

  tsv <- file.path(dir, "kernel_dependency_index.tsv")
  broken <- c(
    "stem all_depends\n" = ":1: the header", "stem\tall_depends\na\n" = ":2: a row of an index has two columns",
    "stem\tall_depends\na\t\na\t\n" = "stem 'a' comes twice", "stem\tall_depends\nb\ta\na\t\n" = "'b' needs 'a'",
    "stem\tall_depends\na\t\nb\ta a\n" = ":3:1: @all_depends: two words",
    "stem\tall_depends\na.b\t\n" = "bad stem 'a.b'"
  )
  for (text in names(broken)) {
    write_bytes(text, tsv)
    expect_error(load(good), broken[[text]], fixed = TRUE)
  }
})

# ---- sources and programs ----

test_that("sources are read as they are, and what is not there is named", {
  expect_identical(load_kernel_source("OPENCL.cl"), read_bytes(cl_dir("OPENCL.cl")))
  expect_error(load_kernel_source("src/no.cl"), "File not found: inst/cl/src/no.cl", fixed = TRUE)
  expect_error(load_kernel_source("src"), "File not found: inst/cl/src", fixed = TRUE)
  expect_error(load_kernel_library("no"), "File not found: inst/cl/no", fixed = TRUE)
  expect_error(load_kernel_source("a.cl", "no.such.package"), "Package 'no.such.package' is not installed")
  expect_error(load_kernel_source("a.cl", "stats"), "Package 'stats' is not installed, or has no folder inst/cl")
  expect_error(load_kernel_source("../DESCRIPTION"), "it must not leave inst/cl")
  expect_error(load_kernel_source("/etc/passwd"), "it must be relative")
  expect_error(load_kernel_source("src\\a.cl"), "it holds a backslash")
  for (bad in list(NULL, NA_character_, "", c("a", "b"), 1)) {
    expect_error(load_kernel_source(bad), "`relative_path` must be one non-empty string")
    expect_error(load_kernel_library("nmath", bad), "`package` must be one non-empty string")
  }
  expect_error(load_kernel_library("nmath", verbose = "yes"), "`verbose` must be TRUE or FALSE")
})

test_that("a library is all its files in the order of its index", {
  nmath <- cl_dir("nmath")
  stems <- readRDS(file.path(nmath, "kernel_dependency_index.rds"))$stems_ordered
  expect_identical(load_kernel_library("nmath"),
                   paste(vapply(file.path(nmath, paste0(stems, ".cl")), read_bytes, ""), collapse = ""))
})

test_that("the manifest lists the layers by rank", {
  manifest <- read_program_preload_manifest()
  expect_identical(manifest, data.frame(
    rank = 1:7, kind = rep(c("file", "library"), c(1L, 6L)),
    rel_path = c("OPENCL.cl", "libR_shims", "R_ext_types", "R_shims", "R_ext_runtime", "R_ext_internals", "System")
  ))
  expect_identical(readRDS(cl_dir("program_preload_manifest.rds"))$entries, manifest)
  path <- tempfile()
  read_manifest <- function(text) read_program_preload_manifest(manifest_path = write_bytes(text, path))
  head <- "rank\tkind\trel_path\n"
  expect_identical(read_manifest(paste0(head, "\n2\tlibrary\tb\r\n1\tfile\ta.cl\n"))$rel_path, c("a.cl", "b"))
  expect_error(read_manifest("rank,kind,rel_path\n"), ":1: the header must be")
  expect_error(read_manifest(head), "the manifest has no rows")
  expect_error(read_manifest(paste0(head, "0\tfile\ta.cl\n")), ":2: rank '0' is not a positive whole number")
  expect_error(read_manifest(paste0(head, "1\tdir\ta\n")), ":2: kind 'dir' is neither")
  expect_error(read_manifest(paste0(head, "1\tfile\ta\n1\tfile\tb\n")), ":3: rank 1 comes twice")
  expect_error(read_manifest(paste0(head, "1\tfile\t\n")), "it is empty")
  expect_error(read_program_preload_manifest("no.tsv"), "File not found: inst/cl/no.tsv", fixed = TRUE)
})

# The names of the parts of a program and the lines that each #line directive speaks of.
parts_of <- function(program) {
  lines <- strsplit(program, "\n", fixed = TRUE)[[1L]]
  at <- grep("^#line 1 \"[^\"]+\"$", lines)
  bounds <- cbind(at + 1L, c(at[-1L] - 1L, length(lines)))
  stats::setNames(
    lapply(seq_along(at), function(i) lines[seq_len(bounds[i, 2L] - bounds[i, 1L] + 1L) + bounds[i, 1L] - 1L]),
    sub("^#line 1 \"(.*)\"$", "\\1", lines[at])
  )
}

test_that("every program is its layers, its part of nmath and its kernel, each behind its name", {
  skip_on_cran() # 20 s
  kernels <- list.files(cl_dir("src"), "[.]cl$")
  expect_gt(length(kernels), 30L)
  manifest <- read_program_preload_manifest()
  as_one(for (kernel in file.path("src", kernels)) {
    program <- build_rmath_opencl_program(kernel)
    expect_identical(build_rmath_opencl_program(kernel, depends_tag = "depends_nmath"), program)
    parts <- parts_of(program)
    needed <- load_library_for_kernel(cl_dir(kernel), cl_dir("nmath"), "all_depends_nmath")
    expect_identical(names(parts)[1L], "OPENCL.cl")
    expect_identical(utils::tail(names(parts), 1L), kernel)
    stems <- attr(needed, "stems_loaded")
    expect_identical(grep("^nmath/", names(parts), value = TRUE), sprintf("nmath/%s.cl", stems))
    expect_identical(unique(dirname(names(parts)))[2:7], manifest$rel_path[-1L])
    for (name in names(parts)) expect_identical(parts[[name]], readLines(cl_dir(name)))
  })
})

test_that("a program needs a kernel with good tags", {
  expect_error(build_rmath_opencl_program("src/no_kernel.cl"), "File not found: inst/cl/src/no_kernel.cl", fixed = TRUE)
  expect_error(build_rmath_opencl_program("src/dnorm_kernel.cl", depends_tag = "nmath"), "depends_tag must be")
  expect_error(build_rmath_opencl_program("src/dnorm_kernel.cl", package = "stats"), "Package 'stats'")
})
